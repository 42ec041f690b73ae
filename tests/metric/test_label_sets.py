"""Metrics of rows with any number of labels: by hand, by slow twins and by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as sk

import tallymark as tm
from tallymark.metric import METRICS, find

RNG = np.random.default_rng(8)
Y = RNG.random((60, 5)) < 0.35
Y[:4] = [[0] * 5, [1] * 5, [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
P = RNG.random((60, 5)) < 0.4
S = RNG.integers(0, 4, (60, 5)) / 4  # full of ties
W = RNG.random(60) + 0.2


def ranks(row):
    """Return how many labels have a score at least as high as each."""
    return [sum(other >= score for other in row) for score in row]


def ranking_loss(y, s):
    pairs = [(a, b) for i, a in enumerate(s) for j, b in enumerate(s) if y[i] and not y[j]]
    return sum(b >= a for a, b in pairs) / len(pairs) if pairs else 0.0


def coverage(y, s):
    return max((r for r, held in zip(ranks(s), y, strict=True) if held), default=0)


def average_precision(y, s):
    if not any(y) or all(y):
        return 1.0
    of_true = [k for k, held in enumerate(y) if held]
    found = [sum(s[j] >= s[k] for j in of_true) / ranks(s)[k] for k in of_true]
    return sum(found) / len(found)


TWINS = {
    "subset_accuracy": (P, lambda y, p: float(list(y) == list(p)), sk.accuracy_score),
    "hamming_loss": (P, lambda y, p: sum(a != b for a, b in zip(y, p, strict=True)) / len(y),
                     sk.hamming_loss),
    "ranking_loss": (S, ranking_loss, sk.label_ranking_loss),
    "coverage_error": (S, coverage, sk.coverage_error),
    "label_ranking_average_precision": (
        S, average_precision, sk.label_ranking_average_precision_score),
}  # fmt: skip


def test_every_metric_of_label_sets_has_a_twin():
    assert set(TWINS) == {m.name for m in METRICS.values() if m._needs.startswith("label_")}
    assert {m.name for m in find(family="multi-label")} == set(TWINS)
    scored = {m.name for m in find(family="multi-label", needs_scores=True)}
    assert scored == {m.name for m in METRICS.values() if m._needs == "label_rankings"}


@pytest.mark.parametrize("name", TWINS)
def test_a_mean_over_rows_is_that_of_its_twin_and_of_scikit_learn(name):
    second, twin, theirs = TWINS[name]
    metric = METRICS[name]
    rows = [twin(*row) for row in zip(Y.tolist(), second.tolist(), strict=True)]
    assert metric(Y, second) == pytest.approx(np.mean(rows), abs=1e-12)
    assert metric(Y, second) == pytest.approx(theirs(Y, second), abs=1e-12)
    weighted = metric(Y, second, sample_weight=W)
    assert weighted == pytest.approx(np.average(rows, weights=W), abs=1e-12)
    assert weighted == pytest.approx(theirs(Y, second, sample_weight=W), abs=1e-12)


def test_many_rows_are_ranked_in_parts(monkeypatch):
    from tallymark.metric import label_sets

    whole = tm.metrics.coverage_error(Y, S)
    monkeypatch.setattr(label_sets, "CELLS_AT_ONCE", 12)
    assert tm.metrics.coverage_error(Y, S) == whole


@pytest.mark.parametrize(
    ("name", "y_true", "second", "words"),
    [
        ("hamming_loss", [0, 1], [0, 1], "y_true has shape (2,); give one column of 0 and 1 for"),
        ("hamming_loss", [[0, 2]], [[0, 1]], "y_true holds 2 at index 0 of column 1; each of"),
        ("hamming_loss", [[0, 1]], [[0, 0.5]], "y_pred holds 0.5 at index 0 of column 1"),
        (
            "ranking_loss",
            Y,
            S[:, :3],
            "y_true has 5 columns and the predictions have shape (60, 3)",
        ),
        ("ranking_loss", Y, S[:9], "the lengths differ: y_true has 60, predictions has 9 rows"),
    ],
)
def test_what_is_no_table_of_labels_is_refused(name, y_true, second, words):
    with pytest.raises(tm.InputError) as caught:
        METRICS[name](y_true, second)
    assert words in str(caught.value)


def test_rows_of_no_label_or_of_all_have_no_wrong_order():
    true, scores = (
        [[0, 0, 0], [1, 1, 1], [1, 0, 0]],
        [[0.2, 0.5, 0.1], [0.9, 0.1, 0.5], [0.5, 0.5, 0.9]],
    )
    for name, of_rows in (
        ("ranking_loss", [0, 0, 1]), ("coverage_error", [0, 3, 3]),
        ("label_ranking_average_precision", [1, 1, 1 / 3]),
    ):  # fmt: skip
        assert METRICS[name](true, scores) == pytest.approx(np.mean(of_rows))
        weighted = METRICS[name](true, scores, sample_weight=[1, 2, 5])
        assert weighted == pytest.approx(np.average(of_rows, weights=[1, 2, 5]))
