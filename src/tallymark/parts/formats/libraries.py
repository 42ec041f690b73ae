"""Files of other programs, read by the libraries for their formats.

A few bytes of a file can make a library allocate all memory, and a damaged file can crash it. It
therefore runs in a separate process with a memory limit.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

from tallymark import InputError
from tallymark.core import Opened, Written, listed, write_lines
from tallymark.parts.formats.sheets import Rows, write_sheet

_BASE_MEMORY = 2 * 10**9
"""Address space in bytes that Python and a library need before reading anything."""

_BATCH_SIZE = 50_000
"""Rows of a statistical file (SPSS, Stata, SAS) read per batch."""


def by_library(task: str, opened: Opened, target: Path) -> Written:
    """Write a file as text by a library that runs in a separate process.

    Raises
    ------
    InputError
        The library is not installed, or the file is damaged, locked or too large.

    """
    library, extra, _ = _TASKS[task]
    try:
        import_module(library)
    except ImportError:
        raise InputError(
            f"reading {opened.name} needs {library.replace('_', '-')}; install it with: "
            f"pip install 'tallymark[{extra}]'"
        ) from None
    request = json.dumps([sys.path, task, asdict(opened), str(target)])
    process = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=request, capture_output=True, text=True, check=False
    )
    answer: dict[str, Any] = {}
    with contextlib.suppress(ValueError):
        answer = json.loads(process.stdout.rpartition("\n")[2])
    if "refused" in answer:
        raise InputError(answer["refused"])
    if process.returncode or not answer:
        raise InputError(
            f"{opened.name} is damaged or locked, or takes more than {opened.memory / 1e6:,.0f} MB "
            "to read; save the table as CSV, and give that"
        )
    return Written(
        answer["above"],
        tuple(answer["notes"]),
        orders={c: tuple(names) for c, names in answer["orders"].items()},
    )


_PROGRAM = (
    "import json, sys\n"
    "path, *arguments = json.load(sys.stdin)\n"
    "sys.path[:] = path\n"
    "from tallymark.parts.formats.libraries import run_task\n"
    "print('\\n' + json.dumps(run_task(*arguments)), end='')"
)


def run_task(task: str, options: Mapping[str, Any], target: str) -> dict[str, Any]:
    """Return the result of a task as plain data, or its refusal; runs in the separate process."""
    opened = Opened(**options)
    with contextlib.suppress(ImportError, ValueError, OSError):  # some systems cannot limit memory
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_BASE_MEMORY + opened.memory,) * 2)
    try:
        return asdict(_TASKS[task][2](opened, Path(target)))
    except InputError as error:
        return {"refused": str(error)}


# -- sheets --------------------------------------------------------------------------------------


def _sheet(opened: Opened, target: Path) -> Written:
    from python_calamine import CalamineWorkbook

    with CalamineWorkbook.from_path(opened.path) as book:
        return write_sheet(
            opened, book.sheet_names, lambda name: _rows_of(book.get_sheet_by_name(name)), target
        )


def _rows_of(sheet: Any) -> Rows:
    """Yield the rows of a sheet that are not empty."""
    empty = sheet.start[0] if sheet.start else 0
    for row in sheet.iter_rows():
        texts = [_text_of(value) for value in row]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            yield empty, texts
        empty = 0 if texts else empty + 1


def _text_of(value: Any) -> str:
    """Return the value of a cell as text, whole numbers without decimals."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    text = value.isoformat() if isinstance(value, date) else str(value)
    return text if text.strip() else ""


# -- statistics ----------------------------------------------------------------------------------


def _statistics(opened: Opened, target: Path) -> Written:
    import pyreadstat

    path = Path(opened.path)
    with path.open("rb") as file:
        head = file.read(8)
    readers: dict[bytes, Any] = {
        b"$FL": pyreadstat.read_sav,
        b"HEADER": pyreadstat.read_xport,
        b"\0": pyreadstat.read_sas7bdat,
    }
    read = next((r for sign, r in readers.items() if head.startswith(sign)), pyreadstat.read_dta)
    chunks: Any = pyreadstat.read_file_in_chunks
    _, metadata = read(path, metadataonly=True, output_format="dict")
    value_labels = {
        name: dict(values) for name, values in metadata.variable_value_labels.items() if values
    }

    def batches(**options: Any) -> Iterator[dict[str, Any]]:
        if metadata.number_rows is None:  # an XPT file does not store it
            yield read(path, output_format="dict", **options)[0]
            return
        chunks_read = chunks(read, path, chunksize=_BATCH_SIZE, output_format="dict", **options)
        yield from (columns for columns, _ in chunks_read)

    # Keep the numbers of a scale that has labels only for its end points.
    for columns in batches(usecols=list(value_labels)) if value_labels else ():
        value_labels = {
            c: names for c, names in value_labels.items() if _all_named(columns[c], names)
        }
        if not value_labels:
            break
    notes = (f"the value labels of {listed(list(value_labels), 3)}",) if value_labels else ()
    rows = (
        dict(zip(columns, row, strict=True))
        for columns in batches()
        for row in zip(
            *(_named(v, value_labels.get(c, {})) for c, v in columns.items()), strict=True
        )
    )
    write_lines(rows, target, opened.budget())
    orders = {c: tuple(names[code] for code in sorted(names)) for c, names in value_labels.items()}
    return Written(0, notes, orders=orders)


def _all_named(values: Iterable[Any], names: Mapping[Any, str]) -> bool:
    return all(value is None or value != value or value in names for value in values)


def _named(values: Iterable[Any], names: Mapping[Any, str]) -> Iterator[Any]:
    """Yield the values of a column, replaced by their labels where they have one."""
    for value in values:
        plain = None if value is None or value != value else names.get(value, value)
        yield int(plain) if isinstance(plain, float) and plain.is_integer() else plain


# -- Avro ----------------------------------------------------------------------------------------


def _avro(opened: Opened, target: Path) -> Written:
    import fastavro

    with Path(opened.path).open("rb") as file:
        write_lines(fastavro.reader(file), target, opened.budget())
    return Written()


_TASKS: dict[str, tuple[str, str, Callable[[Opened, Path], Written]]] = {
    "sheet": ("python_calamine", "sheets", _sheet),
    "statistics": ("pyreadstat", "stats", _statistics),
    "avro": ("fastavro", "avro", _avro),
}
"""The library of each task, the extra that installs it, and the function that calls it."""
