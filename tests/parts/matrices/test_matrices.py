"""Counts made elsewhere: tallies, matrices, and tables that hold them."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import tallymark as tm
from judged import counted_of
from tallymark.cli import main

TWO = [[70, 30], [20, 80]]
THREE = [[30, 5, 2], [4, 40, 1], [0, 3, 20]]


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


def refused(*arguments):
    found = run(*arguments)
    assert found.exit_code == 2, found.output
    return found.stderr


def rows_of(matrix, labels):
    cells = [(t, p, n) for t, row in zip(labels, matrix, strict=True)
             for p, n in zip(labels, row, strict=True)]  # fmt: skip
    return [t for t, _, n in cells for _ in range(n)], [p for _, p, n in cells for _ in range(n)]


def numbers(ev):
    found = ev.to_dict()
    for key in ("source", "notes"):
        del found[key]
    del found["counted"]["source"]
    for part in found["subgroups"] or ():
        del part["source"], part["heterogeneity"]  # which studies alone have
    return json.dumps(found, sort_keys=True)


# -- a matrix is its rows ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matrix", "labels", "positive"),
    [(TWO, [0, 1], None), (TWO, ["no", "yes"], "yes"), (THREE, ["a", "b", "c"], None),
     ([[50, 0], [3, 0]], [0, 1], None), ([[7, 0], [0, 9]], [0, 1], None)],
)  # fmt: skip
def test_rows_and_their_matrix_give_the_same_evaluation(matrix, labels, positive):
    rows = tm.evaluate(*rows_of(matrix, labels), positive=positive, classes=labels)
    expected = numbers(rows)
    assert numbers(tm.matrix(matrix, classes=labels, positive=positive)) == expected
    tally = tm.LabelTally.from_arrays(*rows_of(matrix, labels), labels=labels)
    assert numbers(tm.evaluate(tally, positive=positive)) == expected
    assert str(tm.matrix(matrix, classes=labels, positive=positive).advise()) == str(rows.advise())
    as_frame = pd.DataFrame(matrix, index=labels, columns=labels)
    assert numbers(tm.matrix(as_frame, positive=positive)) == expected


def test_how_a_matrix_was_read():
    ev = tm.matrix(TWO)
    assert ev.positive == 1
    assert ev.source.format == ("TP 80, FN 20, FP 30, TN 70",)
    assert tm.matrix(TWO, positive=0).source.format == ("TP 70, FN 30, FP 20, TN 80",)
    assert ev.source.sentence == (
        "Read as: truth = `rows` (1 is positive), pred = `columns`; format: TP 80, FN 20, FP 30, "
        "TN 70. Change with positive=..."
    )
    assert tm.matrix(THREE).source.format == ("classes in the order 0, 1, 2",)
    crosstab = pd.crosstab(pd.Series(["b", "a", "b"]), pd.Series(["a", "a", "b"]))
    assert tm.matrix(crosstab, positive="b").source.format == ("TP 1, FN 1, FP 0, TN 1",)
    assert tm.evaluate(crosstab, positive="b").source.format == ("TP 1, FN 1, FP 0, TN 1",)
    turned = pd.DataFrame(TWO, index=["p", "n"], columns=["n", "p"])
    assert tm.matrix(turned, positive="p").source.format == ("TP 30, FN 70, FP 80, TN 20",)


def test_several_matrices_of_the_same_rows():
    ev = tm.matrix({"net": TWO, "tree": [[80, 20], [25, 75]]})
    assert ev.names == ("net", "tree")
    assert ev.source.format[1] == "tree: TP 75, FN 25, FP 20, TN 80"
    with pytest.raises(tm.InputError, match="needs the predictions of all models row by row"):
        ev.compare()
    with pytest.raises(
        tm.InputError,
        match="'net' has 100 and 100 rows of the classes 0, 1 and "
        "'tree' 50 and 100, so they were not judged on the",
    ):
        tm.matrix({"net": TWO, "tree": [[40, 10], [25, 75]]})  # fmt: skip


def test_matrices_of_different_rows_are_compared():
    matrices = [[14, 6], [4, 16]], [[18, 2], [4, 16]]
    one, other = map(tm.matrix, matrices)
    rows = [tm.evaluate(*rows_of(m, [0, 1])) for m in matrices]
    options = {"metric": "mcc", "metrics": ["mcc"]}
    ours, theirs = one.compare_with(other, **options), rows[0].compare_with(rows[1], **options)
    assert [p.to_dict() for p in ours.pairs] == [p.to_dict() for p in theirs.pairs]


@pytest.mark.parametrize(
    ("counts", "options", "words"),
    [
        ([70, 30, 20, 80], {}, "counts is not a square table of numbers; give one row per true"),
        ([[1, 2, 3], [4, 5, 6]], {}, "counts is not a square table"),
        ([[1]], {}, "counts is not a square table"),
        ("70 30", {}, "there is no file '70 30'; check the path"),
        (
            [[0.7, 0.3], [0.2, 0.8]],
            {},
            "counts holds 0.7 in row 1, column 1; counts are whole numbers from 0 up to 2\\^53, and "
            "these are shares; give the matrix without normalize=\\.\\.\\.",
        ),
        ([[0.7, 3], [2, 8]], {}, "column 1; counts are whole numbers from 0 up to 2\\^53$"),
        ([[7, -3], [2, 8]], {}, "counts holds -3 in row 1, column 2"),
        ([[7, 3], [2, float("nan")]], {}, "counts holds nan in row 2, column 2"),
        (TWO, {"classes": ["a"]}, "classes names 1 classes and counts has 2 rows"),
        (TWO, {"classes": ["a", "b"]}, "which class is positive"),
        (TWO, {"positive": 3}, "the positive class 3 does not occur"),
        (THREE, {"positive": 1}, "positive is 1 and there are 3 classes"),
        ([[1e300, 1], [1, 1]], {}, r"counts holds 1e\+300 in row 1, column 1; counts are whole"),
        ([[0, 0], [0, 0]], {}, "there is no row to count in matrix"),
        ({}, {}, "there is no tally"),
        ({"net": [[1, 2]]}, {}, r"counts\['net'\] is not a square table"),
        (
            pd.crosstab(pd.Series([0, 1], name="y_pred"), pd.Series([0, 1], name="pred")),
            {},
            "the rows and the columns of counts are both named as predicted classes",
        ),
        (pd.DataFrame(TWO, columns=["a", "b"]), {}, "has the rows 0, 1 and the columns 'a', 'b'"),
    ],
)
def test_refusals_of_matrices(counts, options, words):
    with pytest.raises(tm.InputError, match=words):
        tm.matrix(counts, **options)


# -- the command ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command(tmp_path):
    told = run("matrix", 70, 30, 20, 80, "--full").output
    read_as = " ".join(told.split())
    assert "format: TP 80, FN 20, FP 30, TN 70. Change with --positive" in read_as
    assert "Sensitivity                    0.80  0.71 to 0.87" in told
    other = run("matrix", 70, 30, 20, 80, "--positive", "0").output
    assert "TP 70, FN 30, FP 20, TN 80" in " ".join(other.split())
    named = run(
        "matrix", 70, 30, 20, 80, "--classes", "sick,healthy", "--positive", "sick", "--full"
    ).output
    assert "positive class 'sick'" in named
    page, data = tmp_path / "p.html", tmp_path / "e.json"
    made = run("matrix", *np.ravel(THREE), "--classes", "a,b,c", "-o", page, "--json", data)
    assert made.exit_code == 0, made.output
    assert "truth = `rows`" in page.read_text(encoding="utf-8")
    assert json.loads(data.read_text(encoding="utf-8"))["classes"] == ["a", "b", "c"]
    assert run("matrix", *np.ravel(THREE), "--level", 0.9).output.count("90 % interval")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([1, 2, 3], "there are 3 counts; give K times K of them row by row"),
        ([5], "there is one count; give"),
        ([1, 2, 3, "x"], "'x' is not a count; give whole numbers, without separators"),
        ([1, 2, 3, "4,000"], "'4,000' is not a count"),
        ([1, 2, 3, 0.5], "counts holds 0.5 in row 2, column 2"),
        ([1, 2, 3, 4, "--classes", "a,b"], "say --positive a or --positive b"),
        ([1, 2, 3, 4, "--classes", "a"], "classes names 1 classes"),
        ([1, 2, 3, 4, "-o", "no/such/folder/p.html"], "no"),
    ],
)
def test_refusals_of_the_command(arguments, words):
    assert words in refused("matrix", *arguments)


def test_prevalence(tmp_path):
    at = f"Precision {tm.matrix(TWO).at(prevalence=0.01)['precision'].value:.3f} "
    told = run("matrix", 70, 30, 20, 80, "--prevalence", "1%", "--full").output
    assert at in " ".join(told.split())
    path = tmp_path / "r.csv"
    y, said = rows_of(TWO, [0, 1])
    pd.DataFrame({"label": y, "pred": said, "at": ["x"] * 200}).to_csv(path, index=False)
    table = [line.split()[2:] for line in told.splitlines()[1:3]]
    assert table == [["TN", "70", "FP", "30"], ["FN", "20", "TP", "80"]], "as it was read"
    assert "Counts are those expected at an assumed prevalence of 1 %." in told
    assert "Counts are" not in run("matrix", 70, 30, 20, 80, "--full").output
    three = tm.matrix([[9, 1, 0], [1, 9, 0], [0, 1, 9]]).at(prevalence={0: 0.5, 1: 0.3, 2: 0.2})
    assert "Counts are those expected at the assumed shares of the classes." in three.summary()
    told = run("report", path, "--prevalence", 0.01, "--full").output
    assert at in " ".join(told.split())
    assert "prevalence is 1.5; give a number between 0 and 1" in refused(
        "report", path, "--prevalence", "1.5"
    )
    assert (
        "subgroups and folds are only computed at the sample's own prevalence; leave --prevalence out"
        in refused("report", path, "--prevalence", "1%", "--subgroup", "at")
    )


# -- a matrix as a table -------------------------------------------------------------------------


def square(tmp_path, text):
    path = tmp_path / "m.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "actual,no,yes\nno,70,30\nyes,20,80\n",
        ",yes,no\nno,30,70\nyes,80,20\n",  # the columns in another order
        "truth;no;yes;Total\nno;70;30;100\nyes;20;80;100\nTotal;90;110;200\n",
        "truth,no,yes\nyes,20,80\nno,70,30\n",
    ],
)
def test_a_wide_matrix_is_read(text, tmp_path):
    ev = tm.evaluate(square(tmp_path, text), positive="yes")
    assert numbers(ev) == numbers(tm.evaluate(*rows_of(TWO, ["no", "yes"]), positive="yes",
                                              classes=list(ev.classes)))  # fmt: skip
    kind, side, cells = ev.source.format
    assert (kind, cells) == ("a confusion matrix", "TP 80, FN 20, FP 30, TN 70")
    named = text.startswith(("actual", "truth"))
    assert side.startswith("rows = true classes (" + ("named `" if named else "assumed; "))
    assert ev.source._ignored == (("Total",) if "Total" in text else ())


def test_a_matrix_of_numbered_classes_and_a_frame(tmp_path):
    ev = tm.evaluate(square(tmp_path, ",0,1\n0,70,30\n1,20,80\n"))
    assert ev.positive == 1
    assert ev.source.format[2] == "TP 80, FN 20, FP 30, TN 70"
    expected = numbers(tm.matrix(THREE, classes=["a", "b", "c"]))
    for frame in (pd.DataFrame, pl.DataFrame):
        table = frame(
            {"actual": ["a", "b", "c"], "a": [30, 4, 0], "b": [5, 40, 3], "c": [2, 1, 20]}
        )
        assert numbers(tm.evaluate(table)) == expected


def test_the_order_of_the_classes_of_a_wide_matrix(tmp_path):
    path = square(tmp_path, ",0,1\n0,70,30\n1,20,80\n")
    told = run("report", path, "--classes", "1,0", "--positive", "0").output
    assert "TP 70, FN 30, FP 20, TN 80" in " ".join(told.split())
    assert tm.evaluate(path, classes=[1, 0]).classes == (1, 0)
    assert "the class 0 of the tally is not among [1, 2]" in refused("report", path, "--classes",
                                                                     "1,2")  # fmt: skip


def test_whose_rows_are_predictions(tmp_path):
    path = square(tmp_path, "predicted,n,p\nn,70,20\np,30,80\n")
    ev = tm.evaluate(path, positive="p")
    assert ev.source.format[1:] == (
        "rows = predicted classes (named `predicted`)",
        "TP 80, FN 20, FP 30, TN 70",
    )
    again = tm.evaluate(path, pred="predicted", positive="p")
    assert numbers(again) == numbers(ev)
    turned = tm.evaluate(path, truth="predicted", positive="p")
    assert turned.source.format[2].startswith("TP 80, FN 30")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("truth,a,b\na,1,\nb,2,3\n", "has no count in row 'a', column 'b'; write 0 there"),
        ("truth,a,b\na,1,x\nb,2,3\n", "b holds 'x' at row 1"),
        ("truth,a,b\na,0.9,0.1\nb,0.5,0.5\n", "holds 0.9 in row 1, column 1; counts are whole"),
        ("truth,a,b,sum\na,1,2,4\nb,2,3,5\n", "'sum' of m.csv does not hold the sums"),
    ],
)
def test_refusals_of_wide_matrices(text, words, tmp_path):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(square(tmp_path, text), positive="b")


def test_rows_are_no_matrix(tmp_path):
    path = square(tmp_path, "label,pred,score\n1,1,0.9\n0,0,0.2\n")
    assert tm.evaluate(path).rows == 2
    counts = square(tmp_path, "score,pos,neg\n0.9,3,1\n0.4,1,2\n")
    assert tm.evaluate(counts).rows == 7


# -- a matrix in each line -----------------------------------------------------------------------

STUDIES = pd.DataFrame({
    "Author": ["Smith", "Jones", "Li", "Mori"], "year": [2001, 2003, 2004, 2008],
    "TP": [47, 126, 19, 36], "FP": [101, 272, 12, 78], "FN": [9, 51, 10, 3],
    "TN": [738, 1543, 192, 276],
})  # fmt: skip


@pytest.mark.slow
def test_a_study_a_line_is_what_its_rows_are(tmp_path):
    cells = [("positive", "positive", "TP"), ("positive", "negative", "FN"),
             ("negative", "positive", "FP"), ("negative", "negative", "TN")]  # fmt: skip
    lines = [(t, p, row["Author"]) for row in STUDIES.to_dict("records")
             for t, p, c in cells for _ in range(row[c])]  # fmt: skip
    y, said, author = (list(v) for v in zip(*lines, strict=True))
    rows = tm.evaluate(y, {"model": said}, positive="positive", subgroup={"Author": author})
    ev = tm.evaluate(STUDIES)
    expected = numbers(rows)
    assert numbers(ev) == expected
    assert ev.by("Author").rows == rows.by("Author").rows
    assert ev.source.read_as == (
        "Read as: count = `TP`, `FN`, `FP`, `TN`, subgroup = `Author`; format: a study a line; "
        "ignored: `year`."
    )
    renamed = {"TN": "tn", "FP": "False positives", "TP": "true_positive"}
    shuffled = STUDIES.rename(columns=renamed)
    assert numbers(tm.evaluate(shuffled.iloc[::-1, ::-1])) == expected
    path = tmp_path / "s.csv"
    STUDIES.to_csv(path, index=False)
    assert numbers(tm.evaluate(path)) == expected
    h = ev.by("Author").heterogeneity("sensitivity")
    assert h.to_dict() == rows.by("Author").heterogeneity("sensitivity").to_dict()
    assert h.studies == 4


def test_lines_without_a_name_and_of_one_name():
    bare = STUDIES.drop(columns=["Author", "year"])
    assert tm.evaluate(bare).by("line").keys == (1, 2, 3, 4)
    one = tm.evaluate(bare.head(1))
    assert one.source.format == ("a study a line", "TP 47, FN 9, FP 101, TN 738")
    assert counted_of(one).subgroup_counts is None
    twice = STUDIES.assign(Author=["Smith", "Smith", "Li", "Mori"])
    with pytest.raises(tm.InputError, match="'Author' of the data frame is 'Smith' in several"):
        tm.evaluate(twice)
    both = tm.evaluate(twice, subgroup=["Author", "year"]).by("Author", "year")
    assert both.keys[-1] == ("Smith", 2003)
    assert tm.evaluate(twice, subgroup="Author").by("Author").rows["Smith"] == 895 + 1992


@pytest.mark.parametrize("name", ["study", "site", "author", "hospital"])
def test_the_column_that_names_the_studies_is_found(name):
    assert tm.evaluate(STUDIES.rename(columns={"Author": name})).by(name).keys[0] == "Jones"


@pytest.mark.parametrize("name", ["model", "classifier", "method"])
def test_the_column_that_names_models_is_found(name):
    table = pd.DataFrame({name: ["net", "tree"], "tp": [80, 75], "fn": [20, 25], "fp": [30, 20],
                          "tn": [70, 80]})  # fmt: skip
    assert tm.evaluate(table).names == ("net", "tree")


def test_models_on_the_same_rows_a_line_each():
    table = pd.DataFrame({"model": ["net", "tree"], "tp": [80, 75], "fn": [20, 25], "fp": [30, 20],
                          "tn": [70, 80]})  # fmt: skip
    ev = tm.evaluate(table)
    both = tm.matrix({"net": TWO, "tree": [[80, 20], [25, 75]]},
                     classes=["negative", "positive"], positive="positive")  # fmt: skip
    assert numbers(ev) == numbers(both)
    assert ev.source._roles["pred"] == "model"
    with pytest.raises(tm.InputError, match="not judged on the same rows"):
        tm.evaluate(table.assign(tn=[70, 90]))
    doubtful = table.rename(columns={"model": "what"})
    with pytest.raises(
        tm.InputError,
        match="name the column of their names 'model', and if they are studies say subgroup='what'",
    ):
        tm.evaluate(doubtful)  # fmt: skip
    assert tm.evaluate(doubtful, subgroup="what").by("what").keys == ("net", "tree")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"threshold": [0.1, 0.2, 0.3, 0.4]}, "holds counts at each 'threshold', all of the same"),
        ({"a": list("wxyz"), "b": list("wxyz")}, "several columns of the data frame could name"),
        ({"study": list("wxyz"), "model": list("wxyz")}, "could name what each line counts: "
         "'model', 'study'; say which names the studies with subgroup='model'"),
    ],
)  # fmt: skip
def test_doubtful_lines(columns, words):
    counts = STUDIES.drop(columns=["Author", "year"])
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(counts.assign(**columns))


COUNTS = STUDIES.drop(columns=["Author", "year"])


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (COUNTS.assign(tp=1), {}, "the columns 'TP', 'tp', which could all be the same one of the"),
        (COUNTS.head(0), {}, "there is no row to count in the data frame; give at least one"),
        (COUNTS * 0, {}, "there is no row to count in the data frame"),
        (COUNTS, {"classes": ["a", "b", "c"]}, "classes names 3 classes, and 'TP', 'FN', 'FP', 'TN'"),
        (COUNTS, {"subgroup": "TP"}, "'TP' holds counts and cannot name subgroups"),
        (COUNTS, {"subgroup": "where"}, "the data frame has no column 'where'"),
    ],
)  # fmt: skip
def test_refusals_of_lines(data, options, words):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(data, **options)


def test_lines_with_gaps():
    gap = STUDIES.assign(TP=[47, None, 19, 36])
    with pytest.raises(tm.InputError, match="missing in 1 row"):
        tm.evaluate(gap)
    ev = tm.evaluate(gap, missing="drop")
    assert (ev.dropped, len(ev.by("Author"))) == (1, 3)
    with pytest.raises(tm.InputError, match="TP is 47.5 at index 0; counts are whole numbers"):
        tm.evaluate(STUDIES.assign(TP=[47.5, 126, 19, 36]))


def test_the_classes_of_lines_may_be_named():
    ev = tm.evaluate(STUDIES, classes=["malignant", "benign"], positive="malignant")
    assert ev.classes == ("malignant", "benign")
    assert ev["sensitivity"].value == tm.evaluate(STUDIES)["sensitivity"].value


# -- what studies show ---------------------------------------------------------------------------


@pytest.mark.slow
def test_studies_on_the_terminal_the_page_and_in_json(tmp_path):
    path, page, data = tmp_path / "s.csv", tmp_path / "p.html", tmp_path / "e.json"
    STUDIES.assign(FN=[9, 51, 10, 0]).to_csv(path, index=False)
    made = run("report", path, "-o", page, "--json", data, "--full")
    assert made.exit_code == 0, made.output
    told = " ".join(made.output.split())
    ev = tm.evaluate(path)
    h = ev.by("Author").heterogeneity("sensitivity")
    assert f"Sensitivity: mean over 4 studies {h.mean.value:.2f} (95 % CI " in told
    assert "Li 233 0.66 (0.47 to 0.80) 0.941 (0.900 to 0.966)" in told
    assert "heterogeneity is uncertain with fewer than 5 studies." in told
    assert "Half a row was added to both counts of 1 of 4 studies with a 0 (sensitivity)." in told
    assert "the standard for the pair is the bivariate model (Reitsma 2005)" in told
    text = page.read_text(encoding="utf-8")
    assert '<h2 id="studies-title">Studies</h2>' in text
    assert text.count("data-chart=forest ") == 4  # studies by two rates, and errors by two
    assert "mean over studies" in text
    (parts,) = json.loads(data.read_text(encoding="utf-8"))["subgroups"]
    found = {v["metric"]: v for v in parts["heterogeneity"]}
    assert found["sensitivity"]["tau2"] == pytest.approx(h.tau2)
    assert found["specificity"]["studies"] == 4
    schema = json.loads(
        (files("tallymark") / "schema/evaluation.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.validate(json.loads(data.read_text(encoding="utf-8")), schema)


def test_studies_at_another_prevalence(tmp_path):
    path = tmp_path / "s.csv"
    STUDIES.to_csv(path, index=False)
    told = run("report", path, "--prevalence", "5%", "--full").output
    assert "positive class 'positive' (5.0 %, as assumed)" in told
    flat = " ".join(told.split())
    assert flat.endswith("Studies are summarized at their own prevalence: leave --prevalence out.")


def test_the_forest_of_studies_is_drawn():
    s = tm.evaluate(STUDIES).by("Author")
    ax = tm.plot.forest(s, "recall", ax=Figure().subplots())
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == ["Jones", "Li", "Mori", "Smith", "mean over studies"]
    squares = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "s"]
    rates = [v["sensitivity"].value for v in s.values(["recall"]).values()]
    assert squares == [*rates, s.heterogeneity("recall").mean.value]
    assert len(tm.plot.forest(s, "mcc", ax=Figure().subplots()).get_yticklabels()) == 4
    with pytest.raises(tm.InputError, match="forest needs to know which metric"):
        tm.plot.forest(s)


def test_a_matrix_is_recognised_wherever_its_row_names_stand():
    table = pd.DataFrame({"truth": ["no", "yes"], "no": [50, 4], "yes": [3, 20]})
    for order in (["truth", "no", "yes"], ["no", "truth", "yes"], ["yes", "no", "truth"]):
        assert tm.evaluate(table[order]).models[0].labels.counts.tolist() == [[50, 3], [4, 20]]
    shares = table.assign(no=[0.9, 0.2], yes=[0.1, 0.8])
    for order in (["truth", "no", "yes"], ["yes", "no", "truth"]):
        with pytest.raises(tm.InputError, match="and these are shares; give the matrix without"):
            tm.evaluate(shares[order])


def test_scores_of_as_many_rows_as_classes_are_no_matrix():
    table = pd.DataFrame({"y": ["spam", "ham"], "ham_prob": [0.2, 0.9], "spam_prob": [0.8, 0.1]})
    ev = tm.evaluate(table)
    assert (ev.rows, ev.source._roles["score"]) == (2, ("ham_prob", "spam_prob"))
    counts = table.assign(ham_prob=[2, 30], spam_prob=[40, 1])
    with pytest.raises(tm.InputError, match="nothing says which of them are the true classes"):
        tm.evaluate(counts)


# -- other words ---------------------------------------------------------------------------------


def test_a_matrix_may_be_of_a_class_called_none(tmp_path):
    ev = tm.evaluate(square(tmp_path, ",mild,None\nmild,5,2\nNone,1,8\n"), positive="mild")
    assert (ev.rows, ev["sensitivity"].value) == (16, 5 / 7)


def test_a_matrix_is_not_in_percent(tmp_path):
    path = square(tmp_path, "class,no,yes\nno,5,2\nyes,1,8\n")
    for data in (path, pd.read_csv(path), pl.read_csv(path)):
        with pytest.raises(tm.InputError, match="percent is for scores, and there are none"):
            tm.evaluate(data, reading={"percent": True})


def test_labels_are_classes():
    with pytest.raises(tm.InputError, match="^there is no argument labels; use classes=$"):
        tm.matrix(TWO, labels=["a", "b"])


def test_words_about_rows_do_not_go_with_a_frame_of_counts():
    crosstab = pd.crosstab(pd.Series(["b", "a", "b"]), pd.Series(["a", "a", "b"]))
    for options in ({"y_score": [0.1]}, {"subgroup": "x"}, {"options": {"header": False}}):
        with pytest.raises(tm.InputError, match="does not go with counts, whose rows are not know"):
            tm.evaluate(crosstab, positive="b", **options)
    assert tm.evaluate(crosstab, positive="b", options={"name": "ours"}).source.name == "ours"


def test_an_evaluation_of_a_matrix_comes_back_from_a_file(tmp_path):
    ev, path = tm.matrix(TWO, use="teaching"), tmp_path / "run.json"
    ev.to_json(path)
    assert tm.evaluate(path).to_dict() == tm.read(path).to_dict() == ev.to_dict()
    assert ev.reading.arguments == {"positive": 1}


def test_a_study_a_line_is_read_alike_by_its_reading():
    table = pd.DataFrame(
        {"study": ["a", "b"], "TP": [10, 20], "FN": [1, 2], "FP": [3, 4], "TN": [30, 40]}
    )
    first = tm.evaluate(table)
    again = tm.evaluate(table, reading=first.reading)
    assert again.to_dict()["models"] == first.to_dict()["models"]
    assert again.by("study").table().to_dicts() == first.by("study").table().to_dicts()
