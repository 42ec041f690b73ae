"""The numbers of counted models with their intervals: of rows that stand alone, or of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tallymark.data import CountedRows, Model
from tallymark.errors import InputError
from tallymark.infer import clustered
from tallymark.infer.clustered import Clustered
from tallymark.infer.intervals import interval
from tallymark.infer.tallies import Single
from tallymark.metric import Metric
from tallymark.metric.binning_bounds import with_binning_bounds
from tallymark.metric.measure import Statistic, Value
from tallymark.tally.arrays import Label


class Inference:
    """All that was counted, and how its numbers are bounded.

    ``stratified`` takes the shares of the classes as known, not as sampled.
    """

    def __init__(
        self,
        counted: CountedRows,
        *,
        level: float = 0.95,
        seed: int = 0,
        stratified: bool = False,
    ) -> None:
        self.counted = counted
        self.options: dict[str, Any] = {
            "level": level,
            "seed": seed,
            "stratified": stratified,
        }
        self._clusters: dict[tuple[str, int], Clustered] = {}

    def values(
        self, model: Model, statistics: Mapping[str, Statistic], draws: int | None = None
    ) -> dict[str, Value]:
        """Return each statistic of a model with its interval; ``draws`` are those of clusters."""
        clusters = self.clusters(model.name, draws)
        found = interval(statistics, Single.of(model), clusters=clusters, **self.options)
        return {key: made.value() for key, made in found.items()}

    def of_class(self, model: Model, label: Label, metrics: Iterable[Metric]) -> dict[str, Value]:
        """Return the metrics that one class against the rest has, with their intervals."""
        scored = any(t.positive == label for t in model.scores)
        statistics = {
            m.name: Statistic.of(m, self.counted.classes, label, "binary")
            for m in metrics
            if m.of_one_class and model.holds(m) and (scored or m.wanted == "decisions")
        }
        return self.values(model, statistics)

    def clusters(self, name: str, draws: int | None = None) -> Clustered | None:
        """Return a model's rows in their clusters, None where every row stands alone."""
        key = (name, draws or clustered.DRAWS)
        if self.counted.clusters and key not in self._clusters:
            self._clusters[key] = Clustered.of(
                self.counted,
                name,
                seed=self.options["seed"],
                stratified=self.options["stratified"],
                draws=key[1],
            )
        return self._clusters.get(key)

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
        if self.options["stratified"] and method != "stratified":
            raise InputError(
                f"{method} takes the shares of the classes as sampled, and here they are given; "
                "say method='stratified'"
            )
        labelled = statistic.metric.needs in ("counts", "matrix")
        tally = model.labels if labelled else statistic.asked_for(model.scores)
        read = model.sums if statistic.metric.needs == "rows" and model.sums else tally
        found = interval_by(
            method, statistic, tally, statistic.point(read), level=self.options["level"],
            seed=self.options["seed"], draws=draws or DRAWS,
        )  # fmt: skip
        of_scores = not labelled and read is tally
        return with_binning_bounds(found, statistic, model.scores) if of_scores else found
