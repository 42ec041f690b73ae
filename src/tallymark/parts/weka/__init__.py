"""Weka: the predictions that its option -p writes."""

from tallymark.part import Part

PART = Part(__name__, readers=("predictions:REFUSED",), layouts=("predictions:LAYOUT",))
