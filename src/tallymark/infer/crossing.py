"""Find where the ROC curves of two models cross, and where a lead is significant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallymark.contract import checked
from tallymark.display import Display, fields_of
from tallymark.tally.arrays import Floats
from tallymark.tally.scores import ScoreCounts

VISIBLE_LEAD = 0.01
"""A smaller lead in the true positive rate is not visible in a plot."""

RATES = np.concatenate([np.arange(1, 100) / 1000, np.arange(20, 200) / 200])
"""False positive rates at which curves are compared; all curves meet at 0 and at 1."""


@dataclass(frozen=True, slots=True)
class Region:
    """False positive rates from ``low`` to ``high`` at which one model leads significantly.

    ``lead`` is the largest lead there in the true positive rate, at the false positive rate
    ``at``; ``bounds`` are those of the simultaneous band at that rate.
    """

    leader: str
    low: float
    high: float
    lead: float
    at: float
    bounds: tuple[float, float]


@checked
@dataclass(frozen=True, slots=True, repr=False)
class Crossing(Display):
    """Two ROC curves that cross.

    ``places`` are the false positive rates at which the lead changes. ``leads`` are the largest
    leads of the first and of the second model in the true positive rate, and ``at`` their false
    positive rates. ``below`` names the model that leads below the first place. ``regions`` are
    where either model leads significantly: there, the simultaneous band of the difference, which
    contains the whole true difference with probability ``level``, excludes 0. ``shown`` means
    that each model leads significantly somewhere, so neither is better everywhere.
    """

    first: str
    second: str
    _places: tuple[float, ...]
    _leads: tuple[float, float]
    at: tuple[float, float]
    below: str
    regions: tuple[Region, ...]
    level: float

    @property
    def shown(self) -> bool:
        """Whether both models lead significantly somewhere."""
        return {r.leader for r in self.regions} == {self.first, self.second}

    def _reversed(self) -> Crossing:
        """Return the crossing with the two models swapped."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            _leads=(self._leads[1], self._leads[0]),
            at=(self.at[1], self.at[0]),
        )

    def _led_by(self, name: str) -> tuple[Region, ...]:
        """Return the regions in which one model leads significantly."""
        return tuple(r for r in self.regions if r.leader == name)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "places": list(self._places),
            "leads": list(self._leads),
            **fields_of(self, "first", "second"),
            "shown": self.shown,
        }


def heights(r: ScoreCounts) -> Floats:
    """Return the true positive rates [..., rate] of ROC curves at :data:`RATES`.

    Points are interpolated linearly. NaN where a class has no rows.

    >>> r = ScoreCounts(np.array([0.2, 0.7]), np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    >>> np.interp([0.25, 0.625], RATES, heights(r)).round(3).tolist()
    [0.75, 0.875]
    """
    return r._cached(_heights)


def _heights(r: ScoreCounts) -> Floats:
    tp, fp = (np.atleast_2d(v) for v in r._cumulative_counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        tpr, fpr = tp / tp[:, -1:], fp / fp[:, -1:]
    # Shift the curves two apart, end to end, so that one pass interpolates all.
    apart = 2.0 * np.arange(len(tpr))[:, None]
    defined = np.isfinite(tpr[:, -1]) & np.isfinite(fpr[:, -1])
    part = slice(None) if defined.all() else defined  # avoid copying curves of 10^7 points
    fpr += apart
    x, at, y = fpr[part], (RATES + apart)[part], tpr[part]
    out = np.full((len(tpr), len(RATES)), np.nan)
    if defined.any():
        out[part] = np.interp(at.ravel(), x.ravel(), y.ravel()).reshape(at.shape)
    return out if np.ndim(r.pos) > 1 else out[0]


def lead_band(
    gap: Floats, deviations: Floats, level: float, least: float | Floats = 0.0
) -> tuple[Floats, Floats]:
    """Return the band that contains a whole difference of curves with probability ``level``.

    gap ± c s, where s is the standard deviation of the draws at each point, and c the quantile over
    draws of their largest distance from the centre in units of s (the "sup-t" band; Montiel Olea
    and Plagborg-Møller 2019). The claim that each model leads somewhere needs the band above 0 at
    one point and below 0 at another; it is false in at most 1 - ``level`` of samples in which one
    model, or none, is better everywhere.

    Parameters
    ----------
    gap : array [..., points]
        The observed difference.
    deviations : array [..., draws, points]
        Deviations of the resampled differences from it; draws with NaN are ignored.
    level : float
        Confidence level of the whole band.
    least : float or array [..., 1]
        Its square is added to that of s: there are few rows near the ends of a curve, and resamples
        vary less there than samples do.

    Source: montielolea2019.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> low, high = lead_band(np.array([0.3, -0.2]), 0.1 * rng.normal(size=(4000, 2)), 0.95)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.08, -0.42], [0.52, 0.02])

    """
    std = np.nanstd if np.isnan(deviations).any() else np.std
    spread = np.sqrt(std(deviations, axis=-2) ** 2 + np.square(least))
    with np.errstate(invalid="ignore"):
        far = (np.abs(deviations) / np.maximum(spread, 1e-300)[..., None, :]).max(-1)
    critical = np.nanquantile(far, level, axis=-1)[..., None]
    return gap - critical * spread, gap + critical * spread


def crossing(
    names: tuple[str, str], gap: Floats, low: Floats, high: Floats, level: float
) -> Crossing | None:
    """Return how two curves cross, from their difference at :data:`RATES` and its band.

    None if one of the models is nowhere visibly ahead.
    """
    ahead = (gap >= VISIBLE_LEAD, gap <= -VISIBLE_LEAD)
    if not (ahead[0].any() and ahead[1].any()):
        return None
    signs = np.where(ahead[0], 1, np.where(ahead[1], -1, 0))
    decided = np.flatnonzero(signs)
    turns = np.flatnonzero(np.diff(signs[decided]))
    pairs = zip(decided[turns].tolist(), decided[turns + 1].tolist(), strict=True)
    best = (int(np.argmax(gap)), int(np.argmin(gap)))
    certain = np.where(ahead[0] & (low > 0), 1, np.where(ahead[1] & (high < 0), -1, 0))
    return Crossing(
        *names,
        tuple(_place(gap, left, right) for left, right in pairs),
        (float(gap[best[0]]), float(-gap[best[1]])),
        (float(RATES[best[0]]), float(RATES[best[1]])),
        names[0] if signs[decided[0]] > 0 else names[1],
        _regions(names, certain, gap, low, high),
        level,
    )


def _place(gap: Floats, left: int, right: int) -> float:
    """Return where the lead changes between two rates, by linear interpolation."""
    k = left + int(np.argmax(gap[left:right] * gap[left + 1 : right + 1] <= 0))
    share = gap[k] / (gap[k] - gap[k + 1]) if gap[k] != gap[k + 1] else 0.0
    return float(RATES[k] + share * (RATES[k + 1] - RATES[k]))


def _regions(
    names: Sequence[str], certain: Any, gap: Floats, low: Floats, high: Floats
) -> tuple[Region, ...]:
    """Return the ranges of rates at which the same model leads significantly."""
    edges = np.flatnonzero(np.diff(certain, prepend=0, append=0))
    regions = []
    for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        sign = int(certain[start])
        if sign:
            k = start + int(np.argmax(sign * gap[start:end]))
            bounds = sorted((float(sign * low[k]), float(sign * high[k])))
            regions.append(
                Region(
                    names[sign < 0],
                    float(RATES[start]),
                    float(RATES[end - 1]),
                    float(sign * gap[k]),
                    float(RATES[k]),
                    (bounds[0], bounds[1]),
                )
            )
    return tuple(regions)


def leads(c: Crossing) -> str:
    """Return in words the false positive rates at which each model leads significantly."""
    leaders: list[str] = []
    for name in dict.fromkeys(r.leader for r in c.regions):
        where = " and ".join(_rates_of(r) for r in c._led_by(name))
        most = max(r.lead for r in c._led_by(name))
        verb = "leads at" if leaders else "leads at false positive rates of"
        leaders.append(f"{name} {verb} {where} (by up to {most:.2g} in sensitivity)")
    return ", ".join(leaders)


def _rates_of(r: Region) -> str:
    return f"{r.low:.3g}" if r.low == r.high else f"{r.low:.3g} to {r.high:.3g}"
