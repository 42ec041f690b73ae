"""The page of a study of metrics, with heat maps and a dendrogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark import InputError
from tallymark.core import (
    Block,
    Chart,
    Folded,
    Group,
    Paragraph,
    count,
    filled,
    paragraphs,
    percent,
    words,
)
from tallymark.parts.relations import blocks, sentences
from tallymark.parts.relations.pictures import heat, pairs_charts, scatter, tree
from tallymark.parts.relations.relations import COEFFICIENTS, Relations
from tallymark.parts.relations.representatives import REDRAWN

if TYPE_CHECKING:
    from tallymark.parts.relations.study import Study

WHY_UNITS = (
    "What counts as one result decides what a correlation means. Single folds are judged on "
    "different rows: an easy fold raises every metric at once, so all metrics correlate for that "
    "reason alone. Over the folds of one repeat every row is judged exactly once, so easy and hard "
    "folds cancel; what remains is how the metrics respond to other training rows. Pooled "
    "predictions are judged once over all rows, so metrics of scores also compare scores of models "
    "trained on different folds."
)

WHAT_IT_IS_NOT = (
    "Every correlation so far is within one algorithm on one data set: it shows whether two "
    "metrics respond to the same changes of training and test rows. It does not show whether "
    "they would choose the same algorithm."
)

STYLE = """\
.leaf{fill:var(--ink)!important}
.join{fill:none;stroke:currentColor;stroke-width:2}.between{color:var(--faint)}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19.5rem),1fr));
gap:1.2rem 2rem;align-items:start}.pictures>*{min-width:0}.chart.tree{max-width:34rem}
.marks svg{width:1rem;height:.7rem}"""

SOURCES = ("liu2014", "caruana2004")


def study_page(s: Study) -> str:
    """Return the page as HTML text."""
    relations = s.relations()
    sections = [
        ("heat", "Which metrics are redundant", _groups(s)),
        ("units", "What one result is, and why it matters", _units(s)),
        ("one", "Is one number enough?", _one_number(s)),
        ("splits", "Large and small, balanced and imbalanced data sets", _splits(s)),
        ("pairs", "Every pair", _pairs(s)),
    ]
    return filled(
        "document.html.j2",
        kicker="Relations among metrics",
        source=words.text(s.source),
        finding=sentences.finding(relations),
        verdict=sentences.distance(relations),
        first=_first(s),
        about=sentences.about(s),
        notes=(),
        more_style=STYLE,
        sections=[section for section in sections if section[-1]],
        definitions=[
            f"{relations.definition}.",
            "Spearman's coefficient is Pearson's of the ranks; tied values share their mean rank.",
            f"Intervals: {relations.interval}.",
            f"Groups: average linkage on 1 − the mean of both coefficients, "
            f"{relations._clustering.rule}.",
            f"Intervals of the smallest and the mean correlation: {percent(relations.level, 0)} "
            f"basic bootstrap over data sets, {count(REDRAWN)} resamples, widened to Student's t.",
        ],
        sources=SOURCES,
    )


def _first(s: Study) -> list[list[Block]]:
    """Return the groups, and the tree that joins them; nothing without groups."""
    relations = s.relations()
    if not relations.groups:
        return []
    return [
        [Paragraph("The groups", "title"), blocks.group_table(s)],
        [*tree(relations._clustering)],
    ]


def _groups(s: Study) -> list[Block]:
    """Return the correlations, and what they rest on."""
    relations = s.relations()
    dots = scatter(relations, "main", relations, "Pearson against Spearman")
    return [
        Paragraph(sentences.verdict(relations)),
        heat(relations, relations, "Mean correlations"),
        Paragraph(
            f"The last table holds the interval of every pair ({relations.interval}).", "dim"
        ),
        Group([dots], "pictures"),
        Group(_pairs_by_coefficient(relations), "matrices"),
        *paragraphs(
            [
                sentences.silhouettes(relations),
                sentences.stability(relations),
                *sentences.left_out(relations),
            ],
            "dim",
        ),
    ]


def _units(s: Study) -> list[Block]:
    """Return what the unit of analysis changes, and what that means for a choice of metrics."""
    relations, every = s.relations(), s._every()
    several = {
        u: (v, sentences.UNIT_TITLES[u].capitalize()) for u, v in every.items() if len(every) > 1
    }
    apart = sentences.distances(s)
    return [
        *paragraphs([WHY_UNITS, *sentences.units(s)]),
        blocks.unit_table(s),
        *paragraphs(
            (f"Not by {sentences.UNIT_TITLES[u]}: {w}." for u, w in s._lacking().items()), "dim"
        ),
        Group([heat(v, relations, title) for v, title in several.values()], "matrices"),
        Group([scatter(v, u, relations, title) for u, (v, title) in several.items()], "charts"),
        Paragraph("What it means for the choice of metrics", "title"),
        Paragraph(sentences.advice(s)),
        Paragraph("Would they choose the same algorithm?", "title"),
        Paragraph(f"{WHAT_IT_IS_NOT} {sentences.between(s)}"),
        *_algorithms(s),
        *paragraphs(["Compared with the paper"] if apart else [], "title"),
        *paragraphs(apart),
    ]


def _algorithms(s: Study) -> list[Block]:
    """Return the correlations over algorithms, nothing where there are too few."""
    try:
        return [heat(s.between(), s.relations(), "Over the algorithms of a data set")]
    except InputError:
        return []


def _one_number(s: Study) -> list[Block]:
    """Return how well one number represents all metrics, where there are three or more."""
    if len(s.against) < 3:
        return []
    return [
        *paragraphs([sentences.one_number(s), sentences.one_choice(s)]),
        blocks.representatives(s),
    ]


def _splits(s: Study) -> list[Block]:
    """Return the correlations over parts of the data sets."""
    relations, splits = s.relations(), s.splits()
    parts = [heat(v, relations, name.capitalize()) for name, v in splits.items()]
    if not parts:
        return []
    charts: list[Block] = []
    for names in (("large", "small"), ("balanced", "imbalanced")):
        some = [(name, splits[name], "pearson") for name in names if name in splits]
        if len(some) == len(names):
            every = ("all data sets", relations, "pearson")
            charts += pairs_charts([every, *some], relations, " and ".join(names).capitalize())
    shown = "Pearson's coefficient is drawn; the heat maps have Spearman's as well."
    return [
        blocks.split_table(s),
        Group(charts, "matrices"),
        *paragraphs([shown] if charts else [], "dim"),
        Group(parts, "matrices"),
    ]


def _pairs_by_coefficient(relations: Relations) -> list[Chart]:
    both = [(name.capitalize(), relations, name) for name in COEFFICIENTS]
    return pairs_charts(both, relations, "Both coefficients")


def _pairs(s: Study) -> list[Block]:
    return [blocks.every_pair(s.relations()), Folded("The data sets", [blocks.data_sets(s)])]
