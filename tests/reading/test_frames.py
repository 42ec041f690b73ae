"""Frames of every library, which column is what, and every sentence that refuses one."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallymark.errors import InputError
from tallymark.reading.choose import find_roles
from tallymark.reading.chunks import read_texts
from tallymark.reading.look import look_at
from tallymark.reading.meaning import positive_score
from tallymark.reading.readers import open_table
from tallymark.tally.arrays import (
    Coded,
    as_scores,
    code_labels,
    is_table,
    matrix_to_numpy,
    series_to_numpy,
)

DATA = {"y": ["b", "a", None, "b"], "k": [1, 0, 1, None], "s": [0.5, None, 2.0, -1.0]}
FRAMES = {
    "pandas": lambda d: pd.DataFrame(d),
    "pandas nullable": lambda d: pd.DataFrame(d).convert_dtypes(),
    "pandas arrow": lambda d: pa.table(d).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda d: pl.DataFrame(d),
    "polars lazy": lambda d: pl.LazyFrame(d),
    "arrow": lambda d: pa.table(d),
    "duckdb": lambda d: duckdb.connect().from_arrow(pa.table(d)),
}


@pytest.fixture(params=FRAMES)
def make(request):
    return FRAMES[request.param]


def words(coded: Coded) -> list:
    return [None if c < 0 else coded.labels[c] for c in coded.codes]


# -- frames --------------------------------------------------------------------------------------


def test_every_frame_reads_alike(make):
    data = make(DATA)
    assert is_table(data)
    table = open_table(data)
    assert (table.name, table.columns, table.rows) == ("the data frame", ("y", "k", "s"), 4)
    (chunk,) = table.chunks(["y", "k"], ["s", "k"])
    assert words(chunk.labels["y"]) == ["b", "a", None, "b"]
    assert words(chunk.labels["k"]) == [1, 0, 1, None]
    np.testing.assert_array_equal(chunk.numbers["s"], [0.5, np.nan, 2, -1])
    np.testing.assert_array_equal(chunk.numbers["k"], [1, 0, 1, np.nan])
    assert chunk.numbers["s"].dtype == np.float64
    assert (chunk.first_row, chunk.rows) == (0, 4)


def test_what_cannot_be_read_is_named(make):
    table = open_table(make({"prob": ["0.5", "high"], "y": [0.0, 0.25]}))
    with pytest.raises(InputError, match=r"prob holds '0\.5' at row 1, which is not a number"):
        list(table.chunks([], ["prob"]))
    with pytest.raises(
        InputError, match=r"y holds the number 0\.25 at row 2, which is not a class"
    ):
        list(table.chunks(["y"], []))
    with pytest.raises(InputError, match="the data frame has no column 'pro'; did you mean 'prob'"):
        list(table.chunks([], ["pro"]))


def test_only_frames_are_tables():
    for data in (None, [1], (1,), {"a": [1]}, "a.csv", np.zeros((2, 2)), range(3), 5, object()):
        assert not is_table(data)
    for data in (pd.Series([1]), pl.Series([1]), pa.chunked_array([[1]])):
        assert not is_table(data)
    with pytest.raises(InputError, match="int is neither an array nor a frame; give arrays, a"):
        open_table(5)


def test_two_columns_of_one_name():
    data = pd.DataFrame([[1, 2, 3]], columns=["y", "s", "y"])
    assert is_table(data)
    with pytest.raises(
        InputError, match=r"two columns (with the same name|called 'y').*rename one"
    ):
        open_table(data)
    assert open_table(pd.DataFrame([[1, 2]], columns=["y", "Y"])).columns == ("y", "Y")


def test_hostile_names_are_plain_text(make):
    names = ['a"; drop table x', "b c", "d'", "select", "<b>", "*"]
    (chunk,) = open_table(make({n: [i] for i, n in enumerate(names)})).chunks(names, names)
    assert [v.item() for v in chunk.numbers.values()] == list(range(6))


def test_columns_named_by_numbers():
    array, names = matrix_to_numpy(pd.DataFrame([[0.25, 0.75]], columns=[0, 1]))
    assert (array.tolist(), names) == ([[0.25, 0.75]], ("0", "1"))
    with pytest.raises(InputError, match="two columns called '1'; rename one of them"):
        open_table(pd.DataFrame([[1, 2]], columns=[1, "1"]))


# -- series --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (pd.Series([1, 2]), [1, 2]),
        (pd.Series([1, None], dtype="Int64"), [1.0, np.nan]),
        (pd.Series([True, None], dtype="boolean"), [True, None]),
        (pd.Series([True, False]), [True, False]),
        (pd.Series(["a", None]), ["a", None]),
        (pd.Series([Decimal("1.5")], dtype=object), [Decimal("1.5")]),
        (pl.Series([Decimal("1.5"), None]), [1.5, np.nan]),
        (pl.Series([1, None]), [1.0, np.nan]),
        (pl.Series(["a", None], dtype=pl.Categorical), ["a", None]),
        (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), ["a", "b"]),
        (pl.Series([None, None]), [None, None]),
        (pa.array([1.5, None]), [1.5, np.nan]),
        (pa.chunked_array([["a"], [None, "b"]]), ["a", None, "b"]),
        (pa.array(["x", None]).dictionary_encode(), ["x", None]),
        (pd.Index([3, 4]), [3, 4]),
    ],
)
def test_series(series, expected):
    got = series_to_numpy(series, "y")
    assert isinstance(got, np.ndarray)
    for a, b in zip(got.tolist(), expected, strict=True):
        assert a == b or (a is None and b is None) or (a != a and b != b)


def test_categories_keep_their_type():
    assert code_labels(pd.Series([1, 0, None], dtype="category"), "y").labels == (0, 1)
    assert code_labels(pd.Series([True, False], dtype="category"), "y").labels == (False, True)
    assert words(code_labels(pd.Series(["b", None], dtype="category"), "y")) == ["b", None]
    assert as_scores(pd.Series([0.5, None], dtype="category"), "s").tolist()[0] == 0.5


def test_mixed_objects_are_refused():
    with pytest.raises(InputError, match="mixes"):
        code_labels(pd.Series([1, "1"], dtype=object), "y")


@pytest.mark.parametrize(("given", "told"), [(5, "an int"), ({"a": 1}, "a dict")])
def test_what_is_no_series(given, told):
    with pytest.raises(InputError, match=f"y is {told}; give a list, an array, or a column"):
        series_to_numpy(given, "y")


def test_matrix(make):
    array, names = matrix_to_numpy(make({"p_a": [0.5, None], "p_b": [1, 0]}))
    assert names == ("p_a", "p_b")
    np.testing.assert_array_equal(array, [[0.5, 1], [np.nan, 0]])
    assert array.dtype == np.float64
    with pytest.raises(InputError, match="has no columns; give one column per class"):
        matrix_to_numpy(pd.DataFrame(index=[0]))


# -- which column is what ------------------------------------------------------------------------


def test_roles_by_convention():
    roles = find_roles(["ID", "Label", "Pred", "Score"])
    assert (roles.truth, roles.preds, roles.scores) == (
        "Label",
        (("Pred", None),),
        (("Score", None),),
    )
    assert roles.why == {"truth": "its name", "pred": "its name", "score": "its name"}
    for truth in ("y_true", "label", "target", "actual", "class", "truth"):
        assert find_roles([truth, "p"]).truth == truth
    for pred in ("y_pred", "pred", "prediction", "predicted"):
        assert find_roles(["label", pred]).preds == ((pred, None),)
    for score in ("score", "prob", "proba", "p", "y_score"):
        assert find_roles(["label", score]).scores == ((score, None),)


def test_class_columns_keep_their_suffix():
    columns = ["label", "p_a", "PROB_b", "proba_c d", "score_e"]
    assert find_roles(columns).scores == (
        ("p_a", "a"),
        ("PROB_b", "b"),
        ("proba_c d", "c d"),
        ("score_e", "e"),
    )
    assert find_roles(columns, score=["p_a"]).scores == (("p_a", "a"),)
    assert find_roles(["label", "forest"], score="forest").scores == (("forest", None),)


def test_columns_that_are_named_are_not_guessed():
    roles = find_roles(["class", "label", "score"], pred="class")
    assert (roles.truth, roles.preds, roles.scores) == ("label", (("class", None),), ())
    roles = find_roles(["a", "b", "c", "w"], truth="a", score=["c", "b"], weight="w")
    assert roles.scores == (("c", None), ("b", None))
    assert (roles.weight, roles.why) == ("w", {})
    assert find_roles(["target", "label", "p"], score="target").truth == "label"


def test_counts_already_made():
    cells = pd.DataFrame({"truth": [0, 0, 1, 1], "pred": [0, 1, 0, 1], "N": [7, 1, 2, 5]})
    roles = find_roles(list(cells), look_at(open_table(cells)))
    assert roles.counted == "N"
    reason = "its name, and every combination has one line"
    assert roles.why == {"truth": "its name", "pred": "its name", "count": reason}
    roles = find_roles(["score", "pos", "neg"])
    assert (roles.truth, roles.pos_neg) == ("", ("pos", "neg"))
    assert roles.why == {"score": "its name"}
    assert find_roles(["truth", "pred", "n"], weight="n").counted is None


@pytest.mark.parametrize(
    ("columns", "given", "told"),
    [
        (["label", "p"], {"truth": "labl"}, "no column 'labl' for truth; did you mean 'label'"),
        (["label", "p"], {"score": "q"}, "no column 'q' for score; there are 'label', 'p'"),
        (["label", "p"], {"score": ["p", "q"]}, "no column 'q' for score"),
        (["label", "p"], {"pred": "q"}, "no column 'q' for pred"),
        (["label", "p"], {"weight": "q"}, "no column 'q' for weight"),
        (
            ["label", "target", "p"],
            {},
            "several columns could be the true class: 'label', 'target'; say tm.evaluate(..., "
            "truth='label', score='p') or tm.evaluate(..., truth='target', score='p')",
        ),
        (
            ["label", "pred", "y_pred"],
            {},
            "say tm.evaluate(..., truth='label', pred='pred') or tm.evaluate(..., truth='label', "
            "pred='y_pred') or tm.evaluate(..., truth='label', pred=['pred', 'y_pred'])",
        ),
        (
            ["label", "p", "score"],
            {},
            "say tm.evaluate(..., truth='label', score='p') or tm.evaluate(..., truth='label', "
            "score='score') or tm.evaluate(..., truth='label', score=['p', 'score'])",
        ),
        (["a", "p"], {}, "there is no true class here: no column looks like it (names such as"),
        (["a", "p"], {}, "the columns are 'a', 'p'; name its column with truth=..., or give the"),
        (["label", "a"], {}, "no column looks like a prediction or a score"),
        (["label", "a"], {"truth": "label", "score": "label"}, "'label' is named twice"),
        (["label", "a"], {"score": ["a", "a"]}, "'a' is named twice"),
    ],
)
def test_roles_that_cannot_be_found(columns, given, told):
    with pytest.raises(InputError) as caught:
        find_roles(columns, **given)
    assert told in str(caught.value)


# -- labels written as texts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        ([], []),
        (["-0", " 12 "], [0, 12]),
        (["1.", ".5", "+1e3"], [1.0, 0.5, 1000.0]),
        (["1_000"], ["1_000"]),
        (["٣"], ["٣"]),
        (["+1", "1"], [1.0, 1.0]),
        (["True", "x"], ["True", "x"]),
        (["nan"], ["nan"]),
        ([" a "], [" a "]),
    ],
)
def test_read_texts(texts, labels):
    assert read_texts(texts) == labels


def test_positive_score():
    predicted = Coded(np.array([1, 0, 1]), ("neg", "pos"))
    p = np.array([0.9, 0.75, np.nan])
    np.testing.assert_allclose(positive_score(predicted, p, "pos"), [0.9, 0.25, np.nan])
    np.testing.assert_allclose(positive_score(predicted, p, "neg"), [0.1, 0.75, np.nan])
    np.testing.assert_allclose(positive_score(predicted, p, "other"), [0.1, 0.25, np.nan])


# -- weight --------------------------------------------------------------------------------------


def test_importing_is_light():
    code = (
        "import sys, tallymark, tallymark.reading.chunks, tallymark.reading.files\n"
        "print({'duckdb', 'narwhals', 'pandas', 'pyarrow', 'polars'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "set()"


def test_groups_of_every_frame(make):
    table = open_table(make({"y": [1, 0, 1, 0], "who": ["b", "a", None, "b"]}))
    (chunk,) = table.chunks(["y"], [], groups=["who"])
    assert chunk.groups["who"].tolist() == [0, 1, -1, 0]


def test_the_column_of_clusters_plays_no_other_part():
    roles = find_roles(["label", "p", "score"], cluster="score")
    assert roles.scores == (("p", None),)
    cells = pd.DataFrame(product([0, 1], [0, 1], ["a", "b"]), columns=["label", "pred", "who"])
    look = look_at(open_table(cells.assign(n=range(1, 9))))
    assert find_roles(look.columns, look, cluster="who").counted == "n"
    with pytest.raises(InputError, match="the column 'p' is named twice"):
        find_roles(["label", "p"], score="p", cluster="p")
    with pytest.raises(InputError, match="there is no column 'patent' for cluster"):
        find_roles(["label", "p", "patient"], cluster="patent")
