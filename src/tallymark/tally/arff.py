"""The header of Weka's ARFF files; the rows that follow it are CSV."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tallymark.errors import InputError
from tallymark.tally.arrays import Label

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>\S+?))
        \s*(?P<kind>\{.*\}|[A-Za-z].*)$""",
    re.IGNORECASE | re.VERBOSE,
)
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*?))\s*(?:,|$)""")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its name, and its values if it is nominal."""

    name: str
    values: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Header:
    """The columns, and how many lines come before the first row."""

    attributes: tuple[Attribute, ...]
    lines: int

    @property
    def classes(self) -> dict[str, tuple[Label, ...]]:
        """The declared values of each nominal column, which stay even where none occurs."""
        return {a.name: a.values for a in self.attributes if a.values is not None}


def read_header(path: str) -> Header:
    """Read the declarations of an ARFF file up to its ``@data``."""
    name = Path(path).name
    attributes = []
    with Path(path).open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            text = line.strip()
            if text.lower().startswith("@attribute"):
                attributes.append(_attribute(text, name, number))
            elif text.lower().startswith("@data"):
                if not attributes:
                    raise InputError(f"{name} declares no @attribute before @data on line {number}")
                _refuse_sparse(file, name, number)
                return Header(tuple(attributes), number)
    raise InputError(f"{name} has no @data line, so it is no ARFF file")


def _refuse_sparse(file: object, name: str, number: int) -> None:
    for line in file:  # type: ignore[attr-defined]
        text = line.strip()
        if text and not text.startswith("%"):
            if text.startswith("{"):
                raise InputError(
                    f"{name} holds sparse rows from line {number + 1} on; convert it to plain rows "
                    "(Weka's SparseToNonSparse)"
                )
            return


def _attribute(text: str, name: str, number: int) -> Attribute:
    found = _ATTRIBUTE.match(text)
    if not found:
        raise InputError(f"{name} has an @attribute on line {number} that cannot be read: {text!r}")
    quoted = found["single"] if found["single"] is not None else found["double"]
    column = found["plain"] if quoted is None else _unescape(quoted)
    kind = found["kind"].strip()
    if not kind.startswith("{"):
        return Attribute(column, None)
    return Attribute(column, _values(kind[1 : kind.rindex("}")]))


def _values(text: str) -> tuple[str, ...]:
    values = []
    at = 0
    while at < len(text):
        found = _VALUE.match(text, at)
        if found is None or found.end() == at:
            break
        single, double, plain = found.groups()
        quoted = single if single is not None else double
        values.append(plain if quoted is None else _unescape(quoted))
        at = found.end()
    return tuple(dict.fromkeys(values))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
