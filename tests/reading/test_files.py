"""Real files of every kind, and every sentence with which one is refused."""

from __future__ import annotations

import gzip
import json
import os
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import tallymark as tm
from columns_read import read, refusal, words
from tallymark.errors import InputError
from tallymark.reading.choose import find_roles
from tallymark.reading.files import open_file
from tallymark.reading.readers import open_table

# -- every kind of file --------------------------------------------------------------------------


def frame() -> pa.Table:
    return pa.table({"y": ["b", "a", None, "b"], "k": [1, 0, 1, None], "s": [0.5, None, 2.0, -1.0]})


def make(kind: str, folder: Path) -> Path:
    table, path = frame(), folder / f"t.{kind}"
    rows = table.to_pylist()
    if kind in ("csv", "tsv", "txt", "csv.gz"):
        path.write_text(
            table.to_pandas().to_csv(index=False, sep="\t" if kind == "tsv" else ","),
            encoding="utf-8",
        )
    if kind == "csv.gz":
        path.write_bytes(gzip.compress(path.read_bytes()))
    elif kind in ("parquet", "pq"):
        pq.write_table(table, path)
    elif kind == "json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif kind in ("jsonl", "ndjson"):
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    elif kind == "feather":
        feather.write_feather(table, path)
    elif kind == "arrow":
        with pa.ipc.new_file(path, table.schema) as sink:
            sink.write_table(table)
    elif kind == "ipc":
        with pa.ipc.new_stream(path, table.schema) as sink:
            sink.write_table(table)
    return path


KINDS = ["csv", "tsv", "txt", "csv.gz", "parquet", "pq", "json", "jsonl", "ndjson", "feather",
         "arrow", "ipc"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_reads_alike(kind, tmp_path):
    path = make(kind, tmp_path)
    table = open_table(path)
    assert (table.name, table.columns, table.rows) == (path.name, ("y", "k", "s"), 4)
    chunk = read(path, ["y", "k"], ["s", "k"])
    assert words(chunk, "y") == ["b", "a", None, "b"]
    assert words(chunk, "k") == [1, 0, 1, None]
    assert type(chunk.labels["k"].labels[0]) is int
    np.testing.assert_array_equal(chunk.numbers["s"], [0.5, np.nan, 2, -1])
    np.testing.assert_array_equal(chunk.numbers["k"], [1, 0, 1, np.nan])
    assert chunk.numbers["s"].dtype == np.float64
    assert (chunk.first_row, chunk.rows) == (0, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_keep_the_order_and_one_list_of_labels(kind, tmp_path):
    table = open_table(make(kind, tmp_path))
    chunks = list(table.chunks(["y"], ["s"], 3))
    assert [(c.first_row, c.rows) for c in chunks] == [(0, 3), (3, 1)]
    assert [c.labels["y"].labels for c in chunks] == [("a", "b")] * 2
    assert words(chunks[1], "y") == ["b"]


def test_patterns_read_several_files_in_the_order_of_their_names(write, tmp_path):
    write("b.csv", "y,s\n1,3\n")
    write("a.csv", "y,s\n0,1\n1,2\n")
    chunk = read(str(tmp_path / "*.csv"), ["y"], ["s"])
    assert chunk.numbers["s"].tolist() == [1, 2, 3]
    for i in range(3):
        pq.write_table(pa.table({"s": [i]}), tmp_path / f"{i}.parquet")
        write(f"{i}.json", f'{{"s": {i}}}')
    for kind in ("parquet", "json"):
        assert read(str(tmp_path / f"*.{kind}"), [], ["s"]).numbers["s"].tolist() == [0, 1, 2]


def test_a_name_that_looks_like_a_pattern_is_that_file(write):
    write("t1.csv", "s\n9\n")
    assert read(write("t[1].csv", "s\n1\n"), [], ["s"]).numbers["s"].tolist() == [1]
    assert read(write("a'; drop--.csv", "s\n2\n"), [], ["s"]).numbers["s"].tolist() == [2]


def test_folders_add_no_columns(tmp_path):
    (tmp_path / "p=3").mkdir()
    pq.write_table(pa.table({"s": [1]}), tmp_path / "p=3" / "t.parquet")
    assert open_file(tmp_path / "p=3" / "t.parquet").columns == ("s",)


# -- types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "0"], [1, 0]),
        (["-1", " 1"], [-1, 1]),
        (["1.0", "0", "nan"], [1, 0, None]),
        (["yes", "no"], ["yes", "no"]),
        (["t", "f"], ["t", "f"]),
        (["true", "FALSE"], [True, False]),
        (["007", "7"], ["007", "7"]),
        (["1:0", "2:1"], ["1:0", "2:1"]),
        (["2020-01-01", "x"], ["2020-01-01", "x"]),
        (["1", "x"], ["1", "x"]),
        (["nan", "x"], [None, "x"]),
        (["a", " a"], ["a", " a"]),
        (["</script><b>", "=1+1"], ["</script><b>", "=1+1"]),
        (["'; drop table x--", '"""q"""'], ["'; drop table x--", '"q"']),
        (["é", "日本"], ["é", "日本"]),
        (["", "x"], [None, "x"]),
    ],
)
def test_csv_labels_are_judged_over_all_rows(write, cells, labels):
    filler = 30_000
    rows = [cells[0]] * filler + cells
    path = write("t.csv", "y,z\n" + "".join(f"{c},1\n" for c in rows))
    got = words(read(path, ["y"]), "y")
    assert got == [labels[0]] * filler + labels
    assert {type(v) for v in got} == {type(v) for v in labels}


def test_types_of_parquet_labels(tmp_path):
    table = pa.table(
        {
            "bool": [True, False, None],
            "float": [1.0, float("nan"), 0.0],
            "decimal": [Decimal("2.00"), None, Decimal("1.00")],
            "small": pa.array([1, 0, None], pa.int8()),
            "category": pa.array(["x", None, "y"]).dictionary_encode(),
            "void": pa.nulls(3),
        }
    )
    expected = {
        "bool": [True, False, None],
        "float": [1, None, 0],
        "decimal": [2, None, 1],
        "small": [1, 0, None],
        "category": ["x", None, "y"],
        "void": [None] * 3,
    }
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather")
    for path in (tmp_path / "t.parquet", tmp_path / "t.feather"):
        chunk = read(path, list(expected), ["bool", "decimal", "small", "void"])
        for name, labels in expected.items():
            assert words(chunk, name) == labels, (path, name)
            assert {type(v) for v in words(chunk, name)} == {type(v) for v in labels}
        np.testing.assert_array_equal(chunk.numbers["bool"], [1, 0, np.nan])
        np.testing.assert_array_equal(chunk.numbers["decimal"], [2, np.nan, 1])
        np.testing.assert_array_equal(chunk.numbers["void"], [np.nan] * 3)


def test_many_classes_are_joined_and_keep_their_order(tmp_path):
    values = np.random.default_rng(0).integers(-300, 300, 10_000)
    texts = [f"it's {v}" for v in values]
    pq.write_table(pa.table({"i": values, "t": texts}), tmp_path / "t.parquet")
    got = list(open_file(tmp_path / "t.parquet").chunks(["i", "t"], [], 3000))
    assert [v for c in got for v in words(c, "i")] == values.tolist()
    assert [v for c in got for v in words(c, "t")] == texts


def test_json_keeps_types_and_late_keys(write):
    rows = ['{"y": "1", "b": true}'] * 30_000 + ['{"y": "a\\u00e9\\"", "b": null, "late": 2}']
    path = write("t.json", "\n".join(rows))
    chunk = read(path, ["y", "b"], [])
    assert set(words(chunk, "y")) == {"1", 'aé"'}
    assert set(words(chunk, "b")) == {True, None}


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e400"])
def test_infinite_numbers_are_refused_by_row(write, text):
    path = write("t.csv", f"s\n0.5\n{text}\n")
    with pytest.raises(InputError, match=r"s is -?inf at row 2; give finite numbers"):
        read(path, [], ["s"])


def test_column_names_are_plain_text(write):
    names = ['a"; drop table x --', "b c", "d'", "select", "{e}", "ü", "$1", "?"]
    header = ",".join('"' + n.replace('"', '""') + '"' for n in names)
    path = write("t.csv", header + "\n" + ",".join("12345678") + "\n")
    assert open_file(path).columns == tuple(names)
    chunk = read(path, names, names)
    assert [v.item() for v in chunk.numbers.values()] == list(range(1, 9))


@pytest.mark.slow
def test_csv_dialects(write):
    for text in (
        "y;s\r\n1;2\r\n3;4\r\n",
        "\ufeffy,s\n1,2\n3,4",
        "y|s\n1|2\n\n\n3|4\n\n",
        "y\ts\n1\t2\n3\t4\n",
        " y , s \n1, 2\n3, 4\n",
    ):
        chunk = read(write("t.csv", text), ["y"], ["s"])
        assert (words(chunk, "y"), chunk.numbers["s"].tolist()) == ([1, 3], [2, 4])
    path = write("t.csv", '"a\nb",,c\n"x, ""y""\nz",1,2\n')
    assert open_file(path).columns == ("a\nb", "column1", "c")
    assert words(read(path, ["a\nb"]), "a\nb") == ['x, "y"\nz']


# -- refusals ------------------------------------------------------------------------------------


def test_paths_that_are_no_file(write, tmp_path):
    assert "there is no file" in refusal(tmp_path / "none.csv")
    assert "is a folder" in refusal(tmp_path)
    assert "is empty" in refusal(write("t.csv", ""))
    assert "no file matches" in refusal(str(tmp_path / "*.parquet"))
    told = refusal(write("t.bin", b"x\0\1y\0\0"))
    assert "the format of t.bin is unknown" in told
    assert ".parquet" in told
    assert "not a complete gzip file" in refusal(write("t.parquet.gz", b"x"))
    assert "there is no file" in refusal("https://example.com/t.csv")


def test_patterns_that_cannot_be_one_table(write, tmp_path):
    write("a.csv", "y,s\n1,2\n")
    write("b.csv", "s,y\n1,2\n")
    told = refusal(str(tmp_path / "*.csv"))
    assert "b.csv has the columns" in told
    assert "the same header" in told
    write("c.json", "{}")
    assert "matches files of 'CSV', 'JSON'" in refusal(str(tmp_path / "*.*"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "y,s\n1,2\n3,4,5\n",
            "t.csv has 3 fields on line 3 and 2 in its header; correct that line",
        ),
        ("y,s\n1,2,3\n", "t.csv has 3 fields on line 2 and 2 in its header"),
        ("y,s\n1,2\n3\n", "t.csv has 1 field on line 3 and 2 in its header"),
        ("y,s\n" + "1,2\n" * 30_000 + "1,2,3\n", "on line 30002"),
        ('y,s\n1,"2\n', "a quote that is not closed on line 2"),
        ('y,s\n1,"2"x\n3,4\n', "a quote that is not closed on line 2"),
        ("y,s\n1," + "x" * 3_000_000 + "\n", "t.csv has a line of more than 1 MB, line 2; correct"),
        ("y,s,y\n1,2,3\n", "two columns called 'y'"),
        ("y,s\n", "t.csv has a header and no rows"),
        ("\ny,s\n1,2\n", "has no header"),
        ("y" * 200_000 + ",s\n1,2\n", "has a header that cannot be read"),
        ("y,z\n1,2\n", "has no column 's'"),
    ],
)
def test_malformed_csv(write, text, told):
    assert told in refusal(write("t.csv", text), ["y"], ["s"])


def test_broken_gzip(write):
    text = gzip.compress(b"y,s\n" + os.urandom(3000).hex().encode() + b",1\n")
    for name, data in [("t.csv.gz", b"y,s\n1,2\n"), ("t.csv.gz", text[:1500]), ("t.json.gz", b"x")]:
        assert "not a complete gzip file" in refusal(write(name, data), ["y"])


@pytest.mark.parametrize("rows", [0, 30_000])
def test_a_number_column_that_holds_text(write, rows):
    path = write("t.csv", "y,prob\n" + "1,0.5\n" * (rows + 2) + "0,high\n1,low\n")
    assert refusal(path, ["y"], ["prob"]) == (
        f"prob holds 'high' at row {rows + 3}, which is not a number; give numbers"
    )
    assert words(read(path, ["y"]), "y")[-2:] == [0, 1]
    path = write("t.json", '{"s": 1}\n{"s": "high"}\n{"s": {"a": 1}}')
    assert "s holds 'high' at row 2, which is not a number" in refusal(path, [], ["s"])


def test_a_fraction_is_no_label(tmp_path, write):
    path = write("t.csv", "y\n1\n\n0.25\n0.5\n")
    assert "y holds the number 0.25 at row 3, which is not a class label" in refusal(path, ["y"])
    many = pa.table({"y": np.arange(5000) / 7, "big": [1.0] + [1e300] * 4999})
    many = many.append_column("inf", pa.array([1.0, 2.0] + [np.inf] * 4998))
    pq.write_table(many, tmp_path / "t.parquet")
    assert "y holds the number 0.142857 at row 2" in refusal(tmp_path / "t.parquet", ["y"])
    assert "big holds the number 1e+300 at row 2" in refusal(tmp_path / "t.parquet", ["big"])
    assert "inf holds the number inf at row 3" in refusal(tmp_path / "t.parquet", ["inf"])


def test_too_many_labels(write):
    path = write("t.csv", "y\n" + "".join(f"{i}\n" for i in range(1001)))
    assert "1,001 distinct values, too many for class labels" in refusal(path, ["y"])
    path = write("t.csv", "y\n" + "".join(f"{i}\n" for i in range(1000)))
    assert words(read(path, ["y"]), "y") == list(range(1000))


def test_types_that_are_neither(tmp_path, write):
    when = pa.array([0], pa.timestamp("s"))
    pq.write_table(pa.table({"t": when, "l": [[1]], "i": [[1.5, 2.5]]}), tmp_path / "t.parquet")
    path = tmp_path / "t.parquet"
    assert "t is of type TIMESTAMP" in refusal(path, ["t"])
    assert "labels must be" in refusal(path, ["l"])
    assert "give numbers" in refusal(path, [], ["t"])
    assert "i is of type DOUBLE[]" in refusal(path, [], ["i"])
    path = write("t.json", '{"y": [1, 0], "z": 1}\n{"y": 1, "z": {"a": 1}}')
    assert "y holds a list at row 1" in refusal(path, ["y"])
    assert "z holds an object at row 2; write JSON with one object per row" in refusal(path, ["z"])
    path = write("m.json", '{"y": 1}\n{"y": "1"}')
    assert "mixes" in refusal(path, ["y"])


def test_corrupt_files(write):
    told = refusal(write("t.parquet", "{this is neither"), ["y"])
    assert "t.parquet cannot be read as Parquet: " in told
    assert "\n" not in told
    told = refusal(write("t.json", "{this is neither"), ["y"])
    assert told.startswith("t.json is not JSON at byte 2 of record 1: unexpected character;")
    assert "t.arrow is not an Arrow file" in refusal(write("t.arrow", "nothing of the kind"))


def test_duplicate_columns(tmp_path):
    pq.write_table(
        pa.table([[1], [{"y": 1, "z": {"s": 1}}], [2]], names=["y", "n", "Y"]), tmp_path / "t.pq"
    )
    assert open_file(tmp_path / "t.pq").columns == ("y", "n.y", "n.z.s", "Y")
    pq.write_table(pa.table([[1], [{"y": 1}], [2]], names=["y", "n", "s"]), tmp_path / "u.pq")
    assert open_file(tmp_path / "u.pq").columns == ("y", "n.y", "s")
    with pa.ipc.new_file(tmp_path / "t.arrow", pa.schema([("y", "i4"), ("y", "i4")])):
        pass
    assert "two columns called 'y'" in refusal(tmp_path / "t.arrow")


def test_arrow_without_pyarrow(monkeypatch, tmp_path):
    path = make("arrow", tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'tallymark[arrow]'" in refusal(path)


# -- behaviour -----------------------------------------------------------------------------------


def test_nothing_is_printed_or_left_behind(capfd, monkeypatch, tmp_path):
    path = make("parquet", tmp_path)
    temp = tmp_path / "temp"
    temp.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temp))
    table = open_file(path)
    assert len(list(temp.iterdir())) == 1
    list(table.chunks(["y"], ["s"]))
    del table
    assert not list(temp.iterdir())
    with pytest.raises(InputError):
        open_file(make("csv", tmp_path), memory=10**9).close() or open_file(tmp_path / "none.csv")
    (tmp_path / "bad.parquet").write_text("x" * 100, encoding="utf-8")
    with pytest.raises(InputError):
        open_file(tmp_path / "bad.parquet")
    assert not list(temp.iterdir())
    endless = tmp_path / "endless.csv"
    endless.write_text("label,score\n1,0.5\n0,inf\n", encoding="utf-8")
    with pytest.raises(InputError, match="score is inf at row 2"):
        tm.evaluate(endless, truth="label", score="score")
    assert not list(temp.iterdir())  # although the error still holds on to what it came from
    assert capfd.readouterr() == ("", "")


def test_two_readers_do_not_disturb_each_other(tmp_path):
    table = open_file(make("parquet", tmp_path))
    pairs = zip(table.chunks(["y"], [], 1), table.chunks(["k"], ["s"], 1), strict=True)
    got = [(words(a, "y")[0], words(b, "k")[0]) for a, b in pairs]
    assert got == [("b", 1), ("a", 0), (None, 1), ("b", None)]
    table.chunks(["y"], [], 1)
    half = table.chunks(["y"], [], 1)
    next(half)
    table.close()
    half.close()


@pytest.mark.slow
def test_little_memory_spills_instead_of_failing(tmp_path):
    n = 3_000_000
    s = np.random.default_rng(0).random(n)
    pl.DataFrame({"y": s > 0.5, "s": s, "t": s}).write_parquet(tmp_path / "t.parquet")
    table = open_file(tmp_path / "t.parquet", memory=60_000_000)
    total = sum(float(c.numbers["s"].sum()) for c in table.chunks(["y"], ["s", "t"], 500_000))
    assert total == pytest.approx(s.sum(), rel=1e-9)


def test_pandas_index_column_is_no_trouble(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"label": [1, 0], "p": [0.5, 0.25]}).to_csv(path)
    assert find_roles(open_file(path).columns).truth == "label"


# -- which rows belong together ----------------------------------------------------------------

WHO = ["anna", "bo", None, "anna", "cy", "bo"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "jsonl", "arrow"])
@pytest.mark.parametrize(
    "values", [WHO, [5, 2, None, 5, 9, 2], ["1", "01", None, "1", "a b", "01"]]
)
def test_groups_of_every_kind_of_file(tmp_path, kind, values):
    frame = pl.DataFrame({"y": [0, 1, 0, 1, 0, 1], "who": values})
    path = tmp_path / f"t.{kind}"
    {
        "csv": frame.write_csv, "parquet": frame.write_parquet, "json": frame.write_json,
        "jsonl": frame.write_ndjson, "arrow": lambda p: feather.write_feather(frame.to_arrow(), p),
    }[kind](path)  # fmt: skip
    (chunk,) = open_file(path).chunks(["y"], [], groups=["who"])
    found = chunk.groups["who"].tolist()
    same = [[a == b and a is not None for b in values] for a in values]
    assert [[a == b and a >= 0 for b in found] for a in found] == same
    assert [c < 0 for c in found] == [v is None for v in values]


def test_groups_mean_the_same_in_every_chunk(tmp_path):
    rng = np.random.default_rng(0)
    who = rng.integers(0, 3000, 9000)  # more than there may be classes
    pl.DataFrame({"y": who % 2, "who": who, "s": who / 7}).write_parquet(tmp_path / "t.parquet")
    table = open_file(tmp_path / "t.parquet")
    chunks = list(table.chunks(["y"], ["s"], 2000, groups=["who"]))
    assert len(chunks) == 5
    codes = np.concatenate([c.groups["who"] for c in chunks])
    assert len(set(zip(codes.tolist(), who.tolist(), strict=True))) == len(set(who.tolist()))
    assert np.array_equal(np.concatenate([c.numbers["s"] for c in chunks]), who / 7)
    left = table.run("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'kept%'")
    assert left.fetchone() == (0,)


def test_several_groups_beside_many_classes(tmp_path):
    n = 400
    names = [f"class {i % 100}" for i in range(n)]
    frame = pl.DataFrame({"y": names, "a": list(range(n)), "b": [i // 4 for i in range(n)]})
    frame.write_csv(tmp_path / "t.csv")
    (chunk,) = open_file(tmp_path / "t.csv").chunks(["y"], [], groups=["a", "b"])
    assert len(set(chunk.groups["a"].tolist())) == n
    assert len(set(chunk.groups["b"].tolist())) == n // 4
    assert words(chunk, "y") == names


def test_whole_floats_are_groups_and_nan_is_missing(tmp_path):
    frame = pl.DataFrame({"y": [0, 1, 0], "who": [2.0, float("nan"), 2.0]})
    frame.write_parquet(tmp_path / "t.parquet")
    (chunk,) = open_file(tmp_path / "t.parquet").chunks(["y"], [], groups=["who"])
    assert chunk.groups["who"].tolist() == [0, -1, 0]


@pytest.mark.parametrize(
    ("values", "kind", "told"),
    [
        ([1.0, 2.5], "parquet", "who holds the number 2.5 at row 2, which is not the name"),
        ([[1], [2]], "parquet", "who is of type BIGINT.*; say which rows belong together by"),
        ([[1], [2]], "json", "who holds a list or an object at row 1; say which rows belong"),
        ([{"a": 1}, {"a": 2}], "json", "has no column 'who'; did you mean 'who.a'"),
    ],
)
def test_columns_that_are_no_groups(tmp_path, values, kind, told):
    frame = pl.DataFrame({"y": [0, 1], "who": values})
    path = tmp_path / f"t.{kind}"
    frame.write_parquet(path) if kind == "parquet" else frame.write_json(path)
    with pytest.raises(InputError, match=told):
        list(open_file(path).chunks(["y"], [], groups=["who"]))


def test_an_empty_column_of_groups_is_missing_everywhere(tmp_path):
    pa_table = pa.table({"y": [0, 1], "who": pa.nulls(2)})
    pq.write_table(pa_table, tmp_path / "t.parquet")
    (chunk,) = open_file(tmp_path / "t.parquet").chunks(["y"], [], groups=["who"])
    assert chunk.groups["who"].tolist() == [-1, -1]


def test_an_unknown_column_of_groups(write):
    with pytest.raises(InputError, match="has no column 'patient'"):
        list(open_file(write("t.csv", "y\n1\n")).chunks(["y"], [], groups=["patient"]))


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "json"])
def test_columns_that_differ_in_case_only_are_read(tmp_path, ending):
    rows = pd.DataFrame({
        "y": [0, 1, 1, 0], "p_hid": [0.1, 0.9, 0.8, 0.3], "p_hId": [0.9, 0.2, 0.8, 0.1],
        "P_HID": [0.5, 0.6, 0.5, 0.5], "p_hid_1": [0.7, 0.6, 0.4, 0.5],
    })  # fmt: skip
    path = tmp_path / f"rows.{ending}"
    write = {"csv": lambda: rows.to_csv(path, index=False), "parquet": lambda: rows.to_parquet(path),
             "arrow": lambda: feather.write_feather(pa.table(rows), path),
             "json": lambda: rows.to_json(path, orient="records", lines=True)}  # fmt: skip
    write[ending]()
    table = open_table(path)
    assert table.columns == tuple(rows)
    chunk = read(path, ["y"], list(rows)[1:])
    for name in list(rows)[1:]:
        assert chunk.numbers[name].tolist() == rows[name].tolist()
    ev = tm.evaluate(path, truth="y", score=["p_hId", "p_hid"])
    assert ev.names == ("p_hId", "p_hid")
    assert ev.model("p_hid")["roc_auc"].value == 1.0
    with pytest.raises(InputError, match="no column 'P_hid'"):
        tm.evaluate(path, truth="y", score="P_hid")
