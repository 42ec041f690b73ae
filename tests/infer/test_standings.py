"""Ranges of ranks and groups of models, beside slow and obvious twins."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tallymark.infer.standings import maximal_sets, rank_ranges


def test_groups_are_the_maximal_sets_without_a_proved_difference():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        names = "abcdef"
        apart = {pair for pair in combinations(names, 2) if rng.random() < 0.4}

        def fits(s, apart=apart):
            return not any(pair in apart for pair in combinations(s, 2))

        sets = [s for k in range(1, 7) for s in combinations(names, k) if fits(s)]
        expected = [s for s in sets if not any(set(s) < set(t) for t in sets)]
        assert list(maximal_sets(names, apart)) == sorted(expected)


def test_ranks_count_the_models_proved_better_and_worse():
    ranges = rank_ranges(("a", "b", "c", "d"), {("a", "c"), ("a", "d"), ("b", "d")})
    assert ranges == {"a": (1, 2), "b": (1, 3), "c": (2, 4), "d": (3, 4)}
    assert rank_ranges(("a",), set()) == {"a": (1, 1)}
