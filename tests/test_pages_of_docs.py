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


# -- the page on validation: its figures are those of the measured pages --------------------------

VALIDATION = " ".join(text_of("validation").split())


def says(sentence):
    assert sentence in VALIDATION, f"docs/validation.md does not say: {sentence}"


def cells(name, heads):
    """Return the rows of the tables of a page whose heads begin with these."""
    for table in re.findall(r"(?m)^\| .*\n\|---.*\n(?:^\|.*\n)+", text_of(name)):
        head, _, *rows = ([c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines())
        if head[: len(heads)] == heads:
            yield from (dict(zip(head, row, strict=True)) for row in rows)


def number(cell):
    return float(re.search(r"-?[\d.]+", cell)[0])


def test_intervals_and_comparisons_are_as_measured():
    coverage = " ".join(text_of("coverage").split())
    numbers, low = re.search(r"of ([\d,]+) numbers .+? and (\d+) numbers less often", coverage).groups()  # fmt: skip
    says(f"{numbers} numbers: {low} too seldom, each with a warning")
    few = re.search(r": (\d+ of [\d,]+) lay in theirs in less than 90% of samples, (\d+) of them", coverage)  # fmt: skip
    says(
        f"{few[1]} numbers were covered in less than 90 % of samples, {few[2]} of them with a warning"
    )
    levels = " ".join(text_of("levels").split())
    says(re.search(r"(\d+ of \d+) pairs of a test", levels)[1] + " at most 6 %")
    says(re.search(r"Of ([\d,]+) differences", levels)[1] + " differences")
    share = re.search(r"interval of a difference contained the true value in (\d+ %)", levels)[1]
    says(f"contained the true difference in {share} of samples")


def test_thresholds_risks_and_watches_are_as_measured():
    holds = [number(r["holds"]) for r in cells("optimism", ["scores", "rows", "positives"])]
    says(f"{min(holds)} % to {max(holds)} % of samples, over five kinds of scores")
    risks = [number(r["tallymark"]) for r in cells("refer-measured", ["population", "rows", "observed risk"])]  # fmt: skip
    says(f"in at most 10 % of samples | {min(risks)} % to {max(risks)} %")
    watches = [r for r in cells("false-alarms", ["rows a day", "rule"]) if "tm.Watch" in r["rule"]]
    alarms = [number(r["false alarms, %"]) for r in watches]
    days = [number(r["delay, days"]) for r in watches]
    says(f"gave one in {min(alarms)} % to {max(alarms)} % of years")
    says(f"within {min(days):.0f} to {max(days):.0f} days")


def test_advice_and_few_labels_are_as_measured():
    named = [number(r["named first"]) for r in cells("advice", ["data set", "the fault"])]
    false = [number(r["any alarm"]) for r in cells("advice", ["data set", "what it is"])]
    says(f"Of {len(named)} data sets with one known fault each")
    says(f"in {min(named):.0f} % to {max(named):.0f} % of draws")
    says(f"got any finding in {min(false):.0f} % to {max(false):.0f} % of draws")
    labels = " ".join(text_of("few-labels-coverage").split())
    many, thirty = re.search(r"in ([\d.]+ %) of samples \(.+?\); with 30 in ([\d.]+ %)", labels).groups()  # fmt: skip
    says(f"intervals contained the true number in {thirty} of samples")
    says(f"With 100 or more labels it was {many}")
    clt = list(cells("evals-coverage", ["questions", "mean", "Wilson"]))
    (few,) = (r for r in clt if (r["questions"], r["mean"]) == ("10", "0.95"))
    says(f"contained the true mean in {number(few['CLT'])} % of samples of ten questions")
    says(f"beta posterior in {number(few['B1'])} %")


# -- the reference ---------------------------------------------------------------------------------

RETURNED = {
    "api-evaluation": ["Curve", "OptimalThreshold", "Folds", "Advice"],
    "api-comparison": ["Comparison", "Pair", "Verdict", "Subgroups", "Heterogeneity", "Leader", "Evidence"],
    "api-more": ["Plan"],
}  # fmt: skip


@pytest.mark.parametrize("page", RETURNED)
def test_the_reference_describes_what_methods_return(page):
    described = re.findall(r"(?m)^\.\. autoclass:: tallymark\.(?:[\w.]+\.)(\w+)$", text_of(page))
    assert described == RETURNED[page]
