"""The SQL that counts predictions, for those who must run it themselves.

It returns a line for each distinct combination of labels and scores with its number of rows, from
which :func:`tallymark.evaluate` computes the same as from the rows. Missing values, NaN and -0.0
are separate groups in some engines; they are handled when the counts are read.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallymark import InputError
from tallymark.core import (
    COUNT,
    Roles,
    check_name,
    literal,
    look_of,
    names_models,
    names_of,
    open_table,
    refuse_duplicates,
    released,
    roles_of,
    unused,
)


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How an engine quotes names, and casts to text and to double precision."""

    quote: str
    text: str
    double: str

    def name(self, name: str) -> str:
        """Return the quoted name of a column or a table."""
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote


DIALECTS = {
    "duckdb": _Dialect('"', "CAST({} AS VARCHAR)", "CAST({} AS DOUBLE)"),
    # A collation may treat two strings as equal; "C" compares their bytes.
    "postgres": _Dialect('"', 'CAST({} AS text) COLLATE "C"', "CAST({} AS double precision)"),
    "spark": _Dialect("`", "CAST({} AS STRING)", "CAST({} AS DOUBLE)"),
}


def columns_to_count(source: str | None, *, header: bool | None = None, **named: Any) -> Roles:
    """Return the roles of the columns of a file or a link.

    Without a table to inspect (None), they are the columns that are named.
    """
    columns = [name for names in named.values() for name in names_of(names)]
    if source is None:
        if named.get("truth") is None or not (named.get("pred") or named.get("score")):
            raise InputError("name the columns of the table: truth=... and score=... or pred=...")
        return roles_of(columns, None, named, {})
    table = open_table(source, named=columns, header=header)
    with released(table):
        roles = roles_of(table.columns, look_of(table, named), named, {})
        if roles.layout or roles.pos_neg:
            what = "holds counts of rows by score already"
            if roles.layout:
                what = f"is {roles.layout.program}'s output"
            raise InputError(f"{table.name} {what}; judge it as it is, with tallymark report")
        for name in unused(table.columns, roles, columns):
            if names_models(table, name, surely=True):
                raise InputError(
                    f"{name!r} may say which model made each prediction; separate the models with "
                    f"by={name!r}"
                )
        return roles


def counting_sql(
    roles: Roles,
    source: str,
    dialect: str = "duckdb",
    subgroups: Sequence[str] = (),
    cluster: str | None = None,
) -> str:
    """Return SQL that counts the rows of a source: a quoted table name, or a function call.

    >>> roles = columns_to_count(None, truth="label", score=["score"])
    >>> print(counting_sql(roles, table_name("eval.preds", "postgres"), "postgres"))
    -- Save what this returns as counts.csv, with a header, and judge it with
    --   tallymark report counts.csv --truth label --score score --count n
    SELECT
      CAST("label" AS text) COLLATE "C" AS "label",
      CAST("score" AS double precision) AS "score",
      count(*) AS "n"
    FROM "eval"."preds"
    GROUP BY 1, 2;
    """
    speech = _speech(dialect)
    labels = [roles.truth, *dict(roles.preds), *subgroups, *([cluster] if cluster else [])]
    numbers = [*dict(roles.scores), *([roles.weight] if roles.weight else [])]
    columns = [*labels, *numbers]
    used = [*columns, *([roles.counted] if roles.counted else [])]
    refuse_duplicates(used, "what is asked for", fold=True)
    if roles.counted:
        count, n = roles.counted, speech.double.format(speech.name(roles.counted))
        # The sum is missing where a line holds no count, which is refused when counts are read.
        whole = f"min(CASE WHEN {n} >= 0 AND {n} = floor({n}) THEN 1 ELSE 0 END) = 1"
        rows = f"CASE WHEN {whole} THEN sum({n}) END"
    else:
        free = (n for n in COUNT if n not in {c.lower() for c in used})
        count, rows = next(free, ""), "count(*)"
    if not count:
        raise InputError(
            f"columns are called {' and '.join(map(repr, COUNT))}, which the counts need; rename "
            "one of them in a view"
        )
    kinds = [speech.text] * len(labels) + [speech.double] * len(numbers)
    lines = [
        f"  {kind.format(speech.name(c))} AS {speech.name(c)},"
        for c, kind in zip(columns, kinds, strict=True)
    ]
    return "\n".join(
        [
            "-- Save what this returns as counts.csv, with a header, and judge it with",
            f"--   {_command(roles, subgroups, cluster, count)}",
            "SELECT",
            *lines,
            f"  {rows} AS {speech.name(count)}",
            f"FROM {source}",
            f"GROUP BY {', '.join(str(i + 1) for i in range(len(columns)))};",
        ]
    )


def _speech(dialect: str) -> _Dialect:
    check_name("dialect", dialect, DIALECTS)
    return DIALECTS[dialect]


def _command(roles: Roles, subgroups: Sequence[str], cluster: str | None, count: str) -> str:
    """Return the command that reads the counts; names that would break its line are left out."""
    words = ["tallymark", "subgroups" if subgroups else "report", "counts.csv"]
    named: list[tuple[str, str | None]] = [("--truth", roles.truth)]
    named += [("--pred", c) for c, _ in roles.preds]
    named += [("--score", c) for c, _ in roles.scores] + [("--subgroup", c) for c in subgroups]
    named += [("--weight", roles.weight), ("--cluster", cluster), ("--count", count)]
    for option, column in named:
        if column is not None:
            words += [option, shlex.quote(column) if column.isprintable() else "..."]
    return " ".join(words)


def table_name(name: str, dialect: str) -> str:
    """Return a table's name, with its schema before a dot, as SQL.

    >>> print(table_name('eval.odd"; name', "duckdb"))
    "eval"."odd""; name"
    """
    parts = name.split(".")
    if not all(parts):
        raise InputError(f"{name!r} is not the name of a table; write NAME or SCHEMA.NAME")
    return ".".join(_speech(dialect).name(part) for part in parts)


def file_source(path: str | os.PathLike[str], *, header: bool | None = None) -> str:
    """Return the DuckDB function call that reads a file with every column as text.

    DuckDB then infers no types from the first rows.
    """
    text = os.fspath(path)
    kind = Path(text.lower().removesuffix(".gz")).suffix
    if kind in (".parquet", ".pq"):
        return f"read_parquet({literal(text)})"
    if kind in (".csv", ".tsv", ".txt"):
        named = "header=true"
        if header is False:
            names = list(open_table(path, header=False).columns)
            named = f"header=false, names={literal(names)}"
        return f"read_csv({literal(text)}, {named}, all_varchar=true)"
    raise InputError(
        f"SQL reads CSV and Parquet files, and {Path(text).name!r} is neither; name the table that "
        "holds its rows with --table"
    )
