"""Every sentence of a study, whole, with its numbers taken from the matrices of correlations."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import tallymark as tm
from parts.relations.simulated import SEVEN, simulated
from tallymark.parts.relations import blocks, sentences
from tallymark.parts.relations.relations import relations
from tallymark.report import words

TITLES = [words.title(m) for m in SEVEN]
GROUPS = (SEVEN[:3], SEVEN[3:5], SEVEN[5:])
"""The metrics that were simulated to move together."""


@pytest.fixture(scope="module")
def whole():
    return tm.study(simulated())


def r(x):
    text = f"{abs(x):.2f}"
    return ("-" if x < 0 and text != "0.00" else "") + ("1.0" if text == "1.00" else text[1:])


def pairs(found, same, name="pearson"):
    """Return the correlations of pairs in one of the simulated groups, or of two."""
    matrix, of = getattr(found, name), {m: g for g in GROUPS for m in g}
    place = {m: i for i, m in enumerate(found.metrics)}
    return [
        matrix[place[a], place[b]] for a, b in combinations(SEVEN, 2) if (of[a] == of[b]) == same
    ]


def mean(found, same, name="pearson"):
    return r(np.mean(pairs(found, same, name)))


def listed(groups):
    return "; ".join(", ".join(map(words.title, g)) for g in groups)


def test_what_was_correlated_and_which_groups_there_are(whole):
    found = whole.relations()
    assert found.groups == GROUPS
    assert sentences.about(whole) == (
        f"150 results of 7 metrics: 5 data sets, 3 algorithms; {found.definition}"
    )
    assert found.definition == (
        "one result per cross-validation repeat, the mean over its folds; correlated within each "
        "data set and algorithm, then the mean over these; a constant metric is skipped; the sign "
        "of mean_absolute_error, root_mean_squared_error is reversed, as lower is better"
    )
    inside, across = pairs(found, True), pairs(found, False)
    assert sentences.verdict(found) == (
        f"3 groups of metrics: {listed(GROUPS)}. Mean correlation {r(np.mean(inside))} inside the "
        f"groups (from {r(min(inside))}) and {r(np.mean(across))} across them (up to "
        f"{r(max(across))})."
    )
    one = tm.study(simulated(), cut=-1).relations()
    assert sentences.verdict(one) == f"1 group of metrics: {', '.join(TITLES)}."


def test_what_the_unit_of_analysis_does(whole):
    every = {u: whole.relations(u) for u in ("repeat", "pooled", "fold")}
    first, *rest = sentences.units(whole)
    assert first == (
        "By means over a repeat's folds, metrics of different groups correlate "
        f"{mean(every['repeat'], False)} on average; by single folds the same pairs correlate "
        f"{mean(every['fold'], False)}, higher."
    )
    titles = "means over a repeat's folds", "pooled predictions of a repeat", "single folds"
    assert rest == [
        f"By {title}: {len(found.groups)} group{'s' * (len(found.groups) > 1)}, "
        f"{listed(found.groups)}."
        for title, found in zip(titles, every.values(), strict=True)
    ]
    across = pairs(every["repeat"], False)
    fold = pairs(every["fold"], False)
    assert sentences.advice(whole) == (
        "Liu et al. recommend several metrics, at least one of each group, because those of one "
        "group repeat each other. By the unit used here, the most similar metrics across groups "
        f"correlate {r(max(across))} and the least similar {r(min(across))}; by single folds the "
        f"same pairs correlate {r(min(fold))} to {r(max(fold))}. If folds count as results, "
        "metrics agree because they share a test fold, and one metric may seem enough; the advice "
        "is based on results that each cover every row."
    )
    assert sentences.advice(tm.study(simulated(), cut=-1)) == (
        "The advice to look at one metric of each group needs two groups or more; here there are "
        "none to choose from."
    )


def test_whether_metrics_would_choose_the_same_algorithm(whole):
    between, here = whole.between(), whole.relations()
    assert sentences.between(whole) == (
        "Over the means of the algorithms of each data set, on which a choice among algorithms is "
        f"based, metrics of one group correlate {mean(between, True)} and metrics of two groups "
        f"{mean(between, False)} (within an algorithm {mean(here, False)}; mean Pearson, 3 "
        "algorithms)."
    )
    two = tm.study(simulated()[simulated().algorithm != "tree"])
    assert sentences.between(two).startswith(
        "Whether metrics would choose the same algorithm is not known: every data set has fewer "
        "than 3"
    )
    assert sentences.between(two).endswith(".")
    assert sentences.between(tm.study(simulated(), cut=-1)) == (
        "Over the means of the algorithms of each data set, there are no two groups to compare."
    )


def test_parts_of_the_data_sets(whole):
    parts = {
        "large": ([1, 4], "data sets of 3,000 rows or more"),
        "small": ([0, 2, 3], "data sets below 3,000 rows"),
        "balanced": ([2, 3, 4], "smaller class 40 % or more"),
        "imbalanced": ([0, 1], "smaller class below 40 %"),
    }
    here = whole.relations()
    expected = {}
    for name, (sets, what) in parts.items():
        found = here.only([f"set-{i}" for i in sets])
        expected[name] = found, what, [f"set-{i}" for i in sets]
    assert sentences.splits(whole) == [
        f"{name.capitalize()} ({len(sets)} data sets, {what}): {mean(found, True)} inside these "
        f"groups, {mean(found, False)} across."
        for name, (found, what, sets) in expected.items()
    ]
    table = blocks.split_table(whole)
    assert table.caption == "Mean correlation of pairs inside and across the groups above."
    rows = [[cell.text for cell in row] for row in table.cells()]
    assert rows == [
        [name.capitalize(), f"{len(sets)}", *(
            mean(found, same, of) for of in ("pearson", "spearman") for same in (True, False)
        )]
        for name, (found, _, sets) in expected.items()
    ]  # fmt: skip


def test_the_units_side_by_side(whole):
    table = blocks.unit_table(whole)
    assert table.caption == (
        "Mean correlation of pairs inside and across the groups above, by unit of analysis."
    )
    rows = [[cell.text for cell in row] for row in table.cells()]
    for row, (unit, results) in zip(
        rows, (("repeat", 150), ("pooled", 150), ("fold", 600)), strict=True
    ):
        found = whole.relations(unit)
        assert row == [
            sentences.UNIT_TITLES[unit], f"{results}",
            *(mean(found, same, of) for of in ("pearson", "spearman") for same in (True, False)),
            "1 of 15",
        ]  # fmt: skip


def test_what_is_left_out():
    found = relations(simulated())
    assert sentences.left_out(found) == [
        "A metric that does not vary has no correlation; such pairs were left out of the averages. "
        f"Constant: {', '.join(f'{t} in 1 of 15' for t in TITLES[:3])} pairs of data set and "
        "algorithm."
    ]
    ones = relations(simulated(), constant="one")
    assert "; such pairs were set to 1, as Weka does. Constant: " in sentences.left_out(ones)[0]
    frame = simulated()
    frame = frame[(frame.dataset != "set-3") & frame.fold.notna()].copy()
    assert sentences.left_out(relations(frame)) == [
        "No metric was constant for any algorithm on any data set."
    ]
    frame.loc[frame.index[0], "f1"] = np.nan
    frame = frame.drop(index=frame.index[[6, 13]])
    frame = frame[
        ~((frame.dataset == "set-0") & (frame.algorithm == "bayes") & (frame["repeat"] > 1))
    ]
    assert sentences.left_out(relations(frame))[1:] == [
        "1 value of a metric was undefined and left out.",
        "2 repeats with fewer folds than the others were left out.",
        "1 pair of data set and algorithm has fewer than three results and no correlation.",
    ]


def test_one_number_for_all(whole):
    rows = whole.representatives()
    single = next(row for row in rows if not row["components"])
    mixed = next(row for row in rows if row["components"])

    def smallest(row, bounds=True):
        between = f"{r(row['smallest_low'])} to {r(row['smallest_high'])}"
        return (
            f"{r(row['smallest'])}{f' (bootstrap interval {between})' if bounds else ''}, with "
            f"{words.title(row['smallest_with'])}"
        )

    assert sentences.one_number(whole) == (
        f"If one number must represent 7 metrics, the best metric is {words.title(single['name'])}:"
        f" its smallest rank correlation with another is {smallest(single)}. The best composite is "
        f"{words.title(mixed['name'])}: {smallest(mixed)}."
    )
    best = whole.representatives("algorithm")[0]
    assert sentences.one_choice(whole) == (
        "Over the means of the algorithms of each data set, on which a choice among algorithms is "
        f"based, the best is {words.title(best['name'])}: its smallest rank correlation is "
        f"{smallest(best)}."
    )


def test_how_sure_the_groups_are():
    for share, said in ((0.8347, "83 %"), (1.0, "100 %")):
        assert sentences.stability(SimpleNamespace(stability=lambda share=share: share)) == (
            f"Resampling the data sets with replacement gives the same groups {said} of the time."
        )


def test_the_table_of_groups(whole):
    found = whole.relations()
    place = {m: i for i, m in enumerate(found.metrics)}

    def between(a, b):
        of = [
            (place[x], place[y])
            for x, y in (combinations(a, 2) if a == b else ((x, y) for x in a for y in b))
        ]
        return " / ".join(
            r(np.mean([m[i, j] for i, j in of])) for m in (found.pearson, found.spearman)
        )

    rows = [[cell.text for cell in row] for row in blocks.group_table(whole).cells()]
    assert rows == [
        [f"{i + 1}: {', '.join(map(words.title, a))}", *(between(a, b) for b in GROUPS)]
        for i, a in enumerate(GROUPS)
    ]


def test_every_pair_with_its_interval(whole):
    found = whole.relations()
    rows = [[cell.text for cell in row] for row in blocks.every_pair(found).cells()]
    assert len(rows) == 21
    of = {m: g for g in GROUPS for m in g}
    place = {m: i for i, m in enumerate(found.metrics)}
    for row, p in zip(rows, found.pairs(), strict=True):
        i, j = place[p["a"]], place[p["b"]]
        constant = p["a"] in GROUPS[0] or p["b"] in GROUPS[0]
        assert row == [
            f"{words.title(p['a'])}, {words.title(p['b'])}",
            r(found.pearson[i, j]), r(found.spearman[i, j]),
            "same" if of[p["a"]] == of[p["b"]] else "another",
            "14" if constant else "15", "1" if constant else "0",
        ]  # fmt: skip
        assert sentences.bounds_of(p, "spearman") == (
            f"{r(found.spearman_low[i, j])} to {r(found.spearman_high[i, j])}"
        )


def test_the_data_sets(whole):
    rows = [[cell.text for cell in row] for row in blocks.data_sets(whole).cells()]
    assert rows == [
        ["set-0", "300", "37.0 %"], ["set-1", "5,000", "6.0 %"], ["set-2", "690", "44.5 %"],
        ["set-3", "208", "46.6 %"], ["set-4", "3,196", "47.8 %"],
    ]  # fmt: skip
    plain = {"dataset": ["a"] * 4, "algorithm": ["x"] * 4, "repeat": [0, 1, 2, 3],
             "accuracy": [0.9, 0.8, 0.7, 0.6], "f1": [0.1, 0.2, 0.35, 0.3]}  # fmt: skip
    rows = [[c.text for c in row] for row in blocks.data_sets(tm.study(plain)).cells()]
    assert rows == [["a", "unknown", "unknown"]]


def test_both_coefficients_as_one_matrix(whole):
    found = whole.relations()
    table = blocks.matrix(found)
    rows = [[cell.text for cell in row] for row in table.cells()]
    assert rows == [
        [f"{i + 1}", name, *(
            "" if i == j else r((found.pearson if i > j else found.spearman)[i, j])
            for j in range(7)
        )]
        for i, name in enumerate(SEVEN)
    ]  # fmt: skip
    assert [str(head) for head in table.heads] == ["", "", *map(str, range(1, 8))]


def test_the_finding_counts_metrics_and_groups(whole):
    found = whole.relations()
    assert sentences.finding(found) == "7 metrics make 3 groups."
    assert sentences.verdict(found).endswith(sentences.distance(found))
    assert sentences.distance(found).startswith("Mean correlation ")
    one = tm.study(simulated(), cut=-1).relations()
    assert (sentences.finding(one), sentences.distance(one)) == ("7 metrics make 1 group.", "")
