"""A study of metrics: in words, and as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tallymark.errors import InputError
from tallymark.report.blocks import GAP, Block, Cell, Grid, Headline, Paragraph, Row
from tallymark.report.words import count, many, percent, title
from tallymark.studies.relations import COEFFICIENTS, Relations
from tallymark.studies.result_table import Unit
from tallymark.studies.study import Study

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


def r(value: float) -> str:
    """Return a correlation for reading: two digits, a dash where there is none.

    >>> r(0.123), r(-0.001), r(1.0), r(float("nan"))
    ('.12', '.00', '1.0', '–')
    """
    if math.isnan(value):
        return "–"
    message = f"{abs(value):.2f}"
    sign = "-" if value < 0 and message != "0.00" else ""
    return sign + ("1.0" if message == "1.00" else message[1:])


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
    message = "; ".join(", ".join(title(m) for m in g) for g in c.groups)
    groups = f"{many(len(c.groups), 'group')} of metrics: {message}."
    inside, across = c.inside["pearson"], c.across["pearson"]
    if inside.pairs and across.pairs:
        groups += (
            f" Mean correlation {r(inside.mean)} inside the groups (from {r(inside.low)}) and "
            f"{r(across.mean)} across them (up to {r(across.high)})."
        )
    return groups


def left_out(found: Relations) -> list[str]:
    """Return what is not in the averages: constant metrics, undefined values, too few results."""
    out = []
    constant = int(found.constant_cells.diagonal().max(initial=0))
    if constant:
        which = [
            f"{title(m)} in {n} of {len(found.cells)}"
            for m, n in zip(found.metrics, found.constant_cells.diagonal(), strict=True)
            if n
        ]
        done = (
            "left out of the averages" if found.constant == "skip" else "taken for 1, as Weka does"
        )
        out.append(
            "A metric that does not vary has no correlation; such pairs were "
            f"{done}. Constant: {', '.join(which)} pairs of data set and algorithm."
        )
    else:
        out.append("No metric was constant for any algorithm on any data set.")
    if found.undefined:
        out.append(
            f"{many(found.undefined, 'value')} of a metric {_is(found.undefined)} undefined "
            "and left out."
        )
    if found.incomplete:
        out.append(
            f"{many(found.incomplete, 'repeat')} with fewer folds than the others "
            f"{_is(found.incomplete)} left out."
        )
    if found.too_few:
        out.append(
            f"{many(found.too_few, 'pair')} of data set and algorithm {_has(found.too_few)} "
            "fewer than three results and no correlation."
        )
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
            change = (
                "higher"
                if there > here + 0.005
                else "lower"
                if there < here - 0.005
                else "no other"
            )
            out.append(
                f"By {UNIT_TITLES[base]}, metrics of different groups correlate {r(here)} on "
                f"average; by single folds the same pairs correlate {r(there)}, {change}."
            )
    for unit, found in every.items():
        if found.groups:
            out.append(
                f"By {UNIT_TITLES[unit]}: {many(len(found.groups), 'group')}, "
                + "; ".join(", ".join(title(m) for m in g) for g in found.groups)
                + "."
            )
    return out


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
        "Liu et al. advise to look at several metrics, at least one of each group, because those "
        "of one group repeat each other. By the unit taken here, the most alike metrics across "
        f"groups correlate {r(across.high)} and the least alike {r(across.low)}"
    )
    every = s.every()
    if "fold" in every and s.unit != "fold":
        fold = values(every["fold"], found.groups, False)
        message += (
            f"; by single folds the same pairs correlate {r(min(fold, default=math.nan))} to "
            f"{r(max(fold, default=math.nan))}. Whoever "
            "takes folds for results sees metrics agree because they share a test fold, and may "
            "think one metric enough; the advice rests on results that each saw every row"
        )
    return message + "."


def between(s: Study) -> str:
    """Return whether metrics rank algorithms alike, or why that is not known."""
    try:
        found = s.between()
    except InputError as error:
        return f"Whether metrics would choose the same algorithm is not known: {error}."
    here = s.relations()
    inside, across = (values(found, here.groups, same) for same in (True, False))
    message = "Over the means of the algorithms of each data set"
    if not across:
        return f"{message}, there are no two groups to compare."
    return (
        f"{message}, which is what a choice among algorithms rests on, metrics of one group "
        f"correlate {r(mean(inside))} and metrics of two groups {r(mean(across))} (within an "
        f"algorithm {r(mean(values(here, here.groups, False)))}; mean Pearson, "
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
    groups = s.relations().groups
    return [
        f"{name.capitalize()} ({many(len(found.datasets), 'data set')}, {part(s, name)}): "
        f"{r(mean(values(found, groups, True)))} inside these groups, "
        f"{r(mean(values(found, groups, False)))} across."
        for name, found in s.splits().items()
    ]


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
    lines = [*(units(s) if len(s.every()) > 1 else []), between(s), *splits(s), *distances(s)]
    for line in (*lines, *left_out(found)):
        yield Paragraph(line)
    for unit, why in s.lacking().items():
        yield Paragraph(f"not by {UNIT_TITLES[unit]}: {why}")


def values(
    found: Relations, groups: Sequence[Sequence[str]], same: bool, coefficient: str = "pearson"
) -> list[float]:
    """Return the correlations of pairs inside groups, of these results or others, or across."""
    of = {m: i for i, g in enumerate(groups) for m in g}
    known = [m for m in found.metrics if m in of]
    place = {m: i for i, m in enumerate(found.metrics)}
    matrix = getattr(found, coefficient)
    pairs = [
        float(matrix[place[a], place[b]])
        for i, a in enumerate(known)
        for b in known[i + 1 :]
        if (of[a] == of[b]) == same
    ]
    return [v for v in pairs if not math.isnan(v)]


def mean(correlations: Sequence[float]) -> float:
    """Return the mean, NaN of none."""
    return sum(correlations) / len(correlations) if correlations else math.nan


def coefficient(found: Relations, i: int, j: int, row: int, column: int) -> float:
    """Return Pearson's coefficient below the diagonal, Spearman's above it."""
    return float((found.pearson if row > column else found.spearman)[i, j])


def matrix(found: Relations) -> Grid:
    """Return both coefficients as one matrix, whose columns have the numbers of its rows."""
    places = range(len(found.metrics))
    rows = [
        (f"{i + 1}", name, *("" if i == j else r(coefficient(found, i, j, i, j)) for j in places))
        for i, name in enumerate(found.metrics)
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
    groups = s.relations().groups
    rows: list[Row] = [
        (
            Cell(UNIT_TITLES[u], "taken for the rest of this page" if u == s.unit else ""),
            f"{sum(found.results):,}",
            *means_of(found, groups),
            f"{int(found.constant_cells.diagonal().max(initial=0)):,} of {len(found.cells):,}",
        )
        for u, found in s.every().items()
    ]
    caption = "Mean correlation of pairs inside and across the groups above, by unit of analysis."
    return Grid(("One result is", "Results", *MEANS, "Constant at most"), rows, caption)


def split_table(s: Study) -> Grid:
    """Return how parts of the data sets differ, by the groups of all."""
    groups = s.relations().groups
    rows: list[Row] = [
        (
            Cell(name.capitalize(), f"{part(s, name)}: {', '.join(found.datasets)}"),
            f"{len(found.datasets)}",
            *means_of(found, groups),
        )
        for name, found in s.splits().items()
    ]
    caption = "Mean correlation of pairs inside and across the groups above."
    return Grid(("Part", "Data sets", *MEANS), rows, caption)


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
    rows = [
        (
            name,
            "unknown" if math.isnan(n) else count(n),
            "unknown" if math.isnan(minority) else percent(minority),
        )
        for name, n, minority in zip(
            s.results.datasets, s.results.rows, s.results.minority, strict=True
        )
    ]
    return Grid(("Data set", "Rows", "Smaller class"), rows, "Data sets")


def _is(n: int) -> str:
    return "was" if n == 1 else "were"


def _has(n: int) -> str:
    return "has" if n == 1 else "have"
