"""The study of Liu et al. (2014) repeated, where experiments and relations are there."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

import tallymark as tm
from tallymark.reading.result_table import read_results
from test_docs import tool

pytest.importorskip("tallymark.parts.experiments")
relations = pytest.importorskip("tallymark.parts.relations.relations").relations

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_page_is_what_its_command_writes():
    printed = (ROOT / "docs" / "liu2014.md").read_text(encoding="utf-8")
    assert printed == tool("liu2014").text(), "run: make liu2014-page"


@pytest.mark.skipif(
    not (ROOT.parent / "shared" / "datasets").is_dir(), reason="the data sets are not here"
)
@pytest.mark.slow
def test_the_study_of_18_data_sets_is_set_up_as_its_page_says():
    module = tool("liu2014")
    sets = module.data_sets(ROOT.parent / "shared" / "datasets")
    assert set(sets) == set(module.TABLE3)
    assert (sets["optdigits"].rows, int(sets["optdigits"].y.sum())) == (5620, 2822)
    printed = (ROOT / "docs" / "liu2014.md").read_text(encoding="utf-8")
    results = read_results(module.TABLE)
    for name, d in sets.items():
        assert d.x.shape[1] == module.TABLE3[name][1]
        assert f"| {name} | {d.rows:,} | " in printed
        at = results.datasets.index(name)
        assert results.rows[at] == d.rows
        assert results.minority[at] == pytest.approx(d.minority, abs=1e-6)


@pytest.mark.skipif(
    not (ROOT.parent / "shared" / "golden").is_dir(), reason="the printed tables are not here"
)
def test_the_printed_tables_of_the_study_are_copied_without_a_slip():
    module = tool("liu2014")
    golden = json.loads(
        (ROOT.parent / "shared" / "golden" / "liu_tables.json").read_text(encoding="utf-8")
    )
    for name, copied in (("table4", module.table4()), ("table5", module.table5())):
        for coefficient in ("pearson", "spearman"):
            assert copied[coefficient] == golden[name][coefficient]
    for row in golden["table3_datasets"]:
        copied = module.TABLE3[row["name"].lower()]
        assert copied[:2] == (row["features_printed"], row["features_canonical"])
        assert copied[2:] == (float(row["min_pct_printed"]), float(row["max_pct_printed"]))


@pytest.mark.slow
def test_the_tables_of_the_study_hold_what_its_page_needs_and_little_else(tmp_path):
    module = tool("liu2014")
    rng = np.random.default_rng(2)
    columns = {"dataset": [], "algorithm": [], "repeat": [], "fold": [], "rows": [], "minority": []}
    columns |= {m: [] for m in module.METRICS}
    scales = 10.0 ** -np.arange(1, len(module.METRICS) + 1).clip(max=9)
    for i in range(2 * 40 * 11):
        cell, r, f = i // 440, i // 11 % 40, i % 11
        facts = ("d", f"a{cell}", r, None if f == 10 else f, 90, 1 / 3)
        values = 0.9 + rng.normal(size=len(module.METRICS)) * scales
        values[3] = 1.0
        for name, value in zip(columns, (*facts, *values), strict=True):
            columns[name].append(value)
    columns["log_loss"][:110] = [None] * 110
    made = tmp_path / "data" / "table.csv.xz", tmp_path / "folds.csv.xz"
    module.keep(columns, *made)
    first = [path.read_bytes() for path in made]
    module.keep(columns, *made)
    assert first == [path.read_bytes() for path in made]
    whole, kept, single = (read_results(t) for t in (columns, *made))
    for unit in ("repeat", "pooled"):
        exact, compact = relations(whole, unit), relations(kept, unit)
        assert exact.results == compact.results
        np.testing.assert_array_equal(exact._cell_constant, compact._cell_constant)
        for name in ("_cell_pearson", "_cell_spearman"):
            np.testing.assert_allclose(getattr(exact, name), getattr(compact, name), atol=0.02)
    assert single.metrics == module.OF_FOLDS
    assert len(single) == 2 * module.FOLD_REPEATS * 10
    exact = relations(
        {k: v[: module.FOLD_REPEATS * 11] for k, v in columns.items()},
        "fold",
        metrics=module.OF_FOLDS,
    )
    compact = relations(single, "fold").only(algorithms=["a0"])
    np.testing.assert_allclose(exact.spearman, compact.spearman, atol=0.01)


@pytest.mark.slow
def test_no_single_metric_stands_for_all_and_means_of_metrics_come_nearer():
    rows = tm.study(tool("liu2014").TABLE).representatives()
    found = {row["name"]: row for row in rows if row["smallest"] is not None}
    single = max(row["smallest"] for row in found.values() if not row["components"])
    best = max(row["smallest"] for row in found.values())
    assert single < 0.55 < 0.65 < best < 0.8  # 0.8: the least similar metrics of one group
    assert found["SAR"]["components"] == ["accuracy", "roc_auc", "root_mean_squared_error"]
    assert single < found["SAR"]["smallest"]


@pytest.mark.slow
def test_the_tables_of_the_study_are_small():
    module = tool("liu2014")
    assert sum(path.stat().st_size for path in module.TABLE.parent.iterdir()) <= 1_000_000
    results, single = read_results(module.TABLE), read_results(module.FOLDS)
    assert results.metrics == module.METRICS
    assert len(results.datasets) == 18
    assert len(results.algorithms) == 8
    assert set(results.fold.tolist()) == {0, -1}  # the mean over folds, and pooled
    for i, rows in enumerate(results.rows):
        repeats = module.LARGE_REPEATS if rows >= 3000 else 100
        assert set(results.repeat[results.dataset == i].tolist()) == set(range(repeats))
        first = range(min(repeats, module.FOLD_REPEATS))
        assert set(single.repeat[single.dataset == i].tolist()) == set(first)
    assert set(single.fold.tolist()) == set(range(module.FOLDS_EACH))


def test_rounding_the_results_of_the_study_keeps_ranks():
    module = tool("liu2014")
    rng = np.random.default_rng(0)
    x = 0.9 + rng.normal(size=(200, 9)) * np.array([1e-1, 1e-2, 1e-3, 1e-4] * 2 + [1e-2])
    x[:, 2] = np.round(x[:, 2], 3)  # with ties
    kept = np.array([[float(v) for v in row] for row in module.rounded(x)])
    moved = np.abs(rankdata(kept, axis=0) - rankdata(x, axis=0)).max(0)
    assert moved[: len(module.FIRST)].max() == 0
    assert moved.max() <= 0.01 * len(x)
