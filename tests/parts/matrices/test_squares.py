"""Which side of a matrix is the truth, which names are of one class, and what are its sums."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.parts.matrices.squares import (
    FOUR_COUNTS,
    Square,
    as_tally,
    axes_of,
    from_square,
    is_total,
    matrix_of,
    same_names,
    settled,
    side_of,
)

CELLS = np.array([[31.0, 5, 2], [7, 18, 4], [1, 9, 23]])
TWO = np.array([[71.0, 29], [18, 82]])
NAMES = ("ash", "beech", "oak")

SIDES = {
    "truth": ["Actual", "y_true", "Reference:", "gold standard", "ground truth", "ground-truth",
              "GT", "y test", "test label", "Référence", "Tatsächliche", "disease", "Ist: wahr"],
    "prediction": ["Predicted class", "y_pred", "yhat", "PREDS", "test", "Test result", "index test",
                   "prédit", "Vorhersage", "forecast", "screening"],
    None: ["cat", "", "true or predicted", "testing", "trueness", "y", "label", "the test"],
}  # fmt: skip


def test_words_say_which_side_a_name_is_of():
    for side, names in SIDES.items():
        assert {name: side_of(name) for name in names} == dict.fromkeys(names, side)


def test_a_corner_names_rows_and_columns():
    for corner, axes in {
        "true/pred": ("true", "pred"), "pred | true": ("pred", "true"), "actual": ("actual", ""),
        "actual vs. predicted": ("actual", "predicted"), "pred \\ true": ("pred", "true"),
        "predicted → / actual ↓": ("actual ↓", "predicted →"), "Predicted →": ("", "Predicted →"),
        "actual ↓ / predicted →": ("actual ↓", "predicted →"), "actual ↓": ("actual ↓", ""),
        "label_prediction": ("label", "prediction"), "prediction_label": ("prediction", "label"),
        "y_true_y_pred": ("y_true", "y_pred"), "a/b": ("a/b", ""), "": ("", ""),
    }.items():  # fmt: skip
        found = axes_of(corner)
        assert tuple(part.strip() for part in found) == axes, corner


def read(square, **options):
    m = settled(square, "m.csv", **options)
    return m and (m.counts.astype(int).tolist(), m.labels, m.said, m.left_out)


ACROSS, DOWN = CELLS.T.astype(int).tolist(), CELLS.astype(int).tolist()
ASSUMED = "rows = true classes (assumed; rows_are='prediction' turns it)"


def test_what_says_what_the_rows_are():
    def of(prefix, names=NAMES):
        return tuple(f"{prefix}{n}" for n in names)

    by_names = "(by the names of rows and columns)"
    for square, counts, said in (
        (Square(CELLS, NAMES, NAMES), DOWN, ASSUMED),
        (Square(CELLS, NAMES, NAMES, ("actual", "")), DOWN, "rows = true classes (named `actual`)"),
        (Square(CELLS, NAMES, NAMES, ("pred", "")), ACROSS,
         "rows = predicted classes (named `pred`)"),
        (Square(CELLS, NAMES, NAMES, ("", "pred")), DOWN, "rows = true classes (named `pred`)"),
        (Square(CELLS, NAMES, NAMES, ("", "actual")), ACROSS,
         "rows = predicted classes (named `actual`)"),
        (Square(CELLS, NAMES, NAMES, ("pred", "actual")), ACROSS,
         "rows = predicted classes (named `pred` and `actual`)"),
        (Square(CELLS, NAMES, NAMES, ("tree", "pred")), DOWN, "rows = true classes (named `pred`)"),
        (Square(CELLS, of("true_"), of("pred_")), DOWN, f"rows = true classes {by_names}"),
        (Square(CELLS, of("pred_"), of("true_")), ACROSS, f"rows = predicted classes {by_names}"),
        (Square(CELLS, of("pred "), NAMES), ACROSS, f"rows = predicted classes {by_names}"),
        (Square(CELLS, NAMES, of("pred: ")), DOWN, f"rows = true classes {by_names}"),
        (Square(CELLS, NAMES, NAMES, rows_are="truth"), DOWN,
         "rows = true classes (as this form has them)"),
        (Square(CELLS, NAMES, NAMES, rows_are="prediction"), ACROSS,
         "rows = predicted classes (as this form has them)"),
    ):  # fmt: skip
        assert read(square) == (counts, NAMES, said, ()), square
        for rows_are, wanted, what in (
            ("truth", DOWN, "true"),
            ("prediction", ACROSS, "predicted"),
        ):
            told = f"rows = {what} classes (as you say)"
            assert read(square, rows_are=rows_are) == (wanted, NAMES, told, ())
    assert read(Square(CELLS)) == (DOWN, None, ASSUMED, ())
    assert read(Square(CELLS, NAMES, None)) == (DOWN, NAMES, ASSUMED, ())
    assert read(Square(CELLS, None, NAMES)) == (DOWN, NAMES, ASSUMED, ())
    assert read(Square(CELLS[:2], NAMES[:2], NAMES)) is None
    assert read(Square(CELLS[:1, :1])) is None
    assert read(Square(CELLS, NAMES, ("ash", "beech", "elm"))) is None
    assert read(Square(CELLS, ("ash", "ash", "oak"), NAMES)) is None


def test_columns_come_in_the_order_of_the_rows():
    order = [2, 0, 1]
    columns = tuple(NAMES[k] for k in order)
    assert read(Square(CELLS[:, order], NAMES, columns)) == (DOWN, NAMES, ASSUMED, ())
    upper = tuple(f" {NAMES[k].upper()} " for k in order)
    assert read(Square(CELLS[:, order], NAMES, upper))[:2] == (DOWN, NAMES)
    # Where the columns are the truth, classes are called as there.
    found = read(Square(CELLS[:, order], NAMES, upper, ("", "actual")))
    assert found[:2] == (ACROSS, (" ASH ", " BEECH ", " OAK "))
    numbers = read(Square(CELLS, ("pred 1", "pred 2", "pred 3"), ("1", "2", "3")))
    assert numbers[:2] == (ACROSS, (1, 2, 3))


def test_words_of_two_sides_that_mean_the_same():
    rows, columns = ("disease", "healthy"), ("negative", "positive")
    square = Square(TWO, rows, columns, ("", "test"))
    counts = [[29, 71], [82, 18]]
    assert read(square) == (counts, rows, "rows = true classes (named `test`)", ())
    assert read(Square(TWO, rows, columns[::-1], ("", "test")))[0] == [[71, 29], [18, 82]]
    with pytest.raises(tm.InputError) as refused:
        settled(Square(TWO, rows, columns), "m.csv")
    assert str(refused.value) == (
        "m.csv has the rows 'disease', 'healthy' and the columns 'positive', 'negative', and "
        "nothing says which of them are the true classes; say rows_are='prediction' if the columns "
        "are, or rows_are='truth' if the rows are"
    )
    assert read(Square(TWO, ("1", "2"), ("yes", "no"))) is None


def with_sums(name="Total", last=True):
    counts = np.zeros((4, 4))
    counts[:3, :3] = CELLS
    counts[3], counts[:, 3] = counts.sum(0), counts.sum(1)
    counts[3, 3] = CELLS.sum()
    names = (*NAMES, name)
    if last:
        return Square(counts, names, names)
    order = [3, 0, 1, 2]
    return Square(counts[np.ix_(order, order)], *[tuple(names[k] for k in order)] * 2)


def test_sums_are_left_out_whatever_they_are_called_and_wherever_they_stand():
    for name in ("Total", "total:", " ALL ", "Sum", "All"):
        assert is_total(name)
        for last in (True, False):
            assert read(with_sums(name, last)) == (DOWN, NAMES, ASSUMED, (name,)), name
    assert not is_total("Totally")
    unnamed = "sums in the last row and column"
    assert read(with_sums("elm")) == (DOWN, NAMES, ASSUMED, (unnamed,))
    assert read(
        with_sums("elm"),
    ) != read(with_sums("elm"), labels=(*NAMES, "elm"))
    assert read(with_sums("elm"), labels=(*NAMES, "elm"))[1] == (*NAMES, "elm")
    bare = Square(with_sums().counts)
    assert read(bare) == (DOWN, None, ASSUMED, (unnamed,))
    almost = with_sums("elm")
    almost.counts[3, 0] += 1
    assert read(almost)[1] == (*NAMES, "elm")
    one_side = Square(with_sums().counts[:3], NAMES, (*NAMES, "Total"))
    assert read(one_side) == (DOWN, NAMES, ASSUMED, ("Total",))
    wrong = with_sums()
    wrong.counts[0, 3] += 1
    with pytest.raises(tm.InputError) as refused:
        settled(wrong, "m.csv")
    assert str(refused.value) == (
        "'Total' of m.csv does not hold the sums of the other counts; correct it, or leave it out"
    )
    # A class may be called Total, if it is said to be one.
    wrong.counts[3, 0] += 1
    assert read(wrong, labels=(*NAMES, "Total"))[1] == (*NAMES, "Total")


def test_sides_that_contradict_each_other_are_refused_word_by_word():
    for axes, what in ((("actual", "true"), "true"), (("pred", "yhat"), "predicted")):
        with pytest.raises(tm.InputError) as refused:
            settled(Square(CELLS, NAMES, NAMES, axes), "m.csv")
        assert str(refused.value) == (
            f"the rows and the columns of m.csv are both named as {what} classes; correct one of "
            "them, or say rows_are='truth' or rows_are='prediction'"
        )
        assert read(Square(CELLS, NAMES, NAMES, axes), rows_are="truth")[0] == DOWN
    with pytest.raises(tm.InputError) as refused:
        settled(Square(CELLS, NAMES, NAMES, doubtful=True), "m.json", remedy="rows=prediction")
    assert str(refused.value) == (
        "m.json holds a matrix whose outer names (its rows here) some write for the true classes "
        "and pandas' to_json() for the columns: nothing says which of them are the true classes; "
        "say rows=prediction if the columns are, or rows=truth if the rows are"
    )


def test_a_class_that_is_predicted_and_never_true_is_asked_about():
    empty = CELLS.copy()
    empty[1] = 0
    for names, which in ((NAMES, "'beech'"), (None, "number 2")):
        with pytest.raises(tm.InputError) as refused:
            settled(Square(empty, names, names), "m.csv")
        assert str(refused.value) == (
            f"row {which} of m.csv is all zero and its column is not, as where rows are the "
            "predicted classes and this one is never predicted; say rows_are='prediction' if they "
            "are, or rows_are='truth' if no row is of this class"
        )
        for rows_are in ("truth", "prediction"):
            assert read(Square(empty, names, names), rows_are=rows_are)
    both = empty.copy()
    both[:, 2] = 0  # another class is never predicted, as happens: then nothing is asked
    assert read(Square(both, NAMES, NAMES))[0] == both.tolist()
    neither = empty.copy()
    neither[:, 1] = 0
    assert read(Square(neither, NAMES, NAMES))[0] == neither.tolist()


def test_counts_of_a_square_are_rows():
    found = from_square(Square(CELLS, NAMES, NAMES), "m.csv", "turn it")
    assert found.source.read_as == (
        "Read as: truth = `rows`, pred = `columns`; format: a confusion matrix, rows = true "
        "classes (assumed; turn it turns it), classes in the order ash, beech, oak."
    )
    turned = from_square(with_sums(), "m.csv", "turn it", rows_are="prediction")
    assert turned.source.read_as == (
        "Read as: truth = `columns`, pred = `rows`; format: a confusion matrix, rows = predicted "
        "classes (as you say), classes in the order ash, beech, oak; ignored: `Total`."
    )
    assert turned.models[0].labels.counts.tolist() == ACROSS
    four = Square(TWO, ("negative", "positive"), ("negative", "positive"), rows_are="truth",
                  positive="positive", kind=FOUR_COUNTS)  # fmt: skip
    found = from_square(four, "m.json", "turn it")
    assert (found.positive, found.source.name) == ("positive", "m.json")
    assert found.source.format[0] == "the four counts"
    assert "rows = " not in found.source.read_as
    assert from_square(four, "m.json", "turn it", positive="negative").positive == "negative"
    named = from_square(Square(TWO), "m.csv", "turn it", labels=["sick", "well"], positive="sick")
    assert (named.classes, named.positive) == (("sick", "well"), "sick")
    # Names that do not go together give way to the classes that are given.
    other = Square(TWO, ("a", "b"), ("c", "d"))
    made = from_square(other, "m.csv", "turn it", labels=["x", "y"], positive="y")
    assert (made.classes, made.models[0].labels.counts.tolist()) == (("x", "y"), TWO.tolist())


def test_what_is_no_matrix_is_refused_word_by_word():
    def refusal(call, *arguments):
        with pytest.raises(tm.InputError) as refused:
            call(*arguments)
        return str(refused.value)

    long = tuple(f"class {i}" for i in range(9))
    nine = Square(np.ones((9, 9)), long, tuple(n.upper() + "!" for n in long))
    assert refusal(matrix_of, nine, "m.csv", None, None) == (
        f"m.csv has the rows {', '.join(map(repr, long[:8]))} and the columns "
        f"{', '.join(repr(n.upper() + '!') for n in long[:8])}; give one row and one column per "
        "class, or name the classes with classes=[...]"
    )
    assert refusal(matrix_of, Square(CELLS[:2], NAMES[:2], None), "m.csv", None, None) == (
        "m.csv is not a square table of numbers; give one row per true and one column per "
        "predicted class, such as [[70, 30], [20, 80]]"
    )
    m = settled(Square(TWO), "m.csv")
    assert refusal(as_tally, m, "m.csv", ["a"]) == (
        "classes names 1 classes and m.csv has 2 rows; name one per row"
    )
    whole, shares = "counts are whole numbers from 0 up to 2^53", "give the matrix without norma"
    for cells, place, is_share in (
        ([[0.7, 0.3], [0.2, 0.8]], "0.7 in row 1, column 1", True),  # of the rows
        ([[0.7, 0.2], [0.3, 0.8]], "0.7 in row 1, column 1", True),  # of the columns
        ([[0.4, 0.1], [0.2, 0.3]], "0.4 in row 1, column 1", True),  # of all
        ([[70.5, 29.5], [20, 80]], "70.5 in row 1, column 1", True),  # percent
        ([[7, 3], [2, 0.8]], "0.8 in row 2, column 2", False),
        ([[7, -3], [4, 0]], "-3 in row 1, column 2", False),
        ([[7, 3], [2.0**53, 1]], "9.0072e+15 in row 2, column 1", False),
    ):
        told = refusal(as_tally, settled(Square(np.array(cells)), "m", rows_are="truth"), "m")
        assert told.startswith(f"m holds {place}; {whole}"), told
        assert (shares in told) == is_share, told
    top = settled(Square(np.array([[2.0**53 - 1, 1], [1, 0]])), "m", rows_are="truth")
    assert as_tally(top, "m").counts[0, 0] == 2.0**53 - 1


def test_names_of_the_same_classes():
    assert same_names(NAMES, NAMES[::-1])
    assert same_names((*NAMES, "Total"), NAMES)
    assert same_names(["true a", "true b"], ["a", "b"])
    for rows, columns in ((NAMES, NAMES[:2]), (("a",), ("a",)), (NAMES, ("x", "y", "z")), ((), ())):
        assert not same_names(rows, columns)
