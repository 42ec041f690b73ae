"""Tallies of answers: from arrays, tables and evaluations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 4)),
    min_size=1, max_size=30,
)  # fmt: skip


def counted(rows):
    return tm.AnswerTally.from_arrays(*zip(*rows, strict=True))


@given(ROWS, ROWS)
def test_tallies_of_parts_add_up_to_that_of_all_rows(a, b):
    both = counted(a) + counted(b)
    assert both == counted([*a, *b]) == counted(b) + counted(a)
    assert both.rows == len(a) + len(b)


@given(ROWS, st.randoms())
def test_the_order_of_rows_does_not_matter_and_json_is_read_back(rows, random):
    tally, mixed = counted(rows), list(rows)
    random.shuffle(mixed)
    assert counted(mixed) == tally
    assert tm.AnswerTally.from_dict(tally.to_dict()) == tally


@given(ROWS)
def test_each_level_counts_its_right_and_wrong_answers(rows):
    tally = counted(rows)
    for level, (right, wrong) in zip(tally.confidence, tally.counts, strict=True):
        here = [a == b for a, b, c in rows if c == level]
        assert (right, wrong) == (sum(here), len(here) - sum(here))
    assert tally.confidence.tolist() == sorted({c for *_, c in rows})


def test_arrays_frames_and_files_give_the_same_tally(tmp_path):
    frame = pd.DataFrame(
        {"id": range(4), "label": list("abca"), "prediction": list("abba"), "p": [0.9, 0.8, 0.8, 1]}
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    wanted = tm.AnswerTally.from_arrays(frame["label"], frame["prediction"], frame["p"])
    assert wanted.counts.tolist() == [[1, 1], [1, 0], [1, 0]]
    for data in (frame, tmp_path / "a.csv"):
        assert tm.AnswerTally.from_table(data, confidence="p") == wanted
    named = {"truth": "prediction", "pred": "label"}
    assert tm.AnswerTally.from_table(frame, confidence="p", **named) == wanted


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 1)), min_size=2, max_size=60))
def test_two_classes_are_answered_by_the_more_probable_one(rows):
    p, y = (np.array(v) for v in zip(*rows, strict=True))
    if len(set(y.tolist())) < 2:
        return
    ev = tm.evaluate(y, y_score=p / 100, positive=1, reading={"score_is": "probability"})
    tally = tm.AnswerTally.from_evaluation(ev)
    sure = np.where(p >= 50, p, 100 - p)
    wanted = tm.AnswerTally.from_arrays(y, (p >= 50) * 1, sure)
    np.testing.assert_allclose(tally.confidence, wanted.confidence / 100)
    assert tally.counts.tolist() == wanted.counts.tolist()


def test_several_classes_are_answered_by_the_most_probable_one():
    rng = np.random.default_rng(2)
    scores = rng.dirichlet([0.5] * 4, 300)
    y = np.array([rng.choice(4, p=row) for row in scores])
    tally = tm.AnswerTally.from_evaluation(tm.evaluate(y, y_score=scores))
    assert tally == tm.AnswerTally.from_arrays(y, scores.argmax(1), scores.max(1))
    assert tm.evaluate(y, y_score=scores).refer(0.3).rows == 300


def test_missing_values_are_refused_or_left_out():
    rows = ([1, 0, None], [1, 1, 1], [0.5, None, 0.9])
    assert tm.AnswerTally.from_arrays(*rows, missing="drop").counts.tolist() == [[1, 0]]
    with pytest.raises(tm.InputError, match="missing in 1 row"):
        tm.AnswerTally.from_arrays(*rows)


FRAME = {"a": ["x", "y"], "b": ["x", "x"], "c": [0.5, 0.6]}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: tm.AnswerTally([0.5, 0.4], [[1, 0], [0, 1]]),
         "confidence of a tally must be finite, distinct and ascending"),
        (lambda: tm.AnswerTally([0.5], [[1.5, 0]]), "counts holds a fraction; give whole numbers"),
        (lambda: tm.AnswerTally([0.5], [[1, 0, 2]]),
         "counts has 3 columns; give the right and the wrong answers"),
        (lambda: tm.AnswerTally.from_table(FRAME, confidence="p"),
         "the table has no column 'p'; there are 'a', 'b', 'c'"),
        (lambda: tm.AnswerTally.from_table(FRAME, confidence="c"),
         "the true class of the table has no usual column name; name its column with truth=..."),
        (lambda: tm.AnswerTally.from_table({"label": [1], "y_true": [1], "c": [0.5]},
                                           confidence="c"),
         "the true class of the table could be any of 'label', 'y_true'; name its column with "
         "truth=..."),
        (lambda: tm.evaluate([0, 1] * 5, [0, 1] * 5).refer(0.1),
         "model has no probabilities, so that its confidence is not known; give probabilities, or "
         "name a column with confidence=..."),
        (lambda: tm.evaluate([0, 1] * 5, y_score=[-2.5, 3.5] * 5).refer(0.1),
         "model has scores that are not probabilities, so that its confidence is not known; give "
         "probabilities, or name a column with confidence=..."),
        (lambda: tm.evaluate([0, 1, 2] * 5, [0, 1, 1] * 5).refer(0.1),
         "the confidence of model needs the scores of all classes of each row, and these are "
         "missing; name a column with confidence=..."),
        (lambda: tm.evaluate([0, 1] * 5, y_score=[0.1, 0.8] * 5, weight=[1.0, 2] * 5).refer(0.1),
         "rows have weights, and a guarantee counts rows as they are; evaluate them without that, "
         "or take ev['aurc'] for the area alone"),
        (lambda: tm.evaluate([0, 1] * 5, y_score=[0.1, 0.8] * 5).at(prevalence=0.1).refer(0.1),
         "the class shares were changed, and a guarantee counts rows as they are; evaluate them "
         "without that, or take ev['aurc'] for the area alone"),
    ],
)  # fmt: skip
def test_refusals(make, sentence):
    with pytest.raises(tm.InputError) as refused:
        make()
    assert str(refused.value) == sentence


def test_damaged_json_is_refused():
    data = tm.AnswerTally.from_arrays([0, 1], [0, 0], [0.5, 0.7]).to_dict()
    for change in ({"rows": 3}, {"counts": [[0, 0], [1, 1]]}, {"confidence": [0.5]}):
        with pytest.raises(tm.InputError):
            tm.AnswerTally.from_dict({**data, **change})
