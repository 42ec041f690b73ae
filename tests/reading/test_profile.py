"""What the columns of a table hold, of all rows, is the same of frames and of files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tallymark.reading.profile import MOST_VALUES, Column, first_rows, profile_of
from tallymark.reading.readers import open_table

N = 600
RNG = np.random.default_rng(4)
FRAME = pd.DataFrame({
    "id": np.arange(N) + 7,
    "churn": RNG.choice(["ja", "nein"], N),
    "p": RNG.random(N).round(3),
    "fold": np.arange(N) % 5 + 1,
    "patient": [f"p{i // 3}" for i in range(N)],
    "amount": RNG.uniform(-3, 900, N).round(4),
    "share": [0, 1] * (N // 2),
    "kind": RNG.choice(["a", "b", "c"], N),
    "late": [1] * (N - 1) + [0],
    "gaps": [None, "x", "y"] * (N // 3),
    "none": [None] * N,
})  # fmt: skip
KINDS = {
    "id": "identifier", "churn": "two values", "p": "probability", "fold": "folds",
    "patient": "repeated values", "amount": "numbers", "share": "two values", "kind": "classes",
    "late": "two values", "gaps": "two values", "none": "empty",
}  # fmt: skip


def tables(folder):
    FRAME.to_csv(folder / "a.csv", index=False)
    FRAME.to_parquet(folder / "a.parquet")
    FRAME.to_json(folder / "a.jsonl", orient="records", lines=True)
    files = (str(folder / f"a.{end}") for end in ("csv", "parquet", "jsonl"))
    return {"pandas": FRAME, "polars": pl.from_pandas(FRAME), **{f[-3:]: f for f in files}}


@pytest.mark.parametrize("name", ["pandas", "polars", "csv", "uet", "onl"])
def test_facts_are_those_of_all_rows_whatever_holds_them(name, tmp_path):
    table = open_table(tables(tmp_path)[name])
    found = profile_of(table, table.columns)
    assert {n: c.kind for n, c in found.items()} == KINDS
    for column, c in found.items():
        values = FRAME[column].dropna()
        counts = values.astype(str).value_counts()
        assert (c.rows, c.missing) == (N, N - len(values))
        if len(counts) <= MOST_VALUES:
            assert dict(c.values) == counts.to_dict()
            assert c.distinct == len(counts)
        else:
            assert c.values is None
            assert abs(c.distinct / len(counts) - 1) < 0.15
        if values.dtype.kind in "if" and len(values):
            assert (c.low, c.high) == (values.min(), values.max())
            assert c.whole == (values == values.round()).all()
    assert found["gaps"].texts == ("x", "y")
    assert (found["kind"].classes, found["p"].classes, found["late"].classes) == (3, 0, 2)
    assert found["p"].fractions
    assert not found["share"].fractions


def test_wide_tables_are_looked_at_in_part():
    frame = pd.DataFrame(np.zeros((2, 700)), columns=[f"c{i}" for i in range(700)])
    assert len(profile_of(open_table(frame), list(frame.columns))) == 500


def test_first_rows_of_objects_are_those_of_their_fields(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y": 1, "out": {"label": 1, "score": 0.5}}\n' * 3, encoding="utf-8")
    table = open_table(path)
    assert table.columns == ("y", "out.label", "out.score")
    assert first_rows(table, 2) == (("1", "1", "0.5"),) * 2


def test_the_kind_of_a_column_follows_from_its_values_at_the_edges_too():
    def kind(*sizes, first=0, step=1, low=None, high=None, whole=True, missing=0):
        values = tuple((str(first + step * i), n) for i, n in enumerate(sizes))
        present = sum(sizes)
        low = first if low is None else low
        high = first + step * (len(sizes) - 1) if high is None else high
        found = Column(
            "x", "number", present + missing, missing, len(sizes), values, low, high, whole
        )
        return found.kind

    text = Column("x", "text", 40, 0, 2, (("a", 20), ("b", 20)))
    assert (text.kind, text.numeric, text.fractions, text.classes) == (
        "two values",
        False,
        False,
        2,
    )
    assert (kind(), kind(7), kind(7, missing=3)) == ("empty", "one value", "one value")
    assert (kind(1, 1, 1), kind(1, 1), kind(1, 1, 1, whole=False)) == (
        "identifier", "two values", "numbers",
    )  # fmt: skip
    assert kind(5, 5, 5, low=0, high=1, whole=False) == "probability"
    assert kind(5, 5, 5, low=-0.1, high=1, whole=False) == "numbers"
    assert kind(5, 5, 5, low=0, high=1.1, whole=False) == "numbers"
    assert (kind(5, 5, 5), kind(4, 4, 4)) == ("folds", "repeated values")
    assert (kind(6, 5, 5), kind(7, 5, 5)) == ("folds", "repeated values")
    assert (kind(300, 302, 309, 297), kind(300, 302, 310, 297)) == ("folds", "classes")
    assert (kind(*[300] * 3, 309), kind(*[300] * 3, 313)) == ("folds", "classes")
    assert (kind(*[5] * 20), kind(*[5] * 21)) == ("folds", "repeated values")
    assert (kind(5, 5, 5, first=1), kind(5, 5, 5, step=2)) == ("folds", "repeated values")
    assert (kind(20, 20, 20, step=2), kind(19, 20, 20, step=2)) == ("classes", "repeated values")
    pairs = Column("x", "text", 9, 3, 2, (("a", 4), ("b", 2)))
    assert pairs.equal_pairs == 3 + 6 + 1
    many = Column("x", "text", 1000, 4, 249, None)
    assert many.equal_pairs == 6 + 996 * (996 / 249 - 1) / 2
    assert (many.texts, many.classes, many.present) == ((), 0, 996)
