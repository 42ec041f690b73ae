"""The header of Weka's ARFF files; the rows that follow it are CSV."""

from __future__ import annotations

import gzip
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallymark.errors import InputError

_ATTRIBUTE = re.compile(
    r"""@attribute\s+
        (?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s'"{]+))
        \s*(?P<kind>\{.*\}|(?<=[\s'"])[A-Za-z].*)""",
    re.IGNORECASE | re.VERBOSE,
)
_VALUE = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))\s*(?:,|$)""")


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
    def classes(self) -> dict[str, tuple[str, ...]]:
        """The declared values of each nominal column, which stay even where none occurs."""
        return {a.name: a.values for a in self.attributes if a.values is not None}


def read_header(path: str) -> Header:
    """Read the declarations of an ARFF file up to its ``@data``."""
    name = Path(path).name
    attributes = []
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="\n") as file:
            lines = enumerate(file, start=1)
            for number, line in lines:
                text = line.strip()
                if text.lower().startswith("@attribute"):
                    attributes.append(_attribute(text, name, number))
                elif text.lower().startswith("@data"):
                    if not attributes:
                        raise InputError(
                            f"{name} declares no @attribute before @data on line {number}; "
                            "declare its columns"
                        )
                    _refuse_sparse(lines, name)
                    return Header(tuple(attributes), number)
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text; save it as UTF-8") from None
    except (gzip.BadGzipFile, EOFError):
        raise InputError(f"{name} is no complete gzip file; pack or fetch it again") from None
    raise InputError(f"{name} has no @data line, so it is no ARFF file; look at what it holds")


def copy_rows(path: str, header: Header, target: Path) -> None:
    """Copy the rows, with a blank line for every comment so that lines keep their numbers.

    All lines end alike then: DuckDB takes no file that mixes line ends.
    """
    opener: Any = gzip.open if path.lower().endswith(".gz") else open
    with opener(path, "rb") as source, target.open("wb") as rows:
        for line in itertools.islice(source, header.lines, None):
            comment = line.strip()[:1] in (b"", b"%")
            rows.write(b"\n" if comment else line.rstrip(b"\r\n") + b"\n")


def _refuse_sparse(lines: Iterable[tuple[int, str]], name: str) -> None:
    for number, line in lines:
        text = line.strip()
        if text and not text.startswith("%"):
            if text.startswith("{"):
                raise InputError(
                    f"{name} holds sparse rows, the first on line {number}; convert it to plain "
                    "rows (Weka's SparseToNonSparse)"
                )
            return


def _attribute(text: str, name: str, number: int) -> Attribute:
    found = _ATTRIBUTE.match(text)
    if not found:
        raise InputError(
            f"{name} has an @attribute on line {number} that cannot be read: {text!r}; write it as "
            "@attribute NAME TYPE"
        )
    quoted = found["single"] if found["single"] is not None else found["double"]
    column = found["plain"] if quoted is None else _unescape(quoted)
    kind = found["kind"]
    if not kind.startswith("{"):
        return Attribute(column, None)
    return Attribute(column, _values(kind[1 : kind.rindex("}")], name, number))


def _values(text: str, name: str, number: int) -> tuple[str, ...]:
    values = []
    at = 0
    while at < len(text):
        found = _VALUE.match(text, at)
        if found is None or found.end() == at:
            raise InputError(
                f"{name} has a value on line {number} that cannot be read: {text[at:].strip()!r}; "
                "close its quote and put a comma behind it"
            )
        single, double, plain = found.groups()
        quoted = single if single is not None else double
        values.append(plain if quoted is None else _unescape(quoted))
        at = found.end()
    return tuple(dict.fromkeys(values))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
