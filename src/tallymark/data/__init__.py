"""Rows in, one counted model each out: the door for arrays, frames and files alike.

Whatever the source, rows arrive in chunks of coded labels and numbers; each chunk is checked,
counted and forgotten.
"""

from tallymark.data.decide import at_threshold
from tallymark.data.doors import Progress, from_arrays, from_table, is_path, rows_of_arrays
from tallymark.data.models import Intake, Model, Note
from tallymark.data.rows import match_label

__all__ = [
    "Intake",
    "Model",
    "Note",
    "Progress",
    "at_threshold",
    "from_arrays",
    "from_table",
    "is_path",
    "match_label",
    "rows_of_arrays",
]
