"""Slow, obvious helpers that the twins of scored metrics share: one row at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tallymark.tally.scores import ScoreCounts

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 10)), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(a for a, _ in rows) < len(rows)
)


def split(rows):
    return [a for a, _ in rows], [b / 10 for _, b in rows]


def davis_goadrich_point(tp_a, fp_a, tp_b, fp_b, x, positives):
    """Return recall and precision ``x`` true positives after A on the way to B (Davis 2006).

    Between two thresholds false positives grow in proportion to true positives, so that precision
    does not change linearly.
    """
    tp, fp = tp_a + x, fp_a + (fp_b - fp_a) / (tp_b - tp_a) * x
    return tp / positives, tp / (tp + fp)


def points(y, s):
    """Return (TP, FP) at every threshold, one row at a time."""
    out = [(0, 0)]
    for t in sorted(set(s), reverse=True):
        out.append(
            (
                sum(a for a, b in zip(y, s, strict=True) if b >= t),
                sum(1 - a for a, b in zip(y, s, strict=True) if b >= t),
            )
        )
    return out


def hull(y, s):
    """Return the corners of the upper convex hull of the ROC points, as (FPR, TPR)."""
    p, n = sum(y), len(y) - sum(y)
    pts = sorted({(fp / n, tp / p) for tp, fp in points(y, s)})
    out = []
    for x in pts:
        while len(out) > 1 and (
            (out[-1][0] - out[-2][0]) * (x[1] - out[-2][1])
            >= (out[-1][1] - out[-2][1]) * (x[0] - out[-2][0]) - 1e-12
        ):
            out.pop()
        out.append(x)
    return out


def compare(metrics, twins, rows, near=1e-9):
    """Hold every metric to its twin on these rows: as arrays, as counts, and in a batch.

    The counts stand on a grid of scores of which some have no row; the batch holds them twice.
    """
    y, s = split(rows)
    grid = np.arange(11) / 10
    pos, neg = (
        np.array([sum(a == k and b == g for a, b in rows) for g in range(11)], float)
        for k in (1, 0)
    )
    alone, batch = (
        ScoreCounts(grid, pos, neg),
        ScoreCounts(grid, *(np.stack([v, v]) for v in (pos, neg))),
    )
    for name, twin in twins.items():
        metric = getattr(metrics, name)
        theirs = float(twin(y, s))
        ours = [metric(y, s)]
        if metric._needs in ("ranking", "probability", "probabilities"):
            for r in (alone, batch):
                data = (r,) if metric._needs == "probabilities" else r
                ours += np.ravel(metric.compute(data)).tolist()
            assert len(ours) == 4
        for value in ours:
            same = value == theirs or abs(value - theirs) <= near * max(1.0, abs(theirs))
            assert same or (value != value and theirs != theirs), (name, ours, theirs)


def undefined(metrics, names):
    """Check that each declared class is missed when it has no row, and only then."""
    grid, some, none = np.array([0.2, 0.6]), np.array([1.0, 2.0]), np.zeros(2)
    words = {
        "no row is truly positive": ScoreCounts(grid, none, some),
        "no row is truly negative": ScoreCounts(grid, some, none),
        "there is no row": ScoreCounts(grid, none, none),
    }
    for name in names:
        metric = getattr(metrics, name)
        for told, r in words.items():
            if told in metric.undefined:
                data = (r,) if metric._needs == "probabilities" else r
                found = metric._cases(data)
                assert found[told].all(), (name, told)
                assert not any(v.all() for w, v in found.items() if w in words and w != told and (
                    "no row is truly" in told
                )), (name, told)  # fmt: skip
                assert np.isnan(metric.compute(data)), (name, told)
