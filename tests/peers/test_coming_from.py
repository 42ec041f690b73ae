"""The pages "Coming from ...": every name exists on both sides, every number is the peer's own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pycm
import pytest
import sklearn.metrics as sk
import torch
import torchmetrics
import torchmetrics.classification as tc

import tallymark as tm
from peers.r_table import need_r
from tallymark.cli import main
from tallymark.contract import CONTRACT
from tallymark.curve import CURVES
from tallymark.metric import get
from tallymark.report.like import LIBRARIES, like

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("from-*.md"))


def tables(page: Path) -> list[list[list[str]]]:
    """Return the tables of a page: rows of cells, the heads first."""
    found, table = [], []
    for line in [*page.read_text("utf-8").splitlines(), ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif table:
            found.append([table[0], *table[2:]])
            table = []
    return found


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def peer_names(page: str) -> set[str]:
    (file,) = (p for p in PAGES if p.stem == f"from-{page}")
    return {
        n.partition("(")[0] for table in tables(file) for row in table[1:] for n in names(row[0])
    }


def resolve(expression: str) -> None:
    """Look up a name of ours: a metric, a curve, an argument, or a path from tm or ev."""
    ev = re.fullmatch(r"ev\[\"(\w+)\"\]", expression)
    if ev:
        get(ev[1])
    elif expression.startswith(("tm.", "ev.")):
        at, path = tm if expression.startswith("tm.") else tm.Evaluation, expression[3:]
        for part in path.partition("(")[0].split("."):
            at = getattr(at, part)
        for curve in re.findall(r'ev\.curve\("(\w+)"', expression):
            assert curve in CURVES
    elif "=" in expression.partition("(")[0]:
        assert expression.partition("=")[0] in CONTRACT
    elif expression not in CONTRACT and expression not in ("positive=", "clip="):
        get(expression.partition("(")[0])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_has_its_parts_and_every_name_of_ours_exists(page):
    text = page.read_text("utf-8")
    assert re.findall(r"^#+ (.+)$", text, re.M)[1:] == [
        "Names", "One example", "Definitions that differ",
    ]  # fmt: skip
    assert text.startswith("# Coming from ")
    ours, differ = tables(page)
    assert ours[0][-1] == "tallymark"
    assert len(ours) >= 10
    assert len(differ) >= 5
    for row in ours[1:]:
        for name in names(row[-1]):
            resolve(name)
    for command in re.findall(r"`tallymark (\w+)", text):
        assert main.get_command(click.Context(main), command), command


def test_scikit_learn_has_these_names_and_numbers():
    for name in peer_names("scikit-learn"):
        assert hasattr(sk, name), name
    text = (DOCS / "from-scikit-learn.md").read_text("utf-8")
    assert f"Written against scikit-learn {'.'.join(sklearn_version()[:2])}," in text
    y = [0, 0, 1, 0, 1]
    assert sk.precision_score(y, [0] * 5, zero_division=0) == sk.matthews_corrcoef(y, [0] * 5) == 0
    certain = sk.log_loss([0, 0, 1, 1], [0.1, 0.6, 1.0, 0.0])
    assert f"log_loss                        {certain:.4f}" in text
    three = {"labels": [0, 1, 2], "average": "macro", "zero_division": 0}
    y, p = [0, 0, 1, 1], [0, 1, 1, 1]
    assert f"{sk.balanced_accuracy_score(y, p):.4f}      nan" in text
    for function in (sk.precision_score, sk.recall_score, sk.f1_score):
        value = function(y, p, **three)
        assert re.search(rf"{function.__name__}\(average='macro'\) +{value:.4f} ", text)


def sklearn_version() -> list[str]:
    import sklearn

    return sklearn.__version__.split(".")


def credit() -> tuple[np.ndarray, np.ndarray, tm.Evaluation]:
    frame = pd.read_csv(tm.example("credit"))
    y = (frame["outcome"] == "bad").to_numpy().astype(int)
    ev = tm.evaluate(tm.example("credit"), truth="outcome", positive="bad", score="forest")
    return y, frame["forest"].to_numpy(), ev


def test_pycm_has_these_names_and_numbers():
    text = (DOCS / "from-pycm.md").read_text("utf-8")
    assert f"PyCM {pycm.__version__}," in text
    cm = pycm.ConfusionMatrix(matrix={0: {0: 80, 1: 20}, 1: {0: 30, 1: 70}})
    for name in peer_names("pycm"):
        assert hasattr(cm, name) or hasattr(pycm, name), name
    for name, value in (("Mutual Information", cm.MutualInformation), ("PPV Macro", cm.PPV_Macro),
                        ("F1 Macro", cm.F1_Macro), ("dInd", cm.dInd[1]), ("DP", cm.DP[1])):  # fmt: skip
        assert re.search(rf"^{name} +{float(value):.4f}  ", text, re.M), name
    y, s, _ = credit()
    of_rows = pycm.ConfusionMatrix(y.tolist(), (s >= 0.5).astype(int).tolist())
    assert f"({float(of_rows.AUC[1]):.4f}, 0.789)" in text


def test_torchmetrics_has_these_names_and_numbers():
    text = (DOCS / "from-torchmetrics.md").read_text("utf-8")
    assert f"torchmetrics {'.'.join(torchmetrics.__version__.split('.')[:2])}," in text
    for name in peer_names("torchmetrics"):
        places = (tc, torchmetrics, torchmetrics.Metric)
        assert any(hasattr(place, name) for place in places), name
    y, s, ev = credit()
    shown = 0
    for row in like(ev, "torchmetrics")[0].rows:
        options = {"n_bins": 15} if "Calibration" in row.name else {}
        theirs = float(getattr(tc, row.name)(**options)(torch.tensor(s), torch.tensor(y)))
        assert row.theirs == pytest.approx(theirs, abs=2e-6), row.name
        if not row.same:
            assert re.search(rf"^{row.name} +{theirs:.4f}  {row.ours:.4f}$", text, re.M)
            shown += 1
    assert shown == 7


def test_weka_and_yardstick_are_told_by_the_names_that_explain_uses():
    weka = {e.name.partition(",")[0] for e in LIBRARIES["weka"]}
    assert weka <= peer_names("weka") | {"MCC"}
    (page,) = (p for p in PAGES if p.stem == "from-caret-yardstick")
    told = {n for table in tables(page) for row in table[1:] for cell in row for n in names(cell)}
    assert {e.name for e in LIBRARIES["yardstick"]} <= told


R_SCRIPT = """
suppressMessages(library(pROC))
d <- read.csv(commandArgs(trailingOnly = TRUE)[1])
roc2 <- function(s, ...) roc(d$outcome, s, quiet = TRUE, ...)
a <- roc2(d$forest, levels = c("good", "bad"), direction = "<")
b <- roc2(d$logistic, levels = c("good", "bad"), direction = "<")
t <- roc.test(a, b)
p <- suppressWarnings(ci.auc(roc(c(0, 0, 0, 1, 1, 1), 1:6, quiet = TRUE)))
best <- coords(a, "best", ret = "threshold")$threshold
cat(ci.auc(a)[c(1, 3)], sqrt(var(a)), t$statistic, t$p.value, t$conf.int, auc(roc2(-d$forest)),
    auc(a, partial.auc = c(1, .9)), auc(a, partial.auc = c(1, .9), partial.auc.correct = TRUE),
    best, p[c(1, 3)])
"""


@pytest.mark.r
def test_proc_has_these_names_and_numbers():
    need_r("pROC")
    text = (DOCS / "from-proc.md").read_text("utf-8")
    called = {n for n in peer_names("proc") if re.fullmatch(r"[a-z]\w*(\.\w+)*", n)}
    called -= {"direction", "levels", "percent", "smooth"} | {
        n for n in called if n.startswith("partial.auc")
    }
    quoted = ", ".join(f'"{n}"' for n in sorted(called))
    known = f"library(pROC); stopifnot(sapply(c({quoted}), exists))"
    subprocess.run(
        ["Rscript", "-e", f"suppressMessages({{{known}}})"], check=True, capture_output=True
    )
    command = ["Rscript", "-e", R_SCRIPT, str(tm.example("credit"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (low, high, se, z, p, d_low, d_high, flipped, part, corrected, best, one, also_one) = map(
        float, done.stdout.split()
    )
    assert f"{low:.4f} to {high:.4f}, standard error {se:.6f}" in text
    assert f"Z = {z:.3f}, p = {p:.4f}, difference −{-d_low:.4f} to {d_high:.4f}" in text
    assert f"area is {flipped:.4f} again" in text
    assert f"({round(part, 6)}, {round(corrected, 6)})" in text
    assert f"({best})" in text
    assert one == also_one == 1


@pytest.mark.r
def test_caret_has_these_numbers():
    need_r("pROC")
    script = (
        'if (!requireNamespace("caret", quietly = TRUE)) quit(status = 0);'
        'm <- as.table(matrix(c(70, 30, 20, 80), 2, dimnames = list(c("ill", "well"), c("ill", "well"))));'
        'x <- caret::confusionMatrix(m, positive = "ill");'
        'cat(x$overall[c("Accuracy", "Kappa", "AccuracyLower", "AccuracyUpper", "AccuracyPValue")],'
        ' x$byClass[c("Sensitivity", "Specificity", "Precision", "Neg Pred Value", "F1")])'
    )
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True)
    if not done.stdout:
        pytest.skip("caret is not installed in R; the page's numbers were run with caret 6.0-93")
    accuracy, kappa, low, high, p, *rest = map(float, done.stdout.split())
    text = (DOCS / "from-caret-yardstick.md").read_text("utf-8")
    shown = dict(re.findall(r"^(\w+) +(0\.\d{4})$", text, re.M))
    values = [float(v) for v in list(shown.values())[:7]]
    assert values == pytest.approx([accuracy, kappa, *rest], abs=5e-5)
    assert f"{low:.4f} to {high:.4f}, Clopper-Pearson" in text
    assert f"'{p:.4g}'" in text
