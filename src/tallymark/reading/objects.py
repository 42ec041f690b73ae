"""A JSON file that is one object: its rows stand in one of its lists, or a column in each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tallymark.reading.unpacking import first_bytes


def rows_of_object(path: str, target: Path, most: int) -> str | None:
    """Write the rows that a file's one object holds as an object a line, and say where they were.

    Return None of other files: of an object a line, of one without such lists, and of more than
    ``most`` bytes, which Python would have to hold at once.
    """
    if Path(path).stat().st_size > most or not first_bytes(path).lstrip(
        b"\xef\xbb\xbf \t\r\n"
    ).startswith(b"{"):
        return None
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
            first = file.readline()
            try:
                found = json.loads(first)
            except ValueError:  # an object of several lines
                found = json.loads(first + file.read())
            if any(map(str.strip, file)):
                return None
    except (ValueError, RecursionError):
        return None
    rows, told = _rows(found)
    with target.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return told if rows else None


def _rows(found: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """Return the rows of an object, none where it holds none, and where they stand."""
    lists = {key: value for key, value in found.items() if isinstance(value, list) and value}
    objects = [key for key, value in lists.items() if all(isinstance(v, dict) for v in value)]
    if len(objects) == 1:
        return lists[objects[0]], f"the rows in {objects[0]!r}"
    scalars = not any(isinstance(v, (dict, list)) for value in lists.values() for v in value)
    if len(lists) == len(found) > 1 and len(set(map(len, lists.values()))) == 1 and scalars:
        rows = zip(*lists.values(), strict=True)
        return [dict(zip(lists, row, strict=True)) for row in rows], "a list a column"
    return [], ""
