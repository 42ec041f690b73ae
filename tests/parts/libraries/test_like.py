"""Other libraries' definitions, held to the libraries themselves where they can be run."""

from __future__ import annotations

import json
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pycm
import pytest
import sklearn.metrics as sk
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.metric import get
from tallymark.parts.libraries.like import LIBRARIES, definitions_of, like


def rows(k, n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(1, k + 1) / sum(range(1, k + 1)))
    p = rng.dirichlet(np.ones(k), n) + 0.8 * np.eye(k)[y] * rng.random((n, 1))
    p = np.floor(100 * p / p.sum(1, keepdims=True)) / 100
    p[:, 0] = 1 - p[:, 1:].sum(1)
    return y, p


def told(ev, library):
    (found,) = like(ev, library)
    return {r.name: r for r in found.rows}


def binary(seed=0):
    y, p = rows(2, seed=seed)
    s = np.round(p[:, 1], 1)  # some scores are 0.5 sharp
    return y, s, tm.evaluate(y, y_score=s)


def many(seed=0):
    y, p = rows(4, seed=seed)
    return y, p, tm.evaluate(y, y_score=p)


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_of_two_classes(seed):
    y, s, ev = binary(seed)
    p = (s >= 0.5).astype(int)
    found = told(ev, "sklearn")
    for name in ("accuracy_score", "balanced_accuracy_score", "precision_score", "recall_score",
                 "f1_score", "jaccard_score", "cohen_kappa_score", "matthews_corrcoef",
                 "zero_one_loss", "hamming_loss"):  # fmt: skip
        assert found[name].theirs == pytest.approx(getattr(sk, name)(y, p)), name
    for name in ("roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"):
        assert found[name].theirs == pytest.approx(getattr(sk, name)(y, s)), name


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_of_many_classes(seed):
    y, p, ev = many(seed)
    called = p.argmax(1)
    found = told(ev, "sklearn")
    for name in ("precision_score", "recall_score", "f1_score"):
        theirs = getattr(sk, name)(y, called, average="macro", zero_division=0)
        assert found[f"{name}(average='macro')"].theirs == pytest.approx(theirs), name
    weighted = sk.f1_score(y, called, average="weighted", zero_division=0)
    assert found["f1_score(average='weighted')"].theirs == pytest.approx(weighted)
    for kind in ("ovr", "ovo"):
        theirs = sk.roc_auc_score(y, p, multi_class=kind)
        assert found[f"roc_auc_score(multi_class='{kind}')"].theirs == pytest.approx(theirs)
    assert found["log_loss"].theirs == pytest.approx(sk.log_loss(y, p))


def test_scikit_learn_of_nothing_called_positive():
    y = [0, 1, 0, 1, 0]
    found = told(tm.evaluate(y, [0] * 5), "sklearn")
    for name in ("precision_score", "f1_score"):
        assert found[name].theirs == getattr(sk, name)(y, [0] * 5, zero_division=0)
    never_true = tm.evaluate([0] * 5, y, classes=[0, 1], positive=1)
    nothing = tm.evaluate([0] * 5, [0] * 5, classes=[0, 1], positive=1)
    for ev, called in ((never_true, y), (nothing, [0] * 5)):
        of_none = told(ev, "sklearn")
        for name in ("precision_score", "recall_score", "f1_score", "jaccard_score"):
            theirs = getattr(sk, name)([0] * 5, called, zero_division=0)
            assert of_none[name].theirs == theirs == 0, name
    assert found["matthews_corrcoef"].theirs == 0
    assert math.isnan(found["matthews_corrcoef"].ours)
    assert not found["matthews_corrcoef"].same
    assert found["f1_score"].same
    present = told(tm.evaluate([0, 1, 1], [0, 1, 2], classes=[0, 1, 2]), "sklearn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sk.balanced_accuracy_score([0, 1, 1], [0, 1, 2])
    assert present["balanced_accuracy_score"].theirs == theirs


def number(value):
    return math.nan if value == "None" else float(value)


@pytest.mark.parametrize("seed", range(5))
def test_pycm(seed):
    y, s, ev = binary(seed)
    cm = pycm.ConfusionMatrix(y.tolist(), (s >= 0.5).astype(int).tolist())
    found = told(ev, "pycm")
    overall = {n: v.replace(" ", "_") for n, v in {
        "Overall ACC": "Overall_ACC", "Kappa": "Kappa", "Scott PI": "PI", "Gwet AC1": "AC1",
        "Bennett S": "S", "Krippendorff Alpha": "Alpha", "Overall MCC": "Overall_MCC",
        "Overall CEN": "Overall_CEN", "Mutual Information": "MutualInformation",
        "PPV Macro": "PPV_Macro", "F1 Macro": "F1_Macro",
    }.items()}  # fmt: skip
    for name, theirs in overall.items():
        assert found[name].theirs == pytest.approx(number(getattr(cm, theirs))), name
    for name in ("TPR", "PPV", "F1", "AUC", "PLR", "DOR", "dInd", "DP"):
        theirs = number(getattr(cm, name)[1])
        assert found[name].theirs == pytest.approx(theirs, nan_ok=True), name


def test_pycm_has_none_where_it_is_infinite():
    y, p = [1, 1, 0, 0], [1, 0, 0, 0]
    cm = pycm.ConfusionMatrix(y, p)
    found = told(tm.evaluate(y, p), "pycm")
    assert cm.PLR[1] == cm.DOR[1] == "None"
    assert math.isnan(found["PLR"].theirs)
    assert found["PLR"].ours == math.inf
    assert not found["DOR"].same
    assert [f.left_out for f in like(tm.evaluate(y, p), "pycm")] == [("AUC",)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_torchmetrics(seed):
    import torch
    import torchmetrics.classification as tc

    y, s, ev = binary(seed)
    target, scores = torch.tensor(y), torch.tensor(s)
    found = told(ev, "torchmetrics")
    for entry in LIBRARIES["torchmetrics"]:
        if entry.only == "binary":
            options = {"n_bins": 15} if "Calibration" in entry.name else {}
            theirs = float(getattr(tc, entry.name)(**options)(scores, target))
            assert found[entry.name].theirs == pytest.approx(theirs, abs=2e-6), entry.name
    assert not found["BinaryAccuracy"].same
    y, p, ev = many(seed)
    target, scores = torch.tensor(y), torch.tensor(p)
    found = told(ev, "torchmetrics")
    for entry in LIBRARIES["torchmetrics"]:
        if entry.only == "many":
            theirs = float(getattr(tc, entry.name)(num_classes=4)(scores, target))
            assert found[entry.name].theirs == pytest.approx(theirs, abs=2e-6), entry.name


def test_weka_by_hand():
    # Negative class first: 6 rows, 4 found; positive: 3 rows, 2 found.
    y = ["n"] * 6 + ["p"] * 3
    s = [0.1, 0.2, 0.2, 0.4, 0.6, 0.8, 0.9, 0.7, 0.3]
    found = told(tm.evaluate(y, y_score=s, positive="p"), "weka")
    assert found["TP Rate, weighted"].theirs == pytest.approx((6 * 4 / 6 + 3 * 2 / 3) / 9)
    assert found["FP Rate, weighted"].theirs == pytest.approx((6 * 1 / 3 + 3 * 2 / 6) / 9)
    assert found["Precision, weighted"].theirs == pytest.approx((6 * 4 / 5 + 3 * 2 / 4) / 9)
    assert found["ROC Area, weighted"].same
    reverse = [1 - v for v in s]
    both = [
        tm.metrics.average_precision([int(v == "n") for v in y], reverse),
        tm.metrics.average_precision([int(v == "p") for v in y], s),
    ]
    assert found["PRC Area, weighted"].theirs == pytest.approx((6 * both[0] + 3 * both[1]) / 9)


def test_weka_ranks_each_class_by_its_own_column(tmp_path):
    # The probability of yes is rounded to 1 in two rows, which that of no still tells apart.
    file = tmp_path / "two.csv"
    file.write_text(
        "truth,p_no,p_yes\nyes,1e-12,1\nno,1e-9,1\nyes,0.4,0.6\nno,0.7,0.3\nno,0.8,0.2\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(main, ["explain", str(file), "--like", "weka", "--json"])
    (found,) = json.loads(done.stdout)
    theirs = {row["name"]: row["theirs"] for row in found["rows"]}
    # 3 x 2 pairs: by p_yes one is tied and one is wrong, by p_no only that one is wrong.
    by_yes, by_no = (4 + 0.5) / 6, 5 / 6
    assert theirs["ROC Area, weighted"] == pytest.approx((2 * by_yes + 3 * by_no) / 5, abs=1e-12)


def test_versions_of_weka_differ_where_a_class_is_never_predicted():
    ev = tm.evaluate(["n"] * 6 + ["p"] * 3, ["n"] * 9, positive="p")
    old, new = told(ev, "weka-3.7"), told(ev, "weka")
    assert old["Precision, weighted"].theirs == pytest.approx(6 * 6 / 9 / 9)
    assert old["F-Measure, weighted"].theirs == pytest.approx(6 * (12 / 15) / 9)
    assert old["MCC, weighted"].theirs == 0
    assert old["TP Rate, weighted"].theirs == new["TP Rate, weighted"].theirs
    for name in ("Precision, weighted", "F-Measure, weighted", "MCC, weighted"):
        assert math.isnan(new[name].theirs), name
        assert '"?"' in new[name].why
    three = tm.evaluate(["a", "a", "b"], ["a", "a", "a"], classes=["a", "b", "c"])
    assert math.isnan(told(three, "weka")["F-Measure, weighted"].theirs)
    found = tm.evaluate(["a", "a", "b"], ["a", "b", "b"], classes=["a", "b", "c"])
    assert told(found, "weka")["Precision, weighted"].theirs == pytest.approx((2 + 1 / 2) / 3)


def test_a_number_that_two_versions_agree_on_is_named_once():
    names = [words for _, words, _ in definitions_of(binary()[2], get("precision"))]
    assert "weka's Precision, weighted" in names
    assert not any("weka-3.7" in n for n in names if n.replace("weka-3.7", "weka") in names)


def test_yardstick_by_hand():
    y = ["n"] * 6 + ["p"] * 3
    s = [0.1, 0.2, 0.2, 0.4, 0.6, 0.8, 0.9, 0.7, 0.3]
    found = told(tm.evaluate(y, y_score=s, positive="p"), "yardstick")
    assert (found["sens"].theirs, found["sens"].ours) == pytest.approx((4 / 6, 2 / 3))
    assert (found["precision"].theirs, found["precision"].ours) == pytest.approx((4 / 5, 2 / 4))
    first = [int(v == "n") for v in y]
    reverse = [1 - v for v in s]
    assert found["pr_auc"].theirs == pytest.approx(tm.metrics.pr_auc_trapezoid(first, reverse))
    assert found["roc_auc"].same
    y = ["a", "a", "b", "b", "c", "c", "c"]
    p = ["a", "b", "b", "b", "b", "c", "a"]
    found = told(tm.evaluate(y, p), "yardstick")
    sens = [1 / 2, 2 / 2, 1 / 3]
    spec = [4 / 5, 3 / 5, 4 / 4]
    assert found["bal_accuracy"].theirs == pytest.approx((sum(sens) + sum(spec)) / 6)
    assert found["bal_accuracy"].ours == pytest.approx(sum(sens) / 3)
    one = told(tm.evaluate(["a", "a", "b"], ["a", "a", "a"], classes=["a", "b", "c"]), "yardstick")
    assert one["precision"].theirs == pytest.approx(2 / 3)
    assert math.isnan(one["precision"].ours)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_entry_is_told_and_differs_only_with_a_reason(library):
    seen = set()
    for ev in (binary()[2], many()[2]):
        for found in like(ev, library):
            assert not found.left_out
            for r in found.rows:
                seen.add(r.name)
                assert r.same or r.why, r
                assert json.dumps(r.to_dict(), allow_nan=False)
    assert seen == {e.name for e in LIBRARIES[library]}


def test_an_unknown_library_is_refused():
    with pytest.raises(tm.InputError, match="no library 'scikit'; there are 'sklearn', 'pycm'"):
        like(binary()[2], "scikit")


def test_the_page_of_definitions_names_the_libraries():
    page = Path(__file__).parents[3] / "docs" / "definitions.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    (named,) = re.findall(r"under the definitions of (.+?), and the reason", text)
    keys = {n.lower().replace("scikit-learn", "sklearn") for n in re.split(", | or ", named)}
    assert keys == {re.sub(r"-[\d.]+$", "", library) for library in LIBRARIES}
