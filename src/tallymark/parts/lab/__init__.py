"""The lab: simulated failures of a classifier, and the power of each metric to notice them."""

from tallymark.part import Part

PART = Part(__name__, methods={"lab": "lab:lab"}, commands=("command",))
