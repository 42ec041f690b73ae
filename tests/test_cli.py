import csv
import html
import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

import tallymark as tm
from tallymark import evaluate, metrics
from tallymark.cli import main

EXAMPLES = tm.example("credit").parent
CANCER = [str(EXAMPLES / "breast_cancer.csv"), "--truth", "diagnosis", "--positive", "malignant"]
OK = "label,score\n1,0.9\n0,0.2\n1,0.4\n0,0.1\n1,0.7\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args), prog_name="tallymark")


def report(*args: str) -> Result:
    result = run("report", *args)
    assert result.exit_code == 0, result.stderr
    return result


def refusal(*args: str) -> str:
    """Return the one sentence with which bad input is refused."""
    result = run(*args)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("tallymark: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("tallymark: ").strip()


def command(*args: str, **options) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).parent / "tallymark"
    return subprocess.run(
        [str(script), *args], capture_output=True, text=True, timeout=120,
        **{"encoding": "utf-8", **options},
    )  # fmt: skip


# -- the main job ------------------------------------------------------------------------------


def by_hand():
    """Count the example with nothing but the standard library."""
    with (EXAMPLES / "breast_cancer.csv").open(encoding="utf-8") as file:
        rows = [(r["diagnosis"] == "malignant", float(r["logistic"])) for r in csv.DictReader(file)]
    cells = {(t, p): 0 for t in (False, True) for p in (False, True)}
    for true, score in rows:
        cells[true, score >= 0.5] += 1
    above = ties = 0
    positives = [s for t, s in rows if t]
    negatives = [s for t, s in rows if not t]
    for p in positives:
        above += sum(p > n for n in negatives)
        ties += sum(p == n for n in negatives)
    return cells, (above + ties / 2) / (len(positives) * len(negatives))


@pytest.mark.slow
def test_report_of_a_real_file_agrees_with_counting_by_hand(folder):
    result = report(*CANCER, "--score", "logistic", "--json", "out.json", "-o", "page.html")
    cells, auc = by_hand()
    data = json.loads(Path("out.json").read_text("utf-8"))
    values = data["models"][0]["values"]
    counted = [[cells[False, False], cells[False, True]], [cells[True, False], cells[True, True]]]
    assert data["models"][0]["tally"]["counts"] == counted
    assert values["roc_auc"]["value"] == pytest.approx(auc, rel=1e-12)
    sensitivity = cells[True, True] / (cells[True, True] + cells[True, False])
    assert f"{sensitivity:.3f}" in result.stdout
    assert result.stdout.splitlines()[-2:] == [
        "page: page.html   all metrics: --full   why: tallymark advise FILE ...", "json: out.json",
    ]  # fmt: skip
    assert Path("page.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_only_what_was_asked_for_is_written(folder):
    report(*CANCER, "--score", "logistic")
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_bare_o_at_the_end_writes_report_html(folder):
    report(*CANCER, "--score", "logistic", "-o")
    assert [p.name for p in folder.iterdir()] == ["report.html"]


@pytest.mark.slow
def test_json_to_standard_output_is_json_alone(folder):
    result = report(*CANCER, "--score", "forest", "--json", "-", "-o", "page.html")
    assert json.loads(result.stdout)["models"][0]["name"] == "forest"
    assert result.stderr == "page: page.html\n"


@pytest.mark.slow
def test_several_scores_are_several_models(folder):
    result = report(*CANCER, "--score", "logistic", "--score", "bayes", "--json", "-")
    assert [m["name"] for m in json.loads(result.stdout)["models"]] == ["logistic", "bayes"]


@pytest.mark.slow
def test_the_comparison_is_the_same_object_in_both_commands(folder):
    args = (*CANCER, "--score", "logistic", "--score", "bayes")
    told = json.loads(report(*args, "--json", "-").stdout)["comparison"]
    result = run("compare", *args, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    tests = found["pairs"][0]["tests"]
    # Only the command exchanges rows, which takes the longest.
    assert tests.pop()["name"] == "permutation of roc_auc, midranks"
    assert found == told


@pytest.mark.slow
def test_options_reach_the_evaluation(folder):
    args = ("--score", "logistic", "--threshold", "0.9", "--level", "0.9", "--seed", "7")
    data = json.loads(report(*CANCER, *args, "--json", "-").stdout)
    assert (data["models"][0]["threshold"], data["level"], data["seed"]) == (0.9, 0.9, 7)


@pytest.mark.slow
def test_costs_of_errors_choose_a_threshold_and_start_the_panel(folder, tmp_path):
    page, json_path = tmp_path / "page.html", tmp_path / "run.json"
    done = run("report", *CANCER, "--score", "logistic", "--costs", "1", "5", "-o", str(page),
               "--json", str(json_path), "--full")  # fmt: skip
    assert done.exit_code == 0
    ev = tm.read(json_path)
    said = {s.rule: s.text for s in ev.advise().statements}
    told = " ".join(done.stdout.split())
    text = page.read_text("utf-8")
    for rule in ("costs-known", "cheapest-threshold"):
        assert said[rule] in told
        assert said[rule] in text
    assert re.search(r'id="cost-fn"[^>]* value="5"', text)
    assert re.search(r'id="cost-fp"[^>]* value="1"', text)
    marketing = tm.read(json_path, use="marketing")
    text = marketing.report(page).read_text("utf-8")
    assert re.search(r'A response earns <[^>]* value="6"', text), "less the contact it costs 5"
    # What the page says first of the demo's decisions, the terminal says too.
    told = " ".join(run("demo", "--full", "-o", str(page)).stdout.split())
    assert "does worse than acting on every row: its negative predictive value is 0.783" in told
    refused = run("report", str(EXAMPLES / "iris.csv"), "--costs", "1", "5", "-o", str(page))
    assert refused.exit_code == 2
    assert "positives need two classes, one of them positive; leave --costs out" in refused.stderr
    with pytest.raises(tm.InputError, match="leave cost_fp and cost_fn out"):
        tm.evaluate(str(EXAMPLES / "iris.csv")).at(cost_fp=1, cost_fn=5)


@pytest.mark.slow
def test_same_seed_same_output(folder):
    first, second = (report(*CANCER, "--score", "bayes", "--json", "-").stdout for _ in "ab")
    assert first == second


def test_how_columns_were_read_is_printed(folder):
    Path("ok.csv").write_text(OK, encoding="utf-8")
    out = report("ok.csv", "--full").stdout
    assert "Read as: truth = `label` (1 is positive), score = `score`." in out
    assert "Change with --truth, --score, --positive" in " ".join(out.split())


@pytest.mark.slow
def test_clusters_by_name(folder):
    lines = ["label,score,patient"]
    lines += [f"{i % 2},{(i * 37 % 100) / 100},p{i // 3}" for i in range(90)]
    Path("c.csv").write_text("\n".join(lines), encoding="utf-8")
    told = report("c.csv", "--cluster", "patient", "--full").stdout
    assert "30 clusters of up to 3 rows, by patient" in told.replace("\n  ", " ")
    assert "jackknife of clusters" in told
    data = json.loads(report("c.csv", "--cluster", "patient", "--json", "-").stdout)
    assert (
        data["models"][0]["values"]["roc_auc"]["method"] == "Obuchowski, clusters, beta posterior"
    )
    assert "'patent' for cluster" in refusal("report", "c.csv", "--cluster", "patent")
    chosen = [run("threshold", "c.csv", *more).stdout for more in ((), ("--cluster", "patient"))]
    assert chosen[0] != chosen[1]  # the same threshold, and another optimism
    compared = run("compare", "c.csv", "--cluster", "patient", "--score", "score")
    assert "comparing needs two or more" in compared.stderr


def test_predictions_and_weights_by_name(folder):
    Path("p.csv").write_text(
        "truth,said,w\nyes,yes,2\nyes,no,1\nno,no,3\nno,yes,2\n", encoding="utf-8"
    )
    args = ("--truth", "truth", "--pred", "said", "--weight", "w", "--positive", "yes")
    data = json.loads(report("p.csv", *args, "--json", "-").stdout)
    assert data["weighted"]
    assert data["models"][0]["values"]["accuracy"]["value"] == pytest.approx(5 / 8)


@pytest.mark.slow
def test_demo_writes_a_page_and_says_where(folder):
    result = run("demo", "-o", "out/demo.html")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith(f"page: {Path('out/demo.html')}   ")
    assert "forest" in Path("out/demo.html").read_text("utf-8")


# -- bad input: one sentence, exit code 2, no file ---------------------------------------------

BAD = {
    "no file": (None, [], ["'in.csv'", "check the path"]),
    "empty file": ("", [], ["in.csv", "empty"]),
    "header alone": ("label,score\n", [], ["in.csv", "no rows"]),
    "unknown truth": (OK, ["--truth", "lable"], ["'lable'", "did you mean 'label'?"]),
    "unknown score": (OK, ["--score", "scroe"], ["'scroe'", "did you mean 'score'?"]),
    "unknown weight": (OK, ["--weight", "w"], ["'w'", "'label', 'score'"]),
    "unknown prediction": (OK, ["--pred", "p"], ["'p'", "'label', 'score'"]),
    "nothing to judge": ("id,a\n1,2\n3,4\n5,2\n", [], ["'id', 'a'", "--truth"]),
    "no score": ("label,a\n1,x\n0,y\n", [], ["'label', 'a'", "--score", "--pred"]),
    "one row": (
        "label,score\n1,0.9\n",
        [],
        ["in.csv holds one row", "give the rows of all samples"],
    ),
    "missing score": (
        "label,score\n1,0.9\n0,\n1,nan\n",
        [],
        ["score", "missing in 2 rows", "first at row 2", "--missing drop"],
    ),
    "missing label": (
        "label,score\n1,0.9\n,0.5\n0,0.1\n",
        [],
        ["label", "missing in 1 row", "first at row 2", "--missing drop"],
    ),
    "score of text": ("label,score\n1,0.9\n0,high\n", [], ["score", "'high'", "row 2", "number"]),
    "infinite score": ("label,score\n1,0.9\n0,inf\n", [], ["score", "inf", "row 2", "finite"]),
    "commas and points": (
        "label;score\n1;0,5\n0;0.2\n",
        [],
        ["score", "decimal point", "the same way"],
    ),
    "negative weight": (
        "label,score,w\n1,0.9,1\n0,0.1,-2\n",
        ["--weight", "w"],
        ["w is -2 at row 2", "zero or more"],
    ),
    "missing weight": (
        "label,score,w\n1,0.9,1\n0,0.1,\n",
        ["--weight", "w", "--missing", "drop"],
        ["w is missing", "row 2"],
    ),
    "infinite weight": (
        "label,score,w\n1,0.9,1\n0,0.1,inf\n",
        ["--weight", "w"],
        ["w is inf at row 2"],
    ),
    "ambiguous positive class": (
        "label,score\nup,0.9\ndown,0.1\n",
        [],
        [
            "'down', 'up'",
            "say tallymark report in.csv -o page.html --json out.json --positive down or tallymark",
        ],
    ),
    "unknown positive class": (OK, ["--positive", "yes"], ["'yes'", "does not occur", "0, 1"]),
    "positive of three": (
        "label,y_pred\na,a\nb,b\nc,a\n",
        ["--positive", "a"],
        ["positive is 'a'", "3 classes"],
    ),
    "numbers beside texts": (
        "label,y_pred\n1,1\n0,zero\n",
        [],
        ["y_pred", "label", "the same type"],
    ),
    "labels of fractions": (
        "label,score\n0.13,0.5\n0.72,0.2\n",
        [],
        ["there is no true class here", "'label' holds fractions", "with --truth"],
    ),
    "too many fields": (
        "label,score\n1,0.5\n0,0.2,7\n1,0.5\n",
        [],
        ["in.csv has 3 fields on line 3", "2 in its header"],
    ),
    "too few fields": ("label,score\n1,0.5\n0\n", [], ["in.csv has 1 field on line 3"]),
    "open quote": ('label,score\n1,0.5\n"0,0.2\n1,0.5\n', [], ["not closed on line 3"]),
    "two columns of one name": ("label,score,score\n1,0.5,1\n", [], ["two columns called 'score'"]),
    "two score columns for three classes": (
        "label,p_a,p_b\na,0.5,0.5\nb,0.2,0.8\nc,0.1,0.9\n",
        [],
        ["'a', 'b', 'c'", "'p_a', 'p_b'", "one score column per class"],
    ),
    "threshold that is no number": (
        OK,
        ["--threshold", "nan"],
        ["threshold is nan; give the number at or above which"],
    ),
    "folder that is not there": (OK, ["-o", "no/page.html"], ["'no'", "create it first"]),
    "folder of the json": (OK, ["--json", "no/out.json"], ["'no'", "create it first"]),
    "a folder for the page": (OK, ["-o", "."], ["'.' is a folder"]),
    "page over the input": (OK, ["-o", "in.csv"], ["'in.csv'", "give another name"]),
    "page and json in one": (
        OK,
        ["-o", "x.html", "--json", "x.html"],
        ["'x.html'", "the page and the JSON", "give another name"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(folder, case):
    content, args, told = BAD[case]
    if content is not None:
        Path("in.csv").write_text(content, encoding="utf-8")
    before = sorted(folder.rglob("*"))
    outputs = [] if {"-o", "--json"} & set(args) else ["-o", "page.html", "--json", "out.json"]
    sentence = refusal("report", "in.csv", *args, *outputs)
    for part in told:
        assert part in sentence
    assert sorted(folder.rglob("*")) == before
    if content is not None:
        assert Path("in.csv").read_text(encoding="utf-8") == content


def test_one_beside_the_text_one(folder):
    rows = [{"label": 1, "score": 0.5}, {"label": "1", "score": 0.2}, {"label": 0, "score": 0.1}]
    Path("in.json").write_text(json.dumps(rows), encoding="utf-8")
    sentence = refusal("report", "in.json")
    assert "label" in sentence
    assert "'1'" in sentence
    assert "one type" in sentence


@pytest.mark.parametrize(("name", "content"), [
    ("bytes.csv", b"\xff\xfe\x00"),
    ("bytes.parquet", b"PAR1 and no more"),
    ("bytes.json", b"{]"),
    ("table.xlsx", b"PK"),
])  # fmt: skip
def test_a_file_that_is_not_what_its_name_says(folder, name, content):
    Path(name).write_bytes(content)
    assert name in refusal("report", name)


@pytest.mark.parametrize("args", [
    ("report",), ("report", "in.csv", "--level", "1"), ("report", "in.csv", "--level", "x"),
    ("report", "in.csv", "--seed", "-1"), ("report", "in.csv", "--missing", "guess"),
    ("report", "in.csv", "--colour"), ("judge",), ("explain",), ("--colour",),
])  # fmt: skip
def test_usage_errors(folder, args):
    Path("in.csv").write_text(OK, encoding="utf-8")
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("tallymark: ")
    assert len(result.stderr.splitlines()) == 1


def test_one_of_several_models_is_named_as_an_option(folder):
    Path("in.csv").write_text("y,a,b b,g\n1,0.9,0.2,x\n0,0.1,0.4,x\n", encoding="utf-8")
    columns = ("--truth", "y", "--score", "b b", "--score", "a", "--subgroup", "g")
    told = "holds 2 models ('b b', 'a'); choose one with --score 'b b'"
    assert refusal("subgroups", "in.csv", *columns).endswith(told)


@pytest.mark.parametrize("args", [(), ("plan",)])
def test_commands_that_need_another_show_their_help(args):
    shown = run(*args)
    text = shown.stdout + shown.stderr  # which of them depends on the version of Click
    assert text.startswith(f"Usage: {' '.join(['tallymark', *args])} [OPTIONS]")
    assert len(text.splitlines()) > 8


@pytest.mark.parametrize(("arguments", "words"), [
    (("report", "in.csv", "--costs", "5"), "--costs takes 2 numbers, FALSE_ALARM then MISSED, such as --costs 1 10; see tallymark report -h"),
    (("metrics", "--range", "0,1", "2"), "--range takes 2 numbers, LOW then HIGH, such as --range "
     "-1 1; '0,1' is not a number; see tallymark metrics -h"),
    (("report", "in.csv", "--missing", "keep"), "'--missing': 'keep' is not one of 'error', 'drop'; "
     "see tallymark report -h"),
    (("report", "in.csv", "--seed", "-1"), "'--seed': -1 is not in the range x>=0; see"),
    (("report", "in.csv", "--level", "95"), "--level is 95; give a number between 0 and 1, such as "
     "0.95"),
    (("report", "in.csv", "--prevalence", "200%"),
     "prevalence is 2; give a number between 0 and 1, or 0% and 100%"),
    (("report", ""), "the path of the file is empty; name a file"),
    (("report", "long.csv", "--truth", "y", "--pred", "said"), f"'{'x' * 59}..., "),
])  # fmt: skip
def test_refusals_are_one_line_that_says_what_to_do(folder, arguments, words):
    Path("in.csv").write_text(OK, encoding="utf-8")
    lines = [f"{'ab'[i % 2]},{'x' * 80}{i}" for i in range(4)]
    Path("long.csv").write_text("\n".join(["y,said", *lines]) + "\n", encoding="utf-8")
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_warnings_name_the_commands_and_classes_stand_without_blanks(folder):
    Path("raw.csv").write_text(
        "y,s\n" + "".join(f"{i % 2},{i % 7 + 3 + i % 2}\n" for i in range(70)), encoding="utf-8"
    )
    shown = run("report", "raw.csv", "--truth", "y", "--score", "s").output
    assert "or report the Youden's J that tallymark threshold expects on new rows" in " ".join(
        shown.split()
    )
    Path("case.csv").write_text("y,p\nYes ,yes\nno,No\nYes ,Yes\nno,no\n", encoding="utf-8")
    shown = run("report", "case.csv", "--truth", "y", "--pred", "p", "--ignore-case").output
    assert "Read as: Yes is positive, " in shown
    assert "; given: truth = `y`, pred = `p`." in " ".join(shown.split())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read(folder):
    Path("in.csv").write_text(OK, encoding="utf-8")
    Path("in.csv").chmod(0)
    assert "in.csv" in refusal("report", "in.csv")


def test_a_system_that_refuses_is_one_sentence(folder, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device", "page.html")

    monkeypatch.setattr("tallymark.report.page.render", full)
    Path("in.csv").write_text(OK, encoding="utf-8")
    result = run("report", "in.csv", "-o", "page.html")
    assert result.exit_code == 2
    assert result.stderr == "tallymark: system error 'page.html': No space left on device\n"


def test_memory_that_runs_out_is_one_sentence_on_the_command_line(folder, monkeypatch):
    def allocate(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr("tallymark.report.page.render", allocate)
    Path("in.csv").write_text(OK, encoding="utf-8")
    result = run("report", "in.csv", "-o", "page.html")
    assert result.exit_code == 2
    assert result.stderr == (
        "tallymark: there is not enough memory; count the rows in batches with tm.Tallier, or "
        "from a file with --memory 1GB\n"
    )
    assert not Path("page.html").exists()


# -- input that is odd, and answered -----------------------------------------------------------


def test_missing_rows_can_be_left_out(folder):
    Path("in.csv").write_text(OK + "1,\n,0.3\n0,nan\n", encoding="utf-8")
    result = report("in.csv", "--missing", "drop", "--json", "out.json")
    data = json.loads(Path("out.json").read_text("utf-8"))
    assert (data["rows"], data["dropped"]) == (5, 3)
    assert "5 rows (3 left out" in result.stdout


def test_one_class_alone_is_answered_with_reasons(folder):
    Path("in.csv").write_text("label,score\n1,0.9\n1,0.2\n", encoding="utf-8")
    result = report("in.csv", "--json", "out.json")
    values = json.loads(Path("out.json").read_text("utf-8"))["models"][0]["values"]
    assert values["sensitivity"]["value"] == 0.5
    assert values["roc_auc"]["value"] is None
    assert "no row is truly negative" in values["roc_auc"]["reason"]
    assert "\ncheck  1 is the class of all rows" in result.stdout


def test_a_score_outside_0_to_1_is_a_score_and_said_so(folder):
    Path("in.csv").write_text("label,score\n1,1.5\n0,0.2\n1,0.8\n0,0.9\n", encoding="utf-8")
    result = report("in.csv", "--json", "out.json")
    model = json.loads(Path("out.json").read_text("utf-8"))["models"][0]
    assert not model["probabilities"]
    assert "brier" not in model["values"]
    flat = " ".join(result.stdout.split())
    assert "score holds 1.5, outside 0 to 1: it is used for ranking" in flat


def test_labels_keep_their_names(folder):
    Path("in.csv").write_text("label,score\nyes,0.9\nno,0.2\nyes,0.6\nno,0.1\n", encoding="utf-8")
    data = json.loads(report("in.csv", "--positive", "yes", "--json", "-").stdout)
    assert data["classes"] == ["no", "yes"]


@pytest.mark.slow
def test_labels_that_are_code_stay_text(folder):
    hostile = ["</script><b>", "=1+1"]
    rows = "".join(f"{label},{p}\n" for p, label in zip((0.9, 0.2, 0.6), hostile * 2, strict=False))
    Path("in.csv").write_text("label,score\n" + rows, encoding="utf-8")
    result = report("in.csv", "--positive", "</script><b>", "-o", "p.html", "--json", "o.json")
    assert "</script><b>" in result.stdout
    assert json.loads(Path("o.json").read_text("utf-8"))["positive"] == "</script><b>"
    page = Path("p.html").read_text("utf-8")
    assert "</script><b>" not in page
    assert "&lt;/script&gt;&lt;b&gt;" in page


def test_control_characters_do_not_reach_the_terminal(folder):
    Path("in.csv").write_text(
        "label,y_pred\n\x1b[31mred,[bold]x\n[bold]x,[bold]x\nu\x07,\x1b[31mred\n", encoding="utf-8"
    )
    out = report("in.csv").stdout
    assert "\x1b" not in out
    assert "\x07" not in out
    assert r"\x1b[31mred" in out
    assert "[bold]x" in out
    assert "\x1b" not in refusal("report", "in.csv", "--truth", "\x1b[31m")


# -- the other commands ------------------------------------------------------------------------


def test_metrics_lists_every_metric_once():
    names = [line.split()[0] for line in run("metrics").stdout.splitlines()]
    assert names == list(dict.fromkeys(names))
    assert set(names) == set(dir(metrics))


def test_metrics_can_be_narrowed():
    assert {line.split()[1] for line in run("metrics", "--family", "rank").stdout.splitlines()} == {
        "rank"
    }
    assert "jaccard" in run("metrics", "--find", "threat score").stdout
    assert "'ranks'" in refusal("metrics", "--family", "ranks")
    nothing = run("metrics", "--find", "no such words")
    assert (nothing.exit_code, nothing.stdout) == (1, "")


def test_advice_warns_of_an_id_that_repeats(folder):
    Path("rows.csv").write_text(
        "truth,score,centre\n" + "".join(f"{i % 2},0.{3 + i % 5},c{i // 4}\n" for i in range(80))
    )
    result = run("advise", "rows.csv", "--truth", "truth", "--score", "score")
    assert result.stderr == (
        "warning: 4.0 rows per `centre` on average (max 4); intervals assume independent rows. Use "
        "--cluster centre\n"
    )


WIDE = (
    ("metrics",), ("explain", "mcc"), ("plan", "proportion", "90%", "--half-width", "5%"),
    ("plan", "auc", "0.8", "--reference", "0.7"),
    ("report", *CANCER, "--score", "logistic", "--score", "bayes"),
    ("compare", *CANCER, "--score", "logistic", "--score", "bayes"),
    ("threshold", *CANCER, "--score", "logistic"), ("inspect", CANCER[0]),
    ("advise", *CANCER, "--score", "logistic"), ("explain", "brier"),
)  # fmt: skip


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("args", WIDE, ids=lambda a: " ".join(a[:2]))
def test_nothing_is_wider_than_the_terminal(monkeypatch, args, width):
    monkeypatch.setenv("COLUMNS", str(width))
    result = run(*args)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= width


def complete(*words):
    """Return what a shell is offered after the words, the last of which is begun."""
    found = ShellComplete(main, {}, "tallymark", "_TALLYMARK_COMPLETE")
    return [item.value for item in found.get_completions(list(words[:-1]), words[-1])]


def test_a_shell_completes_commands_metrics_and_columns(folder):
    (folder / "p.csv").write_text("diagnosis;forest;logistic\n1;0.5;0.2\n", encoding="utf-8")
    assert complete("rep") == ["report"]
    offered = complete("compare", "p.csv", "--metric", "brie")
    assert sorted(offered) == sorted(n for n in dir(metrics) if n.startswith("brie"))
    assert complete("report", "p.csv", "--score", "") == ["diagnosis", "forest", "logistic"]
    assert complete("report", "p.csv", "--truth", "dia") == ["diagnosis"]
    assert complete("report", "no such file", "--truth", "dia") == []
    assert complete("report", "--truth", "dia") == []
    (folder / "b.parquet").write_bytes(b"PAR1\xff\xfe")
    assert complete("report", "b.parquet", "--truth", "dia") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_TALLYMARK_COMPLETE={shell}_complete" in result.stdout
    assert "tallymark" in result.stdout


def test_bash_loads_its_script():
    script = command("completion", "bash").stdout
    asked = "complete -p tallymark"
    loaded = subprocess.run(
        ["bash", "-c", f"{script}\n{asked}"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert "_tallymark_completion" in loaded.stdout


def test_metrics_as_json():
    found = {m["name"]: m for m in json.loads(run("metrics", "--json").stdout)}
    assert found["sensitivity"]["range"] == [0, 1]
    assert found["positive_likelihood_ratio"]["range"] == [0, "inf"]
    assert "TPR" in found["sensitivity"]["aliases"]


@pytest.mark.parametrize("name", sorted(dir(metrics)))
def test_every_metric_is_explained(name):
    result = run("explain", name)
    assert result.exit_code == 0
    m = getattr(metrics, name)
    lines = result.stdout.splitlines()
    assert lines[0] == f"{m.title} ({name})"
    assert any(line.startswith("formula ") for line in lines)
    assert " ".join(m.words.meaning.split()[:4]) in " ".join(result.stdout.split())
    assert ">>>" not in result.stdout
    assert all(len(line) <= 88 for line in lines)


def test_metrics_by_every_fact():
    listed = {
        args: {line.split()[0] for line in run("metrics", *args).output.splitlines()}
        for args in (
            (), ("--scores",), ("--decisions",), ("--moves",), ("--still",), ("--better", "low"),
            ("--range", "0", "1"), ("--family", "rank", "--still"),
        )
    }  # fmt: skip
    assert listed["--scores",] | listed["--decisions",] == listed[()]
    assert listed["--moves",] | listed["--still",] == listed[()]
    assert not listed["--moves",] & listed["--still",]
    assert {"brier", "log_loss"} <= listed["--better", "low"]
    assert "diagnostic_odds_ratio" not in listed["--range", "0", "1"]
    assert "roc_auc" in listed["--family", "rank", "--still"]
    nothing = run("metrics", "--family", "rank", "--decisions")
    assert nothing.exit_code == 1
    assert nothing.stderr == "tallymark: no metric fits all of these\n"


def test_metrics_are_listed_by_what_the_class_balance_does_to_them():
    still = {
        m["name"] for m in json.loads(run("metrics", "--balance", "invariant", "--json").stdout)
    }
    assert {"sensitivity", "roc_auc"} <= still
    assert not still & {"precision", "accuracy"}


def test_every_command_takes_help():
    def commands(of, words):
        yield words
        for name, command in getattr(of, "commands", {}).items():
            yield from commands(command, [*words, name])

    every = list(commands(main, []))
    assert len(every) > 25
    for words in every:
        told = run(*words, "--help")
        assert told.exit_code == 0
        assert told.stdout.startswith(" ".join(["Usage: tallymark", *words]))


def test_help_lists_every_command_once_under_what_a_reader_wants():
    listing = run("--help").stdout.partition("this message and exit.\n\n")[2]
    sections = {}
    for block in listing.strip().split("\n\n"):
        heading, *lines = block.splitlines()
        sections[heading] = [line.split()[0] for line in lines]
    assert sorted(name for names in sections.values() for name in names) == sorted(main.commands)
    assert sections["Start:"] == ["inspect", "demo", "example"]
    assert sections["Judge:"][:3] == ["report", "subgroups", "curve"]
    assert sections["Compare:"][0] == "compare"
    assert sections["Decide:"][:2] == ["threshold", "thresholds"]
    assert "plan" in sections["Plan and check:"]
    assert "metrics" in sections["Look up:"]
    assert list(sections)[-1] == "Other:"


def test_explain_says_what_guessing_achieves_where_that_is_known():
    for name, achieved in (("youden_j", "0"), ("auc", "0.5"), ("precision", "prevalence")):
        assert f"\nguessing        {achieved}\n" in run("explain", name).output
    assert "guessing" not in run("explain", "adjusted_f").output


def test_explain_tells_when_a_metric_misleads_and_its_relatives():
    told = run("explain", "mcc").output
    assert "misleads when   It changes with prevalence" in told
    assert "relatives       cohen_kappa, youden_j, markedness" in told
    assert "class balance   rises and then falls, or the reverse: 0.503 to 0.334" in told
    facts = json.loads(run("explain", "auc", "--json").output)
    assert facts["moves_with_prevalence"] is False
    assert facts["relatives"] == ["average_precision", "partial_roc_auc", "gini_coefficient"]


FOREST = [*CANCER, "--score", "forest"]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["threshold", "in.csv", "--best", "auc"], "roc_auc is not computed at a single threshold"),
        (
            ["threshold", "in.csv", "--within", "f2", "0.5", "--param", "beta", "2"],
            "youden_j has no parameter 'beta'; it has none",
        ),
        (
            ["curve", "in.csv", "decision", "--param", "pionts", "1"],
            "the curve 'decision' has no parameter 'pionts'; did you mean 'points'",
        ),
        (["curve", "in.csv", "decision", "--param", "points", "ten"], "points is 'ten'; give"),
        (["curve", "in.csv", "rok"], "there is no curve 'rok'; did you mean 'roc'"),
        (["curve", "in.csv", "roc", "-o", "no/such/place.csv"], "no"),
        (["curve", "in.csv", "passes", "--band", "pointwise"], "passes has no band: it shows how"),
        (["curve", "in.csv", "kappa", "--band", "vertical"], "say 'pointwise'"),
    ],
)
def test_refusals_of_the_further_commands(folder, args, told):
    Path("in.csv").write_text(OK, encoding="utf-8")
    found = run(*args)
    assert found.exit_code == 2
    assert told in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert [p.name for p in folder.iterdir()] == ["in.csv"]


def test_a_threshold_is_chosen_with_its_limits():
    told = run("threshold", *FOREST, "--best", "tpr", "--within", "fpr", "0.01").output
    assert told.splitlines()[0] == "forest: scores at or above 0.59"
    assert "Sensitivity: 0.920 on these rows, 0.9" in told
    assert "False positive rate: 0.008 on these rows" in told
    costs = ["--best", "expected_cost", "--param", "cost_fn", "10", "--param", "prevalence", "0.05"]
    assert "Expected cost per row: 0.048 on these rows" in run("threshold", *FOREST, *costs).output
    usual = run("threshold", *FOREST, "--costs", "1", "5").output
    assert usual == run("threshold", *FOREST, "--best", "expected_cost", "--param", "cost_fp", "1",
                        "--param", "cost_fn", "5").output  # fmt: skip
    assert "Expected cost per row: " in usual
    wrong = run("threshold", *FOREST, "--best", "f1", "--costs", "1", "5")
    assert wrong.stderr == "tallymark: --best f1 uses no costs; leave --costs out\n"
    refused = run("threshold", *FOREST, "--within", "predicted_positive_rate", "20")
    assert refused.stderr == (
        "tallymark: the limit of predicted_positive_rate is 20, but it lies between 0 and 1; give "
        "a limit inside\n"
    )
    percent = run("threshold", *FOREST, "--within", "predicted_positive_rate", "20%").output
    assert percent == run("threshold", *FOREST, "--within", "predicted_positive_rate", "0.2").output
    none = run("threshold", *FOREST, "--within", "fpr", "0", "--within", "recall", "1").output
    assert none == "forest: no threshold keeps these limits\n"


CREDIT = [str(EXAMPLES / "credit.csv"), "--truth", "outcome", "--positive", "bad"]


def test_a_threshold_at_costs_says_what_it_saves_as_the_page_does(folder):
    with (EXAMPLES / "credit.csv").open(encoding="utf-8") as file:
        rows = [(r["outcome"] == "bad", float(r["forest"])) for r in csv.DictReader(file)]

    def cost(threshold, fp=1, fn=5):
        errors = [fp if s >= threshold else fn for bad, s in rows if bad != (s >= threshold)]
        return sum(errors) / len(rows)

    ev = evaluate(CREDIT[0], truth="outcome", positive="bad", score="forest")
    expected = ev.optimal_threshold(cost_fp=1, cost_fn=5).best.corrected.value
    options = [*CREDIT, "--score", "forest", "--costs", "1", "5"]
    for more, present in (([], 0.5), (["--threshold", "0.3"], 0.3)):
        told = " ".join(run("threshold", *options, *more, "--noun", "loan").output.split())
        assert "Expected cost per loan: 0.51 on these loans, 0.52 expected on new loans" in told
        assert f"forest costs {cost(present):.2f} (" in told
        constants = f"{cost(-1):.3f} on these loans, acting on none {cost(2):.3f}."
        assert f"; acting on every loan would cost {constants}" in told
        start = (
            f"At these costs, move the threshold of forest from {present} to 0.235: on new loans"
        )
        moved = told[told.index(start) :]
        assert f" per loan, {cost(present) - expected:.2f} (" in moved
        assert f" less than now ({cost(present):.2f}, " in moved
        report(*options, *more, "--noun", "loan", "-o", "page.html")
        page = re.sub("<[^>]*>", "", Path("page.html").read_text(encoding="utf-8"))
        assert moved.strip() in " ".join(html.unescape(page).split())
    limited = run("threshold", *options, "--within", "fpr", "0.2").output
    assert "acting on none 1.500." in limited
    assert "At these costs" not in limited
    assert "acting on" not in run("threshold", *options[:-3]).output
    one = run("threshold", *options[:-3], "--best", "expected_cost", "--param", "cost_fn", "5")
    assert "acting on none 1.500." in one.output


@pytest.mark.parametrize(
    ("command", "option", "percent", "number"),
    [
        ("report", "--threshold", "37%", "0.37"),
        ("report", "--level", "90%", "0.9"),
        ("compare", "--margin", "2%", "0.02"),
        ("compare", "--least", " 3 % ", "0.03"),
    ],
)
def test_a_share_may_be_given_in_percent(command, option, percent, number):
    file = (FOREST[0], "--truth", "diagnosis", "--score", "forest", "--score", "bayes")
    told = run(command, *file, option, percent)
    assert told.output == run(command, *file, option, number).output
    assert told.exit_code == 0
    wrong = run(command, *file, option, "2%%")
    assert wrong.stderr == (
        f"tallymark: Invalid value for '{option}': '2%%' is not a valid float; see tallymark "
        f"{command} -h\n"
    )


@pytest.mark.slow
def test_points_of_curves_as_csv(folder):
    told = run("curve", FOREST[0], "roc", *FOREST[1:]).output.splitlines()
    assert told[:2] == ["threshold,false_positive_rate,sensitivity", "inf,0.0,0.0"]
    assert told[-1].endswith(",1.0,1.0")
    assert run("curve", FOREST[0], "mcc", *FOREST[1:]).output.startswith(
        "threshold,matthews_corrcoef"
    )
    passes = run("curve", FOREST[0], "passes", *FOREST[1:]).output.splitlines()
    assert passes[1].startswith("1,0.0,0.0,0.0,212.0,357.0,0.0,0.0,1.0,1.0")
    done = run("curve", FOREST[0], "deciles", *FOREST[1:], "-o", "tenths.csv")
    assert done.output == "csv: tenths.csv\n"
    assert len(Path("tenths.csv").read_text(encoding="utf-8").splitlines()) == 11


@pytest.mark.slow
def test_bands_of_curves_as_csv(folder):
    done = run("curve", FOREST[0], "roc", *FOREST[1:], "--band", "pointwise", "--level", "0.9")
    assert done.stderr == "bounds: 0.9, Wilson, at each threshold\n"
    told = done.stdout.splitlines()
    assert told[0] == "threshold,false_positive_rate,sensitivity,low,high,x_low,x_high"
    columns = {"truth": "diagnosis", "score": "forest", "positive": "malignant"}
    ev = evaluate(FOREST[0], level=0.9, **columns)
    c = ev.curve("roc", band="pointwise")
    assert [float(v) for v in told[9].split(",")] == [
        v[8] for v in (c.threshold, c.x, c.y, c.low, c.high, c.x_low, c.x_high)
    ]
    whole = run("curve", FOREST[0], "det", *FOREST[1:], "--band", "simultaneous")
    assert whole.stdout.startswith("false_positive_rate,false_negative_rate,low,high\n")
    assert whole.stderr == "bounds: 0.95, sup-t, 500 simulated samples, the whole curve\n"
    drawn = [
        run("curve", FOREST[0], "roc", *FOREST[1:], "--band", "vertical", "--seed", str(seed))
        for seed in (1, 1, 2)
    ]
    assert drawn[0].stdout == drawn[1].stdout != drawn[2].stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("EER", ("EER has several definitions", "equal_error_rate_hull")),
        ("AUPRC", ("AUPRC has several definitions", "pr_auc_trapezoid")),
        ("alpha", ("false_positive_rate", "krippendorff_alpha")),
        ("ROC curve", ("ROC curve (curve roc)", "summed up by    roc_auc")),
        ("precision-recall curve", ("(curve pr)", "tallymark curve FILE pr")),
        ("reliability diagram", ("Calibration (curve calibration)",)),
        ("macro F1", ('f1 with average="macro"', "F1 (f1)")),
        ("weighted-averaged precision", ('precision with average="weighted"',)),
        ("quadratic weighted kappa", ('cohen_kappa with weights="quadratic"',)),
        ("d'", ("(d_prime)",)),
        ("DeltaP", ("also called",)),
        ("Detection Rate", ("TP / T",)),
        ("NIR", ("most frequent class",)),
        ("Detection Prevalence", ("(predicted_positive_rate)",)),
        ("gain_capture", ("(gini_coefficient)",)),
        ("Zijdenbos similarity index", ("F1 (f1)",)),
    ],
)
def test_explain_knows_what_others_call_it(name, words):
    shown = run("explain", name).stdout
    for word in words:
        assert word in shown
    assert max(map(len, shown.splitlines())) <= 88
    assert json.loads(run("explain", name, "--json").stdout)


@pytest.mark.parametrize("name", ["macro nonsense", "micro roc_auc", "nonsense curve"])
def test_explain_refuses_what_nobody_calls_so(name):
    assert f"there is no metric {name!r}" in refusal("explain", name)


def test_explain_knows_aliases_and_offers_the_nearest():
    assert run("explain", "TPR").stdout.startswith("Sensitivity (sensitivity)")
    assert "did you mean 'recall'" in refusal("explain", "recal")


# -- the process: output, interruption, speed --------------------------------------------------


@pytest.mark.parametrize("error", [
    KeyboardInterrupt(), RuntimeError("Query interrupted"),
    type("InterruptException", (Exception,), {})("INTERRUPT Error"),
])  # fmt: skip
def test_an_interruption_leaves_nothing_half_written(folder, monkeypatch, error):
    def stop(*args):
        raise error

    monkeypatch.setattr("tallymark.report.page.render", stop)
    Path("in.csv").write_text(OK, encoding="utf-8")
    result = run("report", "in.csv", "-o", "page.html")
    assert result.exit_code == 130
    assert result.stderr == "tallymark: interrupted; no partial file is left\n"
    assert [p.name for p in folder.iterdir()] == ["in.csv"]


def test_a_bug_is_not_called_bad_input(folder, monkeypatch):
    def broken(*args):
        raise ValueError("a bug")

    monkeypatch.setattr("tallymark.report.page.render", broken)
    Path("in.csv").write_text(OK, encoding="utf-8")
    assert isinstance(run("report", "in.csv", "-o", "page.html").exception, ValueError)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.slow
def test_ctrl_c_ends_the_command_quietly(folder):
    code = (
        "import sys, time, tallymark.reading.readers as intake\n"
        "def wait(*args, **options):\n"
        "    print('counting', flush=True)\n"
        "    time.sleep(60)\n"
        "intake.from_table = wait\n"
        "from tallymark.cli import main\n"
        "main(['report', 'in.csv', '-o', 'page.html'])\n"
    )
    Path("in.csv").write_text(OK, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        # A job that a script starts in the background ignores the signal.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "counting\n"
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told == "tallymark: interrupted; no partial file is left\n"
    assert [p.name for p in folder.iterdir()] == ["in.csv"]


@pytest.mark.skipif(os.name == "nt", reason="a pipe of the POSIX shell")
@pytest.mark.parametrize("args", [["metrics", "--json"], [*CANCER, "--json", "-"]])
@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(folder, args):
    script = Path(sys.executable).parent / "tallymark"
    args = args if args[0] == "metrics" else ["report", *args]
    process = subprocess.Popen(
        [str(script), *args, *(["--score", "bayes"] if args[0] == "report" else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


@pytest.mark.slow
def test_a_terminal_without_the_characters_gets_their_codes(folder):
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    Path("in.csv").write_text("label,score\nж,0.9\nб,0.2\n", encoding="utf-8")
    done = command("report", "in.csv", env=environment, encoding="latin-1")
    assert done.returncode == 2
    assert r"'\u0431', '\u0436'" in done.stderr
    Path("in.csv").write_text("label,y_pred\nж,ж\nб,ж\nв,б\n", encoding="utf-8")
    done = command("report", "in.csv", env=environment, encoding="latin-1")
    assert done.returncode == 0, done.stderr
    assert r"\u0436" in done.stdout


@pytest.mark.slow
def test_piped_output_has_no_colour_and_no_bar(folder):
    Path("in.csv").write_text(OK, encoding="utf-8")
    done = command("report", "in.csv")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.slow
def test_exit_code_of_the_process(folder):
    done = command("report", "nothing.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tallymark: there is no file 'nothing.csv'; check the path\n"


def on_a_terminal(args, env=None):
    """Run a command with both outputs on a pseudo-terminal, and return what it shows."""
    import pty

    parent, child = pty.openpty()
    environment = {"TERM": "xterm", **{k: v for k, v in os.environ.items() if k != "NO_COLOR"}}
    process = subprocess.Popen(
        args, stdout=child, stderr=child, stdin=child, env={**environment, **(env or {})}
    )
    os.close(child)
    shown = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(parent)
    assert process.wait(timeout=60) == 0, shown
    return shown.decode()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
@pytest.mark.slow
def test_colour_on_a_terminal_unless_not_wanted(folder):
    # Without the bar of long work, which draws itself with escapes of its own.
    code = "import tallymark.cli.group as g; g.BAR_AFTER = 3600; g.main(['report', 'in.csv'])"
    command = [sys.executable, "-c", f"import tallymark.cli; {code}"]
    Path("in.csv").write_text(OK, encoding="utf-8")
    assert "\x1b[1m" in on_a_terminal(command)
    assert "\x1b" not in on_a_terminal(command, {"NO_COLOR": "1"})
    assert "\x1b" not in on_a_terminal(command, {"TERM": "dumb"})


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(("seconds", "drawn"), [(0.0, False), (0.3, True)])
@pytest.mark.slow
def test_a_bar_is_drawn_once_the_work_takes_long(folder, seconds, drawn):
    code = (
        "import time, tallymark.cli.group as cli, tallymark.api as e\n"
        "cli.BAR_AFTER = 0.2\n"
        "real = e.evaluate\n"
        "def slow(*args, options, **said):\n"
        "    for done in (1, 2, 3):\n"
        "        options['progress'](done, 4)\n"
        f"        time.sleep({seconds})\n"
        "    return real(*args, options=options, **said)\n"
        "e.evaluate = slow\n"
        "cli.main(['report', 'in.csv'])\n"
    )
    Path("in.csv").write_text(OK, encoding="utf-8")
    if not drawn:
        code = code.replace("cli.BAR_AFTER = 0.2", "cli.BAR_AFTER = 30.0")
    shown = on_a_terminal([sys.executable, "-c", code])
    for words in ("counting rows", "million rows/s"):
        assert (words in shown) is drawn


def test_help_does_not_wait_for_numpy():
    code = (
        "import sys\n"
        "from tallymark.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'rich', 'narwhals', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    assert done.stderr.strip() == "[]"
    assert "report" in done.stdout


@pytest.mark.slow
def test_help_takes_a_quarter_of_a_second_of_the_processor():
    """Of the processor, not of the clock: other work on the machine decides that one."""
    resource = pytest.importorskip("resource")

    def seconds() -> float:
        used = [0.0, 0.0]
        for i in (0, 1):
            if i:
                assert command("--help").returncode == 0
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            used[i] = usage.ru_utime + usage.ru_stime
        return used[1] - used[0]

    assert 0 < min(seconds() for _ in range(3)) <= 0.25


def test_version():
    from importlib.metadata import version

    assert run("--version").stdout == f"tallymark, version {version('tallymark')}\n"


@pytest.mark.parametrize("fault", [AttributeError, OSError, TypeError])
def test_another_c_library_is_left_as_it_is(fault, monkeypatch):
    def refuse(name):
        raise fault

    monkeypatch.setattr("ctypes.CDLL", refuse)
    assert run("explain", "f1").exit_code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            [],
            "say FILE --truth a --score b --positive 1 or FILE --truth a --score b --positive 3 or "
            "FILE --truth a --score c --positive 1 or FILE --truth a --score c --positive 3 or "
            "FILE --truth a --score b --score c --positive 1 or",
        ),
        (
            ["--truth", "a", "--score", "b"],
            "say FILE --truth a --score b --positive 1 or FILE --truth a --score b --positive 3",
        ),
        (["--truth", "a", "--score=b", "--seed", "1"], "FILE --truth a --score=b --seed 1 --pos"),
        (["--truth", "a", "--score", "c", "--positive", "1"], "say --missing drop to leave"),
    ],
)
def test_refusals_name_options_not_arguments(tmp_path, words, told):
    (tmp_path / "x.csv").write_text(
        "a,b,c\n1,0.2,\n3,0.4,0.1\n1,0.3,0.2\n3,0.7,0.4\n", encoding="utf-8"
    )
    found = CliRunner().invoke(main, ["report", str(tmp_path / "x.csv"), *words])
    assert found.exit_code == 2
    stderr = found.stderr.replace(f"tallymark report {tmp_path / 'x.csv'}", "FILE")
    assert told in stderr
    assert "=" not in stderr.replace("--score=b", "")


@pytest.mark.slow
def test_notes_name_options_on_the_page_too(folder):
    rows = "".join(
        f"{i // 3},{i % 5},{'ja' if i % 3 else 'nein'},0.{i * 7 % 90}\n" for i in range(120)
    )
    Path("a.csv").write_text("patient,fold_id,label,score\n" + rows, encoding="utf-8")
    printed = run("report", "a.csv", "-o", "page.html").stdout
    page = Path("page.html").read_text(encoding="utf-8")
    for told in ("intervals assume independent rows. Use --cluster patient",
                 "is not used; --fold fold_id judges each"):  # fmt: skip
        assert told in " ".join(printed.split())
        assert told in page
    tm.evaluate("a.csv").report("page.html")
    page = html.unescape(Path("page.html").read_text(encoding="utf-8"))
    assert "Use cluster='patient'" in page
    assert "fold='fold_id' judges each" in page


def test_every_pred_is_a_model(folder):
    Path("two.csv").write_text(
        "label,a,b\n" + "1,1,0\n0,0,0\n1,1,1\n0,1,0\n" * 20, encoding="utf-8"
    )
    found = json.loads(run("compare", "two.csv", "--pred", "a", "--pred", "b", "--json").stdout)
    assert found["metric"] == "matthews_corrcoef"
    assert [found["pairs"][0][side] for side in ("first", "second")] == ["a", "b"]
    asked = run("compare", "two.csv")
    assert asked.exit_code == 2
    assert asked.stderr.endswith(
        "; say tallymark compare two.csv --truth label --pred a --pred b\n"
    )


def inspected(file):
    found = run("inspect", file)
    assert found.exit_code == 0
    return " ".join(found.stdout.split())


@pytest.mark.slow
def test_inspect_says_how_a_file_is_read_or_what_is_asked(folder):
    rows = "".join(
        f"{i},{'ja' if (i % 9 > 2) != (i in (9, 12)) else 'nein'},0.{i % 9 + 1},0.{i % 9}\n"
        for i in range(30)
    )
    Path("a.csv").write_text("Kunde,Abwanderung,Wahrscheinlichkeit,x\n" + rows, encoding="utf-8")
    out = inspected("a.csv")
    assert "Read as: truth = `Abwanderung` (ja is positive), score = `Wahrscheinlichkeit`" in out
    assert "Kunde number 30 0 ignored identifier" in out
    assert "Abwanderung text 2 0 true class the only column of two values" in out
    assert "A report judges 30 rows of 2 classes (ja, nein): Wahrscheinlichkeit." in out
    told = json.loads(run("inspect", "a.csv", "--score", "x", "--json").stdout)
    assert told["source"]["roles"] == {"truth": "Abwanderung", "score": "x"}
    assert told["columns"][3]["taken_for"] == "score"
    assert told["first_rows"][0] == ["0", "nein", "0.1", "0.0"]
    Path("b.csv").write_text("k,t,s,u\n" + rows, encoding="utf-8")
    out = inspected("b.csv")
    assert (
        "A report would be refused: several columns could be the score: 's', 'u'; say tallymark "
        "report b.csv --truth t --score s or tallymark report b.csv --truth t --score u or "
        "tallymark report b.csv --truth t --score s --score u." in out
    )
    told = run("inspect", "b.csv", "--truth", "t", "--score", "s", "--score", "u").stdout
    assert "A report judges 30 rows of 2 classes (ja, nein): s, u." in told
    assert "s number 9 0 probability" in out


def test_inspect_takes_the_margin_of_weka_for_nothing(folder):
    Path("c.csv").write_text("prediction_margin,note\n0.5,a\n-0.2,b\n", encoding="utf-8")
    out = inspected("c.csv")
    assert "prediction_margin number 2 0 numbers" in out
    assert "A report would be refused: there is no true class here: no column looks like it" in out


@pytest.mark.slow
def test_thresholds_and_curves_ask_about_scores_the_wrong_way(folder):
    rows = "".join(f"{'yes' if i < 20 else 'no'},{i / 50}\n" for i in range(50))
    Path("low.csv").write_text("truth,score\n" + rows, encoding="utf-8")
    for arguments in (["threshold", "low.csv"], ["curve", "low.csv", "roc"]):
        asked = run(*arguments)
        assert asked.exit_code == 2
        words = " ".join(["tallymark", *arguments])
        assert (
            "nothing says whether high or low values of score speak for 'yes' (as they stand, the "
            f"ROC area is 0.000); say {words} --score-of no or {words} --score-is "
            "score\n" in asked.stderr
        )
        assert run(*arguments, "--score-of", "no").stderr == ""
        told = run(*arguments, "--score-is", "score").stderr
        assert told == (
            "warning: ROC area of score is 0.000, below 0.5: its scores rank the classes in "
            "reverse; if they are of 'no', say --score-of no\n"
        )


def test_inspect_of_a_file_of_counts_shows_what_it_holds(tmp_path):
    place = tmp_path / "run.json"
    tm.evaluate([1, 1, 0, 0], y_score=[0.9, 0.4, 0.6, 0.1]).to_json(place)
    done = run("inspect", str(place))
    assert done.exit_code == 0
    assert "4 rows" in done.stdout
    assert "source.roles" not in done.stdout


THARWAT = """sample,truth,score
1,P,0.9
2,P,0.8
3,N,0.7
4,P,0.6
5,P,0.55
6,P,0.54
7,N,0.53
8,N,0.52
9,P,0.51
10,N,0.505
"""
"""Ten of the twenty samples of Fawcett (2006), figure 3, on which Tharwat's Table 1 is built."""


def test_thresholds_are_worked_out_as_textbooks_print_them(folder):
    Path("t.csv").write_text(THARWAT, encoding="utf-8")
    told = run("thresholds", "t.csv", "--positive", "P")
    lines = [li.split() for li in told.stdout.splitlines()]
    assert lines[0] == ["score:", "11", "thresholds"]
    assert lines[1] == ["threshold", "TP", "FN", "TN", "FP", "TPR", "FPR", "FNR", "PPV", "ACC"]
    assert lines[2][:5] == ["inf", "0", "6", "4", "0"]
    assert lines[5] == ["0.7", "2", "4", "3", "1", "0.333", "0.250", "0.667", "0.667", "0.500"]
    assert lines[-1][:5] == ["0.505", "6", "0", "0", "4"]
    done = run("thresholds", "t.csv", "--positive", "P", "--metric", "mcc", "--format", "csv")
    header, *rows = done.stdout.splitlines()
    assert header == "model,threshold,TP,FN,TN,FP,matthews_corrcoef"
    assert len(rows) == 11
    (row,) = (r for r in json.loads(run("thresholds", "t.csv", "--positive", "P", "--json").stdout)
              if r["threshold"] == 0.7)  # fmt: skip
    assert row["model"] == "score"


def test_many_thresholds_are_shown_at_even_steps_and_written_whole(folder):
    rows = "".join(f"{'yes' if i % 3 else 'no'},{i / 500}\n" for i in range(500))
    Path("many.csv").write_text("truth,score\n" + rows, encoding="utf-8")
    lines = run("thresholds", "many.csv", "--positive", "yes").stdout.splitlines()
    assert lines[0] == "score: 501 thresholds, 40 shown; -o FILE has all"
    assert len(lines) == 42
    assert run("thresholds", "many.csv", "--positive", "yes", "-o", "all.csv").exit_code == 0
    assert len(Path("all.csv").read_text(encoding="utf-8").splitlines()) == 502


def test_thresholds_need_scores_and_metrics_of_decisions(folder):
    Path("t.csv").write_text(THARWAT, encoding="utf-8")
    assert "roc_auc is not computed at a single threshold" in refusal(
        "thresholds", "t.csv", "--positive", "P", "--metric", "auc"
    )
    Path("d.csv").write_text("truth,pred\n1,1\n0,0\n1,0\n", encoding="utf-8")
    assert "a table of thresholds needs scores and two classes" in refusal("thresholds", "d.csv")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("f1_macro", "'f1_macro' is f1 with average='macro'; use f1"),
        ("neg_log_loss", "'neg_log_loss' is log_loss with its sign reversed; use log_loss"),
    ],
)
def test_scorer_names_lead_to_a_metric_and_not_to_python(name, message):
    result = run("threshold", str(tm.example("blog")), "--best", name)
    assert result.exit_code == 2
    assert result.output == f"tallymark: {message}\n"


def test_compare_judges_models_at_the_stated_costs(folder):
    models = ["--truth", "outcome", "--positive", "bad", "--score", "logistic", "--score", "forest"]
    file = [str(tm.example("credit")), *models]
    lines = tm.example("credit").read_text("utf-8").splitlines()
    rows = [(r["outcome"] == "bad", r) for r in csv.DictReader(lines)]
    cost = {
        n: sum((5 if bad else 1) * (bad != (float(r[n]) >= 0.5)) for bad, r in rows) / len(rows)
        for n in ("logistic", "forest")
    }
    text = run("compare", *file, "--costs", "1", "5").stdout
    lines = text.splitlines()
    assert lines[0] == "Verdicts by expected cost, false alarm 1 : missed 5"
    row = next(line for line in lines if line.startswith("  Expected cost "))
    assert row.split()[2:4] == [f"{cost['logistic']:.3f}", f"{cost['forest']:.3f}"]
    found = json.loads(run("compare", *file, "--costs", "1", "5", "--json").stdout)
    assert (found["metric"], found["costs"]) == ("expected_cost", {"cost_fp": 1, "cost_fn": 5})
    assert refusal("compare", *file, "--costs", "1", "5", "--metric", "f1") == (
        "--metric f1 uses no costs; leave --costs out"
    )
    assert refusal("compare", *file, "--costs", "0", "0") == (
        "--costs are both 0; one of them must be above 0"
    )
    assert refusal("compare", *file, "--costs", "1", "5", "--fold", "age_group") == (
        "folds are not compared at costs; leave --fold out, or leave --costs out"
    )


@pytest.mark.parametrize("said", [("--percent",), ("--score-is", "percent")])
def test_a_threshold_is_on_the_scale_of_scores_in_percent(folder, said):
    Path("p.csv").write_text("y,s\n1,90\n0,20\n1,29\n0,10\n1,70\n0,60\n", encoding="utf-8")
    file = ("p.csv", "--truth", "y", "--score", "s", *said)
    for given, cut, found in (("50", 0.5, 2), ("50%", 0.5, 2), ("29%", 0.29, 3), ("29", 0.29, 3)):
        result = report(*file, "--threshold", given, "--json", "-")
        (model,) = json.loads(result.stdout)["models"]
        assert (model["threshold"], model["rule"]) == (cut, f"scores at or above {cut}")
        assert model["values"]["sensitivity"]["value"] == pytest.approx(found / 3)
        text = report(*file, "--threshold", given).stdout
        assert f"percent (threshold {100 * cut:g} is {cut})" in text
    assert "Read as: 1 is positive, percent; given: " in report(*file).stdout
    for beyond in ("101", "-1"):
        assert refusal("report", *file, f"--threshold={beyond}") == (
            f"threshold is {beyond}, and scores in percent are from 0 to 100; give one among them"
        )
    options = {"reading": {"percent": True}, "threshold": 50}
    ev = evaluate([1, 0, 1, 0], y_score=[90, 20, 29, 60], **options)
    assert ev.models[0].threshold == 0.5
    with pytest.raises(tm.InputError, match="^threshold is 101, and scores in percent are from 0"):
        evaluate([1, 0, 1, 0], y_score=[90, 20, 29, 60], **{**options, "threshold": 101})


@pytest.mark.slow
def test_a_comparison_is_asked_about_several_columns_alone(folder):
    rows = "".join(
        f"{i % 3 == 0:d},{(i * 7 % 60) / 60:.4f},{(i * 11 % 60) / 60:.4f}\n" for i in range(60)
    )
    Path("two.csv").write_text("label,Model A,Model B\n" + rows, encoding="utf-8")
    asked = run("compare", "two.csv")
    assert asked.exit_code == 2
    assert asked.stderr == (
        "tallymark: several columns could be the score: 'Model A', 'Model B'; say tallymark compare "
        "two.csv --truth label --score 'Model A' --score 'Model B'\n"
    )
    named = ["--truth", "label", "--score", "Model A", "--score", "Model B"]
    assert run("compare", "two.csv", *named).exit_code == 0
