"""Tiny logs as each tool writes them, with the scores that they hold."""

import json


def lines(*records):
    return "".join(json.dumps(r) + "\n" for r in records)


def _lm_eval(i, by, value):
    return {"doc_id": i, "target": "1", "resps": [["a"]], "filtered_resps": ["a"], "filter": by,
            "metrics": ["em", "f1"], "em": value, "f1": [1, 0]}  # fmt: skip


def _inspect(samples, **header):
    run = {"task": "quiz", "model": "m/a", "created": "2026-01-01"}
    return {
        "version": 2,
        "status": "success",
        "eval": run,
        "results": {},
        "samples": samples,
        **header,
    }


def _promptfoo(i, word, success, score, reason, named=None):
    return {"promptIdx": 0, "testIdx": i, "provider": {"id": "toy", "label": ""}, "success": success,
            "score": score, "namedScores": named or {}, "failureReason": reason,
            "prompt": {"label": "Say"}, "vars": {"w": word}, "gradingResult": None}  # fmt: skip


_INSPECT = [
    {"id": 2, "epoch": 1, "scores": {"s": {"value": "C"}, "r": {"value": {"a": 0.25, "b": False}}}},
    {"id": 1, "epoch": 1, "scores": {"s": {"value": "P"}, "r": {"value": {"a": None, "b": True}}}},
    {"id": "x/y", "epoch": 1, "error": {"message": "stopped"}, "scores": {}},
]
_FOO = [
    _promptfoo(0, "a", True, 1.0, 0, {"Tone": 0.5}), _promptfoo(1, "b", False, 0.5, 1, {"Tone": 0.25}),
    _promptfoo(2, "c", False, 0, 2), _promptfoo(3, "a", False, 0.0, 1, {"Tone": 0.0}),
]  # fmt: skip
_HELM = [
    {"instance_id": "id1", "train_trial_index": 1, "stats": [
        {"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0},
        {"name": {"name": "num_references"}, "count": 1, "mean": 4},
        {"name": {"name": "exact_match", "perturbation": {"name": "typos"}}, "count": 1, "mean": 0.0}]},
    {"instance_id": "id2", "train_trial_index": 0, "stats": [
        {"name": {"name": "exact_match", "split": "test"}, "count": 0}]},
]  # fmt: skip
_EVALS = [
    {"spec": {"completion_fns": ["toy"], "eval_name": "add.dev"}},
    {"run_id": "r", "event_id": 0, "sample_id": "add.1", "type": "sampling", "data": {"sampled": "2"}},
    {"run_id": "r", "event_id": 1, "sample_id": "add.1", "type": "match", "data": {"correct": True}},
    {"run_id": "r", "event_id": 2, "sample_id": "add.0", "type": "match", "data": {"correct": False}},
    {"run_id": "r", "event_id": 3, "sample_id": "add.0", "type": "metrics", "data": {"score": 0.5, "choice": "__invalid__"}},
]  # fmt: skip
_SWE = {"total_instances": 6, "resolved_ids": ["a"], "unresolved_ids": ["b"], "empty_patch_ids": ["c"],
        "error_ids": ["d"], "incomplete_ids": ["e"], "submitted_ids": ["a", "b", "c", "d"]}  # fmt: skip
_DEEP = {"testCases": [
    {"name": "t0", "success": True, "metricsData": [{"name": "Rel", "score": 0.75, "success": True}]},
    {"name": "t1", "success": False, "metricsData": [{"name": "Rel", "score": None, "success": False, "error": "no"}]},
], "metricsScores": [], "hyperparameters": {"model": "toy"}, "datasetAlias": "set"}  # fmt: skip
_FLOW = {"columns": ["inputs", "outputs", "tox/v1/score", "why/value"],
         "data": [["q", "a", 0.5, "text"], ["r", "b", None, "other"]]}  # fmt: skip
_TRACES = [
    {"trace_id": "t1", "assessments": [{"name": "ok", "feedback": {"value": "yes"}},
                                       {"name": "gold", "expectation": {"value": 1}}]},
    {"trace_id": "t2", "assessments": [{"name": "ok", "feedback": {"error": "judge failed"}}]},
]  # fmt: skip
_BRAIN = [
    {"span_id": "1", "is_root": True, "input": {"q": 1}, "scores": {"F": 0.5, "L": None}, "metadata": {"model": "m"}},
    {"span_id": "2", "is_root": False, "input": {"q": 1}, "scores": {"F": 0.5}},
    {"span_id": "3", "is_root": True, "input": "z", "scores": None, "error": "timeout", "metadata": {"model": "m"}},
]  # fmt: skip
_FUSE = [
    {"id": "1", "trace_id": "t", "name": "exact", "value": 1, "data_type": "BOOLEAN"},
    {"id": "2", "trace_id": "t", "name": "tone", "value": 0, "data_type": "CATEGORICAL", "string_value": "ok"},
]  # fmt: skip
_BENCH = {"question_id": 7, "model_1": "a", "model_2": "b", "judge": ["j", "p"], "turn": 1}
_JUDGE = {"judge_name": "j", "source": "law"}
HTML = "<p>Correct Answer: A</p>\n<p>Score: {}</p>\n"

S, U, E = "scored", "unscored", "error"

ITEMS = {
    "samples_sum_2026-05-01T10-00-00.1.jsonl": (
        "lm-evaluation-harness",
        lines(_lm_eval(0, "strict", 1.0), _lm_eval(0, "loose", "0.0")),
        [("0", 1, "em,strict", 1.0, S), ("0", 1, "em,loose", 0.0, S)],
    ),
    "pretrained__toy_quiz.jsonl": (  # 0.4.1: an array, without filter and metrics
        "lm-evaluation-harness",
        json.dumps([{"doc_id": 3, "doc": {}, "target": "1", "arguments": [], "resps": [], "filtered_resps": [], "acc": "True"}], indent=1),
        [("3", 1, "acc", 1.0, S)],
    ),
    "inspect.json": (
        "Inspect", json.dumps(_inspect(_INSPECT)),
        [("2", 1, "s", 1.0, S), ("2", 1, "r.a", 0.25, S), ("2", 1, "r.b", 0.0, S),
         ("1", 1, "s", 0.5, S), ("1", 1, "r.a", None, U), ("1", 1, "r.b", 1.0, S),
         ("x/y", 1, "s", None, E), ("x/y", 1, "r.a", None, E), ("x/y", 1, "r.b", None, E)],
    ),
    "inspect_old.json": (
        "Inspect",
        json.dumps(_inspect([{"id": 1, "epoch": 1, "score": {"value": "I"}}], results={"scorer": {"name": "match"}})),
        [("1", 1, "match", 0.0, S)],
    ),
    "results.json": (
        "promptfoo", json.dumps({"evalId": "e", "results": {"version": 3, "results": _FOO}, "config": {"description": "toy"}}),
        [("w=a", 1, "success", 1.0, S), ("w=a", 1, "score", 1.0, S), ("w=a", 1, "Tone", 0.5, S),
         ("w=b", 1, "success", 0.0, S), ("w=b", 1, "score", 0.5, S), ("w=b", 1, "Tone", 0.25, S),
         ("w=c", 1, "success", 0.0, E), ("w=c", 1, "score", None, E), ("w=c", 1, "Tone", None, E),
         ("w=a", 2, "success", 0.0, S), ("w=a", 2, "score", 0.0, S), ("w=a", 2, "Tone", 0.0, S)],
    ),
    "results.jsonl": (
        "promptfoo", lines(*_FOO[:1]),
        [("w=a", 1, "success", 1.0, S), ("w=a", 1, "score", 1.0, S), ("w=a", 1, "Tone", 0.5, S)],
    ),
    "results.csv": (
        "promptfoo",
        "w,[toy] Say,Status,Score,Named Scores,Metric: Tone,Grader Reason,Comment\n"
        'a,x,PASS,1.00,"{""Tone"": 0.5}",0.50,fine,\nb,,ERROR,0.00,,,,\n',
        [("w=a", 1, "success", 1.0, S), ("w=a", 1, "score", 1.0, S), ("w=a", 1, "Tone", 0.5, S),
         ("w=b", 1, "success", 0.0, E), ("w=b", 1, "score", None, E), ("w=b", 1, "Tone", None, E)],
    ),
    "per_instance_stats.json": (
        "HELM", json.dumps(_HELM),
        [("id1", 2, "exact_match", 1.0, S), ("id2", 1, "exact_match", None, U)],
    ),
    "evals.jsonl": (
        "OpenAI evals", lines(*_EVALS),
        [("add.1", 1, "match.correct", 1.0, S), ("add.0", 1, "match.correct", 0.0, S),
         ("add.0", 1, "metrics.score", 0.5, S)],
    ),
    "quiz_toy-b_20260503_101010_allresults.json": (
        "simple-evals",
        json.dumps({"score": 0.5, "metrics": {}, "htmls": [HTML.format(1.0), HTML.format(0.0)]}),
        [("0", 1, "score", 1.0, S), ("1", 1, "score", 0.0, S)],
    ),
    "toy_samples.jsonl_results.jsonl": (
        "HumanEval",
        lines({"task_id": "T/0", "completion": "x", "passed": True}, {"task_id": "T/0", "completion": "y", "passed": False}),
        [("T/0", 1, "passed", 1.0, S), ("T/0", 2, "passed", 0.0, S)],
    ),
    "toy_eval_results.json": (
        "EvalPlus",
        json.dumps({"date": "d", "hash": "h", "eval": {"T/0": [{"base_status": "pass", "plus_status": "fail"}, {"base_status": "fail", "plus_status": "pass"}]}}),
        [("T/0", 1, "base", 1.0, S), ("T/0", 1, "plus", 0.0, S), ("T/0", 2, "base", 0.0, S), ("T/0", 2, "plus", 0.0, S)],
    ),
    "toy-1.5.run1.json": (
        "SWE-bench", json.dumps(_SWE),
        [("a", 1, "resolved", 1.0, S), ("b", 1, "resolved", 0.0, S), ("c", 1, "resolved", 0.0, S),
         ("d", 1, "resolved", 0.0, E), ("e", 1, "resolved", 0.0, E), ("not submitted 1", 1, "resolved", 0.0, E)],
    ),
    "rm_outputs.jsonl": (
        "RewardBench",
        lines({"results": 1, "scores_chosen": 0.5, "scores_rejected": 0.1, "id": 4, "subset": "chat"},
              {"scores_chosen": 0.5, "scores_rejected": 0.5, "id": 5, "subset": "chat"}),
        [("4", 1, "results", 1.0, S), ("5", 1, "results", 0.5, S)],
    ),
    "annotations.json": (
        "AlpacaEval",
        json.dumps([{"instruction": f"i{i}", "generator_1": "base", "generator_2": "toy", "preference": p} for i, p in enumerate([1, 2, 1.5, 0, 1.25, None])]),
        [("i0", 1, "win", 0.0, S), ("i1", 1, "win", 1.0, S), ("i2", 1, "win", 0.5, S), ("i3", 1, "win", 0.5, S),
         ("i4", 1, "win", 0.25, S), ("i5", 1, "win", None, U)],
    ),
    "gpt-4_pair.jsonl": (
        "MT-bench",
        lines({**_BENCH, "g1_winner": "model_2", "g2_winner": "model_2"}, {**_BENCH, "g1_winner": "model_1", "g2_winner": "error", "turn": 2}),
        [("7 turn 1", 1, "win", 0.0, S), ("7 turn 1", 1, "win", 1.0, S), ("7 turn 2", 1, "win", None, E), ("7 turn 2", 1, "win", None, E)],
    ),
    "gpt-4_single.jsonl": (
        "MT-bench",
        lines({"question_id": 7, "model": "a", "judge": ["j"], "score": 8, "turn": 1}, {"question_id": 7, "model": "a", "judge": ["j"], "score": -1, "turn": 2}),
        [("7 turn 1", 1, "score", 8.0, S), ("7 turn 2", 1, "score", None, E)],
    ),
    "battles.json": (
        "Arena",
        json.dumps([{"question_id": "q", "model_a": "x", "model_b": "y", "winner": "model_b"}, {"question_id": "r", "model_a": "y", "model_b": "x", "winner": "tie (bothbad)"}]),
        [("q", 1, "win", 0.0, S), ("q", 1, "win", 1.0, S), ("r", 1, "win", 0.5, S), ("r", 1, "win", 0.5, S)],
    ),
    "judged.jsonl": (
        "JudgeBench",
        lines(*({"pair_id": p, "label": "A>B", "judgments": [a and {"decision": a}, b and {"decision": b}], **_JUDGE}
                for p, a, b in [("p1", "A>B", "B>A"), ("p2", "A>B", "A>B"), ("p3", "A=B", "B>A"), ("p4", None, None)])),
        [("p1", 1, "correct", 1.0, S), ("p2", 1, "correct", 0.0, S), ("p3", 1, "correct", 1.0, S), ("p4", 1, "correct", 0.0, E)],
    ),
    "test_run.json": (
        "DeepEval", json.dumps(_DEEP),
        [("t0", 1, "Rel.score", 0.75, S), ("t0", 1, "Rel.success", 1.0, S), ("t0", 1, "success", 1.0, S),
         ("t1", 1, "Rel.score", None, E), ("t1", 1, "Rel.success", None, E), ("t1", 1, "success", 0.0, S)],
    ),
    "eval_results_table.json": (
        "MLflow", json.dumps(_FLOW), [("0", 1, "tox/v1/score", 0.5, S), ("1", 1, "tox/v1/score", None, U)],
    ),
    "traces.jsonl": ("MLflow", lines(*_TRACES), [("t1", 1, "ok", 1.0, S), ("t2", 1, "ok", None, E)]),
    "ragas.csv": (
        "Ragas", "user_input,response,faithfulness,critic,comment\nq,a,0.5,pass,no\nr,b,,fail,other\n",
        [("0", 1, "faithfulness", 0.5, S), ("1", 1, "faithfulness", None, U), ("0", 1, "critic", 1.0, S), ("1", 1, "critic", 0.0, S)],
    ),
    "toy-1a2b.csv": (
        "LangSmith", "outputs.answer,error,feedback.ok,example_id,id\na,,True,e1,r1\n,timeout,,e2,r2\nc,,,e3,r3\n",
        [("e1", 1, "ok", 1.0, S), ("e2", 1, "ok", None, E), ("e3", 1, "ok", None, U)],
    ),
    "experiment.json": (
        "Braintrust", json.dumps(_BRAIN),
        [('{"q": 1}', 1, "F", 0.5, S), ('{"q": 1}', 1, "L", None, U), ("z", 1, "F", None, E), ("z", 1, "L", None, E)],
    ),
    "annotations.csv": (
        "Phoenix", "span_id,annotation_name,annotator_kind,result.score,result.label\ns,ok,LLM,1.0,correct\n", [("s", 1, "ok", 1.0, S)],
    ),
    "scores.jsonl": ("Langfuse", lines(*_FUSE), [("t", 1, "exact", 1.0, S)]),
}  # fmt: skip
"""By the name of the file: the tool, the text, and the rows without model and task."""

NUMBERS = {
    "results_2026-05-01.json": (
        "lm-evaluation-harness",
        json.dumps({
            "results": {"quiz": {"alias": "quiz", "acc,none": 0.75, "acc_stderr,none": 0.1, "f1,none": 0.5, "f1_stderr,none": "N/A"}},
            "versions": {}, "configs": {}, "n-samples": {"quiz": {"original": 9, "effective": 4}}, "model_name": "toy",
        }),
        [("toy", "quiz", "acc,none", 0.75, 4, 0.1), ("toy", "quiz", "f1,none", 0.5, 4, None)],
    ),
    "quiz_toy-b_20260503_101010.json": (
        "simple-evals", json.dumps({"chars": 12.5, "score": 0.5, "score:std": 0.5}), [("toy-b", "quiz", "score", 0.5, None, None)],
    ),
    "rm.json": ("RewardBench", json.dumps({"accuracy": 0.7, "num_prompts": 30, "model": "rm"}), [("rm", None, "accuracy", 0.7, 30, None)]),
    "evaluation_results.json": (
        "bigcode-evaluation-harness",
        json.dumps({"humaneval": {"pass@1": 0.5}, "config": {"model": "toy", "tasks": "humaneval", "n_samples": 5}}),
        [("toy", "humaneval", "pass@1", 0.5, None, None)],
    ),
    "ToyIntent.json": (
        "MTEB",
        json.dumps({"task_name": "ToyIntent", "mteb_version": "2", "scores": {"test": [{"hf_subset": "en", "main_score": 0.71, "f1": 0.7}]}}),
        [("MODEL", "ToyIntent test en", "main_score", 0.71, None, None)],
    ),
    "result-2026.json": (
        "Hugging Face", json.dumps({"accuracy": 0.625, "total_time_in_seconds": 0.4, "_evaluate_version": "0.4"}),
        [("result-2026", None, "accuracy", 0.625, None, None)],
    ),
    "eval_results.json": (
        "Hugging Face",
        json.dumps({"epoch": 3.0, "eval_accuracy": 0.25, "eval_loss": 0.4, "eval_runtime": 2.5, "eval_samples": 8, "eval_samples_per_second": 3.2}),
        [("eval_results", None, "accuracy", 0.25, 8, None)],
    ),
}  # fmt: skip
"""By the name of the file: the tool, the text, and the finished numbers with n and error."""
