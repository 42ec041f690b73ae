"""Of what kind a file is, by its first bytes where they tell, and what reads each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tallymark.errors import InputError
from tallymark.reading.containers import arrays_as_rows, database_as_rows
from tallymark.reading.encodings import utf16_of
from tallymark.reading.libraries import by_library
from tallymark.reading.sheets import sheet_as_csv
from tallymark.reading.unpacking import PACKED, Opened, Written


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads a kind of file.

    ``form`` is what DuckDB is then given: CSV, JSON, Parquet, Arrow or ARFF. Where that is not the
    kind itself, ``write`` writes the rows so. A file begins with one of ``begins``, or, if it is a
    zip archive, ``holds`` one of these names or only names that end so. ``part`` is what the
    option ``sheet`` names, where a file may hold several tables.
    """

    kind: str
    endings: tuple[str, ...]
    form: str
    write: Callable[[Opened, Path], Written] | None = None
    begins: tuple[bytes, ...] = ()
    holds: tuple[str, ...] = ()
    part: str = ""


_SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")

_TABLE = (
    Reader("CSV", (".csv", ".tsv", ".txt"), "CSV"),
    Reader("Parquet", (".parquet", ".pq"), "Parquet", begins=(b"PAR1",)),
    Reader("JSON", (".json", ".jsonl", ".ndjson"), "JSON", part="table"),
    Reader("Arrow", (".arrow", ".feather", ".ipc"), "Arrow",
           begins=(b"ARROW1", b"\xff\xff\xff\xff")),
    Reader("ARFF", (".arff",), "ARFF"),
    Reader("Excel", (".xlsx", ".xlsm"), "CSV", sheet_as_csv,
           holds=("xl/workbook.xml",), part="sheet"),
    Reader("binary Excel", (".xls", ".xlsb"), "CSV", partial(by_library, "sheet"),
           (b"\xd0\xcf\x11\xe0",), ("xl/workbook.bin",), "sheet"),
    Reader("OpenDocument", (".ods",), "CSV", partial(by_library, "sheet"),
           holds=("content.xml",), part="sheet"),
    Reader("SPSS", (".sav", ".zsav"), "JSON", partial(by_library, "statistics"),
           (b"$FL2", b"$FL3")),
    Reader("Stata", (".dta",), "JSON", partial(by_library, "statistics"), (b"<stata_dta>",)),
    Reader("SAS", (".sas7bdat", ".xpt"), "JSON", partial(by_library, "statistics"),
           (_SAS, b"HEADER RECORD*******LIB")),
    Reader("Avro", (".avro",), "JSON", partial(by_library, "avro"), (b"Obj\x01",)),
    Reader("SQLite", (".sqlite", ".sqlite3"), "JSON", database_as_rows,
           (b"SQLite format 3",), part="table"),
    Reader("NumPy", (".npy", ".npz"), "JSON", arrays_as_rows, (b"\x93NUMPY",), (".npy",)),
)  # fmt: skip
READERS = {reader.kind: reader for reader in _TABLE}
"""What reads a file, by its kind: another kind is another line."""

ZIP = "zip"
"""The kind of an archive that holds files of other kinds."""

KINDS = {ending: reader.kind for reader in READERS.values() for ending in reader.endings}
KINDS[".zip"] = ZIP

_ZIPPED = b"PK\x03\x04"
_OTHERS = {
    b"7z\xbc\xaf": ("a 7z archive", "unpack it first"),
    b"%PDF": ("a PDF", "give the table itself, such as a CSV"),
    b"\x80\x04\x95": ("a pickle, which could run any code", "save the table as CSV or Parquet"),
    b"\x89HDF": ("an HDF5 file", "save the table as CSV or Parquet"),
    b"<html": ("a web page", "save its table as CSV"),
    b"<!DOCTYPE": ("a web page", "save its table as CSV"),
    b"<?xml": ("XML", "save its table as CSV"),
    b"RDX": ("a file of R's save()", "save the data frame with R's write.csv"),
    b"X\n\0\0": ("a file of R's saveRDS()", "save the data frame with R's write.csv"),
}


def kind_of(file: str, head: bytes, members: Sequence[str] = ()) -> str:
    """Return of what kind a file is whose first bytes these are, with its members if zipped.

    >>> kind_of("scores.dat", b'{"label": 1}'), kind_of("preds.csv", b"PAR1")
    ('JSON', 'Parquet')

    Raises
    ------
    InputError
        Kinds that are not read, with what to do.

    """
    name = Path(file).name
    for begins, (what, remedy) in _OTHERS.items():
        if head.startswith(begins):
            raise InputError(f"{name} is {what}; {remedy}")
    if head[8:12] == b"DUCK":
        raise InputError(
            f"{name} is a DuckDB database; name one of its tables as duckdb:///PATH?table=NAME"
        )
    named = kind_by_name(file)
    if named == "binary Excel" and b"\0" not in head:  # text that is called so to open in Excel
        named = None
    if head.startswith(_ZIPPED):
        return _kind_of_zip(members) or (ZIP if members or not named else named)
    for reader in READERS.values():
        if head.startswith(reader.begins or (_ZIPPED,)):
            return reader.kind
    return named or _kind_of_text(name, head)


def _kind_of_zip(members: Sequence[str]) -> str | None:
    """Return the kind of a file that is a zip archive of certain members; None of any other."""
    for reader in READERS.values():
        ends = tuple(held for held in reader.holds if held.startswith("."))
        whole = members and ends and all(name.endswith(ends) for name in members)
        if whole or set(reader.holds) & set(members):
            return reader.kind
    return None


def kind_by_name(file: str) -> str | None:
    """Return of what kind a file is by the end of its name, None where that does not tell."""
    return KINDS.get(unpacked_name(Path(file)).suffix.lower())


def unpacked_name(path: Path) -> Path:
    """Return a path without the ending of a packed file, such as ``.gz``."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def _kind_of_text(name: str, head: bytes) -> str:
    if b"\0" in head and not utf16_of(head):
        raise InputError(
            f"the format of {name} is unknown: neither text nor one of {', '.join(sorted(KINDS))}; "
            "save the table as CSV or Parquet"
        )
    text = head.decode(utf16_of(head) or "utf-8-sig", "replace").lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")):
        return "JSON"
    lines = [line.strip().lower() for line in text.splitlines()]
    first = next((line for line in lines if line[:1] not in ("", "%")), "")
    return "ARFF" if first.startswith(("@relation", "@attribute")) else "CSV"
