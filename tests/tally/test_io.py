from __future__ import annotations

import base64
import json
import zlib
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

import tallymark as tm
from judged import counted_of
from tally.laws import assert_altered_is_refused
from tallymark.part import part_roles
from tallymark.tally.bins import Bins
from tallymark.tally.sums import Sums


def test_another_kind_and_another_version_are_refused():
    data = tm.LabelTally.from_arrays([0, 1], [0, 1]).to_dict()
    with pytest.raises(tm.InputError, match="this is 'tallymark/label-tally', not tallymark/score"):
        tm.ScoreTally.from_dict(data)
    with pytest.raises(tm.InputError, match="this is 'list', not"):
        tm.LabelTally.from_dict([])
    with pytest.raises(tm.InputError, match="schema 99 is not known to this release"):
        tm.LabelTally.from_dict({**data, "schema": 99})


def test_long_arrays_are_packed_and_short_ones_are_lists():
    few = tm.ScoreTally.from_arrays([0, 1], [0.25, 0.75]).to_dict()
    assert few["scores"] == [0.25, 0.75]
    many = tm.ScoreTally.from_arrays([0, 1] * 200, np.arange(400) / 7)
    data = many.to_dict()
    raw = zlib.decompress(base64.b64decode(data["scores"]["float64"]))
    assert data["scores"]["shape"] == [400]
    assert np.array_equal(np.frombuffer(raw, "<f8"), many.scores)
    assert tm.ScoreTally.from_dict(data) == many
    for changed in ({"shape": [401]}, {"shape": [-400]}, {"shape": "x"}, {"float64": "x"}):
        with pytest.raises(tm.InputError, match="scores is not an array of numbers as to_dict"):
            tm.ScoreTally.from_dict({**data, "scores": {**data["scores"], **changed}})


def test_every_tally_follows_the_schema():
    schema = json.loads(
        (files("tallymark") / "schema" / "tally.schema.json").read_text(encoding="utf-8")
    )
    for tally in (
        tm.LabelTally.from_arrays(["a", "b"], ["a", "a"], sample_weight=[1.5, 2]),
        tm.LabelTally._empty(),
        tm.LabelTally.from_arrays(
            [*range(1001)] * 2, np.arange(2002) // 2, sample_weight=[2] * 2002
        ),
        tm.ScoreTally.from_arrays([True, False], [0.5, 0.1]),
        tm.ScoreTally.from_arrays([0, 1], [0.5, 0.1], sample_weight=[1, 2]),
        tm.ScoreTally.from_arrays([0, 1] * 200, np.arange(400)),
        tm.ScoreTally.from_arrays([0, 1], [0.5, 0.1]).binned(Bins([0.0, 1.0], per=4)),
        Sums._of_rows(np.array([0, 1]), np.array([[0.4, 0.6], [0.2, 0.8]])),
    ):
        jsonschema.validate(json.loads(json.dumps(tally.to_dict())), schema)


def test_a_tally_copies_counts_that_somebody_may_still_write_to():
    counts, fixed = np.ones((2, 2)), np.ones((2, 2))
    fixed.flags.writeable = False
    tallies = [tm.ScoreTally((0, 1), 1, [0.1, 0.2], c) for c in (counts, counts.T, fixed.T)]
    counts[0, 0] = 7
    assert [t.counts[0, 0] for t in tallies] == [1, 1, 1]
    assert [np.shares_memory(t.counts, c) for t, c in zip(tallies, (counts, counts, fixed), strict=True)] == [
        False, False, True,
    ]  # fmt: skip


def _tallies():
    """Return one object of every class that is read back from plain data, under a name."""
    rng = np.random.default_rng(0)
    n = 12
    y, three, p = np.arange(n) % 2, np.arange(n) % 3, np.round(rng.random(n), 1)
    vectors = np.round(rng.dirichlet(np.ones(3), n) * 8) + 1
    vectors /= vectors.sum(1, keepdims=True)
    several = tm.evaluate(
        [[1, 0], [0, 1], [1, 1]] * 4, y_score=[[0.9, 0.2], [0.1, 0.7], [0.8, 0.6]] * 4,
        cluster=np.arange(12) // 3,
    )  # fmt: skip
    batches = tm.Tallier()
    batches.update(y, y_score={"a": p, "b": p[::-1]})
    return {
        "labels": tm.LabelTally.from_arrays(y, three),
        "weights": tm.LabelTally.from_arrays(["a", "b"], ["a", "a"], sample_weight=[1.5, 2]),
        "scores": tm.ScoreTally.from_arrays(y, p),
        "bins": tm.ScoreTally.from_arrays(y, p).binned(Bins([0.0, 1.0], per=4)),
        "sums": Sums._of_rows(three, vectors),
        "tallier": batches,
        "several labels": counted_of(several),
        "models": counted_of(
            tm.evaluate(
                y, y_score={"a": p, "b": p[::-1]}, subgroup={"r": three}, cluster=np.arange(n) // 3
            )
        ),
        "classes": counted_of(tm.evaluate(three, y_score=vectors, subgroup={"r": y})),
        "roles": counted_of(
            tm.evaluate(y, y_score=p, **dict.fromkeys(part_roles(), np.arange(n) + 1))
        ),
        "shares": counted_of(tm.evaluate(y, y_score=p).at(prevalence=0.1)),
    }


TALLIES = _tallies()


@pytest.mark.parametrize("name", TALLIES)
def test_what_was_altered_is_refused_or_equal(name):
    assert_altered_is_refused(TALLIES[name])


def test_sums_of_weights_and_of_their_squares_agree_in_each_cell():
    weights = [1, 2, 8]
    data = tm.LabelTally.from_arrays([0, 0, 1], [0, 1, 1], sample_weight=weights).to_dict()
    assert (data["counts"], data["sum_squared_weights"]) == ([[1, 2], [0, 8]], [[1, 4], [0, 64]])
    for squares, possible in (
        ([[1, 4], [0, 40]], True),
        ([[1, 0], [0, 64]], False),  # a weight of 2 has a square
        ([[1, 4], [0, 65]], False),  # weights that add up to 8 have at most a square of 64
        ([[1, 4], [0, 34]], False),  # three weights that add up to 11 have squares of 40.3 or more
    ):
        altered = {**data, "sum_squared_weights": squares}
        if possible:
            assert tm.LabelTally.from_dict(altered).sum_squared_weights.tolist() == squares
        else:
            with pytest.raises(tm.InputError, match="the counts of this .* are damaged or incons"):
                tm.LabelTally.from_dict(altered)


def test_arrays_hold_numbers_and_numbers_of_their_kind():
    data = tm.ScoreTally.from_arrays([0, 1], [0.25, 0.75]).to_dict()
    for name, value, sentence in (
        ("scores", [None, 0.75], "scores is not an array of numbers as to_dict"),
        ("scores", 10**400, "scores is not an array of numbers as to_dict"),
        ("rows", True, "rows is True, which to_dict() does not write; give it unchanged"),
        ("rows", 3, "the counts of this tallymark/score-tally are damaged or inconsistent; give"),
        ("labels", ["0", 1], "the labels of this tallymark/score-tally are damaged"),
    ):
        with pytest.raises(tm.InputError) as refused:
            tm.ScoreTally.from_dict({**data, name: value})
        assert str(refused.value).startswith(sentence)
