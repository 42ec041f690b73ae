"""Frames of any library as tables: Narwhals makes one kind of pandas, Polars, Arrow and DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.data.chunks import CHUNK_ROWS, Chunk, Table
from tallymark.data.columns import must_have, refuse_duplicates
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    MAX_CLASSES,
    MOST_SUBGROUPS,
    Coded,
    Floats,
    as_scores,
    code_groups,
    code_labels,
    encoded,
    narwhals_frame,
    series_to_numpy,
)


class FrameTable:
    """A frame of any library that Narwhals knows; of lazy ones, the columns used are collected."""

    name = "the data frame"

    def __init__(self, data: Any) -> None:
        import narwhals as nw

        try:
            self._frame: Any = narwhals_frame(data)
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
        subgroups: Sequence[str] = (),
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
                c: label_column(c, MOST_SUBGROUPS if c in subgroups else MAX_CLASSES)
                for c in labels
            },
            numbers={c: as_scores(column(c), c, 0) for c in numbers},
            rows=len(frame),
            groups={c: code_groups(column(c), c, 0) for c in groups},
        )


def table_is_lazy(table: Table) -> bool:
    """Tell a table whose rows are in an engine, which can count them where they are."""
    return isinstance(table, FrameTable) and table.lazy


def matrix_to_numpy(data: Any) -> tuple[Floats, tuple[str, ...]]:
    """Return a frame of score columns as an array (n, K) and its column names."""
    table = FrameTable(data)
    if not table.columns:
        raise InputError("the data frame of scores has no columns; give one column a class")
    chunk = next(table.chunks([], table.columns))
    return np.stack([chunk.numbers[c] for c in table.columns], axis=1), table.columns
