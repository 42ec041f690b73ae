"""The rules of advice: one function each, in the order in which they speak.

What a rule says is an opinion with a source; the numbers in it are measured on the case, and the
limits at which it speaks are the constants of its file. To add one, write one more function.
"""

# isort: off
from tallymark.studies.rules import report
from tallymark.studies.rules import misleads
from tallymark.studies.rules import choose

# isort: on
from tallymark.studies.rules.common import RULES

__all__ = ["RULES", "choose", "misleads", "report"]
