"""Scores of every type, sorted as integers, beside a twin that sorts and counts in Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tallymark as tm
from tallymark import _kernels, metrics
from tallymark.errors import InputError
from tallymark.tally.keys import SortedKeys
from tallymark.tally.score_counts import UntiedCounts
from tallymark.tally.scores import ScoreTally
from tallymark.tally.threads import side_by_side, threads_for

FLOATS = ("float64", "float32", "float16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
TYPES = (*FLOATS, *INTEGERS, "bool")


def slow_pairs(y, s):
    pos = [v for v, label in zip(s.tolist(), y, strict=True) if label == 1]
    neg = [v for v, label in zip(s.tolist(), y, strict=True) if label != 1]
    lower = sum(n < p for p in pos for n in neg)
    return lower, lower + sum(n == p for p in pos for n in neg), len(pos), len(neg)


def slow_groups(y, s):
    groups: dict[float, list[float]] = {}
    for label, score in zip(y, s.astype(float).tolist(), strict=True):
        groups.setdefault(score + 0.0, [0.0, 0.0])[int(label == 1)] += 1
    return sorted(groups.items())


def held_by_floats(s):
    return np.array([int(float(v)) == v for v in s.tolist()]) if s.dtype.kind in "iu" else s == s


def same_as_slow(y, s):
    keys = SortedKeys.of(y, s, None)
    assert keys.concordance() == slow_pairs(y, s)
    held = held_by_floats(s)
    y, s = y[held], s[held]
    if not len(s):
        return
    keys = SortedKeys.of(y, s, None, floats=True)
    _, _, scores, counts = keys.groups()
    assert list(zip(scores.tolist(), counts.tolist(), strict=True)) == slow_groups(y, s)
    assert not np.signbit(scores[scores == 0]).any()


def edges(kind):
    """Zeros of both signs, the least, the greatest, neighbours of them, and what lies between."""
    kind = np.dtype(kind)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "iu":
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        middle = (int(low) + int(high)) // 2
        return np.array([low, low + 1, 0, 1, 2, middle, middle + 1, high - 1, high], dtype=kind)
    info = np.finfo(kind)
    tiny = info.smallest_subnormal
    found = [0.0, -0.0, tiny, -tiny, info.smallest_normal, info.max, info.min, 1, -1, 1 + info.eps]
    return np.array([*found, 1 - info.epsneg, 0.5], dtype=kind)


@pytest.mark.parametrize("kind", TYPES)
def test_the_edges_of_every_type(kind):
    s = np.repeat(edges(kind), 2)
    for y in (np.arange(len(s)) % 2, (np.arange(len(s)) % 3 == 0) * 2 - 1, s <= 0.5):
        same_as_slow(y, s)
        same_as_slow(y[::-1], s[::-1])


@settings(deadline=None, max_examples=25)
@given(st.data())
@pytest.mark.parametrize("kind", TYPES)
def test_scores_of_every_type_are_ranked_as_by_the_slow_twin(kind, data):
    n = data.draw(st.integers(1, 40))
    options = {"allow_nan": False, "allow_infinity": False} if kind in FLOATS else {}
    elements = hnp.from_dtype(np.dtype(kind), **options) | st.sampled_from(list(edges(kind)))
    s = data.draw(hnp.arrays(kind, n, elements=elements))
    y = data.draw(hnp.arrays(data.draw(st.sampled_from(INTEGERS)), n, elements=st.integers(0, 1)))
    same_as_slow(y, s)


@pytest.mark.parametrize("kind", INTEGERS)
def test_the_kernel_tells_two_labels_from_all_others(kind):
    """Also those that differ from both in a single bit; a type without a sign has no -1."""
    info = np.iinfo(kind)
    labels = {0, 1, 2, 3, 127, int(info.max), int(info.min), int(info.max) - 1, int(info.min) + 1}
    here = [v for v in labels | {-1, -2} if info.min <= v <= info.max]
    for negative, positive in [(0, 1), (1, 0), (-1, 1), (1, -1)]:
        for row in here:
            for other in here:
                y = np.array([row, row, other], dtype=kind)
                keys = np.empty(3, dtype=np.uint64)
                lower, up = min(negative, positive), positive > negative
                found = _kernels.partition(y, lower, up, np.array([0.1, 0.2, 0.3]), keys)
                no_such = lower < 0 <= info.min or not {row, other} <= {negative, positive}
                assert (found is None) == no_such
                if found is not None:
                    assert (keys & np.uint64(1)).tolist() == [row == positive] * 2 + [
                        other == positive
                    ]


@pytest.mark.parametrize("kind", FLOATS)
def test_the_kernel_refuses_what_is_not_finite_wherever_it_is(kind):
    n = 5000
    nan = np.array(np.nan, dtype=kind)
    least_nan = np.array(np.inf, dtype=kind)
    least_nan = (least_nan.view(f"u{least_nan.itemsize}") + np.uint8(1)).view(kind)
    for x in (nan, -nan, least_nan, np.array(np.inf, kind), np.array(-np.inf, kind)):
        for at in (0, 2047, 2048, n - 1):
            s = np.zeros(n, dtype=kind)
            s[at] = x
            y = np.arange(n) % 2
            assert SortedKeys.of(y, s, None) is None
            s[at] = np.finfo(kind).max
            assert SortedKeys.of(y, s, None) is not None


MADE = {
    "even": lambda r, n: r.random(n),
    "normal": lambda r, n: r.normal(size=n),
    "many equal": lambda r, n: np.round(r.normal(size=n) * 30),
    "all equal": lambda r, n: np.full(n, 7),
    "rising": lambda r, n: np.linspace(-100, 100, n),
    "falling": lambda r, n: np.linspace(100, -100, n),
    "in two heaps": lambda r, n: np.where(r.random(n) < 0.5, -100, 100) + r.random(n) * 1e-3,
    "far apart": lambda r, n: np.ldexp(r.normal(size=n), r.integers(-10, 6, n)),
    "nearly all alike, some far": lambda r, n: np.where(r.random(n) < 0.999, 50, r.normal(size=n)),
    "below zero": lambda r, n: -r.random(n) * 100,
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE.keys())
@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "int64", "int16", "uint32"])
def test_many_rows_in_buckets(make, kind):
    rng = np.random.default_rng(0)
    n = 300_001
    s = make(rng, n)
    s = (np.abs(s) * 1000 if kind == "uint32" else s * 100).astype(kind)
    y = rng.random(n) < 0.3
    keys = SortedKeys.of(y, s, None, floats=True)
    distinct, place = np.unique(s.astype(np.float64) + 0.0, return_inverse=True)
    pos, all_rows = np.bincount(place, y), np.bincount(place)
    _, _, scores, counts = keys.groups()
    assert np.array_equal(scores, distinct)
    assert np.array_equal(counts[:, 1], pos)
    assert np.array_equal(counts.sum(1), all_rows)
    neg = (all_rows - pos).astype(np.int64)
    below = np.cumsum(neg) - neg
    pos = pos.astype(np.int64)
    expected = int((pos * below).sum()), int((pos * (below + neg)).sum()), pos.sum(), neg.sum()
    assert keys.concordance() == expected


@pytest.mark.parametrize("kind", TYPES)
def test_a_tally_of_any_type_is_that_of_doubles(kind):
    rng = np.random.default_rng(1)
    s = rng.choice(edges(kind)[held_by_floats(edges(kind))], 500)
    y = rng.integers(0, 2, 500)
    assert ScoreTally.from_arrays(y, s) == ScoreTally.from_arrays(y, s.astype(np.float64))
    strided = np.stack([s, s], axis=1)[:, 0]
    assert ScoreTally.from_arrays(y, strided) == ScoreTally.from_arrays(y, s)


@pytest.mark.parametrize("n", [1, 100, 3000, 300_001])
@pytest.mark.parametrize("kind", FLOATS)
def test_what_is_not_finite_is_left_to_the_careful_door(kind, n):
    y, s = np.zeros(n, dtype=np.int8), np.ones(n, dtype=kind)
    for bad in (np.nan, np.inf, -np.inf):
        for where in (0, n // 2, n - 1):
            s[where] = bad
            assert SortedKeys.of(y, s, None) is None
            s[where] = 1


@pytest.mark.parametrize("n", [2, 5000, 300_001])
def test_other_labels_are_left_to_the_careful_door(n):
    y, s = np.zeros(n, dtype=np.int64), np.linspace(0, 1, n)
    for bad in (2, -2, 256, 2**32, 2**62):
        y[-1] = bad
        assert SortedKeys.of(y, s, None) is None
    y[:] = 1
    y[0] = -1
    assert SortedKeys.of(y, s, None).labels == (-1, 1)
    # 255 is no -1, though both are eight bits set.
    y = np.full(n, 255, dtype=np.uint8)
    y[0] = 1
    assert SortedKeys.of(y, s, None) is None


LONG = [2**53, 2**53 + 1]


@pytest.mark.parametrize(
    "scores",
    [
        LONG,
        np.array(LONG),
        np.array(LONG, dtype=np.uint64),
        np.array([-(2**53) - 1, -(2**53)]),
        np.array([2**63, 2**63 + 1], dtype=np.uint64),
        [2**64 - 2, 2**64 - 1],
        [-(2**63), -(2**63) + 1],
    ],
)
def test_integers_longer_than_a_float_are_ranked_exactly(scores):
    assert metrics.roc_auc([0, 1], scores) == 1
    assert metrics.roc_auc(np.array([1, 0]), scores) == 0
    y, mixed = [0, 1, 0, 1, 1], [*map(int, scores), 5, 0, 7]
    if isinstance(scores, np.ndarray):
        mixed = np.array(mixed, dtype=scores.dtype)
    pairs = [int(p) > int(n) for p, c in zip(mixed, y, strict=True) if c for n in mixed[::2][:2]]
    assert metrics.roc_auc(y, mixed) == pytest.approx(sum(pairs) / 6)


def test_a_tally_refuses_integers_that_it_would_round():
    long = 2**53 + 1
    for scores in ([1, long], np.array([1, long]), np.array([1, long], dtype=object), [0.5, long]):
        for count in (
            lambda s: ScoreTally.from_arrays([0, 1], s),
            lambda s: ScoreTally.from_arrays([0, 1], s, sample_weight=[1, 2]),
            lambda s: metrics.roc_auc([0, 1], s, sample_weight=[1, 2]),
            lambda s: metrics.average_precision([0, 1], s),
            lambda s: tm.evaluate([0, 1], y_score=s),
        ):
            with pytest.raises(InputError) as refused:
                count(scores)
            assert "holds the integer 9007199254740993 at index 1" in str(refused.value)
            assert "which float64 would round; give ranks" in str(refused.value)
    held = ScoreTally.from_arrays([0, 1, 1], np.array([2**60, 2**62, 0]))
    assert held.scores.tolist() == [0.0, 2.0**60, 2.0**62]
    with pytest.raises(InputError, match="y_score is inf at index 1"):
        ScoreTally.from_arrays([0, 1], [1, 10**400])


def test_one_kind_of_rows_only_and_none():
    s = np.array([0.5, 0.5, 0.1])
    assert SortedKeys.of(np.ones(3, dtype=int), s, None).concordance() == (0, 0, 3, 0)
    assert SortedKeys.of(np.zeros(3, dtype=int), s, None).concordance() == (0, 0, 0, 3)
    assert SortedKeys.of(np.empty(0, dtype=int), np.empty(0), None) is None
    assert _kernels.scan(np.empty(0, dtype=np.uint64)) == (0, 0, 0, 0)


@pytest.mark.parametrize("kind", ["uint32", "uint64"])
def test_ties_across_blocks_of_a_scan(kind):
    """Blocks of 1,024 keys without ties are added up as a whole; ties at their edges must show."""
    rng = np.random.default_rng(2)
    for n in (1023, 1024, 1025, 4096, 5000):
        for edge in (None, 1024, 2048, 3072):
            score = np.arange(n)
            if edge is not None and edge < n:
                score[edge] = score[edge - 1]
            key = np.sort((score << 1 | rng.integers(0, 2, n)).astype(kind))
            y, s = (key & 1).astype(np.int64), key >> 1
            before = np.searchsorted(s[y == 0], s[y == 1])
            upto = np.searchsorted(s[y == 0], s[y == 1], side="right")
            expected = before.sum(), upto.sum(), (y == 0).sum(), len(np.unique(s))
            assert _kernels.scan(key) == tuple(int(v) for v in expected)


def test_a_task_that_fails_is_heard_of_from_any_thread():
    def fail(i):
        if i == 3:
            raise ValueError("three")

    for threads in (1, 2, 9):
        with pytest.raises(ValueError, match="three"):
            side_by_side(fail, 5, threads)
    done = []
    side_by_side(done.append, 0, 2)
    assert done == []
    assert threads_for(10) == 1


ALONE = {
    "probabilities": lambda rng, n: rng.permutation(n) / n,
    "of both signs": lambda rng, n: rng.permutation(np.arange(n) - n / 2.5),
    "tiny and huge": lambda rng, n: rng.permutation(np.append(np.logspace(-320, 300, n - 1), 0.0)),
    "whole numbers": lambda rng, n: rng.permutation(n) - 3,
    "short": lambda rng, n: (rng.permutation(n) / 7).astype(np.float32),
    "minus nothing": lambda rng, n: -(rng.permutation(n) / 7.0),
}


@pytest.mark.parametrize("kind", ALONE)
@pytest.mark.parametrize("n", [5000, 60_000, pytest.param(3 << 18, marks=pytest.mark.slow)])
@pytest.mark.parametrize("positive", [1, 0])
def test_rows_that_share_no_score_are_counted_as_any_are(kind, n, positive, monkeypatch):
    rng = np.random.default_rng(n)
    y, scores = rng.integers(0, 2, n), ALONE[kind](rng, n)
    before = scores.copy()
    found = ScoreTally.from_arrays(y, scores, positive=positive)
    monkeypatch.setattr(SortedKeys, "single_rows", lambda _: None)
    twin = ScoreTally.from_arrays(y, scores, positive=positive)
    np.testing.assert_array_equal(scores, before)
    assert isinstance(found.score_counts, UntiedCounts) == (kind != "short")
    for one, other in zip(
        found.score_counts.cumulative_counts, twin.score_counts.cumulative_counts, strict=True
    ):
        np.testing.assert_array_equal(one, other)
        assert not one.flags.writeable
    for name in ("pos", "neg", "scores", "positives", "negatives", "total"):
        np.testing.assert_array_equal(
            getattr(found.score_counts, name), getattr(twin.score_counts, name)
        )
    assert found == twin
    assert not np.signbit(found.scores[found.scores == 0]).any()
    assert not found.scores.flags.writeable
    assert not found.counts.flags.writeable
    assert found + found == twin + twin
    assert ScoreTally.from_dict(found.to_dict()) == twin


@pytest.mark.parametrize("label", [0, 1])
def test_rows_of_one_class_that_share_no_score(label):
    r = ScoreTally.from_arrays(np.full(6000, label), np.arange(6000) / 6000).score_counts
    assert (r.pos == label).all()
    assert (r.neg == 1 - label).all()
