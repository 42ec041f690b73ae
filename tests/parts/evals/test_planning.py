"""Plans of evaluations."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

import pytest
from click.testing import CliRunner
from scipy.stats import t

import tallymark as tm
from asymmetric import flat
from tallymark.cli import main


def test_a_plan_is_that_of_connors_formula():
    assert tm.plan_evals(0.05, 0.15).n == tm.plan.mcnemar(0.10, 0.05, test="asymptotic").n == 469
    assert str(tm.plan_evals(0.05, 0.15)).startswith(
        "469 rows give a power of 0.8000 to show a difference of 5 points between two models that "
        "disagree on 15.0 % of the questions (two-sided at 0.05)."
    )


def test_the_power_of_given_questions():
    z, d, q = NormalDist().inv_cdf(0.975), 0.05, 0.15
    expected = NormalDist().cdf((d * sqrt(300) - z * sqrt(q)) / sqrt(q - d * d))
    assert tm.plan_evals(d, q, n=300).power == pytest.approx(expected)
    n = tm.plan_evals(d, q).n
    assert tm.plan_evals(d, q, n=n).power >= 0.8 > tm.plan_evals(d, q, n=n - 1).power


def test_clusters_need_more_questions():
    d, q, g, icc = 0.05, 0.15, 40, 0.05
    n = tm.plan_evals(d, q, clusters=g, icc=icc).n
    independent = ((t.ppf(0.975, g - 1) * sqrt(q) + t.ppf(0.8, g - 1) * sqrt(q - d * d)) / d) ** 2
    assert n / (1 + (n / g - 1) * icc) == pytest.approx(independent, rel=0.001)
    assert tm.plan_evals(d, q, n=n, clusters=g, icc=icc).power == pytest.approx(0.8, abs=0.001)
    d = tm.plan_evals(disagree=q, n=n, clusters=g, icc=icc).assumed["difference"]
    assert d == pytest.approx(0.05, abs=1e-4)
    assert tm.plan_evals(0.05, q, clusters=2000, icc=icc).n <= 470


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"difference": 0.02},
            "no sample size follows from a difference alone; give the share of questions that only "
            "one of the models solves with disagree=..., such as 0.15 from a pilot",
        ),
        ({"disagree": 0.2}, "there is nothing to plan; give difference=..., n=... or both"),
        (
            {"difference": 0.3, "disagree": 0.2},
            "difference is 0.3 and disagree 0.2; the accuracies of two models differ at most by "
            "the share of questions on which they disagree",
        ),
        (
            {"difference": 0.1, "disagree": 0.2, "icc": 0.05},
            "icc=... is of the questions of a cluster; give clusters=... too",
        ),
        (
            {"difference": 0.02, "disagree": 0.15, "clusters": 20, "icc": 0.1},
            "20 clusters show no difference of 2 points, however many questions they hold; plan "
            "more than 327 clusters",
        ),
        (
            {"disagree": 0.1, "n": 5},
            "5 questions show no difference of two models that disagree on 10.0 % of them; plan "
            "more questions",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(options, message):
    with pytest.raises(tm.InputError) as refused:
        tm.plan_evals(**options)
    assert str(refused.value) == message


def test_the_command_says_options():
    run = CliRunner().invoke(main, ["plan", "evals", "--difference", "2%"])
    assert run.exit_code == 2
    assert "--disagree , such as" in run.output or "--disagree, such as" in run.output
    run = CliRunner().invoke(main, ["plan", "evals", "--difference", "2%", "--disagree", "15%"])
    assert run.output.startswith("2,941 rows give a power of 0.8000 to show a difference of 2")


@pytest.mark.parametrize(
    ("difference", "clusters", "with_icc"),
    [(0.02, 40, "more than 40 clusters"), (0.05, 400, "476 questions")],
)
def test_clusters_without_a_correlation_are_planned_as_independent(difference, clusters, with_icc):
    q = 0.15
    z, z_power = t.ppf([0.975, 0.8], clusters - 1)
    n = ((z * sqrt(q) + z_power * sqrt(q - difference**2)) / difference) ** 2
    plan = tm.plan_evals(difference, q, clusters=clusters)
    assert plan.n == ceil(n)
    assert plan.n == tm.plan_evals(difference, q, clusters=clusters, icc=0).n
    assert flat(plan) == (
        f"{ceil(n):,} rows give a power of 0.8000 to show a difference of "
        f"{100 * difference:.0f} points between two models that disagree on 15.0 % of the questions "
        "(two-sided at 0.05), if the questions of a cluster are independent (icc 0); with an icc "
        f"of 0.05 it takes {with_icc}."
    )
