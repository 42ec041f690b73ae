"""The parts of the rows on the page: the worst first, each beside the rest."""

from __future__ import annotations

import math
from typing import Any

from tallymark.infer.against import SliceDifference
from tallymark.infer.cautions import FEW
from tallymark.infer.slices import Slices
from tallymark.metric import get
from tallymark.report import svg, words
from tallymark.report.evaluation import Evaluation
from tallymark.report.sliced import named, of_worst

MOST_SLICES = 50
"""Slices that are told one by one."""

MOST_MODELS = 3


def told_apart(ev: Evaluation) -> list[Slices]:
    """Return the slices of every model; none where the rows were not counted by slices."""
    found = ev.counted.sliced
    if found is None or ev.by_class:
        return []
    return [ev.model(name).by(*found.columns) for name in ev.names]


def sections(ev: Evaluation) -> list[dict[str, Any]]:
    """Return what the page tells of the parts of the rows, model by model."""
    return [_section(slices) for slices in told_apart(ev)[:MOST_MODELS]]


def _section(slices: Slices) -> dict[str, Any]:
    from markupsafe import Markup

    metric = slices.decisive()
    title = get(metric).title
    values = slices.values(metric)
    small = set(slices.small(metric))
    shown = slices.order(metric)[:MOST_SLICES]
    gaps: dict[Any, SliceDifference] = {}
    if len(slices) > 1:
        gaps = {d.key: d for d in slices.differences(metric)}
    alpha = 1 - slices.level
    ends = [x for k in shown for x in _ends(values[k][metric]) if math.isfinite(x)]
    least, most = (min(ends), max(ends)) if ends else (0.0, 0.0)
    rows = []
    for key in shown:
        v, gap, few = values[key][metric], gaps.get(key), key in small
        flagged = gap is not None and gap.corrected < alpha
        rows.append({
            "name": named(slices, key),
            "rows": words.count(slices.rows[key]),
            "text": words.number(v.value) + ("*" if few and not v.reason else ""),
            "bounds": words.interval(v) or v.reason or "no interval",
            "bar": Markup(svg.bar(v.value, v.low, v.high, least, most)),
            "gap": _gap(gap),
            "p": _p(gap),
            "flagged": flagged,
        })  # fmt: skip
    flags = sum(d.corrected < alpha for d in gaps.values())
    tested = sum(not math.isnan(d.corrected) for d in gaps.values())
    notes = []
    if len(slices) > 1:
        differ = "slice differs" if flags == 1 else "slices differ"
        notes.append(
            f"{flags:,} {differ} from the rest, of {tested:,} tested (p-values corrected for their "
            "number by Holm's method)."
        )
        notes.append(of_worst(slices, metric)[:1].upper() + of_worst(slices, metric)[1:] + ".")
    left = len(slices) - len(shown)
    if left:
        beyond = sum(gaps[k].corrected < alpha for k in set(slices.keys) - set(shown) if k in gaps)
        notes.append(
            f"The {len(shown)} worst are shown; of the {left:,} others {beyond:,} differ from the "
            "rest."
        )
    if any(k in small for k in shown):
        notes.append(f"* rests on fewer than {FEW} rows: not ranked, not tested.")
    return {
        "model": words.text(slices.chosen.name),
        "by": words.text(", ".join(slices.columns)),
        "title": title,
        "rows": rows,
        "notes": notes,
        "ends": (words.number(least), words.number(most)) if ends else None,
    }


def _ends(v: Any) -> tuple[float, float]:
    return v.low, v.high


def _gap(gap: SliceDifference | None) -> str:
    if gap is None or gap.difference.reason:
        return ""
    d = gap.difference
    told = f"{d.value:+.3f}".replace("-", "−")
    if math.isnan(d.low):
        return told
    return f"{told} ({d.low:+.3f} to {d.high:+.3f})".replace("-", "−")


def _p(gap: SliceDifference | None) -> str:
    if gap is None or gap.small:
        return "not tested"
    return "" if math.isnan(gap.corrected) else words.p_value(gap.corrected)
