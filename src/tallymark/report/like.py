"""The same predictions under other libraries' definitions: which one differs, and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallymark.data import Model
from tallymark.display import Display
from tallymark.errors import InputError, choices
from tallymark.metric import get
from tallymark.metric.measure import Statistic, json_number
from tallymark.report.evaluation import Evaluation
from tallymark.studies.definitions import Definitions, definitions
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import Counts, LabelTally
from tallymark.tally.scores import ScoreCounts, ScoreTally

NEAR = 1e-9
"""Numbers closer than this, as a share of the larger, are told as the same."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One model's tallies, as the other libraries' definitions read them."""

    labels: LabelTally
    scores: tuple[ScoreTally, ...]
    probabilities: bool
    positive: Label | None
    threshold: float | None

    @classmethod
    def of(cls, model: Model, positive: Label | None) -> Facts:
        """Take what an evaluation counted."""
        return cls(model.labels, model.scores, model.probabilities, positive, model.threshold)

    @property
    def binary(self) -> bool:
        """Whether one of two classes is positive."""
        return self.positive is not None

    def ours(self, name: str, average: str | None = None, **params: Any) -> float:
        """Return our own number; NaN where it is undefined."""
        metric = get(name)
        statistic = Statistic.of(metric, self.labels.labels, self.positive, average, **params)
        decided = metric.needs in ("counts", "matrix")
        return float(statistic.measure(self.labels if decided else self.scores))

    def per_class(self, name: str, blank: float = math.nan) -> Floats:
        """Return a metric of decisions of each class against the rest, undefined ones replaced."""
        values: Floats = np.array(get(name)(self.labels, average="per_class"), dtype=np.float64)
        values[np.isnan(values)] = blank
        return values

    def rankings(self) -> list[ScoreCounts]:
        """Return a ranking of every class: of two classes the other one's scores are reversed."""
        if not self.binary:
            return [t.score_counts for t in self.scores]
        r = self.scores[0].score_counts
        other = ScoreCounts(-r.scores[::-1], r.neg[::-1], r.pos[::-1])
        return [r if c == self.positive else other for c in self.labels.labels]

    @property
    def support(self) -> Floats:
        """The true rows of each class."""
        rows: Floats = self.labels.counts.sum(1)
        return rows

    def binary_counts(self, positive: Label | None = None) -> Counts:
        """Return the four counts, of the positive class unless another is named."""
        return self.labels.binary(self.positive if positive is None else positive)


Theirs = Callable[[Facts], float]


@dataclass(frozen=True, slots=True)
class Entry:
    """A number of another library: its name there, how they define it, and ours beside it.

    ``why`` says how the definitions differ, or nothing where they are the same. ``only`` restricts
    it to "binary" or "many" classes; ``scores`` and ``probabilities`` say what it needs.
    """

    name: str
    metric: str
    theirs: Theirs
    why: str = ""
    average: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    only: str | None = None
    scores: bool = False
    probabilities: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Row(Display):
    """One number under both definitions."""

    name: str
    theirs: float
    metric: str
    ours: float
    why: str

    @property
    def same(self) -> bool:
        """Whether the numbers agree on these rows."""
        if math.isnan(self.theirs) or math.isnan(self.ours):
            return math.isnan(self.theirs) and math.isnan(self.ours)
        close = NEAR * max(1.0, abs(self.theirs))
        return self.theirs == self.ours or abs(self.theirs - self.ours) <= close

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "name": self.name,
            "theirs": json_number(self.theirs),
            "metric": self.metric,
            "ours": json_number(self.ours),
            "same": self.same,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Likeness(Display):
    """All numbers of one model under one library's definitions."""

    library: str
    model: str
    rows: tuple[Row, ...]
    left_out: tuple[str, ...]


def like(ev: Evaluation, library: str) -> tuple[Likeness, ...]:
    """Return every model's numbers under a library's definitions, beside ours.

    >>> import tallymark as tm
    >>> (found,) = like(tm.evaluate([1, 1, 0, 0], [0, 0, 0, 0]), "sklearn")
    >>> next((r.theirs, r.ours) for r in found.rows if r.metric == "precision")
    (0.0, nan)
    """
    if library not in LIBRARIES:
        raise InputError(f"there is no library {library!r} here; {choices(library, LIBRARIES)}")
    out = []
    for model in ev.models:
        facts = Facts.of(model, ev.positive)
        rows, left_out = [], []
        for e in LIBRARIES[library]:
            if e.only and (e.only == "binary") != facts.binary:
                continue
            if (e.scores and not facts.scores) or (e.probabilities and not facts.probabilities):
                left_out.append(e.name)
                continue
            with np.errstate(all="ignore"):
                theirs = float(e.theirs(facts))
            ours = facts.ours(e.metric, e.average, **e.params)
            rows.append(Row(e.name, theirs, e.metric, ours, e.why))
        out.append(Likeness(library, model.name, tuple(rows), tuple(left_out)))
    return tuple(out)


# -- how others define it ----------------------------------------------------------------------


def _our(name: str, average: str | None = None, blank: float = math.nan, **params: Any) -> Theirs:
    """Return our own number, with theirs where it is undefined."""

    def of(f: Facts) -> float:
        value = f.ours(name, average, **params)
        return blank if math.isnan(value) else value

    return of


def _macro(name: str, blank: float) -> Theirs:
    return lambda f: float(f.per_class(name, blank).mean())


def _weighted(name: str, blank: float) -> Theirs:
    return lambda f: float((f.per_class(name, blank) * f.support).sum() / f.support.sum())


def _weighted_ranking(name: str) -> Theirs:
    def of(f: Facts) -> float:
        values = np.array([float(get(name).compute(r)) for r in f.rankings()])
        kept = ~np.isnan(values)
        return float((values[kept] * f.support[kept]).sum() / f.support[kept].sum())

    return of


def _present_recalls(f: Facts) -> float:
    return float(np.nanmean(f.per_class("sensitivity")))


def _occurring(name: str) -> Theirs:
    """Average over the classes that are true or predicted somewhere; 0 where undefined."""

    def of(f: Facts) -> float:
        occurs = (f.labels.counts.sum(0) + f.labels.counts.sum(1)) > 0
        return float(f.per_class(name, 0.0)[occurs].mean())

    return of


def _finite(name: str) -> Theirs:
    def of(f: Facts) -> float:
        value = f.ours(name)
        return value if math.isfinite(value) else math.nan

    return of


def _strictly_above(name: str, blank: float) -> Theirs:
    """Decide by scores above the threshold, not at it, where scores were decided by one."""

    def of(f: Facts) -> float:
        if f.threshold is not None:
            f = replace(f, labels=f.scores[0].at(float(np.nextafter(f.threshold, math.inf))))
        value = f.ours(name)
        return blank if math.isnan(value) else value

    return of


def _first_level(name: str) -> Theirs:
    """Judge the first class as the event, as factors in R do."""

    def of(f: Facts) -> float:
        counts = f.binary_counts(f.labels.labels[0])
        metric = get(name)
        return float(metric.compute(counts if metric.needs == "counts" else counts.matrix()))

    return of


def _first_level_scores(name: str) -> Theirs:
    return lambda f: float(get(name).compute(f.rankings()[0]))


def _macro_of_defined(name: str) -> Theirs:
    return lambda f: float(np.nanmean(f.per_class(name)))


def _mean_balanced(f: Facts) -> float:
    return float(np.nanmean((f.per_class("sensitivity") + f.per_class("specificity")) / 2))


_EPS = float(np.finfo(np.float64).eps)

_ZERO = "they answer 0 where it is 0/0; ours is undefined and says why"
_NEEDS_ONE = "they refuse or warn where only one class occurs; ours is undefined and says why"

SKLEARN = (
    Entry("accuracy_score", "accuracy", _our("accuracy")),
    Entry("balanced_accuracy_score", "balanced_accuracy", _present_recalls,
          "they leave out classes that have no true row; ours is undefined then"),
    Entry("precision_score", "precision", _our("precision", blank=0.0), _ZERO, only="binary"),
    Entry("recall_score", "sensitivity", _our("sensitivity", blank=0.0), _ZERO, only="binary"),
    Entry("f1_score", "f1", _our("f1", blank=0.0), _ZERO, only="binary"),
    Entry("jaccard_score", "jaccard", _our("jaccard", blank=0.0), _ZERO, only="binary"),
    Entry("precision_score(average='macro')", "precision", _macro("precision", 0.0),
          "a class never predicted counts as precision 0; ours is undefined, or left out where "
          "you say so", average="macro", only="many"),
    Entry("recall_score(average='macro')", "sensitivity", _macro("sensitivity", 0.0),
          "a class without true rows counts as 0", average="macro", only="many"),
    Entry("f1_score(average='macro')", "f1", _macro("f1", 0.0),
          "a class neither true nor predicted counts as 0", average="macro", only="many"),
    Entry("f1_score(average='weighted')", "f1", _weighted("f1", 0.0), average="weighted",
          only="many"),
    Entry("cohen_kappa_score", "cohen_kappa", _our("cohen_kappa")),
    Entry("matthews_corrcoef", "matthews_corrcoef", _our("matthews_corrcoef", blank=0.0), _ZERO),
    Entry("zero_one_loss", "error_rate", _our("error_rate")),
    Entry("hamming_loss", "error_rate", _our("error_rate")),
    Entry("roc_auc_score", "roc_auc", _our("roc_auc"), _NEEDS_ONE, only="binary", scores=True),
    Entry("roc_auc_score(multi_class='ovr')", "roc_auc", _our("roc_auc", "macro"),
          average="macro", only="many", scores=True),
    Entry("roc_auc_score(multi_class='ovo')", "hand_till_auc", _our("hand_till_auc"),
          only="many", scores=True),
    Entry("average_precision_score", "average_precision", _our("average_precision", blank=0.0),
          "they answer 0 where no row is positive", only="binary", scores=True),
    Entry("log_loss", "log_loss", _our("log_loss", clip=_EPS),
          "they keep probabilities 2.2e-16 away from 0 and 1 without saying so (more for 32-bit "
          "ones), so that a certain mistake costs about 36 and not infinity", probabilities=True),
    Entry("brier_score_loss", "brier", _our("brier"), only="binary", probabilities=True),
)  # fmt: skip

PYCM = (
    Entry("Overall ACC", "accuracy", _our("accuracy")),
    Entry("Kappa", "cohen_kappa", _our("cohen_kappa")),
    Entry("Scott PI", "scott_pi", _our("scott_pi")),
    Entry("Gwet AC1", "gwet_ac1", _our("gwet_ac1")),
    Entry("Bennett S", "bennett_s", _our("bennett_s")),
    Entry("Krippendorff Alpha", "krippendorff_alpha", _our("krippendorff_alpha")),
    Entry("Overall MCC", "matthews_corrcoef", _our("matthews_corrcoef"),
          "they answer 'None' where it is undefined"),
    Entry("Overall CEN", "confusion_entropy", _our("confusion_entropy")),
    Entry("Mutual Information", "mutual_information", _our("mutual_information", base=2),
          "theirs is in bits, ours in nats unless base=2 is said"),
    Entry("PPV Macro", "precision", _our("precision", "macro"),
          why="for two classes, too, they average both; ours judges the positive class alone"),
    Entry("F1 Macro", "f1", _our("f1", "macro"),
          why="for two classes, too, they average both; ours judges the positive class alone"),
    Entry("TPR", "sensitivity", _our("sensitivity"), only="binary"),
    Entry("PPV", "precision", _our("precision"), only="binary"),
    Entry("F1", "f1", _our("f1"), only="binary"),
    Entry("AUC", "roc_auc", _our("balanced_accuracy"),
          "what they call AUC is (TPR + TNR) / 2 of the decisions, the area of a curve with one "
          "threshold; ours is that of the scores", only="binary", scores=True),
    Entry("PLR", "positive_likelihood_ratio", _finite("positive_likelihood_ratio"),
          "they answer 'None' where it is infinite", only="binary"),
    Entry("DOR", "diagnostic_odds_ratio", _finite("diagnostic_odds_ratio"),
          "they answer 'None' where it is infinite", only="binary"),
    Entry("dInd", "balance",
          lambda f: (1 - f.ours("balance")) * math.sqrt(2), only="binary",
          why="theirs is the distance to the perfect corner, ours 1 less that distance over √2"),
    Entry("DP", "discriminant_power",
          lambda f: f.ours("discriminant_power", base=10),
          "they take the logarithm to base 10, ours is natural as its authors have it",
          only="binary"),
)  # fmt: skip

_BOTH = (
    "the 'Weighted Avg.' line weighs every class by its rows, the negative one too; ours is that "
    "of the positive class"
)

WEKA = (
    Entry("Correctly Classified Instances", "accuracy", _our("accuracy")),
    Entry("Kappa statistic", "cohen_kappa", _our("cohen_kappa")),
    Entry("Mean absolute error", "mean_absolute_error", _our("mean_absolute_error"),
          probabilities=True,
          why="they divide by the classes declared in the header, ours by those that occur"),
    Entry("Root mean squared error", "root_mean_squared_error",
          _our("root_mean_squared_error"), probabilities=True,
          why="they divide by the classes declared in the header, ours by those that occur"),
    Entry("TP Rate, weighted", "sensitivity", _weighted("sensitivity", 0.0), _BOTH, only="binary"),
    Entry("FP Rate, weighted", "false_positive_rate", _weighted("false_positive_rate", 0.0), _BOTH,
          only="binary"),
    Entry("Precision, weighted", "precision", _weighted("precision", 0.0),
          _BOTH + "; 0/0 is 0 in version 3.7", only="binary"),
    Entry("F-Measure, weighted", "f1", _weighted("f1", 0.0), _BOTH + "; 0/0 is 0 in version 3.7",
          only="binary"),
    Entry("MCC, weighted", "matthews_corrcoef", _weighted("matthews_corrcoef", 0.0),
          "of two classes MCC is the same for both; 0/0 is 0", only="binary"),
    Entry("ROC Area, weighted", "roc_auc", _weighted_ranking("roc_auc"),
          "of two classes the area is the same for both", only="binary", scores=True),
    Entry("PRC Area, weighted", "average_precision", _weighted_ranking("average_precision"), _BOTH,
          only="binary", scores=True),
    Entry("TP Rate, weighted", "sensitivity", _weighted("sensitivity", 0.0), average="weighted",
          only="many"),
    Entry("Precision, weighted", "precision", _weighted("precision", 0.0),
          "0/0 is 0 in version 3.7", average="weighted", only="many"),
    Entry("F-Measure, weighted", "f1", _weighted("f1", 0.0), "0/0 is 0 in version 3.7",
          average="weighted", only="many"),
    Entry("ROC Area, weighted", "roc_auc", _weighted_ranking("roc_auc"), average="weighted",
          only="many", scores=True),
    Entry("PRC Area, weighted", "average_precision", _weighted_ranking("average_precision"),
          average="weighted", only="many", scores=True),
)  # fmt: skip

_EVENT = (
    'the event is the first level of the factor unless event_level = "second", so that their '
    "numbers may be those of the other class"
)
_REMOVED = "they leave classes out on which it is undefined, with a warning; ours unless you say so"

YARDSTICK = (
    Entry("accuracy", "accuracy", _our("accuracy")),
    Entry("kap", "cohen_kappa", _our("cohen_kappa")),
    Entry("mcc", "matthews_corrcoef", _our("matthews_corrcoef")),
    Entry("sens", "sensitivity", _first_level("sensitivity"), _EVENT, only="binary"),
    Entry("spec", "specificity", _first_level("specificity"), _EVENT, only="binary"),
    Entry("precision", "precision", _first_level("precision"), _EVENT, only="binary"),
    Entry("npv", "negative_predictive_value", _first_level("negative_predictive_value"), _EVENT,
          only="binary"),
    Entry("f_meas", "f1", _first_level("f1"), _EVENT, only="binary"),
    Entry("j_index", "youden_j", _first_level("youden_j"), only="binary"),
    Entry("bal_accuracy", "balanced_accuracy", _our("balanced_accuracy"), only="binary"),
    Entry("bal_accuracy", "balanced_accuracy", _mean_balanced,
          "of more than two classes theirs is the mean of (sensitivity + specificity) / 2 over "
          "classes, ours the mean sensitivity", only="many"),
    Entry("sens", "sensitivity", _macro_of_defined("sensitivity"), _REMOVED, average="macro",
          only="many"),
    Entry("precision", "precision", _macro_of_defined("precision"), _REMOVED, average="macro",
          only="many"),
    Entry("f_meas", "f1", _macro_of_defined("f1"), _REMOVED, average="macro", only="many"),
    Entry("roc_auc", "roc_auc", _first_level_scores("roc_auc"), only="binary", scores=True),
    Entry("roc_auc", "roc_auc", _our("hand_till_auc"),
          "of more than two classes theirs is Hand and Till's M, ours the mean of one against the "
          "rest", only="many", scores=True, average="macro"),
    Entry("pr_auc", "average_precision", _first_level_scores("pr_auc_trapezoid"),
          "theirs joins the points by straight lines, which promise precision that no threshold "
          "has; " + _EVENT, only="binary", scores=True),
    Entry("average_precision", "average_precision", _first_level_scores("average_precision"),
          _EVENT, only="binary", scores=True),
    Entry("mn_log_loss", "log_loss", _our("log_loss", clip=_EPS),
          "they keep probabilities 2.2e-16 away from 0 and 1 without saying so",
          probabilities=True),
    Entry("brier_class", "brier", lambda f: f.ours("brier") / (1 if f.binary else 2),
          "of more than two classes theirs is half the sum over classes", probabilities=True),
)  # fmt: skip

_STRICT = "they call scores above the threshold positive, ours those at it, too"

TORCHMETRICS = (
    Entry("BinaryAccuracy", "accuracy", _strictly_above("accuracy", 0.0), _STRICT, only="binary"),
    Entry("BinaryPrecision", "precision", _strictly_above("precision", 0.0),
          f"{_STRICT}; {_ZERO}", only="binary"),
    Entry("BinaryRecall", "sensitivity", _strictly_above("sensitivity", 0.0),
          f"{_STRICT}; {_ZERO}", only="binary"),
    Entry("BinaryF1Score", "f1", _strictly_above("f1", 0.0), f"{_STRICT}; {_ZERO}",
          only="binary"),
    Entry("BinarySpecificity", "specificity", _strictly_above("specificity", 0.0),
          f"{_STRICT}; {_ZERO}", only="binary"),
    Entry("BinaryCohenKappa", "cohen_kappa", _strictly_above("cohen_kappa", math.nan), _STRICT,
          only="binary"),
    Entry("BinaryAUROC", "roc_auc", _our("roc_auc", blank=0.0),
          "they answer 0 where only one class occurs, and 0.5 for tiny probabilities when "
          "thresholds= is given", only="binary", probabilities=True),
    Entry("BinaryAveragePrecision", "average_precision", _our("average_precision"),
          only="binary", probabilities=True),
    Entry("BinaryCalibrationError", "expected_calibration_error",
          _our("expected_calibration_error", bins=15),
          "they cut 15 bins of equal width, ours 10 unless bins= is said", only="binary",
          probabilities=True),
    Entry("MulticlassAccuracy", "accuracy", _occurring("sensitivity"),
          "what they call accuracy is, unless average='micro', the mean recall of the classes",
          only="many"),
    Entry("MulticlassPrecision", "precision", _occurring("precision"),
          "a class never predicted counts as 0, and one that never occurs is left out",
          average="macro", only="many"),
    Entry("MulticlassRecall", "sensitivity", _occurring("sensitivity"),
          "a class without true rows that is predicted counts as 0", average="macro",
          only="many"),
    Entry("MulticlassF1Score", "f1", _occurring("f1"),
          "a class that never occurs is left out", average="macro", only="many"),
    Entry("MulticlassCohenKappa", "cohen_kappa", _our("cohen_kappa"), only="many"),
    Entry("MulticlassAUROC", "roc_auc", _our("roc_auc", "macro"), average="macro", only="many",
          probabilities=True),
)  # fmt: skip

LIBRARIES: Mapping[str, tuple[Entry, ...]] = {
    "sklearn": SKLEARN,
    "pycm": PYCM,
    "weka": WEKA,
    "yardstick": YARDSTICK,
    "torchmetrics": TORCHMETRICS,
}
"""What each library calls its numbers, and how it defines them by default."""


def which_definition(
    ev: Evaluation, metric: str, stated: str | float, *, rounding: str = "half"
) -> tuple[Definitions, ...]:
    """Return, for each model, which definitions of a metric give a stated number on these rows.

    Classes, averages, rules for 0/0, usual parameters and namesakes are tried, and other libraries'
    definitions; a text keeps the digits that it was printed with.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    >>> (found,) = which_definition(ev, "f1", "0.583")
    >>> found.fitting[0].words
    'macro average'
    """
    name = get(metric).name
    theirs = [
        {r.name: (library, r) for r in rows.rows if r.metric == name}
        for library in LIBRARIES
        for rows in like(ev, library)
    ]
    found = []
    for i, model in enumerate(ev.models):
        mine = theirs[i :: len(ev.models)]
        others = [
            (f"{library}'s {told}", r.theirs)
            for part in mine
            for told, (library, r) in part.items()
        ]
        found.append(
            definitions(
                model, ev.classes, ev.positive, metric, stated, rounding=rounding, others=others
            )
        )
    return tuple(found)
