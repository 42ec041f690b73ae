"""Evaluations of classification reports, and refusals of other finished numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tallymark import Evaluation, InputError, LabelTally
from tallymark.core import (
    Asked,
    Cells,
    SmallFile,
    Source,
    from_tallies,
    read_texts,
    refuse_beyond_percent,
)
from tallymark.parts.reports.class_reports import Rebuilt, rebuilt
from tallymark.parts.reports.findings import REPORT_MISTAKES, REPORT_ROUNDED
from tallymark.parts.reports.numbers import refusal_of
from tallymark.parts.reports.spellings import report_in

_ARRANGED = "rebuilt from a report: off the diagonal one of several possible matrices"


def judged(asked: Asked) -> Evaluation | None:
    """Return the evaluation of a report in a small file; None for other input.

    Raises
    ------
    InputError
        A report that no counts give, two results in one file, numbers without predictions.

    """
    file = asked.small_file
    if file is None or not file.text.strip():
        return None
    report = report_in(file)
    if report is None:
        refusal = _refusal_of(file, tables=not asked.counts)
        if refusal is not None and asked.judged(after=judged) is None:
            raise refusal
        return None
    counts = rebuilt(report, file.name)
    if file.json is not None and not report.beside:
        other: Evaluation | None = asked.judged(after=judged)
        if other is not None and other.rows == counts.table.sum():
            return other  # the exact counts of what the report rounds
        if other is not None:
            raise InputError(f"{file.name} holds several finished results; keep one in a file")
    if asked.counting["percent"]:
        refuse_beyond_percent((), ())
    return _evaluation(asked, counts, file.name)


def _evaluation(asked: Asked, rebuilt: Rebuilt, name: str) -> Evaluation:
    """Return the evaluation of the counts of a report, with warnings of their uncertainty."""
    roles = {"truth": "rows", "pred": "columns"}
    if rebuilt.turned:
        roles = {"truth": "columns", "pred": "rows"}
    counted = from_tallies(
        {"model": LabelTally(tuple(read_texts(list(rebuilt.classes))), rebuilt.table)},
        Source(name, "matrix", roles, format=(rebuilt.kind,)),
        labels=asked.counting["labels"],
        positive=asked.counting["positive"],
    )
    notes, models = list(counted.notes), counted.models
    if rebuilt.rounding:
        notes.append(REPORT_ROUNDED.finding(file=name, rounding=rebuilt.rounding))
    if rebuilt.mistakes:
        notes.append(REPORT_MISTAKES.finding(file=name))
        models = tuple(replace(model, rule=_ARRANGED) for model in models)
    source = replace(counted.source, name=asked.name or name)
    counted = replace(counted, source=source, notes=tuple(notes), models=models)
    return Evaluation(counted, **asked.inference)


def _refusal_of(file: SmallFile, *, tables: bool) -> InputError | None:
    """Return the refusal of an object or a table of finished numbers; None for other input."""
    if isinstance(file.json, Mapping):
        flat: dict[str, str] = {}
        for key, value in file.json.items():
            inner = value.items() if isinstance(value, Mapping) else ((key, value),)
            flat |= {k: str(v) for k, v in inner if isinstance(v, int | float | str)}
        return refusal_of(list(flat), [list(flat.values())], file.name)
    if tables and file.separator is not None and file.tables:
        return refusal_of(*_headed(file.tables[0]), file.name)
    return None


def _headed(cells: Cells) -> tuple[list[str], Cells]:
    """Return the names of columns, none where the first line holds numbers alone, and the lines."""
    try:
        [float(cell) for cell in cells[0]]
    except ValueError:
        return cells[0], cells[1:]
    return [], cells
