"""What was counted: classifiers as tallies, what was assumed, and what not to trust."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tallymark.display import Display
from tallymark.metric import Metric
from tallymark.tally.arrays import Label
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import SubgroupCounts
from tallymark.tally.sums import Sums


@dataclass(frozen=True, slots=True, repr=False)
class Note(Display):
    """Something assumed, or a warning that a number should not be trusted."""

    code: str
    kind: Literal["assumed", "warning"]
    text: str
    model: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Model(Display):
    """One classifier's tallies, and the rule by which its decisions were made.

    ``scores`` is empty without scores, holds one tally for two classes and one a class for more.
    ``threshold`` is None where decisions were given or are winner-takes-all.
    """

    name: str
    labels: LabelTally
    scores: tuple[ScoreTally, ...]
    probabilities: bool
    threshold: float | None
    rule: str
    sums: Sums | None = None

    def holds(self, metric: Metric) -> bool:
        """Tell whether the tallies hold what a metric reads."""
        if metric.needs in ("counts", "matrix"):
            return True
        if metric.family == "probability" and not self.probabilities:
            return False
        if metric.needs == "rows" and self.sums is None and len(self.labels.labels) > 2:
            return False
        # Of two classes the metrics of all columns at once are other names for the ROC area.
        many = metric.classes == "many" or metric.needs == "class_scores"
        return bool(self.scores) and (not many or len(self.labels.labels) > 2)


@dataclass(frozen=True, slots=True, repr=False)
class CountedRows(Display):
    """All that was counted: what an evaluation is made of.

    ``joint`` holds the rows of several models side by side, or of one whose rows come in clusters;
    None for one model of rows that stand alone, for counts made elsewhere, and where the rows would
    take more than :data:`MOST_KEPT` bytes. ``subgroup_counts`` holds those of subgroups, where
    they were asked for.
    """

    source: str
    rows: int
    dropped: int
    classes: tuple[Label, ...]
    positive: Label | None
    models: tuple[Model, ...]
    notes: tuple[Note, ...]
    weighted: bool
    joint: PairedPredictions | None = None
    subgroup_counts: SubgroupCounts | None = None

    @property
    def clusters(self) -> int | None:
        """How many groups of rows that belong together there are; None where rows stand alone."""
        return None if self.joint is None else self.joint.groups
