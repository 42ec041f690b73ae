"""Sections in the terms of a use: a diagnostic test, a marketing campaign, a lesson."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallymark.findings.notes import PREVALENCE
from tallymark.infer.sampler import effective_cells
from tallymark.listing import Listing
from tallymark.metric import get
from tallymark.metric.headlines import HEADLINE
from tallymark.report import words
from tallymark.report.blocks import Cell, Chart, Grid, Row
from tallymark.report.drawing import MOST_DECADES, Nomogram
from tallymark.report.evaluation import Evaluation
from tallymark.report.subjects.grids import listing
from tallymark.report.subjects.summary import ranking, title_of
from tallymark.report.subjects.values import value_cell
from tallymark.report.uses import budget_of
from tallymark.tally.arrays import Label
from tallymark.tally.labels import Counts, LabelTally


@dataclass(frozen=True, slots=True)
class InUse:
    """A section of the page: its title, a sentence, tables and charts.

    ``folded`` are tables behind their titles.
    """

    title: str
    sentence: str
    tables: tuple[Grid, ...] = ()
    charts: tuple[Chart, ...] = ()
    folded: Mapping[str, Grid] = field(default_factory=dict)


def in_use(ev: Evaluation, as_printed: bool = False) -> InUse | None:
    """Return the section of a use for the best model of two classes; None if it has none.

    With ``as_printed``, formulas that a source misprints are folded under it.
    """
    make = SHOWN.get(ev.source.use, _teaching if as_printed else None)
    best = ranking(ev)[1][:1]
    if make is None or not best or not ev.binary:
        return None
    one = ev.model(best[0])
    counts = one.models[0].labels.binary(ev.positive)
    section = make(ev, best[0], counts) if counts.positives and counts.negatives else None
    if section is None or not as_printed:
        return section
    return replace(section, folded={**section.folded, ERRATA_TITLE: _errata(one.as_printed())})


def _value(ev: Evaluation, model: str, metric: str) -> Cell:
    """Return a metric of a model with its interval."""
    place = f"models.{ev.names.index(model)}.values.{metric}"
    return value_cell(ev.values()[model][metric], brief=True, key=place)


def _value_head(ev: Evaluation) -> str:
    """Return the head of a column of values with their intervals."""
    return f"Value, {words.interval_head(ev.level)}"


def _count(n: Any) -> str:
    return words.count(float(n))


# -- medicine ----------------------------------------------------------------------------------

ACCURACY: Mapping[str, tuple[str, str]] = {
    "sensitivity": ("tp", "positives"),
    "specificity": ("tn", "negatives"),
    "precision": ("tp", "called"),
    "negative_predictive_value": ("tn", "cleared"),
    "positive_likelihood_ratio": ("", ""),
    "negative_likelihood_ratio": ("", ""),
    "prevalence": ("positives", "total"),
}
"""Items of a report of diagnostic accuracy (STARD 2015), and the counts of each share."""


FROM_PREVALENCE = ("precision", "negative_predictive_value", "prevalence")
"""Items that follow from the prevalence, and so from no count of rows if it is assumed."""


def _studied(ev: Evaluation, model: str) -> Counts:
    """Return the counts of the rows as they were studied, before a prevalence was assumed.

    An assumed prevalence multiplies the weights of a class, which leaves the effective number of
    rows in each cell unchanged.
    """
    tally = ev.model(model).models[0].labels
    rows, _ = effective_cells(np.asarray(tally.counts), tally.sum_squared_weights)
    return LabelTally(tally.labels, rows.round(6)).binary(ev.positive)


def _medicine(ev: Evaluation, model: str, c: Counts) -> InUse:
    disease, other = _classes(ev)
    assumed = any(note.rule == PREVALENCE.code for note in ev.notes)
    c = _studied(ev, model) if assumed else c
    totals = {k: float(getattr(c, k)) for k in ("tp", "tn", "positives", "negatives", "total")}
    totals |= {"called": float(c.tp + c.fp), "cleared": float(c.fn + c.tn)}
    rows: list[Row] = []
    for name, (part, whole) in ACCURACY.items():
        of = f"{words.count(totals[part])} / {words.count(totals[whole])}" if whole else ""
        of = "prevalence assumed" if assumed and name in FROM_PREVALENCE else of
        rows.append((title_of(ev, name), of, _value(ev, model, name)))
    heads = ("Accuracy of the test", "Rows", _value_head(ev))
    accuracy = Grid(heads, rows, "Diagnostic accuracy, as STARD asks for it")
    place, labels = ev.names.index(model), ev.model(model).models[0].labels.labels
    key = f"models.{place}.tally.counts."
    negative = next(label for label in labels if label != ev.positive)

    def counts_of(label: Label | None) -> list[Cell]:
        """Return how many rows of each class were predicted as this label."""
        return [
            Cell(
                _count(n),
                key="" if assumed else f"{key}{labels.index(true)}.{labels.index(label)}",
            )
            for true, n in zip((ev.positive, negative), counted[label == ev.positive], strict=True)
        ]

    counted = {True: (c.tp, c.fp), False: (c.fn, c.tn)}
    cross = Grid(
        ("", disease, other, "total"),
        [
            ("test positive", *counts_of(ev.positive), _count(c.tp + c.fp)),
            ("test negative", *counts_of(negative), _count(c.fn + c.tn)),
            ("total", *map(_count, (c.positives, c.negatives, c.total))),
        ],
        f"Index test by reference standard{', as counted' if assumed else ''}",
    )
    before, results = ev.values()[model]["prevalence"].value, _results(ev, model)
    after = [f"{words.share(r.after)} after a {r.name} result" for r in results]
    sentence = (
        f"At a prevalence of {words.share(before)}, the probability of {disease} is "
        f"{' and '.join(after)}."
        if after
        else f"{words.text(model)} as a test for {disease}."
    )
    with_ratio = [r for r in results if not math.isnan(r.ratio)]
    undrawn = [r for r in results if r not in with_ratio]
    charts = (_nomogram(before, with_ratio, undrawn),) if with_ratio else ()
    return InUse("As a diagnostic test", sentence, (cross, accuracy), charts)


@dataclass(frozen=True, slots=True)
class Result:
    """A test result: the post-test probability of the disease, and its likelihood ratio.

    The ratio is NaN if the nomogram cannot show it.
    """

    name: str
    after: float
    ratio: float


def _results(ev: Evaluation, model: str) -> list[Result]:
    """Return the test results for which the post-test probability is defined."""
    values = ev.values()[model]
    ppv, npv = values["precision"], values["negative_predictive_value"]
    after = {"positive": (ppv, ppv.value), "negative": (npv, 1 - npv.value)}
    results = []
    for name, (v, probability) in after.items():
        if not v.reason:
            ratio = values[f"{name}_likelihood_ratio"].value
            results.append(Result(name, probability, ratio if 0 < ratio < math.inf else math.nan))
    return results


def _nomogram(before: float, results: Sequence[Result], undrawn: Sequence[Result]) -> Chart:
    """Return Fagan's nomogram, and which result it cannot show."""
    steps = "; ".join(
        f"{r.name} result: likelihood ratio {words.number(r.ratio)}, from {words.share(before)} to "
        f"{words.share(r.after)}"
        for r in results
    )
    drawn = Nomogram(before, [(r.name, r.ratio) for r in results])
    text = f"A line through the likelihood ratio leads to the post-test probability: {steps}."
    if drawn.clipped:
        text += (
            f" What is below {words.share(10.0**-MOST_DECADES)} or above "
            f"{words.share(1 - 10.0**-MOST_DECADES)} is drawn at the end of the axis."
        )
    for r in undrawn:
        text += (
            f" A {r.name} result has no line: the post-test probability is {words.share(r.after)}."
        )
    return Chart(
        "From pre-test to post-test probability", drawn, words=text, description=f"{steps}."
    )


# -- marketing ---------------------------------------------------------------------------------


def _marketing(ev: Evaluation, model: str, c: Counts) -> InUse | None:
    one = ev.model(model)
    if not one.models[0].scores:
        return None
    d, place = one.curve("deciles"), ev.names.index(model)
    base, responses = float(c.positives / c.total), 0.0
    rows: list[Row] = []
    for i, (n, rate) in enumerate(zip(d.counts, d.y, strict=True)):  # type: ignore[arg-type]
        responses += n * rate
        rows.append(
            (
                f"{i + 1}",
                words.count(round(n, 1)),
                words.count(round(n * rate, 1)),
                Cell(words.percent(rate), key=f"models.{place}.curves.deciles.y.{i}"),
                words.between_percents(d.low[i], d.high[i]),  # type: ignore[index]
                words.number(rate / base),
                words.percent(responses / float(c.positives)),
            )
        )
    heads = (
        "Tenth",
        ev._noun.many,
        "responses",
        "response rate",
        words.interval_head(ev.level),
        "lift",
        "responses so far",
    )
    (_, amount), rate = budget_of(ev), ev.values()[model]["response_rate_at"].value
    sentence = (
        f"Of the {amount} that {words.text(model)} scores highest {words.percent(rate)} respond, "
        f"of all {ev._noun.many} {words.percent(base)}. Contacting them pays where a response "
        f"earns more than {words.number(1 / rate, 2)} contacts cost; set both under “Threshold and "
        "cost”."
        if rate
        else f"Nobody of the {amount} that {words.text(model)} scores highest responds."
    )
    caption = f"Response by tenth of the {ev._noun.many}, from the highest scores down"
    if any(n * rate % 1 for n, rate in zip(d.counts, d.y, strict=True)):  # type: ignore[arg-type]
        caption += "; equal scores at the edge of a tenth are split in proportion"
    return InUse("As a campaign", sentence, (Grid(heads, rows, caption),))


# -- defects -----------------------------------------------------------------------------------

DEFECTS = (
    "sensitivity",
    "false_positive_rate",
    "balance",
    "geometric_mean",
    "youden_j",
    "precision",
    *(name for name in HEADLINE if get(name)._role),
)
"""Metrics of decisions, then those that read numbers of rows."""


def _defects(ev: Evaluation, model: str, c: Counts) -> InUse:
    values = ev.values()[model]
    pd, pf = values["sensitivity"].value, values["false_positive_rate"].value
    away = (pf**2 + (1 - pd) ** 2) ** 0.5
    sentence = (
        f"{words.text(model)} is {words.number(away)} away from the ideal point (pf 0, pd 1). Its "
        f"balance is 1 less that distance over √2: {words.value(values['balance'])}."
    )
    rows: list[Row] = [
        (title_of(ev, n), get(n).words.formula, _value(ev, model, n))
        for n in DEFECTS
        if n in values
    ]
    heads = ("Metric", "Formula", _value_head(ev))
    return InUse("As a defect predictor", sentence, (Grid(heads, rows, left=(0, 1)),))


# -- teaching ----------------------------------------------------------------------------------

WORKED: Mapping[str, str] = {
    "accuracy": "(TP + TN) / (TP + FP + FN + TN)",
    "sensitivity": "",
    "specificity": "",
    "false_positive_rate": "",
    "false_negative_rate": "",
    "precision": "",
    "negative_predictive_value": "",
    "f1": "2·TP / (2·TP + FP + FN)",
    "youden_j": "TP / (TP + FN) - FP / (FP + TN)",
    "balanced_accuracy": "(TP / (TP + FN) + TN / (TN + FP)) / 2",
    "matthews_corrcoef": "(TP·TN - FP·FN) / √((TP + FP)·(TP + FN)·(TN + FP)·(TN + FN))",
    "cohen_kappa": "2·(TP·TN - FP·FN) / ((TP + FP)·(FP + TN) + (TP + FN)·(FN + TN))",
    "diagnostic_odds_ratio": "",
    "jaccard": "",
}
"""Metrics worked out step by step, with formulas of the four counts where these differ."""

MOST_THRESHOLDS = 21
"""Thresholds in the table, selected if there are more."""


def worked(formula: str, c: Counts) -> str:
    """Return a formula of the four counts with the counts inserted.

    >>> from tallymark.tally.labels import Counts, LabelTally
    >>> worked("TP / (TP + FN)", Counts(70.0, 20.0, 30.0, 80.0))
    '70 / (70 + 30)'
    """
    return re.sub(
        r"\b(TP|FP|FN|TN)\b", lambda m: words.count(float(getattr(c, m[1].lower()))), formula
    )


def _teaching(ev: Evaluation, model: str, c: Counts) -> InUse:
    rows: list[Row] = []
    for name, formula in WORKED.items():
        of_counts = formula or get(name).words.formula
        value = ev.values()[model].get(name)
        if value is not None:
            filled = worked(of_counts, c)
            title = get(name).title
            if (opinion := get(name).words._opinion) and not value.reason:
                title += f" ({opinion[1](value.value)}, as {opinion[0]} call it)"
            rows.append((title, of_counts, filled, _value(ev, model, name)))
    table = Grid(("Metric", "Formula", "With these rows", _value_head(ev)), rows, left=(0, 1, 2))
    folded = {}
    one = ev.model(model)
    if one.models[0].scores:
        every = one.thresholds().rows
        step = max(1, -(-len(every) // MOST_THRESHOLDS))
        listed = Listing(every[::step])
        cut = f"{len(listed)} of {len(every)} thresholds" if step > 1 else "Every threshold"
        (grid,) = (b for b in listing(listed) if isinstance(b, Grid))
        folded["The counts and rates at each threshold"] = replace(
            grid,
            caption=f"{cut}; rows at or above it are called positive. "
            "tallymark thresholds prints all.",
        )
    sentence = (
        f"Every number of {words.text(model)} follows from four counts: TP {_count(c.tp)}, "
        f"FP {_count(c.fp)}, FN {_count(c.fn)}, TN {_count(c.tn)}."
    )
    return InUse("Worked by hand", sentence, (table,), folded=folded)


ERRATA_TITLE = "Formulas that a source prints wrongly"


def _errata(misprints: Listing) -> Grid:
    """Return the formulas that a source misprints, with the right ones."""
    heads = ("Metric", "As printed", "gives", "right", "What is wrong")
    rows: list[Row] = [
        (
            r["metric"],
            Cell(r["printed"], r["source"]),
            words.number(r["as_printed"]),
            words.number(r["right"]),
            r["wrong"],
        )
        for r in misprints
    ]
    return Grid(
        heads, rows, "As printed in the documents that the metrics are from", left=(0, 1, 4)
    )


def _classes(ev: Evaluation) -> tuple[str, str]:
    """Return the names of the positive and of the negative class."""
    other = next(c for c in ev.classes if c != ev.positive)
    return words.text(str(ev.positive)), words.text(other)


SHOWN: Mapping[str, Callable[[Evaluation, str, Counts], InUse | None]] = {
    "medicine": _medicine,
    "marketing": _marketing,
    "defects": _defects,
    "teaching": _teaching,
}
"""The section of each use, by name."""
