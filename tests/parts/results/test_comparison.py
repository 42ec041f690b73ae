import csv
import json
import math
from dataclasses import replace
from importlib.resources import files
from itertools import combinations, product
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from parts.results.demsar import CLASSIFIERS, RESULTS
from parts.results.one_pair import signed_rank
from tallymark.errors import InputError
from tallymark.infer.corrected_t import corrected_t
from tallymark.infer.correlated_t import correlated_t
from tallymark.infer.five_by_two import TOO_OFTEN, paired_5x2_f, paired_5x2_t
from tallymark.infer.multiplicity import holm
from tallymark.parts.results.friedman import critical_difference, friedman, rank_tests
from tallymark.parts.results.judge import compare_results
from tallymark.parts.results.wilcoxon import wilcoxon
from tallymark.reading.result_table import read_results

NAMES = ("net", "tree", "bayes")


def demsar(classifiers=CLASSIFIERS):
    rows = [(d, c, v) for d, row in RESULTS.items()
            for c, v in zip(CLASSIFIERS, row, strict=True) if c in classifiers]  # fmt: skip
    return pd.DataFrame(rows, columns=["dataset", "classifier", "auc"])


def table(seed=0, datasets=4, repeats=2, folds=5, gap=0.02, names=NAMES):
    """Results over folds that are easy or hard, of classifiers that differ by a gap."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(datasets):
        for r in range(repeats):
            for f in range(folds):
                easy = 0.7 + 0.05 * rng.normal() + 0.03 * d
                for i, name in enumerate(names):
                    value = easy - gap * i + 0.02 * rng.normal()
                    rows.append((f"d{d}", name, r, f, value, 1 - value))
    columns = ["dataset", "algorithm", "repeat", "fold", "accuracy", "log_loss"]
    return pd.DataFrame(rows, columns=columns)


def test_demsars_table_is_his():
    with Path(tm.example("demsar2006")).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["dataset", "classifier", "auc"]
    told = {(d, c): float(v) for d, c, v in rows}
    assert len(told) == len(rows)
    assert told == {(d, c): v for d, row in RESULTS.items()
                    for c, v in zip(CLASSIFIERS, row, strict=True)}  # fmt: skip


# -- several data sets -------------------------------------------------------------------------


def test_demsars_example_whole():
    c = compare_results(demsar(), ties="plain")
    assert {k: round(v, 3) for k, v in c.mean_ranks.items()} == {
        "C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143,
    }  # fmt: skip
    assert round(c.friedman.statistic, 2) == 9.28
    assert round(c.friedman.f, 2) == 3.69
    assert round(c.critical_difference, 2) == 1.25
    assert c.rule == "nemenyi"
    assert c._differ
    assert [p.winner for p in c.pairs] == [None] * 6
    # with 1.12 in place of 1.25 the two with m are better than C4.5
    apart = compare_results(demsar(), level=0.9)
    assert [(p.first, p.second) for p in apart.pairs if p.winner] == [
        ("C4.5+m+cf", "C4.5"), ("C4.5+m", "C4.5"),
    ]  # fmt: skip
    assert apart.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


def test_demsars_control():
    c = compare_results(demsar(), control="C4.5")
    assert c.rule == "holm"
    assert [(p.first, p.second, p.winner) for p in c.pairs] == [
        ("C4.5", "C4.5+m+cf", "C4.5+m+cf"), ("C4.5", "C4.5+m", "C4.5+m"), ("C4.5", "C4.5+cf", None),
    ]  # fmt: skip
    assert c.groups == (("C4.5+cf", "C4.5"),)
    assert [round(p.to_dict()["rank_p_value"], 3) for p in c.pairs] == [0.016, 0.019, 0.608]


def test_demsars_two_classifiers():
    c = compare_results(demsar(CLASSIFIERS[:2]))
    (pair,) = c.pairs
    assert c.rule == "wilcoxon"
    assert (pair.first, pair.winner, pair.result.statistic) == ("C4.5+m", "C4.5+m", 12)
    assert (pair.wins, pair.equals, pair.losses) == (10, 2, 2)
    assert c.groups == ()


def test_every_number_is_that_of_the_functions():
    frame = table()
    c = compare_results(frame, "accuracy", rope=0.02, draws=2000, seed=5)
    means = frame.groupby(["dataset", "algorithm"]).accuracy.mean().unstack()[list(c.classifiers)]
    values = means.to_numpy()
    np.testing.assert_allclose(c.values, values)
    expected = friedman(values)
    assert c.friedman.ranks == expected.ranks
    assert c.friedman.f_p_value == pytest.approx(expected.f_p_value)
    assert c.critical_difference == critical_difference(3, 4)
    where = {n: i for i, n in enumerate(c.classifiers)}
    pairs = [(where[p.first], where[p.second]) for p in c.pairs]
    order = np.argsort(expected.ranks).tolist()
    assert pairs == list(combinations(order, 2))
    z, rank_p, nemenyi = rank_tests(expected.ranks, 4, pairs)
    two = [wilcoxon(values[:, i], values[:, j]) for i, j in pairs]
    for p, (i, j), a, b, r, h, w, wh in zip(
        c.pairs, pairs, z, rank_p, holm(rank_p), holm([t.p_value for t in two]), two,
        nemenyi, strict=True,
    ):  # fmt: skip
        told = p.to_dict()
        ranked = (told["rank_z"], told["rank_p_value"], told["rank_p_holm"])
        assert ranked == pytest.approx((a, b, r))
        assert p.adjusted == pytest.approx(h)
        assert p.result.p_value == pytest.approx(w.p_value)
        assert told["nemenyi_p_value"] == p.p_value == pytest.approx(wh)
        own = signed_rank(values[:, i], values[:, j], rope=0.02, draws=2000, seed=5)
        assert p._posterior.above == pytest.approx(own.above)
        assert p._posterior.within == pytest.approx(own.within)


def test_low_values_can_be_the_good_ones():
    high, low = (compare_results(table(), m) for m in ("accuracy", "log_loss"))
    assert low._terms.better == "low"
    assert low.mean_ranks == high.mean_ranks
    for a, b in zip(high.pairs, low.pairs, strict=True):
        assert (a.winner, a.wins, a.losses) == (b.winner, b.wins, b.losses)
        assert a.p_value == pytest.approx(b.p_value)
        assert a.probabilities == pytest.approx(b.probabilities, abs=0.02)
        assert a.result.difference == pytest.approx(-b.result.difference)


def test_nothing_is_told_apart_where_the_f_finds_no_difference():
    rng = np.random.default_rng(1)
    same = pd.DataFrame({"dataset": np.repeat(range(12), 4), "model": list("abcd") * 12,
                         "f1": rng.random(48)})  # fmt: skip
    c = compare_results(same)
    assert not c._differ
    assert not any(p.winner for p in c.pairs)
    assert c.groups == (tuple(c.mean_ranks),)


@pytest.mark.slow
def test_false_alarms_of_the_whole_procedure_are_rare():
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(150):
        values = rng.random((10, 4))
        rows = [(d, c, v) for d, row in enumerate(values) for c, v in zip("abcd", row, strict=True)]
        c = compare_results(pd.DataFrame(rows, columns=["dataset", "model", "f1"]), draws=1)
        found += any(p.winner for p in c.pairs)
    assert found / 150 <= 0.08


@pytest.mark.slow
def test_many_pairs_get_fewer_draws():
    def draws(k, **options):
        names = [f"c{i:02}" for i in range(k)]
        frame = pd.DataFrame([(d, n, i + d) for d in range(2) for i, n in enumerate(names)],
                             columns=["dataset", "model", "f1"])  # fmt: skip
        return compare_results(frame, **options)._terms.draws

    assert [draws(k) for k in (2, 10, 11, 40)] == [50_000, 50_000, 40_909, 5_000]
    assert draws(40, control="c00") == 50_000
    assert draws(3, draws=7) == 7


# -- one data set ------------------------------------------------------------------------------


def test_one_data_set_is_judged_by_its_folds():
    frame = table(datasets=1)
    c = compare_results(frame, "accuracy", rope=0.005)
    assert (c.rule, c.friedman, c.critical_difference, c.groups) == ("folds", None, None, ())
    assert c.mean_ranks == {}
    wide = frame.pivot_table(index=["repeat", "fold"], columns="algorithm", values="accuracy")
    tests = []
    for p in c.pairs:
        a, b = wide[p.first].to_numpy(), wide[p.second].to_numpy()
        expected = corrected_t(a, b, ratio=1 / 4)
        assert p.result.p_value == pytest.approx(expected.p_value)
        assert p.result.interval == pytest.approx(expected.interval)
        assert p._posterior.above == pytest.approx(
            correlated_t(a, b, ratio=1 / 4, rope=0.005).above
        )
        assert p.wins == (a > b).sum()
        tests.append(expected.p_value)
    np.testing.assert_allclose([p.adjusted for p in c.pairs], holm(tests))
    assert [p.p_value for p in c.pairs] == [p.adjusted for p in c.pairs]
    assert [p.winner for p in c.pairs] == [p.first if p.p_value < 0.05 else None for p in c.pairs]


@pytest.mark.parametrize(("test", "function"), [
    ("auto", lambda a, b: corrected_t(a, b, ratio=1)),
    ("corrected_t", lambda a, b: corrected_t(a, b, ratio=1)),
    ("5x2_f", paired_5x2_f), ("5x2_t", paired_5x2_t), ("wilcoxon", wilcoxon),
])  # fmt: skip
def test_five_times_two_folds(test, function):
    frame = table(datasets=1, repeats=5, folds=2)
    c = compare_results(frame.sample(frac=1, random_state=1), "accuracy", test=test)
    wide = frame.pivot_table(index=["repeat", "fold"], columns="algorithm", values="accuracy")
    for p in c.pairs:
        expected = function(wide[p.first].to_numpy(), wide[p.second].to_numpy())
        assert p.result.statistic == pytest.approx(expected.statistic)
        assert p.result.p_value == pytest.approx(expected.p_value)
        assert p.result.warning == expected.warning == (TOO_OFTEN if test.startswith("5x2") else "")
    told = " ".join(str(c).split())
    assert ("Use the corrected resampled t over the same ten folds." in told) == (
        test.startswith("5x2")
    )
    assert told.count("5x2cv tests find") <= 1


def test_dietterichs_one_fold_may_contradict_all_ten():
    """Told apart by a fold that points the other way, neither is called the better one."""
    a = np.full((5, 2), 0.8)
    b = a - [[-0.1, -0.0999], [0.03, 0.03], [0.03, 0.03], [0.09, 0.0901], [0.09, 0.09]]
    rows = [
        ("d", name, r, f, values[r, f])
        for name, values in (("a", a), ("b", b))
        for r in range(5)
        for f in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "model", "repeat", "fold", "auc"])
    c = compare_results(frame, test="5x2_t")
    (p,) = c.pairs
    assert p.p_value < 0.05
    assert p.result.statistic * p.result.difference < 0
    assert p.winner is None
    assert "the one fold that Dietterich's t starts from disagrees in sign" in " ".join(
        str(c).split()
    )


def test_a_control_on_one_data_set():
    c = compare_results(table(datasets=1), "accuracy", control="bayes")
    assert [(p.first, p.second) for p in c.pairs] == [("bayes", "net"), ("bayes", "tree")]
    full = compare_results(table(datasets=1), "accuracy")
    assert c.pair("net", "bayes").result.p_value == full.pair("bayes", "net").result.p_value
    assert c.pair("net", "bayes").adjusted <= full.pair("bayes", "net").adjusted


def test_the_share_of_test_rows_can_be_stated():
    frame = table(datasets=1)
    stated = compare_results(frame, "accuracy", ratio=1 / 4)
    assert stated.pairs[0].p_value == compare_results(frame, "accuracy").pairs[0].p_value
    harder = compare_results(frame, "accuracy", ratio=1)
    assert harder.pairs[0].p_value > stated.pairs[0].p_value


WHY = (
    "how many rows each result is trained on is not known; say test rows over training rows, such "
    "as ratio=0.25"
)


def test_pooled_results_say_what_is_lacking():
    frame = (
        table(datasets=1)
        .groupby(["dataset", "algorithm", "repeat"], as_index=False)[["accuracy"]]
        .mean()
    )
    c = compare_results(frame)
    assert {p.result.reason for p in c.pairs} == {p._posterior.reason for p in c.pairs} == {WHY}
    assert {p.p_value for p in c.pairs} == {None}
    assert (c._fields[0].repeats, c._fields[0].folds) == (2, 0)
    assert compare_results(frame, ratio=0.1).pairs[0].p_value is not None


def test_one_result_each_is_no_test():
    c = compare_results({"dataset": ["a", "a"], "model": ["x", "y"], "auc": [0.9, 0.8]})
    (p,) = c.pairs
    assert p.result.reason == "one difference has no variance; give two or more"
    assert (p.first, p.winner, p.p_value) == ("x", None, None)


# -- reading -----------------------------------------------------------------------------------


def same(a, b):
    return a.to_dict() | {"source": ""} == b.to_dict() | {"source": ""}


@pytest.mark.parametrize(
    "how", ["mapping", "polars", "csv", "parquet", "long", "weka", "named", "mixed"]
)
def test_tables_of_every_kind(how, tmp_path):
    frame = table(datasets=2)[["dataset", "algorithm", "repeat", "fold", "accuracy"]]
    expected = compare_results(frame)
    options = {}
    given = frame
    if how == "mapping":
        given = {c: frame[c].tolist() for c in frame}
    elif how == "polars":
        given = pl.from_pandas(frame)
    elif how == "csv":
        given = tmp_path / "r.csv"
        frame.to_csv(given, index=False)
    elif how == "parquet":
        given = tmp_path / "r.parquet"
        frame.to_parquet(given)
    elif how == "long":
        given = frame.rename(columns={"accuracy": "value"}).assign(metric="accuracy")
    elif how == "weka":
        given = frame.rename(columns={"dataset": "Key_Dataset", "algorithm": "Key_Scheme",
                                      "repeat": "Key_Run", "fold": "Key_Fold"})  # fmt: skip
    elif how == "named":
        given = frame.set_axis(["where", "who", "again", "part", "how good"], axis=1)
        options = {"dataset": "where", "classifier": "who", "repeat": "again", "fold": "part",
                   "value": "how good", "metric": "accuracy"}  # fmt: skip
    elif how == "mixed":
        given = frame.sample(frac=1, random_state=3).rename(columns={"algorithm": "Model"})
    assert same(compare_results(given, **options), expected)


def test_one_metric_of_several():
    frame = table(datasets=2)
    assert compare_results(frame, "log_loss").metric == "log_loss"
    assert compare_results(frame, "ACC").metric == "accuracy"  # by another of its names
    long = frame.melt(["dataset", "algorithm", "repeat", "fold"], var_name="metric")
    assert same(compare_results(long, "log_loss"), compare_results(frame, "log_loss"))


def test_a_table_that_was_read_for_a_study_does():
    results = read_results(table())
    assert results.metrics == ("accuracy", "log_loss")
    assert same(compare_results(results, "accuracy"), compare_results(table(), "accuracy"))


def test_values_alone_are_named_as_asked():
    given = {"dataset": list("aabb"), "model": list("xyxy"), "value": [0.3, 0.2, 0.5, 0.1]}
    assert compare_results(given, "brier")._terms.better == "low"
    assert compare_results(given, "brier").metric == "brier"
    told = compare_results(given)
    assert told.metric == "value"
    assert told.notes == ("higher values of 'value', an unknown metric, are better",)


@pytest.mark.parametrize("name", ["val_loss", "logloss", "Test error", "RMSE", "runtime (s)"])
def test_low_values_of_a_loss_are_good(name):
    given = {"dataset": list("aabb"), "model": list("xyxy"), name: [0.3, 0.2, 0.5, 0.1]}
    told = compare_results(given)
    assert told._terms.better == "low"
    assert compare_results(given, better="high")._terms.better == "high"


def test_a_column_called_value_is_one_of_several():
    given = T | {"value": [4, 3, 2, 1]}
    assert compare_results(given, "auc").values.tolist() == [[0.3, 0.2], [0.5, 0.1]]
    assert compare_results(given, "value").values.tolist() == [[4, 3], [2, 1]]
    assert compare_results(given, value="auc").values.tolist() == [[0.3, 0.2], [0.5, 0.1]]
    timed = T | {"seconds": [4, 3, 2, 1]}  # no metric of a study, but it can be asked for
    assert compare_results(timed, value="seconds", better="low").values.tolist() == [[4, 3], [2, 1]]


def test_repeats_that_were_numbered_through_are_asked_about():
    frame = table(datasets=1, repeats=1, folds=30)
    told = (
        "30 folds of a repeat are read as 30-fold cross-validation: if they are not, say which "
        "column has the repeat, or ratio"
    )
    assert compare_results(frame, "accuracy").notes == (told,)
    assert compare_results(frame, "accuracy", ratio=1 / 9).notes == ()


@pytest.mark.parametrize(("name", "better"), [
    ("auc", "high"), ("rmse", "low"), ("1-mae", "high"), ("1-accuracy", "low"), ("auprc", "high"),
    ("ECE", "low"),
])  # fmt: skip
def test_which_way_is_good_is_known(name, better):
    given = {"dataset": list("aabb"), "model": list("xyxy"), name: [0.3, 0.2, 0.5, 0.1]}
    c = compare_results(given)
    assert (c._terms.better, c.notes) == (better, ())
    other = "low" if better == "high" else "high"
    assert compare_results(given, better=other)._terms.better == other


def test_what_is_left_out_is_said():
    frame = table(datasets=4)
    gone = ~((frame.dataset == "d1") & (frame.algorithm == "net"))
    hole = (frame.dataset == "d2") & (frame.algorithm == "tree") & (frame.fold == 3)
    frame = frame.assign(accuracy=frame.accuracy.where(~hole))[gone]
    pooled = frame[frame.fold == 0].assign(fold=np.nan)
    c = compare_results(pd.concat([frame, pooled]), "accuracy")
    assert c.datasets == ("d0", "d2", "d3")
    assert c.notes == (
        "data sets left out: 'd1' (no result of 'net')",
        "results of 2 repeats and folds left out, which not every classifier has",
        f"{len(pooled)} pooled results left out, as there are folds",
    )
    kept = frame[(frame.dataset == "d2") & (frame.fold != 3)].groupby("algorithm").accuracy.mean()
    np.testing.assert_allclose(c.values[1], kept[list(c.classifiers)])
    # a fold that is missing does not change how many rows the others were trained on
    assert c.on("d2")._fields[0].ratio(None) == 1 / 4


def test_data_sets_without_a_common_result_are_left_out():
    frame = table(datasets=2)
    frame = frame[(frame.dataset == "d0") | ((frame.algorithm == "net") == (frame.fold < 2))]
    told = compare_results(frame, "accuracy").notes
    assert told == ("data sets left out: 'd1' (no result that all share)",)


def refused(call):
    with pytest.raises(InputError) as error:
        call()
    return str(error.value)


T = {"dataset": list("aabb"), "model": list("xyxy"), "auc": [0.3, 0.2, 0.5, 0.1]}


@pytest.mark.parametrize(("given", "options", "said"), [
    (T | {"f1": [1, 2, 3, 4]}, {}, "the table has the metrics 'auc', 'f1'; say which one to compare by"),
    (T, {"metric": "ac"}, "the table has no metric 'ac'; did you mean 'auc'?"),
    (T, {"control": "z"}, "there is no classifier 'z'; there are 'x', 'y'"),
    (T, {"rope": -1}, "rope is -1; give the largest difference that does not matter, such as 0.01, or 0"),
    (T, {"level": 0}, "level is 0; give a number between 0 and 1, such as 0.95"),
    (T, {"test": "t"}, "test is 't'; there are 'auto', 'corrected_t', '5x2_t', '5x2_f', 'wilcoxon'"),
    (T, {"ties": "no"}, "ties is 'no'; there are 'corrected', 'plain'"),
    (T, {"better": "up"}, "better is 'up'; there are 'high', 'low'"),
    (T, {"ratio": -2}, "ratio is -2; give test rows over training rows, such as 1/9 for ten folds"),
    (T, {"draws": 0}, "draws is 0; give a whole number, from 1 to 1,000,000"),
    (T, {"classifier": "models"}, "the table has no column 'models' for the classifier; did you mean 'model'?"),
    (T, {"classifier": "model", "dataset": "model"}, "the column 'model' cannot have two roles; name another"),
    ({"data": ["a"], "fold": [1], "auc": [1]}, {}, "the table has no column 'classifier'; a table of results has the columns dataset and classifier, optionally repeat and fold, then one per metric; in pandas, df.melt(['data', 'fold'], var_name='classifier', value_name='auc') makes it of a table with a column per classifier"),
    ({"model": ["a", "a"], "auc": [1, 2]}, {}, "the result of 'a' on 'all results', repeat 0, pooled, occurs twice (again in row 2); keep one"),
    ({"model": ["a", "a"], "auc": [1, 2], "task": ["x", "y"]}, {}, "the table has several results of 'a', and nothing says of which data set, repeat or fold each is; say dataset='task'"),
    ({"model": ["a", "a"], "auc": [.1, .2], "part": [3, 4]}, {"metric": "auc"}, "the table has several results of 'a', and nothing says of which data set, repeat or fold each is; say repeat='part' or fold='part'"),
    ({k: v[::2] for k, v in T.items()}, {}, "the table has one classifier, 'x'; comparing needs two or more"),
    (T | {"dataset": list("abcd")}, {}, "the table has no data set on which all 2 classifiers have a result of the same repeat and fold; leave a classifier out"),
    (T | {"dataset": list("aaaa")}, {}, "the result of 'x' on 'a', repeat 0, pooled, occurs twice (again in row 3); keep one"),
    ({"prevalence" if k == "auc" else k: v for k, v in T.items()}, {}, "prevalence has no better direction; say which is better, 'high' or 'low'"),
    (T | {"auc": [0.1, 0.2, 1e300, 1]}, {}, "auc holds 1e+300, and no metric is beyond 1e+100; correct it"),
    (T | {"auc": [0.1, 0.2, "x", 1]}, {}, "auc holds 'x' at index 2, which is not a number; give numbers"),
])  # fmt: skip
def test_refusals(given, options, said):
    assert refused(lambda: compare_results(given, **options)) == said


def test_five_times_two_of_other_folds_is_refused():
    said = refused(lambda: compare_results(table(datasets=1), "accuracy", test="5x2_f"))
    assert said == (
        "the test '5x2_f' needs five repeats of two folds, and 'd0' has 10 results of 2 repeats; "
        "use 'corrected_t'"
    )


def test_many_metrics_are_not_all_listed():
    many = T | {f"m{i}": [1, 2, 3, 4] for i in range(12)}
    assert refused(lambda: compare_results(many)).count("'") == 16


# -- laws --------------------------------------------------------------------------------------


@given(
    st.integers(0, 10_000), st.integers(1, 5), st.integers(2, 4), st.integers(1, 4), st.booleans()
)
@pytest.mark.slow
def test_laws(seed, datasets, classifiers, folds, tied):
    frame = table(seed, datasets, 1, folds, names=("a", "b", "c", "d")[:classifiers])
    if tied:
        frame = frame.assign(accuracy=frame.accuracy.round(1))
    c = compare_results(frame, "accuracy", draws=50)
    told = json.loads(c.to_json())
    assert len(told["pairs"]) == classifiers * (classifiers - 1) / 2
    assert str(c)
    for p in c.pairs:
        assert (p.p_value is None) == bool(
            p.result.reason if c.friedman is None else p.p_value is None
        )
        if p.winner:
            assert p.p_value < 0.05
            assert p.winner in (p.first, p.second)
        else:
            assert p.p_value is None or p.p_value >= 0.05 or not c._differ
        assert p.wins + p.equals + p.losses == (datasets if datasets > 1 else folds)
        better = p.probabilities
        assert math.isnan(sum(better)) or sum(better) == pytest.approx(1)
    if c.friedman is not None:
        ranks = list(c.mean_ranks.values())
        assert ranks == sorted(ranks)
        # the classifiers of a group are not told apart, and those of no common group are
        together = {frozenset(p) for g in c.groups for p in combinations(g, 2)}
        assert {frozenset((p.first, p.second)) for p in c.pairs if not p.winner} == together
    # the order of the rows means nothing
    again = compare_results(frame.sample(frac=1, random_state=seed), "accuracy", draws=50)
    assert again.values == pytest.approx(
        c.values[:, [c.classifiers.index(n) for n in again.classifiers]]
    )


def test_one_data_set_of_several():
    c = compare_results(table(), "accuracy")
    alone = c.on("d2")
    own = compare_results(table()[table().dataset == "d2"], "accuracy")
    assert [p.to_dict() for p in alone.pairs] == [p.to_dict() for p in own.pairs]
    assert alone.source == "the data frame, d2"
    with pytest.raises(InputError, match="there is no data set 'd9'; there are 'd0', 'd1'"):
        c.on("d9")


@pytest.mark.parametrize("reset", [True, False])
def test_a_column_per_classifier_is_refused_with_the_way_out(reset):
    df = demsar().pivot(index="dataset", columns="classifier", values="auc")
    df = df.reset_index() if reset else df
    with pytest.raises(InputError) as refused:
        compare_results(df)
    way_out = (
        f"{'df' if reset else 'df.reset_index()'}.melt('dataset', var_name='classifier', "
        "value_name='auc')"
    )
    assert str(refused.value) == (
        "the data frame has no column 'classifier'; a table of results has the columns dataset and "
        f"classifier, optionally repeat and fold, then one per metric; in pandas, {way_out} makes "
        "it of a table with a column per classifier"
    )
    found = compare_results(eval(way_out, {"df": df}))
    assert found.mean_ranks == compare_results(demsar()).mean_ranks


def test_pairs_are_found_either_way():
    c = compare_results(demsar())
    assert c.pair("C4.5+m", "C4.5") is c.pairs[c.pairs.index(c.pair("C4.5+m", "C4.5"))]
    with pytest.raises(InputError, match="there is no classifier 'C5'; did you mean 'C4.5'"):
        c.pair("C5", "C4.5")
    held = compare_results(demsar(), control="C4.5")
    with pytest.raises(
        InputError,
        match=r"^'C4.5\+m' and 'C4.5\+cf' were not compared; there are 'C4.5' and 'C4.5\+m\+cf', "
        r"'C4.5' and 'C4.5\+m', 'C4.5' and 'C4.5\+cf'$",
    ):
        held.pair("C4.5+m", "C4.5+cf")
    with pytest.raises(
        InputError, match="^first and second are both 'C4.5'; name two classifiers$"
    ):
        c.pair("C4.5", "C4.5")


@pytest.mark.parametrize(
    "given",
    [
        lambda: compare_results(demsar()),
        lambda: compare_results(demsar(), control="C4.5+cf", rope=0.002),
        lambda: compare_results(demsar(CLASSIFIERS[:2])),
        lambda: compare_results(table(datasets=1), "accuracy"),
        lambda: compare_results(table(datasets=1, repeats=5, folds=2), "log_loss", test="5x2_t"),
        lambda: compare_results(table(datasets=1, repeats=5, folds=2), "log_loss", test="5x2_f"),
        lambda: compare_results(table(datasets=1), "accuracy", test="wilcoxon"),
    ],
)
def test_a_pair_is_the_opposite_of_the_pair_of_exchanged_classifiers(given):
    c = given()
    signs = set()
    for p in c.pairs:
        back = c.pair(p.second, p.first)
        assert (back.first, back.second, back.winner) == (p.second, p.first, p.winner)
        assert (back.wins, back.equals, back.losses) == (p.losses, p.equals, p.wins)
        assert back.probabilities == p.probabilities[::-1]
        r, turned = p.result, back.result
        assert turned.difference == -r.difference
        expected = None if r.interval is None else (-r.interval[1], -r.interval[0])
        assert turned.interval == expected
        signed = r.test in ("corrected_t", "5x2_t")
        assert turned.statistic == (-r.statistic if signed else r.statistic)
        assert (turned.p_value, back.p_value, back.adjusted) == (r.p_value, p.p_value, p.adjusted)
        z, of_back = p.to_dict()["rank_z"], back.to_dict()["rank_z"]
        assert of_back == (None if z is None else -z)
        assert c.pair(back.second, back.first) == p
        signs |= {p.wins != p.losses, bool(p.result.difference)}
    assert signs == {True}


def test_the_order_asked_for_decides_who_is_first():
    c = compare_results(demsar())
    p, back = c.pair("C4.5", "C4.5+m"), c.pair("C4.5+m", "C4.5")
    assert (p.wins, p.equals, p.losses) == (2, 2, 10)
    assert [round(x, 2) for x in p.probabilities] == [0, 0.33, 0.67]
    assert [round(x, 2) for x in back.probabilities] == [0.67, 0.33, 0]
    assert p.result.difference < 0 < back.result.difference
    assert p.result.interval[1] < 0 < back.result.interval[0]


def of_noise():
    return compare_results(table(gap=0, datasets=6), "accuracy")


def of_constants():
    return compare_results(demsar().assign(auc=0.5))


FOLDS_OF_TWO = {"datasets": 1, "repeats": 5, "folds": 2}


@pytest.mark.parametrize(("given", "names", "sentences"), [
    (lambda: compare_results(demsar()), ("C4.5+m", "C4.5"),
     "C4.5+m and C4.5 are not distinguished (Nemenyi's test, p = 0.0887; Wilcoxon's test of the "
     "pair alone, Holm, p = 0.0469). C4.5+m − C4.5: auc 0.013 (95 % CI 0.003 to 0.027); 10 "
     "won, 2 equal, 2 lost; probability better 0.67, equal 0.33, worse <0.01."),
    (lambda: compare_results(demsar(), control="C4.5"), ("C4.5", "C4.5+m+cf"),
     "C4.5+m+cf is better than C4.5 (the test of mean ranks, Holm, p = 0.0472; Wilcoxon's test of "
     "the pair alone, Holm, p = 0.0234). C4.5 − C4.5+m+cf: auc −0.020 (95 % CI −0.036 to "
     "−0.007); 2 won, 1 equal, 11 lost; probability better <0.01, equal 0.04, worse 0.96."),
    (lambda: compare_results(table(**FOLDS_OF_TWO), "log_loss"), ("net", "bayes"),
     "net and bayes are not distinguished (corrected resampled t, Holm, p = 0.345). net − bayes: "
     "log_loss (lower is better) −0.036 (95 % CI −0.083 to 0.011); 10 won, 0 equal, 0 lost; "
     "probability better 0.88, equal 0.09, worse 0.03."),
    (of_noise, ("bayes", "net"),
     "bayes and net are not distinguished (Iman and Davenport's F does not show that the "
     "classifiers differ; Nemenyi's test, p = 0.832; Wilcoxon's test of the pair alone, Holm, p = "
     "0.688). bayes − net: accuracy 0.002 (95 % CI −0.008 to 0.006); 4 won, 0 equal, 2 lost; "
     "probability better <0.01, equal >0.99, worse <0.01."),
    (of_constants, ("C4.5", "C4.5+cf"),
     "C4.5 and C4.5+cf cannot be compared: every difference is zero. C4.5 − C4.5+cf: auc 0.000 "
     "(95 % CI 0.000 to 0.000); 0 won, 14 equal, 0 lost; probability better <0.01, equal >0.99, "
     "worse <0.01."),
])  # fmt: skip
def test_a_pair_is_printed_in_sentences(given, names, sentences):
    assert " ".join(str(given().pair(*names)).split()) == sentences


def test_one_fold_that_disagrees_is_said_of_its_pair():
    p = compare_results(table(**FOLDS_OF_TWO), "log_loss", test="5x2_t").pairs[0]
    p = replace(p, result=replace(p.result, statistic=math.copysign(3.0, -p.result.difference)))
    assert "; its one fold disagrees in sign with the mean of all ten). " in " ".join(
        str(p).split()
    )


def test_everything_is_in_the_json(tmp_path):
    c = compare_results(demsar(), control="C4.5")
    told = json.loads(c.to_json(tmp_path / "c.json"))
    assert json.loads((tmp_path / "c.json").read_text(encoding="utf-8")) == told
    assert (told["format"], told["version"]) == ("tallymark/model_comparison", 1)
    assert told["verdict"] == c.verdict
    assert [x["name"] for x in told["classifiers"]] == list(c.mean_ranks)
    assert told["datasets"][5]["means"]["C4.5"] == 0.936
    first = told["pairs"][0]
    assert (first["first"], first["second"], first["winner"]) == ("C4.5", "C4.5+m+cf", "C4.5+m+cf")
    assert first["p_value"] == first["rank_p_holm"] < 0.05
    assert told["friedman"]["f_df"] == [3, 39]


def test_what_is_undefined_is_null_beside_its_reason():
    told = json.loads(compare_results(demsar()).on("iris").to_json())
    (reason,) = {p["test"]["reason"] for p in told["pairs"]}
    assert reason == "one difference has no variance; give two or more"
    assert {p["p_value"] for p in told["pairs"]} == {None}
    assert {p["first_better"] for p in told["pairs"]} == {None}
    assert told["friedman"] is None


def test_a_row_a_pair():
    rows = compare_results(demsar()).table()
    assert len(rows) == 6
    assert rows[0]["first"] == "C4.5+m+cf"
    assert rows[0]["method"].startswith("Wilcoxon signed rank, exact; 3 of 14")
    assert not any(isinstance(v, dict | list) for row in rows for v in row.values())


def test_arrays_are_read_only():
    c = compare_results(table(), "accuracy")
    for array in (c.values, c._fields[0].values):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_perfect_agreement_is_told_with_its_infinite_f():
    frame = demsar()
    frame["auc"] = [0.9 - 0.1 * (i % 4) for i in range(len(frame))]
    c = compare_results(frame)
    assert math.isinf(c.friedman.f)
    assert c._differ
    assert json.loads(c.to_json())["friedman"]["f"] == "inf"
    assert "F ∞ with" in c.verdict


def by_schema(c):
    """Hold what a comparison writes to its schema."""
    schema = json.loads(
        (files("tallymark.parts.results") / "model_comparison.schema.json").read_text(
            encoding="utf-8"
        )
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    told = json.loads(c.to_json())
    jsonschema.validate(told, schema)
    return told, schema


@pytest.mark.parametrize("options", [{}, {"control": "C4.5"}, {"rope": 0}, {"ties": "plain"},
                                     {"test": "wilcoxon"}])  # fmt: skip
def test_the_json_follows_its_schema(options):
    by_schema(compare_results(demsar(), **options))


@pytest.mark.slow
def test_the_json_of_folds_follows_its_schema():
    c = compare_results(table(), "accuracy")
    for one in (c, c.on("d1"), compare_results(demsar()).on("iris")):
        by_schema(one)


def few(values):
    """Return results of two classifiers on as many data sets as there are pairs of values."""
    n = len(values)
    a, b = zip(*values, strict=True)
    return {"dataset": [f"d{i}" for i in range(n)] * 2, "classifier": ["a"] * n + ["b"] * n,
            "accuracy": [*a, *b]}  # fmt: skip


@pytest.mark.parametrize(
    "values", [[(0.8, 0.7)], [(0.5, 0.5)] * 4, [(0.0, 1.0)] * 6, [(0.5, 0.25), (0.75, 0.5)]]
)
def test_the_json_of_little_follows_its_schema(values):
    by_schema(compare_results(few(values)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("rule",), "t test"),
        (("pairs", 0, "p_value"), 1.5),
        (("pairs", 0, "test", "p_value"), None),  # without a reason
        (("pairs", 0, "posterior", "reason"), "none"),  # beside its numbers
        (("friedman", "f"), "-inf"),
        (("more",), 1),
    ],
)
def test_the_schema_refuses_what_is_not_so(path, value):
    told, schema = by_schema(compare_results(demsar()))
    at = told
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told, schema)


# -- one data set, which no column names ---------------------------------------------------------


def of_one(**keys):
    """Return results of three classifiers for every combination of the keys."""
    rng = np.random.default_rng(0)
    rows = list(product("abc", *keys.values()))
    frame = pd.DataFrame(rows, columns=["model", *keys])
    means = frame["model"].map({"a": 0.7, "b": 0.73, "c": 0.76})
    return frame.assign(accuracy=means + rng.normal(0, 0.02, len(frame)))


@pytest.mark.parametrize(("keys", "repeats", "folds"), [
    ({"fold": range(10)}, 1, 10),
    ({"split": range(5)}, 1, 5),
    ({"repeat": range(3), "fold": range(4)}, 3, 4),
    ({"seed": [1, 42, 1337, 7, 9]}, 5, 0),
    ({"random_state": [3, 4], "fold": range(5)}, 2, 5),
])  # fmt: skip
@pytest.mark.parametrize("door", [lambda f: f, pl.from_pandas, lambda f: f.to_dict("list")])
def test_folds_and_seeds_of_one_data_set(keys, repeats, folds, door):
    frame = of_one(**keys)
    found = compare_results(door(frame))
    (field,) = found._fields
    assert (field.dataset, field.repeats, field.folds) == ("all results", repeats, folds)
    assert found.notes[0] == "all results are of one data set: no column names several"
    names = dict(zip(keys, ["repeat", "fold"] if len(keys) > 1 else
                     ["repeat" if "seed" in keys else "fold"], strict=True))  # fmt: skip
    said = frame.rename(columns=names).assign(dataset="d")
    named = compare_results(said)
    assert [p.p_value for p in found.pairs] == [p.p_value for p in named.pairs]
    if not folds:  # what the refusal of a test says makes it one
        assert found.pairs[0].result.reason == WHY
        assert compare_results(door(frame), ratio=0.25).pairs[0].p_value is not None


def test_seeds_of_folds_are_no_repeats():
    frame = of_one(fold=range(10)).assign(seed=range(30))
    assert compare_results(frame)._fields[0].repeats == 1
