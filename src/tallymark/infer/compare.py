"""Compare models: differences with intervals, significance tests, and a verdict in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from tallymark.contract import checked
from tallymark.display import Display, fields_of
from tallymark.errors import InputError, check_name
from tallymark.infer.cautions import cautions, repeated_ids
from tallymark.infer.cheapest import PLACES, Cheapest, cheapest, least_costs
from tallymark.infer.crossing import VISIBLE_LEAD, Crossing, crossing, heights, lead_band
from tallymark.infer.difference import Design, Difference, Differences, SameRows, difference
from tallymark.infer.intervals import Inference
from tallymark.infer.label_differences import PairedLabels
from tallymark.infer.multiplicity import each_level
from tallymark.infer.paired import Paired
from tallymark.infer.significance import (
    MOST_RATINGS,
    PERMUTATIONS,
    PROPORTION_TESTS,
    Evidence,
    bowker,
    cochran_q,
    hanley_mcneil,
    mcnemar,
    rating_correlation,
    stuart_maxwell,
    two_proportions,
)
from tallymark.infer.standings import pair_of
from tallymark.infer.two_samples import (
    matched_models,
    notes_on_balance,
    notes_on_thresholds,
    refuse_other_questions,
    rows_of_each,
    titles_of,
)
from tallymark.infer.unpaired import Independent, Side
from tallymark.infer.verdict import Verdict, judge, probabilities
from tallymark.listing import Listing
from tallymark.metric import ByMetric, Metric, get
from tallymark.metric.headlines import HEADLINE, HEADLINE_LABELS, HEADLINE_MANY
from tallymark.metric.measure import Statistic, Value
from tallymark.quantities import ROW, Noun
from tallymark.reading.indicators import LabelSets, SetModel
from tallymark.reading.models import Model
from tallymark.tally.arrays import Floats

DECISIVE = ("roc_auc", "matthews_corrcoef", "balanced_accuracy", "accuracy")
"""The default decisive metrics: the first one that all models have is used."""

_REPEATED = (
    "absent-label",
    "few-clusters",
    "few-rows",
    "one-class",
    "absent-class",
    "few-decide",
    "repeated-ids",
)
"""Warnings about a single sample that a comparison repeats."""


@dataclass(frozen=True, slots=True, repr=False)
class Pair(Display):
    """Two models compared: ``differences`` are the first model's values minus the second's."""

    first: str
    second: str
    differences: Mapping[str, Difference]
    tests: tuple[Evidence, ...]
    crossing: Crossing | None
    verdict: Verdict

    def _reversed(self) -> Pair:
        """Return the comparison with the two models swapped."""
        return Pair(
            self.second,
            self.first,
            ByMetric({name: d._reversed() for name, d in self.differences.items()}),
            tuple(t._reversed() for t in self.tests),
            None if self.crossing is None else self.crossing._reversed(),
            self.verdict._reversed(),
        )


@dataclass(frozen=True, slots=True, repr=False)
class TableError(Display):
    """How likely a table of differences is to have at least one false positive.

    Each of ``tests`` intervals excludes 0 with probability ``each`` if there is no difference;
    ``any`` is the probability that at least one does. It is estimated from the joint resamples,
    shifted to no difference. Without them it is an upper ``bound``, 1 - (1 - each)^tests, which
    holds for normal estimates with any correlation.

    Source: sidak1967.
    """

    tests: int
    each: float
    any: float
    bound: bool


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Display):
    """Models compared pairwise, or each with a reference model.

    ``metric`` decides the verdicts; p-values of several pairs are adjusted by Holm's method.
    ``overall`` are the omnibus tests of all models. ``ranks`` has for each model the probabilities
    that it ranks first, second and so on by that metric: with two models those of their verdict,
    with more the shares of joint resamples of the rows, a posterior under a flat prior (Rubin
    1981); empty where there are none. ``table_error`` is the probability of a false positive
    among the differences of all metrics. ``cheapest`` are the costs of the errors at which one
    model is shown to cost less than every other; ``costs`` are those stated, if a compared metric
    uses them. For models on different rows, ``samples`` are
    the two samples with their numbers of rows, ``rows`` the total, and ``notes`` other
    differences between them.
    """

    names: tuple[str, ...]
    metric: str
    pairs: tuple[Pair, ...]
    overall: tuple[Evidence, ...]
    level: float
    rows: int
    margin: float | None = None
    samples: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    least: float | None = None
    ranks: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    table_error: TableError | None = None
    cheapest: tuple[Cheapest, ...] = ()
    costs: Mapping[str, float] | None = None
    _noun: Noun = ROW

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of two models, first minus second.

        Raises
        ------
        InputError
            A model that is not there, the same model twice, or two that were not compared.

        """
        return pair_of(self.pairs, self.names, first, second)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict of every pair."""
        return tuple(p.verdict for p in self.pairs)

    def verdict(self, first: str, second: str, metric: str | None = None) -> Verdict:
        """Return the verdict of one pair by any metric that was compared.

        Only the decisive metric has a margin.
        """
        pair = self.pair(first, second)
        if metric is None or get(metric).name == self.metric:
            return pair.verdict
        name = get(metric).name
        if name not in pair.differences:
            raise InputError(f"{name} was not compared; there are {', '.join(pair.differences)}")
        rows = tuple(n for _, n in self.samples) or (self.rows,)
        pairs = [(p.first, p.second) for p in self.pairs]
        each = [p.differences[name] for p in self.pairs]
        of_rows: dict[str, Any] = {
            "clusters": pair.verdict._clusters,
            "repeats": pair.verdict._repeats,
        }
        verdicts = judge(Differences(get(name), pairs, each, self.level), rows=rows, **of_rows)
        if (first, second) in pairs:
            return verdicts[pairs.index((first, second))]._with_crossing(pair.crossing)
        found = verdicts[pairs.index((second, first))]._reversed()
        return found._with_crossing(pair.crossing)

    def table(self) -> Listing:
        """Return a row per pair and metric: both values, and their difference with its interval."""
        names = (
            "first_value",
            "second_value",
            "value",
            "low",
            "high",
            "level",
            "p_value",
            "method",
            "test",
            "reason",
        )
        return Listing(
            tuple(
                {"first": p.first, "second": p.second, "metric": name, "title": get(name).title}
                | {("difference" if n == "value" else n): getattr(d, n) for n in names}
                for p in self.pairs
                for name, d in p.differences.items()
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "models": list(self.names),
            **fields_of(self, "names"),
            "samples": [{"name": name, "rows": rows} for name, rows in self.samples],
        }


@checked
def check(
    metric: str | None = None,
    metrics: Sequence[str] | None = None,
    margin: float | None = None,
    least: float | None = None,
) -> None:
    """Raise InputError for arguments that no comparison can use, before anything is counted."""
    for name in (*(metrics or ()), *([] if metric is None else [metric])):
        get(name)
    if metric is not None and get(metric).better == "neither":
        raise InputError(
            f"{get(metric).name} does not rank models: neither high nor low is better; choose "
            "another metric"
        )


def _read(
    sides: Mapping[str, tuple[Inference, Model | SetModel]],
    metric: str | None,
    metrics: Sequence[str] | None,
    stated: Callable[[Metric], Metric],
) -> tuple[dict[str, dict[str, Value]], list[Metric]]:
    """Return the values to compare, and their metrics, the decisive one first.

    The metrics are those named, by default the headline metrics, with ``stated`` parameters.
    """

    def named(name: str) -> Metric:
        declared = get(name)
        return known.setdefault(declared.name, stated(declared))

    known: dict[str, Metric] = {}
    first = next(iter(sides.values()))[0].counted
    binary, several = first.positive is not None, isinstance(first, LabelSets)
    by_default = HEADLINE_LABELS if several else HEADLINE if binary else HEADLINE_MANY
    names = metrics if metrics is not None else by_default
    requested = [named(m) for m in (*([] if metric is None else [metric]), *names)]
    deciding = ("subset_accuracy",) if several else DECISIVE
    read = list(dict.fromkeys([*requested, *map(named, deciding)]))
    values = {name: rows.of_metrics(model, read) for name, (rows, model) in sides.items()}
    defined = (n for n in deciding if all(n in v and not v[n].reason for v in values.values()))
    decisive = named(metric if metric is not None else next(defined, deciding[-1]))
    for model, present in values.items():
        if decisive.name not in present:
            raise InputError(f"{model} has no {decisive.name}; choose another metric")
    available = [m for m in requested if any(m.name in present for present in values.values())]
    return values, list(dict.fromkeys([decisive, *available]))


# -- verdicts ----------------------------------------------------------------------------------


def _pairs(
    design: Design,
    names: Sequence[tuple[str, str]],
    metrics: Sequence[Metric],
    evidence: Callable[[str, str], Iterable[Evidence]],
    crossed: Callable[[str, str], Crossing | None] = lambda *pair: None,
    **options: Any,
) -> tuple[Pair, ...]:
    """Return every pair with its differences, tests and verdict; the first metric decides.

    ``options`` are arguments of :func:`judge`.
    """
    by_metric = [difference(design.statistic(m), design, names) for m in metrics]
    verdicts = judge(by_metric[0], **options)
    compared = []
    for i, (pair, verdict) in enumerate(zip(names, verdicts, strict=True)):
        cross = crossed(*pair)
        differences = ByMetric({of.metric.name: of.each[i] for of in by_metric})
        compared.append(
            Pair(*pair, differences, tuple(evidence(*pair)), cross, verdict._with_crossing(cross))
        )
    return tuple(compared)


def _table_error(
    pairs: Sequence[Pair], level: float, gaps: Callable[[Pair, str], Floats | None] | None = None
) -> TableError | None:
    """Return how likely a table of these pairs is to have at least one false positive.

    ``gaps`` returns a pair's differences of a metric over joint draws. Shifted to a mean of 0,
    they are draws under the null hypothesis; a draw counts as positive in the tails.
    """
    marked: Any = False
    tests = alone = 0
    for p in pairs:
        names = [name for name, d in p.differences.items() if d.level is not None]
        drawn = [None if gaps is None else gaps(p, name) for name in names]
        moves = [x for x in drawn if x is not None and np.isfinite(x).all()]
        tests, alone = tests + len(names), alone + len(names) - len(moves)
        if moves:
            off = np.stack(moves)
            off = np.abs(off - off.mean(1, keepdims=True))
            beyond = off > np.quantile(off, level, axis=1)[:, None] * (1 + 1e-9)
            marked = marked | beyond.any(0)
    if not tests:
        return None
    none = (1 - float(np.mean(marked))) * level**alone
    return TableError(tests, round(1 - level, 12), 1 - none, alone == tests)


# -- the same rows -----------------------------------------------------------------------------


def compare(
    rows: Inference,
    *,
    against: str | None = None,
    metric: str | None = None,
    metrics: Sequence[str] | None = None,
    margin: float | None = None,
    least: float | None = None,
    permutations: int = PERMUTATIONS,
    stated: Callable[[Metric], Metric] = lambda metric: metric,
) -> Comparison:
    """Return all pairs, or each model against one: see :meth:`tallymark.Evaluation.compare`.

    ``stated`` returns a metric with the parameters that were stated for all, such as costs.
    """
    check(metric, metrics, margin, least)
    counted, level = rows.counted, rows.level
    values, chosen = _read({m.name: (rows, m) for m in counted.models}, metric, metrics, stated)
    design = on_the_same_rows(rows, values)
    names = design.names
    if against is not None:
        check_name("model", against, names)
    decisive, of_two = chosen[0], None
    if isinstance(design, Paired) and design.positive is not None:
        of_two = design  # two classes: also compare curves and costs

    def evidence(first: str, second: str) -> list[Evidence]:
        if isinstance(design, PairedLabels):
            return design.evidence(first, second)
        tests = [*_of_decisions(design, first, second), *_of_areas(design, first, second)]
        if (test := exchanged.get((first, second))) is not None:
            how = test.name.removeprefix("permutation")
            tests.append(replace(test, name=f"permutation of {decisive.name}{how}"))
        return tests

    names_of_pairs = [
        _ordered(pair, values, decisive, against)
        for pair in combinations(names, 2)
        if against is None or against in pair
    ]
    exchanged: dict[tuple[str, str], Evidence] = {}
    if permutations and isinstance(design, Paired):
        tests = design.permutations(names_of_pairs, decisive, permutations)
        exchanged = dict(zip(names_of_pairs, tests, strict=True))
    pairs = _pairs(
        design,
        names_of_pairs,
        chosen,
        evidence,
        settled=lambda a, b: "alike" if design.alike(a, b, decisive) else None,
        crossed=lambda a, b: _crossing(of_two, a, b, len(names_of_pairs)) if of_two else None,
        rows=(counted.rows,),
        margin=margin,
        least=least,
        **_of_rows(rows),
    )

    @cache
    def draws_of(model: str, name: str) -> Floats | None:
        return design.joint_draws(model, next(m for m in chosen if m.name == name))

    def gaps(p: Pair, name: str) -> Floats | None:
        x, y = (draws_of(n, name) for n in (p.first, p.second))
        with np.errstate(invalid="ignore"):  # both may be infinite
            return None if x is None or y is None else x - y

    return Comparison(
        names,
        decisive.name,
        pairs,
        _of_all(design) if isinstance(design, Paired) and len(names) > 2 else (),
        level,
        counted.rows,
        margin,
        least=least,
        ranks=_ranks(design, pairs, decisive),
        table_error=_table_error(pairs, level, gaps),
        cheapest=_cheapest(of_two) if of_two else (),
    )


def _of_rows(rows: Inference) -> dict[str, Any]:
    """Return why rows may be dependent: their clusters, or the id with the most repeats."""
    counted = rows.counted
    if isinstance(counted, LabelSets):
        return {}
    repeats = [(column, ids["most"]) for column, ids in repeated_ids(counted).items()]
    most = max(repeats, key=lambda of: of[1], default=None)
    return {"clusters": counted.clusters, "repeats": most}


def on_the_same_rows(
    rows: Inference, values: Mapping[str, Mapping[str, Value]]
) -> Paired | PairedLabels:
    """Return the paired design of models on the same rows, with their ``values``."""
    counted = rows.counted
    if isinstance(counted, LabelSets):
        return PairedLabels(rows, counted, values)
    options: dict[str, Any] = {"seed": rows.seed, "stratified": rows.stratified}
    return Paired(counted, values, level=rows.level, **options)


def _cheapest(paired: Paired) -> tuple[Cheapest, ...]:
    """Return for which costs one model is the best, empty without scores.

    Every model uses its optimal threshold on these rows. Bands are adjusted for the number of
    pairs (Bonferroni).
    """
    names = paired.names
    models = {n: paired.model(n) for n in names}
    c = paired.counted.models[0].labels.binary(paired.positive)
    share = float((c.tp + c.fn) / (c.tp + c.fn + c.fp + c.tn))
    if not all(len(m.scores) == 1 for m in models.values()) or not 0 < share < 1:
        return ()
    costs = {n: least_costs(m.scores[0]._score_counts) for n, m in models.items()}
    pairs = list(combinations(names, 2))
    level = each_level(paired.level, len(pairs))
    bands = {}
    for a, b in pairs:
        replicates = paired.curve_moves(b, least_costs) - paired.curve_moves(a, least_costs)
        bands[a, b] = lead_band(costs[b] - costs[a], replicates, level, PLACES / paired.positives)
    return cheapest(names, bands, share)


def _ranks(
    design: SameRows, pairs: Sequence[Pair], decisive: Metric
) -> dict[str, tuple[float, ...]]:
    """Return each model's probability of each rank, the best first; empty without draws."""
    names = design.names
    if len(names) == 2:
        v = pairs[0].verdict
        if v.kind in ("alike", "same ranking"):
            return {}
        chances = probabilities(v.difference, decisive, 0.0)
        if chances is None:
            return {}
        better = chances[0]
        return {v.better: (better, 1 - better), v.other: (1 - better, better)}
    replicates = [design.joint_draws(name, decisive) for name in names]
    if any(x is None for x in replicates):
        return {}
    sign = -1.0 if decisive.better == "high" else 1.0
    values = sign * np.stack([x for x in replicates if x is not None])
    values = values[:, ~np.isnan(values).any(0)]
    if not values.shape[1]:
        return {}
    centres = np.array([sign * design.values[name][decisive.name].value for name in names])
    moves = values - centres[:, None]
    values = centres[:, None] + moves * _widening(design, pairs, decisive, centres, moves)
    ahead, alike = np.zeros((2, *values.shape), dtype=np.intp)
    for other in values:
        ahead += other < values
        alike += other == values
    # Models that tie share their ranks.
    return {
        name: tuple(
            float(((a <= rank) & (rank < a + t)).astype(float) @ (1 / t) / len(t))
            for rank in range(len(names))
        )
        for name, a, t in zip(names, ahead, alike, strict=True)
    }


def _widening(
    design: SameRows, pairs: Sequence[Pair], decisive: Metric, centres: Floats, moves: Floats
) -> float:
    """Return by how much to widen draws, so that none ranks a pair that its test leaves open.

    Of a pair whose p-value is not below 1 - level, no more than (1 + level) / 2 of the draws then
    have the same model ahead. ``centres`` are the values, the lower the better.
    """
    alpha, factor = 1 - design.level, 1.0
    for pair in pairs:
        d = pair.differences[decisive.name]
        one, other = (design.names.index(n) for n in (pair.first, pair.second))
        if centres[one] > centres[other]:
            one, other = other, one
        lead = centres[other] - centres[one]
        if not (d.p_value >= alpha and lead < math.inf):
            continue
        least = float(np.quantile(moves[other] - moves[one], alpha / 2))
        if -least < lead and least < 0:
            factor = max(factor, lead / -least)
    return factor


def _ordered(
    pair: tuple[str, str],
    values: Mapping[str, Mapping[str, Value]],
    decisive: Metric,
    against: str | None,
) -> tuple[str, str]:
    """Return the pair with the better model first, or with the reference model second."""
    a, b = pair
    if against is not None:
        return (b, a) if a == against else (a, b)
    sign = -1 if decisive.better == "low" else 1
    x, y = (sign * values[n][decisive.name].value for n in pair)
    return (b, a) if y > x else (a, b)


def _of_decisions(paired: Paired, first: str, second: str) -> list[Evidence]:
    """Return the paired tests of correctness, and of how often each class is predicted."""
    if not paired.simple:
        return []
    k = len(paired.labels)
    right = np.eye(k, dtype=bool)
    _, one, other, _ = paired.discordant(first, second, np.ones(k, dtype=bool), right)
    tests = [mcnemar(one, other, m) for m in ("mid-p", "exact", "chi-square", "corrected")]
    if k > 2:
        table = paired.agreement(first, second).sum(0)
        tests += [bowker(table), stuart_maxwell(table)]
    return tests


def _of_areas(paired: Paired, first: str, second: str) -> list[Evidence]:
    """Return DeLong's test, which decides, and Hanley and McNeil's beside it."""
    models = [paired.model(n) for n in (first, second)]
    values = [paired.values[n] for n in (first, second)]
    alone = all(len(m.scores) == 1 for m in models) and paired.positive is not None
    if not paired.simple or not alone or not all("roc_auc" in v for v in values):
        return []
    ratings = min(len(m.scores[0]._score_counts.scores) for m in models) <= MOST_RATINGS
    if ratings:
        correlation = rating_correlation(paired.joint, first, second)
    else:
        correlation = paired.score_correlation(first, second)
    return [_hanley_mcneil(models, values, correlation)]


def _hanley_mcneil(
    models: Iterable[Model], values: Iterable[Mapping[str, Value]], correlation: float | None = None
) -> Evidence:
    """Return Hanley and McNeil's test of two ROC areas."""
    of_classes = [m.scores[0]._score_counts for m in models]
    one, other = (
        (v["roc_auc"].value, float(r.positives), float(r.negatives))
        for v, r in zip(values, of_classes, strict=True)
    )
    return hanley_mcneil(one, other, correlation)


def _of_all(paired: Paired) -> tuple[Evidence, ...]:
    tests = []
    models = paired.counted.models
    if paired.simple:
        tests.append(cochran_q(paired.joint.right([m.threshold for m in models])))
    if sum(len(m.scores) == 1 for m in models) > 2 and paired.positive is not None:
        tests.append(paired.auc_test())
    return tuple(tests)


def _crossing(paired: Paired, first: str, second: str, pairs: int) -> Crossing | None:
    """Return how the ROC curves of two models cross; None unless each is ahead somewhere.

    The band of the difference comes from paired resamples. Its level is adjusted for the number
    of pairs (Bonferroni).
    """
    models = [paired.model(n) for n in (first, second)]
    if not all(len(m.scores) == 1 for m in models):
        return None
    gap = heights(models[0].scores[0]._score_counts) - heights(models[1].scores[0]._score_counts)
    if not (gap >= VISIBLE_LEAD).any() or not (gap <= -VISIBLE_LEAD).any():
        return None
    replicates = paired.curve_moves(first) - paired.curve_moves(second)
    level = each_level(paired.level, pairs)
    low, high = lead_band(gap, replicates, level, 1 / paired.positives)
    return crossing((first, second), gap, low, high, level)


# -- different rows ----------------------------------------------------------------------------


def compare_samples(
    first: Inference,
    second: Inference,
    *,
    metric: str | None = None,
    metrics: Sequence[str] | None = None,
    margin: float | None = None,
    least: float | None = None,
    called: tuple[str, str] | None = None,
    stated: Callable[[Metric], Metric] = lambda metric: metric,
) -> Comparison:
    """Return the comparison of models on different rows, e.g. one model at two sites.

    Parameters
    ----------
    first, second : Inference
        Two samples with no row in common: same classes, same positive class, same level.
    metric, metrics, margin, least
        As of :meth:`tallymark.Evaluation.compare`.
    stated : callable
        Returns a metric with the parameters that were stated for all, such as costs.
    called : pair of str, optional
        Names of the samples; by default their sources, or first and second.

    Returns
    -------
    Comparison
        One pair per model that is in both samples, or the only model of each. Differences are the
        first sample's value minus the second's, judged as in :class:`.Independent`.

    Raises
    ------
    InputError
        Different classes or positive class, models that cannot be matched, an unknown metric, or
        the same rows in both samples.

    """
    samples = (first.counted, second.counted)
    binary = first.counted.positive is not None
    check(metric, metrics, margin, least)
    titles = titles_of(*samples, called)
    refuse_other_questions(*samples, titles)
    matched, notes = matched_models(*samples, titles)
    names = [tuple(f"{m.name} ({t})" for m, t in zip(two, titles, strict=True)) for two in matched]
    read = {
        name: side
        for pair, models in zip(names, matched, strict=True)
        for name, side in zip(pair, zip((first, second), models, strict=True), strict=True)
    }
    values, chosen = _read(read, metric, metrics, stated)
    sides = {name: Side(*side) for name, side in read.items()}
    pairs_of_names = [(a, b) for a, b in names]
    design = Independent(sides, pairs_of_names, values, first.level)
    rows = (samples[0].rows, samples[1].rows)

    def evidence(*pair: str) -> list[Evidence]:
        two = [sides[name] for name in pair]
        models = [side.model for side in two if isinstance(side.model, Model)]
        if not models or not all(side.simple for side in two):
            return []
        tests = _of_proportions(two, chosen[0])
        if binary and all(len(m.scores) == 1 for m in models):
            tests.append(_hanley_mcneil(models, [values[name] for name in pair]))
        return tests

    def worth(*pair: str) -> float:
        widths = [values[n][chosen[0].name].high - values[n][chosen[0].name].low for n in pair]
        return rows_of_each(rows, widths)

    pairs = _pairs(
        design,
        pairs_of_names,
        chosen,
        evidence,
        rows=rows,
        margin=margin,
        least=least,
        worth=worth,
    )
    fixed = (first.stratified, second.stratified)
    notes += [
        *notes_on_thresholds(matched, titles),
        *notes_on_balance(samples, fixed, titles, chosen),
    ]
    for counted, title, alone, stratified in zip(
        samples, titles, zip(*names, strict=True), fixed, strict=True
    ):
        models: Any = tuple(sides[n].model for n in alone)
        one_sample = replace(counted, models=models)
        warnings = cautions(one_sample, {sides[n].model.name: values[n] for n in alone}, stratified)
        notes += [f"{title}: {n.text}" for n in warnings if n.rule in _REPEATED]
    return Comparison(
        tuple(values),
        chosen[0].name,
        pairs,
        (),
        design.level,
        sum(rows),
        margin,
        samples=tuple(zip(titles, rows, strict=True)),
        notes=tuple(notes),
        least=least,
        table_error=_table_error(pairs, design.level),
    )


def _of_proportions(sides: Sequence[Side], decisive: Metric) -> list[Evidence]:
    """Return the tests of a proportion: the decisive metric if it is one, else accuracy."""
    for m in dict.fromkeys([decisive, get("accuracy")]):
        s = Statistic.of(m, sides[0].counted.classes, sides[0].counted.positive)
        first, second = (side.proportion(s) for side in sides)
        if first is not None and second is not None:
            tests = [two_proportions(*first, *second, way) for way in PROPORTION_TESTS]
            # With many rows all tests agree, and Boschloo's is too slow.
            finished = [t for t in tests if not (t.reason and t.name.startswith("Boschloo"))]
            return [replace(t, name=f"{t.name}, {m.in_a_sentence}") for t in finished]
    return []
