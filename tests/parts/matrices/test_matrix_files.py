"""Confusion matrices in files, in every spelling."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

import tallymark as tm
from results_in_files import PAIR, REAL, THREE, TRIPLE, TWO, counts, lines, needs_files, run
from tallymark.reading.small import MOST_BYTES

OF_TWO, OF_THREE = confusion_matrix(*PAIR), confusion_matrix(*TRIPLE)
TABLE = pd.DataFrame(OF_THREE, THREE, THREE)
(TN, FP), (FN, TP) = OF_TWO.tolist()


def numbered(names, cells, end=""):
    return [f"{n} {' '.join(map(str, row))}{end}" for n, row in zip(names, cells, strict=True)]


# -- matrices ------------------------------------------------------------------------------------


def saved(save, *arguments, **options):
    file = io.BytesIO()
    save(file, *arguments, **options)
    return file.getvalue()


def crosstab(of, **options):
    true, said = (
        pd.Series(side, name=n) for side, n in zip(of, ("Actual", "Predicted"), strict=True)
    )
    return pd.crosstab(true, said, **options)


UNNAMED = [
    ("m.csv", TABLE.to_csv(header=False, index=False)),
    ("m.txt", saved(np.savetxt, OF_THREE)),
    ("m.csv", saved(np.savetxt, OF_THREE, delimiter=",", fmt="%d")),
    ("m.txt", str(OF_THREE)),
    ("m.log", f"accuracy: 0.8\nConfusion matrix:\n{OF_THREE}\ndone\n"),
    ("m.txt", repr(OF_THREE)),
    ("m.txt", f"tf.Tensor(\n{OF_THREE}, shape=(3, 3), dtype=int32)"),
    ("m.json", json.dumps(OF_THREE.tolist())),
    ("m.json", json.dumps({"loss": 0.2, "test": {"confusion_matrix": OF_THREE.tolist()}})),
    ("m.csv", pd.DataFrame(OF_THREE).to_csv(index=False)),
    ("m.csv", pd.DataFrame(OF_THREE).to_csv()),
]


@pytest.mark.parametrize(("name", "text"), UNNAMED)
def test_a_matrix_without_names_is_read_and_its_sides_are_said(name, text, written):
    path = written(text, name)
    ev = tm.evaluate(path)
    assert (counts(ev), ev.classes) == (OF_THREE.tolist(), (0, 1, 2))
    call = f"tm.matrix({str(path)!r}, rows_are='prediction')"
    assert f"rows = true classes (assumed; {call} turns it)" in ev.source.read_as
    turned = tm.matrix(path, rows_are="prediction")
    assert counts(turned) == OF_THREE.T.tolist()
    assert "rows = predicted classes (as you say)" in turned.source.read_as


NAMED = [
    ("m.json", json.dumps({"labels": THREE, "confusion_matrix": OF_THREE.tolist()})),
    ("m.json", TABLE.to_json(orient="split")),
    ("m.txt", '"cat" "dog" "owl"\n' + lines(*numbered(['"cat"', '"dog"', '"owl"'], OF_THREE))),
    ("m.txt", lines("    cat dog owl", *numbered(THREE, OF_THREE))),
    (
        "m.md",
        lines("| | cat | dog | owl |", "|--|--|--|--|")
        + lines(
            *(
                f"| {c} | {' | '.join(map(str, r))} |"
                for c, r in zip(THREE, OF_THREE.tolist(), strict=True)
            )
        ),
    ),
    ("m.csv", TABLE.to_csv(index=False)),
    ("m.tsv", TABLE.to_csv(sep="\t")),
]


@pytest.mark.parametrize(("name", "text"), NAMED)
def test_a_matrix_with_the_names_of_its_classes(name, text, written):
    ev = tm.evaluate(written(text, name))
    assert (counts(ev), ev.classes) == (OF_THREE.tolist(), tuple(THREE))
    assert "rows = true classes (assumed; " in ev.source.read_as


def test_a_frame_in_json_is_a_matrix_whatever_the_order_and_the_kind_of_its_names(written):
    numbered = pd.DataFrame(OF_THREE)[[2, 0, 1]]
    ev = tm.evaluate(written(numbered.to_json(orient="split"), "m.json"))
    assert (counts(ev), ev.classes) == (OF_THREE.tolist(), (0, 1, 2))
    assert ev.source.format[0] == "a confusion matrix"


def sides(true, said):
    return pd.DataFrame(OF_THREE, [true.format(c) for c in THREE], [said.format(c) for c in THREE])


@pytest.mark.parametrize(
    ("true", "said"),
    [
        ("Actual {}", "Predicted {}"),
        ("true:{}", "pred:{}"),
        ("{} (gold)", "{} (predicted)"),
        ("y_true={}", "y_pred={}"),
        ("Reference.{}", "Prediction.{}"),
        ("actual_{}", "{}"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_names_of_both_sides_say_which_is_the_truth(true, said, turned, written):
    table = sides(true, said)
    table = (table.T if turned else table).iloc[:, ::-1]
    what = "predicted" if turned else "true"
    for ev in (tm.evaluate(written(table.to_csv(), "m.csv")), tm.matrix(table), tm.evaluate(table)):
        order = [ev.classes.index(c) for c in THREE]
        assert np.array(counts(ev))[np.ix_(order, order)].tolist() == OF_THREE.tolist()
        assert f"rows = {what} classes (by the names of rows and columns)" in ev.source.read_as


CARET = f"""Confusion Matrix and Statistics

          Reference
Prediction   no  yes
       no  {TN:>4} {FN:>4}
       yes {FP:>4} {TP:>4}

               Accuracy : {(TN + TP) / 200:.4f}
                 95% CI : (0.6, 0.9)

       'Positive' Class : no
"""
RANGER = f"""Ranger result

OOB prediction error:             4.00 %

Confusion matrix:

     predicted
true   no yes
  no  {TN} {FP}
  yes {FN} {TP}
"""
FOREST = f"""        OOB estimate of  error rate: 4.67%
Confusion matrix:
     no yes class.error
no  {TN} {FP}  {FP / (TN + FP):.8f}
yes {FN} {TP}  {FN / (FN + TP):.8f}
"""
WEKA = f"""=== Confusion Matrix ===

   a   b   <-- classified as
 {TN} {FP} |   a = no
 {FN} {TP} |   b = yes
"""
TABLE_OF_R = f"""       truth
predict  no yes
    no   {TN} {FN}
    yes  {FP} {TP}
"""
LONG = lines(
    "Prediction,Reference,Freq", f"no,no,{TN}", f"yes,no,{FP}", f"no,yes,{FN}", f"yes,yes,{TP}"
)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (CARET, "predicted"),
        (RANGER, "true"),
        (FOREST, "true"),
        (WEKA, "true"),
        (TABLE_OF_R, "predicted"),
        (LONG, "predicted"),
        (str(crosstab(PAIR, margins=True)), "true"),
        (f"predicted,no,yes\nno,{TN},{FN}\nyes,{FP},{TP}\n", "predicted"),
        (f"pred\\true,no,yes\nno,{TN},{FN}\nyes,{FP},{TP}\n", "predicted"),
        (f",Predicted,\nActual,no,yes\nno,{TN},{FP}\nyes,{FN},{TP}\n", "true"),
        (f",,Predicted,\n,,no,yes\nActual,no,{TN},{FP}\n,yes,{FN},{TP}\n", "true"),
    ],
)
def test_prints_say_which_side_is_the_truth(text, what, written):
    ev = tm.evaluate(written(text))
    assert counts(ev) == OF_TWO.tolist()
    assert f"rows = {what} classes (" in ev.source.read_as
    assert "assumed" not in ev.source.read_as
    assert ev.positive == ("no" if text is CARET else "yes")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("k.txt", f"loss : 0.1\ntp : {TP}.0\nfp : {FP}.0\ntn : {TN}.0\nfn : {FN}.0\n"),
        (
            "k.txt",
            f"true_positives: {TP} - true_negatives: {TN} - false_positives: {FP} - "
            f"false_negatives: {FN}",
        ),
        ("k.txt", f"TP = {TP}, FP = {FP}, FN = {FN}, TN = {TN}"),
        ("k.json", json.dumps({"loss": 0.1, "tp": TP, "fp": FP, "fn": FN, "tn": TN})),
        ("k.json", json.dumps({"test": {"TP": TP, "FP": FP, "FN": FN, "TN": TN, "auc": 0.9}})),
    ],
)
def test_four_counts_that_are_printed(name, text, written):
    ev = tm.evaluate(written(text, name))
    assert counts(ev) == OF_TWO.tolist()
    assert ev.positive == "positive"


def test_nested_objects_are_asked_about_unless_their_names_say_it(written):
    path = written(TABLE.to_json(), "m.json")
    with pytest.raises(tm.InputError, match="outer names .* pandas' to_json.* nothing says which"):
        tm.evaluate(path)
    assert counts(tm.matrix(path, rows_are="prediction")) == OF_THREE.tolist()
    for text in (
        sides("Actual {}", "Predicted {}").to_json(orient=o) for o in ("index", "columns")
    ):
        assert counts(tm.evaluate(written(text, "m.json"))) == OF_THREE.tolist()


def test_two_matrices_in_one_file_are_refused(written):
    with pytest.raises(tm.InputError, match="holds several matrices; keep one in a file"):
        tm.evaluate(written(f"{OF_TWO}\n\n{OF_THREE}\n"))
    with pytest.raises(tm.InputError, match="holds 2 confusion matrices; keep one in a file"):
        tm.evaluate(written(f"{RANGER}\n{TABLE_OF_R}"))


# -- what a matrix leaves to say -----------------------------------------------------------------


def test_two_columns_of_which_one_counts_are_rows(written):
    rows = "".join(f"{'yes' if i % 3 else 'no'},{i % 7}\n" for i in range(30))
    with pytest.raises(tm.InputError, match="no column looks like a prediction or a score"):
        tm.evaluate(written("Outcome,count\n" + rows, "t.csv"))


def test_sums_are_left_out_whatever_they_are_called(written):
    table = crosstab(PAIR, margins=True, margins_name="Alle zusammen")
    for ev in (tm.matrix(table), tm.evaluate(written(table.to_csv(), "m.csv"))):
        assert (counts(ev), ev.rows) == (OF_TWO.tolist(), 200)
        assert "sums in the last row and column" in ev.source.read_as
    kept = tm.matrix(table, classes=["no", "yes", "Alle zusammen"])
    assert kept.rows == 800


@pytest.mark.parametrize(
    ("corner", "rows_are"),
    [
        ("label_prediction", "true"),
        ("prediction_label", "predicted"),
        ("y_pred", "predicted"),
        ("Vorhersage", "predicted"),
        ("prédit", "predicted"),
        ("Wahrheit", "true"),
    ],
)
def test_the_corner_says_what_the_rows_are(corner, rows_are, written):
    ev = tm.evaluate(written(f"{corner},no,yes\nno,50,3\nyes,4,20\n", "m.csv"))
    assert f"rows = {rows_are} classes" in ev.source.read_as
    right = [[50, 3], [4, 20]] if rows_are == "true" else [[50, 4], [3, 20]]
    assert counts(ev) == right


@pytest.mark.parametrize("word", ["All", "Total", "total", "Sum", "Gesamt", "Grand Total", "Suma"])
def test_totals_are_checked_and_left_out_in_every_door(word, written):
    table = crosstab(PAIR, margins=True, margins_name=word)
    doors = [
        tm.matrix(table),
        tm.evaluate(table),
        tm.evaluate(written(table.to_csv(), "m.csv")),
        tm.evaluate(written(table.to_json(orient="split"), "m.json")),
        tm.matrix(table.to_numpy().tolist(), classes=["no", "yes", word]),
        tm.matrix(table.to_numpy(), classes=["no", "yes"]),
    ]
    for ev in doors:
        assert (counts(ev), ev.rows) == (OF_TWO.tolist(), 200)
        assert word in str(ev.source) + ev.source.read_as or "sums in the last row" in (
            ev.source.read_as
        )
    wrong = table.copy()
    wrong.iloc[0, 2] += 1
    with pytest.raises(tm.InputError, match=f"'{word}' of counts does not hold the sums"):
        tm.matrix(wrong)
    kept = tm.matrix([[5, 1], [2, 9]], classes=["part", word], positive="part")
    assert kept.classes == ("part", word)


@pytest.mark.parametrize("place", range(5))
def test_a_row_of_zeros_beside_a_filled_column_is_asked_about(place, written):
    cells = np.arange(1, 26).reshape(5, 5)
    cells[place] = 0
    path = written(pd.DataFrame(cells, list("abcde"), list("abcde")).to_csv(), "m.csv")
    with pytest.raises(tm.InputError, match=f"row '{'abcde'[place]}' of m.csv is all zero and its"):
        tm.evaluate(path)
    told = run("report", path).stderr
    assert f"say tallymark matrix {path} --rows prediction if they are" in told
    assert f"or tallymark matrix {path} --rows truth if no row is" in told
    assert run("matrix", path, "--rows", "truth").exit_code == 0
    assert counts(tm.matrix(path, rows_are="prediction")) == cells.T.tolist()


def test_counts_in_the_documented_order_are_not_asked_about():
    assert tm.matrix([[90, 10], [0, 0]])["specificity"].value == 0.9
    assert run("matrix", 5, 1, 0, 2, 6, 3, 0, 0, 0).exit_code == 0


@pytest.mark.parametrize(
    ("rows", "columns", "corner"),
    [
        (("Test+", "Test-"), ("Disease+", "Disease-"), ""),
        (("Test+", "Test\u2212"), ("Disease+", "Disease\u2212"), ""),
        (("Test positive", "Test negative"), ("sick", "healthy"), ""),
        (("Test positive", "Test negative"), ("Disease present", "Disease absent"), ""),
        (("positive", "negative"), ("diseased", "not diseased"), "Test"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_textbook_table_of_a_test(rows, columns, corner, turned, written):
    table = pd.DataFrame([[90, 30], [10, 170]], rows, columns)
    if turned and not corner:
        table = table.T
    ev = tm.evaluate(written(table.to_csv(index_label=corner), "t.csv"))
    assert ev.source.format[-1] == "TP 90, FN 10, FP 30, TN 170"
    assert (ev["sensitivity"].value, ev["specificity"].value) == (0.9, 0.85)


def test_a_test_and_a_disease_without_a_word_for_either_are_asked_about(written):
    path = written(",sick,healthy\npositive,90,30\nnegative,10,170\n", "t.csv")
    told = run("report", path).stderr
    assert "nothing says which of them are the true classes" in told
    assert f"say tallymark matrix {path} --rows prediction if the columns are" in told
    assert tm.matrix(path, rows_are="prediction")["sensitivity"].value == 0.9


def test_words_for_one_side_on_both_are_refused():
    table = pd.DataFrame(OF_TWO, ["Predicted no", "Predicted yes"], ["pred no", "pred yes"])
    with pytest.raises(tm.InputError, match="both named as predicted classes"):
        tm.matrix(table)
    assert counts(tm.matrix(table, rows_are="truth")) == OF_TWO.tolist()


def test_labels_name_the_classes_of_a_frame_in_any_order():
    turned = tm.matrix(pd.DataFrame(OF_TWO, TWO, TWO), classes=["yes", "no"])
    assert counts(turned) == OF_TWO[::-1, ::-1].tolist()


# -- what is no finished result ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("label,pred\n0,1\n1,1\n", 2),
        ("y_true,y_pred\n1,0\n0,1\n1,1\n0,0\n", 4),
        ("label,pred,score\n1,1,0.9\n0,0,0.2\n0,1,0.7\n", 3),
        ("label,yes,no\nyes,0.9,0.1\nno,0.4,0.6\nyes,0.7,0.3\n", 3),
        ("y,p\n1,0.5\n0,0.2\n", 2),
    ],
)
def test_rows_stay_rows(text, rows, written):
    assert tm.evaluate(written(text, "rows.csv"), positive=None).rows == rows


@pytest.mark.slow
def test_long_files_are_rows(written):
    line = "1,1\n0,0\n"
    path = written("label,pred\n" + line * (MOST_BYTES // len(line) + 1), "long.csv")
    assert tm.evaluate(path)["accuracy"].value == 1


# -- the command ---------------------------------------------------------------------------------


def test_the_command_reads_files_and_standard_input(written):
    path = written(CARET)
    by_file = run("matrix", path).stdout
    assert f"true no   TP {TN}" in by_file
    assert "rows = predicted classes" in " ".join(by_file.split())
    piped = run("matrix", "-", input=str(OF_TWO)).stdout
    assert "standard input" in piped
    assert f"FP {FP}" in piped
    told = run("matrix", written("label,pred\nyes,no\nno,no\n", "rows.csv")).stderr
    assert "holds no confusion matrix and no classification report; predictions are judged by " in (
        told
    )
    assert "tallymark report FILE" in told
    assert "no confusion matrix" in run("matrix", "-", input="label,pred\n").stderr
    assert "order='textbook'" in run("matrix", path, "--order", "textbook").stderr.replace(
        "--order textbook", "order='textbook'"
    )


def test_inspect_shows_a_matrix(written):
    told = " ".join(run("inspect", written(WEKA)).stdout.split())
    assert "Weka's matrix" in told
    assert "Matthews correlation" in told


ORDER = [
    *("predicted", "0", "predicted", "1"),
    *("true", "0", "TN", "90", "FP", "10"),
    *("true", "1", "FN", "30", "TP", "170"),
]
TEXTBOOK = [
    *("predicted", "1", "predicted", "0"),
    *("true", "1", "TP", "90", "FN", "10"),
    *("true", "0", "FP", "30", "TN", "170"),
]


def test_the_order_is_shown_before_the_numbers():
    table = run("matrix", 90, 10, 30, 170).stdout.split("\n\n")[0].split()
    assert table == ORDER
    table = run("matrix", 90, 10, 30, 170, "--order", "textbook").stdout.split("\n\n")[0].split()
    assert table == TEXTBOOK
    named = run("matrix", 90, 10, 30, 170, "--order", "textbook", "--classes", "sick,well").stdout
    assert "true sick  TP 90" in named
    many = run("matrix", 1, 2, 3, 4, "--order", "textbook", "--positive", 1)
    assert "is TP FN FP TN of two classes, the first of them positive" in many.stderr
    assert json.loads(run("matrix", 90, 10, 30, 170, "--json", "-").stdout)["classes"] == [0, 1]


# -- files of others -----------------------------------------------------------------------------


@needs_files
@pytest.mark.parametrize(
    ("name", "rows", "accuracy"),
    [
        ("cagedbird_cm.csv", 1243, 0.923572),
        ("newsgroups_cm.txt", 7505, 0.785210),
        ("pycm_cm.obj", 20, 0.35),
    ],
)
def test_real_results(name, rows, accuracy):
    ev = tm.evaluate(REAL / name)
    assert ev.rows == rows
    assert ev["accuracy"].value == pytest.approx(accuracy, abs=5e-7)
    assert tm.matrix(REAL / name)["accuracy"].value == ev["accuracy"].value
    assert "rows = true classes (" in ev.source.read_as
    if name.startswith("remla"):
        assert counts(ev) == [[67, 11], [38, 64]]


@needs_files
@pytest.mark.parametrize("command", ["report", "matrix"])
@pytest.mark.slow
def test_a_real_matrix_as_json(command):
    done = run(command, REAL / "cagedbird_cm.csv", "--json", "-")
    data = json.loads(done.stdout)
    assert data["rows"] == 1243
    assert data["models"][0]["values"]["accuracy"]["value"] == pytest.approx(0.923572, abs=6e-7)


@pytest.mark.parametrize(
    ("name", "rows", "values"),
    [
        ("matrix.csv", 150, {"accuracy": 0.86}),
        ("studies.csv", 615, {"sensitivity": 0.857142857143, "specificity": 0.888888888889}),
    ],
)
def test_files_as_analysts_hand_them_over(name, rows, values):
    done = run("report", Path(__file__).parent / "files" / name, "--json", "-")
    data = json.loads(done.stdout)
    assert data["rows"] == rows
    found = data["models"][0]["values"]
    for metric, value in values.items():
        assert found[metric]["value"] == pytest.approx(value, abs=1e-9)
