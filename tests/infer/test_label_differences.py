"""Two models on the same rows of several labels: differences by resampled rows and clusters."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as sk

import tallymark as tm

RNG = np.random.default_rng(11)
N, L = 240, 4
LATENT = RNG.normal(size=(N, L)) + RNG.normal(size=(N, 1))
Y = LATENT + RNG.normal(size=(N, L)) > np.linspace(0.2, 1.4, L)
GOOD = np.round(1 / (1 + np.exp(0.7 - LATENT)), 2)
POOR = np.clip(GOOD + 0.2 * RNG.normal(size=(N, L)), 0, 1).round(2)
W = RNG.random(N) + 0.3
PATIENT = RNG.integers(0, 40, N)
KINDS = {"rows": {}, "weights": {"weight": W}, "clusters": {"cluster": PATIENT}}
ASKED = [
    ("f1", "macro"), ("f1", "micro"), ("precision", "weighted"), ("jaccard", "samples"),
    ("roc_auc", "macro"), ("average_precision", "macro"), ("subset_accuracy", None),
    ("hamming_loss", None), ("ranking_loss", None),
]  # fmt: skip


def number(name, average, rows, scores, weights):
    """Return a metric of some rows, by scikit-learn."""
    y, s = Y[rows], scores[rows]
    w = None if weights is None else weights[rows]
    if name in ("roc_auc", "average_precision"):
        score = {"roc_auc": sk.roc_auc_score, "average_precision": sk.average_precision_score}[name]
        return score(y, s, average=average, sample_weight=w)
    if average is not None:
        score = {"f1": sk.f1_score, "precision": sk.precision_score, "jaccard": sk.jaccard_score}
        return score[name](y, s >= 0.5, average=average, sample_weight=w, zero_division=0)
    second = s if name == "ranking_loss" else s >= 0.5
    return getattr(tm.metrics, name)(y, second, sample_weight=w)


def both(**options):
    """Return the evaluations of both models, on the same rows."""
    ev = tm.evaluate(Y, y_score={"good": GOOD, "poor": POOR}, **options)
    return ev.model("good"), ev.model("poor")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_differences_vary_as_those_of_resampled_rows(kind):
    first, second = both(**KINDS[kind])
    weights, rng = KINDS[kind].get("weight"), np.random.default_rng(4)
    drawn = []
    for _ in range(60):
        rows = rng.integers(0, N, N)
        if kind == "clusters":
            rows = np.concatenate([np.flatnonzero(c == PATIENT) for c in rng.integers(0, 40, 40)])
        drawn.append(
            [
                number(*asked, rows, GOOD, weights) - number(*asked, rows, POOR, weights)
                for asked in ASKED
            ]
        )
    spreads = np.std(drawn, axis=0)
    for (name, average), spread in zip(ASKED, spreads, strict=True):
        options = {} if average is None else {"average": average}
        d = tm.interval(name, first, second, **options)
        assert d.value == pytest.approx(
            number(name, average, slice(None), GOOD, weights)
            - number(name, average, slice(None), POOR, weights), abs=1e-12,
        )  # fmt: skip
        assert d.error == pytest.approx(spread, rel=0.3), (name, average)
        alone = np.hypot(*(ev.value(name, **options).se for ev in (first, second)))
        assert d.error < 0.95 * alone  # what is hard for one is hard for the other


@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_the_interval_and_the_test_agree(kind):
    first, second = both(**KINDS[kind])
    ev = tm.evaluate(Y, y_score={"good": GOOD, "poor": POOR}, **KINDS[kind])
    found = ev.compare(against="poor", permutations=0)
    (pair,) = found.pairs
    assert found.metric == "subset_accuracy"
    assert (pair.first, pair.second) == ("good", "poor")
    for name, d in pair.differences.items():
        assert tm.interval(name, first, second) == d
        turned = tm.interval(name, second, first)
        ends = (turned.value, turned.low, turned.high, turned.p_value)
        assert ends == pytest.approx((-d.value, -d.high, -d.low, d.p_value), rel=1e-9)
        assert (d.p_value < 0.05) == (d.low > 0 or d.high < 0)
        if d.method != "Tango's score":
            assert d.method.startswith("paired jackknife")
            assert tm.test(name, first, second).p_value == d.p_value
    tests = [t.name for t in pair.tests]
    assert ("McNemar, mid-p, subset accuracy" in tests) == (kind == "rows")
    assert ev.compare(metric="f1").verdicts[0].metric == "f1"


def test_shares_of_rows_have_the_interval_and_the_test_of_one_column():
    """Rows that are wholly right or wrong are compared as those of one column of classes."""
    first, second = both()
    right = [((s >= 0.5) == Y).all(1).astype(int) for s in (GOOD, POOR)]
    one = tm.evaluate(np.ones(N, int), {"a": right[0], "b": right[1]}, classes=[0, 1], positive=1)
    wanted = tm.interval("accuracy", one.model("a"), one.model("b"))
    found = tm.interval("subset_accuracy", first, second)
    for fact in ("value", "low", "high", "p_value", "test", "method"):
        assert getattr(found, fact) == getattr(wanted, fact), fact


@pytest.mark.parametrize("metric", ["f1", "roc_auc", "hamming_loss"])
def test_copies_of_a_label_tell_no_more_than_the_label(metric):
    errors = []
    for copies in (2, 10):
        y, a, b = (np.repeat(v[:, :1], copies, 1) for v in (Y, GOOD, POOR))
        ev = tm.evaluate(y, y_score={"a": a, "b": b})
        errors.append(tm.interval(metric, ev.model("a"), ev.model("b")).error)
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


def test_models_that_say_the_same_are_alike():
    ev = tm.evaluate(Y, y_score={"a": GOOD, "b": GOOD.copy(), "c": POOR})
    assert ev.compare().pair("a", "b").verdict.kind == "alike"
    d = tm.interval("f1", ev.model("a"), ev.model("b"))
    assert d.value == 0
    assert d.low < 0 < d.high


def test_few_rows_of_a_label_are_warned_of():
    y = Y.copy()
    y[:, 3] = np.arange(N) < 3
    ev = tm.evaluate(y, y_score={"a": GOOD, "b": POOR})
    warning = tm.interval("f1", ev.model("a"), ev.model("b")).warning
    assert warning == "only 3 rows are of the rarest label"


def test_other_rows_are_compared_by_both_intervals():
    half = np.arange(N) < N // 2
    one, other = (tm.evaluate(Y[k], y_score=GOOD[k]) for k in (half, ~half))
    d = tm.interval("f1", one, other)
    assert d.method == "square-and-add of both intervals"
    assert d.value == one["f1"].value - other["f1"].value
    assert one.compare_with(other).metric == "subset_accuracy"
    with pytest.raises(tm.InputError, match="the first has several labels a row and the other one"):
        tm.interval("f1", one, one.label(0))
    with pytest.raises(tm.InputError, match="there is one model, 'model'; comparing needs two"):
        one.compare()
