"""The page of a study of metrics: heat maps, a dendrogram, the scatter, and what they mean."""

from __future__ import annotations

import math
import os
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from tallymark.errors import InputError
from tallymark.metric.sources import cite
from tallymark.report import study_text as told
from tallymark.report import svg, words
from tallymark.report.output import write_text
from tallymark.studies.clustering import Clustering
from tallymark.studies.relations import COEFFICIENTS, UNIT_WORDS, Relations
from tallymark.studies.study import Study

DEEPEST = 45
"""Per cent of colour at a correlation of 1: what leaves the number on it readable."""

SOURCES = ("liu2014",)

_ROW, _LEAF, _TREE, _PAD = 24, 168, 172, 30


def write(s: Study, path: str | os.PathLike[str]) -> Path:
    """Write the page, whole or not at all."""
    return write_text(path, render(s))


def render(s: Study) -> str:
    """Return the page as HTML text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    assets = files("tallymark.report") / "assets"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["drawing"] = Markup
    template = environment.from_string((assets / "study.html.j2").read_text("utf-8"))
    every = s.every()
    found = s.relations()
    html = template.render(
        told=told,
        source=words.text(s.source),
        about=told.about(s),
        verdict=told.verdict(found),
        style=Markup((assets / "style.css").read_text("utf-8")),
        main=_view(found, "main", found),
        tree=dendrogram(found.clustering),
        rule=found.clustering.rule,
        interval=found.interval,
        definition=found.definition,
        table=_group_table(found.clustering),
        left_out=told.left_out(found),
        units=[_view(r, u, found) | {"title": told.UNIT_TITLES[u], "what": UNIT_WORDS[u],
                              "chosen": u == s.unit} for u, r in every.items()],
        measured=told.units(s),
        lacking=[(told.UNIT_TITLES[u], why) for u, why in s.lacking().items()],
        advice=told.advice(s),
        between=told.between(s),
        algorithms=_algorithms(s),
        stable=told.stability(found),
        silhouettes=told.silhouettes(found),
        distances=told.distances(s),
        splits=_splits(s),
        pairs=[_pair(p) for p in found.pairs()],
        level=words.percent(found.level, 0),
        datasets=[_facts(*f) for f in zip(s.results.datasets, s.results.rows,
                                           s.results.minority, strict=True)],
        sources=[cite(k) for k in SOURCES],
        version=version("tallymark"),
    )  # fmt: skip
    return str(html)


def _view(found: Relations, key: str, base: Relations) -> dict[str, Any]:
    """Return one heat map with its scatter and means, all by the order and groups of ``base``."""
    c = base.clustering
    order = [found.metrics.index(m) for m in (*c.order, *c.left_out)]
    return {
        "heads": [told.title(found.metrics[i]) for i in order],
        "rows": [
            {
                "name": told.title(found.metrics[i]),
                "cells": [_shade(found, i, j, a, b) for b, j in enumerate(order)],
            }
            for a, i in enumerate(order)
        ],
        "scatter": scatter(found, key, base),
        "results": f"{sum(found.results):,}",
        "datasets": len(found.datasets),
        "means": [
            told.r(told.mean(told.values(found, base.groups, same, coefficient)))
            for coefficient in COEFFICIENTS
            for same in (True, False)
        ],
        "constant": f"{int(found.constant_cells.diagonal().max(initial=0)):,} of "
        f"{len(found.cells):,}",
    }


def _shade(found: Relations, i: int, j: int, row: int, column: int) -> dict[str, str]:
    """Return a cell: Pearson below the diagonal, Spearman above, darker the further from 0."""
    if row == column:
        return {"text": "", "css": "", "style": ""}
    value = float((found.pearson if row > column else found.spearman)[i, j])
    if math.isnan(value):
        return {"text": told.r(value), "css": "", "style": ""}
    return {
        "text": told.r(value),
        "css": "up" if value >= 0 else "down",
        "style": f"--v:{DEEPEST * abs(value):.0f}%",
    }


def _group_table(c: Clustering) -> list[dict[str, Any]]:
    """Return each group with its mean correlations, Pearson and Spearman, to every group."""
    between = {}
    for a, b, pearson, spearman in c.between:
        between[a, b] = between[b, a] = f"{told.r(pearson)} / {told.r(spearman)}"
    return [
        {
            "number": i + 1,
            "members": ", ".join(told.title(m) for m in g),
            "means": [between.get((i, j), "–") for j in range(len(c.groups))],
        }
        for i, g in enumerate(c.groups)
    ]


def _splits(s: Study) -> list[dict[str, Any]]:
    return [
        _view(r, name, s.relations()) | {"title": name.capitalize(), "what": told.part(s, name),
                          "names": ", ".join(words.text(d) for d in r.datasets)}
        for name, r in s.splits().items()
    ]  # fmt: skip


def _algorithms(s: Study) -> dict[str, Any] | None:
    try:
        return _view(s.between(), "algorithms", s.relations())
    except InputError:
        return None


def _pair(p: dict[str, Any]) -> dict[str, Any]:
    def bounds(name: str) -> str:
        low, high = p[f"{name}_low"], p[f"{name}_high"]
        return "" if math.isnan(low) else f"{told.r(low)} to {told.r(high)}"

    return {
        "a": told.title(p["a"]),
        "b": told.title(p["b"]),
        "pearson": told.r(p["pearson"]),
        "pearson_bounds": bounds("pearson"),
        "spearman": told.r(p["spearman"]),
        "spearman_bounds": bounds("spearman"),
        "group": {True: "same", False: "another", None: "–"}[p["same_group"]],
        "averaged": f"{p['averaged']:,}",
        "constant": f"{p['constant']:,}",
    }


def _facts(name: str, rows: float, minority: float) -> tuple[str, str, str]:
    return (
        words.text(name),
        "unknown" if math.isnan(rows) else words.count(rows),
        "unknown" if math.isnan(minority) else words.percent(minority),
    )


# -- pictures ----------------------------------------------------------------------------------


def scatter(found: Relations, key: str, base: Relations) -> str:
    """Return the scatter of every pair of metrics: Pearson across, Spearman upward."""
    pairs = [p for p in found.pairs() if not math.isnan(p["pearson"] + p["spearman"])]
    values = [v for p in pairs for v in (p["pearson"], p["spearman"])]
    low = math.floor(10 * min([0.0, *values])) / 10
    group = {m: i for i, g in enumerate(base.groups) for m in g}
    dots = [
        (p["pearson"], p["spearman"], 0 if group.get(p["a"]) == group.get(p["b"]) else 1)
        for p in pairs
    ]
    return svg.lines(
        "relations",
        "Pearson and Spearman correlation of every pair of metrics",
        f"{len(pairs)} pairs; pairs of one group and pairs across groups differ in colour. The "
        "table of every pair holds the numbers.",
        svg.Axis("Pearson", low, 1.0),
        svg.Axis("Spearman", low, 1.0),
        (),
        guides=(((low, 1.0), (low, 1.0)),),
        dots=dots,
        key=key,
    )


def dendrogram(c: Clustering) -> str:
    """Return the tree of merges: metrics on the left, joined at their mean correlation."""
    if not c.merges:
        return ""
    n = len(c.order)
    height = n * _ROW + _PAD + 14
    deepest = max(max(m.height for m in c.merges), 0.1)
    x = svg.Scale(0.0, deepest, _LEAF, _LEAF + _TREE - 14)
    group = {m: i for i, g in enumerate(c.groups) for m in g}
    place: dict[tuple[str, ...], tuple[float, float]] = {
        (m,): (_ROW * (i + 0.5) + 4, float(x(0.0))) for i, m in enumerate(c.order)
    }
    out = [
        f'<svg class="chart tree" viewBox="0 0 {_LEAF + _TREE} {height}" role="img" '
        'aria-labelledby="tree-title tree-desc"><title id="tree-title">Which metrics say the '
        f'same</title><desc id="tree-desc">{escape(_joined(c))}</desc>'
    ]
    foot = n * _ROW + 8
    ticks = x.ticks(4)
    lines = "".join(f"M{x(t):.1f} 4V{foot}" for t in ticks)
    out.append(f'<path class="grid" d="{lines}"/><g class="ticks">')
    out += [
        f'<text x="{x(t):.1f}" y="{foot + 14}" text-anchor="middle">{1 - t:g}</text>'
        if abs(1 - t) > 1e-9
        else f'<text x="{x(t):.1f}" y="{foot + 14}" text-anchor="middle">0</text>'
        for t in ticks
    ]
    out.append("</g>")
    for leaf in c.order:
        y = place[(leaf,)][0]
        name = told.title(leaf)
        name = name if len(name) <= 24 else name[:23] + "…"
        out.append(
            f'<text class="leaf" x="{_LEAF - 6}" y="{y + 4:.1f}" text-anchor="end">'
            f"{escape(name)}</text>"
        )
    for m in c.merges:
        (y1, x1), (y2, x2) = place[m.left], place[m.right]
        at = float(x(m.height))
        own = {group[v] for v in (*m.left, *m.right)}
        css = f"s{next(iter(own)) % svg.SERIES}" if len(own) == 1 else "between"
        out.append(
            f'<g class="{css}"><path class="join" d="M{x1:.1f} {y1:.1f}H{at:.1f}V{y2:.1f}'
            f'H{x2:.1f}"/></g>'
        )
        place[(*m.left, *m.right)] = ((y1 + y2) / 2, at)
    cut = _cut(c)
    if cut is not None:
        out.append(f'<path class="chance" d="M{x(cut):.1f} 4V{foot}"/>')
    out.append(
        f'<text class="axis" x="{_LEAF + (_TREE - 14) / 2}" y="{foot + 30}" '
        'text-anchor="middle">mean correlation</text></svg>'
    )
    return "".join(out)


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
        f"{', '.join(told.title(v) for v in m.left)} with "
        f"{', '.join(told.title(v) for v in m.right)} at {told.r(1 - m.height)}"
        for m in c.merges
    )
