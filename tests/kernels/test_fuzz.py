"""Arrays of every type, byte order, step and place in memory, beside what plain loops count.

``make sanitize`` runs this on kernels that tell every wrong step in memory; ``FUZZ_ROUNDS`` says
how many seeds are tried.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest

import tallymark as tm
from tallymark import _kernels
from tallymark.tally.bins import BinnedCounts, Bins
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import RaggedKeys, RaggedScores

ROUNDS = int(os.environ.get("FUZZ_ROUNDS", "25"))

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64", "longdouble")


def laid_out(rng, values):
    """Return the same values in another place of memory: off its words, with steps, turned."""
    n, kind = len(values), values.dtype
    how = rng.integers(0, 7)
    if how == 0:
        packed = np.zeros(n, dtype=[("flag", "i1"), ("value", kind)])
        packed["value"] = values
        return packed["value"]
    if how == 1 and not kind.hasobject:
        off = int(rng.integers(1, 9))
        return np.frombuffer(bytes(off) + values.tobytes(), dtype=kind, offset=off, count=n)
    if how == 2:
        wide = np.zeros((n, 3), dtype=kind)
        wide[:, 1] = values
        return wide[:, 1]
    if how == 3:
        return values[::-1].copy()[::-1]
    if how == 4 and kind.kind in "iufU":
        return values.astype(kind.newbyteorder())
    if how == 5:
        values = values.copy()
        values.flags.writeable = False
    return values


def some_scores(rng, n):
    kind = rng.choice([*INTEGERS, *FLOATS, "bool"])
    if kind in FLOATS:
        most = np.finfo(kind).max if kind != "longdouble" else 1.7e308
        edge = np.array([0.0, -0.0, most, -most, np.finfo("float16").tiny, 1.0], dtype=kind)
        plain = rng.normal(size=n).astype(kind)
    elif kind == "bool":
        edge, plain = np.array([True, False]), rng.random(n) < 0.5
    else:
        info = np.iinfo(kind)
        low, high = max(info.min, -(2**53)), min(info.max, 2**53)
        edge = np.array([low, high, 0, 1, high - 1], dtype=kind)
        plain = rng.integers(0, 100, n).astype(kind)
    return np.where(rng.random(n) < 0.2, rng.choice(edge, n), plain)


def some_labels(rng, n, classes):
    which = rng.integers(0, classes, n)
    kind = rng.choice(["integer", "text", "object", "bool"])
    if kind == "bool" and classes == 2:
        return which == 1
    if kind in ("text", "object"):
        names = np.array(["n", "yes, a longer one", "é", "日本", "q" * 40][:classes])
        return names[which].astype(object) if kind == "object" else names[which]
    return which.astype(rng.choice(INTEGERS))


def size(rng):
    return int(rng.choice([1, 2, 3, 17, 100, 1000, 5000, 40_000]))


def plain(values):
    return values.tolist() if values.dtype != np.longdouble else values.astype(float).tolist()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_labels_are_counted_as_by_a_loop(seed):
    rng = np.random.default_rng([1, seed])
    n, classes = size(rng), int(rng.integers(2, 6))
    true = some_labels(rng, n, classes)
    pred = rng.permutation(true)
    weights = np.ldexp(rng.random(n), int(rng.integers(-60, 60))) if seed % 2 else None
    given = None if weights is None else laid_out(rng, weights)
    tally = tm.LabelTally.from_arrays(laid_out(rng, true), laid_out(rng, pred), sample_weight=given)
    cells: Counter = Counter()
    for a, b, w in zip(
        plain(true), plain(pred), np.ones(n) if given is None else weights, strict=True
    ):
        cells[a, b] += w
    found = {
        (a, b): tally.counts[i, j]
        for i, a in enumerate(tally.labels)
        for j, b in enumerate(tally.labels)
        if tally.counts[i, j]
    }
    assert found == pytest.approx(dict(cells), rel=1e-12)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_scores_are_counted_as_by_a_loop(seed):
    rng = np.random.default_rng([2, seed])
    n = size(rng)
    y, s = rng.integers(0, 2, n).astype(rng.choice([*INTEGERS, "bool"])), some_scores(rng, n)
    weights = np.ldexp(rng.random(n) + 0.1, int(rng.integers(-60, 60))) if seed % 2 else None
    given = None if weights is None else laid_out(rng, weights)
    tally = tm.ScoreTally.from_arrays(laid_out(rng, y), laid_out(rng, s), sample_weight=given)
    cells: Counter = Counter()
    for label, score, w in zip(
        plain(y), plain(s), np.ones(n) if given is None else weights, strict=True
    ):
        cells[float(score) + 0.0, int(label)] += w
    found = {
        (score, int(label)): tally.counts[i, j]
        for i, score in enumerate(tally.scores.tolist())
        for j, label in enumerate(tally.labels)
        if tally.counts[i, j]
    }
    assert found == pytest.approx(dict(cells), rel=1e-12)
    half = n // 2
    parts = [
        tm.ScoreTally.from_arrays(
            laid_out(rng, y[k]),
            laid_out(rng, s[k]),
            positive=tally.positive,
            labels=tally.labels,
            sample_weight=None if weights is None else weights[k],
        )
        for k in (slice(0, half), slice(half, n))
    ]
    total = parts[0] + parts[1]
    np.testing.assert_array_equal(total.scores, tally.scores)
    np.testing.assert_allclose(total.counts, tally.counts, rtol=1e-12)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_rows_in_bins_are_all_counted(seed):
    rng = np.random.default_rng([3, seed])
    n = size(rng)
    y, s = rng.integers(0, 2, n), some_scores(rng, n).astype(np.float64)
    most = float(rng.choice([1.0, 1e300, np.finfo(float).max]))
    bins = Bins(np.unique(rng.uniform(-0.5, 0.5, 9) * 2 * most), int(rng.integers(1, 50)))
    counted = BinnedCounts(bins, (0, 1))
    counted.add(laid_out(rng, y), laid_out(rng, s), rng.random(n) if seed % 2 else None)
    tally = ScoreTally._from_bins(counted, 1)
    assert tally.rows == n
    assert (tally.highs >= tally.scores).all()
    assert tally.scores[0] == s.min()
    assert tally.highs[-1] == s.max()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_rows_of_subgroups_are_judged_as_alone(seed):
    rng = np.random.default_rng([4, seed])
    n = int(rng.integers(1, 3000))
    s = rng.random(n).round(int(rng.integers(1, 9)))
    y, group = rng.integers(0, 2, n), rng.integers(0, 7, n)
    losses = ["squared", "log"]
    stacks = [
        RaggedKeys.of_rows(group, s, y.astype(np.int8), 8),
        RaggedScores.of_rows(group, s, y, None, 2),
    ]
    judged = [stack.judged(8, 1, losses) for stack in stacks]
    cells = [stack.at(0.5, 1, 8)[0] for stack in stacks]
    for one in range(8):
        rows = group == one
        true, score = y[rows], s[rows]
        for found, table in zip(judged, cells, strict=True):
            assert (found.positives[one], found.negatives[one]) == (true.sum(), (1 - true).sum())
            for label in (0, 1):
                for called in (0, 1):
                    both = (true == label) & ((score >= 0.5) == called)
                    assert table[one, label, called] == both.sum()
            if rows.any():
                brier = found.losses["squared"].value[one]
                assert brier == pytest.approx(np.mean((score - true) ** 2), abs=1e-12)
            if len(set(true)) == 2:
                area = tm.metrics.roc_auc(true, score)
                assert found.area[one] == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_placements_of_rows_are_those_of_all_pairs(seed):
    rng = np.random.default_rng([5, seed])
    n = int(rng.integers(2, 400))
    s = rng.normal(size=n).round(int(rng.integers(0, 5))) * 10.0 ** rng.integers(-300, 300)
    y = np.arange(n) % 2
    scores = np.unique(s)
    above = np.append(scores, np.inf)[::-1]
    tp, fp = ((s[y == c, None] >= above).sum(0).astype(float) for c in (1, 0))
    off = np.empty(n)
    _kernels.place_rows(s, scores, tp, fp, 0.25, y.astype(np.uint8), off)
    for i in range(n):
        others = s[y != y[i]]
        right = others < s[i] if y[i] else others > s[i]
        share = right.mean() + (others == s[i]).mean() / 2
        assert off[i] == pytest.approx(share - 0.25, abs=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_what_is_not_finite_is_named_wherever_it_lies(bad, kind):
    rng = np.random.default_rng(5)
    for n in (1, 3, 5000):
        s = rng.random(n).astype(kind)
        s[n // 2] = bad
        with pytest.raises(tm.InputError, match=rf"index {n // 2}\b"):
            tm.ScoreTally.from_arrays(np.arange(n) % 2, laid_out(rng, s))


def test_empty_arrays_are_counted_or_refused_in_words():
    for kind in (*INTEGERS, "float32", "float64", "U3"):
        empty = np.empty(0, dtype=kind)
        assert tm.LabelTally.from_arrays(empty.astype(int), empty.astype(int)).rows == 0
        assert _kernels.scan(np.empty(0, dtype=np.uint32)) == (0, 0, 0, 0)


def test_arrays_off_their_words_are_copied_and_results_are_not():
    off = np.frombuffer(bytes(1) + np.array([0.2, 0.7]).tobytes(), dtype=float, offset=1)
    assert not off.flags.aligned
    breaks, scale, bins = np.array([0.0, 0.5, 1.0]), np.ones(2), np.empty(2, np.int64)
    _kernels.find_bins(off, breaks, scale, 1, bins)
    assert bins.tolist() == [0, 1]
    result = np.frombuffer(bytearray(17), dtype=np.int64, offset=1)
    with pytest.raises(TypeError):
        _kernels.find_bins(off, breaks, scale, 1, result)
    with pytest.raises(TypeError):
        _kernels.find_bins(off, breaks, scale, 1, np.empty(2, np.float32))
