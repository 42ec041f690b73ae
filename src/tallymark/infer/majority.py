"""What always naming the most frequent class achieves, and who does better than that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tallymark.data import Model
from tallymark.display import Display
from tallymark.tally.arrays import Label


@dataclass(frozen=True, slots=True, repr=False)
class NoInformation(Display):
    """What always naming the most frequent class achieves.

    ``p_values``, by model: the chance of an accuracy at least as high if the true accuracy were
    ``rate`` (one-sided exact binomial); None for weighted rows.
    """

    label: Label
    rate: float
    p_values: Mapping[str, float | None]


def no_information(models: Sequence[Model], exact: bool = True) -> NoInformation:
    """Return the share of the most frequent class, and each model's p-value against it.

    Without ``exact`` there are none: the binomial test is of rows that count once.
    """
    support = models[0].labels.counts.sum(1)
    total = float(support.sum())
    i = int(np.argmax(support))
    rate = float(support[i]) / total if total else math.nan
    p_values = {
        m.name: _at_least(float(np.trace(m.labels.counts)), total, rate) if exact else None
        for m in models
    }
    return NoInformation(models[0].labels.labels[i], rate, p_values)


def _at_least(hits: float, rows: float, rate: float) -> float | None:
    """Return the chance of at least so many hits when each row is one with chance ``rate``."""
    if not rows or rate >= 1:
        return None
    if hits <= 0:
        return 1.0
    from scipy.special import betainc

    return float(betainc(hits, rows - hits + 1, rate))
