"""What each of our metrics is called in scikit-learn."""

from __future__ import annotations

import numpy as np
import sklearn.metrics as sk

from peers.cases import Case
from peers.compare import NAN, Same

AVERAGES = ("macro", "micro", "weighted", "per_class")


def on(function, **options):
    """Call a function of labels, weights given."""

    def theirs(c: Case):
        return function(c.y, c.p, sample_weight=c.w, **options)

    return theirs


def either(function, c: Case, **options):
    """Call a function with 0 and with 1 for 0/0: it is defined where that makes no difference."""
    zero, one = (
        np.asarray(function(c.y, c.p, sample_weight=c.w, zero_division=z, **options), float)
        for z in (0, 1)
    )
    return np.where(zero == one, zero, np.nan)


def averaged(function, average, **options):
    """Call a function that averages over classes."""
    average = None if average == "per_class" else average
    return lambda c: either(function, c, labels=c.labels, average=average, **options)


def without_undefined(function, average, **options):
    """Call a function that averages over the classes on which it is defined."""

    def theirs(c: Case):
        return function(
            c.y, c.p, sample_weight=c.w, labels=c.labels, zero_division=np.nan, average=average,
            **options,
        )  # fmt: skip

    return theirs


def likelihood(which):
    def theirs(c: Case):
        return sk.class_likelihood_ratios(
            c.y, c.p, sample_weight=c.w, labels=[0, 1], replace_undefined_by=np.nan
        )[which]

    return theirs


def one(function, **options):
    """Call a function of two classes, 1 positive."""
    return lambda c: either(function, c, **options)


def flipped(function):
    """Call a function with the other class positive: specificity is recall of the negatives."""
    return lambda c: either(function, c, pos_label=0)


def kappa(weights=None):
    return lambda c: sk.cohen_kappa_score(
        c.y, c.p, labels=c.labels, weights=weights, sample_weight=c.w
    )


def no_true_row(c: Case) -> bool:
    return len(set(c.y.tolist())) < len(c.labels)


def as_seen(c: Case) -> bool:
    """Tell whether every class of the case has a true row: they know no others."""
    return not no_true_row(c)


BINARY = [
    Same("sensitivity", one(sk.recall_score)),
    Same("specificity", flipped(sk.recall_score)),
    Same("false_negative_rate", lambda c: 1 - one(sk.recall_score)(c)),
    Same("false_positive_rate", lambda c: 1 - flipped(sk.recall_score)(c)),
    Same("precision", one(sk.precision_score)),
    Same("negative_predictive_value", flipped(sk.precision_score)),
    Same("false_discovery_rate", lambda c: 1 - one(sk.precision_score)(c)),
    Same("false_omission_rate", lambda c: 1 - flipped(sk.precision_score)(c)),
    Same("f1", one(sk.f1_score)),
    Same("f2", one(sk.fbeta_score, beta=2)),
    Same("f0_5", one(sk.fbeta_score, beta=0.5)),
    Same("f_beta", one(sk.fbeta_score, beta=3.7), options={"beta": 3.7}),
    Same("effectiveness", lambda c: 1 - one(sk.fbeta_score, beta=2)(c), options={"beta": 2.0}),
    Same("jaccard", one(sk.jaccard_score)),
    # theirs is NaN for both where FP = 0, ours infinite
    Same("positive_likelihood_ratio", likelihood(0), infinite=(NAN,)),
    Same("negative_likelihood_ratio", likelihood(1), infinite=(NAN,)),
    Same("youden_j", on(sk.balanced_accuracy_score, adjusted=True), only=as_seen),
    Same("hamming_loss", on(sk.hamming_loss)),
    Same("fowlkes_mallows", lambda c: np.sqrt(one(sk.precision_score)(c) * one(sk.recall_score)(c))),
]  # fmt: skip

MATRIX = [
    Same("accuracy", on(sk.accuracy_score)),
    Same("error_rate", on(sk.zero_one_loss)),
    Same("hamming_loss", on(sk.hamming_loss)),
    # they leave out classes without a true row, and call one class alone perfect
    Same("balanced_accuracy", on(sk.balanced_accuracy_score), only=as_seen, blank=(1.0,)),
    Same("balanced_error_rate", lambda c: 1 - on(sk.balanced_accuracy_score)(c), only=as_seen,
         blank=(0.0,)),
    Same("adjusted_balanced_accuracy", on(sk.balanced_accuracy_score, adjusted=True), only=as_seen),
    Same("matthews_corrcoef", on(sk.matthews_corrcoef), blank=(0.0,)),
    Same("cohen_kappa", kappa()),
    Same("cohen_kappa", kappa("linear"), options={"weights": "linear"}),
    Same("cohen_kappa", kappa("quadratic"), options={"weights": "quadratic"}),
]  # fmt: skip

# scikit-learn's information scores take no weights.
INFORMATION = [
    Same("mutual_information", lambda c: sk.mutual_info_score(c.y, c.p)),
    *(
        # both entropies 0: they answer 1
        Same("normalized_mutual_information",
             lambda c, m=method: sk.normalized_mutual_info_score(c.y, c.p, average_method=m),
             options={"average_method": method}, blank=(0.0, 1.0))
        for method in ("arithmetic", "geometric", "min", "max")
    ),
]  # fmt: skip

AVERAGED = [
    line
    for name, function, options in (
        ("sensitivity", sk.recall_score, {}),
        ("precision", sk.precision_score, {}),
        ("f1", sk.f1_score, {}),
        ("f_beta", sk.fbeta_score, {"beta": 0.3}),
        ("jaccard", sk.jaccard_score, {}),
    )
    for average in AVERAGES
    for line in (
        Same(name, averaged(function, average, **options),
             average=average, options=options),
        # jaccard_score cannot leave a class out
        *([Same(name, without_undefined(function, average, **options), average=average,
                options={**options, "skip_undefined": True}, blank=(0.0,))]
          if average in ("macro", "weighted") and name != "jaccard" else []),
    )
]  # fmt: skip


def auc_broken(ties):
    """Let the positives (+1) or the negatives (-1) of every tie come first."""

    def theirs(c: Case):
        if c.one_class:
            return np.nan
        place = 2 * np.unique(c.p, return_inverse=True)[1] + ties * c.y
        return sk.roc_auc_score(c.y, place, sample_weight=c.w)

    return theirs


def ks(c: Case):
    fpr, tpr, _ = sk.roc_curve(c.y, c.p, sample_weight=c.w, drop_intermediate=False)
    return np.abs(tpr - fpr).max()


def eer(c: Case):
    fpr, tpr, _ = sk.roc_curve(c.y, c.p, sample_weight=c.w)
    return np.interp(0, fpr + tpr - 1, fpr)


def pr_trapezoid(c: Case):
    precision, recall, _ = sk.precision_recall_curve(c.y, c.p, sample_weight=c.w)
    precision[-1] = precision[-2]  # ours starts at the first point's precision, theirs at 1
    return sk.auc(recall, precision)


def two(c: Case) -> bool:
    return not c.one_class


def some_positive(c: Case) -> bool:
    return bool(c.y.any())


RANK = [
    Same("roc_auc", on(sk.roc_auc_score)),
    Same("gini_coefficient", lambda c: 2 * on(sk.roc_auc_score)(c) - 1),
    Same("roc_auc_optimistic", auc_broken(1)),
    Same("roc_auc_pessimistic", auc_broken(-1)),
    Same("partial_roc_auc", on(sk.roc_auc_score, max_fpr=0.2), options={"max_fpr": 0.2}),
    Same("partial_roc_auc", on(sk.roc_auc_score, max_fpr=0.63), options={"max_fpr": 0.63}),
    Same("kolmogorov_smirnov", ks),
    Same("equal_error_rate", eer),
    Same("average_precision", on(sk.average_precision_score), blank=(0.0,)),
    # without a positive row they put a recall of 1 at every threshold
    Same("pr_auc_trapezoid", pr_trapezoid, blank=(0.0, 1.0)),
]


def binary_loss(function):
    return lambda c: function(c.y, c.p, labels=[0, 1], sample_weight=c.w)


def unclipped(c: Case) -> bool:
    """Tell whether no probability given to what happened is below 2.2e-16, where they stop."""
    return bool((np.where(c.y == 1, c.p, 1 - c.p) >= np.finfo(float).eps).all())


def cllr(c: Case):
    """Weigh both classes alike and count in bits: the cost of the likelihood ratios."""
    w = np.ones(len(c.y)) if c.w is None else c.w
    share = np.where(c.y == 1, w[c.y == 1].sum(), w[c.y == 0].sum())
    return sk.log_loss(c.y, c.p, sample_weight=w / share) / np.log(2)


PROBABILITY = [
    Same("brier", binary_loss(sk.brier_score_loss)),
    Same("brier_skill_score", lambda c: sk.d2_brier_score(c.y, c.p, labels=[0, 1], sample_weight=c.w), only=two),
    Same("log_loss", binary_loss(sk.log_loss), only=unclipped),
    Same("log_loss", lambda c: binary_loss(sk.log_loss)(c) / np.log(2), options={"base": 2.0}, only=unclipped),
    Same("mean_absolute_error", on(sk.mean_absolute_error)),
    Same("root_mean_squared_error", on(sk.root_mean_squared_error)),
]  # fmt: skip


def onehot(c: Case):
    return np.eye(len(c.labels))[c.y]


def by_class(function):
    """Average over classes by hand, since they refuse a class without a row or answer 0 for it."""

    def each(c: Case):
        truth = onehot(c)
        return np.array([function(truth[:, i], c.p[:, i], c.w) for i in range(len(c.labels))])

    return each


def auc_or_nan(y, s, w):
    return sk.roc_auc_score(y, s, sample_weight=w) if 0 < y.sum() < len(y) else np.nan


def all_seen(c: Case) -> bool:
    return len(set(c.y.tolist())) == len(c.labels)


def unweighted(c: Case) -> bool:
    return c.w is None and all_seen(c)


MANY = [
    Same("roc_auc", by_class(auc_or_nan), average="per_class"),
    *(Same("roc_auc", on(sk.roc_auc_score, multi_class="ovr", average=average), average=average,
           only=all_seen) for average in ("macro", "weighted")),
    Same("roc_auc", lambda c: sk.roc_auc_score(onehot(c), c.p, average="micro", sample_weight=c.w), average="micro"),
    Same("average_precision", lambda c: sk.average_precision_score(onehot(c), c.p, average="macro", sample_weight=c.w), average="macro", only=all_seen),
    Same("average_precision", lambda c: sk.average_precision_score(onehot(c), c.p, average="micro", sample_weight=c.w), average="micro"),
    # theirs takes no weights for one against one
    Same("hand_till", lambda c: sk.roc_auc_score(c.y, c.p, multi_class="ovo", average="macro"), only=unweighted),
    *(Same("top_k_accuracy", lambda c, k=k: sk.top_k_accuracy_score(c.y, c.p, k=k, labels=c.labels, sample_weight=c.w),
           options={"k": k}, only=lambda c: all(len(set(r)) == len(r) for r in c.p.tolist())) for k in (1, 2)),
    Same("brier", lambda c: sk.brier_score_loss(c.y, c.p, labels=c.labels, sample_weight=c.w)),
    Same("brier_skill_score", lambda c: sk.d2_brier_score(c.y, c.p, labels=c.labels, sample_weight=c.w), only=two),
    Same("log_loss", lambda c: sk.log_loss(c.y, c.p, labels=c.labels, sample_weight=c.w)),
    Same("mean_absolute_error", lambda c: sk.mean_absolute_error(onehot(c), c.p, sample_weight=c.w)),
    Same("root_mean_squared_error", lambda c: np.sqrt(sk.mean_squared_error(onehot(c), c.p, sample_weight=c.w))),
]  # fmt: skip

TABLE = [*BINARY, *MATRIX, *INFORMATION, *AVERAGED, *RANK, *PROBABILITY, *MANY]
