"""One model's plain arrays are counted at once, as if every column had been checked by itself."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import tallymark as tm
from judged import counted_of
from tallymark.reading import given_arrays

RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, 6000)
P = RNG.random(6000)

PLAIN = {
    "probabilities": (Y, P, {}),
    "with ties": (Y, P.round(2), {}),
    "floats": (Y.astype(np.int8), P.astype(np.float32), {}),
    "halves": (Y.astype(bool), P.astype(np.float16), {}),
    "signs": (2 * Y - 1, P - 0.5, {}),
    "decision values": (Y, 3 + P, {}),
    "of whole numbers": (Y, RNG.integers(0, 9, 6000), {"source": "here"}),
    "a threshold": (Y, P, {"threshold": 0.25}),
    "the other class": (Y, P, {"positive": 0}),
    "a class by another name": (Y, P, {"positive": True}),
    "one class": (np.ones(6000, dtype=int), P, {}),
    "only others": (np.full(6000, -1), P, {}),
    "lists": (Y.tolist(), P.tolist(), {}),
    "few": (Y[:9], P[:9], {}),
    "to be dropped where missing": (Y, P, {"missing": "drop"}),
}
LEFT = {
    "missing": (Y, np.append(P[:-1], np.nan), {"missing": "drop"}),
    "three classes": (RNG.integers(0, 3, 6000), RNG.dirichlet(np.ones(3), 6000), {}),
    "texts": (np.where(Y, "yes", "no"), P, {"positive": "yes"}),
    "a class as a text": (Y, P, {"positive": "1"}),
    "weights": (Y, P, {"weight": P}),
    "classes in order": (Y, P, {"labels": (1, 0)}),
}


def alike(a, b):
    kept = ("source", "rows", "dropped", "classes", "positive", "notes", "weighted", "joint")
    assert all(getattr(a, name) == getattr(b, name) for name in kept)
    for one, other in zip(a.models, b.models, strict=True):
        assert (one.name, one.labels, one.scores) == (other.name, other.labels, other.scores)
        assert (one.threshold, one.rule) == (other.threshold, other.rule)
        assert one.probabilities == other.probabilities


@pytest.mark.parametrize("name", [*PLAIN, *LEFT])
def test_plain_arrays_are_counted_at_once(name, monkeypatch):
    y, p, options = (PLAIN | LEFT)[name]
    at_once, results = given_arrays._counted_at_once, [None]
    monkeypatch.setattr(given_arrays, "_counted_at_once", lambda *a: results.append(at_once(*a)))
    given_arrays.from_arrays(y, y_score=p, **options)
    assert (results[-1] is None) == (name in LEFT)
    monkeypatch.undo()
    found = given_arrays.from_arrays(y, y_score=p, **options)
    monkeypatch.setattr(given_arrays, "_counted_at_once", lambda *_, **__: None)
    alike(found, given_arrays.from_arrays(y, y_score=p, **options))


@pytest.mark.parametrize(
    ("y", "p", "options"),
    [
        (Y, np.append(P[:-1], np.nan), {}),
        (Y, np.append(P[:-1], np.inf), {}),
        (Y, P[:-1], {}),
        (Y[:0], P[:0], {}),
        (Y, P, {"missing": "keep"}),
        (Y, P, {"positive": 2}),
        (Y, P, {"threshold": np.nan}),
        (np.append(Y[:-1], 7), P, {}),
        (Y + 1, P, {}),
    ],
)
def test_what_is_refused_is_refused_in_the_same_words(y, p, options, monkeypatch):
    with pytest.raises(tm.InputError) as at_once:
        tm.evaluate(y, y_score=p, **options)
    monkeypatch.setattr(given_arrays, "_counted_at_once", lambda *_, **__: None)
    with pytest.raises(tm.InputError) as checked:
        tm.evaluate(y, y_score=p, **options)
    assert str(at_once.value) == str(checked.value)


def test_a_column_of_counts_gives_the_tallies_of_its_rows():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet(np.ones(3), 40).round(2)
    lines = pd.DataFrame(probabilities, columns=["p_a", "p_b", "p_c"])
    lines.insert(0, "label", rng.choice(list("abc"), 40))
    n = rng.integers(1, 5, 40)
    rows = lines.loc[np.repeat(lines.index, n)]
    (counted,) = tm.evaluate(lines.assign(n=n), count="n").models
    (model,) = tm.evaluate(rows).models
    assert (counted.labels, counted.scores) == (model.labels, model.scores)
    assert counted._sums.rows == model._sums.rows
    assert counted._sums.average("top_2") == pytest.approx(model._sums.average("top_2"), rel=1e-12)

    two = pd.DataFrame({"label": [0, 1, 1], "score": [0.2, 0.2, 0.7]})
    (counted,) = tm.evaluate(two.assign(n=[3, 1, 2]), count="n").models
    (model,) = tm.evaluate(two.loc[[0, 0, 0, 1, 2, 2]]).models
    assert counted.scores == model.scores


@pytest.mark.slow
def test_frames_of_two_models_may_share_the_names_of_their_columns():
    pd = pytest.importorskip("pandas")
    y = ["a", "b", "c", "a"]
    scores = {m: np.random.default_rng(s).dirichlet(np.ones(3), 4) for s, m in enumerate("mn")}
    frames = {m: pd.DataFrame(p, columns=list("abc")) for m, p in scores.items()}
    found, wanted = (tm.evaluate(y, y_score=given).values() for given in (frames, scores))
    for model in scores:
        assert found[model]["log_loss"].value == wanted[model]["log_loss"].value


# -- scores as the second argument -----------------------------------------------------------------

Y, P = Y[:300], P[:300]
BOTH = np.stack([1 - P, P], 1)
ONE_COLUMN = {
    "an array": P,
    "a list": P.tolist(),
    "of two axes": P[:, None],
    "objects": P.astype(object),
    "pandas": pd.Series(P, index=RNG.permutation(300)),
    "pandas, sparse": pd.Series(pd.arrays.SparseArray(P)),
    "polars": pl.Series(P),
    "arrow": pa.chunked_array([P]),
    "a frame": pd.DataFrame({"p": P}),
}
with warnings.catch_warnings():  # NumPy advises against it, and people have it
    warnings.simplefilter("ignore", PendingDeprecationWarning)
    MATRIX = np.asmatrix(BOTH)
TWO_COLUMNS = {
    "an array": BOTH,
    "lists": BOTH.tolist(),
    "a matrix": MATRIX,
    "lists in pandas": pd.Series(BOTH.tolist(), index=RNG.permutation(300)),
    "arrays in pandas": pd.Series(list(BOTH)),
    "lists in polars": pl.Series(BOTH.tolist()),
    "lists in arrow": pa.array(BOTH.tolist()),
    "a frame": pd.DataFrame(BOTH),
    "sparse": scipy.sparse.csr_matrix(BOTH),
    "a sparse array": scipy.sparse.csc_array(BOTH),
}


@pytest.mark.parametrize("kind", ONE_COLUMN)
def test_fractions_as_the_second_argument_are_scores(kind):
    given = counted_of(tm.evaluate(Y, ONE_COLUMN[kind]))
    assert given.models[0].scores == tm.evaluate(Y, y_score=P).models[0].scores
    assert given.models[0].rule == "scores at or above 0.5"
    told = "y_pred holds fractions and was read as scores"
    assert given.source.format == (told,)


def test_a_matrix_of_one_column_is_a_column():
    ev = tm.evaluate(Y, P[:, None])
    assert ev.source.format == ("y_pred holds fractions and was read as scores",)
    assert ev["roc_auc"] == tm.evaluate(Y, y_score=P)["roc_auc"]
    identifiers = np.arange(2000.0)
    for one in (identifiers, identifiers[:, None]):
        with pytest.raises(tm.InputError, match="y_pred holds .* too many for class labels"):
            tm.evaluate(np.arange(2000) % 2, one)


@pytest.mark.parametrize("kind", TWO_COLUMNS)
def test_a_column_a_class_as_the_second_argument_is_its_scores(kind):
    given = counted_of(tm.evaluate(Y, TWO_COLUMNS[kind]))
    assert given.models[0].scores == tm.evaluate(Y, y_score=P).models[0].scores
    told = "y_pred has 2 columns and was read as scores, one column per class"
    assert given.source.format == (told,)


@pytest.mark.slow
def test_tensors_are_read_wherever_an_array_is():
    torch = pytest.importorskip("torch")
    wanted = tm.evaluate(Y, y_score=P)["roc_auc"]
    y, p = torch.tensor(Y), torch.tensor(P, requires_grad=True)
    both = torch.stack([1 - p, p], 1)
    for scores in (p, both, list(both), list(p), both.detach().to_sparse()):
        assert tm.evaluate(y, scores)["roc_auc"] == wanted
        assert tm.evaluate(y, y_score=scores)["roc_auc"] == wanted
    assert tm.evaluate(y, p.bfloat16())["roc_auc"].value == pytest.approx(wanted.value, abs=1e-3)
    assert tm.evaluate(y, y)["accuracy"].value == 1
    weighted = tm.evaluate(y, p, weight=torch.ones(300), cluster=y)
    assert weighted.clusters == 2
    with pytest.raises(
        tm.InputError, match=r"y_score is a tensor that NumPy cannot read \(.*\); give"
    ):
        tm.evaluate(y, y_score=torch.empty(300, device="meta"))


@pytest.mark.slow
def test_one_column_a_class_in_the_order_of_the_classes():
    y, p = RNG.choice(["a", "b", "c"], 300), RNG.dirichlet(np.ones(3), 300)
    given, wanted = tm.evaluate(y, p), tm.evaluate(y, y_score=p)
    assert given.values() == wanted.values()
    turned = tm.evaluate(y, p[:, ::-1], classes=["c", "b", "a"])
    assert turned["roc_auc"].value == pytest.approx(wanted["roc_auc"].value, abs=1e-12)
    two = np.where(Y, "yes", "no")
    assert tm.evaluate(two, BOTH, positive="yes").models[0].scores[0].positive == "yes"
    assert tm.evaluate(two, BOTH, positive="no")["roc_auc"].value == pytest.approx(
        tm.evaluate(two, y_score=BOTH[:, 0], positive="no")["roc_auc"].value, abs=1e-12
    )


def test_models_may_give_labels_and_others_scores():
    ev = tm.evaluate(Y, {"cut": (P > 0.4).astype(int), "risk": P, "both": BOTH})
    assert {m.name: len(m.scores) for m in ev.models} == {"cut": 0, "risk": 1, "both": 1}
    assert list(ev.source.format) == [
        "y_pred['risk'] holds fractions and was read as scores",
        "y_pred['both'] has 2 columns and was read as scores, one column per class",
    ]


def test_labels_stay_labels():
    called = (P > 0.4).astype(float)
    assert tm.evaluate(Y, called).models[0].rule == "predictions as given"
    missing = np.append(called[:-1], np.nan)
    assert tm.evaluate(Y, missing, missing="drop").dropped == 1
    frame = pd.DataFrame({"said": called})
    assert tm.evaluate(Y, frame)["accuracy"] == tm.evaluate(Y, called)["accuracy"]


@pytest.mark.parametrize(
    ("y_pred", "options", "words"),
    [
        ([*BOTH.tolist()[:-1], [0.5]], {}, "y_pred has rows of different lengths (2 at index 0 and"
         " 1 at index 299); give every row one entry per column"),
        (np.eye(2, dtype=int)[Y], {}, "y_pred has shape (300, 2); it must be one column"),
        (P, {"y_score": P}, "which is not a class label; if the column is a score, give it as the"),
        (np.append(P[:-1], np.inf), {}, "y_score is inf at index 299; give finite numbers"),
        ({"a": Y}, {"y_score": {"b": P}}, "y_pred names the models ['a'] and y_score ['b']; use"),
    ],
)  # fmt: skip
def test_what_is_neither_labels_nor_scores_is_refused(y_pred, options, words):
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(Y, y_pred, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([["0.1", "a"]] * 300, "y_score[:, 0] holds '0.1' at index 0, which is not a number"),
        ([[0.1, 0.9]] * 299 + [[0.1]], "y_score has rows of different lengths (2 at index 0"),
    ],
)
def test_tables_of_scores_hold_numbers_in_rows_of_one_length(scores, words):
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(Y, y_score=scores)
    assert words in str(caught.value)


def confident(**more):
    """Four rows whose confidence is that of the class said; beside it that of yes."""
    said = ["yes", "no", "no", "yes"]
    confidence = np.array([0.9, 0.6, 0.8, 0.7])
    of_yes = np.where(np.array(said) == "yes", confidence, 1 - confidence)
    frame = pd.DataFrame({"gold": ["yes", "yes", "no", "no"], "predicted": said,
                          "confidence": confidence} | more)  # fmt: skip
    return frame, of_yes


def test_a_confidence_is_of_the_predicted_class():
    frame, of_yes = confident()
    ev = tm.evaluate(frame)
    assert (
        ev["roc_auc"].value == tm.evaluate(frame["gold"], of_yes, positive="yes")["roc_auc"].value
    )
    assert "`confidence` is the probability of the predicted class" in ev.source.sentence
    told = {"pred": "predicted", "score": "confidence"}
    assert tm.evaluate(frame, **told)["roc_auc"] == ev["roc_auc"]
    assert tm.evaluate(frame, **told, score_of="yes")["roc_auc"].value == 0.5


def test_a_confidence_below_an_even_chance_is_of_the_positive_class():
    frame, _ = confident(confidence=[0.9, 0.6, 0.3, 0.7])
    ev = tm.evaluate(frame)
    assert ev.models[0].scores[0].scores.tolist() == [0.3, 0.6, 0.7, 0.9]
    assert not ev.source.format


def test_a_confidence_of_many_classes_leaves_the_predicted_ones():
    said, true = ["a", "b", "c", "b"], ["a", "b", "c", "c"]
    frame = pd.DataFrame({"label": true, "predicted": said, "confidence": [0.1, 0.9, 0.5, 0.4]})
    ev = tm.evaluate(frame)
    assert (ev["accuracy"].value, ev.models[0].scores) == (0.75, ())
    assert "`confidence` is the probability of the predicted class" in ev.source.sentence


def test_a_margin_that_knows_the_truth_is_no_score():
    frame, _ = confident()
    frame = frame.rename(
        columns={"confidence": "prediction margin", "predicted": "predicted class"}
    )
    ev = tm.evaluate(frame)
    assert not ev.models[0].scores
    assert ev.source._ignored == ("prediction margin",)
