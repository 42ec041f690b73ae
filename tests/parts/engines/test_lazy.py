"""Lazy frames and links where the rest of the package takes any table."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.reading.models import NOT_CHECKED
from tallymark.reading.profile import profile_of
from tallymark.reading.readers import open_table

N = 60
RNG = np.random.default_rng(1)
Y = RNG.integers(0, 2, N)
P = np.clip(Y * 0.4 + RNG.random(N) * 0.6, 0, 1).round(4)
IDS = [f"r{i:04d}" for i in range(N)]
PRED = pd.DataFrame({"id": IDS, "score": P})
GOLD = pd.DataFrame({"id": IDS, "label": Y})
CASES = [*range(N), *RNG.permutation(N)]
LONG = pd.DataFrame({
    "case_id": CASES, "model": ["net"] * N + ["tree"] * N, "truth": Y[CASES],
    "prob": [*P, *(P[CASES[N:]] / 2)],
})  # fmt: skip


def test_lazy_frames_collect_only_what_is_used():
    def explode(values):
        raise AssertionError("this column was not asked for")

    lazy = pl.LazyFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.3]}).with_columns(
        bad=pl.col("s").map_batches(explode, return_dtype=pl.Float64)
    )
    (chunk,) = open_table(lazy).chunks(["y"], ["s"])
    assert chunk.rows == 4


def test_columns_of_an_engine_are_not_looked_at(tmp_path):
    with duckdb.connect(str(tmp_path / "a.db")) as connection:
        connection.sql("create table preds as select 1 as a, 0.5 as b")
    table = open_table(f"duckdb:///{tmp_path / 'a.db'}?table=preds")
    assert profile_of(table, table.columns) == {}
    table.close()


def test_an_engine_fetches_rows_when_asked():
    rows = duckdb.from_df(LONG)
    with pytest.raises(tm.InputError, match="its rows would have to be fetched, as model='model'"):
        tm.evaluate(rows)
    assert tm.evaluate(rows, model="model").names == ("net", "tree")


def test_sql_keeps_models_apart(tmp_path):
    path = tmp_path / "rows.csv"
    LONG.to_csv(path, index=False)
    done = CliRunner().invoke(main, ["sql", str(path)])
    assert "separate the models with --by model" in done.output
    done = CliRunner().invoke(main, ["sql", str(path), "--by", "model"])
    assert done.exit_code == 0
    assert '"model"' in done.output


@pytest.mark.slow
def test_an_engine_joins_its_own_tables(tmp_path):
    con = duckdb.connect()
    tables = {
        "p": PRED,
        "g": GOLD.sample(frac=1, random_state=5),
        "few": GOLD.head(50),
        "twice": pd.concat([GOLD, GOLD]),
    }
    for name, frame in tables.items():
        con.register(name, frame)
    ev = tm.evaluate(con.table("p"), truth=con.table("g"))
    assert (ev["roc_auc"].value, ev.source.kind) == (
        tm.evaluate(Y, y_score=P)["roc_auc"].value,
        "frame",
    )
    assert "by `id`" in ev.source.read_as
    ev = tm.evaluate(con.table("p"), truth=con.table("few"), on="id")
    assert (
        "10 of 60 rows of the data frame have no true class" in ev.notes[-1].text + ev.notes[0].text
    )
    said = con.sql("select id, label from p join g using (id)")
    assert tm.evaluate(said, truth=con.table("g"))["accuracy"].value == 1
    GOLD.to_csv(tmp_path / "gold.csv", index=False)
    for truth, words in {
        con.table("twice"): "has 'r0000', 'r0001', 'r0002' more than once",
        con.sql("select label from g"): "by one column, and they share none; name it with on=...",
        con.sql("select 'q' || id as id, label from g"): "no value of 'id' is in both",
        tm.file(
            tmp_path / "gold.csv"
        ): "gold.csv is not in the same engine; give the truth as a lazy frame",
        duckdb.connect().sql(
            "select 'r0001' as id, 1 as label"
        ): "give both from one connection, or join them",
    }.items():
        with pytest.raises(tm.InputError) as caught:
            tm.evaluate(con.table("p"), truth=truth)
        assert words in str(caught.value)


def linked(folder, rows):
    """Return a link to a table of rows, a Polars frame, in a file of DuckDB."""
    with duckdb.connect(str(folder / "rows.db")) as made:
        made.execute("CREATE TABLE preds AS SELECT * FROM rows")
    return f"duckdb:///{folder}/rows.db?table=preds"


def test_percent_divides_scores_of_a_link_by_100(tmp_path):
    rows = pl.DataFrame({"label": [0, 1, 1, 0, 1, 0], "prob": [12.5, 93.0, 40.0, 55.0, 77.0, 3.0]})
    ev = tm.evaluate(linked(tmp_path, rows), reading={"percent": True})
    assert ev["brier_score"].value == pytest.approx(0.73682500 / 6, abs=1e-15)
    assert ev["accuracy"].value == 4 / 6
    assert ev.source.format == ("percent",)


def test_dates_of_a_link_name_subgroups(tmp_path):
    days = [datetime.date(2026, 1, 1 + i // 4) for i in range(12)]
    rows = pl.DataFrame({"label": [0, 1, 1] * 4, "score": [0.1, 0.9, 0.4] * 4, "day": days})
    by = tm.evaluate(linked(tmp_path, rows), subgroup="day").by("day")
    assert by.keys == ("2026-01-01", "2026-01-02", "2026-01-03")
    assert by.rows == dict.fromkeys(by.keys, 4)


@pytest.mark.parametrize("option", ["header", "sheet"])
def test_options_of_files_are_not_for_links(tmp_path, option):
    link = linked(tmp_path, pl.from_pandas(GOLD.assign(score=P)))
    value = True if option == "header" else "a"
    with pytest.raises(tm.InputError, match=f"^{option} is for files; leave it out$"):
        open_table(link, **{option: value})
    duckdb.connect(str(tmp_path / "rows.db")).close()  # it is let go, so it may be written


def test_vectors_of_a_lazy_frame_are_a_score_a_class():
    rows = pl.DataFrame(
        {
            "label": [0, 1, 2, 1],
            "p": [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.0, 0.5, 0.5], [0.2, 0.3, 0.5]],
        }
    )
    lazy, frame = (tm.evaluate(data, truth="label", score="p") for data in (rows.lazy(), rows))
    assert counted_of(lazy).models == counted_of(frame).models


def test_memory_is_not_for_lazy_frames():
    with pytest.raises(tm.InputError, match="memory is for files; the data frame is counted in pl"):
        tm.evaluate(pl.from_pandas(GOLD.assign(score=P)).lazy(), options={"memory": "1GB"})


def test_rows_in_an_engine_are_not_searched_for_copies():
    rows = duckdb.from_df(GOLD.assign(weight=2, score=P))
    assert tm.evaluate(rows).source.checks["duplicates"] == NOT_CHECKED
    assert tm.evaluate(rows).source.checks["unused_weights"] == ["weight"]


def test_identifiers_of_different_types_are_joined_by_their_text():
    label, number = Y[:40], np.arange(40)
    for ids in (number.astype(str), number, number.astype(np.int32)):
        ev = tm.evaluate(
            pl.LazyFrame({"id": number, "score": P[:40]}),
            truth=pl.LazyFrame({"id": ids, "label": label}),
            on="id",
        )
        assert (ev.rows, ev["roc_auc"].value) == (
            40,
            tm.evaluate(label, y_score=P[:40])["roc_auc"].value,
        )
