"""Which subgroups are tested against the rest: those with enough rows of what a metric rests on."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import norm, t

import tallymark as tm
from tallymark.infer.multiplicity import holm

SIZES = {  # positives, negatives, and rows called positive
    "a": (30, 60, 40), "b": (29, 61, 40), "c": (61, 29, 40), "d": (60, 30, 29), "e": (60, 31, 30),
    "f": (200, 300, 250),
}  # fmt: skip
RESTS_ON = {
    "sensitivity": "b", "specificity": "c", "precision": "d", "f1": "bc",
    "matthews_corrcoef": "bc", "accuracy": "", "brier": "", "roc_auc": "bc",
    "average_precision": "bc",
}  # fmt: skip
"""The subgroups with fewer than 30 rows of the kind that a metric rests on."""


def rows():
    rng, of = np.random.default_rng(2), []
    for name, (positives, negatives, called) in SIZES.items():
        true = np.repeat([1, 0], [positives, negatives])
        n, score = len(true), np.empty(len(true))
        scores = np.append(np.linspace(0.99, 0.5, called), np.linspace(0.49, 0.01, n - called))
        score[np.argsort(-(true + rng.normal(0, 1.2, n)))] = scores.round(6)
        of.append((true, score, [name] * n))
    return (np.concatenate(column) for column in zip(*of, strict=True))


Y, SCORE, WHERE = rows()
EV = tm.evaluate(Y, y_score=SCORE, positive=1, subgroup={"where": WHERE})


def test_a_subgroup_of_few_rows_is_compared_and_not_tested():
    for metric, few in RESTS_ON.items():
        found = {d.key: d for d in EV.by("where").differences(metric)}
        assert list(found) == list(SIZES)
        for key, d in found.items():
            at = key == WHERE
            assert math.isnan(d.corrected) == (key in few), (metric, key)
            assert d.difference.low < d.difference.value < d.difference.high
            if metric == "sensitivity":
                hits = [SCORE[(Y == 1) & of] >= 0.5 for of in (at, ~at)]
                assert d.difference.value == hits[0].mean() - hits[1].mean()
            if metric == "brier":
                loss = (SCORE - Y) ** 2
                wanted = loss[at].mean() - loss[~at].mean()
                assert math.isclose(d.difference.value, wanted, rel_tol=1e-12)


def test_against_one_subgroup_both_have_to_have_enough():
    for metric in ("f1", "precision"):
        few = RESTS_ON[metric]
        for other in ("f", "b", "d"):
            found = {d.key: d for d in EV.by("where").differences(metric, against=other)}
            assert list(found) == [k for k in SIZES if k != other]
            for key, d in found.items():
                assert math.isnan(d.corrected) == (key in few or other in few), (metric, key, other)


def support(metric, at):
    """Return how many rows a metric rests on."""
    positives, negatives = (Y[at] == 1).sum(), (Y[at] == 0).sum()
    return {
        "sensitivity": positives, "specificity": negatives, "accuracy": at.sum(),
        "precision": (SCORE[at] >= 0.5).sum(), "brier": at.sum(),
    }.get(metric, min(positives, negatives))  # fmt: skip


def test_a_test_is_the_strictest_of_three():
    for metric in ("f1", "brier", "accuracy", "average_precision", "precision"):
        found = EV.by("where").differences(metric)
        whole, n = EV[metric].se, support(metric, Y >= 0)
        p_values = []
        for d in found:
            at = d.key == WHERE
            m, k = support(metric, at), support(metric, ~at)
            gap = d.difference
            of_all = 2 * norm.sf(abs(gap.value) / (whole * math.sqrt(n / m + n / k)))
            # The interval's own: the error that its nearer end implies, by Student's t.
            end = gap.low if gap.value > 0 else gap.high
            far = t.ppf(0.975, m - 1) * gap.value / (gap.value - end)
            p = max(gap.p_value, of_all, 2 * t.sf(far, m - 1))
            p_values.append(math.nan if m < 30 else p)
        wanted = holm(np.array(p_values))
        np.testing.assert_allclose([d.corrected for d in found], wanted, rtol=1e-9, err_msg=metric)
