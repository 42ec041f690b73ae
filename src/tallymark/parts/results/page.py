"""The page of a comparison of classifiers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from tallymark.core import (
    Cell,
    Chart,
    Grid,
    Mark,
    Paragraph,
    Row,
    drawing,
    filled,
    harmless,
    number,
    paragraphs,
    percent,
    title,
)
from tallymark.parts.results.blocks import classifier_table, legend, pair_table
from tallymark.parts.results.diagram import chart
from tallymark.parts.results.words import about, cautions, decimal, finding, reasons, tests, verdict

if TYPE_CHECKING:
    from tallymark.parts.results.comparison import ModelComparison

BARS = {
    "wilcoxon": "A bar joins the two where they do not differ significantly.",
    "nemenyi": "A bar joins classifiers whose mean ranks lie within the critical difference.",
    "holm": "The bar joins {} and the classifiers that do not differ significantly.",
}
"""The meaning of the bars in the critical-difference diagram."""

STYLE = (
    ".ranks{width:100%;min-width:34rem;max-width:52rem;height:auto}td{white-space:nowrap}"
    "td,thead th+th{text-align:right;padding-left:1rem}.table td.best{color:var(--good)}"
    ".first table{width:100%}"
)

_OF_RANKS = ("demsar2006", "friedman1937", "iman1980", "holm1979", "benavoli2016", "benavoli2014")
SOURCES = {
    "folds": ("holm1979", "corani2015"),
    "wilcoxon": ("wilcoxon1945", "hodges1963", "demsar2006", "benavoli2014"),
    "nemenyi": (*_OF_RANKS[:3], "nemenyi1963", "benavoli2016", "holm1979", "benavoli2014"),
    "holm": _OF_RANKS,
}
SOURCES_OF_TESTS = {
    "corrected_t": ("nadeau2003", "bouckaert2004"),
    "5x2_t": ("dietterich1998",),
    "5x2_f": ("alpaydin1999",),
    "wilcoxon": ("wilcoxon1945",),
}


def render(c: ModelComparison) -> str:
    """Return the page as HTML text."""
    bars = BARS.get(c.rule, "").format(harmless(c._terms.control or ""))
    ranks = [chart(c, f"Mean ranks, 1 the best. {bars}")] if c.mean_ranks else []
    first = [classifier_table(c)], [hero(c)]
    pairs = replace(pair_table(c, c.pairs), caption=legend(c) + ".")
    tested = paragraphs((f"{t}." for t in tests(c)), "dim")
    of_tests = [
        key
        for test in dict.fromkeys(p.result.test for p in c.pairs if c.rule == "folds")
        for key in SOURCES_OF_TESTS.get(test, ())
    ]
    return filled(
        "document.html.j2",
        kicker="Comparison of classifiers",
        source=harmless(c.source),
        finding=finding(c),
        verdict=reasons(c),
        about=about(c),
        first=first,
        check=cautions(c),
        notes=[harmless(n) for n in c.notes],
        more_style=STYLE,
        sections=[
            ("classifiers", "Which classifier is better", [Paragraph(verdict(c)), *ranks, *tested]),
            ("pairs", "Every pair", [pairs]),
            ("datasets", f"{title(c.metric)} on every data set", [_datasets(c)]),
        ],
        definitions=_definitions(c),
        sources=[*of_tests, *SOURCES[c.rule]],
    )


def hero(c: ModelComparison) -> Chart:
    """Return mean ranks, each with half the critical difference; else differences from the best.

    Two mean ranks differ significantly by Nemenyi's test where their lines do not overlap.
    """
    if c.mean_ranks and c.rule == "nemenyi" and c.critical_difference is not None:
        half = c.critical_difference / 2
        spans = [
            drawing.Span(harmless(n), rank, rank - half, rank + half)
            for n, rank in c.mean_ranks.items()
        ]
        ends = 1.0, float(len(spans))
        axis = drawing.Axis("mean rank, 1 the best", min(1 - half, ends[0]), ends[1] + half)
        heading = "Where lines overlap, the difference may be chance"
        words = f"Lines are as long as the critical difference, {decimal(2 * half)}."
        return Chart("Mean ranks", drawing.Forest(axis, spans), description=words, heading=heading)
    first, sign = c.pairs[0].first, 1 if c._terms.better == "high" else -1
    spans = []
    for p in c.pairs:
        if p.first == first:
            gap = sign * p.result.difference
            low, high = sorted(sign * b for b in p.result.interval or (math.nan, math.nan))
            mark: Literal["open", "first"] = "open" if p.winner is None else "first"
            missing = p.result.reason and "undefined"
            spans.append(drawing.Span(harmless(p.second), gap, low, high, mark, missing=missing))
    known = [v for s in spans for v in (s.value, s.low, s.high) if math.isfinite(v)]
    most = max(map(abs, known), default=0.0) * 1.08 or 1.0
    name = harmless(first)
    return Chart(
        f"Differences of {title(c.metric)}",
        drawing.Forest(
            drawing.Axis(f"right of 0, {name} is better", -most, most), spans, 0.0, "classifier"
        ),
        description=f"{name} less each other classifier; filled where beyond chance.",
        heading=f"How far {name} is from each other classifier",
        marks=(Mark("first", 0, "beyond chance"), Mark("open", 0, "may be chance")),
    )


def _datasets(c: ModelComparison) -> Grid:
    """Return each data set with the means of all classifiers, the best of them marked."""
    best = max if c._terms.better == "high" else min
    rows: list[Row] = []
    for f, row in zip(c._fields, c.values.tolist(), strict=True):
        means = [
            Cell(number(row[i], 4), style="best" if row[i] == best(row) else "dim")
            for i in c._order
        ]
        rows.append((f.dataset, Cell(f"{len(f.values):,}", style="dim"), *means))
    caption = "Means over the results that every classifier has; the best in colour and bold."
    return Grid(("Data set", "Results", *c.means), rows, caption, look="table")


def _definitions(c: ModelComparison) -> list[str]:
    """Return the definition of every number on the page."""
    t = c._terms
    out = list(dict.fromkeys(p.result.method for p in c.pairs if not p.result.reason))
    out = [f"Of two classifiers: {method}." for method in out[:3]]
    if c.friedman is None:
        (field,) = c._fields
        ratio = field.ratio(t.ratio)
        if ratio is not None and any(p.result.test == "corrected_t" for p in c.pairs):
            out.append(
                f"The correction takes {ratio:.4g} rows tested for each row trained on "
                f"({'as stated' if t.ratio is not None else 'as folds have it'})."
            )
        out.append(f"P-values are adjusted by Holm's method over {len(c.pairs)} pairs.")
    elif c.rule != "wilcoxon":
        out.append("Ranks: 1 the best on a data set, equal values share their mean rank.")
        out.append(
            "Pairs are compared only where Iman and Davenport's F finds that the classifiers "
            f"differ at {percent(t.level, 0)}."
        )
    posterior = c.pairs[0]._posterior
    draws = f", {posterior.draws:,} draws from seed {posterior.seed}" if posterior.draws else ""
    out.append(
        f"Probabilities: {posterior.method}{draws}; differences of {t.rope:g} or less count as "
        "equal."
    )
    return out
