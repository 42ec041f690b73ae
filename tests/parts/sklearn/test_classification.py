"""Plain labels are counted here: scikit-learn's function is not asked, and says the same."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tallymark.sklearn as ours
from parts.sklearn.peers import agree, answered_here

RNG = np.random.default_rng(11)
N = 90
_THREE, _GUESS = RNG.integers(0, 3, N), RNG.integers(0, 3, N)
_THREE[_THREE == 2] = np.where(np.arange((_THREE == 2).sum()) < 9, 2, 0)  # 9 rows of class 2
_CALLED = np.where(RNG.random(N) < 0.55, _THREE, _GUESS)
_WORDS = np.array(["ash", "beech", "oak"])

WEIGHTS = (None, RNG.integers(1, 9, N) / 4, RNG.integers(0, 4, N))  # whose sums are exact
TWO = {
    "numbers": (np.minimum(_THREE, 1), np.minimum(_CALLED, 1)),
    "signs": (2 * np.minimum(_THREE, 1) - 1, 2 * np.minimum(_CALLED, 1) - 1),
    "none called positive": (np.minimum(_THREE, 1), np.zeros(N, int)),
    "none truly positive": (np.zeros(N, int), np.minimum(_CALLED, 1)),
    "all right": (np.minimum(_THREE, 1), np.minimum(_THREE, 1)),
}
MANY = {
    "texts": (_WORDS[_THREE], _WORDS[_CALLED]),
    "numbers": (_THREE, _CALLED),
    "one never called": (_THREE, np.minimum(_CALLED, 1)),
    "one never true": (np.minimum(_THREE, 1), _CALLED),
}
SOME = {  # asked for: in another order, in part, and one that never occurs
    "texts": [["oak", "ash"], ["beech", "elm", "oak"], ["beech"]],
    "numbers": [[2, 0], [1, 7, 2], [1]],
}
_MARKS = RNG.random((N, 4)) < (0.2, 0.4, 0.6, 0.1)
MARKS = _MARKS.astype(int), (_MARKS ^ (RNG.random((N, 4)) < 0.25)).astype(int)
MARKS[0][:5] = MARKS[1][:3] = 0  # rows without a label
MARKS[1][:, 3] = 0  # a label that is never called
LABELS_OF_MARKS = (None, [3, 1], [2])

RATES = ("precision_score", "recall_score", "f1_score", "jaccard_score")
ZERO_DIVISIONS = dict.fromkeys(RATES, ("warn", 0, 1, np.nan)) | {"jaccard_score": ("warn", 0, 1)}


def _of_all_rows(name, *options, of=()):
    pairs = of or [*TWO.values(), *MANY.values()]
    for pair, w, more in product(pairs, WEIGHTS, [{}, *options]):
        answered_here(name, *pair, sample_weight=w, **more)


def test_shares_of_rows():
    for name in ("accuracy_score", "zero_one_loss"):
        _of_all_rows(name, {"normalize": False}, of=[*TWO.values(), MANY["texts"], MARKS])


def test_shares_of_labels():
    _of_all_rows("hamming_loss", of=[*TWO.values(), *MANY.values(), MARKS])


def test_balanced_accuracy():
    _of_all_rows("balanced_accuracy_score", {"adjusted": True})


def test_correlation_and_kappa():
    _of_all_rows("matthews_corrcoef")
    weighted = [{"weights": weights} for weights in ("linear", "quadratic")]
    _of_all_rows("cohen_kappa_score", *weighted, of=[*MANY.values()])


def test_matrices():
    shares = [{"normalize": share} for share in ("true", "pred", "all")]
    _of_all_rows("confusion_matrix", *shares, of=[TWO["none truly positive"], *MANY.values()])
    _of_all_rows("multilabel_confusion_matrix")


def test_matrices_of_some_labels():
    for name, kind, w in product(("confusion_matrix", "cohen_kappa_score"), SOME, WEIGHTS):
        for labels in SOME[kind][:2]:
            answered_here(name, *MANY[kind], labels=labels, sample_weight=w)
    for kind, w in product(SOME, WEIGHTS):
        for labels in SOME[kind]:
            answered_here(
                "multilabel_confusion_matrix", *MANY[kind], labels=labels, sample_weight=w
            )
    for w, labels, samplewise in product(WEIGHTS, LABELS_OF_MARKS, (False, True)):
        more = {"sample_weight": w, "labels": labels, "samplewise": samplewise}
        answered_here("multilabel_confusion_matrix", *MARKS, **more)


@pytest.mark.parametrize("name", RATES)
def test_rates_of_two_classes(name):
    for kind, w, zero_division in product(TWO, WEIGHTS[:2], ZERO_DIVISIONS[name]):
        more = {"sample_weight": w, "zero_division": zero_division}
        answered_here(name, *TWO[kind], **more)
        if kind == "numbers":
            answered_here(name, *TWO[kind], pos_label=0, **more)


@pytest.mark.parametrize("name", RATES)
def test_rates_of_many_classes(name):
    for kind, average in product(MANY, (None, "micro", "macro", "weighted")):
        answered_here(name, *MANY[kind], average=average, sample_weight=WEIGHTS[1])
        for labels in SOME.get(kind, []):
            answered_here(name, *MANY[kind], average=average, labels=labels)


@pytest.mark.parametrize("name", RATES)
def test_rates_of_several_labels_a_row(name):
    averages = (None, "micro", "macro", "weighted", "samples")
    for labels, average, w in product(LABELS_OF_MARKS, averages, WEIGHTS[:2]):
        answered_here(name, *MARKS, average=average, labels=labels, sample_weight=w)
    for zero_division in ZERO_DIVISIONS[name]:
        for average in ("macro", "samples"):
            answered_here(name, *MARKS, average=average, zero_division=zero_division)


@pytest.mark.parametrize("beta", [0, 0.5, 3.7, np.inf])
def test_f_of_other_weights(beta):
    for kind in TWO:
        for zero_division in ("warn", 1):
            answered_here("fbeta_score", *TWO[kind], beta=beta, zero_division=zero_division)
    for name, (kind, average) in product(
        ("fbeta_score", "precision_recall_fscore_support"), product(MANY, (None, "macro"))
    ):
        answered_here(name, *MANY[kind], beta=beta, average=average)


def test_precision_recall_f_and_support():
    name = "precision_recall_fscore_support"
    for average, w in product((None, "micro", "macro", "weighted"), WEIGHTS):
        answered_here(name, *MANY["one never called"], average=average, sample_weight=w)
    for kind in TWO:
        answered_here(name, *TWO[kind], average="binary")
    for warn_for in (("precision",), ("recall", "f-score"), ()):
        answered_here(name, *MANY["one never called"], warn_for=warn_for)
        answered_here(name, *MANY["one never true"], warn_for=warn_for)


def test_likelihood_ratios():
    for w, labels in product(WEIGHTS, (None, [1, 0], [0, 1])):
        more = {"sample_weight": w, "labels": labels}
        answered_here("class_likelihood_ratios", *TWO["numbers"], **more)
    assert agree("class_likelihood_ratios", *TWO["none called positive"])
    assert agree("class_likelihood_ratios", *TWO["all right"], replace_undefined_by=1.0)
    told = (
        r"class_likelihood_ratios needs two labels and there is 1; name both with "
        r"labels=\[negative, positive\]"
    )
    with pytest.raises(ValueError, match=told):
        ours.class_likelihood_ratios([1, 1], [1, 1])


@pytest.mark.parametrize("output_dict", [False, True])
def test_reports(output_dict):
    def check(pair, **more):
        answered_here("classification_report", *pair, output_dict=output_dict, **more)

    for kind in ("texts", "one never called"):
        check(MANY[kind])
        check(MANY[kind], sample_weight=WEIGHTS[1], zero_division=np.nan)
    for kind in SOME:
        for labels in SOME[kind][1:]:
            check(MANY[kind], labels=labels)
    check(MANY["numbers"], target_names=["a", "a name of many letters", "c"], digits=4)
    check(MANY["numbers"], digits=15)
    for kind in ("none called positive", "all right"):
        check(TWO[kind])
    for labels in LABELS_OF_MARKS:
        check(MARKS, labels=labels)
        check(MARKS, labels=labels, sample_weight=WEIGHTS[1], zero_division=1)


def test_what_is_unusual_is_answered_or_refused_as_they_do():
    words, numbers = MANY["texts"], MANY["numbers"]
    both = [MARKS[0], MARKS[1]]
    for name in ("confusion_matrix", "cohen_kappa_score"):
        for labels in (["ash", "ash"], ["ash", "oak", "ash"], ["elm"], []):
            agree(name, *words, labels=labels)
        agree(name, *numbers, labels=[0, 0, 1])
        agree(name, *both)
    for name in RATES:
        for more in (
            {"average": "binary", "pos_label": 5}, {"average": "macro", "pos_label": 0},
            {"average": "samples"}, {"average": "macro", "labels": [0, 0, 2]},
        ):  # fmt: skip
            agree(name, *numbers, **more)
        for pos_label in (0, 1, 5):
            agree(name, *TWO["numbers"], pos_label=pos_label)
            agree(name, [pos_label] * 3, [pos_label] * 3, pos_label=1)
        agree(name, [2, 2], [2, 2], pos_label=1)
        for labels in ([0, 4], [-1], [True, False], [3, 3]):
            agree(name, *both, average="macro", labels=labels)
    agree("multilabel_confusion_matrix", *numbers, samplewise=True)
    for pair in (
        ([0, 1.5], [0, 1]), (["a", 1], ["a", "b"]), ([0, 1], ["0", "1"]), ([[0, 1]], [[0, 2]]),
        ([[1], [0]], [[1], [1]]), ([0, 1], [[0], [1]]), ([], []), ([None, 1], [1, 1]),
        (np.array([0.0, 1.0]), [0, 1]), (np.array([True, False]), [0, 1]),
        (np.array([True, False]), np.array([2, 0])), (np.array(["a", 1], object), ["a", "b"]),
    ):  # fmt: skip
        for name in ("accuracy_score", "confusion_matrix", "hamming_loss"):
            agree(name, *pair)
    for weight in ([-1, 2], [0, 0], [1], [[1, 1]], ["a", "b"], [np.nan, 1], 2, [2**60, 1]):
        agree("accuracy_score", [0, 1], [0, 0], sample_weight=weight)
