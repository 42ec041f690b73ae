"""Links to a real PostgreSQL server: its tables, its refusals, and its connections afterwards."""

from __future__ import annotations

import json
import socket
import time

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.parts.engines.links import open_link

pytest.importorskip("psycopg")


@pytest.fixture(scope="module")
def server(postgres):
    """A server with predictions, and the rows of them."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    s = np.round(np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1), 2)
    connection = postgres.connect()
    values = ", ".join(f"({a}, {b})" for a, b in zip(y.tolist(), s.tolist(), strict=True))
    for statement in (
        "CREATE SCHEMA links",
        "CREATE TABLE links.preds (label INT, score FLOAT8)",
        f"INSERT INTO links.preds VALUES {values}",
        "CREATE TABLE linked AS TABLE links.preds",
        "CREATE ROLE ann LOGIN PASSWORD 's3cr3t'",
        "GRANT SELECT ON linked TO ann",
        "CREATE TABLE hidden (label INT, score FLOAT8)",
    ):
        connection.raw_sql(statement).close()
    yield postgres, tm.evaluate(y, y_score=s)
    for statement in (
        "DROP SCHEMA links CASCADE", "DROP TABLE linked, hidden", "DROP ROLE ann",
    ):  # fmt: skip
        connection.raw_sql(statement).close()
    connection.disconnect()


def connections(postgres):
    """Count the connections of Ann, whom nothing else uses."""
    connection = postgres.connect()
    with connection.raw_sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'ann'") as found:
        many = found.fetchone()[0]
    connection.disconnect()
    return many


def link(postgres, table, user="ann:s3cr3t"):
    return f"postgres://{user}@127.0.0.1:{postgres.port}/postgres?table={table}"


def test_a_table_gives_what_its_rows_give(server, monkeypatch):
    postgres, expected = server
    ev = tm.evaluate(link(postgres, "linked"))
    assert ev.source.kind == "PostgreSQL"
    assert ev.source.name == f"postgres://127.0.0.1:{postgres.port}/postgres?table=linked"
    assert ev.models[0].scores == expected.models[0].scores
    assert str(ev["roc_auc"]) == str(expected["roc_auc"])
    assert connections(postgres) == 0
    monkeypatch.setenv("PGPASSWORD", "s3cr3t")
    named = tm.evaluate(link(postgres, "links.preds", "tester").replace("postgres:", "postgresql:"))
    assert named.models[0].scores == expected.models[0].scores
    assert named.source.name.startswith("postgresql://127.0.0.1")


def test_reports_hold_no_credentials(server, tmp_path):
    postgres, expected = server
    page, data = tmp_path / "page.html", tmp_path / "all.json"
    words = ["report", link(postgres, "linked"), "-o", str(page), "--json", str(data)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert json.loads(data.read_text(encoding="utf-8"))["rows"] == expected.rows
    for text in (done.output, page.read_text(encoding="utf-8"), data.read_text(encoding="utf-8")):
        assert "s3cr3t" not in text
        assert "ann:" not in text
        assert "table=linked" in text
    assert connections(postgres) == 0


@pytest.mark.parametrize(("change", "words"), [
    (("linked", "linkd"), r"postgres://127.0.0.1:\d+/postgres\?table=linkd: there is no table 'linkd'; "
                          "did you mean 'linked'"),
    (("table=linked", "x=1"), "cannot be read: invalid connection option \"x\""),
    (("/postgres?", "/nowhere?"), 'cannot be read: .*database "nowhere" does not exist'),
    (("ann:s3cr3t", "bob:s3cr3t"), r'cannot be read: .*role "\*\*\*" does not exist'),
    (("linked", "hidden"), "table=hidden: permission denied for table hidden; use a user who may"),
    (("?table=linked", ""), "names no table: write .*table=NAME; there are"),
])  # fmt: skip
def test_what_the_server_refuses_is_one_sentence(server, change, words):
    postgres, _ = server
    with pytest.raises(tm.InputError, match=words) as refused:
        tm.evaluate(link(postgres, "linked").replace(*change))
    text = str(refused.value)
    assert "\n" not in text
    assert "s3cr3t" not in text
    assert connections(postgres) == 0


def test_no_server_is_one_sentence(server):
    with pytest.raises(
        tm.InputError,
        match="postgres://127.0.0.1:1/db.table=t cannot be read: conn.*; check that the server runs",
    ):
        tm.evaluate("postgres://ann:s3cr3t@127.0.0.1:1/db?table=t")


def test_a_wrong_password_is_one_sentence_that_does_not_tell_it(doomed_postgres):
    connection = doomed_postgres.connect()
    for statement in (
        "CREATE TABLE p AS SELECT i % 2 AS label, i / 10.0 AS score FROM generate_series(1, 9) i",
        "CREATE ROLE ann LOGIN PASSWORD 's3cr3t'",
        "GRANT SELECT ON p TO ann",
    ):
        connection.raw_sql(statement).close()
    rules = doomed_postgres.folder / "data" / "pg_hba.conf"
    rules.write_text(
        "host all ann 127.0.0.1/32 scram-sha-256\n" + rules.read_text(encoding="utf-8"),
        encoding="utf-8",
    )
    connection.raw_sql("SELECT pg_reload_conf()").close()
    connection.disconnect()
    for _ in range(100):  # the server reads its rules again when it comes to it
        time.sleep(0.1)
        try:
            tm.evaluate(link(doomed_postgres, "p", "ann:wr0ng"))
        except tm.InputError as error:
            refused = str(error)
            break
    else:
        pytest.fail("a wrong password was let in")
    assert refused.startswith(
        f"postgres://127.0.0.1:{doomed_postgres.port}/postgres?table=p cannot"
    )
    assert "password authentication failed" in refused
    assert "wr0ng" not in refused
    assert refused.endswith('for user "***"; use a user who may read it')
    with pytest.raises(tm.InputError, match="cannot be read: .*no password supplied"):
        tm.evaluate(link(doomed_postgres, "p", "ann"))
    assert tm.evaluate(link(doomed_postgres, "p")).rows == 9


def test_a_table_of_another_schema_is_suggested(server):
    with pytest.raises(tm.InputError, match="no table 'links.pred'; did you mean 'links.preds'"):
        tm.evaluate(link(server[0], "links.pred", "tester"))


def test_labels_of_an_enum_are_texts(server):
    postgres, _ = server
    connection = postgres.connect()
    for statement in (
        "CREATE TYPE finding AS ENUM ('well', 'sick')",
        "CREATE TABLE enums (label finding, score FLOAT8)",
        "INSERT INTO enums VALUES ('sick', 0.9), ('well', 0.2), ('well', 0.95), (NULL, 0.5)",
    ):
        connection.raw_sql(statement).close()
    try:
        ev = tm.evaluate(link(postgres, "enums", "tester"), positive="sick", missing="drop")
        assert ev.classes == ("sick", "well")
        assert (ev.rows, ev.dropped, ev["roc_auc"].value) == (3, 1, 0.5)
    finally:
        for statement in ("DROP TABLE enums", "DROP TYPE finding"):
            connection.raw_sql(statement).close()
        connection.disconnect()


def test_a_query_that_takes_too_long_says_what_to_do(server):
    postgres, _ = server
    url = link(postgres, "linked", "tester") + "&options=-c%20statement_timeout%3D1"
    connection = postgres.connect()
    connection.raw_sql(
        "CREATE VIEW slow AS SELECT label, score + 0 * (pg_sleep(1) IS NULL)::int AS score "
        "FROM linked"
    ).close()
    try:
        with pytest.raises(tm.InputError, match=r"statement timeout; raise the server's limit"):
            tm.evaluate(url.replace("table=linked", "table=slow"))
    finally:
        connection.raw_sql("DROP VIEW slow").close()
        connection.disconnect()


@pytest.mark.slow
def test_a_server_that_says_nothing_is_given_up(monkeypatch):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        for in_link in (True, False):
            if not in_link:
                monkeypatch.setenv("PGCONNECT_TIMEOUT", "2")
            start = time.monotonic()
            with pytest.raises(tm.InputError, match=r"table=p cannot be read: .*timeout"):
                tm.evaluate(
                    f"postgres://ann:s3cr3t@127.0.0.1:{port}/db?table=p"
                    + ("&connect_timeout=2" if in_link else "")
                )
            assert time.monotonic() - start < 9  # it would wait 10 seconds had it not been told


def test_a_server_that_goes_away_is_one_sentence(doomed_postgres):
    connection = doomed_postgres.connect()
    connection.raw_sql("CREATE TABLE p AS SELECT 1 AS label, 0.5 AS score").close()
    connection.disconnect()
    table = open_link(link(doomed_postgres, "p", "tester:s3cr3t"))
    doomed_postgres.stop()
    with pytest.raises(
        tm.InputError, match=r"table=p cannot be read: .*(terminat|closed|lost)"
    ) as no:
        next(table.chunks(["label"], ["score"]))
    assert "s3cr3t" not in str(no.value)
    table.close()
