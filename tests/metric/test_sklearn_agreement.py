"""scikit-learn's numbers wherever it defines them; a reason where it answers 0 for 0/0."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.curve import CURVES

m = tm.metrics

FEWER = settings(max_examples=settings.default.max_examples // 2)
"""For a law that many metrics keep, each in a test of its own."""


@st.composite
def labelled(draw, classes=5):
    k = draw(st.integers(2, classes))
    n = draw(st.integers(1, 60))
    y = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    p = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    w = draw(st.none() | st.lists(st.floats(0.1, 9), min_size=n, max_size=n))
    return np.array(y), np.array(p), None if w is None else np.array(w)


@st.composite
def scored(draw, classes=2):
    n = draw(st.integers(2, 80))
    y = draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))
    s = draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))
    w = draw(st.none() | st.lists(st.floats(0.1, 9), min_size=n, max_size=n))
    return np.array(y), np.array(s) / 20, None if w is None else np.array(w)


def theirs(function, *args, **options):
    """Return scikit-learn's value, and whether it warned that it is not defined."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function(*args, **options)
    return value, bool(caught)


def close(ours, value, undefined):
    if math.isnan(ours):
        assert undefined or math.isnan(value)
    else:
        assert ours == pytest.approx(float(value), rel=1e-12, abs=1e-12)


BINARY = [
    (m.precision, sk.precision_score),
    (m.recall, sk.recall_score),
    (m.f1, sk.f1_score),
    (m.jaccard, sk.jaccard_score),
]


@pytest.mark.parametrize(("ours", "function"), BINARY)
@FEWER
@given(rows=labelled(classes=2))
def test_binary(ours, function, rows):
    y, p, w = rows
    value, undefined = theirs(function, y, p, sample_weight=w)
    close(ours(y, p, positive=1, sample_weight=w, labels=[0, 1]), value, undefined)


@given(rows=labelled(classes=2), beta=st.sampled_from([0.5, 2.0, 3.7]))
def test_f_beta(rows, beta):
    y, p, w = rows
    value, undefined = theirs(sk.fbeta_score, y, p, beta=beta, sample_weight=w)
    close(m.f_beta(y, p, beta=beta, sample_weight=w, labels=[0, 1]), value, undefined)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "per_class"])
@pytest.mark.parametrize(("ours", "function"), BINARY)
@FEWER
@given(rows=labelled())
def test_averages(ours, function, average, rows):
    y, p, w = rows
    option = None if average == "per_class" else average
    labels = sorted(set(y) | set(p))
    value, warned = theirs(function, y, p, average=option, labels=labels, sample_weight=w)
    found = ours(y, p, average=average, sample_weight=w)
    if average == "per_class":
        for a, b in zip(found, value, strict=True):
            close(float(a), float(b), warned)
    elif warned:
        # they put 0 for an undefined class; we do not
        assert math.isnan(found) or found == pytest.approx(float(value), rel=1e-12)
    else:
        close(found, value, warned)


@given(rows=labelled())
def test_overall(rows):
    y, p, w = rows
    options = {"sample_weight": w}
    close(m.accuracy(y, p, **options), sk.accuracy_score(y, p, **options), False)
    close(m.error_rate(y, p, **options), sk.zero_one_loss(y, p, **options), False)
    for weights in (None, "linear", "quadratic"):
        value, warned = theirs(sk.cohen_kappa_score, y, p, weights=weights, sample_weight=w)
        close(m.kappa(y, p, weights=weights, **options), value, warned)
    value, warned = theirs(sk.matthews_corrcoef, y, p, **options)
    ours = m.mcc(y, p, **options)
    if math.isnan(ours):
        assert value == 0  # one class only: they answer 0
    else:
        assert ours == pytest.approx(value, rel=1e-12, abs=1e-12)
    value, warned = theirs(sk.balanced_accuracy_score, y, p, **options)
    ours = m.balanced_accuracy(y, p, **options)
    assert math.isnan(ours) == warned  # a class predicted but never true
    if not warned:
        close(ours, value, False)


@given(rows=scored())
def test_ranking(rows):
    y, s, w = rows
    ours = m.roc_auc(y, s, sample_weight=w)
    if len(set(y)) < 2:
        assert math.isnan(ours)
        return
    close(ours, sk.roc_auc_score(y, s, sample_weight=w), False)
    close(m.average_precision(y, s, sample_weight=w),
          sk.average_precision_score(y, s, sample_weight=w), False)  # fmt: skip


@given(rows=scored())
def test_probabilities(rows):
    y, s, w = rows
    close(m.brier(y, s, sample_weight=w),
          sk.brier_score_loss(y, s, sample_weight=w, labels=[0, 1]), False)  # fmt: skip
    inside = 0.05 + 0.9 * s
    close(m.log_loss(y, inside, sample_weight=w),
          sk.log_loss(y, inside, sample_weight=w, labels=[0, 1]), False)  # fmt: skip


@given(seed=st.integers(0, 300), k=st.integers(3, 6), n=st.integers(20, 90), weighted=st.booleans())
@pytest.mark.slow
def test_many_classes_of_scores(seed, k, n, weighted):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n)])
    p = np.round(rng.dirichlet(np.ones(k), len(y)), 2) + 0.01
    p /= p.sum(1, keepdims=True)
    w = rng.random(len(y)) + 0.1 if weighted else None
    for average in ("macro", "weighted"):
        close(m.roc_auc(y, p, average=average, sample_weight=w),
              sk.roc_auc_score(y, p, average=average, multi_class="ovr", sample_weight=w),
              False)  # fmt: skip
    onehot = np.eye(k)[y]
    close(m.roc_auc(y, p, average="micro", sample_weight=w),
          sk.roc_auc_score(onehot, p, average="micro", sample_weight=w), False)  # fmt: skip
    close(m.average_precision(y, p, average="macro", sample_weight=w),
          sk.average_precision_score(onehot, p, average="macro", sample_weight=w), False)  # fmt: skip
    close(m.log_loss(y, p, sample_weight=w), sk.log_loss(y, p, sample_weight=w), False)
    close(m.brier(y, p, sample_weight=w), sk.brier_score_loss(y, p, sample_weight=w), False)


@given(rows=scored())
def test_points_of_curves(rows):
    y, s, w = rows
    if len(set(y)) < 2:
        return
    t = tm.ScoreTally.from_arrays(y, s, sample_weight=w)
    r = CURVES["roc"](t)
    fpr, tpr, thresholds = sk.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    np.testing.assert_allclose(r.x, fpr, atol=1e-12)
    np.testing.assert_allclose(r.y, tpr, atol=1e-12)
    np.testing.assert_array_equal(r.threshold, thresholds)
    p = CURVES["pr"](t)
    precision, recall, _ = sk.precision_recall_curve(y, s, sample_weight=w)
    # theirs ends at (0, 1); ours starts at the precision of its first point
    np.testing.assert_allclose(p.x[1:], recall[:-1][::-1], atol=1e-12)
    np.testing.assert_allclose(p.y[1:], precision[:-1][::-1], atol=1e-12)
