"""Judge classifiers: count the rows once, then compute everything from the counts.

Made by `make stubs`; a test keeps it current.
"""

from tallymark import metrics as metrics
from tallymark.api import evaluate as evaluate
from tallymark.api import read as read
from tallymark.errors import InputError as InputError
from tallymark.errors import TallymarkError as TallymarkError
from tallymark.errors import UndefinedMetricError as UndefinedMetricError
from tallymark.infer import plan as plan
from tallymark.metric.measure import Value as Value
from tallymark.metric.registry import Statistic as Statistic
from tallymark.parts.agreement.coefficients import agree as agree
from tallymark.parts.agreement.tally import RatingTally as RatingTally
from tallymark.parts.evals.judge import evals as evals
from tallymark.parts.evals.judge import win_rate as win_rate
from tallymark.parts.evals.planning import plan_evals as plan_evals
from tallymark.parts.evals.tally import GradeTally as GradeTally
from tallymark.parts.gate.judge import check as check
from tallymark.parts.judges.judged import few_labels as few_labels
from tallymark.parts.judges.ranking import judged_evals as judged_evals
from tallymark.parts.judges.tally import JudgedTally as JudgedTally
from tallymark.parts.logs.log import read_log as read_log
from tallymark.parts.matrices.judge import matrix as matrix
from tallymark.parts.reconcile.claims import reconcile as reconcile
from tallymark.parts.reconcile.definitions import which_definition as which_definition
from tallymark.parts.relations.study import study as study
from tallymark.parts.results.judge import compare_results as compare_results
from tallymark.parts.risk.answers import AnswerTally as AnswerTally
from tallymark.parts.risk.refer import refer as refer
from tallymark.parts.risk.sets import SetTally as SetTally
from tallymark.parts.risk.sets import prediction_sets as prediction_sets
from tallymark.parts.trackers.dvc import write_dvc as write_dvc
from tallymark.parts.trackers.mlflow import log_to_mlflow as log_to_mlflow
from tallymark.parts.verification.verify import verify as verify
from tallymark.parts.watch.watch import Watch as Watch
from tallymark.reading.join import file as file
from tallymark.reading.shipped import example as example
from tallymark.report import plots as plot
from tallymark.report.evaluation import Evaluation as Evaluation
from tallymark.tallier import Tallier as Tallier
from tallymark.tally.bins import Bins as Bins
from tallymark.tally.labels import Counts as Counts
from tallymark.tally.labels import LabelTally as LabelTally
from tallymark.tally.scores import ScoreTally as ScoreTally
from tallymark.verbs import interval as interval
from tallymark.verbs import test as test

__version__: str

__all__ = [
    "AnswerTally",
    "Bins",
    "Counts",
    "Evaluation",
    "GradeTally",
    "InputError",
    "JudgedTally",
    "LabelTally",
    "RatingTally",
    "ScoreTally",
    "SetTally",
    "Statistic",
    "Tallier",
    "TallymarkError",
    "UndefinedMetricError",
    "Value",
    "Watch",
    "agree",
    "check",
    "compare_results",
    "evals",
    "evaluate",
    "example",
    "few_labels",
    "file",
    "interval",
    "judged_evals",
    "log_to_mlflow",
    "matrix",
    "metrics",
    "plan",
    "plan_evals",
    "plot",
    "prediction_sets",
    "read",
    "read_log",
    "reconcile",
    "refer",
    "study",
    "test",
    "verify",
    "which_definition",
    "win_rate",
    "write_dvc",
]
