"""The order of models by pairwise comparisons: ranges of ranks, and groups without a difference."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, Self, TypeVar

from tallymark.errors import InputError, check_name
from tallymark.tally.arrays import Label

MOST_GROUPS = 100
"""The most groups of models that are listed."""


class OrderedPair(Protocol):
    """A comparison of two models, first minus second."""

    @property
    def first(self) -> str:
        """The name of the model from which the other is subtracted."""

    @property
    def second(self) -> str:
        """The name of the model that is subtracted from the first."""

    def _reversed(self: Self) -> Self:
        """Return the comparison with the two models swapped."""


class ComparedPair(OrderedPair, Protocol):
    """A comparison of two models that says which one is better."""

    @property
    def winner(self) -> str | None:
        """The better model; None if no difference is proved."""


OnePair = TypeVar("OnePair", bound=OrderedPair)


def proved_pairs(pairs: Iterable[ComparedPair]) -> list[tuple[str, str]]:
    """Return the better and the worse model of each proved difference."""
    return [
        (p.first, p.second) if p.winner == p.first else (p.second, p.first)
        for p in pairs
        if p.winner
    ]


def pair_of(
    pairs: Sequence[OnePair], models: Sequence[str], first: str, second: str, kind: str = "model"
) -> OnePair:
    """Return the comparison of two models, first minus second; ``kind`` is what they are called.

    Raises
    ------
    InputError
        A model that is not there, the same model twice, or two that were not compared.

    """
    for name in (first, second):
        check_name(kind, name, models)
    if first == second:
        raise InputError(f"first and second are both {first!r}; name two {kind}s")
    for p in pairs:
        if (p.first, p.second) == (first, second):
            return p
        if (p.second, p.first) == (first, second):
            return p._reversed()
    compared = ", ".join(f"{p.first!r} and {p.second!r}" for p in pairs)
    raise InputError(f"{first!r} and {second!r} were not compared; there are {compared}")


def rank_ranges(
    names: Sequence[Label], proved: Collection[tuple[Any, Any]]
) -> Mapping[Any, tuple[int, int]]:
    """Return the lowest and the highest rank of each name; ``proved`` are (better, worse) pairs.

    They are 1 plus the number of names proved better, and the number of names minus those proved
    worse.

    >>> rank_ranges("abc", {("a", "c")})
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 3)}
    """
    return {
        name: (
            1 + sum(worse == name for _, worse in proved),
            len(names) - sum(better == name for better, _ in proved),
        )
        for name in names
    }


def maximal_sets(names: Sequence[Label], apart: set[tuple[Any, Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield the maximal sets of names without two that are apart, in the order of the names.

    They are the maximal cliques of the graph of names that are not apart (Bron and Kerbosch, with a
    pivot).

    >>> list(maximal_sets("abc", {("a", "c")}))
    [('a', 'b'), ('b', 'c')]
    """
    together = {
        a: {b for b in names if b != a and (a, b) not in apart and (b, a) not in apart}
        for a in names
    }
    place = {name: i for i, name in enumerate(names)}

    def extended(chosen: set[Any], open_: set[Any], closed: set[Any]) -> Iterator[set[Any]]:
        if not open_ and not closed:
            yield chosen
            return
        pivot = max(
            sorted(open_ | closed, key=place.__getitem__), key=lambda n: len(together[n] & open_)
        )
        for name in sorted(open_ - together[pivot], key=place.__getitem__):
            near = together[name]
            yield from extended(chosen | {name}, open_ & near, closed & near)
            open_ = open_ - {name}
            closed = closed | {name}

    sets = [
        tuple(sorted(s, key=place.__getitem__))
        for s in islice(extended(set(), set(names), set()), MOST_GROUPS)
    ]
    yield from sorted(sets, key=lambda s: [place[n] for n in s])
