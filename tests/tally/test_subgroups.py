"""Rows counted by subgroup, and what is refused."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from tallymark.errors import InputError
from tallymark.infer.delong import auc_variance
from tallymark.infer.score_samples import ROW_LOSS, jackknife
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.arrays import Coded
from tallymark.tally.joint import ModelColumn
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import (
    ROW_LOSSES,
    RaggedKeys,
    RaggedScores,
    SubgroupCounter,
    SubgroupCounts,
    joined,
    rest_sums,
    stack_rows,
)

CLASSES = ("no", "yes")


def counted(parts, weights=None):
    subgroup_counter = SubgroupCounter(("a", "b"), CLASSES)
    for a, b, true, said, score in parts:
        sides = [ModelColumn("m", said, (score,))]
        w = None if weights is None else weights[: len(true)]
        squares = None if w is None else w**2
        subgroup_counter.add([Coded(a, ("x", "y", "z")), Coded(b, (1, 2))], true, sides, w, squares)
    return subgroup_counter.result()


def made(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(-1, 3, n), rng.integers(-1, 2, n), rng.integers(0, 2, n),
        rng.integers(0, 2, n), rng.integers(0, 20, n) / 20,
    )  # fmt: skip


def lines(model):
    return [s.lines() for s in model.scores]


def test_subgroups_are_read_back_with_and_without_their_rows():
    for keep in (False, True):
        counter = SubgroupCounter(("a",), CLASSES)
        of, codes = Coded(np.array([0, 0, 1]), ("x", "y")), np.array([0, 1, 1])
        counter.add([of], codes, [ModelColumn("m", codes)], keep=keep)
        data = counter.result().to_dict()
        assert data["of_rows"] == ([0, 0, 1] if keep else None)
        assert SubgroupCounts.from_dict(json.loads(json.dumps(data))).to_dict() == data
        for of_rows in ([0, 1, 1], [0, 0, 2], [0, 0, 1, 1]):
            with pytest.raises(InputError, match="the subgroups of this .* are damaged or incons"):
                SubgroupCounts.from_dict({**data, "of_rows": of_rows})


def test_chunks_add_up_to_the_whole():
    a, b, true, said, _score = arrays = made()
    cuts = [0, 40, 41, 200, 300]
    parts = [tuple(v[i:j] for v in arrays) for i, j in itertools.pairwise(cuts)]
    one, many = counted([arrays]), counted(parts)
    assert one.keys == many.keys
    assert one.rows.tolist() == many.rows.tolist()
    for left, right in zip(one.models, many.models, strict=True):
        assert np.array_equal(left.counts, right.counts)
        for s, t in zip(lines(left), lines(right), strict=True):
            assert np.array_equal(s.subgroups, t.subgroups)
            assert np.array_equal(s.scores, t.scores)
            assert np.array_equal(s.counts, t.counts)
    names = {0: "x", 1: "y", 2: "z", -1: None}
    numbers = {0: 1, 1: 2, -1: None}
    for key, matrix, rows in zip(one.keys, one.models[0].counts, one.rows, strict=True):
        at = np.array([(names[i], numbers[j]) == key for i, j in zip(a, b, strict=True)])
        assert rows == at.sum()
        table = [[(at & (true == i) & (said == j)).sum() for j in (0, 1)] for i in (0, 1)]
        assert matrix.tolist() == table
    assert one.keys[-1] == (None, None)


def test_all_subgroups_but_one_are_added_up():
    found = counted([made()], np.random.default_rng(1).uniform(1, 2, 300))
    (s,) = found.models[0].scores
    for i in (0, 5, len(found) - 1):
        rest, renamed = s.without(i), np.zeros(len(found), dtype=np.intp)
        slow = type(s).joined([s.kept(s.subgroups != i)], [renamed])
        assert np.array_equal(rest.scores, slow.scores)
        np.testing.assert_allclose(rest.counts, slow.counts, rtol=1e-14)
        np.testing.assert_allclose(rest.sum_squared_weights, slow.sum_squared_weights, rtol=1e-14)
    assert not len(counted([made(1)]).models[0].scores[0].without(0).scores)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [None, 1])
def test_subgroups_without_one_are_those_of_the_other_rows(weighted, digits):
    rng = np.random.default_rng(5)
    of, true = rng.integers(0, 4, 300), rng.integers(0, 2, 300)
    score = rng.normal(size=300)
    score = score if digits is None else score.round(digits)
    weights = rng.integers(1, 4, 300).astype(float) if weighted else None

    def counts_of(kept):
        counter = SubgroupCounter(("at",), CLASSES)
        w = None if weights is None else weights[kept]
        sides = [ModelColumn("m", true[kept], (score[kept],))]
        counter.add([Coded(of[kept], tuple("wxyz"))], true[kept], sides, w, keep=True)
        return counter.result()

    every = counts_of(np.ones(300, bool))
    for i in range(4):
        assert every.drop(i) == counts_of(of != i)


def test_columns_not_asked_for_are_added_up():
    found = counted([made()])
    by = found.by(["b"])
    assert by.keys == ((1,), (2,), (None,))
    assert by.rows.sum() == found.rows.sum()
    counts = sum(
        m for key, m in zip(found.keys, found.models[0].counts, strict=True) if key[1] == 2
    )
    assert np.array_equal(by.models[0].counts[1], counts)
    turned = found.by(["b", "a"])
    assert [k[::-1] for k in turned.keys] == sorted(
        found.keys, key=lambda k: [(v is None, v or 0) for v in k[::-1]]
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"subgroup": ["region"]}, "subgroup arrays need names; give a mapping"),
        ({"subgroup": {"region": ["x"]}}, "the lengths differ"),
    ],
)
def test_refusals_of_arrays(options, told):
    with pytest.raises(InputError, match=told):
        tm.evaluate([0, 1], [0, 1], **options)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"subgroup": {"region": ["x", "y"]}}, "subgroup names columns of a frame or file"),
        ({"subgroup": ["regoin"]}, "no column 'regoin' for subgroup; did you mean 'region'"),
        ({"subgroup": ["region", "region"]}, "the column 'region' is named twice"),
        (
            {"subgroup": ["label"], "truth": "label"},
            "the column 'label' is named twice; give every",
        ),
        (
            {"subgroup": ["who"], "score": "p", "weight": "who"},
            "the column 'who' is named twice; give every column",
        ),
        ({"subgroup": ["p"], "score": ["p"]}, "the column 'p' is named twice; give every column"),
        (
            {"subgroup": ["label"]},
            "several columns could be the true class: 'region', 'who'; say "
            r"tm.evaluate\(..., truth='region', score='p', positive='x'\)",
        ),
        ({"subgroup": ["p"]}, "only 'p' is named like a prediction or a score, and it was given"),
        (
            {"subgroup": ["age"], "score": "p"},
            "holds the number 40.5 at row 1, which is not a subgroup",
        ),
        ({"subgroup": 5}, "subgroup is 5; name columns"),
        ({"subgroup": [5]}, "there is no column 5 for subgroup"),
    ],
)
def test_refusals_of_frames(options, told):
    frame = pd.DataFrame({"label": [0, 1], "p": [0.2, 0.8], "region": ["x", "y"], "who": [1, 2]})
    frame["age"] = [40.5, 50.5]
    with pytest.raises(InputError, match=told):
        tm.evaluate(frame, **options)


def test_the_only_column_like_the_truth_cannot_be_a_subgroup():
    frame = pd.DataFrame({"label": [0, 1] * 9, "p": [0.2, 0.8] * 9})
    with pytest.raises(
        InputError,
        match="only 'label' is named like the true class, and it was given as the subgroup; name "
        "another column as the subgroup, or say which is the true class with truth=...",
    ):
        tm.evaluate(frame, subgroup=["label"])


def test_counts_by_score_cannot_be_split():
    frame = pd.DataFrame({"score": [0.1, 0.9], "pos": [1, 5], "neg": [5, 1], "region": ["x", "y"]})
    with pytest.raises(InputError, match="which do not keep their region; give one line per row"):
        tm.evaluate(frame, subgroup=["region"])


@pytest.mark.slow
def test_a_column_may_have_more_subgroups_than_there_may_be_classes(tmp_path):
    n = 12_000
    shop = np.arange(n) % 4000
    frame = pd.DataFrame({"label": np.arange(n) // 4000 % 2, "pred": 1, "shop": shop})
    frame.to_csv(tmp_path / "p.csv", index=False)
    for data in (frame, tmp_path / "p.csv"):
        found = tm.evaluate(data, subgroup=["shop"]).by("shop")
        assert len(found) == 4000
        assert set(found.rows.values()) == {3}
    frame["shop"] = np.arange(n)
    frame.to_csv(tmp_path / "p.csv", index=False)
    told = [
        "'shop' makes 12,000 subgroups, more than 10,000",
        "'shop' makes more than 10,000 subgroups",
    ]
    for data, sentence in zip((frame, tmp_path / "p.csv"), told, strict=True):
        with pytest.raises(InputError, match=sentence):
            tm.evaluate(data, subgroup=["shop"])
    frame["shop"] = np.arange(n) + 0.5
    frame.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(
        InputError, match="0.5 at row 1, which is not a subgroup; group the numbers"
    ):
        tm.evaluate(tmp_path / "p.csv", subgroup=["shop"])


def test_too_many_cells_are_refused():
    n = 300_000
    y = np.arange(n) % 900
    with pytest.raises(InputError, match="130 subgroups of 900 classes are too many to count"):
        tm.evaluate(y, y, subgroup={"part": np.arange(n) % 130})


def test_too_many_subgroups_are_refused():
    n = 20_000
    a, b = np.arange(n) // 100, np.arange(n) % 100
    with pytest.raises(InputError, match="'a' and 'b' make 20,000 subgroups, more than 10,000"):
        tm.evaluate(np.arange(n) % 2, np.arange(n) % 2, subgroup={"a": a, "b": b})


SUBGROUPS = 7


def rows(n=900, seed=0, digits=None, low=-1.0):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(low, 1, n)
    if digits is not None:
        scores = scores.round(digits)
    subgroups = rng.integers(0, SUBGROUPS, n)
    subgroups[subgroups == 5] = 4  # one subgroup has no row
    scores[:2] = [0.0, -0.0]
    return subgroups, scores, (rng.random(n) < (scores + 1) / 2).astype(np.int8)


def slow(subgroups, scores, true, weights=None):
    """A line for each subgroup and score, found one by one."""
    w = np.ones(len(subgroups)) if weights is None else weights
    out = []
    for s in range(SUBGROUPS):
        for x in np.unique(scores[subgroups == s]):
            at = (subgroups == s) & (scores == x)
            cells = [w[at & (true == k)] for k in (0, 1)]
            out.append((s, x, *(c.sum() for c in cells), *((c**2).sum() for c in cells)))
    return np.array(out)


@pytest.mark.parametrize("digits", [None, 1])
def test_lines_are_those_found_one_by_one(digits):
    subgroups, scores, true = rows(digits=digits)
    wanted = slow(subgroups, scores, true)
    keyed = RaggedKeys.of_rows(subgroups, scores, true, SUBGROUPS)
    counted = RaggedScores.of_rows(subgroups, scores, true.astype(np.intp), None, 2)
    for found in (
        keyed.lines(),
        counted,
        stack_rows(subgroups, scores, true, None, 2, SUBGROUPS).lines(),
    ):
        assert np.array_equal(found.subgroups, wanted[:, 0])
        assert np.array_equal(found.scores, wanted[:, 1])
        assert not np.signbit(found.scores[found.scores == 0]).any()
        assert np.array_equal(found.counts, wanted[:, 2:4])
        assert found.sum_squared_weights is None


def test_weighted_lines_are_those_found_one_by_one():
    subgroups, scores, true = rows(digits=1)
    w = np.random.default_rng(2).uniform(0, 3, len(true))
    wanted = slow(subgroups, scores, true, w)
    found = stack_rows(subgroups, scores, true, w, 2, SUBGROUPS, w**2)
    np.testing.assert_allclose(found.counts, wanted[:, 2:4], rtol=1e-13)
    np.testing.assert_allclose(found.sum_squared_weights, wanted[:, 4:], rtol=1e-13)


def test_scores_that_repeat_are_kept_as_lines_and_others_as_keys():
    subgroups, scores, true = rows()
    assert isinstance(stack_rows(subgroups, scores, true, None, 2, SUBGROUPS), RaggedKeys)
    assert isinstance(
        stack_rows(subgroups, scores.round(1), true, None, 2, SUBGROUPS), RaggedScores
    )


@pytest.mark.slow
def test_many_rows_are_sorted_as_few_are():
    rng = np.random.default_rng(4)
    n = 1 << 20
    subgroups, scores = np.minimum(rng.geometric(0.2, n) - 1, 40), rng.normal(size=n)
    made = RaggedKeys.of_rows(subgroups, scores, np.zeros(n, np.int8), 41).lines()
    order = np.lexsort((scores, subgroups))
    assert np.array_equal(made.scores, scores[order])
    assert np.array_equal(made.subgroups, subgroups[order])


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("renamed", [None, [0, 2, 1, 0, 3, 3, 4]])
def test_parts_are_joined_and_renamed(digits, renamed):
    subgroups, scores, true = rows(digits=digits)
    cuts = [0, 100, 101, 500, 900]
    seen = np.maximum.accumulate(subgroups)  # a part knows the subgroups that came so far
    parts = [
        stack_rows(subgroups[a:b], scores[a:b], true[a:b], None, 2, int(seen[b - 1]) + 1)
        for a, b in itertools.pairwise(cuts)
    ]
    names = np.arange(SUBGROUPS) if renamed is None else np.array(renamed)
    known = [names[: int(seen[b - 1]) + 1] for b in cuts[1:]]
    found = joined(parts, known, SUBGROUPS).lines()
    moved = names[subgroups]
    wanted = slow(moved, scores, true)
    assert np.array_equal(found.subgroups, wanted[:, 0])
    assert np.array_equal(found.scores, wanted[:, 1])
    assert np.array_equal(found.counts, wanted[:, 2:4])


def tally(lines, index, positive):
    s = lines.one(index, SUBGROUPS)
    return ScoreTally((0, 1), positive, s.scores, s.counts, s.sum_squared_weights)


@pytest.mark.parametrize("threshold", [-0.5, -0.0, 0.25, -1.5, 1.5, math.inf])
@pytest.mark.parametrize("positive", [0, 1])
def test_decisions_are_those_of_each_subgroup(threshold, positive):
    keyed = RaggedKeys.of_rows(*rows(digits=2), SUBGROUPS)
    found, squares = keyed.at(threshold, positive, SUBGROUPS)
    assert squares is None
    again, _ = keyed.lines().at(threshold, positive, SUBGROUPS)
    for s in range(SUBGROUPS):
        alone = tally(keyed, s, positive).at(threshold).counts
        assert np.array_equal(found[s], alone)
        assert np.array_equal(again[s], alone)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("digits", [None, 2])
def test_subgroups_are_judged_as_each_tally_is(weighted, positive, digits):
    subgroups, scores, true = rows(1500, digits=digits, low=0.001)
    scores[scores >= 0.99] = 0.99
    w = np.random.default_rng(1).uniform(0.5, 3, len(true)) if weighted else None
    stack = stack_rows(subgroups, scores, true, w, 2, SUBGROUPS, None if w is None else w**2)
    both = stack.judged(SUBGROUPS, positive, ROW_LOSSES)
    again = stack.lines().judged(SUBGROUPS, positive, ROW_LOSSES)
    for s in range(SUBGROUPS):
        t = tally(stack, s, positive)
        if not t.rows:
            assert np.isnan([both.area[s], both.losses["squared"].value[s]]).all()
            continue
        for found in (both, again):
            area, variance = auc_variance(t)
            np.testing.assert_allclose(
                [found.area[s], found.variance[s]], [area, variance], rtol=1e-11
            )
            assert found.positives[s] == pytest.approx(t._score_counts.positives)
            for name in ROW_LOSS:
                statistic = Statistic.of(get(name), (0, 1), positive)
                left, loss = jackknife(statistic, t), found.losses[ROW_LOSS[name]]
                np.testing.assert_allclose(
                    [loss.value[s], loss.error[s], loss.freedom[s]],
                    [left.value, left.error, left.degrees_of_freedom],
                    rtol=1e-7,
                    err_msg=name,
                )


def test_what_a_subgroup_cannot_tell_is_nan():
    one_class = RaggedScores(
        np.zeros(2, np.intp), np.array([0.2, 0.8]), np.array([[2.0, 0], [3, 0]])
    )
    found = one_class.judged(1, 1, ["log"])
    assert np.isnan([found.area[0], found.variance[0]]).all()
    one_row = RaggedScores(np.zeros(1, np.intp), np.array([0.2]), np.array([[1.0, 0]]))
    found = one_row.judged(1, 1, ["squared"]).losses["squared"]
    assert found.value[0] == pytest.approx(0.04)
    assert math.isnan(found.error[0])
    impossible = RaggedScores(
        np.zeros(2, np.intp), np.array([0.0, 1.0]), np.array([[0, 1.0], [0, 1]])
    )
    found = impossible.judged(1, 1, ["log"]).losses["log"]
    assert math.isinf(found.value[0])
    assert math.isnan(found.error[0])


def test_subgroups_by_fewer_columns_are_those_counted_by_them_alone():
    rng = np.random.default_rng(8)
    n, classes, cuts = 240, ("p", "q", "r"), (0, 100, 101, 240)
    a, b, true = rng.integers(-1, 3, n), rng.integers(0, 2, n), rng.integers(0, 3, n)
    shares, weights = rng.dirichlet([1, 1, 1], n).round(1), rng.uniform(1, 2, n)
    both, alone = SubgroupCounter(("a", "b"), classes), SubgroupCounter(("b",), classes)
    for i, j in itertools.pairwise(cuts):
        at = slice(i, j)
        sides = [
            ModelColumn("m", shares[at].argmax(1), tuple(np.ascontiguousarray(shares[at].T))),
            ModelColumn("n", true[at][::-1].copy()),
        ]
        of_a, of_b = Coded(a[at], ("x", "y", "z")), Coded(b[at], (1, 2))
        both.add([of_a, of_b], true[at], sides, weights[at], weights[at] ** 2, keep=True)
        alone.add([of_b], true[at], sides, weights[at], weights[at] ** 2, keep=True)
    found, wanted = both.result().by(["b"]), alone.result()
    assert (found.columns, found.keys) == (("b",), ((1,), (2,)))
    assert found.rows.tolist() == wanted.rows.tolist() == np.bincount(b).tolist()
    assert found.of_rows.tolist() == wanted.of_rows.tolist() == b.tolist()
    for mine, its in zip(found.models, wanted.models, strict=True):
        assert mine.name == its.name
        np.testing.assert_allclose(mine.counts, its.counts)
        np.testing.assert_allclose(mine.sum_squared_weights, its.sum_squared_weights)
        assert len(mine.scores) == len(its.scores)
        for s, t in zip(lines(mine), lines(its), strict=True):
            np.testing.assert_allclose(s.scores, t.scores)
            np.testing.assert_allclose(s.counts, t.counts)
            np.testing.assert_allclose(s.sum_squared_weights, t.sum_squared_weights)
    for index, sums in enumerate(found.models[0].sums):
        at = b == index
        for matrix, power in (
            (found.models[0].counts, 1),
            (found.models[0].sum_squared_weights, 2),
        ):
            table = np.zeros((3, 3))
            np.add.at(table, (true[at], shares[at].argmax(1)), weights[at] ** power)
            np.testing.assert_allclose(matrix[index], table)
        for k, stack in enumerate(lines(found.models[0])):
            own = stack.counts[stack.subgroups == index]
            squares = stack.squares[stack.subgroups == index]
            of_score = shares[at, k][:, None] == np.unique(shares[at, k])
            of_class = true[at][:, None] == np.arange(3)
            for values, power in ((own, 1), (squares, 2)):
                wanted_lines = (of_score * weights[at][:, None] ** power).T @ of_class
                np.testing.assert_allclose(values, wanted_lines)
        lost = ((shares[at] - np.eye(3)[true[at]]) ** 2).sum(1)
        assert sums.average("brier") == pytest.approx(np.average(lost, weights=weights[at]))
        assert sums.rows == at.sum()
        assert sums.mean("brier")[1] == pytest.approx(wanted.models[0].sums[index].mean("brier")[1])
    assert found.models[1].sums is None


def test_sums_over_all_but_each_subgroup_keep_their_digits():
    counts = np.array([[1.0, 2.5], [3.25, 1e-9], [1e9, 0.125], [4.0, 8.0]])
    wanted = [[sum(v for j, v in enumerate(c) if j != i) for c in counts.T] for i in range(4)]
    np.testing.assert_allclose(rest_sums(counts), wanted, rtol=1e-15)
    np.testing.assert_array_equal(
        rest_sums(np.floor(counts)), np.floor(counts).sum(0) - np.floor(counts)
    )


def test_lines_that_stand_for_rows_are_those_rows_in_every_subgroup():
    rng = np.random.default_rng(10)
    n, times = 60, np.arange(60) % 3 + 1
    at, true, said = rng.integers(-1, 2, n), rng.integers(0, 2, n), rng.integers(0, 2, n)
    score, w = rng.integers(0, 9, n) / 8, rng.uniform(1, 2, n)
    rows = np.repeat(np.arange(n), times)
    by_line, by_row = (SubgroupCounter(("a",), CLASSES) for _ in "ab")
    sides = [ModelColumn("m", said, (score,))]
    of = Coded(at, ("x", "y"))
    by_line.add([of], true, sides, times * w, times * w**2, times, keep=True)
    sides = [ModelColumn("m", said[rows], (score[rows],))]
    of = Coded(at[rows], ("x", "y"))
    by_row.add([of], true[rows], sides, w[rows], w[rows] ** 2, keep=True)
    mine, its = by_line.result(), by_row.result()
    assert mine.keys == its.keys == (("x",), ("y",), (None,))
    assert mine.rows.tolist() == its.rows.tolist() == [times[at == k].sum() for k in (0, 1, -1)]
    assert mine.of_rows.tolist() == its.of_rows.tolist()
    a, b = mine.models[0], its.models[0]
    np.testing.assert_allclose(a.counts, b.counts)
    np.testing.assert_allclose(a.sum_squared_weights, b.sum_squared_weights)
    (x,), (y,) = lines(a), lines(b)
    np.testing.assert_allclose(x.counts, y.counts)
    np.testing.assert_allclose(x.squares, y.squares)
    tallies = mine.score_tallies("m", ["yes"], 1)
    assert [t.rows for t in tallies] == [times[at == 1].sum()]
    inside = at[rows] == 1
    assert tallies[0].counts.sum() == pytest.approx(w[rows][inside].sum())
    assert tallies[0].scores.tolist() == np.unique(score[rows][inside]).tolist()
    found, threshold = mine.matrices("m", 0.5, "yes"), score[rows] >= 0.5
    for k, matrix in zip((0, 1, -1), found[0], strict=True):
        table = np.zeros((2, 2))
        own = at[rows] == k
        np.add.at(table, (true[rows][own], threshold[own].astype(int)), w[rows][own])
        np.testing.assert_allclose(matrix, table)
    assert mine.matrices("m", None, None)[0] is a.counts
    (rest,) = mine.score_tallies("m", ["yes"], 1, rest=True)
    assert rest.rows == times[at != 1].sum()
    assert rest.counts.sum() == pytest.approx(w[rows][at[rows] != 1].sum())


def test_lines_that_are_not_sorted_and_distinct_are_not_read():
    sound = RaggedScores(np.array([0, 0, 1]), np.array([0.2, 0.5, 0.2]), np.ones((3, 2)))
    again = RaggedScores.from_dict(sound.to_dict())
    assert again.to_dict() == sound.to_dict()
    for subgroups, scores in (
        ([0, 0, 1], [0.5, 0.5, 0.2]), ([0, 0, 1], [0.5, 0.2, 0.2]), ([1, 0, 0], [0.2, 0.5, 0.7]),
        ([0, 1, 1], [0.2, 0.5, 0.5]),
    ):  # fmt: skip
        data = sound.to_dict() | {"subgroups": subgroups, "scores": scores}
        with pytest.raises(InputError, match="damaged"):
            RaggedScores.from_dict(data)
    for counts in ([[1, -1]] * 3, [[1, 1]] * 2, [[1, 1, 1]] * 2):
        with pytest.raises(InputError):
            RaggedScores.from_dict(sound.to_dict() | {"counts": counts})


def test_counts_of_subgroups_are_equal_if_they_count_the_same():
    y, score, site = [0, 1, 1, 0, 1], [0.1, 0.9, 0.4, 0.3, 0.8], ["a", "b", "a", "b", "a"]

    def counted(truth, group):
        return tm.evaluate(truth, y_score=score, subgroup={"site": group})

    ev = counted(y, site)
    assert ev == counted(y, site)
    assert ev != counted(y, [*site[1:], "b"])
    assert ev != counted([1, *y[1:]], site)
    assert ev != counted(y, ["c" if s == "a" else s for s in site])
