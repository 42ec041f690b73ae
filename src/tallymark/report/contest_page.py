"""The page of a comparison of classifiers: the diagram, every pair, every data set."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tallymark.output import write_text
from tallymark.report import contest_text as text
from tallymark.report import diagram, words
from tallymark.report.blocks import Cell, Grid, Row, Style, table_html
from tallymark.report.pieces import Section, document, figure, paragraphs, scrolled
from tallymark.report.words import number
from tallymark.studies.model_comparison import ModelComparison

STYLE = (
    ".ranks{width:100%;min-width:34rem;max-width:52rem;height:auto}td{white-space:nowrap}"
    "td,thead th+th{text-align:right;padding-left:1rem}.table td.best{color:var(--good)}"
)

SOURCES = {
    "folds": ("nadeau2003", "bouckaert2004", "holm1979", "corani2015"),
    "wilcoxon": ("wilcoxon1945", "hodges1963", "demsar2006", "benavoli2014"),
    "nemenyi": ("demsar2006", "friedman1937", "iman1980", "nemenyi1963", "benavoli2016",
                "holm1979", "benavoli2014"),
    "holm": ("demsar2006", "friedman1937", "iman1980", "holm1979", "benavoli2016",
             "benavoli2014"),
}  # fmt: skip

FIVE_BY_TWO = {"5x2_t": ("dietterich1998",), "5x2_f": ("alpaydin1999",)}


def write(c: ModelComparison, path: str | os.PathLike[str]) -> Path:
    """Write the page, whole or not at all."""
    return write_text(path, render(c))


def render(c: ModelComparison) -> str:
    """Return the page as HTML text."""
    drawn = figure(
        scrolled(diagram.picture(c), "critical-difference diagram") if c.mean_ranks else "",
        f"Mean ranks, 1 the best. {_caption(c)}",
    )
    pairs = replace(text.pair_table(c, c.pairs), caption=text.legend(c) + ".")
    sections: list[Section] = [
        ("classifiers", "Which classifier is better", (
            drawn,
            table_html(text.classifier_table(c)),
            paragraphs(f"{t}." for t in text.tests(c)),
        )),
        ("pairs", "Every pair", (table_html(pairs), paragraphs(text.cautions(c)))),
        ("datasets", f"{words.title(c.metric)} on every data set", (
            table_html(_datasets(c), "table"),
        )),
    ]  # fmt: skip
    return document(
        "Comparison of classifiers", words.text(c.source), text.verdict(c), text.about(c),
        sections, _definitions(c), _cited(c), [words.text(n) for n in c.notes], STYLE,
    )  # fmt: skip


def _caption(c: ModelComparison) -> str:
    if c.rule == "nemenyi":
        return "A bar joins classifiers whose mean ranks lie within the critical difference."
    if c.rule == "holm":
        control = words.text(c.terms.control or "")
        return f"The bar joins {control} and the classifiers that do not differ significantly."
    return "A bar joins the two where they do not differ significantly."


def _datasets(c: ModelComparison) -> Grid:
    """Return each data set with the means of all classifiers, the best of them marked."""
    best = max if c.terms.better == "high" else min
    rows: list[Row] = []
    for f, row in zip(c.fields, c.values.tolist(), strict=True):
        styles: list[Style] = ["best" if row[i] == best(row) else "dim" for i in c.order]
        means = [Cell(number(row[i], 4), style=s) for i, s in zip(c.order, styles, strict=True)]
        rows.append((f.dataset, Cell(f"{len(f.values):,}", style="dim"), *means))
    caption = "Means over the results that every classifier has; the best in colour and bold."
    return Grid(("Data set", "Results", *c.means), rows, caption)


def _definitions(c: ModelComparison) -> list[str]:
    """Return how every number of the page was made."""
    t = c.terms
    out = list(dict.fromkeys(p.result.method for p in c.pairs if not p.result.reason))
    out = [f"Of two classifiers: {method}." for method in out[:3]]
    if c.friedman is None:
        (field,) = c.fields
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
            f"differ at {words.percent(t.level, 0)}."
        )
    posterior = c.pairs[0].posterior
    drawn = f", {posterior.draws:,} draws from seed {posterior.seed}" if posterior.draws else ""
    out.append(
        f"Probabilities: {posterior.method}{drawn}; differences of {t.rope:g} or less count as "
        "equal."
    )
    return out


def _cited(c: ModelComparison) -> tuple[str, ...]:
    keys = list(SOURCES[c.rule])
    for test, more in FIVE_BY_TWO.items():
        if any(p.result.test == test for p in c.pairs):
            keys = [*more, *(k for k in keys if k not in ("nadeau2003", "bouckaert2004"))]
    if c.friedman is None and any(p.result.test == "wilcoxon" for p in c.pairs):
        keys = ["wilcoxon1945", *keys]
    return tuple(keys)
