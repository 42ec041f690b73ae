"""Warn when a value should not be trusted: each rule has the threshold that triggers it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tallymark.display import Display
from tallymark.findings import notes
from tallymark.findings.finding import Finding
from tallymark.findings.rules import RULES
from tallymark.infer.chance import accuracy_above_majority
from tallymark.infer.label_averages import values_in_rows
from tallymark.infer.methods import APART
from tallymark.infer.sampler import class_rows
from tallymark.metric import get
from tallymark.metric.headlines import AVERAGED, HEADLINE, HEADLINE_MANY
from tallymark.metric.measure import Value
from tallymark.quantities import enumerated, many, percent
from tallymark.reading.indicators import LabelSets
from tallymark.reading.models import NOT_CHECKED, CountedRows, Model
from tallymark.tally.arrays import Label

FEW = 30
"""With fewer rows of a class, its rates are uncertain by more than ±0.1."""

FEW_CLUSTERS = 20
"""With fewer clusters, the variance between clusters is poorly estimated."""

RARE = 0.05
"""With a class rarer than this, accuracy is misleading."""


def cautions(
    counted: CountedRows | LabelSets,
    values: Mapping[str, Mapping[str, Value]],
    stratified: bool = False,
) -> tuple[Finding, ...]:
    """Return the warnings that these data and values call for.

    With ``stratified``, class shares differ from the shares of rows; row counts in the warnings
    are then the actual rows, or the effective number of weighted ones.
    """
    if isinstance(counted, LabelSets):
        return tuple(_of_labels(counted))
    warnings = [*noticed(counted), *_of_rows(counted, stratified)]
    for m in counted.models:
        warnings += _of_model(m, counted, values[m.name])
    return tuple(warnings)


def _of_labels(sets: LabelSets) -> Iterator[Finding]:
    """Yield warnings about labels of few rows or no prediction, and rows without labels."""
    absent = [str(label) for label, rows in sets.support.items() if not rows]
    if absent:
        yield notes.ABSENT_LABEL.finding(
            labels=_first_five(absent), its="its" if len(absent) == 1 else "their"
        )
    few = {str(label): n for label, n in sets.support.items() if 0 < n < FEW}
    if few and sets.weights is None:
        listed = [f"{label} ({n:g})" for label, n in few.items()]
        yield notes.FEW_ROWS_OF_A_LABEL.finding(labels=_first_five(listed), **_one_or_several(few))
    for m in sets.models:
        called = dict(zip(sets.support, np.any(m.decided, axis=0), strict=True))
        never = [str(label) for label, n in sets.support.items() if n and not called[label]]
        if never:
            yield notes.NEVER_PREDICTED.finding(
                m.name, labels=_first_five(never), **_one_or_several(never)
            )
        undefined = {
            metric.in_a_sentence: int(np.isnan(values_in_rows(metric, sets.true, m.decided)).sum())
            for metric in map(get, AVERAGED)
            if metric.wanted == "decisions"
        }
        listed = [f"{title} in {many(n, 'row')}" for title, n in undefined.items() if n]
        if listed:
            first, *rest = listed
            said = enumerated([first.replace(" in ", " is undefined in ", 1), *rest])
            yield notes.EMPTY_ROWS.finding(m.name, metrics=said)


def noticed(counted: CountedRows) -> Iterator[Finding]:
    """Yield what was detected while reading, with advice: see ``source.checks``."""
    checks = {k: v for k, v in counted.source.checks.items() if v != NOT_CHECKED}
    copies = checks.get("duplicates", {})
    if copies:
        yield notes.DUPLICATE_ROWS.finding(
            copies=copies["copies"],
            rows=copies["rows"],
            are_copies="row is a copy" if copies["copies"] == 1 else "rows are copies",
            column=copies["key"],
        )
    for column, n in repeated_ids(counted).items():
        average = n["rows"] / n["values"]
        yield notes.REPEATED_IDS.finding(average=average, most=n["most"], **_named(column))
    for column, n in checks.get("unused_folds", {}).items():
        if counted.source._fold is None:
            yield notes.UNUSED_FOLDS.finding(folds=n["values"], **_named(column))
    for column, training in checks.get("training_rows", {}).items():
        rows = counted.rows + counted.dropped
        yield notes.TRAINING_ROWS.finding(training=training, rows=rows, **_named(column))
    for column in checks.get("unused_weights", ()):
        if not counted.weighted:
            yield notes.UNUSED_WEIGHTS.finding(**_named(column))
    for m in counted.models:
        yield from _suspicious(m, counted)


def repeated_ids(counted: CountedRows) -> dict[str, Mapping[str, int]]:
    """Return the unused ids whose values repeat, with their numbers of rows and values.

    Empty where rows come in clusters; an id that only repeats in copied rows is left out.
    """
    checks = {k: v for k, v in counted.source.checks.items() if v != NOT_CHECKED}
    copies = checks.get("duplicates", {})
    return {
        column: n
        for column, n in checks.get("repeated_ids", {}).items()
        if counted.clusters is None
        and (column != copies.get("key") or n["values"] != copies["rows"] - copies["copies"])
    }


def dependence(counted: CountedRows) -> tuple[Finding, ...]:
    """Return the warnings that rows are not independent, as the intervals assume."""
    found = (*counted.notes, *noticed(counted))
    return tuple(n for n in found if n.rule in RULES and RULES[n.rule].dependence)


def _named(column: str) -> dict[str, str]:
    """Return the forms of a column's name for a sentence and for an argument."""
    return {"column": column, "quoted": repr(column)}


def _suspicious(model: Model, counted: CountedRows) -> Iterator[Finding]:
    """Yield warnings about a model's suspicious counts (possible leakage or duplicate rows)."""
    checks = counted.source.checks
    perfect = checks.get("perfect", {}).get(model.name)
    if perfect is not None:
        rows = " and ".join(f"{n:,.10g} rows of {label}" for label, n in perfect["rows"].items())
        if perfect["cut"] is None:
            yield notes.LEAK_OF_DECISIONS.finding(model.name, rows=rows)
        else:
            yield notes.LEAK.finding(model.name, rows=rows, threshold=perfect["cut"])
    repeated = checks.get("repeated_scores")
    times = repeated.get(model.name, {}) if isinstance(repeated, Mapping) else {}
    if times and counted.clusters is None:
        same = set(times.values()) if len(times) == len(counted.classes) else set()
        each = ", ".join(f"{k} times among rows of {label}" for label, k in times.items())
        if len(same) == 1:
            each = f"{same.pop()} times"
        wider = math.sqrt(max(times.values()))
        yield notes.REPEATED_SCORES.finding(model.name, times=each, factor=wider)


def _of_rows(counted: CountedRows, stratified: bool) -> Iterator[Finding]:
    """Yield warnings about the rows: their number, clusters and classes."""
    n = counted.clusters
    if n == 1:
        yield notes.ONE_CLUSTER.finding(least=FEW_CLUSTERS)
    elif n is not None and n < FEW_CLUSTERS:
        yield notes.FEW_CLUSTERS.finding(clusters=n, least=FEW_CLUSTERS)
    first = counted.models[0].labels
    names = [str(label) for label in first.labels]
    support = dict(zip(names, first.counts.sum(1).tolist(), strict=True))
    where = "at the assumed prevalence, " if stratified else ""
    absent = [k for k, n in support.items() if n == 0]
    present = [k for k, n in support.items() if n > 0]
    if absent and len(present) == 1:
        at_it = " at the assumed prevalence" if stratified else ""
        yield notes.ONE_CLASS.finding(where=at_it, label=present[0])
        return
    if absent:
        yield notes.ABSENT_CLASS.finding(
            where=where, labels=_first_five(absent), its="its" if len(absent) == 1 else "their"
        )
    # Class weights leave rounding errors in the effective counts.
    rows = dict(zip(names, class_rows(first).round(6).tolist(), strict=True))
    few = {k: n for k, n in (rows if stratified else support).items() if 0 < n < FEW}
    if few and not counted.weighted:
        number, classes = _listed(few).split(" of ", 1)
        rows_of = "row of" if number == "1" else "rows of"
        yield notes.FEW_ROWS.finding(rows=f"{number} {rows_of} {classes}")
    total, largest = sum(support.values()), max(support, key=lambda k: support[k])
    share = support[largest] / total if total else 0.0
    if share > 1 - RARE:
        yield notes.IMBALANCE.finding(
            where=where, share=percent(share), label=largest, accuracy=share
        )
    if stratified and counted.positive is not None and any(m.scores for m in counted.models):
        yield from _of_the_top(str(counted.positive), support, rows)
    if counted.weighted and stratified:
        worth = {k: round(n, 1) if n < 100 else round(n) for k, n in rows.items() if n > 0}
        yield notes.WEIGHTED_IN_THE_FIELD.finding(sizes=_listed(worth))
    elif counted.weighted:
        yield notes.WEIGHTED.finding()


def _of_the_top(
    positive: str, support: Mapping[str, float], rows: Mapping[str, float]
) -> Iterator[Finding]:
    """Warn if positives are so rare in the target population that a few negatives outweigh them.

    Precision at the highest scores then depends on how many of those few negatives were sampled:
    a sample without any looks perfect, and so do its resamples.
    """
    (negative,) = (k for k in support if k != positive)
    decide = rows[negative] * support[positive] / (support[negative] or math.nan)
    if decide < FEW:
        yield notes.FEW_DECIDE.finding(
            few=math.ceil(decide),
            rows=rows[negative],
            negative=negative,
            weigh="weighs" if decide <= 1 else "weigh",
            positive=positive,
        )


def _one_or_several(labels: Collection[str]) -> dict[str, str]:
    one = len(labels) == 1
    return {"its": "its" if one else "their", "label_or_labels": "label" if one else "labels"}


def _first_five(names: Sequence[str]) -> str:
    """Return the first five names, and how many more there are."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _listed(rows: Mapping[str, float]) -> str:
    """Return the rows per class in words; with many classes, only the five smallest."""
    if len(rows) > 5:
        rows = dict(sorted(rows.items(), key=lambda kv: kv[1]))
    further = many(len(rows) - 5, "further class", "further classes")
    more = f" and {further}" if len(rows) > 5 else ""
    return ", ".join(f"{n:,.10g} of {k}" for k, n in list(rows.items())[:5]) + more


def one_decision(model: Model, counted: CountedRows) -> Finding | None:
    """Return the warning that all rows get one prediction, with the threshold that causes it."""
    decisions = model.labels.counts.sum(0)
    if counted.positive is None or (decisions > 0).sum() != 1 or model.labels.rows <= 1:
        return None
    label = str(model.labels.labels[int((decisions > 0).argmax())])
    cut = model.threshold
    scores = model.scores[0].scores if model.scores else np.empty(0)
    if cut is None or not len(scores) or not scores[-1] < cut < math.inf:
        return notes.ONE_DECISION.finding(model.name, label=label)
    said = {"threshold": cut, "low": scores[0], "high": scores[-1], "label": label}
    if scores[0] >= 0 and scores[-1] <= 1 < cut <= 100:
        return notes.PERCENT_ABOVE_EVERY_SCORE.finding(model.name, **said, meant=cut / 100)
    return notes.ABOVE_EVERY_SCORE.finding(model.name, **said)


def _of_model(model: Model, counted: CountedRows, values: Mapping[str, Value]) -> Iterator[Finding]:
    """Yield warnings about a model."""
    if (same := one_decision(model, counted)) is not None:
        yield same
    # Some of a hundred metrics are always undefined, so check only the headline metrics.
    first = HEADLINE if counted.positive is not None else HEADLINE_MANY
    looked_at = [v for v in values.values() if v.metric in first]
    undefined = {v.metric: v.reason for v in looked_at if v.reason}
    if undefined:
        some = ", ".join(list(undefined)[:4])
        more = f" and {len(undefined) - 4} more" if len(undefined) > 4 else ""
        reason = min(sorted(set(undefined.values())), key=len)
        yield notes.UNDEFINED.finding(model.name, metrics=some + more, reason=reason)
    apart = [get(v.metric).in_a_sentence for v in looked_at if v.warning == APART]
    if apart:
        yield notes.ROWS_APART.finding(model.name, reason=APART, metrics=", ".join(apart))
    narrow = [v for v in looked_at if v.warning not in (None, APART)]
    if narrow:
        why: dict[str, list[str]] = {}
        for v in narrow:
            why.setdefault(str(v.warning), []).append(get(v.metric).in_a_sentence)
        yield notes.FEW_CARRY.finding(model.name, reasons=_reasons(model.name, why))
    yield from _of_one_value(model.name, looked_at)


def _reasons(model: str, why: Mapping[str, Sequence[str]]) -> str:
    """Return why intervals may be too narrow, with the metrics of each reason.

    >>> _reasons("p", {"it depends mostly on few rows": ["average precision"]})
    'average precision of p depends mostly on few rows'
    """
    listed, named = [], []
    for reason, titles in why.items():
        head, it, tail = reason.partition("it ") if len(titles) <= 3 else (reason, "", "")
        if not it:
            listed.append(f"{reason} ({', '.join(titles)})")
        elif len(titles) > 1 and tail.startswith("depends"):
            named.append(f"{enumerated(titles)} of {model} depend{tail[len('depends') :]}")
        else:
            named.append(f"{head}{enumerated(titles)} of {model} {tail}")
    return "; ".join([*([f"{model}: {'; '.join(listed)}"] if listed else []), *named])


def _of_one_value(model: str, values: Sequence[Value]) -> Iterator[Finding]:
    """Yield warnings that a single value of a model triggers, each rule once."""
    warnings: dict[str, Finding] = {}
    for v in values:
        metric = get(v.metric)
        if metric._sampling.row_loss is not None and math.isinf(v.value):
            warnings["infinite"] = notes.HELD_IMPOSSIBLE.finding(model, metric=metric.in_a_sentence)
        if metric._roc_area is not None and v.high < 0.5:
            warnings["reversed"] = notes.REVERSED.finding(model, area=v)
    yield from warnings.values()


# -- the most frequent class -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class NoInformation(Display):
    """The accuracy of always predicting the most frequent class (no-information rate).

    ``p_values``, by model: of an accuracy above that of this rule on the same rows (one-sided
    McNemar mid-p; :func:`tallymark.infer.chance.accuracy_above_majority`); None for weighted rows.
    """

    label: Label
    rate: float
    p_values: Mapping[str, float | None]


def no_information(models: Sequence[Model], exact: bool = True) -> NoInformation:
    """Return the share of the most frequent class, and each model's p-value against it.

    Without ``exact``, p-values are None: the test needs unweighted, independent rows.
    """
    support = models[0].labels.counts.sum(1)
    total = float(support.sum())
    i = int(np.argmax(support))
    rate = float(support[i]) / total if total else math.nan
    p_values = {m.name: accuracy_above_majority(m.labels) if exact else None for m in models}
    return NoInformation(models[0].labels.labels[i], rate, p_values)
