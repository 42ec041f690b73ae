"""The SQL that is printed gives, run by PostgreSQL and Spark, the very evaluation of the rows."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main

VALUES = [
    (label, score)
    for label, score in zip(
        np.random.default_rng(0).choice(["no", "yes", "No"], 200, p=[0.5, 0.4, 0.1]).tolist(),
        np.round(np.random.default_rng(1).random(200), 2).tolist(),
        strict=True,
    )
    if label != "No"
] + [("yes", 1 / 3), ("no", 0.1 + 0.2), ("no", -0.0), ("yes", 0.0)]
HOSTILE = 'od"d; `n`'


def sql(*words):
    done = CliRunner().invoke(main, ["sql", *words])
    assert done.exit_code == 0, done.output
    return done.output


def told(ev):
    (model,) = ev.models
    return model.labels.to_dict(), [t.to_dict() for t in model.scores], model.rule, ev.rows


def expected():
    labels, scores = zip(*VALUES, strict=True)
    return tm.evaluate(list(labels), y_score=list(scores), positive="yes")


def saved(columns, lines, folder):
    path = folder / "counts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([["" if v is None else v for v in line] for line in lines])
    return str(path)


def test_postgresql(postgres, tmp_path):
    psycopg = pytest.importorskip("psycopg")
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    with psycopg.connect(postgres.url) as connection:
        connection.execute(f"CREATE TABLE sqlrows ({quoted} TEXT, score FLOAT8)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO sqlrows VALUES (%s, %s)", VALUES)
        connection.commit()
        query = sql(f"{postgres.url}?table=sqlrows", "--truth", HOSTILE)
        assert 'COLLATE "C"' in query
        path = tmp_path / "counts.csv"
        with (
            path.open("wb") as file,
            connection.cursor() as cursor,
            cursor.copy(
                f"COPY ({query.rstrip().rstrip(';')}) TO STDOUT (FORMAT csv, HEADER)"
            ) as out,
        ):
            for part in out:
                file.write(part)
        connection.execute("DROP TABLE sqlrows")
    ev = tm.evaluate(str(path), truth=HOSTILE, score="score", positive="yes")
    assert told(ev) == told(expected())


def test_spark(spark, tmp_path):
    spark.createDataFrame(VALUES, [HOSTILE, "score"]).createOrReplaceTempView("sqlrows")
    words = ["--table", "sqlrows", "--truth", HOSTILE, "--score", "score", "--dialect", "spark"]
    found = spark.sql(sql(*words).rstrip().rstrip(";"))
    path = saved(found.columns, [tuple(row) for row in found.collect()], tmp_path)
    ev = tm.evaluate(path, truth=HOSTILE, score="score", positive="yes")
    assert told(ev) == told(expected())
