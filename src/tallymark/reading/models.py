"""The counted models: tallies, decision rules, assumptions and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import read
from tallymark.display import Display
from tallymark.errors import InputError, check_name
from tallymark.findings.finding import Finding, read_note
from tallymark.findings.notes import (
    BINNED,
    BINNED_EXACTLY,
    FOR_MISSING,
    IN_PERCENT,
    NOT_PROBABILITIES,
    ONE_THRESHOLD,
    PAIRS_LEFT_OUT,
    SUM_OFF_ONE,
    THRESHOLD_CHOSEN,
)
from tallymark.metric import Metric, get
from tallymark.metric.binning_bounds import binning_bounds
from tallymark.metric.matrix import misses
from tallymark.metric.measure import Statistic
from tallymark.part import part_roles, tally_of
from tallymark.reading.columns import ModelRoles
from tallymark.reading.derived import ROW_SUM_TOLERANCE
from tallymark.reading.source import Source
from tallymark.reading.totals import agree, facts, read_subgroups
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.bins import nearest_cut
from tallymark.tally.io import Saved, by_role, part
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.labels import LabelTally
from tallymark.tally.merge import with_classes
from tallymark.tally.occupied import head
from tallymark.tally.role_tally import RoleTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

if TYPE_CHECKING:
    from tallymark.tally.subgroups import SubgroupCounts


@dataclass(frozen=True, slots=True, repr=False)
class Model(Saved, Display):
    """The tallies of one classifier, and the rule of its decisions.

    ``scores`` is empty without scores, has one tally for two classes, else one per class.
    ``threshold`` is None if decisions were given or the class with the highest score is predicted.
    """

    name: str
    labels: LabelTally = field(metadata=part(LabelTally.from_dict))
    scores: tuple[ScoreTally, ...] = field(metadata=part(ScoreTally.from_dict, many=True))
    probabilities: bool
    threshold: float | None
    rule: str
    _sums: Sums | None = field(default=None, metadata=part(Sums.from_dict))
    _role_tallies: Mapping[str, RoleTally] = field(
        default_factory=dict,
        metadata=by_role(
            lambda role, data: tally_of(role.name).from_dict(data), attrgetter("plural")
        ),
    )
    """The scores with the numbers of each role, for the metrics and curves that read it."""

    _requested: float | None = field(default=None, metadata={"optional": True})
    """The threshold given by the user; for binned scores, ``threshold`` is the nearest bin edge."""

    def _available(self, metrics: Iterable[Metric]) -> list[Metric]:
        """Return the metrics that the tallies can compute."""
        return [m for m in metrics if self._holds(m)]

    def _holds(self, metric: Metric) -> bool:
        """Return whether the tallies have the inputs of a metric."""
        if metric._role and metric._listed and metric._role not in self._role_tallies:
            return False  # others are computed on request only, and count each row as 1
        if metric._needs in ("counts", "matrix"):
            return True
        if metric.family == "multi-label":
            return False
        if metric.family == "probability" and not self.probabilities:
            return False
        if metric._needs == "rows" and self._sums is None and len(self.labels.labels) > 2:
            return False
        if metric.classes == "two" and len(self.labels.labels) > 2:
            return False
        # For two classes, metrics over all score columns duplicate the ROC area.
        many = metric.classes == "many" or metric._needs == "class_scores"
        return bool(self.scores) and (not many or len(self.labels.labels) > 2)

    def _refusal(self, metric: Metric) -> InputError:
        """Return the error for a metric whose inputs are missing: which, and what to give."""
        if metric.family == "multi-label":
            return InputError(
                f"{metric.name} is for rows with several labels, and these rows have one class "
                "each; give one true column of 0 and 1 per label"
            )
        if self.scores and metric.family == "probability" and not self.probabilities:
            return InputError(
                f"{metric.name} needs probabilities, and {self.name} holds scores; calibrate them "
                "first"
            )
        classes = len(self.labels.labels)
        if metric.classes == "two" and classes > 2:
            return metric._not_of_several(classes)
        if self.scores and metric.classes == "many" and classes == 2:
            return InputError(
                f"{metric.name} is for more than two classes, and there are two; choose another "
                "metric"
            )
        if self.scores and metric._needs == "class_scores" and classes == 2:
            return InputError(
                f"{metric.name} averages over the scores of several classes, and two classes have "
                "one; take roc_auc"
            )
        return InputError(
            f"{metric.name} needs {metric.wanted}, and {self.name} has none; give y_score"
        )


@dataclass(frozen=True, slots=True, repr=False)
class CountedRows(Saved, Display):
    """The counts of all models, from which an evaluation is computed.

    ``joint`` is the row-level data of several models, or of one with a score per class or with
    clusters; None for a single model otherwise, for user-supplied counts, for binned scores, and if
    the rows exceed :data:`MOST_KEPT` bytes. ``subgroup_counts`` are those of subgroups, if
    requested.
    """

    _kind: ClassVar[str] = "counted-rows"
    source: Source = field(metadata=part(Source.from_dict))
    rows: int
    dropped: int
    classes: tuple[Label, ...]
    positive: Label | None
    models: tuple[Model, ...] = field(metadata=part(Model.from_dict, many=True))
    notes: tuple[Finding, ...] = field(metadata=part(read_note, many=True))
    weighted: bool
    joint: PairedPredictions | None = field(
        default=None, metadata=part(PairedPredictions.from_dict)
    )
    subgroup_counts: SubgroupCounts | None = field(default=None, metadata=part(read_subgroups))

    def _facts(self) -> Iterator[tuple[str, bool]]:
        return facts(self)

    @property
    def one_column(self) -> CountedRows:
        """These counts; with several labels, ``LabelSets.one_column`` raises InputError instead."""
        return self

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        return None if self.joint is None else self.joint.groups

    def model(self, name: str) -> Model:
        """Return the counts of one model."""
        names = [m.name for m in self.models]
        check_name("model", name, names)
        return self.models[names.index(name)]

    @property
    def codes_of_clusters(self) -> NDArray[Any] | None:
        """The cluster of each kept row; None if rows are independent or were not kept."""
        return None if self.joint is None else self.joint.clusters

    @property
    def side_by_side(self) -> bool:
        """Whether the rows of all models were kept, as comparing models requires."""
        return self.joint is not None

    def statistic(self, metric: Metric, **definition: Any) -> Statistic:
        """Return a metric of the classes; ``definition`` is as for :meth:`Statistic.of`."""
        if definition.get("average") is not None:
            read("average", definition["average"])
        return Statistic.of(metric, self.classes, **{"positive": self.positive, **definition})

    def saved(self, keep_pairs: bool | None = None) -> CountedRows:
        """Return the data for a file: row-level data if small, required or requested.

        Raises
        ------
        InputError
            Row-level data that were requested or are required but were not kept.

        """
        joint, counts = self.joint, self.subgroup_counts
        if joint is None and keep_pairs:
            raise InputError(
                "keep_pairs=True is for paired rows of several models, and none were kept here; "
                "leave it out"
            )
        if joint is None:
            return self
        needed = joint.clusters is not None or bool(joint.numbers)
        if needed and keep_pairs is False:
            by_row = ["clusters", *(role.plural for role in part_roles().values())]
            raise InputError(
                f"results for {' or '.join(by_row)} need the rows; leave keep_pairs=False out"
            )
        few = keep_pairs is None and joint.nbytes <= MOST_SAVED
        if needed or keep_pairs or few:
            return self
        notes = (*self.notes, PAIRS_LEFT_OUT.finding(rows=joint.rows))
        apart = counts and replace(counts, of_rows=None)
        return replace(self, joint=None, subgroup_counts=apart, notes=notes)


MOST_SAVED = 1_000_000
"""Limit in bytes for saving row-level data by default: 60,000 rows of two models."""


@dataclass(frozen=True, slots=True)
class ModelCounts(Saved):
    """The counts of one model before thresholding; they can be added.

    ``worst_sum`` is the largest deviation of a row's scores from a sum of 1.
    """

    _kind: ClassVar[str] = "model-counts"
    labels: LabelTally | None = field(default=None, metadata=part(LabelTally.from_dict))
    scores: tuple[ScoreTally, ...] = field(
        default=(), metadata=part(ScoreTally.from_dict, many=True)
    )
    sums: Sums | None = field(default=None, metadata=part(Sums.from_dict))
    worst_sum: float = 0.0

    def _facts(self) -> Iterator[tuple[str, bool]]:
        tallies = [t for t in (self.labels, *self.scores) if t is not None]
        yield "scores", self.worst_sum >= 0
        yield "scores", len({t.positive for t in self.scores}) == len(self.scores)
        yield "labels", len({t.labels for t in tallies}) <= 1
        yield "rows", len({t.rows for t in (*tallies, self.sums) if t is not None}) <= 1
        totals = [t.counts.sum(1 if t is self.labels else 0) for t in tallies]
        totals += [] if self.sums is None else [self.sums.weights]
        yield "rows", all(agree(t, totals[0]) for t in totals)

    def __add__(self, other: ModelCounts) -> ModelCounts:
        def added(a: Any, b: Any) -> Any:
            return b if a is None else a if b is None else a + b

        scores = self.scores or other.scores
        if self.scores and other.scores:
            scores = tuple(a + b for a, b in zip(self.scores, other.scores, strict=True))
        return ModelCounts(
            added(self.labels, other.labels),
            scores,
            added(self.sums, other.sums),
            max(self.worst_sum, other.worst_sum),
        )

    def under(self, classes: tuple[Label, ...]) -> ModelCounts:
        """Return the same counts under other classes, which must include all that occurred."""
        labels = None if self.labels is None else with_classes(self.labels, classes)
        return replace(
            self, labels=labels, scores=tuple(with_classes(t, classes) for t in self.scores)
        )


# -- decisions -----------------------------------------------------------------------------------


def decide(
    columns: ModelRoles,
    counts: ModelCounts,
    positive: Label | None,
    threshold: float | None,
    notes: list[Finding],
) -> Model:
    """Return a model with decisions from its scores; add notes on assumptions."""
    scores, name, labels = counts.scores, columns.name, counts.labels
    if not scores:
        assert labels is not None
        return Model(name, labels, (), False, None, "predictions as given")
    notes += [_note_of_bins(t, name) for t in scores if t.bins is not None]
    low = min(float(t.scores[0]) for t in scores)
    high = max(t._highest for t in scores)
    probabilities = low >= 0 and high <= 1
    if not probabilities:
        column = columns.scores[0] if columns.scores else name
        notes.append(_beyond_0_to_1(scores, name, column, low, high))
    elif positive is None and counts.worst_sum > ROW_SUM_TOLERANCE:
        probabilities = False
        notes.append(SUM_OFF_ONE.finding(name, deviation=counts.worst_sum))
    if positive is not None and low == 0 and high == 1 and len(scores[0].scores) == 2:
        notes.append(ONE_THRESHOLD.finding(name, column=columns.scores[0]))
    if positive is None or (labels is not None and threshold is None):
        assert labels is not None
        rule = "predictions as given"
        if positive is None and not columns.pred:
            rule = "the most probable class"
        sums = counts.sums if positive is None else None
        return Model(name, labels, scores, probabilities, None, rule, sums)
    requested = threshold
    if requested is None and (probabilities or low < 0 < high):
        requested = 0.5 if probabilities else 0.0
    if requested is None:
        cut, rule = _best_threshold(scores[0], name, notes)
    else:
        cut, rule = _cut(scores[0], requested)
    decided, given = scores[0].at(cut), None if threshold is None else float(threshold)
    return Model(name, decided, scores, probabilities, cut, rule, _requested=given)


def _beyond_0_to_1(
    scores: Sequence[ScoreTally], name: str, column: str, low: float, high: float
) -> Finding:
    """Return the warning about scores from ``low`` to ``high`` that are no probabilities."""
    codes = _codes_for_missing(scores)
    remedy = IN_PERCENT if low >= 0 and 2 < high <= 100 else ""
    remedy += FOR_MISSING if codes else ""
    rule = NOT_PROBABILITIES.worded(remedy=remedy)
    return rule.finding(name, column=column, score=low if low < 0 else high, **codes)


def _codes_for_missing(scores: Sequence[ScoreTally]) -> dict[str, str]:
    """Return -9, -99 or -999 among probabilities, and in how many rows; empty if none occurs."""
    codes, rows = set[float](), 0.0
    for t in scores:
        odd = (t.scores < 0) | (t.scores > 1)
        if not np.isin(t.scores[odd], (-9, -99, -999)).all() or t.bins is not None or odd.all():
            return {}
        codes |= set(t.scores[odd].tolist())
        rows = max(rows, float(t.counts[odd].sum()))
    spelled = " and ".join(f"{code:g}" for code in sorted(codes, reverse=True))
    where = f"in {rows:,.0f} row{'s' if rows > 1 else ''} "
    weighted = any(t.sum_squared_weights is not None for t in scores)
    return {"codes": spelled, "where": "" if weighted else where}


def of_percent(threshold: float | None) -> float | None:
    """Convert a threshold from percent to a fraction; refuse one outside 0 to 100."""
    if threshold is not None and not 0 <= threshold <= 100:
        raise InputError(
            f"threshold is {threshold:g}, and scores in percent are from 0 to 100; give one among "
            "them"
        )
    return None if threshold is None else threshold / 100


def refuse_beyond_percent(models: Sequence[ModelRoles], counts: Sequence[ModelCounts]) -> None:
    """Refuse scores read as percentages that exceed 100; and models without a score."""
    scores = [(m, t) for m, c in zip(models, counts, strict=True) for t in c.scores]
    if not scores:
        raise InputError("percent is for scores, and there are none; leave percent=True out")
    for m, t in scores:
        low, high = float(t.scores[0]), t._highest
        if low < 0 or high > 1:
            raise InputError(
                f"{m.scores[0]} holds {100 * (low if low < 0 else high):.6g}, outside 0 to 100, "
                "and is not in percent; leave percent=True out"
            )


def at_threshold(model: Model, threshold: float) -> Model:
    """Return a model of two classes with its decisions at a threshold."""
    cut, rule = _cut(model.scores[0], threshold)
    labels, given = model.scores[0].at(cut), float(threshold)
    return replace(model, labels=labels, threshold=cut, rule=rule, _requested=given)


def decided_by(
    counted: CountedRows, model: Model
) -> Literal["decisions", "given", "chosen", "default"]:
    """Return where a model's decisions come from: the data, or which kind of threshold."""
    if model.threshold is None:
        return "decisions"
    if model._requested is not None:
        return "given"
    chosen = {n.model for n in counted.notes if n.rule == THRESHOLD_CHOSEN.code}
    return "chosen" if model.name in chosen else "default"


def _cut(tally: ScoreTally, requested: float) -> tuple[float, str]:
    """Return the threshold (for binned scores the nearest bin edge) and the rule in words."""
    with np.errstate(over="ignore"):
        single = float(np.float32(requested))
    plain = float(f"{requested:.7g}") == requested  # at most the digits of single precision
    near = 0 < requested - single <= 1e-7 * abs(requested)
    if plain and near and tally.bins is None and single in tally.scores:
        # 0.7 in single precision is below 0.7 in double: compare scores in their own precision.
        return single, f"scores at or above {requested:g}"
    cut = nearest_cut(tally, float(requested))
    if cut == requested:
        return cut, f"scores at or above {requested:g}"
    return cut, f"scores at or above {cut:.9g}, the edge of a bin that is nearest to {requested:g}"


def _best_threshold(tally: ScoreTally, name: str, notes: list[Finding]) -> tuple[float, str]:
    """Return the threshold with the highest Youden's J; the median score if J is undefined."""
    from tallymark.curve import best_thresholds

    best, _ = best_thresholds(tally, get("youden_j"))
    finite = best[np.isfinite(best)]  # drop +inf, which predicts no positives
    cut = float(finite[0]) if len(finite) else float(np.median(tally.scores))
    notes.append(THRESHOLD_CHOSEN.finding(name, threshold=cut))
    return cut, f"scores at or above {cut:.6g}, chosen on these rows by Youden's J"


def area_bounds(tally: ScoreTally) -> tuple[float, float] | None:
    """Return bounds of the ROC area for binned scores; None if it is exact."""
    statistic = Statistic.of(get("roc_auc"), tally.labels, tally.positive, "binary")
    return binning_bounds(statistic, [tally])


def _note_of_bins(tally: ScoreTally, name: str) -> Finding:
    assert tally.bins is not None
    bounds, bins = area_bounds(tally), len(tally.bins)
    if bounds is None:
        return BINNED_EXACTLY.finding(name, bins=bins)
    return BINNED.finding(name, bins=bins, low=bounds[0], high=bounds[1])


# -- what the counts alone show -------------------------------------------------------------------

NOT_CHECKED = "not checked"

FEW = 30
"""With fewer rows of a class, or fewer distinct scores, these patterns occur by chance."""


def tally_checks(models: Sequence[Model], positive: Any) -> dict[str, Any]:
    """Return the checks that need only counts: models without an error, repeated scores.

    ``perfect`` maps each model without an error to its rows per class (at least 30 each) and its
    lowest positive score if that is above every negative score; None if the model only decides.
    ``repeated_scores`` maps a class to k if each of its distinct scores occurs a multiple of k
    times.
    """
    perfect, repeated, binned = {}, {}, False
    for m in models:
        rows = dict(zip(map(str, m.labels.labels), m.labels.counts.sum(1).tolist(), strict=True))
        (tally,) = m.scores if positive is not None and m.scores else (None,)
        cut = None if tally is None else _only_cut(tally)
        right = cut is not None
        if tally is None:
            right = not misses(m.labels.counts)
        if right and len(rows) > 1 and min(rows.values()) >= FEW:
            hard = tally is None or len(tally.scores) == 2
            perfect[m.name] = {"rows": rows, "cut": None if hard else cut}
        if tally is not None:
            binned |= tally.bins is not None
            if times := _times(tally):
                repeated[m.name] = times
    return {"perfect": perfect, "repeated_scores": NOT_CHECKED if binned else repeated}


def _only_cut(t: ScoreTally) -> float | None:
    """Return the lowest score of a positive if it is above every negative score, else None."""
    i, n = t.labels.index(t.positive), len(t.scores)
    lowest, highest = _first(t.counts[:, i]), n - 1 - _first(t.counts[::-1, 1 - i])
    return float(t.scores[lowest]) if 0 <= highest < lowest < n else None


def _first(counts: Floats, block: int = 1 << 16) -> int:
    """Return the index of the first positive count, or the length; searches block by block."""
    for start in range(0, len(counts), block):
        is_positive = counts[start : start + block] > 0
        if is_positive.any():
            return start + int(is_positive.argmax())
    return len(counts)


def _times(t: ScoreTally) -> dict[str, int]:
    """Return k > 1 per class if each of its distinct scores occurs a multiple of k times.

    This requires 30 distinct scores, and most rows at exactly k: scores with few values and ties of
    decision trees do not meet it.
    """
    if t.sum_squared_weights is not None or t.bins is not None:
        return {}
    out = {}
    lowest = head(t.counts, 1024)
    for i, label in enumerate(t.labels):
        if (lowest[:, i] == 1).any():
            continue
        counts = t.counts[:, i]
        present = counts[counts > 0]
        if len(present) < FEW or present.min() < 2 or present.max() >= 2**53:
            continue
        k = int(np.gcd.reduce(present.astype(np.int64)))
        if k > 1 and present[present == k].sum() >= present.sum() / 2:
            out[str(label)] = k
    return out
