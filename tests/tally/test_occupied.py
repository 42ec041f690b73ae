from __future__ import annotations

import numpy as np
import pytest

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
