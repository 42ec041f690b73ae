"""Workbooks of Excel: read cell by cell, or refused in one sentence."""

from __future__ import annotations

import random
import tracemalloc
import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

import tallymark as tm
from judged import judged, refusal
from tallymark.errors import InputError
from tallymark.reading.files import open_file

ROWS = "label,score\nyes,0.9\nno,0.1\nyes,0.4\nno,0.2\n"
LOOKS = "which looks like a row, not like column names; give "
TABLE = [["label", "score"], ["yes", 0.93], ["no", 0.1], ["yes", 0.4], ["no", 0.2]]
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


def test_a_workbook(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"Charts": [], "Predictions": TABLE})
    assert judged(path) == (4, 1.0, ())
    assert open_file(path).kind == "Excel"
    table = [["label", "flag", "who"], [(0,), True, None], [(1,), False, "a"], [], [(0,), None, 7]]
    shared = "<si><t>y</t></si><si><r><t>n</t></r><r><t>o</t></r><rPh><t>spoken</t></rPh></si>"
    path = workbook(tmp_path / "u.xlsx", {"One": [[], [], *table]}, shared)
    (chunk,) = open_file(path).chunks(["label", "flag", "who"], [])
    found = {n: [(*c.labels, None)[k] for k in c.codes] for n, c in chunk.labels.items()}
    assert found["label"] == ["y", "no", "y"]
    assert found["flag"] == [True, False, None]
    assert found["who"] == [None, "a", "7"]


def test_dates_of_a_workbook_are_numbers(tmp_path):
    rows = "".join(
        f'<row r="{y}">{cell(f"A{y}", label)}<c r="B{y}" s="1"><v>{day}</v></c></row>'
        for y, (label, day) in enumerate([("yes", 45292), ("no", 45293)], 2)
    )
    head = f'<row r="1">{cell("A1", "label")}{cell("B1", "day")}</row>'
    sheet = f"<sheetData>{head}{rows}</sheetData>"
    path = workbook(tmp_path / "t.xlsm", {"One": []}, sheet1=sheet)
    (chunk,) = open_file(path).chunks(["label"], ["day"])
    assert chunk.numbers["day"].tolist() == [45292, 45293]


def test_lines_of_a_workbook_are_its_rows(tmp_path):
    rows = [[], [], ["label", "score"], [], ["yes", 1], ["no", 0, "why?"]]
    path = workbook(tmp_path / "t.xlsx", {"One": rows})
    assert "t.xlsx has 3 fields on line 6 and 2 in its header" in refusal(path)


def test_which_sheet(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"It's": TABLE, "Old": [*TABLE, ["no", 0]], "C": []})
    told = refusal(path)
    assert (
        "t.xlsx has 2 sheets with data, \"It's\", 'Old'; say which with options={'sheet': \"It's\"}"
        in told
    )
    assert judged(path, options={"sheet": "Old"})[0] == 5
    assert judged(path, options={"sheet": "It's"})[0] == 4
    assert "has no sheet 'Olf'; did you mean 'Old'?" in refusal(path, options={"sheet": "Olf"})
    assert "no sheet with data" in refusal(workbook(tmp_path / "u.xlsx", {"One": []}))


def test_titles_and_totals_of_a_sheet(tmp_path):
    rows = [["Study of lungs"], [], *TABLE, [], ["Total", 1.63]]
    told = (
        "1 title line above the header", "a final line of totals left out ('Total,1.63')",
    )  # fmt: skip
    path = workbook(tmp_path / "t.xlsx", {"Data": rows, "Notes": [["nothing"]]})
    assert judged(path) == (4, 1.0, told)


@pytest.mark.slow
def test_cells_far_apart_take_no_memory_between_them(tmp_path):
    def row(number, truth, score):
        cells = (f'<c r="{at}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
                 for at, value in (("A", truth), ("ALL", score)))  # fmt: skip
        return f'<row r="{number}">{"".join(cells)}</row>'

    far = row(1, "label", "score") + row(2, "yes", 0.9) + row(10_000, "no", 0.1)
    path = workbook(tmp_path / "t.xlsx", {"One": []}, sheet1=f"<sheetData>{far}</sheetData>")
    tracemalloc.start()
    open_file(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000  # 10,000 rows of 1,000 cells would take 80 MB
    assert judged(path, truth="label", score="score")[:2] == (2, 1.0)


def test_hostile_workbooks_are_one_sentence(tmp_path, write):
    far = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row>{}</sheetData>'
    cases = {
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>': "more than the limit of 10,000 columns",
        '<row r="99999999"><c r="A99999999"><v>1</v></c></row>': "is a damaged Excel workbook",
        '<row r="2"><c r="A2" t="s"><v>7</v></c></row>': "is a damaged Excel workbook",
        '<row r="1"><c r="1"><v>1</v></c></row>': "is a damaged Excel workbook",
        "<row": "is a damaged Excel workbook",
    }
    for rows, told in cases.items():
        path = workbook(tmp_path / "t.xlsx", {"One": []}, sheet1=far.format(rows))
        assert told in refusal(path), rows
    entities = '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><workbook>&b;</workbook>'
    path = workbook(tmp_path / "t.xlsx", {"One": TABLE}, workbook=entities)
    assert "is a damaged Excel workbook; save it again as .xlsx or CSV" in refusal(path)
    assert "is not an Excel workbook, or damaged" in refusal(write("u.xlsx", b"PK\3\4" + b"x" * 99))
    big = "".join(f'<row r="{i}"><c r="A{i}"><v>{"9" * 30_000}</v></c></row>' for i in range(1, 99))
    path = workbook(tmp_path / "t.xlsx", {"One": []}, sheet1=f"<sheetData>{big}</sheetData>")
    with pytest.raises(InputError, match=r"t.xlsx unpacks to more than 1 MB"):
        open_file(path, memory=1_000_000)


def test_a_workbook_without_header(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"One": TABLE[1:]})
    assert LOOKS in refusal(path)
    ev = tm.evaluate(
        path, options={"header": False}, truth="column0", score="column1", positive="yes"
    )
    assert (ev.rows, ev.source.format) == (4, ("no header",))


@pytest.mark.parametrize("shared", [False, True])
def test_a_cell_of_more_letters_than_excel_allows(tmp_path, shared):
    def path_of(letters):
        text = "x" * letters
        rows = [["label", "score", "note"], ["yes", 0.9, (0,) if shared else text], ["no", 0.1]]
        return workbook(tmp_path / "t.xlsx", {"One": rows}, f"<si><t>{text}</t></si>")

    assert judged(path_of(32_767))[:2] == (2, 1.0)
    told = "t.xlsx has a cell of more than 32,767 letters, more than Excel writes; leave out"
    assert told in refusal(path_of(32_768))


@pytest.mark.slow
def test_a_huge_cell_is_refused_before_it_is_built(tmp_path):
    text = "x" * 60_000_000
    path = workbook(tmp_path / "t.xlsx", {"One": [["label", "score"], [text, 1]]})
    del text
    tracemalloc.start()
    assert "has a cell of more than 32,767 letters" in refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.slow
def test_a_text_that_many_cells_share_counts_in_each(tmp_path):
    rows = [["label", "score"], *([[(0,), 1]] * 500)]
    path = workbook(tmp_path / "t.xlsx", {"One": rows}, f"<si><t>{'y' * 30_000}</t></si>")
    with pytest.raises(InputError, match="t.xlsx unpacks to more than 5 MB.*save the table as CSV"):
        open_file(path, memory=5_000_000)
    shared = "<si><t>y</t></si>" * 100_000
    path = workbook(tmp_path / "t.xlsx", {"One": [["label", "score"], [(0,), 1]]}, shared)
    with pytest.raises(InputError, match="t.xlsx unpacks to more than 5 MB"):
        open_file(path, memory=5_000_000)


def test_the_sheet_that_is_offered_has_usual_names(tmp_path):
    notes = [["Author", "Ann"], ["Date", "May"]]
    path = workbook(tmp_path / "t.xlsx", {"Readme": notes, "Data": TABLE})
    told = refusal(path)
    assert (
        "t.xlsx has 2 sheets with data, 'Data', 'Readme'; say which with options={'sheet': 'Data'}"
        in told
    )
    assert judged(path, options={"sheet": "Data"})[0] == 4


@pytest.mark.slow
def test_workbooks_changed_at_random_are_read_or_refused(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"One": TABLE * 5})
    whole, rng, refusals = path.read_bytes(), random.Random(1), []
    for _ in range(15):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            list(open_file(path).chunks(["label"], ["score"]))
        except InputError as error:
            refusals.append(str(error))
    assert refusals
    assert not any("\n" in text for text in refusals)


def test_numbers_that_are_texts_are_read_as_those_of_other_files(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"One": [["label", "score"], ["yes", "0,9"], ["no", 0]]})
    assert judged(path) == (2, 1.0, ("decimal comma",))


def test_the_columns_of_one_of_two_sheets(tmp_path):
    book = workbook(tmp_path / "t.xlsx", {"One": TABLE, "Two": [["y", "s"], [1, 0.9], [0, 0.2]]})
    assert tm.evaluate(book, options={"sheet": "Two"}, truth="y", score="s").rows == 2


def test_which_kinds_may_lack_a_header(write):
    assert "header is for CSV, Excel, binary Excel and OpenDocument files" in refusal(
        write("t.json", "[]"), options={"header": False}
    )


def test_comparisons_in_a_sheet(tmp_path):
    scores = [(1, 0.9), (0, 0.4), (1, 0.3), (0, 0.1), (1, 0.8), (0, 0.6)]
    rows = [["target" if y else "nontarget", s] for y, s in scores]
    sheet = workbook(tmp_path / "s.xlsx", {"Scores": rows})
    area = tm.metrics.roc_auc(*zip(*scores, strict=True))
    assert tm.verify(sheet)["roc_auc"] == area


def test_scores_without_a_header_in_one_of_several_sheets(tmp_path):
    pytest.importorskip("tallymark.parts.verification")
    scores = [[1, 0.9], [1, 0.8], [0, 0.1], [0, 0.85]]
    path = workbook(tmp_path / "t.xlsx", {"Other": TABLE, "Trials": scores})
    ev = tm.verify(path, sheet="Trials")
    assert (ev.rows, "no header" in " ".join(ev.source.format)) == (4, True)
    assert ev["roc_auc"].value == 0.75
