"""Differences by the influence of each row: golden cases, and influences by changing a weight."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import tallymark as tm
from asymmetric import FIRST, ILL, LEVEL, SECOND, WEIGHT, skewed_t
from tallymark.infer.influence import Influence, exchange_effects, sign_flip

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "statistics"


def difference(metric, y, a, b, **options):
    ev = tm.evaluate(y, y_score={"a": a, "b": b}, **options)
    return tm.interval(metric, ev.model("a"), ev.model("b"))


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the expected numbers are not here")
def test_areas_reproduce_the_cases_of_the_rule():
    cases = json.loads((GOLDEN / "paired_auc.json").read_text(encoding="utf-8"))["cases"]
    assert cases
    for case in cases:
        d = difference("roc_auc", *(np.array(case[k]) for k in ("y", "a", "b")))
        wanted = [case["rule"][k] for k in ("low", "high", "p")]
        assert [d.low, d.high, d.p_value] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def mean_of(loss):
    return lambda y, s, w: np.average(loss(np.where(y == 1, s, 1 - s)), weights=w)


PLAIN = {
    "roc_auc": lambda y, s, w: roc_auc_score(y, s, sample_weight=w),
    "average_precision": lambda y, s, w: average_precision_score(y, s, sample_weight=w),
    "brier": mean_of(lambda own: (1 - own) ** 2),
    "log_loss": mean_of(lambda own: -np.log(own)),
    "root_mean_squared_error": lambda *rows: PLAIN["brier"](*rows) ** 0.5,
    "mean_absolute_error": mean_of(lambda own: 1 - own),
    "spherical_score": mean_of(lambda own: own / np.hypot(own, 1 - own)),
}
ROWS = np.concatenate([np.arange(15), np.arange(100, 175)])
"""15 ill and 75 well rows."""


@pytest.mark.parametrize("metric", PLAIN)
@pytest.mark.parametrize("weight", [np.ones(90), WEIGHT[ROWS]], ids=["equal", "weighted"])
def test_an_influence_is_what_a_little_more_weight_of_a_row_changes(metric, weight):
    y, plain = ILL[ROWS].astype(int), PLAIN[metric]
    given = {} if (weight == 1).all() else {"weight": weight}
    d = difference(metric, y, SECOND[ROWS], FIRST[ROWS], level=LEVEL, **given)

    def gap(w):
        return plain(y, SECOND[ROWS], w) - plain(y, FIRST[ROWS], w)

    step = 1e-4 * np.diag(weight)
    e = np.array([(gap(weight + one) - gap(weight - one)) / 2e-4 for one in step])
    sizes = [weight[y == k].sum() ** 2 / (weight[y == k] ** 2).sum() for k in (0, 1)]
    wanted = skewed_t(gap(weight), [e[y == 0], e[y == 1]], LEVEL, sizes)
    assert (d.low, d.high, d.p_value) == pytest.approx(wanted, rel=2e-4, abs=1e-6)


def test_the_exact_test_is_the_share_of_exchanges_as_extreme():
    rng = np.random.default_rng(5)
    for n in (1, 2, 7, 11):
        gaps = np.round(rng.normal(0.3, 1, n), 1)
        changed = gaps[gaps != 0]
        sums = [abs(np.dot(s, changed)) for s in itertools.product((1, -1), repeat=len(changed))]
        share = np.mean(np.array(sums) >= abs(changed.sum()) - 1e-9)
        assert sign_flip(np.append(gaps, np.zeros(3))) == pytest.approx(share)
    assert sign_flip(np.ones(16)) is None
    assert sign_flip(np.array([0.2, np.inf])) is None
    assert sign_flip(np.zeros(4)) == 1.0


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
def test_five_better_rows_of_a_thousand_are_not_significant(metric):
    better = FIRST.copy()
    better[[3, 8, 13, 18, 23]] = np.minimum(FIRST[[3, 8, 13, 18, 23]] + 0.15, 0.99)
    d = difference(metric, ILL.astype(int), better, FIRST)
    assert d.value < 0
    assert d.p_value >= 0.0625  # 2 of 32 exchanges
    assert d.low < 0 <= d.high
    two = difference(metric, ILL.astype(int), np.append(better[:10], FIRST[10:]), FIRST)
    assert (two.p_value, two.test) == (0.5, "sign-flip")
    assert two.low < 0 <= two.high
    assert two.warning == (
        "a few rows decide this difference: fewer than 5 effective degrees of freedom"
    )


def test_effects_of_exchanges_add_up_to_the_difference_of_the_exchanged_areas():
    y, a, b = ILL[ROWS], np.round(SECOND[ROWS], 2), np.round(FIRST[ROWS], 2)  # with ties
    rng = np.random.default_rng(3)
    for exchanged in [np.zeros(90, bool), np.ones(90, bool), *(rng.random((20, 90)) < 0.5)]:
        one, other = np.where(exchanged, b, a), np.where(exchanged, a, b)
        wanted = roc_auc_score(y, one) - roc_auc_score(y, other)
        found = np.where(exchanged, -1, 1) @ exchange_effects(y.astype(bool), a, b)
        assert found == pytest.approx(wanted, abs=1e-12)


def with_five_better_rows():
    """Return classes and scores of two models that differ in five of a thousand rows."""
    rng = np.random.default_rng(7)
    y = (np.arange(1000) % 3 == 0).astype(int)
    old = np.round(1 / (1 + np.exp(-(rng.normal(size=1000) + 2.4 * y - 1.2))), 6)
    rows = np.flatnonzero((y == 1) & (old < 0.4))[:5]
    new = old.copy()
    new[rows] += 0.5
    return y, new, old, rows


def test_an_area_of_few_different_rows_has_the_exact_p_value_of_all_exchanges():
    y, new, old, rows = with_five_better_rows()
    gaps = []
    for chosen in itertools.product((False, True), repeat=5):
        one, other = new.copy(), old.copy()
        back = rows[list(chosen)]
        one[back], other[back] = old[back], new[back]
        gaps.append(abs(roc_auc_score(y, one) - roc_auc_score(y, other)))
    wanted = np.mean(np.array(gaps) >= gaps[0] - 1e-12)
    assert wanted == 2 / 32
    (pair,) = tm.evaluate(y, y_score={"new": new, "old": old}).compare(metric="roc_auc").pairs
    exchanged, d = pair.tests[-1], pair.differences["roc_auc"]
    assert (exchanged.name, exchanged.p_value) == (
        "permutation of roc_auc, scores, exact", wanted,
    )  # fmt: skip
    assert (d.p_value, d.test) == (wanted, "sign-flip")
    assert d.low <= 0 < d.high


def test_rows_that_decide_alone_leave_few_degrees_of_freedom():
    even, few = np.tile([0.01, -0.01], 40), np.append([0.3, 0.2], np.full(78, -0.5 / 78))
    assert Influence.of([(even, 80)]).effective == np.inf
    squares = (few**2).sum()
    wanted = 2 * squares**2 / ((few**4).sum() - squares**2 / 80)
    assert Influence.of([(few, 80)]).effective == pytest.approx(wanted)
    assert wanted < 5
    assert Influence.of([(even, 80)], freedom=7).degrees_of_freedom == 7
    assert Influence.of([(even[:1], 1)]) is None
    assert Influence.of([(np.zeros(9), 9)]) is None


@pytest.mark.parametrize("null", [0.0, -0.03, 0.02, 0.3])
@pytest.mark.parametrize("skew", [0.0, 0.01, -0.02])
def test_the_p_value_of_any_null_inverts_the_interval(null, skew):
    facts = Influence(0.0004, skew, 21.0, 15.0)
    for level in (0.5, 0.8, 0.95, 0.99):
        low, high = facts.bounds(0.01, level)
        assert (facts.p_value(0.01, null) < 1 - level) == (not low <= null <= high)
        assert [facts.p_value(0.01, end) for end in (low, high)] == pytest.approx([1 - level] * 2)
