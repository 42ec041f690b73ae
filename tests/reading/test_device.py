"""Tensors on a device are counted there, with the numbers of arrays to the last bit.

The code is the same on every device: here it runs on tensors in memory, as if they were elsewhere.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from on_device import moved
from tallymark.reading import device

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(0)
Y = (RNG.random(3000) < 0.1).astype(int)
SCORE = RNG.normal(Y * 1.2).astype(np.float32).round(2)
CLASS = RNG.integers(-2, 3, 3000)


def evaluations(y_true, **outputs):
    """Return the evaluation of arrays and that of the same rows as tensors."""
    tensors = {name: moved(values) for name, values in outputs.items()}
    return tm.evaluate(y_true, **outputs), tm.evaluate(moved(y_true), **tensors)


@pytest.mark.parametrize(
    ("y_true", "outputs"),
    [
        (Y, {"y_score": SCORE}),
        (Y.astype(bool), {"y_score": SCORE.astype(np.float64)}),
        (Y, {"y_score": SCORE.astype(np.float16)}),
        (Y, {"y_score": 1 / (1 + np.exp(-SCORE.astype(np.float64)))}),
        (Y, {"y_pred": (SCORE > 1).astype(int)}),
        (Y, {"y_pred": (SCORE > 1).astype(np.int8), "y_score": SCORE}),
        (CLASS, {"y_pred": np.roll(CLASS, 1) * (SCORE > 0).astype(int)}),
    ],
    ids=["float32", "float64", "float16", "probabilities", "labels", "both", "classes"],
)
def test_counts_on_a_device_are_those_of_arrays(y_true, outputs):
    predicted = {"model": moved(outputs["y_pred"])} if "y_pred" in outputs else {}
    scores = {"model": moved(outputs["y_score"])} if "y_score" in outputs else {}
    lines = device.counted(moved(y_true), predicted, scores)
    assert lines is not None
    assert lines.rows.sum() == len(y_true)
    of_arrays, of_tensors = evaluations(y_true, **outputs)
    assert json.loads(of_tensors.to_json()) == json.loads(of_arrays.to_json())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.booleans(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
        min_size=1, max_size=30,
    )
)  # fmt: skip
def test_lines_are_the_distinct_rows(rows):
    y, s = (list(column) for column in zip(*rows, strict=True))
    one_by_one = {}
    for positive, score in rows:
        key = (score + 0.0, positive)
        one_by_one[key] = one_by_one.get(key, 0) + 1
    for kind in (torch.float32, torch.float64):
        lines = device.counted(moved(y), {}, {"m": moved(torch.tensor(s, dtype=kind))})
        assert lines is not None
        found = zip(lines.y_score["m"], lines.y_true, lines.rows, strict=True)
        assert [((s, t), n) for s, t, n in found] == sorted(one_by_one.items())


@pytest.mark.parametrize(
    ("y_true", "predicted", "scores"),
    [
        (moved(Y), {"m": moved(SCORE)}, {}),  # fractions are scores
        (moved(Y.astype(float)), {"m": moved(Y)}, {}),
        (moved(CLASS * 5000), {"m": moved(CLASS * 5000)}, {}),
        (moved(Y), {"m": Y}, {}),
        (moved(Y), {"a": moved(Y), "b": moved(1 - Y)}, {}),
        (moved(Y), {}, {"m": moved(np.stack([SCORE, SCORE], 1))}),
        (moved(Y), {}, {"m": moved(np.where(np.arange(3000) == 7, np.nan, SCORE))}),
    ],
    ids=["fractions", "float-labels", "wide-labels", "in-memory", "models", "columns", "missing"],
)
def test_other_columns_are_copied(y_true, predicted, scores):
    assert device.counted(y_true, predicted, scores) is None


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_scores_that_are_missing_are_refused_as_in_arrays(bad):
    scores = SCORE.copy()
    scores[7] = bad
    sentences = []
    for y_true, y_score in ((Y, scores), (moved(Y), moved(scores))):
        with pytest.raises(tm.errors.InputError) as refused:
            tm.evaluate(y_true, y_score=y_score)
        sentences.append(str(refused.value))
    assert sentences[0] == sentences[1]


def test_tensors_in_memory_are_read_as_arrays():
    assert not device.on_device(torch.tensor(Y))
    assert not device.on_device(Y)
    assert device.counted(torch.tensor(Y), {"m": torch.tensor(Y)}, {}) is None


def test_arrays_of_other_libraries_on_a_device_become_tensors():
    class Elsewhere:
        """An array that only DLPack can read."""

        def __init__(self, values):
            self.values = torch.tensor(values)

        def __dlpack_device__(self):
            return (2, 0)  # CUDA

        def __dlpack__(self, **options):
            return self.values.__dlpack__()

    assert device.as_tensor(Y) is Y
    assert device.as_tensor("text") == "text"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "from_dlpack", lambda values: values.values)
        assert device.as_tensor(Elsewhere(Y)).tolist() == Y.tolist()
