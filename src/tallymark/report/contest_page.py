"""The page of a contest of classifiers: the diagram, every pair, every data set."""

from __future__ import annotations

import os
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from tallymark.metric.sources import cite
from tallymark.report import contest_text as told
from tallymark.report import diagram, words
from tallymark.report.output import write_text
from tallymark.report.study_text import title
from tallymark.studies.model_comparison import Contest

SOURCES = {
    "folds": ("nadeau2003", "bouckaert2004", "holm1979", "corani2015"),
    "wilcoxon": ("wilcoxon1945", "hodges1963", "demsar2006", "benavoli2014"),
    "nemenyi": ("demsar2006", "friedman1937", "iman1980", "nemenyi1963", "benavoli2016",
                "holm1979", "benavoli2014"),
    "holm": ("demsar2006", "friedman1937", "iman1980", "holm1979", "benavoli2016",
             "benavoli2014"),
}  # fmt: skip

FIVE_BY_TWO = {"5x2_t": ("dietterich1998",), "5x2_f": ("alpaydin1999",)}


def write(c: Contest, path: str | os.PathLike[str]) -> Path:
    """Write the page, whole or not at all."""
    return write_text(path, render(c))


def render(c: Contest) -> str:
    """Return the page as HTML text."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    assets = files("tallymark.report") / "assets"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((assets / "results.html.j2").read_text("utf-8"))
    several = c.friedman is not None
    html = template.render(
        source=words.text(c.source),
        about=told.about(c),
        verdict=told.verdict(c),
        notes=[words.text(n) for n in c.notes],
        style=Markup((assets / "style.css").read_text("utf-8")),
        picture=Markup(diagram.picture(c)) if several else "",
        picture_words=_caption(c) if several else "",
        classifiers=told.classifier_table(c),
        tests=[t for t in (told.chi_squared(c), told.iman(c)) if t],
        pairs=told.pair_table(c, c.pairs),
        legend=told.legend(c),
        cautions=told.cautions(c),
        datasets=_datasets(c),
        names=[words.text(n) for n in c.means],
        metric=title(c.metric),
        definitions=_definitions(c),
        sources=[cite(k) for k in _cited(c)],
        version=version("tallymark"),
    )
    return str(html)


def _caption(c: Contest) -> str:
    if c.rule == "nemenyi":
        return "A bar joins classifiers whose mean ranks lie within the critical difference."
    if c.rule == "holm":
        return f"The bar joins {words.text(c.terms.control or '')} and what is not told apart."
    return "A bar joins the two where they are not told apart."


def _datasets(c: Contest) -> list[dict[str, Any]]:
    """Return each data set with the means of all classifiers, the best of them marked."""
    best = max if c.terms.better == "high" else min
    out = []
    for f, row in zip(c.fields, c.values.tolist(), strict=True):
        cells = [{"text": words.number(row[i], 4), "best": row[i] == best(row)} for i in c.order]
        out.append({"name": words.text(f.dataset), "results": f"{len(f.values):,}", "cells": cells})
    return out


def _definitions(c: Contest) -> list[str]:
    """Say how every number of the page was made."""
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
            "Pairs are told apart only where Iman and Davenport's F finds the classifiers to "
            f"differ at {words.percent(t.level, 0)}."
        )
    posterior = c.pairs[0].posterior
    drawn = f", {posterior.draws:,} draws from seed {posterior.seed}" if posterior.draws else ""
    out.append(
        f"Probabilities: {posterior.method}{drawn}; differences of {t.rope:g} or less count as "
        "equal."
    )
    return out


def _cited(c: Contest) -> tuple[str, ...]:
    keys = list(SOURCES[c.rule])
    for test, more in FIVE_BY_TWO.items():
        if any(p.result.test == test for p in c.pairs):
            keys = [*more, *(k for k in keys if k not in ("nadeau2003", "bouckaert2004"))]
    if c.friedman is None and any(p.result.test == "wilcoxon" for p in c.pairs):
        keys = ["wilcoxon1945", *keys]
    return tuple(keys)
