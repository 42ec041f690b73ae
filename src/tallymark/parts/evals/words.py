"""A leaderboard in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark import InputError
from tallymark.core import (
    choice,
    groups_of_models,
    many,
    models_named,
    not_told_apart,
    p_is,
    proved_pairs,
    rank_range,
    who_beats,
    words,
)

if TYPE_CHECKING:
    from tallymark.parts.evals.leaderboard import GradedPair, Leaderboard, Standing


def about(board: Leaderboard) -> str:
    """Return how many models answered how many questions."""
    units = many(board.questions, "question")
    if board.clusters is not None:
        units += f" in {many(board.clusters, 'cluster')}"
    if len(board.tasks) > 1:
        counts = "each task counts the same" if board.weigh == "tasks" else "by questions"
        units += f" of {many(len(board.tasks), 'task')} ({counts})"
    most = max(m.answers[1] for m in board.models)
    fewest = min(m.answers[0] for m in board.models)
    answers = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    each = "" if most == 1 else f", {answers} answers each"
    return f"{many(len(board.models), 'model')} on {units}{each}"


def ranks(m: Standing) -> str:
    """Return the ranks that a model may have: "1", or "1 to 3"."""
    return rank_range(m.rank_low, m.rank_high)


def finding(board: Leaderboard) -> str:
    """Return which model to use, or that this is not decided; empty for one model."""
    names = [m.model for m in board.models]
    return choice(names, proved_pairs(board.pairs)) if board.pairs else ""


def verdict(board: Leaderboard) -> str:
    """Return who beats whom, which models cannot be distinguished, and what the questions show."""
    if len(board.models) == 1:
        m = board.models[0]
        mean = words.with_interval(m.value)
        return f"{words.text(m.model)}: {mean} on {many(board.questions, 'question')}."
    names = [m.model for m in board.models]
    apart = not_told_apart(board.groups, f"on {many(board.questions, 'question')}")
    return " ".join([*who_beats(names, proved_pairs(board.pairs)), *apart, *_shown(board)])


def _shown(board: Leaderboard) -> Iterator[str]:
    """Yield the smallest detectable difference, and how many questions a smaller one needs."""
    pair = board.pairs[0]
    both = models_named([pair.first, pair.second])
    if pair.smallest is not None:
        yield (
            f"These questions can show a difference of {points(pair.smallest)} or more between "
            f"{both} with 80 % power."
        )
    elif pair.disagreement:
        yield f"These questions are too few to show any difference between {both}."
    else:
        yield f"{both} never disagree, so nothing says which difference these questions show."
    if board.least is not None and pair.disagreement:
        try:
            n = board.questions_for(board.least)
        except InputError as error:
            yield f"{str(error)[0].upper()}{str(error)[1:]}."
            return
        yield (
            f"To show {points(board.least)} you need {many(n, 'question')}, if {both} disagree as "
            "often as here."
        )


def points(difference: float) -> str:
    """Return a difference of shares in percentage points.

    >>> points(0.0213), points(-0.5)
    ('2.1 points', '−50 points')
    """
    return f"{words.written(100 * difference, '.2g')} points"


def unsolved(board: Leaderboard) -> str:
    """Return how many questions all or no models solve."""
    if len(board.models) < 2:
        return (
            f"{board.solved_by_none:,} of {many(board.questions, 'question')} never solved, "
            f"{board.solved_by_all:,} always"
        )
    return (
        f"All models solve {board.solved_by_all:,} and no model solves {board.solved_by_none:,} of "
        f"{many(board.questions, 'question')}; these cannot tell the models apart."
    )


def groups(board: Leaderboard) -> str:
    """Return the groups of models without a proved difference."""
    return groups_of_models(board.groups)


def methods(board: Leaderboard) -> list[str]:
    """Return how numbers are computed."""
    out = [f"Means: {listed_methods({m.value.method or '' for m in board.models})}."]
    if board.pairs:
        out.append(
            f"Differences: {listed_methods({p.method for p in board.pairs})}; p by Holm's method "
            f"over {many(len(board.pairs), 'pair')}; intervals and smallest differences are for "
            "one pair."
        )
        out.append(
            "A rank interval runs from 1 plus the number of models proved better to the number of "
            "models minus those proved worse."
        )
    return out


def listed_methods(methods: set[str]) -> str:
    """Return methods in a stable order."""
    return "; ".join(sorted(filter(None, methods)))


def outcome(pair: GradedPair) -> str:
    """Return the result of a pair: who is better, or that no difference is proved."""
    p = p_is(pair.adjusted)
    if pair.winner is None:
        return f"not proved ({p})"
    return f"{words.text(pair.winner)} ({p})"
