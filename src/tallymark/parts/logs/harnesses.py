"""Logs of harnesses that run a model on the items of a task."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from tallymark import InputError
from tallymark.core import enumerated, many
from tallymark.parts.logs.log_files import LogFile
from tallymark.parts.logs.records import Found, Score, failed, number_of, scored, text_of

# -- lm-evaluation-harness -----------------------------------------------------------------------

_OF_SAMPLES = frozenset(
    (
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    )
)
_DATED = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.-]+)$")


def lm_eval_samples(log: LogFile) -> Iterator[Found]:
    """Yield the metrics of each document, apart by filter."""
    dated = _DATED.match(log.stem)
    where = {
        "task": dated["task"] if dated else log.stem.removeprefix("samples_"),
        "model": _model_beside(log, dated["date"] if dated else ""),
    }
    without_items = set()
    for row in log.records():
        by = row.get("filter")
        for name in row.get("metrics") or (k for k in row if k not in _OF_SAMPLES):
            value = row.get(name)
            if isinstance(value, list | dict):
                without_items.add(name)
            elif "metrics" in row or number_of(value) is not None:
                scorer = f"{name},{by}" if by else name
                yield scored(row["doc_id"], scorer, value, **where)
    if without_items:
        names = enumerated(sorted(without_items))
        yield f"left out, since no item has a score of its own: {names}"


def _model_beside(log: LogFile, date: str) -> str:
    """Return the model that the results beside the samples name, or the folder's name."""
    beside = sorted(log.path.parent.glob("results*.json"))
    beside.sort(key=lambda path: bool(date) and date not in path.name)
    for path in beside[:1]:
        named = LogFile(path).json
        if isinstance(named, Mapping) and named.get("model_name"):
            return str(named["model_name"])
    return log.path.resolve().parent.name.replace("__", "/")


# -- Inspect -------------------------------------------------------------------------------------

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def is_inspect(log: LogFile) -> bool:
    """Return whether a file is a log of Inspect: an archive, or JSON with a version and a run."""
    of_archive = log.path.suffix == ".eval" or "_journal/start.json" in log.members
    return of_archive or {"version", "status", "eval"} <= log.keys


def inspect_log(log: LogFile) -> Iterator[Found]:
    """Yield the scores of each sample and epoch; a score of several values is one scorer each."""
    if log.kind == "object":
        header, samples = log.json, log.json.get("samples") or []
    else:
        header, samples = _of_archive(log)
    run = header["eval"]
    if (status := header.get("status", "started")) != "success":
        yield f"the status of the run is {status!r}; it may lack samples"
    where = {"model": run.get("model"), "task": run.get("task")}
    named = ((header.get("results") or {}).get("scorer") or {}).get("name") or "score"
    for sample in samples:
        here = {**where, "epoch": sample.get("epoch", 1)}
        scores = sample.get("scores") or {}
        if sample.get("score"):  # before several scorers could judge a sample
            scores = {named: sample["score"]}
        if not scores:
            error = bool(sample.get("error"))
            yield Score(sample["id"], None, None, "error" if error else "unscored", **here)
        for name, score in scores.items():
            value = score.get("value") if isinstance(score, Mapping) else score
            parts = value if isinstance(value, Mapping) else {"": value}
            for key, part in parts.items():
                grade = _GRADES.get(part, part) if isinstance(part, str) else part
                yield scored(sample["id"], f"{name}.{key}" if key else name, grade, **here)


def _of_archive(log: LogFile) -> tuple[Any, Iterator[Any]]:
    """Return the header and the samples of an archive; summaries where they cover all samples."""
    names = log.members
    samples = sorted(n for n in names if re.fullmatch(r"samples/.*\.json", n))
    try:
        with zipfile.ZipFile(log.path) as archive:
            started = "_journal/start.json"
            header = log.member(archive, "header.json" if "header.json" in names else started)
            if "summaries.json" in names:
                summaries = log.member(archive, "summaries.json")
                if len(summaries) == len(samples):
                    return header, iter(summaries)
    except (zipfile.BadZipFile, OSError):
        raise InputError(f"{log.name} is incomplete or damaged; copy it again") from None
    return header, _each(log, samples)


def _each(log: LogFile, samples: list[str]) -> Iterator[Any]:
    with zipfile.ZipFile(log.path) as archive:
        for name in samples:
            yield log.member(archive, name)


# -- promptfoo -----------------------------------------------------------------------------------

_ERROR = 2
"""The failureReason of promptfoo for an error; 1 is a failed assertion."""


def is_promptfoo(log: LogFile) -> bool:
    """Return whether a file holds results of promptfoo, as an object, as lines or as a table."""
    if log.kind == "csv":
        return {"Status", "Score", "Named Scores"} <= log.keys
    of_file = log.first.get("results")
    whole = isinstance(of_file, Mapping) and {"version"} < of_file.keys()
    return whole or {"promptIdx", "provider", "success"} <= log.keys


def promptfoo(log: LogFile) -> Iterator[Found]:
    """Yield success, score and named scores of each test; a test with the same variables repeats.

    An error counts as wrong in success, as promptfoo counts it, and is left out of the scores.
    """
    if log.kind == "csv":
        yield from _promptfoo_table(log)
        return
    results = log.json["results"]["results"] if "results" in log.first else log.records()
    task = (log.json.get("config") or {}).get("description") if log.kind == "object" else None
    rows: list[tuple[str, str, str, bool, Mapping[str, Any]]] = []
    labels: dict[str, str] = {}
    for r in results:
        same = text_of([r.get("vars"), (r.get("testCase") or {}).get("assert")])
        labels.setdefault(same, _label(r, labels))
        ungraded = r.get("gradingResult") is None
        error = r["failureReason"] == _ERROR if "failureReason" in r else ungraded
        graded = {name: r.get(name) for name in ("success", "score", "namedScores")}
        rows.append((labels[same], _provider(r), _prompt(r), error, graded))
    several = len({prompt for _, _, prompt, _, _ in rows}) > 1
    names = sorted({name for *_, kept in rows for name in kept["namedScores"] or ()})
    for item, provider, prompt, error, kept in rows:
        where: dict[str, Any] = {"model": f"{provider}, {prompt}" if several else provider}
        where["task"] = task
        if error:
            yield failed(item, "success", wrong=True, **where)
            yield from (failed(item, name, **where) for name in ("score", *names))
            continue
        yield scored(item, "success", kept["success"], **where)
        yield scored(item, "score", kept["score"], **where)
        yield from (scored(item, n, (kept["namedScores"] or {}).get(n), **where) for n in names)


def _label(row: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """Return a name of a test: its variables, with its number where another has the same."""
    number = str(row.get("testIdx", len(labels)))
    text = ", ".join(f"{k}={text_of(v)}" for k, v in (row.get("vars") or {}).items())
    return f"{text} ({number})" if text in labels.values() else text or number


def _provider(row: Mapping[str, Any]) -> str:
    provider = row["provider"]
    if isinstance(provider, Mapping):
        provider = provider.get("label") or provider["id"]
    return str(provider)


def _prompt(row: Mapping[str, Any]) -> str:
    prompt = row.get("prompt") or {}
    return str(prompt.get("label") or row.get("promptIdx"))


def _promptfoo_table(log: LogFile) -> Iterator[Found]:
    """Yield the scores of a table with one block of columns for each provider and prompt."""
    rows = log.cells()
    heads = next(rows)
    starts = [i - 1 for i, head in enumerate(heads) if head == "Status"]
    outputs = [re.match(r"\[(.*?)\] ?(.*)", heads[i], re.DOTALL) for i in starts]
    prompts = {o[2] for o in outputs if o}
    yield "promptfoo rounds the scores of its tables to two digits"
    for row in rows:
        item = ", ".join(f"{k}={v}" for k, v in zip(heads[: starts[0]], row, strict=False))
        for start, end, output in zip(starts, [*starts[1:], len(heads)], outputs, strict=True):
            provider, prompt = (output[1], output[2]) if output else (heads[start], "")
            several = len(prompts) > 1
            where: dict[str, Any] = {"model": f"{provider}, {prompt}" if several else provider}
            status, score = row[start + 1 : start + 3]
            cells = list(zip(heads, row, strict=False))[start:end]
            named = {h[8:]: c for h, c in cells if h.startswith("Metric: ")}
            if status == "ERROR":
                yield failed(item, "success", wrong=True, **where)
                yield from (failed(item, name, **where) for name in ("score", *named))
                continue
            yield scored(item, "success", status, **where)
            yield scored(item, "score", score, **where)
            yield from (scored(item, name, cell, **where) for name, cell in named.items())


# -- HELM, OpenAI evals, simple-evals ------------------------------------------------------------

_HELM_SCORES = re.compile(
    r"(quasi_|prefix_|quasi_prefix_|final_num_)?exact_match(@\d+)?|(iou|exact)_set_match|"
    r"f1_(score|set_match)|rouge_\w+|bleu_\d|math_equiv\w*|code_eval_acc|pass|test_avg|strict_acc|"
    r"(NDCG|RR)@\d+|\w*(accuracy|correctness|_score|_score_rescaled)"
)
"""Statistics of HELM that judge an answer; others count tokens, time and references."""


def helm(log: LogFile) -> Iterator[Found]:
    """Yield the mean of each statistic that judges an instance, without perturbed copies."""
    spec = log.path.with_name("run_spec.json")
    run = LogFile(spec).json if spec.is_file() else {}
    folder = run.get("name") or log.path.resolve().parent.name
    of_name = re.search(r"\bmodel=([^,]+)", folder)
    where = {
        "model": (run.get("adapter_spec") or {}).get("model") or (of_name and of_name[1]),
        "task": re.sub(r"[,:]?model=[^,]*", "", folder),
    }
    others = set()
    for row in log.records():
        for stat in row["stats"]:
            name = stat["name"]["name"]
            if not _HELM_SCORES.fullmatch(name):
                others.add(name)
            elif not (row.get("perturbation") or stat["name"].get("perturbation")):
                value = stat.get("mean") if stat.get("count", 1) else None
                epoch = row.get("train_trial_index", 0) + 1
                yield scored(row["instance_id"], name, value, epoch=epoch, **where)
    if others:
        yield f"statistics that judge no answer are left out: {enumerated(sorted(others))}"


def openai_evals(log: LogFile) -> Iterator[Found]:
    """Yield what the events "match" and "metrics" of each sample record."""
    where: dict[str, Any] = {}
    finished, invalid = False, 0
    for event in log.records():
        if "spec" in event:
            spec = event["spec"]
            where = {"model": ", ".join(spec["completion_fns"]), "task": spec.get("eval_name")}
        finished = finished or "final_report" in event
        data = event.get("data") or {}
        if event.get("type") == "match":
            yield scored(event["sample_id"], "match.correct", data.get("correct"), **where)
        elif event.get("type") == "metrics":
            invalid += data.get("choice") == "__invalid__"
            for name, value in data.items():
                if number_of(value) is not None:
                    yield scored(event["sample_id"], f"metrics.{name}", value, **where)
        elif event.get("type") == "error":
            yield failed(event["sample_id"], None, **where)
    if invalid:
        yield f"{many(invalid, 'answer')} of the judge could not be read, and scored as evals did"
    if not finished:
        yield "the final report is missing; the run may lack samples"


def simple_evals(log: LogFile) -> Iterator[Found]:
    """Yield the score of each sample by its position: samples have no id."""
    named = simple_evals_run(log.stem.removesuffix("_allresults"))
    details = (log.json.get("metadata") or {}).get("example_level_metadata") or ()
    given = [d for d in details if isinstance(d, Mapping) and "score" in d]
    complete = len(given) == len(log.json["htmls"])
    for place, sample in enumerate(given if complete else log.json["htmls"]):
        if isinstance(sample, str):
            score = re.search(r"<p>Score: ([^<]*)</p>", sample)
            yield scored(place, "score", score and score[1], **named)
        else:
            yield scored(place, "score", sample.get("score"), **named)


def simple_evals_run(stem: str) -> dict[str, str]:
    """Return the task and the model in the name of a file: task_model_date_time."""
    task, _, rest = stem.partition("_")
    model = re.sub(r"_\d{8}_\d{6}$", "", rest)
    return {"task": task, "model": model} if model else {}
