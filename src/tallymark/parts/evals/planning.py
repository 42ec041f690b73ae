"""Plans of evaluations: how many questions show a difference of two models."""

from __future__ import annotations

import math
from typing import Any

from tallymark import InputError
from tallymark.core import Plan, checked, contract, percent, whole
from tallymark.parts.evals.units import questions_needed, smallest_difference

USUAL_ICC = 0.05
"""A correlation within clusters that is often met, for plans that assume none."""

_SHARE = contract.number("[1e-9, 1)", "a share between 0 and 1, such as 0.15")


@checked(
    difference=_SHARE,
    disagree=_SHARE,
    n=whole(2),
    power=_SHARE,
    alpha=_SHARE,
    clusters=whole(2),
    icc=contract.number("[0, 1]", "a correlation from 0 to 1"),
)
def plan_evals(
    difference: float | None = None,
    disagree: float | None = None,
    *,
    n: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    clusters: int | None = None,
    icc: float | None = None,
) -> Plan:
    """Return how many questions show a difference of two models that answer the same ones.

    Parameters
    ----------
    difference : float
        The difference of their accuracies to show, such as 0.02; with ``n`` it may be left out,
        and the smallest one that n questions show is computed.
    disagree : float
        The share of questions that only one of the two models answers correctly, such as 0.15 from
        a pilot. It is at least the difference.
    n : int, optional
        A number of questions: the plan then says with what power it shows the difference.
    power, alpha : float
        Target power, and size of the two-sided test.
    clusters, icc : optional
        The number of clusters that the questions come in, and the correlation of the differences
        of two questions of a cluster. More questions in the same clusters add less: the design
        effect is 1 + (n / clusters - 1) icc, and t quantiles replace normal ones. Without ``icc``
        the questions of a cluster are taken as independent, and the plan says what a correlation of
        0.05 would change.

    Returns
    -------
    Plan
        The n that solves Connor's equation d √n = z √q + z_power √(q - d²), with the quantiles z
        of 1 - alpha/2 and of the power, the difference d and the disagreement q. Sources:
        connor1987.

    Raises
    ------
    InputError
        No disagreement, a difference above it, clusters that cannot show the difference with any
        number of questions, ``icc`` without ``clusters``.

    Examples
    --------
    >>> plan_evals(0.02, 0.15).n
    2941
    >>> round(plan_evals(disagree=0.2, n=100).assumed["difference"], 4)
    0.1238

    """
    if disagree is None:
        raise InputError(
            "no sample size follows from a difference alone; give the share of questions that only "
            "one of the models solves with disagree=..., such as 0.15 from a pilot"
        )
    if difference is None and n is None:
        raise InputError("there is nothing to plan; give difference=..., n=... or both")
    if clusters is None and icc is not None:
        raise InputError("icc=... is of the questions of a cluster; give clusters=... too")
    if difference is not None and difference > disagree:
        raise InputError(
            f"difference is {difference:g} and disagree {disagree:g}; the accuracies of two models "
            "differ at most by the share of questions on which they disagree"
        )
    unknown, icc = clusters is not None and icc is None, icc or 0.0
    z, z_power = _quantiles(alpha, power, clusters)
    assumed: dict[str, Any] = {"difference": difference, "disagree": disagree, "alpha": alpha}
    if clusters is not None:
        assumed |= {"clusters": clusters, "icc": icc}
    if n is None:
        assert difference is not None
        n = _needed(difference, disagree, z, z_power, clusters, icc)
        reached = power
    elif difference is None:
        difference = smallest_difference(n / _effect(n, clusters, icc), disagree, z, z_power)
        if math.isnan(difference):
            raise InputError(
                f"{n:,} questions show no difference of two models that disagree on "
                f"{percent(disagree)} of them; plan more questions"
            )
        assumed["difference"], reached = difference, power
    else:
        root = math.sqrt(n / _effect(n, clusters, icc))
        spread = math.sqrt(disagree - difference**2)
        shift = (difference * root - z * math.sqrt(disagree)) / spread if spread else math.inf
        reached = _power(shift, clusters)
    claim = (
        f"to show a difference of {100 * difference:.3g} points between two models that disagree "
        f"on {percent(disagree)} of the questions (two-sided at {alpha:g})"
    )
    if unknown:
        claim += _with_correlation(difference, disagree, z, z_power, clusters)
    return Plan(
        "evals", n, None, None, reached, None, assumed, "Connor's formula", "connor1987", claim
    )


def _quantiles(alpha: float, power: float, clusters: int | None) -> tuple[float, float]:
    """Return the quantiles of the test and of its power: of t with clusters, else normal."""
    from scipy.special import ndtri, stdtrit

    if clusters is None:
        return -float(ndtri(alpha / 2)), float(ndtri(power))
    return -float(stdtrit(clusters - 1, alpha / 2)), float(stdtrit(clusters - 1, power))


def _power(shift: float, clusters: int | None) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(shift) if clusters is None else stdtr(clusters - 1, shift))


def _with_correlation(
    difference: float, disagree: float, z: float, z_power: float, clusters: int | None
) -> str:
    """Return what a correlation within clusters would change, for a plan that assumes none."""
    try:
        needed = f"{_needed(difference, disagree, z, z_power, clusters, USUAL_ICC):,} questions"
    except InputError:
        needed = f"more than {clusters:,} clusters"
    return (
        ", if the questions of a cluster are independent (icc 0); with an icc of "
        f"{USUAL_ICC:g} it takes {needed}"
    )


def _effect(n: float, clusters: int | None, icc: float) -> float:
    """Return the design effect of n questions in clusters; 1 without clusters."""
    if clusters is None:
        return 1.0
    return max(1 + (n / clusters - 1) * icc, 1.0)


def _needed(
    difference: float,
    disagree: float,
    z: float,
    z_power: float,
    clusters: int | None,
    icc: float,
) -> int:
    """Return the number of questions n.

    With G clusters it solves n = n₀ (1 + (n / G - 1) icc), where n₀ independent questions suffice.
    """
    independent = questions_needed(difference, disagree, z, z_power)
    if not math.isfinite(independent):
        raise InputError(
            f"difference is {difference:g}, which no number of questions shows; give a larger one"
        )
    if clusters is None or not icc or independent <= clusters:
        return math.ceil(independent)
    rest = 1 - independent * icc / clusters
    if rest <= 0:
        least = math.ceil(independent * icc)
        raise InputError(
            f"{clusters} clusters show no difference of {100 * difference:.3g} points, however "
            f"many questions they hold; plan more than {least:,} clusters"
        )
    return math.ceil(independent * (1 - icc) / rest)
