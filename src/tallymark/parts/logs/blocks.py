"""Logs as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tallymark.core import (
    Block,
    Grid,
    Headline,
    Paragraph,
    Row,
    enumerated,
    grouped,
    interval_head,
    many,
    number,
    paragraphs,
    said,
    words,
)
from tallymark.parts.logs.log import Log, LogNumber, LogScore


def log(result: Log) -> Iterator[Block]:
    """Yield the tools, a row for each model, task and scorer, and how errors are counted."""
    files = f"{many(len(result.files), 'file')} of {enumerated(list(result.tools))}"
    yield Headline(f"{files}, {many(len(result.rows), 'score')}")
    yield Paragraph(f"{files}: {many(len(result.rows), 'score')} of items", "title")
    if result.scores:
        yield _of_items(result)
    if result.aggregates:
        yield Paragraph("Finished numbers of files without scores of items")
        yield _of_numbers(result)
    yield from paragraphs(_without_interval([*result.scores, *result.aggregates]))
    yield from paragraphs(map(said, _denominators(result)))
    yield from paragraphs(result.notes, "dim")


def _of_items(result: Log) -> Grid:
    epochs, missing, errors, tasks = (
        any(s.epochs > 1 for s in result.scores),
        any(s.unscored for s in result.scores),
        any(s.errors for s in result.scores),
        any(s.task for s in result.scores),
    )
    heads = ["model", *["task"] * tasks, "scorer", "items", *["epochs"] * epochs]
    heads += ["unscored"] * missing + ["errors"] * errors
    rows: list[Row] = []
    for s in result.scores:
        cells = [s.model, *[s.task or ""] * tasks, s.scorer, f"{s.items:,}"]
        cells += [str(s.epochs)] * epochs + [f"{s.unscored:,}"] * missing
        rows.append(
            [
                *cells,
                *[f"{s.errors:,}"] * errors,
                words.to_width(s.mean, s.low, s.high)[0],
                _bounds(s),
            ]
        )
    heads += ["mean", interval_head(result.level)]
    return Grid(heads, rows, left=range(2 + tasks))


def _of_numbers(result: Log) -> Grid:
    tasks = any(a.task for a in result.aggregates)
    stated = any(a.se is not None for a in result.aggregates)
    heads = ["model", *["task"] * tasks, "scorer", "items", "value", *["stated error"] * stated]
    rows: list[Row] = []
    for a in result.aggregates:
        cells = [a.model, *[a.task or ""] * tasks, a.scorer, "" if a.n is None else f"{a.n:,}"]
        error = "" if a.se is None else number(a.se)
        rows.append([*cells, words.value(a), *[error] * stated, _bounds(a)])
    return Grid([*heads, interval_head(result.level)], rows, left=range(2 + tasks))


def _without_interval(scores: Sequence[LogScore | LogNumber]) -> Iterator[str]:
    """Yield each reason for a missing interval, with the scorers that it holds for."""
    by_reason = grouped((s.reason, s.scorer) for s in scores if s.reason)
    for reason, names in by_reason.items():
        yield f"No interval for {enumerated(list(dict.fromkeys(names)))}: {reason}."


def _bounds(s: LogScore | LogNumber) -> str:
    return words.between(s.low, s.high)


def _denominators(result: Log) -> Iterator[str]:
    """Yield how errors and missing scores enter the means."""
    wrong = sum(r.state == "error" and r.value is not None for r in result.rows)
    omitted = sum(r.state == "error" and r.value is None for r in result.rows)
    if wrong:
        yield (
            f"{many(wrong, 'score')} of samples that failed count as wrong; errors='left-out' "
            "leaves them out."
        )
    if omitted:
        yield (
            f"{many(omitted, 'score')} of samples that failed {'is' if omitted == 1 else 'are'} "
            "left out of the means; errors='wrong' counts those of scorers of 0 and 1 as wrong."
        )
    if missing := sum(r.state == "unscored" for r in result.rows):
        yield f"{many(missing, 'missing score')} left out of the means."
