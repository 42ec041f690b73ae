"""Frames and files as one thing: columns by name, read in chunks of checked arrays.

Narwhals makes one kind of frame of pandas, Polars, Arrow, DuckDB and whatever else it knows.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, choices
from tallymark.tally.arrays import (
    MAX_CLASSES,
    MOST_SLICES,
    Coded,
    Codes,
    Floats,
    Label,
    as_scores,
    code_groups,
    code_labels,
)
from tallymark.tally.encoded import encoded

CHUNK_ROWS = 4_000_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a table: label columns coded, number columns float64 with NaN for missing.

    ``groups`` are columns that say which rows belong together, as codes, -1 where it is missing.
    """

    first_row: int
    labels: dict[str, Coded]
    numbers: dict[str, Floats]
    rows: int
    groups: dict[str, Codes] = field(default_factory=dict)


class Table(Protocol):
    """Columns by name, read in chunks of rows."""

    @property
    def name(self) -> str:
        """What to call it in messages."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""

    @property
    def rows(self) -> int:
        """How many rows it has."""

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        size: int = CHUNK_ROWS,
        *,
        groups: Sequence[str] = (),
        slices: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Read the columns named; every chunk's label columns list the labels of all rows.

        The codes of the ``groups`` mean the same in every chunk. ``slices`` are those of the
        label columns that name parts of the rows, of which there may be more than classes.
        """


def open_table(data: Any, *, memory: str | None = None) -> Table:
    """Return a frame, the file of a path, or the table that a link names."""
    table: Table
    if isinstance(data, str) and "://" in data:
        from tallymark.tally.links import open_link

        table = open_link(data)
    elif isinstance(data, str | os.PathLike):
        from tallymark.tally.files import open_file

        table = open_file(data) if memory is None else open_file(data, memory=memory)
    else:
        table = FrameTable(data)
    return WekaTable(table) if set(WEKA) <= set(table.columns) else table


# -- frames ------------------------------------------------------------------------------------


def is_table(data: Any) -> bool:
    """Tell a frame of any library from an array."""
    if data is None or isinstance(data, np.ndarray | list | tuple | dict | str | range):
        return False
    import narwhals as nw

    try:
        frame = _narwhals(data, pass_through=True)
    except Exception:  # a frame with two columns of one name, which FrameTable refuses
        return hasattr(data, "columns")
    return isinstance(frame, nw.DataFrame | nw.LazyFrame)


def _narwhals(data: Any, **options: Any) -> Any:
    """Return a frame of Narwhals; what it and engines warn of, their own versions, is not ours."""
    import narwhals as nw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = nw.from_native(data, **options)
        if isinstance(frame, nw.LazyFrame):
            frame.collect_schema()
        return frame


class FrameTable:
    """A frame of any library that Narwhals knows; of lazy ones, the columns used are collected."""

    name = "the data frame"

    def __init__(self, data: Any) -> None:
        import narwhals as nw

        try:
            self._frame: Any = _narwhals(data)
        except Exception as error:  # a frame that its own library cannot describe
            if "unique" in str(error).lower() or "duplicate" in str(error).lower():
                raise InputError(
                    "the data frame has two columns of one name; rename one of them"
                ) from None
            raise InputError(
                f"{type(data).__name__} is neither an array nor a frame; give arrays, a frame or "
                "the path of a file"
            ) from None
        names = list(self._frame.collect_schema().names())
        # pandas names columns by anything, such as the classes 0 and 1; here names are texts.
        self._names = {str(n): n for n in names}
        refuse_duplicates([str(n) for n in names], self.name)
        self.lazy = isinstance(self._frame, nw.LazyFrame)
        """Whether its rows are in an engine, which can count them where they are."""
        self.columns = tuple(self._names)

    @property
    def frame(self) -> Any:
        """The frame of Narwhals."""
        return self._frame

    def native_name(self, name: str) -> Any:
        """Return a column's name as the frame itself has it."""
        return self._names[name]

    @property
    def rows(self) -> int:
        """How many rows the frame has."""
        if not self.lazy:
            return len(self._frame)
        import narwhals as nw

        return int(self._frame.select(nw.len()).collect().item())

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        size: int = CHUNK_ROWS,
        *,
        groups: Sequence[str] = (),
        slices: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Read the columns named as one chunk: the frame is in memory already."""
        must_have(self.columns, [*labels, *numbers, *groups], self.name)
        frame = self._frame
        if self.lazy:
            wanted = list(dict.fromkeys([*labels, *numbers, *groups]))
            # Polars takes such a name for a pattern, so then everything is collected.
            if not any(c == "*" or (c[:1] == "^" and c[-1:] == "$") for c in wanted):
                frame = frame.select(wanted)
            frame = frame.collect()

        def native(name: str) -> Any:
            return frame.get_column(self._names[name]).to_native()

        def column(name: str) -> NDArray[Any]:
            return series_to_numpy(native(name), name)

        def label_column(name: str, most: int) -> Coded:
            found = encoded(native(name))
            if found is not None and len(found.labels) <= most:
                return Coded(*found.sorted())
            return code_labels(column(name), name, 0, most)

        yield Chunk(
            first_row=0,
            labels={
                c: label_column(c, MOST_SLICES if c in slices else MAX_CLASSES) for c in labels
            },
            numbers={c: as_scores(column(c), c, 0) for c in numbers},
            rows=len(frame),
            groups={c: code_groups(column(c), c, 0) for c in groups},
        )


def table_is_lazy(table: Table) -> bool:
    """Tell a table whose rows are in an engine, which can count them where they are."""
    return isinstance(table, FrameTable) and table.lazy


def refuse_duplicates(names: Sequence[str], where: str, fold: bool = False) -> None:
    """Refuse two columns of one name; with ``fold`` also where only upper and lower case differ."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower() if fold else name, name)
        if other is not name and other != name:
            raise InputError(
                f"{where} has the columns {other!r} and {name!r}, which differ in upper and lower "
                "case only; rename one of them"
            )
        if names.count(name) > 1:
            raise InputError(f"{where} has two columns called {name!r}; rename one of them")


def must_have(columns: Sequence[str], wanted: Sequence[str], where: str) -> None:
    """Refuse a column that a table does not have."""
    for name in wanted:
        if name not in columns:
            raise InputError(f"{where} has no column {name!r}; {choices(name, columns)}")


_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf|nan")


def read_texts(texts: Sequence[str]) -> list[Any]:
    """Return the labels that texts stand for: all booleans, all numbers, or the texts unchanged.

    Only true and false are booleans; yes and no are texts, and so are codes such as 007.

    >>> read_texts(["0", "1"]), read_texts(["true", "False"]), read_texts(["007", "1"])
    ([0, 1], [True, False], ['007', '1'])
    """
    bare = [t.strip().lower() for t in texts]
    if set(bare) <= {"true", "false"}:
        return [t == "true" for t in bare]
    if all(_WHOLE.fullmatch(t) for t in bare):
        return [int(t) for t in bare]
    if all(_NUMBER.fullmatch(t) for t in bare) and set(bare) != {"nan"}:
        return [float(t) for t in bare]
    return list(texts)


def series_to_numpy(series: Any, name: str) -> NDArray[Any]:
    """Return a column of any library as NumPy: None or NaN where a value is missing."""
    import narwhals as nw

    if type(series).__module__.startswith("pyarrow") and not hasattr(series, "chunks"):
        import pyarrow

        series = pyarrow.chunked_array([series])
    try:
        column = nw.from_native(series, series_only=True)
    except TypeError:
        if hasattr(series, "__array__") and not hasattr(series, "columns"):
            return np.asarray(series)  # an index, a tensor
        raise InputError(
            f"{name} is {_a(type(series).__name__)}; give a list, an array, or a column of a frame"
        ) from None
    if column.dtype.is_numeric():
        if column.dtype.is_decimal():
            # Arrow multiplies by a power of ten that is no double: 0.70 would not be 0.7.
            return np.array([np.nan if v is None else float(v) for v in column.to_list()])
        if column.null_count():
            column = column.cast(nw.Float64)
            return np.asarray(column.to_numpy(), dtype=np.float64)
        return np.asarray(column.to_numpy())
    if column.dtype == nw.Boolean and not column.null_count():
        return np.asarray(column.to_numpy(), dtype=bool)
    # Categories keep their type: a pandas categorical of 0 and 1 holds integers, not texts.
    out = np.empty(len(column), dtype=object)
    out[:] = column.to_list()
    out[np.asarray(column.is_null().to_numpy(), dtype=bool)] = None  # also for NaN and pandas' NA
    return out


def _a(noun: str) -> str:
    return ("an " if noun[:1].lower() in "aeiou" else "a ") + noun


def matrix_to_numpy(data: Any) -> tuple[Floats, tuple[str, ...]]:
    """Return a frame of score columns as an array (n, K) and its column names."""
    table = FrameTable(data)
    if not table.columns:
        raise InputError("the data frame of scores has no columns; give one column a class")
    chunk = next(table.chunks([], table.columns))
    return np.stack([chunk.numbers[c] for c in table.columns], axis=1), table.columns


# -- which column is what ----------------------------------------------------------------------

TRUTH = ("y_true", "label", "target", "actual", "class", "truth")
PREDICTION = ("y_pred", "pred", "prediction", "predicted")
SCORE = ("score", "prob", "proba", "p", "y_score")
CLASS_SCORE = re.compile(r"^(?:p|prob|proba|score)_(.+)$", re.IGNORECASE)
COUNT = ("n", "count")
WEKA = ("inst#", "actual", "predicted", "prediction")


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column is what, and what of it was assumed.

    ``scores`` are (column, class it is named after or None); ``counted`` is the column that says
    how many rows a line stands for; ``pos_neg`` the counts of a table of scores already counted.
    """

    truth: str
    prediction: str | None
    scores: tuple[tuple[str, str | None], ...]
    weight: str | None = None
    counted: str | None = None
    pos_neg: tuple[str, str] | None = None
    weka: bool = False
    assumed: tuple[str, ...] = ()


def find_roles(
    columns: Sequence[str],
    *,
    truth: str | None = None,
    prediction: str | None = None,
    score: str | Sequence[str] | None = None,
    weight: str | None = None,
    cluster: str | None = None,
) -> Roles:
    """Find the columns that were not named by their usual names.

    >>> find_roles(["id", "label", "p_yes"]).scores
    (('p_yes', 'yes'),)
    """
    scores = [score] if isinstance(score, str) else list(score or ())
    for option, name in [
        ("truth", truth), ("prediction", prediction), ("weight", weight), ("cluster", cluster),
    ]:  # fmt: skip
        _must_exist(columns, option, name)
    for name in scores:
        _must_exist(columns, "score", name)
    _refuse_two_roles([truth, prediction, weight, cluster, *scores])
    if (
        set(WEKA) <= set(columns)
        and truth in (None, "actual")
        and prediction in (None, "predicted")
        and scores in ([], ["prediction"])
    ):
        # Also when the columns are named: prediction is never the probability of one fixed class.
        told = "Weka's -p output: prediction is the probability of the predicted class"
        return Roles(
            "actual", "predicted", (("prediction", None),), weight, weka=True, assumed=(told,)
        )
    columns = [c for c in columns if c != cluster]
    by_name = {c.lower(): c for c in columns}
    if not truth and not prediction and {"pos", "neg"} <= set(by_name):
        column = scores[0] if scores else _one(columns, SCORE, "score")
        if column:
            told = f"{by_name['pos']!r} and {by_name['neg']!r} count the rows of each score"
            pair = (by_name["pos"], by_name["neg"])
            return Roles("", None, ((column, None),), pos_neg=pair, assumed=(told,))
    assumed = []
    if truth is None:
        given = {prediction, weight, *scores}
        truth = _one([c for c in columns if c not in given], TRUTH, "truth")
        if truth is None:
            raise InputError(
                "no column looks like the true class (names such as y_true, label, target); the "
                f"columns are {_list(columns)}; say which with truth=... (--truth)"
            )
        assumed.append(f"the true class is the column {truth!r}")
    taken = {truth, weight}
    if prediction is None and not scores:
        rest = [c for c in columns if c not in taken]
        prediction = _one(rest, PREDICTION, "prediction")
        if prediction:
            assumed.append(f"the predicted class is the column {prediction!r}")
    if not scores:
        rest = [c for c in columns if c not in {*taken, prediction}]
        named = [c for c in rest if CLASS_SCORE.match(c) and c.lower() not in SCORE]
        single = None if named else _one(rest, SCORE, "score")
        scores = named or ([single] if single else [])
        if scores and not _only_prediction_given(prediction, assumed):
            word = "scores are the columns" if len(scores) > 1 else "the score is the column"
            assumed.append(f"{word} {_list(scores)}")
        elif scores:
            scores = []
    if not scores and prediction is None:
        raise InputError(
            "no column looks like a prediction or a score (names such as y_pred, score, p_yes); "
            f"the columns are {_list(columns)}; say which with score=... (--score) or "
            "prediction=... (--pred)"
        )
    counted = None
    rest = [c for c in columns if c not in {truth, prediction, *scores}]
    if weight is None and len(rest) == 1 and rest[0].lower() in COUNT:
        counted = rest[0]
        assumed.append(f"the column {counted!r} counts the rows that a line stands for")
    pairs = tuple((c, m.group(1) if (m := CLASS_SCORE.match(c)) else None) for c in scores)
    return Roles(truth, prediction, pairs, weight, counted, assumed=tuple(assumed))


def _only_prediction_given(prediction: str | None, assumed: Sequence[str]) -> bool:
    """Tell whether the caller named a prediction column and no score: then judge just that."""
    return prediction is not None and not any("predicted class" in a for a in assumed)


def _refuse_two_roles(given: Sequence[str | None]) -> None:
    for name in given:
        if name is not None and given.count(name) > 1:
            raise InputError(f"the column {name!r} is named twice; give every column one part")


def _must_exist(columns: Sequence[str], option: str, name: str | None) -> None:
    if name is not None and name not in columns:
        raise InputError(f"there is no column {name!r} for {option}; {choices(name, columns)}")


def _one(columns: Sequence[str], names: Sequence[str], option: str) -> str | None:
    found = [c for c in columns if c.lower() in names]
    if len(found) > 1:
        flag = "pred" if option == "prediction" else option
        raise InputError(
            f"several columns could be the {option}: {_list(found)}; say which with "
            f"{option}=... (--{flag})"
        )
    return found[0] if found else None


def _list(names: Sequence[str], limit: int = 12) -> str:
    told = ", ".join(repr(n) for n in names[:limit])
    return told + (f" and {len(names) - limit} more" if len(names) > limit else "")


# -- Weka --------------------------------------------------------------------------------------


class WekaTable:
    """The table of Weka's ``-p``, whose classes are written as "2:name": the names alone."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.name = table.name
        self.columns = table.columns
        self.classes: tuple[Label, ...] = ()
        """The classes in Weka's order, known once a chunk has been read."""

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self._table.rows

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        size: int = CHUNK_ROWS,
        *,
        groups: Sequence[str] = (),
        slices: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Read the columns named, with "2:name" read as "name" and "2:?" as missing."""
        for chunk in self._table.chunks(labels, numbers, size, groups=groups, slices=slices):
            order: dict[int, str] = {}
            for column in _WEKA_CLASSES:
                for label in chunk.labels[column].labels if column in chunk.labels else ():
                    index, name = _weka_class(label)
                    if name is not None and index is not None:
                        order[index] = name
            # Both columns' names are judged together: integers only if they all are.
            known = sorted(order)
            self.classes = tuple(_integers_if_all([order[i] for i in known]))
            whole = bool(self.classes) and not isinstance(self.classes[0], str)
            yield replace(
                chunk,
                labels={
                    c: _strip_weka(coded, whole) if c in _WEKA_CLASSES else coded
                    for c, coded in chunk.labels.items()
                },
            )


_WEKA_CLASSES = ("actual", "predicted")


def _weka_class(label: Label) -> tuple[int | None, str | None]:
    """Return the index and the name of a class as Weka writes it; no name where it is missing."""
    if not isinstance(label, str):
        return None, str(label)
    index, colon, name = label.partition(":")
    if colon and index.isdecimal():
        return int(index), None if name == "?" else name
    return None, None if label == "?" else label


def _integers_if_all(texts: Sequence[str]) -> list[Label]:
    if all(_WHOLE.fullmatch(t) for t in texts):
        return [int(t) for t in texts]
    return list(texts)


def _strip_weka(coded: Coded, whole: bool) -> Coded:
    if not any(isinstance(label, str) for label in coded.labels):
        return coded
    names = [_weka_class(label)[1] for label in coded.labels]
    meant: list[Label | None] = [n if n is None or not whole else int(n) for n in names]
    labels = tuple(sorted({m for m in meant if m is not None}))
    place = [-1 if m is None else labels.index(m) for m in meant]
    return Coded(np.array([*place, -1], dtype=np.intp)[coded.codes], labels)


def weka_positive_score(predicted: Coded, probability: Floats, positive: Label) -> Floats:
    """Return the probability of the positive class from that of the predicted one of two."""
    at = predicted.labels.index(positive) if positive in predicted.labels else -2
    return np.where(predicted.codes == at, probability, 1 - probability)
