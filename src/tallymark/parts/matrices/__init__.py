"""Confusion matrices made elsewhere: each becomes what its rows would be."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={"matrix": "judge:matrix"},
    inputs=("judge:judged",),
    tables=("matrix_tables:counted",),
    without_columns=("matrix",),
    commands=("command",),
)
