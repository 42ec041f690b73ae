"""Compute how probable it is that a classifier is better, by the Bayesian correlated t test."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from tallymark.infer.corrected_t import Reasoned, differences, mean_and_error


@dataclass(frozen=True, slots=True, repr=False)
class Posterior(Reasoned):
    """How probable it is that the first classifier's values are lower, about the same, or higher.

    ``within`` is the probability that the difference is no larger than ``rope``, the region of
    practical equivalence; ``below`` and ``above`` that it is larger, in which direction.
    ``draws`` and ``seed`` are 0 of one that is computed without chance. The three are NaN if and
    only if ``reason`` says why.
    """

    method: str
    below: float
    within: float
    above: float
    rope: float
    n: int
    draws: int
    seed: int
    reason: str = ""

    _numbers = ("below", "within", "above")

    def _reversed(self) -> Posterior:
        """Return the same probabilities with the classifiers exchanged."""
        return replace(self, below=self.above, above=self.below)


def correlated_t(a: Any, b: Any, *, ratio: float | None, rope: float = 0.01) -> Posterior:
    """Return Corani and Benavoli's Bayesian correlated t test over the folds of one data set.

    With a flat prior the mean difference has Student's distribution with n - 1 degrees of
    freedom, the mean of the n differences, and the scale sqrt((1/n + ratio) s²): the numbers of
    the corrected resampled t, read as probabilities of the difference itself.

    Parameters
    ----------
    a, b : array of float, shape (n,)
        Values of the two classifiers on the same folds.
    ratio : float or None
        Test rows over training rows of a fold; rho / (1 - rho) of the paper with rho the share of
        test rows. None where it is not known, which is then the reason why there are no numbers.
    rope : float
        The largest difference that does not matter, in units of the metric.

    Returns
    -------
    Posterior
        With a reason in place of numbers where the differences have no spread.

    Raises
    ------
    InputError
        As :func:`~tallymark.infer.corrected_t.corrected_t`.

    Source: corani2015.

    Examples
    --------
    >>> p = correlated_t([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.85, 0.85], ratio=1 / 3)
    >>> round(p.below, 4), round(p.within, 4), round(p.above, 4)
    (0.0708, 0.0524, 0.8767)

    """
    from scipy.special import stdtr

    d = differences(a, b)
    mean, scale, reason = mean_and_error(d, ratio)
    below = within = above = math.nan
    if not reason:
        below = float(stdtr(len(d) - 1, (-rope - mean) / scale))
        above = float(stdtr(len(d) - 1, (mean - rope) / scale))
        within = max(1 - below - above, 0.0)
    return Posterior("Bayesian correlated t", below, within, above, rope, len(d), 0, 0, reason)
