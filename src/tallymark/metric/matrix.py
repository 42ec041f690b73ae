"""Metrics of a whole matrix of counts[..., true, predicted], for two classes or any number."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

from tallymark.contract import NUMBERS
from tallymark.errors import InputError
from tallymark.metric.registry import SKILL, metric, ratio, share
from tallymark.tally.labels import Counts, one_vs_rest
from tallymark.tally.occupied import MOST_DENSE, MOST_MADE, OccupiedCells

_FEW = 8
"""Stacks of matrices with fewer classes than this are summed cell by cell."""


def over_classes(values: Any, axis: Any = -1) -> Any:
    """Return the sum of values (..., K) or (..., K, K) over one of their last axes, or both.

    Stacks with few classes are summed cell by cell, in the same order as NumPy: NumPy's sum would
    run one loop for each short row.

    >>> over_classes(np.arange(12.0).reshape(3, 2, 2), (-2, -1)).tolist()
    [6.0, 22.0, 38.0]
    """
    if values.ndim <= (1 if axis == -1 else 2) or isinstance(values, OccupiedCells):
        return values.sum(axis)
    cells = values
    if axis == (-2, -1):
        cells = values.reshape(*values.shape[:-2], -1)
    k = cells.shape[-2 if axis == -2 else -1]
    if not 0 < k < _FEW:
        return values.sum(axis)
    if cells.dtype == bool:
        cells = cells.view(np.int8)
    parts = (cells[..., i, :] if axis == -2 else cells[..., i] for i in range(k))
    total = next(parts) + 0
    for part in parts:
        total += part
    return total


def _total(m: Any) -> Any:
    return over_classes(m, (-2, -1))


def misses(m: Any) -> Any:
    """Return the sum off the diagonal; total minus hits would leave a rounding error for 0."""
    if isinstance(m, OccupiedCells):
        return m.misses()
    return over_classes(np.where(agreement(m.shape[-1]), 0, m), (-2, -1))


@cache
def agreement(k: int) -> Any:
    """Return a read-only mask of the diagonal of a k x k matrix."""
    table = np.eye(k, dtype=bool)
    table.flags.writeable = False
    return table


def sum_of_others(values: Any) -> Any:
    """Return for each class the sum over all other classes (..., K), without cancellation.

    >>> sum_of_others(np.array([1.0, 2.0, 4.0])).tolist()
    [6.0, 5.0, 3.0]
    """
    k = values.shape[-1]
    if k <= MOST_DENSE:
        return values @ (1.0 - agreement(k))
    before = np.zeros_like(values)
    behind = np.zeros_like(values)
    before[..., 1:] = np.cumsum(values, -1)[..., :-1]
    behind[..., :-1] = np.cumsum(values[..., ::-1], -1)[..., -2::-1]
    return before + behind


NO_ROWS = {"there is no row": lambda m: _total(m) == 0}
ONE_CLASS = {"there are fewer than two classes": lambda m: np.asarray(m.shape[-1] < 2)}
ABSENT_CLASS = {
    "a class has no true row": lambda m: (over_classes(m) == 0).any(-1),
    **ONE_CLASS,
}
ONE_TRUE_CLASS = {
    "all rows are truly of one class": lambda m: over_classes(over_classes(m) > 0) <= 1,
}
ONE_CALLED_CLASS = {
    "all rows were predicted as one class": lambda m: over_classes(over_classes(m, -2) > 0) <= 1,
}
EMPTY_MARGIN = {
    **NO_ROWS,
    "a class was never true or never predicted": lambda m: (
        (over_classes(m) == 0).any(-1) | (over_classes(m, -2) == 0).any(-1)
    ),
}


def _recalls(m: Any) -> Any:
    """Return the recall of each class."""
    return ratio(m.diagonal(0, -2, -1), over_classes(m))


def _same_single_class(m: Any) -> Any:
    """Return whether all rows are truly of one class and were all predicted as that class."""
    return (over_classes(m.diagonal(0, -2, -1) != 0) == 1) & (misses(m) == 0)


NOTHING_BUT_AGREEMENT = {
    **NO_ROWS,
    "all rows are truly of one class and were predicted as it": _same_single_class,
}


of_matrix = partial(metric, needs="matrix", takes_occupied=True)
"""Declare a metric of counts[..., true, predicted], or of :class:`OccupiedCells` of them."""


@share(
    title="Accuracy",
    formula="(TP + TN) / T; the diagonal over all",
    chance="no-information rate",
    aliases=("ACC",),
    undefined=NO_ROWS,
    needs="matrix",
    takes_occupied=True,
    relatives=("balanced_accuracy", "cohen_kappa", "error_rate"),
    sources=("tharwat2018", "liu2014"),
)
def accuracy(m: Any) -> Any:
    """Share of rows that were classified correctly.

    Where one class is rare, always predicting the other has a high accuracy: compare it with the
    no-information rate.

    Misleading: Where one class is frequent, always predicting it scores high: compare with the
    no-information rate.

    >>> import tallymark as tm
    >>> tm.metrics.accuracy(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    0.75
    """
    hits = m.trace(0, -2, -1)
    return hits, hits + misses(m)


@share(
    title="Error rate",
    formula="1 - accuracy",
    better="low",
    aliases=("ERR", "classification error", "misclassification rate", "zero-one loss"),
    undefined=NO_ROWS,
    needs="matrix",
    takes_occupied=True,
    relatives=("accuracy", "balanced_error_rate"),
    sources=("tharwat2018",),
)
def error_rate(m: Any) -> Any:
    """Share of rows that were classified incorrectly.

    Not the equal error rate, which some texts also abbreviate to EER.

    Misleading: Where one class is frequent, always predicting it has a low error rate.

    >>> import tallymark as tm
    >>> tm.metrics.error_rate(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    0.25
    """
    wrong = misses(m)
    return wrong, m.trace(0, -2, -1) + wrong


@of_matrix(
    title="Balanced accuracy",
    formula="mean over classes of the share found; (TPR + TNR) / 2",
    chance="1 / classes",
    aliases=("BCR", "BA", "bal accuracy", "balanced classification rate", "macro recall"),
    undefined=ABSENT_CLASS,
    relatives=("youden_j", "adjusted_balanced_accuracy", "geometric_mean"),
    sources=("tharwat2018",),
)
def balanced_accuracy(m: Any) -> Any:
    """Accuracy if every class were equally frequent.

    Misleading: It says nothing about precision: with rare positives most alarms may be false.

    >>> import tallymark as tm
    >>> tm.metrics.balanced_accuracy([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.75
    """
    return ratio(over_classes(_recalls(m)), m.shape[-1])


@of_matrix(
    title="Balanced error rate",
    formula="1 - balanced accuracy",
    better="low",
    aliases=("BER", "half total error rate", "HTER"),
    undefined=ABSENT_CLASS,
    relatives=("balanced_accuracy", "equal_error_rate"),
    sources=("tharwat2018",),
)
def balanced_error_rate(m: Any) -> Any:
    """Error rate if every class were equally frequent.

    Misleading: It says nothing about precision: with rare positives most alarms may be false.

    >>> import tallymark as tm
    >>> tm.metrics.balanced_error_rate([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.25
    """
    return 1 - ratio(over_classes(_recalls(m)), m.shape[-1])


@of_matrix(
    title="Geometric mean",
    formula="K-th root of the product of the shares found; √(TPR · TNR)",
    aliases=("GM", "gmean", "G-mean", "G-mean2"),
    undefined=ABSENT_CLASS,
    smooth=False,
    relatives=("balanced_accuracy", "fowlkes_mallows"),
    sources=("kubat1998", "tharwat2018"),
)
def geometric_mean(m: Any) -> Any:
    """Geometric mean of the recall of each class: 0 if one class is never found.

    Misleading: One class that is never found makes it 0, whatever the others do.

    >>> import tallymark as tm
    >>> tm.metrics.geometric_mean([1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 0, 0])
    0.5
    """
    # Take the root before the product, which would underflow for hundreds of classes.
    return np.prod(_recalls(m) ** (1 / max(m.shape[-1], 1)), axis=-1)


@of_matrix(
    title="Matthews correlation",
    formula="(TP·TN - FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); Gorodkin's R_K for K classes",
    **SKILL,
    aliases=("MCC", "phi", "phi coefficient", "matthews correlation coefficient"),
    undefined={**ONE_TRUE_CLASS, **ONE_CALLED_CLASS},
    relatives=("cohen_kappa", "youden_j", "markedness"),
    sources=("matthews1975", "gorodkin2004", "tharwat2018"),
)
def matthews_corrcoef(m: Any) -> Any:
    """Correlation between the true and the predicted class; 0 is guessing, −1 always wrong.

    It uses all four counts. It changes with prevalence, so do not compare values at different class
    balances.

    Misleading: It changes with prevalence, so do not compare values at different class balances.

    >>> import tallymark as tm
    >>> round(tm.metrics.mcc([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]), 6)
    0.707107
    """
    # Compute R_K from sums over each class against the rest. Its usual form, T·hits - Σ true·called
    # over √(T² - Σ true²) and the like, suffers from cancellation where a class is rare.
    c = one_vs_rest(m)
    if m.shape[-1] == 2 and m.ndim > 2:  # both of two classes have equal terms
        c = Counts(*(v[..., 1:] for v in (c.tp, c.fp, c.fn, c.tn)))
    covariance = over_classes(c.tp * c.tn - c.fp * c.fn)
    true = over_classes(c.positives * c.negatives)
    predicted = over_classes(c.called_positive * c.called_negative)
    return ratio(covariance, np.sqrt(true * predicted))


def _disagreement(m: Any, weights: Any) -> Any:
    k = m.shape[-1]
    if weights is None and isinstance(m, OccupiedCells):
        return None  # 1 everywhere off the diagonal
    if weights is not None and not isinstance(weights, str):
        return _own_weights(k, weights)
    if k > MOST_MADE:
        raise InputError(
            f"weights={weights!r} needs the distance of each of {k**2:,} pairs of classes, and "
            f"tables have at most {MOST_MADE:,} classes; leave weights out"
        )
    return _distances(k, weights)


@cache
def _distances(k: int, weights: str | None) -> Any:
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    if weights is None:
        return (distance > 0).astype(float)
    if weights == "linear":
        return distance.astype(float)
    if weights == "quadratic":
        return distance.astype(float) ** 2
    raise InputError(
        f"weights is {weights!r}; say None, 'linear', 'quadratic' or a table of the disagreement "
        "of each pair of classes"
    )


def _own_weights(k: int, weights: Any) -> Any:
    table = NUMBERS.of("weights", weights)
    if table.shape != (k, k):
        raise InputError(f"weights has shape {table.shape} and there are {k} classes")
    if not (np.isfinite(table).all() and (table >= 0).all() and (np.diag(table) == 0).all()):
        raise InputError(
            "weights are disagreements: numbers, zero or more, and zero on the diagonal"
        )
    return table


def _beyond_chance(m: Any, rows: Any, columns: Any, cost: Any) -> Any:
    """Return 1 - observed disagreement / disagreement expected from these margins.

    It equals (pₒ - pₑ) / (1 - pₑ), and avoids cancellation of shares near 1.
    """
    total = _total(m)
    if cost is None:
        return 1 - ratio(misses(m) * total, (rows * sum_of_others(columns)).sum(-1))
    if isinstance(m, OccupiedCells):
        expected = ((rows @ cost) * columns).sum(-1)
        return 1 - ratio(m.weighted(cost) * total, expected)
    if m.ndim == 2 or m.shape[-1] >= _FEW or not cost.any():
        expected = ratio(rows[..., :, None] * columns[..., None, :], total[..., None, None])
        return 1 - ratio(over_classes(cost * m, (-2, -1)), over_classes(cost * expected, (-2, -1)))
    # Sum stacks cell by cell, and skip cells of cost 0.
    observed = expected_cost = 0.0
    for i, j in zip(*np.nonzero(cost), strict=True):
        observed = observed + cost[i, j] * m[..., i, j]
        expected_cost = expected_cost + cost[i, j] * ratio(rows[..., i] * columns[..., j], total)
    return 1 - ratio(observed, expected_cost)


def _no_error_expected(m: Any, weights: Any) -> Any:
    """Return where user-supplied weights are 0 in every cell with a positive expected count."""
    if weights is None or isinstance(weights, str):
        return np.zeros(m.shape[:-2], dtype=bool)
    expected = over_classes(m)[..., :, None] * over_classes(m, -2)[..., None, :]
    return over_classes(_disagreement(m, weights) * expected, (-2, -1)) == 0


def landis_koch(kappa: float) -> str:
    """Return Landis and Koch's word for a kappa, which is their opinion.

    Source: landis1977.

    >>> landis_koch(0.2), landis_koch(0.21), landis_koch(-0.01)
    ('slight', 'fair', 'poor')
    """
    if math.isnan(kappa):
        raise InputError("kappa is NaN; there is no word for an undefined kappa")
    if kappa < 0:
        return "poor"
    cuts = {0.2: "slight", 0.4: "fair", 0.6: "moderate", 0.8: "substantial"}
    return next((word for cut, word in cuts.items() if kappa <= cut), "almost perfect")


@of_matrix(
    title="Cohen's kappa",
    formula="(pₒ - pₑ) / (1 - pₑ), pₑ = Σ share true × share predicted",
    **SKILL,
    aliases=("kappa", "KAP", "kappa statistic", "Heidke skill score", "Heidke skill", "HSS"),
    undefined={
        **NOTHING_BUT_AGREEMENT,
        "the weights of all confusions of the classes that occur are 0": _no_error_expected,
    },
    range_given=lambda weights: (
        -1 if weights is None or isinstance(weights, str) else -math.inf,
        1,
    ),
    relatives=("scott_pi", "gwet_ac1", "matthews_corrcoef"),
    sources=("cohen1960", "cohen1968", "shin2016", "liu2014"),
    shows_se=True,
    opinion=("Landis and Koch", landis_koch),
)
def cohen_kappa(m: Any, *, weights: Any = None) -> Any:
    """Agreement beyond that expected from the class frequencies: 0 is chance, 1 is perfect.

    ``weights`` "linear" or "quadratic" weights each error by its distance, for ordered classes. A
    K x K table has the weight of each confusion by [true, predicted]; if it is not symmetric, kappa
    may be below -1.

    Misleading: It falls where one class is frequent, even at the same rates: read it beside them.

    >>> import tallymark as tm
    >>> tm.metrics.kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    return _beyond_chance(m, over_classes(m), over_classes(m, -2), _disagreement(m, weights))


@of_matrix(
    title="Scott's pi",
    formula="(pₒ - pₑ) / (1 - pₑ), pₑ = Σ (mean share of true and predicted)²",
    range=(-1, 1),
    chance="0 where classes are guessed by their shares",
    undefined=NOTHING_BUT_AGREEMENT,
    relatives=("cohen_kappa", "krippendorff_alpha"),
    sources=("scott1955", "shin2016"),
    shows_se=True,
)
def scott_pi(m: Any) -> Any:
    """Agreement beyond chance, assuming one class balance for truth and prediction.

    Fleiss' kappa of two raters.

    Misleading: It assumes one class balance for truth and prediction, which a biased classifier
    violates.

    >>> import tallymark as tm
    >>> round(tm.metrics.scott_pi([1, 1, 0, 0], [1, 0, 0, 0]), 4)
    0.4667
    """
    mean = (over_classes(m) + over_classes(m, -2)) / 2
    return _beyond_chance(m, mean, mean, _disagreement(m, None))


@of_matrix(
    title="Chi-square",
    formula="Σ (observed - expected)² / expected, without continuity correction",
    range=(0, math.inf),
    chance="K² - 2K + 1 degrees of freedom",
    aliases=("chi2", "Pearson chi-square"),
    undefined=EMPTY_MARGIN,
    relatives=("cramers_v", "matthews_corrcoef"),
    sources=("shin2016",),
    error="optimistic",
)
def chi_square(m: Any) -> Any:
    """Pearson's statistic of independence between truth and prediction.

    It grows with the number of rows; in a 2x2 matrix it is MCC² times that number.

    Misleading: It grows with the number of rows: a useless classifier may have a large value.

    >>> import tallymark as tm
    >>> tm.metrics.chi_square([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1])
    3.0
    """
    if isinstance(m, OccupiedCells):
        return _total(m) * (m.contingency - 1)
    n = _total(m)[..., None, None]
    expected = ratio(over_classes(m)[..., :, None] * over_classes(m, -2)[..., None, :], n)
    # An expected count of 0 makes the result NaN, as EMPTY_MARGIN declares.
    return over_classes(ratio((m - expected) ** 2, expected), (-2, -1))


@of_matrix(
    title="Cramér's V",
    formula="√(χ² / (T·(K - 1)))",
    chance=0.0,
    undefined={**EMPTY_MARGIN, **ONE_CLASS},
    smooth=False,
    relatives=("matthews_corrcoef", "chi_square"),
    sources=("cramer1946",),
    error="optimistic",
)
def cramers_v(m: Any) -> Any:
    """Strength of the association between truth and prediction, whatever its direction.

    In a 2x2 matrix it is the absolute value of MCC: always wrong and always right are both 1.

    Misleading: Always wrong and always right are both 1.

    >>> import tallymark as tm
    >>> round(tm.metrics.cramers_v([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]), 4)
    0.7071
    """
    return np.sqrt(ratio(chi_square._function(m), _total(m) * (m.shape[-1] - 1)))


@of_matrix(
    title="Agreement expected by chance",
    formula="Σ share true × share predicted; pooled: Σ (mean of both shares)²",
    better="neither",
    error="optimistic",
    undefined=NO_ROWS,
    relatives=("cohen_kappa", "scott_pi"),
    sources=("cohen1960", "scott1955"),
)
def expected_agreement(m: Any, *, pooled: bool = False) -> Any:
    """Accuracy expected from the class frequencies alone, which kappa subtracts.

    Cohen's, or with ``pooled`` Scott's, which assumes one class balance for truth and prediction.

    Misleading: It describes class frequencies, not skill.

    >>> import tallymark as tm
    >>> tm.metrics.expected_agreement([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    n = _total(m)[..., None]
    true, predicted = ratio(over_classes(m), n), ratio(over_classes(m, -2), n)
    return over_classes(((true + predicted) / 2) ** 2 if pooled else true * predicted)
