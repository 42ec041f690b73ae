"""What stands beside the code agrees with it: citation, versions, templates."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]


def test_the_version_and_the_licence_are_the_same_everywhere():
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {PROJECT['version']}\n" in cited
    assert f"\nlicense: {PROJECT['license']}\n" in cited
    released = re.search(r"^## \[([\d.]+)\] - ([\d-]+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert released[1] == PROJECT["version"]
    assert f"\ndate-released: {released[2]}\n" in cited
    installed = metadata("tallymark")
    assert installed["Version"] == PROJECT["version"]


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"])
def test_links_and_named_files_of_the_project_pages_exist(name):
    text = (ROOT / name).read_text("utf-8")
    linked = [t for t in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in t]
    named = re.findall(r"`((?:tests|docs|src|tools)/[\w./-]+)`", text)
    assert linked or named
    for target in (*linked, *named):
        assert (ROOT / target).exists(), target


def test_every_python_that_is_promised_is_one_that_is_asked_for():
    promised = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert promised
    least = PROJECT["requires-python"].removeprefix(">=")
    assert promised[0] == least
    assert promised == sorted(promised, key=lambda v: int(v.split(".")[1]))


def test_the_templates_of_issues_ask_for_what_is_needed():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) == 3
    for form in forms:
        text = form.read_text("utf-8")
        assert re.match(r"name: .+\ndescription: .+\n", text)
        assert "required: true" in text


def long_description(address=None):
    """Return what a package index shows: README.md after the substitutions of pyproject.toml."""
    hook = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = "".join((ROOT / f["path"]).read_text("utf-8") for f in hook["fragments"])
    rules = [(r["pattern"], r["replacement"]) for r in hook["substitutions"]]
    if address:
        rules[-1] = rules[-1][0], rf"[\1]({address}/\2)"
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    return text


def test_the_long_description_has_no_link_that_leads_nowhere_on_a_package_index():
    readme, told = (ROOT / "README.md").read_text("utf-8"), long_description()
    targets = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(targets) > 15
    for target in targets:
        assert (ROOT / target).exists(), target
    assert re.findall(r"\]\((?!https?:)|<img|!\[", told) == []
    for kept in (
        "# tallymark\n",
        "pip install .\n",
        "| two models on the same rows |",
        "How do I …",
    ):
        assert kept in told
    assert "The page: a verdict" not in told
    assert PROJECT["dynamic"] == ["readme"]
    assert "readme" in PYPROJECT["tool"]["scikit-build"]["metadata"]


def test_an_address_makes_links_of_the_long_description_again():
    told = long_description("https://example.org/tallymark/blob/main")
    links = re.findall(r"\]\(([^)]+)\)", told)
    assert "https://example.org/tallymark/blob/main/docs/recipes.md" in links
    assert all(link.startswith("https://") for link in links)
