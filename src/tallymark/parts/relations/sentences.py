"""A study of metrics in sentences: its groups, and what the numbers mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark import InputError
from tallymark.core import Floats, Unit, count, many, percent, words
from tallymark.parts.relations.clustering import of_pairs
from tallymark.parts.relations.relations import COEFFICIENTS, Relations

if TYPE_CHECKING:
    from tallymark.parts.relations.study import Study

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
    """Return the numbers of results, metrics, data sets and algorithms, and the definition."""
    relations = s.relations()
    return (
        f"{many(sum(relations.results), 'result')} of {many(len(relations.metrics), 'metric')}: "
        f"{many(len(relations.datasets), 'data set')}, "
        f"{many(len(relations.algorithms), 'algorithm')}; {relations.definition}"
    )


def finding(relations: Relations) -> str:
    """Return how many groups the metrics make, in at most 60 characters."""
    c = relations._clustering
    if not c.groups:
        return "No two metrics have a correlation."
    metrics = sum(map(len, c.groups))
    return f"{many(metrics, 'metric')} make {many(len(c.groups), 'group')}."


def verdict(relations: Relations) -> str:
    """Return the groups of metrics, with the correlations inside and across them."""
    c = relations._clustering
    if not c.groups:
        return "No two metrics have a correlation."
    groups = f"{many(len(c.groups), 'group')} of metrics: {_listed(c.groups)}."
    return " ".join(filter(None, [groups, distance(relations)]))


def distance(relations: Relations) -> str:
    """Return the correlations inside and across the groups; empty without both."""
    c = relations._clustering
    if not c.groups:
        return ""
    inside, across = c.inside["pearson"], c.across["pearson"]
    if not (inside.pairs and across.pairs):
        return ""
    return (
        f"Mean correlation {r(inside.mean)} inside the groups (from {r(inside.low)}) and "
        f"{r(across.mean)} across them (up to {r(across.high)})."
    )


def left_out(relations: Relations) -> list[str]:
    """Return what the averages leave out: constant metrics, undefined values, too few results."""
    out = ["No metric was constant for any algorithm on any data set."]
    times = relations._constant_cells.diagonal()
    if times.max(initial=0) > 0:
        which = [
            f"{words.title(m)} in {n} of {len(relations.cells)}"
            for m, n in zip(relations.metrics, times, strict=True)
            if n
        ]
        skip = relations.constant == "skip"
        out = [
            "A metric that does not vary has no correlation; such pairs were "
            f"{'left out of the averages' if skip else 'set to 1, as Weka does'}. Constant: "
            f"{', '.join(which)} pairs of data set and algorithm."
        ]
    for n, noun, clause in (
        (relations._undefined, "value", "of a metric {was} undefined and left out"),
        (relations._incomplete, "repeat", "with fewer folds than the others {was} left out"),
        (
            relations._too_few,
            "pair",
            "of data set and algorithm {has} fewer than three results and no correlation",
        ),
    ):
        if n:
            was, has = ("was", "has") if n == 1 else ("were", "have")
            out.append(f"{many(n, noun)} {clause.format(was=was, has=has)}.")
    return out


def units(s: Study) -> list[str]:
    """Return how the correlations differ between units of analysis."""
    every = s._every()
    out = []
    base: Unit | None = next((u for u in ("repeat", "pooled") if u in every), None)
    if base and "fold" in every:
        groups = every[base].groups
        here, by_fold = (mean(values(every[u], groups, False)) for u in (base, "fold"))
        if not math.isnan(here) and not math.isnan(by_fold):
            gap = by_fold - here
            change = "higher" if gap > 0.005 else "lower" if gap < -0.005 else "no other"
            out.append(
                f"By {UNIT_TITLES[base]}, metrics of different groups correlate {r(here)} on "
                f"average; by single folds the same pairs correlate {r(by_fold)}, {change}."
            )
    return out + [
        f"By {UNIT_TITLES[unit]}: {many(len(relations.groups), 'group')}, "
        f"{_listed(relations.groups)}."
        for unit, relations in every.items()
        if relations.groups
    ]


def _listed(groups: Sequence[Sequence[str]]) -> str:
    return "; ".join(", ".join(map(words.title, g)) for g in groups)


def advice(s: Study) -> str:
    """Return whether the numbers support the paper's advice: one metric of each group."""
    relations = s.relations()
    c = relations._clustering
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
    every = s._every()
    if "fold" in every and s.unit != "fold":
        fold = values(every["fold"], relations.groups, False)
        message += (
            f"; by single folds the same pairs correlate {r(min(fold, default=math.nan))} to "
            f"{r(max(fold, default=math.nan))}. If folds count as results, metrics agree because "
            "they share a test fold, and one metric may seem enough; the advice is based on "
            "results that each cover every row"
        )
    return message + "."


def between(s: Study) -> str:
    """Return whether metrics rank algorithms in the same order, or why that is unknown."""
    try:
        relations = s.between()
    except InputError as error:
        return f"Whether metrics would choose the same algorithm is not known: {error}."
    within = s.relations()
    inside, across, *_ = means_of(relations, within.groups)
    message = "Over the means of the algorithms of each data set"
    if not values(relations, within.groups, False):
        return f"{message}, there are no two groups to compare."
    return (
        f"{message}, on which a choice among algorithms is based, metrics of one group correlate "
        f"{inside} and metrics of two groups {across} (within an algorithm "
        f"{means_of(within, within.groups)[1]}; mean Pearson, "
        f"{many(len(within.algorithms), 'algorithm')})."
    )


def stability(relations: Relations) -> str:
    """Return how often resampled data sets give the same groups."""
    share = relations.stability()
    if math.isnan(share):
        return ""
    return (
        f"Resampling the data sets with replacement gives the same groups "
        f"{percent(share, 0)} of the time."
    )


def silhouettes(relations: Relations) -> str:
    """Return the mean silhouette of each number of groups."""
    scores = relations._clustering.silhouettes
    if not scores or relations._cut is not None:
        return ""
    message = ", ".join(f"{k} groups {r(v)}" for k, v in scores.items())
    return f"Mean silhouettes, of which the largest is taken: {message}."


def splits(s: Study) -> list[str]:
    """Return the correlations on parts of the data sets, by the groups of all."""
    out = []
    for name, relations in s.splits().items():
        inside, across, *_ = means_of(relations, s.relations().groups)
        of = many(len(relations.datasets), "data set")
        lead = f"{name.capitalize()} ({of}, {part(s, name)})"
        out.append(f"{lead}: {inside} inside these groups, {across} across.")
    return out


def distances(s: Study) -> list[str]:
    """Return the distance of each unit's averages from the printed table, where comparable."""
    return [
        f"By {UNIT_TITLES[u]}, the averages lie {d:.3f} (mean absolute difference) from Table 5 of "
        "Liu et al. (2014)."
        for u, d in s._distances().items()
    ]


def part(s: Study, name: str) -> str:
    """Return the condition that defines a part of the data sets."""
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
        f"{words.title(single['name'])}: its smallest rank correlation with another is "
        f"{_smallest(single)}"
    )
    if composite is not None:
        message += (
            f". The best composite is {words.title(composite['name'])}: {_smallest(composite)}"
        )
    return message + "."


def one_choice(s: Study) -> str:
    """Return the candidate whose order of the algorithms is closest to those of all metrics."""
    try:
        best = s.representatives("algorithm")[0]
    except InputError:
        return ""
    if math.isnan(best["smallest"]):
        return ""
    return (
        "Over the means of the algorithms of each data set, on which a choice among algorithms is "
        f"based, the best is {words.title(best['name'])}: its smallest rank correlation is "
        f"{_smallest(best)}."
    )


def _smallest(row: Mapping[str, Any]) -> str:
    bounds = bounds_of(row, "smallest")
    interval = f" (bootstrap interval {bounds})" if bounds else ""
    return f"{r(row['smallest'])}{interval}, with {words.title(row['smallest_with'])}"


def bounds_of(row: Mapping[str, Any], name: str) -> str:
    """Return the interval of a number in a row, empty if there is none."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if math.isnan(low) else f"{r(low)} to {r(high)}"


def values(
    relations: Relations, groups: Sequence[Sequence[str]], same: bool, coefficient: str = "pearson"
) -> list[float]:
    """Return the correlations of pairs inside groups if ``same``, else across them."""
    return of_pairs(relations.metrics, groups, getattr(relations, coefficient), same)


def mean(correlations: Sequence[float]) -> float:
    """Return the mean, NaN of none."""
    return sum(correlations) / len(correlations) if correlations else math.nan


def means_of(relations: Relations, groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the mean correlations, Pearson then Spearman, each inside groups and across."""
    return tuple(
        r(mean(values(relations, groups, same, name)))
        for name in COEFFICIENTS
        for same in (True, False)
    )


def both(relations: Relations, order: Sequence[int]) -> Floats:
    """Return Pearson's coefficients below the diagonal and Spearman's above it."""
    places = np.ix_(order, order)
    return np.tril(relations.pearson[places]) + np.triu(relations.spearman[places], 1)
