"""Which charts a page draws: their lines, their words, and the tables that say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.curve import Curve, Histogram
from tallymark.metric.measure import Value
from tallymark.report import svg, words
from tallymark.report.evaluation import Evaluation
from tallymark.tally.arrays import Label

MOST_LINES = svg.SERIES
"""More lines in one chart cannot be told apart."""

MOST_LINES_IN_ALL = 24
MOST_DISTRIBUTIONS = 12
FEW_LINES, POINTS_IN_ALL, CROWDED_POINTS = 3, 420, 240
TABLE_ROWS = 11
"""What keeps the page small, whatever is judged."""

MAIN = ("roc", "pr", "calibration")
"""The curves that are shown first; the others are in more_charts.py."""

BESIDE = {"roc": "roc_auc", "pr": "average_precision", "calibration": "brier"}
"""The one number that sums up a curve, told beside its name."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one line shows: a model, or one of its classes against the rest."""

    key: str
    name: str
    sides: tuple[str, str]
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart with everything that stands around it."""

    title: str
    svg: str
    legend: tuple[tuple[int, str, str], ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: str = ""
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """Charts that share their lines; ``left`` of them are too many to be drawn."""

    title: str
    lines: tuple[Line, ...]
    left: int
    curves: tuple[Chart, ...]
    distributions: tuple[Chart, ...]
    more: tuple[Chart, ...] = ()


def groups(ev: Evaluation) -> tuple[Group, ...]:
    """Return all models in one group, or a group a model where there are more than two classes."""
    from tallymark.report.more_charts import further

    planned = []
    # Where not even one model's classes can all be drawn, one model has to do.
    room = MOST_LINES if len(ev.classes) > MOST_LINES else MOST_LINES_IN_ALL
    for title, lines in _lines(ev):
        drawn = lines[:MOST_LINES]
        if drawn and len(drawn) <= room:
            planned.append((title, drawn, len(lines) - len(drawn)))
            room -= len(drawn)
    total = sum(len(lines) for _, lines, _ in planned)
    made = []
    first = 0
    for i, (title, lines, left) in enumerate(planned):
        key = str(i) if i else ""
        curves = _curves(ev, lines, key, total)
        shown = lines if first == 0 or first + len(lines) <= MOST_DISTRIBUTIONS else ()
        distributions = _distributions(ev, shown, first)
        more = further(ev, lines, key) if total <= MOST_LINES else ()
        made.append(Group(title, tuple(lines), left, curves, distributions, more))
        first += len(lines)
    return tuple(made)


def _lines(ev: Evaluation) -> list[tuple[str, list[Line]]]:
    there = ev.curves()
    if ev.binary:
        sides = (
            _told(ev.positive),
            _told(next(c for c in ev.classes if c != ev.positive)),
        )
        values = ev.values()
        return [("", [Line(n, words.text(n), sides, values[n]) for n in ev.names if n in there])]
    per_class = ev.per_class()
    return [
        (
            words.text(name),
            [
                Line(f"{name}: {c}", _told(c), (_told(c), "all others"), per_class[name][c])
                for c in ev.classes
                if f"{name}: {c}" in there
            ],
        )
        for name in ev.names
    ]


def _told(label: Label | None) -> str:
    return "" if label is None else words.text(label)


def _curves(ev: Evaluation, lines: Sequence[Line], key: str, total: int) -> tuple[Chart, ...]:
    curves = ev.curves()
    points = max(30, (POINTS_IN_ALL if total <= FEW_LINES else CROWDED_POINTS) // total)
    rows = TABLE_ROWS if total <= FEW_LINES else TABLE_ROWS // 2 + 1
    out = []
    for kind in MAIN:
        found = {i: line for i, line in enumerate(lines) if kind in curves[line.key]}
        if found:
            thin = {i: curves[line.key][kind].thin(points) for i, line in found.items()}
            out.append(_curve(ev, kind, key, lines, thin, rows))
    return tuple(out)


def _curve(
    ev: Evaluation,
    kind: str,
    key: str,
    lines: Sequence[Line],
    thin: Mapping[int, Curve],
    rows: int,
) -> Chart:
    title = words.CURVE_TITLES[kind]
    first = next(iter(thin.values()))
    x_label, y_label = words.AXES[first.x_metric], words.AXES[first.y_metric]
    level = words.percent(ev.level, 0)
    names = ", ".join(lines[i].name for i in thin)
    told = words.CURVE_WORDS[kind]
    if kind == "calibration":
        bars = "clusters" if ev.clusters else "bars"
        told += " " + words.CURVE_WORDS[f"calibration {bars}"].format(level=level)
    # What guessing achieves is one line only where all lines have the same positives.
    level_line = kind == "pr" and ev.binary
    guides = [([0, 1], [float(first.y[-1])] * 2)] if level_line else []
    if level_line:
        told += " " + words.CURVE_WORDS["pr baseline"]
    if kind != "pr":
        guides = [([0, 1], [0, 1])]
    faint, bands, more = _beneath(ev, kind, [lines[i] for i in thin])
    drawn = svg.lines(
        kind,
        title,
        f"{y_label} against {x_label} of {names}; the table below holds the numbers.",
        svg.Axis(x_label),
        svg.Axis(y_label),
        [
            svg.Series(lines[i].name, i, c.x, c.y, hints=c.threshold, low=c.low, high=c.high)
            for i, c in thin.items()
        ],
        guides=guides,
        faint=faint,
        bands=bands,
        marked=kind == "calibration",
        key=key,
    )
    told = " ".join([told, *more])
    if first.threshold is not None:
        heads = ["threshold", x_label, y_label]
    else:
        heads = ["rows", x_label, y_label, f"{level} interval"]
    return Chart(
        title,
        drawn,
        tuple((i % svg.SERIES, lines[i].name, _beside(kind, lines[i])) for i in thin),
        ("Class" if key or not ev.binary else "Model", *heads),
        tuple(row for i, c in thin.items() for row in _curve_rows(lines[i].name, c, rows)),
        told,
        max(c.error for c in thin.values()),
    )


ISO_F = (0.2, 0.4, 0.6, 0.8)
"""Lines of equal F1, to read it off a precision-recall curve."""

TIED = 0.002
"""A tie envelope of less area than this cannot be seen."""


def _beneath(ev: Evaluation, kind: str, lines: Sequence[Line]) -> tuple[Any, Any, list[str]]:
    """Return the faint lines and bands under a chart's curves, and the words for them."""
    faint: list[Any] = []
    bands: list[Any] = []
    told: list[str] = []
    if kind == "pr":
        for f in ISO_F:
            recall = f / (2 - f) + (1 - f / (2 - f)) * np.linspace(0, 1, 12) ** 2
            faint.append((recall, f * recall / (2 * recall - f)))
        told.append(words.CURVE_WORDS["pr iso-F"])
    if kind == "roc" and ev.binary and ev.compared is not None:
        own = {i: ev.compared.bands.get(line.key) for i, line in enumerate(lines)}
        bands += [(b.fpr, b.low, b.high, i) for i, b in own.items() if b is not None]
        if bands:
            told.append(words.CURVE_WORDS["roc band"].format(level=words.percent(ev.level, 0)))
    if len(lines) != 1:
        return faint, bands, told
    curves = ev.curves()[lines[0].key]
    if kind == "roc":
        hull = curves["roc_hull"]
        faint.append((hull.x, hull.y))
        told.append(words.CURVE_WORDS["roc hull"])
        ends = [lines[0].values.get(f"roc_auc_{side}") for side in ("optimistic", "pessimistic")]
        if all(v is not None for v in ends) and ends[0].value - ends[1].value > TIED:  # type: ignore[union-attr]
            upper, lower = (
                curves[f"roc_{side}"].thin(60) for side in ("optimistic", "pessimistic")
            )
            x = np.unique(np.concatenate([upper.x, lower.x]))
            bands.append((x, np.interp(x, lower.x, lower.y), np.interp(x, upper.x, upper.y)))
            told.append(words.CURVE_WORDS["roc ties"])
    if kind == "calibration" and "calibration_isotonic" in curves:
        iso = curves["calibration_isotonic"].thin(60)
        faint.append((iso.x, iso.y))
        if ev.clusters:
            told.append(words.CURVE_WORDS["calibration fit"])
        else:
            bands.append((iso.x, iso.low, iso.high))
            level = words.percent(ev.level, 0)
            told.append(words.CURVE_WORDS["calibration band"].format(level=level))
    return faint, bands, told


def _beside(kind: str, line: Line) -> str:
    value = line.values.get(BESIDE[kind])
    if value is None or value.reason:
        return ""
    return f"{words.BESIDE[kind]} {words.number(value.value)}"


def _curve_rows(name: str, c: Curve, most: int) -> list[tuple[str, ...]]:
    number = words.number
    if c.threshold is None:
        return [
            (name, words.count(float(n)), number(float(x)), number(float(y)),
             "" if np.isnan(low) else f"{number(float(low))} to {number(float(high))}")
            for n, x, y, low, high in zip(
                _all(c.counts), c.x, c.y, _all(c.low), _all(c.high), strict=True)
        ]  # fmt: skip
    index = np.unique(np.linspace(0, len(c.x) - 1, most).round().astype(int))
    return [
        (name, svg.short(float(c.threshold[i])), number(float(c.x[i])), number(float(c.y[i])))
        for i in index
    ]


def _all(values: Any) -> Any:
    return () if values is None else values


def _distributions(ev: Evaluation, lines: Sequence[Line], first: int) -> tuple[Chart, ...]:
    histograms = ev.histograms()
    coarse = len(lines) > 3
    return tuple(
        _distribution(line, histograms[line.key].coarser() if coarse else histograms[line.key], i,
                      first + i)
        for i, line in enumerate(lines)
    )  # fmt: skip


def _distribution(line: Line, h: Histogram, style: int, key: int) -> Chart:
    title = f"{words.CURVE_TITLES['scores']}: {line.name}"
    drawn = svg.histogram(
        str(key),
        title,
        f"Scores of {line.sides[0]} upward, of {line.sides[1]} downward.",
        h.edges,
        h.pos,
        h.neg,
        "score",
        line.sides,
        style,
    )
    rows = tuple(
        (svg.short(a), svg.short(b), words.count(float(p)), words.count(float(n)))
        for a, b, p, n in zip(h.edges[:-1], h.edges[1:], h.pos, h.neg, strict=True)
        if p or n
    )
    return Chart(line.name, drawn, (), ("from", "to", *line.sides), rows)
