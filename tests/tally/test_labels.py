from __future__ import annotations

import json
import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from tallymark.tally.labels import Counts, LabelTally, one_vs_rest


def slow(true, pred, weights=None):
    """Count with a dictionary, one row at a time."""
    labels = sorted(set(true) | set(pred))
    table = [[0.0] * len(labels) for _ in labels]
    for t, p, w in zip(true, pred, weights or [1] * len(true), strict=True):
        table[labels.index(t)][labels.index(p)] += w
    return tuple(labels), table


@given(st.lists(st.tuples(st.integers(-3, 300), st.integers(-3, 300)), min_size=1, max_size=60),
       st.sampled_from(["int64", "int32", "int16", "float64"]))  # fmt: skip
def test_integers_of_any_width(pairs, kind):
    true, pred = (list(c) for c in zip(*pairs, strict=True))
    labels, table = slow(true, pred)
    tally = LabelTally.from_arrays(np.array(true, dtype=kind), np.array(pred, dtype=kind))
    assert tally.labels == labels
    assert tally.counts.tolist() == table
    assert tally.rows == len(pairs)


@pytest.mark.parametrize(
    "kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
@pytest.mark.parametrize("top", [1, 3, 100])
def test_the_kernel_counts_as_the_slow_twin_on_many_rows(kind, top):
    rng = np.random.default_rng(top)
    true, pred = (rng.integers(0, top + 1, 700_001).astype(kind) for _ in range(2))
    tally = LabelTally.from_arrays(true, pred)
    counted = Counter(zip(true.tolist(), pred.tolist(), strict=True))
    assert {
        (t, p): n
        for i, t in enumerate(tally.labels)
        for j, p in enumerate(tally.labels)
        if (n := tally.counts[i, j])
    } == counted


def test_a_late_label_outside_the_first_rows_is_counted():
    true = np.zeros(800_000, dtype=np.int64)
    true[-1], true[500_000] = 7, -5
    tally = LabelTally.from_arrays(true, np.zeros_like(true))
    assert tally.labels == (-5, 0, 7)
    assert tally.counts[:, 1].tolist() == [1, 799_998, 1]


def test_labels_far_apart_are_counted_by_the_careful_way():
    tally = LabelTally.from_arrays(np.array([10**12, -(10**12)]), np.array([5, 10**12]))
    assert tally.labels == (-(10**12), 5, 10**12)
    assert tally.counts.sum() == 2


def test_arrays_with_gaps_and_steps():
    base = np.arange(40) % 2
    tally = LabelTally.from_arrays(base[::2], base[1::2])
    assert tally.counts.tolist() == [[0, 20], [0, 0]]


YES = ["no", "yes", "yes", "no"]
SAID = ["no", "yes", "no", "no"]


@pytest.mark.parametrize(
    "wrap",
    [
        list, tuple, np.array, lambda v: np.array(v, dtype=object), pd.Series,
        lambda v: pd.Series(v, dtype="category"), lambda v: pd.Series(v, dtype="string"),
        pl.Series, lambda v: pl.Series(v, dtype=pl.Categorical), pa.array,
        lambda v: pa.chunked_array([v[:1], v[1:]]), lambda v: pa.array(v).dictionary_encode(),
    ],
)  # fmt: skip
def test_texts_from_anywhere(wrap):
    tally = LabelTally.from_arrays(wrap(YES), wrap(SAID))
    assert tally.labels == ("no", "yes")
    assert tally.counts.tolist() == [[2, 0], [1, 1]]


@pytest.mark.parametrize(
    "wrap",
    [list, np.array, pd.Series, lambda v: pd.Series(v, dtype="boolean"), pl.Series, pa.array],
)
def test_booleans_from_anywhere(wrap):
    tally = LabelTally.from_arrays(wrap([True, False, True]), wrap([True, True, True]))
    assert tally.labels == (False, True)
    assert all(type(v) is bool for v in tally.labels)
    assert tally.counts.tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize(
    "wrap", [list, np.array, pd.Series, lambda v: pd.Series(v, dtype="Int64"), pl.Series, pa.array]
)
def test_integers_from_anywhere(wrap):
    tally = LabelTally.from_arrays(wrap([2, 0, 2]), wrap([2, 2, 0]))
    assert tally.labels == (0, 2)
    assert tally.counts.tolist() == [[0, 1], [1, 1]]


def test_missing_labels_are_refused_or_left_out():
    true, pred = [1, None, 0, 1], [1, 0, None, 0]
    with pytest.raises(
        tm.InputError,
        match=r"^y_true is missing in 1 row, first at index 1, and y_pred in 1 row, first at index 2; correct",
    ):
        LabelTally.from_arrays(true, pred)
    kept = LabelTally.from_arrays(true, pred, missing="drop", sample_weight=[1, 5, 5, 2])
    assert kept.counts.tolist() == [[0, 0], [2, 1]]
    assert kept.rows == 2
    with pytest.raises(
        tm.InputError,
        match=r"missing is 'skip'; give one of 'error', 'drop', or codes such as \[-100\]",
    ):
        LabelTally.from_arrays(true, pred, missing="skip")


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.just(0.0) | st.floats(1e-9, 9)),
        min_size=1,
        max_size=40,
    )
)
def test_weights(rows):
    true, pred, weights = (list(c) for c in zip(*rows, strict=True))
    labels, table = slow(true, pred, weights)
    tally = LabelTally.from_arrays(true, pred, sample_weight=weights)
    assert tally.labels == labels
    np.testing.assert_allclose(tally.counts, table)
    np.testing.assert_allclose(
        tally.sum_squared_weights, slow(true, pred, [w * w for w in weights])[1]
    )


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=50), st.data()
)
def test_parts_add_up_to_the_whole(pairs, data):
    cut = data.draw(st.integers(1, len(pairs) - 1))
    parts = [LabelTally.from_arrays(*zip(*p, strict=True)) for p in (pairs[:cut], pairs[cut:])]
    whole = LabelTally.from_arrays(*zip(*pairs, strict=True))
    merged = (parts[0] + parts[1]).reorder(whole.labels)
    assert merged == whole
    assert (parts[1] + parts[0]).reorder(whole.labels) == whole
    assert sum(parts, LabelTally._empty()).reorder(whole.labels) == whole
    assert whole + LabelTally._empty(whole.labels) == whole


def test_weighted_and_plain_rows_add_up():
    a = LabelTally.from_arrays([0, 1], [0, 1])
    b = LabelTally.from_arrays([0, 1], [0, 1], sample_weight=[3.0, 2.0])
    assert np.diag((a + b).sum_squared_weights).tolist() == [10, 5]
    assert np.diag((b + a).sum_squared_weights).tolist() == [10, 5]


def test_labels_asked_for_stay_and_others_are_refused():
    tally = LabelTally.from_arrays(["b"], ["b"], labels=["c", "b", "a"])
    assert tally.labels == ("c", "b", "a")
    assert tally.counts[1, 1] == 1
    with pytest.raises(
        tm.InputError, match="y_pred holds the label 'z', which is none of the classes named"
    ):
        LabelTally.from_arrays(["a"], ["z"], labels=["a", "b"])
    with pytest.raises(tm.InputError, match="a class is listed twice"):
        LabelTally.from_arrays(["a"], ["a"], labels=["a", "a"])
    with pytest.raises(tm.InputError, match="labels names a class twice"):
        LabelTally(("a", "a"), np.zeros((2, 2)))
    with pytest.raises(tm.InputError, match="the class 'b' of the tally is not among"):
        tally.reorder(["c"])


def test_counts_made_elsewhere():
    tally = LabelTally.from_counts(["a", "a", "b"], ["a", "b", "b"], [80, 20, 7])
    assert tally.counts.tolist() == [[80, 20], [0, 7]]
    assert tally.sum_squared_weights is None
    with pytest.raises(tm.InputError, match=r"n is 1\.5 at index 0; counts are whole numbers"):
        LabelTally.from_counts(["a"], ["a"], [1.5])


def test_round_trip_through_json():
    for weights in (None, [0.5, 2.0, 1.0]):
        tally = LabelTally.from_arrays([0, 1, 1], [1, 1, 0], sample_weight=weights)
        assert LabelTally.from_dict(json.loads(json.dumps(tally.to_dict()))) == tally


def test_a_tally_cannot_be_changed():
    tally = LabelTally.from_arrays([0, 1], [0, 1])
    with pytest.raises(AttributeError):
        tally.rows = 3
    with pytest.raises(ValueError, match="read-only"):
        tally.counts[0, 0] = 9
    assert tally != "a tally"
    with pytest.raises(TypeError):
        tally + 1
    with pytest.raises(TypeError):
        hash(tally)


def test_shapes_and_signs_of_counts_are_checked():
    with pytest.raises(
        tm.InputError, match=r"counts has shape \(1, 2\); these labels need \(2, 2\)"
    ):
        LabelTally((0, 1), np.ones((1, 2)))
    with pytest.raises(tm.InputError, match="counts holds a negative or undefined number"):
        LabelTally((0, 1), np.array([[1, -1], [0, 1]]))


def test_one_class_against_the_rest():
    matrix = np.array([[50, 3, 7], [2, 30, 9], [11, 0, 21]], dtype=float)
    c = one_vs_rest(matrix)
    assert [c.tp[1], c.fp[1], c.fn[1], c.tn[1]] == [30, 3, 11, 89]
    assert (c.total == matrix.sum()).all()
    two = LabelTally(("n", "p"), np.array([[5, 1], [2, 9]], dtype=float))
    assert float(two.binary("p").fn) == 2
    assert float(two.binary("n").fn) == 1
    assert float(LabelTally.from_arrays([0, 0], [0, 0]).binary().tn) == 2


def test_counts_at_another_prevalence():
    c = Counts(70, 20, 30, 80)
    moved = c.at_prevalence([0.01, 0.5])
    np.testing.assert_allclose(moved.positives / moved.total, [0.01, 0.5])
    np.testing.assert_allclose(moved.fp / moved.negatives, 0.2)
    assert c._swap().tp == c.tn
    with pytest.raises(tm.InputError, match="prevalence is 0.0; it must lie between 0 and 1"):
        c.at_prevalence(0)


def test_from_frames_and_files(tmp_path):
    frame = pd.DataFrame({"label": YES, "pred": SAID, "w": [1.0, 2.0, 3.0, 4.0]})
    frame.to_csv(tmp_path / "p.csv", index=False)
    direct = LabelTally.from_arrays(YES, SAID)
    of_frame, of_file = tm.evaluate(frame), tm.evaluate(tmp_path / "p.csv")
    assert of_frame.models[0].labels == direct == of_file.models[0].labels
    weighted = tm.evaluate(frame, weight="w").models[0].labels
    assert weighted == LabelTally.from_arrays(YES, SAID, sample_weight=frame["w"])
    counted = tm.evaluate(pl.DataFrame({"truth": [0, 1], "pred": [0, 0], "n": [7, 2]}))
    assert counted.models[0].labels == LabelTally((0, 1), np.array([[7.0, 0.0], [2.0, 0.0]]))
    (tmp_path / "holes.csv").write_text("label,pred\n1,1\n,0\n", encoding="utf-8")
    with pytest.raises(tm.InputError, match="label is missing in 1 row, first at row 2"):
        tm.evaluate(tmp_path / "holes.csv")
    assert tm.evaluate(tmp_path / "holes.csv", missing="drop").rows == 1


def test_integers_are_counted_without_a_copy_of_each_row():
    y = np.arange(10**6, dtype=np.int8) % 3
    tracemalloc.start()
    try:
        tally = LabelTally.from_arrays(y, y)
        assert tracemalloc.get_traced_memory()[1] < len(y)
    finally:
        tracemalloc.stop()
    assert tally.counts.sum() == len(y)


def many_classes(k=1200, n=6000, seed=0):
    """Return rows of more classes than a tally keeps every cell of, and their weights."""
    rng = np.random.default_rng(seed)
    true = np.append(np.arange(k), rng.integers(0, k, n - k))
    pred = np.where(rng.random(n) < 0.7, true, rng.integers(0, k, n))
    return true, pred, rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("weighted", [False, True])
def test_many_classes_are_counted_by_their_occupied_cells(weighted):
    true, pred, w = many_classes()
    tally = LabelTally.from_arrays(true, pred, sample_weight=w if weighted else None)
    cells = {}
    for t, p, x in zip(
        true.tolist(), pred.tolist(), w if weighted else np.ones(len(w)), strict=True
    ):
        cells[t, p] = cells.get((t, p), 0.0) + x
    counts = tally.counts
    assert (len(tally.labels), tally.rows, counts.shape) == (1200, 6000, (1200, 1200))
    found = zip(counts.true.tolist(), counts.predicted.tolist(), counts.values, strict=True)
    assert {(t, p): n for t, p, n in found} == pytest.approx(cells)
    whole = np.asarray(counts)
    np.testing.assert_allclose(counts.sum(1), whole.sum(1))
    np.testing.assert_allclose(counts.sum(0), whole.sum(0))
    assert counts.trace() == pytest.approx(whole.trace())
    assert counts[7].tolist() == whole[7].tolist()
    assert counts[7, 7] == whole[7, 7]
    assert LabelTally(tally.labels, whole, tally.sum_squared_weights, tally.rows) == tally


@pytest.mark.parametrize("weighted", [False, True])
def test_tallies_of_many_classes_add_up_and_come_back(weighted):
    true, pred, w = many_classes()
    weights = w if weighted else None
    whole = LabelTally.from_arrays(true, pred, sample_weight=weights)
    parts = [
        LabelTally.from_arrays(
            true[rows], pred[rows], sample_weight=None if weights is None else weights[rows]
        )
        for rows in (slice(3000), slice(3000, 5500), slice(5500, None))
    ]
    added = parts[0] + parts[1] + parts[2]
    assert (added.labels, added.rows) == (whole.labels, whole.rows)
    np.testing.assert_allclose(np.asarray(added.counts), np.asarray(whole.counts))
    assert LabelTally.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    turned = whole.reorder(whole.labels[::-1])
    assert np.array_equal(np.asarray(turned.counts), np.asarray(whole.counts)[::-1, ::-1])
    assert turned.reorder(whole.labels) == whole


@pytest.mark.parametrize("part", ["true", "counts", "classes"])
def test_damaged_cells_of_many_classes_are_refused(part):
    true, pred, _ = many_classes()
    data = LabelTally.from_arrays(true, pred).to_dict()
    data["counts"][part] = {"true": [1.5], "counts": [-1.0], "classes": 7}[part]
    with pytest.raises(tm.InputError):
        LabelTally.from_dict(data)


def test_a_matrix_too_large_to_write_out_is_refused():
    true, pred, _ = many_classes(6000, 14_000)
    counts = LabelTally.from_arrays(true, pred).counts
    assert counts.sum() == 14_000
    with pytest.raises(tm.InputError, match="6,000 classes make a matrix of 36,000,000 cells, too"):
        np.asarray(counts)
