"""scikit-learn's metrics of classification and ranking, counted by tallymark.

The same names, arguments, results, warnings and refusals as in ``sklearn.metrics`` (and
``calibration_curve`` as in ``sklearn.calibration``), so that one line changes. Arrays, lists and
series of labels and numbers are counted; what else scikit-learn takes, or refuses, goes to its own
functions.

>>> from tallymark.sklearn import confusion_matrix, roc_auc_score
>>> roc_auc_score([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
0.75

Where scikit-learn defines a number otherwise than tallymark does, these functions follow scikit-
learn; the docstring of each says where. Its displays draw numbers that are counted here. Functions
that have nothing to count, such as ``ndcg_score``, are scikit-learn's own. ``scorers()`` holds the
rest of the registry for ``cross_val_score`` and ``GridSearchCV``. Written against scikit-learn
1.9.
"""

from importlib import import_module
from typing import Any

from tallymark.part import Part

PART = Part(__name__)


def __getattr__(name: str) -> Any:
    names = (
        import_module(f"{__name__}.functions") if name[:2] != "__" or name == "__all__" else None
    )
    if not hasattr(names, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(names, name)


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
