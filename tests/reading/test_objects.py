"""JSON files that are one object, and objects in rows: their fields have dotted names."""

from __future__ import annotations

import json

import pytest

import tallymark as tm
from tallymark.errors import InputError

CASES = [
    {"id": 1, "truth": "no", "prediction": {"label": "no", "score": 0.2}},
    {"id": 2, "truth": "yes", "prediction": {"label": "yes", "score": 0.9}},
    {"id": 3, "truth": "yes", "prediction": {"label": "no", "score": 0.4}},
    {"id": 4, "truth": "no", "prediction": {"label": "no", "score": 0.1}},
]
LISTS = {"truth": ["no", "yes", "yes", "no"], "score": [0.2, 0.9, 0.4, 0.1]}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"run": "é", "model": {"name": "a"}, "cases": CASES}, "the rows in 'cases'"),
        (LISTS | {"é": [1, 2, 3, 4]}, "a list a column"),
    ],
)
def test_the_rows_that_one_object_holds(write, indent, encoding, found, told):
    text = json.dumps(found, indent=indent, ensure_ascii=False)
    ev = tm.evaluate(write("t.json", text.encode(encoding)), positive="yes")
    assert (ev.rows, ev["accuracy"].value) == (4, 0.75)
    assert told in ev.source.format


@pytest.mark.parametrize("lines", [True, False])
def test_fields_of_objects_have_dotted_names(write, lines):
    text = "\n".join(map(json.dumps, CASES)) if lines else json.dumps(CASES)
    ev = tm.evaluate(write("t.json", text), positive="yes")
    assert ev.source.roles["pred"] == "prediction.label"
    assert ev.source.roles["score"] == "prediction.score"
    assert (ev["accuracy"].value, ev["auc"].value) == (0.75, 1.0)


def test_an_object_of_scores_holds_a_model_each(write):
    rows = [
        {"label": "no", "scores": {"a": 0.1, "b/c": {"d": 0.6}}},
        {"label": "yes", "scores": {"b/c": {"d": 0.7}, "a": 0.2}},
        {"label": "yes", "scores": None},
    ]
    path = write("t.jsonl", "\n".join(map(json.dumps, rows)))
    ev = tm.evaluate(path, positive="yes", missing="drop")
    assert [m.name for m in ev.models] == ["scores.a", "scores.b/c.d"]
    assert (ev.rows, ev.dropped) == (2, 1)
    with pytest.raises(InputError, match=r"scores\.a"):
        tm.evaluate(path, positive="yes")


def test_a_column_of_objects_and_plain_values_is_refused(write):
    rows = [{"label": 1, "pred": {"a": 1}}, {"label": 0, "pred": 0}]
    with pytest.raises(InputError, match="pred holds an object at row 1"):
        tm.evaluate(write("t.json", json.dumps(rows)), truth="label", pred="pred", positive=1)


@pytest.mark.parametrize("found", [{"a": CASES, "b": CASES}, {"cases": []}])
def test_an_object_with_no_or_several_tables_is_refused(write, found):
    with pytest.raises(InputError, match=r"say which|an object|a list"):
        tm.evaluate(write("t.json", json.dumps(found)), positive="yes")


def test_one_object_of_one_row_is_a_row(write):
    path = write("t.json", json.dumps({"label": 1, "pred": 1, "boxes": [1, 2]}))
    assert tm.evaluate(path, truth="label", pred="pred", positive=1, labels=[0, 1]).rows == 1
