"""Probabilities in bins: no row is lost, no score parted, and all ways to find them agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark import ScoreTally
from tallymark.metric.binned import bin_rows, bin_starts, binned
from tallymark.tally.score_counts import ScoreCounts

SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.29, 0.3, 0.5, 0.7, 1.0]), min_size=2)
STRATEGIES = ("width", "mass")


def ranking(scores):
    labels = np.arange(len(scores)) % 2
    return ScoreTally.from_arrays(labels, scores).score_counts


def test_a_probability_on_an_edge_belongs_to_the_bin_above():
    assert bin_rows(ranking([0.0, 0.1, 0.29, 0.3, 1.0]), 10, "width").tolist() == [0, 1, 2, 3, 9]
    assert bin_rows(ranking([0.28, 0.29]), 100, "width").tolist() == [28, 29]


def test_the_middle_of_the_rows_of_a_score_decides():
    # The middle of the pair at 28/200 is exactly 29 hundredths of the rows, the edge of bin 29.
    s = np.delete(np.arange(101), 29) / 200
    s[29] = s[28]
    assert bin_rows(ranking(s), 100, "mass")[28] == 29


@given(SCORES, st.integers(1, 12), st.sampled_from(STRATEGIES))
def test_starts_are_where_the_bins_of_rows_change(scores, bins, strategy):
    r = ranking(scores)
    starts, rows = bin_starts(r, bins, strategy), bin_rows(r, bins, strategy)
    assert np.repeat(np.arange(bins), np.diff(starts)).tolist() == rows.tolist()


@given(SCORES, st.integers(1, 12), st.sampled_from(STRATEGIES))
def test_sums_of_bins_are_those_of_a_loop_over_the_rows(scores, bins, strategy):
    r = ranking(scores)
    twin = np.zeros((5, bins))
    for place, p, pos, neg in zip(bin_rows(r, bins, strategy), r.scores, r.pos, r.neg, strict=True):
        rows = pos + neg
        twin[:, place] += rows, pos * (1 - p) - neg * p, pos, rows * p, rows * (1 - p)
    np.testing.assert_allclose(binned(r, bins, strategy), twin, atol=1e-12)
    stack = ScoreCounts(r.scores, np.stack([r.pos, r.neg]), np.stack([r.neg, r.pos]))
    np.testing.assert_allclose(np.array(binned(stack, bins, strategy))[:, 0], twin, atol=1e-12)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_bins_of_many_probabilities_are_those_of_the_rows(strategy, weighted):
    rng = np.random.default_rng(3)
    p = rng.beta(0.4, 0.7, 20_000)
    y, w = (rng.random(p.size) < p).astype(int), rng.random(p.size) if weighted else None
    r = ScoreTally.from_arrays(y, p, sample_weight=w).score_counts
    place, q = bin_rows(r, 13, strategy), 1 - r.scores
    parts = (
        r.pos + r.neg, r.pos * q - r.neg * r.scores, r.pos, (r.pos + r.neg) * r.scores,
        (r.pos + r.neg) * q,
    )  # fmt: skip
    twin = [np.bincount(place, part, 13) for part in parts]
    np.testing.assert_allclose(binned(r, 13, strategy), twin, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("find", [bin_rows, binned])
def test_what_are_no_bins(find):
    r = ranking([0.1, 0.2])
    with pytest.raises(ValueError, match="strategy is 'size'; say 'mass' or 'width'"):
        find(r, 10, "size")
    with pytest.raises(ValueError, match="bins is 0; there must be at least one"):
        find(r, 0, "mass")
