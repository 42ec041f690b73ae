"""Memory limits: keep all distinct scores while they fit, else use bins."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import numpy as np

from tallymark.errors import InputError
from tallymark.reading.chunks import Chunk, count_scores
from tallymark.reading.ingest import Classes, Job
from tallymark.reading.models import area_bounds
from tallymark.tally.arrays import Codes, Label, join_labels
from tallymark.tally.bins import BinnedCounts, Bins
from tallymark.tally.scores import ScoreTally

MEMORY = 4_000_000_000
"""Default limit in bytes for counting, if the machine has twice as much left."""

LEAST = 400_000_000
"""Minimum in bytes: the libraries alone need most of it."""

_LIBRARIES = 300_000_000
_OF_A_SCORE = 150
_OF_A_BIN = 450
"""Bytes per distinct score, and per bin with both its ends, at the peak."""

SAMPLED = 200_000
"""Number of sampled rows that determine the bins."""


@dataclass(frozen=True, slots=True)
class Room:
    """The memory limit in bytes, and the required width of bounds on areas."""

    memory: int
    text: str
    tolerance: float | None = None

    @classmethod
    def of(cls, memory: str | int | None = None, tolerance: float | None = None) -> Room:
        """Return the limits that a user requested.

        >>> Room.of("1.5GB").memory
        1500000000
        """
        text = _default() if memory is None else str(memory)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", text.strip().upper())
        if match is None:
            raise InputError(f"memory is {memory!r}; give an amount such as '1GB' or '500MB'")
        size = int(float(match[1]) * 1000 ** " KMGT".index(match[2] or " "))
        if size < LEAST:
            raise InputError(
                f"memory={text} is too small for counting; give at least {LEAST // 10**6}MB"
            )
        if tolerance is not None and not 0 < tolerance < 1:
            raise InputError(f"tolerance is {tolerance!r}; give a number between 0 and 1")
        return cls(size, text, tolerance)

    def scores(self, columns: int = 1, classes: int = 2) -> int:
        """Return how many distinct scores each column may have."""
        return int((self.memory - _LIBRARIES) / (_OF_A_SCORE * max(columns, 1) * classes / 2))

    def bins(self, columns: int = 1, classes: int = 2) -> int:
        """Return how many bins each column may have."""
        return self.scores(columns, classes) * _OF_A_SCORE // _OF_A_BIN

    @property
    def reading(self) -> int:
        """Bytes of the limit that DuckDB may use."""
        return self.memory // 4

    @property
    def rows(self) -> int:
        """Number of rows per chunk."""
        return int(np.clip(self.memory // 1000, 1 << 18, 1 << 22))

    @property
    def joint(self) -> int:
        """Bytes for row-level data of several models."""
        return self.memory // 2


def _default() -> str:
    """Return the least of 4 GB and half of the memory left, but enough for counting."""
    size = int(max(min(MEMORY, memory_left() / 2), LEAST))
    return f"{size // 10**9}GB" if size % 10**9 == 0 else f"{size // 10**6}MB"


def memory_left(root: Path = Path("/")) -> float:
    """Return how many bytes the system and the control groups of this process leave.

    Linux alone says so; elsewhere it is infinity. Files that a group has cached count as left.

    >>> memory_left() > 0
    True
    """
    left = [math.inf]
    facts = _numbers_of(root / "proc/meminfo")
    if "MemAvailable:" in facts:
        left.append(facts["MemAvailable:"] * 1024.0)
    for line in _lines_of(root / "proc/self/cgroup"):
        number, controllers, path = line.split(":", 2)
        groups, names = root / "sys/fs/cgroup", _GROUP_FILES["memory"]
        if number == "0":
            names = _GROUP_FILES[""]
        elif "memory" not in controllers.split(","):
            continue
        else:
            groups = groups / "memory"
        inside = PurePosixPath(path.lstrip("/"))
        for group in (groups / inside, *(groups / p for p in inside.parents)):
            left.append(_left_in(group, *names))
    return max(min(left), 0.0)


_GROUP_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""Where the second and the first version of control groups have limit, use and cached files."""


def _left_in(group: Path, limit: str, used: str, cached: str) -> float:
    most, now = (next(iter(_lines_of(group / name)), "") for name in (limit, used))
    if not (most.isdecimal() and now.isdecimal()):  # "max" is no limit
        return math.inf
    return float(most) - float(now) + _numbers_of(group / "memory.stat").get(cached, 0)


def _numbers_of(file: Path) -> dict[str, int]:
    """Return the whole numbers of a file of lines such as "MemAvailable: 1024 kB"."""
    words = [line.split() for line in _lines_of(file)]
    return {w[0]: int(w[1]) for w in words if len(w) > 1 and w[1].isdecimal()}


def _lines_of(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").splitlines()
    except (OSError, UnicodeError):
        return []


Key = tuple[str, Label]


class Scoring:
    """The score tallies of one pass over the rows, for each model and class.

    All score columns share the memory. ``sample`` returns about so many rows for binning.
    """

    def __init__(
        self,
        room: Room,
        sample: Callable[[int], Iterable[Chunk]],
        job: Job,
        laid: Mapping[Key, Bins] | None = None,
    ) -> None:
        self._room, self._sample, self._job = room, cache(lambda rows: tuple(sample(rows))), job
        self._columns = sum(len(m.scores) for m in job.models)
        cuts = [job.threshold] if job.threshold else []
        self._cuts = [*cuts, 0.0, *(np.arange(11) / 10).tolist()]
        self._laid = laid or {}
        self._exact: dict[Key, ScoreTally] = {}
        self.binned: dict[Key, BinnedCounts] = {}

    def add(self, key: Key, column: str, true: Codes, chunk: Chunk, classes: Classes) -> None:
        """Count one score column of a chunk, for a model and class."""
        labels = classes.labels
        if key in self._laid and key not in self.binned:
            self.binned[key] = BinnedCounts(self._laid[key], labels)
        if key in self.binned and chunk.count is None:
            self.binned[key].add(true, chunk.numbers[column], chunk.weight)
            return
        tally = count_scores(true, column, key[1], labels, chunk)
        if key in self.binned:
            self.binned[key].add_tally(tally)
            return
        if key in self._exact:
            tally = self._exact[key] + tally
        self._exact[key] = tally
        if len(tally.scores) > self._room.scores(self._columns, len(labels)):
            bins = self._lay(column, key[1], classes)
            self.binned[key] = BinnedCounts(bins, labels, tally.sum_squared_weights is not None)
            self.binned[key].add_tally(self._exact.pop(key))

    def _lay(self, column: str, label: Label, classes: Classes) -> Bins:
        scores, in_class, labels = [], [], classes.labels
        for raw in self._sample(SAMPLED):
            chunk = classes.meant(raw, self._job)
            truth = chunk.labels[self._job.truth]
            complete = np.isfinite(chunk.numbers[column]) & (truth.codes >= 0)
            (codes,) = join_labels({"": truth}, labels)[1]
            scores.append(chunk.numbers[column][complete])
            in_class.append(codes[complete] == labels.index(label))
        most = self._room.bins(self._columns, len(labels))
        return Bins._of_sample(np.concatenate(scores), np.concatenate(in_class), most, self._cuts)

    def tallies(self, model: str, labels: Iterable[Label]) -> tuple[ScoreTally, ...]:
        """Return the score tallies of a model."""
        keys = [(model, label) for label in labels]
        return tuple(
            ScoreTally._from_bins(self.binned[k], k[1]) if k in self.binned else self._exact[k]
            for k in keys
            if k in self.binned or k in self._exact
        )

    def refined(self, tallies: dict[Key, ScoreTally]) -> Scoring | None:
        """Return another pass with narrower bins, or None if all bounds are narrow enough.

        Raises
        ------
        InputError
            A tolerance that needs more bins than fit into memory.

        """
        tolerance = self._room.tolerance
        if tolerance is None:
            return None
        wide = {k: width for k, t in tallies.items() if (width := width_of(t)) > tolerance}
        if not wide:
            return None
        for key in wide:
            if key in self._laid:  # based on all rows already: only more bins would help
                need = len(self._laid[key]) * wide[key] / tolerance
                raise InputError(
                    f"tolerance={tolerance:g} needs about {need:.2g} bins of {key[0]} and "
                    f"memory={self._room.text} holds {len(self._laid[key]):,}, with a bracket of "
                    f"{wide[key]:.2g}; give more memory or a wider tolerance"
                )
        laid = {k: t.bins for k, t in tallies.items() if t.bins is not None}
        for key in wide:
            laid[key] = laid[key]._refined(tallies[key], len(laid[key]), self._cuts)
        return Scoring(self._room, self._sample, self._job, laid)


def width_of(tally: ScoreTally) -> float:
    """Return the width of the bounds on a tally's ROC area."""
    bounds = area_bounds(tally)
    return 0.0 if bounds is None else bounds[1] - bounds[0]
