"""Rows of two classes as sorted integers: what ranks them fast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    Floats,
    Label,
    as_scores,
    is_masked,
    kernel_integers,
    to_numpy,
)
from tallymark.tally.threads import side_by_side, threads_for

_FILL: dict[str, Callable[..., None]] = {
    "float64": _kernels.fill_doubles,
    "float32": _kernels.fill_floats,
    "int32": _kernels.fill_integers,
    "uint32": _kernels.fill_naturals,
}
"""What reads scores back from their ranks. A tally's scores are never longer integers."""

_WIDER = {"float16": "float32"} | dict.fromkeys(
    ("bool", "int8", "uint8", "int16", "uint16"), "int32"
)
"""What the kernels rank scores of few bits as; of 32 and 64 bits they rank every type."""


@dataclass(frozen=True, slots=True)
class SortedKeys:
    """Scores of two classes as sorted integers with the label in the lowest bit.

    ``keys`` lie in buckets of rising scores, which begin at ``starts``; the first ``lower`` of
    them hold the lower half of all ranks, whose highest bit is 0. ``scans`` says of each bucket
    in how many pairs of a positive and a negative row the negative is lower, and not higher, how
    many rows are negative, and how many scores are distinct. ``kind`` names their type.
    """

    keys: NDArray[Any]
    starts: list[int]
    lower: int
    scans: list[tuple[int, int, int, int]]
    kind: str
    labels: tuple[Label, ...]
    positive: Label

    @classmethod
    def of(
        cls, y_true: Any, y_score: Any, positive: Label | None, *, floats: bool = False
    ) -> SortedKeys | None:
        """Sort integer or boolean labels and any numbers without copies; None if it cannot.

        Integers of 64 bits are ranked as what they are, or as ``floats``, which refuses those that
        no float holds.
        """
        try:
            y_true = to_numpy(y_true, "y_true") if isinstance(y_true, list) else y_true
            y_score = to_numpy(y_score, "y_score") if isinstance(y_score, list) else y_score
        except InputError:
            return None
        if not (isinstance(y_true, np.ndarray) and isinstance(y_score, np.ndarray)):
            return None
        if is_masked(y_score) or y_score.dtype.kind not in "fiub" or not y_score.dtype.isnative:
            return None
        if y_true.ndim != 1 or y_true.shape != y_score.shape or y_score.dtype.itemsize > 8:
            return None
        if floats and y_score.dtype.kind in "iu" and y_score.dtype.itemsize == 8:
            y_score = as_scores(y_score, "y_score")
        codes = kernel_integers(y_true) if y_true.size else None
        if codes is None:
            return None
        boolean = y_true.dtype.kind == "b"
        # The kernel refuses other labels than these as it goes: no pass of its own to look.
        pairs: tuple[tuple[Label, ...], ...] = ((False, True),) if boolean else ((0, 1), (-1, 1))
        for labels in pairs:
            chosen = labels[1] if positive is None else positive
            if isinstance(chosen, str) or chosen not in labels:
                continue
            chosen = labels[labels.index(chosen)]  # 1 for True where the labels are 0 and 1
            try:
                return cls._sort(codes, labels, chosen, y_score)
            except _UnusableError:
                continue
        return None

    @classmethod
    def pack(
        cls,
        codes: NDArray[Any],
        positive_code: int,
        scores: Floats,
        labels: tuple[Label, ...],
        positive: Label,
    ) -> SortedKeys:
        """Sort checked codes 0 and 1 and finite scores."""
        keyed = cls._sort(codes, (0, 1), positive_code, scores)
        return replace(keyed, labels=labels, positive=positive)

    @classmethod
    def _sort(
        cls, codes: NDArray[Any], labels: tuple[Label, ...], positive: Label, scores: NDArray[Any]
    ) -> SortedKeys:
        kind = _WIDER.get(scores.dtype.name, scores.dtype.name)
        scores = np.ascontiguousarray(scores, dtype=kind)
        keys = np.empty(len(scores), dtype=np.uint64 if scores.itemsize == 8 else np.uint32)
        codes = np.ascontiguousarray(codes)
        upper_positive = positive == labels[1]
        buckets_of = _kernels.partition(codes, int(labels[0]), upper_positive, scores, keys)
        if buckets_of is None:
            raise _UnusableError
        starts, lower = buckets_of
        signed = keys.view(np.int64 if keys.itemsize == 8 else np.int32)
        buckets = list(pairwise(starts))
        scans = [(0, 0, 0, 0)] * len(buckets)

        def sort(i: int) -> None:
            bucket = slice(*buckets[i])
            signed[bucket].sort()
            scans[i] = _kernels.scan(keys[bucket])  # while it is in the core's cache

        side_by_side(sort, len(buckets), threads_for(len(keys)))
        return cls(keys, starts, lower, scans, kind, labels, positive)

    def groups(self) -> tuple[tuple[Label, ...], Label, Floats, Floats]:
        """Return what a ScoreTally holds: labels, positive class, scores and counts."""
        places = [0, *accumulate(groups for *_, groups in self.scans)]
        scores, counts = np.empty(places[-1]), np.empty((2, places[-1]))

        def fill(i: int) -> None:
            bucket, to = slice(*self.starts[i : i + 2]), slice(*places[i : i + 2])
            _FILL[self.kind](self.keys[bucket], i >= self.lower, scores[to], *counts[:, to])

        side_by_side(fill, len(self.scans), threads_for(len(self.keys)))
        if self.positive == self.labels[0]:
            counts = np.ascontiguousarray(counts[::-1])
        scores.flags.writeable = counts.flags.writeable = False
        # A class's counts lie side by side in memory, since metrics read one class at a time.
        return self.labels, self.positive, scores, counts.T

    def single_rows(self) -> tuple[Floats, Floats, Floats] | None:
        """Return scores, and TP and FP from the top, where no two rows share a score, or None.

        The scores take the place of the keys, which are gone: memory that is asked for anew costs
        more than what is written into it.
        """
        if self.kind != "float64" or len(self.keys) != sum(g for *_, g in self.scans):
            return None
        size = len(self.keys)
        tp, fp = np.empty(size + 1), np.empty(size + 1)
        tp[0] = fp[0] = 0.0
        rows = list(map(sub, self.starts[1:], self.starts))
        hits = [n - others for n, (_, _, others, _) in zip(rows, self.scans, strict=True)]
        above = [*accumulate(hits[::-1], initial=0)][-2::-1]  # positives of higher buckets

        def fill(i: int) -> None:
            start, stop = self.starts[i : i + 2]
            to = slice(size - stop + 1, size - start + 1)
            keys = self.keys[start:stop]
            _kernels.fill_single(keys, i >= self.lower, size - stop, above[i], tp[to], fp[to])

        side_by_side(fill, len(self.scans), threads_for(size))
        scores = self.keys.view(np.float64)
        scores.flags.writeable = tp.flags.writeable = fp.flags.writeable = False
        return scores, tp, fp

    def sizes(self) -> tuple[int, int]:
        """Return how many rows are of the positive class, and how many of the other."""
        negatives = sum(others for *_, others, _ in self.scans)
        return len(self.keys) - negatives, negatives

    def concordance(self) -> tuple[int, int, int, int]:
        """Return pairs where the negative is lower, and not higher; positives; negatives."""
        lower = not_higher = negatives = 0
        for rows, (less, not_more, others, _) in zip(
            map(sub, self.starts[1:], self.starts), self.scans, strict=True
        ):
            between = (rows - others) * negatives  # with the negatives of the buckets below
            lower += less + between
            not_higher += not_more + between
            negatives += others
        return lower, not_higher, len(self.keys) - negatives, negatives


class _UnusableError(Exception):
    """The kernel met a row it cannot use; the checks of arrays.py name it."""
