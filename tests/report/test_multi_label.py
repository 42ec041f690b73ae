"""An evaluation of several labels: what it shows, and what it refuses to answer for all of them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import tallymark as tm

RNG = np.random.default_rng(3)
NAMES = ["cat", "dog", "<b>sky"]
Y = (RNG.random((80, 3)) < [0.5, 0.3, 0.4]).astype(int)
S = np.clip(0.5 * Y + 0.7 * RNG.random((80, 3)), 0, 1)
ML = tm.evaluate(Y, y_score=S, classes=NAMES, options={"name": "photos"})


def test_the_summary_shows_rows_averages_and_labels():
    text = ML.summary(120)
    assert text.splitlines()[:2] == [
        "photos",
        f"80 rows, 3 labels, {Y.sum() / 80:.3f} labels a row",
    ]
    value = ML.value("hamming_loss")
    assert f"Hamming loss                     {value.value:.3f}  {value.low:.3f} to" in text
    assert "Average over labels" in text
    assert re.search(rf"dog +{Y[:, 1].sum()} ", text)
    assert f"{ML.value('f1', average='micro').value:.3f}" in text
    assert repr(ML).startswith("<MultiLabelEvaluation: 80 rows, 3 labels")
    assert "Hamming loss" in ML.to_markdown()
    assert "Hamming loss" in ML._repr_html_()


def test_the_table_has_a_row_a_value():
    table = ML.table()
    assert [r["metric"] for r in table][:3] == ["subset_accuracy", "hamming_loss", "ranking_loss"]
    row = next(r for r in table if r["metric"] == "f1_macro")
    assert row["title"] == "F1"
    assert row["value"] == ML.value("f1").value
    assert [r["metric"] for r in ML.table(["f1_micro"])] == ["f1_micro"]
    with pytest.raises(
        tm.InputError, match=("f1_mikro cannot be computed from these predictions; di")
    ):
        ML.table(["f1_mikro"])
    assert set(table.to_pandas()["model"]) == {"model"}


def test_json_holds_every_number(tmp_path):
    data = json.loads(ML.to_json(tmp_path / "ml.json"))
    assert data["format"] == "tallymark/multi-label"
    (model,) = data["models"]
    assert model["values"]["f1_macro"]["value"] == ML.value("f1").value
    assert [one["label"] for one in model["labels"]] == NAMES
    assert model["labels"][1]["rows"] == int(Y[:, 1].sum())
    assert model["labels"][1]["values"]["roc_auc"]["value"] == ML["dog"]["roc_auc"].value


def test_the_page_holds_what_the_summary_does(tmp_path):
    page = ML.report(tmp_path / "page.html").read_text("utf-8")
    for name in ("subset_accuracy", "ranking_loss", "f1_macro", "roc_auc_weighted"):
        assert f"{ML.values()['model'][name].value:.3f}" in page
    assert "&lt;b&gt;sky" in page
    assert "<b>sky" not in page
    assert "Definitions in use" in page
    assert len(page) < 60_000


def test_several_models_stand_one_below_the_other(tmp_path):
    ml = tm.evaluate(Y, {"good": S, "poor": 1 - S}, classes=NAMES)
    assert "good: Averages over labels" in ml.report(tmp_path / "page.html").read_text("utf-8")
    assert "good has every label right" in str(ml)
    assert {r["model"] for r in ml.table()} == {"good", "poor"}


@pytest.mark.parametrize("name", ["by", "curve", "optimal_threshold", "advise", "positive", "at"])
def test_questions_to_one_label_are_sent_there(name):
    with pytest.raises(tm.InputError) as caught:
        getattr(ML, name)
    assert f"{name} is for one label, such as ml['cat']" in str(caught.value)
    assert not hasattr(ML, name)
    assert not hasattr(ML, "nothing_of_the_kind")
    getattr(ML["cat"], name)  # the remedy, word for word


def test_labels_are_found_by_their_names():
    assert ML["dog"].positive == 1
    assert str(ML["dog"].source) == "photos: dog"
    assert tm.evaluate(Y, y_score=S)["1"].rows == 80
    with pytest.raises(tm.InputError, match="there is no label 'dogs'; did you mean 'dog'"):
        ML["dogs"]
