from __future__ import annotations

import decimal
import math
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark import metrics
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    Coded,
    as_array,
    as_scores,
    as_weights,
    code_groups,
    code_labels,
    declared_levels,
    encoded,
    find_positive,
    first_come,
    in_order,
    is_alphabetical,
    join_labels,
    keep_complete,
    same_length,
    tabulate,
    to_numpy,
    without_gaps,
)


@pytest.mark.parametrize(
    ("values", "labels", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        ([10**15, -(10**15)], (-(10**15), 10**15), [1, 0]),
        (np.array([1.0, math.nan, 0.0]), (0, 1), [1, -1, 0]),
        (["b", None, "a"], ("a", "b"), [1, -1, 0]),
        ([True, None, False], (False, True), [1, -1, 0]),
        ([decimal.Decimal(2), 1], (1, 2), [1, 0]),
        (pd.Series([pd.NA, 5], dtype="Int64"), (5,), [-1, 0]),
        ([pd.NaT, None], (), [-1, -1]),
        (np.array(["x", "y"], dtype="U1"), ("x", "y"), [0, 1]),
        (np.array([], dtype=int), (), []),
        (np.array([2**63, 2**63 + 5, 2**63], np.uint64), (2**63, 2**63 + 5), [0, 1, 0]),
        (np.array([2**64 - 1, 2**64 - 2], np.uint64), (2**64 - 2, 2**64 - 1), [1, 0]),
        (np.array([2**63 + 1], np.uint64), (2**63 + 1,), [0]),
        (np.array([0, 2**64 - 1], np.uint64), (0, 2**64 - 1), [0, 1]),
        (np.array([-128, 127, 3], np.int8), (-128, 3, 127), [0, 2, 1]),
    ],
)
def test_labels_are_coded(values, labels, codes):
    coded = code_labels(values, "y")
    assert coded.labels == labels
    assert coded.codes.tolist() == codes
    assert coded.missing == codes.count(-1)
    assert code_labels(coded, "y") is coded


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            [0.5, 1.0],
            "y holds the number 0.5 at index 0, which is not a class label; if the column",
        ),
        (np.array([1.0, math.inf]), "y holds the number inf at index 1"),
        ([1, "1"], "y mixes the number 1 beside the text '1'; make all labels of one type"),
        ([True, "a"], "y mixes the boolean True beside the text 'a'"),
        ([object()], "of type object; labels must be integers, strings or booleans"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "y holds values of type datetime64"),
        (np.arange(1001), "y holds 1,001 distinct values, too many for class labels"),
        (np.arange(0, 10**7, 9000), "distinct values, too many for class labels"),
        ([f"id{i}" for i in range(1500)], "1,500 distinct values"),
        ([[1, 2], [3, 4]], r"y has shape (2, 2); it must be one column"),
        ([[1], [2, 3]], "y has rows of different lengths (1 at index 0 and 2 at index 1); give"),
        (5, "y is an int; give a list, an array, or a column of a frame"),
    ],
)
def test_what_is_no_label_is_refused(values, words):
    with pytest.raises(tm.InputError) as caught:
        code_labels(values, "y")
    assert words in str(caught.value)


def test_a_place_in_a_file_is_a_row():
    with pytest.raises(tm.InputError, match="at row 12, which is not a class label"):
        code_labels(np.array([1.0, 0.5]), "y", first_row=10)
    with pytest.raises(tm.InputError, match="s is inf at row 3"):
        as_scores(np.array([0.0, 0.0, math.inf]), "s", first_row=0)


def test_a_column_of_one_is_a_column():
    assert to_numpy(np.ones((3, 1)), "y").shape == (3,)


def test_scores_and_weights():
    assert as_scores([1, None, 2.5], "s").tolist()[0::2] == [1, 2.5]
    assert as_weights(None, "w") is None
    for bad, words in [
        ([1, -1], "w is -1 at index 1; a weight is a number, zero or more"),
        ([1, math.nan], "w is missing at index 1"),
        ([math.inf, 1], "w is inf at index 0"),
        (["a", "b"], "w holds 'a' at index 0, which is not a number"),
    ]:
        with pytest.raises(tm.InputError, match=words):
            as_weights(bad, "w")
    with pytest.raises(tm.InputError, match="which is not a number"):
        as_scores([0.5, [1]], "s")


def test_lengths():
    assert same_length(a=[1, 2], b=None, c=[3, 4]) == 2
    with pytest.raises(tm.InputError, match="a has 1, b has 1,200 rows"):
        same_length(a=[1], b=range(1200))


def test_joining_finds_a_text_beside_a_number():
    one, text = code_labels([1], "y"), code_labels(["1"], "p")
    with pytest.raises(
        tm.InputError, match="p holds strings such as '1' and y holds numbers such as 1"
    ):
        join_labels({"y": one, "p": text})
    names, _ = join_labels({"y": one, "p": Coded(np.array([-1]), ())})
    assert names == (1,)


def test_missing_rows_of_several_columns():
    columns = {"y": code_labels([1, None, 0], "y"), "s": np.array([math.nan, 1.0, 2.0])}
    assert keep_complete(columns, "drop").tolist() == [False, False, True]
    with pytest.raises(tm.InputError, match="y is missing in 1 row, first at row 12"):
        keep_complete(columns, "error", first_row=10)


@pytest.mark.parametrize(
    ("labels", "given", "found"),
    [((0, 1), None, 1), ((False, True), None, True), ((-1, 1), None, 1), ((0,), None, 1),
     (("a", "b"), "a", "a"), ((3, 4), 3, 3), ((), None, 1)],
)  # fmt: skip
def test_the_positive_class(labels, given, found):
    assert find_positive(labels, given) == found


def test_the_positive_class_must_be_unmistakable():
    with pytest.raises(tm.InputError, match=r"The classes are 3, 4; say positive=3 or positive=4"):
        find_positive((3, 4), None)
    with pytest.raises(tm.InputError, match="the positive class 7 does not occur"):
        find_positive((3, 4), 7)


# -- which rows belong together ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([7, 3, 7], [0, 1, 0]),
        (np.array([2.0, math.nan, 1.0, 2.0]), [0, -1, 1, 0]),
        (["b", None, "a", "b"], [0, -1, 1, 0]),
        (np.array(["b", "a", "b"]), [0, 1, 0]),
        ([True, False, True], [0, 1, 0]),
        ([3, None, 5, 3], [0, -1, 1, 0]),
        (pd.Series(["x", None, "y"]).astype("category"), [0, -1, 1]),
        (pd.Series([1, None, 2], dtype="Int64"), [0, -1, 1]),
        ([None, None], [-1, -1]),
        ([], []),
        ([decimal.Decimal(4), decimal.Decimal(2), 4], [0, 1, 0]),
    ],
)
def test_rows_that_belong_together_are_numbered_as_they_come(values, codes):
    assert code_groups(values, "patient").tolist() == codes


def test_any_number_of_groups():
    found = code_groups([f"speaker {i}" for i in range(5000)], "speaker")
    assert found.tolist() == list(range(5000))
    assert code_groups(np.arange(10**6)[::-1], "row").tolist() == list(range(10**6))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            [0.5, 1.0],
            "patient holds the number 0.5 at index 0, which is not the name of a group of rows",
        ),
        ([1.0, math.inf], "patient holds the number inf at index 1"),
        ([2.0**53, 1.0], "patient holds the number 9.0072e.15 at index 0"),
        ([1, None, 2.5], "patient holds the number 2.5 at index 2"),
        ([1, "a"], "patient mixes the number 1 beside the text 'a'; make all labels of one type"),
        ([{}, {}], "patient holds {} at index 0, of type dict; say which"),
        (np.array([1j]), "patient holds values of type complex128; say which"),
        ([[1, 2], [3, 4]], r"patient has shape \(2, 2\); it must be one column"),
    ],
)
def test_what_is_no_group_is_refused(values, told):
    with pytest.raises(tm.InputError, match=told):
        code_groups(values, "patient")


def test_a_row_of_a_file_is_named_where_a_group_is_none():
    with pytest.raises(tm.InputError, match="at row 12, which is not the name"):
        code_groups([1.0, 0.5], "patient", 10)


def test_codes_are_numbered_anew_without_gaps():
    assert first_come(np.array([9, -1, 4, 9])).tolist() == [0, 1, 2, 0]
    assert first_come(np.empty(0, dtype=np.intp)).tolist() == []


def test_a_missing_group_is_refused_or_left_out():
    codes = np.array([0, -1, 1])
    assert keep_complete({"patient": codes}, "drop").tolist() == [True, False, True]
    with pytest.raises(tm.InputError, match="patient is missing in 1 row, first at index 1"):
        keep_complete({"patient": codes}, "error")


@pytest.mark.parametrize("far", [1e-170, 1e-150, 1e-61, 1e61, 1e160])
def test_weights_whose_products_no_float_holds_are_refused(far):
    y, p = [0, 1, 1, 0], [0, 1, 0, 1]
    for weights, where in (([far] * 4, 0), ([1, 0, far, 1], 2)):
        for count in (
            lambda w: metrics.mcc(y, p, sample_weight=w),
            lambda w: tm.evaluate(y, p, weight=w),
            lambda w: tm.ScoreTally.from_arrays(y, p, sample_weight=w),
        ):
            with pytest.raises(InputError, match="beyond 1e-60 to 1e60") as refused:
                count(weights)
            assert f"weight is {far:g} at index {where}" in str(refused.value)
            assert "multiply all weights by one constant" in str(refused.value)


@pytest.mark.parametrize("unit", [1e-60, 1e-30, 1.0, 1e30, 1e60])
def test_a_unit_of_weights_changes_sums_and_no_metric(unit):
    y, p = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1]
    weights = np.array([0.5, 1.0, 0.25, 0.0, 1.0])
    scaled = weights * (4 * unit if unit < 1 else unit)
    tally = tm.LabelTally.from_arrays(y, p, sample_weight=scaled)
    assert tally.counts.sum() == pytest.approx(scaled.sum())
    for name in ("mcc", "f1", "kappa", "g_mean", "balanced_accuracy"):
        metric = getattr(metrics, name)
        plain = metric(y, p, sample_weight=weights)
        assert metric(y, p, sample_weight=scaled) == pytest.approx(plain, rel=1e-12)


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
    "polars enum": lambda v: pl.Series(v, dtype=pl.Enum(sorted(WORDS))),
    "arrow": lambda v: pa.array(v, pa.string()),
    "arrow large": lambda v: pa.array(v, pa.large_string()),
    "arrow views": lambda v: pa.array(v, pa.string_view()),
    "arrow dictionary": lambda v: pa.array(v, pa.string()).dictionary_encode(),
    "arrow dictionary int8": lambda v: pa.array(v, pa.dictionary(pa.int8(), pa.string())),
    "arrow subgroup": lambda v: pa.array(["z", None, *v, "z"], pa.string())[2:-1],
    "arrow subgroup of a dictionary": lambda v: pa.array(["z", *v]).dictionary_encode()[1:],
    "arrow chunks": lambda v: pa.chunked_array([v[:2], v[2:]], pa.string()),
}  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS[1:]), min_size=1, max_size=30)


def slow_codes(values):
    """Return the place of each text among the sorted ones, -1 where it is missing."""
    labels = sorted({v for v in values if v is not None})
    return [labels.index(v) if v is not None else -1 for v in values], tuple(labels)


@pytest.mark.parametrize("store", STORES.values(), ids=STORES.keys())
@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from([*WORDS, None]), min_size=1, max_size=30))
def test_texts_are_coded_as_by_the_slow_twin(store, values):
    found = encoded(store(values))
    assert found is not None
    found = found.sorted()
    codes, labels = found.codes, found.labels
    assert (codes.tolist(), labels) == slow_codes(values)
    assert all(type(label) is str for label in labels)
    again = code_labels(store(values), "y")
    assert isinstance(again, Coded)
    # An empty text is a text, and no class.
    assert (again.codes.tolist(), again.labels) == slow_codes([v or None for v in values])


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.sampled_from(list(STORES)), st.sampled_from(list(STORES)), st.randoms())
def test_pairs_of_any_two_stores_are_counted_as_by_the_slow_twin(true, one, other, random):
    pred = [random.choice(WORDS[1:]) for _ in true]
    tally = tm.LabelTally.from_arrays(STORES[one](true), STORES[other](pred))
    labels = tuple(sorted({*true, *pred}))
    pairs = Counter(zip(true, pred, strict=True))
    assert tally.labels == labels
    assert tally.counts.tolist() == [[pairs[a, b] for b in labels] for a in labels]
    assert tally.rows == len(true)


@pytest.mark.parametrize("store", [*STORES.values(), np.array, list])
def test_empty_texts_are_missing_in_every_store(store):
    true, pred = ["a", "b", "", "a"], ["a", "a", "b", ""]
    with pytest.raises(tm.InputError, match="y_true is missing in 1 row, first at index 2, and y_"):
        tm.LabelTally.from_arrays(store(true), store(pred))
    tally = tm.LabelTally.from_arrays(store(true), store(pred), missing="drop")
    assert (tally.labels, tally.counts.tolist()) == (("a", "b"), [[1, 0], [1, 0]])


@settings(deadline=None)
@given(TEXTS)
def test_texts_of_a_fixed_width_are_coded_as_by_the_slow_twin(values):
    found = encoded(np.array(values)).sorted()
    assert (found.codes.tolist(), found.labels) == slow_codes(values)


@pytest.mark.parametrize("store", [STORES["objects"], np.array, list])
def test_half_of_a_surrogate_pair_is_a_class_like_any_other(store):
    values = ["a", "\ud800", "a"]
    tally = tm.LabelTally.from_arrays(store(values), store(values))
    assert tally.labels == ("a", "\ud800")
    assert tally.counts.tolist() == [[2, 0], [0, 1]]


@pytest.mark.parametrize("store", [*STORES.values(), np.array], ids=[*STORES.keys(), "fixed"])
def test_many_rows_with_a_class_that_comes_late(store):
    rng = np.random.default_rng(0)
    values = rng.choice(WORDS[1:9], 200_000).astype(object)
    values[150_000:150_005] = WORDS[9]
    values[-1] = WORDS[10]
    values = values.tolist()
    found = encoded(store(values)).sorted()
    codes, labels = found.codes, found.labels
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
    assert encoded(pd.Series([3, 1, 3], dtype="category")).sorted().labels == (1, 3)
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
    with pytest.raises(tm.InputError, match="y_true holds strings such as 'a' and y_pred holds"):
        tm.LabelTally.from_arrays(texts, numbers)


def test_frames_hand_their_categories_over():
    frame = pl.DataFrame({"label": ["a", "b", "a"], "pred": ["a", "b", "b"]})
    for data in (frame, frame.cast(pl.Categorical), frame.to_pandas(), frame.to_arrow()):
        (model,) = tm.evaluate(data, positive="b").models
        assert model.labels.counts.tolist() == [[1, 1], [0, 1]]


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


def test_numbers_of_other_kinds_are_refused_or_read_without_a_warning():
    with pytest.raises(tm.InputError, match="y_score holds complex numbers; give real ones"):
        tm.evaluate([0, 1, 0], y_score=np.array([0.1, 1j, 0.2]))
    with pytest.raises(tm.InputError, match="y_true holds the number 1e"):
        tm.evaluate(pl.Series([10**20, 1], dtype=pl.Int128), y_score=[0.1, 0.2])
    half = [np.float16(0.25), 1e308]
    assert tm.evaluate([0, 1], y_score=half)["roc_auc"].value == 1.0
    rows = np.array([[0.3, 0.7, 0.1], [0.1, 0.2, -1e308], [0.2, 0.5, 0.1]])
    assert tm.evaluate([0, 1, 2], y_score=rows).rows == 3
    with pytest.raises(tm.InputError, match="classes is masked_array.*; give a list of labels"):
        tm.evaluate(["a", "b"], ["a", "b"], classes=np.ma.array(["a", "b"], mask=[True, False]))
    with pytest.raises(tm.InputError, match="positive is inf; give one label"):
        tm.evaluate([1, 1], [1, 1], positive=np.inf)
    with pytest.raises(tm.InputError, match=r"positive is np.float16\(0.5\); give"):
        tm.evaluate([0, 0], [0, 0], positive=np.float16(0.5))


def test_columns_of_subgroups_that_are_views_are_counted():
    y = np.array([[0], [1]] * 10)
    ev = tm.evaluate(y, y_score=np.arange(20), y_pred=y, fold=np.zeros(20, int))
    assert ev.rows == 20


# -- the order of labels -------------------------------------------------------------------------

LEVELS = ["low", "medium", "high"]
ORDERED = {
    "pandas": lambda v: pd.Series(v).astype(pd.CategoricalDtype(LEVELS, ordered=True)),
    "pandas Categorical": lambda v: pd.Categorical(v, categories=LEVELS, ordered=True),
    "pandas arrow": lambda v: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([ORDERED["arrow"](v)]))
    ),
    "polars": lambda v: pl.Series(v, dtype=pl.Enum(LEVELS)),
    "arrow": lambda v: pa.DictionaryArray.from_arrays(
        pa.array([None if t is None else LEVELS.index(t) for t in v], pa.int8()),
        pa.array(LEVELS), ordered=True,
    ),
}  # fmt: skip
TRUE = ["low", "medium", "high", "high", "low", "medium"] * 5
CALLED = ["low", "high", "high", "medium", "low", "medium"] * 5


@pytest.mark.parametrize("store", ORDERED.values(), ids=list(ORDERED))
def test_ordered_categories_keep_their_order(store):
    coded = code_labels(store(["high", None, "low", "high"]), "y")
    assert (coded.codes.tolist(), coded.labels) == ([1, -1, 0, 1], ("low", "high"))
    assert coded.levels == tuple(LEVELS)
    places = [[LEVELS.index(v) for v in column] for column in (TRUE, CALLED)]
    right = tm.metrics.cohen_kappa(*places, weights="quadratic")
    for called in (store(CALLED), CALLED):  # a column without an order follows the other
        assert tm.metrics.cohen_kappa(store(TRUE), called, weights="quadratic") == right
        ev = tm.evaluate(store(TRUE), called)
        assert ev.classes == tuple(LEVELS)
        assert ev.value("cohen_kappa", weights="quadratic").value == right


@pytest.mark.parametrize("frame", [
    lambda c: pd.DataFrame({n: ORDERED["pandas"](v) for n, v in c.items()}),
    lambda c: pl.DataFrame({n: ORDERED["polars"](v) for n, v in c.items()}),
    lambda c: pl.LazyFrame({n: ORDERED["polars"](v) for n, v in c.items()}),
    lambda c: pa.table({n: ORDERED["arrow"](v) for n, v in c.items()}),
    lambda c: duckdb.connect().from_df(
        pd.DataFrame({n: ORDERED["pandas"](v) for n, v in c.items()})
    ),
])  # fmt: skip
def test_frames_of_ordered_categories_keep_their_order(frame):
    ev = tm.evaluate(frame({"truth": TRUE, "pred": CALLED}))
    assert ev.classes == tuple(LEVELS)


def test_batches_of_ordered_categories_keep_their_order():
    tallier = tm.Tallier()
    for start in (0, 2, 10):
        tallier.update(*(ORDERED["pandas"](v[start : start + 9]) for v in (TRUE, CALLED)))
    assert tallier.result().classes == tuple(LEVELS)


def test_two_orders_of_the_same_categories_are_refused():
    turned = pd.Categorical(CALLED, categories=LEVELS[::-1], ordered=True)
    with pytest.raises(tm.InputError, match=r"y_true declares the order 'low', .* declare one"):
        tm.evaluate(ORDERED["pandas"](TRUE), turned)


def test_columns_of_scores_without_names_do_not_say_which_order_they_follow():
    y = ORDERED["pandas"](TRUE)
    scores = np.full((len(TRUE), 3), 0.2)
    scores[np.arange(len(TRUE)), [sorted(LEVELS).index(v) for v in TRUE]] = 0.6
    with pytest.raises(
        tm.InputError, match=r"have no names .* classes=\['high', 'low', 'medium'\]"
    ):
        tm.evaluate(y, y_score=scores)
    with pytest.raises(tm.InputError, match=r"have no names .* classes=\['1', '10', '9'\]"):
        tm.evaluate([{"low": "1", "medium": "9", "high": "10"}[v] for v in TRUE], y_score=scores)
    assert tm.evaluate(y, y_score=scores, classes=sorted(LEVELS))["accuracy"] == 1
    ev = tm.evaluate(y, y_score=pd.DataFrame(scores, columns=sorted(LEVELS)))
    assert (ev["accuracy"], ev.classes) == (1, tuple(LEVELS))


@pytest.mark.parametrize(
    "labels",
    [["1", "2", "9", "10"], ["-1", "0", "1"], ["0.5", "2.5", "10.0"], ["8", "16", "128"],
     ["1", "02", "3", "11"]],
)  # fmt: skip
@pytest.mark.parametrize("store", [list, np.array, pd.Series, pl.Series])
def test_texts_that_are_numbers_are_in_their_order(labels, store):
    assert code_labels(store(labels[::-1]), "y").labels == tuple(labels)
    assert tm.evaluate(store(labels), store(labels[::-1])).classes == tuple(labels)


def test_texts_of_letters_are_in_the_order_of_the_alphabet():
    assert in_order(["b10", "b9", "a"]) == ("a", "b10", "b9")
    assert in_order(["1", "10", "2", "x"], ["10", "x"]) == ("1", "10", "2", "x")
    assert is_alphabetical(["a", "b", "c"])
    for labels in (["a", "b"], ["low", "medium", "high"], ["1", "2", "3"], [1, 2, 3]):
        assert not is_alphabetical(labels)


# -- whole sentences, and the edges of what is a label or a score ------------------------------

EXACT = 2**53
GROUP = "say which rows belong together by integers or strings"
LABEL = "labels must be integers, strings or booleans"
DATE = np.array(["2024-03-01", "NaT", "2024-01-02"], "M8[D]")
TIMES = np.array(["2024-03-01T00:00", "2024-03-01T12:30"], "M8[m]")
REFUSED = [
    (lambda: code_labels([1, "a", True], "y"),
     "y mixes the boolean True beside the number 1 beside the text 'a'; make all labels of one type"),
    (lambda: code_labels([0, 1, 0.5], "y"),
     "y holds the number 0.5 at index 2, which is not a class label; if the column is a score, give it "
     "as the score"),
    (lambda: code_labels([0, 1, 0.5], "y", 10, 2000),
     "y holds the number 0.5 at row 13, which is not a subgroup; group the numbers into bands"),
    (lambda: code_groups([0, 1, 0.5], "y", 10),
     "y holds the number 0.5 at row 13, which is not the name of a group of rows; give integers or "
     "strings"),
    (lambda: code_labels([None, {1: 2}], "y"), f"y holds {{1: 2}} at index 1, of type dict; {LABEL}"),
    (lambda: code_groups([None, {1: 2}], "y"), f"y holds {{1: 2}} at index 1, of type dict; {GROUP}"),
    (lambda: code_labels(np.array([1j]), "y"), f"y holds values of type complex128; {LABEL}"),
    (lambda: code_labels(DATE, "y"), f"y holds values of type datetime64[D]; {LABEL}"),
    (lambda: code_groups(TIMES, "y", 4), "y holds the time 2024-03-01T12:30 at row 6; give dates"),
    (lambda: code_labels(np.zeros((2, 2)), "y"),
     "y has shape (2, 2); it must be one column, one entry for each row"),
    (lambda: code_labels(np.arange(1001), "y"),
     "y holds 1,001 distinct values, too many for class labels (at most 1,000 classes with "
     "fewer than two rows each): is it an identifier or a measurement?"),
    (lambda: as_array([[1, 2], [3]], "y"),
     "y has rows of different lengths (2 at index 0 and 1 at index 1); give every row one entry per "
     "column"),
    (lambda: as_array([[1], [2], [3, 4], [5, 6, 7]], "y"),
     "y has rows of different lengths (1 at index 0 and 2 at index 2); give every row one entry per "
     "column"),
    (lambda: as_scores(np.array([1j]), "s"), "s holds complex numbers; give real ones"),
    (lambda: as_scores([0.5, np.inf, 1], "s"),
     "s is inf at index 1; give finite numbers or leave those rows out"),
    (lambda: as_scores([0.5, 1, -np.inf], "s", 7),
     "s is -inf at row 10; give finite numbers or leave those rows out"),
    (lambda: as_scores(np.array([1, EXACT + 1]), "s"),
     f"s holds the integer {EXACT + 1} at index 1, which float64 would round; give ranks, or subtract "
     "a constant"),
    (lambda: as_scores(np.array([-EXACT - 1, 0]), "s", 0),
     f"s holds the integer {-EXACT - 1} at row 1, which float64 would round; give ranks, or subtract a "
     "constant"),
    (lambda: declared_levels({"y": Coded(np.array([0]), ("a",), ("b", "a", "c")),
                              "p": Coded(np.array([0]), ("a",), ("a", "b"))}),
     "y declares the order 'b', 'a', 'c' and p 'a', 'b'; declare one order for both"),
    (lambda: same_length(a=[1], b=None, c=[1, 2]),
     "the lengths differ: a has 1, c has 2 rows; give every array the same rows"),
]  # fmt: skip


def test_each_refusal_of_values_names_the_first_of_them():
    for ask, sentence in REFUSED:
        with pytest.raises(InputError) as caught:
            ask()
        assert str(caught.value) == sentence


def test_values_at_the_edge_of_what_is_refused_are_read():
    assert as_scores(np.array([EXACT, -EXACT]), "s").tolist() == [EXACT, -EXACT]
    assert as_scores(np.array([EXACT + 2]), "s").tolist() == [EXACT + 2]
    assert as_scores([1e308, 1e308], "s").tolist() == [1e308, 1e308]  # their sum is infinite
    assert code_labels([EXACT - 1.0, 0], "y").labels == (0, EXACT - 1)
    assert len(code_labels(np.arange(1000), "y").labels) == 1000
    assert code_groups(DATE, "y").tolist() == [0, -1, 1]
    assert code_groups(TIMES[:1], "y").tolist() == [0]
    assert code_groups([True, 2, True], "y").tolist() == [0, 1, 0]
    assert code_labels([np.float64(1), None, 2], "y").codes.tolist() == [0, -1, 1]
    assert code_labels(["a", " ", "", "b"], "y").codes.tolist() == [0, -1, -1, 1]
    assert code_labels([b"b", b"a"], "y").labels == ("a", "b")
    for low in (-128, 5, -1, 0):
        values = np.array([low, low + 255, low + 7, low], np.int64)
        coded = code_labels(values, "y")
        assert (coded.labels, coded.codes.tolist()) == ((low, low + 7, low + 255), [0, 2, 1, 0])
    coded = code_labels(np.array([-128, 127], np.int8), "y")
    assert (coded.labels, coded.codes.tolist()) == ((-128, 127), [0, 1])
    assert same_length(a=[1, 2], b=None) == 2
    levels = {
        "y": Coded(np.array([0]), ("a",), ("b", "a", "c")),
        "p": Coded(np.array([0]), ("a",), ("b", "c")),
    }
    assert declared_levels(levels) == ("b", "a", "c")
    assert declared_levels({"y": Coded(np.array([0]), ("a",))}) == ()
    assert (is_alphabetical("ab"), is_alphabetical("abc"), is_alphabetical("acb")) == (
        False,
        True,
        False,
    )
    assert is_alphabetical(["1", "10", "2"]) is False


def test_codes_lose_their_gaps_whether_few_or_many_are_possible():
    for size in (9, 70_000, 10**9):
        codes = np.array([5, 2, 8, 5])
        found, present = without_gaps(codes, size)
        assert (found.tolist(), present.tolist()) == ([1, 0, 2, 1], [2, 5, 8])
    found, present = without_gaps(np.array([1, 0, 2]), 3)
    assert (found.tolist(), present.tolist()) == ([1, 0, 2], [0, 1, 2])
    many = np.arange(600_000) % 7
    table = tabulate((7, 2), [many, many % 2], np.arange(600_000.0))
    wanted = [[np.arange(k, 600_000, 7).sum() * (k % 2 == j) for j in (0, 1)] for k in range(7)]
    assert table.tolist() == wanted
