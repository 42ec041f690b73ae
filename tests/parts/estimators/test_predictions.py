"""What estimators are asked, on which rows, and what is said of it; with models made for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import tallymark as tm

N = 24
ROWS = np.arange(N) / N
ILL = (np.arange(N) * 7 % 11 > 6).astype(int)
WORDS = np.array(["ill", "well"])[1 - ILL]


class Scores:
    """A fitted model of two classes that gives the scores it was made with."""

    def __init__(self, scores, classes=(0, 1), method="predict_proba", decided=None, own=True):
        if own:
            self.classes_ = np.array(classes)
        self.decided = decided
        setattr(self, method, lambda rows: np.asarray(scores)[: len(rows)])
        if decided is not None:
            self.predict = lambda rows: np.asarray(decided)[: len(rows)]


class Share(ClassifierMixin, BaseEstimator):
    """Predicts the share of each class in the rows that it was fitted on."""

    def fit(self, X, y):  # noqa: N803
        self.classes_ = np.unique(np.asarray(y))
        self.seen_ = {float(x) for x in np.asarray(X)[:, 0]}
        self.shares_ = np.array([(np.asarray(y) == c).mean() for c in self.classes_])
        return self

    def predict_proba(self, X):  # noqa: N803
        assert not self.seen_ & {float(x) for x in np.asarray(X)[:, 0]}, "a row it was fitted on"
        return np.tile(self.shares_, (len(X), 1))


def both(p):
    return np.column_stack([1 - p, p])


def counts(ev):
    return ev.models[0].labels.counts.astype(int).tolist()


def table(true, called, classes):
    return [[int(((true == a) & (called == b)).sum()) for b in classes] for a in classes]


def area(y, s):
    wins = s[y == 1][:, None] - s[y == 0]
    return ((wins > 0) + (wins == 0) / 2).mean()


def test_either_column_is_the_positive_ones():
    ev = tm.evaluate(Scores(both(ROWS)), ROWS[:, None], ILL)
    assert ev["roc_auc"].value == pytest.approx(area(ILL, ROWS))
    assert counts(ev) == table(ILL, ROWS >= 0.5, (0, 1))
    assert ev.source.read_as.startswith("Read as: ")
    assert "format: predict_proba of Scores" in ev.source.read_as
    for positive in (0, 1):
        for scores, method in (
            (both(ROWS), "predict_proba"),
            (both(ROWS), "decision_function"),
            (ROWS - 0.5, "decision_function"),
        ):
            model = Scores(scores, method=method)
            ev = tm.evaluate(model, ROWS[:, None], ILL, positive=positive)
            assert ev.positive == positive
            assert ev["roc_auc"].value == pytest.approx(area(ILL, ROWS))
            called = ROWS >= 0.5 if positive else ROWS > 0.5  # the cut is the positive one's
            wanted = table(ILL, called, (0, 1))
            assert counts(ev) == wanted, (positive, method)
    without = Scores(both(ROWS), own=False)
    assert counts(tm.evaluate(without, ROWS[:, None], ILL)) == table(ILL, ROWS >= 0.5, (0, 1))


def test_decisions_stand_beside_scores_only_where_they_differ():
    unlike = np.where(ROWS >= 0.7, 1, 0)
    ev = tm.evaluate(Scores(both(ROWS), decided=unlike), ROWS[:, None], ILL)
    assert counts(ev) == table(ILL, unlike, (0, 1))
    assert ev["roc_auc"].value == pytest.approx(area(ILL, ROWS))
    assert ev.models[0].threshold is None
    alike = np.where(ROWS >= 0.5, 1, 0)
    ev = tm.evaluate(Scores(both(ROWS), decided=alike), ROWS[:, None], ILL)
    assert (counts(ev), ev.models[0].threshold) == (table(ILL, alike, (0, 1)), 0.5)
    at_the_cut = np.where(ROWS > 0.5, 1, 0)  # one row has exactly one half: either is right
    ev = tm.evaluate(Scores(both(ROWS), decided=at_the_cut), ROWS[:, None], ILL)
    assert ev.models[0].threshold == 0.5
    only = Scores(None, method="other", decided=unlike)
    ev = tm.evaluate(only, ROWS[:, None], ILL)
    assert counts(ev) == table(ILL, unlike, (0, 1))
    assert "format: predict of Scores" in ev.source.read_as


def test_columns_of_more_classes_come_in_the_order_asked_for():
    p = np.column_stack([ROWS**2, (1 - ROWS) ** 2, 2 * ROWS * (1 - ROWS)])
    true = np.array(["a", "b", "c"])[np.arange(N) * 5 % 3]
    called = np.array(["a", "b", "c"])[p.argmax(1)]
    for classes in (None, ["c", "a", "b"]):
        ev = tm.evaluate(Scores(p, classes=["a", "b", "c"]), ROWS[:, None], true, classes=classes)
        order = classes or ["a", "b", "c"]
        assert ev.classes == tuple(order)
        assert counts(ev) == table(true, called, order)
        each = [(true == c).astype(int) for c in order]
        areas = [area(y, p[:, "abc".index(c)])
                 for y, c in zip(each, order, strict=True)]  # fmt: skip
        assert ev["roc_auc"].value == pytest.approx(np.mean(areas))
    shuffled = Scores(p[:, [2, 0, 1]], classes=["c", "a", "b"])
    ev = tm.evaluate(shuffled, ROWS[:, None], true)
    assert ev.classes == ("c", "a", "b")
    assert counts(ev) == table(true, called, "cab")


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_may_hold_its_classes(library):
    frame = library.DataFrame({"x": ROWS, "ill": ILL})

    class Looks(Scores):
        def __init__(self):
            super().__init__(both(ROWS))
            self.predict_proba = self._looked

        def _looked(self, frame):
            assert list(frame.columns) == ["x"]
            return both(frame["x"].to_numpy())

    ev = tm.evaluate(Looks(), frame, "ill")
    assert counts(ev) == table(ILL, ROWS >= 0.5, (0, 1))


def by_hand(y, folds):
    """Return for each row the share of ill rows in the other folds."""
    return np.array([y[folds != k].mean() for k in folds])


def test_each_row_is_predicted_by_a_model_that_did_not_see_it():
    folds = np.arange(N) * 5 % 4
    pairs = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(4)]
    steps = []
    for fold in (pairs, iter(pairs), [tuple(map(list, p)) for p in pairs]):
        ev = tm.evaluate(
            Share(), ROWS[:, None], ILL, fold=fold, options={"progress": lambda *s: steps.append(s)}
        )
        p = by_hand(ILL, folds)
        assert ev["brier"].value == pytest.approx(((p - ILL) ** 2).mean())
        assert ev.source.read_as.endswith(
            "format: predict_proba of Share, 4 folds, each predicted by a fit on the other folds."
        )
    assert steps[:4] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert not [n for n in ev.notes if n.rule == "trained-on-unknown"]
    two = {"a": Share(), "b": Share()}
    steps.clear()
    ev = tm.evaluate(
        two, ROWS[:, None], ILL, fold=pairs, options={"progress": lambda *s: steps.append(s)}
    )
    assert (ev.names, steps[-1]) == (("a", "b"), (8, 8))
    assert [m.scores[0].rows for m in ev.models] == [N, N]


def test_results_of_cross_validate_are_put_in_their_places():
    folds = np.arange(N) * 5 % 3
    pairs = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    done = {
        "fit_time": [0, 0, 0],
        "estimator": [Share().fit(ROWS[train, None], ILL[train]) for train, _ in pairs],
        "indices": dict(zip(("train", "test"), zip(*pairs, strict=True), strict=True)),
    }
    ev = tm.evaluate(done, ROWS[:, None], ILL)
    assert ev["brier"].value == pytest.approx(((by_hand(ILL, folds) - ILL) ** 2).mean())
    assert ev.names == ("Share",)
    assert ev.source.read_as.endswith("format: predict_proba of Share, 3 folds of cross_validate.")
    other = done | {"indices": {"train": done["indices"]["test"], "test": done["indices"]["train"]}}
    fewer = done | {"indices": {k: v[:2] for k, v in done["indices"].items()}}
    for wrong in (other, fewer):
        assert refusal({"a": done, "b": wrong}) == (
            "the results of cross_validate have different folds; use the same splitter for all, "
            "with random_state if it shuffles"
        )
    words = "results of cross_validate already have folds; leave fold out, and give no other models"
    assert refusal({"a": done, "b": Scores(both(ROWS))}) == words
    assert refusal(done, fold=3) == words
    assert refusal({"fit_time": [1], "estimator": done["estimator"]}) == (
        "the result of cross_validate of Share lacks its estimators or its rows; call "
        "cross_validate(..., return_estimator=True, return_indices=True)"
    )


def refusal(model, y=ILL, **options):
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(model, ROWS[: len(y), None] if not isinstance(y, str) else ROWS, y, **options)
    return str(refused.value)


def fails(message, kind=ValueError):
    class Fails(Share):
        def predict_proba(self, X):  # noqa: N803
            raise kind(message)

    return Fails()


class NotFittedError(Exception):
    """As scikit-learn calls it."""


def test_refusals_word_by_word():
    good = Scores(both(ROWS))
    half = list(range(N // 2)), list(range(N // 2, N))
    cases = [
        (refusal(good, y_score=ROWS),
         "y_score is not for an estimator, which predicts itself; leave it out"),
        (refusal(good, "ill"), "truth is 'ill', which is not a column of X; give the true classes "
         "as an array, or the name of a column of a frame"),
        (refusal({"a": Share}), "a is the class Share; give an estimator, Share()"),
        (refusal({"a": good, "b": Scores(both(ROWS), classes=(0, 2))}),
         "b was fitted to the classes [0, 2] and others to [0, 1]; fit all to every class, with "
         "fewer folds where a class is rare"),
        (refusal(Scores(both(ROWS)[:9])), "Scores predicted 9 rows and truth has 24; give X and "
         "truth of the same length"),
        (refusal(fails("too\nlong").fit(ROWS[:, None], ILL)),
         "Fails (Fails) cannot predict these rows: too"),
        (refusal(fails("").fit(ROWS[:, None], ILL)),
         "Fails (Fails) cannot predict these rows: ValueError"),
        (refusal({"m": fails("no", NotFittedError)}),
         "m (Fails) is not fitted; fit it on other rows, or say fold=5"),
        (refusal(Share(), fold=[half]), "12 of 24 rows are in no test fold; give folds that test "
         "each row once, such as fold=5, or judge repeated folds by compare_results"),
        (refusal(Share(), fold=[half, half[::-1], half]), "12 of 24 rows are in several test "
         "folds; give folds that test each row once, such as fold=5, or judge repeated folds by "
         "compare_results"),
        (refusal(Share(), fold=[half, ([0, 1], [N])]),
         "the folds hold more rows than the truth (24); give the same X and y"),
        (refusal(Scores(np.ones((N, 2)), classes=list("abc")), np.array(list("abc") * 8)),
         "predict_proba of Scores has shape (24, 2) for 3 classes; give an estimator with one "
         "column per class, such as decision_function_shape='ovr'"),
        (refusal(Scores(np.ones((N, 3)), classes=list("abc")), np.array(list("abc") * 8),
                 classes=["a", "b", "d"]),
         "classes are ['a', 'b', 'd'] and Scores has ['a', 'b', 'c']; give the same"),
    ]  # fmt: skip
    for found, told in cases:
        assert found == told
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(good)
    assert str(refused.value) == (
        "an estimator needs rows and their classes; give evaluate(model, X, y)"
    )
    assert refusal(Share(), fold=100).startswith("fold=100 cannot split these rows: ")
