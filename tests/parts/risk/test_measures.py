"""The areas under the curves of risk, their jackknife and their intervals."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations
from math import log, log1p
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import beta, t

import tallymark as tm
from tallymark.parts.risk.answers import levels_of as of_answers
from tallymark.parts.risk.measures import MEASURES, Levels, harmonic_difference, measure

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "statistics" / "risk_coverage.json"


def cases(kind):
    """Return the worked examples of a kind; the test is skipped where they are missing."""
    if not GOLDEN.exists():
        return [pytest.param(None, marks=pytest.mark.skip("the golden file is not here"))]
    every = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = [c for c in every if c["kind"] == kind]
    assert found
    return found


def levels_of(confidence, wrong):
    answers = tm.AnswerTally.from_arrays(np.zeros(len(wrong)), np.array(wrong) * 1.0, confidence)
    return of_answers(answers)


def areas(wrong):
    """Return AURC and AUGRC of rows in an order, as exact sums."""
    n, errors, aurc, augrc = len(wrong), 0, Fraction(0), Fraction(0)
    for k, w in enumerate(wrong, 1):
        # Along a tie of one row the wrong answers rise evenly.
        augrc += Fraction(2 * errors + w, 2 * n * n)
        errors += w
        aurc += Fraction(errors, k * n)
    return aurc, augrc


def over_orders(rows):
    """Return the mean of both areas over all orders of rows of equal confidence."""
    orders = [
        [w for _, w in order]
        for order in permutations(rows)
        if [c for c, _ in order] == sorted((c for c, _ in rows), reverse=True)
    ]
    sums = [sum(values) / len(orders) for values in zip(*map(areas, orders), strict=True)]
    return [float(s) for s in sums]


ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=40)


@pytest.mark.parametrize("case", cases("risk_coverage"))
def test_areas_are_the_mean_over_all_orders_of_ties(case):
    levels = levels_of(case["confidence"], case["wrong"])
    for name in ("aurc", "augrc", "e_aurc"):
        of, _ = MEASURES[name]
        assert of(levels).value == pytest.approx(case["expect"][name], abs=case["tol"])


@pytest.mark.parametrize("case", cases("augrc_identity"))
def test_augrc_follows_from_the_roc_area_of_the_confidence(case):
    levels = levels_of(case["confidence"], case["wrong"])
    right = 1 - np.array(case["wrong"])
    auc = tm.metrics.roc_auc(right, np.array(case["confidence"]))
    rate = case["expect"]["error_rate"]
    assert auc == pytest.approx(case["expect"]["roc_auc_of_confidence"], abs=case["tol"])
    assert levels.augrc.value == pytest.approx(case["expect"]["augrc"], abs=case["tol"])
    assert levels.augrc.value == pytest.approx(rate * (1 - rate) * (1 - auc) + rate**2 / 2)


@pytest.mark.parametrize("case", cases("aurc_interval"))
def test_the_interval_covers_that_of_the_logit_and_that_of_one_more_row(case):
    wrong, expect = case["wrong_by_falling_confidence"], case["expect"]
    value = measure("aurc", levels_of(-np.arange(len(wrong)), wrong), 0.95)
    found = value.value, value.se, value.low, value.high
    wanted = (expect["aurc"], expect["jackknife_se"], *expect["interval"])
    assert found == pytest.approx(wanted, abs=case["tol"])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=6))
def test_areas_are_those_of_every_order(rows):
    levels = levels_of(*zip(*rows, strict=True))
    assert [levels.aurc.value, levels.augrc.value] == pytest.approx(over_orders(rows), abs=1e-13)


@given(ROWS)
def test_the_areas_without_a_row_are_those_of_the_other_rows(rows):
    levels = levels_of(*zip(*rows, strict=True))
    for name, (of, _) in MEASURES.items():
        area = of(levels)
        for wrong in (0, 1):
            for i in np.flatnonzero(area.rows[wrong]) if len(rows) > 1 else ():
                others = list(rows)
                others.remove((int(levels.confidence[i]), wrong))
                again = of(levels_of(*zip(*others, strict=True))).value
                assert area.without[wrong, i] == pytest.approx(again, abs=1e-12), name


@given(ROWS)
def test_areas_are_in_their_range_and_within_their_interval(rows):
    levels = levels_of(*zip(*rows, strict=True))
    for name, (_, most) in MEASURES.items():
        value = measure(name, levels, 0.9)
        assert 0 <= value.value <= most + 1e-12
        if len(rows) > 1:
            assert 0 <= value.low <= value.value <= value.high <= most + 1e-12


@given(ROWS)
def test_a_perfect_order_has_no_excess_beyond_few_rows(rows):
    wrong = sorted(w for _, w in rows)
    many = levels_of(-np.arange(1000 * len(wrong)), np.repeat(wrong, 1000))
    assert many.e_aurc.value == pytest.approx(0, abs=2e-3)
    worst = levels_of(np.arange(len(wrong)), wrong)
    best = levels_of(-np.arange(len(wrong)), wrong)
    assert best.aurc.value <= levels_of(*zip(*rows, strict=True)).aurc.value + 1e-12
    assert best.e_aurc.value <= worst.e_aurc.value + 1e-12


def test_the_bounds_are_those_of_the_formulas():
    wrong = [0] * 12 + [1, 0, 1, 0, 0, 1, 1, 0]
    levels = levels_of(-np.arange(20), wrong)
    for name, (of, most) in MEASURES.items():
        of_all = of(levels).value
        without = []
        for i in range(20):
            others = [w for j, w in enumerate(wrong) if j != i]
            without.append(of(levels_of(-np.arange(19), others)).value)
        error = np.sqrt(19 / 20 * np.sum((np.array(without) - np.mean(without)) ** 2)) / most
        share = of_all / most
        half = t.ppf(0.975, 19) * error / share / (1 - share)
        ends = [1 / (1 + np.exp(-log(share / (1 - share)) - s * half)) for s in (-1, 1)]
        centre, spread = (20 * share + 0.5) / 21, error**2 * 19 / 21 + 0.25 / 21**2
        size = centre * (1 - centre) / spread - 1
        posterior = beta(centre * size, (1 - centre) * size).ppf([0.025, 0.975])
        value = measure(name, levels, 0.95)
        assert value.low == pytest.approx(most * min(ends[0], posterior[0]))
        assert value.high == pytest.approx(most * max(ends[1], posterior[1]))
        assert value.se == pytest.approx(most * error)


def test_few_wrong_answers_are_a_warning():
    values = {e: measure("aurc", levels_of(range(20), [1] * e + [0] * (20 - e)), 0.95)
              for e in (0, 1, 4, 5)}  # fmt: skip
    warnings = {e: v.warning for e, v in values.items()}
    assert warnings == {0: "only 0 wrong answers", 1: "only 1 wrong answer",
                        4: "only 4 wrong answers", 5: None}  # fmt: skip
    assert values[0].value == values[0].low == 0
    assert 0 < values[0].high < 0.2


def test_harmonic_numbers_of_many_rows_do_not_cancel():
    above = np.array([0.0, 1, 63, 64, 65, 1000, 1e9, 1e12])
    for rows in (1.0, 7.0, 1e6):
        ours = harmonic_difference(above, np.full(len(above), rows))
        if rows < 1e5:
            summed = [sum(1 / Fraction(int(n) + k) for k in range(1, int(rows) + 1)) for n in above]
            np.testing.assert_allclose(ours, [float(s) for s in summed], rtol=2e-14)
        else:
            np.testing.assert_allclose(
                ours[:5], digamma(above + rows + 1)[:5] - digamma(above + 1)[:5]
            )
            assert ours[-1] == pytest.approx(log1p(rows / 1e12), rel=1e-9)


def test_a_billion_answers_have_the_areas_of_their_shares():
    right, wrong = np.array([6e8, 2e8, 1e8]), np.array([1e7, 3e7, 6e7])
    large = Levels(np.array([0.9, 0.7, 0.6]), right, wrong)
    small = Levels(large.confidence, right / 1e4, wrong / 1e4)
    assert large.aurc.value == pytest.approx(small.aurc.value, rel=1e-4)
    assert large.augrc.value == pytest.approx(small.augrc.value, rel=1e-12)
    assert measure("aurc", large, 0.95).se == pytest.approx(
        measure("aurc", small, 0.95).se / 100, rel=1e-3
    )
