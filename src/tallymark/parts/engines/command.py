"""The command that prints the SQL of the counts."""

from __future__ import annotations

from typing import Any

import click

from tallymark import InputError
from tallymark.cli.group import header_option, main, one_of, option, settle_no


@main.command()
@click.argument("file", type=click.Path(), required=False)
@option("--table [SCHEMA.]NAME", "The table to count; FILE then only names its columns.")
@option("--truth COLUMN", "Column of the true class.")
@option("--score COLUMN", "Column of a score; repeatable.", multiple=True)
@option("--pred COLUMN", "Column of the predicted class; repeatable.", multiple=True)
@option("--weight COLUMN", "Column of sampling weights.")
@option("--count COLUMN", "Column that says how many rows each line stands for.")
@option("--no-count", "Each line is one row.", is_flag=True)
@option("--cluster COLUMN", "Column that says which rows belong together, such as the patient.")
@option(
    "--by COLUMN",
    "Column of subgroups to judge later, such as the region; repeatable.",
    multiple=True,
)
@header_option
@one_of(
    "--dialect",
    ["duckdb", "postgres", "spark"],
    "The dialect of SQL (default: that of the link, else duckdb).",
)
def sql(
    file: str | None,
    table: str | None,
    by: tuple[str, ...],
    dialect: str | None,
    header: bool | None,
    **named: Any,
) -> None:
    """Print the SQL that counts the predictions in FILE or in a table; its result is small.

    FILE is a file, or a link such as postgres://host/db?table=preds. If you save the result
    as CSV, tallymark report makes the same evaluation as from the rows.
    """
    from tallymark.parts.engines import links
    from tallymark.parts.engines import sql as queries

    if file is None and table is None:
        raise InputError("there is nothing to count; give a FILE, or a table's name with --table")
    link = links.Link.parse(file) if file is not None and links.is_link(file) else None
    if dialect is None:
        dialect = "postgres" if link is not None and link.scheme in links.POSTGRES else "duckdb"
    settle_no(named, "count")
    roles = queries.columns_to_count(file, header=header, subgroups=by, **named)
    place = table or (link.table if link is not None else None)
    if place is not None:
        source = queries.table_name(place, dialect)
    else:
        assert file is not None
        if dialect != "duckdb":
            raise InputError(f"{dialect} does not read {file!r}; name its table there with --table")
        source = queries.file_source(file, header=header)
    click.echo(queries.counting_sql(roles, source, dialect, by, named["cluster"]))
