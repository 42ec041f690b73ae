"""Data sets to train on: numeric and nominal columns, and a class of two."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    Coded,
    FileTable,
    Floats,
    FrameTable,
    Label,
    Table,
    as_scores,
    choices,
    code_labels,
    find_positive,
    is_table,
    many,
    matrix_to_numpy,
    open_table,
    read_texts,
    read_whole,
    readers,
    unpacked_name,
)

_ENDINGS = (".csv", ".tsv", ".parquet", ".pq", ".arrow", ".feather")


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """Rows to learn from.

    ``x`` [n, columns] holds numbers, and codes of the values of ``nominal`` columns; NaN is
    missing. ``y`` [n] is True where a row is of the positive class. ``classes`` are all that are
    declared, whether they occur or not; the positive one is the first that occurs.
    """

    name: str
    x: Floats
    nominal: NDArray[np.bool_]
    y: NDArray[np.bool_]
    classes: tuple[str, ...]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def minority(self) -> float:
        """The share of the smaller class."""
        share = float(self.y.mean())
        return min(share, 1 - share)

    @property
    def fingerprint(self) -> str:
        """A text that differs where the rows, the kinds of columns or the classes do."""
        digest = hashlib.sha256(json.dumps([self.x.shape, self.classes]).encode())
        x = np.where(np.isnan(self.x), np.nan, self.x)  # one NaN for all that there are
        for part in (x.astype("<f8"), self.nominal, self.y):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:32]


def name_of(path: str | os.PathLike[str]) -> str:
    """Return what a file's data set is called: the name without folder and ending.

    >>> name_of("sets/heart.c.arff.gz")
    'heart.c'
    """
    return unpacked_name(Path(path)).stem


def files_of(source: Any, leave_out: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the files of a folder's data sets, of a list of paths, or the one file named.

    A folder may also hold tables of results, which are not data sets: ``leave_out``, and those that
    an experiment has left with a file ``.state`` beside them.

    Raises
    ------
    InputError
        Nothing is there, or nothing that is a data set.

    """
    if isinstance(source, list | tuple):
        if not all(isinstance(f, str | os.PathLike) for f in source):
            raise InputError(
                "a list must hold paths of data sets; give arrays by name, {name: (X, y)}"
            )
        return [Path(f) for f in source]
    if not isinstance(source, str | os.PathLike):
        raise InputError(
            f"{type(source).__name__} is not a data set; give files, a folder that holds some, or "
            "arrays by name, {name: (X, y)}"
        )
    path = Path(source)
    if not path.exists():
        raise InputError(f"there is no folder or file {os.fspath(source)!r}; check the path")
    if not path.is_dir():
        return [path]
    results = None if leave_out is None else Path(leave_out).resolve()
    files = sorted(
        p
        for p in path.iterdir()
        if is_kind(p) and p.resolve() != results and not p.with_name(p.name + ".state").exists()
    )
    if not files:
        raise InputError(
            f"{os.fspath(source)!r} holds no data sets; put files of the kinds "
            f"{', '.join(endings())} there, one per data set"
        )
    return files


def is_kind(path: Path) -> bool:
    """Tell by its ending whether a file may be a data set."""
    return unpacked_name(path).suffix.lower() in endings()


def endings() -> tuple[str, ...]:
    """Return the endings of data sets; that of a packed file, such as .gz, may follow."""
    declaring = (r.endings for r in readers().values() if r.declares)
    return (*chain.from_iterable(declaring), *_ENDINGS)


def read(
    path: str | os.PathLike[str],
    target: str | None = None,
    positive: Label | None = None,
    header: bool | None = None,
) -> DataSet:
    """Read a data set from a file.

    Parameters
    ----------
    path : path
        Its name without the ending is the name of the data set.
    target : str, optional
        The column of the class; the last one unless given.
    positive : label, optional
        The positive class; unless given the first that the file declares. Of other files 1
        of 0 and 1 or of -1 and 1, or True; where none of these is, the first when sorted.
    header : bool, optional
        Whether the first row of a CSV file names the columns, as in :func:`tallymark.evaluate`.

    Raises
    ------
    InputError
        No such column or class, more or fewer than two classes that occur, rows without a class,
        infinite numbers.

    """
    file = os.fspath(path)
    named = [] if target is None else [target]
    has_one = unpacked_name(Path(path)).suffix.lower() == ".csv"
    table = open_table(file, named=named, header=header if has_one else None)
    declared = table.declared if isinstance(table, FileTable) else {}
    column = table.columns[-1] if target is None else target
    if column not in table.columns:
        raise InputError(f"{table.name} has no column {column!r} for the class; name another")
    features = [c for c in table.columns if c != column]
    if not features:
        raise InputError(f"{table.name} has no column besides the class {column!r} to learn from")
    texts, numbers = _kinds(table, features, declared)
    columns = read_whole(table, [*texts, column], numbers)
    codes = {c: columns.labels[c].codes for c in texts}
    read_in = columns.numbers | {c: np.where(v < 0, np.nan, v) for c, v in codes.items()}
    x = np.stack([read_in[c] for c in features], 1)
    nominal = np.array([c in texts for c in features])
    classes = columns.labels[column]
    return _made(name_of(file), x, nominal, classes, declared.get(column), positive, table.name)


def from_arrays(name: str, x: Any, y: Any, positive: Label | None = None) -> DataSet:
    """Make a data set of numbers ``x`` [n, columns] and labels ``y`` [n].

    Missing numbers may be None or NaN. The positive class is that of a CSV file of the same.

    Raises
    ------
    InputError
        Texts or infinite numbers in ``x``, another shape, labels of more or fewer than two classes,
        no such class.

    Examples
    --------
    >>> x = [[1.0], [2.0], [3.0]]
    >>> from_arrays("d", x, [0, 1, 1]).classes, from_arrays("d", x, ["no", "yes", "no"]).classes
    (('1', '0'), ('yes', 'no'))

    """
    coded = code_labels(y, f"y of {name}")
    values = _numbers(name, x)
    if len(values) != len(coded.codes):
        raise _shape(name, values.shape, f" and y {len(coded.codes)} rows")
    return _made(name, values, np.zeros(values.shape[1], dtype=bool), coded, None, positive, name)


def _numbers(name: str, x: Any) -> Floats:
    """Return the columns of a frame or an array as numbers; refuse other entries."""
    if is_table(x):
        try:
            frame = FrameTable(x)
            if frame.columns:
                return matrix_to_numpy(x)[0]
        except InputError as error:
            raise InputError(f"X of {name}: {error}") from None
        raise _shape(name, (frame.rows, 0), "")
    try:
        array = np.asarray(x)
        if array.dtype.kind in "USTO":  # numbers beside texts stay what they are
            array = np.array(x, dtype=object)
    except ValueError:
        raise InputError(
            f"X of {name} has rows of different lengths; give every row as many numbers"
        ) from None
    if array.ndim != 2 or not array.shape[1]:
        raise _shape(name, array.shape, "")
    columns = enumerate(array.T, 1)
    return np.stack([as_scores(c, f"column {i} of X of {name}") for i, c in columns], 1)


def _shape(name: str, shape: tuple[int, ...], more: str) -> InputError:
    return InputError(
        f"X of {name} has the shape {shape}{more}; X needs one row of numbers for each label"
    )


def _made(
    name: str,
    x: Floats,
    nominal: NDArray[np.bool_],
    classes: Coded,
    declared: Sequence[str] | None,
    positive: Label | None,
    where: str,
) -> DataSet:
    if classes.missing:
        raise InputError(
            f"{where} has {many(classes.missing, 'row')} without a class; leave such rows out"
        )
    order = _order(classes.labels, declared)
    present = {classes.labels[i] for i in np.unique(classes.codes)}
    occurring = [label for label in order if label in present]
    if len(occurring) != 2:
        names = ", ".join(repr(v) for v in occurring[:6])
        raise InputError(
            f"{where} has {len(occurring)} classes ({names}); a study needs two, so merge classes"
        )
    first = occurring[0] if positive is None else _meant(positive, occurring)
    if first is None:
        names = choices(str(positive), [str(v) for v in occurring])
        raise InputError(f"{where} has no class {positive!r} to take as positive; {names}")
    if positive is not None:
        order = [first, *(label for label in order if label != first)]
    y = np.array([label == first for label in classes.labels])[classes.codes]
    x = np.ascontiguousarray(x, dtype=np.float64)
    return DataSet(name, x, nominal, y, tuple(str(label) for label in order))


def _kinds(
    table: Table, features: Sequence[str], declared: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    """Return the nominal and the numeric columns: as declared, or numeric where all are numbers."""
    if declared:
        return [c for c in features if c in declared], [c for c in features if c not in declared]
    texts, numbers = [], []
    for c in features:
        try:
            for _ in table.chunks([], [c]):
                pass
        except InputError as error:
            if "not a number" not in str(error):  # a number that cannot be used, as an infinite one
                raise InputError(f"{table.name}: {error}") from None
            texts.append(c)
        else:
            numbers.append(c)
    return texts, numbers


def _order(labels: Sequence[Label], declared: Sequence[str] | None) -> list[Label]:
    """Return the classes, the positive one first: of the header, or by custom."""
    if declared is not None:
        order = [text if (v := _meant(text, labels)) is None else v for text in declared]
        return list(dict.fromkeys([*order, *labels]))
    order = sorted(labels)
    with suppress(InputError):  # of other classes no custom says which is positive
        order = [find_positive(order, None), *order]
    return [v for v in dict.fromkeys(order) if v in labels]


def _meant(label: Label, labels: Sequence[Label]) -> Label | None:
    """Return the label in the data that matches a given label or its text form, or None."""
    spellings = (label, *read_texts([str(label)]))
    return next((label for label in labels if label in spellings), None)
