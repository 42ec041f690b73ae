"""The file of results: where it may stand, and what is left when nothing was finished."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import tallymark as tm
from studies.test_experiment import OPTIONS, made, without_time
from tallymark.errors import InputError
from tallymark.studies.algorithms import chosen
from tallymark.studies.checkpoint import try_place
from tallymark.studies.datasets import from_arrays
from tallymark.studies.experiment import run


def test_a_place_is_tried_before_the_data_are_read(tmp_path):
    (tmp_path / "file").write_text("")
    for place, told in (
        (tmp_path, "is a folder; name a file in it for the results"),
        (tmp_path / "file" / "a" / "r.csv", r"cannot be written \(file is no folder\)"),
    ):
        with pytest.raises(InputError, match=told):
            try_place(place)
        with pytest.raises(InputError, match=told):
            run(tmp_path / "no data", results=place, **OPTIONS)
    try_place(tmp_path / "new" / "folder" / "r.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("locked", ["", "r.csv", "r.csv.state"])
def test_a_place_without_permission(tmp_path, monkeypatch, locked):
    for name in ("r.csv", "r.csv.state"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(os, "access", lambda p, mode: p != tmp_path / locked)
    with pytest.raises(InputError, match=r"r.csv' cannot be written \(no permission\); choose a"):
        try_place(tmp_path / "r.csv")


def test_a_table_that_cannot_be_written_any_more(tmp_path):
    table = tmp_path / "r.csv"

    def replaced(done, total):
        if done == 2:
            table.unlink()
            table.mkdir()

    with pytest.raises(InputError, match=r"r.csv' cannot be written \(Is a directory\); choose"):
        run(made(), results=table, progress=replaced, **OPTIONS)
    table.rmdir()
    log = []
    run(made(), results=table, progress=lambda done, total: log.append(done), **OPTIONS)
    assert log[0] == 3  # the fold whose line was lost is kept


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_what_a_disk_that_fills_up_leaves(tmp_path):
    table = tmp_path / "r.csv"
    code = FILLED.format(tests=str(Path(__file__).parents[1]), file=str(table))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True)
    assert b"r.csv' cannot be written (disk I/O error); choose a place" in done.stderr
    assert b"During handling" not in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.csv", "r.csv.state"]
    assert without_time(run(made(), results=table, **OPTIONS)) == without_time(
        run(made(), **OPTIONS)
    )


FILLED = """
import os, resource, sys
sys.path.insert(0, {tests!r})
from studies.test_experiment import made, OPTIONS
from tallymark.studies.experiment import run
def fill(done, total):
    if done == 2:
        size = os.path.getsize({file!r} + ".state")
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
run(made(), results={file!r}, progress=fill, **OPTIONS)
"""


class Bad(LogisticRegression):
    def fit(self, x, y):
        raise RuntimeError("no luck")


def test_no_file_is_left_where_nothing_was_finished(tmp_path):
    with pytest.raises(InputError, match="no luck"):
        run(made(), results=tmp_path / "r.csv", **{**OPTIONS, "algorithms": {"bad": Bad()}})
    assert list(tmp_path.iterdir()) == []


def test_finished_folds_stay_when_another_algorithm_fails(tmp_path):
    both = {"good": LogisticRegression(), "bad": Bad()}
    with pytest.raises(InputError, match="no luck"):
        run(made(), results=tmp_path / "r.csv", **{**OPTIONS, "algorithms": both})
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 1 + 2 * 5


DAMAGED = "'.*r.csv' cannot be gone on with: what it or r.csv.state holds is not what an exp"


@pytest.mark.parametrize("text", ["no database\n" * 99, "-- tables of another program", ""])
def test_files_that_no_experiment_wrote(tmp_path, text):
    run(made(), results=tmp_path / "r.csv", **OPTIONS)
    table, state = tmp_path / "r.csv", tmp_path / "r.csv.state"
    state.unlink()
    if text.startswith("--"):
        with closing(sqlite3.connect(state)) as other:
            other.execute("CREATE TABLE other (name TEXT)")
    else:
        state.write_text(text)
    before = table.read_text()
    with pytest.raises(InputError, match=DAMAGED):
        run(made(), results=table, **OPTIONS)
    assert table.read_text() == before


def test_a_table_that_was_changed_is_refused_and_one_that_is_gone_is_written_again(tmp_path):
    table = tmp_path / "r.csv"
    run(made(), results=table, **OPTIONS)
    before = table.read_text()
    for other in (before.splitlines()[0] + "\nmade,ibk,zero\n", before + "made,ibk,9\n"):
        table.write_text(other)
        with pytest.raises(InputError, match=DAMAGED):
            run(made(), results=table, **OPTIONS)
        assert table.read_text() == other
    table.unlink()
    run(made(), results=table, **OPTIONS)
    assert table.read_text() == before


def stop(done, total):
    if done == 6:
        raise KeyboardInterrupt


def test_the_state_is_what_its_description_says(tmp_path):
    table, state = tmp_path / "r.csv", tmp_path / "r.csv.state"
    with pytest.raises(KeyboardInterrupt):
        run(made(), results=table, progress=stop, **OPTIONS)
    settings, results = read_state(state)
    assert list(settings) == ["format", "version", "folds", "seed", "metrics"]
    kept = [(r[:4], r[5:]) for r in results if r[6] is not None]
    assert [key for key, _ in kept] == [
        ("made", "naive_bayes", 1, 0),
        ("made", "naive_bayes", 1, 1),
    ]
    assert [r[3] for r in results if r[2] == 0] == [0, 1, 2, 3, -1]
    y = made()["made"][1]
    for _, (seconds, text) in kept:
        assert seconds > 0
        tally = tm.ScoreTally.from_dict(json.loads(text))
        assert tally.counts.sum(0).tolist() == [(y == "b").sum() / 4, (y == "a").sum() / 4]
    run(made(), results=table, **OPTIONS)
    assert [r[6] for r in read_state(state)[1]] == [None] * 2 * 2 * 5


def read_state(path):
    with closing(sqlite3.connect(path)) as state:
        ((settings,),) = state.execute("SELECT json FROM settings")
        return json.loads(settings), state.execute(
            "SELECT * FROM results ORDER BY rowid"
        ).fetchall()


# -- two runs at once --------------------------------------------------------------------------


def test_two_runs_cannot_write_the_same_file(tmp_path):
    table = tmp_path / "new" / "r.csv"
    refused = []

    def second(done, total):
        if not refused:
            with pytest.raises(InputError, match=r"another run is writing '.*r.csv'; wait for it"):
                run(made(), results=table, **OPTIONS)
            refused.append(done)

    first = run(made(), results=table, progress=second, **OPTIONS)
    assert refused == [0]
    assert sorted(p.name for p in table.parent.iterdir()) == ["r.csv", "r.csv.state"]
    assert run(made(), results=table, **OPTIONS) == first


HELD = """
import sys, time
sys.path.insert(0, {tests!r})
from studies.test_experiment import made, OPTIONS
from tallymark.studies.experiment import run
def hold(done, total):
    print("held", flush=True)
    time.sleep(60)
run(made(), results={path!r}, progress=hold, **OPTIONS)
"""


def test_a_lock_ends_with_its_process(tmp_path):
    table = tmp_path / "r.csv"
    code = HELD.format(tests=str(Path(__file__).parents[1]), path=str(table))
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert other.stdout.readline().strip() == b"held"
    with pytest.raises(InputError, match="another run is writing"):
        run(made(), results=table, **OPTIONS)
    other.kill()
    other.communicate()
    run(made(), results=table, **OPTIONS)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.csv", "r.csv.state"]


def test_where_there_are_no_locks_it_goes_on_without(tmp_path, monkeypatch):
    class Unlocked(sqlite3.Connection):
        def execute(self, query, *values):
            if query == "BEGIN EXCLUSIVE":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR_LOCK
                raise error
            return super().execute(query, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Unlocked, **k))
    whole = run(made(), results=tmp_path / "r.csv", **OPTIONS)
    assert run(made(), results=tmp_path / "r.csv", **OPTIONS) == whole


# -- what the results are of -------------------------------------------------------------------


def test_other_rows_under_the_same_name_are_refused(tmp_path):
    table = tmp_path / "r.csv"
    whole = run(made(), results=table, **OPTIONS)
    before = table.read_text(), read_state(tmp_path / "r.csv.state")
    told = "holds results of other rows or classes of the data set 'made'; give those of before, or"
    with pytest.raises(InputError, match=told):
        run(made(seed=1), results=table, **OPTIONS)
    assert (table.read_text(), read_state(tmp_path / "r.csv.state")) == before
    # Another data set beside it, then the first again: both are known.
    run(made(60, 1, "other"), results=table, **OPTIONS)
    with pytest.raises(InputError, match="'other'"):
        run(made(60, 2, "other"), results=table, **OPTIONS)
    assert run(made(), results=table, **OPTIONS) == whole


def test_a_data_set_without_results_may_change(tmp_path):
    table = tmp_path / "r.csv"
    run(made(), results=table, **OPTIONS)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(made(60, 1, "other"), results=table, progress=stop, **OPTIONS)
    found = run(made(60, 2, "other"), results=table, **OPTIONS)
    assert without_time(found) == without_time(run(made(60, 2, "other"), **OPTIONS))


def test_what_a_fingerprint_sees():
    x, y = made()["made"]
    d = from_arrays("d", x, y)
    assert d.fingerprint == from_arrays("other name", x.copy(), y).fingerprint
    changed = x.copy()
    changed[3, 1] += 1e-9
    assert from_arrays("d", changed, y).fingerprint != d.fingerprint
    assert from_arrays("d", x, np.roll(y, 1)).fingerprint != d.fingerprint
    assert from_arrays("d", x, np.where(y == "a", "c", "d")).fingerprint != d.fingerprint
    x[0, 0] = np.nan
    assert from_arrays("d", x, y).fingerprint == from_arrays("d", x, y).fingerprint != d.fingerprint


def test_another_algorithm_under_the_same_name_is_refused(tmp_path):
    table = tmp_path / "r.csv"
    options = {**OPTIONS, "algorithms": {"lr": LogisticRegression()}}
    run(made(), results=table, **options)
    told = (
        r"holds results of another algorithm 'lr', sklearn.*LogisticRegression\(C=1.0, .*\); "
        "give it another name, or another file"
    )
    for other in (LogisticRegression(C=2.0), make_pipeline(LogisticRegression()), Other()):
        with pytest.raises(InputError, match=told):
            run(made(), results=table, **{**options, "algorithms": {"lr": other}})
    run(made(), results=table, **{**options, "algorithms": {"again": LogisticRegression(C=2.0)}})
    run(made(), results=table, **options)
    settings, _ = read_state(tmp_path / "r.csv.state")
    assert (settings["format"], settings["version"]) == ("tallymark/experiment", 1)
    with closing(sqlite3.connect(tmp_path / "r.csv.state")) as state:
        known = state.execute("SELECT kind, name FROM identities ORDER BY kind, name").fetchall()
    assert known == [("algorithm", "again"), ("algorithm", "lr"), ("dataset", "made")]


class Other(LogisticRegression):
    pass


class Odd(LogisticRegression):
    def __init__(self, a=None, b=None):
        self.a, self.b = a, b


def test_what_an_algorithm_is_told_by():
    def identity(estimator):
        return chosen({"x": estimator})["x"].identity

    for one, other in (
        (StandardScaler(), StandardScaler(with_mean=False)),
        (FunctionTransformer(np.log1p), FunctionTransformer(np.sqrt)),
    ):
        a, b = (make_pipeline(step, LogisticRegression()) for step in (one, other))
        assert identity(a) != identity(b)
        assert identity(a) == identity(make_pipeline(one, LogisticRegression()))
    told = identity(Odd(a=np.random.RandomState(0), b=[np.arange(3), {"k": LogisticRegression}]))
    assert " at 0x" not in told
    assert "array(<i8, (3,), [0, 1, 2])" in told
    assert "{'k': sklearn.linear_model._logistic.LogisticRegression}" in told
    assert len({m.identity for m in chosen(None).values()}) == 8


@pytest.mark.parametrize("estimator", [LogisticRegression, object(), StandardScaler()])
def test_what_is_no_algorithm(estimator):
    with pytest.raises(InputError, match="x is no classifier with fit, predict_proba and get_par"):
        chosen({"x": estimator})
