"""Metrics of the costs and the net benefit of decisions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.metric.registry import metric, ratio
from tallymark.metric.threshold import (
    BOTH_CLASSES,
    NO_POSITIVES,
    NO_ROWS,
)
from tallymark.tally.labels import Counts

RATE_UNKNOWN = {
    "no row is truly positive, and a prevalence is given": lambda c, prevalence: (
        (c.positives == 0) & (prevalence is not None)
    ),
    "no row is truly negative, and a prevalence is given": lambda c, prevalence: (
        (c.negatives == 0) & (prevalence is not None)
    ),
}


def check_costs(cost_fp: float, cost_fn: float, prevalence: float | None = None) -> None:
    """Raise InputError if a cost or the prevalence is invalid."""
    for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        if not 0 <= cost < math.inf:
            raise InputError(f"{name} is {cost!r}; give a number, zero or more")
    if cost_fp == cost_fn == 0:
        raise InputError("cost_fp and cost_fn are both 0; one kind of error must cost something")
    if prevalence is not None and not 0 < prevalence < 1:
        raise InputError(f"prevalence is {prevalence!r}; it must lie between 0 and 1")


@metric(
    title="Expected cost",
    formula="π·cFN·FNR + (1 - π)·cFP·FPR; π the prevalence, of these rows unless given",
    range=(0, math.inf),
    better="low",
    aliases=("detection cost", "detection cost function", "DCF", "Bayes risk"),
    undefined={**NO_ROWS, **RATE_UNKNOWN},
    relatives=("normalized_expected_cost", "net_benefit", "error_rate"),
    sources=("drummond2006", "martin1997"),
)
def expected_cost(
    c: Counts, *, cost_fp: float = 1.0, cost_fn: float = 1.0, prevalence: float | None = None
) -> Any:
    """Mean cost of a decision, given the costs of a false alarm and of a miss.

    With both costs 1 and the prevalence of the rows it is the error rate.

    Misleading: It is only as good as the costs you give; compare values at the same costs only.

    >>> import tallymark as tm
    >>> tm.metrics.expected_cost([1, 1, 0, 0, 0], [1, 0, 1, 0, 0], cost_fn=10)
    2.2
    """
    check_costs(cost_fp, cost_fn, prevalence)
    if prevalence is None:
        return ratio(cost_fp * c.fp + cost_fn * c.fn, c.total)
    missed, alarmed = ratio(c.fn, c.positives), ratio(c.fp, c.negatives)
    return prevalence * cost_fn * missed + (1 - prevalence) * cost_fp * alarmed


@metric(
    title="Normalised expected cost",
    formula="expected cost / min(π·cFN, (1 - π)·cFP)",
    range=(0, math.inf),
    better="low",
    chance="1 for the cheaper of calling all or none",
    aliases=("normalized detection cost",),
    undefined=BOTH_CLASSES,
    smooth=False,
    relatives=("expected_cost", "brier_skill_score"),
    sources=("brummer2013",),
)
def normalized_expected_cost(
    c: Counts, *, cost_fp: float = 1.0, cost_fn: float = 1.0, prevalence: float | None = None
) -> Any:
    """Expected cost divided by that of the cheaper constant decision.

    Not what a cost curve shows: Drummond and Holte divide by the cost of being always wrong.

    Misleading: Above 1 the classifier is worse than a constant decision.

    >>> import tallymark as tm
    >>> tm.metrics.normalized_expected_cost([1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    0.5
    """
    if cost_fp == 0 or cost_fn == 0:
        raise InputError("a cost of 0 makes the denominator 0; give both costs above 0")
    check_costs(cost_fp, cost_fn, prevalence)
    share = ratio(c.positives, c.total) if prevalence is None else prevalence
    missing_all, alarming_all = share * cost_fn, (1 - share) * cost_fp
    lost = missing_all * ratio(c.fn, c.positives) + alarming_all * ratio(c.fp, c.negatives)
    cheaper = np.where(np.real(missing_all) < np.real(alarming_all), missing_all, alarming_all)
    return ratio(lost, cheaper)


def _odds(p_t: float) -> float:
    if not 0 <= p_t < 1:
        raise InputError(f"p_t is {p_t!r}; it must be at least 0 and below 1")
    return p_t / (1 - p_t)


@metric(
    title="Net benefit",
    formula="TP/T - FP/T · pₜ/(1 - pₜ)",
    range=(-math.inf, 1),
    chance="that of treating all or none",
    undefined=NO_ROWS,
    relatives=("standardized_net_benefit", "interventions_avoided", "expected_cost"),
    sources=("vickers2006", "vickers2019"),
)
def net_benefit(c: Counts, *, p_t: float = 0.5) -> Any:
    """True positives per row minus false ones weighted by the odds of the threshold probability.

    ``p_t`` is the lowest probability at which you would act: at 0.2 one true positive is worth four
    false alarms.

    Misleading: Compare it with treating all and treating none at the same threshold probability,
    and make the decisions at that threshold.

    >>> import tallymark as tm
    >>> tm.metrics.net_benefit([1, 1, 0, 0, 0], [1, 1, 1, 0, 0], p_t=0.2)
    0.35
    """
    return ratio(c.tp - c.fp * _odds(p_t), c.total)


@metric(
    title="Standardised net benefit",
    formula="net benefit / prevalence",
    range=(-math.inf, 1),
    undefined=NO_POSITIVES,
    relatives=("net_benefit", "interventions_avoided"),
    sources=("vickers2006", "kerr2016"),
)
def standardized_net_benefit(c: Counts, *, p_t: float = 0.5) -> Any:
    """Net benefit as a share of its maximum: 1 finds all positives without a false alarm.

    Misleading: As for net benefit. Dividing by prevalence hides how small the possible gain is.

    >>> import tallymark as tm
    >>> tm.metrics.standardized_net_benefit([1, 1, 0, 0, 0], [1, 1, 1, 0, 0], p_t=0.2)
    0.875
    """
    return ratio(c.tp, c.positives) - ratio(c.fp, c.positives) * _odds(p_t)


@metric(
    title="Interventions avoided",
    formula="100 · (net benefit - that of treating all) · (1 - pₜ)/pₜ = "
    "100 · (TN - FN · (1 - pₜ)/pₜ) / T",
    range=(-math.inf, 100),
    undefined=NO_ROWS,
    relatives=("net_benefit", "standardized_net_benefit"),
    sources=("vickers2006", "vickers2019"),
)
def interventions_avoided(c: Counts, *, p_t: float = 0.5) -> Any:
    """Net number of interventions avoided per 100 rows, compared with treating all.

    Each negative correctly left untreated counts 1; each missed positive costs (1 - pₜ)/pₜ, the
    number of negatives you would treat to find one. Treating all has 0.

    Misleading: As for net benefit, make the decisions at the threshold probability. Below 0,
    treating all is better.

    >>> import tallymark as tm
    >>> tm.metrics.interventions_avoided([1, 1, 0, 0, 0], [1, 1, 1, 0, 0], p_t=0.2)
    40.0
    """
    odds = _odds(p_t)
    if not odds:
        raise InputError("p_t is 0, at which all are treated; give one above 0")
    return 100 * (ratio(c.tn, c.total) - ratio(c.fn, c.total) / odds)
