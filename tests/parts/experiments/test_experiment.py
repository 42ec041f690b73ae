"""The experiment: against scikit-learn on the same folds, stopped and resumed."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import types
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from parts.experiments.estimators import Ended, Failing, Logged
from tallymark.errors import InputError
from tallymark.parts.experiments.algorithms import chosen
from tallymark.parts.experiments.checkpoint import KEYS, check_writable
from tallymark.parts.experiments.datasets import DataSet, from_arrays, read
from tallymark.parts.experiments.experiment import FIRST, run

DATASETS = Path(__file__).parents[4] / "shared" / "datasets"
QUICK = ["naive_bayes", "ibk"]


def made(n=80, seed=0, name="made"):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    x = rng.normal(1.0 * y[:, None], 1, (n, 3))
    return {name: (x, np.where(y == 1, "a", "b"))}


def rows(table):
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


@pytest.mark.slow
def test_every_number_is_scikit_learns_on_the_same_fold():
    sets = made()
    table = run(sets, algorithms={"lr": LogisticRegression()}, repeats=2, folds=5, seed=7, jobs=1)
    d = from_arrays("made", *sets["made"])
    assert d.classes == ("a", "b")
    assert d.y.tolist() == [v == "a" for v in sets["made"][1]]
    seen = 0
    pooled = {r: ([], []) for r in (0, 1)}
    for r in (0, 1):
        split = StratifiedKFold(5, shuffle=True, random_state=7 + r).split(d.x, d.y)
        for f, (train, test) in enumerate(split):
            p = LogisticRegression().fit(d.x[train], d.y[train]).predict_proba(d.x[test])[:, 1]
            (row,) = [v for v in rows(table) if (v["repeat"], v["fold"]) == (r, f)]
            _same(row, d.y[test], p)
            pooled[r][0].extend(d.y[test])
            pooled[r][1].extend(p)
            seen += 1
        (row,) = [v for v in rows(table) if v["repeat"] == r and v["fold"] is None]
        _same(row, np.array(pooled[r][0]), np.array(pooled[r][1]))
    assert seen == 10
    assert list(table)[: len(KEYS) + 7] == [*KEYS, *FIRST]
    assert {row["rows"] for row in rows(table)} == {80}
    assert {row["minority"] for row in rows(table)} == {0.5}


def _same(row, y, p):
    expected = {
        "accuracy": sk.accuracy_score(y, p >= 0.5),
        "cohen_kappa": sk.cohen_kappa_score(y, p >= 0.5),
        "f1": sk.f1_score(y, p >= 0.5),
        "mean_absolute_error": np.abs(y - p).mean(),
        "root_mean_squared_error": math.sqrt(((y - p) ** 2).mean()),
        "roc_auc": sk.roc_auc_score(y, p),
        "average_precision": sk.average_precision_score(y, p),
        "brier": sk.brier_score_loss(y, p),
        "matthews_corrcoef": sk.matthews_corrcoef(y, p >= 0.5),
    }
    for name, value in expected.items():
        assert row[name] == pytest.approx(value), name


def test_an_infinite_loss_is_left_out():
    sure = {"tree": DecisionTreeClassifier(random_state=0)}
    table = run(
        made(), algorithms=sure, repeats=2, folds=4, jobs=1, metrics=["accuracy", "log_loss"]
    )
    assert [loss is None for loss in table["log_loss"]] == [a < 1 for a in table["accuracy"]]
    assert None in table["log_loss"]


def test_the_number_of_processes_changes_nothing():
    options = {"algorithms": QUICK, "repeats": 1, "folds": 4, "metrics": FIRST}
    one, two = (run(made(), jobs=jobs, **options) for jobs in (1, 2))
    for name in one:
        if name != "seconds":
            assert one[name] == two[name]


def test_folds_are_shared_and_seeds_matter():
    a = run(made(), algorithms="naive_bayes", repeats=1, folds=4, jobs=1, metrics=["accuracy"])
    b = run(
        made(), algorithms="naive_bayes", repeats=1, folds=4, jobs=1, metrics=["accuracy"], seed=1
    )
    again = run(made(), algorithms=QUICK, repeats=2, folds=4, jobs=1, metrics=["accuracy"])
    assert a["accuracy"] != b["accuracy"]
    first = [
        v["accuracy"] for v in rows(again) if (v["algorithm"], v["repeat"]) == ("naive_bayes", 0)
    ]
    assert first == a["accuracy"]
    # The second repeat is shuffled by the next seed.
    second = [
        v["accuracy"] for v in rows(again) if (v["algorithm"], v["repeat"]) == ("naive_bayes", 1)
    ]
    assert second == b["accuracy"]


# -- reading -----------------------------------------------------------------------------------


def test_errors_are_divided_by_the_declared_classes():
    x, y = made(40)["made"]
    two = from_arrays("two", x, y)
    three = DataSet("three", two.x, two.nominal, two.y, ("a", "b", "c"))
    options = {"algorithms": "naive_bayes", "repeats": 1, "folds": 4, "jobs": 1, "metrics": FIRST}
    a, b = run({"two": two}, **options), run({"three": three}, **options)
    np.testing.assert_allclose(np.array(b["mean_absolute_error"]),
                               np.array(a["mean_absolute_error"]) * 2 / 3)  # fmt: skip
    np.testing.assert_allclose(np.array(b["root_mean_squared_error"]),
                               np.array(a["root_mean_squared_error"]) * math.sqrt(2 / 3))  # fmt: skip
    assert a["roc_auc"] == b["roc_auc"]


def test_csv_finds_out_what_is_a_number(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text(
        "size,colour,kind\n" + "\n".join(f"{i},{'rg'[i % 2]},{'xy'[i % 3 == 0]}" for i in range(9)),
        encoding="utf-8",
    )
    d = read(file)
    assert d.nominal.tolist() == [False, True]
    assert d.classes == ("x", "y")
    assert d.y.sum() == 6
    other = read(file, "colour")
    assert other.classes == ("g", "r")
    assert other.nominal.tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "target", "told"),
    [
        ("a,b\n1,x\n2,y\n", "c", "has no column 'c' for the class"),
        ("b\nx\ny\n", None, "has no column besides the class 'b'"),
        ("a,b\n1,x\n2,y\n3,z\n", None, "has 3 classes ('x', 'y', 'z'); a study needs two"),
        ("a,b\n1,x\n2,x\n", None, "has 1 classes ('x')"),
        ("a,b\n1,x\n2,\n3,y\n", None, "has 1 row without a class"),
    ],
)
def test_data_sets_that_cannot_be_used(tmp_path, text, target, told):
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    with pytest.raises(
        tm.InputError, match="d.csv " + told.replace("(", r"\(").replace(")", r"\)")
    ):
        read(tmp_path / "d.csv", target)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"repeats": 0}, "repeats is 0; it must be a whole number from 1 up"),
        ({"folds": 1}, "folds is 1; it must be a whole number from 2 up"),
        ({"folds": 41}, "made has 40 rows of its smaller class, too few for 41 folds"),
        ({"algorithms": ["svm"]}, "there is no algorithm 'svm'"),
        ({"algorithms": []}, "algorithms is empty"),
        ({"algorithms": {}}, "algorithms is empty"),
        ({"algorithms": [LogisticRegression()]}, "algorithms must hold names; give your own"),
        ({"algorithms": LogisticRegression()}, r"give your own estimators by name, \{name: esti"),
        ({"algorithms": {"x": object()}}, "x is not a classifier with fit, predict_proba and"),
        ({"metrics": ["hand_till_auc"]}, "hand_till_auc needs whole rows of scores"),
        ({"metrics": ["acuracy"]}, "there is no metric 'acuracy'"),
        ({"jobs": 0}, "jobs is 0; it must be a whole number from 1 up"),
        ({"jobs": -1}, "jobs is -1; it must be a whole number from 1 up"),
        ({"metrics": []}, "metrics is empty; name at least one"),
        ({"seed": "x"}, "seed is 'x'; it must be a whole number from 0 to 4294967286"),
        ({"seed": -1}, "seed is -1; it must be a whole number from 0"),
        ({"seed": True}, "seed is True; it must be a whole number"),
        ({"seed": 2**32 - 9}, "seed is 4294967287; it must be a whole number from 0 to 4294967286"),
        ({"seed": 1.5}, "seed is 1.5; it must be a whole number"),
        ({"targets": {"made": "a"}}, "targets names columns of files, and the data sets are arr"),
        ({"targets": "kind"}, r"targets is 'kind'; give a column by data set, \{name: column\}"),
        (
            {"algorithms": {"two\nlines": LogisticRegression()}},
            r"the name 'two\\nlines' is not a sing",
        ),
    ],
)
def test_wrong_options_are_refused(options, told):
    with pytest.raises(tm.InputError, match=told):
        run(made(), **{"algorithms": QUICK, "folds": 2, **options})


def test_no_data_sets_and_two_of_one_name(tmp_path):
    with pytest.raises(tm.InputError, match="there is no data set"):
        run({}, algorithms=QUICK)
    (tmp_path / "a").mkdir()
    for folder in (tmp_path, tmp_path / "a"):
        (folder / "d.csv").write_text("a,b\n" + "1,x\n2,y\n" * 9, encoding="utf-8")
    with pytest.raises(tm.InputError, match="two data sets have the same name"):
        run([tmp_path / "d.csv", tmp_path / "a" / "d.csv"], algorithms=QUICK, folds=2)
    with pytest.raises(tm.InputError, match="X needs one row of numbers for each label"):
        run({"d": ([1.0, 2.0], [0, 1])}, algorithms=QUICK, folds=2)
    with pytest.raises(
        tm.InputError, match=r"the data set 'd' is not a pair of arrays; give \{name"
    ):
        run({"d": 5}, algorithms=QUICK, folds=2)


def test_the_positive_class_of_all_or_by_name(tmp_path):
    options = {"algorithms": "naive_bayes", "repeats": 1, "folds": 2, "jobs": 1, "metrics": ["f1"]}
    x, y = made()["made"]
    as_it_is, turned = run(made(), **options), run(made(), positive="b", **options)
    assert turned == {**run({"made": (x, y == "b")}, **options), "seconds": turned["seconds"]}
    assert turned["f1"] != as_it_is["f1"]
    assert run(made(), positive={"made": "a"}, **options)["f1"] == as_it_is["f1"]
    (tmp_path / "d.csv").write_text("a,b\n" + "1,x\n2,y\n4,x\n" * 9, encoding="utf-8")
    one = run(tmp_path, positive={"d": "y"}, **options)
    assert one["f1"] == run(tmp_path / "d.csv", positive="y", **options)["f1"]
    with pytest.raises(
        tm.InputError, match="positive names no data set 'mad'; did you mean 'made'"
    ):
        run(made(), positive={"mad": "a"}, **options)
    with pytest.raises(tm.InputError, match="the data set 'd' already has a positive class; leave"):
        run({"d": from_arrays("d", x, y)}, positive="a", **options)


def test_one_file_is_one_data_set_and_targets_name_those_there(tmp_path):
    (tmp_path / "kinds.csv").write_text(
        "kind,size\n" + "a,1\nb,2\nb,3\na,4\n" * 9, encoding="utf-8"
    )
    options = {"algorithms": "naive_bayes", "repeats": 1, "folds": 2, "jobs": 1,
               "metrics": "accuracy"}  # fmt: skip
    one = run(tmp_path / "kinds.csv", targets={"kinds": "kind"}, **options)
    assert set(one["dataset"]) == {"kinds"}
    assert "accuracy" in one
    with pytest.raises(tm.InputError, match="targets names no data set 'kind'; did you mean 'kin"):
        run(tmp_path, targets={"kind": "kind"}, **options)


@pytest.mark.parametrize(
    ("way", "cause", "jobs"),
    [
        ("fit", "RuntimeError: no luck at all", 1),
        ("fit", "RuntimeError: no luck at all", 2),
        ("nan", "ValueError: predict_proba does not give one number from 0 to 1 per row", 1),
        ("beyond", "ValueError: predict_proba does not give one number", 1),
        ("few", "ValueError: predict_proba does not give one number", 1),
        ("column", "IndexError: index 1 is out of bounds", 1),
    ],
)
def test_a_failing_estimator_is_named_with_its_place(way, cause, jobs):
    with pytest.raises(
        tm.InputError,
        match=rf"'bad' fails on the data set 'made' in repeat \d, fold \d \({cause}.*\); correct it, or",
    ):
        run(made(), {"bad": Failing(way)}, folds=2, jobs=jobs)


def test_probabilities_leave_0_and_1_by_rounding_alone():
    for way in ("above", "below"):
        with pytest.raises(tm.InputError) as refused:
            run(made(), {"bad": Failing(way)}, folds=2, jobs=1)
        assert str(refused.value) == (
            "'bad' fails on the data set 'made' in repeat 0, fold 0 (ValueError: predict_proba "
            "does not give one number from 0 to 1 per row); correct it, or leave one of the two out"
        )
    for way in ("rounded up", "rounded down"):
        found = run(made(), {"good": Failing(way)}, folds=2, repeats=1, jobs=1)
        assert len(found["accuracy"]) == 3  # two folds and the pooled predictions


@pytest.mark.slow
def test_an_estimator_that_stays_in_its_process():
    own = {"held": LogisticRegression(C=threading.Lock())}
    with pytest.raises(tm.InputError, match="cannot be sent to other processes; use jobs=1"):
        run(made(), own, folds=2, jobs=2)
    with pytest.raises(tm.InputError, match="'held' fails on the data set 'made' in repeat 0, fol"):
        run(made(), own, folds=2, jobs=1)


@pytest.mark.slow
def test_a_class_that_other_processes_cannot_import(monkeypatch):
    there = types.ModuleType("nowhere_else")
    there.Stray = type("Stray", (LogisticRegression,), {"__module__": "nowhere_else"})
    monkeypatch.setitem(sys.modules, "nowhere_else", there)
    with pytest.raises(tm.InputError, match="cannot import the module that an algorithm's class"):
        run(made(), {"stray": there.Stray()}, folds=2, jobs=2)


@pytest.mark.slow
def test_a_process_that_is_ended_from_outside():
    with pytest.raises(tm.InputError, match="a process of the experiment was killed"):
        run(made(), {"ended": Ended()}, folds=2, jobs=2)


# -- results that are kept ---------------------------------------------------------------------

OPTIONS = {"algorithms": QUICK, "repeats": 2, "folds": 4, "jobs": 1, "metrics": FIRST}


def without_time(table):
    return {k: v for k, v in table.items() if k != "seconds"}


def logged(log, seconds=0.0):
    """Return the options of an experiment that writes down how often it fits."""
    return {**OPTIONS, "algorithms": {k: Logged(str(log), seconds) for k in ("one", "two")}}


def fits(log):
    return len(log.read_text(encoding="utf-8").splitlines())


def test_finished_folds_are_not_trained_again(tmp_path):
    file, log = tmp_path / "results.csv", tmp_path / "log"
    whole = run(made(), results=file, **logged(log))
    assert len(file.read_text(encoding="utf-8").splitlines()) == 1 + 2 * 2 * 5
    assert fits(log) == 16
    told = []
    again = run(made(), results=file, progress=lambda *a: told.append(a), **logged(log))
    assert fits(log) == 16
    assert again == whole
    assert told == [(16, 16)]


@pytest.mark.slow
def test_more_repeats_and_other_data_go_on_in_the_same_file(tmp_path):
    file = tmp_path / "results.csv"
    run(made(), results=file, **{**OPTIONS, "repeats": 1})
    both = {**made(), **made(60, 1, "other")}
    grown = run(both, results=file, **OPTIONS)
    assert without_time(grown) == without_time(run(both, **OPTIONS))
    assert without_time(run(made(), results=file, **OPTIONS)) == without_time(
        run(made(), **OPTIONS)
    )


def test_other_settings_are_refused(tmp_path):
    file = tmp_path / "results.csv"
    run(made(), results=file, **{**OPTIONS, "repeats": 1})
    before = file.read_text(encoding="utf-8")
    for other in ({"folds": 5}, {"seed": 1}, {"metrics": ["accuracy"]}):
        with pytest.raises(tm.InputError, match="holds results of other folds, seed or metrics"):
            run(made(), results=file, **{**OPTIONS, **other})
    assert file.read_text(encoding="utf-8") == before
    (tmp_path / "results.csv.state").unlink()
    with pytest.raises(tm.InputError, match="results.csv.state is missing"):
        run(made(), results=file, **OPTIONS)


@pytest.mark.parametrize("lines", [0, 1, 13])
def test_lines_that_the_table_has_lost_are_written_again(tmp_path, lines):
    file, log = tmp_path / "results.csv", tmp_path / "log"
    whole = run(made(), results=file, **logged(log))
    text = file.read_text(encoding="utf-8")
    for part in (lines * 50, len("".join(text.splitlines(keepends=True)[:lines]))):
        file.write_text(text[:part], encoding="utf-8")
        assert run(made(), results=file, **logged(log)) == whole
        assert file.read_text(encoding="utf-8") == text
    assert fits(log) == 16


@pytest.mark.slow
def test_stopped_in_the_midst_of_repeats(tmp_path):
    file, log = tmp_path / "results.csv", tmp_path / "log"

    def stop(done, total):
        if done in (3, 6, 8, 13):
            stopped.add(done)
            if len(stopped) > before:
                raise KeyboardInterrupt

    stopped, before = set(), 0
    while before < 4:
        with pytest.raises(KeyboardInterrupt):
            run(made(), results=file, progress=stop, **logged(log))
        before = len(stopped)
    assert without_time(run(made(), results=file, **logged(log))) == without_time(
        run(made(), **logged(tmp_path / "other"))
    )
    assert fits(log) == 16


KILLED = """
import sys
sys.path.insert(0, {tests!r})
from parts.experiments.test_experiment import logged, made, run
run(made(), results={file!r}, **logged({log!r}, 0.15))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.slow
def test_a_killed_experiment_loses_no_finished_fold(tmp_path):
    file, log = tmp_path / "results.csv", tmp_path / "log"
    code = KILLED.format(tests=str(Path(__file__).parents[2]), file=str(file), log=str(log))
    work = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code])
    for _ in range(600):
        if file.exists() and len(file.read_text(encoding="utf-8").splitlines()) >= 8:
            break
        time.sleep(0.05)
    work.send_signal(signal.SIGKILL)
    work.wait()
    finished = sum(
        1 for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()) if row["fold"]
    )
    assert 6 <= finished < 16
    log.write_text("", encoding="utf-8")
    options = logged(log, 0.15)
    found = run(made(), results=file, **options)
    assert 15 - finished <= fits(log) <= 16 - finished
    assert without_time(found) == without_time(run(made(), **options))


def test_a_place_is_tried_before_the_data_are_read(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for place, told in (
        (tmp_path, "is a folder; name a file in it for the results"),
        (tmp_path / "file" / "a" / "r.csv", r"cannot be written \(file is not a folder\)"),
    ):
        with pytest.raises(InputError, match=told):
            check_writable(place)
        with pytest.raises(InputError, match=told):
            run(tmp_path / "no data", results=place, **OPTIONS)
    check_writable(tmp_path / "new" / "folder" / "r.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("locked", ["", "r.csv", "r.csv.state"])
def test_a_place_without_permission(tmp_path, monkeypatch, locked):
    for name in ("r.csv", "r.csv.state"):
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda p, mode: p != tmp_path / locked)
    with pytest.raises(InputError, match=r"r.csv' cannot be written \(no permission\); choose a"):
        check_writable(tmp_path / "r.csv")


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
@pytest.mark.slow
def test_what_a_disk_that_fills_up_leaves(tmp_path):
    table = tmp_path / "r.csv"
    code = FILLED.format(tests=str(Path(__file__).parents[2]), file=str(table))
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
from parts.experiments.test_experiment import made, OPTIONS
from tallymark.parts.experiments.experiment import run
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
    assert len((tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()) == 1 + 2 * 5


DAMAGED = "'.*r.csv' cannot be resumed: it or r.csv.state does not hold what an experiment"


@pytest.mark.parametrize("text", ["no database\n" * 99, "-- tables of another program", ""])
def test_files_that_no_experiment_wrote(tmp_path, text):
    run(made(), results=tmp_path / "r.csv", **OPTIONS)
    table, state = tmp_path / "r.csv", tmp_path / "r.csv.state"
    state.unlink()
    if text.startswith("--"):
        with closing(sqlite3.connect(state)) as other:
            other.execute("CREATE TABLE other (name TEXT)")
    else:
        state.write_text(text, encoding="utf-8")
    before = table.read_text(encoding="utf-8")
    with pytest.raises(InputError, match=DAMAGED):
        run(made(), results=table, **OPTIONS)
    assert table.read_text(encoding="utf-8") == before


def test_a_table_that_was_changed_is_refused_and_one_that_is_gone_is_written_again(tmp_path):
    table = tmp_path / "r.csv"
    run(made(), results=table, **OPTIONS)
    before = table.read_text(encoding="utf-8")
    for other in (before.splitlines()[0] + "\nmade,ibk,zero\n", before + "made,ibk,9\n"):
        table.write_text(other, encoding="utf-8")
        with pytest.raises(InputError, match=DAMAGED):
            run(made(), results=table, **OPTIONS)
        assert table.read_text(encoding="utf-8") == other
    table.unlink()
    run(made(), results=table, **OPTIONS)
    assert table.read_text(encoding="utf-8") == before


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
from parts.experiments.test_experiment import made, OPTIONS
from tallymark.parts.experiments.experiment import run
def hold(done, total):
    print("held", flush=True)
    time.sleep(60)
run(made(), results={path!r}, progress=hold, **OPTIONS)
"""


@pytest.mark.slow
def test_a_lock_ends_with_its_process(tmp_path):
    table = tmp_path / "r.csv"
    code = HELD.format(tests=str(Path(__file__).parents[2]), path=str(table))
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


@pytest.mark.slow
def test_other_rows_under_the_same_name_are_refused(tmp_path):
    table = tmp_path / "r.csv"
    whole = run(made(), results=table, **OPTIONS)
    before = table.read_text(encoding="utf-8"), read_state(tmp_path / "r.csv.state")
    told = (
        "holds results of other rows or classes of the data set 'made'; give the earlier ones, or"
    )
    with pytest.raises(InputError, match=told):
        run(made(seed=1), results=table, **OPTIONS)
    assert (table.read_text(encoding="utf-8"), read_state(tmp_path / "r.csv.state")) == before
    # Another data set beside it, then the first again: both are known.
    run(made(60, 1, "other"), results=table, **OPTIONS)
    with pytest.raises(InputError, match="'other'"):
        run(made(60, 2, "other"), results=table, **OPTIONS)
    assert run(made(), results=table, **OPTIONS) == whole


@pytest.mark.slow
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
    with pytest.raises(
        InputError, match="x is not a classifier with fit, predict_proba and get_par"
    ):
        chosen({"x": estimator})
