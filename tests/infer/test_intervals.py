from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tallymark as tm
from tallymark.infer.intervals import interval, interval_of
from tallymark.infer.methods import matched_beta
from tallymark.infer.samples import Single, Tallies
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import quantile, wilson
from tallymark.tally.sums import Sums, class_sums, class_tallies

Z = quantile(0.95)

FEWER = settings(max_examples=settings.default.max_examples // 2)
"""For a law that many metrics keep, each in a test of its own."""


def tally(tp, fp, fn, tn):
    return tm.LabelTally((0, 1), np.array([[tn, fp], [fn, tp]], dtype=float))


def judged(name, t, **options):
    labels = t.labels if isinstance(t, tm.LabelTally) else t[0].labels
    positive = None if len(labels) > 2 else 1
    return interval_of(Statistic.of(get(name), labels, positive), t, **options)


@given(n=st.integers(1, 4000), share=st.floats(0, 1), level=st.floats(0.5, 0.999))
def test_wilson_is_scipys(n, share, level):
    k = round(n * share)
    theirs = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    low, high = wilson(k, n, quantile(level))
    assert (float(low), float(high)) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_contains_its_proportion_at_the_ends():
    assert float(wilson(0, 7, Z)[0]) == 0.0
    assert float(wilson(7, 7, Z)[1]) == 1.0
    assert np.isnan(wilson(0, 0, Z)).all()


def test_proportions_get_wilson_and_say_so():
    t = tally(70, 20, 30, 80)
    for name, k, n in [
        ("accuracy", 150, 200), ("sensitivity", 70, 100), ("specificity", 80, 100),
        ("precision", 70, 90), ("negative_predictive_value", 80, 110), ("jaccard", 70, 120),
        ("error_rate", 50, 200), ("false_discovery_rate", 20, 90), ("prevalence", 100, 200),
    ]:  # fmt: skip
        v = judged(name, t)
        low, high = wilson(k, n, Z)
        assert (v.low, v.high) == pytest.approx((float(low), float(high)))
        assert v.method == "Wilson"
        assert v.level == 0.95


def test_the_bootstrap_agrees_with_the_delta_method():
    """Standard errors by resampling the tally and by complex step, at an asymmetric point."""
    t = tally(170, 60, 45, 900)
    n = t.counts.sum()
    for name in ("f1", "matthews_corrcoef", "cohen_kappa", "balanced_accuracy", "youden_j",
                 "markedness", "f2", "lift", "discriminant_power"):  # fmt: skip
        metric = METRICS[name]
        gradient = np.zeros((2, 2))
        for i in range(2):
            for j in range(2):
                moved = t.counts.astype(complex)
                moved[i, j] += 1e-30j
                (tn, fp), (fn, tp) = moved
                data = moved if metric._needs == "matrix" else tm.Counts(tp, fp, fn, tn)
                gradient[i, j] = complex(
                    np.asarray(metric._function(data, **metric.params))
                ).imag / 1e-30  # fmt: skip
        p = t.counts / n
        error = math.sqrt(n * ((p * gradient**2).sum() - (p * gradient).sum() ** 2))
        v = judged(name, t)
        assert (v.high - v.low) / (2 * Z) == pytest.approx(error, rel=0.06), name


def test_the_bootstrap_of_scores_agrees_with_delong_and_with_resampled_rows():
    rng = np.random.default_rng(3)
    y = (rng.random(700) < 0.3).astype(int)
    s = np.round(rng.normal(y * 1.3, 1.0), 2)
    p = 1 / (1 + np.exp(-s))
    t = (tm.ScoreTally.from_arrays(y, p),)
    ap, brier = judged("average_precision", t), judged("brier", t)
    rows = rng.integers(0, 700, (600, 700))
    drawn = [(tm.metrics.average_precision(y[i], p[i]), tm.metrics.brier(y[i], p[i])) for i in rows]
    for v, column in zip((ap, brier), zip(*drawn, strict=True), strict=True):
        assert (v.high - v.low) / (2 * Z) == pytest.approx(np.std(column), rel=0.12)
    # AUC's optimistic twin has no ties here to speak of, so both methods must agree
    auc, twin = judged("roc_auc", t), judged("roc_auc_optimistic", t)
    assert twin.high - twin.low == pytest.approx(auc.high - auc.low, rel=0.12)


@pytest.mark.slow
def test_coarse_resampling_of_many_scores_has_the_same_spread():
    rng = np.random.default_rng(8)
    y = (rng.random(20_000) < 0.02).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(y * 2.0 - 3, 1.0)))
    t = tm.ScoreTally.from_arrays(y, p)
    assert len(t.scores) > 10_000
    v = judged("average_precision", (t,))
    assert v.low < v.value < v.high
    drawn = []
    for _ in range(150):
        i = rng.integers(0, len(y), len(y))
        drawn.append(tm.metrics.average_precision(y[i], p[i]))
    assert (v.high - v.low) / (2 * Z) == pytest.approx(np.std(drawn), rel=0.2)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.family == "threshold"])
@FEWER
@given(cells=st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_an_interval_holds_its_value_inside_the_range(name, cells):
    v = judged(name, tally(*cells))
    metric = METRICS[name]
    assert math.isnan(v.value) == (v.reason is not None)
    if v.reason:
        assert math.isnan(v.low)
        assert v.level is None
    elif math.isnan(v.low):
        assert v.method.startswith("no interval")
    else:
        assert metric.range[0] <= v.low <= v.value <= v.high <= metric.range[1]
        assert v.low < v.high


def test_a_perfect_matrix_has_an_interval_of_some_width():
    t = tally(20, 0, 0, 30)
    for name in ("matthews_corrcoef", "f1", "cohen_kappa", "youden_j"):
        v = judged(name, t)
        assert v.value == v.high == 1.0
        assert 0.7 < v.low < 0.99
        assert "Dirichlet posterior" in v.method
    odds = judged("diagnostic_odds_ratio", t)
    assert odds.value == math.inf
    assert 10 < odds.low < math.inf


def test_classes_of_three():
    t = tm.LabelTally((0, 1, 2), np.array([[50, 3, 7], [2, 30, 9], [11, 0, 21]], dtype=float))
    for name in ("accuracy", "cohen_kappa", "f1", "balanced_accuracy"):
        v = judged(name, t)
        assert 0 < v.low < v.value < v.high < 1
    assert judged("f1", t).definition["average"] == "macro"
    perfect = tm.LabelTally((0, 1, 2), np.diag([9.0, 5.0, 7.0]))
    v = judged("cohen_kappa", perfect)
    assert v.value == 1
    assert v.low < 0.99


def test_weighted_rows_are_worth_fewer():
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    plain = tm.LabelTally.from_arrays(y, p)
    equal = tm.LabelTally.from_arrays(y, p, sample_weight=np.full(400, 7.0))
    a, b = judged("sensitivity", plain), judged("sensitivity", equal)
    assert (b.low, b.high) == pytest.approx((a.low, a.high))
    assert b.method == "Wilson, weighted rows"
    unequal = tm.LabelTally.from_arrays(y, p, sample_weight=rng.exponential(1, 400))
    wide, f1 = judged("sensitivity", unequal), judged("f1", unequal)
    assert wide.high - wide.low > 1.2 * (a.high - a.low)
    assert f1.method == "jackknife, Student's t, weighted rows"


def test_seeds_repeat_and_levels_nest():
    t = tally(70, 20, 30, 80)
    assert judged("lift", t, seed=4) == judged("lift", t, seed=4)
    assert judged("lift", t, seed=4) != judged("lift", t, seed=5)
    narrow, wide = judged("f1", t, level=0.8), judged("f1", t, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high
    with pytest.raises(tm.InputError, match=r"level is 95; it must lie between 0 and 1"):
        judged("f1", t, level=95)


def test_losses_of_many_classes_rest_on_the_rows():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 900)
    p = rng.dirichlet(np.ones(4), 900) * 0.7 + 0.3 * np.eye(4)[y]
    tallies = class_tallies(y, p)
    sums = Sums._of_rows(y, p)
    one = Single(None, tallies, sums)
    names = ("log_loss", "brier", "mean_absolute_error", "root_mean_squared_error")
    found = interval({n: Statistic.of(get(n), (0, 1, 2, 3)) for n in names}, one)
    for name in names:
        v = found[name].value()
        mean, _ = sums.mean(name)
        assert v.value == pytest.approx(math.sqrt(mean) if "root" in name else mean)
        assert v.low < v.value < v.high
    squared = ((p - np.eye(4)[y]) ** 2).sum(1)
    brier = found["brier"].value()
    assert brier.se == pytest.approx(squared.std(ddof=1) / math.sqrt(900), rel=1e-9)
    # A row more, anywhere from 0 to 2, and weights of the others drawn anew.
    rng, n = np.random.default_rng(0), 900
    weights = rng.dirichlet(np.ones(n + 1), 4000)
    drawn = weights[:, :n] @ squared + weights[:, n] * rng.uniform(0, 2, 4000)
    bounds = np.quantile(drawn, [0.025, 0.975])
    assert (brier.low, brier.high) == pytest.approx(bounds, abs=0.03 * (bounds[1] - bounds[0]))


def test_a_bounded_mean_of_rows_alike_is_not_taken_for_certain():
    # The losses of nearly separable classes are nearly all 0: the few others are yet to come.
    y = np.arange(30) % 2
    v = tm.evaluate(y, y_score=np.where(y == 1, 0.999, 0.001))["spherical_score"]
    assert v.method == "mean over rows, beta posterior"
    assert 0.9 < v.low < 0.97 < v.value <= v.high
    low, _ = matched_beta(30.5 / 31, (1 / 12 + 0.25 * 30 / 31) / (31 * 32), 0.95)  # of all 1
    assert v.low == pytest.approx(low, abs=1e-5)


@pytest.mark.slow
def test_what_chance_pushes_one_way_is_held_with_its_bias():
    # Of five even classes agreement by chance is least: percentiles alone hold it in 87 %.
    rng, held = np.random.default_rng(0), []
    statistic = Statistic.of(get("expected_agreement"), range(5))
    for _ in range(100):
        y = rng.integers(0, 5, 500)
        t = tm.LabelTally.from_arrays(y, (y + rng.integers(0, 3, 500)) % 5)
        v = interval_of(statistic, t)
        held.append(v.low <= 0.2 <= v.high)
        assert v.method.endswith("widened for bias")
    assert np.mean(held) > 0.95


def test_averages_over_classes_are_conservative():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 500)
    p = rng.dirichlet(np.ones(3), 500) * 0.6 + 0.4 * np.eye(3)[y]
    v = judged("roc_auc", class_tallies(y, p))
    assert "conservative" in v.method
    drawn = [tm.metrics.roc_auc(y[i], p[i]) for i in rng.integers(0, 500, (150, 500))]
    assert (v.high - v.low) / (2 * Z) >= np.std(drawn) * 0.95


def test_what_grows_with_the_rows_keeps_the_scale_of_the_weights():
    # Every weight 2: twice the statistic, and the interval of as many rows.
    counts = np.array([[60.0, 10.0], [15.0, 40.0]])
    plain = judged("chi_square", tm.LabelTally((0, 1), counts))
    twice = judged("chi_square", tm.LabelTally((0, 1), 2 * counts, 4 * counts, 125))
    assert (twice.low, twice.high) == pytest.approx((2 * plain.low, 2 * plain.high))
    empty = counts * [[1, 0], [1, 1]]
    plain = judged("chi_square", tm.LabelTally((0, 1), empty))
    twice = judged("chi_square", tm.LabelTally((0, 1), 2 * empty, 4 * empty, 115))
    assert (twice.low, twice.high) == pytest.approx((2 * plain.low, 2 * plain.high))
    y, p = np.tile([0, 1, 0, 1, 1], 40), np.tile([0.1, 0.8, 0.4, 0.6, 0.3], 40)
    one = judged("hosmer_lemeshow", [tm.ScoreTally.from_arrays(y, p)])
    two = judged(
        "hosmer_lemeshow", [tm.ScoreTally.from_arrays(y, p, sample_weight=np.full(200, 2.0))]
    )
    assert (two.low, two.high) == pytest.approx((2 * one.low, 2 * one.high))


def test_the_top_k_of_k_classes_has_no_interval():
    y, scores = np.arange(30) % 3, np.random.default_rng(0).random((30, 3))
    tallies = class_tallies(y, scores)
    _, sums = class_sums(y, scores)
    made = interval(
        {str(k): Statistic.of(get("top_k_accuracy"), (0, 1, 2), k=k) for k in (2, 3)},
        Single(None, tallies, sums),
    )
    found = {k: made[str(k)].value() for k in (2, 3)}
    assert 0 < found[2].low < found[2].value < found[2].high < 1
    assert found[3].value == 1
    assert math.isnan(found[3].low)


def test_the_range_at_the_parameters_bounds_the_interval():
    y = np.tile([1, 0, 0, 1], 30)
    t = tm.ScoreTally.from_arrays(y, 0.3 - 0.2 * y + np.linspace(0, 0.3, 120))
    s = Statistic.of(get("partial_roc_auc"), (0, 1), 1, standardized=True, axis="tpr")
    v = interval_of(s, [t])
    assert v.low < v.value < v.high < 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.slow
def test_numbers_of_scores_judged_on_several_threads_are_those_of_one(weighted, monkeypatch):
    rng = np.random.default_rng(6)
    true = rng.random(1500) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(size=1500) - true))
    weights = rng.random(1500) if weighted else None
    found = {}
    for threads in (1, 3):
        monkeypatch.setattr("tallymark.infer.score_samples.threads_for", lambda *_, t=threads: t)
        ev = tm.evaluate(true, y_score=score, weight=weights)
        found[threads] = repr(ev.values())
    assert found[3] == found[1]


def test_what_a_thread_cannot_judge_is_told(monkeypatch):
    rng = np.random.default_rng(6)
    ev = tm.evaluate(rng.random(900) < 0.3, y_score=rng.random(900))
    monkeypatch.setattr("tallymark.infer.score_samples.threads_for", lambda *_: 3)
    monkeypatch.setattr(
        "tallymark.infer.score_samples.jackknife",
        lambda *_: (_ for _ in ()).throw(KeyError("lost")),
    )
    with pytest.raises(KeyError, match="lost"):
        ev.values()


LABELS = (0, 1)
LEVEL = 0.9


def tables(n=12, k=2, weighted=False, least=6, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.integers(least, 80, (n, k, k)).astype(float)
    counts += 60 * np.eye(k)
    if not weighted:
        return counts, None
    mean = rng.uniform(0.5, 2, counts.shape)  # of each cell's weights, with some spread
    return counts * mean, counts * mean**2 * 1.2


def of(name, labels=LABELS):
    return Statistic.of(get(name), labels, labels[1] if len(labels) == 2 else None)


def same(a, b):
    """Hold two values to each other: number, bounds, method, reason and warning."""
    assert (a.method, a.reason, a.warning, a.definition) == (
        b.method, b.reason, b.warning, b.definition
    )  # fmt: skip
    numbers = [(v.value, v.low, v.high) for v in (a, b)]
    np.testing.assert_allclose(*numbers, rtol=1e-12, atol=1e-12, err_msg=a.metric)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.slow
def test_a_stack_of_matrices_gets_what_each_of_them_gets(weighted, k, fixed):
    labels = tuple(range(k))
    counts, squares = tables(8, k, weighted, least=0 if k == 2 else 6)
    counts[1, 0, 1] = counts[2, 1, 0] = counts[2, 0, 1] = counts[3, :, 1] = 0
    if weighted:
        squares *= counts > 0
    wanted = {
        m.name: of(m.name, labels) for m in METRICS.values() if m._needs in ("counts", "matrix")
    }
    options = {"level": LEVEL, "stratified": fixed, "seed": 3}
    found = interval(wanted, Tallies(labels, (counts, squares)), **options)
    kinds = set()
    for i in range(8):
        t = tm.LabelTally(labels, counts[i], None if squares is None else squares[i])
        for name, s in wanted.items():
            v = found[name].value(i)
            same(v, interval_of(s, t, **options))
            kinds.add(str(v.method).split(",")[0].split(" within")[0])
    assert {"jackknife", "Dirichlet posterior"} <= kinds
    assert (fixed and k > 2) or "Wilson" in kinds
    assert fixed or {"percentile bootstrap"} <= kinds


def test_which_interval_a_matrix_gets_hangs_on_the_matrix_alone():
    full, empty = [[40.0, 9.0], [5.0, 45.0]], [[40.0, 0.0], [5.0, 45.0]]
    few, nothing = [[200.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]
    counts = np.array([full, empty, few, nothing])
    found = interval({"": of("f1")}, Tallies(LABELS, (counts, None)))[""]
    assert found.methods == [
        "jackknife, Student's t",
        "Dirichlet posterior, 1,000 draws",
        "Dirichlet posterior, 1,000 draws",
        None,
    ]
    lift, odds = (
        interval({"": of(name)}, Tallies(LABELS, (counts, None)))[""]
        for name in ("lift", "diagnostic_odds_ratio")
    )
    assert lift.methods[:2] == [
        "percentile bootstrap, 1,000 draws", "Dirichlet posterior, 1,000 draws"
    ]  # fmt: skip
    assert odds.methods == ["skewness-corrected score"] * 3 + [None]


def scores(n=200, seed=0, weighted=False, digits=2):
    rng = np.random.default_rng(seed)
    parts = []
    for s in range(5):
        p = rng.uniform(0.01, 0.99, n).round(digits)
        if s == 3:
            p = np.where(rng.random(n) < 0.5, 0.2, 0.9)  # ranks without a mistake
        y = (rng.random(n) < p).astype(int) if s != 3 else (p > 0.5).astype(int)
        if s == 4:
            y[:] = 1  # one class alone
        parts.append((np.full(n, s), p, y))
    where, p, y = (np.concatenate(v) for v in zip(*parts, strict=True))
    return y, p, where, rng.uniform(0.5, 2, len(y)) if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_of_scores_of_subgroups_are_those_of_each_alone(weighted):
    y, p, where, w = scores(weighted=weighted)
    ev = tm.evaluate(y, y_score=p, weight=w, subgroup={"at": where}, positive=1)
    names = ["roc_auc", "gini_coefficient", "brier", "log_loss", "mean_absolute_error",
             "root_mean_squared_error", "average_precision", "kolmogorov_smirnov"]  # fmt: skip
    found = ev.by("at").values(names)
    for i in range(5):
        part = where == i
        weight = None if w is None else w[part]
        t = tm.ScoreTally.from_arrays(y[part], p[part], sample_weight=weight, labels=[0, 1])
        for name in names:
            same(found[i][name], interval_of(of(name), [t]))


def test_an_endless_loss_has_no_interval_and_few_rows_that_carry_one_are_told():
    where = np.array([0] * 40 + [1] * 40)
    p, y = np.tile([0.0, 0.5], 40), np.tile([1, 0], 40)
    p[40:], y[40:] = 0.9, 1
    p[79], y[41] = 0.0001, 0  # one row carries the loss of the second subgroup
    ev = tm.evaluate(y, y_score=p, subgroup={"at": where}, positive=1)
    found = ev.by("at").values(["log_loss"])
    assert found[0]["log_loss"].method == "no interval: the value is infinite"
    assert found[1]["log_loss"].warning == "it depends mostly on few rows"


def test_values_take_the_place_of_some_of_a_stack():
    matrices, _ = tables()
    made = interval({"": of("f1")}, Tallies(LABELS, (matrices, None)))[""]
    other = interval_of(of("f1"), tm.LabelTally(LABELS, matrices[1]), level=0.5)
    changed = made.replaced({1: other})
    assert (changed.value(1).low, changed.value(1).high) == (other.low, other.high)
    assert changed.value(0) == made.value(0)
    assert made.replaced({}) is made


# -- samples drawn with known chances --------------------------------------------------------------


@pytest.mark.parametrize("design", ["case-control", "two-phase"])
@pytest.mark.slow
def test_inverse_chances_as_weights_give_the_numbers_of_the_population(design):
    """Weighted values lie around those of all rows, and their errors are what samples show."""
    rng = np.random.default_rng(7)
    names = ("accuracy", "specificity", "precision", "f1", "sensitivity")
    y = (rng.random(200_000) < 0.1).astype(int)
    x = rng.normal(size=len(y)) + 1.5 * y
    everyone, found = tm.evaluate(y, y_score=x, threshold=1), {name: [] for name in names}
    chance = np.where((y == 1) if design == "case-control" else (x >= 1), 1.0, 0.1)
    for _ in range(60):
        rows = rng.integers(0, len(y), 3000)
        rows = rows[rng.random(3000) < chance[rows]]
        ev = tm.evaluate(y[rows], y_score=x[rows], threshold=1, weight=1 / chance[rows])
        for name in names:
            v = ev[name]
            found[name].append((v.value, v.se, v.low <= everyone[name].value <= v.high))
    unweighted = tm.evaluate(y[rows], y_score=x[rows], threshold=1)
    assert abs(unweighted["precision"].value - everyone["precision"].value) > (
        0.3 if design == "case-control" else -1
    )
    for name, runs in found.items():
        values, errors, held = np.array(runs, dtype=float).T
        slack = 3 * values.std() / math.sqrt(len(values)) + 0.004
        assert values.mean() == pytest.approx(everyone[name].value, abs=slack), name
        assert errors.mean() == pytest.approx(values.std(), rel=0.25), name
        assert held.mean() >= 0.88, name


@pytest.mark.parametrize("design", ["case-control", "two-phase"])
@pytest.mark.slow
def test_fixed_numbers_of_each_stratum_vary_no_more_than_their_errors_say(design):
    """Of 2,000 rows all of one stratum are taken and a tenth of the other."""
    rng = np.random.default_rng(7)
    y = (rng.random(200_000) < 0.1).astype(int)
    x = rng.normal(size=len(y)) + 1.5 * y
    taken = (y == 1) if design == "case-control" else x >= 1
    strata, share = (np.flatnonzero(taken), np.flatnonzero(~taken)), taken.mean()
    sizes = round(2000 * share), round(200 * (1 - share))
    everyone = tm.evaluate(y, y_score=x, threshold=1)
    true = {name: everyone[name].value for name in ("specificity", "precision", "sensitivity")}
    found = {name: [] for name in true}
    for _ in range(200):
        rows = np.concatenate([rng.choice(*each) for each in zip(strata, sizes, strict=True)])
        weights = np.repeat([1.0, 10.0], sizes)
        ev = tm.evaluate(y[rows], y_score=x[rows], threshold=1, weight=weights)
        for name in true:
            v = ev[name]
            found[name].append((v.value, v.se, v.low <= true[name] <= v.high))
    for name, runs in found.items():
        values, errors, held = np.array(runs, dtype=float).T
        assert errors.mean() > 0.9 * values.std(), name
        assert held.mean() > 0.9, name


@pytest.mark.slow
def test_six_positives_of_weight_ten_are_too_few_for_the_interval_of_an_area():
    rng, held, missed, n = np.random.default_rng(7), 0, 0, 200
    y, true = np.arange(2000) < 200, stats.norm.cdf(1.5 / math.sqrt(2))
    for _ in range(n):
        x = rng.normal(1.5 * y)
        rows = (x >= 1) | (rng.random(2000) < 0.1)
        weights = np.where(x[rows] >= 1, 1.0, 10.0)
        v = tm.evaluate(y[rows], y_score=x[rows], threshold=1, weight=weights)["roc_auc"]
        held += v.low <= true <= v.high
        missed += (y & rows & (x < 1)).sum()
    assert missed / n == pytest.approx(6, abs=0.3)
    assert held / n == pytest.approx(0.9, abs=0.03)
