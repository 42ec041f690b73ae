"""The candidates of scikit-learn's searches are compared by the scores of their folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm

X, Y = load_iris(return_X_y=True)


def searched(model, cv=5, scoring=None, **grid):
    return GridSearchCV(model, grid, cv=cv, scoring=scoring, refit=False).fit(X, Y).cv_results_


KNN = searched(KNeighborsClassifier(), n_neighbors=[1, 50])


def test_candidates_are_classifiers():
    compared = tm.compare_results(KNN)
    assert compared.classifiers == ("n_neighbors=1", "n_neighbors=50")
    assert compared.metric == "score"
    assert compared._fields[0].folds == 5
    assert compared.notes == ("higher values of 'score', an unknown metric, are better",)
    assert sorted(compared.means.values()) == pytest.approx(np.sort(KNN["mean_test_score"]))


def test_several_searches_go_by_their_names():
    tree = searched(DecisionTreeClassifier(random_state=0), max_depth=[1])
    compared = tm.compare_results({"knn": KNN, "tree": tree})
    assert compared.classifiers == (
        "knn: n_neighbors=1", "knn: n_neighbors=50", "tree: max_depth=1"
    )  # fmt: skip
    few = searched(DecisionTreeClassifier(random_state=0), cv=3, max_depth=[1])
    with pytest.raises(tm.InputError, match="different folds or scorers; give all the same cv"):
        tm.compare_results({"knn": KNN, "tree": few})


def test_a_scorer_is_chosen_by_name():
    both = searched(KNeighborsClassifier(), scoring=["accuracy", "f1_macro"], n_neighbors=[1, 50])
    assert tm.compare_results(both, "accuracy").metric == "accuracy"
    with pytest.raises(tm.InputError, match="say which one to compare by"):
        tm.compare_results(both)
