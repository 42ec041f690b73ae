"""Warnings begin exactly at the numbers that they name."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.methods import FEW_CARRY


def codes(y, said, **options):
    return {n.rule for n in tm.evaluate(y, said, **options).notes}


@pytest.mark.parametrize(("positives", "warned"), [(51, False), (50, False), (49, True)])
def test_a_class_rarer_than_one_row_in_twenty_is_imbalance(positives, warned):
    y = np.arange(1000) < positives
    said = np.arange(1000) < 100
    assert ("imbalance" in codes(y.astype(int), said.astype(int))) == warned
    assert ("imbalance" in codes(1 - y, 1 - said)) == warned  # whichever class is the rare one


@pytest.mark.parametrize(("positives", "warned"), [(30, False), (29, True)])
def test_fewer_than_thirty_rows_of_a_class_are_few(positives, warned):
    y = np.arange(200) < positives
    said = np.arange(200) % 2 == 0
    assert ("few-rows" in codes(y.astype(int), said.astype(int))) == warned


@pytest.mark.parametrize(("clusters", "warned"), [(20, False), (19, True)])
def test_fewer_than_twenty_clusters_are_few(clusters, warned):
    rng = np.random.default_rng(0)
    y, said = rng.integers(0, 2, (2, 400))
    found = codes(y, said, cluster=np.arange(400) % clusters)
    assert ("few-clusters" in found) == warned


ROWS = np.arange(400)
TRUE = (ROWS < 200).astype(int)
SCORES = np.random.default_rng(0).random(400)


def texts(y_true, y_pred=None, **options):
    return {n.rule: n.text for n in tm.evaluate(y_true, y_pred, **options).notes}


@pytest.mark.parametrize(
    ("given", "code", "text"),
    [
        (
            {"y_true": ["a", "b", "c", "a"] * 20, "y_pred": ["a", "b", "c", "c"] * 20,
             "classes": ["a", "b", "c", "d"]},
            "absent-class", "no row is of d: its rates are undefined",
        ),
        (
            {"y_true": ["a", "b", "c", "a"] * 20, "y_pred": ["a", "b", "c", "c"] * 20,
             "classes": ["a", "b", "c", "d"]},
            "few-rows",
            "20 rows of b, 20 of c: so few that metrics which depend on them have wide intervals and "
            "change with every row",
        ),
        (
            {"y_true": np.zeros(40, int), "y_pred": np.zeros(40, int), "positive": 1},
            "one-class", "0 is the class of all rows: metrics that compare classes are undefined",
        ),
        (
            {"y_true": np.arange(1000) < 51, "y_pred": np.arange(1000) < 100},
            "imbalance", None,
        ),
        (
            {"y_true": np.arange(1000) < 49, "y_pred": np.arange(1000) < 100},
            "imbalance",
            "95.1 % of the rows are False: always predicting it has accuracy 0.951, so use balanced "
            "accuracy, MCC, precision and recall instead of accuracy",
        ),
        (
            {"y_true": TRUE, "y_pred": np.zeros(400, int)},
            "one-decision", "model predicts 0 for every row: try another threshold",
        ),
        (
            {"y_true": TRUE, "y_pred": np.ones(400, int)},
            "one-decision", "model predicts 1 for every row: try another threshold",
        ),
        ({"y_true": [1], "y_pred": [1]}, "one-decision", None),
        (
            {"y_true": TRUE, "y_score": np.where(ROWS % 4 > 1, 0.25, 0.75), "threshold": 60},
            "one-decision",
            "the threshold 60 of model lies above every score (0.25 to 0.75), so every row is "
            "predicted 0; did you mean 0.6?",
        ),
        (
            {"y_true": TRUE, "y_score": np.where(ROWS % 4 > 1, 0.25, 0.75), "threshold": 0.8},
            "one-decision",
            "the threshold 0.8 of model lies above every score (0.25 to 0.75), so every row is "
            "predicted 0; give one among the scores",
        ),
        (
            {"y_true": TRUE, "y_score": np.where(ROWS % 4 > 1, 2.5, 7.5), "threshold": 60},
            "one-decision",
            "the threshold 60 of model lies above every score (2.5 to 7.5), so every row is "
            "predicted 0; give one among the scores",
        ),
        (
            {"y_true": TRUE, "y_score": np.where(ROWS % 4 > 1, 0.25, 0.75), "threshold": 0.1},
            "one-decision", "model predicts 1 for every row: try another threshold",
        ),
        (
            {"y_true": TRUE, "y_pred": np.ones(400, int)},
            "undefined",
            "model: negative_predictive_value, matthews_corrcoef undefined (no row was predicted "
            "negative); they are left out, not 0",
        ),
        (
            {"y_true": TRUE, "y_score": np.where(ROWS == 3, 0, 0.5)},
            "held-impossible",
            "model gave probability 0 to a class that then occurred, so its log loss is infinite. "
            "Clip or calibrate its scores.",
        ),
        (
            {"y_true": TRUE, "y_score": SCORES - TRUE},
            "reversed", "model ranks worse than chance (ROC area 0.000, 0.000 to 0.010): check which class the score is "
            "for",
        ),
        ({"y_true": TRUE, "y_score": SCORES}, "reversed", None),
        (
            {"y_true": [0, 1, 0, 1], "y_pred": [0, 0, 1, 1], "cluster": ["a"] * 4},
            "few-clusters",
            "there is only one cluster, too few to show how clusters vary: no interval can be "
            "computed; use 20 or more",
        ),
        (
            {"y_true": [0, 1, 0, 1], "y_pred": [0, 0, 1, 1], "cluster": ["a", "a", "b", "b"]},
            "few-clusters",
            "there are only 2 clusters, too few to show how clusters vary: intervals are less "
            "reliable; use 20 or more",
        ),
        (
            {"y_true": TRUE, "y_pred": TRUE, "weight": 1 + ROWS},
            "weighted",
            "rows have weights: intervals treat rows as drawn independently, and are less reliable "
            "where few rows carry most weight",
        ),
    ],
)  # fmt: skip
def test_a_warning_says_what_where_and_how_much(given, code, text):
    assert texts(**given).get(code) == text


@pytest.mark.parametrize(
    ("prevalence", "few"),
    [(0.002, "1 of the 200 rows of 0 weighs"), (0.006, "2 of the 200 rows of 0 weigh "),
     (0.13, "30 of the 200 rows of 0 weigh "), (0.131, None)],
)  # fmt: skip
def test_few_negatives_may_outweigh_all_positives_in_the_field(prevalence, few):
    ev = tm.evaluate(TRUE, y_score=SCORES)
    notes = {n.rule: n.text for n in ev.at(prevalence=prevalence).notes}
    if few is None:
        assert "few-decide" not in notes
    else:
        assert notes["few-decide"].startswith(few)
    assert "few-rows" not in notes  # of which there are 200 each, whatever they count for


def test_weights_at_another_balance_are_told_as_the_rows_they_are_worth():
    weighted = tm.evaluate(TRUE, y_score=SCORES, weight=np.where(ROWS < 30, 3, 1))
    notes = {n.rule: n.text for n in weighted.at(prevalence=0.3).notes}
    assert "effective sample size 200 of 0, 154 of 1: intervals" in notes["weighted"]
    assert round((30 * 3 + 170) ** 2 / (30 * 9 + 170)) == 154


def test_five_classes_without_a_row_are_named():
    y = ["a", "b"] * 40
    for k in (1, 5, 7):
        absent = [f"c{i}" for i in range(k)]
        notes = {n.rule: n.text for n in tm.evaluate(y, y, classes=["a", "b", *absent]).notes}
        named = ", ".join(absent[:5]) + (" and 2 more" if k == 7 else "")
        told = f"{'its' if k == 1 else 'their'} rates are undefined"
        assert f"no row is of {named}: {told}" in notes.values()


def test_more_than_five_few_classes_are_told_by_the_fewest():
    y = np.repeat(np.arange(8), np.arange(20, 12, -1))
    found = texts(y, y)["few-rows"]
    listed = "13 rows of 7, 14 of 6, 15 of 5, 16 of 4, 17 of 3 and 3 further classes: "
    assert found.startswith(listed)


def test_the_most_frequent_class_and_the_chance_of_doing_as_well_by_naming_it():
    """By the binomial distribution, added up here from its definition."""
    y = np.repeat([0, 1, 2], [3, 5, 2])
    said = np.where(np.arange(10) < 8, y, 0)
    found = tm.evaluate(y, {"most": said, "none": (y + 1) % 3}).no_information()
    assert (found.label, found.rate) == (1, 0.5)
    # Three rows of other classes are right, none of the most frequent one is wrong; and the reverse.
    assert found.p_values["most"] == pytest.approx(1 / 2**3 / 2, rel=1e-12)
    assert found.p_values["none"] == pytest.approx(1 - 1 / 2**5 / 2, rel=1e-12)
    assert tm.evaluate([1, 1], [1, 0]).no_information().p_values == {"model": None}
    weighted = tm.evaluate(y, said, weight=np.ones(10) * 2).no_information()
    assert weighted.p_values == {"model": None}


# -- warnings of a value -----------------------------------------------------------------------

SKEWED = (0.4, 0.3, 0.15, 0.1, 0.05)


def five_classes(n, seed, shares=SKEWED):
    rng = np.random.default_rng(seed)
    y = rng.choice(5, n, p=shares)
    p = np.exp(2 * (y[:, None] == np.arange(5)) + 1.5 * rng.normal(size=(n, 5)))
    return tm.evaluate(y, y_score=p / p.sum(1, keepdims=True), classes=range(5))


@pytest.mark.parametrize(("n", "shares", "warned"), [(100, SKEWED, True), (100, (0.2,) * 5, False)])
def test_averages_over_classes_warn_of_a_rare_one(n, shares, warned):
    # Macro F1 covers 88-91 % with five rows of a class, 94-96 % with ten and more.
    told = [five_classes(n, seed, shares)["f1"].warning for seed in range(40)]
    share = np.mean([w is not None for w in told])
    assert share >= 0.9 if warned else share <= 0.1
    assert not warned or told[0].endswith("of the rarest class")


@pytest.mark.slow
def test_what_does_not_rest_on_the_classes_does_not_warn_of_them():
    ev = five_classes(100, 0)
    assert ev["accuracy"].warning is None
    assert ev["log_loss"].warning is None
    assert ev["balanced_accuracy"].warning is not None
    assert ev["expected_calibration_error"].warning is not None
    (note,) = (n.text for n in ev.notes if n.rule == "few-carry")
    assert "rows are of the rarest class (" in note


def test_what_few_rows_carry_is_named():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 30])
    p = np.clip(0.12 + 0.05 * rng.normal(size=330) + 0.02 * y, 0.02, 0.4)
    p[[310, 320]] = 1e-300
    ev = tm.evaluate(y, y_score={"p": p})
    few = [v.metric for v in ev.values()["p"].values() if v.warning == FEW_CARRY]
    assert "log_loss" in few
    (note,) = (n.text for n in ev.notes if n.rule == "few-carry")
    assert note == "log loss of p depends mostly on few rows, so the interval may be too narrow"


def test_one_row_of_a_class_is_said_in_the_singular():
    ev = tm.evaluate([0] * 20 + [1] * 20 + [2], [0] * 18 + [1] * 22 + [2])
    assert ev["f1"].warning == "only 1 row is of the rarest class"


@pytest.mark.parametrize(("positives", "warned"), [(10, True), (40, False)])
def test_fits_to_few_rows_warn(positives, warned):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], (positives, 200))
    ev = tm.evaluate(y, y_score=rng.normal(y * 1.5), threshold=0.5)
    found = {ev[n].warning for n in ("roc_hull_auc", "min_cllr", "kolmogorov_smirnov")}
    assert (None not in found) is warned
    assert ev["roc_auc"].warning is None
    told = "it is fitted to these rows, only 10 of them of the smaller class"
    assert (told in found) is warned


@pytest.mark.parametrize(("positives", "warned"), [(29, True), (30, False)])
def test_scores_that_one_row_can_ruin_warn_of_few_rows(positives, warned):
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], (positives, 300))
    ev = tm.evaluate(y, y_score=1 / (1 + np.exp(1.5 - rng.normal(y * 2.0))), threshold=0.5)
    few = "single rows can weigh heavily, only 29 of them of the smaller class"
    for name in ("cllr", "brier_skill_score", "pr_gain_auc"):
        assert ev[name].warning == (few if warned else None), name
    assert ev["brier"].warning is None


def test_separable_scores_hold_the_true_value_of_rare_positives():
    # Of normal scores 4 apart, about one of 40 positives lies among the negatives, or none.
    truth, held = 2 * NormalDist().cdf(2) - 1, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 0], (40, 960))
        v = tm.evaluate(y, y_score=rng.normal(y * 4.0))["kolmogorov_smirnov"]
        assert "and Dirichlet posterior" in v.method
        held += v.low <= truth <= v.high
    assert held >= 36
    y = np.repeat([1, 0], (100, 900))
    v = tm.evaluate(y, y_score=np.random.default_rng(0).normal(y * 1.5))["kolmogorov_smirnov"]
    assert v.method == "jackknife, Student's t, widened for bias"


def test_entropies_of_few_positives_warn():
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], (19, 480))
    ev = tm.evaluate(y, rng.normal(y * 0.5) > 1)
    few = "only 19 rows are of the rarest class"
    assert ev["modified_confusion_entropy"].warning == few
    assert ev["f1"].warning is None


def test_averages_of_unbounded_ratios_warn_of_fewer_than_fifty_rows_of_a_class():
    ev = five_classes(100, 1)
    for name in ("positive_likelihood_ratio", "diagnostic_odds_ratio"):
        assert ev[name].warning.startswith("only "), name
    large = five_classes(1000, 1)
    assert large["diagnostic_odds_ratio"].warning is None


def test_a_warning_is_the_same_by_name_and_in_subgroups():
    ev = five_classes(100, 1)
    told = ev["f1"].warning
    assert told is not None
    assert ev.value("f1", method="percentile").warning == told
    y = np.repeat([1, 0], (10, 30))
    rows = {"y_score": np.random.default_rng(2).random(40)}
    alone = tm.evaluate(y, **rows, threshold=0.5)
    part = tm.evaluate(y, **rows, threshold=0.5, subgroup={"all": ["x"] * 40}).by("all")
    assert part.values(["kolmogorov_smirnov"])["x"]["kolmogorov_smirnov"].warning == (
        alone["kolmogorov_smirnov"].warning
    )


def test_bins_of_few_rows_make_calibration_errors():
    rng = np.random.default_rng(3)
    for n, warned in ((30, True), (100, False)):
        p = rng.random(n)
        ev = tm.evaluate((rng.random(n) < p) * 1, y_score=p, threshold=0.5)
        told = ev["expected_calibration_error"].warning
        assert (told == f"it varies much by chance with only {n} rows") is warned


def test_numbers_at_thresholds_that_few_rows_in_clusters_pass_are_warned_of():
    # One of 250 negatives decides the misses at a false match rate of 0.5 %.
    rng = np.random.default_rng(0)
    who, y = np.repeat(np.arange(100), 5), np.arange(500) % 2
    ev = tm.evaluate(y, y_score=rng.normal(y * 1.5), cluster=who)
    few = "rows of fewer than 3 clusters lie beyond the threshold it is read at"
    assert ev.value("false_negative_rate_at_fpr", fpr=0.005).warning == few
    assert ev["equal_error_rate"].warning is None
    alone = tm.evaluate(y, y_score=rng.normal(y * 1.5))
    assert alone.value("false_negative_rate_at_fpr", fpr=0.005).warning is None


@pytest.mark.parametrize(
    ("name", "params", "fewest", "of_class", "rate"),
    [
        ("false_negative_rate_at_fpr", {"fpr": 0.02}, 50, "negatives", "false positive rate of 0.02"),
        ("sensitivity_at_fpr", {"fpr": 0.04}, 25, "negatives", "false positive rate of 0.04"),
        ("specificity_at_sensitivity", {"sensitivity": 0.9}, 10, "positives",
         "false negative rate of 0.1"),
        ("precision_at_recall", {"recall": 0.75}, 4, "positives", "false negative rate of 0.25"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_targets_that_the_rows_cannot_show_have_no_interval(
    name, params, fewest, of_class, rate, level
):
    rng = np.random.default_rng(4)

    def judged(n):
        positive = np.arange(70 + n) < (n if of_class == "positives" else 70)
        ev = tm.evaluate(positive, y_score=rng.normal(1.2 * positive), level=level)
        return ev.value(name, **params)

    enough, few = judged(fewest), judged(fewest - 1)
    assert enough.low < enough.high
    # Without an error in n rows a rate p is believable as long as (1 - p)^n >= 1 - level.
    bound = 1 - (1 - level) ** (1 / (fewest - 1))
    assert np.isnan((few.low, few.high)).all()
    assert few.method == (
        f"no interval: {fewest - 1} {of_class} are too few for a {rate}; no error among them shows "
        f"one below {bound:.3f}, with {100 * level:.0f} % confidence"
    )


def test_a_target_is_shown_by_the_effective_number_of_weighted_rows():
    rng = np.random.default_rng(4)
    positive, weight = np.arange(150) < 40, np.where(np.arange(150) < 96, 3.0, 1.0)
    of_negatives = weight[~positive]
    n = of_negatives.sum() ** 2 / (of_negatives**2).sum()
    assert n < 100 < len(of_negatives)
    ev = tm.evaluate(positive, y_score=rng.normal(positive), weight=weight)
    assert ev.value("fmr100").method.startswith(f"no interval: {n:.1f} negatives are too few")
    assert ev.value("false_negative_rate_at_fpr", fpr=1 / n).low >= 0


def test_methods_that_are_asked_for_do_not_serve_such_targets():
    ev = tm.evaluate(np.arange(90) % 2, y_score=np.random.default_rng(4).normal(size=90))
    with pytest.raises(
        tm.InputError, match="percentile is not available for fmr1000: 45 negatives"
    ):
        ev.value("fmr1000", method="percentile")


def test_rows_of_one_weight_are_as_few_as_rows_without_weights():
    y = ["a"] * 60 + ["b"] * 36 + ["c"] * 4
    said = np.roll(y, 2)
    for weight in (None, np.full(100, 3.0)):
        ev = tm.evaluate(y, said, weight=weight)
        assert ev["f1"].warning == "only 4 rows are of the rarest class"


def test_clusters_few_of_which_hold_the_rarest_class_are_warned_of():
    # Ten positives in few of 100 clusters: balanced accuracy is held in 83 % of such samples.
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(100), 5)

    def judged(clusters_with_positives):
        y = ((who < clusters_with_positives) & (np.arange(500) % 5 < 2)).astype(int)
        return tm.evaluate(y, y_score=rng.random(500), cluster=who)

    ev, few = judged(9), "only 9 of 100 clusters hold rows of the rarest class"
    assert {ev[name].warning for name in ("youden_j", "geometric_mean", "brier")} == {few}
    assert judged(10)["geometric_mean"].warning is None
    eight = np.arange(40) // 5  # of eight clusters, four are enough
    for some, warning in ((3, "only 3 of 8 clusters hold rows of the rarest class"), (4, None)):
        y = ((eight < some) & (np.arange(40) % 5 == 0)).astype(int)
        assert tm.evaluate(y, y_score=rng.random(40), cluster=eight)["accuracy"].warning == warning
    half = tm.evaluate(np.arange(30) % 2, np.arange(30) % 3 % 2, cluster=np.arange(30) // 5)
    assert half["accuracy"].warning is None
