"""The bibliography: every entry has authors, a year, a title, and a DOI that can be one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tallymark
from tallymark.metric.sources import SOURCES, authors, cite, lines

PACKAGE = Path(tallymark.__file__).parent
LINES = list(lines())
ENTRY = re.compile(
    r"(?P<authors>[^()]+) \((?P<year>\d{4})\)\. (?P<title>[^.?]+(?:\.? [^.?]+)*?)[.?]"
    r"(?P<where> [^ ].*?\.)?(?: doi:(?P<doi>10\.\d{4,}/[^\s]+[^\s.,]))?"
)
"""Authors (year). Title. Where it appeared. doi:10.…, the last only where it is certain."""


@pytest.mark.parametrize("key", SOURCES)
def test_an_entry_has_authors_a_year_a_title_and_where_it_appeared(key):
    entry = ENTRY.fullmatch(SOURCES[key])
    assert entry, SOURCES[key]
    surname, year = re.fullmatch(r"([a-z]+)(\d{4})", key).groups()
    assert entry["year"] == year
    plain = authors(key).rsplit(" ", 1)[0].lower().replace(" ", "").replace("-", "")
    folded = plain.translate(str.maketrans("šüöéá", "suoea")).replace("roever", "rover")
    assert folded.startswith(surname.replace("roever", "rover")[:4])
    assert 0 < len(entry["title"]) < 200
    assert entry["where"]


def test_no_key_stands_twice_and_no_two_works_share_a_doi():
    assert len(LINES) == len(SOURCES)
    dois = re.findall(r"doi:(\S+)", "\n".join(LINES))
    assert len(dois) == len(set(dois)) > 100


def test_every_key_is_cited_in_the_package():
    code = "\n".join(p.read_text("utf-8") for p in PACKAGE.rglob("*.py"))
    words = set(re.findall(r"\b[a-z]+\d{4}\b", code))
    assert [key for key in SOURCES if key not in words] == []


def test_every_key_that_the_package_cites_is_in_the_bibliography():
    cited = {
        key
        for path in PACKAGE.rglob("*.py")
        for line in re.findall(r"Sources?: ([^.;\"]+)", path.read_text("utf-8"))
        for key in re.findall(r"\b[a-z]+[12]\d{3}\b", line)
    }
    assert {"welch1947", "kish1965"} <= cited
    assert cited <= set(SOURCES)


def test_a_citation_ends_in_its_doi():
    assert cite("tharwat2018").endswith("17(1), 168-192. doi:10.1016/j.aci.2018.08.003")
    assert authors("shin2016") == "Shin 2016"
