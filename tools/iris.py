"""Write docs/iris.md and its figures: one classifier of three classes, worked through.

python tools/iris.py docs/iris.md
"""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import tallymark as tm
from tallymark.tally.labels import against_rest

SHOWN = (
    "accuracy", "sensitivity", "specificity", "precision", "negative_predictive_value", "f1",
    "matthews_corrcoef", "youden_j", "geometric_mean",
)  # fmt: skip
PRINTED = {"accuracy": "99.33%", "recall": "100%", "specificity": "98.0%", "precision": "99.01%",
           "npv": "100%"}  # fmt: skip
"""What Tharwat (2018), section 7, prints "for the first class"."""


@cache
def evaluated() -> tm.Evaluation:
    """Return the cross-validated predictions, counted."""
    data = load_iris()
    names = np.array([str(n) for n in data.target_names])
    x, y = data.data, data.target
    scores, called = np.empty((len(y), 3)), np.empty(len(y), dtype=int)
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(x, y):
        model = make_pipeline(StandardScaler(), PCA(2), SVC()).fit(x[train], y[train])
        scores[test] = model.decision_function(x[test])
        called[test] = model.predict(x[test])
    # One-against-rest distances, which are no logits: their softmax would rank otherwise.
    given = {"classes": list(names), "reading": {"score_is": "score"}}
    return tm.evaluate(names[y], names[called], y_score=scores, **given)


def text() -> str:
    """Return the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    ev = evaluated()
    tally = ev.models[0].labels
    yield "# Iris: one classifier of three classes, worked through\n"
    yield "Tharwat (2018), section 7, classifies Fisher's iris with a support vector machine on two"
    yield "principal components and judges each class against the rest. The paper states neither"
    yield "kernel, scaling nor split. Standardised features, two components, scikit-learn's default"
    yield "SVC and a shuffled stratified 10-fold cross-validation give its numbers of the first"
    yield "class: plausible, and not the only way to them. `make measure WHAT=iris` regenerates"
    yield "this page.\n"
    yield "## The matrix\n"
    yield "Rows are true classes.\n"
    yield "| | " + " | ".join(map(str, tally.labels)) + " |"
    yield "|---|" + "---|" * len(tally.labels)
    for label, row in zip(tally.labels, tally.counts, strict=True):
        yield f"| {label} | " + " | ".join(f"{n:.0f}" for n in row) + " |"
    yield ""
    yield from _classes(ev, tally)
    yield from _curves(ev)
    yield from _claim(tally)


def _classes(ev: tm.Evaluation, tally: tm.LabelTally) -> Iterator[str]:
    yield "## Each class against the rest\n"
    yield "| class | TP | FN | FP | TN |"
    yield "|---|---|---|---|---|"
    alone = {c: against_rest(tally, c) for c in tally.labels}
    for label, t in alone.items():
        c = t.binary(label)
        yield f"| {label} | {c.tp:.0f} | {c.fn:.0f} | {c.fp:.0f} | {c.tn:.0f} |"
    yield "\n| metric | " + " | ".join(map(str, alone)) + " | macro average |"
    yield "|---|" + "---|" * (len(alone) + 1)
    for name in SHOWN:
        metric = tm.metric.get(name)
        values = [float(metric(t, positive=c)) for c, t in alone.items()]
        overall = ev.value(name).value
        told = " | ".join(f"{v:.4f}" for v in values)
        yield f"| {name} | {told} | {overall:.4f} |"
    yield "\nOf accuracy and MCC the last column is the number of the whole matrix.\n"


def _curves(ev: tm.Evaluation) -> Iterator[str]:
    yield "## Curves\n"
    yield "![ROC curves of each class against the rest](figures/iris-roc.svg)\n"
    yield "![Precision-recall curves of each class against the rest](figures/iris-pr.svg)\n"
    yield "| class | ROC area | average precision |"
    yield "|---|---|---|"
    for t in ev.models[0].scores:
        area, precision = (float(tm.metric.get(n)(t)) for n in ("roc_auc", "average_precision"))
        yield f"| {t.positive} | {area:.4f} | {precision:.4f} |"
    for average in ("macro", "weighted"):
        area, precision = (ev.value(n, average=average).value
                           for n in ("roc_auc", "average_precision"))  # fmt: skip
        yield f"| {average} average | {area:.4f} | {precision:.4f} |"
    yield f"\nHand and Till's M is {ev['hand_till_auc'].value:.4f}.\n"


def _claim(tally: tm.LabelTally) -> Iterator[str]:
    stated = ", ".join(f"{k} {v}" for k, v in PRINTED.items())
    found = tm.reconcile(PRINTED, n=int(tally.rows), positives=50)
    yield "## What the paper prints for the first class\n"
    yield f"It prints {stated}."
    yield "`tm.reconcile` looks for such a matrix of 150 rows with 50 positives:\n"
    yield "```"
    yield str(found)
    yield "```\n"
    ours = against_rest(tally, tally.labels[0]).binary(tally.labels[0])
    tp, fn, fp, tn = found.solutions[0]
    same = (tn, fp, fn, tp) == tuple(int(v) for v in (ours.tp, ours.fn, ours.fp, ours.tn))
    yield "So the numbers are those of *not* the first class as the positive one: sensitivity and"
    yield "specificity have changed places, and so have precision and negative predictive value."
    yield (
        "This is the matrix of the predictions above with the positive class exchanged."
        if same
        else "The predictions above have another matrix."
    )


def figures(folder: Path) -> None:
    """Draw the curves."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "tallymark", "svg.fonttype": "none"}):
        for name, draw in (("roc", tm.plot.roc), ("pr", tm.plot.pr)):
            fig = Figure(figsize=(5.4, 4.4), layout="constrained")
            draw(evaluated(), ax=fig.subplots())
            fig.savefig(folder / f"iris-{name}.svg", format="svg", metadata={"Date": None})


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(text(), encoding="utf-8")
    figures(page.parent / "figures")
