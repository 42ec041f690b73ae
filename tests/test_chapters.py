"""The chapters on the five documents: every row is computed, every command runs."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tallymark.cli import main

DOCS = Path(__file__).parents[1] / "docs"
CHAPTERS = ("tharwat", "shin", "liu2014")
DOCUMENTS = 5
"""One chapter is about three of them."""

ROW = re.compile(r"^\| (?P<statement>.+?) \| `(?P<command>.+)` \| (?P<number>.+?) \| .+ \|$", re.M)
NUMBER = r"so `(.+?)` shows (\d[.\d]*\d|\d)"
GOLDEN = DOCS.parents[1] / "shared" / "golden" / "errata.md"


def text_of(chapter):
    return (DOCS / f"{chapter}.md").read_text("utf-8")


def without_errata(chapter):
    return re.sub(r"(?ms)^##+ Errata.*?(?=^## |\Z)", "", text_of(chapter))


def shown(value, printed):
    """Return a value in the digits that the page prints."""
    digits = re.fullmatch(r"-?\d+\.(\d+)", printed)
    return f"{float(value):.{len(digits[1])}f}" if digits else str(value)


@pytest.mark.parametrize("chapter", CHAPTERS)
@pytest.mark.slow
def test_every_row_is_what_its_command_gives(chapter):
    text = text_of(chapter)
    steps = [(m.start(), m) for m in ROW.finditer(text)]
    assert len(steps) >= 20
    for example in doctest.DocTestParser().get_examples(text):
        steps.append((len("".join(text.splitlines(True)[: example.lineno])), example))
    names = {}
    for _, step in sorted(steps, key=lambda s: s[0]):
        if isinstance(step, doctest.Example):
            exec(compile(step.source, chapter, "single"), names)
        else:
            printed = step["number"]
            assert shown(eval(step["command"], names), printed) == printed, step["command"]


@pytest.mark.parametrize("chapter", CHAPTERS[:2])
def test_a_number_at_the_prompt_has_the_digits_that_the_page_says(chapter):
    text = text_of(chapter)
    parts = text.split("\n## ") if chapter == "shin" else [text]
    told = [(part, m) for part in parts for m in re.findall(NUMBER, part)]
    assert len(told) == 1
    for part, (command, printed) in told:
        names = {}
        for example in doctest.DocTestParser().get_examples(part):
            exec(compile(example.source, chapter, "single"), names)
            if command.partition("[")[0] in names:
                break
        assert str(eval(command, names)).partition(" ")[0] == printed


@pytest.mark.parametrize("chapter", CHAPTERS)
@pytest.mark.slow
def test_every_command_line_runs(chapter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(DOCS)
    lines = re.findall(r"^tallymark (.+)$", text_of(chapter), re.M)
    assert lines
    for line in lines:
        done = CliRunner().invoke(main, shlex.split(line))
        assert done.exit_code == 0, f"{line}: {done.output}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_picture_comes_from_a_command_and_has_words(chapter):
    text = text_of(chapter)
    plots = re.findall(
        r"^\.\. plot::\n   :alt: .+\n   :include-source:\n\n((?:   .*\n|\n)+)", text, re.M
    )
    assert len(plots) == text.count(".. plot::") >= 1
    assert all("import tallymark as tm" in plot for plot in plots)
    assert "![" not in text


def test_errata_that_are_cited_are_in_the_list():
    pages = "".join(map(text_of, CHAPTERS))
    listed = set(re.findall(r"^\| ([TSBRL]\d\d) \|", pages, re.M))
    for chapter in CHAPTERS:
        assert set(re.findall(r"\(([TSBRL]\d\d)\)", text_of(chapter))) <= listed


@pytest.mark.skipif(not GOLDEN.is_file(), reason="the list of errata is not here")
@pytest.mark.parametrize(("chapter", "letter", "nothing_to_compute"), [
    ("tharwat", "T", {"T32", "T33", "T34"}),
    ("shin", "S", {"S11", "S13", "S14"}),
    ("shin", "B", set()),
    ("shin", "R", set()),
    ("liu2014", "L", set()),
])  # fmt: skip
def test_a_chapter_has_every_erratum_of_its_document(chapter, letter, nothing_to_compute):
    known = set(re.findall(rf"^\* ({letter}\d\d)", GOLDEN.read_text("utf-8"), re.M))
    assert (
        known - set(re.findall(rf"\b{letter}\d\d\b", without_errata(chapter))) == nothing_to_compute
    )
