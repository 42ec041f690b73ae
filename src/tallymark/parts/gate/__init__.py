"""The gate: a model passes or fails by rules that are judged on intervals."""

from tallymark.part import Part

PART = Part(__name__, names={"check": "judge:check"}, commands=("command",))
