"""Thresholds chosen: the right one, the right limits, and how much the choice flatters."""

from __future__ import annotations

import itertools
import json
import math
import re
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from metric.twins import ROWS, split
from tallymark.curve import best_thresholds
from tallymark.infer.intervals import interval_of
from tallymark.infer.operating_points import optimal_threshold
from tallymark.infer.sampler import Sampler
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.report.subjects.thresholds import thresholds

m = tm.metrics


def called(s, t):
    return [int(b >= t) for b in s]


@given(ROWS, st.sampled_from(["youden_j", "f1", "mcc", "accuracy", "error_rate"]))
@pytest.mark.slow
def test_no_threshold_is_better(rows, name):
    y, s = split(rows)
    found = optimal_threshold(tm.ScoreTally.from_arrays(y, s), name, repeats=2)
    metric = tm.metric.get(name)
    values = {t: metric(y, called(s, t)) for t in [*sorted(set(s)), math.inf]}
    known = {t: v for t, v in values.items() if not math.isnan(v)}
    if not known:
        assert math.isnan(found.threshold)
        return
    best = (min if metric.better == "low" else max)(known.values())
    tied = sorted((t for t, v in known.items() if v == pytest.approx(best)), reverse=True)
    assert found.thresholds.tolist() == tied
    finite = [t for t in tied if math.isfinite(t)]
    assert found.threshold == (finite or tied)[0]
    assert found.best.value == pytest.approx(best)


@given(ROWS, st.integers(0, 10))
def test_limits_are_kept(rows, tenths):
    y, s = split(rows)
    limit = tenths / 10
    found = optimal_threshold(
        tm.ScoreTally.from_arrays(y, s), "sensitivity", within={"fpr": limit}, repeats=2
    )
    best = 1 - m.frr_at_far(y, s, fpr=limit) if limit else max(
        m.recall(y, called(s, t)) for t in [*s, math.inf] if m.fpr(y, called(s, t)) == 0
    )  # fmt: skip
    assert found.best.value == pytest.approx(best)
    (kept,) = found.limits
    assert kept.metric == "false_positive_rate"
    assert kept.value <= limit + 1e-12
    assert kept.value == pytest.approx(m.fpr(y, called(s, found.threshold)))


def test_costs_and_prevalence():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    s = rng.normal(1.5 * y, 1)
    t = tm.ScoreTally.from_arrays(y, s)
    costs = {"cost_fp": 1, "cost_fn": 20, "prevalence": 0.02}
    found = optimal_threshold(t, "expected_cost", **costs)
    # Two normal densities: the best cut is where their ratio is that of costs and odds.
    best = 1.5 / 2 + math.log(1 * 0.98 / (20 * 0.02)) / 1.5
    assert found.threshold == pytest.approx(best, abs=0.25)
    assert found.best.value == pytest.approx(m.expected_cost(y, s >= found.threshold, **costs))
    assert found.params == costs


def true_numbers(t, d, p):
    """F1, J and MCC of a threshold where scores are normal, d apart, and a share p is positive."""
    tpr, fpr = NormalDist().cdf(d - t), NormalDist().cdf(-t)
    c = [[(1 - p) * (1 - fpr), (1 - p) * fpr], [p * (1 - tpr), p * tpr]]
    t = tm.LabelTally((0, 1), 1e6 * np.array(c))
    return [float(get(n).compute(t.counts if n[0] == "m" else four(t))) for n in GOALS]


def four(t):
    return tm.Counts(t.counts[1, 1], t.counts[0, 1], t.counts[1, 0], t.counts[0, 0])


GOALS = ("f1", "youden_j", "matthews_corrcoef")


@pytest.mark.parametrize(("p", "least", "most"), [(0.1, 0.1, 0.2), (0.5, 0.03, 0.12)])
@pytest.mark.slow
def test_the_optimism_is_within_a_fifth_of_the_true_one(p, least, most):
    d, gaps, told, held = math.sqrt(2) * NormalDist().inv_cdf(0.75), [], [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        y = (rng.random(100) < p).astype(int)
        t = tm.ScoreTally.from_arrays(y, rng.normal(d * y, 1))
        found = [optimal_threshold(t, name, repeats=20) for name in GOALS]
        true = [true_numbers(f.threshold, d, p)[i] for i, f in enumerate(found)]
        gaps.append([f.best.value - v for f, v in zip(found, true, strict=True)])
        told.append([f.best.optimism for f in found])
        held.append([f.best.corrected.low <= v <= f.best.corrected.high
                     for f, v in zip(found, true, strict=True)])  # fmt: skip
    real, said = np.mean(gaps, 0), np.nanmean(told, 0)
    assert (least < real).all()
    assert (real < most).all()
    assert np.abs(said - real).max() < 0.2 * real.min()
    assert np.mean(held, 0).min() > 0.9


def test_a_rate_to_be_kept_is_higher_on_new_rows_and_the_correction_says_so():
    passed = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = (rng.random(150) < 0.3).astype(int)
        t = tm.ScoreTally.from_arrays(y, rng.normal(y, 1))
        limited = optimal_threshold(t, "tpr", within={"fpr": 0.1}, repeats=20)
        true_rate = 1 - NormalDist().cdf(limited.threshold)
        passed.append((true_rate - limited.limits[0].value, -limited.limits[0].optimism))
    real, said = np.mean(passed, axis=0)
    assert 0.005 < real < 0.03
    assert said == pytest.approx(real, abs=0.005)


def test_the_optimism_is_that_of_every_split_into_halves():
    # All 6 x 6 splits of four positives and four negatives, row by row.
    y, s = np.array([0, 0, 1, 0, 1, 0, 1, 1]), np.arange(8) / 8
    gaps = []
    for pos, neg in itertools.product(itertools.combinations((2, 4, 6, 7), 2),
                                      itertools.combinations((0, 1, 3, 5), 2)):  # fmt: skip
        own = np.isin(np.arange(8), pos + neg)
        j = {c: m.youden_j(y[own], s[own] >= c) for c in s}
        best = max(s, key=lambda c: (round(j[c], 12), c))  # the highest of those as good
        mine, theirs = (
            [np.mean(s[half & (y == k)] >= best) for k in (1, 0)] for half in (own, ~own)
        )
        gaps.append(np.subtract(mine, theirs))
    tpr, fpr = np.array([0.5, 0.0]) - np.mean(gaps, 0) * 2 / 3
    found = optimal_threshold(tm.ScoreTally.from_arrays(y, s), "youden_j", repeats=20_000)
    assert found.threshold == 0.75
    assert found.best.value == 0.5
    assert found.best.corrected.value == pytest.approx(tpr - fpr, abs=0.005)
    c = found.best.corrected
    matrix = 4 * np.array([[1 - fpr, fpr], [1 - tpr, tpr]])
    tally = tm.LabelTally((0, 1), matrix)
    direct = interval_of(Statistic.of(get("youden_j"), (0, 1), 1), tally, method="posterior")
    assert (c.low, c.high) == pytest.approx((direct.low, direct.high), abs=0.02)
    assert c.method == direct.method


def test_halves_hold_half_of_the_rows_of_each_class():
    t = tally_of()
    (halves,) = Sampler(3).halves(t, 40)
    r = t._score_counts
    assert (halves.pos.sum(1) == r.pos).all()
    assert (halves.neg.sum(1) == r.neg).all()
    assert (np.abs(np.diff(halves.positives)) <= 1).all()
    assert (np.abs(np.diff(halves.negatives)) <= 1).all()
    one = halves.pos[:, 0] - r.pos / 2
    # The hypergeometric variance of a cell of n rows among N: n (N - n) / (4 (N - 1)).
    p = r.positives
    expected = (r.pos * (p - r.pos) / (4 * (p - 1))).sum()
    assert (one**2).sum(-1).mean() == pytest.approx(expected, rel=0.1)


def test_of_more_rows_than_numpy_deals_out_chance_takes_half():
    t = tm.ScoreTally((0, 1), 1, np.array([0.1, 0.9]), np.array([[3e9, 1e9], [1e9, 3e9]]))
    (halves,) = Sampler().halves(t, 3)
    assert (halves.pos.sum(1) == t._score_counts.pos).all()
    assert halves.positives == pytest.approx(2e9, rel=1e-4)
    assert optimal_threshold(t, "f1").best.optimism == pytest.approx(0, abs=1e-4)


def test_the_same_seed_gives_the_same_choice():
    y, s = [0, 1, 0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.3, 0.2, 0.8, 0.6]
    t = tm.ScoreTally.from_arrays(y, s)
    a, b, c = (optimal_threshold(t, "f1", seed=seed).best for seed in (1, 1, 2))
    assert a == b != c
    text = str(optimal_threshold(t, "f1", level=0.9))
    assert text.startswith("scores at or above 0.3\n  F1: 0.89 on these rows, 0.")
    assert " expected on new rows (90 % CI 0." in text
    data = json.loads(json.dumps(optimal_threshold(t, "f1").to_dict()))
    assert data["best"]["corrected"]["low"] < data["best"]["corrected"]["high"]
    assert data["best"]["value"] - data["best"]["optimism"] == pytest.approx(
        data["best"]["corrected"]["value"]
    )


def test_where_no_threshold_will_do():
    t = tm.ScoreTally.from_arrays([0, 1, 0], [0.9, 0.5, 0.9])
    found = optimal_threshold(t, "precision", within={"recall": 0.5, "fpr": 0.2})
    assert math.isnan(found.threshold)
    assert len(found.thresholds) == 0
    assert [c.metric for c in found.limits] == ["sensitivity", "false_positive_rate"]
    one_class = tm.ScoreTally.from_arrays([1, 1], [0.2, 0.4], labels=[0, 1], positive=1)
    assert math.isnan(optimal_threshold(one_class, "youden_j").threshold)


def test_rows_of_which_no_half_can_choose_say_so():
    t = tm.ScoreTally.from_arrays([0, 1, 0, 0], [0.1, 0.9, 0.4, 0.3])
    found = optimal_threshold(t, "youden_j")
    assert found.best.value == 1
    assert math.isnan(found.best.optimism)
    assert "each half of the rows needs both classes" in found.best.corrected.reason
    assert "needs both classes" in str(found)


def test_perfect_scores_are_not_expected_to_be_perfect():
    y = np.repeat([0, 1], [30, 10])
    found = optimal_threshold(tm.ScoreTally.from_arrays(y, np.arange(40.0)), "f1").best
    assert found.value == 1
    assert 0.9 < found.corrected.value < 1
    assert found.corrected.low < found.corrected.value <= found.corrected.high <= 1


@pytest.mark.parametrize(
    ("metric", "within", "told"),
    [
        ("roc_auc", {}, "roc_auc is not computed at a single threshold; choose a threshold metric"),
        ("f1", {"auc": 0.9}, "roc_auc is not computed at a single threshold"),
        (
            "f1",
            {"prevalence": 0.9},
            "prevalence does not rank models: neither high nor low is better; it sets no",
        ),
        ("f1", {"nothing": 0.9}, "there is no metric 'nothing'"),
        (
            "recall",
            {"fpr": 0.2, "predicted_positive_rate": 20},
            "^the limit of predicted_positive_rate is 20, but it lies between 0 and 1; give a "
            "limit inside$",
        ),
        (
            "f1",
            {"mcc": -1.5},
            "^the limit of matthews_corrcoef is -1.5, but it lies between -1 and 1; give a limit "
            "inside$",
        ),
    ],
)
def test_what_cannot_be_chosen_by(metric, within, told):
    t = tm.ScoreTally.from_arrays([0, 1], [0.2, 0.4])
    with pytest.raises(tm.InputError, match=told):
        optimal_threshold(t, metric, within=within)


def test_a_capacity_is_an_upper_limit():
    t = tally_of()
    for share in (0.0, 0.1, 0.25, 1.0):
        found = optimal_threshold(t, "sensitivity", within={"predicted_positive_rate": share})
        called = [(t.at(s).binary(1), s) for s in (*t.scores, np.inf)]
        able = [c for c, _ in called if (c.tp + c.fp) / (c.tp + c.fp + c.fn + c.tn) <= share]
        assert found.best.value == max(c.tp / (c.tp + c.fn) for c in able)
        assert found.limits[0].value <= share


def test_more_than_two_classes_are_refused():
    t = tm.ScoreTally.from_arrays(["a", "b", "c"], [0.2, 0.4, 0.5], positive="b")
    with pytest.raises(tm.InputError, match="a threshold decides between two classes and this"):
        optimal_threshold(t)


def tally_of(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return tm.ScoreTally.from_arrays(y, np.round(0.3 * y + rng.random(n), 2))


@pytest.mark.parametrize("name", ["number_needed_to_diagnose", "predicted_positive_rate"])
def test_what_is_neither_good_nor_bad_when_high_chooses_nothing(name):
    with pytest.raises(
        tm.InputError,
        match=f"{name} does not rank models: neither high nor low is better; it has no",
    ):
        optimal_threshold(tally_of(), name)
    with pytest.raises(tm.InputError, match=f"{name} has no better direction and so no best"):
        best_thresholds(tally_of(), get(name))


def test_unknown_parameters_are_refused():
    with pytest.raises(tm.InputError, match="f_beta has no parameter 'betta'"):
        optimal_threshold(tally_of(), "f_beta", betta=2)


def test_choices_flatter_whichever_way_is_good():
    high, low = (optimal_threshold(tally_of(), name) for name in ("accuracy", "error_rate"))
    assert high.threshold == low.threshold
    assert 0 < high.best.optimism == pytest.approx(-low.best.optimism)
    assert high.best.corrected.value == pytest.approx(1 - low.best.corrected.value)
    assert high.best.corrected.low == pytest.approx(1 - low.best.corrected.high)


def test_a_number_that_is_infinite_in_a_half_is_finite_on_new_rows():
    # 25 on all rows, and infinite on halves without the one false alarm.
    t = tm.ScoreTally((0, 1), 1, np.array([0.1, 0.9]), np.array([[5.0, 1.0], [1.0, 5.0]]))
    found = optimal_threshold(t, "diagnostic_odds_ratio").best
    assert found.value == 25
    assert found.corrected.value == pytest.approx(25)  # only one threshold is worth choosing
    assert 1 < found.corrected.low < 25


def test_weights_of_2_are_as_many_rows():
    t = tally_of()
    twice = tm.ScoreTally(t.labels, 1, t.scores, 2 * t.counts, 4 * t.counts, t.rows)
    one, two = (optimal_threshold(v, "chi_square").best for v in (t, twice))
    assert two.optimism == pytest.approx(2 * one.optimism)
    one, two = (optimal_threshold(v, "f1").best.corrected for v in (t, twice))
    assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high))


# -- classes with other shares -----------------------------------------------------------------


def weighted_f1(tpr, fpr, p):
    return 2 * p * tpr / (p * tpr + (1 - p) * fpr + p)


def in_the_field(seed, p, each=(60, 300), weights=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], each)
    s = np.round(rng.normal(1.5 * y, 1), 2)
    w = None if weights is None else rng.uniform(*weights, len(y))
    return y, s, w, tm.evaluate(y, y_score=s, weight=w, seed=seed).at(prevalence=p)


@pytest.mark.parametrize("weights", [None, (0.2, 3.0)])
def test_optimism_in_the_field_is_that_of_rows_split_within_each_class(weights):
    p = 0.02
    y, s, w, ev = in_the_field(1, p, weights=weights)
    found = ev.optimal_threshold("f1", repeats=200).best
    rng = np.random.default_rng(9)
    cuts = np.unique(s)
    w = np.ones(len(y)) if w is None else w

    def rates(own):  # TPR and FPR at every cut, of some of the rows
        above = [
            np.append(np.cumsum(np.bincount(np.searchsorted(cuts, s[own & (y == k)]),
                                            w[own & (y == k)], len(cuts))[::-1])[::-1], 0.0)
            for k in (1, 0)
        ]  # fmt: skip
        return np.array([a / a[0] for a in above])

    here = rates(np.ones(len(y), bool))
    best = weighted_f1(*here, p)
    assert found.value == pytest.approx(best.max())
    gaps = []
    for _ in range(800):
        own = np.zeros(len(y), bool)
        for k in (0, 1):
            rows = np.flatnonzero(y == k)
            own[rng.choice(rows, len(rows) // 2, replace=False)] = True
        mine, theirs = rates(own), rates(~own)
        for a, b in ((mine, theirs), (theirs, mine)):
            cut = len(cuts) - weighted_f1(*a, p)[::-1].argmax()
            gaps.append((a - b)[:, cut])
    expected = weighted_f1(*(here[:, best.argmax()] - np.mean(gaps, 0) * 2 / 3), p)
    assert found.corrected.value == pytest.approx(expected, rel=0.05)
    assert found.corrected.low < expected < found.corrected.high
    shown = ev._optimal_thresholds()["model"]["highest F1"].best
    assert shown == ev.optimal_threshold("f1").best


def test_the_correction_in_the_field_knows_what_the_choice_flatters():
    p, normal = 0.05, NormalDist()
    gaps, optimism = [], []
    for seed in range(60):
        *_, ev = in_the_field(seed, p, (40, 120))
        found = ev.optimal_threshold("f1", repeats=20)
        tpr, fpr = (1 - normal.cdf(found.threshold - m) for m in (1.5, 0))
        gaps.append(found.best.value - weighted_f1(tpr, fpr, p))
        optimism.append(found.best.optimism)
    assert np.mean(gaps) > 0.05
    assert np.mean(optimism) == pytest.approx(np.mean(gaps), rel=0.2)


# -- a threshold that is not shown to help -----------------------------------------------------


def noise(n=600, share=0.25, gap=0.0):
    """Return a model whose scores of the two classes differ by ``gap`` standard deviations."""
    rng = np.random.default_rng(11)
    y = (np.arange(n) < share * n).astype(int)
    return tm.evaluate(y, y_score={"m": rng.normal(gap * y)}, threshold=0.0)


def flat(result):
    return " ".join(str(result).split())


def test_a_threshold_of_noise_is_said_not_to_be_better_than_chance():
    ev = noise()
    found = ev.optimal_threshold("youden_j")
    assert found.best.corrected.low < 0 < found.best.corrected.high
    assert flat(found).endswith(
        "No threshold is shown to be better than chance on new rows (Youden's J 0 lies in the "
        "interval); do not use it."
    )
    limited = ev.optimal_threshold("specificity", within={"sensitivity": 0.9})
    j = limited.best.corrected.value + limited.limits[0].corrected.value - 1
    said = re.search(
        r"This threshold is not shown to be better than chance on new rows \(Youden's J (\S+), 95 % "
        r"CI (\S+) to (\S+)\); do not use it\.",
        flat(limited),
    )
    shown, low, high = (float(text.replace("−", "-")) for text in said.groups())
    assert shown == pytest.approx(j, abs=6e-3)
    assert low < 0 < high
    clear = noise(gap=2.0)
    for choice in (clear.optimal_threshold(), clear.optimal_threshold("expected_cost")):
        assert "not shown" not in flat(choice)
        assert "do not use it" not in flat(choice)


@pytest.mark.parametrize(
    ("metric", "costs", "way", "value"),
    [
        ("expected_cost", {"cost_fp": 1, "cost_fn": 6}, "every row", 0.75),
        ("expected_cost", {"cost_fp": 1, "cost_fn": 2}, "no row", 2 * 0.25),
        ("accuracy", {}, "no row", 0.75),
        ("error_rate", {}, "no row", 0.25),
        ("f1", {}, "every row", 2 * 0.25 / 1.25),
    ],
)
def test_a_threshold_no_better_than_acting_on_every_row_or_none_is_said_so(
    metric, costs, way, value
):
    found = noise().optimal_threshold(metric, **costs)
    name = get(metric).in_a_sentence
    assert flat(found).endswith(
        f"Acting on {way} has {name} {value:.3f}, so this threshold is not shown to be worth it."
    )
    assert "not shown" not in flat(noise(gap=4.0).optimal_threshold(metric, **costs))


def test_the_table_of_thresholds_names_models_that_are_not_shown_to_be_better_than_chance():
    assert thresholds(noise()).caption == (
        "No threshold is shown to be better than chance on new rows"
    )
    rng = np.random.default_rng(3)
    y = (np.arange(600) < 150).astype(int)
    scores = {"good": rng.normal(2 * y), "bad": rng.normal(size=600)}
    assert thresholds(tm.evaluate(y, y_score=scores, threshold=0.0)).caption == (
        "No threshold of bad is shown to be better than chance on new rows"
    )
