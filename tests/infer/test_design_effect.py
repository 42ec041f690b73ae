"""Design effects and the intraclass correlation, against formulas of the literature."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.design_effect import intraclass_correlation


def alike(m=80, k=6, share=0.2, seed=0):
    """Return correctness of k rows of each of m clusters, whose ICC is ``share``."""
    rng = np.random.default_rng(seed)
    a, b = 0.7 * (1 / share - 1), 0.3 * (1 / share - 1)
    right = rng.random((m, k)) < rng.beta(a, b, m)[:, None]
    return right.ravel(), np.repeat(np.arange(m), k)


def slow_icc(x, who):
    """Return the ANOVA estimator as a table of the analysis of variance has it."""
    groups = [x[who == c] for c in np.unique(who)]
    k, n = len(groups), len(x)
    between = sum(len(g) * (g.mean() - x.mean()) ** 2 for g in groups) / (k - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - k)
    size = (n - sum(len(g) ** 2 for g in groups) / n) / (k - 1)
    return (between - within) / (between + (size - 1) * within)


def test_the_icc_is_that_of_the_analysis_of_variance():
    right, who = alike()
    keep = np.random.default_rng(1).random(len(who)) < 0.7  # sizes differ
    x, c = right[keep].astype(float), who[keep]
    assert intraclass_correlation(x, c) == pytest.approx(slow_icc(x, c), rel=1e-12)


def test_the_icc_is_right_on_average():
    found = [intraclass_correlation(*alike(seed=s)) for s in range(300)]
    assert np.mean(found) == pytest.approx(0.2, abs=0.01)


def test_there_is_no_icc_of_single_rows_of_one_cluster_or_of_equal_values():
    one, two = np.array([1, 0, 1]), np.array([0, 0, 1])
    assert math.isnan(intraclass_correlation(one, np.arange(3)))
    assert math.isnan(intraclass_correlation(one, np.zeros(3)))
    assert math.isnan(intraclass_correlation(np.ones(3), two))
    assert intraclass_correlation(one, two) < 0


def evaluated(share, **options):
    right, who = alike(share=share)
    y = np.arange(len(who)) % 2
    score = np.where(right, y, 1 - y) * 0.5 + 0.25
    return tm.evaluate(y, y_score=score, cluster=who, **options)


def test_the_design_effect_of_accuracy_is_one_plus_the_other_rows_times_the_icc():
    for share in (0.05, 0.2, 0.6):
        found = evaluated(share).design_effects()["model"]
        assert found.effects["accuracy"] == pytest.approx(1 + 5 * found.icc, rel=0.03)
        n = found.effective_sample_size("accuracy")
        assert n == pytest.approx(480 / found.effects["accuracy"])
        assert found.effects["roc_auc"] > 1


@pytest.mark.slow
def test_it_is_told_in_text_json_and_page(tmp_path):
    ev = evaluated(0.2)
    found = ev.design_effects()["model"]
    wide = math.sqrt(found.effects["accuracy"])
    told = (
        f"rows of one cluster resemble each other (ICC {found.icc:.2f} of correct decisions): the "
        f"interval of accuracy is {wide:.1f} times as wide as for independent rows, and 480 rows "
        f"are as precise as {round(480 / wide**2)} independent ones"
    )
    assert told in " ".join(str(ev).split())
    assert f"ICC {found.icc:.2f}" in ev.report(tmp_path / "p.html").read_text(encoding="utf-8")
    data = ev.to_dict()["models"][0]["design_effects"]
    assert (data["clusters"], data["icc"]) == (80, found.icc)
    assert data["metrics"]["accuracy"]["design_effect"] == found.effects["accuracy"]
    assert "0." in str(found)


def test_rows_that_stand_alone_have_none():
    ev = tm.evaluate([0, 1, 0, 1], [0, 1, 1, 1])
    assert ev.design_effects() == {}
    assert ev.to_dict()["models"][0]["design_effects"] is None


def test_a_metric_without_a_design_effect_is_refused():
    ev = tm.evaluate([1, 0] * 20, [1, 0, 0, 0] * 10, cluster=[i // 4 for i in range(40)])
    with pytest.raises(tm.InputError, match="roc_auc has no design effect here; there are"):
        ev.design_effects()["model"].effective_sample_size("roc_auc")


@pytest.mark.slow
def test_rows_that_hardly_resemble_each_other_are_said_to_be_so():
    y = np.arange(480) % 2
    who = np.repeat(np.arange(80), 6)
    seen = set()
    for seed in range(6):
        right = np.random.default_rng(seed).random(480) < 0.7
        ev = tm.evaluate(y, np.where(right, y, 1 - y), cluster=who)
        found = ev.design_effects()["model"]
        assert found.icc == pytest.approx(slow_icc(right.astype(float), who))
        alike = found.icc >= 0.005
        much = "resemble each other" if alike else "hardly resemble each other"
        wide = math.sqrt(found.effects["accuracy"])
        told = (
            f"rows of one cluster {much} (ICC {found.icc:.2f} of correct decisions): the interval "
            f"of accuracy is {wide:.1f} times as wide as for independent rows"
        )
        text = " ".join(str(ev).split()).replace("-0.00", "0.00")
        assert told.replace("-0.00", "0.00").replace("-", "−") in text
        worth = f", and 480 rows are as precise as {round(480 / wide**2)} independent ones"
        assert (worth in text) == (wide > 1) == ("as precise as" in text)
        assert found.effective_sample_size("accuracy") == pytest.approx(min(480, 480 / wide**2))
        seen.add(alike)
    assert seen == {True, False}


def test_where_few_clusters_decide_no_number_of_rows_is_claimed():
    """The width has the quantile of 1.6 degrees of freedom, which no number of rows expresses."""
    who = np.r_[np.zeros(150, int), np.arange(1, 51)]
    y = np.arange(200) % 2
    right = np.random.default_rng(4).random(200) < 0.8
    right[:150] = np.arange(150) % 10 > 1
    ev = tm.evaluate(y, np.where(right, y, 1 - y), cluster=who)
    accuracy, found = ev["accuracy"], ev.design_effects()["model"]
    p, z = right.mean(), 1.959963984540054
    half = z / (1 + z**2 / 200) * math.sqrt(p * (1 - p) / 200 + z**2 / (4 * 200**2))  # Wilson
    wider = (accuracy.high - accuracy.low) / (2 * half)
    assert wider > 1.5
    (note,) = (n for n in ev.notes if n.rule == "design-effect")
    assert note.text == (
        f"the interval of accuracy is {wider:.1f} times as wide as for independent rows: one "
        "cluster has 75 % of the rows, so few clusters decide"
    )
    assert found.effects["accuracy"] < 1
    assert found.effective_sample_size("accuracy") == 200
