"""Areas under the curves of risk against coverage, as metrics.

A classifier that may refer cases answers those of highest confidence first. At coverage k/n it
answers k of n rows, and its selective risk is the share of wrong answers among them. Rows of equal
confidence come in any order: every area is exactly the mean over all orders of such rows.

Arrays (..., G) are of the levels of confidence from the highest down: E wrong answers among the N
rows of higher levels, and w wrong ones among the m rows of a level.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from tallymark.core import (
    NO_ROWS,
    AnswerSums,
    Floats,
    OrderedMean,
    ScoreCounts,
    answer_sums,
    check_word,
    metric,
)
from tallymark.parts.risk.folding import folded

MEASURES = ("aurc", "augrc", "e_aurc")
"""The names of the areas."""

_DIRECT = 64.0
"""Harmonic numbers are differences of digamma functions below this, and of their series above."""

_OF_TWO = (
    "ev.refer() has it of the answers that are one of several classes, and needs the scores of all "
    "classes side by side"
)


@dataclass(frozen=True)
class Areas:
    """The areas under the curves of some answers."""

    sums: AnswerSums

    @property
    def aurc(self) -> Any:
        """The mean over k of the risk among the k rows of highest confidence.

        A level adds w + (E - N w/m) (H(N + m) - H(N)), with the harmonic numbers H.
        """
        return np.true_divide(self.sums.risks, self.sums.rows)

    @property
    def augrc(self) -> Any:
        """The mean, over k, of the wrong answers among the k most confident rows, divided by n.

        Along a level the wrong answers rise evenly: AUGRC = Σ m (E + w/2) / n².
        """
        return np.true_divide(self.sums.errors, self.sums.rows**2)

    @property
    def e_aurc(self) -> Any:
        """AURC less that of the best order of very many rows with this error rate."""
        excess = self.aurc - best_area(np.true_divide(self.sums.wrong, self.sums.rows))
        # Rounding must not make the area of the best order negative.
        return np.maximum(excess, 0.0)


@dataclass(frozen=True)
class Levels:
    """Right and wrong answers (..., G) at each level of confidence, from the highest down."""

    confidence: Floats
    right: Floats
    wrong: Floats

    @cached_property
    def rows(self) -> Floats:
        """The rows of each level, m."""
        return self.right + self.wrong

    @cached_property
    def answered(self) -> Floats:
        """The rows of each level and of all higher ones."""
        return np.cumsum(self.rows, -1)

    @cached_property
    def errors(self) -> Floats:
        """The wrong answers among them."""
        return np.cumsum(self.wrong, -1)

    @property
    def n(self) -> Any:
        """All rows."""
        return self.rows.sum(-1)

    @property
    def errors_of_all(self) -> Any:
        """All wrong answers."""
        return self.wrong.sum(-1)

    @property
    def areas(self) -> Areas:
        """The areas under the curves of these answers."""
        rising = ScoreCounts(*(v[..., ::-1] for v in (self.confidence, self.right, self.wrong)))
        return Areas(answer_sums(rising, probabilities=False))

    def risk(self) -> Floats:
        """Return the risk of answering all rows down to each level."""
        return self.errors / self.answered

    def aurc_without(self, wrong: int) -> Floats:
        """Return AURC without one answer of each level, a wrong one (1) or a right one (0).

        Every lower level then has one row less above it, at whichever level the answer was: the sum
        over the levels below is the same for all, and one pass gives the value for every level.
        """
        above, wrong_above = self.answered - self.rows, self.errors - self.wrong
        share = np.divide(self.wrong, self.rows, out=np.zeros_like(self.rows), where=self.rows > 0)
        kept = self.wrong + (wrong_above - above * share) * harmonic_difference(above, self.rows)
        earlier = np.maximum(above - 1, 0.0)
        steps = harmonic_difference(earlier, self.rows)
        moved = self.wrong + (wrong_above - wrong - earlier * share) * steps
        rows, off = self.rows - 1, self.wrong - wrong
        of_rest = np.divide(off, rows, out=np.zeros_like(rows), where=rows > 0)
        steps = harmonic_difference(above, np.maximum(rows, 0.0))
        own = off + (wrong_above - above * of_rest) * steps
        return np.asarray((_before(kept) + own + _after(moved)) / (self.n - 1))

    def augrc_without(self, wrong: int) -> Floats:
        """Return AUGRC recomputed without one answer, for each level; see :meth:`aurc_without`."""
        before = self.errors - self.wrong
        kept = self.rows * (before + self.wrong / 2)
        own = (self.rows - 1) * (before + (self.wrong - wrong) / 2)
        moved = kept - wrong * self.rows
        return np.asarray((_before(kept) + own + _after(moved)) / (self.n - 1) ** 2)

    def e_aurc_without(self, wrong: int) -> Floats:
        """Return E-AURC recomputed without one answer, for each level; see :meth:`aurc_without`."""
        risk = (self.errors_of_all - wrong) / (self.n - 1)
        excess = self.aurc_without(wrong) - best_area(np.maximum(risk, 0.0))
        return np.asarray(np.maximum(excess, 0.0))


def _before(terms: Floats) -> Floats:
    """Return the sums of the terms before each."""
    return np.append(0.0, np.cumsum(terms)[:-1])


def _after(terms: Floats) -> Floats:
    """Return the sums of the terms behind each."""
    return np.append(np.cumsum(terms[::-1])[-2::-1], 0.0)


def best_area(risk: Any) -> Any:
    """Return the AURC of the best order of very many rows: r + (1 - r) ln(1 - r).

    >>> best_area(np.array([0.5, 0.0, 1.0])).round(6).tolist()
    [0.153426, 0.0, 1.0]
    """
    right = 1 - np.asarray(risk, dtype=np.float64)
    logs = np.log1p(-np.minimum(risk, 1 - 2.0**-53))
    return risk + np.where(right > 0, right * logs, 0.0)


def harmonic_difference(above: Floats, rows: Floats) -> Floats:
    """Return H(N + m) - H(N) of the harmonic numbers: the sum of 1/k from N + 1 to N + m.

    Above 64 rows it is a series in N + 1/2 without cancellation, whose error is below 1e-15.

    >>> harmonic_difference(np.array([0.0, 2.0]), np.array([2.0, 0.0])).round(12).tolist()
    [1.5, 0.0]
    """
    from scipy.special import digamma

    def tail(x: Any) -> Any:
        square = 1 / (x * x)
        return square * (1 / 24 - square * (7 / 960 - square * 31 / 8064))

    start, end = above + 0.5, above + rows + 0.5
    out = np.asarray(np.log1p(rows / start) + tail(end) - tail(start))
    few = above < _DIRECT
    out[few] = digamma((above + rows)[few] + 1) - digamma(above[few] + 1)
    return out


def areas_of(r: ScoreCounts, scores: str = "probability") -> Areas:
    """Return the areas of the answers, from probabilities of one class or from confidences.

    >>> r = ScoreCounts(np.array([0.2, 0.9]), np.array([1.0, 3.0]), np.array([4.0, 0.0]))
    >>> bool(areas_of(r).aurc == levels_of(r).areas.aurc)
    True
    """
    check_word("scores", scores, ("probability", "confidence"))
    return Areas(answer_sums(r, probabilities=scores == "probability"))


def levels_of(r: ScoreCounts, scores: str = "probability") -> Levels:
    """Return the answers by confidence, from probabilities of one class or from confidences.

    >>> r = ScoreCounts(np.array([0.2, 0.9]), np.array([1.0, 3.0]), np.array([4.0, 0.0]))
    >>> levels_of(r).confidence.tolist(), levels_of(r).wrong.tolist()
    ([0.9, 0.8], [0.0, 1.0])
    """
    check_word("scores", scores, ("probability", "confidence"))
    columns = r.scores, r.pos, r.neg
    if scores == "probability":
        columns = folded(*columns)
    return Levels(*(np.asarray(v, np.float64)[..., ::-1] for v in columns))


# -- without one row ------------------------------------------------------------------------------


def _without_one(
    r: ScoreCounts, scores: str, of: Callable[[Levels, int], Floats]
) -> tuple[Floats, Floats]:
    """Return an area without one positive row of each score, and without one negative row."""
    levels, confidence = levels_of(r, scores), r.scores
    right_is_positive = np.ones(len(confidence), dtype=bool)
    if scores == "probability":
        right_is_positive = confidence >= 0.5
        confidence = np.where(right_is_positive, confidence, 1 - confidence)
    place = np.searchsorted(levels.confidence[::-1], confidence, side="right") - 1
    with np.errstate(all="ignore"):  # nothing is left of a single row
        right, wrong = (of(levels, k)[::-1][place] for k in (0, 1))
    return (
        np.where(right_is_positive, right, wrong),
        np.where(right_is_positive, wrong, right),
    )


def _aurc_without(r: ScoreCounts, scores: str) -> tuple[Floats, Floats]:
    return _without_one(r, scores, Levels.aurc_without)


def _augrc_without(r: ScoreCounts, scores: str) -> tuple[Floats, Floats]:
    return _without_one(r, scores, Levels.augrc_without)


def _e_aurc_without(r: ScoreCounts, scores: str) -> tuple[Floats, Floats]:
    return _without_one(r, scores, Levels.e_aurc_without)


# -- what an unseen row may change -------------------------------------------------------------


def _in_aurc(n: float) -> tuple[float, float]:
    """Return the mean and the mean square of what one of n rows adds to AURC.

    The row is at any place j, where a wrong answer adds (H(n) - H(j - 1)) / n, and wrong with
    probability 1/2. The mean of these weights is 1/n, and that of their squares (2 - H(n)/n) / n².
    """
    total = float(harmonic_difference(np.zeros(1), np.full(1, n))[0])
    return 0.5 / n, (1 - total / (2 * n)) / n**2


def _in_augrc(n: float) -> tuple[float, float]:
    """Return the same of AUGRC: at place j of n a wrong answer adds (n - j + ½) / n².

    The mean of these weights is 1/(2n), and that of their squares (1/3 - 1/(12n²)) / n².
    """
    return 0.25 / n, (1 / 6 - 1 / (24 * n**2)) / n**2


def _wrong(r: ScoreCounts, scores: str) -> Any:
    return areas_of(r, scores).sums.wrong


FEW_WRONG = 30
"""With fewer wrong answers, AURC depends on whether one of the most confident answers is wrong:
with heavy tails and 2 % positives, intervals of 500 rows contain it in 82 % of samples."""

of_answers = partial(
    metric,
    needs="probability",
    classes="two",
    of_answers=True,
    of_several=_OF_TWO,
    undefined=NO_ROWS,
    better="low",
)
"""Declare an area of the answers of a classifier."""


@of_answers(
    title="Area under the risk-coverage curve",
    formula="mean over k of the share of wrong answers among the first k rows by confidence",
    chance="the error rate",
    aliases=("risk coverage area",),
    relatives=("augrc", "e_aurc", "error_rate"),
    sources=("geifman2017",),
    ordered_mean=OrderedMean(
        _wrong, "wrong answer", _in_aurc, few=FEW_WRONG, without_one=_aurc_without
    ),
)
def aurc(r: ScoreCounts, *, scores: Literal["probability", "confidence"] = "probability") -> Any:
    """Mean, over all shares of cases that are answered, of the share of wrong answers (AURC).

    The answer is the more probable of two classes, and its confidence max(p, 1 - p); the most
    confident cases are answered first. Rows of equal confidence come in any order, and weights
    count as rows. Of more than two classes the answer is the most probable one, its probability the
    confidence. With ``scores="confidence"`` the scores are confidences themselves, and the rows
    of the positive class are the right answers.

    Misleading: The few most confident answers have most weight; augrc weighs all cases alike.

    >>> import tallymark as tm
    >>> tm.metrics.aurc([1, 1, 0, 1], [0.9, 0.8, 0.3, 0.4])  # the least confident one is wrong
    0.0625
    """
    return areas_of(r, scores).aurc


@of_answers(
    title="Area under the generalized risk-coverage curve",
    formula="mean over k of the wrong answers among the first k rows by confidence, over all rows",
    chance="half the error rate",
    range=(0, 0.5),
    aliases=("generalized risk coverage area",),
    relatives=("aurc", "e_aurc", "error_rate"),
    sources=("traub2024",),
    ordered_mean=OrderedMean(_wrong, "wrong answer", _in_augrc, without_one=_augrc_without),
)
def augrc(r: ScoreCounts, *, scores: Literal["probability", "confidence"] = "probability") -> Any:
    """Mean, over all shares of cases that are answered, of the wrong answers per case (AUGRC).

    With an error rate r it is r (1 - r) (1 - AUC) + r²/2, where AUC is the ROC area of the
    confidence, right answers against wrong ones. ``scores`` is that of ``aurc``.

    Misleading: It depends on the error rate: a better classifier with a worse order may have less.

    >>> import tallymark as tm
    >>> tm.metrics.augrc([1, 1, 0, 1], [0.9, 0.8, 0.3, 0.4])
    0.03125
    """
    return areas_of(r, scores).augrc


@of_answers(
    title="Excess area under the risk-coverage curve",
    formula="AURC - (r + (1 - r) ln(1 - r)), with the error rate r",
    range=(0, math.log(2)),
    aliases=("excess AURC",),
    relatives=("aurc", "augrc", "error_rate"),
    sources=("geifman2019",),
    ordered_mean=OrderedMean(
        _wrong, "wrong answer", _in_aurc, excess=True, few=FEW_WRONG, without_one=_e_aurc_without
    ),
)
def e_aurc(r: ScoreCounts, *, scores: Literal["probability", "confidence"] = "probability") -> Any:
    """Distance of AURC from that of the best order of the same answers; 0 is best (E-AURC).

    The best order is that of very many rows, all wrong answers last. ``scores`` is that of
    ``aurc``.

    Misleading: It judges the order alone, so that a classifier with many errors may be near 0.

    >>> import tallymark as tm
    >>> round(tm.metrics.e_aurc([1, 1, 0, 1], [0.9, 0.8, 0.3, 0.4]), 4)
    0.0283
    """
    return areas_of(r, scores).e_aurc
