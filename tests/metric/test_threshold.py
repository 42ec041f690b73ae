"""Every count metric against a slow twin in exact fractions, at asymmetric points."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

import tallymark as tm
from tallymark.metric import METRICS
from tallymark.tally.labels import Counts

POINTS = [(70, 23, 31, 410), (9, 2, 17, 5), (3, 40, 1, 6), (120, 7, 5, 13)]


def root(x):
    return math.sqrt(float(x))


def f(tp, fp, fn, beta):
    b = Fraction(beta) ** 2
    return (1 + b) * tp / ((1 + b) * tp + b * fn + fp)


def slow_sedi(h, f):
    h, f = float(h), float(f)
    a, b, c, d = math.log(f), math.log(h), math.log(1 - f), math.log(1 - h)
    return (a - b - c + d) / (a + b + c + d)


def slow_ets(tp, fp, fn, total):
    expected = (tp + fp) * (tp + fn) / total
    return (tp - expected) / (tp + fp + fn - expected)


TWINS = {
    "sensitivity": lambda tp, fp, fn, tn: tp / (tp + fn),
    "specificity": lambda tp, fp, fn, tn: tn / (tn + fp),
    "false_positive_rate": lambda tp, fp, fn, tn: fp / (tn + fp),
    "false_negative_rate": lambda tp, fp, fn, tn: fn / (tp + fn),
    "youden_j": lambda tp, fp, fn, tn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),
    "negative_predictive_value": lambda tp, fp, fn, tn: tn / (tn + fn),
    "false_discovery_rate": lambda tp, fp, fn, tn: fp / (tp + fp),
    "false_omission_rate": lambda tp, fp, fn, tn: fn / (tn + fn),
    "markedness": lambda tp, fp, fn, tn: tp / (tp + fp) + tn / (tn + fn) - 1,
    "prevalence": lambda tp, fp, fn, tn: (tp + fn) / (tp + fp + fn + tn),
    "predicted_positive_rate": lambda tp, fp, fn, tn: (tp + fp) / (tp + fp + fn + tn),
    "lift": lambda tp, fp, fn, tn: (tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn)),
    "positive_likelihood_ratio": lambda tp, fp, fn, tn: (tp / (tp + fn)) / (fp / (fp + tn)),
    "negative_likelihood_ratio": lambda tp, fp, fn, tn: (fn / (tp + fn)) / (tn / (fp + tn)),
    "diagnostic_odds_ratio": lambda tp, fp, fn, tn: tp * tn / (fp * fn),
    "discriminant_power": lambda tp, fp, fn, tn: (
        math.sqrt(3) / math.pi * (math.log(tp / fn) + math.log(tn / fp))
    ),
    "f_beta": lambda tp, fp, fn, tn: f(tp, fp, fn, 1),
    "f1": lambda tp, fp, fn, tn: 2 / ((tp + fp) / tp + (tp + fn) / tp),
    "f2": lambda tp, fp, fn, tn: f(tp, fp, fn, 2),
    "f0_5": lambda tp, fp, fn, tn: f(tp, fp, fn, Fraction(1, 2)),
    "effectiveness": lambda tp, fp, fn, tn: 1 - f(tp, fp, fn, 1),
    "adjusted_f": lambda tp, fp, fn, tn: root(f(tp, fp, fn, 2) * f(tn, fn, fp, Fraction(1, 2))),
    "jaccard": lambda tp, fp, fn, tn: tp / (tp + fp + fn),
    "fowlkes_mallows": lambda tp, fp, fn, tn: root(tp / (tp + fn) * (tp / (tp + fp))),
    "adjusted_geometric_mean": lambda tp, fp, fn, tn: (
        (
            root(tp / (tp + fn) * (tn / (tn + fp)))
            + float(tn / (tn + fp) * ((fp + tn) / (tp + fp + fn + tn)))
        )
        / float(1 + (fp + tn) / (tp + fp + fn + tn))
    ),
    "optimization_precision": lambda tp, fp, fn, tn: (
        (tp + tn) / (tp + fp + fn + tn)
        - abs(tp / (tp + fn) - tn / (tn + fp)) / (tp / (tp + fn) + tn / (tn + fp))
    ),
    "yule_q": lambda tp, fp, fn, tn: (tp * tn / (fp * fn) - 1) / (tp * tn / (fp * fn) + 1),
    "yule_y": lambda tp, fp, fn, tn: (
        (root(tp * tn / (fp * fn)) - 1) / (root(tp * tn / (fp * fn)) + 1)
    ),
    "sedi": lambda tp, fp, fn, tn: slow_sedi(tp / (tp + fn), fp / (fp + tn)),
    "d_prime": lambda tp, fp, fn, tn: (
        NormalDist().inv_cdf(float(tp / (tp + fn))) - NormalDist().inv_cdf(float(fp / (fp + tn)))
    ),
    "p4": lambda tp, fp, fn, tn: (
        4 / ((tp + fp) / tp + (tp + fn) / tp + (tn + fp) / tn + (tn + fn) / tn)
    ),
    "iba": lambda tp, fp, fn, tn: (
        (1 + Fraction(1, 10) * (tp / (tp + fn) - tn / (tn + fp))) * tp / (tp + fn) * tn / (tn + fp)
    ),
    "number_needed_to_diagnose": lambda tp, fp, fn, tn: 1 / (tp / (tp + fn) - fp / (fp + tn)),
    "prevalence_threshold": lambda tp, fp, fn, tn: (
        (root(tp / (tp + fn) * (fp / (fp + tn))) - float(fp / (fp + tn)))
        / float(tp / (tp + fn) - fp / (fp + tn))
    ),
    "equitable_threat_score": lambda tp, fp, fn, tn: slow_ets(tp, fp, fn, tp + fp + fn + tn),
    "expected_cost": lambda tp, fp, fn, tn: (fp + fn) / (tp + fp + fn + tn),
    "normalized_expected_cost": lambda tp, fp, fn, tn: (fp + fn) / min(tp + fn, fp + tn),
    "net_benefit": lambda tp, fp, fn, tn: (tp - fp) / (tp + fp + fn + tn),
    "standardized_net_benefit": lambda tp, fp, fn, tn: (tp - fp) / (tp + fn),
    "interventions_avoided": lambda tp, fp, fn, tn: 100 * (tn - fn) / (tp + fp + fn + tn),
    "balance": lambda tp, fp, fn, tn: (
        1 - root(((fp / (fp + tn)) ** 2 + (1 - tp / (tp + fn)) ** 2) / 2)
    ),
}


def test_every_count_metric_has_a_twin():
    assert set(TWINS) == {n for n, m in METRICS.items() if m._needs == "counts"}


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("point", POINTS)
def test_the_formula_is_its_twin(name, point):
    ours = float(METRICS[name].compute(Counts(*point)))
    assert ours == pytest.approx(float(TWINS[name](*map(Fraction, point))), rel=1e-13)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m._sampling.proportion])
@pytest.mark.parametrize("point", POINTS)
def test_a_proportion_is_its_part_of_the_whole(name, point):
    c = Counts(*point)
    metric = METRICS[name]
    data = c if metric._needs == "counts" else c.matrix()
    part, whole = metric._sampling.proportion(data)
    assert float(part / whole) == pytest.approx(float(metric.compute(data)), rel=1e-13)
    # whole rows, of which Wilson's interval can be made
    assert float(whole) in {
        float(v) for v in (c.total, c.positives, c.negatives, c.called_positive, c.called_negative,
                           c.tp + c.fp + c.fn)
    }  # fmt: skip


UNDEFINED = {
    "no row is truly positive": [(0, 2, 0, 3)],
    "no row is truly negative": [(2, 0, 3, 0)],
    "no row was predicted positive": [(0, 0, 2, 3)],
    "no row was predicted negative": [(2, 3, 0, 0)],
    "there is no row": [(0, 0, 0, 0)],
}


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m._needs == "counts"])
def test_what_is_undefined_is_undefined_for_its_reason(name):
    metric = METRICS[name]
    for words, point in ((w, p) for w, ps in UNDEFINED.items() for p in ps):
        if words in metric.undefined:
            assert bool(metric._cases(Counts(*point))[words]), (words, point)
    for point in [(1, 1, 1, 1), *POINTS]:
        assert not any(metric._cases(Counts(*point)).values()), point


def test_infinite_values_stay_infinite_and_0_over_0_is_undefined():
    assert tm.metrics.lr_plus([1, 0], [1, 0]) == math.inf
    assert tm.metrics.lr_minus([1, 0], [0, 1]) == math.inf
    assert tm.metrics.dor([1, 0], [1, 0]) == math.inf
    assert tm.metrics.dp([1, 0], [0, 1]) == -math.inf
    assert math.isnan(tm.metrics.dor([1, 0], [1, 1]))


def test_parameters():
    y, p = [1] * 10 + [0] * 30, [1] * 7 + [0] * 3 + [1] * 5 + [0] * 25
    assert tm.metrics.f_beta(y, p, beta=0) == tm.metrics.precision(y, p)
    assert tm.metrics.f_beta(y, p, beta=math.inf) == tm.metrics.recall(y, p)
    assert tm.metrics.dp(y, p, base=10) * math.log(10) == pytest.approx(tm.metrics.dp(y, p))
    # TPR 7/10, TNR 25/30; 30 of 40 rows are negative
    gm = math.sqrt(7 / 10 * 25 / 30)
    assert tm.metrics.agm(y, p) == pytest.approx((gm + 25 / 30 * 0.75) / 1.75)
    assert tm.metrics.agm(y, p, counts=True) == pytest.approx((gm + 25 / 30 * 30) / 31)
    assert tm.metrics.agm([1, 0, 0], [0, 0, 1]) == 0
    assert tm.metrics.agm([1, 1, 0, 0], [1, 0, 1, 1]) == 0


def test_costs_and_benefits():
    c = Counts(70, 23, 31, 410)  # P = 101, N = 433, T = 534
    cost = METRICS["expected_cost"]
    assert float(cost.compute(c, cost_fp=2, cost_fn=5)) == pytest.approx((2 * 23 + 5 * 31) / 534)
    elsewhere = 0.3 * 5 * 31 / 101 + 0.7 * 2 * 23 / 433
    at = {"cost_fp": 2, "cost_fn": 5, "prevalence": 0.3}
    assert float(cost.compute(c, **at)) == pytest.approx(elsewhere)
    normed = METRICS["normalized_expected_cost"]
    assert float(normed.compute(c, **at)) == pytest.approx(elsewhere / min(0.3 * 5, 0.7 * 2))
    at |= {"cost_fp": 9}
    dear = 0.3 * 5 * 31 / 101 + 0.7 * 9 * 23 / 433
    assert float(normed.compute(c, **at)) == pytest.approx(dear / (0.3 * 5))
    benefit = METRICS["net_benefit"]
    assert float(benefit.compute(c, p_t=0.2)) == pytest.approx((70 - 23 / 4) / 534)
    assert float(benefit.compute(c, p_t=0)) == pytest.approx(70 / 534)
    relative = METRICS["standardized_net_benefit"]
    assert float(relative.compute(c, p_t=0.2)) == pytest.approx((70 - 23 / 4) / 101)
    avoided = METRICS["interventions_avoided"]
    # Of 534 rows 410 are rightly left alone, each of the 31 missed worth four of them.
    assert float(avoided.compute(c, p_t=0.2)) == pytest.approx(100 * (410 - 4 * 31) / 534)
    of_all = (101 - 433 / 4) / 534
    gain = float(benefit.compute(c, p_t=0.2)) - of_all
    assert float(avoided.compute(c, p_t=0.2)) == pytest.approx(100 * gain * 0.8 / 0.2)
    assert float(METRICS["iba"].compute(c, alpha=0)) == pytest.approx(70 / 101 * 410 / 433)
    assert float(METRICS["iba"].compute(c, alpha=1)) == pytest.approx(
        (1 + 70 / 101 - 410 / 433) * 70 / 101 * 410 / 433
    )


def test_a_cost_at_another_prevalence_needs_both_rates():
    cost = METRICS["expected_cost"]
    none = Counts(0, 3, 0, 7)
    assert float(cost.compute(none)) == pytest.approx(0.3)
    assert (
        cost.reason(none, prevalence=0.2) == "no row is truly positive, and a prevalence is given"
    )
    assert math.isnan(float(cost.compute(none, prevalence=0.2)))
    assert cost.reason(none._swap(), prevalence=0.2).startswith("no row is truly negative")
    value = tm.evaluate([0, 0, 0], [0, 1, 0], positive=1).value("expected_cost", prevalence=0.2)
    assert value.reason == "no row is truly positive, and a prevalence is given"


@pytest.mark.parametrize(
    ("metric", "params", "told"),
    [
        ("expected_cost", {"cost_fp": -1}, "cost_fp is -1; give a finite number, zero or more"),
        (
            "expected_cost",
            {"cost_fn": math.inf},
            "cost_fn is inf; give a finite number, zero or more",
        ),
        ("expected_cost", {"cost_fp": 0, "cost_fn": 0}, "cost_fp and cost_fn are both 0"),
        ("expected_cost", {"prevalence": 1}, "prevalence is 1; give a number between 0 and 1"),
        (
            "normalized_expected_cost",
            {"cost_fp": 0},
            "a cost of 0 makes the denominator 0; give both",
        ),
        (
            "normalized_expected_cost",
            {"cost_fn": 0},
            "a cost of 0 makes the denominator 0; give both",
        ),
        ("net_benefit", {"p_t": 1}, "p_t is 1; it must be at least 0 and below 1"),
        ("standardized_net_benefit", {"p_t": -0.1}, "p_t is -0.1; it must be at least 0"),
        ("interventions_avoided", {"p_t": 0}, "p_t is 0, at which all are treated"),
        ("interventions_avoided", {"p_t": 1}, "p_t is 1; it must be at least 0"),
        ("iba", {"alpha": 1.5}, "alpha is 1.5; it must lie between 0 and 1"),
    ],
)
def test_parameters_out_of_range_are_refused(metric, params, told):
    with pytest.raises(tm.InputError, match=told):
        METRICS[metric]([0, 1, 0], [0, 1, 1], **params)


def test_the_ends_of_the_scales():
    v = {
        n: METRICS[n] for n in ("yule_q", "yule_y", "d_prime", "prevalence_threshold", "p4", "iba")
    }
    perfect, never = Counts(3, 0, 0, 5), Counts(0, 5, 3, 0)
    assert [float(v[n].compute(perfect)) for n in v] == [1, 1, math.inf, 0, 1, 1]
    assert [float(v[n].compute(never)) for n in v][:4] == [-1, -1, -math.inf, 1]
    assert math.isnan(float(v["p4"].compute(never)))
    assert float(METRICS["number_needed_to_diagnose"].compute(Counts(1, 1, 1, 1))) == math.inf


@pytest.mark.parametrize("beta", [-1, math.nan])
def test_beta_is_refused_below_zero(beta):
    for metric in (tm.metrics.f_beta, tm.metrics.effectiveness):
        with pytest.raises(tm.InputError, match=f"beta is {beta}; give a number, zero or more"):
            metric([0, 1], [0, 1], beta=beta)


@pytest.mark.parametrize("base", [1, 0, -3, math.nan])
def test_the_base_of_a_logarithm_is_above_one(base):
    with pytest.raises(tm.InputError, match=f"base is {base}; give a base above 1"):
        tm.metrics.dp([0, 1], [0, 1], base=base)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sensitivity", "specificity"),
        ("false_positive_rate", "false_negative_rate"),
        ("precision", "negative_predictive_value"),
        ("false_discovery_rate", "false_omission_rate"),
        ("youden_j", "youden_j"),
        ("markedness", "markedness"),
        ("diagnostic_odds_ratio", "diagnostic_odds_ratio"),
        ("discriminant_power", "discriminant_power"),
        ("optimization_precision", "optimization_precision"),
        ("balance", "balance"),
    ],
)
@pytest.mark.parametrize("point", POINTS)
def test_calling_the_other_class_positive(one, other, point):
    c = Counts(*point)
    assert float(METRICS[one].compute(c)) == pytest.approx(
        float(METRICS[other].compute(c._swap())), rel=1e-13
    )


@pytest.mark.parametrize("name", ["f1", "jaccard", "fowlkes_mallows"])
@pytest.mark.parametrize("point", POINTS)
def test_truth_and_prediction_may_change_places(name, point):
    tp, fp, fn, tn = point
    assert float(METRICS[name].compute(Counts(tp, fp, fn, tn))) == pytest.approx(
        float(METRICS[name].compute(Counts(tp, fn, fp, tn))), rel=1e-13
    )


def test_relations_between_metrics():
    for point in POINTS:
        c = Counts(*point)

        def v(name, c=c):
            m = METRICS[name]
            return float(m.compute(c if m._needs == "counts" else c.matrix()))

        assert v("matthews_corrcoef") ** 2 == pytest.approx(v("youden_j") * v("markedness"))
        assert v("jaccard") == pytest.approx(v("f1") / (2 - v("f1")))
        kappa, odds = v("cohen_kappa"), v("diagnostic_odds_ratio")
        assert v("equitable_threat_score") == pytest.approx(kappa / (2 - kappa))
        assert v("yule_q") == pytest.approx((odds - 1) / (odds + 1))
        assert v("bennett_s") == pytest.approx(2 * v("accuracy") - 1)
        assert v("adjusted_balanced_accuracy") == pytest.approx(v("youden_j"))
        assert v("expected_cost") == pytest.approx(v("error_rate"))
        assert v("iba") == pytest.approx(
            v("geometric_mean") ** 2 * (1 + 0.1 * (v("sensitivity") - v("specificity")))
        )
        assert v("balanced_accuracy") == pytest.approx((v("youden_j") + 1) / 2)
        assert v("geometric_mean") ** 2 == pytest.approx(v("sensitivity") * v("specificity"))
        assert v("diagnostic_odds_ratio") == pytest.approx(
            v("positive_likelihood_ratio") / v("negative_likelihood_ratio")
        )


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m._needs == "counts"])
def test_every_small_matrix_is_undefined_exactly_where_the_formula_is(name):
    grid = np.stack(np.meshgrid(*[[0.0, 1.0, 2.0, 3.0]] * 4), -1).reshape(-1, 4).T
    metric = METRICS[name]
    with np.errstate(all="ignore"):
        raw = np.asarray(metric._function(Counts(*grid), **metric.params))
    declared = np.any(list(metric._cases(Counts(*grid)).values()), axis=0)
    np.testing.assert_array_equal(np.isnan(raw), declared)
    np.testing.assert_array_equal(np.isnan(metric.compute(Counts(*grid))), declared)


def test_f_where_only_precision_or_only_recall_counts():
    # beta 0 is precision and beta infinity recall, undefined where they are.
    for name in ("f_beta", "effectiveness"):
        metric = METRICS[name]
        none_called, no_positive = Counts(0, 0, 3, 4), Counts(0, 3, 0, 4)
        for beta in (0.0, 1e-200):
            reason = "no row was predicted positive, and only precision counts"
            assert metric.reason(none_called, beta=beta) == reason
            assert metric.reason(no_positive, beta=beta) is None
        for beta in (math.inf, 1e200):
            reason = "no row is truly positive, and only recall counts"
            assert metric.reason(no_positive, beta=beta) == reason
            assert metric.reason(none_called, beta=beta) is None
    assert METRICS["f_beta"].compute(Counts(1, 3, 1, 0), beta=1e200) == 0.5


def test_no_direction_is_no_best():
    # 1 / J has no better side: -100 is worse than 2, and 2 worse than 1.
    assert METRICS["number_needed_to_diagnose"].better == "neither"


def test_deviates_of_one_row_in_very_many():
    # z(1 - 1e-17) - z(1/2): 1 - 1e-17 is 1 in floating point.
    found = METRICS["d_prime"].compute(Counts(1e17 - 1, 1, 1, 1))
    assert found == pytest.approx(8.493793224109599, rel=1e-12)
