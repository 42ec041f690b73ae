"""What each of our metrics is called in SciPy and statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats
import statsmodels.api as sm
from scipy.spatial import ConvexHull
from scipy.stats import contingency
from statsmodels.stats.contingency_tables import Table, Table2x2
from statsmodels.stats.inter_rater import cohens_kappa

from peers.cases import Case
from peers.compare import Same


def kappa(weights=None, **options):
    def theirs(c: Case):
        w = weights(len(c.labels)) if callable(weights) else weights
        return cohens_kappa(c.matrix, weights=w, return_results=False, **options)

    return theirs


def own_weights(k: int) -> Any:
    """Return a cost of each error that is neither linear nor symmetric."""
    i, j = np.mgrid[:k, :k]
    return np.abs(i - j) ** 1.5 + 0.25 * (i < j)


def two_by_two(name):
    """Ask for a property of the table whose first row is the positives, whose first column TP."""
    return lambda c: getattr(Table2x2(c.matrix[::-1, ::-1], shift_zeros=False), name)


def chi2(c: Case):
    return contingency.chi2_contingency(c.matrix, correction=False).statistic


def full(c: Case) -> bool:
    """Tell whether every class was true and was predicted, and there are two at least."""
    return len(c.labels) > 1 and bool(c.matrix.sum(0).all() and c.matrix.sum(1).all())


def whole(c: Case) -> bool:
    return c.w is None and full(c)


def no_zero(c: Case) -> bool:
    return bool((c.matrix > 0).all())


def both_classes(c: Case) -> bool:
    return c.w is None and not c.one_class


def varied(c: Case) -> bool:
    return c.w is None and len(set(c.y.tolist())) > 1 and len(set(c.p.tolist())) > 1


def entropies(c: Case):
    """Return the entropies of truth, prediction and both."""
    m = c.matrix
    return [scipy.stats.entropy(x) for x in (m.sum(1), m.sum(0), m.ravel())]


def information(c: Case):
    true, called, joint = entropies(c)
    return true + called - joint


def mann_whitney(c: Case):
    won = scipy.stats.mannwhitneyu(c.p[c.y == 1], c.p[c.y == 0]).statistic
    return won / (c.y.sum() * (1 - c.y).sum())


def one_score(c: Case) -> bool:
    """Tell whether all scores are equal: they call the correlation undefined, and it is 0."""
    return len(set(c.p.tolist())) == 1


def hull_area(c: Case):
    """Return the area of the convex hull of all ROC points and of (1, 0)."""
    at = np.unique(c.p)[::-1]
    w = np.ones(len(c.y)) if c.w is None else c.w
    hit = (c.p >= at[:, None]) * w
    tpr = (hit * (c.y == 1)).sum(1) / (w * (c.y == 1)).sum()
    fpr = (hit * (c.y == 0)).sum(1) / (w * (c.y == 0)).sum()
    points = np.vstack([[0, 0], np.column_stack([fpr, tpr]), [1, 1], [1, 0]])
    return ConvexHull(points).volume


def logistic(which):
    """Regress the class on the logit of the probability."""

    def theirs(c: Case):
        z = np.log(c.p / (1 - c.p))
        weights = np.ones(len(c.y)) if c.w is None else c.w
        fit = sm.GLM(
            c.y, sm.add_constant(z, has_constant="add"), family=sm.families.Binomial(),
            freq_weights=weights,
        ).fit(tol=1e-14, maxiter=200)  # fmt: skip
        return fit.params[which]

    return theirs


def in_the_large(c: Case):
    """Regress the class on a constant alone, the logit being given."""
    z = np.log(c.p / (1 - c.p))
    weights = np.ones(len(c.y)) if c.w is None else c.w
    fit = sm.GLM(
        c.y, np.ones((len(c.y), 1)), offset=z, family=sm.families.Binomial(), freq_weights=weights
    ).fit(tol=1e-14, maxiter=200)
    return fit.params[0]


def overlapping(c: Case) -> bool:
    """Tell whether a logistic regression has a finite solution, and a dozen rows to speak of."""
    inside = (c.p > 0).all() and (c.p < 1).all()
    if not inside or c.one_class or len(c.y) < 12 or len(c.y) > 3000:
        return False
    lows, highs = c.p[c.y == 0], c.p[c.y == 1]
    return bool(highs.min() < lows.max() and lows.min() < highs.max() and np.log(c.p).min() > -30)


MATRIX = [
    Same("cohen_kappa", kappa()),
    Same("cohen_kappa", kappa(wt="linear"), options={"weights": "linear"}, only=full),
    Same("cohen_kappa", kappa(wt="quadratic"), options={"weights": "quadratic"}, only=full),
    Same("chi_square", chi2, only=full),
    Same("chi_square", lambda c: Table(c.matrix, shift_zeros=False).test_nominal_association().statistic, only=full),
    Same("cramers_v", lambda c: contingency.association(c.matrix.astype(int), method="cramer"), only=whole),
    Same("mutual_information", information),
    Same("normalized_mutual_information", lambda c: information(c) / np.sqrt(np.prod(entropies(c)[:2])),
         options={"average_method": "geometric"}, only=full),
]  # fmt: skip

BINARY = [
    Same("diagnostic_odds_ratio", two_by_two("oddsratio"), only=no_zero),
    Same("positive_likelihood_ratio", two_by_two("riskratio"), only=no_zero),
    Same("matthews_corrcoef", lambda c: scipy.stats.pearsonr(c.y, c.p).statistic, only=varied),
    Same("prevalence", lambda c: np.average(c.y, weights=c.w)),
    Same("predicted_positive_rate", lambda c: np.average(c.p, weights=c.w)),
    Same("hamming_loss", lambda c: np.average(c.p != c.y, weights=c.w)),
]

RANK = [
    Same("roc_auc", mann_whitney, only=both_classes),
    Same("gini_coefficient", lambda c: scipy.stats.somersd(c.y, c.p).statistic, only=both_classes, mute=one_score),
    Same("kolmogorov_smirnov", lambda c: scipy.stats.ks_2samp(c.p[c.y == 1], c.p[c.y == 0]).statistic, only=both_classes),
    Same("roc_hull_auc", hull_area, only=lambda c: not c.one_class and len(c.y) < 1000),
]  # fmt: skip

PROBABILITY = [
    Same("calibration_slope", logistic(1), only=overlapping, rel=1e-6, abs=1e-7),
    Same("calibration_intercept", in_the_large, only=overlapping, rel=1e-6, abs=1e-7),
]

OWN_WEIGHTS = kappa(own_weights)

TABLE = [*MATRIX, *BINARY, *RANK, *PROBABILITY]
