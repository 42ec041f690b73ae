"""Every cell of the table of corner cases, computed with the libraries as they are installed."""

from __future__ import annotations

import re
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pycm
import pytest
import sklearn.metrics as sk
import skore
import torch
import torchmetrics
import torchmetrics.functional.classification as tc
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.svm import LinearSVC

import tallymark as tm
from judged import counted
from peers.r_table import need_r

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "intervals.md").read_text("utf-8")
TABLE = {
    cells[0]: cells[1:]
    for line in re.findall(r"^\| (\w.+) \|$", PAGE.rpartition("\n### ")[2], re.M)
    for cells in [[cell.strip() for cell in line.split(" | ")]]
}
BACKWARDS = np.repeat([1, 1, 0, 0, 0], 20), np.repeat([0.1, 0.2, 0.7, 0.8, 0.9], 20)
CONSTANT = np.repeat([1, 0], [10, 90]), np.full(100, 0.3)
t = torch.tensor


def names(module, *words):
    return [n for n in dir(module) if any(w in n.lower() for w in words)]


def in_skore(y, s):
    """Return skore's report of a linear model whose only column is the score; it calls 0.5 and below 0."""
    model = LinearSVC()
    model.coef_, model.intercept_, model.classes_ = np.eye(1), np.full(1, -0.5), np.array([0, 1])
    rows = {"X_test": np.asarray(s, float)[:, None], "y_test": np.asarray(y)}
    return skore.EstimatorReport(model, **rows, pos_label=1)


def in_r(code):
    need_r()
    script = f"suppressMessages(library(pROC)); {code}"
    done = subprocess.run(
        ["Rscript", "-e", script], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return done.stdout.split()


def test_the_table_has_the_rows_that_are_tested_here():
    assert len(TABLE) == 10
    assert all(len(cells) == 6 for cells in TABLE.values())


@pytest.mark.r
def test_intervals():
    rows = TABLE["intervals"], TABLE["interval of 98 right of 100"]
    assert rows[0] == [
        "every metric", "none", "none", "by a wrapper that resamples", "13 parameters, none of F1 or MCC",
        "of the ROC area and curve",
    ]  # fmt: skip
    y, s = np.tile([0, 1], 60), np.random.default_rng(0).random(120)
    values = tm.evaluate(y, y_score=s).values()["model"]
    assert all(
        v.low <= v.high or v.reason or v.method[:12] == "no interval:" for v in values.values()
    )
    assert sum(v.low <= v.high for v in values.values()) > 100
    matrix = pycm.ConfusionMatrix(matrix=[[97, 1], [1, 1]])
    with pytest.raises(pycm.pycmCIError, match="Supported parameters are: (.+)") as refused:
        matrix.CI("F1")
    offered = str(refused.value).rsplit(": ", 1)[1].split(", ")
    assert len(offered) == 13
    assert not {"F1", "MCC"} & set(offered)
    low, high = matrix.overall_stat["95% CI"]
    ours = counted([[97, 1], [1, 1]])["accuracy"]
    told = [f"{a:.3f} to {b:.3f}" for a, b in ((ours.low, ours.high), (low, high))]
    assert [rows[1][0], rows[1][4]] == told
    offered = [*dir(skore), *dir(in_skore(y, s).metrics)]
    assert not names(sk, "interval", "boot") + [
        n for n in offered if "interval" in n or "boot" in n
    ]
    assert names(torchmetrics, "interval", "boot") == ["BootStrapper"]
    asked = in_r('cat(c("ci.auc", "ci.se") %in% ls("package:pROC"))')
    assert asked == ["TRUE", "TRUE"]


def test_undefined_numbers():
    y, never, one = [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1]
    ours = [tm.evaluate(y, never)["precision"], tm.evaluate(one, one, classes=[0, 1])["mcc"]]
    assert all(np.isnan(v.value) and v.reason for v in ours)
    with pytest.warns(UndefinedMetricWarning):
        theirs = sk.precision_score(y, never)
    with pytest.warns(UndefinedMetricWarning):
        reported = in_skore(y, never).metrics.precision()
    assert TABLE["precision, nothing called positive"] == [
        "NaN, and why", f"{theirs:g}, with a warning", f"{reported:g}, with a warning",
        f"{float(tc.binary_precision(t(never), t(y))):g}", pycm.ConfusionMatrix(y, never).PPV[1], "–",
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        coefficients = (
            sk.matthews_corrcoef(one, one),
            float(tc.binary_matthews_corrcoef(t(one), t(one))),
        )
        matrix = pycm.ConfusionMatrix(one, one, classes=[0, 1])
    assert TABLE["MCC, one class, all right"] == [
        "NaN, and why", f"{coefficients[0]:g}", "–", f"{coefficients[1]:g}", matrix.MCC["1"], "–",
    ]  # fmt: skip
    assert not {"mcc", "matthews_corrcoef"} & set(dir(in_skore(y, never).metrics))


def test_the_area_of_a_constant_score():
    y, s = CONSTANT
    precision, recall, _ = sk.precision_recall_curve(y, s)
    reported = in_skore(y, s).metrics.precision_recall().average_precision
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = pycm.PRCurve(actual_vector=y, probs=np.column_stack([1 - s, s]), classes=[0, 1])
    assert TABLE["PR area of a constant score, 10 % positives"] == [
        f"{tm.metrics.average_precision(y, s):g}",
        f"{sk.average_precision_score(y, s):g}; {sk.auc(recall, precision):g} by `auc`",
        f"{reported.loc[reported['label'] == 1, 'average_precision'].item():g}",
        f"{float(tc.binary_average_precision(t(s), t(y))):g}", f"{curve.area()[1]:g}", "–",
    ]  # fmt: skip
    assert tm.metrics.pr_auc_davis_goadrich(y, s) == pytest.approx(0.1)


@pytest.mark.r
@pytest.mark.parametrize(("row", "y", "s"), [
    ("ROC area of 100, 101, 102, 103; positives second and last", [0, 1, 0, 1], [100.0, 101.0, 102.0, 103.0]),
    ("ROC area of scores that rank backwards", *BACKWARDS),
])  # fmt: skip
def test_roc_areas(row, y, s):
    y, s = np.asarray(y), np.asarray(s)
    ours = tm.evaluate(y, y_score=s, threshold=0.5)
    warned = any(n.rule == "reversed" for n in ours.notes)
    assert warned == (row == "ROC area of scores that rank backwards")
    theirs = pycm.ROCCurve(actual_vector=y, probs=np.column_stack([1 - s, s]), classes=[0, 1])
    vectors = [f"c({','.join(map(str, v.tolist()))})" for v in (y, s)]
    areas = [
        float(ours["roc_auc"]), sk.roc_auc_score(y, s), in_skore(y, s).metrics.roc_auc(), float(tc.binary_auroc(t(s), t(y))),
        theirs.area()[1], float(in_r(f"cat(auc(roc({', '.join(vectors)}, quiet = TRUE)))")[0]),
    ]  # fmt: skip
    told = [f"{a:g}" for a in areas]
    assert TABLE[row] == [told[0] + ", with a warning" * warned, *told[1:]]


@pytest.mark.r
def test_two_models_on_the_same_rows():
    assert TABLE["two models on the same rows"] == [
        "difference of every metric, interval and test", "none", "numbers side by side", "none", "a rank",
        "ROC areas, DeLong's test",
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    ev = tm.evaluate(
        y, y_score={"a": 0.5 * y + rng.random(200), "b": rng.random(200)}, threshold=0.5
    )
    pair = ev.compare(metrics=[m.name for m in ev.metrics()]).pair("a", "b")
    assert all(d.reason or d.method for d in pair.differences.values())
    assert sum(d.low <= d.high and d.p_value <= 1 for d in pair.differences.values()) > 50
    assert not names(sk, "mcnemar", "delong", "compare") + names(
        torchmetrics, "mcnemar", "delong", "compare"
    )
    reports = {"one": in_skore(y, y), "two": in_skore(y, rng.random(200))}
    beside = skore.compare(reports).metrics
    assert beside.summarize().frame().shape[1] == 2
    assert not [n for n in dir(beside) if "test" in n or "interval" in n or "difference" in n]
    one, two = (
        pycm.ConfusionMatrix(y.tolist(), (m > 0.5).astype(int).tolist())
        for m in (y, rng.random(200))
    )
    assert pycm.Compare({"one": one, "two": two}).best_name == "one"
    asked = in_r(
        "s <- as.numeric(seq(20)); y <- rep(0:1, 10);"
        'cat(roc.test(roc(y, s, quiet = TRUE), roc(y, rev(s)^2, quiet = TRUE), method = "delong")$p.value)'
    )
    assert 0 <= float(asked[0]) <= 1


@pytest.mark.r
def test_counts_of_two_files():
    assert TABLE["counts of two files"] == [
        "`a + b`", "none", "none", "`merge_state`", "`combine`", "none",
    ]  # fmt: skip
    a, b = (tm.LabelTally.from_arrays([0, 1, 1], p) for p in ([0, 1, 0], [1, 1, 1]))
    assert (a + b).rows == 6
    assert hasattr(torchmetrics.Metric, "merge_state")
    assert hasattr(pycm.ConfusionMatrix, "combine")
    assert not names(sk, "merge", "combine") + names(skore.EstimatorReport, "merge", "combine")
    assert in_r('cat("x", grep("merge|combine", ls("package:pROC"), value = TRUE))') == ["x"]


def test_times_are_those_of_the_page_of_performance():
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    alone, of_best = (
        [float(n) for n in re.findall(r"([\d.]+) × ", cells)]
        for cells in re.findall(
            r"^\| exact roc_auc of 10\^7 float64 scores[^|]* \| at least \d+ × \| (.+) \|$",
            page,
            re.M,
        )
    )
    assert TABLE["time of the ROC area of 10⁷ rows"] == [
        "1",
        " to ".join(dict.fromkeys(f"{n:.0f}" for n in (min(alone), max(alone)))),
        "–",
        f"at least {min(of_best):.0f}",
        "–",
        "–",
    ]
