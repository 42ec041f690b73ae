"""Tables of a database and arrays of NumPy."""

from __future__ import annotations

import sqlite3
import zipfile

import numpy as np
import pytest

import tallymark as tm
from judged import judged, refusal
from tallymark.errors import InputError
from tallymark.reading.files import open_file

ROWS = [("yes", 0.9), ("no", 0.1), ("yes", 0.4), ("no", 0.6)]
LABELS, SCORES = (np.array(v) for v in zip(*ROWS, strict=True))


# -- SQLite --------------------------------------------------------------------------------------


def database(path, **tables):
    connection = sqlite3.connect(path)
    for name, rows in tables.items():
        connection.execute(f'CREATE TABLE "{name}" (label, score)')
        connection.executemany(f'INSERT INTO "{name}" VALUES (?, ?)', rows)
    connection.execute("CREATE VIEW again AS SELECT 1 AS label, 2 AS score")
    connection.commit()
    connection.close()
    return path


def test_the_one_table_of_a_database(tmp_path):
    path = database(tmp_path / "t.db", preds=ROWS)
    assert open_file(path).kind == "SQLite"
    assert judged(path) == (4, 0.75, ())
    path = database(tmp_path / "u.sqlite", empty=[], **{"my preds; x": ROWS})
    assert judged(path)[:2] == (4, 0.75)
    path = database(tmp_path / "v.db", preds=[*ROWS, (None, 0.5)])
    assert "label is missing in 1 row" in refusal(path)


def test_which_table_of_a_database(tmp_path):
    path = database(tmp_path / "t.db", old=ROWS[:2], new=ROWS)
    told = refusal(path)
    assert (
        "t.db has 2 tables with data, 'new', 'old'; say which with options={'sheet': 'new'}" in told
    )
    assert judged(path, options={"sheet": "new"}) == (4, 0.75, ("the table 'new'",))
    assert "t.db has no table 'nwe'; did you mean 'new'?" in refusal(path, options={"sheet": "nwe"})
    assert "t.db has no table 'again'" in refusal(
        path, options={"sheet": "again"}
    )  # a view may never end
    assert "u.db has no table with data" in refusal(database(tmp_path / "u.db"))


def test_a_damaged_database(tmp_path):
    path = database(tmp_path / "t.db", preds=ROWS * 500)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert "t.db is a damaged SQLite database, or a locked one; save its table as CSV" in refusal(
        path
    )


# -- NumPy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_arrays_by_name(tmp_path, dtype):
    np.savez(tmp_path / "t.npz", label=LABELS, score=SCORES.astype(dtype))
    assert judged(tmp_path / "t.npz")[:2] == (4, 0.75)
    ev = tm.evaluate(tmp_path / "t.npz", positive="yes", threshold=0.6)
    assert ev["accuracy"].value == 0.5  # 0.6 is 0.6, however it is stored
    np.savez_compressed(tmp_path / "u.npz", label=LABELS.astype("S"), score=SCORES)
    assert judged(tmp_path / "u.npz")[:2] == (4, 0.75)


def test_rows_of_two_dimensions_are_vectors(tmp_path):
    scores = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.5, 0.4, 0.1]])
    np.savez(tmp_path / "t.npz", y_true=[0, 1, 2, 1], probs=scores, names=["a", "b", "c"])
    ev = tm.evaluate(tmp_path / "t.npz")
    assert ev.source._roles["score"] == ("probs[0]", "probs[1]", "probs[2]")
    assert (ev.rows, ev["accuracy"].value) == (4, 0.75)
    assert ev.source.format == ("without 'names', no column of 4 rows",)


def test_one_array(tmp_path):
    np.save(tmp_path / "t.npy", np.c_[LABELS == "yes", SCORES])
    ev = tm.evaluate(tmp_path / "t.npy", truth="column0", score="column1")
    assert (ev.rows, ev["roc_auc"].value) == (4, 0.75)
    rows = np.array(ROWS, dtype=[("label", "U3"), ("score", "f8")])
    np.save(tmp_path / "u.npy", rows)
    assert judged(tmp_path / "u.npy") == (4, 0.75, ())


def test_missing_and_infinite_numbers_of_arrays(tmp_path):
    np.savez(tmp_path / "t.npz", label=LABELS, score=[0.9, np.nan, 0.4, 0.6])
    assert "score is missing in 1 row" in refusal(tmp_path / "t.npz", positive="yes")
    np.savez(tmp_path / "t.npz", label=LABELS, score=[0.9, np.inf, 0.4, 0.6])
    assert "score is inf at row 2" in refusal(tmp_path / "t.npz", positive="yes")


def test_arrays_that_are_refused(tmp_path, write):
    np.savez(tmp_path / "t.npz", label=np.array(["a", None], dtype=object))
    assert "t.npz holds Python objects, which could run any code; save" in refusal(
        tmp_path / "t.npz"
    )
    np.savez(tmp_path / "t.npz", accuracy=0.9)
    assert "t.npz has no array with rows" in refusal(tmp_path / "t.npz")
    np.save(tmp_path / "t.npy", SCORES)
    told = "t.npy is damaged, or not NumPy's; save the arrays again with numpy.savez"
    data = (tmp_path / "t.npy").read_bytes()
    assert refusal(write("t.npy", data[:-9])) == told
    huge = data.replace(b"(4,), }" + b" " * 12, b"(4000000000000,), }")
    assert refusal(write("t.npy", huge)) == told


# -- what is written of them -----------------------------------------------------------------------


def test_a_database_in_an_archive(tmp_path):
    place = database(tmp_path / "x.db", a=ROWS, b=ROWS)
    with zipfile.ZipFile(tmp_path / "u.zip", "w") as packed:
        packed.write(place, "t.db")
    assert judged(tmp_path / "u.zip", options={"sheet": "b"})[0] == 4


def test_which_kinds_hold_several_tables(write):
    told = "OpenDocument, SQLite and zip files, and t.csv is CSV; leave it out"
    assert told in refusal(
        write("t.csv", "label,score\nyes,0.9\nno,0.1\n"), options={"sheet": "One"}
    )


def test_a_confusion_matrix_in_an_array(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[7, 2], [1, 9]]))
    ev = tm.evaluate(tmp_path / "m.npy")
    assert (ev.rows, ev.classes) == (19, (0, 1))


@pytest.mark.parametrize("link", ["sqlite:///runs.db?table=t", "SQLite:///runs.db"])
def test_an_sqlite_file_is_named_by_its_path(link):
    with pytest.raises(
        InputError, match=r"^an SQLite file is read by its path; give 'runs.db' instead of a link$"
    ):
        tm.evaluate(link)


def test_arrays_of_other_sizes_are_left_out_by_name(tmp_path):
    one = {"label": LABELS, "score": SCORES, "names": ["a", "b"]}
    two = one | {"grid": np.zeros((4, 2, 2)), "scalar": 3.0, "none": []}
    for arrays, told in (
        (one, "without 'names', no column of 4 rows"),
        (two, "without 'names', 'grid', 'scalar', 'none', no columns of 4 rows"),
    ):
        np.savez(tmp_path / "t.npz", **arrays)
        assert judged(tmp_path / "t.npz") == (4, 0.75, (told,))
    # Of as many columns of one size as of another, the longer ones are the rows.
    np.savez(tmp_path / "u.npz", label=LABELS, score=SCORES, a=[1, 2], b=[3, 4])
    assert judged(tmp_path / "u.npz")[2] == ("without 'a', 'b', no columns of 4 rows",)
