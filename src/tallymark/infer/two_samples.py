"""Match models on different rows, check that they are comparable, and note differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from tallymark.errors import InputError
from tallymark.infer.sampler import class_rows
from tallymark.metric import Metric
from tallymark.metric.skew import moves_with_prevalence
from tallymark.reading.indicators import LabelSets, SetModel
from tallymark.reading.models import CountedRows, Model
from tallymark.tally.arrays import Label

Counted: TypeAlias = CountedRows | LabelSets
OneModel: TypeAlias = Model | SetModel


def titles_of(a: Counted, b: Counted, called: tuple[str, str] | None) -> tuple[str, str]:
    """Return the names of two samples; by default those of their sources."""
    if called is None:
        one, two = a.source.name, b.source.name
        return (one, two) if one != two else ("first", "second")
    if isinstance(called, str) or len(called) != 2 or called[0] == called[1]:
        raise InputError(f"called is {called!r}; give two different names, such as ('a', 'b')")
    return str(called[0]), str(called[1])


def refuse_other_questions(a: Counted, b: Counted, titles: tuple[str, str]) -> None:
    """Raise InputError for samples with different classes or label types, or the same rows."""
    if isinstance(a, LabelSets) != isinstance(b, LabelSets):
        several = titles[isinstance(b, LabelSets)]
        raise InputError(
            f"{several} has several labels a row and the other one class; compare one label, "
            "ev.label(...), with it"
        )
    if a is b or (_rows_of(a) is not None and _rows_of(a) is _rows_of(b)):
        raise InputError(
            "both sides are the same rows; use compare(), which is more precise for models on the "
            "same rows"
        )

    def listed(labels: Sequence[Label]) -> str:
        more = f" and {len(labels) - 5} more" if len(labels) > 5 else ""
        return ", ".join(repr(label) for label in labels[:5]) + more

    # The order of two classes does not matter; with more, metrics of ordered classes use it.
    alike = set(a.classes) == set(b.classes) if len(a.classes) == 2 else a.classes == b.classes
    if not alike:
        raise InputError(
            f"{titles[0]} has the classes {listed(a.classes)} and {titles[1]} {listed(b.classes)}; "
            "give evaluate() the same classes=... for both"
        )
    if a.positive != b.positive:
        raise InputError(
            f"the positive class is {a.positive!r} in {titles[0]} and {b.positive!r} in "
            f"{titles[1]}; give evaluate() the same positive=... for both"
        )


def _rows_of(counted: Counted) -> Any:
    """Return the rows if they were kept, else None."""
    return counted.true if isinstance(counted, LabelSets) else counted.joint


def matched_models(
    a: Counted, b: Counted, titles: tuple[str, str]
) -> tuple[list[tuple[OneModel, OneModel]], list[str]]:
    """Return pairs of models of the same name, or the only model of each, and unmatched names."""
    of_second: dict[str, OneModel] = {m.name: m for m in b.models}
    both: list[tuple[OneModel, OneModel]]
    both = [(m, of_second[m.name]) for m in a.models if m.name in of_second]
    if both:
        names = {m.name for m, _ in both}
        unmatched = [
            f"{m.name} ({title})"
            for c, title in zip((a, b), titles, strict=True)
            for m in c.models
            if m.name not in names
        ]
        return both, [f"left out, on one side only: {', '.join(unmatched)}"] if unmatched else []
    if len(a.models) == len(b.models) == 1:
        return [(a.models[0], b.models[0])], []
    names_of = [", ".join(repr(m.name) for m in c.models) for c in (a, b)]
    raise InputError(
        f"no model has the same name on both sides ({names_of[0]} in {titles[0]}, {names_of[1]} in "
        f"{titles[1]}); use the same name, or choose one per side with .model(name)"
    )


def rows_of_each(rows: Sequence[int], widths: Sequence[float]) -> float:
    """Return the rows per sample that would give the same standard error of the difference.

    The less precise sample counts for more, because its variance is the larger part.
    """
    total = sum(w**2 for w in widths)
    if not total > 0:  # NaN without an interval
        return 2 / sum(1 / n for n in rows)
    return sum(w**2 / total * n for w, n in zip(widths, rows, strict=True))


def notes_on_thresholds(
    matched: Sequence[tuple[OneModel, OneModel]], titles: tuple[str, str]
) -> list[str]:
    """Return notes on models that use different thresholds in the two samples."""
    return [
        (
            f"{a.name} decides at {a.threshold:.6g} in {titles[0]} and at {b.threshold:.6g} in "
            f"{titles[1]}: this changes its decisions too; give one threshold"
        )
        for a, b in matched
        if a.name == b.name and a.threshold != b.threshold
        if a.threshold is not None and b.threshold is not None
    ]


def notes_on_balance(
    samples: tuple[Counted, Counted],
    fixed: tuple[bool, bool],
    titles: tuple[str, str],
    metrics: Iterable[Metric],
) -> list[str]:
    """Return notes on significantly different class shares, and the metrics that they affect.

    Empty for several labels per row, since each label has its own prevalence.
    """
    classes, positive = samples[0].classes, samples[0].positive
    tallies = [
        counted.models[0].labels.reorder(classes)
        for counted in samples
        if isinstance(counted, CountedRows)
    ]
    if not tallies:
        return []
    support = np.stack([t.counts.sum(1) for t in tallies])
    if not (support.sum(1) > 0).all():
        return []
    shares = support / support.sum(1, keepdims=True)
    same = np.allclose(shares[0], shares[1], rtol=1e-6, atol=1e-9)
    if not all(fixed):
        from scipy.stats import chi2_contingency

        table = shares * np.array([class_rows(t).sum() for t in tallies])[:, None]
        same = chi2_contingency(table[:, table.any(0)], correction=False).pvalue >= 0.05
    if same:
        return []
    apart = np.abs(shares[0] - shares[1])
    code = int(apart.argmax()) if positive is None else classes.index(positive)
    note = (
        f"{classes[code]} makes up {shares[0][code]:.3g} of the rows in {titles[0]} and "
        f"{shares[1][code]:.3g} in {titles[1]}"
    )
    moved = dict.fromkeys(m.in_a_sentence for m in metrics if moves_with_prevalence(m))
    if not moved:
        return [note]
    differ = "differs" if len(moved) == 1 else "differ"
    return [
        f"{note}: {', '.join(moved)} {differ} for that reason alone; set the same prevalence with "
        "at(prevalence=...), or use other metrics"
    ]
