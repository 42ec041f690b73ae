"""Slow, obvious helpers that the twins of scored metrics share: one row at a time."""

from __future__ import annotations

from hypothesis import strategies as st

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(a for a, _ in rows) < len(rows)
)


def split(rows):
    return [a for a, _ in rows], [b / 10 for _, b in rows]


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
    """Hold every metric to its twin on these rows."""
    y, s = split(rows)
    for name, twin in twins.items():
        ours = getattr(metrics, name)(y, s)
        theirs = float(twin(y, s))
        same = ours == theirs or abs(ours - theirs) <= near * max(1.0, abs(theirs))
        assert same or (ours != ours and theirs != theirs), (name, ours, theirs)
