"""Few labels and a judge as blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tallymark import Value
from tallymark.core import (
    GAP,
    Block,
    Cell,
    Chart,
    Finding,
    Grid,
    Headline,
    Paragraph,
    Row,
    chart_of_means,
    choice,
    count,
    enumerated,
    groups_of_models,
    interval,
    interval_head,
    many,
    number,
    p_is,
    p_value,
    paragraphs,
    proved_pairs,
    rank_range,
    said,
    title,
    words,
)

if TYPE_CHECKING:
    from tallymark.parts.judges.board import JudgedBoard, JudgedPair
    from tallymark.parts.judges.case import JudgedMetric
    from tallymark.parts.judges.dependence import JudgeDependence
    from tallymark.parts.judges.results import FewLabels
    from tallymark.parts.judges.tally import JudgedTally

_MOST_PAIRS = 28


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
    yield Headline(headline_of(result))
    yield Paragraph(f"{words.text(result.source)}: {about_labels(result)}", "title")
    yield from (Paragraph(said(line), "dim", 2) for line in result.read_as)
    if result.models:
        yield from metrics_of(result)
    yield GAP
    yield shares_of(result)
    yield GAP
    yield from of_judge(result)
    if result.differences:
        yield GAP
        yield differences_of(result)
    if result.subgroups:
        yield GAP
        yield from subgroups_of(result)
    yield GAP
    yield from notes_of(result.notes)


def about_labels(result: FewLabels) -> str:
    """Return how many rows have a true class, and who the judge is."""
    return (
        f"{result.labelled:,} of {many(result.rows, 'row')} have a true class; the judge "
        f"{words.text(result.judged_by)} gives a value in all of them"
    )


def subgroups_of(result: FewLabels) -> Iterator[Block]:
    """Yield a line for each subgroup."""
    for name, part in result.subgroups.items():
        yield Paragraph(f"{words.text(name)}: {headline_of(part)}", item=True)


def notes_of(notes: Sequence[Finding]) -> Iterator[Paragraph]:
    """Yield what is assumed and what to watch."""
    for f in notes:
        head = "warning: " if f.severity == "warning" else ""
        yield Paragraph(said(f"{head}{f.text}."), "warning" if head else "dim", item=bool(head))


def judged_board(board: JudgedBoard) -> Iterator[Block]:
    """Yield the models with their ranks, the pairs, the verdict and what to watch."""
    best = board.models[0]
    yield Headline(f"{about_board(board)}, {words.text(best.model)} {words.value(best.value)}")
    yield Paragraph(words.text(board.source), "title")
    yield Paragraph(about_board(board))
    yield from (Paragraph(said(line), "dim", 2) for line in board.read_as)
    yield GAP
    yield from paragraphs([choice_of(board)] * bool(board.pairs), "title")
    yield Paragraph(board.verdict)
    yield GAP
    yield models_of(board)
    if board.pairs:
        yield Paragraph(groups_of_models(board.groups))
        yield GAP
        yield pairs_of(board.pairs[:_MOST_PAIRS])
        if (more := len(board.pairs) - _MOST_PAIRS) > 0:
            yield Paragraph(f"{many(more, 'other pair')}: in the JSON and on the page", "dim")
    yield GAP
    yield from (b for b in notes_of(board.notes) if b.style == "warning")
    yield from paragraphs(methods_of(board), "dim")
    yield from (b for b in notes_of(board.notes) if b.style != "warning")


def choice_of(board: JudgedBoard) -> str:
    """Return which model to use, or that this is not decided; empty for one model."""
    names = [m.model for m in board.models]
    return choice(names, proved_pairs(board.pairs)) if board.pairs else ""


def about_board(board: JudgedBoard) -> str:
    """Return how many models answered how many items, and how many answers have a label."""
    items = many(board.items, "item")
    if board.clusters is not None:
        items += f" in {many(board.clusters, 'cluster')}"
    return (
        f"{many(len(board.models), 'model')} on {items}; {board.labelled:,} of "
        f"{many(board.rows, 'answer')} have a label, and the judge {words.text(board.judged_by)} "
        "gives a value to all of them"
    )


def models_of(board: JudgedBoard) -> Grid:
    """Return one row per model: ranks, corrected rate, rate of labelled answers, judge's rate."""
    several = len(board.models) > 1
    rows = []
    for m in board.models:
        cells = [rank_range(m.rank_low, m.rank_high)] * several + [words.text(m.model)]
        cells += [words.value(m.value), interval(m.value), f"{m.labelled:,}"]
        rows.append([*cells, *_alone(m.labels_only), number(m.judge_as_truth)])
    heads = [*["rank"] * several, "model", "rate", interval_head(board.level), "labels"]
    heads += ["labels only", "its interval", "judge says"]
    last = len(heads)
    return Grid(
        heads,
        rows,
        f"Share of {words.text(board.positive)}, models from the best down",
        left=(0, 1) if several else (0,),
        optional=(last - 2, last - 3),
    )


def judged_pair(p: JudgedPair) -> Iterator[Block]:
    """Yield which of two models is better, or that this is not proved, and their difference."""
    first, second = words.text(p.first), words.text(p.second)
    proved = f"No difference between {first} and {second} is proved"
    if p.winner is not None:
        winner, loser = (first, second) if p.winner == p.first else (second, first)
        proved = f"{winner} beats {loser}"
    difference, low, high = words.to_width(p.difference, p.low, p.high, "+")
    bounds = f"{low} to {high}"
    yield Headline(
        f"{proved}: rate of {first} − {second} {difference} "
        f"({100 * p.level:g} % CI {bounds}), {p_is(p.adjusted)}"
    )
    yield Paragraph(f"{proved}.", "title")
    yield pairs_of([p])


def pairs_of(pairs: Sequence[JudgedPair]) -> Grid:
    """Return a row for each pair: the difference, its interval and what is proved."""
    level = interval_head(pairs[0].level)
    heads = ("first", "second", "difference", level, "judge says", "p")
    rows: list[Row] = [
        (
            words.text(p.first),
            words.text(p.second),
            words.to_width(p.difference, p.low, p.high, "+")[0],
            words.between(p.low, p.high, "+"),
            words.signed(p.judge_as_truth),
            p_value(p.adjusted),
            Cell(words.text(p.winner or "not proved"), style="best" if p.winner else ""),
        )
        for p in pairs
    ]
    return Grid(
        (*heads, "better"),
        rows,
        "First minus second, on the same items",
        left=(0, 1, 6),
        optional=(4,),
    )


def methods_of(board: JudgedBoard) -> list[str]:
    """Return how numbers are computed."""
    rates = sorted({str(m.value.method) for m in board.models})
    out = [f"Rates: {'; '.join(rates)}."]
    if board.pairs:
        out.append(
            f"Differences: {board.pairs[0].method}; p by Holm's method over "
            f"{many(len(board.pairs), 'pair')}; intervals are for one pair."
        )
    return out


def headline_of(result: FewLabels) -> str:
    """Return the first metric, or the share of the positive class, in one line."""
    name, value = first_of(result)
    return (
        f"{name} {words.with_interval(value)} from {result.labelled:,} labels and a judge on "
        f"{many(result.rows, 'row')}"
    )


def first_of(result: FewLabels) -> tuple[str, Value]:
    """Return the first metric of the first model, or the share of the positive class."""
    if result.metrics:
        return title(result.metrics[0].value.metric), result.metrics[0].value
    chosen = _chosen(result)
    return f"share of {words.cut_off(words.text(chosen.label), 20)}", chosen.value


def finding_of(result: FewLabels) -> str:
    """Return the first metric with its interval, with the model if there are several."""
    name, value = first_of(result)
    of = ""
    if len(result.models) > 1:
        of = f" of {words.cut_off(words.text(result.metrics[0].model), 15)}"
    bounds = f" ({interval(value)})" if interval(value) else ""
    return f"{name[0].upper()}{name[1:]}{of} is {words.value(value)}{bounds}."


def charts_of(result: FewLabels) -> Chart:
    """Return the first metric of each model, or the share of each class, with the intervals."""
    if not result.metrics:
        labels = [words.text(s.label) for s in result.shares]
        values = [s.value for s in result.shares]
        return chart_of_means("share of the rows", labels, values, "How frequent each class is")
    first, every = result.metrics[0].value.metric, result.metrics
    if len(result.models) == 1:
        names, heading = [title(m.value.metric) for m in every], "How good the model is"
        return chart_of_means("value", names, [m.value for m in every], heading)
    every = tuple(m for m in every if m.value.metric == first)
    return chart_of_means(title(first), [m.model for m in every], [m.value for m in every])


def worth_of(result: FewLabels) -> str:
    """Return how many labels the first metric rests on, and what the judge adds to them."""
    rows = f"From {many(result.labelled, 'label')} and a judge on {many(result.rows, 'row')}"
    worth = result.metrics[0].worth if result.metrics else None
    if worth is None or round(worth) <= result.labelled:
        return f"{rows}."
    return f"{rows}: as narrow as from {round(worth):,} random labels without the judge."


def _chosen(result: FewLabels):  # type: ignore[no-untyped-def]
    """Return the share of the positive class, or of the first one."""
    of = {s.label: s for s in result.shares}
    return of.get(result.positive, result.shares[0])  # type: ignore[arg-type]


def _alone(value: Value | None) -> tuple[str, str]:
    if value is None:
        return "–", ""
    return words.value(value), interval(value)


def metrics_of(result: FewLabels) -> Iterator[Block]:
    """Yield a row for each metric of each model."""
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
    return "–" if math.isnan(m.value.value) else words.value(m.value)


def shares_of(result: FewLabels) -> Grid:
    """Return a row for each class."""
    rows = []
    for s in result.shares:
        cells = [words.text(s.label), words.value(s.value), interval(s.value)]
        rows.append([*cells, *_alone(s.labels_only), number(s.judge_as_truth)])
    heads = ("class", "share", interval_head(result.level), "labels only", "its interval")
    return Grid((*heads, "judge says"), rows, optional=(4, 3))


def of_judge(result: FewLabels) -> Iterator[Block]:
    """Yield how good the judge is, and what its errors depend on."""
    values = [v for v in result.judge if not v.reason]
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
    interval_of = (
        f"{100 * result.level:g} % CI {words.written(low, '+.1f')} to {words.written(high, '+.1f')}"
    )
    difference = f"difference {words.written(gap, '+.1f')} points ({interval_of})"
    return f"{judge} {errors}: {difference}. Its errors {clear} on the {found.of}."


def _too_often(points: float) -> str:
    return f"too {'often' if points >= 0 else 'rarely'} by {abs(points):.1f} points"


def _judge_by_subgroup(result: FewLabels) -> Iterator[Block]:
    """Yield the judge's own metrics in each subgroup, such as by the model that it judged."""
    heads = [_of_class(v, result) for v in result.judge]
    rows = []
    for name, part in result.subgroups.items():
        cells = [f"{words.value(v)} ({interval(v)})" if not v.reason else "–" for v in part.judge]
        rows.append([words.text(name), *cells])
    yield GAP
    yield Grid(
        ("the judge where", *heads),
        rows,
        f"Intervals of {100 * result.level:g} %.",
        left=(0,),
        optional=range(len(heads), 2, -1),
    )


def differences_of(result: FewLabels) -> Grid:
    """Return one row per pair of models, with their difference."""
    rows = []
    for d in result.differences:
        pair = f"{words.text(d.first)} − {words.text(d.second)}"
        bounds = words.interval(d.value, "+")
        clear = "" if d.value.low <= 0 <= d.value.high else "differ"
        rows.append([pair, title(d.value.metric), words.value(d.value, "+"), bounds, clear])
    return Grid(
        ("models", "metric", "difference", interval_head(result.level), ""),
        rows,
        "“differ”: the interval excludes 0; not adjusted for the number of metrics or pairs.",
        left=(0, 1, 4),
    )
