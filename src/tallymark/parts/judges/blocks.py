"""Few labels and a judge as blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tallymark import Value
from tallymark.core import (
    GAP,
    Block,
    Grid,
    Headline,
    Paragraph,
    count,
    enumerated,
    interval,
    interval_head,
    many,
    number,
    said,
    title,
    words,
)
from tallymark.parts.judges.case import JudgedMetric
from tallymark.parts.judges.dependence import JudgeDependence
from tallymark.parts.judges.results import FewLabels
from tallymark.parts.judges.tally import JudgedTally


def judged_tally(t: JudgedTally) -> Iterator[Block]:
    """Yield the counts of a tally."""
    total = f"{count(int(t.rows.sum()))} rows, {count(t.labelled)} of them with a true class"
    yield Headline(total)
    yield Paragraph(total)
    heads = ("truth", "judge", *map(words.text, t.models), "rows")
    lines = []
    counted = t._decisions
    for codes, n in zip(counted.cells.tolist(), counted.rows.tolist(), strict=True):
        shown = ["–" if c < 0 else words.text(t.labels[c]) for c in codes]
        lines.append((*shown, count(n)))
    yield Grid(heads, lines, left=range(len(heads) - 1))


def few_labels(result: FewLabels) -> Iterator[Block]:
    """Yield the metrics with their intervals, the judge, the differences and what to watch."""
    yield Headline(_headline(result))
    who = words.text(result.judged_by)
    yield Paragraph(
        f"{words.text(result.source)}: {result.labelled:,} of {many(result.rows, 'row')} have a "
        f"true class; the judge {who} gives a value in all of them",
        "title",
    )
    if result.models:
        yield from _models(result)
    yield from _shares(result)
    yield from _judge(result)
    yield from _differences(result)
    for name, part in result.subgroups.items():
        yield GAP
        yield Paragraph(f"{words.text(name)}: {_headline(part)}", item=True)
    yield GAP
    for f in result.notes:
        head = "warning: " if f.severity == "warning" else ""
        yield Paragraph(said(f"{head}{f.text}."), "warning" if head else "dim", item=bool(head))


def _headline(result: FewLabels) -> str:
    if result.metrics:
        first = result.metrics[0]
        name, value = title(first.value.metric), first.value
    else:
        chosen = _chosen(result)
        name, value = f"share of {words.text(chosen.label)}", chosen.value
    return (
        f"{name} {words.with_interval(value)} from {result.labelled:,} labels and a judge on "
        f"{many(result.rows, 'row')}"
    )


def _chosen(result: FewLabels):  # type: ignore[no-untyped-def]
    """Return the share of the positive class, or of the first one."""
    of = {s.label: s for s in result.shares}
    return of.get(result.positive, result.shares[0])  # type: ignore[arg-type]


def _alone(value: Value | None) -> tuple[str, str]:
    if value is None:
        return "–", ""
    return number(value.value), interval(value)


def _models(result: FewLabels) -> Iterator[Block]:
    several = len(result.models) > 1
    rows = []
    for m in result.metrics:
        cells = [words.text(m.model)] * several + [title(m.value.metric)]
        worth = "" if m.worth is None else f"{round(m.worth):,}"
        cells += [_number(m), interval(m.value), *_alone(m.labels_only), worth]
        rows.append([*cells, number(m.judge_as_truth)])
    heads = [*["model"] * several, "metric", "value", interval_head(result.level)]
    heads += ["labels only", "its interval", "worth labels", "judge as truth"]
    last = len(heads)
    yield Grid(
        heads,
        rows,
        "“Worth labels”: so many labels at random would give as narrow an interval without a "
        "judge.",
        left=range(1 + several),
        optional=(last - 3, last - 1, last - 4, last - 2),
    )
    for m in result.metrics:
        if m.value.reason:
            yield Paragraph(f"{title(m.value.metric)} is undefined: {m.value.reason}.", "dim")


def _number(m: JudgedMetric) -> str:
    return "–" if math.isnan(m.value.value) else number(m.value.value)


def _shares(result: FewLabels) -> Iterator[Block]:
    rows = []
    for s in result.shares:
        cells = [words.text(s.label), number(s.value.value), interval(s.value)]
        rows.append([*cells, *_alone(s.labels_only), number(s.judge_as_truth)])
    heads = ("class", "share", interval_head(result.level), "labels only", "its interval")
    yield GAP
    yield Grid(
        (*heads, "judge says"),
        rows,
        optional=(4, 3),
    )


def _judge(result: FewLabels) -> Iterator[Block]:
    values = [v for v in result.judge if not v.reason]
    yield GAP
    if (agreement := next((v for v in values if v.metric == "accuracy"), None)) is not None:
        low, high = (words.percent(x) for x in (agreement.low, agreement.high))
        numbers = [
            f"{_of_class(v, result)} {words.with_interval(v)}"
            for v in values
            if v.metric != "accuracy"
        ]
        more = f"; {enumerated(numbers)}" if numbers else ""
        yield Paragraph(
            f"The judge agrees with the true class in {words.percent(agreement.value)} of rows "
            f"({100 * result.level:g} % CI {low} to {high}){more}."
        )
    for found in result.dependence:
        yield Paragraph(_dependence(found, result))
    if result.subgroups:
        yield from _judge_by_subgroup(result)


def _of_class(value: Value, result: FewLabels) -> str:
    """Return the title of a metric of the judge, with its class where there are several."""
    if result.positive is None and "positive" in value.definition:
        return f"{title(value.metric)} of {words.text(value.definition['positive'])}"
    return title(value.metric)


def _dependence(found: JudgeDependence, result: FewLabels) -> str:
    """Return one sentence on the judge's errors in two groups of rows."""
    judge, (first, second) = words.text(result.judged_by), map(words.text, found.groups)
    one, other = (100 * v.value for v in found.errors)
    gap, low, high = (100 * getattr(found.difference, n) for n in ("value", "low", "high"))
    if result.positive is None:
        errors = (
            f"is wrong in {one:.1f} % of rows where {first} and in {other:.1f} % where {second}"
        )
    else:
        errors = (
            f"says {words.text(result.positive)} {_too_often(one)} where {first} and "
            f"{_too_often(other)} where {second}"
        )
    clear = "depend" if low > 0 or high < 0 else "are not shown to depend"
    interval_of = f"{100 * result.level:g} % CI {low:+.1f} to {high:+.1f}"
    difference = f"difference {gap:+.1f} points ({interval_of})"
    return f"{judge} {errors}: {difference}. Its errors {clear} on the {found.of}."


def _too_often(points: float) -> str:
    return f"too {'often' if points >= 0 else 'rarely'} by {abs(points):.1f} points"


def _judge_by_subgroup(result: FewLabels) -> Iterator[Block]:
    """Yield the judge's own metrics in each subgroup, such as by the model that it judged."""
    heads = [_of_class(v, result) for v in result.judge]
    rows = []
    for name, part in result.subgroups.items():
        cells = [f"{number(v.value)} ({interval(v)})" if not v.reason else "–" for v in part.judge]
        rows.append([words.text(name), *cells])
    yield GAP
    yield Grid(
        ("the judge where", *heads),
        rows,
        f"Intervals of {100 * result.level:g} %.",
        left=(0,),
        optional=range(len(heads), 2, -1),
    )


def _differences(result: FewLabels) -> Iterator[Block]:
    if not result.differences:
        return
    rows = []
    for d in result.differences:
        pair = f"{words.text(d.first)} − {words.text(d.second)}"
        bounds = f"{words.signed(d.value.low)} to {words.signed(d.value.high)}"
        clear = "" if d.value.low <= 0 <= d.value.high else "differ"
        rows.append([pair, title(d.value.metric), words.signed(d.value.value), bounds, clear])
    yield GAP
    yield Grid(
        ("models", "metric", "difference", interval_head(result.level), ""),
        rows,
        "“differ”: the interval excludes 0; not adjusted for the number of metrics or pairs.",
        left=(0, 1, 4),
    )
