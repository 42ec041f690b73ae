"""Judge classifiers: count once, then everything is arithmetic on the counts."""

from tallymark import metrics
from tallymark.errors import InputError, TallymarkError, UndefinedMetricError
from tallymark.evaluation import Evaluation, evaluate
from tallymark.tally.labels import Counts, LabelTally
from tallymark.tally.scores import ScoreTally

__all__ = [
    "Counts",
    "Evaluation",
    "InputError",
    "LabelTally",
    "ScoreTally",
    "TallymarkError",
    "UndefinedMetricError",
    "evaluate",
    "metrics",
]
