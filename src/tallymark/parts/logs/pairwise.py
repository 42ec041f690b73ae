"""Logs of judges that compare the answers of two models: 1 is a win, 0.5 a tie, 0 a loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tallymark.core import many
from tallymark.parts.logs.log_files import LogFile
from tallymark.parts.logs.records import Found, failed, number_of, scored

WIN = "win"
"""The scorer of comparisons."""


def _game(item: Any, models: tuple[Any, Any], first_wins: float | None) -> Iterator[Found]:
    """Yield the result of a comparison for both models; None is an error of the judge."""
    results = (None, None) if first_wins is None else (first_wins, 1 - first_wins)
    for model, value in zip(models, results, strict=True):
        if value is None:
            yield failed(item, WIN, model=str(model))
        else:
            yield scored(item, WIN, value, model=str(model))


def alpaca_eval(log: LogFile) -> Iterator[Found]:
    """Yield how often the model wins: a preference of 1 is the base's, 2 the model's."""
    bases = set()
    for row in log.records():
        bases.add(str(row["generator_1"]))
        value = number_of(row["preference"])
        if value is not None:
            value = 0.5 if value == 0 else value - 1
        where = {"model": str(row["generator_2"]), "task": row.get("dataset")}
        yield scored(row["instruction"], WIN, value, **where)
    yield f"a win is a win against {' or '.join(sorted(bases))}"


def mt_bench_pairs(log: LogFile) -> Iterator[Found]:
    """Yield the comparisons of both models: a win needs both orders, else it is a tie."""
    same = judged = 0
    for row in log.records():
        games, models = (row["g1_winner"], row["g2_winner"]), (row["model_1"], row["model_2"])
        item = f"{row['question_id']} turn {row.get('turn', 1)}"
        if "error" in games:
            yield from _game(item, models, None)
            continue
        judged += 1
        same += games[0] == games[1]
        won = {("model_1", "model_1"): 1.0, ("model_2", "model_2"): 0.0}.get(games, 0.5)
        yield from _game(item, models, won)
    yield (
        f"the judge decided alike in both orders in {same} of {many(judged, 'comparison')}; the "
        "others are ties"
    )


def mt_bench_scores(log: LogFile) -> Iterator[Found]:
    """Yield the judge's score of each turn; a score of -1 is an error of the judge."""
    for row in log.records():
        item, value = f"{row['question_id']} turn {row.get('turn', 1)}", number_of(row["score"])
        where: dict[str, Any] = {"model": str(row["model"])}
        if value == -1:
            yield failed(item, "score", **where)
        else:
            yield scored(item, "score", value, **where)


def arena(log: LogFile) -> Iterator[Found]:
    """Yield the battles of both models; the winner names a side, and each kind of tie is a tie."""
    for place, row in enumerate(log.records()):
        models = (row["model_a"], row["model_b"])
        won = {"model_a": 1.0, "model_b": 0.0}.get(row["winner"])
        won = 0.5 if str(row["winner"]).startswith("tie") else won
        yield from _game(row.get("question_id", place), models, won)


_TURNED = {"A>B": "B>A", "B>A": "A>B"}


def judgebench(log: LogFile) -> Iterator[Found]:
    """Yield whether the judge finds the better answer over both orders; the second is swapped."""
    for row in log.records():
        label = row["label"]
        decisions: list[Any] = [(j or {}).get("decision") for j in row["judgments"]]
        decisions[1:] = [_TURNED.get(d, d) for d in decisions[1:]]
        lead = decisions.count(label) - decisions.count(_TURNED[label])
        where = {"model": _judge(row), "task": row.get("source")}
        if all(d is None for d in decisions):
            yield failed(row["pair_id"], "correct", wrong=True, **where)
        else:
            yield scored(row["pair_id"], "correct", lead > 0, **where)


def _judge(row: Mapping[str, Any]) -> str | None:
    named = row.get("judge_name") or next(
        (j["judge_name"] for j in row["judgments"] if j and j.get("judge_name")), None
    )
    return None if named is None else str(named)
