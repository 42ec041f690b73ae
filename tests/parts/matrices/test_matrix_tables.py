"""Tables of counts: how their lines and columns are read, and what is refused, word by word."""

from __future__ import annotations

import pandas as pd
import pytest

import tallymark as tm
from tallymark.parts.matrices.matrix_tables import STUDIES

FOUR = pd.DataFrame(
    {"TP": [47, 126, 19], "FN": [9, 51, 10], "FP": [101, 272, 12], "TN": [7, 15, 19]}
)
NAMED = FOUR.assign(author=["Smith", "Jones", "Li"], year=[2001, 2003, 2004])
COUNTS = "count = `TP`, `FN`, `FP`, `TN`"


def read_as(table, **options):
    return tm.evaluate(table, **options).source.read_as


def cells(ev):
    return ev.models[0].labels.counts.astype(int).tolist()


def test_how_lines_of_four_counts_are_read():
    how = "format: a study a line"
    for table, options, told in (
        (FOUR, {}, f"{COUNTS}; {how}."),
        (NAMED, {}, f"{COUNTS}, subgroup = `author`; {how}; ignored: `year`."),
        (NAMED, {"subgroup": "year"}, f"{COUNTS}, subgroup = `year`; {how}; ignored: `author`."),
        (NAMED, {"subgroup": ["author", "year"]}, f"{COUNTS}, subgroup = `author`, `year`; {how}."),
        (NAMED.drop(columns="author"), {}, f"{COUNTS}, subgroup = `year`; {how}."),
    ):
        assert read_as(table, **options) == f"Read as: {told}"
    for name in STUDIES:
        found = read_as(NAMED.rename(columns={"author": f"the {name}s"}))
        assert f"subgroup = `the {name}s`" in found
    models = FOUR.assign(TP=40, FN=16, FP=[9, 8, 7], TN=[1, 2, 3], model=["a", "b", "c"])
    ev = tm.evaluate(models)
    assert ev.names == ("a", "b", "c")
    assert ev.source.read_as == (
        f"Read as: pred = `model`, {COUNTS}; format: a model a line, a: TP 40, FN 16, FP 9, TN 1, "
        "b: TP 40, FN 16, FP 8, TN 2, c: TP 40, FN 16, FP 7, TN 3."
    )


def test_the_counts_are_where_they_belong():
    ev = tm.evaluate(NAMED)
    assert (ev.classes, ev.positive) == (("negative", "positive"), "positive")
    assert cells(ev) == [[41, 385], [70, 192]]
    assert ev.by("author").rows == {"Smith": 164, "Jones": 464, "Li": 60}
    assert ev.by("author").values(["sensitivity"])["Li"]["sensitivity"].value == 19 / 29
    given = tm.evaluate(NAMED, classes=["sick", "well"], positive="sick")
    assert (given.classes, given.positive) == (("sick", "well"), "sick")
    assert cells(given) == [[192, 70], [385, 41]]
    other = tm.evaluate(NAMED, classes=["sick", "well"], positive="well")
    assert cells(other) == [[41, 385], [70, 192]]
    words = {"TP": "true positives", "FN": "False_Negative", "FP": "fps", "TN": "TrueNegatives"}
    assert cells(tm.evaluate(NAMED.rename(columns=words).iloc[:, ::-1])) == cells(ev)
    gap = NAMED.assign(TP=[None, 126, 19])
    assert (tm.evaluate(gap, missing="drop").rows, tm.evaluate(gap, missing="drop").dropped) == (
        524, 1,
    )  # fmt: skip
    one = tm.evaluate(NAMED[:1])
    assert cells(one) == [[7, 101], [9, 47]]


def refusal(table, **options):
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(table, **options)
    return str(refused.value)


def test_refusals_word_by_word():
    alike = FOUR.assign(TP=[40, 41, 42], FN=[16, 15, 14], FP=[9, 8, 7], TN=[1, 2, 3])
    for table, options, told in (
        (FOUR.assign(tps=1), {}, "the data frame has the columns 'TP', 'tps', which could all be "
         "the same one of the four counts; keep one"),
        (NAMED, {"classes": ["a", "b", "c"]}, "classes names 3 classes, and 'TP', 'FN', 'FP', 'TN' "
         "are counts of two; name two"),
        (NAMED, {"subgroup": "TP"},
         "'TP' holds counts and cannot name subgroups; name another column"),
        (NAMED.assign(cutoff=[1, 2, 3]), {}, "the data frame holds counts at each 'cutoff', all of "
         "the same rows; keep one line and leave 'cutoff' out, or give the scores"),
        (NAMED.assign(site="x"), {}, "several columns of the data frame could name what each line "
         "counts: 'author', 'site'; say which names the studies with subgroup='author', or leave "
         "the others out"),
        (NAMED.assign(model="x"), {}, "several columns of the data frame could name what each line "
         "counts: 'model', 'author'; say which names the studies with subgroup='model', or leave "
         "the others out"),
        (FOUR.assign(a=1, b=2), {}, "several columns of the data frame could name what each line "
         "counts: 'a', 'b'; say which names the studies with subgroup='a', or leave the others "
         "out"),
        (NAMED.assign(author=["Li", "Jones", "Li"]), {}, "'author' of the data frame is 'Li' in "
         "several lines; name with subgroup=... the columns that distinguish them, or only that "
         "one to add them up"),
        (alike, {}, "all lines of the data frame have the same number of positives and of "
         "negatives; if they are models on the same rows, name the column of their names 'model', "
         "and if they are studies say subgroup=... with a column of names"),
        (alike.assign(site=list("abc")), {}, "all lines of the data frame have the same number of "
         "positives and of negatives; if they are models on the same rows, name the column of "
         "their names 'model', and if they are studies say subgroup='site'"),
        (FOUR * 0, {}, "there is no row to count in the data frame; give at least one"),
        (FOUR[:0], {}, "there is no row to count in the data frame; give at least one"),
    ):  # fmt: skip
        assert refusal(table, **options) == told
    assert tm.evaluate(alike.assign(site=list("abc")), subgroup="site").by("site").keys == (
        "a", "b", "c",
    )  # fmt: skip


def test_a_square_table_is_read_by_its_corner():
    square = pd.DataFrame({"actual": ["no", "yes"], "no": [71, 18], "yes": [29, 82]})
    for table, options, counts in (
        (square, {}, [[71, 29], [18, 82]]),
        (square.rename(columns={"actual": "predicted"}), {}, [[71, 18], [29, 82]]),
        (square, {"pred": "actual"}, [[71, 18], [29, 82]]),
        (square.rename(columns={"actual": "predicted"}), {"truth": "predicted"},
         [[71, 29], [18, 82]]),
        (square[["yes", "no", "actual"]], {}, [[71, 29], [18, 82]]),
        (square[::-1], {}, [[82, 18], [29, 71]]),
    ):  # fmt: skip
        ev = tm.evaluate(table, positive="yes", **options)
        assert cells(ev) == counts
    gap = square.assign(yes=[None, 82])
    assert refusal(gap, positive="yes") == (
        "the data frame has no count in row 'no', column 'yes'; write 0 there"
    )
