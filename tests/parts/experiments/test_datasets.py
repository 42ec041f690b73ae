"""Data sets: which files are some, what they hold, and what cannot be learned from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tallymark.errors import InputError
from tallymark.parts.experiments.datasets import files_of, from_arrays, name_of, read

Y = [0, 1, 0, 1]
TEXT = "a,b\n" + "1,x\n2,y\n" * 3


def test_a_folder_a_list_and_one_file(tmp_path):
    for name in (
        "b.csv",
        "a.tsv",
        "c.csv.gz",
        "d.csv.xz",
        "notes.txt",
        "results.csv",
        "results.csv.state",
    ):
        (tmp_path / name).write_text(TEXT)
    names = ["a.tsv", "b.csv", "c.csv.gz", "d.csv.xz"]
    assert [p.name for p in files_of(tmp_path, tmp_path / "." / "results.csv")] == names
    assert [p.name for p in files_of(str(tmp_path))] == names
    (tmp_path / "results.csv.state").unlink()
    assert [p.name for p in files_of(tmp_path)] == [*names, "results.csv"]
    assert [p.name for p in files_of(tmp_path, tmp_path / "results.csv")] == names
    assert files_of(tmp_path / "b.csv") == [tmp_path / "b.csv"]
    assert files_of([str(tmp_path / "b.csv")]) == [tmp_path / "b.csv"]
    assert name_of(tmp_path / "c.csv.gz") == "c"
    assert read(tmp_path / "b.csv").name == "b"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("none", "there is no folder or file 'none'; check the path"),
        (
            5,
            r"int is not a data set; give files, a folder that holds some, or arrays by name, \{name",
        ),
        ([5], r"a list must hold paths of data sets; give arrays by name, \{name"),
        (".", r"'\.' holds no data sets; put files of the kinds .*\.csv"),
    ],
)
def test_what_holds_no_data_set(source, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=told):
        files_of(source)


@pytest.mark.parametrize(
    ("x", "told"),
    [
        ([[1, 2], [3, "red"], [5, 6], [7, 8]], "column 2 of X of d holds 'red' at index 1, which is not a number"),
        (np.array([["1"], ["2"], ["3"], ["4"]]), "column 1 of X of d holds '1' at index 0, which is not a number"),
        ([[1], [2], [np.inf], [4]], "column 1 of X of d is inf at index 2; give finite numbers"),
        ([[1], [2, 3], [4], [5]], "X of d has rows of different lengths; give every row as many"),
        ([1, 2, 3, 4], r"X of d has the shape \(4,\); X needs one row of numbers for each label"),
        ([[1], [2]], r"X of d has the shape \(2, 1\) and y 4 rows; X needs one row of numbers"),
        (np.empty((4, 0)), r"X of d has the shape \(4, 0\)"),
        (pd.DataFrame({"size": [1, 2, 3, 4], "colour": list("rgbr")}),
         "X of d: colour holds 'r' at row 1, which is not a number; give numbers"),
        (pd.DataFrame(index=range(4)), r"X of d has the shape \(4, 0\)"),
    ],
)  # fmt: skip
def test_arrays_that_are_no_numbers(x, told):
    with pytest.raises(InputError, match=told):
        from_arrays("d", x, Y)


def test_missing_numbers_of_arrays_and_frames():
    wanted = [[1.0, np.nan], [np.nan, 2.0], [3.0, 4.0], [5.0, 6.0]]
    lists = [[1, None], [None, 2], [3, 4], [5, 6]]
    for x in (wanted, lists, np.array(lists, dtype=object), pd.DataFrame(wanted)):
        np.testing.assert_array_equal(from_arrays("d", x, Y).x, wanted)


@pytest.mark.parametrize("number", ["inf", "-Infinity"])
def test_infinite_numbers_of_files(tmp_path, number):
    (tmp_path / "d.csv").write_text(TEXT + number + ",x\n", encoding="utf-8")
    with pytest.raises(InputError, match="d.csv: a is -?inf at row 7; give finite numbers or"):
        read(tmp_path / "d.csv")


# -- the positive class ------------------------------------------------------------------------

LABELS = {
    "0 and 1": ([0, 1, 0, 1, 1], ["0", "1"], "1"),
    "booleans": ([False, True, False, True, True], ["false", "true"], "True"),
    "signs": ([-1, 1, -1, 1, 1], ["-1", "1"], "1"),
    "numbers": ([10, 2, 10, 2, 2], ["10", "2"], "2"),
    "1 and 2": ([2, 1, 2, 1, 1], ["2", "1"], "1"),
    "texts": (["right", "left", "right", "left", "left"], ["right", "left"], "left"),
    "words": (["no", "yes", "no", "yes", "yes"], ["no", "yes"], "yes"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_files_and_arrays_have_the_same_positive_class(tmp_path, kind):
    y, texts, positive = LABELS[kind]
    a, b = texts
    (tmp_path / "d.csv").write_text(
        "size,kind\n" + f"1,{a}\n2,{b}\n3,{a}\n4,{b}\n5,{b}\n", encoding="utf-8"
    )
    pd.DataFrame({"size": range(5), "kind": y}).to_parquet(tmp_path / "e.parquet")
    made = [
        from_arrays("d", np.arange(5)[:, None], y),
        from_arrays("d", np.arange(5)[:, None], np.array(y)),
        read(tmp_path / "d.csv"),
        read(tmp_path / "e.parquet"),
    ]
    for d in made:
        assert d.classes[0] == positive
        assert d.y.tolist() == [False, True, False, True, True]
        assert d.classes == made[0].classes
    other = made[0].classes[1]
    for d in (
        from_arrays("d", np.arange(5)[:, None], y, positive=y[0]),
        read(tmp_path / "d.csv", positive=a),
        read(tmp_path / "e.parquet", "kind", y[0]),
    ):
        assert d.classes == (other, positive)
        assert d.y.tolist() == [True, False, True, False, False]


def test_a_positive_class_that_is_not_there(tmp_path):
    with pytest.raises(
        InputError, match="d has no class 2 to take as positive; there are '1', '0'"
    ):
        from_arrays("d", [[1], [2]], [0, 1], positive=2)
    (tmp_path / "d.csv").write_text(TEXT, encoding="utf-8")
    with pytest.raises(
        InputError, match="d.csv has no class 'z' to take as positive; there are 'x', "
    ):
        read(tmp_path / "d.csv", positive="z")


def test_a_data_set_without_a_header(tmp_path):
    path = tmp_path / "iris.csv"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,virginica\n", encoding="utf-8")
    with pytest.raises(InputError, match="looks like a row, not like column names; give header=F"):
        read(path)
    found = read(path, header=False)
    assert (found.rows, found.x.shape, found.classes) == (3, (3, 2), ("setosa", "virginica"))
    assert read(path, "column2", header=False).rows == 3
    path.write_text("a,b,kind\n5.1,3.5,setosa\n4.9,3.0,virginica\n", encoding="utf-8")
    assert read(path).rows == read(path, header=True).rows == 2
