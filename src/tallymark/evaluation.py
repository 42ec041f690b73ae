"""An evaluation: counted models, and every question one line further down."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark import intake
from tallymark.curve import CURVES, Curve, Histogram, histogram
from tallymark.errors import InputError, choices
from tallymark.intake import Intake, Model, Note, Progress
from tallymark.judge.cautions import cautions
from tallymark.judge.interval import Intervals, sweep_bounds
from tallymark.judge.resample import effective_rows
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.measure import Statistic, Value, json_number
from tallymark.metric.proportion import quantile
from tallymark.tally import tables
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally, Missing, against_rest
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from tallymark.show.frames import Table

SWEPT = (
    "accuracy", "balanced_accuracy", "sensitivity", "specificity", "precision",
    "negative_predictive_value", "f1", "matthews_corrcoef", "cohen_kappa", "youden_j",
)  # fmt: skip
"""The metrics that a threshold slider moves."""

PER_CLASS = (
    "sensitivity", "specificity", "precision", "f1", "prevalence", "roc_auc", "average_precision",
)  # fmt: skip
"""The metrics of each class against the rest, where there are more than two."""

CURVE_POINTS = 500
SWEEP_POINTS = 200
FORMAT = "tallymark/evaluation"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class NoInformation:
    """What always naming the most frequent class achieves.

    ``p_values``, by model: the chance of an accuracy at least as high if the true accuracy were
    ``rate`` (one-sided exact binomial); None for weighted rows.
    """

    label: Label
    rate: float
    p_values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Sweep:
    """The four counts and the metrics at thresholds falling from +inf, with bounds."""

    threshold: Floats
    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    metrics: Mapping[str, tuple[Floats, Floats, Floats]]


@dataclass(frozen=True)
class Evaluation:
    """One or more classifiers counted on the same rows, ready to be judged.

    Made by :func:`evaluate`. Every value carries an interval at ``level``; ``seed`` fixes the
    draws of those that are resampled.
    """

    counted: Intake
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        quantile(self.level)

    # -- what there is -------------------------------------------------------------------------

    @property
    def source(self) -> str:
        """Where the rows came from."""
        return self.counted.source

    @property
    def rows(self) -> int:
        """Rows counted."""
        return self.counted.rows

    @property
    def dropped(self) -> int:
        """Rows left out because something in them was missing."""
        return self.counted.dropped

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes, in the order of the matrices."""
        return self.counted.classes

    @property
    def positive(self) -> Label | None:
        """The positive class of two, None for more."""
        return self.counted.positive

    @property
    def models(self) -> tuple[Model, ...]:
        """The models' tallies."""
        return self.counted.models

    @property
    def weighted(self) -> bool:
        """Whether rows have sampling weights."""
        return self.counted.weighted

    @property
    def binary(self) -> bool:
        """Whether there are two classes, one of them positive."""
        return self.positive is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(m.name for m in self.models)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was assumed, and which numbers should not be trusted."""
        return (*self.counted.notes, *cautions(self.counted, self.values()))

    def model(self, name: str) -> Evaluation:
        """Return the evaluation of one of the models alone."""
        for m in self.models:
            if m.name == name:
                kept = tuple(n for n in self.counted.notes if n.model in (None, name))
                return replace(self, counted=replace(self.counted, models=(m,), notes=kept))
        raise InputError(f"there is no model {name!r}; {choices(name, self.names)}")

    def _one(self) -> Model:
        if len(self.models) > 1:
            told = ", ".join(repr(n) for n in self.names)
            raise InputError(
                f"this evaluation holds {len(self.models)} models ({told}); choose one with "
                f".model({self.names[0]!r}), or take .values() or .table() of all"
            )
        return self.models[0]

    # -- numbers -------------------------------------------------------------------------------

    def metrics(self) -> tuple[Metric, ...]:
        """Return the metrics that can be computed here for at least one model."""
        return tuple(m for m in METRICS.values() if any(_fits(m, one) for one in self.models))

    def values(self) -> dict[str, dict[str, Value]]:
        """Return every metric of every model with its interval: model -> metric -> Value."""
        return self._values

    @cached_property
    def _values(self) -> dict[str, dict[str, Value]]:
        return {m.name: self._values_of(m, METRICS.values()) for m in self.models}

    def _values_of(self, model: Model, metrics: Any) -> dict[str, Value]:
        statistics = {
            m.name: Statistic.of(m, self.classes, self.positive) for m in metrics if _fits(m, model)
        }
        found = self._judge(model, statistics)
        return {name: found[name] for name in statistics}

    def _judge(self, model: Model, statistics: Mapping[str, Statistic]) -> dict[str, Value]:
        decided = ("counts", "matrix")
        labelled = {k: s for k, s in statistics.items() if s.metric.needs in decided}
        scored = {k: s for k, s in statistics.items() if s.metric.needs not in decided}
        options: dict[str, Any] = {"level": self.level, "seed": self.seed}
        found = Intervals(model.labels, **options).of(labelled)
        if scored:
            found |= Intervals(model.scores, sums=model.sums, **options).of(scored)
        return found

    def value(
        self,
        metric: str | Metric,
        *,
        average: str | None = None,
        skip_undefined: bool = False,
        **params: Any,
    ) -> Value:
        """Return one metric of the one model, with its interval.

        Parameters
        ----------
        metric : str
            A name or alias: "mcc", "TPR".
        average : {"overall", "binary", "macro", "micro", "weighted"}, optional
            As in :func:`tallymark.metric.measure.number`.
        skip_undefined : bool
            Leave classes on which the metric is undefined out of an average.
        params
            The metric's own parameters, such as ``beta``.

        """
        model, found = self._one(), get(metric)
        if not _fits(found, model):
            raise InputError(
                f"{found.name} needs {_wanted(found)}, and {model.name} has none; give y_score"
            )
        if average == "per_class":
            raise InputError("average='per_class' is many values; take .per_class()")
        positive = self.positive
        statistic = Statistic.of(found, self.classes, positive, average, skip_undefined, **params)
        return self._judge(model, {"": statistic})[""]

    def __getitem__(self, metric: str) -> Value:
        return self.value(metric)

    def per_class(self) -> dict[str, dict[Label, dict[str, Value]]]:
        """Return each class against the rest: model -> class -> metric -> Value."""
        return self._per_class

    @cached_property
    def _per_class(self) -> dict[str, dict[Label, dict[str, Value]]]:
        out: dict[str, dict[Label, dict[str, Value]]] = {}
        for model in self.models:
            out[model.name] = {}
            for label in self.classes:
                scores = tuple(t for t in model.scores if t.positive == label)
                labels = against_rest(model.labels, label)
                alone = replace(model, labels=labels, scores=scores, probabilities=False)
                metrics = [get(n) for n in PER_CLASS]
                statistics = {
                    m.name: Statistic.of(m, labels.labels, label)
                    for m in metrics
                    if _fits(m, alone)
                }
                out[model.name][label] = self._judge(alone, statistics)
        return out

    def no_information(self) -> NoInformation:
        """Return what always naming the most frequent class achieves, and who beats it."""
        support = self.models[0].labels.counts.sum(1)
        total = float(support.sum())
        i = int(np.argmax(support))
        rate = float(support[i]) / total if total else math.nan
        p_values: dict[str, float | None] = {}
        for m in self.models:
            hits = float(np.trace(m.labels.counts))
            p_values[m.name] = None if self.weighted else _at_least(hits, total, rate)
        return NoInformation(m.labels.labels[i], rate, p_values)

    def table(self, metrics: Sequence[str] | None = None) -> Table:
        """Return the values as a table that prints, and turns into a pandas or Polars frame."""
        from tallymark.show.frames import Table

        return Table.of(self, metrics)

    # -- curves --------------------------------------------------------------------------------

    def curve(self, name: str) -> Curve:
        """Return a curve of the one model: "roc", "pr" or "calibration"; all its points."""
        if name not in CURVES:
            raise InputError(f"there is no curve {name!r}; {choices(name, CURVES)}")
        model = self._one()
        if not model.scores:
            raise InputError(f"a {name} curve needs scores, and {model.name} has none")
        if not self.binary:
            raise InputError(
                f"a {name} curve judges one class against the rest; take .curves() for "
                f"each of {len(self.classes)}"
            )
        if name == "calibration" and not model.probabilities:
            raise InputError(f"calibration needs probabilities, and {model.name} holds scores")
        return CURVES[name](model.scores[0])

    def _scored(self) -> dict[str, tuple[Model, ScoreTally]]:
        """Return every score tally with both classes, under its model's (and class's) name."""
        out = {}
        for m in self.models:
            for t in m.scores:
                r = t.ranking()
                if r.positives > 0 and r.negatives > 0:
                    out[m.name if self.binary else f"{m.name}: {t.positive}"] = (m, t)
        return out

    def curves(self) -> dict[str, dict[str, Curve]]:
        """Return all curves, thinned for drawing: model (and class) -> curve name -> Curve."""
        return self._curves

    @cached_property
    def _curves(self) -> dict[str, dict[str, Curve]]:
        return {
            key: {
                name: make(t).thin(CURVE_POINTS)
                for name, make in CURVES.items()
                if name != "calibration" or m.probabilities
            }
            for key, (m, t) in self._scored().items()
        }

    def histograms(self) -> dict[str, Histogram]:
        """Return the score distributions of both classes, under the names of :meth:`curves`."""
        return {key: histogram(t) for key, (_, t) in self._scored().items()}

    def sweep(self) -> dict[str, Sweep]:
        """Return counts and metrics at up to 201 thresholds, for two classes: model -> Sweep."""
        return self._sweep

    @cached_property
    def _sweep(self) -> dict[str, Sweep]:
        return (
            {name: self._sweep_of(m, t) for name, (m, t) in self._scored().items()}
            if self.binary
            else {}
        )

    def _sweep_of(self, model: Model, tally: ScoreTally) -> Sweep:
        r = tally.ranking()
        every = r.falling()
        # Even steps along the ROC curve, so that neither class's detail is lost.
        along = every.tp / r.positives + every.fp / r.negatives
        wanted = np.linspace(0, 2, SWEEP_POINTS)
        index = np.unique(np.clip(np.searchsorted(along, wanted), 0, len(along) - 1))
        cuts = r.thresholds()[index]
        if model.threshold is not None:
            cuts = np.unique(np.append(cuts, model.threshold))[::-1]
        above = np.searchsorted(r.scores, cuts, side="left")
        tp, fp = every.tp[len(r.scores) - above], every.fp[len(r.scores) - above]
        fn, tn = r.positives - tp, r.negatives - fp
        matrices = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
        labels = [label for label in tally.labels if label != tally.positive] + [tally.positive]
        statistics = {n: Statistic.of(get(n), labels, tally.positive) for n in SWEPT}
        n = effective_rows(tally.counts, tally.squares, tally.rows)
        bounds = sweep_bounds(
            statistics,
            matrices * (n / float(r.total)),
            labels,
            n,
            level=self.level,
            seed=self.seed,
        )
        found = {
            name: (s.of_matrix(matrices, labels), *bounds[name]) for name, s in statistics.items()
        }
        return Sweep(cuts, tp, fp, fn, tn, found)

    def at(self, *, threshold: float) -> Evaluation:
        """Return the evaluation with decisions made at another threshold."""
        if not self.binary or not all(m.scores for m in self.models):
            raise InputError("a threshold needs scores and two classes; give y_score")
        rule = f"scores at or above {threshold:g}"
        models = tuple(
            replace(m, labels=m.scores[0].at(threshold), threshold=float(threshold), rule=rule)
            for m in self.models
        )
        kept = tuple(n for n in self.counted.notes if n.code != "threshold-chosen")
        return replace(self, counted=replace(self.counted, models=models, notes=kept))

    # -- showing -------------------------------------------------------------------------------

    def summary(self, width: int | None = None) -> str:
        """Return the summary that the command line prints."""
        from tallymark.show.terminal import summary

        return summary(self, width=width)

    def __str__(self) -> str:
        return self.summary()

    def report(self, path: str | Path) -> Path:
        """Write the page: one self-contained HTML file."""
        from tallymark.show.page import write

        return write(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        from importlib.metadata import version  # slow to import, and seldom needed

        nothing = self.no_information()
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "tallymark": version("tallymark"),
            "source": self.source,
            "rows": self.rows,
            "dropped": self.dropped,
            "classes": list(self.classes),
            "positive": self.positive,
            "weighted": self.weighted,
            "level": self.level,
            "seed": self.seed,
            "no_information": {"label": nothing.label, "rate": json_number(nothing.rate)},
            "notes": [
                {"code": n.code, "kind": n.kind, "text": n.text, "model": n.model}
                for n in self.notes
            ],
            "models": [self._model_dict(m, nothing) for m in self.models],
        }

    def _model_dict(self, m: Model, nothing: NoInformation) -> dict[str, Any]:
        prefix = f"{m.name}: "
        p_value = nothing.p_values[m.name]
        out: dict[str, Any] = {
            "name": m.name,
            "rule": m.rule,
            "threshold": None if m.threshold is None else json_number(m.threshold),
            "probabilities": m.probabilities,
            "accuracy_above_no_information_p_value": p_value,
            "tally": m.labels.to_dict(),
            "values": {k: v.to_dict() for k, v in self.values()[m.name].items()},
            "curves": {
                key.removeprefix(prefix) if not self.binary else "": {
                    n: _curve_dict(c) for n, c in found.items()
                }
                for key, found in self.curves().items()
                if key == m.name or (not self.binary and key.startswith(prefix))
            },
        }
        if self.binary:
            out["curves"] = out["curves"].get("", {})
        else:
            out["per_class"] = [
                {"class": label, "values": {k: v.to_dict() for k, v in found.items()}}
                for label, found in self.per_class()[m.name].items()
            ]
        return out

    def to_json(self, path: str | Path | None = None) -> str:
        """Return :meth:`to_dict` as JSON text, and write it to a file if one is named."""
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False, ensure_ascii=False)
        if path is not None:
            from tallymark.show.output import write_text

            write_text(path, text + "\n")
        return text


def _wanted(metric: Metric) -> str:
    if metric.needs in ("counts", "matrix"):
        return "decisions"
    if metric.classes == "many":
        return "scores of each of more than two classes"
    return "probabilities" if metric.family == "probability" else "scores"


def _fits(metric: Metric, model: Model) -> bool:
    if metric.needs in ("counts", "matrix"):
        return True
    if metric.family == "probability" and not model.probabilities:
        return False
    if metric.needs == "rows" and model.sums is None and len(model.labels.labels) > 2:
        return False
    # Of two classes the metrics of all columns at once are other names for the ROC area.
    many = metric.classes == "many" or metric.needs == "class_scores"
    return bool(model.scores) and (not many or len(model.labels.labels) > 2)


def _at_least(hits: float, rows: float, rate: float) -> float | None:
    """Return the chance of at least so many hits when each row is one with chance ``rate``."""
    if not rows or rate >= 1:
        return None
    if hits <= 0:
        return 1.0
    from scipy.special import betainc

    return float(betainc(hits, rows - hits + 1, rate))


def _curve_dict(c: Curve) -> dict[str, Any]:
    return {
        "x_metric": c.x_metric,
        "y_metric": c.y_metric,
        "x": _numbers(c.x),
        "y": _numbers(c.y),
        "threshold": None if c.threshold is None else _numbers(c.threshold),
        "low": None if c.low is None else _numbers(c.low),
        "high": None if c.high is None else _numbers(c.high),
        "thinning_error": c.error,
    }


def _numbers(values: Any) -> list[float | str | None]:
    return [json_number(float(v)) for v in values]


def evaluate(
    data: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    truth: str | None = None,
    prediction: str | None = None,
    score: str | Sequence[str] | None = None,
    weight: str | None = None,
    sample_weight: Any = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    missing: Missing = "error",
    progress: Progress | None = None,
    source: str | None = None,
) -> Evaluation:
    """Count predictions and return an :class:`Evaluation` of them.

    Parameters
    ----------
    data : array of n true labels, or a frame, or the path of a file
        A file is CSV, Parquet, JSON, Arrow or ARFF. Of frames and files, the columns are found
        by their usual names, and what was assumed is noted.
    y_pred : array of n labels, or {model: array}, optional
        Predicted labels.
    y_score : array of n numbers, or (n, K), or {model: array}, optional
        Scores of the positive class, or one column a class. Numbers from 0 to 1 are taken as
        probabilities.
    truth, prediction, score, weight : str, optional
        Column names of a frame or file; ``score`` may be several, one a model or one a class.
    sample_weight : array of n numbers, optional
        Sampling weights.
    positive : label, optional
        The positive class of two; not needed for {0, 1}, {False, True} and {-1, 1}.
    labels : sequence, optional
        The classes in the order wanted.
    threshold : float, optional
        Scores at or above it are called positive: 0.5 of probabilities unless given.
    level : float
        Of all intervals.
    seed : int
        Of the intervals that are resampled.
    missing : {"error", "drop"}
        What to do with rows where a label or score is missing.
    progress : callable, optional
        Called with the rows done and the rows in all.
    source : str, optional
        What to call the data.

    Raises
    ------
    InputError
        Whatever cannot be counted as it stands, in one sentence.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.evaluate(["no", "yes", "yes", "no"], y_score=[0.1, 0.8, 0.4, 0.3], positive="yes")
    >>> ev["roc_auc"].value, ev["sensitivity"].value
    (1.0, 0.5)

    """
    if threshold is not None and math.isnan(threshold):
        raise InputError("threshold is NaN; give the number at or above which scores are positive")
    columns = {"truth": truth, "prediction": prediction, "score": score, "weight": weight}
    if intake.is_path(data) or (y_pred is None and y_score is None and tables.is_table(data)):
        arrays = {"y_pred": y_pred, "y_score": y_score, "sample_weight": sample_weight}
        _refuse(arrays, "a frame or file", "its columns by name (truth=, score=, weight=)")
        counted = intake.from_table(
            data,
            truth=truth,
            prediction=prediction,
            score=score,
            weight=weight,
            labels=labels,
            positive=positive,
            threshold=threshold,
            missing=missing,
            progress=progress,
        )
        if source is not None:
            counted = replace(counted, source=source)
    else:
        _refuse(columns, "arrays", "y_pred=, y_score= and sample_weight=")
        counted = intake.from_arrays(
            data,
            y_pred,
            y_score,
            sample_weight=sample_weight,
            labels=labels,
            positive=positive,
            threshold=threshold,
            missing=missing,
            source=source or "arrays",
        )
    return Evaluation(counted, level, seed)


def _refuse(given: Mapping[str, Any], kind: str, instead: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} does not go with {kind}; give {instead}")


__all__ = ["Evaluation", "LabelTally", "NoInformation", "Sweep", "evaluate"]
