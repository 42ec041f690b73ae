"""Differences of models on the same rows: exact values, resampled rows, and what cannot be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import tallymark as tm
from asymmetric import skewed_t, tango
from judged import counted_of, difference_of
from tallymark.infer.contrasts import square_and_add
from tallymark.infer.difference import difference
from tallymark.infer.paired import Paired
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Value


def two(n=400, seed=0, lift=0.0, classes=2, **options):
    """Make two models whose scores share half of their noise."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    shared = rng.normal(size=n)
    p = {
        name: 1 / (1 + np.exp(-(shared + rng.normal(size=n) + (1.5 + more) * (2 * y - 1))))
        for name, more in (("a", lift), ("b", 0.0))
    }
    return y, p, tm.evaluate(y, y_score=p, **options)


FEW = [get(m) for m in (
    "roc_auc", "gini_coefficient", "accuracy", "error_rate", "sensitivity", "specificity",
    "precision", "f1", "matthews_corrcoef", "average_precision", "brier", "log_loss",
    "cohen_kappa", "spherical_score",
)]  # fmt: skip


def paired(ev, metrics=FEW, **options):
    values = {
        m.name: {x.name: ev.model(m.name).value(x) for x in metrics if m._holds(x)}
        for m in ev.models
    }
    return Paired(counted_of(ev), values, stratified=ev.stratified, **options)


# -- the ROC area ------------------------------------------------------------------------------


def wins(y, s):
    """Return the placement of every positive and every negative."""
    pos, neg = s[y == 1], s[y == 0]
    won = (pos[:, None] > neg) + (pos[:, None] == neg) / 2
    return won.mean(1), won.mean(0)


def slow_delong(y, a, b):
    """Return the variance of the difference of two AUCs from the placement of every row."""
    (pa, na), (pb, nb) = wins(y, a), wins(y, b)
    return (pa - pb).var(ddof=1) / len(pa) + (na - nb).var(ddof=1) / len(na)


def centred(gaps):
    """Return the influences of rows on the mean of their differences."""
    return (gaps - gaps.mean()) / len(gaps)


def test_the_difference_of_two_areas_has_delongs_error_and_a_correction_for_skewness():
    y, p, ev = two(lift=0.3)
    a, b = (np.round(p[m], 2) for m in "ab")  # with ties
    ev = tm.evaluate(y, y_score={"a": a, "b": b}, level=0.8)
    d = difference_of(paired(ev, level=0.8), "roc_auc")
    assert d.method == d.test == "DeLong, paired, Student's t with skewness"
    placed = zip(wins(y, a), wins(y, b), strict=True)
    parts = [centred(x - z) for x, z in placed]
    gap = wins(y, a)[0].mean() - wins(y, b)[0].mean()
    assert sum((e**2).sum() * len(e) / (len(e) - 1) for e in parts) == pytest.approx(
        slow_delong(y, a, b)
    )
    low, high, p_value = skewed_t(gap, parts, 0.8)
    assert (d.value, d.low, d.high, d.p_value) == pytest.approx((gap, low, high, p_value))
    gini = difference_of(paired(ev, level=0.8), "gini_coefficient")
    assert (gini.low, gini.high) == pytest.approx((2 * d.low, 2 * d.high))
    assert gini.p_value == pytest.approx(d.p_value)


def test_rows_of_weight_two_are_not_two_rows_but_weigh_the_same():
    y, p, ev = two(lift=0.3)
    even = tm.evaluate(y, y_score=p, weight=np.full(len(y), 2.0))
    plain, weighted = (difference_of(paired(e), "roc_auc") for e in (ev, even))
    assert weighted.error == pytest.approx(plain.error)


def test_all_areas_at_once_of_two_models_are_the_test_of_their_difference():
    y, p, _ = two(lift=0.3)
    ev = tm.evaluate(y, y_score=p)
    d = difference_of(paired(ev), "roc_auc")
    test = paired(ev).auc_test()
    assert test.degrees == 1
    error = math.sqrt(slow_delong(y, p["a"], p["b"]))
    assert math.sqrt(test.statistic) == pytest.approx(abs(d.value) / error)
    assert test.p_value == pytest.approx(d.p_value, rel=0.1)  # which is corrected for skewness


def of_three(y, scores):
    """Return T² and both degrees of freedom of three AUCs from the placement of every row."""
    contrast = np.array([[-1, 1, 0], [0, -1, 1]])
    pos, neg = (np.array([s[y == k] for s in scores]) for k in (1, 0))
    wins = (pos[:, :, None] > neg[:, None]) + (pos[:, :, None] == neg[:, None]) / 2
    placed = contrast @ wins.mean(2), contrast @ wins.mean(1)
    parts = [np.cov(v) / v.shape[1] for v in placed]
    inverse = np.linalg.inv(sum(parts))
    gap = placed[0].mean(1)
    below = 0.0
    for part, v in zip(parts, placed, strict=True):
        share = part @ inverse
        below += (np.trace(share @ share) + np.trace(share) ** 2) / (v.shape[1] - 1)
    return gap @ inverse @ gap, 2, 6 / below - 1


@pytest.mark.parametrize(("n", "positives"), [(200, 20), (60, 30), (40, 5)])
def test_all_areas_of_three_models_are_hotellings(n, positives):
    rng = np.random.default_rng(n)
    y = (np.arange(n) < positives).astype(int)
    scores = np.round(rng.normal(size=n) + rng.normal(size=(3, n)) + 1.5 * y, 1)
    ev = tm.evaluate(y, y_score=dict(zip("abc", scores, strict=True)))
    test = paired(ev).auc_test()
    t2, q, left = of_three(y, scores)
    assert test.name == "DeLong's test of all ROC areas, Hotelling's T²"
    assert (test.statistic, test.degrees) == (pytest.approx(t2), q)
    assert test.denominator_degrees == pytest.approx(left)
    assert test.p_value == pytest.approx(stats.f.sf(t2 * left / (left + 1) / 2, 2, left))
    assert test.p_value > stats.chi2.sf(t2, 2)  # DeLong's own
    assert str(test) == (
        f"DeLong's test of all ROC areas, Hotelling's T² {t2:.4g} with 2 and {left:.4g} degrees of "
        f"freedom: p = {test.p_value:.3g}"
    )


def test_all_areas_of_many_rows_are_delongs_chi_square():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100_000)
    scores = rng.normal(size=len(y)) + rng.normal(size=(4, len(y))) + y
    ev = tm.evaluate(y, y_score=dict(zip("abcd", scores, strict=True)))
    test = paired(ev, [get("roc_auc")]).auc_test()
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, 3), rel=2e-3)


def test_models_of_one_order_are_not_told_apart_by_their_areas():
    y, p, _ = two()
    ev = tm.evaluate(y, y_score={"a": p["a"], "b": p["a"] / 2})
    d = difference_of(paired(ev), "roc_auc")
    assert d.value == 0
    assert (d.low, d.high, d.p_value) == (0, 0, 1)
    assert d.method == "same ranking, ties included"
    assert paired(ev).auc_test().reason == "the scores rank the rows identically"


def test_a_class_of_one_row_has_no_delong():
    ev = tm.evaluate([0, 0, 0, 1], y_score={"a": [0.1, 0.2, 0.6, 0.4], "b": [0.3, 0.1, 0.2, 0.9]})
    assert paired(ev).auc_test().reason == "a class has fewer than two rows"
    d = difference_of(paired(ev), "roc_auc")
    assert d.reason is None
    assert d.method == "square-and-add of both intervals, as if independent"
    assert d.test == "square-and-add of both intervals"
    assert d.p_value > 0.05
    assert d.warning == "a class has fewer than 5 rows"


def test_a_precision_of_few_called_rows_has_a_warning():
    y = np.tile([1, 0], 30)
    called = {n: (np.arange(60) < n).astype(int) for n in (11, 12, 30)}

    def warnings_of(n, metric):
        ev = tm.evaluate(y, {"a": called[n], "b": called[30]})
        return [difference_of(paired(ev), metric, *pair).warning for pair in ("ab", "ba")]

    assert warnings_of(11, "precision") == ["a model's share is of fewer than 12 rows"] * 2
    assert warnings_of(12, "precision") == [None, None]
    assert warnings_of(11, "negative_predictive_value") == [None, None]
    assert warnings_of(11, "sensitivity") == [None, None], "the test is exact"


def test_two_perfect_models_have_an_interval():
    y = [0] * 20 + [1] * 20
    s = np.arange(40) / 40
    of_each_turned = np.concatenate([s[:20][::-1], s[20:][::-1]])
    ev = tm.evaluate(y, y_score={"a": s, "b": of_each_turned})
    d = difference_of(paired(ev), "roc_auc")
    assert d.value == 0
    assert -0.2 < d.low < 0 < d.high < 0.2


# -- net benefit -------------------------------------------------------------------------------


@pytest.mark.parametrize("p_t", [0.1, 0.3])
def test_the_net_benefit_of_two_models_is_judged_row_by_row(p_t):
    # The net benefit is a mean over rows: of positives found, less odds times false alarms. The
    # others are that over the prevalence, and that against treating all over the odds.
    y, p, ev = two(1500, lift=0.8)
    odds = p_t / (1 - p_t)
    of_row = [np.where(y == 1, 1.0, -odds) * (p[m] >= p_t) for m in "ab"]
    gap = of_row[0] - of_row[1]
    error = gap.std(ddof=1) / math.sqrt(len(y))
    a, b = (ev.at(threshold=p_t).model(m) for m in "ab")
    for name, factor in (("net_benefit", 1.0), ("interventions_avoided", 100 / odds)):
        d = tm.interval(name, a, b, p_t=p_t)
        assert d.value == pytest.approx(factor * gap.mean())
        assert d.low == pytest.approx(
            factor * (gap.mean() - 1.96 * error), abs=0.3 * factor * error
        )
        assert d.high == pytest.approx(
            factor * (gap.mean() + 1.96 * error), abs=0.3 * factor * error
        )
    shares = tm.interval("standardized_net_benefit", a, b, p_t=p_t)
    assert shares.value == pytest.approx(gap.mean() / y.mean())
    assert shares.low < shares.value < shares.high


# -- proportions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "rows"),
    [("accuracy", (0, 1)), ("sensitivity", (1,)), ("specificity", (0,)), ("error_rate", (0, 1))],
)
def test_a_proportion_of_given_rows_gets_tango_and_mcnemar(metric, rows):
    y, p, ev = two(lift=0.4)
    d = difference_of(paired(ev), metric)
    inside = np.isin(y, rows)
    right = [(p[m] >= 0.5).astype(int) == y for m in "ab"]
    if metric == "error_rate":
        right = [~r for r in right]
    one = int((right[0] & ~right[1] & inside).sum())
    other = int((~right[0] & right[1] & inside).sum())
    both = int((right[0] & right[1] & inside).sum())
    none = int((~right[0] & ~right[1] & inside).sum())
    assert d.method == "Tango's score"
    assert d.value == pytest.approx((one - other) / inside.sum())
    wanted = tango(both, one, other, none, 1.959964)
    assert (d.low, d.high) == pytest.approx(wanted, abs=2e-5)
    assert one + other >= 20
    assert d.test == "McNemar, chi-square"
    assert d.p_value == pytest.approx(stats.chi2.sf((one - other) ** 2 / (one + other), 1))


def test_precision_is_drawn_for_its_rows_are_those_called_positive():
    y, p, ev = two()
    d = difference_of(paired(ev), "precision")
    assert d.method == "Dirichlet posterior of the paired decisions, 2,000 draws"
    assert d.test == "posterior"
    weighted = tm.evaluate(y, y_score=p, weight=np.arange(len(y)) % 3 + 1)
    d = difference_of(paired(weighted), "precision")
    assert d.method == "bootstrap of the rows in common, 2,000 draws"
    assert d.test == "bootstrap"


# -- anything else -----------------------------------------------------------------------------


@pytest.mark.slow
def test_each_kind_of_number_has_its_method():
    of_draws = "bootstrap of the rows in common, 2,000 draws", "bootstrap"
    posterior = "Dirichlet posterior of the paired decisions, 2,000 draws", "posterior"
    of_rows = ("influence of each row, Student's t with skewness",) * 2
    _, _, ev = two(300)
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(3), (2, 200))
    three = tm.evaluate(rng.integers(0, 3, 200), y_score={"a": p, "b": q})
    for made, wanted in (
        (ev, {"f1": posterior, "matthews_corrcoef": posterior, "precision": posterior,
              "average_precision": of_rows, "brier": of_rows, "log_loss": of_rows,
              "spherical_score": of_rows}),
        (three, {"f1": of_draws, "roc_auc": of_draws, "log_loss": of_rows, "brier": of_rows,
                 "top_k_accuracy": of_rows}),
    ):  # fmt: skip
        found = made.compare(metrics=list(wanted), permutations=0).pairs[0].differences
        assert {n: (found[n].method, found[n].test) for n in wanted} == wanted


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["f1", "matthews_corrcoef", "h_measure", "calibration_slope"])
@pytest.mark.parametrize("n", [150, 6000])
def test_resampled_blocks_agree_with_resampled_rows(metric, n):
    y, p, ev = two(n, lift=0.3)
    d = difference_of(paired(ev, [get(metric)]), metric)
    rng = np.random.default_rng(1)
    found = get(metric)
    given = p if found._needs not in ("counts", "matrix") else {m: p[m] >= 0.5 for m in p}
    gaps = []
    for _ in range(300):
        i = rng.integers(0, n, n)
        gaps.append(found(y[i], given["a"][i] * 1) - found(y[i], given["b"][i] * 1))
    assert d.error == pytest.approx(np.std(gaps), rel=0.4 if found._needs == "ranking" else 0.15)
    assert d.low < d.value < d.high


def test_pairing_makes_intervals_narrower_than_independence():
    _, _, ev = two(2000)
    d = difference_of(paired(ev), "f1")
    a, b = (ev.model(m)["f1"] for m in "ab")
    low, high, _, p, *_ = square_and_add(a, b)
    assert p > 0
    assert d.high - d.low < 0.95 * (high - low)


@pytest.mark.slow
def test_the_order_of_two_models_turns_the_sign():
    _, _, ev = two(lift=0.3)
    for name in ("roc_auc", "accuracy", "f1", "log_loss"):
        one = difference_of(paired(ev), name)
        other = difference_of(paired(ev), name, "b", "a")
        assert one.value == -other.value
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), rel=1e-9, abs=5e-4)


@pytest.mark.slow
def test_every_metric_of_two_models_has_a_difference_or_a_reason():
    _, _, ev = two(300)
    judge = paired(ev, ev.metrics(), draws=200)
    for m in ev.metrics():
        d = difference_of(judge, METRICS[m.name])
        assert (d.reason is None) == (not math.isnan(d.value)), m.name
        assert d.reason or d.method, m.name
        if not math.isnan(d.low):
            assert d.low <= d.value <= d.high, m.name
            width = m.range[1] - m.range[0]
            assert -width <= d.low <= d.high <= width, m.name


@pytest.mark.slow
def test_many_classes_are_compared_by_decisions_and_by_scores():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 500)
    p = {}
    for name, strength in (("a", 1.5), ("b", 0.8)):
        logits = rng.normal(size=(500, 4)) + strength * np.eye(4)[y]
        p[name] = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    ev = tm.evaluate(y, y_score=p)
    judge = paired(ev)
    for name in ("accuracy", "cohen_kappa", "f1", "roc_auc", "log_loss", "brier"):
        d = difference_of(judge, name)
        assert d.reason is None, name
        assert d.low < d.value < d.high, name
    assert difference_of(judge, "accuracy").method == "Tango's score"
    for name in ("hand_till_auc", "provost_domingos_auc"):  # of all columns at once
        d = difference_of(paired(ev, [get(name)]), name)
        assert d.method == "bootstrap of the rows in common, 2,000 draws"
        assert d.low < d.value < d.high


# -- means over rows ---------------------------------------------------------------------------

MEANS = ("log_loss", "brier", "spherical_score", "top_k_accuracy", "mean_absolute_error")


def three(n=300, seed=0, k=3):
    """Make two models of several classes that share half of their noise, and their losses."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    shared = rng.normal(size=(n, k))
    p, losses = {}, {}
    for name, strength in (("a", 1.6), ("b", 1.2)):
        logits = shared + rng.normal(size=(n, k)) + strength * np.eye(k)[y]
        q = p[name] = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        own = q[np.arange(n), y]
        losses[name] = {
            "log_loss": -np.log(own),
            "brier": ((q - np.eye(k)[y]) ** 2).sum(1),
            "spherical_score": own / np.sqrt((q**2).sum(1)),
            "top_k_accuracy": (own >= np.sort(q, 1)[:, -2]) * 1.0,
            "mean_absolute_error": np.abs(q - np.eye(k)[y]).mean(1),
        }
    return y, p, losses


def of_classes(off, y):
    """Return the influences of the rows of each class on the mean of all."""
    return [centred(off)[y == k] for k in np.unique(y)]


@pytest.mark.parametrize("name", MEANS)
def test_a_mean_over_rows_has_the_error_of_the_rows_differences(name):
    y, p, losses = three()
    d = difference_of(paired(tm.evaluate(y, y_score=p), [get(name)]), name)
    off = losses["a"][name] - losses["b"][name]
    assert d.method == d.test == "influence of each row, Student's t with skewness"
    wanted = skewed_t(off.mean(), of_classes(off, y), 0.95)
    assert (d.value, d.low, d.high, d.p_value) == pytest.approx((off.mean(), *wanted))


def test_a_mean_over_rows_of_two_classes_has_an_interval():
    y, p, ev = two(400, lift=0.4)
    d = difference_of(paired(ev), "spherical_score")

    def score(q):
        own = np.where(y == 1, q, 1 - q)
        return own / np.hypot(q, 1 - q)

    off = score(p["a"]) - score(p["b"])
    wanted = skewed_t(off.mean(), of_classes(off, y), 0.95)
    assert (d.value, d.low, d.high, d.p_value) == pytest.approx((off.mean(), *wanted))
    swapped = tm.evaluate(1 - y, y_score=p, positive=0)
    other = difference_of(paired(swapped), "spherical_score")
    assert (other.low, other.high) == pytest.approx((d.low, d.high))


def test_weighted_rows_enter_with_the_squares_of_their_weights():
    y, p, losses = three()
    w = np.random.default_rng(1).exponential(1, len(y))
    d = difference_of(paired(tm.evaluate(y, y_score=p, weight=w), [get("brier")]), "brier")
    off = losses["a"]["brier"] - losses["b"]["brier"]
    mean = (w * off).sum() / w.sum()
    parts = [(w * (off - mean) / w.sum())[y == k] for k in range(3)]
    sizes = [w[y == k].sum() ** 2 / (w[y == k] ** 2).sum() for k in range(3)]
    wanted = skewed_t(mean, parts, 0.95, sizes)
    assert (d.value, d.low, d.high, d.p_value) == pytest.approx((mean, *wanted))


def test_rows_of_a_cluster_are_added_up_first():
    y, p, losses = three(100)
    ev = tm.evaluate(
        np.repeat(y, 4),
        y_score={m: np.repeat(q, 4, axis=0) for m, q in p.items()},
        cluster=np.repeat(np.arange(100), 4),
    )
    d = difference_of(paired(ev, [get("log_loss")]), "log_loss")
    off = losses["a"]["log_loss"] - losses["b"]["log_loss"]
    e = centred(off)
    few = 2 * (e @ e) ** 2 / ((e**4).sum() - (e @ e) ** 2 / 100)  # Satterthwaite's
    wanted = skewed_t(off.mean(), [e], 0.95, most=few)
    assert (d.value, d.low, d.high, d.p_value) == pytest.approx((off.mean(), *wanted))
    assert d.method == "influence of each cluster, Student's t with skewness"
    one = tm.evaluate(y, y_score=p, cluster=np.zeros(len(y), int))
    d = difference_of(paired(one, [get("log_loss")]), "log_loss")
    assert d.method == "no interval: all rows are of one cluster"


def test_shares_of_classes_that_are_known_are_strata():
    y, p, losses = three(600)
    shares = {0: 0.5, 1: 0.3, 2: 0.2}
    ev = tm.evaluate(y, y_score=p).at(prevalence=shares)
    d = difference_of(paired(ev, [get("brier"), get("spherical_score")]), "brier")
    off = losses["a"]["brier"] - losses["b"]["brier"]
    mean = sum(s * off[y == c].mean() for c, s in shares.items())
    parts = [s * centred(off[y == c]) for c, s in shares.items()]
    wanted = skewed_t(mean, parts, 0.95)
    assert (d.value, d.low, d.high, d.p_value) == pytest.approx((mean, *wanted))
    assert d.method == "influence of each row, Student's t with skewness"
    clustered = tm.evaluate(y, y_score=p, cluster=np.arange(600)).at(prevalence=shares)
    e = difference_of(paired(clustered, [get("brier")]), "brier")
    assert (e.value, e.error) == pytest.approx((d.value, d.error), rel=0.02)


def test_roots_of_means_have_the_spread_of_resampled_rows():
    y, p, _ = three(500)
    name = "root_mean_squared_error"
    d = difference_of(paired(tm.evaluate(y, y_score=p), [get(name)]), name)
    rng = np.random.default_rng(3)
    squares = {m: ((q - np.eye(3)[y]) ** 2).mean(1) for m, q in p.items()}
    gaps = []
    for _ in range(3000):
        at = rng.integers(0, 500, 500)
        gaps.append(math.sqrt(squares["a"][at].mean()) - math.sqrt(squares["b"][at].mean()))
    assert d.error == pytest.approx(np.std(gaps), rel=0.05)
    assert d.method == "influence of each row, Student's t with skewness"


@pytest.mark.slow
def test_rows_that_all_differ_alike_have_no_error_of_their_own():
    y, p, _ = three()
    ev = tm.evaluate(y, y_score={"a": p["a"], "b": p["a"]})
    d = difference_of(paired(ev, [get("log_loss")]), "log_loss")
    assert d.value == 0
    assert d.p_value == 1
    assert d.low < 0 < d.high
    assert ev.compare(metric="log_loss", permutations=0).verdicts[0].kind == "alike"


@pytest.mark.slow
def test_intervals_of_means_hold_the_true_difference():
    held, trials = 0, 200
    y, _, losses = three(400_000, seed=99)
    truth = (losses["a"]["log_loss"] - losses["b"]["log_loss"]).mean()
    for seed in range(trials):
        y, p, _ = three(80, seed)
        d = difference_of(paired(tm.evaluate(y, y_score=p), [get("log_loss")]), "log_loss")
        held += d.low <= truth <= d.high
    assert 0.9 <= held / trials <= 0.99


def test_clusters_are_resampled_whole():
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(60), 8)
    y = np.repeat(rng.integers(0, 2, 60), 8)
    quality = np.repeat(rng.normal(size=60), 8)  # one patient is easy, another hard, for a alone
    a = (y + quality + 0.1 * rng.normal(size=480) > 0.5).astype(int)
    b = (y + 0.8 * rng.normal(size=480) > 0.5).astype(int)
    ev = tm.evaluate(y, {"a": a, "b": b})
    alone = difference_of(paired(ev), "accuracy")
    from dataclasses import replace

    joint = replace(counted_of(ev).joint, clusters=patients)
    values = paired(ev).values
    grouped = difference_of(Paired(replace(counted_of(ev), joint=joint), values), "accuracy")
    assert grouped.method.startswith("bootstrap")
    assert grouped.error > 1.5 * alone.error


def test_another_class_balance_is_drawn_by_class():
    _, _, ev = two(3000, lift=0.4)
    moved = ev.at(prevalence=0.02)
    d = difference_of(paired(moved), "precision")
    assert d.value == pytest.approx(
        moved.model("a")["precision"].value - moved.model("b")["precision"].value
    )
    assert d.low < d.value < d.high
    assert d.error < 0.1


def test_rankings_are_drawn_at_the_balance_that_is_assumed():
    _, _, ev = two(1500)
    moved = ev.at(prevalence=0.05)
    from tallymark.infer.sampler import BlockReplicates, Sampler
    from tallymark.metric.measure import Statistic

    r = BlockReplicates(counted_of(moved).joint, moved.models, Sampler(0, True), draws=300)
    s = Statistic.of(get("average_precision"), moved.classes, moved.positive)
    for i, name in enumerate("ab"):
        values, whole = r.values(i, s)
        v = moved.model(name)["average_precision"]
        assert whole == pytest.approx(v.value, abs=0.01)  # in coarser groups of scores
        assert np.std(values) == pytest.approx((v.high - v.low) / 3.92, rel=0.25)


# -- what cannot be ----------------------------------------------------------------------------


def test_one_model_is_not_compared():
    ev = tm.evaluate([0, 1], y_score=[0.1, 0.9])
    with pytest.raises(tm.InputError, match="there is one model, 'model'; comparing needs two"):
        ev.compare()


def test_an_undefined_number_has_no_difference():
    ev = tm.evaluate([0, 0, 1], {"a": [0, 0, 0], "b": [0, 1, 1]})
    d = difference_of(paired(ev), "precision")
    assert math.isnan(d.value)
    assert d.reason.startswith("a: ")
    assert str(d) == f"undefined ({d.reason})"
    assert d.to_dict()["value"] is None


def test_a_metric_that_one_model_lacks_has_no_difference():
    ev = tm.evaluate([0, 1, 0, 1], {"b": [0, 1, 1, 1]}, y_score={"a": [0.1, 0.9, 0.3, 0.8],
                                                                 "b": [0.1, 0.9, 0.3, 0.8]})  # fmt: skip
    values = {n: dict(v) for n, v in paired(ev).values.items()}
    del values["b"]["roc_auc"]
    d = difference_of(Paired(counted_of(ev), values), "roc_auc")
    assert d.reason == "b does not have it"


def test_infinite_numbers_have_no_interval():
    y = [0, 1, 0, 1]
    certain, unsure = [0.0, 0.0, 0.4, 0.8], [0.1, 0.9, 0.3, 0.8]
    ev = tm.evaluate(y, y_score={"a": certain, "b": unsure})
    d = difference_of(paired(ev), "log_loss")
    assert d.value == math.inf
    assert d.method == "no interval: one of the two is infinite"
    ev = tm.evaluate(y, y_score={"a": certain, "b": certain})
    assert difference_of(paired(ev), "log_loss").reason == "both are infinite"


def test_square_and_add_without_intervals_says_so():
    bare = Value("f1", 0.5)
    low, _, method, *_ = square_and_add(bare, bare)
    assert math.isnan(low)
    assert method == "no interval: every draw gives the same"


# -- exchanging --------------------------------------------------------------------------------


def test_exchanging_decisions_agrees_with_mcnemar():
    _, _, ev = two(300, lift=0.4)
    judge = paired(ev)
    exchanged = judge.permutations([("a", "b")], get("accuracy"), 20_000)[0]
    one, other = judge.discordant("a", "b", np.ones(2, bool), np.eye(2, dtype=bool))[1:3]
    from tallymark.infer.significance import mcnemar

    assert exchanged.p_value == pytest.approx(mcnemar(one, other, "exact").p_value, abs=0.015)


def test_exchanging_ranks_agrees_with_delong():
    _, _, ev = two(800, lift=0.25)
    judge = paired(ev)
    exchanged = judge.permutations([("a", "b")], get("roc_auc"), 4000)[0]
    assert exchanged.p_value == pytest.approx(difference_of(judge, "roc_auc").p_value, abs=0.05)


@pytest.mark.parametrize("metric", ["roc_auc", "matthews_corrcoef"])
def test_a_pair_among_many_is_judged_as_it_is_alone(metric):
    rng = np.random.default_rng(2)
    y = (rng.random(2300) < 0.4).astype(int)  # more rows than terms of a permutation test
    noise = rng.normal(size=2300) + y
    scores = {
        n: 1 / (1 + np.exp(-noise - w * rng.normal(size=2300)))
        for n, w in zip("abcd", (1, 2, 3, 4), strict=True)
    }
    scores["d"][:2200] = scores["a"][:2200]  # fewer rows differ
    together = paired(tm.evaluate(y, y_score=scores))
    pairs = together.pairs
    exchanged = together.permutations(pairs, get(metric), 200)
    for name in ("roc_auc", "f1", "accuracy", "brier"):
        s = together.statistic(get(name))
        each = difference(s, together)
        for i, pair in enumerate(pairs):
            assert difference(s, together, [pair])[0] == each[i]
    for i, pair in enumerate(pairs):
        assert together.permutations([pair], get(metric), 200)[0] == exchanged[i]


def test_what_cannot_be_exchanged_says_why():
    y, p, ev = two(100)
    assert (
        "is not computed from decisions"
        in paired(ev).permutations([("a", "b")], get("brier"), 10)[0].reason
    )
    weighted = tm.evaluate(y, y_score=p, weight=np.arange(1, 101) / 3)
    found = paired(weighted).permutations([("a", "b")], get("f1"), 10)[0]
    assert found.reason == "rows have weights, clusters or another class balance"


def test_a_draw_without_a_row_of_a_class_is_left_out_where_shares_are_given():
    y = [1, 1] + [0] * 13
    p = {m: np.random.default_rng(i).random(15) for i, m in enumerate("ab")}
    found = tm.evaluate(y, y_score=p).at(prevalence=0.1).compare(permutations=0)
    d = found.pairs[0].differences["accuracy"]
    assert d.low < d.high


@pytest.mark.slow
def test_binning_the_scores_for_resampling_does_not_move_the_interval():
    rng = np.random.default_rng(1)
    y, s = (rng.random(400) < 0.4).astype(int), rng.random(400)
    p = {"exact": s, "rounded": np.round(s, 3)}
    name = "calibration_in_the_large"
    (pair,) = tm.evaluate(y, y_score=p).compare(metrics=[name], permutations=0).pairs
    d = pair.differences[name]
    assert d.method == "bootstrap of the rows in common, 2,000 draws"
    exact = p[pair.second] - p[pair.first]
    assert d.value == pytest.approx(exact.mean(), abs=1e-12)
    # The two differ by less than the bins that are resampled are wide.
    assert (d.low + d.high) / 2 == pytest.approx(d.value, abs=0.2 * (d.high - d.low) / 2)


@pytest.mark.parametrize("digits", [0, 1, 9])
def test_rows_are_exchanged_by_the_middle_of_their_ranks(digits):
    y, p, _ = two(700)
    p = {m: np.round(4 * s, digits) for m, s in p.items()}
    judge = paired(tm.evaluate(y, y_score=p))
    group = [np.minimum((stats.rankdata(p[m]) - 0.5) / 700 * 40, 39).astype(int) for m in "ab"]
    wanted = np.zeros((2, 40, 40))
    np.add.at(wanted, (y, *group), 1)
    assert np.array_equal(judge.rank_cells("a", "b"), wanted)
