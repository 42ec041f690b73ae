"""One model's plain arrays are counted at once, as if every column had been checked by itself."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.data import readers

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
    "weights": (Y, P, {"sample_weight": P}),
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
    at_once, results = readers._counted_at_once, [None]
    monkeypatch.setattr(readers, "_counted_at_once", lambda *a: results.append(at_once(*a)))
    readers.from_arrays(y, y_score=p, **options)
    assert (results[-1] is None) == (name in LEFT)
    monkeypatch.undo()
    found = readers.from_arrays(y, y_score=p, **options)
    monkeypatch.setattr(readers, "_counted_at_once", lambda *_, **__: None)
    alike(found, readers.from_arrays(y, y_score=p, **options))


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
    monkeypatch.setattr(readers, "_counted_at_once", lambda *_, **__: None)
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
    (counted,) = tm.evaluate(lines.assign(n=n)).models
    (model,) = tm.evaluate(rows).models
    assert (counted.labels, counted.scores) == (model.labels, model.scores)
    assert counted.sums.rows == model.sums.rows
    assert counted.sums.average("top_2") == pytest.approx(model.sums.average("top_2"), rel=1e-12)

    two = pd.DataFrame({"label": [0, 1, 1], "score": [0.2, 0.2, 0.7]})
    tally = tm.ScoreTally.from_table(two.assign(n=[3, 1, 2]))
    assert tally == tm.ScoreTally.from_table(two.loc[[0, 0, 0, 1, 2, 2]])


def test_frames_of_two_models_may_share_the_names_of_their_columns():
    pd = pytest.importorskip("pandas")
    y = ["a", "b", "c", "a"]
    scores = {m: np.random.default_rng(s).dirichlet(np.ones(3), 4) for s, m in enumerate("mn")}
    frames = {m: pd.DataFrame(p, columns=list("abc")) for m, p in scores.items()}
    found, wanted = (tm.evaluate(y, y_score=given).values() for given in (frames, scores))
    for model in scores:
        assert found[model]["log_loss"].value == wanted[model]["log_loss"].value
