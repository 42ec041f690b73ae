"""Tables of results that leave little to compare."""

import json
import math
import re

import pytest

import tallymark as tm


def table(values, *, folds=False):
    """Return results of the classifiers a and b: by fold of one data set, or by data set."""
    n = len(values)
    column = {"fold": [*range(n)] * 2, "dataset": ["d"] * 2 * n} if folds else {
        "dataset": [f"d{i}" for i in range(n)] * 2
    }  # fmt: skip
    a, b = zip(*values, strict=True)
    return {**column, "classifier": ["a"] * n + ["b"] * n, "accuracy": [*a, *b]}


RESULTS = {
    "one data set": [(0.8, 0.7)],
    "one data set alike": [(0.8, 0.8)],
    "two data sets": [(0.8, 0.7), (0.6, 0.7)],
    "two data sets alike": [(0.8, 0.8), (0.6, 0.6)],
    "the same difference": [(0.5, 0.25), (0.75, 0.5), (1.0, 0.75)],
    "all the same": [(0.5, 0.5)] * 5,
    "ties everywhere": [(0.5, 0.5), (0.5, 0.6), (0.6, 0.5), (0.6, 0.6)] * 2,
    "zeros and ones": [(0.0, 1.0)] * 6,
    "one that differs": [(0.5, 0.5)] * 5 + [(0.5, 0.6)],
    "hairs apart": [(0.5, 0.5 + 1e-16 * i) for i in range(6)],
}


@pytest.mark.parametrize("folds", [False, True])
@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("options", [{}, {"control": "a"}, {"rope": 0}, {"ties": "plain"}])
def test_tables_of_results_answer_or_refuse(name, folds, options):
    found = tm.compare_results(table(RESULTS[name], folds=folds), draws=500, **options)
    json.loads(found.to_json())
    for pair in found.pairs:
        at = (name, folds, pair)
        result = pair.result
        assert math.isnan(result.p_value) == bool(result.reason), at
        assert result.reason or 0 <= result.p_value <= 1, at
        chance = (pair._posterior.below, pair._posterior.within, pair._posterior.above)
        assert any(map(math.isnan, chance)) == bool(pair._posterior.reason), at
        assert pair._posterior.reason or sum(chance) == pytest.approx(1), at
        if result.interval is not None:
            assert result.interval[0] <= result.interval[1], at
        if all(a == b for a, b in RESULTS[name]):
            assert pair.winner is None, at
    told = str(found)
    assert not re.search(r"\bnan\b", told.lower()), told
    assert found.verdict


def test_a_single_fold_is_no_evidence():
    found = tm.compare_results(table([(0.8, 0.7)], folds=True))
    (pair,) = found.pairs
    assert pair.winner is None
    assert pair.result.reason
    assert "nan" not in str(found.verdict).lower().split()
