"""Counting where the rows are: one reduction in Narwhals, computed by the engine that holds them.

A lazy frame (DuckDB, Polars, Spark, Dask, or a warehouse through Ibis) is never collected. Its
rows are grouped by what a tally tells apart, and what comes back are *lines*: a class, a decision,
a score or a bin of scores, and how many rows have them. Everything else is arithmetic on lines.

What engines disagree on never reaches a group: NULL and NaN become a flag beside a neutral value,
-0.0 becomes 0.0, numbers are cast to float64 on entry, and booleans are counted with CASE WHEN.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce, wraps
from operator import add, or_
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark.data.chunks import Chunk, FrameTable
from tallymark.data.columns import must_have, refuse_too_many
from tallymark.errors import InputError
from tallymark.tally.arrays import (
    MAX_CLASSES,
    MOST_SUBGROUPS,
    Coded,
    Floats,
    code_labels,
    fraction_of_label,
    incomplete,
)
from tallymark.tally.bins import Bins

T = TypeVar("T")
P = ParamSpec("P")

TESTED = {
    "duckdb": "DuckDB",
    "polars": "Polars",
    "pyspark": "Spark",
    "dask": "Dask",
    "ibis:duckdb": "DuckDB",
    "ibis:postgres": "PostgreSQL",
}
"""Engines that the conformance suite runs on; any other is asked a few questions first."""

MOST_LINES = 2_000_000
"""So many groups are fetched at most; of more distinct scores the engine counts bins."""

_NO_COLLATION = ("polars", "dask")
"""Engines that compare texts by their bytes; in others a column may have a collation."""

_RULE = "engines must tell texts, missing values and numbers apart as arrays do"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which columns are what: ``labels`` are the truth, then decisions.

    ``weight`` is a column of sampling weights, or of how many rows a line stands for (``counted``).
    """

    labels: tuple[str, ...]
    scores: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()
    weight: str | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """What the first pass tells of a table: how many rows, what is missing, how far numbers go.

    ``whole`` rows have every label and score. ``missing`` counts the rows without a column's
    value; ``ends`` are a number's least and greatest, NaN where there is none.
    """

    rows: int
    whole: int
    missing: Mapping[str, int]
    ends: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column in the engine: its name there, our short one, and how its values are held."""

    name: str
    short: str
    held: str
    """text, boolean (as 0 and 1), integer or float"""

    @property
    def flag(self) -> str:
        return self.short + "_gone"


def _guarded(ask: Callable[Concatenate[Engine, P], T]) -> Callable[Concatenate[Engine, P], T]:
    """Make one sentence of whatever an engine dies of."""

    @wraps(ask)
    def asked(self: Engine, /, *args: P.args, **options: P.kwargs) -> T:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ask(self, *args, **options)
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"{self.called} could not count {self.name}: {first_words(error)}; see whether it "
                "is still there and can be read, then count again"
            ) from None

    return asked


class Engine:
    """A lazy frame whose columns were made alike for every engine; a query a method.

    >>> import duckdb
    >>> rows = duckdb.sql("select * from (values (0, 0.1), (1, 0.9), (1, 0.9)) as t(y, p)")
    >>> lines = Engine(FrameTable(rows), Asked(("y",), ("p",))).lines(("y",), ("p",))
    >>> lines.labels["y"].labels, lines.numbers["p"], lines.count
    ((0, 1), array([0.1, 0.9]), array([1, 2]))
    """

    def __init__(self, table: FrameTable, asked: Asked) -> None:
        self.name = table.name
        self.asked = asked
        self.kind = kind_of(table.frame)
        self.called = TESTED.get(self.kind, self.kind.removeprefix("ibis:"))
        wanted = [*asked.labels, *asked.scores, *asked.subgroups]
        wanted += [asked.weight] if asked.weight else []
        must_have(table.columns, wanted, table.name)
        for name in wanted:
            if name == "*" or (name[:1] == "^" and name[-1:] == "$"):
                raise InputError(f"to an engine {name!r} means many columns; rename the column")
        self._columns: dict[str, _Column] = {}
        if self.kind not in TESTED:
            self._examine(table.frame)
        self._frame = self._prepared(table)

    # -- columns alike in every engine ---------------------------------------------------------

    @_guarded
    def _prepared(self, table: FrameTable) -> Any:
        """Return the frame with columns of our own names: neutral values, and flags of the rest."""
        import narwhals as nw

        asked, source = self.asked, table.frame
        natives = {name: table.native_name(name) for name in table.columns}
        if self.kind.startswith("pyspark"):  # which reads dots and backticks in a name
            natives = {name: f"c{i}" for i, name in enumerate(natives)}
            source = nw.from_native(source.to_native().toDF(*natives.values()))
        schema = source.collect_schema()
        raw = {}
        roles = [("label", asked.labels), ("score", asked.scores), ("subgroup", asked.subgroups)]
        roles += [("weight", (asked.weight,))] if asked.weight else []
        for role, names in roles:
            for i, name in enumerate(names):
                assert name is not None
                native = natives[name]
                number = role in ("score", "weight")
                expression, held = hold(nw.col(native), schema[native], name, number)
                self._columns[name] = column = _Column(name, f"{role}_{i}", held)
                raw[column.short] = expression
        frame = source.select(**raw)
        flags, values = {}, {}
        for column in self._columns.values():
            x = nw.col(column.short)
            gone = x.is_null()
            if column.held == "float":
                gone = gone | x.is_nan()
                zero = (nw.col(column.flag) == 1) | (x == 0.0)  # -0.0 too
                values[column.short] = nw.when(zero).then(nw.lit(0.0)).otherwise(x)
            else:
                values[column.short] = x.fill_null("" if column.held == "text" else 0)
            flags[column.flag] = flag(gone)
        frame = frame.with_columns(**flags).with_columns(**values)
        gaps = [nw.col(self._columns[n].flag) for n in (*asked.labels, *asked.scores)]
        frame = frame.with_columns(whole=flag(reduce(add, gaps) == 0))
        if asked.weight:
            frame = frame.with_columns(weight_2=nw.col("weight_0") * nw.col("weight_0"))
        return frame

    @_guarded
    def _examine(self, frame: Any) -> None:
        """Refuse an engine that was never tested where it differs in what can be asked of it."""
        import narwhals as nw

        text, number = nw.lit("a"), nw.lit(0.1).cast(nw.Float64)
        asked = {
            "'a' = 'A'": (flag(text == nw.lit("A")), 0),
            "'a' = 'a '": (flag(text == nw.lit("a ")), 0),
            "floor(-0.5) = -1": (flag((number - 0.6).floor() == -1.0), 1),
            "0.1 + 0.2 = 0.3": (flag(number + 0.2 == 0.3), 0),
        }
        # Literals beside a row of the table: nothing is written to a server to find out.
        named = {f"q{i}": e for i, (e, _) in enumerate(asked.values())}
        found = self._fetch(frame.head(1).with_columns(**named).select(*named))
        for values, (told, (_, right)) in zip(found.values(), asked.items(), strict=True):
            if len(values) and int(values[0]) != right:
                raise InputError(
                    f"{self.called} says that {told} is {'false' if right else 'true'}, and "
                    f"{_RULE}; count a copy of {self.name} elsewhere"
                )

    # -- queries -------------------------------------------------------------------------------

    @cached_property
    @_guarded
    def summary(self) -> Summary:
        """The first pass: rows, labels of the truth, what is missing, the ends of every number.

        Raises
        ------
        InputError
            A truth that is no class, infinite numbers, weights below zero or missing, and whatever
            the engine itself says.

        """
        import narwhals as nw

        truth = self._columns[self.asked.labels[0]]
        numbers = [c for c in self._columns.values() if c.short[:5] in ("score", "weigh")]
        sums = [c.flag for c in self._columns.values()] + ["whole"]
        frame = self._frame
        there = {
            f"{c.short}_there": nw.when(nw.col(c.flag) == 0).then(nw.col(c.short)) for c in numbers
        }
        frame = frame.with_columns(**there) if there else frame
        if self.asked.weight:
            w, whole = nw.col("weight_0"), nw.col("whole") == 1
            bad = {
                "no_weight": whole & (nw.col("weight_0_gone") == 1),
                "negative": whole & (w < 0.0),
                "heavy": whole & (w > 0.0),
                "fraction": whole & (w != w.floor()),
            }
            frame = frame.with_columns(**{n: flag(e) for n, e in bad.items()})
            sums += list(bad)
        grouped = frame.group_by(truth.short, truth.flag).agg(
            nw.len().alias("rows"),
            *(nw.col(n).sum().alias(f"sum_{n}") for n in sums),
            *(nw.col(f"{c.short}_there").min().alias(f"low_{c.short}") for c in numbers),
            *(nw.col(f"{c.short}_there").max().alias(f"high_{c.short}") for c in numbers),
        )
        found = self._fetch(self._telling(grouped, [truth]).head(MAX_CLASSES + 2))
        ends = {}
        for c in numbers:
            low, high = (floats(found[f"{e}_{c.short}"]) for e in ("low", "high"))
            ends[c.name] = farthest(low, np.minimum), farthest(high, np.maximum)
        rows = int(ints(found["rows"]).sum())
        total = {n: int(floats(found[f"sum_{n}"]).sum()) for n in sums}
        self._refuse_numbers(ends, total)
        self._coded(found, truth, MAX_CLASSES)  # refuses what is no class
        missing = {c.name: total[c.flag] for c in self._columns.values()}
        return Summary(rows, total["whole"], missing, ends)

    def _refuse_numbers(
        self, ends: Mapping[str, tuple[float, float]], total: Mapping[str, int]
    ) -> None:
        for name, pair in ends.items():
            for end in pair:
                if np.isinf(end):
                    raise InputError(
                        f"{name} is {end} in some rows; give finite numbers or leave those rows out"
                    )
        if self.asked.weight:
            for what, told in (("no_weight", "missing"), ("negative", "below zero")):
                if total[what]:
                    raise InputError(
                        f"{self.asked.weight} is {told} in {_many(total[what])}; a weight is a "
                        "number, zero or more"
                    )
            if total["whole"] and not total["heavy"]:
                raise InputError(
                    f"{self.asked.weight} is 0 in every row, so that nothing counts; mend it or "
                    "leave it out"
                )
            if self.asked.counted and total["fraction"]:
                raise InputError("the column of counts holds fractions; counts are whole numbers")

    def refuse_missing(self, missing: str) -> int:
        """Return how many rows are left out for something missing; ``"error"`` refuses them."""
        if missing not in ("error", "drop"):
            raise InputError(f"missing is {missing!r}; say 'error' or 'drop'")
        s = self.summary
        for name in (*self.asked.labels, *self.asked.scores):
            if missing == "error" and s.missing[name]:
                raise incomplete(name, s.missing[name])
        return s.rows - s.whole

    @_guarded
    def lines(
        self,
        labels: Sequence[str],
        scores: Sequence[str] = (),
        *,
        subgroups: bool = True,
        by_weight: bool = False,
    ) -> Chunk | None:
        """Group the rows by labels, scores and the subgroups; None where there are more lines.

        With ``by_weight`` rows of different weight are told apart.
        """
        return self._lines(self._frame, labels, scores, subgroups=subgroups, by_weight=by_weight)

    @_guarded
    def binned(self, truth: str, score: str, bins: Bins, *, subgroups: bool = True) -> Chunk:
        """Group the rows by the truth, the bin of a score and the subgroups.

        Raises
        ------
        InputError
            An engine whose floating arithmetic puts a score into another bin than IEEE's does.

        """
        import narwhals as nw

        x = self._columns[score].short
        frame = self._of_whole([x], self._frame)
        start, scale, first = (
            tree(nw.col(x), bins, values, self.kind)
            for values in (bins.breaks, bins.scale, np.arange(len(bins.scale)) * float(bins.per))
        )
        frame = frame.with_columns(bin_start=start, bin_scale=scale, bin_first=first)
        inside = ((nw.col(x) - nw.col("bin_start")) * nw.col("bin_scale")).floor()
        frame = frame.with_columns(bin_inside=inside.cast(nw.Float64))
        place, last = nw.col("bin_inside"), float(bins.per - 1)
        place = (
            nw.when(place < 0.0)
            .then(nw.lit(0.0))
            .otherwise(nw.when(place > last).then(nw.lit(last)).otherwise(place))
        )
        frame = frame.with_columns(bin=place + nw.col("bin_first"))
        lines = self._lines(frame, [truth], (), subgroups=subgroups, binned=(score, bins))
        if lines is None:
            raise InputError(
                f"subgroups and bins of {score} make more than {MOST_LINES:,} groups; give "
                "fewer subgroup columns"
            )
        return lines

    def _refuse_rounding(self, lows: Floats, highs: Floats, place: Floats, bins: Bins) -> None:
        for end in (lows, highs):
            wrong = bins.place(end) != place
            if wrong.any():
                at = int(np.argmax(wrong))
                raise InputError(
                    f"{self.called} puts the score {float(end[at])!r} into bin {place[at]:.0f}, "
                    f"which double precision puts into {bins.place(end[[at]])[0]}; count a copy of "
                    f"{self.name} elsewhere"
                )

    @_guarded
    def distinct_within(self, score: str, ranges: Sequence[tuple[float, float]]) -> int:
        """Return how many distinct scores lie within some closed ranges."""
        import narwhals as nw

        x = nw.col(self._columns[score].short)
        inside = reduce(
            or_, ((x >= literal(a, self.kind)) & (x <= literal(b, self.kind)) for a, b in ranges)
        )
        kept = self._frame.filter(inside & (nw.col("whole") == 1))
        groups = kept.group_by(self._columns[score].short).agg(nw.len().alias("rows"))
        found = self._fetch(groups.select(nw.len().alias("groups")))
        return int(ints(found["groups"])[0])

    def _of_whole(self, columns: Sequence[str], frame: Any) -> Any:
        """Make numbers of rows that are not whole 0: of those only the labels matter."""
        import narwhals as nw

        zero, whole = nw.lit(0.0), nw.col("whole") == 1
        return frame.with_columns(
            **{x: nw.when(whole).then(nw.col(x)).otherwise(zero) for x in columns}
        )

    def _lines(
        self,
        frame: Any,
        labels: Sequence[str],
        scores: Sequence[str],
        *,
        subgroups: bool,
        by_weight: bool = False,
        binned: tuple[str, Bins] | None = None,
    ) -> Chunk | None:
        """Return the groups of whole rows; None where there are too many."""
        import narwhals as nw

        s = self.summary
        # Of classes, bins and no subgroups there are few enough groups.
        most = MOST_LINES if subgroups or not binned else 1_000_000_000
        columns = [
            self._columns[n] for n in (*labels, *(self.asked.subgroups if subgroups else ()))
        ]
        keys = [c.short for c in columns]
        keys += [c.flag for c in columns if s.missing[c.name]]
        numbers = {n: self._columns[n].short for n in scores}
        if s.whole < s.rows:
            frame = self._of_whole(list(numbers.values()), frame) if numbers else frame
            keys += ["whole"]
        keys += numbers.values()
        weighted = self.asked.weight is not None
        by_weight = by_weight and weighted
        aggregated = [nw.len().alias("rows")]
        if by_weight:
            keys += ["weight_0"]
        elif weighted:
            aggregated += [nw.col("weight_0").sum().alias("w"), nw.col("weight_2").sum().alias("v")]
        if binned:
            x = nw.col(self._columns[binned[0]].short)
            keys += ["bin"]
            aggregated += [x.min().alias("low"), x.max().alias("high")]
        grouped = frame.group_by(*keys).agg(*aggregated)
        found = self._fetch(self._telling(grouped, columns).head(most + 1))
        count = ints(found["rows"])
        if len(count) > most:
            return None
        self._refuse_change(int(count.sum()))
        w, v, each = (floats(found[k]) if k in found else None for k in ("w", "v", "weight_0"))
        if self.asked.counted and w is not None:
            count, w, v = w.astype(np.int64), None, None
        values = {n: floats(found[x]) + 0.0 for n, x in numbers.items()}
        bins: dict[str, tuple[Bins, Floats]] = {}
        if binned:
            values[binned[0]] = floats(found["low"])
            bins[binned[0]] = binned[1], floats(found["high"])
        chunk = Chunk(
            0, {c.name: self._coded(found, c, _most(c)) for c in columns}, values, len(count),
            count=count, weight=each, sums=None if w is None or v is None else (w, v), bins=bins,
        )  # fmt: skip
        # Engines give groups as they come, and answers should not vary.
        order = np.lexsort([
            *([] if each is None else [each]),
            *(c.codes for c in chunk.labels.values()),
            *values.values(),
        ])  # fmt: skip
        whole = ints(found["whole"]) == 1 if "whole" in found else np.ones(len(count), dtype=bool)
        if binned:
            ends = (values[binned[0]][whole], bins[binned[0]][1][whole])
            self._refuse_rounding(*ends, floats(found["bin"])[whole], binned[1])
        return chunk.kept(order[whole[order]])

    def _refuse_change(self, rows: int) -> None:
        if rows != self.summary.rows:
            raise InputError(
                f"{self.name} changed while it was counted: {_many(self.summary.rows)}, then "
                f"{rows:,}; count a copy of it, or when nobody writes to it"
            )

    # -- what comes back -----------------------------------------------------------------------

    def _telling(self, grouped: Any, columns: Iterable[_Column]) -> Any:
        """Add what shows that a column's collation puts texts together that differ."""
        import narwhals as nw

        if self.kind in _NO_COLLATION:
            return grouped
        told = {}
        for column in columns:
            if column.held == "text":
                x = nw.col(column.short)
                one_case = (x == x.str.to_lowercase()) & (x == x.str.to_uppercase())
                told[f"{column.short}_case"] = flag(one_case)
                told[f"{column.short}_blank"] = flag(x == nw.concat_str([x, nw.lit(" ")]))
        return grouped.with_columns(**told) if told else grouped

    def _coded(self, found: Mapping[str, NDArray[Any]], column: _Column, most: int) -> Coded:
        """Return a column of lines as labels, -1 where it is missing."""
        values = found[column.short]
        gone = np.zeros(len(values), dtype=bool)
        if column.flag in found:
            gone = ints(found[column.flag]) == 1
        there = values[~gone]
        if column.held == "text":
            place: dict[Any, int] = {}
            at = np.fromiter((place.setdefault(v, len(place)) for v in there), np.intp, len(there))
            self._refuse_collation(found, column, there, ~gone)
            there = np.array([str(v) for v in place], dtype=object)
        elif column.held == "float":
            there = floats(there)
            whole = (there == np.trunc(there)) & (abs(there) < 2**53)
            if not whole.all():
                value = float(there[np.argmin(whole)])
                raise fraction_of_label(column.name, value, "some row", most)
            there, at = np.unique(there, return_inverse=True)
        else:
            there = ints(there).astype(bool) if column.held == "boolean" else ints(there)
            there, at = np.unique(there, return_inverse=True)
        refuse_too_many(column.name, len(there), most)
        coded = code_labels(there, column.name, most=most)
        codes = np.full(len(values), -1, dtype=np.intp)
        codes[~gone] = coded.codes[at]
        return Coded(codes, coded.labels)

    def _refuse_collation(
        self,
        found: Mapping[str, NDArray[Any]],
        column: _Column,
        texts: NDArray[Any],
        there: NDArray[np.bool_],
    ) -> None:
        if f"{column.short}_case" not in found:
            return
        case, blank = (ints(found[f"{column.short}_{w}"])[there] for w in ("case", "blank"))
        if not case.any() and not blank.any():
            return
        for text, one_case, same in zip(texts, case, blank, strict=True):
            # No text with a letter is its own lower and upper case, unless they compare alike.
            if one_case and any(c.isascii() and c.isalpha() for c in text):
                other = text.swapcase()
            elif same:
                other = f"{text} "
            else:
                continue
            raise InputError(
                f"{self.called} takes {text!r} and {other!r} in {column.name} for the same text, "
                f"by the column's collation, and {_RULE}; give the column a binary collation"
            )

    def _fetch(self, query: Any) -> dict[str, NDArray[Any]]:
        """Compute a query and return its columns; nothing in them is missing but least numbers."""
        if self.kind == "duckdb":
            return dict(query.to_native().fetchnumpy())  # needs neither pandas nor pyarrow
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the engines' own, of versions and of types
            frame = query.collect()
            return {n: np.asarray(frame.get_column(n).to_numpy()) for n in frame.columns}


def _most(column: _Column) -> int:
    return MOST_SUBGROUPS if column.short.startswith("subgroup") else MAX_CLASSES


def _many(rows: int) -> str:
    return f"{rows:,} row{'' if rows == 1 else 's'}"


# -- what means the same in every engine ----------------------------------------------------------


def kind_of(frame: Any) -> str:
    """Name an engine; of Ibis, with what it speaks to."""
    kind = str(frame.implementation.name).lower()
    if kind == "ibis":
        return f"ibis:{frame.to_native().get_backend().name}"
    return kind


def hold(x: Any, dtype: Any, name: str, number: bool) -> tuple[Any, str]:
    """Return a column as it is held in every engine, and how."""
    import narwhals as nw

    if dtype == nw.Boolean:
        one, zero = nw.lit(1), nw.lit(0)
        if number:  # PostgreSQL's 1.0 is a decimal; 1 made a double is none
            one, zero = one.cast(nw.Float64), zero.cast(nw.Float64)
        told = nw.when(x).then(one).when(~x).then(zero)
        return told, "float" if number else "boolean"
    if dtype.is_numeric():
        if number or not dtype.is_integer():
            return x.cast(nw.Float64), "float"
        return x, "integer"
    text = dtype in (nw.String, nw.Categorical, nw.Enum, nw.Unknown)
    if text and not number:
        return x.cast(nw.String), "text"
    if text:
        raise InputError(f"{name} holds text; give numbers")
    raise InputError(
        f"{name} holds values of type {dtype}; "
        + ("give numbers" if number else "labels must be integers, texts or booleans")
    )


def flag(claim: Any) -> Any:
    """Return 1 where something holds, else 0: Spark cannot add booleans."""
    import narwhals as nw

    return nw.when(claim).then(nw.lit(1)).otherwise(nw.lit(0))


def ints(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return whole numbers, which some engines give as decimals."""
    if values.dtype.kind == "O":  # Decimal, Python's own
        return np.array([int(v) for v in values], dtype=np.int64)
    return np.asarray(values).astype(np.int64)


def floats(values: NDArray[Any]) -> Floats:
    """Return float64, NaN where a number is missing."""
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    if values.dtype.kind == "O":
        values = np.array([np.nan if v is None else float(v) for v in values])
    return np.asarray(values).astype(np.float64)


def farthest(values: Floats, ufunc: Any) -> float:
    """Return the least or the greatest number that is there, NaN where none is."""
    there = values[~np.isnan(values)]
    return float(ufunc.reduce(there)) if len(there) else float("nan")


def first_words(error: BaseException) -> str:
    """Return the first line of what an engine says, without the end of a sentence."""
    words = " ".join(str(error).strip().splitlines()[:1]).strip()
    words = words or type(error).__name__
    return (words[:200] + "…" if len(words) > 200 else words).rstrip(".;: ")


def tree(x: Any, bins: Bins, values: NDArray[Any], kind: str) -> Any:
    """Return the value of the stretch in which a score lies, by halving: a balanced CASE."""
    import narwhals as nw

    def branch(low: int, high: int) -> Any:
        if high - low == 1:
            return literal(float(values[low]), kind)
        middle = (low + high) // 2
        below = x < literal(float(bins.breaks[middle]), kind)
        return nw.when(below).then(branch(low, middle)).otherwise(branch(middle, high))

    return branch(0, len(bins.scale))


def literal(value: float, kind: str) -> Any:
    """Return a number as exactly this double, also where it would be written in decimals."""
    import narwhals as nw

    if kind != "ibis:duckdb" and kind in TESTED:
        return nw.lit(value)
    if float(f"{value:.15g}") == value and 1e-4 <= abs(value) < 1e15:
        return nw.lit(value).cast(nw.Float64)
    # A decimal of 17 digits is not always read as the nearest double; integers are, and
    # dividing them by powers of two is exact.
    mantissa, power = math.frexp(value)
    found = nw.lit(int(mantissa * 2**53)).cast(nw.Float64)
    power -= 53
    while power:
        step = max(-60, min(60, power))
        factor = nw.lit(2 ** abs(step)).cast(nw.Float64)
        found = found * factor if step > 0 else found / factor
        power -= step
    return found
