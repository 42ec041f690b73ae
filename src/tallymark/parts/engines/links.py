"""Links to tables in databases, such as ``postgres://host/db?table=preds``: the rows stay there.

A link may hold a password. It is removed from the name of the link and from the driver's errors.
"""

from __future__ import annotations

import contextlib
import os
import re
import warnings
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from tallymark import InputError
from tallymark.core import (
    choices,
    configure,
    identifier,
    narwhals_frame,
    readers,
    with_article,
)
from tallymark.parts.engines.lazy import LazyTable
from tallymark.parts.engines.remedies import remedy_of_database

POSTGRES = ("postgres", "postgresql")
_KINDS = {"duckdb": "DuckDB", **dict.fromkeys(POSTGRES, "PostgreSQL")}

_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SECRET = re.compile("user|login|uid|pass|pwd|secret|token|key|auth|cred", re.IGNORECASE)
_OURS = ("tallymark", "numpy", "builtins")
_PATIENCE = "10"
"""Seconds after which a silent server is unreachable, unless the link says otherwise."""


def is_link(data: Any) -> bool:
    """Tell whether a text is a link rather than the path of a file.

    >>> is_link("duckdb:///runs.db?table=preds"), is_link("runs/preds.csv")
    (True, False)
    """
    return isinstance(data, str) and _LINK.match(data) is not None


@dataclass(frozen=True)
class Link:
    """A parsed link. Only ``name`` may be printed; the rest may contain secrets."""

    name: str
    scheme: str
    place: str = field(repr=False)
    """The link without its query."""
    table: str = field(repr=False)
    options: dict[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Link:
        """Return a parsed link; a refusal says how one is written.

        >>> Link.parse("postgres://ann:s3cret@db.example/live?table=eval.preds")
        Link(name='postgres://db.example/live?table=eval.preds', scheme='postgres')
        """
        scheme = text.partition("://")[0].lower()
        try:
            parts = urlsplit(text)
            host, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
            # A password with a / or a ? of its own ends up behind the host, and would be printed.
            behind = parts.path + ("" if "@" in parts.netloc else parts.query)
            if parts.fragment or (parts.netloc and "@" in behind):
                raise ValueError
        except ValueError:
            raise InputError(
                f"this {scheme}:// link cannot be read; write it as {scheme}://HOST/DATABASE?table="
                "NAME, with user:password@ before the host, and in the password %40 for @, %2F for "
                "/, %3F for ? and %23 for #"
            ) from None
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        table = options.pop("table", "")
        host = f"[{host}]" if ":" in host else host
        name = f"{scheme}://{host}{port}{parts.path}"
        name += f"?table={quote(table, safe='.')}" if table else ""
        private = [parts.username, parts.password]
        private += [value for key, value in options.items() if _SECRET.search(key)]
        if scheme in POSTGRES:
            private.append(os.environ.get("PGPASSWORD"))
        secrets = {s for text in private if text for s in (text, unquote(text), quote(text))}
        place = f"{scheme}://{parts.netloc}{parts.path}"
        return cls(name, scheme, place, table, options, tuple(sorted(secrets, key=len)[::-1]))

    def without_secrets(self, text: str) -> str:
        """Return a text with the secrets of this link masked; its name stays."""
        parts = text.split(self.name)
        for secret in self.secrets:
            whole = re.compile(
                re.escape(secret) if len(secret) > 3 else rf"(?<!\w){re.escape(secret)}(?!\w)"
            )
            parts = [whole.sub("***", part) for part in parts]
        return self.name.join(parts)

    @contextlib.contextmanager
    def guarded(self, *, opening: bool = False) -> Iterator[None]:
        """Convert database driver errors to InputError; our own errors are raised unchanged."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the drivers' own, of versions and of types
                yield
        except InputError as error:
            message = self.without_secrets(str(error))
            if message == str(error):
                raise
            raise InputError(message) from None
        except Exception as error:
            if not opening and not _of_a_driver(error):
                raise
            lines = [line.strip() for line in str(error).splitlines()]
            message = next(filter(None, lines), type(error).__name__).rstrip(".")
            message = f"{self.without_secrets(message)}; {remedy_of_database(message)}"
            raise InputError(f"{self.name} cannot be read: {message}") from None


def _of_a_driver(error: Exception) -> bool:
    home = type(error).__module__.partition(".")[0]
    stopped = type(error).__name__ == "InterruptException"
    return isinstance(error, OSError) or not (home in _OURS or stopped)


def open_link(text: str) -> LazyTable:
    """Open the table of a link; rows are read, or counted, when they are asked for.

    ``duckdb:///PATH?table=NAME`` is opened for reading only; a path that begins with a slash of its
    own is absolute. PostgreSQL and all others are reached through Ibis, whose links they are.
    """
    link = Link.parse(text)
    of = next((r for r in readers().values() if r.scheme == link.scheme), None)
    if of is not None:
        path = unquote(link.place.removeprefix(f"{link.scheme}://")).removeprefix("/")
        what = with_article(f"{of.kind} file")
        raise InputError(f"{what} is read by its path; give {path!r} instead of a link")
    with contextlib.ExitStack() as undo:
        with link.guarded(opening=True):
            native = (_open_duckdb if link.scheme == "duckdb" else _open_ibis)(link, undo)
        with link.guarded():
            table = LazyTable(narwhals_frame(native))
        table.name, table.guarded = link.name, link.guarded
        table.kind = _KINDS.get(link.scheme, link.scheme)
        table.close = weakref.finalize(table, undo.pop_all().close)
        return table


def _missing_table(link: Link, names: Sequence[str]) -> InputError:
    there = choices(link.table, names) if names else "the database has no tables"
    if link.table:
        return InputError(f"{link.name}: there is no table {link.table!r}; {there}")
    return InputError(f"{link.name} names no table: write {link.name}?table=NAME; {there}")


# -- DuckDB ------------------------------------------------------------------------------------


def _open_duckdb(link: Link, undo: contextlib.ExitStack) -> Any:
    import duckdb

    path = unquote(link.place.removeprefix("duckdb://")).removeprefix("/")
    if link.options:
        raise InputError(
            f"{link.name} has {', '.join(sorted(link.options))}, which DuckDB does not know; leave "
            "that out"
        )
    if not path or not Path(path).is_file():
        raise InputError(
            f"there is no file {path!r}; write duckdb:///PATH?table=NAME, with four slashes before "
            "a path from the root"
        )
    connection = duckdb.connect(path, read_only=True)
    undo.callback(connection.close)
    # A view may hold any query: none of them reads a file, loads an extension or undoes this.
    configure(
        connection,
        {
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "enable_external_access": False,
            "lock_configuration": True,
        },
    )
    tables = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "ORDER BY table_schema <> 'main', table_name"
    ).fetchall()
    for owner, name in tables:
        if link.table in (name, f"{owner}.{name}"):
            return connection.sql(f"SELECT * FROM {identifier(owner)}.{identifier(name)}")
    raise _missing_table(link, [n if o == "main" else f"{o}.{n}" for o, n in tables])


# -- everything else -----------------------------------------------------------------------------


def _open_ibis(link: Link, undo: contextlib.ExitStack) -> Any:
    extra = "postgres" if link.scheme in POSTGRES else "ibis"
    what = "psycopg and Ibis" if extra == "postgres" else "Ibis and its driver for that database"
    needs = InputError(
        f"reading {link.scheme}:// needs {what}; install it with: pip install 'tallymark[{extra}]'"
    )
    try:
        import ibis
    except ImportError:
        raise needs from None
    options = dict(link.options)
    place = link.place
    if link.scheme in POSTGRES:
        options.setdefault("connect_timeout", os.environ.get("PGCONNECT_TIMEOUT", _PATIENCE))
        place = "postgres://" + place.partition("://")[2]
    elif link.scheme not in {entry.name for entry in ibis.util.backend_entry_points()}:
        raise InputError(
            f"{link.scheme}:// is not a known database; links begin with duckdb://, postgres:// or "
            "another name of an Ibis backend"
        )
    try:
        connection = ibis.connect(f"{place}?{urlencode(options)}" if options else place)
    except ImportError:
        if extra == "postgres":
            raise needs from None
        raise InputError(
            f"reading {link.scheme}:// needs the driver of that database; install it with: pip "
            f"install 'ibis-framework[{link.scheme}]'"
        ) from None

    @undo.callback
    def close() -> None:
        with contextlib.suppress(Exception):
            connection.disconnect()

    from ibis.common.exceptions import TableNotFound

    schema, _, name = link.table.rpartition(".")
    places = dict.fromkeys([(None, link.table), (schema or None, name)])
    for database, table in places if link.table else ():
        with contextlib.suppress(TableNotFound):
            return connection.table(table, database=database)
    names = sorted(connection.list_tables())
    with contextlib.suppress(Exception):  # a schema that is not there, or may not be listed
        names += [f"{schema}.{t}" for t in sorted(connection.list_tables(database=schema or None))]
    raise _missing_table(link, names)
