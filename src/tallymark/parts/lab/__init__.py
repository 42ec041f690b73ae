"""The lab: failures of a classifier are simulated, to see which metrics react, and how surely."""

from tallymark.part import Part

PART = Part(__name__, methods={"lab": "lab:lab"}, commands=("command",))
