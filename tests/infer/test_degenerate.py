"""Data on which little can be said: an answer with a reason or a refusal, never a bare NaN.

Every degenerate set of rows goes through everything that judges: all values, every method of
interval, models on the same rows and on different ones. What comes back must keep the laws below.
"""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise

import numpy as np
import pytest

import tallymark as tm
from tallymark.errors import InputError
from tallymark.infer.methods import METHODS
from tallymark.metric import METRICS, get

N = 12
HALF = np.array([0, 1] * (N // 2))
RANDOM = np.random.default_rng(0).random(N).round(2)


def probabilities(n, k, seed=0):
    p = np.random.default_rng(seed).gamma(1, size=(n, k)) + 0.01
    return p / p.sum(1, keepdims=True)


TWO = {
    "one row of each class": {"y": [0, 1], "s": [0.2, 0.7]},
    "two equal rows": {"y": [0, 1], "s": [0.5, 0.5]},
    "one positive": {"y": [1] + [0] * 9, "s": RANDOM[:10]},
    "one negative": {"y": [0] + [1] * 9, "s": RANDOM[:10]},
    "two positives": {"y": [1, 1] + [0] * 8, "s": RANDOM[:10]},
    "area of 1": {"y": HALF, "s": HALF * 0.5 + 0.2 + RANDOM / 10},
    "area of 0": {"y": HALF, "s": 0.9 - HALF * 0.5 - RANDOM / 10},
    "area of 1 by one positive": {"y": [1] + [0] * 9, "s": [0.99, *RANDOM[:9] / 2]},
    "certain and right": {"y": HALF, "s": HALF},
    "certain and wrong": {"y": HALF, "s": 1.0 - HALF},
    "constant": {"y": HALF, "s": np.full(N, 0.5)},
    "constant at 0": {"y": HALF, "s": np.zeros(N)},
    "constant at 1": {"y": HALF, "s": np.ones(N)},
    "two values": {"y": [0, 0, 0, 1, 1, 1], "s": [0.3, 0.3, 0.6, 0.6, 0.6, 0.3]},
    "ties within classes alone": {"y": HALF, "s": np.where(HALF, 0.7, 0.3)},
    "nothing called positive": {"y": HALF, "s": RANDOM / 3},
    "everything called positive": {"y": HALF, "s": 0.6 + RANDOM / 3},
    "positives alone": {"y": [1] * 6, "s": RANDOM[:6], "classes": [0, 1]},
    "negatives alone": {"y": [0] * 6, "s": RANDOM[:6], "classes": [0, 1]},
    "one row": {"y": [1], "s": [0.4], "classes": [0, 1]},
    "margins of both signs": {"y": HALF, "s": RANDOM - 0.5},
    "huge scores": {"y": HALF, "s": (RANDOM - 0.5) * 1e300},
    "one cluster": {"y": HALF, "s": RANDOM, "cluster": [0] * N},
    "two clusters": {"y": HALF, "s": RANDOM, "cluster": [0, 1] * (N // 2)},
    "a class in one cluster": {"y": HALF, "s": RANDOM, "cluster": [0, 1, 0, 2] * (N // 4)},
    "clusters of an area of 1": {"y": HALF, "s": HALF * 0.5 + RANDOM / 10,
                                     "cluster": np.arange(N) // 2},
    "constant in clusters": {"y": HALF, "s": np.full(N, 0.5), "cluster": np.arange(N) // 2},
    "one row that weighs": {"y": HALF, "s": RANDOM, "weight": [1.0] + [0.0] * (N - 1)},
    "one heavy row": {"y": HALF, "s": RANDOM, "weight": [1e9] + [1.0] * (N - 1)},
    "light rows": {"y": HALF, "s": RANDOM, "weight": np.full(N, 1e-9)},
    "weights of an area of 1": {"y": HALF, "s": HALF * 0.5 + RANDOM / 10, "weight": RANDOM + 1},
}  # fmt: skip

MANY = {
    "one row a class": {"y": [0, 1, 2], "s": probabilities(3, 3)},
    "a class without rows": {"y": [0, 1] * 6, "s": probabilities(N, 3), "classes": [0, 1, 2]},
    "a class of one row": {"y": [2] + [0, 1] * 5, "s": probabilities(11, 3)},
    "right and certain": {"y": [0, 1, 2] * 4, "s": np.eye(3)[[0, 1, 2] * 4]},
    "wrong and certain": {"y": [0, 1, 2] * 4, "s": np.eye(3)[[1, 2, 0] * 4]},
    "all scores equal": {"y": [0, 1, 2] * 4, "s": np.full((N, 3), 1 / 3)},
    "many in one cluster": {"y": [0, 1, 2] * 4, "s": probabilities(N, 3), "cluster": [5] * N},
    "many in clusters": {
        "y": [0, 1, 2] * 4,
        "s": probabilities(N, 3),
        "cluster": np.arange(N) // 4,
    },
}

SETS = TWO | MANY
DECIDED = (
    "one row of each class", "one positive", "area of 1", "area of 0", "nothing called positive",
    "everything called positive", "positives alone", "one cluster", "a class in one cluster",
    "one heavy row", "one row a class", "a class without rows", "right and certain",
    "many in clusters",
)  # fmt: skip
"""Those that differ as decisions."""


def other(y, s):
    """Return the other model's scores: of the same rows, reversed."""
    return np.asarray(s)[::-1].copy()


def models(one, two, names):
    """Return a model, another one, and a third that is the first again, of those named."""
    return {n: s for n, s in {"a": one, "b": two, "c": one}.items() if n in names}


def evaluated(name, names="abc"):
    found = dict(SETS[name])
    y, s = found.pop("y"), np.asarray(found.pop("s"), float)
    return tm.evaluate(y, y_score=models(s, other(y, s), names), **found)


def decided(name, names="abc"):
    """Return the same rows with decisions alone."""
    found = dict(SETS[name])
    y, s = np.asarray(found.pop("y")), np.asarray(found.pop("s"), float)
    called = (s > 0.5).astype(int) if s.ndim == 1 else s.argmax(1)
    return tm.evaluate(y, models(called, called[::-1].copy(), names), **found)


ASKED = [(evaluated, name) for name in SETS] + [(decided, name) for name in DECIDED]


def third_of(metrics, name):
    """Return every third metric: sets of rows beside each other in SETS share them out."""
    return metrics[[*SETS].index(name) % 3 :: 3]


# -- laws --------------------------------------------------------------------------------------


def keep_the_laws(v, where):
    """Hold one value: a number or a reason, an interval or a word why there is none."""
    assert math.isnan(v.value) == bool(v.reason), where
    if v.reason:
        return
    low, high = METRICS[v.metric].range_of(**{
        k: p for k, p in v.definition.items() if k in METRICS[v.metric].params
    })  # fmt: skip
    hair = 1e-9 * max(1.0, abs(v.value)) if math.isfinite(v.value) else 0.0
    assert low - hair <= v.value <= high + hair, (where, v)
    assert v.method, (where, "no method is named", v)
    assert math.isnan(v.low) == math.isnan(v.high), (where, v)
    if math.isnan(v.low):
        assert v.method.startswith("no interval: "), (where, v)
        assert len(v.method) > len("no interval: "), (where, v)
        return
    assert v.level == 0.95, (where, v)
    assert low - hair <= v.low <= v.high <= high + hair, (where, v)
    assert v.low < v.high, (where, v)


def keep_the_laws_of_differences(found, where):
    """Hold a comparison: its differences, tests and verdicts."""
    for pair in found.pairs:
        for name, d in pair.differences.items():
            at = (where, pair.first, pair.second, name, d)
            assert math.isnan(d.value) == bool(d.reason), at
            assert math.isnan(d.p_value) or 0 <= d.p_value <= 1, at
            assert d.test or math.isnan(d.p_value), at
            if d.reason:
                continue
            assert d.method, at
            assert math.isnan(d.low) == math.isnan(d.high), at
            if math.isnan(d.low):
                assert d.method.startswith("no interval: "), at
                continue
            low, high = get(name).range
            width = high - low
            assert -width <= d.low <= d.value <= d.high <= width, at
            assert (d.low < d.high) != (d.test == "same ranking"), at
            assert (d.error > 0) != (d.test == "same ranking"), at
            assert d.p_value > 0 or d.test != "square-and-add of both intervals", at
            assert math.isfinite(d.error), at
        for t in (*pair.tests, *found.overall):
            assert math.isnan(t.p_value) == bool(t.reason), (where, t)
            assert t.reason or 0 <= t.p_value <= 1, (where, t)
            assert math.isnan(t.statistic) or t.reason is None, (where, t)
        verdict = pair.verdict
        assert (
            verdict.kind != "better" or not verdict.difference.low <= 0 <= verdict.difference.high
        )
        assert not re.search(r"\bnan\b", str(verdict)), (where, str(verdict))
    assert not re.search(r"\bnan\b", str(found).lower()), where
    json.dumps(found.to_dict(), allow_nan=False)


# -- everything --------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "name"), ASKED)
@pytest.mark.slow
def test_all_values_keep_the_laws(make, name):
    ev = make(name, "a")
    for model, values in ev.values().items():
        for metric, v in values.items():
            keep_the_laws(v, (name, model, metric))
    for model, classes in ev.per_class().items():
        for label, values in classes.items():
            for metric, v in values.items():
                keep_the_laws(v, (name, model, label, metric))
    assert all(n.text for n in ev.notes)
    json.loads(ev.to_json())
    assert str(ev)


def by_method(ev, metric, method):
    """Return a value by one method, or the sentence that refuses it."""
    try:
        return ev.value(metric, method=method, draws=100)
    except InputError as refused:
        return str(refused)


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_every_method_answers_or_refuses(name):
    ev = evaluated(name, "a")
    for metric in third_of(ev.metrics(), name):
        for method in METHODS:
            found = by_method(ev, metric, method)
            if isinstance(found, str):
                assert method in found, (name, metric.name, method)
                assert "\n" not in found
            else:
                keep_the_laws(found, (name, metric.name, method))


@pytest.mark.slow
@pytest.mark.parametrize(("make", "name"), ASKED)
def test_models_of_the_same_rows_are_compared_or_refused(make, name):
    ev = make(name)
    metrics = [m.name for m in third_of(ev.metrics(), name)]
    keep_the_laws_of_differences(ev.compare("a", permutations=50, metrics=metrics), name)


@pytest.mark.slow
@pytest.mark.parametrize("sets", [TWO, MANY])
@pytest.mark.parametrize("make", [evaluated, decided])
def test_models_of_different_rows_are_compared(sets, make):
    chosen = [name for name in sets if make is evaluated or name in DECIDED]
    for i, (one, two) in enumerate(pairwise([*chosen, chosen[0]])):
        first, second = make(one, "a"), make(two, "a")
        metrics = [m.name for m in first.metrics() if m in second.metrics()][i % 3 :: 3]
        found = first.compare_with(second, metrics=metrics)
        keep_the_laws_of_differences(found, (one, two))
        found = first.compare_with(make(one, "a"), metrics=metrics)
        keep_the_laws_of_differences(found, (one, one))


@pytest.mark.parametrize(
    "name", ["one row of each class", "area of 1", "constant", "two clusters", "one heavy row"]
)
@pytest.mark.parametrize("prevalence", [0.02, 0.5])
@pytest.mark.slow
def test_another_class_balance_keeps_the_laws(name, prevalence):
    ev = evaluated(name, "ab").at(prevalence=prevalence)
    for model, values in ev.values().items():
        for metric, v in values.items():
            keep_the_laws(v, (name, model, metric))
    keep_the_laws_of_differences(ev.compare("a", permutations=0), name)
    other_side = tm.evaluate(HALF, y_score={"a": RANDOM})
    keep_the_laws_of_differences(ev.model("a").compare_with(other_side), name)


@pytest.mark.parametrize("name", ["positives alone", "negatives alone", "one row"])
def test_another_balance_of_one_class_is_refused(name):
    with pytest.raises(InputError, match="no row is truly"):
        evaluated(name).at(prevalence=0.5)


# -- what is told of it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("one positive", "few-rows"),
        ("one cluster", "few-clusters"),
        ("two clusters", "few-clusters"),
        ("positives alone", "one-class"),
        ("a class without rows", "absent-class"),
        ("constant", "one-decision"),
        ("certain and wrong", "held-impossible"),
        ("one heavy row", "weighted"),
    ],
)
def test_there_is_a_warning(name, code):
    found = {n.rule: n for n in evaluated(name).notes}
    assert found[code].severity == "warning"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("one cluster", "second: there is only one cluster"),
        ("one positive", "second: 9 rows of 0, 1 of 1: so few"),
        ("positives alone", "second: 1 is the class of all rows"),
    ],
)
def test_sides_tell_what_they_lack(name, words):
    plain = tm.evaluate(HALF, y_score={"a": RANDOM})
    found = plain.compare_with(evaluated(name).model("a"), metrics=["accuracy"])
    assert any(n.startswith(words) for n in found.notes)


@pytest.mark.parametrize("name", ["area of 1", "area of 0", "constant", "two positives"])
def test_an_area_always_has_an_interval(name):
    v = evaluated(name).model("a")["roc_auc"]
    assert 0 <= v.low < v.high <= 1
    d = evaluated(name).compare(permutations=0).pair("a", "b").differences["roc_auc"]
    assert -1 <= d.low <= d.high <= 1
    assert (d.low < d.high) != (d.test == "same ranking")
    assert 0 < d.p_value <= 1


@pytest.mark.slow
def test_all_differences_of_zero_are_alike():
    for name in ("two positives", "constant", "two values", "right and certain"):
        verdict = evaluated(name).compare(permutations=0).pair("a", "c").verdict
        assert verdict.kind == "alike", name
        assert str(verdict) == "a and c predict the same for every row"


def test_models_of_other_rows_or_another_truth_are_refused():
    with pytest.raises(InputError, match=r"y_score\['b'\] has 11"):
        tm.evaluate(HALF, y_score={"a": RANDOM, "b": RANDOM[:11]})
    one = tm.evaluate(["no", "yes"] * 6, y_score=RANDOM, positive="yes")
    with pytest.raises(InputError, match="has the classes"):
        one.compare_with(tm.evaluate(HALF, y_score=RANDOM))
    same = tm.evaluate(HALF, y_score={"a": RANDOM, "b": RANDOM})
    with pytest.raises(InputError, match="both sides are the same rows"):
        same.model("a").compare_with(same.model("b"))
