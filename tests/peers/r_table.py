"""What each of our metrics is called in R: pROC, ROCR and R itself."""

from __future__ import annotations

import math
import os
import shutil
import subprocess

import numpy as np
import pytest

from peers.cases import Case
from peers.compare import NAN, Same

ANSWERS: dict[str, dict[str, np.ndarray]] = {}
"""What R said of each case, by its name and by the name of the answer: filled by test_r.py."""


def need_r(*packages: str) -> None:
    """Skip a test where R or a package of it is missing; where CI is set, fail it."""
    packages = packages or ("pROC", "ROCR")
    named = ", ".join(f'"{p}"' for p in packages)
    ask = f"quit(status = !all(c({named}) %in% rownames(installed.packages())))"
    found = shutil.which("Rscript")
    if found and not subprocess.run(["Rscript", "-e", ask], check=False).returncode:
        return
    told = f"needs R with its packages {' and '.join(packages)}: run tools/need-r.sh"
    pytest.fail(told) if os.environ.get("CI") else pytest.skip(told)


def said(name):
    def theirs(c: Case):
        value = ANSWERS[c.name].get(name)
        return NAN if value is None else value[0]

    return theirs


def share(name):
    """Return the share of pairs: R gives their number."""
    return lambda c: said(name)(c) / (c.y.sum() * (1 - c.y).sum())


def at_depth(depth, times):
    """Join ROCR's points of TPR against the rate called positive by straight lines."""

    def theirs(c: Case):
        rate = ANSWERS[c.name]
        found = np.interp(depth, rate["rocr_rpp"], rate["rocr_tpr"])
        return found * times(c)

    return theirs


def recall(target):
    """Return the highest precision of ROCR's thresholds with so high a recall."""

    def theirs(c: Case):
        rate = ANSWERS[c.name]
        return np.nanmax(rate["rocr_prec"][rate["rocr_tpr"] >= target])

    return theirs


def lowest_miss(fpr):
    """Return pROC's lowest FNR among the thresholds with so low an FPR."""

    def theirs(c: Case):
        rate = ANSWERS[c.name]
        return rate["coords_fnr"][1 - rate["coords_tnr"] <= fpr + 1e-12].min()

    return theirs


def crossing(c: Case):
    """Return FNR and FPR at pROC's thresholds around their crossing, as FVC2000 takes them.

    The lower of both is the highest threshold with FNR <= FPR, the other the lowest with FNR >=
    FPR.
    """
    fnr, fpr = ANSWERS[c.name]["coords_fnr"], 1 - ANSWERS[c.name]["coords_tnr"]  # from the top
    lower, upper = np.flatnonzero(fnr <= fpr + 1e-12)[0], np.flatnonzero(fnr >= fpr - 1e-12)[-1]
    return (fnr[lower], fpr[lower]), (fnr[upper], fpr[upper])


def ends(which):
    def theirs(c: Case):
        lower, upper = crossing(c)
        return sorted(lower if sum(lower) <= sum(upper) else upper)[which]

    return theirs


def no_draw(c: Case) -> bool:
    """Tell whether one of both thresholds errs less in sum."""
    lower, upper = crossing(c)
    return lower == upper or abs(sum(lower) - sum(upper)) > 1e-9


def prevalence(c: Case):
    return c.y.mean()


def certain(c: Case) -> bool:
    """Tell whether a probability is 0 or 1, whose logit is infinite."""
    return bool(((c.p == 0) | (c.p == 1)).any())


def overlapping(c: Case) -> bool:
    """Tell whether a logistic regression has a finite solution, and a dozen rows to speak of."""
    lows, highs = c.p[c.y == 0], c.p[c.y == 1]
    crossed = highs.min() < lows.max() and lows.min() < highs.max()
    return not certain(c) and crossed and 12 <= len(c.y) <= 3000 and np.log(c.p).min() > -30


SCORES = [
    Same("roc_auc", said("auc")),
    Same("roc_auc", said("rocr_auc")),
    Same("roc_auc", share("wilcox")),
    Same("gini_coefficient", lambda c: 2 * said("auc")(c) - 1),
    Same("partial_roc_auc", said("low_fpr"), options={"high": 0.17}),
    Same("partial_roc_auc", said("rocr_auc_10"), options={"high": 0.1}),
    Same("partial_roc_auc", said("mid_fpr"), options={"low": 0.1, "high": 0.4}),
    Same("partial_roc_auc", said("high_tpr"), options={"low": 0.72, "high": 1.0, "axis": "tpr"}),
    Same("partial_roc_auc_standardized", said("low_fpr_corrected"), options={"high": 0.17}),
    Same("partial_roc_auc_standardized", said("mid_fpr_corrected"), options={"low": 0.1, "high": 0.4}),
    Same("partial_roc_auc_standardized", said("high_tpr_corrected"), options={"low": 0.72, "high": 1.0, "axis": "tpr"}),
    Same("roc_hull_auc", said("rocr_rch")),
    Same("kolmogorov_smirnov", said("ks")),
    Same("false_negative_rate_at_fpr", lowest_miss(0.1), options={"fpr": 0.1}),
    Same("sensitivity_at_fpr", lambda c: 1 - lowest_miss(0.23)(c), options={"fpr": 0.23}),
    Same("precision_at_recall", recall(0.6789), options={"recall": 0.6789}),
    *(Same("gain_at", at_depth(d, lambda c: 1), options={"depth": d}) for d in (0.1, 0.37)),
    *(Same("lift_at", at_depth(d, lambda c, d=d: 1 / d), options={"depth": d}) for d in (0.1, 0.37)),
    *(Same("response_rate_at", at_depth(d, lambda c, d=d: prevalence(c) / d), options={"depth": d})
      for d in (0.1, 0.37)),
    Same("top_decile_lift", at_depth(0.1, lambda c: 10)),
    Same("top_two_decile_lift", at_depth(0.2, lambda c: 5)),
    Same("equal_error_rate_low", ends(0), only=no_draw),
    Same("equal_error_rate_high", ends(1), only=no_draw),
    Same("root_mean_squared_error", said("rocr_rmse")),
    Same("brier", lambda c: said("rocr_rmse")(c) ** 2),
    Same("log_loss", said("rocr_mxe")),
    Same("calibration_slope", said("slope"), only=overlapping, rel=1e-6, abs=1e-7),
    Same("calibration_intercept", said("intercept"), only=overlapping, rel=1e-6, abs=1e-7),
]  # fmt: skip

# At each threshold: our metric, its parameters, their name, what theirs is multiplied by or put
# into, and whether theirs may be NaN where ours has a value.
ALONG = [
    ("accuracy", {}, "rocr_acc", None, False),
    ("accuracy", {}, "coords_accuracy", None, False),
    ("error_rate", {}, "rocr_err", None, False),
    ("false_positive_rate", {}, "rocr_fpr", None, False),
    ("false_positive_rate", {}, "coords_fpr", None, False),
    ("sensitivity", {}, "rocr_tpr", None, False),
    ("sensitivity", {}, "coords_tpr", None, False),
    ("false_negative_rate", {}, "rocr_fnr", None, False),
    ("specificity", {}, "rocr_tnr", None, False),
    ("specificity", {}, "coords_tnr", None, False),
    ("precision", {}, "rocr_prec", None, False),
    ("precision", {}, "coords_ppv", None, False),
    ("negative_predictive_value", {}, "rocr_npv", None, False),
    ("negative_predictive_value", {}, "coords_npv", None, False),
    ("false_discovery_rate", {}, "rocr_pcfall", None, False),
    ("false_discovery_rate", {}, "coords_fdr", None, False),
    ("false_omission_rate", {}, "rocr_pcmiss", None, False),
    ("predicted_positive_rate", {}, "rocr_rpp", None, False),
    ("matthews_corrcoef", {}, "rocr_phi", None, False),
    ("cramers_v", {}, "rocr_phi", np.abs, False),
    ("chi_square", {}, "rocr_chisq", None, False),
    # theirs makes 0/0 of tables with an empty row
    ("mutual_information", {}, "rocr_mi", lambda x: x * math.log(2), True),
    ("diagnostic_odds_ratio", {}, "rocr_odds", None, False),
    ("lift", {}, "rocr_lift", None, False),
    ("f1", {}, "rocr_f", None, True),
    ("f_beta", {"beta": 2.0}, "rocr_f_alpha", None, True),  # alpha = 1 / (1 + beta²)
    ("expected_cost", {"cost_fp": 2, "cost_fn": 5}, "rocr_cost", None, False),
    ("youden_j", {}, "coords_youden", lambda x: x - 1, False),
    ("balance", {}, "coords_closest.topleft", lambda x: 1 - np.sqrt(x / 2), False),
]

TABLE = [*SCORES, *(Same(name, said(theirs), options=o) for name, o, theirs, *_ in ALONG)]
