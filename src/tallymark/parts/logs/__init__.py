"""Logs of evaluations of language models: the scores of items, as their tools write them."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={"read_log": "log:read_log"},
    inputs=("recognise:judged",),
    graded=("recognise:graded",),
    commands=("command",),
)
