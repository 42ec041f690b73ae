"""ARFF: its header declares columns and classes, and its rows are read as CSV."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from columns_read import read, refusal, words
from tallymark.errors import InputError
from tallymark.reading.files import open_file
from tallymark.reading.kinds import kind_of
from tallymark.reading.readers import open_table

PUBLISHED = Path(__file__).parents[4] / "shared" / "real-files"

ARFF = """% made by hand
@relation 'two words'
@attribute 'the class' {b, a, 'never, seen'}
@ATTRIBUTE score NUMERIC
@attribute flag {0,1}

@data
a, 0.5, 1
% a comment
b,?,0

'a',1e-1,?
"""


def test_arff(write):
    path = write("t.arff", ARFF)
    table = open_table(path)
    assert (table.columns, table.rows) == (("the class", "score", "flag"), 3)
    chunk = read(path, ["the class", "flag"], ["score"])
    assert words(chunk, "the class") == ["a", "b", "a"]
    assert chunk.labels["the class"].labels == ("a", "b", "never, seen")
    assert words(chunk, "flag") == [1, 0, None]
    np.testing.assert_array_equal(chunk.numbers["score"], [0.5, np.nan, 0.1])
    packed = write("t.arff.gz", gzip.compress(ARFF.encode()))
    assert words(read(packed, ["flag"]), "flag") == [1, 0, None]


@pytest.mark.parametrize(
    ("line", "name", "values"),
    [
        ("@attribute class {a,b}", "class", ["a", "b"]),
        ("@attribute class{a,b}", "class", ["a", "b"]),
        ("@ATTRIBUTE\t'a b'\t{ 'x y' , \"z\" } % why", "a b", ["x y", "z"]),
        (r"@attribute 'it\'s' {'don\'t', b}", "it's", ["b", "don't"]),
        ("@attribute c_1 { 10, 9 }", "c_1", [9, 10]),
    ],
)
def test_arff_declarations(write, line, name, values):
    path = write("t.arff", f"@relation r\n{line}\n@data\n?\n")
    assert open_file(path).columns == (name,)
    assert list(read(path, [name]).labels[name].labels) == values


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("@relation r\n", "has no @data line"),
        ("@relation r\n@data\n1\n", "declares no @attribute before @data on line 2"),
        ("@attribute y\n@data\n1\n", "an @attribute on line 1 that cannot be read: '@attribute y'"),
        ("@attribute y {a,'b}\n@data\na\n", "a value on line 1 that cannot be read"),
        ("@attribute y {a,b}\n@data\n%\n\n{0 a}\n", "sparse rows, the first on line 5"),
        ("@attribute y {a}\n@data\n%\n\na\na,a\n", "2 fields on line 6 and 1 attributes declared"),
        ("%\n\n@attribute y {a}\n@data\n% it's\n'a\n", "a quote that is not closed on line 6"),
        ("@attribute y {a,b}\n@data\n", "has a header and no rows"),
        ("@attribute y {a}\n@attribute y {a}\n@data\na,a\n", "two columns called 'y'"),
    ],
)
def test_malformed_arff(write, text, told):
    assert told in refusal(write("t.arff", text), ["y"])


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ("'a b',1", "a b"), (" 'a b' ,1", "a b"), ("'a\nb',1", "a\nb"), ("it's,1", "it's"),
        (r"'it\'s',1", "it's"), (r"'a\\b',1", r"a\b"), (r"a\nb,1", r"a\nb"),
        ('"a b",1', '"a b"'), ("'a,b',1", "a,b"), (r"""'a"b',1""", 'a"b'), ("a b ,1", "a b"),
        (" ?,1", None), ("'?',1", None), ("'',1", None), (",1", None), ("NA,1", None),
        ("a, '1'", "a"), ("a,1,", "a"),
    ],
)  # fmt: skip
def test_quotes_and_blanks_of_a_row(write, row, label):
    head = "@relation r\n@attribute l string\n@attribute s numeric\n@data\n"
    chunk = read(write("t.arff", f"{head}z,3\n{row}\n"), ["l"], ["s"])
    assert words(chunk, "l") == ["z", label]
    assert chunk.numbers["s"].tolist() == [3, 1]


@pytest.mark.parametrize("row", ["'a'b,1", "'a,1", "'a''b',1", "'a' x,1", r"'a\'", "b,'1"])
def test_quotes_that_are_not_closed(write, row):
    head = "@relation r\n@attribute l string\n@attribute s numeric\n@data\n% it's\n"
    told = "t.arff has a quote that is not closed on line 6; correct that line"
    assert refusal(write("t.arff", f"{head}{row}\n"), ["l"], ["s"]) == told


def test_lines_that_are_too_long_and_header_for_no_arff(write):
    arff = b"@relation r\n@attribute a numeric\n@data\n" + b"x" * 3_000_000
    told = "a line of more than 2 million characters, line 4"
    assert told in refusal(write("t.arff", arff), ["a"])
    with pytest.raises(InputError, match="header is for CSV, .* and t.arff is ARFF; leave it out"):
        tm.evaluate(write("t.arff", ARFF), options={"header": True})


def test_arff_is_known_by_its_first_line(write):
    text = "% Weka\n@RELATION r\n@attribute label {yes,no}\n@attribute score real\n@data\nyes,1"
    assert open_file(write("t", text)).kind == "ARFF"
    assert open_file(write("t.txt", text.replace("\n", "\r\n"))).kind == "ARFF"
    with pytest.raises(InputError, match=r"is unknown: neither text nor one of \.arff, \.arrow"):
        kind_of("t.data", b"\1\0\2\0\0\0" + b"x" * 20)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
def test_arff_in_other_encodings(write, encoding):
    text = "@relation r\n@attribute label {né, yes}\n@attribute score numeric\n@data\n"
    text += "né,0.1\nyes,0.9\n"
    ev = tm.evaluate(write("t.arff", text.encode(encoding)), positive="yes")
    said = {"latin-1": ("cp1252 (a guess)",), "utf-16": ("UTF-16",)}.get(encoding, ())
    assert (ev.classes, ev.source.format) == (("né", "yes"), said)
    assert tm.evaluate(write("t.arff", text.replace("\n", "\r")), positive="yes").rows == 2


def test_several_files_are_read_one_at_a_time(write, tmp_path):
    write("a.arff", ARFF)
    write("b.arff", ARFF)
    assert "matches 2 ARFF files" in refusal(str(tmp_path / "*.arff"))


def test_columns_that_differ_in_case_only(write):
    rows = pd.DataFrame({
        "y": [0, 1, 1, 0], "p_hid": [0.1, 0.9, 0.8, 0.3], "p_hId": [0.9, 0.2, 0.8, 0.1],
    })  # fmt: skip
    head = "".join(f"@attribute {name} numeric\n" for name in rows)
    text = f"@relation r\n{head}@data\n{rows.to_csv(index=False, header=False)}"
    path = write("rows.arff", text)
    assert open_table(path).columns == tuple(rows)
    ev = tm.evaluate(path, truth="y", score=["p_hId", "p_hid"])
    assert ev.model("p_hid")["roc_auc"].value == 1.0


@pytest.mark.slow
def test_declared_classes_of_a_truth_elsewhere(write):
    ids = range(8)
    rows = "".join(f"{i},{('no', 'yes')[i % 2]}\n" for i in ids)
    head = "@relation g\n@attribute id string\n@attribute"
    gold = write("gold.arff", f"{head} label {{no,yes,never}}\n@data\n{rows}")
    called = "".join(f"{i},{('no', 'yes')[i % 3 == 1]}\n" for i in ids)
    write("pred.csv", f"id,pred\n{called}")
    write("pred.arff", f"{head} pred {{no,yes}}\n@data\n{called}")
    for pred in ("pred.csv", "pred.arff"):
        ev = tm.evaluate(gold.parent / pred, truth=tm.file(gold))
        assert ev.classes == ("never", "no", "yes")


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published files are not here")
def test_openml_predictions():
    ev = tm.evaluate(PUBLISHED / "openml_predictions.arff")
    assert ev.source._roles["truth"] == "correct"
    assert ev.positive == "positive"
    assert ev.rows == 958
    assert ev["accuracy"].value == pytest.approx(0.907098, abs=6e-7)
    assert ev["roc_auc"].value == pytest.approx(0.975018, abs=6e-7)
    assert ev.source._fold == "fold" or "fold" in ev.source.checks["unused_folds"]
