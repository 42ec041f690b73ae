"""Tensors in place of arrays give the numbers of the lists that they hold."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from tallymark import sklearn as ours

pytestmark = pytest.mark.slow  # PyTorch takes two seconds to load


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


TRUE, PRED, SCORE = [0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.4, 0.3, 0.8, 0.6]
OF_DECISIONS = (
    "accuracy_score", "balanced_accuracy_score", "cohen_kappa_score", "matthews_corrcoef",
    "f1_score", "jaccard_score", "precision_score", "recall_score", "zero_one_loss",
    "hamming_loss", "confusion_matrix", "multilabel_confusion_matrix", "classification_report",
    "class_likelihood_ratios", "precision_recall_fscore_support",
)  # fmt: skip
OF_SCORES = (
    "roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss", "roc_curve",
    "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds", "calibration_curve",
)  # fmt: skip


@pytest.mark.parametrize("name", OF_DECISIONS)
def test_tensors_of_decisions(torch, name):
    function = getattr(ours, name)
    weights = [1.0, 2.0, 1.0, 0.5, 1.0, 3.0]
    expected = function(TRUE, PRED, sample_weight=weights)
    found = function(torch.tensor(TRUE), torch.tensor(PRED), sample_weight=torch.tensor(weights))
    np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("name", OF_SCORES)
def test_tensors_of_scores_with_a_gradient(torch, name):
    function = getattr(ours, name)
    score = torch.tensor(SCORE, dtype=torch.float64, requires_grad=True)
    np.testing.assert_equal(function(torch.tensor(TRUE), score), function(TRUE, SCORE))


def test_tensors_that_numpy_cannot_hold_are_left_to_scikit_learn(torch):
    with pytest.raises((TypeError, ValueError)):
        ours.roc_auc_score(TRUE, torch.tensor(SCORE, dtype=torch.bfloat16).to_sparse())


@pytest.mark.usefixtures("torch")
def test_tensors_under_array_api_dispatch():
    code = f"""
import numpy as np, sklearn, torch
from tallymark import sklearn as ours
sklearn.set_config(array_api_dispatch=True)
true, pred, score = {TRUE}, {PRED}, {SCORE}
for names, second in (({OF_DECISIONS}, pred), ({OF_SCORES}, score)):
    for name in names:
        function = getattr(ours, name)
        found = function(torch.tensor(true), torch.from_numpy(np.array(second)))
        np.testing.assert_equal(found, function(true, second), err_msg=name)
print("all")
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert run.stdout == "all\n", run.stderr[-2000:]
