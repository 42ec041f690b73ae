import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark import metrics
from tallymark.errors import InputError
from tallymark.tally.bins import STRETCHES, BinnedCounts, Bins, group_scores, nearest_cut
from tallymark.tally.scores import ScoreTally

finite = st.floats(allow_nan=False, allow_infinity=False)


def place_slowly(bins, score):
    """The rule, one score at a time."""
    stretch = max(sum(score >= b for b in bins.breaks[1:-1]), 0)
    x = float(score - float(bins.breaks[stretch])) * float(bins.scale[stretch])
    return stretch * bins.per + math.floor(min(max(x, 0.0), bins.per - 1))


@given(
    st.lists(
        finite.filter(lambda x: abs(x) < 1e300), min_size=2, max_size=9, unique_by=lambda x: x + 0.0
    ),
    st.integers(1, 9),
    st.lists(finite, max_size=30),
)
def test_place_is_the_rule_and_rises_with_the_score(breaks, per, scores):
    bins = Bins(sorted(breaks), per)
    scores = sorted([*scores, *breaks])
    places = bins._place(scores).tolist()
    assert places == [place_slowly(bins, s) for s in scores]
    assert places == sorted(places)
    assert places[0] >= 0
    assert places[-1] < len(bins)


LARGEST = np.finfo(float).max


@pytest.mark.parametrize("far", [1.7e308, LARGEST])
def test_bins_reach_to_the_largest_float(far):
    bins = Bins([-far, far], 2)
    assert bins.breaks.tolist() == [-far, 0.0, far]
    assert np.isfinite(bins.scale).all()
    assert bins._place([-LARGEST, -far, -far / 4, 0.0, far / 4, far, LARGEST]).tolist() == [
        0, 0, 1, 2, 2, 3, 3
    ]  # fmt: skip
    assert Bins(**bins.to_dict()) == bins


@given(st.lists(finite, min_size=1, max_size=40), st.integers(1, 60))
def test_bins_of_any_sample_hold_its_rows(scores, count):
    positive = np.arange(len(scores)) % 2 == 0
    bins = Bins._of_sample(scores, positive, count)
    assert np.isfinite(bins.breaks).all()
    assert np.isfinite(bins.scale).all()
    counted = BinnedCounts(bins, (0, 1))
    counted.add(positive, np.array(scores))
    tally = ScoreTally._from_bins(counted, 1)
    assert tally.rows == len(scores)
    assert (tally.scores[0], tally.highs[-1]) == (min(scores), max(scores))
    finer = bins._refined(tally, count)
    assert np.isfinite(finer.breaks).all()


def test_huge_scores_are_told_apart_in_bins():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    s = 1.6e308 + 9e306 * (rng.random(4000) + y)
    bins = Bins._of_sample(s, y == 1, 4096)
    counted = BinnedCounts(bins, (0, 1))
    counted.add(y, s)
    exact = metrics.roc_auc(y, s)
    low, high = (metrics.roc_auc(end) for end in ScoreTally._from_bins(counted, 1).ends())
    assert low <= exact <= high < low + 0.01


def test_every_break_begins_a_bin():
    bins = Bins([0.0, 0.1, 0.5, 0.75, 1.0], 7)
    for i, b in enumerate(bins.breaks[:-1]):
        assert bins._place([b]) == [7 * i]
        if i:
            assert bins._place([np.nextafter(b, -1)])[0] < 7 * i


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_in_bins_are_those_of_a_loop(weighted):
    rng = np.random.default_rng(0)
    bins = Bins([-1.0, 0.0, 0.2, 1.0], 5)
    scores, codes = np.round(rng.normal(size=900), 2), rng.integers(0, 3, 900)
    weights = rng.random(900) if weighted else None
    counted = BinnedCounts(bins, ("a", "b", "c"))
    for part in (slice(0, 100), slice(100, 101), slice(101, 900)):
        counted.add(codes[part], scores[part], None if weights is None else weights[part])
    tally = ScoreTally._from_bins(counted, "b")
    place = [place_slowly(bins, s) for s in scores]
    w = np.ones(900) if weights is None else weights
    for i, b in enumerate(sorted(set(place))):
        inside = np.array(place) == b
        assert tally.scores[i] == scores[inside].min()
        assert tally.highs[i] == scores[inside].max()
        for k in range(3):
            assert tally.counts[i, k] == pytest.approx(w[inside & (codes == k)].sum())
            if weighted:
                assert tally.sum_squared_weights[i, k] == pytest.approx(
                    (w[inside & (codes == k)] ** 2).sum()
                )
    assert tally.rows == 900
    assert (tally.sum_squared_weights is not None) == weighted


def test_an_exact_tally_put_into_bins_is_what_its_rows_are_there():
    rng = np.random.default_rng(4)
    bins = Bins([0.0, 0.5, 1.0], 8)
    y, s = rng.integers(0, 2, 300), rng.random(300)
    counted = BinnedCounts(bins, (0, 1))
    counted.add(y, s)
    assert ScoreTally.from_arrays(y, s).binned(bins) == ScoreTally._from_bins(counted, 1)
    with_weights = ScoreTally.from_arrays(y, s, sample_weight=np.full(300, 2.0)).binned(bins)
    counted.add_tally(with_weights)  # unit weights so far, others from here on
    both = ScoreTally._from_bins(counted, 1)
    assert both.counts.sum() == 900
    assert both.sum_squared_weights.sum() == 300 + 1200


def test_tallies_in_the_same_bins_add_up_and_others_do_not():
    rng = np.random.default_rng(5)
    bins = Bins([0.0, 0.5, 1.0], 8)
    y, s = rng.integers(0, 2, 300), rng.random(300)
    parts = [ScoreTally.from_arrays(y[i:j], s[i:j]).binned(bins) for i, j in ((0, 70), (70, 300))]
    whole = ScoreTally.from_arrays(y, s)
    assert parts[0] + parts[1] == parts[1] + parts[0] == whole.binned(bins)
    assert parts[0] + ScoreTally._empty() == parts[0]
    with pytest.raises(InputError, match=r"in bins; put the first into the bins of the other with"):
        parts[0] + whole
    with pytest.raises(InputError, match="counted in different bins; count both in the same ones"):
        parts[0] + whole.binned(Bins([0.0, 1.0], 8))


def test_ends_are_the_worst_and_the_best_order():
    t = ScoreTally.from_arrays([0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.9])
    worst, best = t.binned(Bins([0.0, 0.5, 1.0], 1)).ends()
    assert worst.scores.tolist() == best.scores.tolist() == [0.1, 0.4, 0.9]
    assert worst.counts.tolist() == [[0, 2], [2, 0], [0, 1]]
    assert best.counts.tolist() == [[2, 0], [0, 2], [0, 1]]
    assert t.ends() == (t, t)
    alone = t.binned(Bins(np.linspace(0, 1, 11), 10))
    assert alone.ends()[0] == t  # every bin holds one score


@pytest.mark.parametrize("weighted", [False, True])
def test_ends_are_those_of_every_row_moved_to_an_end_of_its_bin(weighted):
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 3, 400), np.round(rng.random(400), 2)
    w = rng.random(400) if weighted else None
    t = ScoreTally.from_arrays(y, s, positive=2, sample_weight=w).binned(Bins([0.0, 0.3, 1.0], 17))
    at = np.searchsorted(t.scores, s, side="right") - 1
    for found, best in zip(t.ends(), (False, True), strict=True):
        moved = np.where((y == 2) == best, t.highs[at], t.scores[at])
        slow = ScoreTally.from_arrays(y, moved, positive=2, sample_weight=w)
        there = found.counts.any(1)
        assert np.array_equal(found.scores, np.union1d(t.scores, t.highs))
        assert np.array_equal(found.scores[there], slow.scores)
        np.testing.assert_allclose(found.counts[there], slow.counts, rtol=1e-12)
        if weighted:
            np.testing.assert_allclose(
                found.sum_squared_weights[there], slow.sum_squared_weights, rtol=1e-12
            )


def test_decisions_are_exact_at_the_edges_of_bins():
    rng = np.random.default_rng(6)
    y, s = rng.integers(0, 2, 200), rng.random(200)
    exact = ScoreTally.from_arrays(y, s)
    t = exact.binned(Bins([0.0, 0.3, 1.0], 5))
    for threshold in [0.3, -1, 2, *t.scores, np.inf]:
        assert nearest_cut(t, threshold) == threshold
        assert t.at(threshold) == exact.at(threshold)
    for threshold in s:
        cut = nearest_cut(t, threshold)
        assert cut in {*t.scores, np.inf}
        assert t.at(cut) == exact.at(cut)
        assert abs(cut - threshold) <= 0.14 or cut == np.inf
    assert nearest_cut(exact, 0.123) == 0.123


def test_a_threshold_within_a_bin_moves_to_the_nearer_end_and_half_way_to_the_lower():
    scores = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]
    tally = ScoreTally.from_arrays([0, 1] * 3, scores).binned(Bins([0.0, 0.5, 1.0, 1.5], 1))
    assert tally.scores.tolist() == [0.0, 0.5, 1.0]
    assert tally.highs.tolist() == [0.25, 0.75, 1.25]
    for threshold, nearest in [
        (0.125, 0.0), (0.1875, 0.0), (0.25, 0.0),  # half-way between 0 and 0.5
        (0.3, 0.3),  # no row is between the bins
        (0.5625, 0.5), (0.75, 0.5), (np.nextafter(0.75, 0), 0.5),
        (1.125, 1.0), (1.25, 1.0), (1.3, 1.3),
    ]:  # fmt: skip
        assert nearest_cut(tally, threshold) == nearest, threshold
    wide = ScoreTally.from_arrays([0, 1, 0], [0.0, 0.9, 1.0]).binned(Bins([0.0, 1.0, 2.0], 1))
    assert [nearest_cut(wide, t) for t in (0.4, 0.5, 0.51, 0.9)] == [0.0, 0.0, 1.0, 1.0]


def test_a_sample_lays_narrow_bins_where_the_classes_meet():
    rng = np.random.default_rng(7)
    y = rng.random(20_000) < 0.02
    s = np.where(y, rng.beta(4, 30, 20_000), rng.beta(1, 60, 20_000))
    s[:3000] = 0.0  # many rows of one score
    bins = Bins._of_sample(s, y, 1 << 14, keep=(0.5, 0.25))
    assert len(bins) <= 1 << 14
    assert len(bins.scale) <= STRETCHES
    assert {0.0, 0.25, 0.5, 1.0} <= set(bins.breaks)
    tally = ScoreTally.from_arrays(y.astype(int), s).binned(bins)
    assert tally.highs[0] == tally.scores[0] == 0.0
    even = ScoreTally.from_arrays(y.astype(int), s).binned(Bins([0.0, 1.0], 1 << 14))
    assert _width(tally) < 0.35 * _width(even)
    few = ScoreTally.from_arrays(y.astype(int), s).binned(
        bins._refined(tally, 1 << 11, keep=(0.5,))
    )
    assert few.highs[0] == few.scores[0] == 0.0
    assert 0.5 in few.bins.breaks
    coarse = ScoreTally.from_arrays(y.astype(int), s).binned(
        Bins._of_sample(s[::20], y[::20], 1 << 11)
    )
    assert _width(few) < 1.1 * _width(coarse)


def _width(t):
    r, wide = t._score_counts, t.highs > t.scores
    return float((r.pos * r.neg)[wide].sum() / (r.positives * r.negatives))


@pytest.mark.parametrize("scores", [[0.5], [0.2, 0.2], [-3.0, 1e308, -1e308], [0.0, -0.0, 5e-324]])
def test_small_and_strange_samples(scores):
    bins = Bins._of_sample(scores, np.arange(len(scores)) % 2 == 0, 100)
    found = ScoreTally.from_arrays(np.arange(len(scores)) % 2, scores).binned(bins)
    assert found.rows == len(scores)


def test_written_and_read_back_to_the_bit():
    rng = np.random.default_rng(8)
    exact = ScoreTally.from_arrays(rng.integers(0, 2, 50), rng.random(50))
    t = exact.binned(Bins([0, 1 / 3, 1], 3))
    read = ScoreTally.from_dict(json.loads(json.dumps(t.to_dict())))
    assert read == t
    assert read._highest == t._highest == exact._highest
    assert "bins" not in exact.to_dict()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Bins([0.0], 2), "breaks must be two or more ascending numbers"),
        (lambda: Bins([0.0, 0.0], 2), "breaks must be two or more ascending numbers"),
        (lambda: Bins([0.0, np.inf], 2), "breaks must be two or more ascending numbers"),
        (lambda: Bins([0.0, 1.0], 0), "per is 0; give a whole number of bins, at least 1"),
        (lambda: Bins([0.0, 1.0], 1.5), "per is 1.5; give a whole number of bins"),
        (lambda: Bins._of_sample([], []), "the sample has no rows; give at least one"),
        (lambda: tally(highs=[0.3, 0.9]), "a tally in bins needs both highs and bins"),
        (lambda: tally(bins=Bins([0, 1], 2)), "a tally in bins needs both highs and bins"),
        (lambda: tally(highs=[0.1, 0.9], bins=Bins([0, 1], 2)), "none below the lowest of its bin"),
        (lambda: tally(highs=[0.7, 0.9], bins=Bins([0, 1], 2)), "must not overlap"),
    ],
)
def test_refused(make, told):
    with pytest.raises(InputError, match=told):
        make()


def tally(**options):
    return ScoreTally((0, 1), 1, np.array([0.2, 0.6]), np.ones((2, 2)), **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_groups_for_resampling_hold_their_rows_at_their_mean_or_lowest_score(weighted, classes):
    rng = np.random.default_rng(classes)
    n, groups, place = 4000, 40, 700
    y = rng.integers(0, classes, n)
    s = np.round(rng.normal(1.5 * y, 1), 3) + 3
    w = rng.uniform(0.5, 2, n) if weighted else None
    tally = ScoreTally.from_arrays(y, s, positive=1, sample_weight=w)
    low = group_scores(tally, groups, (place,), True)
    mean = group_scores(tally, groups, (place,), False)
    starts = np.searchsorted(tally.scores, low.scores)
    assert tally.scores[starts].tolist() == low.scores.tolist()
    assert starts[0] == 0
    assert len(tally.scores) - place in starts  # so that a threshold is exact
    counts = np.add.reduceat(tally.counts, starts)
    rows = tally.counts.sum(1)
    means = np.add.reduceat(rows * tally.scores, starts) / counts.sum(1)
    np.testing.assert_allclose(mean.scores, means)
    for found in (low, mean):
        np.testing.assert_allclose(found.counts, counts)
        assert (found.rows, found.positive, found.labels) == (n, 1, tally.labels)
        if weighted:
            squares = np.add.reduceat(tally.sum_squared_weights, starts)
            np.testing.assert_allclose(found.sum_squared_weights, squares)
        else:
            assert found.sum_squared_weights is None
    of_class = np.stack([counts[:, 1], counts.sum(1) - counts[:, 1]])
    largest = np.stack([tally.counts[:, 1], rows - tally.counts[:, 1]]).max(1)
    assert (of_class.max(1) <= of_class.sum(1) / (groups // 2) + largest).all()
    assert len(starts) <= 2 * (groups // 2) + 60


def test_groups_without_weight_are_left_out():
    counts = np.zeros((100, 2))
    counts[40:, 0], counts[60:90, 1] = 1, 2
    tally = ScoreTally((0, 1), 1, np.arange(100.0), counts, counts, 100)
    found = group_scores(tally, 20, (), True)
    assert found.counts.sum() == counts.sum()
    assert (found.counts.sum(1) > 0).all()
    assert found.scores[0] >= 0


def test_breaks_and_bins_a_stretch_are_checked():
    told = "breaks must be two or more ascending numbers, none of them infinite"
    for breaks in ([0.0], [0.0, 0.0], [1.0, 0.0], [0.0, np.inf], [0.0, 2.0, 1.0], [[0.0, 1.0]]):
        with pytest.raises(InputError) as caught:
            Bins(breaks, 2)
        assert str(caught.value) == told
    for per in (0, 1.5, 1 << 53):
        with pytest.raises(InputError) as caught:
            Bins([0.0, 1.0], per)
        assert str(caught.value) == f"per is {per!r}; give a whole number of bins, at least 1"
    assert len(Bins([0.0, 1.0, 3.0], 4)) == 8
    assert Bins([0, 1], 1).scale.tolist() == [1]
    assert Bins([0.0, 1.0, 3.0], 4).scale.tolist() == [4, 2]
    assert Bins([0.0, 1.0], 2) == Bins([0, 1], 2)
    assert Bins([0.0, 1.0], 2) != Bins([0.0, 1.0], 3)
    assert Bins([0.0, 1.0], 2) != Bins([0.0, 2.0], 2)
    assert Bins([0.0, 1.0], 2) != 2
