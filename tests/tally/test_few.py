"""A few rows are counted by a shorter way, which gives what the ordinary one gives, or nothing."""

import warnings

import numpy as np
import pytest

from tallymark.tally import labels
from tallymark.tally.labels import LabelTally, count_few

KINDS = "bhilqBHILQ?dfeg"
RNG = np.random.default_rng(7)


def spread(values):
    """Return the same values with others between them in memory."""
    wide = np.zeros(3 * len(values), dtype=np.asarray(values).dtype)
    wide[::3] = values
    return wide[::3]


def frozen(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def odd(values, kind):
    """Return values of a type that begin at an odd address."""
    raw = np.zeros(len(values) * np.dtype(kind).itemsize + 1, dtype=np.uint8)
    array = raw[1:].view(kind)
    array[:] = values
    return array


TWO = [0, 1, 1, 0, 1, 0, 0]
SHAPES = {
    "plain": np.array(TWO),
    "backwards": np.array(TWO)[::-1],
    "strided": spread(TWO),
    "read-only": frozen(TWO),
    "of another order": np.array(TWO, dtype=">i8"),
    "odd address": odd(TWO, "i4"),
    "a column": np.array(TWO).reshape(-1, 1),
    "a row": np.array(TWO).reshape(1, -1),
    "a table": np.array([TWO, TWO]),
    "a scalar": np.array(1),
    "a field": np.array([(v, 0.5) for v in TWO], dtype=[("a", "i8"), ("b", "f8")])["a"],
    "objects": np.array(TWO, dtype=object),
    "a list": TWO,
    "texts": np.array(["no", "yes"])[TWO],
    "objects of texts": np.array(["no", "yes"], dtype=object)[TWO],
    "booleans": np.array(TWO, dtype=bool),
    "objects of booleans": np.array(TWO, dtype=bool).astype(object),
    "one class": np.ones(7, dtype=int),
    "minus one": np.array(TWO) * 2 - 1,
    "all minus one": -np.ones(7, dtype=int),
    "three": np.array([0, 1, 2, 1, 0, 1, 2]),
    "far apart": np.array([0, 63, 1, 0, 0, 0, 0]),
    "too far apart": np.array([0, 64, 1, 0, 0, 0, 0]),
    "the ends of int64": np.array([-(2**63), 2**63 - 1] + [0] * 5),
    "the lowest of int64": np.array([-(2**63)] * 7),
    "the highest of int64": np.array([2**63 - 1, 2**63 - 2] + [2**63 - 1] * 5),
    "the highest of uint64": np.array([2**64 - 1, 2**64 - 2] + [2**64 - 1] * 5, dtype=np.uint64),
    "empty": np.array([], dtype=int),
    "empty floats": np.array([]),
    "shorter": np.array(TWO[:-1]),
    "floats": np.array(TWO, dtype=float),
    "negative zero": np.array([-0.0, 1.0] * 3 + [0.0]),
    "a fraction": np.array([0.5, *TWO[1:]]),
    "a missing one": np.array([np.nan, *TWO[1:]]),
    "an infinite one": np.array([np.inf, *TWO[1:]]),
    "beyond whole numbers": np.array([2.0**53, *TWO[1:]]),
    "nearly beyond": np.array([2.0**53 - 1] * 7),
    "complex": np.array(TWO, dtype=complex),
    "dates": np.array(TWO, dtype="datetime64[D]"),
    "bytes": np.array([b"no", b"yes"])[TWO],
    "masked": np.ma.array(TWO, mask=[1, 0, 0, 0, 0, 0, 0]),
    "masked nowhere": np.ma.array(TWO),
    "None": None,
    "a number": 3,
    "of a subclass": np.array(TWO).view(type("Mine", (np.ndarray,), {})),
    **{kind: np.array(TWO, dtype=kind) for kind in KINDS},
}


def outcome(made):
    """Return what a call gives, or how it refuses, and what it warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = made()
        except Exception as error:
            found = (type(error), str(error))
    return found, [(w.category, str(w.message)) for w in told]


def described(found):
    """Return all of a tally, to the type and the bit."""
    if isinstance(found, tuple):
        return found
    out = [found.labels, [type(v) for v in found.labels], found.rows, found.sum_squared_weights]
    array = found.counts
    out += [array.dtype, array.shape, array.tobytes(), array.flags.writeable]
    return out


def both_ways(made):
    """Return what is found by the shorter way and by the ordinary one."""
    short = outcome(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "count_few", lambda *_: None)
        ordinary = outcome(made)
    return (described(short[0]), short[1]), (described(ordinary[0]), ordinary[1])


@pytest.mark.parametrize("true", SHAPES)
@pytest.mark.parametrize("missing", ["error", "drop", "perhaps"])
def test_labels_of_every_kind(true, missing):
    for pred in SHAPES.values():
        short, ordinary = both_ways(
            lambda pred=pred: LabelTally.from_arrays(SHAPES[true], pred, missing=missing)
        )
        assert short == ordinary


@pytest.mark.parametrize("n", [1, 2, 5, 100, 4096, 4097])
@pytest.mark.parametrize("classes", [1, 2, 3, 64, 65])
def test_any_number_of_rows_and_classes(n, classes):
    rng = np.random.default_rng(n * classes)
    true, pred = rng.integers(-1, classes - 1, (2, n))
    for a, b in ((true, pred), (true.astype("i1"), pred.astype("f4")), (true, true)):
        short, ordinary = both_ways(lambda a=a, b=b: LabelTally.from_arrays(a, b))
        assert short == ordinary


def test_the_shorter_way_is_taken():
    assert count_few(np.array(TWO), np.array(TWO, dtype="f4")) is not None
    assert count_few(spread(TWO), frozen(TWO)) is not None
    assert count_few(SHAPES["masked"], SHAPES["plain"]) is None


def test_a_tally_of_few_rows_adds_up_with_others():
    true, pred = np.array(TWO), np.array(TWO[::-1])
    whole = LabelTally.from_arrays(np.tile(true, 2), np.tile(pred, 2))
    assert LabelTally.from_arrays(true, pred) + LabelTally.from_arrays(true, pred) == whole
