"""What parts may use of the core, beside the public names of the package.

A line is a module and what it offers; each is imported when first asked for.
"""

from importlib import import_module
from typing import Any

_OFFERED = {
    "tallymark.contract": "ANY PATH TEXT TEXTS checked shown",
    "tallymark.display": "Display Document",
    "tallymark.errors": "listed",
    "tallymark.quantities": "many",
    "tallymark.reading.asked": "Asked",
    "tallymark.reading.indicators": "has_several_labels",
    "tallymark.reading.models": "Note",
    "tallymark.reading.source": "Source",
    "tallymark.report.blocks": "Block Cell Grid Headline Paragraph",
    "tallymark.tally.arrays": "Label as_array code_labels find_positive to_numpy",
}
HOMES = {name: module for module, names in _OFFERED.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'tallymark.core' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
