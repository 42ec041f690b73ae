"""Count predictions batch by batch, with results available at any time."""

from __future__ import annotations

import json
import math
import os
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import ANY, METRIC, checked, given_roles, made_by, takes_roles
from tallymark.errors import InputError, listed
from tallymark.metric import get
from tallymark.metric.binning_bounds import with_binning_bounds
from tallymark.metric.measure import Statistic
from tallymark.output import write_text
from tallymark.part import Role, part_roles
from tallymark.quantities import many, with_article
from tallymark.reading import device
from tallymark.reading.chunks import Chunk, read_texts
from tallymark.reading.classes import columns_by_class, settle_classes, spelling
from tallymark.reading.columns import ModelRoles
from tallymark.reading.given_arrays import by_model, check_models, chunk_of_arrays
from tallymark.reading.ingest import (
    MOST_KEPT,
    Classes,
    Counted,
    Job,
    RowCounter,
    complete_rows,
)
from tallymark.reading.meaning import assign_columns, refuse_unscaled
from tallymark.reading.role_arguments import RoleArguments
from tallymark.reading.source import Source
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
from tallymark.tally.io import Saved, by_role, part
from tallymark.tally.labels import Missing
from tallymark.tally.scores import ScoreTally

MOST_WAITING = 1 << 21
"""Scores buffered before they are counted, or the number of distinct scores if larger. Each score
is then merged only once or twice, even if batches are small."""


_FEWEST_BINS = 1024
"""With fewer bins the bounds are too wide to be useful."""


# -- batches -------------------------------------------------------------------------------------

_EARLIER = "an earlier batch"


def _read_model(data: Any) -> tuple[str, bool, int, str | None]:
    """Return a model of a layout from saved data; raise TypeError if it is damaged."""
    name, predicted, width, of_class = data
    kinds = (type(name), type(predicted), type(width), type(of_class))
    if kinds[:3] != (str, bool, int) or kinds[3] not in (str, type(None)) or width < 0:
        raise TypeError
    return name, predicted, width, of_class


def _read_flag(role: Role, data: Any) -> bool:
    """Return from saved data whether a role has numbers; raise TypeError if it is damaged."""
    if not isinstance(data, bool):
        raise TypeError
    return data


@dataclass(frozen=True)
class _Layout(Saved):
    """The columns that all batches have, and the classes that occurred so far.

    ``models`` has, for each model, the name, whether it has predictions, the number of score
    columns, and the class that a single column is named after. ``columns`` are the classes of two
    or more score columns in order, or None until they are known.
    """

    _kind: ClassVar[str] = "layout"
    models: tuple[tuple[str, bool, int, str | None], ...] = field(
        metadata=part(_read_model, many=True)
    )
    weighted: bool
    clustered: bool
    numbers: Mapping[str, bool] = field(
        default_factory=dict, metadata=by_role(_read_flag, attrgetter("plural"))
    )
    """Whether the batches have the numbers of each role of a part."""
    seen: tuple[Label, ...] = ()
    columns: tuple[Label, ...] | None = None

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield "models", 0 < len(self.models) == len({m[0] for m in self.models})
        yield "classes", len(set(self.seen)) == len(self.seen)
        if self.columns is not None:
            yield "classes", len(set(self.columns)) == len(self.columns) == self.width

    @cached_property
    def roles(self) -> tuple[ModelRoles, ...]:
        """The columns of each model, named like those of array input."""
        roles = []
        for name, predicted, width, of_class in self.models:
            of = "" if len(self.models) == 1 else f"[{name!r}]"
            named = (of_class,) if width == 1 else (None,) * width
            scores = [f"y_score{of}" + (f"[:, {k}]" if width > 1 else "") for k in range(width)]
            prediction = f"y_pred{of}" if predicted else None
            roles.append(ModelRoles(name, prediction, tuple(scores), named))
        return tuple(roles)

    @cached_property
    def with_numbers(self) -> frozenset[str]:
        """The roles of parts whose numbers the batches have."""
        return frozenset(role for role, present in self.numbers.items() if present)

    @cached_property
    def columns_given(self) -> tuple[Any, ...]:
        """What every batch has in common: its models, and the columns beside theirs."""
        return self.models, self.weighted, self.clustered, self.with_numbers

    @cached_property
    def width(self) -> int:
        """The largest number of score columns of a model."""
        return max(width for _, _, width, _ in self.models)

    def refuse_other(self, other: _Layout) -> None:
        """Raise InputError if another batch has a different layout."""
        if self.columns_given == other.columns_given:
            return
        before, now = ([m[0] for m in layout.models] for layout in (self, other))
        if before != now:
            raise InputError(
                f"this batch has the models {listed(now)} and earlier ones had {listed(before)}; "
                "give every batch the same"
            )
        facts: list[tuple[str, int, int]] = [("sample_weight", self.weighted, other.weighted)]
        facts += [("cluster", self.clustered, other.clustered)]
        facts += [
            (role, role in self.with_numbers, role in other.with_numbers) for role in part_roles()
        ]
        for mine, its in zip(self.models, other.models, strict=True):
            facts += [("y_pred", mine[1], its[1]), ("y_score", mine[2], its[2])]
        for name, had, has in facts:
            if bool(had) != bool(has):
                stated = with_article(name) if has else f"no {name}"
                raise InputError(
                    f"there is {stated} and earlier batches had {'it' if had else 'none'}; give "
                    "every batch the same"
                )
            if had != has:
                here, earlier = (many(n, "column") for n in (has, had))
                raise InputError(
                    f"{name} has {here} and {earlier} in earlier batches; give every batch the same"
                )

    def joined(self, other: _Layout, job: Job) -> _Layout:
        """Return the merged layout of the batches of two Talliers; refuse incompatible ones."""
        self.refuse_other(other)
        if None not in (self.columns, other.columns) and self.columns != other.columns:
            one, two = (listed(layout.columns or ()) for layout in (self, other))
            raise InputError(
                f"the columns of y_score stand for {one} in one Tallier and for {two} in the "
                "other; say classes=[...] in both"
            )
        whole = replace(self, columns=self.columns or other.columns)
        labels = {"the other Tallier": _uncoded(other.seen)}
        return whole.with_labels(labels, job.labels, "this one")

    def with_labels(
        self,
        columns: Mapping[str, Coded],
        requested: Sequence[Label] | None,
        before: str = _EARLIER,
    ) -> _Layout:
        """Return the layout with the labels of another batch."""
        if all(c.labels == self.seen for c in columns.values()):
            return self
        if all(set(self.seen).issuperset(c.labels) for c in columns.values()):
            return self
        every = {before: _uncoded(self.seen), **columns}
        spelling(
            every, requested, None, "write each class the same way, or list them with classes=[...]"
        )
        labels, _ = join_labels(every, requested)
        for name, column in columns.items():
            new = [label for label in column.labels if label not in (self.columns or labels)]
            if new:
                raise InputError(
                    f"{name} holds the class {new[0]!r}, and the {len(self.columns or ())} columns "
                    f"of y_score stand for {listed(self.columns or ())}; say classes=[...] in the "
                    "order of the columns"
                )
            if len(labels) > MAX_CLASSES:
                raise InputError(
                    f"{name} brings the distinct labels to {len(labels):,}, too many for class "
                    f"labels (at most {MAX_CLASSES:,} classes): is it an identifier or a "
                    "measurement?"
                )
        return replace(self, seen=labels)

    def with_columns(
        self, names: Sequence[str | None], requested: tuple[Label, ...] | None
    ) -> _Layout:
        """Return the layout with the classes of several score columns, inferred if necessary."""
        width, labels = len(names), self.seen
        if self.columns is not None or width < 2:
            return self
        named = [name for name in names if name is not None]
        classes = requested
        if classes is None and len(labels) == width:
            classes = labels
        elif classes is None and named:
            parsed = tuple(sorted(read_texts(named)))
            classes = parsed if len(set(parsed)) == width and set(labels) <= set(parsed) else None
        elif classes is None and set(labels) <= set(range(width)):
            whole = not any(isinstance(label, bool) for label in labels)
            classes = tuple(range(width)) if whole or width > 2 else (False, True)
        if classes is None:
            raise InputError(
                f"y_score has {width} columns and the classes seen so far are {listed(labels)}; "
                "say classes=[...], so every column has a class"
            )
        if len(classes) != width:
            raise InputError(
                f"classes lists {len(classes)} classes and y_score has {width} columns; give one "
                "column a class"
            )
        unnamed = named and len(columns_by_class(named, classes)) < width
        if unnamed and (width == 2 or requested is None):
            raise InputError(
                f"y_score has the columns {listed(named)} and the classes are {listed(classes)}; "
                "name the columns like the classes, or give the models as y_score={name: scores}"
            )
        return replace(self, columns=classes)

    def narrowed(self, job: Job) -> Job:
        """Return a job without the columns that the batches do not have."""
        return replace(
            job,
            weight=job.weight if self.weighted else None,
            cluster=job.cluster if self.clustered else None,
            roles={role: role for role in part_roles() if role in self.with_numbers},
        )

    def classes(self, job: Job, *, settled: bool = False) -> Classes:
        """Return the classes to count under.

        Which of two classes is positive is decided only when scores need it, or if ``settled``.
        """
        labels = job.labels or self.columns or self.seen
        positive = None
        if settled or self.width or len(labels) > 2:
            labels, positive = settle_classes(labels, job.positive)
        return Classes(labels, positive, assign_columns(self.roles, labels, positive))


def _agreed(
    before: _Layout | None,
    models: tuple[tuple[str, bool, int, str | None], ...],
    weighted: bool,
    clustered: bool,
    roles: Collection[str] = (),
) -> _Layout:
    """Return the layout of earlier batches, or of the first one; refuse one with other columns."""
    if before is not None and before.columns_given == (
        models,
        weighted,
        clustered,
        frozenset(roles),
    ):
        return before
    of_batch = _Layout(models, weighted, clustered, dict.fromkeys(roles, True))
    if before is not None:
        before.refuse_other(of_batch)
    return before or of_batch


def _uncoded(labels: tuple[Label, ...]) -> Coded:
    """Return the coded labels of zero rows."""
    return Coded(np.empty(0, dtype=np.intp), labels)


@dataclass(frozen=True)
class _State(Saved):
    """The options for all batches, and their counts so far."""

    _kind: ClassVar[str] = "tallier"
    positive: Label | None
    classes: tuple[Label, ...] | None
    threshold: float | None
    level: float
    seed: int
    missing: Missing
    bins: int | Bins | None = field(
        metadata=part(lambda bins: Bins(**bins) if isinstance(bins, dict) else bins)
    )
    layout: _Layout | None = field(default=None, metadata=part(_Layout.from_dict))
    counted: Counted | None = field(default=None, metadata=part(Counted.from_dict))
    batches: int = 0

    def _facts(self) -> Iterator[tuple[str, bool]]:
        layout, counted = self.layout, self.counted
        yield "batches", (layout is None) == (counted is None) == (self.batches == 0)
        yield "options", 0 < self.level < 1 and not math.isnan(self.threshold or 0)
        yield "options", self.classes is None or self.positive in (None, *self.classes)
        if layout is not None and counted is not None:
            yield "models", len(counted.models) == len(layout.models)
            yield "weights", layout.weighted == counted.weighted
            yield "classes", set(layout.seen) <= set(counted.classes)
            for (_, predicted, width, _), m in zip(layout.models, counted.models, strict=True):
                # For two columns of two classes, only the positive one is counted.
                yield "models", len(m.scores) in (width, width - (width == 2))
                yield "models", m.labels is not None or not predicted
            for p in counted.joint or ():
                yield "clusters", (p.clusters is not None) == layout.clustered
                for name, role in part_roles().items():
                    yield role.plural, (name in p.numbers) == (name in layout.with_numbers)

    @property
    def options(self) -> dict[str, Any]:
        """The options by name."""
        counted = ("layout", "counted", "batches")
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in counted}

    def first_difference(self, other: _State) -> tuple[str, Any, Any] | None:
        """Return the name of an option that differs, and both values; None if all are equal."""
        mine, its = self.options, other.options
        return next(((n, v, its[n]) for n, v in mine.items() if v != its[n]), None)

    @cached_property
    def job(self) -> Job:
        """The specification of what to count in each batch."""
        return Job(
            Source("a stream"),
            "y_true",
            (),
            weight="sample_weight",
            cluster="cluster",
            labels=self.classes,
            positive=self.positive,
            threshold=self.threshold,
            missing=self.missing,
        )

    def plus(self, layout: _Layout, counted: Counted, batches: int) -> _State:
        """Return the state with the counts of more batches; refuse incompatible ones."""
        if self.layout is not None and self.counted is not None:
            layout = self.layout.joined(layout, self.job)
            labels = layout.classes(self.job).labels
            a, b = self.counted, counted
            a, b = (x.with_scores(_in_bins_of, y).under(labels) for x, y in ((a, b), (b, a)))
            counted = a.plus(b, layout.narrowed(self.job))
        if self.bins is not None:
            counted = counted.with_scores(self.binned)
        return replace(self, layout=layout, counted=counted, batches=self.batches + batches)

    def binned(self, tally: ScoreTally) -> ScoreTally:
        """Return the scores binned as requested; compute the bins if there are too many scores.

        Decisions at the threshold, or at 0 and 0.5 by default, stay exact.
        """
        bins = self.bins
        if tally.bins is not None or not len(tally.scores):
            return tally
        if isinstance(bins, int) and len(tally.scores) > bins:
            r = tally._score_counts
            sample = [r.scores[r.pos > 0], r.scores[r.neg > 0]]
            in_class = np.repeat([True, False], [len(s) for s in sample])
            keep = (0.0, 0.5) if self.threshold is None else (self.threshold,)
            bins = Bins._of_sample(np.concatenate(sample), in_class, bins, keep)
        return tally.binned(bins) if isinstance(bins, Bins) else tally


def _in_bins_of(tally: ScoreTally, other: ScoreTally) -> ScoreTally:
    """Return exact scores in the bins of another tally."""
    if tally.bins is None:
        return tally if other.bins is None else tally.binned(other.bins)
    if other.bins is not None and tally.bins != other.bins:
        raise InputError(
            "the Talliers chose different bins, which cannot be added up; give both the same "
            "bins=Bins(...)"
        )
    return tally


class _Column:
    """Values of all waiting batches in one array, which grows when it is full.

    One array costs less than one for each batch: fewer pages of memory are new to the process. It
    grows fast, since its empty part takes no memory yet and a copy takes new pages.
    """

    def __init__(self, kind: type) -> None:
        self.values: NDArray[Any] = np.empty(0, kind)

    def write(self, values: NDArray[Any], start: int) -> None:
        """Write the values of a batch behind those of the rows before it."""
        end = start + len(values)
        if end > len(self.values):
            size = len(self.values)
            most = max(end, 2 * size, min(8 * size, MOST_WAITING))
            grown = np.empty(most, self.values.dtype)
            grown[:start] = self.values[:start]
            self.values = grown
        self.values[start:end] = values


class _LabelColumn(_Column):
    """Codes of all waiting batches into one list of labels, in the order in which they came."""

    def __init__(self) -> None:
        super().__init__(np.int16)
        self.place: dict[Label, int] = {}
        self._of_batch: tuple[Label, ...] = ()
        self._table: NDArray[np.intp] | None = None

    def write_labels(self, column: Coded, start: int) -> None:
        """Write the labels of a batch, which are complete, behind those of the rows before it."""
        if column.labels != self._of_batch:
            places = [self.place.setdefault(label, len(self.place)) for label in column.labels]
            in_place = places == list(range(len(places)))
            self._of_batch, self._table = column.labels, None if in_place else np.array(places)
            if len(self.place) > np.iinfo(np.int16).max:  # names of clusters
                self.values = self.values.astype(np.int64, copy=False)
        self.write(column.codes if self._table is None else self._table[column.codes], start)


@dataclass
class _Waiting:
    """Batches waiting to be counted, copied because the caller may change its arrays.

    ``layout`` is that of all batches, including those counted; once ``most`` rows wait, they are
    counted.
    """

    layout: _Layout | None = None
    most: int = 0
    batches: int = 0
    rows: int = 0
    dropped: int = 0
    labels: dict[str, _LabelColumn] = field(default_factory=lambda: defaultdict(_LabelColumn))
    numbers: dict[str, _Column] = field(
        default_factory=lambda: defaultdict(partial(_Column, np.float64))
    )
    tensors: list[tuple[int, device.Batch]] = field(default_factory=list)
    """Numbered batches that are still on a device and not yet counted."""
    rows_on_device: int = 0

    @classmethod
    def after(cls, state: _State) -> Self:
        """Return no batches, after those of a state."""
        models = () if state.counted is None else state.counted.models
        return cls(state.layout, max((len(t.scores) for m in models for t in m.scores), default=0))

    def add(
        self, chunk: Chunk, models: Sequence[ModelRoles], layout: _Layout, dropped: int
    ) -> None:
        """Add a batch, with its score columns in the order of their classes."""
        start = self.rows
        self.labels["y_true"].write_labels(chunk.labels["y_true"], start)
        for in_batch, in_layout in zip(models, layout.roles, strict=True):
            if in_batch.pred and in_layout.pred:
                self.labels[in_layout.pred].write_labels(chunk.labels[in_batch.pred], start)
            columns: Sequence[str] = in_batch.scores
            if len(columns) > 1:
                place = columns_by_class(in_batch.classes, layout.columns or ())
                if len(place) == len(columns):
                    columns = [columns[i] for i in place.values()]
            for name, column in zip(in_layout.scores, columns, strict=True):
                self.numbers[name].write(chunk.numbers[column], start)
        for role in layout.with_numbers:
            self.numbers[role].write(chunk.numbers[role], start)
        if chunk.weight is not None:
            self.numbers["sample_weight"].write(chunk.weight, start)
        if layout.clustered:
            self.labels["cluster"].write_labels(chunk.labels["cluster"], start)
        self.layout = layout
        self.batches += 1
        self.rows += chunk.rows
        self.dropped += dropped

    def chunk(self) -> Chunk:
        """Return all rows."""
        labels = {}
        for name, column in self.labels.items():
            coded = Coded(column.values[: self.rows], tuple(column.place))
            classes, (codes,) = join_labels({name: coded})
            labels[name] = Coded(codes, classes)
        numbers = {name: column.values[: self.rows] for name, column in self.numbers.items()}
        weight = numbers.pop("sample_weight", None)
        groups = {"cluster": labels["cluster"].codes} if "cluster" in labels else {}
        return Chunk(0, labels, numbers, self.rows, groups, weight=weight)


def _cluster_names(values: Any, codes: Codes) -> tuple[Label, ...]:
    """Return the names of a batch's clusters, by code."""
    array = to_numpy(values, "cluster")
    present, first = np.unique(codes, return_index=True)
    texts = (array[i] for i in first[present >= 0])
    return tuple(str(v) if isinstance(v, str | bytes) else int(v) for v in texts)


@checked
class Tallier:
    """Counts predictions batch by batch; every result covers all rows so far.

    Threads may update one Tallier together. Processes each fill their own and send it back to be
    added up. Only counts are stored: memory grows with the number of distinct scores, not of rows.
    With several models, clusters or numbers that parts read, the rows are stored too, up to 2 GB,
    so that all results of :func:`tallymark.evaluate` are available. Rows with a score for each
    class are stored up to 400 MB, for the intervals of averages.

    Parameters
    ----------
    positive : label, optional
        The positive class of two; not needed for {0, 1}, {False, True} and {-1, 1}.
    classes : sequence, optional
        The classes in order, which is also the order of the score columns. By default,
        classes are added as they occur.
    threshold : float, optional
        Scores at or above it are called positive. The default for probabilities is 0.5.
    level, seed
        Confidence level and seed of the intervals, as in :func:`tallymark.evaluate`.
    missing : {"error", "drop"}
        What to do with rows where a label or a score is missing.
    bins : int or Bins, optional
        The number of distinct scores to keep. If there are more, neighbouring scores are counted
        together in about this many bins, and every number comes with bounds on its exact value.
        Talliers to be added up need the same :class:`Bins`.

    Raises
    ------
    InputError
        A batch cannot be counted, or differs in kind from those before. The counts are then
        unchanged.

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

    @checked(bins=ANY)
    def __init__(
        self,
        positive: Label | None = None,
        classes: Sequence[Label] | None = None,
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
        named = None if classes is None else join_labels({}, classes)[0]
        chosen = None if positive is None else plain_label(positive)
        cut = None if threshold is None else float(threshold)
        self._state = _State(chosen, named, cut, float(level), int(seed), missing, bins)
        self._waiting = _Waiting.after(self._state)
        self._lock = threading.RLock()
        self._saving = threading.Lock()

    @classmethod
    def _of(cls, state: _State) -> Self:
        """Return a Tallier that continues from a state."""
        tallier = cls(**state.options)
        tallier._state, tallier._waiting = state, _Waiting.after(state)
        return tallier

    # -- counting ------------------------------------------------------------------------------

    @takes_roles(after="cluster")
    def update(
        self,
        y_true: Any,
        y_pred: Any = None,
        *,
        y_score: Any = None,
        sample_weight: Any = None,
        cluster: Any = None,
        **roles: Unpack[RoleArguments],
    ) -> None:
        """Count a batch completely, or not at all if it is refused.

        The arguments are those of :func:`tallymark.evaluate`. Tensors of PyTorch, TensorFlow and
        JAX are accepted as they are, also on a device or with a gradient. The labels and scores of
        one model on a GPU stay there, and nothing waits for them: they are counted there when a
        result is requested. A batch that is refused then is left out, and the error names it. Rows
        of one cluster may come in several batches: clusters are identified by name.

        >>> import tallymark as tm
        >>> tally = tm.Tallier()
        >>> tally.update(["a", "b"], ["a", "a"])
        >>> tally.update(["c", "b"], ["c", "b"])
        >>> tally.value("accuracy")
        0.75
        """
        named = given_roles("Tallier.update", roles) if roles else {}
        of_roles = {role: values for role, values in named.items() if values is not None}
        by_row = {role: part_roles()[role].plural for role in of_roles}
        if cluster is not None:
            by_row["cluster"] = "clusters"
        for name, plural in by_row.items() if self._state.bins is not None else ():
            raise InputError(
                f"{plural} need the rows, which are not kept with bins; leave bins or {name} out"
            )
        check_models(y_pred, y_score)
        batch = None
        if not by_row and sample_weight is None and device.on_device(device.as_tensor(y_true)):
            outputs = by_model(y_pred, "y_pred"), by_model(y_score, "y_score")
            batch = device.Batch.of(y_true, *outputs)
        if batch is None:
            self._add(y_true, y_pred, y_score, sample_weight, cluster, of_roles)
        else:
            self._add_on_device(batch)

    def _add(
        self,
        y_true: Any,
        y_pred: Any,
        y_score: Any,
        sample_weight: Any = None,
        cluster: Any = None,
        of_roles: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Check a batch and write its rows behind those that wait."""
        job = self._state.job
        if of_roles:
            job = replace(job, roles={role: role for role in of_roles})
        chunk, models = chunk_of_arrays(
            y_true,
            y_pred,
            y_score,
            weight=sample_weight,
            cluster=cluster,
            roles=of_roles,
            weight_name="sample_weight",
        )
        chunk, dropped = complete_rows(chunk, job, None)
        for m in models:
            refuse_unscaled(m.scores, chunk.numbers)
        with self._lock:
            waiting = self._waiting
            layout = self._layout_with(chunk, models, job)
            if cluster is not None:
                chunk = self._with_clusters(chunk, cluster)
            if cluster is not None or of_roles:
                self._refuse_more(chunk, layout)
            waiting.add(chunk, models, layout, dropped)
            self._count_if_many()

    def _add_on_device(self, batch: device.Batch) -> None:
        """Keep a batch on its device; its values are checked when it is counted."""
        names = {**batch.predictions, **batch.scores}
        models = tuple((n, n in batch.predictions, int(n in batch.scores), None) for n in names)
        with self._lock:
            waiting = self._waiting
            waiting.layout = _agreed(waiting.layout, models, weighted=False, clustered=False)
            waiting.tensors.append((self.batches + 1, batch))
            waiting.rows_on_device += batch.rows
            self._count_if_many()

    def _count_if_many(self) -> None:
        waiting = self._waiting
        width = waiting.layout.width if waiting.layout else 1
        if waiting.rows + waiting.rows_on_device >= max(
            MOST_WAITING // max(width, 1), waiting.most
        ):
            self._count()

    def _layout_with(self, chunk: Chunk, models: Sequence[ModelRoles], job: Job) -> _Layout:
        """Return the layout of all batches and another one; refuse one that does not fit."""
        given = tuple(
            (
                m.name,
                m.pred is not None,
                len(m.scores),
                m.classes[0] if len(m.scores) == 1 else None,
            )
            for m in models
        )
        before = self._waiting.layout
        layout = _agreed(before, given, chunk.weight is not None, bool(chunk.groups), job.roles)
        layout = layout.with_labels(chunk.labels, job.labels)
        for m in models:
            layout = layout.with_columns(m.classes, job.labels)
        if layout is not before:
            classes = layout.classes(job)
            if job.roles and not (layout.width and classes.positive is not None):
                raise job.unscored()
        return layout

    def _with_clusters(self, chunk: Chunk, values: Any) -> Chunk:
        """Return a batch with its clusters, identified by name."""
        names = _cluster_names(values, chunk.groups["cluster"])
        waiting, counted = self._waiting, self._state.counted
        joint = (counted and counted.joint) or ()
        earlier_names = [p.cluster_names or () for p in joint]
        earlier_names += [tuple(c.place) for n, c in waiting.labels.items() if n == "cluster"]
        before = next(filter(None, earlier_names), ())
        join_labels({"cluster": _uncoded(names[:1]), _EARLIER: _uncoded(before[:1])})
        return replace(
            chunk, labels={**chunk.labels, "cluster": Coded(chunk.groups["cluster"], names)}
        )

    def _refuse_more(self, chunk: Chunk, layout: _Layout) -> None:
        """Raise InputError if clusters or roles would need more rows than can be kept."""
        counted = self._state.counted
        stored = sum(p.nbytes for p in (counted and counted.joint) or ())
        wide = 8 * len(chunk.numbers) + len(chunk.labels) + 4
        if stored + wide * (self._waiting.rows + chunk.rows) > MOST_KEPT:
            raise layout.narrowed(self._state.job).too_large()

    def _count(self) -> _State:
        """Count the waiting rows, and return all counts."""
        with self._lock:
            refused = self._count_on_device() if self._waiting.tensors else None
            waiting = self._waiting
            if waiting.batches and (layout := waiting.layout) is not None:
                chunk = waiting.chunk()
                self._count_chunk(chunk, layout, waiting.dropped, waiting.batches)
            self._waiting = _Waiting.after(self._state)
            if refused is not None:
                raise refused
            return self._state

    def _count_chunk(self, chunk: Chunk, layout: _Layout, dropped: int, batches: int) -> None:
        """Add the counts of a chunk to the state."""
        job = layout.narrowed(self._state.job)
        counter = RowCounter(job, arrays=True)
        counter.start(layout.classes(job), dropped)
        counter.add(chunk)
        counted = counter.counted
        assert counted is not None
        if chunk.count is not None:  # lines of several rows, each of weight 1
            counted = replace(counted, heaviest=1.0)
        if layout.clustered and counted.joint is not None:
            names = chunk.labels["cluster"].labels
            rows = tuple(replace(p, cluster_names=names) for p in counted.joint)
            counted = replace(counted, joint=rows)
        self._state = self._state.plus(layout, counted, batches)

    def _count_on_device(self) -> InputError | None:
        """Count the waiting batches on their device; return the error of the first bad one."""
        waiting, tensors = self._waiting, self._waiting.tensors
        waiting.tensors, waiting.rows_on_device = [], 0
        refused = None
        kinds = dict.fromkeys(batch.kind for _, batch in tensors)
        for kind in kinds:
            alike = [(number, batch) for number, batch in tensors if batch.kind == kind]
            lines = device.counted(*device.Batch.joined([batch for _, batch in alike]))
            if lines is not None and self._count_lines(lines, len(alike)):
                continue
            for number, batch in alike:  # copied, since some rows are refused or left out
                try:
                    self._add(batch.y_true, batch.predictions or None, batch.scores or None)
                except InputError as error:
                    refused = refused or InputError(f"batch {number} is left out: {error}")
        return refused

    def _count_lines(self, lines: device.Lines, batches: int) -> bool:
        """Add the counts of distinct rows to the state; return False where a batch is refused."""
        try:
            chunk, models = chunk_of_arrays(
                lines.y_true, lines.y_pred or None, lines.y_score or None
            )
            chunk = replace(chunk, count=lines.rows)
            self._waiting.layout = layout = self._layout_with(chunk, models, self._state.job)
            self._count_chunk(chunk, layout, 0, batches)
        except InputError:
            return False
        return True

    @checked(other=made_by("another Tallier", "Tallier"))
    def merge(self, other: Tallier) -> None:
        """Add the counts of another Tallier, which stays unchanged.

        >>> import tallymark as tm
        >>> here, there = tm.Tallier(), tm.Tallier()
        >>> here.update([0, 1], [0, 1])
        >>> there.update([1, 1], [0, 1])
        >>> here.merge(there)
        >>> here.value("accuracy")
        0.75
        """
        if (different := self._state.first_difference(other._state)) is not None:
            name, mine, its = different
            raise InputError(
                f"{name} is {mine!r} in one Tallier and {its!r} in the other; use the same in both"
            )
        more = other._count()
        if more.layout is not None and more.counted is not None:
            with self._lock:
                self._state = self._count().plus(more.layout, more.counted, more.batches)
                self._waiting = _Waiting.after(self._state)

    def __add__(self, other: object) -> Tallier:
        if not isinstance(other, Tallier):
            return NotImplemented
        total = self.copy()
        total.merge(other)
        return total

    def reset(self) -> None:
        """Remove all rows; the options stay."""
        with self._lock:
            self._state = replace(self._state, layout=None, counted=None, batches=0)
            self._waiting = _Waiting.after(self._state)

    # -- results -------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """The number of rows counted."""
        with self._lock:
            counted = self._state.counted
            waiting = self._waiting
            return waiting.rows + waiting.rows_on_device + (counted.rows if counted else 0)

    @property
    def batches(self) -> int:
        """The number of batches counted, which tells where to resume a stream."""
        with self._lock:
            waiting = self._waiting
            return len(waiting.tensors) + waiting.batches + self._state.batches

    def result(self, *, source: str = "a stream") -> Evaluation:
        """Return the evaluation of all rows so far, as :func:`tallymark.evaluate` returns it.

        Counts agree to the last bit where every weight is 1. Sums of weights, and of the losses of
        rows of more than two classes, agree to rounding. Models of different Talliers are compared
        as models on different rows.
        """
        state = self._count()
        counted, layout, job = state.counted, state.layout, state.job
        if counted is None or layout is None or not counted.rows:
            lost = f" ({many(counted.dropped, 'row')} left out)" if counted is not None else ""
            raise InputError(f"nothing is counted yet{lost}; update() with at least one row first")
        read_as: tuple[str, ...] = ()
        if layout.columns not in (None, state.classes, layout.seen):
            read_as = (f"the columns of y_score are {listed(layout.columns or ())}",)
        source_of_rows = Source(source, format=read_as, _batches=state.batches)
        job = replace(layout.narrowed(job), source=source_of_rows, models=layout.roles)
        rows = counted.settled(job, layout.classes(job, settled=True))
        return Evaluation(rows, state.level, state.seed)

    def value(
        self, metric: str, *, model: str | None = None, average: str | None = None, **params: Any
    ) -> float:
        """Return one metric of all rows so far, without an interval; NaN if it is undefined.

        ``average`` and ``params`` are those of :meth:`Evaluation.value`; ``model`` selects a model.
        """
        ev, declared = self.result(), get(metric)
        ev = ev if model is None else ev.model(model)
        if len(ev.models) > 1:
            raise InputError(f"these batches hold the models {listed(ev.names)}; say model=...")
        (counts,) = ev.models
        if declared._role_needed and declared._role not in counts._role_tallies:
            raise part_roles()[declared._role].missing_for(declared.name, in_batches=True)
        if not counts._holds(replace(declared, _role="")):
            raise counts._refusal(declared)
        if average == "per_class":
            raise InputError("average='per_class' gives several values; use .result().per_class()")
        statistic = Statistic.of(declared, ev.classes, ev.positive, average, **params)
        tally: Any = counts.scores
        if declared._needs in ("counts", "matrix"):
            tally = counts.labels
        elif declared._needs == "rows" and counts._sums is not None:
            tally = counts._sums
        elif declared._role in counts._role_tallies:
            tally = (counts._role_tallies[declared._role],)
        value = statistic.point(tally)
        if tally is counts.scores:
            value = with_binning_bounds(value, statistic, counts.scores)
        return value.value

    @checked(name=METRIC)
    def metric(self, name: str, **params: Any) -> StreamedMetric:
        """Return one metric of this Tallier as an object for training loops."""
        get(name)._check(params)
        return StreamedMetric(self, name, params)

    def __repr__(self) -> str:
        return f"<Tallier of {many(self.rows, 'row')} in {many(self.batches, 'batch', 'batches')}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tallier):
            return NotImplemented
        return self._count() == other._count()

    __hash__ = None  # type: ignore[assignment]

    # -- storage -------------------------------------------------------------------------------

    def copy(self) -> Tallier:
        """Return an independent Tallier with the same counts."""
        return self._of(self._count())

    __copy__ = copy

    def __reduce__(self) -> tuple[Any, ...]:
        return self._of, (self._count(),)

    def to_dict(self) -> dict[str, Any]:
        """Return the Tallier as plain data for JSON, with its format and version."""
        return self._count().to_dict()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the Tallier that :meth:`to_dict` wrote."""
        try:
            return cls._of(_State.from_dict(data))
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(
                f"this tallymark/tallier was changed ({error}); give what to_dict() wrote"
            ) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all counts to a file atomically, so that a crash leaves the old or the new file.

        If you save after every batch, a crash loses at most the current batch; :attr:`batches`
        tells where to resume.
        """
        with self._saving:  # of two simultaneous calls, the later counts are written last
            text = json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False)
            write_text(path, text + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the Tallier that :meth:`save` wrote."""
        data = io.read(path)
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{os.fspath(path)!r}: {error}") from None

    @classmethod
    def resume(cls, path: str | os.PathLike[str], **options: Any) -> Self:
        """Return the Tallier saved in a file, or a new one if the file does not exist.

        ``options`` are those of a new Tallier; a file with other options is refused.
        """
        new = cls(**options)
        if not Path(path).exists():
            return new
        saved = cls.load(path)
        if (different := saved._state.first_difference(new._state)) is not None:
            name, before, now = different
            raise InputError(
                f"{os.fspath(path)!r} was counted with {name}={before!r} and now has "
                f"{name}={now!r}; continue with the same options, or use another file"
            )
        return saved


@checked
class StreamedMetric:
    """One metric of a Tallier, with the three methods that Keras calls; Keras is not needed.

    Predictions are read as scores: of the positive class, or one column per class.

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
        """Return the metric of all rows so far; NaN before the first batch."""
        return self.tallier.value(self.name, **self._params) if self.tallier.rows else math.nan

    def reset_state(self) -> None:
        """Remove all rows."""
        self.tallier.reset()
