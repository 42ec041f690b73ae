"""An evaluation of rows that have any number of labels: averages, and each label by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tallymark.contract import LABEL, checked, one_of
from tallymark.display import Document, Named, load, plain_data, text
from tallymark.errors import InputError, choices
from tallymark.infer.intervals import of_sample
from tallymark.infer.label_averages import AVERAGES, HAS_IT, LabelColumns
from tallymark.instead import missing
from tallymark.metric import Metric, find, get
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.proportion import quantile
from tallymark.output import write_text
from tallymark.reading.believed import Reading, reading_of
from tallymark.reading.indicators import LabelSets
from tallymark.reading.ingest import Job, RowCounter
from tallymark.reading.models import CountedRows, Note, at_threshold
from tallymark.reading.readers import chunk_of_arrays
from tallymark.reading.source import Source
from tallymark.report.evaluation import Evaluation, only
from tallymark.tables import Table
from tallymark.tally.arrays import Label

OF_DECISIONS = ("precision", "sensitivity", "f1", "jaccard")
OF_SCORES = ("roc_auc", "average_precision")
"""What is shown of every label, and averaged."""


class OfOneLabelError(InputError, AttributeError):
    """A question that one label answers, and not several together."""


@checked(label=LABEL, average=one_of(*AVERAGES))
@dataclass(frozen=True, repr=False)
class MultiLabelEvaluation(Named, Document):
    """One or more models on rows that have any number of labels.

    Made by :func:`evaluate` where ``y_true`` has a column for each label. ``ml["cat"]`` is the
    :class:`Evaluation` of one label, with every metric, curve and threshold; :meth:`value` averages
    over labels or over rows. Iterating yields the labels. Intervals are by rows, or by clusters of
    them: the labels of one row are not independent.

    >>> import tallymark as tm
    >>> y = [[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 10
    >>> p = [[.9, .2, .6], [.1, .7, .4], [.8, .4, .1], [.3, .2, .9]] * 10
    >>> ml = tm.evaluate(y, y_score=p, classes=["cat", "dog", "sky"])
    >>> print(ml.value("f1", average="micro"))
    0.91 (95 % CI 0.85 to 0.95)
    >>> ml["dog"]["sensitivity"].value, ml.value("subset_accuracy").value
    (0.5, 0.75)
    """

    _called = "ml"

    _counted: LabelSets
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        quantile(self.level)

    # -- what there is -------------------------------------------------------------------------

    @property
    def source(self) -> Source:
        """Where the rows came from, and how they were read; its text is the name."""
        return self._counted.source

    @property
    def reading(self) -> Reading:
        """What was believed of the input, on which evidence; ``reading=`` takes it for more."""
        return reading_of(self.source, self.labels)

    @property
    def rows(self) -> int:
        """Rows counted."""
        return self._counted.rows

    @property
    def dropped(self) -> int:
        """Rows left out because something in them was missing."""
        return self._counted.dropped

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels, in the order of their columns."""
        return self._counted.labels

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(m.name for m in self._counted.models)

    @property
    def weighted(self) -> bool:
        """Whether rows have sampling weights."""
        return self._counted.weights is not None

    @property
    def clusters(self) -> int | None:
        """How many clusters the rows come in; None where every row stands alone."""
        return self._counted.groups

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was assumed, and which numbers should not be trusted."""
        notes = list(self._counted.notes)
        absent = [str(label) for label, rows in self._counted.support.items() if not rows]
        if absent:
            some = ", ".join(absent[:5]) + (f" and {len(absent) - 5} more" if absent[5:] else "")
            notes.append(
                Note(
                    "absent-label",
                    "warning",
                    f"no row has the label {some}: rates among its rows are "
                    "undefined, and so are averages over all labels, unless skip_undefined=True",
                )
            )
        for name in self.names:
            empty = {
                get(m).in_a_sentence: self.value(m, average="samples", model=name).n_undefined
                for m in OF_DECISIONS
            }
            said = [f"{title} in {n:,} rows" for title, n in empty.items() if n]
            if said:
                notes.append(
                    Note(
                        "empty-rows",
                        "assumed",
                        f"{name} has no positives for {', '.join(said)}: "
                        "averages over rows (samples) count them as 0, as "
                        "scikit-learn does, or leave them out with "
                        "skip_undefined=True",
                        name,
                    )
                )
        return tuple(notes)

    def label(self, label: Label) -> Evaluation:
        """Return the evaluation of one label: of rows that have it, 1, against all others, 0."""
        by_text = {str(name): name for name in self.labels}
        found = label if label in self.labels else by_text.get(str(label))
        if found is None:
            raise InputError(f"there is no label {label!r}; {choices(str(label), by_text)}")
        kept: dict[Label, Evaluation] = self.__dict__.setdefault("_of_label", {})
        if found not in kept:
            kept[found] = Evaluation(rows_of_label(self._counted, found), self.level, self.seed)
        return kept[found]

    def __getitem__(self, label: Label) -> Evaluation:
        return self.label(label)

    def _keys(self) -> tuple[Label, ...]:
        return self.labels

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(Evaluation, name):
            first = self.labels[0]
            raise OfOneLabelError(
                f"{name} is for one label, such as ml[{first!r}]; for a file, name the columns of "
                "one label with truth=... and score=... or pred=..."
            )
        raise missing(f"{type(self).__name__!r} object", name, self._advise_on)

    def model(self, name: str) -> MultiLabelEvaluation:
        """Return the evaluation of one of the models alone."""
        notes = tuple(n for n in self._counted.notes if n.model in (None, name))
        alone = replace(self._counted, models=(self._counted.model(name),), notes=notes)
        return replace(self, _counted=alone)

    # -- numbers -------------------------------------------------------------------------------

    def _sample(self, model: str) -> LabelColumns:
        kept: dict[str, LabelColumns] = self.__dict__.setdefault("_samples", {})
        if model not in kept:
            kept[model] = LabelColumns(self._counted, self._counted.model(model), self.seed)
        return kept[model]

    def value(
        self,
        metric: str | Metric,
        *,
        average: str | None = None,
        skip_undefined: bool = False,
        model: str | None = None,
        **params: Any,
    ) -> Value:
        """Return one number of all labels of the one model, with its interval by rows.

        Parameters
        ----------
        metric : str
            A metric of rows with several labels ("subset_accuracy", "hamming_loss",
            "ranking_loss", "coverage_error", "label_ranking_average_precision"), or any metric that
            judges one class against the rest.
        average : {"macro", "micro", "weighted", "samples"}, optional
            Of a metric of one class: the mean over labels (the default), all labels of all rows
            counted as one, the mean over labels weighted by how many rows have them, or the mean
            over rows of the metric of the labels of each.
        skip_undefined : bool
            Leave labels, or of samples rows, on which the metric is undefined out of the average.
            Without it an average over labels is undefined too, and rows count 0.
        model : str, optional
            Which of several models.
        params
            The metric's own parameters, such as ``beta``.

        """
        s = self._statistic(get(metric), average, skip_undefined, params)
        return self._values({"": s}, model or only(self._counted.models).name)[""]

    def _statistic(
        self, metric: Metric, average: str | None, skip: bool, params: Mapping[str, Any]
    ) -> Statistic:
        metric.check(params)
        if metric.family == "multi-label":
            if average is not None:
                raise InputError(f"{metric.name} is a mean over rows already; leave average out")
            return Statistic(metric, "overall", params=params)
        if not metric.of_one_class or metric.effort:
            raise InputError(
                f"{metric.name} is not a metric of one label; use a metric of one class against "
                "the rest, such as f1 or roc_auc"
            )
        average = average or "macro"
        if average == "samples" and metric.wanted != "decisions":
            raise InputError(
                f"average='samples' is for decisions, and {metric.name} uses scores; use "
                "label_ranking_average_precision or ranking_loss"
            )
        return Statistic(metric, average, None, params, skip)

    def _values(self, statistics: Mapping[str, Statistic], model: str) -> dict[str, Value]:
        sample = self._sample(model)
        for s in statistics.values():
            wanted = s.metric.wanted
            if wanted != "decisions" and sample.model.scores is None:
                raise InputError(
                    f"{s.metric.name} needs scores, and {model} has none; give y_score"
                )
            if wanted == "probabilities" and not sample.model.probabilities:
                raise InputError(
                    f"{s.metric.name} needs probabilities, and {model} holds scores outside 0 to 1"
                )
        points = {key: (s, sample.point(s)) for key, s in statistics.items()}
        return of_sample(points, sample, self.level)

    def values(self) -> dict[str, dict[str, Value]]:
        """Return what is looked at first: model -> "f1_macro", "hamming_loss" ... -> Value."""
        kept: dict[str, dict[str, Value]] = self.__dict__.setdefault("_all", {})
        for m in self._counted.models:
            if m.name in kept:
                continue
            scored = m.scores is not None
            wanted = {
                metric.name: self._statistic(metric, None, False, {})
                for metric in find(family="multi-label")
                if scored or metric.wanted == "decisions"
            }
            for name in (*OF_DECISIONS, *(OF_SCORES if scored else ())):
                for average in AVERAGES:
                    if average != "samples" or name in OF_DECISIONS:
                        key = f"{name}_{average}"
                        wanted[key] = self._statistic(get(name), average, False, {})
            kept[m.name] = self._values(wanted, m.name)
        return kept

    def table(self, metrics: Sequence[str] | None = None) -> Table:
        """Return the values as a table that prints, and turns into a pandas or Polars frame.

        ``metrics`` are keys of :meth:`values`, all by default.
        """
        return Table._of_values(self.values(), metrics)

    def per_label(
        self, metrics: Sequence[str] = (*OF_DECISIONS, *OF_SCORES)
    ) -> dict[str, dict[Label, dict[str, Value]]]:
        """Return each label by itself: model -> label -> metric -> Value."""
        out: dict[str, dict[Label, dict[str, Value]]] = {name: {} for name in self.names}
        names = [get(m).name for m in metrics]
        for label in self.labels:
            ev = self.label(label)
            for name in self.names:
                alone = ev.model(name)
                held = [n for n in names if alone.models[0].holds(get(n))]
                out[name][label] = {n: alone[n] for n in held}
        return out

    # -- showing -------------------------------------------------------------------------------

    def summary(self, width: int | None = None) -> str:
        """Return the summary that the command line prints."""
        return text(self, width)

    def report(self, path: str | Path) -> Path:
        """Write the page: one self-contained HTML file."""
        return write_text(path, load("multi_label_report:render")(self))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        facts = ("source", "rows", "dropped", "labels", "weighted", "level", "seed")
        per_label, support = self.per_label(), self._counted.support
        return {
            **self._heading("multi-label"),
            **{name: plain_data(getattr(self, name)) for name in facts},
            "notes": plain_data(self.notes),
            "models": [
                {
                    "name": m.name,
                    "rule": m.rule,
                    "threshold": m.threshold,
                    "probabilities": m.probabilities,
                    "values": plain_data(self.values()[m.name]),
                    "labels": [
                        {"label": label, "rows": support[label], "values": plain_data(of)}
                        for label, of in per_label[m.name].items()
                    ],
                }
                for m in self._counted.models
            ],
            "counted": self._counted.to_dict(),
        }


def rows_of_label(sets: LabelSets, label: Label) -> CountedRows:
    """Return the rows of one label as two classes: those that have it, 1, and the others."""
    i = sets.labels.index(label)
    decided = {m.name: m.decided[:, i].astype(int) for m in sets.models if m.threshold is None}
    scores = {m.name: m.scores[:, i] for m in sets.models if m.scores is not None}
    chunk, roles = chunk_of_arrays(
        sets.true[:, i].astype(int),
        decided or None,
        scores or None,
        weight=sets.weights,
        cluster=sets.clusters,
    )
    named = {role: of[i] for role, of in sets.source.roles.items() if isinstance(of, tuple)}
    source = replace(
        sets.source, name=f"{sets.source.name}: {label}", roles={**sets.source.roles, **named}
    )
    job = Job(
        source,
        "y_true",
        roles,
        weight=None if sets.weights is None else "weight",
        cluster=None if sets.clusters is None else "cluster",
        positive=1,
        labels=HAS_IT,
    )
    counted = RowCounter(job, arrays=True).count([chunk]).result()
    # What one label's scores look like does not decide: those of all labels did.
    models = []
    for model, of in zip(counted.models, sets.models, strict=True):
        cut = model if of.threshold is None else at_threshold(model, of.threshold)
        models.append(replace(cut, probabilities=model.probabilities and of.probabilities))
    told = ("threshold-chosen", "not-probabilities")
    notes = tuple(n for n in counted.notes if n.code not in told)
    return replace(counted, models=tuple(models), notes=notes)
