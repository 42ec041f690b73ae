"""Rows of one class, of one prediction, of one score: where peers answer 0, 1 or an error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from peers import cases
from tallymark.metric import METRICS

RANK = sorted(m.name for m in METRICS.values() if m._needs == "ranking")
# Of rows that are all positive, what is found is defined, and the list cannot be wrong.
ALL_POSITIVE = {
    "average_precision": 1, "pr_auc_trapezoid": 1, "pr_auc_davis_goadrich": 1,
    "precision_at_recall": 1, "recall_at_precision": 1, "precision_at_k": 1, "r_precision": 1,
    "recall_at_k": 10 / 12, "gain_at": 0.1, "response_rate_at": 1, "lift_at": 1,
    "top_decile_lift": 1, "top_two_decile_lift": 1, "recall_at_effort": 0.2,
    "recall_at_20_percent_effort": 0.2, "initial_false_alarms": 0, "profit_at_depth": 1.08,
    "best_profit": 10.8, "best_depth": 1,
}  # fmt: skip
ALL_NEGATIVE = {
    "response_rate_at": 0, "precision_at_k": 0, "profit_at_depth": -0.12, "best_profit": 0,
    "best_depth": 0,
}  # fmt: skip


@pytest.mark.parametrize("name", RANK)
@pytest.mark.parametrize(("truth", "defined"), [(1, ALL_POSITIVE), (0, ALL_NEGATIVE)])
def test_an_order_of_one_class(name, truth, defined):
    y, s = np.full(12, truth), np.arange(12) ** 2 / 200
    case = cases.Case("one class", y, s, None, [0, 1])
    value = case.ours(name, None, {})
    assert value == pytest.approx(defined.get(name, math.nan), nan_ok=True)
    assert not math.isnan(value) or "undefined" in case.reason(name, None, {})


def odd(c: cases.Case) -> bool:
    """Tell whether one class, prediction or score is all there is, or a rate is 0 or 1."""
    few = c.one_class or len(np.unique(c.p, axis=0)) == 1
    return few or len(c.y) < 4 or (c.p.ndim == 1 and bool(np.isin(c.p, [0, 1]).all()))


@pytest.mark.parametrize(
    "name", sorted(m.name for m in METRICS.values() if m.family != "multi-label")
)
def test_no_value_without_a_reason(name):
    metric = METRICS[name]
    if metric._needs in ("counts", "matrix"):
        rows = cases.two_classes() + cases.many_classes()
    elif metric.classes == "many":
        rows = cases.probabilities()
    elif metric.classes == "two":
        rows = cases.scores()
    else:
        rows = cases.scores() + cases.probabilities()
    options = {"prevalence": 0.3} if name == "expected_cost" else {}
    undefined = 0
    for case in [c for c in rows if odd(c) and (c.binary or len(c.labels) > 2)][::3]:
        value = case.ours(name, None, options)
        low, high = metric.range
        if math.isnan(value):
            undefined += 1
            assert "undefined" in case.reason(name, None, options)
        else:
            assert low - 1e-9 <= value <= high + 1e-9, case.name
    no_row = {"there is no row", "there are fewer than two classes"}
    no_row.add("no positive was observed or expected")
    assert undefined or set(metric.undefined) <= no_row, "the cases leave it defined everywhere"
