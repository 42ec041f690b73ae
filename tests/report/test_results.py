"""Single results in whole: the line of each at the prompt, its table and its warning."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallymark as tm
from judged import counted
from tallymark.findings.rules import Rule
from tallymark.infer.cautions import NoInformation
from tallymark.infer.difference import Difference
from tallymark.infer.operating_points import Corrected, OptimalThreshold
from tallymark.infer.significance import Evidence
from tallymark.listing import Listing
from tallymark.metric.measure import Value
from tallymark.report.subjects import matrices, values
from tallymark.report.subjects.grids import errata
from tallymark.report.subjects.summary import best_of, out_of, rows_of, whole
from tallymark.report.terminal import as_text
from tallymark.tables import PaperTable, SubgroupTable, Table

NAN = math.nan
F1 = Value("f1", 0.75, 0.5, 0.875, level=0.8, method="Wilson")
KAPPA = Value("cohen_kappa", 0.5, 0.25, 0.75, level=0.9, se=0.125, method="delta")
LOST = Value("f1", NAN, reason="no row is positive")
LEAD = Difference("f1", 0.75, 0.5, 0.125, 0.375, 0.8, "jackknife", 0.0312)

PROMPTS = [
    (F1, "<Value: f1 0.75 (80 % CI 0.50 to 0.88)>"),
    (KAPPA, "<Value: cohen_kappa 0.50 (90 % CI 0.25 to 0.75), SE 0.12>"),
    (LOST, "<Value: f1 undefined (no row is positive)>"),
    (LEAD, "<Difference: f1 +0.25 (80 % CI +0.12 to +0.38)>"),
    (Evidence("McNemar", 0.03, 4.5, 1), "<Evidence: McNemar 4.500 with 1 degree of freedom: p = 0.03>"),
    (
        Evidence("F test", 0.00001, 4.5, 2, denominator_degrees=17.25),
        "<Evidence: F test 4.500 with 2 and 17.25 degrees of freedom: p < 0.0001>",
    ),
    (Evidence("count", 0.25, p_at_most=True), "<Evidence: count: p ≤ 0.25>"),
    (Evidence("count", NAN, reason="no row"), "<Evidence: count: no result, no row>"),
    (
        NoInformation("well", 0.9, {"a": 0.03, "b": None}),
        "<NoInformation: accuracy 0.900 by always saying 'well'>",
    ),
    (
        Rule("code", "warning", "When.", "few rows", "; collect more").finding(),
        "<Finding: warning: few rows; collect more>",
    ),
]  # fmt: skip


def test_each_result_is_one_line_at_the_prompt():
    for result, line in PROMPTS:
        assert repr(result) == line


def markdown(result):
    return result.to_markdown().splitlines()


TABLES = [
    (F1, ["| metric | value | 80 % interval | method |", "|:---|---:|---:|:---|",
          "| f1 | 0.75 | 0.50 to 0.88 | Wilson |"]),
    (KAPPA, ["| metric | value | 90 % interval | standard error | method |",
             "|:---|---:|---:|---:|:---|",
             r"| cohen\_kappa | 0.50 | 0.25 to 0.75 | 0.1250 | delta |"]),
    (LOST, ["| metric | value | interval | method |", "|:---|---:|---:|:---|",
            "| f1 | undefined |  | no row is positive |"]),
    (Value("log_loss", math.inf, method="x"), [
        "| metric | value | interval | method |", "|:---|---:|---:|:---|",
        r"| log\_loss | ∞ |  | a row's true class was given probability 0 |"]),
    (Value("f1", 0.5, warning="few rows"), [
        "| metric | value | interval | method |", "|:---|---:|---:|:---|", "| f1 | 0.500 |  |  |",
        "", "**warning: few rows**"]),
    (LEAD, ["| metric | first | second | difference | 80 % interval | p | method |",
            "|:---|---:|---:|---:|---:|---:|:---|",
            "| f1 | 0.750 | 0.500 | +0.25 | +0.12 to +0.38 | 0.0312 | jackknife |"]),
    (Difference("f1", 0.5, 0.75, p_value=0.25, p_at_most=True, reason="why"), [
        "| metric | first | second | difference | interval | p | method |",
        "|:---|---:|---:|---:|---:|---:|:---|", "| f1 | 0.500 | 0.750 | −0.250 |  | ≤ 0.25 | why |"]),
    (Evidence("F test", 0.25, 4.5, 2, denominator_degrees=17.25, reason="rough"), [
        "| test | statistic | degrees of freedom | of the denominator | p |",
        "|:---|---:|---:|---:|---:|", "| F test | 4.5 | 2 | 17.25 | 0.25 |", "",
        "**warning: rough**"]),
    (Evidence("count", 0.25), [
        "| test | statistic | degrees of freedom | of the denominator | p |",
        "|:---|---:|---:|---:|---:|", "| count | - | - | - | 0.25 |"]),
    (NoInformation("well", 0.9, {"a": 0.03, "b": None}), [
        "no-information rate 0.900 (always saying 'well')", "",
        "| model | p, accuracy above it |", "|:---|---:|", "| a | 0.03 |"]),
    (NoInformation("well", 0.9, {"a": None}), ["no-information rate 0.900 (always saying 'well')"]),
]  # fmt: skip


def test_each_result_is_a_table_with_its_warning():
    for result, lines in TABLES:
        assert markdown(result) == lines


def test_a_standard_error_is_shown_of_what_is_published_with_one():
    assert values.published_error(KAPPA)
    assert not values.published_error(Value("cohen_kappa", 0.5))
    assert not values.published_error(Value("f1", 0.5, se=0.1))
    assert not values.published_error(Value("my_metric", 0.5, se=0.1))


def test_fields_of_a_result_are_shown_in_short_form():
    for value, shown in (
        (np.zeros((2, 3)), "2×3 numbers"), (np.array([0.25]), "0.25"), (np.array(0.5), "0.5"),
        (np.zeros(0), "-"), (NAN, "-"), (1234567.0, "1.23457e+06"), (F1, "Value"),
        ({"a": 1}, "1 entries"), ((1, 2.5, "x"), "1, 2.5, x"), (list(range(6)), "0, 1, 2, 3, 4, 5"),
        (list(range(7)), "0, 1, 2, 3, 4, 5 and 1 more"), (1234, "1,234"), (True, "True"),
        (None, "None"), ("text", "text"),
    ):  # fmt: skip
        assert values.plain(value) == shown


def test_ends_of_intervals_leave_out_what_is_not_finite():
    assert values.ends_of([F1, KAPPA, LOST]) == (0.25, 0.875)
    assert values.ends_of([Value("f1", 1, 0.5, math.inf)]) == (0.5, 0.5)
    assert values.ends_of([LOST]) is None
    assert [b.text for b in values.more(3, "rows")] == ["and 3 more rows"]
    assert list(values.more(0, "rows")) == []


def test_cells_of_values_say_what_is_missing():
    shown = [values.Shown(v) for v in (
        F1, None, LOST, Value("f1", 0.5, method="no interval: one row"),
    )]  # fmt: skip
    full, brief = (values.value_cells([shown], brief=b)[0] for b in (False, True))
    assert [(c.text, c.under) for c in full] == [
        ("0.75", "0.50 to 0.88"), ("–", ""), ("undefined", ""), ("0.500", ""),
    ]  # fmt: skip
    notes = ["", "not computed for this model", "no row is positive"]
    assert [c.note for c in full] == [*notes, "no interval: one row"]
    assert [c.note for c in brief] == [*notes, "no interval"]
    (best,) = values.value_cells([[values.Shown(F1, "k", best=True, scale=(0, 2))]])[0]
    assert (best.mark, best.style, best.key) == ("*", "best", "k")
    i = best.interval
    assert (i.value, i.low, i.high, i.least, i.most) == (0.75, 0.5, 0.875, 0, 2)
    plain = values.value_cell(F1, key="q")
    assert (plain.mark, plain.style, plain.key, plain.interval) == ("", "", "q", None)


# -- tables ------------------------------------------------------------------------------------


def row(model, metric, value, low=NAN, high=NAN, method=None, reason=None, **more):
    return {"model": model, **more, "metric": metric, "value": value, "low": low, "high": high,
            "method": method, "reason": reason}  # fmt: skip


def test_a_table_has_a_row_a_model_and_metric():
    t = Table((row("a", "f1", 0.75, 0.5, 1.0, "Wilson"), row("b", "f1", NAN, reason="no row")))
    assert repr(t) == "<Table: 2 rows of a, b: f1 0.75>"
    assert markdown(t) == [
        "| model | metric | value | low | high | method |", "|:---|:---|---:|---:|---:|:---|",
        "| a | f1 | 0.75 | 0.50 | 1.00 | Wilson |", "| b | f1 | undefined |  |  | no row |",
    ]  # fmt: skip
    by_class = Table((row("a", "f1", 0.75, **{"class": "x"}),))
    assert markdown(by_class)[0] == "| model | class | metric | value | low | high | method |"
    assert repr(Table(())) == "<Table: 0 rows of>"


def test_a_table_of_subgroups_marks_few_rows():
    lines = ({"site": None, "ward": 3, "rows": 1200, **row("", "f1", 0.75), "small": False},
             {"site": "n", "ward": 4, "rows": 7, **row("", "f1", 0.5, method="x"), "small": True})  # fmt: skip
    t = SubgroupTable(
        tuple({k: v for k, v in r.items() if k != "model"} for r in lines), ("site", "ward")
    )
    assert repr(t) == "<SubgroupTable: 2 rows by site, ward: f1 0.750>"
    assert markdown(t) == [
        "| site | ward | rows | metric | value | low | high | method |",
        "|:---|:---|---:|:---|---:|---:|---:|:---|",
        "| (missing) | 3 | 1,200 | f1 | 0.750 |  |  |  |",
        "| n | 4 | 7 | f1 | 0.500 |  |  | x (few rows) |",
    ]  # fmt: skip


def test_a_listing_has_the_digits_of_its_columns():
    rows = Listing((
        {"name": "a", "threshold": 0.123456, "level": 0.95, "p_value": 0.00001, "TP": 12.0,
         "value": 0.123456, "low": NAN, "n": 1200, "flag": True, "none": None, "other": NAN,
         "counts": 1.5},
        {"name": None, "threshold": None, "p_value": 0.03, "TP": 1234.0, "value": 1.0, "n": 3,
         "more": "x"},
    ))  # fmt: skip
    assert markdown(rows) == [
        r"| name | threshold | level | p\_value | TP | value | low | n | flag | other | counts | more |",
        "|:---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|:---|",
        r"| a | 0.1235 | 0.95 | \< 0.0001 | 12 | 0.123 |  | 1,200 | True | undefined | 1.5 |  |",
        "|  |  |  | 0.03 | 1,234 | 1.000 |  | 3 |  |  |  | x |",
    ]
    assert repr(rows).startswith("<Listing: 2 rows of name, threshold, level")
    many = Listing(tuple({"n": i} for i in range(402)))
    shown = str(many).splitlines()
    assert shown[0].split() == ["n"]
    assert len(shown) == 402
    assert shown[-1] == "and 2 more rows: .to_csv() has all of them"
    assert len(str(Listing(tuple({"n": i} for i in range(400)))).splitlines()) == 401


def test_formulas_that_are_misprinted_stand_beside_the_right_ones():
    rows = Listing(({"metric": "F1", "as_printed": 0.25, "right": 0.5, "source": "Somebody 2000",
                     "printed": "TP / n", "wrong": "It lacks a factor."},))  # fmt: skip
    assert as_text(errata(rows)).splitlines() == [
        "Formulas that a source prints wrongly", "F1 is 0.500; as printed 0.250",
        "  Somebody 2000: TP / n", "  It lacks a factor.",
    ]  # fmt: skip
    paper = PaperTable(({"Model": "a", "F1": "0.5"}, {"Model": "b", "F1": "0.6"}), "What it is.")
    assert repr(paper) == "<PaperTable: 2 models: a, b>"
    assert markdown(paper) == [
        "| Model | F1 |", "|:---|---:|", "| a | 0.5 |", "| b | 0.6 |", "", "What it is.",
    ]  # fmt: skip


# -- matrices ----------------------------------------------------------------------------------


def test_a_matrix_of_counts_prints_rows_of_true_classes():
    t = tm.LabelTally(("no", "yes"), [[1200, 30], [4, 56]])
    assert repr(t) == "<LabelTally: 1,290 rows, 2 classes, 1,256 of 1,290 right>"
    assert str(t).splitlines() == [
        "1,290 rows; rows of the matrix are the true classes",
        "true     no  yes", "no    1,200   30", "yes       4   56",
    ]  # fmt: skip
    matrix = tm.evaluate(t, positive="yes").confusion_matrix()
    assert repr(matrix) == "<ConfusionMatrix: 2 classes, 1,256 of 1,290 right>"
    assert markdown(matrix)[0] == "| true | no | yes |"


def model_of(k, matrix=None):
    matrix = 5 * np.eye(k, dtype=int) if matrix is None else matrix
    return counted(matrix, classes=[f"c{i:02d}" for i in range(k)]).models[0]


def test_a_matrix_of_many_classes_lists_the_worst_confusions():
    assert as_text(matrices.matrix_of_model(model_of(12), None)).splitlines()[1:3] == [
        "rows: true class, columns: predicted class",
        "  true  c00  c01  c02  c03  c04  c05  c06  c07  c08  c09  c10  c11",
    ]
    lines = as_text(matrices.matrix_of_model(model_of(13), None)).splitlines()
    assert lines[1:] == ["  13 classes are too many to print here; 65 of 65 right"]
    matrix = 5 * np.eye(13, dtype=int)
    for i in range(9):
        matrix[i, i + 1] = 20 - i
    matrix[12, 0] = 20
    lines = as_text(matrices.matrix_of_model(model_of(13, matrix), None)).splitlines()
    assert lines[1:4] == [
        f"  13 classes are too many to print here; 65 of {matrix.sum()} right, and most often confused are:",
        "    'c00' called 'c01': 20", "    'c12' called 'c00': 20",
    ]  # fmt: skip
    assert len(lines) == 2 + 8
    assert lines[-1] == "    'c06' called 'c07': 14"


def test_shades_of_a_matrix_are_fifths_of_a_row():
    matrix = [[81, 19, 0], [20, 80, 0], [0, 0, 0]]
    model = counted(matrix, classes=["a", "b", "c"]).models[0]
    grid = matrices.shaded_matrix(model, None, 3)
    assert grid.heads == ("true ↓ \npredicted →", "a", "b", "c", "rows")
    assert [[(c.text, c.under, c.style) for c in row[1:]] for row in grid.rows] == [
        [("81", "81.0 %", "g5"), ("19", "19.0 %", "b1"), ("0", "0.0 %", ""), ("100", "", "dim")],
        [("20", "20.0 %", "b1"), ("80", "80.0 %", "g4"), ("0", "0.0 %", ""), ("100", "", "dim")],
        [("0", "", ""), ("0", "", ""), ("0", "", ""), ("0", "", "dim")],
    ]
    assert [c.key for c in grid.rows[1][1:]] == [
        *(f"models.3.tally.counts.1.{j}" for j in range(3)),
        "",
    ]
    assert grid.caption.endswith(". Rows are the true classes, shares are of the row.")
    assert (grid.look, grid.title) == ("matrix", "model")
    bare = matrices.bare_matrix(model, None, 3)
    assert bare.heads == grid.heads[:-1]
    assert [len(row) for row in bare.rows] == [4, 4, 4]
    assert bare.caption == model.rule


@pytest.mark.parametrize(("k", "look"), [(12, "matrix"), (13, "matrix wide"), (30, "matrix wide")])
def test_a_wide_matrix_has_no_shares(k, look):
    grid = matrices.shaded_matrix(model_of(k), None)
    assert grid.look == look
    wide = look != "matrix"
    assert grid.rows[0][1].under == ("" if wide else "100.0 %")
    assert ("the darker the larger its share of the row." in grid.caption) == wide


def test_a_matrix_of_too_many_classes_is_a_sentence():
    said = matrices.shaded_matrix(model_of(31), None)
    assert said.text == (
        "model has 31 classes: too many for a table to be read. The JSON holds the matrix."
    )
    assert matrices.bare_matrix(model_of(31), None, 0) == said


def test_cells_of_a_drawn_matrix_show_counts_and_shares():
    ev = counted([[3, 1], [0, 4]], classes=("no", "yes"), positive="yes")
    drawn = matrices.confusion(ev)
    assert (drawn.names, drawn.shares.tolist()) == (["yes", "no"], [[1, 0], [0.25, 0.75]])
    assert drawn.texts == [["4\n100 %", "0\n0 %"], ["1\n25 %", "3\n75 %"]]
    for k, written in ((15, 15), (16, 0)):
        tally = tm.LabelTally([f"c{i:02d}" for i in range(k)], np.eye(k, dtype=int))
        assert len(matrices.confusion(tally).texts) == written


# -- thresholds and shares ---------------------------------------------------------------------


def test_a_threshold_says_how_many_others_are_as_good():
    new = Value("f1", 0.5, 0.25, 0.75, level=0.8)
    best = Corrected("f1", 0.625, new)
    limit = Corrected("precision", 0.875, Value("precision", 0.75, reason=None, warning="few rows"))
    for thresholds, more in (
        ((0.5,), ""), ((0.5, 0.6), ", and 1 other as good"), ((0.5, 0.6, 0.7), ", and 2 others as good"),
    ):  # fmt: skip
        found = OptimalThreshold(0.5, thresholds, best, (limit,))
        assert str(found).splitlines() == [
            f"scores at or above 0.5{more}",
            "  F1: 0.62 on these rows, 0.50 expected on new rows (80 % CI 0.25 to 0.75)",
            "  Precision: 0.875 on these rows, 0.750 expected on new rows",
            "warning: few rows",
            "  The limit holds on these rows. No threshold that keeps the limit on new rows with",
            "    confidence is known.",
        ]
        assert repr(found) == "<OptimalThreshold: f1 0.62 at 0.5>"
    assert str(OptimalThreshold(NAN, (), best, ())) == "no threshold keeps these limits"
    assert markdown(best) == [
        "| metric | these rows | new rows | 80 % interval |", "|:---|---:|---:|---:|",
        "| f1 | 0.62 | 0.50 | 0.25 to 0.75 |",
    ]  # fmt: skip


def test_shares_are_told_in_whole_numbers():
    for share, shown in (
        (0.0, "0 of 100"), (1.0, "100 of 100"), (0.0051, "1 of 100"), (0.0049, "5 of 1,000"),
        (0.994, "99 of 100"), (0.996, "996 of 1,000"), (0.00049, "5 of 10,000"),
        (0.9996, "9,996 of 10,000"), (0.00001, "0 of 10,000"),
    ):  # fmt: skip
        assert out_of(share) == shown
    assert whole(0.5) == (50, 100)
    ev = tm.evaluate([0, 1], [0, 1])
    assert [rows_of(ev, label, "positive") for label in ("ill", 1, "1", "-1", None, "-")] == [
        "ill rows", "positive rows", "positive rows", "positive rows", "positive rows", "- rows",
    ]  # fmt: skip


def test_the_best_is_unlike_the_others_and_of_the_better_side():
    three = [Value("x", v) for v in (0.25, 0.75, 0.75)]
    assert best_of(three, "high") == {1, 2}
    assert best_of(three, "low") == {0}
    assert best_of(three, "neither") == set()
    assert best_of(three[1:], "high") == set()
    assert best_of([*three, Value("x", NAN)], "low") == {0}
