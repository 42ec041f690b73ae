"""Logs of each tool, written here: rows, refusals, epochs, denominators and the command."""

import gzip
import json
import math
import pickle
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from parts.logs.written import ITEMS, NUMBERS, lines
from tallymark.cli import main
from tallymark.parts.logs.tools import TOOLS

HUMAN_EVAL = "toy_samples.jsonl_results.jsonl"


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


@pytest.mark.parametrize("name", ITEMS)
def test_the_rows_of_a_log_are_what_its_tool_wrote(name, write):
    tool, text, rows = ITEMS[name]
    log = tm.read_log(write(name, text))
    assert log.tools == (tool,)
    key = lambda row: (*row[:3], str(row[3]), row[4])  # noqa: E731
    found = [(r.item, r.epoch, r.scorer, r.value, r.state) for r in log.rows]
    assert sorted(found, key=key) == sorted(rows, key=key)


@pytest.mark.parametrize("name", NUMBERS)
def test_finished_numbers_are_read_with_n_and_error(name, write):
    tool, text, numbers = NUMBERS[name]
    path = write(f"MODEL/rev/{name}", text)
    log = tm.read_log(path)
    assert (log.tools, log.rows) == ((tool,), ())
    found = [(a.model, a.task, a.scorer, a.value, a.n, a.se) for a in log.aggregates]
    assert found == numbers
    for a in log.aggregates:
        assert (a.reason is None) == (a.low < a.value < a.high)


def test_every_reader_is_tried_and_finds_its_own_file_alone(write):
    """No entry of the registry is reached by no file, and no file fits two tools' entries."""
    from tallymark.parts.logs.log_files import LogFile

    tried = set()
    for name, (tool, text, *_) in {**ITEMS, **NUMBERS}.items():
        fits = [t for t in TOOLS if t.is_one(LogFile(write(name, text)))]
        assert [t.name for t in fits] == [tool], name
        tried |= {t.file for t in fits}
    assert {t.file for t in TOOLS if t.read} == tried


# -- who the rows belong to ----------------------------------------------------------------------


def test_models_and_tasks_come_from_records_folders_and_names(write):
    def of(name):
        log = tm.read_log(write(name, ITEMS[name][1]))
        return {(r.model, r.task) for r in log.rows}

    assert of("inspect.json") == {("m/a", "quiz")}
    assert of("results.json") == {("toy", "toy")}
    assert of("quiz_toy-b_20260503_101010_allresults.json") == {("toy-b", "quiz")}
    assert of("toy-1.5.run1.json") == {("toy-1.5", None)}
    assert of("rm_outputs.jsonl") == {("rm", "chat")}
    assert of("gpt-4_pair.jsonl") == {("a", None), ("b", None)}
    samples = "samples_sum_2026-05-01T10-00-00.1.jsonl"
    path = write(f"org__m/{samples}", ITEMS[samples][1])
    assert {(r.model, r.task) for r in tm.read_log(path).rows} == {("org/m", "sum")}
    write("org__m/results_2026-05-01T10-00-00.1.json", json.dumps({"model_name": "org/m__1"}))
    assert {r.model for r in tm.read_log(path).rows} == {"org/m__1"}
    log = tm.read_log(write("toy-1a2b.csv", ITEMS["toy-1a2b.csv"][1]))
    assert {r.model for r in log.rows} == {"toy-1a2b"}
    assert log.notes == ("toy-1a2b.csv does not name the model; it is called toy-1a2b.",)


def test_a_second_run_of_a_model_adds_epochs_and_says_so(write):
    _, text, _ = ITEMS["inspect.json"]
    paths = [write("a/1.json", text), write("b/2.json", text)]
    log = tm.read_log(paths)
    assert {s.scorer: s.epochs for s in log.scores} == {"s": 2, "r.a": 2, "r.b": 2}
    assert sorted(r.epoch for r in log.rows if r.scorer == "s") == [1, 1, 1, 2, 2, 2]
    assert log.notes == (
        "2.json holds another run of m/a on quiz; its rows count as further epochs.",
    )
    assert tm.read_log([paths[0], paths[0]]).rows == tm.read_log(paths[0]).rows


def test_finished_numbers_of_items_that_are_there_are_left_out(write):
    folder = write("org__toy/x", "").parent
    write("org__toy/results_2026-05-01.json", NUMBERS["results_2026-05-01.json"][1])
    assert [a.scorer for a in tm.read_log(folder).aggregates] == ["acc,none", "f1,none"]
    sample = {"doc_id": 0, "resps": [], "filtered_resps": [], "filter": "none",
              "metrics": ["acc"], "acc": 1.0}  # fmt: skip
    write("org__toy/samples_quiz_2026-05-01T10-00-00.1.jsonl", lines(sample))
    write("org__toy/notes.json", "[1, 2]")
    log = tm.read_log(folder)
    assert [a.scorer for a in log.aggregates] == ["f1,none"]
    assert "1 file of no known tool skipped." in log.notes


def test_tests_of_promptfoo_with_the_same_variables_and_other_assertions_are_two(write):
    _, text, _ = ITEMS["results.json"]
    data = json.loads(text)
    for i, r in enumerate(data["results"]["results"]):
        r["testCase"] = {"assert": [i % 2]}
    log = tm.read_log(write("r.json", json.dumps(data)), scorer="success")
    assert [r.item for r in log.rows] == ["w=a", "w=b", "w=c", "w=a (3)"]
    assert {r.epoch for r in log.rows} == {1}
    for i, r in enumerate(data["results"]["results"]):
        r["prompt"] = {"label": f"Say {i // 2}"}
    models = {r.model for r in tm.read_log(write("r.json", json.dumps(data))).rows}
    assert models == {"toy, Say 0", "toy, Say 1"}


# -- numbers -------------------------------------------------------------------------------------


def test_errors_count_as_the_tool_counts_them_unless_told(write):
    path = write("results.json", ITEMS["results.json"][1])

    def of(scorer, **how):
        (s,) = tm.read_log(path, scorer=scorer, **how).scores
        return s.rows, s.scored, s.errors, s.items_scored, s.mean

    assert of("success") == (4, 4, 1, 3, pytest.approx(1 / 6))
    assert of("success", errors="left-out") == (4, 3, 1, 2, 0.25)
    assert of("score") == of("score", errors="wrong") == (4, 3, 1, 2, 0.5)
    inspect = write("inspect.json", ITEMS["inspect.json"][1])
    left, wrong = (tm.read_log(inspect, errors=e, scorer="r.b").scores[0] for e in (None, "wrong"))
    assert (left.scored, left.errors, left.mean) == (2, 1, 0.5)
    assert (wrong.scored, wrong.errors, wrong.mean) == (3, 1, pytest.approx(1 / 3))


def test_a_share_of_items_with_one_epoch_has_wilsons_interval(write):
    records = [{"task_id": i, "completion": "", "passed": i < 8} for i in range(10)]
    (s,) = tm.read_log(write("a.jsonl", lines(*records))).scores
    z = 1.959963984540054  # Wilson's bounds are the roots of (p - x)² = z² x (1 - x) / n
    for x in (s.low, s.high):
        assert (0.8 - x) ** 2 == pytest.approx(z**2 * x * (1 - x) / 10, abs=1e-12)
    assert (s.right, s.items, s.reason) == (8, 10, None)
    (narrow,) = tm.read_log(write("a.jsonl", lines(*records)), level=0.8).scores
    assert s.low < narrow.low < 0.8 < narrow.high < s.high


@pytest.mark.parametrize(
    ("name", "scorer", "reason"),
    [
        (HUMAN_EVAL, "passed", "items have several epochs, which are not independent"),
        ("gpt-4_single.jsonl", "score", "values other than 0 and 1"),
        ("rm_outputs.jsonl", "results", "values other than 0 and 1"),
        ("traces.jsonl", "ok", None),
    ],
)
def test_a_mean_without_interval_says_why(name, scorer, reason, write):
    (s,) = tm.read_log(write(name, ITEMS[name][1]), scorer=scorer).scores
    assert (s.reason, math.isnan(s.low)) == (reason, reason is not None)


def test_a_value_that_is_no_share_of_its_items_has_no_interval(write):
    def of(**values):
        text = json.dumps({"num_prompts": 30, "model": "m", **values})
        return tm.read_log(write("rm.json", text)).aggregates[0]

    assert of(accuracy=0.7).reason is None
    assert of(accuracy=0.71).reason == "0.71 is no share of 30 items"


def test_the_order_of_records_does_not_matter(write):
    rng = random.Random(1)
    records = [
        {"task_id": f"t{i % 7}", "completion": "", "passed": rng.random() < 0.4} for i in range(40)
    ]
    before = tm.read_log(write("a.jsonl", lines(*records))).scores
    rng.shuffle(records)
    assert tm.read_log(write("a.jsonl", lines(*records))).scores == before


# -- results -------------------------------------------------------------------------------------


def test_the_table_leaves_as_csv_json_and_frames(write, tmp_path):
    log = tm.read_log(write("toy-1a2b.csv", ITEMS["toy-1a2b.csv"][1]))
    csv = log.table().to_csv()
    assert csv.splitlines() == [
        "item,epoch,model,task,scorer,value,state",
        "e1,1,toy-1a2b,,ok,1.0,scored",
        "e2,1,toy-1a2b,,ok,,error",
        "e3,1,toy-1a2b,,ok,,unscored",
    ]
    assert log.table().to_polars()["value"].to_list() == [1.0, None, None]
    data = json.loads(log.to_json())
    assert data["format"] == "tallymark/log"
    assert data["rows"]["state"] == ["scored", "error", "unscored"]
    assert data["scores"][0]["mean"] == 1.0
    assert data["scores"][0]["low"] == pytest.approx(log.scores[0].low)
    assert str(pickle.loads(pickle.dumps(log))) == str(log)
    assert repr(log) == "<Log: 1 file of LangSmith, 3 scores>"


def test_what_is_shown_names_denominators_and_missing_intervals(write):
    text = str(tm.read_log(write("results.json", ITEMS["results.json"][1])))
    assert text.splitlines() == [
        "1 file of promptfoo: 12 scores of items",
        "model  task  scorer   items  epochs  errors   mean  95 % interval",
        "toy    toy   success      3       2       1  0.167",
        "toy    toy   score        3       2       1  0.500",
        "toy    toy   Tone         3       2       1  0.250",
        "No interval for success, score and Tone: items have several epochs, which are not",
        "  independent.",
        "1 score of samples that failed count as wrong; errors='left-out' leaves them out.",
        "2 scores of samples that failed are left out of the means; errors='wrong' counts those",
        "  of scorers of 0 and 1 as wrong.",
    ]


def test_notes_of_tools_are_said(write):
    def notes(name):
        return tm.read_log(write(name, ITEMS[name][1])).notes

    assert notes("gpt-4_pair.jsonl") == (
        "gpt-4_pair.jsonl: the judge decided alike in both orders in 1 of 1 comparison; the others "
        "are ties.",
    )
    assert notes("annotations.json") == ("annotations.json: a win is a win against base.",)
    assert notes("toy-1.5.run1.json") == (
        "toy-1.5.run1.json: 1 instance not submitted and not named in the report.",
    )
    assert notes("evals.jsonl") == (
        "evals.jsonl: 1 answer of the judge could not be read, and scored as evals did.",
        "evals.jsonl: the final report is missing; the run may lack samples.",
    )
    assert notes("samples_sum_2026-05-01T10-00-00.1.jsonl") == (
        "samples_sum_2026-05-01T10-00-00.1.jsonl: left out, since no item has a score of its own: f1.",
    )
    assert (
        notes("scores.jsonl")[0]
        == "scores.jsonl: tone has words instead of numbers (1 ok); left out."
    )


# -- archives of Inspect -------------------------------------------------------------------------

SAMPLES = [
    {"id": i, "epoch": e, "scores": {"match": {"value": "CI"[(i + e) % 2]}}}
    for i in range(3)
    for e in (1, 2)
]


def archive(path, samples=SAMPLES, summaries=None, header="header.json", **how):
    run = {"status": "success", "eval": {"task": "t", "model": "m"}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **how) as file:
        file.writestr(header, json.dumps(run if header == "header.json" else {"eval": run["eval"]}))
        for s in samples:
            file.writestr(f"samples/{s['id']}_epoch_{s['epoch']}.json", json.dumps(s))
        if summaries is not None:
            file.writestr("summaries.json", json.dumps(summaries))
    return path


def test_an_archive_counts_each_sample_once(tmp_path):
    plain = tm.read_log(archive(tmp_path / "a.eval"))
    assert [(s.items, s.epochs, s.scored, s.mean) for s in plain.scores] == [(3, 2, 6, 0.5)]
    whole = tm.read_log(archive(tmp_path / "b.eval", summaries=SAMPLES))
    short = tm.read_log(archive(tmp_path / "c.eval", summaries=SAMPLES[:2]))
    assert set(whole.rows) == set(short.rows) == set(plain.rows)


def test_an_archive_of_a_run_that_goes_on_says_so(tmp_path):
    log = tm.read_log(archive(tmp_path / "a.eval", SAMPLES[:1], header="_journal/start.json"))
    assert len(log.rows) == 1
    assert log.notes == ("a.eval: the status of the run is 'started'; it may lack samples.",)


def test_a_truncated_archive_is_refused(tmp_path):
    path = archive(tmp_path / "a.eval")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(tm.InputError) as refused:
        tm.read_log(path)
    assert str(refused.value) == "a.eval is incomplete or damaged; copy it again"


def as_zstd(path):
    """Rewrite an archive whose members are stored, so that Zstandard compresses them."""
    zstandard = pytest.importorskip("zstandard")
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    packed = {n: zstandard.ZstdCompressor().compress(d) for n, d in members.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for name, data in packed.items():
            file.writestr(name, data)
        for info in file.infolist():
            info.compress_type = 93
    return path


def test_an_archive_compressed_by_zstandard_is_read(tmp_path):
    plain = tm.read_log(archive(tmp_path / "a.eval")).rows
    assert set(tm.read_log(as_zstd(archive(tmp_path / "a.eval"))).rows) == set(plain)


def test_without_zstandard_the_refusal_names_the_extra(tmp_path, monkeypatch):
    path = as_zstd(archive(tmp_path / "a.eval"))
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(tm.InputError) as refused:
        tm.read_log(path)
    assert str(refused.value) == (
        "a.eval is compressed with Zstandard, and reading it needs zstandard; install it with: pip "
        "install 'tallymark[zstd]'"
    )


def test_a_packed_log_is_read(write):
    path = write("toy.jsonl.gz", gzip.compress(ITEMS[HUMAN_EVAL][1].encode()))
    assert [r.value for r in tm.read_log(path).rows] == [1.0, 0.0]


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.jsonl", ITEMS[HUMAN_EVAL][1][:-9],
         "a.jsonl is incomplete or damaged at line 2; copy it again, or export it again"),
        ("a.jsonl", ITEMS[HUMAN_EVAL][1] + lines({"task_id": "T/1"}),
         "a.jsonl looks like a log of HumanEval, but has a record that HumanEval does not write; "
         "'passed' is missing; export it again"),
        ("a.jsonl", ITEMS[HUMAN_EVAL][1] + "[1]\n",
         "a.jsonl holds records that are no objects; export it again"),
        ("a.json", ITEMS["inspect.json"][1][:-30],
         "a.json is incomplete or damaged at line 1; copy it again, or export it again"),
        ("a.json", json.dumps({"testCases": [{"metricsData": [3]}], "metricsScores": 1}),
         "a.json looks like a log of DeepEval, but has a record that DeepEval does not write; "
         "export it again"),
        ("a.jsonl", ITEMS[HUMAN_EVAL][1].encode() + b'{"task_id": "\xff"}',
         "a.jsonl is not text in UTF-8; export it again"),
        ("scenario_state.json", json.dumps({"adapter_spec": {}, "request_states": []}),
         "scenario_state.json: it holds requests without scores; give per_instance_stats.json "
         "beside it"),
    ],
)  # fmt: skip
def test_a_broken_log_is_refused_in_one_sentence(name, text, says, write):
    with pytest.raises(tm.InputError) as refused:
        tm.read_log(write(name, text))
    assert str(refused.value) == says


def test_what_is_no_log_is_refused(write, tmp_path):
    def said(*paths, **how):
        with pytest.raises(tm.InputError) as refused:
            tm.read_log(*paths, **how)
        return str(refused.value)

    told = said(write("p.csv", "truth,pred\n1,0\n0,0\n"))
    assert told.startswith("p.csv is not a log of a known tool (lm-evaluation-harness, Inspect, ")
    assert told.endswith("MTEB and Hugging Face); give the file that the tool wrote")
    assert said(tmp_path) == (
        f"{tmp_path} holds no log of a known tool; give the folder or the files that the tool wrote"
    )
    assert said("none.json") == "there is no file 'none.json'; check the path"
    assert said([]) == "there are no paths; give at least one log or folder"
    assert said([1]) == "read_log takes a path, or a list of paths; give the files or folders"
    path = write("a.jsonl", ITEMS[HUMAN_EVAL][1])
    assert said(path, scorer="pased") == "there is no scorer 'pased'; did you mean 'passed'?"
    assert said(path, errors="maybe") == "errors is 'maybe'; there are 'wrong', 'left-out'"


@pytest.mark.parametrize("cut", range(1, 40, 3))
@pytest.mark.parametrize("name", ["results.json", "results.csv", "inspect.json", "evals.jsonl"])
def test_a_log_cut_anywhere_is_read_or_refused(name, cut, write):
    text = ITEMS[name][1]
    path = write(name, text[: len(text) * cut // 40])
    refusals = []
    try:
        tm.read_log(path)
    except tm.InputError as refused:
        refusals.append(str(refused))
    assert "\n" not in "".join(refusals)


# -- given to what judges predictions ------------------------------------------------------------


JUDGED = [] if hasattr(tm, "evals") else [*ITEMS]
"""Logs of items are judged by another part, if it is there."""


@pytest.mark.parametrize("name", [*JUDGED, *NUMBERS])
def test_a_log_is_no_file_of_predictions(name, write, monkeypatch):
    tool, text, _ = {**ITEMS, **NUMBERS}[name]
    path = write(name, text)
    monkeypatch.chdir(path.parent)
    holds = "finished numbers" if name in NUMBERS else "scores of items"
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(name)
    assert str(refused.value) == (
        f"{name} is a log of {tool}: it holds {holds}, no predictions of classes; read it with "
        f"tallymark log {name}, or tm.read_log"
    )


def test_commands_say_what_a_log_is(write, monkeypatch):
    path = write("numbers.json", json.dumps({"accuracy": 0.5, "num_prompts": 30, "model": "rm"}))
    monkeypatch.chdir(path.parent)
    for command in ("inspect", "report", "compare"):
        result = CliRunner().invoke(main, [command, path.name], prog_name="tallymark")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "tallymark: numbers.json is a log of RewardBench: it holds finished numbers, no "
            "predictions of classes; read it with tallymark log numbers.json, or tm.read_log\n"
        )


def test_columns_of_a_log_that_are_named_are_read(write):
    path = write("rm_outputs.jsonl", lines(*(
        {"results": i % 2, "scores_chosen": i / 9, "scores_rejected": 0.1} for i in range(9))))  # fmt: skip
    assert tm.evaluate(path, truth="results", score="scores_chosen").rows == 9


def test_other_json_is_not_taken_for_a_log(write):
    rows = [{"label": i % 2, "score": i / 9} for i in range(9)]
    assert tm.evaluate(write("p.json", json.dumps(rows))).rows == 9
    assert tm.evaluate(write("p.jsonl", lines(*rows))).rows == 9
    chats = "user_input,response,label,pred\n" + "q,a,1,1\nr,b,0,1\ns,c,0,0\n" * 4
    assert tm.evaluate(write("p.csv", chats), positive=1).rows == 12


# -- the command ---------------------------------------------------------------------------------


def test_the_command_prints_a_summary_and_writes_the_table(write, monkeypatch):
    path = write("results.json", ITEMS["results.json"][1])
    monkeypatch.chdir(path.parent)

    def run(*args):
        env = {"COLUMNS": "100"}
        return CliRunner().invoke(main, ["log", *args], prog_name="tallymark", env=env)

    result = run("results.json", "-o", "items.csv", "--scorer", "success")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "1 score of samples that failed count as wrong; --errors left-out" in result.output
    assert result.output.endswith("csv: items.csv\n")
    table = (path.parent / "items.csv").read_text("utf-8").splitlines()
    assert (table[0], len(table)) == ("item,epoch,model,task,scorer,value,state", 5)
    left = json.loads(run("results.json", "--errors", "left-out", "--json").stdout)
    assert [s["scored"] for s in left["scores"]] == [3, 3, 3]
    assert run("results.json", "--format", "csv").stdout.splitlines()[0] == table[0]
    assert run("results.json", "-o", "-").stdout.splitlines()[0] == table[0]
    gone = run("none.json")
    assert (gone.exit_code, gone.stderr) == (
        2,
        "tallymark: there is no file 'none.json'; check the path\n",
    )


def test_a_long_log_is_read_line_by_line(write):
    rng = np.random.default_rng(0)
    right = rng.random(20_000) < 0.3
    text = "".join(
        f'{{"task_id": {i}, "completion": "", "passed": {str(bool(x)).lower()}}}\n'
        for i, x in enumerate(right)
    )
    (s,) = tm.read_log(write("a.jsonl", text)).scores
    assert (s.items, s.right) == (20_000, right.sum())


# -- the page ------------------------------------------------------------------------------------


def rows_of_the_page():
    """Return the rows of the table of tools."""
    for tool in TOOLS:
        if tool.read:
            cells = (f"`{tool.item}`" if "_" in tool.item else tool.item, tool.scorers, tool.errors)
            yield f"| {tool.name} | {tool.file} | " + " | ".join(c or "–" for c in cells) + " |"


def test_the_page_lists_every_tool():
    page = (Path(__file__).parents[3] / "docs" / "evals.md").read_text("utf-8")
    table = page.partition("<!-- tools -->")[2].partition("<!-- end -->")[0].strip().splitlines()
    assert table[2:] == list(rows_of_the_page())
    assert len({tool.name for tool in TOOLS}) == 24
