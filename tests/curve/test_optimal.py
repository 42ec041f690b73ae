"""The ascending table of passes."""

from __future__ import annotations

from hypothesis import given

import tallymark as tm
from metric.twins import ROWS, split
from tallymark.curve.optimal import passes


@given(ROWS)
def test_every_pass_is_its_threshold(rows):
    y, s = split(rows)
    found = passes(tm.ScoreTally.from_arrays(y, s))
    assert [p["pass"] for p in found] == list(range(1, len(set(s)) + 2))
    assert [p["threshold"] for p in found] == [*sorted(set(s)), float("inf")]
    before = -1.0
    for p in found:
        called = [(a, b >= p["threshold"]) for a, b in zip(y, s, strict=True)]
        assert p["TP"] == sum(a for a, hit in called if hit)
        assert p["FP"] == sum(1 - a for a, hit in called if hit)
        assert p["TP"] + p["FN"] == sum(y)
        assert p["FP"] + p["TN"] == len(y) - sum(y)
        dropped = [a for a, b in zip(y, s, strict=True) if before <= b < p["threshold"]]
        assert (p["dropped_pos"], p["dropped_neg"]) == (sum(dropped), len(dropped) - sum(dropped))
        assert (p["TPR"], p["FPR"]) == (p["TP"] / sum(y), p["FP"] / (len(y) - sum(y)))
        before = p["threshold"]
    assert [found[i][rate] for i in (0, -1) for rate in ("TPR", "FPR")] == [1, 1, 0, 0]
