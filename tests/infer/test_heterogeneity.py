"""How far studies differ, and their random-effects mean."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import optimize, stats

import tallymark as tm
from tallymark.infer.heterogeneity import random_effects

BCG = np.array([
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619),
    (33, 5036, 47, 5761), (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892),
    (29, 7470, 45, 7232), (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
], float)  # fmt: skip
"""Thirteen trials of the BCG vaccine (Colditz and others 1994): cases and others, two arms."""


def log_risk_ratios():
    a, b, c, d = BCG.T
    effects = np.log(a / (a + b)) - np.log(c / (c + d))
    return effects, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def test_the_bcg_trials_as_published():
    """Viechtbauer (2010), Journal of Statistical Software 36(3), and metafor's documentation."""
    found = random_effects(*log_risk_ratios())
    assert found.tau2 == pytest.approx(0.3132, abs=5e-5)
    assert 100 * found.i2 == pytest.approx(92.22, abs=5e-3)
    assert found.q == pytest.approx(152.2330, abs=5e-5)
    assert found.mean == pytest.approx(-0.7145, abs=5e-5)
    assert found.error == pytest.approx(0.1808, abs=5e-5)
    assert found.bounds == pytest.approx((-1.1084, -0.3206), abs=5e-5)
    assert found.tau2_bounds == pytest.approx((0.1197, 1.1115), abs=5e-5)


def test_studies_of_one_size_by_hand():
    """With one variance v REML has a closed form: the variance of the effects less v."""
    found = random_effects([0.0, 1.0, 2.0, 5.0], [0.5] * 4)
    assert found.mean == 2.0
    assert found.tau2 == pytest.approx(14 / 3 - 0.5)
    assert found.q == pytest.approx(28.0)
    assert found.i2 == pytest.approx(1 - 3 / 28)
    assert found.error == pytest.approx(math.sqrt(14 / 3 / 4))
    half = stats.t.ppf(0.975, 3) * found.error
    assert found.bounds == pytest.approx((2 - half, 2 + half))
    wide = stats.t.ppf(0.975, 2) * math.sqrt(found.tau2 + found.error**2)
    assert found.predicted == pytest.approx((2 - wide, 2 + wide))


def test_studies_that_agree_have_no_variance_between_them():
    found = random_effects([1.0, 1.01, 0.99], [0.1, 0.2, 0.3])
    assert found.tau2 == found.i2 == found.tau2_bounds[0] == 0
    weights = 1 / np.array([0.1, 0.2, 0.3])
    assert found.error == pytest.approx(1 / math.sqrt(weights.sum()))  # never below the usual error
    assert found.p_value > 0.9


def slow(y, v):
    """The restricted likelihood of τ², evaluated and searched."""

    def loss(tau2):
        w = 1 / (v + tau2)
        m = (w * y).sum() / w.sum()
        return (np.log(v + tau2).sum() + math.log(w.sum()) + (w * (y - m) ** 2).sum()) / 2

    grid = np.append(0, np.geomspace(1e-5, 100, 200))
    best = int(np.argmin([loss(t) for t in grid]))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    inside = optimize.minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-12})
    return 0.0 if loss(0.0) <= inside.fun else inside.x


def test_the_variance_is_the_slow_one_in_every_stack():
    rng = np.random.default_rng(3)
    v = rng.uniform(0.05, 0.6, (20, 7))
    y = rng.normal(0, np.sqrt(v + rng.uniform(0, 0.5, (20, 1))))
    y[:, 5:][rng.random((20, 2)) < 0.5] = math.nan
    stack = random_effects(y, v)
    for i, (effects, variances) in enumerate(zip(y, v, strict=True)):
        known = ~np.isnan(effects)
        assert stack.tau2[i] == pytest.approx(slow(effects[known], variances[known]), abs=1e-5)
        one = random_effects(effects[known], variances[known])
        for of_all, alone in zip(stack, one, strict=True):
            assert np.asarray(of_all)[..., i] == pytest.approx(np.asarray(alone), rel=1e-9)


def test_q_and_its_interval_are_those_of_statsmodels():
    meta = pytest.importorskip("statsmodels.stats.meta_analysis")
    y, v = log_risk_ratios()
    theirs, ours = meta.combine_effects(y, v, method_re="dl"), random_effects(y, v)
    assert ours.q == pytest.approx(theirs.q)
    for bound, share in zip(ours.tau2_bounds, (0.025, 0.975), strict=True):
        w = 1 / (v + bound)
        m = (w * y).sum() / w.sum()
        assert stats.chi2.sf((w * (y - m) ** 2).sum(), 12) == pytest.approx(share)


def sites(hits, rows):
    y = [1] * sum(rows)
    said = [s for h, n in zip(hits, rows, strict=True) for s in [1] * h + [0] * (n - h)]
    where = [f"s{i}" for i, n in enumerate(rows) for _ in range(n)]
    more = {"y_true": [0] * 10, "y_pred": [0] * 10, "site": ["controls"] * 10}
    return tm.evaluate(y + more["y_true"], said + more["y_pred"],
                       subgroup={"site": where + more["site"]}).by("site")  # fmt: skip


def test_a_proportion_of_sites():
    hits, rows = [45, 30, 20, 28], [50, 50, 20, 40]
    found = sites(hits, rows).heterogeneity("recall")
    half = np.array([0, 0, 0.5, 0])  # the third site missed none: half a row on either side
    h, m = np.array(hits) + half, np.array(rows) - np.array(hits) + half
    logits = random_effects(np.log(h / m), 1 / h + 1 / m)
    assert found.studies == 4  # the controls have no positive
    assert found.corrected == 1
    assert found.tau2 == pytest.approx(float(logits.tau2))
    assert found.mean.value == pytest.approx(1 / (1 + math.exp(-logits.mean)))
    assert found.mean.low == pytest.approx(1 / (1 + math.exp(-logits.bounds[0])))
    assert found.predicted[1] == pytest.approx(1 / (1 + math.exp(-logits.predicted[1])))
    assert found.pooled.value == sum(hits) / sum(rows)
    assert "fewer than 5 studies" in found.mean.warning
    assert json.loads(json.dumps(found.to_dict()))["i2"] == pytest.approx(float(logits.i2))


def test_a_site_that_found_none_is_a_study():
    hits, rows = [0, 30, 20, 28], [1, 50, 20, 40]
    found = sites(hits, rows).heterogeneity("recall")
    half = np.array([0.5, 0, 0.5, 0])
    h, m = np.array(hits) + half, np.array(rows) - np.array(hits) + half
    wanted = random_effects(np.log(h / m), 1 / h + 1 / m)

    def share(logit):
        return pytest.approx(1 / (1 + np.exp(-logit)))

    assert (found.studies, found.corrected, found.level, found.mean.level) == (4, 2, 0.95, 0.95)
    assert [found.mean.low, found.mean.high] == share(np.array(wanted.bounds))
    assert list(found.predicted) == share(np.array(wanted.predicted))
    mean = 1 / (1 + math.exp(-wanted.mean))
    assert found.mean.se == pytest.approx(mean * (1 - mean) * float(wanted.error))
    assert found.tau2_bounds == pytest.approx(tuple(map(float, wanted.tau2_bounds)))
    assert found.i2_bounds == pytest.approx(tuple(map(float, wanted.i2_bounds)))
    assert (found.q, found.p_value) == pytest.approx((float(wanted.q), float(wanted.p_value)))
    studies, pooled = found.table().to_dicts()
    assert (studies["of"], pooled["of"]) == ("studies", "pooled rows")
    assert (studies["predicted_low"], studies["predicted_high"]) == found.predicted
    assert (studies["tau2"], studies["i2"]) == (found.tau2, found.i2)
    assert (studies["q"], studies["p_value"]) == (found.q, found.p_value)
    assert math.isnan(pooled["tau2"])
    assert (studies["value"], pooled["value"]) == (found.mean.value, sum(hits) / sum(rows))


def test_what_it_prints():
    text = str(sites([45, 30, 20, 28, 33], [50, 50, 20, 40, 40]).heterogeneity("recall"))
    assert text.startswith("Sensitivity: mean over 5 studies 0.80 (95 % CI 0.53 to ")
    assert "Studies differ by more than chance (I² " in text
    assert "A new study" in text
    assert "warning" not in text
    same = str(sites([8, 8, 8, 8, 8], [10] * 5).heterogeneity("recall"))
    assert "Differences between studies may be chance (I² 0 %, p = 1)" in " ".join(same.split())


def test_refusals():
    s = sites([8, 9], [10, 10])
    with pytest.raises(tm.InputError, match="f1 is not a proportion; ask for the heterogeneity of"):
        s.heterogeneity("f1")
    with pytest.raises(tm.InputError, match="specificity is defined in 1 of 3 subgroups"):
        s.heterogeneity("specificity")
    y, said, site = [0, 1] * 20, [0, 1, 1, 1] * 10, ["a"] * 20 + ["b"] * 20
    of = tm.evaluate(y, said, subgroup={"site": site}, cluster=list("abcdefghij") * 4)
    with pytest.raises(tm.InputError, match="and these are clustered"):
        of.by("site").heterogeneity("sensitivity")
