"""The file of results: where it may stand, and what is left when nothing was finished."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

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


def test_a_disk_that_is_full(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
        run(made(), results=tmp_path / "r.csv", **OPTIONS)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_what_a_disk_that_fills_up_leaves(tmp_path):
    table = tmp_path / "r.csv"
    code = FILLED.format(tests=str(Path(__file__).parents[1]), file=str(table))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True)
    assert b"cannot be written (File too large); choose a place" in done.stderr
    assert b"During handling" not in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.csv", "r.csv.state"]
    assert without_time(run(made(), results=table, **OPTIONS)) == without_time(
        run(made(), **OPTIONS)
    )


FILLED = """
import resource, sys
sys.path.insert(0, {tests!r})
from studies.test_experiment import made, OPTIONS
from tallymark.studies.experiment import run
def fill(done, total):
    if done == 2:
        resource.setrlimit(resource.RLIMIT_FSIZE, (800, 800))
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


@pytest.mark.parametrize("text", ["no json\n", '{"folds": 4}\n["a"]\n', ""])
def test_files_that_no_experiment_wrote(tmp_path, text):
    run(made(), results=tmp_path / "r.csv", **OPTIONS)
    table, state = tmp_path / "r.csv", tmp_path / "r.csv.state"
    settings = state.read_text()
    state.write_text(text.replace('{"folds": 4}\n', settings))
    before = table.read_text()
    with pytest.raises(InputError, match="cannot be gone on with: what it or|holds results of ot"):
        run(made(), results=table, **OPTIONS)
    assert table.read_text() == before
    state.write_text(settings)
    table.write_text(before.splitlines()[0] + "\nmade,ibk,zero\n")
    with pytest.raises(InputError, match="what it or r.csv.state holds is not what an experiment"):
        run(made(), results=table, **OPTIONS)


def test_the_state_is_what_its_description_says(tmp_path):
    table, state = tmp_path / "r.csv", tmp_path / "r.csv.state"

    def stop(done, total):
        if done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(made(), results=table, progress=stop, **OPTIONS)
    first, *folds = map(json.loads, state.read_text().splitlines())
    assert list(first) == [
        "format",
        "version",
        "folds",
        "seed",
        "metrics",
        "datasets",
        "algorithms",
    ]
    assert [f[:4] for f in folds] == [["made", "naive_bayes", 1, 0], ["made", "naive_bayes", 1, 1]]
    y = made()["made"][1]
    for *_, seconds, scores, counts in folds:
        assert seconds > 0
        assert scores == sorted(set(scores))
        assert np.sum(counts, 0).tolist() == [(y == "b").sum() / 4, (y == "a").sum() / 4]
    run(made(), results=table, **OPTIONS)
    assert len(state.read_text().splitlines()) == 1


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
from pathlib import Path
from tallymark.studies.checkpoint import _locked
file = _locked(Path({path!r}))
print("held", flush=True)
time.sleep(60)
"""


def test_a_lock_ends_with_its_process(tmp_path):
    table = tmp_path / "r.csv"
    code = HELD.format(path=str(table))
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert other.stdout.readline().strip() == b"held"
    with pytest.raises(InputError, match="another run is writing"):
        run(made(), results=table, **OPTIONS)
    other.kill()
    other.communicate()
    run(made(), results=table, **OPTIONS)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.csv", "r.csv.state"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows locks otherwise")
def test_where_there_are_no_locks_it_goes_on_without(tmp_path, monkeypatch):
    import fcntl

    def none(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    run(made(), results=tmp_path / "r.csv", **OPTIONS)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows locks otherwise")
def test_a_lock_that_was_removed_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    import fcntl

    real, calls = fcntl.flock, []

    def late(file, how):
        if not calls:  # whoever had it ends between our opening and our locking
            (tmp_path / "r.csv.lock").unlink()
        calls.append(how)
        return real(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    locked = []
    run(
        made(),
        results=tmp_path / "r.csv",
        progress=lambda *_: locked.append((tmp_path / "r.csv.lock").exists()),
        **OPTIONS,
    )
    assert len(calls) == 2
    assert locked
    assert all(locked)


# -- what the results are of -------------------------------------------------------------------


def test_other_rows_under_the_same_name_are_refused(tmp_path):
    table = tmp_path / "r.csv"
    whole = run(made(), results=table, **OPTIONS)
    before = table.read_text(), (tmp_path / "r.csv.state").read_text()
    told = "holds results of other rows or classes of the data set 'made'; give those of before, or"
    with pytest.raises(InputError, match=told):
        run(made(seed=1), results=table, **OPTIONS)
    assert (table.read_text(), (tmp_path / "r.csv.state").read_text()) == before
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
    told = json.loads((tmp_path / "r.csv.state").read_text().splitlines()[0])
    assert (told["format"], told["version"]) == ("tallymark/experiment", 1)
    assert set(told["algorithms"]) == {"lr", "again"}
    assert set(told["datasets"]) == {"made"}


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
