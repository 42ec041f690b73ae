"""JSON files that are one object, and objects in rows: their fields have dotted names."""

from __future__ import annotations

import json
import re

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import tallymark as tm
from tallymark.errors import InputError
from tallymark.reading.files import open_file

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
    assert ev.source._roles["pred"] == "prediction.label"
    assert ev.source._roles["score"] == "prediction.score"
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
    with pytest.raises(InputError, match=r"say which|one row, and one sample judges"):
        tm.evaluate(write("t.json", json.dumps(found)), positive="yes")


def test_one_object_of_one_row_is_a_row(write):
    path = write("t.json", json.dumps({"label": 1, "pred": 1, "boxes": [1, 2]}))
    assert tm.evaluate(path, truth="label", pred="pred", positive=1, classes=[0, 1]).rows == 1


# -- tables in one value -------------------------------------------------------------------------

PLAIN = [("yes", 0.9), ("no", 0.1), ("yes", 0.4), ("no", 0.6)]
FRAME = pd.DataFrame(PLAIN, columns=["label", "score"])
NAMED = FRAME.set_axis(["a", "b", "c", "d"])


def judged(path, **options):
    ev = tm.evaluate(path, positive="yes", **options)
    return ev.rows, ev["roc_auc"].value, ev.source.format


def refusal(path, **options):
    with pytest.raises(InputError) as caught:
        tm.evaluate(path, positive="yes", **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "frame", [FRAME, NAMED, FRAME.iloc[[2, 0, 3, 1]]], ids=["0", "abcd", "2031"]
)
@pytest.mark.parametrize("orient", ["split", "index", "columns", "table", "records"])
@pytest.mark.parametrize("indent", [None, 2])
def test_every_layout_of_pandas(write, frame, orient, indent):
    path = write("t.json", frame.to_json(orient=orient, indent=indent))
    assert judged(path, truth="label", score="score")[:2] == (4, 0.75)
    assert judged(path)[:2] == (4, 0.75)


@pytest.mark.parametrize("orient", ["index", "columns"])
@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"y_true": [1, 0, 1, 0], "y_score": [0.9, 0.1, 0.4, 0.6]}, index=[*"abcd"]),
        pd.DataFrame({"a": ["yes", "no"] * 2, "b": [0.9, 0.1, 0.4, 0.6]}, index=[*"pqrs"]),
        pd.DataFrame({"0": ["yes", "no"] * 2, "1": [0.9, 0.1, 0.4, 0.6]}),
    ],
)
def test_columns_and_rows_are_told_apart(write, frame, orient):
    path = write("t.json", frame.to_json(orient=orient))
    found = set(open_file(path).columns) - {"index"}
    assert found == set(frame.columns)


def test_objects_that_could_be_either_are_no_table(write):
    report = {"cat": {"x": 0.5, "y": 0.4}, "dog": {"x": 0.6, "y": 0.7}}
    assert open_file(write("t.json", json.dumps(report))).columns == (
        "cat.x",
        "cat.y",
        "dog.x",
        "dog.y",
    )


@pytest.mark.parametrize(
    "value",
    [
        {"columns": ["label", "score"], "data": PLAIN},
        {"columns": ["label", "score"], "data": PLAIN, "ncols": 2, "nrows": 4},
        {"_type": "table", "columns": ["label", "score"], "index": [0, 1, 2, 3], "data": PLAIN},
        {
            "run": {"id": 7},
            "tables": {"predictions": {"columns": ["label", "score"], "data": PLAIN}},
        },
        {"run": 7, "results": {"rows": [{"label": y, "score": s} for y, s in PLAIN]}},
        {"label": [y for y, _ in PLAIN] * 3, "score": [s for _, s in PLAIN] * 3, "model": "a"},
        {"run": 7, "out": {"label": [y for y, _ in PLAIN], "score": [s for _, s in PLAIN]}},
        [["label", "score"], *PLAIN],
    ],
)
def test_tables_of_trackers_and_logs(write, value):
    rows, area, _ = judged(write("t.json", json.dumps(value)))
    assert rows in (4, 12)
    assert area == 0.75


def test_lists_without_names(write):
    path = write("t.json", json.dumps(PLAIN))
    assert judged(path, truth="column0", score="column1")[0] == 4


def test_which_of_several_tables(write):
    cases = [{"label": y, "score": s} for y, s in PLAIN]
    path = write("t.json", json.dumps({"options": [{"lr": 1}, {"lr": 2}], "cases": cases}))
    told = refusal(path)
    assert (
        "t.json has 2 tables with data, 'cases', 'options'; say which with options={'sheet': 'cases'}"
        in told
    )
    assert judged(path, options={"sheet": "cases"}) == (4, 0.75, ("the rows in 'cases'",))
    assert "t.json has no table 'case'; did you mean 'cases'?" in refusal(
        path, options={"sheet": "case"}
    )
    path = write("u.json", json.dumps(cases))
    assert "u.json holds one table alone; leave sheet out" in refusal(
        path, options={"sheet": "cases"}
    )


def test_nan_and_large_numbers_stay_what_they_are(write):
    path = write("t.json", '{"columns": ["label", "score"], "data": [["yes", NaN], ["no", 0.1]]}')
    assert "score is missing in 1 row" in refusal(path)
    path = write("t.json", '{"columns": ["id", "score"], "data": [[9007199254740993, 0.1]]}')
    (chunk,) = open_file(path).chunks([], ["score"], groups=["id"])
    assert chunk.rows == 1


@pytest.mark.parametrize("rows", [4, 30_000])
@pytest.mark.parametrize(
    "odd", [{"accuracy": 0.75}, {"summary": {"accuracy": 0.75}}, {"final_report": None, "seed": 1}]
)
@pytest.mark.slow
def test_a_line_about_the_run_is_left_out(write, rows, odd):
    lines = [json.dumps(case) for case in CASES * (rows // 4)]
    path = write("t.jsonl", "\n".join([*lines, json.dumps(odd)]) + "\n")
    ev = tm.evaluate(path, positive="yes")
    assert (ev.rows, ev["accuracy"].value) == (rows, 0.75)
    assert ev.source.format[0].startswith("a final line left out ('{")
    ev = tm.evaluate(write("t.jsonl", "\n".join([json.dumps(odd), *lines])), positive="yes")
    assert (ev.rows, ev["accuracy"].value) == (rows, 0.75)
    assert ev.source.format[0].startswith("a first line left out ('{")


def test_a_last_row_that_lacks_some_values_is_a_row(write):
    lines = [json.dumps(case) for case in [*CASES, {"id": 5, "accuracy": 1}]]
    assert "truth is missing in 1 row, first at row 5" in refusal(
        write("t.jsonl", "\n".join(lines))
    )


def test_one_large_value_is_refused_with_what_works(write):
    value = {"label": {str(i): "yes" for i in range(9)}, "score": {str(i): i / 9 for i in range(9)}}
    path = write("t.json", json.dumps(value) + " " * 2_000_000)
    with pytest.raises(InputError) as caught:
        open_file(path, memory=10_000_000)
    told = str(caught.value)
    assert "t.json is one JSON value of 2 MB, which takes 10 times as much memory" in told
    assert (
        "write it as one object per row (in pandas: orient='records', lines=True), or say" in told
    )
    (memory,) = re.findall(r"memory='(\d+)GB'", told)
    assert open_file(path, memory=int(memory) * 10**9 // 4).rows == 9


@pytest.mark.slow
def test_wide_tables_in_objects(write):
    """150 rows of 165 columns, and of as many classes in an object."""
    wide = [{"label": i % 2, **{f"c{k}": k % 7 for k in range(164)}} for i in range(150)]
    for orient in ("records", "columns", "split"):
        path = write("t.json", pd.DataFrame(wide).to_json(orient=orient))
        assert (open_file(path).rows, len(open_file(path).columns)) == (150, 165)
    rows = [{"label": i, "p": {f"c{k}": k for k in range(165)}} for i in range(150)]
    assert len(open_file(write("t.jsonl", "\n".join(map(json.dumps, rows)))).columns) == 166


# -- cells ---------------------------------------------------------------------------------------


def files_of(tmp_path, rows):
    """Return files of rows in every kind that holds objects and lists."""
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.arrow")
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    return [tmp_path / f"t.{end}" for end in ("parquet", "arrow", "jsonl", "json")]


@pytest.mark.slow
def test_structs_are_objects(tmp_path):
    for path in files_of(tmp_path, CASES):
        ev = tm.evaluate(path, positive="yes")
        assert ev.source._roles["pred"] == "prediction.label"
        assert ev.source._roles["score"] == "prediction.score"
        assert (ev["accuracy"].value, ev["auc"].value) == (0.75, 1.0)


@pytest.mark.parametrize("words", [("label", "score"), ("label", "prob"), ("class", "confidence")])
@pytest.mark.slow
def test_a_list_of_classes_with_their_scores_is_a_score_a_class(tmp_path, words):
    rows = []
    for i, (label, score) in enumerate(PLAIN):
        both = [dict(zip(words, of, strict=True)) for of in (("yes", score), ("no", 1 - score))]
        rows.append({"truth": label, "scores": both[:: 1 if i % 2 else -1]})
    for path in files_of(tmp_path, rows):
        assert open_file(path).columns == ("truth", "scores.no", "scores.yes")
        assert judged(path)[:2] == (4, 0.75)
    (tmp_path / "t.jsonl").write_text(
        "\n".join(json.dumps(r) for r in [*rows, {"truth": "no"}]), encoding="utf-8"
    )
    assert "scores.yes is missing in 1 row" in refusal(tmp_path / "t.jsonl").replace(
        "scores.no", "scores.yes"
    )


@pytest.mark.slow
def test_the_class_that_is_predicted_with_its_score(tmp_path):
    rows = [
        {"truth": y, "out": [{"label": y if s > 0.5 else "no", "score": max(s, 1 - s)}]}
        for y, s in PLAIN
    ]
    for path in files_of(tmp_path, rows):
        assert open_file(path).columns == ("truth", "out.label", "out.score")
        assert tm.evaluate(path, truth="truth", pred="out.label", positive="yes").rows == 4


def test_lists_of_other_objects_stay_lists(tmp_path):
    rows = [
        {"truth": y, "boxes": [{"label": "a", "score": 1}] * k} for k, (y, _) in enumerate(PLAIN)
    ]
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    assert open_file(tmp_path / "t.json").columns == ("truth", "boxes")
    rows = [{"truth": y, "boxes": [{"label": "a", "x": 1}] * 2} for y, _ in PLAIN]
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    assert open_file(tmp_path / "t.json").columns == ("truth", "boxes")


@pytest.mark.slow
def test_a_fraction_in_a_list_of_its_own_is_a_number(tmp_path):
    rows = [{"label": y, "score": [s]} for y, s in PLAIN]
    for path in files_of(tmp_path, rows):
        assert judged(path)[:2] == (4, 0.75)
    lines = "".join(f"{y},[{s}]\n" for y, s in PLAIN)
    (tmp_path / "t.csv").write_text("label,output\n" + lines, encoding="utf-8")
    assert judged(tmp_path / "t.csv")[:2] == (4, 0.75)
    (tmp_path / "t.csv").write_text(
        "label,score\n" + lines.replace("[0.6]", "[[0.6]]"), encoding="utf-8"
    )
    assert judged(tmp_path / "t.csv")[:2] == (4, 0.75)
    (tmp_path / "t.csv").write_text("label,score\n" + lines + "yes,\n", encoding="utf-8")
    assert "score is missing in 1 row" in refusal(tmp_path / "t.csv")
    assert judged(pd.DataFrame(rows))[:2] == (4, 0.75)
    (tmp_path / "t.json").write_text(
        json.dumps([{"label": [1], "score": 0.5}, {"label": [1], "score": 0.1}]), encoding="utf-8"
    )
    with pytest.raises(InputError, match="label holds a list at row 1"):
        tm.evaluate(tmp_path / "t.json", truth="label", score="score", positive=1)


def test_maps_are_objects(tmp_path):
    scores = pa.array(
        [[("yes", s), ("no", 1 - s)] for _, s in PLAIN], pa.map_(pa.string(), pa.float64())
    )
    pq.write_table(pa.table({"label": [y for y, _ in PLAIN], "p": scores}), tmp_path / "t.parquet")
    assert open_file(tmp_path / "t.parquet").columns == ("label", "p.no", "p.yes")
    assert judged(tmp_path / "t.parquet")[:2] == (4, 0.75)


ROWS_BY_LINE = '{"y": 1, "p": 0.5}\n{"y": 0, "p": 0.25}\n{"y": 1, "p": 0.75}\n'
RUN, MEAN = '{"run": "a", "at": "May"}', '{"mean": 0.5}'
LONG_RUN = '{"run": "' + "x" * 60 + '"}'
SURROUNDED = [
    (ROWS_BY_LINE, ()),
    (f"{RUN}\n{ROWS_BY_LINE}", (f"a first line left out ({RUN!r})",)),
    (f"{ROWS_BY_LINE}{MEAN}\n", (f"a final line left out ({MEAN!r})",)),
    (f"{RUN}\n{ROWS_BY_LINE}{MEAN}", (f"a first line left out ({RUN!r})", f"a final line left out ({MEAN!r})")),
    (f"{LONG_RUN}\n{ROWS_BY_LINE}", (f"a first line left out ({LONG_RUN[:40] + '...'!r})",)),
    (f"hello\n{ROWS_BY_LINE}",
     "t.jsonl is not JSON at byte 1 of record 1: unexpected character; correct record 1"),
    (f"{ROWS_BY_LINE}done\n",
     "t.jsonl is not JSON at byte 1 of line 4: unexpected character; correct line 4"),
    (f"[1, 2]\n{ROWS_BY_LINE}",
     "there is no true class here: no column looks like it (names such as y_true, label, target, or two "
     "values in all rows); the columns are 'json'; name its column with truth=..., or give the file that "
     "holds it with truth=tm.file(...)"),
    *((f"{first}\n{ROWS_BY_LINE}" if first == "{}" else f'{first}\n{{"y": 1, "p": 0.5}}\n',
       "y is missing in 1 row, first at row 1, and p in 1 row, first at row 1; correct the data, or say "
       "missing='drop' to leave those rows out") for first in ("{}", RUN)),
]  # fmt: skip


def test_a_line_about_the_run_is_left_out_above_and_below_the_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text, wanted in SURROUNDED:
        (tmp_path / "t.jsonl").write_text(text, encoding="utf-8")
        if isinstance(wanted, tuple):
            ev = tm.evaluate("t.jsonl")
            assert (ev.rows, ev.source.format) == (3, wanted)
            continue
        with pytest.raises(tm.InputError) as caught:
            tm.evaluate("t.jsonl")
        assert str(caught.value) == wanted
