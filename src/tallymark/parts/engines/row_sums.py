"""Decisions and losses of rows with a score for each class, added up by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import narwhals as nw
import numpy as np

from tallymark import LabelTally
from tallymark.core import Classes, Sums
from tallymark.parts.engines.group_counts import Engine, best_of, flag, floats, ints, literal

_TINY = 1e-75
"""Smaller numbers are 0: their square times a squared weight may be smaller than any float."""


@dataclass(frozen=True, slots=True)
class RowSums:
    """Counts of the predicted class (the highest score), and sums of the losses over rows.

    ``worst_sum`` is the largest deviation of a row's scores from a sum of 1.
    """

    decided: LabelTally
    sums: Sums
    worst_sum: float


def row_sums(engine: Engine, classes: Classes, scores: Sequence[str]) -> RowSums:
    """Return what the rows of one score per class, in the order of the classes, add up to."""
    names = [f"p_{i}" for i in range(len(scores))]
    of_class = _codes(engine, classes)
    frame = engine.whole_rows({**dict(zip(names, scores, strict=True)), "truth": engine.job.truth})
    own: Any = literal(0.0, engine.kind)
    for value, code in of_class.items():
        is_class = nw.col("truth") == engine.held(engine.job.truth, value)
        own = nw.when(is_class).then(nw.col(names[code])).otherwise(own)
    columns = [nw.col(n) for n in names]
    large = [_or_zero(c, engine) for c in columns]
    frame = frame.with_columns(
        own=own,
        total=reduce(add, columns),
        square=reduce(add, (c * c for c in large)),
        best=best_of(names),
    )
    frame = engine.computed_once(frame)
    own, total, square, w, v = map(nw.col, ("own", "total", "square", "w", "v"))
    losses = ("log", "squared", "absolute", "spherical")
    one, short = literal(1.0, engine.kind), _or_zero(own, engine)
    # The logarithm and the root are of positive numbers: engines differ on all others.
    frame = frame.with_columns(
        higher=reduce(add, (flag(c > own) for c in columns)),
        equal=reduce(add, (flag(c == own) for c in columns)),
        zero=flag((own == 0.0) & (w > 0.0)),
        below=flag((own < 0.0) & (w > 0.0)),
        above_0=nw.when(own > 0.0).then(own).otherwise(one),
        length=nw.when(square > 0.0).then(square).otherwise(one).sqrt(),
        off=(total - one).abs(),
    )
    frame = frame.with_columns(
        log=-nw.col("above_0").log(),
        squared=square - short * short + (one - short) * (one - short),
        absolute=total - own + (one - own),
        spherical=short / nw.col("length"),
    )
    frame = frame.with_columns(**{x: _or_zero(nw.col(x), engine) for x in losses})
    sums = {f"{x}_w": nw.col(x) * w for x in losses}
    sums |= {f"{x}_2": nw.col(x) * nw.col(x) * v for x in losses}
    sums |= {f"{x}_v": nw.col(x) * v for x in losses}
    added = [*sums, "w", "v", "zero", "below"]
    groups = engine.fetch(
        frame.with_columns(**sums)
        .group_by("truth", "best", "higher", "equal")
        .agg(
            nw.len().alias("rows"),
            nw.col("off").max().alias("worst"),
            *(nw.col(n).sum().alias(f"sum_{n}") for n in added),
        )
    )
    true = np.array([of_class.get(value, -1) for value in groups["truth"].tolist()], np.intp)
    ranks = [ints(groups[name]) for name in ("best", "higher", "equal")]
    order = np.lexsort([*ranks, true])
    order = order[true[order] >= 0]
    true, (best, higher, equal) = true[order], (rank[order] for rank in ranks)
    summed = {n: floats(groups[f"sum_{n}"])[order] for n in added}
    table = np.array([[summed[f"{x}_{end}"] for x in losses] for end in ("w", "2", "v")])
    table[:, 0] = np.where(summed["zero"] > 0, np.inf, table[:, 0])
    table[:, 0] = np.where(summed["below"] > 0, np.nan, table[:, 0])
    rows = ints(groups["rows"])[order]
    masses = summed["w"], summed["v"]
    total_rows = int(masses[0].sum() if engine.job.counted else rows.sum())
    sums_of_rows = Sums._of_groups(true, table, (higher, equal), masses, len(names), total_rows)
    squares = masses[1] if engine.job.weight else None
    decided = LabelTally._of_codes(classes.labels, true, best, masses[0], squares, total_rows)
    return RowSums(decided, sums_of_rows, float(floats(groups["worst"]).max(initial=0.0)))


def _or_zero(x: Any, engine: Engine) -> Any:
    """Return numbers with those near 0 as 0: PostgreSQL refuses products that become 0."""
    low, high, zero = (literal(v, engine.kind) for v in (-_TINY, _TINY, 0.0))
    return nw.when((x > low) & (x < high)).then(zero).otherwise(x)


def _codes(engine: Engine, classes: Classes) -> dict[Any, int]:
    """Return the code of the class of each value of the truth in the engine."""
    return {
        value: classes.labels.index(classes.spelling.get(label, label))
        for value, label in engine.summary.classes
        if label not in engine.job.codes
    }
