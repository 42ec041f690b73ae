"""Tables of numbers: metrics, listings and the table of a paper."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tallymark.report import words
from tallymark.report.blocks import Block, Grid, Headline, Paragraph
from tallymark.report.subjects.values import more

if TYPE_CHECKING:
    from tallymark.listing import Listing
    from tallymark.tables import PaperTable, SubgroupTable, Table

MOST_ROWS = 400
"""Rows of a listing that are printed."""

COUNTED = frozenset(("dropped_pos", "dropped_neg", "TP", "FP", "FN", "TN", "counts"))
"""Columns of listings that hold counts, or sums of weights."""


def table(t: Table | SubgroupTable) -> Iterator[Block]:
    """Yield one row per model and metric, or per subgroup and metric."""
    columns = getattr(t, "columns", ())
    of_models = ("model", "class") if t.rows and "class" in t.rows[0] else ("model",)
    names = (*columns, "rows") if columns else of_models
    first = f": {t.rows[0]['metric']} {_rounded(t.rows[0])[0]}" if t.rows else ""
    whose = ", ".join(columns or dict.fromkeys(r["model"] for r in t))
    yield Headline(f"{len(t):,} rows {'by' if columns else 'of'} {whose}{first}")
    body = []
    for r in t.rows:
        few = " (few rows)" if r.get("small") else ""
        value, *bounds = _rounded(r)
        lead = [words.count(r[n]) if n == "rows" else words.subgroup(r[n]) for n in names]
        method = (r["reason"] or r["method"] or "") + few
        body.append((*lead, r["metric"], value, *bounds, method))
    heads = (*names, "metric", "value", "low", "high", "method")
    left = [i for i, n in enumerate(heads) if i <= len(names) and n != "rows"]
    yield Grid(heads, body, left=left, wrap=True, single=not columns)


subgroup_table = table


def _rounded(r: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return a row's value and bounds, rounded alike; the bounds are empty if there are none."""
    value, low, high = words.to_width(r["value"], r["low"], r["high"])
    return (value, "", "") if math.isnan(r["low"]) else (value, low, high)


def listing(rows: Listing) -> Iterator[Block]:
    """Yield rows of numbers."""
    heads = list(dict.fromkeys(h for row in rows for h, v in row.items() if v is not None))
    yield Headline(f"{len(rows):,} rows of {', '.join(heads)}")
    left = [i for i, h in enumerate(heads) if any(isinstance(row.get(h), str) for row in rows)]
    body = [[_listed(h, row.get(h)) for h in heads] for row in rows.rows[:MOST_ROWS]]
    if "threshold" in heads and "threshold" not in {heads[i] for i in left}:
        at, shown = heads.index("threshold"), [row.get("threshold") for row in rows]
        known = [t for t in shown[:MOST_ROWS] if t is not None]
        texts = dict(zip(known, apart(known), strict=True))
        for cells, t in zip(body, shown, strict=False):
            cells[at] = texts.get(t, cells[at])
    _round_to_width(heads, body, rows)
    optional = _optional(heads, body, left)
    yield Grid(
        heads,
        body,
        left=left or (0,),
        wrap=len(heads) - 1 in left and len(heads) - 1 not in optional,
        optional=[*list(optional)[:-2], tuple(optional)[-2:]] if optional else (),
        dropped=optional,
    )
    yield from more(len(rows) - MOST_ROWS, "rows: .to_csv() has all of them")


def _round_to_width(heads: Sequence[str], body: Sequence[list[str]], rows: Listing) -> None:
    """Write the estimate of each row and its bounds with the same decimals."""
    estimate = next((h for h in ("difference", "value") if h in heads), "")
    names = (estimate, "low", "high")
    if not {*names} <= {*heads}:
        return
    for cells, row in zip(body, rows, strict=False):
        numbers = [row.get(n) for n in names]
        if all(isinstance(x, float) and not math.isnan(x) for x in numbers):
            for n, text in zip(names, words.to_width(*numbers), strict=True):  # type: ignore[arg-type]
                cells[heads.index(n)] = text


OF_DIFFERENCES = ("level", "title", "difference", "first_value", "second_value")
"""Columns of a listing of differences between models."""


def _optional(
    heads: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int]
) -> dict[int, str]:
    """Return the columns of differences that a narrow terminal drops, in this order.

    Each has the text that stands for it. What is the same in every row comes first, then the
    titles, how the numbers were made, and the two values of a difference.
    """
    if not {*OF_DIFFERENCES} <= {*heads}:
        return {}
    made = [i for i in left if i > heads.index("difference")]
    same = [i for i in left if len({row[i] for row in body}) == 1 < len(body)]
    level, title, *_ = map(heads.index, OF_DIFFERENCES)
    same.append(level)
    order = dict.fromkeys([*same, title, *made, *map(heads.index, OF_DIFFERENCES[-2:])])
    return {i: f"{heads[i]} ({body[0][i]})" if i in same else heads[i] for i in order}


def apart(thresholds: Sequence[float]) -> list[str]:
    """Return thresholds with four digits, or more where others look the same.

    >>> apart([0.9, 0.123456, 1.0, 0.99999994, 0.99999])
    ['0.9', '0.1235', '1', '0.9999999', '0.99999']
    """
    texts = {t: f"{t:.4g}" for t in thresholds}
    for digits in range(5, 18):
        often = Counter(texts.values())
        texts |= {t: f"{t:.{digits}g}" for t, text in texts.items() if often[text] > 1}
    return [texts[t] for t in thresholds]


def errata(rows: Listing) -> Iterator[Block]:
    """Yield the formulas that a source misprints, with the right ones."""
    yield Paragraph("Formulas that a source prints wrongly", "title")
    for r in rows:
        gives, right = words.number(r["as_printed"]), words.number(r["right"])
        yield Paragraph(f"{r['metric']} is {right}; as printed {gives}")
        yield Paragraph(f"{r['source']}: {r['printed']}", indent=2)
        yield Paragraph(r["wrong"], "dim", indent=2)


def paper_table(t: PaperTable) -> Iterator[Block]:
    """Yield a table in the format of a paper."""
    yield Headline(f"{len(t):,} models: {', '.join(r['Model'] for r in t)}")
    heads = tuple(t.rows[0])
    yield Grid(heads, [tuple(r.values()) for r in t])
    yield Paragraph(t.caption)


def _listed(head: str, value: Any) -> str:
    """Return a cell of a listing: whole counts, thresholds with four digits, others with three."""
    if isinstance(value, bool) or not isinstance(value, float | int):
        return "" if value is None else str(value)
    if math.isnan(value):
        return "" if head in ("low", "high") else "undefined"
    if head in ("threshold", "level"):
        return f"{value:.4g}"
    if head.startswith("p_"):
        return words.p_value(value)
    return (
        words.number(value)
        if isinstance(value, float) and head not in COUNTED
        else (words.count(value))
    )
