"""The same predictions under the definitions of other libraries."""

from tallymark.part import Part

PART = Part(__name__, commands=("command",), definitions=("like:definitions_of",))
