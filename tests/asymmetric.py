"""Predictions at no symmetric point, and what follows from them in plain NumPy and SciPy.

Two models on 100 ill and 900 well rows of two sites. The second model leads, its negative
predictive value is 0.98, the sites have other shares of ill rows, the weights are uneven, and
the level is 0.8: a number that stands for another one is another number here.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom, norm, rankdata, t

import tallymark as tm

ILL_ROWS, WELL_ROWS = 100, 900
LEVEL = 0.8
Z = norm.ppf(0.5 + LEVEL / 2)


def _scores(ill_mean: float, well_mean: float, ill_step: int, well_step: int) -> np.ndarray:
    """Return probabilities of two decimals, those of each class in an order of its own."""
    logits = [
        mean + norm.ppf((np.arange(n) * step % n + 0.5) / n)
        for n, mean, step in ((ILL_ROWS, ill_mean, ill_step), (WELL_ROWS, well_mean, well_step))
    ]
    return np.round(1 / (1 + np.exp(-np.concatenate(logits))), 2)


ILL = np.repeat([True, False], [ILL_ROWS, WELL_ROWS])
TRUTH = np.where(ILL, "ill", "well")
FIRST = _scores(0.1, -1.6, 37, 367)
SECOND = _scores(0.9, -2.0, 17, 571)
SITE = np.where(np.where(ILL, np.arange(1000) % 5 < 3, np.arange(1000) % 4 < 1), "north", "south")
WEIGHT = np.where(np.arange(1000) % 3 == 0, 2.0, 0.5)
MODELS = {"first": FIRST, "second": SECOND}

_PLACE = np.concatenate([np.arange(n) * step % n / n for n, step in ((100, 37), (900, 367))])
STEEP = np.round(np.where(ILL & (np.arange(1000) % 5 < 3), 0.9, 0.05 + _PLACE / (2 + ILL)), 3)
"""A model that is sure of 60 ill rows and guesses at the others: its ROC curve crosses others."""


def cells(score, where=True, threshold=0.5, weight=1.0):
    """Return TP, FP, FN and TN."""
    called, w = score >= threshold, np.broadcast_to(weight, len(ILL))
    quarters = (called & ILL, called & ~ILL, ~called & ILL, ~called & ~ILL)
    return tuple(float((w * (q & where)).sum()) for q in quarters)


def area(score, ill=ILL):
    """Return the ROC area by Wilcoxon's rank sum."""
    ranks, m = rankdata(score), ill.sum()
    return (ranks[ill].sum() - m * (m + 1) / 2) / (m * (~ill).sum())


def roc(score, at):
    """Return the sensitivity at false positive rates."""
    cuts = np.append(np.inf, np.unique(score)[::-1])
    rates = [[(score[rows] >= c).mean() for c in cuts] for rows in (~ILL, ILL)]
    return np.interp(at, *rates)


def placements(score):
    """Return what each ill and each well row adds to the area: the terms of DeLong."""
    ill, well = score[ILL], score[~ILL]
    won = (ill[:, None] > well) + 0.5 * (ill[:, None] == well)
    return won.mean(1), won.mean(0)


def skewed_t(gap, parts, level=LEVEL, sizes=None, most=np.inf):
    """Return bounds of a difference, and its p-value, from the influences of each class's rows.

    Bounds are as far away as t standard errors whose variance grows with the distance by the skew.
    ``sizes`` are effective numbers of rows, ``most`` the most degrees of freedom.
    """
    squares = np.array([(e**2).sum() for e in parts])
    n = np.array([len(e) for e in parts] if sizes is None else sizes)
    variances = squares * n / (n - 1)
    v, freedom = variances.sum(), variances.sum() ** 2 / (variances**2 / (n - 1)).sum()
    freedom = min(freedom, most)
    skew = sum((e**3).sum() for e in parts) / squares.sum()

    def tail(null):
        far, toward = abs(gap - null), -skew if gap > null else skew
        return 2 * t.sf(far / (v + max(toward, 0) * far) ** 0.5, freedom)

    away = 50 * v**0.5
    low, high = (brentq(lambda x: tail(x) - (1 - level), gap, gap + s * away) for s in (-1, 1))
    return low, high, tail(0)


def lead_of_area(ours, theirs, level=LEVEL):
    """Return bounds and p-value of the area of one score less that of another."""
    pairs = zip(placements(ours), placements(theirs), strict=True)
    gaps = [a - b for a, b in pairs]
    return skewed_t(area(ours) - area(theirs), [(g - g.mean()) / len(g) for g in gaps], level)


def tango(both, one, other, none, z=Z):
    """Return Tango's bounds of a difference of two shares of the same rows."""
    n = both + one + other + none

    def score(gap):
        def against(q):  # the likelihood where a share q is hit by the second alone
            terms = ((one, q + gap), (other, q), (n - one - other, 1 - 2 * q - gap))
            return -sum(k * np.log(max(x, 1e-300)) for k, x in terms if k)

        ends = (max(0.0, -gap), (1 - gap) / 2)
        fit = minimize_scalar(against, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
        return (one - other - n * gap) / (n * max(2 * fit + gap * (1 - gap), 1e-300)) ** 0.5

    middle, bounds = (one - other) / n, []
    for side in (-1, 1):
        end = side * (1 - 1e-9)
        inside = side * score(end) < -z
        bounds.append(brentq(lambda x: side * score(x) + z, middle, end) if inside else side)  # noqa: B023
    return tuple(bounds)


def score_of_two(hits, rows, other_hits, other_rows, z=Z):
    """Return skewness-corrected score bounds of a share less another one of other rows, and z at 0.

    The shares that fit best at each difference are found by maximizing the likelihood.
    """
    observed = hits / rows - other_hits / other_rows

    def deviate(gap):
        def against(q):  # the likelihood where the second share is q
            sides = ((hits, rows, q + gap), (other_hits, other_rows, q))
            return -sum(
                k * np.log(max(x, 1e-300)) + (n - k) * np.log(max(1 - x, 1e-300))
                for k, n, x in sides
            )

        ends = (max(0.0, -gap), min(1.0, 1 - gap))
        q = minimize_scalar(against, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
        one, other = ((p, p * (1 - p)) for p in (q + gap, q))
        n = rows + other_rows
        v = (one[1] / rows + other[1] / other_rows) * n / (n - 1)
        third = one[1] * (1 - 2 * one[0]) / rows**2 - other[1] * (1 - 2 * other[0]) / other_rows**2
        s, g = (observed - gap) / v**0.5, third / (6 * v**1.5)
        inside = 1 + 4 * g * (s + g)
        return s if abs(g) < 1e-9 or inside < 0 else (inside**0.5 - 1) / (2 * g)

    steps = np.linspace(0, 1, 400)[1:] * 0.5
    bounds = []
    for side in (-1, 1):
        last = observed
        for step in steps:
            if -side * deviate(observed + side * step) > z:
                break
            last = observed + side * step
        ends = sorted((last, observed + side * step))
        bounds.append(brentq(lambda x, side=side: side * deviate(x) + z, *ends))
    return *bounds, deviate(0.0)


def brier(score, weight=None):
    """Return the mean squared error of the probabilities."""
    return np.average((score - ILL) ** 2, weights=weight)


def log_loss(score):
    """Return the mean logarithmic loss."""
    return -np.log(np.where(ILL, score, 1 - score)).mean()


def average_precision(score):
    """Return the mean precision over the ill rows, ties at their lowest."""
    cuts = np.unique(score)[::-1]
    tp = np.array([(ILL & (score >= c)).sum() for c in cuts])
    called = np.array([(score >= c).sum() for c in cuts])
    return (np.diff(tp, prepend=0) * tp / called).sum() / ILL.sum()


def wilson(hits, rows, z=Z):
    """Return Wilson's bounds of a share."""
    p, spread = hits / rows, z**2 / rows
    half = z * (p * (1 - p) / rows + spread / (4 * rows)) ** 0.5
    return tuple((p + spread / 2 + s * half) / (1 + spread) for s in (-1, 1))


def mid_p(gained, lost):
    """Return the one-sided mid-p of rows gained against rows lost by another rule."""
    return binom.sf(gained, gained + lost, 0.5) + binom.pmf(gained, gained + lost, 0.5) / 2


def matthews(tp, fp, fn, tn):
    """Return the Matthews correlation of four counts."""
    return (tp * tn - fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5


def kappa(tp, fp, fn, tn):
    """Return Cohen's kappa of four counts."""
    n = tp + fp + fn + tn
    by_chance = ((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)) / n**2
    return ((tp + tn) / n - by_chance) / (1 - by_chance)


def judged(models=MODELS, **options):
    """Return the evaluation of the rows."""
    return tm.evaluate(TRUTH, y_score=models, positive="ill", level=LEVEL, **options)


def flat(result) -> str:
    """Return what a result shows on one line, so that whole sentences can be looked for."""
    return " ".join(str(result).split())


def csv() -> str:
    """Return the rows as a CSV file."""
    columns = zip(TRUTH, FIRST, SECOND, SITE, strict=True)
    lines = [f"{t},{a:.2f},{b:.2f},{s}" for t, a, b, s in columns]
    return "\n".join(["truth,first,second,site", *lines]) + "\n"
