"""Rows that belong together: whole clusters drawn row by row, Obuchowski's variance, coverage."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from scipy import stats

import tallymark as tm
from judged import counted_of, difference_of
from tallymark.errors import InputError
from tallymark.infer.clustered import Clustered
from tallymark.infer.delong import area_posterior, areas_of, auc_variance, newcombe
from tallymark.infer.methods import matched_beta
from tallymark.infer.paired import Paired
from tallymark.infer.sampler import BlockReplicates, Sampler
from tallymark.infer.samples import critical_value, scaled
from tallymark.metric import METRICS, get
from tallymark.metric.headlines import PER_CLASS
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import wilson
from tallymark.tally.sums import Sums, clustered_errors


def patients(m=60, k=8, seed=0, own=1.0, ill=2.0, lift=1.2):
    """Make k rows of each of m patients, who are alike in their class and in their scores."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(m), k)
    chance = 1 / (1 + np.exp(-ill * rng.normal(size=m)))
    y = (rng.random(m * k) < chance[who]).astype(int)
    score = lift * y + own * rng.normal(size=m)[who] + rng.normal(size=m * k)
    return who, y, score


def probable(score):
    return np.round(1 / (1 + np.exp(-score + 0.5)), 2)


def several(m=40, k=6, seed=3):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(m), k)
    y = rng.integers(0, 3, m * k)
    z = rng.normal(size=(m * k, 3)) + rng.normal(size=(m, 3))[who] + 1.5 * np.eye(3)[y]
    p = np.exp(z)
    return who, y, p / p.sum(1, keepdims=True)


# -- the ROC area ------------------------------------------------------------------------------


def slow_obuchowski(y, s, who):
    """Return the variance of the AUC as Obuchowski (1997) writes it, pair by pair."""
    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    psi = {(i, j): 1.0 if s[i] > s[j] else 0.5 if s[i] == s[j] else 0.0 for i in pos for j in neg}
    m, n = len(pos), len(neg)
    area = sum(psi.values()) / (m * n)
    of_pos = {i: sum(psi[i, j] for j in neg) / n for i in pos}
    of_neg = {j: sum(psi[i, j] for i in pos) / m for j in neg}
    first, second, both = [], [], []
    for c in np.unique(who):
        own = [of_pos[i] - area for i in pos if who[i] == c]
        other = [of_neg[j] - area for j in neg if who[j] == c]
        first += [sum(own)] if own else []
        second += [sum(other)] if other else []
        both.append(sum(own) * sum(other))

    def spread(sums, rows):
        return len(sums) / ((len(sums) - 1) * rows) * sum(v**2 for v in sums)

    s11 = len(both) / (len(both) - 1) * sum(both)
    return area, spread(first, m) / m + spread(second, n) / n + 2 * s11 / (m * n)


def joint_of(y, s, who, **options):
    ev = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5, **options)
    return counted_of(ev).joint, ev.models[0].scores[0]


def test_three_patients_by_hand():
    # Placements of the positives: 1, 2/3, 1; of the negatives: 1, 2/3, 1; the area is 8/9. A
    # patient's deviations, in ninths: 1 and 1, -2 and -2, 1 and 1. Each of the three sums of
    # products is 6/81, times 3/2 and over 9 is 1/81; two of them, and one twice.
    y, s = np.array([1, 0] * 3), np.array([0.9, 0.2, 0.4, 0.5, 0.7, 0.1])
    areas, covariance, _ = areas_of(*(lambda j, t: (j, [t]))(*joint_of(y, s, list("aabbcc"))))
    assert areas[0] == pytest.approx(8 / 9)
    assert covariance[0, 0] == pytest.approx(4 / 81)


@pytest.mark.parametrize("seed", range(4))
def test_the_variance_is_obuchowskis_own(seed):
    who, y, s = patients(m=15, k=4, seed=seed)
    s = np.round(s, 1)  # with ties
    joint, tally = joint_of(y, s, who)
    areas, covariance, _ = areas_of(joint, [tally])
    assert (areas[0], covariance[0, 0]) == pytest.approx(slow_obuchowski(y, s, who))


def test_clusters_of_one_row_each_have_delongs_variance():
    _, y, s = patients(m=20)
    joint, tally = joint_of(y, s, np.arange(len(y)))
    _, covariance, _ = areas_of(joint, [tally])
    assert covariance[0, 0] == pytest.approx(auc_variance(tally)[1], rel=1e-12)


def test_a_row_of_weight_two_is_two_rows_of_its_cluster():
    who, y, s = patients(m=12, k=3)
    w = np.random.default_rng(0).integers(1, 4, len(y))
    weighted, tally = joint_of(y, s, who, weight=w)
    repeated, other = joint_of(*(np.repeat(v, w) for v in (y, s, who)))
    found = [areas_of(j, [t])[1][0, 0] for j, t in ((weighted, tally), (repeated, other))]
    assert found[0] == pytest.approx(found[1], rel=1e-12)


@pytest.mark.slow
def test_the_difference_of_two_areas_has_the_error_that_clusters_drawn_whole_show():
    who, y, s = patients(seed=5)
    rng = np.random.default_rng(5)
    two = {"a": s, "b": s + rng.normal(size=60)[who] + 0.3 * rng.normal(size=len(y))}
    ev = tm.evaluate(y, y_score=two, cluster=who, threshold=0.5)
    paired = Paired(counted_of(ev), ev.values())
    d = difference_of(paired, "roc_auc")
    assert d.test == d.method == "Obuchowski, clusters, paired, Student's t with skewness"
    gaps = []
    for _ in range(300):
        rows = np.concatenate([np.flatnonzero(who == c) for c in rng.integers(0, 60, 60)])
        gaps.append(np.subtract(*(tm.metrics.roc_auc(y[rows], v[rows]) for v in two.values())))
    scores = [m.scores[0] for m in counted_of(ev).models]
    _, covariance, _ = areas_of(counted_of(ev).joint, scores)
    error = math.sqrt(covariance.trace() - 2 * covariance[0, 1])
    assert error == pytest.approx(np.std(gaps), rel=0.12)
    assert d.high - d.low > 2 * stats.t.ppf(0.975, 59) * error
    alone = tm.evaluate(y, y_score=two, threshold=0.5)
    plain = difference_of(Paired(counted_of(alone), alone.values()), "roc_auc")
    assert d.error > 1.3 * plain.error
    assert d.value == pytest.approx(plain.value)


@pytest.mark.slow
def test_all_areas_are_tested_with_their_clusters():
    who, y, s = patients(seed=6)
    rng = np.random.default_rng(6)
    three = {"a": s, "b": s + rng.normal(size=len(y)), "c": rng.normal(size=len(y))}
    ev = tm.evaluate(y, y_score=three, cluster=who, threshold=0.5)
    found = ev.compare()
    (test,) = found.overall
    assert test.name == "Obuchowski's test of all ROC areas, clusters, Hotelling's T²"
    assert test.source == "obuchowski1997"
    assert 0 < test.p_value < 0.01
    assert "resamples of whole clusters" in str(found.pairs[0]).replace("\n  ", " ")
    plain = tm.evaluate(y, y_score=three, threshold=0.5).compare()
    assert "whole clusters" not in str(plain.pairs[0])


def test_the_area_of_a_class_in_one_cluster_has_no_interval():
    y, s = np.array([1, 0, 0, 0]), np.array([0.9, 0.2, 0.4, 0.95])
    v = tm.evaluate(y, y_score=s, cluster=[0, 0, 1, 2])["roc_auc"]
    assert math.isnan(v.low)
    assert v.method == "no interval: a class occurs in fewer than two clusters"


def test_a_perfect_order_takes_a_cluster_for_one_row():
    who, y, _ = patients(m=12, k=5, ill=0.5)
    v = tm.evaluate(y, y_score=y * 0.8 + 0.1, cluster=who)["roc_auc"]
    one = [len(np.unique(who[y == k])) for k in (1, 0)]
    assert (v.low, v.high) == (matched_beta(*area_posterior(1.0, 0.0, *one), 0.95)[0], 1)
    assert v.method == "Obuchowski, clusters, beta posterior"
    score = tm.evaluate(y, y_score=y * 0.8 + 0.1, cluster=who).value("roc_auc", method="newcombe")
    shares = sum(np.bincount(who, y == k) / (y == k).sum() for k in (0, 1))
    t = critical_value(0.95, freedom_of_sizes(shares))
    assert (score.low, score.high) == pytest.approx(tuple(map(float, newcombe(1.0, *one, t))))
    assert score.method == "Newcombe, score interval, a cluster as one row (conservative)"


# -- coverage ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_intervals_of_clusters_cover_what_those_of_rows_miss():
    """60 patients of 8 rows: of the area's 95 % intervals the naive ones cover far too few."""
    own, lift, hits = 1.0, 1.2, {"rows": 0, "clusters": 0}
    true = 0.5 * (1 + math.erf(lift / math.sqrt(2 * (own**2 + 1)) / math.sqrt(2)))
    n = 300
    for seed in range(n):
        who, y, s = patients(seed=1000 + seed, own=own, lift=lift, ill=4.0)
        _, tally = joint_of(y, s, who)
        area, variance = auc_variance(tally)
        half = 1.96 * math.sqrt(variance) / (area * (1 - area))
        centre = math.log(area / (1 - area))
        hits["rows"] += abs(math.log(true / (1 - true)) - centre) <= half
        v = tm.evaluate(y, y_score=s, cluster=who)["roc_auc"]
        hits["clusters"] += v.low <= true <= v.high
    assert hits["rows"] / n < 0.8
    assert 0.92 <= hits["clusters"] / n <= 0.975


@pytest.mark.slow
def test_clusters_cover_the_accuracy_that_wilson_misses():
    rng = np.random.default_rng(1)
    n, hits, naive = 600, 0, 0
    for _ in range(n):
        chance = rng.beta(3.5, 1.5, 60)  # of 0.7 on average
        right = rng.random((60, 8)) < chance[:, None]
        who = np.repeat(np.arange(60), 8)
        y = np.zeros(480, dtype=int)
        y[::2] = 1
        ev = tm.evaluate(y, np.where(right.ravel(), y, 1 - y), cluster=who)
        v = ev["accuracy"]
        hits += v.low <= 0.7 <= v.high
        low, high = wilson(right.sum(), 480, 1.96)
        naive += low <= 0.7 <= high
    assert naive / n < 0.88
    assert 0.91 <= hits / n <= 0.975


# -- draws -------------------------------------------------------------------------------------

DRAWN = [
    "accuracy", "sensitivity", "precision", "f1", "matthews_corrcoef", "cohen_kappa", "lift",
    "average_precision", "brier", "log_loss", "kolmogorov_smirnov", "partial_roc_auc",
    "expected_calibration_error",
]  # fmt: skip


def times_of_clusters(r):
    """How often each draw takes each cluster: [draw, cluster]."""
    return r.times[:, 0, r.joint.canonical_places(r.sampler.seed)].astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_drawing_clusters_is_repeating_their_rows(weighted):
    who, y, s = patients(m=30, k=5)
    p = probable(s)
    w = np.random.default_rng(2).exponential(1.0, len(y)) if weighted else None
    ev = tm.evaluate(y, y_score=p, cluster=who, weight=w)
    r = BlockReplicates(counted_of(ev).joint, ev.models, Sampler(4), draws=25)
    times = times_of_clusters(r)
    assert (times.sum(1) == 30).all()
    for name in DRAWN:
        values, whole = r.values(0, Statistic.of(get(name), ev.classes, ev.positive))
        assert whole == pytest.approx(ev[name].value)
        for t, found in zip(times, values, strict=True):
            rows = np.concatenate([np.flatnonzero(who == c) for c in np.repeat(np.arange(30), t)])
            weights = None if w is None else w[rows]
            again = tm.evaluate(y[rows], y_score=p[rows], weight=weights)
            assert found == pytest.approx(again.value(name).value), name
        if name in ("f1", "log_loss"):  # at the balance of the draw itself, not of the whole
            assert np.ptp(values) > 0


def freedom_of(moves, m):
    """Return Satterthwaite's degrees of freedom of a sum of squared moves, below m."""
    square = moves**2
    second = square.sum()
    return min(2 * second**2 / ((square**2).sum() - second**2 / m), m - 1)


def freedom_of_sizes(sizes):
    """Return Bell and McCaffrey's degrees of freedom of a mean, pair by pair of clusters."""
    w = np.asarray(sizes) / np.sum(sizes)
    total = 0.0
    for i, a in enumerate(w):
        for j, b in enumerate(w):
            total += a * a if i == j else a * a * b * b / (1 - a) / (1 - b)
    return 1 / total


def left_out(y, p, who, metric):
    """Return the error and the degrees of freedom of leaving out each cluster, row by row."""
    each = np.unique(who)
    moves = np.array([metric(y[who != c], p[who != c]) for c in each])
    moves -= moves.mean()
    m = len(each)
    return math.sqrt((m - 1) / m * (moves**2).sum()), freedom_of(moves, m)


@pytest.mark.parametrize("unequal", [False, True])
def test_the_interval_is_that_of_clusters_left_out_row_by_row(unequal):
    who, y, s = patients(seed=2)
    p = probable(s)
    if unequal:
        keep = np.random.default_rng(3).random(len(y)) < (who + 1) / 60
        who, y, p = who[keep], y[keep], p[keep]
    ev = tm.evaluate(y, y_score=p, cluster=who)
    of = tm.metrics
    named = {
        "accuracy": lambda y, p: of.accuracy(y, p >= 0.5),
        "sensitivity": lambda y, p: of.sensitivity(y, p >= 0.5),
        "prevalence": lambda y, p: y.mean(),
        "matthews_corrcoef": lambda y, p: of.matthews_corrcoef(y, p >= 0.5),
        "brier": of.brier,
        "partial_roc_auc": of.partial_roc_auc,
    }
    of_rows, of_positives = np.bincount(who), np.bincount(who[y == 1], minlength=60)
    shares = of_positives / of_positives.sum() + (of_rows - of_positives) / (y == 0).sum()
    counted = dict.fromkeys(named, of_rows)
    counted |= {"sensitivity": of_positives, "partial_roc_auc": shares}
    for name, metric in named.items():
        v = ev[name]
        assert v.method == "jackknife of clusters, Student's t"
        error, freedom = left_out(y, p, who, metric)
        reach = stats.t.ppf(0.975, min(freedom, freedom_of_sizes(counted[name])))
        slow = scaled(v.value, error, reach, get(name).range_of())
        assert (v.low, v.high) == pytest.approx(slow, rel=1e-9), name
        assert v.warning is None
    v = ev["average_precision"]
    assert v.method == "jackknife of clusters, Student's t, widened for bias"
    error, freedom = left_out(y, p, who, of.average_precision)
    reach = stats.t.ppf(0.975, min(freedom, freedom_of_sizes(of_rows)))
    low, high = scaled(v.value, error, reach, (0, 1))
    assert high - 1e-9 <= v.high < high + 0.2 * (high - low)
    assert low - 0.2 * (high - low) < v.low <= low + 1e-9


@pytest.mark.slow
def test_the_errors_of_drawn_clusters_are_those_of_rows_drawn_cluster_by_cluster():
    who, y, s = patients(seed=2)
    p = probable(s)
    ev = tm.evaluate(y, y_score=p, cluster=who)
    rng = np.random.default_rng(0)
    slow = {"matthews_corrcoef": [], "average_precision": []}
    for _ in range(400):
        rows = np.concatenate([np.flatnonzero(who == c) for c in rng.integers(0, 60, 60)])
        slow["matthews_corrcoef"].append(tm.metrics.matthews_corrcoef(y[rows], p[rows] >= 0.5))
        slow["average_precision"].append(tm.metrics.average_precision(y[rows], p[rows]))
    reach = stats.t.ppf(0.975, 59) * math.sqrt(60 / 59)
    v, values = ev.value("average_precision", method="bootstrap-errors"), slow["average_precision"]
    told = "cluster bootstrap errors, 2,000 draws, Student's t, widened for bias"
    assert v.method == told
    low, high = scaled(v.value, np.std(values), reach, (0, 1))
    low = min(low, 2 * v.value - np.mean(values) - reach * np.std(values))
    assert (v.low, v.high) == pytest.approx((low, high), abs=0.15 * (high - low))
    v = ev.value("matthews_corrcoef", method="percentile")
    assert v.method == "cluster bootstrap, 2,000 draws"
    low, high = np.quantile(slow["matthews_corrcoef"], stats.norm.cdf([-reach, reach]))
    assert (v.low, v.high) == pytest.approx((low, high), abs=0.15 * (high - low))


def test_a_few_clusters_reach_further_out():
    """Between 6 and 60 clusters the spread shrinks with the root, Student's t adds the rest."""
    widths = {}
    for m in (6, 60):
        who, y, s = patients(m=m, k=40, seed=4)
        widths[m] = [(v := tm.evaluate(y, y_score=s, threshold=0.5, cluster=who)[n]).high - v.low
                     for n in ("f1", "roc_auc")]  # fmt: skip
        error, freedom = clustered_auc_error(who, y, s)
        v = tm.evaluate(y, y_score=s, cluster=who).value("roc_auc", method="delong-logit")
        reach = stats.t.ppf(0.975, freedom)
        assert freedom <= m - 1
        assert (v.low, v.high) == pytest.approx(scaled(v.value, error, reach, (0, 1)))
    assert np.array(widths[6]) / np.array(widths[60]) == pytest.approx(
        math.sqrt(10) * stats.t.ppf(0.975, 5) / stats.t.ppf(0.975, 59), rel=0.6
    )


def test_a_few_clusters_with_most_rows_give_a_warning():
    who, y, s = patients(m=30, k=10, seed=4)
    whole = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5)
    assert whole["accuracy"].warning is None
    who = np.where(who < 20, 0, who)
    assert freedom_of_sizes(np.bincount(who)[[0, *range(20, 30)]]) < 5
    ev = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5)
    for name in ("accuracy", "matthews_corrcoef", "equal_error_rate"):
        told = "few clusters carry it, the largest 67 % of the rows"
        assert ev[name].warning == told, name
    assert ev["sensitivity"].warning == told
    (note,) = (note for note in ev.notes if note.rule == "few-carry")
    assert note.text.startswith(f"model: {told} (sensitivity, ")
    assert note.text.endswith("), so the interval may be too narrow")
    who = np.where(y == 1, who, np.arange(300) % 40 + 40)  # only the positives are in few clusters
    ev = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5)
    share = 100 * (y[who == 0] == 1).sum() / (y == 1).sum()
    told = f"few clusters carry it, the largest {share:.0f} % of the rows that it counts"
    assert ev["sensitivity"].warning == told
    assert ev["accuracy"].warning == "only 9 of 49 clusters hold rows of the rarest class"


def test_clusters_of_equal_size_lack_one_degree_of_freedom():
    who, y, s = patients(m=12, k=10, seed=4)
    for fewest, told in ((3, "few clusters carry it, the largest 25 % of the rows"), (2, None)):
        ev = tm.evaluate(y, y_score=s, cluster=who // fewest, threshold=0.5)
        assert ev["accuracy"].warning == told


@pytest.mark.slow
def test_of_ten_clusters_the_jackknife_holds_the_truth_more_often_than_draws():
    held, who = {"percentile": 0, "jackknife": 0}, np.repeat(np.arange(10), 8)
    y = who % 2
    for seed in range(100):
        rng = np.random.default_rng(seed)
        right = rng.random(80) < rng.beta(3.5, 1.5, 10)[who]  # of 0.7 on average
        ev = tm.evaluate(y, np.where(right, y, 1 - y), cluster=who)
        for method in held:
            v = ev.value("sensitivity", method=method)
            held[method] += v.low <= 0.7 <= v.high
    assert held["percentile"] < 93 <= held["jackknife"] <= 99


def clustered_auc_error(who, y, s):
    """Return the error of the area and Satterthwaite's degrees of freedom of its influences."""
    counted = counted_of(tm.evaluate(y, y_score=s, cluster=who))
    areas, covariance, _ = areas_of(counted.joint, [counted.models[0].scores[0]])
    pos, neg = s[y == 1], s[y == 0]
    place = np.empty(len(y))
    place[y == 1] = [((p > neg) + (p == neg) / 2).mean() for p in pos]
    place[y == 0] = [((n < pos) + (n == pos) / 2).mean() for n in neg]
    moves = np.bincount(who, (place - areas[0]) / np.where(y == 1, y.sum(), (1 - y).sum()))
    of_class = [len(np.unique(who[y == k])) for k in (0, 1)]
    return math.sqrt(covariance[0, 0]), min(freedom_of(moves, len(moves)), min(of_class) - 1)


def test_more_clusters_than_blocks_are_drawn_several_at_once():
    who, y, s = patients(m=3000, k=2)
    ev = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5)
    few = Clustered.of(counted_of(ev), "model", draws=400)
    assert len(few.resampled.blocks) == 2000
    v, alone = ev["f1"], tm.evaluate(y, y_score=s, cluster=np.arange(6000), threshold=0.5)["f1"]
    assert 1.0 < (v.high - v.low) / (alone.high - alone.low) < 1.45


def test_clusters_of_one_row_have_about_the_intervals_of_rows():
    _, y, s = patients(m=100)
    p = probable(s)
    alone = tm.evaluate(y, y_score=p)
    single = tm.evaluate(y, y_score=p, cluster=[f"row {i}" for i in range(len(y))])
    for name in ("accuracy", "f1", "roc_auc", "average_precision", "brier", "spherical_score"):
        a, b = alone[name], single[name]
        assert a.value == b.value
        assert b.high - b.low == pytest.approx(a.high - a.low, rel=0.1), name


def test_known_shares_leave_only_what_the_classes_vary():
    who, y, s = patients(m=40, k=6, seed=7)
    p = probable(s)
    moved = tm.evaluate(y, y_score=p, cluster=who).at(prevalence=0.1)
    r = BlockReplicates(counted_of(moved).joint, moved.models, Sampler(0, True), draws=20)
    times = times_of_clusters(r)
    for name in ("precision", "average_precision", "brier"):
        values, whole = r.values(0, Statistic.of(get(name), moved.classes, moved.positive))
        assert whole == pytest.approx(moved[name].value)
        for t, found in zip(times, values, strict=True):
            rows = np.concatenate([np.flatnonzero(who == c) for c in np.repeat(np.arange(40), t)])
            again = tm.evaluate(y[rows], y_score=p[rows]).at(prevalence=0.1)
            assert found == pytest.approx(again.value(name).value), name
    v = moved["precision"]
    assert v.low < v.value < v.high
    assert moved["prevalence"].method.startswith("no interval")


def test_a_draw_without_a_class_is_left_out_at_known_shares():
    who, y = np.repeat(np.arange(6), 4), np.zeros(24, dtype=int)
    y[:3] = y[4:6] = 1
    ev = tm.evaluate(y, y_score=np.linspace(0.9, 0.1, 24), cluster=who).at(prevalence=0.3)
    r = BlockReplicates(counted_of(ev).joint, ev.models, Sampler(0, True), draws=200)
    values, _ = r.values(0, Statistic.of(get("accuracy"), ev.classes, ev.positive))
    gone = times_of_clusters(r)[:, :2].sum(1) == 0
    assert gone.any()
    assert np.array_equal(np.isnan(values), gone)


def test_a_rate_of_one_takes_a_cluster_for_one_row():
    who, y, _ = patients(m=12, k=5, ill=0.5)
    ev = tm.evaluate(y, y, cluster=who)
    v = ev["sensitivity"]
    sizes = np.bincount(who[y == 1])
    n = sizes.sum() ** 2 / (sizes**2).sum()
    assert (v.low, v.high) == pytest.approx(tuple(map(float, wilson(n, n, 1.959964))))
    assert v.method == "Wilson, a cluster as one row (conservative)"
    told = ev["matthews_corrcoef"].method
    assert told == "no interval: cluster bootstrap, 2,000 draws, every draw gives the same"
    moved = ev.at(prevalence=0.2)
    assert moved["precision"].method.endswith("every draw gives the same")  # mixes both classes
    assert moved["sensitivity"].low == pytest.approx(v.low)


# -- means over rows ---------------------------------------------------------------------------


def test_errors_of_single_rows_are_those_of_the_sums():
    _, y, p = several()
    own = Sums._of_rows(y, p)
    single = clustered_errors(y, p, np.arange(len(y)))
    assert single.names == own.names
    for name in own.names:
        assert single.average(name) == pytest.approx(own.mean(name)[1], rel=1e-9)
    w = np.random.default_rng(0).integers(1, 3, len(y)).astype(float)
    weighted = clustered_errors(y, p, np.arange(len(y)), weights=w)
    for name in own.names:
        wanted = Sums._of_rows(y, p, w).mean(name)[1]
        assert weighted.average(name) == pytest.approx(wanted, rel=0.01), name


def test_errors_of_clusters_are_what_drawing_them_shows():
    who, y, p = several(m=80)
    loss = -np.log(p[np.arange(len(y)), y])
    rng = np.random.default_rng(0)
    sums, sizes = np.bincount(who, loss), np.bincount(who)
    drawn = rng.integers(0, 80, (4000, 80))
    slow = np.std(sums[drawn].sum(1) / sizes[drawn].sum(1))
    v = tm.evaluate(y, y_score=p, cluster=who)["log_loss"]
    assert v.method == "mean over rows, of clusters, Student's t with skewness"
    assert v.se == pytest.approx(slow, rel=0.05)
    shares = {0: 0.2, 1: 0.5, 2: 0.3}
    moved = tm.evaluate(y, y_score=p, cluster=who).at(prevalence=shares)["log_loss"]
    means = []
    for rows in drawn[:1500]:
        at = (rows[:, None] * 6 + np.arange(6)).ravel()
        means.append(sum(q * loss[at][y[at] == k].mean() for k, q in shares.items()))
    assert moved.se == pytest.approx(np.std(means), rel=0.08)


def test_the_root_of_a_mean_has_the_root_of_its_bounds():
    who, y, p = several()
    ev = tm.evaluate(y, y_score=p, cluster=who)
    v = ev["root_mean_squared_error"]
    assert 0 < v.low < v.value < v.high
    error = clustered_errors(y, p, who).average("root_mean_squared_error")
    n, most = len(set(who)), METRICS["root_mean_squared_error"].range[1] ** 2
    m = v.value**2 / most
    mean = m + (0.5 - m) / (n + 1)
    by_chance = (1 / 12 + (0.5 - m) ** 2 * n / (n + 1)) / ((n + 1) * (n + 2))
    bounds = matched_beta(mean, (error / most) ** 2 * (n - 1) / (n + 1) + by_chance, 0.95)
    assert (v.low**2, v.high**2) == pytest.approx([most * b for b in bounds], rel=1e-9)


def test_uncertainty_in_clusters_is_the_image_of_the_prevalence():
    # p(1 - p) is greatest at 1/2, where the jackknife holds it in a third of samples.
    held = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        who = np.repeat(np.arange(60), 5)
        y = (rng.random(300) < rng.beta(1, 1, 60)[who]).astype(int)
        v = tm.evaluate(y, y_score=rng.random(300), cluster=who)["uncertainty"]
        held.append(v.low <= 0.25 <= v.high)
        n, p = 60, y.mean()
        bounds = wilson(p * n, n, stats.norm.ppf(0.975))
        least, most = min(b * (1 - b) for b in bounds), max(b * (1 - b) for b in bounds)
        assert v.low == pytest.approx(least)
        assert v.high == pytest.approx(0.25 if bounds[0] < 0.5 < bounds[1] else most)
    assert v.method == "Wilson, a cluster as one row (conservative), of its proportion"
    assert np.mean(held) > 0.93


def test_one_cluster_has_no_error():
    assert math.isnan(clustered_errors(np.array([1, 0]), np.array([0.9, 0.3]), np.zeros(2, int))
                      .average("brier"))  # fmt: skip


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("gini_coefficient", "Obuchowski, clusters, beta posterior"),
        ("accuracy", "jackknife of clusters, Student's t"),
        ("f1", "jackknife of clusters, Student's t"),
        ("average_precision", "jackknife of clusters, Student's t, widened for bias"),
        (
            "expected_calibration_error",
            "cluster bootstrap errors, 2,000 draws, Student's t, widened for bias",
        ),
        ("equal_error_rate", "cluster bootstrap, 2,000 draws"),
        ("positive_likelihood_ratio", "cluster bootstrap, 2,000 draws"),
    ],
)
def test_which_method_a_number_of_clusters_gets(name, method):
    who, y, s = patients()
    v = tm.evaluate(y, y_score=probable(s), cluster=who)[name]
    assert v.method == method
    told = "errors are correlated within clusters, which inflates it"
    assert (v.warning == told) == (name == "expected_calibration_error")


def test_a_bounded_mean_over_rows_of_clusters_gets_a_beta_posterior():
    who, y, p = several()
    ev = tm.evaluate(y, y_score=p, cluster=who)
    assert ev["brier"].method == "mean over rows, of clusters, beta posterior"
    assert ev["log_loss"].method == "mean over rows, of clusters, Student's t with skewness"


# -- more than two classes ---------------------------------------------------------------------


@pytest.mark.slow
def test_every_number_of_three_classes_has_an_interval_or_says_why():
    who, y, p = several()
    ev = tm.evaluate(y, y_score=p, cluster=who)
    for name, v in ev.values()["model"].items():
        if v.reason is None:
            assert v.method is not None, name
            assert v.low <= v.value <= v.high or v.method.startswith("no interval"), name
    assert ev["hand_till_auc"].method == "jackknife of clusters, Student's t"
    micro = ev.value("roc_auc", average="micro")
    assert micro.method == "no interval: a ranking of all classes together repeats every row"
    pair = ev.value("roc_auc", average="macro", classes=[0, 2])
    assert pair.low < pair.value < pair.high
    assert ev["provost_domingos_auc"].low < ev["provost_domingos_auc"].value


@pytest.mark.slow
def test_one_class_against_the_rest_keeps_its_clusters():
    who, y, p = several()
    # Draws depend on every bit of a score, and exp() on the processor in the last one.
    p = np.round(p, 6)
    p /= p.sum(1, keepdims=True)
    found = tm.evaluate(y, y_score=p, cluster=who).per_class()["model"][1]
    binary = tm.evaluate(
        (y == 1).astype(int), (p.argmax(1) == 1).astype(int), y_score=p[:, 1], cluster=who
    )
    for name, v in found.items():
        other = binary[name]
        assert v.value == pytest.approx(other.value), name
        if math.isinf(other.high):
            assert v.high == math.inf
            assert v.low == pytest.approx(other.low, rel=0.2), name
            continue
        # Rows that hold other columns are drawn in another order: scales differ between metrics.
        near = 0.01 if name in PER_CLASS else 0.15 * (other.high - other.low) + 0.01
        assert (v.low, v.high) == pytest.approx((other.low, other.high), abs=near, nan_ok=True), (
            name
        )
        assert v.method == other.method, name


def test_decisions_alone_of_many_classes():
    rng = np.random.default_rng(0)
    who, y = np.repeat(np.arange(50), 8), rng.integers(0, 40, 400)
    pred = np.where(rng.random(400) < 0.6, y, rng.integers(0, 40, 400))
    v = tm.evaluate(y, pred, cluster=who)["accuracy"]
    assert v.low < v.value < v.high


@pytest.mark.slow
def test_decisions_of_hundreds_of_classes_take_fewer_draws(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, 2000)
    pred = np.where(rng.random(2000) < 0.6, y, rng.integers(0, 30, 2000))
    who = np.arange(2000) // 2
    monkeypatch.setattr("tallymark.infer.clustered.MOST_CELLS", 700 * 900)
    ev = tm.evaluate(y, pred, cluster=who)
    assert ev["cohen_kappa"].method == "jackknife of clusters, Student's t"
    assert ev.value("cohen_kappa", method="percentile").method == "cluster bootstrap, 700 draws"
    assert len(ev._inference.clusters("model")._decided.blocks) == 700
    monkeypatch.setattr("tallymark.infer.clustered.MOST_CELLS", 400 * 900)
    v = tm.evaluate(y, pred, cluster=who)["cohen_kappa"]
    assert v.method == "no interval: with this many classes the clusters are not resampled"
    few = tm.evaluate(y, pred, cluster=who % 300).value("cohen_kappa", method="percentile")
    assert few.method == "cluster bootstrap, 500 draws"


def test_scores_of_too_many_classes_are_not_resampled_in_clusters():
    rng = np.random.default_rng(0)
    k, n = 40, 1200
    who, y = np.arange(n) // 2, rng.integers(0, k, n)
    p = rng.random((n, k)) + 0.7 * np.eye(k)[y]
    ev = tm.evaluate(y, y_score=p, cluster=who)
    v = ev["roc_auc"]
    assert v.method == "no interval: with this many classes the clusters are not resampled"
    assert ev["accuracy"].low < ev["accuracy"].value  # decisions are, and means over rows
    assert ev["top_k_accuracy"].low < ev["top_k_accuracy"].value


# -- what is said, and what is refused ---------------------------------------------------------


def test_a_row_of_one_score_takes_thirteen_bytes_beside_its_cluster():
    who, y, s = patients()
    assert counted_of(tm.evaluate(y, y_score=s, cluster=who)).joint.nbytes == 13 * len(y)


def test_the_clusters_are_told():
    who, y, s = patients(m=19, k=3)
    ev = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5)
    assert ev.clusters == 19
    notes = {n.rule: n.text for n in ev.notes}
    assert notes["clusters"].startswith("the 57 rows come in 19 clusters of up to 3 rows, by ")
    assert notes["few-clusters"].startswith("there are only 19 clusters, too few to show")
    enough = tm.evaluate(y, y_score=s, cluster=np.arange(57), threshold=0.5)
    notes = {n.rule: n.text for n in enough.notes}
    assert "57 clusters of one row each" in notes["clusters"]
    assert "few-clusters" not in notes
    assert tm.evaluate(y, y_score=s, threshold=0.5).clusters is None


def test_one_cluster_alone_gives_no_interval():
    _, y, s = patients(m=10)
    ev = tm.evaluate(y, y_score=s, cluster=["only"] * 80, threshold=0.5)
    for name in ("accuracy", "roc_auc", "average_precision", "spherical_score"):
        if name in ev.values()["model"]:
            assert ev[name].method == "no interval: all rows are of one cluster"
    notes = {n.rule: n.text for n in ev.notes}
    assert "in one cluster of up to 80 rows" in notes["clusters"]
    assert "no interval can be computed" in notes["few-clusters"]


def test_methods_of_rows_are_refused():
    who, y, s = patients(m=20)
    ev = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5)
    with pytest.raises(InputError, match="it treats rows as independent, and these are clustered"):
        ev.value("f1", method="bca")
    with pytest.raises(InputError, match="draws is 20; an interval needs at least 100"):
        ev.value("f1", draws=20)
    assert ev.value("f1", draws=300).method == "cluster bootstrap, 300 draws"
    alone = tm.evaluate(y, y_score=s, threshold=0.5)
    with pytest.raises(InputError, match="come in no clusters; say which with cluster="):
        Clustered.of(counted_of(alone), "model")


def test_what_takes_rows_as_independent_is_left_out():
    who, y, s = patients()
    ev = tm.evaluate(y, y_score=probable(s), cluster=who)
    assert ev.no_information().p_values == {"model": None}
    assert all(np.isnan(low).all() for _, low, _ in ev._sweep()["model"].metrics.values())
    for name in ("calibration", "deciles"):
        assert np.isnan(ev.curve(name).low).all()
        assert np.isnan(ev.curves()["model"][name].high).all()
    assert np.isnan(ev.curve("precision", over="prevalence").low).all()
    assert ev.curve("roc").low is None
    alone = tm.evaluate(y, y_score=probable(s))
    assert not np.isnan(alone.curve("calibration").low).any()
    assert str(ev.advise())
    pair = tm.evaluate(y, {"a": y, "b": probable(s) > 0.5}, cluster=who).compare().pairs[0]
    assert [t.name for t in pair.tests] == ["permutation of matthews_corrcoef"]
    assert "clusters" in pair.tests[0].reason


@pytest.mark.slow
def test_the_page_and_the_json_of_rows_in_clusters(tmp_path):
    who, y, s = patients()
    ev = tm.evaluate(y, y_score=probable(s), cluster=who)
    page = ev.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "There are no bars" in page
    assert "undefined to" not in page
    assert "nanV" not in page
    schema = json.loads(
        (files("tallymark") / "schema/evaluation.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.validate(json.loads(ev.to_json()), schema)


def test_a_chosen_threshold_flatters_more_where_rows_are_alike():
    who, y, s = patients(m=25, k=12, own=2.0)
    alone, grouped = (
        tm.evaluate(y, y_score=s, threshold=0.5, cluster=c).optimal_threshold("f1")
        for c in (None, who)
    )
    assert grouped.threshold == alone.threshold
    assert grouped.best.optimism > 1.5 * alone.best.optimism > 0
    a, b = alone.best.corrected, grouped.best.corrected
    assert b.high - b.low > 1.3 * (a.high - a.low)
    assert "cluster" in b.method
    more = tm.evaluate(y, y_score=s, threshold=0.5, cluster=who).optimal_threshold(
        "f1", repeats=500
    )
    assert more.repeats == 500
    assert more.best.optimism == pytest.approx(grouped.best.optimism, rel=0.3)


def test_the_optimism_is_that_of_clusters_split_row_by_row():
    who, y, s = patients(m=24, k=4, own=2.0)
    s = np.round(s, 1)
    ev = tm.evaluate(y, y_score=s, threshold=0.5, cluster=who)
    found = ev.optimal_threshold("youden_j", repeats=300)
    cuts, rng, gaps = np.unique(s)[::-1], np.random.default_rng(5), []

    def rates(own):  # TPR and FPR at every cut, from the highest down
        return np.array([(s[own & (y == k), None] >= cuts).mean(0) for k in (1, 0)])

    for _ in range(600):
        own = np.isin(who, rng.choice(24, 12, replace=False))
        for a, b in ((own, ~own), (~own, own)):
            mine, theirs = rates(a), rates(b)
            gaps.append((mine - theirs)[:, (mine[0] - mine[1]).argmax()])
    here = rates(np.ones(len(y), bool))
    tpr, fpr = here[:, (here[0] - here[1]).argmax()] - np.mean(gaps, 0) * 2 / 3
    assert found.best.corrected.value == pytest.approx(tpr - fpr, abs=0.01)
    assert found.best.optimism > 0.01


def test_the_expected_number_of_clusters_is_that_of_draws_less_the_optimism():
    who, y, s = patients(m=24, k=4, own=2.0)
    ev = tm.evaluate(y, y_score=s, threshold=0.5, cluster=who)
    found = ev.optimal_threshold("youden_j")
    here, new = ev.at(threshold=found.threshold)["youden_j"], found.best.corrected
    # J is linear in the rates: its interval is that of the decisions, moved by the optimism.
    assert new.low == pytest.approx(here.low - found.best.optimism, abs=0.04)
    assert new.high == pytest.approx(here.high - found.best.optimism, abs=0.04)


@pytest.mark.slow
def test_a_model_taken_out_and_another_threshold_keep_the_clusters():
    who, y, s = patients()
    ev = tm.evaluate(y, y_score={"a": s, "b": -s}, cluster=who, threshold=0.5)
    assert ev.model("b")["f1"].method == "jackknife of clusters, Student's t"
    assert ev.model("b")["f1"] == ev.values()["b"]["f1"]
    moved = ev.model("a").at(threshold=1.5)["f1"]
    direct = tm.evaluate(y, y_score=s, threshold=1.5, cluster=who)["f1"]
    assert (moved.low, moved.high) == (direct.low, direct.high)
    # Draws depend on what the rows hold: those of decisions alone are others.
    decided = tm.evaluate(y, (s >= 1.5).astype(int), cluster=who)["f1"]
    assert (moved.low, moved.high) == pytest.approx((decided.low, decided.high), abs=0.01)


def test_every_metric_of_two_classes_has_an_interval_or_says_why():
    who, y, s = patients(m=30)
    ev = tm.evaluate(y, y_score=probable(s), cluster=who)
    found = ev.values()["model"]
    for name, v in found.items():
        assert name in METRICS
        if v.reason is None:
            assert v.low <= v.value <= v.high or v.method.startswith("no interval"), name
    wide = tm.evaluate(y, y_score=probable(s)).values()["model"]
    wider = [n for n in ("accuracy", "sensitivity", "f1", "roc_auc", "brier", "average_precision")
             if found[n].high - found[n].low > 1.1 * (wide[n].high - wide[n].low)]  # fmt: skip
    assert len(wider) == 6


def test_the_same_rows_in_another_order_of_clusters_are_the_same():
    who, y, s = patients()
    a = tm.evaluate(y, y_score=s, cluster=who, threshold=0.5)
    b = tm.evaluate(y, y_score=s, cluster=[f"p{59 - w}" for w in who], threshold=0.5)
    assert a["f1"] == b["f1"]
    assert replace(a, seed=1)["f1"].low == pytest.approx(a["f1"].low)
    assert a["lift"] == b["lift"] != replace(a, seed=1)["lift"]


def test_what_chance_adds_is_taken_off_association_of_clusters_too():
    """Decisions that know nothing: mutual information is all chance, and 0 is not left out."""
    who, y, _ = patients(m=40, k=6, seed=8)
    named = np.random.default_rng(1).permutation(y)
    v = tm.evaluate(y, named, cluster=who)["mutual_information"]
    assert v.method.endswith("widened for bias")
    assert v.low == 0 < v.value < v.high


def test_an_infinite_loss_of_rows_in_clusters_has_an_infinite_difference():
    rng = np.random.default_rng(0)
    y, p = np.tile([0, 1], 30), np.round(0.2 + 0.6 * rng.random(60), 2)
    p[[0, 20]] = 1  # certain, and wrong
    ev = tm.evaluate(
        y, y_score=p, cluster=np.arange(60) // 4, subgroup={"g": np.arange(60) % 3 % 2}
    )
    one, other = (float(d.difference) for d in ev.by("g").differences("log_loss"))
    assert (one, other) == (math.inf, -math.inf)
    rows = Clustered.of(counted_of(ev), ev.names[0])
    assert np.isnan(rows.moves(Statistic(get("log_loss"), "overall", 1))).all()
