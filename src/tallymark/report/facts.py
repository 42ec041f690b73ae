"""Single results as blocks: a value, a difference, a test, a curve, a tally."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import CURVES
from tallymark.display import Display
from tallymark.report import words
from tallymark.report.blocks import Block, Cell, Grid, Headline, Paragraph

if TYPE_CHECKING:
    from tallymark.curve import Curve
    from tallymark.infer.by_subgroup import SubgroupDifference, Worst
    from tallymark.infer.choice import Corrected
    from tallymark.infer.compare import Crossing, Verdict
    from tallymark.infer.difference import Difference
    from tallymark.infer.majority import NoInformation
    from tallymark.infer.plan import Plan
    from tallymark.infer.significance import Evidence
    from tallymark.metric.measure import Value
    from tallymark.studies.claims import Reconciliation
    from tallymark.tables import Listing, Table
    from tallymark.tally.labels import LabelTally

MOST_ROWS = 400
"""Rows of a listing that are printed."""

MOST_POINTS = 12
"""Points of a curve that are printed."""


# -- numbers -----------------------------------------------------------------------------------


def value(v: Value) -> Iterator[Block]:
    """Yield a value with its interval, its method and its warning."""
    line = f"{v.value:.4f}"
    if v.reason:
        line = f"undefined: {v.reason}"
    elif not math.isnan(v.low):
        line += f" [{v.low:.4f}, {v.high:.4f}]"
    yield Headline(f"{v.metric} {line}", line)
    cells = (v.metric, words.number(v.value, 4), words.interval(v, 4), words.how(v))
    head = words.interval_head(v.level) if v.level else "interval"
    yield Grid(("metric", "value", head, "method"), [cells], wrap=True)
    yield from _warning(v.warning)


def difference(d: Difference) -> Iterator[Block]:
    """Yield a difference with both numbers, its interval and its p-value."""
    line = f"{d.value:+.4f}"
    if d.reason:
        line = f"undefined: {d.reason}"
    elif not math.isnan(d.low):
        line += f" [{d.low:+.4f}, {d.high:+.4f}]"
    yield Headline(f"{d.metric} {line}", line)
    head = words.interval_head(d.level) if d.level else "interval"
    heads = ("metric", "first", "second", "difference", head, "p", "method")
    yield Grid(heads, [(d.metric, *words.difference(d), d.reason or d.method or "")], wrap=True)
    yield from _warning(d.warning)


def subgroup_difference(d: SubgroupDifference) -> Iterator[Block]:
    """Yield the difference of a subgroup from the others."""
    headline, *rest = difference(d.difference)
    assert isinstance(headline, Headline)
    line = headline.alone or ""
    if d.small:
        line += " (few rows, not tested)"
    elif not math.isnan(d.corrected):
        line += f", p = {d.corrected:.3g}"
    yield Headline(f"{d.difference.metric} of {d.key}: {line}", line)
    yield from rest


def worst(w: Worst) -> Iterator[Block]:
    """Yield the worst subgroup."""
    line = f"{w.key}: {w.value.value:.4f} [{w.low:.4f}, {w.high:.4f}] as one of {w.of:,}"
    yield Headline(f"{w.metric} {line}", line)
    heads = ("subgroup", "value", words.interval_head(w.level), "could be the worst")
    cells = (
        str(w.key),
        words.number(w.value.value),
        f"{words.number(w.low)} to {words.number(w.high)}",
        f"{len(w.candidates):,} of {w.of:,}",
    )
    yield Grid(heads, [cells])


def corrected(c: Corrected) -> Iterator[Block]:
    """Yield a number on the rows that chose a threshold, and what to expect on new ones."""
    line = f"{c.metric} {c.value:.4f}, {c.corrected:.4f} to be expected on new rows"
    yield Headline(line, line)
    heads = ("metric", "these rows", "new rows")
    yield Grid(heads, [(c.metric, words.number(c.value, 4), words.number(c.corrected, 4))])


def evidence(e: Evidence) -> Iterator[Block]:
    """Yield a test with its statistic and its p-value."""
    if e.reason:
        line = f"{e.name}: undefined, {e.reason}"
    else:
        statistic = "" if math.isnan(e.statistic) else f" = {e.statistic:.4g}"
        degrees = "" if math.isnan(e.degrees) else f", {e.degrees:g} degrees of freedom"
        line = f"{e.name}{statistic}{degrees}: p = {e.p_value:.3g}"
    yield Headline(line, line)
    yield Grid(
        ("test", "statistic", "degrees of freedom", "p"),
        [(e.name, _plain(e.statistic), _plain(e.degrees), words.p_value(e.p_value))],
    )
    yield from _warning(e.reason)


def verdict(v: Verdict) -> Iterator[Block]:
    """Yield what may be said of two models, and the difference that it rests on."""
    line = words.pair_verdict(v)
    yield Headline(line, line)
    yield Paragraph(words.verdict_line(v))
    yield from list(difference(v.difference))[1:]


def crossing(c: Crossing) -> Iterator[Block]:
    """Yield where two ROC curves cross."""
    line = words.crossing(c)
    yield Headline(line, line)
    yield Paragraph(words.sentence(line))
    heads = ("model", "greatest lead in sensitivity", "at a false positive rate of")
    names, leads = (c.first, c.second), zip(c.leads, c.at, strict=True)
    cells = [
        (n, words.number(lead), words.number(at))
        for n, (lead, at) in zip(names, leads, strict=True)
    ]
    yield Grid(heads, cells)


def no_information(n: NoInformation) -> Iterator[Block]:
    """Yield what always naming the most frequent class achieves."""
    line = f"accuracy {words.number(n.rate)} by {words.always(str(n.label))}"
    yield Headline(line)
    yield Paragraph(f"{words.NO_INFORMATION} {words.number(n.rate)} ({words.always(str(n.label))})")
    tests = [(model, words.p_value(p)) for model, p in n.p_values.items() if p is not None]
    if tests:
        yield Grid(("model", f"p, {words.ABOVE_NO_INFORMATION}"), tests)


def plan(p: Plan) -> Iterator[Block]:
    """Yield how many rows to judge, and what was taken for granted."""
    line = words.plan(p)
    yield Headline(line, line)
    yield Paragraph(line)
    facts = [(k.replace("_", " "), _plain(v)) for k, v in p.assumed.items()]
    yield Grid(("assumed", ""), [*facts, ("method", p.method)], left=(0, 1))


def reconciliation(found: Reconciliation) -> Iterator[Block]:
    """Yield what stated numbers can mean."""
    from tallymark.studies.claims import lines_of

    text = "\n".join(lines_of(found))
    yield Headline(text.splitlines()[0], text)
    yield from (Paragraph(part) for part in text.splitlines() if part)


# -- tables, curves and tallies ----------------------------------------------------------------


def table(t: Table) -> Iterator[Block]:
    """Yield a row a model and metric."""
    models = dict.fromkeys(r["model"] for r in t)
    first = f": {t.rows[0]['metric']} {words.number(t.rows[0]['value'])}" if t.rows else ""
    yield Headline(f"{len(t):,} rows of {', '.join(models)}{first}")
    yield value_rows(("model",), t.rows)


def value_rows(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Grid:
    """Return rows of values as a table whose first columns are ``names``."""
    heads = (*names, "metric", "value", "low", "high", "method")
    body = []
    for r in rows:
        few = " (few rows)" if r.get("small") else ""
        bounds = ["" if math.isnan(r[k]) else words.number(r[k]) for k in ("low", "high")]
        own = [words.count(r[n]) if n == "rows" else words.subgroup(r[n]) for n in names]
        method = (r["reason"] or r["method"] or "") + few
        body.append((*own, r["metric"], words.number(r["value"]), *bounds, method))
    k = len(names)
    left = [i for i, n in enumerate(heads) if i <= k and n != "rows"]
    return Grid(heads, body, left=left, wrap=True)


def listing(found: Listing) -> Iterator[Block]:
    """Yield rows of numbers."""
    heads = tuple(found.rows[0]) if found.rows else ()
    yield Headline(f"{len(found):,} rows of {', '.join(heads)}")
    yield Grid(heads, [
        [
            f"{v:.4g}" if h == "threshold" else
            words.number(v) if isinstance(v, float) and h in ("TPR", "FPR") else words.count(v)
            for h, v in row.items()
        ]
        for row in found.rows[:MOST_ROWS]
    ])  # fmt: skip
    yield from _more(len(found) - MOST_ROWS, "rows: .to_dicts() has all of them")


def curve(c: Curve) -> Iterator[Block]:
    """Yield a curve: its points, some of them where there are many."""
    titles = {a.name: a.title for d in CURVES.values() for a in (d.x, d.y)}
    x, y = (titles.get(m, m.replace("_", " ")) for m in (c.x_metric, c.y_metric))
    axes = f"{y} against {x}"
    end = f", last point ({c.x[-1]:.4g}, {c.y[-1]:.4g})" if len(c) else ""
    yield Headline(f"{c.name}, {len(c):,} points, {axes}{end}")
    yield Paragraph(f"{c.name}: {axes}", "title")
    columns = {
        "threshold": c.threshold,
        c.x_metric: c.x,
        c.y_metric: c.y,
        "low": c.low,
        "high": c.high,
    }
    present = {k: v for k, v in columns.items() if v is not None and not np.isnan(v).all()}
    places = np.unique(np.linspace(0, len(c) - 1, min(len(c), MOST_POINTS)).round().astype(int))
    rows = [[f"{v[i]:.4g}" for v in present.values()] for i in places]
    yield Grid(tuple(present), rows, left=())
    yield from _more(len(c) - len(places), "points")
    if c.method:
        yield Paragraph(f"bounds: {c.method}", "dim")


def label_tally(t: LabelTally) -> Iterator[Block]:
    """Yield the confusion matrix."""
    labels = [str(label) for label in t.labels]
    right, total = float(t.counts.trace()), float(t.counts.sum())
    share = f"{words.count(right)} of {words.count(total)} right"
    yield Headline(f"{t.rows:,} rows, {len(labels)} classes, {share}")
    yield Paragraph(f"{t.rows:,} rows; rows of the matrix are the true classes", "title")
    yield matrix(labels, t.counts)


def matrix(labels: Sequence[str], counts: Any, indent: int = 0) -> Grid:
    """Return a confusion matrix with the true classes as rows."""
    return Grid(("true", *labels), [
        (label, *(Cell(words.count(float(n)), style="bold" if i == j else "")
                  for j, n in enumerate(row)))
        for i, (label, row) in enumerate(zip(labels, counts, strict=True))
    ], indent=indent)  # fmt: skip


def fields_of(result: Display) -> Iterator[Block]:
    """Yield the fields of a result that has no words of its own."""
    names = [f.name for f in fields(result)] if is_dataclass(result) else list(vars(result))
    facts = {n: _plain(getattr(result, n)) for n in names if not n.startswith("_")}
    yield Headline(", ".join(f"{k} {v}" for k, v in facts.items()))
    yield Grid(("", type(result).__name__), list(facts.items()), left=(0, 1), wrap=True)


def _plain(value: Any) -> str:
    """Return a field in few words: numbers as they are, arrays and mappings by their size."""
    if isinstance(value, np.ndarray) and value.size > 1:
        return f"{'×'.join(map(str, value.shape))} numbers"
    if isinstance(value, float | np.ndarray):
        number = float(value) if np.size(value) == 1 else math.nan
        return "-" if math.isnan(number) else f"{number:.6g}"
    if isinstance(value, Display):
        return type(value).__name__
    if isinstance(value, Mapping):
        return f"{len(value):,} entries"
    if isinstance(value, tuple | list):
        short = ", ".join(map(_plain, value[:6]))
        return short if len(value) <= 6 else f"{short} and {len(value) - 6:,} more"
    return f"{value:,}" if type(value) is int else str(value)


def _warning(text: str | None) -> Iterator[Block]:
    if text:
        yield Paragraph(f"warning: {text}", "warning")


def _more(n: int, what: str) -> Iterator[Block]:
    if n > 0:
        yield Paragraph(f"and {n:,} more {what}", "dim")
