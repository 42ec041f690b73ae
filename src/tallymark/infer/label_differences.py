"""Compute differences between models on the same rows, with several labels per row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.infer.contrasts import Bounds, of_paired_shares, of_student, square_and_add
from tallymark.infer.difference import Contrast, SameRows, refuse_one_model
from tallymark.infer.intervals import Inference
from tallymark.infer.label_averages import LabelColumns, is_over_rows
from tallymark.infer.significance import Evidence, mcnemar
from tallymark.metric import Metric, get
from tallymark.metric.measure import Statistic, Value
from tallymark.reading.indicators import LabelSets


class PairedLabels(SameRows):
    """Several models on the same rows with several labels, compared with their correlation.

    - A mean over rows that are wholly right or wrong, such as the subset accuracy, is a
      proportion: Tango's score interval and McNemar's test;
    - any other smooth metric: the delete-one (row or cluster) jackknife of the difference, with
      Student's t;
    - otherwise, or if no row distinguishes the models: square-and-add of both intervals, as if
      independent.
    """

    def __init__(
        self, inference: Inference, sets: LabelSets, values: Mapping[str, Mapping[str, Value]]
    ) -> None:
        super().__init__(sets.labels, None, inference.level)
        self.inference, self.sets, self.values = inference, sets, values

    def statistic(self, metric: Metric, **definition: Any) -> Statistic:
        """Return a metric over all labels; ``definition`` goes to :meth:`LabelSets.statistic`."""
        return self.sets.statistic(metric, **definition)

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names; raises InputError if there are fewer than two."""
        return refuse_one_model(tuple(m.name for m in self.sets.models))

    @property
    def simple(self) -> bool:
        """Whether rows are unweighted and not clustered."""
        return not self.sets.weighted and self.sets.clusters is None

    def judged(self, contrasts: Sequence[Contrast]) -> list[Bounds]:
        """Return the bounds of differences, each by the first method that applies."""
        return [
            self._of_shares(c) or self._of_jackknife(c) or square_and_add(c.a, c.b)
            for c in contrasts
        ]

    def warning(self, s: Statistic, pair: tuple[str, str], bounds: Bounds) -> str | None:
        """Return the warning about few rows of a label, which both values have."""
        warnings = (self.values[name][s.metric.name].warning for name in pair)
        return next(filter(None, warnings), None)

    def columns(self, name: str) -> LabelColumns:
        """Return a model's columns of all labels."""
        return self.inference.columns(self.sets.model(name))

    def _of_shares(self, c: Contrast) -> Bounds | None:
        """Return the bounds of a proportion; None for other metrics, weighted or clustered rows."""
        if not self.simple or not is_over_rows(c.statistic):
            return None
        one, other = (self.columns(name).in_rows(c.statistic) for name in (c.first, c.second))
        if not np.isin([one, other], (0.0, 1.0)).all():
            return None
        return of_paired_shares([_four(one == 1, other == 1)], self.level)[0]

    def _of_jackknife(self, c: Contrast) -> Bounds | None:
        """Return the bounds from the jackknife of the difference; None if it is not smooth."""
        smooth = c.metric._sampling.error in ("smooth", "optimistic")
        bounded = math.isfinite(c.a.low + c.b.low)
        if not is_over_rows(c.statistic) and not (smooth and bounded):
            return None
        columns = [self.columns(name) for name in (c.first, c.second)]
        one, other = (of.jackknife(c.statistic) for of in columns)
        gaps = c.gap + (one.values - one.value) - (other.values - other.value)
        joint = replace(one, value=np.asarray(c.gap), values=gaps)
        error, freedom, _ = map(float, joint.standard_error)
        if not (math.isfinite(error) and error > 0):
            return None
        degrees = min(freedom, columns[0].degrees_of(c.statistic))
        return of_student(c.gap, error, degrees, self.level, self._title)

    @property
    def _title(self) -> str:
        of = " of clusters" if self.sets.clusters is not None else ""
        return f"paired jackknife{of}, Student's t{', weighted rows' * self.sets.weighted}"

    def alike(self, first: str, second: str, decisive: Metric) -> bool:
        """Return whether two models decide all labels alike, and score them alike if needed."""
        a, b = (self.sets.model(name) for name in (first, second))
        if not np.array_equal(a.decided, b.decided) or decisive.wanted == "decisions":
            return np.array_equal(a.decided, b.decided)
        assert a.scores is not None
        assert b.scores is not None
        return np.array_equal(a.scores, b.scores)

    def evidence(self, first: str, second: str) -> list[Evidence]:
        """Return McNemar's tests of the rows in which only one of two models is wholly right."""
        if not self.simple:
            return []
        whole, true = get("subset_accuracy").in_a_sentence, self.sets.true
        right = [(self.sets.model(name).decided == true).all(1) for name in (first, second)]
        _, one, other, _ = _four(*right)
        tests = (mcnemar(one, other, m) for m in ("mid-p", "exact", "chi-square", "corrected"))
        return [replace(t, name=f"{t.name}, {whole}") for t in tests]


def _four(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Return the numbers of rows that both hit, only the first, only the second, and neither."""
    cases = (one & other, one & ~other, ~one & other, ~one & ~other)
    both, first, second, none = (float(case.sum()) for case in cases)
    return both, first, second, none
