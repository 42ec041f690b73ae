"""Plain scores are counted here: scikit-learn's function is not asked, and says the same."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sklearn.metrics

import tallymark.sklearn as ours
from parts.sklearn.peers import agree, answered_here

RNG = np.random.default_rng(23)
N = 80
ILL = (RNG.random(N) < 0.3).astype(int)
SCORE = np.clip(RNG.normal(0.4 + 0.2 * ILL, 0.15), 0.02, 0.97)
SCORES = {
    "untied": SCORE,
    "tied": SCORE.round(1),
    "of 32 bits": SCORE.astype("f4").round(2),
    "integers": (SCORE * 9).astype(int) - 3,
}
WEIGHTS = (None, RNG.integers(1, 9, N) / 4, RNG.integers(0, 3, N))
_WORDS = np.array(["no", "yes"])

THREE = np.where(ILL == 1, 2, (RNG.random(N) < 0.35).astype(int))
P = RNG.dirichlet((2, 1, 1), N)
P[np.arange(N), THREE] += 0.4
P /= P.sum(1, keepdims=True)
TIED = np.round(P * 8) / 8
TIED[:, 0] = 1 - TIED[:, 1:].sum(1)
TIED = np.abs(TIED) / np.abs(TIED).sum(1, keepdims=True)
_TREES = np.array(["ash", "beech", "oak"])

MARKS = (RNG.random((N, 3)) < (0.2, 0.5, 0.7)).astype(int)
MARKS[:, 0] |= 1 - MARKS.max(1)  # at least one a row
OF_MARKS = np.clip(RNG.normal(0.4 + 0.2 * MARKS, 0.2), 0, 1).round(1)


def _curves(name):
    for kind, w, flag in product(SCORES, WEIGHTS, (False, True)):
        more = {"sample_weight": w, "drop_intermediate": flag}
        answered_here(name, ILL, SCORES[kind], **more)
    for flag in (False, True):
        answered_here(name, 2 * ILL - 1, SCORE, drop_intermediate=flag)
        answered_here(name, ILL, -SCORE, pos_label=0, drop_intermediate=flag)
        answered_here(name, _WORDS[ILL], SCORE, pos_label="yes", drop_intermediate=flag)
        for rows in ([0, 1], [0, 1, 2], [0, 1, 2, 3]):  # a curve of few points
            for truth in ([0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 1]):
                few = np.array(truth)[rows], np.array([0.9, 0.7, 0.4, 0.3])[rows]
                answered_here(name, *few, drop_intermediate=flag)
        if name != "det_curve":
            answered_here(name, 0 * ILL, SCORE, drop_intermediate=flag)
            answered_here(name, 0 * ILL + 1, SCORE, drop_intermediate=flag)


def test_roc_curves():
    _curves("roc_curve")


def test_det_curves():
    _curves("det_curve")


def test_precision_recall_curves():
    _curves("precision_recall_curve")


def test_counts_at_thresholds():
    name = "confusion_matrix_at_thresholds"
    if not hasattr(sklearn.metrics, name):
        pytest.skip("an older scikit-learn")
    for kind, w in product(SCORES, WEIGHTS):
        answered_here(name, ILL, SCORES[kind], sample_weight=w)
    answered_here(name, _WORDS[ILL], SCORE, pos_label="no")


def test_areas_of_two_classes():
    for kind, w, max_fpr in product(SCORES, WEIGHTS[:2], (None, 0.07, 1)):
        answered_here("roc_auc_score", ILL, SCORES[kind], sample_weight=w, max_fpr=max_fpr)
    for kind, w in product(SCORES, WEIGHTS):
        answered_here("average_precision_score", ILL, SCORES[kind], sample_weight=w)
        answered_here("average_precision_score", ILL, SCORES[kind], sample_weight=w, pos_label=0)
    answered_here("roc_auc_score", _WORDS[ILL], SCORE)
    answered_here("roc_auc_score", ILL * 3 - 7, SCORE, sample_weight=WEIGHTS[1])
    answered_here("roc_auc_score", 0 * ILL, SCORE)
    answered_here("roc_auc_score", 0 * ILL, SCORE, sample_weight=WEIGHTS[1])
    answered_here("average_precision_score", _WORDS[ILL], SCORE, pos_label="yes")


def test_areas_of_many_classes():
    name = "roc_auc_score"
    for average, w in product((None, "micro", "macro", "weighted"), WEIGHTS):
        p = P if w is None else TIED
        answered_here(name, THREE, p, multi_class="ovr", average=average, sample_weight=w)
        answered_here("average_precision_score", THREE, p, average=average, sample_weight=w)
    for p, average in product((TIED, P.astype("f4")), ("macro", "weighted")):
        answered_here(name, THREE, p, multi_class="ovo", average=average)
        for labels in (["ash", "beech", "oak"], ["ash", "beech", "oak", "willow"]):
            q = p if len(labels) == 3 else np.column_stack([p, 0 * p[:, 0]])
            more = {"multi_class": "ovo", "average": average, "labels": labels}
            answered_here(name, _TREES[THREE], q, **more)


def test_areas_of_several_labels_a_row():
    some = MARKS.min(1) == 0  # rows of all labels have no area
    w = WEIGHTS[1][some]
    for average, weight in (
        (None, None), ("micro", w), ("macro", None), ("weighted", w), ("samples", None),
        ("samples", w),
    ):  # fmt: skip
        for name in ("roc_auc_score", "average_precision_score"):
            more = {"average": average, "sample_weight": weight}
            answered_here(name, MARKS[some], OF_MARKS[some], **more)
    assert agree("average_precision_score", 0 * MARKS, OF_MARKS, average="weighted")
    assert agree("average_precision_score", MARKS * [0, 1, 1], OF_MARKS, average="weighted")


def test_top_k():
    name = "top_k_accuracy_score"
    for p, k, normalize, w in product((P, TIED), (1, 2, 3, 4), (True, False), WEIGHTS[:2]):
        answered_here(name, THREE, p, k=k, normalize=normalize, sample_weight=w)
    some = THREE < 2
    for k, w in product((1, 2), WEIGHTS[:2]):
        more = {"k": k, "labels": [0, 1, 2], "sample_weight": None if w is None else w[some]}
        answered_here(name, THREE[some], P[some], **more)
    for s, k, normalize in product((SCORE, SCORE * 4 - 2), (1, 2), (True, False)):
        answered_here(name, ILL, s, k=k, normalize=normalize)
    for s in ([0.5, 0.2, 0.9], [0, 0.3, 1], [0, 0.3, 1.1], [-0.1, 0.0, 0.4]):  # the cut itself
        answered_here(name, [0, 1, 1], np.array(s), k=1)


def test_losses_of_two_classes():
    for s, w in product((SCORE, SCORE.astype("f4"), SCORE.round()), WEIGHTS):
        for normalize in (True, False):
            answered_here("log_loss", ILL, s, sample_weight=w, normalize=normalize)
        for scale_by_half in (True, False, "auto"):
            more = {"sample_weight": w, "scale_by_half": scale_by_half}
            answered_here("brier_score_loss", ILL, s, **more)
            answered_here("brier_score_loss", _WORDS[ILL], s, pos_label="no", **more)
    for s, w in product((SCORE, SCORE.astype("f4"), SCORE.round()), WEIGHTS):
        answered_here("d2_log_loss_score", _WORDS[ILL], s, sample_weight=w)
    assert agree("d2_log_loss_score", 0 * ILL + 1, SCORE, labels=[0, 1])
    answered_here("log_loss", _WORDS[ILL], SCORE)
    answered_here("log_loss", 0 * ILL + 1, SCORE, labels=[0, 1])
    both = np.column_stack([1 - SCORE, SCORE])
    for name in ("log_loss", "d2_log_loss_score"):
        answered_here(name, ILL, both)
    for scale_by_half in (True, False, "auto"):
        answered_here("brier_score_loss", ILL, both, scale_by_half=scale_by_half)


def test_losses_of_many_classes():
    for p, w in product((P, P.astype("f4"), TIED), WEIGHTS):
        for normalize in (True, False):
            answered_here("log_loss", THREE, p, sample_weight=w, normalize=normalize)
        answered_here("d2_log_loss_score", _TREES[THREE], p, sample_weight=w)
        for scale_by_half in (True, False, "auto"):
            more = {"sample_weight": w, "scale_by_half": scale_by_half}
            answered_here("brier_score_loss", _TREES[THREE], p, **more)
    some = THREE != 1
    for name in ("log_loss", "d2_log_loss_score", "brier_score_loss"):
        answered_here(name, _TREES[THREE[some]], P[some], labels=["ash", "beech", "oak"])


def test_losses_of_more_rows_than_one_chunk():
    n = 40_000
    y, s, w = np.arange(n) % 7 % 2, np.arange(n) % 89 / 90, np.arange(n) % 5 / 4
    answered_here("log_loss", y, s, sample_weight=w)
    answered_here("brier_score_loss", y, s, sample_weight=w)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_calibration_curves(strategy):
    for s, bins in product((SCORE, SCORE.round(1), SCORE.astype("f4")), (1, 2, 5, 10)):
        for truth, more in ((ILL, {}), (_WORDS[ILL], {"pos_label": "no"})):
            answered_here("calibration_curve", truth, s, n_bins=bins, strategy=strategy, **more)


def test_areas_under_points():
    x, y = np.sort(RNG.random(9).round(1)), RNG.random(9)
    for points in ((x, y), (x[::-1], y), (x[:2], y[:2]), (x * 0, y), (np.arange(9), y)):
        answered_here("auc", *points)


def test_metrics_at_thresholds_are_called_on_four_rows():
    name = "metric_at_thresholds"
    if not hasattr(sklearn.metrics, name):
        pytest.skip("an older scikit-learn")
    for metric, params in (
        ("recall_score", {}), ("precision_score", {"zero_division": 0}), ("accuracy_score", {}),
        ("fbeta_score", {"beta": 2}), ("matthews_corrcoef", {}),
    ):  # fmt: skip
        mine, theirs = getattr(ours, metric), getattr(sklearn.metrics, metric)
        for w in (None, WEIGHTS[1][:12]):
            more = {"metric_params": params or None, "sample_weight": w}
            few = ILL[:12], SCORE[:12].round(1)
            found, at = getattr(ours, name)(*few, mine, **more)
            wanted, also_at = getattr(sklearn.metrics, name)(*few, theirs, **more)
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
            assert at.tolist() == also_at.tolist()
    seen = []

    def counted(true, called, sample_weight):
        seen.append((true.tolist(), called.tolist(), sample_weight.tolist()))
        return ours.accuracy_score(true, called, sample_weight=sample_weight)

    counted.__module__ = "tallymark.sklearn.classification"
    values, thresholds = getattr(ours, name)([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.4], counted)
    assert seen == [
        ([0, 1, 1], [0, 0, 1], [2, 1, 1]),
        ([0, 0, 1], [0, 1, 1], [1, 1, 2]),
        ([0, 1], [1, 1], [2, 2]),
    ]
    assert (values.tolist(), thresholds.tolist()) == ([0.75, 0.75, 0.5], [0.8, 0.4, 0.1])


def test_what_is_unusual_is_answered_or_refused_as_they_do():
    three, few = (THREE[:20], P[:20]), (ILL[:20], SCORE[:20])
    for more in (
        {"multi_class": "raise"}, {"multi_class": "ovo", "average": None},
        {"multi_class": "ovo", "average": "micro"}, {"multi_class": "ovr", "average": "samples"},
        {"multi_class": "ovr", "max_fpr": 0.5}, {"multi_class": "ovr", "labels": [2, 1, 0]},
        {"multi_class": "ovo", "sample_weight": np.ones(20)},
        {"multi_class": "ovr", "labels": [0, 1]},
    ):  # fmt: skip
        agree("roc_auc_score", *three, **more)
    agree("roc_auc_score", three[0], 2 * three[1], multi_class="ovr")
    agree("roc_auc_score", three[0][:19], three[1], multi_class="ovr")
    agree("roc_auc_score", few[0], np.column_stack([1 - few[1], few[1]]))
    agree("roc_auc_score", three[0], few[1])
    agree("roc_auc_score", MARKS[:20], OF_MARKS[:20, :2])
    for more in ({"pos_label": 2}, {"pos_label": 0}):
        agree("average_precision_score", *three, **more)
        agree("average_precision_score", MARKS[:20], OF_MARKS[:20], **more)
        agree("average_precision_score", *few, **more)
    agree("average_precision_score", few[0], np.column_stack([few[1], few[1]]))
    agree("average_precision_score", three[0], three[1][:, :2])
    agree("average_precision_score", few[0], few[1][:19])
    for name in ("roc_curve", "det_curve", "precision_recall_curve"):
        agree(name, *three[:1], few[1])
        agree(name, few[0], few[1][:19])
        agree(name, few[0], few[1], pos_label=7)
        agree(name, [1, 1, 1], [0.1, 0.2, 0.3])
        agree(name, [0, 0, 0], [0.1, 0.2, 0.3])
    for p in (
        few[1] + 0.5, few[1] - 0.5, few[1] > 0.5, few[1].reshape(-1, 1), few[1][:19],
        np.column_stack([few[1], few[1]]), np.column_stack([1 - few[1], few[1], 0 * few[1]]),
    ):  # fmt: skip
        for name in (
            "log_loss", "d2_log_loss_score", "brier_score_loss", "calibration_curve",
            "top_k_accuracy_score",
        ):  # fmt: skip
            agree(name, few[0], p)
    for labels in ([0, 1], [0, 1, 2, 3], [2, 1, 0]):
        for name in ("log_loss", "brier_score_loss", "top_k_accuracy_score"):
            agree(name, *three, labels=labels)
    agree("brier_score_loss", *few, pos_label=5)
    agree("brier_score_loss", three[0], few[1])
    agree("calibration_curve", *few, pos_label=5)
    agree("top_k_accuracy_score", three[0], three[1][:19])
    for points in (([0, 1, 0.5], [0, 1, 1]), ([0], [1]), ([0, 1], [1]), ([[0, 1]], [[0, 1]])):
        agree("auc", *points)
