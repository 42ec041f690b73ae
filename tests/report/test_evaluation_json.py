"""The JSON of an evaluation at no symmetric point: every number computed apart."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallymark as tm
from asymmetric import (
    FIRST,
    ILL,
    LEVEL,
    MODELS,
    SECOND,
    SITE,
    TRUTH,
    area,
    brier,
    cells,
    mid_p,
    roc,
    wilson,
)

TP, FP, FN, TN = cells(SECOND)


@pytest.fixture(scope="module")
def ev():
    return tm.evaluate(
        TRUTH, y_score=MODELS, positive="ill", level=LEVEL, seed=3, subgroup={"site": SITE},
        fold=np.arange(1000) % 4,
    )  # fmt: skip


@pytest.fixture(scope="module")
def data(ev):
    return ev.to_dict()


def test_the_facts_stand_at_the_top(ev, data):
    facts = {
        "rows": 1000, "dropped": 0, "classes": ["ill", "well"], "labels": [], "positive": "ill",
        "weighted": False, "level": 0.8, "seed": 3, "stratified": False, "costs": None,
    }  # fmt: skip
    assert {name: data[name] for name in facts} == facts
    assert (data["format"], data["version"]) == ("tallymark/evaluation", 1)
    assert data["no_information"] == {"label": "well", "rate": 0.9}
    assert data["verdict"].startswith("Use second: it beats first. second finds 82 of 100 ill rows")
    assert data["verdict"] in " ".join(ev.summary(width=10_000).split())
    pair = data["comparison"]["pairs"][0]
    assert {pair["first"], pair["second"]} == {"first", "second"}
    assert [s["rule"] for s in data["advice"]["statements"]] == [
        s.rule for s in ev.advise().statements
    ]
    assert [n["code"] for n in data["notes"]] == [n.rule for n in ev.notes]


def test_each_model_has_its_counts_values_and_curves(data):
    for model, (name, score) in zip(data["models"], MODELS.items(), strict=True):
        tp, fp, fn, tn = cells(score)
        assert (model["name"], model["threshold"], model["probabilities"]) == (name, 0.5, True)
        assert model["rule"] == "scores at or above 0.5"
        assert model["tally"]["counts"] == [[tp, fn], [fp, tn]]
        p = mid_p(tp, fp)
        assert model["accuracy_above_no_information_p_value"] == pytest.approx(p)
        low, high = wilson(tp, tp + fp)
        v = model["values"]["precision"]
        assert (v["value"], v["low"], v["high"]) == pytest.approx((tp / (tp + fp), low, high))
        assert model["values"]["brier"]["value"] == pytest.approx(brier(score))
        assert "per_class" not in model
        assert "averages" not in model
        curve = model["curves"]["roc"]
        assert (curve["x_metric"], curve["y_metric"]) == ("false_positive_rate", "sensitivity")
        assert curve["thinning_error"] == 0
        cuts = [np.inf if t == "inf" else t for t in curve["threshold"]]
        rates = [[(score[rows] >= t).mean() for t in cuts] for rows in (~ILL, ILL)]
        assert (curve["x"], curve["y"]) == (pytest.approx(rates[0]), pytest.approx(rates[1]))
        tenths = model["curves"]["deciles"]
        assert len(tenths["y"]) == 10
        assert sum(tenths["y"]) == pytest.approx(1)
        assert tenths["low"][0] < tenths["y"][0] < tenths["high"][0]
    assert roc(SECOND, 0.1) > roc(FIRST, 0.1)


def test_subgroups_leaders_and_folds_are_listed(data):
    first, second = data["subgroups"]
    for of_model, score in ((first, FIRST), (second, SECOND)):
        each = {s["values"]["accuracy"]["value"]: s["rows"] for s in of_model["subgroups"]}
        right = (score >= 0.5) == ILL
        expected = {
            right[np.equal(SITE, s)].mean(): int(np.equal(SITE, s).sum())
            for s in ("north", "south")
        }
        assert {round(k, 9): v for k, v in each.items()} == {
            round(k, 9): v for k, v in expected.items()
        }
    for leader, site in zip(data["leaders"], ("north", "south"), strict=True):
        rows = np.equal(SITE, site)
        lead = area(SECOND[rows], ILL[rows]) - area(FIRST[rows], ILL[rows])
        assert (leader["lead"], leader["rows"]) == (pytest.approx(lead), rows.sum())
    assert [leader["model"] for leader in data["leaders"]] == ["second", "second"]
    assert data["folds"] is not None
    alone = tm.evaluate(TRUTH, y_score=FIRST, positive="ill").to_dict()
    assert alone["subgroups"] is alone["leaders"] is alone["folds"] is alone["comparison"] is None


def test_json_is_written_and_read_back(ev, data, tmp_path):
    text = ev.to_json(tmp_path / "ev.json")
    assert json.loads(text) == json.loads(json.dumps(data))
    assert (tmp_path / "ev.json").read_text("utf-8") == text + "\n"
    again = tm.read(tmp_path / "ev.json")
    assert again.values()["second"]["roc_auc"] == ev.values()["second"]["roc_auc"]
    pairs = json.loads(ev.to_json(keep_pairs=True))["counted"]["joint"]
    assert pairs is not None
    assert json.loads(ev.to_json(keep_pairs=False))["counted"]["joint"] is None


REFUSED = [
    (lambda: tm.evaluate([0, 1, 2] * 9, [0, 1, 2] * 9).at(cost_fp=1, cost_fn=2),
     "costs of false alarms and missed positives need two classes, one of them positive; leave "
     "cost_fp and cost_fn out"),
    (lambda: tm.evaluate([0, 1, 2] * 9, [0, 1, 2] * 9).report("p.html", as_printed=True),
     "the wrongly printed formulas need two classes; leave as_printed=... out"),
    (lambda: tm.evaluate([0, 1] * 9, [0, 1] * 9).label("cat"),
     "every row has one class here; take .per_class() for each of them"),
    (lambda: tm.evaluate([0, 1] * 9, {"a": [0, 1] * 9, "b": [0, 1] * 9})["f1"],
     "this evaluation holds 2 models ('a', 'b'); choose one with .model('a'), or take .values() or "
     ".table() of all"),
    (lambda: tm.evaluate([0, 1] * 9, {"a": [0, 1] * 9, "b": [0, 1] * 9}).curve("roc"), None),
    (lambda: tm.evaluate([0, 1] * 9, [0, 1] * 9).curve("roc"),
     "a roc curve needs scores, and model has none; give y_score"),
    (lambda: tm.evaluate([0, 1] * 9, y_score=[3.0, 5.0] * 9).curve("calibration"),
     "a calibration curve needs probabilities, and model holds scores"),
    (lambda: tm.evaluate([0, 1] * 9, y_score=[0.2, 0.7] * 9).curve("effort"),
     "the curve 'effort' needs the effort of each row, such as its lines of code; give effort=..., "
     "and scores of two classes"),
]  # fmt: skip


def test_what_an_evaluation_cannot_answer_is_said_in_whole():
    for ask, message in REFUSED:
        with pytest.raises(tm.InputError) as refused:
            ask()
        assert message is None or str(refused.value) == message


TWO = tm.evaluate(["no", "yes", "yes", "no"] * 9, y_score=[0.1, 0.9, 0.4, 0.3] * 9, positive="yes")
THREE = tm.evaluate([0, 1, 2] * 9, [0, 1, 1] * 9)
OF_ONE_CLASS = [
    (lambda: TWO.value("roc_auc", positive="no"),
     "roc_auc of 'no' needs its score, and this one is of 'yes'; evaluate with positive='no'"),
    (lambda: TWO.value("recall", positive="nope"), "positive is 'nope'; did you mean 'no'?"),
    (lambda: THREE.value("roc_auc"), "roc_auc needs scores, and model has none; give y_score"),
    (lambda: tm.evaluate([0, 1] * 9, [0, 1] * 9)["brier"],
     "brier needs probabilities, and model has none; give y_score"),
    (lambda: TWO.value("hand_till_auc"),
     "hand_till_auc averages over the scores of several classes, and two classes have one; take roc_auc"),
]  # fmt: skip


def test_a_metric_of_one_class_is_that_of_the_class_asked_for():
    assert TWO.value("recall", positive="no").value == 1
    assert TWO.value("recall", positive="yes").value == 0.5
    assert TWO.value("roc_auc", positive="yes") == TWO["roc_auc"]
    assert THREE.value("recall", positive=2).value == 0
    assert THREE.value("precision", positive=1).value == 0.5
    assert "roc_auc" in TWO
    assert "roc_auc" not in THREE
    for ask, message in OF_ONE_CLASS:
        with pytest.raises(tm.InputError) as refused:
            ask()
        assert str(refused.value) == message
