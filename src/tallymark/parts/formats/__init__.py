"""Kinds of files that DuckDB does not read itself: each is written as text that it reads."""

from tallymark.part import Part

PART = Part(__name__, readers=("file_formats:READERS",))
