"""Rows as CSV and as Arrow: every kind of cell, and the type of every column."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from tallymark.listing import Listing

CELLS = [
    (None, ""), (math.nan, ""), (np.float64("nan"), ""), (True, "true"), (False, "false"), (3, "3"),
    (0.1, "0.1"), (1e-300, "1e-300"), (math.inf, "inf"), (np.float32(0.5), "0.5"), (np.int64(7), "7"),
    ("a", "a"), ("", '""'), ("a,b", '"a,b"'), ('a"b', '"a""b"'), ('"', '""""'), ("a\nb", '"a\nb"'),
    ("a\rb", '"a\rb"'), (" a", '" a"'), ("a ", '"a "'), ("=1+1", "=1+1"), ("\ud800", "\\ud800"),
    (2**70, str(2**70)),
]  # fmt: skip


def test_each_cell_of_a_csv_file_is_written_by_its_kind(tmp_path):
    for value, written in CELLS:
        assert Listing(({"x": value, "n": 1},)).to_csv() == f"x,n\n{written},1\n", value
    several = Listing(({"a": 1, 'b"': 2}, {'b"': 3, "c": 4}))
    assert several.to_csv() == 'a,"b""",c\n1,2,\n,3,4\n'
    assert several.to_csv(tmp_path / "rows.csv") == (tmp_path / "rows.csv").read_text("utf-8")
    assert Listing(()).to_csv() == ""


COLUMNS = [
    ([1, None, 3], "int64"), ([1, 0.5], "double"), ([0.5, None], "double"), ([True, None], "bool"),
    (["a", None], "string"), ([1, "a"], "string"), ([True, 1], "string"), ([None, None], "string"),
    ([2**63 - 1, -(2**63)], "int64"), ([2**63], "string"), ([-(2**63) - 1], "string"),
]  # fmt: skip


def test_each_column_of_an_arrow_stream_has_one_type():
    for values, kind in COLUMNS:
        table = Listing(tuple({"x": v} for v in values)).to_arrow()
        assert str(table.schema.field("x").type) == kind, values
        texts = kind == "string"
        expected = [None if v is None else str(v) if texts else v for v in values]
        assert table.column("x").to_pylist() == expected
    for name in ("value", "low", "high", "level", "se"):
        table = Listing(({name: None}, {name: 1})).to_arrow()
        assert str(table.schema.field(name).type) == "double"
    two = Listing(({"a": 1, 'odd "name"': "x"}, {"a": 2, 'odd "name"': "y"})).to_arrow()
    assert two.to_pydict() == {"a": [1, 2], 'odd "name"': ["x", "y"]}
    with pytest.raises(tm.InputError, match="a table without rows has no columns; use .to_dicts()"):
        Listing(()).to_arrow()


def test_rows_are_read_by_place_and_as_frames():
    rows = Listing(({"value": 1, "n": 1}, {"value": None, "n": 2}))
    assert (len(rows), rows[1], list(rows)) == (2, {"value": None, "n": 2}, rows.to_dicts())
    frame = rows.to_pandas()
    assert frame["value"].dtype == "float64"
    assert frame["n"].dtype == "int64"
    assert rows.to_polars()["value"].to_list() == [1.0, None]
    copies = rows.to_dicts()
    copies[0]["n"] = 9
    assert rows[0]["n"] == 1
