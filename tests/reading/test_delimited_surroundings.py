"""What stands around the table in a text file is left out and said; totals are no class."""

from __future__ import annotations

import gzip
import tempfile

import pytest

import tallymark as tm
from tallymark.errors import InputError
from tallymark.reading.files import open_file

ROWS = "id,label,pred\n1,no,no\n2,yes,yes\n3,yes,no\n4,no,no\n"
TOTAL = "a final line of totals left out"


def judged(path):
    ev = tm.evaluate(path, positive="yes")
    return ev.rows, ev["accuracy"].value, ev.source.format


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sep=,\n" + ROWS, ("a line `sep=` above the header",)),
        ("sep=;\n" + ROWS.replace(",", ";"), ("a line `sep=` above the header",)),
        ("# model: a\n# of, May\n" + ROWS, ("2 comment lines above the header",)),
        ("# model: a\n" + ROWS + "# end\n", ("1 comment line above the header",)),
        ("Trial 12,,\n" + ROWS, ("1 title line above the header",)),
        ("Trial 12\r\nMay\r\n\r\n" + ROWS, ("2 title lines above the header",)),
        (ROWS + "Total,2,1\n", (f"{TOTAL} ('Total,2,1')",)),
        (ROWS + "\nSumme,,1\n", (f"{TOTAL} ('Summe,,1')",)),
        (ROWS + ",2,Gesamt\n", (f"{TOTAL} (',2,Gesamt')",)),
    ],
)
def test_what_stands_around_a_table_is_left_out_and_said(write, text, told):
    assert judged(write("t.csv", text)) == (4, 0.75, told)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_titles_in_any_encoding(write, encoding):
    text = "Klinik Süd;;\n" + ROWS.replace(",", ";")
    rows, accuracy, told = judged(write("t.csv", text.encode(encoding)))
    assert (rows, accuracy) == (4, 0.75)
    assert "1 title line above the header" in told


def test_a_class_called_total_is_a_class(write):
    path = write("t.csv", "label,pred\npart,part\ntotal,part\npart,part\ntotal,total\n")
    assert tm.evaluate(path, positive="total").rows == 4


def test_a_header_may_begin_with_a_hash(write):
    path = write("t.csv", ROWS.replace("id", "#id"))
    assert judged(path) == (4, 0.75, ())


def test_a_name_of_two_lines_is_no_title(write):
    path = write("t.csv", '"the\nlabel",pred\nyes,yes\nno,yes\nyes,no\n')
    assert tm.evaluate(path, positive="yes").source._roles["truth"] == "the\nlabel"


def test_lines_keep_their_numbers_below_a_title(write):
    path = write("t.csv", "Trial 12\n" + ROWS + "5,no\n")
    with pytest.raises(InputError, match="2 fields on line 7 and 3 in its header"):
        tm.evaluate(path)


def test_a_copy_takes_the_place_of_what_was_unpacked(tmp_path, monkeypatch):
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"# model: a\n" + ROWS.encode() * 100))
    table = open_file(path)
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    assert sizes == [100 * len(ROWS)]
    table.close()
