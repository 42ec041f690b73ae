"""Consistency checks between matrices, scores, rows, sums and subgroups of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.findings.notes import PREVALENCE
from tallymark.part import kept_roles
from tallymark.tally.arrays import Codes, Floats, tabulate
from tallymark.tally.io import alike
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.occupied import OccupiedCells
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

if TYPE_CHECKING:
    from tallymark.reading.models import CountedRows, Model
    from tallymark.tally.subgroups import SubgroupCounts, SubgroupModel

Facts = Iterator[tuple[str, bool]]
"""The conditions of consistency, keyed by the part that is damaged otherwise."""


def facts(c: CountedRows) -> Facts:
    """Yield conditions that hold between the parts of one evaluation."""
    names, j, subgroups = [m.name for m in c.models], c.joint, c.subgroup_counts
    yield "classes", len(c.classes) > 0 and alike(c.classes)
    yield "classes", c.positive in (None, *c.classes)
    yield "models", 0 < len(names) == len(set(names))
    yield "rows", c.rows > 0
    for role, declared in kept_roles().items():
        has_numbers = j is not None and role in j.numbers
        yield declared.plural, has_numbers == any(role in m._role_tallies for m in c.models)
    for role, has in (("cluster", c.clusters is not None), ("subgroup", subgroups is not None)):
        yield f"{role}s", role not in c.source._roles or has
    projected = any(n.rule == PREVALENCE.code for n in c.notes)
    for m in c.models:
        weighted = m.labels.sum_squared_weights is not None
        yield "weights", weighted == (c.weighted or projected)
        yield from _of_model(c, m)
    yield "classes", c.positive is None or (len(c.classes) == 2 and c.positive in c.classes)
    yield "classes", type(c.positive) in (type(None), type(c.classes[0]))
    if j is not None:
        yield "rows", j.labels == c.classes and set(names) <= set(j.names) and j.rows == c.rows
        yield "rows", j.positive == c.positive and (j.weights is not None) == c.weighted
        for m in c.models:
            yield from _of_rows(m, _weighted_as(m, j) if projected else j)
    if subgroups is not None:
        yield (
            "subgroups",
            subgroups.classes == c.classes and set(names) <= {m.name for m in subgroups.models},
        )
        yield "subgroups", int(subgroups.rows.sum()) == c.rows
        yield "subgroups", (subgroups.of_rows is None) == (j is None)
        yield "subgroups", subgroups.of_rows is None or len(subgroups.of_rows) == c.rows
        from tallymark.tally.subgroups import combined

        of_all = combined([subgroups], ())
        for m in c.models:
            counts, whole = subgroups.model(m.name), as_subgroup(m)
            if not projected:  # subgroups add up to the total
                added = of_all.model(m.name)
                yield "subgroups", (counts.counts is not None) or m.threshold is not None
                yield "subgroups", (counts.sums is None) == (m._sums is None)
                for _, right in _same(added, whole, in_bins=any(t.bins for t in m.scores)):
                    yield "subgroups", right
            if j is not None and subgroups.of_rows is not None:
                again = _counted_again(m, j, subgroups.of_rows, len(subgroups))
                for _, right in _same(counts, again, in_bins=j.in_bins):
                    yield "subgroups", right


def _of_model(c: CountedRows, m: Model) -> Facts:
    """Yield whether matrix, scores, sums and numbers of roles of a model have the same total."""
    t = m.labels
    total, second = t.counts.sum(1), _second(t).sum(1)
    columns = [(c.positive,)] if c.positive is not None else [c.classes]
    yield "labels", t.labels == c.classes
    yield "rows", {t.rows, *(s.rows for s in m.scores)} == {c.rows}
    yield "scores", all(s.labels == c.classes for s in m.scores)
    yield "scores", tuple(s.positive for s in m.scores) in [(), *columns]
    yield "scores", not m.probabilities or bool(m.scores)
    in_range = all(s.scores[0] >= 0 and s._highest <= 1 for s in m.scores)
    yield "scores", not m.probabilities or in_range
    for s in m.scores:
        yield "scores", agree(s.counts.sum(0), total) and agree(_second(s).sum(0), second)
    yield "thresholds", m.threshold is None or (bool(m.scores) and c.positive is not None)
    if m.threshold is not None:
        yield "thresholds", _same_counts(m.scores[0].at(m.threshold), t)
    if m._sums is not None:
        yield "sums", m._sums.rows == c.rows and agree(m._sums.weights, total)
        yield "sums", agree(m._sums.sum_squared_weights, second)
        if m.probabilities and not any(s.bins for s in m.scores):
            for name, losses in _losses(m.scores).items():
                yield "sums", agree(m._sums.totals[m._sums.names.index(name)], losses)
    for name, r in m._role_tallies.items():
        what = kept_roles()[name].plural
        yield what, r.labels == c.classes and r.positive == c.positive and r.rows == c.rows
        yield what, agree(np.sort(r.counts.sum(1)), np.sort(total))


def _of_rows(m: Model, j: PairedPredictions) -> Facts:
    """Yield whether a model's tallies equal those recounted from the rows.

    Rows in bins know the class totals and the decisions alone.
    """
    again = _counted_again(m, j, np.zeros(j.rows, np.intp), 1)
    yield from _same(
        as_subgroup(m), replace(again, sums=None) if j.in_bins else again, in_bins=j.in_bins
    )
    yield "sums", (m._sums is None) == (again.sums is None)
    for name, r in m._role_tallies.items():
        what = kept_roles()[name].plural
        yield what, name in j.numbers
        counted = type(r)._of_rows(j, m.name)
        yield what, np.array_equal(r._numbers, counted._numbers) and _same_scores(r, counted)


def read_subgroups(data: Any) -> SubgroupCounts:
    """Return the counts by subgroup that were saved as plain data."""
    from tallymark.tally.subgroups import SubgroupCounts

    return SubgroupCounts.from_dict(data)


def as_subgroup(m: Model) -> SubgroupModel:
    """Return the counts of a model as those of one subgroup that includes all rows."""
    from tallymark.tally.subgroups import RaggedScores, SubgroupModel

    t, has_decisions = m.labels, m.threshold is None
    squares = t.sum_squared_weights if has_decisions else None
    scores = tuple(
        RaggedScores(np.zeros(len(s.scores), np.intp), s.scores, s.counts, s.sum_squared_weights)
        for s in m.scores
    )
    return SubgroupModel(
        m.name,
        t.counts[None] if has_decisions else None,
        None if squares is None else squares[None],
        scores,
        None if m._sums is None else (m._sums,),
    )


def _counted_again(m: Model, j: PairedPredictions, subgroups: Codes, n: int) -> SubgroupModel:
    """Return the counts of a model by subgroup, recounted from the rows."""
    from tallymark.tally.subgroups import RaggedScores, SubgroupModel

    side, k, true = j.model(m.name), len(j.labels), j.true.astype(np.intp)
    w, w2 = j.weights, None if j.weights is None else j.weights**2
    counts = squares = sums = None
    decided = side.decided
    if m.threshold is None:  # which refuses rows without decisions
        decided = side.decisions(None, j.positive_code)
    if decided is not None:
        cells = (subgroups, true, decided)
        counts, squares = (tabulate((n, k, k), cells, weights) for weights in (w, w2))
    if len(side.scores) > 1:
        matrix, sums = np.stack(side.scores, 1), list[Sums]()
        for i in range(n):
            rows = subgroups == i
            own, own2 = (None if v is None else v[rows] for v in (w, w2))
            sums.append(Sums._of_rows(true[rows], matrix[rows], own, own2))
    return SubgroupModel(
        m.name,
        counts,
        squares,
        tuple(RaggedScores.of_rows(subgroups, s, true, w, k, w2) for s in side.scores),
        None if sums is None else tuple(sums),
    )


def _same(a: SubgroupModel, b: SubgroupModel, *, in_bins: bool = False) -> Facts:
    """Yield whether two counts of the same subgroups agree; binned scores by their totals."""
    if a.counts is not None and b.counts is not None:
        yield "rows", _same_counts(a, b)
    yield "rows", len(a.scores) == len(b.scores)
    for left, right in zip(a.scores, b.scores, strict=True):
        x, y = left.lines(), right.lines()
        if in_bins:
            yield "rows", agree(x.counts.sum(0), y.counts.sum(0))
        else:
            yield "rows", np.array_equal(x.subgroups, y.subgroups) and _same_scores(x, y)
    if a.sums is not None and b.sums is not None:
        yield "sums", all(map(_same_sums, a.sums, b.sums))


def _weighted_as(m: Model, j: PairedPredictions) -> PairedPredictions:
    """Return the rows reweighted to the class shares of a model's tallies."""
    w = np.ones(j.rows) if j.weights is None else j.weights
    totals = np.bincount(j.true, w, len(j.labels))
    target = m.labels.counts.sum(1)
    factors = np.divide(target, totals, out=np.zeros(len(totals)), where=totals > 0)
    return replace(j, weights=w * factors[j.true])


def _losses(scores: tuple[ScoreTally, ...]) -> dict[str, Floats]:
    """Return the losses per true class that are sums over single score columns."""
    k = len(scores)
    squared, absolute, log = np.zeros(k), np.zeros(k), np.zeros(k)
    for place, t in enumerate(scores):
        off = np.abs(t.scores[:, None] - (np.arange(k) == place))
        squared += (t.counts * off**2).sum(0)
        absolute += (t.counts * off).sum(0)
        rows = t.counts[:, place] > 0
        with np.errstate(divide="ignore"):
            log[place] = -(t.counts[rows, place] @ np.log(t.scores[rows]))
    return {
        "log_loss": log,
        "brier": squared,
        "mean_absolute_error": absolute / k,
        "root_mean_squared_error": squared / k,
    }


def _second(tally: Any) -> Floats:
    """Return the sums of squared weights; equal to the counts if every row weighs 1."""
    squares = tally.sum_squared_weights
    return tally.counts if squares is None else squares  # type: ignore[no-any-return]


def _same_counts(a: Any, b: Any) -> bool:
    """Return whether two tallies have equal counts and sums of squared weights."""
    return agree(a.counts, b.counts) and agree(_second(a), _second(b))


def _same_scores(a: Any, b: Any) -> bool:
    """Return whether two tallies have equal scores and counts."""
    return np.array_equal(a.scores, b.scores) and _same_counts(a, b)


def _same_sums(a: Sums, b: Sums) -> bool:
    parts = ("totals", "squares", "cross", "weights", "sum_squared_weights")
    return (a.names, a.rows) == (b.names, b.rows) and all(
        agree(getattr(a, name), getattr(b, name)) for name in parts
    )


def agree(a: Floats, b: Floats) -> bool:
    """Return whether two counts of the same rows agree: integers exactly, others nearly.

    >>> agree(np.array([1e6, 2.0]), np.array([1e6 + 1, 2.0]))
    False
    """
    if a.shape != b.shape:
        return False
    if isinstance(a, OccupiedCells) and isinstance(b, OccupiedCells):
        a, b = (OccupiedCells.of_rows(c.true, c.predicted, c.k, [c.values])[0] for c in (a, b))
        return all(map(np.array_equal, (a.true, a.predicted), (b.true, b.predicted))) and agree(
            a.values, b.values
        )
    if np.array_equal(a, b, equal_nan=True):
        return True
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    x, y = a[finite], b[finite]
    if (np.trunc(x) == x).all() and (np.trunc(y) == y).all() and np.abs(x).max() < _EXACT:
        return False
    most = np.abs(x).max() + np.abs(y).max()
    return bool((np.abs(x - y) <= _ROUNDING * most).all())


_EXACT = 1 << 53
_ROUNDING = 1e-9
"""Relative tolerance for sums of the same numbers in another order."""
