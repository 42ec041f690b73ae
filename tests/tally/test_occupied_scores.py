"""Scores of many classes: the cells that are not empty say what the whole array says."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import tallymark as tm
from judged import assert_read_back, counted_of
from tallymark.infer.delong import hand_till_error
from tallymark.infer.sampler import BlockReplicates, Sampler
from tallymark.infer.score_samples import Columns, Rows
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally import scores as of_scores
from tallymark.tally.occupied import OccupiedScores, group_sums, head
from tallymark.tally.scores import ScoreCounts, ScoreTally

K = 7


def rows(n=400, seed=0, digits=None, k=K):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    odds = np.exp(rng.normal(size=(n, k)) + 1.5 * (y[:, None] == np.arange(k)))
    p = odds / odds.sum(1, keepdims=True)
    return y, p if digits is None else np.round(p, digits) + 0.0


@pytest.fixture
def few(monkeypatch):
    """Keep the occupied cells of small tallies too."""
    return lambda most=0: monkeypatch.setattr(of_scores, "MOST_DENSE_SCORES", most)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [None, 1])
def test_an_array_of_occupied_cells_is_the_whole_array(few, digits, weighted):
    y, p = rows(digits=digits)
    options = {"sample_weight": np.random.default_rng(1).uniform(0, 2, len(y))} if weighted else {}
    of = [
        ScoreTally.from_arrays(y[some], p[some, 2], positive=2, labels=range(K), **{
            name: w[some] for name, w in options.items()
        })
        for some in (slice(None), slice(150), slice(150, None))
    ]  # fmt: skip
    few()
    whole, first, second = (
        ScoreTally(t.labels, t.positive, t.scores, t.counts, t.sum_squared_weights, t.rows)
        for t in of
    )
    counted = ScoreTally.from_arrays(y, p[:, 2], positive=2, labels=range(K), **options)
    for t in (whole, counted):
        assert isinstance(t.counts, OccupiedScores)
        for name in ("counts", "sum_squared_weights"):
            dense, cells = getattr(of[0], name), getattr(t, name)
            if dense is None:
                assert cells is None
                continue
            assert cells.shape == dense.shape
            assert np.asarray(cells) == pytest.approx(dense, rel=1e-14)
            for axis in (None, 0, 1, -1):
                assert cells.sum(axis) == pytest.approx(dense.sum(axis), rel=1e-13)
            for k in range(K):
                assert np.array_equal(cells[:, k], np.asarray(cells)[:, k])
                assert cells.rest(k) == pytest.approx(np.delete(dense, k, 1).sum(1), rel=1e-13)
            assert cells[:, -1].tolist() == cells[:, K - 1].tolist()
            odd = dense.sum(1) > 1
            assert np.array_equal(cells[odd], np.asarray(cells)[odd])
            assert np.array_equal(cells.T, np.asarray(cells).T)
            assert np.array_equal(head(cells, 9), np.asarray(cells)[:9])
            starts = np.array([2, 3, 7])
            assert group_sums(cells, starts) == pytest.approx(group_sums(dense, starts))
            assert np.asarray(cells * np.arange(K)) == pytest.approx(dense * np.arange(K))
            off = np.abs(t.scores[:, None] - 0.5)
            assert np.asarray(cells * off) == pytest.approx(dense * off)
    assert whole == counted
    cells, dense = whole.counts, np.asarray(whole.counts)
    assert (cells.dtype, cells.tolist(), cells.any()) == (np.float64, dense.tolist(), True)
    assert np.array_equal(cells.any(1), dense.any(1))
    assert (first == second, first == first) == (False, True)
    added = first + second
    assert np.asarray(added.counts) == pytest.approx(of[0].counts)
    assert np.array_equal(added.scores, of[0].scores)
    order = [*reversed(range(K + 1))]
    assert np.array_equal(whole.reorder(order).counts, of[0].reorder(order).counts)
    assert ScoreTally.from_dict(whole.to_dict()) == whole


def test_occupied_cells_refuse_what_an_array_refuses(few):
    y, p = rows()
    few()
    t = ScoreTally.from_arrays(y, p[:, 2], positive=2, labels=range(K))
    cells = t.counts
    for values, words in (
        (OccupiedScores(-cells.values, *cells.cells, cells.shape), "counts holds a negative or"),
        (OccupiedScores(cells.values, *cells.cells, (3, K)), "counts has shape (3, 7); these"),
    ):
        with pytest.raises(tm.InputError) as caught:
            ScoreTally(t.labels, t.positive, t.scores, values)
        assert str(caught.value).startswith(words)


@pytest.mark.parametrize("weighted", [False, True])
def test_all_values_are_those_of_whole_arrays(few, weighted, tmp_path):
    y, p = rows(digits=2)
    options = {"weight": np.random.default_rng(1).uniform(0.5, 2, len(y))} if weighted else {}
    dense = tm.evaluate(y, y_score=p, **options)
    expected = dense.values()["model"]
    few()
    ev = tm.evaluate(y, y_score=p, **options)
    (model,) = counted_of(ev).models
    assert all(isinstance(t.counts, OccupiedScores) for t in model.scores)
    for name, v in ev.values()["model"].items():
        other = expected[name]
        numbers = [(x.value, x.low, x.high) for x in (v, other)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-9, abs=1e-12, nan_ok=True), name
        assert (v.method, v.warning) == (other.method, other.warning)
    assert_read_back(ev, tmp_path / "counts.json")
    shares = dict.fromkeys(range(K), 1 / K)
    moved = ev.at(prevalence=shares)
    few(1 << 20)
    whole = dense.at(prevalence=shares)
    areas = [e.value("average_precision", average="weighted") for e in (moved, whole)]
    assert [areas[0].low, areas[0].high] == pytest.approx([areas[1].low, areas[1].high])
    assert hand_till_error(model.scores) == pytest.approx(
        hand_till_error(counted_of(dense).models[0].scores)
    )


def test_intervals_of_averages_keep_no_replicates_of_a_class(few):
    few()
    ev = tm.evaluate(*rows(1000)[:1], y_score=rows(1000)[1])
    (model,) = counted_of(ev).models
    columns = Columns(model.scores, None, Sampler(), Rows(counted_of(ev).joint, model))
    before = {id(r) for r in gc.get_objects() if type(r) is ScoreCounts}
    names = ("average_precision", "kolmogorov_smirnov", "expected_calibration_error", "cllr")
    statistics = [Statistic.of(get(name), ev.classes, None, "macro") for name in names]
    columns.points(statistics)
    for s in statistics:
        assert len(columns.of_each_class(s, "error")) == len(columns.support(s)) == K
        assert columns.jackknife(s).values.shape == (1000,)
    assert columns.bias(statistics[0], None) > 0
    assert not columns.is_null(statistics[2], 0.3, 0.95)
    gc.collect()
    kept = [r for r in gc.get_objects() if type(r) is ScoreCounts and id(r) not in before]
    assert sum(r.pos.nbytes + r.neg.nbytes for r in kept) < 1e6  # all draws of a class: 100 MB


def test_averages_over_many_columns_are_drawn_a_few_at_a_time():
    ev = tm.evaluate(*rows(150, k=30)[:1], y_score=rows(150, k=30)[1])
    (model,) = counted_of(ev).models
    of = [("brier_skill_score", None), ("average_precision", "macro"), ("cllr", "weighted")]
    statistics = [Statistic.of(get(name), ev.classes, None, how) for name, how in of]
    replicates = BlockReplicates(counted_of(ev).joint, [model], Sampler(), draws=50)
    for s, (drawn, whole) in zip(statistics, replicates.averages(0, statistics), strict=True):
        expected, of_all = replicates.values(0, s)
        assert np.array_equal(drawn, expected, equal_nan=True)
        assert whole == pytest.approx(of_all, nan_ok=True)
