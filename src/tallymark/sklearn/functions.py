"""All names of scikit-learn: those that are counted here, and those passed on to it."""

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
from tallymark.sklearn.scoring import score, scorers

__all__ = ["score", "scorers"]
__all__ += classification.__all__
__all__ += delegated.__all__
__all__ += drawn.__all__
__all__ += ranking.__all__
