"""Thresholds that keep a limit with confidence, held to binomial tests one threshold at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

import tallymark as tm
from tallymark.infer.kept_limits import rows_to_keep, surely_kept
from tallymark.metric import get
from tallymark.tally.scores import ScoreCounts


def drawn(n=400, share=0.3, digits=1, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, np.round(rng.normal(1.5 * y), digits)


def kept_by(y, s, limits, level=0.95, weight=None):
    """Return the thresholds that keep limits with confidence."""
    scores, place = np.unique(s, return_inverse=True)
    w = np.ones(len(y)) if weight is None else weight

    def counts(of):
        pos, neg = (np.bincount(place, of * (y == c), len(scores)) for c in (1, 0))
        return ScoreCounts(scores, pos, neg)

    r, squares = counts(w), None if weight is None else counts(w**2)
    kept = surely_kept(r, squares, {get(m): x for m, x in limits.items()}, level)
    return None if kept is None else r.thresholds()[kept]


RATES = {
    "sensitivity": (0.9, lambda y, up: ((~up & y).sum(), y.sum())),
    "specificity": (0.7, lambda y, up: ((up & ~y).sum(), (~y).sum())),
    "false_positive_rate": (0.1, lambda y, up: ((up & ~y).sum(), (~y).sum())),
    "false_negative_rate": (0.2, lambda y, up: ((~up & y).sum(), y.sum())),
    "predicted_positive_rate": (0.3, lambda y, up: (up.sum(), len(y))),
}


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_rate_of_fixed_rows_is_tested_at_every_threshold(name, level):
    y, s = drawn()
    limit, count = RATES[name]
    at_most = name in ("false_positive_rate", "false_negative_rate", "predicted_positive_rate")
    expected = []
    for t in (np.inf, *np.unique(s)[::-1]):
        errors, rows = count(y == 1, s >= t)
        if binom.cdf(errors, rows, limit if at_most else 1 - limit) <= 1 - level:
            expected.append(t)
    assert 5 < len(expected) < len(np.unique(s)) - 5
    assert kept_by(y, s, {name: limit}, level).tolist() == expected


def test_the_precision_is_tested_at_equal_shares_of_the_rows_until_one_fails():
    y, s = drawn(2000, 0.4, 3)
    expected = []
    for share in np.arange(1, 21) / 20:
        t = np.sort(s)[::-1][round(share * 2000) - 1]  # with all rows of its score
        up = s >= t
        if binom.cdf((up & (y == 0)).sum(), up.sum(), 0.4) > 0.05:
            break
        expected.append(t)
    assert 2 < len(expected) < 18
    assert kept_by(y, s, {"precision": 0.6}).tolist() == expected


def test_several_limits_share_the_error():
    y, s = drawn()
    both = kept_by(y, s, {"sensitivity": 0.6, "false_positive_rate": 0.3})
    halves = [kept_by(y, s, {m: x}, 0.975) for m, x in (("sensitivity", 0.6), ("fpr", 0.3))]
    assert set(both) == set(halves[0]) & set(halves[1])
    assert 0 < len(both) < len(halves[0])


def test_equal_weights_are_no_weights_and_uneven_ones_are_fewer_rows():
    y, s = drawn(digits=3)
    limit = {"sensitivity": 0.9}
    plain = kept_by(y, s, limit)
    assert kept_by(y, s, limit, weight=np.full(400, 3.0)).tolist() == plain.tolist()
    uneven = np.where(np.arange(400) % 3 == 0, 2.0, 0.5)
    assert kept_by(y, s, limit, weight=uneven).max() < plain.max()


def test_a_limit_on_another_number_is_not_known():
    y, s = drawn()
    assert kept_by(y, s, {"f1": 0.5}) is None
    assert kept_by(y, s, {"accuracy": 0.5}) is None


@pytest.mark.parametrize(("limit", "level"), [(0.05, 0.95), (0.01, 0.8), (0.3, 0.99)])
def test_the_rows_to_keep_a_limit_are_the_fewest(limit, level):
    n = rows_to_keep(limit, level)
    assert binom.pmf(0, n, limit) <= 1 - level < binom.pmf(0, n - 1, limit)


@pytest.mark.slow
def test_a_limit_is_broken_in_truth_by_at_most_one_sample_in_twenty():
    rng = np.random.default_rng(0)
    broken = by_choice = 0
    for _ in range(400):
        y = np.repeat([1, 0], [90, 210])
        s = rng.normal(1.5 * y)
        kept = kept_by(y, s, {"sensitivity": 0.9})
        broken += norm.sf(kept.max() - 1.5) < 0.9
        by_choice += norm.sf(np.sort(s[y == 1])[9] - 1.5) < 0.9
    assert broken / 400 <= 0.065
    assert 0.4 < by_choice / 400 < 0.6


def test_the_optimal_threshold_within_limits_names_that_with_confidence():
    y, s = drawn(600, 0.3, 2)
    ev = tm.evaluate(y, y_score=s)
    choice = ev.optimal_threshold("specificity", within={"sensitivity": 0.9})
    assert choice.confident == kept_by(y, s, {"sensitivity": 0.9}).max() < choice.threshold
    text = " ".join(str(choice).split())
    lost = (s[y == 1] < choice.threshold).sum()
    share = 1 - binom.cdf(lost, y.sum(), 0.1)
    holds = "half" if abs(share - 0.5) < 0.05 else f"{100 * share:.0f} %"
    assert (
        f"The limit holds on these rows; on new ones, in about {holds} of all samples. Scores at or "
        f"above {choice.confident:.6g} keep it with 95 % confidence." in text
    )
    none = ev.optimal_threshold("sensitivity", within={"fpr": 0.0001})
    assert np.isnan(none.confident)
    assert " ".join(str(none).split()).endswith(
        "No threshold of these rows keeps it with 95 % confidence: at least 29,956 negatives without "
        "an error are needed."  # ln 0.05 / ln 0.9999
    )
    assert ev.optimal_threshold("f1").confident is None
    clustered = tm.evaluate(y, y_score=s, cluster=np.arange(600) // 4)
    choice = clustered.optimal_threshold("specificity", within={"fnr": 0.1})
    assert choice.confident is None
    assert " ".join(str(choice).split()).endswith(
        "The limit holds on these rows. No threshold that keeps the limit on new rows with "
        "confidence is known where rows come in clusters."
    )


def test_a_threshold_far_within_its_limit_keeps_it_with_confidence_and_says_so_once():
    y, s = drawn(600, 0.3, 2)
    choice = tm.evaluate(y, y_score=s).optimal_threshold("youden_j", within={"sensitivity": 0.5})
    assert choice.confident == choice.threshold
    assert binom.cdf((s[y == 1] < choice.threshold).sum(), y.sum(), 0.5) < 0.05
    text = " ".join(str(choice).split())
    assert text.endswith("The limit holds on these rows, and on new ones with 95 % confidence.")
    assert "half" not in text


def test_few_rows_keep_a_limit_in_fewer_than_half_of_all_samples():
    y = np.repeat([1, 0], [5, 7])
    s = np.append(np.arange(5.0) + 0.5, np.arange(7.0))
    choice = tm.evaluate(y, y_score=s).optimal_threshold("accuracy", within={"sensitivity": 0.95})
    assert np.isnan(choice.confident)
    share = 100 * (1 - 0.95**5)
    needed = math.ceil(math.log(0.05) / math.log(0.95))
    assert " ".join(str(choice).split()).endswith(
        f"The limit holds on these rows; on new ones, in about {share:.0f} % of all samples. No "
        f"threshold of these rows keeps it with 95 % confidence: at least {needed} positives "
        "without an error are needed."
    )
    both = tm.evaluate(y, y_score=s + 9 * y).optimal_threshold(
        "accuracy", within={"sensitivity": 0.95, "specificity": 0.9}
    )
    share = 100 * (1 - 0.95**5) * (1 - 0.9**7)
    needed = [math.ceil(math.log(0.025) / math.log(limit)) for limit in (0.95, 0.9)]
    assert " ".join(str(both).split()).endswith(
        f"The limits hold on these rows; on new ones, in about {share:.0f} % of all samples. No "
        f"threshold of these rows keeps them with 95 % confidence: at least {needed[0]} positives "
        f"and {needed[1]} negatives without an error are needed."
    )


def test_a_limit_on_another_number_than_a_rate_says_that_no_threshold_is_known():
    y, s = drawn(600, 0.3, 2)
    choice = tm.evaluate(y, y_score=s).optimal_threshold("accuracy", within={"f1": 0.2, "fnr": 0.5})
    assert choice.confident is None
    assert " ".join(str(choice).split()).endswith(
        "The limits hold on these rows. No threshold that keeps the limits on new rows with "
        "confidence is known for limits on such numbers."
    )
