"""Whether models meet rules: by the interval of each number, not the estimate."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tallymark as tm
from tallymark import Evaluation, InputError
from tallymark.core import (
    ANY,
    DECISIVE,
    FLAG,
    PATH,
    TEXT,
    Difference,
    Evidence,
    Rule,
    check_name,
    checked,
    codes,
    contract,
    dependence,
    each_subgroup,
    evaluation_of,
    get,
    holm,
    in_force,
    margin,
    one_decision,
    p_beyond_draws,
    p_is,
    requirement,
    rows_for_effect,
    said_with,
    words,
)
from tallymark.parts.gate.results import FORBID, Gate, Judged
from tallymark.parts.gate.rules import settings_of
from tallymark.parts.gate.words import FEW, WORSE, chance_at_any_look, said_of

_KINDS = {
    "no_worse": contract.several(
        contract.COST | TEXT, "a margin such as 0.01, or of metrics, such as ['roc_auc 0.01']"
    ),
    "require": contract.several(TEXT, "rules such as ['roc_auc >= 0.8']"),
    "forbid": contract.several(TEXT, "codes of warnings or of advice such as ['leak']"),
    "strict": FLAG,
    "rules": PATH,
    "baseline": ANY,
}


@checked(**_KINDS)
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
    """Return whether a model meets rules, judged on confidence intervals.

    Parameters
    ----------
    data : Evaluation, or what :func:`evaluate` takes
        Every model in it is judged, except the baseline.
    require : str or sequence of str
        METRIC >= NUMBER or METRIC <= NUMBER, such as ``"roc_auc >= 0.8"``, ``"recall >= 90% at
        fpr=0.05"``, ``"precision >= 0.3 at threshold=0.4, prevalence=1%"`` or
        ``"f_beta(beta=2) >= 0.5"``.
    forbid : str or sequence of str
        Codes of warnings (``"leak"``, ``"few-rows"``) or of advice (``"probabilities-spread"``):
        a model with one of them, on all rows, fails.
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
        A TOML file with any of the arguments above, and ``strict`` and ``level``; in
        pyproject.toml the table tool.tallymark.check. Arguments are added to it or override it.
    strict : bool
        Whether an undecided rule fails.
    level : float, optional
        Confidence level of the intervals, by default that of the Evaluation, or 0.95.
    options
        Other arguments of :func:`evaluate`, such as ``truth`` and ``score``.

    Returns
    -------
    Gate
        True where it passes. A rule passes where its whole interval keeps the limit, fails where
        the whole interval is beyond it, and is otherwise undecided. Both are one-sided tests at
        half of 1 - level, 2.5 % at 95 %. Failures of subgroups are corrected for their number
        (Holm).

    Raises
    ------
    InputError
        A rule that cannot be read, an unknown metric, nothing to check, a margin without a
        baseline, or input that :func:`evaluate` or :func:`test` refuses.

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
        settings = settings_of(rules)
        for name, argument in (("require", require), ("forbid", forbid), ("no_worse", no_worse)):
            settings[name] = [*_read(name, settings.get(name, ())), *_read(name, argument)]
        overrides = {"baseline": baseline, "subgroup": subgroup, "level": level, "strict": strict}
        settings |= {name: v for name, v in overrides.items() if v is not None and v is not False}
        return check(data, **settings, **options)
    margins = _read("no_worse", no_worse)
    requirements = [*map(requirement, require), *map(margin, margins)]
    with_margin = any(rule.margin is not None for rule in requirements)
    forbidden = _read("forbid", forbid)
    for code in forbidden:
        check_name("code", code, codes())
    if not requirements and not forbidden:
        raise InputError(
            "there is nothing to check; give require='roc_auc >= 0.8', or a baseline and "
            "no_worse=0.01"
        )
    if with_margin and baseline is None:
        raise InputError("no_worse=... needs a model to compare with; give baseline=...")
    if baseline is not None and not with_margin:
        raise InputError("a baseline needs a margin; give no_worse=0.01, or leave baseline=... out")
    ev = data
    if not isinstance(data, Evaluation):
        ev = evaluation_of(data, subgroup=subgroup, **options)
    elif options:
        raise InputError(f"{next(iter(options))} is for rows, and these are counted; leave it out")
    if ev.labels:
        raise InputError(
            "rows have several labels; check each label separately, with ev.label(...)"
        )
    columns = [subgroup] if isinstance(subgroup, str) else list(subgroup or ())
    ev = replace(ev, level=ev.level if level is None else level)
    return _gate(ev, requirements, forbidden, baseline, columns, strict)


def _gate(
    ev: Evaluation,
    requirements: Sequence[Rule],
    forbidden: Sequence[str],
    baseline: Any,
    columns: Sequence[str],
    strict: bool,
) -> Gate:
    """Return the findings of every model and rule, on all rows and on every subgroup."""
    parts = _parts(ev, columns)
    base = _baseline(baseline, ev, parts, columns)
    names = [name for name in ev.names if name != base.model]
    if not names:
        raise InputError(f"baseline={baseline!r} is the only model; give another one to judge")
    results: list[Judged] = []
    decided = [m for m in ev.models if m.name in names and m.threshold is not None]
    same = [one_decision(m, ev._one_column) for m in decided]
    warnings = [*dependence(ev._one_column), *filter(None, same)]
    notes = [f"warning: {words.said(note.text)}" for note in warnings]
    for name in names:
        mine = {place: part.model(name) for place, part in parts.items()}
        theirs = {place: _one(part, base.model or name) for place, part in base.parts.items()}
        whole = [side[None] for side in (mine, theirs) if side]
        rules = [r if r.margin is None else r.against(_deciding(whole)) for r in requirements]
        few = _few(mine[None], columns, rules)
        for rule in rules:
            places = [None] if rule.margin is not None and base.absent else list(mine)
            tested = [_place(rule, place, mine, theirs, few, base.absent) for place in places]
            for some in (tested[:1], tested[1:]):
                results += findings(rule, name, base.name, some, ev.level)
        results += [_without(code, ev, name) for code in forbidden]
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
    if requirements and (looks := _looks(ev, columns)):
        notes.append(chance_at_any_look(*looks, ev.level))
    judged = {name for f in results for name in (f.model, f.baseline)}
    decided = [m for m in ev.models if m.name in judged] if ev.binary else []
    return Gate(
        tuple(results),
        ev.source.name,
        ev.rows,
        ev.level,
        strict,
        tuple(dict.fromkeys(notes)),
        ev.positive,
        {m.name: m.threshold for m in decided},
        {m.name: in_force(ev, m) for m in decided},
    )


def _looks(ev: Evaluation, columns: Sequence[str]) -> tuple[int, str] | None:
    """Return after how many batches, or values of a column of dates, rows may be judged anew."""
    batches = ev.source._batches
    if batches is not None and batches > 1:
        return batches, "batches"
    first = _one(ev, ev.names[0])
    for column in columns:
        keys = [key for key in first.by(column).keys if key is not None]
        if len(keys) > 1 and all(map(_is_date, keys)):
            return len(keys), f"values of {column}"
    return None


def _is_date(key: Any) -> bool:
    """Return whether a value is a date, or its text as files have it."""
    if isinstance(key, str) and key.count("-") >= 2:
        with contextlib.suppress(ValueError):
            return bool(datetime.fromisoformat(key))
    return isinstance(key, date)


class _Baseline(NamedTuple):
    """The baseline and its name; ``model`` is its model if it was judged on the same rows.

    ``absent`` says why there is no baseline.
    """

    name: str | None = None
    parts: Mapping[str | None, Evaluation] = {}
    model: str | None = None
    absent: str = ""


def _baseline(
    baseline: Any, ev: Evaluation, parts: Mapping[str | None, Evaluation], columns: Sequence[str]
) -> _Baseline:
    """Return the baseline: a model of the same rows, an evaluation, or one from a file."""
    if baseline is None:
        return _Baseline()
    if baseline in ev.names if isinstance(baseline, str) else False:
        return _Baseline(baseline, parts, baseline)
    if isinstance(baseline, str | PathLike):
        name = str(baseline)
        if not Path(baseline).suffix:
            check_name("model", name, ev.names)
        if not Path(baseline).is_file():
            return _Baseline(name, absent=f"there is no file {name!r}, and no model of that name")
        other = tm.read(baseline)
    else:
        other = baseline
        name = "" if not isinstance(baseline, Evaluation) else baseline.source.name
    other = replace(contract.EVALUATION.of("baseline", other), level=ev.level)
    counts = other._counted.subgroup_counts
    counted = counts is not None and {*columns} <= {*counts.columns}
    return _Baseline(name, _parts(other, columns if counted else ()))


_ANOTHER_SAMPLE = (
    "{} is compared as another sample, since its rows are not paired with these: the intervals of "
    "the differences are wider than for two models in one file."
)


def _parts(ev: Evaluation, columns: Sequence[str]) -> dict[str | None, Evaluation]:
    """Return the evaluation of all rows under None, and of each subgroup under its name."""
    parts: dict[str | None, Evaluation] = {None: ev}
    for key, part in each_subgroup(ev._one_column, columns).items() if columns else ():
        parts[_named(columns, key)] = replace(ev, _counted=part)
    return parts


def _named(columns: Sequence[str], key: Any) -> str:
    values = (key,) if len(columns) == 1 else key
    texts = map(words.subgroup, values)
    return ", ".join(f"{c}={value}" for c, value in zip(columns, texts, strict=True))


def _one(ev: Evaluation, name: str) -> Evaluation:
    """Return the model with a name, or the only one."""
    if name in ev.names or len(ev.names) > 1:
        return ev.model(name)
    return ev


def _deciding(sides: Sequence[Evaluation]) -> str:
    """Return the default metric that decides: the first that both sides have."""
    for name in DECISIVE:
        if all(e.models[0]._holds(get(name)) and not e.value(name).reason for e in sides):
            return name
    return "accuracy"


def _few(
    ev: Evaluation, columns: Sequence[str], rules: Sequence[Rule]
) -> dict[tuple[str, str | None], Few]:
    """Return what a subgroup has too few of for a metric, for each such pair."""
    if not columns:
        return {}
    of = ev.by(*columns)
    few: dict[tuple[str, str | None], Few] = {}
    for metric in dict.fromkeys(rule.metric for rule in rules):
        support, small = of._support(metric), of._small(metric)
        what = of._rests_on(metric, small)
        few |= {(metric, _named(columns, key)): Few(what, support[key]) for key in small}
    return few


def _place(
    rule: Rule,
    place: str | None,
    mine: Mapping[str | None, Evaluation],
    theirs: Mapping[str | None, Evaluation],
    few: Mapping[tuple[str, str | None], Few],
    absent: str,
) -> Place:
    """Return the test of whether a number is beyond its limit, on all rows or a subgroup."""
    a, b = mine[place], None
    rows = float(a.rows)
    if rule.margin is not None:
        if place not in theirs:
            return Place(place, absent or "the baseline was not counted there")
        b = theirs[place]
        if a._one_column.joint is None or a._one_column.joint is not b._one_column.joint:
            rows = 2 / (1 / a.rows + 1 / b.rows)
    try:
        side = "less" if rule.side == ">=" else "greater"
        evidence = tm.test(
            rule.metric,
            a.at(**rule.at),
            None if b is None else b.at(**rule.at),
            null=rule.limit,
            alternative=side,
            **rule.definition,
        )
    except InputError as refused:
        raise rule.refusal(refused) from None
    if place is not None and evidence.p_at_most:
        p = p_beyond_draws(evidence, rule.metric, side, rule.limit, **rule.definition)
        evidence = replace(evidence, p_value=p)
    return Place(place, evidence, rows, few.get((rule.metric, place)))


# -- verdicts ---------------------------------------------------------------------------------


class Few(NamedTuple):
    """What a subgroup has too few of to be judged, in the plural, and how many."""

    what: str
    support: float


class Place(NamedTuple):
    """Where a rule is judged: on all rows or a subgroup.

    ``test`` is the test of being beyond the limit, or a text that says why there is none. ``rows``
    are the rows of the estimate; ``few`` is what there is too little of to judge.
    """

    subgroup: str | None
    test: Evidence | str
    rows: float = 0.0
    few: Few | None = None


def findings(
    rule: Rule, model: str, baseline: str | None, places: Sequence[Place], level: float
) -> list[Judged]:
    """Return the findings of a rule on all rows, or on every subgroup.

    A gate passes if every rule is met, which needs no correction. It fails if any rule is not met,
    so the p-values of failures are corrected for the number of subgroups (Holm).
    """
    p = [math.nan if t.few or isinstance(t.test, str) else t.test.p_value for t in places]
    corrected = holm(np.array(p)).tolist()
    return [
        in_words(_judged(rule, model, baseline, place, p_value, level, alone=len(places) == 1))
        for place, p_value in zip(places, corrected, strict=True)
    ]


def _judged(
    rule: Rule,
    model: str,
    baseline: str | None,
    place: Place,
    p_value: float,
    level: float,
    *,
    alone: bool,
) -> Judged:
    finding = Judged(
        rule=rule.text,
        severity="warning",
        text="",
        model=model,
        metrics=(rule.metric,),
        subject=rule.subject,
        subgroup=place.subgroup,
        baseline=baseline if rule.margin is not None else None,
        level=level,
        side=rule.side,
        limit=rule.limit,
        margin=rule.margin,
    )
    if isinstance(place.test, str):
        return replace(finding, reason=place.test)
    value = place.test.estimate
    assert value is not None
    finding = replace(
        finding,
        value=value.value,
        low=value.low,
        high=value.high,
        p_value=p_value,
        method=value.method,
    )
    is_loss = get(rule.metric)._sampling.row_loss is not None
    if is_loss and rule.margin is None and rule.side == "<=" and value.value == math.inf:
        remedy = "clip the scores, or limit the Brier score"
        reason = f"probability 0 was given to a class that occurred; {remedy}"
        return replace(finding, verdict="fail", reason=reason, remedy=remedy)
    why = value.reason or (value.method or "no interval" if math.isnan(value.low) else None)
    if place.few:
        reason = f"too few {place.few.what} to judge this subgroup"
        numbers = {} if why else {FEW: float(round(place.few.support, 1))}
        return replace(finding, verdict="undecided", reason=why or reason, numbers=numbers)
    if why:
        return replace(finding, reason=why)
    sign = 1.0 if rule.side == ">=" else -1.0
    worst, best = sorted((sign * value.low, sign * value.high))
    care = None if value.warning is None else f"with care: {value.warning}"
    if worst >= sign * rule.limit:
        return replace(finding, verdict="pass", reason=care)
    # Where there is no test the interval alone decides; with one, both must say so.
    significant = p_value < (1 - level) / 2 or (alone and math.isnan(p_value))
    if best < sign * rule.limit:
        uncorrected = "beyond the limit, but not after correction for the number of subgroups"
        return replace(
            finding,
            verdict="fail" if significant else "undecided",
            reason=care if significant else uncorrected,
        )
    needed = worse = None
    if rule.margin and isinstance(value, Difference):
        if alone and best < 0 and value.p_value < 1 - level:
            p = p_is(value.p_value, value.p_at_most)
            shown = f"shown to be worse than {baseline} by {rule.subject} ({p})"
            worse = f"{WORSE}, but {model} is {shown}"
        else:
            needed = rows_for_effect(
                rule.margin, value.error, place.rows, 1 - level, two_sided=False
            )
    return replace(finding, verdict="undecided", needed=needed, reason=worse)


def in_words(f: Judged) -> Judged:
    """Return a finding with its sentence, its severity and the numbers in it."""
    names = ("value", "low", "high", "limit") if not math.isnan(f.value) else ()
    numbers = {n: x for n in names if not math.isnan(x := getattr(f, n))}
    return replace(
        f,
        severity="info" if f.verdict == "pass" else "warning",
        text=said_of(f),
        numbers={**f.numbers, **numbers},
    )


def _without(code: str, ev: Evaluation, model: str) -> Judged:
    """Return the finding of a forbidden code: it fails if a model has the warning or advice."""
    warnings = said_with(code, ev, model)
    finding = Judged(
        rule=f"{FORBID}{code}",
        severity="info",
        text="",
        model=model,
        subject=code,
        verdict="pass",
        level=ev.level,
        side="<=",
        limit=0.0,
    )
    if warnings is None:
        finding = replace(
            finding, verdict="cannot judge", reason="this is not checked for such data"
        )
    elif warnings:
        first = warnings[0]
        finding = replace(
            finding,
            verdict="fail",
            reason=first.text,
            remedy=first.remedy,
            numbers=first.numbers,
            sources=first.sources,
            metrics=first.metrics,
        )
    return in_words(finding)


def _read(name: str, value: Any) -> Any:
    return _KINDS[name].of(name, value)
