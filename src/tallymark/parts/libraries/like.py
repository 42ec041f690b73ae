"""The same predictions under other libraries' definitions: which one differs, and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallymark import Evaluation
from tallymark.core import (
    Display,
    Floats,
    Label,
    Listing,
    Metric,
    Model,
    ScoreCounts,
    Statistic,
    check_name,
    fields_of,
    get,
)

NEAR = 1e-9
"""Numbers closer than this, as a share of the larger, are reported as equal."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One model's tallies, from which other libraries' definitions are computed.

    ``opposite`` is the same model with the other class of two as positive, and the column of scores
    of that class.
    """

    model: Model
    positive: Label | None
    opposite: Model | None = None

    def ours(self, name: str, average: str | None = None, **params: Any) -> float:
        """Return our own number; NaN where it is undefined."""
        metric = get(name)
        statistic = Statistic.of(metric, self.model.labels.labels, self.positive, average, **params)
        decided = metric._needs in ("counts", "matrix")
        return float(statistic.measure(self.model.labels if decided else self.model.scores))

    def per_class(self, name: str, blank: float = math.nan) -> Floats:
        """Return a metric of decisions of each class against the rest, undefined ones replaced."""
        values: Floats = np.array(
            get(name)(self.model.labels, average="per_class"), dtype=np.float64
        )
        values[np.isnan(values)] = blank
        return values

    def rankings(self) -> list[ScoreCounts]:
        """Return a ranking of every class.

        The other class of two has its own scores, else those of the positive class reversed.
        """
        if self.positive is None:
            return [t._score_counts for t in self.model.scores]
        r = self.model.scores[0]._score_counts
        other = ScoreCounts(-r.scores[::-1], r.neg[::-1], r.pos[::-1])
        if self.opposite is not None:
            other = self.opposite.scores[0]._score_counts
        return [r if c == self.positive else other for c in self.model.labels.labels]


def _ours(f: Facts, e: Entry) -> float:
    return f.ours(e.metric, **{"average": e.average, **e.given})


@dataclass(frozen=True, slots=True)
class Entry:
    """A number of another library: its name there, how they define it, and ours beside it.

    ``why`` says how the definitions differ, or nothing where they are the same. Theirs is
    ``theirs``, by default ours with the parameters ``given``, and ``blank`` where that is
    undefined. ``only`` restricts it to "binary" or "many" classes; ``probabilities`` says that
    scores will not do.
    """

    name: str
    metric: str
    why: str = ""
    theirs: Callable[[Facts, Entry], float] = _ours
    only: str | None = None
    blank: float = math.nan
    average: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    probabilities: bool = False

    def of(self, f: Facts) -> float:
        """Return the number as they define it."""
        with np.errstate(all="ignore"):
            value = float(self.theirs(f, self))
        return self.blank if math.isnan(value) else value


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
        return bool(np.isclose(self.ours, self.theirs, NEAR, NEAR, equal_nan=True))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return fields_of(self) | {"same": self.same}


@dataclass(frozen=True, slots=True, repr=False)
class Likeness(Display):
    """All numbers of one model under one library's definitions."""

    library: str
    model: str
    rows: tuple[Row, ...]
    left_out: tuple[str, ...]

    def table(self) -> Listing:
        """Return a row a number: theirs, ours, and why they differ."""
        names = ("name", "theirs", "metric", "ours", "same", "why")
        return Listing(
            tuple(
                {"library": self.library, "model": self.model} | {n: getattr(r, n) for n in names}
                for r in self.rows
            )
        )


def like(
    ev: Evaluation, library: str, *, opposite: Evaluation | None = None
) -> tuple[Likeness, ...]:
    """Return every model's numbers under a library's definitions, beside ours.

    ``opposite`` judges the same rows with the other class as positive, where each of two classes
    has a column of scores: libraries that average over both rank each class by its own.

    >>> import tallymark as tm
    >>> (found,) = like(tm.evaluate([1, 1, 0, 0], [0, 0, 0, 0]), "sklearn")
    >>> next((r.theirs, r.ours) for r in found.rows if r.metric == "precision")
    (0.0, nan)
    """
    check_name("library", library, LIBRARIES)
    out = []
    for model in ev.models:
        other = None if opposite is None else opposite.model(model.name).models[0]
        facts = Facts(model, ev.positive, other)
        rows, left_out = [], []
        for e in LIBRARIES[library]:
            if e.only and (e.only == "binary") != ev.binary:
                continue
            if not model._holds(get(e.metric)) or (e.probabilities and not model.probabilities):
                left_out.append(e.name)
                continue
            ours = facts.ours(e.metric, e.average)
            rows.append(Row(e.name, e.of(facts), e.metric, ours, e.why))
        out.append(Likeness(library, model.name, tuple(rows), tuple(left_out)))
    return tuple(out)


# -- how others define it ----------------------------------------------------------------------


def _mean(f: Facts, e: Entry) -> float:
    """Average over the classes on which it is defined."""
    return float(np.nanmean(f.per_class(e.metric, e.blank)))


def _weighted(f: Facts, e: Entry) -> float:
    """Average over the classes by their rows; 0 where undefined."""
    return float(np.average(f.per_class(e.metric, 0.0), weights=f.model.labels.counts.sum(1)))


def _weighted_where_defined(f: Facts, e: Entry) -> float:
    """Average over the classes that occur by their rows; undefined where it is for one of them."""
    values, support = f.per_class(e.metric), f.model.labels.counts.sum(1)
    if e.metric == "f1":  # made of precision and recall, not of counts
        values[np.isnan(f.per_class("precision"))] = math.nan
    return float(np.average(values[support > 0], weights=support[support > 0]))


def _weighted_ranking(f: Facts, e: Entry) -> float:
    values = np.array([float(get(e.metric).compute(r)) for r in f.rankings()])
    defined, support = ~np.isnan(values), f.model.labels.counts.sum(1)
    if not support[defined].any():
        return math.nan
    return float(np.average(values[defined], weights=support[defined]))


def _occurring(f: Facts, e: Entry) -> float:
    """Average over the classes that are true or predicted somewhere; 0 where undefined."""
    name = "sensitivity" if e.metric == "accuracy" else e.metric
    occurs = (f.model.labels.counts.sum(0) + f.model.labels.counts.sum(1)) > 0
    return float(f.per_class(name, 0.0)[occurs].mean())


def _finite(f: Facts, e: Entry) -> float:
    value = f.ours(e.metric)
    return value if math.isfinite(value) else math.nan


def _strictly_above(f: Facts, e: Entry) -> float:
    """Decide by scores above the threshold, not at it, where scores were decided by one."""
    if f.model.threshold is not None:
        above = float(np.nextafter(f.model.threshold, math.inf))
        f = replace(f, model=replace(f.model, labels=f.model.scores[0].at(above)))
    return f.ours(e.metric)


def _first_level(f: Facts, e: Entry) -> float:
    """Judge the first class as the event, as factors in R do."""
    metric = get(e.metric)
    if metric._needs not in ("counts", "matrix"):
        return float(metric.compute(f.rankings()[0]))
    counts = f.model.labels.binary(f.model.labels.labels[0])
    return float(metric.compute(counts if metric._needs == "counts" else counts.matrix()))


def _mean_balanced(f: Facts, e: Entry) -> float:
    return float(np.nanmean((f.per_class("sensitivity") + f.per_class("specificity")) / 2))


_CLIPPED = {"clip": float(np.finfo(np.float64).eps)}

_ZERO = "they return 0 for 0/0; ours is undefined, with the reason"
_NEEDS_ONE = "they raise or warn if only one class occurs; ours is undefined, with the reason"

SKLEARN = (
    Entry("accuracy_score", "accuracy"),
    Entry(
        "balanced_accuracy_score",
        "balanced_accuracy",
        "they leave out classes without true rows; ours is undefined then",
        lambda f, e: float(np.nanmean(f.per_class("sensitivity"))),
    ),
    Entry("precision_score", "precision", _ZERO, only="binary", blank=0.0),
    Entry("recall_score", "sensitivity", _ZERO, only="binary", blank=0.0),
    Entry("f1_score", "f1", _ZERO, only="binary", blank=0.0),
    Entry("jaccard_score", "jaccard", _ZERO, only="binary", blank=0.0),
    Entry(
        "precision_score(average='macro')",
        "precision",
        "a class never predicted counts as precision 0; ours is undefined, or left out on request",
        _mean,
        "many",
        0.0,
        "macro",
    ),
    Entry(
        "recall_score(average='macro')",
        "sensitivity",
        "a class without true rows counts as 0",
        _mean,
        "many",
        0.0,
        "macro",
    ),
    Entry(
        "f1_score(average='macro')",
        "f1",
        "a class neither true nor predicted counts as 0",
        _mean,
        "many",
        0.0,
        "macro",
    ),
    Entry("f1_score(average='weighted')", "f1", "", _weighted, "many", average="weighted"),
    Entry("cohen_kappa_score", "cohen_kappa"),
    Entry("matthews_corrcoef", "matthews_corrcoef", _ZERO, blank=0.0),
    Entry("zero_one_loss", "error_rate"),
    Entry("hamming_loss", "error_rate"),
    Entry("roc_auc_score", "roc_auc", _NEEDS_ONE, only="binary"),
    Entry("roc_auc_score(multi_class='ovr')", "roc_auc", only="many", average="macro"),
    Entry("roc_auc_score(multi_class='ovo')", "hand_till_auc", only="many"),
    Entry(
        "average_precision_score",
        "average_precision",
        "they return 0 if no row is positive",
        only="binary",
        blank=0.0,
    ),
    Entry(
        "log_loss",
        "log_loss",
        "they keep probabilities 2.2e-16 away from 0 and 1 without a warning (more for 32-bit "
        "ones), so a certain mistake costs about 36, not infinity",
        given=_CLIPPED,
    ),
    Entry("brier_score_loss", "brier", only="binary"),
)

_ONE_OF_TWO = "even with two classes they average both; ours is for the positive class only"
_INFINITE = "they return 'None' if it is infinite"

PYCM = (
    Entry("Overall ACC", "accuracy"),
    Entry("Kappa", "cohen_kappa"),
    Entry("Scott PI", "scott_pi"),
    Entry("Gwet AC1", "gwet_ac1"),
    Entry("Bennett S", "bennett_s"),
    Entry("Krippendorff Alpha", "krippendorff_alpha"),
    Entry("Overall MCC", "matthews_corrcoef", "they return 'None' if it is undefined"),
    Entry("Overall CEN", "confusion_entropy"),
    Entry(
        "Mutual Information",
        "mutual_information",
        "theirs is in bits, ours in nats unless base=2 is given",
        given={"base": 2},
    ),
    Entry("PPV Macro", "precision", _ONE_OF_TWO, given={"average": "macro"}),
    Entry("F1 Macro", "f1", _ONE_OF_TWO, given={"average": "macro"}),
    Entry("TPR", "sensitivity", only="binary"),
    Entry("PPV", "precision", only="binary"),
    Entry("F1", "f1", only="binary"),
    Entry(
        "AUC",
        "roc_auc",
        "what they call AUC is (TPR + TNR) / 2 of the decisions, the area of a curve with one "
        "threshold; ours is that of the scores",
        lambda f, e: f.ours("balanced_accuracy"),
        "binary",
    ),
    Entry("PLR", "positive_likelihood_ratio", _INFINITE, _finite, "binary"),
    Entry("DOR", "diagnostic_odds_ratio", _INFINITE, _finite, "binary"),
    Entry(
        "dInd",
        "balance",
        "theirs is the distance to the perfect corner, ours 1 − that distance / √2",
        lambda f, e: (1 - f.ours("balance")) * math.sqrt(2),
        "binary",
    ),
    Entry(
        "DP",
        "discriminant_power",
        "they use the logarithm to base 10, ours the natural one of its authors",
        only="binary",
        given={"base": 10},
    ),
)

_BOTH = (
    "the 'Weighted Avg.' line weighs every class by its rows, the negative one too; ours is that "
    "of the positive class"
)
_DECLARED = (
    "they divide by the classes declared in the header, ours by those that have a column of scores"
)
_ZERO_IN_37 = "version 3.7 prints 0 if it is 0/0 for a class"
_QUESTION = (
    'versions 3.8 and 3.9 print "?" where it is 0/0 for a class that occurs, F-Measure also where '
    "precision is"
)


def _weka(of_zero: str, average: Callable[[Facts, Entry], float]) -> tuple[Entry, ...]:
    """Return Weka's numbers: versions differ in a class that is never predicted."""
    return (
        Entry("Correctly Classified Instances", "accuracy"),
        Entry("Kappa statistic", "cohen_kappa"),
        Entry("Mean absolute error", "mean_absolute_error", _DECLARED),
        Entry("Root mean squared error", "root_mean_squared_error", _DECLARED),
        Entry("TP Rate, weighted", "sensitivity", _BOTH, _weighted, "binary"),
        Entry("FP Rate, weighted", "false_positive_rate", _BOTH, _weighted, "binary"),
        Entry("Precision, weighted", "precision", f"{_BOTH}; {of_zero}", average, "binary"),
        Entry("F-Measure, weighted", "f1", f"{_BOTH}; {of_zero}", average, "binary"),
        Entry(
            "MCC, weighted",
            "matthews_corrcoef",
            f"of two classes MCC is the same for both; {of_zero}",
            average,
            "binary",
        ),
        Entry(
            "ROC Area, weighted",
            "roc_auc",
            "they rank each class by its own scores, ours by those of the positive class",
            _weighted_ranking,
            "binary",
        ),
        Entry("PRC Area, weighted", "average_precision", _BOTH, _weighted_ranking, "binary"),
        Entry("TP Rate, weighted", "sensitivity", "", _weighted, "many", average="weighted"),
        Entry("Precision, weighted", "precision", of_zero, average, "many", average="weighted"),
        Entry("F-Measure, weighted", "f1", of_zero, average, "many", average="weighted"),
        Entry("ROC Area, weighted", "roc_auc", "", _weighted_ranking, "many", average="weighted"),
        Entry(
            "PRC Area, weighted",
            "average_precision",
            "",
            _weighted_ranking,
            "many",
            average="weighted",
        ),
    )


_EVENT = (
    'the event is the first level of the factor unless event_level = "second", so their '
    "numbers may be those of the other class"
)
_REMOVED = "they leave out undefined classes, with a warning; ours does so only on request"

YARDSTICK = (
    Entry("accuracy", "accuracy"),
    Entry("kap", "cohen_kappa"),
    Entry("mcc", "matthews_corrcoef"),
    Entry("sens", "sensitivity", _EVENT, _first_level, "binary"),
    Entry("spec", "specificity", _EVENT, _first_level, "binary"),
    Entry("precision", "precision", _EVENT, _first_level, "binary"),
    Entry("npv", "negative_predictive_value", _EVENT, _first_level, "binary"),
    Entry("f_meas", "f1", _EVENT, _first_level, "binary"),
    Entry("j_index", "youden_j", "", _first_level, "binary"),
    Entry("bal_accuracy", "balanced_accuracy", only="binary"),
    Entry(
        "bal_accuracy",
        "balanced_accuracy",
        "with more than two classes theirs is the mean of (sensitivity + specificity) / 2 over "
        "classes, ours the mean sensitivity",
        _mean_balanced,
        "many",
    ),
    Entry("sens", "sensitivity", _REMOVED, _mean, "many", average="macro"),
    Entry("precision", "precision", _REMOVED, _mean, "many", average="macro"),
    Entry("f_meas", "f1", _REMOVED, _mean, "many", average="macro"),
    Entry("roc_auc", "roc_auc", "", _first_level, "binary"),
    Entry(
        "roc_auc",
        "roc_auc",
        "with more than two classes theirs is Hand and Till's M, ours the mean of one against "
        "the rest",
        lambda f, e: f.ours("hand_till_auc"),
        "many",
        average="macro",
    ),
    Entry(
        "pr_auc",
        "average_precision",
        (
            "theirs joins the points by straight lines, which claim precision that no threshold "
            "reaches; "
        )
        + _EVENT,
        lambda f, e: _first_level(f, replace(e, metric="pr_auc_trapezoid")),
        "binary",
    ),
    Entry("average_precision", "average_precision", _EVENT, _first_level, "binary"),
    Entry(
        "mn_log_loss",
        "log_loss",
        "they keep probabilities 2.2e-16 away from 0 and 1 without saying so",
        given=_CLIPPED,
    ),
    Entry(
        "brier_class",
        "brier",
        "with more than two classes theirs is half the sum over classes",
        lambda f, e: f.ours("brier") / (2 if f.positive is None else 1),
    ),
)

_STRICT = "they call scores above the threshold positive, ours also those at it"

TORCHMETRICS = (
    *(
        Entry(f"Binary{name}", metric, why, _strictly_above, "binary", blank)
        for name, metric, why, blank in (
            ("Accuracy", "accuracy", _STRICT, 0.0),
            ("Precision", "precision", f"{_STRICT}; {_ZERO}", 0.0),
            ("Recall", "sensitivity", f"{_STRICT}; {_ZERO}", 0.0),
            ("F1Score", "f1", f"{_STRICT}; {_ZERO}", 0.0),
            ("Specificity", "specificity", f"{_STRICT}; {_ZERO}", 0.0),
            ("CohenKappa", "cohen_kappa", _STRICT, math.nan),
        )
    ),
    Entry(
        "BinaryAUROC",
        "roc_auc",
        "they return 0 if only one class occurs, and 0.5 for tiny probabilities when thresholds= "
        "is given",
        only="binary",
        blank=0.0,
        probabilities=True,
    ),
    Entry("BinaryAveragePrecision", "average_precision", only="binary", probabilities=True),
    Entry(
        "BinaryCalibrationError",
        "expected_calibration_error",
        "they use 15 bins of equal width, ours 10 unless bins= is given",
        only="binary",
        given={"bins": 15},
    ),
    Entry(
        "MulticlassAccuracy",
        "accuracy",
        "their accuracy is the mean recall of the classes, unless average='micro'",
        _occurring,
        "many",
    ),
    Entry(
        "MulticlassPrecision",
        "precision",
        "a class never predicted counts as 0, and one that never occurs is left out",
        _occurring,
        "many",
        average="macro",
    ),
    Entry(
        "MulticlassRecall",
        "sensitivity",
        "a class without true rows that is predicted counts as 0",
        _occurring,
        "many",
        average="macro",
    ),
    Entry(
        "MulticlassF1Score",
        "f1",
        "a class that never occurs is left out",
        _occurring,
        "many",
        average="macro",
    ),
    Entry("MulticlassCohenKappa", "cohen_kappa", only="many"),
    Entry("MulticlassAUROC", "roc_auc", only="many", average="macro", probabilities=True),
)

LIBRARIES: Mapping[str, tuple[Entry, ...]] = {
    "sklearn": SKLEARN,
    "pycm": PYCM,
    "weka": _weka(_QUESTION, _weighted_where_defined),
    "weka-3.7": _weka(_ZERO_IN_37, _weighted),
    "yardstick": YARDSTICK,
    "torchmetrics": TORCHMETRICS,
}
"""What each library calls its numbers, and how it defines them by default."""


def definitions_of(ev: Evaluation, metric: Metric) -> Iterator[tuple[str, str, float]]:
    """Yield the definitions of a metric: the model, words, and the value on its rows.

    Versions of a library that give the same number are named once.
    """
    listed = set()
    for library in LIBRARIES:
        for likeness in like(ev, library):
            for row in likeness.rows:
                key = (library.partition("-")[0], row.name, repr(row.theirs), likeness.model)
                if row.metric == metric.name and key not in listed:
                    listed.add(key)
                    yield likeness.model, f"{library}'s {row.name}", row.theirs
