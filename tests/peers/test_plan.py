"""Plans beside statsmodels and R's pROC."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, norm
from statsmodels.stats import contingency_tables
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.power import normal_power_het, normal_sample_size_one_tail
from statsmodels.stats.proportion import binom_test_reject_interval, proportion_confint

from peers.r_table import need_r
from tallymark.infer import power as powers
from tallymark.infer.plan import Pilot, auc, auc_difference, mcnemar, proportion

SIDES = ("two-sided", "one-sided")

# -- statsmodels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(("hits", "n"), [(9, 10), (0, 30), (512, 600), (50, 50)])
def test_wilson(hits, n, level):
    low, high = proportion_confint(hits, n, alpha=1 - level, method="wilson")
    found = proportion(hits / n, n=n, level=level)
    assert found.half_width == pytest.approx((high - low) / 2, rel=1e-9)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(("p", "null"), [(0.9, 0.8), (0.1, 0.25), (0.55, 0.5)])
def test_binomial(p, null, alternative):
    for n in (5, 17, 60, 333):
        theirs = alternative if alternative == "two-sided" else ("larger", "smaller")[p < null]
        low, high = binom_test_reject_interval(null, n, 0.05, theirs)
        told = (binom.cdf(low, n, p) if theirs != "larger" else 0) + (
            binom.sf(high - 1, n, p) if theirs != "smaller" else 0
        )
        found = proportion(p, reference=null, n=n, alternative=alternative)
        assert found.power == pytest.approx(told, rel=1e-9, abs=1e-14)


def scaled(area: float, n: int, prevalence: float, variance: str) -> float:
    m = math.floor(n * prevalence + 0.5)
    return math.sqrt(n * powers.VARIANCES[variance][0](area, m, n - m))


@pytest.mark.parametrize("variance", sorted(powers.VARIANCES))
@pytest.mark.parametrize("alternative", SIDES)
def test_area(alternative, variance):
    for area, null, n, prevalence in (
        (0.8, 0.7, 150, 0.3),
        (0.6, 0.5, 90, 0.5),
        (0.9, 0.95, 40, 0.8),
    ):
        sd = [scaled(a, n, prevalence, variance) for a in (null, area)]
        theirs = "two-sided" if alternative == "two-sided" else "larger"
        told = normal_power_het(abs(area - null), n, 0.05, *sd, alternative=theirs)
        found = auc(area, reference=null, n=n, prevalence=prevalence, variance=variance,
                    alternative=alternative)  # fmt: skip
        assert found.power == pytest.approx(told, rel=1e-10)


def test_rows_for_an_area():
    # Obuchowski's variance falls as 1/n, which their formula needs.
    for area, null in ((0.8, 0.7), (0.95, 0.9), (0.55, 0.6)):
        sd = [scaled(a, 10**6, 0.5, "obuchowski") for a in (null, area)]
        told = normal_sample_size_one_tail(abs(area - null), 0.9, 0.05, *sd)
        found = auc(area, reference=null, power=0.9, variance="obuchowski",
                    alternative="one-sided")  # fmt: skip
        assert 0 <= found.n - told < 2


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(("more", "less"), [(0.1, 0.05), (0.45, 0.05), (0.02, 0.0)])
def test_mcnemar_for_many_rows(more, less, alternative):
    psi, d = more + less, more - less
    sd = math.sqrt(psi), math.sqrt(psi - d * d)
    asked = {"test": "asymptotic", "alternative": alternative}
    for n in (20, 77, 400):
        theirs = "two-sided" if alternative == "two-sided" else "larger"
        told = normal_power_het(d, n, 0.05, *sd, alternative=theirs)
        assert mcnemar(more, less, n=n, **asked).power == pytest.approx(told, rel=1e-10)
    side = 0.025 if alternative == "two-sided" else 0.05
    told = normal_sample_size_one_tail(d, 0.8, side, *sd)
    assert mcnemar(less, more, **asked).n == math.ceil(told)


def test_mcnemar_exact():
    n, more, less = 18, 0.35, 0.15
    told = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            table = [[n - b - c, b], [c, 0]]
            if contingency_tables.mcnemar(table, exact=True).pvalue <= 0.05:
                ways = math.comb(n, b) * math.comb(n - b, c)
                told += ways * more**b * less**c * (1 - more - less) ** (n - b - c)
    assert mcnemar(more, less, n=n, test="exact").power == pytest.approx(told, rel=1e-9)


@pytest.mark.parametrize(
    ("expected", "first", "second"), [(0.7, 0.3, 0.35), (0.3, 0.08, 0.12), (-0.2, 0.5, 0.6)]
)
def test_variance_of_kappa(expected, first, second):
    n = 1000
    found = cohens_kappa(n * powers.ratings(expected, first, second))
    assert found.kappa == pytest.approx(expected, rel=1e-12)
    told = powers.kappa_variance(expected, first, second) / n
    assert found.var_kappa == pytest.approx(told, rel=1e-10)
    # At a kappa of 0 it is the variance under independence, which their test of 0 uses.
    told = powers.kappa_variance(0.0, first, second) / n
    assert found.var_kappa0 == pytest.approx(told, rel=1e-10)


# -- R ---------------------------------------------------------------------------------------------


def pilot_rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return two models whose areas vary alike: pROC takes the first's variance for both.

    The second ranks as the first does, turned round and among other rows.
    """
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [14, 17])
    first = rng.normal(0.5 * y, 1)
    second = -np.concatenate([rng.permutation(first[y == 1]), rng.permutation(first[y == 0])])
    return y, first, second


@pytest.fixture(scope="module")
def r_says(tmp_path_factory):
    need_r()
    folder = tmp_path_factory.mktemp("r")
    given, told = folder / "rows.csv", folder / "answers.txt"
    with given.open("w", encoding="utf-8") as file:
        file.write("y,first,second\n")
        file.writelines(
            f"{y},{a!r},{b!r}\n"
            for y, a, b in zip(*map(np.ndarray.tolist, pilot_rows()), strict=True)
        )
    script = Path(__file__).with_name("plan.R")
    subprocess.run(["Rscript", "--vanilla", str(script), str(given), str(told)], check=True)
    lines = [line.split() for line in told.read_text(encoding="utf-8").splitlines()]
    return {name: [float(v) for v in values] for name, *values in lines}


ROUNDED = 0.0099 * 32 * math.pi
"""pROC takes the 0.0099 as printed for 1/(32 pi), and 1.414 for the root of 2."""


@pytest.mark.r
def test_proc_power_of_one_area(r_says):
    seen = set()
    for name, (told, *_) in r_says.items():
        if not name.startswith("power,"):
            continue
        _, side, *numbers = name.split(",")
        area, kappa, level, cases = map(float, numbers)
        m = cases / ROUNDED
        as_theirs = norm.cdf(norm.ppf(area) * 1.414 / math.sqrt(2))
        errors = [math.sqrt(powers.obuchowski(a, m, kappa * m)) for a in (0.5, as_theirs)]
        found = powers.z_power(area - 0.5, *errors, level, side == "two.sided")
        # They leave the far side out of a two-sided power.
        far = powers.z_power(0.5 - area, *errors, level / 2, False) if side == "two.sided" else 0
        assert found - far == pytest.approx(told, rel=1e-9)
        seen.add(round(told, 3))
    assert len(seen) > 40


@pytest.mark.r
def test_proc_rows_for_one_area(r_says):
    compared = 0
    for name, (told, *_) in r_says.items():
        if not name.startswith("cases,"):
            continue
        _, side, *numbers = name.split(",")
        area, kappa, level = map(float, numbers)
        plan = auc(area, reference=0.5, power=0.85, prevalence=1 / (1 + kappa), alpha=level,
                   variance="obuchowski", alternative=side.replace(".", "-"))  # fmt: skip
        # Whole rows of the smaller class, of which one stands for so many of all.
        whole = 1 + max(kappa, 1 / kappa)
        told *= (1 + kappa) / ROUNDED
        assert plan.n == pytest.approx(told, rel=1e-3, abs=0.75 * whole)
        compared += 1
    assert compared == 48


@pytest.mark.r
def test_proc_of_two_areas(r_says):
    first, second, v1, v2, covariance = r_says["pilot"]
    assert v1 == pytest.approx(v2, rel=1e-12)
    assert first == pytest.approx(1 - second, rel=1e-12)
    pilot = Pilot(v1, v2, covariance, 14, 17)
    for side in ("one.sided", "two.sided"):
        asked = {"pilot": pilot, "alternative": side.replace(".", "-")}
        (told,) = r_says[f"pilot_power,{side}"]
        assert 0.1 < told < 0.99
        # Theirs takes the error as known. Ours is the verdict's, which estimates it, of 31 rows.
        error = math.sqrt(pilot.of_difference)
        by_z = powers.z_power(abs(first - second), error, error, 0.05, side == "two.sided")
        assert by_z == pytest.approx(told, rel=1e-9 if side == "one.sided" else 1e-3)
        assert told - 0.14 < auc_difference(first, second, n=31, **asked).power < told
        # With 100 times the rows and a tenth of the gap both are the same.
        gap = {"n": 3100, **asked, "pilot": Pilot(v1, v2, covariance, 14, 17)}
        close = auc_difference(0.5 + (first - 0.5) / 10, 0.5 + (second - 0.5) / 10, **gap)
        assert close.power == pytest.approx(told, abs=0.006)
        (told,) = r_says[f"pilot_cases,{side}"]
        rows = auc_difference(first, second, power=0.9, **asked).n
        assert math.ceil(told * 31 / 14) < rows < 1.25 * told * 31 / 14


@pytest.mark.r
def test_r_binomial(r_says):
    for n in (9, 24, 61):
        for p in (0.2, 0.65):
            side = "greater" if p > 0.5 else "less"
            (told,) = r_says[f"{side},{n},{p}"]
            found = proportion(p, reference=0.5, n=n, alternative="one-sided").power
            assert found == pytest.approx(told, rel=1e-9)
