"""Counts that are rebuilt from reports, found apart by trying all; whole sentences of refusals."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from sklearn.metrics import classification_report

import tallymark as tm
from judged import counted_of, refusal
from tallymark.parts.reports.numbers import refusal_of

UNEVEN = np.array([[31, 5, 2], [7, 18, 4], [1, 9, 23]])
NAMES, TWO = np.array(["ash", "beech", "oak"]), np.array(["no", "yes"])


def rows_of(matrix, names=NAMES):
    true, called = np.indices(matrix.shape)
    return names[np.repeat(true.ravel(), matrix.ravel())], names[
        np.repeat(called.ravel(), matrix.ravel())
    ]


def report(matrix, names=NAMES, **options):
    return classification_report(*rows_of(np.asarray(matrix), names), zero_division=0, **options)


def found(path, **options):
    ev = tm.evaluate(path, **options)
    return ev, ev.models[0].labels.counts.astype(int)


def notes(ev):
    return [(n.rule, n.text) for n in counted_of(ev).notes if n.rule.startswith("report")]


def test_off_the_diagonal_counts_are_as_even_as_their_sums_allow(written):
    # Mistakes of the rows are 7, 11, 10 and of the columns 8, 14, 6: of all whole counts with
    # these sums, those nearest to what proportional fitting gives.
    ev, counts = found(written(json.dumps(report(UNEVEN, output_dict=True)), "r.json"))
    rows, columns = (7, 11, 10), (8, 14, 6)
    even = 1.0 - np.eye(3)
    for _ in range(1000):
        even *= (np.array(rows) / even.sum(1))[:, None]
        even *= np.array(columns) / even.sum(0)
    possible = []
    for a in range(8):  # one cell settles the others
        made = np.array([[0, a, 7 - a], [0, 0, 0], [0, 14 - a, 0]])
        made[1, 2] = 6 - made[0, 2]
        made[1, 0] = 11 - made[1, 2]
        made[2, 0] = 8 - made[1, 0]
        if (made >= 0).all() and made.sum(1).tolist() == list(rows):
            possible.append(made)
    nearest = min(possible, key=lambda made: np.abs(made - even).sum())
    assert counts.tolist() == (nearest + np.diag(np.diag(UNEVEN))).tolist()
    assert [rule for rule, _ in notes(ev)] == ["report-mistakes"]
    assert ev.models[0].rule == (
        "rebuilt from a report: off the diagonal one of several possible matrices"
    )
    assert notes(ev)[0][1].startswith("r.json does not say which class is mistaken for which: ")
    right = report(np.diag([5, 3, 9]), output_dict=True)
    ev, counts = found(written(json.dumps(right), "right.json"))
    assert (counts.tolist(), notes(ev)) == (np.diag([5, 3, 9]).tolist(), [])


def test_counts_give_the_accuracy_that_is_printed(written):
    # Recalls of 0.50, 0.50 and 0.51 of 300 rows each: 150, 150 and 153 hits are 0.50 of all.
    matrix = np.array([[151, 100, 49], [60, 151, 89], [37, 110, 153]])
    text = report(matrix, digits=2)
    assert "accuracy" in text
    _, counts = found(written(text))
    assert f"{counts.trace() / 900:.2f}" == "0.51"
    assert report(counts.astype(int), digits=2) == text


@pytest.mark.parametrize("digits", [1, 2])
def test_two_classes_by_trying_all(digits, written):
    matrix, names = np.array([[13, 8], [4, 20]]), TWO
    text = report(matrix, names, digits=digits)
    ev, counts = found(written(text))

    def printed(a, b):
        precision, recall = (a / (a + 24 - b), b / (b + 21 - a)), (a / 21, b / 24)
        f1 = [2 * p * r / (p + r) if p + r else 0 for p, r in zip(precision, recall, strict=True)]
        each = itertools.chain(precision, recall, f1, [(a + b) / 45])
        return [f"{v:.{digits}f}" for v in each]

    wanted = printed(13, 20)
    alike = [
        (a, b)
        for a, b in itertools.product(range(22), range(25))
        if a + 24 - b and b + 21 - a and printed(a, b) == wanted
    ]
    if len(alike) == 1:
        assert (counts.tolist(), notes(ev)) == (matrix.tolist(), [])
        return
    recalls = [float(v) for v in wanted[2:4]]
    near = min(alike, key=lambda ab: abs(ab[0] - 21 * recalls[0]) + abs(ab[1] - 24 * recalls[1]))
    assert counts.diagonal().tolist() == list(near)
    shares = [(a + b) / 45 for a, b in alike]
    assert notes(ev) == [(
        "report-rounded",
        f"results.txt: its rounding makes {len(alike)} matrices possible (accuracy from "
        f"{min(shares):.4g} to {max(shares):.4g}); the one nearest to the printed numbers is "
        "judged. For exact counts give the confusion matrix, or a report that is not rounded "
        "(scikit-learn: digits=12, or output_dict=True as JSON)",
    )]  # fmt: skip


def test_what_the_rounding_of_three_classes_leaves_open(written):
    matrix = UNEVEN * 11
    ev, counts = found(written(report(matrix)))
    # A class is open where another number of hits, or of predictions, gives what is printed.
    lines = [line.split() for line in report(matrix).splitlines()[2:5]]
    opened = []
    for name, precision, recall, f1, support in lines:
        n = int(support)
        pairs = [
            (hits, called)
            for hits in range(n + 1)
            if abs(hits / n - float(recall)) <= 0.005 + 1e-9
            for called in range(max(hits, 1), n + 1200)
            if abs(hits / called - float(precision)) <= 0.005 + 1e-9
        ]
        hits = [h for h, _ in pairs]
        opened.append((max(hits) - min(hits), min(hits), max(hits), name))
        assert f1
    _, low, high, name = max(opened, key=lambda o: o[0])
    rounded, mistakes = notes(ev)
    assert rounded[1].startswith(
        "results.txt: its rounding makes several matrices possible: it leaves open the counts of "
        f"3 of 3 classes (such as {low} to {high} hits of {name!r}); the one nearest"
    )
    assert mistakes[0] == "report-mistakes"
    assert counts.sum(1).tolist() == matrix.sum(1).tolist()
    assert counts.sum() == matrix.sum()
    for k, (_, precision, recall, f1, _) in enumerate(lines):
        hits, called, n = counts[k, k], counts[:, k].sum(), counts[k].sum()
        assert (f"{hits / called:.2f}", f"{hits / n:.2f}") == (precision, recall)
        assert f"{2 * hits / (called + n):.2f}" == f1


def test_a_matrix_beside_a_report_says_which_way_it_stands(written):
    for matrix, roles in (
        (UNEVEN, "truth = `rows`, pred = `columns`"),
        (UNEVEN.T, "truth = `columns`, pred = `rows`"),
    ):
        both = {"report": report(UNEVEN, output_dict=True), "cm": matrix.tolist()}
        for name, data in (
            ("r.txt", f"{report(UNEVEN)}\n{matrix}\n"),
            ("r.json", json.dumps(both)),
        ):
            ev, counts = found(written(data, name))
            assert counts.tolist() == UNEVEN.tolist()
            assert ev.source.read_as == (
                f"Read as: {roles}; format: a confusion matrix beside a classification report, "
                "classes in the order ash, beech, oak."
            )
            assert notes(ev) == []
    assert refusal(written(f"{report(UNEVEN)}\n{UNEVEN}\n\n{UNEVEN.T}\n")) == (
        "results.txt holds several matrices; keep one in a file"
    )
    # A table of other rows, or of more classes, is left aside.
    for other in (UNEVEN + 1, np.eye(4, dtype=int)):
        ev, _ = found(written(f"{report(UNEVEN, digits=14)}\n{other}\n"))
        assert ev.source.format[0] == "counts rebuilt from a classification report"


def test_classes_of_a_report_are_named_and_ordered(written):
    two = report([[13, 8], [4, 20]], TWO, digits=13)
    ev, _ = found(written(two), positive="no")
    assert (ev.positive, ev["sensitivity"].value) == ("no", 13 / 21)
    ev, counts = found(written(two), classes=["yes", "no"])
    assert (ev.classes, counts.tolist()) == (("yes", "no"), [[20, 4], [8, 13]])
    numbers = report(UNEVEN, np.array([3, 1, 2]), output_dict=True)
    ev, _ = found(written(json.dumps(numbers), "n.json"))
    assert ev.classes == (1, 2, 3)


def test_a_class_that_is_never_predicted_and_one_that_never_occurs(written):
    matrix = np.array([[6, 0, 3], [4, 0, 1], [2, 0, 8]])
    for zero_division in (0, 1, np.nan):
        text = classification_report(*rows_of(matrix), zero_division=zero_division, digits=13)
        assert found(written(text))[1].tolist() == matrix.tolist()
    two = np.array([[0, 9], [0, 5]])
    for zero_division in (0, 1, np.nan):
        text = classification_report(*rows_of(two, TWO), zero_division=zero_division, digits=13)
        assert found(written(text))[1].tolist() == two.tolist()


SPELLINGS = {
    "markdown": "| | precision | recall | f1-score | support |\n|---|---|---|---|---|\n"
    "| no | 0.5 | 0.75 | 0.6 | 4 |\n| yes | 0.8 | 0.5714285714286 | 0.6666666666667 | 7 |\n",
    "imbalanced-learn": "  pre rec spe f1 geo iba sup\n\nno 0.5 0.75 0.6 0.6 0.6 0.4 4\n"
    "yes 0.8 0.5714285714286 0.7 0.6666666666667 0.6 0.4 7\n\navg / total 0.7 0.6 0.7 0.6 0.6 0.4 11\n",
    "without F1": "x,precision,recall,support\nno,0.5,0.75,4\nyes,0.8,0.5714285714286,7\n"
    "accuracy,,0.6363636363636,11\n",
    "a column a class": "x,no,yes\nprecision,0.5,0.8\nrecall,0.75,0.5714285714286\nsupport,4,7\n",
    "with micro avg": "x,precision,recall,support\nno,0.5,0.75,4\nyes,0.8,0.5714285714286,7\n"
    "micro avg,0.6363636363636,0.6363636363636,11\n",
}  # fmt: skip


def test_every_spelling_of_one_report(written):
    for name, text in SPELLINGS.items():
        counts = found(written(text, "r.csv" if "," in text else "r.txt"))[1]
        assert counts.tolist() == [[3, 1], [3, 4]], name


ONE = {"precision": 0.5, "recall": 0.75, "support": 4}
REFUSED = {
    "r.json has three": (
        {"a": report(UNEVEN, output_dict=True), "b": report(UNEVEN, output_dict=True)},
        "r.json holds 2 finished results ('a', 'b'); keep one in a file",
    ),
    "rounded to no rows": (
        {"ash": ONE, "beech": {"precision": 0.8, "recall": 0.9, "support": 7}},
        "no counts give the numbers of r.json: support, recall, precision and accuracy contradict "
        "each other, as in means over folds or where a line is missing; give the rows or the "
        "confusion matrix",
    ),
    "some classes": (
        {"ash": ONE, "beech": ONE, "micro avg": {"precision": 0.5, "recall": 0.6}},
        "r.json is a report of rows with several labels, of parts of texts, or of some of the "
        "classes only: its numbers do not add up to one confusion matrix; give the rows",
    ),
    "no number": (
        {"ash": ONE, "beech": ONE | {"precision": "half"}},
        "r.json holds 'half' where a number of a report should be; correct it",
    ),
    "beyond 1": (
        {"ash": ONE, "beech": ONE | {"recall": 1.0001}},
        "r.json holds precision, recall or accuracy beyond 0 and 1; give them as shares",
    ),
    "below 0": (
        {"ash": ONE, "beech": ONE | {"recall": -0.1}},
        "r.json holds precision, recall or accuracy beyond 0 and 1; give them as shares",
    ),
    "weighted": (
        {"ash": ONE, "beech": ONE | {"support": 6.5}},
        "the support in r.json holds other than whole numbers; give the report of unweighted rows",
    ),
    "more rows than a float64 counts": (
        {"ash": ONE, "beech": ONE | {"support": 2**53 + 1}},
        "the support in r.json holds other than whole numbers; give the report of unweighted rows",
    ),
    "no rows": (
        {"ash": ONE | {"support": 0}, "beech": ONE | {"support": 0}},
        "the support in r.json holds other than whole numbers; give the report of unweighted rows",
    ),
    "too many": (
        {"ash": ONE | {"support": 4e8}, "beech": ONE | {"support": 7e8}},
        "the rounding of r.json leaves too many matrices possible to look at; give a report with "
        "more digits (scikit-learn: digits=12, or output_dict=True as JSON)",
    ),
}


@pytest.mark.parametrize("case", ["every refusal"])
def test_refusals_word_by_word(case, written):
    for name, (data, words) in REFUSED.items():
        assert refusal(written(json.dumps(data), "r.json")) == words, (case, name)


HOLDS = "{} holds numbers, no predictions: "
END = "; if it does hold predictions, name the true class with truth=..."
FINISHED = {
    "one.csv": (
        "model,test_accuracy,n\nforest,0.875,96\n",
        "one result with 'test_accuracy'; for the interval of an accuracy on N rows run, such as "
        "for the first: tallymark plan proportion 0.875 --n 96",
    ),
    "percent.csv": (
        "model,top1\nforest,87.5\nother,90\n",
        "2 results with 'top1'; for the interval of an accuracy on N rows run, such as for the "
        "first: tallymark plan proportion 87.5% --n N",
    ),
    "whole.csv": (
        "model,acc\nforest,100\n",
        "one result with 'acc'; for the interval of an accuracy on N rows run, such as for the "
        "first: tallymark plan proportion 100% --n N",
    ),
    "sure.csv": (
        "model,acc\nforest,1\n",
        "one result with 'acc'; for the interval of an accuracy on N rows run, such as for the "
        "first: tallymark plan proportion 1 --n N",
    ),
    "beyond.csv": (
        "model,acc\nforest,101\n",
        "one result with 'acc'; with the number of rows N, the counts that give such numbers are "
        "found by: tallymark reconcile METRIC=NUMBER ... --n N",
    ),
    "claims.csv": (
        "model,val_precision,recall,ppv,f1_score,acc,rows\na,0.75,0.6,0.75,0.6667,0.9,40\n",
        "one result with 'val_precision', 'recall', 'ppv', 'f1_score'; for the counts that give "
        "them run: tallymark reconcile f1=0.6667 precision=0.75 recall=0.6 accuracy=0.9 --n 40",
    ),
    "two words.csv": (
        "dataset,Classifier,AUC\niris,forest,0.9\n",
        "one result with 'AUC'; classifiers are compared on data sets by: tallymark results "
        "'two words.csv'",
    ),
    "many.csv": (
        "m,auc\n" + "".join(f"x{i},0.{i % 7 + 1}\n" for i in range(1200)),
        "1,200 results with 'auc'; with the number of rows N, the counts that give such numbers "
        "are found by: tallymark reconcile METRIC=NUMBER ... --n N",
    ),
}  # fmt: skip


def test_finished_numbers_word_by_word(written):
    for name, (text, words) in FINISHED.items():
        assert refusal(written(text, name)) == HOLDS.format(name) + words + END


GRID = [[str(a), str(b), f"0.{3 + a}{b}"] for a in range(2) for b in range(4)]


def test_a_grid_of_a_search_is_no_table_of_predictions():
    assert str(refusal_of([], GRID, "g.csv")) == (
        "g.csv holds numbers, no predictions: every combination of the values in its first columns "
        "has one line, as in a grid search; give the predictions of the model to judge, with its "
        "true classes"
    )
    for other in (
        GRID[:-1],  # seven lines
        [*GRID[:-1], GRID[0]],  # one combination twice
        [[a, b, "1" + c[1:]] for a, b, c in GRID],  # no shares
        [[a, b, "-" + c] for a, b, c in GRID],
        [[a, b, c[-1]] for a, b, c in GRID],
        [[b + a, c] for a, b, c in GRID],  # one setting alone
        [["0", b + a, c] for a, b, c in GRID],  # two, of which one varies
        [[a, b, "x"] for a, b, c in GRID],
        [*GRID[:-1], GRID[-1][:2]],
    ):
        assert refusal_of([], other, "g.csv") is None, other
    both = [[*row, "0.5"] for row in GRID]  # two results of each setting
    assert refusal_of([], both, "g.csv") is not None
