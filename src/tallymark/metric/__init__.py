"""Counts in, numbers out. A family of metrics is a file; importing it fills the registry."""

from tallymark.metric import combined, matrix, probability, rank, threshold
from tallymark.metric.registry import METRICS, Metric, find, get, metric

__all__ = [
    "METRICS",
    "Metric",
    "combined",
    "find",
    "get",
    "matrix",
    "metric",
    "probability",
    "rank",
    "threshold",
]
