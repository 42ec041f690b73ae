"""Draws laid out cell by cell, against those of whole matrices one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from tallymark.infer import resample
from tallymark.infer.cells import cell_by_cell, of_draws, percentiles, threshold_draws
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic

MATRICES = np.array(
    [[[300, 100], [150, 450]], [[40, 360], [9, 591]], [[400, 0], [260, 340]], [[0, 400], [0, 600]]],
    dtype=float,
)  # fmt: skip


@pytest.mark.parametrize("scale", [1, 100])  # counts that vary little, and much
@pytest.mark.parametrize("kind", ["rows", "weights", "classes", "weights of classes"])
def test_draws_at_thresholds_are_those_of_each_matrix(scale, kind):
    matrices = MATRICES * scale
    n, squares, rows = matrices[0].sum(), None, None
    if "weights" in kind:
        squares, n = matrices * [[2, 0.5], [1, 1.5]], 0.0
    if "classes" in kind:
        rows = np.array([250.0, 90.0]) * scale
    empty = (matrices == 0).any((-2, -1))
    found = threshold_draws(matrices, n, 4000, np.random.default_rng(0), empty, squares, rows)
    assert found.shape == (4, 4000, 2, 2)
    rng = np.random.default_rng(1)
    blocks = (
        resample.matrix_draws(matrices, n, 4000, rng, empty, squares)
        if rows is None
        else resample.stratified_matrices(matrices, rows, 4000, rng, empty)
    )
    twin = np.concatenate(list(blocks)).swapaxes(0, 1)
    of_class = matrices.sum(-1)
    np.testing.assert_allclose(found.sum((-2, -1)), np.repeat(of_class.sum(-1)[:, None], 4000, 1))
    if rows is not None:
        np.testing.assert_allclose(found.sum(-1), np.repeat(of_class[:, None], 4000, 1))
    for a, b in zip(found, twin, strict=True):
        for i, j in np.ndindex(2, 2):
            assert ks_2samp(a[:, i, j], b[:, i, j]).pvalue > 1e-4
        for name in ("f1", "matthews_corrcoef", "youden_j"):
            s = Statistic.of(get(name), (0, 1), 1)
            x, y = (s.of_matrix(v, (0, 1)) for v in (a, b))
            assert ks_2samp(x[~np.isnan(x)], y[~np.isnan(y)]).pvalue > 1e-4


@pytest.mark.parametrize("k", [2, 3, 5])
def test_metrics_of_whole_rows_are_those_of_any_counts(k):
    rng = np.random.default_rng(k)
    matrices = rng.integers(0, 4, (300, k, k)).astype(float) * (rng.random((300, 1, 1)) < 0.95)
    matrices[:100, rng.integers(k)] = 0
    labels = tuple(range(k))
    laid, seen = cell_by_cell(matrices), {}
    np.testing.assert_array_equal(laid, matrices)
    for m in METRICS.values():
        if m.family != "threshold" or (m.classes == "many" and k == 2):
            continue
        for average in ("overall", "binary", "macro"):
            if average == "overall" and m.needs == "counts":
                continue
            s = Statistic.of(m, labels, 1, average)
            expected = s.of_matrix(matrices, labels)
            alone = [s.of_matrix(v, labels) for v in matrices[80:120]]
            np.testing.assert_allclose(expected[80:120], alone, rtol=1e-12, atol=1e-15)
            for whole in (True, False):
                found = of_draws(s, laid, labels, whole, seen)
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=m.name)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("draws", [1, 20, 399, 2000])
@pytest.mark.parametrize("undefined", [0.0, 0.3, 0.7])
def test_percentiles_are_those_of_replicates(level, draws, undefined):
    rng = np.random.default_rng(draws)
    values = rng.normal(size=(3, 5, draws)).round(2)
    values[rng.random(values.shape) < undefined] = np.nan
    values[0, 0, : draws // 9] = np.inf
    expected = resample.percentile_bounds(np.moveaxis(values, -1, 0), level)
    np.testing.assert_array_equal(percentiles(values, level), expected)
