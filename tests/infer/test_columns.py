"""Averages over classes judged by rows whose scores of all classes stand side by side."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from judged import counted_of
from tallymark.errors import InputError
from tallymark.infer.intervals import interval_of
from tallymark.infer.samples import critical_value
from tallymark.metric import get
from tallymark.metric.measure import Statistic

SHARES = (0.5, 0.25, 0.15, 0.07, 0.03)
AVERAGES = [
    ("roc_auc", "macro"), ("roc_auc", "weighted"), ("hand_till_auc", None),
    ("provost_domingos_auc", None), ("average_precision", "macro"), ("gini_coefficient", "macro"),
    ("partial_roc_auc", "macro"), ("cllr", "weighted"),
]  # fmt: skip


def rows(n, seed=0, shares=SHARES, digits=None):
    """Return true classes and probabilities of rows of skewed classes."""
    rng, k = np.random.default_rng(seed), len(shares)
    y = rng.choice(k, n, p=shares)
    x = rng.normal(size=(n, k))
    x[np.arange(n), y] += 1.5
    odds = np.exp(np.log(shares) + 1.5 * x)
    p = odds / odds.sum(1, keepdims=True)
    return y, p if digits is None else np.round(p, digits)


def on_scale(value, error, freedom, most=1.0):
    """Return the interval on the logit scale of numbers from 0 to the most."""
    share = value / most
    centre = math.log(share / (1 - share))
    half = critical_value(0.95, freedom) * error / most / share / (1 - share)
    return [most / (1 + math.exp(-end)) for end in (centre - half, centre + half)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "average"), AVERAGES)
@pytest.mark.slow
def test_a_row_moves_an_average_as_leaving_it_out_does(name, average, weighted):
    y, p = rows(70, 3, (0.5, 0.3, 0.2))
    w = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    options = {"weight": w} if weighted else {}
    v = tm.evaluate(y, y_score=p, **options).value(name, average=average)

    def without(i):
        keep = np.arange(len(y)) != i
        made = tm.evaluate(y[keep], y_score=p[keep], weight=w[keep])
        return made.value(name, average=average).value

    slopes = (v.value - np.array([without(i) for i in range(len(y))])) / w
    moves = w * (slopes - np.average(slopes, weights=w))
    n, square = len(y), (moves**2).sum()
    error = math.sqrt((n - 1) / n * square)
    freedom = 2 * square**2 / ((moves**4).sum() - square**2 / n)
    assert v.method.startswith("jackknife, Student's t")
    least, most = get(name).range_of()
    if get(name)._sampling.error == "smooth" and least == 0 and math.isfinite(most):
        # Exact but for what a row moves of the classes' shares, which is taken to first order.
        close = 1e-9 if average == "macro" or name == "hand_till_auc" else 2e-3
        assert [v.low, v.high] == pytest.approx(on_scale(v.value, error, freedom, most), abs=close)
    else:  # on another scale
        half = critical_value(0.95, freedom) * error
        assert 0.85 * 2 * half < v.high - v.low < 1.15 * 2 * half


@pytest.mark.slow
def test_the_interval_of_five_skewed_classes_is_about_half_as_wide_as_of_columns_apart():
    y, p = rows(300)
    ev = tm.evaluate(y, y_score=p)
    (model,) = counted_of(ev).models
    for name, average in AVERAGES[:5]:
        v = ev.value(name, average=average)
        s = Statistic.of(get(name), ev.classes, None, average)
        apart, drawn = (
            interval_of(s, model.scores), ev.value(name, average=average, method="percentile"),
        )  # fmt: skip
        assert apart.method.endswith("classes taken as fully correlated (conservative)")
        assert apart.warning == (
            "the rows were not kept side by side: the interval is wider than necessary"
        )
        width, wide, of_draws = (x.high - x.low for x in (v, apart, drawn))
        assert width < 0.8 * wide, name
        assert 0.85 < width / of_draws < 1.35, name
        assert "side by side" not in str(v.warning)


@pytest.mark.parametrize(("name", "average"), [*AVERAGES[:5], ("brier_skill_score", None)])
@pytest.mark.slow
def test_the_bootstrap_draws_whole_rows(name, average):
    y, p = rows(120, 5, (0.5, 0.3, 0.2), digits=None if name.startswith("brier") else 1)
    ev = tm.evaluate(y, y_score=p)
    v = ev.value(name, average=average, method="percentile", draws=400)
    assert v.method == "percentile bootstrap, 400 draws"
    rng, metric = np.random.default_rng(0), getattr(tm.metrics, name)
    options = {} if average is None else {"average": average}
    drawn = []
    for _ in range(400):
        some = rng.integers(0, len(y), len(y))
        drawn.append(metric(y[some], p[some], labels=[0, 1, 2], **options))
    low, high = np.quantile(drawn, [0.025, 0.975])
    spread = np.std(drawn)
    assert [v.low, v.high] == pytest.approx([low, high], abs=0.6 * spread)


@pytest.mark.slow
def test_methods_that_draw_cells_of_one_column_refuse():
    ev = tm.evaluate(*rows(60)[:1], y_score=rows(60)[1], classes=range(5))
    for method in ("posterior", "bayesian"):
        with pytest.raises(InputError, match="uses the scores of one class, and here a row has"):
            ev.value("roc_auc", method=method)
    with pytest.raises(InputError, match="a ranking of all classes together repeats every row"):
        ev.value("roc_auc", average="micro", method="jackknife")
    assert ev.value("roc_auc", method="bca").low < ev["roc_auc"].value
    assert ev.value("roc_auc", method="stratified").low < ev["roc_auc"].value


def test_classes_chosen_and_undefined_ones_left_out():
    y, p = rows(90, 2, (0.5, 0.3, 0.2))
    ev = tm.evaluate(y, y_score=p)
    some = ev.value("roc_auc", average="macro", classes=[0, 2])
    assert some.method == "jackknife, Student's t"
    one = ev.value("roc_auc", average="macro", classes=[1])
    assert one.value == ev.per_class(["roc_auc"])["model"][1]["roc_auc"].value
    keep = y != 1
    absent = tm.evaluate(y[keep], y_score=p[keep], classes=[0, 1, 2])
    assert math.isnan(absent.value("roc_auc").value)
    skipped = absent.value("roc_auc", skip_undefined=True)
    assert skipped.n_undefined == 1
    assert skipped.low < skipped.value < skipped.high


@pytest.mark.slow
def test_another_class_balance_takes_the_shares_as_known():
    y, p = rows(120, 4, (0.5, 0.3, 0.2))
    shares = {0: 0.2, 1: 0.2, 2: 0.6}
    there = tm.evaluate(y, y_score=p).at(prevalence=shares)
    factor = np.array([shares[k] for k in range(3)]) * len(y) / np.bincount(y)
    w = factor[y]
    for name, average in (("roc_auc", "macro"), ("roc_auc", "weighted"), ("hand_till_auc", None)):
        v = there.value(name, average=average)
        assert v.method == "jackknife within each class, Student's t"

        def without(i, name=name, average=average):
            weight = np.where(np.arange(len(y)) == i, 0, w)
            # The other rows of its class take its weight over: the shares stay.
            weight = weight * np.where(y == y[i], 1 + w[i] / (w[y == y[i]].sum() - w[i]), 1)
            made = tm.evaluate(y, y_score=p, weight=weight)
            return made.value(name, average=average).value

        moved = np.array([v.value - without(i) for i in range(len(y))])
        square, fourth = np.bincount(y, moved**2), np.bincount(y, moved**4)
        n = np.bincount(y)
        variance = ((n - 1) / n * square).sum()
        freedom = 2 * square.sum() ** 2 / (fourth - square**2 / n).sum()
        wanted = on_scale(v.value, math.sqrt(variance), freedom)
        assert [v.low, v.high] == pytest.approx(wanted, abs=2e-3), name


def test_one_row_of_a_class_gives_no_interval_and_says_so():
    y, p = rows(40, 1, (0.6, 0.4, 1e-9))
    y[0] = 2
    v = tm.evaluate(y, np.argmax(p, 1), y_score=p, classes=[0, 1, 2])["roc_auc"]
    assert math.isnan(v.low)
    assert v.method.startswith("no interval: per-class standard errors")


@pytest.mark.slow
def test_two_models_of_several_classes_differ_by_common_rows():
    y, p = rows(250, 6, (0.5, 0.3, 0.2))
    noise = np.random.default_rng(2).dirichlet(np.ones(3), len(y))
    ev = tm.evaluate(y, y_score={"a": p, "b": 0.6 * p + 0.4 * noise})
    found = ev.compare(metric="hand_till_auc", metrics=["hand_till_auc", "roc_auc"])
    for name in ("hand_till_auc", "roc_auc"):
        d = found.pairs[0].differences[name]
        assert d.method == "bootstrap of the rows in common, 2,000 draws"
        assert d.low < d.value < d.high
        alone = [ev.model(m)[name] for m in "ab"]
        assert d.high - d.low < math.hypot(*(v.high - v.low for v in alone))


@pytest.mark.slow
def test_what_chance_pushes_up_by_more_than_its_error_stays_conservative():
    y, p = rows(300)
    ev = tm.evaluate(y, y_score=p)
    for name in ("kolmogorov_smirnov", "h_measure", "sensitivity_at_fpr"):
        assert ev[name].method.endswith("classes taken as fully correlated (conservative)")
        assert "side by side" not in str(ev[name].warning)  # the rows are there
    assert ev["average_precision"].method == "jackknife, Student's t"


@pytest.mark.slow
def test_the_interval_of_five_skewed_classes_covers():
    true, inside, width = 0.90471, [], []  # of 10^6 rows
    for seed in range(120):
        y, p = rows(300, [1, seed])
        v = tm.evaluate(y, y_score=p, classes=range(5)).value("roc_auc")
        inside.append(v.low <= true <= v.high)
        width.append(v.high - v.low)
    assert 0.9 <= np.mean(inside) <= 0.99
    assert 0.06 < np.mean(width) < 0.08  # it was 0.14 of columns apart
