"""The pages "Coming from ...": every name exists on both sides, every number is the peer's own."""

from __future__ import annotations

import re
import subprocess
import warnings
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
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from peers.r_table import need_r
from peers.test_r import asked
from tallymark.cli import main
from tallymark.contract import CONTRACT
from tallymark.curve import CURVES
from tallymark.infer.significance import mcnemar
from tallymark.metric import get
from tallymark.parts.libraries.like import LIBRARIES, like

DOCS = Path(__file__).parents[2] / "docs"
LIBRARY_PAGES = {
    "scikit-learn": ("from-scikit-learn", None), "torchmetrics": ("from-others", "torchmetrics"),
    "proc": ("from-r", "pROC"), "caret-yardstick": ("from-r", "caret and yardstick"),
    "pycm": ("from-others", "PyCM"), "weka": ("from-others", "Weka"),
    "evidently": ("from-others", "Evidently"), "skore": ("from-others", "skore"),
}  # fmt: skip
"""The page of each library, and its section where the page is of several."""


def text_of(library: str) -> str:
    page, section = LIBRARY_PAGES[library]
    text = (DOCS / f"{page}.md").read_text("utf-8")
    if section is None:
        return text
    text = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return f"# Coming from {section}\n{text}".replace("\n### ", "\n## ")


def tables(text: str) -> list[list[list[str]]]:
    """Return the tables of a page: rows of cells, the heads first."""
    found, table = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in re.split(r" \|(?= )", line.strip("|"))])
        elif table:
            found.append([table[0], *table[2:]])
            table = []
    return found


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def peer_names(page: str) -> set[str]:
    return {
        n.partition("(")[0]
        for table in tables(text_of(page))
        for row in table[1:]
        for n in names(row[0])
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


def test_every_page_of_a_library_is_listed():
    pages = {page for page, _ in LIBRARY_PAGES.values()}
    assert pages == {p.stem for p in DOCS.glob("from-*.md")}


@pytest.mark.parametrize("library", LIBRARY_PAGES)
def test_a_page_has_its_parts_and_every_name_of_ours_exists(library):
    text = text_of(library)
    assert re.findall(r"^#+ (.+)$", text, re.M)[1:] == [
        "Names", "One example", "Definitions that differ",
    ]  # fmt: skip
    assert text.startswith("# Coming from ")
    ours, differ = tables(text)
    assert ours[0][-1] == "tallymark"
    assert len(ours) >= 10
    assert len(differ) >= 5
    for row in ours[1:]:
        for name in names(row[-1]):
            resolve(name)
    for command in re.findall(r"`tallymark (\w+)", text):
        assert main.get_command(click.Context(main), command), command


def sides(page: str, column: int = 0) -> list[tuple[str, str]]:
    """Return the pairs of names that a page's first table sets beside each other, ours metrics."""
    found = []
    for row in tables(text_of(page))[0][1:]:
        ours = [n for n in names(row[-1]) if not n.startswith(("ev.", "tm.", "average="))]
        average = ['average="macro"'] if 'average="macro"' in row[-1] else []
        for i, theirs in enumerate(names(row[column]) if ours else []):
            found.append((theirs, called(ours[min(i, len(ours) - 1)], average)))
    return found


def called(expression: str, more: list[str] = []) -> str:  # noqa: B006
    name, _, given = expression.rstrip(")").partition("(")
    return f"{name}({', '.join([given] * bool(given) + more)})"


def answer(functions: dict, expression: str, *rows):
    """Call what an expression such as ``fbeta_score(beta=2)`` names with these rows."""
    name, _, given = called(expression).rstrip(")").partition("(")
    return functions[name](*rows, **eval(f"dict({given})"))


def ours(expression: str, ev: tm.Evaluation) -> float:
    name, _, given = expression.rstrip(")").partition("(")
    return float(ev.value(name, **eval(f"dict({given})")))


def random_rows(classes: int) -> tuple[np.ndarray, np.ndarray, tm.Evaluation]:
    """Return rows of which every class occurs and is called, and no score is tied or 0.5."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, classes, 400)
    p = rng.dirichlet(np.ones(classes), 400) + 0.5 * np.eye(classes)[y]
    p /= p.sum(1, keepdims=True)
    return y, p, tm.evaluate(y, y_score=p[:, 1] if classes == 2 else p)


def test_names_of_scikit_learn_and_ours_give_one_number():
    checked = 0
    for theirs, name in sides("scikit-learn"):
        y, p, ev = random_rows(3 if "multi_class" in theirs else 2)
        s = p if "multi_class" in theirs else p[:, 1]
        scored = re.search("roc_auc|average_precision|brier|log_loss", theirs)
        value = answer(vars(sk), theirs, y, s if scored else (p[:, 1] >= 0.5).astype(int))
        if isinstance(value, tuple):  # class_likelihood_ratios
            assert value == pytest.approx([float(ev[n]) for _, n in LIKELIHOOD])
        else:
            assert value == pytest.approx(ours(name, ev), rel=1e-9), theirs
        checked += 1
    assert checked == 18


LIKELIHOOD = (("LR+", "positive_likelihood_ratio"), ("LR-", "negative_likelihood_ratio"))


def test_scikit_learn_decides_and_warns_as_the_page_says():
    page = " ".join(text_of("scikit-learn").split())
    for function in (sk.precision_score, sk.f1_score):
        with pytest.warns(UndefinedMetricWarning, match="ill-defined and being set to 0.0"):
            assert function([0, 0], [0, 0]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sk.matthews_corrcoef([0, 1], [0, 0]) == 0
    with pytest.warns(UserWarning, match="No positive class"):
        assert sk.average_precision_score([0, 0], [0.1, 0.2]) == 0
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(sk.roc_auc_score([0, 0], [0.1, 0.2]))
    one = tm.evaluate([0, 0], y_score=[0.1, 0.2], classes=[0, 1], positive=1)
    assert one["roc_auc"].reason
    assert one["average_precision"].reason
    assert -np.log(np.finfo(float).eps) == pytest.approx(36, abs=0.1)
    assert "2.2e-16 away from 0 and 1, so that a certain mistake costs about 36" in page
    fifty = DummyClassifier(strategy="prior").fit([[0]] * 4, [0, 1, 0, 1])
    at_half = FixedThresholdClassifier(fifty, threshold=0.5, response_method="predict_proba")
    assert at_half.fit([[0]] * 4, [0, 1, 0, 1]).predict([[0]]).tolist() == [1]
    fitted = LogisticRegression().fit([[-1], [1]], [0, 1])
    assert fitted.predict_proba([[0]])[0, 1] == 0.5
    assert fitted.predict([[0]]).tolist() == [0]
    points = sk.roc_curve([0, 0, 1], [0.2, 0.5, 0.5], drop_intermediate=False)
    assert [p.tolist()[1] for p in points] == [0.5, 1.0, 0.5]  # both rows at 0.5 are called


@pytest.mark.parametrize("classes", [2, 3])
def test_where_every_class_occurs_and_is_predicted_no_number_differs(classes):
    (found,) = like(random_rows(classes)[2], "sklearn")
    assert [r.name for r in found.rows if not r.same] == []


def test_scikit_learn_has_these_names_and_numbers():
    for name in peer_names("scikit-learn"):
        assert hasattr(sk, name), name
    text = text_of("scikit-learn")
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
    text = text_of("pycm")
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


def test_names_of_pycm_and_ours_give_one_number():
    y, p, ev = random_rows(2)
    cm = pycm.ConfusionMatrix(y.tolist(), (p[:, 1] >= 0.5).astype(int).tolist())
    checked = 0
    for theirs, name in sides("pycm"):
        value = getattr(cm, theirs)
        value = value[1] if isinstance(value, dict) else value
        assert float(value) == pytest.approx(ours(name, ev)), theirs
        checked += 1
    assert checked == 28


def test_pycm_has_none_where_a_correlation_is_0_over_0():
    cm = pycm.ConfusionMatrix(actual_vector=[0, 1, 1], predict_vector=[1, 1, 1])
    assert cm.Overall_MCC == "None"
    assert tm.evaluate([0, 1, 1], [1, 1, 1])["mcc"].reason


def test_names_of_torchmetrics_and_ours_give_one_number():
    checked = 0
    for theirs, name in sides("torchmetrics"):
        if "Multilabel" in theirs:
            continue
        many = "Multiclass" in theirs
        y, p, ev = random_rows(3 if many else 2)
        expression, _, given = theirs.rstrip(")").partition("(")
        options = eval(f"dict({given})") | ({"num_classes": 3} if many else {})
        scores = torch.tensor(p if many else p[:, 1])
        value = float(getattr(tc, expression)(**options)(scores, torch.tensor(y)))
        # the equal error rate is the nearest threshold's, not interpolated
        tolerance = 5e-3 if expression == "BinaryEER" else 2e-6
        assert value == pytest.approx(ours(name, ev), abs=tolerance), theirs
        checked += 1
    assert checked == 16


def test_torchmetrics_counts_a_class_never_predicted_as_0():
    y, p = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 1, 1]
    ev = tm.evaluate(y, p, classes=[0, 1, 2])
    precision = tc.MulticlassPrecision(num_classes=3)
    assert float(precision(torch.tensor(p), torch.tensor(y))) == pytest.approx((1 + 2 / 5 + 0) / 3)
    assert ev["precision"].reason
    assert ev.value("precision", skip_undefined=True).value == pytest.approx((1 + 2 / 5) / 2)
    y, p = [0, 0, 1, 1], [0, 1, 1, 1]  # without class 2
    f1 = tc.MulticlassF1Score(num_classes=3)
    assert float(f1(torch.tensor(p), torch.tensor(y))) == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert tm.evaluate(y, p, classes=[0, 1, 2])["f1"].reason


def test_multilabel_names_of_torchmetrics_and_ours_give_one_number():
    rng = np.random.default_rng(0)
    y, s = rng.random((60, 4)) < 0.4, rng.random((60, 4))
    y[:, 0] |= ~y.any(1)
    y[y.all(1), 1] = False
    ml = tm.evaluate(y, y_score=s)
    for theirs, name in (("RankingLoss", "ranking_loss"), ("CoverageError", "coverage_error")):
        made = getattr(tc, f"Multilabel{theirs}")(num_labels=4)
        value = float(made(torch.tensor(s), torch.tensor(y.astype(int))))
        assert value == pytest.approx(float(ml.value(name)), abs=1e-6)


def test_torchmetrics_has_these_names_and_numbers():
    text = text_of("torchmetrics")
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
    beside = {theirs: name.partition("(")[0] for theirs, name in sides("weka")}
    for e in LIBRARIES["weka"]:
        assert get(beside[e.name.partition(",")[0]]).name == e.metric
    of_r = tables(text_of("caret-yardstick"))
    told = {n for table in of_r for row in table[1:] for cell in row for n in names(cell)}
    assert {e.name for e in LIBRARIES["yardstick"]} <= told
    beside = {theirs: name.partition("(")[0] for theirs, name in sides("caret-yardstick", 1)}
    for e in LIBRARIES["yardstick"]:
        if e.name != "pr_auc":  # explained beside average_precision
            assert get(beside[e.name]).name == e.metric, e.name


def test_of_many_classes_yardstick_has_hand_and_tills_area_and_clips_its_loss():
    ev = random_rows(3)[2]
    theirs = {r.name: r.theirs for r in like(ev, "yardstick")[0].rows}
    assert theirs["roc_auc"] == pytest.approx(ev["hand_till_auc"].value)
    assert theirs["roc_auc"] != pytest.approx(ev["roc_auc"].value)
    certain = tm.evaluate([0, 0, 1, 1], y_score=[0.1, 0.6, 1.0, 0.0])
    (loss,) = (r for r in like(certain, "yardstick")[0].rows if r.name == "mn_log_loss")
    assert (loss.theirs, loss.ours) == (
        pytest.approx(sk.log_loss([0, 0, 1, 1], [0.1, 0.6, 1.0, 0.0])), np.inf)  # fmt: skip


def test_probabilities_are_divided_by_the_classes_that_have_a_column(tmp_path):
    file = tmp_path / "rows.arff"
    file.write_text(
        "@relation r\n@attribute label {a,b,c}\n"
        + "".join(f"@attribute p_{c} numeric\n" for c in "abc")
        + "@data\na,0.7,0.2,0.1\nb,0.2,0.7,0.1\na,0.4,0.5,0.1\nb,0.1,0.8,0.1\n",
        encoding="utf-8",
    )
    assert float(tm.evaluate(file)["mean_absolute_error"]) == pytest.approx(2.8 / 4 / 3)
    two = tm.evaluate(["a", "b"], y_score=[0.3, 0.8], positive="b")
    assert float(two["mean_absolute_error"]) == pytest.approx((0.3 + 0.2) * 2 / 2 / 2)


R_SCRIPT = """
suppressMessages(library(pROC))
d <- read.csv(commandArgs(trailingOnly = TRUE)[1])
roc2 <- function(s, ...) roc(d$outcome, s, quiet = TRUE, ...)
a <- roc2(d$forest, levels = c("good", "bad"), direction = "<")
b <- roc2(d$logistic, levels = c("good", "bad"), direction = "<")
t <- roc.test(a, b)
p <- suppressWarnings(ci.auc(roc(c(0, 0, 0, 1, 1, 1), 1:6, quiet = TRUE)))
best <- coords(a, "best", ret = "threshold")$threshold
i <- read.csv(commandArgs(trailingOnly = TRUE)[2])
each <- as.matrix(i[, -1])
colnames(each) <- sub("p_", "", colnames(each))
cat(multiclass.roc(i$species, each)$auc, auc(roc2(d$forest, percent = TRUE)), "")
stopifnot(formals(getS3method("ci.se", "roc"))$boot.stratified, inherits(smooth(a), "smooth.roc"))
said <- function(f) tryCatch({f; "nothing"}, message = conditionMessage, warning = conditionMessage)
all_said <- c(said(roc(d$outcome, d$forest)),
              said(roc(d$outcome, d$forest, levels = c("good", "bad"))),
              said(ci.auc(roc(c(0, 0, 0, 1, 1, 1), 1:6, quiet = TRUE))))
known <- c("control = bad, case = good", "Setting direction: controls < cases", "always 1-1")
stopifnot(mapply(grepl, known, all_said, fixed = TRUE))
cat(ci.auc(a)[c(1, 3)], sqrt(var(a)), t$statistic, t$p.value, t$conf.int, auc(roc2(-d$forest)),
    auc(a, partial.auc = c(1, .9)), auc(a, partial.auc = c(1, .9), partial.auc.correct = TRUE),
    best, p[c(1, 3)])
"""


@pytest.mark.r
def test_proc_has_these_names_and_numbers():
    need_r("pROC")
    text = text_of("proc")
    called = {n for n in peer_names("proc") if re.fullmatch(r"[a-z]\w*(\.\w+)*", n)}
    called -= {"direction", "levels", "percent", "smooth"} | {
        n for n in called if n.startswith("partial.auc")
    }
    quoted = ", ".join(f'"{n}"' for n in sorted(called))
    known = f"library(pROC); stopifnot(sapply(c({quoted}), exists))"
    subprocess.run(
        ["Rscript", "-e", f"suppressMessages({{{known}}})"], check=True, capture_output=True
    )
    command = ["Rscript", "-e", R_SCRIPT, *map(str, map(tm.example, ("credit", "iris")))]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    (
        many,
        percent,
        low,
        high,
        se,
        z,
        p,
        d_low,
        d_high,
        flipped,
        part,
        corrected,
        best,
        one,
        also_one,
    ) = map(float, done.stdout.split())
    assert f"{low:.4f} to {high:.4f}, standard error {se:.6f}" in text
    assert f"Z = {z:.3f}, p = {p:.4f}, difference −{-d_low:.4f} to {d_high:.4f}" in text
    assert f"area is {flipped:.4f} again" in text
    assert f"({round(part, 6)}, {round(corrected, 6)})" in text
    assert f"({best})" in text
    assert one == also_one == 1
    assert f"\n{round(many, 6)}\n" in text
    ev = credit()[2]
    assert percent / 100 == pytest.approx(ev["roc_auc"].value, abs=1e-6)
    scores, ours_best = credit()[1], ev.optimal_threshold("youden_j").threshold
    assert ((scores >= best) == (scores >= ours_best)).all()


def test_the_page_of_proc_says_on_how_many_data_sets_it_is_run():
    shown = f"the tests of tallymark run it too, on {len(asked())} data sets"
    assert shown in " ".join(text_of("proc").split())


@pytest.mark.filterwarnings("ignore")
def test_evidently_has_these_names_and_numbers():
    why = "Evidently is not installed beside pandas 2; the page's numbers were run with 0.7.23"
    metrics = pytest.importorskip("evidently.metrics", reason=why, exc_type=ImportError)
    from evidently import (
        BinaryClassification,
        DataDefinition,
        Dataset,
        MulticlassClassification,
        Report,
        presets,
    )
    from evidently.tests import gte

    def run(frame, *asked, of=BinaryClassification, **columns):
        kind = of(target="y", **columns)
        rows = Dataset.from_pandas(frame, data_definition=DataDefinition(classification=[kind]))
        told = Report(list(asked)).run(rows, None).dict()
        return [m["value"] for m in told["metrics"]], [t["status"].name for t in told["tests"]]

    six = ("Accuracy", "Precision", "Recall", "F1Score", "RocAuc", "LogLoss")
    for name in {n for n in peer_names("evidently") if n[0].isupper()} - {"Dataset.from_pandas"}:
        assert hasattr(metrics, name) or hasattr(presets, name), name
    text = text_of("evidently")
    y, s, _ = credit()
    made = [getattr(metrics, name)() for name in six]
    values, _ = run(pd.DataFrame({"y": y, "p": s}), *made, prediction_probas="p")
    shown = re.findall(r"^\w+ +(0\.\d{4})$", text, re.M)
    assert [f"{v:.4f}" for v in values] == shown
    (guess,), _ = run(
        pd.DataFrame({"y": y, "p": s}), metrics.DummyAccuracy(), prediction_probas="p"
    )
    assert guess == pytest.approx(0.3**2 + 0.7**2, abs=0.08)
    assert credit()[2].no_information().rate == 0.7
    passed = metrics.RocAuc(tests=[gte(0.78)])
    assert run(pd.DataFrame({"y": y, "p": s}), passed, prediction_probas="p")[1] == ["SUCCESS"]
    nobody = pd.DataFrame({"y": [0, 1, 0, 1, 0], "c": [0] * 5})
    made = [getattr(metrics, name)() for name in six[1:4]]
    assert run(nobody, *made, prediction_labels="c")[0] == [0, 0, 0]
    with pytest.raises(ValueError, match="Cannot compute RocAuc"):
        run(nobody, metrics.RocAuc(), prediction_labels="c")
    words = pd.DataFrame({"y": ["no", "no", "yes", "yes"], "c": ["no", "yes", "yes", "yes"]})
    with pytest.raises(KeyError, match="1"):
        run(words, metrics.Precision(), prediction_labels="c")
    three = pd.DataFrame({"y": list("aabbcc"), "c": list("abbbbb")})
    many = {"of": MulticlassClassification, "prediction_labels": "c"}
    assert run(three, metrics.Precision(), **many)[0] == [pytest.approx((1 + 2 / 5 + 0) / 3)]
    certain = pd.DataFrame({"y": [0, 0, 1, 1], "p": [0.1, 0.6, 1.0, 0.0]})
    (loss,), _ = run(certain, metrics.LogLoss(), prediction_probas="p")
    assert loss == pytest.approx(sk.log_loss(certain.y, certain.p))


def test_evidentlys_numbers_are_those_of_scikit_learn():
    text = text_of("evidently")
    y, s, _ = credit()
    p = (s >= 0.5).astype(int)
    theirs = [sk.accuracy_score(y, p), sk.precision_score(y, p), sk.recall_score(y, p),
              sk.f1_score(y, p), sk.roc_auc_score(y, s), sk.log_loss(y, s)]  # fmt: skip
    assert re.findall(r"^\w+ +(0\.\d{4})$", text, re.M) == [f"{v:.4f}" for v in theirs]
    with pytest.raises(tm.InputError, match="needs scores"):
        tm.evaluate(y, p)["roc_auc"]


@pytest.mark.filterwarnings("ignore")
def test_skore_has_these_names_and_numbers():
    why = "skore is not installed; the page's numbers were run with 0.28.0"
    skore = pytest.importorskip("skore", reason=why)
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    x, y = load_breast_cancer(return_X_y=True)
    fitted_on, judged, y_train, y_test = train_test_split(x, y, random_state=0)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(fitted_on, y_train)
    report = skore.EstimatorReport(tree, X_test=judged, y_test=y_test)
    for name in re.findall(r"`report\.metrics\.(\w+)", text_of("skore")):
        assert callable(getattr(report.metrics, name))
    ev = tm.evaluate(report.estimator_, report.X_test, report.y_test)
    for name, ours_ in (("accuracy", "accuracy"), ("roc_auc", "roc_auc"), ("log_loss", "log_loss"),
                        ("brier_score", "brier")):  # fmt: skip
        assert getattr(report.metrics, name)() == pytest.approx(ev[ours_].value), name
    for name in ("precision", "recall"):
        both = getattr(report.metrics, name)()
        assert both[1] == pytest.approx(ev[name].value)
        assert sorted(both) == [0, 1]
        one = skore.EstimatorReport(tree, X_test=judged, y_test=y_test, pos_label=1)
        assert getattr(one.metrics, name)() == pytest.approx(both[1])
    nobody = DummyClassifier(strategy="constant", constant=0).fit(fitted_on, y_train)
    constant = skore.EstimatorReport(nobody, X_test=judged, y_test=y_test).metrics
    assert constant.precision() == {0: pytest.approx(0.3706, abs=5e-5), 1: 0}
    assert constant.log_loss() == pytest.approx(22.68, abs=0.005)
    folds = skore.CrossValidationReport(tree, X=x, y=y, splitter=5).metrics.summarize().frame()
    assert [c.rpartition("_")[2] for c in folds.columns] == ["mean", "std"]


def test_skores_numbers_are_those_of_scikit_learn():
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    _, y = load_breast_cancer(return_X_y=True)
    _, y_test = train_test_split(y, random_state=0)
    nobody = np.zeros(len(y_test))
    text = text_of("skore")
    assert f"{sk.log_loss(y_test, nobody):.2f} for that constant classifier" in text
    assert f"({sk.precision_score(y_test, nobody, pos_label=0):.4f} for class 0)" in text


@pytest.mark.r
def test_caret_has_these_numbers():
    need_r("pROC")
    script = (
        'if (!requireNamespace("caret", quietly = TRUE)) quit(status = 0);'
        'm <- as.table(matrix(c(70, 30, 20, 80), 2, dimnames = list(c("ill", "well"), c("ill", "well"))));'
        'x <- caret::confusionMatrix(m, positive = "ill");'
        'cat(x$overall[c("Accuracy", "Kappa", "AccuracyLower", "AccuracyUpper", "AccuracyPValue")],'
        ' x$byClass[c("Sensitivity", "Specificity", "Precision", "Neg Pred Value", "F1")],'
        ' x$overall["McnemarPValue"]);'
        "k <- as.table(matrix(c(5, 1, 2, 1, 6, 1, 0, 2, 7), 3));"
        'cat("", caret::confusionMatrix(k)$byClass[, "Balanced Accuracy"]);'
        'stopifnot(caret::confusionMatrix(m)$positive == "ill",'
        ' caret::confusionMatrix(as.table(m[2:1, 2:1]))$positive == "well",'
        ' c("Pos Pred Value", "Recall", "Prevalence", "Detection Prevalence") %in% names(x$byClass),'
        ' "AccuracyNull" %in% names(x$overall))'
    )
    done = subprocess.run(
        ["Rscript", "-e", script], capture_output=True, text=True, encoding="utf-8", check=True
    )
    if not done.stdout:
        pytest.skip("caret is not installed in R; the page's numbers were run with caret 6.0-93")
    accuracy, kappa, low, high, p, *rest = map(float, done.stdout.split())
    *rest, of_errors, first, second, third = rest
    assert of_errors == pytest.approx(mcnemar(30, 20, "corrected").p_value)
    counts = np.array([[5, 1, 2], [1, 6, 1], [0, 2, 7]])  # rows are true classes
    tally = tm.LabelTally(tuple("abc"), counts)
    halves = sum(
        np.array(getattr(tm.metrics, name)(tally, average="per_class")) / 2
        for name in ("sensitivity", "specificity")
    )
    assert [first, second, third] == pytest.approx(halves.tolist(), abs=1e-6)
    text = text_of("caret-yardstick")
    shown = dict(re.findall(r"^(\w+) +(0\.\d{4})$", text, re.M))
    values = [float(v) for v in list(shown.values())[:7]]
    assert values == pytest.approx([accuracy, kappa, *rest], abs=5e-5)
    assert f"{low:.4f} to {high:.4f}, Clopper-Pearson" in text
    assert f"the binomial one, here {p:.4g}," in text
