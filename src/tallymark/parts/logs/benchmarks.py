"""Logs of benchmarks: code that passes tests, issues that are resolved, rewards of answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tallymark.core import many
from tallymark.parts.logs.log_files import LogFile
from tallymark.parts.logs.records import Found, failed, number_of, scored


def human_eval(log: LogFile) -> Iterator[Found]:
    """Yield whether each sample of a task passed, in the order of the lines."""
    model = log.name.partition(".jsonl")[0].removesuffix("_samples")
    for row in log.records():
        yield scored(row["task_id"], "passed", row["passed"], model=model)


def eval_plus(log: LogFile) -> Iterator[Found]:
    """Yield whether each sample passed the base tests, and those of EvalPlus as well."""
    model = log.stem.removesuffix("_eval_results").removesuffix(".eval_results")
    for task, samples in log.json["eval"].items():
        for sample in samples:
            base = sample["base_status"] == "pass"
            yield scored(task, "base", base, model=model)
            if sample.get("plus_status") is not None:
                plus = base and sample["plus_status"] == "pass"
                yield scored(task, "plus", plus, model=model)


def swe_bench(log: LogFile) -> Iterator[Found]:
    """Yield whether each instance is resolved; one that did not finish counts as not resolved."""
    report = log.json
    model = log.stem.rpartition(".")[0] or log.stem  # MODEL.RUN.json
    values = dict.fromkeys(report["resolved_ids"], True)
    for name in ("unresolved_ids", "empty_patch_ids"):
        values |= dict.fromkeys((i for i in report.get(name, ()) if i not in values), False)
    names = ("error", "incomplete", "infra_failure", "ambiguous_failure", "submitted")
    ids = dict.fromkeys(i for name in names for i in report.get(f"{name}_ids", ()))
    for instance, resolved in values.items():
        yield scored(instance, "resolved", resolved, model=model)
    unfinished: list[Any] = [i for i in ids if i not in values]
    nameless = report["total_instances"] - len(values) - len(unfinished)
    unfinished += [f"not submitted {i + 1}" for i in range(nameless)]
    for instance in unfinished:
        yield failed(instance, "resolved", wrong=True, model=model)
    if nameless > 0:
        yield f"{many(nameless, 'instance')} not submitted and not named in the report"


def rewardbench(log: LogFile) -> Iterator[Found]:
    """Yield whether the chosen text has the higher score of its prompt, 0.5 for a tie."""
    model = log.stem.removesuffix("_outputs")
    for place, row in enumerate(log.records()):
        value = row.get("results")
        if value is None:
            chosen, rejected = (number_of(row.get(f"scores_{s}")) for s in ("chosen", "rejected"))
            if chosen is not None and rejected is not None:
                value = 0.5 if chosen == rejected else float(chosen > rejected)
        where = {"model": model, "task": row.get("subset")}
        yield scored(row.get("id", place), "results", value, **where)
    yield (
        "each line compares two texts of one prompt; the scores of all chosen against all rejected "
        "texts, such as their ROC area, are another question"
    )
