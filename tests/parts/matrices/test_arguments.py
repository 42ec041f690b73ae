"""Every argument of a matrix does the same, in whatever form its counts are given."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm

CELLS = [[71, 29], [18, 82]]
NINE = [[30, 5, 2], [4, 40, 1], [9, 3, 20]]
NAMES = ["sick", "well"]
TREES = ["ash", "beech", "oak"]


def lines_of(cells, names):
    return [["", *names], *([n, *row] for n, row in zip(names, cells, strict=True))]


def comma(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


PLAIN = {  # without names of the classes
    "lists": lambda cells, _: cells,
    "array": lambda cells, _: np.array(cells),
    "model": lambda cells, _: {"net": cells},
    "m.json": lambda cells, _: json.dumps(cells),
    "m.txt": lambda cells, _: f"{np.array(cells)}\n",
    "m.csv": lambda cells, _: comma(cells),
}
NAMED = {
    "frame": lambda cells, names: pd.DataFrame(cells, index=names, columns=names),
    "polars": lambda cells, names: pl.DataFrame(
        {"": names} | {n: [row[i] for row in cells] for i, n in enumerate(names)}
    ),
    "n.csv": lambda cells, names: comma(lines_of(cells, names)),
    "n.json": lambda cells, names: json.dumps({"labels": names, "confusion_matrix": cells}),
    "n.txt": lambda cells, names: str(pd.DataFrame(cells, index=names, columns=names)),
}


@pytest.fixture
def of(write):
    """Return a function that gives counts in a form, files by their path."""

    def make(form, cells=CELLS, names=NAMES):
        data = (PLAIN | NAMED)[form](cells, names)
        return write(form, data) if "." in form else data

    return make


def counts(ev):
    return ev.models[0].labels.counts.astype(int).tolist()


def test_classes_and_the_positive_one(of):
    for form in PLAIN:
        ev = tm.matrix(of(form))
        assert (counts(ev), ev.classes, ev.positive) == (CELLS, (0, 1), 1), form
        ev = tm.matrix(of(form), positive=0)
        assert (counts(ev), ev["sensitivity"].value) == (CELLS, 0.71), form
        for names in (NAMES, NAMES[::-1]):  # names of the rows as they stand
            ev = tm.matrix(of(form), classes=names, positive=names[0])
            assert (counts(ev), ev.classes) == (CELLS, tuple(names)), form
            assert (ev.positive, ev["sensitivity"].value) == (names[0], 0.71), form
    for form in NAMED:
        ev = tm.matrix(of(form), positive="sick")
        assert (counts(ev), ev.classes, ev["sensitivity"].value) == (CELLS, tuple(NAMES), 0.71)
        ev = tm.matrix(of(form), classes=NAMES[::-1], positive="well")
        assert (counts(ev), ev.classes) == ([[82, 18], [29, 71]], ("well", "sick")), form
        assert ev["sensitivity"].value == 0.82


def test_three_classes(of):
    turned = [[20, 3, 9], [1, 40, 4], [2, 5, 30]]
    for form in (*PLAIN, *NAMED):
        ev = tm.matrix(of(form, NINE, TREES))
        names = (0, 1, 2) if form in PLAIN else tuple(TREES)
        assert (counts(ev), ev.classes, ev.positive) == (NINE, names, None), form
        ev = tm.matrix(of(form, NINE, TREES), classes=TREES[::-1])
        assert counts(ev) == (NINE if form in PLAIN else turned), form
        assert ev.classes == tuple(TREES[::-1])


def test_what_the_rows_are(of):
    across = [list(row) for row in zip(*CELLS, strict=True)]
    for form in (*PLAIN, *NAMED):
        positive = 1 if form in PLAIN else "well"
        for rows_are, wanted in (("truth", CELLS), ("prediction", across)):
            ev = tm.matrix(of(form), rows_are=rows_are, positive=positive)
            assert counts(ev) == wanted, (form, rows_are)
            assert (ev["sensitivity"].value, ev.rows) == (82 / sum(wanted[1]), 200)


def test_how_sure_and_what_for(of):
    for form in (*PLAIN, *NAMED):
        positive = 1 if form in PLAIN else "well"
        ev = tm.matrix(
            of(form), positive=positive, level=0.8, seed=5, source="ours", use="medicine"
        )
        assert (ev.level, ev.seed, ev.source.name, ev.source.use) == (0.8, 5, "ours", "medicine")
        usual = tm.matrix(of(form), positive=positive)
        assert (usual.level, usual.seed, usual.source.use) == (0.95, 0, ""), form
        name = form if "." in form else "the data frame" if form == "polars" else "matrix"
        assert usual.source.name == name, form
