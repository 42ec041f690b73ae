"""Compute the random-effects mean of a metric over studies or sites, and its heterogeneity.

The model is on the logit scale: each study's estimate varies about its true value by sampling
error, and the true values vary about their mean with variance τ². τ² is estimated by restricted
maximum likelihood (Viechtbauer 2005); its interval inverts the generalised Q statistic
(Viechtbauer 2007). The mean has the Hartung-Knapp interval, with a standard error never below the
usual one (Röver, Knapp and Friede 2015). The prediction interval follows Higgins, Thompson and
Spiegelhalter (2009).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.infer.samples import critical_value
from tallymark.listing import Listing
from tallymark.metric.measure import Value
from tallymark.tables import metric_row
from tallymark.tally.arrays import Floats

METHOD = "random effects (REML), logit scale, Hartung-Knapp"

FEW_STUDIES = 5
"""With fewer studies, the estimate of the variance between them is unreliable."""

HALF = 0.5
"""Continuity correction: added to both counts of a study if one is 0, to keep its logit finite."""

_HALVINGS = 100


class RandomEffects(NamedTuple):
    """The random-effects mean and heterogeneity of several effects, of any leading shape.

    ``predicted`` are the bounds of the effect of a new study; ``tau2`` is the variance between
    studies, ``i2`` its share of the variance of a typical study, and ``q`` Cochran's statistic with
    its p-value. NaN where there are too few studies.
    """

    studies: Any
    mean: Floats
    error: Floats
    bounds: tuple[Floats, Floats]
    predicted: tuple[Floats, Floats]
    tau2: Floats
    tau2_bounds: tuple[Floats, Floats]
    i2: Floats
    i2_bounds: tuple[Floats, Floats]
    q: Floats
    p_value: Floats


@np.errstate(all="ignore")
def random_effects(effects: Any, variances: Any, *, level: float = 0.95) -> RandomEffects:
    """Return the random-effects mean of effects [..., study] with known variances.

    Parameters
    ----------
    effects, variances : array [..., k]
        NaN for a study without the effect.
    level : float
        Confidence level of all intervals.

    Sources: viechtbauer2005, viechtbauer2007, roever2015, higgins2002, higgins2009.

    Examples
    --------
    >>> found = random_effects([0.1, 0.9, 0.5, 1.4], [0.04, 0.05, 0.1, 0.06])
    >>> found.mean.round(4).item(), found.tau2.round(4).item()
    (0.7223, 0.2654)

    """
    from scipy.special import chdtrc, chdtri

    y, v = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in (effects, variances)))
    present = np.isfinite(y) & np.isfinite(v)
    y, v, k = np.where(present, y, 0.0), np.where(present, v, 1.0), present.sum(-1)
    df = np.where(k > 1, k - 1.0, np.nan)

    def weights(tau2: Any) -> Floats:
        return np.where(present, 1 / (v + np.asarray(tau2)[..., None]), 0.0)

    def mean(w: Floats) -> Floats:
        return np.asarray((w * y).sum(-1) / w.sum(-1))

    def spread(w: Floats, power: int = 1) -> Floats:
        return np.asarray((w**power * (y - mean(w)[..., None]) ** 2).sum(-1))

    def score(tau2: Floats) -> Floats:
        """Return twice the derivative of the restricted log likelihood in τ²."""
        w = weights(tau2)
        return np.asarray(spread(w, 2) - (w.sum(-1) - (w**2).sum(-1) / w.sum(-1)))

    def excess(target: Floats, tau2: Floats) -> Floats:
        """Return the generalised Q statistic minus a target."""
        return spread(weights(tau2)) - target

    equal = np.where(present, 1.0, 0.0)
    most = np.maximum(np.where(present, v, 0.0).max(-1), 4 * spread(equal) / df)
    tau2 = np.where(k > 1, _root(score, most), np.nan)
    first, w = weights(np.zeros(k.shape)), weights(tau2)
    q = spread(first)
    ends = []
    for above in ((1 - level) / 2, (1 + level) / 2):
        target = np.asarray(chdtri(df, above))
        ends.append(_root(partial(excess, target), spread(equal) / target))
    typical = df * first.sum(-1) / (first.sum(-1) ** 2 - (first**2).sum(-1))
    error = np.sqrt(np.maximum(spread(w) / df, 1.0) / w.sum(-1))
    middle = mean(w)
    half = critical_value(level, np.fmax(df, 1.0)) * error
    # The prediction interval has one degree of freedom less, so it needs three studies.
    degrees = np.where(k > 2, df - 1, np.nan)
    wide = critical_value(level, np.fmax(degrees, 1.0)) * np.sqrt(tau2 + error**2) + 0 * degrees
    low, high = (np.where(k > 1, t, np.nan) for t in ends)
    return RandomEffects(
        k,
        np.where(k > 1, middle, np.nan),
        error,
        (middle - half, middle + half),
        (middle - wide, middle + wide),
        tau2,
        (low, high),
        tau2 / (tau2 + typical),
        (low / (low + typical), high / (high + typical)),
        np.where(k > 1, q, np.nan),
        chdtrc(df, q),
    )


def _root(falls: Callable[[Floats], Floats], most: Floats) -> Floats:
    """Return the root in [0, ``most``] of a decreasing function; 0 where it starts below 0."""
    low, high = np.zeros(most.shape), most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = falls(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(falls(np.zeros(most.shape)) > 0, high, 0.0)


@dataclass(frozen=True, slots=True, repr=False)
class Heterogeneity(Display):
    """A metric over studies, sites or other subgroups: its mean and how much it varies.

    Returned by :meth:`.Subgroups.heterogeneity`. ``mean`` is the random-effects mean over
    ``studies``, the number of studies on which the metric is defined; ``pooled`` is the value on
    all rows together. ``predicted`` are the bounds of the true value in a new study. ``tau2`` is
    the variance between studies on the logit scale, ``i2`` its share of the variance of a typical
    study, and ``q`` Cochran's statistic with ``p_value``. ``corrected`` is the number of studies
    with a 0 among the two counts of the metric; half a row was added to both of these counts.
    """

    metric: str
    studies: int
    mean: Value
    pooled: Value
    predicted: tuple[float, float]
    tau2: float
    tau2_bounds: tuple[float, float]
    i2: float
    i2_bounds: tuple[float, float]
    q: float
    p_value: float
    corrected: int
    level: float

    def table(self) -> Listing:
        """Return the mean over studies with its prediction interval, and the pooled value."""
        low, high = self.predicted
        mean = {
            "of": "studies",
            "predicted_low": low,
            "predicted_high": high,
            "tau2": self.tau2,
            "i2": self.i2,
            "q": self.q,
            "p_value": self.p_value,
        }
        pooled = {"of": "pooled rows"} | dict.fromkeys([*mean][1:], math.nan)
        return Listing(
            tuple(
                facts | metric_row(self.metric, value)
                for facts, value in ((mean, self.mean), (pooled, self.pooled))
            )
        )

    @classmethod
    def _of_proportion(
        cls, pooled: Value, hits: Floats, rows: Floats, *, level: float = 0.95
    ) -> Heterogeneity:
        """Return the result for a proportion, from hits and rows (S,); skip studies without rows.

        Raises
        ------
        InputError
            Fewer than two studies with rows.

        """
        some = rows > 0
        if some.sum() < 2:
            defined = f"{pooled.metric} is defined in {int(some.sum())} of {len(rows)} subgroups"
            raise InputError(f"{defined}; heterogeneity needs two")
        hits, misses = hits[some], (rows - hits)[some]
        ends = (hits <= 0) | (misses <= 0)
        hits, misses = hits + HALF * ends, misses + HALF * ends
        effects = random_effects(np.log(hits / misses), 1 / hits + 1 / misses, level=level)

        def share(logit: Any) -> float:
            return float(1 / (1 + np.exp(-logit)))

        mean, few = share(effects.mean), int(effects.studies) < FEW_STUDIES
        warning = f"heterogeneity is uncertain with fewer than {FEW_STUDIES} studies"
        low, high = map(share, effects.bounds)
        value = Value(
            pooled.metric,
            mean,
            low,
            high,
            level,
            METHOD,
            warning=warning if few else None,
            definition=pooled.definition,
            se=mean * (1 - mean) * float(effects.error),
        )
        least, most = map(share, effects.predicted)
        differ = ("tau2", "tau2_bounds", "i2", "i2_bounds", "q", "p_value")
        facts = {name: np.asarray(getattr(effects, name)).tolist() for name in differ}
        facts |= {name: tuple(v) for name, v in facts.items() if isinstance(v, list)}
        return cls(
            pooled.metric,
            int(effects.studies),
            value,
            pooled,
            (least, most),
            corrected=int(ends.sum()),
            level=level,
            **facts,
        )
