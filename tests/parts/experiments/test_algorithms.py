"""The algorithms of the study: against scikit-learn, and against Weka's rules written as loops."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn import metrics as sk
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tallymark.parts.experiments import algorithms
from tallymark.parts.experiments.algorithms import (
    ALGORITHMS,
    AdaBoostM1,
    MixedNaiveBayes,
    NearestNeighbours,
    chosen,
)
from tallymark.parts.experiments.experiment import run


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_learns_from_numbers_names_and_gaps(name):
    rng = np.random.default_rng(0)
    y = rng.random(160) < 0.5
    number = rng.normal(1.5 * y, 1)
    code = np.where(rng.random(160) < 0.8, y, ~y) * 1.0 + (rng.random(160) < 0.2)
    x = np.stack([number, code], 1)
    x[rng.random(x.shape) < 0.1] = np.nan
    nominal = np.array([False, True])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = chosen(name)[name].make(0, nominal).fit(x[:100], y[:100])
        p = model.predict_proba(x[100:])
    assert p.shape == (60, 2)
    np.testing.assert_allclose(p.sum(1), 1)
    assert sk.roc_auc_score(y[100:], p[:, 1]) > 0.65
    assert ALGORITHMS[name].weka
    assert ALGORITHMS[name].differs


def test_naive_bayes_is_scikit_learns_for_one_kind_of_column():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    x = rng.normal(y[:, None], 1, (200, 2))
    ours = MixedNaiveBayes(np.zeros(2, dtype=bool)).fit(x, y).predict_proba(x)
    priors = [(~y).sum() + 1, y.sum() + 1] / np.float64(202)
    theirs = GaussianNB(priors=priors, var_smoothing=0).fit(x, y).predict_proba(x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    c = rng.integers(0, 3, (200, 2)).astype(float)
    ours = MixedNaiveBayes(np.ones(2, dtype=bool)).fit(c, y).predict_proba(c)
    theirs = CategoricalNB(alpha=1, class_prior=priors).fit(c, y).predict_proba(c)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_naive_bayes_leaves_out_what_is_missing():
    x = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1]])
    y = np.array([False, False, True, True])
    model = MixedNaiveBayes(np.array([False, True])).fit(x, y)
    nothing = model.predict_proba(np.array([[np.nan, np.nan], [np.nan, 7]]))
    np.testing.assert_allclose(nothing, 0.5)


def test_naive_bayes_learns_from_the_numbers_that_are_there():
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.5
    x = rng.normal(1.0 * y, 1)[:, None]
    gaps = rng.random(80) < 0.3
    some = np.where(gaps[:, None], np.nan, x)
    model = MixedNaiveBayes(np.array([False])).fit(some, y)
    assert model.means[1][0] == pytest.approx(x[y & ~gaps].mean())
    assert model.sizes[0][0] == pytest.approx(x[~y & ~gaps].std())
    # A class without a number has the density of all rows, a column without any tells nothing.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = MixedNaiveBayes(np.array([False])).fit(np.array([[1.0], [3], [np.nan], [np.nan]]),
                                                     np.array([True, True, False, False]))  # fmt: skip
        none = MixedNaiveBayes(np.array([False])).fit(np.full((4, 1), np.nan), [0, 0, 1, 1])
    np.testing.assert_allclose(one.predict_proba(np.array([[7.0]])), [[0.5, 0.5]])
    np.testing.assert_allclose(none.predict_proba(np.array([[7.0]])), [[0.5, 0.5]])


def by_loops(x, y, nominal, test):
    """Return the probability of True as IBk has it, one pair of values at a time."""
    least, most = np.nanmin(x, 0), np.nanmax(x, 0)
    out = []
    for row in test:
        squares = []
        for other in x:
            total = 0.0
            for j, names in enumerate(nominal):
                a, b = row[j], other[j]
                if names:
                    total += 0.0 if a == b else 1.0
                    continue
                a, b = ((v - least[j]) / (most[j] - least[j]) for v in (a, b))
                if np.isnan(a) and np.isnan(b):
                    d = 1.0
                elif np.isnan(a) or np.isnan(b):
                    known = b if np.isnan(a) else a
                    d = known if known >= 0.5 else 1 - known
                else:
                    d = a - b
                total += d * d
            squares.append(total)
        near = np.array(squares) == min(squares)
        n = len(x)
        out.append((y[near].sum() + 1 / n) / (near.sum() + 2 / n))
    return np.array(out)


def test_models_are_made_as_their_differences_from_weka_say():
    made = {name: a.make(7, np.zeros(4, dtype=bool)) for name, a in ALGORITHMS.items()}
    last = {name: m[-1].get_params() for name, m in made.items() if hasattr(m, "steps")}
    network, tree, forest = last["mlp"], last["j48"], last["random_forest"]
    assert network["hidden_layer_sizes"] == ((4 + 2) // 2,)
    assert (network["activation"], network["solver"]) == ("logistic", "lbfgs")
    assert 0 < network["alpha"] < 0.001
    assert (tree["criterion"], tree["ccp_alpha"]) == ("entropy", 0.005)
    assert 1 / last["logistic"]["C"] == pytest.approx(1e-8)
    assert last["logistic"]["max_iter"] == 300
    assert (forest["n_estimators"], forest["criterion"], forest["max_features"]) == (
        10,
        "gini",
        "sqrt",
    )
    assert last["bagging"]["n_estimators"] == made["adaboost"].members == 25
    for member in (last["bagging"]["estimator"], made["adaboost"].member):
        assert member.get_params() == tree
    assert isinstance(made["ibk"], NearestNeighbours)
    assert isinstance(made["naive_bayes"], MixedNaiveBayes)


@pytest.mark.parametrize("nominal", [(True, True, True), (False, False), (True, False, True)])
def test_all_rows_that_are_nearest_vote(nominal, monkeypatch):
    monkeypatch.setattr(algorithms, "_PAIRS", 1000)  # so that the test rows come in parts
    rng = np.random.default_rng(1)
    x = rng.integers(0, 5, (120, len(nominal))) / 4.0  # quarters, so that sums are exact
    x[rng.random(x.shape) < 0.15] = np.nan
    y = rng.random(120) < 0.4
    train, test = x[:90], x[90:]
    train[0, :], train[1, :] = 0.0, 1.0
    model = NearestNeighbours(np.array(nominal)).fit(train, y[:90])
    p = model.predict_proba(test)
    np.testing.assert_allclose(p[:, 1], by_loops(train, y[:90], nominal, test), rtol=1e-12)
    np.testing.assert_allclose(p.sum(1), 1)
    assert len(np.unique(p)) > 2
    assert model.predict_proba(test[:0]).shape == (0, 2)


def test_one_nearest_row_is_scikit_learns():
    rng = np.random.default_rng(2)
    x, y = rng.random((90, 3)), rng.random(90) < 0.5
    x[0], x[1] = 0, 1  # the range is 0 to 1 already
    ours = NearestNeighbours(np.zeros(3, dtype=bool)).fit(x[:60], y[:60]).predict_proba(x[60:])
    theirs = KNeighborsClassifier(1).fit(x[:60], y[:60]).predict_proba(x[60:])
    np.testing.assert_allclose(ours, (theirs + 1 / 60) / (1 + 2 / 60))


def test_columns_that_tell_nothing():
    x = np.array([[1.0, np.nan, 0], [1, np.nan, 1], [1, np.nan, 2]])
    y = np.array([False, True, True])
    with np.errstate(invalid="ignore"):
        model = NearestNeighbours(np.array([False, False, False])).fit(x, y)
        p = model.predict_proba(np.array([[5.0, 3.0, 0.1]]))
    np.testing.assert_allclose(p[0], [(1 + 1 / 3) / (1 + 2 / 3), (1 / 3) / (1 + 2 / 3)])


def test_boosting_votes_as_scikit_learns_and_is_not_divided_by_the_votes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 4))
    y = x[:, 0] + x[:, 1] + rng.normal(0, 0.5, 150) > 0
    stump = DecisionTreeClassifier(max_depth=1)
    ours = AdaBoostM1(stump, 12, 3).fit(x, y)
    theirs = AdaBoostClassifier(stump, n_estimators=12, random_state=0).fit(x, y)
    np.testing.assert_allclose(ours.says, theirs.estimator_weights_)
    score = theirs.decision_function(x) * theirs.estimator_weights_.sum() / 2
    np.testing.assert_allclose(ours.predict_proba(x)[:, 1], expit(score))
    again = AdaBoostM1(stump, 12, 3).fit(x, y)
    np.testing.assert_array_equal(again.predict_proba(x), ours.predict_proba(x))


def test_boosting_ends_with_a_member_that_is_right_or_as_good_as_chance():
    x = np.arange(8.0)[:, None]
    easy = x[:, 0] > 3
    model = AdaBoostM1(DecisionTreeClassifier(max_depth=1), 5, 0).fit(x, easy)
    assert (len(model.trained), model.says) == (1, [])
    np.testing.assert_array_equal(model.predict_proba(x)[:, 1], easy)
    nothing = np.zeros((8, 1))
    model = AdaBoostM1(DecisionTreeClassifier(), 5, 0).fit(nothing, easy)
    assert len(model.trained) == 1
    np.testing.assert_allclose(model.predict_proba(nothing), 0.5)
    # A later member that is right is left out.
    hard = np.array([0, 0, 0, 1, 1, 1, 0, 1]) == 1
    model = AdaBoostM1(DecisionTreeClassifier(max_leaf_nodes=3), 5, 0).fit(x, hard)
    assert len(model.trained) == len(model.says) > 1


def test_own_estimators_get_the_experiments_seed_where_they_have_none():
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    splits = GridSearchCV(
        BaggingClassifier(DecisionTreeClassifier()), {"n_estimators": [2]},
        cv=StratifiedKFold(3, shuffle=True),
    )  # fmt: skip
    own = {"forest": forest, "splits": splits, "kept": RandomForestClassifier(3, random_state=7)}
    nominal = np.array([False])
    made = {name: maker.make(5, nominal)[-1] for name, maker in chosen(own).items()}
    assert made["forest"][-1].random_state == 5
    assert made["splits"].cv.random_state == 5
    assert made["splits"].estimator.random_state == 5
    assert made["splits"].estimator.estimator.random_state == 5
    assert made["kept"].random_state == 7
    # The user's own are as they were.
    assert (
        forest[-1].random_state is splits.cv.random_state is splits.estimator.random_state is None
    )


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_results_of_own_estimators_repeat(jobs):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    sets = {"d": (rng.normal(0.7 * y[:, None], 1, (60, 3)), y)}

    def found(seed):
        table = run(sets, {"forest": RandomForestClassifier(3)}, repeats=2, folds=2, jobs=jobs,
                    seed=seed, metrics=["roc_auc"])  # fmt: skip
        return table["roc_auc"]

    assert found(3) == found(3)
    assert found(3) != found(4)
