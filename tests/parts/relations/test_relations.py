"""Metrics that move together: against rows drawn anew one by one."""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import norm, pearsonr, rankdata, spearmanr, t
from sklearn.metrics import silhouette_score

from tallymark.errors import InputError
from tallymark.infer.sampler import Sampler
from tallymark.metric.correlation import TIES, midranks
from tallymark.parts.relations.clustering import cluster, of_pairs
from tallymark.parts.relations.relations import relations
from tallymark.parts.relations.representatives import COMPOSITES, components_of, representatives
from tallymark.parts.relations.study import LIU, table5
from tallymark.reading.result_table import read_results

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
    np.testing.assert_array_equal(r.to_dict()["averaged"], counts)
    np.testing.assert_array_equal(r._constant_cells, constant)
    assert constant.any() == (case == "constant")


@pytest.mark.parametrize("case", ["plain", "constant"])
def test_constant_metrics_are_skipped_or_taken_for_one(case):
    frame = table(seed=4)
    if case == "constant":
        frame.loc[frame.dataset == "d1", "accuracy"] = 0.9
    skipped, ones = (relations(frame, constant=c) for c in ("skip", "one"))
    count = skipped._constant_cells[0, 1]
    assert count == ones._constant_cells[0, 1] == (2 if case == "constant" else 0)
    assert skipped.to_dict()["averaged"][0][1] == 6 - count
    assert ones.to_dict()["averaged"][0][1] == 6
    expected = ((6 - count) * skipped.pearson[0, 1] + count) / 6
    assert ones.pearson[0, 1] == pytest.approx(expected)
    assert "skipped" in skipped.definition
    assert "counted as correlation 1, as in Weka" in ones.definition
    assert np.isnan(skipped._cell_pearson[skipped._cell_constant]).all()


def test_a_metric_that_is_constant_everywhere_has_no_correlation():
    frame = table().assign(f1=0.5)
    r = relations(frame)
    assert np.isnan(r.pearson[1]).all()
    assert sum(r.to_dict()["averaged"][1]) == 0
    assert (r._constant_cells[1] == 6).all()
    assert r._clustering.left_out == ("f1",)
    assert "f1" not in {m for g in r.groups for m in g}


def test_by_hand():
    """Accuracy rises as the error falls but once; two repeats share a rank."""
    t = {"dataset": ["a"] * 8, "algorithm": ["x"] * 8, "repeat": [0, 0, 1, 1, 2, 2, 3, 3],
         "fold": [0, 1] * 4, "accuracy": [0.5, 0.7, 0.6, 0.6, 0.8, 0.8, 0.9, 0.9],
         "mae": [0.4, 0.4, 0.3, 0.3, 0.1, 0.3, 0.1, 0.1]}  # fmt: skip
    r = relations(t)
    # means: accuracy .6 .6 .8 .9, error .4 .3 .2 .1; ranks 1.5 1.5 3 4 and 4 3 2 1
    assert r.spearman[0, 1] == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    assert r.pearson[0, 1] == pytest.approx(0.055 / math.sqrt(0.0675 * 0.05))
    assert r.to_dict()["sign_turned"] == ["mae"]
    assert r.datasets == ("a",)
    rho = r.spearman[0, 1]
    half = 1.959963984540054 * math.sqrt(1 + rho**2 / 2)
    bounds = np.tanh([np.arctanh(rho) - half, np.arctanh(rho) + half])
    assert (r.spearman_low[0, 1], r.spearman_high[0, 1]) == pytest.approx(tuple(bounds))
    assert "it does not extend to other data sets" in r.interval
    fold = relations(t, "fold")
    assert math.isnan(fold.pearson_low[0, 1])
    assert fold.interval == "no interval: it needs two data sets or more"


def test_the_sign_of_a_loss_is_turned_and_that_is_one_minus_it():
    frame = table(seed=5)
    other = frame.assign(**{"1-mae": 1 - frame.mae}).drop(columns="mae")
    turned, given_so = relations(frame), relations(other)
    assert turned.to_dict()["sign_turned"] == ["mae"]
    assert given_so.to_dict()["sign_turned"] == []
    np.testing.assert_allclose(turned.pearson, given_so.pearson)
    np.testing.assert_allclose(turned.spearman, given_so.spearman)
    assert "the sign of mae is reversed, as lower is better" in turned.definition


@pytest.mark.parametrize("unit", ["repeat", "pooled", "fold"])
def test_the_order_of_rows_and_of_columns_says_nothing(unit):
    frame = table(seed=6)
    mixed = frame.sample(frac=1, random_state=0)[list(frame.columns[::-1])]
    a, b = relations(frame, unit), relations(mixed, unit)
    back = [b.metrics.index(m) for m in a.metrics]
    np.testing.assert_allclose(a.pearson, b.pearson[np.ix_(back, back)], atol=1e-12)
    np.testing.assert_array_equal(a.spearman, b.spearman[np.ix_(back, back)])
    assert a.cells == b.cells


def test_means_that_are_equal_but_for_the_order_of_summing_are_tied():
    folds = [0.1, 0.7, 0.2, 0.9, 0.3]
    rng = np.random.default_rng(0)
    orders = [rng.permutation(folds) for _ in range(40)]
    means = {np.mean(o) for o in orders}
    assert len(means) > 1  # the trap that is there
    t = {"dataset": ["a"] * 200, "algorithm": ["x"] * 200, "repeat": np.repeat(range(40), 5),
         "fold": list(range(5)) * 40, "accuracy": np.concatenate(orders),
         "roc_auc": rng.random(200)}  # fmt: skip
    r = relations(t)
    assert r._constant_cells[0, 1] == 1
    assert math.isnan(r.spearman[0, 1])


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=30), st.floats(1e-200, 1e200))
def test_midranks_are_those_of_scipy(values, scale):
    x = np.array(values, dtype=float) * scale
    np.testing.assert_array_equal(midranks(x[None, None])[0, 0] + 1, rankdata(x))
    nudged = x * (1 + TIES / 100 * np.arange(len(x)) / len(x))
    np.testing.assert_array_equal(midranks(nudged[None, None])[0, 0] + 1, rankdata(x))


@given(st.integers(0, 10**6))
def test_laws_of_a_matrix_of_correlations(seed):
    frame = table(seed, datasets=2, algorithms=2, repeats=4, folds=3)
    r = relations(frame, "fold")
    for found in (r.pearson, r.spearman):
        np.testing.assert_allclose(found, found.T)
        np.testing.assert_array_equal(np.diag(found), 1)
        assert (np.abs(found) <= 1).all()
    assert (r.pearson_low <= r.pearson).all()
    assert (r.pearson <= r.pearson_high).all()
    moved = frame.assign(accuracy=3 * frame.accuracy - 7, f1=np.exp(frame.f1))
    other = relations(moved, "fold")
    np.testing.assert_allclose(other.pearson[0, 2:], r.pearson[0, 2:], atol=1e-9)
    np.testing.assert_allclose(other.spearman, r.spearman, atol=1e-9)


def test_extreme_numbers_neither_overflow_nor_vanish():
    frame = table(seed=7)
    other = frame.assign(f1=frame.f1 * 1e300, roc_auc=frame.roc_auc * 1e-300)
    np.testing.assert_allclose(relations(other).pearson, relations(frame).pearson)


def test_intervals_over_equally_many_cells_are_students_of_the_means_of_data_sets():
    r = relations(table(seed=9, datasets=6), level=0.9)
    means = r._cell_spearman[:, 0, 1].reshape(6, 2).mean(1)
    low, high = t.interval(0.9, 5, means.mean(), means.std(ddof=1) / math.sqrt(6))
    assert (r.spearman_low[0, 1], r.spearman_high[0, 1]) == pytest.approx((low, min(high, 1)))
    assert "90 % t interval with 5 degrees of freedom" in r.interval


def test_intervals_cover():
    """Of 19 in 20 studies the interval holds the mean over all data sets there could be."""
    rng = np.random.default_rng(10)
    studies, sets, algorithms = 400, 8, 4
    truth = 0.4
    # Each data set has a correlation of its own, which its algorithms share.
    own = truth + 0.2 * rng.uniform(-1, 1, (studies, sets, 1))
    cells = own + 0.1 * rng.normal(size=(studies, sets, algorithms))
    from tallymark.parts.relations.relations import cluster_mean

    owner = np.repeat(np.eye(sets), algorithms, axis=1)
    # studies as pairs of metrics: one more axis, so that all are done at once
    stacked = cells.reshape(studies, -1).T[:, None, :].repeat(2, 1)[:, :1, :]
    held = 0
    for s in range(studies):
        one = np.full((sets * algorithms, 2, 2), np.nan)
        one[:, 0, 1] = one[:, 1, 0] = stacked[:, 0, s]
        _, low, high, _ = cluster_mean(one, owner, 0.95)
        held += low[0, 1] <= truth <= high[0, 1]
    assert 0.92 <= held / studies <= 0.98


def test_one_algorithm_on_one_data_set_has_the_interval_of_scipy():
    frame = table(seed=20, datasets=1, algorithms=1, repeats=30)
    r = relations(frame)
    cell = units_of(frame, "repeat")
    theirs = pearsonr(cell.accuracy, cell.f1).confidence_interval(0.95)
    assert (r.pearson_low[0, 1], r.pearson_high[0, 1]) == pytest.approx(tuple(theirs))
    three = relations(frame[frame["repeat"] < 3])
    assert math.isnan(three.pearson_low[0, 1])


def test_over_the_algorithms_of_a_data_set():
    frame = table(seed=21, algorithms=6)
    r = relations(frame, "algorithm")
    folds = frame[frame.fold.notna()]
    for d in range(3):
        means = folds[folds.dataset == f"d{d}"].groupby("algorithm")[list(METRICS)].mean()
        assert r._cell_pearson[d, 0, 2] == pytest.approx(pearsonr(means.accuracy, means.roc_auc)[0])
        assert r._cell_spearman[d, 1, 2] == pytest.approx(spearmanr(means.f1, means.roc_auc)[0])
    assert r.cells == tuple((f"d{d}", "all algorithms") for d in range(3))
    assert r.results == (6, 6, 6)
    assert "correlated over the algorithms of each data set" in r.definition
    with pytest.raises(InputError, match="every data set has fewer than 3 algorithms; comparing"):
        relations(table(), "algorithm")


@pytest.mark.slow
def test_stability_is_the_share_of_redrawn_data_sets_with_the_same_groups():
    frame = table(seed=22, datasets=5).rename(columns={"mae": "kappa"})
    r = relations(frame)
    draws = 40
    rng = Sampler(3).generator("data sets")
    weights = rng.multinomial(5, np.full(5, 0.2), size=draws)
    same = 0
    for w in weights:
        parts = [
            frame[frame.dataset == f"d{d}"].assign(dataset=f"d{d} again {i}")
            for d in range(5)
            for i in range(w[d])
        ]
        same += relations(pd.concat(parts)).groups == r.groups
    assert 0 < same < draws
    assert r.stability(draws, seed=3) == same / draws
    assert math.isnan(r.only(datasets=["d0"]).stability())
    assert math.isnan(relations(frame.assign(f1=0.5)).stability())


def test_some_data_sets_or_algorithms():
    frame = table(seed=11)
    r = relations(frame)
    part = r.only(datasets=["d0", "d2"], algorithms=["a1"])
    alone = relations(frame[frame.dataset.isin(["d0", "d2"]) & (frame.algorithm == "a1")])
    np.testing.assert_allclose(part.pearson, alone.pearson)
    np.testing.assert_allclose(part.spearman_low, alone.spearman_low)
    assert part.to_dict()["averaged"] == alone.to_dict()["averaged"]
    assert part.cells == alone.cells == (("d0", "a1"), ("d2", "a1"))


def test_what_is_left_out_is_counted():
    frame = table(seed=12)
    short = frame[~((frame.dataset == "d0") & (frame["repeat"] == 1) & (frame.fold == 2))]
    short = short[~((short.dataset == "d1") & (short.algorithm == "a0") & (short["repeat"] > 1))]
    short.loc[short.index[:2], "f1"] = np.nan
    r = relations(short)
    assert r._incomplete == 2
    assert r._too_few == 1
    assert r._undefined == 2
    assert ("d1", "a0") not in r.cells


def test_distance_from_another_table():
    r = relations(table(seed=13))
    shifted = r.pearson + 0.25
    names = ["ACC", "FSC", "AUC", "1-MAE"]
    assert r.distance({"metrics": names, "pearson": shifted}) == pytest.approx(0.25)
    both = {"metrics": names, "pearson": shifted, "spearman": r.spearman}
    assert r.distance(both) == pytest.approx(0.125)
    mixed = [2, 0]
    some = {"metrics": ["AUC", "ACC"], "spearman": r.spearman[np.ix_(mixed, mixed)]}
    assert r.distance(some) == pytest.approx(0)


def test_plain_data():
    frame = table(seed=14)
    frame.loc[frame.dataset == "d1", "f1"] = 0.25
    r = relations(frame)
    told = json.loads(json.dumps(r.to_dict(), allow_nan=False))
    assert told["metrics"] == list(METRICS)
    assert told["sign_turned"] == ["mae"]
    np.testing.assert_allclose(told["pearson"], r.pearson)
    assert told["cells"][2]["pearson"][0][1] is None
    assert told["constant_cells"] == r._constant_cells.tolist()
    assert told["clustering"]["groups"] == [list(g) for g in r.groups]
    assert {p["a"] for p in r.pairs()} == set(METRICS[:3])
    assert all(p["averaged"] + p["constant"] == 6 for p in r.pairs())
    assert "metrics accuracy, f1, roc_auc, mae" in repr(r)


# -- tables ------------------------------------------------------------------------------------


def long_form(frame):
    keys = [c for c in frame.columns if c not in METRICS]
    return frame.melt(id_vars=keys, var_name="metric", value_name="value")


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars", "columns", "upper"])
@pytest.mark.parametrize("form", ["wide", "long"])
def test_every_kind_of_table_says_the_same(kind, form, tmp_path):
    frame = table(seed=15)
    frame.loc[frame.index % 9 == 1, "f1"] = np.nan
    given_so = frame if form == "wide" else long_form(frame)
    if kind == "csv":
        source = tmp_path / "results.csv"
        given_so.to_csv(source, index=False)
    elif kind == "parquet":
        source = tmp_path / "results.parquet"
        given_so.to_parquet(source)
    elif kind == "polars":
        source = pl.from_pandas(given_so)
    elif kind == "columns":
        source = {c: given_so[c].tolist() for c in given_so}
    elif kind == "upper":
        source = given_so.rename(columns={"dataset": "Dataset", "fold": "Fold", "metric": "Metric"})
    else:
        source = given_so
    read, plain = read_results(source), read_results(frame)
    assert sorted(read.metrics) == sorted(plain.metrics)
    back = [read.metrics.index(m) for m in plain.metrics]
    np.testing.assert_array_equal(read.values[:, back], plain.values)
    for name in ("datasets", "algorithms"):
        assert getattr(read, name) == getattr(plain, name)
    for name in ("dataset", "algorithm", "repeat", "fold", "rows", "minority"):
        np.testing.assert_array_equal(getattr(read, name), getattr(plain, name))


def test_metrics_can_be_chosen():
    frame = table(seed=16)
    for source in (frame, long_form(frame), read_results(frame)):
        r = relations(source, metrics=["mean absolute error", "accuracy"])
        assert r.metrics == ("mae", "accuracy")
        full = relations(frame)
        assert r.pearson[0, 1] == pytest.approx(full.pearson[0, 3])


def test_names_that_differ_in_case_only_are_two_metrics():
    frame = table(seed=17)
    both = frame.assign(F1=1 - frame.f1)
    for columns in (list(both.columns), list(both.columns[::-1])):
        r = relations(both[columns])
        i, j = r.metrics.index("f1"), r.metrics.index("F1")
        assert r.pearson[i, j] == pytest.approx(-1)
        k = r.metrics.index("accuracy")
        assert r.pearson[i, k] == pytest.approx(relations(frame).pearson[0, 1])


def test_names_may_be_numbers_and_facts_may_be_unknown():
    frame = table().drop(columns=["rows", "minority"]).assign(dataset=7, seconds=0.5)
    frame = frame.drop_duplicates(["algorithm", "repeat", "fold"])
    read = read_results(frame)
    assert read.datasets == ("7",)
    assert "seconds" not in read.metrics
    assert np.isnan(read.rows).all()


@pytest.mark.parametrize(("change", "said"), [
    (lambda f: f.drop(columns="dataset"), "the data frame has no column 'dataset'; a table of results has the columns dataset, algorithm, repeat and fold, then one per metric"),
    (lambda f: f.drop(columns="repeat"), "the data frame has no column 'repeat'; a table of results has the columns dataset, algorithm, repeat and fold, then one per metric"),
    (lambda f: f.drop(columns=list(METRICS)), "the data frame has no column of a metric; give one column per metric, or the columns metric and value"),
    (lambda f: f.drop(columns=list(METRICS[1:])), "the data frame has only the metric 'accuracy'; relations need two or more, each in a column of its own"),
    (lambda f: f.assign(f1=["x"] * len(f)), "f1 holds 'x' at row 1, which is not a number; give numbers"),
    (lambda f: f.assign(f1=np.inf), "f1 is inf at row 1; give finite numbers or leave those rows out"),
    (lambda f: f.assign(algorithm=[None, *f.algorithm[1:]]), "algorithm is missing in row 1 of the data frame; fill it in"),
    (lambda f: f.assign(repeat=f["repeat"] + 0.5), "repeat is 0.5 in row 1; give whole numbers from 0"),
    (lambda f: f.assign(repeat=np.nan), "repeat is missing in row 1; give whole numbers from 0"),
    (lambda f: f.assign(fold=-1.0), "fold is -1 in row 1; give whole numbers from 0"),
    (lambda f: pd.concat([f, f[7:8]]), "the result of 'a0' on 'd0', repeat 1, fold 2, occurs twice (again in row 151); keep one"),
    (lambda f: pd.concat([f, f[4:5]]), "the result of 'a0' on 'd0', repeat 0, pooled, occurs twice (again in row 151); keep one"),
    (lambda f: long_form(pd.concat([f, f[:1]])), "the result of 'a0' on 'd0', repeat 0, fold 0, occurs twice (again in row 151); keep one"),
    (lambda f: f.assign(rows=range(len(f))), "rows of the data set 'd0' is 0 in one row and 49 in another; it is a property of the data set, so give one value"),
    (lambda f: f.assign(minority=0.7), "minority of the data set 'd0' is 0.7; give the share of the smaller class, from 0 to 0.5"),
    (lambda f: f[:0], "the data frame has no rows; give at least three results"),
    (lambda f: 3, "int is not a table of results; give the path of a file, a data frame, or a dictionary of columns"),
    (lambda f: f[f["repeat"] < 2], "every algorithm has fewer than 3 results on every data set (one result per cross-validation repeat, the mean over its folds); a correlation needs 3 or more: repeat more often, or use the unit 'fold'"),
    (lambda f: f[f.fold.isna()], "the data frame has no folds, which the unit 'repeat' needs; use 'pooled', or add them"),
])  # fmt: skip
def test_what_is_wrong_with_a_table_is_said(change, said):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pandas, of the empty ones
        source = change(table())
    with pytest.raises(InputError) as refused:
        relations(source)
    assert str(refused.value) == said


@pytest.mark.parametrize(("options", "said"), [
    ({"unit": "folds"}, "there is no unit of analysis 'folds'; did you mean 'fold'?"),
    ({"constant": "two"}, "constant is 'two'; there are 'skip', 'one'"),
    ({"level": 1.0}, "level is 1.0; give a number between 0 and 1, such as 0.95"),
    ({"cut": 2}, "cut is 2; give a correlation from -1 to below 1, such as 0.77"),
    ({"metrics": ["accurracy"]}, "the data frame has no metric 'accurracy'; did you mean 'accuracy'?"),
])  # fmt: skip
def test_options_that_do_not_exist_are_said(options, said):
    with pytest.raises(InputError) as refused:
        relations(table(), **options)
    assert str(refused.value) == said


def test_other_refusals():
    frame = table()
    with pytest.raises(
        InputError,
        match=r"the data frame has no pooled results \(rows without a fold\), which the unit 'pooled' needs; use 'repeat' or 'fold', or add them",
    ):
        relations(frame[frame.fold.notna()], "pooled")
    with pytest.raises(InputError, match="the data frame has no metric 'brier'; "):
        relations(long_form(frame), metrics=["brier", "mae"])
    r = relations(frame)
    with pytest.raises(InputError, match="there is no data set 'd9'; there are 'd0', 'd1', 'd2'"):
        r.only(datasets=["d9"])
    with pytest.raises(InputError, match="there is no algorithm 'zz'; there are 'a0', 'a1'"):
        r.only(algorithms=["zz"])
    with pytest.raises(InputError, match="there are no results of these data sets and algorithms"):
        r.only(datasets=[])
    with pytest.raises(InputError, match="the reference shares fewer than two metrics"):
        r.distance({"metrics": ["accuracy", "x"], "pearson": np.eye(2)})
    with pytest.raises(InputError, match="has neither pearson nor spearman"):
        r.distance({"metrics": list(METRICS)})
    with pytest.raises(
        InputError, match=r"pearson of the reference has shape \(2, 2\); 4 metrics make \(4, 4\)"
    ):
        r.distance({"metrics": list(METRICS), "pearson": np.eye(2)})
    ragged = {"dataset": ["a"], "algorithm": ["x", "y"], "repeat": [1], "accuracy": [1], "f1": [1]}
    with pytest.raises(InputError, match="the lengths differ: dataset has 1, algorithm has 2"):
        relations(ragged)


def test_missing_rows_of_a_file_are_named(tmp_path):
    file = tmp_path / "r.csv"
    file.write_text(
        "dataset,algorithm,repeat,fold,accuracy,auc\na,x,0,0,0.5,oops\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match="auc holds 'oops' at row 1, which is not a number"):
        relations(file)


GOLDEN = Path(__file__).parents[3] / ".." / "shared" / "golden" / "liu_tables.json"

golden = pytest.mark.skipif(not GOLDEN.exists(), reason="the tables of the paper are not here")


def clustered(matrix, names="abcdefgh", **options):
    matrix = np.asarray(matrix, dtype=float)
    return cluster(list(names[: len(matrix)]), matrix, matrix, **options)


BLOCKS = [
    [1.0, 0.9, 0.2, 0.1],
    [0.9, 1.0, 0.3, 0.0],
    [0.2, 0.3, 1.0, 0.7],
    [0.1, 0.0, 0.7, 1.0],
]


def test_clustering_by_hand():
    found = clustered(BLOCKS)
    assert found.groups == (("a", "b"), ("c", "d"))
    heights = [m.height for m in found.merges]
    # the last: 1 less the mean of .2 .1 .3 .0
    assert heights == pytest.approx([0.1, 0.3, 0.85])
    assert (found.merges[0].left, found.merges[0].right) == (("a",), ("b",))
    assert set(found.order) == set("abcd")
    inside, across = found.inside["pearson"], found.across["spearman"]
    assert (inside.pairs, inside.mean, inside.low, inside.high) == (2, pytest.approx(0.8), 0.7, 0.9)
    assert (across.pairs, across.mean, across.low, across.high) == (4, pytest.approx(0.15), 0, 0.3)
    matrix = np.array(BLOCKS)
    assert of_pairs("abcd", found.groups, matrix, True) == [0.9, 0.7]
    assert of_pairs("abcd", found.groups, matrix, False) == [0.2, 0.1, 0.3, 0.0]
    matrix[0, 2] = math.nan
    assert of_pairs("abcd", [["a", "b"], ["c"]], matrix, False) == [0.3]


def test_a_strong_negative_correlation_is_no_likeness():
    found = clustered([[1, -0.99, 0.5], [-0.99, 1, -0.5], [0.5, -0.5, 1]])
    assert found.groups == (("a", "c"), ("b",))


def test_a_cut_that_is_given():
    assert clustered(BLOCKS, cut=0.8).groups == (("a", "b"), ("c",), ("d",))
    assert clustered(BLOCKS, cut=0.1).groups == (("a", "b", "c", "d"),)
    assert clustered(BLOCKS, cut=0.95).groups == (("a",), ("b",), ("c",), ("d",))
    assert clustered(BLOCKS, cut=0.8).rule == "joined where the mean correlation is 0.8 or higher"
    whole = clustered(BLOCKS, cut=0.1)
    assert whole.across["pearson"].pairs == 0
    assert math.isnan(whole.across["pearson"].mean)
    assert whole.to_dict()["across"]["pearson"]["mean"] is None


def test_the_number_of_groups_is_the_one_of_the_largest_silhouette():
    rng = np.random.default_rng(0)
    for _ in range(20):
        points = rng.normal(size=(7, 2)) + 4 * rng.integers(0, 2, (7, 1))
        distance = np.linalg.norm(points[:, None] - points, axis=-1)
        distance /= distance.max()
        found = clustered(1 - distance)
        tree = linkage(squareform(distance), "average")
        for k in range(2, 7):
            labels = fcluster(tree, k, "maxclust")
            theirs = silhouette_score(distance, labels, metric="precomputed")
            assert found.silhouettes[k] == pytest.approx(theirs)
        best = max(found.silhouettes.values())
        assert found.silhouettes[len(found.groups)] == best
        assert sorted(found.silhouettes) == [2, 3, 4, 5, 6]


def test_what_cannot_be_grouped():
    two = clustered([[1, 0.9], [0.9, 1]])
    assert two.groups == (("a",), ("b",))
    assert two.rule == "two metrics are not grouped; give a cut to group them"
    assert clustered([[1, 0.9], [0.9, 1]], cut=0.5).groups == (("a", "b"),)
    nan = np.nan
    none = clustered([[1, nan], [nan, 1]])
    assert none.groups == ()
    some = clustered(
        [[1, 0.9, nan, 0.1], [0.9, 1, nan, 0.2], [nan, nan, 1, nan], [0.1, 0.2, nan, 1]]
    )
    assert some.left_out == ("c",)
    assert some.groups == (("a", "b"), ("d",))
    json.dumps(some.to_dict(), allow_nan=False)


@golden
def test_the_printed_table_is_copied_well():
    printed = json.loads(GOLDEN.read_text(encoding="utf-8"))["table5"]
    assert table5()["pearson"] == printed["pearson"]
    assert table5()["spearman"] == printed["spearman"]


def test_the_paper_finds_three_groups():
    t = table5()
    found = cluster(LIU, np.array(t["pearson"]), np.array(t["spearman"]))
    assert found.groups == (
        ("accuracy", "kappa", "f1"), ("mae", "rmse"), ("roc_auc", "average_precision"),
    )  # fmt: skip
    assert (found.inside["pearson"].low, found.inside["spearman"].low) == (0.79, 0.77)
    assert (found.across["pearson"].high, found.across["spearman"].high) == (0.67, 0.63)
    assert cluster(LIU, *(np.array(t[c]) for c in ("pearson", "spearman")),
                   cut=0.7).groups == found.groups  # fmt: skip


@golden
def test_the_papers_one_example_has_the_same_groups():
    t = json.loads(GOLDEN.read_text(encoding="utf-8"))["table4"]
    found = cluster(LIU, np.array(t["pearson"]), np.array(t["spearman"]))
    assert [len(g) for g in found.groups] == [3, 2, 2]


# -- one number for all metrics ----------------------------------------------------------------

PARTS = {"accuracy + AUC": ("accuracy", "roc_auc"), "three": ("accuracy", "mae", "roc_auc")}


def slow_rhos(frame, names, against, constant):
    """Return {(candidate, metric): [rho of each algorithm, by data set]} with SciPy."""
    rhos = {}
    for (d, _), part in frame.groupby(["dataset", "algorithm"]):
        good = part[list(METRICS)].assign(mae=1 - part["mae"])
        for name, parts in PARTS.items():
            good[name] = good[list(parts)].mean(axis=1)
        for c in names:
            for m in against:
                steady = good[c].nunique() == 1 or good[m].nunique() == 1
                rho = 1.0 if steady else spearmanr(good[c].round(9), good[m].round(9)).statistic
                if not steady or constant == "one":
                    rhos.setdefault((c, m), {}).setdefault(d, []).append(rho)
    return rhos


@pytest.mark.parametrize("unit", ["repeat", "pooled", "fold"])
@pytest.mark.parametrize("constant", ["skip", "one"])
def test_representatives_are_the_slow_ones(unit, constant):
    frame = table(seed=3, datasets=4, repeats=6)
    frame.loc[(frame.dataset == "d2") & (frame.algorithm == "a1"), "f1"] = 0.5
    names, against = (*METRICS, *PARTS), ("f1", "roc_auc", "mae")
    rows = representatives(read_results(frame), unit, against, PARTS, constant=constant)
    assert sorted(row["name"] for row in rows) == sorted(names)
    smallest = [row["smallest"] for row in rows]
    assert smallest == sorted(smallest, reverse=True)
    rhos = slow_rhos(units_of(frame, unit), names, against, constant)
    for row in rows:
        c, parts = row["name"], PARTS.get(row["name"], ())
        assert row["components"] == list(parts)
        means = {m: np.mean(np.concatenate([*rhos[c, m].values()])) for m in against if m != c}
        assert row["smallest"] == pytest.approx(min(means.values()), abs=1e-9)
        assert means[row["smallest_with"]] == pytest.approx(row["smallest"], abs=1e-9)
        others = [v for m, v in means.items() if m not in parts]
        assert row["mean"] == pytest.approx(np.mean(others), abs=1e-9)


def test_the_interval_of_a_smallest_correlation_is_the_basic_bootstrap():
    frame = table(seed=5, datasets=6, repeats=6)
    against, sets = METRICS, [f"d{i}" for i in range(6)]
    rows = representatives(read_results(frame), "repeat", against, {}, draws=300, seed=4, level=0.9)
    rhos = slow_rhos(units_of(frame, "repeat"), METRICS, against, "skip")
    weights = Sampler(4).generator("data sets").multinomial(6, np.full(6, 1 / 6), size=300)
    z = t.ppf(0.95, 5) * math.sqrt(6 / 5)
    tail = norm.cdf(-z)
    for row in rows:
        drawn = {"smallest": [], "mean": []}
        for w in weights:
            means = []
            for m in against:
                if m != row["name"]:
                    values = [(rho, n) for d, n in zip(sets, w, strict=True)
                              for rho in rhos[row["name"], m][d]]  # fmt: skip
                    means.append(sum(r * n for r, n in values) / sum(n for _, n in values))
            drawn["smallest"].append(min(means))
            drawn["mean"].append(np.mean(means))
        for name, values in drawn.items():
            low, high = np.sort(values)[[math.floor(tail * 300), math.ceil((1 - tail) * 300) - 1]]
            bounds = np.clip([2 * row[name] - high, 2 * row[name] - low], -1, 1)
            np.testing.assert_allclose([row[f"{name}_low"], row[f"{name}_high"]], bounds, atol=1e-9)


@pytest.mark.slow
def test_the_interval_holds_the_smallest_correlation_as_often_as_it_says():
    """Of metrics with equal correlations the smallest mean is too small; intervals allow for it."""
    rng = np.random.default_rng(6)
    held, runs, sets = 0, 120, 18
    for run in range(runs):
        first = rng.normal(size=(sets, 40, 1))
        shared = rng.normal(size=(sets, 1, 4)) * 0.4 + 1
        x = first * shared + rng.normal(size=(sets, 40, 4))
        x[..., 0] = first[..., 0]
        frame = pd.DataFrame(x.reshape(-1, 4), columns=["q", "x", "y", "z"])
        frame.insert(0, "dataset", np.repeat(np.arange(sets), 40).astype(str))
        frame = frame.assign(algorithm="a", repeat=np.tile(np.arange(40), sets))
        rows = representatives(
            read_results(frame), "pooled", ("x", "y", "z"), {}, draws=400, seed=run
        )
        row = next(r for r in rows if r["name"] == "q")
        held += row["smallest_low"] <= TRUTH <= row["smallest_high"]
    assert 0.88 <= held / runs <= 0.99


TRUTH = 0.6359
"""The mean rank correlation of q and x in the test above, over 400,000 data sets."""


def test_no_interval_over_one_data_set_and_no_number_without_a_correlation():
    one = representatives(read_results(table(datasets=1)), "repeat", METRICS, PARTS)
    assert all(math.isnan(row["smallest_low"]) and math.isnan(row["mean_high"]) for row in one)
    assert not any(math.isnan(row["smallest"]) for row in one)
    steady = read_results(table().assign(f1=0.5))
    rows = representatives(steady, "repeat", METRICS, PARTS)
    assert all(math.isnan(row["smallest"]) and row["smallest_with"] is None for row in rows)
    rows = representatives(steady, "repeat", ("accuracy", "roc_auc"), PARTS)
    assert rows[-1]["name"] == "f1"
    assert math.isnan(rows[-1]["smallest"])
    assert rows[0]["name"] == "accuracy + AUC"
    assert math.isnan(rows[0]["mean"])  # both are its components


def test_composites_of_which_a_metric_is_missing_are_left_out():
    seven = ("ACC", "kappa", "f1", "1-MAE", "1-RMSE", "auc", "auprc")
    assert components_of(seven, {}, "t") == {
        "accuracy + AUC": ("ACC", "auc"),
        "SAR": ("ACC", "auc", "1-RMSE"),
        "kappa + (1 - RMSE) + AUC": ("kappa", "1-RMSE", "auc"),
    }
    assert list(COMPOSITES) == list(components_of(seven, {}, "t"))
    assert components_of(("accuracy", "roc_auc", "f1"), {}, "t") == {
        "accuracy + AUC": ("accuracy", "roc_auc")
    }
    own = components_of(("accuracy", "roc_auc", "f1"), {"SAR": ["acc", "f1"]}, "t")
    assert own["SAR"] == ("accuracy", "f1")


@pytest.mark.parametrize(("composites", "said"), [
    ({"one": ["acc", "auk"]}, "t.csv has no metric 'auk'; did you mean 'auc'?"),
    ({"f1": ["acc", "auc"]}, "the composite 'f1' needs a name that no metric has; give another"),
    ({"MCC": ["acc", "auc"]}, "the composite 'MCC' needs a name that no metric has; give another"),
    ({3: ["acc", "auc"]}, "the composite 3 needs a name that no metric has; give another"),
    ({"one": "acc"}, "the composite 'one' is of acc; it is a plain mean, so give two or more metrics, "
                   "each once, such as ['accuracy', 'roc_auc']"),
    ({"one": ["acc", "accuracy", "auc"]}, "the composite 'one' is of acc, acc, auc; it is a plain mean, "
                                        "so give two or more metrics, each once, such as"),
    ({"one": []}, "the composite 'one' is of no metric; it is a plain mean, so give two or more"),
    ({"one": 3}, "the composite 'one' is 3; give a string or a list of strings"),
])  # fmt: skip
def test_composites_that_cannot_be_made(composites, said):
    with pytest.raises(InputError, match=re.escape(said)):
        components_of(("acc", "auc"), composites, "t.csv")
