"""Rows that come in batches: checked as they come, counted many batches at a time, and added up.

A batch may hold one class only, so that which classes there are, and which of them is positive, is
settled when somebody asks for the result. Until then classes not seen yet have zero rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.data.apply_threshold import Count, decide
from tallymark.data.chunks import Chunk, read_texts
from tallymark.data.columns import ModelRoles
from tallymark.data.ingest import Job, add_rows, complete_rows, settle_classes
from tallymark.data.models import CountedRows, Note
from tallymark.errors import InputError
from tallymark.tally import io
from tallymark.tally.arrays import MAX_CLASSES, Coded, Floats, Label, as_weights
from tallymark.tally.bins import Bins
from tallymark.tally.labels import LabelTally
from tallymark.tally.merge import with_classes
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

_TRUE, _PREDICTED, _WEIGHT = "y_true", "y_pred", "sample_weight"


@dataclass(frozen=True, slots=True)
class Kind:
    """What every batch of a stream has."""

    predictions: bool
    columns: int
    """Of scores: none, one of the positive class, or one a class."""
    weighted: bool

    def refuse_other(self, other: Kind) -> None:
        """Say how a batch differs from those before."""
        for name, before, now in (
            (_PREDICTED, self.predictions, other.predictions),
            ("y_score", bool(self.columns), bool(other.columns)),
            (_WEIGHT, self.weighted, other.weighted),
        ):
            if before != now:
                had = "had it" if before else "had none"
                raise InputError(
                    f"there is {'a' if now else 'no'} {name} and the batches before {had}; give "
                    "every batch the same"
                )
        if self.columns != other.columns:
            now_s, before_s = (f"{n} column{'s' if n > 1 else ''}" for n in (
                other.columns, self.columns
            ))  # fmt: skip
            raise InputError(
                f"y_score has {now_s} and {before_s} in the batches before; give every batch the "
                "same"
            )


@dataclass(frozen=True, slots=True)
class Known:
    """The classes seen so far, and those that the columns of scores stand for once that is known.

    ``columns`` are the classes of two or more columns, in the order of the columns.
    """

    seen: tuple[Label, ...] = ()
    columns: tuple[Label, ...] | None = None

    @property
    def classes(self) -> tuple[Label, ...]:
        """Return all classes known of."""
        return self.seen if self.columns is None else self.columns

    def with_labels(
        self, labels: Sequence[Label], name: str, asked: Sequence[Label] | None
    ) -> Self:
        """Add labels of a batch to those seen."""
        new = [label for label in labels if label not in self.seen]
        if not new:
            return self
        if asked is not None:
            strange = [label for label in new if label not in asked]
            if strange:
                raise InputError(
                    f"{name} holds the label {strange[0]!r}, which labels does not list; add it to "
                    "labels, or leave labels out so that classes are taken as they come"
                )
            return replace(self, seen=tuple(c for c in asked if c in (*self.seen, *new)))
        if self.columns is not None and not set(new) <= set(self.columns):
            label = next(label for label in new if label not in self.columns)
            raise InputError(
                f"{name} holds the class {label!r}, and the {len(self.columns)} columns of "
                f"y_score stand for {_listed(self.columns)}; say labels=[...] in the order of the "
                "columns"
            )
        if self.seen and isinstance(new[0], str) != isinstance(self.seen[0], str):
            now, before = (
                f"{'texts' if isinstance(v, str) else 'numbers'} such as {v!r}"
                for v in (new[0], self.seen[0])
            )
            raise InputError(
                f"{name} holds {now} and the batches before held {before}; give every batch "
                "labels of one type"
            )
        seen = tuple(sorted((*self.seen, *new)))
        if len(seen) > MAX_CLASSES:
            raise InputError(
                f"{name} brings the distinct labels to {len(seen):,}; that is no class label (at "
                f"most {MAX_CLASSES:,} classes): is it an identifier or a measurement?"
            )
        return replace(self, seen=seen)

    def with_columns(self, names: Sequence[str | None], asked: tuple[Label, ...] | None) -> Self:
        """Find out which classes two or more columns of scores stand for, unless it is known."""
        width = len(names)
        if self.columns is not None or width < 2:
            return self
        named = [name for name in names if name is not None]
        found: tuple[Label, ...] | None = asked
        if found is None and len(self.seen) == width:
            found = self.seen
        elif found is None and named:
            meant = tuple(sorted(read_texts(named)))
            found = meant if len(set(meant)) == width and set(self.seen) <= set(meant) else None
        elif found is None and set(self.seen) <= set(range(width)):
            whole = not any(isinstance(label, bool) for label in self.seen)
            found = tuple(range(width)) if whole or width > 2 else (False, True)
        if found is None:
            raise InputError(
                f"y_score has {width} columns and the classes seen so far are "
                f"{_listed(self.seen)}; say labels=[...], so that every column has its class"
            )
        if len(found) != width:
            raise InputError(
                f"labels lists {len(found)} classes and y_score has {width} columns; give one "
                "column a class"
            )
        if width == 2 and named and set(named) != {str(c) for c in found}:
            raise InputError(
                f"y_score has the columns {_listed(named)} and the classes are {_listed(found)}; "
                "name the columns like the classes, or count one model a Tallier"
            )
        return replace(self, columns=found)


def _listed(labels: Sequence[Label], limit: int = 8) -> str:
    told = ", ".join(repr(v) for v in labels[:limit]) or "none"
    return told + (f" and {len(labels) - limit} more" if len(labels) > limit else "")


@dataclass(frozen=True, slots=True)
class Batch:
    """Checked rows of one batch, not counted yet."""

    kind: Kind
    true: Coded
    predicted: Coded | None
    scores: tuple[Floats, ...]
    names: tuple[str | None, ...]
    weights: Floats | None
    dropped: int

    @classmethod
    def of(cls, chunk: Chunk, model: ModelRoles, job: Job) -> Self:
        """Check a chunk of rows of one model."""
        chunk, dropped = complete_rows(chunk, job, None)
        weights = as_weights(chunk.numbers.get(_WEIGHT), _WEIGHT)
        kind = Kind(model.pred is not None, len(model.scores), weights is not None)
        predicted = chunk.labels[model.pred] if model.pred else None
        scores = tuple(chunk.numbers[c] for c in model.scores)
        true = chunk.labels[_TRUE]
        return cls(kind, true, predicted, scores, model.classes, weights, dropped)

    def in_order(self, known: Known) -> tuple[Floats, ...]:
        """Return the columns of scores in the order of their classes: by name where they have."""
        if known.columns is None or not all(self.names) or len(self.names) < 2:
            return self.scores
        texts = [str(c) for c in known.columns]
        if set(texts) != set(self.names):
            return self.scores
        return tuple(self.scores[self.names.index(t)] for t in texts)


def known_after(known: Known, batch: Batch, job: Job) -> Known:
    """Return the classes known after a batch, or refuse it."""
    labels, after = job.labels, known
    for name, column in ((_TRUE, batch.true), (_PREDICTED, batch.predicted)):
        if column is not None:
            after = after.with_labels(column.labels, name, labels)
    after = after.with_columns(batch.names, labels)
    if after is not known or not known.seen:
        counting_classes(after, batch.kind, job)
    return after


def counting_classes(known: Known, kind: Kind, job: Job) -> tuple[tuple[Label, ...], Label | None]:
    """Return the classes to count under, and the positive one where scores need it.

    Which of two classes is positive is left open as long as it can be.
    """
    classes = known.classes if job.labels is None else job.labels
    if kind.columns == 1 and len(classes) > 2:
        raise InputError(
            f"there are {len(classes)} classes ({_listed(classes)}) and one column of scores; "
            "give y_score one column a class"
        )
    if not kind.columns and len(classes) < 3:
        return classes, None
    return settle_classes(classes, job.positive)


class Buffer:
    """Rows waiting to be counted, as copies of their batches.

    Labels are kept as numbers in the order in which they first came, so that a class seen later
    changes nothing.
    """

    def __init__(self) -> None:
        self.rows = self.dropped = 0
        self._places: dict[Label, int] = {}
        self._parts: list[dict[str, NDArray[Any]]] = []

    @property
    def batches(self) -> int:
        """How many batches wait."""
        return len(self._parts)

    def add(self, batch: Batch, known: Known) -> None:
        """Copy a batch's rows; its arrays are the caller's to change afterwards."""
        columns: dict[str, NDArray[Any]] = {_TRUE: self._codes(batch.true)}
        if batch.predicted is not None:
            columns[_PREDICTED] = self._codes(batch.predicted)
        scores = (values.copy() for values in batch.in_order(known))
        columns |= zip(_score_names(batch.kind), scores, strict=True)
        if batch.weights is not None:
            columns[_WEIGHT] = batch.weights.copy()
        self._parts.append(columns)
        self.rows += len(batch.true.codes)
        self.dropped += batch.dropped

    def _codes(self, column: Coded) -> NDArray[np.int16]:
        table = [self._places.setdefault(label, len(self._places)) for label in column.labels]
        return np.array([*table, -1], dtype=np.int16)[column.codes]

    def chunk(self) -> Chunk:
        """Return the rows as one chunk."""
        labels = tuple(self._places)
        arrays = {n: np.concatenate([p[n] for p in self._parts]) for n in self._parts[0]}
        coded = {
            name: Coded(arrays.pop(name).astype(np.intp), labels)
            for name in (_TRUE, _PREDICTED)
            if name in arrays
        }
        return Chunk(0, coded, arrays, self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The counts of some batches, under the classes known when they were counted."""

    predictions: bool
    columns: int
    weighted: bool
    seen: tuple[Label, ...]
    of_columns: tuple[Label, ...] | None
    rows: int
    dropped: int
    batches: int
    heaviest: float
    worst_sum: float
    decisions: LabelTally | None
    scores: tuple[ScoreTally, ...]
    sums: Sums | None

    @classmethod
    def of(cls, buffer: Buffer, kind: Kind, known: Known, job: Job) -> Self:
        """Count rows that were checked."""
        classes, positive = counting_classes(known, kind, job)
        chunk, count = buffer.chunk(), Count()
        weights = chunk.numbers.get(_WEIGHT)
        add_rows(count, chunk, _model(kind, classes, positive), job, classes, positive, weights)
        heaviest = 1.0 if weights is None else float(weights.max(initial=0))
        return cls(
            kind.predictions, kind.columns, kind.weighted, known.seen, known.columns, chunk.rows,
            buffer.dropped, buffer.batches, heaviest if chunk.rows else 0.0, count.worst_sum,
            count.labels, tuple(count.scores), count.sums,
        )  # fmt: skip

    @property
    def kind(self) -> Kind:
        """What every batch of these had."""
        return Kind(self.predictions, self.columns, self.weighted)

    @property
    def known(self) -> Known:
        """The classes of these batches."""
        return Known(self.seen, self.of_columns)

    @property
    def groups(self) -> int:
        """How many distinct scores the largest tally holds."""
        return max((len(t.scores) for t in self.scores), default=0)

    def plus(self, other: Counted, job: Job) -> Counted:
        """Return the counts of both, or refuse what does not go together."""
        self.kind.refuse_other(other.kind)
        if None not in (self.of_columns, other.of_columns) and self.of_columns != other.of_columns:
            one, two = (_listed(c.of_columns or ()) for c in (self, other))
            raise InputError(
                f"the columns of y_score stand for {one} in one Tallier and for {two} in the "
                "other; say labels=[...] in both"
            )
        known = replace(self.known, columns=self.of_columns or other.of_columns)
        known = known.with_labels(other.seen, "the other Tallier", job.labels)
        classes, _ = counting_classes(known, self.kind, job)
        a, b = self._under(classes), other._under(classes)
        return replace(
            self,
            seen=known.seen,
            of_columns=known.columns,
            rows=self.rows + other.rows,
            dropped=self.dropped + other.dropped,
            batches=self.batches + other.batches,
            heaviest=max(self.heaviest, other.heaviest),
            worst_sum=max(self.worst_sum, other.worst_sum),
            decisions=(
                None if a.decisions is None or b.decisions is None else a.decisions + b.decisions
            ),
            scores=tuple(_added(x, y) for x, y in zip(a.scores, b.scores, strict=True)),
            sums=None if self.sums is None or other.sums is None else self.sums + other.sums,
        )

    def _under(self, classes: tuple[Label, ...]) -> Counted:
        """Return the same counts under other classes, which hold all that occurred."""
        own = None if self.decisions is None else with_classes(self.decisions, classes)
        return replace(
            self, decisions=own, scores=tuple(with_classes(t, classes) for t in self.scores)
        )

    def binned(self, bins: int | Bins | None, keep: Sequence[float]) -> Counted:
        """Put scores into the bins given; or into bins laid now, where there are more than wanted.

        Decisions at the thresholds of ``keep`` stay exact.
        """
        if bins is None:
            return self
        return replace(self, scores=tuple(_binned(t, bins, keep) for t in self.scores))

    def settled(self, job: Job) -> CountedRows:
        """Decide what was left open: the classes, the positive one, decisions by scores."""
        if not self.heaviest:
            raise InputError(
                f"{_WEIGHT} is 0 in every row, so that nothing counts; mend it or leave it out"
            )
        known = self.known.classes if job.labels is None else job.labels
        classes, positive = settle_classes(known, job.positive)
        notes = []
        if self.of_columns not in (None, job.labels, self.seen):
            told = f"the columns of y_score stand for the classes {_listed(self.of_columns or ())}"
            notes.append(Note("assumed-columns", "assumed", told))
        if positive is not None and job.positive is None:
            text = f"the positive class is {positive!r}"
            notes.append(Note("assumed-positive", "assumed", text))
        own = self._under(classes)
        count = Count(own.decisions, list(own.scores), self.sums, self.worst_sum)
        model = decide(_model(self.kind, classes, positive), count, positive, job.threshold, notes)
        return CountedRows(
            job.source, self.rows, self.dropped, classes, positive, (model,), tuple(notes),
            self.weighted,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counted):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain data for JSON, with their format and version."""
        return io.pack("batches", self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        found = io.unpack("batches", data, cls)
        for name in ("seen", "of_columns"):
            found[name] = None if found[name] is None else tuple(found[name])
        found["scores"] = tuple(ScoreTally.from_dict(t) for t in found["scores"])
        for name, kind in (("decisions", LabelTally), ("sums", Sums)):
            found[name] = None if found[name] is None else kind.from_dict(found[name])
        return cls(**found)


def _added(a: ScoreTally, b: ScoreTally) -> ScoreTally:
    """Add tallies of scores; an exact one goes into the bins of the other."""
    if a.bins is not None and b.bins is not None and a.bins != b.bins:
        raise InputError(
            "both Talliers have laid bins of their own, which do not add up; give both the same "
            "bins=Bins(...)"
        )
    if a.bins is not None and b.bins is None:
        b = b.binned(a.bins)
    elif b.bins is not None and a.bins is None:
        a = a.binned(b.bins)
    return a + b


def _binned(tally: ScoreTally, bins: int | Bins, keep: Sequence[float]) -> ScoreTally:
    if tally.bins is not None or not len(tally.scores):
        return tally
    if isinstance(bins, Bins):
        return tally.binned(bins)
    if len(tally.scores) <= bins:
        return tally
    r = tally.score_counts
    sample = [r.scores[r.pos > 0], r.scores[r.neg > 0]]
    own = np.repeat([True, False], [len(s) for s in sample])
    return tally.binned(Bins.of_sample(np.concatenate(sample), own, bins, keep))


def _score_names(kind: Kind) -> tuple[str, ...]:
    if kind.columns < 2:
        return ("y_score",) * kind.columns
    return tuple(f"y_score[:, {k}]" for k in range(kind.columns))


def _model(kind: Kind, classes: tuple[Label, ...], positive: Label | None) -> ModelRoles:
    """Return the columns to count: of two classes' the positive one's."""
    names = _score_names(kind)
    if positive is not None and len(names) == 2:
        names = (names[classes.index(positive)],)
    return ModelRoles("model", _PREDICTED if kind.predictions else None, names)
