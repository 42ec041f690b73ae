"""The file of results: where it may stand, and what is left when nothing was finished."""

from __future__ import annotations

import os

import pytest
from sklearn.linear_model import LogisticRegression

from studies.test_experiment import OPTIONS, made
from tallymark.errors import InputError
from tallymark.studies.experiment import run
from tallymark.studies.kept import try_place


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
