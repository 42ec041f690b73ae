"""The SQL that is printed gives, run by DuckDB, the very evaluation of the rows."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.parts.engines.sql import columns_to_count, counting_sql, table_name


def sql(*words):
    done = CliRunner().invoke(main, ["sql", *words])
    assert done.exit_code == 0, done.output
    return done.output


def refused(*words):
    done = CliRunner().invoke(main, ["sql", *words])
    assert done.exit_code == 2
    return done.output


def saved(query, folder, connection=None):
    """Run a query and save what it returns, as its first lines ask for."""
    path = folder / "counts.csv"
    with duckdb.connect() if connection is None else connection.cursor() as run:
        run.sql(query).write_csv(str(path), header=True)
    return str(path)


def told(ev):
    return [
        (m.name, m.labels.to_dict(), [t.to_dict() for t in m.scores], m.rule, m.threshold)
        for m in ev.models
    ] + [ev.classes, ev.positive, ev.rows, ev.dropped]


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    p = np.round(np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1), 2)
    return pd.DataFrame({
        "label": np.where(y == 1, "yes", "no"), "score": p, "pred": np.where(p > 0.4, "yes", "no"),
        "other": np.round(p / 3, 2), "guess": np.where(p > 0.6, "yes", "no"), "region": np.where(np.arange(n) % 3, "a;b", 'c"d'),
    })  # fmt: skip


def test_the_page_shows_what_the_command_prints():
    page = (Path(__file__).parents[3] / "docs" / "big-data.md").read_text("utf-8")
    (words,) = re.findall(r"^tallymark sql (.+)$", page, re.M)
    (shown,) = re.findall(r"```sql\n(.*?)```", page, re.S)
    assert sql(*words.split()) == shown


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("words", "columns"), [
    (["--score", "score"], {"score": "score"}),
    (["--pred", "pred"], {"pred": "pred"}),
    (["--pred", "pred", "--pred", "guess"], {"pred": ["pred", "guess"]}),
    (["--pred", "pred", "--score", "score"], {"pred": "pred", "score": "score"}),
    (["--score", "score", "--score", "other"], {"score": ["score", "other"]}),
])  # fmt: skip
@pytest.mark.slow
def test_counts_give_what_rows_give(tmp_path, kind, words, columns):
    path = tmp_path / f"it's {kind}.{kind}"
    frame = rows()
    getattr(frame, f"to_{kind}")(path, index=False)
    query = sql(str(path), "--truth", "label", *words)
    counts = saved(query, tmp_path)
    assert len(pd.read_csv(counts)) < len(frame)
    options = {"truth": "label", "positive": "yes", **columns}
    ours, theirs = tm.evaluate(counts, count="n", **options), tm.evaluate(frame, **options)
    assert told(ours) == told(theirs)
    name = ours.names[0]
    for metric in ("roc_auc", "log_loss", "mcc"):
        if metric in ours.values()[name]:
            assert str(ours.model(name)[metric]) == str(theirs.model(name)[metric])


def test_columns_are_found_and_the_command_that_reads_them_is_told(tmp_path):
    path = tmp_path / "p.csv"
    rows()[["label", "score"]].to_csv(path, index=False)
    query = sql(str(path))
    assert (
        query.splitlines()[1]
        == "--   tallymark report counts.csv --truth label --score score --count n"
    )
    words = query.splitlines()[1].split()[2:]
    counts = saved(query, tmp_path)
    words[1] = counts
    done = CliRunner().invoke(main, [*words, "--positive", "yes"])
    assert done.exit_code == 0, done.output
    assert "300" in done.output


def test_texts_of_numbers_are_numbers_in_the_csv(tmp_path):
    query = sql("--table", "texts", "--truth", "label", "--pred", "pred")
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE texts AS SELECT * FROM (VALUES ('0', '0'), ('1', '0')) AS t(label, pred)"
        )
        counts = saved(query, tmp_path, connection)
        table = connection.table("texts")
        assert tm.evaluate(table, truth="label", pred="pred", positive="1").classes == ("0", "1")
    assert tm.evaluate(counts, truth="label", pred="pred").classes == (0, 1)


def test_subgroups_are_counted_apart(tmp_path):
    frame = rows()
    frame.to_parquet(tmp_path / "p.parquet")
    query = sql(
        str(tmp_path / "p.parquet"), "--truth", "label", "--score", "score", "--by", "region"
    )
    assert (
        "tallymark subgroups counts.csv --truth label --score score --subgroup region --count n"
        in query
    )
    counts = saved(query, tmp_path)
    options = {"truth": "label", "score": "score", "positive": "yes", "subgroup": ["region"]}
    ours, theirs = (tm.evaluate(x, **options).by("region") for x in (counts, frame))
    assert str(ours) == str(theirs)


def test_a_table_of_a_link_and_one_that_is_only_named(tmp_path):
    frame = rows()
    with duckdb.connect(str(tmp_path / "r.db")) as connection:
        connection.execute('CREATE SCHEMA "e v"')
        connection.execute('CREATE TABLE "e v"."p;""" AS SELECT * FROM frame')
    query = sql(
        f"duckdb:///{tmp_path}/r.db?table=e%20v.p;%22", "--truth", "label", "--score", "score"
    )
    same = sql("--table", 'e v.p;"', "--truth", "label", "--score", "score")
    assert query == same
    assert 'FROM "e v"."p;"""' in query
    with duckdb.connect(str(tmp_path / "r.db"), read_only=True) as connection:
        counts = saved(query, tmp_path, connection)
    options = {"truth": "label", "score": "score", "positive": "yes"}
    assert told(tm.evaluate(counts, **options)) == told(tm.evaluate(frame, **options))


@pytest.mark.slow
def test_hostile_values_are_judged_as_those_of_the_rows(tmp_path):
    frame = pd.DataFrame({
        "label": [True, False, None, True, False, True],
        "score": np.array([0.7, -0.0, 0.5, np.nan, 0.0, 0.1], dtype=np.float32),
    })  # fmt: skip
    path = tmp_path / "p.parquet"
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.sql(
            "SELECT label::BOOLEAN AS label, CASE WHEN score = 0.1::FLOAT THEN NULL ELSE score END "
            "AS score FROM frame"
        ).write_parquet(str(path))
    counts = saved(sql(str(path)), tmp_path)
    for source in (str(path), counts):
        with pytest.raises(tm.InputError, match="is missing in"):
            tm.evaluate(source, truth="label", score="score")
    ours, theirs = (
        tm.evaluate(x, truth="label", score="score", count=count, missing="drop")
        for x, count in ((counts, "n"), (str(path), None))
    )
    assert told(ours)[:-1] == told(theirs)[:-1]
    assert ours.classes == (False, True)
    assert ours.models[0].scores[0].scores.tolist() == [0.0, float(np.float32(0.7))]


NAMES = ['la"bel', "n", "a;b--", "x'y", "per cent%", "new\nline", "ünï"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_safe(tmp_path, name):
    frame = pd.DataFrame({name: [0, 1, 1], "score": [0.1, 0.4, 0.4]})
    query = counting_sql(
        columns_to_count(None, truth=name, score=["score"]), table_name("frame", "duckdb")
    )
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        found = connection.sql(query).fetchall()
    assert sorted(found) == [("0", 0.1, 1), ("1", 0.4, 2)]
    assert query.count("\n--") == 1
    assert "CAST(```` AS STRING) AS ````," in counting_sql(
        columns_to_count(None, truth="`", score=["p"]), "t", "spark"
    )


@pytest.mark.parametrize(("words", "sentence"), [
    ([], "there is nothing to count; give a FILE, or a table's name with --table"),
    (["--table", "t"], "name the columns of the table: --truth and --score or --pred"),
    (["--table", "t", "--truth", "y"], "name the columns"),
    (["--table", "a..b", "--truth", "y", "--pred", "p"], "'a..b' is not the name of a table"),
    (["--table", "t", "--truth", "y", "--pred", "Y"], "differ in upper and lower case only"),
    (["--table", "t", "--truth", "n", "--pred", "count"],
     "columns are called 'n' and 'count', which the counts need"),
    (["none.csv"], "there is no file 'none.csv'"),
    (["p.csv", "--truth", "lable"], "there is no column 'lable' for truth; did you mean 'label'?"),
    (["p.csv", "--by", "regio"], "there is no column 'regio' for subgroup; did you mean 'region'?"),
    (["p.csv", "--truth", "label", "--pred", "pred", "--dialect", "spark"],
     "spark does not read 'p.csv'; name its table there with --table"),
    (["p.json", "--truth", "label", "--pred", "pred"],
     "SQL reads CSV and Parquet files, and 'p.json' is neither"),
    (["counts.csv"], "counts.csv holds counts of rows by score already; judge it as it is"),
    (["n.csv"], "n holds whole numbers and could count the rows of each line; say tallymark sql "
                "n.csv --count n or tallymark sql n.csv --no-count"),
    (["n.csv", "--count", "n", "--no-count"], "--count and --no-count contradict each other"),
    (["--table", "t", "--truth", "y", "--pred", "p", "--count", "p"], "is named twice"),
    (["--table", "t", "--truth", "y", "--pred", "p", "--dialect", "mongo"], "'mongo' is not one of"),
])  # fmt: skip
def test_what_cannot_be_counted_is_one_sentence(tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    rows(5).to_csv("p.csv", index=False)
    rows(5).to_json("p.json", orient="records")
    pd.DataFrame({"score": [0.2], "pos": [1], "neg": [3]}).to_csv("counts.csv", index=False)
    pd.concat([rows(20).assign(n=3)] * 2).to_csv("n.csv", index=False)
    assert sentence in refused(*words)


def test_an_unknown_dialect_is_refused():
    with pytest.raises(
        tm.InputError, match="there is no dialect 'postgre'; did you mean 'postgres"
    ):
        counting_sql(columns_to_count(None, truth="y", pred=["p"]), "t", "postgre")


@pytest.mark.parametrize("named", [["weight"], ["cluster"], ["weight", "cluster"]])
def test_rows_of_weights_and_clusters_are_counted(tmp_path, named):
    rng = np.random.default_rng(2)
    frame = rows().assign(weight=rng.choice([0.5, 1.0, 2.0], 300), cluster=rng.integers(0, 30, 300))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    words = [word for name in named for word in (f"--{name}", name)]
    query = sql(str(tmp_path / "rows.csv"), "--score", "score", *words)
    assert query.splitlines()[1].endswith(f"{' '.join(words)} --count n")
    options = {"truth": "label", "score": "score", "positive": "yes"} | {n: n for n in named}
    counted = tm.evaluate(saved(query, tmp_path), count="n", **options)
    expected = tm.evaluate(frame, **options)
    assert (counted.rows, counted.clusters) == (expected.rows, expected.clusters)
    for name in ("roc_auc", "f1", "brier_score"):
        a, b = counted[name], expected[name]
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-12)
    lines = duckdb.sql(
        f"SELECT * FROM read_csv('{tmp_path / 'counts.csv'}', types={{'label': 'VARCHAR'}})"
    )
    assert tm.evaluate(lines, count="n", **options)["f1"].low == pytest.approx(expected["f1"].low)


@pytest.mark.slow
def test_lines_that_count_rows_are_added_up(tmp_path):
    frame = rows().groupby(["label", "score", "region"]).size().reset_index(name="n")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    words = [str(tmp_path / "rows.csv"), "--truth", "label", "--score", "score"]
    options = {"truth": "label", "score": "score", "positive": "yes"}
    expected = tm.evaluate(frame, count="n", **options)
    # Found as in report, named, or of a table that is only named.
    for query in (sql(*words), sql(*words, "--count", "n")):
        assert query.splitlines()[1].endswith("--score score --count n")
        counts = saved(query, tmp_path)
        assert len(pd.read_csv(counts)) < len(frame)
        assert told(tm.evaluate(counts, **options)) == told(expected)
    query = sql("--table", "lines", *words[1:], "--count", "n")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE lines AS SELECT * FROM frame")
        assert told(tm.evaluate(saved(query, tmp_path, connection), **options)) == told(expected)


def test_lines_that_are_rows_are_counted_whatever_their_n(tmp_path):
    frame = rows().assign(n=3, id=range(300))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    words = [str(tmp_path / "rows.csv"), "--truth", "label", "--score", "score", "--no-count"]
    counts = saved(sql(*words), tmp_path)
    assert pd.read_csv(counts)["n"].sum() == 300


@pytest.mark.parametrize("bad", ["NULL", "-1", "0.5", "'NaN'::DOUBLE"])
def test_a_line_without_a_count_is_refused_when_counts_are_read(tmp_path, bad):
    query = sql("--table", "t", "--truth", "y", "--score", "p", "--count", "n")
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT * FROM (VALUES (0, 0.1, 2), (1, 0.9, 4), (1, 0.9, {bad})) "
            "AS t(y, p, n)"
        )
        counts = saved(query, tmp_path, connection)
    with pytest.raises(tm.InputError, match="n is missing|counts holds|n is nan"):
        tm.evaluate(counts, truth="y", score="p", count="n")


def test_a_file_without_a_header(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("yes,0.9\nno,0.2\nyes,0.7\nno,0.7\n", encoding="utf-8")
    refused = CliRunner().invoke(main, ["sql", str(path)])
    assert "give --no-header if it is one" in refused.stderr
    named = ["--truth", "column0", "--score", "column1"]
    made = CliRunner().invoke(main, ["sql", str(path), "--no-header", *named])
    counts = duckdb.sql(made.stdout).df()
    ev = tm.evaluate(counts, truth="column0", score="column1", count="n", positive="yes")
    assert ev["roc_auc"] == 0.875


def test_a_table_has_a_name_and_perhaps_a_schema():
    assert table_name("rows", "duckdb") == '"rows"'
    assert table_name('eval.odd"; name', "duckdb") == '"eval"."odd""; name"'
    for wrong in ("", ".", ".rows", "eval.", "eval..rows"):
        with pytest.raises(tm.InputError) as refused:
            table_name(wrong, "duckdb")
        assert str(refused.value) == (
            f"{wrong!r} is not the name of a table; write NAME or SCHEMA.NAME"
        )
