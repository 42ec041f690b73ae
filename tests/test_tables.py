import math

import pytest

import tallymark as tm
from tallymark.errors import InputError

Y = [1, 1, 1, 0, 0, 0, 0, 1]
EV = tm.evaluate(
    Y, {"half": [1, 0, 1, 0, 1, 0, 0, 0], "never": [0] * 8}, source="two models of eight rows"
)


def test_rows_are_models_times_metrics():
    table = EV.table(["recall", "accuracy"])
    assert [(r["model"], r["metric"]) for r in table] == [
        ("half", "sensitivity"), ("half", "accuracy"),
        ("never", "sensitivity"), ("never", "accuracy"),
    ]  # fmt: skip
    assert [r["value"] for r in table] == [0.5, 0.625, 0.0, 0.5]
    assert {r["title"] for r in table} == {"Sensitivity", "Accuracy"}
    assert len(table) == 4


def test_all_metrics_unless_named():
    assert len(EV.table()) == 2 * len(EV.metrics())


def test_one_name_is_one_metric():
    assert [r["metric"] for r in EV.table("mcc")] == ["matthews_corrcoef"] * 2


def test_an_undefined_value_keeps_its_reason():
    _, never = EV.table(["precision"]).rows
    assert math.isnan(never["value"])
    assert never["reason"] == EV.model("never")["precision"].reason
    line = str(EV.table(["precision"])).splitlines()[2]
    assert line.split()[2] == "undefined"
    assert line.endswith(never["reason"])


def test_a_metric_that_needs_scores_is_refused_by_name():
    with pytest.raises(InputError, match="roc_auc cannot be computed of these predictions"):
        EV.table(["roc_auc"])
    with pytest.raises(InputError, match="there is no metric 'acurracy'; did you mean 'accuracy'"):
        EV.table(["acurracy"])


def test_a_model_without_scores_lacks_the_metrics_that_need_them():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"label": Y, "s": [0.9, 0.1, 0.8, 0.3, 0.2, 0.1, 0.4, 0.7]})
    frame["t"] = frame["s"] * 2
    ev = tm.evaluate(frame, score=["s", "t"])
    assert [r["model"] for r in ev.table(["brier"])] == ["s"]
    assert [r["model"] for r in ev.table(["roc_auc"])] == ["s", "t"]


def test_to_pandas():
    pandas = pytest.importorskip("pandas")
    frame = EV.table(["precision", "accuracy"]).to_pandas()
    assert list(frame.columns) == [
        "model", "metric", "title", "value", "low", "high", "level", "se", "method", "reason",
    ]  # fmt: skip
    assert frame["value"].dtype == "float64"
    accuracy = frame[frame["metric"] == "accuracy"].set_index("model")
    assert accuracy.loc["half", "value"] == 0.625
    assert accuracy.loc["half", "low"] == pytest.approx(EV.model("half")["accuracy"].low)
    assert pandas.isna(frame.loc[2, "value"])


def test_to_polars():
    polars = pytest.importorskip("polars")
    frame = EV.table(["precision", "accuracy"]).to_polars()
    assert frame["value"].dtype == polars.Float64
    assert frame["reason"].dtype == polars.String
    assert frame["value"].to_list()[1] == 0.625
    assert frame["reason"].to_list()[0] is None


def test_a_library_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(InputError, match=r"needs pandas; install it with: pip install"):
        EV.table().to_pandas()


def test_what_prints_is_harmless():
    y = ["a", "b"]
    ev = tm.evaluate(y, {"\x1b[31m<b>": y, "x": y}, positive="a")
    assert "\x1b" not in str(ev.table())
    html = ev.table(["accuracy"])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
