"""The laws that all tallies have in common, and what does not add up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import tallymark as tm
from tally.laws import assert_merges
from tallymark.tally.arrays import Floats
from tallymark.tally.bins import Bins
from tallymark.tally.io import array
from tallymark.tally.merge import Tally, axis, lines
from tallymark.tally.sums import Sums

RNG = np.random.default_rng(0)
N = 400
Y, SAID = RNG.integers(0, 3, (2, N))
SCORES = RNG.integers(0, 300, N) / 256  # of which sums are exact in any order
WEIGHTS = RNG.integers(0, 9, N) / 4
ROWS = RNG.integers(0, 5, (N, 3)) / 4
BINS = Bins([0.0, 0.5, 2.0], per=8)
LABELS = (0, 1, 2)


def labels(rows, weights=None):
    w = None if weights is None else weights[rows]
    return tm.LabelTally.from_arrays(Y[rows], SAID[rows], labels=LABELS, sample_weight=w)


def scores(rows, weights=None):
    w = None if weights is None else weights[rows]
    options = {"positive": 1, "labels": LABELS, "sample_weight": w}
    return tm.ScoreTally.from_arrays(Y[rows], SCORES[rows], **options)


def sums(rows):
    kept = np.arange(N)[rows]
    hits = Sums._of_rows(Y[kept], ROWS[kept], WEIGHTS[kept])
    exact = [hits.names.index("brier")]  # no thirds among its sums
    parts = (hits.totals[exact], hits.squares[exact], hits.cross[exact])
    return Sums(("brier",), *parts, hits.weights, hits.sum_squared_weights, len(kept))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lines(Tally):
    """Lines without names, of a column a class."""

    labels: tuple[int, ...] = field(metadata=axis())
    counts: Floats = field(metadata=lines("rows", "labels"))


TALLIES = {
    "labels": labels,
    "weighted labels": lambda rows: labels(rows, WEIGHTS),
    "scores": scores,
    "weighted scores": lambda rows: scores(rows, WEIGHTS),
    "scores in bins": lambda rows: scores(rows).binned(BINS),
    "weighted scores in bins": lambda rows: scores(rows, WEIGHTS).binned(BINS),
    "lines": lambda rows: Lines(LABELS, ROWS[rows]),
    "sums": sums,
}


@pytest.mark.parametrize("count", TALLIES.values(), ids=TALLIES.keys())
@pytest.mark.parametrize("cuts", [(0, N), (1, 399), (130, 131), (200, 200)])
def test_tallies_merge(count, cuts):
    assert_merges(count, cuts)


def test_lines_have_no_order():
    a, b = Lines((0, 1), [[1, 1]]), Lines((0, 1, 2), [[0, 2, 1]])
    assert a + b == b + a
    assert a + b != a + a
    assert (a + b).counts.tolist() == [[1, 1, 0], [0, 2, 1]]


def test_shapes_that_differ_do_not_add_up():
    one, two = (Sums(("x",), *(np.ones((1, k)),) * 3, *(np.ones(k),) * 2, 1) for k in (1, 2))
    with pytest.raises(tm.InputError, match=r"totals has shape \(1, 1\) in one .* \(1, 2\) in the"):
        one + two


def test_a_tally_keeps_its_counts_whatever_becomes_of_the_array():
    table = np.arange(8.0).reshape(4, 2)
    for view in (table[:2], table[::2], table[:2].T, table[:2].tolist()):
        tally = tm.LabelTally((0, 1), view)
        before = tally.counts.copy()
        table += 1
        assert tally.counts.tolist() == before.tolist()
        assert not tally.counts.flags.writeable


def test_scores_of_a_tally_are_finite_distinct_and_ascending():
    one = np.ones((3, 2))
    for scores in (
        [0.1, 0.5, np.inf],
        [-np.inf, 0.5, 0.9],
        [0.1, np.nan, 0.9],
        [0.1, 0.1, 0.9],
        [0.9, 0.5, 0.1],
    ):
        with pytest.raises(tm.InputError) as caught:
            tm.ScoreTally((0, 1), 1, scores, one)
        assert str(caught.value) == "scores of a tally must be finite, distinct and ascending"
    assert tm.ScoreTally((0, 1), 1, [-0.0, 0.5, 0.9], one).scores.tolist() == [0.0, 0.5, 0.9]
    for counts in ([[1, -1]] * 3, [[1, np.nan]] * 3, [[1, np.inf]] * 3):
        with pytest.raises(tm.InputError) as caught:
            tm.ScoreTally((0, 1), 1, [0.1, 0.5, 0.9], counts)
        assert str(caught.value) == (
            "counts holds a negative or undefined number; give counts of zero or more"
        )


def test_numbers_that_are_codes_or_flags_are_read_as_such():
    read = {kind: array("x", kind)["part"] for kind in (np.float64, np.intp, np.bool_)}
    assert read[np.float64]([0.5, -1]).tolist() == [0.5, -1]
    assert read[np.intp]([3, -1]).tolist() == [3, -1]
    assert read[np.bool_]([0, 1]).tolist() == [False, True]
    for kind, values in (
        (np.intp, [0.5]),
        (np.intp, [2.0**54]),
        (np.bool_, [2]),
        (np.bool_, [-1]),
        (np.bool_, [0.5]),
    ):
        with pytest.raises(tm.InputError) as caught:
            read[kind](values)
        assert str(caught.value) == (
            "x is not an array of whole numbers as to_dict() writes it; give it unchanged"
        )
    for values in (None, [None], "x", {"shape": [1]}, {"shape": [2], "float64": "eJw="}):
        with pytest.raises(tm.InputError) as caught:
            read[np.float64](values)
        assert str(caught.value) == (
            "x is not an array of numbers as to_dict() writes it; give it unchanged"
        )
