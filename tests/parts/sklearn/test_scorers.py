"""Every metric that ranks models as a scorer of scikit-learn's own tools."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.metric import METRICS
from tallymark.sklearn import score, scorers

RANKING = [
    name
    for name, m in METRICS.items()
    if m.better != "neither" and m.classes == "any" and not m._role
]

FAULTLESS = tm.evaluate([0, 0, 1, 1], y_score=[0.1, 0.2, 0.8, 0.9])


@pytest.fixture(scope="module")
def two_classes():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def three_classes():
    return load_iris(return_X_y=True)


def test_there_is_one_for_every_metric_that_ranks_models():
    assert list(scorers()) == RANKING
    assert "prevalence" not in scorers()
    assert "top_k_accuracy" not in scorers()
    assert "top_k_accuracy" in scorers(labels=["a", "b", "c"])


@pytest.mark.parametrize("data", ["two_classes", "three_classes"])
def test_all_at_once_in_cross_validation(data, request):
    x, y = request.getfixturevalue(data)
    found = cross_validate(GaussianNB(), x, y, scoring=scorers(), cv=3, error_score="raise")
    for name in RANKING:
        values = found[f"test_{name}"]
        if name in FAULTLESS and FAULTLESS[name].reason is not None:
            continue  # a fold without an error may be so too
        assert not np.isnan(values).any(), name
        low, high = METRICS[name].range
        values = values if METRICS[name].better == "high" else -values
        assert ((values >= low) & (values <= high)).all(), name


THEIRS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1": "f1",
    "jaccard": "jaccard",
    "matthews_corrcoef": "matthews_corrcoef",
    "precision": "precision",
    "sensitivity": "recall",
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "brier": "neg_brier_score",
    "log_loss": "neg_log_loss",
}


@pytest.mark.slow
def test_two_classes_as_scikit_learn_scores_them(two_classes):
    x, y = two_classes
    model = LogisticRegression(C=1e-6, max_iter=5000)
    ours = {f"our {name}": scorers()[name] for name in THEIRS}
    theirs = {f"their {name}": get_scorer(name) for name in THEIRS.values()}
    found = cross_validate(model, x, y, scoring=ours | theirs, cv=3)
    differ = {
        name: (a, b)
        for name, their in THEIRS.items()
        for a, b in [(found[f"test_our {name}"], found[f"test_their {their}"])]
        if not np.allclose(a, b, rtol=1e-9, atol=0)
    }
    assert not differ


@pytest.mark.parametrize(("name", "theirs"), [("f1", "f1_macro"), ("roc_auc", "roc_auc_ovr")])
def test_more_classes_are_averaged(name, theirs, three_classes):
    x, y = three_classes
    found = scorers()[name](GaussianNB().fit(x[::2], y[::2]), x[1::2], y[1::2])
    assert found == pytest.approx(
        get_scorer(theirs)(GaussianNB().fit(x[::2], y[::2]), x[1::2], y[1::2])
    )


def test_a_search_takes_the_best(two_classes):
    x, y = two_classes
    depths = {"max_depth": [1, 3]}
    for name in ("matthews_corrcoef", "error_rate", "roc_auc"):
        search = GridSearchCV(
            DecisionTreeClassifier(random_state=0), depths, scoring=scorers()[name], cv=3
        ).fit(x, y)
        shown = search.cv_results_["mean_test_score"]
        assert search.best_score_ == shown.max()
        assert (shown <= 0).all() == (METRICS[name].better == "low")


def test_texts_and_the_positive_class(two_classes):
    x, y = two_classes
    names = np.array(["malignant", "benign"])[y]  # the last in order is malignant
    model = GaussianNB().fit(x[::2], names[::2])
    p, called = model.predict_proba(x[1::2]), model.predict(x[1::2])
    rest = x[1::2], names[1::2]
    assert scorers()["sensitivity"](model, *rest) == tm.metrics.recall(
        names[1::2], called, positive="malignant"
    )
    benign = scorers(pos_label="benign")
    assert benign["sensitivity"](model, *rest) == tm.metrics.recall(
        names[1::2], called, positive="benign"
    )
    assert benign["brier"](model, *rest) == -tm.metrics.brier(
        names[1::2], p[:, 0], positive="benign"
    )


def test_a_fold_without_one_of_the_classes(three_classes):
    x, y = three_classes
    model = GaussianNB().fit(x, y)
    named = scorers(labels=[0, 1, 2])
    some = y < 2
    assert named["log_loss"](model, x[some], y[some]) < 0
    assert named["accuracy"](model, x[some], y[some]) > 0.9


def test_two_true_classes_of_three_are_no_binary_problem():
    # class 2 was predicted and is never true: F1 is averaged over three classes, not that of 1
    y, called = [0, 0, 1, 1], [0, 2, 1, 0]
    assert score(y, called, metric="f1", undefined=0) == tm.metrics.f1(
        y, called, average="macro", undefined=0
    )


def test_weights_and_pickles(two_classes):
    x, y = two_classes
    model, w = GaussianNB().fit(x, y), np.linspace(0.1, 2, len(y))
    scorer = pickle.loads(pickle.dumps(scorers()["f1"]))
    assert scorer(model, x, y, sample_weight=w) == tm.metrics.f1(
        y, model.predict(x), sample_weight=w
    )


def test_one_score_by_its_name():
    assert score([0, 0, 1, 1], [0, 1, 1, 1], metric="TNR") == 0.5
    assert score(["a", "b", "b"], ["a", "b", "a"], metric="recall") == 0.5
    assert score(["a", "b", "b"], ["a", "b", "a"], metric="recall", pos_label="a") == 1
    assert score([0, 1, 1], [0, 1, 0], metric="f_beta", beta=2) == pytest.approx(5 / 9)
