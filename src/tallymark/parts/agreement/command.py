"""The command that measures the agreement of raters."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli.group import (
    how_files_are_read,
    how_sure,
    json_flag,
    main,
    one_of,
    option,
    print_format,
    print_json,
    read_labels,
    show,
    tell,
)


@main.command(section="Language models and raters")
@click.argument("file", type=click.Path())
@option("--subject COLUMN", "Column of the subject, if each line is one rating.")
@option("--rating COLUMN", "Column of the rating, if each line is one rating.")
@option(
    "--rater COLUMN",
    "Column of one rater's ratings; repeatable (default: all columns, except text that "
    "differs on every line and a column named like the truth).",
    multiple=True,
)
@click.option(
    "--counts/--no-counts",
    default=None,
    help="Whether each column is a category and says how many raters chose it; found "
    "from lines that add up to the same number unless given.",
)
@option(
    "--classes A,B,C",
    "The categories in their order, which weights go by (default: sorted).",
    callback=read_labels,
)
@option("--weights WORD", "nominal, ordinal, linear, interval or ratio.", default="nominal")
@one_of(
    "--missing",
    ["error", "skip"],
    default="skip",
    text="Missing ratings: refuse them, or skip them so that their subject has fewer.",
)
@how_files_are_read
@how_sure("Confidence level of the intervals.")
@json_flag
def agree(file: str, weights: str, level: float, as_json: bool, **columns: Any) -> None:
    """Measure the agreement of raters: FILE has one line per subject and one column per rater."""
    from tallymark import RatingTally
    from tallymark.core import dialect, plain_data, said
    from tallymark.parts.agreement.coefficients import agreement
    from tallymark.parts.agreement.rating_tables import read_ratings

    tally, source = read_ratings(RatingTally, file, **columns)
    change = {"count": "--no-counts", "pred": "--rater", "subgroup": "--subject and --rating"}
    statement = said(source.read_as)
    read_as = " ".join([statement, *(f"Change with {change[w]}." for w in source._why)])
    tell(read_as, err=as_json or print_format() != "text")
    coefficients = agreement(tally, weights, level)
    if as_json:
        print_json(plain_data(coefficients.table().to_dicts()))
        return
    of_command = dialect.get()
    dialect.set(lambda text: of_command(text.replace("tally.reorder([...])", "--classes")))
    show(coefficients, as_json=False)
