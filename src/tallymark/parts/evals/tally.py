"""Tallies of graded answers: the sum of grades and the number of answers of each question."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import Display, Floats, Label, Saved, array, check_name, checked, trusted

_OF_MODELS = ("models", "items")


@checked
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GradeTally(Saved, Display):
    """Counts of graded answers: the sum of grades and the number of answers ``[model, item]``.

    ``task`` and ``cluster`` are codes [item] into ``tasks`` and ``clusters``; there is at least one
    task, and without clusters both are empty. ``left_out`` and ``wrong`` are the numbers [model] of
    answers without a grade that are left out, or counted as 0. ``shares`` says that every grade is
    0 or 1. An item is identified by its name and its task.

    >>> t = GradeTally(("a",), ("q1", "q2"), np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]]))
    >>> (t + t).answers.tolist()
    [[2.0, 2.0]]
    """

    _kind: ClassVar[str] = "grade-tally"
    models: tuple[Label, ...]
    items: tuple[Label, ...]
    sums: Floats = field(metadata=array("sums", axes=_OF_MODELS))
    answers: Floats = field(metadata=array("answers", axes=_OF_MODELS))
    tasks: tuple[Label, ...] = ("",)
    task: NDArray[Any] | None = field(
        default=None, metadata=array("task", np.intp, axes=("items",)) | {"optional": True}
    )
    clusters: tuple[Label, ...] = ()
    cluster: NDArray[Any] | None = field(
        default=None, metadata=array("cluster", np.intp, axes=("items",)) | {"optional": True}
    )
    left_out: Floats | None = field(
        default=None, metadata=array("left_out", axes=("models",)) | {"optional": True}
    )
    wrong: Floats | None = field(
        default=None, metadata=array("wrong", axes=("models",)) | {"optional": True}
    )
    shares: bool = True

    def __post_init__(self) -> None:
        models = len(self.models)
        for name in ("left_out", "wrong"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros(models))
        if self.task is None:
            object.__setattr__(self, "task", np.zeros(len(self.items), dtype=np.intp))
        for name in ("sums", "answers"):
            values = np.asarray(getattr(self, name), dtype=np.float64)
            if values.shape != (models, len(self.items)):
                raise InputError(
                    f"{name} has shape {values.shape}; {models} models and {len(self.items)} items "
                    f"need {(models, len(self.items))}"
                )
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if self.sums.size and not ((self.sums >= 0) & (self.sums <= self.answers)).all():
            raise InputError("sums are below 0 or above answers; grades are numbers from 0 to 1")

    def _facts(self) -> Any:
        for name, names in (("task", self.tasks), ("cluster", self.clusters)):
            codes: Any = getattr(self, name)
            yield f"{name}s", codes is None or bool((codes < len(names)).all())
        yield "items", len(set(self._keys())) == len(self.items)

    def _keys(self) -> Sequence[Hashable]:
        """Return what identifies each item."""
        if len(self.tasks) == 1:
            return [(self.tasks[0], item) for item in self.items]
        task: Any = self.task
        return [(self.tasks[t], i) for t, i in zip(task.tolist(), self.items, strict=True)]

    def __add__(self, other: object) -> GradeTally:
        """Return the tally of the answers of both."""
        if not isinstance(other, GradeTally):
            return NotImplemented
        sides = (self, other)
        models = tuple(dict.fromkeys((*self.models, *other.models)))
        tasks = tuple(dict.fromkeys((*self.tasks, *other.tasks)))
        places = _places(self, other)
        n = max((int(p.max(initial=-1)) for p in places), default=-1) + 1
        items: list[Label] = [*self.items, *([""] * (n - len(self.items)))]
        task = np.zeros(n, dtype=np.intp)
        tables = {name: np.zeros((len(models), n)) for name in ("sums", "answers")}
        numbers = {name: np.zeros(len(models)) for name in ("left_out", "wrong")}
        for side, place in zip(sides, places, strict=True):
            rows = np.array([models.index(m) for m in side.models], dtype=np.intp)
            for name, table in tables.items():
                table[np.ix_(rows, place)] += getattr(side, name)
            for name, of in numbers.items():
                of[rows] += getattr(side, name)
            task[place] = np.array([tasks.index(t) for t in side.tasks])[side.task]
        for i, item in zip(places[1].tolist(), other.items, strict=True):
            items[i] = item
        clusters, cluster = _clusters(sides, places, n)
        return GradeTally(
            models,
            tuple(items),
            **tables,
            tasks=tasks,
            task=task,
            clusters=clusters,
            cluster=cluster,
            **numbers,
            shares=self.shares and other.shares,
        )

    def __eq__(self, other: object) -> bool:
        """Tell whether two tallies hold the same, in whatever order models and items are."""
        if not isinstance(other, GradeTally):
            return NotImplemented
        return bool(self._content() == other._content())

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> Any:
        keys = self._keys()
        cluster: Any = self.cluster
        names = (
            {}
            if cluster is None
            else {k: self.clusters[c] for k, c in zip(keys, cluster.tolist(), strict=True)}
        )
        of_models = {}
        for i, model in enumerate(self.models):
            pairs = zip(self.sums[i].tolist(), self.answers[i].tolist(), strict=True)
            cells = {k: pair for k, pair in zip(keys, pairs, strict=True) if pair[1]}
            numbers: Any = (self.left_out, self.wrong)
            of_models[model] = (cells, *(float(n[i]) for n in numbers))
        return of_models, names, self.shares, set(keys)

    @property
    def means(self) -> Floats:
        """The mean grade ``[model, item]`` over the answers; NaN where a model has none."""
        with np.errstate(invalid="ignore"):
            return np.divide(self.sums, self.answers)

    @trusted
    def on(self, task: Label) -> GradeTally:
        """Return the tally of one task."""
        check_name("task", str(task), map(str, self.tasks))
        codes: Any = self.task
        kept = self._kept(np.asarray(codes == self.tasks.index(task)))
        return replace(kept, tasks=(task,), task=np.zeros(len(kept.items), dtype=np.intp))

    def _kept(self, keep: NDArray[np.bool_]) -> GradeTally:
        """Return the tally of some items, by a mask."""
        if keep.all():
            return self
        clusters, cluster = self.clusters, self.cluster
        if cluster is not None:
            present, cluster = np.unique(cluster[keep], return_inverse=True)
            clusters = tuple(clusters[i] for i in present.tolist())
        task: Any = self.task
        return replace(
            self,
            items=tuple(i for i, k in zip(self.items, keep.tolist(), strict=True) if k),
            sums=self.sums[:, keep],
            answers=self.answers[:, keep],
            task=task[keep],
            clusters=clusters,
            cluster=cluster,
        )

    @classmethod
    @trusted
    def of_codes(
        cls,
        model: NDArray[Any],
        item: NDArray[Any],
        grade: Floats,
        models: tuple[Label, ...],
        items: tuple[Label, ...],
        **of_items: Any,
    ) -> Self:
        """Count answers in long form, by the codes of their model and item and their grades."""
        shape = len(models), len(items)
        cell = np.asarray(model, dtype=np.int64) * shape[1] + item
        size = shape[0] * shape[1]
        answers = np.bincount(cell, minlength=size).reshape(shape).astype(np.float64)
        sums: Floats = np.bincount(cell, grade, minlength=size).reshape(shape).astype(np.float64)
        shares = bool(((grade == 0) | (grade == 1)).all())
        sums = np.minimum(sums, answers)  # rounding may exceed a sum of ones
        return cls(models, items, sums, answers, shares=shares, **of_items)


def _places(a: GradeTally, b: GradeTally) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the places of the items of both tallies in their sum."""
    first = np.arange(len(a.items))
    same = a.items == b.items and a.tasks == b.tasks and np.array_equal(a.task, b.task)  # type: ignore[arg-type]
    if same:
        return first, first
    place = {key: i for i, key in enumerate(a._keys())}
    return first, np.array([place.setdefault(k, len(place)) for k in b._keys()], dtype=np.intp)


def _clusters(
    sides: tuple[GradeTally, GradeTally], places: tuple[NDArray[Any], NDArray[Any]], n: int
) -> tuple[tuple[Label, ...], NDArray[Any] | None]:
    """Return the clusters of a sum; refuse items in two clusters, and clusters of one side only."""
    filled = [side for side in sides if side.items]
    if all(side.cluster is None for side in filled):
        return (), None
    if any(side.cluster is None for side in filled):
        raise InputError(
            "one tally has clusters and the other has none; count both with cluster=..."
        )
    names = tuple(dict.fromkeys(c for side in filled for c in side.clusters))
    code = {name: i for i, name in enumerate(names)}
    out = np.full(n, -1, dtype=np.intp)
    for side, place in zip(sides, places, strict=True):
        if side.cluster is None:
            continue
        own = np.array([code[c] for c in side.clusters], dtype=np.intp)[side.cluster]
        other = (out[place] >= 0) & (out[place] != own)
        if other.any():
            i = int(np.argmax(other))
            raise InputError(
                f"the item {side.items[i]!r} is in the clusters {names[out[place][i]]!r} and "
                f"{names[own[i]]!r}; each item has one"
            )
        out[place] = own
    return names, out
