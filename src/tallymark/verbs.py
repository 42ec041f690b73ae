"""The questions about a number: how sure it is, whether it differs from another, if it will do.

They take any statistic of one evaluation, or the difference of two: of two models on the same rows,
or on different ones.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from tallymark.api import evaluate
from tallymark.api import read as read_evaluation
from tallymark.contract import CONTRACT, METRIC, METRICS, checked, one_of, read
from tallymark.display import load
from tallymark.errors import InputError, check_name
from tallymark.infer.by_subgroup import each_subgroup
from tallymark.infer.cautions import CHECKS, codes_of_warnings
from tallymark.infer.compare import DECISIVE, refuse_other_questions
from tallymark.infer.difference import Difference, Independent, Paired, Side, least_p, p_of_bounds
from tallymark.infer.intervals import Inference
from tallymark.infer.sampler import DRAWS
from tallymark.infer.significance import Evidence, holm
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic, Value
from tallymark.reading.checks import NOT_CHECKED
from tallymark.report.evaluation import Evaluation
from tallymark.report.multi_label import MultiLabelEvaluation
from tallymark.studies import gate
from tallymark.studies.advice import RULES
from tallymark.studies.gate import Finding, Gate, Place, Rule

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
    """Return a number of one evaluation with its interval, or the difference of two.

    Parameters
    ----------
    statistic : str or tm.Statistic, or several of them
        A metric by its name or alias, or a function of your own.
    a : Evaluation
        Of one model; of several take ``ev.model(name)``.
    b : Evaluation, optional
        What ``a`` is compared with. Two models of one evaluation, ``ev.model("x")`` and
        ``ev.model("y")``, are on the same rows, and their difference is the surer for it; others
        are on different rows, of which none may be in both.
    level : float, optional
        That of ``a`` unless given.
    adjust : {"none", "bonferroni"}
        "bonferroni" makes the intervals of several statistics wide enough for all to hold at once.
    definition
        ``average``, ``positive`` and the metric's own parameters: see
        :meth:`tallymark.Evaluation.value`.

    Returns
    -------
    Value or Difference
        In the units of the statistic, ``a`` less ``b``; a tuple of them for several statistics. How
        the interval was made is its ``method``. It lies within the statistic's range, a difference
        within its width; NaN, with the reason, where there is none.

    Raises
    ------
    InputError
        An evaluation of several models, or without what the statistic reads; two that were counted
        of the same rows without keeping them side by side, with other classes or another positive
        one, or only one of them at another class balance; an unknown statistic or adjustment.

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
    +0.15 (95 % CI +0.08 to +0.23)

    """
    _read(definition)
    level = a.level if level is None else level
    if isinstance(statistic, str | Metric):
        return _estimate(get(statistic), a, b, level, definition)
    if adjust == "bonferroni":
        level = 1 - (1 - level) / max(len(statistic), 1)
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
    """Test a number of one evaluation against a value, or the difference of two.

    Parameters
    ----------
    statistic, a, b, definition
        As of :func:`interval`.
    null : float, optional
        What the number, or the difference ``a`` less ``b``, is tested against. A difference is
        tested against 0 unless another is given.
    margin : float, optional
        Of non-inferiority and equivalence: how far from ``null`` still counts as no worse, in units
        of the statistic, above 0.
    alternative : str, optional
        "two-sided" (the default), "greater" or "less" than ``null``. With a margin "non-inferior"
        (the default): better than ``null`` less the margin, in the direction in which the statistic
        is better; or "equivalent": within the margin on either side, two one-sided tests.
    adjust : {"holm", "bonferroni", "none"}
        How the p-values of several statistics are corrected for their number.

    Returns
    -------
    Evidence
        ``p_value`` from 0 to 1, NaN with its ``reason`` where there is no test; ``estimate`` is
        what :func:`interval` returns. A tuple for several statistics. A difference from 0 has the
        test that belongs to its kind: McNemar's or the score test of a proportion, DeLong's of a
        ROC area. A proportion is held against a value by the score test, z = (p - p0) /
        √(p0 (1 - p0) / n). Anything else is tested by its interval: the distance from the value to
        the bound on the side of ``null`` stands for as many normal errors as the level says, on the
        logit scale of a bounded range; p < 1 - level exactly where the interval leaves ``null``
        out. A one-sided p-value is half of the two-sided one, or one less that half: hold it
        against (1 - level) / 2, 2.5 % at 95 %, as :meth:`tallymark.Evaluation.compare` does. It is
        below that exactly where the interval keeps the margin (ICH E9, CONSORT).

    Raises
    ------
    InputError
        What :func:`interval` refuses; no ``null`` of a single number, or one outside the range of
        the statistic; a margin that is not above 0, or an alternative that does not go with it; a
        statistic of which neither high nor low values are better, with "non-inferior".

    Notes
    -----
    Sources: newcombe1998, fagerland2013, delong1988, holm1979, ich1999, piaggio2012,
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
    known = ALTERNATIVES[:3] if margin is None else ALTERNATIVES[3:]
    alternative = known[0] if alternative is None else alternative
    if alternative not in known:
        says = "needs a margin" if margin is None else "does not take a margin"
        raise InputError(f"alternative={alternative!r} {says}")
    if null is None and b is None:
        raise InputError("a single number is tested against a value: give null=..., such as 0.5")
    _read(definition)
    null = 0.0 if null is None else null
    if isinstance(statistic, str | Metric):
        return _test(get(statistic), a, b, null, margin, alternative, definition)
    found = [_test(get(s), a, b, null, margin, alternative, definition) for s in statistic]
    p = np.array([t.p_value for t in found])
    if adjust != "none":
        n = np.count_nonzero(~np.isnan(p))
        p = holm(p) if adjust == "holm" else np.minimum(p * n, 1.0)
    return tuple(
        replace(t, p_value=float(q), p_at_most=t.p_at_most and q < 1)
        for t, q in zip(found, p, strict=True)
    )


# -- rules -------------------------------------------------------------------------------------


@checked
def check(
    data: Any,
    *,
    require: str | Sequence[str] = (),
    forbid: str | Sequence[str] = (),
    no_worse: float | str | Sequence[float | str] = (),
    baseline: Any = None,
    subgroup: str | Sequence[str] | Mapping[str, Any] | None = None,
    rules: str | PathLike[str] | None = None,
    strict: bool = False,
    level: float | None = None,
    **options: Any,
) -> Gate:
    """Return whether a model meets rules, judged on intervals: a gate that knows chance.

    Parameters
    ----------
    data : Evaluation, or what :func:`evaluate` takes
        Every model in it is judged, but for the baseline.
    require : str or sequence of str
        METRIC >= NUMBER or METRIC <= NUMBER, such as ``"roc_auc >= 0.8"``, ``"recall >= 90% at
        fpr=0.05"``, ``"precision >= 0.3 at threshold=0.4, prevalence=1%"`` or
        ``"f_beta(beta=2) >= 0.5"``.
    forbid : str or sequence of str
        Codes of warnings (``"leak"``, ``"few-rows"``) or of advice (``"probabilities-spread"``):
        a model fails of which one is said, of all rows.
    no_worse : float or str, or a sequence of them
        How much worse than the baseline's the deciding metric may be (the ROC area of scores, else
        MCC), or that of a metric: ``"log_loss 0.02"``. With 0 a model fails that is worse by more
        than chance.
    baseline : str, path or Evaluation, optional
        A model of the same rows by its name, or an evaluation of others: itself, or the JSON file
        that its ``to_json`` wrote. Without that file the margin cannot be judged.
    subgroup : str or sequence of str, or {name: array}, optional
        Columns for whose values every rule is judged as well: of an Evaluation those that its rows
        were counted by.
    rules : path, optional
        A TOML file with any of the arguments above, and ``strict`` and ``level``: of
        pyproject.toml the table tool.tallymark.check. What is given here is added or comes first.
    strict : bool
        Whether an undecided rule fails.
    level : float, optional
        Of the intervals: that of the Evaluation, or 0.95, unless given.
    options
        What else :func:`evaluate` takes, such as ``truth`` and ``score``.

    Returns
    -------
    Gate
        True where it passes. A rule passes where its whole interval keeps the limit, fails where
        the whole interval is beyond it, and is undecided else. Both are one-sided tests at half of
        1 - level, 2.5 % at 95 %. Failures of subgroups are corrected for their number (Holm).

    Raises
    ------
    InputError
        A rule that cannot be read, an unknown metric, nothing to check, a margin without a
        baseline, and what :func:`evaluate` and :func:`test` refuse.

    Notes
    -----
    Sources: ich1999, piaggio2012, schuirmann1987, holm1979; docs/gate.md has more.

    Examples
    --------
    >>> import tallymark as tm
    >>> y, said = [1] * 100 + [0] * 100, [1] * 90 + [0] * 110
    >>> found = tm.check(y, y_pred=said, require=["recall >= 0.8", "precision >= 0.99"])
    >>> [f.verdict for f in found.findings], found.passed
    (['pass', 'undecided'], True)

    """
    if rules is not None:
        told = gate.settings_of(rules)
        for name, given in (("require", require), ("forbid", forbid), ("no_worse", no_worse)):
            told[name] = [*read(name, told.get(name, ())), *read(name, given)]
        here = {"baseline": baseline, "subgroup": subgroup, "level": level, "strict": strict}
        told |= {name: v for name, v in here.items() if v is not None and v is not False}
        return check(data, **told, **options)
    margins = read("no_worse", no_worse)
    asked = [*map(gate.requirement, require), *map(gate.margin, margins)]
    with_margin = any(rule.margin is not None for rule in asked)
    codes = read("forbid", forbid)
    for code in codes:
        check_name("code", code, (*codes_of_warnings(), *(c for c, r in RULES.items() if r.warns)))
    if not asked and not codes:
        raise InputError(
            "there is nothing to check; give require='roc_auc >= 0.8', or a baseline and "
            "no_worse=0.01"
        )
    if with_margin and baseline is None:
        raise InputError("no_worse=... needs a model to compare with; give baseline=...")
    if baseline is not None and not with_margin:
        raise InputError("a baseline needs a margin; give no_worse=0.01, or leave baseline=... out")
    ev = data
    if not isinstance(data, Evaluation | MultiLabelEvaluation):
        ev = evaluate(data, subgroup=subgroup, **options)
    elif options:
        raise InputError(f"{next(iter(options))} is for rows, and these are counted; leave it out")
    if isinstance(ev, MultiLabelEvaluation):
        raise InputError(
            "rows have several labels; check each label separately, with ml.label(...)"
        )
    columns = [subgroup] if isinstance(subgroup, str) else list(subgroup or ())
    ev = replace(ev, level=ev.level if level is None else level)
    return _gate(ev, asked, codes, baseline, columns, strict)


def _gate(
    ev: Evaluation,
    asked: Sequence[Rule],
    codes: Sequence[str],
    baseline: Any,
    columns: Sequence[str],
    strict: bool,
) -> Gate:
    """Judge every model by every rule, on all rows and on every subgroup."""
    parts = _parts(ev, columns)
    base = _baseline(baseline, ev, parts, columns)
    names = [name for name in ev.names if name != base.model]
    if not names:
        raise InputError(f"baseline={baseline!r} is the only model; give another one to judge")
    found: list[Finding] = []
    notes: list[str] = []
    for name in names:
        mine = {place: part.model(name) for place, part in parts.items()}
        theirs = {place: _one(part, base.model or name) for place, part in base.parts.items()}
        whole = [side[None] for side in (mine, theirs) if side]
        rules = [r if r.margin is None else r.against(_deciding(whole)) for r in asked]
        few = _few(mine[None], columns, rules)
        for rule in rules:
            places = [None] if rule.margin is not None and base.absent else list(mine)
            judged = [_place(rule, place, mine, theirs, few, base.absent) for place in places]
            for some in (judged[:1], judged[1:]):
                found += gate.findings(rule, name, base.name, some, ev.level)
        found += [_forbidden(ev, name, code) for code in codes]
        if theirs and base.model is None:
            with_margin = [rule.metric for rule in rules if rule.margin is not None]
            notes += [
                _ANOTHER_SAMPLE.format(base.name),
                *mine[None]
                .compare_with(
                    theirs[None],
                    metric=with_margin[0],
                    metrics=with_margin,
                    called=(ev.source.name, "the baseline"),
                )
                .notes,
            ]
    return Gate(
        tuple(found), ev.source.name, ev.rows, ev.level, strict, tuple(dict.fromkeys(notes))
    )


def _forbidden(ev: Evaluation, model: str, code: str) -> gate.Finding:
    """Return whether a warning or advice of a code is said of a model."""
    if code in RULES:
        alone = RULES[code].section == "misleads"
        advice = (_one(ev, model) if alone else ev).advise()
        said = [s.text for s in advice.statements if s.rule == code]
        looked = code in advice.passed if alone else len(ev.names) > 1
    else:
        notes = (n for n in ev.notes if (n.code, n.kind) == (code, "warning"))
        said = [n.text for n in notes if n.model in (None, model)]
        check = CHECKS.get(code)
        looked = check is None or ev.source.checks.get(check, NOT_CHECKED) != NOT_CHECKED
    return gate.forbidden(code, model, said, looked, ev.level)


class _Baseline(NamedTuple):
    """What a gate compares with, and what it is called: ``model`` where it is of the same rows.

    ``absent`` says why there is none.
    """

    name: str | None = None
    parts: Mapping[str | None, Evaluation] = {}
    model: str | None = None
    absent: str = ""


def _baseline(
    given: Any, ev: Evaluation, parts: Mapping[str | None, Evaluation], columns: Sequence[str]
) -> _Baseline:
    """Return the baseline: a model of the same rows, an evaluation, or one that a file holds."""
    if given is None:
        return _Baseline()
    if given in ev.names if isinstance(given, str) else False:
        return _Baseline(given, parts, given)
    if isinstance(given, str | PathLike):
        name = str(given)
        if not Path(given).suffix:
            check_name("model", name, ev.names)
        if not Path(given).is_file():
            return _Baseline(name, absent=f"there is no file {name!r}, and no model of that name")
        other = read_evaluation(given)
    else:
        other = given
        name = "" if not isinstance(given, Evaluation) else given.source.name
    other = replace(CONTRACT["ev"].of("baseline", other), level=ev.level)
    counts = other.counted.subgroup_counts
    known = counts is not None and {*columns} <= {*counts.columns}
    return _Baseline(name, _parts(other, columns if known else ()))


_ANOTHER_SAMPLE = (
    "{} is compared as another sample, since its rows are not paired with these: the intervals of "
    "the differences are wider than for two models in one file."
)


def _parts(ev: Evaluation, columns: Sequence[str]) -> dict[str | None, Evaluation]:
    """Return the evaluation of all rows under None, and of each subgroup under its name."""
    parts: dict[str | None, Evaluation] = {None: ev}
    for key, part in each_subgroup(ev.counted, columns).items() if columns else ():
        parts[_named(columns, key)] = replace(ev, counted=part)
    return parts


def _named(columns: Sequence[str], key: Any) -> str:
    values = (key,) if len(columns) == 1 else key
    shown = map(load("words:subgroup"), values)
    return ", ".join(f"{c}={value}" for c, value in zip(columns, shown, strict=True))


def _one(ev: Evaluation, name: str) -> Evaluation:
    """Return the model of a name, or the one that there is."""
    if name in ev.names or len(ev.names) > 1:
        return ev.model(name)
    return ev


def _deciding(sides: Sequence[Evaluation]) -> str:
    """Return the metric that decides unless it is named: the first that both sides have."""
    for name in DECISIVE:
        if all(e.models[0].holds(get(name)) and not e.value(name).reason for e in sides):
            return name
    return "accuracy"


def _few(
    ev: Evaluation, columns: Sequence[str], rules: Sequence[Rule]
) -> set[tuple[str, str | None]]:
    """Return for which metrics which subgroups have too few rows."""
    if not columns:
        return set()
    of = ev.by(*columns)
    return {(r.metric, _named(columns, key)) for r in rules for key in of.small(r.metric)}


def _place(
    rule: Rule,
    place: str | None,
    mine: Mapping[str | None, Evaluation],
    theirs: Mapping[str | None, Evaluation],
    few: Collection[tuple[str, str | None]],
    absent: str,
) -> Place:
    """Test whether a number is beyond its limit, on all rows or on those of a subgroup."""
    a, b = mine[place], None
    rows = float(a.rows)
    if rule.margin is not None:
        if place not in theirs:
            return Place(place, absent or "the baseline was not counted there")
        b = theirs[place]
        if a.counted.joint is None or a.counted.joint is not b.counted.joint:
            rows = 2 / (1 / a.rows + 1 / b.rows)
    try:
        side = "less" if rule.side == ">=" else "greater"
        found = test(
            rule.metric,
            a.at(**rule.at),
            None if b is None else b.at(**rule.at),
            null=rule.limit,
            alternative=side,
            **rule.definition,
        )
    except InputError as refused:
        raise rule.refusal(refused) from None
    if place is not None and found.p_at_most:
        found = replace(found, p_value=_beyond_draws(found, rule, side))
    return Place(place, found, rows, (rule.metric, place) in few)


def _beyond_draws(found: Evidence, rule: Rule, side: str) -> float:
    """Return the p-value that the bounds have where draws end, which a correction for many needs.

    As the bounds of the worst of many subgroups are, those made of draws are stretched.
    """
    bounds = found.estimate
    assert bounds is not None
    if isinstance(bounds, Difference):
        bounds = replace(bounds, draws=0, test=None)
    else:
        bounds = replace(bounds, method=None)
    metric = get(rule.metric)
    params = {k: v for k, v in rule.definition.items() if k in metric.params}
    return _p_value(bounds, side, rule.limit, 0.0, metric.range_of(**params))[0]


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
    one, other = (ev.models[0] for ev in evs.values())
    joint = a.counted.joint
    if joint is not None and joint is b.counted.joint:
        if a.stratified != b.stratified:
            raise InputError("the two have different class balances; set the same for both")
        if one.name == other.name:  # one model at two thresholds
            again = replace(joint.model(one.name), name=f"{one.name} (second)")
            joint, other = (
                replace(joint, models=(again, *joint.models)),
                replace(other, name=again.name),
            )
        # The rows of all models are drawn as Evaluation.compare draws them.
        counted = replace(a.counted, models=(one, other), joint=joint)
        values = dict(zip((one.name, other.name), values.values(), strict=True))
        design = Paired(counted, values, level=level, seed=a.seed, stratified=a.stratified)
        return design.difference(one.name, other.name, metric, **definition)
    shared = any(s is t for s in one.scores for t in other.scores)
    if shared or one.labels is other.labels:
        raise InputError(
            "both are on the same rows, which were not kept side by side; evaluate both together, "
            "as two models"
        )
    refuse_other_questions(a.counted, b.counted, ("the first", "the second"))
    sides = {name: _side(ev) for name, ev in evs.items()}
    return Independent(sides, values, level).difference("first", "second", metric, **definition)


def _side(ev: Evaluation) -> Side:
    options: dict[str, Any] = {"seed": ev.seed, "stratified": ev.stratified}
    return Side(Inference(ev.counted, level=ev.level, **options), ev.models[0])


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
    found = _estimate(metric, a, b, a.level, definition)
    n, extent = 0.0, (-math.inf, math.inf)
    if isinstance(found, Value):
        extent = metric.range_of(**{k: v for k, v in definition.items() if k in metric.params})
        if not extent[0] < null < extent[1]:
            raise InputError(
                f"null is {null:g}; {metric.name} lies between {extent[0]:g} and {extent[1]:g}, "
                "give a number inside"
            )
        if set(definition) <= {"average", "positive"}:
            of = Statistic.of(metric, a.classes, **{"positive": a.positive, **definition})
            _, n = _side(a).proportion(of) or (0.0, 0.0)
    claims = [(alternative, null)]
    if margin is not None:
        claims = [("greater", null - margin), ("less", null + margin)]
        if alternative == "non-inferior":
            claims = claims[metric.better == "low" :][:1]
    tests = [_p_value(found, side, value, n, extent) for side, value in claims]
    says = " and ".join(f"{_SAYS[side]} {value:g}" for side, value in claims)
    if claims[0][0] != "two-sided":
        says += ", one-sided"
    subject = metric.name if b is None else f"difference of {metric.name}"
    reason = found.reason
    if not reason and any(math.isnan(p) for p, _ in tests):
        reason = (found.method or "no interval").removeprefix("no interval: ")
    p = math.nan if reason else max(p for p, _ in tests)
    least = _least_p(found) / (1 if claims[0][0] == "two-sided" else 2)
    own = isinstance(found, Difference) and tests[0][1] == found.test and found.p_at_most
    return Evidence(
        f"{subject} {says}, {tests[0][1]}",
        p,
        reason=reason,
        estimate=found,
        p_at_most=0 < p <= least or (own and p < 0.5),
    )


def _least_p(found: Estimate) -> float:
    """Return the smallest two-sided p-value that the draws behind an interval can show, or 0."""
    if isinstance(found, Difference):
        return found.least_p
    return least_p(DRAWS) if "draws" in (found.method or "") else 0.0


def _p_value(
    found: Estimate, side: str, null: float, n: float, extent: tuple[float, float]
) -> tuple[float, str]:
    """Return the p-value of one claim about an estimate, and what test it is of.

    ``n`` are the rows of a proportion.
    """
    value, how = found.value, "from its interval"
    if isinstance(found, Difference):
        own = null == 0 and found.test is not None
        return found.p_claim(side, null), found.test if own and found.test else how
    if n:
        errors = (value - null) / math.sqrt(null * (1 - null) / n)
        p, how = math.erfc(abs(errors) / math.sqrt(2)), "score test"
    elif found.level is None:
        return math.nan, how
    else:
        points = np.array([value, found.low, found.high, null])
        if np.isfinite(extent).all() and extent[0] < value < extent[1]:
            with np.errstate(divide="ignore", invalid="ignore"):
                points = np.log((points - extent[0]) / (extent[1] - points))
        at, low, high, zero = points.tolist()
        p = float(p_of_bounds(at, low, high, found.level, zero)) if at != zero else 1.0
        p = max(p, _least_p(found))
    if side != "two-sided":
        p = p / 2 if (value > null) == (side == "greater") else 1 - p / 2
    return p, how


_SAYS = {"two-sided": "is not", "greater": "is above", "less": "is below"}
