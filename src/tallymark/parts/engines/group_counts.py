"""Counting where the rows are: one reduction in Narwhals, computed by the engine that holds them.

A lazy frame (DuckDB, Polars, Spark, Dask, or a warehouse through Ibis) is never collected. Its
rows are grouped by class, decision and score (or bin of scores), and what comes back are *lines*:
the values of a group and its number of rows. Everything else is arithmetic on lines.

What engines disagree on never reaches a group: NULL and NaN become a flag beside a neutral value,
-0.0 becomes 0.0, numbers are cast to float64 on entry, and booleans are counted with CASE WHEN.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add, and_, or_
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    MANY_CLASSES,
    MOST_SUBGROUPS,
    Bins,
    Chunk,
    Coded,
    FrameTable,
    Job,
    Label,
    ModelRoles,
    code_labels,
    fraction_of_label,
    many,
    must_have,
    refuse_too_many,
)
from tallymark.parts.engines import limits
from tallymark.parts.engines.remedies import remedy_of_database

Floats = NDArray[np.float64]
Groups = dict[str, NDArray[Any]]
"""The columns of groups that an engine returns, by name."""

TESTED = {
    "duckdb": "DuckDB",
    "polars": "Polars",
    "pyspark": "Spark",
    "dask": "Dask",
    "ibis:duckdb": "DuckDB",
    "ibis:postgres": "PostgreSQL",
}
"""Engines that the conformance suite runs on; any other is asked a few questions first."""

_NO_COLLATION = ("polars", "dask")
"""Engines that compare texts by their bytes; in others a column may have a collation."""

_RULE = "engines must distinguish strings, missing values and numbers as arrays do"


@dataclass(frozen=True, slots=True)
class Summary:
    """What the first pass counts: rows, missing values, and the ends of numbers.

    ``whole`` rows have every label and score. ``missing`` counts the rows without a column's
    value; ``ends`` are a number's least and greatest, NaN where there is none. ``classes`` are the
    values of the truth in the engine, each with its label.
    """

    rows: int
    whole: int
    missing: Mapping[str, int]
    ends: dict[str, tuple[float, float]]
    classes: tuple[tuple[Any, Label], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column in the engine: its name there, our short one, and the kind of its values."""

    name: str
    short: str
    held: str
    """text, boolean (as 0 and 1), integer or float"""
    most: int = MANY_CLASSES
    levels: tuple[str, ...] = ()
    """The order that an ENUM declares for its texts."""

    @property
    def flag(self) -> str:
        """The name of the flag of missing values."""
        return self.short + "_gone"

    @property
    def given(self) -> str:
        """The name of the values as they are, without a neutral value for missing ones."""
        return self.short + "_given"


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
        self._columns: dict[str, Column] = {}
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
            most = MOST_SUBGROUPS if role == "subgroup" else MANY_CLASSES
            for i, name in enumerate(names):
                dtype = schema[natives[name]]
                expression, kind = hold(nw.col(natives[name]), dtype, name, role)
                if kind == "text" and self.kind == "ibis:postgres":  # an ENUM has no empty value
                    expression = nw.concat_str([expression, nw.lit("")])
                levels = tuple(getattr(dtype, "categories", ()))
                self._columns[name] = column = Column(name, f"{role}_{i}", kind, most, levels)
                raw[column.short] = expression
                x = nw.col(column.short)
                gone = x.is_null()
                if kind == "text":  # blanks alone are no class, as in files
                    gone = gone | (x.str.strip_chars() == "")
                if kind == "float":
                    gone = gone | x.is_nan()
                    zero = (nw.col(column.flag) == 1) | (x == 0.0)  # -0.0 too
                    values[column.short] = nw.when(zero).then(nw.lit(0.0)).otherwise(x)
                    values[column.given] = x
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
        answers = self.fetch(frame.head(1).with_columns(**named).select(*named))
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
            low = high = derived.constant
            value = given = literal(derived.constant, self.kind)
            for column, factor in zip(columns, derived.factors, strict=True):
                ends = [factor * end for end in self.summary.ends[column.name]]
                low, high = low + min(ends), high + max(ends)
                x, y = nw.col(column.short), nw.col(column.given)
                times = literal(factor, self.kind)
                value = value - x if factor == -1 else value + times * x
                given = given - y if factor == -1 else given + times * y
            self.summary.ends[derived.name] = (low, high)
            short = f"score_{len(self._columns)}_made"
            made = replace(columns[0], name=derived.name, short=short)
            self._columns[derived.name] = made
            self._frame = self._frame.with_columns(**{made.short: value, made.given: given})

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
        if self.job.mass:
            sums += ["missing", "below zero", "heavy", "fraction", "extreme"]
        groups = self._first_pass(numbers, sums)
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
        coded = self._coded(groups, truth)  # refuses what is not a class
        raw = zip(groups[truth.short].tolist(), coded.codes.tolist(), strict=True)
        classes = tuple((value, coded.labels[code]) for value, code in raw if code >= 0)
        missing = {c.name: total[c.flag] for c in self._columns.values()}
        return Summary(rows, total["whole"], missing, ends, classes)

    def _first_pass(self, numbers: Sequence[Column], sums: Sequence[str]) -> Groups:
        """Return the rows of each class, the sums of flags, and the ends of numbers."""
        truth = self._columns[self.job.truth]
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
        frame = self._frame.with_columns(**extra) if extra else self._frame
        grouped = frame.group_by(truth.short, truth.flag).agg(
            nw.len().alias("rows"),
            *(nw.col(n).sum().alias(f"sum_{n}") for n in sums),
            *(nw.col(f"there_{c.short}").min().alias(f"low_{c.short}") for c in numbers),
            *(nw.col(f"there_{c.short}").max().alias(f"high_{c.short}") for c in numbers),
        )
        return self.fetch(self._telling(grouped, [truth]).head(MANY_CLASSES + 2))

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
        lines = self.lines([self.job.truth], subgroups=subgroups, bins={score: bins}, ends=True)
        if lines is None:
            raise InputError(
                f"subgroups and bins of {score} make more than {limits.MOST_LINES:,} groups; give "
                "subgroup columns with fewer values"
            )
        return lines

    def _placed(self, bins: Mapping[str, Bins]) -> Any:
        """Return the frame with the bin of each row in some scores, as columns of numbers."""
        frame = self._of_whole((self._columns[score].short for score in bins), self._frame)
        ranges, places = {}, {}
        for score, of in bins.items():
            short, x = self._columns[score].short, nw.col(self._number(score))
            firsts = np.arange(len(of.scale)) * float(of.per)
            for what, values in (("start", of.breaks), ("scale", of.scale), ("first", firsts)):
                ranges[f"{what}_{short}"] = tree(x, of, values, self.kind)
            inside = ((x - nw.col(f"start_{short}")) * nw.col(f"scale_{short}")).floor()
            inside = inside.cast(nw.Float64).clip(0.0, float(of.per - 1))
            places[_bin_of(short)] = inside + nw.col(f"first_{short}")
        if self.summary.whole < self.summary.rows:
            frame = self.computed_once(frame)
        frame = frame.with_columns(**ranges)
        return frame.with_columns(**places)

    def _number(self, score: str) -> str:
        """Return the column of a score in complete rows, as it is if it lacks no value.

        PostgreSQL puts the expression of a column into each place that reads it.
        """
        column = self._columns[score]
        return column.given if self.summary.whole == self.summary.rows else column.short

    def computed_once(self, frame: Any) -> Any:
        """Return a frame whose columns are computed once for a row.

        PostgreSQL puts the expression of a column into each place that reads it, except of a query
        with a limit, whose rows are no longer counted in parallel.
        """
        return frame.head(limits.EVERY_ROW) if self.kind == "ibis:postgres" else frame

    def distinct_within(self, score: str, ranges: Sequence[tuple[float, float]]) -> int:
        """Return how many distinct scores lie within some closed ranges."""
        number = self._number(score)
        x = nw.col(number)
        inside = reduce(
            or_, ((x >= literal(a, self.kind)) & (x <= literal(b, self.kind)) for a, b in ranges)
        )
        if self.summary.whole < self.summary.rows:
            inside = inside & (nw.col("whole") == 1)
        groups = self._frame.filter(inside).group_by(number).agg(nw.len().alias("rows"))
        return int(ints(self.fetch(groups.select(nw.len().alias("groups")))["groups"])[0])

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
        bins: Mapping[str, Bins] | None = None,
        ends: bool = False,
        keys: Mapping[str, Any] | None = None,
    ) -> Chunk | None:
        """Return complete rows grouped by labels, scores and subgroups; None for too many groups.

        With ``by_weight`` rows of different weight are separate groups. Scores in ``bins`` are
        grouped by their bin, which is their number; with ``ends``, of one score, the numbers are
        the lowest score of each group, and its highest one is the end of its bin. ``keys`` are
        further numbers to group by, as expressions.
        """
        s, job, bins, keys = self.summary, self.job, bins or {}, keys or {}
        # Classes and bins without subgroups make few enough groups.
        most = limits.MOST_LINES if subgroups or not ends else 1_000_000_000
        columns = [
            self._columns[n] for n in (*labels, *(job.subgroups.values() if subgroups else ()))
        ]
        numbers = {n: self._columns[n].short for n in scores}
        numbers |= {n: _bin_of(self._columns[n].short) for n in bins}
        groups = self._grouped(columns, scores, by_weight, bins, ends, keys, most)
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
        values = {
            n: floats(groups[x]) + 0.0 for n, x in {**numbers, **{k: k for k in keys}}.items()
        }
        of_bins: dict[str, tuple[Bins, Floats]] = {}
        if ends:
            ((score, laid),) = bins.items()
            place, highs = values[score], floats(groups["high"]) + 0.0
            values[score], of_bins[score] = floats(groups["low"]) + 0.0, (laid, highs)
            self._check_places(laid, place[whole], (values[score][whole], highs[whole]))
        chunk = Chunk(
            0,
            {c.name: self._coded(groups, c) for c in columns},
            values,
            len(count),
            count=count,
            weight=each,
            sums=None if w is None or v is None else (w, v),
            bins=of_bins,
        )
        # Engines return groups in any order, and results should not depend on it.
        codes = [c.codes for c in chunk.labels.values()]
        order = np.lexsort([*([] if each is None else [each]), *codes, *values.values()])
        return chunk.kept(order[whole[order]])

    def _grouped(
        self,
        columns: Sequence[Column],
        numbers: Sequence[str],
        by_weight: bool,
        bins: Mapping[str, Bins],
        ends: bool,
        keys: Mapping[str, Any],
        most: int,
    ) -> Groups:
        """Return the rows counted by label columns, numbers, bins and ``keys``; see :meth:`lines`.

        With more than ``most`` groups, ``most`` + 1 are returned.
        """
        s, shorts = self.summary, [self._columns[n].short for n in numbers]
        frame = self._placed(bins) if bins else self._frame
        grouping = [c.short for c in columns] + [c.flag for c in columns if s.missing[c.name]]
        if s.whole < s.rows:
            frame = self._of_whole(shorts, frame) if shorts else frame
            grouping += ["whole"]
        if keys:
            frame = frame.with_columns(**keys)
        grouping += [*shorts, *(_bin_of(self._columns[n].short) for n in bins), *keys]
        aggregated = [nw.len().alias("rows")]
        if by_weight and self.job.mass:
            grouping += ["weight_0"]
        elif self.job.mass:
            aggregated += [nw.col("weight_0").sum().alias("w"), nw.col("weight_2").sum().alias("v")]
        if ends:
            x = nw.col(self._number(next(iter(bins))))
            aggregated += [x.min().alias("low"), x.max().alias("high")]
        grouped = frame.group_by(*grouping).agg(*aggregated)
        return self._fetch_many(self._telling(grouped, columns).head(most + 1))

    def first_look(self, score: str) -> tuple[Chunk, bool]:
        """Return the lines of a first count of a score, and whether its bins may be the last."""
        bins = Bins(np.array(self.summary.ends[score]), limits.COARSE)
        return self.binned(score, bins, subgroups=False), False

    def perhaps_few(self, score: str) -> bool:
        """Tell whether it is worth counting distinct scores: always, unless something is known."""
        return True

    def _check_places(self, bins: Bins, place: Floats, ends: Sequence[Floats]) -> None:
        """Raise an error if the engine assigns a score to a different bin than NumPy does."""
        for end in ends:
            ours = bins._place(end)
            if (ours != place).any():
                at = int(np.argmax(ours != place))
                raise InputError(
                    f"{self.called} puts the score {float(end[at])!r} into bin {place[at]:.0f}, "
                    f"which double precision puts into {ours[at]}; count a copy of {self.name} "
                    "elsewhere"
                )

    def whole_rows(self, columns: Mapping[str, str]) -> Any:
        """Return some columns of the complete rows, under new names, with their weights.

        ``w`` are the weights, or 1, and ``v`` their squares; of a line that counts several rows
        both are its number of rows.
        """
        job, one = self.job, literal(1.0, self.kind)
        named = {new: nw.col(self._columns[name].short) for new, name in columns.items()}
        w = nw.col("weight_0") if job.mass else one
        v = nw.col("weight_2") if job.weight else w
        return (
            self._frame.filter(nw.col("whole") == 1)
            .with_columns(w=w, v=v)
            .select("w", "v", **named)
        )

    def best(self, scores: Sequence[str]) -> Any:
        """Return the index of the highest score of a row, the first of equal ones."""
        return best_of([self._columns[c].short for c in scores])

    def held(self, column: str, value: Any) -> Any:
        """Return a value of a column of classes as a literal."""
        if self._columns[column].held == "float":
            return literal(float(value), self.kind)
        return nw.lit(value if isinstance(value, str) else int(value))

    # -- what comes back -----------------------------------------------------------------------

    def _telling(self, grouped: Any, columns: Iterable[Column]) -> Any:
        """Return groups with columns that show whether a collation equates different texts."""
        checks = {}
        for column in columns:
            if column.held == "text" and self.kind not in _NO_COLLATION:
                x = nw.col(column.short)
                one_case = (x == x.str.to_lowercase()) & (x == x.str.to_uppercase())
                checks[f"{column.short}_case"] = flag(one_case)
                checks[f"{column.short}_blank"] = flag(x == nw.concat_str([x, nw.lit(" ")]))
        return grouped.with_columns(**checks) if checks else grouped

    def _coded(self, groups: Mapping[str, NDArray[Any]], column: Column) -> Coded:
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
        self, groups: Mapping[str, NDArray[Any]], column: Column, present: NDArray[np.bool_]
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

    def fetch(self, query: Any) -> dict[str, NDArray[Any]]:
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
            return self.fetch(query)
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


def best_of(columns: Sequence[str]) -> Any:
    """Return the index of the highest of some columns of numbers, the first of equal ones."""
    best = nw.lit(len(columns) - 1)
    for k in reversed(range(len(columns) - 1)):
        # A column before this one that is not the highest is below one that follows it.
        highest = reduce(and_, (nw.col(columns[k]) >= nw.col(c) for c in columns[k + 1 :]))
        best = nw.when(highest).then(nw.lit(k)).otherwise(best)
    return best


def flag(claim: Any) -> Any:
    """Return 1 where a condition is true, else 0: Spark cannot add booleans."""
    return nw.when(claim).then(nw.lit(1)).otherwise(nw.lit(0))


def ints(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return whole numbers, which some engines give as decimals."""
    return np.asarray(values).astype(np.int64)


def floats(values: NDArray[Any]) -> Floats:
    """Return float64, NaN where a number is missing."""
    return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))


def _bin_of(short: str) -> str:
    """Return the name of the column that holds the bin of a score."""
    return f"bin_{short}"


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
    if not kind.startswith("ibis:") and kind in TESTED:
        return nw.lit(value)
    # Engines may read a decimal literal of 17 digits as a neighbouring double, but cast a string
    # exactly. PostgreSQL would also compute in decimals and convert them in every row.
    return nw.lit(repr(value)).cast(nw.Float64)
