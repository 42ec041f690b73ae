from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import tallymark as tm
from tallymark.parts.agreement.coefficients import agree
from tallymark.parts.agreement.tally import RatingTally


def fleiss_kappa(tally):
    return agree(tally, "fleiss_kappa").value


RATINGS = [["a", "a", "b"], ["b", "b", "b"], ["c", "a", "a"], ["b", "c", "b"]]


def slow_kappa(ratings):
    """Fleiss' kappa from pairs of raters, one pair at a time."""
    pairs = [(r[i], r[j]) for r in ratings for i in range(len(r)) for j in range(len(r)) if i != j]
    observed = sum(a == b for a, b in pairs) / len(pairs)
    flat = [x for r in ratings for x in r]
    expected = sum((flat.count(c) / len(flat)) ** 2 for c in set(flat))
    return (observed - expected) / (1 - expected)


def test_kappa_is_the_slow_one():
    assert fleiss_kappa(RatingTally.from_arrays(RATINGS)) == pytest.approx(slow_kappa(RATINGS))


def test_two_raters_are_scotts_not_cohens():
    two = [[0, 0], [1, 1], [0, 1], [1, 1], [0, 1], [0, 0], [1, 1]]
    a, b = zip(*two, strict=True)
    ours = fleiss_kappa(RatingTally.from_arrays(two))
    assert ours == pytest.approx(tm.metrics.scott_pi(list(a), list(b)))
    assert ours != pytest.approx(cohen_kappa_score(a, b))


def test_a_table_is_that_of_the_weights_and_the_level():
    tally = RatingTally.from_arrays([[0, 0, 2], [2, 2, 2], [1, 0, 0], [2, 1, 2], [0, 1, 1]])
    for name, weights in (("krippendorff_alpha", "nominal"), ("krippendorff_alpha", "interval")):
        expected = agree(tally, name, weights=weights, level=0.8)
        row = next(r for r in tally.table(weights, level=0.8) if r["coefficient"] == name)
        assert (row["value"], row["low"], row["high"]) == (
            expected.value,
            expected.low,
            expected.high,
        )


def test_adding_and_keeping():
    whole = RatingTally.from_arrays(RATINGS)
    parts = RatingTally.from_arrays(RATINGS[:2]) + RatingTally.from_arrays(RATINGS[2:])
    assert parts == whole
    assert parts.rows == 4
    assert RatingTally.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    assert RatingTally._empty() + whole == whole
    assert whole != 1
    with pytest.raises(TypeError):
        whole + 1


def test_undefined_and_refused():
    assert math.isnan(fleiss_kappa(RatingTally.from_arrays([["a", "a"], ["a", "a"]])))
    assert math.isnan(fleiss_kappa(RatingTally.from_arrays([["a"], ["b"]])))
    assert math.isnan(fleiss_kappa(RatingTally._empty()))
    with pytest.raises(tm.InputError, match="subject 0 has 2 ratings and subject 1 has 3"):
        RatingTally((0, 1), np.array([[1.0, 1.0], [2.0, 1.0]])).raters()
    with pytest.raises(tm.InputError, match="rater 2 is missing in 1 row"):
        RatingTally.from_arrays([["a", None], ["a", "b"]])


def test_missing_ratings_and_long_tables():
    wide = RatingTally.from_arrays([["a", None, "b"], ["b", "b", None]], missing="skip")
    np.testing.assert_array_equal(wide.counts, [[1, 1], [0, 2]])
    nan = RatingTally.from_arrays(np.array([[1.0, np.nan], [2.0, 2.0]]), missing="skip")
    np.testing.assert_array_equal(nan.counts, [[1, 0], [0, 2]])
    long = RatingTally.from_long(["s1", "s1", "s2", "s2"], ["a", "b", "b", "b"])
    assert long == wide
    assert RatingTally.from_long([], []).rows == 0
    with pytest.raises(tm.InputError, match="missing is 'drop'; there are 'error', 'skip'"):
        RatingTally.from_arrays([["a"]], missing="drop")
    with pytest.raises(tm.InputError, match="the lengths differ: subject has 2, rating has 1"):
        RatingTally.from_long([1, 2], ["a"])
    with pytest.raises(tm.InputError, match="rating is missing in 1 row"):
        RatingTally.from_long([1, 2], ["a", None])
