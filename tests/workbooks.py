"""Excel workbooks as Excel writes them, without a library."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINKED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def cell(place: str, value) -> str:
    """Return a cell: a number, a truth value, a text, or the number of a shared text."""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    if isinstance(value, tuple):
        return f'<c r="{place}" t="s"><v>{value[0]}</v></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def workbook(path: Path, sheets: dict[str, list], shared: str = "", **parts: str) -> Path:
    """Write sheets of rows as Excel does."""
    names, links = "", ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i, (name, rows) in enumerate(sheets.items(), 1):
            names += f'<sheet name={quoteattr(name)} sheetId="{i}" r:id="rId{i}"/>'
            links += f'<Relationship Id="rId{i}" Target="worksheets/sheet{i}.xml"/>'
            data = "".join(
                f'<row r="{y}">' + "".join(
                    cell(f"{'ABCDEFG'[x]}{y}", v) for x, v in enumerate(row) if v is not None
                ) + "</row>"
                for y, row in enumerate(rows, 1)
            )  # fmt: skip
            sheet = parts.get(f"sheet{i}", f"<sheetData>{data}</sheetData>")
            archive.writestr(
                f"xl/worksheets/sheet{i}.xml", f"<worksheet {MAIN}>{sheet}</worksheet>"
            )
        book = f'<workbook {MAIN} xmlns:r="{LINKED}"><sheets>{names}</sheets></workbook>'
        archive.writestr("xl/workbook.xml", parts.get("workbook", book))
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{links}</Relationships>")
        if shared:
            archive.writestr("xl/sharedStrings.xml", f"<sst {MAIN}>{shared}</sst>")
    return path
