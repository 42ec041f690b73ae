"""Failures of a classifier: how each changes the rows that samples are drawn from.

A failure changes the cells, the scores or the threshold, never the metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import Floats, contract


@dataclass(frozen=True, eq=False)
class Population:
    """Rows that samples are drawn from: the weights of both classes at each score.

    ``scores`` (G,) ascending; ``pos`` and ``neg`` (G,); scores at or above ``threshold`` are called
    positive. For decisions without scores, the scores are 0 and 1.
    """

    scores: Floats
    pos: Floats
    neg: Floats
    threshold: float

    @property
    def cut(self) -> int:
        """The first score that is called positive."""
        return int(np.searchsorted(self.scores, self.threshold))

    def grouped(self, starts: NDArray[np.intp]) -> Population:
        """Return the population with neighbouring scores merged from each start to the next."""
        if len(starts) == len(self.scores):
            return self
        pos, neg = (np.add.reduceat(v, starts) for v in (self.pos, self.neg))
        ends = np.append(starts[1:], len(self.scores))
        total = np.repeat(pos + neg, ends - starts)
        shares = np.divide(self.pos + self.neg, total, out=np.zeros_like(total), where=total > 0)
        means = np.add.reduceat(shares * self.scores, starts)
        means = np.clip(means, self.scores[starts], self.scores[ends - 1])
        return Population(means, pos, neg, self.threshold)


Change = Callable[[Population, float], Population | str]


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure with its name, its strength and its description.

    ``change`` returns the population after the failure, or why it does not apply. ``needs`` is
    "decisions", "scores" or "probabilities".
    """

    name: str
    change: Change
    default: float
    limits: contract.Kind
    words: str
    needs: str = "decisions"

    def told(self, strength: float) -> str:
        """Return a description of the failure at a given strength."""
        size = f"{100 * strength:g} %" if self.limits is _SHARE else f"{strength:g}"
        return self.words.format(size)


_SHARE = contract.number("(0, 1]", "a share above 0, such as 0.1")
_TIMES = contract.number("(0, 1e6]", "how many times as many, such as 10")
_SHRINK = contract.number("(0, 1)", "a factor between 0 and 1, such as 0.5")
_STRETCH = contract.number("(1, 1e3]", "a factor above 1, such as 2")

FAILURES: dict[str, Failure] = {}
"""Every failure by its name."""


def failure(
    words: str, default: float, limits: contract.Kind, needs: str = "decisions"
) -> Callable[[Change], Change]:
    """Register a function as a failure under its name."""

    def register(change: Change) -> Change:
        name = change.__name__
        FAILURES[name] = Failure(name, change, default, limits, words, needs)
        return change

    return register


@failure("negatives {} times as frequent", 10.0, _TIMES)
def skew(p: Population, factor: float) -> Population:
    """Return ``factor`` times the negatives: neg' = factor · neg, with the same TPR and TNR."""
    return replace(p, neg=p.neg * factor)


@failure("{} of the true labels flipped", 0.1, _SHARE)
def label_noise(p: Population, share: float) -> Population:
    """Return pos' = (1 − share) · pos + share · neg, and neg' likewise."""
    return _mixed(p, share, p.neg, p.pos)


@failure("{} of the positives with scores of negatives", 0.1, _SHARE)
def drift(p: Population, share: float) -> Population:
    """Return pos' = (1 − share) · pos + share · P · neg / N."""
    return _mixed(p, share, p.neg / p.neg.sum() * p.pos.sum(), p.neg)


@failure("{} of the negatives with scores of positives", 0.1, _SHARE)
def lookalikes(p: Population, share: float) -> Population:
    """Return neg' = (1 − share) · neg + share · N · pos / P."""
    return _mixed(p, share, p.pos, p.pos / p.pos.sum() * p.neg.sum())


@failure("{} of the rows with scores of any row", 0.1, _SHARE)
def random_scores(p: Population, share: float) -> Population:
    """Return pos' = (1 − share) · pos + share · P · m, neg' likewise, m the shares of all rows."""
    of_all = (p.pos + p.neg) / (p.pos.sum() + p.neg.sum())
    return _mixed(p, share, of_all * p.pos.sum(), of_all * p.neg.sum())


@failure("a threshold that calls {} fewer rows positive", 0.1, _SHARE, "scores")
def threshold_shift(p: Population, share: float) -> Population | str:
    """Return the highest threshold that calls at least (1 − share) as many rows positive."""
    predicted_positive = (p.pos + p.neg)[::-1].cumsum()[::-1]
    if p.cut == len(predicted_positive):
        return "finds no row that is called positive"
    least = (1 - share) * predicted_positive[p.cut] * (1 - 1e-12)
    place = int(np.flatnonzero(predicted_positive >= least)[-1])
    if place == p.cut:
        return (
            "has no next threshold: the rows at the lowest score called positive are more than "
            f"{100 * share:g} % of those called positive; give a larger share"
        )
    return replace(p, threshold=float(p.scores[place]))


@failure("distances of probabilities from 0.5 multiplied by {}", 0.5, _SHRINK, "probabilities")
def squashed_scores(p: Population, factor: float) -> Population:
    """Return p' = 0.5 + factor · (p − 0.5): the order stays, and so do decisions at 0.5."""
    return replace(p, scores=0.5 + factor * (p.scores - 0.5))


@failure("log odds of probabilities multiplied by {}", 2.0, _STRETCH, "probabilities")
def overconfident(p: Population, factor: float) -> Population:
    """Return logit p' = factor · logit p: the order stays, and so do decisions at 0.5."""
    with np.errstate(divide="ignore", over="ignore"):
        odds = ((1 - p.scores) / p.scores) ** factor
    return replace(p, scores=1 / (1 + odds))


def _mixed(p: Population, share: float, pos: Floats, neg: Floats) -> Population:
    """Return a mixture: a share of each class gets the distribution ``pos`` or ``neg``."""
    return replace(p, pos=(1 - share) * p.pos + share * pos, neg=(1 - share) * p.neg + share * neg)


def strengths_of(failures: Any) -> dict[str, float]:
    """Return failures with their strengths: all of them, those named, or those of a mapping."""
    if failures is None:
        return {name: f.default for name, f in FAILURES.items()}
    by_name: Mapping[Any, Any] = (
        failures if isinstance(failures, Mapping) else dict.fromkeys(failures)
    )
    if not by_name:
        raise InputError(f"failures names none; give some of {', '.join(map(repr, FAILURES))}")
    strengths = {}
    for name, strength in by_name.items():
        check_failure(contract.TEXT.of("failure", name), FAILURES)
        f = FAILURES[name]
        strengths[name] = f.default if strength is None else float(f.limits.of(name, strength))
    return strengths


def check_failure(name: str, present: Mapping[str, Any]) -> None:
    """Refuse a failure that is not among those known."""
    if name not in present:
        names = ", ".join(map(repr, present))
        raise InputError(f"there is no failure {name!r}; there are {names}")
