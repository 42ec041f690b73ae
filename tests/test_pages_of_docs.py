"""The pages of the documentation: few, reachable, and each begins with what it is for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
MOST = 40
"""Pages for readers; more are not read."""

TREES = {
    re.search(r":caption: (.+)", tree)[1]: re.findall(r"(?m)^[\w-]+$", tree)
    for tree in re.findall(
        r"```\{toctree\}\n(.*?)```", (DOCS / "index.md").read_text("utf-8"), re.S
    )
}
FOR_READERS = [
    name for caption, names in TREES.items() if caption != "For maintainers" for name in names
]


def text_of(name):
    return (DOCS / f"{name}.md").read_text("utf-8")


def test_there_are_few_pages_for_readers():
    assert len({"index", *FOR_READERS}) <= MOST
    assert list(TREES)[-1] == "For maintainers"


def test_every_page_is_in_one_list():
    listed = [name for names in TREES.values() for name in names]
    assert sorted(listed) == sorted({p.stem for p in DOCS.glob("*.md")} - {"index"})


@pytest.mark.parametrize("name", FOR_READERS)
def test_a_page_begins_with_what_it_is_for(name):
    title, first, *_ = (part for part in re.split(r"\n\n+", text_of(name)) if part.strip())
    assert re.fullmatch(r"# .+", title)
    assert first.startswith("For "), first


def test_the_home_page_leads_to_few_pages():
    home = text_of("index")
    assert "](page.png)" in home
    assert "pip install ." in home
    assert 20 <= len(re.findall(r"\]\([\w-]+\.md", home)) <= 40
