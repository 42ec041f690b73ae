"""Interval, p-value, verdict, mark and rank probabilities of a difference are one decision.

PAIRS=10000 tries as many pairs of models; the tests try a few.
"""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

import tallymark as tm

PAIRS = int(os.environ.get("PAIRS", "24"))


def drawn(seed):
    """Return two models of any likeness on few or many rows, and an evaluation at any level."""
    rng = np.random.default_rng([41, seed])
    n, share = int(rng.choice([12, 30, 60, 150, 500])), rng.choice([0.1, 0.3])
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    alike, shared = rng.choice([0, 0.5, 0.9, 0.99, 0.999]), rng.normal(size=n)

    def model(strength):
        noise = alike * shared + math.sqrt(1 - alike**2) * rng.normal(size=n)
        return np.clip(1 / (1 + np.exp(1 - 1.2 * strength * y - noise)), 1e-4, 1 - 1e-4)

    a, b = model(rng.choice([1, 0.7, 0.2])), model(1)
    if rng.random() < 0.3:  # a few rows changed
        a = b.copy()
        few = rng.choice(n, max(1, n // 20), replace=False)
        a[few] = rng.random(len(few))
    if rng.random() < 0.2:
        a, b = (np.clip(s.round(1), 0.01, 0.99) for s in (a, b))
    level = float(rng.choice([0.8, 0.95]))
    return tm.evaluate(y, y_score={"a": a, "b": b}, level=level)


@pytest.mark.parametrize("seed", range(PAIRS))
def test_no_part_of_a_comparison_says_more_than_another(seed):
    ev = drawn(seed)
    alpha = 1 - ev.level
    c = ev.compare(permutations=0)
    (pair,) = c.pairs
    told = 0
    for name, d in pair.differences.items():
        if d.level is None or math.isnan(d.p_value):
            continue
        told += 1
        assert (d.p_value < alpha) == (d.low > 0 or d.high < 0), (name, d, d.p_value)
        for margin in (0.02, 0.1):
            inside = -margin < d.low and d.high < margin
            shown = tm.test(
                name, ev.model("a"), ev.model("b"), margin=margin, alternative="equivalent"
            )
            # Two one-sided tests, each at half of alpha: the same interval.
            assert (shown.p_value < alpha / 2) == inside or abs(shown.p_value - alpha / 2) < 1e-9
    assert told > 3
    verdict = pair.verdict
    assert bool(c.ranks) == (verdict.kind not in ("alike", "same ranking"))
    best = max((p[0] for p in c.ranks.values()), default=0.0)
    if verdict.kind == "better":
        assert verdict.difference.p_value < alpha
    if verdict.kind == "undecided":
        assert verdict.difference.p_value >= alpha
        assert best <= 1 - alpha / 2 + 1e-9
