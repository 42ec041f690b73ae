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

try:
    import sklearn as _sklearn  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "tallymark.sklearn needs scikit-learn; install it with: pip install 'tallymark[sklearn]'"
    ) from error

from tallymark.sklearn import classification, delegated, drawn, ranking
from tallymark.sklearn.classification import *  # noqa: F403
from tallymark.sklearn.delegated import *  # noqa: F403
from tallymark.sklearn.drawn import *  # noqa: F403
from tallymark.sklearn.ranking import *  # noqa: F403
from tallymark.sklearn.scorers import score, scorers

__all__ = ["score", "scorers"]
__all__ += classification.__all__
__all__ += delegated.__all__
__all__ += drawn.__all__
__all__ += ranking.__all__
