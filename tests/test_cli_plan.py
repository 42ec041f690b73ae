"""Plans on the command line."""

import json

import pytest
from click.testing import CliRunner, Result

import tallymark as tm
from tallymark.cli import main


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["plan", *args], prog_name="tallymark")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["proportion", "90%", "--half-width", "5%"], lambda p: p.proportion(0.9, half_width=0.05)),
        (["proportion", "0.9", "--n", "200", "--level", "99%"],
         lambda p: p.proportion(0.9, n=200, level=0.99)),
        (["proportion", "0.9", "--reference", "0.8", "--of", "positives", "--prevalence", "10%",
          "--assurance", "0.9", "--one-sided", "--power", "90%", "--alpha", "0.01"],
         lambda p: p.proportion(0.9, reference=0.8, of="positives", prevalence=0.1, assurance=0.9,
                                alternative="one-sided", power=0.9, alpha=0.01)),
        (["auc", "0.8", "--half-width", "0.05", "--prevalence", "20%"],
         lambda p: p.auc(0.8, half_width=0.05, prevalence=0.2)),
        (["auc", "0.7", "--reference", "0.5", "--variance", "binormal", "--n", "62"],
         lambda p: p.auc(0.7, reference=0.5, variance="binormal", n=62)),
        (["auc-difference", "0.80", "0.85", "--score-correlation", "0.6", "--prevalence", "30%"],
         lambda p: p.auc_difference(0.8, 0.85, score_correlation=0.6, prevalence=0.3)),
        (["auc-difference", "0.85", "0.85", "--correlation", "0.5", "--margin", "0.05",
          "--variance", "obuchowski", "--alpha", "0.1"],
         lambda p: p.auc_difference(0.85, 0.85, correlation=0.5, margin=0.05,
                                    variance="obuchowski", alpha=0.1)),
        (["auc-difference", "0.8", "0.9", "--pilot", "0.002", "0.001", "0.0005", "40", "60"],
         lambda p: p.auc_difference(0.8, 0.9, pilot=p.Pilot(0.002, 0.001, 0.0005, 40, 60))),
        (["mcnemar", "10%", "5%", "--test", "mid-p", "--one-sided"],
         lambda p: p.mcnemar(0.1, 0.05, test="mid-p", alternative="one-sided")),
        (["mcnemar", "0.1", "0.05", "--n", "300"], lambda p: p.mcnemar(0.1, 0.05, n=300)),
        (["kappa", "0.6", "40%", "--half-width", "0.1"], lambda p: p.kappa(0.6, 0.4, half_width=0.1)),
        (["validation", "0.8", "10%", "--icc", "0.02", "--cluster-size", "25"],
         lambda p: p.validation(0.8, 0.1, icc=0.02, cluster_size=25)),
    ],
)  # fmt: skip
def test_a_command_tells_what_the_function_does(args, told):
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    plan = told(tm.plan)
    assert done.stdout == f"{plan}\n"
    assert json.loads(run(*args, "--json").stdout) == json.loads(json.dumps(plan.to_dict()))


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["proportion", "90"], "expected is 90.0; give a number from 0 to 1"),
        (
            ["proportion", "high", "--n", "10"],
            "'high' is not a share; give a number such as 0.01 or",
        ),
        (["proportion", "0.9"], "give --half-width, --reference or --n"),
        (["auc", "0.9", "--n", "10", "--variance", "delong"], "variance is 'delong'; there are"),
        (["auc-difference", "0.8", "0.9"], "nothing is given about the models' correlation"),
        (["auc-difference", "0.8", "0.9", "--pilot", "0", "1", "0", "5", "5"], "first variance is"),
        (["mcnemar", "0.1", "0.1"], "only_first and only_second are both 0.1"),
        (["mcnemar", "0.1", "0.2", "--test", "midp"], "'midp' is not one of"),
        (["mcnemar", "0.1"], "Missing argument"),
        (["kappa", "0.9", "0.3", "0.5", "--n", "50"], "two raters who call 30 % and 50 % of the"),
        (["auc", "0.9", "--n", "50", "--icc", "0.1"], "--icc needs --cluster-size; give both, or"),
        (
            ["validation", "0.8", "0.1", "--threshold", "0.1"],
            "the net benefit needs --sensitivity too",
        ),
    ],
)
def test_wrong_input_is_one_sentence(args, told):
    done = run(*args)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_help_says_what_there_is():
    done = run("--help")
    assert done.exit_code == 0
    for name in ("proportion", "auc", "auc-difference", "mcnemar", "kappa", "validation"):
        assert f"  {name} " in done.stdout
        assert "--n N" in run(name, "--help").stdout
        assert "--design-effect" in run(name, "--help").stdout


def test_each_class_may_be_the_one_whose_rows_count():
    for of, share in (("positives", 0.1), ("negatives", 0.9)):
        told = ["proportion", "0.9", "--half-width", "0.05", "--of", of, "--prevalence", "0.1"]
        found = CliRunner().invoke(main, ["plan", *told, "--json"], prog_name="tallymark")
        plan = json.loads(found.stdout)
        assert plan == json.loads(json.dumps(
            tm.plan.proportion(0.9, half_width=0.05, of=of, prevalence=0.1).to_dict()
        ))  # fmt: skip
        assert plan["assumed"]["of"] == of
        assert plan[of] / plan["n"] == pytest.approx(share, abs=0.01)
