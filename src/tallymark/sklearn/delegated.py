"""scikit-learn's own functions that need no counts, for arrays of any library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tallymark.sklearn.plain import UnusualError, drop_in

__all__ = [
    "coverage_error",
    "d2_brier_score",
    "dcg_score",
    "hinge_loss",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
]


def _theirs(name: str) -> Callable[..., Any]:
    """Return scikit-learn's function of this name, to which arrays of any library may be given."""

    def leave(*args: Any, **options: Any) -> Any:
        raise UnusualError

    leave.__name__ = leave.__qualname__ = name
    leave.__doc__ = f"Return what scikit-learn's own ``{name}`` returns; see there."
    return drop_in(leave)


coverage_error = _theirs("coverage_error")
d2_brier_score = _theirs("d2_brier_score")
dcg_score = _theirs("dcg_score")
hinge_loss = _theirs("hinge_loss")
label_ranking_average_precision_score = _theirs("label_ranking_average_precision_score")
label_ranking_loss = _theirs("label_ranking_loss")
ndcg_score = _theirs("ndcg_score")
