"""When a number should not be trusted: each warning is a rule with the number that triggers it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tallymark.display import Display
from tallymark.infer.label_averages import values_in_rows
from tallymark.infer.methods import APART
from tallymark.infer.sampler import class_rows
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.part import parts, with_added
from tallymark.quantities import percent
from tallymark.reading.checks import NOT_CHECKED
from tallymark.reading.indicators import LabelSets
from tallymark.reading.models import CountedRows, Model, Note
from tallymark.tally.arrays import Label

HEADLINE = with_added(
    "headline",
    (
        "accuracy",
        "balanced_accuracy",
        "sensitivity",
        "specificity",
        "precision",
        "negative_predictive_value",
        "f1",
        "matthews_corrcoef",
        "cohen_kappa",
        "youden_j",
        "roc_auc",
        "average_precision",
        "brier",
        "log_loss",
    ),
)
"""What is shown first of two classes, of what the rows say anything about."""

HEADLINE_MANY = (
    "accuracy",
    "balanced_accuracy",
    "cohen_kappa",
    "matthews_corrcoef",
    "sensitivity",
    "precision",
    "f1",
    "roc_auc",
    "average_precision",
    "brier",
    "log_loss",
)
"""What is shown first of more than two classes; rates of one class are averaged over classes."""

HEADLINE_LABELS = (
    "subset_accuracy",
    "hamming_loss",
    "ranking_loss",
    "coverage_error",
    "label_ranking_average_precision",
    "precision",
    "sensitivity",
    "f1",
    "jaccard",
    "roc_auc",
    "average_precision",
)
"""What is shown first of several labels a row; metrics of one label are averaged over labels."""

AVERAGED = HEADLINE_LABELS[5:]
"""What of one label is shown under every average, and of each label."""

PER_CLASS = (
    "sensitivity",
    "specificity",
    "precision",
    "f1",
    "prevalence",
    "roc_auc",
    "average_precision",
)
"""What is shown of each class against the rest, where there are more than two."""

CODES = (
    "absent-class",
    "duplicate-rows",
    "few-carry",
    "few-clusters",
    "few-decide",
    "few-rows",
    "held-impossible",
    "imbalance",
    "inexact-counts",
    "leak",
    "no-cut",
    "not-probabilities",
    "one-class",
    "one-decision",
    "one-threshold",
    "repeated-ids",
    "repeated-scores",
    "report-mistakes",
    "report-rounded",
    "reversed",
    "rows-apart",
    "rows-without-partner",
    "subgroups-in-bins",
    "threshold-chosen",
    "training-rows",
    "undefined",
    "weighted",
)
"""The codes of warnings, beside those of parts."""


def codes_of_warnings() -> tuple[str, ...]:
    """Return the codes of all warnings, including those that parts give."""
    return (*CODES, *(code for part in parts() for code in part.warnings))


CHECKS = {
    "duplicate-rows": "duplicates",
    "leak": "perfect",
    "repeated-ids": "repeated_ids",
    "repeated-scores": "repeated_scores",
    "training-rows": "training_rows",
}
"""Warnings that rest on a check of the source, which not every route makes."""

FEW = 30
"""Fewer rows of a class than this make its rates uncertain by more than a tenth either way."""

FEW_CLUSTERS = 20
"""Fewer clusters than this say little of how clusters vary."""

RARE = 0.05
"""A class rarer than this makes accuracy say little."""


def cautions(
    counted: CountedRows | LabelSets,
    values: Mapping[str, Mapping[str, Value]],
    stratified: bool = False,
) -> tuple[Note, ...]:
    """Return the warnings that these data and values call for.

    With ``stratified`` the classes have other shares than their rows do: what is said of rows is
    then told of those that there really are, weighted ones by their effective number.
    """
    if isinstance(counted, LabelSets):
        return _of_labels(counted)
    notes = noticed(counted)
    notes += [Note(code, "warning", text) for code, text in _of_rows(counted, stratified).items()]
    for m in counted.models:
        of_model = _of_model(m, counted, values[m.name]).items()
        notes += [Note(code, "warning", f"{m.name}{text}", m.name) for code, text in of_model]
    return tuple(notes)


def _of_labels(sets: LabelSets) -> tuple[Note, ...]:
    """Return what is to be said of labels that no row has, and of rows that no label is true of."""
    notes, absent = [], [str(label) for label, rows in sets.support.items() if not rows]
    if absent:
        some = ", ".join(absent[:5]) + (f" and {len(absent) - 5} more" if absent[5:] else "")
        text = (
            f"no row has the label {some}: rates among its rows are undefined, and so are averages "
            "over all labels, unless skip_undefined=True"
        )
        notes.append(Note("absent-label", "warning", text))
    for m in sets.models:
        undefined = {
            metric.in_a_sentence: int(np.isnan(values_in_rows(metric, sets.true, m.decided)).sum())
            for metric in map(get, AVERAGED)
            if metric.wanted == "decisions"
        }
        said = [f"{title} in {n:,} rows" for title, n in undefined.items() if n]
        if said:
            text = (
                f"{m.name} has no positives for {', '.join(said)}: averages over rows (samples) "
                "count them as 0, as scikit-learn does, or leave them out with skip_undefined=True"
            )
            notes.append(Note("empty-rows", "assumed", text, m.name))
    return tuple(notes)


def noticed(counted: CountedRows) -> list[Note]:
    """Return what was noticed while reading, and what to do about it: see ``source.checks``."""
    checks = {k: v for k, v in counted.source.checks.items() if v != NOT_CHECKED}
    notes, copies = [], checks.get("duplicates", {})
    if copies:
        many = "row is a copy" if copies["copies"] == 1 else "rows are copies"
        text = (
            f"{copies['copies']:,} of {copies['rows']:,} {many} of another one in every column, "
            f"including `{copies['key']}`; intervals treat them as independent. Remove them"
        )
        notes.append(Note("duplicate-rows", "warning", text))
    for column, n in checks.get("repeated_ids", {}).items():
        explained = column == copies.get("key") and n["values"] == copies["rows"] - copies["copies"]
        if counted.clusters is None and not explained:
            text = (
                f"{n['rows'] / n['values']:.1f} rows per `{column}` on average (max {n['most']:,});"
                f" intervals assume independent rows. Use cluster={column!r}"
            )
            notes.append(Note("repeated-ids", "warning", text))
    for column, n in checks.get("unused_folds", {}).items():
        if counted.source.fold is None:
            text = (
                f"`{column}` looks like the {n['values']} folds of a cross-validation and is not "
                f"used; fold={column!r} judges each"
            )
            notes.append(Note("unused-folds", "assumed", text))
    for column, rows in checks.get("training_rows", {}).items():
        text = (
            f"`{column}` marks {rows:,} of {counted.rows + counted.dropped:,} rows as training "
            "rows, where a model looks better than on new ones. Leave them out, or judge each part "
            f"with subgroup={column!r}"
        )
        notes.append(Note("training-rows", "warning", text))
    for column in checks.get("unused_weights", ()):
        if not counted.weighted:
            text = f"`{column}` is not used; if it holds sampling weights, say weight={column!r}"
            notes.append(Note("unused-weights", "assumed", text))
    for m in counted.models:
        leaks = _leaks(m, counted).items()
        notes += [Note(code, "warning", f"{m.name}{text}", m.name) for code, text in leaks]
    return notes


def _leaks(model: Model, counted: CountedRows) -> dict[str, str]:
    """Return what in a model's counts is too good, or too regular, to be true, after its name."""
    notes, checks = {}, counted.source.checks
    perfect = checks.get("perfect", {}).get(model.name)
    if perfect is not None:
        rows = " and ".join(f"{n:,.10g} rows of {label}" for label, n in perfect["rows"].items())
        if perfect["cut"] is None:
            notes["leak"] = (
                f" equals the true class in all {rows}: a possible leak. Check that it is not a "
                "copy of the label, and that the model was trained on other rows"
            )
        else:
            notes["leak"] = (
                f" separates all {rows} at {perfect['cut']:.6g} (ROC AUC exactly 1): a possible "
                "leak or duplicated rows. Check that no feature holds the label, and that the "
                "model was trained on other rows"
            )
    repeated = checks.get("repeated_scores")
    times = repeated.get(model.name, {}) if isinstance(repeated, Mapping) else {}
    if times and counted.clusters is None:
        same = set(times.values()) if len(times) == len(counted.classes) else set()
        each = ", ".join(f"{k} times among rows of {label}" for label, k in times.items())
        if len(same) == 1:
            each = f"{same.pop()} times"
        wider = math.sqrt(max(times.values()))
        notes["repeated-scores"] = (
            f": every distinct score occurs {each}, or a multiple: possible duplicated rows, as in "
            f"an upsampled test set, which make intervals up to {wider:.2g} times too narrow. Use "
            "every row once"
        )
    return notes


def _of_rows(counted: CountedRows, stratified: bool) -> dict[str, str]:
    """Return what is to be said of the rows, by its code."""
    notes: dict[str, str] = {}
    n = counted.clusters
    if n is not None and n < FEW_CLUSTERS:
        clusters = "is only one cluster" if n == 1 else f"are only {n} clusters"
        then = "no interval can be computed" if n == 1 else "intervals are less reliable"
        notes["few-clusters"] = (
            f"there {clusters}, too few to show how clusters vary: {then}; use {FEW_CLUSTERS} or "
            "more"
        )
    first = counted.models[0].labels
    names = [str(label) for label in first.labels]
    support = dict(zip(names, first.counts.sum(1).tolist(), strict=True))
    where = "at the assumed prevalence, " if stratified else ""
    absent = [k for k, n in support.items() if n == 0]
    present = [k for k, n in support.items() if n > 0]
    if absent and len(present) == 1:
        notes["one-class"] = (
            f"{where}all rows are of {present[0]}: metrics that compare classes are undefined"
        )
        return notes
    if absent:
        some = ", ".join(absent[:5])
        notes["absent-class"] = f"{where}no row is of {some}: its rates are undefined"
    # Rounded, since classes that count for more or less have their rows back up to a hair.
    rows = dict(zip(names, class_rows(first).round(6).tolist(), strict=True))
    few = {k: n for k, n in (rows if stratified else support).items() if 0 < n < FEW}
    if few and not counted.weighted:
        notes["few-rows"] = (
            f"there are only {_listed(few)}: metrics that depend on them have wide intervals and "
            "change with every row"
        )
    total, largest = sum(support.values()), max(support, key=lambda k: support[k])
    share = support[largest] / total if total else 0.0
    if share > 1 - RARE:
        notes["imbalance"] = (
            f"{where}{percent(share)} of the rows are {largest}: always predicting it has "
            f"accuracy {share:.3f}, so use balanced accuracy, MCC, precision and recall instead of "
            "accuracy"
        )
    if stratified and counted.positive is not None and any(m.scores for m in counted.models):
        notes |= _of_the_top(str(counted.positive), support, rows)
    if counted.weighted and stratified:
        worth = {k: round(n, 1) if n < 100 else round(n) for k, n in rows.items() if n > 0}
        notes["weighted"] = (
            f"rows have weights, effective sample size {_listed(worth)}: intervals other than "
            "DeLong's use these sizes and are approximate"
        )
    elif counted.weighted:
        notes["weighted"] = (
            "rows have weights: intervals treat rows as drawn independently, and are less reliable "
            "where few rows carry most weight"
        )
    return notes


def _of_the_top(
    positive: str, support: Mapping[str, float], rows: Mapping[str, float]
) -> dict[str, str]:
    """Warn where positives are so rare in the field that a few negatives outweigh them all.

    Precision at the highest scores is then decided by how many of those few are there: a sample
    that has none of them looks perfect, and its resamples do too.
    """
    (negative,) = (k for k in support if k != positive)
    decide = rows[negative] * support[positive] / (support[negative] or math.nan)
    if not decide < FEW:
        return {}
    weigh = "weighs" if decide <= 1 else "weigh"
    return {
        "few-decide": f"{math.ceil(decide)} of the {rows[negative]:,.0f} rows of {negative} "
        f"{weigh} as much as all of {positive} in the field: metrics of the highest "
        "scores, such as average precision, depend on these few, look better than "
        "they are, and have too narrow intervals"
    }


def _listed(rows: Mapping[str, float]) -> str:
    """Return how many rows of which class, the fewest first of very many."""
    if len(rows) > 5:
        rows = dict(sorted(rows.items(), key=lambda kv: kv[1]))
    more = f" and {len(rows) - 5} further classes" if len(rows) > 5 else ""
    return ", ".join(f"{n:,.10g} of {k}" for k, n in list(rows.items())[:5]) + more


def _of_model(model: Model, counted: CountedRows, values: Mapping[str, Value]) -> dict[str, str]:
    """Return what is to be said of a model, after its name."""
    notes: dict[str, str] = {}
    called = model.labels.counts.sum(0)
    if counted.positive is not None and (called > 0).sum() == 1 and model.labels.rows > 1:
        label = model.labels.labels[int((called > 0).argmax())]
        notes["one-decision"] = f" predicts {label} for every row: try another threshold"
    # Of a hundred metrics some are always undefined: those that are looked at first matter.
    first = HEADLINE if counted.positive is not None else HEADLINE_MANY
    looked_at = [v for v in values.values() if v.metric in first]
    undefined = {v.metric: v.reason for v in looked_at if v.reason}
    if undefined:
        some = ", ".join(list(undefined)[:4])
        more = f" and {len(undefined) - 4} more" if len(undefined) > 4 else ""
        reason = min(sorted(set(undefined.values())), key=len)
        notes["undefined"] = f": {some}{more} undefined ({reason}); they are left out, not 0"
    apart = [get(v.metric).in_a_sentence for v in looked_at if v.warning == APART]
    if apart:
        notes["rows-apart"] = f": {APART} ({', '.join(apart)})"
    narrow = [v for v in looked_at if v.warning not in (None, APART)]
    if narrow:
        why: dict[str, list[str]] = {}
        for v in narrow:
            why.setdefault(str(v.warning), []).append(get(v.metric).in_a_sentence)
        reasons = "; ".join(f"{reason} ({', '.join(titles)})" for reason, titles in why.items())
        notes["few-carry"] = f": {reasons}, so the interval may be too narrow"
    for v in looked_at:
        metric = get(v.metric)
        if metric._sampling.row_loss is not None and math.isinf(v.value):
            notes["held-impossible"] = (
                " gave probability 0 to a class that then occurred, so its "
                f"{metric.in_a_sentence} is infinite. Clip or calibrate its scores."
            )
        if metric.roc_area is not None and v.high < 0.5:
            notes["reversed"] = (
                f" ranks worse than chance (AUC {v.value:.3f}): check which class the score is for"
            )
    return notes


# -- the most frequent class -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class NoInformation(Display):
    """What always naming the most frequent class achieves.

    ``p_values``, by model: the chance of an accuracy at least as high if the true accuracy were
    ``rate`` (one-sided exact binomial); None for weighted rows.
    """

    label: Label
    rate: float
    p_values: Mapping[str, float | None]


def no_information(models: Sequence[Model], exact: bool = True) -> NoInformation:
    """Return the share of the most frequent class, and each model's p-value against it.

    Without ``exact`` there are none: the binomial test is of rows that count once.
    """
    support = models[0].labels.counts.sum(1)
    total = float(support.sum())
    i = int(np.argmax(support))
    rate = float(support[i]) / total if total else math.nan
    p_values = {
        m.name: _at_least(float(np.trace(m.labels.counts)), total, rate) if exact else None
        for m in models
    }
    return NoInformation(models[0].labels.labels[i], rate, p_values)


def _at_least(hits: float, rows: float, rate: float) -> float | None:
    """Return the chance of at least so many hits when each row is one with chance ``rate``."""
    if not rows or rate >= 1:
        return None
    if hits <= 0:
        return 1.0
    from scipy.special import betainc

    return float(betainc(hits, rows - hits + 1, rate))
