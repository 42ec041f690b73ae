"""Rows that engines disagree on, and the engines that hold them."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from decimal import Decimal

import numpy as np
import pyarrow as pa

NAN = float("nan")
SCORES = [0.1, 0.7, 0.1 + 0.2, -0.0, 0.0, 5e-324, 0.7, 0.5, 1.0, 0.30000000000000004, 1e-17, 0.25]
LABELS = ["a", "a ", " a", "A", "é", "e\u0301", "ß", "SS", "", "x'y", 'x"y', "null"]


def rows() -> pa.Table:
    """Return 60 rows of everything that has ever been counted differently."""
    n = 60
    at = np.arange(n)
    pick = lambda values: [values[i % len(values)] for i in at]  # noqa: E731
    shifted = lambda values: [values[(i * 7 + i // 5) % len(values)] for i in at]  # noqa: E731
    return pa.table(
        {
            "y": pa.array((at % 3 == 0).astype(int), pa.int64()),
            "y_bool": pa.array([bool(v) for v in at % 3 == 0], pa.bool_()),
            "y_text": pa.array(pick(["no", "yes", "no"]), pa.string()),
            "y_null": pa.array(pick([0, 1, None, 1, 0]), pa.int64()),
            "many": pa.array(pick(LABELS), pa.string()),
            "called": pa.array(shifted(LABELS), pa.string()),
            "pred": pa.array((at % 4 < 2).astype(int), pa.int64()),
            "pred_b": pa.array((at % 5 < 2).astype(int), pa.int64()),
            "s": pa.array(pick(SCORES), pa.float64()),
            "s_b": pa.array(shifted(SCORES), pa.float64()),
            "s_null": pa.array(pick([0.1, None, 0.9, NAN, 0.2]), pa.float64()),
            "s_32": pa.array(pick([0.1, 0.7, 0.3, 1e-8]), pa.float32()),
            "s_dec": pa.array([Decimal(v) for v in pick(["0.30", "0.10", "0.70"])],
                              pa.decimal128(10, 2)),
            "s_int": pa.array(pick([1, 2, 3]), pa.int64()),
            "s_bool": pa.array(pick([True, False, True]), pa.bool_()),
            "many_scores": pa.array(np.random.default_rng(3).random(n) ** 3, pa.float64()),
            "p_no": pa.array(np.random.default_rng(5).random(n) ** 2, pa.float64()),
            "w": pa.array(pick([0.5, 2.0, 0.25, 0.0, 1.0]), pa.float64()),
            "n_rows": pa.array(pick([1, 2, 0, 4]), pa.int64()),
            "region": pa.array(pick(["north", None, "south", "north ", "North"]), pa.string()),
            "age": pa.array(pick([1, 2, None, 3]), pa.int64()),
            "group": pa.array([f"g{i % 9}" for i in at], pa.string()),
            'odd "name.x`': pa.array(pick([0.2, 0.4]), pa.float64()),
            "*": pa.array(pick([0.6, 0.1, 0.3]), pa.float64()),
            "p_0": pa.array(pick([0.5, 0.25, 0.125]), pa.float64()),
            "p_1": pa.array(pick([0.25, 0.5, 0.375]), pa.float64()),
            "p_2": pa.array(pick([0.25, 0.25, 0.5]), pa.float64()),
            "k": pa.array((at % 7) % 3, pa.int64()),
        }
    )  # fmt: skip


_SERIAL = itertools.count()


def columns(table: pa.Table) -> dict[str, np.ndarray]:
    """Return the rows as arrays: what every engine is held to."""
    from tallymark.tally.arrays import series_to_numpy

    return {name: series_to_numpy(table[name], name) for name in table.column_names}


class Engines:
    """Each engine as a function from Arrow rows to its own lazy table."""

    def __init__(self, request) -> None:
        self._request = request
        self._closing = contextlib.ExitStack()

    def __call__(self, kind: str, table: pa.Table):
        return getattr(self, kind)(table)

    def close(self) -> None:
        self._closing.close()

    def duckdb(self, table):
        import duckdb

        connection = duckdb.connect()
        self._closing.callback(connection.close)
        return connection.from_arrow(table)

    def polars(self, table):
        import polars as pl

        return pl.from_arrow(table).lazy()

    def dask(self, table):
        import dask.dataframe as dd
        import pandas as pd

        self._request.getfixturevalue("dask_processes")
        frame = table.to_pandas(types_mapper=pd.ArrowDtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return dd.from_pandas(frame, npartitions=3)

    def spark(self, table):
        session = self._request.getfixturevalue("spark")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return session.createDataFrame(table)

    def ibis_duckdb(self, table):
        import ibis

        connection = ibis.duckdb.connect()
        self._closing.callback(connection.disconnect)
        connection.con.register("arrow_rows", table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ibis calls what this DuckDB means to drop
            return connection.table("arrow_rows")

    def ibis_postgres(self, table):
        server = self._request.getfixturevalue("postgres")
        connection = server.connect()
        self._closing.callback(connection.disconnect)
        name = f"hostile_{next(_SERIAL)}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return connection.create_table(name, table)


KINDS = ("duckdb", "polars", "dask", "spark", "ibis_duckdb", "ibis_postgres")
