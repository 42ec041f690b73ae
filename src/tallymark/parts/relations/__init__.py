"""Relations among metrics: which are redundant, from a table of results on many data sets."""

from tallymark.part import Part

PART = Part(__name__, names={"study": "study:study"}, commands=("command",))
