"""What parts bring to the tests that hold for all that is public: tests/parts/NAME/examples.py.

``RESULTS`` are results of the part, ``CELL`` a cell of a notebook that shows one. By name are:
``ARGUMENTS``, right values of arguments; ``PLACES``, those of one function, by "function.argument";
``CALLS``, what a function needs beside the arguments without a default; ``COMMANDS``, the words
that a command needs at least; ``TABLES``, those with which a command prints a table, of ``f.csv``,
which the test writes; ``FILES``, functions that return the text of a file, which commands in the
docs read. ``UNUSED`` are arguments, "function.argument", that are not looked at beside those here.
``WITHIN`` are classes inside results. ``METRICS`` and ``CURVES`` are those of the part, whose tests
are beside it, ``UNPROVED`` the metrics that have no proved bounds where scores were counted in
bins, ``COUNTS_ROWS`` those that change where each row is counted twice, and ``NO_PEER`` those that
no other library has, each with the reason.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

EXAMPLES = sorted(Path(__file__).parent.glob("parts/*/examples.py"))


def of_parts(what: str) -> list[Any]:
    """Return what the examples of each part have of a kind."""
    found = (import_module(f"parts.{place.parent.name}.examples") for place in EXAMPLES)
    return [getattr(examples, what) for examples in found if hasattr(examples, what)]


def by_name(what: str) -> dict[str, Any]:
    """Return what the examples of all parts have of a kind, by name."""
    return {name: value for given in of_parts(what) for name, value in given.items()}
