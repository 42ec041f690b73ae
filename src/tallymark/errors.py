"""Error classes and the wording of error messages: what is wrong, where, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


class TallymarkError(Exception):
    """Base class of all errors that tallymark raises; the message is one sentence.

    Passwords in database links are removed from the message.

    >>> print(TallymarkError("there is no file 'postgres://ann:s3cret@host/db'"))
    there is no file 'postgres://host/db'
    """

    def __init__(self, text: str) -> None:
        super().__init__(harmless(without_credentials(text), keep="\n"))


def without_credentials(text: str) -> str:
    """Return a text without the user names and passwords of links.

    >>> without_credentials("there is no file 'host=db user=ann password=s3cret'")
    "there is no file 'host=db user=*** password=***'"
    """
    text = re.sub(_CREDENTIALS, r"\1", text)
    if re.search(_PASSWORD, text):  # user= or key= are secrets only in connection strings
        text = re.sub(_WORD, r"\1***", text)
    return re.sub(_SECRET, r"\1***", text)


# Patterns are compiled when the first error is raised: that takes longer than this module.
_CREDENTIALS = (
    r"(?i)([A-Za-z][A-Za-z0-9+.-]+:/{1,2}|"
    # Without slashes, require user:password@, or the name of a database first.
    r"\b[A-Za-z][A-Za-z0-9+.-]+:(?=[^\s:@'\"/]+:[^\s@]+@)|"
    r"\b(?:postgres|postgresql|mysql|mariadb|mssql|oracle|snowflake|redshift|mongodb|clickhouse|"
    r"jdbc:[a-z0-9:]+):(?=\S+@))\S*@"
)
_NAMES = r"user|login|uid|pass|pwd|secret|token|key|auth|cred|signature|\bsig\b"
_SECRET = rf"(?i)([?&][^=&\s]*(?:{_NAMES})[^=&\s]*=)[^&\s'\"]*"
_PASSWORD = (
    r"(?i)(?:passw(?:or)?d|passphrase|pwd|secret|api_?key|access_?key|account_?key|token)\s*="
)
_WORD = (
    rf"(?i)((?:{_NAMES})[^=\s'\"?&;]*\s*=\s*)"
    r"(?:'[^']*'|\"[^\"]*\"|(?!\*\*\*)\S+?(?=['\"]?(?:[;,:.)]*(?:\s|$)|&|;[^\s;=]*=)))"
)
"""Key and value in a database connection string: user=ann, Pwd=secret;"""


def harmless(text: str, keep: str = "") -> str:
    r"""Return a text in which invisible characters are escaped.

    These are characters that a terminal or a page would interpret: control characters, escape
    sequences, direction marks, zero-width blanks, and line breaks unless ``keep`` has them. Joiners
    stay within emoji and in Arabic and Indic scripts, which need them.

    >>> harmless("a\x1b[31m\u202e"), harmless("a\nb", keep="\n"), harmless("क्\u200dष")
    ('a\\x1b[31m\\u202e', 'a\nb', 'क्\u200dष')
    """
    if text.isprintable():
        return text
    pieces = re.split(_JOINED, text)  # every second piece is a character and its joiner
    pieces[::2] = [
        "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in p)
        for p in pieces[::2]
    ]
    return "".join(pieces)


_JOINED = (
    "([\u0600-\u06ff\u0750-\u077f\u0900-\u0dff\u1000-\u109f\u1780-\u18af][\u200c\u200d]|"
    "[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]\u200d(?=[\u2190-\u2bff\U0001f000-\U0001faff])|"
    "\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f)"
)
"""Joiners after letters that they shape and between emoji, and flags made of tag letters."""


class InputError(TallymarkError, ValueError):
    """The data or an argument cannot be used as given."""


class NotPredictionsError(InputError):
    """A file is recognised as something other than predictions, and the message says as what."""


class UndefinedMetricError(TallymarkError, ArithmeticError):
    """A metric is undefined for these counts, and the caller passed ``undefined="raise"``."""


def out_of_memory(error: MemoryError) -> InputError:
    """Return the error to raise for an allocation that failed.

    >>> print(out_of_memory(MemoryError("Unable to allocate 8 GiB")))  # doctest: +ELLIPSIS
    there is not enough memory (unable to allocate 8 GiB); count the rows in batches with ...
    """
    what = str(error).split(" for ")[0].strip().rstrip(".")
    detail = f" ({what[0].lower()}{what[1:]})" if what else ""
    return InputError(
        f"there is not enough memory{detail}; count the rows in batches with tm.Tallier, or from a "
        "file with memory='1GB'"
    )


MANY_NAMES = 50
"""More names than these are suggested only if they are nearer."""


def choices(
    name: object,
    available: Iterable[str],
    limit: int = 8,
    first: Sequence[str] | None = None,
) -> str:
    """Return the closest known names, or a list of them, for the end of an error message.

    ``first`` are the names to list instead of all, without their aliases.

    >>> choices("recal", ["precision", "recall"])
    "did you mean 'recall'?"
    >>> choices("cost", ["recall", "expected_cost"])
    "did you mean 'expected_cost'?"
    >>> choices("xyz", ["precision", "recall"])
    "there are 'precision', 'recall'"
    >>> choices("xyz", ["recall", "tpr", "precision"], first=["recall", "precision"])
    "there are 'recall', 'precision'"
    >>> choices("foo", ["for", *map(str, range(60))], 2)
    "there are 'for', '0' and 59 more"
    """
    from difflib import get_close_matches

    names = [str(k) for k in available]
    lowered = {n.lower(): n for n in names}
    key = str(name).lower()
    # With many names, one resembles any short word by chance.
    cutoff = 0.6 if len(lowered) <= MANY_NAMES else 0.7
    near = [lowered[n] for n in get_close_matches(key, lowered, n=3, cutoff=cutoff)]
    if not near and len(key) > 2:
        near = [n for n in names if key in n.lower()][:3]
    if near:
        return "did you mean " + " or ".join(repr(n) for n in near) + "?"
    return f"there are {listed(first or names, limit)}"


def listed(names: Sequence[object], limit: int = 12) -> str:
    """Return the first ``limit`` names, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    "'a', 'b' and 1 more"
    """
    first = ", ".join(map(shortened, names[:limit])) or "none"
    return first + (f" and {len(names) - limit} more" if len(names) > limit else "")


def shortened(value: object, most: int = 60) -> str:
    """Return the repr of a value cut to ``most`` characters, since files may contain long ones.

    >>> shortened("x" * 100, 10)
    "'xxxxxxxxx..."
    """
    text = repr(value)
    return text if len(text) <= most else text[:most] + "..."


def check_word(argument: str, value: object, allowed: Iterable[str]) -> None:
    """Raise InputError if an argument is not one of the accepted words.

    >>> check_word("ties", "odd", ["corrected", "plain"])
    Traceback (most recent call last):
        ...
    tallymark.errors.InputError: ties is 'odd'; there are 'corrected', 'plain'
    """
    names = list(allowed)
    if value not in names:
        raise InputError(f"{argument} is {value!r}; {choices(value, names)}")


def check_name(kind: str, name: object, available: Iterable[str]) -> None:
    """Raise InputError if no object of a kind has this name.

    >>> check_name("model", "forrest", ["forest", "bayes"])
    Traceback (most recent call last):
        ...
    tallymark.errors.InputError: there is no model 'forrest'; did you mean 'forest'?
    """
    names = list(available)
    if name not in names:
        raise InputError(f"there is no {kind} {name!r}; {choices(name, names)}")
