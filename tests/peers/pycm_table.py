"""What each of our metrics is called in PyCM, which takes whole counts and answers "None" for NaN."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pycm

from peers.cases import Case
from peers.compare import NAN, Same


@lru_cache(maxsize=1200)
def judged(case: Case):
    """Let PyCM count; the classes are named 1, 2, 3... in our order."""
    return pycm.ConfusionMatrix(matrix=np.asarray(case.matrix, int).tolist())


def number(value) -> float:
    return NAN if value == "None" else float(value)


def overall(name, times=1.0):
    return lambda c: times * number(judged(c).overall_stat[name])


def positive(name):
    """Return a statistic of the positive class."""
    return lambda c: number(list(judged(c).class_stat[name].values())[1])


def per_class(name):
    return lambda c: [number(v) for v in judged(c).class_stat[name].values()]


def called(method, **options):
    """Return what a method answers for the positive class."""
    return lambda c: number(list(getattr(judged(c), method)(**options).values())[1])


def weighted_kappa(power):
    def theirs(c: Case):
        names = judged(c).classes
        weight = {
            a: {b: abs(i - j) ** power for j, b in enumerate(names)} for i, a in enumerate(names)
        }
        return number(judged(c).weighted_kappa(weight=weight))

    return theirs


def some_count_zero(c: Case) -> bool:
    return bool((c.matrix == 0).any())


def no_count_zero(c: Case) -> bool:
    return not some_count_zero(c)


def rate_of_zero(c: Case) -> bool:
    return bool((c.matrix.sum(0) == 0).any() or (c.matrix.sum(1) == 0).any())


CLASS = {
    "sensitivity": "TPR",
    "specificity": "TNR",
    "false_positive_rate": "FPR",
    "false_negative_rate": "FNR",
    "precision": "PPV",
    "negative_predictive_value": "NPV",
    "false_discovery_rate": "FDR",
    "false_omission_rate": "FOR",
    "youden_j": "BM",
    "markedness": "MK",
    "prevalence": "PRE",
    "predicted_positive_rate": "TOPR",
    "f1": "F1",
    "f2": "F2",
    "f0_5": "F0.5",
    "adjusted_f": "AGF",
    "jaccard": "J",
    "fowlkes_mallows": "G",
    "optimization_precision": "OP",
    "lift": "LS",
    "balance": "sInd",
}

# Infinite is "None" in PyCM, and of a quotient of quotients it answers "None" where one is 0.
INFINITE = [
    ("positive_likelihood_ratio", "PLR", {}),
    ("negative_likelihood_ratio", "NLR", {}),
    ("diagnostic_odds_ratio", "DOR", {"mute": some_count_zero}),
    ("discriminant_power", "DP", {"options": {"base": 10.0}}),
    ("yule_q", "Q", {"mute": some_count_zero, "infinite": ()}),
]

BINARY = [
    *(Same(ours, positive(theirs)) for ours, theirs in CLASS.items()),
    *(Same(o, positive(t), **{"infinite": (NAN,), "rel": 1e-8, **more}) for o, t, more in INFINITE),
    *(Same("f_beta", called("F_beta", beta=b), options={"beta": b}) for b in (0.2, 3.3)),
    *(Same("iba", called("IBA_alpha", alpha=a), options={"alpha": a}) for a in (0.1, 0.7)),
    *(
        Same("net_benefit", called("NB", w=t / (1 - t)), options={"p_t": t})
        for t in (0.05, 0.2, 0.6)
    ),
    *(
        Same(
            "standardized_net_benefit",
            lambda c, t=t: called("NB", w=t / (1 - t))(c) / positive("PRE")(c),
            options={"p_t": t},
            only=lambda c: bool(c.y.any()),
        )
        for t in (0.1, 0.7)
    ),
    *(
        Same(
            "interventions_avoided",
            lambda c, w=t / (1 - t): (
                100 * (called("NB", w=w)(c) - positive("PRE")(c) + (1 - positive("PRE")(c)) * w) / w
            ),
            options={"p_t": t},
        )
        for t in (0.1, 0.7)
    ),
    # their normal quantile is a rational approximation
    Same("d_prime", called("sensitivity_index"), only=no_count_zero, rel=1e-6, abs=1e-6),
    Same("balanced_accuracy", positive("AUC")),
    Same("balanced_error_rate", lambda c: 1 - positive("AUC")(c)),
    Same("geometric_mean", positive("GM")),
    # 0 where nothing is found, even where no row is truly negative
    Same("adjusted_geometric_mean", positive("AGM"), blank=(0.0,)),
]

PER_CLASS = [
    *(Same(ours, per_class(theirs), average="per_class") for ours, theirs in CLASS.items()),
    Same("matthews_corrcoef", per_class("MCC"), average="per_class"),
    Same("accuracy", per_class("ACC"), average="per_class"),
    Same("geometric_mean", per_class("GM"), average="per_class"),
]

# Their macro average is "None" as soon as one class is, as ours is NaN. Their micro averages of
# NPV and specificity pool all classes' counts, as ours do.
MACRO = [
    Same(ours, overall(f"{theirs} {title}"), average=average)
    for ours, theirs in {
        "sensitivity": "TPR", "specificity": "TNR", "precision": "PPV",
        "negative_predictive_value": "NPV", "false_positive_rate": "FPR",
        "false_negative_rate": "FNR", "f1": "F1",
    }.items()
    for average, title in (("macro", "Macro"), ("micro", "Micro"))
]  # fmt: skip

OVERALL = [
    Same("accuracy", overall("Overall ACC")),
    Same("error_rate", overall("Hamming Loss")),
    Same("expected_agreement", overall("Overall RACC")),
    Same("expected_agreement", overall("Overall RACCU"), options={"pooled": True}),
    Same("cohen_kappa", overall("Kappa")),
    Same("cohen_kappa", weighted_kappa(1), options={"weights": "linear"}),
    Same("cohen_kappa", weighted_kappa(2), options={"weights": "quadratic"}),
    Same("scott_pi", overall("Scott PI")),
    Same("gwet_ac1", overall("Gwet AC1")),
    Same("krippendorff_alpha", overall("Krippendorff Alpha")),
    Same("bennett_s", overall("Bennett S")),
    Same("matthews_corrcoef", overall("Overall MCC")),
    Same("chi_square", overall("Chi-Squared")),
    Same("cramers_v", overall("Cramer V")),
    Same("mutual_information", overall("Mutual Information", math.log(2))),
    Same("confusion_entropy", overall("Overall CEN"), mute=rate_of_zero),
    Same("modified_confusion_entropy", overall("Overall MCEN"), mute=rate_of_zero),
    Same("goodman_kruskal_lambda", overall("Lambda A")),
    Same("balanced_accuracy", overall("TPR Macro")),
]

TABLE = [*BINARY, *PER_CLASS, *MACRO, *OVERALL]
