from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

import tallymark as tm
from tallymark.tally.ratings import RatingTally
from tallymark.tally.sums import Sums


def test_another_kind_and_another_version_are_refused():
    data = tm.LabelTally.from_arrays([0, 1], [0, 1]).to_dict()
    with pytest.raises(
        tm.InputError, match="this is no tallymark/score-tally but 'tallymark/label"
    ):
        tm.ScoreTally.from_dict(data)
    with pytest.raises(tm.InputError, match="but 'list'"):
        tm.LabelTally.from_dict([])
    with pytest.raises(tm.InputError, match="version 99 is not known to this release"):
        tm.LabelTally.from_dict({**data, "version": 99})


def test_a_tally_saved_by_the_first_release_still_loads():
    saved = {
        "format": "tallymark/label-tally", "version": 1, "labels": ["no", "yes"],
        "counts": [[2.0, 1.0], [0.0, 3.0]], "sum_squared_weights": None, "rows": 6,
    }  # fmt: skip
    tally = tm.LabelTally.from_dict(saved)
    assert tally == tm.LabelTally.from_arrays(
        ["no", "no", "no", "yes", "yes", "yes"], ["no", "no", "yes", "yes", "yes", "yes"]
    )


def test_every_tally_follows_the_schema():
    schema = json.loads((files("tallymark") / "schema" / "tally.schema.json").read_text())
    for tally in (
        tm.LabelTally.from_arrays(["a", "b"], ["a", "a"], sample_weight=[1.5, 2]),
        tm.LabelTally.empty(),
        tm.ScoreTally.from_arrays([True, False], [0.5, 0.1]),
        tm.ScoreTally.from_arrays([0, 1], [0.5, 0.1], sample_weight=[1, 2]),
        RatingTally.from_arrays([["a", "b"], ["a", "a"]]),
        Sums.of_rows(np.array([0, 1]), np.array([[0.4, 0.6], [0.2, 0.8]])),
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
