"""The first look at a table: the same of frames, arrays and files, and bounded."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from tallymark.reading import look as module
from tallymark.reading.look import look_at
from tallymark.reading.readers import open_table

N = 50
FRAME = pd.DataFrame({
    "y": [0, 1] * 25, "p": np.arange(N) / 100, "text": ["a", None, " ", "b", "a"] * 10,
    "id": np.arange(N),
})  # fmt: skip


def opened(door, folder, frame=FRAME):
    """Return a table in one of its forms."""
    if door == "csv":
        frame.to_csv(folder / "a.csv", index=False)
    elif door == "parquet":
        frame.to_parquet(folder / "a.parquet")
    made = {"frame": lambda: frame, "polars": lambda: pl.from_pandas(frame),
            "lazy": lambda: pl.from_pandas(frame).lazy(), "duckdb": lambda: duckdb.from_df(frame),
            "csv": lambda: folder / "a.csv", "parquet": lambda: folder / "a.parquet"}  # fmt: skip
    return open_table(made[door]())


@pytest.mark.parametrize("door", ["frame", "polars", "lazy", "duckdb", "csv", "parquet"])
def test_what_columns_hold_is_the_same_of_every_table(door, tmp_path):
    table = opened(door, tmp_path)
    seen = look_at(table)
    assert (seen.rows, seen.columns) == (N, tuple(FRAME))
    held = seen.contents
    assert held["y"].classes == {"0", "1"}
    assert held["p"].numbers.tolist() == FRAME["p"].tolist()
    assert held["p"].classes == frozenset()
    assert held["text"].classes == {"a", "b"}
    assert held["text"].facts.missing == 20  # also a text of blanks
    assert [h.names_rows for h in held.values()] == [False, False, False, True]


def test_large_tables_are_looked_at_in_part(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 1000)
    frame = pd.DataFrame({"y": np.repeat([0, 1], 2000), "p": np.linspace(0, 1, 4000)})
    for door in ("frame", "polars", "lazy", "duckdb", "csv", "parquet"):
        table = opened(door, tmp_path, frame)
        seen = look_at(table)
        assert seen.rows == 1000
        if door in ("frame", "polars"):  # rows spread over all
            assert seen.contents["y"].facts.values == (("0", 500), ("1", 500))


def test_wide_tables_are_looked_at_where_names_are_usual_or_given(monkeypatch):
    monkeypatch.setattr(module, "MOST_COLUMNS", 3)
    frame = pd.DataFrame({f"x{i}": [0, 1] for i in range(9)} | {"label": [0, 1]})
    assert look_at(open_table(frame), ["x8"]).columns == ("x0", "x1", "x8", "label")


def test_rows_that_were_not_looked_at_are_held_to_the_same_reading(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 1000)
    frame = pd.DataFrame({"label": [0, 1] * 1500, "p": np.linspace(0, 1, 3000)})
    frame.astype({"label": object}).assign(label=[0, 1] * 1499 + [0, 2]).to_csv(
        tmp_path / "a.csv", index=False
    )
    with pytest.raises(tm.InputError, match="3 classes"):
        tm.evaluate(tmp_path / "a.csv")
