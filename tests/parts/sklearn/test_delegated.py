"""Functions of scikit-learn that have nothing to count, and metrics at every threshold."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as theirs

from tallymark import sklearn as ours

LABELS = [[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]]
SCORES = [[0.9, 0.2, 0.4], [0.3, 0.8, 0.8], [0.1, 0.6, 0.5], [0.7, 0.2, 0.1]]
OF_RANKED_LABELS = (
    "coverage_error", "dcg_score", "label_ranking_average_precision_score", "label_ranking_loss",
    "ndcg_score",
)  # fmt: skip


@pytest.mark.parametrize(
    "as_given", [list, np.array, pytest.param("tensor", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", OF_RANKED_LABELS)
def test_ranked_labels(name, as_given):
    if as_given == "tensor":
        as_given = pytest.importorskip("torch").tensor
    weights = [1.0, 2.0, 0.5, 1.0]
    expected = getattr(theirs, name)(LABELS, SCORES, sample_weight=weights)
    found = getattr(ours, name)(as_given(LABELS), as_given(SCORES), sample_weight=as_given(weights))
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["d2_brier_score", "hinge_loss"])
def test_one_score_a_row(name):
    y, s = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.1]
    assert getattr(ours, name)(y, s) == getattr(theirs, name)(y, s)


@pytest.mark.parametrize(
    "name",
    ["accuracy_score", "f1_score", "recall_score", "balanced_accuracy_score", "cohen_kappa_score",
     "matthews_corrcoef", "jaccard_score", "zero_one_loss", "confusion_matrix"],
)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_a_metric_at_every_threshold(name, weighted):
    rng = np.random.default_rng(0)
    y = np.r_[0, 1, rng.integers(0, 2, 200)]
    s = np.r_[0.5, 0.5, np.round(rng.random(200) + 0.3 * y[2:], 2)]
    weights = {"sample_weight": rng.random(202)} if weighted else {}
    expected = theirs.metric_at_thresholds(y, s, getattr(theirs, name), **weights)
    found = ours.metric_at_thresholds(y, s, getattr(ours, name), **weights)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found[1], expected[1])


def test_metrics_with_parameters_and_of_others_at_every_threshold():
    y, s = [0, 1, 1, 0, 1], [0.1, 0.8, 0.4, 0.4, 0.9]
    two = {"metric_params": {"beta": 2}}
    expected = theirs.metric_at_thresholds(y, s, theirs.fbeta_score, **two)[0]
    assert ours.metric_at_thresholds(y, s, ours.fbeta_score, **two)[0] == pytest.approx(expected)
    called = ours.metric_at_thresholds(y, s, lambda true, called: called.sum())
    assert called[0].tolist() == [1, 2, 4, 5]
    right = ours.metric_at_thresholds(y, s, ours.accuracy_score, metric_params={"normalize": False})
    assert right[0].tolist() == [3, 4, 4, 3]
