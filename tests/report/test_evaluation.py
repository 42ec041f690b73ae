from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from asymmetric import mid_p
from judged import counted_of
from tallymark.metric import METRICS


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.35).astype(int)
    p = np.round(np.clip(rng.normal(0.3 + 0.3 * y, 0.25), 0.002, 0.97), 3)
    return y, p, np.round(np.clip(rng.normal(0.35 + 0.2 * y, 0.2), 0.002, 0.998), 3)


@pytest.fixture(scope="module")
def ev(rows):
    y, p, _ = rows
    return tm.evaluate(y, y_score=p)


def schema():
    text = (files("tallymark") / "schema" / "evaluation.schema.json").read_text(encoding="utf-8")
    return json.loads(text)


def test_every_metric_has_a_value_an_interval_and_a_method(ev, rows):
    y, p, _ = rows
    values = ev.values()["model"]
    many = {"top_k_accuracy", "hand_till_auc", "provost_domingos_auc"}
    many |= {n for n, m in METRICS.items() if m._role or not m._listed or m.family == "multi-label"}
    assert set(values) == set(METRICS) - many
    for name, v in values.items():
        metric = METRICS[name]
        second = (p >= 0.5).astype(int) if metric.family == "threshold" else p
        assert v.value == pytest.approx(metric(y, second), rel=1e-12), name
        # Without an interval the rows are too few for the rate at which the metric is read.
        assert v.low <= v.value <= v.high or "too few for a false positive rate" in v.method
        assert v.method
        assert v.definition["formula"] == metric.words.formula


def test_a_value_by_name_alias_and_parameters(ev):
    assert ev["mcc"] == ev["matthews_corrcoef"] == ev.values()["model"]["matthews_corrcoef"]
    assert float(ev["TPR"]) == ev["sensitivity"].value
    assert ev.value("f_beta", beta=2).value == ev["f2"].value
    assert ev.value("f_beta", beta=2).definition["params"] == {"beta": 2}
    assert ev.value("f1", average="macro").definition["average"] == "macro"
    assert "0." in str(ev["auc"])


def test_another_threshold(ev, rows):
    y, p, _ = rows
    moved = ev.at(threshold=0.31)
    assert moved["sensitivity"].value == tm.metrics.sensitivity(y, (p >= 0.31).astype(int))
    assert moved["roc_auc"] == ev["roc_auc"]
    assert moved.models[0].rule == "scores at or above 0.31"
    given = tm.evaluate(y, y_score=p, threshold=0.31)
    assert given["sensitivity"] == moved["sensitivity"]


def test_the_sweep_is_the_evaluation_at_each_threshold(ev, rows):
    sweep = ev._sweep()["model"]
    assert sweep.threshold[0] == math.inf
    assert 0.5 in sweep.threshold
    assert len(sweep.threshold) <= 201
    for i in (1, 40, 90, len(sweep.threshold) - 1):
        there = ev.at(threshold=float(sweep.threshold[i]))
        assert there["precision"].value == pytest.approx(sweep.metrics["precision"][0][i])
        assert there["precision"].low == pytest.approx(sweep.metrics["precision"][1][i])
        assert there["f1"].value == pytest.approx(sweep.metrics["f1"][0][i])
        assert float(there.models[0].labels.binary().tp) == sweep.tp[i]


@pytest.mark.slow
def test_several_models(rows):
    y, a, b = rows
    both = tm.evaluate(y, y_score={"a": a, "b": b})
    assert both.names == ("a", "b")
    assert both.model("a").values()["a"] == tm.evaluate(y, y_score={"a": a}).values()["a"]
    with pytest.raises(tm.InputError, match=r"holds 2 models \('a', 'b'\); choose one with"):
        both["mcc"]
    with pytest.raises(tm.InputError, match=r"no model 'c'; there are 'a', 'b'"):
        both.model("c")
    assert set(both.curves()) == {"a", "b"}
    assert len(both.table(["mcc", "auc"])) == 4


def test_predictions_and_scores_of_one_model(rows):
    y, p, _ = rows
    given = (p >= 0.42).astype(int)
    one = tm.evaluate(y, given, y_score=p)
    assert one.models[0].threshold is None
    assert one.models[0].rule == "predictions as given"
    assert one["accuracy"].value == tm.metrics.accuracy(y, given)
    assert one["roc_auc"].value == tm.metrics.roc_auc(y, p)
    with pytest.raises(tm.InputError, match="use the same names for the same model"):
        tm.evaluate(y, {"a": given}, y_score={"b": p})


def test_predictions_alone(rows):
    y, p, _ = rows
    labels = np.where(p >= 0.5, "sick", "well")
    truth = np.where(y == 1, "sick", "well")
    one = tm.evaluate(truth, labels, positive="sick")
    assert "roc_auc" not in one.values()["model"]
    assert one.curves() == {}
    assert one._sweep() == {}
    with pytest.raises(tm.InputError, match="roc_auc needs scores, and model has none"):
        one["roc_auc"]
    with pytest.raises(tm.InputError, match="a roc curve needs scores"):
        one.curve("roc")
    with pytest.raises(tm.InputError, match="a threshold needs scores"):
        one.at(threshold=0.2)
    assert tm.evaluate(truth, labels).positive == "sick"


@pytest.mark.slow
def test_many_classes():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "c"], 300)
    p = rng.dirichlet(np.ones(3), 300) * 0.5 + 0.5 * np.eye(3)[np.searchsorted(["a", "b", "c"], y)]
    many = tm.evaluate(y, y_score=p)
    assert many.positive is None
    assert many.models[0].rule == "the most probable class"
    named = tm.evaluate(y, y_score=pd.DataFrame(p[:, ::-1], columns=["c", "b", "a"]))
    assert named.models[0].labels == many.models[0].labels
    assert many["f1"].definition["average"] == "macro"
    assert many["roc_auc"].value == tm.metrics.roc_auc(y, p)
    assert many.value("roc_auc", average="weighted").value == tm.metrics.roc_auc(
        y, p, average="weighted"
    )
    per_class = many.per_class()["model"]
    for i, label in enumerate("abc"):
        assert per_class[label]["roc_auc"].value == tm.metrics.roc_auc(
            (y == label).astype(int), p[:, i]
        )
        assert per_class[label]["sensitivity"].method == "Wilson"
    assert set(many.curves()) == {"model: a", "model: b", "model: c"}
    with pytest.raises(tm.InputError, match="judges one class against the rest"):
        many.curve("roc")
    with pytest.raises(tm.InputError, match="many values; take .per_class"):
        many.value("recall", average="per_class")
    with pytest.raises(
        tm.InputError, match=r"'a', 'b', 'c'\), not two; correct a label that is a mist"
    ):
        tm.evaluate(y, y_score=p, positive="a")
    with pytest.raises(
        tm.InputError, match="correct a label that is a mistake, or give one score column"
    ):
        tm.evaluate(y, y_score=p[:, 0])


@pytest.mark.slow
def test_frames_files_and_arrays_are_the_same(tmp_path, rows):
    y, p, _ = rows
    frame = pd.DataFrame({"label": y, "score": p})
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_parquet(tmp_path / "p.parquet")
    wanted = tm.evaluate(y, y_score=p).values()["model"]
    for data in (
        frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(),
        tmp_path / "p.csv", str(tmp_path / "p.parquet"),
    ):  # fmt: skip
        found = tm.evaluate(data)
        assert found.values()["score"] == wanted
        assert found.source._roles == {"truth": "label", "score": "score"}


def test_counts_already_made(tmp_path):
    (tmp_path / "n.csv").write_text(
        "truth,pred,n\n1,1,70\n1,0,30\n0,1,20\n0,0,80\n", encoding="utf-8"
    )
    counted = tm.evaluate(tmp_path / "n.csv")
    assert counted.rows == 200
    assert counted["accuracy"].value == 0.75
    assert counted["accuracy"].method == "Wilson"
    (tmp_path / "s.csv").write_text("score,pos,neg\n0.9,8,2\n0.2,1,9\n", encoding="utf-8")
    scored = tm.evaluate(tmp_path / "s.csv")
    assert scored["roc_auc"].value == pytest.approx((8 * 9 + 0.5 * (8 * 2 + 1 * 9)) / 99)
    assert scored.rows == 20


def test_weights(rows):
    y, p, _ = rows
    w = np.random.default_rng(3).exponential(1, len(y))
    weighted = tm.evaluate(y, y_score=p, weight=w)
    assert weighted.weighted
    assert weighted["roc_auc"].value == pytest.approx(tm.metrics.roc_auc(y, p, sample_weight=w))
    assert weighted.no_information().p_values == {"model": None}
    assert any(n.rule == "weighted" for n in weighted.notes)
    for v in weighted.values()["model"].values():
        assert v.low <= v.value <= v.high or "too few for a false positive rate" in v.method


def test_the_no_information_rate(ev):
    nothing = ev.no_information()
    counts = ev.models[0].labels.counts
    assert nothing.label == 0
    assert nothing.rate == counts[0].sum() / 400
    assert nothing.p_values["model"] == pytest.approx(mid_p(counts[1, 1], counts[0, 1]), rel=1e-9)


@pytest.mark.slow
def test_json_follows_its_schema(ev, rows):
    y, p, q = rows
    three = np.random.default_rng(0).dirichlet(np.ones(3), 60)
    validator = jsonschema.Draft202012Validator(schema())
    for one in (
        ev,
        tm.evaluate(y, y_score={"a": p, "b": q}),
        tm.evaluate(y, y_score={"a": p, "b": q, "sure": np.round(p)}),
        tm.evaluate(y, y_score={"a": p, "b": q}).at(prevalence=0.01),
        tm.evaluate(y, {"a": (p > 0.5).astype(int), "b": (q > 0.5).astype(int)}),
        tm.evaluate(np.arange(60) % 3, y_score={"a": three, "b": three[::-1]}),
        tm.evaluate([0, 0, 0], y_score={"a": [0.1, 0.2, 0.9], "b": [0.1, 0.2, 0.3]}),
        tm.evaluate(np.arange(60) % 3, y_score=three),
        tm.evaluate([0, 0, 0], y_score=[0.1, 0.2, 0.9]),
        tm.evaluate(y, (p > 0.5).astype(int)),
        tm.evaluate(np.stack([y, y & (q > 0.4)], 1), y_score={"a": np.stack([p, q], 1)}),
    ):
        validator.validate(json.loads(one.to_json()))
    assert json.loads(ev.to_json())["models"][0]["values"]["roc_auc"]["value"] == ev["auc"].value


def test_json_has_no_rounding_and_texts_for_what_is_infinite():
    written = json.loads(tm.evaluate([0, 1, 1] * 20, y_score=[0.0, 1.0, 0.0] * 20).to_json())
    values = written["models"][0]["values"]
    assert (values["log_loss"]["value"], values["log_loss"]["reason"]) == ("inf", None)
    assert values["accuracy"]["value"] == 40 / 60


@pytest.mark.slow
def test_json_tells_the_comparison_of_models_on_the_same_rows(ev, rows):
    y, p, q = rows
    both = tm.evaluate(y, y_score={"a": p, "b": q})
    found = json.loads(both.to_json())["comparison"]
    assert found == json.loads(json.dumps(both.compare(permutations=0).to_dict()))
    assert both._compared is both._compared
    assert found["pairs"][0]["verdict"]["text"] == str(both._compared.verdicts[0])
    assert json.loads(ev.to_json())["comparison"] is None
    apart = replace(both, _counted=replace(counted_of(both), joint=None))
    assert json.loads(apart.to_json())["comparison"] is None


def test_an_infinite_difference_is_told_as_text(rows):
    y, p, q = rows
    found = json.loads(tm.evaluate(y, y_score={"a": p, "sure": np.round(q)}).to_json())
    loss = found["comparison"]["pairs"][0]["differences"]["log_loss"]
    assert {loss["first_value"], loss["second_value"]} > {"inf"}
    assert loss["value"] in ("inf", "-inf")
    assert loss["method"] == "no interval: one of the two is infinite"


def test_json_is_written_whole_or_not_at_all(ev, tmp_path):
    ev.to_json(tmp_path / "e.json")
    assert json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))["rows"] == 400
    with pytest.raises(tm.InputError, match="does not exist; create it first"):
        ev.to_json(tmp_path / "no" / "e.json")
    assert [f.name for f in tmp_path.iterdir()] == ["e.json"]


def codes(one):
    return {n.rule for n in one.notes}


@pytest.mark.slow
def test_warnings_when_a_number_should_not_be_trusted():
    rng = np.random.default_rng(0)
    rare = np.zeros(2000, dtype=int)
    rare[:12] = 1
    score = rng.random(2000) * 0.4
    found = tm.evaluate(rare, y_score=score)
    assert {"few-rows", "imbalance", "one-decision", "undefined"} <= codes(found)
    assert "12 rows of 1" in " ".join(n.text for n in found.notes)
    one_class = tm.evaluate([0] * 40, y_score=list(np.linspace(0, 1, 40)))
    assert "one-class" in codes(one_class)
    assert "no row is truly positive" in one_class["roc_auc"].reason
    logits = tm.evaluate([0, 1] * 50, y_score=rng.normal(size=100))
    assert "not-probabilities" in codes(logits)
    assert logits.models[0].threshold == 0.0
    assert "brier" not in logits.values()["model"]
    with pytest.raises(tm.InputError, match="a calibration curve needs probabilities"):
        logits.curve("calibration")
    points = tm.evaluate([0, 1] * 50, y_score=rng.integers(300, 850, 100))
    assert "threshold-chosen" in codes(points)
    assert "threshold-chosen" not in codes(points.at(threshold=600))
    backwards = tm.evaluate([1, 0], y_score=[300, 700])
    assert math.isfinite(backwards.models[0].threshold)
    certain = tm.evaluate([0, 1] * 40, y_score=[0.1, 0.9] * 39 + [0.1, 0.0])
    assert "held-impossible" in codes(certain)
    assert certain["log_loss"].method == "no interval: the value is infinite"
    backwards = tm.evaluate([0, 1] * 40, y_score=list(rng.random(80) - 0.5 * np.tile([0, 1], 40)))
    assert "reversed" in codes(backwards)
    absent = tm.evaluate(["a", "b"] * 30, ["a", "c"] * 30)
    assert "absent-class" in codes(absent)
    sums = tm.evaluate([0, 1, 2] * 20, y_score=np.full((60, 3), 0.9))
    assert "not-probabilities" in codes(sums)


def test_missing_values(rows):
    y, p, _ = rows
    holes = p.copy()
    holes[[3, 8]] = np.nan
    with pytest.raises(
        tm.InputError,
        match=r"y_score is missing in 2 rows, first at index 3; correct the data, or say",
    ):
        tm.evaluate(y, y_score=holes)
    kept = tm.evaluate(y, y_score=holes, missing="drop")
    assert (kept.rows, kept.dropped) == (398, 2)
    assert kept["roc_auc"].value == tm.metrics.roc_auc(np.delete(y, [3, 8]), np.delete(p, [3, 8]))
    with pytest.raises(tm.InputError, match="there is no row to count in"):
        tm.evaluate([0, 1], y_score=[np.nan, np.nan], missing="drop")


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (([0, 1],), {}, "nothing to judge: give y_pred, y_score or both"),
        (([0, 1], [0, 1, 1]), {}, "the lengths differ: y_true has 2, y_pred has 3 rows"),
        (([0, 1],), {"y_score": {}}, "y_score is an empty mapping"),
        (([0, 1],), {"y_score": ["a", "b"]}, "y_score holds 'a' at index 0, which is not a number"),
        (([0, 1],), {"y_score": [0.1, np.inf]}, "y_score is inf at index 1; give finite numbers"),
        (([0, 1],), {"y_score": [0, 1], "weight": [1, -2]}, "weight is -2 at index 1"),
        (([0, 1],), {"y_score": [0, 1], "weight": [0, 0]}, "weight is 0 in every row"),
        (([0.5, 1], [0, 1]), {}, "y_true holds the number 0.5 at index 0, which is not a class label"),
        (([1, "1"], [1, 1]), {}, "y_true mixes the number 1 beside the text '1'"),
        (([0, 1], ["0", "1"]), {}, "y_pred holds strings such as '0' and y_true holds numbers"),
        ((["a", "b"], ["a", "b"]), {}, "which class is positive"),
        ((["a", "b"], ["a", "b"]), {"positive": "c"}, "the positive class 'c' does not occur"),
        (([0, 1],), {"y_score": [0, 1], "truth": "y"}, "truth does not go with arrays"),
        (([0, 1],), {"y_score": [0, 1], "level": 2}, "level is 2; give a number between 0 and 1"),
        (([None, None],), {"y_score": [0, 1], "missing": "drop"}, "y_true has no labels"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(arguments, options, sentence):
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(*arguments, **options)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arrays_do_not_go_with_a_frame():
    with pytest.raises(tm.InputError, match="weight does not go with a frame or file"):
        tm.evaluate(pd.DataFrame({"y_true": [0, 1], "p": [0.1, 0.9]}), weight=[1, 1])


def test_unknown_names_are_answered_with_near_ones(ev):
    with pytest.raises(tm.InputError, match="there is no metric 'recal'; did you mean 'recall'"):
        ev["recal"]
    with pytest.raises(tm.InputError, match="there is no curve 'rok'; did you mean 'roc'"):
        ev.curve("rok")
    with pytest.raises(tm.InputError, match="f1 has no parameter 'gamma'"):
        ev.value("f1", gamma=1)


def test_an_evaluation_does_not_change(ev):
    with pytest.raises(AttributeError):
        ev.level = 0.9
    with pytest.raises(ValueError, match="read-only"):
        ev.models[0].labels.counts[0, 0] = 7
    assert replace(ev, level=0.8)["f1"].high < ev["f1"].high


def test_ten_thousand_classes_of_work_stay_small():
    """The same call on many rows gives a tally no larger than its distinct scores."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 700_000)
    p = np.round(rng.random(700_000), 3)
    one = tm.evaluate(y, y_score=p)
    assert len(one.models[0].scores[0].scores) == 1001
    assert one["roc_auc"].high - one["roc_auc"].low < 0.004


@pytest.mark.parametrize(("n", "digits"), [(60, 9), (60, 1), (3000, 9), (70_000, 12)])
@pytest.mark.slow
def test_an_evaluation_is_pickled_whatever_was_asked_of_it(n, digits):
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.4).astype(int)
    ev = tm.evaluate(y, y_score=np.round(rng.random(n), digits))
    untouched = pickle.loads(pickle.dumps(ev))
    values, curves = repr(ev.values()), repr(ev.curves())
    for copy in (untouched, pickle.loads(pickle.dumps(ev))):
        assert repr(copy.values()) == values
        assert repr(copy.curves()) == curves


@pytest.mark.slow
def test_an_evaluation_of_more_classes_is_pickled():
    rng = np.random.default_rng(0)
    ev = tm.evaluate(rng.integers(0, 3, 200), y_score=rng.dirichlet([1, 1, 1], 200))
    values = repr(ev.values())
    assert repr(pickle.loads(pickle.dumps(ev)).values()) == values


@pytest.mark.parametrize(
    ("codes", "told"),
    [
        ([-9.0], "; -9 in 1 row may stand for a missing value"),
        ([-9.0, -99.0, -9.0], "; -9 and -99 in 3 rows may stand for a missing value"),
        ([-9.0, -2.5], None),
        ([-9.0, 7.0], None),
    ],
)
def test_codes_for_missing_probabilities_are_told(codes, told, tmp_path):
    truth = [0, 1] * 20 + [1] * len(codes)
    score = [0.2, 0.7] * 20 + codes
    (text,) = (
        n.text for n in tm.evaluate(truth, y_score=score).notes if "outside 0 to 1" in n.text
    )
    assert ("missing value" in text) == (told is not None)
    if told is None:
        return
    assert told in text
    assert text.endswith("leave such fields empty and say missing='drop'")
    weighted = tm.evaluate(truth, y_score=score, weight=[1.5] * len(truth))
    assert "; -9 " in " ".join(n.text for n in weighted.notes)
    assert "rows may stand" not in " ".join(n.text for n in weighted.notes)
    rows = "".join(f"{t},{s if s >= 0 else ''}\n" for t, s in zip(truth, score, strict=True))
    path = tmp_path / "t.csv"
    path.write_text("label,score\n" + rows, encoding="utf-8")
    mended = tm.evaluate(path, positive=1, missing="drop")
    assert (mended.rows, mended.dropped) == (40, len(codes))
    assert mended.models[0].probabilities


def test_the_four_counts_of_each_class_are_those_that_tharwat_prints():
    tally = tm.LabelTally(("A", "B", "C"), [[80, 15, 5], [15, 70, 15], [0, 10, 90]])
    three = tm.evaluate(tally)
    found = three.per_class(["TP", "fp", "FN", "tn"])["model"]
    counts = {label: [v.value for v in of_class.values()] for label, of_class in found.items()}
    assert counts == {"A": [80, 15, 20, 185], "B": [70, 25, 30, 175], "C": [90, 20, 10, 180]}
    assert list(found["A"]) == ["TP", "FP", "FN", "TN"]
    assert str(found["A"]["TP"]) == "80 (95 % CI 65 to 96)"
    assert [row["value"] for row in three.table(["TP"], per_class=True)] == [80, 70, 90]
    assert three.value("TP", positive="B").value == 70
    with pytest.raises(tm.InputError) as refused:
        three["TP"]
    assert str(refused.value) == (
        "TP is a count of one class; say positive='A', or take .per_class(['TP']) of all 3"
    )
    assert "TP" not in three
    two = tm.evaluate(tm.LabelTally(("A", "B"), [[70, 30], [20, 80]]), positive="A")
    assert [two[name].value for name in ("tp", "fp", "fn", "tn")] == [70, 20, 30, 80]
    assert "tp" in two
    assert "TP" not in list(two)
