"""What parts give to the tests that try everything: tests/parts/NAME/examples.py.

``COMMANDS`` are the words that a command needs at least, ``TABLES`` those with which a command
prints a table (of ``f.csv``, which the test writes), ``CALLS`` the arguments that a function needs
beside those without a default, and ``results`` a function that returns one result of each kind.
"""

import runpy
from pathlib import Path

FILES = sorted(Path(__file__).parent.glob("parts/*/examples.py"))
EXAMPLES = [runpy.run_path(str(file)) for file in FILES]


def of_parts(kind):
    """Return what all parts give of a kind, as one dictionary."""
    return {name: value for given in EXAMPLES for name, value in given.get(kind, {}).items()}


def results_of_parts():
    """Return the results that parts show."""
    return [found for given in EXAMPLES if "results" in given for found in given["results"]()]
