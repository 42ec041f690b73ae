"""Logs of tools that score the answers of applications."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tallymark.core import enumerated, meaning
from tallymark.parts.logs.log_files import LogFile
from tallymark.parts.logs.records import Found, failed, number_of, scored, text_of


def _of_columns(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], items: Sequence[Any]
) -> Iterator[Found]:
    """Yield the columns in which every value is a score; columns with other texts are none."""
    for name in names:
        values = [row.get(name) for row in rows]
        given = [v for v in values if v not in (None, "")]
        if given and all(isinstance(v, float) or number_of(v) is not None for v in given):
            yield from (scored(i, name, v) for i, v in zip(items, values, strict=True))


def deepeval(log: LogFile) -> Iterator[Found]:
    """Yield score and success of each metric of a test case, and whether all succeed."""
    run = log.json
    where = {
        "model": (run.get("hyperparameters") or {}).get("model"),
        "task": run.get("datasetAlias"),
    }
    for place, case in enumerate(run["testCases"]):
        item = case.get("name") or place
        for metric in case.get("metricsData") or ():
            for part in ("score", "success"):
                scorer = f"{metric['name']}.{part}"
                if metric.get("error"):
                    yield failed(item, scorer, **where)
                else:
                    yield scored(item, scorer, metric.get(part), **where)
        yield scored(item, "success", case.get("success"), **where)


def is_mlflow(log: LogFile) -> bool:
    """Return whether a file holds results of MLflow: columns named NAME/score, or assessments."""
    columns = log.first.get("columns")
    table = "data" in log.keys and isinstance(columns, list)
    return "assessments" in log.keys or (table and any(map(_of_mlflow, columns or ())))


def _of_mlflow(column: Any) -> bool:
    return isinstance(column, str) and column.endswith(("/score", "/value"))


def mlflow(log: LogFile) -> Iterator[Found]:
    """Yield the columns NAME/v1/score or NAME/value of each row, or the feedback of each trace."""
    if log.kind == "object" and "columns" in log.keys:
        names = log.json["columns"]
        rows = [dict(zip(names, row, strict=True)) for row in log.json["data"]]
        items = [row.get("trace_id", place) for place, row in enumerate(rows)]
        yield from _of_columns(rows, [n for n in names if _of_mlflow(n)], items)
        return
    for place, trace in enumerate(log.records()):
        info = trace.get("info") or trace
        item = info.get("trace_id") or info.get("request_id") or place
        for one in trace["assessments"]:
            name, feedback = one.get("assessment_name") or one["name"], one.get("feedback")
            if feedback is None:
                continue  # an expectation is the truth, not a score
            if feedback.get("error") or one.get("error"):
                yield failed(item, name)
            else:
                yield scored(item, name, feedback.get("value"))


_TEXTS_OF_RAGAS = frozenset(
    (
        "id",
        "user_input",
        "retrieved_contexts",
        "reference_contexts",
        "response",
        "multi_responses",
        "reference",
        "rubrics",
        "rubric",
        "retrieved_context_ids",
        "reference_context_ids",
        "persona_name",
        "query_style",
        "query_length",
        "question",
        "answer",
        "contexts",
        "ground_truth",
        "ground_truths",
        "reference_topics",
    )
)


def is_ragas(log: LogFile) -> bool:
    """Return whether a table holds what Ragas is asked, what was answered, and metrics."""
    asked = {"user_input", "response"} <= log.keys or {"question", "answer", "contexts"} <= log.keys
    others = log.keys - _TEXTS_OF_RAGAS
    judged = any((says := meaning(name)) and says.role in ("truth", "pred") for name in others)
    return asked and bool(others) and not judged


def ragas(log: LogFile) -> Iterator[Found]:
    """Yield one scorer for each column of numbers; empty cells are left out, as Ragas does."""
    rows = list(log.records())
    names = [n for n in dict.fromkeys(k for r in rows for k in r) if n not in _TEXTS_OF_RAGAS]
    yield from _of_columns(rows, names, [row.get("id", place) for place, row in enumerate(rows)])


def is_langsmith(log: LogFile) -> bool:
    """Return whether a table holds the feedback on examples of LangSmith."""
    return "example_id" in log.keys and any(k.startswith("feedback.") for k in log.keys)


def langsmith(log: LogFile) -> Iterator[Found]:
    """Yield the feedback on each example; the column id is the run's and differs every time."""
    for row in log.records():
        for name in (k for k in row if k.startswith("feedback.")):
            scorer = name.removeprefix("feedback.")
            if row.get("error") and row[name] in (None, ""):
                yield failed(row["example_id"], scorer)
            else:
                yield scored(row["example_id"], scorer, row[name])


def braintrust(log: LogFile) -> Iterator[Found]:
    """Yield the scores of each root span by its input; null is not scored."""
    for row in log.records():
        if not row.get("is_root", True):
            continue  # spans of scorers repeat the scores
        item, model = text_of(row["input"]), (row.get("metadata") or {}).get("model")
        if row.get("error") and not row.get("scores"):
            yield failed(item, None, model=model)
        for name, value in (row.get("scores") or {}).items():
            yield scored(item, name, value, model=model)


def is_phoenix(log: LogFile) -> bool:
    """Return whether a table holds annotations of spans of Phoenix."""
    return {"annotation_name", "result.score"} <= log.keys


def phoenix(log: LogFile) -> Iterator[Found]:
    """Yield the score of each annotation of a span; its label says the same."""
    smaller = set()
    for place, row in enumerate(log.records()):
        name = row["annotation_name"]
        with suppress(ValueError):
            details = json.loads(row.get("metadata") or "{}")
            if isinstance(details, Mapping) and details.get("direction") == "minimize":
                smaller.add(name)
        item = row.get("span_id") or row.get("context.span_id") or place
        yield scored(item, name, row["result.score"])
    if smaller:
        yield f"a smaller score is better: {enumerated(sorted(smaller))}"


def langfuse(log: LogFile) -> Iterator[Found]:
    """Yield a score a line, by trace; words of categories are counted in a note."""
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in log.records():
        if row["data_type"] == "CATEGORICAL":
            words[row["name"]][str(row.get("string_value"))] += 1
        else:
            item = row["trace_id"] or row.get("session_id") or row["id"]
            yield scored(item, row["name"], row["value"])
    for name, counts in words.items():
        each = enumerated([f"{n} {word}" for word, n in sorted(counts.items())])
        yield f"{name} has words instead of numbers ({each}); left out"
