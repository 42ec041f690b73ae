"""Pair scores and outcomes by name: prob1 with prob1_outcome, prob2 and so on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import InputError
from tallymark.reading.chunks import Chunk
from tallymark.reading.look import Contents, Look
from tallymark.reading.meaning import FEWEST, adds_up
from tallymark.reading.names import named_after
from tallymark.tally.arrays import Coded, Floats, code_labels

if TYPE_CHECKING:
    from tallymark.reading.ingest import RowCounter
    from tallymark.reading.profile import Table

_OUTCOMES = re.compile(r"outcome|actual|truth|true|label|result|target|observed|won|happened", re.I)
"""Suffixes of the name of an outcome, after the name of its forecast."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Scores, and in the same order the 0/1 columns of their outcomes.

    ``names`` are the outcomes: the scores' names without their common prefix.
    """

    scores: tuple[str, ...]
    outcomes: tuple[str, ...]
    names: tuple[str, ...]


def find_pairs(look: Look) -> Pairs | None:
    """Return the pairs of a table, None if there are none.

    Two pairs are the two sides of one event, and three or more its possible outcomes, if exactly
    one of them occurred in each row.
    """
    pairs = []
    for score, contents in look.contents.items():
        if contents.numbers is None or contents.facts.whole:
            continue
        for outcome, outcome_contents in look.contents.items():
            behind = outcome[len(score) :].strip("_- .")
            paired = outcome.startswith(score) and _OUTCOMES.fullmatch(behind)
            if (
                paired
                and outcome_contents.classes <= {"0", "1"}
                and outcome_contents.numbers is not None
            ):
                pairs.append((score, outcome))
    if not pairs or len({s for s, _ in pairs}) < len(pairs):
        return None
    scores, outcomes = (tuple(side) for side in zip(*pairs, strict=True))
    came_true = _matrix(look, outcomes)
    complete = came_true[~np.isnan(came_true).any(1)]
    one_each = len(complete) >= FEWEST and bool((complete.sum(1) == 1).all())
    if len(pairs) > 1 and not (one_each and adds_up(_matrix(look, scores))):
        return None
    return Pairs(scores, outcomes, _names(scores))


def _matrix(look: Look, columns: Sequence[str]) -> Floats:
    return np.array([look.contents[c].numbers for c in columns], dtype=np.float64).T


def _names(scores: Sequence[str]) -> tuple[str, ...]:
    """Return the names of outcomes: prob1, probtie and prob2 give 1, tie and 2."""
    after = [named_after(s)[1] for s in scores]
    if None not in after:
        return tuple(map(str, after))
    size = 0
    while len(scores) > 1 and len({s[: size + 1] for s in scores}) == 1 < len(scores[0]) - size:
        size += 1
    return tuple(s[size:].strip("_- .") or s for s in scores)


class OutcomesTable:
    """A table whose outcome columns are read as one class column, called ``truth``."""

    def __init__(self, table: Any, pairs: Pairs) -> None:
        self.table, self.pairs = table, pairs
        self.truth = "outcome" if "outcome" not in table.columns else "outcome of each row"
        self.columns = (*table.columns, self.truth)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the wrapped table, such as ``close``."""
        return getattr(self.table, name)

    @property
    def format(self) -> Sequence[str]:
        """Notes on what was not read literally."""
        columns = ", ".join(f"`{c}`" for c in self.pairs.outcomes)
        return [*self.table.format, f"`{self.truth}` is which of {columns} is 1"]

    def counted(self, counter: RowCounter) -> Iterator[Chunk]:
        """Return the chunks to count; the wrapped table cannot count itself without the truth."""
        return self.chunks(**counter.job.columns)

    def chunks(
        self, labels: Sequence[str], numbers: Sequence[str], **beside: Any
    ) -> Iterator[Chunk]:
        """Yield the named columns, with the outcome of each row as its class."""
        own = [c for c in labels if c != self.truth]
        for chunk in self.table.chunks(own, [*numbers, *self.pairs.outcomes], **beside):
            flags = np.stack([chunk.numbers[c] for c in self.pairs.outcomes], 1)
            missing = np.isnan(flags).any(1)
            if not (flags[~missing].sum(1) == 1).all():
                raise InputError(
                    f"some rows of {self.name} have none or several of the outcomes "
                    f"{', '.join(self.pairs.outcomes)}; name one of them with truth=..."
                )
            names = code_labels(list(self.pairs.names), self.truth)
            codes = np.where(missing, -1, names.codes[np.nan_to_num(flags).argmax(1)])
            coded = Coded(codes.astype(np.intp), names.labels)
            scores = {c: chunk.numbers[c] for c in numbers}
            yield replace(chunk, labels={**chunk.labels, self.truth: coded}, numbers=scores)


def with_pairs(table: Table, look: Look, named: Any) -> tuple[Any, Look, dict[str, Any]]:
    """Return a table, its sample and its roles, with scores and outcomes paired by name."""
    is_named = any(
        named.get(role) for role in ("truth", "pred", "score", "weight", "count", "model")
    )
    pairs = None if is_named else find_pairs(look)
    if pairs is None:
        return table, look, dict(named)
    if len(pairs.scores) < 3:
        return table, look, {**named, "truth": pairs.outcomes[0], "score": pairs.scores[0]}
    wrapped = OutcomesTable(table, pairs)
    coded = next(OutcomesTable(look, pairs).chunks([wrapped.truth], [])).labels[wrapped.truth]
    texts = np.array([*map(str, coded.labels), None], dtype=object)[coded.codes]
    contents = {**look.contents, wrapped.truth: Contents(wrapped.truth, "text", texts, None, texts)}
    named = {**named, "truth": wrapped.truth, "score": list(pairs.scores)}
    return wrapped, replace(look, contents=contents), named
