"""Counts in, numbers out. A family of metrics is a file; importing it fills the registry."""

from tallymark.metric import matrix as _matrix
from tallymark.metric import probability as _probability
from tallymark.metric import rank as _rank
from tallymark.metric import threshold as _threshold
from tallymark.metric.registry import METRICS, Metric, find, get, metric

__all__ = ["METRICS", "Metric", "find", "get", "metric"]
