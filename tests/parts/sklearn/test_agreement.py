"""The drop-in beside scikit-learn on random data of every kind that both take."""

from __future__ import annotations

import inspect
import itertools
import math
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import UndefinedMetricWarning

import tallymark.sklearn as ours
from parts.sklearn.peers import agree, theirs
from parts.sklearn.rules import FUNCTIONS
from tallymark import InputError

AVERAGES = (None, "binary", "micro", "macro", "weighted", "samples")
SEEDS = range(8)

DRESS = {
    "integers": lambda y: y,
    "signed": lambda y: 2 * y - 1,
    "apart": lambda y: y * 1_000_003 - 5,
    "short": lambda y: y.astype(np.int8),
    "booleans": lambda y: y > 0,
    "floats": lambda y: y.astype(float),
    "texts": lambda y: np.array([f"c{v}" for v in y], dtype=str),
    "objects": lambda y: np.array([f"c{v}" for v in y], dtype=object),
    "list": lambda y: y.tolist(),
    "list of texts": lambda y: [f"c{v}" for v in y],
    "column": lambda y: y[:, None],
    "series": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "category": lambda y: pd.Series([f"c{v}" for v in y], dtype="category"),
}


def last_of_two(dress):
    return np.asarray(dress(np.arange(2))).ravel().tolist()[-1]


def weights(rng, n):
    return (
        None,
        rng.random(n) + 0.01,
        rng.integers(0, 3, n) + (np.arange(n) == 0),
        (rng.random(n) + 0.01).tolist(),
        rng.random(n) * (rng.random(n) < 0.5) + (np.arange(n) == 0),
    )[rng.integers(5)]


def truth(rng, n, classes):
    y = rng.integers(0, classes, n)
    return np.full(n, y[0]) if rng.random() < 0.1 else y


def some_labels(rng, classes, dress):
    if rng.random() < 0.5:
        return None
    chosen = rng.permutation(classes + 1)[: rng.integers(1, classes + 2)]
    return dress(chosen) if dress is not DRESS["column"] else chosen


def judge_labels(rng, y, p, w, labels, pos_label):
    """Ask every function of predicted labels."""
    average = AVERAGES[rng.integers(6)]
    zero_division = ("warn", 0, 1, np.nan)[rng.integers(4)]
    flag = bool(rng.integers(2))
    options = {"labels": labels, "average": average, "pos_label": pos_label, "sample_weight": w}
    done = [
        agree("accuracy_score", y, p, sample_weight=w, normalize=flag),
        agree("zero_one_loss", y, p, sample_weight=w, normalize=flag),
        agree("hamming_loss", y, p, sample_weight=w),
        agree("matthews_corrcoef", y, p, sample_weight=w),
        agree("balanced_accuracy_score", y, p, sample_weight=w, adjusted=flag),
        agree("multilabel_confusion_matrix", y, p, sample_weight=w, labels=labels,
              samplewise=average == "samples"),
        agree("confusion_matrix", y, p, sample_weight=w, labels=labels,
              normalize=(None, "true", "pred", "all")[rng.integers(4)]),
        agree("cohen_kappa_score", y, p, sample_weight=w, labels=labels,
              weights=(None, "linear", "quadratic")[rng.integers(3)],
              replace_undefined_by=(np.nan, 0.5)[rng.integers(2)]),
        agree("class_likelihood_ratios", y, p, sample_weight=w,
              replace_undefined_by=(np.nan, 1.0, {"LR+": 2.0, "LR-": 0.5})[rng.integers(3)]),
        agree("jaccard_score", y, p, **options, zero_division=zero_division),
        agree("classification_report", y, p, labels=labels, sample_weight=w, output_dict=True,
              zero_division=zero_division),
    ]  # fmt: skip
    options["zero_division"] = zero_division
    for name in ("precision_score", "recall_score", "f1_score"):
        done.append(agree(name, y, p, **options))
    for name in ("fbeta_score", "precision_recall_fscore_support"):
        beta = (0, 0.5, 1, 3.7, np.inf)[rng.integers(5)]
        done.append(agree(name, y, p, **options, beta=beta))
    return done


@pytest.mark.parametrize("kind", DRESS)
@pytest.mark.slow
def test_predicted_labels(kind):
    dress, values = DRESS[kind], 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n, classes = int(rng.choice([1, 2, 5, 30])), int(rng.choice([2, 2, 3, 5, 30]))
        y, p = truth(rng, n, classes), truth(rng, n, classes)
        p = y if rng.random() < 0.1 else p
        p[0] = y[0]  # scikit-learn counts in floats, not integers, where no row is right
        pos_label = (1, last_of_two(dress))[rng.integers(2)]
        labels = some_labels(rng, classes, dress)
        done = judge_labels(rng, dress(y), dress(p), weights(rng, n), labels, pos_label)
        values += sum(done)
    assert values > 8 * len(SEEDS)


@pytest.mark.parametrize("form", ["dense", "lists", "csr", "csc", "mixed", "booleans"])
@pytest.mark.slow
def test_several_labels_a_row(form):
    make = {
        "dense": np.asarray,
        "lists": np.ndarray.tolist,
        "csr": scipy.sparse.csr_array,
        "csc": scipy.sparse.csc_matrix,
        "mixed": np.asarray,
        "booleans": lambda y: y > 0,
    }[form]
    values = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n, columns = int(rng.choice([1, 3, 30])), int(rng.choice([2, 3, 6]))
        y, p = (rng.integers(0, 2, (n, columns)) for _ in "yp")
        y = 0 * y if rng.random() < 0.1 else y
        labels = None
        if rng.random() < 0.5:
            labels = rng.permutation(columns + 1)[: rng.integers(1, columns + 1)]
        w = weights(rng, n)
        given = scipy.sparse.csr_array(y) if form == "mixed" else make(y)
        values += sum(judge_labels(rng, given, make(p), w, labels, 1))
    assert values > 4 * len(SEEDS)


def test_labels_a_row_that_are_not_0_and_1():
    rng = np.random.default_rng(0)
    y, p = (2 * rng.integers(0, 2, (30, 3)) - 1 for _ in "yp")
    for name in ("accuracy_score", "zero_one_loss", "hamming_loss"):
        assert agree(name, y, p)
        assert agree(name, scipy.sparse.csr_array(y > 0), scipy.sparse.csr_array(p > 0))


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.slow
def test_more_classes_than_a_tally_holds(text):
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 1500, 9000), rng.integers(0, 1500, 9000)
    p[:3000] = y[:3000]
    w = rng.random(9000)
    if text:
        y, p = y.astype(str), p.astype(str)
    for given in (None, w):
        for name in ("accuracy_score", "zero_one_loss", "hamming_loss"):
            assert agree(name, y, p, sample_weight=given)
        for average in ("micro", "macro", "weighted", None):
            assert agree("f1_score", y, p, average=average, sample_weight=given)
        assert agree("matthews_corrcoef", y, p, sample_weight=given)


def scores(rng, n):
    s = rng.random(n)
    return (s, s.round(1), rng.integers(-5, 5, n), s.astype(np.float32), s.tolist())[
        rng.integers(5)
    ]


@pytest.mark.parametrize("kind", DRESS)
@pytest.mark.slow
def test_scores_of_two_classes(kind):
    dress, values = DRESS[kind], 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.choice([1, 2, 5, 40, 200]))
        y, s, w = dress(truth(rng, n, 2)), scores(rng, n), weights(rng, n)
        pos_label = (None, last_of_two(dress))[rng.integers(2)]
        flag, options = bool(rng.integers(2)), {"pos_label": pos_label}
        max_fpr = (None, None, 0.1, 0.5, 1)[rng.integers(5)]
        if np.ndim(w) and not np.all(w):
            max_fpr = None  # where weights of 0 leave one class, scikit-learn fails by accident
        both = dress(np.arange(2)) if dress is not DRESS["column"] else np.arange(2)
        values += sum(
            [
                *(agree(f, y, s, sample_weight=w, drop_intermediate=flag, **options)
                  for f in ("roc_curve", "det_curve", "precision_recall_curve")),
                agree("confusion_matrix_at_thresholds", y, s, sample_weight=w, **options),
                agree("roc_auc_score", y, s, sample_weight=w, max_fpr=max_fpr),
                agree("average_precision_score", y, s, sample_weight=w, pos_label=pos_label or 1),
                agree("log_loss", y, s, sample_weight=w, normalize=flag, labels=both),
                agree("d2_log_loss_score", y, s, sample_weight=w, labels=both),
                agree("brier_score_loss", y, s, sample_weight=w, scale_by_half=flag, **options),
                agree("top_k_accuracy_score", y, s, sample_weight=w, k=1 + flag, labels=both),
                agree("calibration_curve", y, s, n_bins=int(rng.choice([1, 2, 5, 10])),
                      strategy=("uniform", "quantile")[flag], **options),
            ]
        )  # fmt: skip
    assert values > 3 * len(SEEDS)


@pytest.mark.parametrize(
    ("kind", "classes"),
    [
        *itertools.product(["integers", "category"], [2, 3, 7]),
        ("floats", 2),
        ("texts", 3),
        ("objects", 7),
        ("list", 3),
    ],
)
@pytest.mark.slow
def test_scores_of_many_classes(kind, classes):
    dress, values = DRESS[kind], 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.choice([2, 5, 40, 200]))
        y = truth(rng, n, classes)
        y[: min(n, classes)] = np.arange(classes)[:n]
        p = rng.dirichlet(np.ones(classes), n)
        if rng.random() < 0.5:  # ties; rows that add up to 1 all the same
            p = np.round(p, 1)
            p[:, -1] = 1 - p[:, :-1].sum(1)
            p = np.abs(p) / np.abs(p).sum(1, keepdims=True)
        w = weights(rng, n)
        labels = (None, dress(np.arange(classes)))[rng.integers(2)]
        average = (None, "micro", "macro", "weighted")[rng.integers(4)]
        multi_class = ("ovr", "ovo", "raise")[rng.integers(3)]
        flag = bool(rng.integers(2))
        values += sum(
            [
                agree("roc_auc_score", dress(y), p, average=average, multi_class=multi_class,
                      labels=labels, sample_weight=None if multi_class == "ovo" and flag else w),
                agree("average_precision_score", dress(y), p, average=average, sample_weight=w),
                agree("log_loss", dress(y), p, labels=labels, sample_weight=w, normalize=flag),
                agree("d2_log_loss_score", dress(y), p, labels=labels, sample_weight=w),
                agree("brier_score_loss", dress(y), p, labels=labels, sample_weight=w),
                agree("top_k_accuracy_score", dress(y), p, labels=labels, sample_weight=w,
                      k=int(rng.integers(1, 4)), normalize=flag),
            ]
        )  # fmt: skip
    assert values > len(SEEDS)


@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted", "samples"])
@pytest.mark.slow
def test_scores_of_several_labels_a_row(average):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n, columns = int(rng.choice([2, 5, 40])), int(rng.choice([2, 3, 6]))
        y, s, w = rng.integers(0, 2, (n, columns)), rng.random((n, columns)), weights(rng, n)
        if rng.random() < 0.5:
            s = s.round(1)
        options = {"average": average, "sample_weight": w}
        assert agree("roc_auc_score", y, s, **options)
        assert agree("average_precision_score", y, s, **options)
        assert agree("log_loss", y, s, sample_weight=w)
        assert agree("d2_log_loss_score", y, s, sample_weight=w)
        assert agree("brier_score_loss", y, s, sample_weight=w)


def test_area_under_points():
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 30):
        x, y = np.sort(rng.random(n)), rng.random(n)
        for points in (x, x[::-1], rng.random(n)):
            agree("auc", points, y)


UNUSABLE = [
    ("f1_score", ([0, 1], [0, 1]), {"average": "mean"}),
    ("f1_score", ([0, 1], [0, 1]), {"zero_division": 2}),
    ("f1_score", ([0, 1], [0, 1]), {"pos_label": 7}),
    ("f1_score", ([0, 1, 2], [0, 1, 2]), {}),
    ("fbeta_score", ([0, 1], [0, 1]), {"beta": -1}),
    ("precision_score", ([0.5, 1], [0, 1]), {}),
    ("recall_score", ([0, 1], ["a", "b"]), {}),
    ("accuracy_score", ([], []), {}),
    ("accuracy_score", ([0, 1], [0, 1, 1]), {}),
    ("accuracy_score", ([0, 1], [0, 1]), {"sample_weight": 2.0}),
    ("accuracy_score", ([0, 1], [0, 1]), {"sample_weight": [1, 1, 1]}),
    ("accuracy_score", ([0, 1], [0, 1]), {"sample_weight": [0, 0]}),
    ("accuracy_score", ([0, 1], [0, 1]), {"sample_weight": [[1], [1]]}),
    ("accuracy_score", ([0, 1], [[0, 1], [1, 0]]), {}),
    ("accuracy_score", ([0, 1], [0, 1]), {"normalize": "yes"}),
    ("confusion_matrix", ([0, 1], [0, 1]), {"normalize": "rows"}),
    ("confusion_matrix", ([0, 1], [0, 1]), {"labels": []}),
    ("confusion_matrix", ([0, 1], [0, 1]), {"labels": [5]}),
    ("cohen_kappa_score", ([0, 1], [0, 1]), {"weights": "cubic"}),
    ("multilabel_confusion_matrix", ([0, 1], [0, 1]), {"samplewise": True}),
    ("multilabel_confusion_matrix", ([[0, 1]], [[1, 1]]), {"labels": [-1]}),
    ("class_likelihood_ratios", ([0, 1, 2], [0, 1, 2]), {}),
    ("class_likelihood_ratios", ([0, 1], [0, 1]), {"replace_undefined_by": {"LR+": 0.5}}),
    ("classification_report", ([0, 1], [0, 1]), {"target_names": ["a"]}),
    ("roc_curve", ([0, 1, 2], [0.1, 0.2, 0.3]), {}),
    ("roc_curve", (["a", "b"], [0.1, 0.2]), {}),
    ("roc_curve", ([0, 1], [0.1, np.nan]), {}),
    ("roc_curve", ([0, 1], [0.1, np.inf]), {}),
    ("roc_auc_score", ([0, 1], [0.1, 0.2]), {"max_fpr": 0}),
    ("roc_auc_score", ([0, 1, 2], np.eye(3)), {}),
    ("roc_auc_score", ([0, 1, 2], 2 * np.eye(3)), {"multi_class": "ovr"}),
    ("roc_auc_score", ([0, 1, 2], np.eye(3)), {"multi_class": "ovo", "average": None}),
    ("roc_auc_score", ([0, 1, 2], np.eye(3)), {"multi_class": "ovr", "labels": [0, 2, 1]}),
    ("average_precision_score", ([0, 1], [0.1, 0.2]), {"pos_label": 3}),
    ("det_curve", ([1, 1], [0.1, 0.2]), {}),
    ("log_loss", ([0, 1], [0.1, 1.2]), {}),
    ("log_loss", ([1, 1], [0.1, 0.2]), {}),
    ("log_loss", ([0, 1, 2], [[0.5, 0.5]] * 3), {}),
    ("brier_score_loss", ([0, 1], [-0.1, 0.2]), {}),
    ("brier_score_loss", ([0, 1, 2], [0.1, 0.2, 0.3]), {}),
    ("calibration_curve", ([0, 1], [0.1, 0.2]), {"n_bins": 0}),
    ("calibration_curve", ([0, 1], [0.1, 0.2]), {"strategy": "even"}),
    ("calibration_curve", ([0, 1], [0.1, 1.2]), {}),
    ("top_k_accuracy_score", ([0, 1, 2], np.eye(3)), {"k": 0}),
    ("top_k_accuracy_score", ([0, 1], np.eye(2)), {}),
]


@pytest.mark.parametrize(("name", "args", "options"), UNUSABLE)
def test_refuses_what_they_refuse(name, args, options):
    assert not agree(name, *args, **options)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_takes_the_same_arguments(name):
    def shape(function):
        return [
            (p.name, p.kind, "nan" if p.default != p.default else p.default)
            for p in inspect.signature(function).parameters.values()
            if p.kind is not p.VAR_POSITIONAL  # positions that scikit-learn phases out itself
        ]

    assert shape(getattr(ours, name)) == shape(theirs(name))


def test_negative_weights_are_no_ranks():
    with pytest.raises(InputError, match="a weight is a number, zero or more"):
        ours.roc_curve([0, 1], [0.1, 0.2], sample_weight=[1, -1])


def test_warnings_name_the_line_that_called():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours.f1_score([0, 0], [0, 0], pos_label=1)
        ours.roc_auc_score([0, 0], [0.1, 0.2])
        ours.classification_report([0, 0], [0, 1])
    assert {w.category for w in caught} == {UndefinedMetricWarning}
    assert {w.filename for w in caught} == {__file__}


def test_a_perfect_row_of_weights_has_no_rounding():
    w = np.full(10, 0.1)
    assert ours.accuracy_score([0, 1] * 5, [0, 1] * 5, sample_weight=w) == 1
    assert ours.zero_one_loss([0, 1] * 5, [0, 1] * 5, sample_weight=w) == 0


def test_an_impossible_row_costs_what_the_type_of_the_probabilities_says():
    for dtype in (np.float64, np.float32, np.float16):
        loss = ours.log_loss([0, 1], np.array([0.0, 0.0], dtype=dtype))
        assert loss == pytest.approx(-math.log(np.finfo(dtype).eps) / 2, rel=1e-3)


def test_says_what_to_install():
    code = "import sys; sys.modules['sklearn'] = None; from tallymark.sklearn import auc"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert "tallymark.sklearn needs scikit-learn" in run.stderr
