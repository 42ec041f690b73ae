"""Scores of each class: one column a class, counted column by column and row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.tally.arrays import (
    Coded,
    Floats,
    Label,
    as_weights,
    code_labels,
    is_masked,
    join_labels,
    keep_complete,
    same_length,
)
from tallymark.tally.foreign import is_table, readers
from tallymark.tally.labels import Missing
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums


def class_tallies(
    y_true: Any,
    y_score: Any,
    *,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    first_row: int | None = None,
) -> tuple[ScoreTally, ...]:
    """Count rows of true labels and a score for each class: one ScoreTally a class.

    ``y_score`` has shape (n, K); its columns are the classes of ``labels``, or the sorted classes
    that occur in ``y_true``. The columns of a frame that are named like the classes go by name.

    >>> [t.positive for t in class_tallies(["a", "b"], [[0.9, 0.1], [0.4, 0.6]])]
    ['a', 'b']
    """
    names, true, matrix, weights = _class_rows(
        y_true, y_score, labels, sample_weight, missing, first_row
    )
    return tuple(
        ScoreTally.from_arrays(
            true,
            np.ascontiguousarray(matrix[:, k]),
            positive=name,
            labels=names,
            sample_weight=weights,
            first_row=first_row,
        )
        for k, name in enumerate(names)
    )


def row_sums(
    y_true: Any,
    y_score: Any,
    *,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
) -> tuple[tuple[Label, ...], Sums]:
    """Add up the losses of rows of true labels and a score for each class.

    The arguments are those of :func:`class_tallies`; the classes come back with the sums.

    >>> classes, sums = row_sums(["a", "b", "c"], [[3, 2, 1], [3, 2, 1], [3, 2, 1]])
    >>> sums.average("top_1"), sums.average("top_2")
    (0.3333333333333333, 0.6666666666666666)
    """
    names, true, matrix, weights = _class_rows(y_true, y_score, labels, sample_weight, missing)
    _, (codes,) = join_labels({"y_true": true}, names)
    return names, Sums.of_rows(codes, matrix, as_weights(weights, "sample_weight"))


def _class_rows(
    y_true: Any,
    y_score: Any,
    labels: Sequence[Label] | None,
    sample_weight: Any,
    missing: Missing,
    first_row: int | None = None,
) -> tuple[tuple[Label, ...], Coded, Floats, Any]:
    """Return the classes, and the true labels, scores and weights of the rows to count."""
    true = code_labels(y_true, "y_true", first_row)
    names, _ = join_labels({"y_true": true}, labels)
    matrix = _score_matrix(y_score, names)
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        columns = matrix.shape[1] if matrix.ndim == 2 else 1
        raise InputError(
            f"y_score has {columns} columns and there are {len(names)} classes "
            f"({', '.join(repr(n) for n in names[:8])}); give one column a class, or say labels=..."
        )
    same_length(y_true=true.codes, y_score=matrix, sample_weight=sample_weight)
    keep = keep_complete(
        {"y_true": true, **{f"y_score[:, {k}]": matrix[:, k] for k in range(len(names))}},
        missing,
        first_row,
    )
    if keep is not None:
        true = Coded(true.codes[keep], true.labels)
        matrix = matrix[keep]
        sample_weight = None if sample_weight is None else np.asarray(sample_weight)[keep]
    return names, true, matrix, sample_weight


def _score_matrix(values: Any, names: Sequence[Label]) -> Floats:
    """Return one score column a class, in the order of the classes."""
    if is_table(values):
        matrix: Floats
        matrix, columns = readers().matrix_to_numpy(values)
        wanted = [str(name) for name in names]
        if set(columns) == set(wanted):
            return matrix[:, [columns.index(name) for name in wanted]]
        if set(columns) & set(wanted):
            raise InputError(
                f"y_score has the columns {list(columns)} and the classes are {wanted}; name "
                "every column like its class, or none"
            )
        return matrix
    if is_masked(values):
        values = values.astype(np.float64).filled(np.nan)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "y_score is no table of numbers; give numbers, as many in each row as there are classes"
        ) from None
