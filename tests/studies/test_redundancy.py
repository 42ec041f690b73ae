"""Metrics that move together: against rows drawn anew one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

import tallymark as tm
from tallymark.studies import redundancy as module
from tallymark.studies.redundancy import redundancy


def evaluated(n=400, seed=0, **options):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1.5, 1)))
    return y, p, tm.evaluate(y, y_score=p, **options)


def of(ev, **options):
    return redundancy(ev.models[0], ev.classes, ev.positive, **options)


def test_correlations_are_those_of_rows_drawn_anew():
    y, p, ev = evaluated()
    found = of(ev)
    rng = np.random.default_rng(5)
    names = ["sensitivity", "specificity", "matthews_corrcoef", "roc_auc", "average_precision",
             "brier", "log_loss"]  # fmt: skip
    draws = []
    for _ in range(1500):
        i = rng.integers(0, len(y), len(y))
        called = p[i] >= 0.5
        draws.append([
            getattr(tm.metrics, n)(y[i], called if k < 3 else p[i]) for k, n in enumerate(names)
        ])  # fmt: skip
    signs = np.array([1, 1, 1, 1, 1, -1, -1])
    rows = spearmanr(np.array(draws) * signs).statistic
    ours = np.array([[found.between(a, b) for b in names] for a in names])
    # Two estimates from 1,500 and 2,000 draws, of groups of neighbouring scores: a few hundredths.
    np.testing.assert_allclose(ours, rows, atol=0.08)
    assert np.abs(ours - rows).mean() < 0.03


def test_functions_of_one_another_correlate_fully():
    _, _, ev = evaluated()
    r = of(ev, draws=300)
    for a, b in [("f1", "jaccard"), ("accuracy", "error_rate"), ("roc_auc", "gini_coefficient"),
                 ("youden_j", "balanced_accuracy"), ("sensitivity", "false_negative_rate")]:  # fmt: skip
        assert r.between(a, b) == pytest.approx(1, abs=1e-12)
    assert r.between("sensitivity", "specificity") < 0.5
    assert r.least(["f1", "jaccard", "effectiveness"]) == pytest.approx(1)
    (group,) = [g for g in r.groups if "roc_auc" in g]
    assert "gini_coefficient" in group
    assert sum(len(g) for g in r.groups) == len(r.metrics)
    assert r.grouped(0.95, ["f1", "jaccard", "specificity"]) == (
        ("f1", "jaccard"),
        ("specificity",),
    )
    assert r.grouped(0.95, ["f1"]) == (("f1",),)


def test_every_two_of_a_group_correlate_as_said():
    _, _, ev = evaluated(seed=3)
    r = of(ev, draws=300)
    for group in r.grouped(0.8):
        assert r.least(group) >= 0.8 - 1e-9


def test_decisions_from_elsewhere_are_drawn_apart():
    y, p, _ = evaluated()
    called = (p > 0.4).astype(int)
    called[:40] = 1 - called[:40]
    ev = tm.evaluate(y, y_pred=called, y_score=p)
    r = of(ev, draws=200)
    assert np.isnan(r.between("matthews_corrcoef", "roc_auc"))
    assert r.between("f1", "jaccard") == pytest.approx(1)
    assert r.between("roc_auc", "gini_coefficient") == pytest.approx(1)
    assert not any("f1" in g and "roc_auc" in g for g in r.groups)


def test_decisions_at_a_threshold_within_many_scores_stay_what_they_are():
    rng = np.random.default_rng(1)
    y = (rng.random(20_000) < 0.5).astype(int)
    p = np.clip(rng.normal(0.3 * y + 0.35, 0.2), 0, 1)
    t = tm.ScoreTally.from_arrays(y, p)
    cut = t.coarse(100, 0.4321)
    assert len(cut.scores) <= 104
    assert (cut.at(0.4321).counts == t.at(0.4321).counts).all()
    assert (t.coarse(100).at(0.4321).counts != t.at(0.4321).counts).any()


def test_more_than_two_classes_have_decisions_only():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 200), rng.random((200, 3))
    ev = tm.evaluate(y, y_score=s)
    r = of(ev, draws=100)
    assert "accuracy" in r.metrics
    assert "score columns are tallied apart" in r.left_out["roc_auc"]


def test_what_is_left_out_has_a_reason():
    r = of(tm.evaluate([1, 1, 0, 0] * 5, [1, 1, 0, 0] * 5), draws=50)
    assert r.left_out["accuracy"] == "the same in every draw"
    assert r.left_out["roc_auc"] == "there are no scores"
    assert r.left_out["positive_likelihood_ratio"] == "the same in every draw"
    ev = tm.evaluate([0] * 30 + [1], y_score=[0.3] * 20 + [0.7] * 10 + [0.9])
    assert "of the draws" in of(ev, draws=200).left_out["sensitivity"]
    scores = tm.evaluate([0, 1, 0, 1] * 9, y_score=[-3, 3, 1, -1] * 9)
    assert of(scores, draws=50).left_out["brier"] == "the scores are not probabilities"
    with pytest.raises(tm.InputError, match="f2 is not among|accuracy is not among"):
        r.between("accuracy", "f1")


def test_few_draws_are_refused_and_seeds_repeat():
    _, _, ev = evaluated()
    with pytest.raises(tm.InputError, match="draws is 3; correlations need at least 10"):
        of(ev, draws=3)
    a, b, c = (of(ev, draws=60, seed=s).correlation for s in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_correlations_are_those_of_scipys_midranks():
    values = np.random.default_rng(0).integers(0, 5, (40, 7)).astype(float)
    values[3, 2] = np.inf
    expected = np.corrcoef(rankdata(values, axis=0), rowvar=False)
    np.testing.assert_allclose(module._spearman(values), expected, atol=1e-12)


def test_in_the_field_rows_are_drawn_within_each_class():
    y, p, ev = evaluated()
    share = 0.02
    found = of(ev.at(prevalence=share), stratified=True)
    rng = np.random.default_rng(5)
    names = ["sensitivity", "precision", "matthews_corrcoef", "roc_auc", "average_precision",
             "brier"]  # fmt: skip
    w = np.where(y == 1, share / y.mean(), (1 - share) / (1 - y.mean()))
    draws = []
    for _ in range(900):
        i = np.concatenate(
            [rng.choice(k, len(k)) for k in (np.flatnonzero(y == c) for c in (0, 1))]
        )
        called = p[i] >= 0.5
        draws.append([
            getattr(tm.metrics, n)(y[i], called if k < 3 else p[i], sample_weight=w[i])
            for k, n in enumerate(names)
        ])  # fmt: skip
    rows = spearmanr(np.array(draws) * [1, 1, 1, 1, 1, -1]).statistic
    ours = np.array([[found.between(a, b) for b in names] for a in names])
    np.testing.assert_allclose(ours, rows, atol=0.08)
    assert np.abs(ours - rows).mean() < 0.03
    # The share of positives is known, whatever its last digits are.
    assert found.left_out["prevalence"] == "the same in every draw"
    assert "prevalence" in of(ev.at(prevalence=share)).metrics


def test_decisions_alone_are_drawn_within_each_class():
    y, p, _ = evaluated()
    ev = tm.evaluate(y, (p > 0.4).astype(int)).at(prevalence=0.05)
    found = of(ev, stratified=True, draws=400)
    assert found.left_out["prevalence"] == "the same in every draw"
    assert abs(found.between("sensitivity", "specificity")) < 0.2
    assert found.between("precision", "specificity") > 0.8


def test_metrics_read_on_several_threads_are_those_of_one(monkeypatch):
    _, _, ev = evaluated()
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(module, "threads_for", lambda *_, t=threads: t)
        found.append(of(ev, draws=200).correlation)
    np.testing.assert_array_equal(found[0], found[1])
