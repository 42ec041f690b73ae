from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.sampler import Sampler
from tallymark.metric import get
from tallymark.metric.measure import MatrixViews, Statistic
from tallymark.metric.registry import find
from tallymark.tally.labels import one_vs_rest
from tallymark.tally.occupied import OccupiedCells

K, DRAWS = 12, 9


def stack(weighted, absent):
    """Return matrices [draw, true, predicted] of which most cells are empty in all draws."""
    rng = np.random.default_rng(1)
    cells = np.eye(K, dtype=bool) | (rng.random((K, K)) < 0.2)
    dense = np.where(cells, rng.poisson(4, (DRAWS, K, K)), 0.0)
    dense[:, range(K), range(K)] += 20
    if weighted:
        dense *= rng.uniform(0.3, 3.0, dense.shape)
    if absent:
        dense[0, 3] = 0.0  # never true in one draw
        dense[1, :, 4] = 0.0  # never predicted
        dense[2, :5] = dense[2, 6:] = 0.0  # one true class
        dense[3] = 0.0
        dense[3, 2, 2] = 7.0  # one cell
        dense[4] = 0.0  # no row
    return dense


def occupied(dense):
    true, predicted = np.nonzero(dense.any(0))
    return OccupiedCells(np.ascontiguousarray(dense[:, true, predicted].T), true, predicted, K)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("absent", [False, True])
def test_every_metric_of_occupied_cells_is_that_of_the_whole_matrix(weighted, absent):
    dense = stack(weighted, absent)
    labels = tuple(range(K))
    weights = {"weights": "linear"}
    skewed = {"weights": np.triu(np.ones((K, K)), 1) + 2 * np.tril(np.ones((K, K)), -1)}
    statistics = [Statistic.of(get("cohen_kappa"), labels, **p) for p in (weights, skewed)]
    for m in find(needs="matrix"):
        statistics.append(Statistic.of(m, labels))
        assert statistics[-1].takes_occupied, m.name
    for m in find(needs="counts"):
        if m.classes != "two":
            averages = ("macro", "micro", "weighted", "per_class")
            statistics += [Statistic.of(m, labels, None, how) for how in averages]
    with np.errstate(all="ignore"):
        want = MatrixViews(dense, labels).values(statistics)
        found = MatrixViews(occupied(dense), labels).values(statistics)
    assert len(statistics) > 100
    for s, value, whole in zip(statistics, found, want, strict=True):
        np.testing.assert_allclose(
            value, whole, rtol=1e-9, atol=1e-12, err_msg=f"{s.metric.name} {s.average}"
        )


def test_a_class_of_nearly_all_weight_leaves_the_others_exact():
    dense = np.ones((1, K, K))
    dense[0, 0, 0] = 1e16
    counts = one_vs_rest(occupied(dense))
    assert counts.tn[0, 0] == (K - 1) ** 2


def test_full_matrices_come_back():
    dense = stack(True, True)
    np.testing.assert_array_equal(np.concatenate(list(occupied(dense).dense())), dense)
    np.testing.assert_array_equal(occupied(dense).max(-2, 0.0), dense.max(-2))


def test_one_matrix_has_the_numbers_of_a_stack_of_one():
    dense = stack(True, False)[0]
    cells, labels = OccupiedCells.of(dense), tuple(range(K))
    statistics = [Statistic.of(m, labels) for m in find(needs="matrix")]
    statistics += [Statistic.of(get("f1"), labels, None, how) for how in ("macro", "micro")]
    found = MatrixViews(cells, labels).values(statistics)
    for s, value, whole in zip(
        statistics, found, MatrixViews(dense, labels).values(statistics), strict=True
    ):
        np.testing.assert_allclose(value, whole, rtol=1e-9, atol=1e-12, err_msg=s.metric.name)
        assert value.shape == whole.shape


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["bootstrap", "bayesian"])
def test_cells_are_drawn_as_the_whole_matrix_is(stratified, weighted, kind):
    dense = stack(False, False)[1]
    squares = dense * 1.3 if weighted else None
    cells = OccupiedCells.of(dense), None if squares is None else OccupiedCells.of(squares)
    sampler = Sampler(3, stratified)
    of_cells, of_whole = (
        np.concatenate([np.asarray(block) for block in sampler.occupied(*matrix, kind, 50)])
        for matrix in (cells, (dense, squares))
    )
    np.testing.assert_allclose(of_cells, of_whole, rtol=1e-12)


def test_intervals_of_occupied_cells_are_those_of_the_whole_matrix(monkeypatch):
    rng = np.random.default_rng(1)
    true = rng.integers(0, 110, 3000)
    pred = np.where(rng.random(3000) < 0.7, true, (true + rng.integers(1, 5, 3000)) % 110)
    whole = tm.evaluate(true, pred).values()["model"]
    monkeypatch.setattr("tallymark.tally.labels.MOST_DENSE", 50)
    ev = tm.evaluate(true, pred)
    assert isinstance(ev.models[0].labels.counts, OccupiedCells)
    for name, value in ev.values()["model"].items():
        expected = [whole[name].value, whole[name].low, whole[name].high]
        assert [value.value, value.low, value.high] == pytest.approx(expected, nan_ok=True), name
        assert (value.method, value.reason) == (whole[name].method, whole[name].reason)


def test_what_needs_every_cell_of_many_classes_is_refused(monkeypatch):
    monkeypatch.setattr("tallymark.tally.labels.MOST_DENSE", 5)
    ev = tm.evaluate(list(range(12)) * 4, list(range(11)) * 4 + [0, 1, 2, 3])
    why = "12 classes make 144 cells, too many for a "
    with pytest.raises(tm.InputError, match=why + "jackknife"):
        ev.value("balanced_accuracy", method="jackknife")
    with pytest.raises(tm.InputError, match=why + "posterior"):
        ev.value("balanced_accuracy", method="posterior", draws=200)
