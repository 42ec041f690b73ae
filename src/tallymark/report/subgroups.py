"""Subgroups of the rows: in the terminal, as a table, and on the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tallymark.infer.by_subgroup import SubgroupDifference, Subgroups
from tallymark.infer.cautions import FEW
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.report import svg, words
from tallymark.report.blocks import GAP, Block, Cell, Grid, Headline, Paragraph
from tallymark.report.evaluation import Evaluation
from tallymark.report.facts import value_rows
from tallymark.tables import SubgroupTable

MOST_LINES = 40
MOST_ON_PAGE = 50
"""Subgroups that are listed one by one."""

MOST_MODELS = 3
_FIRST = 4

SMALL = f"* rests on fewer than {FEW} rows: not ranked, not tested"


def subgroups(s: Subgroups, metrics: Sequence[str] | None = None) -> Iterator[Block]:
    """Yield a row a subgroup, and which of them differ from the others.

    ``metrics`` are shown, by default those that are looked at first; the first of them decides.
    """
    by = ", ".join(s.columns)
    yield Headline(
        f"{len(s):,} subgroups of {s.chosen.name} by {by}, {sum(s.rows.values()):,} rows"
    )
    names = list(metrics or s.metrics()[:_FIRST])
    values = s.values(names)
    small = {m: set(s.small(m)) for m in names}
    rows: list[list[Cell | str]] = []
    for key, parts, n in zip(s.keys, s.subgroup_counts.keys, s.subgroup_counts.rows, strict=True):
        if len(rows) == MOST_LINES:
            break
        cells = [_cell(values[key][m], key in small[m]) for m in names]
        rows.append([*map(words.subgroup, parts), words.count(int(n)), *cells])
    yield Grid((*s.columns, "rows", *names), rows, left=range(len(s.columns)))
    if len(s) > MOST_LINES:
        yield Paragraph(f"and {len(s) - MOST_LINES:,} more subgroups: .table() has all of them")
    if any(isinstance(c, Cell) and c.mark for row in rows for c in row):
        yield Paragraph(SMALL)
    yield GAP
    yield from verdict(s, metrics[0] if metrics else s.metrics()[0])


def table(t: SubgroupTable) -> Iterator[Block]:
    """Yield a row a subgroup and metric."""
    first = f": {t.rows[0]['metric']} {words.number(t.rows[0]['value'])}" if t.rows else ""
    yield Headline(f"{len(t):,} rows by {', '.join(t.columns)}{first}")
    yield value_rows((*t.columns, "rows"), t.rows)


def named(s: Subgroups, key: Any) -> str:
    """Return a subgroup's name in a sentence."""
    return ", ".join(words.subgroup(p) for p in ((key,) if len(s.columns) == 1 else key))


def _cell(v: Value, small: bool) -> Cell:
    if v.reason:
        return Cell("undefined")
    bounds = "" if math.isnan(v.low) else f" [{words.number(v.low)}, {words.number(v.high)}]"
    return Cell(words.number(v.value) + bounds, mark="*" if small else "")


def verdict(s: Subgroups, metric: str) -> Iterator[Paragraph]:
    """Yield which subgroups differ from the others in a metric, and which is worst."""
    if len(s) < 2:
        yield Paragraph("There is only one subgroup, so there is nothing to compare it with.")
        return
    tested = [d for d in s.differences(metric) if not math.isnan(d.corrected)]
    flagged = s.flags(metric)
    head = f"{len(flagged):,} of {len(tested):,} subgroups tested differ from the rest in "
    end = ":" if flagged else f" at level {s.level:g}."
    yield Paragraph(head + get(metric).in_a_sentence + end)
    for d in flagged[:MOST_LINES]:
        text = f"{named(s, d.key)}: {d.difference}, {words.p_is(d.corrected)} (Holm)"
        yield Paragraph(text, indent=2)
    if get(metric).better != "neither":
        yield Paragraph(of_worst(s, metric))
    left = len(s) - len(tested)
    if left:
        yield Paragraph(f"{left:,} not tested: fewer than {FEW} rows, or no interval.")


def of_worst(s: Subgroups, metric: str) -> str:
    """Return which subgroup is worst, corrected for its selection, and which others could be."""
    found = s.worst_of_all(metric)
    if found is None:
        return f"No subgroup has {FEW} rows, so none is called the worst."
    better = "highest" if get(metric).better == "low" else "lowest"
    low, high, least, most = map(words.number, (found.low, found.high, found.least, found.most))
    text = (
        f"{named(s, found.key)} is {better} of {found.of:,} ({words.number(found.value.value)}; "
        f"{words.percent(found.level, 0)} CI {low} to {high}, corrected for selection)"
    )
    n = len(found.candidates)
    if n > 1:
        which = "any of them" if n == found.of else f"any of {n:,}"
        text += f", but {which} could be the worst (true value between {least} and {most})"
    return text + "."


# -- the page ----------------------------------------------------------------------------------


def of_models(ev: Evaluation) -> list[Subgroups]:
    """Return the subgroups of every model; none where the rows were not counted by subgroups."""
    found = ev.counted.subgroup_counts
    if found is None or ev.stratified:
        return []
    return [ev.model(name).by(*found.columns) for name in ev.names]


def sections(ev: Evaluation) -> list[dict[str, Any]]:
    """Return what the page shows of the subgroups, model by model."""
    return [_section(s) for s in of_models(ev)[:MOST_MODELS]]


def _section(s: Subgroups) -> dict[str, Any]:
    from markupsafe import Markup

    metric = s.decisive()
    values = s.values(metric)
    small = set(s.small(metric))
    shown = s.order(metric)[:MOST_ON_PAGE]
    gaps = {d.key: d for d in s.differences(metric)} if len(s) > 1 else {}
    flagged = {k for k, d in gaps.items() if d.corrected < 1 - s.level}
    bounds = [x for k in shown for x in (values[k][metric].low, values[k][metric].high)]
    ends = [x for x in bounds if math.isfinite(x)]
    least, most = (min(ends), max(ends)) if ends else (0.0, 0.0)
    rows = []
    for key in shown:
        v = values[key][metric]
        cell = _cell(v, key in small)
        rows.append({
            "name": named(s, key),
            "rows": words.count(s.rows[key]),
            "text": words.number(v.value) + cell.mark,
            "bounds": words.interval(v) or v.reason or "no interval",
            "bar": Markup(svg.bar(v.value, v.low, v.high, least, most)),
            "gap": _gap(gaps.get(key)),
            "p": _p(gaps.get(key)),
            "flagged": key in flagged,
        })  # fmt: skip
    notes = []
    if len(s) > 1:
        tested = sum(not math.isnan(d.corrected) for d in gaps.values())
        differ = "subgroup differs" if len(flagged) == 1 else "subgroups differ"
        notes.append(
            f"{len(flagged):,} {differ} from the rest, of {tested:,} tested (p-values corrected "
            "for their number by Holm's method)."
        )
        notes.append(of_worst(s, metric))
    left = set(s.keys) - set(shown)
    if left:
        notes.append(
            f"The {len(shown)} worst are shown; {len(flagged & left):,} of the {len(left):,} "
            "others differ from the rest."
        )
    if any(k in small for k in shown):
        notes.append(SMALL + ".")
    return {
        "model": words.text(s.chosen.name),
        "by": words.text(", ".join(s.columns)),
        "title": get(metric).title,
        "rows": rows,
        "notes": notes,
        "ends": (words.number(least), words.number(most)) if ends else None,
    }


def _gap(gap: SubgroupDifference | None) -> str:
    if gap is None or gap.difference.reason:
        return ""
    d = gap.difference
    bounds = "" if math.isnan(d.low) else f" ({d.low:+.3f} to {d.high:+.3f})"
    return f"{d.value:+.3f}{bounds}".replace("-", "−")


def _p(gap: SubgroupDifference | None) -> str:
    if gap is None or gap.small:
        return "not tested"
    return "" if math.isnan(gap.corrected) else words.p_value(gap.corrected)
