"""Texts and categories of every library, beside a twin that counts them in a dictionary."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.tally.arrays import Coded, code_labels
from tallymark.tally.encoded import encoded

WORDS = ["", "a", "b", "no", "yes", "Ä", "日本", "🙂", "seven77", "eight888", "twelve--1234",
         "thirteen-1234", "thirteen-1235", "a rather long name of a class", "a\0b"]  # fmt: skip

STORES = {
    "objects": lambda v: np.array([*v, None], dtype=object)[:-1],
    "pandas objects": lambda v: pd.Series(v, dtype=object),
    "pandas str": lambda v: pd.Series(v, dtype="str"),
    "pandas string": lambda v: pd.Series(v, dtype="string[pyarrow]"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.large_string())),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas Categorical": lambda v: pd.Categorical(v, categories=[*WORDS[::-1], "never"]),
    "polars": lambda v: pl.Series(v, dtype=pl.String),
    "polars category": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars enum": lambda v: pl.Series(v, dtype=pl.Enum(WORDS[::-1])),
    "arrow": lambda v: pa.array(v, pa.string()),
    "arrow large": lambda v: pa.array(v, pa.large_string()),
    "arrow views": lambda v: pa.array(v, pa.string_view()),
    "arrow dictionary": lambda v: pa.array(v, pa.string()).dictionary_encode(),
    "arrow dictionary int8": lambda v: pa.array(v, pa.dictionary(pa.int8(), pa.string())),
    "arrow slice": lambda v: pa.array(["z", None, *v, "z"], pa.string())[2:-1],
    "arrow slice of a dictionary": lambda v: pa.array(["z", *v]).dictionary_encode()[1:],
    "arrow chunks": lambda v: pa.chunked_array([v[:2], v[2:]], pa.string()),
}  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30)


def slow_codes(values):
    labels = sorted({v for v in values if v is not None})
    return [labels.index(v) if v is not None else -1 for v in values], tuple(labels)


@pytest.mark.parametrize("store", STORES.values(), ids=STORES.keys())
@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from([*WORDS, None]), min_size=1, max_size=30))
def test_texts_are_coded_as_by_the_slow_twin(store, values):
    found = encoded(store(values))
    assert found is not None
    codes, labels = found.sorted()
    assert (codes.tolist(), labels) == slow_codes(values)
    assert all(type(label) is str for label in labels)
    again = code_labels(store(values), "y")
    assert isinstance(again, Coded)
    assert (again.codes.tolist(), again.labels) == (codes.tolist(), labels)


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.sampled_from(list(STORES)), st.sampled_from(list(STORES)), st.randoms())
def test_pairs_of_any_two_stores_are_counted_as_by_the_slow_twin(true, one, other, random):
    pred = [random.choice(WORDS) for _ in true]
    tally = tm.LabelTally.from_arrays(STORES[one](true), STORES[other](pred))
    labels = tuple(sorted({*true, *pred}))
    pairs = Counter(zip(true, pred, strict=True))
    assert tally.labels == labels
    assert tally.counts.tolist() == [[pairs[a, b] for b in labels] for a in labels]
    assert tally.rows == len(true)


@settings(deadline=None)
@given(TEXTS)
def test_texts_of_a_fixed_width_are_coded_as_by_the_slow_twin(values):
    codes, labels = encoded(np.array(values)).sorted()
    assert (codes.tolist(), labels) == slow_codes(values)


@pytest.mark.parametrize("store", [*STORES.values(), np.array], ids=[*STORES.keys(), "fixed"])
def test_many_rows_with_a_class_that_comes_late(store):
    rng = np.random.default_rng(0)
    values = rng.choice(WORDS[1:9], 200_000).astype(object)
    values[150_000:150_005] = WORDS[9]
    values[-1] = WORDS[10]
    values = values.tolist()
    codes, labels = encoded(store(values)).sorted()
    assert labels == tuple(sorted({*WORDS[1:11]}))
    assert np.array_equal(np.array(labels, dtype=object)[codes], np.array(values, dtype=object))


@pytest.mark.parametrize(
    "values",
    [
        [1, 0, 1], np.array([1, 0]), np.array(["a", 1], dtype=object), pd.Series([1.5, 2]),
        pd.Series([1, 2]), pa.array([1, 2]), pl.Series([1, 2]), pd.Series([1.0, 2.0], dtype="category"),
        np.array([["a", "b"]]), np.array(["a", np.nan], dtype=object), np.ma.array(["a", "b"]),
        pd.DataFrame({"a": ["b"]}), pa.array([1, 2]).dictionary_encode(), "a", 5, None,
        np.array(["a"], dtype=">U1"), np.empty(2, dtype="U0"), np.array([b"a"]),
    ],
)  # fmt: skip
def test_what_is_neither_text_nor_category_is_left_to_the_careful_door(values):
    assert values is None or encoded(values) is None or str(getattr(values, "dtype", "")) == "<U1"


def test_categories_keep_their_type():
    assert encoded(pd.Series([3, 1, 3], dtype="category")).sorted()[1] == (1, 3)
    flags = code_labels(pd.Series([True, False], dtype="category"), "y")
    assert flags.labels == (False, True)
    assert [type(v) for v in flags.labels] == [bool, bool]
    y = pd.Series([3, 1, 3], dtype="category")
    assert tm.LabelTally.from_arrays(y, y).labels == (1, 3)
    assert tm.LabelTally.from_arrays(y, np.array([3, 1, 1])).counts.tolist() == [[1, 0], [1, 1]]


def test_what_is_missing_is_told_and_dropped_as_ever():
    for store in STORES.values():
        y, p = store(["a", None, "b"]), store(["a", "a", "a"])
        with pytest.raises(tm.InputError, match="y_true is missing in 1 row, first at index 1"):
            tm.LabelTally.from_arrays(y, p)
        kept = tm.LabelTally.from_arrays(y, p, missing="drop")
        assert kept.counts.tolist() == [[1, 0], [1, 0]]


def test_too_many_texts_are_refused_as_ever():
    for n in (1500, 20_000):
        names = [f"id{i:06}" for i in range(n)]
        for store in (np.array, STORES["objects"], STORES["arrow"], STORES["polars"]):
            with pytest.raises(tm.InputError, match=f"y holds {n:,} distinct values"):
                code_labels(store(names), "y")


def test_texts_beside_numbers_are_refused_as_ever():
    texts, numbers = pd.Series(["a", "b"], dtype="category"), pd.Series([1, 2], dtype="category")
    with pytest.raises(tm.InputError, match="y_true holds texts such as 'a' and y_pred holds"):
        tm.LabelTally.from_arrays(texts, numbers)


def test_frames_hand_their_categories_over():
    frame = pl.DataFrame({"label": ["a", "b", "a"], "pred": ["a", "b", "b"]})
    for data in (frame, frame.cast(pl.Categorical), frame.to_pandas(), frame.to_arrow()):
        assert tm.LabelTally.from_table(data).counts.tolist() == [[1, 1], [0, 1]]


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@pytest.mark.parametrize("n", [1, 7, 200_001])
def test_integers_of_two_types_are_counted_as_by_the_slow_twin(n):
    rng = np.random.default_rng(0)
    for one in INTEGERS:
        for other in rng.choice(INTEGERS, 3 if n < 10 else 1):
            low = 0 if "u" in (one + other) else -5
            true = rng.integers(low, 7, n).astype(one)
            pred = rng.integers(low, 9, n).astype(other)
            tally = tm.LabelTally.from_arrays(true, pred)
            labels = sorted({*true.tolist(), *pred.tolist()})
            at = np.searchsorted(labels, true) * len(labels) + np.searchsorted(labels, pred)
            twin = np.bincount(at, minlength=len(labels) ** 2).reshape(len(labels), -1)
            assert tally.labels == tuple(labels)
            assert np.array_equal(tally.counts, twin)


def test_integers_of_two_types_far_apart():
    true, pred = np.array([-(2**62), 5], dtype=np.int64), np.array([5, 7], dtype=np.int8)
    assert tm.LabelTally.from_arrays(true, pred).labels == (-(2**62), 5, 7)
    wide = np.arange(256).astype(np.int16), np.arange(256).astype(np.int64)
    assert np.array_equal(tm.LabelTally.from_arrays(*wide).counts, np.eye(256))
