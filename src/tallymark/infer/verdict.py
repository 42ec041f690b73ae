"""Judge two models by one metric: superiority, non-inferiority and equivalence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from tallymark.contract import checked, one_of, trusted
from tallymark.display import Display, fields_of, plain_data
from tallymark.infer.contrasts import SAME_RANKING
from tallymark.infer.crossing import Crossing
from tallymark.infer.difference import Difference, Differences
from tallymark.infer.multiplicity import holm_of_pairs
from tallymark.infer.power import rows_for_effect
from tallymark.metric import Metric, get

Kind = Literal[
    "better",
    "no worse",
    "equivalent",
    "undecided",
    "crossing",
    "alike",
    "same ranking",
    "undefined",
]
Question = Literal["superiority", "non-inferiority", "equivalence"]

QUESTIONS: tuple[Question, ...] = ("superiority", "non-inferiority", "equivalence")
REMEDY = "State a margin or the smallest difference that matters to get a sample size."


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Display):
    """The result of one test between two models.

    ``question``: whether the leading model is better ("superiority"), no worse than the other by
    more than the margin ("non-inferiority"), or each is no worse than the other ("equivalence", two
    one-sided tests).
    ``p_value`` is two-sided for superiority, else one-sided, adjusted for the number of pairs: by
    Holm's method for superiority, by Shaffer's with a margin. ``p_at_most`` marks an upper bound,
    where draws cannot show a smaller one. ``shown`` means below ``alpha``: 1 - level, or half of
    it if one-sided, so that for a single pair the answer agrees with the interval (ICH E9;
    CONSORT).
    """

    question: Question
    p_value: float
    p_at_most: bool
    alpha: float
    shown: bool


@checked(question=one_of(*QUESTIONS))
@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Display):
    """The conclusion about two models by one metric, as a finding without its text.

    ``kind``: the first is "better"; "no worse" than the second by more than the margin;
    "equivalent", closer than the margin on both sides; "undecided"; "alike" if both decide every
    row alike; "same ranking" if both rank all rows the same, ties included, and the metric depends
    on ranks only; "crossing" if their ROC curves cross significantly and the metric summarises the
    whole ranking, so that neither is better everywhere (``crossing`` has who leads where);
    "undefined". A model that is "better" may also be equivalent: ``answers`` has the result of
    every test. ``probabilities`` are those that the first leads by more than the margin, that both
    are within it, and that the first trails by more; the margin is 0 by default. They are the
    posterior under a flat prior that matches the interval: 1 minus the one-sided p-value.
    ``needed`` is the number of rows that would settle an open question with 80 % power, for
    differences that the user gave: "superiority" if the true difference is ``least``,
    "non-inferiority" if it is 0. For models on different rows, ``each`` is the number of rows per
    sample, and ``needed`` is per sample. With clusters, it assumes more clusters of this size.
    """

    kind: Kind
    metric: str
    better: str
    other: str
    difference: Difference
    answers: tuple[Answer, ...] = ()
    probabilities: tuple[float, float, float] | None = None
    margin: float | None = None
    least: float | None = None
    needed: Mapping[Question, int] = field(default_factory=dict)
    rows: int = 0
    _each: tuple[int, int] | None = None
    _pairs: int = 1
    _clusters: int | None = None
    _repeats: tuple[str, int] | None = None
    crossing: Crossing | None = None
    _is_reversed: bool = False

    @trusted
    def _reversed(self) -> Verdict:
        """Return the same verdict with a difference of exchanged models."""
        return replace(
            self,
            difference=self.difference._reversed(),
            crossing=None if self.crossing is None else self.crossing._reversed(),
            _is_reversed=not self._is_reversed,
        )

    @property
    def _judged(self) -> Difference:
        """The difference in the order of the models in which it was judged."""
        return self.difference._reversed() if self._is_reversed else self.difference

    @trusted
    def _with_crossing(self, crossing: Crossing | None) -> Verdict:
        """Return the verdict, or "crossing" if curves cross and the metric is of the ranking."""
        whole = get(self.metric)._scoring.order == "whole" and self.kind != "undefined"
        if crossing is None or not crossing.shown or not whole:
            return self
        return replace(self, kind="crossing", crossing=crossing)

    def _answer(self, question: Question) -> Answer | None:
        """Return the result for one question, None if it was not tested."""
        return next((a for a in self.answers if a.question == question), None)

    def shown(self, question: Question) -> bool:
        """Return whether a question was tested and is significant."""
        answer = self._answer(question)
        return answer is not None and answer.shown

    @property
    def p_value(self) -> float:
        """The p-value of superiority, adjusted for the number of pairs."""
        answer = self._answer("superiority")
        return math.nan if answer is None else answer.p_value

    @property
    def lead(self) -> tuple[float, float, float]:
        """The lead of the first model, with its bounds.

        Positive if the first model is better, whether higher or lower values are better.
        """
        return lead_of(self._judged, get(self.metric))[1:]

    @property
    def _severity(self) -> Literal["info", "warning"]:
        """Whether the user should act."""
        return "warning" if self.kind in ("undecided", "crossing", "undefined") else "info"

    @property
    def _caveat(self) -> str:
        """That an unused id repeats, so that rows may depend on each other; empty if none does."""
        if self._repeats is None:
            return ""
        column, most = self._repeats
        return (
            f"this holds if rows are independent, but `{column}` repeats (up to {most:,} rows): "
            f"use cluster={column!r}"
        )

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers in the sentence."""
        value, low, high = self.lead
        return {
            "lead": value,
            "low": low,
            "high": high,
            "rows": self.rows,
            "needed": dict(self.needed),
        }

    @property
    def _remedy(self) -> str | None:
        """What would settle an open question."""
        if self.kind == "crossing":
            return "Choose by the false positive rate that you will use."
        stated = self.margin is not None or self.least is not None
        settled = stated or math.isinf(self.difference.value)
        return None if self._severity == "info" or settled else REMEDY

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            **fields_of(self, "difference", "rows", "each", "needed", "pairs", "crossing"),
            "severity": self._severity,
            "numbers": plain_data(self.numbers),
            "remedy": self._remedy,
            "text": str(self),
        }


def is_significant(p_value: float, level: float) -> bool:
    """Return whether a two-sided p-value is significant at a level; NaN is not."""
    return p_value < alpha_of(level)


def alpha_of(level: float) -> float:
    """Return the significance level alpha that belongs to a confidence level.

    >>> alpha_of(0.95)
    0.05
    """
    return round(1 - level, 12)


def shows_lead(d: Difference, metric: Metric, p_value: float, level: float) -> bool:
    """Return whether the leading model is significantly better, by an adjusted p-value.

    The interval must also exclude 0. Without a test (NaN), only the interval decides.
    """
    low = lead_of(d, metric)[2]
    return low > 0 and (math.isnan(p_value) or is_significant(p_value, level))


def judge(
    differences: Differences,
    *,
    rows: tuple[int, ...],
    margin: float | None = None,
    least: float | None = None,
    settled: Callable[[str, str], Kind | None] = lambda *pair: None,
    worth: Callable[[str, str], float] | None = None,
    clusters: int | None = None,
    repeats: tuple[str, int] | None = None,
) -> list[Verdict]:
    """Return the verdict of every pair; each question is adjusted for the number of pairs.

    Superiority requires both the test of the difference and the interval. Non-inferiority and
    equivalence are one-sided tests of the margin at half of 1 - level (Schuirmann 1987) that invert
    the interval: for a single pair they hold exactly if the interval stays within the margin. The
    familywise error rate stays below these levels: by Holm's method for superiority, and by
    Shaffer's for the margin, because a pair cannot be beyond it on both sides.

    Parameters
    ----------
    differences : Differences
        Differences between models, the first's value minus the second's.
    rows : tuple of int
        The rows of each sample.
    margin, least : float, optional
        The largest deficit that counts as no worse; the smallest difference that matters.
    settled : callable, optional
        Returns the kind known for two models without a test, where their difference is 0.
    worth : callable, optional
        Returns the rows per sample that are equivalent to the two samples.
    clusters : int, optional
        The number of clusters that hold the rows.
    repeats : (str, int), optional
        A column whose values repeat though rows are taken as independent, and the most rows of one.

    Sources: holm1979, shaffer1986, ich1999, piaggio2012, schuirmann1987.

    """
    verdicts = []
    for pair, d, answers in zip(
        differences.pairs, differences, _answers(differences, margin), strict=True
    ):
        first_ahead = lead_of(d, differences.metric)[0]
        better, other = pair if first_ahead else pair[::-1]
        here = float(rows[0]) if worth is None else worth(*pair)
        verdicts.append(
            Verdict(
                _kind(d, answers, settled(*pair) if d.value == 0 else None),
                differences.metric.name,
                better,
                other,
                d,
                answers,
                probabilities(d, differences.metric, margin or 0.0),
                margin,
                least,
                _needed(d, answers, here, differences.level, margin, least),
                sum(rows),
                (rows[0], rows[1]) if len(rows) == 2 else None,
                len(differences),
                clusters,
                repeats,
            )
        )
    return verdicts


def _answers(differences: Differences, margin: float | None) -> list[tuple[Answer, ...]]:
    """Return the answers of every pair: superiority, and with a margin all three questions."""
    corrected, alpha = differences.corrected(), alpha_of(differences.level)
    answers: list[tuple[Answer, ...]] = [
        (
            Answer(
                "superiority",
                float(p),
                bool(d.p_at_most and p < 1),
                alpha,
                shows_lead(d, differences.metric, float(p), differences.level),
            ),
        )
        for d, p in zip(differences, corrected, strict=True)
    ]
    if margin is None:
        return answers
    both = np.array([_beyond(d, differences.metric, margin) for d in differences]).reshape(-1, 2)
    adjusted = holm_of_pairs(both)
    of_margin = zip(
        QUESTIONS[1:], (both[:, 0], both.max(1)), (adjusted[:, 0], adjusted.max(1)), strict=True
    )
    for question, alone, p_values in of_margin:
        for i, (d, p) in enumerate(zip(differences, p_values.tolist(), strict=True)):
            at_most = d.draws > 0 and alone[i] <= d._least_p / 2 and p < 1
            answers[i] += (Answer(question, p, bool(at_most), alpha / 2, p < alpha / 2),)
    return answers


def lead_of(d: Difference, metric: Metric) -> tuple[bool, float, float, float]:
    """Return whether the first model leads, and the lead of the better model with its bounds."""
    sign = -1.0 if metric.better == "low" else 1.0
    first_ahead = not sign * d.value < 0
    sign = sign if first_ahead else -sign
    low, high = sorted((sign * d.low + 0.0, sign * d.high + 0.0))  # not -0
    return first_ahead, sign * d.value, low, high


def _beyond(d: Difference, metric: Metric, margin: float) -> tuple[float, float]:
    """Return the one-sided p-values of a lead above minus the margin, and below plus the margin."""
    sign = math.copysign(1.0, d.value) if d.value else -1.0 if metric.better == "low" else 1.0
    sides = ("greater", "less") if sign > 0 else ("less", "greater")
    return d._p_claim(sides[0], -sign * margin), d._p_claim(sides[1], sign * margin)


def _kind(d: Difference, answers: Sequence[Answer], settled: Kind | None) -> Kind:
    """Return the strongest conclusion from the answers."""
    if d.reason:
        return "undefined"
    if settled:
        return settled
    if d.test == SAME_RANKING:
        return "same ranking"
    kinds: dict[Question, Kind] = {
        "superiority": "better",
        "equivalence": "equivalent",
        "non-inferiority": "no worse",
    }
    confirmed = {a.question for a in answers if a.shown}
    return next((kind for q, kind in kinds.items() if q in confirmed), "undecided")


def probabilities(
    d: Difference, metric: Metric, margin: float
) -> tuple[float, float, float] | None:
    """Return the probabilities of a lead beyond the margin, within it, and a deficit beyond it."""
    if d.level is None:
        return None
    keeps, exceeds = _beyond(d, metric, margin)
    # A p-value is the posterior of the opposite side: ``exceeds`` is that of a larger lead.
    return exceeds, max(1 - exceeds - keeps, 0.0), keeps


def _needed(
    d: Difference,
    answers: Sequence[Answer],
    rows: float,
    level: float,
    margin: float | None,
    least: float | None,
) -> dict[Question, int]:
    """Return the rows that would settle open questions, for differences that the user gave."""
    still_open = {a.question for a in answers if not a.shown}
    stated: tuple[tuple[Question, float | None, bool], ...] = (
        ("superiority", least, True),
        ("non-inferiority", margin, False),
    )
    needed = {
        question: rows_for_effect(effect, d.error, rows, 1 - level, two_sided)
        for question, effect, two_sided in stated
        if question in still_open and effect is not None and d.error > 0
    }
    return {question: n for question, n in needed.items() if n is not None}
