"""Whether the judge's errors depend on the order or the length of what it judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError, Value
from tallymark.core import (
    Finding,
    Floats,
    Label,
    Sampler,
    listed,
    moments,
    number,
    percentile_bounds,
)
from tallymark.parts.judges import findings
from tallymark.parts.judges.case import Case
from tallymark.parts.judges.cautions import FEWEST
from tallymark.parts.judges.estimate import POSTERIOR
from tallymark.parts.judges.rows import Read
from tallymark.parts.judges.strata import Pairs


@dataclass(frozen=True, slots=True)
class JudgeDependence:
    """How the judge's errors differ between two groups of rows, by the column ``column``.

    ``of`` is "order" or "length", and ``groups`` are the names of both groups. ``errors`` are, of
    two classes, the share of rows to which the judge gives the positive one minus the share of
    rows that are of it; of more, the share of rows in which the judge is wrong. ``difference`` is
    the first minus the second.
    """

    of: str
    column: str
    groups: tuple[str, str]
    errors: tuple[Value, Value]
    difference: Value


def dependence(case: Case, rows: Read) -> tuple[list[JudgeDependence], list[Finding]]:
    """Test whether the judge's errors depend on order and length; also return skipped tests."""
    out, untested = [], []
    for of, column, groups in _groups(rows):
        tallies = {name: rows.tally(mask) for name, mask in groups.items()}
        few = [(name, t.labelled) for name, t in tallies.items() if t.labelled < FEWEST]
        if few:
            (name, labelled), *_ = few
            untested.append(findings.UNTESTED.finding(of=of, name=name, labelled=labelled))
            continue
        pairs = [replace(case, tally=t, _made={}).of(*t.models[:1]).pairs for t in tallies.values()]
        first, second = (
            _errors(p, case.positive, rows.labels, case.seed, name)
            for p, name in zip(pairs, tallies, strict=True)
        )
        values = [_value(*each, case.level) for each in (first, second)]
        gap = _value(first[0] - second[0], first[1] - second[1], case.level)
        one, other = tallies
        out.append(JudgeDependence(of, column, (one, other), (values[0], values[1]), gap))
    return out, untested


def _groups(rows: Read) -> Iterator[tuple[str, str, dict[str, NDArray[np.bool_]]]]:
    """Yield the two groups of rows by order, and those by length."""
    c = rows.columns
    if c.order is not None:
        column = rows.beside[c.order]
        codes = np.unique(column.codes[column.codes >= 0])
        if len(codes) != 2:
            values = [column.labels[i] for i in codes]
            raise InputError(
                f"{c.order} has the values {listed(values)}; order is a column with two values, "
                "such as which answer the judge saw first"
            )
        yield (
            "order",
            c.order,
            {f"{c.order} = {column.labels[i]}": column.codes == i for i in codes},
        )
    if c.length is not None:
        assert rows.lengths is not None
        middle = float(np.nanmedian(rows.lengths)) if (rows.lengths > -np.inf).any() else np.nan
        long, short = rows.lengths > middle, rows.lengths <= middle
        if not long.any():
            raise InputError(
                f"{c.length} has no rows above its median; length is a column of numbers that vary"
            )
        at = number(middle)
        yield "length", c.length, {f"{c.length} > {at}": long, f"{c.length} ≤ {at}": short}


def _errors(
    pairs: Pairs, positive: Label | None, labels: tuple[Label, ...], seed: int, name: str
) -> tuple[float, Floats]:
    """Return the judge's errors in some rows, and draws from their posterior."""

    def of(joint: Floats) -> Floats:
        if positive is not None:
            code = labels.index(positive)
            judged = joint[..., pairs.judged == code].sum((-1, -2))
            return np.asarray(judged - joint[..., code, :].sum(-1))
        inside = np.flatnonzero(pairs.judged < pairs.classes)
        right = joint[..., pairs.judged[inside], inside].sum(-1)
        return np.asarray(joint.sum((-1, -2)) - right)

    draws = [of(block) for block in pairs.draws(Sampler(seed), of=(name,))]
    return float(of(pairs.joint)), np.concatenate(draws)


def _value(value: float, draws: Floats, level: float) -> Value:
    low, high = (float(b) for b in percentile_bounds(draws, level))
    _, se = moments(draws)
    return Value(
        "judge_error",
        value,
        min(low, value),
        max(high, value),
        level,
        POSTERIOR,
        se=float(se) or None,
    )
