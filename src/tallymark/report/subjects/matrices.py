"""The confusion matrix: counts, and their shares of the true class."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.report import words
from tallymark.report.drawing import Matrix, brief
from tallymark.report.evaluation import Evaluation
from tallymark.tally.labels import LabelTally

MOST_CELLS = 15
"""A larger matrix has no room for numbers."""


def confusion(what: Any, numbers: bool = True) -> Matrix:
    """Return the matrix of an evaluation of one model, or of a tally."""
    if isinstance(what, Evaluation):
        if len(what.models) > 1:
            raise InputError(
                f"a confusion matrix is of one model, and here are {len(what.models)}; choose one "
                f"with .model({what.names[0]!r})"
            )
        tally, positive = what.models[0].labels, what.positive
    elif isinstance(what, LabelTally):
        tally, positive = what, None
    else:
        raise InputError(
            f"confusion takes an Evaluation or a LabelTally, not {type(what).__name__}"
        )
    if not tally.labels:
        raise InputError("there is no confusion matrix of no class; count some rows first")
    order = words.shown_order(tally.labels, positive)
    counts = tally.counts[np.ix_(order, order)]
    rows = counts.sum(1, keepdims=True)
    shares = np.divide(counts, rows, out=np.zeros_like(counts), where=rows > 0)
    texts = [
        [f"{words.count(float(n))}\n{words.percent(float(share), 0)}" for n, share in cells]
        for cells in (zip(*row, strict=True) for row in zip(counts, shares, strict=True))
    ]
    written = texts if numbers and len(order) <= MOST_CELLS else []
    return Matrix([brief(tally.labels[i]) for i in order], shares, written)
