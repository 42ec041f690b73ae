"""Counting where the rows are: one reduction in Narwhals, computed by the engine that holds them.

A lazy frame (DuckDB, Polars, Spark, Dask, or a warehouse through Ibis) is never collected. Its
rows are grouped by class, decision and score (or bin of scores), and what comes back are *lines*:
the values of a group and its number of rows. Everything else is arithmetic on lines.

What engines disagree on never reaches a group: NULL and NaN become a flag beside a neutral value,
-0.0 becomes 0.0, numbers are cast to float64 on entry, and booleans are counted with CASE WHEN.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add, or_
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tallymark import InputError, ScoreTally
from tallymark.core import (
    MAX_CLASSES,
    MOST_SUBGROUPS,
    Bins,
    Chunk,
    Coded,
    FrameTable,
    Job,
    ModelRoles,
    RowCounter,
    code_labels,
    count_scores,
    fraction_of_label,
    incomplete,
    join_labels,
    many,
    must_have,
    refuse_too_many,
    remedy_of_missing,
)
from tallymark.parts.engines.findings import SUBGROUPS_IN_BINS
from tallymark.parts.engines.remedies import remedy_of_database

Floats = NDArray[np.float64]

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
"""Most groups that are fetched; with more distinct scores the engine counts bins."""

BINS = 1 << 18
"""Bins that an engine counts where it holds more distinct scores than are fetched."""

COARSE = 4096
"""Bins of the first pass, which shows how scores are spread."""

STRETCHES = 24
"""Ranges with bins of one width; some engines evaluate every branch of a CASE on every row."""

_CROWDED = 1 / 50
"""A bin that holds more than this share of the rows is split in a second pass."""

_NO_COLLATION = ("polars", "dask")
"""Engines that compare texts by their bytes; in others a column may have a collation."""

_RULE = "engines must distinguish strings, missing values and numbers as arrays do"


@dataclass(frozen=True, slots=True)
class Summary:
    """What the first pass counts: rows, missing values, and the ends of numbers.

    ``whole`` rows have every label and score. ``missing`` counts the rows without a column's
    value; ``ends`` are a number's least and greatest, NaN where there is none.
    """

    rows: int
    whole: int
    missing: Mapping[str, int]
    ends: dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column in the engine: its name there, our short one, and the kind of its values."""

    name: str
    short: str
    held: str
    """text, boolean (as 0 and 1), integer or float"""
    most: int = MAX_CLASSES
    levels: tuple[str, ...] = ()
    """The order that an ENUM declares for its texts."""

    @property
    def flag(self) -> str:
        return self.short + "_gone"


def engine_of(table: FrameTable) -> tuple[str, str]:
    """Return the kind of engine that a lazy frame is computed by, and what it is called."""
    kind = str(table.frame.implementation.name).lower()
    if kind == "ibis":
        kind += f":{table.frame.to_native().get_backend().name}"
    return kind, TESTED.get(kind, kind.removeprefix("ibis:"))


@contextlib.contextmanager
def answered(table: FrameTable) -> Iterator[None]:
    """Turn any error of a table's engine into a refusal of one sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the engines' own, of versions and of types
            yield
    except InputError:
        raise
    except Exception as error:
        words = " ".join(str(error).strip().splitlines()[:1]).strip() or type(error).__name__
        words = (words[:200] + "…" if len(words) > 200 else words).rstrip(".;: ")
        raise InputError(
            f"{engine_of(table)[1]} could not count {table.name}: {words}; "
            f"{remedy_of_database(words)}"
        ) from None


class Engine:
    """A lazy frame with the same columns in every engine; each method runs one query.

    >>> import duckdb
    >>> from tallymark.core import Job, ModelRoles, Source
    >>> from tallymark.parts.engines.lazy import lazy_table
    >>> rows = duckdb.sql("select * from (values (0, 0.1), (1, 0.9), (1, 0.9)) as t(y, p)")
    >>> job = Job(Source("rows"), "y", (ModelRoles("p", None, ("p",)),))
    >>> lines = Engine(lazy_table(rows), job).lines(["y"], ["p"])
    >>> lines.labels["y"].labels, lines.numbers["p"], lines.count
    ((0, 1), array([0.1, 0.9]), array([1, 2]))
    """

    def __init__(self, table: FrameTable, job: Job) -> None:
        self.name = table.name
        self.job = job
        self.kind, self.called = engine_of(table)
        self._columns: dict[str, _Column] = {}
        self._frame = self._prepared(table)

    # -- columns alike in every engine ---------------------------------------------------------

    def _prepared(self, table: FrameTable) -> Any:
        """Return the frame under our own names: neutral values, and flags of missing values."""
        job, source = self.job, table.frame
        roles = {"label": job.decided, "score": job.scores, "subgroup": job.subgroups.values()}
        if job.mass:
            roles["weight"] = (job.mass,)
        columns = [name for names in roles.values() for name in names]
        must_have(table.columns, columns, table.name)
        for name in columns:
            if is_pattern(name):
                raise InputError(f"an engine reads {name!r} as several columns; rename the column")
        if self.kind not in TESTED:
            self._examine(source)
        natives = table.native_names
        if self.kind.startswith("pyspark"):  # which reads dots and backticks in a name
            natives = {name: f"c{i}" for i, name in enumerate(natives)}
            source = nw.from_native(source.to_native().toDF(*natives.values()))
        schema = source.collect_schema()
        raw, flags, values = {}, {}, {}
        for role, names in roles.items():
            most = MOST_SUBGROUPS if role == "subgroup" else MAX_CLASSES
            for i, name in enumerate(names):
                dtype = schema[natives[name]]
                expression, kind = hold(nw.col(natives[name]), dtype, name, role)
                if kind == "text" and self.kind == "ibis:postgres":  # an ENUM has no empty value
                    expression = nw.concat_str([expression, nw.lit("")])
                levels = tuple(getattr(dtype, "categories", ()))
                self._columns[name] = column = _Column(name, f"{role}_{i}", kind, most, levels)
                raw[column.short] = expression
                x = nw.col(column.short)
                gone = x.is_null()
                if kind == "text":  # blanks alone are no class, as in files
                    gone = gone | (x.str.strip_chars() == "")
                if kind == "float":
                    gone = gone | x.is_nan()
                    zero = (nw.col(column.flag) == 1) | (x == 0.0)  # -0.0 too
                    values[column.short] = nw.when(zero).then(nw.lit(0.0)).otherwise(x)
                else:
                    values[column.short] = x.fill_null("" if kind == "text" else 0)
                flags[column.flag] = flag(gone)
        frame = source.select(**raw).with_columns(**flags).with_columns(**values)
        gaps = [nw.col(self._columns[n].flag) for n in job.needed]
        frame = frame.with_columns(whole=flag(reduce(add, gaps) == 0))
        if job.mass:
            frame = frame.with_columns(weight_2=nw.col("weight_0") * nw.col("weight_0"))
        return frame

    def _examine(self, frame: Any) -> None:
        """Refuse an untested engine that compares or rounds differently."""
        text, number = nw.lit("a"), nw.lit(0.1).cast(nw.Float64)
        questions = {
            "'a' = 'A'": (flag(text == nw.lit("A")), 0),
            "'a' = 'a '": (flag(text == nw.lit("a ")), 0),
            "floor(-0.5) = -1": (flag((number - 0.6).floor() == -1.0), 1),
            "0.1 + 0.2 = 0.3": (flag(number + 0.2 == 0.3), 0),
        }
        # Evaluate literals in a query on one row, so that no table is created on the server.
        named = {f"q{i}": e for i, (e, _) in enumerate(questions.values())}
        answers = self._fetch(frame.head(1).with_columns(**named).select(*named))
        for values, (question, (_, right)) in zip(answers.values(), questions.items(), strict=True):
            if len(values) and int(values[0]) != right:
                raise InputError(
                    f"{self.called} says that {question} is {'false' if right else 'true'}, and "
                    f"{_RULE}; count a copy of {self.name} elsewhere"
                )

    def add_derived(self, models: Iterable[ModelRoles]) -> None:
        """Add the scores that are computed from columns, where they are a sum of multiples."""
        for derived in (d for m in models for d in m.derived if d.way == "linear"):
            if derived.name in self._columns:
                continue
            columns = [self._columns[c] for c in derived.columns]
            low, high, value = (
                derived.constant,
                derived.constant,
                literal(derived.constant, self.kind),
            )
            for column, factor in zip(columns, derived.factors, strict=True):
                ends = [factor * end for end in self.summary.ends[column.name]]
                low, high = low + min(ends), high + max(ends)
                x = nw.col(column.short)
                value = value - x if factor == -1 else value + literal(factor, self.kind) * x
            self.summary.ends[derived.name] = (low, high)
            short = f"score_{len(self._columns)}_made"
            self._columns[derived.name] = replace(columns[0], name=derived.name, short=short)
            self._frame = self._frame.with_columns(**{short: value})

    # -- queries -------------------------------------------------------------------------------

    @cached_property
    def summary(self) -> Summary:
        """The first pass: rows, labels of the truth, missing values, the ends of every number.

        Raises
        ------
        InputError
            A truth that is not a class, infinite numbers, negative or missing weights, and errors
            of the engine itself.

        """
        truth = self._columns[self.job.truth]
        numbers = [c for c in self._columns.values() if c.short[:5] in ("score", "weigh")]
        sums = [c.flag for c in self._columns.values()] + ["whole"]
        extra = {
            f"there_{c.short}": nw.when(nw.col(c.flag) == 0).then(nw.col(c.short)) for c in numbers
        }
        if self.job.mass:
            w, whole = nw.col("weight_0"), nw.col("whole") == 1
            bad = {
                "missing": nw.col("weight_0_gone") == 1,
                "below zero": w < 0.0,
                "heavy": w > 0.0,
                "fraction": w != w.floor(),
                "extreme": (w > literal(1e60, self.kind))
                | ((w > 0.0) & (w < literal(1e-60, self.kind))),
            }
            extra |= {n: flag(whole & e) for n, e in bad.items()}
            sums += bad
        frame = self._frame.with_columns(**extra) if extra else self._frame
        grouped = frame.group_by(truth.short, truth.flag).agg(
            nw.len().alias("rows"),
            *(nw.col(n).sum().alias(f"sum_{n}") for n in sums),
            *(nw.col(f"there_{c.short}").min().alias(f"low_{c.short}") for c in numbers),
            *(nw.col(f"there_{c.short}").max().alias(f"high_{c.short}") for c in numbers),
        )
        groups = self._fetch(self._telling(grouped, [truth]).head(MAX_CLASSES + 2))
        ends = {}
        for c in numbers:
            low, high = (floats(groups[f"{e}_{c.short}"]) for e in ("low", "high"))
            ends[c.name] = (
                float(np.fmin.reduce(low, initial=np.nan)),
                float(np.fmax.reduce(high, initial=np.nan)),
            )
        rows = int(ints(groups["rows"]).sum())
        total = {n: int(floats(groups[f"sum_{n}"]).sum()) for n in sums}
        self._refuse_numbers(ends, total)
        self._coded(groups, truth)  # refuses what is not a class
        missing = {c.name: total[c.flag] for c in self._columns.values()}
        return Summary(rows, total["whole"], missing, ends)

    def _refuse_numbers(
        self, ends: Mapping[str, tuple[float, float]], total: Mapping[str, int]
    ) -> None:
        mass = self.job.mass
        for name, pair in ends.items():
            for end in pair:
                if np.isinf(end):
                    raise InputError(
                        f"{name} is {end} in some rows; give finite numbers or leave those rows out"
                    )
        if mass is None:
            return
        for what in ("missing", "below zero"):
            if total[what]:
                raise InputError(
                    f"{mass} is {what} in {many(total[what], 'row')}; a weight is a number, "
                    "zero or more"
                )
        if total["extreme"]:
            raise InputError(
                f"{mass} is outside 1e-60 to 1e60 in {many(total['extreme'], 'row')}, where "
                "float64 loses products of weights; scale all weights by one constant, or set "
                "negligible ones to 0"
            )
        if total["whole"] and not total["heavy"]:
            raise self.job.weightless()
        if self.job.counted and total["fraction"]:
            raise self.job.fractional()

    def binned(self, score: str, bins: Bins, *, subgroups: bool = True) -> Chunk:
        """Group the rows by the truth, the bin of a score and the subgroups.

        Raises
        ------
        InputError
            An engine whose floating arithmetic puts a score into another bin than IEEE's does.

        """
        x = self._columns[score].short
        start, scale, first = (
            tree(nw.col(x), bins, values, self.kind)
            for values in (bins.breaks, bins.scale, np.arange(len(bins.scale)) * float(bins.per))
        )
        frame = self._of_whole([x], self._frame)
        frame = frame.with_columns(bin_start=start, bin_scale=scale, bin_first=first)
        inside = ((nw.col(x) - nw.col("bin_start")) * nw.col("bin_scale")).floor()
        inside = inside.cast(nw.Float64).clip(0.0, float(bins.per - 1))
        frame = frame.with_columns(bin=inside + nw.col("bin_first"))
        lines = self.lines([self.job.truth], subgroups=subgroups, binned=(score, bins, frame))
        if lines is None:
            raise InputError(
                f"subgroups and bins of {score} make more than {MOST_LINES:,} groups; give "
                "fewer subgroup columns"
            )
        return lines

    def distinct_within(self, score: str, ranges: Sequence[tuple[float, float]]) -> int:
        """Return how many distinct scores lie within some closed ranges."""
        short = self._columns[score].short
        x = nw.col(short)
        inside = reduce(
            or_, ((x >= literal(a, self.kind)) & (x <= literal(b, self.kind)) for a, b in ranges)
        )
        inside_rows = self._frame.filter(inside & (nw.col("whole") == 1))
        groups = inside_rows.group_by(short).agg(nw.len().alias("rows"))
        return int(ints(self._fetch(groups.select(nw.len().alias("groups")))["groups"])[0])

    def _of_whole(self, columns: Iterable[str], frame: Any) -> Any:
        """Set the numbers of incomplete rows to 0: only their labels are used."""
        zero, whole = nw.lit(0.0), nw.col("whole") == 1
        return frame.with_columns(
            **{x: nw.when(whole).then(nw.col(x)).otherwise(zero) for x in columns}
        )

    def lines(
        self,
        labels: Sequence[str],
        scores: Sequence[str] = (),
        *,
        subgroups: bool = True,
        by_weight: bool = False,
        binned: tuple[str, Bins, Any] | None = None,
    ) -> Chunk | None:
        """Return complete rows grouped by labels, scores and subgroups; None for too many groups.

        With ``by_weight`` rows of different weight are separate groups. ``binned`` are a score, its
        bins and the frame that has the bin of each row.
        """
        s, job, frame = self.summary, self.job, binned[2] if binned else self._frame
        # Classes and bins without subgroups make few enough groups.
        most = MOST_LINES if subgroups or not binned else 1_000_000_000
        columns = [
            self._columns[n] for n in (*labels, *(job.subgroups.values() if subgroups else ()))
        ]
        numbers = {n: self._columns[n].short for n in scores}
        keys = [c.short for c in columns] + [c.flag for c in columns if s.missing[c.name]]
        if s.whole < s.rows:
            frame = self._of_whole(numbers.values(), frame) if numbers else frame
            keys += ["whole"]
        keys += numbers.values()
        aggregated = [nw.len().alias("rows")]
        if by_weight and job.mass:
            keys += ["weight_0"]
        elif job.mass:
            aggregated += [nw.col("weight_0").sum().alias("w"), nw.col("weight_2").sum().alias("v")]
        if binned:
            x = nw.col(self._columns[binned[0]].short)
            keys += ["bin"]
            aggregated += [x.min().alias("low"), x.max().alias("high")]
        grouped = frame.group_by(*keys).agg(*aggregated)
        groups = self._fetch_many(self._telling(grouped, columns).head(most + 1))
        count = ints(groups["rows"])
        if len(count) > most:
            return None
        if int(count.sum()) != s.rows:
            raise InputError(
                f"{self.name} changed while it was counted: {many(s.rows, 'row')}, then "
                f"{int(count.sum()):,}; count a copy, or count it when nothing writes to it"
            )
        whole = ints(groups["whole"]) == 1 if "whole" in groups else np.ones(len(count), dtype=bool)
        w, v, each = (floats(groups[k]) if k in groups else None for k in ("w", "v", "weight_0"))
        if job.counted and w is not None:
            count, w, v = w.astype(np.int64), None, None
        values = {n: floats(groups[x]) + 0.0 for n, x in numbers.items()}
        bins: dict[str, tuple[Bins, Floats]] = {}
        if binned:
            score, laid, _ = binned
            values[score], highs = floats(groups["low"]), floats(groups["high"])
            bins[score] = laid, highs
            place = floats(groups["bin"])[whole]
            for end in (values[score][whole], highs[whole]):
                ours = laid._place(end)
                if (ours != place).any():
                    at = int(np.argmax(ours != place))
                    raise InputError(
                        f"{self.called} puts the score {float(end[at])!r} into bin {place[at]:.0f},"
                        f" which double precision puts into {ours[at]}; count a copy of "
                        f"{self.name} elsewhere"
                    )
        chunk = Chunk(
            0,
            {c.name: self._coded(groups, c) for c in columns},
            values,
            len(count),
            count=count,
            weight=each,
            sums=None if w is None or v is None else (w, v),
            bins=bins,
        )
        # Engines return groups in any order, and results should not depend on it.
        codes = [c.codes for c in chunk.labels.values()]
        order = np.lexsort([*([] if each is None else [each]), *codes, *values.values()])
        return chunk.kept(order[whole[order]])

    # -- what comes back -----------------------------------------------------------------------

    def _telling(self, grouped: Any, columns: Iterable[_Column]) -> Any:
        """Return groups with columns that show whether a collation equates different texts."""
        checks = {}
        for column in columns:
            if column.held == "text" and self.kind not in _NO_COLLATION:
                x = nw.col(column.short)
                one_case = (x == x.str.to_lowercase()) & (x == x.str.to_uppercase())
                checks[f"{column.short}_case"] = flag(one_case)
                checks[f"{column.short}_blank"] = flag(x == nw.concat_str([x, nw.lit(" ")]))
        return grouped.with_columns(**checks) if checks else grouped

    def _coded(self, groups: Mapping[str, NDArray[Any]], column: _Column) -> Coded:
        """Return a column of lines as labels, -1 where it is missing."""
        values = groups[column.short]
        present = (
            ints(groups[column.flag]) == 0 if column.flag in groups else np.full(len(values), True)
        )
        labels = values[present]
        if column.held == "text":
            self._refuse_collation(groups, column, present)
            labels = np.array([str(v) for v in labels], dtype=object)
        elif column.held == "float":
            labels = floats(labels)
            whole = (labels == np.trunc(labels)) & (abs(labels) < 2**53)
            if not whole.all():
                value = float(labels[np.argmin(whole)])
                raise fraction_of_label(column.name, value, "some row", column.most)
        else:
            labels = ints(labels).astype(bool if column.held == "boolean" else np.int64)
        coded = code_labels(labels, column.name, most=len(labels))
        coded = replace(coded, levels=column.levels).sorted()
        refuse_too_many(column.name, len(coded.labels), column.most, counted=False)
        codes = np.full(len(values), -1, dtype=np.intp)
        codes[present] = coded.codes
        return replace(coded, codes=codes)

    def _refuse_collation(
        self, groups: Mapping[str, NDArray[Any]], column: _Column, present: NDArray[np.bool_]
    ) -> None:
        checks = [f"{column.short}_case", f"{column.short}_blank"]
        if checks[0] not in groups:
            return
        case, blank = (ints(groups[name])[present] == 1 for name in checks)
        lines = zip(groups[column.short][present], case, blank, strict=True)
        for text, one_case, same in sorted(lines):  # engines return groups in any order
            # No text with a letter is its own lower and upper case, unless they compare alike.
            folded = one_case and any(c.isascii() and c.isalpha() for c in text)
            if folded or same:
                other = text.swapcase() if folded else f"{text} "
                raise InputError(
                    f"{self.called} treats {text!r} and {other!r} in {column.name} as equal, by "
                    f"the column's collation, and {_RULE}; give the column a binary collation"
                )

    def _fetch(self, query: Any) -> dict[str, NDArray[Any]]:
        """Run a query and return its columns; only minima and maxima can be missing."""
        if self.kind == "duckdb":
            return dict(query.to_native().fetchnumpy())  # needs neither pandas nor pyarrow
        frame = query.collect()
        columns = {n: frame.get_column(n) for n in frame.columns}
        return {  # NumPy's texts lose zeros at their ends
            n: np.array(c.to_list(), dtype=object)
            if c.dtype == nw.String
            else np.asarray(c.to_numpy())
            for n, c in columns.items()
        }

    def _fetch_many(self, query: Any) -> dict[str, NDArray[Any]]:
        """Return the columns of a query of many lines, from PostgreSQL as binary arrays.

        Row by row, most of the time would go into Python objects for every number.
        """
        if self.kind != "ibis:postgres":
            return self._fetch(query)
        lines = query.to_native()
        backend, schema = lines.get_backend(), lines.schema()
        texts = [n for n, dtype in schema.items() if dtype.is_string()]
        numbers = {
            n: "int8" if dtype.is_integer() else "float8"  # of eight bytes, to PostgreSQL
            for n, dtype in schema.items()
            if n not in texts
        }
        keys = [f'"{n}"' for n in texts]
        sent = [f'array_send(array_agg("{n}"::{kind}))' for n, kind in numbers.items()]
        sql = (
            f"SELECT {', '.join(keys + sent)} FROM ({backend.compile(lines)}) AS lines "
            f"GROUP BY {', '.join(['()', *keys])} HAVING count(*) > 0"
        )
        with backend.con.transaction(), backend.con.cursor(binary=True) as cursor:
            groups = cursor.execute(sql).fetchall()
        columns = list(zip(*groups, strict=True)) or [()] * len(schema)
        columns_by_name, sizes = {}, []
        for (name, kind), pieces in zip(numbers.items(), columns[len(texts) :], strict=True):
            # After a header of 20 bytes, each number follows its length.
            form = np.dtype([("length", ">i4"), ("value", f">{kind[0]}8")])
            parts = [np.frombuffer(piece[20:], form)["value"] for piece in pieces]
            columns_by_name[name] = np.concatenate([np.zeros(0, f"{kind[0]}8"), *parts])
            sizes = [len(part) for part in parts]
        for name, values in zip(texts, columns, strict=False):
            columns_by_name[name] = np.repeat(np.array(values, dtype=object), sizes)
        return columns_by_name


# -- expressions for every engine --------------------------------------------------------------


def hold(x: Any, dtype: Any, name: str, role: str) -> tuple[Any, str]:
    """Return a column as every engine gets it, and the kind of its values."""
    number = role in ("score", "weight")
    if dtype == nw.Boolean:
        one, zero = nw.lit(1), nw.lit(0)
        if number:  # PostgreSQL's 1.0 is a decimal; 1 made a double is none
            one, zero = one.cast(nw.Float64), zero.cast(nw.Float64)
        value = nw.when(x).then(one).when(~x).then(zero)
        return value, "float" if number else "boolean"
    if dtype.is_numeric():
        if number or not dtype.is_integer():
            return x.cast(nw.Float64), "float"
        return x, "integer"
    text = dtype in (nw.String, nw.Categorical, nw.Enum, nw.Unknown)
    if (text and not number) or (dtype == nw.Date and role == "subgroup"):
        return x.cast(nw.String), "text"
    if text:
        raise InputError(f"{name} holds text; give numbers")
    needs = "give numbers" if number else "labels must be integers, strings or booleans"
    raise InputError(f"{name} holds values of type {dtype}; {needs}")


def is_pattern(name: str) -> bool:
    """Tell whether Polars, and so Narwhals, reads a column name as a regular expression."""
    return name == "*" or (name[:1] == "^" and name[-1:] == "$")


def flag(claim: Any) -> Any:
    """Return 1 where a condition is true, else 0: Spark cannot add booleans."""
    return nw.when(claim).then(nw.lit(1)).otherwise(nw.lit(0))


def ints(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return whole numbers, which some engines give as decimals."""
    return np.asarray(values).astype(np.int64)


def floats(values: NDArray[Any]) -> Floats:
    """Return float64, NaN where a number is missing."""
    return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))


def tree(x: Any, bins: Bins, values: NDArray[Any], kind: str) -> Any:
    """Return the value of the range in which a score lies: a balanced binary CASE."""

    def branch(low: int, high: int) -> Any:
        if high - low == 1:
            return literal(float(values[low]), kind)
        middle = (low + high) // 2
        below = x < literal(float(bins.breaks[middle]), kind)
        return nw.when(below).then(branch(low, middle)).otherwise(branch(middle, high))

    return branch(0, len(bins.scale))


def literal(value: float, kind: str) -> Any:
    """Return a literal that the engine reads as exactly this double, not as a decimal."""
    if kind != "ibis:duckdb" and kind in TESTED:
        return nw.lit(value)
    # Decimals of 17 digits are not always read as the nearest double; texts are.
    return nw.lit(repr(value)).cast(nw.Float64)


# -- which queries count a table ------------------------------------------------------------------


def count_groups(table: FrameTable, counter: RowCounter) -> Iterator[Chunk]:
    """Count a lazy frame where its rows are."""
    job = counter.job
    with answered(table):
        engine = Engine(table, job)
        s = engine.summary
        gaps = {n: (s.missing[n], "") for n in job.needed if s.missing[n]}
        if gaps and job.missing == "error":
            unlabelled = s.missing.get(job.truth, 0)
            raise incomplete(gaps, remedy=remedy_of_missing(job, unlabelled, s.rows))
        few = s.rows <= MOST_LINES
        # Several models or scores need rows side by side. Only the classes show whether two columns
        # of scores belong to two models or to the two classes of one.
        by_row = len(job.models) > 1 or len(job.scores) > 1
        by_weight = few and by_row and not job.counted
        lines = engine.lines(job.decided, job.scores if few else (), by_weight=by_weight)
        if lines is None:
            raise InputError(
                f"decisions and subgroups of {job.source} make more than {MOST_LINES:,} "
                "groups; judge fewer models at a time, or give fewer subgroup columns"
            )
        counter.begin(lines, s.rows - s.whole)
        engine.add_derived(counter.classes.models)
        if s.whole:
            yield from [lines] if few or not job.scores else _in_parts(engine, counter, lines)


def _in_parts(engine: Engine, counter: RowCounter, decisions: Chunk) -> list[Chunk]:
    """Return chunks of the decisions and of each column of scores; one chunk if groups are few."""
    job, classes = counter.job, counter.classes
    if classes.positive is None:
        every = list(dict.fromkeys(c for m in classes.models for c in m.scores))
        lines = engine.lines(job.decided, every)
        if lines is None:
            raise InputError(
                f"the scores of {len(classes.labels)} classes make more than "
                f"{MOST_LINES:,} distinct rows in {job.source}; round them, or count a "
                "sample of the rows"
            )
        return [lines]
    counted = [_counted(engine, counter, c) for m in classes.models for c in m.scores]
    if len(classes.models) > 1:
        groups = len(classes.labels) * math.prod(len(t.scores) for _, t in counted)
        if groups <= MOST_LINES and all(t.bins is None for _, t in counted):
            lines = engine.lines(job.decided, job.scores, by_weight=not job.counted)
            if lines is not None:
                return [lines]
        counter.forget_rows()
    return [decisions, *(replace(chunk, again=True) for chunk, _ in counted)]


Lines = tuple[Chunk, ScoreTally]
"""The groups of rows by a column of scores, and their tally."""


def _counted(engine: Engine, counter: RowCounter, score: str) -> Lines:
    """Return the counts of a score column: exact for few distinct scores, else in bins."""
    job, labels, positive = counter.job, counter.classes.labels, counter.classes.positive
    assert positive is not None

    def tallied(lines: Chunk) -> Lines:
        lines = counter.classes.meant(lines, job)
        (true,) = join_labels({job.truth: lines.labels[job.truth]}, labels)[1]
        return lines, count_scores(true, score, positive, labels, lines)

    def exact() -> Lines | None:
        lines = engine.lines([job.truth], [score])
        return None if lines is None else tallied(lines)

    def few(first: Chunk) -> bool:
        """Estimate from a few ranges whether there are few enough distinct scores in all."""
        ranges = np.unique(np.stack([first.numbers[score], first.bins[score][1]], 1), axis=0)
        some = ranges[np.linspace(0, len(ranges) - 1, 6).astype(int)[1:-1]]
        distinct = engine.distinct_within(score, some.tolist())
        return distinct / len(some) * len(ranges) <= MOST_LINES

    low, high = engine.summary.ends[score]
    if low == high and (found := exact()) is not None:
        return found
    keep = (0.0, 0.5) if job.threshold is None else (float(job.threshold),)
    bins = Bins(np.array([low, high]), COARSE)
    first, tally = tallied(engine.binned(score, bins, subgroups=False))
    if tally.bins is None and not job.subgroups:
        return first, tally
    if (tally.bins is None or few(first)) and (found := exact()) is not None:
        return found
    if tally.bins is not None and tally.counts.sum(1).max() > _CROWDED * tally.counts.sum():
        bins = bins._refined(tally, COARSE, keep, STRETCHES)
        first, tally = tallied(engine.binned(score, bins, subgroups=False))
        if tally.bins is None and not job.subgroups:
            return first, tally
    bins = bins._refined(tally, BINS, keep, STRETCHES)
    chunk, tally = tallied(engine.binned(score, bins, subgroups=bool(job.subgroups)))
    if job.subgroups:
        counter.notes.append(SUBGROUPS_IN_BINS.finding(score, bins=len(tally.scores)))
    return chunk, tally
