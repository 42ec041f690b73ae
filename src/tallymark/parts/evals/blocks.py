"""Leaderboards as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tallymark import Value
from tallymark.core import (
    GAP,
    Block,
    Cell,
    Grid,
    Headline,
    Paragraph,
    Row,
    interval_head,
    many,
    number,
    p_value,
    paragraphs,
    percent,
    words,
)
from tallymark.parts.evals.tally import GradeTally
from tallymark.parts.evals.words import (
    about,
    finding,
    groups,
    methods,
    outcome,
    ranks,
    unsolved,
    verdict,
)

if TYPE_CHECKING:
    from tallymark.parts.evals.leaderboard import GradedPair, Leaderboard, Standing

_MOST_PAIRS = 28
_MOST_K = 10


def leaderboard(board: Leaderboard) -> Iterator[Block]:
    """Yield the models with their ranks, the pairs, the tasks, and the verdict."""
    best = board.models[0]
    yield Headline(f"{about(board)}, {words.text(best.model)} {words.value(best.value)}")
    yield Paragraph(words.text(board.source), "title")
    yield Paragraph(about(board))
    yield from (Paragraph(words.said(line), "dim", 2) for line in board.read_as)
    yield GAP
    yield from paragraphs([finding(board)] * bool(board.pairs), "title")
    yield Paragraph(verdict(board))
    yield GAP
    yield of_models(board)
    if board.pairs:
        yield Paragraph(groups(board))
        yield GAP
        yield of_pairs(board, board.pairs[:_MOST_PAIRS])
        if (more := len(board.pairs) - _MOST_PAIRS) > 0:
            yield Paragraph(f"{many(more, 'other pair')}: in the JSON and on the page", "dim")
    for table in (of_tasks(board), of_answers(board)):
        if table is not None:
            yield GAP
            yield table
    yield GAP
    yield Paragraph(unsolved(board))
    yield from paragraphs((f"warning: {words.said(w)}." for w in board.warnings), "warning")
    yield from paragraphs(methods(board), "dim")


def of_models(board: Leaderboard) -> Grid:
    """Return a row for each model: ranks, mean, interval and answers."""
    several = len(board.models) > 1
    counted = {
        "lacks": [m.missing for m in board.models],
        "left out": [m.left_out for m in board.models],
        "errors as wrong": [m.wrong for m in board.models],
    }
    beside = [name for name, numbers in counted.items() if any(numbers)]
    heads = (*["rank"] * several, "model", "mean", interval_head(board.level), *beside)
    rows: list[Row] = []
    for i, m in enumerate(board.models):
        v = m.value
        cells = [ranks(m)] if several else []
        cells += [words.text(m.model), words.value(v), words.interval(v)]
        rows.append((*cells, *(f"{counted[name][i]:,}" for name in beside)))
    return Grid(heads, rows, "Models from the best mean down", left=(0, 1) if several else (0,))


def of_pairs(board: Leaderboard, pairs: Sequence[GradedPair]) -> Grid:
    """Return a row for each pair: the difference, its interval and what is proved."""
    heads = (
        "first",
        "second",
        "difference",
        interval_head(board.level),
        "won, equal, lost",
        "smallest shown",
        "p",
        "better",
    )
    rows: list[Row] = [
        (
            words.text(p.first),
            words.text(p.second),
            words.to_width(p.difference, p.low, p.high, "+")[0],
            words.between(p.low, p.high, "+"),
            f"{p.first_better:,}, {p.equal:,}, {p.second_better:,}",
            "-" if p.smallest is None else number(p.smallest),
            p_value(p.adjusted),
            Cell(words.text(p.winner or "not proved"), style="best" if p.winner else ""),
        )
        for p in pairs
    ]
    return Grid(
        heads, rows, "First minus second, on the same questions", left=(0, 1, 7), optional=(5, 4)
    )


def of_tasks(board: Leaderboard) -> Grid | None:
    """Return a row for each task, None for one task."""
    if len(board.tasks) == 1:
        return None
    names = [m.model for m in board.models]
    rows: list[Row] = [
        (words.text(task), *(_with_bounds(v[m]) for m in names))
        for task, v in board.by_task.items()
    ]
    heads = ("task", *(words.text(m) for m in names))
    return Grid(heads, rows, "Means on each task")


def of_answers(board: Leaderboard) -> Grid | None:
    """Return pass@k, pass^k and consistency of several answers to a question, None without."""
    k = min(m.answers[0] for m in board.models)
    if k < 2 or not board.tally.shares:
        return None
    k = min(k, _MOST_K)
    columns = {f"pass@{k}": board.pass_at(k), f"pass^{k}": board.pass_all(k)}
    columns["consistency"] = board.consistency()
    rows: list[Row] = [
        (words.text(m.model), *(_with_bounds(of[m.model]) for of in columns.values()))
        for m in board.models
    ]
    caption = "At least one right, all right, and pairs of answers that agree"
    return Grid(("model", *columns), rows, caption)


def _with_bounds(v: Value) -> Cell:
    return Cell(words.value(v), under=words.interval(v))


def standing(m: Standing) -> Iterator[Block]:
    """Yield one line: the mean of a model and the range of its rank."""
    line = f"{words.text(m.model)}: {words.with_interval(m.value)}, rank {ranks(m)}"
    yield Headline(line, line)
    yield Paragraph(line)


def graded_pair(p: GradedPair) -> Iterator[Block]:
    """Yield the difference of two models in one line."""
    difference, low, high = words.to_width(p.difference, p.low, p.high, "+")
    line = (
        f"{words.text(p.first)} − {words.text(p.second)}: {difference} "
        f"({percent(p.level, 0)} CI {low} to {high}); better: {outcome(p)}"
    )
    yield Headline(line, line)
    yield Paragraph(line)


def grade_tally(tally: GradeTally) -> Iterator[Block]:
    """Yield how many models, questions and answers a tally has."""
    answers = many(int(tally.answers.sum()), "answer")
    models = many(len(tally.models), "model")
    line = f"{answers} of {models} to {many(len(tally.items), 'question')}"
    yield Headline(line)
    yield Paragraph(line)
