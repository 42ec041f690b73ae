import json
import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, rankdata, spearmanr, t

from tallymark.errors import InputError
from tallymark.study.correlate import TIES, midranks
from tallymark.study.relations import relations
from tallymark.study.results import read_results

METRICS = ("accuracy", "f1", "roc_auc", "mae")


def table(seed=0, datasets=3, algorithms=2, repeats=5, folds=4, pooled=True, digits=2):
    """Results that correlate, with ties, in the order in which an experiment writes them."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(datasets):
        for a in range(algorithms):
            for r in range(repeats):
                shared = rng.normal()
                for f in [*range(folds), *([None] if pooled else [])]:
                    values = 0.7 + 0.1 * shared + 0.1 * rng.normal(size=len(METRICS))
                    row = {"dataset": f"d{d}", "algorithm": f"a{a}", "repeat": r, "fold": f}
                    rows.append(row | dict(zip(METRICS, np.round(values, digits), strict=True)))
    frame = pd.DataFrame(rows)
    return frame.assign(rows=np.where(frame.dataset == "d0", 5000, 300),
                        minority=np.where(frame.dataset == "d1", 0.2, 0.45))  # fmt: skip


def units_of(frame, unit):
    if unit == "pooled":
        return frame[frame.fold.isna()]
    folds = frame[frame.fold.notna()]
    if unit == "fold":
        return folds
    return folds.groupby(["dataset", "algorithm", "repeat"], as_index=False)[list(METRICS)].mean()


def slowly(frame, unit, level=0.95):
    """Return both means, the intervals of Pearson's and the counts, cell by cell with SciPy."""
    k = len(METRICS)
    signs = np.array([1, 1, 1, -1])
    found = {"pearson": {}, "spearman": {}}
    constant = np.zeros((k, k), dtype=int)
    for (dataset, algorithm), cell in units_of(frame, unit).groupby(["dataset", "algorithm"]):
        for i in range(k):
            for j in range(k):
                x = cell[[METRICS[i]]].to_numpy()[:, 0]
                y = cell[[METRICS[j]]].to_numpy()[:, 0]
                both = ~np.isnan(x) & ~np.isnan(y)
                # Ties that summing in another order breaks are put right.
                x, y = np.round(x[both], 10) * signs[i], np.round(y[both], 10) * signs[j]
                if len(x) < 3:
                    continue
                if np.ptp(x) == 0 or np.ptp(y) == 0:
                    constant[i, j] += 1
                    continue
                for name, statistic in (("pearson", pearsonr), ("spearman", spearmanr)):
                    r = 1.0 if i == j else statistic(x, y).statistic
                    found[name].setdefault((i, j), []).append((dataset, algorithm, r))
    means = {name: np.full((k, k), np.nan) for name in found}
    low, high = np.full((k, k), np.nan), np.full((k, k), np.nan)
    counts = np.zeros((k, k), dtype=int)
    for name, pairs in found.items():
        for (i, j), told in pairs.items():
            values = [r for _, _, r in told]
            mean = sum(values) / len(values)
            means[name][i, j] = mean
            counts[i, j] = len(values)
            sets = sorted({d for d, _, _ in told})
            if name == "pearson" and len(sets) > 1:
                square = sum(sum(r - mean for d, _, r in told if d == s) ** 2 for s in sets)
                n = len(sets)
                error = math.sqrt(n / (n - 1) * square) / len(values)
                half = t.ppf((1 + level) / 2, n - 1) * error
                low[i, j], high[i, j] = max(mean - half, -1), min(mean + half, 1)
    return means, low, high, counts, constant


@pytest.mark.parametrize("unit", ["repeat", "pooled", "fold"])
@pytest.mark.parametrize("case", ["plain", "constant", "undefined", "uneven"])
def test_the_averages_are_those_of_scipy_cell_by_cell(unit, case):
    frame = table(seed=3)
    if case == "constant":
        frame.loc[(frame.dataset == "d1") & (frame.algorithm == "a0"), "f1"] = 1 / 3
    elif case == "undefined":
        frame.loc[frame.index % 7 == 2, "f1"] = np.nan
        frame.loc[frame.index % 11 == 3, ["roc_auc", "mae"]] = np.nan
    elif case == "uneven":
        frame = frame[~((frame.dataset == "d2") & (frame["repeat"] > 2))]
    r = relations(frame, unit)
    means, low, high, counts, constant = slowly(frame, unit)
    np.testing.assert_allclose(r.pearson, means["pearson"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(r.spearman, means["spearman"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(r.pearson_low, low, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(r.pearson_high, high, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(r.averaged, counts)
    np.testing.assert_array_equal(r.constant_cells, constant)
    assert constant.any() == (case == "constant")
