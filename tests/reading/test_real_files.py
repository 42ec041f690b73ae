"""Files that others published: each read right with nothing said, or refused with what helps.

The files lie beside the checkout, with their sources and licences; without them the tests are skipped.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import tallymark as tm
from fuzzing import refusal
from tallymark.cli import main
from tallymark.part import OURS

FILES = Path(__file__).parents[3] / "shared" / "real-files"

pytestmark = pytest.mark.skipif(
    not FILES.exists(), reason="the published files are not beside this checkout"
)


def run(*arguments):
    """Run a command; return its exit code, standard output and standard error."""
    names = [str(FILES / a) if (FILES / a).is_file() else a for a in map(str, arguments)]
    result = CliRunner().invoke(main, names, prog_name="tallymark")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def judged(name, **say):
    """Return the evaluation of a file, and all that is said of how it was read."""
    ev, sentence = refusal(tm.evaluate, FILES / name, **say)
    assert sentence is None, sentence
    return ev, " ".join([ev.source.sentence, *(note.text for note in ev.notes)])


def refused(name):
    """Return the refusal of a file, which the command line words as well."""
    ev, sentence = refusal(tm.evaluate, FILES / name)
    assert ev is None, ev.source.sentence
    code, out, err = run("report", name, "--json", "-")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return sentence, err


def numbers(ev, **right):
    found = {name: ev[name].value for name in right if name != "rows"}
    assert ev.rows == right.pop("rows")
    assert found == pytest.approx(right, abs=6e-7)


def areas(ev):
    """Return the area of each class, in the order of the classes."""
    of = next(iter(ev.per_class("roc_auc").values()))
    return [of[c]["roc_auc"].value for c in ev.classes]


@pytest.mark.slow
def test_cagedbird_predictions():
    ev, read = judged("cagedbird_preds_val.csv")
    assert len(ev.classes) == 56
    numbers(ev, rows=1243, accuracy=0.923572)
    assert re.search("probability of the predicted class", read)
    assert all("roc_auc" not in of for of in ev.values().values())


def test_two_likeliest_classes_have_no_truth():
    sentence, err = refused("cagedbird_top2.csv")
    assert re.search("no (column .*)?true class", sentence), sentence
    assert "--truth-file" in err


@pytest.mark.parametrize("name", ["inspect_log.json", "inspect_mmlu.eval"])
def test_one_sample_of_a_log_shows_little(name):
    code, out, err = run("report", name)
    assert code == 0, err
    assert "1 model on 1 question\n" in out
    assert "warning: 1 question shows little; add questions." in out


@pytest.mark.parametrize("more", [[], ["--no-header", "--no-ignore-case"]])
def test_truth_in_another_file(more):
    command = ("report", "sed_scene_est.txt", "--truth-file", "sed_scene_ref.txt", *more)
    code, out, err = run(*command, "--json", "-")
    if code and not more:
        assert "--no-header" in err
        return
    assert code == 0, err
    data = json.loads(out)
    assert data["rows"] == 30
    assert data["models"][0]["values"]["accuracy"]["value"] == pytest.approx(0.6)


@pytest.mark.slow
def test_two_probabilities_of_one_game_with_their_outcomes():
    ev, _ = judged("nhl_games.csv")
    assert len(ev.models) == 1
    numbers(ev, rows=1401, roc_auc=0.665550, brier=0.231257)


@pytest.mark.slow
def test_three_probabilities_of_one_match():
    ev, _ = judged("worldcup_men.csv")
    assert len(ev.models) == 1
    numbers(ev, rows=176, accuracy=0.602273, log_loss=0.899169)
    assert sorted(areas(ev)) == pytest.approx(sorted([0.754186, 0.682191, 0.733558]), abs=6e-7)


def test_gold_and_predicted_labels():
    ev, _ = judged("value_clf.csv")
    numbers(ev, rows=300, accuracy=0.88, cohen_kappa=0.819344)
    assert ev.value("f1", average="macro").value == pytest.approx(0.884197, abs=6e-7)


def test_predictions_of_bigml_have_no_truth():
    sentence, err = refused("bigml_iris_h.csv")
    assert re.search("no (column .*)?true class", sentence), sentence
    assert "--truth-file" in err


def test_every_file_is_read_by_a_test():
    tests = Path(__file__).parents[1]
    if not all((tests / "parts" / part).is_dir() for part in OURS):
        pytest.skip("the tests of a part were taken out")
    text = "".join(p.read_text("utf-8") for p in tests.rglob("test_*.py"))
    files = {p.name for p in FILES.iterdir()} - {"README.md"}
    assert {name for name in files if f'"{name}"' not in text} == set()
