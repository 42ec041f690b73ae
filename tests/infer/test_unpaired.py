"""Models on different rows: exact values, simulated coverage, and what cannot be compared."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import tallymark as tm
from tallymark.cli import main
from tallymark.errors import InputError
from tallymark.infer.contrasts import EqualShares
from tallymark.infer.power import hanley_mcneil
from tallymark.infer.ratio_differences import EqualRatios
from tallymark.infer.significance import two_proportions

FEW = ["accuracy", "sensitivity", "precision", "f1", "roc_auc", "brier", "average_precision"]


def rows(n=400, seed=0, lift=1.5, share=0.4):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, 1 / (1 + np.exp(-(1.4 * rng.normal(size=n) + lift * (2 * y - 1))))


def side(n=400, seed=0, lift=1.5, share=0.4, name="model", **options):
    y, p = rows(n, seed, lift, share)
    return tm.evaluate(y, y_score={name: p}, **options)


def of_hits(hit, n, other_hit, other_n):
    """Return the difference of two sensitivities of so many hits among the rows."""
    sides = [tm.evaluate([1] * m + [0], [1] * k + [0] * (m - k + 1), positive=1)
             for k, m in ((hit, n), (other_hit, other_n))]  # fmt: skip
    (pair,) = sides[0].compare_with(sides[1], metrics=["sensitivity"], metric="accuracy").pairs
    return pair.differences["sensitivity"]


def compared(first, second, **options):
    return first.compare_with(second, **{"metrics": FEW} | options)


# -- each kind of number -----------------------------------------------------------------------


def test_bounds_of_differences_of_proportions():
    # Computed apart: the likelihood maximised numerically, then z + g (z² - 1) = s solved for z.
    cases = {
        (56, 70, 48, 80): (0.0533880, 0.3397546),
        (9, 10, 3, 10): (0.1778122, 0.8625035),
        (5, 56, 1, 29): (-0.0805533, 0.1641260),
        (30, 40, 7, 60): (0.4588887, 0.7716208),
    }
    for four, bounds in cases.items():
        d = of_hits(*four)
        assert (d.low, d.high) == pytest.approx(bounds, abs=1e-6)


def test_a_proportion_has_the_score_interval_and_its_test():
    first, second = side(seed=1), side(seed=2, lift=1.0)
    (pair,) = compared(first, second).pairs
    d = pair.differences["sensitivity"]
    shares = [ev.models[0].labels.counts[1] for ev in (first, second)]
    four = [x for c in shares for x in (float(c[1]), float(c.sum()))]
    again = of_hits(*map(int, four))
    assert (d.low, d.high) == pytest.approx((again.low, again.high))
    assert d.method == "skewness-corrected score, unpaired"
    assert d.test == "score test of two proportions"
    assert d.p_value == pytest.approx(two_proportions(*four).p_value)
    assert d.value == pytest.approx(first["sensitivity"].value - second["sensitivity"].value)
    # The bounds are the differences whose p-value is 1 - level.
    hit, n, other_hit, other_n = four
    for bound in (d.low, d.high):
        p = EqualShares((hit, other_hit), (n, other_n)).p_value(d.value, bound)
        assert p == pytest.approx(0.05)


# -- likelihood ratios and odds ratios ---------------------------------------------------------

RATIOS = ["positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio",
          "discriminant_power", "yule_q", "yule_y", "prevalence_threshold"]  # fmt: skip


def of_four(tp, fn, fp, tn, **options):
    """Return the evaluation of so many decisions."""
    y = [1] * (tp + fn) + [0] * (fp + tn)
    return tm.evaluate(y, [1] * tp + [0] * fn + [1] * fp + [0] * tn, positive=1, **options)


def ratios_of(first, second, **options):
    found = of_four(*first, **options).compare_with(of_four(*second), metrics=RATIOS)
    return found.pairs[0].differences


def test_likelihood_ratios_of_different_rows_are_equal_by_the_scores_of_both():
    d = ratios_of((45, 5, 8, 42), (30, 20, 10, 40))
    # The golden values of Q, chi-square with one degree of freedom.
    assert d["positive_likelihood_ratio"].p_value == pytest.approx(0.1594433495)
    odds = [d[name].p_value for name in RATIOS[2:6]]
    assert odds == pytest.approx([0.0056978625] * 4)
    assert d["prevalence_threshold"].p_value == d["positive_likelihood_ratio"].p_value
    assert {d[name].method for name in RATIOS} == {"scores of both ratios, unpaired"}
    assert str(d["diagnostic_odds_ratio"]) == "+41 (95 % CI +8 to +165)"


def test_the_interval_of_a_difference_of_ratios_has_the_values_that_are_not_rejected():
    called = ((25, 1), (30, 30)), ((30, 10), (50, 100))
    missed = ((5, 29), (30, 30)), ((20, 90), (50, 100))
    for level in (0.8, 0.95):
        d = ratios_of((25, 5, 1, 29), (30, 20, 10, 90), level=level)
        for name in RATIOS:
            of = missed if name == "negative_likelihood_ratio" else called
            test = EqualRatios(name, (), *of)
            for bound in (d[name].low, d[name].high):
                assert test.p_value(d[name].value, bound) == pytest.approx(1 - level, rel=1e-6)


def test_an_infinite_ratio_has_no_difference_and_no_p_value():
    d = ratios_of((25, 5, 0, 30), (20, 10, 3, 27))
    for name in ("positive_likelihood_ratio", "diagnostic_odds_ratio", "discriminant_power"):
        assert d[name].value == math.inf
        assert math.isnan(d[name].p_value)
        assert d[name].method == "no interval: one of the two is infinite"
    assert d["yule_q"].p_value == pytest.approx(0.0246101560)
    assert d["yule_q"].low > 0


def test_weighted_rows_of_a_ratio_count_as_their_effective_number():
    plain = ratios_of((25, 5, 4, 56), (30, 20, 10, 90))
    even = of_four(25, 5, 4, 56, weight=[3.0] * 90).compare_with(
        of_four(30, 20, 10, 90), metrics=RATIOS
    )
    for name in RATIOS:
        a, b = plain[name], even.pairs[0].differences[name]
        assert (a.low, a.high, a.p_value) == pytest.approx((b.low, b.high, b.p_value))


# -- one decision ------------------------------------------------------------------------------


def some_rows(rng):
    """Return few rows of two classes, with scores on a coarse grid."""
    n = int(rng.integers(8, 40))
    y = np.r_[0, 0, 1, 1, (rng.random(n - 4) < rng.choice([0.2, 0.5])).astype(int)]
    strength = rng.choice([0.3, 1.0, 2.5])
    p = 1 / (1 + np.exp(-(rng.normal(size=n) + strength * (2 * y - 1))))
    return y, np.clip(p.round(rng.choice([1, 2])), 0.01, 0.99)


QUICK = ["accuracy", "sensitivity", "precision", "f1", "youden_j", "roc_auc", "gini_coefficient",
         "brier", "log_loss", "average_precision", *RATIOS]  # fmt: skip


def says_one_thing(d, level):
    if d.level is None:
        return math.isnan(d.p_value)
    return (d.low > 0 or d.high < 0) == (d.p_value < 1 - level)


@pytest.mark.parametrize("seed", range(40))
def test_an_interval_leaves_0_out_exactly_where_the_p_value_is_small(seed):
    rng = np.random.default_rng(seed)
    level = float(rng.choice([0.8, 0.95]))
    first, second = (
        tm.evaluate(y, y_score=p, positive=1, level=level)
        for y, p in (some_rows(rng) for _ in range(2))
    )
    (pair,) = first.compare_with(second, metrics=QUICK).pairs
    against = [n for n, d in pair.differences.items() if not says_one_thing(d, level)]
    assert not against


@pytest.mark.parametrize("seed", range(10))
def test_subgroups_say_one_thing_too(seed):
    rng = np.random.default_rng(100 + seed)
    parts = [some_rows(rng) for _ in range(4)]
    y, p = (np.concatenate(v) for v in zip(*parts, strict=True))
    part = np.repeat([f"g{i}" for i in range(4)], [len(v) for v, _ in parts])
    by = tm.evaluate(y, y_score=p, positive=1, subgroup={"part": part}).by("part")
    for name in QUICK:
        for found in by.differences(name):
            assert says_one_thing(found.difference, 0.95), (name, found)
            if name in RATIOS[:3] and not math.isnan(found.ratio):
                apart = found.ratio_low > 1 or found.ratio_high < 1
                assert apart == (found.difference.p_value < 0.05)


def test_the_variances_of_two_areas_add_up():
    first, second = side(seed=1), side(seed=2, lift=1.0)
    (pair,) = compared(first, second).pairs
    d = pair.differences["roc_auc"]
    variances, freedoms = [], []
    for seed, lift in ((1, 1.5), (2, 1.0)):
        y, p = rows(seed=seed, lift=lift)
        wins = (p[y == 1][:, None] > p[y == 0]).astype(float)
        n, m = wins.shape
        variances.append(wins.mean(1).var(ddof=1) / n + wins.mean(0).var(ddof=1) / m)
        freedoms.append(min(n, m) - 1)
    variance = sum(variances)
    welch = variance**2 / sum(v**2 / f for v, f in zip(variances, freedoms, strict=True))
    assert d.method == d.test == "DeLong, unpaired, Student's t, logit scale"
    assert d.error == pytest.approx(math.sqrt(variance), rel=0.05)
    # The standard error is that of the arm toward 0, at the quantile of Welch's t.
    error = (d.value - d.low) / stats.t.ppf(0.975, welch)
    assert d.p_value == pytest.approx(2 * stats.t.sf(d.value / error, welch))
    gini = first.compare_with(second, metrics=["gini_coefficient"]).pairs[0].differences
    assert gini["gini_coefficient"].low == pytest.approx(2 * d.low)


@pytest.mark.parametrize("score", [lambda y: y + 0.0, lambda y: 1.0 - y])
def test_an_area_at_the_end_of_its_range_has_an_interval_and_a_p_value(score):
    y, _ = rows(60, seed=3)
    perfect = tm.evaluate(y, y_score=score(y) * 0.8)
    (pair,) = compared(perfect, side(60, seed=4, lift=0.4)).pairs
    d = pair.differences["roc_auc"]
    assert d.method == "square-and-add of both intervals"
    assert -1 <= d.low < d.value < d.high <= 1
    assert (d.p_value < 0.05) == (d.low > 0 or d.high < 0)
    both = compared(perfect, tm.evaluate(1 - y, y_score=score(1 - y) * 0.8)).pairs[0]
    d = both.differences["roc_auc"]
    assert (d.value, d.p_value) == (0, 1)
    assert d.low < 0 < d.high


def test_other_numbers_have_the_spread_of_both_sides():
    first, second = side(800, seed=5), side(300, seed=6)
    (pair,) = compared(first, second).pairs
    for name in ("f1", "brier", "average_precision"):
        d = pair.differences[name]
        a, b = (ev.value(name) for ev in (first, second))
        widths = math.hypot(a.high - a.low, b.high - b.low)
        assert d.method == d.test == "square-and-add of both intervals"
        assert d.high - d.low == pytest.approx(widths, rel=0.02)
        assert d.low < d.value < d.high


def test_the_same_counts_of_different_rows_may_differ():
    y, p = rows(seed=7)
    (pair,) = compared(tm.evaluate(y, y_score=p), tm.evaluate(y, y_score=p)).pairs
    d = pair.differences["f1"]
    assert d.value == 0
    assert d.high - d.low > 0.05
    assert d.p_value > 0.5
    assert pair.verdict.kind == "undecided"
    assert not pair.verdict.needed


def test_an_empty_cell_leaves_an_interval():
    y = [0] * 30 + [1] * 30
    perfect = tm.evaluate(y, y)
    other = tm.evaluate(y, [0] * 25 + [1] * 30 + [0] * 5)
    d = perfect.compare_with(other, metrics=["f1"]).pairs[0].differences["f1"]
    worst = other["f1"]
    assert d.high - d.low > worst.high - worst.low
    assert d.low < d.value < d.high
    twice = perfect.compare_with(tm.evaluate(y[::-1], y[::-1]), metrics=["f1"]).pairs[0]
    assert twice.differences["f1"].low < 0 < twice.differences["f1"].high


def test_a_perfect_order_on_one_side_is_no_certain_one():
    y = [0] * 30 + [1] * 30
    perfect = tm.evaluate(y, y_score=np.arange(60) / 60)
    other = side(60, seed=3)
    d = compared(perfect, other).pairs[0].differences["average_precision"]
    alone = other["average_precision"]
    assert d.high - d.low > alone.high - alone.low


def test_rows_of_many_classes_have_intervals():
    rng = np.random.default_rng(0)

    def made(n):
        y = rng.integers(0, 3, n)
        s = rng.gamma(1, size=(n, 3)) + 2 * np.eye(3)[y]
        return tm.evaluate(y, y_score=s / s.sum(1, keepdims=True))

    first, second = made(300), made(200)
    names = ["roc_auc", "log_loss", "top_k_accuracy", "cohen_kappa", "spherical_score"]
    for d in first.compare_with(second, metrics=names).pairs[0].differences.values():
        assert d.low < d.value < d.high
        assert d.p_value > 0.01
    # Squared distances to the bounds add up, on each side of the difference.
    a, b = (ev.value("log_loss") for ev in (first, second))
    d = first.compare_with(second, metrics=["log_loss"]).pairs[0].differences["log_loss"]
    below = math.hypot(a.value - a.low, b.high - b.value)
    above = math.hypot(a.high - a.value, b.value - b.low)
    assert (d.value - d.low, d.high - d.value) == pytest.approx((below, above))
    error = (below if d.value > 0 else above) / 1.959964
    assert d.p_value == pytest.approx(math.erfc(abs(d.value) / error / math.sqrt(2)))


# -- weights, clusters, class balance ----------------------------------------------------------


def test_equal_weights_are_rows():
    plain, other = side(seed=8), side(seed=9, lift=1.2)
    y, p = rows(seed=8)
    even = tm.evaluate(y, y_score=p, weight=np.full(len(y), 3.0))
    a, b = (compared(ev, other).pairs[0].differences for ev in (plain, even))
    for name in ("accuracy", "precision", "roc_auc"):
        assert (a[name].low, a[name].high) == pytest.approx((b[name].low, b[name].high))
        assert a[name].p_value == pytest.approx(b[name].p_value)
    assert b["accuracy"].method == ("skewness-corrected score, unpaired, weighted rows")
    assert not compared(even, other).pairs[0].tests


def test_clusters_of_copies_are_worth_a_row_each():
    y, p = rows(150, seed=10)
    six = tm.evaluate(np.repeat(y, 6), y_score=np.repeat(p, 6), cluster=np.repeat(range(150), 6))
    alone, other = tm.evaluate(y, y_score=p), side(5000, seed=11)
    whole, single = (compared(ev, other).pairs[0].differences for ev in (six, alone))
    assert whole["roc_auc"].method.startswith("Obuchowski, clusters, unpaired")
    assert whole["accuracy"].method == "square-and-add of both intervals"
    for name in ("accuracy", "f1", "roc_auc", "brier"):
        a, b = (d[name].high - d[name].low for d in (whole, single))
        assert a == pytest.approx(b, rel=0.12)


def test_a_side_at_another_class_balance_keeps_its_rates():
    first, second = side(600, seed=12), side(600, seed=13, lift=1.0)
    plain = compared(first, second).pairs[0].differences
    found = compared(first.at(prevalence=0.1), second.at(prevalence=0.1))
    (pair,) = found.pairs
    for name in ("sensitivity", "roc_auc"):
        d = pair.differences[name]
        assert (d.low, d.high) == pytest.approx((plain[name].low, plain[name].high))
    d = pair.differences["precision"]
    assert d.method == "square-and-add of both intervals"
    assert d.low < d.value < d.high
    assert not any("differ for that reason alone" in n for n in found.notes)


@pytest.mark.slow
def test_intervals_hold_the_true_difference():
    names = ["accuracy", "f1", "roc_auc", "matthews_corrcoef"]
    large = [side(200_000, 0, 1.5), side(200_000, 1, 0.9)]
    truth = {n: large[0][n].value - large[1][n].value for n in names}
    held = dict.fromkeys(names, 0)
    trials = 150
    for seed in range(trials):
        first, second = side(90, 10 + 2 * seed, 1.5), side(60, 11 + 2 * seed, 0.9)
        (pair,) = compared(first, second, metrics=names).pairs
        for n in names:
            d = pair.differences[n]
            held[n] += d.low <= truth[n] <= d.high
    assert all(0.9 <= h / trials <= 0.995 for h in held.values()), held


# -- verdicts ----------------------------------------------------------------------------------


def test_a_clear_difference_is_told_with_its_sides():
    found = compared(side(800, 1, 2.0), side(700, 2, 0.6), called=("before", "after"))
    (v,) = found.verdicts
    assert (v.kind, v.better, v.other) == ("better", "model (before)", "model (after)")
    assert str(v).startswith("model (before) is better than model (after): ROC area higher by 0.")
    assert found.samples == (("before", 800), ("after", 700))
    assert found.rows == 1500
    assert found.names == ("model (before)", "model (after)")


def test_the_second_side_may_be_the_better_one():
    (v,) = compared(side(800, 1, 0.6), side(700, 2, 2.0), metric="brier").verdicts
    assert (v.kind, v.better) == ("better", "model (second)")
    assert "Brier score lower by" in str(v)


def test_rows_needed_are_of_each_side():
    (v,) = compared(side(300, 1, 1.5), side(150, 2, 1.4), metric="accuracy", least=0.03).verdicts
    assert v.kind == "undecided"
    assert v._each == (300, 150)
    assert "rows like these on each side show a true difference of 0.03 with 80 % power" in str(v)
    assert "(here are 300 and 150)" in str(v)
    d = v.difference
    reach = 1.959964 + 0.841621
    # Of equally many rows n a side the error is the root of (1/n)(300 a² + 150 b²).
    assert v.needed["superiority"] == pytest.approx(195 * (reach * d.error / 0.03) ** 2, rel=0.1)


def test_without_joint_draws_the_table_has_an_upper_bound_and_the_pair_its_probability():
    found = compared(side(400, 1, 1.5), side(300, 2, 1.4), metrics=["accuracy", "f1"], margin=0.02)
    # roc_auc decides and is in the table too.
    t = found.table_error
    assert (t.tests, t.each, t.bound) == (3, 0.05, True)
    assert t.any == pytest.approx(1 - 0.95**3)
    assert "at least one in at most 14 % of samples (an upper bound, Šidák's)" in str(t)
    (v,) = found.verdicts
    assert sum(v.probabilities) == pytest.approx(1)
    assert v.probabilities[2] == pytest.approx(v._answer("non-inferiority").p_value)
    assert not found.ranks


def test_the_p_value_of_intervals_that_were_drawn_ends_where_the_draws_do():
    # 30 of 30 right against 30 of 60: F1 of the first rests on the posterior's draws.
    perfect, poor = (
        tm.evaluate([0, 1] * 15, [0, 1] * 15),
        tm.evaluate([0, 1] * 60, [0, 0, 1, 1] * 30),
    )
    found = perfect.compare_with(poor, metrics=["f1"]).pairs[0].differences["f1"]
    assert found.draws == 1000
    assert found.p_value == pytest.approx(2 / 1001)
    assert found.p_at_most


def test_a_margin_makes_equivalent():
    first, second = side(20_000, 1), side(20_000, 2)
    (v,) = compared(first, second, margin=0.05).verdicts
    assert v.kind == "equivalent"
    (v,) = compared(side(60, 3), side(60, 4), margin=0.001).verdicts
    assert v.kind in ("undecided", "better")


def test_models_of_one_name_are_paired_and_p_values_corrected():
    y, p = rows(seed=1)
    z, q = rows(seed=2)
    first = tm.evaluate(y, y_score={"a": p, "b": p**2, "c": p**3}, options={"name": "x"})
    second = tm.evaluate(z, y_score={"b": q, "a": q**2}, options={"name": "y"})
    found = compared(first, second, metric="accuracy")
    assert [(p.first, p.second) for p in found.pairs] == [("a (x)", "a (y)"), ("b (x)", "b (y)")]
    assert "left out, on one side only: c (x)" in found.notes
    plain = sorted(p.differences["accuracy"].p_value for p in found.pairs)
    assert sorted(v.p_value for v in found.verdicts)[0] == pytest.approx(min(1, 2 * plain[0]))
    assert all(", corrected p = " in str(v) for v in found.verdicts)


def test_one_model_a_side_is_compared_whatever_its_name():
    found = compared(side(name="old"), side(seed=1, name="new"))
    assert found.names == ("old (first)", "new (second)")


# -- what else differs -------------------------------------------------------------------------


def test_another_class_balance_is_told_with_what_it_moves():
    (note,) = compared(side(seed=1, share=0.5), side(seed=2, share=0.2)).notes
    assert note.startswith("1 makes up 0.")
    assert "precision" in note
    assert "ROC" not in note
    assert "sensitivity" not in note
    assert compared(side(seed=1), side(seed=2)).notes == ()
    only = side(seed=1, share=0.5).compare_with(side(seed=2, share=0.2), metrics=["sensitivity"])
    assert "differ for that" not in only.notes[0]


@pytest.mark.slow
def test_other_thresholds_and_few_rows_are_told():
    found = compared(side(seed=1, threshold=0.3), side(40, seed=2, share=0.2))
    assert any("decides at 0.3 in first and at 0.5 in second" in n for n in found.notes)
    assert any(n.startswith("second: ") and ": so few that" in n for n in found.notes)
    (told,) = compared(*(side(seed=s, cluster=np.arange(400) // 4 // s**4) for s in (1, 2))).notes
    assert told.startswith("second: there are only 7 clusters")


def test_the_tests_beside_the_verdict():
    first, second = side(100, seed=1), side(90, seed=2)
    (pair,) = compared(first, second).pairs
    names = [t.name for t in pair.tests]
    assert names == [
        "score test of two proportions, accuracy", "Fisher's exact test, accuracy",
        "Boschloo's exact test, accuracy", "Hanley-McNeil, unpaired",
    ]  # fmt: skip
    test = pair.tests[-1]
    errors = []
    for ev in (first, second):
        n = ev.models[0].labels.counts.sum(1)
        errors.append(math.sqrt(hanley_mcneil(ev["roc_auc"].value, n[1], n[0])))
    gap = first["roc_auc"].value - second["roc_auc"].value
    assert test.statistic == pytest.approx(gap / math.hypot(*errors))
    named = compared(first, second, metric="sensitivity").pairs[0].tests[0].name
    assert named == "score test of two proportions, sensitivity"


# -- refusals ----------------------------------------------------------------------------------


def test_sides_that_do_not_ask_the_same_are_refused():
    ev = side()
    y = ["a", "b"] * 20
    text = tm.evaluate(y, y, positive="b", options={"name": "x"})
    three = tm.evaluate([0, 1, 2] * 9, [0, 1, 2] * 9, options={"name": "y"})
    cases = [
        (ev, text, "first has the classes 0, 1 and second"),
        (tm.evaluate([0, 1, 2] * 9, [0, 1, 2] * 9, classes=[2, 1, 0], options={"name": "x"}), three,
         r"x has the classes 2, 1, 0 and y 0, 1, 2; give evaluate\(\) the same classes="),
        (text, tm.evaluate(y, y, positive="a", options={"name": "y"}),
         "the positive class is 'b' in x and 'a' in y"),
        (ev, ev, "both sides are the same rows; use compare"),
        (tm.evaluate([0, 1] * 9, {"a": [0, 1] * 9, "b": [0, 1] * 9}), side(name="c"),
         "no model has the same name on both sides"),
        (ev, {"y": y}, r"other is .*; give an evaluation, such as tm.evaluate\(y_true, y_pred\)"),
    ]  # fmt: skip
    for first, second, words in cases:
        if words.startswith("first has"):
            second = tm.evaluate(y, y, positive="b")
        with pytest.raises(InputError, match=words):
            first.compare_with(second)


def test_models_of_the_same_rows_are_sent_to_the_paired_comparison():
    y, p = rows()
    both = tm.evaluate(y, y_score={"a": p, "b": p**2})
    with pytest.raises(InputError, match="both sides are the same rows"):
        both.model("a").compare_with(both.model("b"))


@pytest.mark.parametrize("called", [("a",), ("a", "a"), "ab"])
def test_names_of_sides_are_two(called):
    with pytest.raises(InputError, match="give two different names"):
        compared(side(), side(seed=1), called=called)


def test_a_metric_that_a_side_lacks_is_refused():
    y, p = rows()
    with pytest.raises(InputError, match=r"model \(second\) has no roc_auc; choose another"):
        side(seed=1).compare_with(tm.evaluate(y, (p > 0.5) * 1), metric="roc_auc")
    d = compared(side(seed=1), tm.evaluate(y, (p > 0.5) * 1)).pairs[0].differences["roc_auc"]
    assert d.reason == "model (second) does not have it"


# -- shown -------------------------------------------------------------------------------------


def test_the_json_is_of_the_same_schema():
    import jsonschema

    schema = json.loads(
        (files("tallymark") / "schema/evaluation.schema.json").read_text(encoding="utf-8")
    )
    part = {"$ref": "#/$defs/comparison", "$defs": schema["$defs"]}
    found = compared(side(seed=1, share=0.5), side(seed=2)).to_dict()
    jsonschema.validate(json.loads(json.dumps(found, allow_nan=False)), part)
    assert found["samples"][1] == {"name": "second", "rows": 400}


def test_it_prints_what_it_found():
    found = compared(side(seed=1, share=0.5), side(seed=2))
    told = str(found)
    assert "Independent samples: first (400 rows) and second (400 rows)." in told
    assert "first side − second side, of independent samples." in " ".join(
        str(found.pairs[0]).split()
    )
    assert "note: 1 makes up" in " ".join(told.split())
    assert "model (first)" in told


@pytest.mark.slow
def test_the_command_line_compares_two_files(tmp_path):
    for name, seed in (("north", 1), ("south", 2)):
        y, p = rows(seed=seed)
        lines = [f"{'yes' if a else 'no'},{b}" for a, b in zip(y, p, strict=True)]
        (tmp_path / f"{name}.csv").write_text(
            "truth,score\n" + "\n".join(lines) + "\n", encoding="utf-8"
        )
    north, south = (str(tmp_path / f"{n}.csv") for n in ("north", "south"))
    args = ["compare", north, "--with", south, "--positive", "yes"]
    found = CliRunner().invoke(main, [*args, "--json"])
    assert found.exit_code == 0
    ours = tm.evaluate(north, positive="yes").compare_with(tm.evaluate(south, positive="yes"))
    assert json.loads(found.stdout) == json.loads(json.dumps(ours.to_dict()))
    assert "score (north.csv)" in CliRunner().invoke(main, args).stdout
    refused = CliRunner().invoke(main, [*args, "--against", "score"])
    assert refused.exit_code == 2
    assert "--against compares models on the same rows" in refused.stderr
    refused = CliRunner().invoke(main, ["compare", north, "--with", north])
    assert refused.exit_code == 2
    assert "is on both sides; give --with the predictions on other rows" in refused.stderr
    (tmp_path / "east.csv").write_text("truth,score\nmaybe,0.3\nyes,0.5\n", encoding="utf-8")
    refused = CliRunner().invoke(main, [*args, "--with", str(tmp_path / "east.csv")])
    assert refused.exit_code == 2
    assert "east.csv: truth holds the label 'maybe'" in refused.stderr
