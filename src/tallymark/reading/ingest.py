"""Count chunks of rows from any source with one counter, and add the counts up.

A chunk holds rows, or lines that count several rows each, such as group counts. Numbers in a chunk
are already checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from tallymark.errors import InputError, listed
from tallymark.findings.finding import Finding
from tallymark.findings.notes import CLIPPED, CLUSTERS, INEXACT_COUNTS, NO_CUT
from tallymark.part import answer, part_roles
from tallymark.quantities import many
from tallymark.reading.chunks import Chunk, count_scores
from tallymark.reading.classes import (
    declared,
    numbered,
    refuse_strangers,
    respelled,
    settle_classes,
    spelling,
    typed,
)
from tallymark.reading.columns import ModelRoles
from tallymark.reading.derived import DUST, without_dust
from tallymark.reading.meaning import (
    SampledRows,
    Stated,
    assign_columns,
    meanings_of,
    positive_class,
    positive_score,
    refuse_backwards,
    refuse_below_chance,
    refuse_invented,
    refuse_parts,
    refuse_shifted,
)
from tallymark.reading.models import (
    CountedRows,
    ModelCounts,
    decide,
    refuse_beyond_percent,
    tally_checks,
)
from tallymark.reading.question import Question
from tallymark.reading.source import Source
from tallymark.tally.arrays import (
    LEAVE_OUT,
    Coded,
    Codes,
    Label,
    as_weights,
    at,
    declared_levels,
    first_come,
    in_order,
    join_labels,
    keep_complete,
    plain_label,
    unmistakable,
)
from tallymark.tally.io import Saved, alike, part
from tallymark.tally.joint import ModelColumn, PairedPredictions, compact
from tallymark.tally.labels import LabelTally, Missing
from tallymark.tally.role_tally import role_tallies
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

if TYPE_CHECKING:
    from tallymark.reading.memory import Scoring
    from tallymark.tally.subgroups import SubgroupCounter, SubgroupCounts

MOST_KEPT = 2_000_000_000
"""Memory limit in bytes for keeping the rows of several models side by side."""

MOST_OF_COLUMNS = 400_000_000
"""Memory limit in bytes for one model with one score per class: 10^7 rows of five classes.
With more rows, class averages are precise enough without them."""

EXACT = 2**53
"""Floating-point counts are exact integers below this."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """The columns to count, and the options."""

    source: Source
    truth: str
    models: tuple[ModelRoles, ...]
    weight: str | None = None
    counted: str | None = None
    cluster: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    """The column of each role of a part."""
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    threshold: float | None = None
    missing: Missing = "error"
    codes: tuple[float, ...] = ()
    """Numbers that mean a missing label or score, such as -100."""
    ignore_case: bool | None = None
    percent: bool = False
    score_of: str | Sequence[Label] | None = None
    score_is: str | None = None
    subgroups: Mapping[str, str] = field(default_factory=dict)
    fold: str | None = None
    """The subgroup column that holds the folds; rows with a missing fold are incomplete."""

    @property
    def decided(self) -> list[str]:
        """The class columns: the truth and the predictions of models."""
        return list(dict.fromkeys([self.truth, *(m.pred for m in self.models if m.pred)]))

    @property
    def scores(self) -> list[str]:
        """The columns of scores."""
        return list(dict.fromkeys(c for m in self.models for c in m.scores))

    @property
    def needed(self) -> list[str]:
        """The columns of classes, scores and folds: rows that lack one of them are incomplete."""
        return [*self.decided, *self.scores, *([self.fold] if self.fold else [])]

    @property
    def heavy(self) -> list[str]:
        """The weight column and the count column."""
        return [c for c in (self.weight, self.counted) if c]

    @property
    def mass(self) -> str | None:
        """The weight column, or else the count column."""
        return self.weight or self.counted

    @property
    def by_row(self) -> str | None:
        """A column that requires row-level data: of clusters, or of a role."""
        return self.cluster or next(iter(self.roles.values()), None)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns to read: the arguments of :meth:`Table.chunks`."""
        subgroups = list(self.subgroups.values())
        return {
            "labels": [*self.decided, *subgroups],
            "numbers": [*self.scores, *self.heavy, *self.roles.values()],
            "groups": [self.cluster] if self.cluster else [],
            "subgroups": subgroups,
        }

    def read_as(self, positive: Label | None) -> Source:
        """Return the source with its columns by their roles, and the positive class."""
        models, why = self.models, dict(self.source._why)
        columns: dict[str, Sequence[str | None]] = {
            "truth": [self.truth],
            "pred": [m.pred for m in models],
            "score": self.scores,
            "weight": [self.weight],
            "count": [self.counted],
            "cluster": [self.cluster],
            "fold": [self.fold],
            **{role: [column] for role, column in self.roles.items()},
            "subgroup": [column for column in self.subgroups.values() if column != self.fold],
        }
        named = {role: tuple(n for n in names if n) for role, names in columns.items()}
        roles = {r: n[0] if len(n) == 1 else n for r, n in named.items() if n}
        if positive is not None and self.positive is None:
            why.setdefault("positive", "unmistakable")
        percent = ["percent"] if self.percent else []
        if self.percent and self.threshold is not None:
            percent = [f"percent (threshold {100 * self.threshold:.10g} is {self.threshold:.10g})"]
        notes = (*self.source.format, *percent)
        return replace(
            self.source,
            _roles={**roles, **self.source._roles},
            positive=positive,
            _why=why,
            format=notes,
            _meanings=self.stated,
        )

    @property
    def stated(self) -> dict[str, Any]:
        """The user's statements on labels and scores, as words of ``reading=``."""
        who = self.score_of
        target = [*map(plain_label, who)] if isinstance(who, list | tuple) else plain_label(who)
        classes = self.labels and [*map(plain_label, self.labels)]
        missing = list(self.codes) or (self.missing if self.missing == "drop" else None)
        words = {
            "classes": classes,
            "ignore_case": self.ignore_case,
            "missing": missing,
            "percent": self.percent or None,
            "score_of": target,
            "score_is": self.score_is,
        }
        return {word: value for word, value in words.items() if value is not None}

    def nothing_in(self, dropped: int = 0) -> InputError:
        """Return the error for a source without rows."""
        lost = f" ({dropped:,} left out because something was missing)" if dropped else ""
        return InputError(f"there is no row to count in {self.source}{lost}; give at least one")

    def weightless(self) -> InputError:
        """Return the error for rows whose weights are all 0."""
        return InputError(f"{self.mass} is 0 in every row; correct it or leave it out")

    def fractional(self) -> InputError:
        """Return the error for fractional counts of rows."""
        return InputError("the column of counts holds fractions; counts are whole numbers")

    def unscored(self) -> InputError:
        """Return the error for numbers of a role without a score of one of two classes."""
        role, column = next(iter(self.roles.items()))
        return InputError(
            f"{column} is the {role} of rows, which is read with their score for two classes, and "
            f"there is no such score; give one, or leave {role}= out"
        )

    def too_large(self) -> InputError:
        """Return the error for clustered rows that exceed the memory limit."""
        return InputError(
            f"there are too many rows in {self.source} to keep them, as {self.by_row} requires "
            f"(at most {MOST_KEPT / 1e9:.3g} GB of labels and scores); judge fewer rows or "
            "models, or give more memory"
        )


# -- one chunk -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes to count, the positive class if there are two, and the columns of each model."""

    labels: tuple[Label, ...]
    positive: Label | None
    models: tuple[ModelRoles, ...]
    spelling: Mapping[Label, Label] = field(default_factory=dict)
    ordered: bool = False
    """Whether the data declare another class order than the sorted one, or more classes."""

    @property
    def declared(self) -> dict[str, Any]:
        """The classes as ``reading=`` takes them, if the data declare them."""
        return {"classes": [*self.labels]} if self.ordered else {}

    def meant(self, chunk: Chunk, job: Job) -> Chunk:
        """Return a chunk with unified class labels and interpreted scores."""
        labels = respelled(chunk.labels, job.decided, self.spelling)
        numbers = {c: without_dust(v) if c in job.scores else v for c, v in chunk.numbers.items()}
        for derived in (d for m in self.models for d in m.derived):
            if {*derived.columns} <= numbers.keys():
                numbers[derived.name] = without_dust(derived.of(numbers))
        return replace(chunk, labels=labels, numbers=numbers)

    @property
    def read_as(self) -> tuple[str, ...]:
        """Notes on labels and scores that were not read literally."""
        notes = [d.note for m in self.models for d in m.derived]
        notes += [s for m in self.models for s in m.notes]
        notes.append(", ".join(f"{other!r} as {label!r}" for other, label in self.spelling.items()))
        return tuple(dict.fromkeys(filter(None, notes)))

    @property
    def scored(self) -> tuple[Label, ...]:
        """The classes that have score columns."""
        return self.labels if self.positive is None else (self.positive,)


def count_model(
    chunk: Chunk, true: Codes, columns: ModelRoles, classes: Classes, scoring: Scoring | None
) -> tuple[ModelCounts, ModelColumn]:
    """Return the counts of one model in a chunk, and its column of row-level data."""
    labels, many = classes.labels, classes.positive is None
    names = [c for c in columns.scores if c in chunk.numbers]
    if columns.of_predicted and names:
        # The probability of the predicted class alone cannot rank three classes.
        assert columns.pred is not None
        if classes.positive is not None:
            predicted = chunk.labels[columns.pred]
            scores = positive_score(predicted, chunk.numbers[names[0]], classes.positive)
            chunk = replace(chunk, numbers={**chunk.numbers, names[0]: scores})
        names = [] if many else names
    matrix = np.stack([chunk.numbers[c] for c in names], 1) if names and many else None
    decided_codes = None
    if columns.pred in chunk.labels:
        predicted = chunk.labels[columns.pred or ""]
        decided_codes = join_labels({"": predicted}, labels)[1][0]
    elif matrix is not None and columns.pred is None:
        decided_codes = np.argmax(matrix, axis=1)
    pairs = list(zip(names, classes.scored, strict=True)) if names else []
    if scoring is None:
        tallies = tuple(count_scores(true, c, label, labels, chunk) for c, label in pairs)
    else:
        for column, label in pairs:
            scoring.add((columns.name, label), column, true, chunk, classes)
        tallies = ()
    sums, worst = None, 0.0
    if matrix is not None:
        worst = float(np.abs(matrix.sum(1) - 1).max(initial=0))
        squares = chunk.mass if chunk.squares is None else chunk.squares
        sums = Sums._of_rows(true, matrix, chunk.mass, squares, chunk.total)
    decisions = decided = None
    if decided_codes is not None:
        decisions = LabelTally._of_codes(
            labels, true, decided_codes, chunk.mass, chunk.squares, chunk.total
        )
        decided = compact(decided_codes, len(labels))
    counts = ModelCounts(decisions, tallies, sums, worst)
    return counts, ModelColumn(columns.name, decided, tuple(chunk.numbers[c] for c in names))


def without_codes(chunk: Chunk, job: Job) -> Chunk:
    """Return a chunk in which the codes for missing labels and scores are marked as missing."""
    if not job.codes:
        return chunk
    labels, numbers = dict(chunk.labels), dict(chunk.numbers)
    for name in job.decided:
        coded = labels[name]
        remaining = tuple(c for c in coded.labels if isinstance(c, str) or c not in job.codes)
        table = np.array(
            [remaining.index(c) if c in remaining else -1 for c in (*coded.labels, None)]
        )
        labels[name] = replace(coded, codes=table[coded.codes].astype(np.intp), labels=remaining)
    for name in (c for c in job.scores if c in numbers):
        numbers[name] = np.where(np.isin(numbers[name], job.codes), np.nan, numbers[name])
    return replace(chunk, labels=labels, numbers=numbers)


def refuse_masked(columns: Mapping[str, Coded]) -> None:
    """Ask about -100 or -1 among true classes from 0 up, if no model predicts them."""
    (name, true), *others = columns.items()
    numbers = [c for c in true.labels if not isinstance(c, str | bool)]
    if len(numbers) < len(true.labels) or len(numbers) < 3:
        return
    predicted = {c for _, coded in others for c in coded.labels}
    for code in (-100, -1):
        rest = [c for c in numbers if c != code]
        masked = code in numbers and min(rest) >= 0 and (code == -100 or others)
        if masked and code not in predicted:
            rows = int((true.codes == true.labels.index(code)).sum())
            raise Question(
                f"{name} is {code} in {many(rows, 'row')}, which is how labels are masked and no "
                "prediction names it",
                [{"missing": [code]}, {"classes": [*numbers]}],
            )


def complete_rows(chunk: Chunk, job: Job, first_row: int | None) -> tuple[Chunk, int]:
    """Return the complete rows of a chunk, or refuse incomplete ones; check the weights."""
    heavy = job.heavy
    scores = {k: v for k, v in chunk.numbers.items() if k not in heavy}
    for role, column in job.roles.items():
        if (negative := scores[column] < 0).any():
            where = int(np.argmax(negative))
            raise InputError(
                f"{column} is {scores[column][where]:.6g} at {at(where, first_row)}; the {role} of "
                f"a row, such as {part_roles()[role].such_as}, is 0 or more"
            )
    # Missing values of a subgroup column form their own subgroup.
    parts = set(job.subgroups.values()) - {job.fold}
    labels = {k: c for k, c in chunk.labels.items() if k not in parts}
    keep = keep_complete(
        {**labels, **scores, **chunk.groups},
        job.missing,
        first_row,
        remedy=lambda: _remedy(job, chunk),
    )
    before = chunk.rows
    if keep is not None:
        chunk = chunk.kept(keep)
    for name in heavy:
        values = as_weights(chunk.numbers.get(name), name, first_row)
        if values is not None and name == job.counted:
            if (values != np.trunc(values)).any():
                raise job.fractional()
            chunk = replace(chunk, count=values)
        elif values is not None:
            chunk = replace(chunk, weight=values)
    return chunk, before - chunk.rows


def _remedy(job: Job, chunk: Chunk) -> str:
    """Return what to do about missing values of a chunk."""
    truth = chunk.labels.get(job.truth)
    if truth is None or job.missing != "error":
        return LEAVE_OUT
    missing = truth.codes < 0
    unlabelled = missing.sum() if chunk.count is None else chunk.count[missing].sum()
    return remedy_of_missing(job, int(unlabelled), chunk.total)


def remedy_of_missing(job: Job, unlabelled: int, rows: int) -> str:
    """Return what to do about missing values; a part may know more if most have no true class."""
    more = None
    if 2 * unlabelled > rows:
        more = answer("few_truths", job.truth, job.source._ignored)
    return LEAVE_OUT if more is None else f"{LEAVE_OUT}; {more}"


def refuse_unnamed(models: Sequence[ModelRoles], classes: tuple[Label, ...]) -> None:
    """Refuse unnamed score columns if the declared class order is not the sorted one.

    Classifiers order such columns by sorted labels, regardless of the declared order.
    """
    unnamed = any(len(m.scores) > 1 and None in m.classes for m in models)
    if unnamed and classes != (plain := tuple(sorted(classes))):
        raise InputError(
            f"the order of the classes is {listed(classes)}, sorted as texts they are "
            f"{listed(plain)}, and the columns of scores have no names that say which order they "
            f"follow; name each column after its class, or say which, such as classes={list(plain)}"
        )


# -- the counts of many chunks -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Counted(Saved):
    """The counts of some rows under given classes; they can be added.

    ``joint`` holds the row-level data in parts, if there are several models, scores of several
    classes, or clusters. It is None if each row has one column, or if the rows exceed the memory
    limit.
    """

    _kind: ClassVar[str] = "counted"
    classes: tuple[Label, ...]
    models: tuple[ModelCounts, ...] = field(metadata=part(ModelCounts.from_dict, many=True))
    rows: int
    dropped: int
    heaviest: float
    weighted: bool
    joint: tuple[PairedPredictions, ...] | None = field(
        metadata=part(PairedPredictions.from_dict, many=True)
    )

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield "classes", alike(self.classes)
        for m in self.models:
            tallies = [t for t in (m.labels, *m.scores) if t is not None]
            yield "labels", all(t.labels == self.classes for t in tallies)
            yield "rows", all(t.rows == self.rows for t in tallies)
            yield "weights", self.weighted or all(t.sum_squared_weights is None for t in tallies)
        yield "weights", 0 <= self.heaviest < math.inf and (self.heaviest > 0) == (self.rows > 0)
        if self.joint is not None:
            yield "rows", sum(p.rows for p in self.joint) == self.rows
            for p in self.joint:
                yield "rows", len(p.models) == len(self.models) and p.names == self.joint[0].names
                yield "rows", p.weights is None or self.weighted
                for side, m in zip(p.models, self.models, strict=True):
                    yield "rows", len(side.scores) == len(m.scores)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counted):
            return NotImplemented
        rows = [c.side_by_side(self.classes, None) for c in (self, other)]
        names = (f.name for f in fields(self) if f.name != "joint")
        return rows[0] == rows[1] and all(getattr(self, n) == getattr(other, n) for n in names)

    __hash__ = None  # type: ignore[assignment]

    def plus(self, other: Counted, job: Job, most_kept: float = math.inf) -> Counted:
        """Return the counts of both sets of rows, under the classes of both."""
        parts = None
        if self.joint is not None and other.joint is not None:
            parts = _within((*self.joint, *other.joint), job, most_kept)
        return Counted(
            self.classes,
            tuple(a + b for a, b in zip(self.models, other.models, strict=True)),
            self.rows + other.rows,
            self.dropped + other.dropped,
            max(self.heaviest, other.heaviest),
            self.weighted or other.weighted,
            parts,
        )

    def under(self, classes: tuple[Label, ...]) -> Counted:
        """Return the same counts under other classes, which must include all that occurred."""
        if classes == self.classes:
            return self
        return replace(self, classes=classes, models=tuple(m.under(classes) for m in self.models))

    def with_scores(self, change: Callable[..., ScoreTally], *others: Counted) -> Counted:
        """Return the same counts with other score tallies; binned ones drop row-level data.

        ``change`` maps each tally and the matching tallies of ``others`` to the new one.
        """
        columns = [[m.scores for m in c.models] for c in (self, *others)]
        models = tuple(
            replace(m, scores=tuple(map(change, *scores)))
            for m, *scores in zip(self.models, *columns, strict=True)
        )
        binned = any(t.bins is not None for m in models for t in m.scores)
        return replace(self, models=models, joint=None if binned else self.joint)

    def side_by_side(
        self, classes: tuple[Label, ...], positive: Label | None
    ) -> PairedPredictions | None:
        """Return the row-level data of several models or clusters in one piece."""
        if not self.joint:
            return None
        return replace(PairedPredictions.of_parts(self.joint, classes), positive=positive)

    def settled(
        self,
        job: Job,
        classes: Classes,
        *,
        notes: Sequence[Finding] = (),
        subgroups: SubgroupCounts | None = None,
    ) -> CountedRows:
        """Return the final counts, with decisions by threshold for models that have only scores."""
        if not self.rows:
            raise job.nothing_in(self.dropped)
        if not self.heaviest:
            raise job.weightless()
        added: list[Finding] = []
        joint = self.side_by_side(classes.labels, classes.positive)
        if joint is not None and joint.clusters is not None:
            numbered = first_come(joint.clusters).astype(np.int32)
            joint = replace(joint, clusters=numbered, cluster_names=None)
            added.append(_note_of_clusters(joint, job))
        if job.percent:
            refuse_beyond_percent(classes.models, self.models)
        models = tuple(
            decide(m, c, classes.positive, job.threshold, added)
            for m, c in zip(classes.models, self.under(classes.labels).models, strict=True)
        )
        added += [NO_CUT.finding(m.name, doubt=m.doubt) for m in classes.models if m.doubt]
        for roles, m in zip(classes.models, models, strict=True):
            lone = len(roles.scores) == 1 and classes.positive is not None and roles.scores
            if lone and not roles.certain and not roles.of_predicted:
                score_columns = next((o.scores for o in job.models if o.name == roles.name), ())
                refuse_backwards(m.scores[0], roles, score_columns, alone=len(models) == 1)
        if job.roles:
            if joint is None or joint.positive is None or not any(m.scores for m in models):
                raise job.unscored()
            models = tuple(
                replace(m, _role_tallies=role_tallies(joint, m.name)) if m.scores else m
                for m in models
            )
        added += notes
        rows = models[0].labels.rows
        if rows >= EXACT:
            added.append(INEXACT_COUNTS.finding(rows=rows))
        source = job.read_as(classes.positive)
        scored = meanings_of(classes.models) if any(m.scores for m in classes.models) else {}
        source = replace(
            source,
            format=(*source.format, *classes.read_as),
            checks={**source.checks, **tally_checks(models, classes.positive)},
            _meanings={**scored, **classes.declared, **source._meanings},
        )
        return CountedRows(
            source,
            rows,
            self.dropped,
            classes.labels,
            classes.positive,
            models,
            tuple(added),
            self.weighted,
            joint,
            subgroups,
        )


def _within(
    parts: tuple[PairedPredictions, ...], job: Job, most: float, times: float = 1.0
) -> tuple[PairedPredictions, ...] | None:
    """Return the rows if they fit into the memory limit, else None; clusters require them."""
    alone = all(len(p.models) == 1 for p in parts) and not job.by_row
    if sum(p.nbytes for p in parts) * times <= min(most, MOST_OF_COLUMNS if alone else MOST_KEPT):
        return parts
    if job.by_row:
        raise job.too_large()
    return None


def _note_of_clusters(joint: PairedPredictions, job: Job) -> Finding:
    """Return a note on the number of clusters, since the metrics do not show it."""
    assert joint.clusters is not None
    sizes = np.bincount(joint.clusters)
    size = "of one row each" if sizes.max() == 1 else f"of up to {sizes.max():,} rows"
    many = f"{len(sizes):,} clusters" if len(sizes) > 1 else "one cluster"
    return CLUSTERS.finding(rows=joint.rows, clusters=many, size=size, column=str(job.cluster))


# -- tables --------------------------------------------------------------------------------------


def count_tallies(
    tallies: Sequence[LabelTally | ScoreTally],
    job: Job,
    classes: tuple[Label, ...],
    positive: Label | None,
    subgroups: SubgroupCounts | None = None,
) -> CountedRows:
    """Return the counts of user-supplied tallies, one per model, all on the same rows."""
    counts = tuple(
        ModelCounts(scores=(t,)) if isinstance(t, ScoreTally) else ModelCounts(labels=t)
        for t in tallies
    )
    first, weighted = tallies[0], any(t.sum_squared_weights is not None for t in tallies)
    some = float(first.counts.any())
    counted = Counted(first.labels, counts, first.rows, 0, some, weighted, joint=None)
    # Tallies name the class of a score.
    models = tuple(replace(m, certain=True) for m in job.models)
    return counted.settled(job, Classes(classes, positive, models), subgroups=subgroups)


@dataclass(eq=False)
class RowCounter:
    """Counts chunks of a table: models, subgroups and row-level data.

    The first chunk lists all labels. Rows of ``arrays`` are named by index in messages. A table
    that counts itself in bins keeps the bounds on the ROC area within ``tolerance``.
    """

    job: Job
    arrays: bool = False
    scoring: Scoring | None = None
    most_kept: float = math.inf
    tolerance: float | None = None
    notes: list[Finding] = field(default_factory=list)
    counted: Counted | None = None

    def begin(self, chunk: Chunk, dropped: int = 0) -> None:
        """Determine the classes from all labels, and the meaning of scores from the first rows."""
        job, requested = self.job, self.job.labels
        labels = without_codes(chunk, job).labels
        columns = {c: labels[c] for c in job.decided}
        if requested is None:
            refuse_masked(columns)
        else:
            requested = typed(requested, [label for c in columns.values() for label in c.labels])
        named = [c for m in job.models for c in m.classes]
        other = spelling(columns, requested, job.ignore_case, named=named) or numbered(columns)
        columns = respelled(columns, job.decided, other)
        present, _ = join_labels(columns, requested)
        if requested is None and not any(m.pred for m in job.models):
            refuse_unnamed(job.models, present)
        if requested is None and job.ignore_case is not False:
            refuse_strangers(columns)
        if not present:
            raise InputError(f"{job.truth} has no labels; give the true class of each row")
        occurring = present
        if requested is None and job.positive is None:
            present = in_order(declared(job.models, present), declared_levels(columns))
        ordered = present != occurring
        if requested is None:
            refuse_shifted(job.truth, [m.pred for m in job.models if m.pred], columns)
        positive_label, sample = job.positive, SampledRows.of(chunk, columns, present)
        refuse_invented(job.models, occurring, present, sample)
        if (
            positive_label is None
            and (derived := positive_class(job.models, present, sample)) is not None
        ):
            positive_label, reason = derived
            why = {**job.source._why, "positive": reason}
            self.job = job = replace(job, source=replace(job.source, _why=why))
        if positive_label is None and len(present) == 2 and unmistakable(present) is None:
            raise Question(
                f"which class is positive? The classes are {listed(present)}",
                [{"positive": label} for label in present],
            )
        classes, positive = settle_classes(present, positive_label, ignore_case=job.ignore_case)
        by_user = requested is not None
        scores = Stated(
            job.score_of,
            job.score_is,
            listed=by_user,
            narrowed=by_user or job.positive is not None,
            detected="score" in job.source._why,
            arrays=self.arrays,
            guessed=positive_label is None and isinstance(classes[0], str),
            truth=job.truth,
        )
        sample = SampledRows.of(chunk, columns, classes)
        models = assign_columns(job.models, classes, positive, scores, sample)
        self.start(Classes(classes, positive, models, other, ordered), dropped)

    def start(self, classes: Classes, dropped: int = 0) -> None:
        """Start counting under the given classes."""
        job, models = self.job, classes.models
        self.classes = classes
        keep_rows = len(models) > 1 or job.by_row or any(len(m.scores) > 1 for m in models)
        self.counted = Counted(
            classes.labels,
            (ModelCounts(),) * len(models),
            0,
            dropped,
            0.0,
            weighted=False,
            joint=() if keep_rows else None,
        )
        self._subgroups: SubgroupCounter | None = None
        if columns := tuple(job.subgroups):
            from tallymark.tally.subgroups import SubgroupCounter

            self._subgroups = SubgroupCounter(columns, classes.labels)

    def add(self, chunk: Chunk) -> None:
        """Count the rows of a chunk."""
        if self.counted is None:
            self.begin(chunk)
        assert self.counted is not None
        job, classes, before = self.job, self.classes, self.counted
        chunk = without_codes(chunk, job)
        chunk, dropped = complete_rows(chunk, job, None if self.arrays else chunk.first_row)
        original, chunk = chunk, classes.meant(chunk, job)
        self._note_dust(original, chunk)
        labels, mass = classes.labels, chunk.mass
        (true,) = join_labels({job.truth: chunk.labels[job.truth]}, labels)[1]
        for m in classes.models:
            refuse_parts(m, chunk.numbers, chunk.first_row)
            refuse_below_chance(m, chunk, len(labels))
        counts, columns = zip(
            *(count_model(chunk, true, m, classes, self.scoring) for m in classes.models),
            strict=True,
        )
        narrow = compact(true, len(labels))
        parts = None
        if before.joint is not None and chunk.sums is None:  # sums mix rows of different weights
            codes = chunk.groups.get(job.cluster or "")
            clusters = None if codes is None else codes.astype(np.int32)
            numbers = {role: chunk.numbers[column] for role, column in job.roles.items()}
            part = PairedPredictions(
                labels, narrow, columns, classes.positive, chunk.weight, clusters, numbers=numbers
            )
            each = chunk.total / max(chunk.rows, 1)
            parts = _within((part,), job, self.most_kept, each)
            if parts is not None and chunk.count is not None:
                parts = (part.repeated(chunk.count.astype(np.int64)),)
        if self._subgroups is not None:
            levels = [chunk.labels[c] for c in job.subgroups.values()]
            self._subgroups.add(
                levels,
                narrow,
                columns,
                mass,
                chunk.squares,
                chunk.count,
                keep=parts is not None,
                again=chunk.again,
            )
        heaviest = 1.0 if mass is None else float(mass.max(initial=0))
        counted = Counted(
            labels,
            counts,
            0 if chunk.again else chunk.total,
            dropped,
            heaviest if chunk.rows else 0.0,
            chunk.squares is not None,
            parts,
        )
        self.counted = before.plus(counted, job, self.most_kept)

    def _note_dust(self, before: Chunk, after: Chunk) -> None:
        """Record which score columns exceeded 0 or 1 by rounding, once per column."""
        noted = {n.model for n in self.notes if n.rule == CLIPPED.code}
        for c in self.job.scores:
            if after.numbers.get(c) is not before.numbers.get(c) and c not in noted:
                self.notes.append(CLIPPED.finding(c, dust=DUST))

    def include(self, counts: Mapping[str, ModelCounts]) -> None:
        """Add counts of models, by name, whose rows were counted without them."""
        assert self.counted is not None
        models = zip(self.classes.models, self.counted.models, strict=True)
        added = tuple(c + counts[m.name] if m.name in counts else c for m, c in models)
        self.counted = replace(self.counted, models=added)

    def keep(self, lines: Chunk, decided: Mapping[str, Codes]) -> None:
        """Keep rows side by side that were counted in bins, if they fit into the memory limit.

        Every score of the ``lines`` stands for a bin. ``decided`` are codes of the predicted class
        by model, where the lines have none.
        """
        assert self.counted is not None
        job, classes, labels = self.job, self.classes, self.classes.labels
        (true,) = join_labels({job.truth: lines.labels[job.truth]}, labels)[1]
        columns = []
        for m in classes.models:
            codes = decided.get(m.name)
            if m.pred in lines.labels:
                (codes,) = join_labels({"": lines.labels[m.pred or ""]}, labels)[1]
            scores = tuple(lines.numbers[c] for c in m.scores if c in lines.numbers)
            narrow = None if codes is None else compact(codes, len(labels))
            columns.append(ModelColumn(m.name, narrow, scores))
        part = PairedPredictions(
            labels,
            compact(true, len(labels)),
            tuple(columns),
            classes.positive,
            lines.weight,
            in_bins=True,
        )
        assert lines.count is not None
        if not _within((part,), job, self.most_kept, lines.total / max(lines.rows, 1)):
            return
        times = lines.count.astype(np.int64)
        self.counted = replace(self.counted, joint=(part.repeated(times),))
        if self._subgroups is not None:
            levels = [lines.labels[c] for c in job.subgroups.values()]
            unscored = [ModelColumn(m.name, None) for m in classes.models]
            self._subgroups.add(levels, true, unscored, rows=times, keep=True, again=True)

    def count(self, chunks: Iterable[Chunk]) -> Self:
        """Count all chunks."""
        for chunk in chunks:
            self.add(chunk)
        return self

    def forget_rows(self) -> None:
        """Drop the row-level data; refuse if clusters require it."""
        assert self.counted is not None
        if self.job.by_row:
            word = "cluster" if self.job.cluster else next(iter(self.job.roles))
            raise InputError(
                f"the scores of {self.job.source} are too many to keep and were counted in bins, "
                f"and {self.job.by_row} needs the rows; give more memory=, or leave {word}= out"
            )
        self.counted = replace(self.counted, joint=None)

    def result(self) -> CountedRows:
        """Return the final counts, with decisions by threshold for models that have only scores."""
        assert self.counted is not None
        if self.scoring is not None:
            scored = self.scoring.tallies
            self.counted = replace(
                self.counted,
                models=tuple(
                    replace(c, scores=scored(m.name, self.classes.scored))
                    for c, m in zip(self.counted.models, self.classes.models, strict=True)
                ),
            )
            if any(t.bins is not None for m in self.counted.models for t in m.scores):
                self.forget_rows()  # binned scores do not match row-level data
        subgroups = None
        if self._subgroups is not None and self.counted.rows:
            subgroups = self._subgroups.result()
            if self.counted.joint is None:
                subgroups = replace(subgroups, of_rows=None)
        return self.counted.settled(self.job, self.classes, notes=self.notes, subgroups=subgroups)
