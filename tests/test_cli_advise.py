"""Advice on the command line."""

import json

import pytest
from click.testing import CliRunner, Result

import tallymark as tm
from tallymark.cli import main

EXAMPLES = tm.example("credit").parent
CANCER = [str(EXAMPLES / "breast_cancer.csv"), "--truth", "diagnosis", "--positive", "malignant",
          "--score", "logistic"]  # fmt: skip


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["advise", *args], prog_name="tallymark")


@pytest.mark.slow
def test_advice_is_printed_section_by_section():
    done = run(*CANCER)
    assert done.exit_code == 0
    titles = [line for line in done.stdout.splitlines() if line and line[0] not in " -"]
    assert titles[:3] == ["What to report", "Which threshold", "What would sharpen this advice"]
    assert titles[3].startswith("Checked, nothing found: not-better-than-chance, ")
    assert len(titles) == 4
    assert "(Liu 2014)" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


@pytest.mark.slow
def test_answers_sharpen_it_and_json_holds_the_numbers():
    done = run(*CANCER, "--use", "decisions", "--costs", "1", "20", "--prevalence", "2%",
               "--worse", "false-alarms", "--json")  # fmt: skip
    plain = json.loads(done.stdout)
    assert plain["answers"] == {"use": "decisions", "cost_fp": 1, "cost_fn": 20,
                                "prevalence": 0.02, "worse": "false alarms"}  # fmt: skip
    ev = tm.evaluate(CANCER[0], truth="diagnosis", positive="malignant", score="logistic")
    told = ev.advise(use="decisions", cost_fp=1, cost_fn=20, prevalence=0.02, worse="false alarms")
    assert plain == json.loads(json.dumps(told.to_dict()))
    rules = [s["rule"] for s in plain["statements"]]
    assert "costs-known" in rules
    assert "ask-costs" not in rules


COSTS = "--costs takes 2 numbers, FALSE_ALARM then MISSED, such as --costs 1 10"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--prevalence", "often"], "'often' is not a share; give a number such as 0.01 or 1%"),
        (["--prevalence", "120%"], "prevalence is 1.2; give a number between 0 and 1"),
        (
            ["--costs", "-1", "2"],
            "FALSE_ALARM of --costs is -1.0; give a finite number, zero or more",
        ),
        (
            ["--costs", "2", "-1"],
            "MISSED of --costs is -1.0; give a finite number, zero or more",
        ),
        (["--costs", "0", "0"], "--costs are both 0; one of them must be above 0"),
        (["--use", "guessing"], "'guessing' is not one of"),
        (["--costs", "1"], f"tallymark: {COSTS}; see tallymark advise -h\n"),
        (
            ["--costs", "1,5", "2"],
            f"tallymark: {COSTS}; '1,5' is not a number; see tallymark advise -h\n",
        ),
        (["--cost-fp", "1"], f"tallymark: {COSTS}; see tallymark advise -h\n"),
    ],
)
def test_wrong_answers_are_one_sentence(args, told):
    done = run(*CANCER, *args)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""
