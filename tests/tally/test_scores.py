from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tallymark as tm
from tallymark import _kernels, metrics
from tallymark.errors import InputError
from tallymark.tally.bins import _shares_reached
from tallymark.tally.scores import (
    ScoreTally,
    SortedKeys,
    weighted_concordance,
    with_opposite,
)
from tallymark.tally.sums import class_tallies
from tallymark.tally.threads import side_by_side, threads_for

FINITE = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(st.integers(0, 1), st.one_of(FINITE, st.sampled_from([0.0, -0.0, 0.5]))),
                min_size=1, max_size=60)  # fmt: skip


def slow(rows):
    """Group by score with a dictionary; -0.0 and 0.0 are one key of it."""
    groups: dict[float, list[int]] = {}
    for label, score in rows:
        groups.setdefault(score + 0.0, [0, 0])[label] += 1
    return sorted(groups.items())


def slow_pairs(rows):
    pos = [s for label, s in rows if label]
    neg = [s for label, s in rows if not label]
    lower = sum(n < p for p in pos for n in neg)
    not_higher = sum(n <= p for p in pos for n in neg)
    return lower, not_higher, len(pos), len(neg)


@given(ROWS)
def test_groups_are_those_of_the_slow_twin(rows):
    y, s = np.array([a for a, _ in rows]), np.array([b for _, b in rows])
    tally = ScoreTally.from_arrays(y, s)
    expected = slow(rows)
    assert tally.scores.tolist() == [k for k, _ in expected]
    assert tally.counts.tolist() == [v for _, v in expected]
    assert not np.signbit(tally.scores[tally.scores == 0]).any()
    assert tally.rows == len(rows)


@given(ROWS)
def test_pairs_are_those_of_the_slow_twin(rows):
    y, s = np.array([a for a, _ in rows]), np.array([b for _, b in rows])
    assert SortedKeys.of(y, s, None).concordance() == slow_pairs(rows)
    lower, not_higher, p, n = slow_pairs(rows)
    if p and n:
        assert tm.metrics.roc_auc(y, s) == float(Fraction(lower + not_higher, 2 * p * n))


@pytest.mark.parametrize(
    "make",
    [
        lambda r, n: r.random(n),
        lambda r, n: r.normal(size=n),
        lambda r, n: np.round(r.normal(size=n), 1),
        lambda r, n: -r.random(n),
        lambda r, n: np.zeros(n),
        lambda r, n: r.normal(size=n) * 10.0 ** r.integers(-300, 300, n),
        lambda r, n: np.where(r.random(n) < 0.5, 5e-324, -5e-324),
        lambda r, n: np.full(n, 1.7976931348623157e308),
    ],
)
def test_many_rows_sorted_side_by_side(make):
    rng = np.random.default_rng(0)
    n = 900_000
    y, s = rng.integers(0, 2, n), make(rng, n)
    tally = ScoreTally.from_arrays(y, s)
    scores, place = np.unique(s + 0.0, return_inverse=True)
    assert np.array_equal(tally.scores, scores)
    assert np.array_equal(tally.counts[:, 1], np.bincount(place, y, minlength=len(scores)))
    assert np.array_equal(tally.counts.sum(1), np.bincount(place, minlength=len(scores)))
    below = np.cumsum(tally.counts[:, 0]) - tally.counts[:, 0]
    expected = (tally.counts[:, 1] * (below + tally.counts[:, 0] / 2)).sum()
    expected /= tally.counts[:, 0].sum() * tally.counts[:, 1].sum()
    assert tm.metrics.roc_auc(y, s) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ["bool", "int8", "uint8", "int32", "int64", "uint64", "float64"])
def test_labels_of_any_type(kind):
    y = np.array([0, 1, 1, 0]).astype(kind)
    tally = ScoreTally.from_arrays(y, np.array([0.1, 0.9, 0.4, 0.4]))
    assert tally.counts.tolist() == [[1, 0], [1, 1], [0, 1]]
    assert tally.positive == 1


def test_labels_the_kernels_cannot_read_are_counted_all_the_same():
    y, s = np.array([0, 1, 1]), np.array([0.1, 0.9, 0.4])
    for odd in (y.astype(">i8"), y.astype(object)):
        assert ScoreTally.from_arrays(odd, s).counts.tolist() == [[1, 0], [0, 1], [0, 1]]
        assert tm.LabelTally.from_arrays(odd, odd).counts.tolist() == [[1, 0], [0, 2]]
    huge = np.array([2**63 + 1, 5], dtype=np.uint64)
    assert tm.LabelTally.from_arrays(huge, huge).labels == (5, 2**63 + 1)
    assert ScoreTally.from_arrays(y, s.astype(">f8")).scores.tolist() == [0.1, 0.4, 0.9]


def test_scores_of_any_type():
    for kind in ("float32", "float16", "int64", "uint8"):
        tally = ScoreTally.from_arrays([0, 1, 0], np.array([1, 5, 2]).astype(kind))
        assert tally.scores.tolist() == [1, 2, 5]
    assert ScoreTally.from_arrays([0, 1], [False, True]).scores.tolist() == [0, 1]


def test_which_class_is_positive():
    s = np.array([0.2, 0.8])
    assert ScoreTally.from_arrays(np.array([-1, 1]), s).labels == (-1, 1)
    flipped = ScoreTally.from_arrays(np.array([0, 1]), s, positive=0)
    assert flipped._score_counts.pos.tolist() == [1, 0]
    assert tm.metrics.roc_auc([0, 1], [0.2, 0.8], positive=0) == 0.0
    words = ScoreTally.from_arrays(["no", "yes"], s, positive="no")
    assert words._score_counts.pos.tolist() == [1, 0]
    for positive, negative in (
        ("churn", "no churn"), ("test positive", "test negative"), ("ill today", "healthy today"),
        ("my event", "my none"), ("Nicht-Raucher", "nicht Nicht-Raucher"),
    ):  # fmt: skip
        assert ScoreTally.from_arrays([positive, negative], s).positive == positive
        assert ScoreTally.from_arrays([negative, positive], s).positive == positive
    with pytest.raises(
        tm.InputError, match=r"which class is positive\? The classes are 'down', 'up'"
    ):
        ScoreTally.from_arrays(["down", "up"], s)
    with pytest.raises(tm.InputError, match="the positive class '1' does not occur"):
        ScoreTally.from_arrays([0, 1], s, positive="1")
    with pytest.raises(tm.InputError, match="of different types"):
        ScoreTally.from_arrays([1, 1], s, positive="1")
    assert with_opposite((0,), 1) == (0, 1)
    assert with_opposite((False,), True) == (False, True)
    assert with_opposite(("b",), "a") == ("a", "b")


def test_one_class_only_has_no_pairs():
    tally = ScoreTally.from_arrays([0, 0], [0.1, 0.2])
    assert tally.labels == (0, 1)
    assert math.isnan(tm.metrics.roc_auc([0, 0], [0.1, 0.2]))
    assert math.isnan(tm.metrics.roc_auc(tally))


def test_bad_scores_are_refused_where_they_stand():
    for bad, words in [
        ([0.1, math.nan], "y_score is missing in 1 row, first at index 1"),
        ([0.1, -math.inf], "y_score is -inf at index 1"),
        ([0.1, None], "y_score is missing in 1 row, first at index 1"),
        ([0.1, "high"], "y_score holds 'high' at index 1, which is not a number"),
        ([0.1], "the lengths differ: y_true has 2, y_score has 1"),
        ([[0.1, 0.2], [0.3, 0.4]], r"y_score has shape \(2, 2\)"),
    ]:
        with pytest.raises(tm.InputError, match=words):
            ScoreTally.from_arrays([0, 1], bad)
    kept = ScoreTally.from_arrays([0, 1, None], [0.1, math.nan, 0.3], missing="drop", positive=1)
    assert kept.rows == 1


def slow_sum(a, b):
    """Both tables of counts, added up score by score."""
    total = {}
    for tally, table in ((a, a.counts), (b, b.counts)):
        for score, row in zip(tally.scores.tolist(), table, strict=True):
            total[score] = total.get(score, 0) + row
    return sorted(total), np.array([total[s] for s in sorted(total)])


@pytest.mark.parametrize(("left", "right", "span"), [
    (0, 0, 9), (0, 5, 9), (1, 1, 1), (7, 300, 400), (300, 300, 310), (500, 500, 10**6),
])  # fmt: skip
def test_scores_of_two_tallies_are_added_as_by_the_slow_twin(left, right, span):
    rng = np.random.default_rng(left + right)
    a, b = (
        ScoreTally(
            ("x", "y", "z"), "y", np.sort(rng.choice(span, n, replace=False)) / 7 - 3,
            rng.integers(0, 5, (n, 3)).astype(float),
        )
        for n in (left, right)
    )  # fmt: skip
    for one, other in ((a, b), (b, a)):
        scores, counts = slow_sum(one, other)
        found = one + other
        assert found.scores.tolist() == scores
        np.testing.assert_array_equal(found.counts, counts.reshape(-1, 3))
        assert found.rows == a.rows + b.rows


def test_tallies_of_no_rows_add_up_though_their_classes_differ():
    found = ScoreTally._empty((0, 1), 1) + ScoreTally._empty((1, 2), 1)
    assert (found.labels, found.counts.shape, found.rows) == ((0, 1, 2), (0, 3), 0)


@pytest.mark.slow
def test_tallies_of_many_scores_are_added_side_by_side():
    rng = np.random.default_rng(5)
    parts = []
    for low, high, many in ((0, 10**7, 400_000), (0, 10**7, 900_000), (2 * 10**7, 3 * 10**7, 600_000),
                            (-100, -90, 3)):  # fmt: skip
        scores = np.unique(rng.integers(low, high, many)) / 10**7
        parts.append(ScoreTally((0, 1), 1, scores, rng.integers(0, 9, (len(scores), 2)) / 8))
    for a in parts:
        for b in parts:
            scores = np.union1d(a.scores, b.scores)
            counts = np.zeros((len(scores), 2))
            counts[np.searchsorted(scores, a.scores)] += a.counts
            counts[np.searchsorted(scores, b.scores)] += b.counts
            found = a + b
            np.testing.assert_array_equal(found.scores, scores)
            np.testing.assert_array_equal(found.counts, counts)
            assert not found.counts.flags.writeable


@given(ROWS, st.data())
def test_parts_add_up_to_the_whole(rows, data):
    cut = data.draw(st.integers(0, len(rows)))
    y, s = np.array([a for a, _ in rows]), np.array([b for _, b in rows])
    whole = ScoreTally.from_arrays(y, s)
    parts = [
        ScoreTally.from_arrays(a, b) if len(a) else ScoreTally._empty()
        for a, b in ((y[:cut], s[:cut]), (y[cut:], s[cut:]))
    ]
    assert parts[0] + parts[1] == whole == parts[1] + parts[0]
    assert json.loads(json.dumps(whole.to_dict()))["schema"] == 0
    assert ScoreTally.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


def test_weights_and_more_classes():
    y, s, w = ["a", "b", "c", "a"], [0.5, 0.5, 0.1, 0.5], [1.0, 2.0, 3.0, 0.5]
    tally = ScoreTally.from_arrays(y, s, positive="a", sample_weight=w)
    assert tally.counts.tolist() == [[0, 0, 3], [1.5, 2, 0]]
    assert tally.sum_squared_weights.tolist() == [[0, 0, 9], [1.25, 4, 0]]
    r = tally._score_counts
    assert (r.pos.tolist(), r.neg.tolist()) == ([0, 1.5], [3, 2])
    assert tally._squared_score_counts.neg.tolist() == [9, 4]
    plain = ScoreTally.from_arrays(y, s, positive="a")
    assert (tally + plain).sum_squared_weights.tolist() == [[0, 0, 10], [3.25, 5, 0]]
    with pytest.raises(tm.InputError, match="a threshold decides between two classes"):
        tally.at(0.3)


def test_adding_needs_the_same_class():
    a = ScoreTally.from_arrays([0, 1], [0.1, 0.2])
    b = ScoreTally.from_arrays([0, 1], [0.1, 0.2], positive=0)
    with pytest.raises(
        tm.InputError, match="positive is 1 in one tally and 0 in the other; they cannot be added"
    ):
        a + b
    with pytest.raises(TypeError):
        a + 1
    assert a != 3


def test_thresholds_and_decisions():
    y, s = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.2, 0.7, 0.7, 0.9])
    tally = ScoreTally.from_arrays(y, s)
    r = tally._score_counts
    counts, thresholds = r._counts_by_threshold(), r.thresholds()
    assert thresholds.tolist() == [math.inf, 0.9, 0.7, 0.2]
    for i, t in enumerate(thresholds):
        direct = tm.LabelTally.from_arrays(y, (s >= t).astype(int), labels=[0, 1])
        assert tally.at(t) == direct
        assert float(r.at(t).tp) == counts.tp[i] == direct.counts[1, 1]
        assert float(r.at(t).fn) == counts.fn[i] == direct.counts[1, 0]
    assert tally.at(0.5) == tally.at(0.7)
    weighted = ScoreTally.from_arrays(y, s, sample_weight=[1, 2, 3, 4, 5.0]).at(0.5)
    assert weighted.sum_squared_weights[1].tolist() == [4, 34]


@pytest.mark.parametrize("rare", [0.5, 0.001])
def test_a_coarse_tally_keeps_rows_means_and_rare_classes(rare):
    rng = np.random.default_rng(0)
    y = (rng.random(60_000) < rare).astype(int)
    s = rng.normal(y, 1.0)
    tally = ScoreTally.from_arrays(y, s)
    coarse = tally._coarse(512)
    assert len(coarse.scores) <= 512
    np.testing.assert_allclose(coarse.counts.sum(0), tally.counts.sum(0))
    mean = (coarse.scores * coarse.counts.sum(1)).sum() / len(y)
    assert mean == pytest.approx(s.mean())
    assert tm.metrics.roc_auc(coarse) == pytest.approx(tm.metrics.roc_auc(tally), abs=0.003)
    assert tm.metrics.average_precision(coarse) == pytest.approx(
        tm.metrics.average_precision(tally), rel=0.1
    )
    assert tally._coarse(10**6) is tally


def test_counts_made_elsewhere():
    tally = ScoreTally.from_counts([0.9, 0.2, 0.9], pos=[8, 1, 1], neg=[2, 9, 0])
    assert tally.scores.tolist() == [0.2, 0.9]
    assert tally.counts.tolist() == [[9, 1], [2, 9]]
    with pytest.raises(tm.InputError, match=r"pos is 0\.5 at index 0; counts are whole numbers"):
        ScoreTally.from_counts([0.9], [0.5], [1])
    with pytest.raises(tm.InputError, match="neg is -1 at index 0; a weight is a number"):
        ScoreTally.from_counts([0.9], [1], [-1])
    with pytest.raises(tm.InputError, match="score is missing in 1 row"):
        ScoreTally.from_counts([math.nan], [1], [1])


def test_invariants_are_checked():
    with pytest.raises(tm.InputError, match="finite, distinct and ascending"):
        ScoreTally((0, 1), 1, [0.2, 0.1], np.ones((2, 2)))
    with pytest.raises(tm.InputError, match="the positive class 2 is not among"):
        ScoreTally((0, 1), 2, [0.1], np.ones((1, 2)))


def test_a_score_for_each_class():
    y, p = ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    tallies = class_tallies(y, p)
    assert [t.positive for t in tallies] == ["a", "b", "c"]
    assert [t._score_counts.pos.tolist() for t in tallies] == [[0, 0, 1], [0, 0, 1], [0, 0, 1]]
    with pytest.raises(tm.InputError, match="y_score has 3 columns and there are 2 classes"):
        class_tallies(["a", "b", "a"], p)
    holes = np.array(p)
    holes[1, 2] = np.nan
    with pytest.raises(tm.InputError, match=r"y_score\[:, 2\] is missing in 1 row"):
        class_tallies(y, holes)
    kept = class_tallies(y, holes, missing="drop", sample_weight=[1, 2, 3])
    assert kept[0].rows == 2


def test_from_frames_and_files(tmp_path):
    y, s, w = ["no", "yes", "yes"], [0.1, 0.4, 0.4], [1.0, 2.0, 0.5]
    frame = pd.DataFrame({"label": y, "score": s, "w": w})
    frame.to_csv(tmp_path / "p.csv", index=False)
    direct = ScoreTally.from_arrays(y, s, positive="yes")
    weighted = ScoreTally.from_arrays(y, s, positive="yes", sample_weight=w)
    counted = pd.DataFrame({"score": [0.9, 0.2], "pos": [3, 1], "neg": [0, 5]})
    for data, options, wanted in (
        (frame, {"positive": "yes"}, direct),
        (tmp_path / "p.csv", {"positive": "yes"}, direct),
        (frame, {"positive": "yes", "weight": "w"}, weighted),
        (counted, {}, ScoreTally.from_counts([0.9, 0.2], [3, 1], [0, 5])),
    ):
        assert tm.evaluate(data, **options).models[0].scores == (wanted,)
    with pytest.raises(tm.InputError, match="score is missing in 1 row, first at row 2"):
        tm.evaluate(pd.DataFrame({"label": [0, 1], "score": [0.1, None]}))


@pytest.mark.parametrize("n", [1, 5, 4096, 4097, 30_000])
def test_cuts_at_equal_shares_are_those_of_all_sums(n):
    rows = np.random.default_rng(n).poisson(0.5, n).astype(float)
    rows[n // 2] += 1
    below = np.cumsum(rows)
    for parts in (2, 7, 400):
        shares = np.linspace(0, below[-1], parts + 1)[1:-1]
        above = np.append(0.0, np.cumsum(rows[::-1]))
        assert np.array_equal(_shares_reached(above, parts), np.searchsorted(below, shares))


def of_one_kind(kind, n, rng):
    """Return scores whose bits differ everywhere, hardly or only in the lowest places."""
    if kind == "clusters":  # equal in all bits but the last ones, about a few centres
        return rng.choice([-1e300, -0.5, 1e-300, 0.5], n) * (1 + rng.integers(0, 99, n) * 2.0**-52)
    if kind == "ties":
        return rng.normal(size=n).round(2)
    if kind == "skewed":
        return np.ldexp(rng.choice([-1.0, 1.0], n), rng.integers(-1000, 1000, n)) * rng.random(n)
    return rng.random(n)


@pytest.mark.parametrize("kind", ["uniform", "clusters", "ties", "skewed"])
@pytest.mark.parametrize("n", [1, 127, 128, 5000, 60_000])
def test_weights_are_summed_by_score_and_class_in_the_order_of_rows(n, kind):
    rng = np.random.default_rng(n)
    scores, true = of_one_kind(kind, n, rng), rng.integers(0, 3, n)
    for weights in (None, np.ldexp(rng.random(n) + 0.1, rng.integers(-60, 60, n))):
        tally = ScoreTally.from_arrays(
            true, scores, positive=1, labels=(0, 1, 2), sample_weight=weights
        )
        distinct, place = np.unique(scores + 0.0, return_inverse=True)
        mass = np.ones(n) if weights is None else weights
        counts, squares = np.zeros((2, len(distinct), 3))
        np.add.at(counts, (place, true), mass)  # one row after the other
        np.add.at(squares, (place, true), mass**2)
        assert tally.scores.tobytes() == distinct.tobytes()
        np.testing.assert_array_equal(tally.counts, counts)
        if weights is not None:
            np.testing.assert_array_equal(tally.sum_squared_weights, squares)


@pytest.mark.parametrize("parts", [2, 3, 700, 4096, 50_000])
def test_shares_of_many_rows_are_found_however_unevenly_they_lie(parts):
    rng = np.random.default_rng(parts)
    for share in (0.5, 1e-3, np.repeat(rng.random(40) ** 4, 1000)):
        values = (rng.random(40_000) < share) * rng.integers(1, 3, 40_000).astype(float)
        top = np.append(0.0, np.cumsum(values[::-1]))
        below, wanted = np.cumsum(values), np.linspace(0, top[-1], parts + 1)[1:-1]
        assert _shares_reached(top, parts).tolist() == np.searchsorted(below, wanted).tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_coarse_groups_hold_the_rows_and_their_mean_score(weighted):
    rng = np.random.default_rng(4)
    true, scores = rng.integers(0, 3, 9000), rng.normal(size=9000) * 1e-5
    weights = rng.random(9000) if weighted else None
    tally = ScoreTally.from_arrays(true, scores, positive=1, sample_weight=weights)
    coarse, starts = tally._coarse(100), tally._starts(100)
    counts = np.add.reduceat(tally.counts, starts, axis=0)
    np.testing.assert_array_equal(coarse.counts, counts)  # to the bit: draws hang on it
    sums = np.add.reduceat(tally.counts.sum(1) * tally.scores, starts)
    np.testing.assert_allclose(coarse.scores, sums / counts.sum(1), rtol=1e-10)


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1.0, 1e308, "probabilities"])
@pytest.mark.parametrize("groups", [20, 90, 4000])  # from sums of stretches, and each by itself
def test_coarse_groups_of_distinct_scores_have_their_mean(groups, size):
    rng = np.random.default_rng(groups)
    scores = np.arange(-60_000.0, 40_000.0) if size == 5e-324 else rng.normal(size=100_000)
    if size == "probabilities":
        scores, size = np.unique(1 / (1 + np.exp(-3 * scores))), 1.0
    else:
        scores = np.unique(scores / np.abs(scores).max() * size if size > 1e-320 else scores * size)
    tally = ScoreTally.from_arrays((rng.random(len(scores)) < 0.2).astype(int), scores)
    coarse, starts = tally._coarse(groups), tally._starts(groups)
    unit = float(np.abs(scores).max())
    sums = np.add.reduceat(scores / unit, starts)
    counts = np.add.reduceat(tally.counts, starts, axis=0)
    np.testing.assert_array_equal(coarse.counts, counts)
    with np.errstate(over="ignore"):
        means = sums / counts.sum(1) * unit
    np.testing.assert_allclose(coarse.scores, means, rtol=1e-9, atol=max(1e-13 * size, 5e-324))


def test_scores_that_nobody_writes_to_are_not_copied():
    counts = np.ones((3, 2))
    for values, kept in (([-1.0, 0.0, 2.0], True), ([-1.0, -0.0, 2.0], False)):
        scores = np.array(values)
        writable = ScoreTally((0, 1), 1, scores, counts)
        assert not np.shares_memory(writable.scores, scores)
        scores.flags.writeable = False
        tally = ScoreTally((0, 1), 1, scores, counts)
        assert np.shares_memory(tally.scores, scores) == kept
        assert tally == writable
        assert not np.signbit(tally.scores[1])
    view = np.arange(4.0)[1:]
    view.flags.writeable = False
    assert not np.shares_memory(ScoreTally((0, 1), 1, view, counts).scores, view)


@pytest.mark.parametrize("bad", [[0.0, np.nan, 2.0], [0.0, 1.0, np.inf], [-np.inf, 1.0, 2.0]])
def test_scores_of_a_tally_are_finite(bad):
    with pytest.raises(tm.InputError, match="finite, distinct and ascending"):
        ScoreTally((0, 1), 1, np.array(bad), np.ones((3, 2)))


@pytest.mark.parametrize("n", [50, 6000, 200_000])
@pytest.mark.parametrize("positive", [0, 1])
def test_what_kernels_made_is_what_its_arrays_make(n, positive):
    rng = np.random.default_rng(n)
    true, score = rng.integers(0, 2, n), rng.random(n).round(12 if n > 9999 else 3)
    made = ScoreTally.from_arrays(true, score, positive=positive)
    checked = ScoreTally(made.labels, made.positive, made.scores.copy(), made.counts.copy())
    assert made == checked
    a, b = made._score_counts, checked._score_counts
    assert (a.positives, a.negatives, a.total) == (b.positives, b.negatives, b.total)
    assert np.array_equal(a.pos, b.pos)
    assert np.array_equal(a.neg, b.neg)
    for cut in (-1.0, 0.2, 0.5, 2.0):
        assert made.at(cut) == checked.at(cut)
    for groups in (100, 400):
        few, same = made._coarse(groups), checked._coarse(groups)
        assert np.array_equal(few.counts, same.counts)
        assert few.scores == pytest.approx(same.scores, rel=1e-12)
        assert np.array_equal(made._starts(groups), checked._starts(groups))


FLOATS = ("float64", "float32", "float16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
TYPES = (*FLOATS, *INTEGERS, "bool")


def pairs_in_order(y, s):
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
    assert keys.concordance() == pairs_in_order(y, s)
    held = held_by_floats(s)
    y, s = y[held], s[held]
    if not len(s):
        return
    keys = SortedKeys.of(y, s, None, floats=True)
    found = keys.fields()
    scores, counts = found["scores"], found["counts"]
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
    found = keys.fields()
    scores, counts = found["scores"], found["counts"]
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
@pytest.mark.parametrize(
    ("n", "positive"),
    [
        (5000, 1),
        (5000, 0),
        (60_000, 1),
        (60_000, 0),
        pytest.param(3 << 18, 1, marks=pytest.mark.slow),
    ],
)
def test_rows_that_share_no_score_are_counted_as_any_are(kind, n, positive):
    rng = np.random.default_rng(n)
    y, scores = rng.integers(0, 2, n), ALONE[kind](rng, n)
    before = scores.copy()
    found = ScoreTally.from_arrays(y, scores, positive=positive)
    order = np.argsort(scores)
    twin = ScoreTally((0, 1), positive, scores[order].astype(float), np.eye(2)[y[order]])
    np.testing.assert_array_equal(scores, before)
    for one, other in zip(
        found._score_counts._cumulative_counts, twin._score_counts._cumulative_counts, strict=True
    ):
        np.testing.assert_array_equal(one, other)
        assert not one.flags.writeable
    for name in ("pos", "neg", "scores", "positives", "negatives", "total"):
        np.testing.assert_array_equal(
            getattr(found._score_counts, name), getattr(twin._score_counts, name)
        )
    assert found == twin
    assert not np.signbit(found.scores[found.scores == 0]).any()
    assert not found.scores.flags.writeable
    assert not found.counts.flags.writeable
    assert found + found == twin + twin
    if n <= 60_000:
        assert ScoreTally.from_dict(found.to_dict()) == twin


@pytest.mark.parametrize("label", [0, 1])
def test_rows_of_one_class_that_share_no_score(label):
    r = ScoreTally.from_arrays(np.full(6000, label), np.arange(6000) / 6000)._score_counts
    assert (r.pos == label).all()
    assert (r.neg == 1 - label).all()


def slow_weights_of_pairs(y, s, w):
    """Return what weighted_concordance does, pair by pair."""
    positive, s = y == 1, s.astype(np.float64)
    pairs = w[positive, None] * w[~positive]
    above, equal = (f(s[positive, None], s[~positive]) for f in (np.greater, np.equal))
    sums = pairs[above].sum(), pairs[above | equal].sum(), w[positive].sum(), w[~positive].sum()
    return [float(v) for v in sums]


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "int8", "int64"])
@pytest.mark.parametrize("spread", [3, 1000])
def test_weights_of_pairs_are_those_of_the_slow_twin(kind, spread):
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 40, 700):
        s = (rng.normal(size=n) * spread).round().clip(-100, 100).astype(kind)
        y, w = rng.integers(0, 2, n), rng.integers(0, 5, n) * rng.random(n)
        wanted = slow_weights_of_pairs(y, s, w)
        for labels in (y, y.astype(bool), 2 * y - 1, y.astype(np.int8)):
            assert weighted_concordance(labels, s, None, w) == pytest.approx(wanted, rel=1e-12)
        turned = weighted_concordance(1 - y, s, 0, w.tolist())
        assert turned == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("digits", [2, 17])
def test_the_area_of_many_weighted_rows_is_that_of_their_tally(digits):
    rng = np.random.default_rng(4)
    n = 1 << 18  # in buckets, on several threads
    s = rng.normal(size=n).round(digits)
    y = (rng.random(n) < 1 / (1 + np.exp(-s))).astype(np.int64)
    w = rng.random(n)
    tally = ScoreTally.from_arrays(y, s, sample_weight=w)
    for name in ("roc_auc", "gini_coefficient", "roc_auc_optimistic", "roc_auc_pessimistic"):
        metric = getattr(metrics, name)
        assert metric(y, s, sample_weight=w) == pytest.approx(metric(tally), rel=1e-12)
        assert metric(y, s, sample_weight=np.ones(n)) == metric(y, s)


def test_weighted_rows_that_the_kernels_cannot_read_are_counted_all_the_same():
    y, s, w = np.array([0, 1, 1, 0]), np.array([0.1, 0.9, 0.4, 0.4]), np.array([1.0, 2, 1, 3])
    assert metrics.roc_auc(y, s, sample_weight=w) == 10.5 / 12
    words = np.array(["no", "yes"])[y]
    assert metrics.roc_auc(words, s, positive="yes", sample_weight=w) == 10.5 / 12
    gaps = np.append(s, np.nan), np.append(y, 1), np.append(w, 7)
    assert metrics.roc_auc(gaps[1], gaps[0], sample_weight=gaps[2], missing="drop") == 10.5 / 12
    assert math.isnan(metrics.roc_auc(y, s, sample_weight=w * y))  # no negative has a weight
    with pytest.raises(InputError) as refused:
        metrics.roc_auc(y, s, sample_weight=w[:3])
    assert str(refused.value) == (
        "the lengths differ: y_true has 4, y_score has 4, sample_weight has 3 rows; give every "
        "array the same rows"
    )
    with pytest.raises(InputError) as refused:
        metrics.roc_auc(y, s, sample_weight=-w)
    assert str(refused.value) == (
        "sample_weight is -1 at index 0; a weight is a number, zero or more"
    )
