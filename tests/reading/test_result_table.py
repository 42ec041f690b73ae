"""Tables of results: their columns by any name, their units of analysis, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from tallymark.reading.result_table import (
    canonical,
    chosen_columns,
    metric_of,
    read_metric,
    read_results,
)

NAN = np.nan
TABLE = {
    "dataset": ["iris", "iris", "iris", "iris", "glass", "glass", "glass"],
    "algorithm": ["rf", "rf", "rf", "nb", "nb", "nb", "nb"],
    "repeat": [1, 0, 0, 0, 0, 0, 1],
    "fold": [0, 1, 0, 0, 0, 1, 0],
    "rows": [150, 150, 150, 150, 214, 214, NAN],
    "minority": [NAN, NAN, NAN, NAN, 0.25, 0.25, 0.25],
    "auc": [0.9, 0.8, 0.7, 0.6, 0.5, NAN, 0.75],
    "f1": [0.5, 0.25, 0.75, 0.125, 1.0, 0.5, 0.0],
}


def changed(**columns):
    return {k: v for k, v in (TABLE | columns).items() if v is not None}


def test_results_are_sorted_by_data_set_algorithm_repeat_and_fold():
    r = read_results(TABLE)
    assert (r.datasets, r.algorithms, r.metrics) == (("glass", "iris"), ("nb", "rf"), ("auc", "f1"))
    assert r.dataset.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert r.algorithm.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert r.repeat.tolist() == [0, 0, 1, 0, 0, 0, 1]
    assert r.fold.tolist() == [0, 1, 0, 0, 0, 1, 0]
    np.testing.assert_equal(r.values[:, 0], [0.5, NAN, 0.75, 0.6, 0.7, 0.8, 0.9])
    np.testing.assert_equal(r.values[:, 1], [1.0, 0.5, 0.0, 0.125, 0.75, 0.25, 0.5])
    np.testing.assert_equal([r.rows, r.minority], [[214, 150], [0.25, NAN]])
    assert (len(r), r.source, r.assumed) == (7, "the table", ())
    assert r.units == ("repeat", "fold")
    for form in (pd.DataFrame(TABLE), r):
        again = read_results(form)
        np.testing.assert_equal(again.values, r.values)
    long = pd.DataFrame(TABLE).melt(
        ["dataset", "algorithm", "repeat", "fold", "rows", "minority"], ["f1", "auc"], "metric"
    )
    for shuffled in (long, long.iloc[::-1].reset_index(drop=True)):
        again = read_results(shuffled.to_dict("list"))
        assert again.metrics == ("auc", "f1")
        np.testing.assert_equal(again.values, r.values)


def test_a_unit_is_a_fold_the_mean_of_a_repeat_a_pooled_result_or_an_algorithm():
    r = read_results(TABLE)
    fold = r.units_of("fold")
    np.testing.assert_equal(fold.values, r.values)
    assert fold.cell.tolist() == [0, 0, 0, 2, 3, 3, 3]
    assert (fold.undefined, fold.incomplete) == (1, 0)
    repeat = r.units_of("repeat")  # the second repeats of one fold are left out
    np.testing.assert_allclose(repeat.values, [[0.5, 0.75], [0.6, 0.125], [0.75, 0.5]])
    assert repeat.cell.tolist() == [0, 2, 3]
    assert (repeat.undefined, repeat.incomplete) == (1, 2)
    algorithm = r.units_of("algorithm")
    np.testing.assert_allclose(algorithm.values, repeat.values)
    assert algorithm.cell.tolist() == [0, 1, 1]
    pooled = read_results(changed(fold=[NAN, 1, 0, NAN, 0, 1, NAN]))
    assert pooled.units == ("repeat", "pooled", "fold")
    found = pooled.units_of("pooled")
    np.testing.assert_allclose(found.values, [[0.75, 0.0], [0.6, 0.125], [0.9, 0.5]])
    assert found.cell.tolist() == [0, 2, 3]
    only = read_results(changed(fold=[NAN] * 7, repeat=[2, 1, 0, 0, 0, 1, 2]))
    assert only.units == ("pooled",)
    assert only.units_of("algorithm").values.tolist() == [
        [pytest.approx(0.625), pytest.approx(0.5)],
        [pytest.approx(0.6), pytest.approx(0.125)],
        [pytest.approx(0.8), pytest.approx(0.5)],
    ]


def test_columns_are_found_by_other_names():
    for names in (
        {"dataset": "Data Set", "algorithm": "Classifier", "repeat": "run", "fold": "cv_fold"},
        {
            "dataset": "Key_Dataset",
            "algorithm": "Key_Scheme",
            "repeat": "Key_Run",
            "fold": "Key_Fold",
        },
        {"dataset": "data", "algorithm": "model", "repeat": "repetition", "fold": "split"},
    ):
        r = read_results({names.get(k, k): v for k, v in TABLE.items()})
        np.testing.assert_equal(r.values, read_results(TABLE).values)
        assert r.metrics == ("auc", "f1")
    named = {
        "D": TABLE["dataset"],
        "A": TABLE["algorithm"],
        "auc": TABLE["auc"],
        "K": [1, 2, 0] * 2 + [1],
    }
    roles = {"dataset": "D", "algorithm": "A", "fold": "K"}
    r = read_metric(
        named | {"K": TABLE["fold"], "R": TABLE["repeat"]}, "roc_auc", roles | {"repeat": "R"}
    )
    assert (r.metrics, r.datasets) == (("auc",), ("glass", "iris"))
    np.testing.assert_equal(r.values[:, 0], read_results(TABLE).values[:, 0])


def test_one_metric_may_lack_data_sets_and_repeats():
    r = read_metric({"classifier": ["x", "y"], "auc": [0.95, 0.9], "seconds": [1, 2]})
    assert (r.algorithms, r.datasets, r.metrics) == (("x", "y"), ("all results",), ("auc",))
    assert r.assumed == ("all results are of one data set: no column names several",)
    assert (r.repeat.tolist(), r.fold.tolist()) == ([0, 0], [-1, -1])
    seeded = {"model": list("xxyy"), "random_state": [7, 3, 7, 3], "auc": [0.9, 0.8, 0.7, 0.6]}
    r = read_metric(seeded)
    assert r.repeat.tolist() == [3, 7, 3, 7]
    assert r.values[:, 0].tolist() == [0.8, 0.9, 0.6, 0.7]
    r = read_metric(seeded | {"fold": [0, 1, 0, 1]})  # folds are enough of a key
    assert (r.repeat.tolist(), r.fold.tolist()) == ([0] * 4, [0, 1, 0, 1])
    r = read_metric({"model": ["x", "y"], "Value": [1.5, 2.5]}, "gain")
    assert (r.metrics, r.values[:, 0].tolist()) == (("gain",), [1.5, 2.5])
    assert read_metric({"model": ["x", "y"], "Value": [1.5, 2.5]}).metrics == ("Value",)
    r = read_metric({"model": ["x", "y"], "gain": [1, 2], "auc": [3, 4]}, "f1", {"value": "gain"})
    assert (r.metrics, r.values[:, 0].tolist()) == (("f1",), [1, 2])


def test_searches_are_tables_of_candidates_and_folds():
    search = {
        "params": [{"C": 1, "k": "a"}, {"C": 10, "k": "a"}],
        "split1_test_score": [0.5, 0.6], "split0_test_score": [0.7, 0.8], "mean_test_score": [0, 0],
    }  # fmt: skip
    r = read_metric(search)
    assert r.algorithms == ("C=1, k=a", "C=10, k=a")
    assert r.values[:, 0].tolist() == [0.7, 0.5, 0.8, 0.6]
    assert (r.datasets, r.metrics) == (("search",), ("score",))
    r = read_metric({"svm": search, "none": search | {"params": [{}, {"C": 2}]}})
    assert r.algorithms == ("none", "none: C=2", "svm: C=1, k=a", "svm: C=10, k=a")
    both = search | {"split0_test_f1": [0, 1], "split1_test_f1": [2, 3]}
    assert read_metric(both, "f1").values[:, 0].tolist() == [0, 2, 1, 3]


def test_metrics_go_by_any_of_their_names():
    assert canonical("1-Brier score") == "brier"
    assert canonical("1-auc") == "1-auc"  # of higher is better 1 minus it is another metric
    assert (canonical("AUPRC"), canonical("yield")) == ("average_precision", "yield")
    assert [metric_of(n)[1] for n in ("1-brier", "brier", "1-yield", "yield")] == [
        True,
        False,
        False,
        False,
    ]
    columns = ["auc", "1-brier", "gain"]
    assert chosen_columns(columns, None, "t", True) == columns
    assert chosen_columns(columns, ["gain", "roc_auc", "AUC"], "t", True) == ["gain", "auc"]
    assert chosen_columns(columns, ["brier"], "t", False) == ["1-brier"]
    assert chosen_columns(columns, "gain", "t", False) == ["gain"]


RESULTS = (
    "a table of results has the columns dataset, algorithm, repeat and fold, then one per metric"
)
NO_CLASSIFIER = (
    "the table has no column 'classifier'; a table of results has the columns dataset and "
    "classifier, optionally repeat and fold, then one per metric; in pandas, "
    "df.reset_index().melt('dataset', var_name='classifier', value_name='auc') makes it of a "
    "table with a column per classifier"
)
REFUSED = [
    (lambda: chosen_columns(["auc"], ["f2"], "t", False), "t has no metric 'f2'; there are 'auc'"),
    (lambda: chosen_columns(["auc"], None, "t", True),
     "t has only the metric 'auc'; relations need two or more, each in a column of its own"),
    (lambda: chosen_columns([], None, "t", True),
     "t has no metric; relations need two or more, each in a column of its own"),
    (lambda: chosen_columns(list("abcdefgh"), None, "t", False),
     "t has the metrics 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'; say which one to compare by"),
    (lambda: chosen_columns(list("abcdefghi"), None, "t", False),
     "t has the metrics 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and more; say which one to compare by"),
    (lambda: read_results(7),
     "int is not a table of results; give the path of a file, a data frame, or a dictionary of "
     "columns"),
    (lambda: read_results(changed(repeat=None)), f"the table has no column 'repeat'; {RESULTS}"),
    (lambda: read_metric({"auc": [1, 2]}), NO_CLASSIFIER),
    (lambda: read_metric({"x": {"params": [{}], "split0_test_score": [1]}, "auc": [1]}),
     NO_CLASSIFIER),
    (lambda: read_results(changed(auc=None, f1=None)),
     "the table has no column of a metric; give one column per metric, or the columns metric and "
     "value"),
    (lambda: read_metric(TABLE, "auc", {"algorithm": "nothing"}),
     "the table has no column 'nothing' for the classifier; there are 'dataset', 'algorithm', "
     "'repeat', 'fold', 'rows', 'minority', 'auc', 'f1'"),
    (lambda: read_metric(TABLE, "auc", {"algorithm": "auc", "dataset": "auc"}),
     "the column 'auc' cannot have two roles; name another"),
    (lambda: read_results(changed(repeat=[1, 0, 0.5, 0, 0, 0, 1])),
     "repeat is 0.5 in row 3; give whole numbers from 0"),
    (lambda: read_results(changed(repeat=[1, NAN, 0, 0, 0, 0, 1])),
     "repeat is missing in row 2; give whole numbers from 0"),
    (lambda: read_results(changed(fold=[0, 1, 0, -1, 0, 1, 0])),
     "fold is -1 in row 4; give whole numbers from 0"),
    (lambda: read_results(changed(fold=[0, 1, 0, 0, 0, 1, 2**31 + 1])),
     "fold is 2.14748e+09 in row 7; give whole numbers from 0"),
    (lambda: read_results(changed(algorithm=["rf", "rf", None, "nb", "nb", "nb", "nb"])),
     "algorithm is missing in row 3 of the table; fill it in"),
    (lambda: read_results({k: [] for k in TABLE}),
     "the table has no rows; give at least three results"),
    (lambda: read_results(changed(rows=[150, 150, 151, 150, 214, 214, 214])),
     "rows of the data set 'iris' is 151 in one row and 150 in another; it is a property of the "
     "data set, so give one value"),
    (lambda: read_results(changed(minority=[0.1] * 4 + [0.75] * 3)),
     "minority of the data set 'glass' is 0.75; give the share of the smaller class, from 0 to 0.5"),
    (lambda: read_results(changed(minority=[-0.1] * 4 + [0.5] * 3)),
     "minority of the data set 'iris' is -0.1; give the share of the smaller class, from 0 to 0.5"),
    (lambda: read_results(changed(fold=[0, 1, 1, 0, 0, 1, 0])),
     "the result of 'rf' on 'iris', repeat 0, fold 1, occurs twice (again in row 3); keep one"),
    (lambda: read_results(changed(fold=[0, NAN, NAN, 0, 0, 1, 0])),
     "the result of 'rf' on 'iris', repeat 0, pooled, occurs twice (again in row 3); keep one"),
    (lambda: read_metric({"model": list("xxy"), "site": list("nsn"), "batch": [1, 2, 1], "auc": [1, 2, 3]}, "auc"),
     "the table has several results of 'x', and nothing says of which data set, repeat or fold each "
     "is; say dataset='site' or repeat='batch' or fold='batch'"),
    (lambda: read_metric({"model": list("xxy"), "auc": [1, 2, 3]}, "auc"),
     "the result of 'x' on 'all results', repeat 0, pooled, occurs twice (again in row 2); keep one"),
    (lambda: read_results(TABLE).units_of("pooled"),
     "the table has no pooled results (rows without a fold), which the unit 'pooled' needs; use "
     "'repeat' or 'fold', or add them"),
    (lambda: read_results(changed(fold=[NAN] * 7, repeat=[2, 1, 0, 0, 0, 1, 2])).units_of("fold"),
     "the table has no folds, which the unit 'fold' needs; use 'pooled', or add them"),
    (lambda: read_results(TABLE).units_of("row"),
     "there is no unit of analysis 'row'; there are 'repeat', 'pooled', 'fold'"),
    (lambda: read_metric({"a": {"params": [{}], "split0_test_score": [1]}, "b": {"params": [{}], "split1_test_score": [1]}}),
     "the searches have different folds or scorers; give all the same cv and scoring"),
]  # fmt: skip


def test_each_refusal_names_the_row_the_column_or_what_there_is():
    for refused, sentence in REFUSED:
        with pytest.raises(tm.InputError) as caught:
            refused()
        assert str(caught.value) == sentence
