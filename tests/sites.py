"""Rows of three sites with exact rates of errors; one site has more of them."""

from __future__ import annotations

import numpy as np

import tallymark as tm

LEVEL = 0.8


def rows(alarms=(0.1, 0.1, 0.3), found=(0.8, 0.8, 0.8), n=(300, 250, 200), share=0.2):
    """Return classes, scores and subgroups with exact rates of errors at a threshold of 0.5."""
    y, p, where = [], [], []
    for name, size, alarm, hit in zip(("north", "south", "west"), n, alarms, found, strict=True):
        positives = round(size * share)
        negatives = size - positives
        for label, count, rate in ((1, positives, hit), (0, negatives, alarm)):
            high = round(count * rate)
            y += [label] * count
            p += [*np.linspace(0.55, 0.95, high), *np.linspace(0.05, 0.45, count - high)]
            where += [name] * count
    return np.array(y), np.array(p), np.array(where)


def judged(decided=False, **how):
    y, p, where = rows(**how)
    given = {"y_pred": (p >= 0.5).astype(int)} if decided else {"y_score": p}
    return tm.evaluate(y, **given, subgroup={"site": where}, level=LEVEL)
