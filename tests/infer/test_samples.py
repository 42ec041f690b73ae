"""Leaving rows out, and the scale of a range."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tallymark.infer.intervals import interval_of
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import FEW_FREEDOMS, Neighbours, critical_value, scaled
from tallymark.infer.score_samples import GROUPS, jackknife
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally


def rows(n=60, seed=0, digits=1):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, np.round(1 / (1 + np.exp(-(rng.normal(size=n) + y))), digits)


def of(name, **params):
    return Statistic.of(get(name), (0, 1), 1, **params)


def slow_jackknife(y, p, metric):
    values = [metric(np.delete(y, i), np.delete(p, i)) for i in range(len(y))]
    n = len(y)
    squares = [(v - np.mean(values)) ** 2 for v in values]
    # The variance of a sum of n squares is n times their variance: Satterthwaite's freedom.
    freedom = 2 * sum(squares) ** 2 / (n * np.var(squares))
    return math.sqrt((n - 1) / n * sum(squares)), freedom


def test_the_jackknife_leaves_out_every_row_once():
    y, p = rows()
    t = ScoreTally.from_arrays(y, p)
    left = jackknife(of("average_precision"), t)
    error, freedom = slow_jackknife(y, p, get("average_precision"))
    assert (left.error, left.degrees_of_freedom) == pytest.approx((error, freedom))
    v = interval_of(of("roc_auc"), (t,), method="jackknife")
    error, freedom = slow_jackknife(y, p, get("roc_auc"))
    reach = stats.t.ppf(0.975, freedom)
    assert (v.low, v.high) == pytest.approx(scaled(v.value, error, reach, (0, 1)))


def test_what_is_chosen_for_a_smooth_number_of_scores_is_the_jackknife():
    y, p = rows()
    t = (ScoreTally.from_arrays(y, p),)
    for name in ("decidability", "brier", "log_loss", "calibration_in_the_large"):
        s = of(name)
        v = interval_of(s, t)
        alone = interval_of(s, t, method="jackknife")
        assert (v.low, v.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
        assert v.method.startswith("jackknife, Student's t")
        assert v.warning is None


def test_a_mean_has_its_textbook_error():
    y, p = rows()
    loss = (y - p) ** 2
    left = jackknife(of("brier"), ScoreTally.from_arrays(y, p))
    assert left.error == pytest.approx(loss.std(ddof=1) / math.sqrt(len(y)))


def test_weighted_rows_enter_with_the_squares_of_their_weights():
    y, p = rows(digits=6)
    w = np.random.default_rng(1).lognormal(size=len(y))
    left = jackknife(of("brier"), ScoreTally.from_arrays(y, p, sample_weight=w))
    loss = (y - p) ** 2
    mean = np.average(loss, weights=w)
    # the linearised error of a ratio of sums, with what leaving one row out adds to it
    n = w.sum() ** 2 / (w**2).sum()
    moved = w * (loss - mean) / (w.sum() - w)
    assert left.error == pytest.approx(math.sqrt((n - 1) / n * (moved**2).sum()), rel=1e-2)


def test_weights_of_one_are_no_weights():
    y, p = rows()
    plain, ones = (
        jackknife(of("log_loss"), ScoreTally.from_arrays(y, p, sample_weight=w))
        for w in (None, np.ones(len(y)))
    )
    assert ones.error == pytest.approx(plain.error)
    assert ones.degrees_of_freedom == pytest.approx(plain.degrees_of_freedom)


def test_known_shares_leave_the_variance_within_the_classes():
    y, p = rows(200)
    left = jackknife(of("brier"), ScoreTally.from_arrays(y, p), stratified=True)
    loss = (y - p) ** 2
    within = sum(
        (own := loss[y == k]).var(ddof=1) / len(own) * (len(own) / len(y)) ** 2 for k in (0, 1)
    )
    assert left.error == pytest.approx(math.sqrt(within), rel=0.02)


def test_many_scores_are_left_out_in_groups():
    y, p = rows(4000, digits=12)
    t = ScoreTally.from_arrays(y, p)
    left = jackknife(of("average_precision"), t)
    assert len(left.values) <= 2 * GROUPS
    few = np.random.default_rng(0).choice(len(y), 300, replace=False)
    metric = get("average_precision")
    whole = metric(y, p)
    moves = [metric(np.delete(y, i), np.delete(p, i)) - whole for i in few]
    assert left.error == pytest.approx(math.sqrt(len(y)) * np.std(moves) * math.sqrt(1), rel=0.1)


FIRST_ROWS_COUNT = [n for n, m in METRICS.items() if m._sampling.ordered_mean]


@pytest.mark.parametrize(
    "name",
    [n for n, m in METRICS.items() if m._sampling.error in ("smooth", "optimistic")
     and m._needs in ("ranking", "probability")],
)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("apart", [0.3, 1.2, 3.0])
def test_a_lot_of_groups_tells_what_each_of_them_does(name, weighted, apart, monkeypatch):
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.2).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=len(y)) + apart * y - 2)))
    t = ScoreTally.from_arrays(y, p, sample_weight=rng.random(len(y)) + 0.5 if weighted else None)
    together = jackknife(of(name), t)
    monkeypatch.setattr(
        "tallymark.infer.score_samples._starts", lambda own, _: np.flatnonzero(own > 0)
    )
    each = jackknife(
        of(name), ScoreTally(t.labels, 1, t.scores, t.counts, t.sum_squared_weights, t.rows)
    )
    if name not in FIRST_ROWS_COUNT:  # of these every bin is left out by itself
        assert len(together.values) < 0.8 * len(each.values)
    assert together.weight @ together.rows == pytest.approx(each.weight @ each.rows)
    # What is read at one threshold jumps inside a lot.
    at_one = name in ("kolmogorov_smirnov", "equal_error_rate_hull")
    assert together.error == pytest.approx(each.error, rel=0.03 if at_one else 0.012)


@pytest.mark.parametrize("weighted", [False, True])
def test_slopes_tell_what_a_row_more_moves_a_number_by(weighted):
    y, p = rows(200)
    t = ScoreTally.from_arrays(y, p, sample_weight=np.full(len(y), 0.5) if weighted else None)
    s, r = of("brier"), t._score_counts
    pos, neg = jackknife(s, t).slopes(t.scores)
    loss = float(s.of_score_counts([r]))
    assert pos[r.pos > 0] == pytest.approx(
        (((1 - t.scores) ** 2 - loss) / r.total)[r.pos > 0], rel=0.02
    )
    assert neg[r.neg > 0] == pytest.approx(((t.scores**2 - loss) / r.total)[r.neg > 0], rel=0.02)


def test_decisions_have_the_error_of_the_delta_method():
    from tallymark.infer.methods import delta_error

    t = LabelTally((0, 1), np.array([[610.0, 120.0], [90.0, 270.0]]))
    for name in ("f1", "matthews_corrcoef", "positive_likelihood_ratio"):
        assert jackknife(of(name), t).error == pytest.approx(delta_error(of(name), t), rel=0.01)


def test_few_rows_that_carry_a_loss_are_told():
    """Two of 60 rows have all the loss: their number is all that is known of it."""
    y = np.array([0] * 30 + [1] * 30)
    p = np.where(y == 1, 0.999, 0.001)
    p[[3, 40]] = 0.9, 0.2
    v = interval_of(of("log_loss"), (ScoreTally.from_arrays(y, p),))
    assert v.warning == "it depends mostly on few rows"
    assert jackknife(of("log_loss"), ScoreTally.from_arrays(y, p)).degrees_of_freedom < FEW_FREEDOMS
    assert v.high / v.low > 10
    assert v.method == "jackknife, Student's t and Dirichlet posterior"
    left = jackknife(of("log_loss"), ScoreTally.from_arrays(y, p))
    reach = critical_value(0.95, left.degrees_of_freedom)
    low, high = scaled(v.value, left.error, reach, (0, math.inf))
    assert v.low <= low
    assert v.high >= high


def test_a_perfect_ranking_has_an_interval_of_some_width():
    y = np.array([0] * 30 + [1] * 20)
    p = np.linspace(0.1, 0.9, 50)
    t = (ScoreTally.from_arrays(y, p),)
    for name in ("average_precision", "kolmogorov_smirnov", "gain_at", "sensitivity_at_fpr"):
        v = interval_of(of(name, **{"fpr": 0.05} if name == "sensitivity_at_fpr" else {}), t)
        assert v.low < v.value <= v.high
        assert "Dirichlet posterior" in v.method, name


def test_what_chance_adds_is_taken_off_below_alone():
    """Scores that know nothing: the distance between the classes' curves is all chance."""
    y, p = rows(100, digits=6)
    p = np.random.default_rng(4).permutation(p)
    v = interval_of(of("kolmogorov_smirnov"), (ScoreTally.from_arrays(y, p),))
    assert "widened for bias" in v.method
    assert v.low == 0 < v.value < v.high


def test_calibrated_probabilities_may_have_no_calibration_error():
    """Of probabilities that are right the error is all chance; of others it leaves out 0."""
    rng = np.random.default_rng(6)
    p = np.round(rng.random(400), 6)
    right = (rng.random(400) < p).astype(int)
    for name in ("expected_calibration_error", "miscalibration", "max_calibration_error"):
        v = interval_of(of(name), (ScoreTally.from_arrays(right, p),))
        assert v.low == 0 < v.value < v.high, name
        off = interval_of(of(name), (ScoreTally.from_arrays(right, p**3),))
        assert 0 < off.low < off.value < off.high, name


def test_weighted_rows_are_calibrated_as_their_number_allows():
    t = ScoreTally.from_arrays([0, 1] * 40, [0.3, 0.6] * 40, sample_weight=[2.0, 5.0] * 40)
    drawn = np.concatenate([r.pos for r in Sampler().of_null(t, "calibrated", 4000)])
    assert drawn.mean(0) == pytest.approx(np.array([0.3 * 80, 0.6 * 200]), rel=0.01)
    assert drawn.std(0) == pytest.approx(
        [2 * math.sqrt(40 * 0.3 * 0.7), 5 * math.sqrt(40 * 0.6 * 0.4)], rel=0.05
    )


def test_at_every_threshold_the_posterior_has_some_prior_above_and_below():
    t = ScoreTally.from_arrays([0] * 30 + [1] * 20, np.linspace(0.1, 0.9, 50))
    drawn = np.concatenate([r.pos for r in Sampler().scores(t, "posterior", 4000)])
    share = drawn[:, :30].sum(1) / drawn.sum(1)  # of positives below the cut: none here
    assert share.mean() == pytest.approx((0.25 + 0.5 * 30 / 50) / 21, rel=0.1)


def test_students_quantile():
    assert critical_value(0.9, 7) == pytest.approx(stats.t.ppf(0.95, 7))
    assert critical_value(0.9, math.inf) == pytest.approx(stats.norm.ppf(0.95))


@pytest.mark.parametrize(
    ("extent", "value", "expected"),
    [
        ((0, math.inf), 2.0, (2 * math.exp(-0.98), 2 * math.exp(0.98))),
        ((-math.inf, math.inf), 2.0, (0.04, 3.96)),
        ((-math.inf, 1), 0.0, (1 - math.exp(1.96), 1 - math.exp(-1.96))),
        ((-1, 1), 0.0, (-math.tanh(1.96), math.tanh(1.96))),
    ],
)
def test_a_range_has_its_scale(extent, value, expected):
    assert scaled(value, 1.0, 1.96, extent) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("extent", "value"), [((0, 1), 1.0), ((0, 1), 0.0), ((0, math.inf), 0.0), ((-math.inf, 1), 1.0)]
)
def test_the_end_of_a_range_has_no_normal_interval(extent, value):
    assert math.isnan(scaled(value, 0.1, 1.96, extent)[0])
    assert math.isnan(scaled(value, 0.0, 1.96, extent)[0])


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_stack_of_matrices_is_jackknifed_as_each_of_them(fixed, weighted):
    rng = np.random.default_rng(4)
    counts = rng.integers(1, 50, (5, 2, 2)).astype(float)
    squares = counts * 1.3 if weighted else None
    for name in ("f1", "matthews_corrcoef", "balanced_accuracy"):
        near = Neighbours(counts, squares, (0, 1))
        error, freedom, _ = near.jackknife(of(name), fixed).standard_error
        for i, matrix in enumerate(counts):
            t = LabelTally((0, 1), matrix, None if squares is None else squares[i])
            one = jackknife(of(name), t, fixed)
            assert (error[i], freedom[i]) == pytest.approx(
                (one.error, one.degrees_of_freedom), rel=1e-7
            )


def test_leaving_out_a_single_row_that_all_rests_on_has_no_error():
    counts = np.array([[[5.0, 0], [3, 1]]])
    near = Neighbours(counts, None, (0, 1))
    error, freedom, _ = near.jackknife(of("precision")).standard_error
    assert np.isnan(error).all()
    assert np.isnan(freedom).all()


@pytest.mark.parametrize(
    "extent", [(0, 1), (-1, 1), (0, math.inf), (-math.inf, 1), (-math.inf, math.inf)]
)
def test_scales_are_those_of_one_number(extent):
    values, errors = np.array([0.3, 0.9, 0.0, 1.0, -0.5]), np.array([0.1, 0.05, 0.1, 0.0, np.nan])
    low, high = scaled(values, errors, np.full(5, 1.7), extent)
    wanted = [scaled(v, e, 1.7, extent) for v, e in zip(values, errors, strict=True)]
    np.testing.assert_allclose(np.stack([low, high], 1), wanted, rtol=1e-12)


def test_reaches_are_those_of_one_number():
    freedom = [1.0, 4.5, 1e6, math.inf, math.nan]
    np.testing.assert_allclose(
        critical_value(0.9, np.array(freedom)),
        [critical_value(0.9, f) for f in freedom],
        rtol=1e-12,
    )
