"""Which definition of a metric gives a stated number."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import f1_score, fbeta_score, roc_auc_score

import tallymark as tm

RNG = np.random.default_rng(0)
Y3 = np.array(list("aaabbbccccdd"))
P3 = np.array(list("aabbbcccccca"))
Y = (RNG.random(120) < 0.35).astype(int)
S = np.round(np.clip(RNG.normal(0.25 * Y + 0.4, 0.2), 0, 1), 1)


def which(ev, metric, stated, **options):
    (found,) = tm.which_definition(ev, metric, stated, **options)
    return found


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_averages_are_named(average):
    value = f1_score(Y3, P3, average=average, zero_division=0)
    found = which(tm.evaluate(Y3, P3), "f1", f"{value:.5f}")
    words = " | ".join(c.words for c in found.fitting)
    assert {"macro": "macro average", "micro": "micro average",
            "weighted": "average weighted by the rows of each class"}[average] in words  # fmt: skip
    assert all(abs(c.value - value) < 1e-5 for c in found.fitting)


@pytest.mark.parametrize(("rule", "zero"), [("0/0 counted as 0", 0), ("0/0 counted as 1", 1)])
def test_rules_for_0_0_are_named(rule, zero):
    y, p = list("aabbcc"), list("aabbaa")  # c is never predicted: its precision is 0/0
    per_class = [0.5, 1.0, zero]
    found = which(tm.evaluate(y, p), "precision", f"{np.mean(per_class):.4f}")
    assert any(rule in c.words for c in found.fitting)
    left = which(tm.evaluate(y, p), "precision", "0.7500")
    assert any("classes of 0/0 left out" in c.words for c in left.fitting)


def test_the_other_class_and_other_betas_are_named():
    ev = tm.evaluate(Y, y_score=S)
    other = f1_score(1 - Y, S < 0.5)
    assert any("of class 0" in c.words for c in which(ev, "f1", f"{other:.6f}").fitting)
    two = fbeta_score(Y, S >= 0.5, beta=2)
    assert any("β = 2" in c.words for c in which(ev, "f1", f"{two:.6f}").fitting)
    strict = f1_score(Y, S > 0.5)
    assert any("above the threshold, not at it" in c.words
               for c in which(ev, "f1", f"{strict:.6f}").fitting)  # fmt: skip


def test_areas_under_other_names():
    ev = tm.evaluate(Y, y_score=S)
    hard = roc_auc_score(Y, S >= 0.5)
    assert any("of the decisions" in c.words for c in which(ev, "roc_auc", f"{hard:.6f}").fitting)
    best = tm.metrics.roc_auc_optimistic(Y, S)
    assert any("ties broken in favour" in c.words
               for c in which(ev, "auc", f"{best:.6f}").fitting)  # fmt: skip
    other = tm.metrics.average_precision(1 - Y, 1 - S)
    found = which(ev, "average_precision", f"{other:.6f}")
    assert any("of the other class" in c.words for c in found.fitting)


def test_areas_of_many_classes():
    y = RNG.integers(0, 3, 90)
    s = RNG.dirichlet(np.ones(3), 90)
    ev = tm.evaluate(y, y_score=s)
    for average in ("macro", "weighted"):
        value = roc_auc_score(y, s, average=average, multi_class="ovr")
        found = which(ev, "roc_auc", f"{value:.8f}")
        assert any(c.value == pytest.approx(value) for c in found.fitting)
    one = roc_auc_score(y == 1, s[:, 1])
    assert any("of class 1" in c.words for c in which(ev, "roc_auc", f"{one:.8f}").fitting)


def test_nothing_fits_and_the_nearest_are_told():
    found = which(tm.evaluate(Y, y_score=S), "f1", "0.9999")
    assert found.fitting == ()
    assert len(found.nearest) == 5
    gaps = [abs(c.value - 0.9999) for c in found.nearest]
    assert gaps == sorted(gaps)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["tried"] == found.tried
    assert len(plain["nearest"]) == 5


def test_each_model_is_asked():
    ev = tm.evaluate(Y, {"one": S >= 0.5, "two": S >= 0.3})
    one, two = tm.which_definition(ev, "f1", f"{f1_score(Y, S >= 0.3):.6f}")
    assert (one.model, two.model) == ("one", "two")
    assert two.fitting
    assert all(math.isfinite(c.value) for c in two.fitting)


def test_scores_that_are_not_there():
    with pytest.raises(tm.InputError, match="brier needs scores, and model has none"):
        which(tm.evaluate(Y, S >= 0.5), "brier", "0.1")
    with pytest.raises(tm.InputError, match="'much' is not a number"):
        which(tm.evaluate(Y, S >= 0.5), "f1", "much")


def test_definitions_are_a_table():
    found = which(tm.evaluate(Y, y_score=S), "recall", "0.75")
    assert found.table()[0]["definition"] == (found.fitting or found.nearest)[0].words
