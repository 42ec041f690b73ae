"""Likelihood ratios and odds ratios of two models on the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import tallymark as tm

NAMES = ["positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio",
         "discriminant_power", "yule_q", "yule_y", "prevalence_threshold"]  # fmt: skip


def compared(positives, negatives, **options):
    """Return differences from how many rows both call positive, only one, only the other, none."""
    y = [1] * sum(positives) + [0] * sum(negatives)
    calls = []
    for model in (0, 1):
        of = ((1, 1), (1, 0), (0, 1), (0, 0))
        calls.append(
            [
                c[model]
                for four in (positives, negatives)
                for c, n in zip(of, four, strict=True)
                for _ in range(n)
            ]
        )
    ev = tm.evaluate(y, dict(zip("ab", calls, strict=True)), positive=1, **options)
    c = ev.compare(metrics=NAMES, against="b", permutations=0)
    return ev, c.pairs[0].differences


def test_likelihood_ratios_of_the_same_rows_have_the_golden_test():
    _, d = compared((40, 5, 2, 3), (6, 8, 3, 83))
    lr = d["positive_likelihood_ratio"]
    assert lr.p_value == pytest.approx(0.2106498704)
    assert lr.test == "paired scores of both ratios"
    assert d["prevalence_threshold"].p_value == lr.p_value
    assert lr.low < 0 < lr.high
    _, d = compared((70, 10, 12, 8), (20, 15, 5, 260))
    assert d["positive_likelihood_ratio"].p_value == pytest.approx(0.0246163395)
    assert d["positive_likelihood_ratio"].high < 0


def test_odds_ratios_are_tested_by_their_logarithms_with_a_quarter_row_a_cell():
    positives, negatives = (70, 10, 4, 16), (20, 15, 5, 260)
    ev, d = compared(positives, negatives)
    gap, variance = 0.0, 0.0
    for sign, four in ((1, positives), (-1, negatives)):
        both, one, other, none = (v + 0.25 for v in four)
        n = both + one + other + none
        p, q = (both + one) / n, (both + other) / n
        gap += sign * (math.log(p / (1 - p)) - math.log(q / (1 - q)))
        # Of each row: what it adds to the first logit less what it adds to the second.
        cells = [(1, 1, both), (1, 0, one), (0, 1, other), (0, 0, none)]
        each = [((x - p) / (p * (1 - p)) - (z - q) / (q * (1 - q)), k) for x, z, k in cells]
        variance += sum(k * e**2 for e, k in each) / n**2
    p_value = 2 * stats.norm.sf(abs(gap) / math.sqrt(variance))
    for name in NAMES[2:6]:
        assert d[name].p_value == pytest.approx(p_value)
        assert d[name].test == "paired difference of log odds ratios"
        a, b = (ev.model(m).value(name) for m in "ab")
        assert d[name].value == pytest.approx(a.value - b.value)


def test_the_interval_is_narrower_than_without_the_pairs():
    ev, d = compared((70, 3, 2, 25), (20, 6, 5, 270))
    for name in NAMES:
        a, b = (ev.model(m).value(name) for m in "ab")
        apart = math.hypot(a.value - a.low, b.high - b.value)
        assert d[name].value - d[name].low < 0.75 * apart


def test_an_infinite_ratio_has_neither_interval_nor_p_value():
    _, d = compared((40, 5, 2, 3), (0, 0, 6, 94))
    for name in NAMES[:1] + NAMES[2:4]:
        assert d[name].value == math.inf
        assert math.isnan(d[name].p_value)
        assert d[name].method == "no interval: one of the two is infinite"
    assert d["yule_q"].p_value < 1


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_leaves_0_out_exactly_where_the_p_value_is_small(level):
    rng = np.random.default_rng(3)
    for _ in range(25):
        positives, negatives = (
            rng.multinomial(rng.integers(6, 60), rng.dirichlet(alpha)).tolist()
            for alpha in ((4, 1, 1, 1), (1, 1, 1, 6))
        )
        _, d = compared(positives, negatives, level=level)
        for name in NAMES:
            one = d[name]
            if one.level is None:
                assert math.isnan(one.p_value)
            else:
                assert (one.low > 0 or one.high < 0) == (one.p_value < 1 - level), (name, one)
