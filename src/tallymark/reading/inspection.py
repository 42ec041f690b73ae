"""Preview how a table is read: its first rows, its column contents and the role of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallymark.display import Display, plain_data
from tallymark.listing import Listing
from tallymark.reading.believed import Reading
from tallymark.reading.choose import TITLES
from tallymark.reading.chunks import released
from tallymark.reading.names import meaning, names_of
from tallymark.reading.profile import Column, Profile, first_rows, profile_of
from tallymark.reading.readers import open_table
from tallymark.reading.source import Source

ROWS = 5
"""Number of first rows shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Inspection(Display):
    """A preview of how a table is read and what a run does.

    ``source`` and ``reading`` are None if a run is refused; ``run`` describes the run or the
    refusal. ``taken`` gives the role of each column and the reason.
    """

    name: str
    source: Source | None
    run: str
    names: tuple[str, ...]
    first_rows: tuple[tuple[Any, ...], ...]
    columns: Profile
    taken: Mapping[str, tuple[str, str]]
    reading: Reading | None = None

    def table(self) -> Listing:
        """Return one row per column: its role, the reason, and its contents."""
        return Listing(tuple(self.to_dict()["columns"]))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        facts = ("type", "rows", "missing", "distinct", "low", "high", "kind")
        return {
            "name": self.name,
            "source": plain_data(self.source),
            "reading": None if self.reading is None else self.reading.to_dict(),
            "run": self.run,
            "columns": [
                {"name": name, "taken_for": self.taken[name][0], "why": self.taken[name][1]}
                | {fact: getattr(self.columns.get(name), fact, None) for fact in facts}
                for name in self.names
            ],
            "first_rows": [[None if v is None else str(v) for v in row] for row in self.first_rows],
        }


def inspection_of(
    data: Any,
    source: Source | None,
    run: str,
    stated_roles: Mapping[str, Any],
    reading: Reading | None = None,
    **options: Any,
) -> Inspection:
    """Return the preview of a table, read as ``source`` says or refused."""
    table = open_table(data, **options)
    with released(table):
        columns = profile_of(table, table.columns)
        roles = dict(stated_roles) if source is None else dict(source._roles)
        column_of = {  # elements of a vector belong to its column
            name if name in table.columns else name.rpartition("[")[0]: role
            for role, names in roles.items()
            for name in names_of(names)
        }
        why = {} if source is None else source._why
        uses = {}
        for name in table.columns:
            if name in column_of:
                usual = "one line per case and model" if column_of[name] == "case" else "named"
                uses[name] = (
                    TITLES.get(column_of[name], column_of[name]),
                    why.get(column_of[name], usual),
                )
            else:
                uses[name] = _likely_role(name, columns.get(name), source is not None)
        names, rows = tuple(table.columns), first_rows(table, ROWS)
        return Inspection(table.name, source, run, names, rows, columns, uses, reading)


def _likely_role(name: str, facts: Column | None, is_read: bool) -> tuple[str, str]:
    """Return the likely role of a column without one, and the reason."""
    says = meaning(name)
    if says is not None and says.role in TITLES and not is_read:
        suffix = f" of {says.of}" if says.of else ""
        return f"{TITLES[says.role]}{suffix}?", "its name"
    return "ignored" if is_read else "", facts.kind if facts is not None else ""
