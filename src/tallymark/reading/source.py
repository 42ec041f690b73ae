"""The origin of rows and how they were read, recorded by the reader."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tallymark.display import load
from tallymark.part import kept_roles, part_roles, parts
from tallymark.tally.arrays import Label
from tallymark.tally.io import Saved, part

ROLES = (
    "truth",
    "pred",
    "score",
    "model",
    "case",
    "weight",
    "count",
    "cluster",
    "fold",
    *part_roles(),
    "subgroup",
)
"""The roles of columns, in the order in which they are reported."""

_SAID = (*ROLES, *(role for role in kept_roles() if role not in ROLES))
"""The same with roles whose columns a part reads itself."""

_MOST_NAMES = 8
"""Most columns of one role that the sentence lists; the record has all."""


def _roles(data: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    for name in (n for c in data.values() for n in (c if isinstance(c, list) else [c])):
        if not isinstance(name, str):
            raise TypeError
    return {role: tuple(c) if isinstance(c, list) else c for role, c in data.items()}


@dataclass(frozen=True, slots=True)
class Source(Saved):
    """The origin of rows, and how they were read.

    ``kind`` is "arrays", "frame", a format such as "CSV" or a database such as "PostgreSQL".
    ``_roles`` map a word of :data:`ROLES` to the column, or the columns, that were read as it.
    ``_why`` gives the reason for each detected role, and for a detected ``positive``. ``_ignored``
    are the columns that were not read, ``format`` are notes on what was not read literally, and
    ``checks`` maps the name of each check to its result, or to "not checked". ``use`` is the
    application of the classifier, such as "medicine". ``_meanings`` are stated or detected
    properties of scores and labels, as words of ``reading=``. ``_batches`` is the number of batches
    in which a Tallier counted the rows.

    >>> source = Source("a.csv", "CSV", {"truth": "label", "score": "p"}, 1, {"truth": "its name"})
    >>> print(source, "|", source.sentence)
    a.csv | Read as: truth = `label` (1 is positive), score = `p`. Change with truth=...
    """

    name: str
    kind: str = "arrays"
    _roles: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict, metadata=part(_roles))
    positive: Label | None = None
    _why: Mapping[str, str] = field(default_factory=dict)
    _ignored: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    checks: Mapping[str, Any] = field(default_factory=dict)
    use: str = ""
    _meanings: Mapping[str, Any] = field(default_factory=dict, metadata={"optional": True})
    _batches: int | None = field(default=None, metadata={"optional": True})

    def __str__(self) -> str:
        return self.name

    @property
    def _fold(self) -> str | None:
        """The column of cross-validation folds, None without one."""
        column = self._roles.get("fold")
        return column if isinstance(column, str) else None

    @property
    def read_as(self) -> str:
        """A sentence on the role of each column, and on the columns that were not read."""
        parts = []
        for role in (r for r in _SAID if r in self._roles):
            names = self._roles[role]
            part = f"{role} = {_named((names,) if isinstance(names, str) else names)}"
            if role == "truth" and self.positive is not None:
                part += f" ({self.positive} is positive)"
            parts.append(part)
        more = f"; format: {', '.join(self.format)}" if self.format else ""
        more += f"; ignored: {_named(self._ignored)}" if self._ignored else ""
        return f"Read as: {(', '.join(parts) + more).removeprefix('; ')}."

    @property
    def _inferred(self) -> str:
        """A short sentence on what was detected, and which columns were given beside it."""
        parts, given = list[str](), list[str]()
        for role in (r for r in _SAID if r in self._roles):
            names = self._roles[role]
            part = f"{role} = {_named((names,) if isinstance(names, str) else names, 2)}"
            (parts if role in self._why else given).append(part)
        of_given = ", ".join(given) if has_columns(self) else ""
        if "positive" in self._why and self.positive is not None:
            positive = f"{self.positive} is positive"
            of_truth = "truth" in self._why and "truth" in self._roles
            parts[:of_truth] = [f"{parts[0]} ({positive})" if of_truth else positive]
        parts += self.format
        if not parts:
            return ""
        if self._ignored:
            parts.append(f"ignored: {_named(self._ignored, 2)}")
        return f"Read as: {', '.join(parts)}{of_given and f'; given: {of_given}'}."

    @property
    def sentence(self) -> str:
        """The sentence, with the arguments that change detected roles."""
        words = load("uses:use_called")(self.use).arguments
        change = ", ".join(
            f"{words.get(word, word)}=..." for word in (*_SAID, "positive") if word in self._why
        )
        return self.read_as + (f" Change with {change}" if change else "")


def has_columns(source: Source) -> bool:
    """Return whether the roles of a source name columns of a table."""
    others = (kind for part in parts() for kind in part.without_columns)
    return source.kind not in ("arrays", "tally", *others)


def _named(names: tuple[str, ...], most: int = _MOST_NAMES) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:most])
    more = len(names) - most
    return f"{listed} and {more} more" if more > 0 else listed


def is_path(data: Any) -> bool:
    """Return whether data are a path."""
    return isinstance(data, str | os.PathLike)
