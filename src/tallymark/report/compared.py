"""The models of a page compared: the verdicts, the differences drawn, and the tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tallymark.infer.compare import Comparison, Pair
from tallymark.infer.difference import Difference
from tallymark.metric import get
from tallymark.report import svg, words
from tallymark.report.evaluation import Evaluation

MOST_DRAWN, CROWDED = 3, 6
"""Pairs whose every difference is drawn; of so many models those of the best two alone."""

MOST_PAIRS = 15
"""Pairs that are told one by one."""

SHORTEST = 12
"""Letters of each name in the row of a pair."""


@dataclass(frozen=True, slots=True)
class Forest:
    """A drawn chart of differences: its legend of marks, and the table that says the same."""

    title: str
    svg: str
    legend: tuple[tuple[str, str], ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def section(ev: Evaluation) -> dict[str, Any] | None:
    """Return what the page tells of the comparison; None where there is none."""
    found = ev.compared
    return None if found is None else told(found, ev.names)


def cited(ev: Evaluation) -> set[str]:
    """Return the sources of the tests that are told."""
    found = ev.compared
    if found is None:
        return set()
    tests = [*found.overall, *(t for p in found.pairs for t in p.tests)]
    return {t.source for t in tests if t.source}


def told(found: Comparison, names: Sequence[str]) -> dict[str, Any]:
    """Return the parts of the section; the places of models in ``names`` choose their colours."""
    _, ordered = _by_rank(found)
    shown = ordered[:MOST_PAIRS]
    many = len(found.pairs) > MOST_DRAWN
    drawn = shown[: MOST_DRAWN if len(found.names) < CROWDED else 1]
    heads, rows = _table(found, shown)
    crossings = [p.crossing for p in shown if p.crossing is not None]
    return {
        "title": words.verdicts_title(found),
        "verdicts": verdicts(found),
        "notes": [words.text(words.evidence(t)) for t in found.overall]
        + [words.sentence(str(c)) for c in crossings],
        "charts": [*([_of_pairs(found, shown, names)] if many else []),
                   *_of_metrics(found, drawn, names)],
        "how": words.FOREST_WORDS.format(level=words.percent(found.level, 0)),
        "open": many,
        "summary": "Every pair and its tests" if len(found.pairs) > 1 else "Tests",
        "legend": words.comparison_legend(found),
        "heads": heads,
        "rows": rows,
        "left": len(ordered) - len(shown),
    }  # fmt: skip


def verdicts(found: Comparison) -> list[str]:
    """Return the verdicts in words: of many pairs those of the best model."""
    best, ordered = _by_rank(found)
    many = len(ordered) > MOST_DRAWN
    said = [p for p in ordered if best in (p.first, p.second)] if many else ordered
    return [words.verdict_line(p.verdict) for p in said[:MOST_PAIRS]]


def _by_rank(found: Comparison) -> tuple[str, list[Pair]]:
    """Return the best model, and the pairs with those of the best models first."""
    sign = -1 if get(found.metric).better == "low" else 1
    values: dict[str, float] = {}
    for p in found.pairs:
        d = p.differences[found.metric]
        values |= {p.first: sign * d.first_value, p.second: sign * d.second_value}
    ranked = sorted(values, key=lambda n: math.inf if math.isnan(values[n]) else -values[n])
    place = {n: i for i, n in enumerate(ranked)}
    return ranked[0], sorted(found.pairs, key=lambda p: sorted((place[p.first], place[p.second])))


def _ahead(d: Difference) -> str:
    """Return which mark a difference gets: of the model ahead by more than chance, or open."""
    if math.isnan(d.low) or d.low <= 0 <= d.high:
        return "open"
    low_is_good = get(d.metric).better == "low"
    return "first" if (d.value > 0) != low_is_good else "second"


def _span(
    name: str, d: Difference, pair: Pair, names: Sequence[str], margin: float | None = None
) -> svg.Span:
    mark = _ahead(d)
    style = 0 if mark == "open" else names.index(getattr(pair, mark))
    why = words.signed(d.value) if math.isinf(d.value) else "undefined"
    return svg.Span(name, d.value, d.low, d.high, mark, style, margin, why)


def _range(
    differences: Sequence[Difference], margin: float | None = None, *, every: bool = False
) -> tuple[float, float]:
    """Return the ends of an axis that holds 0 and all differences of bounded metrics."""
    ends = [0.0, *([] if margin is None else [-margin, margin])]
    for d in differences:
        if every or math.isfinite(sum(get(d.metric).range)):
            ends += [v for v in (d.value, d.low, d.high) if math.isfinite(v)]
    low, high = min(ends), max(ends)
    if high - low < 1e-9:
        return (-0.01, 0.01)
    room = 0.06 * (high - low)
    return low - room, high + room


def _of_metrics(found: Comparison, pairs: Sequence[Pair], names: Sequence[str]) -> list[Forest]:
    """Return a chart a pair: the differences by every metric, all on one scale."""
    ends = _range([d for p in pairs for d in p.differences.values()], found.margin)
    return [_of_pair(found, p, i, ends, names) for i, p in enumerate(pairs)]


def _of_pair(
    found: Comparison, pair: Pair, i: int, ends: tuple[float, float], names: Sequence[str]
) -> Forest:
    first, second = words.text(pair.first), words.text(pair.second)
    title = f"{first} less {second}"
    spans = []
    for name, d in pair.differences.items():
        m = get(name)
        margin = found.margin if name == found.metric else None
        label = words.SHORT_TITLES.get(name, m.title) + (" ↓" if m.better == "low" else "")
        spans.append(_span(label, d, pair, names, margin))
    drawn = svg.forest(
        str(i),
        title,
        "Differences with their intervals around a line at 0; the table below holds the numbers.",
        svg.Axis("difference", *ends),
        "metric",
        spans,
    )
    heads = ("Metric", "Difference", words.interval_head(found.level), "p")
    rows = tuple(_cells(d) for d in pair.differences.values())
    return Forest(title, drawn, _legend(spans, {"first": first, "second": second}), heads, rows)


def _cells(d: Difference) -> tuple[str, ...]:
    *_, gap, bounds, p = words.difference(d)
    why = "" if bounds else f": {words.text(d.reason or d.method or '')}"
    return get(d.metric).title + why, gap, bounds, p


def _of_pairs(found: Comparison, pairs: Sequence[Pair], names: Sequence[str]) -> Forest:
    """Return the chart of many pairs by the metric that decides; its table is the section's."""
    differences = [p.differences[found.metric] for p in pairs]
    spans = [
        _span(" – ".join(_short(n) for n in (p.first, p.second)), d, p, names, found.margin)
        for p, d in zip(pairs, differences, strict=True)
    ]
    title = f"Every pair by {get(found.metric).in_a_sentence}"
    drawn = svg.forest(
        "pairs",
        title,
        "Differences with their intervals around a line at 0; the table below holds the numbers.",
        svg.Axis("difference", *_range(differences, found.margin, every=True)),
        "pair",
        spans,
    )
    return Forest(title, drawn, _legend(spans, {"first": "the first", "second": "the second"}),
                  (), ())  # fmt: skip


def _short(name: str) -> str:
    name = words.text(name)
    return name if len(name) <= SHORTEST else name[: SHORTEST - 1] + "…"


def _legend(spans: Sequence[svg.Span], who: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the marks that are in a chart, and what they say."""
    there = {s.mark: s.style for s in spans if math.isfinite(s.value)}
    said = {mark: f"{name} is ahead" for mark, name in who.items()} | {"open": "may be chance"}
    return tuple((svg.symbol(m, there[m]), text) for m, text in said.items() if m in there)


def _table(found: Comparison, pairs: Sequence[Pair]) -> tuple[list[str], list[list[str]]]:
    """Return the table of pairs: the difference that decides, its verdict and its tests."""
    names = list(dict.fromkeys(t.name for p in pairs for t in p.tests))
    if len(pairs) > MOST_DRAWN:  # one test of each kind, the first of which holds its level best
        kinds = {n.split(",")[0]: n for n in reversed(names)}
        names = [n for n in names if n in kinds.values()]
    several = len(found.pairs) > 1
    heads = ["First", "Second", "Difference", words.interval_head(found.level),
             "p, corrected" if several else "p", "Verdict"]  # fmt: skip
    rows = []
    for p in pairs:
        *_, gap, bounds, _ = words.difference(p.differences[found.metric])
        v = p.verdict
        corrected = "" if math.isnan(v.p_value) else words.p_value(v.p_value)
        tests = {t.name: "" if t.reason else words.p_value(t.p_value) for t in p.tests}
        rows.append([
            words.text(p.first), words.text(p.second), gap, bounds, corrected,
            words.KINDS.get(v.kind, v.kind), *(tests.get(n, "") for n in names),
        ])  # fmt: skip
    return heads + [f"p, {n}" for n in names], rows
