"""Counts in, numbers out. A family of metrics is a file; importing them fills the registry."""

from tallymark.metric import threshold as _threshold
from tallymark.metric.registry import METRICS, Metric, find, get, metric

__all__ = ["METRICS", "Metric", "find", "get", "metric"]
