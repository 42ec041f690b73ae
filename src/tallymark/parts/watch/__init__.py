"""A gate that is run every day: evidence and intervals that are valid at every look."""

from tallymark.part import Part

PART = Part(__name__, names={"Watch": "watch:Watch"}, commands=("command",))
