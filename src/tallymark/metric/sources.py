"""The bibliography: citation keys and full references.

Each line of ``sources.txt`` is one work. A part may have its own ``sources.txt`` for works that
only it cites.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tallymark.part import parts


def lines() -> Iterator[str]:
    """Yield the lines of the core's bibliography, then those of the parts'."""
    for package in ("tallymark.metric", *(part.package for part in parts())):
        file = Path(sys.modules[package].__path__[0], "sources.txt")
        if file.is_file():
            yield from file.read_text("utf-8").splitlines()


SOURCES: dict[str, str] = {key: work for key, _, work in (v.partition(": ") for v in lines())}


def cite(source: str) -> str:
    """Return the full reference for a key; text that is not a key is returned unchanged."""
    return SOURCES.get(source, source)


def briefs(sources: Iterable[str]) -> list[str]:
    """Return references for a list on a page: at most two authors, and no DOI.

    >>> briefs(["glas2003"])[0].split(".")[:3]
    ['A', ' S', ' Glas and others (2003)']
    """
    return [_brief(source) for source in sources]


def _brief(source: str) -> str:
    people, bracket, rest = cite(source).split(" doi:")[0].partition(" (")
    first, *others = people.split(", ")
    return (f"{first} and others" if len(others) > 1 else people) + bracket + rest


def authors(source: str) -> str:
    """Return a short citation: the first author and the year.

    >>> authors("vancalster2019"), authors("liu2014")
    ('Van Calster 2019', 'Liu 2014')
    """
    work = cite(source)
    first = work.split(" (")[0].split(",")[0].split(" and ")[0]
    surname = " ".join(w for w in first.split() if not w.endswith("."))
    year = re.search(r"\((\d{4})\)", work)
    return f"{surname} {year[1]}" if year else surname
