"""An evaluation of several labels: the same questions, and those that one label answers."""

from __future__ import annotations

import html
import inspect
import json
import re

import numpy as np
import pytest

import tallymark as tm
from tallymark.report import page, words
from tallymark.report.subjects.classes import classes_chart, labels_found
from tallymark.report.subjects.evaluation import tiles
from tallymark.report.subjects.outline import outline
from tallymark.report.subjects.steps import label_steps

RNG = np.random.default_rng(3)
NAMES = ["cat", "dog", "<b>sky"]
Y = (RNG.random((80, 3)) < [0.5, 0.3, 0.4]).astype(int)
S = np.clip(0.5 * Y + 0.7 * RNG.random((80, 3)), 0, 1)
ML = tm.evaluate(Y, y_score=S, classes=NAMES, options={"name": "photos"})
FIRST = [
    "subset_accuracy", "hamming_loss", "ranking_loss", "coverage_error",
    "label_ranking_average_precision", "precision", "sensitivity", "f1", "jaccard", "roc_auc",
    "average_precision",
]  # fmt: skip
"""The metrics that are shown first."""


def test_the_summary_shows_rows_averages_and_labels():
    text = ML.summary(120)
    lines = text.splitlines()
    assert lines[0] == "photos"
    assert f"80 rows, 3 labels, on average {Y.sum() / 80:.2g} labels a row" in lines
    value = ML["hamming_loss"]
    assert re.search(f"Hamming loss +{words.value(value)} +{words.interval(value)}", text)
    assert "Average over labels" in text
    assert "model: scores at or above 0.5" in text
    assert re.search(rf"dog +{Y[:, 1].sum()} ", text)
    assert words.value(ML.value("f1", average="micro")) in text
    assert repr(ML).startswith("<Evaluation: photos, 80 rows, 3 labels")
    assert "Hamming loss" in ML.to_markdown()
    assert "Hamming loss" in ML._repr_html_()
    assert "label_ranking_average_precision" in str(ML.help())


def test_the_names_of_metrics_are_asked_for_as_of_one_column():
    assert ML["f1"] == ML.value("f1", average="macro") == ML.values()["model"]["f1"]
    assert [m.name for m in ML.metrics()] == list(ML) == list(ML.values()["model"])
    assert {*FIRST} <= {*ML}
    assert "exact match ratio" in ML
    assert "top_k_accuracy" not in ML
    assert ML.labels == ML.classes == tuple(NAMES)
    assert tm.evaluate([0, 1], [0, 1]).labels == ()
    with pytest.raises(
        tm.InputError, match=r"^'cat' is a label, not a metric; use .label\('cat'\)$"
    ):
        ML["cat"]
    assert "cat" not in ML


def test_the_table_has_a_row_a_value():
    table = ML.table()
    assert [r["metric"] for r in table] == list(ML)
    row = next(r for r in table if r["metric"] == "f1")
    assert row["title"] == "F1"
    assert row["value"] == ML["f1"].value
    assert [r["metric"] for r in ML.table(["hamming_loss"])] == ["hamming_loss"]
    with pytest.raises(tm.InputError, match="top_k_accuracy cannot be computed from these"):
        ML.table(["top_k_accuracy"])
    assert set(table.to_pandas()["model"]) == {"model"}
    of_labels = ML.table(["recall"], per_class=True)
    assert [r["class"] for r in of_labels] == NAMES
    assert of_labels[1]["value"] == ML.label("dog")["recall"].value
    assert "Subset accuracy" in ML.paper_table().to_csv()


def test_json_holds_every_number_and_is_read_again(tmp_path):
    data = json.loads(ML.to_json(tmp_path / "ml.json"))
    assert (data["format"], data["labels"]) == ("tallymark/evaluation", NAMES)
    (model,) = data["models"]
    assert model["values"]["f1"]["value"] == ML["f1"].value
    for average in ("macro", "micro", "weighted", "samples"):
        found = model["averages"]["f1"][average]["value"]
        assert found == ML.value("f1", average=average).value
    assert [one["class"] for one in model["per_class"]] == NAMES
    dog = model["per_class"][1]["values"]
    assert dog["prevalence"]["value"] == Y[:, 1].mean()
    assert dog["roc_auc"]["value"] == ML.label("dog")["roc_auc"].value
    again = tm.read(tmp_path / "ml.json")
    assert again.values() == ML.values()
    assert again.labels == ML.labels
    assert tm.evaluate(tmp_path / "ml.json").label("cat").values() == ML.label("cat").values()
    with pytest.raises(tm.InputError, match="need the rows; leave keep_pairs=False out"):
        ML.to_json(keep_pairs=False)


def test_the_page_holds_what_the_summary_does(tmp_path):
    page = ML.report(tmp_path / "page.html").read_text("utf-8")
    shown = [ML[name] for name in FIRST]
    shown += [ML.value("f1", average=a) for a in ("micro", "weighted", "samples")]
    shown += [ML.label(name)["roc_auc"] for name in NAMES]
    assert all(words.value(v) in page for v in shown)
    assert "&lt;b&gt;sky" in page
    assert "<b>sky" not in page
    assert "Metrics of each label" in page
    assert "Confusion matrix" not in page
    with pytest.raises(tm.InputError, match=r"ask ev.label\('cat'\)"):
        ML.at(cost_fp=1, cost_fn=2)


def test_several_models_stand_beside_each_other(tmp_path):
    ml = tm.evaluate(Y, {"good": S, "poor": 1 - S}, classes=NAMES)
    page = ml.report(tmp_path / "page.html").read_text("utf-8")
    assert page.count("<h3>good</h3>") == page.count("<h3>poor</h3>") + 1 == 2
    right = [100 * ((S if m == "good" else 1 - S).round() == Y).all(1).mean() for m in ml.names]
    told = " ".join(ml.summary(10_000).split())
    assert f"good has every label right in {right[0]:.1f} % of the rows" in told
    assert f"By subset accuracy, next is poor with {right[1] / 100:.3f}. That lead is" in told
    assert {r["model"] for r in ml.table()} == {"good", "poor"}
    with pytest.raises(tm.InputError, match="holds 2 models"):
        ml["f1"]


OF_ONE_COLUMN = {
    "advise": (), "as_printed": (), "at": (), "confusion_matrix": (),
    "curve": ("roc",), "curves": (), "folds": (), "histograms": (), "lab": (), "refer": (),
    "no_information": (), "optimal_threshold": (), "optimal_thresholds": (), "passes": (),
    "sweep": (), "thresholds": (), "effort_aware": (),
}  # fmt: skip
"""The questions that one column of classes answers."""


@pytest.mark.parametrize("name", [n for n in OF_ONE_COLUMN if hasattr(tm.Evaluation, n)])
def test_questions_to_one_label_are_sent_there(name):
    options = {"prevalence": 0.1} if name == "at" else {}
    with pytest.raises(tm.InputError) as caught:
        getattr(ML, name)(*OF_ONE_COLUMN[name], **options)
    assert "question about one label, and these rows have 3; ask ev.label('cat')" in str(
        caught.value
    )
    if name != "folds":  # nothing was said of folds
        getattr(ML.label("cat"), name)(*OF_ONE_COLUMN[name], **options)  # the remedy


def test_every_question_is_answered_or_sent_to_one_label():
    """Of every method of an evaluation it is known whether several labels answer it."""
    answered = {
        "by", "compare", "compare_with", "design_effects", "help", "label", "leaders", "metrics", "model",
        "paper_table", "per_class", "report", "summary", "table", "to_dict", "to_html", "to_json",
        "to_latex", "to_markdown", "to_model_index", "value", "values",
        "verification",
    }  # fmt: skip
    methods = {n for n, _ in inspect.getmembers(tm.Evaluation, callable) if n[0] != "_"}
    assert methods - answered <= {*OF_ONE_COLUMN}


def test_labels_are_found_by_their_names():
    assert ML.label("dog").positive == 1
    assert str(ML.label("dog").source) == "photos: dog"
    assert tm.evaluate(Y, y_score=S).label("1").rows == 80
    with pytest.raises(tm.InputError, match="there is no label 'dogs'; did you mean 'dog'"):
        ML.label("dogs")
    with pytest.raises(tm.InputError, match="every row has one class here"):
        tm.evaluate([0, 1], [0, 1]).label(1)


# -- what to do, and what is uncertain ---------------------------------------------------------


def of_labels(n=400, scores=False, **options):
    """Return an evaluation of frequent, harder and rare labels, and one that is not predicted."""
    rng = np.random.default_rng(4)
    shares = {"cat": 0.4, "dog": 0.3, "rare": 0.02, "none": 0.1}
    y = rng.random((n, 4)) < [*shares.values()]
    p = 1 / (1 + np.exp(2 - 3 * y - rng.normal(size=y.shape)))
    p[:, 1] *= 0.5  # too low for the threshold of 0.5
    if scores:
        return tm.evaluate(y[:, :2], y_score=p[:, :2], classes=[*shares][:2], **options)
    said = p >= 0.5
    said[:, 1] = p[:, 1] >= 0.25
    said[:, 3] = False
    return tm.evaluate(y, said, classes=[*shares], **options)


def test_labels_of_few_rows_and_without_predictions_are_warned_of():
    ev = of_labels()
    n = int(ev.label("rare").models[0].labels.binary(1).positives)
    texts = {note.rule: note.text for note in ev.notes}
    assert texts["few-rows-of-a-label"] == (
        f"fewer than 30 rows have the label rare ({n}): its rates and the averages over labels are "
        "uncertain; collect more such rows"
    )
    assert texts["label-never-predicted"] == (
        "model never predicts the label none: its precision is undefined, and so is its average "
        "over all labels, unless skip_undefined=True"
    )
    rows = np.array([[1, 1, 0]] * 3 + [[0, 1, 1]] * 2 + [[0, 0, 0]] * 40)
    several = {n.rule: n.text for n in tm.evaluate(rows, rows & 0, classes=list("abc")).notes}
    assert several["few-rows-of-a-label"].startswith(
        "fewer than 30 rows have the labels a (3), b (5), c (2): their rates and"
    )
    assert several["label-never-predicted"].startswith(
        "model never predicts the labels a, b, c: their precision is undefined, and so"
    )
    assert several["empty-rows"] == (
        "model: precision is undefined in 45 rows, sensitivity in 40 rows, F1 in 40 rows and "
        "Jaccard index in 40 rows, where no label is predicted or true; averages over rows "
        "(samples) count them as 0, unless skip_undefined=True"
    )


def test_the_worst_label_is_to_be_improved_or_its_threshold_moved():
    ev = of_labels()
    worst, f1 = "none", ev.per_class(["f1", "sensitivity"])["model"]["none"]
    do, *rest = label_steps(ev)
    assert (do.tag, do.text) == (
        "do",
        f"Improve {worst} first: its F1, {words.value(f1['f1'])}, is the lowest of 4 labels. Its "
        f"sensitivity is {words.value(f1['sensitivity'])}.",
    )
    assert [step.text for step in rest] == [
        f"The F1 of {name} may be as low as that of none: intervals overlap."
        for name in ["rare"]
        if ev.label("rare")["f1"].low < f1["f1"].high
    ]
    with_scores = of_labels(scores=True)
    moved = with_scores.label("dog").optimal_threshold("f1")
    new, now = moved.best.corrected, with_scores.label("dog")["f1"]
    (do,) = label_steps(with_scores)
    assert do.text == (
        f"Move the threshold of dog from 0.5 to {moved.threshold:.4g}: expect F1 "
        f"{words.value(new)} ({words.interval(new)}) on new rows, now {words.value(now)}."
    )
    assert do in [*outline(with_scores)]
    told = html.unescape(page.render(with_scores))
    assert do.text in told
    assert "What to do" in told


def test_a_label_with_a_number_is_called_a_label():
    y, said = np.zeros((2, 50, 3), int)
    for label, (tp, fp, fn) in enumerate([(20, 10, 0), (10, 10, 0), (15, 0, 10)]):
        y[: tp + fn, label] = 1
        said[fn : fn + tp, label] = said[tp + fn : tp + fn + fp, label] = 1
    ev = tm.evaluate(y, said)
    f1 = 20 / 30
    assert [step.text for step in label_steps(ev)] == [
        f"Improve label 1 first: its F1, {f1:.2f}, is the lowest of 3 labels. Its precision is "
        "0.50.",
        "The F1 of label 2 and label 0 may be as low as that of label 1: intervals overlap.",
    ]
    assert labels_found(ev, "model")[1].endswith(f" The lowest F1 is that of label 1, {f1:.2f}.")
    heading = classes_chart(ev, "model").heading
    assert heading == f"The lowest F1 is that of label 1: {f1:.2f}"
    first, second = np.arange(50)[:, None] < [20, 40], np.arange(50)[:, None] / 1000
    (moved,) = label_steps(
        tm.evaluate(first * 1, y_score=np.where(first, [0.4, 0.7], 0.1) + second)
    )
    assert moved.text.startswith("Move the threshold of label 0 from 0.5 to 0.4")


def test_labels_without_an_error_and_rows_of_one_class_have_no_such_step():
    y = np.array([[1, 0], [0, 1], [1, 1]] * 9)
    assert label_steps(tm.evaluate(y, y, classes=["a", "b"])) == []
    assert label_steps(tm.evaluate([0, 1] * 9, [0, 1] * 9)) == []


def test_each_average_of_labels_has_its_own_meaning():
    meanings = {tile.title: tile.meaning for tile in tiles(of_labels()).tiles}
    assert meanings["F1 (macro)"] == (
        "Harmonic mean of precision and recall: the mean over labels, which all count alike."
    )
    assert meanings["F1 (micro)"] == (
        "Harmonic mean of precision and recall of all labels pooled, so that frequent ones count "
        "more."
    )


def test_an_assumption_about_each_model_is_counted_above_and_listed_in_the_method():
    models = {"one": Y, "two": np.roll(Y, 1, 0), "three": np.roll(Y, 2, 0)}
    ev = tm.evaluate(Y, models, classes=NAMES)
    each = [n.text for n in ev.notes if n.rule == "empty-rows"]
    assert [text.split(":")[0] for text in each] == ["one", "two", "three"]
    text = page.render(ev)
    about, method = (
        text[start : text.index("</p>" if "about" in text[start : start + 20] else "</ul>", start)]
        for start in (text.index('<p class="about"'), text.index('<section id="method"'))
    )
    assert about.endswith(f"Assumed: {each[0]} (and 2 more).")
    assert [a for a in each if f"<li>Assumed: {a}.</li>" in method] == each
    assert "Assumed" not in page.render(ev.model("one")).split('<section id="method"')[1]
