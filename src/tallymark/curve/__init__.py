"""Curves and the choice of a threshold: plain data, read off a score tally."""

from tallymark.curve.data import Curve, Histogram, histogram
from tallymark.curve.makers import (
    BOUNDED,
    CURVES,
    OF_PROBABILITIES,
    calibration,
    over_thresholds,
    pr,
    roc,
    thinned,
)
from tallymark.curve.thresholds import best_thresholds, davis_goadrich_point

__all__ = [
    "BOUNDED",
    "CURVES",
    "OF_PROBABILITIES",
    "Curve",
    "Histogram",
    "best_thresholds",
    "calibration",
    "davis_goadrich_point",
    "histogram",
    "over_thresholds",
    "pr",
    "roc",
    "thinned",
]
