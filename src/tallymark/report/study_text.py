"""A study of metrics in words, and its summary for a terminal."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Sequence

from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.report.words import percent, text
from tallymark.studies.relations import Relations
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
    "different rows: a fold of easy rows is good for every metric at once, and all metrics move "
    "together for that reason alone. Over the folds of one repeat every row is judged exactly "
    "once, so easy and hard folds cancel; what is left is how the metrics respond to other "
    "training rows. Pooled predictions are judged once over all rows, so metrics of scores also "
    "compare scores of models trained on different folds."
)

WHAT_IT_IS_NOT = (
    "Every correlation so far is within one algorithm on one data set: it says whether two metrics "
    "notice the same changes of the training and test rows, and no unit makes it say whether they "
    "would choose the same algorithm."
)

_NARROWEST, _WIDEST = 40, 120
_SHORT = 7


def r(value: float) -> str:
    """Return a correlation for reading: two digits, a dash where there is none.

    >>> r(0.123), r(-0.001), r(1.0), r(float("nan"))
    ('.12', '.00', '1.0', '–')
    """
    if math.isnan(value):
        return "–"
    told = f"{abs(value):.2f}"
    sign = "-" if value < 0 and told != "0.00" else ""
    return sign + ("1.0" if told == "1.00" else told[1:])


def title(metric: str) -> str:
    """Return what a column of results is called: the metric's title, or the column's name."""
    try:
        return get(metric).title
    except ValueError:
        return text(metric)


def about(s: Study) -> str:
    """Say what was correlated."""
    found = s.relations()
    return (
        f"{_many(sum(found.results), 'result')} of {_many(len(found.metrics), 'metric')}: "
        f"{_many(len(found.datasets), 'data set')}, {_many(len(found.algorithms), 'algorithm')}; "
        f"{found.definition}"
    )


def verdict(found: Relations) -> str:
    """Say which groups were found, and how high correlations are inside and across them."""
    c = found.clustering
    if not c.groups:
        return "No two metrics have a correlation."
    told = "; ".join(", ".join(title(m) for m in g) for g in c.groups)
    groups = f"{_many(len(c.groups), 'group')} of metrics: {told}."
    inside, across = c.inside["pearson"], c.across["pearson"]
    if inside.pairs and across.pairs:
        groups += (
            f" Mean correlation {r(inside.mean)} inside the groups (from {r(inside.low)}) and "
            f"{r(across.mean)} across them (up to {r(across.high)})."
        )
    return groups


def left_out(found: Relations) -> list[str]:
    """Say what is not in the averages: constant metrics, undefined values, too few results."""
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
            f"{_many(found.undefined, 'value')} of a metric {_is(found.undefined)} undefined "
            "and left out."
        )
    if found.incomplete:
        out.append(
            f"{_many(found.incomplete, 'repeat')} with fewer folds than the others "
            f"{_is(found.incomplete)} left out."
        )
    if found.too_few:
        out.append(
            f"{_many(found.too_few, 'pair')} of data set and algorithm {_has(found.too_few)} "
            "fewer than three results and no correlation."
        )
    return out


def units(s: Study) -> list[str]:
    """Say in measured numbers what the unit of analysis does."""
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
                f"By {UNIT_TITLES[unit]}: {_many(len(found.groups), 'group')}, "
                + "; ".join(", ".join(title(m) for m in g) for g in found.groups)
                + "."
            )
    return out


def advice(s: Study) -> str:
    """Say what the numbers mean for the paper's advice: one metric of each group."""
    found = s.relations()
    c = found.clustering
    if not c.groups or not c.across or not c.across["pearson"].pairs:
        return (
            "The advice to look at one metric of each group needs two groups or more; here there "
            "are none to choose from."
        )
    across = c.across["pearson"]
    told = (
        "Liu et al. advise to look at several metrics, at least one of each group, because those "
        "of one group repeat each other. By the unit taken here, the most alike metrics across "
        f"groups correlate {r(across.high)} and the least alike {r(across.low)}"
    )
    every = s.every()
    if "fold" in every and s.unit != "fold":
        fold = values(every["fold"], found.groups, False)
        told += (
            f"; by single folds the same pairs correlate {r(min(fold, default=math.nan))} to "
            f"{r(max(fold, default=math.nan))}. Whoever "
            "takes folds for results sees metrics agree because they share a test fold, and may "
            "think one metric enough; the advice rests on results that each saw every row"
        )
    return told + "."


def between(s: Study) -> str:
    """Say whether metrics rank algorithms alike, or why that is not known."""
    try:
        found = s.between()
    except InputError as error:
        return f"Whether metrics would choose the same algorithm is not known: {error}."
    here = s.relations()
    inside, across = (values(found, here.groups, same) for same in (True, False))
    told = "Over the means of the algorithms of each data set"
    if not across:
        return f"{told}, there are no two groups to compare."
    return (
        f"{told}, which is what a choice among algorithms rests on, metrics of one group correlate "
        f"{r(mean(inside))} and metrics of two groups {r(mean(across))} (within an algorithm "
        f"{r(mean(values(here, here.groups, False)))}; mean Pearson, "
        f"{_many(len(here.algorithms), 'algorithm')})."
    )


def stability(found: Relations) -> str:
    """Say how often other data sets like these would show the same groups."""
    share = found.stability()
    if math.isnan(share):
        return ""
    return (
        f"When the data sets are drawn anew with replacement, the very same groups are found "
        f"{percent(share, 0)} of the time."
    )


def silhouettes(found: Relations) -> str:
    """Say how clear the number of groups is."""
    scores = found.clustering.silhouettes
    if not scores or found.cut is not None:
        return ""
    told = ", ".join(f"{k} groups {r(v)}" for k, v in scores.items())
    return f"Mean silhouettes, of which the largest is taken: {told}."


def splits(s: Study) -> list[str]:
    """Say how parts of the data sets differ, by the groups of all."""
    groups = s.relations().groups
    return [
        f"{name.capitalize()} ({_many(len(found.datasets), 'data set')}, {part(s, name)}): "
        f"{r(mean(values(found, groups, True)))} inside these groups, "
        f"{r(mean(values(found, groups, False)))} across."
        for name, found in s.splits().items()
    ]


def distances(s: Study) -> list[str]:
    """Say how far each unit lies from the printed table, where it can be compared."""
    return [
        f"By {UNIT_TITLES[u]}, the averages lie {d:.3f} (mean absolute difference) from Table 5 of "
        "Liu et al. (2014)."
        for u, d in s.distances().items()
    ]


def part(s: Study, name: str) -> str:
    """Say which data sets a part holds."""
    return PART_WORDS[name].format(large=s.large, balanced=percent(s.balanced, 0))


def summary(s: Study, width: int | None = None) -> str:
    """Return the summary as text that fits a terminal: matrix, groups, units, what was left out."""
    width = width or min(shutil.get_terminal_size((88, 24)).columns, _WIDEST)
    width = max(width, _NARROWEST)
    found = s.relations()

    def wrapped(told: str, indent: str = "") -> list[str]:
        return textwrap.wrap(told, width, subsequent_indent=indent) or [""]

    out = [*wrapped(text(s.source)), *wrapped(about(s)), ""]
    out += [*wrapped("Pearson below the diagonal, Spearman above:"), *matrix(found, width), ""]
    out += wrapped(verdict(found))
    out += wrapped(f"({found.clustering.rule}; {found.interval})")
    out += wrapped(stability(found))
    out.append("")
    for told in units(s) if len(s.every()) > 1 else []:
        out += wrapped(told, "  ")
    out += wrapped(between(s), "  ")
    for told in (*splits(s), *distances(s)):
        out += wrapped(told, "  ")
    for told in left_out(found):
        out += wrapped(told, "  ")
    for unit, why in s.lacking().items():
        out += wrapped(f"not by {UNIT_TITLES[unit]}: {why}", "  ")
    return "\n".join(line.rstrip() for line in out)


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


def matrix(found: Relations, width: int) -> list[str]:
    """Return both coefficients as the lines of one matrix, in blocks where it is too wide."""
    names = [text(m) for m in found.metrics]
    k = len(names)
    margin = min(max(len(n) for n in names), max(width // 3, 8))
    fits = max((width - margin - 4) // (_SHORT - 1), 1)
    out = []
    for start in range(0, k, fits):
        block = range(start, min(start + fits, k))
        if start:
            out.append("")
        out.append(" " * (margin + 4) + "".join(f"{j + 1:>{_SHORT - 1}}" for j in block))
        for i in range(k):
            cells = [
                "" if i == j else r(float((found.pearson if i > j else found.spearman)[i, j]))
                for j in block
            ]
            label = names[i] if len(names[i]) <= margin else names[i][: margin - 1] + "…"
            out.append(
                f"{i + 1:>3} {label:<{margin}}" + "".join(f"{c:>{_SHORT - 1}}" for c in cells)
            )
    return out


def _many(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _is(n: int) -> str:
    return "was" if n == 1 else "were"


def _has(n: int) -> str:
    return "has" if n == 1 else "have"
