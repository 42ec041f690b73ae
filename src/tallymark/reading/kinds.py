"""Of what kind a file is: by its first bytes where they tell, else by the end of its name."""

from __future__ import annotations

from pathlib import Path

from tallymark.errors import InputError

_ENDINGS = {
    "CSV": (".csv", ".tsv", ".txt"),
    "Parquet": (".parquet", ".pq"),
    "JSON": (".json", ".jsonl", ".ndjson"),
    "Arrow": (".arrow", ".feather", ".ipc"),
    "ARFF": (".arff",),
    "Excel": (".xlsx", ".xlsm"),
}
KINDS = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings}
PACKED = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".zst": b"\x28\xb5\x2f\xfd"}
"""How packed files end, and how they begin."""

HEAD = 4096
"""Bytes by which a file is known."""

_BEGINNINGS = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\xff\xff\xff\xff": "Arrow",
    b"PK\x03\x04": "Excel",
}
_OTHERS = {
    b"\xd0\xcf\x11\xe0": ("an old or locked Excel file", "save it as .xlsx without a password"),
    b"7z\xbc\xaf": ("a 7z archive", "unpack it first"),
    b"%PDF": ("a PDF", "give the table itself, such as a CSV"),
    b"SQLite format 3": (
        "an SQLite database",
        "name one of its tables as sqlite:///PATH?table=NAME",
    ),
    b"\x80\x04\x95": ("a pickle, which could run any code", "save the table as CSV or Parquet"),
    b"\x89HDF": ("an HDF5 file", "save the table as CSV or Parquet"),
}


def kind_of(file: str, head: bytes) -> str:
    """Return of what kind a file is whose first bytes these are.

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
    for begins, kind in _BEGINNINGS.items():
        if head.startswith(begins):
            return kind
    return KINDS.get(unpacked_name(Path(file)).suffix.lower()) or _kind_of_text(name, head)


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


def utf16_of(head: bytes) -> str | None:
    """Return the encoding of text in UTF-16, told by its mark or by every other byte; else None.

    >>> utf16_of("label;score".encode("utf-16")), utf16_of(b"label;score")
    ('utf-16', None)
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    half = len(head) // 2
    # Letters, digits and separators have a byte of 0 each, on one side.
    if half and head[1::2].count(0) > 0.7 * half > 10 * head[::2].count(0):
        return "utf-16-le"
    if half and head[::2].count(0) > 0.7 * half > 10 * head[1::2].count(0):
        return "utf-16-be"
    return None
