"""What each of our metrics is called in scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sklearn.metrics as sk
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

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


def rates(c: Case):
    """Return TPR and FPR by their recall."""
    return one(sk.recall_score)(c), 1 - flipped(sk.recall_score)(c)


def p4(c: Case):
    """Return the harmonic mean of precision, recall, specificity and NPV."""
    four = [f(g)(c) for f in (one, flipped) for g in (sk.precision_score, sk.recall_score)]
    return len(four) / np.sum(1 / np.array(four))


def prevalence_threshold(c: Case):
    tpr, fpr = rates(c)
    return (np.sqrt(tpr * fpr) - fpr) / (tpr - fpr)


def sedi(c: Case):
    tpr, fpr = rates(c)
    f, h, f1, h1 = np.log([fpr, tpr, 1 - fpr, 1 - tpr])
    return (f - h - f1 + h1) / (f + h + f1 + h1)


def threat_score(c: Case):
    k = kappa()(c)
    return k / (2 - k)


def cost(c: Case, cost_fp, cost_fn, prevalence=None):
    """Count errors as their zero-one loss does, each row weighing what its error costs."""
    w = np.ones(len(c.y)) if c.w is None else c.w
    if prevalence is not None:
        positive = (w * c.y).sum() / w.sum()
        w = w * np.where(c.y == 1, prevalence / positive, (1 - prevalence) / (1 - positive))
    costs = w * np.where(c.y == 1, cost_fn, cost_fp)
    return sk.zero_one_loss(c.y, c.p, normalize=False, sample_weight=costs) / w.sum()


def normalized_cost(c: Case, cost_fp, cost_fn):
    def of(called):
        return cost(replace(c, p=np.full(len(c.y), called)), cost_fp, cost_fn)

    return cost(c, cost_fp, cost_fn) / min(of(0), of(1))


def no_zero(c: Case) -> bool:
    return bool((c.matrix > 0).all())


def not_chance(c: Case) -> bool:
    """Tell whether TPR and FPR are apart: the formula compared divides by their difference."""
    return no_zero(c) and abs(np.subtract(*rates(c))) > 1e-3


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
    Same("p4", p4, only=no_zero),
    Same("sedi", sedi, only=no_zero),
    Same("prevalence_threshold", prevalence_threshold, only=not_chance, rel=1e-8),
    Same("equitable_threat_score", threat_score),
    Same("number_needed_to_diagnose", lambda c: 1 / on(sk.balanced_accuracy_score, adjusted=True)(c), only=not_chance),
    *(Same("expected_cost", lambda c, o=o: cost(c, **o), options=o, only=as_seen)
      for o in ({"cost_fp": 1, "cost_fn": 7}, {"cost_fp": 3.5, "cost_fn": 0.2, "prevalence": 0.1})),
    Same("normalized_expected_cost", lambda c: normalized_cost(c, 1, 4), options={"cost_fp": 1, "cost_fn": 4}, only=as_seen),
    Same("fowlkes_mallows", lambda c: np.sqrt(one(sk.precision_score)(c) * one(sk.recall_score)(c))),
]  # fmt: skip

MATRIX = [
    Same("accuracy", on(sk.accuracy_score)),
    Same("error_rate", on(sk.zero_one_loss)),
    Same("error_rate", on(sk.hamming_loss)),
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
    # no entropy to explain: they answer 1
    Same("normalized_mutual_information", lambda c: sk.homogeneity_score(c.y, c.p), options={"mean": "true"}, blank=(1.0,)),
    Same("normalized_mutual_information", lambda c: sk.completeness_score(c.y, c.p), options={"mean": "predicted"}, blank=(1.0,)),
    Same("mutual_information", lambda c: sk.mutual_info_score(c.y, c.p)),
    *(
        # both entropies 0: they answer 1; one of them 0: 0
        Same("normalized_mutual_information",
             lambda c, m=method: sk.normalized_mutual_info_score(c.y, c.p, average_method=m),
             options={"mean": method}, blank=(1.0,) if method in ("arithmetic", "max") else (0.0, 1.0))
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
                options={**options, "skip_undefined": True},
                blank=(0.0,) if (name, average) == ("precision", "weighted") else ())]
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


def isotonic(c: Case) -> Case:
    """Replace the scores by their isotonic probabilities, fitted on their ranks.

    Of the scores themselves they take those within 2e-16 for one: see test_wrong_peers.py.
    """
    rank = np.unique(c.p, return_inverse=True)[1]
    made = IsotonicRegression().fit(rank, c.y, sample_weight=c.w).predict(rank)
    return replace(c, p=np.round(made, 12))


def min_cllr(c: Case):
    return cllr(isotonic(c))


def some_positive(c: Case) -> bool:
    return bool(c.y.any())


RANK = [
    Same("roc_auc", on(sk.roc_auc_score)),
    Same("gini_coefficient", lambda c: 2 * on(sk.roc_auc_score)(c) - 1),
    Same("roc_auc_optimistic", auc_broken(1)),
    Same("roc_auc_pessimistic", auc_broken(-1)),
    Same("partial_roc_auc_standardized", on(sk.roc_auc_score, max_fpr=0.2), options={"high": 0.2}),
    Same(
        "partial_roc_auc_standardized", on(sk.roc_auc_score, max_fpr=0.63), options={"high": 0.63}
    ),
    Same("equal_error_rate_hull", lambda c: eer(isotonic(c)), only=two),
    Same("roc_hull_auc", lambda c: on(sk.roc_auc_score)(isotonic(c)), only=two),
    Same("min_cllr", min_cllr, only=two, abs=1e-7),
    Same("kolmogorov_smirnov", ks),
    Same("equal_error_rate", eer),
    Same("average_precision", on(sk.average_precision_score), blank=(0.0,)),
    Same("pr_auc_trapezoid", pr_trapezoid, blank=(0.0,)),
]


def binary_loss(function):
    return lambda c: function(c.y, c.p, labels=[0, 1], sample_weight=c.w)


def unclipped(c: Case) -> bool:
    """Tell whether no probability given to what happened is below 2.2e-16, where they stop."""
    return bool((np.where(c.y == 1, c.p, 1 - c.p) >= np.finfo(float).eps).all())


def cllr(c: Case):
    """Weigh both classes alike, take their share out of the odds, and count in bits."""
    w = np.ones(len(c.y)) if c.w is None else c.w
    totals = np.array([w[c.y == 0].sum(), w[c.y == 1].sum()])
    p = c.p * totals[0] / (c.p * totals[0] + (1 - c.p) * totals[1])
    return sk.log_loss(c.y, p, sample_weight=w / totals[c.y]) / np.log(2)


def inside(c: Case) -> bool:
    return bool(not c.one_class and (c.p > 1e-12).all() and (c.p < 1).all())


def corp(which):
    """Take the Brier score apart with their isotonic regression."""

    def theirs(c: Case):
        base = np.full(len(c.y), np.average(c.y, weights=c.w))
        whole, calibrated, constant = (
            binary_loss(sk.brier_score_loss)(replace(c, p=p)) for p in (c.p, isotonic(c).p, base)
        )
        return {"mcb": whole - calibrated, "dsc": constant - calibrated, "unc": constant}[which]

    return theirs


def spiegelhalter(c: Case):
    """Return the Brier score's distance from what it is expected to be, in its own spread."""
    w = np.ones(len(c.y)) if c.w is None else c.w
    noise = c.p * (1 - c.p)
    excess = binary_loss(sk.brier_score_loss)(c) - np.average(noise, weights=w)
    return excess * w.sum() / np.sqrt((w * (1 - 2 * c.p) ** 2 * noise).sum())


def uncertain(c: Case) -> bool:
    return bool(((c.p > 1e-9) & (c.p < 1) & (c.p != 0.5)).any())


def one_bin(c: Case):
    """Ask for their calibration curve with one bin: the share positive and the mean probability."""
    return np.concatenate(calibration_curve(c.y, c.p, n_bins=1))


def plain(c: Case) -> bool:
    return c.w is None and not c.one_class


_CLIPPED = {"clip": float(np.finfo(float).eps)}

PROBABILITY = [
    Same("brier", binary_loss(sk.brier_score_loss)),
    Same("brier_skill_score", lambda c: sk.d2_brier_score(c.y, c.p, labels=[0, 1], sample_weight=c.w), only=two),
    Same("log_loss_skill_score", lambda c: sk.d2_log_loss_score(c.y, c.p, labels=[0, 1], sample_weight=c.w),
         options=_CLIPPED, only=two),
    Same("log_loss", binary_loss(sk.log_loss), only=unclipped),
    Same("log_loss", lambda c: binary_loss(sk.log_loss)(c) / np.log(2), options={"base": 2.0}, only=unclipped),
    Same("mean_absolute_error", on(sk.mean_absolute_error)),
    Same("cllr", cllr, only=inside),
    Same("miscalibration", corp("mcb"), abs=1e-10),
    Same("discrimination", corp("dsc"), abs=1e-10),
    Same("uncertainty", corp("unc"), abs=1e-10),
    Same("spiegelhalter_z", spiegelhalter, only=uncertain, rel=1e-7, abs=1e-7),
    Same("calibration_in_the_large", lambda c: np.subtract(*one_bin(c)), only=plain),
    Same("observed_expected_ratio", lambda c: np.divide(*one_bin(c)), only=plain),
    Same("root_mean_squared_error", on(sk.root_mean_squared_error)),
]  # fmt: skip


def onehot(c: Case):
    return np.eye(len(c.labels))[c.y]


def stratified(function):
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
    Same("roc_auc", stratified(auc_or_nan), average="per_class"),
    *(Same("roc_auc", on(sk.roc_auc_score, multi_class="ovr", average=average), average=average,
           only=all_seen) for average in ("macro", "weighted")),
    Same("roc_auc", lambda c: sk.roc_auc_score(onehot(c), c.p, average="micro", sample_weight=c.w), average="micro"),
    Same("average_precision", lambda c: sk.average_precision_score(onehot(c), c.p, average="macro", sample_weight=c.w), average="macro", only=all_seen),
    Same("average_precision", lambda c: sk.average_precision_score(onehot(c), c.p, average="micro", sample_weight=c.w), average="micro"),
    Same("provost_domingos_auc", on(sk.roc_auc_score, multi_class="ovr", average="weighted"), only=all_seen),
    # theirs takes no weights for one against one
    Same("hand_till_auc", lambda c: sk.roc_auc_score(c.y, c.p, multi_class="ovo", average="macro"), only=unweighted),
    *(Same("top_k_accuracy", lambda c, k=k: sk.top_k_accuracy_score(c.y, c.p, k=k, labels=c.labels, sample_weight=c.w),
           options={"k": k}, only=lambda c: all(len(set(r)) == len(r) for r in c.p.tolist())) for k in (1, 2)),
    Same("brier", lambda c: sk.brier_score_loss(c.y, c.p, labels=c.labels, sample_weight=c.w)),
    Same("brier_skill_score", lambda c: sk.d2_brier_score(c.y, c.p, labels=c.labels, sample_weight=c.w), only=two),
    Same("log_loss_skill_score", lambda c: sk.d2_log_loss_score(c.y, c.p, labels=c.labels, sample_weight=c.w),
         options=_CLIPPED, only=two),
    Same("log_loss", lambda c: sk.log_loss(c.y, c.p, labels=c.labels, sample_weight=c.w)),
    Same("mean_absolute_error", lambda c: sk.mean_absolute_error(onehot(c), c.p, sample_weight=c.w)),
    Same("root_mean_squared_error", lambda c: np.sqrt(sk.mean_squared_error(onehot(c), c.p, sample_weight=c.w))),
]  # fmt: skip


def of_some(function, average):
    """Average over every second class that has a row or was predicted."""
    return lambda c: either(function, c, labels=c.labels[::2], average=average)


SOME = [
    Same(name, of_some(function, average), average=average,
         options={"classes": lambda c: c.labels[::2]},
         # no true row in any of these classes
         blank=(0.0,) if average == "weighted" and name != "sensitivity" else ())
    for name, function in (("sensitivity", sk.recall_score), ("precision", sk.precision_score),
                           ("f1", sk.f1_score))
    for average in ("macro", "micro", "weighted")
]  # fmt: skip

TABLE = [*SOME, *BINARY, *MATRIX, *INFORMATION, *AVERAGED, *RANK, *PROBABILITY, *MANY]
