"""Answers of two classes by their confidence, from the probability of one."""

from __future__ import annotations

import numpy as np

from tallymark.core import Floats

_ROUNDING = 2.0**-52
"""Confidences of two classes that differ by less are equal: 1 - 0.41 is not the float 0.59."""


def folded(scores: Floats, pos: Floats, neg: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the levels of confidence of two classes, and the right and wrong answers at each.

    ``scores`` (G,) are probabilities of the positive class, and ``pos`` and ``neg`` (..., G) the
    rows of each class. Levels ascend; those that differ by rounding alone are one.

    >>> levels, right, wrong = folded(np.array([0.41, 0.59]), np.array([1, 5]), np.array([4, 2]))
    >>> levels.tolist(), right.tolist(), wrong.tolist()
    ([0.59], [9.0], [3.0])
    """
    upper = scores >= 0.5
    confidence = np.where(upper, scores, 1 - scores)
    order = np.argsort(confidence, kind="stable")
    ascending = confidence[order]
    first = np.append(True, np.diff(ascending) > _ROUNDING)[: len(order)]
    starts = np.flatnonzero(first)
    right, wrong = (np.where(upper, *v)[..., order] for v in ((pos, neg), (neg, pos)))
    if not len(starts):
        return ascending, right, wrong
    sums = (np.add.reduceat(v.astype(np.float64), starts, axis=-1) for v in (right, wrong))
    return (ascending[starts], *sums)  # type: ignore[return-value]
