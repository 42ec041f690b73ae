"""The command line: one module per group of commands.

Each command is a function in one of these modules; importing the module registers its commands.
Commands import whatever needs NumPy when they run, so the help is fast.
"""

from tallymark.cli import explain, judge, plan
from tallymark.cli.group import main
from tallymark.part import added

added("commands")

__all__ = ["explain", "judge", "main", "plan"]
