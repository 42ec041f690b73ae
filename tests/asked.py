"""Every result that a user can hold, after it was asked everything that needs no arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

import tallymark as tm
from judged import counted_of
from tallymark.infer.corrected_t import corrected_t
from tallymark.metric import ByMetric, Metric
from tallymark.part import part_roles
from tallymark.reading.inspection import inspection_of
from tallymark.reading.result_table import read_results
from test_contract import SCORE, Y, results

WRITES = {"report", "plot"}
"""What writes a file or draws."""

MOST_OF_A_KIND = 40
"""Elements of one answer that are looked at."""


def evaluations() -> dict[str, Any]:
    """Return evaluations of every kind of predictions, by what is special about them."""
    rng = np.random.default_rng(1)
    classes, shares = np.repeat(list("abc"), 40), rng.dirichlet([1, 1, 1], 120)
    y, scores = list(Y), list(SCORE)
    weights = np.arange(80) % 3 + 1
    tally = tm.evaluate(y, y_score=scores)
    where = np.arange(400) // 2 % 4
    sites = tm.evaluate(y * 5, y_score=scores * 5, subgroup={"at": where}).by("at")
    two = tm.evaluate(y, y_score={"a": scores, "b": scores[::-1]}, subgroup={"at": where[:80]})
    table = {"dataset": ["d"] * 4, "algorithm": list("xyxy"), "repeat": [0, 0, 1, 1]}
    table |= {"fold": [0] * 4, "auc": [0.9, 0.8, 0.7, 0.8], "f1": [0.6, 0.8, 0.7, 0.5]}
    return {
        "three classes": tm.evaluate(classes, y_score=shares, classes=list("abc")),
        "several labels": tm.evaluate(
            np.stack([Y, Y & (SCORE > 0.4)], 1), y_score=np.stack([SCORE, SCORE - 0.1], 1)
        ),
        "three classes, decided": tm.evaluate(classes, classes[::-1]),
        "decisions": tm.evaluate(y, np.array(scores) > 0.5),
        "roles": tm.evaluate(y, y_score=scores, **dict.fromkeys(part_roles(), np.arange(1, 81.0))),
        "folds": tm.evaluate(y, y_score=scores, fold=np.arange(80) % 5),
        "clusters": tm.evaluate(y, y_score=scores, cluster=np.arange(80) // 4),
        "weights": tm.evaluate(y, y_score=scores, weight=weights),
        "other balance": tally.at(prevalence=0.1),
        "other threshold": tally.at(threshold=0.3),
        "frame": tm.evaluate({"truth": y, "score": scores}),
        "counted, of two models by subgroup": counted_of(two),
        "differences of subgroups": sites.differences("recall"),
        "worst subgroup": sites.worst_of_all("recall"),
        "heterogeneity": sites.heterogeneity("sensitivity"),
        "table of results": read_results(table),
        "test of folds": corrected_t([0.9, 0.8, 0.85], [0.8, 0.75, 0.8], ratio=0.5),
        "inspection": inspection_of({"truth": y, "score": scores}, None, "not run", {}),
        "plan": tm.plan.proportion(0.9, half_width=0.05),
        "two samples": tally.compare_with(tm.evaluate(y[:60], y_score=scores[:60])),
    }


def questions(result: Any) -> dict[str, Any]:
    """Return the answers to all that a result can be asked without arguments, by name."""
    answers: dict[str, Any] = {}
    if isinstance(result, Metric):  # its facts are functions, and go by its name
        return answers
    for name in dir(result):
        if name.startswith("_") or name in WRITES:
            continue
        try:
            answer = getattr(result, name)
            if inspect.ismethod(answer) and answer.__self__ is result:
                answer = answer() if _needs_nothing(answer) else None
        except tm.TallymarkError:  # refused here, such as a threshold without scores
            continue
        answers[name] = answer
    return answers


def _needs_nothing(method: Any) -> bool:
    parameters = inspect.signature(method).parameters.values()
    collects = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return all(p.default is not p.empty or p.kind in collects for p in parameters)


@cache
def asked() -> dict[str, Any]:
    """Return one result of each class, and the evaluations, each after all its questions."""
    found: dict[str, Any] = {}
    seen: set[type] = set()
    special = evaluations()
    waiting = [*special.items(), *results().items()]
    while waiting:
        name, made = waiting.pop(0)
        if isinstance(made, list | tuple) and not hasattr(made, "_fields"):
            waiting += [(name, one) for one in islice(made, MOST_OF_A_KIND)]
        elif isinstance(made, Mapping) and type(made) in (dict, ByMetric):
            waiting += [(name, one) for one in islice(made.values(), MOST_OF_A_KIND)]
        elif _is_ours(made) and (name in special or type(made) not in seen):
            seen.add(type(made))
            found[name] = made
            answers = questions(made)
            waiting += [(f"{name}.{word}", answer) for word, answer in answers.items()]
            if isinstance(made, tm.Evaluation):
                waiting.append((f"{name}, counted", counted_of(made)))
    return found


def _is_ours(made: Any) -> bool:
    return type(made).__module__.startswith("tallymark.") and not isinstance(made, Exception)


def said(result: Any) -> dict[str, str]:
    """Return what a result says of itself in every form that it has."""
    if isinstance(result, Mapping):
        return {"items": str(dict(result))}
    if type(result).__repr__ is object.__repr__:  # such as a metric of batches
        return {"result": str(result.result())}
    forms = ("__repr__", "__str__", "to_dict", "to_json", "to_dicts", "to_markdown")
    return {form: str(getattr(result, form)()) for form in forms if hasattr(result, form)}
