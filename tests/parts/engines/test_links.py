"""Links to tables: what they are called, what is refused, and that nothing stays open."""

from __future__ import annotations

import gc
import json
import sys
import traceback

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.parts.engines.links import Link, is_link, open_link
from tallymark.reading.readers import open_table


def rows(n=150):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return y, np.round(np.clip(rng.normal(0.35 + 0.3 * y, 0.2, n), 0, 1), 2)


@pytest.fixture
def database(tmp_path, monkeypatch):
    """A DuckDB file of predictions, in the working folder."""
    monkeypatch.chdir(tmp_path)
    y, s = rows()
    other, region = np.round(1 - s / 2, 3), np.where(np.arange(150) % 3, "north", "south")
    with duckdb.connect("runs.db") as connection:
        connection.execute("CREATE SCHEMA eval")
        connection.execute(
            "CREATE TABLE preds (label INT, score DOUBLE, other DOUBLE, region TEXT)"
        )
        connection.executemany(
            "INSERT INTO preds VALUES (?, ?, ?, ?)",
            list(zip(y.tolist(), s.tolist(), other.tolist(), region.tolist(), strict=True)),
        )
        connection.execute('CREATE VIEW eval."odd ""name" AS SELECT label, score FROM preds')
    return tmp_path / "runs.db"


def free(path):
    """Tell whether nobody holds a database: it could be opened for writing."""
    gc.collect()
    with duckdb.connect(str(path)) as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.slow
def test_a_table_gives_what_its_rows_give(database):
    y, s = rows()
    expected = tm.evaluate(y, y_score=s)
    for link in (
        "duckdb:///runs.db?table=preds",
        f"duckdb:///{database}?table=main.preds",
        "duckdb:///runs.db?table=eval.odd%20%22name",
    ):
        ev = tm.evaluate(link, truth="label", score="score")
        assert (ev.source.name, ev.source.kind) == (link, "DuckDB")
        assert ev.models[0].scores == expected.models[0].scores
        assert str(ev["roc_auc"]) == str(expected["roc_auc"])
        assert free(database)


def test_the_file_is_only_read(database):
    before = database.read_bytes()
    table = open_table("duckdb:///runs.db?table=preds")
    assert table.columns == ("label", "score", "other", "region")
    assert table.rows == 150
    with pytest.raises(duckdb.InvalidInputException, match="read-only"):
        table.frame.to_native().create("new")
    table.close()
    assert database.read_bytes() == before
    assert [p.name for p in database.parent.iterdir()] == ["runs.db"]


@pytest.mark.parametrize(("link", "words"), [
    ("duckdb:///runs.db?table=pred",
     r"duckdb:///runs.db\?table=pred: there is no table 'pred'; did you mean 'preds'\?"),
    ("duckdb:///runs.db?table=preds.x", "there is no table 'preds.x'; did you mean 'preds'"),
    ("duckdb:///runs.db", r"duckdb:///runs.db names no table: write duckdb:///runs.db\?table=NAME; "
                          "there are 'preds', 'eval.odd \"name'"),
    ("duckdb:///none.db?table=preds", "there is no file 'none.db'; write duckdb:///PATH"),
    ("duckdb:///?table=preds", "there is no file ''"),
    ("duckdb:///notes.txt?table=preds", "duckdb:///notes.txt.table=preds cannot be read: .*notes"),
    ("duckdb:///runs.db?table=preds&mode=rw", "has mode, which DuckDB does not know"),
    ("duckdb:///runs.db?table=preds#2", "this duckdb:// link cannot be read; write it as"),
    ("nosuch://host/db?table=preds", "nosuch:// is not a known database"),
    ("https://host/preds.csv", "https:// is not a known database"),
])  # fmt: skip
@pytest.mark.slow
def test_a_link_that_leads_nowhere_is_one_sentence(database, link, words):
    (database.parent / "notes.txt").write_text(
        "these are notes, and no database" * 100, encoding="utf-8"
    )
    with pytest.raises(tm.InputError, match=words) as refused:
        tm.evaluate(link)
    assert "\n" not in str(refused.value)
    del refused
    assert free(database)


@pytest.mark.slow
def test_a_refused_table_is_let_go(database):
    with pytest.raises(tm.InputError, match="no column 'truth' for truth"):
        tm.evaluate("duckdb:///runs.db?table=preds", truth="truth")
    assert free(database)
    with pytest.raises(tm.InputError, match="region holds texts?"):
        tm.evaluate("duckdb:///runs.db?table=preds", truth="label", score="region")
    assert free(database)


def test_an_empty_database_says_so(tmp_path):
    duckdb.connect(str(tmp_path / "empty.db")).close()
    with pytest.raises(tm.InputError, match="there is no table 'x'; the database has no tables"):
        open_link(f"duckdb:///{tmp_path}/empty.db?table=x")


COMMANDS = (
    ["report", "{}", "--score", "score"],
    ["report", "{}", "--score", "score", "--json", "-"],
    ["explain", "{}", "--like", "sklearn", "--score", "score"],
    ["compare", "{}", "--score", "score", "--score", "other", "--score-is", "score"],
    ["compare", "{}", "--score", "score", "--with", "{}&again=1"],
    ["subgroups", "{}", "--score", "score", "--subgroup", "region"],
    ["threshold", "{}", "--score", "score"],
    ["curve", "{}", "roc", "--score", "score"],
    ["advise", "{}", "--score", "score"],
    ["reconcile", "{}", "f1=0.7", "--score", "score"],
)


@pytest.mark.parametrize("words", COMMANDS, ids=[" ".join(c[:1] + c[2:]) for c in COMMANDS])
@pytest.mark.slow
def test_commands_take_a_link_for_a_file(database, words):
    link = "duckdb:///runs.db?table=preds"
    if "--with" in words:
        (database.parent / "again.db").write_bytes(database.read_bytes())
        words = [w.replace("{}&again=1", "duckdb:///again.db?table=preds") for w in words]
    done = CliRunner().invoke(main, [w.format(link) for w in words])
    assert done.exit_code in (0, 1), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    if words[0] == "report" and "-" in words:
        assert json.loads(done.stdout)["source"]["name"] == link
    assert free(database)


# -- credentials -----------------------------------------------------------------------------------


def test_a_link_is_told_from_a_path():
    assert is_link("postgres://host/db?table=t")
    for path in ("preds.csv", "C:\\preds.csv", "/tmp/a:b.csv", "://x", None, 3):
        assert not is_link(path)


@pytest.mark.parametrize(("text", "name"), [
    ("postgres://ann:s3cret@host/db?table=preds", "postgres://host/db?table=preds"),
    ("PostgreSQL://ann:s3cret@host:5433/db?table=eval.preds&sslpassword=s3cret2",
     "postgresql://host:5433/db?table=eval.preds"),
    ("postgres://ann:s3%40cret@[::1]:5/db?table=a%20b", "postgres://[::1]:5/db?table=a%20b"),
    ("mysql://s3cret@host/db?token=s3cret", "mysql://host/db"),
    ("postgres:///db?table=t&user=ann&password=s3cret", "postgres:///db?table=t"),
    ("duckdb:////data/p@ssage.db?table=t", "duckdb:////data/p@ssage.db?table=t"),
])  # fmt: skip
def test_what_a_link_is_called_holds_no_credentials(text, name):
    link = Link.parse(text)
    assert link.name == name
    assert "s3cret" not in repr(link)
    assert "s3cret" not in str(link)


@pytest.mark.parametrize("text", [
    "postgres://ann:s3/cret@host/db?table=t", "postgres://ann:s3?cret@host/db?table=t",
    "postgres://ann:1?cret@host/db?table=t", "postgres://ann:s3#cret@host/db?table=t",
    "postgres://ann:1/s3cret@host/db?table=t", "postgres://ann:[s3cret@host/db?table=t",
])  # fmt: skip
def test_a_link_that_cannot_be_taken_apart_is_not_repeated(text):
    with pytest.raises(tm.InputError, match="this postgres:// link cannot be read") as refused:
        tm.evaluate(text)
    assert str(refused.value).endswith(
        "in the password %40 for @, %2F for /, %3F for ? and %23 for #"
    )


class Refuse:
    """A driver that repeats what it was given."""

    def __init__(self, error):
        self.error = error

    def __call__(self, text, **options):
        raise self.error


@pytest.mark.parametrize("told", [
    'could not connect with "ann" and s3cr%t',
    "bad dsn: host=h user=ann password=s3cr%t sslkey=kk9",
    "postgres://ann:s3cr%25t@h/db?sslkey=kk9 is not there",
    "s3cr%t\nand more",
    "the environment says out0fenv",
    "",
])  # fmt: skip
def test_what_a_driver_says_is_passed_on_without_credentials(monkeypatch, told):
    ibis = pytest.importorskip("ibis")
    monkeypatch.setenv("PGPASSWORD", "out0fenv")
    monkeypatch.setattr(ibis, "connect", Refuse(RuntimeError(told)))
    link = "postgres://ann:s3cr%25t@h/db?table=t&sslkey=kk9"
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(link)
    text = "".join(traceback.format_exception(refused.value)) + repr(refused.value)
    for secret in ("s3cr%t", "s3cr%25t", "ann", "kk9", "out0fenv"):
        assert secret not in text.replace("annot", ""), text
    assert str(refused.value).startswith("postgres://h/db?table=t cannot be read: ")


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ibis", None)
    for link, extra in (("postgres://h/db?table=t", "postgres"), ("mysql://h/db?table=t", "ibis")):
        with pytest.raises(tm.InputError, match=rf"pip install 'tallymark\[{extra}\]'"):
            tm.evaluate(link)


def test_a_server_has_ten_seconds_unless_told_otherwise(monkeypatch):
    ibis = pytest.importorskip("ibis")
    asked = []
    monkeypatch.setattr(ibis, "connect", lambda text: asked.append(text) or Refuse(OSError())(text))
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    for wait in ("", "&connect_timeout=3"):
        with pytest.raises(tm.InputError, match="cannot be read"):
            tm.evaluate(f"postgresql://h/db?table=t{wait}")
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "4")
    with pytest.raises(tm.InputError, match="cannot be read"):
        tm.evaluate("postgresql://h/db?table=t")
    assert asked == [f"postgres://h/db?connect_timeout={seconds}" for seconds in (10, 3, 4)]


def test_a_missing_driver_is_named(monkeypatch):
    ibis = pytest.importorskip("ibis")
    monkeypatch.setattr(ibis, "connect", Refuse(ModuleNotFoundError("No module named 'psycopg'")))
    with pytest.raises(tm.InputError, match="needs psycopg and Ibis; install it with: pip install"):
        tm.evaluate("postgres://h/db?table=t")
    with pytest.raises(tm.InputError, match=r"pip install 'ibis-framework\[mysql\]'"):
        tm.evaluate("mysql://h/db?table=t")


def test_other_databases_are_reached_through_ibis(monkeypatch, tmp_path):
    ibis = pytest.importorskip("ibis")
    asked, duckdb_of_ibis = [], ibis.duckdb.connect

    def connect(text):
        asked.append(text)
        made = duckdb_of_ibis()
        made.raw_sql(
            "CREATE TABLE preds AS SELECT * FROM (VALUES (0, 0.2), (1, 0.7)) AS t(y_true, p)"
        )
        return made

    monkeypatch.setattr(ibis, "connect", connect)
    ev = tm.evaluate("mysql://ann:s3cret@h/db?table=preds&charset=utf8")
    assert asked == ["mysql://ann:s3cret@h/db?charset=utf8"]
    assert (ev.source.name, ev.rows) == ("mysql://h/db?table=preds", 2)


def test_a_view_reads_no_other_file(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("label,score\n1,0.9\n0,0.1\n", encoding="utf-8")
    with duckdb.connect(str(tmp_path / "hostile.db")) as made:
        made.execute(f"CREATE VIEW preds AS SELECT * FROM '{secret}'")
        made.execute("CREATE TABLE rows AS SELECT * FROM preds")
    link = f"duckdb:///{tmp_path}/hostile.db?table="
    assert tm.evaluate(link + "rows").rows == 2
    with pytest.raises(tm.InputError, match="disabled by configuration; the view reads files outs"):
        tm.evaluate(link + "preds")
