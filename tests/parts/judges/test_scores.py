"""Metrics of scores from few labels and a judge, against golden values and slow twins."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, norm
from sklearn import metrics as sk

import tallymark as tm
from tallymark.core import Statistic, get
from tallymark.parts.judges.scores import ScoreEstimator, score_strata

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "statistics" / "few_labels.json"
AUC, AP = "roc_auc", "average_precision"


def random_rows(seed, n=400, labels=60, far=1.2, right=0.85, models=1):
    """Return rows with calibrated probabilities, of which the first have a label."""
    rng = np.random.default_rng(seed)
    true = (rng.random(n) < 0.4).astype(int)
    out = {"j": np.where(rng.random(n) < right, true, 1 - true)}
    for name in ("s", "r")[:models]:
        x = rng.standard_normal(n) + far * true
        out[name] = np.round(1 / (1 + np.exp(-(far * x - far**2 / 2 + math.log(2 / 3)))), 2)
    known = np.full(n, np.nan)
    known[:labels] = true[:labels]
    return {**out, "t": known}


NAMES = {"truth": "t", "judge": "j", "positive": 1}


def strata_of(rows, score="s"):
    """Return the stratum of each row: judge's value and quarter, where no quarter is sparse."""
    quarter = np.searchsorted(np.quantile(rows[score], (0.25, 0.5, 0.75)), rows[score])
    strata = 4 * rows["j"] + quarter
    known = ~np.isnan(rows["t"])
    assert min(np.bincount(strata[known], minlength=8)) >= 5
    return strata, known


def weights_of(rows, strata, known, without=None):
    """Return N / m of each labelled row; the rows ``without`` weigh nothing."""
    out = np.zeros(len(strata))
    keep = known.copy()
    if without is not None:
        keep[without] = False
    for i in np.flatnonzero(keep):
        mine = strata == strata[i]
        out[i] = mine.sum() / (mine & keep).sum()
    return out


TWINS = {
    AUC: lambda t, s, w: sk.roc_auc_score(t, s, sample_weight=w),
    AP: lambda t, s, w: sk.average_precision_score(t, s, sample_weight=w),
    "brier": lambda t, s, w: np.average((t - s) ** 2, weights=w),
    "log_loss": lambda t, s, w: sk.log_loss(t, s, sample_weight=w, labels=[0, 1]),
}


def twin(name, rows, weights, score="s"):
    known = ~np.isnan(rows["t"])
    return TWINS[name](rows["t"][known], rows[score][known], weights[known])


# -- values --------------------------------------------------------------------------------------


@pytest.mark.skipif(not GOLDEN.exists(), reason="golden values are not here")
@pytest.mark.parametrize("place", range(3))
def test_golden_values(place):
    every = json.loads(GOLDEN.read_text(encoding="utf-8"))
    case = [c for c in every if c["kind"] == "scores"][place]
    rows = {k: np.array(case[k], float) for k in ("truth", "judge", "score")}
    strata = score_strata(
        rows["judge"][:, None].astype(int), rows["score"], np.ones(300, int),
        (~np.isnan(rows["truth"])).astype(int), least=1,
    )  # fmt: skip
    expected = np.unique(case["stratum"], return_inverse=True)[1]
    assert strata.tolist() == expected.tolist()
    found = tm.few_labels(
        rows, truth="truth", judge="judge", score="score", threshold=0.1, metrics=[AUC, AP],
        positive=1,
    )  # fmt: skip
    area = found.metrics[0]
    if min(np.bincount(strata[~np.isnan(rows["truth"])])) >= 5:
        assert found[AUC].value == pytest.approx(case["expect"][AUC], abs=case["tol"])
        assert found[AP].value == pytest.approx(case["expect"][AP], abs=case["tol"])
    assert area.judge_as_truth == pytest.approx(case["expect"]["roc_auc_judge"], abs=case["tol"])
    assert area.labels_only.value == pytest.approx(
        case["expect"]["roc_auc_labels_only"], abs=case["tol"]
    )


@pytest.mark.parametrize("name", TWINS)
def test_values_and_standard_errors_are_those_of_weighted_rows_left_out_one_by_one(name):
    rows = random_rows(3, labels=150)
    strata, known = strata_of(rows)
    value = tm.few_labels(rows, score="s", **NAMES)[name]
    weights = weights_of(rows, strata, known)
    assert value.value == pytest.approx(twin(name, rows, weights), abs=1e-12)
    within = 0.0
    for s in range(8):
        mine = np.flatnonzero(known & (strata == s))
        left = [twin(name, rows, weights_of(rows, strata, known, i)) for i in mine]
        within += (len(mine) - 1) / len(mine) * ((left - np.mean(left)) ** 2).sum()
    # The derivative by the share of each stratum, by a small step.
    shares, step = np.bincount(strata) / len(strata), 1e-5
    slopes = []
    for s in range(8):
        moved = [
            twin(name, rows, np.where(strata == s, weights * (1 + d), weights))
            for d in (step, -step)
        ]
        slopes.append((moved[0] - moved[1]) / (2 * step * shares[s]))
    between = (shares * np.square(slopes)).sum() - (shares * slopes).sum() ** 2
    m = known.sum()
    expected = within * m / (m - 1) + between / len(strata)
    assert value.se == pytest.approx(math.sqrt(expected), rel=1e-5)


def test_the_interval_of_an_area_is_a_beta_posterior_with_one_more_row():
    rows = random_rows(3, labels=150)
    strata, known = strata_of(rows)
    value = tm.few_labels(rows, score="s", **NAMES)[AUC]
    w = weights_of(rows, strata, known)
    m, n = (w[rows["t"] == c].sum() ** 2 / (w[rows["t"] == c] ** 2).sum() for c in (1, 0))
    k, mean, variance = min(m, n), value.value, value.se**2
    variance *= (k - 1) / (k + 1)
    for kept, share in ((m, n / (m + n)), (n, m / (m + n))):  # one row, uniform on 0 to 1
        every = kept + share
        mean += share * (0.5 - value.value) / every
        spread = 1 / 12 + (0.5 - value.value) ** 2 * kept / every
        variance += share * spread / (every * (every + 1))
    size = mean * (1 - mean) / variance - 1
    low, high = beta.ppf([0.025, 0.975], mean * size, (1 - mean) * size)
    assert (value.low, value.high) == pytest.approx((low, high), abs=1e-9)
    assert value.method == "jackknife of labelled rows by judge and score, beta posterior"


def test_weights_count_within_strata():
    rows = random_rows(3, labels=150)
    strata, known = strata_of(rows)
    rows["w"] = np.where(known, 1.0 + np.arange(400) % 3, np.nan)
    value = tm.few_labels(rows, score="s", weight="w", **NAMES)[AUC]
    weights = np.zeros(400)
    for i in np.flatnonzero(known):
        mine = strata == strata[i]
        weights[i] = mine.sum() * rows["w"][i] / rows["w"][mine & known].sum()
    assert value.value == pytest.approx(twin(AUC, rows, weights), abs=1e-12)


def test_separated_scores_have_an_interval_below_1():
    rows = random_rows(3, labels=150)
    rows["s"] = np.where(np.isnan(rows["t"]), rows["s"], rows["t"] * 0.5 + 0.4 * rows["s"])
    found = tm.few_labels(rows, score="s", **NAMES)
    assert found[AUC].value == found[AUC].high == 1
    assert 0.9 < found[AUC].low < 0.99
    assert found[AUC].se is None


def test_an_infinite_log_loss_has_no_interval():
    rows = random_rows(3, labels=150)
    rows["s"][np.flatnonzero(rows["t"] == 1)[0]] = 0.0
    value = tm.few_labels(rows, score="s", **NAMES)["log_loss"]
    assert value.value == math.inf
    assert math.isnan(value.low)
    assert value.warning == "the labelled rows do not show how far it may vary"


def test_a_judge_makes_the_interval_narrower():
    rows = random_rows(5, n=2000, labels=100, right=0.95)
    found = tm.few_labels(rows, score="s", metrics=[AUC, AP, "brier"], **NAMES)
    for m in found.metrics:
        assert m.value.high - m.value.low < m.labels_only.high - m.labels_only.low
        assert m.worth > 110


@pytest.mark.slow
def test_intervals_hold_the_true_number():
    """Of 80 intervals of 95 %, fewer than 70 hold it with a probability of 0.2 %."""
    names, hits = (AUC, "log_loss", "brier_skill_score"), np.zeros(3, int)
    whole = random_rows(10**6, n=400_000, labels=400_000)
    ev = tm.evaluate(whole["t"].astype(int), y_score=whole["s"], positive=1)
    true = [ev[name].value for name in names]
    assert true[0] == pytest.approx(norm.cdf(1.2 / math.sqrt(2)), abs=0.003)
    for seed in range(80):
        found = tm.few_labels(
            random_rows(seed, n=1000, labels=100), score="s", metrics=names, **NAMES
        )
        for i, m in enumerate(found.metrics):
            hits[i] += m.value.low <= true[i] <= m.value.high
    assert hits.min() >= 70


# -- strata --------------------------------------------------------------------------------------


def test_neighbouring_quarters_merge_until_each_has_enough_labels():
    scores, ones = np.arange(16.0), np.ones(16, int)
    labelled = np.array([2, 1, 0, 0, 1, 1, 0, 0, 3, 2, 0, 0, 1, 1, 0, 0])
    strata = score_strata(np.zeros((16, 1), int), scores, ones, labelled)
    # Quarters have 3, 2, 5 and 2 labelled rows: the first two merge, the last joins the third.
    assert strata.tolist() == [0] * 8 + [1] * 8


def test_values_of_the_judge_with_few_labels_merge_unless_rows_were_sampled_by_it():
    scores, ones = np.tile(np.arange(8.0), 2), np.ones(16, int)
    judge = np.repeat([[0], [1]], 8, axis=0)
    labelled = np.where(judge[:, 0] == 0, 3, 0)
    labelled[[8, 12, 15]] = 1  # 3 of the second value
    assert len(set(score_strata(judge, scores, ones, labelled).tolist())) == 4
    apart = score_strata(judge, scores, ones, labelled, apart=True)
    assert len(set(apart[8:].tolist())) == 1
    assert not {*apart[:8].tolist()} & {*apart[8:].tolist()}
    labelled[[8, 12]] = 0  # one row shows no variance, so it joins the other value
    assert len(set(score_strata(judge, scores, ones, labelled, apart=True).tolist())) == 4


def test_rows_sampled_by_prediction_have_strata_within_it():
    rows = random_rows(3, labels=150)
    rows["p"] = (rows["s"] > 0.3).astype(int)
    tally = tm.few_labels(rows, score="s", pred="p", **NAMES).tally
    of = ScoreEstimator(tally, 0, (0, 1), 1, "pred")
    for stratum in range(len(of.rows)):
        assert len(set(tally.cells[of.stratum == stratum, 2].tolist())) == 1
    assert of.rows.sum() == 400


# -- two models ----------------------------------------------------------------------------------


def test_differences_of_two_models_are_judged_on_the_same_rows():
    rows = random_rows(4, labels=120, models=2)
    found = tm.few_labels(rows, score=["s", "r"], metrics=[AUC, "brier"], **NAMES)
    gap = {d.value.metric: d.value for d in found.differences}
    for name in (AUC, "brier"):
        value = found[name, "s"].value - found[name, "r"].value
        assert gap[name].value == pytest.approx(value)
        assert gap[name].low < value < gap[name].high
    separate = math.hypot(found[AUC, "s"].se, found[AUC, "r"].se)
    assert 0.3 * separate < gap[AUC].se < 1.2 * separate
    turned = tm.few_labels(rows, score=["r", "s"], metrics=[AUC], **NAMES).differences[0].value
    assert (turned.low, turned.high) == pytest.approx((-gap[AUC].high, -gap[AUC].low))


def test_the_error_of_a_difference_is_that_of_the_differences_of_losses():
    rows = random_rows(4, labels=150, models=2)
    rows["r"] = 0.9 * rows["s"] + 0.02  # the same quarters, so the strata are the same
    strata, known = strata_of(rows)
    found = tm.few_labels(rows, score=["s", "r"], metrics="brier", **NAMES).differences[0].value
    loss = (rows["t"] - rows["s"]) ** 2 - (rows["t"] - rows["r"]) ** 2
    shares, m = np.bincount(strata) / 400, known.sum()
    means, within = [], 0.0
    for s in range(8):
        mine = loss[known & (strata == s)]
        means.append(mine.mean())
        within += shares[s] ** 2 * mine.var(ddof=1) / len(mine)
    assert found.value == pytest.approx((shares * means).sum(), abs=1e-12)
    between = (shares * np.square(means)).sum() - (shares * means).sum() ** 2
    assert found.se**2 == pytest.approx(within * m / (m - 1) + between / 400, rel=1e-4)


def test_equal_scores_differ_by_nothing():
    rows = random_rows(4, labels=120)
    rows["r"] = rows["s"].copy()
    found = tm.few_labels(rows, score=["s", "r"], metrics=[AUC, "log_loss"], **NAMES)
    for d in found.differences:
        assert (d.value.value, d.value.low, d.value.high) == (0, 0, 0)


def test_two_models_that_both_separate_the_labelled_rows_may_differ():
    rows = random_rows(4, labels=40, models=2)
    known = ~np.isnan(rows["t"])
    for name in ("s", "r"):
        rows[name] = np.where(known, rows["t"] * 0.5 + 0.4 * rows[name], rows[name])
    gap = tm.few_labels(rows, score=["s", "r"], metrics=AUC, **NAMES).differences[0].value
    assert gap.value == 0
    assert -0.2 < gap.low < -0.02
    assert gap.high == pytest.approx(-gap.low)


def test_the_interval_of_a_difference_of_areas_is_a_beta_posterior():
    rows = random_rows(4, labels=150, models=2)
    gap = tm.few_labels(rows, score=["s", "r"], metrics=AUC, **NAMES).differences[0].value
    tally = tm.few_labels(rows, score=["s", "r"], metrics=AUC, **NAMES).tally
    k = min(n for i in (0, 1) for n in ScoreEstimator(tally, i, (0, 1), 1).effective)
    share = gap.value / 2 + 0.5  # one more row, uniform on 0 to 1
    mean = (k * share + 0.5) / (k + 1)
    spread = (1 / 12 + (0.5 - share) ** 2 * k / (k + 1)) / ((k + 1) * (k + 2))
    variance = gap.se**2 / 4 * (k - 1) / (k + 1) + spread
    size = mean * (1 - mean) / variance - 1
    low, high = 2 * beta.ppf([0.025, 0.975], mean * size, (1 - mean) * size) - 1
    assert (gap.low, gap.high) == pytest.approx((low, high), abs=1e-9)


# -- tallies -------------------------------------------------------------------------------------


def test_tallies_with_scores_add_up_and_stand_in_json():
    rows = random_rows(6, labels=100, models=2)
    whole = tm.few_labels(rows, score=["s", "r"], **NAMES)
    halves = [
        tm.few_labels({k: v[i::2] for k, v in rows.items()}, score=["s", "r"], **NAMES).tally
        for i in (0, 1)
    ]
    assert halves[0] + halves[1] == halves[1] + halves[0] == whole.tally
    again = tm.JudgedTally.from_dict(json.loads(whole.tally.to_json()))
    assert again == whole.tally
    assert tm.few_labels(again, positive=1).metrics == whole.metrics
    assert whole.tally.rows.sum() == 400
    assert len(whole.tally.rows) > 300
    with pytest.raises(tm.InputError) as refused:
        halves[0] + tm.few_labels({**rows, "s": (rows["s"] > 0.5) * 1, "r": (rows["r"] > 0.5) * 1},
                                  pred=["s", "r"], **NAMES).tally  # fmt: skip
    assert str(refused.value) == (
        "one tally has scores and the other has none; add tallies that both have scores"
    )
    broken = {**whole.tally.to_dict(), "scores": [[math.nan, 1.0]] * len(whole.tally.rows)}
    with pytest.raises(tm.InputError, match="which is not a tally of judged rows"):
        tm.JudgedTally.from_dict(broken)


def test_the_order_of_rows_and_the_kind_of_table_do_not_matter(tmp_path):
    rows = random_rows(7, labels=100)
    order = np.random.default_rng(0).permutation(400)
    frame = pd.DataFrame({k: v[order] for k, v in rows.items()})
    frame.to_csv(tmp_path / "f.csv", index=False)
    one, other, of_file = (
        tm.few_labels(data, score="s", **NAMES) for data in (rows, frame, tmp_path / "f.csv")
    )
    assert one.metrics == other.metrics == of_file.metrics


def test_a_tally_is_printed_without_its_scores():
    rows = random_rows(7, labels=100)
    printed = str(tm.few_labels(rows, score="s", **NAMES).tally)
    assert len(printed.splitlines()) == 14  # 3 truths, 2 values of the judge, 2 predictions


# -- predictions at a threshold ------------------------------------------------------------------


def test_scores_at_or_above_the_threshold_are_predicted_positive():
    rows = random_rows(8, labels=100)
    rows["p"] = (rows["s"] >= 0.4).astype(int)
    by_pred = tm.few_labels(rows, pred="p", score="s", metrics=["f1", AUC], **NAMES)
    by_score = tm.few_labels(rows, score="s", threshold=0.4, metrics=["f1", AUC], **NAMES)
    assert [m.value for m in by_pred.metrics] == [m.value for m in by_score.metrics]
    single = {**rows, "s": rows["s"].astype(np.float32)}
    of_single = tm.few_labels(single, score="s", threshold=0.4, metrics="f1", **NAMES)
    assert of_single["f1"] == by_score["f1"]
    assert by_score.models == ("s",)


def test_the_default_metrics_are_those_that_scores_allow():
    rows = random_rows(8, labels=100)
    shown = [m.value.metric for m in tm.few_labels(rows, score="s", **NAMES).metrics]
    assert shown[-3:] == [AUC, AP, "brier"]
    rows["s"] = 10 * rows["s"]
    shown = [m.value.metric for m in tm.few_labels(rows, score="s", threshold=5, **NAMES).metrics]
    assert shown[-2:] == [AUC, AP]
    use = tm.few_labels(rows, score="s", threshold=5, use="ranking", **NAMES)
    assert {AUC, AP} < {m.value.metric for m in use.metrics}


# -- what is refused and said --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "named", "sentence"),
    [
        ({}, {"score": ["s", "j2"], "pred": "p"},
         "there are 1 column of predictions and 2 of scores; give one of each for every model, in "
         "the same order"),
        ({}, {"score": "s", "metrics": "kolmogorov_smirnov"},
         "kolmogorov_smirnov varies too irregularly for an interval from few labels; name a metric "
         "that all scores move, such as 'roc_auc', 'average_precision', 'brier' or 'log_loss'"),
        ({}, {"score": "s", "metrics": "p_opt"},
         "p_opt needs more than scores; name a metric of scores alone, such as 'roc_auc'"),
        ({}, {"score": "s", "metrics": "spherical_score"},
         "spherical_score is not estimated from a judge and few labels; name a metric of predicted "
         "classes, such as 'f1'"),
        ({}, {"pred": "p", "threshold": 0.5},
         "threshold is for scores without predictions; leave it out"),
        ({"s": 9}, {"score": "s"},
         "s holds 9, which is no probability; say from which score on a row is predicted positive "
         "with threshold=..., or name the predictions with pred=..."),
        ({"s": 9}, {"score": "s", "threshold": 0.5, "metrics": "brier"},
         "brier needs probabilities, and a score is 9; give numbers from 0 to 1, or use a rank "
         "metric such as 'roc_auc'"),
        ({}, {"score": "s", "classes": [0, 1, 2], "positive": None},
         "score is for two classes, and there are 3; leave it out, or name two classes"),
        ({}, {"score": "s", "inputs": ["j", "j2"]},
         "the judge 'j' is among the inputs of the model, which then repeats its errors; give a "
         "judge whose values the model does not read"),
        ({}, {"score": "s", "inputs": "age"},
         "the table has no column 'age'; there are 'j', 's', 't', 'p', 'j2'"),
    ],
)  # fmt: skip
def test_refusals(changes, named, sentence):
    rows = random_rows(9, labels=60)
    rows |= {"p": (rows["s"] > 0.5).astype(int), "j2": rows["j"] * 0.5}
    for name, value in changes.items():
        rows[name][0] = value
    with pytest.raises(tm.InputError) as refused:
        tm.few_labels(rows, **{**NAMES, **named})
    assert str(refused.value) == sentence


def test_a_judge_that_is_the_model_is_refused():
    rows = random_rows(9, labels=60)
    rows["p"] = rows["j"].copy()
    with pytest.raises(tm.InputError) as refused:
        tm.few_labels(rows, pred="p", **NAMES)
    assert str(refused.value) == (
        "'j' equals the prediction of 'p' in all 400 rows, so it is not a second opinion; give "
        "another judge"
    )
    rows["j"] = (rows["s"] >= 0.35).astype(int)
    with pytest.raises(tm.InputError) as refused:
        tm.few_labels(rows, score="s", **NAMES)
    assert str(refused.value) == (
        "'j' is the score of 's' cut at 0.35 in all 400 rows, so it is not a second opinion; give "
        "another judge"
    )
    few = {k: v[:90] for k, v in rows.items()}
    few["j"] = few["p"].copy()
    notes = {f.rule: f.text for f in tm.few_labels(few, pred="p", **NAMES).notes}
    assert notes["judge-is-prediction"] == (
        "the judge equals the prediction of p in all 90 rows, so it adds nothing. Check that it is "
        "a judge of its own"
    )


def test_one_labelled_row_of_a_class_gives_no_metric_of_scores():
    rows = random_rows(9, labels=60)
    positive = np.flatnonzero(rows["t"] == 1)
    rows["t"][positive[1:]] = 0
    found = tm.few_labels(rows, score="s", **NAMES)
    assert math.isnan(found[AUC].value)
    assert found[AUC].reason == (
        "1 labelled row is of the class 1, and metrics of scores need at least 2 of each class"
    )
    assert found["f1"].value >= 0
    assert "ROC area is undefined: 1 labelled row is of" in " ".join(str(found).split())
    rows["t"][positive[1:4]] = 1
    notes = [f.text for f in tm.few_labels(rows, score="s", **NAMES).notes]
    assert (
        "about 4 labelled rows of the rarer class carry ROC area, so its interval "
        "may be too narrow. Label more rows of that class"
    ) in notes


def test_rows_are_not_chosen_for_metrics_of_scores():
    found = tm.few_labels(random_rows(9, labels=60), score="s", **NAMES)
    with pytest.raises(tm.InputError) as refused:
        found.label_next(5, metric=AUC)
    assert str(refused.value) == (
        "rows to label are chosen for a metric of predicted classes, and roc_auc is one of scores; "
        "name another, such as 'f1'"
    )
    assert len(found.label_next(5, metric="f1")) == 5


def test_metrics_that_are_not_shown_can_be_asked():
    found = tm.few_labels(random_rows(3, labels=150), score="s", **NAMES)
    area, gini = found[AUC], found["gini"]
    assert (gini.value, gini.low) == pytest.approx((2 * area.value - 1, 2 * area.low - 1))
    of = ScoreEstimator(found.tally, 0, (0, 1), 1)
    assert of.value(Statistic.of(get("cllr"), (0, 1), 1)) == found["cllr"]
