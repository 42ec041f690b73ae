"""Classification reports in every spelling, and numbers without predictions."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import classification_report, confusion_matrix

import tallymark as tm
from judged import counted_of
from results_in_files import PAIR, REAL, THREE, TRIPLE, TWO, counts, lines, needs_files, run, sample

OF_THREE = confusion_matrix(*TRIPLE)


def report(of, **options):
    return classification_report(*of, zero_division=0, **options)


def frame(of):
    return pd.DataFrame(report(of, output_dict=True))


@pytest.mark.parametrize("of", [PAIR, TRIPLE], ids=["two", "three"])
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("r.txt", report),
        ("r.txt", lambda of: "forest\n\n" + report(of, digits=4) + "\nROC area 0.9\n"),
        ("r.csv", lambda of: frame(of).to_csv()),
        ("r.csv", lambda of: frame(of).T.to_csv()),
        ("r.csv", lambda of: frame(of).T.round(3).to_csv(sep=";")),
        ("r.txt", lambda of: str(frame(of).T)),
        ("r.json", lambda of: json.dumps(report(of, output_dict=True))),
        ("r.json", lambda of: json.dumps(report(of, output_dict=True), indent=2)),
        ("r.json", lambda of: json.dumps({"fit": 3.5, "report": report(of, output_dict=True)})),
    ],
)
def test_counts_are_rebuilt_from_a_report(of, name, write, written):
    matrix = confusion_matrix(*of)
    ev = tm.evaluate(written(write(of), name))
    found = ev.models[0].labels.counts
    assert found.diagonal().tolist() == matrix.diagonal().tolist()
    assert found.sum(0).tolist() == matrix.sum(0).tolist()
    assert found.sum(1).tolist() == matrix.sum(1).tolist()
    assert ev.source.format[0] == "counts rebuilt from a classification report"
    rows = tm.evaluate(*of, positive="yes" if len(matrix) == 2 else None)
    assert ev["accuracy"].low == rows["accuracy"].low
    assert ev["mcc"].value == pytest.approx(rows["mcc"].value, abs=1e-12)
    codes = [n.rule for n in counted_of(ev).notes]
    assert ("report-mistakes" in codes) == (len(matrix) > 2)


@pytest.mark.parametrize("seed", range(5))
def test_a_rounded_report_says_how_many_matrices_it_leaves(seed, written):
    of = sample(TWO, 3000, seed)
    ev = tm.evaluate(written(report(of)))
    (note,) = [n for n in counted_of(ev).notes if n.rule == "report-rounded"]
    possible = 0
    right = report(of)
    (n, m) = confusion_matrix(*of).sum(1).tolist()
    share = ev["accuracy"].value
    for a in range(n + 1):  # by trying every matrix near the one that was chosen
        for b in range(m + 1):
            if abs((a + b) / (n + m) - share) < 0.006 and abs(a - counts(ev)[0][0]) < 40:
                made = _printed(a, n, b, m)
                possible += made == [line.split()[1:4] for line in right.splitlines()[2:4]] and (
                    f"{(a + b) / (n + m):.2f}" == right.split("accuracy")[1].split()[0]
                )
    assert f"makes {possible} matrices possible (accuracy from 0." in note.text
    assert "digits=12" in note.text


def _printed(a, n, b, m):
    p, q = a + m - b, b + n - a
    first = (a / p if p else 0, a / n, 2 * a / (n + p))
    second = (b / q if q else 0, b / m, 2 * b / (m + q))
    return [[f"{v:.2f}" for v in first], [f"{v:.2f}" for v in second]]


@pytest.mark.parametrize("classes", [3, 5, 8, 20, 40])
def test_a_rounded_report_of_many_classes(classes, written):
    names = [f"class {k}" for k in range(classes)]
    of = sample(names, 150 * classes, classes)
    ev = tm.evaluate(written(report(of)))
    matrix = confusion_matrix(*of, labels=[str(c) for c in ev.classes])
    found = ev.models[0].labels.counts
    assert found.sum(1).tolist() == matrix.sum(1).tolist()
    assert ev["accuracy"].value == pytest.approx(matrix.trace() / matrix.sum(), abs=0.0051)
    assert np.abs(found.diagonal() - matrix.diagonal()).max() <= 2
    said = [n.text for n in counted_of(ev).notes if n.rule == "report-rounded"]
    assert said
    assert "leaves open the counts of" in said[0]


def test_a_matrix_beside_a_report_is_taken_with_its_names(written):
    for matrix in (OF_THREE, OF_THREE.T):
        ev = tm.evaluate(written(f"{report(TRIPLE)}\n{matrix}\n"))
        assert (counts(ev), ev.classes) == (OF_THREE.tolist(), tuple(THREE))
    both = {"report": report(TRIPLE, output_dict=True), "cm": OF_THREE.tolist()}
    ev = tm.evaluate(written(json.dumps(both), "m.json"))
    assert (counts(ev), ev.classes) == (OF_THREE.tolist(), tuple(THREE))


def test_a_class_that_is_never_predicted(written):
    of = np.repeat(THREE, 20), np.repeat(["cat", "dog", "dog"], 20)
    assert counts(tm.evaluate(written(report(of)))) == confusion_matrix(*of).tolist()


def test_a_report_is_not_in_percent(written):
    with pytest.raises(tm.InputError, match="percent is for scores, and there are none"):
        tm.evaluate(written(report(PAIR)), reading={"percent": True})


LABELS = np.eye(4, dtype=int)[sample(range(4), 40, 4)[0]], np.eye(4, dtype=int)[::1].repeat(10, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (report(LABELS), "is a report of rows with several labels, of parts of texts, or"),
        (report(TRIPLE, labels=["cat", "dog"]), "or of some of the classes only"),
        (report(PAIR) * 2, "holds 2 classification reports; keep one in a file"),
        (
            report(PAIR).replace("accuracy  ", "accuracy  ").replace(" 0.", " 0.0", 2),
            "no counts give the numbers of results.txt: support, recall, precision and accuracy",
        ),
        (
            report(TRIPLE, sample_weight=np.full(150, 0.5), digits=3).replace("  0.", "  0."),
            "the support in results.txt holds other than whole numbers",
        ),
    ],
)
def test_refusals_of_reports(text, words, written):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(written(text))


EXACT = report(TRIPLE, output_dict=True)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (EXACT | {"accuracy": 0.9123456789012}, "no counts give the numbers of r.json"),
        (EXACT | {"cat": EXACT["cat"] | {"f1-score": 0.5123456789012}}, "no counts give the"),
        (EXACT | {"cat": EXACT["cat"] | {"recall": 0.5123456789012}}, "no counts give the"),
        (EXACT | {"cat": EXACT["cat"] | {"recall": 73.3}}, "beyond 0 and 1; give them as shares"),
        (EXACT | {"cat": EXACT["cat"] | {"recall": "x"}}, "holds 'x' where a number of a report"),
        (EXACT | {"cat": EXACT["cat"] | {"support": 1e20}}, "the support in r.json holds other"),
    ],
)
def test_numbers_of_a_report_that_contradict_each_other(data, words, written):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(written(json.dumps(data), "r.json"))


def test_a_rounded_report_of_very_many_rows(written):
    text = report(PAIR).replace(" 96\n", " 9600000\n").replace(" 104\n", " 10400000\n")
    with pytest.raises(tm.InputError, match="leaves too many matrices possible to look at; give a"):
        tm.evaluate(written(text))


def test_two_reports_in_one_object(written):
    one = report(PAIR, output_dict=True)
    with pytest.raises(tm.InputError, match="holds 2 finished results .'train', 'test'.; keep one"):
        tm.evaluate(written(json.dumps({"train": one, "test": one}), "r.json"))


def test_inspect_shows_a_finished_result(written):
    told = run("inspect", written(report(PAIR))).stdout
    assert "counts rebuilt from a classification report" in " ".join(told.split())


@needs_files
def test_a_real_report():
    ev = tm.evaluate(REAL / "remla_report.json")
    assert (ev.rows, counts(ev)) == (180, [[67, 11], [38, 64]])
    assert ev["accuracy"].value == pytest.approx(0.727778, abs=5e-7)
    done = run("report", REAL / "remla_report.json", "--json", "-")
    accuracy = json.loads(done.stdout)["models"][0]["values"]["accuracy"]
    assert accuracy["low"] < accuracy["value"] < accuracy["high"]
    assert "rebuilt" in ev.source.read_as


# -- numbers without predictions -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "l.csv",
            "model,accuracy,f1\na,.9,.8\nb,.8,.7\n",
            "2 results with 'accuracy', 'f1'; .*: tallymark plan proportion 0.9 --n N; if it does",
        ),
        (
            "l.csv",
            "dataset,classifier,auc\na,x,.9\na,y,.8\n",
            "2 results with 'auc'; classifiers are compared on data sets by: tallymark results l.csv",
        ),
        (
            "l.csv",
            "model,params,top1,top5\na,3,90.1,99\nb,4,89.5,98\n",
            "plan proportion 90.1% --n",
        ),
        (
            "l.csv",
            "param_C,mean_fit_time,mean_test_score\n1,.1,.9\n2,.1,.8\n",
            "2 results with 'mean_test_score'; .* found by: tallymark reconcile METRIC=NUMBER",
        ),
        (
            "l.csv",
            "epoch,loss,accuracy,val_loss,val_accuracy\n0,1,.5,1,.4\n1,.9,.6,1,.5\n",
            "2 results with 'accuracy', 'val_accuracy'",
        ),
        ("l.json", json.dumps({"train": {"auc": 0.99}, "test": {"auc": 0.9}}), "with 'auc'"),
        (
            "l.csv",
            "sensitivity,specificity,n\n0.9,0.8,200\n",
            "run: tallymark reconcile .*sensitivity=0.9.* --n 200",
        ),
        (
            "l.json",
            json.dumps({"sensitivity": 0.9, "specificity": 0.8, "n": 200}),
            "run: tallymark reconcile .*specificity=0.8.* --n 200",
        ),
        (
            "grid.csv",
            lines(*(f"{a},{b},0.{7 + a}{b}" for a in range(3) for b in range(4))),
            "holds numbers, no predictions: every combination of the values in its first columns",
        ),
    ],
)
def test_numbers_without_predictions_are_refused_with_what_can_be_done(name, text, words, written):
    path = written(text, name)
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(path)
    assert "numbers, no predictions" in run("report", path).stderr


def test_commands_that_are_named_work():
    assert run("plan", "proportion", "90.1%", "--n", 500).exit_code == 0
    assert run("reconcile", "sensitivity=0.9", "specificity=0.8", "--n", 200).exit_code == 0


@needs_files
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rrslvq_grid.csv", "holds numbers, no predictions: every combination of the values"),
        ("timm_imagenet.csv", "holds numbers, no predictions: 1,556 results with 'top1', 'top5'"),
    ],
)
def test_real_numbers_without_predictions(name, words):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(REAL / name)


@needs_files
def test_real_results_of_models_name_a_command():
    err = run("report", REAL / "timm_imagenet.csv").stderr
    assert "tallymark plan" in err
