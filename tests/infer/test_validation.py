"""Plans to validate a risk model: published cases, and the precision that simulation finds."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, logit

import tallymark as tm
from tallymark.infer.plan import validation

Z = 1.959963984540054
GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "statistics" / "plan_validation.json"
MEASURES = {
    "oe": "oe_ratio",
    "slope": "calibration_slope",
    "cstat": "auc",
    "net_benefit": "net_benefit",
}
ARGUMENTS = {
    "lpnormal": "linear_predictor", "lpbeta": "beta", "oeciwidth": "oe_width",
    "csciwidth": "slope_width", "threshold": "threshold", "sensitivity": "sensitivity",
    "specificity": "specificity",
}  # fmt: skip


@pytest.mark.parametrize("case", range(3))
def test_the_rows_are_those_of_the_golden_cases(case):
    if not GOLDEN.exists():
        pytest.skip("the golden cases lie beside the checkout, in ../shared")
    given = json.loads(GOLDEN.read_text("utf-8"))["cases"][case]
    asked = dict(given["input"])
    c, prevalence = asked.pop("cstatistic"), asked.pop("prevalence")
    told = given["exact"]
    plan = validation(c, prevalence, **{ARGUMENTS[k]: v for k, v in asked.items()})
    assert {MEASURES[k]: v["n"] for k, v in told.items()} == {
        k: v["n"] for k, v in plan.criteria.items()
    }
    assert plan.n == max(v["n"] for v in told.values())
    peer = given["pmvalsampsize"]
    if isinstance(peer, dict):  # theirs is drawn, with a rounded standard error
        assert plan.n == pytest.approx(peer["sample_size"], rel=0.005)


def test_the_published_example():
    plan = validation(0.8, 0.018, linear_predictor=(-5, 2.5), oe_width=1)
    assert {k: v["n"] for k, v in plan.criteria.items()} == {
        "oe_ratio": 906, "calibration_slope": 4554, "auc": 4252,
    }  # fmt: skip
    assert (plan.n, plan.positives, plan.negatives) == (4554, 82, 4472)
    assert plan.power is plan.half_width is None
    assert plan.assumed == {
        "expected": 0.8, "prevalence": 0.018, "linear_predictor": (-5, 2.5), "level": 0.95,
    }  # fmt: skip
    assert plan.source == "riley2021"
    plain = plan.to_dict()
    assert json.loads(json.dumps(plain)) == plain | {
        "assumed": {**plan.assumed, "linear_predictor": [-5, 2.5]}
    }
    assert plain["criteria"]["auc"] == {"width": 0.1, "n": 4252}
    assert [(row["measure"], row["needed"]) for row in plan.table()] == [
        ("oe_ratio", 906), ("calibration_slope", 4554), ("auc", 4252),
    ]  # fmt: skip
    assert "criteria" not in tm.plan.mcnemar(0.2, 0.1).to_dict()


ALL = {
    "threshold": 0.3, "sensitivity": 0.85, "specificity": 0.6, "oe_width": 0.3,
    "slope_width": 0.35, "auc_width": 0.08, "net_benefit_width": 0.25,
}  # fmt: skip


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(
    "risks",
    [{}, {"linear_predictor": (-1.2, 0.9)}, {"beta": (1.5, 4.0)}],
    ids=["", "normal", "beta"],
)
def test_the_rows_are_the_least_and_give_the_width(risks, level):
    plan = validation(0.78, 0.25, **ALL, **risks, level=level)
    assert list(plan.criteria) == ["oe_ratio", "calibration_slope", "auc", "net_benefit"]
    for name, one in plan.criteria.items():
        at, less = (
            validation(0.78, 0.25, **ALL, **risks, level=level, n=one["n"] - k).criteria[name]
            for k in (0, 1)
        )
        assert at["width"] <= one["width"] * (1 + 1e-12) < less["width"]
    with_n = validation(0.78, 0.25, **ALL, **risks, level=level, n=900)
    assert {one["n"] for one in with_n.criteria.values()} == {900}
    assert (with_n.n, with_n.positives) == (900, 225)
    assert "each with the rows" not in str(with_n)


def moments(density, low, high):
    def mean(k):
        return integrate.quad(
            lambda x: density(x) * expit(x) * expit(-x) * x**k, low, high, limit=200
        )[0]

    return [mean(k) for k in range(3)]


def slope_rows(i, width):
    return math.ceil(i[0] / ((width / 2 / Z) ** 2 * (i[0] * i[2] - i[1] ** 2)))


def test_the_rows_for_a_slope_by_an_adaptive_rule():
    def of_normal(mean, sd):
        return lambda x: stats.norm.pdf(x, mean, sd)

    def needed(*asked, **risks):
        return validation(*asked, **risks).criteria["calibration_slope"]["n"]

    i = moments(of_normal(-2.2, 1.7), -30, 30)
    assert needed(0.8, 0.2, linear_predictor=(-2.2, 1.7)) == slope_rows(i, 0.2)

    def of_beta(x):
        p = expit(x)
        return stats.beta.pdf(p, 2.5, 7) * p * expit(-x)

    assert needed(0.8, 0.2, beta=(2.5, 7)) == slope_rows(moments(of_beta, -40, 40), 0.2)
    c, share = 0.8, 0.07
    sd = math.sqrt(2) * stats.norm.ppf(c)

    def implied(x):
        ill, well = (of_normal(logit(share) + k * sd**2 / 2, sd) for k in (1, -1))
        return share * ill(x) + (1 - share) * well(x)

    assert needed(c, share) == slope_rows(moments(implied, -30, 30), 0.2)
    # The implied risks are calibrated: the share of events at x is the risk.
    x = np.linspace(-6, 2, 9)
    ill = share * of_normal(logit(share) + sd**2 / 2, sd)(x)
    np.testing.assert_allclose(ill / implied(x), expit(x), rtol=1e-12)


@pytest.mark.slow
def test_the_widths_are_what_simulation_finds():
    c, share, t, runs = 0.8, 0.3, 0.25, 1500
    sd = math.sqrt(2) * stats.norm.ppf(c)
    means = [logit(share) + k * sd**2 / 2 for k in (-1, 1)]
    rates = [stats.norm.sf(logit(t), mean, sd) for mean in means]
    n = 1200
    plan = validation(c, share, n=n, threshold=t, sensitivity=rates[1], specificity=1 - rates[0])
    rng = np.random.default_rng(17)
    y = (rng.random((runs, n)) < share).astype(float)
    x = rng.normal(np.where(y == 1, *means[::-1]), sd)
    risk = expit(x)
    found = {"oe_ratio": 2 * math.sinh(Z * np.log(y.mean(1) / share).std())}

    def slope(x, y):
        b = np.array([0.0, 1.0])
        for _ in range(6):
            p = expit(b[0] + b[1] * x)
            w, gap = p * (1 - p), y - p
            info = [[w.sum(), (w * x).sum()], [(w * x).sum(), (w * x * x).sum()]]
            b = b + np.linalg.solve(info, [gap.sum(), (gap * x).sum()])
        return b[1]

    found["calibration_slope"] = 2 * Z * np.std([slope(*v) for v in zip(x, y, strict=True)])
    ranks = x.argsort(1).argsort(1) + 1
    m = y.sum(1)
    found["auc"] = 2 * Z * (((ranks * y).sum(1) - m * (m + 1) / 2) / (m * (n - m))).std()
    called = risk >= t
    benefit = (called * y).mean(1) - t / (1 - t) * (called * (1 - y)).mean(1)
    found["net_benefit"] = 2 * Z * (benefit / y.mean(1)).std()
    # Newcombe's variance of c is that of other scores, and more than that of normal ones.
    for name, slack in (("oe_ratio", 0.07), ("calibration_slope", 0.07), ("net_benefit", 0.07)):
        assert found[name] == pytest.approx(plan.criteria[name]["width"], rel=slack), name
    assert 0.85 < found["auc"] / plan.criteria["auc"]["width"] < 1.05


BAD = [
    (lambda: validation(1.0, 0.1), "expected is 1.0; give a number between 0 and 1"),
    (lambda: validation(0.8, 0), "prevalence is 0; give a number between 0 and 1"),
    (lambda: validation(0.8, 0.1, linear_predictor=(0, 1), beta=(1, 9)), "linear_predictor=... and beta=... are both given"),
    (lambda: validation(0.8, 0.1, linear_predictor=(0, 0)), "the linear predictor's standard deviation is 0;"),
    (lambda: validation(0.8, 0.1, linear_predictor=1), "linear_predictor is 1; give two: each a finite number"),
    (lambda: validation(0.8, 0.1, beta=(1, 0)), "beta is (1, 0); give two: each a finite number above 0"),
    (lambda: validation(0.5, 0.1), "expected is 0.5; give a c-statistic above 0.5, linear"),
    (lambda: validation(0.8, 0.1, threshold=0.1), "the net benefit needs sensitivity=... too: threshold, s"),
    (lambda: validation(0.8, 0.1, sensitivity=0.9, specificity=0.5), "the net benefit needs threshold=... too"),
    (lambda: validation(0.8, 0.1, threshold=1, sensitivity=0.9, specificity=0.5), "threshold is 1; give a number between 0"),
    (lambda: validation(0.8, 0.1, oe_width=0), "oe_width is 0; give a finite number above 0"),
    (lambda: validation(0.8, 0.1, slope_width=1e-5), "a width of 1e-05 of the calibration slope needs more rows than"),
    (lambda: validation(0.8, 0.1, n=3), "n is 3, which at a prevalence of 0.1 holds no positives"),
    (lambda: validation(0.8, 0.1, level=1), "level is 1; give a number between 0 and 1"),
    (lambda: validation(0.8, 0.1, icc=0.1), "icc=... needs cluster_size=...; give both, or design_effect"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "told"), BAD, ids=[told for _, told in BAD])
def test_bad_questions_are_one_sentence(ask, told):
    with pytest.raises(tm.InputError) as refused:
        ask()
    assert str(refused.value).startswith(told)
    assert "\n" not in str(refused.value)


def test_rows_in_clusters_are_told_per_measure():
    alone = validation(0.8, 0.2)
    plan = validation(0.8, 0.2, design_effect=1.5)
    for name, one in plan.criteria.items():
        assert one["n"] == math.ceil(alone.criteria[name]["n"] * 1.5)
        assert one["width"] == alone.criteria[name]["width"]
    back = validation(0.8, 0.2, design_effect=1.5, n=plan.n)
    assert back.criteria["calibration_slope"]["n"] == plan.n
