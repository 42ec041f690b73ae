"""A user's own number: it gets values, intervals, differences and tests like any metric."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from tallymark.errors import InputError, choices
from tallymark.metric.registry import FAMILIES, Function, Metric, Needs, keep_own


def Statistic(  # noqa: N802 - to its users it makes a thing, as a class does
    function: Function,
    *,
    needs: Needs = "counts",
    name: str | None = None,
    range: tuple[float, float] = (-math.inf, math.inf),
    better: Literal["high", "low", "neither"] = "neither",
    undefined: Mapping[str, Function] | None = None,
    **declared: Any,
) -> Metric:
    """Return a function of counts or scores as a metric, which every method takes beside a name.

    Parameters
    ----------
    function : callable
        Of what ``needs`` says, with any leading axes: ``Counts`` (tp, fp, fn, tn) for "counts",
        counts[..., true, predicted] for "matrix", ``ScoreCounts`` (scores, pos, neg) for "ranking"
        or "probability". Its keyword arguments are its parameters.
    needs : str
        What the function reads: see :class:`tallymark.metric.Metric`.
    name : str, optional
        The function's own name by default. It may not be that of a metric.
    range : (low, high)
        What the values cannot leave; a bounded range lets decisions have the jackknife's interval.
    better : {"high", "low", "neither"}
        "high" or "low" lets it decide between models.
    undefined : mapping of words to tests, optional
        Where the value is undefined, and why; by default where the function gives NaN.
    declared
        Other facts of :class:`tallymark.metric.Metric`, such as ``smooth=False`` or ``error``.

    Raises
    ------
    InputError
        What is no function, has no name or the name of a metric, or needs something unknown.

    Examples
    --------
    >>> import tallymark as tm
    >>> cost = tm.Statistic(lambda c: (5 * c.fn + c.fp) / c.total, name="cost_a_row", range=(0, 5))
    >>> ev = tm.evaluate([1] * 100 + [0] * 100, [1] * 70 + [0] * 110 + [1] * 20)
    >>> print(ev.value(cost))
    0.8500 [0.6200, 1.1050]

    """
    own = str(name or getattr(function, "__name__", ""))
    if not callable(function):
        raise InputError(f"a statistic is a function, and this is {type(function).__name__}")
    if not own.isidentifier():
        raise InputError(f"a statistic needs a name, and this is {own!r}; say name='my_number'")
    if needs not in FAMILIES:
        raise InputError(f"needs is {needs!r}; {choices(needs, FAMILIES)}")
    made = Metric(
        name=own,
        title=own.replace("_", " "),
        formula=f"{own}, a function of the user",
        needs=needs,
        range=range,
        better=better,
        function=function,
        undefined=undefined or {"the function gives no number": lambda d: _no_number(function, d)},
        meaning=" ".join((function.__doc__ or own).split()),
        params=dict(getattr(function, "__kwdefaults__", None) or {}),
        **declared,
    )
    keep_own(made)
    return made


def _no_number(function: Function, data: Any) -> Any:
    return np.isnan(np.asarray(function(data), dtype=np.float64))
