"""Counted scores turned into decisions, and the rule by which that was done."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tallymark.curve import best_thresholds
from tallymark.data.columns import ModelRoles
from tallymark.data.models import Model, Note
from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.metric.binning_bounds import binning_bounds
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Label
from tallymark.tally.bins import nearest_cut
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

_ROW_SUM_TOLERANCE = 0.01
"""Rounded probabilities of a row may miss 1 by this much and still be probabilities."""


@dataclass(slots=True)
class Count:
    """What is counted of one model, chunk by chunk."""

    labels: LabelTally | None = None
    scores: list[ScoreTally] = field(default_factory=list)
    sums: Sums | None = None
    worst_sum: float = 0.0

    def as_rows(self) -> None:
        """Take weights that are counts for so many rows of weight 1."""
        counts = [t.counts for t in (self.labels, *self.scores) if t is not None]
        if any((c != np.trunc(c)).any() for c in counts):
            raise InputError("the column of counts holds fractions; counts are whole numbers")
        if self.labels is not None:
            self.labels = LabelTally(self.labels.labels, self.labels.counts)
        self.scores = [replace(t, sum_squared_weights=None, rows=-1) for t in self.scores]


def decide(
    columns: ModelRoles,
    count: Count,
    positive: Label | None,
    threshold: float | None,
    notes: list[Note],
) -> Model:
    """Turn counted scores into decisions, and say by which rule."""
    scores, name = tuple(count.scores), columns.name
    if not scores:
        assert count.labels is not None
        return Model(name, count.labels, (), False, None, "predictions as given")
    notes += [told_of_bins(t, name) for t in scores if t.bins is not None]
    low = min(float(t.scores[0]) for t in scores)
    high = max(t.highest for t in scores)
    probabilities = low >= 0 and high <= 1
    if not probabilities:
        worst = low if low < 0 else high
        notes.append(
            Note(
                "not-probabilities",
                "warning",
                f"{columns.scores[0] if columns.scores else name} holds {worst:.6g}, outside 0 to "
                "1: it is treated as a score that ranks, not as a probability",
                name,
            )
        )
    if positive is None:
        if probabilities and count.worst_sum > _ROW_SUM_TOLERANCE:
            probabilities = False
            notes.append(
                Note(
                    "not-probabilities",
                    "warning",
                    f"the scores of one row of {name} miss a sum of 1 by {count.worst_sum:.3g}: "
                    "they are treated as scores, not as probabilities",
                    name,
                )
            )
        assert count.labels is not None
        rule = "predictions as given" if columns.pred else "the most probable class"
        return Model(name, count.labels, scores, probabilities, None, rule, count.sums)
    if count.labels is not None and threshold is None:
        return Model(name, count.labels, scores, probabilities, None, "predictions as given")
    if threshold is not None:
        cut = nearest_cut(scores[0], float(threshold))
        rule = rule_of(cut, float(threshold))
    elif probabilities:
        cut = nearest_cut(scores[0], 0.5)
        rule = rule_of(cut, 0.5)
    elif low < 0 < high:
        cut = nearest_cut(scores[0], 0.0)
        rule = rule_of(cut, 0.0)
    else:
        cut, rule = _best(scores[0], name, notes)
    return Model(name, scores[0].at(cut), scores, probabilities, cut, rule)


def told_of_bins(tally: ScoreTally, name: str) -> Note:
    """Say that scores were put into bins, and how much that leaves open."""
    assert tally.bins is not None
    statistic = Statistic.of(get("roc_auc"), tally.labels, tally.positive, "binary")
    found = binning_bounds(statistic, [tally])
    many = f"{name} has too many distinct scores to keep: {len(tally.bins):,} bins hold them"
    left = "each holds one score alone"
    if found is not None:
        left = (
            f"the area under the ROC curve is proved to lie from {found[0]:.9g} to {found[1]:.9g}, "
            "and other numbers carry brackets of their own"
        )
    return Note("binned", "assumed", f"{many}; {left}", name)


def at_threshold(model: Model, threshold: float) -> Model:
    """Return a model of two classes with its decisions made anew."""
    cut = nearest_cut(model.scores[0], float(threshold))
    rule = rule_of(cut, float(threshold))
    return replace(model, labels=model.scores[0].at(cut), threshold=cut, rule=rule)


def rule_of(cut: float, asked: float) -> str:
    """Say which scores are called positive, and where scores in bins allow only another cut."""
    if cut == asked:
        return f"scores at or above {asked:g}"
    return f"scores at or above {cut:.9g}, the edge of a bin that is nearest to {asked:g}"


def _best(tally: ScoreTally, name: str, notes: list[Note]) -> tuple[float, str]:
    """Choose the threshold of highest Youden's J; the middle score where J is undefined."""
    found, _ = best_thresholds(tally, get("youden_j"))
    finite = found[np.isfinite(found)]  # no threshold above every score: that decides nothing
    cut = float(finite[0]) if len(finite) else float(np.median(tally.scores))
    notes.append(
        Note(
            "threshold-chosen",
            "warning",
            f"{name} has no natural threshold, so {cut:.6g} was chosen, the one of highest Youden's"
            " J on these very rows: what it decides looks better here than it will on new rows; "
            "give a threshold",
            name,
        )
    )
    return cut, f"scores at or above {cut:.6g}, chosen on these rows by Youden's J"
