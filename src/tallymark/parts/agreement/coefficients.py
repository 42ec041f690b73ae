"""Agreement among many raters, from a tally of ratings: some may be missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark import InputError, Value
from tallymark.core import (
    NUMBERS,
    TEXT,
    Display,
    Floats,
    Listing,
    are_numbers,
    checked,
    is_alphabetical,
    listed,
    made_by,
    many,
    one_of,
)

if TYPE_CHECKING:
    from tallymark.parts.agreement.tally import RatingTally

WEIGHTS = ("nominal", "ordinal", "linear", "interval", "ratio")


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Display):
    """The coefficients of a tally of ratings."""

    tally: RatingTally
    values: tuple[Value, ...]

    def table(self) -> Listing:
        """Return a row a coefficient."""
        names = ("value", "low", "high", "level", "se", "method", "reason", "warning")
        rows = ({"coefficient": v.metric} | {n: getattr(v, n) for n in names} for v in self.values)
        return Listing(tuple(rows))


def agreement(tally: RatingTally, weights: Any, level: float) -> Agreement:
    """Return all coefficients of agreement of a tally."""
    values = (agree(tally, name, weights=weights, level=level) for name in COEFFICIENTS)
    return Agreement(tally, tuple(values))


@checked(
    tally=made_by("what tallymark.RatingTally makes", "RatingTally"),
    coefficient=TEXT,
)
def agree(
    tally: RatingTally,
    coefficient: str = "krippendorff_alpha",
    *,
    weights: Any = "nominal",
    level: float = 0.95,
) -> Value:
    """Return a coefficient of agreement with its standard error and interval.

    Parameters
    ----------
    tally : RatingTally
        Counts [subject, category]; subjects may have different numbers of ratings.
    coefficient : {"percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"}
        All are (pa - pe) / (1 - pe) with pa the weighted agreement of pairs of ratings within
        subjects, and differ in the chance agreement pe; of percent agreement it is 0. Fleiss'
        kappa of unequal numbers of ratings is Gwet's generalisation.
    weights : {"nominal", "ordinal", "linear", "interval", "ratio"} or K x K table
        How much a pair of categories agrees, from 1 on the diagonal to 0: only equal ones
        ("nominal"); by ranks and their frequencies ("ordinal", Krippendorff's); by distance
        ("linear") or its square ("interval"); by (a - b)²/(a + b)² ("ratio"). The last three use
        numeric categories as numbers and others by their position. Where that is the position in
        the alphabet, the value's ``warning`` says so.
    level : float
        Of the interval, which is Student's t over subjects, kept within -1 and 1.

    Returns
    -------
    Value
        ``se`` is the linearised standard error over subjects with fixed raters (Gwet 2014): how the
        number would vary with other subjects, not with other raters. Weights are taken as known.
        NaN with a reason where all ratings are of one category, or no subject has two.
        Sources: fleiss1971, krippendorff2011, gwet2008.

    Raises
    ------
    InputError
        An unknown coefficient or weights, a table of the wrong shape.

    Examples
    --------
    >>> import tallymark as tm
    >>> t = tm.RatingTally.from_arrays([[1, 1, 2], [2, 2, 2], [1, 1, 1], [3, 3, 2], [1, 2, 1]])
    >>> print(tm.agree(t, "gwet_ac1"))
    0.43 (95 % CI −0.26 to 1.00), SE 0.25

    """
    one_of(*COEFFICIENTS).of("coefficient", coefficient)
    table = _weights(tally, weights)
    definition = {
        "weights": weights if isinstance(weights, str) else "own",
        "subjects": tally.rows,
        "ratings": float(tally.counts.sum()),
    }

    def undefined(reason: str) -> Value:
        return Value(coefficient, math.nan, reason=reason, definition=definition)

    if not (tally.counts.sum(1) >= 2).any():
        return undefined("no subject has two ratings")
    if coefficient != "percent_agreement" and (tally.counts.sum(0) > 0).sum() < 2:
        return undefined("all ratings are of one category")
    value, rows = COEFFICIENTS[coefficient](tally.counts, table)
    value = float(value)
    if math.isnan(value):
        return undefined("the agreement expected by chance is 1")
    n, warning = len(rows), "; ".join(_warnings(tally, weights)) or None
    if n < 2:
        alone = "no interval: one subject"
        return Value(coefficient, value, method=alone, warning=warning, definition=definition)
    error = math.sqrt(float(((rows - value) ** 2).sum()) / (n * (n - 1)))
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    return Value(
        coefficient,
        value,
        low=max(value - half, 0.0 if coefficient == "percent_agreement" else -1.0),
        high=min(value + half, 1.0),
        level=level,
        method="linearised over subjects, Student's t",
        warning=warning,
        definition=definition,
        se=error if error > 0 else None,
    )


# -- weights -----------------------------------------------------------------------------------


def _weights(tally: RatingTally, weights: Any) -> Floats:
    """Return how much each pair of categories agrees: 1 on the diagonal, 0 the least."""
    k = len(tally.labels)
    if not isinstance(weights, str):
        table: Floats = NUMBERS.of("weights", weights)
        if table.shape != (k, k):
            raise InputError(
                f"weights has shape {table.shape} and there are {k} categories; give {k} x {k}"
            )
        if not (np.isfinite(table).all() and (np.diag(table) == 1).all() and (table <= 1).all()):
            raise InputError("weights are agreements: finite, 1 on the diagonal, none above 1")
        return table
    one_of(*WEIGHTS).of("weights", weights)
    if weights == "nominal":
        return np.eye(k)
    values = _numbers(tally)
    if weights == "ordinal":
        distance = _rank_distance(tally, values)
    elif weights == "ratio":
        if (values < 0).any():
            raise InputError("weights='ratio' needs categories that are numbers, none below 0")
        with np.errstate(invalid="ignore"):
            share = np.subtract.outer(values, values) / np.add.outer(values, values)
        distance = np.nan_to_num(share) ** 2
    else:
        distance = np.abs(np.subtract.outer(values, values)) ** (1 if weights == "linear" else 2)
    most = float(distance.max(initial=0.0))
    return 1 - distance / most if most else np.eye(k)


def _numbers(tally: RatingTally) -> Floats:
    """Return numeric categories as numbers, others as their positions."""
    if are_numbers(tally.labels):
        return np.array(list(map(float, tally.labels)))
    return np.arange(len(tally.labels), dtype=np.float64)


def _warnings(tally: RatingTally, weights: Any) -> Iterator[str]:
    """Yield warnings of categories in alphabetical order and of excluded subjects."""
    by_order = isinstance(weights, str) and weights != "nominal"
    if by_order and is_alphabetical(tally.labels):
        yield (
            f"the order of the categories is alphabetical ({listed(tally.labels)}); if theirs is "
            "another one, give it with tally.reorder([...])"
        )
    if tally.left_out:
        yield (
            f"{many(tally.left_out, 'subject')} with another number of ratings left out; "
            "counts=True keeps all"
        )


def _rank_distance(tally: RatingTally, values: Floats) -> Floats:
    """Return Krippendorff's ordinal distance: the ratings between two categories, squared."""
    paired = tally.counts[tally.counts.sum(1) >= 2].sum(0)
    order = np.argsort(values, kind="stable")
    middle = np.empty(len(values))
    middle[order] = np.cumsum(paired[order]) - paired[order] / 2
    return np.asarray(np.subtract.outer(middle, middle) ** 2)


# -- coefficients: the value, and each subject's contribution to it ----------------------------


def _pairs(counts: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each subject's ratings, its weighted agreement of pairs, and whether it has a pair."""
    ratings = counts.sum(1)
    agreeing = (counts * (counts @ w.T - 1)).sum(1)
    several = ratings >= 2
    share = np.where(several, agreeing / np.where(several, ratings * (ratings - 1), 1), 0.0)
    return ratings, share, several


def _percent(counts: Floats, w: Floats) -> tuple[float, Floats]:
    ratings, share, several = _pairs(counts, w)
    rows = share * (len(ratings) / several.sum())
    return float(share[several].mean()), rows


def _beyond(
    counts: Floats, w: Floats, chance: Callable[[Floats], tuple[float, Floats]]
) -> tuple[float, Floats]:
    """Return a coefficient whose chance agreement is a function of the categories' mean shares.

    ``chance`` returns that agreement, and half its derivative with respect to the shares.
    """
    rated = counts.sum(1) > 0
    counts = counts[rated]
    ratings, share, several = _pairs(counts, w)
    pe, slope = chance((counts / ratings[:, None]).mean(0))
    if pe >= 1:
        return math.nan, share
    value = (float(share[several].mean()) - pe) / (1 - pe)
    influence = (counts @ slope) / ratings
    rows = len(ratings) / several.sum() * (share - pe * several) / (1 - pe)
    return value, rows - 2 * (1 - value) * (influence - pe) / (1 - pe)


def _fleiss(counts: Floats, w: Floats) -> tuple[float, Floats]:
    def chance(shares: Floats) -> tuple[float, Floats]:
        return float(shares @ w @ shares), (w @ shares + w.T @ shares) / 2

    return _beyond(counts, w, chance)


def _gwet(counts: Floats, w: Floats) -> tuple[float, Floats]:
    k = counts.shape[1]
    scale = float(w.sum()) / (k * (k - 1))

    def chance(shares: Floats) -> tuple[float, Floats]:
        return scale * float((shares * (1 - shares)).sum()), scale * (1 - shares)

    return _beyond(counts, w, chance)


def _krippendorff(counts: Floats, w: Floats) -> tuple[float, Floats]:
    counts = counts[counts.sum(1) >= 2]
    ratings, share, _ = _pairs(counts, w)
    mean = ratings.mean()
    small = 1 / ratings.sum()  # corrects for pairs drawn without replacement
    shares = counts.sum(0) / ratings.sum()
    pe = float(shares @ w @ shares)
    if pe >= 1:
        return math.nan, share
    agreed = share * ratings / mean
    pa = (1 - small) * float(agreed.mean()) + small
    value = (pa - pe) / (1 - pe)
    uneven = (ratings - mean) / mean
    influence = (counts @ ((w @ shares + w.T @ shares) / 2)) / mean - pe * uneven
    rows = ((1 - small) * (agreed - agreed.mean() * uneven) + small - pe) / (1 - pe)
    return value, rows - 2 * (1 - value) * (influence - pe) / (1 - pe)


COEFFICIENTS: Mapping[str, Callable[[Floats, Floats], tuple[float, Floats]]] = {
    "percent_agreement": _percent,
    "fleiss_kappa": _fleiss,
    "krippendorff_alpha": _krippendorff,
    "gwet_ac1": _gwet,
}
"""The coefficients, by name."""
