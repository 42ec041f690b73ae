"""The command line: predictions in, a judged classifier out.

A command is a function in one of these files, and it appears where its file is imported here.
Whatever needs NumPy is loaded inside the commands, so that help comes at once.
"""

from tallymark.cli import explain, judge, plan
from tallymark.cli.group import main
from tallymark.part import added

added("commands")

__all__ = ["explain", "judge", "main", "plan"]
