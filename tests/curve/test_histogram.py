"""Score distributions: every edge, and bins put together."""

from __future__ import annotations

import pytest

import tallymark as tm
from tallymark.curve import histogram


def test_the_last_edge_holds_its_rows_and_stays_where_bins_are_put_together():
    t = tm.ScoreTally.from_arrays([0, 1, 1, 0, 1], [0.0, 0.4, 1.0, 0.7, 1.0])
    h = histogram(t, bins=5)
    assert h.edges.tolist() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert h.pos.tolist() == [0, 0, 1, 0, 2]
    assert h.neg.tolist() == [1, 0, 0, 1, 0]
    coarse = h.coarser()
    assert coarse.edges.tolist() == pytest.approx([0, 0.4, 0.8, 1])
    assert (coarse.pos.tolist(), coarse.neg.tolist()) == ([0, 1, 2], [1, 1, 0])


def test_scores_beyond_probabilities_have_their_own_range():
    h = histogram(tm.ScoreTally.from_arrays([0, 1, 1], [-4.0, 0.0, 6.0]), bins=2)
    assert h.edges.tolist() == [-4, 1, 6]
    assert (h.pos.tolist(), h.neg.tolist()) == ([1, 1], [1, 0])
    with pytest.raises(tm.InputError, match="bins is 0; there must be at least one"):
        histogram(tm.ScoreTally.from_arrays([0], [0.5]), bins=0)
