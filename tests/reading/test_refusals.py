"""Refusals of data, whole: what is wrong, with its numbers, and what to do about it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from tallymark.part import part_roles

BY_ROW = ["clusters", *(role.plural for role in part_roles().values())]
R20 = range(20)
Y = [0, 1] * 10
P = [round(0.3 + 0.02 * i, 2) for i in R20]


def written(name, data):
    """Write a file here and return its name."""
    Path(name).write_bytes(data.encode() if isinstance(data, str) else data)
    return name


def folder(name):
    """Make a folder here and return its name."""
    Path(name).mkdir()
    return name


def cases():
    """Yield each refusal: what it is about, what is refused, and the whole sentence."""
    sets = np.array([[i % 2, i % 3 == 0] for i in R20], int)
    frame = pd.DataFrame({"y": Y, "p_a": P})
    ev = tm.evaluate(Y, y_score=P)
    yield (
        "no better direction",
        lambda: tm.evaluate(Y, y_score=P).optimal_threshold("prevalence"),
        "prevalence does not rank models: neither high nor low is better; it has no best threshold",
    )
    yield (
        "header and no rows",
        lambda: tm.evaluate(written("a.csv", "y,p\n")),
        "a.csv has a header and no rows; give at least one",
    )
    yield (
        "one row",
        lambda: tm.evaluate(written("a.csv", "y,p\n1,0.5\n")),
        "a.csv holds one row, and one sample judges nothing; give the rows of all samples",
    )
    yield (
        "nothing like a score",
        lambda: tm.evaluate({"label": Y, "site": list("abcd") * 5, "age": [i % 7 for i in R20]}),
        "no column looks like a prediction or a score (names such as y_pred, score, p_yes, or"
        " numbers from 0 to 1); the columns are 'label', 'site', 'age'; say tm.evaluate(..., "
        "truth='label', score='age'); name it with score=... or pred=...",
    )
    yield (
        "several counts",
        lambda: tm.evaluate(
            {"label": [0, 0, 1, 1], "pred": [0, 1, 0, 1], "n": [3, 4, 5, 6], "count": [1, 2, 3, 4]}
        ),
        "several columns could count the rows of each line: 'n', 'count'; say "
        "tm.evaluate(..., count='n') or tm.evaluate(..., count='count') or tm.evaluate(..., "
        "count=False)",
    )
    yield (
        "one-hot truths",
        lambda: tm.evaluate(
            {
                "truth": [1, 0, 0] * 8,
                "label": [0, 1, 0] * 8,
                "target": [0, 0, 1] * 8,
                "p": P + P[:4],
            }
        ),
        "'truth', 'label', 'target' hold exactly one 1 in each row, so each row has one class"
        " (one-hot); give one column with the class of each row, or name all these columns "
        "with truth=[...] if rows may have several labels",
    )
    yield (
        "named twice",
        lambda: tm.evaluate(frame, truth="y", score="p_a", weight="y"),
        "the column 'y' is named twice; give every column one role",
    )
    yield (
        "a file as a column",
        lambda: tm.evaluate(frame, truth=str(written("gold.csv", "y\n1\n"))),
        "'gold.csv' is a file, and truth= names a column; say truth=tm.file('gold.csv')",
    )
    yield (
        "no such column",
        lambda: tm.evaluate(frame, truth="z", score="p_a"),
        "there is no column 'z' for truth; there are 'y', 'p_a'",
    )
    yield (
        "ragged vectors",
        lambda: tm.evaluate(
            {"y": Y, "score": [[0.2, 0.8]] * 19 + [[1.0]]}, truth="y", score="score"
        ),
        "score has rows of different lengths (2 at index 0 and 1 at index 19); give every row"
        " one entry per column",
    )
    yield (
        "an empty mapping",
        lambda: tm.evaluate({}),
        "the mapping is empty; give arrays by name, or a frame",
    )
    yield (
        "a column of two dimensions",
        lambda: tm.evaluate({"y": Y, "p": np.zeros((20, 2, 2))}, truth="y", score="p"),
        "p has shape (20, 2, 2); give each column as one value a row",
    )
    yield (
        "a positive class of three",
        lambda: tm.evaluate(list("abc") * 7, list("abc") * 7, positive="a"),
        "positive is 'a' and there are 3 classes ('a', 'b', 'c'), not two; correct a label "
        "that is a mistake, or leave positive out to judge them all",
    )
    yield (
        "subgroups without names",
        lambda: tm.evaluate(Y, y_score=P, subgroup=["n"] * 20),
        "subgroup arrays need names; give a mapping such as {'region': array}",
    )
    yield (
        "fold and subgroup",
        lambda: tm.evaluate(
            {"y": Y, "p": P, "k": [1, 2] * 10}, truth="y", score="p", fold="k", subgroup="k"
        ),
        "'k' is named as fold and as subgroup; name it once, since .by('k') judges folds as "
        "subgroups",
    )
    yield (
        "not text",
        lambda: tm.evaluate(written("a.csv", b"y,p\n1,\x00\xff\xfe\x00\n" * 40)),
        "a.csv holds bytes that are not text; save the table as CSV in UTF-8",
    )
    yield (
        "like a row",
        lambda: tm.evaluate(written("a.csv", "1,0.5\n0,0.25\n1,0.75\n")),
        "a.csv begins with '1', '0.5', which looks like a row, not like column names; give "
        "options={'header': False} if it is one (columns are then called column0, column1 and"
        " so on), or options={'header': True} if these are names; say tm.evaluate(..., "
        "options={'header': False})",
    )
    yield (
        "no match",
        lambda: tm.evaluate("nothing*.csv"),
        "no file matches 'nothing*.csv'; check the pattern",
    )
    yield (
        "a folder",
        lambda: tm.evaluate(folder("some.csv")),
        "'some.csv' is a folder; name a file, or a pattern such as *.parquet",
    )
    yield (
        "other columns",
        lambda: (
            (written("m1.csv", "y,p\n1,0.5\n0,0.25\n"), written("m2.csv", "y,q\n1,0.5\n0,0.25\n"))
            and tm.evaluate("m*.csv")
        ),
        "m2.csv has the columns 'q', 'y' and m1.csv has 'p', 'y'; give all files the same header",
    )
    yield (
        "a long line",
        lambda: tm.evaluate(written("a.csv", "y,p\n1,0.5\n0,0.25," + "x" * 2_100_000 + "\n")),
        "a.csv has a line of more than 1 MB, line 3; correct that line, or leave out the "
        "column of long strings",
    )
    yield (
        "not Arrow",
        lambda: tm.evaluate(written("a.arrow", b"ARROW1\x00\x00nothing")),
        "a.arrow is not an Arrow file, or is damaged; write it with Arrow's IPC or Feather format",
    )
    yield (
        "a database",
        lambda: tm.evaluate(written("a.csv", b"\x00" * 8 + b"DUCK" + b"\x00" * 100)),
        "a.csv is a DuckDB database; name one of its tables as duckdb:///PATH?table=NAME",
    )
    st, st2 = (
        tm.ScoreTally.from_arrays(Y, P),
        tm.ScoreTally.from_arrays(["b", "a"] * 10, P, positive="a"),
    )
    lt = tm.LabelTally.from_arrays(Y, Y[::-1])
    yield (
        "scores of one class of three",
        lambda: tm.evaluate(
            tm.ScoreTally(("a", "b", "c"), "a", [0.1, 0.5], [[1, 2, 3], [4, 5, 6]])
        ),
        "scores were counted only for 'a', and there are 3 classes; count one class against "
        "the rest, or evaluate the rows",
    )
    yield (
        "another positive class",
        lambda: tm.evaluate(st2, positive="b"),
        "positive is 'b' and scores were counted for 'a'; name the class that all scores are of",
    )
    yield (
        "tallies of other rows",
        lambda: tm.evaluate({"one": st, "two": tm.ScoreTally.from_arrays(Y[1:], P[1:])}),
        "'one' has 10 and 10 rows of the classes 0, 1 and 'two' 9 and 10, so they were not "
        "judged on the same rows; evaluate each separately, and compare them with "
        "ev.compare_with(other)",
    )
    yield (
        "one label",
        lambda: tm.evaluate([["a"], ["a"], []], [["a"], [], []]),
        "y_true holds sets of 1 labels; several labels need two or more, and one is a column "
        "of 0 and 1",
    )
    yield (
        "labels of two types",
        lambda: tm.evaluate([["a"], [1], []], [["a"], [1], []]),
        "some labels are texts ('a') and some are numbers; write them all as texts or all as "
        "numbers",
    )
    yield (
        "other label names",
        lambda: tm.evaluate(
            pd.DataFrame(sets, columns=["a", "b"]), pd.DataFrame(sets, columns=["a", "c"])
        ),
        "y_pred has the columns 'a', 'c' and the labels are 'a', 'b'; give both the same names",
    )
    yield (
        "labels without predictions",
        lambda: tm.evaluate({"a": Y, "b": Y[::-1]}, truth=["a", "b"]),
        "truth names 2 columns and no prediction; give pred=[...] or score=[...], one column "
        "per label",
    )
    yield (
        "labels named twice",
        lambda: tm.evaluate({"a": Y, "b": Y[::-1]}, truth=["a", "a"], pred=["b", "b"]),
        "truth names a column twice: 'a', 'a'",
    )
    yield (
        "labels that are no flags",
        lambda: tm.evaluate(
            {"a": list("xyz") * 6 + ["x", "y"], "b": Y, "p": Y, "q": Y},
            truth=["a", "b"],
            pred=["p", "q"],
        ),
        "the table has the values 'x', 'y', 'z' in 'a'; several true columns hold 0 and 1, "
        "one per label: to judge classes, name one true column, such as truth='a'",
    )
    yield (
        "labels of weight 0",
        lambda: tm.evaluate(sets, sets, weight=np.zeros(20)),
        "the weight is 0 in every row of arrays; correct it or leave it out",
    )
    yield (
        "labels without a threshold",
        lambda: tm.evaluate(sets, y_score=sets * 3 + 5.5),
        "the scores of model are from 5.5 to 8.5 and have no natural threshold; give "
        "threshold=... or the predicted sets as well",
    )
    yield (
        "other listed labels",
        lambda: tm.evaluate(
            {"a": Y, "b": Y[::-1], "p": Y, "q": Y},
            truth=["a", "b"],
            pred=["p", "q"],
            classes=["a", "c"],
        ),
        "classes are 'a', 'c' and the columns are of 'a', 'b'; name the same labels, or leave"
        " labels out",
    )
    yield (
        "no metric of one label",
        lambda: (
            tm.evaluate(sets, sets)["accuracy"]
            and tm.evaluate(sets, sets).value("hamming_loss", average="macro")
        ),
        "hamming_loss is a mean over rows already; leave average out",
    )
    yield (
        "samples of scores",
        lambda: tm.evaluate(sets, y_score=sets / 2 + 0.1).value("roc_auc", average="samples"),
        "average='samples' is for decisions, and roc_auc uses scores; use "
        "label_ranking_average_precision or ranking_loss",
    )
    yield (
        "pairs of labels",
        lambda: tm.evaluate(sets, sets).to_json(keep_pairs=False),
        "the numbers of several labels need the rows; leave keep_pairs=False out",
    )
    yield (
        "a positive class of labels",
        lambda: tm.evaluate(sets, sets, positive=1),
        "positive is for one column of classes, and these rows have a true column for each of"
        " several labels; leave positive out, or judge one label separately",
    )
    yield (
        "a row of labels",
        lambda: tm.evaluate([["a"], ["b"], "a"], [["a"], ["b"], ["a"]]),
        "a row of labels is 'a' at index 2; give a list or a set of labels, empty where a row"
        " has none",
    )
    yield (
        "a label that is not listed",
        lambda: tm.evaluate([["a"], ["b"], ["c"]], [["a"], ["b"], ["c"]], classes=["a", "b"]),
        "y_true holds the label 'c' at index 2, which is none of the classes named: 'a', "
        "'b'; name it too, or leave its rows out",
    )
    yield (
        "every row one label",
        lambda: tm.evaluate(
            np.eye(3, dtype=int)[[0, 1, 2] * 7], np.eye(3, dtype=int)[[0, 1, 2] * 7]
        ),
        "every row has exactly one label, so the classes are mutually exclusive (one-hot); "
        "say tm.evaluate(..., classes=[0, 1, 2]); give the true class of each row as one "
        "column, y_true.argmax(axis=1) of an array; classes=[...] says that rows may have "
        "several",
    )
    yield (
        "weight 0",
        lambda: tm.evaluate(Y, y_score=P, weight=np.zeros(20)),
        "weight is 0 in every row; correct it or leave it out",
    )
    yield (
        "count 0",
        lambda: tm.evaluate(
            {"y": [0, 1], "pred": [0, 1], "n": [0, 0]}, truth="y", pred="pred", count="n"
        ),
        "there is no row to count in the table; give at least one",
    )
    yield (
        "fractional counts",
        lambda: tm.evaluate(
            {"y": [0, 1], "pred": [0, 1], "n": [1.5, 2]}, truth="y", pred="pred", count="n"
        ),
        "the column of counts holds fractions; counts are whole numbers",
    )
    yield (
        "declared order",
        lambda: tm.evaluate(
            pd.Series(
                pd.Categorical(["low", "mid", "high"] * 7, ["low", "mid", "high"], ordered=True)
            ),
            y_score=np.full((21, 3), 1 / 3),
        ),
        "the order of the classes is 'low', 'mid', 'high', sorted as texts they are 'high', "
        "'low', 'mid', and the columns of scores have no names that say which order they "
        "follow; name each column after its class, or say which, such as classes=['high', "
        "'low', 'mid']",
    )
    yield (
        "masked labels",
        lambda: tm.evaluate([0, 1, 2, -100] * 6, [0, 1, 2, 1] * 6),
        "y_true is -100 in 6 rows, which is how labels are masked and no prediction names it;"
        " say tm.evaluate(..., missing=[-100]) or tm.evaluate(..., classes=[-100, 0, 1, 2])",
    )
    yield (
        "masked by -1",
        lambda: tm.evaluate([0, 1, 2, -1] * 6, [0, 1, 2, 1] * 6),
        "y_true is -1 in 6 rows, which is how labels are masked and no prediction names it; "
        "say tm.evaluate(..., missing=[-1]) or tm.evaluate(..., classes=[-1, 0, 1, 2])",
    )
    yield (
        "no labels",
        lambda: tm.evaluate([None] * 4, y_score=[0.1, 0.2, 0.3, 0.4], missing="drop"),
        "y_true has no labels; give the true class of each row",
    )
    yield (
        "nothing left",
        lambda: tm.evaluate([0, 1, None], y_score=[None, None, 0.25], missing="drop"),
        "there is no row to count in arrays (3 left out because something was missing); give at "
        "least one",
    )
    yield (
        "truth is a number",
        lambda: tm.evaluate(frame, truth=7),
        "truth is 7; give the name of a column, or the true classes of another file or frame,"
        " such as truth=tm.file('gold.csv')",
    )
    yield (
        "key and truth",
        lambda: tm.evaluate(
            pd.DataFrame({"id": range(20), "p": P}),
            truth=pd.DataFrame({"id": range(20), "y": Y}),
            on="y",
        ),
        "the data frame has no column 'y' for on; there are 'id', 'p'",
    )
    yield (
        "other indexes",
        lambda: tm.evaluate(pd.Series(Y), y_score=pd.Series(P, index=range(19, -1, -1))),
        "the indexes of y_true and y_score of model hold the same values in another order; "
        "put both into one order, or give .reset_index(drop=True) of both if they are in one",
    )
    yield (
        "ids twice",
        lambda: tm.evaluate(
            pd.DataFrame({"id": [1, 1, *range(2, 20)], "p": P}),
            truth=pd.DataFrame({"id": range(20), "y": Y}),
            on="id",
        ),
        "'id' must name each row once to join the truth, and the data frame has '1' more than"
        " once; leave out the rows that repeat, or name another column with on=...",
    )
    yield (
        "which truth",
        lambda: tm.evaluate(
            pd.DataFrame({"id": range(20), "p": P}),
            truth=pd.DataFrame({"id": range(20), "u": Y, "v": Y[::-1]}),
            on="id",
        ),
        "the frame of the truth must have one column of the true class beside the key, and "
        "has 'u', 'v'; give a frame of those two columns",
    )
    yield (
        "rows in another order",
        lambda: tm.evaluate(
            pd.DataFrame({"site": ["n", "s"] * 10, "p": P}),
            truth=pd.DataFrame({"site": ["n"] * 20, "y": Y}),
        ),
        "'site' differs between the data frame and the frame of the truth at row 2, so their "
        "rows are not in one order; give both an id column and name it with on=...",
    )
    yield (
        "models' lines",
        lambda: tm.evaluate(
            {"model": ["a"] * 10 + ["b"] * 10, "y": Y, "id": [*range(9), 0, *range(10)], "p": P},
            truth="y",
            score="p",
            model="model",
        ),
        "'model' says which model made each prediction, and the models' lines cannot be "
        "matched: 'id' does not name each case once per model; give one line per case and "
        "model, or say subgroup='model' to judge each model's rows as a subgroup, or "
        "model=False if 'model' names no models",
    )
    yield (
        "percent without scores",
        lambda: tm.evaluate(Y, Y[::-1], reading={"percent": True}),
        "percent is for scores, and there are none; leave reading={'percent': True} out",
    )
    yield (
        "beyond percent",
        lambda: tm.evaluate(Y, y_score=[300 * p for p in P], reading={"percent": True}),
        "y_score holds 204, outside 0 to 100, and is not in percent; leave "
        "reading={'percent': True} out",
    )
    yield (
        "below percent",
        lambda: tm.evaluate(Y, y_score=[40 * p - 20 for p in P], reading={"percent": True}),
        "y_score holds -8, outside 0 to 100, and is not in percent; leave reading={'percent':"
        " True} out",
    )
    yield (
        "pairs of one model",
        lambda: ev.to_json(keep_pairs=True),
        "keep_pairs=True is for paired rows of several models, and none were kept here; leave"
        " it out",
    )
    yield (
        "clusters without pairs",
        lambda: tm.evaluate(Y, y_score=P, cluster=[i // 2 for i in R20]).to_json(keep_pairs=False),
        f"results for {' or '.join(BY_ROW)} need the rows; leave keep_pairs=False out",
    )
    yield (
        "one label's question",
        lambda: tm.evaluate(sets, sets).curve("roc"),
        "this is a question about one label, and these rows have 2; ask ev.label(0), or name "
        "the columns of one label with truth=... and score=... or pred=...",
    )
    yield (
        "other model names",
        lambda: tm.evaluate(Y, {"a": Y, "b": Y}, y_score={"a": P, "c": P}),
        "y_pred names the models ['a', 'b'] and y_score ['a', 'c']; use the same names for "
        "the same model",
    )
    yield (
        "no models",
        lambda: tm.evaluate(Y, {}),
        "y_pred is an empty mapping; give at least one model",
    )
    yield (
        "on without truth",
        lambda: tm.evaluate(frame, truth="y", score="p_a", on="y"),
        "on=... names the column that joins the true classes of another file; give "
        "truth=tm.file(...) too, or leave on=... out",
    )
    yield (
        "memory of a frame",
        lambda: tm.evaluate(frame, truth="y", score="p_a", options={"memory": "1GB"}),
        "memory and tolerance are for files; the data frame is already in memory",
    )
    yield (
        "no evaluation",
        lambda: tm.read(written("a.json", "[1, 2]")),
        "'a.json' does not hold complete JSON; give a file as save() or to_json() wrote it",
    )
    yield (
        "no counts",
        lambda: tm.read(written("a.json", json.dumps({"rows": 3, "models": []}))),
        "'a.json' names no format, so it is not an evaluation; give a file that to_json() of "
        "an evaluation wrote",
    )
    yield (
        "a class listed twice",
        lambda: tm.evaluate(Y, Y, classes=[0, 1, 1]),
        "a class is listed twice: [0, 1, 1]",
    )
    yield (
        "positive of another type",
        lambda: tm.evaluate(Y, y_score=P, positive="yes"),
        "the positive class 'yes' does not occur; the classes are 0, 1",
    )
    yield (
        "positive that does not occur",
        lambda: tm.evaluate(list("ab") * 10, y_score=P, positive="c"),
        "the positive class 'c' does not occur; the classes are 'a', 'b'",
    )
    yield (
        "a number as data",
        lambda: tm.evaluate(7),
        "there is nothing to judge: give y_pred, y_score or both",
    )
    yield (
        "two columns of one name",
        lambda: tm.evaluate(pd.DataFrame([[1, 2]], columns=["y", "y"])),
        "the data frame has two columns with the same name; rename one",
    )
    yield (
        "bytes",
        lambda: tm.evaluate([b"\xff", b"a"] * 10, [b"a", b"b"] * 10),
        "y_true holds bytes that are not UTF-8 text; decode them first",
    )
    yield (
        "tiny weights",
        lambda: tm.evaluate(Y, y_score=P, weight=[1e-70] + [1] * 19),
        "weight is 1e-70 at index 0, beyond 1e-60 to 1e60, where float64 loses products of "
        "weights; multiply all weights by one constant, or make negligible ones 0",
    )
    yield (
        "texts beside numbers",
        lambda: tm.evaluate(Y, list("ab") * 10),
        "y_pred holds strings such as 'a' and y_true holds numbers such as 0; give both "
        "columns the same type",
    )
    yield (
        "an identifier",
        lambda: tm.evaluate(list(range(30_000)), list(range(30_000))),
        "y_pred holds 30,000 distinct values, too many for class labels (at most 1,000 "
        "classes with fewer than two rows each): is it an identifier or a measurement?",
    )
    yield (
        "a large integer",
        lambda: tm.evaluate(Y, y_score=[2**53 + 1] + [1] * 19),
        "y_score holds the integer 9007199254740993 at index 0, which float64 would round; "
        "give ranks, or subtract a constant",
    )
    yield (
        "columns and classes",
        lambda: tm.metrics.log_loss(list("abc"), [[0.5, 0.5]] * 3),
        "y_score has 2 columns and there are 3 classes ('a', 'b', 'c'); give one column per "
        "class, or say labels=...",
    )
    yield (
        "columns of other names",
        lambda: tm.metrics.log_loss(
            list("abc"), pd.DataFrame([[0.5, 0.25, 0.25]] * 3, columns=["a", "b", "d"])
        ),
        "y_score has the columns ['a', 'b', 'd'] and the classes are ['a', 'b', 'c']; name "
        "every column after its class, or none",
    )
    yield (
        "no table of numbers",
        lambda: tm.metrics.log_loss(list("abc"), [["x", "y", "z"]] * 3),
        "y_score is not a table of numbers; give numbers, one for each class in every row",
    )
    yield (
        "threshold of three",
        lambda: tm.ScoreTally(("a", "b", "c"), "a", [0.1, 0.5], [[1, 2, 3], [4, 5, 6]]).at(0.5),
        "a threshold decides between two classes and this tally has 3",
    )
    yield (
        "threshold NaN",
        lambda: st.at(float("nan")),
        "threshold is nan; give the number at or above which scores are called positive",
    )
    yield (
        "no such positive",
        lambda: tm.ScoreTally((0, 1), 2, [0.1], [[1, 2]]),
        "the positive class 2 is not among [0, 1]; name both",
    )
    yield (
        "scores that fall",
        lambda: tm.ScoreTally((0, 1), 1, [0.5, 0.1], [[1, 2], [1, 2]]),
        "scores of a tally must be finite, distinct and ascending",
    )
    yield (
        "three classes of counts",
        lambda: tm.ScoreTally.from_counts([0.5], [1], [2], labels=["a", "b", "c"]),
        "labels names 3 classes; pos and neg are counts of two",
    )
    yield (
        "a negative count",
        lambda: tm.LabelTally((0, 1), [[1, -2], [3, 4]]),
        "counts holds a negative or undefined number; give counts of zero or more",
    )
    yield (
        "no table of counts",
        lambda: tm.LabelTally((0, 1), "x"),
        "counts is not a table of numbers; these labels need (2, 2)",
    )
    yield (
        "a table of another shape",
        lambda: tm.LabelTally((0, 1), [[1, 2, 3]]),
        "counts has shape (1, 3); these labels need (2, 2)",
    )
    yield (
        "a class named twice",
        lambda: tm.LabelTally((0, 0), [[1, 2], [3, 4]]),
        "labels names a class twice: [0, 0]",
    )
    yield (
        "reordering without a class",
        lambda: lt.reorder([0]),
        "the class 1 of the tally is not among [0]; name all classes",
    )
    yield (
        "an altered tally",
        lambda: tm.LabelTally.from_dict({**lt.to_dict(), "rows": 7}),
        "the counts of this tallymark/label-tally are damaged or inconsistent; give what "
        "to_dict() wrote, unchanged",
    )
    yield (
        "another kind of tally",
        lambda: tm.LabelTally.from_dict(st.to_dict()),
        "this is 'tallymark/score-tally', not tallymark/label-tally; give what to_dict() wrote",
    )
    yield (
        "another schema",
        lambda: tm.LabelTally.from_dict({**lt.to_dict(), "schema": 99}),
        "tallymark/label-tally schema 99 is not known to this release, which reads schema 0; "
        "use the release that wrote it or a newer one",
    )
    yield (
        "a fact that lacks",
        lambda: tm.LabelTally.from_dict({k: v for k, v in lt.to_dict().items() if k != "counts"}),
        "this tallymark/label-tally lacks the field 'counts'; give what to_dict() wrote, unchanged",
    )
    yield (
        "no counts of lines",
        lambda: tm.LabelTally.from_counts(Y, Y, None),
        "n is None; give how many rows each line stands for",
    )
    yield (
        "subgroup columns unnamed",
        lambda: tm.evaluate(Y, y_score=P, subgroup={"k": ["n", "s"] * 10}).by(),
        "name the subgroup columns; there are 'k'",
    )
    yield (
        "subgroup columns twice",
        lambda: tm.evaluate(Y, y_score=P, subgroup={"k": ["n", "s"] * 10}).by("k", "k"),
        "a column is named twice among ['k', 'k']; name each once",
    )
    yield (
        "reading without a file",
        lambda: tm.evaluate(frame, reading="nothing.json"),
        "there is no reading in 'nothing.json': No such file or directory; give the file that"
        " tallymark inspect FILE --json wrote",
    )
    yield (
        "wrong reading",
        lambda: tm.evaluate(frame, reading={"scor": "p_a"}),
        "reading has no word 'scor'; did you mean 'score' or 'score_of' or 'score_is'?",
    )


def test_each_refusal_says_whole_what_is_wrong_and_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for about, refused, sentence in cases():
        with pytest.raises(tm.InputError) as caught:
            refused()
        assert str(caught.value) == sentence, about
