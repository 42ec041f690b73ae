"""Intervals and standard errors beside pROC, psych, vcd, statsmodels and SciPy."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import tallymark as tm
from asymmetric import score_of_two
from peers.r_table import need_r
from tallymark.infer.intervals import interval_of
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

proportion = pytest.importorskip("statsmodels.stats.proportion")
inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")

AREAS, TABLES = 200, 60


def rows_of(case):
    """Return classes and scores: smooth or tied, skewed or heavy tailed, of 20 to 120 rows."""
    rng = np.random.default_rng((19, case))
    n, kind = int(rng.integers(20, 121)), case % 4
    y = np.append([0, 0, 0, 1, 1, 1], (rng.random(n - 6) < rng.uniform(0.2, 0.6)).astype(int))
    noise = rng.standard_t(2, n) if kind == 1 else rng.normal(size=n)
    s = noise + rng.uniform(0, 1.8) * y
    s = np.exp(s) if kind == 2 else np.round(s) if kind == 3 else s
    return y, s


def table_of(case):
    rng = np.random.default_rng((20, case))
    k = 2 + case % 4
    return rng.poisson(rng.uniform(1, 8, (k, k))) + np.diag(rng.integers(5, 30, k)) + 1


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Ask R once about all cases."""
    need_r("pROC", "psych", "vcd")
    folder = tmp_path_factory.mktemp("oracles")
    scores, tables, told = (folder / name for name in ("scores.csv", "tables.csv", "told.txt"))
    with scores.open("w", encoding="utf-8") as file:
        file.write("case,y,score\n")
        for case in range(AREAS):
            file.writelines(f"{case},{y},{s!r}\n" for y, s in zip(*map(list, map(
                np.ndarray.tolist, rows_of(case))), strict=True))  # fmt: skip
    with tables.open("w", encoding="utf-8") as file:
        file.write("case,k,n\n")
        for case in range(TABLES):
            m = table_of(case)
            file.writelines(f"{case},{len(m)},{n}\n" for n in m.T.ravel())  # R reads by columns
    script = Path(__file__).with_name("oracles.R")
    files = [str(f) for f in (script, scores, tables, told)]
    subprocess.run(["Rscript", "--vanilla", *files], check=True)
    out: dict = {}
    for line in told.read_text(encoding="utf-8").splitlines():
        kind, case, *values = line.split()
        numbers = [math.nan if v == "NA" else float(v) for v in values]
        out.setdefault(kind, {})[int(case)] = numbers
    return out


def area(case, method, **options):
    y, s = rows_of(case)
    tally = ScoreTally.from_arrays(y, s)
    return interval_of(Statistic.of(get("roc_auc"), (0, 1), 1), [tally], method=method, **options)


# -- areas beside pROC -----------------------------------------------------------------------------


@pytest.mark.r
@pytest.mark.slow
def test_delongs_interval_and_standard_error_are_procs(answers):
    for case in range(AREAS):
        value, error, low, high = answers["delong"][case]
        v = area(case, "delong")
        assert v.value == pytest.approx(value, rel=1e-12), case
        if error > 0:
            assert v.se == pytest.approx(error, rel=1e-9), case
            # pROC cuts off what lies beyond 0 and 1, as we do.
            assert (v.low, v.high) == pytest.approx((low, high), rel=1e-9), case


@pytest.mark.r
@pytest.mark.slow
@pytest.mark.parametrize(("theirs", "ours"), [("within", "stratified"), ("rows", "percentile")])
def test_bootstrap_intervals_are_procs_but_for_the_draws(answers, theirs, ours):
    """In standard errors: percentiles of 400 and of 2,000 draws differ by 0.15 by chance."""
    apart = []
    for case in answers[theirs]:
        v = area(case, ours, draws=2000)
        if not 0.6 < v.value < 0.95:  # percentiles of skewed draws jump near 1
            continue
        low, high = answers[theirs][case]
        apart.append([(v.low - low) / v.se, (v.high - high) / v.se])
    apart = np.array(apart)
    assert len(apart) > len(answers[theirs]) / 2
    assert np.abs(apart).max() < 0.9
    assert np.abs(apart.mean(0)).max() < 0.1
    assert apart.std() == pytest.approx(0.15, abs=0.05)


@pytest.mark.r
@pytest.mark.slow
def test_the_bootstraps_standard_error_is_procs_but_for_the_draws(answers):
    ratios = []
    for case, (error,) in answers["bootstrap_variance"].items():
        if error > 0:
            ratios.append(math.log(area(case, "stratified", draws=2000).se / error))
    assert len(ratios) > 20
    # The standard deviation of a standard deviation of n draws is 1 / √(2n) of it.
    expected = math.sqrt(1 / 800 + 1 / 4000)
    assert abs(np.mean(ratios)) < 4 * expected / math.sqrt(len(ratios))
    assert np.std(ratios) == pytest.approx(expected, rel=0.3)


# -- kappa and its kin -----------------------------------------------------------------------------


def by_delta(name, m, **params):
    t = LabelTally(tuple(range(len(m))), m.astype(float))
    return interval_of(Statistic.of(get(name), t.labels, **params), t, method="delta")


@pytest.mark.r
@pytest.mark.slow
def test_the_standard_errors_of_kappa_are_those_of_psych_and_vcd(answers):
    apart = []
    for case in range(TABLES):
        m = table_of(case)
        plain, linear, quadratic = (
            by_delta("cohen_kappa", m, weights=w) for w in (None, "linear", "quadratic")
        )
        for kind, ours in (
            ("psych", plain), ("vcd", plain), ("vcd_Equal-Spacing", linear),
            ("vcd_Fleiss-Cohen", quadratic),
        ):  # fmt: skip
            assert (ours.value, ours.se) == pytest.approx(answers[kind][case], rel=1e-9), kind
        # psych's quadratic kappa is ours; its variance of it is not the one of Fleiss, Cohen and
        # Everitt (1969), which vcd and statsmodels give and the exact derivatives confirm.
        value, error = answers["psych_weighted"][case]
        assert value == pytest.approx(quadratic.value, rel=1e-9)
        apart.append(abs(error / quadratic.se - 1))
    assert max(apart) > 0.01


@pytest.mark.parametrize("case", range(TABLES))
def test_the_standard_errors_of_kappa_are_those_of_statsmodels(case):
    m = table_of(case)
    for weights in (None, "linear", "quadratic"):
        theirs = inter_rater.cohens_kappa(m, wt=weights)
        ours = by_delta("cohen_kappa", m, weights=weights)
        assert ours.value == pytest.approx(theirs.kappa, rel=1e-9)
        assert ours.se == pytest.approx(theirs.std_kappa, rel=1e-9)


@pytest.mark.parametrize("case", range(20))
def test_the_standard_error_of_ac1_is_gwets(case):
    """Gwet (2008), the variance of two raters, which the delta method reproduces."""
    m = table_of(case)
    n, k, p = m.sum(), len(m), m / m.sum()
    mean = (p.sum(0) + p.sum(1)) / 2
    agreed, chance = np.trace(p), (mean * (1 - mean)).sum() / (k - 1)
    ac1 = (agreed - chance) / (1 - chance)
    one = (np.diag(p) * (1 - mean)).sum() / (k - 1) - agreed * chance
    pairs = (1 - (mean[:, None] + mean) / 2) ** 2
    two = (p * pairs).sum() / (k - 1) ** 2 - chance**2
    variance = agreed * (1 - agreed) - 4 * (1 - ac1) * one + 4 * (1 - ac1) ** 2 * two
    ours = by_delta("gwet_ac1", m)
    assert ours.value == pytest.approx(ac1)
    assert ours.se == pytest.approx(math.sqrt(variance / n) / (1 - chance), rel=1e-9)


# -- proportions, non-inferiority ------------------------------------------------------------------


def side(right, rows):
    y = np.ones(rows, int)
    return tm.evaluate(y, (np.arange(rows) < right).astype(int), positive=1, classes=[0, 1])


def arms(case):
    rng = np.random.default_rng((21, case))
    n, m = (int(v) for v in rng.integers(60, 900, 2))
    p = rng.uniform(0.55, 0.95)
    return (int(rng.binomial(n, p)), n), (int(rng.binomial(m, p - rng.uniform(-0.04, 0.06))), m)


def deviate(p):
    """Return the normal deviate of a p-value, within 3: far in the tails no approximation holds."""
    return np.clip(stats.norm.isf(p), -3, 3)


@pytest.mark.parametrize("case", range(40))
def test_non_inferiority_and_equivalence_beside_statsmodels(case):
    """P is that of the interval, and near to the score test without correction for skewness."""
    one, other = arms(case)
    a, b = side(*one), side(*other)
    for level in (0.9, 0.95):
        ours = tm.interval("accuracy", a, b, level=level)
        low, high, _ = score_of_two(*one, *other, stats.norm.ppf(0.5 + level / 2))
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-6)
    for margin in (0.03, 0.08):
        # The lower bound at 97.5 % one-sided is that of the 95 % interval.
        p = tm.test("accuracy", a, b, margin=margin).p_value
        assert (p < 0.025) == (low > -margin)
        both = tm.test("accuracy", a, b, margin=margin, alternative="equivalent").p_value
        assert (both < 0.025) == (low > -margin and high < margin)
        score = proportion.test_proportions_2indep(
            *one, *other, value=-margin, method="score", alternative="larger"
        )
        assert deviate(p) == pytest.approx(deviate(score.pvalue), abs=0.35)
        tost = proportion.tost_proportions_2indep(*one, *other, -margin, margin, method="score")
        assert deviate(both) == pytest.approx(deviate(tost.pvalue), abs=0.35)


@pytest.mark.parametrize("case", range(40))
def test_the_standard_error_of_a_proportion_beside_statsmodels(case):
    (hits, n), _ = arms(case)
    low, high = proportion.proportion_confint(hits, n, method="normal", alpha=0.05)
    wald = (high - low) / 2 / stats.norm.ppf(0.975)
    assert side(hits, n)["accuracy"].se == pytest.approx(wald, rel=1e-9)


# -- BCa beside SciPy ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["f1", "cohen_kappa", "matthews_corrcoef", "jaccard"])
def test_bca_intervals_are_scipys_but_for_the_draws(name):
    """In standard errors; the bounds are moved by the same bias and acceleration."""
    metric, apart, moved = get(name), [], []
    for case in range(12):
        rng = np.random.default_rng((22, case))
        n = int(rng.integers(80, 300))
        y = (rng.random(n) < 0.3).astype(int)
        p = np.where(rng.random(n) < 0.8, y, 1 - y)
        s = Statistic.of(metric, (0, 1), 1)

        def of_rows(y, p, axis=-1, s=s):
            cells = [((y == i) & (p == j)).sum(axis) for i in (0, 1) for j in (0, 1)]
            return s.of_matrix(np.stack(cells, -1).reshape(*cells[0].shape, 2, 2), (0, 1))

        theirs = stats.bootstrap(
            (y, p), of_rows, paired=True, vectorized=True, n_resamples=3000, method="BCa",
            rng=np.random.default_rng(case),
        )  # fmt: skip
        t = LabelTally.from_arrays(y, p)
        v = interval_of(s, t, method="bca", draws=3000)
        plain = interval_of(s, t, method="percentile", draws=3000)
        assert v.se == pytest.approx(theirs.standard_error, rel=0.08)
        low, high = theirs.confidence_interval
        apart.append([(v.low - low) / v.se, (v.high - high) / v.se])
        moved.append([(plain.low - low) / v.se, (plain.high - high) / v.se])
    apart, moved = np.array(apart), np.array(moved)
    assert np.abs(apart).max() < 0.35
    assert np.abs(apart.mean(0)).max() < 0.1
    assert np.abs(apart.mean()) < np.abs(moved.mean())
