"""A study of metrics: their relations by every unit of analysis, and those of the paper."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tallymark import InputError
from tallymark.core import (
    ANY,
    PATH,
    TEXTS,
    UNITS,
    Document,
    Label,
    Listing,
    Results,
    Unit,
    answer,
    canonical,
    checked,
    chosen_columns,
    contract,
    one_of,
    plain_data,
    read_results,
    whole,
    write_text,
)
from tallymark.parts.relations.page import study_page
from tallymark.parts.relations.relations import FEWEST, OPTIONS, Constant, Relations, relations
from tallymark.parts.relations.representatives import components_of, representatives

LIU = ("accuracy", "kappa", "f1", "mae", "rmse", "roc_auc", "average_precision")
"""The paper's ACC, KAP, FSC, 1-MAE, 1-RMSE, AUC and AUPRC."""

LARGE_ROWS = 3000
"""Rows from which a data set is large: the paper's five have 3,196 and more, the others up to
958."""

BALANCED = 0.4
"""Share of the smaller class from which a data set is balanced. The paper states no limit; among
its data sets the widest gap between a fifth and a half lies around 0.4 (from 0.394 to 0.444)."""


def table5() -> dict[str, Any]:
    """Return the averages over 18 data sets and 8 algorithms, as printed in Table 5.

    >>> table5()["pearson"][0][1], table5()["spearman"][0][1]
    (0.96, 0.94)
    """
    printed = np.array(
        [  # Pearson below the diagonal, Spearman above
            [1.00, 0.94, 0.91, 0.63, 0.59, 0.28, 0.26],
            [0.96, 1.00, 0.90, 0.60, 0.57, 0.29, 0.26],
            [0.94, 0.94, 1.00, 0.60, 0.55, 0.29, 0.26],
            [0.67, 0.63, 0.63, 1.00, 0.77, 0.46, 0.41],
            [0.63, 0.61, 0.58, 0.79, 1.00, 0.43, 0.39],
            [0.30, 0.29, 0.29, 0.47, 0.45, 1.00, 0.85],
            [0.26, 0.26, 0.26, 0.42, 0.40, 0.89, 1.00],
        ]
    )
    pearson = np.tril(printed) + np.tril(printed, -1).T
    spearman = np.triu(printed) + np.triu(printed, 1).T
    return {"metrics": list(LIU), "pearson": pearson.tolist(), "spearman": spearman.tolist()}


@checked
class Study(Document):
    """Relations among metrics over one table of results, by every unit of analysis it allows.

    Printing it shows the correlations at the chosen unit, the groups, and how far the other units
    differ.
    """

    def __init__(
        self,
        results: Results,
        unit: Unit | None = None,
        *,
        large: int = LARGE_ROWS,
        balanced: float = BALANCED,
        candidates: Results | None = None,
        composites: Mapping[str, Sequence[str]] | None = None,
        against: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        self.results = results
        self.unit: Unit = unit or results.units[0]
        self.large, self.balanced = large, balanced
        self._options = options  # of relations
        self.candidates = candidates or results  # to represent the metrics of the results
        metrics = self.candidates.metrics
        self.composites = components_of(metrics, composites or {}, self.source)
        self.against = _represented(metrics, against, self.source)
        self._relations: dict[Unit, Relations] = {}
        self.relations(self.unit)  # refuses at once what cannot be done

    @property
    def source(self) -> str:
        """The name of the results."""
        return self.results.source

    @checked(unit=one_of(*UNITS, "algorithm"))
    def relations(self, unit: Unit | None = None) -> Relations:
        """Return the relations at a unit of analysis, by default the one asked for.

        Raises
        ------
        InputError
            A unit that does not exist, or that the results do not hold.

        """
        unit = unit or self.unit
        if unit not in self._relations:
            self._relations[unit] = relations(self.results, unit, **self._options)
        return self._relations[unit]

    def _every(self) -> dict[Unit, Relations]:
        """Return the relations at every unit of analysis that the results allow."""
        lacking = self._lacking()
        return {unit: self.relations(unit) for unit in UNITS if unit not in lacking}

    def _lacking(self) -> dict[Unit, str]:
        """Return why other units of analysis are not possible."""
        out: dict[Unit, str] = {}
        for unit in UNITS:
            try:
                self.relations(unit)
            except InputError as error:
                out[unit] = str(error)
        return out

    def between(self) -> Relations:
        """Return the relations over the algorithms of each data set.

        They show whether metrics choose the same algorithm, which relations within one do not.

        Raises
        ------
        InputError
            Fewer than three algorithms on every data set.

        """
        return self.relations("algorithm")

    @checked(unit=one_of(*UNITS, "algorithm"))
    def representatives(self, unit: Unit | None = None) -> Listing:
        """Return how well each metric and composite represents the metrics ``against``.

        One row each, the best first: ``smallest`` and ``mean``, the smallest and the mean of its
        Spearman correlations with them, from -1 to 1, each with a basic bootstrap interval
        over data sets; ``smallest_with``, where the smallest is. A composite is the plain mean of
        its ``components``, a loss entering as 1 - loss. Its components can only make ``smallest``
        smaller and are included there; ``mean`` leaves them out. An undefined number is NaN.

        Raises
        ------
        InputError
            A unit that does not exist, or that the results do not hold.

        Examples
        --------
        >>> t = {"dataset": ["a"] * 4, "algorithm": ["x"] * 4, "repeat": [0, 1, 2, 3],
        ...      "accuracy": [0.9, 0.8, 0.7, 0.6], "roc_auc": [0.9, 0.7, 0.8, 0.6]}
        >>> best = study(t).representatives()[0]
        >>> best["name"], round(best["smallest"], 3), best["smallest_with"]
        ('accuracy + AUC', 0.949, 'accuracy')

        """
        of = self.candidates, unit or self.unit, self.against, self.composites
        return Listing(tuple(representatives(*of, **self._options)))

    @checked(unit=one_of(*UNITS, "algorithm"))
    def splits(self, unit: Unit | None = None) -> dict[str, Relations]:
        """Return the relations over large and small, balanced and imbalanced data sets.

        A part is there where the facts of some data set put it there: ``rows`` from ``large`` on,
        ``minority`` from ``balanced`` on.
        """
        averages = self.relations(unit)
        parts = {n: [d for d in some if d in averages.datasets] for n, some in self.parts().items()}
        return {name: averages.only(datasets=some) for name, some in parts.items() if some}

    def parts(self) -> dict[str, tuple[str, ...]]:
        """Return which data sets are large, small, balanced and imbalanced, where it is known."""
        r = self.results
        with np.errstate(invalid="ignore"):
            masks = {
                "large": r.rows >= self.large,
                "small": r.rows < self.large,
                "balanced": r.minority >= self.balanced,
                "imbalanced": r.minority < self.balanced,
            }
        named = {n: tuple(np.array(r.datasets)[m].tolist()) for n, m in masks.items()}
        return {n: some for n, some in named.items() if some}

    def _distances(self) -> dict[Unit, float]:
        """Return how far each unit's averages lie from Table 5 of Liu et al., where comparable.

        The mean absolute difference over both coefficients; only where all metrics of the table
        are among the results, and every pair of them has a correlation.
        """
        printed = table5()
        in_table = {canonical(m) for m in printed["metrics"]}
        if not in_table <= {canonical(m) for m in self.results.metrics}:
            return {}
        by_unit = {u: r.distance(printed) for u, r in self._every().items()}
        return {u: d for u, d in by_unit.items() if not math.isnan(d)}

    @checked(unit=one_of(*UNITS, "algorithm"))
    def table(self, unit: Unit | None = None) -> Listing:
        """Return a row a pair of metrics: both correlations, their intervals and counts."""
        return Listing(tuple(self.relations(unit).pairs()))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, as ``study.schema.json`` describes.

        ``results`` counts the lines of the table (folds and pooled repeats); an undefined number
        is None. ``units`` holds what :meth:`relations` finds by each unit that the results allow
        and ``lacking`` why the others cannot be had; ``between_algorithms`` is a sentence where
        there are too few of them. ``representatives`` holds what :meth:`representatives` returns by
        the same units and, where there are three algorithms, over the algorithms; ``represented``
        the metrics to represent.
        """
        r, every = self.results, self._every()
        datasets = zip(r.datasets, r.rows, r.minority, strict=True)
        units = list(every)
        try:
            between: dict[str, Any] | str = self.between().to_dict()
            units.append("algorithm")
        except InputError as error:
            between = str(error)
        splits = {name: part.to_dict() for name, part in self.splits().items()}
        for part in splits.values():
            del part["cells"]
        return {
            **self._heading("study"),
            "source": self.source,
            "results": len(r),
            "unit": self.unit,
            "units": {u: relations.to_dict() for u, relations in every.items()},
            "between_algorithms": between,
            "lacking": self._lacking(),
            "datasets": [
                {"name": d, "rows": _number(n), "minority": _number(m)} for d, n, m in datasets
            ],
            "stability_of_groups": {u: _number(r.stability()) for u, r in every.items()},
            "represented": list(self.against),
            "representatives": {u: plain_data(self.representatives(u).to_dicts()) for u in units},
            "large_from_rows": self.large,
            "balanced_from_minority": self.balanced,
            "splits": splits,
            "distance_from_liu2014_table5": self._distances(),
        }

    def report(self, path: str | os.PathLike[str] = "study.html") -> Path:
        """Write one self-contained HTML file, which needs no network."""
        return write_text(path, study_page(self))


def _represented(
    metrics: Sequence[str], chosen: Sequence[str] | None, where: str
) -> tuple[str, ...]:
    """Return the metrics to represent: those asked for, or the seven of Liu et al., or all."""
    if chosen is None:
        of_liu = {canonical(m) for m in LIU}
        chosen = [m for m in metrics if canonical(m) in of_liu]
        chosen = chosen if len(chosen) > 1 else metrics
    return tuple(chosen_columns(metrics, chosen, where, several=True))


def _number(value: float) -> float | int | None:
    if math.isnan(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


@checked(
    **{**OPTIONS, "algorithms": ANY},
    source=ANY,
    unit=one_of(*UNITS),
    metrics=TEXTS,
    composites=contract.mapping(
        "metrics by the name of their mean, {'both': ['accuracy', 'roc_auc']}"
    ),
    against=TEXTS,
    large=whole(1),
    balanced=contract.number("[0, 0.5]", "a share of the smaller class, from 0 to 0.5"),
    repeats=whole(1),
    folds=whole(2),
    jobs=whole(1),
    results=PATH,
    positive=ANY,
    targets=contract.mapping("a column by data set, {name: column}"),
)
def study(
    source: Any,
    unit: Unit | None = None,
    *,
    metrics: Sequence[str] | None = None,
    constant: Constant = "skip",
    level: float = 0.95,
    large: int = LARGE_ROWS,
    balanced: float = BALANCED,
    cut: float | None = None,
    composites: Mapping[str, Sequence[str]] | None = None,
    against: Sequence[str] | None = None,
    algorithms: Sequence[str] | None = None,
    repeats: int = 10,
    folds: int = 10,
    seed: int = 0,
    jobs: int | None = None,
    results: str | os.PathLike[str] | None = None,
    targets: Mapping[str, str] | None = None,
    positive: Mapping[str, Label] | Label | None = None,
    progress: Any = None,
    header: bool | None = None,
) -> Study:
    """Study which metrics say the same, from a table of results or by running the experiment.

    Parameters
    ----------
    source : table of results, folder of data sets, one of them, or list of their files
        A table is a path, a frame or a dictionary of columns; see
        :func:`tallymark.reading.result_table.read_results`. A file that has none of a table's
        columns ``dataset``, ``algorithm`` and ``repeat`` is a data set. Of data sets the experiment
        is run first: ``algorithms``, ``repeats``, ``folds``, ``seed``, ``jobs``, ``results`` (where
        to keep the table), ``targets`` (columns of the class by data set), ``positive`` (the
        positive class, of all or by data set), ``header`` and ``progress`` (called with done and
        total) are its arguments. Its table has every
        metric; the relations are then among the seven of Liu et al. unless ``metrics`` names
        others, and every metric is a candidate to represent them.
    unit : {"repeat", "pooled", "fold"}, optional
        What one result is; by default the mean over the folds of a repeat if there are folds.
    metrics, constant, level
        See :func:`tallymark.parts.relations.relations.relations`.
    large, balanced : int, float
        Rows, and share of the smaller class, from which a data set counts as such.
    cut : float, optional
        The correlation above which metrics make a group.
    composites : {name: list of metrics}, optional
        Means of metrics that might represent all others, beside those of
        :data:`tallymark.parts.relations.representatives.COMPOSITES`; see
        :meth:`Study.representatives`.
    against : list of metrics, optional
        The metrics to represent; by default those of the seven of Liu et al. that the table has,
        or all metrics if it has fewer than two of them.

    Raises
    ------
    InputError
        A table or data set that cannot be used, an option that does not exist, or a composite of
        fewer than two metrics, of one twice, or with the name of a metric.

    Examples
    --------
    >>> t = {"dataset": ["a"] * 4, "algorithm": ["x"] * 4, "repeat": [0, 1, 2, 3],
    ...      "fold": [0] * 4, "accuracy": [0.9, 0.8, 0.7, 0.6], "mae": [0.1, 0.2, 0.35, 0.3]}
    >>> s = study(t)
    >>> s.unit, round(s.table()[0]["spearman"], 6)
    ('repeat', 0.8)

    """
    experiment = answer("results", source, results)
    if experiment is None:
        table = candidates = read_results(source, metrics)
    else:
        # Refuse what the relations would refuse before the experiment, not after it.
        names_asked = None if metrics is None else [canonical(m) for m in metrics]
        names = experiment.metrics(names_asked)
        if len(names) < 2:
            raise InputError("metrics names only one; relations need two or more")
        components_of(names, composites or {}, "the experiment")
        _represented(names, against, "the experiment")
        if unit != "fold" and isinstance(repeats, int) and 0 < repeats < FEWEST:
            raise InputError(
                f"repeats is {repeats}; a correlation needs {FEWEST} or more: repeat more often, "
                "or use the unit 'fold'"
            )
        columns = experiment.table(
            algorithms=algorithms,
            repeats=repeats,
            folds=folds,
            seed=seed,
            jobs=jobs,
            progress=progress,
            targets=targets,
            positive=positive,
            header=header,
        )
        every = replace(read_results(columns), source=f"the experiment on {_name_of(source)}")
        table = read_results(every, LIU if metrics is None else metrics)
        candidates = every if metrics is None else table
    return Study(
        table,
        unit,
        large=large,
        balanced=balanced,
        candidates=candidates,
        composites=composites,
        against=against,
        constant=constant,
        level=level,
        cut=cut,
    )


def _name_of(source: Any) -> str:
    if isinstance(source, list | tuple):
        return f"{len(source)} data set" + ("s" if len(source) > 1 else "")
    return Path(source).resolve().name
