"""A ranking walked from the top in stretches that stay in the processor's cache.

Most metrics of scores are sums over the groups of a ranking. Of ten million groups every array
in between would go to memory and back; of some thousand at a time it does not, and what several
sums share is computed once for all of them.
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tallymark.tally.scores import ScoreCounts

LONG = 1 << 16
"""A ranking of more groups than this is walked in stretches."""

_STEP = 1 << 14

_A_SHARE = 16
"""Fewer stretches than this are not worth a thread of their own."""

V = TypeVar("V")
Part = Callable[..., Any]
How = Literal["sum", "max"]
Key = tuple[How, Part, tuple[tuple[str, Any], ...]]


class lazy(Generic[V]):  # noqa: N801
    """A property computed when first asked for: ``functools.cached_property`` without its lock."""

    def __init__(self, make: Callable[[Any], V]) -> None:
        self.make = make
        self.name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> V:
        value: V = self.make(owner)
        owner.__dict__[self.name] = value
        return value


class Stretch:
    """Neighbouring groups of a ranking, from high scores to low.

    ``pos``, ``neg`` (..., m) and ``scores`` (m,) are those of the groups; ``tp``, ``fp`` the rows
    at or above each score and ``tp0``, ``fp0`` those above it.
    """

    def __init__(self, whole: ScoreCounts, start: int, stop: int) -> None:
        self.whole = whole
        self.start = start
        self.stop = stop

    def _from_top(self, values: NDArray[Any]) -> NDArray[Any]:
        size = values.shape[-1]
        part: NDArray[Any] = values[..., size - self.stop : size - self.start]
        return np.ascontiguousarray(part[..., ::-1])

    @lazy
    def scores(self) -> NDArray[Any]:
        """Scores, falling."""
        return self._from_top(self.whole.scores)

    @lazy
    def pos(self) -> NDArray[Any]:
        """Rows of the positive class."""
        return self._from_top(self.whole.pos)

    @lazy
    def neg(self) -> NDArray[Any]:
        """Rows of the others."""
        return self._from_top(self.whole.neg)

    @lazy
    def rows(self) -> NDArray[Any]:
        """Rows of both."""
        return np.asarray(self.pos + self.neg)

    @property
    def tops(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """TP and FP above all of the groups and at or above each: shapes (..., m + 1)."""
        tp, fp = self.whole.cumulative_counts
        return tp[..., self.start : self.stop + 1], fp[..., self.start : self.stop + 1]

    @property
    def tp(self) -> NDArray[Any]:
        """True positives when each score is the threshold."""
        return self.whole.cumulative_counts[0][..., self.start + 1 : self.stop + 1]

    @property
    def fp(self) -> NDArray[Any]:
        """False positives when each score is the threshold."""
        return self.whole.cumulative_counts[1][..., self.start + 1 : self.stop + 1]

    @property
    def tp0(self) -> NDArray[Any]:
        """True positives one threshold higher."""
        return self.whole.cumulative_counts[0][..., self.start : self.stop]

    @property
    def fp0(self) -> NDArray[Any]:
        """False positives one threshold higher."""
        return self.whole.cumulative_counts[1][..., self.start : self.stop]

    @property
    def last_tp(self) -> NDArray[Any]:
        """The last of all true positives, (..., 1): rounding may part it from their plain sum."""
        return self.whole.cumulative_counts[0][..., -1:]

    @property
    def last_fp(self) -> NDArray[Any]:
        """The last of all false positives: (..., 1)."""
        return self.whole.cumulative_counts[1][..., -1:]

    @lazy
    def precision(self) -> NDArray[Any]:
        """TP / (TP + FP) at each threshold."""
        return np.asarray(np.true_divide(self.tp, self.tp + self.fp))

    @lazy
    def tpr(self) -> NDArray[Any]:
        """TP / P at each threshold."""
        return np.asarray(np.true_divide(self.tp, self.last_tp))

    @lazy
    def fpr(self) -> NDArray[Any]:
        """FP / N at each threshold."""
        return np.asarray(np.true_divide(self.fp, self.last_fp))

    @lazy
    def log_p(self) -> NDArray[Any]:
        """Logarithms of the scores, which are probabilities."""
        return np.asarray(np.log(self.scores))

    @lazy
    def log_q(self) -> NDArray[Any]:
        """Logarithms of one minus the scores."""
        return np.asarray(np.log1p(-self.scores))

    @lazy
    def log_odds(self) -> NDArray[Any]:
        """Log odds of the scores: infinite of 0 and 1."""
        return np.asarray(self.log_p - self.log_q)


class _LaterError(Exception):
    """A part rests on another one of the whole ranking, which is not known yet."""

    def __init__(self, key: Key) -> None:
        self.key = key


KERNELS: dict[Part, Callable[..., Any]] = {}
"""What tells the sum of a part of one ranking, long or short, faster than a walk does."""

STACKED: set[Part] = set()
"""The parts whose kernels take stacks of replicates, too."""


def by_kernel(known: Callable[..., Any], *, stacked: bool = False) -> Callable[[Part], Part]:
    """Declare what tells the sum of a part of one ranking, at its parameters, or None.

    ``stacked`` of stacks of replicates as well, all of them at once.
    """

    def declare(part: Part) -> Part:
        KERNELS[part] = known
        if stacked:
            STACKED.add(part)
        return part

    return declare


_here = threading.local()


@contextmanager
def _walking() -> Iterator[None]:
    """Let parts in this thread ask only for what is known of the whole."""
    _here.walking = True
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _here.walking = False


class Walk:
    """What was added up of a ranking: each part once, those asked for together in one pass."""

    def __init__(self, whole: ScoreCounts) -> None:
        # Which holds this: a circle would keep its memory.
        self.whole: ScoreCounts = weakref.proxy(whole)
        self.found: dict[Key, Any] = {}
        self.foreseen: Callable[[], Iterable[Key]] | None = None
        """What tells which parts will be asked for: a long ranking is then walked once for all."""

    @lazy
    def _whole_stretch(self) -> Stretch:
        return Stretch(self.whole, 0, len(self.whole.scores))

    def get(self, how: How, part: Part, params: dict[str, Any]) -> Any:
        """Return the sum, or the greatest, of a part over all stretches."""
        key = (how, part, tuple(sorted(params.items())) if params else ())
        if key not in self.found:
            if getattr(_here, "walking", False):
                raise _LaterError(key)
            if self.whole.long:
                self._walk([key, *self._to_come(key)])
            else:
                self.found[key] = part(self._whole_stretch, **params)
        return self.found[key]

    def asked(self) -> list[Key]:
        """Return all parts that were asked for."""
        return [key for key in self.found if key[0] in ("sum", "max")]

    def _to_come(self, now: Key) -> list[Key]:
        """Return the other parts that will be asked for and that no kernel adds up."""
        foreseen, self.foreseen = self.foreseen, None
        others = dict.fromkeys(foreseen() if foreseen else ())
        return [k for k in others if k != now and k not in self.found and k[1] not in KERNELS]

    def _walk(self, left: list[Key]) -> None:
        size = len(self.whole.scores)
        _ = self.whole.cumulative_counts
        while left:
            now, left = self._sorted_out(left)
            found = list(self._each(now, range(0, size, _STEP)))
            for key, parts in zip(now, zip(*found, strict=True), strict=True):
                self.found[key] = _joined(key[0], parts)

    def _sorted_out(self, keys: list[Key]) -> tuple[list[Key], list[Key]]:
        """Return the parts that can be added up now, and those that rest on them."""
        now, later = [], []
        few = Stretch(self.whole, 0, 1)
        with _walking():
            for key in (asked := list(keys)):
                try:
                    key[1](few, **dict(key[2]))
                    now.append(key)
                except _LaterError as rests_on:
                    later.append(key)
                    if rests_on.key not in asked:
                        asked.append(rests_on.key)
        return now, later

    def _each(self, keys: list[Key], starts: range) -> Iterator[list[Any]]:
        size = len(self.whole.scores)

        def add_up(some: range) -> list[list[Any]]:
            out = []
            with _walking():
                for start in some:
                    s = Stretch(self.whole, start, min(start + _STEP, size))
                    out.append([part(s, **dict(params)) for _, part, params in keys])
            return out

        crew = min(4, os.cpu_count() or 1, len(starts) // _A_SHARE)
        if crew < 2:
            yield from add_up(starts)
            return
        from concurrent.futures import ThreadPoolExecutor  # slow to import

        cuts = [len(starts) * i // crew for i in range(crew + 1)]
        with ThreadPoolExecutor(crew) as pool:
            parts = [starts[a:b] for a, b in pairwise(cuts)]
            for some in pool.map(add_up, parts):
                yield from some


def _joined(how: How, parts: Any) -> Any:
    """Return the sum, or the greatest, of what the stretches gave."""
    if how == "max":
        return np.max(np.stack(parts), axis=0)
    stacked = np.stack(parts)
    columns = stacked.reshape(len(parts), -1).T
    return np.array([_sum(c) for c in columns]).reshape(stacked.shape[1:])


def _sum(parts: NDArray[Any]) -> float:
    try:
        return math.fsum(parts)
    except (OverflowError, ValueError):  # infinities of both signs
        return float(parts.sum())


def ends(rows: NDArray[Any]) -> tuple[Any, Any]:
    """Return the first and the last place of ``rows`` (..., G) that has some, -1 of none.

    >>> [int(v) for v in ends(np.array([0.0, 2.0, 1.0, 0.0]))]
    [1, 2]
    """
    size = rows.shape[-1]
    if rows.ndim == 1 and 0 < size <= _STEP:
        places = (rows > 0).nonzero()[0]
        return (places[0], places[-1]) if places.size else (np.intp(-1), np.intp(-1))
    if rows.ndim > 1 or not size:
        there = rows > 0
        first, last = (there.argmax(-1), size - 1 - there[..., ::-1].argmax(-1)) if size else (0, 0)
        some = there.any(-1)
        return np.where(some, first, -1), np.where(some, last, -1)
    found = []
    for line in (rows, rows[::-1]):  # most often the very first has some
        starts = range(0, size, _STEP)
        hits = (i + int(np.argmax(line[i : i + _STEP] > 0)) for i in starts)
        found.append(next((i for i in hits if line[i] > 0), -1))
    first, last = found
    return np.asarray(first), np.asarray(last if last < 0 else size - 1 - last)


def search(size: int, reached: Callable[[Any], Any], wanted: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first place of ``size`` rising numbers, read by index, that is at least wanted.

    ``size`` where there is none: as ``np.searchsorted``, without making the numbers.

    >>> search(5, lambda i: i**2, np.array([0, 4, 5, 99])).tolist()
    [0, 2, 3, 5]
    """
    low = np.zeros(np.shape(wanted), dtype=np.intp)
    high = np.full(np.shape(wanted), size, dtype=np.intp)
    while True:
        open_ = low < high
        if not open_.any():
            return low
        middle = np.minimum((low + high) // 2, size - 1)
        there = reached(middle) >= wanted
        high = np.where(open_ & there, middle, high)
        low = np.where(open_ & ~there, middle + 1, low)
