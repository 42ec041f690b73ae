"""Facts that hold between the parts of an evaluation, whatever was counted, and of no other parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tallymark as tm
from asymmetric import FIRST, ILL, SECOND, WEIGHT
from judged import counted_of
from tallymark.part import part_roles
from tallymark.reading.totals import agree, as_subgroup, facts
from tallymark.tally.bins import Bins

SOME = slice(None, None, 5)
Y, A, B, W = (v[SOME] for v in (ILL.astype(int), FIRST, SECOND, WEIGHT))
N = len(Y)
AT = np.where(np.arange(N) * 7 % N < 60, "north", "south")
THREE = np.where(AT == "north", 2, Y)
SHARES = np.stack([1.1 - B, A + 0.05, np.where(AT == "north", B, 0.1)], 1)
SHARES /= SHARES.sum(1, keepdims=True)
TWO = {"y_score": {"a": A, "b": B}}
BESIDE = {
    "nothing": {},
    "weights": {"weight": W},
    "clusters": {"cluster": np.arange(N) // 3},
    "subgroups": {"subgroup": {"at": AT}},
    "weighted subgroups": {"weight": W, "subgroup": {"at": AT}},
    **{role: {role: np.arange(N) + 1.0} for role in part_roles()},
    **{f"weighted {role}": {role: np.arange(N) + 1.0, "weight": W} for role in part_roles()},
    "a threshold": {"threshold": 0.3, "subgroup": {"at": AT}, "weight": W},
}


def evaluations():
    """Yield counts of every kind, each with what it is called."""
    for beside, columns in BESIDE.items():
        yield f"scores and {beside}", tm.evaluate(Y, **TWO, **columns)
        if columns.keys() & {"threshold", *part_roles()}:
            continue
        decided = {"a": (A > 0.4).astype(int), "b": (B > 0.6).astype(int)}
        yield f"decisions and {beside}", tm.evaluate(Y, decided, **columns)
        yield f"both and {beside}", tm.evaluate(Y, decided, **TWO, **columns)
        yield f"three classes and {beside}", tm.evaluate(THREE, y_score=SHARES, **columns)
        yield f"one model and {beside}", tm.evaluate(Y, y_score=A, **columns)
    projected = tm.evaluate(Y, **TWO, weight=W, subgroup={"at": AT})
    yield "another balance", projected.at(prevalence=0.3)


@pytest.fixture(scope="module")
def counts():
    return {name: counted_of(ev) for name, ev in evaluations()}


def wrong(counted):
    """Return which parts are said to be damaged."""
    return {part for part, holds in facts(counted) if not holds}


def test_what_was_counted_together_agrees(counts):
    for name, counted in counts.items():
        assert wrong(counted) == set(), name


def test_scores_in_bins_agree_with_their_subgroups_by_the_totals_of_the_classes():
    of = counted_of(tm.evaluate(Y, y_score=A, subgroup={"at": AT}))
    (m,) = of.models
    binned = m.scores[0].binned(Bins([0.0, 0.5, 1.0], per=4))
    assert wrong(replace(of, models=(replace(m, scores=(binned,)),))) == set()
    turned = replace(binned, counts=binned.counts[:, ::-1])
    assert "subgroups" in wrong(replace(of, models=(replace(m, scores=(turned,)),)))


def test_decisions_of_subgroups_add_up_to_those_of_all_rows(counts):
    of = counts["decisions and subgroups"]
    groups = of.subgroup_counts
    first, second = groups.models
    turned = replace(first, counts=first.counts[:, ::-1])
    altered = replace(groups, models=(turned, second))
    assert wrong(replace(of, subgroup_counts=altered)) == {"subgroups"}
    for parts, damaged in ((groups, set()), (altered, {"subgroups"})):
        alone = replace(of, joint=None, subgroup_counts=replace(parts, of_rows=None))
        assert wrong(alone) == damaged


def test_parts_of_other_rows_do_not_agree(counts):
    of = counts["scores and weighted subgroups"]
    first, second = of.models
    labels, (scores,) = first.labels, first.scores
    other = tm.LabelTally(
        labels.labels, labels.counts[::-1], labels.sum_squared_weights[::-1], labels.rows
    )
    squares = replace(labels, sum_squared_weights=labels.sum_squared_weights * 0.99)
    fewer = replace(
        scores, counts=scores.counts * 0.5, sum_squared_weights=scores.sum_squared_weights / 4
    )
    groups, joint = of.subgroup_counts, of.joint
    moved = joint.weights[np.append(np.arange(1, N), 0)]
    for change, part in (
        ({"models": (replace(first, labels=other), second)}, "scores"),
        ({"models": (replace(first, labels=squares), second)}, "scores"),
        ({"models": (replace(first, scores=(fewer,)), second)}, "scores"),
        ({"models": (replace(first, threshold=0.25), second)}, "thresholds"),
        ({"models": (replace(first, scores=second.scores), second)}, "rows"),
        ({"models": (first, first)}, "models"),
        ({"models": ()}, "models"),
        ({"weighted": False}, "weights"),
        ({"rows": N - 1}, "rows"),
        ({"rows": 0}, "rows"),
        ({"positive": 0}, "scores"),
        ({"positive": True}, "classes"),
        ({"positive": 5}, "classes"),
        ({"joint": replace(joint, weights=moved)}, "rows"),
        ({"joint": replace(joint, weights=None)}, "rows"),
        ({"joint": replace(joint, positive=0)}, "rows"),
        ({"joint": None}, "subgroups"),
        ({"subgroup_counts": replace(groups, of_rows=groups.of_rows[::-1])}, "subgroups"),
        ({"subgroup_counts": replace(groups, of_rows=None)}, "subgroups"),
        ({"subgroup_counts": replace(groups, rows=groups.rows + 1)}, "subgroups"),
        ({"subgroup_counts": None}, "subgroups"),
    ):
        assert part in wrong(replace(of, **change)), change
    three = counts["three classes and weights"]
    (m,) = three.models
    for change in ({"_sums": None}, {"scores": m.scores[::-1]}):
        assert wrong(replace(three, models=(replace(m, **change),))), change
    for role in part_roles():
        with_numbers = counts[f"scores and weighted {role}"]
        a, b = with_numbers.models
        without = replace(with_numbers, models=(replace(a, _role_tallies={}), b))
        assert wrong(without) == set()
    cluster = counts["scores and clusters"]
    assert "clusters" in wrong(replace(cluster, joint=replace(cluster.joint, clusters=None)))


def test_counts_of_all_rows_are_those_of_one_subgroup(counts):
    m = as_subgroup(counts["decisions and weights"].models[0])
    table = np.zeros((2, 2))
    np.add.at(table, (Y, (A > 0.4).astype(int)), W)
    np.testing.assert_allclose(m.counts, [table])
    assert (m.scores, m.sums) == ((), None)
    m = as_subgroup(counts["scores and weights"].models[0])
    assert (m.counts, m.sum_squared_weights) == (None, None)
    (lines,) = m.scores
    assert lines.scores.tolist() == np.unique(A).tolist()
    assert lines.counts[:, 1].sum() == pytest.approx(W[Y == 1].sum())


def test_whole_counts_agree_exactly_and_sums_nearly():
    one = np.array([1e6, 2.0])
    for other, same in (
        (one, True), (one + 1, False), (one[:1], False), (one * (1 + 1e-10), True),
        (one * (1 + 1e-8), False), ([np.inf, 2.0], False), ([1e6, np.nan], False),
    ):  # fmt: skip
        assert agree(one, np.array(other)) is same, other
    endless = np.array([np.inf, 0.5, np.nan])
    assert agree(endless, endless.copy())
    assert agree(endless, np.array([np.inf, 0.5 + 1e-12, np.nan]))
    assert not agree(endless, np.array([-np.inf, 0.5, np.nan]))
