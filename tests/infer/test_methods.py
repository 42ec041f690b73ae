"""Intervals by every method that claims to serve a number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, binom, norm, t

import tallymark as tm
from judged import counted, counted_of
from tallymark.errors import InputError
from tallymark.infer.intervals import interval, interval_of
from tallymark.infer.methods import METHODS, Bounds, Method, delta_error
from tallymark.infer.power import hanley_mcneil
from tallymark.infer.samples import Single
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import wilson
from tallymark.metric.registry import OrderedMean
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

LABELS = LabelTally((0, 1), np.array([[61.0, 12.0], [9.0, 27.0]]))


def scores(n=120, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * (2 * y - 1))))
    return (ScoreTally.from_arrays(y, np.round(p, 2), sample_weight=weights),)


SCORES = scores()


def by(method, name, tally=None, **options):
    metric = get(name)
    if tally is None:
        tally = LABELS if metric._needs in ("counts", "matrix") else SCORES
    labels = tally.labels if isinstance(tally, LabelTally) else tally[0].labels
    s = Statistic.of(metric, labels, 1 if len(labels) == 2 else None)
    return interval_of(s, tally, method=method, **options)


OF_SEVERAL_CLASSES = {
    "mean-skew": "log_loss", "mean-beta": "brier", "mean-t": "log_loss", "pairs": "hand_till_auc",
    "average": "roc_auc",
}  # fmt: skip


@pytest.mark.parametrize("method", OF_SEVERAL_CLASSES)
def test_numbers_of_several_classes_have_methods_by_name_too(method):
    y = np.arange(60) % 3
    p = 0.6 * np.random.default_rng(0).dirichlet(np.ones(3), 60) + 0.4 * np.eye(3)[y]
    ev, metric = tm.evaluate(y, y_score=p), OF_SEVERAL_CLASSES[method]
    v = ev.value(metric, method=method)
    if method in ("mean-skew", "mean-beta"):
        assert v == ev[metric]
    elif method != "mean-t":  # what it has without rows side by side
        (model,) = counted_of(ev).models
        apart = interval_of(Statistic.of(get(metric), ev.classes), model.scores)
        assert (v.low, v.high, v.method) == (apart.low, apart.high, apart.method)
        assert v.warning is None
        assert apart.warning.endswith("the interval is wider than necessary")
    assert v.low < v.value < v.high
    assert v.method == METHODS[method].title
    with pytest.raises(InputError, match=f"{method} is not available for f1: it is not an? "):
        ev.value("f1", method=method)


def test_a_method_is_one_function_and_one_declaration(monkeypatch):
    def wald(case):
        hit, n = case.sample.proportion(case.statistic)
        half = case.z * np.sqrt(hit / n * (1 - hit / n) / n)
        return Bounds(hit / n - half, hit / n + half)

    made = Method("wald", "Wald", "wilson1927", METHODS["wilson"].refusal, wald)
    monkeypatch.setitem(METHODS, "wald", made)
    v = by("wald", "sensitivity")
    assert (v.low, v.high) == pytest.approx((0.75 - 0.1414482, 0.75 + 0.1414482), abs=1e-6)
    assert v.method == "Wald"
    with pytest.raises(
        InputError, match="wald is not available for f1: it is not a proportion of rows"
    ):
        by("wald", "f1")


WEIGHTED_BY_ORDER = [
    tm.Statistic(
        lambda r, power=power: ((r.pos * r.scores**power).sum(-1)) / r.total,
        needs="ranking",
        name=f"weighted_{power}",
        range=(0, 1),
        ordered_mean=OrderedMean(
            lambda r: r.positives, "positive", lambda n: (0.5 / n, 0.7 / n**2)
        ),
    )
    for power in (1, 2)
]
"""Metrics of the kind that only a part may have."""


@pytest.mark.parametrize("method", sorted(METHODS.keys() - OF_SEVERAL_CLASSES))
def test_every_number_that_a_method_serves_has_an_interval_around_it(method):
    served = 0
    for metric in (*METRICS.values(), *WEIGHTED_BY_ORDER):
        if metric.classes == "many" or metric._needs in ("rows", "class_scores"):
            continue
        tally = LABELS if metric._needs in ("counts", "matrix") else SCORES
        s = Statistic.of(metric, (0, 1), 1)
        try:
            v = interval_of(s, tally, method=method, draws=150)
        except InputError:  # it does not serve this one
            continue
        low, high = metric.range
        if math.isnan(v.low):
            assert v.reason or v.method.startswith("no interval: "), metric.name
            continue
        served += 1
        assert low <= v.low < v.high <= high, metric.name
        assert v.method.startswith(METHODS[method].title), metric.name
        wide = v.high - v.low
        # Resamples of a biased number may lie beside it, but not far.
        assert v.low - wide <= v.value <= v.high + wide, metric.name
    assert served >= 2


def test_proportions_have_the_textbook_bounds():
    t = LabelTally((0, 1), np.array([[50.0, 0.0], [2.0, 8.0]]))
    expected = {
        "wilson": (0.4901625, 0.9433178),
        "clopper-pearson": (0.4439045, 0.9747893),
    }
    for method, bounds in expected.items():
        v = by(method, "sensitivity", t)
        assert (v.low, v.high) == pytest.approx(bounds, abs=1e-6), method


def test_clopper_pearson_never_covers_less_than_its_level():
    n, rates = 12, np.linspace(0.01, 0.99, 99)
    bounds = [
        counted([[1, 0], [n - hits, hits]]).value("recall", method="clopper-pearson")
        for hits in range(n + 1)
    ]
    held = np.array([(v.low <= rates) & (rates <= v.high) for v in bounds])
    covered = (held * binom.pmf(np.arange(n + 1)[:, None], n, rates)).sum(0)
    assert covered.min() >= 0.95


@pytest.mark.parametrize("method", ["clopper-pearson", "jeffreys"])
def test_all_or_nothing_reaches_the_end(method):
    t = LabelTally((0, 1), np.array([[5.0, 0.0], [5.0, 5.0]]))
    assert by(method, "specificity", t).high == 1
    t = LabelTally((0, 1), np.array([[0.0, 5.0], [5.0, 5.0]]))
    assert by(method, "specificity", t).low == 0


def test_the_delta_method_of_a_proportion_is_its_binomial_error():
    s = Statistic.of(get("sensitivity"), (0, 1), 1)
    assert delta_error(s, LABELS) == pytest.approx(math.sqrt(0.75 * 0.25 / 36))


@pytest.mark.parametrize(
    "name", ["f1", "matthews_corrcoef", "cohen_kappa", "youden_j", "balanced_accuracy"]
)
def test_derivatives_and_resamples_agree_on_many_rows(name):
    many = LabelTally((0, 1), LABELS.counts * 100)
    s = Statistic.of(get(name), (0, 1), 1)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(10_900, many.counts.ravel() / 10_900, size=4000).reshape(-1, 2, 2)
    values = s.of_matrix(drawn.astype(float), (0, 1))
    assert delta_error(s, many) == pytest.approx(values.std(), rel=0.04)
    widths = [(v := by(m, name, many, draws=2000)).high - v.low
              for m in ("delta", "percentile", "basic", "bca", "bayesian", "posterior")]  # fmt: skip
    assert max(widths) < 1.1 * min(widths)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_over_classes_have_derivatives_too(average):
    rng = np.random.default_rng(1)
    counts = rng.integers(20, 60, (4, 4)) + 200.0 * np.eye(4)
    t = LabelTally((0, 1, 2, 3), counts)
    s = Statistic.of(get("f1"), t.labels, None, average)
    g = s.gradient(counts, t.labels)
    h = 1e-4
    for i, j in ((0, 0), (1, 3), (2, 1)):
        up, down = counts.copy(), counts.copy()
        up[i, j] += h
        down[i, j] -= h
        slope = (s.of_matrix(up, t.labels) - s.of_matrix(down, t.labels)) / (2 * h)
        assert g[i, j] == pytest.approx(float(slope), abs=1e-9)


def test_weighted_rows_enter_the_delta_method_with_their_squares():
    counts = np.array([[30.0, 6.0], [4.0, 20.0]])
    plain = LabelTally((0, 1), counts)
    heavy = LabelTally((0, 1), counts * 3, counts * 9, rows=60)
    s = Statistic.of(get("f1"), (0, 1), 1)
    assert delta_error(s, heavy) == pytest.approx(delta_error(s, plain))


def slow_bca(counts, value, statistic, draws, seed):
    """Return Efron's bounds from rows, one left out at a time."""
    from scipy.stats import norm

    rows = np.repeat(np.arange(4), counts.ravel().astype(int))
    left = []
    for i in range(len(rows)):
        kept = np.bincount(np.delete(rows, i), minlength=4).reshape(2, 2)
        left.append(float(statistic.of_matrix(kept.astype(float), (0, 1))))
    off = np.mean(left) - np.array(left)
    a = (off**3).sum() / (6 * ((off**2).sum()) ** 1.5)
    rng = np.random.default_rng(seed)
    drawn = np.sort([
        float(statistic.of_matrix(
            np.bincount(rng.choice(rows, len(rows)), minlength=4).reshape(2, 2) * 1.0, (0, 1)))
        for _ in range(draws)
    ])  # fmt: skip
    z0 = norm.ppf(((drawn < value - 1e-12).sum() + (abs(drawn - value) <= 1e-12).sum() / 2) / draws)
    q = [norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in norm.ppf([0.025, 0.975])]
    return [float(drawn[int(x * draws)]) for x in q]


def test_bca_is_efrons_from_rows():
    s = Statistic.of(get("f1"), (0, 1), 1)
    v = by("bca", "f1", draws=4000)
    assert [v.low, v.high] == pytest.approx(slow_bca(LABELS.counts, v.value, s, 4000, 9), abs=0.012)


def test_basic_mirrors_percentile():
    p, b = by("percentile", "f1"), by("basic", "f1")
    assert (b.low, b.high) == pytest.approx((2 * p.value - p.high, 2 * p.value - p.low))


def test_stratified_draws_keep_the_classes():
    p, s = by("percentile", "prevalence"), by("stratified", "prevalence")
    assert p.low < p.high
    assert s.method == (
        "no interval: percentile bootstrap within each class, 1,000 draws, every draw gives the same"
    )


def test_hanley_and_mcneils_example():
    # Hanley and McNeil (1982): 51 abnormal and 58 normal images, area 0.893, error 0.032.
    assert math.sqrt(hanley_mcneil(0.893, 51, 58)) == pytest.approx(0.032, abs=6e-4)


def test_areas_have_delongs_and_newcombes_bounds():
    plain, logit = by("delong", "roc_auc"), by("delong-logit", "roc_auc")
    assert plain.value == logit.value
    assert plain.high == 1  # cut at the end of the range
    assert logit.high - logit.value < logit.value - logit.low
    gini = by("delong", "gini_coefficient")
    assert (gini.low, gini.high) == pytest.approx((2 * plain.low - 1, 2 * plain.high - 1))


def test_an_evaluation_takes_the_method():
    ev = tm.evaluate([0, 0, 1, 1, 1, 0] * 10, [0, 1, 1, 1, 0, 0] * 10)
    assert ev.value("accuracy", method="clopper-pearson").method == "Clopper-Pearson"
    assert ev.value("f1", method="bca", draws=500).method == "BCa bootstrap, 500 draws"
    assert ev.value("f1", draws=300).method == "percentile bootstrap, 300 draws"
    with pytest.raises(InputError, match="treats class shares as sampled"):
        ev.at(prevalence=0.1).value("f1", method="bca")
    moved = ev.at(prevalence=0.1).value("f1", method="stratified")
    assert moved.low < moved.value < moved.high


def test_scores_of_many_classes_say_what_does_not_serve():
    y = [0, 1, 2] * 10
    p = np.random.default_rng(0).dirichlet(np.ones(3), 30)
    ev = tm.evaluate(y, y_score=p)
    s = Statistic.of(get("roc_auc"), ev.classes)
    with pytest.raises(InputError, match="the columns of a row were counted separately"):
        interval_of(s, counted_of(ev).models[0].scores, method="percentile")
    with pytest.raises(InputError, match="an average over classes is not a proportion of rows"):
        ev.value("sensitivity", method="wilson")
    with pytest.raises(InputError, match="it needs whole rows of scores"):
        ev.value("spherical_score", method="percentile")
    with pytest.raises(
        InputError, match="whole rows of 3 columns of scores are not resampled for it"
    ):
        ev.value("brier", method="stratified")
    with pytest.raises(
        InputError, match="average is not available for hand_till_auc: it is a mean over"
    ):
        ev.value("hand_till_auc", method="average")


@pytest.mark.parametrize(
    ("method", "name", "message"),
    [
        ("nonsense", "f1", "there is no method 'nonsense'"),
        (
            "wilson",
            "f1",
            "wilson is not available for f1: it is not a proportion of rows; use d",
        ),
        ("delong", "f1", "delong is not available for f1: it is not a ROC area"),
        ("delta", "geometric_mean", "it has kinks, where no derivative exists"),
        ("delta", "roc_auc", "it is not computed from decisions"),
        ("wilson", "roc_auc", "it is not a proportion of rows"),
        ("jackknife-beta", "brier", "it is not a mean of the ranks of one class"),
        ("pairs", "roc_auc", "it is not a mean over pairs"),
        ("average", "roc_auc", "it is not an average over columns of scores"),
    ],
)
def test_what_does_not_serve_is_refused_with_what_does(method, name, message):
    with pytest.raises(InputError, match=message):
        by(method, name)


def test_draws_are_refused_where_nothing_is_drawn():
    ev = tm.evaluate([0, 1, 1, 0], [0, 1, 0, 0])
    told = "wilson makes no draws: leave draws out, or use one of percentile, basic"
    with pytest.raises(InputError, match=told):
        ev.value("accuracy", method="wilson", draws=500)


def test_too_few_draws_are_refused():
    with pytest.raises(InputError, match="draws is 99; an interval needs at least 100"):
        by("percentile", "f1", draws=99)


def test_weights_are_told_where_they_are_approximate():
    weighted = scores(weights=np.linspace(0.2, 2, 120))
    told = "effective sample size of the weights"
    assert told in by("newcombe", "roc_auc", weighted).method
    assert told not in by("percentile", "average_precision", weighted).method
    assert told not in by("delong", "roc_auc", weighted).method
    with pytest.raises(InputError, match="rows have weights"):
        by("bca", "average_precision", weighted)


def test_an_undefined_or_infinite_value_has_no_interval():
    none = LabelTally((0, 1), np.array([[5.0, 0.0], [5.0, 0.0]]))
    assert by("percentile", "precision", none).reason
    perfect = LabelTally((0, 1), np.array([[5.0, 0.0], [0.0, 5.0]]))
    v = by("percentile", "diagnostic_odds_ratio", perfect)
    assert v.method == "no interval: the value is infinite"
    v = by("delta", "f1", perfect)
    assert v.method == "no interval: delta method"


def test_seeds_repeat_and_differ():
    assert by("bca", "f1", seed=1).low == by("bca", "f1", seed=1).low
    assert by("bca", "f1", seed=1).low != by("bca", "f1", seed=2).low


# -- standard errors -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson", "jeffreys", "agresti-coull"])
def test_a_proportion_has_the_standard_error_of_its_share(method):
    assert by(method, "recall").se == pytest.approx(math.sqrt(0.75 * 0.25 / 36), rel=1e-12)
    weights = np.random.default_rng(1).uniform(0.5, 2, 40)
    y, p = np.arange(40) % 2, np.arange(40) % 3 == 1
    v = by(method, "recall", LabelTally.from_arrays(y, p.astype(int), sample_weight=weights))
    own = weights[y == 1]
    share, n = (own * p[y == 1]).sum() / own.sum(), own.sum() ** 2 / (own**2).sum()
    assert v.se == pytest.approx(math.sqrt(share * (1 - share) / n), rel=0.05)
    assert by(method, "recall", LabelTally((0, 1), [[5, 5], [0, 9]])).se is None  # no error is 0


@pytest.mark.slow
def test_every_method_that_has_a_standard_error_gives_it():
    for metric in METRICS.values():
        tally = LABELS if metric._needs in ("counts", "matrix") else SCORES
        if not metric._of_one_class:
            continue
        s = Statistic.of(metric, (0, 1), 1)
        for name in METHODS:
            if METHODS[name].draw is not None:  # whose draws may be infinite
                continue
            try:
                v = interval_of(s, tally, method=name)
            except InputError:
                continue
            assert (v.se is None) == math.isnan(v.low), (metric.name, name)
            assert v.se is None or 0 < v.se < math.inf, (metric.name, name)


@pytest.mark.parametrize("name", ["cohen_kappa", "scott_pi", "gwet_ac1", "f1", "matthews_corrcoef"])
def test_standard_errors_of_all_methods_agree_on_many_rows(name):
    many = LabelTally((0, 1), LABELS.counts * 50)
    errors = {m: by(m, name, many).se for m in METHODS if _serves(m, name, many)}
    assert {"delta", "jackknife", "percentile", "bca", "posterior"} <= set(errors)
    for method, error in errors.items():
        if method == "stratified":  # it takes the shares of the classes as known
            continue
        assert error == pytest.approx(errors["delta"], rel=0.1), method


def _serves(method, name, tally):
    try:
        return by(method, name, tally) is not None
    except InputError:
        return False


def test_the_area_has_delongs_error_on_its_own_scale():
    from tallymark.infer.delong import auc_variance

    error = math.sqrt(auc_variance(SCORES[0])[1])
    assert by("delong", "roc_auc").se == pytest.approx(error, rel=1e-12)
    assert by("delong-logit", "roc_auc").se == pytest.approx(error, rel=1e-12)
    assert by("delong-logit", "gini_coefficient").se == pytest.approx(2 * error, rel=1e-12)
    assert by("jackknife", "roc_auc").se == pytest.approx(error, rel=0.02)
    assert by("percentile", "roc_auc").se == pytest.approx(error, rel=0.1)
    plain = by("delong", "roc_auc")
    assert plain.value - plain.low == pytest.approx(1.959964 * error, rel=1e-6)


def test_draws_have_the_standard_deviation_of_their_values():
    v = by("percentile", "lift", draws=5000)
    rng = np.random.default_rng(7)
    p = LABELS.counts.ravel() / LABELS.counts.sum()
    drawn = rng.multinomial(109, p, 20_000).reshape(-1, 2, 2)
    values = Statistic.of(get("lift"), (0, 1), 1).of_matrix(drawn, (0, 1))
    assert v.se == pytest.approx(np.nanstd(values), rel=0.05)


def test_a_root_of_a_mean_has_its_error_by_the_delta_method():
    y = np.arange(60) % 3
    p = 0.6 * np.random.default_rng(0).dirichlet(np.ones(3), 60) + 0.4 * np.eye(3)[y]
    losses = ((p - np.eye(3)[y]) ** 2).mean(1)
    v = tm.evaluate(y, y_score=p)["root_mean_squared_error"]
    error = losses.std(ddof=1) / math.sqrt(60)
    assert v.se == pytest.approx(error / (2 * v.value), rel=1e-9)


def test_coefficients_of_agreement_print_their_standard_error():
    y, p = [1, 1, 0, 0] * 10, [1, 0, 0, 0] * 10
    ev = tm.evaluate(y, p, positive=1)
    for name in ("cohen_kappa", "scott_pi", "gwet_ac1", "krippendorff_alpha", "bennett_s"):
        assert str(ev[name]).endswith(f", SE {ev[name].se:.2f}"), name  # the digits of the interval
    assert f"its standard error {ev['cohen_kappa'].se:.3f}" in " ".join(str(ev).split())
    assert "Landis and Koch call it moderate" in " ".join(str(ev).split())
    assert "SE" not in str(ev["accuracy"])
    assert ev["accuracy"].to_dict()["se"] == ev["accuracy"].se
    assert ev.table(["kappa"]).to_dicts()[0]["se"] == ev["cohen_kappa"].se


def test_the_uncertainty_has_the_image_of_wilsons_interval():
    # p(1 - p) is flat at 1/2: by its slope there is nothing to be known, and 30-50 % were covered.
    held = []
    for positives in range(1, 100):
        y, s = np.repeat([1, 0], (positives, 100 - positives)), np.linspace(0, 1, 100)
        v = interval_of(Statistic.of(get("uncertainty"), (0, 1), 1), [ScoreTally.from_arrays(y, s)])
        low, high = wilson(positives, 100, 1.959964)
        ends = [p * (1 - p) for p in (low, high)]
        assert v.low == pytest.approx(min(ends))
        assert v.high == pytest.approx(0.25 if low < 0.5 < high else max(ends))
        assert v.method == "Wilson, of its proportion"
        held.append((v.low - 1e-12 <= 0.25 <= v.high, binom.pmf(positives, 100, 0.5)))
    assert 0.94 < sum(chance for inside, chance in held if inside) < 0.97


def test_parts_of_areas_have_one_interval_on_every_scale():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], (10, 90))
    t = [ScoreTally.from_arrays(y, rng.normal(y * 1.5))]
    part, whole, standard = (
        interval_of(Statistic.of(get("partial_roc_auc"), (0, 1), 1, **options), t)
        for options in ({}, {"high": 1.0}, {"standardized": True})
    )
    assert part.method == "jackknife, beta posterior"
    guess, most = 0.005, 0.1
    for a, b in ((part.low, standard.low), (part.high, standard.high)):
        assert (1 + (a - guess) / (most - guess)) / 2 == pytest.approx(b)
    area = interval_of(Statistic.of(get("roc_auc"), (0, 1), 1), t)
    assert (whole.low, whole.high) == pytest.approx((area.low, area.high), abs=0.01)


@pytest.mark.slow
def test_a_partial_area_is_covered_on_both_sides():
    # The jackknife on the scale of 0 to 1 missed on one side alone, at twice the width.
    rng = np.random.default_rng(3)
    s = Statistic.of(get("partial_roc_auc"), (0, 1), 1)
    many = rng.random(400_000) < 0.1
    t = ScoreTally.from_arrays(many * 1, rng.standard_t(2, 400_000) + 1.5 * many)
    true, found = float(s.of_score_counts([t._score_counts])), []
    for _ in range(300):
        y = (rng.random(100) < 0.1) * 1
        if y.sum() > 1:
            v = interval_of(s, [ScoreTally.from_arrays(y, rng.standard_t(2, 100) + 1.5 * y)])
            found.append((v.low <= true <= v.high, v.high - v.low))
    covered, width = np.mean(found, 0)
    assert 0.92 < covered < 0.985
    assert width < 0.06


def test_very_many_classes_are_not_drawn_unasked():
    k = 101
    counts = np.full((k, k), 0.0)
    np.fill_diagonal(counts, 8.0)
    counts[range(k), [*range(1, k), 0]] = 2.0
    t = LabelTally(tuple(range(k)), counts)
    f1 = interval_of(Statistic.of(get("f1"), t.labels, None, "macro"), t)
    # A class has 8 of 10 rows right: F1 is 1 - (FP + FN) / 20, whose mean over classes is the
    # share of all rows that are right, and so is its variance.
    assert f1.se == pytest.approx(math.sqrt(0.8 * 0.2 / (10 * k)), rel=1e-9)
    assert f1.method == "delta method"
    # Kappa reads the margins and the diagonal, which the 202 occupied cells give.
    value = interval_of(Statistic.of(get("cohen_kappa"), t.labels), t)
    assert value.method == "percentile bootstrap, 1,000 draws"
    assert value.se == pytest.approx(math.sqrt(0.8 * 0.2 / (10 * k)), rel=0.1)
    accurate = tm.Statistic(
        lambda m: m.trace(0, -2, -1) / m.sum((-2, -1)), needs="matrix", name="own_share"
    )
    own = Statistic.of(accurate, t.labels)
    assert interval_of(own, t).method == (
        "no interval: 101 classes make 10,201 cells, too many to draw 1,000 times by default; say "
        "draws=200"
    )
    drawn = interval_of(own, t, method="percentile", draws=200)
    known = interval_of(Statistic.of(get("accuracy"), t.labels), t, method="percentile", draws=200)
    assert (drawn.low, drawn.high) == pytest.approx((known.low, known.high), rel=1e-12)


def test_more_occupied_cells_than_are_drawn_by_default():
    k = 501
    t = LabelTally(tuple(range(k)), np.full((k, k), 1.0) + 9 * np.eye(k))
    kappa = Statistic.of(get("cohen_kappa"), t.labels)
    assert interval_of(kappa, t).method == (
        "no interval: 501 classes make 251,001 occupied cells, too many to draw 1,000 times by "
        "default; say draws=200"
    )
    few = np.diag(np.full(k, 10.0))
    few[:, :110] += 1.0
    t = LabelTally(t.labels, few)
    known = interval({"": kappa}, Single(t), stratified=True)[""].value()
    assert known.method == (
        "no interval: 501 classes make 55,501 occupied cells, too many to draw 1,000 times by "
        "default; say draws=200"
    )


# -- each formula once more, in plain numbers ------------------------------------------------------

Z90 = norm.ppf(0.95)


def on_the_logit_scale(value, error, critical, low=0.0, high=1.0):
    share = (value - low) / (high - low)
    half = critical * error / (high - low) / (share * (1 - share))
    centre = math.log(share / (1 - share))
    return [low + (high - low) / (1 + math.exp(-(centre + s * half))) for s in (-1, 1)]


def test_every_interval_of_a_proportion_by_its_formula():
    (tn, fp), (fn, tp) = LABELS.counts
    shares = {
        "sensitivity": (tp, tp + fn), "specificity": (tn, tn + fp), "precision": (tp, tp + fp),
        "accuracy": (tp + tn, tp + tn + fp + fn),
    }  # fmt: skip
    for name, (hit, n) in shares.items():
        p, more = (hit + Z90**2 / 2) / (n + Z90**2), n + Z90**2
        half = Z90 * math.sqrt(p * (1 - p) / more)
        root = Z90 * math.sqrt(hit * (n - hit) / n + Z90**2 / 4)
        wanted = {
            "wilson": ((hit + Z90**2 / 2 - root) / more, (hit + Z90**2 / 2 + root) / more),
            "clopper-pearson": (
                beta.ppf(0.05, hit, n - hit + 1), beta.ppf(0.95, hit + 1, n - hit),
            ),
            "jeffreys": (
                beta.ppf(0.05, hit + 0.5, n - hit + 0.5), beta.ppf(0.95, hit + 0.5, n - hit + 0.5),
            ),
            "agresti-coull": (p - half, p + half),
        }  # fmt: skip
        for method, bounds in wanted.items():
            v = by(method, name, level=0.9)
            assert (v.low, v.high) == pytest.approx(bounds, rel=1e-9), (method, name)
    none = LabelTally((0, 1), np.array([[9.0, 2.0], [7.0, 0.0]]))
    for method, prior in (("clopper-pearson", 0.0), ("jeffreys", 0.5)):
        v = by(method, "sensitivity", none, level=0.9)
        assert (v.low, v.high) == (0, pytest.approx(beta.ppf(0.95, 1 - prior, 7 + prior)))
        v = by(method, "false_negative_rate", none, level=0.9)
        assert (v.low, v.high) == (pytest.approx(beta.ppf(0.05, 7 + prior, 1 - prior)), 1)


def test_the_delta_method_by_hand_on_the_scale_of_the_range():
    (tn, fp), (fn, tp) = LABELS.counts
    d = 2 * tp + fp + fn
    slopes = 2 * (fp + fn) / d**2, -2 * tp / d**2, -2 * tp / d**2
    error = math.sqrt(sum(n * g**2 for n, g in zip((tp, fp, fn), slopes, strict=True)))
    v = by("delta", "f1", level=0.9)
    assert v.se == pytest.approx(error)
    assert [v.low, v.high] == pytest.approx(on_the_logit_scale(2 * tp / d, error, Z90))
    error = math.sqrt(tp * fn / (tp + fn) ** 3 + tn * fp / (tn + fp) ** 3)
    v = by("delta", "youden_j", level=0.9)
    assert v.se == pytest.approx(error)
    value = tp / (tp + fn) + tn / (tn + fp) - 1
    assert [v.low, v.high] == pytest.approx(on_the_logit_scale(value, error, Z90, -1, 1))


def test_every_interval_of_an_area_by_its_formula():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [70, 31])
    p = np.round(1 / (1 + np.exp(-(rng.normal(size=101) + 0.6 * (2 * y - 1)))), 2)
    tally = (ScoreTally.from_arrays(y, p),)
    wins = p[y == 1][:, None] - p[y == 0]
    wins = (wins > 0) + (wins == 0) / 2
    area, m, n = wins.mean(), 31, 70
    error = math.sqrt(wins.mean(1).var(ddof=1) / m + wins.mean(0).var(ddof=1) / n)
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    hanley = (area * (1 - area) + (m - 1) * (q1 - area**2) + (n - 1) * (q2 - area**2)) / (m * n)

    def newcombes(a):
        k = (m + n) / 2 - 1
        return a * (1 - a) / (m * n) * (1 + k * (1 - a) / (2 - a) + k * a / (1 + a))

    def beyond(a):
        return abs(area - a) - Z90 * math.sqrt(newcombes(a))

    wanted = {
        "delong": (area - Z90 * error, area + Z90 * error, error),
        "delong-logit": (*on_the_logit_scale(area, error, t.ppf(0.95, m - 1)), error),
        "hanley-mcneil": (
            area - Z90 * math.sqrt(hanley), area + Z90 * math.sqrt(hanley), math.sqrt(hanley),
        ),
        "newcombe": (
            brentq(beyond, 1e-6, area - 1e-6), brentq(beyond, area + 1e-6, 1 - 1e-9),
            math.sqrt(newcombes(area)),
        ),
    }  # fmt: skip
    for method, (low, high, se) in wanted.items():
        v = by(method, "roc_auc", tally, level=0.9)
        assert (v.low, v.high, v.se) == pytest.approx((low, high, se), rel=1e-6), method
        gini = by(method, "gini_coefficient", tally, level=0.9)
        assert gini.low == pytest.approx(2 * low - 1, rel=1e-6)
        assert (gini.high, gini.se) == pytest.approx((2 * high - 1, 2 * se), rel=1e-6)


def students(v, rows=90):
    """Return half the width of Student's interval of a mean, at the level 0.9."""
    return t.ppf(0.95, rows - 1) * v.se


def test_students_interval_of_a_mean_and_of_its_root():
    rng = np.random.default_rng(0)
    true, q = rng.integers(0, 3, 90), rng.dirichlet((2, 1, 1), 90)
    many = tm.evaluate(true, y_score=q, level=0.9)
    each = ((q - np.eye(3)[true]) ** 2).sum(1)
    each = each * many["brier"].value / each.mean()  # however it is scaled
    error = each.std(ddof=1) / math.sqrt(90)
    v = many.value("brier", method="mean-t")
    assert v.se == pytest.approx(error)
    assert (v.low, v.high) == pytest.approx((v.value - students(v), v.value + students(v)))
    loss = -np.log(q[np.arange(90), true])
    v = many.value("log_loss", method="mean-t")
    assert (v.value, v.se) == pytest.approx((loss.mean(), loss.std(ddof=1) / math.sqrt(90)))
    assert (v.low, v.high) == pytest.approx((v.value - students(v), v.value + students(v)))
    mean, root = many.value("brier", method="mean-t"), many.value("rmse", method="mean-t")
    scale = root.value**2 / mean.value  # the root is of the same squares
    assert (root.low**2, root.high**2) == pytest.approx((scale * mean.low, scale * mean.high))
    assert root.se == pytest.approx(scale * mean.se / (2 * root.value))


def test_the_beta_interval_of_a_mean_has_one_row_more_placed_by_chance():
    rng = np.random.default_rng(0)
    true, q = rng.integers(0, 3, 90), rng.dirichlet((2, 1, 1), 90)
    ev, n = tm.evaluate(true, y_score=q, level=0.9), 90
    for name, power in (("brier", 1), ("rmse", 2)):
        least, most = (end**power for end in METRICS[ev[name].metric].range)
        plain = ev.value(name, method="mean-t")
        error = plain.se if power == 1 else plain.se * 2 * plain.value
        mean = (plain.value**power - least) / (most - least)
        variance = (error / (most - least)) ** 2 * (n - 1) / (n + 1)
        # The mean of n rows and of one that may be anywhere, in Dirichlet weights.
        variance += (1 / 12 + (0.5 - mean) ** 2 * n / (n + 1)) / ((n + 1) * (n + 2))
        mean += (0.5 - mean) / (n + 1)
        rows = mean * (1 - mean) / variance - 1
        wanted = [
            (least + (most - least) * beta.ppf(tail, mean * rows, (1 - mean) * rows)) ** (1 / power)
            for tail in (0.05, 0.95)
        ]
        v = ev.value(name, method="mean-beta")
        assert [v.low, v.high] == pytest.approx(wanted), name
        assert v.se == pytest.approx(plain.se)


def test_refusals_of_methods_word_by_word():
    y = [0, 1, 2] * 10
    p = np.random.default_rng(0).dirichlet(np.ones(3), 30)
    three, two = tm.evaluate(y, y_score=p), tm.evaluate([0, 1] * 20, y_score=np.arange(40) / 40)
    fixed = two.at(prevalence=0.1)
    share = "it treats class shares as sampled, and here they are fixed"
    for ev, method, metric, why in (
        (two, "wilson", "f1", "it is not a proportion of rows"),
        (three, "wilson", "sensitivity", "an average over classes is not a proportion of rows"),
        (two, "delong", "brier", "it is not a ROC area"),
        (three, "delong", "roc_auc", "it is an average of areas"),
        (two, "delta", "brier", "it is not computed from decisions"),
        (two, "delta", "geometric_mean", "it has kinks, where no derivative exists"),
        (two, "mean-t", "f1", "it is not a mean over rows whose sums were kept"),
        (two, "mean-skew", "f1", "it is not a mean over rows whose sums were kept"),
        (three, "mean-beta", "log_loss", "it has no least or no greatest value"),
        (two, "jackknife-beta", "f1", "it is not a mean of the ranks of one class"),
        (three, "pairs", "roc_auc", "it is not a mean over pairs"),
        (two, "average", "roc_auc", "it is not an average over columns of scores"),
        (three, "average", "hand_till_auc", "it is a mean over pairs"),
    ):
        with pytest.raises(InputError) as refused:
            ev.value(metric, method=method)
        told = str(refused.value)
        assert told.startswith(f"{method} is not available for {metric}: {why}"), told
    for method, metric in (("wilson", "precision"), ("bca", "f1"), ("delta", "f1")):
        with pytest.raises(InputError, match="treats class shares as sampled") as refused:
            fixed.value(metric, method=method)
        assert share.split(",")[0] in str(refused.value)
