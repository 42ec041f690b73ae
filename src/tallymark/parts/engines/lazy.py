"""Lazy frames as tables: their engine counts the rows, and other queries collect them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import narwhals as nw

from tallymark import InputError
from tallymark.core import (
    GROUPS,
    Chunk,
    FrameTable,
    Joined,
    JoinSides,
    RowCounter,
    listed,
    must_have,
    narwhals_frame,
    refuse_duplicates,
    repeated_key,
)
from tallymark.parts.engines.counting import count_groups
from tallymark.parts.engines.group_counts import answered, is_pattern


def lazy_table(data: Any) -> LazyTable | None:
    """Return a lazy frame as a table, or None if the data are no lazy frame."""
    try:
        frame = narwhals_frame(data, pass_through=True)
    except Exception:  # a frame that its own library cannot describe, which is refused later
        return None
    return LazyTable(frame) if isinstance(frame, nw.LazyFrame) else None


class LazyTable(FrameTable):
    """A lazy frame of any library that Narwhals knows."""

    def __init__(self, frame: nw.LazyFrame[Any]) -> None:
        refuse_duplicates(list(map(str, frame.collect_schema().names())), self.name)
        self.take(frame)

    @property
    def in_place(self) -> bool:  # type: ignore[override]
        """Whether the engine counts the rows: True until they are collected."""
        return isinstance(self.frame, nw.LazyFrame)

    @property
    def at_hand(self) -> bool:  # type: ignore[override]
        """Whether rows are on this machine, as those of Polars are."""
        return bool(self.frame.implementation.is_polars())

    def counted(self, counter: RowCounter) -> Iterable[Chunk]:
        """Return group counts from the engine, or the rows where group counts do not suffice."""
        job = counter.job
        # Group counts would merge rows of different clusters or numbers of roles, so the rows
        # themselves are fetched; so are rows that have both a count and a weight, already grouped.
        if not self.in_place or self.layout or job.by_row or len(job.heavy) > 1:
            return super().counted(counter)
        return count_groups(self, counter)

    # -- rows that travel ----------------------------------------------------------------------

    def collect(self) -> None:
        """Collect all rows into memory."""
        self.take(self.frame.collect())

    def collected(self, columns: Sequence[str]) -> FrameTable:
        """Return columns in memory: all, if a name would be read as a pattern."""
        frame = self.frame if any(map(is_pattern, columns)) else self.frame.select(*columns)
        table = FrameTable(frame)
        table.name = self.name
        return table

    def some(self, rows: int | None = None) -> Any:
        """Return all rows, or the first ones."""
        if not self.in_place:
            return super().some(rows)
        with answered(self):
            return (self.frame if rows is None else self.frame.head(rows)).collect()

    def first(self, rows: int) -> tuple[tuple[Any, ...], ...]:
        """Return the first rows as they stand in the frame."""
        return tuple(self.frame.lazy().head(rows).collect().rows())

    @property
    def rows(self) -> int:
        """The number of rows."""
        with self.guarded():
            return int(self.frame.lazy().select(nw.len()).collect().item())

    def native(self, name: str) -> Any:
        """Return a column in the type of its own library."""
        return self.collected([name]).native(name)

    def chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str] = (),
        subgroups: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """Read the columns named as one chunk."""
        columns = list(dict.fromkeys([*labels, *numbers, *groups]))
        must_have(self.columns, columns, self.name)
        with self.guarded():
            (chunk,) = self.collected(columns).chunks(labels, numbers, groups, subgroups)
        yield chunk if self.layout is None else self.layout.read(chunk)

    # -- questions to columns ------------------------------------------------------------------

    def in_percent(self, columns: Sequence[str]) -> None:
        """Read columns as percentages, whose numbers are divided by 100."""
        schema = self.frame.collect_schema()
        self.take(
            self.frame.with_columns(
                nw.nth(i).cast(nw.Float64) / 100
                for i, (name, dtype) in enumerate(schema.items())
                if name in columns and dtype.is_numeric()
            )
        )

    def split(self, column: str) -> tuple[str, ...]:
        """Split a column of vectors into one column per element and return their names.

        Empty for other columns.
        """
        dtype = self.frame.collect_schema()[self.native_names[column]]
        if not self.at_hand or not isinstance(dtype, nw.List | nw.Array | nw.Object):
            return ()
        self.collect()
        return super().split(column)

    def groups(self, columns: Sequence[str]) -> dict[str, int] | None:
        """Return how many rows share the values of columns, as of any frame.

        An engine groups the rows by one column, and four numbers come back. None for several.
        """
        if self.at_hand:
            return self.collected(columns).groups(columns)
        if len(columns) > 1 or is_pattern(columns[0]):
            return None
        key = nw.col(self.native_names[columns[0]])
        values = self.frame.select(value=key).filter(~nw.col("value").is_null())
        sizes = values.group_by("value").agg(nw.len().alias("size"))
        size = nw.col("size")
        statistics = (size.sum(), size.count(), size.min(), size.max())
        named = dict(zip(GROUPS, statistics, strict=True))
        try:
            with answered(self):
                ((*found,),) = sizes.select(**named).collect().rows()
        except InputError:  # values that cannot be compared, such as JSON
            return None
        return {name: int(n or 0) for name, n in zip(GROUPS, found, strict=True)}

    def varies(self, column: str) -> bool:
        """Tell whether a column holds several values."""
        with self.guarded():
            return len(self.frame.select(column).unique().head(2).collect()) > 1

    # -- the truth of another table ------------------------------------------------------------

    def join(self, sides: JoinSides) -> Joined | None:
        """Return the join with the truth in another table of this engine; else collect the rows."""
        other = sides.other
        if isinstance(other, LazyTable) and other.frame.implementation is self.frame.implementation:
            return self._joined(sides, other)
        if not self.at_hand:
            raise InputError(
                f"the rows of {self.name} are in an engine, and {other.name} is not in the same "
                "engine; give the truth as a lazy frame of the same connection, or join both there "
                "in a view"
            )
        self.collect()
        return None

    def _joined(self, sides: JoinSides, other: LazyTable) -> Joined:
        if len(sides.perhaps) != 1:
            are = f"{listed(sides.perhaps)} are in both" if sides.perhaps else "they share none"
            raise InputError(
                f"an engine joins {self.name} and {other.name} by one column, and {are}; name it "
                "with on=..."
            )
        (key,) = sides.perhaps
        truth = sides.of_truth(key)
        placed = sides.placed(truth)
        for side in (self, other):
            if twice := side._repeated(key):
                raise repeated_key(key, side.name, twice)
        rows = self._join(other, key, truth, placed)
        if not rows[2]:
            raise InputError(
                f"no value of {key!r} is in both {self.name} and {other.name}; write them alike, "
                "or name another column with on=..."
            )
        return sides.joined(truth, placed, key, f"`{key}`", 0, rows)

    def _repeated(self, column: str, most: int = 3) -> list[Any]:
        """Return some values that several rows have in a column."""
        sizes = self.frame.group_by(column).agg(nw.len().alias("rows of it"))
        sizes = sizes.filter((nw.col("rows of it") > 1) & ~nw.col(column).is_null())
        with self.guarded():
            repeated = sizes.sort(column).head(most).collect()
        return list(repeated.get_column(column).to_list())

    def _join(self, other: LazyTable, key: str, column: str, name: str) -> tuple[int, int, int]:
        """Add a column of another table by a key, and leave out rows without a partner.

        Return the rows of this table, of the other, and of both.
        """
        at, theirs = nw.col(key), nw.col(key)
        types = [t.frame.collect_schema()[key] for t in (self, other)]
        if types[0] != types[1]:
            at, theirs = at.cast(nw.String), theirs.cast(nw.String)
        right = other.frame.select(theirs.alias("key of both"), nw.col(column).alias(name))
        ours = self.frame.with_columns(at.alias("key of both"))
        before = self.rows
        try:
            self.take(ours.join(right, on="key of both", how="inner").drop("key of both"))
            return before, other.rows, self.rows
        except InputError:
            raise
        except Exception as error:
            words = " ".join(str(error).split())[:200].rstrip(".")
            raise InputError(
                f"the engine cannot join {self.name} and {other.name}: {words}; give both from one "
                "connection, or join them there in a view"
            ) from None
