"""Chunks of rows put together, kept in part and weighed; texts as the labels that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.reading.chunks import Chunk, count_scores, joined, read_texts, vector_of
from tallymark.tally.arrays import Coded
from tallymark.tally.bins import Bins


def test_chunks_are_joined_with_their_numbers_groups_and_weights():
    one = Chunk(
        7,
        {"y": Coded(np.array([0, 1, -1]), ("b", "c"))},
        {"s": np.array([1.0, 2, 3])},
        3,
        {"who": np.array([0, 0, 1])},
        weight=np.array([1.0, 2, 3]),
    )
    two = Chunk(
        10,
        {"y": Coded(np.array([0]), ("a",))},
        {"s": np.array([4.0])},
        1,
        {"who": np.array([2])},
        weight=np.array([4.0]),
    )
    both = joined([one, two])
    assert (both.first_row, both.rows, both.total) == (7, 4, 4)
    assert (both.labels["y"].labels, both.labels["y"].codes.tolist()) == (
        ("a", "b", "c"),
        [1, 2, -1, 0],
    )
    assert (both.numbers["s"].tolist(), both.groups["who"].tolist()) == ([1, 2, 3, 4], [0, 0, 1, 2])
    assert both.weight.tolist() == [1, 2, 3, 4]
    kept = both.kept(np.array([True, False, False, True]))
    assert (kept.rows, kept.numbers["s"].tolist(), kept.groups["who"].tolist()) == (
        2,
        [1, 4],
        [0, 2],
    )
    assert (kept.labels["y"].codes.tolist(), kept.weight.tolist()) == ([1, 0], [1, 4])
    assert both.kept(np.array([3, 0])).numbers["s"].tolist() == [4, 1]
    assert both.kept(np.array([3, 0])).rows == 2


def test_lines_weigh_as_much_as_their_rows():
    labels, count, weight = {}, np.array([2, 3]), np.array([0.5, 2.0])
    for given, mass, squares, total in (
        ({}, None, None, 2),
        ({"count": count}, [2, 3], None, 5),
        ({"weight": weight}, [0.5, 2], [0.25, 4], 2),
        ({"count": count, "weight": weight}, [1, 6], [0.5, 12], 5),
        ({"count": count, "sums": (weight, weight + 1)}, [0.5, 2], [1.5, 3], 5),
    ):
        chunk = Chunk(0, labels, {}, 2, **given)
        for found, wanted in ((chunk.mass, mass), (chunk.squares, squares)):
            assert (None if found is None else found.tolist()) == wanted
        assert chunk.total == total
    sums = Chunk(0, labels, {}, 2, sums=(weight, weight)).kept(np.array([1])).sums
    assert [v.tolist() for v in sums] == [[2], [2]]


def test_lines_of_scores_in_bins_are_counted_in_them():
    bins, true = Bins([0.0, 0.5, 1.0], 1), np.array([0, 1, 1])
    lows, highs = np.array([0.1, 0.2, 0.75]), np.array([0.4, 0.3, 0.75])
    chunk = Chunk(0, {}, {"s": lows}, 3, count=np.array([4, 2, 3]), bins={"s": (bins, highs)})
    tally = count_scores(true, "s", 1, (0, 1), chunk)
    assert (tally.scores.tolist(), tally.highs.tolist()) == ([0.1, 0.75], [0.4, 0.75])
    assert (tally.counts.tolist(), tally.rows) == ([[4, 2], [0, 3]], 9)
    exact = Chunk(0, {}, {"s": lows}, 3, count=np.array([4, 2, 3]), bins={"s": (bins, lows)})
    tally = count_scores(true, "s", 1, (0, 1), exact)
    assert (tally.bins, tally.scores.tolist(), tally.rows) == (None, lows.tolist(), 9)
    rows = Chunk(0, {}, {"s": lows}, 3, weight=np.array([0.5, 2, 1]))
    tally = count_scores(true, "s", 1, (0, 1), rows)
    assert tally == tm.ScoreTally.from_arrays(true, lows, sample_weight=[0.5, 2, 1])


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["TRUE", " false"], [True, False]), (["true", "yes"], ["true", "yes"]),
        (["-3", "0", " 12"], [-3, 0, 12]), (["1", "2.5", "1e3", ".5"], [1.0, 2.5, 1000.0, 0.5]),
        (["01", "2"], ["01", "2"]), (["inf", "-inf"], [np.inf, -np.inf]), (["nan"], ["nan"]),
        (["1", "a"], ["1", "a"]), (["true"], [True]), (["+1.5", "2."], [1.5, 2.0]),
    ],
)  # fmt: skip
def test_texts_are_booleans_numbers_or_themselves(texts, labels):
    found = read_texts(texts)
    assert found == labels
    assert list(map(type, found)) == list(map(type, labels))


def test_the_elements_of_a_vector_are_numbered():
    assert vector_of("p", 3) == ("p[0]", "p[1]", "p[2]")
