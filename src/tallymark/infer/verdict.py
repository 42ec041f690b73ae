"""What may be said of two models by one metric: three questions, one interval, no more."""

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
    """What the data answer to one question about two models.

    ``question``: is the leading model better ("superiority"), no worse than the other by the margin
    ("non-inferiority"), or is each no worse than the other by it ("equivalence", two one-sided
    tests). ``p_value`` is two-sided of superiority, else one-sided, and corrected for the number
    of pairs that were asked the same: by Holm's method, of a margin by Shaffer's.
    ``p_at_most`` says that it is an upper bound, since draws show no less. ``shown`` where it is
    below ``alpha``: 1 - level, one-sided half of that, so that of one pair the answer is what the
    interval says (ICH E9; CONSORT).
    """

    question: Question
    p_value: float
    p_at_most: bool
    alpha: float
    shown: bool


@checked(question=one_of(*QUESTIONS))
@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Display):
    """What may be said of two models by one metric, and no more: a finding without its words.

    ``kind`` is its rule: the first is "better"; "no worse" than the second by more than the margin;
    "equivalent", nearer than the margin either way; "undecided"; "alike" where both decide every
    row alike; "same ranking" where both rank all rows the same, ties included, and the metric
    depends on the order alone; "crossing" where their ROC curves cross beyond chance and the metric
    judges the whole ranking, so that neither is better everywhere: ``crossing`` has who leads
    where; "undefined". A model that is "better" may be equivalent all the
    same: ``answers`` has every question that was asked. ``probabilities`` are those that the first
    leads by more than the margin, that both lie within it, and that the first trails by more: the
    margin is 0 where none is stated. They are the posterior of a flat prior, as the interval has
    it: 1 less the one-sided p-value. ``needed`` is how many rows would answer what is still open
    with a power of 80 %, of differences that the user stated alone: "superiority" if the true
    difference is ``least``, "non-inferiority" if there is none. Of models on different rows
    ``each`` is how many rows either side has, and ``needed`` is of either side.
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
    crossing: Crossing | None = None

    @trusted
    def _given(self, crossing: Crossing | None) -> Verdict:
        """Return the same verdict, or that neither is better everywhere where the curves cross."""
        whole = get(self.metric)._scoring.order == "whole" and self.kind != "undefined"
        if crossing is None or not crossing.shown or not whole:
            return self
        return replace(self, kind="crossing", crossing=crossing)

    def _answer(self, question: Question) -> Answer | None:
        """Return the answer to one question, None where it was not asked."""
        return next((a for a in self.answers if a.question == question), None)

    def shown(self, question: Question) -> bool:
        """Tell whether a question was asked and the data show it."""
        answer = self._answer(question)
        return answer is not None and answer.shown

    @property
    def p_value(self) -> float:
        """The p-value of superiority, corrected for the number of pairs."""
        answer = self._answer("superiority")
        return math.nan if answer is None else answer.p_value

    @property
    def lead(self) -> tuple[float, float, float]:
        """How far the first is ahead, and between which bounds.

        Above 0 where it is better, whichever way the metric counts.
        """
        return lead_of(self.difference, get(self.metric))[1:]

    @property
    def _severity(self) -> Literal["info", "warning"]:
        """Whether there is something that the reader should do."""
        return "warning" if self.kind in ("undecided", "crossing", "undefined") else "info"

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers that the sentence cites."""
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
        """What would answer an open question."""
        if self.kind == "crossing":
            return "Choose by the false positive rate that you will use."
        stated = self.margin is not None or self.least is not None
        return None if self._severity == "info" or stated else REMEDY

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            **fields_of(self, "difference", "rows", "each", "needed", "pairs", "crossing"),
            "severity": self._severity,
            "numbers": plain_data(self.numbers),
            "remedy": self._remedy,
            "text": str(self),
        }


def is_significant(p_value: float, level: float) -> bool:
    """Tell whether a two-sided p-value is small enough at a level; one that is NaN is not."""
    return p_value < alpha_of(level)


def alpha_of(level: float) -> float:
    """Return the greatest chance of a false claim at a level.

    >>> alpha_of(0.95)
    0.05
    """
    return round(1 - level, 12)


def shows_lead(d: Difference, metric: Metric, p_value: float, level: float) -> bool:
    """Tell whether the model that is ahead is shown to be better, by a corrected p-value.

    The interval must leave out 0, and the p-value be significant. Where there is no test (NaN) the
    interval alone decides.
    """
    low = lead_of(d, metric)[2]
    return low > 0 and (math.isnan(p_value) or is_significant(p_value, level))


def judge(
    found: Differences,
    *,
    rows: tuple[int, ...],
    margin: float | None = None,
    least: float | None = None,
    settled: Callable[[str, str], Kind | None] = lambda *pair: None,
    worth: Callable[[str, str], float] | None = None,
) -> list[Verdict]:
    """Return the verdict of every pair: each question is corrected for the pairs by itself.

    Superiority is the difference's own test, and asks the interval too. Non-inferiority and
    equivalence are one-sided tests of the margin at half of 1 - level (Schuirmann 1987), read off
    the interval: of one pair they are shown exactly where the interval keeps the margin. The chance
    of any false claim among the pairs stays below these levels: by Holm's method of superiority,
    and of the margin by Shaffer's, as a pair cannot be beyond it on both sides.

    Parameters
    ----------
    found : Differences
        Of models, the first's number less the second's.
    rows : tuple of int
        Those of each sample.
    margin, least : float, optional
        How much worse still counts as no worse; the smallest difference that matters.
    settled : callable, optional
        What is known of two models without a test, where their difference is 0.
    worth : callable, optional
        How many rows of each of two samples tell as much as there are.

    Sources: holm1979, shaffer1986, ich1999, piaggio2012, schuirmann1987.

    """
    verdicts = []
    for pair, d, answers in zip(found.pairs, found, _answers(found, margin), strict=True):
        first_ahead = lead_of(d, found.metric)[0]
        better, other = pair if first_ahead else pair[::-1]
        here = float(rows[0]) if worth is None else worth(*pair)
        verdicts.append(
            Verdict(
                _kind(d, answers, settled(*pair) if d.value == 0 else None),
                found.metric.name,
                better,
                other,
                d,
                answers,
                probabilities(d, found.metric, margin or 0.0),
                margin,
                least,
                _needed(d, answers, here, found.level, margin, least),
                sum(rows),
                (rows[0], rows[1]) if len(rows) == 2 else None,
                len(found),
            )
        )
    return verdicts


def _answers(found: Differences, margin: float | None) -> list[tuple[Answer, ...]]:
    """Return the answers of every pair: superiority, and with a margin all three questions."""
    corrected, alpha = found.corrected(), alpha_of(found.level)
    answers: list[tuple[Answer, ...]] = [
        (
            Answer(
                "superiority",
                float(p),
                bool(d.p_at_most and p < 1),
                alpha,
                shows_lead(d, found.metric, float(p), found.level),
            ),
        )
        for d, p in zip(found, corrected, strict=True)
    ]
    if margin is None:
        return answers
    both = np.array([_beyond(d, found.metric, margin) for d in found]).reshape(-1, 2)
    kept = holm_of_pairs(both)
    asked = zip(QUESTIONS[1:], (both[:, 0], both.max(1)), (kept[:, 0], kept.max(1)), strict=True)
    for question, alone, p_values in asked:
        for i, (d, p) in enumerate(zip(found, p_values.tolist(), strict=True)):
            at_most = d.draws > 0 and alone[i] <= d._least_p / 2 and p < 1
            answers[i] += (Answer(question, p, bool(at_most), alpha / 2, p < alpha / 2),)
    return answers


def lead_of(d: Difference, metric: Metric) -> tuple[bool, float, float, float]:
    """Return whether the first model is ahead, and by how much whichever is, with the interval."""
    sign = -1.0 if metric.better == "low" else 1.0
    first_ahead = not sign * d.value < 0
    sign = sign if first_ahead else -sign
    low, high = sorted((sign * d.low, sign * d.high))
    return first_ahead, sign * d.value, low, high


def _beyond(d: Difference, metric: Metric, margin: float) -> tuple[float, float]:
    """Return the one-sided p-values of a lead above minus the margin, and of one below it."""
    sign = math.copysign(1.0, d.value) if d.value else -1.0 if metric.better == "low" else 1.0
    sides = ("greater", "less") if sign > 0 else ("less", "greater")
    return d._p_claim(sides[0], -sign * margin), d._p_claim(sides[1], sign * margin)


def _kind(d: Difference, answers: Sequence[Answer], settled: Kind | None) -> Kind:
    """Return the strongest of what the answers say."""
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
    shown = {a.question for a in answers if a.shown}
    return next((kind for q, kind in kinds.items() if q in shown), "undecided")


def probabilities(
    d: Difference, metric: Metric, margin: float
) -> tuple[float, float, float] | None:
    """Return the probabilities of a lead beyond the margin, within it, and of a trail beyond it."""
    if d.level is None:
        return None
    # The test of no difference may be another than the interval's, which alone is a posterior.
    keeps, exceeds = _beyond(replace(d, test=None), metric, margin)
    # A p-value is the posterior of the other side: exceeds is that of a lead above the margin.
    return exceeds, max(1 - exceeds - keeps, 0.0), keeps


def _needed(
    d: Difference,
    answers: Sequence[Answer],
    rows: float,
    level: float,
    margin: float | None,
    least: float | None,
) -> dict[Question, int]:
    """Return the rows that would answer what is open, of differences that the user stated."""
    still_open = {a.question for a in answers if not a.shown}
    stated: tuple[tuple[Question, float | None, bool], ...] = (
        ("superiority", least, True),
        ("non-inferiority", margin, False),
    )
    found = {
        question: rows_for_effect(effect, d.error, rows, 1 - level, two_sided)
        for question, effect, two_sided in stated
        if question in still_open and effect is not None and d.error > 0
    }
    return {question: n for question, n in found.items() if n is not None}
