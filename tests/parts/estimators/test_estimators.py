"""Estimators are judged by what they predict, with or without a cross-validation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    GroupKFold,
    ShuffleSplit,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import tallymark as tm
from judged import counted_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + RNG.normal(size=200) > 0.8).astype(int)
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
FITTED = LogisticRegression().fit(X[:100], Y[:100])


def test_a_fitted_estimator_is_its_arrays():
    ev = tm.evaluate(FITTED, X[100:], Y[100:])
    same = tm.evaluate(Y[100:], y_score=FITTED.predict_proba(X[100:])[:, 1])
    assert ev["roc_auc"] == same["roc_auc"]
    assert "predict_proba of LogisticRegression" in ev.source.read_as
    (note,) = (n for n in ev.notes if n.rule == "trained-on-unknown")
    assert note.severity == "assumed"
    assert "cannot tell whether LogisticRegression was trained on these rows" in note.text


@pytest.mark.parametrize("model", [
    make_pipeline(StandardScaler(), LogisticRegression()),
    CalibratedClassifierCV(LinearSVC(), cv=2),
    LinearSVC(),
])  # fmt: skip
def test_decisions_are_those_of_predict(model):
    model.fit(X, Y)
    assert tm.evaluate(model, X, Y)["f1"].value == pytest.approx(f1_score(Y, model.predict(X)))


@pytest.mark.slow
def test_a_tuned_threshold_keeps_its_decisions_beside_scores():
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring="f1").fit(X, Y)
    assert (model.predict(X) != (model.predict_proba(X)[:, 1] >= 0.5)).any()
    ev = tm.evaluate(model, X, Y)
    assert ev["f1"].value == pytest.approx(f1_score(Y, model.predict(X)))
    scores = model.predict_proba(X)[:, 1]
    assert ev["roc_auc"].value == tm.metrics.roc_auc(Y, scores)
    cut = tm.evaluate(model, X, Y, threshold=0.6)
    assert cut["f1"].value == pytest.approx(f1_score(Y, scores >= 0.6))


def test_a_model_that_only_predicts():
    class Rule:
        def predict(self, rows):
            return (rows[:, 0] > 0).astype(int)

    ev = tm.evaluate(Rule(), X, Y)
    assert ev["accuracy"].value == np.mean((X[:, 0] > 0) == Y)


def test_an_estimator_is_named_after_its_class_and_gives_the_best_it_has():
    class Rule:
        def predict(self, rows):
            return (rows[:, 0] > 0).astype(int)

    pipeline, margins = make_pipeline(StandardScaler(), FITTED), LinearSVC().fit(X, Y)
    for model, name, method in (
        (pipeline.fit(X, Y), "LogisticRegression", "predict_proba"),
        (margins, "LinearSVC", "decision_function"),
        (Rule(), "Rule", "predict"),
    ):
        ev = tm.evaluate(model, X, Y)
        assert (ev.names, ev.source.format) == ((name,), (f"{method} of {name}",))
    assert tm.evaluate({"mine": margins}, X, Y).names == ("mine",)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_either_class_may_be_positive(positive):
    words = np.where(Y == 1, "yes", "no")
    ev = tm.evaluate({"p": LogisticRegression().fit(X, words), "d": LinearSVC().fit(X, words)},
                     X, words, positive=positive)  # fmt: skip
    assert min(ev.model(name)["roc_auc"].value for name in "pd") > 0.7


@pytest.mark.slow
def test_models_are_cross_validated_on_the_same_folds():
    seen = []
    ev = tm.evaluate({"p": LogisticRegression(), "d": LinearSVC()}, X, Y, fold=5,
                     options={"progress": lambda done, of: seen.append((done, of))})  # fmt: skip
    score = cross_val_predict(LogisticRegression(), X, Y, cv=5, method="predict_proba")[:, 1]
    assert ev.model("p")["roc_auc"].value == tm.metrics.roc_auc(Y, score)
    assert list(ev.folds(["roc_auc"]).rows.values()) == [40] * 5
    assert seen[-1] == (10, 10)
    assert "trained-on-unknown" not in [n.rule for n in ev.notes]


@pytest.mark.slow
def test_results_of_cross_validate_are_not_fitted_again():
    result = cross_validate(
        LogisticRegression(), X, Y, cv=5, return_estimator=True, return_indices=True
    )
    ev = tm.evaluate(result, X, Y)
    assert ev["roc_auc"] == tm.evaluate(LogisticRegression(), X, Y, fold=5)["roc_auc"]
    with pytest.raises(tm.InputError, match="already have folds; leave fold out"):
        tm.evaluate(result, X, Y, fold=5)
    with pytest.raises(tm.InputError, match="return_estimator=True, return_indices=True"):
        tm.evaluate(cross_validate(LogisticRegression(), X, Y), X, Y)
    other = cross_validate(
        LogisticRegression(), X, Y, cv=4, return_estimator=True, return_indices=True
    )
    with pytest.raises(tm.InputError, match="have different folds; use the same splitter"):
        tm.evaluate({"a": result, "b": other}, X, Y)


@pytest.mark.slow
def test_clusters_stay_whole():
    who = np.arange(200) // 4
    ev = tm.evaluate(LogisticRegression(), X, Y, fold=GroupKFold(5), cluster=who)
    assert counted_of(ev).clusters == 50
    ev = tm.evaluate(LogisticRegression(), X, Y, fold=5, cluster=who)
    assert len(ev.folds(["accuracy"]).rows) == 5

    class Apart(ClassifierMixin, BaseEstimator):
        """A classifier that refuses to predict rows of clusters to which it was fitted."""

        def fit(self, rows, y):
            self.classes_, self.fitted_ = np.unique(y), set(rows[:, 0])
            return self

        def predict(self, rows):
            assert not self.fitted_ & set(rows[:, 0])
            return np.zeros(len(rows), dtype=int)

    shuffled = np.random.default_rng(1).permutation(who)
    rows = np.column_stack([shuffled, X])
    for cv in (5, GroupKFold(5)):
        assert tm.evaluate(Apart(), rows, Y, fold=cv, cluster=shuffled).rows == 200
    with pytest.raises(tm.InputError, match="cannot predict these rows"):
        tm.evaluate(Apart(), rows, Y, fold=5)


@pytest.mark.slow
def test_classes_that_are_texts():
    model = LogisticRegression().fit(X, THREE)
    ev = tm.evaluate(model, X, THREE)
    assert ev["accuracy"].value == model.score(X, THREE)
    turned = tm.evaluate(model, X, THREE, classes=["c", "a", "b"])
    assert turned["accuracy"].value == model.score(X, THREE)
    assert len(tm.evaluate(LogisticRegression(), X, THREE, fold=3).folds(["accuracy"]).rows) == 3
    with pytest.raises(tm.InputError, match=r"classes are \['a', 'b'\] and LogisticRegression has"):
        tm.evaluate(model, X, THREE, classes=["a", "b"])


def test_rows_of_several_labels():
    several = np.stack([Y, X[:, 1] > 0], 1).astype(int)
    model = MultiOutputClassifier(LogisticRegression()).fit(X, several)
    ev = tm.evaluate(model, X, several)
    assert isinstance(ev, tm.evaluate(several, several).__class__)
    with pytest.raises(tm.InputError, match="folds are not fitted for rows with several labels"):
        tm.evaluate(model, X, several, fold=3)


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.slow
def test_frames_pass_untouched(library):
    frame = library.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": Y})
    by_name = tm.evaluate(LogisticRegression(), frame, "label", fold=4)
    assert by_name["roc_auc"] == tm.evaluate(LogisticRegression(), X[:, :2], Y, fold=4)["roc_auc"]
    with pytest.raises(tm.InputError, match="truth is 'lable', which is not a column of X"):
        tm.evaluate(LogisticRegression(), frame, "lable", fold=4)


@pytest.mark.parametrize(("given", "options", "message"), [
    ((LogisticRegression(), X, Y), {}, "is not fitted; fit it on other rows, or say fold=5"),
    ((LogisticRegression, X, Y), {}, "is the class LogisticRegression; give an estimator"),
    ((FITTED, X[:, :2], Y), {}, "cannot predict these rows: X has 2 features"),
    ((FITTED, X, Y[:9]), {}, "LogisticRegression predicted 200 rows and truth has 9"),
    ((FITTED, X), {}, r"needs rows and their classes; give evaluate\(model, X, y\)"),
    ((Y, Y, Y), {}, "truth does not go with arrays"),
    ((Y, Y), {"fold": 5}, "fold says how to split the rows for an estimator"),
    ((FITTED, X, Y), {"y_score": Y}, "y_score is not for an estimator"),
    ((FITTED, X, Y), {"fold": ShuffleSplit(3, random_state=0)}, "rows are in no test fold"),
    ((FITTED, X, Y), {"fold": [(range(100), range(200))] * 2}, "rows are in several test folds"),
    ((LogisticRegression(C=-1), X, Y), {"fold": 3}, "could not be fitted in fold 0: The 'C' param"),
    (({"a": FITTED, "b": LogisticRegression().fit(X, THREE)}, X, Y), {}, "was fitted to the classes"),
    ((make_pipeline(SVC(decision_function_shape="ovo")), X, THREE), {"fold": 3},
     "give an estimator with one column per class"),
    ((FITTED, X, Y), {"options": {"header": True}}, "header does not go with arrays"),
])  # fmt: skip
def test_what_cannot_be_judged_is_refused(given, options, message):
    with pytest.raises(tm.InputError, match=message):
        tm.evaluate(*given, **options)


def test_an_estimator_worse_than_chance_is_not_asked_whose_scores_it_gives():
    y = np.where(np.arange(60) % 2, "good", "bad")
    x = (y == "good")[:, None] + np.arange(60)[:, None] / 60
    worse = tm.evaluate(LogisticRegression().fit(x, y), 1.5 - x, y)
    assert worse.positive == "bad"
    assert worse["roc_auc"].value < 0.5
