"""Rows of two classes as sorted integers: what ranks them fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally.arrays import Floats, Label, is_masked, kernel_integers, to_numpy

_PARALLEL = 1 << 19
"""From this many rows on, the stretches of keys are sorted side by side."""


@dataclass(frozen=True, slots=True)
class SortedKeys:
    """Scores of two classes as sorted integers with the label in the lowest bit."""

    keys: NDArray[np.uint64]
    below_zero: int
    labels: tuple[Label, ...]
    positive: Label

    @classmethod
    def of(cls, y_true: Any, y_score: Any, positive: Label | None) -> SortedKeys | None:
        """Sort integer or boolean labels and float64 scores without copies; None if it cannot."""
        if isinstance(y_true, list) and isinstance(y_score, list):
            try:
                y_true, y_score = to_numpy(y_true, "y_true"), to_numpy(y_score, "y_score")
            except InputError:
                return None
        if not (isinstance(y_true, np.ndarray) and isinstance(y_score, np.ndarray)):
            return None
        if is_masked(y_score):
            return None
        if y_true.ndim != 1 or y_true.shape != y_score.shape or y_score.dtype != np.float64:
            return None
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
        return cls(keyed.keys, keyed.below_zero, labels, positive)

    @classmethod
    def _sort(
        cls, codes: NDArray[Any], labels: tuple[Label, ...], positive: Label, scores: Floats
    ) -> SortedKeys:
        negative = labels[0] if positive == labels[1] else labels[1]
        keys = np.empty(len(scores), dtype=np.uint64)
        bad, below_zero, first, second = _kernels.pack(
            np.ascontiguousarray(codes), int(negative), int(positive),
            np.ascontiguousarray(scores), keys,
        )  # fmt: skip
        if bad:
            raise _UnusableError
        stretches = [s for s in (keys[:first], keys[first:second], keys[second:]) if s.size]
        if len(keys) < _PARALLEL:
            for stretch in stretches:
                stretch.sort()
        else:
            from concurrent.futures import ThreadPoolExecutor  # slow to import

            with ThreadPoolExecutor() as pool:
                list(pool.map(np.ndarray.sort, stretches))
        return cls(keys, below_zero, labels, positive)

    def groups(self) -> tuple[tuple[Label, ...], Label, Floats, Floats]:
        """Return what a ScoreTally holds: labels, positive class, scores and counts."""
        size = _kernels.count_groups(self.keys, self.below_zero)
        scores, counts = np.empty(size), np.empty((2, size))
        _kernels.fill_groups(self.keys, self.below_zero, scores, *counts)
        if self.positive == self.labels[0]:
            counts = np.ascontiguousarray(counts[::-1])
        counts.flags.writeable = False
        # A class's counts lie side by side in memory, since metrics read one class at a time.
        return self.labels, self.positive, scores, counts.T

    def concordance(self) -> tuple[int, int, int, int]:
        """Return pairs where the negative is lower, and not higher; positives; negatives."""
        lower, not_higher, negatives = _kernels.order_pairs(self.keys, self.below_zero)
        return lower, not_higher, len(self.keys) - negatives, negatives


class _UnusableError(Exception):
    """The fast door met a row it cannot use; the careful one names it."""
