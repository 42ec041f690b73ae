"""Predictions that come in batches: counted as they come, judged whenever somebody asks."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.data import chunk_of_arrays
from tallymark.data.chunks import Chunk, read_texts
from tallymark.data.columns import ModelRoles, assign_columns
from tallymark.data.ingest import (
    MOST_KEPT,
    Classes,
    Counted,
    Job,
    RowCounter,
    complete_rows,
    settle_classes,
)
from tallymark.data.models import CountedRows
from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import quantile
from tallymark.report.evaluation import Evaluation
from tallymark.tally import io
from tallymark.tally.arrays import (
    MAX_CLASSES,
    Coded,
    Codes,
    Label,
    join_labels,
    plain_label,
    to_numpy,
)
from tallymark.tally.bins import Bins
from tallymark.tally.io import Saved, part
from tallymark.tally.labels import Missing
from tallymark.tally.scores import ScoreTally

_LEAST = 1 << 21
"""So many scores wait before they are counted, or as many as there are distinct ones: then every
score is merged once or twice in all, however small the batches."""


_FEWEST_BINS = 1024
"""With fewer bins the brackets say little."""


# -- batches -------------------------------------------------------------------------------------

_EARLIER = "an earlier batch"


@dataclass(frozen=True, slots=True)
class _Layout(Saved):
    """What every batch has, and the classes known so far.

    ``models`` are each one's name, whether it has predictions, and how many columns of scores.
    ``columns`` are the classes that two or more columns stand for, in their order, once known.
    """

    _kind: ClassVar[str] = "layout"
    models: tuple[tuple[str, bool, int], ...] = field(metadata=part(tuple, many=True))
    weighted: bool
    clustered: bool
    seen: tuple[Label, ...] = ()
    columns: tuple[Label, ...] | None = None

    @classmethod
    def of(cls, chunk: Chunk, models: Sequence[ModelRoles]) -> Self:
        """Return what a batch has, without its classes."""
        each = tuple((m.name, m.pred is not None, len(m.scores)) for m in models)
        return cls(each, chunk.weight is not None, bool(chunk.groups))

    @property
    def roles(self) -> tuple[ModelRoles, ...]:
        """The columns of each model, named as those of arrays are."""
        out = []
        for name, predicted, width in self.models:
            of = "" if len(self.models) == 1 else f"[{name!r}]"
            columns = tuple(f"y_score{of}[:, {k}]" for k in range(width))
            columns = columns if width > 1 else (f"y_score{of}",) * width
            prediction = f"y_pred{of}" if predicted else None
            out.append(ModelRoles(name, prediction, columns, (None,) * width))
        return tuple(out)

    @property
    def width(self) -> int:
        """The most columns of scores of a model."""
        return max(width for _, _, width in self.models)

    def refuse_other(self, other: _Layout) -> None:
        """Say how a batch differs from those before."""
        names, others = ([m[0] for m in layout.models] for layout in (self, other))
        if names != others:
            raise InputError(
                f"there are the models {_listed(others)} and the batches before had "
                f"{_listed(names)}; give every batch the same"
            )
        parts = [("sample_weight", self.weighted, other.weighted)]
        parts += [("cluster", self.clustered, other.clustered)]
        for (_, had, width), (_, has, columns) in zip(self.models, other.models, strict=True):
            parts += [("y_pred", had, has), ("y_score", bool(width), bool(columns))]
            if width and columns and width != columns:
                now, before = (f"{n} column{'s' if n > 1 else ''}" for n in (columns, width))
                raise InputError(
                    f"y_score has {now} and {before} in the batches before; give every batch the "
                    "same"
                )
        for name, had, has in parts:
            if had != has:
                raise InputError(
                    f"there is {'a' if has else 'no'} {name} and the batches before had "
                    f"{'it' if had else 'none'}; give every batch the same"
                )

    def with_labels(
        self, columns: Mapping[str, Coded], asked: Sequence[Label] | None, before: str = _EARLIER
    ) -> _Layout:
        """Add labels of a batch to those seen."""
        known = set(self.seen)
        if all(known.issuperset(c.labels) for c in columns.values()):
            return self
        nothing = np.empty(0, dtype=np.intp)
        seen, _ = join_labels({**columns, before: Coded(nothing, self.seen)}, asked)
        for name, column in columns.items():
            new = [label for label in column.labels if label not in (self.columns or seen)]
            if new:
                raise InputError(
                    f"{name} holds the class {new[0]!r}, and the {len(self.columns or ())} columns "
                    f"of y_score stand for {_listed(self.columns or ())}; say labels=[...] in the "
                    "order of the columns"
                )
            if len(seen) > MAX_CLASSES:
                raise InputError(
                    f"{name} brings the distinct labels to {len(seen):,}; that is no class label "
                    f"(at most {MAX_CLASSES:,} classes): is it an identifier or a measurement?"
                )
        return replace(self, seen=seen)

    def with_columns(self, names: Sequence[str | None], asked: tuple[Label, ...] | None) -> _Layout:
        """Find out which classes two or more columns of scores stand for, unless it is known."""
        width, seen = len(names), self.seen
        if self.columns is not None or width < 2:
            return self
        named = [name for name in names if name is not None]
        classes: tuple[Label, ...] | None = asked
        if classes is None and len(seen) == width:
            classes = seen
        elif classes is None and named:
            meant = tuple(sorted(read_texts(named)))
            classes = meant if len(set(meant)) == width and set(seen) <= set(meant) else None
        elif classes is None and set(seen) <= set(range(width)):
            whole = not any(isinstance(label, bool) for label in seen)
            classes = tuple(range(width)) if whole or width > 2 else (False, True)
        if classes is None:
            raise InputError(
                f"y_score has {width} columns and the classes seen so far are {_listed(seen)}; say "
                "labels=[...], so that every column has its class"
            )
        if len(classes) != width:
            raise InputError(
                f"labels lists {len(classes)} classes and y_score has {width} columns; give one "
                "column a class"
            )
        if width == 2 and named and set(named) != {str(c) for c in classes}:
            raise InputError(
                f"y_score has the columns {_listed(named)} and the classes are {_listed(classes)}; "
                "name the columns like the classes, or give the models as y_score={name: scores}"
            )
        return replace(self, columns=classes)

    def classes(self, job: Job, *, settled: bool = False) -> Classes:
        """Return the classes to count under.

        Which of two classes is positive is left open as long as it can be.
        """
        labels = job.labels or self.columns or self.seen
        positive = None
        if settled or self.width or len(labels) > 2:
            labels, positive = settle_classes(labels, job.positive)
        return Classes(labels, positive, assign_columns(self.roles, labels, positive))


def _listed(labels: Sequence[Label], limit: int = 8) -> str:
    shown = ", ".join(repr(v) for v in labels[:limit]) or "none"
    return shown + (f" and {len(labels) - limit} more" if len(labels) > limit else "")


@dataclass(frozen=True, slots=True)
class _Batches(Saved):
    """The counts of some batches."""

    _kind: ClassVar[str] = "batches"
    layout: _Layout = field(metadata=part(_Layout.from_dict))
    counted: Counted = field(metadata=part(Counted.from_dict))
    batches: int

    @property
    def groups(self) -> int:
        """How many distinct scores the largest tally holds."""
        return max((len(t.scores) for m in self.counted.models for t in m.scores), default=0)

    def plus(self, other: _Batches, job: Job) -> _Batches:
        """Return the counts of both, or refuse what does not go together."""
        ours, theirs = self.layout, other.layout
        ours.refuse_other(theirs)
        if None not in (ours.columns, theirs.columns) and ours.columns != theirs.columns:
            one, two = (_listed(layout.columns or ()) for layout in (ours, theirs))
            raise InputError(
                f"the columns of y_score stand for {one} in one Tallier and for {two} in the "
                "other; say labels=[...] in both"
            )
        layout = replace(ours, columns=ours.columns or theirs.columns)
        seen = {"the other Tallier": Coded(np.empty(0, dtype=np.intp), theirs.seen)}
        layout = layout.with_labels(seen, job.labels, "this one")
        labels = layout.classes(job).labels
        a, b = _in_same_bins(self.counted, other.counted)
        counted = a.under(labels).plus(b.under(labels), job)
        return _Batches(layout, counted, self.batches + other.batches)

    def binned(self, bins: int | Bins | None, keep: Sequence[float]) -> _Batches:
        """Put scores into the bins given; or into bins laid now, where there are more than wanted.

        Decisions at the thresholds of ``keep`` stay exact. Rows and bins do not go together.
        """
        if bins is None:
            return self
        models = [
            replace(m, scores=tuple(_binned(t, bins, keep) for t in m.scores))
            for m in self.counted.models
        ]
        joint = self.counted.joint
        if any(t.bins is not None for m in models for t in m.scores):
            joint = None
        return replace(self, counted=replace(self.counted, models=tuple(models), joint=joint))

    def settled(self, job: Job) -> CountedRows:
        """Decide what was left open: the classes, the positive one, decisions by scores."""
        layout = self.layout
        if layout.columns not in (None, job.labels, layout.seen):
            told = f"the columns of y_score stand for the classes {_listed(layout.columns or ())}"
            job = replace(job, assumed=(told,))
        return self.counted.settled(job, layout.classes(job, settled=True))


@dataclass(frozen=True, slots=True)
class _Options(Saved):
    """What was asked for once, of all batches; a file holds their counts beside it."""

    _kind: ClassVar[str] = "tallier"
    positive: Label | None
    labels: tuple[Label, ...] | None
    threshold: float | None
    level: float
    seed: int
    missing: Missing
    bins: int | Bins | None = field(
        metadata=part(lambda bins: Bins(**bins) if isinstance(bins, dict) else bins)
    )
    counted: _Batches | None = field(default=None, metadata=part(_Batches.from_dict))

    def values(self) -> dict[str, Any]:
        """Return what was asked for, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "counted"}

    def first_difference(self, other: _Options) -> tuple[str, Any, Any] | None:
        """Return the name of an option that differs, and both values; None where all agree."""
        mine, its = self.values(), other.values()
        return next(((n, v, its[n]) for n, v in mine.items() if v != its[n]), None)

    @property
    def exact_at(self) -> tuple[float, ...]:
        """Thresholds that stay exact in bins."""
        return (0.0, 0.5) if self.threshold is None else (self.threshold,)


def _in_same_bins(*both: Counted) -> tuple[Counted, ...]:
    """Put exact scores of one into the bins of the other."""

    def bins_of(counted: Counted) -> list[list[Bins | None]]:
        return [[t.bins for t in m.scores] for m in counted.models]

    out = []
    for counted, others in zip(both, map(bins_of, both[::-1]), strict=True):
        models = []
        for m, of_model in zip(counted.models, others, strict=True):
            scores = []
            for tally, bins in zip(m.scores, of_model, strict=True):
                if None not in (tally.bins, bins) and tally.bins != bins:
                    raise InputError(
                        "both Talliers have laid bins of their own, which do not add up; give both "
                        "the same bins=Bins(...)"
                    )
                scores.append(tally if bins is None or tally.bins else tally.binned(bins))
            models.append(replace(m, scores=tuple(scores)))
        out.append(replace(counted, models=tuple(models)))
    return tuple(out)


def _binned(tally: ScoreTally, bins: int | Bins, keep: Sequence[float]) -> ScoreTally:
    if tally.bins is not None or not len(tally.scores):
        return tally
    if isinstance(bins, Bins):
        return tally.binned(bins)
    if len(tally.scores) <= bins:
        return tally
    r = tally.score_counts
    sample = [r.scores[r.pos > 0], r.scores[r.neg > 0]]
    in_class = np.repeat([True, False], [len(s) for s in sample])
    return tally.binned(Bins.of_sample(np.concatenate(sample), in_class, bins, keep))


class _Buffer:
    """Batches waiting to be counted, as copies: their arrays are the caller's to change."""

    def __init__(self) -> None:
        self.rows = self.dropped = self.nbytes = 0
        self.parts: list[Chunk] = []

    def add(self, chunk: Chunk, dropped: int) -> None:
        """Keep a batch."""
        self.parts.append(chunk)
        self.rows += chunk.rows
        self.dropped += dropped
        self.nbytes += _bytes_of(chunk)

    def chunk(self) -> Chunk:
        """Return all rows as one chunk."""

        def joined(arrays: list[Any]) -> Any:
            return None if arrays[0] is None else np.concatenate(arrays)

        parts, labels = self.parts, {}
        for name in parts[0].labels:
            columns = {f"batch {i}": p.labels[name] for i, p in enumerate(parts)}
            names, codes = join_labels(columns)
            labels[name] = Coded(joined(codes), names)
        return Chunk(
            0, labels, {n: joined([p.numbers[n] for p in parts]) for n in parts[0].numbers},
            self.rows, {n: joined([p.groups[n] for p in parts]) for n in parts[0].groups},
            weight=joined([p.weight for p in parts]),
        )  # fmt: skip


def _bytes_of(chunk: Chunk) -> int:
    """Return about how many bytes the rows of a batch take side by side."""
    wide = len(chunk.numbers) + (chunk.weight is not None)
    return chunk.rows * (8 * wide + len(chunk.labels) + 4 * len(chunk.groups))


def _cluster_names(values: Any, codes: Codes) -> tuple[Label, ...]:
    """Return what the clusters of a batch are called, by their codes."""
    array = to_numpy(values, "cluster")
    present, first = np.unique(codes, return_index=True)
    texts = (array[i] for i in first[present >= 0])
    return tuple(str(v) if isinstance(v, str | bytes) else int(v) for v in texts)


class Tallier:
    """Counts predictions batch by batch; what is asked of it is asked of all rows so far.

    Threads may update one Tallier together; processes each fill their own and send it back to be
    added up. Only counts are kept: memory grows with the number of distinct scores, not of rows.
    Of several models, and of rows that come in clusters, the rows are kept side by side as well, up
    to 2 GB, so that models are compared and clusters drawn as :func:`tallymark.evaluate` does.

    Parameters
    ----------
    positive : label, optional
        The positive class of two; not needed for {0, 1}, {False, True} and {-1, 1}.
    labels : sequence, optional
        The classes in the order wanted, and of the columns of scores. Without it classes are
        taken as they come.
    threshold : float, optional
        Scores at or above it are called positive: 0.5 of probabilities unless given.
    level, seed
        Of the intervals, as in :func:`tallymark.evaluate`.
    missing : {"error", "drop"}
        What to do with rows where a label or a score is missing.
    bins : int or Bins, optional
        How many distinct scores to keep: of more, neighbours are counted together in about so many
        bins, and every number comes with the bracket within which it must lie. Talliers to be added
        up need the same :class:`Bins`.

    Raises
    ------
    InputError
        A batch that cannot be counted, or is of another kind than those before. It then changes
        nothing.

    Examples
    --------
    >>> import tallymark as tm
    >>> tally = tm.Tallier()
    >>> tally.update([0, 0, 0], y_score=[0.1, 0.4, 0.2])
    >>> tally.update([1, 0, 1], y_score=[0.8, 0.5, 0.3])
    >>> tally.rows, tally.value("roc_auc")
    (6, 0.75)
    >>> tally.result()["sensitivity"].value
    0.5

    """

    def __init__(
        self,
        positive: Label | None = None,
        labels: Sequence[Label] | None = None,
        threshold: float | None = None,
        *,
        level: float = 0.95,
        seed: int = 0,
        missing: Missing = "error",
        bins: int | Bins | None = None,
    ) -> None:
        if bins is not None and not isinstance(bins, Bins):
            if not isinstance(bins, int) or isinstance(bins, bool) or bins < _FEWEST_BINS:
                raise InputError(
                    f"bins is {bins!r}; give a whole number, at least {_FEWEST_BINS:,}, or Bins"
                )
            bins = int(bins)
        if threshold is not None and math.isnan(threshold):
            raise InputError(
                "threshold is NaN; give the number at or above which scores are positive"
            )
        if missing not in ("error", "drop"):
            raise InputError(f"missing is {missing!r}; say 'error' or 'drop'")
        quantile(level)
        named = None if labels is None else tuple(plain_label(label) for label in labels)
        if named is not None and len(set(named)) < len(named):
            raise InputError(f"labels names a class twice: {list(named)}")
        chosen = None if positive is None else plain_label(positive)
        cut = None if threshold is None else float(threshold)
        self._options = _Options(chosen, named, cut, float(level), int(seed), missing, bins)
        self._counted: _Batches | None = None
        self._start()

    def _start(self) -> None:
        self._lock = threading.RLock()
        self._saving = threading.Lock()
        names = ("labels", "positive", "threshold", "missing")
        options = {n: v for n, v in self._options.values().items() if n in names}
        self._job = Job(
            "a stream", "y_true", (), weight="sample_weight", cluster="cluster", **options
        )
        self._forget_batches()

    def _forget_batches(self) -> None:
        """Go on from what is counted, with no batch waiting."""
        self._buffer = _Buffer()
        # Of all batches, those still waiting to be counted too.
        self._layout = None if self._counted is None else self._counted.layout
        joint = (self._counted and self._counted.counted.joint) or ()
        names = dict.fromkeys(n for p in joint for n in p.cluster_names or ())
        self._clusters = {name: i for i, name in enumerate(names)}

    # -- counting ------------------------------------------------------------------------------

    def update(
        self,
        y_true: Any,
        y_pred: Any = None,
        *,
        y_score: Any = None,
        sample_weight: Any = None,
        cluster: Any = None,
    ) -> None:
        """Count a batch: all of it, or nothing where it is refused.

        The arguments are those of :func:`tallymark.evaluate`; tensors of PyTorch and of TensorFlow
        and JAX are taken as they are, also from a device or with a gradient. Rows of one cluster
        may come in several batches: it is known by what it is called.

        >>> import tallymark as tm
        >>> tally = tm.Tallier()
        >>> tally.update(["a", "b"], ["a", "a"])
        >>> tally.update(["c", "b"], ["c", "b"])
        >>> tally.value("accuracy")
        0.75
        """
        if cluster is not None and self._options.bins is not None:
            raise InputError(
                "clusters need the rows, which are not kept beside bins; leave bins or cluster out"
            )
        job = self._job
        chunk, models = chunk_of_arrays(
            y_true, y_pred, y_score, sample_weight=sample_weight, clusters=cluster
        )
        names = () if cluster is None else _cluster_names(cluster, chunk.groups["cluster"])
        chunk, dropped = complete_rows(chunk, job, None)
        given = _Layout.of(chunk, models)
        with self._lock:
            layout = self._layout or given
            layout.refuse_other(given)
            known = layout.with_labels(chunk.labels, job.labels)
            for m in models:
                known = known.with_columns(m.classes, job.labels)
            if known is not self._layout:
                known.classes(job)
            self._refuse_clusters(names, chunk)
            self._buffer.add(self._copied(chunk, models, known, names), dropped)
            self._layout = known
            counted = self._counted.groups if self._counted is not None else 0
            if self._buffer.rows >= max(_LEAST // max(known.width, 1), counted):
                self._count()

    def _refuse_clusters(self, names: Sequence[Label], chunk: Chunk) -> None:
        """Refuse clusters of another type than before, and more rows of clusters than are kept."""
        if not names:
            return
        known = next(iter(self._clusters), None)
        if known is not None:
            nothing = np.empty(0, dtype=np.intp)
            both = {"cluster": names[0], _EARLIER: known}
            join_labels({n: Coded(nothing, (label,)) for n, label in both.items()})
        joint = (self._counted and self._counted.counted.joint) or ()
        kept = sum(p.nbytes for p in joint) + self._buffer.nbytes
        if kept + _bytes_of(chunk) > MOST_KEPT:
            raise self._job.too_large()

    def _copied(
        self, chunk: Chunk, models: Sequence[ModelRoles], layout: _Layout, names: Sequence[Label]
    ) -> Chunk:
        """Copy a batch's rows, with columns of scores in the order of their classes."""
        labels = {"y_true": chunk.labels["y_true"]}
        numbers: dict[str, NDArray[np.float64]] = {}
        order = [str(c) for c in layout.columns or ()]
        for given, kept in zip(models, layout.roles, strict=True):
            if given.pred and kept.pred:
                labels[kept.pred] = chunk.labels[given.pred]
            columns: Sequence[str] = given.scores
            if len(columns) > 1 and set(given.classes) == set(order):
                columns = [columns[given.classes.index(text)] for text in order]
            numbers |= {k: chunk.numbers[c] for k, c in zip(kept.scores, columns, strict=True)}
        codes = [self._clusters.setdefault(name, len(self._clusters)) for name in names]
        return Chunk(
            0, {n: Coded(c.codes.copy(), c.labels) for n, c in labels.items()},
            {n: v.copy() for n, v in numbers.items()}, chunk.rows,
            {n: np.array(codes, np.intp)[g] for n, g in chunk.groups.items()},
            weight=None if chunk.weight is None else chunk.weight.copy(),
        )  # fmt: skip

    def _count(self) -> _Batches | None:
        """Count the rows that wait, and return all counts; None before the first batch."""
        if self._buffer.parts and self._layout is not None:
            layout, job = self._layout, self._job
            if not layout.clustered:
                job = replace(job, cluster=None)
            counter = RowCounter(job, arrays=True)
            counter.start(layout.classes(job), self._buffer.dropped)
            counter.add(self._buffer.chunk())
            counted = counter.counted
            assert counted is not None
            if layout.clustered and counted.joint is not None:
                named = tuple(self._clusters)
                parts = (replace(p, cluster_names=named) for p in counted.joint)
                counted = replace(counted, joint=tuple(parts))
            made = _Batches(layout, counted, len(self._buffer.parts))
            whole = made if self._counted is None else self._counted.plus(made, self._job)
            self._counted = whole.binned(self._options.bins, self._options.exact_at)
            self._buffer = _Buffer()
        return self._counted

    def merge(self, other: Tallier) -> None:
        """Add the counts of another Tallier, which stays as it is.

        >>> import tallymark as tm
        >>> here, there = tm.Tallier(), tm.Tallier()
        >>> here.update([0, 1], [0, 1])
        >>> there.update([1, 1], [0, 1])
        >>> here.merge(there)
        >>> here.value("accuracy")
        0.75
        """
        if not isinstance(other, Tallier):
            raise InputError(f"a Tallier adds up with another Tallier, not {type(other).__name__}")
        if (found := self._options.first_difference(other._options)) is not None:
            name, mine, its = found
            raise InputError(
                f"{name} is {mine!r} in one Tallier and {its!r} in the other; make both alike"
            )
        with other._lock:
            counts = other._count()
        if counts is None:
            return
        with self._lock:
            here = self._count()
            whole = counts if here is None else here.plus(counts, self._job)
            self._counted = whole.binned(self._options.bins, self._options.exact_at)
            self._forget_batches()

    def __add__(self, other: object) -> Tallier:
        if not isinstance(other, Tallier):
            return NotImplemented
        made = self.copy()
        made.merge(other)
        return made

    def reset(self) -> None:
        """Forget all rows; what was asked for stays."""
        with self._lock:
            self._counted = None
            self._forget_batches()

    # -- asking --------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """Rows counted."""
        with self._lock:
            return self._buffer.rows + (self._counted.counted.rows if self._counted else 0)

    @property
    def batches(self) -> int:
        """Batches counted: where a stream that was resumed goes on."""
        with self._lock:
            return len(self._buffer.parts) + (self._counted.batches if self._counted else 0)

    def result(self, *, source: str = "a stream") -> Evaluation:
        """Return the evaluation of all rows so far: what :func:`tallymark.evaluate` gives of them.

        Counts agree to the last bit where every weight is 1; sums of weights, and of the losses of
        rows of more than two classes, agree to rounding. Models of different Talliers are compared
        as models on different rows are.
        """
        with self._lock:
            counts = self._count()
        if counts is None or not counts.counted.rows:
            lost = f" ({counts.counted.dropped:,} rows were left out)" if counts is not None else ""
            raise InputError(f"nothing is counted yet{lost}; update() with at least one row first")
        job = replace(self._job, source=source)
        return Evaluation(counts.settled(job), self._options.level, self._options.seed)

    def value(
        self, metric: str, *, model: str | None = None, average: str | None = None, **params: Any
    ) -> float:
        """Return one metric of all rows so far, without an interval: NaN where it is undefined.

        ``average`` and ``params`` as in :meth:`Evaluation.value`; ``model`` is one of several.
        """
        ev, found = self.result(), get(metric)
        ev = ev if model is None else ev.model(model)
        if len(ev.models) > 1:
            raise InputError(f"these batches hold the models {_listed(ev.names)}; say model=...")
        (counts,) = ev.models
        if not counts.holds(found):
            raise InputError(f"{found.name} needs {found.wanted}, and these batches have none")
        if average == "per_class":
            raise InputError("average='per_class' is many values; take .result().per_class()")
        statistic = Statistic.of(found, ev.classes, ev.positive, average, **params)
        tally: Any = counts.scores
        if found.needs in ("counts", "matrix"):
            tally = counts.labels
        elif found.needs == "rows" and counts.sums is not None:
            tally = counts.sums
        return float(statistic.measure(tally))

    def metric(self, name: str, **params: Any) -> StreamedMetric:
        """Return one metric of this Tallier with the methods that training loops call."""
        get(name).check(params)
        return StreamedMetric(self, name, params)

    def __repr__(self) -> str:
        return f"<Tallier of {self.rows:,} rows in {self.batches:,} batches>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tallier):
            return NotImplemented
        mine, its = self._snapshot(), other._snapshot()
        return self._options == other._options and mine == its

    __hash__ = None  # type: ignore[assignment]

    # -- keeping -------------------------------------------------------------------------------

    def _snapshot(self) -> _Batches | None:
        with self._lock:
            return self._count()

    def copy(self) -> Tallier:
        """Return a Tallier of the same counts, which goes its own way."""
        made = object.__new__(type(self))
        made.__setstate__(self.__getstate__())
        return made

    __copy__ = copy

    def __getstate__(self) -> dict[str, Any]:
        return {"_options": self._options, "_counted": self._snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def to_dict(self) -> dict[str, Any]:
        """Return the Tallier as plain data for JSON, with its format and version."""
        return replace(self._options, counted=self._snapshot()).to_dict()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        try:
            saved = _Options.from_dict(data)
            made = cls(**saved.values())
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(
                f"this tallymark/tallier was changed ({error}); give what to_dict() wrote"
            ) from None
        made._counted = saved.counted
        made._start()
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all counts to a file, whole or not at all, also when the machine goes down.

        Saved after every batch, a crash loses at most the batch at work; :attr:`batches` tells
        where to go on.
        """
        with self._saving:  # of two at once the later counts are written last
            io.write(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` wrote."""
        data = io.read(path)
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{os.fspath(path)!r}: {error}") from None

    @classmethod
    def resume(cls, path: str | os.PathLike[str], **options: Any) -> Self:
        """Return what a file holds, or a new Tallier where there is none yet.

        ``options`` are those of a new one; a file of others is refused.
        """
        new = cls(**options)
        if not Path(path).exists():
            return new
        found = cls.load(path)
        if (different := found._options.first_difference(new._options)) is not None:
            name, kept, asked = different
            raise InputError(
                f"{os.fspath(path)!r} was counted with {name}={kept!r} and {name}={asked!r} is "
                "asked for; go on as it was begun, or start with another file"
            )
        return found


class StreamedMetric:
    """One metric of a Tallier, with the three methods that Keras calls: no Keras is needed.

    What is predicted is taken for scores: of the positive class, or one column a class.

    >>> import tallymark as tm
    >>> auc = tm.Tallier().metric("roc_auc")
    >>> auc.update_state([0, 1, 1], [[0.2], [0.1], [0.7]])
    >>> auc.result()
    0.5
    """

    def __init__(self, tallier: Tallier, name: str, params: Mapping[str, Any]) -> None:
        self.tallier, self.name, self._params = tallier, name, dict(params)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch of true classes and scores."""
        self.tallier.update(y_true, y_score=y_pred, sample_weight=sample_weight)

    def result(self) -> float:
        """Return the metric of all rows so far; NaN before the first."""
        return self.tallier.value(self.name, **self._params) if self.tallier.rows else math.nan

    def reset_state(self) -> None:
        """Forget all rows."""
        self.tallier.reset()
