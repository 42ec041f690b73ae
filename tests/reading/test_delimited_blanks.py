"""Columns apart by blanks, and names of rows that the header lacks, as R and ``print`` write them."""

from __future__ import annotations

import pytest

import tallymark as tm
from judged import judged, refusal
from tallymark.reading.delimited import delimiter_of, line_of, numbers_in
from tallymark.reading.files import open_file

ROWS = [("yes", "0.9"), ("no", "0.1"), ("yes", "0.4"), ("no", "0.6")]
APART = ("columns apart by blanks",)
NAMED = ("names of rows, which the header lacks",)


def table(header, row, end="\n"):
    """Return a header above the rows, each put into a pattern."""
    rows = (row.format(i=i, k=i + 1, y=y, p=p) for i, (y, p) in enumerate(ROWS))
    return end.join([header, *rows]) + end


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("header", "row", "how"),
    [
        ('"label" "score"', '"{k}" "{y}" {p}', APART),
        ('"my label" "score"', '"a b {k}" "{y}" {p}', APART),
        ("label score", "{k} {y} {p}", APART),
        ("  label   score", "{i}   {y}   {p}", APART),
        ("label score", "{y} {p}", APART),
        ("id label score", "{k} {y} {p}", APART),
        ('"label"\t"score"', '"{k}"\t"{y}"\t{p}', NAMED),
        ('"label","score"', '"{k}","{y}",{p}', NAMED),
        ('"label";"score"', '"r{k}";"{y}";{p}', NAMED),
        ("label\tscore", "{k}\t{y}\t{p}", NAMED),
    ],
)
def test_tables_of_r_are_read(write, header, row, how, encoding, end):
    path = write("t.txt", table(header, row, end).encode(encoding))
    said = ("UTF-16",) if encoding == "utf-16" else ()
    rows, area, found = judged(path)
    assert (rows, area) == (4, 0.75)
    assert set(found) == {*how, *said}


def test_quotes_of_r_within_a_text(write):
    text = table('"label" "score"', '"{k}" "say \\"{y}\\"" {p}')
    assert tm.evaluate(write("t.txt", text), positive='say "yes"').rows == 4
    text = table('"label" "score"', '"{k}" "say ""{y}""" {p}')
    assert tm.evaluate(write("t.txt", text), positive='say "yes"').rows == 4


def test_decimal_commas_between_blanks(write):
    text = table("label score", "{y} {p}").replace("0.", "0,")
    assert judged(write("t.txt", text))[:2] == (4, 0.75)


@pytest.mark.slow
def test_blanks_without_header(write):
    text = table("", "{y} {p}").lstrip()
    told = refusal(write("t.txt", text))
    assert "begins with 'yes', '0.9', which looks like a row" in told
    assert judged(write("t.txt", text), options={"header": False})[0] == 4
    told = refusal(write("u.txt", "0 0.3\n1 0.6\n1 0.5\n"))
    assert "begins with '0', '0.3', which looks like a row" in told


def test_a_row_of_other_width_is_refused_with_its_line(write):
    text = "# a run\n" + table("label score", "{y} {p}") * 2
    text = text.replace("label score\nyes", "yes").replace("# a run\n", "# a run\nlabel score\n")
    told = refusal(write("t.txt", text + "yes 0.5 odd\n"))
    assert "t.txt separates its columns by blanks, and has 3 fields on line 11 and 2" in told
    assert judged(write("t.txt", text + "yes,0.5\n".replace(",", " ")))[0] == 9


@pytest.mark.parametrize(
    ("header", "row"),
    [("id label", "{k} {y} {p}"), ("label score", "{y} {y} {p}"), ("row_id label", "{i} {y} {p}")],
)
def test_a_name_that_lacks_may_be_the_last_one(write, header, row):
    """Its columns would be shifted by one, without a word."""
    told = refusal(write("t.txt", table(header, row)))
    assert "t.txt has 2 names on line 1 and 3 fields below them; name every column" in told


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("id,label", "{k},{y},{p}"),
        ('"id","label"', '"{k}","{y}","{p}"'),
        ("case,label", "{k},{y},{p}"),
        ("label,score", "c{k},{y},{p}"),
    ],
)
def test_a_field_too_many_is_no_name_of_a_row(write, header, row):
    told = refusal(write("t.csv", table(header, row)))
    assert "t.csv has 3 fields on line 2 and 2 in its header; correct that line" in told


def test_a_comma_at_the_end_of_rows_shifts_nothing(write):
    assert judged(write("t.csv", table("label,score", "{y},{p},"))) == (4, 0.75, ())


@pytest.mark.parametrize("sep", [" ", "\t", ","])
def test_names_of_rows_show_that_the_first_line_is_a_header(write, sep):
    lines = [["", '"1"', '"2"'], ['"1"', "90", "10"], ['"2"', "30", "170"]]
    text = "\n".join(sep.join(filter(None, line)) for line in lines)
    assert open_file(write("t.txt", text), named=()).columns == ("row", "1", "2")


def test_one_row_below_a_header_is_enough_to_see_blanks(write):
    assert open_file(write("t.txt", "label score\nyes 0.9\n"), named=()).columns == (
        "label",
        "score",
    )


def test_the_delimiter_is_the_most_frequent_one_outside_quotes_and_decimals():
    for line, found in (
        ("a,b,c", ","), ("a;b;c", ";"), ("a\tb", "\t"), ("a|b", "|"), ("a", ","),
        ('"a;b;c",d', ","), ("1,5;2,5", ";"), ("1,5", ","), ("a,b;c", ","), ("a,b;c;d", ";"),
    ):  # fmt: skip
        assert delimiter_of(line) == found, line
    assert numbers_in(["1", "a", "-2.5", "1,5", "3e-4", "5 %", ".5", "1.", "x1", ""]) == [
        "1", "-2.5", "1,5", "3e-4", "5 %", ".5", "1.",
    ]  # fmt: skip


def test_a_record_begins_on_the_line_below_all_lines_of_those_above(write):
    path = write("t.csv", 'a,b\n1,"x\ny"\n2,z\n\n3,z\n')
    assert [line_of(path, ",", record) for record in (1, 2, 3, 4, 5)] == [1, 2, 4, 5, 6]
    assert line_of(path, ",", 99) == 7
