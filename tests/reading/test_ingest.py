"""Chunks of rows and of counted lines: what is counted of them, together and alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tallymark as tm
from tallymark.part import part_roles
from tallymark.reading.chunks import Chunk
from tallymark.reading.columns import ModelRoles
from tallymark.reading.derived import DUST, Derived
from tallymark.reading.ingest import (
    Classes,
    Counted,
    Job,
    RowCounter,
    complete_rows,
    refuse_masked,
    without_codes,
)
from tallymark.reading.memory import Room, Scoring, width_of
from tallymark.reading.source import Source
from tallymark.tally.arrays import Coded
from tallymark.tally.bins import Bins

N = 90
ROW = np.arange(N)
TRUE = (ROW * 7 % N < 30).astype(int)
FIRST = np.round((ROW * 17 % N) / N * 0.5 + 0.4 * TRUE, 1)
SECOND = np.round((ROW * 23 % N) / N, 1)
CALLED = (SECOND > 0.4).astype(int)
SITE = ROW % 4 - 1
"""Codes of three sites, -1 where it is missing."""
SITES = ("east", "north", "south")
TIMES = ROW % 3 + 1
WEIGHT = 0.5 + ROW % 5
WHO = ROW // 4
MODELS = (ModelRoles("a", None, ("s",), (None,)), ModelRoles("b", "c", ("t",), (None,)))


def job(**options):
    options = {"models": MODELS, "subgroups": {"site": "site"}} | options
    return Job(Source("rows"), "y", **options)


def chunk(keep=slice(None), **more):
    """Return rows as one chunk; their numbers may be replaced, and groups given."""
    groups = more.pop("groups", {})
    numbers = {"s": FIRST, "t": SECOND} | more
    labels = {"y": Coded(TRUE, (0, 1)), "c": Coded(CALLED, (0, 1)), "site": Coded(SITE, SITES)}
    return Chunk(
        0,
        {n: replace(c, codes=c.codes[keep]) for n, c in labels.items()},
        {n: v[keep].astype(float) for n, v in numbers.items()},
        len(TRUE[keep]),
        {n: v[keep] for n, v in groups.items()},
    )


def counted(of, *chunks, **options):
    return RowCounter(of, **options).count(chunks).result()


def alike(one, other):
    """Hold two results to the same numbers of models, rows and subgroups."""
    for mine, its in zip(one.models, other.models, strict=True):
        assert mine.labels == its.labels
        assert mine.scores == its.scores
        assert (mine.name, mine.rule, mine.threshold) == (its.name, its.rule, its.threshold)
    assert one.joint == other.joint
    mine, its = one.subgroup_counts, other.subgroup_counts
    assert mine.keys == its.keys
    assert mine.rows.tolist() == its.rows.tolist()
    for a, b in zip(mine.models, its.models, strict=True):
        x, y = (m.scores[0].lines() for m in (a, b))
        np.testing.assert_allclose(x.scores, y.scores)
        np.testing.assert_allclose(x.counts, y.counts)
        np.testing.assert_allclose(x.squares, y.squares)
        assert (a.counts is None) == (b.counts is None)
        if a.counts is not None:
            np.testing.assert_allclose(a.counts, b.counts)


def test_lines_that_count_rows_are_those_rows():
    rows = np.repeat(ROW, TIMES)
    by_row, by_line = counted(job(), chunk(rows)), counted(job(counted="n"), chunk(n=TIMES))
    alike(by_row, by_line)
    assert by_line.rows == by_row.rows == TIMES.sum()
    assert by_line.subgroup_counts.rows.tolist() == [
        TIMES[k == SITE].sum() for k in (0, 1, 2, -1)
    ]  # a missing site is a subgroup, the last
    assert (by_line.weighted, by_line.dropped) == (False, 0)
    tp = TIMES[(TRUE == 1) & (CALLED == 1)].sum()
    assert by_line.model("b").labels.counts[1, 1] == tp
    assert by_line.model("a").rule == "scores at or above 0.5"
    assert by_line.model("b").rule == "predictions as given"


def test_lines_may_count_rows_of_a_weight():
    rows = np.repeat(ROW, TIMES)
    by_row = counted(job(weight="w"), chunk(rows, w=WEIGHT))
    by_line = counted(job(weight="w", counted="n"), chunk(w=WEIGHT, n=TIMES))
    alike(by_row, by_line)
    assert (by_line.weighted, by_line.rows) == (True, TIMES.sum())
    at = (TRUE == 0) & (CALLED == 1)
    labels = by_line.model("b").labels
    assert labels.counts[0, 1] == pytest.approx((TIMES * WEIGHT)[at].sum())
    assert labels.sum_squared_weights[0, 1] == pytest.approx((TIMES * WEIGHT**2)[at].sum())
    assert by_line.joint.weights.sum() == pytest.approx((TIMES * WEIGHT).sum())


def test_chunks_add_up_to_all_rows():
    whole = counted(job(cluster="who"), chunk(groups={"who": WHO}))
    parts = [chunk(slice(i, j), groups={"who": WHO}) for i, j in ((0, 40), (40, 41), (41, 90))]
    alike(whole, counted(job(cluster="who"), *parts))
    assert whole.clusters == 23
    (note,) = (n for n in whole.notes if n.rule == "cluster-intervals" or "cluster" in n.text)
    assert "23 clusters of up to 4 rows" in note.text
    alone = counted(job(cluster="who"), chunk(groups={"who": ROW}))
    assert any("90 clusters of one row each" in n.text for n in alone.notes)
    one = counted(job(cluster="who"), chunk(groups={"who": 0 * ROW}))
    assert any("one cluster of up to 90 rows" in n.text for n in one.notes)


def test_counts_are_equal_where_every_part_is():
    def of(*chunks, **options):
        counter = RowCounter(job(**options), **({"arrays": True}))
        return counter.count(chunks).counted

    whole = of(chunk())
    order = ROW * 37 % N
    assert of(chunk(order)) == whole
    assert of(chunk(slice(0, 50)), chunk(slice(50, 90))) == whole
    assert Counted.from_dict(whole.to_dict()) == whole
    assert whole != 7
    swapped = FIRST.copy()
    swapped[[0, 1]] = swapped[[1, 0]]  # the same tallies, other rows side by side
    for other in (
        of(chunk(slice(0, 89))), of(chunk(s=SECOND)), of(chunk(w=WEIGHT), weight="w"),
        of(chunk(s=swapped)), replace(whole, dropped=1), replace(whole, joint=None),
        replace(whole, heaviest=2.0), replace(whole, weighted=True),
        of(chunk(w=0 * ROW + 1.0), weight="w"),
    ):  # fmt: skip
        assert other != whole


def test_incomplete_rows_are_left_out_or_named():
    labels = {"y": Coded(np.array([0, 1, -1, 0, 1, 0]), (0, 1)), "site": Coded(np.array([-1, 0, 0, 0, -1, 0]), SITES),
              "fold": Coded(np.array([0, 0, 0, 0, 0, -1]), (1,))}  # fmt: skip
    numbers = {
        "s": np.array([0.1, np.nan, 0.3, 0.4, 0.5, 0.6]),
        "n": np.array([1.0, 2, 3, 4, 5, 6]),
    }
    rows = Chunk(100, labels, numbers, 6, {"who": np.array([0, 0, 0, -1, 1, 1])})
    of = job(models=MODELS[:1], subgroups={"site": "site", "fold": "fold"}, fold="fold",
             counted="n", missing="drop")  # fmt: skip
    kept, dropped = complete_rows(rows, of, 100)
    assert (kept.rows, dropped) == (2, 4)
    assert kept.count.tolist() == [1, 5]
    assert kept.weight is None
    assert kept.numbers["s"].tolist() == [0.1, 0.5]
    weighed, _ = complete_rows(rows, replace(of, weight="n", counted=None), 100)
    assert (weighed.weight.tolist(), weighed.count) == ([1, 5], None)
    with pytest.raises(tm.InputError) as caught:
        complete_rows(rows, replace(of, missing="error"), 100)
    remedy = "correct the data, or say missing='drop' to leave those rows out"
    assert str(caught.value) == (
        "y is missing in 1 row, first at row 103, and fold in 1 row, first at row 106, and s in 1 "
        f"row, first at row 102, and who in 1 row, first at row 104; {remedy}"
    )
    with pytest.raises(tm.InputError) as caught:
        complete_rows(replace(rows, labels={}, groups={}), replace(of, missing="error"), None)
    assert str(caught.value) == f"s is missing in 1 row, first at index 1; {remedy}"
    result = counted(replace(of, cluster="who"), rows)
    assert (result.rows, result.dropped) == (6, 4)


def test_codes_for_missing_labels_and_scores_are_missing():
    of = job(codes=(-1, -100), subgroups={})
    labels = {
        "y": Coded(np.array([0, 1, 2, -1]), (-100, 0, 1)),
        "c": Coded(np.array([2, 1, 0, 0]), (0, 1, "-1")),
    }
    rows = Chunk(0, labels, {"s": np.array([0.5, -1, -100, 1]), "w": np.array([-1.0, 1, 1, 1])}, 4)
    found = without_codes(rows, of)
    assert (found.labels["y"].labels, found.labels["y"].codes.tolist()) == ((0, 1), [-1, 0, 1, -1])
    assert (found.labels["c"].labels, found.labels["c"].codes.tolist()) == (
        (0, 1, "-1"),
        [2, 1, 0, 0],
    )
    np.testing.assert_equal(found.numbers["s"], [0.5, np.nan, np.nan, 1])
    assert found.numbers["w"].tolist() == [-1, 1, 1, 1]
    assert without_codes(rows, job()) is rows


def test_masks_are_numbers_below_all_others_that_no_prediction_names():
    def asked(numbers, predicted=()):
        true = Coded(np.arange(12) % len(numbers), tuple(numbers))
        columns = {"y": true} | (
            {"p": Coded(np.zeros(12, int), tuple(predicted))} if predicted else {}
        )
        try:
            refuse_masked(columns)
        except tm.InputError as error:
            return str(error).partition(",")[0]
        return ""

    assert asked((-100, 0, 1)) == "y is -100 in 4 rows"
    assert asked((-1, 0, 1), (0, 1)) == "y is -1 in 4 rows"
    assert asked((-1, 0, 1)) == ""  # -1 alone may be a class
    assert asked((-1, 0, 1), (-1, 0)) == ""
    assert asked((-100, 0, 1), (-100, 0)) == ""
    assert asked((-100, 0), (0,)) == ""  # two classes
    assert asked((-100, -2, 1), (1,)) == ""
    assert asked((-1, 0, "a"), (0,)) == ""


def test_scores_beyond_0_and_1_by_rounding_are_clipped_and_noted_once():
    over = FIRST.copy()
    over[0], over[60] = 1 + DUST / 2, -DUST / 2
    result = counted(job(), chunk(slice(0, 50), s=over), chunk(slice(50, 90), s=over))
    notes = [n for n in result.notes if n.model == "s"]
    assert len(notes) == 1
    assert not [n for n in result.notes if n.model == "t"]
    scores = result.model("a").scores[0].scores
    assert (scores.min(), scores.max()) == (0.0, 1.0)
    derived = Derived("1 - s", ("s",), factors=(-1.0,), constant=1.0, note="turned")
    roles = (ModelRoles("a", None, ("1 - s",), derived=(derived,), notes=("said",)),)
    classes = Classes((0, 1), 1, roles, {"NO": "no"})
    read = classes.meant(chunk(s=over), job(models=roles))
    np.testing.assert_allclose(read.numbers["1 - s"], np.clip(1 - over, 0, 1))
    assert classes.read_as == ("turned", "said", "'NO' as 'no'")
    assert (classes.scored, Classes((0, 1, 2), None, roles).scored) == ((1,), (0, 1, 2))
    assert (classes.declared, Classes((1, 0), 1, roles, ordered=True).declared) == (
        {},
        {"classes": [1, 0]},
    )


def test_a_job_names_its_columns_by_what_they_are_for():
    of_roles = dict.fromkeys(list(part_roles())[:1], "e")
    of = job(weight="w", counted="n", cluster="who", roles=of_roles, fold="k",
             subgroups={"site": "site", "k": "k"})  # fmt: skip
    assert (of.decided, of.scores, of.needed) == (["y", "c"], ["s", "t"], ["y", "c", "s", "t", "k"])
    assert (of.heavy, of.mass, of.by_row) == (["w", "n"], "w", "who")
    assert replace(of, weight=None).mass == "n"
    assert replace(of, cluster=None).by_row == ("e" if of_roles else None)
    assert of.columns == {
        "labels": ["y", "c", "site", "k"], "numbers": ["s", "t", "w", "n", *of_roles.values()],
        "groups": ["who"], "subgroups": ["site", "k"],
    }  # fmt: skip
    assert job(subgroups={}).columns["groups"] == []
    read = replace(of, percent=True, source=Source("rows", format=("a note",))).read_as(1)
    assert read.read_as == (
        "Read as: truth = `y` (1 is positive), pred = `c`, score = `s`, `t`, weight = `w`, "
        f"count = `n`, cluster = `who`, fold = `k`, {''.join(f'{role} = `e`, ' for role in of_roles)}"
        "subgroup = `site`; format: a note, percent."
    )
    assert (read.format, read.positive) == (("a note", "percent"), 1)
    stated = job(
        labels=(np.int64(0), 1),
        missing="drop",
        percent=True,
        score_of=("a", "b"),
        score_is="logit",
        ignore_case=False,
    )
    assert stated.stated == {
        "classes": [0, 1], "ignore_case": False, "missing": "drop", "percent": True,
        "score_of": ["a", "b"], "score_is": "logit",
    }  # fmt: skip
    assert job(codes=(-100,), missing="drop", score_of="a").stated == {
        "missing": [-100],
        "score_of": "a",
    }
    assert job().stated == {}


def test_rows_that_exceed_the_limit_are_not_kept_unless_clusters_need_them():
    size = counted(job(), chunk()).joint.nbytes
    assert counted(job(), chunk(), most_kept=size).joint.rows == N
    for chunks in ([chunk()], [chunk(slice(0, 50)), chunk(slice(50, 90))]):
        less = counted(job(), *chunks, most_kept=size - 1)
        assert less.joint is None
        assert less.subgroup_counts.of_rows is None
        assert less.rows == N
    with pytest.raises(tm.InputError) as caught:
        counted(job(cluster="who"), chunk(groups={"who": WHO}), most_kept=size - 1)
    assert str(caught.value) == (
        "there are too many rows in rows to keep them, as who requires (at most 2 GB of labels and scores); "
        "judge fewer rows or models, or give more memory"
    )
    assert counted(job(models=MODELS[:1]), chunk()).joint is None  # one column is its tally


KINDS = np.arange(N) * 11 % 7 % 3
SHARES = np.stack([1 + ROW * 7 % 5, 2 + ROW * 5 % 7, 1 + ROW * 3 % 11], 1) + np.arange(3) / 8
SHARES /= SHARES.sum(1, keepdims=True)
COLUMNS = ("p_a", "p_b", "p_c")


def of_kinds(keep=slice(None), **more):
    numbers = dict(zip(COLUMNS, SHARES.T, strict=True)) | more
    labels = {"y": Coded(KINDS[keep], tuple("abc")), "c": Coded(KINDS[keep] // 2, ("a", "b"))}
    return Chunk(
        0, labels, {n: v[keep].astype(float) for n, v in numbers.items()}, len(KINDS[keep])
    )


def test_scores_of_each_class_decide_by_the_highest_unless_decisions_are_given():
    for pred, decided in ((None, SHARES.argmax(1)), ("c", KINDS // 2)):
        models = (ModelRoles("m", pred, COLUMNS, tuple("abc")),)
        rows = np.repeat(ROW, TIMES)
        of = job(models=models, subgroups={})
        by_row = counted(of, of_kinds(rows))
        by_line = counted(replace(of, counted="n"), of_kinds(n=TIMES))
        table = np.zeros((3, 3))
        np.add.at(table, (KINDS[rows], decided[rows]), 1)
        for found in (by_row, by_line):
            (m,) = found.models
            assert m.labels.counts.tolist() == table.tolist()
            assert [t.positive for t in m.scores] == list("abc")
            for k, t in enumerate(m.scores):
                assert t.scores.tolist() == np.unique(SHARES[:, k]).tolist()
                assert t.counts[:, k].sum() == (KINDS[rows] == k).sum()
            assert found.joint.rows == found.rows == len(rows)
            assert found.positive is None
        assert by_row.joint == by_line.joint
        losses = ((SHARES - np.eye(3)[KINDS]) ** 2).sum(1)
        brier = tm.metrics.brier(by_line.models[0].scores)
        assert brier == pytest.approx(np.average(losses, weights=TIMES))
    off = {c: SHARES[:, i] * 1.02 for i, c in enumerate(COLUMNS)}
    of = job(models=(ModelRoles("m", None, COLUMNS, tuple("abc")),), subgroups={})
    (note,) = counted(of, of_kinds(slice(0, 50)), of_kinds(slice(50, 90), **off)).notes
    assert "0.02" in note.text
    assert counted(of, of_kinds(), most_kept=1).joint is None


def test_the_probability_of_the_predicted_class_is_that_of_the_positive_one_of_two():
    top = np.where(CALLED, 0.5 + SECOND / 2, 1 - SECOND / 2)
    models = (ModelRoles("m", "c", ("t",), (None,), of_predicted=True),)
    found = counted(job(models=models, positive=1), chunk(t=top))
    (m,) = found.models
    wanted = np.where(CALLED, top, 1 - top)
    assert m.scores[0] == tm.ScoreTally.from_arrays(TRUE, wanted)
    assert m.labels == tm.LabelTally.from_arrays(TRUE, CALLED)
    assert (m.rule, found.positive) == ("predictions as given", 1)


def test_more_rows_than_floats_count_exactly_are_noted():
    many = chunk(slice(0, 3), n=np.full(N, 2.0**52))
    found = counted(job(models=MODELS[1:], counted="n"), many)
    assert any("13,510,798,882,111,488" in n.text for n in found.notes)
    few = chunk(slice(0, 3), n=np.full(N, 2.0**51))
    found = counted(job(models=MODELS[1:], counted="n"), few)
    assert not any("6,755,399,441,055,744" in n.text for n in found.notes)


@pytest.mark.parametrize("role", part_roles())
def test_numbers_of_rows_are_counted_beside_the_scores_of_two_classes(role):
    roles = {role: "e"}
    found = counted(job(models=MODELS[:1], roles=roles), chunk(e=ROW + 1))
    assert found.joint.numbers[role].tolist() == (ROW + 1).tolist()
    with pytest.raises(tm.InputError) as caught:
        counted(job(models=(ModelRoles("b", "c"),), roles=roles), chunk(e=ROW))
    assert str(caught.value) == (
        f"e is the {role} of rows, which is read with their score for two classes, and there is "
        f"no such score; give one, or leave {role}= out"
    )
    for options, word in (({"cluster": "e"}, "cluster"), ({"roles": roles}, role)):
        counter = RowCounter(job(models=MODELS[:1], **options))
        counter.count([chunk(e=ROW, groups={"e": WHO})])
        with pytest.raises(tm.InputError) as caught:
            counter.forget_rows()
        assert str(caught.value) == (
            "the scores of rows are too many to keep and were counted in bins, and e needs the "
            f"rows; give more memory=, or leave {word}= out"
        )


# -- scores that exceed the memory -------------------------------------------------------------


def room_for(distinct, tolerance=None):
    """Return the room in which a lone column of two classes may have so many distinct scores."""
    room = Room(300_000_000 + 150 * distinct + 75, "little", tolerance)
    assert room.scores() == distinct
    return room


def test_more_distinct_scores_than_memory_holds_are_counted_in_bins():
    scores = np.round(FIRST + ROW / 1000, 4)
    distinct = len(np.unique(scores))
    for columns in ({}, {"weight": "w"}, {"counted": "n"}):
        of = job(models=MODELS[:1], **columns)
        chunks = [
            chunk(slice(i, j), s=scores, w=WEIGHT, n=TIMES)
            for i, j in ((0, 30), (30, 31), (31, 90))
        ]
        exact = counted(of, *chunks).models[0].scores[0]
        for most, binned in ((distinct, False), (distinct - 1, True), (10, True)):
            scoring = Scoring(room_for(most), lambda rows: [chunk(s=scores)], of)
            found = counted(of, *chunks, scoring=scoring)
            tally = found.models[0].scores[0]
            assert (tally.bins is not None) is binned
            assert tally == (exact.binned(tally.bins) if binned else exact)
            assert found.rows == exact.rows
            again = Scoring(
                room_for(most),
                lambda rows: [chunk(s=scores)],
                of,
                {("a", 1): tally.bins} if binned else {},
            )
            assert counted(of, *chunks, scoring=again).models[0].scores[0] == tally


def test_bins_are_laid_anew_until_they_are_narrow_enough():
    of = job(models=MODELS[:1])
    scores = np.round(FIRST + ROW / 1000, 4)
    exact = counted(of, chunk(s=scores)).models[0].scores[0]
    wide = exact.binned(Bins([0.0, 1.0], 2))
    place = np.searchsorted(wide.scores, exact.scores, "right")
    of_class = [np.bincount(place, exact.counts[:, k]) for k in (0, 1)]
    width = (of_class[0] * of_class[1]).sum() / np.prod(exact.counts.sum(0))
    assert width_of(wide) == pytest.approx(width)
    assert width_of(exact) == 0

    def scoring(tolerance, laid=None):
        return Scoring(room_for(20, tolerance), lambda rows: [chunk(s=scores)], of, laid)

    key = ("a", 1)
    assert scoring(None).refined({key: wide}) is None
    assert scoring(width + 1e-9).refined({key: wide}) is None
    assert scoring(0.01).refined({key: exact}) is None
    again = scoring(width / 2).refined({key: wide})
    finer = counted(of, chunk(s=scores), scoring=again).models[0].scores[0]
    assert finer.bins != wide.bins
    assert width_of(finer) <= width_of(wide)
    with pytest.raises(tm.InputError) as caught:
        scoring(width / 2, {key: wide.bins}).refined({key: wide})
    assert str(caught.value) == (
        f"tolerance={width / 2:g} needs about 4 bins of a and memory=little holds 2, with a bracket of "
        f"{width:.2g}; give more memory or a wider tolerance"
    )
