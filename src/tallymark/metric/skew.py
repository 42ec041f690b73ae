"""Dependence of a metric on class balance, measured from its function, not declared.

The negatives are multiplied by a factor at fixed true positive and true negative rates, so any
change of the value comes from the formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tallymark.display import Display
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.sums import Sums, class_tallies

if TYPE_CHECKING:
    from tallymark.metric.registry import Metric

Kind = Literal["invariant", "rises", "falls", "either", "turns"]

KINDS: dict[Kind, str] = {
    "invariant": "does not change",
    "rises": "rises as negatives become more frequent",
    "falls": "falls as negatives become more frequent",
    "either": "rises for some classifiers and falls for others",
    "turns": "rises and then falls, or the reverse",
}
"""How a metric changes when negatives are multiplied at fixed TPR and TNR."""

FACTORS = np.logspace(-3, 3, 25)
"""Factors by which the negatives are multiplied."""

REFERENCE = Counts(tp=70, fp=20, fn=30, tn=80)
"""The classifier for which a change is reported: TPR 0.7 and TNR 0.8, as in the literature."""

CLASSIFIERS = (
    REFERENCE,
    Counts(tp=90, fp=45, fn=10, tn=55),
    Counts(tp=70, fp=31, fn=23, tn=410),
    Counts(tp=9, fp=1, fn=16, tn=40),
    Counts(tp=20, fp=65, fn=80, tn=35),
)
"""Test classifiers: better at one class or at the other, worse than guessing; none symmetric."""

_SCORES = np.array([0.03, 0.11, 0.2, 0.36, 0.41, 0.58, 0.64, 0.77, 0.9, 0.97])
_RANKED = (
    (np.array([1, 2, 0, 4, 3, 9, 0, 14, 11, 20.0]), np.array([42, 30, 17, 9, 11, 6, 5, 1, 2, 1.0])),
    (np.array([3, 9, 5, 4, 8, 6, 7, 5, 3, 2.0]), np.array([4, 2, 7, 9, 3, 6, 12, 5, 9, 8.0])),
)
# Rows of three classes, for metrics of whole rows: the weights of all classes but one are
# multiplied.
_CLASSES = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
_ROWS = (
    np.array(
        [
            [7, 2, 1],
            [3, 5, 2],
            [4, 2, 4],
            [2, 6, 2],
            [5, 3, 2],
            [1, 4, 5],
            [2, 2, 6],
            [6, 3, 1],
            [1, 5, 4],
        ]
    )
    / 10
)

_SAME = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class Balance(Display):
    """How a metric changes when negatives are multiplied at fixed TPR and TNR.

    ``before`` and ``after`` are its values at the reference classifier (TPR 0.7 and TNR 0.8; for
    scores a fixed ranking) with about as many negatives as positives, and with ten times more.
    ``kind`` is its behaviour over factors from 1/1,000 to 1,000 and several classifiers.
    """

    metric: str
    kind: Kind
    before: float
    after: float

    @property
    def change(self) -> float:
        """Return the change of the value with ten times more negatives, at the reference."""
        return self.after - self.before


@cache
def balance(metric: Metric) -> Balance:
    """Return how a metric changes with the class balance.

    >>> from tallymark.metric import get
    >>> found = balance(get("precision"))
    >>> found.kind, round(found.before, 3), round(found.after, 3)
    ('falls', 0.778, 0.259)
    >>> balance(get("youden_j")).kind
    'invariant'
    """
    if metric.family == "multi-label":  # each label has its own balance
        return Balance(metric.name, "either", math.nan, math.nan)
    kinds: set[Kind] = set()
    of_rows, decided = (
        metric._needs in n for n in (("rows", "class_scores"), ("counts", "matrix"))
    )
    for which in range(len(CLASSIFIERS) if decided else 2):
        kinds.add(_kind(_values(metric, which, FACTORS[::6] if of_rows else FACTORS)))
    kinds.discard("invariant") if len(kinds) > 1 else None
    result = kinds.pop() if len(kinds) == 1 else "turns" if "turns" in kinds else "either"
    before, after = map(float, _values(metric, 0, np.array([1.0, 10.0])))
    return Balance(metric.name, result, before, after)


def moves_with_prevalence(metric: Metric) -> bool:
    """Return whether the value changes when negatives are multiplied at fixed TPR and TNR.

    >>> from tallymark.metric import get
    >>> moves_with_prevalence(get("precision")), moves_with_prevalence(get("roc_auc"))
    (True, False)
    """
    return balance(metric).kind != "invariant"


def _kind(values: Floats) -> Kind:
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return "invariant"
    finite = np.abs(values[np.isfinite(values)])
    scale = float(finite.max()) if len(finite) else 0.0
    with np.errstate(invalid="ignore"):
        steps = np.diff(values)
    steps = np.where(np.isnan(steps), 0.0, steps)  # inf - inf: constant
    up, down = (steps > _SAME * scale).any(), (steps < -_SAME * scale).any()
    if up and down:
        return "turns"
    return "rises" if up else "falls" if down else "invariant"


def _values(metric: Metric, which: int, factors: Floats) -> Floats:
    """Return the values for one of the classifiers, with negatives multiplied by each factor."""
    if metric._needs in ("rows", "class_scores"):
        return _of_rows(metric, factors, (0, 2)[which])
    data: Any
    if metric._needs in ("counts", "matrix"):
        c, same = CLASSIFIERS[which], np.ones_like(factors)
        data = Counts(c.tp * same, c.fp * factors, c.fn * same, c.tn * factors)
        data = data if metric._needs == "counts" else data.matrix()
    else:
        pos, neg = _RANKED[which]
        data = ScoreCounts(_SCORES, np.tile(pos, (len(factors), 1)), neg * factors[:, None])
        data = (data,) if metric._needs == "probabilities" else data
    return np.broadcast_to(metric.compute(data), factors.shape)


def _of_rows(metric: Metric, factors: Floats, positive: int) -> Floats:
    result = []
    for factor in factors:
        weights = np.where(positive == _CLASSES, 1.0, factor)
        data: Any = (
            Sums._of_rows(_CLASSES, _ROWS, weights)
            if metric._needs == "rows"
            else class_tallies(_CLASSES, _ROWS, sample_weight=weights)
        )
        result.append(float(metric.compute(data)))
    return np.array(result)


def in_words(b: Balance) -> str:
    """Return a text on how a metric changes with the class balance, and by how much.

    >>> from tallymark.metric import get
    >>> in_words(balance(get("precision")))
    'falls as negatives become more frequent: 0.778 to 0.259 with ten times more'
    """
    if b.kind == "invariant" or math.isnan(b.change):
        return KINDS[b.kind]
    return f"{KINDS[b.kind]}: {b.before:.3g} to {b.after:.3g} with ten times more"
