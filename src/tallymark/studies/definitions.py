"""Which definition of a metric gives a stated number on the rows at hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tallymark.data import Model
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic, json_number
from tallymark.studies.claims import parse
from tallymark.studies.solver import Bounds
from tallymark.tally.arrays import Label
from tallymark.tally.labels import LabelTally

NEAREST = 5

BETAS = (0.5, 1.0, 2.0)

_NAMESAKES: Mapping[str, tuple[tuple[str, Mapping[str, Any], str], ...]] = {
    "roc_auc": (
        ("roc_auc_optimistic", {}, "ties broken in favour"),
        ("roc_auc_pessimistic", {}, "ties broken against"),
        ("roc_hull_auc", {}, "of the convex hull"),
        ("balanced_accuracy", {}, "of the decisions: the mean of both rates"),
        ("gini_coefficient", {}, "the Gini coefficient, 2·AUC - 1"),
    ),
    "average_precision": (
        ("pr_auc_trapezoid", {}, "area by trapezoids"),
        ("pr_auc_davis_goadrich", {}, "area interpolated after Davis and Goadrich"),
    ),
    "log_loss": (("log_loss", {"base": 2}, "with logarithms of base 2"),),
    "cohen_kappa": (
        ("cohen_kappa", {"weights": "linear"}, "with linear weights"),
        ("cohen_kappa", {"weights": "quadratic"}, "with quadratic weights"),
        ("scott_pi", {}, "Scott's pi"),
    ),
    "discriminant_power": (("discriminant_power", {"base": 10}, "with logarithms of base 10"),),
    "geometric_mean": (("fowlkes_mallows", {}, "of precision and recall"),),
    "accuracy": (("balanced_accuracy", {}, "balanced"),),
    "balanced_accuracy": (("accuracy", {}, "plain"),),
    "adjusted_geometric_mean": (
        ("adjusted_geometric_mean", {"counts": True}, "weighted by the number of negatives"),
    ),
    "expected_calibration_error": (
        ("expected_calibration_error", {"strategy": "mass"}, "bins of equal mass"),
        ("expected_calibration_error", {"bins": 15}, "15 bins"),
        ("root_mean_squared_calibration_error", {}, "root of mean squares"),
        ("max_calibration_error", {}, "the largest gap"),
    ),
}  # fmt: skip
"""What else goes by the name of a metric."""


@dataclass(frozen=True, slots=True, repr=False)
class Candidate(Display):
    """One definition in words, and its value on these rows."""

    words: str
    value: float


@dataclass(frozen=True, slots=True, repr=False)
class Definitions(Display):
    """What a stated number can be on these rows.

    ``fitting`` are the definitions that give it at its rounding; ``nearest`` the closest of the
    others, where none fits. ``tried`` is how many there are.
    """

    model: str
    metric: str
    stated: str
    fitting: tuple[Candidate, ...]
    nearest: tuple[Candidate, ...]
    tried: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "model": self.model, "metric": self.metric, "stated": self.stated,
            "fitting": [{"definition": c.words, "value": json_number(c.value)}
                        for c in self.fitting],
            "nearest": [{"definition": c.words, "value": json_number(c.value)}
                        for c in self.nearest],
            "tried": self.tried,
        }  # fmt: skip


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

    Tried are each class as the positive one, every average, 0/0 left out or taken for 0 or 1,
    the metric's usual parameters and namesakes, decisions above the threshold instead of at it, and
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
    candidates = [Candidate(w, v) for w, v in tried.items()]
    fitting = tuple(c for c in candidates if _fits(c.value, bounds))
    rest = sorted((c for c in candidates if math.isfinite(c.value)),
                  key=lambda c: abs(c.value - middle))  # fmt: skip
    return Definitions(
        model.name, declared.name, str(stated), fitting, () if fitting else tuple(rest[:NEAREST]),
        len(candidates),
    )  # fmt: skip


def _fits(value: float, bounds: Bounds) -> bool:
    if not math.isfinite(value):
        return False
    # A value on the edge of rounding counts on either side, as printed numbers do.
    near = Fraction(value)
    hair = Fraction(1, 10**12)
    return bounds.low - hair <= near <= bounds.high + (0 if bounds.high_open else hair)


def _candidates(
    model: Model, labels: Sequence[Label], positive: Label | None, metric: Metric
) -> Iterator[tuple[str, float]]:
    for variant, params, words in _variants(metric):
        if variant.needs in ("counts", "matrix"):
            yield from _decided(model.labels, labels, positive, variant, params, words)
            if model.scores and model.threshold is not None:
                above = model.scores[0].at(float(np.nextafter(model.threshold, math.inf)))
                strict = _and(words, "scores above the threshold, not at it")
                if (above.reorder(model.labels.labels).counts == model.labels.counts).all():
                    continue  # no score is at the threshold
                yield from _decided(above, labels, positive, variant, params, strict)
        elif model.scores and (variant.family != "probability" or model.probabilities):
            yield from _scored(model, labels, positive, variant, params, words)


def _variants(metric: Metric) -> Iterator[tuple[Metric, dict[str, Any], str]]:
    yield metric, {}, ""
    if "beta" in metric.params:
        for beta in BETAS:
            if beta != metric.params["beta"]:
                yield metric, {"beta": beta}, f"β = {beta:g}"
    for name, params, words in _NAMESAKES.get(metric.name, ()):
        yield get(name), dict(params), words


def _and(*words: str) -> str:
    return ", ".join(w for w in words if w)


def _decided(
    tally: LabelTally,
    labels: Sequence[Label],
    positive: Label | None,
    metric: Metric,
    params: Mapping[str, Any],
    words: str,
) -> Iterator[tuple[str, float]]:
    if metric.needs == "matrix":
        overall = Statistic.of(metric, labels, positive, **params)
        yield _and("as defined", words), float(overall.measure(tally))
        if len(labels) <= 2:
            return  # one number of both classes
    per_class = Statistic.of(metric, labels, positive, "per_class", **params).measure(tally)
    for label, value in zip(labels, per_class, strict=True):
        mark = ", the positive class" if label == positive else ""
        yield _and(f"of class {label!r}{mark}", words), float(value)
    support = tally.counts.sum(1)
    rules: list[tuple[str, Any, Any]] = [("", per_class, support)]
    blank = np.isnan(per_class)
    if blank.any():
        rules = [
            ("0/0 taken for 0", np.where(blank, 0.0, per_class), support),
            ("0/0 taken for 1", np.where(blank, 1.0, per_class), support),
            ("classes of 0/0 left out", per_class[~blank], support[~blank]),
        ]
    for rule, values, weights in rules:
        if len(values):
            yield _and("macro average", words, rule), float(values.mean())
            total = weights.sum()
            mean = float((values * weights).sum() / total) if total else math.nan
            yield _and("average weighted by the rows of each class", words, rule), mean
    if metric.needs == "counts":
        micro = Statistic.of(metric, labels, positive, "micro", **params).measure(tally)
        yield _and("micro average", words), float(micro)


def _scored(
    model: Model,
    labels: Sequence[Label],
    positive: Label | None,
    metric: Metric,
    params: Mapping[str, Any],
    words: str,
) -> Iterator[tuple[str, float]]:
    if metric.classes == "many" and len(labels) <= 2:
        return
    overall = Statistic.of(metric, labels, positive, **params)
    tally: Any = model.scores
    if metric.needs == "rows" and model.sums is not None:
        tally = model.sums
    yield _and("as defined", words), float(overall.measure(tally))
    if metric.needs not in ("ranking", "probability"):
        return
    if len(model.scores) == 1:
        r = model.scores[0].score_counts
        reverse = type(r)(-r.scores[::-1], r.neg[::-1], r.pos[::-1])
        if metric.family == "probability":
            reverse = type(r)(1 - r.scores[::-1], r.neg[::-1], r.pos[::-1])
        yield _and("of the other class", words), float(metric.compute(reverse, **params))
        return
    for average, rule in (
        ("macro", "macro average"), ("weighted", "average weighted by the rows of each class"),
        ("micro", "micro average"),
    ):  # fmt: skip
        s = Statistic.of(metric, labels, None, average, **params)
        yield _and(rule, words), float(s.measure(model.scores))
    per_class = Statistic.of(metric, labels, None, "per_class", **params).measure(model.scores)
    for label, value in zip(labels, per_class, strict=True):
        yield _and(f"of class {label!r}", words), float(value)
