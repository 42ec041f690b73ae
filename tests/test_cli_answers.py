"""Every option of a command reaches the answer: the same as Python's, at no default."""

import json
import re

import pytest
from click.testing import CliRunner

import tallymark as tm
from asymmetric import MODELS, SITE, csv, flat
from tallymark.cli import main
from tallymark.display import text

TABLE = ("--truth", "truth", "--positive", "ill")
BOTH = (*TABLE, "--score", "first", "--score", "second")
SURE = {"level": 0.8, "seed": 7}
SAID_SURE = ("--level", "0.8", "--seed", "7")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "rows.csv"
    path.write_text(csv(), encoding="utf-8")
    return str(path)


def run(*args: str) -> str:
    """Return what a command prints."""
    found = CliRunner().invoke(main, list(args), prog_name="tallymark")
    assert found.exit_code == 0, found.stderr
    return found.stdout


def as_printed(c):
    """Return a comparison as the command line prints it, where its methods are options."""
    said = re.sub(r"\.pair\('.*?', '.*?'\)", "--json", flat(c))
    return said.replace(".table()", "--format csv")


def judged(file, **options):
    """Return the evaluation of the file."""
    scores = options.pop("score", list(MODELS))
    return tm.evaluate(file, truth="truth", positive="ill", score=scores, **options)


def test_compare_takes_every_option(file):
    said = ("--metric", "mcc", "--also", "accuracy", "--margin", "0.4", "--least", "0.02")
    printed = run("compare", file, *BOTH, *said, "--against", "first", *SAID_SURE)
    asked = {"metric": "mcc", "metrics": ["accuracy"], "margin": 0.4, "least": 0.02}
    c = judged(file, **SURE).compare("first", **asked)
    assert flat(printed) == as_printed(c)
    assert printed.endswith(
        "All metrics of all pairs: --format csv. All tests of a pair: --json.\n"
    )
    assert "Verdicts by Matthews correlation, margin 0.4, least 0.02" in flat(c)
    as_json = json.loads(run("compare", file, *BOTH, *said, *SAID_SURE, "--json"))
    assert as_json == json.loads(json.dumps(judged(file, **SURE).compare(**asked).to_dict()))
    assert as_json["level"] == 0.8


def test_compare_of_two_files_takes_every_option(file, tmp_path):
    lines = csv().splitlines(keepends=True)
    halves = []
    for name, start in (("here.csv", 1), ("there.csv", 2)):
        path = tmp_path / name
        path.write_text("".join([lines[0], *lines[start::2]]), encoding="utf-8")
        halves.append(str(path))
    said = ("--metric", "accuracy", "--also", "brier", "--margin", "0.03", "--least", "0.01")
    one = (*TABLE, "--score", "first")
    printed = run("compare", halves[0], "--with", halves[1], *one, *said, *SAID_SURE)
    here, there = (judged(path, score=["first"], **SURE) for path in halves)
    asked = {"metric": "accuracy", "metrics": ["brier"], "margin": 0.03, "least": 0.01}
    assert flat(printed) == as_printed(here.compare_with(there, **asked))


def test_subgroups_takes_every_option(file):
    said = ("--metric", "precision", "--metric", "brier", "--subgroup", "site", *SAID_SURE)
    printed = run("subgroups", file, *TABLE, "--score", "first", *said)
    s = judged(file, score=["first"], subgroup="site", **SURE).by("site")
    worst, other = (s.values(["precision"])[key]["precision"] for key in ("south", "north"))
    assert worst < other
    assert "differ from the rest in precision at 0.5 or Brier score (level 0.8" in flat(printed)
    assert f"south is lowest of 2 ({worst.value:.2f}; 80 % CI" in flat(printed)
    as_json = json.loads(run("subgroups", file, *TABLE, "--score", "first", *said, "--json"))
    assert as_json == json.loads(json.dumps(s.to_dict(["precision", "brier"])))
    assert (SITE == "north").sum() == s.rows["north"]


def test_threshold_takes_every_option(file):
    said = ("--best", "expected_cost", "--within", "fpr", "0.05", "--param", "cost_fn", "20")
    printed = run("threshold", file, *BOTH, *said, "--param", "cost_fp", "2", *SAID_SURE)
    ev = judged(file, **SURE)
    expected = [
        f"{name}: "
        + flat(
            ev.model(name).optimal_threshold(
                "expected_cost", within={"fpr": 0.05}, cost_fn=20, cost_fp=2
            )
        )
        for name in MODELS
    ]
    advised = [
        next(s.text for s in ev.model(n).at(cost_fp=2, cost_fn=20).advise().statements
             if s.rule == "costs-known")
        for n in MODELS
    ]  # fmt: skip
    pairs = zip(expected, advised, strict=True)
    assert flat(printed) == " ".join(f"{of_one} {costs}" for of_one, costs in pairs)


def test_curve_takes_every_option(file):
    said = ("roc", "--band", "vertical", *SAID_SURE)
    points = judged(file, score=["second"], **SURE).curve("roc", band="vertical").table()
    assert run("curve", file, *TABLE, "--score", "second", *said) == points.to_csv()
    said = ("f_beta", "--over", "prevalence", "--param", "beta", "3", *SAID_SURE)
    over = judged(file, score=["second"], **SURE).curve("f_beta", over="prevalence", beta=3.0)
    assert run("curve", file, *TABLE, "--score", "second", *said) == over.table().to_csv()


ANSWERS = [
    (("--costs", "2", "20"), {"cost_fp": 2.0, "cost_fn": 20.0}),
    (("--prevalence", "3%"), {"prevalence": 0.03}),
    (("--worse", "false-alarms"), {"worse": "false alarms"}),
    (("--use", "ranking"), {"use": "ranking"}),
    (("--mute", "ask-use"), {"mute": ["ask-use"]}),
]


@pytest.mark.slow
def test_advise_takes_every_option(file):
    ev = judged(file)
    for said, answers in ANSWERS:
        assert flat(run("advise", file, *BOTH, *said)) == flat(ev.advise(**answers))


@pytest.mark.slow
def test_report_takes_every_option(file):
    said = ("--use", "medicine", "--prevalence", "3%", "--threshold", "0.3", *SAID_SURE)
    ev = judged(file, threshold=0.3, use="medicine", **SURE).at(prevalence=0.03)
    assert flat(run("report", file, *BOTH, *said, "--full")) == flat(ev)
    printed = flat(run("report", file, *BOTH, "--costs", "2", "20", "--level", "0.8", "--full"))
    costs = [s.text for s in judged(file, level=0.8).advise(cost_fp=2, cost_fn=20).statements
             if s.rule in ("costs-known", "cheapest-threshold")]  # fmt: skip
    assert len(costs) == 2
    assert all(sentence in printed for sentence in costs)


PLANS = [
        (
            "proportion 0.9 --half-width 0.03 --level 0.8 --of positives --prevalence 0.1 "
            "--assurance 0.7",
            {"expected": 0.9, "half_width": 0.03, "level": 0.8, "of": "positives",
             "prevalence": 0.1, "assurance": 0.7},
        ),
        (
            "proportion 0.9 --reference 0.8 --power 0.7 --alpha 0.2 --one-sided",
            {"expected": 0.9, "reference": 0.8, "power": 0.7, "alpha": 0.2,
             "alternative": "one-sided"},
        ),
        (
            "auc 0.85 --half-width 0.04 --level 0.8 --prevalence 0.1 --variance hanley-mcneil",
            {"expected": 0.85, "half_width": 0.04, "level": 0.8, "prevalence": 0.1,
             "variance": "hanley-mcneil"},
        ),
        (
            "auc-difference 0.8 0.85 --score-correlation 0.6 --prevalence 0.1 --power 0.7 "
            "--alpha 0.2",
            {"first": 0.8, "second": 0.85, "score_correlation": 0.6, "prevalence": 0.1,
             "power": 0.7, "alpha": 0.2},
        ),
        (
            "auc-difference 0.85 0.84 --pilot 0.0009 0.0004 0.0003 80 320 --margin 0.05 "
            "--one-sided",
            {"first": 0.85, "second": 0.84, "margin": 0.05, "alternative": "one-sided",
             "pilot": tm.plan.Pilot(0.0009, 0.0004, 0.0003, 80, 320)},
        ),
        (
            "mcnemar 0.12 0.05 --test mid-p --power 0.7 --alpha 0.2 --one-sided",
            {"only_first": 0.12, "only_second": 0.05, "test": "mid-p", "power": 0.7, "alpha": 0.2,
             "alternative": "one-sided"},
        ),
        ("mcnemar 0.12 0.05 --n 150 --alpha 0.2",
         {"only_first": 0.12, "only_second": 0.05, "n": 150, "alpha": 0.2}),
        ("mcnemar 0.12 0.05 --icc 0.1 --cluster-size 4.5",
         {"only_first": 0.12, "only_second": 0.05, "icc": 0.1, "cluster_size": 4.5}),
        ("kappa 0.7 0.3 --half-width 0.08 --level 0.8 --design-effect 1.7",
         {"expected": 0.7, "first": 0.3, "half_width": 0.08, "level": 0.8, "design_effect": 1.7}),
        ("kappa 0.7 30% 40% --reference 0.5 --power 0.7 --alpha 0.2 --one-sided",
         {"expected": 0.7, "first": 0.3, "second": 0.4, "reference": 0.5, "power": 0.7,
          "alpha": 0.2, "alternative": "one-sided"}),
        (
            "validation 0.8 10% --linear-predictor -2.5 1.2 --threshold 0.2 --sensitivity 0.7 "
            "--specificity 0.8 --oe-width 0.3 --slope-width 0.4 --auc-width 0.05 "
            "--net-benefit-width 0.25 --level 0.8",
            {"expected": 0.8, "prevalence": 0.1, "linear_predictor": (-2.5, 1.2),
             "threshold": 0.2, "sensitivity": 0.7, "specificity": 0.8, "oe_width": 0.3,
             "slope_width": 0.4, "auc_width": 0.05, "net_benefit_width": 0.25, "level": 0.8},
        ),
        ("validation 0.8 0.1 --beta 1 9 --n 2000",
         {"expected": 0.8, "prevalence": 0.1, "beta": (1.0, 9.0), "n": 2000}),
]  # fmt: skip


def test_plan_takes_every_option():
    for said, asked in PLANS:
        question = said.split()[0].replace("-", "_")
        plan = getattr(tm.plan, question)(**asked)
        assert flat(run("plan", *said.split())) == flat(text(plan)), said


def test_json_keeps_letters_as_they_are(file, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(csv().replace("north", "Süd"), encoding="utf-8")
    printed = run(
        "subgroups", str(path), *TABLE, "--score", "first", "--subgroup", "site", "--json"
    )
    assert '"Süd"' in printed


REPORT = """              precision    recall  f1-score   support

         ill      0.796     0.820     0.808       100
        well      0.980     0.977     0.978       900

    accuracy                          0.961      1000
   macro avg      0.888     0.898     0.893      1000
weighted avg      0.962     0.961     0.961      1000
"""


def test_inspect_of_a_file_without_columns_prints_json(tmp_path):
    path = tmp_path / "report.txt"
    path.write_text(REPORT, encoding="utf-8")
    shown = json.loads(run("inspect", str(path), "--positive", "ill", "--json"))
    assert shown["rows"] == 1000
    assert shown["source"]["format"][1] == "TP 82, FN 18, FP 21, TN 879"


def test_metrics_are_those_that_fit_every_option():
    said = ("--range", "0", "1", "--better", "low", "--family", "threshold", "--decisions")
    shown = json.loads(run("metrics", *said, "--moves", "--balance", "rises", "--json"))
    every = {m["name"]: m for m in json.loads(run("metrics", "--json"))}
    expected = {
        name
        for name, m in every.items()
        if 0 <= float(m["range"][0]) <= float(m["range"][1]) <= 1
        and (m["better"], m["family"]) == ("low", "threshold")
        and m["needs"] in ("counts", "matrix")
        and m["balance"]["kind"] == "rises"
    }
    assert {m["name"] for m in shown} == expected
    assert "false_discovery_rate" in expected
    still = {m["name"] for m in json.loads(run("metrics", "--scores", "--still", "--json"))}
    assert "roc_auc" in still
    assert still == {
        name
        for name, m in every.items()
        if m["balance"]["kind"] == "invariant" and m["needs"] not in ("counts", "matrix")
    }
