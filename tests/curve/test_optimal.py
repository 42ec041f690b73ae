"""The ascending table of passes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import tallymark as tm
from metric.twins import ROWS, split
from tallymark.curve.optimal import at_every_threshold, best_thresholds, passes
from tallymark.metric import METRICS


@given(ROWS)
def test_every_pass_is_its_threshold(rows):
    y, s = split(rows)
    found = passes(tm.ScoreTally.from_arrays(y, s))
    assert [p["pass"] for p in found] == list(range(1, len(set(s)) + 2))
    assert [p["threshold"] for p in found] == [*sorted(set(s)), float("inf")]
    before = -1.0
    for p in found:
        called = [(a, b >= p["threshold"]) for a, b in zip(y, s, strict=True)]
        assert p["TP"] == sum(a for a, hit in called if hit)
        assert p["FP"] == sum(1 - a for a, hit in called if hit)
        assert p["TP"] + p["FN"] == sum(y)
        assert p["FP"] + p["TN"] == len(y) - sum(y)
        dropped = [a for a, b in zip(y, s, strict=True) if before <= b < p["threshold"]]
        assert (p["dropped_pos"], p["dropped_neg"]) == (sum(dropped), len(dropped) - sum(dropped))
        assert (p["TPR"], p["FPR"]) == (p["TP"] / sum(y), p["FP"] / (len(y) - sum(y)))
        before = p["threshold"]
    assert [found[i][rate] for i in (0, -1) for rate in ("TPR", "FPR")] == [1, 1, 0, 0]


TRUTH = np.array([0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1])
SCORE = np.array([1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8]) / 8
CUTS = [np.inf, *np.unique(SCORE)[::-1]]
OF_DECISIONS = [m for m in METRICS.values() if m.family == "threshold" and m.better != "neither"]


def values_at_each_cut(metric, truth=TRUTH, score=SCORE, cuts=CUTS):
    """Return what a metric is of the decisions at each threshold, one tally after the other."""
    tallies = (
        tm.LabelTally.from_arrays(truth, (score >= c).astype(int), labels=[0, 1]) for c in cuts
    )
    return np.array([metric(t, positive=1, undefined="nan") for t in tallies])


def test_every_metric_of_decisions_is_best_where_no_other_threshold_is_better():
    tally = tm.ScoreTally.from_arrays(TRUTH, SCORE)
    for metric in OF_DECISIONS:
        values = values_at_each_cut(metric)
        best = np.nanmax(values) if metric.better == "high" else np.nanmin(values)
        cuts, found = best_thresholds(tally, metric)
        assert found == pytest.approx(best), metric.name
        near = np.isclose(values, best, rtol=1e-14, atol=1e-14)
        assert cuts.tolist() == np.array(CUTS)[near].tolist(), metric.name


def test_every_threshold_has_its_counts_and_the_rates_that_are_asked_for():
    tally = tm.ScoreTally.from_arrays(TRUTH, SCORE)
    some = [METRICS[n] for n in ("accuracy", "matthews_corrcoef", "cohen_kappa")]
    usual = {"TPR": "sensitivity", "FPR": "false_positive_rate", "FNR": "false_negative_rate",
             "PPV": "precision", "ACC": "accuracy"}  # fmt: skip
    for asked, named in ((), usual), (some, {m.name: m.name for m in some}):
        rows = at_every_threshold(tally, asked)
        assert [list(r) for r in rows] == [["threshold", "TP", "FN", "TN", "FP", *named]] * len(
            CUTS
        )
        assert [r["threshold"] for r in rows] == CUTS
        for r in rows:
            called = r["threshold"] <= SCORE
            assert [r["TP"], r["FP"]] == [(TRUTH * called).sum(), ((1 - TRUTH) * called).sum()]
            assert [r["TP"] + r["FN"], r["FP"] + r["TN"]] == [6, 6]
        for head, name in named.items():
            wanted = values_at_each_cut(METRICS[name])
            np.testing.assert_allclose([r[head] for r in rows], wanted, err_msg=head)


def test_what_has_no_best_threshold_is_refused_or_nan():
    tally = tm.ScoreTally.from_arrays(TRUTH, SCORE)
    single = "{} is not computed at a single threshold; choose a threshold metric"
    for ask, sentence in (
        (lambda: best_thresholds(tally, METRICS["roc_auc"]), single.format("roc_auc")),
        (lambda: at_every_threshold(tally, [METRICS["brier"]]), single.format("brier")),
        (lambda: best_thresholds(tally, METRICS["prevalence"]),
         "prevalence has no better direction and so no best threshold; choose another metric"),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as caught:
            ask()
        assert str(caught.value) == sentence
    one = tm.ScoreTally((0, 1), 1, SCORE[:3:2], [[0, 1], [0, 2]])
    cuts, best = best_thresholds(one, METRICS["specificity"])
    assert (cuts.tolist(), np.isnan(best)) == ([], True)
    cuts, best = best_thresholds(tally, METRICS["f_beta"], beta=0.0)
    assert (best, cuts.tolist()) == (1.0, [1.0])
