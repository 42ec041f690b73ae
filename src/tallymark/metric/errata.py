"""Formulas with errors in print: the printed form, its value, and the correct value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tallymark.metric.measure import Value
from tallymark.metric.registry import get
from tallymark.tally.labels import Counts


@dataclass(frozen=True, slots=True)
class Erratum:
    """A formula of the four counts as a source prints it, and the error in it.

    ``value`` takes TP, FP, FN and TN; it may divide by zero or return a complex number.
    """

    metric: str
    source: str
    printed: str
    value: Callable[[float, float, float, float], float]
    wrong: str

    def of(self, c: Counts) -> float:
        """Return the value of the printed formula, NaN if it is not a real number.

        >>> from tallymark.tally.labels import Counts
        >>> round(ERRATA[0].of(Counts(tp=70.0, fp=20.0, fn=30.0, tn=80.0)), 3)
        -1.021
        """
        counts = (float(getattr(c, name)) for name in ("tp", "fp", "fn", "tn"))
        try:
            return self.value(*counts)
        except (ValueError, ZeroDivisionError):
            return math.nan


def _matthews(tp: float, fp: float, fn: float, tn: float) -> float:
    tpr, ppv, n = tp / (tp + fn), tp / (tp + fp), tp + fp + fn + tn
    return (tp / n - tpr * ppv) / math.sqrt(ppv * tpr * (1 - tpr) * (1 - ppv))


def _kappa(tp: float, fp: float, fn: float, tn: float) -> float:
    n = tp + fp + fn + tn
    observed, expected = (tp + tn) / n, (tp + (fp + fn) / 2) / n
    return (observed - expected) / (1 - expected)


def _balance(tp: float, fp: float, fn: float, tn: float) -> float:
    pd, pf = tp / (tp + fn), fp / (fp + tn)
    return 1 - math.sqrt((0 - pf**2) + (1 - pd**2)) / math.sqrt(2)


SHIN = "Shin, Kim & Han 2016"
BLOG = "blog post on kappa, F and ROC"

ERRATA = (
    Erratum(
        "matthews_corrcoef",
        "Tharwat 2018, equation 11, second form",
        "(TP/M - TPR·PPV) / √(PPV·TPR·(1 - TPR)·(1 - PPV)), M = TP + FP + FN + TN",
        _matthews,
        "The form needs the share of positives, P/M, for TPR and the share called positive, "
        "(TP + FP)/M, for PPV.",
    ),
    Erratum(
        "precision",
        f"{SHIN}, the formula of precision",
        "TP / (TP + FN)",
        lambda tp, fp, fn, tn: tp / (tp + fn),
        "This is recall. The text beside it has the right denominator, TP + FP.",
    ),
    Erratum(
        "f1",
        f"{SHIN}, section D",
        "2·TP / (2·TP + FN + FN)",
        lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fn + fn),
        "False negatives are counted twice and false positives left out.",
    ),
    Erratum(
        "cohen_kappa",
        f"{SHIN}, section F",
        "(po - pe) / (1 - pe), po = (TP + TN)/M, pe = (TP + (FP + FN)/2)/M",
        _kappa,
        "Agreement by chance is the sum over both classes of the product of their shares, not the "
        "mean of the two shares of positives.",
    ),
    Erratum(
        "f1",
        f"{BLOG}, last line of the proof",
        "2·TP / (2·TP·FP·FN)",
        lambda tp, fp, fn, tn: 2 * tp / (2 * tp * fp * fn),
        "The denominator is a sum, 2·TP + FP + FN.",
    ),
    Erratum(
        "balance",
        "course chapter on defect prediction",
        "1 - √((0 - pf²) + (1 - pd²)) / √2, pd = TP/(TP + FN), pf = FP/(FP + TN)",
        _balance,
        "The differences are squared, (0 - pf)² + (1 - pd)²; as printed the root may be of a "
        "negative number.",
    ),
)
"""All wrongly printed formulas for two classes in the sources of the metrics."""


def as_printed(c: Counts, values: Callable[[str], Value]) -> Iterator[dict[str, Any]]:
    """Yield one row per formula: source, printed form, its value, the correct value, the error."""
    for e in ERRATA:
        yield {
            "metric": get(e.metric).title,
            "source": e.source,
            "printed": e.printed,
            "as_printed": e.of(c),
            "right": values(e.metric).value,
            "wrong": e.wrong,
        }
