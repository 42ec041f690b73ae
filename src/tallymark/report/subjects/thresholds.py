"""Thresholds: optimal ones, and the what-if panel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark import quantities
from tallymark.display import blocks_of
from tallymark.findings.finding import Cut, shown
from tallymark.infer.operating_points import (
    OptimalThreshold,
    budget_cut,
    sweep_cuts,
    sweep_of,
)
from tallymark.infer.prevalence import over_shares
from tallymark.metric import get
from tallymark.metric.headlines import SWEPT
from tallymark.metric.measure import Statistic, Value
from tallymark.quantities import percent
from tallymark.reading.models import Model
from tallymark.report import words
from tallymark.report.blocks import Block, Grid, Headline, Paragraph, Row, paragraphs
from tallymark.report.drawing import threshold_range
from tallymark.report.evaluation import Evaluation
from tallymark.report.subjects.summary import brief, in_force, own_threshold
from tallymark.report.subjects.values import one_row, value_cell, warning_of
from tallymark.report.svg import packed
from tallymark.report.uses import budget_of, use_of
from tallymark.tally.arrays import Label
from tallymark.tally.bins import next_lower
from tallymark.tally.labels import Counts, LabelTally
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from tallymark.infer.operating_points import Corrected


def corrected(c: Corrected) -> Iterator[Block]:
    """Yield a value on the rows that chose the threshold, and the expected value on new rows."""
    yield from one_row(
        f"{c.metric} {_expected(c)}",
        {
            "metric": c.metric,
            "these rows": _here(c),
            "new rows": words.value(c.corrected),
            words.interval_head(c.corrected.level or 0.95): words.interval(c.corrected),
        },
    )


def _here(c: Corrected) -> str:
    """Return the value on these rows, rounded like the value expected on new rows."""
    return words.to_width(c.value, c.corrected.low, c.corrected.high)[0]


def _expected(c: Corrected) -> str:
    new = c.corrected
    text = f"{_here(c)} on these rows, {words.value(new)} expected on new rows"
    bounds = words.interval(new)
    return f"{text} ({100 * (new.level or 0):g} % CI {bounds})" if bounds else text


def optimal_threshold(
    result: OptimalThreshold, model: str = "", advised: Sequence[str] = ()
) -> Iterator[Block]:
    """Yield an optimal threshold with its values on these rows and on new ones.

    ``advised`` are sentences of advice on it.
    """
    of_rows = result._noun.instead_of_rows
    yield Headline(f"{result.best.metric} {_here(result.best)} at {result.threshold:.6g}")
    lead = f"{model}: " if model else ""
    if math.isnan(result.threshold):
        yield Paragraph(lead + "no threshold keeps these limits")
        return
    others = len(result.thresholds) - 1
    more = f", and {others} other{'s' * (others > 1)} as good" if others else ""
    yield Paragraph(f"{lead}scores at or above {result.threshold:.6g}{more}")
    for c in (result.best, *result.limits):
        yield Paragraph(f"{_title(result, c)}: {of_rows(_expected(c))}", indent=2)
        yield from warning_of(c.corrected.reason or c.corrected.warning)
    yield from paragraphs(map(of_rows, _of_chance(result)), "warning", indent=2)
    if result.limits:
        yield Paragraph(of_rows(_of_limits(result)), indent=2)
    yield from paragraphs(advised, indent=2)


def _title(result: OptimalThreshold, c: Corrected) -> str:
    """Return the title of a metric; that of a cost ends in "per" and the noun of a row."""
    title = get(c.metric).title
    return f"{title} per {result._noun.one}" if c.metric == "expected_cost" else title


def _of_chance(result: OptimalThreshold) -> Iterator[str]:
    """Yield that a threshold is not shown to do better than decisions without scores."""
    metric, trivial = get(result.best.metric), result._not_worth_it
    if trivial is not None:
        way, value = trivial
        yield (
            f"Acting on {way} has {metric.in_a_sentence} {words.number(value)}, so this threshold "
            "is not shown to be worth it."
        )
    elif (skill := result._no_skill) is not None:
        title = get(skill.metric).title
        bounds = f"{100 * (skill.level or 0):g} % CI {words.interval(skill)}"
        which, why = "This threshold is not", f"{title} {words.value(skill)}, {bounds}"
        if skill.metric == result.best.metric:
            here = "0 lies in the interval" if skill.high >= 0 else "is below 0"
            which, why = "No threshold is", f"{title} {here}"
        yield f"{which} shown to be better than chance on new rows ({why}); do not use it."


def _of_limits(result: OptimalThreshold) -> str:
    """Return how surely limits are kept on new rows, and by which threshold with confidence."""
    several = len(result.limits) > 1
    limits, them = ("limits hold", "them") if several else ("limit holds", "it")
    text = f"The {limits} on these rows"
    if result.confident is None:
        where = f" {result._unknown}" if result._unknown else ""
        keeps = f"keeps {'the limits' if several else 'the limit'} on new rows with confidence"
        return f"{text}. No threshold that {keeps} is known{where}."
    level = result.best.corrected.level or 0.95
    sure = f"with {100 * level:g} % confidence"
    if result.confident == result.threshold:
        return f"{text}, and on new ones {sure}."
    on_new = words.in_samples(result._kept)
    if result._kept >= level:
        on_new = f"that {'they hold' if several else 'it holds'} there is not shown"
    text = f"{text}; on new ones, {on_new}."
    if math.isnan(result.confident):
        needs = ""
        if result._needed:
            needs = f": at least {result._needed} without an error are needed"
        return f"{text} No threshold of these rows keeps {them} {sure}{needs}."
    return f"{text} Scores at or above {result.confident:.6g} keep {them} {sure}."


def thresholds(ev: Evaluation) -> Grid | None:
    """Return the optimal thresholds: model, goal, threshold, value here and on new rows."""
    rows: list[Row] = []
    models = {m.name: m for m in ev.models}
    for model, by_goal in ev._optimal_thresholds().items():
        for goal, choice in by_goal.items():
            if math.isnan(choice.threshold):
                continue
            chosen = Cut.of(choice.threshold, models[model].scores[0])
            lead: Row = (words.text(model), goal, shown(chosen))
            for c in (choice.best, *choice.limits):
                value = _here(c)
                if choice.limits:  # without limits, the goal names the metric
                    value = f"{get(c.metric).title} {value}"
                new, bounds = words.value(c.corrected), words.interval(c.corrected)
                rows.append((*lead, value, f"{new} ({bounds})" if bounds else new))
                lead = ("", "", "")
            if choice.confident is not None and not math.isnan(choice.confident):
                rows.append(_confident(choice.confident, models[model].scores[0], ev.level))
    heads = (
        "Model",
        "What it is best at",
        "Threshold",
        f"On these {ev._noun.many}",
        f"Expected on new {ev._noun.many} ({words.interval_head(ev.level)})",
    )
    return Grid(heads, rows, _caption(ev), look="chosen") if rows else None


def _caption(ev: Evaluation) -> str:
    """Return the title of the table, with the models whose thresholds are not shown to help."""
    skills = {
        words.text(model): [choice._no_skill is not None for choice in by_goal.values()]
        for model, by_goal in ev._optimal_thresholds().items()
    }
    useless = [name for name, each in skills.items() if all(each)]
    if not useless:
        return "Thresholds worth knowing"
    of = f" of {words.enumerated(useless)}" if len(skills) > 1 else ""
    return f"No threshold{of} is shown to be better than chance on new {ev._noun.many}"


def _confident(threshold: float, tally: ScoreTally, level: float) -> Row:
    """Return the row of the threshold that keeps the limits with confidence."""
    at = shown(Cut.of(threshold, tally))
    return ("", f"the same with {percent(level, 0)} confidence", at, "", "")


def optimal_threshold_card(optimal: OptimalThreshold) -> Iterator[Block]:
    """Yield the threshold with its values on these rows and on new ones."""
    yield from [Paragraph(b.text) for b in blocks_of(optimal) if isinstance(b, Paragraph)][:1]
    choices = [] if math.isnan(optimal.threshold) else [optimal.best, *optimal.limits]
    rows: list[Row] = [(_title(optimal, c), _here(c), value_cell(c.corrected)) for c in choices]
    of_rows = optimal._noun.instead_of_rows
    heads = ("Metric", *map(of_rows, ("On these rows, which chose it", "Expected on new rows")))
    if rows:
        yield Grid(heads, rows)
    if choices:
        yield from paragraphs(map(of_rows, _of_chance(optimal)), "warning")
    if choices and optimal.limits:
        yield Paragraph(of_rows(_of_limits(optimal)))


# -- what if: another threshold, another prevalence --------------------------------------------

MOST_STEPS = 200
"""Steps of the slider: all distinct scores if they are fewer."""

FEW_MODELS = 3
"""Models whose intervals are all looked up; of more, those of the rates at every step."""

PREVALENCES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.8)
"""Prevalences with precomputed intervals, besides that of the rows."""

KEPT = ("sensitivity", "specificity")

MOVED = tuple(n for n in SWEPT if n not in KEPT)
"""Metrics of the panel: those with the same interval at any prevalence, and the others."""

COUNTS = ("tp", "fp", "fn", "tn")


def costs(ev: Evaluation, profit: bool) -> tuple[str, str]:
    """Return the initial values of the panel: the costs of a missed positive and a false alarm.

    For profit, these are the revenue of a response and the cost of a contact. A missed response
    loses the revenue minus the cost of the contact.
    """
    if ev.costs is None:
        return "10" if profit else "1", "1"
    cost_fp, cost_fn = ev.costs["cost_fp"], ev.costs["cost_fn"]
    return f"{cost_fn + cost_fp if profit else cost_fn:g}", f"{cost_fp:g}"


def panel_of(ev: Evaluation, model: Model | None) -> dict[str, Any] | None:
    """Return the initial state of the panel: the best model at its threshold.

    For marketing, the threshold is the one that selects as many rows as the budget allows.
    """
    if model is None or not all(model.labels.counts.sum(1) > 0):
        return None
    now = f"{words.text(model.name)}{_in_force(ev, model)}"
    if use_of(ev).profit:
        share, amount = budget_of(ev)
        to = budget_cut(model.scores[0], share)
        ev = ev.model(model.name).at(threshold=to)
        (model,) = ev.models
        at = shown(Cut.of(to, model.scores[0]))
        now = f"{words.text(model.name)} at {at}, the best {amount}"
    counts, values = model.labels.binary(ev.positive), ev.values()[model.name]
    classes = [ev.classes[i] for i in words.shown_order(ev.classes, ev.positive)]

    def cell(true: Label, predicted: Label) -> tuple[str, str, str, str]:
        """Return a cell of the matrix: its key, its shade, its count and its name."""
        right, positive = true == predicted, predicted == ev.positive
        key = ("t" if right else "f") + ("p" if positive else "n")
        name = f"{'true' if right else 'false'} {'positives' if positive else 'negatives'}"
        return key, "g2" if right else "b2", words.count(float(getattr(counts, key))), name

    return {
        "model": model,
        "now": now,
        "positive": words.text(str(ev.positive)),
        "labels": [words.text(c) for c in classes],
        "matrix": [(words.text(t), [cell(t, c) for c in classes]) for t in classes],
        "rows": [(n, get(n).title, value_cell(values[n])) for n in SWEPT],
    }


def what_if_data(ev: Evaluation, models: Sequence[Model], ranked: Sequence[str]) -> dict[str, Any]:
    """Return the counts of each model at its steps, and the bounds that the script looks up."""
    if not models or not all(models[0].labels.counts.sum(1) > 0):
        return {"models": []}
    share, amount = budget_of(ev)
    begin = {m.name: budget_cut(m.scores[0], share) for m in models if use_of(ev).profit}
    counts = models[0].labels.binary(ev.positive)
    own = float(counts.positives / counts.total)
    shares = np.array([p for p in PREVALENCES if abs(p - own) > 1e-9])
    advised: dict[str, list[float]] = {m.name: [] for m in models}
    for f in ev.advise().statements:
        if isinstance(threshold := f.numbers.get("threshold"), float):
            for name in [f.model] if f.model else advised:
                advised.get(name, []).append(threshold)
    for name, threshold in begin.items():
        advised[name].append(threshold)
    return {
        "rows": float(counts.total),
        "own": own,
        "p": shares.tolist(),
        "first": min(range(len(models)), key=lambda i: ranked.index(models[i].name)),
        "models": [
            _steps(ev, m, advised[m.name], shares, len(models), begin.get(m.name)) for m in models
        ],
        **({"budget": f"the best {amount}"} if begin else {}),
    }


def _cuts(ev: Evaluation, model: Model, advised: Sequence[float]) -> NDArray[Any]:
    """Return the thresholds of the slider, in ascending order: all distinct scores if they are few.

    Otherwise they include the corners of the ROC curve's convex hull, since one of them is the
    cheapest threshold at any costs and any prevalence, and the thresholds that the page advises.
    """
    tally = model.scores[0]
    every = np.append(tally._score_counts.scores, np.inf)
    own = [] if model.threshold is None else [model.threshold]
    if len(every) <= MOST_STEPS:
        return np.unique([*every, *own])
    choices = ev._optimal_thresholds()[model.name].values()
    chosen = [t for c in choices for t in (c.threshold, c.confident) if t is not None]
    hull = ev.model(model.name).curve("roc_hull").threshold
    cuts = np.unique(np.concatenate([hull, chosen, advised, own]))
    cuts = cuts[~np.isnan(cuts)]
    rest = np.setdiff1d(sweep_cuts(model, tally), cuts)
    if len(cuts) + len(rest) < MOST_STEPS:
        rest = np.setdiff1d(every, cuts)
    more = max(MOST_STEPS - len(cuts), 0)
    return np.union1d(cuts, rest[np.linspace(0, len(rest) - 1, more).round().astype(int)])


def _steps(
    ev: Evaluation,
    model: Model,
    advised: Sequence[float],
    shares: NDArray[Any],
    models: int,
    begin: float | None,
) -> dict[str, Any]:
    """Return a model's steps: thresholds, counts, and bounds here and at other prevalences.

    Of more than a few models, the bounds are those of the rates alone, to keep the page small.
    """
    tally, target = model.scores[0], 0.5 if model.threshold is None else model.threshold
    cuts = _cuts(ev, model, advised)
    options: dict[str, Any] = {"level": ev.level, "seed": ev.seed, "stratified": ev.stratified}
    s = sweep_of(tally, cuts, bounded=not ev.clusters, **options)
    counts, values = model.labels.binary(ev.positive), ev.values()[model.name]
    few = models <= FEW_MODELS
    tiles = [n for n in brief(ev) if n in MOVED and few]
    bounded = SWEPT if few else (*KEPT, "precision")
    written = quantities.cuts(zip(cuts.tolist(), next_lower(tally, cuts).tolist(), strict=True))
    return {
        "name": words.text(model.name),
        "positives": float(counts.positives),
        "negatives": float(counts.negatives),
        **({} if begin is None else {"begin": int(np.argmin(np.abs(cuts - begin)))}),
        "start": int(np.argmin(np.abs(np.where(np.isinf(cuts), 1e300, cuts) - target))),
        "axis": threshold_range(cuts),
        "given": {
            "t": own_threshold(ev, model),
            "now": _in_force(ev, model),
            **{k: float(getattr(counts, k)) for k in COUNTS},
            "m": {n: _texts(values[n]) for n in SWEPT},
            "f": _elsewhere(ev, model.labels, MOVED, shares),
        },
        "t": " ".join(
            own_threshold(ev, model) if t == model.threshold else label
            for t, label in zip(cuts.tolist(), written, strict=True)
        ),
        "tp": _exact(s.tp),
        "fp": _exact(s.fp),
        "m": {n: [packed(a) for a in _rounded(*s.metrics[n][1:])] for n in bounded},
        "f": {
            n: [[packed(of[i :: len(shares)]) for i in range(len(shares))] for of in bounds]
            for n, bounds in (_elsewhere(ev, tally, tiles, shares, cuts) if tiles else {}).items()
        },
    }


def _elsewhere(
    ev: Evaluation,
    tally: LabelTally | ScoreTally,
    names: Sequence[str],
    shares: NDArray[Any],
    cuts: NDArray[Any] | None = None,
) -> dict[str, list[list[int | None]]]:
    """Return the bounds of metrics at other prevalences, those of a threshold side by side."""
    if ev.clusters or ev.positive is None:  # the bounds assume independent rows
        return {}
    statistics = {n: Statistic.of(get(n), ev.classes, ev.positive) for n in names}
    options: dict[str, Any] = {"level": ev.level, "seed": ev.seed}
    estimates = over_shares(statistics, tally, ev.positive, shares, thresholds=cuts, **options)
    return {n: _rounded(e.lows, e.highs) for n, e in estimates.items()}


def _exact(counts: NDArray[Any]) -> str | list[float]:
    """Return exact counts in their shortest JSON form: packed if they are whole."""
    listed = counts.tolist()
    return packed(map(int, listed)) if all(map(float.is_integer, listed)) else listed


def _in_force(ev: Evaluation, model: Model) -> str:
    """Return what follows the name of a model in the bar at the top of the page."""
    return f"{', decisions' * (model.threshold is None)} {in_force(ev, model)}"


def reasons_undefined() -> dict[str, str]:
    """Return the reasons why metrics of the panel can be undefined, by metric."""
    out = {}
    for name in SWEPT:
        m = get(name)
        for nothing in (Counts(0, 0, 9, 9), Counts(9, 9, 0, 0)):
            reason = m.reason(nothing if m._needs == "counts" else nothing.matrix())
            if reason:
                out[name] = reason
    return out


def _texts(v: Value) -> list[str]:
    """Return a number and its bounds as the page writes them."""
    return [words.value(v), words.interval(v).replace(" to ", "\u00a0to\u00a0")]


def _rounded(lows: Any, highs: Any) -> list[list[int | None]]:
    """Return bounds in thousandths, rounded to the digits of their distance as on the page.

    Where two decimals are shown the last digit is 0, so that the script does not round twice.
    """
    out: list[list[int | None]] = [[], []]
    for low, high in zip(lows, highs, strict=True):
        digits = 2 if high - low >= 0.1 else 3
        for x, of in zip((low, high), out, strict=True):
            of.append(None if math.isnan(x) else round(1000 * float(f"{x:.{digits}f}")))
    return out
