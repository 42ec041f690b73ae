"""Batches on a device wait there, and are counted there when a result is asked for."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallymark as tm
from on_device import OnDevice, moved, torch
from tallymark import tallier

RNG = np.random.default_rng(0)
Y = (RNG.random(3000) < 0.3).astype(int)
SCORE = RNG.normal(Y * 1.2).astype(np.float32).round(2)
CLASS = RNG.integers(-2, 3, 3000)
COLUMNS = {
    "scores": (Y, {"y_score": SCORE}),
    "float64": (Y.astype(bool), {"y_score": 1 / (1 + np.exp(-SCORE.astype(np.float64)))}),
    "float16": (Y, {"y_score": {"m": SCORE.astype(np.float16)}}),
    "both": (Y, {"y_pred": (SCORE > 1).astype(np.int8), "y_score": SCORE}),
    "classes": (CLASS, {"y_pred": np.roll(CLASS, 1) * (SCORE > 0).astype(int)}),
}


def in_batches(y_true, outputs, as_given, rows=250, **options):
    tally = tm.Tallier(**options)
    for i in range(0, len(y_true), rows):
        part = slice(i, i + rows)
        cut = {
            name: {m: as_given(v[part]) for m, v in values.items()}
            if isinstance(values, dict) else as_given(values[part])
            for name, values in outputs.items()
        }  # fmt: skip
        tally.update(as_given(y_true[part]), **cut)
    return tally


@pytest.mark.slow
@pytest.mark.parametrize("columns", COLUMNS)
def test_batches_on_a_device_are_counted_as_arrays_are(columns):
    y, outputs = COLUMNS[columns]
    of_arrays = in_batches(y, outputs, np.asarray)
    before = OnDevice.waited
    of_tensors = in_batches(y, outputs, moved)
    assert (of_tensors.rows, of_tensors.batches) == (3000, 12)
    assert OnDevice.waited == before
    assert of_tensors == of_arrays
    assert OnDevice.waited > before
    assert json.loads(of_tensors.result().to_json()) == json.loads(of_arrays.result().to_json())
    assert of_tensors.to_dict() == of_arrays.to_dict()


def test_batches_are_copied_on_their_device():
    y, s = moved(np.array([0, 1, 1])), moved(np.array([0.2, 0.9, 0.6]))
    tally = tm.Tallier()
    tally.update(y, y_score=s)
    s[:] = 0.5
    y[:] = 0
    assert tally.value("roc_auc") == 1.0


def test_batches_in_memory_and_on_a_device_go_together(monkeypatch):
    expected = in_batches(Y, {"y_score": SCORE.astype(np.float64)}, np.asarray)
    for most in (1 << 21, 700):
        monkeypatch.setattr(tallier, "MOST_WAITING", most)
        tally = tm.Tallier()
        for i in range(0, 3000, 250):
            part, number = slice(i, i + 250), i // 250
            y, s = Y[part], SCORE[part]
            if number % 3 == 0:
                s = s.astype(np.float64)
            given = np.asarray if number % 4 == 1 else moved
            tally.update(given(y), y_score=given(s))
        assert tally == expected


@pytest.mark.slow
def test_what_must_be_seen_row_by_row_is_copied():
    missing = np.where(np.arange(3000) % 9 == 7, np.nan, SCORE)
    for options, y, s in (
        ({"missing": "drop"}, Y, missing),
        ({"bins": 1024}, Y, RNG.random(3000)),
        ({"classes": [0, 5000]}, Y * 5000, SCORE),
    ):
        options = {"positive": 5000, **options} if "classes" in options else options
        outcomes = [in_batches(y, {"y_score": s}, as_given, **options).result().to_json()
                    for as_given in (np.asarray, moved)]  # fmt: skip
        assert json.loads(outcomes[0]) == json.loads(outcomes[1])


def test_a_batch_that_cannot_be_counted_is_left_out_and_named():
    tally = tm.Tallier()
    tally.update(moved(np.array([0, 1])), y_score=moved(np.array([0.2, 0.6])))
    tally.update(moved(np.array([0, 1])), y_score=moved(np.array([0.2, np.nan])))
    tally.update(moved(np.array([1, 0])), y_score=moved(np.array([0.3, 0.1])))
    with pytest.raises(tm.InputError, match=r"^batch 2 is left out: y_score is missing in 1 row"):
        tally.value("roc_auc")
    assert (tally.rows, tally.batches) == (4, 2)
    assert tally.value("roc_auc") == 1.0
    bad = tm.Tallier()
    bad.update(moved(np.array([0, 1, 2])), y_score=moved(np.array([0.2, 0.6, 0.3])))
    with pytest.raises(tm.InputError, match=r"^batch 1 is left out: there are 3 classes"):
        bad.result()
    bad.update(["a", "b"], ["a", "b"])  # nothing is left of what the batches were


def test_batches_with_other_columns_are_refused_at_once():
    tally = tm.Tallier()
    y, s = moved(np.array([0, 1])), moved(np.array([0.2, 0.6]))
    tally.update(y, y_score=s)
    for other in ({"y_pred": y}, {"y_score": {"m": s}}):
        with pytest.raises(tm.InputError, match="earlier"):
            tally.update(y, **other)
    with pytest.raises(tm.InputError, match="earlier batches had none"):
        tally.update(y, y_score=s, sample_weight=torch.ones(2))
    assert (tally.rows, tally.value("roc_auc")) == (2, 1.0)
