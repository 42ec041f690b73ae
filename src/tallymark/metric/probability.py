"""Metrics of predicted probabilities: their distance from the outcomes."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.registry import RowLoss, log_of, metric, ratio
from tallymark.tally.row_losses import ProbabilityRows
from tallymark.tally.score_counts import nodes, rows_times
from tallymark.tally.scores import ScoreCounts
from tallymark.tally.sums import Sums

Columns = tuple[ScoreCounts, ...]

NO_ROWS = {"there is no row": lambda columns: columns[0].total == 0}

of_probabilities = partial(metric, needs="probabilities", undefined=NO_ROWS, binning_bounds="ends")
"""Declare a metric of the probabilities of all classes."""


def squared_error(r: ScoreCounts) -> Any:
    """Return the mean over rows of the squared distance between probability and truth."""
    p, q, pos, neg = nodes(r)
    return ratio((pos * q**2 + neg * p**2).sum(-1), r.total)


@of_probabilities(
    title="Brier score",
    formula="mean of (p - truth)²; summed over classes when there are more than two",
    range=(0, 2),
    better="low",
    aliases=("brier loss", "brier score", "brier class"),
    relatives=("brier_skill_score", "miscalibration", "log_loss"),
    sources=("brier1950",),
    row_loss=RowLoss("brier"),
    chance="variance of the class",
    of_rows=lambda rows: rows.mean("squared"),
)
def brier(columns: Columns) -> Any:
    """Mean squared distance between probability and outcome; 0 is certain and right.

    Always predicting the prevalence p scores p(1 - p), which is small if positives are rare.
    For two classes only the positive class is counted, so the worst value is 1.

    Misleading: Small values are easy where one class is rare: compare with the score of always
    giving the prevalence.

    >>> import tallymark as tm
    >>> tm.metrics.brier([0, 1], [0.5, 0.75])
    0.15625
    """
    return sum(map(squared_error, columns))


@of_probabilities(
    title="Mean absolute error",
    formula="mean of |p - truth|; averaged over classes when there are more than two",
    better="low",
    aliases=("MAE",),
    relatives=("brier", "root_mean_squared_error"),
    sources=("liu2014", "witten2011"),
    row_loss=RowLoss("mean_absolute_error"),
    of_rows=lambda rows: rows.mean("absolute"),
)
def mean_absolute_error(columns: Columns) -> Any:
    """Mean distance between probability and outcome.

    Not a proper score: it rewards probabilities pushed to 0 and 1.

    Misleading: It rewards probabilities pushed to 0 and 1, since it is not a proper score.

    >>> import tallymark as tm
    >>> tm.metrics.mae([0, 1], [0.5, 0.75])
    0.375
    """
    parts = (nodes(r) for r in columns)
    return ratio(sum((n.pos * n.q + n.neg * n.p).sum(-1) for n in parts), columns[0].total) / len(
        columns
    )


@of_probabilities(
    title="Root mean squared error",
    formula="√ mean of (p - truth)²; averaged over classes under the root",
    better="low",
    aliases=("RMSE",),
    relatives=("brier", "mean_absolute_error"),
    sources=("liu2014", "witten2011"),
    row_loss=RowLoss("root_mean_squared_error", np.sqrt),
    of_rows=lambda rows: None if (mean := rows.mean("squared")) is None else math.sqrt(mean),
)
def root_mean_squared_error(columns: Columns) -> Any:
    """Square root of the mean squared distance between probability and outcome.

    Misleading: Like the Brier score, it is small where one class is rare.

    >>> import tallymark as tm
    >>> tm.metrics.rmse([0, 1], [0.5, 0.5])
    0.5
    """
    return np.sqrt(sum(map(squared_error, columns)) / len(columns))


@of_probabilities(
    title="Log loss",
    formula="-mean of ln(probability given to the true class)",
    range=(0, math.inf),
    better="low",
    aliases=(
        "cross entropy",
        "logistic loss",
        "logarithmic loss",
        "mn log loss",
        "logarithmic score",
    ),
    relatives=("brier", "cllr"),
    sources=("good1952",),
    row_loss=RowLoss("log_loss"),
    chance="entropy of the classes",
    of_rows=lambda rows, clip, base: _log_loss_of_rows(rows, clip, base),
)
def log_loss(columns: Columns, *, clip: float = 0.0, base: float = math.e) -> Any:
    """Mean negative logarithm of the probability of the true class; infinite if one is 0.

    ``clip`` keeps probabilities that far from 0 and 1: some software does so silently.

    Misleading: One probability of 0 for the true class makes it infinite, unless software clips it
    silently.

    >>> import tallymark as tm
    >>> round(tm.metrics.log_loss([0, 1], [0.5, 0.5]), 6), tm.metrics.log_loss([0, 1], [0.1, 0])
    (0.693147, inf)
    """
    return _mean_log_loss(columns, clip) / log_of(base)


def _mean_log_loss(columns: Columns, clip: float) -> Any:
    check_clip(clip)
    total: Any = 0.0
    for r in columns:
        few = nodes(r, clip)
        log_p, log_q = few.logs(clip)
        total = total - rows_times(few.pos, log_p)
        if len(columns) == 1:  # the other class has no separate column
            total = total - rows_times(few.neg, log_q)
    return ratio(total, columns[0].total)


def _log_loss_of_rows(rows: ProbabilityRows, clip: float, base: float) -> float | None:
    mean = None if clip else rows.mean("logarithm")
    return None if mean is None else mean / log_of(base)


def check_clip(clip: float) -> float:
    """Return the clip; one outside [0, 0.5) raises InputError."""
    if not 0 <= clip < 0.5:
        raise InputError(f"clip is {clip!r}; it must lie between 0 and 0.5")
    return clip


def _one_true_class(columns: Columns) -> Any:
    if len(columns) == 1:
        return (columns[0].positives == 0) | (columns[0].negatives == 0)
    return np.stack([r.negatives == 0 for r in columns], -1).any(-1) | (columns[0].total == 0)


@of_probabilities(
    title="Brier skill score",
    formula="1 - Brier score / Brier score of always giving the class shares",
    range=(-math.inf, 1),
    chance=0.0,
    aliases=("BSS", "scaled Brier score", "index of prediction accuracy", "IPA"),
    undefined={"all rows are truly of one class": _one_true_class},
    relatives=("brier", "miscalibration", "discrimination"),
    sources=("brier1950", "kattan2018"),
)
def brier_skill_score(columns: Columns) -> Any:
    """Relative reduction of the Brier score compared with always giving the class shares.

    Misleading: Its reference is the class shares of these rows, which were not known beforehand.

    >>> import tallymark as tm
    >>> round(tm.metrics.brier_skill_score([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.6]), 6)
    0.6
    """
    reference = sum(ratio(r.positives * r.negatives, r.total**2) for r in columns)
    return 1 - ratio(sum(map(squared_error, columns)), reference)


@of_probabilities(
    title="Log loss skill score",
    formula="1 - log loss / log loss of always giving the class shares",
    range=(-math.inf, 1),
    chance=0.0,
    aliases=("D2 log loss", "D2 log loss score", "McFadden R2", "logarithmic skill score"),
    undefined={"all rows are truly of one class": _one_true_class},
    relatives=("log_loss", "brier_skill_score", "miscalibration"),
    sources=("mcfadden1974", "good1952"),
)
def log_loss_skill_score(columns: Columns, *, clip: float = 0.0) -> Any:
    """Relative reduction of the log loss, compared with always predicting the class shares.

    It is McFadden's R² of the given probabilities: the share of the entropy of the classes that
    they explain. ``clip`` keeps probabilities that far from 0 and 1.

    Misleading: One probability of 0 for the true class makes it -∞, and its reference is the class
    shares of these rows, which were not known beforehand.

    >>> import tallymark as tm
    >>> round(tm.metrics.log_loss_skill_score([0, 1, 0, 1], [0.2, 0.8, 0.4, 0.6]), 6)
    0.470553
    """
    rows = [r.positives for r in columns]
    if len(columns) == 1:  # the other class has no separate column
        rows.append(columns[0].negatives)
    shares = np.stack([ratio(n, columns[0].total) for n in rows], -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        reference = -rows_times(shares, np.log(shares))
    return 1 - ratio(_mean_log_loss(columns, clip), reference)


@metric(
    title="Spherical score",
    formula="mean of p(true class) / √(Σ p²)",
    needs="rows",
    aliases=("spherical scoring rule",),
    undefined={"there is no row": lambda rows: not rows.weight},
    relatives=("brier", "log_loss"),
    sources=("gneiting2007",),
    binning_bounds="ends",
)
def spherical_score(rows: Sums) -> Any:
    """Mean cosine between the probabilities and the truth: a proper score from 0 to 1.

    Misleading: Its differences are small: log loss and Brier score separate models more clearly.

    >>> import tallymark as tm
    >>> round(tm.metrics.spherical_score([0, 1], [0.5, 0.75]), 6)
    0.827895
    """
    return np.asarray(rows.average("spherical_score"))
