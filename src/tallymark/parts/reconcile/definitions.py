"""Which definition of a metric gives a stated number on these rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tallymark import Evaluation, InputError, LabelTally
from tallymark.core import (
    Display,
    Label,
    Listing,
    Metric,
    Model,
    ScoreCounts,
    Statistic,
    added,
    checked,
    get,
    json_number,
)
from tallymark.parts.reconcile.claims import namesakes, parse

NEAREST = 5
BETAS = (0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True, repr=False)
class Candidate(Display):
    """One definition in words, and its value on these rows."""

    words: str
    value: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"definition": self.words, "value": json_number(self.value)}


@dataclass(frozen=True, slots=True, repr=False)
class Definitions(Display):
    """The definitions that give a stated number on these rows.

    ``fitting`` are the definitions that give it at its rounding; ``nearest`` the closest of the
    others, where none fits. ``tried`` is how many there are.
    """

    model: str
    metric: str
    stated: str
    fitting: tuple[Candidate, ...]
    nearest: tuple[Candidate, ...]
    tried: int

    def table(self) -> Listing:
        """Return a row a definition that gives the stated number, else those that come nearest."""
        return Listing(
            tuple(
                {
                    "model": self.model,
                    "metric": self.metric,
                    "stated": self.stated,
                    "fits": bool(self.fitting),
                    "definition": c.words,
                    "value": c.value,
                }
                for c in self.fitting or self.nearest
            )
        )


@checked
def which_definition(
    ev: Evaluation, metric: str, stated: str | float, *, rounding: str = "half"
) -> tuple[Definitions, ...]:
    """Return, for each model, which definitions of a metric give a stated number on these rows.

    Classes, averages, rules for 0/0, usual parameters and namesakes are tried, and other libraries'
    definitions; a text keeps the digits that it was printed with.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    >>> (found,) = which_definition(ev, "f1", "0.583")
    >>> found.fitting[0].words
    'macro average'
    """
    declared = get(metric)
    others = [
        row for definitions_of in added("definitions") for row in definitions_of(ev, declared)
    ]
    return tuple(
        definitions(
            model,
            ev.classes,
            ev.positive,
            declared,
            stated,
            rounding=rounding,
            others=[(words, value) for name, words, value in others if name == model.name],
        )
        for model in ev.models
    )


def definitions(
    model: Model,
    labels: Sequence[Label],
    positive: Label | None,
    metric: str | Metric,
    stated: str | float,
    *,
    rounding: str = "half",
    others: Iterable[tuple[str, float]] = (),
) -> Definitions:
    """Return the definitions of a metric that give a stated number on a model's tally.

    It tries each class as the positive one, every average, 0/0 left out or counted as 0 or 1, the
    metric's usual parameters and namesakes, decisions above the threshold instead of at it, and
    ``others``, words and values of definitions found elsewhere.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.evaluate(list("aab" "bcc"), list("aab" "abc"))
    >>> result = definitions(ev.models[0], ev.classes, ev.positive, "f1", "0.66")
    >>> [c.words for c in result.fitting]
    ['macro average', 'average weighted by the rows of each class']

    """
    declared = get(metric)
    bounds = parse(stated, rounding)
    tried: dict[str, float] = {}
    for words, value in (*_candidates(model, labels, positive, declared), *others):
        if not math.isnan(value):
            tried.setdefault(words, value)
    if not tried:
        raise InputError(f"{declared.name} needs scores, and {model.name} has none; give y_score")
    middle = float((bounds.low + bounds.high) / 2)
    finite = [Candidate(words, value) for words, value in tried.items() if math.isfinite(value)]
    # A value on the edge of rounding counts on either side, as printed numbers do.
    fitting = tuple(c for c in finite if bounds.holds(Fraction(c.value), Fraction(1, 10**12)))
    finite.sort(key=lambda c: abs(c.value - middle))
    nearest = () if fitting else tuple(finite[:NEAREST])
    return Definitions(model.name, declared.name, str(stated), fitting, nearest, len(tried))


def _candidates(
    model: Model, labels: Sequence[Label], positive: Label | None, metric: Metric
) -> Iterator[tuple[str, float]]:
    for variant, params, words in _variants(metric):
        of = partial(Statistic.of, variant, labels, **params)
        if variant._needs in ("counts", "matrix"):
            yield from _decided(words, model.labels, labels, positive, of)
            if model.scores and model.threshold is not None:
                above = model.scores[0].at(float(np.nextafter(model.threshold, math.inf)))
                if (above.reorder(model.labels.labels).counts != model.labels.counts).any():
                    strict = _and(words, "scores above the threshold, not at it")
                    yield from _decided(strict, above, labels, positive, of)
        elif (
            model.scores
            and (variant.family != "probability" or model.probabilities)
            and (variant.classes != "many" or len(labels) > 2)
        ):
            yield from _scored(words, model, labels, positive, of)


def _variants(metric: Metric) -> Iterator[tuple[Metric, Mapping[str, Any], str]]:
    yield metric, {}, ""
    for beta in BETAS if "beta" in metric.params else ():
        if beta != metric.params["beta"]:
            yield metric, {"beta": beta}, f"β = {beta:g}"
    yield from namesakes(metric)


def _and(*words: str) -> str:
    return ", ".join(w for w in words if w)


_MEAN = {
    "macro": "macro average",
    "weighted": "average weighted by the rows of each class",
    "micro": "micro average",
}


def _decided(
    words: str,
    tally: LabelTally,
    labels: Sequence[Label],
    positive: Label | None,
    of: Callable[..., Statistic],
) -> Iterator[tuple[str, float]]:
    """Yield what a metric of decisions is by each class and average; ``words`` go with them."""
    needs = of(positive).metric._needs
    if needs == "matrix":
        yield _and("as defined", words), float(of(positive).measure(tally))
        if len(labels) <= 2:
            return  # one number of both classes
    per_class = of(positive, "per_class").measure(tally)
    for label, value in zip(labels, per_class, strict=True):
        whose = f"of class {label!r}" + (", the positive class" if label == positive else "")
        yield _and(whose, words), float(value)
    support = tally.counts.sum(1)
    blank = np.isnan(per_class)
    rules: dict[str, Any] = {"": (per_class, support)}
    if blank.any():
        rules = {f"0/0 counted as {n}": (np.where(blank, n, per_class), support) for n in (0, 1)}
        rules["classes of 0/0 left out"] = per_class[~blank], support[~blank]
    for rule, (values, weights) in rules.items():
        if len(values):
            yield _and(_MEAN["macro"], words, rule), float(values.mean())
            total = weights.sum()
            mean = (values * weights).sum() / total if total else math.nan
            yield _and(_MEAN["weighted"], words, rule), float(mean)
    if needs == "counts":
        yield _and(_MEAN["micro"], words), float(of(positive, "micro").measure(tally))


def _scored(
    words: str,
    model: Model,
    labels: Sequence[Label],
    positive: Label | None,
    of: Callable[..., Statistic],
) -> Iterator[tuple[str, float]]:
    """Yield what a metric of scores is by each class and average."""
    overall = of(positive)
    metric = overall.metric
    tally: Any = (
        model._sums if metric._needs == "rows" and model._sums is not None else model.scores
    )
    yield _and("as defined", words), float(overall.measure(tally))
    if metric._needs not in ("ranking", "probability"):
        return
    if len(model.scores) == 1:
        r = model.scores[0]._score_counts
        top = 1 if metric.family == "probability" else 0
        reverse = ScoreCounts(top - r.scores[::-1], r.neg[::-1], r.pos[::-1])
        yield _and("of the other class", words), float(overall.of_score_counts([reverse]))
        return
    for average, mean in _MEAN.items():
        yield _and(mean, words), float(of(None, average).measure(model.scores))
    per_class = of(None, "per_class").measure(model.scores)
    for label, value in zip(labels, per_class, strict=True):
        yield _and(f"of class {label!r}", words), float(value)
