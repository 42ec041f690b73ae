"""The bibliography: cited keys and the works they stand for.

Each line of ``sources.txt`` is one work; a part may keep a file of this name for works that only it
cites.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files

from tallymark.part import parts


def lines() -> Iterator[str]:
    """Yield the lines of the bibliography and of those of parts."""
    for package in (__package__, *(part.package for part in parts())):
        file = files(package) / "sources.txt"
        if file.is_file():
            yield from file.read_text("utf-8").splitlines()


SOURCES: dict[str, str] = {key: work for key, _, work in (v.partition(": ") for v in lines())}


def cite(source: str) -> str:
    """Return the work behind a key, or a citation as it was given."""
    return SOURCES.get(source, source)


def briefs(sources: Iterable[str]) -> list[str]:
    """Return citations for a list on a page: at most two authors, and no DOI.

    >>> briefs(["glas2003"])[0].split(".")[:3]
    ['A', ' S', ' Glas and others (2003)']
    """
    return [_brief(source) for source in sources]


def _brief(source: str) -> str:
    people, bracket, rest = cite(source).split(" doi:")[0].partition(" (")
    first, *others = people.split(", ")
    return (f"{first} and others" if len(others) > 1 else people) + bracket + rest


def authors(source: str) -> str:
    """Return a citation in short: the first author and the year.

    >>> authors("vancalster2019"), authors("liu2014")
    ('Van Calster 2019', 'Liu 2014')
    """
    work = cite(source)
    first = work.split(" (")[0].split(",")[0].split(" and ")[0]
    surname = " ".join(w for w in first.split() if not w.endswith("."))
    year = re.search(r"\((\d{4})\)", work)
    return f"{surname} {year[1]}" if year else surname
