from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import tallymark as tm
from tallymark.cli import main
from tallymark.errors import InputError
from tallymark.infer.corrected_t import corrected_t
from tallymark.report.evaluation import folds_of, subgroups_of_models

RIGHT = (8, 9, 7, 10, 6)
"""Right decisions of each fold of ten rows."""


def worked():
    """Five folds of ten rows: accuracies 0.8, 0.9, 0.7, 1.0, 0.6."""
    y = np.tile([1, 0], 25)
    said, fold = y.copy(), np.repeat(np.arange(1, 6), 10)
    for k, right in enumerate(RIGHT):
        said[10 * k : 10 * k + 10 - right] ^= 1
    return y, said, fold


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    scores = {
        m: (1 / (1 + np.exp(-rng.normal(d * (y - 0.5))))).round(3)
        for m, d in (("a", 2.0), ("b", 1.0))
    }
    return pd.DataFrame({"label": y, **scores, "fold": rng.permutation(np.arange(200) % 5)})


def test_the_mean_over_folds_by_hand():
    y, said, fold = worked()
    found = tm.evaluate(y, said, fold=fold).folds(["accuracy"])
    assert found.ratio == 1 / 4
    assert found.rows == dict.fromkeys(range(1, 6), 10)
    values = found["accuracy"]
    assert [v.value for v in values.folds.values()] == [n / 10 for n in RIGHT]
    # mean 0.8, s² = (0 + .01 + .01 + .04 + .04) / 4 = 0.025; (1/5 + 1/4) s² = 0.01125
    half = stats.t.ppf(0.975, 4) * math.sqrt(0.01125)
    assert values.mean.value == pytest.approx(0.8)
    assert values.mean.se == pytest.approx(math.sqrt(0.01125))
    assert values.mean.low == pytest.approx(0.8 - half)
    assert values.mean.high == 1  # 1.094: no accuracy is above 1
    assert values.mean.method == "corrected resampled t, 5 folds"
    assert str(values.pooled) == str(tm.evaluate(y, said)["accuracy"])


def test_folds_on_different_levels_lower_the_pooled_area():
    y, fold = np.tile([0, 1], 10), np.repeat(np.arange(5), 4)
    ev = tm.evaluate(y, y_score=(y + 2 * fold) / 10, fold=fold)
    area = ev.folds(["roc_auc"])["roc_auc"]
    assert area.mean.value == 1
    assert area.pooled.value == 0.6  # positives outrank the negatives of 15 of 25 pairs of folds


def test_repeated_folds_say_their_ratio():
    y, said, fold = worked()
    ev = tm.evaluate(y, said, fold=fold, level=0.9)
    mean = ev.folds(["accuracy"], ratio=1.0)["accuracy"].mean
    half = stats.t.ppf(0.95, 4) * math.sqrt((1 / 5 + 1) * 0.025)
    assert (mean.low, mean.level) == (pytest.approx(0.8 - half), 0.9)
    with pytest.raises(InputError, match="ratio is -1; give test rows over training rows"):
        ev.folds(ratio=-1)


def test_each_fold_is_an_evaluation_of_its_rows(frame):
    ev = tm.evaluate(frame, score=["a", "b"], fold="fold")
    found = ev.folds(["roc_auc", "average_precision", "brier"])
    for model in ("a", "b"):
        for k, part in frame.groupby("fold"):
            alone = tm.evaluate(part["label"].to_numpy(), y_score=part[model].to_numpy())
            for name, values in found.values[model].items():
                assert values.folds[k].value == pytest.approx(alone[name].value, abs=1e-12)
                assert values.folds[k].low == pytest.approx(alone[name].low, abs=1e-9)


@pytest.mark.parametrize("route", ["arrays", "frame", "polars", "lazy", "csv", "parquet"])
def test_every_route_counts_the_same_folds(frame, route, tmp_path):
    expected = tm.evaluate(
        frame["label"], y_score={m: frame[m] for m in "ab"}, fold=frame["fold"].to_numpy()
    )
    if route == "arrays":  # texts, as well as integers
        named = frame["fold"].map("fold {}".format)
        ev = tm.evaluate(frame["label"], y_score={m: frame[m] for m in "ab"}, fold=named)
        assert list(ev.folds().rows) == [f"fold {k}" for k in range(5)]
        return
    data = {"frame": frame, "polars": pl.from_pandas(frame), "lazy": pl.from_pandas(frame).lazy()}
    path = tmp_path / f"cv.{route}"
    if route == "csv":
        frame.to_csv(path, index=False)
    elif route == "parquet":
        frame.to_parquet(path)
    ev = tm.evaluate(data.get(route, path), score=["a", "b"], fold="fold")
    made, wanted = ev.folds().to_dict(), expected.folds().to_dict()
    assert made["folds"] == wanted["folds"] == [{"fold": k, "rows": 40} for k in range(5)]
    assert made == wanted


def test_two_models_are_tested_over_the_folds(frame):
    folds = tm.evaluate(frame, score=["a", "b"], fold="fold").folds(["roc_auc"])
    a, b = ([v.value for v in folds.values[m]["roc_auc"].folds.values()] for m in "ab")
    assert folds.differences("AUC") == {("a", "b"): corrected_t(a, b, ratio=0.25)}
    d = np.subtract(a, b)
    t = d.mean() / math.sqrt((1 / 5 + 1 / 4) * d.var(ddof=1))
    assert folds.differences("roc_auc")["a", "b"].p_value == pytest.approx(
        2 * stats.t.sf(abs(t), 4)
    )


def test_several_pairs_are_corrected_by_holm(frame):
    scores = {m: frame[m] for m in "ab"} | {"c": 1 - frame["b"]}
    folds = tm.evaluate(frame["label"], y_score=scores, fold=frame["fold"]).folds()
    found = folds.differences("roc_auc")
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    of = {m: [v.value for v in folds.values[m]["roc_auc"].folds.values()] for m in "abc"}
    alone = [corrected_t(of[m], of[n], ratio=0.25).p_value for m, n in found]
    smallest = int(np.argmin(alone))
    assert [t.p_value for t in found.values()][smallest] == pytest.approx(3 * alone[smallest])


def test_an_area_that_a_fold_lacks_is_said():
    y = np.array([1, 0] * 20 + [0] * 20)
    score = np.linspace(0, 1, 60).round(2)
    ev = tm.evaluate(y, y_score={"a": score, "b": 1 - score}, fold=np.repeat([1, 2, 3], 20))
    folds = ev.folds()
    values = folds.values["a"]["roc_auc"]
    assert math.isnan(values.mean.value)
    assert values.mean.reason == f"undefined in fold 3 ({values.folds[3].reason})"
    assert not math.isnan(values.pooled.value)
    test = folds.differences("roc_auc")["a", "b"]
    assert math.isnan(test.p_value)
    assert test.reason == values.mean.reason
    assert "a: no mean of ROC area" in str(folds)
    assert "undefined in fold 3" in str(folds)
    json.dumps(folds.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("fold", "method"),
    [([1] * 4, "there is one fold"), ([1, 1, 2, 2], "every fold has the same value")],
)
def test_a_mean_without_spread_has_no_interval(fold, method):
    mean = tm.evaluate([0, 1, 0, 1], [0, 1, 0, 1], fold=fold).folds(["accuracy"])["accuracy"].mean
    assert mean.value == 1
    assert math.isnan(mean.low)
    assert mean.method == f"no interval: {method}"


def test_an_infinite_loss_in_a_fold_leaves_an_infinite_mean():
    ev = tm.evaluate([0, 1, 0, 1], y_score=[0.0, 0.0, 0.2, 0.9], fold=[1, 1, 2, 2])
    mean = ev.folds(["log_loss"])["log_loss"].mean
    assert mean.value == math.inf
    assert mean.method == "no interval: infinite in a fold"


def test_folds_of_clusters_weights_and_many_classes():
    rng = np.random.default_rng(0)
    y, said = rng.integers(0, 3, (2, 240))
    options = {"fold": np.arange(240) % 4, "weight": rng.uniform(1, 2, 240)}
    ev = tm.evaluate(y, said, cluster=np.arange(240) // 2, **options)
    for k in range(4):
        mine = options["fold"] == k
        weight = options["weight"][mine]
        alone = tm.evaluate(y[mine], said[mine], weight=weight)["accuracy"]
        assert ev.folds()["accuracy"].folds[k].value == pytest.approx(alone.value)


def test_folds_are_no_subgroups_of_the_report(frame):
    ev = tm.evaluate(frame.assign(site=frame.index % 3), score="a", fold="fold", subgroup="site")
    assert [s.columns for s in subgroups_of_models(ev)] == [("site",)]
    assert list(ev.by("fold").rows.values()) == [40] * 5
    assert ev.at(threshold=0.6).folds(["f1"])["f1"].pooled.value == ev.at(threshold=0.6)["f1"].value
    assert folds_of(ev.at(prevalence=0.1)) is None


def test_what_is_refused(frame):
    ev = tm.evaluate(frame, score="a")
    with pytest.raises(InputError, match=r"no folds were named; give evaluate\(\) the column"):
        ev.folds()
    with pytest.raises(InputError, match="'fold' is named as fold and as subgroup; name it once"):
        tm.evaluate(frame, score="a", fold="fold", subgroup="fold")
    with pytest.raises(
        InputError, match="the column 'label' is named twice; give every column one"
    ):
        tm.evaluate(frame, truth="label", score="a", fold="label")
    with pytest.raises(InputError, match="there is no column 'flod' for fold; did you mean"):
        tm.evaluate(frame, score="a", fold="flod")
    with pytest.raises(InputError, match="fold has 3 rows"):
        tm.evaluate([0, 1, 0, 1], [0, 1, 0, 1], fold=[1, 2, 3])
    both = tm.evaluate(frame, score=["a", "b"], fold="fold")
    with pytest.raises(InputError, match=r"folds of several models \('a', 'b'\)"):
        both.folds()["roc_auc"]
    with pytest.raises(
        InputError, match=r"kappa was not requested for these folds.*folds\(\['cohen"
    ):
        both.folds(["f1"]).differences("cohen_kappa")


@pytest.mark.parametrize("route", ["frame", "lazy", "csv"])
def test_a_missing_fold_is_refused_or_dropped(frame, route, tmp_path):
    holed = frame.assign(fold=[None, None, *frame["fold"].astype(str)[2:]])
    data = holed
    if route == "lazy":
        data = pl.from_pandas(holed).lazy()
    elif route == "csv":
        data = tmp_path / "cv.csv"
        holed.to_csv(data, index=False)
    with pytest.raises(InputError, match="fold"):
        tm.evaluate(data, score="a", fold="fold")
    ev = tm.evaluate(data, score="a", fold="fold", missing="drop")
    assert (ev.rows, ev.dropped) == (198, 2)
    assert sum(ev.folds().rows.values()) == 198


@pytest.mark.slow
def test_the_command_line_the_page_and_json_show_folds(frame, tmp_path):
    path, page, data = tmp_path / "cv.csv", tmp_path / "p.html", tmp_path / "p.json"
    frame.to_csv(path, index=False)
    columns = ["--score", "a", "--score", "b", "--fold", "fold"]
    files = ["-o", str(page), "--json", str(data)]
    shown = CliRunner().invoke(main, ["report", str(path), *columns, *files])
    assert shown.exit_code == 0, shown.output
    ev = tm.evaluate(path, score=["a", "b"], fold="fold")
    (test,) = ev.folds().differences("roc_auc").values()
    for text in (shown.output, page.read_text(encoding="utf-8")):
        flat = " ".join(text.split())
        assert "mean of folds" in flat
        assert "test rows / training rows = 0.25" in flat
        assert f"Over the folds, a − b: ROC area +{test.difference:.2f}" in flat
        assert f"{ev.folds().values['b']['roc_auc'].mean.value:.2f}" in flat
    told = json.loads(data.read_text(encoding="utf-8"))["folds"]
    assert told["differences"][0]["p_value"] == test.p_value
    assert [m["name"] for m in told["models"]] == ["a", "b"]


@pytest.mark.parametrize("flags", [[], ["--json"]])
@pytest.mark.slow
def test_compare_tests_over_the_folds(frame, tmp_path, flags):
    path = tmp_path / "cv.csv"
    frame.to_csv(path, index=False)
    columns = ["--score", "a", "--score", "b", "--fold", "fold", "--metric", "f1"]
    found = CliRunner().invoke(main, ["compare", str(path), *columns, *flags])
    (test,) = tm.evaluate(path, score=["a", "b"], fold="fold").folds().differences("f1").values()
    if flags:
        assert json.loads(found.output)["folds"]["differences"][0]["p_value"] == test.p_value
    else:
        told = f"Over the folds, a − b: F1 +{test.difference:.2f}"
        assert told in " ".join(found.output.split())


def test_of_many_folds_some_are_listed():
    y = np.arange(180) % 2
    ev = tm.evaluate(y, y, fold=np.arange(180) // 2)
    assert "50 more folds are not listed" in " ".join(str(ev.folds()).split())
    assert ev.folds().to_dict(50)["n_not_shown"] == 40
    assert repr(ev.folds()) == "<Folds: 90 folds by fold of model>"


def test_the_source_says_which_column_the_folds_are(frame):
    ev = tm.evaluate(frame, score="a", fold="fold")
    assert ev.source._fold == ev.source._roles["fold"] == "fold"
    assert "subgroup" not in ev.source._roles
    assert "fold = `fold`" in ev.source.read_as
