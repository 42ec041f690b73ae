"""What the tests of all metrics and curves know of those of effort."""

RANKED = ("recall_at_effort", "recall_at_20_percent_effort", "p_opt", "initial_false_alarms")
METRICS = (*RANKED, "profit_at_depth", "best_profit", "best_depth")
"""Metrics whose twins are in test_effort_aware.py."""

NO_PEER = dict.fromkeys(
    METRICS,
    "no library here knows the effort of rows; test_effort_aware.py sums over all orders",
)

WITHIN = ("EffortCounts", "EffortTally")
"""Classes inside results, which no question answers with."""

CURVES = ("effort", "effort_best", "alarm_effort", "profit")
UNPROVED = ("best_depth",)
"""Metrics of which no bounds are proved where scores are in bins."""
