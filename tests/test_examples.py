import csv
import importlib.util
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from studies.demsar import CLASSIFIERS, RESULTS

EXAMPLES = Path(__file__).parents[1] / "examples"


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
def test_the_files_are_what_the_script_makes(made, name, rows, columns):
    header, truth, scores = read(EXAMPLES / name)
    again_header, again_truth, again_scores = read(made / name)
    assert header == again_header == columns
    assert len(truth) == rows
    assert truth == again_truth
    for row, again in zip(scores, again_scores, strict=True):
        assert row == pytest.approx(again, abs=1e-5)


def test_scores_are_for_the_class_they_are_named_after():
    _, truth, scores = read(EXAMPLES / "breast_cancer.csv")
    for k in range(3):
        malignant = [row[k] for row, t in zip(scores, truth, strict=True) if t == "malignant"]
        benign = [row[k] for row, t in zip(scores, truth, strict=True) if t == "benign"]
        assert sum(malignant) / len(malignant) > 0.8 > 0.2 > sum(benign) / len(benign)


def test_the_demo_finds_the_example_wherever_it_is_installed(tmp_path, monkeypatch):
    from tallymark.cli import main

    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["demo", "-o", "demo.html"])
    assert done.exit_code == 0
    assert "breast_cancer.csv" in done.output
    assert "569 rows" in done.output
    assert (tmp_path / "demo.html").is_file()


def test_an_installed_copy_is_the_same_file():
    installed = files("tallymark") / "data" / "breast_cancer.csv"
    if not installed.is_file():
        pytest.skip("installed for editing: the demo reads the file among the examples")
    assert installed.read_bytes() == (EXAMPLES / "breast_cancer.csv").read_bytes()


def test_demsars_table_is_his():
    with (EXAMPLES / "demsar2006.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["dataset", "classifier", "auc"]
    told = {(d, c): float(v) for d, c, v in rows}
    assert len(told) == len(rows)
    assert told == {(d, c): v for d, row in RESULTS.items()
                    for c, v in zip(CLASSIFIERS, row, strict=True)}  # fmt: skip
