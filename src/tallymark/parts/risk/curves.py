"""The curve of risk against coverage."""

from __future__ import annotations

import numpy as np

from tallymark import ScoreTally
from tallymark.core import CURVES, Axis, Points, curve, refuse_no_probability
from tallymark.parts.risk.measures import levels_of

COVERAGE = Axis("coverage", "coverage (share of cases answered)")
RISK = Axis(
    "selective risk",
    "risk (share of answers that are wrong)",
    limits=lambda low, high: (0.0, 1.1 * max(high, 1e-3)),
)


@curve(
    COVERAGE,
    RISK,
    title="Risk and coverage",
    words="Cases are answered from the most confident one down, and the others are referred. Each "
    "point is a least confidence: the share of wrong answers against the share of cases answered. "
    "Down is better.",
    bounded="",
    no_band="the rows that are answered differ by point; refer().risk_at(coverage) has an interval",
    needs="probabilities",
    marks_threshold=False,
)
def risk_coverage(tally: ScoreTally, scores: str = "probability") -> Points:
    """Return the share of wrong answers against the share of cases that are answered.

    The answer is the more probable of two classes, and its confidence max(p, 1 - p). ``threshold``
    is the least confidence of an answer. With ``scores="confidence"`` the scores are confidences
    themselves, and the rows of the positive class are the right answers. Of more than two classes
    each is judged against the rest: the answer is whether a row is of that class. For answers that
    are one of several classes use ``refer().curve()``.

    >>> c = CURVES["risk_coverage"](ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.6, 0.7]))
    >>> c.x.tolist(), c.y.round(3).tolist(), c.threshold.tolist()
    ([0.0, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25], [inf, 0.9, 0.7, 0.6])
    """
    if scores == "probability":
        refuse_no_probability(tally, "risk_coverage")
    levels = levels_of(tally._score_counts, scores)
    some = levels.rows > 0
    with np.errstate(invalid="ignore"):
        x, y = (levels.answered / levels.n)[some], levels.risk()[some]
    first = y[:1] if len(y) else [np.nan]
    return {
        "x": np.append(0.0, x),
        "y": np.append(first, y),
        "threshold": np.append(np.inf, levels.confidence[some]),
    }


__test__ = {"risk_coverage": CURVES["risk_coverage"].__doc__}
