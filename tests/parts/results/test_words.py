"""Sentences of a comparison at the limits of what few data sets can show."""

from __future__ import annotations

import numpy as np
import pandas as pd

import tallymark as tm
from tallymark.parts.results import words


def compared(first, second, **options):
    rows = [
        (f"d{i}", name, value)
        for i, pair in enumerate(zip(first, second, strict=True))
        for name, value in zip(("net", "tree"), pair, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "classifier", "f1"])
    return tm.compare_results(frame, draws=200, **options)


def test_so_few_differences_that_none_can_be_significant():
    for nonzero, zeros, level in (
        (3, 0, 0.95), (3, 2, 0.95), (5, 0, 0.95), (5, 3, 0.95), (6, 0, 0.95), (6, 1, 0.95),
        (4, 2, 0.9), (5, 2, 0.9),
    ):  # fmt: skip
        n = nonzero + zeros
        gaps = np.array([0.01 * (i + 2) for i in range(nonzero)] + [0.0] * zeros)
        base = np.linspace(0.3, 0.6, n)
        gaps[0] = -gaps[0] if nonzero > 3 else gaps[0]  # the smallest one speaks for the other
        c = compared((base + gaps).round(4), base.round(4), level=level)
        least = 2.0 ** (1 - nonzero)
        told = (
            f"With {nonzero} nonzero differences no result can be significant: the least possible "
            f"p is {least:.3g}."
        )
        assert (told in words.verdict(c)) == (least >= 1 - level), (nonzero, zeros, level)
        ahead = nonzero - (nonzero > 3)
        equal = f"{zeros} are equal"
        assert f"net is ahead on {ahead}, tree on {nonzero - ahead}, {equal}" in words.verdict(c)


def test_what_was_compared():
    one = compared([0.5, 0.6, 0.7], [0.4, 0.4, 0.4])
    assert words.about(one) == (
        "F1 (higher is better) of 2 classifiers over 3 data sets: one result of each"
    )

    def several(counts, dataset="d{}", fold="fold"):
        frame = pd.DataFrame(
            [
                (dataset.format(d), c, r, k, 0.1 * r + 0.05 * k + 0.01 * d + (c == "net"))
                for d, (repeats, folds) in enumerate(counts)
                for c in ("net", "tree")
                for r in range(repeats)
                for k in range(folds)
            ],
            columns=["dataset", "classifier", "repeat", fold, "loss"],
        )
        return words.about(tm.compare_results(frame, draws=200))

    lead = "loss (lower is better) of 2 classifiers"
    assert several([(3, 4)]) == f"{lead} on d0: 3 repeats of 4 folds"
    assert several([(1, 4)] * 2) == f"{lead} over 2 data sets: 1 repeat of 4 folds"
    assert several([(2, 4), (3, 5)]) == (
        f"{lead} over 2 data sets: 8 to 15 results of each classifier on each"
    )


def test_no_classifier_is_shown_to_be_better():
    same = compared([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], rope=0.0)
    assert words.verdict(same).startswith(
        "Over 3 data sets net and tree cannot be compared: every difference is zero."
    )
    assert words.tests(same) == []
    assert words.decimal(float("inf")) == "∞"
    assert words.decimal(1.005) in ("1.00", "1.01")
