"""Curves and optimal thresholds, computed from a score tally as plain data."""

from tallymark.curve import declarations
from tallymark.curve.definitions import (
    CURVES,
    Axis,
    CurveDefinition,
    Projection,
    Reference,
    curve,
    declare,
    definition,
    thinned,
)
from tallymark.curve.optimal import best_thresholds
from tallymark.curve.points import Curve, Histogram, histogram
from tallymark.part import in_their_places

in_their_places("curves", CURVES)

__all__ = [
    "CURVES",
    "Axis",
    "Curve",
    "CurveDefinition",
    "Histogram",
    "Projection",
    "Reference",
    "best_thresholds",
    "curve",
    "declarations",
    "declare",
    "definition",
    "histogram",
    "thinned",
]
