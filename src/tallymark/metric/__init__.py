"""Metrics computed from counts. Each module declares one family and registers it on import."""

# The order of the imports is the order in which metrics are listed.
# isort: off
from tallymark.metric import threshold, matrix, combined, association, cost  # noqa: F401
from tallymark.metric import rank, retrieval, detection  # noqa: F401
from tallymark.metric import probability, calibration  # noqa: F401
from tallymark.metric import label_sets  # noqa: F401
from tallymark.metric import cells  # noqa: F401
from tallymark.metric import measure  # noqa: F401
from tallymark.metric.registry import (
    METRICS, ByMetric, Metric, add_metrics_of_parts, find, get, metric,
)  # fmt: skip
# isort: on

add_metrics_of_parts()

__all__ = ["METRICS", "ByMetric", "Metric", "find", "get", "metric"]
