"""Subgroups that bear more errors than the rest, at one threshold or at several."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from judged import counted_of
from sites import LEVEL, judged, rows
from tallymark.infer.subgroup_errors import subgroup_errors


def errors_of(ev, *thresholds):
    return subgroup_errors(counted_of(ev), ev.models[0], thresholds, level=ev.level, seed=ev.seed)


def test_the_rate_of_the_subgroup_and_of_the_others_are_counted():
    y, p, where = rows()
    (found,) = errors_of(judged())
    assert (found.subgroup, found.metric, found.threshold) == (("west",), "specificity", 0.5)
    of_site, others = (y == 0) & (where == "west"), (y == 0) & (where != "west")
    assert found.value.value == pytest.approx((p[of_site] < 0.5).mean())
    assert found.rest == pytest.approx((p[others] < 0.5).mean())


@pytest.mark.parametrize("thresholds", [(), (0.2,), (0.2, 0.7)])
def test_p_values_are_corrected_for_subgroups_rates_and_thresholds(thresholds):
    ev = judged()
    families = 2 * (1 + len(thresholds))
    found = errors_of(ev, *thresholds)
    assert {e.comparisons for e in found} == {3 * families}
    gaps = [e.value.value - e.rest for e in found]
    assert gaps == sorted(gaps)
    cuts = [ev, *(ev.at(threshold=t) for t in thresholds)]
    expected = set()
    for cut in cuts:
        for metric in ("sensitivity", "specificity"):
            for d in cut.by("site").differences(metric):
                p = min(1.0, families * d.corrected)
                if d.difference.value < 0 and p < 1 - LEVEL:
                    expected.add((cut.models[0].threshold, metric, (d.key,), round(p, 12)))
    assert expected
    assert {(e.threshold, e.metric, e.subgroup, round(e.p_value, 12)) for e in found} == expected


def test_a_subgroup_with_fewer_errors_is_not_named():
    assert errors_of(judged(alarms=(0.1, 0.1, 0.1), found=(0.75, 0.75, 0.8))) == []
    (found,) = errors_of(judged(alarms=(0.1, 0.1, 0.1), found=(0.8, 0.8, 0.3)))
    assert (found.subgroup, found.metric) == (("west",), "sensitivity")


def test_decisions_without_scores_have_no_threshold():
    (found,) = errors_of(judged(decided=True))
    assert found.threshold is None


def test_few_rows_and_folds_are_not_tested():
    small = judged(n=(300, 250, 20), alarms=(0.1, 0.1, 0.9))
    assert errors_of(small) == []
    y, p, where = rows()
    assert errors_of(tm.evaluate(y, y_score=p, fold=where, level=LEVEL)) == []
    assert errors_of(tm.evaluate(y, y_score=p, level=LEVEL)) == []


def test_missing_values_are_a_subgroup():
    y, p, where = rows()
    site = [None if w == "west" else w for w in where.tolist()]
    (found,) = errors_of(tm.evaluate(y, y_score=p, subgroup={"site": site}, level=LEVEL))
    assert (found.columns, found.subgroup) == (("site",), ("(missing)",))


@pytest.mark.slow
def test_no_subgroup_is_named_by_chance_more_often_than_the_level_says():
    rng = np.random.default_rng(4)
    flagged = 0
    for _ in range(60):
        y = (rng.random(600) < 0.3).astype(int)
        p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1)))
        site = rng.choice(["a", "b", "c", "d"], 600)
        flagged += bool(
            errors_of(tm.evaluate(y, y_score=p, subgroup={"site": site}, level=LEVEL), 0.3)
        )
    assert flagged <= 18, "at most 20 % of 60, and three standard errors"
