"""Relations among metrics: which say the same, from a table of results of many data sets."""

from tallymark.part import Part

PART = Part(__name__, names={"study": "study:study"}, commands=("command",))
