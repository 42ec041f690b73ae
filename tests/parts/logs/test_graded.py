"""Logs given to the leaderboard: the same answers as from a table of grades."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main

LOGS = Path(__file__).parents[4] / "shared" / "golden" / "logs"
pytestmark = pytest.mark.skipif(
    not hasattr(tm, "evals"), reason="the part that judges grades is absent"
)

RIGHT = {"a": [1, 1, 1, 0, 1, 1, 1, 0], "b": [1, 0, 0, 0, 1, 1, 0]}


def written(folder, model, acc):
    """Write the samples of a model of lm-evaluation-harness: the questions 0, 1, 2 ..."""
    lines = [
        {"doc_id": i, "doc": {"question": "?"}, "target": "x", "resps": [["x"]],
         "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"], "acc": float(right)}
        for i, right in enumerate(acc)
    ]  # fmt: skip
    path = folder / f"toylab__{model}" / "samples_toy_2026-05-01T10-00-00.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def folder(tmp_path):
    for model, acc in RIGHT.items():
        written(tmp_path, model, acc)
    return tmp_path


@pytest.mark.parametrize("how", ["folder", "files"])
def test_logs_are_judged_on_the_questions_that_all_models_answered(folder, how):
    files = sorted(folder.rglob("*.jsonl"))
    board = tm.evals(folder if how == "folder" else files)
    assert board.source == "2 logs of lm-evaluation-harness (toy, acc,none)"
    assert [(m.model, m.value.value, m.missing) for m in board.models] == [
        ("toylab/a", 6 / 7, 0), ("toylab/b", 3 / 7, 1),
    ]  # fmt: skip
    (pair,) = board.pairs
    assert pair.difference == pytest.approx(3 / 7)
    assert (pair.first_better, pair.equal, pair.second_better) == (3, 4, 0)
    plain = tm.evals({m: [*acc, None][:8] for m, acc in RIGHT.items()}).pairs[0]
    assert (pair.low, pair.high, pair.p_value) == (plain.low, plain.high, plain.p_value)


@pytest.mark.parametrize("how", ["folder", "files"])
def test_evaluate_gives_the_same_leaderboard(folder, how):
    files = sorted(folder.rglob("*.jsonl"))
    board = tm.evaluate(folder if how == "folder" else list(map(str, files)))
    assert board.to_dict() == tm.evals(files).to_dict()
    alone = tm.evaluate(files[0], level=0.9)
    assert alone.to_dict() == tm.evals(files[0], level=0.9).to_dict()


def test_compare_and_report_recognise_logs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    files = [str(f.relative_to(folder)) for f in sorted(folder.rglob("*.jsonl"))]

    def run(*words):
        return CliRunner().invoke(main, words, prog_name="tallymark")

    usual = run("evals", *files).output
    assert "2 logs of lm-evaluation-harness" in usual
    for words in (["compare", *files], ["report", *files], ["compare", "."], ["inspect", "."],
                  ["compare", files[0], "--with", files[1]]):  # fmt: skip
        done = run(*words)
        assert (done.exit_code, done.output) == (0, usual), words
    for command in ("compare", "report"):
        done = run(command, *files, "-o", "page.html")
        assert done.output == f"{usual}page: page.html\n"
        assert "<h1" in Path("page.html").read_text("utf-8")
        Path("page.html").unlink()
    assert json.loads(run("compare", *files, "--json").stdout) == tm.evals(files).to_dict()
    least = run("compare", *files, "--least", "0.2").output
    assert least == run("evals", *files, "--least", "0.2").output != usual


def test_a_log_of_other_grades_says_what_shows_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [{"question_id": i, "turn": 1, "model": "a", "judge": ["j", "p"], "score": 7 + i % 3}
             for i in range(6)]  # fmt: skip
    Path("g_single.jsonl").write_text("".join(json.dumps(r) + "\n" for r in lines), "utf-8")
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate("g_single.jsonl")
    assert str(refused.value) == (
        "value holds 9; grades lie between 0 (wrong) and 1 (right), so divide by the highest "
        "possible grade; tallymark log g_single.jsonl shows all scores"
    )


def test_columns_that_the_user_names_are_those_of_the_file(folder):
    (file,) = (folder / "toylab__a").iterdir()
    board = tm.evals(file, "acc", item="doc_id", scorer=None)
    assert board.source == file.name
    assert board.models[0].value.value == 6 / 8


def test_a_file_that_is_no_log_is_a_table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("item,correct\n" + "".join(f"q{i},{i % 2}\n" for i in range(12)), "utf-8")
    assert tm.evals(path).source == "answers.csv"
    with pytest.raises(tm.InputError, match="no such file|there is no file"):
        tm.evals(tmp_path / "missing.jsonl")


def test_failed_samples_are_said_where_they_count_as_wrong(tmp_path):
    report = {
        "total_instances": 4, "submitted_instances": 4, "completed_instances": 3,
        "resolved_instances": 2, "unresolved_instances": 1, "empty_patch_instances": 0,
        "error_instances": 1, "unstopped_instances": 0, "completed_ids": ["a", "b", "c"],
        "incomplete_ids": [], "empty_patch_ids": [], "submitted_ids": ["a", "b", "c", "d"],
        "resolved_ids": ["a", "b"], "unresolved_ids": ["c"], "error_ids": ["d"],
        "schema_version": 2,
    }  # fmt: skip
    path = tmp_path / "toy.run1.json"
    path.write_text(json.dumps(report), "utf-8")
    board = tm.evals(path)
    assert board.models[0].value.value == 0.5
    assert "1 score of samples that failed count as wrong" in board.read_as


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs ../shared/golden/logs")
def test_paired_differences_of_the_invented_logs():
    pairs = json.loads((LOGS / "answers.json").read_text("utf-8"))["pairs"]
    judged = 0
    for want in pairs:
        files = [LOGS / want[side] for side in "ab"]
        if want["a"] == want["b"] or not all(f.is_file() for f in files):
            continue
        log = tm.read_log(files)
        scorer = want["metric"].replace("|", ",")
        if scorer not in {s.scorer for s in log.scores} or len({s.model for s in log.scores}) != 2:
            continue
        board = tm.evals(files, scorer=scorer)
        first = next(s.model for s in tm.read_log(files[0]).scores)
        second = next(m.model for m in board.models if m.model != first)
        assert board.pair(first, second).difference == pytest.approx(want["diff"], abs=1e-9), want
        assert board.questions == want["n_shared"]
        judged += 1
    assert judged >= 8
