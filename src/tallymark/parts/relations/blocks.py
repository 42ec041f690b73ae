"""A study of metrics as blocks, for the terminal and the notebook, and the tables of its page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tallymark.core import (
    GAP,
    Block,
    Cell,
    Grid,
    Headline,
    Paragraph,
    Row,
    count,
    many,
    percent,
    words,
)
from tallymark.parts.relations import sentences
from tallymark.parts.relations.pictures import heat
from tallymark.parts.relations.relations import COEFFICIENTS, Relations, lower_is_better
from tallymark.parts.relations.sentences import r

if TYPE_CHECKING:
    from tallymark.parts.relations.study import Study

FIRST = 7
"""Metrics that the terminal lists, besides composites."""

MOST_METRICS = 24
"""Most metrics for which the card of a study has a matrix."""


def study(s: Study) -> Iterator[Block]:
    """Yield the matrix of correlations, the groups, the units, and omitted values."""
    relations = s.relations()
    groups = many(len(relations.groups), "group")
    yield Headline(f"{sentences.about(s)}; {groups} of metrics")
    yield Paragraph(s.source, "title")
    yield Paragraph(sentences.about(s))
    yield GAP
    yield Paragraph("Pearson below the diagonal, Spearman above:")
    yield matrix(relations)
    yield GAP
    yield Paragraph(sentences.verdict(relations))
    yield Paragraph(f"({relations._clustering.rule}; {relations.interval})")
    yield Paragraph(sentences.stability(relations))
    yield GAP
    if len(s.against) > 2:
        yield Paragraph(sentences.one_number(s))
        yield representatives(s, FIRST)
        yield GAP
    lines = [
        *(sentences.units(s) if len(s._every()) > 1 else []),
        sentences.between(s),
        *sentences.splits(s),
        *sentences.distances(s),
    ]
    for line in (*lines, *sentences.left_out(relations)):
        yield Paragraph(line)
    for unit, why in s._lacking().items():
        yield Paragraph(f"not by {sentences.UNIT_TITLES[unit]}: {why}")


def study_card(s: Study) -> Iterator[Block]:
    """Yield the groups of redundant metrics, with their correlations."""
    relations = s.relations()
    yield Paragraph(s.source, "title")
    yield Paragraph(sentences.about(s), "dim")
    yield Paragraph(sentences.verdict(relations))
    if len(relations.metrics) <= MOST_METRICS:
        yield heat(relations, relations, "Mean correlations")


# -- tables ------------------------------------------------------------------------------------

ONE_NUMBER = (
    "Spearman correlation with each metric to represent: the smallest, and the mean, each with a "
    "bootstrap interval over data sets. The components of a composite can only make "
    "its smallest correlation smaller, so they are included there; its mean leaves them out, "
    "because it correlates with them by identity."
)


def _component(metric: str) -> str:
    return f"1 − {words.title(metric)}" if lower_is_better(metric) else words.title(metric)


def representatives(s: Study, most: int | None = None) -> Grid:
    """Return how well each candidate represents the metrics; all, or not more than ``most``."""
    rows: list[Row] = []
    for place, row in enumerate(s.representatives()):
        if math.isnan(row["smallest"]) or (most and place >= most and not row["components"]):
            continue
        of = f"mean of {', '.join(map(_component, row['components']))}" if row["components"] else ""
        cells = (
            Cell(r(row[name]), sentences.bounds_of(row, name)) for name in ("smallest", "mean")
        )
        where = Cell(words.title(row["smallest_with"]), style="dim")
        rows.append((Cell(words.title(row["name"]), of), *cells, where))
    heads = ("Metric or composite", "Smallest", "Mean", "Smallest with")
    return Grid(heads, rows, ONE_NUMBER, optional=(2, 3))


def matrix(relations: Relations) -> Grid:
    """Return both coefficients as one matrix, whose columns have the numbers of its rows."""
    places = range(len(relations.metrics))
    rows = [
        (f"{i + 1}", name, *("" if i == j else r(v) for j, v in enumerate(row)))
        for i, (name, row) in enumerate(
            zip(relations.metrics, sentences.both(relations, places), strict=True)
        )
    ]
    return Grid(("", "", *(f"{j + 1}" for j in places)), rows, left=(0, 1))


MEANS = ("Pearson inside groups", "across", "Spearman inside groups", "across")


def group_table(s: Study) -> Grid:
    """Return each group with its mean correlations, Pearson and Spearman, to every group."""
    relations = s.relations()
    groups = relations.groups

    def cell(a: Sequence[str], b: Sequence[str]) -> str:
        pairs = ([a], True) if a == b else ([a, b], False)
        means = [sentences.mean(sentences.values(relations, *pairs, c)) for c in COEFFICIENTS]
        return "–" if math.isnan(means[0]) else " / ".join(map(r, means))

    rows = [
        (f"{i}: {', '.join(map(words.title, a))}", *(cell(a, b) for b in groups))
        for i, a in enumerate(groups, 1)
    ]
    caption = (
        "Mean correlation of pairs, Pearson / Spearman, inside a group (where row and column are "
        "the same) and across."
    )
    return Grid(("Group", *(f"to {i}" for i in range(1, len(groups) + 1))), rows, caption)


def unit_table(s: Study) -> Grid:
    """Return the units of analysis side by side, by the groups of the one asked for."""
    rows = []
    for u, relations in s._every().items():
        constant = f"{int(relations._constant_cells.diagonal().max(initial=0)):,}"
        unit = Cell(
            sentences.UNIT_TITLES[u], "used for the rest of this page" if u == s.unit else ""
        )
        last = f"{constant} of {len(relations.cells):,}"
        rows.append((unit, sum(relations.results), relations, last))
    how = ", by unit of analysis"
    return _means_table(s, ("One result is", "Results", *MEANS, "Constant at most"), rows, how)


def split_table(s: Study) -> Grid:
    """Return the mean correlations on parts of the data sets, by the groups of all."""
    rows = []
    for name, relations in s.splits().items():
        members = f"{sentences.part(s, name)}: {', '.join(relations.datasets)}"
        rows.append((Cell(name.capitalize(), members), len(relations.datasets), relations))
    return _means_table(s, ("Part", "Data sets", *MEANS), rows)


def _means_table(
    s: Study, heads: Sequence[str], rows: Sequence[tuple[Any, ...]], how: str = ""
) -> Grid:
    """Return a table of names, numbers and mean correlations; ``rows`` may have more cells."""
    groups = s.relations().groups
    cells = [
        (name, f"{n:,}", *sentences.means_of(of, groups), *rest) for name, n, of, *rest in rows
    ]
    return Grid(heads, cells, f"Mean correlation of pairs inside and across the groups above{how}.")


def every_pair(relations: Relations) -> Grid:
    """Return the mean correlation of every pair of metrics with its interval."""
    rows: list[Row] = []
    for p in relations.pairs():
        cells = (Cell(r(p[name]), sentences.bounds_of(p, name)) for name in COEFFICIENTS)
        group = {True: "same", False: "another", None: "–"}[p["same_group"]]
        facts = (Cell(t, style="dim") for t in (group, count(p["averaged"]), count(p["constant"])))
        rows.append((f"{words.title(p['a'])}, {words.title(p['b'])}", *cells, *facts))
    caption = (
        f"Mean correlation, its {percent(relations.level, 0)} interval below it, and over how many "
        "pairs of data set and algorithm."
    )
    heads = ("Metrics", "Pearson", "Spearman", "Group", "Averaged over", "Constant")
    return Grid(heads, rows, caption)


def data_sets(s: Study) -> Grid:
    """Return each data set with its rows and the share of its smaller class."""

    def cell(x: float, how: Callable[[float], str]) -> str:
        return "unknown" if math.isnan(x) else how(x)

    of = s.results
    facts = zip(of.datasets, of.rows, of.minority, strict=True)
    rows = [(name, cell(n, count), cell(share, percent)) for name, n, share in facts]
    return Grid(("Data set", "Rows", "Smaller class"), rows, "Data sets")
