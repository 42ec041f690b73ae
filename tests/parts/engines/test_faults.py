"""Engines that fail, or that tell rows apart in another way: one sentence, nothing half-counted."""

from __future__ import annotations

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from judged import counted_of
from parts.engines.hostile import rows
from tallymark.parts.engines import group_counts
from tallymark.parts.engines.group_counts import Engine
from tallymark.parts.engines.lazy import lazy_table
from tallymark.reading.columns import ModelRoles
from tallymark.reading.ingest import Job
from tallymark.reading.source import Source

JOB = Job(Source("rows"), "y", (ModelRoles("p", None, ("p",)),))


def query(sql: str):
    return duckdb.connect().sql(sql)


@pytest.mark.parametrize(
    ("sql", "options", "told"),
    [
        ("select 1 as y, 'high' as p", {}, "p holds text; give numbers"),
        ("select 1 as y, date '2020-01-01' as p", {}, r"p holds values of type Date; give numbers"),
        ("select date '2020-01-01' as y, 0.5 as p", {}, "y holds values of type Date; labels must"),
        ("select 0.25 as y, 0.5 as p", {}, "y holds the number 0.25 at some row, which is not a class"),
        ("select 1 as y, 'inf'::double as p", {}, "p is inf in some rows; give finite numbers"),
        ("select i as y, 0.5 as p from range(1002) t(i)", {}, "y holds more than 1,000 distinct"),
        ("select 1 as y, 0.5 as p limit 0", {}, "y has no labels; give the true class of each"),
        ("select 1 as y, null::double as p", {"missing": "drop"}, "there is no row to count in .* .1 left"),
        ("select 1 as y, 0.5 as p, -1 as w", {"weight": "w"}, "w is below zero in 1 row; a weight"),
        ("select 1 as y, 0.5 as p, null as w", {"weight": "w"}, "w (is missing in 1 row|holds)"),
        ("select 1 as y, 0.5 as p, 1e61 as w", {"weight": "w"}, "w is outside 1e-60 to 1e60 in 1 row"),
        ("select 1 as y, 0.5 as p, 1e-61 as w", {"weight": "w"}, "w is outside 1e-60 to 1e60 in 1 r"),
        ("select null::int as y, null::double as p from range(2)", {}, "y is missing in 2 rows, and p in 2 rows; correct"),
        ("select 1 as y, 0.5 as p, 0 as w", {"weight": "w"}, "w is 0 in every row; correct it or"),
        ("select 1 as y, 0.5 as p, 1.5 as n", {"count": "n"}, "the column of counts holds fractions"),
        ("select 1 as y, 0.5 as p", {"missing": "keep"}, "missing is 'keep'; give one of 'error', 'drop'"),
        ('select 1 as y, 0.5 as "*"', {"score": "*"}, r"an engine reads '\*' as several columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted(sql, options, told):
    with pytest.raises(tm.InputError, match=told):
        tm.evaluate(query(sql), **{"truth": "y", "score": "p", **options})


def test_a_query_that_fails():
    table = query("select 1 as y, (case when random() < 2 then 'x' end)::double as p")
    with pytest.raises(
        tm.InputError, match="DuckDB could not count the data frame: Conversion Err"
    ):
        tm.evaluate(table, truth="y", score="p")


def test_a_table_that_changes():
    connection = duckdb.connect()
    connection.execute("create sequence asked")
    # One more row whenever the view is read.
    read = "select 1 as y, 0.5 as p from range(100) t(i) where i < (select 4 + nextval('asked'))"
    connection.execute(f"create view v as {read}")
    with pytest.raises(
        tm.InputError, match=r"changed while it was counted: [56] rows, then [67]; count a"
    ):
        tm.evaluate(connection.table("v"), truth="y", score="p")
    # A change that keeps the number of rows is not noticed.
    connection.execute("create view w as select i % 2 as y, random() as p from range(9) t(i)")
    assert tm.evaluate(connection.table("w"), truth="y", score="p").rows == 9


def test_a_collation_that_folds_case():
    connection = duckdb.connect()
    connection.execute("create table t (y varchar collate nocase, p double)")
    connection.execute("insert into t values ('a', 0.1), ('A', 0.2), ('b', 0.3)")
    with pytest.raises(tm.InputError, match="DuckDB treats 'a' and 'A' in y as equal, by"):
        tm.evaluate(connection.table("t"), truth="y", score="p", positive="b")


@pytest.fixture
def collated(postgres):
    """A function that makes a table of PostgreSQL whose labels have a collation of ICU."""
    connection = postgres.connect()

    def run(*statements):
        for statement in statements:
            connection.raw_sql(statement).close()

    def table(locale, *labels):
        run(
            f"CREATE COLLATION folding (provider = icu, locale = '{locale}', deterministic = false)",
            "CREATE TABLE collated (y TEXT COLLATE folding, p FLOAT8)",
            *(f"INSERT INTO collated VALUES ('{y}', 0.{i})" for i, y in enumerate(labels)),
        )
        return connection.table("collated")

    yield table
    run("DROP TABLE collated", "DROP COLLATION folding")
    connection.disconnect()


def test_a_collation_that_ignores_blanks(collated):
    table = collated("und-u-ka-shifted", "1", "1 ", "2")
    with pytest.raises(tm.InputError, match="PostgreSQL treats '1 ?' and '1  ?' in y as equal"):
        tm.evaluate(table, truth="y", score="p", positive="2")


def test_a_collation_that_folds_accents_alone_is_not_found_out(collated):
    table = collated("und-u-ks-level1-kc-true", "e", "é", "b")
    assert len(tm.evaluate(table, truth="y", score="p", positive="b").classes) == 2


def test_an_engine_that_was_never_tested(monkeypatch):
    table = lazy_table(query("select 1 as y, 0.5 as p"))
    monkeypatch.delitem(group_counts.TESTED, "duckdb")
    engine = Engine(table, JOB)
    assert (engine.called, engine.summary.rows) == ("duckdb", 1)
    # One that answers otherwise is refused with what it says, to the first of four questions.
    questions = []

    def answer(self, asked):
        questions.append(len(asked.collect_schema()))
        return {"q0": [1], "q1": [0]}

    monkeypatch.setattr(Engine, "fetch", answer)
    with pytest.raises(tm.InputError, match="duckdb says that 'a' = 'A' is true, and engines must"):
        Engine(table, JOB)
    assert questions == [4]


def test_an_engine_that_rounds_otherwise(monkeypatch):
    from tallymark.parts.engines import group_counts
    from tallymark.tally.bins import Bins

    engine = Engine(lazy_table(query("select 1 as y, 0.5 as p")), JOB)
    plain = group_counts.tree
    monkeypatch.setattr(
        group_counts, "tree", lambda x, bins, values, kind: plain(x, bins, values * 0.9, kind)
    )
    with pytest.raises(
        tm.InputError, match="DuckDB puts the score 0.5 into bin 4, which double pr"
    ):
        engine.binned("p", Bins([0.0, 1.0], 10))


def test_subgroups_of_too_many_groups(monkeypatch):
    monkeypatch.setattr("tallymark.parts.engines.limits.MOST_LINES", 10)
    table = pl.from_arrow(rows()).lazy()
    with pytest.raises(
        tm.InputError, match="subgroups and bins of many_scores make more than 10 gro"
    ):
        tm.evaluate(table, truth="y", score="many_scores", subgroup=["region"])
    with pytest.raises(
        tm.InputError, match="decisions and subgroups of the data frame make more than"
    ):
        tm.evaluate(table, truth="many", pred="called", missing="drop")
    with pytest.raises(tm.InputError, match="the scores of 3 classes make more than 10 distinct"):
        tm.evaluate(
            pl.LazyFrame({"y": [0, 1, 2] * 20, **{f"p_{k}": range(60) for k in range(3)}, "g": 1}),
            truth="y", score=["p_0", "p_1", "p_2"], subgroup=["g"],
        )  # fmt: skip


def test_subgroups_in_bins_say_so(monkeypatch):
    monkeypatch.setattr("tallymark.parts.engines.limits.MOST_LINES", 50)
    monkeypatch.setattr("tallymark.parts.engines.limits.COARSE", 4)
    monkeypatch.setattr("tallymark.parts.engines.limits.BINS", 8)
    ev = tm.evaluate(pl.from_arrow(rows()).lazy(), truth="y", score="many_scores", subgroup=["k"])
    assert any("count as ties" in n.text for n in counted_of(ev).notes)


@pytest.mark.parametrize("threshold", [None, 0.123])
def test_decisions_of_models_in_bins_are_exact(monkeypatch, threshold):
    monkeypatch.setattr("tallymark.parts.engines.limits.MOST_LINES", 30)
    monkeypatch.setattr("tallymark.parts.engines.limits.COARSE", 4)
    monkeypatch.setattr("tallymark.parts.engines.limits.BINS", 48)
    table, arrays = pl.from_arrow(rows()).lazy(), rows().to_pandas()
    names = ["many_scores", "cubed"]
    table, arrays["cubed"] = table.with_columns(cubed=pl.col("p_no") ** 3), arrays["p_no"] ** 3
    ev = tm.evaluate(table, truth="y", score=names, threshold=threshold)
    for cut in [threshold] if threshold else [0.5, 0.0]:
        for model in ev.at(threshold=cut).models:
            assert model.scores[0].bins is not None
            exact = tm.ScoreTally.from_arrays(arrays["y"], arrays[model.name])
            assert model.labels == exact.at(cut)
            low, high = ev.model(model.name)["roc_auc"].binning_bounds
            assert low <= tm.metrics.roc_auc(exact) <= high
    exact = tm.evaluate(arrays["y"], y_score={n: arrays[n] for n in names}, threshold=threshold)
    ours, theirs = (counted_of(of).joint for of in (ev, exact))
    cuts = (threshold or 0.5,) * 2
    np.testing.assert_array_equal(ours.agreement(*names, cuts), theirs.agreement(*names, cuts))


def test_few_distinct_scores_of_many_rows_are_exact(monkeypatch):
    monkeypatch.setattr("tallymark.parts.engines.limits.MOST_LINES", 59)
    table, arrays = pl.from_arrow(rows()).lazy(), rows().to_pandas()
    ev = tm.evaluate(table, truth="y", score=["s", "s_b"])
    for model in counted_of(ev).models:
        exact = tm.ScoreTally.from_arrays(arrays["y"], arrays[model.name])
        assert model.scores == (exact,)


def test_counts_beyond_exact_numbers_say_so():
    table = query("select * from (values (0, 0.1, 9007199254740993), (1, 0.9, 5)) t(y, p, n)")
    ev = tm.evaluate(table, truth="y", score="p", count="n")
    assert any("counts are exact to 16 digits only" in n.text for n in counted_of(ev).notes)


@pytest.mark.parametrize("label", ["int", "text"])
def test_a_table_that_is_emptied(postgres, monkeypatch, label):
    connection = postgres.connect()
    connection.raw_sql(f"CREATE TABLE e AS SELECT 1::{label} AS y, 0.5 AS p").close()
    fetch = Engine.fetch

    def fetch_then_empty(self, asked):
        found = fetch(self, asked)
        connection.raw_sql("DELETE FROM e").close()
        return found

    monkeypatch.setattr(Engine, "fetch", fetch_then_empty)
    with pytest.raises(tm.InputError, match="changed while it was counted: 1 row, then 0; count a"):
        tm.evaluate(connection.table("e"), truth="y", score="p")
    connection.raw_sql("DROP TABLE e").close()
    connection.disconnect()


def test_a_server_that_stops(doomed_postgres, monkeypatch):
    connection = doomed_postgres.connect()
    table = connection.create_table("t", pa.table({"y": [0, 1] * 9, "p": [0.1, 0.2, 0.3] * 6}))
    assert tm.evaluate(table, truth="y", score="p").rows == 18
    fetch = Engine.fetch

    def fetch_then_stop(self, asked):
        found = fetch(self, asked)
        doomed_postgres.stop()
        monkeypatch.undo()
        return found

    monkeypatch.setattr(Engine, "fetch", fetch_then_stop)
    with pytest.raises(
        tm.InputError, match="PostgreSQL could not count the data frame: .*; the session ended"
    ):
        tm.evaluate(table, truth="y", score="p")
    with pytest.raises(
        tm.InputError, match="PostgreSQL could not count the data frame: .*; the session ended"
    ):
        tm.evaluate(table, truth="y", score="p")
