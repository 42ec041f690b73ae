"""Weka's predictions: classes lose their index, and the score is of the predicted class."""

from __future__ import annotations

import pandas as pd
import pytest

import tallymark as tm
from judged import refusal
from tallymark.parts.weka.predictions import LAYOUT
from tallymark.reading.choose import find_roles
from tallymark.reading.readers import open_table

COLUMNS = ["inst#", "actual", "predicted", "error", "prediction"]

FILE = """inst#,actual,predicted,error,prediction
1,2:pos,2:pos,,0.9
2,1:tested:neg,2:pos,+,0.75
3,2:pos,1:tested:neg,+,0.6
4,2:?,1:tested:neg,,0.7
"""


def words(coded) -> list:
    return [None if c < 0 else coded.labels[c] for c in coded.codes]


def weka(actual, predicted, p):
    return dict(
        zip(COLUMNS, [range(1, 1 + len(p)), actual, predicted, [""] * len(p), p], strict=True)
    )


def test_weka_roles():
    for given in ({}, {"truth": "actual"}, {"score": "prediction"}, {"pred": "predicted"}):
        roles = find_roles(COLUMNS, **given)
        assert (roles.layout, roles.truth, roles.preds) == (
            LAYOUT,
            "actual",
            (("predicted", None),),
        )
        assert roles.scores == (("prediction", None),)
        assert set(roles.why) == {"truth", "pred", "score"} - set(given)
    assert find_roles([*COLUMNS, "own"], score="own").layout is None


def test_weka_frames_lose_the_index_of_their_classes():
    data = pd.DataFrame(weka(["2:a", "1:z", "2:?"], ["1:z", "1:z", "?"], [0.9, 0.6, 0.7]))
    table = open_table(data)
    assert table.rows == 3
    (chunk,) = table.chunks(["actual", "predicted", "error"], ["prediction"])
    assert words(chunk.labels["actual"]) == ["a", "z", None]
    assert words(chunk.labels["predicted"]) == ["z", "z", None]
    assert words(chunk.labels["error"]) == [None] * 3


def test_weka_classes_of_integers_and_of_plain_texts():
    (chunk,) = open_table(pd.DataFrame(weka(["1:0", "2:10"], ["1:0", "1:0"], [1, 1]))).chunks(
        ["actual", "predicted"], []
    )
    assert words(chunk.labels["actual"]) == [0, 10]
    (chunk,) = open_table(pd.DataFrame(weka([1, 2], [1, 1], [1, 1]))).chunks(["actual"], [])
    assert words(chunk.labels["actual"]) == [1, 2]
    (chunk,) = open_table(pd.DataFrame(weka(["yes"], ["no"], [1]))).chunks(["actual"], [])
    assert words(chunk.labels["actual"]) == ["yes"]


def test_wekas_columns_keep_their_groups():
    frame = pd.DataFrame({
        "inst#": [1, 2], "actual": ["1:a", "2:b"], "predicted": ["1:a", "1:a"],
        "prediction": [0.9, 0.6], "who": ["x", "y"],
    })  # fmt: skip
    (chunk,) = open_table(frame).chunks(["actual"], [], groups=["who"])
    assert chunk.groups["who"].tolist() == [0, 1]


def test_weka_labels_lose_their_index(write):
    path = write("t.csv", FILE)
    table = open_table(path)
    assert find_roles(table.columns).layout is LAYOUT
    (chunk,) = table.chunks(["actual", "predicted"], ["prediction"])
    assert words(chunk.labels["actual"]) == ["pos", "tested:neg", "pos", None]
    assert words(chunk.labels["predicted"]) == ["pos", "pos", "tested:neg", "tested:neg"]
    assert chunk.numbers["prediction"].tolist() == [0.9, 0.75, 0.6, 0.7]


def test_weka_distribution_is_refused(write):
    text = "inst#,actual,predicted,error,distribution\n1,1:a,1:a,,*0.854,0.146\n"
    assert "made by Weka with -distribution" in refusal(write("t.csv", text))


def test_output_of_weka_as_text_is_refused(write):
    text = "=== Predictions on test data ===\n\n  inst#  actual  predicted error prediction\n"
    with pytest.raises(tm.InputError, match="is Weka's output as plain text; give Weka the option"):
        tm.evaluate(write("t.txt", text + "  1  2:yes  2:yes   0.7\n"))


def test_wekas_predictions(tmp_path):
    (tmp_path / "w.csv").write_text(
        "inst#,actual,predicted,error,prediction\n"
        "1,1:neg,1:neg,,0.9\n2,2:pos,2:pos,,0.8\n3,2:pos,1:neg,+,0.6\n4,1:neg,2:pos,+,0.55\n"
    )
    weka = tm.evaluate(tmp_path / "w.csv", positive="pos")
    assert weka.classes == ("neg", "pos")
    assert weka["accuracy"].value == 0.5
    assert weka["roc_auc"].value == tm.metrics.roc_auc([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.55])


def test_the_truth_of_weka_is_in_its_own_file(tmp_path):
    frame = pd.DataFrame(weka(["1:a"], ["1:a"], [1.0]))
    gold = pd.DataFrame({"id": [1], "label": ["a"]})
    assert "made by Weka's -p, which writes the true classes too" in refusal(frame, truth=gold)
    frame.to_csv(tmp_path / "w.csv", index=False)
    assert "w.csv was made by Weka's -p, which writes" in refusal(
        gold, truth=tm.file(tmp_path / "w.csv")
    )
