"""What to do about the errors of databases."""

from __future__ import annotations

import re

_OF_DATABASES = (
    (
        r"disabled by configuration|file system operations are disabled|extension",
        "the view reads files outside the database; copy its rows into a table",
    ),
    (
        r"permission denied|denied|authentication|password|role .* does not exist",
        "use a user who may read it",
    ),
    (
        r"statement timeout|lock timeout|canceling statement|quer(y|ies) .*(limit|time)",
        "raise the server's limit for one query, or let tallymark sql print the query and judge "
        "what it returns",
    ),
    (
        r"no space left|disk full|temp_file_limit|temporary file|out of memory|memory limit",
        "free some space there, or round the scores to count fewer groups",
    ),
    (
        r"connection (failed|refused|timeout)|timeout expired|could not (connect|translate)",
        "check that the server runs and can be reached",
    ),
    (
        r"terminat|closed|connection.*lost|shutting down|starting up",
        "the session ended; count again",
    ),
)


def remedy_of_database(text: str) -> str:
    """Return the remedy for an error that a database reported.

    >>> remedy_of_database("permission denied for table hidden")
    'use a user who may read it'
    """
    fits = (remedy for sign, remedy in _OF_DATABASES if re.search(sign, text, re.IGNORECASE))
    return next(fits, "check that it still exists and can be read, then count again")
