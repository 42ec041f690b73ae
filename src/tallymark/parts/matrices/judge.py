"""Evaluations of confusion matrices: ``tm.matrix``, and matrices given to ``tm.evaluate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from tallymark import Evaluation, InputError, LabelTally, evaluate
from tallymark.core import (
    ANY,
    Asked,
    CountedRows,
    Label,
    checked,
    for_use,
    is_path,
    is_table,
    one_of,
    open_table,
    refuse_beyond_percent,
    released,
)
from tallymark.parts.matrices.matrix_files import square_in
from tallymark.parts.matrices.matrix_tables import counted_table
from tallymark.parts.matrices.squares import (
    Side,
    Square,
    as_tally,
    from_square,
    is_total,
    matrix_of,
    no_square,
    same_names,
    turning,
)


@checked(counts=ANY, rows_are=one_of("truth", "prediction"))
def matrix(
    counts: Any,
    *,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    rows_are: Literal["truth", "prediction"] | None = None,
    level: float = 0.95,
    seed: int = 0,
    source: str | None = None,
    use: str | None = None,
) -> Evaluation:
    """Judge a confusion matrix: every number, interval and page that its rows would give.

    Parameters
    ----------
    counts : (K, K) whole numbers, or {model: (K, K)}, or the path of a file
        Rows are the true classes, columns the predicted ones, in the same order: a list of lists,
        an array, or a frame of pandas whose index and columns name the classes, such as
        ``pandas.crosstab(y_true, y_pred)``. Several models were judged on the same rows. Rows and
        columns of totals are checked and left out. A file holds a matrix as CSV, JSON, NumPy or R
        write or print it, or scikit-learn's ``classification_report``, whose counts are rebuilt.
    classes : sequence, optional
        The classes in the order of the rows: 0, 1, 2 and so on unless given. Of the classes 0 and
        1 the second, 1, is positive, so that the table is [[TN, FP], [FN, TP]].
    positive : label, optional
        The positive class of two; ``positive=0`` reads [[TP, FN], [FP, TN]].
    rows_are : {"truth", "prediction"}, optional
        What the rows are. Unless given, names such as "Predicted" and "Reference" say it; without
        such names rows are the true classes, which is noted.
    level, seed, source, use
        As in :func:`evaluate`.

    Raises
    ------
    InputError
        A table that is not square, counts with fractions, models judged on different rows.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.matrix([[70, 30], [20, 80]], classes=["sick", "healthy"], positive="sick")
    >>> print(ev["sensitivity"])
    0.70 (95 % CI 0.60 to 0.78)
    >>> ev.source.format
    ('TP 70, FN 30, FP 20, TN 80',)

    """
    of_table = is_table(counts) and not (has_names(counts) or isinstance(counts, Mapping))
    if is_path(counts) or of_table:
        options = {"classes": classes, "positive": positive, "rows_are": rows_are}
        sure = {"level": level, "seed": seed}
        asked = Asked(counts, None, None, options, {}, None, sure, source, counts=True)
        ev = asked.judged()
        return for_use(_of_table(asked) if ev is None else ev, use)
    tallies, how, classes = _tallies(counts, classes, rows_are)
    ev = evaluate(
        tallies,
        classes=classes,
        positive=positive,
        level=level,
        seed=seed,
        use=use,
        options={"name": source or "matrix"},
    )
    return _as_matrix(ev, how)


def judged(asked: Asked) -> Evaluation | None:
    """Return the evaluation of a matrix in a small file or a frame; None for other input."""
    if is_crosstab(asked.data):
        tallies, how, classes = _tallies(asked.data, asked.reading.get("classes"))
        arguments = asked.arguments(name="matrix", classes=classes) | {"threshold": None}
        return _as_matrix(evaluate(tallies, asked.y_pred, y_score=asked.y_score, **arguments), how)
    file = asked.small_file
    square = None if file is None else square_in(file, any_square=asked.counts)
    if file is None or square is None:
        return None
    counting = asked.counting
    counted = from_square(
        square,
        file.name,
        turning(repr(file.path)),
        labels=counting["labels"],
        positive=counting["positive"],
        rows_are=asked.reading.get("rows_are"),
    )
    if counting["percent"]:
        refuse_beyond_percent((), ())
    return Evaluation(_named(counted, asked.name), **asked.inference)


def _of_table(asked: Asked) -> Evaluation:
    """Return the evaluation of counts in a frame or a file of columns, and refuse rows."""
    counted, name = None, "standard input"
    if not (isinstance(asked.data, str) and asked.data == "-"):
        table = open_table(asked.data)
        name = table.name
        with released(table):
            rows_are = asked.reading.get("rows_are")
            counted = counted_table(table, {}, rows_are=rows_are, **asked.counting)
    if counted is None:
        raise InputError(
            f"{name} holds no confusion matrix and no classification report; predictions are "
            "judged by tm.evaluate(...)"
        )
    return Evaluation(_named(counted, asked.name), **asked.inference)


def _named(counted: CountedRows, name: str | None) -> CountedRows:
    """Return counts under the name that the user gave their source."""
    return counted if name is None else replace(counted, source=replace(counted.source, name=name))


def _as_matrix(ev: Evaluation, how: Sequence[str]) -> Evaluation:
    """Return the evaluation with the description of how its matrices were read."""
    source = replace(
        ev.source,
        kind="matrix",
        _roles={"truth": "rows", "pred": "columns"},
        format=(*how, *ev.source.format),
    )
    return replace(ev, _counted=replace(ev._counted, source=source))


def _tallies(
    counts: Any, labels: Sequence[Label] | None, rows_are: Side | None = None
) -> tuple[dict[str, LabelTally], tuple[str, ...], Sequence[Label] | None]:
    """Return the matrix of a model, or of several by name, how they were read, and the classes."""
    several = isinstance(counts, Mapping)
    matrices = dict(counts) if several else {"model": counts}
    if not matrices:
        raise InputError("there is no tally; give at least one")
    tallies, how = {}, list[str]()
    for model, table in matrices.items():
        name = f"counts[{model!r}]" if several else "counts"
        if isinstance(table, LabelTally):
            tallies[str(model)] = table
            continue
        m = matrix_of(_square_of(table, name, labels), name, labels, rows_are)
        how += [] if m.why.startswith(("assumed", "as this form")) else [m.said]
        how += [f"totals left out: {', '.join(m.left_out)}"] if m.left_out else []
        tallies[str(model)] = as_tally(m, name, labels)
    if labels is not None:  # which may name totals, as the rows do
        labels = [
            k for k in labels if not is_total(k) or any(k in t.labels for t in tallies.values())
        ]
    return tallies, tuple(dict.fromkeys(how)), labels


def _square_of(counts: Any, name: str, labels: Sequence[Label] | None) -> Square:
    """Return a frame, an array or a list of lists with the names of its rows and columns."""
    try:
        table = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        table = np.zeros(0)
    if table.ndim != 2 or min(table.shape) < 2:
        raise no_square(name)
    if has_names(counts):
        axes = tuple("" if a.name is None else str(a.name) for a in (counts.index, counts.columns))
        rows, columns = (tuple(a.tolist()) for a in (counts.index, counts.columns))
        return Square(table, rows, columns, axes)  # type: ignore[arg-type]
    if table.shape[0] != table.shape[1]:
        raise no_square(name)
    named = tuple(labels) if labels is not None and len(labels) == len(table) else None
    return Square(table, named, named, rows_are="truth")


def has_names(counts: Any) -> bool:
    """Tell whether counts are a frame of pandas, whose rows have names too."""
    return type(counts).__module__.partition(".")[0] == "pandas" and hasattr(counts, "columns")


def is_crosstab(data: Any) -> bool:
    """Tell whether data are a frame whose rows and columns name the same classes."""
    if not has_names(data) or len(data.columns) < 2:
        return False
    rows, columns = list(data.index), list(data.columns)
    texts = all(isinstance(name, str) for name in rows)
    return set(rows) == set(columns) or (texts and same_names(rows, columns))
