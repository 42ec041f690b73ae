"""The Evaluation class: counted models, with methods for metrics, curves, tests and reports."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tallymark.contract import LABEL, METRIC, MODELS, SHARE, TEXT, checked, mapping, read
from tallymark.display import Document, Named, json_number, load, plain_data, text
from tallymark.errors import InputError, check_name, choices
from tallymark.findings.finding import Finding
from tallymark.findings.notes import BUDGET_ASSUMED, THRESHOLD_CHOSEN
from tallymark.instead import without_ending
from tallymark.metric import METRICS, Metric, get
from tallymark.metric.cells import CELLS
from tallymark.metric.glossary import SEVERAL
from tallymark.metric.headlines import AVERAGED
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.registry import plain
from tallymark.output import write_text
from tallymark.part import names, part_roles
from tallymark.quantities import Noun
from tallymark.reading.believed import Reading, reading_of
from tallymark.reading.classes import match_label
from tallymark.reading.indicators import AVERAGES, LabelSets, SetModel
from tallymark.reading.models import CountedRows, Model, at_threshold, decided_by
from tallymark.reading.source import Source
from tallymark.report.part_methods import Questions
from tallymark.report.words import enumerated
from tallymark.tally.arrays import Label
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from tallymark.curve import Curve, CurveDefinition, Histogram
    from tallymark.findings.advice import Advice, Answers
    from tallymark.infer.by_subgroup import Asked, Subgroups
    from tallymark.infer.cautions import NoInformation
    from tallymark.infer.compare import Comparison
    from tallymark.infer.design_effect import DesignEffects
    from tallymark.infer.folds import Folds
    from tallymark.infer.heterogeneity import Heterogeneity
    from tallymark.infer.intervals import Inference
    from tallymark.infer.leaders import Leader
    from tallymark.infer.operating_points import OptimalThreshold, Sweep
    from tallymark.listing import Listing
    from tallymark.report.guide import Guide
    from tallymark.report.plots import Plots
    from tallymark.tables import ConfusionMatrix, PaperTable, PerClass, Table


_FACTS = (
    "source",
    "rows",
    "dropped",
    "classes",
    "labels",
    "positive",
    "weighted",
    "level",
    "seed",
    "stratified",
    "costs",
    "noun",
    "budget",
)
STUDIED = ("sensitivity", "specificity")
"""The rates that are pooled over studies of a test."""

JACKKNIFED = ("smooth", "optimistic")
"""Sampling errors of metrics whose averages over labels need no resampling."""

MOST_LED = 12
"""The largest number of subgroups in which the models are compared."""

MOST_SUBGROUPS = 50
"""Subgroups listed individually in the JSON and on the page, the worst first."""


Question = TypeVar("Question", bound=Callable[..., Any])


def once(method: Question) -> Question:
    """Return a method whose results are cached on the evaluation, by its arguments."""

    @wraps(method)
    def cached(self: Evaluation, *args: Any, **options: Any) -> Any:
        results = self.__dict__.setdefault("_kept", {})
        key = (method.__name__, args, *options.items())
        if key not in results:
            results[key] = method(self, *args, **options)
        return results[key]

    return cast("Question", cached)


OneModel = TypeVar("OneModel", bound=Model | SetModel)


def only(models: Sequence[OneModel]) -> OneModel:
    """Return the only model of an evaluation; several models raise InputError."""
    if len(models) > 1:
        names = [m.name for m in models]
        raise InputError(
            f"this evaluation holds {len(names)} models ({', '.join(map(repr, names))}); choose "
            f"one with .model({names[0]!r}), or take .values() or .table() of all"
        )
    return models[0]


def _is_metric(name: str | Metric) -> bool:
    """Return whether a name is that of a metric, or an alias."""
    with contextlib.suppress(InputError):
        return bool(get(name))
    return False


@checked(average=TEXT)  # the valid words depend on what was counted
@dataclass(frozen=True, repr=False)
class Evaluation(Questions, Named, Document):
    """One or more classifiers, counted on the same rows, with every metric, curve and test.

    Returned by :func:`evaluate`. Every value has an interval at ``level``; ``seed`` fixes the
    resamples of those that need them.

    ``ev["f1"]`` is the value of the only model. Iteration yields the names of its metrics, as
    listed by :meth:`metrics`; ``"f1" in ev`` tests whether ``ev["f1"]`` works, also for aliases.

    If rows have any number of ``labels``, a metric of one label is its mean over labels by default,
    and ``ev.label("cat")`` is the evaluation of one label, with all curves and thresholds.
    Intervals resample rows, or clusters of rows, because the labels of one row are not
    independent.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1, 0, 1], [0, 1, 1, 1])
    >>> "recall" in ev, "roc_auc" in ev, list(ev)[:2], len(ev) == len(ev.metrics())
    (True, False, ['sensitivity', 'specificity'], True)
    >>> y = [[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 10
    >>> p = [[.9, .2, .6], [.1, .7, .4], [.8, .4, .1], [.3, .2, .9]] * 10
    >>> ev = tm.evaluate(y, y_score=p, classes=["cat", "dog", "sky"])
    >>> print(ev.value("f1", average="micro"))
    0.91 (95 % CI 0.85 to 0.95)
    >>> ev["subset_accuracy"].value, ev.label("dog")["sensitivity"].value
    (0.75, 0.5)
    """

    _called = "ev"

    _counted: CountedRows | LabelSets
    level: float = 0.95
    seed: int = 0
    stratified: bool = False
    """Whether the class shares are known, as after :meth:`at`, rather than sampled."""
    costs: Mapping[str, float] | None = None
    """The costs of the errors, ``cost_fp`` and ``cost_fn``; None unless :meth:`at` sets them."""
    noun: str = "row"
    """What sentences call a row, such as "loan"; :meth:`at` sets it."""
    budget: float | None = None
    """The share of the rows that marketing can contact, or as a whole number the rows themselves;
    :meth:`at` sets it. The default is the best 10 %."""

    @classmethod
    def _instead(cls, name: str) -> list[str]:
        """Return the equivalents of a name: another method, a metric, a curve or a plot."""
        return super()._instead(name) or number_or_curve(name)

    def __post_init__(self) -> None:
        read("level", self.level)
        read("seed", self.seed)
        read("noun", self.noun)
        if self.budget is not None:
            read("budget", self.budget)

    # -- contents ------------------------------------------------------------------------------

    @property
    def source(self) -> Source:
        """The origin of the rows, and how they were read; its text is the name."""
        return self._counted.source

    @property
    def reading(self) -> Reading:
        """How the input was interpreted, and why; pass it as ``reading=`` for new data."""
        return reading_of(self.source, self.classes)

    @property
    def _noun(self) -> Noun:
        """The word for a row, in the singular and the plural."""
        return Noun.of(self.noun)

    @property
    def rows(self) -> int:
        """The number of rows counted."""
        return self._counted.rows

    @property
    def dropped(self) -> int:
        """The number of rows dropped because of missing values."""
        return self._counted.dropped

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes, in the order of the matrices; for rows with several labels, the labels."""
        return self._counted.classes

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels of rows that may have any number of them; empty if every row has one class."""
        return self._counted.labels if isinstance(self._counted, LabelSets) else ()

    @property
    def positive(self) -> Label | None:
        """The positive class of two; None for more classes."""
        return self._counted.positive

    @property
    def _one_column(self) -> CountedRows:
        """The counts of one column of classes; several labels raise InputError."""
        return self._counted.one_column

    @property
    def models(self) -> tuple[Model, ...]:
        """The models' tallies, for one column of classes."""
        return self._one_column.models

    @property
    def weighted(self) -> bool:
        """Whether rows have sampling weights."""
        return self._counted.weighted

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None if the rows are independent."""
        return self._counted.clusters

    @property
    def binary(self) -> bool:
        """Whether there are two classes, one of them positive."""
        return self.positive is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(m.name for m in self._counted.models)

    @cached_property
    def notes(self) -> tuple[Finding, ...]:
        """Assumptions about the data, and warnings about numbers that should not be trusted."""
        from tallymark.infer.cautions import cautions

        several = len(self.names) > 1
        effects = (e._note(n if several else None) for n, e in self.design_effects().items())
        return (
            *self._counted.notes,
            *(note for note in effects if note is not None),
            *cautions(self._counted, self.values(), self.stratified),
        )

    def model(self, name: str) -> Evaluation:
        """Return the evaluation of one of the models alone."""
        notes = tuple(n for n in self._counted.notes if n.model in (None, name))
        models: Any = (self._counted.model(name),)
        return replace(self, _counted=replace(self._counted, models=models, notes=notes))

    @checked(label=LABEL)
    def label(self, label: Label) -> Evaluation:
        """Return the evaluation of one of several labels: of rows that have it, 1, and others, 0.

        >>> import tallymark as tm
        >>> ev = tm.evaluate([{"cat"}, {"cat", "dog"}, set()] * 9, [{"cat"}, {"cat"}, {"dog"}] * 9)
        >>> print(ev.label("cat")["recall"], "|", ev.labels)
        1.00 (95 % CI 0.82 to 1.00) | ('cat', 'dog')
        """
        if not isinstance(self._counted, LabelSets):
            raise InputError("every row has one class here; take .per_class() for each of them")
        return self._of_label(self._counted.label(label))

    @once
    def _of_label(self, label: Label) -> Evaluation:
        result = Evaluation(self._inference.label(label).counted, self.level, self.seed)
        return replace(result, noun=self.noun)

    # -- numbers -------------------------------------------------------------------------------

    def metrics(self) -> tuple[Metric, ...]:
        """Return the metrics that can be computed here for at least one model."""
        models = self._counted.models
        return tuple(m for m in self._listed() if any(one._holds(m) for one in models))

    @once
    def values(self) -> dict[str, dict[str, Value]]:
        """Return every metric of every model with its interval: model -> metric -> Value."""
        listed = self._listed()
        return {m.name: self._inference.of_metrics(m, listed) for m in self._counted.models}

    def _listed(self) -> list[Metric]:
        """Return the metrics that are listed by default.

        For several labels, metrics that need resampling per label are omitted: they take too long.
        """
        listed = [*map(self._as_stated, _listed())]
        if 0 in (self.costs or {}).values():  # which other metrics divide by
            listed = [m for m in listed if "cost_fp" not in m.params or m.name == "expected_cost"]
        return [m for m in listed if not self.labels or m._sampling.error in JACKKNIFED]

    def _as_stated(self, metric: Metric) -> Metric:
        """Return a metric with the stated budget and costs as defaults of its parameters."""
        return metric._with_defaults(self._stated)

    @property
    def _stated(self) -> dict[str, float]:
        """The stated budget and costs, as parameters of metrics."""
        budget = {} if self.budget is None else {"depth": self._contacted}
        return {**budget, **(self.costs or {})}

    @property
    def _contacted(self) -> float:
        """The share of the rows that a stated budget contacts."""
        return self.budget / self.rows if isinstance(self.budget, int) else self.budget or 0.0

    @cached_property
    def _inference(self) -> Inference:
        from tallymark.infer.intervals import Inference

        return Inference(
            self._counted, level=self.level, seed=self.seed, stratified=self.stratified
        )

    @property
    def _options(self) -> dict[str, Any]:
        return {"level": self.level, "seed": self.seed, "stratified": self.stratified}

    def value(
        self,
        metric: str | Metric,
        *,
        positive: Label | None = None,
        average: str | None = None,
        skip_undefined: bool = False,
        classes: Sequence[Label] | None = None,
        method: str = "auto",
        draws: int | None = None,
        **params: Any,
    ) -> Value:
        """Return one metric of the one model, with its interval.

        Parameters
        ----------
        metric : str
            A name or alias: "mcc", "TPR"; or a count of one class: "TP", "FP", "FN", "TN".
        positive : label, optional
            The class to compare with the rest; any number of classes is possible.
        average : {"overall", "binary", "macro", "micro", "weighted", "samples"}, optional
            As in :func:`tallymark.metric.measure.number`. For several labels: the mean over labels
            ("macro", the default), all labels of all rows pooled ("micro"), the mean over labels
            weighted by their numbers of rows, or the mean over rows of the metric of each row's
            labels ("samples").
        skip_undefined : bool
            Omit classes or labels on which the metric is undefined from an average; for "samples",
            omit rows, which otherwise count as 0.
        classes : sequence of labels, optional
            The classes to average over; by default, all of them.
        method : str
            Interval method: "auto", or a key of :data:`tallymark.infer.methods.METHODS` such as
            "bca", "delta", "wilson" or "delong", with an optional ``draws``. Rows in clusters need
            a method that supports them.
        params
            The metric's own parameters, such as ``beta``.

        """
        model, statistic = self._statistic(
            metric,
            positive=positive,
            average=average,
            skip_undefined=skip_undefined,
            classes=classes,
            **params,
        )
        return self._inference.values(model, {"": statistic}, method, draws)[""]

    def _statistic(
        self,
        metric: str | Metric,
        *,
        positive: Label | None = None,
        average: str | None = None,
        skip_undefined: bool = False,
        classes: Sequence[Label] | None = None,
        **params: Any,
    ) -> tuple[Model | SetModel, Statistic]:
        """Return the only model, and the statistic to compute; refuse metrics that it lacks."""
        options: dict[str, Any] = {
            "average": average,
            "skip_undefined": skip_undefined,
            "classes": classes,
            **params,
        }
        if isinstance(self._counted, LabelSets):
            return self._statistic_of_labels(self._counted, metric, positive=positive, **options)
        model, declared = only(self.models), self._as_stated(get(metric))
        if declared._role_needed and declared._role not in model._role_tallies:
            raise part_roles()[declared._role].missing_for(declared.name)
        decided = declared._needs in ("counts", "matrix")  # every model has decisions
        if declared._of_answers and len(self.classes) > 2:
            self._refuse_answers(model, declared)
        elif not decided and not model._holds(replace(declared, _role="")):
            raise model._refusal(declared)
        if average == "per_class":
            raise InputError("average='per_class' is many values; take .per_class()")
        if declared in CELLS and len(self.classes) > 2 and positive is average is None:
            raise InputError(
                f"{declared.name} is a count of one class; say positive={self.classes[0]!r}, or "
                f"take .per_class([{declared.name!r}]) of all {len(self.classes)}"
            )
        if positive is not None:
            positive = self._one_class(declared, positive)
            options["average"] = average or "binary"
        positive = self.positive if positive is None else positive
        return model, self._counted.statistic(declared, **{**options, "positive": positive})

    def _refuse_answers(self, model: Model, metric: Metric) -> None:
        """Raise InputError if the answers of more than two classes have no known confidence."""
        joint = self._one_column.joint
        if not model.scores or not model.probabilities:
            have = "holds scores that are none" if model.scores else "has none"
            lack = f"{model.name} {have}; give y_score"
        elif joint is None or joint.in_bins:
            lack = "they were not kept side by side; evaluate fewer rows"
        elif self.stratified:
            lack = "the class shares were changed; take it before .at(...)"
        else:
            return
        raise InputError(
            f"{metric.name} of {len(self.classes)} classes needs the probabilities of all classes "
            f"of each row, and {lack}"
        )

    def _statistic_of_labels(
        self, counted: LabelSets, metric: str | Metric, **options: Any
    ) -> tuple[SetModel, Statistic]:
        if str(metric) in map(str, counted.labels) and not _is_metric(metric):
            raise InputError(f"{metric!r} is a label, not a metric; use .label({metric!r})")
        model, declared = only(counted.models), get(metric)
        statistic = counted.statistic(declared, **options)
        if not model._holds(declared):
            raise InputError(
                f"{declared.name} needs {declared.wanted}, and {model.name} has none; give y_score"
            )
        return model, statistic

    def _one_class(self, metric: Metric, positive: Label) -> Label:
        """Return the class to compare with the rest, matched to the labels of the classes."""
        chosen = match_label(self.classes, positive)
        if chosen is None or chosen not in self.classes:
            raise InputError(
                f"positive is {positive!r}; {choices(str(positive), map(str, self.classes))}"
            )
        if not metric._of_one_class or (metric._of_answers and len(self.classes) > 2):
            raise InputError(f"{metric.name} is one number of all classes; leave positive out")
        columns = [t.positive for t in only(self.models).scores]
        if metric.wanted != "decisions" and chosen not in columns:
            raise InputError(
                f"{metric.name} of {chosen!r} needs its score, and this one is of {columns[0]!r}; "
                f"evaluate with positive={chosen!r}"
            )
        return chosen

    def __getitem__(self, metric: str | Metric) -> Value:
        model, statistic = self._statistic(metric)
        return self._inference.values(model, {"": statistic})[""]

    def __contains__(self, metric: object) -> bool:
        only(self._counted.models)
        with contextlib.suppress(InputError):
            self._statistic(cast("str", metric))
            return True
        return False

    def _keys(self) -> list[str]:
        only(self._counted.models)
        return [m.name for m in self.metrics()]

    def _ipython_key_completions_(self) -> list[str]:
        return [name for m in self.metrics() for name in (m.name, *m.aliases)]

    def per_class(self, metrics: Sequence[str] | None = None) -> PerClass:
        """Return each class against the rest: model -> class -> metric -> Value.

        All metrics of one class by default; "TP", "FP", "FN" and "TN" are the counts. The result
        is a dictionary that prints as a table: one row per class.

        >>> import tallymark as tm
        >>> ev = tm.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "a"])
        >>> print(ev.per_class(["recall"])["model"]["b"]["sensitivity"])
        1.00 (95 % CI 0.21 to 1.00)
        >>> found = ev.per_class(["TP", "FP", "FN", "TN"])["model"]["b"]
        >>> {name: v.value for name, v in found.items()}
        {'TP': 1.0, 'FP': 1.0, 'FN': 0.0, 'TN': 2.0}
        """
        chosen = tuple(_listed() if metrics is None else map(get, metrics))
        return self._per_class(chosen)

    @once
    def _per_class(self, metrics: tuple[Metric, ...]) -> PerClass:
        from tallymark.tables import PerClass

        support: Callable[[Evaluation, str], dict[Label, float]] = load("subjects.classes:support")
        return PerClass(
            {m.name: self._inference.of_classes(m, metrics) for m in self._counted.models},
            {name: support(self, name) for name in self.names},
            "label" if self.labels else "class",
        )

    @once
    def _averages(self) -> dict[str, dict[str, dict[str, Value]]]:
        """Return averages of headline metrics over labels: model -> metric -> average -> Value."""
        sets = self._counted
        if not isinstance(sets, LabelSets):
            return {}

        def every(metric: Metric) -> dict[str, Statistic]:
            names = AVERAGES if metric.wanted == "decisions" else AVERAGES[:-1]
            return {name: sets.statistic(metric, average=name) for name in names}

        return {
            m.name: {
                metric.name: self._inference.values(m, every(metric))
                for metric in m._available(map(get, AVERAGED))
            }
            for m in sets.models
        }

    @once
    def design_effects(self) -> dict[str, DesignEffects]:
        """Return what clusters cost each model's numbers: model -> DesignEffects.

        Empty if the rows are independent.

        >>> import tallymark as tm
        >>> y, said = [1, 0] * 40, [1, 0, 1, 0, 0, 1, 1, 0] * 10
        >>> ev = tm.evaluate(y, said, cluster=[i // 4 for i in range(80)])
        >>> found = ev.design_effects()["model"]
        >>> found.clusters, round(found.icc, 3), round(found.effects["accuracy"], 2)
        (20, 0.126, 1.4)
        """
        from tallymark.infer.design_effect import design_effects

        if self.labels:
            return {}
        by_model = {m.name: design_effects(self._inference, m) for m in self.models}
        return {name: effects for name, effects in by_model.items() if effects is not None}

    def no_information(self) -> NoInformation:
        """Return what always naming the most frequent class achieves, and who beats it."""
        from tallymark.infer.cautions import no_information

        return no_information(
            self.models, exact=not (self.weighted or self.stratified or self.clusters)
        )

    def table(self, metrics: Sequence[str] | None = None, *, per_class: bool = False) -> Table:
        """Return the values as a table: to print, and as Markdown, LaTeX, CSV, Arrow or a frame.

        With ``per_class`` there is one row per class against the rest, as in :meth:`per_class`.

        >>> import tallymark as tm
        >>> ev = tm.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "a"])
        >>> print(ev.table(["precision"], per_class=True))
        model  class  metric         value   low  high  method
        model  a      precision       1.00  0.34  1.00  Wilson
        model  b      precision       0.50  0.09  0.91  Wilson
        model  c      precision  undefined              no row was predicted positive
        """
        from tallymark.tables import Table

        return Table._of(self, metrics, per_class)

    def paper_table(self, metrics: Sequence[str] | None = None) -> PaperTable:
        """Return "Table 2" of a paper: a row a model, numbers with their intervals, and a caption.

        Numbers are rounded to two digits of the width of their intervals. The default metrics for
        two classes are the area, the rates, F1 and the Brier score, otherwise the headline metrics.

        >>> import tallymark as tm
        >>> counts = tm.LabelTally((0, 1), [[90, 10], [20, 80]])
        >>> table = tm.evaluate(counts).paper_table(["recall", "precision"])
        >>> print(table.to_csv(), end="")
        Model,Events / n,Sensitivity,Precision
        model,100 / 200,0.80 (0.71 to 0.87),0.89 (0.81 to 0.94)
        """
        table: PaperTable = load("publication:paper_table")(self, metrics)
        return table

    @checked(task=TEXT, dataset=TEXT)
    def to_model_index(
        self,
        path: str | Path | None = None,
        *,
        task: str = "tabular-classification",
        dataset: str | None = None,
        metrics: Sequence[str] | None = None,
    ) -> str:
        """Return the results as Hugging Face's model-index (YAML), and write it to a file if named.

        Insert it between the lines ``---`` at the top of a model's README.md. ``task`` and
        ``dataset`` are identifiers of the Hub; the default name of the data set is its source.
        Bounds, level and method of an interval are in ``args``; undefined numbers are omitted.
        """
        text: str = load("publication:model_index")(self, task, dataset, metrics)
        if path is not None:
            write_text(path, text)
        return text

    @checked(columns=TEXT)
    def by(self, *columns: str) -> Subgroups:
        """Return the numbers of parts of the rows, by columns that ``subgroup=`` named."""
        return self._by(only(self._counted.models).name, columns)

    def _by(self, model: str, columns: Sequence[str]) -> Subgroups:
        """Return the subgroups of a model, with the threshold that is recommended for it."""
        from tallymark.infer.by_subgroup import Subgroups

        counted = self.model(model)._counted
        s = Subgroups._of(counted, only(counted.models), columns, **self._options)
        costs = self.costs if self.binary else None
        moved = self.advise()._moved if costs else None
        thresholds = moved[1:] if moved and moved[0] == model else ()
        return replace(s, _noun=self._noun, _thresholds=thresholds, _stated=self._stated)

    @once
    def _subgroups(self) -> list[Subgroups]:
        counts = self._counted.subgroup_counts
        columns = () if counts is None else [c for c in counts.columns if c != self.source._fold]
        if not columns or self.stratified:
            return []
        return [self._by(name, columns) for name in self.names]

    def folds(self, metrics: Asked = None, *, ratio: float | None = None) -> Folds:
        """Return the numbers of cross-validation: in each fold, of all rows, and the mean of folds.

        Parameters
        ----------
        metrics : sequence of str or tm.Statistic, optional
            The default is the headline metrics.
        ratio : float, optional
            The ratio of test rows to training rows of a fold. The default is 1/(k - 1) for k folds:
            each fold is judged by a model that was trained on the others. For k folds repeated r
            times, pass 1/(k - 1), since there are r k folds here.

        Raises
        ------
        InputError
            Rows whose folds were not passed to evaluate(); an adjusted class balance.

        Source: nadeau2003 for the interval of the mean.

        Examples
        --------
        >>> import tallymark as tm
        >>> y, said = [1, 0] * 15, [1, 0, 1, 0, 1, 1, 1, 0, 0, 0] * 2 + [1, 0] * 5
        >>> ev = tm.evaluate(y, said, fold=[0] * 10 + [1] * 10 + [2] * 10)
        >>> found = ev.folds(["accuracy"])["accuracy"]
        >>> {fold: round(v.value, 3) for fold, v in found.folds.items()}
        {0: 0.8, 1: 0.8, 2: 1.0}
        >>> print(found.pooled, "|", found.mean)
        0.87 (95 % CI 0.70 to 0.95) | 0.87 (95 % CI 0.41 to 1.00)

        """
        from tallymark.infer.folds import Folds

        fold = self._one_column.source._fold
        if fold is None:
            raise InputError(
                "no folds were named; give evaluate() the column, such as fold='fold', or an array"
            )
        return Folds._of(self._inference, fold, metrics, ratio, self._stated)

    # -- curves --------------------------------------------------------------------------------

    @checked(name=METRIC)
    def curve(
        self,
        name: str | Metric,
        *,
        over: str = "threshold",
        band: str | None = None,
        **params: Any,
    ) -> Curve:
        """Return a curve of the one model with all its points, by name.

        A name of :data:`tallymark.curve.CURVES` ("roc", "pr", "det", "gain", "calibration" and so
        on), or any metric of the decisions, including a tm.Statistic, against the threshold. With
        ``over="prevalence"`` any metric is drawn against the share of positives. ``band`` adds
        bounds, such as "pointwise" or "simultaneous": see :func:`tallymark.infer.bands.banded`.
        ``params`` are those of the curve's function or of the metric.

        >>> import tallymark as tm
        >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
        >>> ev.curve("accuracy").y.tolist()
        [0.5, 0.75, 0.5, 0.75, 0.5]
        """
        from tallymark.curve import definition

        if over != "threshold":
            return self._over_prevalence(name, band, params)
        model = only(self.models)
        declared = definition(name)
        refuse_curve(declared, self.models)
        if not self.binary:
            raise InputError(
                f"a {declared.name} curve judges one class against the rest; take .curves() for "
                f"each of {len(self.classes)}"
            )
        return curve_of(self, name, model, model.scores[0], band, params)

    def _over_prevalence(
        self, name: str | Metric, band: str | None, params: Mapping[str, Any]
    ) -> Curve:
        from tallymark.infer.prevalence import prevalence_curve

        if band is not None:
            raise InputError("over='prevalence' has bounds of its own; leave band out")
        curve = prevalence_curve(
            only(self.models), name, self.positive, level=self.level, seed=self.seed, **params
        )
        return curve._unbounded() if self.clusters else curve

    @checked(names=METRIC)
    @once
    def curves(self, *names: str) -> dict[str, dict[str, Curve]]:
        """Return curves thinned for drawing: model (and class) -> curve name -> Curve.

        ``names`` are curves, or metrics of the decisions, which are drawn against the threshold. By
        default, all curves are returned.

        >>> import tallymark as tm
        >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
        >>> ev.curves("f1")["model"]["f1"].y.round(3).tolist()
        [0.0, 0.667, 0.5, 0.8, 0.667]
        """
        from tallymark.curve import CURVES, definition, thinned

        definitions = {n: definition(n) for n in names or CURVES}
        options: dict[str, Any] = {"level": self.level, "stratified": self.stratified}
        return {
            key: {
                n: c._unbounded() if self.clusters else c
                for n, c in thinned(
                    t, m.probabilities, definitions, m._role_tallies, **options
                ).items()
            }
            for key, (m, t) in score_tallies(self).items()
        }

    def _histograms(self) -> dict[str, Histogram]:
        """Return the score distributions of both classes, under the names of :meth:`curves`."""
        from tallymark.curve import histogram

        return {key: histogram(t) for key, (_, t) in score_tallies(self).items()}

    @once
    def _sweep(self) -> dict[str, Sweep]:
        """Return counts and metrics at up to 201 thresholds, for two classes: model -> Sweep."""
        from tallymark.infer.operating_points import sweep_cuts, sweep_of

        scored = score_tallies(self).items() if self._one_column.positive is not None else ()
        bounded = not self.clusters
        return {
            name: sweep_of(t, sweep_cuts(m, t), bounded=bounded, **self._options)
            for name, (m, t) in scored
        }

    @checked(prevalence=SHARE | mapping("a share for each class, such as {'a': 0.9, 'b': 0.1}"))
    def at(
        self,
        *,
        threshold: float | None = None,
        prevalence: float | Mapping[Label, float] | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        noun: str | None = None,
        budget: float | str | None = None,
    ) -> Evaluation:
        """Return the evaluation at another threshold or class balance, or for given costs.

        Parameters
        ----------
        threshold : float, optional
            Scores at or above it are called positive.
        prevalence : float or mapping of classes to shares, optional
            The share of positives in the field; for more than two classes, the share of each. Rates
            within each class stay the same, scores are not recalibrated, and the shares are treated
            as known: see :func:`tallymark.infer.prevalence.project`.
        cost_fp, cost_fn : float, optional
            The cost of a false alarm and of a missed positive, both or neither. Advice, page and
            JSON then name the cheapest threshold, and ``expected_cost`` is at these costs.
        noun : str, optional
            What sentences call a row, such as "loan", or "child/children" with an irregular
            plural.
        budget : float, int or str, optional
            For ``use="marketing"``, how many rows can be contacted, best scores first: a share,
            0.2 or "20%", or a number of rows, 500. Gain, lift and response rate are then those of
            this depth, in every output, and the rows to contact are those called positive. The
            default is the best 10 %; rows with decisions or a threshold keep these.

        Examples
        --------
        >>> import tallymark as tm
        >>> ev = tm.evaluate([1] * 100 + [0] * 100, [1] * 70 + [0] * 110 + [1] * 20)
        >>> print(ev["precision"])
        0.78 (95 % CI 0.68 to 0.85)
        >>> print(ev.at(prevalence=0.01)["precision"])
        0.034 (95 % CI 0.022 to 0.052)

        """
        result = self if threshold is None else self._at_threshold(threshold)
        if (costs := costs_of(cost_fp, cost_fn)) is not None:
            refuse_costs(self)
            result = replace(result, costs=costs)
        if noun is not None:
            result = replace(result, noun=noun)
        if budget is not None:
            if threshold is not None:
                raise InputError(
                    "threshold=... and budget=... both say which rows are contacted; give one"
                )
            result = result._with_budget(budget)
        if prevalence is None:
            return result
        from tallymark.infer.prevalence import project

        return replace(result, _counted=project(result._one_column, prevalence), stratified=True)

    def _with_budget(self, budget: Any) -> Evaluation:
        from tallymark.report.uses import use_of

        if not use_of(self).profit:
            raise InputError(
                "budget=... is for use='marketing'; give use='marketing', or leave budget=... out"
            )
        for name in self.names:
            self.model(name)._scores_of_two("a budget")
        share = replace(self, budget=budget)._contacted
        if share > 1:
            raise InputError(
                f"budget is {budget:,} rows, and there are {self.rows:,}; give a budget of at most "
                f"{self.rows:,}"
            )
        from tallymark.infer.operating_points import budget_cut

        decided = self._decided([budget_cut(m.scores[0], share) for m in self.models])
        return replace(decided, budget=budget)

    def _at_assumed_budget(self) -> Evaluation:
        """Return the evaluation at the default budget, or itself if its decisions are given."""
        origins = {decided_by(self._one_column, m) for m in self.models}
        if not self.binary or origins & {"decisions", "given"}:
            return self
        from tallymark.report.uses import BUDGET, budget_of

        result = self._with_budget(BUDGET)
        note = BUDGET_ASSUMED.finding(share=budget_of(result)[1])
        counted = result._one_column
        return replace(result, _counted=replace(counted, notes=(*counted.notes, note)))

    def _at_threshold(self, threshold: float) -> Evaluation:
        for name in self.names:
            self.model(name)._scores_of_two("a threshold")
        return replace(self._decided([threshold] * len(self.models)), budget=None)

    def _decided(self, thresholds: Sequence[float]) -> Evaluation:
        """Return the evaluation with the decisions of each model at a threshold."""
        models = tuple(map(at_threshold, self.models, thresholds))
        of_others = (THRESHOLD_CHOSEN.code, BUDGET_ASSUMED.code)
        notes = tuple(n for n in self._counted.notes if n.rule not in of_others)
        return replace(self, _counted=replace(self._one_column, models=models, notes=notes))

    @once
    def leaders(self) -> tuple[Leader, ...]:
        """Return which model leads in each subgroup, and whether beyond chance.

        For several models that were evaluated with ``subgroup=``, by the metric that ranks them, in
        at most 12 subgroups, and not for several labels. P-values are corrected for the number of
        subgroups (Holm).

        >>> import tallymark as tm
        >>> y, good, poor = [0, 1] * 60, [0.2, 0.8] * 60, [0.2, 0.8, 0.8, 0.2] * 30
        >>> where = ["north", "south", "south"] * 40
        >>> ev = tm.evaluate(y, y_score={"a": poor, "b": good}, subgroup={"region": where})
        >>> [(f.subgroup, f.model, f.shown) for f in ev.leaders()]
        [('north', 'b', True), ('south', 'b', True)]
        """
        from tallymark.infer.intervals import Inference
        from tallymark.infer.leaders import leaders

        metric, counts = load("subjects.summary:ranking")(self)[0], self._counted.subgroup_counts
        if self._compared is None or not metric or counts is None or self.stratified:
            return ()
        if self.labels:  # models are only compared on all rows
            return ()
        columns = [c for c in counts.columns if c != self.source._fold]
        if not columns or len(counts.keys) > MOST_LED:
            return ()
        return leaders(Inference(self._counted, self.level, self.seed), columns, metric)

    def optimal_threshold(
        self,
        metric: str | None = None,
        *,
        within: Mapping[str, float] | None = None,
        **params: Any,
    ) -> OptimalThreshold:
        """Return the threshold at which a metric is best here, and what to expect on new rows.

        Without a metric it is the cheapest threshold if costs are given, here or by :meth:`at`,
        and else the one of the highest Youden's J.
        ``within`` sets limits such as ``{"fpr": 0.01}``, or ``{"predicted_positive_rate": 0.05}``
        if 5 % of the rows can be acted on. ``params`` are those of the metric, such as the costs
        and the prevalence of ``expected_cost``. See
        :func:`tallymark.infer.operating_points.optimal_threshold`; apply the threshold with
        :meth:`at`.

        >>> import tallymark as tm
        >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
        >>> ev.optimal_threshold("f1").threshold
        0.3
        >>> ev.optimal_threshold(cost_fp=1, cost_fn=9) == ev.at(
        ...     cost_fp=1, cost_fn=9
        ... ).optimal_threshold("expected_cost")
        True
        """
        from tallymark.infer.operating_points import optimal_threshold

        tally = self._scores_of_two("a threshold")
        given = self.costs or {}
        if metric is None:
            costs = {"cost_fp", "cost_fn"} & (set(params) | set(given))
            metric = "expected_cost" if costs else "youden_j"
        if "cost_fp" in get(metric).params:
            params = {**given, **params}
        options = {**self._options, **params}
        options["clustered"] = self._inference.clusters(only(self.models).name)
        chosen = optimal_threshold(tally, metric, within=within, **options)
        return replace(chosen, _noun=self._noun)

    @once
    def _optimal_thresholds(self) -> dict[str, dict[str, OptimalThreshold]]:
        """Return every model's thresholds worth knowing: model -> what is best -> threshold."""
        from tallymark.infer.operating_points import report_thresholds

        scored = score_tallies(self).items() if self._one_column.positive is not None else ()
        return {
            name: report_thresholds(t, clustered=self._inference.clusters(name), **self._options)
            for name, (_, t) in scored
        }

    def confusion_matrix(self) -> ConfusionMatrix:
        """Return the confusion matrix with its classes: it prints, and is an array or a frame.

        >>> import tallymark as tm
        >>> print(tm.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "a"]).confusion_matrix())
        true  a  b  c
        a     2  0  0
        b     0  1  0
        c     0  1  0
        """
        from tallymark.tables import ConfusionMatrix

        return ConfusionMatrix._of_counts(only(self.models).labels)

    def passes(self) -> Listing:
        """Return the ROC curve as it is worked out by hand: the threshold rising pass by pass.

        >>> import tallymark as tm
        >>> print(tm.evaluate([0, 1, 1], y_score=[0.1, 0.9, 0.4]).passes())
        pass  threshold  dropped_pos  dropped_neg  TP  FP  FN  TN    TPR    FPR
        1           0.1            0            0   2   1   0   0  1.000  1.000
        2           0.4            0            1   2   0   0   1  1.000  0.000
        3           0.9            1            0   1   0   1   1  0.500  0.000
        4           inf            1            0   0   0   2   1  0.000  0.000
        """
        from tallymark.curve.optimal import passes
        from tallymark.listing import Listing

        return Listing(passes(self._scores_of_two("a table of passes")))

    @checked
    def thresholds(self, metrics: Sequence[str] | None = None) -> Listing:
        """Return the four counts and the rates at every threshold, the highest first.

        Rows at or above a threshold are called positive. ``metrics`` of the decisions replace TPR,
        FPR, FNR, PPV and ACC.

        >>> import tallymark as tm
        >>> print(tm.evaluate([0, 1, 1], y_score=[0.1, 0.9, 0.4]).thresholds(["f1", "mcc"]))
        threshold  TP  FN  TN  FP     f1  matthews_corrcoef
        inf         0   2   1   0  0.000          undefined
        0.9         1   1   1   0  0.667              0.500
        0.4         2   0   1   0  1.000              1.000
        0.1         2   0   0   1  0.800          undefined
        """
        from tallymark.curve.optimal import at_every_threshold
        from tallymark.listing import Listing

        tally = self._scores_of_two("a table of thresholds")
        return Listing(at_every_threshold(tally, tuple(map(get, metrics or ()))))

    def as_printed(self) -> Listing:
        """Return what formulas that a source prints wrongly give of these rows, and what is right.

        Documents from which the metrics were taken contain misprints; ``wrong`` describes them.

        >>> import tallymark as tm
        >>> counts = tm.LabelTally(("sick", "well"), [[70, 30], [20, 80]])
        >>> ev = tm.evaluate(counts, positive="sick")
        >>> for row in ev.as_printed():
        ...     print(f"{row['metric']}: {row['as_printed']:.3f} printed, {row['right']:.3f} right")
        Matthews correlation: -1.021 printed, 0.503 right
        Precision: 0.700 printed, 0.778 right
        F1: 0.700 printed, 0.737 right
        Cohen's kappa: 0.524 printed, 0.500 right
        F1: 0.002 printed, 0.737 right
        Balance: 0.515 printed, 0.745 right
        """
        from tallymark.listing import Listing
        from tallymark.metric.errata import as_printed

        model = only(self.models)
        refuse_errata(self)
        counts, values = model.labels.binary(self.positive), self.values()[model.name]
        return Listing(tuple(as_printed(counts, values.__getitem__)))

    def _scores_of_two(self, what: str) -> ScoreTally:
        model = only(self.models)
        if not self.binary or not model.scores:
            raise InputError(f"{what} needs scores and two classes; give y_score")
        return model.scores[0]

    def advise(
        self,
        *,
        use: str | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prevalence: float | None = None,
        worse: str | None = None,
        mute: str | Sequence[str] = (),
    ) -> Advice:
        """Return which numbers to look at here, and which could mislead.

        Parameters
        ----------
        What the classifier is for, as in :func:`tallymark.evaluate`; by default, the use passed
        there.
        cost_fp, cost_fn : float, optional
            The cost of a false alarm and of a missed positive, both or neither; by default, those
            of :meth:`at`.
        prevalence : float, optional
            The share of positives in the field, if it differs from that of these rows.
        worse : {"missed", "false alarms"}, optional
            Which error is worse.
        mute : str or list of str, optional
            Codes of rules to skip, such as "mean-of-two-rates".

        Returns
        -------
        Advice
            Prints as text; ``statements`` contain the measured numbers and the sources.

        Examples
        --------
        >>> import tallymark as tm
        >>> ev = tm.evaluate([1] * 5 + [0] * 95, [1] * 4 + [0] * 90 + [1] * 6)
        >>> [s.rule for s in ev.advise().section("misleads")][0]
        'no-better-than-the-majority'

        """
        from tallymark.findings.advice import Answers
        from tallymark.report.uses import use_called

        named = use or self.source.use
        costs = costs_of(cost_fp, cost_fn) or self.costs or {}
        answers = Answers(use_called(named).advice, prevalence=prevalence, worse=worse, **costs)
        return self._advice(answers, (mute,) if isinstance(mute, str) else tuple(mute), named)

    @once
    def _advice(self, answers: Answers, mute: tuple[str, ...], use: str) -> Advice:
        from tallymark.findings.advice import advise
        from tallymark.report.uses import at_budget, use_called

        of_use = at_budget(use_called(use), self)
        return advise(
            self._one_column,
            self.values(),
            answers,
            **self._options,
            compared=lambda: self._compared,
            lead={metric: of_use.title(metric) for metric in of_use.brief[:2]},
            mute=mute,
            noun=self._noun,
        )

    @checked(models=MODELS, against=TEXT)
    def compare(
        self,
        *models: str,
        against: str | None = None,
        metric: str | None = None,
        metrics: Sequence[str] | None = None,
        margin: float | None = None,
        least: float | None = None,
        permutations: int = 2000,
    ) -> Comparison:
        """Compare the models on their common rows: differences, tests and a verdict in words.

        Parameters
        ----------
        models : str
            The models to compare with each other, by name; by default, all. One name alone is the
            model to compare all others with.
        against : str, optional
            The model to compare the others with, instead of comparing all pairs.
        metric : str, optional
            The deciding metric; by default, the ROC area if all models have scores, else MCC.
        metrics : sequence of str, optional
            Further metrics to compare; by default, the headline metrics.
        margin : float, optional
            The difference that still counts as no worse, in units of the metric. Superiority,
            non-inferiority and equivalence are then answered together.
        least : float, optional
            The smallest difference that matters, in units of the metric. If no difference is
            significant, the verdict states how many rows would show one of this size.
        permutations : int
            Resamples of the permutation test of the deciding metric; 0 for no test.

        Returns
        -------
        Comparison
            Prints as text. P-values of several pairs are corrected by Holm's method.

        Raises
        ------
        InputError
            There is only one model, a model or metric is unknown, or row-level pairs were not kept.

        Examples
        --------
        >>> import tallymark as tm
        >>> y = [0, 0, 0, 1, 1, 1] * 20
        >>> good, poor = [0.1, 0.2, 0.3, 0.7, 0.8, 0.25] * 20, [0.1, 0.8, 0.3, 0.7, 0.2, 0.25] * 20
        >>> ev = tm.evaluate(y, y_score={"good": good, "poor": poor})
        >>> [v.kind for v in ev.compare("good", "poor").verdicts]
        ['better']

        """
        from tallymark.infer.compare import compare

        found = compare(
            self._among(models, against)._inference,
            against=models[0] if len(models) == 1 and against is None else against,
            metric=metric,
            metrics=metrics,
            margin=margin,
            least=least,
            permutations=permutations,
            stated=self._as_stated,
        )
        return replace(found, costs=self._costs_of(found), _noun=self._noun)

    def _costs_of(self, found: Comparison) -> Mapping[str, float] | None:
        """Return the stated costs if a compared metric uses them."""
        compared = found.pairs[0].differences
        return self.costs if any("cost_fp" in get(name).params for name in compared) else None

    def _among(self, models: Sequence[str], against: str | None) -> Evaluation:
        """Return the evaluation of the models to compare: all unless several are named."""
        chosen = [*models, *([] if against is None else [against])]
        for name in chosen:
            if name not in self.names and _is_metric(name):
                raise InputError(f"{name!r} is a metric; say ev.compare(metric={name!r})")
            check_name("model", name, self.names)
        repeated = next((n for i, n in enumerate(models) if n in chosen[i + 1 :]), None)
        if repeated is not None:
            raise InputError(
                f"the model {repeated!r} is named twice; name different models, as in "
                "ev.compare('a', 'b')"
            )
        if len(chosen) < 2:
            return self
        kept: Any = tuple(m for m in self._counted.models if m.name in chosen)
        return replace(self, _counted=replace(self._counted, models=kept))

    def compare_with(self, other: Evaluation, **options: Any) -> Comparison:
        """Compare with an evaluation of other rows: a model in two places, or two on two test sets.

        ``options`` are ``metric``, ``metrics``, ``margin``, ``least`` and ``called``, the names of
        both samples: see :func:`tallymark.infer.compare.compare_samples`.
        """
        from tallymark.infer.compare import compare_samples
        from tallymark.infer.intervals import Inference

        theirs = Inference(
            other._counted, level=self.level, seed=self.seed, stratified=other.stratified
        )
        found = compare_samples(self._inference, theirs, **options, stated=self._as_stated)
        return replace(found, costs=self._costs_of(found))

    @cached_property
    def _compared(self) -> Comparison | None:
        """:meth:`compare` without its permutation test; None for one model, or rows kept apart."""
        if len(self.names) < 2 or not self._counted.side_by_side:
            return None
        self.values()  # compute all values at once, since a display needs them all
        return self.compare(permutations=0)

    # -- showing -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return str(load("subjects.summary:in_three_lines")(self))

    @property
    def plot(self) -> Plots:
        """The plots of this evaluation: ``ev.plot()`` draws the main ones, ``ev.plot.roc()`` one.

        >>> import tallymark as tm
        >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
        >>> "roc" in dir(ev.plot), "calibration" in dir(ev.plot)
        (True, True)
        """
        return cast("Plots", load("plots:Plots")(self))

    def help(self) -> Guide:
        """Return what this evaluation can answer: metrics, curves, plots and questions.

        >>> import tallymark as tm
        >>> print(tm.evaluate([0, 1, 0, 1], [0, 1, 1, 1]).help())
        4 rows, positive class '1' (50.0 %): what this evaluation can answer
        ...
        """
        return cast("Guide", load("guide:guide_of")(self))

    def summary(self, width: int | None = None) -> str:
        """Return the summary that the command line prints."""
        return text(self, width)

    @checked
    def report(
        self,
        path: str | Path,
        *,
        as_printed: bool = False,
    ) -> Path:
        """Write the page: one self-contained HTML file.

        Parameters
        ----------
        path : str or Path
            Where to write it.
        as_printed : bool, optional
            Whether to show the values of formulas that a source misprints, beside the right ones.

        Examples
        --------
        >>> import tallymark as tm
        >>> ev = tm.evaluate([1, 0, 1, 0] * 9, y_score=[0.9, 0.3, 0.6, 0.4] * 9)
        >>> ev.at(cost_fp=1, cost_fn=5).report("page.html").name  # doctest: +SKIP
        'page.html'

        """
        if as_printed:
            refuse_errata(self)
        return write_text(path, load("page:render")(self, as_printed))

    def to_json(
        self, path: str | PathLike[str] | None = None, *, keep_pairs: bool | None = None
    ) -> str:
        """Return :meth:`to_dict` as JSON text, and write it to a file if one is named.

        ``tallymark.read`` returns the evaluation saved in such a file. The file contains the
        counts. Row-level pairs, which comparisons of models need, are included if they take up to 1
        MB (60,000 rows of the scores of two models) or come in clusters; ``keep_pairs`` decides
        other cases.
        """
        return self._written(self.to_dict(keep_pairs=keep_pairs), path)

    def to_dict(self, *, keep_pairs: bool | None = None) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version.

        Its key ``counted`` contains the counts, and row-level pairs as :meth:`to_json` describes.
        """
        counted = self._counted.saved(keep_pairs)  # fails before the long work
        compared, one_column = self._compared, not self.labels
        nothing = self.no_information() if one_column else None
        return {
            **self._heading("evaluation"),
            **{name: plain_data(getattr(self, name)) for name in _FACTS},
            "no_information": nothing
            and {"label": nothing.label, "rate": json_number(nothing.rate)},
            "verdict": load("subjects.decision:decision")(self).text,
            "notes": plain_data(self.notes),
            "advice": self.advise().to_dict() if one_column else None,
            "comparison": None if compared is None else compared.to_dict(),
            "models": [
                self._model_dict(m, nothing.p_values[m.name] if nothing else None)
                for m in self._counted.models
            ],
            "subgroups": [
                {
                    **s._data(s._headline(), True, MOST_SUBGROUPS),
                    **load("subjects.subgroups:verdict_data")(s),
                    "heterogeneity": plain_data(studies_of(s)),
                }
                for s in subgroups_of_models(self)
            ]
            or None,
            "leaders": plain_data(self.leaders()) or None,
            "folds": None if (f := folds_of(self)) is None else f.to_dict(MOST_SUBGROUPS),
            "counted": counted.to_dict(),
        }

    def _model_dict(self, m: Model | SetModel, p_value: float | None) -> dict[str, Any]:
        """Return a model as plain data for JSON."""
        from tallymark.curve import CURVES
        from tallymark.report.uses import use_of

        one_column = isinstance(m, Model)
        curves = {
            key.removeprefix(f"{m.name}: "): {
                n: _curve_dict(c) for n, c in of_key.items() if CURVES[n].json
            }
            for key, of_key in (self.curves() if one_column else {}).items()
            if score_tallies(self)[key][0] is m
        }
        effects = self.design_effects().get(m.name)
        answers = {
            name: getattr(self, name)().get(m.name) if one_column else None
            for name in names("questions")
        }
        out: dict[str, Any] = {
            "name": m.name,
            "rule": m.rule,
            "threshold": None if m.threshold is None else json_number(m.threshold),
            "probabilities": m.probabilities,
            "accuracy_above_no_information_p_value": p_value,
            "tally": m.labels.to_dict() if isinstance(m, Model) else None,
            "values": plain_data(self.values()[m.name]),
            "design_effects": effects.to_dict() if effects else None,
            **{name: answer.to_dict() if answer else None for name, answer in answers.items()},
            "curves": curves.get(m.name, {}) if self.binary else curves,
        }
        if self.labels:
            out["averages"] = plain_data(self._averages()[m.name])
        if not self.binary:
            of_classes = self.per_class(use_of(self).per_class)[m.name]
            out["per_class"] = [
                {"class": label, "values": plain_data(values)}
                for label, values in of_classes.items()
            ]
        return out


def number_or_curve(name: str) -> list[str]:
    """Return how to get a metric, a curve or a plot from an evaluation; empty for other names.

    >>> number_or_curve("auc"), number_or_curve("roc_curve"), number_or_curve("plot_roc")
    (["['auc']"], [".curve('roc')"], ['.plot.roc()'])
    """
    from tallymark.curve import CURVES

    words = without_ending(name)
    if metric := next(filter(_is_metric, words), None):
        return [f"[{metric!r}]"]
    if curve := next((w for w in words if w in CURVES), None):
        return [f".curve({curve!r})"]
    if plot := re.fullmatch(r"plot_(\w+)", name):
        return [f".plot.{plot[1]}()"]
    return [f"[{one!r}]" for one in SEVERAL.get(plain(name), ())]


def _listed() -> list[Metric]:
    """Return the metrics that are listed by default."""
    return [m for m in METRICS.values() if m._listed]


def score_tallies(ev: Evaluation) -> dict[str, tuple[Model, ScoreTally]]:
    """Return every score tally with both classes, by model (and class)."""
    out = {}
    for m in ev.models:
        for t in m.scores:
            r = t._score_counts
            if r.positives > 0 and r.negatives > 0:
                out[m.name if ev.binary else f"{m.name}: {t.positive}"] = (m, t)
    return out


def refuse_curve(c: CurveDefinition, models: Sequence[Model]) -> None:
    """Raise InputError if no model has the scores or the probabilities that a curve needs."""
    names, scored = enumerated([m.name for m in models]), [m for m in models if m.scores]
    if c.role_needed and not any(c.role in m._role_tallies for m in models):
        raise part_roles()[c.role].missing_for(f"the curve {c.name!r}")
    if not scored:
        have = "has" if len(models) == 1 else "have"
        raise InputError(f"a {c.name} curve needs scores, and {names} {have} none; give y_score")
    if c.needs == "probabilities" and not any(m.probabilities for m in scored):
        hold = "holds" if len(models) == 1 else "hold"
        raise InputError(f"a {c.name} curve needs probabilities, and {names} {hold} scores")


def curve_of(
    ev: Evaluation,
    name: str | Metric,
    model: Model,
    tally: ScoreTally,
    band: str | None,
    params: Mapping[str, Any],
) -> Curve:
    """Return a curve of one score tally with all its points."""
    from tallymark.curve import CURVES, definition
    from tallymark.infer.bands import banded

    if band is not None:
        options = {**ev._options, "clustered": ev._inference.clusters(model.name), **params}
        return banded(tally, name, band, **options)
    c = definition(name, **({} if name in CURVES else params))
    of = model._role_tallies.get(c.role, tally)
    curve = c(of, **{**{option: getattr(ev, option) for option in c.options}, **params})
    return curve._unbounded() if ev.clusters else curve


def subgroups_of_models(ev: Evaluation) -> list[Subgroups]:
    """Return the subgroups of every model; empty if rows were not counted by subgroup."""
    return ev._subgroups()


def costs_of(cost_fp: float | None, cost_fn: float | None) -> dict[str, float] | None:
    """Return the costs of both errors; None without costs."""
    from tallymark.findings.advice import Answers

    Answers(cost_fp=cost_fp, cost_fn=cost_fn)
    if cost_fp is None or cost_fn is None:
        return None
    return {"cost_fp": cost_fp, "cost_fn": cost_fn}


def refuse_costs(ev: Evaluation) -> None:
    """Raise InputError for costs of errors unless there are two classes."""
    if ev._one_column.positive is None:
        raise InputError(
            "costs of false alarms and missed positives need two classes, one of them positive; "
            "leave cost_fp and cost_fn out"
        )


def refuse_errata(ev: Evaluation) -> None:
    """Raise InputError for misprinted formulas unless there are the two classes they need."""
    if ev._one_column.positive is None:
        raise InputError("the wrongly printed formulas need two classes; leave as_printed=... out")


def studies_of(s: Subgroups) -> list[Heterogeneity]:
    """Return the heterogeneity of the rates of studies, if a table had one study per line."""
    if not s._counted.source.checks.get("studies"):
        return []
    studies = []
    for name in STUDIED:
        with contextlib.suppress(InputError):  # too few studies have such rows
            studies.append(s.heterogeneity(name))
    return studies


def folds_of(ev: Evaluation) -> Folds | None:
    """Return the folds of the evaluation; None if it has none."""
    return None if ev.source._fold is None or ev.stratified else ev.folds()


def _curve_dict(c: Curve) -> dict[str, Any]:
    names = ("x_metric", "y_metric", "x", "y", "threshold", "low", "high", "step")
    return {n: plain_data(getattr(c, n)) for n in names} | {"thinning_error": c.error}
