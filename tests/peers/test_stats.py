"""SciPy's and statsmodels' numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from peers import cases
from peers.compare import hold, lines
from peers.stats_table import BINARY, HOSMER, MATRIX, PROBABILITY, RANK
from tallymark.metric.proportion import quantile, wilson


@pytest.mark.parametrize("line", lines(MATRIX))
def test_two_classes_or_many(line):
    hold(line, cases.two_classes()[::2] + cases.many_classes())


@pytest.mark.parametrize("line", lines(BINARY))
def test_two_classes(line):
    hold(line, cases.two_classes())


@pytest.mark.parametrize("line", lines([*RANK, *PROBABILITY]))
@pytest.mark.slow
def test_scores(line):
    hold(line, cases.scores())


@pytest.mark.parametrize("line", lines(HOSMER))
def test_tenths_of_the_rows(line):
    rows = [c for c in cases.scores(weighted=False) if len(c.y) >= 10]
    cut = [len(c.y) // 10 * 10 for c in rows]
    hold(line, [replace(c, y=c.y[:n], p=c.p[:n]) for c, n in zip(rows, cut, strict=True)])


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_wilsons_interval(level):
    rng = np.random.default_rng(5)
    n = np.r_[1, 1, (10 ** rng.uniform(0, 5, 500)).astype(int)]
    hits = np.r_[0, 1, rng.integers(0, n[2:] + 1)]
    ours = wilson(hits, n, quantile(level))
    theirs = proportion_confint(hits, n, alpha=1 - level, method="wilson")
    for bound, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(bound, expected, rtol=1e-9, atol=1e-12)
