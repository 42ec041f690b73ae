"""Stated numbers: the counts that give them, and the definition that gives one on these rows."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={
        "reconcile": "claims:reconcile",
        "which_definition": "definitions:which_definition",
    },
    commands=("command",),
)
