"""What parts may use of the core, beside the public names of the package.

A line is a module and what it offers; each is imported when first asked for.
"""

from importlib import import_module
from typing import Any

_OFFERED = {
    "tallymark.contract": "ANY PATH TEXT TEXTS checked shown whole",
    "tallymark.display": "Display Document",
    "tallymark.errors": "check_name listed",
    "tallymark.infer.sampler": "Sampler",
    "tallymark.metric": "Metric get",
    "tallymark.metric.measure": "Statistic fields_of json_number",
    "tallymark.quantities": "many",
    "tallymark.reading.asked": "Asked",
    "tallymark.reading.indicators": "has_several_labels",
    "tallymark.reading.models": "Model Note",
    "tallymark.reading.source": "Source",
    "tallymark.report": "words",
    "tallymark.report.blocks": "Block Cell Grid Headline Paragraph",
    "tallymark.listing": "Listing",
    "tallymark.tally.arrays": "Floats Label as_array code_labels find_positive to_numpy",
    "tallymark.tally.scores": "ScoreCounts",
}
HOMES = {name: module for module, names in _OFFERED.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'tallymark.core' has no attribute {name!r}")
    home = import_module(HOMES[name])
    return getattr(home, name, None) or import_module(f"{home.__name__}.{name}")
