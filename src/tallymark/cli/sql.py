"""The command that prints the SQL of a count, for those who must run it themselves."""

from __future__ import annotations

import click

from tallymark.cli.group import main
from tallymark.errors import InputError


@main.command()
@click.argument("file", type=click.Path(), required=False)
@click.option("--table", metavar="[SCHEMA.]NAME",
              help="The table to count; FILE then only tells its columns.")  # fmt: skip
@click.option("--truth", metavar="COLUMN", help="Column of the true class.")
@click.option("--score", metavar="COLUMN", multiple=True, help="Column of a score; repeatable.")
@click.option("--pred", metavar="COLUMN", help="Column of the predicted class.")
@click.option("--by", metavar="COLUMN", multiple=True,
              help="Column of later subgroups, such as the region; repeatable.")  # fmt: skip
@click.option("--dialect", type=click.Choice(["duckdb", "postgres", "spark"]),
              help="Whose SQL; that of the link, or duckdb, unless given.")  # fmt: skip
def sql(
    file: str | None,
    table: str | None,
    truth: str | None,
    score: tuple[str, ...],
    pred: str | None,
    by: tuple[str, ...],
    dialect: str | None,
) -> None:
    """Print the SQL that counts the predictions in FILE or in a table: its result is small.

    FILE is a file, or a link such as postgres://host/db?table=preds. What the SQL returns, saved as
    CSV, gives tallymark report the very evaluation of the rows.
    """
    from tallymark.data.links import POSTGRES, Link, is_link
    from tallymark.data.sql import Asked, counting_sql, file_source, table_name

    if file is None and table is None:
        raise InputError("there is nothing to count; give a FILE, or a table's name with --table")
    link = Link.parse(file) if file is not None and is_link(file) else None
    if dialect is None:
        dialect = "postgres" if link is not None and link.scheme in POSTGRES else "duckdb"
    if file is None:
        asked = Asked.of_names(truth, pred, score, by)
    else:
        asked = Asked.of_source(file, truth=truth, pred=pred, score=score, subgroups=by)
    named = table or (link.table if link is not None else None)
    if named is not None:
        source = table_name(named, dialect)
    else:
        assert file is not None
        if dialect != "duckdb":
            raise InputError(f"{dialect} does not read {file!r}; name its table there with --table")
        source = file_source(file)
    click.echo(counting_sql(asked, source, dialect))
