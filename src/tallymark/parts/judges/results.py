"""Results of few labels and a judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from tallymark import InputError, Value
from tallymark.core import (
    FLAG,
    PATH,
    Document,
    Finding,
    Label,
    Listing,
    Named,
    checked,
    choices,
    contract,
    get,
    plain_data,
    write_text,
)
from tallymark.parts.judges.case import Case, JudgedDifference, JudgedMetric, JudgedShare
from tallymark.parts.judges.dependence import JudgeDependence
from tallymark.parts.judges.estimate import OF_SCORES, Estimator
from tallymark.parts.judges.planning import Rows, allocation, labels_needed, next_rows
from tallymark.parts.judges.tally import JudgedTally


@checked(
    n=contract.whole(1),
    width=contract.number("(0, 1)", "a width between 0 and 1"),
    allocated=FLAG,
    path=PATH,
)
@dataclass(frozen=True, repr=False)
class FewLabels(Document, Named):
    """What :func:`tallymark.few_labels` returns: metrics of all rows, from few labels and a judge.

    ``result["f1"]`` is a metric of the only model, ``result["f1", "forest"]`` that of a model.
    ``metrics`` has every metric of every model beside the number from labels alone, and ``shares``
    the share of each class; ``judge`` are the judge's own metrics, ``differences`` those of models,
    ``dependence`` how the judge's errors depend on order and length, and ``subgroups`` the results
    of the rows of each subgroup. ``notes`` are what is assumed and what to watch, and ``read_as``
    says how the table was read.
    """

    tally: JudgedTally
    source: str
    judged_by: str
    metrics: tuple[JudgedMetric, ...]
    shares: tuple[JudgedShare, ...]
    judge: tuple[Value, ...]
    differences: tuple[JudgedDifference, ...]
    dependence: tuple[JudgeDependence, ...]
    notes: tuple[Finding, ...]
    positive: Label | None
    level: float
    seed: int
    sampled_by: str | None
    subgroups: Mapping[str, FewLabels] = field(default_factory=dict)
    read_as: tuple[str, ...] = ()
    _rows: Rows | None = field(default=None, compare=False)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models; none if only the judge's values were given."""
        return self.tally.models

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.tally.rows.sum())

    @property
    def labelled(self) -> int:
        """The number of rows with a true class."""
        return self.tally.labelled

    def __getitem__(self, key: str | tuple[str, str]) -> Value:
        """Return a metric, ``result["f1"]``; of several models ``result["f1", "forest"]``.

        Any metric of predicted classes or of scores may be asked, also one that is not shown.
        """
        metric, model = key if isinstance(key, tuple) else (key, None)
        name, wanted = self._model(model), get(metric)
        by_name = {(m.model, m.value.metric): m.value for m in self.metrics}
        if (name, wanted.name) in by_name:
            return by_name[name, wanted.name]
        return self._case.metric(name, wanted).value

    @cached_property
    def _case(self) -> Case:
        return Case(self.tally, self.positive, self.sampled_by, self.level, self.seed)

    def _keys(self) -> list[Any]:
        """Return the metrics that are shown, with the model if there are several."""
        if len(self.models) == 1:
            return [m.value.metric for m in self.metrics]
        return [(m.value.metric, m.model) for m in self.metrics]

    def _model(self, model: str | None) -> str:
        if model is None:
            if len(self.models) == 1:
                return self.models[0]
            if not self.models:
                raise InputError(
                    "there are no predictions, so only the shares of classes are known; name the "
                    "column of predictions with pred=..."
                )
            raise InputError(
                f"there are {len(self.models)} models; say which, such as model={self.models[0]!r}"
            )
        if model not in self.models:
            raise InputError(f"there is no model {model!r}; {choices(model, self.models)}")
        return model

    def _planned(self, metric: str | None, model: str | None) -> tuple[Estimator, str]:
        """Return the estimator and the metric of a plan: without models, the share of positives."""
        if not self.models and model is None:
            return self._case.of(), metric or "prevalence"
        if metric is not None and get(metric)._needs in OF_SCORES:
            raise InputError(
                f"rows to label are chosen for a metric of predicted classes, and {metric} is one "
                "of scores; name another, such as 'f1'"
            )
        return self._case.of(self._model(model)), metric or "accuracy"

    def allocation(self, n: int, *, metric: str | None = None, model: str | None = None) -> Listing:
        """Return how many rows of each pair of prediction and judge to label next.

        Parameters
        ----------
        n : int
            How many more rows are to be labelled.
        metric : str, optional
            The metric whose interval is to be narrow: accuracy unless given; without predictions
            the share of the positive class.
        model : str, optional
            Whose metric it is; needed if there are several.

        Returns
        -------
        Listing
            For each pair its ``rows``, how many are ``labelled``, and how many ``more`` to label:
            at least 5 of each pair in all, then in proportion to W·σ, the share of its rows times
            how much the metric depends on their true class (Neyman's allocation).

        Examples
        --------
        >>> import tallymark as tm
        >>> rows = {"t": [1, 0] * 10 + [None] * 80, "p": [1, 0] * 50, "j": [1, 0, 0, 0] * 25}
        >>> judged = tm.few_labels(rows, truth="t", pred="p", judge="j")
        >>> [(r["pred"], r["judge"], r["more"]) for r in judged.allocation(12)]
        [(0, 0, 4), (1, 0, 4), (1, 1, 4)]

        """
        estimate, wanted = self._planned(metric, model)
        more = allocation(estimate, wanted, n)
        labels = self.tally.labels
        pairs = estimate.pairs
        lines = zip(pairs.predicted[:, 0], pairs.judged, strict=True)
        facts = zip(lines, pairs.rows, pairs.labelled, more, strict=True)
        return Listing(
            tuple(
                {
                    **({"pred": labels[h]} if self.models else {}),
                    "judge": labels[j],
                    "rows": int(rows),
                    "labelled": int(labelled),
                    "more": int(k),
                }
                for (h, j), rows, labelled, k in facts
            )
        )

    def label_next(self, n: int, *, metric: str | None = None, model: str | None = None) -> Listing:
        """Return which rows to label next, so that the interval of a metric gets narrow.

        Parameters
        ----------
        n : int
            How many rows; chosen at random within the pairs of :meth:`allocation`.
        metric, model : str, optional
            As of :meth:`allocation`.

        Returns
        -------
        Listing
            The number of each ``row``, from 1, its prediction and the judge's value. When they
            are labelled, rows are no longer labelled at random: say ``sampled_by="both"``, or
            without predictions ``sampled_by="judge"``.

        Raises
        ------
        InputError
            The result was made from a tally, which holds no rows; nothing is left to label.

        Examples
        --------
        >>> import tallymark as tm
        >>> rows = {"t": [1, 0] * 10 + [None] * 80, "p": [1, 0] * 50, "j": [1, 0, 0, 0] * 25}
        >>> judged = tm.few_labels(rows, truth="t", pred="p", judge="j")
        >>> [r["row"] > 20 for r in judged.label_next(3)]
        [True, True, True]

        """
        if self._rows is None:
            raise InputError(
                "this result was made from a tally, which holds no rows; use allocation(...), or "
                "give the rows to few_labels"
            )
        estimate, wanted = self._planned(metric, model)
        more = allocation(estimate, wanted, n)
        column = None if not self.models else self.models.index(self._model(model))
        chosen = next_rows(self._rows, estimate, more, column, self.seed)
        labels, lines = self.tally.labels, []
        for row in chosen:
            codes = self._rows.codes[row]
            line: dict[str, Any] = {"row": int(self._rows.numbers[row])}
            line |= {m: labels[codes[2 + i]] for i, m in enumerate(self.models)}
            lines.append({**line, self.judged_by: labels[codes[1]]})
        return Listing(tuple(lines))

    def labels_needed(
        self,
        width: float,
        *,
        metric: str | None = None,
        model: str | None = None,
        allocated: bool = False,
    ) -> int:
        """Return how many labels in all give an interval of a width.

        Parameters
        ----------
        width : float
            The whole width of the interval, such as 0.1 for ±0.05.
        metric, model : str, optional
            As of :meth:`allocation`.
        allocated : bool
            Whether the rows are chosen by :meth:`label_next`, else at random.

        Returns
        -------
        int
            Σ W σ² / (width² / (2z)² - B / n) labels at random, (Σ W σ)² in its numerator for chosen
            ones; B is the variance between pairs, which labels do not reduce. Of a first sample of
            50 labels it is a rough plan.

        Raises
        ------
        InputError
            Not even labels for all rows would give that width.

        Examples
        --------
        >>> import tallymark as tm
        >>> rows = {"t": [1, 0] * 10 + [None] * 980, "p": [1, 0] * 500, "j": [1, 0, 0, 0] * 250}
        >>> judged = tm.few_labels(rows, truth="t", pred="p", judge="j")
        >>> judged.labels_needed(0.2), judged.labels_needed(0.2, allocated=True)
        (24, 23)

        """
        estimate, wanted = self._planned(metric, model)
        return labels_needed(estimate, wanted, width, allocated)

    def table(self) -> Listing:
        """Return a row a metric of each model, and a row a class without predictions."""
        return Listing(tuple(self._lines()))

    def _lines(self) -> Sequence[dict[str, Any]]:
        lines = []
        numbered: list[JudgedMetric | JudgedShare] = [*self.metrics]
        numbered += [] if self.models else self.shares
        for who in numbered:
            if isinstance(who, JudgedMetric):
                head: dict[str, Any] = {"model": who.model, "metric": who.value.metric}
            else:
                head = {"model": None, "metric": f"share of {who.label}"}
            numbers = {n: getattr(who.value, n) for n in ("value", "low", "high", "level")}
            alone = who.labels_only
            numbers |= {
                "labels_only": math.nan if alone is None else alone.value,
                "labels_only_low": math.nan if alone is None else alone.low,
                "labels_only_high": math.nan if alone is None else alone.high,
                "judge_as_truth": who.judge_as_truth,
                "method": who.value.method,
                "reason": who.value.reason,
            }
            lines.append({**head, **numbers})
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        names = (
            "source judged_by rows labelled positive level seed sampled_by metrics shares judge "
            "differences dependence notes subgroups read_as tally"
        )
        fields = {n: plain_data(getattr(self, n)) for n in names.split()}
        return {**self._heading("few-labels"), **fields}

    def report(self, path: str | PathLike[str] = "judge.html") -> Path:
        """Write one self-contained HTML file, which needs no network."""
        from tallymark.parts.judges.page import of_labels

        return write_text(path, of_labels(self))
