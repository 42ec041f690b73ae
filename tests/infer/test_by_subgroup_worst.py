"""The worst of many parts looks worse than it is: its bounds allow for the choice."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

import tallymark as tm
from tallymark.errors import InputError
from tallymark.infer.by_subgroup import stretched
from tallymark.infer.intervals import Estimates, interval
from tallymark.infer.multiplicity import each_level
from tallymark.infer.samples import Tallies
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import quantile, wilson


def subgroup_counts(subgroups=8, n=200, seed=0, **worse):
    rng = np.random.default_rng(seed)
    where = np.repeat(np.arange(subgroups), n)
    y = rng.integers(0, 2, len(where))
    right = np.full(subgroups, 0.8)
    for name, share in worse.items():
        right[int(name[1:])] = share
    said = np.where(rng.random(len(where)) < right[where], y, 1 - y)
    return tm.evaluate(y, said, subgroup={"part": where}).by("part")


def test_a_proportion_has_the_bounds_of_all_at_once():
    found = subgroup_counts()
    worst = found.worst_of_all("accuracy")
    values = {k: v["accuracy"] for k, v in found.values("accuracy").items()}
    assert worst.key == min(values, key=lambda k: values[k].value)
    assert worst.value == values[worst.key]
    z = quantile(1 - 0.05 / 8)
    bounds = {k: wilson(round(v.value * 200), 200, z) for k, v in values.items()}
    np.testing.assert_allclose([worst.low, worst.high], bounds[worst.key])
    assert worst.least == pytest.approx(float(min(low for low, _ in bounds.values())))
    most = min(high for _, high in bounds.values())
    assert worst.most == pytest.approx(float(most))
    assert set(worst.candidates) == {k for k, (low, _) in bounds.items() if low <= most}
    assert worst.candidates[0] == worst.key
    assert (worst.of, worst.level) == (8, 0.95)
    assert "as one of 8" in str(worst)


def test_one_that_is_far_worse_is_the_only_candidate():
    worst = subgroup_counts(_3=0.4).worst_of_all("accuracy")
    assert (worst.key, worst.candidates) == (3, (3,))
    assert (worst.low, worst.high) == (worst.least, worst.most)


def test_of_a_loss_the_highest_is_the_worst():
    rng = np.random.default_rng(1)
    where, p = np.repeat([0, 1, 2], 300), rng.random(900)
    y = (rng.random(900) < np.where(where == 1, 0.5, p)).astype(int)
    worst = tm.evaluate(y, y_score=p, subgroup={"at": where}).by("at").worst_of_all("brier")
    assert (worst.key, worst.candidates) == (1, (1,))
    assert worst.least <= worst.value.value <= worst.most


@pytest.mark.slow
def test_bounds_hold_over_all_subgroups_where_the_usual_ones_do_not():
    hold = usual = 0
    for seed in range(60):
        worst = subgroup_counts(60, 100, seed).worst_of_all("matthews_corrcoef")
        hold += worst.low <= 0.6 <= worst.high and worst.least <= 0.6 <= worst.most
        usual += worst.value.low <= 0.6 <= worst.value.high
    assert hold >= 54
    assert usual < 45


def test_draws_are_stretched_to_the_level_of_all():
    ratio = Statistic.of(get("diagnostic_odds_ratio"), (0, 1))
    counts = np.array([[[80.0, 20], [15, 85]], [[70.0, 30], [25, 75]]])
    stack = Tallies((0, 1), (counts, None))
    column = interval({"": ratio}, stack)[""]
    wide = stretched(column, np.full(2, 100.0), 0.999)
    assert (wide.lows < column.lows).all()
    assert (wide.highs > column.highs).all()
    assert (wide.lows >= 0).all()
    same = stretched(column, np.full(2, 100.0), 0.95)
    np.testing.assert_allclose([same.lows, same.highs], [column.lows, column.highs])
    score = interval({"": Statistic.of(get("accuracy"), (0, 1))}, stack)[""]
    wide = stretched(score, np.full(2, 1e9), 0.999)
    np.testing.assert_allclose(wide.lows, wilson([165, 145], 200, quantile(0.999))[0], atol=0.005)
    assert subgroup_counts(4).worst_of_all("diagnostic_odds_ratio").of == 4


def test_bounds_are_stretched_on_the_scale_of_the_range_by_the_quantiles_of_students_t():
    of = {"first": get("matthews_corrcoef"), "second": get("diagnostic_odds_ratio")}
    for metric in of.values():
        column = Estimates(
            Statistic.of(metric, (0, 1)), np.array([0.62]), np.array([0.31]), np.array([0.77]),
            ["by hand"], [None], 0.8,
        )  # fmt: skip
        wide = stretched(column, np.array([12.0]), 0.99)
        by = t.ppf(0.995, 11) / t.ppf(0.9, 11)
        for found, bound in ((wide.lows, 0.31), (wide.highs, 0.77)):
            if metric is of["second"]:  # has no upper end: on its own scale, from 0 up
                wanted = max(0.62 + by * (bound - 0.62), 0)
            else:
                middle, end = (np.log((x + 1) / (1 - x)) for x in (0.62, bound))
                wanted = 2 / (1 + np.exp(-(middle + by * (end - middle)))) - 1
            assert found[0] == pytest.approx(wanted, abs=1e-9), metric.name


def test_subgroups_of_few_rows_are_not_among_them():
    assert subgroup_counts(5, 20).worst_of_all("accuracy") is None
    assert each_level(0.95, 0) == pytest.approx(0.95)


def test_what_has_no_worst_is_refused():
    with pytest.raises(InputError, match="does not rank subgroups: .*; use .values()"):
        subgroup_counts(3).worst_of_all("prevalence")


def test_subgroups_are_ordered_with_the_small_ones_last():
    y = np.r_[np.ones(60, int), np.zeros(60, int), [1, 0]]
    where = np.r_[np.repeat(["a", "b"], 30), np.repeat(["a", "b"], 30), ["c", "c"]]
    said = np.where((where == "b") & (np.arange(122) % 3 == 0), 1 - y, y)
    said[-2:] = 0
    found = tm.evaluate(y, said, subgroup={"at": where}).by("at")
    assert found._order("matthews_corrcoef") == ("b", "a", "c")
    assert found._decisive() == "matthews_corrcoef"
    data = found.to_dict("mcc", most=1)
    assert [s["subgroup"] for s in data["subgroups"]] == [{"at": "b"}]
    assert data["n_not_shown"] == 2
    assert data["worst"]["matthews_corrcoef"]["subgroup"] == {"at": "b"}
