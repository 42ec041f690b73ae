"""Files with finished numbers alone, of which few say how many items there were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tallymark.parts.logs.harnesses import simple_evals_run
from tallymark.parts.logs.log_files import LogFile
from tallymark.parts.logs.records import Aggregate, Found, number_of


def is_lm_eval(log: LogFile) -> bool:
    """Return whether a file holds the results of lm-evaluation-harness."""
    return {"results", "versions"} <= log.keys and bool({"config", "configs"} & log.keys)


def lm_eval_results(log: LogFile) -> Iterator[Found]:
    """Yield the metrics of each task and group with their standard errors."""
    data = log.json
    model = data.get("model_name") or log.path.resolve().parent.name.replace("__", "/")
    sizes = data.get("n-samples") or {}
    for task, values in {**data["results"], **(data.get("groups") or {})}.items():
        n = (sizes.get(task) or {}).get("effective", values.get("sample_len"))
        for key, value in values.items():
            name, comma, by = key.partition(",")
            given = isinstance(value, float) or (isinstance(value, int) and bool(comma))
            if not given or name.endswith("_stderr"):
                continue
            se = number_of(values.get(f"{name}_stderr{comma}{by}"))
            yield Aggregate(task, key, float(value), n, se, str(model))


def big_code(log: LogFile) -> Iterator[Found]:
    """Yield pass@k of each task; the number of problems is not in the file."""
    model = log.json["config"].get("model")
    for task, values in log.json.items():
        if task != "config" and isinstance(values, Mapping):
            for name, value in values.items():
                if (number := number_of(value)) is not None:
                    yield Aggregate(task, name, number, model=model)


def is_big_code(log: LogFile) -> bool:
    """Return whether a file holds pass@k of bigcode-evaluation-harness."""
    config = log.first.get("config")
    return isinstance(config, Mapping) and {"model", "tasks", "n_samples"} <= config.keys()


def mteb(log: LogFile) -> Iterator[Found]:
    """Yield the main score of each split and subset of a task."""
    model = log.path.resolve().parent.parent.name.replace("__", "/")
    for split, subsets in log.json["scores"].items():
        for subset in subsets:
            task = f"{log.json['task_name']} {split} {subset.get('hf_subset', '')}".strip()
            yield Aggregate(task, "main_score", float(subset["main_score"]), model=model)


_OF_RUNS = ("runtime", "time", "second", "latency", "epoch", "samples", "loss", "memory", "_mem")


def hugging_face(log: LogFile) -> Iterator[Found]:
    """Yield what evaluate.save or a Trainer wrote, without times."""
    data: Mapping[str, Any] = log.json
    n = data.get("eval_samples")
    model = data.get("model")
    of_trainer = "_evaluate_version" not in data
    for key, value in data.items():
        if of_trainer and not key.startswith("eval_"):
            continue  # of the training
        number = number_of(value) if isinstance(value, int | float) else None
        if number is not None and not any(word in key for word in _OF_RUNS):
            scorer = key.removeprefix("eval_")
            yield Aggregate(None, scorer, number, n, model=model if model else None)


def is_hugging_face(log: LogFile) -> bool:
    """Return whether a file is what evaluate.save or a Trainer of transformers wrote."""
    of_trainer = {"eval_runtime", "eval_samples_per_second"} <= log.keys
    return "_evaluate_version" in log.keys or of_trainer


def rewardbench(log: LogFile) -> Iterator[Found]:
    """Yield the accuracy of a reward model with its number of prompts."""
    data = log.json
    yield Aggregate(
        None, "accuracy", float(data["accuracy"]), data["num_prompts"], model=data["model"]
    )


def simple_evals(log: LogFile) -> Iterator[Found]:
    """Yield the score of a run of simple-evals."""
    value = float(log.json["score"])
    named = simple_evals_run(log.stem)
    yield Aggregate(named.get("task"), "score", value, model=named.get("model"))
