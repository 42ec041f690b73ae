"""Where another system is wrong: its value, ours, and a count by other means that shows whose is right.

Their wrong values are asserted too, so that it is noticed when they are mended.
"""

from __future__ import annotations

import math
import subprocess
import warnings
from itertools import pairwise, product

import imblearn.metrics as im
import numpy as np
import pycm
import pytest
import scipy.stats
import sklearn.metrics as sk
import torch
import torchmetrics.functional.classification as tc
import torchmetrics.functional.retrieval as tr
from sklearn.isotonic import IsotonicRegression

import tallymark as tm
from peers.r_table import need_r
from tallymark.infer.two_shares import score
from tallymark.metric.proportion import wilson

m = tm.metrics
t = torch.tensor

Y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
S = np.array([0.9, 0.6, 0.2, 0.8, 0.5, 0.3, 0.2, 0.1])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def won(y, s):
    """Count pairs: a positive above a negative is 1, a tie 1/2."""
    pairs = list(product(s[y == 1], s[y == 0]))
    return sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)


def mixed(y, s, steps=20_000):
    """Integrate precision over recall numerically, mixing neighbouring thresholds by lot."""
    points = [(0.0, 0.0)]
    points += [((y[s >= x] == 1).sum(), (y[s >= x] == 0).sum()) for x in np.unique(s)[::-1]]
    area = 0.0
    for (tp0, fp0), (tp1, fp1) in pairwise(points):
        u = (np.arange(steps) + 0.5) / steps
        tp, fp = tp0 + u * (tp1 - tp0), fp0 + u * (fp1 - fp0)
        area += (tp / (tp + fp)).mean() * (tp1 - tp0)
    return area / y.sum()


# -- PyCM --------------------------------------------------------------------------------------


def test_pycm_pr_area_has_no_start():
    """Its curve begins at the first threshold's recall: what lies to the left is left out."""
    curve = pycm.PRCurve(actual_vector=Y, probs=np.column_stack([1 - S, S]), classes=[0, 1])
    assert curve.area()[1] == pytest.approx(0.3325396825)
    precisions = [1 / 1, 2 / 3, 3 / 7]  # at the three positives, .2 being tied with a negative
    assert m.average_precision(Y, S) == pytest.approx(sum(precisions) / 3)
    assert m.pr_auc_davis_goadrich(Y, S) == pytest.approx(mixed(Y, S), abs=1e-6)


def test_pycm_pr_area_of_one_score_is_zero():
    """A constant score, whose area is the prevalence, has none."""
    s = np.full(8, 0.4)
    curve = pycm.PRCurve(actual_vector=Y, probs=np.column_stack([1 - s, s]), classes=[0, 1])
    assert curve.area()[1] == 0
    assert m.average_precision(Y, s) == 3 / 8
    assert m.pr_auc_davis_goadrich(Y, s) == pytest.approx(3 / 8)


def test_pycm_auc_is_balanced_accuracy():
    """What it calls AUC is (TPR + TNR) / 2 of one threshold: no area, and no ranking in it."""
    called = (S >= 0.5).astype(int)
    theirs = pycm.ConfusionMatrix(Y.tolist(), called.tolist()).AUC[1]
    assert theirs == pytest.approx((2 / 3 + 3 / 5) / 2)
    assert m.balanced_accuracy(Y, called) == pytest.approx(theirs)
    assert m.roc_auc(Y, S) == won(Y, S) == 0.7


def test_pycm_intervals_leave_the_unit():
    """Wald's interval knows no bounds; Wilson's stays in 0..1."""
    cm = pycm.ConfusionMatrix(matrix=[[97, 1], [1, 1]])
    assert cm.overall_stat["95% CI"] == pytest.approx((0.95256, 1.00744))
    assert cm.CI("TPR")[1][1] == pytest.approx((-0.1929646, 1.1929646))
    for successes, n in ((98, 100), (1, 2)):
        low, high = wilson(successes, n, 1.959964)
        assert 0 <= low < successes / n < high <= 1
        # both bounds lie where the score test just rejects
        for bound in (low, high):
            z = (successes / n - bound) / math.sqrt(bound * (1 - bound) / n)
            assert abs(z) == pytest.approx(1.959964, rel=1e-6)


def test_pycm_discriminant_power_is_decimal():
    """√3/π scales a logistic variable to unit spread if the logarithm is natural; theirs is not."""
    y = [1] * 10 + [0] * 20
    p = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 18
    theirs = pycm.ConfusionMatrix(y, p).DP[1]
    standard = scipy.stats.logistic
    right = (standard.ppf(8 / 10) + standard.ppf(18 / 20)) / standard.std()
    assert m.discriminant_power(y, p) == pytest.approx(right)
    assert theirs == pytest.approx(right / math.log(10))
    assert m.discriminant_power(y, p, base=10) == pytest.approx(theirs)


def test_pycm_infinite_odds_are_none():
    """No false alarm: the ratio is infinite and Yule's Q is 1, not unknown."""
    y, p = [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]
    cm = pycm.ConfusionMatrix(y, p)
    assert cm.DOR[1] == cm.PLR[1] == cm.Q[1] == "None"
    assert m.diagnostic_odds_ratio(y, p) == m.positive_likelihood_ratio(y, p) == math.inf
    assert m.yule_q(y, p) == (2 * 2 - 0 * 1) / (2 * 2 + 0 * 1)


# -- imbalanced-learn --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "theirs", "right"),
    [([5, 1, 5, 5, 5], 1.2, 10 / 11), ([3] * 5, 4.0, 2 / 3), ([0.5, 2, 0.25, 3, 1], -1.0, 3 / 11)],
)
def test_imblearn_weighted_specificity_is_no_share(weights, theirs, right):
    """True negatives are the number of rows less weights: above 1, or below 0."""
    y, p = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 0, 1, 0])
    assert im.specificity_score(y, p, sample_weight=weights) == pytest.approx(theirs)
    w = np.array(weights, float)
    assert w[(y == 0) & (p == 0)].sum() / w[y == 0].sum() == pytest.approx(right)
    assert m.specificity(y, p, sample_weight=weights) == pytest.approx(right)


def test_imblearn_specificity_without_positives_is_zero():
    """Every negative was left alone."""
    assert im.specificity_score([0, 0], [0, 0]) == 0
    assert m.specificity([0, 0], [0, 0], labels=[0, 1]) == 1


def test_imblearn_index_of_balanced_accuracy_forgets_the_dominance():
    """By default it takes the macro means, whose difference is 0 for two classes: alpha is idle."""
    y, p = [1] * 10 + [0] * 10, [1] * 9 + [0] + [1] * 5 + [0] * 5
    for alpha in (0.1, 0.5):
        index = im.make_index_balanced_accuracy(alpha=alpha, squared=True)
        theirs = index(im.geometric_mean_score)(y, p)
        assert theirs == pytest.approx(0.9 * 0.5)
        right = (1 + alpha * (0.9 - 0.5)) * 0.9 * 0.5
        assert m.iba(y, p, alpha=alpha) == pytest.approx(right)


# -- torchmetrics ------------------------------------------------------------------------------


@pytest.mark.parametrize("one", [0, 1])
def test_torchmetrics_area_of_one_class_is_zero(one):
    """There is no pair to put in order: the worst possible value says there was."""
    assert tc.binary_auroc(t([0.2, 0.8, 0.5]), t([one] * 3)) == 0
    assert math.isnan(m.roc_auc([one] * 3, [0.2, 0.8, 0.5], labels=[0, 1], positive=1))


def test_torchmetrics_thresholds_miss_small_probabilities():
    """Thresholds at even steps see no difference between probabilities below the first."""
    p, y = [1e-5, 3e-5, 2e-4, 1e-4], [0, 0, 1, 1]
    assert tc.binary_auroc(t(p), t(y), thresholds=100) == 0.5
    assert m.roc_auc(y, p) == won(np.array(y), np.array(p)) == 1


def test_torchmetrics_squashes_scores_that_are_no_probabilities():
    """Scores outside 0..1 go through a sigmoid, which is 1 for all above 17 in float32."""
    s, y = [100.0, 101.0, 102.0, 103.0], [0, 1, 0, 1]
    assert tc.binary_auroc(t(s), t(y)) == 0.5
    assert m.roc_auc(y, s) == won(np.array(y), np.array(s)) == 0.75


@pytest.mark.parametrize(
    ("y", "p", "theirs"),
    [([1, 1, 1], [1, 1, 1], 1), ([1, 1, 1], [0, 0, 0], -1), ([1, 1, 1, 0], [1] * 4, 0.57735)],
)
def test_torchmetrics_invents_a_correlation(y, p, theirs):
    """With a constant there is no correlation; theirs adds a hair to the margins and finds one."""
    assert float(tc.binary_matthews_corrcoef(t(p), t(y))) == pytest.approx(theirs, abs=1e-4)
    assert math.isnan(m.mcc(y, p, labels=[0, 1]))
    assert math.isnan(scipy.stats.pearsonr(y, p).statistic)


@pytest.mark.slow
def test_torchmetrics_loses_digits_in_float32():
    """Ten million rows are more than float32 can count: the third digit of its MCC is wrong."""
    y, p = np.zeros((2, 10_000_000), int)
    y[:200] = 1
    p[100:2100] = 1
    theirs = float(tc.binary_matthews_corrcoef(torch.as_tensor(p), torch.as_tensor(y)))
    right = np.corrcoef(y, p)[0, 1]
    assert abs(theirs / right - 1) > 2e-3
    assert m.mcc(y, p) == pytest.approx(right, rel=1e-9)


def test_torchmetrics_equal_error_rate_is_the_nearest_threshold():
    """The mean of two unequal errors; on the line between the thresholds they are equal."""
    y, s = np.array([1, 0, 1, 1, 0]), np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    assert float(tc.binary_eer(t(s), t(y))) == pytest.approx((1 / 2 + 2 / 3) / 2)
    # from (FPR, FNR) = (1/2, 2/3) the next threshold leads straight down to (1/2, 1/3)
    assert m.equal_error_rate(y, s) == pytest.approx(1 / 2)


def test_torchmetrics_gives_probability_one_a_bin_of_its_own():
    """Ten bins are eleven: 0.95 and 1 are judged apart, though both lie in the last tenth."""
    y, p = [1, 0, 1, 1], [1.0, 1.0, 0.95, 0.95]
    theirs = float(tc.binary_calibration_error(t(p), t(y), n_bins=10))
    assert theirs == pytest.approx(0.5 * abs(1 - 0.5) + 0.5 * abs(0.95 - 1))
    assert m.expected_calibration_error(y, p, bins=10) == pytest.approx(abs(0.975 - 0.75))


def test_torchmetrics_precision_at_k_depends_on_the_order_of_the_rows():
    """All scores equal: two of four rows hold one of two positives, whichever came first."""
    s = t([0.5] * 4)
    assert tr.retrieval_precision(s, t([1, 1, 0, 0]), top_k=2) == 0
    assert tr.retrieval_precision(s, t([0, 0, 1, 1]), top_k=2) == 1
    assert m.precision_at_k([1, 1, 0, 0], [0.5] * 4, k=2) == 0.5
    assert m.precision_at_k([0, 0, 1, 1], [0.5] * 4, k=2) == 0.5


def test_torchmetrics_precision_at_more_than_there_is():
    """Two rows have no five best: theirs calls three absent rows wrong."""
    assert tr.retrieval_precision(t([0.5, 0.6]), t([1, 1]), top_k=5) == pytest.approx(2 / 5)
    assert math.isnan(m.precision_at_k([1, 1], [0.5, 0.6], k=5, labels=[0, 1], positive=1))


# -- scikit-learn ------------------------------------------------------------------------------


def test_sklearn_trapezoids_reward_a_constant():
    """auc(recall, precision) starts at precision 1, so that telling nothing is worth 0.55."""
    y, s = np.r_[np.ones(10, int), np.zeros(90, int)], np.full(100, 0.3)
    precision, recall, _ = sk.precision_recall_curve(y, s)
    assert sk.auc(recall, precision) == pytest.approx((1 + 0.1) / 2)
    assert mixed(y, s) == pytest.approx(0.1)
    for ours in (m.average_precision, m.pr_auc_davis_goadrich, m.pr_auc_trapezoid):
        assert ours(y, s) == pytest.approx(0.1)


def test_sklearn_log_loss_depends_on_the_number_of_bits():
    """What was held impossible happened: the surprise is infinite, not what the type can clip."""
    certain = np.array([1.0, 1.0])
    assert sk.log_loss([0, 1], certain) == pytest.approx(-math.log(2**-52) / 2)
    assert sk.log_loss([0, 1], certain.astype(np.float32)) == pytest.approx(-math.log(2**-23) / 2)
    assert m.log_loss([0, 1], certain) == math.inf
    assert m.log_loss([0, 1], certain.astype(np.float32)) == math.inf
    assert m.log_loss([0, 1], certain, clip=2**-52) == pytest.approx(sk.log_loss([0, 1], certain))


def test_sklearn_isotonic_regression_merges_small_scores():
    """Scores within 2e-16 of each other are one to it, however far apart in proportion."""
    s, y = np.array([1e-20, 1e-19, 1e-18, 1e-17]), np.array([0, 0, 1, 1])
    assert IsotonicRegression().fit(s, y).predict(s).tolist() == [0.5] * 4
    assert m.roc_hull_auc(y, s) == won(y, s) == 1
    assert m.min_cllr(y, s) == 0


def test_sklearn_top_k_breaks_ties_by_the_order_of_columns():
    """Of two classes tied for the first place theirs takes the later column."""
    rows = [[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [0.2, 0.4, 0.4]]
    assert sk.top_k_accuracy_score([0, 1, 2], rows, k=1) == pytest.approx(2 / 3)
    assert sk.top_k_accuracy_score([0, 0, 1], rows, k=1, labels=[0, 1, 2]) == 0
    assert m.top_k_accuracy([0, 1, 2], rows, k=1) == pytest.approx((1 / 2 + 1 / 2 + 1 / 2) / 3)
    assert m.top_k_accuracy([0, 0, 1], rows, k=1, labels=[0, 1, 2]) == pytest.approx(1 / 2)


def test_sklearn_likelihood_ratio_without_false_alarm_is_not_a_number():
    """TPR / 0 is infinite: no alarm was false."""
    y, p = [0, 0, 1, 1], [0, 0, 1, 0]
    assert math.isnan(sk.class_likelihood_ratios(y, p)[0])
    assert m.positive_likelihood_ratio(y, p) == math.inf


# -- intervals ---------------------------------------------------------------------------------


def test_confidenceinterval_averages_over_all_rows_by_default():
    """Precision, recall and F1 are then the accuracy, all three with one interval."""
    theirs = pytest.importorskip(
        "confidenceinterval",
        reason="it asks for one old version of setuptools, beside which torch fails",
    )
    y, p = np.repeat([1, 1, 0, 0], [70, 30, 20, 80]), np.repeat([1, 0, 1, 0], [70, 30, 20, 80])
    for name in ("precision", "recall", "f1"):
        value, (low, high) = getattr(theirs, f"{name}_score")(y, p)
        assert value == m.accuracy(y, p) == 0.75
        assert (low, high) == pytest.approx((0.690, 0.810), abs=5e-4)
        assert getattr(m, name)(y, p) != 0.75


@pytest.mark.slow
def test_mlstatkit_permutes_raw_scores():
    """An increasing map of one model's scores, which leaves their order, changes its p-value."""
    import MLstatkit

    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    a = rng.normal(y, 1)
    a, b = 1 / (1 + np.exp(-a)), 1 / (1 + np.exp(-(0.6 * a + rng.normal(0, 0.5, 60))))
    asked = {"metric_str": "roc_auc", "n_bootstraps": 40}
    plain, mapped = (MLstatkit.Permutation_test(y, x, b, **asked) for x in (a, np.exp(8 * a)))
    assert plain[0] == mapped[0] == pytest.approx(m.roc_auc(y, a))
    assert abs(plain[2] - mapped[2]) > 0.3
    found = []
    for x in (a, np.exp(8 * a)):
        (pair,) = tm.evaluate(y, y_score={"a": x, "b": b}).compare("b", metric="roc_auc").pairs
        (ranks,) = (t.p_value for t in pair.tests if t.name.startswith("permutation"))
        found.append((pair.differences["roc_auc"].p_value, ranks))
    assert found[0] == pytest.approx(found[1])


# -- statsmodels -------------------------------------------------------------------------------


def test_statsmodels_takes_hits_for_rows_in_the_score_of_a_difference():
    """Its proportions under a difference of 0.3382 are not the likeliest, and its bounds are off.

    Of 56/70 and 48/80, Newcombe (1998, method 6) has 0.0528 to 0.3382 by Miettinen and Nurminen.
    """
    from statsmodels.stats.proportion import confint_proportions_2indep as bounds_of
    from statsmodels.stats.proportion import score_test_proportions_2indep as tested

    shares, z = ((56, 48), (70, 80)), 1.959964
    theirs = bounds_of(56, 70, 48, 80, method="score", correction=True)
    assert theirs == pytest.approx((0.0526, 0.3440), abs=5e-5)
    ours = [score("difference", *shares, bound, skew=False) for bound in (0.0528, 0.3382)]
    assert ours == pytest.approx([z, -z], abs=2e-3)

    p2 = np.linspace(0.3, 0.6618, 100_001)[1:-1]
    p1 = p2 + 0.3382
    likelihood = 56 * np.log(p1) + 14 * np.log(1 - p1) + 48 * np.log(p2) + 32 * np.log(1 - p2)
    best = p2[likelihood.argmax()]
    found = tested(56, 70, 48, 80, value=0.3382, compare="diff", correction=True)
    assert abs(found.prop2_null - best) > 0.01
    variance = (best + 0.3382) * (0.6618 - best) / 70 + best * (1 - best) / 80
    slow = (56 / 70 - 48 / 80 - 0.3382) / math.sqrt(variance * 150 / 149)
    assert ours[1] == pytest.approx(slow, abs=1e-4)
    assert found.statistic == pytest.approx(-1.8783, abs=1e-4)


# -- R -----------------------------------------------------------------------------------------


@pytest.mark.r
def test_rocr_area_of_precision_and_recall_rewards_a_constant():
    """ROCR's curve starts at precision 1 and is sampled: 0.145 where the prevalence is 0.1."""
    need_r()
    script = (
        "suppressMessages(library(ROCR)); p <- prediction(rep(0.3, 100), rep(1:0, c(10, 90)));"
        'cat(performance(p, "aucpr")@y.values[[1]])'
    )
    done = subprocess.run(
        ["Rscript", "-e", script], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert float(done.stdout) == pytest.approx(0.145)
    y, s = np.r_[np.ones(10, int), np.zeros(90, int)], np.full(100, 0.3)
    assert m.pr_auc_davis_goadrich(y, s) == pytest.approx(mixed(y, s)) == pytest.approx(0.1)
