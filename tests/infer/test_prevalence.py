"""Another class balance: against the same rows weighted, and against the truth."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import beta

import tallymark as tm
from tallymark.cli import main
from tallymark.infer.prevalence import (
    IN_THE_FIELD,
    grid,
    over_shares,
    prevalence_curve,
)
from tallymark.infer.sampler import Sampler, class_rows
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.report.page import render

P = 0.07


def rows(n=400, seed=0, share=0.4):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(1.5 * y, 1)
    return y, np.round(1 / (1 + np.exp(-(1.5 * x - 1.125))), 2)


def weights(y, p=P):
    return np.where(y == 1, p / y.mean(), (1 - p) / (1 - y.mean()))


Y, S = rows()
EV = tm.evaluate(Y, y_score=S)
FIELD = EV.at(prevalence=P)
WEIGHTED = tm.evaluate(Y, y_score=S, weight=weights(Y))


@pytest.mark.parametrize("name", [m.name for m in EV.metrics()])
def test_every_metric_is_that_of_the_same_rows_weighted(name):
    ours, theirs = FIELD[name], WEIGHTED[name]
    assert ours.value == pytest.approx(theirs.value, rel=1e-9, abs=1e-12, nan_ok=True)
    assert ours.reason == theirs.reason
    if not math.isnan(ours.low):
        assert ours.low <= ours.value <= ours.high


def test_rates_keep_their_intervals_and_precision_gets_its_own():
    for name in ("sensitivity", "specificity", "false_positive_rate"):
        ours, theirs = FIELD[name], EV[name]
        assert (ours.value, ours.low, ours.high) == pytest.approx(
            (theirs.value, theirs.low, theirs.high)
        )
        assert ours.method == theirs.method
    assert FIELD["roc_auc"].low == pytest.approx(EV["roc_auc"].low)
    assert FIELD["precision"].method == "jackknife within each class, Student's t"
    assert FIELD["average_precision"].method.startswith("jackknife within each class, Student's t")
    # The share of positives is given: it has no interval.
    assert FIELD["prevalence"].value == pytest.approx(P)
    assert "every draw gives the same" in FIELD["prevalence"].method


def test_the_interval_of_precision_is_that_of_both_rates():
    # log odds of PPV = log(TPR) - log(FPR) + log odds of prevalence: the delta method.
    c = EV.models[0].labels.binary(1)
    tpr, fpr = c.tp / c.positives, c.fp / c.negatives
    centre = math.log(tpr / fpr) + math.log(P / (1 - P))
    error = math.sqrt((1 - tpr) / c.tp + (1 - fpr) / c.fp)
    low, high = (1 / (1 + math.exp(-(centre + z * error))) for z in (-1.96, 1.96))
    found = FIELD["precision"]
    assert found.value == pytest.approx(1 / (1 + math.exp(-centre)))
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


@pytest.mark.parametrize(("tp", "fp", "metric"), [(30, 0, "precision"), (50, 20, "npv")])
def test_no_error_in_a_sample_is_no_proof_that_there_are_none_in_the_field(tp, fp, metric):
    p = 0.001 if metric == "precision" else 0.999
    y_pred = [1] * tp + [0] * (50 - tp) + [1] * fp + [0] * (50 - fp)
    found = tm.evaluate([1] * 50 + [0] * 50, y_pred).at(prevalence=p)[metric]
    assert found.value == 1
    assert found.method == "Dirichlet posterior within each class, 1,000 draws"
    # Jeffreys' upper bound of the rate that was 0 of 50, one in a thousand rows being right.
    bound = beta.ppf(0.975, 0.5, 50.5)
    assert found.low == pytest.approx(0.001 * 0.6 / (0.001 * 0.6 + 0.999 * bound), rel=0.15)


@pytest.mark.slow
def test_intervals_cover_the_truth():
    y = np.arange(400_000) % 2
    x = np.random.default_rng(1).normal(1.5 * y, 1)
    p = 1 / (1 + np.exp(-(1.5 * x - 1.125)))
    names = ("precision", "f1", "matthews_corrcoef", "brier")
    w = np.where(y, P, 1 - P)
    truth = {n: get(n)(y, p if n == "brier" else p >= 0.5, sample_weight=w) for n in names}
    hits = dict.fromkeys(names, 0)
    for seed in range(100):
        found, score = rows(300, seed)
        ev = tm.evaluate(found, y_score=score, seed=seed).at(prevalence=P)
        for n in names:
            v = ev[n]
            hits[n] += v.low <= truth[n] <= v.high
    # 95 of 100 expected, give or take 2.2.
    assert all(89 <= h <= 100 for h in hits.values()), hits


@pytest.mark.slow
def test_its_own_prevalence_changes_no_value():
    same = EV.at(prevalence=float(Y.mean()))
    for name in EV.values()["model"]:
        assert same[name].value == pytest.approx(EV[name].value, rel=1e-9, nan_ok=True)


def test_a_threshold_and_a_prevalence_together():
    both = EV.at(threshold=0.3, prevalence=P)
    assert both["recall"].value == EV.at(threshold=0.3)["recall"].value
    tpr, fpr = both["tpr"].value, both["fpr"].value
    assert both["precision"].value == pytest.approx(P * tpr / (P * tpr + (1 - P) * fpr))
    assert "7 % are 1" in next(n.text for n in both.notes if n.rule == "prevalence")
    assert both.no_information().p_values == {"model": None}
    assert not [n for n in both.notes if n.rule in ("few-rows", "weighted")]


@pytest.mark.slow
def test_many_classes_have_a_share_each():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    s = rng.dirichlet(np.ones(3), 300)
    s[np.arange(300), y] += 0.5
    s /= s.sum(1, keepdims=True)
    shares = {0: 0.7, 1: 0.2, 2: 0.1}
    w = np.array([shares[k] / (y == k).mean() for k in y])
    ours = tm.evaluate(y, y_score=s).at(prevalence=shares)
    theirs = tm.evaluate(y, y_score=s, weight=w)
    for name in ("accuracy", "matthews_corrcoef", "precision", "log_loss", "roc_auc", "brier",
                 "hand_till_auc", "average_precision", "spherical_score",
                 "top_k_accuracy"):  # fmt: skip
        assert ours[name].value == pytest.approx(theirs[name].value, rel=1e-9)
        assert ours[name].low < ours[name].value
    assert ours["top_k_accuracy"].low > 0.98  # 1 of every row
    assert ours["prevalence"].value == pytest.approx(1 / 3)
    assert set(ours.values()["model"]) == set(theirs.values()["model"])
    assert ours["brier_skill_score"].method == (
        "no interval: whole rows of 3 columns of scores are not resampled for it"
    )


def three(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.2, 0.3, 0.5])
    s = rng.dirichlet(np.ones(3), n) + 0.15 * np.eye(3)[y]
    return y, s / s.sum(1, keepdims=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("log_loss", "mean over rows within each class, Student's t with skewness"),
        ("root_mean_squared_error", "mean over rows within each class, beta posterior"),
        ("spherical_score", "mean over rows within each class, beta posterior"),
        ("top_k_accuracy", "mean over rows within each class, beta posterior"),
    ],
)
@pytest.mark.slow
def test_losses_of_whole_rows_vary_within_each_class(name, method, weighted):
    y, s = three(300, 5)
    shares = np.array([0.9, 0.08, 0.02])
    w = np.random.default_rng(1).exponential(1, 300) if weighted else np.ones(300)
    ev = tm.evaluate(y, y_score=s, weight=w if weighted else None)
    v = ev.at(prevalence=dict(enumerate(shares)))[name]
    assert v.method == method
    rng, drawn = np.random.default_rng(2), []
    for _ in range(400):
        i = np.concatenate(
            [rng.choice(r, len(r)) for r in (np.flatnonzero(y == k) for k in range(3))]
        )
        f = shares / np.bincount(y[i], w[i], 3)
        drawn.append(getattr(tm.metrics, name)(y[i], s[i], sample_weight=(w * f[y])[i]))
    assert v.se == pytest.approx(np.std(drawn), rel=0.15)
    if name != "log_loss":  # which reaches further, by its skewness
        assert (v.high - v.low) / (2 * 1.96) == pytest.approx(np.std(drawn), rel=0.15)


def test_the_spherical_score_of_two_classes_varies_within_each_class():
    shares = np.array([1 - P, P])
    both = np.stack([1 - S, S], 1)
    own = both[np.arange(len(Y)), Y] / np.sqrt((both**2).sum(1))
    error = math.sqrt(
        sum((shares[k] * own[k == Y].std(ddof=1)) ** 2 / (k == Y).sum() for k in (0, 1))
    )
    v = FIELD["spherical_score"]
    assert v.method == "mean over rows within each class, beta posterior"
    assert v.value == pytest.approx(sum(shares[k] * own[k == Y].mean() for k in (0, 1)))
    assert v.se == pytest.approx(error)
    assert (v.high - v.low) / 2 == pytest.approx(1.959964 * error, rel=0.02)


@pytest.mark.parametrize(
    ("ev", "prevalence", "told"),
    [
        (EV, 0, "prevalence is 0; give a number between 0 and 1"),
        (EV, 1.5, "prevalence is 1.5"),
        (EV, {0: 0.5}, r"prevalence names \[0\]; give the share of each of 0, 1"),
        (EV, {0: 0.5, 2: 0.5}, "give the share of each of 0, 1"),
        (EV, {0: 0.5, 1: 0.6}, r"\[0.5, 0.6\]; they must be from 0 up and sum to 1"),
        (EV, {0: 1.5, 1: -0.5}, "from 0 up"),
        (
            tm.evaluate([1, 1], [1, 0], classes=[0, 1]),
            0.5,
            "no row is truly 0, so how the classifier treats such rows",
        ),
        (
            tm.evaluate(list("abc"), list("abb")),
            0.5,
            "one prevalence needs a positive class of two",
        ),
    ],
)
def test_shares_that_are_none_are_refused(ev, prevalence, told):
    with pytest.raises(tm.InputError, match=told):
        ev.at(prevalence=prevalence)


def test_the_last_prevalence_asked_for_counts():
    twice = EV.at(prevalence=0.5).at(prevalence=P)
    assert [n.rule for n in twice.notes].count("prevalence") == 1
    assert twice["precision"].value == pytest.approx(FIELD["precision"].value)


def test_weighted_rows_keep_their_effective_number():
    w = np.random.default_rng(0).random(len(Y)) + 0.5
    ev = tm.evaluate(Y, y_score=S, weight=w)
    t = ev.at(prevalence=P).models[0].labels
    kish = [w[k == Y].sum() ** 2 / (w[k == Y] ** 2).sum() for k in (0, 1)]
    np.testing.assert_allclose(class_rows(t), kish)
    assert ev.at(prevalence=P)["tpr"].low == pytest.approx(ev["tpr"].low)


def warning(ev, code):
    return next((n.text for n in ev.notes if n.rule == code), None)


@pytest.mark.slow
def test_the_effective_rows_of_each_class_are_told_of_weighted_rows():
    w = np.random.default_rng(0).random(len(Y)) + 0.5
    ev = tm.evaluate(Y, y_score=S, weight=w)
    kish = [round(w[k == Y].sum() ** 2 / (w[k == Y] ** 2).sum()) for k in (0, 1)]
    told = (
        f"rows have weights, effective sample size {kish[0]} of 0, {kish[1]} of 1: intervals "
        "other than DeLong's use these sizes and are approximate"
    )
    field = ev.at(prevalence=P)
    assert warning(field, "weighted") == told
    assert "treat rows as drawn independently" in warning(ev, "weighted")
    assert warning(FIELD, "weighted") is None
    assert "sample size " + told.split("sample size ")[1] in re.sub(r"\s+", " ", field.summary())
    assert "effective sample size" in render(field)


def test_of_many_weighted_classes_those_of_fewest_rows_are_told():
    y = np.repeat(np.arange(8), [10, 20, 30, 40, 300, 60, 70, 5])
    ev = tm.evaluate(y, y, weight=np.full(len(y), 2.0)).at(
        prevalence=dict.fromkeys(range(8), 1 / 8)
    )
    told = warning(ev, "weighted")
    assert (
        "effective sample size 5 of 7, 10 of 0, 20 of 1, 30 of 2, 40 of 3 and 3 further classes:"
        in told
    )


def test_few_rows_are_those_that_there_are():
    y = [1] * 12 + [0] * 300
    ev = tm.evaluate(y, [1] * 9 + [0] * 303)
    told = "12 rows of 1: so few that metrics which depend on them"
    for at in (ev, ev.at(prevalence=0.9), ev.at(prevalence=0.001)):
        assert warning(at, "few-rows").startswith(told)


@pytest.mark.slow
def test_positives_too_rare_for_the_negatives_there_are_call_for_a_warning():
    told = warning(EV.at(prevalence=0.02), "few-decide")
    negatives = int((Y == 0).sum())
    few = math.ceil(negatives * 0.02 / 0.98)
    assert told.startswith(f"{few} of the {negatives} rows of 0 weigh as much as all of 1 in the")
    assert "average precision, depend on these few, look better than they are" in told
    assert f"1 of the {negatives} rows of 0 weighs as" in warning(
        EV.at(prevalence=0.001), "few-decide"
    )
    for ev in (EV, EV.at(prevalence=0.2)):
        assert warning(ev, "few-decide") is None
    assert warning(tm.evaluate(Y, (S > 0.5).astype(int)).at(prevalence=0.001), "few-decide") is None


@pytest.mark.slow
def test_the_warning_speaks_where_average_precision_flatters():
    # The same two normal classes, of which 2 in 100 are positive in the field.
    share, name = 0.02, "average_precision"
    y, s = rows(400_000, 99)
    truth = get(name)(
        y, s, sample_weight=np.where(y, share / y.mean(), (1 - share) / (1 - y.mean()))
    )
    for n, warned in ((300, True), (6000, False)):
        found = [
            tm.evaluate(y, y_score=s).at(prevalence=share)
            for y, s in (rows(n, seed) for seed in range(25))
        ]
        assert [warning(ev, "few-decide") is not None for ev in found[:3]] == [warned] * 3
        flatters = np.mean([ev[name].value for ev in found]) / truth - 1
        assert (flatters > 0.2) == warned


def test_draws_keep_the_weight_of_each_class():
    t = FIELD.models[0].labels
    n = class_rows(t)
    np.testing.assert_allclose(n, [(Y == 0).sum(), (Y == 1).sum()])
    sampler, squares = Sampler(0, True), t.sum_squared_weights[None]
    for kind in ("bootstrap", "posterior"):
        (drawn,) = np.concatenate(list(sampler.matrices(t.counts[None], squares, kind, 3000)))
        np.testing.assert_allclose(drawn.sum(-1), np.broadcast_to(t.counts.sum(-1), (3000, 2)))
        rates = drawn[:, 1, 1] / drawn[:, 1].sum(-1)
        rate = t.counts[1, 1] / t.counts[1].sum()
        assert rates.mean() == pytest.approx(rate, abs=0.005)
        assert rates.std() == pytest.approx(math.sqrt(rate * (1 - rate) / n[1]), rel=0.1)
    scores = FIELD.models[0].scores[0]
    (block,) = sampler.scores(scores, "bootstrap", 500)
    np.testing.assert_allclose(block.positives, np.full(500, scores._score_counts.positives))
    np.testing.assert_allclose(block.neg.mean(0), scores._score_counts.neg, atol=0.6)


@pytest.mark.parametrize(
    "name", ["precision", "mcc", "f1", "youden_j", "average_precision", "brier"]
)
def test_a_curve_over_the_prevalence_is_the_field_at_each_point(name):
    c = EV.curve(name, over="prevalence")
    assert (c.x_metric, c.y_metric) == ("prevalence", get(name).name)
    np.testing.assert_array_equal(c.x, grid())
    for i in (0, 17, 45, 60):
        assert c.y[i] == pytest.approx(EV.at(prevalence=float(c.x[i]))[name].value)
    assert (c.low <= c.y).all()
    assert (c.y <= c.high).all()


def test_the_band_is_the_interval_at_each_point():
    c = EV.curve("precision", over="prevalence")
    for i in (10, 30, 50):
        v = EV.at(prevalence=float(c.x[i]))["precision"]
        assert c.low[i] == pytest.approx(v.low, abs=0.04)
        assert c.high[i] == pytest.approx(v.high, abs=0.04)


@pytest.mark.parametrize(
    "name",
    ["average_precision", "brier", "log_loss", "expected_calibration_error", "calibration_slope",
     "roc_auc", "gini_coefficient", "spherical_score", "roc_hull_auc"],
)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_the_band_of_a_metric_of_scores_is_the_interval_at_each_point(name, weighted):
    w = np.random.default_rng(3).uniform(0.3, 2, len(Y)) if weighted else None
    ev = tm.evaluate(Y, y_score=np.clip(S, 0.01, 0.99), weight=w)
    x = np.array([0.005, 0.07, 0.4, 0.9])
    c = prevalence_curve(ev.models[0], name, 1, at=x)
    for i, p in enumerate(x.tolist()):
        v = ev.at(prevalence=p)[name]
        assert c.y[i] == pytest.approx(v.value)
        assert c.low[i] == pytest.approx(v.low, abs=1e-9)
        assert c.high[i] == pytest.approx(v.high, abs=1e-9)
    np.testing.assert_array_equal(c.low, prevalence_curve(ev.models[0], name, 1, at=x).low)


def test_the_band_of_many_scores_is_laid_around_the_exact_curve():
    rng = np.random.default_rng(4)
    y = (rng.random(5000) < 0.3).astype(int)
    ev = tm.evaluate(y, y_score=1 / (1 + np.exp(-rng.normal(1.5 * y - 1, 1))))
    x = np.array([0.01, 0.5])
    for name in ("average_precision", "brier"):
        c = prevalence_curve(ev.models[0], name, 1, at=x)
        for i, p in enumerate(x.tolist()):
            v = ev.at(prevalence=p)[name]
            assert c.y[i] == v.value
            near = 0.15 * (v.high - v.low)
            assert (c.low[i], c.high[i]) == pytest.approx((v.low, v.high), abs=near)


def test_a_wider_level_has_a_wider_band():
    narrow, wide = (replace(EV, level=level).curve("brier", over="prevalence")
                    for level in (0.5, 0.99))  # fmt: skip
    assert (wide.high - wide.low > narrow.high - narrow.low).all()


@pytest.mark.parametrize(
    ("ev", "name"),
    [
        # Certain mistakes cost without end.
        (tm.evaluate([0, 1, 0, 1] * 20, y_score=[0, 0.7, 0.3, 0] * 20), "log_loss"),
        (EV, "uncertainty"),
    ],
)
@pytest.mark.slow
def test_where_draws_say_nothing_there_is_no_band(ev, name):
    c = ev.curve(name, over="prevalence")
    assert not np.isnan(c.y).any()
    assert np.isnan(c.low).all()
    assert np.isnan(c.high).all()
    assert math.isnan(ev.at(prevalence=0.2)[name].low)


def test_a_perfect_order_in_a_sample_is_no_proof_of_one_in_the_field():
    c = tm.evaluate([0, 1] * 20, y_score=[0.2, 0.8] * 20).curve(
        "average_precision", over="prevalence"
    )
    assert (c.y == 1).all()
    assert (c.high == 1).all()
    # Of rare positives a rate of false alarms that 20 negatives cannot exclude takes the most.
    assert c.low[0] < 0.05 < c.low[-1]


def test_bounds_of_what_no_draw_defines_are_none():
    # MCC of one class: a band of no width would say that it is known.
    tally = tm.LabelTally((0, 1), np.array([[8.0, 2.0], [4.0, 1.0]]))
    s = {"a": Statistic.of(get("mcc"), (0, 1), 1)}
    alone = replace(tally, counts=tally.counts * [[1, 1], [0, 0]])
    found = over_shares(s, alone, 1, grid(3))["a"]
    assert np.isnan(found.lows).all()
    assert np.isnan(found.highs).all()


def test_parameters_of_the_metric_reach_the_curve():
    c = EV.curve("f_beta", over="prevalence", beta=2)
    np.testing.assert_allclose(c.y, EV.curve("f2", over="prevalence").y)


@pytest.mark.parametrize(
    ("ev", "name", "over", "told"),
    [
        (
            EV,
            "top_k_accuracy",
            "prevalence",
            "top_k_accuracy needs scores of more than two classes",
        ),
        (EV, "hand_till_auc", "prevalence", "hand_till_auc needs scores of more than two classes"),
        (
            tm.evaluate([0, 1, 0, 1], y_score=[-2, 2, 1, -1]),
            "brier",
            "prevalence",
            "brier needs probabilities, and model holds scores",
        ),
        (EV, "precision", "time", "over is 'time'"),
        (EV, "precisoin", "prevalence", "there is no metric 'precisoin'"),
        (tm.evaluate([0, 1], [0, 1]), "roc_auc", "prevalence", "roc_auc needs scores"),
        (
            tm.evaluate(list("abc"), list("abb")),
            "precision",
            "prevalence",
            "needs two classes, one of them",
        ),
    ],
)
def test_curves_that_cannot_be_are_refused(ev, name, over, told):
    with pytest.raises(tm.InputError, match=told):
        ev.curve(name, over=over)


def test_the_command_line_prints_the_curve():
    file = str(tm.example("breast_cancer"))
    columns = ["--truth", "diagnosis", "--positive", "malignant", "--score", "logistic"]
    done = CliRunner().invoke(main, ["curve", file, "ppv", *columns, "--over", "prevalence"])
    lines = done.stdout.splitlines()
    assert lines[0] == "prevalence,precision,low,high"
    assert len(lines) == 1 + len(grid())


def test_the_slider_looks_up_what_the_field_has():
    shares = np.unique(np.append(grid(21), Y.mean()))
    assert len(shares) == 22
    own = int(np.argmin(np.abs(shares - Y.mean())))
    statistics = {n: Statistic.of(get(n), (0, 1), 1) for n in IN_THE_FIELD}
    for name, found in over_shares(statistics, EV.models[0].labels, 1, shares).items():
        assert found.values[own] == pytest.approx(EV[name].value)
        assert (found.lows <= found.values).all()
        assert (found.values <= found.highs).all()
        at = EV.at(prevalence=float(shares[3]))[name]
        assert found.values[3] == pytest.approx(at.value)
    assert not [n for n in IN_THE_FIELD if METRICS[n]._needs not in ("counts", "matrix")]
