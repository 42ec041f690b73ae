"""The tools whose logs are read: one entry each, with what it is recognised by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from tallymark.parts.logs import aggregates, benchmarks, harnesses, pairwise, scorers
from tallymark.parts.logs.log_files import LogFile
from tallymark.parts.logs.records import Found


@dataclass(frozen=True, slots=True)
class Tool:
    """The reader of one kind of file.

    ``is_one`` looks at the names in the file alone. ``item`` is what identifies an item there, ""
    where the file holds aggregates alone. ``errors`` says how the tool counts samples that failed.
    A file without a reader stands beside a log, and ``instead`` says which file to give.
    """

    name: str
    file: str
    is_one: Callable[[LogFile], bool]
    read: Callable[[LogFile], Iterator[Found]] | None
    item: str = ""
    scorers: str = ""
    errors: Literal["", "wrong", "left out"] = ""
    instead: str = ""


def _has(*keys: str) -> Callable[[LogFile], bool]:
    """Return what recognises records that have all these keys."""
    return lambda log: log.keys.issuperset(keys)


def _is_eval_plus(log: LogFile) -> bool:
    return {"eval", "hash", "date"} <= log.keys and "version" not in log.keys


TOOLS: tuple[Tool, ...] = (
    Tool(
        "lm-evaluation-harness",
        "samples_TASK_DATE.jsonl",
        _has("doc_id", "resps", "filtered_resps"),
        harnesses.lm_eval_samples,
        "doc_id",
        "each metric and filter",
    ),
    Tool(
        "lm-evaluation-harness",
        "results_DATE.json",
        aggregates.is_lm_eval,
        aggregates.lm_eval_results,
    ),
    Tool(
        "Inspect",
        "DATE_TASK_ID.eval or .json",
        harnesses.is_inspect,
        harnesses.inspect_log,
        "id",
        "each scorer",
        "left out",
    ),
    Tool(
        "promptfoo",
        "results.json, .jsonl or .csv",
        harnesses.is_promptfoo,
        harnesses.promptfoo,
        "vars, testIdx",
        "success, score, named scores",
        "wrong",
    ),
    Tool(
        "HELM",
        "per_instance_stats.json",
        _has("instance_id", "stats"),
        harnesses.helm,
        "instance_id",
        "statistics that judge an answer",
    ),
    Tool(
        "HELM",
        "scenario_state.json",
        _has("adapter_spec", "request_states"),
        None,
        instead="it holds requests without scores; give per_instance_stats.json beside it",
    ),
    Tool(
        "HELM",
        "run_spec.json",
        _has("adapter_spec", "scenario_spec"),
        None,
        instead="it describes a run; give per_instance_stats.json beside it",
    ),
    Tool(
        "OpenAI evals",
        "RUN_MODEL_EVAL.jsonl",
        lambda log: (
            "completion_fns" in (log.first.get("spec") or ())
            or {"run_id", "event_id", "sample_id"} <= log.keys
        ),
        harnesses.openai_evals,
        "sample_id",
        "match.correct, numbers of metrics",
        "left out",
    ),
    Tool(
        "simple-evals",
        "TASK_MODEL_DATE_TIME_allresults.json",
        _has("score", "htmls"),
        harnesses.simple_evals,
        "position",
        "score",
    ),
    Tool(
        "simple-evals",
        "TASK_MODEL_DATE_TIME.json",
        _has("score", "score:std"),
        aggregates.simple_evals,
    ),
    Tool(
        "HumanEval",
        "SAMPLES.jsonl_results.jsonl",
        _has("task_id", "completion", "passed"),
        benchmarks.human_eval,
        "task_id",
        "passed",
    ),
    Tool(
        "EvalPlus",
        "SAMPLES_eval_results.json",
        _is_eval_plus,
        benchmarks.eval_plus,
        "task_id",
        "base, plus",
    ),
    Tool(
        "SWE-bench",
        "MODEL.RUN.json",
        _has("resolved_ids", "total_instances"),
        benchmarks.swe_bench,
        "instance id",
        "resolved",
        "wrong",
    ),
    Tool(
        "RewardBench",
        "MODEL_outputs.jsonl",
        lambda log: (
            {"scores_chosen", "scores_rejected"} <= log.keys
            or {"results", "text_chosen", "text_rejected"} <= log.keys
        ),
        benchmarks.rewardbench,
        "id",
        "results",
    ),
    Tool("RewardBench", "MODEL.json", _has("accuracy", "num_prompts"), aggregates.rewardbench),
    Tool(
        "AlpacaEval",
        "annotations.json",
        _has("preference", "generator_1", "generator_2"),
        pairwise.alpaca_eval,
        "instruction",
        "win",
    ),
    Tool(
        "MT-bench",
        "JUDGE_pair.jsonl",
        _has("question_id", "g1_winner", "g2_winner"),
        pairwise.mt_bench_pairs,
        "question_id, turn",
        "win",
        "left out",
    ),
    Tool(
        "MT-bench",
        "JUDGE_single.jsonl",
        _has("question_id", "model", "judge", "score"),
        pairwise.mt_bench_scores,
        "question_id, turn",
        "score",
        "left out",
    ),
    Tool(
        "Arena",
        "battles.json",
        _has("model_a", "model_b", "winner"),
        pairwise.arena,
        "question_id",
        "win",
        "left out",
    ),
    Tool(
        "JudgeBench",
        "OUTPUT.jsonl",
        _has("pair_id", "label", "judgments"),
        pairwise.judgebench,
        "pair_id",
        "correct",
        "wrong",
    ),
    Tool(
        "DeepEval",
        "test_run_DATE.json",
        _has("testCases", "metricsScores"),
        scorers.deepeval,
        "name",
        "score and success of each metric, success",
        "left out",
    ),
    Tool(
        "MLflow",
        "eval_results_table.json",
        scorers.is_mlflow,
        scorers.mlflow,
        "trace_id, row",
        "NAME/v1/score, NAME/value, feedback",
        "left out",
    ),
    Tool(
        "Ragas",
        "result.csv or .jsonl",
        scorers.is_ragas,
        scorers.ragas,
        "id, row",
        "each column of numbers",
    ),
    Tool(
        "LangSmith",
        "EXPERIMENT.csv",
        scorers.is_langsmith,
        scorers.langsmith,
        "example_id",
        "each feedback",
        "left out",
    ),
    Tool(
        "Braintrust",
        "EXPERIMENT.json",
        _has("input", "scores", "span_id"),
        scorers.braintrust,
        "input",
        "each of scores",
        "left out",
    ),
    Tool(
        "Phoenix",
        "span_annotations.csv",
        scorers.is_phoenix,
        scorers.phoenix,
        "span_id",
        "annotation_name",
    ),
    Tool(
        "Langfuse",
        "scores.jsonl",
        _has("trace_id", "name", "value", "data_type"),
        scorers.langfuse,
        "trace_id",
        "name",
    ),
    Tool(
        "bigcode-evaluation-harness",
        "evaluation_results.json",
        aggregates.is_big_code,
        aggregates.big_code,
    ),
    Tool(
        "MTEB",
        "TASK.json",
        _has("mteb_version", "task_name", "scores"),
        aggregates.mteb,
    ),
    Tool(
        "Hugging Face",
        "result-DATE.json, eval_results.json",
        aggregates.is_hugging_face,
        aggregates.hugging_face,
    ),
)


def tool_of(log: LogFile) -> Tool | None:
    """Return the tool that wrote a file, by names in the file; None if none is known."""
    return next((tool for tool in TOOLS if tool.is_one(log)), None)
