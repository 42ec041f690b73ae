"""The people of comparisons: scores by pair of people, and sums of errors by person and by pair."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.core import CountedRows, Floats, RoleTally, ScoreCounts, array, role_tallies

_BASE = float(1 << 26)
"""More people than this cannot be distinguished; a pair of them is a whole number below 2^52."""


def pair_codes(probe: NDArray[Any], reference: NDArray[Any]) -> Floats:
    """Return one number for the two people of each comparison, whichever is the probe.

    >>> pair_codes(np.array([0, 3]), np.array([0, 2])).tolist()
    [0.0, 134217731.0]
    """
    low, high = np.minimum(probe, reference), np.maximum(probe, reference)
    return np.asarray(low * _BASE + high, float)


def both_people(codes: Floats) -> NDArray[np.int64]:
    """Return the two people (2, n) of each pair.

    >>> both_people(pair_codes(np.array([3]), np.array([2]))).tolist()
    [[2], [3]]
    """
    return np.stack(np.divmod(codes, _BASE)).astype(np.int64)


def with_people(counted: CountedRows, codes: Floats) -> CountedRows:
    """Return counted comparisons with both people of each, as :func:`pair_codes` gives them."""
    assert counted.joint is not None
    joint = replace(counted.joint, numbers={"people": codes})
    models = (replace(m, _role_tallies=role_tallies(joint, m.name)) for m in counted.models)
    return replace(counted, joint=joint, models=tuple(models))


@dataclass(frozen=True, eq=False)
class PeopleTally(RoleTally):
    """One score column by score and pair of people: a cell for each that occurs.

    >>> import numpy as np
    >>> from tallymark.core import PairedPredictions
    >>> people = PeopleTally(
    ...     ("impostor", "genuine"), "genuine", np.array([0.2, 0.9]), np.array([[0.0, 1], [1, 0]]),
    ...     None, 2, pair_codes(np.array([0, 1]), np.array([1, 1])))
    >>> people.dyads.people
    2
    """

    _role: ClassVar[str] = "people"
    people: Floats = field(metadata=array("people", axes=("cells",)))

    def _counted(self, counts: Floats) -> ScoreCounts:
        """Return the counts of each cell, whose people no metric reads."""
        return ScoreCounts(self.scores, counts[0], counts[1])

    @cached_property
    def dyads(self) -> Dyads:
        """The comparisons by person and by pair."""
        (first, second), n = _codes(self.people)
        return Dyads(self.scores, self.counts, first, second, n)


class Moved(NamedTuple):
    """What a statistic gains from each person (P,), and what its variance must be at least.

    ``pairs`` is the sum of squares over pairs of different people, ``within`` that over people of
    comparisons with themselves.
    """

    of_people: Floats
    pairs: float
    within: float


@dataclass(frozen=True, eq=False)
class Dyads:
    """Comparisons by score and pair of people, and their errors by person and by pair.

    ``scores`` (G,) ascend; ``counts`` (2, G) are mated and non-mated comparisons of the people
    ``first`` and ``second`` (G,), codes from 0 to ``people`` - 1. Mated ones are of one person.
    """

    scores: Floats
    counts: Floats
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    people: int

    @cached_property
    def mated(self) -> Floats:
        """The number of mated comparisons of each person, m."""
        return self._by_person(0, slice(None))

    @cached_property
    def non_mated(self) -> Floats:
        """The number of non-mated comparisons of each person in either role, n."""
        return self._by_person(1, slice(None))

    def _by_person(self, kind: int, cells: slice) -> Floats:
        """Return the number of comparisons of a kind in some cells, by person."""
        of_cells = self.counts[kind][cells]
        sums = _sums(self.first[cells], of_cells, self.people)
        return sums + _sums(self.second[cells], of_cells, self.people) if kind else sums

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], Floats]:
        """The unordered pair of each cell, and the number of non-mated comparisons of each."""
        codes = self.first.astype(np.int64) * self.people + self.second
        _, pair = np.unique(codes, return_inverse=True)
        return pair, _sums(pair, self.counts[1])

    def people_of(self, *kinds: int) -> int:
        """Return how many people have comparisons of any of the kinds, 0 mated and 1 non-mated."""
        has = [(self.mated, self.non_mated)[kind] > 0 for kind in kinds]
        return int(np.any(has, 0).sum())

    def effective(self, kind: int) -> float:
        """Return the effective number of people of a kind of comparisons (Kish)."""
        n = (self.mated, self.non_mated)[kind]
        return float(n.sum() ** 2 / (n**2).sum()) if n.any() else 0.0

    def false_matches(self, threshold: float) -> Moved:
        """Return what each person adds to the false match rate at a threshold, centred.

        S_i = (f_i - p n_i)/N, over people in either role; over unordered pairs the sum of
        (d - p n)² is Σd² - 2p Σdn + p² Σn².
        """
        cells = slice(int(np.searchsorted(self.scores, threshold)), None)
        f, n = self._by_person(1, cells), self.non_mated
        total = n.sum() / 2
        p = f.sum() / 2 / total
        pair, of_pair = self._pairs
        d = _sums(pair[cells], self.counts[1][cells], len(of_pair))
        pairs = (d**2).sum() - 2 * p * (d * of_pair).sum() + p**2 * (of_pair**2).sum()
        return Moved((f - p * n) / total, float(max(pairs, 0.0)) / total**2, 0.0)

    def false_non_matches(self, threshold: float) -> Moved:
        """Return what each person adds to the false non-match rate, (g_i - q m_i)/M."""
        cells = slice(0, int(np.searchsorted(self.scores, threshold)))
        g, m = self._by_person(0, cells), self.mated
        moved = (g - g.sum() / m.sum() * m) / m.sum()
        return Moved(moved, 0.0, float((moved**2).sum()))


def by_people(people: Floats, influences: Floats) -> tuple[Moved, int]:
    """Return what each person adds to a statistic by the influence of each row, and how many.

    >>> codes = pair_codes(np.array([0, 0, 1]), np.array([1, 0, 2]))
    >>> moved, n = by_people(codes, np.array([0.2, 0.1, -0.3]))
    >>> moved.of_people.round(3).tolist(), n
    ([0.3, -0.1, -0.3], 3)
    """
    (first, second), n = _codes(people)
    own = first == second
    _, pair = np.unique(people[~own], return_inverse=True)
    of_people = _sums(first, influences, n) + _sums(second[~own], influences[~own], n)
    of_pairs = _sums(pair, influences[~own])
    within = _sums(first[own], influences[own], n)
    moved = Moved(of_people, float((of_pairs**2).sum()), float((within**2).sum()))
    return moved, n


def _codes(people: Floats) -> tuple[NDArray[np.intp], int]:
    """Return both people (2, G) as codes from 0 up, and how many there are."""
    ends = both_people(people)
    names, codes = np.unique(ends, return_inverse=True)
    return codes.reshape(ends.shape), len(names)


def _sums(codes: NDArray[np.intp], values: Floats, size: int = 0) -> Floats:
    """Return the sum of values for each code."""
    return np.asarray(np.bincount(codes, values, size), np.float64)
