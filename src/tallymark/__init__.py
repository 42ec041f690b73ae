"""Judge classifiers: count the rows once, then compute everything from the counts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallymark import metrics
    from tallymark.api import evaluate, matrix, read, verify
    from tallymark.errors import InputError, TallymarkError, UndefinedMetricError
    from tallymark.infer import plan
    from tallymark.metric.agreement import agree
    from tallymark.metric.measure import Value
    from tallymark.metric.registry import Statistic
    from tallymark.reading.join import file
    from tallymark.reading.shipped import example
    from tallymark.report import plots as plot
    from tallymark.report.evaluation import Evaluation
    from tallymark.report.like import which_definition
    from tallymark.report.multi_label import MultiLabelEvaluation
    from tallymark.studies.claims import reconcile
    from tallymark.studies.model_comparison import compare_results
    from tallymark.studies.study import study
    from tallymark.tallier import Tallier
    from tallymark.tally.bins import Bins
    from tallymark.tally.labels import Counts, LabelTally
    from tallymark.tally.ratings import RatingTally
    from tallymark.tally.scores import ScoreTally
    from tallymark.trackers import log_to_mlflow, write_dvc
    from tallymark.verbs import check, interval, test

    __version__: str

__all__ = [
    "Bins",
    "Counts",
    "Evaluation",
    "InputError",
    "LabelTally",
    "MultiLabelEvaluation",
    "RatingTally",
    "ScoreTally",
    "Statistic",
    "Tallier",
    "TallymarkError",
    "UndefinedMetricError",
    "Value",
    "agree",
    "check",
    "compare_results",
    "evaluate",
    "example",
    "file",
    "interval",
    "log_to_mlflow",
    "matrix",
    "metrics",
    "plan",
    "plot",
    "read",
    "reconcile",
    "study",
    "test",
    "verify",
    "which_definition",
    "write_dvc",
]

# Loaded when first asked for, so that the command line's help needs no NumPy.
_HOMES = {
    "Bins": "tallymark.tally.bins",
    "Counts": "tallymark.tally.labels",
    "Evaluation": "tallymark.report.evaluation",
    "InputError": "tallymark.errors",
    "LabelTally": "tallymark.tally.labels",
    "MultiLabelEvaluation": "tallymark.report.multi_label",
    "RatingTally": "tallymark.tally.ratings",
    "ScoreTally": "tallymark.tally.scores",
    "Statistic": "tallymark.metric.registry",
    "Tallier": "tallymark.tallier",
    "TallymarkError": "tallymark.errors",
    "UndefinedMetricError": "tallymark.errors",
    "Value": "tallymark.metric.measure",
    "agree": "tallymark.metric.agreement",
    "check": "tallymark.verbs",
    "compare_results": "tallymark.studies.model_comparison",
    "evaluate": "tallymark.api",
    "example": "tallymark.reading.shipped",
    "file": "tallymark.reading.join",
    "matrix": "tallymark.api",
    "read": "tallymark.api",
    "verify": "tallymark.api",
    "interval": "tallymark.verbs",
    "reconcile": "tallymark.studies.claims",
    "study": "tallymark.studies.study",
    "test": "tallymark.verbs",
    "log_to_mlflow": "tallymark.trackers",
    "which_definition": "tallymark.report.like",
    "write_dvc": "tallymark.trackers",
}
_MODULES = {
    "metrics": "tallymark.metrics",
    "plan": "tallymark.infer.plan",
    "plot": "tallymark.report.plots",
}


if not TYPE_CHECKING:  # a type checker would take every misspelt name for one of these

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(_MODULES[name])
        if name == "__version__":
            return import_module("importlib.metadata").version("tallymark")
        if name not in _HOMES:
            raise AttributeError(f"module 'tallymark' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
