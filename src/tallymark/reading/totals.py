"""Whether the parts of what was counted agree: matrices, scores, rows, sums and subgroups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.tally.arrays import Floats, tabulate
from tallymark.tally.effort import EffortTally
from tallymark.tally.io import alike
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import RaggedScores, SubgroupCounts, SubgroupModel
from tallymark.tally.sums import Sums

if TYPE_CHECKING:
    from tallymark.reading.models import CountedRows, Model

Facts = Iterator[tuple[str, bool]]
"""What must be true, under the name of what is wrong else."""

PREVALENCE = "prevalence"
"""Code of the note on rows that are weighted to other shares of the classes."""


def facts(c: CountedRows) -> Facts:
    """Yield what is true of the parts of one evaluation; each was counted of the same rows."""
    names, j, of = [m.name for m in c.models], c.joint, c.subgroup_counts
    yield "classes", len(c.classes) > 0 and alike(c.classes)
    yield "classes", c.positive in (None, *c.classes)
    yield "models", 0 < len(names) == len(set(names))
    yield "rows", c.rows > 0
    yield "efforts", (j is not None and j.effort is not None) == any(m.efforts for m in c.models)
    for role, has in (("cluster", c.clusters is not None), ("subgroup", of is not None)):
        yield f"{role}s", role not in c.source.roles or has
    projected = any(n.code == PREVALENCE for n in c.notes)
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
    if of is not None:
        yield "subgroups", of.classes == c.classes and set(names) <= {m.name for m in of.models}
        yield "subgroups", int(of.rows.sum()) == c.rows
        yield "subgroups", (of.of_rows is None) == (j is None)
        yield "subgroups", of.of_rows is None or len(of.of_rows) == c.rows
        for m in c.models:
            if not projected:
                yield from _of_subgroups(m, of.model(m.name))
            if j is not None and of.of_rows is not None:
                yield from _of_rows_by_subgroup(m, j, of)


def _of_model(c: CountedRows, m: Model) -> Facts:
    """Yield whether the matrix, the scores, the sums and the efforts of a model have one total."""
    t = m.labels
    total, second = t.counts.sum(1), _second(t).sum(1)
    columns = [(c.positive,)] if c.positive is not None else [c.classes]
    yield "labels", t.labels == c.classes
    yield "rows", {t.rows, *(s.rows for s in m.scores)} == {c.rows}
    yield "scores", all(s.labels == c.classes for s in m.scores)
    yield "scores", tuple(s.positive for s in m.scores) in [(), *columns]
    yield "scores", not m.probabilities or bool(m.scores)
    yield (
        "scores",
        not m.probabilities or all(s.scores[0] >= 0 and s.highest <= 1 for s in m.scores),
    )
    for s in m.scores:
        yield (
            "scores",
            agree(s.counts.sum(0), total) and agree(_second(s).sum(0), second),
        )
    yield "thresholds", m.threshold is None or (bool(m.scores) and c.positive is not None)
    if m.threshold is not None:
        cut = m.scores[0].at(m.threshold)
        yield (
            "thresholds",
            agree(cut.counts, t.counts) and agree(_second(cut), _second(t)),
        )
    if m.sums is not None:
        yield "sums", m.sums.rows == c.rows and agree(m.sums.weights, total)
        yield "sums", agree(m.sums.sum_squared_weights, second)
        if m.probabilities and not any(s.bins for s in m.scores):
            for name, losses in _losses(m.scores).items():
                yield "sums", agree(m.sums.totals[m.sums.names.index(name)], losses)
    if (e := m.efforts) is not None:
        yield "efforts", e.labels == c.classes and e.positive == c.positive and e.rows == c.rows
        yield "efforts", agree(np.sort(e.counts.sum(1)), np.sort(total))


def _of_rows(m: Model, j: PairedPredictions) -> Facts:
    """Yield whether a model's tallies are those that counting the rows again gives."""
    side, k = j.model(m.name), len(j.labels)
    w, w2 = j.weights, None if j.weights is None else j.weights**2
    shape, cells = (k, k), (j.true, side.decisions(m.threshold, j.positive_code))
    yield "rows", agree(tabulate(shape, cells, w), m.labels.counts)
    yield "rows", agree(tabulate(shape, cells, w2), _second(m.labels))
    yield "rows", len(side.scores) == len(m.scores)
    for s, column in zip(m.scores, side.scores, strict=True):
        yield "rows", _same_scores(s, ScoreTally.of_codes(
            j.labels, s.positive, j.true.astype(np.intp), column, w, w2, j.rows
        ))  # fmt: skip
    yield "sums", (m.sums is None) == (len(m.scores) < 2)
    if m.sums is not None:
        again = Sums.of_rows(j.true, np.stack(side.scores, 1), w, w2)
        yield "sums", _same_sums(m.sums, again)
    if (e := m.efforts) is not None:
        yield "efforts", j.effort is not None
        counted = EffortTally.of_rows(j, m.name)
        yield "efforts", np.array_equal(e.effort, counted.effort) and _same_scores(e, counted)


def _of_subgroups(m: Model, s: SubgroupModel) -> Facts:
    """Yield whether what was counted of all subgroups adds up to what was counted of all rows."""
    if m.threshold is None:
        yield "subgroups", s.counts is not None and agree(s.counts.sum(0), m.labels.counts)
        yield (
            "subgroups",
            s.counts is not None and agree(_second(s).sum(0), _second(m.labels)),
        )
    yield "subgroups", len(s.scores) == len(m.scores)
    for stack, t in zip(s.scores, m.scores, strict=True):
        of_all = stack.without(-1)
        yield "subgroups", agree(of_all.counts.sum(0), t.counts.sum(0))
        yield "subgroups", t.bins is not None or _same_scores(of_all, t)
    yield "subgroups", (s.sums is None) == (m.sums is None)
    if s.sums and m.sums is not None:
        yield "subgroups", _same_sums(reduce(add, s.sums), m.sums)


def _of_rows_by_subgroup(m: Model, j: PairedPredictions, of: SubgroupCounts) -> Facts:
    """Yield whether counting the rows of every subgroup again gives what was counted of it."""
    assert of.of_rows is not None
    side, s, (n, k) = j.model(m.name), of.model(m.name), (len(of), len(of.classes))
    w, w2 = j.weights, None if j.weights is None else j.weights**2
    if s.counts is not None and side.decided is not None:
        cells = of.of_rows, j.true, side.decided
        yield "subgroups", agree(tabulate((n, k, k), cells, w), s.counts)
        yield "subgroups", agree(tabulate((n, k, k), cells, w2), _second(s))
    for stack, column in zip(s.scores, side.scores, strict=True):
        true = j.true.astype(np.intp)
        counted = RaggedScores.of_rows(of.of_rows, column, true, w, k, w2)
        lines = stack.lines()
        yield "subgroups", np.array_equal(lines.subgroups, counted.subgroups)
        yield "subgroups", _same_scores(lines, counted)
    for i, sums in enumerate(s.sums or ()):
        rows = of.of_rows == i
        own, own2 = (None if v is None else v[rows] for v in (w, w2))
        again = Sums.of_rows(j.true[rows], np.stack(side.scores, 1)[rows], own, own2)
        yield "subgroups", _same_sums(sums, again)


def _weighted_as(m: Model, j: PairedPredictions) -> PairedPredictions:
    """Return the rows weighted to the shares of the classes that a model's tallies have."""
    w = np.ones(j.rows) if j.weights is None else j.weights
    held = np.bincount(j.true, w, len(j.labels))
    wanted = m.labels.counts.sum(1)
    factors = np.divide(wanted, held, out=np.zeros(len(held)), where=held > 0)
    return replace(j, weights=w * factors[j.true])


def _losses(scores: tuple[ScoreTally, ...]) -> dict[str, Floats]:
    """Return the losses of the rows of each true class that single columns of scores add up to."""
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
        "log_loss": log, "brier": squared, "mean_absolute_error": absolute / k,
        "root_mean_squared_error": squared / k,
    }  # fmt: skip


def _second(tally: Any) -> Floats:
    """Return the sums of squared weights; the counts where every row weighs 1."""
    squares = tally.sum_squared_weights
    return np.asarray(tally.counts if squares is None else squares)


def _same_scores(a: Any, b: Any) -> bool:
    """Tell whether two tallies hold the same scores as often."""
    return (
        np.array_equal(a.scores, b.scores)
        and agree(a.counts, b.counts)
        and agree(_second(a), _second(b))
    )


def _same_sums(a: Sums, b: Sums) -> bool:
    parts = ("totals", "squares", "cross", "weights", "sum_squared_weights")
    return (a.names, a.rows) == (b.names, b.rows) and all(
        agree(getattr(a, name), getattr(b, name)) for name in parts
    )


def agree(a: Floats, b: Floats) -> bool:
    """Tell whether two counts of the same rows agree: whole numbers exactly, others nearly.

    >>> agree(np.array([1e6, 2.0]), np.array([1e6 + 1, 2.0]))
    False
    """
    if a.shape != b.shape:
        return False
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
"""Sums of the same numbers in another order differ by less, beside the largest of them."""
