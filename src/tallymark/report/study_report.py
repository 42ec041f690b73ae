"""A study of metrics: in words, as tables, and as a page with heat maps and a dendrogram."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.reading.result_table import Unit
from tallymark.report import blocks, svg
from tallymark.report.blocks import GAP, Block, Cell, Grid, Headline, Paragraph, Row, paragraphs
from tallymark.report.drawing import Axis, Drawing, Guide
from tallymark.report.words import count, cut_off, many, percent, text, title
from tallymark.studies.relations import (
    COEFFICIENTS,
    REDRAWN,
    Clustering,
    Relations,
    lower_is_better,
)
from tallymark.studies.study import Study
from tallymark.tally.arrays import Floats

UNIT_TITLES = {
    "repeat": "means over a repeat's folds",
    "pooled": "pooled predictions of a repeat",
    "fold": "single folds",
}

PART_WORDS = {
    "large": "data sets of {large:,} rows or more",
    "small": "data sets below {large:,} rows",
    "balanced": "smaller class {balanced} or more",
    "imbalanced": "smaller class below {balanced}",
}

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

ONE_NUMBER = (
    "Spearman correlation with each metric to represent: the smallest, and the mean, each with a "
    "bootstrap interval over data sets. The components of a composite can only make "
    "its smallest correlation smaller, so they are included there; its mean leaves them out, "
    "because it correlates with them by identity."
)

FIRST = 7
"""Metrics that the terminal lists; composites come beside them."""

STYLE = """\
.leaf{fill:var(--ink)!important}
.join{fill:none;stroke:currentColor;stroke-width:2}.between{color:var(--faint)}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19.5rem),1fr));
gap:1.2rem 2rem;align-items:start}.pictures>*{min-width:0}.chart.tree{max-width:34rem}
.key svg{width:1rem;height:.7rem}"""

DEEPEST = 45
"""Per cent of colour at a correlation of 1: what leaves the number on it readable."""

SOURCES = ("liu2014", "caruana2004")

_ROW, _LEAF, _TREE, _PAD = 24, 168, 172, 30


def r(value: float) -> str:
    """Return a correlation for reading: two digits, a dash where there is none.

    >>> r(0.123), r(-0.001), r(1.0), r(float("nan"))
    ('.12', '.00', '1.0', '–')
    """
    if math.isnan(value):
        return "–"
    size = f"{abs(value):.2f}"
    sign = "-" if value < 0 and size != "0.00" else ""
    return sign + ("1.0" if size == "1.00" else size[1:])


def about(s: Study) -> str:
    """Return what was correlated."""
    found = s.relations()
    return (
        f"{many(sum(found.results), 'result')} of {many(len(found.metrics), 'metric')}: "
        f"{many(len(found.datasets), 'data set')}, {many(len(found.algorithms), 'algorithm')}; "
        f"{found.definition}"
    )


def verdict(found: Relations) -> str:
    """Return which groups were found, and how high correlations are inside and across them."""
    c = found.clustering
    if not c.groups:
        return "No two metrics have a correlation."
    groups = f"{many(len(c.groups), 'group')} of metrics: {_listed(c.groups)}."
    inside, across = c.inside["pearson"], c.across["pearson"]
    if inside.pairs and across.pairs:
        groups += (
            f" Mean correlation {r(inside.mean)} inside the groups (from {r(inside.low)}) and "
            f"{r(across.mean)} across them (up to {r(across.high)})."
        )
    return groups


def left_out(found: Relations) -> list[str]:
    """Return what is not in the averages: constant metrics, undefined values, too few results."""
    out = ["No metric was constant for any algorithm on any data set."]
    times = found.constant_cells.diagonal()
    if times.max(initial=0) > 0:
        which = [
            f"{title(m)} in {n} of {len(found.cells)}"
            for m, n in zip(found.metrics, times, strict=True)
            if n
        ]
        skip = found.constant == "skip"
        out = [
            "A metric that does not vary has no correlation; such pairs were "
            f"{'left out of the averages' if skip else 'set to 1, as Weka does'}. Constant: "
            f"{', '.join(which)} pairs of data set and algorithm."
        ]
    for n, noun, done in (
        (found.undefined, "value", "of a metric {was} undefined and left out"),
        (found.incomplete, "repeat", "with fewer folds than the others {was} left out"),
        (
            found.too_few,
            "pair",
            "of data set and algorithm {has} fewer than three results and no correlation",
        ),
    ):
        if n:
            was, has = ("was", "has") if n == 1 else ("were", "have")
            out.append(f"{many(n, noun)} {done.format(was=was, has=has)}.")
    return out


def units(s: Study) -> list[str]:
    """Return in measured numbers what the unit of analysis does."""
    every = s.every()
    out = []
    base: Unit | None = next((u for u in ("repeat", "pooled") if u in every), None)
    if base and "fold" in every:
        groups = every[base].groups
        here, there = (mean(values(every[u], groups, False)) for u in (base, "fold"))
        if not math.isnan(here) and not math.isnan(there):
            gap = there - here
            change = "higher" if gap > 0.005 else "lower" if gap < -0.005 else "no other"
            out.append(
                f"By {UNIT_TITLES[base]}, metrics of different groups correlate {r(here)} on "
                f"average; by single folds the same pairs correlate {r(there)}, {change}."
            )
    return out + [
        f"By {UNIT_TITLES[unit]}: {many(len(found.groups), 'group')}, {_listed(found.groups)}."
        for unit, found in every.items()
        if found.groups
    ]


def _listed(groups: Sequence[Sequence[str]]) -> str:
    return "; ".join(", ".join(map(title, g)) for g in groups)


def advice(s: Study) -> str:
    """Return what the numbers mean for the paper's advice: one metric of each group."""
    found = s.relations()
    c = found.clustering
    if not c.groups or not c.across or not c.across["pearson"].pairs:
        return (
            "The advice to look at one metric of each group needs two groups or more; here there "
            "are none to choose from."
        )
    across = c.across["pearson"]
    message = (
        "Liu et al. recommend several metrics, at least one of each group, because those of one "
        "group repeat each other. By the unit used here, the most similar metrics across groups "
        f"correlate {r(across.high)} and the least similar {r(across.low)}"
    )
    every = s.every()
    if "fold" in every and s.unit != "fold":
        fold = values(every["fold"], found.groups, False)
        message += (
            f"; by single folds the same pairs correlate {r(min(fold, default=math.nan))} to "
            f"{r(max(fold, default=math.nan))}. If folds count as results, metrics agree because "
            "they share a test fold, and one metric may seem enough; the advice is based on "
            "results that each cover every row"
        )
    return message + "."


def between(s: Study) -> str:
    """Return whether metrics rank algorithms alike, or why that is not known."""
    try:
        found = s.between()
    except InputError as error:
        return f"Whether metrics would choose the same algorithm is not known: {error}."
    here = s.relations()
    inside, across, *_ = means_of(found, here.groups)
    message = "Over the means of the algorithms of each data set"
    if not values(found, here.groups, False):
        return f"{message}, there are no two groups to compare."
    return (
        f"{message}, on which a choice among algorithms is based, metrics of one group correlate "
        f"{inside} and metrics of two groups {across} (within an algorithm "
        f"{means_of(here, here.groups)[1]}; mean Pearson, "
        f"{many(len(here.algorithms), 'algorithm')})."
    )


def stability(found: Relations) -> str:
    """Return how often other data sets like these would show the same groups."""
    share = found.stability()
    if math.isnan(share):
        return ""
    return (
        f"Resampling the data sets with replacement gives the same groups "
        f"{percent(share, 0)} of the time."
    )


def silhouettes(found: Relations) -> str:
    """Return how clear the number of groups is."""
    scores = found.clustering.silhouettes
    if not scores or found.cut is not None:
        return ""
    message = ", ".join(f"{k} groups {r(v)}" for k, v in scores.items())
    return f"Mean silhouettes, of which the largest is taken: {message}."


def splits(s: Study) -> list[str]:
    """Return how parts of the data sets differ, by the groups of all."""
    out = []
    for name, found in s.splits().items():
        inside, across, *_ = means_of(found, s.relations().groups)
        of = many(len(found.datasets), "data set")
        lead = f"{name.capitalize()} ({of}, {part(s, name)})"
        out.append(f"{lead}: {inside} inside these groups, {across} across.")
    return out


def distances(s: Study) -> list[str]:
    """Return how far each unit lies from the printed table, where it can be compared."""
    return [
        f"By {UNIT_TITLES[u]}, the averages lie {d:.3f} (mean absolute difference) from Table 5 of "
        "Liu et al. (2014)."
        for u, d in s.distances().items()
    ]


def part(s: Study, name: str) -> str:
    """Return which data sets a part holds."""
    return PART_WORDS[name].format(large=s.large, balanced=percent(s.balanced, 0))


def one_number(s: Study) -> str:
    """Return which metric and which composite represent all metrics best."""
    rows = [row for row in s.representatives() if not math.isnan(row["smallest"])]
    single = next((row for row in rows if not row["components"]), None)
    composite = next((row for row in rows if row["components"]), None)
    if single is None:
        return "No metric has a rank correlation with every other."
    message = (
        f"If one number must represent {count(len(s.against))} metrics, the best metric is "
        f"{title(single['name'])}: its smallest rank correlation with another is "
        f"{_smallest(single)}"
    )
    if composite is not None:
        message += f". The best composite is {title(composite['name'])}: {_smallest(composite)}"
    return message + "."


def one_choice(s: Study) -> str:
    """Return which candidate comes nearest to every metric's order of the algorithms."""
    try:
        best = s.representatives("algorithm")[0]
    except InputError:
        return ""
    if math.isnan(best["smallest"]):
        return ""
    return (
        "Over the means of the algorithms of each data set, on which a choice among algorithms is "
        f"based, the best is {title(best['name'])}: its smallest rank correlation is "
        f"{_smallest(best)}."
    )


def _smallest(row: Mapping[str, Any]) -> str:
    bounds = _bounds(row, "smallest")
    interval = f" (bootstrap interval {bounds})" if bounds else ""
    return f"{r(row['smallest'])}{interval}, with {title(row['smallest_with'])}"


def _component(metric: str) -> str:
    return f"1 − {title(metric)}" if lower_is_better(metric) else title(metric)


def _bounds(row: Mapping[str, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if math.isnan(low) else f"{r(low)} to {r(high)}"


def representatives(s: Study, most: int | None = None) -> Grid:
    """Return how well each candidate represents the metrics; all, or not more than ``most``."""
    rows: list[Row] = []
    for place, row in enumerate(s.representatives()):
        if math.isnan(row["smallest"]) or (most and place >= most and not row["components"]):
            continue
        of = f"mean of {', '.join(map(_component, row['components']))}" if row["components"] else ""
        cells = (Cell(r(row[name]), _bounds(row, name)) for name in ("smallest", "mean"))
        where = Cell(title(row["smallest_with"]), style="dim")
        rows.append((Cell(title(row["name"]), of), *cells, where))
    heads = ("Metric or composite", "Smallest", "Mean", "Smallest with")
    return Grid(heads, rows, ONE_NUMBER, optional=(2, 3))


def study(s: Study) -> Iterator[Block]:
    """Yield the matrix of correlations, the groups, the units, and what was left out."""
    found = s.relations()
    groups = many(len(found.groups), "group")
    yield Headline(f"{about(s)}; {groups} of metrics")
    yield Paragraph(s.source, "title")
    yield Paragraph(about(s))
    yield GAP
    yield Paragraph("Pearson below the diagonal, Spearman above:")
    yield matrix(found)
    yield GAP
    yield Paragraph(verdict(found))
    yield Paragraph(f"({found.clustering.rule}; {found.interval})")
    yield Paragraph(stability(found))
    yield GAP
    if len(s.against) > 2:
        yield Paragraph(one_number(s))
        yield representatives(s, FIRST)
        yield GAP
    lines = [*(units(s) if len(s.every()) > 1 else []), between(s), *splits(s), *distances(s)]
    for line in (*lines, *left_out(found)):
        yield Paragraph(line)
    for unit, why in s.lacking().items():
        yield Paragraph(f"not by {UNIT_TITLES[unit]}: {why}")


def values(
    found: Relations, groups: Sequence[Sequence[str]], same: bool, coefficient: str = "pearson"
) -> list[float]:
    """Return the correlations of pairs inside groups, of these results or others, or across."""
    of, matrix = _groups(groups), getattr(found, coefficient)
    pairs = [
        float(matrix[i, j])
        for (i, a), (j, b) in combinations(enumerate(found.metrics), 2)
        if a in of and b in of and (of[a] == of[b]) == same
    ]
    return [v for v in pairs if not math.isnan(v)]


def _groups(groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the number of each metric's group."""
    return {m: i for i, g in enumerate(groups) for m in g}


def mean(correlations: Sequence[float]) -> float:
    """Return the mean, NaN of none."""
    return sum(correlations) / len(correlations) if correlations else math.nan


def both(found: Relations, order: Sequence[int]) -> Floats:
    """Return Pearson's coefficients below the diagonal and Spearman's above it."""
    places = np.ix_(order, order)
    return np.tril(found.pearson[places]) + np.triu(found.spearman[places], 1)


def matrix(found: Relations) -> Grid:
    """Return both coefficients as one matrix, whose columns have the numbers of its rows."""
    places = range(len(found.metrics))
    rows = [
        (f"{i + 1}", name, *("" if i == j else r(v) for j, v in enumerate(row)))
        for i, (name, row) in enumerate(zip(found.metrics, both(found, places), strict=True))
    ]
    return Grid(("", "", *(f"{j + 1}" for j in places)), rows, left=(0, 1))


def means_of(found: Relations, groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the mean correlations, Pearson then Spearman, each inside groups and across."""
    return tuple(
        r(mean(values(found, groups, same, name)))
        for name in COEFFICIENTS
        for same in (True, False)
    )


MEANS = ("Pearson inside groups", "across", "Spearman inside groups", "across")


def group_table(s: Study) -> Grid:
    """Return each group with its mean correlations, Pearson and Spearman, to every group."""
    c = s.relations().clustering
    means = {}
    for a, b, pearson, spearman in c.between:
        means[a, b] = means[b, a] = f"{r(pearson)} / {r(spearman)}"
    places = range(len(c.groups))
    rows = [
        (f"{i + 1}: {', '.join(map(title, g))}", *(means.get((i, j), "–") for j in places))
        for i, g in enumerate(c.groups)
    ]
    caption = (
        "Mean correlation of pairs, Pearson / Spearman, inside a group (where row and column are "
        "the same) and across."
    )
    return Grid(("Group", *(f"to {j + 1}" for j in places)), rows, caption)


def unit_table(s: Study) -> Grid:
    """Return the units of analysis side by side, by the groups of the one asked for."""
    rows = []
    for u, found in s.every().items():
        constant = f"{int(found.constant_cells.diagonal().max(initial=0)):,}"
        unit = Cell(UNIT_TITLES[u], "used for the rest of this page" if u == s.unit else "")
        last = f"{constant} of {len(found.cells):,}"
        rows.append((unit, sum(found.results), found, last))
    how = ", by unit of analysis"
    return _means_table(s, ("One result is", "Results", *MEANS, "Constant at most"), rows, how)


def split_table(s: Study) -> Grid:
    """Return how parts of the data sets differ, by the groups of all."""
    rows = []
    for name, found in s.splits().items():
        held = f"{part(s, name)}: {', '.join(found.datasets)}"
        rows.append((Cell(name.capitalize(), held), len(found.datasets), found))
    return _means_table(s, ("Part", "Data sets", *MEANS), rows)


def _means_table(
    s: Study, heads: Sequence[str], rows: Sequence[tuple[Any, ...]], how: str = ""
) -> Grid:
    """Return rows of a name, a number, the mean correlations of relations, and what is left."""
    groups = s.relations().groups
    cells = [(name, f"{n:,}", *means_of(of, groups), *rest) for name, n, of, *rest in rows]
    return Grid(heads, cells, f"Mean correlation of pairs inside and across the groups above{how}.")


def every_pair(found: Relations) -> Grid:
    """Return the mean correlation of every pair of metrics with its interval."""
    rows: list[Row] = []
    for p in found.pairs():
        cells = []
        for name in COEFFICIENTS:
            low, high = p[f"{name}_low"], p[f"{name}_high"]
            cells.append(Cell(r(p[name]), "" if math.isnan(low) else f"{r(low)} to {r(high)}"))
        group = {True: "same", False: "another", None: "–"}[p["same_group"]]
        facts = (Cell(t, style="dim") for t in (group, count(p["averaged"]), count(p["constant"])))
        rows.append((f"{title(p['a'])}, {title(p['b'])}", *cells, *facts))
    caption = (
        f"Mean correlation, its {percent(found.level, 0)} interval below it, and over how many "
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


# -- the page ----------------------------------------------------------------------------------


def render(s: Study) -> str:
    """Return the page as HTML text."""
    found, every = s.relations(), s.every()
    c = found.clustering
    titles = {u: UNIT_TITLES[u].capitalize() for u in every}
    tree = blocks.figure(
        dendrogram(c),
        "Average linkage on 1 − the mean of both coefficients; the dashed line cuts the groups: "
        f"{c.rule}.",
        "Joined by correlation",
    )
    several = every if len(every) > 1 else {}
    heats = [heat(v, found, titles[u]) for u, v in several.items()]
    scatters = [dots(v, u, found, titles[u]) for u, v in several.items()]
    parts = [heat(v, found, n.capitalize()) for n, v in s.splits().items()]
    pictures = [tree, dots(found, "main", found, "Pearson against Spearman")]
    groups = [Paragraph("The groups", "title"), group_table(s)] if c.groups else []
    apart = distances(s)
    paper = [Paragraph("Compared with the paper", "title"), *paragraphs(apart)] if apart else []
    every_interval = f"The last table holds the interval of every pair ({found.interval})."
    sections = [
        (
            "heat",
            "Which metrics are redundant",
            [
                heat(found, found, "Mean correlations"),
                Paragraph(every_interval, "dim"),
                blocks.side_by_side(pictures, "pictures"),
                *groups,
                *paragraphs([silhouettes(found), stability(found), *left_out(found)], "dim"),
            ],
        ),
        (
            "units",
            "What one result is, and why it matters",
            [
                *paragraphs([WHY_UNITS, *units(s)]),
                unit_table(s),
                *paragraphs(
                    (f"Not by {UNIT_TITLES[u]}: {w}." for u, w in s.lacking().items()), "dim"
                ),
                blocks.side_by_side(heats, "matrices"),
                blocks.side_by_side(scatters, "charts"),
                Paragraph("What it means for the choice of metrics", "title"),
                Paragraph(advice(s)),
                Paragraph("Would they choose the same algorithm?", "title"),
                Paragraph(f"{WHAT_IT_IS_NOT} {between(s)}"),
                _algorithms(s),
                *paper,
            ],
        ),
        (
            "one",
            "Is one number enough?",
            [
                Paragraph(one_number(s)),
                *paragraphs([one_choice(s)]),
                representatives(s),
            ]
            if len(s.against) > 2
            else [],
        ),
        (
            "splits",
            "Large and small, balanced and imbalanced data sets",
            [
                split_table(s),
                blocks.side_by_side(parts, "matrices"),
            ]
            if parts
            else [],
        ),
        (
            "pairs",
            "Every pair",
            [
                every_pair(found),
                blocks.hidden("The data sets", blocks.table_html(data_sets(s))),
            ],
        ),
    ]
    return blocks.filled(
        "document.html.j2",
        kicker="Relations among metrics",
        source=text(s.source),
        verdict=verdict(found),
        about=about(s),
        notes=(),
        more_style=STYLE,
        sections=[section for section in sections if section[-1]],
        definitions=[
            f"{found.definition}.",
            "Spearman's coefficient is Pearson's of the ranks; tied values share their mean rank.",
            f"Intervals: {found.interval}.",
            f"Groups: average linkage on 1 − the mean of both coefficients, {c.rule}.",
            f"Intervals of the smallest and the mean correlation: {percent(found.level, 0)} basic "
            f"bootstrap over data sets, {count(REDRAWN)} resamples, widened to Student's t.",
        ],
        sources=SOURCES,
    )


def heat(found: Relations, base: Relations, name: str) -> str:
    """Return a heat map of both coefficients, in the order of ``base``."""
    order = [found.metrics.index(m) for m in (*base.clustering.order, *base.clustering.left_out)]
    names = [title(found.metrics[i]) for i in order]
    rows: list[Row] = []
    for a, values in enumerate(both(found, order)):
        cells = [
            Cell("", style="itself")
            if a == b
            else Cell(r(v))
            if math.isnan(v)
            else Cell(r(v), style="up" if v >= 0 else "down", shade=round(DEEPEST * abs(v)))
            for b, v in enumerate(values)
        ]
        rows.append((names[a], *cells))
    how = "Pearson below the diagonal, Spearman above; the stronger the colour, the further from 0."
    return blocks.table_html(Grid(("", *names), rows, how, title=name), "matrix wide heat")


def dots(found: Relations, key: str, base: Relations, name: str) -> str:
    """Return the scatter of both coefficients with its legend."""
    meanings = ("pairs of one group", "pairs across groups")
    items = (f"<li>{svg.symbol('first', i)}{what}</li>" for i, what in enumerate(meanings))
    legend = f'<ul class="legend key">{"".join(items)}</ul>'
    return blocks.figure(scatter(found, key, base), title=name, legend=legend)


def _algorithms(s: Study) -> str:
    try:
        return heat(s.between(), s.relations(), "Over the algorithms of a data set")
    except InputError:
        return ""


# -- pictures ----------------------------------------------------------------------------------


def scatter(found: Relations, key: str, base: Relations) -> str:
    """Return the scatter of every pair of metrics: Pearson across, Spearman upward."""
    pairs = [p for p in found.pairs() if not math.isnan(p["pearson"] + p["spearman"])]
    low = math.floor(10 * min([0.0, *(min(p["pearson"], p["spearman"]) for p in pairs)])) / 10
    of = _groups(base.groups)
    drawn = Drawing(
        Axis("Pearson", low),
        Axis("Spearman", low),
        guides=[Guide((low, 1.0), (low, 1.0), "chance")],
        dots=[(p["pearson"], p["spearman"], int(of.get(p["a"]) != of.get(p["b"]))) for p in pairs],
    )
    return svg.lines(
        "relations",
        "Pearson and Spearman correlation of every pair of metrics",
        f"{len(pairs)} pairs; pairs of one group and pairs across groups differ in colour. The "
        "table of every pair holds the numbers.",
        drawn,
        key=key,
    )


def dendrogram(c: Clustering) -> str:
    """Return the tree of merges: metrics on the left, joined at their mean correlation."""
    if not c.merges:
        return ""
    foot, middle = len(c.order) * _ROW + 8, _LEAF + (_TREE - 14) / 2
    x = svg.Scale(0.0, max(*(m.height for m in c.merges), 0.1), _LEAF, _LEAF + _TREE - 14)
    group, ticks = _groups(c.groups), x.ticks(4)
    size, look = (_LEAF + _TREE, foot + _PAD + 6), 'class="chart tree"'
    grid = "".join(f"M{svg.px(x(t))} 4V{foot}" for t in ticks)
    out = [svg.head("Which metrics are redundant", _joined(c), size, look)]
    out.append(f'<path class="grid" d="{grid}"/><g class="ticks">')
    out += [svg.label(x(t), foot + 14, f"{round(1 - t, 9) + 0:g}") for t in ticks]
    out.append("</g>")
    place: dict[tuple[str, ...], tuple[float, float]] = {}
    for i, leaf in enumerate(c.order):
        y = _ROW * (i + 0.5) + 4
        place[(leaf,)] = float(x(0.0)), y
        out.append(svg.label(_LEAF - 6, y + 4, cut_off(title(leaf), 24), "end", "leaf"))
    for m in c.merges:
        (left, y1), (right, y2) = place[m.left], place[m.right]
        at = float(x(m.height))
        joined = {group[v] for v in (*m.left, *m.right)}
        css = f"s{joined.pop() % svg.SERIES}" if len(joined) == 1 else "between"
        join = svg.stroke([(left, y1), (at, y1), (at, y2), (right, y2)], 'class="join"')
        out.append(f'<g class="{css}">{join}</g>')
        place[(*m.left, *m.right)] = at, (y1 + y2) / 2
    cut = _cut(c)
    if cut is not None:
        out.append(svg.stroke([(x(cut), 4), (x(cut), foot)], 'class="chance"'))
    return "".join([*out, svg.label(middle, foot + 30, "mean correlation", css="axis"), "</svg>"])


def _cut(c: Clustering) -> float | None:
    """Return the height of the line that the groups lie below."""
    heights = sorted(m.height for m in c.merges)
    if c.cut is not None:
        return 1 - c.cut if 1 - c.cut <= heights[-1] else None
    below = len(c.order) - len(c.groups)
    if not 0 < below < len(heights):
        return None
    return (heights[below - 1] + heights[below]) / 2


def _joined(c: Clustering) -> str:
    return "; ".join(
        f"{', '.join(title(v) for v in m.left)} with "
        f"{', '.join(title(v) for v in m.right)} at {r(1 - m.height)}"
        for m in c.merges
    )
