"""Truth against the log odds of probabilities: a line through them, by greatest likelihood."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark import _kernels
from tallymark.metric.registry import ratio
from tallymark.tally.along import bend_sums
from tallymark.tally.scores import Ranking
from tallymark.tally.walk import ends


def _clipped(log_odds: Any, clip: float) -> Any:
    """Return log odds, those of probabilities at least ``clip`` from 0 and 1."""
    if not clip:
        return log_odds
    # Clipped as log odds: 1 - clip would be 1 for a clip that 1 cannot tell from 0.
    most = math.log1p(-clip) - math.log(clip)
    return np.clip(log_odds, -most, most)


def _ends(r: Ranking, places: tuple[Any, Any], clip: float) -> tuple[Any, Any]:
    """Return the least and the greatest log odds, at the first and the last place with rows."""
    found = []
    for place, none in zip(places, (np.inf, -np.inf), strict=True):
        if r.few:
            found.append(none if place < 0 else _clipped(r.log_odds[place], clip))
            continue
        p = r.scores[place] if len(r.scores) else np.full(place.shape, 0.5)
        x = _clipped(np.log(p) - np.log1p(-p), clip)
        found.append(np.where(place < 0, none, x))
    return found[0], found[1]


def separated(r: Ranking, clip: float) -> Any:
    """Return 1 where every positive scores at least as high as every negative, -1 the reverse."""
    (low1, high1), (low0, high0) = (_ends(r, ends(v), clip) for v in (r.pos, r.neg))
    return np.where(low1 >= high0, 1, np.where(low0 >= high1, -1, 0))


def same_probability(r: Ranking, clip: float) -> Any:
    """Return whether all rows have the same probability."""
    low, high = _ends(r, r.ends, clip)
    return low == high


_STEPS = 200
_NEAR = 1e-12
_NEAR_STEPS = 8
_NEAR_ENOUGH = 1e-6
_BLOCKS = 1 << 16


def _finite(x: Any) -> Any:
    return np.where(np.isfinite(x), x, 0.0)  # such rows have no weight or are refused as certain


def _expit(x: Any) -> Any:
    return ratio(1.0, 1 + np.exp(-x))


def _columns(r: Ranking) -> tuple[Any, Any]:
    return np.ascontiguousarray(r.pos), np.ascontiguousarray(r.neg)


def intercept(r: Ranking, clip: float) -> Any:
    """Return a of logit(positive) ~ a + x, x the log odds."""
    if r.long:
        found, _ = r.kept(_refined, clip=clip)
        if math.isfinite(found):
            return np.asarray(found)
    return balanced(r, _clipped(r.log_odds, clip))


def balanced(r: Ranking, x: Any) -> Any:
    """Return a of logit(positive) ~ a + x: Newton's method, halving an interval where it strays."""
    if not len(x):
        return np.full(r.pos.shape[:-1], math.nan)
    x = _finite(x)
    first, last = r.ends
    least, most = x[first], x[last]
    at = np.log(ratio(r.positives, r.negatives))
    low, high = np.asarray(at - most), np.asarray(at - least)
    if r.few:
        return np.float64(_kernels.balance(x, *_columns(r), float(low), float(high)))
    a = low + (high - low) / 2
    before = high - low
    for _ in range(_STEPS):
        up, down = _expit(a[..., None] + x), _expit(-a[..., None] - x)
        slack = (r.pos * down - r.neg * up).sum(-1)
        low, high = np.where(slack > 0, a, low), np.where(slack < 0, a, high)
        step = ratio(slack, ((r.pos + r.neg) * up * down).sum(-1))
        usable = (low <= a + step) & (a + step <= high) & (2 * np.abs(step) <= np.abs(before))
        step = np.where(usable, step, low + (high - low) / 2 - a)
        a, before = a + step, step
        if not (np.abs(step) > _NEAR * (1 + np.abs(a))).any():
            break
    return a


def _blocks(r: Ranking) -> Ranking:
    """Return a long ranking with neighbouring groups put together, to start from."""
    count = min(_BLOCKS, len(r.scores) // 2)
    starts = np.linspace(0, len(r.scores), count, endpoint=False).astype(np.intp)
    middle = (starts + np.append(starts[1:], len(r.scores))) // 2
    return Ranking(r.scores[middle], *(np.add.reduceat(v, starts) for v in (r.pos, r.neg)))


def _refined(r: Ranking, clip: float) -> tuple[Any, Any]:
    """Return a of a + x and a, b of a + b·x of a long ranking; NaN where they were not found near.

    From the fit of blocks of groups Newton's steps square the distance: after one of 1e-6 what is
    left is rounding. Both lines take their steps together.
    """
    blocks = r.kept(_blocks)
    lines = np.array(
        [[float(intercept(blocks, clip)), 1.0], [float(v) for v in line(blocks, clip)]]
    )
    most = math.log1p(-clip) - math.log(clip) if clip else math.inf
    widest = max(abs(_finite(float(v))) for v in _ends(r, r.ends, clip))
    lines = np.where(np.isfinite(lines), lines, 0.0)
    for _ in range(_NEAR_STEPS):
        e, ex, w, wx, wxx = bend_sums(r, lines, most).T
        with np.errstate(all="ignore"):
            middle = wx / w
            db = np.array([0.0, ((ex - middle * e) / (wxx - middle * wx))[1]])
            moved = np.stack([e / w - db * middle, db], -1)
        lines = lines + moved
        if not (np.abs(moved) @ [1.0, widest] > _NEAR_ENOUGH).any():
            break
        if not (np.abs(moved) @ [1.0, widest] < 1.0).all():
            return np.nan, (np.nan, np.nan)
    return lines[0, 0], tuple(lines[1])


def line(r: Ranking, clip: float) -> tuple[Any, Any]:
    """Return a, b of logit(positive) ~ a + b·x: Newton's method, with steps that lower the loss."""
    if r.long:
        _, found = r.kept(_refined, clip=clip)
        if all(map(math.isfinite, found)):
            return np.asarray(found[0]), np.asarray(found[1])
    if r.few:
        x = _finite(_clipped(r.log_odds, clip))
        odds = float(np.log(ratio(r.positives, r.negatives)))
        return tuple(map(np.float64, _kernels.fit_line(x, *_columns(r), odds)))  # type: ignore[return-value]
    rows = r.pos + r.neg
    # Centred and scaled, so that both coefficients are told apart.
    x = _finite(_clipped(r.log_odds, clip))
    centre = ratio((rows * x).sum(-1), r.total)
    x = x - centre[..., None]
    scale = np.sqrt(ratio((rows * x**2).sum(-1), r.total))
    z = ratio(x, scale[..., None])

    def looked_at(a: Any, b: Any) -> tuple[Any, Any, Any]:
        """Return the loss, the log odds and e^-|log odds|, the one exponential of a step."""
        eta = a[..., None] + b[..., None] * z
        small = np.exp(-np.abs(eta))
        # ln(1 + e^-eta) for a positive, ln(1 + e^eta) for a negative.
        each = np.where(eta > 0, r.neg, r.pos)
        each *= np.abs(eta)
        each += rows * np.log1p(small)
        return each.sum(-1), eta, small

    a, b = np.log(ratio(r.positives, r.negatives)), np.zeros(rows.shape[:-1])
    now, eta, small = looked_at(a, b)
    for _ in range(_STEPS):
        # The chances of the likelier and of the other class.
        likely = 1 / (1 + small)
        other = small * likely
        w = rows * likely
        w *= other
        error = np.where(eta > 0, r.pos * other - r.neg * likely, r.pos * likely - r.neg * other)
        flat = w.sum(-1)
        # Around the mean of the rows that still bend, where both steps part.
        middle = ratio((w * z).sum(-1), flat)
        off = z - middle[..., None]
        step_b = ratio((error * off).sum(-1), (w * off**2).sum(-1))
        step_a = ratio(error.sum(-1), flat) - step_b * middle
        size = np.ones_like(b)
        for _ in range(_STEPS):
            then, eta, small = looked_at(a + size * step_a, b + size * step_b)
            worse = then > now * (1 + _NEAR)
            if not worse.any():
                break
            size = np.where(worse, size / 2, size)
        a, b, now = a + size * step_a, b + size * step_b, then
        if not (np.abs(step_b) > _NEAR * (1 + np.abs(b))).any():
            break
    sloped = ratio(b, scale)
    return a - sloped * centre, sloped
