import csv
import importlib.util
import shlex
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.reading.shipped import shipped

EXAMPLES = Path(__file__).parents[1] / "examples"
SHIPPED = files("tallymark") / "examples"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    pytest.importorskip("sklearn")
    spec = importlib.util.spec_from_file_location("predictions", EXAMPLES / "predictions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("examples")
    module.breast_cancer(folder)
    module.iris(folder)
    return folder


def read(path: Path) -> tuple[list[str], list[str], list[list[float]]]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, [r[0] for r in rows], [[float(x) for x in r[1:]] for r in rows]


@pytest.mark.parametrize(("name", "rows", "columns"), [
    ("breast_cancer.csv", 569, ["diagnosis", "logistic", "forest", "bayes"]),
    ("iris.csv", 150, ["species", "p_setosa", "p_versicolor", "p_virginica"]),
])  # fmt: skip
@pytest.mark.slow
def test_the_files_are_what_the_script_makes(made, name, rows, columns):
    header, truth, scores = read(SHIPPED / name)
    again_header, again_truth, again_scores = read(made / name)
    assert header == again_header == columns
    assert len(truth) == rows
    assert truth == again_truth
    for row, again in zip(scores, again_scores, strict=True):
        assert row == pytest.approx(again, abs=1e-5)


def test_scores_are_for_the_class_they_are_named_after():
    _, truth, scores = read(SHIPPED / "breast_cancer.csv")
    for k in range(3):
        malignant = [row[k] for row, t in zip(scores, truth, strict=True) if t == "malignant"]
        benign = [row[k] for row, t in zip(scores, truth, strict=True) if t == "benign"]
        assert sum(malignant) / len(malignant) > 0.8 > 0.2 > sum(benign) / len(benign)


@pytest.mark.slow
def test_the_demo_finds_the_example_wherever_it_is_installed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["demo", "--full"])
    assert done.exit_code == 0
    assert "credit.csv" in done.output
    assert "1,000 rows" in done.output
    assert "score = `logistic`, `forest`, `bayes`" in " ".join(done.output.split())
    assert (tmp_path / "demo.html").is_file()


def test_everything_shipped_has_its_source_and_licence():
    manifest = tomllib.loads((SHIPPED / "manifest.toml").read_text("utf-8"))
    shipped = {f.name: len(f.read_bytes()) for f in SHIPPED.iterdir() if f.name != "manifest.toml"}
    shipped = {name: size for name, size in shipped.items() if not name.startswith("__")}
    assert set(shipped) == {f"{name}.csv" for name in manifest}
    assert sum(shipped.values()) <= 1e6
    for facts in manifest.values():
        assert set(facts) == {"title", "authors", "year", "source", "licence", "made", "command"}


def test_the_graded_answers_are_what_their_script_makes(tmp_path):
    spec = importlib.util.spec_from_file_location("answers", EXAMPLES / "answers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.answers(tmp_path).read_text("utf-8")
    assert made == tm.example("answers").read_text("utf-8")
    assert len(made) <= 30_000
    rows = [line.split(",") for line in made.splitlines()[1:]]
    assert len({tuple(row[:5]) for row in rows}) == len(rows) == 200 * 3 * 2


@pytest.mark.parametrize("name", list(shipped()))
@pytest.mark.slow
def test_the_command_of_an_example_judges_it(name, tmp_path, monkeypatch):
    if shipped()[name].command.split()[0] not in main.commands:
        pytest.skip("the part with its command is absent")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["example", name])
    assert done.exit_code == 0, done.output
    assert (tmp_path / f"{name}.csv").read_bytes() == tm.example(name).read_bytes()
    facts, line = shipped()[name], done.output.splitlines()[-1]
    assert facts.title in done.output
    assert facts.licence in done.output
    assert line.startswith(f"Judge it with: tallymark {facts.command.split()[0]} {name}.csv")
    judged = CliRunner().invoke(main, shlex.split(line.removeprefix("Judge it with: tallymark ")))
    assert judged.exit_code == 0, judged.output
    again = CliRunner().invoke(main, ["example", name])
    assert again.exit_code == 2
    assert f"'{name}.csv' exists; give another file with -o" in again.output


def test_examples_are_listed_and_a_misspelt_one_is_refused():
    listed = CliRunner().invoke(main, ["example"]).output
    assert [line.split()[0] for line in listed.splitlines()[:-2]] == list(shipped())
    refused = CliRunner().invoke(main, ["example", "iriss"])
    assert refused.exit_code == 2
    assert "there is no example 'iriss'; did you mean 'iris'?" in refused.output


def test_the_numbers_of_the_documents_follow_from_their_data():
    tharwat = tm.evaluate(tm.example("tharwat"), truth="class", positive="P", score="score")
    assert tharwat["roc_auc"].value == pytest.approx(17 / 25)
    blog = tm.evaluate(tm.example("blog"), truth="class", positive="+", score="probability")
    assert blog["roc_auc"].value == pytest.approx(0.56)
    assert blog["roc_auc_optimistic"].value == pytest.approx(0.60)
    assert blog["roc_auc_pessimistic"].value == pytest.approx(0.52)


@pytest.mark.slow
def test_the_modules_are_those_of_kc1_with_their_lines():
    ev = tm.evaluate(tm.example("defects"), truth="defective", score="forest")
    assert (ev.rows, ev.models[0].labels.counts[1].sum()) == (2109, 326)
    assert 0.75 < ev["roc_auc"].value < 0.9
    _, _, rows = read(SHIPPED / "defects.csv")
    alike = Counter(map(tuple, rows))  # lines of code and what both models say
    assert sum(n for n in alike.values() if n > 1) > 600


@pytest.mark.slow
def test_the_demo_has_a_trade_off_and_a_model_to_recalibrate():
    ev = tm.evaluate(
        str(SHIPPED / "credit.csv"), truth="outcome", positive="bad",
        score=["logistic", "forest", "bayes"], subgroup=["age_group", "housing"],
    )  # fmt: skip
    assert (ev.rows, ev.model("forest")["prevalence"].value) == (1000, 0.3)
    assert all(0.7 < of["roc_auc"].value < 0.86 for of in ev.values().values())
    assert [b["sensitivity"].value > 0.3 for b in ev.values().values()] == [True] * 3
    off = {s.model for s in ev.advise().statements if s.rule.startswith("probabilities")}
    assert "bayes" in off
    assert {len(ev.model("forest").by(c)) for c in ("age_group", "housing")} == {3, 4}
