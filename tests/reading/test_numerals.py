"""How numbers are written in a column of texts, and the numbers that they stand for."""

from __future__ import annotations

import math

import duckdb

from tallymark.reading.numerals import Writing, elements, form, likely, quoted, size_of, writing_of

FORMS = {
    "short": ["0", "7", "+12", "-999"],
    "whole": ["1000", "-0012", "5e3", "12E-4"],
    "dotted": ["1.250", "-12.345", "999.000"],
    "triple": ["1,250", "-12,345", "999,000"],
    "comma": ["0,5", ",25", "12,", "-1,25", "0,125", "1,5e-3"],
    "point": ["0.5", ".25", "12.", "0.125", "1.5e-3", "inf", "1.2345"],
    "thousands": ["1,234,567", "1,234.5", "1.234.567", "1.234,5", "1 234", "1'234", "1’234,5", "12 345.67"],
    "list": ["[0.2, 0.8]", "[]"],
    "other": ["high", "1-2", "0x1F", "--5", "1 2"],
}  # fmt: skip


def answer(sql, texts):
    """Return what SQL of a text ``v`` is for each text."""
    values = ", ".join(f"({i}, {quoted(t)})" for i, t in enumerate(texts))
    found = duckdb.sql(f"SELECT {sql} FROM (VALUES {values}) AS t(i, v) ORDER BY i").fetchall()
    return [value for (value,) in found]


def test_each_number_has_one_form_with_or_without_a_percent_sign():
    for name, texts in FORMS.items():
        assert answer(form("v"), texts) == [name] * len(texts), name
    percent = [f"{t}{sign}" for t in ("7", "12") for sign in ("%", " %", "\u00a0%")]
    assert answer(form("v"), percent) == ["short"] * 6
    assert answer(form("v"), ["it's"]) == ["other"]


def test_a_way_of_writing_reads_numbers_and_nothing_else():
    for writing, told, numbers in (
        (Writing(), (), [0.5, None, None, 7, None]),
        (Writing(comma=True), ("decimal comma",), [0.5, 0.25, None, 7, None]),
        (Writing(percent=True), ("percent",), [0.005, None, 0.125, 0.07, None]),
        (
            Writing(comma=True, percent=True),
            ("decimal comma", "percent"),
            [0.005, 0.0025, 0.125, 0.07, None],
        ),
    ):
        assert writing.notes == told
        assert answer(writing.number("v"), ["0.5", "0,25", "12.5 %", "7", "x"]) == numbers
    assert answer(likely("v"), ["0.5", "0,25", "12,5 %", "7", "x"]) == [0.5, 0.25, 0.125, 7, None]


SAME_WAY = "write all in the same way"
WAYS = [
    (["short"], [False], Writing()),
    (["short", "whole", "point"], [False], Writing()),
    (["dotted", "short"], [False], Writing()),
    (["dotted", "point"], [True], Writing(percent=True)),
    (["comma", "whole"], [False], Writing(comma=True)),
    (["comma", "triple", "short"], [False], Writing(comma=True)),
    (["comma"], [True], Writing(comma=True, percent=True)),
    (["comma", "point"], [False], f"among numbers with a decimal point; {SAME_WAY}"),
    (["comma", "dotted"], [False], f"among numbers with a decimal point; {SAME_WAY}"),
    (["triple", "point"], [False], f"among numbers with a decimal point; {SAME_WAY}"),
    (["triple", "short"], [False],
     "whose comma may be a decimal one or separate thousands; write a decimal point"),
    (["point"], [False, True], f"among numbers without a percent sign; {SAME_WAY}"),
    (["thousands", "point"], [False], "which separates thousands; write numbers without separators"),
    (["other", "thousands"], [False], "which is not a number; give numbers"),
    (["list", "other"], [False], "a list of numbers; give one number per row"),
]  # fmt: skip


def test_forms_that_occur_together_are_one_way_of_writing_or_ambiguous():
    for forms, percents, wanted in WAYS:
        found = writing_of([(f, p) for f in forms for p in percents])
        if isinstance(wanted, Writing):
            assert found == wanted, forms
            continue
        sql, why = found
        assert why == wanted
        texts = [*(FORMS[f][0] for f in forms), "12 %"]
        first = answer(sql, texts).index(True)
        if "percent" in wanted:
            assert texts[first] == "12 %"
        elif "decimal point;" in wanted:
            assert "," in texts[first]
        else:
            refused = next(f for f in ("list", "other", "thousands", "triple") if f in forms)
            assert forms[first] == refused


def test_elements_of_vectors_are_those_of_lists_and_of_texts():
    sql, kind = elements("v", "VARCHAR")
    assert kind == "VARCHAR"
    assert answer(sql, ["[0.2, 0.8]", "[0.2 0.8]", " [1,2,3] ", "0.5", "x"]) == [
        ["0.2", "0.8"], ["0.2", "0.8"], ["1", "2", "3"], None, None,
    ]  # fmt: skip
    assert elements("v", "DOUBLE[]") == ("v", "DOUBLE")
    assert elements("v", "DOUBLE[3]") == ("v", "DOUBLE")
    assert elements("v", "DOUBLE") is None
    assert elements("v", 'STRUCT("type" TINYINT, "values" DOUBLE[])')[1] == "DOUBLE"
    spark = elements("v", 'STRUCT("type" TINYINT, "values" DOUBLE[])')[0]
    rows = "(VALUES ({'type': 1, 'values': [0.5, 1.0]}), ({'type': 0, 'values': [2.0]})) AS t(v)"
    assert duckdb.sql(f"SELECT {spark} FROM {rows}").fetchall() == [([0.5, 1.0],), (None,)]
    sql, _ = elements("v", "JSON")
    rows = """(VALUES ('[1,2]'::JSON), ('{"type":1,"values":[3,4]}'::JSON)) AS t(v)"""
    assert duckdb.sql(f"SELECT {sql} FROM {rows}").fetchall() == [(["1", "2"],), (["3", "4"],)]


def test_texts_are_sorted_by_their_numbers_and_words_come_last():
    texts = ["none", "0,25", "93 %", "-1", " 2 ", "1e1"]
    assert sorted(texts, key=size_of) == ["-1", "0,25", " 2 ", "1e1", "93 %", "none"]
    assert [size_of(t) for t in texts] == [math.inf, 0.25, 93, -1, 2, 10]
