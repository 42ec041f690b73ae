"""Agreement beyond chance, each with its own idea of chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.metric.matrix import ABSENT_CLASS, NO_ROWS, ONE_CLASS, agreement, misses
from tallymark.metric.registry import metric, ratio
from tallymark.tally.labels import Counts


def _shares(m: Any) -> tuple[Any, Any]:
    """Return the share of rows off the diagonal, and the mean share of each class."""
    total = m.sum((-2, -1))
    off = misses(m)
    return ratio(off, total), ratio((m.sum(-1) + m.sum(-2)) / 2, total[..., None])


@metric(
    title="Bennett's S",
    formula="(K·pₒ - 1) / (K - 1)",
    needs="matrix",
    range=(-1, 1),
    better="high",
    chance=0.0,
    aliases=("PABAK", "Brennan-Prediger", "prevalence and bias adjusted kappa"),
    undefined={**NO_ROWS, **ONE_CLASS},
    misleads="Classes that hardly occur make chance agreement seem small: naming them in labels "
    "raises it.",
    relatives=("accuracy", "cohen_kappa", "gwet_ac1"),
    sources=("bennett1954", "byrt1993"),
)
def bennett_s(m: Any) -> Any:
    """Agreement beyond what guessing every class equally often would bring.

    For two classes 2·accuracy - 1: it orders classifiers exactly as accuracy does.

    >>> import tallymark as tm
    >>> tm.metrics.pabak([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    k = m.shape[-1]
    off, _ = _shares(m)
    return 1 - ratio(off * k, k - 1)


@metric(
    title="Gwet's AC1",
    formula="(pₒ - pₑ) / (1 - pₑ), pₑ = Σ πₖ(1 - πₖ) / (K - 1), πₖ the mean share of class k",
    needs="matrix",
    range=(-1, 1),
    better="high",
    chance=0.0,
    aliases=("AC1",),
    undefined={**NO_ROWS, **ONE_CLASS},
    misleads="Where one class has nearly all rows its chance agreement goes to 0, so that it comes "
    "close to plain accuracy.",
    relatives=("cohen_kappa", "scott_pi", "bennett_s"),
    sources=("gwet2008",),
)
def gwet_ac1(m: Any) -> Any:
    """Agreement beyond chance, where only rows that are hard to classify are guessed.

    It does not fall, as kappa does, merely because one class is frequent.

    >>> import tallymark as tm
    >>> round(tm.metrics.gwet_ac1([1, 1, 0, 0, 0], [1, 0, 0, 0, 0]), 4)
    0.6552
    """
    off, share = _shares(m)
    expected = ratio((share * (1 - share)).sum(-1), m.shape[-1] - 1)
    return 1 - ratio(off, 1 - expected)


def _one_category(m: Any) -> Any:
    return ((m.sum(-1) + m.sum(-2)) > 0).sum(-1) <= 1


@metric(
    title="Krippendorff's alpha",
    formula="1 - observed / expected disagreement, among 2T labels, nominal",
    needs="matrix",
    range=(-1, 1),
    better="high",
    chance=0.0,
    undefined={"all labels, true and predicted, are of one class": _one_category},
    misleads="As kappa, it is low where one class is frequent, however few the errors. It counts "
    "rows: weights that do not sum to a number of rows shift it.",
    relatives=("scott_pi", "cohen_kappa", "gwet_ac1"),
    sources=("krippendorff2011",),
)
def krippendorff_alpha(m: Any) -> Any:
    """Agreement beyond chance of truth and prediction taken as two raters without names.

    Scott's pi with a correction for few rows. For more raters, ordered classes and missing
    ratings see :mod:`tallymark.metric.agreement`.

    >>> import tallymark as tm
    >>> round(tm.metrics.krippendorff_alpha([1, 1, 0, 0], [1, 0, 0, 0]), 4)
    0.5333
    """
    labels = m.sum(-1) + m.sum(-2)
    off = misses(m)
    n = labels.sum(-1)
    # Pairs of labels of different classes, added up without subtracting nearly equal numbers.
    others = np.where(agreement(m.shape[-1]), 0.0, labels[..., None, :]).sum(-1)
    pairs = (labels * others).sum(-1)
    return 1 - ratio(np.where(n.real > 1, n - 1, 0.0) * 2 * off, pairs)


@metric(
    title="Adjusted balanced accuracy",
    formula="(balanced accuracy - 1/K) / (1 - 1/K)",
    needs="matrix",
    range=(-1, 1),
    better="high",
    chance=0.0,
    undefined=ABSENT_CLASS,
    misleads="As balanced accuracy: it says nothing about precision where positives are rare.",
    relatives=("balanced_accuracy", "youden_j"),
    sources=("tharwat2018",),
)
def adjusted_balanced_accuracy(m: Any) -> Any:
    """Balanced accuracy on a scale where guessing is 0; of two classes Youden's J.

    >>> import tallymark as tm
    >>> tm.metrics.adjusted_balanced_accuracy([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    0.5
    """
    k = m.shape[-1]
    hits = m.diagonal(0, -2, -1)
    return ratio(ratio(hits, m.sum(-1)).sum(-1) - 1, k - 1)


@metric(
    title="Equitable threat score",
    formula="(TP - e) / (TP + FP + FN - e), e = (TP + FP)(TP + FN)/T",
    needs="counts",
    range=(-1 / 3, 1),
    better="high",
    chance=0.0,
    aliases=("ETS", "Gilbert skill score"),
    undefined={
        "no row is wrong and all are of one class, 0/0": lambda c: (
            (c.fp == 0) & (c.fn == 0) & ((c.tp == 0) | (c.tn == 0))
        )
    },
    misleads="It moves with the prevalence; its values for events of different rarity do not "
    "compare.",
    relatives=("jaccard", "cohen_kappa"),
    sources=("gilbert1884", "schaefer1990"),
)
def equitable_threat_score(c: Counts) -> Any:
    """Jaccard index beyond the hits that chance would bring; kappa / (2 - kappa).

    >>> import tallymark as tm
    >>> round(tm.metrics.ets([1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]), 6)
    0.2
    """
    # Multiplied out, so that the denominator is a sum and 0 only where it should be.
    beyond = c.tp * c.tn - c.fp * c.fn
    whole = c.tp * c.tn + (c.tp + c.tn) * (c.fp + c.fn) + c.fp**2 + c.fp * c.fn + c.fn**2
    return ratio(beyond, whole)
