"""A study of metrics in pictures: heat maps, scatters and the dendrogram of its groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tallymark.core import Cell, Chart, Grid, Mark, Row, drawing, percent, words
from tallymark.parts.relations.clustering import Clustering, group_numbers
from tallymark.parts.relations.relations import Relations
from tallymark.parts.relations.sentences import both, r

DEEPEST = 45
"""Per cent of colour at a correlation of 1: what leaves the number on it readable."""


def heat(relations: Relations, base: Relations, name: str) -> Grid:
    """Return a heat map of both coefficients, in the order of ``base``."""
    order = [
        relations.metrics.index(m) for m in (*base._clustering.order, *base._clustering.left_out)
    ]
    names = [words.title(relations.metrics[i]) for i in order]
    rows: list[Row] = []
    for a, values in enumerate(both(relations, order)):
        cells = [
            Cell("", style="itself")
            if a == b
            else Cell(r(v))
            if math.isnan(v)
            else Cell(r(v), style="up" if v >= 0 else "down", shade=round(DEEPEST * abs(v)))
            for b, v in enumerate(values)
        ]
        rows.append((names[a], *cells))
    how = "Pearson below the diagonal, Spearman above; the stronger the colour, the further from 0."
    return Grid(("", *names), rows, how, title=name, look="matrix wide heat")


def scatter(relations: Relations, key: str, base: Relations, name: str) -> Chart:
    """Return the scatter of every pair of metrics: Pearson across, Spearman upward."""
    pairs = [p for p in relations.pairs() if not math.isnan(p["pearson"] + p["spearman"])]
    low = math.floor(10 * min([0.0, *(min(p["pearson"], p["spearman"]) for p in pairs)])) / 10
    of = group_numbers(base.groups)
    drawing_of_pairs = drawing.Drawing(
        drawing.Axis("Pearson", low),
        drawing.Axis("Spearman", low),
        guides=[drawing.Guide((low, 1.0), (low, 1.0), "chance")],
        dots=[(p["pearson"], p["spearman"], int(of.get(p["a"]) != of.get(p["b"]))) for p in pairs],
    )
    meanings = ("pairs of one group", "pairs across groups")
    return Chart(
        "Pearson and Spearman correlation of every pair of metrics",
        drawing_of_pairs,
        description=f"{len(pairs)} pairs; pairs of one group and pairs across groups differ in "
        "colour. The table of every pair holds the numbers.",
        marks=[Mark("first", i, meaning) for i, meaning in enumerate(meanings)],
        kind="relations",
        key=key,
        heading=name,
    )


MOST_PAIRS = 45
"""Pairs of metrics in one chart of pairs; the heat maps show more."""

_Marks = tuple[str, Relations, str]
"""One mark of each pair: its meaning, the relations and their coefficient."""

FORMS: tuple[Literal["first", "open", "second"], ...] = ("first", "open", "second")
"""The forms of the marks of a pair."""


def pairs_charts(of: Sequence[_Marks], base: Relations, heading: str) -> list[Chart]:
    """Return a chart of the metric pairs within groups of ``base``, and one of those across groups.

    A chart of no pair, or of very many, is left out.
    """
    group = group_numbers(base.groups)
    numbers = [{(p["a"], p["b"]): p for p in relations.pairs()} for _, relations, _ in of]
    coefficients = [coefficient for *_, coefficient in of]
    low = min(
        [
            0.0,
            *(
                _lowest(p, c)
                for ps, c in zip(numbers, coefficients, strict=True)
                for p in ps.values()
            ),
        ]
    )
    axis = drawing.Axis("mean correlation", math.floor(10 * low) / 10)
    charts = []
    for where, same in (("inside one group", True), ("across groups", False)):
        pairs = [(a, b) for a, b in numbers[0] if {a, b} <= set(group)]
        pairs = [(a, b) for a, b in pairs if (group[a] == group[b]) == same]
        if not 0 < len(pairs) <= MOST_PAIRS:
            continue
        spans = [
            _span(pair, of_pairs[pair], coefficient, form)
            for pair in pairs
            for of_pairs, coefficient, form in zip(numbers, coefficients, FORMS, strict=False)
        ]
        charts.append(
            Chart(
                f"{heading}, pairs {where}",
                drawing.Forest(axis, spans, kind="pair", together=len(of)),
                description=f"{len(pairs)} pairs of metrics with {percent(base.level, 0)} "
                "intervals; the table of every pair has the numbers over all data sets.",
                marks=[Mark(form, 0, name) for form, (name, *_) in zip(FORMS, of, strict=False)],
                kind="pairs",
            )
        )
    return charts


def _lowest(numbers: Mapping[str, Any], coefficient: str) -> float:
    ends = (numbers[coefficient], numbers[f"{coefficient}_low"])
    return min((x for x in ends if not math.isnan(x)), default=0.0)


def _span(
    pair: tuple[str, str],
    numbers: Mapping[str, Any],
    coefficient: str,
    form: Literal["first", "open", "second"],
) -> drawing.Span:
    value, low, high = (numbers[f"{coefficient}{end}"] for end in ("", "_low", "_high"))
    name = " – ".join(words.SHORT_TITLES.get(m, words.title(m)) for m in pair)
    missing = "undefined" if math.isnan(value) else ""
    return drawing.Span(name, value, low, high, form, missing=missing)


def tree(c: Clustering) -> list[Chart]:
    """Return the tree of merges with its words; nothing where no metrics are merged."""
    if not c.merges:
        return []
    rule = (
        "Average linkage on 1 − the mean of both coefficients; the dashed line cuts the groups: "
        f"{c.rule}."
    )
    title, heading = "Which metrics are redundant", "Joined by correlation"
    return [Chart(title, dendrogram(c), words=rule, description=_joined(c), heading=heading)]


def dendrogram(c: Clustering) -> drawing.Tree:
    """Return the tree of merges; those inside one group have its style."""
    group = group_numbers(c.groups)
    numbers: dict[tuple[str, ...], int] = {(metric,): i for i, metric in enumerate(c.order)}
    joins = []
    for m in c.merges:
        members = (*m.left, *m.right)
        first, *others = {group[metric] for metric in members}
        joins.append((numbers[m.left], numbers[m.right], m.height, None if others else first))
        numbers[members] = len(numbers)
    return drawing.Tree(list(map(words.title, c.order)), joins, _cut(c), "mean correlation")


def _cut(c: Clustering) -> float | None:
    """Return the height of the line that the groups lie below."""
    heights = sorted(m.height for m in c.merges)
    if c.cut is not None:
        return 1 - c.cut if 1 - c.cut <= heights[-1] else None
    below = len(c.order) - len(c.groups)
    if not 0 < below < len(heights):
        return None
    return (heights[below - 1] + heights[below]) / 2


def _joined(c: Clustering) -> str:
    return "; ".join(
        f"{', '.join(words.title(v) for v in m.left)} with "
        f"{', '.join(words.title(v) for v in m.right)} at {r(1 - m.height)}"
        for m in c.merges
    )
