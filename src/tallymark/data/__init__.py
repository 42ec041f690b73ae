"""Rows in, one counted model each out: the readers of arrays, frames, files and links.

Whatever the source, rows arrive in chunks of coded labels and numbers; each chunk is checked,
counted and forgotten.
"""

from tallymark.data.ingest import match_label
from tallymark.data.models import CountedRows, Model, Note, at_threshold
from tallymark.data.readers import Progress, chunk_of_arrays, from_arrays, from_table, is_path

__all__ = [
    "CountedRows",
    "Model",
    "Note",
    "Progress",
    "at_threshold",
    "chunk_of_arrays",
    "from_arrays",
    "from_table",
    "is_path",
    "match_label",
]
