from __future__ import annotations

import pytest

import tallymark as tm


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
        "counts": [[2.0, 1.0], [0.0, 3.0]], "squares": None, "rows": 6,
    }  # fmt: skip
    tally = tm.LabelTally.from_dict(saved)
    assert tally == tm.LabelTally.from_arrays(
        ["no", "no", "no", "yes", "yes", "yes"], ["no", "no", "yes", "yes", "yes", "yes"]
    )
