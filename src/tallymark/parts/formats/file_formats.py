"""The file formats of this part: their endings, their first bytes and their readers."""

from __future__ import annotations

from functools import partial

from tallymark.core import Reader
from tallymark.parts.formats.arff import arff_as_csv
from tallymark.parts.formats.containers import arrays_as_rows, database_as_rows
from tallymark.parts.formats.libraries import by_library
from tallymark.parts.formats.sheets import sheet_as_csv

_SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")

READERS = (
    Reader(
        "ARFF",
        (".arff",),
        "CSV",
        arff_as_csv,
        declares=True,
        text=r"(?:%[^\r\n]*\s+)*@(?:relation|attribute)",
    ),
    Reader(
        "Excel", (".xlsx", ".xlsm"), "CSV", sheet_as_csv, holds=("xl/workbook.xml",), part="sheet"
    ),
    Reader(
        "binary Excel",
        (".xls", ".xlsb"),
        "CSV",
        partial(by_library, "sheet"),
        (b"\xd0\xcf\x11\xe0",),
        ("xl/workbook.bin",),
        "sheet",
        or_text=True,
    ),
    Reader(
        "OpenDocument",
        (".ods",),
        "CSV",
        partial(by_library, "sheet"),
        holds=("content.xml",),
        part="sheet",
    ),
    Reader(
        "SPSS", (".sav", ".zsav"), "JSON", partial(by_library, "statistics"), (b"$FL2", b"$FL3")
    ),
    Reader("Stata", (".dta",), "JSON", partial(by_library, "statistics"), (b"<stata_dta>",)),
    Reader(
        "SAS",
        (".sas7bdat", ".xpt"),
        "JSON",
        partial(by_library, "statistics"),
        (_SAS, b"HEADER RECORD*******LIB"),
    ),
    Reader("Avro", (".avro",), "JSON", partial(by_library, "avro"), (b"Obj\x01",)),
    Reader(
        "SQLite",
        (".sqlite", ".sqlite3"),
        "JSON",
        database_as_rows,
        (b"SQLite format 3",),
        part="table",
        scheme="sqlite",
    ),
    Reader("NumPy", (".npy", ".npz"), "JSON", arrays_as_rows, (b"\x93NUMPY",), (".npy",)),
)
