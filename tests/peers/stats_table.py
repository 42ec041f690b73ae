"""What each of our metrics is called in SciPy and statsmodels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
import statsmodels.api as sm
from scipy.integrate import quad
from scipy.spatial import ConvexHull
from scipy.stats import contingency
from sklearn.isotonic import IsotonicRegression
from statsmodels.stats.contingency_tables import Table, Table2x2
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.weightstats import DescrStatsW

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


def yule(odds):
    return (odds - 1) / (odds + 1)


def dprime(c: Case):
    tn, fp, fn, tp = c.matrix.ravel()
    return scipy.stats.norm.ppf(tp / (tp + fn)) - scipy.stats.norm.ppf(fp / (fp + tn))


def spread(c: Case):
    """Return the distance of the means in standard deviations."""
    w = np.ones(len(c.y)) if c.w is None else c.w
    neg, pos = (DescrStatsW(c.p[c.y == k], w[c.y == k]) for k in (0, 1))
    return (pos.mean - neg.mean) / np.sqrt((pos.var + neg.var) / 2)


def several_scores(c: Case) -> bool:
    return not c.one_class and np.ptp(c.p[c.y == 1]) + np.ptp(c.p[c.y == 0]) > 1e-6


def hosmer_lemeshow(c: Case):
    """Compare what was observed and expected in tenths with Pearson's statistic."""
    order = np.argsort(c.p).reshape(10, -1)
    n, seen, said = order.shape[1], c.y[order].sum(1), c.p[order].sum(1)
    seen, said = np.column_stack([seen, n - seen]), np.column_stack([said, n - said])
    return scipy.stats.power_divergence(seen.ravel(), said.ravel()).statistic


def in_tenths(c: Case) -> bool:
    """Tell whether the rows make ten equal parts without parting ties."""
    return len(set(c.p.tolist())) == len(c.p) and len(c.p) % 10 == 0


def path(c: Case):
    """Return the TP and FP of every threshold from the top, and their totals."""
    at = np.unique(c.p)[::-1]
    w = np.ones(len(c.y)) if c.w is None else c.w
    hit = (c.p >= at[:, None]) * w
    tp = np.r_[0, (hit * (c.y == 1)).sum(1)]
    fp = np.r_[0, (hit * (c.y == 0)).sum(1)]
    return tp, fp, tp[-1], fp[-1]


def along(integrand):
    """Integrate over each stretch of the ROC curve with SciPy's quadrature.

    The integrand is one of (TP, FP, change of TP, change of FP) at a share of the way.
    """

    def theirs(c: Case):
        tp, fp, p, n = path(c)
        total = 0.0
        for a, b, f, g in zip(tp[:-1], fp[:-1], np.diff(tp), np.diff(fp), strict=True):
            bend = (p * p / (p + n) - a) / f if f else 0.5  # where the recall gain is 0
            total += quad(
                lambda u, a=a, b=b, f=f, g=g: integrand(a + u * f, b + u * g, f, g, p, n),
                0, 1, epsabs=1e-12, epsrel=1e-11, limit=200,
                points=[bend] if 0 < bend < 1 else None,
            )[0]  # fmt: skip
        return total

    return theirs


def kappa_at(tp, fp, dtp, dfp, p, n):
    called, total = tp + fp, p + n
    chance = (called * p + (total - called) * n) / total**2
    return ((tp + n - fp) / total - chance) / (1 - chance) * dfp / n


def precision_at(tp, fp, dtp, dfp, p, n):
    return tp / (tp + fp) * dtp / p if dtp else 0.0


def gain_at(tp, fp, dtp, dfp, p, n):
    """Multiply the precision gain by the change of the recall gain, 1 - p/n (p - tp)/tp."""
    if tp <= p * p / (p + n):
        return 0.0
    return (1 - p / n * fp / tp) * p / n * p * dtp / tp**2


def h(alpha=None, beta=None):
    """Integrate the least loss over costs with SciPy's quadrature."""

    def theirs(c: Case):
        tp, fp, p, n = path(c)
        prior = p / (p + n)
        a, b = alpha or 1 + prior, beta or 2 - prior
        hull = np.unique(
            np.r_[prior, IsotonicRegression().fit(c.p, c.y, sample_weight=c.w).y_thresholds_]
        )

        def least(x, tpr, fpr):
            density = x ** (a - 1) * (1 - x) ** (b - 1) / scipy.special.beta(a, b)
            return ((1 - prior) * x * fpr + prior * (1 - x) * (1 - tpr)).min() * density

        def whole(tpr, fpr):
            edges = np.unique(np.r_[0, hull, 1])
            return sum(
                quad(least, *ends, args=(tpr, fpr), epsabs=1e-13, epsrel=1e-11)[0]
                for ends in pairwise(edges)
            )

        return 1 - whole(tp / p, fp / n) / whole(np.array([0, 1]), np.array([0, 1]))

    return theirs


def few(c: Case) -> bool:
    return not c.one_class and len(set(c.p.tolist())) < 40 and len(c.p) < 500


MATRIX = [
    Same("cohen_kappa", kappa()),
    Same("cohen_kappa", kappa(wt="linear"), options={"weights": "linear"}, only=full),
    Same("cohen_kappa", kappa(wt="quadratic"), options={"weights": "quadratic"}, only=full),
    Same("chi_square", chi2, only=full),
    Same("chi_square", lambda c: Table(c.matrix, shift_zeros=False).test_nominal_association().statistic, only=full),
    Same("cramers_v", lambda c: contingency.association(c.matrix.astype(int), method="cramer"), only=whole),
    Same("mutual_information", information),
    Same("normalized_mutual_information", lambda c: information(c) / np.sqrt(np.prod(entropies(c)[:2])),
         options={"mean": "geometric"}, only=full),
    Same("cohen_kappa", kappa(own_weights), options={"weights": lambda c: own_weights(len(c.labels))}, only=full),
]  # fmt: skip

BINARY = [
    Same("diagnostic_odds_ratio", two_by_two("oddsratio"), only=no_zero),
    Same("positive_likelihood_ratio", two_by_two("riskratio"), only=no_zero),
    Same("matthews_corrcoef", lambda c: scipy.stats.pearsonr(c.y, c.p).statistic, only=varied),
    Same("prevalence", lambda c: np.average(c.y, weights=c.w)),
    Same("predicted_positive_rate", lambda c: np.average(c.p, weights=c.w)),
    Same("yule_q", lambda c: yule(two_by_two("oddsratio")(c)), only=no_zero),
    Same("yule_y", lambda c: yule(np.sqrt(two_by_two("oddsratio")(c))), only=no_zero),
    Same("d_prime", dprime, only=no_zero),
]

RANK = [
    Same("roc_auc", mann_whitney, only=both_classes),
    Same("gini_coefficient", lambda c: scipy.stats.somersd(c.y, c.p).statistic, only=both_classes, mute=one_score),
    Same("kolmogorov_smirnov", lambda c: scipy.stats.ks_2samp(c.p[c.y == 1], c.p[c.y == 0]).statistic, only=both_classes),
    Same("auk", along(kappa_at), only=few),
    Same("pr_auc_davis_goadrich", along(precision_at), only=few, rel=1e-7),
    Same("pr_gain_auc", along(gain_at), only=few, rel=1e-6, abs=1e-8),
    Same("h_measure", h(), only=few, rel=1e-7, abs=1e-9),
    Same("h_measure", h(2, 2), options={"alpha": 2, "beta": 2}, only=few, rel=1e-7, abs=1e-9),
    Same("decidability", spread, only=several_scores),
    Same("roc_hull_auc", hull_area, only=lambda c: not c.one_class and len(c.y) < 1000),
]  # fmt: skip

PROBABILITY = [
    Same("calibration_in_the_large", lambda c: DescrStatsW(c.y - c.p, c.w).mean),
    Same(
        "observed_expected_ratio",
        lambda c: DescrStatsW(c.y, c.w).sum / DescrStatsW(c.p, c.w).sum,
        only=lambda c: bool(c.p.any()),
    ),
    Same("calibration_slope", logistic(1), only=overlapping, rel=1e-6, abs=1e-7),
    Same("calibration_intercept", in_the_large, only=overlapping, rel=1e-6, abs=1e-7),
]

HOSMER = [Same("hosmer_lemeshow", hosmer_lemeshow, only=in_tenths)]

TABLE = [*HOSMER, *MATRIX, *BINARY, *RANK, *PROBABILITY]
