"""Judge classifiers: count once, then everything is arithmetic on the counts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallymark import metrics
    from tallymark.entry import evaluate, evaluate_verification
    from tallymark.errors import InputError, TallymarkError, UndefinedMetricError
    from tallymark.evaluation import Evaluation
    from tallymark.like import which_definition
    from tallymark.metric.agreement import agreement
    from tallymark.planning import plan
    from tallymark.show import plots as plot
    from tallymark.studies.claims import reconcile
    from tallymark.studies.compare import compare_results
    from tallymark.studies.whole import study
    from tallymark.tallier import Tallier
    from tallymark.tally.labels import Counts, LabelTally
    from tallymark.tally.ratings import RatingTally
    from tallymark.tally.scores import ScoreTally

__all__ = [
    "Counts",
    "Evaluation",
    "InputError",
    "LabelTally",
    "RatingTally",
    "ScoreTally",
    "Tallier",
    "TallymarkError",
    "UndefinedMetricError",
    "agreement",
    "compare_results",
    "evaluate",
    "evaluate_verification",
    "metrics",
    "plan",
    "plot",
    "reconcile",
    "study",
    "which_definition",
]

# Loaded when first asked for, so that the command line's help needs no NumPy.
_HOMES = {
    "Counts": "tallymark.tally.labels",
    "Evaluation": "tallymark.evaluation",
    "InputError": "tallymark.errors",
    "LabelTally": "tallymark.tally.labels",
    "RatingTally": "tallymark.tally.ratings",
    "ScoreTally": "tallymark.tally.scores",
    "Tallier": "tallymark.tallier",
    "TallymarkError": "tallymark.errors",
    "UndefinedMetricError": "tallymark.errors",
    "agreement": "tallymark.metric.agreement",
    "compare_results": "tallymark.studies.compare",
    "evaluate": "tallymark.entry",
    "evaluate_verification": "tallymark.entry",
    "reconcile": "tallymark.studies.claims",
    "study": "tallymark.studies.whole",
    "which_definition": "tallymark.like",
}
_MODULES = {
    "metrics": "tallymark.metrics",
    "plan": "tallymark.planning.plan",
    "plot": "tallymark.show.plots",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'tallymark' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
