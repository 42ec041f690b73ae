"""What each of our metrics is called in torchmetrics, which puts 0 for 0/0 and takes no weights.

It divides whole numbers in float32 whatever the scores are: hence the tolerance.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import torchmetrics.functional.classification as tc
import torchmetrics.functional.retrieval as tr

from peers.cases import Case
from peers.compare import Same

FLOAT32 = {"rel": 3e-6, "abs": 3e-6}


@lru_cache(maxsize=4000)
def tensors(c: Case):
    """Return what was predicted and the truth, in their order."""
    return torch.as_tensor(np.asarray(c.p)), torch.as_tensor(np.asarray(c.y))


def on(function, **options):
    """Call a function of two classes."""
    return lambda c: function(*tensors(c), validate_args=False, **options)


def many(function, **options):
    """Call a function of many classes."""

    def theirs(c: Case):
        return function(*tensors(c), num_classes=classes(c), validate_args=False, **options)

    return theirs


def classes(c: Case) -> int:
    return max(c.labels) + 1


def numbered(c: Case) -> bool:
    """Tell whether the classes are 0, 1, 2...: they know no other names."""
    return c.labels == list(range(len(c.labels))) and len(c.labels) > 1


def three_or_more(c: Case) -> bool:
    return numbered(c) and len(c.labels) > 2


def all_there(c: Case) -> bool:
    """Tell whether every class was true and was predicted: they put 0 for those that were not."""
    return numbered(c) and len(set(c.y.tolist())) == len(set(c.p.tolist())) == len(c.labels)


def no_ties(c: Case) -> bool:
    return not c.one_class and len(set(c.p.tolist())) == len(c.p)


def both_classes(c: Case) -> bool:
    return not c.one_class


def off_edges(bins):
    """Tell whether no probability lies on the edge of a bin, nor is 1, which gets its own bin."""
    return lambda c: bool(
        (np.abs(c.p * bins - np.round(c.p * bins)) > 1e-9).all() and (c.p < 1).all()
    )


BINARY = [
    Same(
        ours,
        on(theirs, **options),
        options=options,
        blank=() if ours in ("accuracy", "error_rate") else (0.0,),
        **FLOAT32,
    )
    for ours, theirs, options in (
        ("accuracy", tc.binary_accuracy, {}),
        ("sensitivity", tc.binary_recall, {}),
        ("specificity", tc.binary_specificity, {}),
        ("precision", tc.binary_precision, {}),
        ("negative_predictive_value", tc.binary_negative_predictive_value, {}),
        ("f1", tc.binary_f1_score, {}),
        ("f_beta", tc.binary_fbeta_score, {"beta": 2.5}),
        ("jaccard", tc.binary_jaccard_index, {}),
        ("error_rate", tc.binary_hamming_distance, {}),
    )
] + [
    # theirs makes a number up for 0/0: see test_wrong_peers.py
    Same("matthews_corrcoef", on(tc.binary_matthews_corrcoef), only=all_there, **FLOAT32),
    Same("cohen_kappa", on(tc.binary_cohen_kappa), **FLOAT32),
]

MANY = [
    Same(ours, many(theirs, average=average, **options), average=average, options=options,
         only=all_there, **FLOAT32)
    for ours, theirs, options in (
        ("sensitivity", tc.multiclass_recall, {}),
        ("specificity", tc.multiclass_specificity, {}),
        ("precision", tc.multiclass_precision, {}),
        ("negative_predictive_value", tc.multiclass_negative_predictive_value, {}),
        ("f1", tc.multiclass_f1_score, {}),
        ("f_beta", tc.multiclass_fbeta_score, {"beta": 0.4}),
        ("jaccard", tc.multiclass_jaccard_index, {}),
    )
    for average in ("macro", "micro", "weighted")
] + [
    Same("balanced_accuracy", many(tc.multiclass_accuracy, average="macro"), only=all_there, **FLOAT32),
    Same("accuracy", many(tc.multiclass_accuracy, average="micro"), only=numbered, **FLOAT32),
    Same("matthews_corrcoef", many(tc.multiclass_matthews_corrcoef), only=three_or_more, blank=(0.0,), **FLOAT32),
    Same("cohen_kappa", many(tc.multiclass_cohen_kappa), only=numbered, **FLOAT32),
    *(Same("cohen_kappa", many(tc.multiclass_cohen_kappa, weights=w), options={"weights": w},
           only=numbered, **FLOAT32) for w in ("linear", "quadratic")),
]  # fmt: skip


def retrieved(function, k):
    return lambda c: function(*tensors(c), top_k=k)


def at_least(k):
    return lambda c: no_ties(c) and len(c.y) >= k


def found(fpr):
    """Return their highest sensitivity at a specificity, a hair less where 1 - fpr rounds up."""
    return lambda c: on(tc.binary_sensitivity_at_specificity, min_specificity=1 - fpr - 1e-12)(c)[0]


def left_alone(sensitivity):
    return lambda c: on(tc.binary_specificity_at_sensitivity, min_sensitivity=sensitivity)(c)[0]


def right(recall):
    return lambda c: on(tc.binary_precision_at_fixed_recall, min_recall=recall)(c)[0]


SCORES = [
    Same("roc_auc", on(tc.binary_auroc), only=both_classes, **FLOAT32),
    Same("average_precision", on(tc.binary_average_precision), only=both_classes, **FLOAT32),
    *(Same("partial_roc_auc_standardized", on(tc.binary_auroc, max_fpr=f), options={"high": f},
           only=both_classes, **FLOAT32) for f in (0.113, 0.7)),
    *(Same("sensitivity_at_fpr", found(f), options={"fpr": f}, only=both_classes, **FLOAT32) for f in (0.0513, 0.2171)),
    Same("false_negative_rate_at_fpr", lambda c: 1 - found(0.1)(c), options={"fpr": 0.1}, only=both_classes, **FLOAT32),
    Same("fmr100", lambda c: 1 - found(0.01)(c), only=both_classes, **FLOAT32),
    Same("fmr1000", lambda c: 1 - found(0.001)(c), only=both_classes, **FLOAT32),
    Same("fmr10000", lambda c: 1 - found(0.0001)(c), only=both_classes, **FLOAT32),
    *(Same("specificity_at_sensitivity", left_alone(t), options={"sensitivity": t}, only=both_classes, **FLOAT32)
      for t in (0.4127, 0.9511)),
    *(Same("precision_at_recall", right(t), options={"recall": t}, only=both_classes, **FLOAT32) for t in (0.3127, 0.9177)),
    Same("r_precision", lambda c: tr.retrieval_r_precision(*tensors(c)), only=no_ties, **FLOAT32),
    *(Same("recall_at_precision", lambda c, p=p: on(tc.binary_recall_at_fixed_precision, min_precision=p)(c)[0],
           options={"precision": p}, only=both_classes, **FLOAT32) for p in (0.4177, 0.8391)),
    *(Same("precision_at_k", retrieved(tr.retrieval_precision, k), options={"k": k},
           only=at_least(k), distinct=min(k + 1, 12), **FLOAT32) for k in (1, 5, 20)),
    *(Same("recall_at_k", retrieved(tr.retrieval_recall, k), options={"k": k},
           only=at_least(k), **FLOAT32) for k in (1, 5, 20)),
    Same("response_rate_at", lambda c: tr.retrieval_precision(*tensors(c), top_k=len(c.y) // 2),
         options={"depth": 0.5}, only=lambda c: no_ties(c) and len(c.y) % 2 == 0, **FLOAT32),
    Same("gain_at", lambda c: tr.retrieval_recall(*tensors(c), top_k=len(c.y) // 2),
         options={"depth": 0.5}, only=lambda c: no_ties(c) and len(c.y) % 2 == 0, **FLOAT32),
    # theirs compares the probability of the positive class with its frequency, bins [a, b)
    *(Same("expected_calibration_error", on(tc.binary_calibration_error, n_bins=bins, norm=norm),
           options={"bins": bins, "norm": norm}, only=off_edges(bins), **FLOAT32)
      for bins, norm in ((10, "l1"), (7, "l2"), (15, "max"))),
    Same("max_calibration_error", on(tc.binary_calibration_error, n_bins=10, norm="max"), only=off_edges(10), **FLOAT32),
    Same("root_mean_squared_calibration_error", on(tc.binary_calibration_error, n_bins=10, norm="l2"), only=off_edges(10), **FLOAT32),
]  # fmt: skip


def clear_winner(c: Case) -> bool:
    return len(set(c.y.tolist())) == len(c.labels) and all(
        len(set(row)) == len(row) for row in c.p.tolist()
    )


def cosine(c: Case):
    p, y = tensors(c)
    return torch.nn.functional.normalize(p, dim=1)[torch.arange(len(y)), y].mean()


PROBABILITIES = [
    Same("spherical_score", cosine),
    *(Same("roc_auc", many(tc.multiclass_auroc, average=a), average=a, only=clear_winner, **FLOAT32)
      for a in ("macro", "weighted")),
    *(Same("average_precision", many(tc.multiclass_average_precision, average=a), average=a,
           only=clear_winner, **FLOAT32) for a in ("macro", "weighted")),
    *(Same("top_k_accuracy", many(tc.multiclass_accuracy, average="micro", top_k=k), options={"k": k},
           only=clear_winner, **FLOAT32) for k in (1, 2)),
]  # fmt: skip

TABLE = [*BINARY, *MANY, *SCORES, *PROBABILITIES]
