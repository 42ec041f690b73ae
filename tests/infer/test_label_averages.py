"""Averages over labels and rows: values by scikit-learn, intervals by resampled rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.metrics as sk

import tallymark as tm

RNG = np.random.default_rng(5)
N, L = 240, 4
SHARED = RNG.normal(size=(N, 1))
LATENT = RNG.normal(size=(N, L)) + SHARED
Y = LATENT + RNG.normal(size=(N, L)) > np.linspace(0.2, 1.4, L)
S = np.round(1 / (1 + np.exp(0.7 - LATENT)), 2)
P = S >= 0.5
W = RNG.random(N) + 0.3
PATIENT = RNG.integers(0, 30, N)

THEIRS = {
    "f1": sk.f1_score, "precision": sk.precision_score, "sensitivity": sk.recall_score,
    "jaccard": sk.jaccard_score,
}  # fmt: skip
OF_SCORES = {"roc_auc": sk.roc_auc_score, "average_precision": sk.average_precision_score}
OF_ROWS = {
    "subset_accuracy": sk.accuracy_score, "hamming_loss": sk.hamming_loss,
    "ranking_loss": sk.label_ranking_loss, "coverage_error": sk.coverage_error,
    "label_ranking_average_precision": sk.label_ranking_average_precision_score,
}  # fmt: skip


RESAMPLED = (
    "f1_macro", "f1_micro", "precision_weighted", "precision_samples", "roc_auc_macro",
    "average_precision_micro", *OF_ROWS,
)  # fmt: skip


def numbers(rows=slice(None), weights=None, wanted=None):
    """Return what scikit-learn makes of some rows, under the names of our values."""
    y, s, p = Y[rows], S[rows], P[rows]
    w = None if weights is None else weights[rows]
    out = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for average in ("macro", "micro", "weighted", "samples"):
            for name, score in THEIRS.items():
                if wanted and f"{name}_{average}" not in wanted:
                    continue
                out[f"{name}_{average}"] = score(y, p, average=average, sample_weight=w)
            for name, score in OF_SCORES.items():
                if average != "samples" and (not wanted or f"{name}_{average}" in wanted):
                    out[f"{name}_{average}"] = score(y, s, average=average, sample_weight=w)
        for name, score in OF_ROWS.items():
            second = s if name not in ("subset_accuracy", "hamming_loss") else p
            score = getattr(tm.metrics, name) if wanted else score  # theirs loop over rows
            out[name] = score(y, second, sample_weight=w)
    return out


def ours(ev):
    """Return what is looked at first of the one model, under the same names."""
    out = {name: ev[name] for name in OF_ROWS if name in ev}
    for name in [n for n in (*THEIRS, *OF_SCORES) if n in ev]:
        for average in ("macro", "micro", "weighted", *(["samples"] if name in THEIRS else [])):
            out[f"{name}_{average}"] = ev.value(name, average=average)
    return out


@pytest.mark.parametrize("weights", [None, W])
def test_values_are_those_of_scikit_learn(weights):
    found = ours(tm.evaluate(Y, y_score=S, weight=weights))
    wanted = numbers(weights=weights)
    assert found.keys() == wanted.keys()
    for name, value in found.items():
        assert value.value == pytest.approx(wanted[name], abs=1e-12), name


@pytest.mark.parametrize("kind", ["rows", "weights", "clusters"])
@pytest.mark.slow
def test_intervals_are_those_of_resampled_rows(kind):
    options = {"weights": {"weight": W}, "clusters": {"cluster": PATIENT}}.get(kind, {})
    found = ours(tm.evaluate(Y, y_score=S, **options))
    rng, drawn = np.random.default_rng(2), []
    for _ in range(60):
        rows = rng.integers(0, N, N)
        if kind == "clusters":
            chosen = rng.integers(0, 30, 30)
            rows = np.concatenate([np.flatnonzero(c == PATIENT) for c in chosen])
        drawn.append(numbers(rows, W if kind == "weights" else None, RESAMPLED))
    for name in RESAMPLED:
        value, spread = found[name], np.std([one[name] for one in drawn])
        assert value.se == pytest.approx(spread, rel=0.3), name
        assert value.low < value.value < value.high, name
        # Means over rows allow for one more row, or cluster, anywhere in the range.
        assert 0.65 < (value.high - value.low) / (4 * spread) < 2, name
    words = "of clusters" if kind == "clusters" else "weighted" if kind == "weights" else ""
    assert all(words in value.method for value in found.values())


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("metric", ["f1", "roc_auc", "precision"])
def test_copies_of_a_label_tell_no_more_than_the_label(metric, average):
    """Labels of a row are no independent rows: ten copies have the error of one."""
    one, ten = Y[:, [0]], S[:, [0]]
    ml = tm.evaluate(np.repeat(one, 10, 1), y_score=np.repeat(ten, 10, 1))
    value = ml.value(metric, average=average)
    alone = tm.evaluate(one[:, 0], y_score=ten[:, 0]).value(metric, method="jackknife")
    assert value.value == pytest.approx(alone.value, abs=1e-12)
    assert value.se == pytest.approx(alone.se, rel=0.02)  # leaving out one row, to first order


def test_many_labels_are_judged_on_fewer_bins_of_their_scores():
    """Forty copies of a label have the error of one, whose scores are in three times the bins."""
    rng = np.random.default_rng(5)
    y = rng.random(4000) < 0.1
    score = 1 / (1 + np.exp(2 - 2 * y - rng.normal(size=len(y))))
    many = tm.evaluate(np.repeat(y[:, None], 40, 1), y_score=np.repeat(score[:, None], 40, 1))
    alone = tm.evaluate(y, y_score=score)
    for name in ("roc_auc", "log_loss", "brier", "average_precision", "partial_roc_auc", "cllr"):
        value = alone.value(name, method="jackknife")
        averaged = many.value(name, average="macro")
        assert averaged.value == pytest.approx(value.value, abs=1e-12), name
        assert averaged.se == pytest.approx(value.se, rel=0.01), name


def test_the_interval_of_a_fitted_metric_allows_for_its_bias():
    """The bootstrap here is row by row; three copies of a label have the bias of one."""
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.2
    score = 1 / (1 + np.exp(2 - y - rng.normal(size=len(y))))

    def distance(rows):
        true = y[rows][np.argsort(-score[rows])]
        return np.max(true.cumsum() / true.sum() - (~true).cumsum() / (~true).sum())

    every = distance(np.arange(len(y)))
    bias = np.mean([distance(rng.integers(0, len(y), len(y))) for _ in range(2000)]) - every
    many = tm.evaluate(np.repeat(y[:, None], 3, 1), y_score=np.repeat(score[:, None], 3, 1))
    value = many.value("kolmogorov_smirnov", average="macro")
    assert value.value == pytest.approx(every, abs=1e-12)
    assert value.value - value.low - 1.96 * value.se == pytest.approx(bias, rel=0.25)


def test_averages_get_the_jackknife_and_means_over_rows_a_beta_posterior():
    for name, value in ours(tm.evaluate(Y, y_score=S)).items():
        if name == "coverage_error":
            assert value.method == "mean over rows, Student's t with skewness"
        elif name in OF_ROWS or name.endswith("_samples"):
            assert value.method == "mean over rows, beta posterior", name
        else:
            assert value.method == "jackknife, Student's t", name


def test_the_order_of_rows_and_of_labels_does_not_matter():
    ml = tm.evaluate(Y, y_score=S, cluster=PATIENT)
    rows, labels = RNG.permutation(N), RNG.permutation(L)
    turned = tm.evaluate(
        Y[rows][:, labels], y_score=S[rows][:, labels], cluster=PATIENT[rows],
        classes=[int(k) for k in labels],
    )  # fmt: skip
    others = ours(turned)
    for name, value in ours(ml).items():
        other = others[name]
        assert value.value == pytest.approx(other.value, rel=1e-12)
        assert (value.low, value.high) == pytest.approx((other.low, other.high), rel=1e-9)
        assert value.method == other.method


@pytest.mark.slow
def test_one_label_is_judged_as_by_itself():
    for options in ({}, {"weight": W}, {"cluster": PATIENT}):
        ml = tm.evaluate(Y, y_score=S, **options)
        alone = tm.evaluate(Y[:, 2].astype(int), y_score=S[:, 2], **options)
        assert ml.label(2).values() == {"model": alone.values()["model"]}
        assert ml.per_class(["roc_auc"])["model"][2]["roc_auc"] == alone["roc_auc"]


def test_undefined_labels_make_an_average_undefined_unless_they_are_skipped():
    y, p = Y.copy(), P.copy()
    y[:, 1] = False
    p[:, [1, 3]] = False
    ml = tm.evaluate(y, p, classes=["a", "b", "c", "d"])
    found = ml.value("precision")
    assert np.isnan(found.value)
    assert found.reason.startswith("label 'b': ")
    assert "; label 'd': " in found.reason
    skipped = ml.value("precision", skip_undefined=True)
    wanted = sk.precision_score(y, p, average="macro", zero_division=np.nan)
    assert skipped.value == pytest.approx(wanted, abs=1e-12)
    assert (skipped.n_undefined, skipped.low < skipped.value < skipped.high) == (2, True)
    assert ml.value("sensitivity", average="weighted").value == pytest.approx(
        sk.recall_score(y, p, average="weighted", zero_division=0), abs=1e-12
    )
    assert [n.rule for n in ml.notes] == ["absent-label", "label-never-predicted", "empty-rows"]


def test_an_average_of_all_labels_as_one_says_why_it_is_undefined():
    assert tm.evaluate(Y, P & False).value("precision", average="micro").reason == (
        "no row was predicted positive"
    )
    value = tm.evaluate(Y, P & False, cluster=PATIENT).value(
        "precision", average="samples", skip_undefined=True
    )
    assert np.isnan(value.value)
    assert (value.reason, value.n_undefined) == ("it is undefined in every row", N)


def test_rows_without_labels_count_nothing_or_are_left_out_of_samples():
    ml = tm.evaluate(Y, P)
    value = ml.value("precision", average="samples")
    assert value.n_undefined == int((~P.any(1)).sum()) > 0
    skipped = ml.value("precision", average="samples", skip_undefined=True)
    wanted = sk.precision_score(Y, P, average="samples", zero_division=np.nan)
    assert skipped.value == pytest.approx(wanted, abs=1e-12)
    assert skipped.value > value.value


@pytest.mark.parametrize("name", ["brier", "log_loss", "matthews_corrcoef", "accuracy"])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_any_metric_of_one_class_is_averaged(name, average):
    s = np.clip(S, 0.02, 0.98)
    ml = tm.evaluate(Y, y_score=s)
    value = ml.value(name, average=average)
    of = [tm.metrics.__getattr__(name)(Y[:, k], (s if name in ("brier", "log_loss") else P)[:, k])
          for k in range(L)]  # fmt: skip
    if average == "micro":
        second = s if name in ("brier", "log_loss") else P
        wanted = tm.metrics.__getattr__(name)(Y.ravel(), second.ravel())
    else:
        wanted = np.average(of, weights=Y.sum(0) if average == "weighted" else None)
    assert value.value == pytest.approx(wanted, abs=1e-12)
    assert value.low < value.value < value.high


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (("f1", "mean"), "average is 'mean'; there are 'macro', 'micro', 'weighted', 'samples'"),
        (("hamming_loss", "macro"), "hamming_loss is a mean over rows already; leave average out"),
        (("roc_auc", "samples"), "average='samples' is for decisions, and roc_auc uses scores; use"),
        (("top_k_accuracy", None), "top_k_accuracy is not a metric of one label; use a metric of"),
        (("roc_auc", None), "roc_auc needs scores, and model has none; give y_score"),
        (("ranking_loss", None), "ranking_loss needs scores, and model has none; give y_score"),
    ],
)  # fmt: skip
def test_what_has_no_average_is_refused(ask, words):
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(Y, P).value(ask[0], average=ask[1])
    assert words in str(caught.value)


def test_scores_that_are_no_probabilities_have_no_brier_score():
    ml = tm.evaluate(Y, y_score=LATENT)
    assert [n.rule for n in ml.notes if n.severity == "warning"] == ["not-probabilities"]
    assert ml.label(0).models[0].rule == "scores at or above 0"
    with pytest.raises(tm.InputError, match="brier needs probabilities, and model has none"):
        ml.value("brier")


def test_few_rows_of_a_label_are_warned_of():
    y = Y.copy()
    y[:, 3] = False
    y[:3, 3] = True
    ml = tm.evaluate(y, y_score=S)
    assert ml.value("f1").warning == "only 3 rows are of the rarest label"
    assert ml.value("f1", average="micro").warning is None
