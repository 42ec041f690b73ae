"""ARFF, Weka's format of files: the columns declared in its header, and its rows as CSV."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from tallymark import InputError
from tallymark.core import Attribute, Opened, Written

_ATTRIBUTE = re.compile(
    r"""@attribute\s+
        (?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s'"{]+))
        \s*(?P<kind>\{.*\}|(?<=[\s'"])[A-Za-z].*)""",
    re.IGNORECASE | re.VERBOSE,
)
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))\s*(?:,|$)""")


_LONGEST = 2_000_000
"""Maximum number of characters in a line."""


def arff_as_csv(opened: Opened, target: Path) -> Written:
    """Write the rows of an ARFF file, CSV with other quotes, and return its columns.

    There is a blank line for every comment, so that lines keep their numbers. DuckDB is given the
    rows alone: it loses some when it skips a header that has a comment.
    """
    name, columns = opened.name, []
    with (
        open(opened.path, encoding="utf-8", newline="\n") as file,  # noqa: PTH123
        target.open("w", encoding="utf-8", newline="\n") as rows,
    ):
        lines = enumerate(_lines(file, name), start=1)
        for header, line in lines:
            text = line.strip()
            if text.lower().startswith("@attribute"):
                columns.append(_attribute(text, name, header))
            elif text.lower().startswith("@data"):
                break
        else:
            raise InputError(
                f"{name} has no @data line, so it is not an ARFF file; check its content"
            )
        if not columns:
            raise InputError(
                f"{name} declares no @attribute before @data on line {header}; declare its columns"
            )
        for number, line in lines:
            text = line.strip()
            if text.startswith("{"):
                raise InputError(
                    f"{name} holds sparse rows, the first on line {number}; convert it to plain "
                    "rows (Weka's SparseToNonSparse)"
                )
            rows.write("\n" if text[:1] in ("", "%") else line.rstrip("\r\n") + "\n")
    return Written(header, columns=tuple(columns), quote="'", escape="\\", missing="?")


def _lines(file: TextIO, name: str) -> Iterator[str]:
    """Return the lines of a text; one that is too long is refused."""
    for number in itertools.count(1):
        line = file.readline(_LONGEST)
        if len(line) == _LONGEST:
            raise InputError(
                f"{name} has a line of more than {_LONGEST // 10**6} million characters, line "
                f"{number}; correct that line"
            )
        if not line:
            return
        yield line


def _attribute(text: str, name: str, number: int) -> Attribute:
    match = _ATTRIBUTE.match(text)
    if not match:
        raise InputError(
            f"{name} has an @attribute on line {number} that cannot be read: {text!r}; write it as "
            "@attribute NAME TYPE"
        )
    column, kind = _unquoted(*match.group("single", "double", "plain")), match["kind"]
    if not kind.startswith("{"):
        return column, None
    return column, _values(kind[1 : kind.rindex("}")], name, number)


def _values(text: str, name: str, number: int) -> tuple[str, ...]:
    values = []
    at = 0
    while at < len(text):
        match = _VALUE.match(text, at)
        if match is None or match.end() == at:
            raise InputError(
                f"{name} has a value on line {number} that cannot be read: {text[at:].strip()!r}; "
                "close its quote and put a comma after it"
            )
        values.append(_unquoted(*match.groups()))
        at = match.end()
    return tuple(dict.fromkeys(values))


def _unquoted(single: str | None, double: str | None, plain: str) -> str:
    """Return the value of a text in single, double or no quotes."""
    quoted = double if single is None else single
    return plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
