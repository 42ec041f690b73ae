"""Counted by processes of their own, which find it by its module."""

from __future__ import annotations

import numpy as np

import tallymark as tm


def count_part(seed: int) -> tm.Tallier:
    rng = np.random.default_rng(seed)
    tally = tm.Tallier()
    tally.update(rng.integers(0, 2, 500), y_score=rng.random(500))
    return tally
