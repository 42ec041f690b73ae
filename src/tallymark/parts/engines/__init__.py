"""Engines: databases and distributed frames count their rows themselves, and send group counts."""

from tallymark.part import Part

PART = Part(__name__, openers=("opening:table_of",), commands=("command",), findings=("findings",))
