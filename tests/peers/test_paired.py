"""Tests and intervals of models on the same rows beside statsmodels, SciPy and pROC."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

import tallymark as tm
from judged import counted_of
from tallymark.infer.contrasts import mover
from tallymark.infer.delong import areas_of, auc_variance
from tallymark.infer.influence import sign_flip
from tallymark.infer.intervals import interval_of
from tallymark.infer.methods import METHODS
from tallymark.infer.paired import Paired
from tallymark.infer.significance import (
    bowker,
    cochran_q,
    mcnemar,
    stuart_maxwell,
)
from tallymark.infer.two_shares import score
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import wilson
from tallymark.tally.labels import LabelTally

statsmodels = pytest.importorskip("statsmodels.stats.contingency_tables")


@pytest.mark.parametrize("seed", range(40))
def test_mcnemar_beside_statsmodels(seed):
    rng = np.random.default_rng(seed)
    both, b, c, none = rng.integers(0, 12, 4).tolist()
    table = [[both, b], [c, none]]
    if not b + c:
        return
    exact = statsmodels.mcnemar(table, exact=True)
    assert mcnemar(b, c, "exact").p_value == pytest.approx(exact.pvalue)
    for method, correction in (("chi-square", False), ("corrected", True)):
        theirs = statsmodels.mcnemar(table, exact=False, correction=correction)
        ours = mcnemar(b, c, method)
        if method == "corrected" and b == c:
            # statsmodels corrects a difference of 0 to 1: farther from 0 than it was.
            assert theirs.statistic > 0 == ours.statistic
            continue
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert ours.p_value == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("seed", range(30))
def test_symmetry_and_margins_beside_statsmodels(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    table = rng.integers(1, 20, (k, k))
    square = statsmodels.SquareTable(table, shift_zeros=False)
    theirs = square.symmetry(method="bowker")
    ours = bowker(table.astype(float))
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    theirs = square.homogeneity(method="stuart_maxwell")
    ours = stuart_maxwell(table.astype(float))
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))


@pytest.mark.parametrize("seed", range(20))
def test_cochrans_q_beside_statsmodels(seed):
    rng = np.random.default_rng(seed)
    right = rng.random((int(rng.integers(2, 6)), 60)) < 0.7
    theirs = statsmodels.cochrans_q(right.T.astype(int))
    ours = cochran_q(right)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))


NAMES = {
    "wilson": "wilson",
    "clopper-pearson": "beta",
    "jeffreys": "jeffreys",
    "agresti-coull": "agresti_coull",
}


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize(("hit", "n"), [(8, 10), (1, 7), (120, 130), (3, 200), (0, 9), (9, 9)])
def test_proportions_beside_statsmodels(method, hit, n):
    from statsmodels.stats.proportion import proportion_confint

    t = LabelTally((0, 1), np.array([[20.0, 3.0], [float(n - hit), float(hit)]]))
    s = Statistic.of(get("sensitivity"), (0, 1), 1)
    v = interval_of(s, t, method=method)
    low, high = proportion_confint(hit, n, method=NAMES[method])
    if method == "jeffreys":
        # At either end ours is the end itself, or the interval would leave the proportion out.
        low, high = (0.0 if hit == 0 else low), (1.0 if hit == n else high)
    assert (v.low, v.high) == pytest.approx((max(low, 0), min(high, 1)), abs=1e-9)
    assert v.method == METHODS[method].title


@pytest.mark.parametrize("seed", range(60))
def test_two_proportions_of_different_rows_beside_statsmodels(seed):
    from statsmodels.stats.proportion import (
        confint_proportions_2indep,
        test_proportions_2indep,
    )

    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 80, 2).tolist()
    hit, other = int(rng.integers(0, n + 1)), int(rng.integers(0, m + 1))
    low, high = confint_proportions_2indep(hit, n, other, m, method="newcomb")
    arms = []
    for k, rows in ((hit, n), (other, m)):
        least, most = wilson(k, rows, norm.ppf(0.975))
        arms.append((k / rows - least, most - k / rows))
    assert mover(hit / n - other / m, *arms) == pytest.approx((low, high))
    if hit + other in (0, n + m):
        return
    with np.errstate(divide="ignore"):  # of a ratio that is not asked for
        theirs = test_proportions_2indep(hit, n, other, m, method="score", correction=True)
    shares = (hit, other), (n, m)
    ours = float(score("difference", *shares, 0.0, skew=False))  # theirs has no such correction
    assert ours == pytest.approx(theirs.statistic)
    if 0 < hit < n and 0 < other < m:
        for contrast, compare in (("ratio", "ratio"), ("odds ratio", "odds-ratio")):
            with np.errstate(invalid="ignore"):  # it begins its search at an odds ratio of 0
                bounds = confint_proportions_2indep(
                    hit, n, other, m, compare=compare, method="score"
                )
            z = [float(score(contrast, *shares, bound, skew=False)) for bound in bounds]
            assert z == pytest.approx([1.959964, -1.959964], abs=1e-5)


@pytest.mark.parametrize("n", [2, 5, 9, 13])
def test_the_exact_test_of_few_differing_rows_beside_scipy(n):
    from scipy.stats import permutation_test

    gaps = np.round(np.random.default_rng(n).normal(0.4, 1, n), 2)
    theirs = permutation_test((gaps,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(np.append(gaps, np.zeros(4))) == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("name", ["f1", "matthews_corrcoef"])
def test_bca_beside_scipy(name):
    from scipy.stats import bootstrap

    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    p = np.where(rng.random(300) < 0.8, y, 1 - y)
    metric = get(name)

    def of(rows):
        return float(metric(y[rows.astype(int)], p[rows.astype(int)]))

    theirs = bootstrap(
        (np.arange(300),), of, vectorized=False, n_resamples=1500, rng=np.random.default_rng(1)
    ).confidence_interval  # fmt: skip
    ours = tm.evaluate(y, p).value(name, method="bca", draws=10_000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.015)


# -- pROC --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proc(tmp_path_factory):
    """Ask R once about two areas on the same rows."""
    import subprocess
    from pathlib import Path

    from peers.r_table import need_r

    need_r()
    folder = tmp_path_factory.mktemp("proc")
    rng = np.random.default_rng(5)
    rows = {}
    for case in range(12):
        n = int(rng.integers(20, 300))
        y = (np.arange(n) % 3 == 0).astype(int)
        shared = rng.normal(size=n)
        a, b = (np.round(shared + rng.normal(size=n) + y, 1) for _ in range(2))
        rows[case] = (y, a, b)
    with (folder / "rows.csv").open("w", encoding="utf-8") as file:
        file.write("case,y,a,b\n")
        for case, columns in rows.items():
            file.writelines(f"{case},{y},{a},{b}\n" for y, a, b in zip(*columns, strict=True))
    script = Path(__file__).with_name("paired.R")
    paths = [str(folder / name) for name in ("rows.csv", "answers.txt", "aSAH.csv")]
    subprocess.run(["Rscript", "--vanilla", str(script), *paths], check=True)
    answers = {}
    for line in (folder / "answers.txt").read_text(encoding="utf-8").splitlines():
        case, *values = line.split()
        answers[case] = [float(v) for v in values]
    return rows, answers, folder / "aSAH.csv"


@pytest.mark.r
@pytest.mark.slow
def test_two_areas_beside_proc(proc):
    rows, answers, _ = proc
    for case, (y, a, b) in rows.items():
        auc_a, auc_b, var_a, var_b, cov, p, _ = answers[str(case)]
        ev = tm.evaluate(y, y_score={"a": a, "b": b})
        d = ev.compare(metrics=["roc_auc"], permutations=0).pair("a", "b")
        found = d.differences["roc_auc"]
        sign = 1 if d.first == "a" else -1
        assert sign * found.value == pytest.approx(auc_a - auc_b, abs=1e-12)
        judged = Paired(counted_of(ev), ev.values())
        areas = areas_of(counted_of(ev).joint, [m.scores[0] for m in counted_of(ev).models])
        assert areas.covariance == pytest.approx(np.array([[var_a, cov], [cov, var_b]]), rel=1e-9)
        # pROC's p is the normal distribution's; ours is Student's, of the same statistic.
        chi_square = judged.auc_test().statistic
        assert math.erfc(math.sqrt(chi_square / 2)) == pytest.approx(p, rel=1e-9)
        assert found.p_value >= p


@pytest.mark.r
@pytest.mark.slow
def test_two_areas_of_different_rows_beside_proc(proc):
    rows, answers, _ = proc
    for case, (y, a, b) in rows.items():
        part = slice(0, 2 * len(y) // 3)
        first = tm.evaluate(y, y_score={"s": a})
        second = tm.evaluate(y[part], y_score={"s": b[part]})
        (pair,) = first.compare_with(second, metrics=["roc_auc"]).pairs
        d = pair.differences["roc_auc"]
        # pROC reads it off Student's t of nearly as many degrees of freedom as there are rows.
        theirs = answers[str(case)][-1]
        variances = [auc_variance(ev.models[0].scores[0])[1] for ev in (first, second)]
        assert d.value / math.sqrt(sum(variances)) == pytest.approx(theirs, rel=1e-9)
        few = min(np.bincount(y[part])) - 1
        # Ours inverts the interval of the logit scale, which is nearly as many errors away.
        ours = t.isf(d.p_value / 2, few)
        assert ours == pytest.approx(abs(theirs), rel=0.15, abs=0.01)


@pytest.mark.r
def test_the_interval_of_proc_on_its_own_data(proc):
    _, answers, path = proc
    low, auc, high = answers["aSAH"]
    assert (low, auc, high) == pytest.approx((0.6301, 0.7314, 0.8326), abs=1e-4)
    ev = tm.evaluate(path, truth="outcome", score="s100b", positive="Poor")
    v = ev.value("roc_auc", method="delong")
    assert (v.low, v.value, v.high) == pytest.approx((low, auc, high), abs=1e-9)


@pytest.mark.r
def test_the_vertical_band_beside_procs_bootstrap(proc):
    _, answers, path = proc
    theirs = np.reshape(answers["ci.se"], (2, 5))
    ev = tm.evaluate(path, truth="outcome", score="s100b", positive="Poor")
    c = ev.curve("roc", band="vertical")
    at = [int(np.argmin(abs(c.x - x))) for x in (0.4, 0.3, 0.2, 0.1, 0.05)]
    ours = np.stack([c.low[at], c.high[at]])
    # Theirs resamples 113 rows as they are: its bounds step from one share of the rows to the next.
    assert np.abs(ours - theirs).max() < 0.08
    assert np.abs(ours - theirs).mean() < 0.025
