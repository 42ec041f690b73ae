"""Judge classifiers: count the rows once, then compute everything from the counts."""

from importlib import import_module
from typing import Any

# Names are imported when first accessed, so that `tallymark --help` does not load NumPy.
_HOMES = {
    "Bins": "tallymark.tally.bins",
    "Counts": "tallymark.tally.labels",
    "Evaluation": "tallymark.report.evaluation",
    "InputError": "tallymark.errors",
    "LabelTally": "tallymark.tally.labels",
    "ScoreTally": "tallymark.tally.scores",
    "Statistic": "tallymark.metric.registry",
    "Tallier": "tallymark.tallier",
    "TallymarkError": "tallymark.errors",
    "UndefinedMetricError": "tallymark.errors",
    "Value": "tallymark.metric.measure",
    "evaluate": "tallymark.api",
    "example": "tallymark.reading.shipped",
    "file": "tallymark.reading.join",
    "read": "tallymark.api",
    "interval": "tallymark.verbs",
    "test": "tallymark.verbs",
}
_MODULES = {
    "metrics": "tallymark.metrics",
    "plan": "tallymark.infer.plan",
    "plot": "tallymark.report.plots",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted({*_HOMES, *_MODULES, *_added()})
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "__version__":
        return import_module("importlib.metadata").version("tallymark")
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value
    if not name.startswith("_") and name in _added():
        part, place = _added()[name]
        return part.load(place)
    from tallymark.instead import missing

    raise missing("module 'tallymark'", name, _instead)


def _instead(name: str) -> str:
    """Return a suggestion for a name that the package does not define."""
    from tallymark.instead import in_package

    evaluation = __getattr__("Evaluation")
    return in_package(name, __getattr__("__all__"), __getattr__("metrics"), evaluation)


def _added() -> Any:
    """Return the public names that parts add to the package."""
    from tallymark.part import names

    return names()


def __dir__() -> list[str]:
    return __getattr__("__all__")
