"""The values of counted models with their intervals: of rows that stand alone, or of clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tallymark.data import CountedRows, Model
from tallymark.errors import InputError
from tallymark.infer import clustered
from tallymark.infer.clustered import Clustered
from tallymark.infer.interval import Intervals
from tallymark.metric import get
from tallymark.metric.binning_bounds import with_binning_bounds
from tallymark.metric.measure import Statistic, Value
from tallymark.tally.arrays import Label
from tallymark.tally.labels import against_rest

PER_CLASS = (
    "sensitivity", "specificity", "precision", "f1", "prevalence", "roc_auc", "average_precision",
)  # fmt: skip
"""The metrics of each class against the rest, where there are more than two."""


class Judge:
    """All that was counted, and how its numbers are bounded.

    ``by_class`` takes the shares of the classes as known, not as sampled.
    """

    def __init__(
        self, counted: CountedRows, *, level: float = 0.95, seed: int = 0, by_class: bool = False
    ) -> None:
        self.counted = counted
        self.options: dict[str, Any] = {"level": level, "seed": seed, "by_class": by_class}
        self._rows: dict[tuple[str, int], Clustered] = {}

    def values(
        self,
        model: Model,
        statistics: Mapping[str, Statistic],
        only: Label | None = None,
        draws: int | None = None,
    ) -> dict[str, Value]:
        """Return each statistic of a model with its interval.

        ``only`` names the class whose tallies against the rest the model holds; ``draws`` are those
        of clusters.
        """
        decided = ("counts", "matrix")
        rows = self.clustered(model.name, draws)
        if rows is not None and only is not None:
            rows = rows.of_class(only)
        options = {**self.options, "clustered": rows}
        labelled = {k: s for k, s in statistics.items() if s.metric.needs in decided}
        scored = {k: s for k, s in statistics.items() if s.metric.needs not in decided}
        found = Intervals(model.labels, **options).of(labelled)
        if scored:
            found |= Intervals(model.scores, sums=model.sums, **options).of(scored)
            for key, statistic in scored.items():
                if statistic.metric.needs != "rows" or model.sums is None:
                    found[key] = with_binning_bounds(found[key], statistic, model.scores)
        return found

    def of_class(self, model: Model, label: Label) -> dict[str, Value]:
        """Return what is told of one class against the rest."""
        scores = tuple(t for t in model.scores if t.positive == label)
        labels = against_rest(model.labels, label)
        alone = replace(model, labels=labels, scores=scores, probabilities=False)
        statistics = {
            n: Statistic.of(get(n), labels.labels, label) for n in PER_CLASS if alone.holds(get(n))
        }
        return self.values(alone, statistics, label)

    def clustered(self, name: str, draws: int | None = None) -> Clustered | None:
        """Return a model's rows in their clusters, None where every row stands alone."""
        key = (name, draws or clustered.DRAWS)
        if self.counted.clusters and key not in self._rows:
            seed, by_class = self.options["seed"], self.options["by_class"]
            self._rows[key] = Clustered.of(
                self.counted, name, seed=seed, by_class=by_class, draws=key[1]
            )
        return self._rows.get(key)

    def by_method(
        self, model: Model, statistic: Statistic, method: str, draws: int | None
    ) -> Value:
        """Return a statistic of a model with the interval of one method.

        Raises
        ------
        InputError
            A method that takes rows as independent where they come in clusters, or the shares of
            the classes as sampled where they are given.

        """
        if self.counted.clusters and method != "auto":
            raise InputError(
                f"{method} takes rows as independent, and these come in clusters; leave method out"
            )
        if self.counted.clusters or (method == "auto" and draws is None):
            return self.values(model, {"": statistic}, draws=draws)[""]
        from tallymark.infer.methods import DRAWS, interval_by

        method = "percentile" if method == "auto" else method
        if self.options["by_class"] and method != "stratified":
            raise InputError(
                f"{method} takes the shares of the classes as sampled, and here they are given; "
                "say method='stratified'"
            )
        labelled = statistic.metric.needs in ("counts", "matrix")
        tally = model.labels if labelled else model.scores
        read = model.sums if statistic.metric.needs == "rows" and model.sums else tally
        found = interval_by(
            method, statistic, tally, statistic.point(read), level=self.options["level"],
            seed=self.options["seed"], draws=draws or DRAWS,
        )  # fmt: skip
        of_scores = not labelled and read is model.scores
        return with_binning_bounds(found, statistic, model.scores) if of_scores else found
