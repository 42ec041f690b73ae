"""What metrics do when negatives become more frequent: against what is known of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallymark.metric import METRICS, find, get
from tallymark.metric.skew import (
    _CLASSES,
    _RANKED,
    _ROWS,
    _SCORES,
    KINDS,
    REFERENCE,
    _kind,
    balance,
    in_words,
)
from tallymark.tally.labels import Counts

RATES = (
    "sensitivity", "specificity", "youden_j", "balanced_accuracy", "geometric_mean",
    "positive_likelihood_ratio", "diagnostic_odds_ratio", "discriminant_power", "d_prime",
    "roc_auc", "gini_coefficient", "equal_error_rate", "kolmogorov_smirnov", "hand_till_auc",
)  # fmt: skip


@pytest.mark.parametrize("name", RATES)
def test_functions_of_the_two_rates_stay(name):
    found = balance(get(name))
    assert found.kind == "invariant"
    assert found.change == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "kind", "before", "after"),
    [
        ("precision", "falls", 70 / 90, 70 / 270),
        ("negative_predictive_value", "rises", 80 / 110, 800 / 830),
        ("f1", "falls", 140 / 190, 140 / 370),
        ("jaccard", "falls", 70 / 120, 70 / 300),
        ("accuracy", "either", 0.75, 870 / 1100),
        ("matthews_corrcoef", "turns", 5000 / math.sqrt(90 * 100 * 100 * 110),
         (70 * 800 - 200 * 30) / math.sqrt(270 * 100 * 1000 * 830)),
        ("chi_square", "rises", 200 * 0.5 * 5000 / (90 * 110), None),
    ],
)  # fmt: skip
def test_the_literatures_example(name, kind, before, after):
    found = balance(get(name))
    assert found.kind == kind
    if name != "chi_square":
        assert found.before == pytest.approx(before)
        assert found.after == pytest.approx(after)


@pytest.mark.parametrize(
    "name", [n for n, m in METRICS.items() if m._needs in ("counts", "matrix")]
)
def test_kinds_hold_for_classifiers_that_were_not_asked(name):
    metric = METRICS[name]
    kind = balance(metric).kind
    rng = np.random.default_rng(7)
    for _ in range(40):
        tp, fn, fp, tn = rng.integers(1, 200, 4).astype(float)
        a = np.logspace(-3, 3, 13)
        ones = np.ones_like(a)
        c = Counts(tp * ones, fp * a, fn * ones, tn * a)
        seen = _kind(np.broadcast_to(metric.compute(c if metric._needs == "counts" else c.matrix()),
                                     a.shape))  # fmt: skip
        if kind in ("invariant", "rises", "falls"):
            assert seen in (kind, "invariant")
        if kind == "either":
            assert seen != "turns"


def test_what_a_row_of_values_does():
    nan = math.nan
    for values, kind in [
        ([1, 1, 1], "invariant"), ([nan, nan], "invariant"), ([nan, 2, nan], "invariant"),
        ([1, 2, 2], "rises"), ([3, nan, 1], "falls"), ([1, 2, 1], "turns"),
        ([math.inf] * 3, "invariant"), ([1, math.inf], "rises"), ([1, 1 + 1e-12], "invariant"),
    ]:  # fmt: skip
        assert _kind(np.array(values, dtype=float)) == kind


def test_every_kind_is_met_and_can_be_asked_for():
    kinds = {kind: {m.name for m in find(balance=kind)} for kind in KINDS}
    assert all(kinds.values())
    assert sum(map(len, kinds.values())) == len(METRICS)
    assert kinds["invariant"] == {m.name for m in find(moves=False)}
    with pytest.raises(ValueError, match="balance is 'level'"):
        find(balance="level")


def test_words_say_by_how_much():
    assert in_words(balance(get("youden_j"))) == "does not change"
    assert in_words(balance(get("f1"))).endswith("0.737 to 0.378 with ten times more")
    assert REFERENCE.tp / REFERENCE.positives == 0.7
    assert REFERENCE.tn / REFERENCE.negatives == 0.8
    assert REFERENCE.positives == REFERENCE.negatives == 100


def test_the_adjusted_geometric_mean_by_count_forgets_the_positives():
    agm = get("adjusted_geometric_mean")
    for tpr in (0.2, 0.7):
        c = Counts(100 * tpr, 20_000_000, 100 * (1 - tpr), 80_000_000)
        assert agm.compute(c, counts=True) == pytest.approx(0.8, abs=1e-6)
        assert agm.compute(c, counts=False) < 0.79
    small, large = Counts(7, 2, 3, 8), Counts(700, 200, 300, 800)
    assert agm.compute(small) == pytest.approx(agm.compute(large))
    assert agm.compute(small) != pytest.approx(agm.compute(Counts(7, 20, 3, 80)), abs=0.001)


@pytest.mark.parametrize(
    "name", ["top_k_accuracy", "spherical_score", "provost_domingos_auc", "hand_till_auc"]
)
def test_rows_of_the_other_classes_are_counted_ten_times(name):
    metric, found = get(name), balance(get(name))
    moved = {}
    for positive in (0, 2):
        moved[positive] = []
        for factor in (1, 10):
            times = np.where(positive == _CLASSES, 1, factor)
            value = metric(np.repeat(_CLASSES, times), np.repeat(_ROWS, times, axis=0))
            moved[positive].append(value)
    assert [found.before, found.after] == pytest.approx(moved[0])
    rises = {p: after - before for p, (before, after) in moved.items()}
    if found.kind == "invariant":
        assert list(rises.values()) == pytest.approx([0, 0])
    else:
        assert rises[0] < 0 < rises[2]
        assert found.kind == "either"


def test_scores_of_the_negatives_are_counted_ten_times():
    found = balance(get("average_precision"))
    scores, pos, neg = _SCORES, *_RANKED[0]
    values = []
    for factor in (1, 10):
        y = np.repeat([1, 0], [int(pos.sum()), int(neg.sum()) * factor])
        s = [np.repeat(scores, pos.astype(int)), np.repeat(scores, neg.astype(int) * factor)]
        values.append(get("average_precision")(y, np.concatenate(s)))
    assert [found.before, found.after] == pytest.approx(values)
    assert found.kind == "falls"
    assert balance(get("false_discovery_rate")).kind == "rises"
