"""``interval`` and ``test``: the uncertainty of a number or a difference, and hypothesis tests.

Both accept any statistic of one evaluation, or the difference of two: of two models on the same
rows, or on different rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, overload

import numpy as np

from tallymark.contract import METRIC, METRICS, checked, one_of
from tallymark.errors import InputError
from tallymark.infer.contrasts import least_p, p_of_bounds
from tallymark.infer.difference import Difference, SameRows, difference
from tallymark.infer.intervals import Inference
from tallymark.infer.label_differences import PairedLabels
from tallymark.infer.multiplicity import corrected, each_level
from tallymark.infer.paired import Paired
from tallymark.infer.sampler import DRAWS
from tallymark.infer.significance import Evidence
from tallymark.infer.two_samples import refuse_other_questions
from tallymark.infer.unpaired import Independent, Side
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.reading.indicators import LabelSets
from tallymark.reading.models import Model
from tallymark.report.evaluation import Evaluation, only

Asked: TypeAlias = str | Metric
Estimate: TypeAlias = Value | Difference

ALTERNATIVES = ("two-sided", "greater", "less", "non-inferior", "equivalent")


@overload
def interval(statistic: Asked, a: Evaluation, b: None = None, **options: Any) -> Value: ...
@overload
def interval(statistic: Asked, a: Evaluation, b: Evaluation, **options: Any) -> Difference: ...
@overload
def interval(
    statistic: Sequence[Asked], a: Evaluation, b: Evaluation | None = None, **options: Any
) -> tuple[Estimate, ...]: ...


@checked(statistic=METRIC | METRICS, adjust=one_of("none", "bonferroni"))
def interval(
    statistic: Asked | Sequence[Asked],
    a: Evaluation,
    b: Evaluation | None = None,
    *,
    level: float | None = None,
    adjust: str = "none",
    **definition: Any,
) -> Estimate | tuple[Estimate, ...]:
    """Return a number of one evaluation, or the difference of two, with its interval.

    Parameters
    ----------
    statistic : str or tm.Statistic, or several of them
        A metric by its name or alias, or a function of your own.
    a : Evaluation
        The evaluation of one model; of several, use ``ev.model(name)``.
    b : Evaluation, optional
        The evaluation to compare ``a`` with. Two models of one evaluation, ``ev.model("x")`` and
        ``ev.model("y")``, are paired by row, which makes the interval of the difference narrower.
        Other evaluations are on different rows; no row may be in both.
    level : float, optional
        By default, that of ``a``.
    adjust : {"none", "bonferroni"}
        "bonferroni" widens the intervals of several statistics so that they hold simultaneously.
    definition
        ``average``, ``positive`` and the metric's own parameters: see
        :meth:`tallymark.Evaluation.value`.

    Returns
    -------
    Value or Difference
        In the units of the statistic, ``a`` minus ``b``; a tuple of them for several statistics.
        ``method`` names the interval method. The interval lies within the statistic's range, that
        of a difference within its width; NaN, with the reason, where there is none.

    Raises
    ------
    InputError
        An evaluation has several models, or lacks what the statistic needs; two were counted from
        the same rows without row-level pairs, differ in classes or in the positive class, or only
        one has an adjusted class balance; the statistic or the adjustment is unknown.

    Notes
    -----
    Sources: newcombe1998, zou2008, delong1988; docs/definitions.md and docs/comparing.md have more.

    Examples
    --------
    >>> import tallymark as tm
    >>> y = [0] * 60 + [1] * 40
    >>> ev = tm.evaluate(y, {"old": [0] * 50 + [1] * 40 + [0] * 10, "new": [0] * 55 + [1] * 45})
    >>> print(tm.interval("accuracy", ev.model("new")))
    0.950 (95 % CI 0.888 to 0.978)
    >>> print(tm.interval("accuracy", ev.model("new"), ev.model("old")))
    +0.15 (95 % CI +0.09 to +0.23)

    """
    _read(definition)
    level = a.level if level is None else level
    if isinstance(statistic, str | Metric):
        return _estimate(get(statistic), a, b, level, definition)
    if adjust == "bonferroni":
        level = each_level(level, len(statistic))
    return tuple(_estimate(get(s), a, b, level, definition) for s in statistic)


@overload
def test(
    statistic: Asked, a: Evaluation, b: Evaluation | None = None, **options: Any
) -> Evidence: ...
@overload
def test(
    statistic: Sequence[Asked], a: Evaluation, b: Evaluation | None = None, **options: Any
) -> tuple[Evidence, ...]: ...


@checked(statistic=METRIC | METRICS, alternative=one_of(*ALTERNATIVES))
def test(
    statistic: Asked | Sequence[Asked],
    a: Evaluation,
    b: Evaluation | None = None,
    *,
    null: float | None = None,
    margin: float | None = None,
    alternative: str | None = None,
    adjust: str = "holm",
    **definition: Any,
) -> Evidence | tuple[Evidence, ...]:
    """Return a test of a number against a value, or of the difference of two evaluations.

    Parameters
    ----------
    statistic, a, b, definition
        As in :func:`interval`.
    null : float, optional
        The value that the number, or the difference ``a`` minus ``b``, is tested against. The
        default for a difference is 0.
    margin : float, optional
        The margin of non-inferiority and equivalence: the distance from ``null`` that is still
        acceptable, in units of the statistic, above 0.
    alternative : str, optional
        "two-sided" (the default), "greater" or "less" than ``null``. With a margin, "non-inferior"
        (the default): better than ``null`` minus the margin, in the direction in which the
        statistic is better; or "equivalent": within the margin on either side, two one-sided tests.
    adjust : {"holm", "bonferroni", "none"}
        How the p-values of several statistics are corrected for their number.

    Returns
    -------
    Evidence
        ``p_value`` is from 0 to 1, NaN with its ``reason`` where there is no test; ``estimate`` is
        the result of :func:`interval`. A tuple for several statistics. The test of a difference
        from 0 depends on its kind: McNemar's test or the score test for a proportion, DeLong's for
        a ROC area. A proportion is tested against a value by the score test, z = (p - p0) /
        √(p0 (1 - p0) / n). Any other test inverts the interval: the distance from the value to the
        bound on the side of ``null`` equals the number of normal standard errors given by the
        level, on the logit scale of a bounded range; p < 1 - level exactly if the interval excludes
        ``null``. A one-sided p-value is half the two-sided one, or one minus that half: compare it
        with (1 - level) / 2, 2.5 % at 95 %, as :meth:`tallymark.Evaluation.compare` does. It is
        below that exactly if the interval lies within the margin (ICH E9, CONSORT).

    Raises
    ------
    InputError
        Any error of :func:`interval`; a single number without ``null``, or with one outside the
        range of the statistic; a margin that is not above 0, or an alternative that does not
        match it; "non-inferior" for a statistic of which neither high nor low values are better.

    Notes
    -----
    Sources: laud2017, fagerland2013, delong1988, holm1979, ich1999, piaggio2012,
    schuirmann1987.

    Examples
    --------
    >>> import tallymark as tm
    >>> y = [0] * 60 + [1] * 40
    >>> ev = tm.evaluate(y, {"old": [0] * 50 + [1] * 40 + [0] * 10, "new": [0] * 55 + [1] * 45})
    >>> print(tm.test("accuracy", ev.model("new"), null=0.9))
    accuracy is not 0.9, score test: p = 0.0956
    >>> print(tm.test("accuracy", ev.model("new"), ev.model("old"), margin=0.02))
    difference of accuracy is above -0.02, one-sided, from its interval: p < 0.0001

    """
    allowed = ALTERNATIVES[:3] if margin is None else ALTERNATIVES[3:]
    alternative = allowed[0] if alternative is None else alternative
    if alternative not in allowed:
        says = "needs a margin" if margin is None else "does not take a margin"
        raise InputError(f"alternative={alternative!r} {says}")
    if null is None and b is None:
        raise InputError("a single number is tested against a value: give null=..., such as 0.5")
    _read(definition)
    null = 0.0 if null is None else null
    if isinstance(statistic, str | Metric):
        return _test(get(statistic), a, b, null, margin, alternative, definition)
    results = [_test(get(s), a, b, null, margin, alternative, definition) for s in statistic]
    p = corrected(np.array([t.p_value for t in results]), adjust)
    return tuple(
        replace(t, p_value=float(q), p_at_most=t.p_at_most and q < 1)
        for t, q in zip(results, p, strict=True)
    )


# -- the number --------------------------------------------------------------------------------


def _read(definition: dict[str, Any]) -> None:
    if definition.get("positive") is not None:  # one class against the rest, as in Evaluation.value
        definition.setdefault("average", "binary")


def _estimate(
    metric: Metric, a: Evaluation, b: Evaluation | None, level: float, definition: dict[str, Any]
) -> Estimate:
    evs = {"first": replace(a, level=level)}
    if b is not None:
        evs["second"] = replace(b, level=level)
    values = {name: {metric.name: ev.value(metric, **definition)} for name, ev in evs.items()}
    if b is None:
        return values["first"][metric.name]
    if (same := _on_the_same_rows(a, b, values, level)) is not None:
        return difference(same.statistic(metric, **definition), same).each[0]
    refuse_other_questions(a._counted, b._counted, ("the first", "the second"))
    sides = {name: _side(ev) for name, ev in evs.items()}
    of_samples = Independent(sides, [("first", "second")], values, level)
    return difference(of_samples.statistic(metric, **definition), of_samples).each[0]


def _on_the_same_rows(
    a: Evaluation, b: Evaluation, values: Mapping[str, Mapping[str, Value]], level: float
) -> SameRows | None:
    """Return the design of two models on the same rows; None if the rows differ.

    ``values`` are the numbers of the first and of the second evaluation.
    """
    one, other = only(a._counted.models), only(b._counted.models)
    again = replace(other, name=f"{other.name} (second)") if one.name == other.name else other
    named = dict(zip((one.name, again.name), values.values(), strict=True))
    if a.labels or b.labels:
        sets, theirs = a._counted, b._counted
        if not isinstance(sets, LabelSets) or not isinstance(theirs, LabelSets):
            return None
        if sets.true is not theirs.true:
            return None
        two = replace(sets, models=(sets.models[0], replace(theirs.models[0], name=again.name)))
        return PairedLabels(Inference(two, level, a.seed), two, named)
    joint = a._one_column.joint
    if joint is None or joint is not b._one_column.joint:
        _refuse_rows_apart(a.models[0], b.models[0])
        return None
    if a.stratified != b.stratified:
        raise InputError("the two have different class balances; set the same for both")
    if again is not other:  # one model at two thresholds
        joint = replace(
            joint, models=(replace(joint.model(one.name), name=again.name), *joint.models)
        )
    # Resample the rows of all models, as Evaluation.compare does.
    models = (a.models[0], replace(b.models[0], name=again.name))
    counted = replace(a._one_column, models=models, joint=joint)
    return Paired(counted, named, level=level, seed=a.seed, stratified=a.stratified)


def _refuse_rows_apart(one: Model, other: Model) -> None:
    """Raise InputError if two models share rows whose predictions were not kept in pairs."""
    shared = any(s is t for s in one.scores for t in other.scores)
    if shared or one.labels is other.labels:
        raise InputError(
            "both are on the same rows, which were not kept side by side; evaluate both together, "
            "as two models"
        )


def _side(ev: Evaluation) -> Side:
    options: dict[str, Any] = {"seed": ev.seed, "stratified": ev.stratified}
    return Side(Inference(ev._counted, level=ev.level, **options), ev._counted.models[0])


# -- the test ----------------------------------------------------------------------------------


def _test(
    metric: Metric,
    a: Evaluation,
    b: Evaluation | None,
    null: float,
    margin: float | None,
    alternative: str,
    definition: dict[str, Any],
) -> Evidence:
    if alternative == "non-inferior" and metric.better == "neither":
        raise InputError(
            f"{metric.name} does not rank models: neither high nor low is better; say "
            "alternative='equivalent'"
        )
    estimate = _estimate(metric, a, b, a.level, definition)
    n, extent = 0.0, (-math.inf, math.inf)
    if isinstance(estimate, Value):
        extent = metric.range_of(**{k: v for k, v in definition.items() if k in metric.params})
        if not extent[0] < null < extent[1]:
            raise InputError(
                f"null is {null:g}; {metric.name} lies between {extent[0]:g} and {extent[1]:g}, "
                "give a number inside"
            )
        if set(definition) <= {"average", "positive"}:
            of = a._counted.statistic(metric, **definition)
            _, n = _side(a).proportion(of) or (0.0, 0.0)
    claims = [(alternative, null)]
    if margin is not None:
        claims = [("greater", null - margin), ("less", null + margin)]
        if alternative == "non-inferior":
            claims = claims[metric.better == "low" :][:1]
    tests = [_p_value(estimate, side, value, n, extent) for side, value in claims]
    says = " and ".join(f"{_SAYS[side]} {value:g}" for side, value in claims)
    if claims[0][0] != "two-sided":
        says += ", one-sided"
    subject = metric.name if b is None else f"difference of {metric.name}"
    reason = estimate.reason
    if not reason and any(math.isnan(p) for p, _ in tests):
        reason = (estimate.method or "no interval").removeprefix("no interval: ")
    p = math.nan if reason else max(p for p, _ in tests)
    least = _least_p(estimate) / (1 if claims[0][0] == "two-sided" else 2)
    own = isinstance(estimate, Difference) and tests[0][1] == estimate.test and estimate.p_at_most
    return Evidence(
        f"{subject} {says}, {tests[0][1]}",
        p,
        reason=reason,
        estimate=estimate,
        p_at_most=0 < p <= least or (own and p < 0.5),
    )


def _least_p(estimate: Estimate) -> float:
    """Return the smallest two-sided p-value that the resamples of an interval can show, or 0."""
    if isinstance(estimate, Difference):
        return estimate._least_p
    return float(least_p(DRAWS)) if "draws" in (estimate.method or "") else 0.0


def _p_value(
    estimate: Estimate, side: str, null: float, n: float, extent: tuple[float, float]
) -> tuple[float, str]:
    """Return the p-value of one claim about an estimate, and the name of the test.

    ``n`` is the number of rows of a proportion.
    """
    value, how = estimate.value, "from its interval"
    if isinstance(estimate, Difference):
        own = null == 0 and estimate.test is not None
        return estimate._p_claim(side, null), estimate.test if own and estimate.test else how
    if n:
        errors = (value - null) / math.sqrt(null * (1 - null) / n)
        p, how = math.erfc(abs(errors) / math.sqrt(2)), "score test"
    elif estimate.level is None:
        return math.nan, how
    else:
        points = np.array([value, estimate.low, estimate.high, null])
        if np.isfinite(extent).all() and extent[0] < value < extent[1]:
            with np.errstate(divide="ignore", invalid="ignore"):
                points = np.log((points - extent[0]) / (extent[1] - points))
        at, low, high, zero = points.tolist()
        p = float(p_of_bounds(at, low, high, estimate.level, zero)) if at != zero else 1.0
        p = max(p, _least_p(estimate))
    if side != "two-sided":
        p = p / 2 if (value > null) == (side == "greater") else 1 - p / 2
    return p, how


_SAYS = {"two-sided": "is not", "greater": "is above", "less": "is below"}


def p_beyond_draws(
    evidence: Evidence, statistic: Asked, alternative: str, null: float, **definition: Any
) -> float:
    """Return a p-value below the limit of the resamples, for corrections of multiple tests.

    The bounds from resamples are extrapolated, as for the worst of many subgroups. ``evidence`` is
    the one-sided test of the statistic against ``null``.
    """
    bounds = evidence.estimate
    assert bounds is not None
    if isinstance(bounds, Difference):
        bounds = replace(bounds, draws=0, test=None)
    else:
        bounds = replace(bounds, method=None)
    metric = get(statistic)
    params = {k: v for k, v in definition.items() if k in metric.params}
    return _p_value(bounds, alternative, null, 0.0, metric.range_of(**params))[0]
