"""Rows that have any number of labels: true and predicted sets, and a score for each label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.errors import InputError, check_name
from tallymark.tally.arrays import Floats, Label, as_array, as_weights, same_length
from tallymark.tally.labels import Counts
from tallymark.tally.sums import Sums

OF_SETS = ("subset_accuracy", "hamming_loss")
"""What is averaged over rows of their predicted sets."""

OF_RANKINGS = ("ranking_loss", "coverage_error", "label_ranking_average_precision")
"""What is averaged over rows of the order of their labels by score."""

CELLS_AT_ONCE = 1 << 20

Flags = NDArray[np.bool_]
"""(n, L): which row has which label."""


@dataclass(frozen=True, eq=False, repr=False)
class SetModel(Display):
    """What one model says of the rows: sets ``decided`` (n, L), ``scores`` (n, L), or both.

    ``threshold`` is None where the sets were given, else a label is predicted at scores at or above
    it. ``probabilities`` says whether all scores are within 0 and 1.
    """

    name: str
    decided: Flags
    scores: Floats | None
    threshold: float | None
    rule: str
    probabilities: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets(Display):
    """Rows of which each has any number of the ``labels``, by several models or one.

    ``true`` (n, L) says which row has which label; ``weights`` (n,) or None; ``clusters`` (n,)
    codes of the rows that belong together, from 0 up, or None where each stands alone.
    """

    labels: tuple[Label, ...]
    true: Flags
    models: tuple[SetModel, ...]
    weights: Floats | None = None
    clusters: NDArray[Any] | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.true)

    @cached_property
    def groups(self) -> int | None:
        """How many clusters there are; None where every row stands alone."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    def model(self, name: str) -> SetModel:
        """Return what one model says."""
        names = [m.name for m in self.models]
        check_name("model", name, names)
        return self.models[names.index(name)]

    @cached_property
    def clusters_of_labels(self) -> NDArray[np.intp]:
        """How many clusters have a row with each label (L,)."""
        assert self.clusters is not None
        return np.array([len(np.unique(self.clusters[held])) for held in self.true.T])


def counts_of_labels(true: Flags, decided: Flags, weights: Floats | None = None) -> Floats:
    """Return the matrix of each label, counts[label, true, predicted], or the sums of weights.

    >>> counts_of_labels(np.array([[True, False]]), np.array([[True, True]])).tolist()
    [[[0.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]
    """
    w = np.ones(len(true)) if weights is None else weights
    of = {(i, j): w @ ((true == i) & (decided == j)) for i in (False, True) for j in (False, True)}
    return np.stack([np.stack([of[i, j] for j in (False, True)], -1) for i in (False, True)], -2)


def counts_of_rows(true: Flags, decided: Flags) -> Counts:
    """Return the four counts of each row (n,), over its labels."""
    hits, labels = (true & decided).sum(1), true.shape[1]
    held, called = true.sum(1), decided.sum(1)
    return Counts(hits, called - hits, held - hits, labels - held - called + hits)


def set_losses(true: Flags, decided: Flags) -> dict[str, Floats]:
    """Return what is averaged over rows of their sets: :data:`OF_SETS`."""
    wrong = (true != decided).mean(1)
    return dict(zip(OF_SETS, ((wrong == 0).astype(np.float64), wrong), strict=True))


def ranking_losses(true: Flags, scores: Floats) -> dict[str, Floats]:
    """Return what is averaged over rows of the order of their labels: :data:`OF_RANKINGS`.

    A label's rank is how many have a score at least as high. Of rows with no label, or with all of
    them, nothing is out of order: their loss is 0 and their precision 1.

    >>> found = ranking_losses(np.array([[True, False, False]]), np.array([[0.5, 0.9, 0.5]]))
    >>> {name: values.tolist() for name, values in found.items()}  # one is above it, one tied
    {'ranking_loss': [1.0], 'coverage_error': [3.0], 'label_ranking_average_precision': \
[0.3333333333333333]}
    """
    parts = [_ranked(true[rows], scores[rows]) for rows in _some_rows(*true.shape)]
    return dict(zip(OF_RANKINGS, np.concatenate(parts, axis=1), strict=True))


def _some_rows(rows: int, labels: int) -> Iterator[slice]:
    step = max(1, CELLS_AT_ONCE // labels)
    for start in range(0, max(rows, 1), step):
        yield slice(start, start + step)


def _ranked(true: Flags, scores: Floats) -> Floats:
    n, k = true.shape
    order = np.argsort(-scores, axis=1, kind="stable")
    held, ordered = (np.take_along_axis(a, order, 1) for a in (true, scores))
    places = np.broadcast_to(np.arange(k), (n, k))
    # The last place of each score's ties: those above it and those tied with it are its rank.
    ends = np.append(ordered[:, 1:] != ordered[:, :-1], np.ones((n, 1), bool), axis=1)
    last = np.minimum.accumulate(np.where(ends, places, k)[:, ::-1], axis=1)[:, ::-1]
    hits = np.take_along_axis(held.cumsum(1), last, 1)
    positives = held.sum(1)
    ranked = (positives > 0) & (positives < k)
    rank = last + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = np.where(held, rank - hits, 0).sum(1) / (positives * (k - positives))
        precision = np.where(held, hits / rank, 0.0).sum(1) / positives
    coverage = np.where(held, rank, 0).max(1)
    return np.stack([np.where(ranked, loss, 0.0), coverage, np.where(ranked, precision, 1.0)])


def sums_of_values(
    values: dict[str, Floats], weights: Floats | None = None, clusters: NDArray[Any] | None = None
) -> tuple[Sums, Sums]:
    """Return sums over rows of what is averaged, and sums whose averages are standard errors.

    The deviations of a cluster's rows from the mean are added up first.
    """
    names, x = tuple(values), np.stack(list(values.values()))
    w = np.ones(x.shape[1]) if weights is None else weights
    totals, squares, cross = ((x * f).sum(1, keepdims=True) for f in (w, x * w**2, w**2))
    weight, second = np.array([w.sum()]), np.array([(w**2).sum()])
    sums = Sums(names, totals, squares, cross, weight, second, x.shape[1])
    if clusters is None:
        return sums, sums.errors()
    errors, groups = [], int(clusters.max()) + 1
    for name, of_rows in zip(names, x, strict=True):
        with np.errstate(invalid="ignore", divide="ignore"):
            off = np.bincount(clusters, w * (of_rows - sums.average(name)) / w.sum(), groups)
            errors.append(float(np.sqrt(off @ off * np.divide(groups, groups - 1))))
    return sums, Sums.of_averages(names, errors, x.shape[1])


# -- arrays --------------------------------------------------------------------------------------


def flags_of(matrix: Any, name: str) -> Flags:
    """Return a column of 0 and 1 for each label as flags; what is no such column is refused.

    >>> flags_of([[1, 0], [0.0, True]], "y_true").tolist()
    [[True, False], [False, True]]
    """
    array = as_array(matrix, name)
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(
            f"{name} has shape {array.shape}; give one column of 0 and 1 for each of several labels"
        )
    with np.errstate(invalid="ignore"):
        flags = array == 1
    odd = ~(flags | (array == 0))
    if odd.any():
        i, j = np.argwhere(odd)[0].tolist()
        value = array[i, j].item() if isinstance(array[i, j], np.generic) else array[i, j]
        raise InputError(
            f"{name} holds {value!r} at index {i} of column {j}; a column of several stands for a "
            "label and holds 0 and 1: give classes as one column"
        )
    return np.asarray(flags, bool)


def sums_of_arrays(name: str, y_true: Any, y_second: Any, sample_weight: Any = None) -> Sums:
    """Return the sums of one metric over rows of true sets and of predicted sets or scores."""
    true = flags_of(y_true, "y_true")
    weights = as_weights(sample_weight, "sample_weight")
    second: NDArray[Any] = as_array(y_second, "y_score")
    if name in OF_SETS:
        second = flags_of(y_second, "y_pred")
    if second.shape[1:] != true.shape[1:]:
        raise InputError(
            f"y_true has {true.shape[1]} columns and the predictions have shape {second.shape}; "
            "give one column a label"
        )
    same_length(y_true=true, predictions=second, sample_weight=weights)
    of_sets = name in OF_SETS
    made = set_losses(true, second) if of_sets else ranking_losses(true, second.astype(np.float64))
    return sums_of_values({name: made[name]}, weights)[0]
