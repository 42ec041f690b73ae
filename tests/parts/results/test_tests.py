from __future__ import annotations

import json
import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from parts.results.demsar import CLASSIFIERS, TABLE
from parts.results.one_pair import signed_rank
from tallymark.errors import InputError
from tallymark.infer.corrected_t import corrected_t
from tallymark.infer.multiplicity import holm
from tallymark.parts.results.friedman import (
    Friedman,
    critical_difference,
    friedman,
    groups,
    rank_table,
    rank_tests,
)
from tallymark.parts.results.wilcoxon import wilcoxon

C45, C45_M = np.transpose(TABLE)[:2]

VALUES = st.integers(0, 40).map(lambda i: i / 40)
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=14)


# -- worked examples ---------------------------------------------------------------------------


def test_wilcoxon_is_demsars():
    """Sums of ranks 93 and 12: two differences are zero, and each side gets one of their ranks."""
    found = wilcoxon(C45, C45_M)
    assert found.statistic == 12
    assert 105 - found.statistic == 93
    assert found.zeros == 2
    assert found.p_value < 0.05  # his table: 21 is significant at that level
    assert found.method == (
        "Wilcoxon signed rank, exact; 2 of 14 differences are zero: "
        "their ranks go half to each side"
    )


def test_differences_of_zero_are_named_where_there_are_some():
    assert wilcoxon(C45, C45_M).statistic == 12
    assert "zero" not in wilcoxon([0.3, 0.5], [0.1, 0.2]).method


# -- properties --------------------------------------------------------------------------------


def slowly(a, b):
    """Return Wilcoxon's p-value from all sets of signs."""
    d = np.round(np.subtract(a, b), 10)
    ranks = stats.rankdata(np.abs(d))
    kept, ranks = np.sign(d[d != 0]), ranks[d != 0]
    seen = (kept * ranks).sum()
    all_sums = [(np.array(s) * ranks).sum() for s in product((-1, 1), repeat=len(ranks))]
    return float(np.mean(np.abs(all_sums) >= abs(seen) - 1e-9))


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=10))
@pytest.mark.slow
def test_wilcoxon_counts_all_signs(pairs):
    a, b = zip(*pairs, strict=True)
    found = wilcoxon(a, b)
    if all(x == y for x, y in pairs):
        assert found.reason == "every difference is zero"
    else:
        assert found.p_value == pytest.approx(slowly(a, b))


@given(PAIRS, st.sampled_from([0, 0.1, 0.25, 1]))
def test_turning_the_two_around_turns_the_sign_alone(pairs, ratio):
    a, b = zip(*pairs, strict=True)
    for found, turned in (
        (corrected_t(a, b, ratio=ratio), corrected_t(b, a, ratio=ratio)),
        (wilcoxon(a, b), wilcoxon(b, a)),
    ):
        assert found.difference == pytest.approx(-turned.difference, abs=1e-12)
        assert found.p_value == pytest.approx(turned.p_value, nan_ok=True)
        assert found.reason == turned.reason
        assert bool(found.reason) == math.isnan(found.p_value) == math.isnan(found.statistic)
        if not found.reason:
            assert 0 <= found.p_value <= 1
        json.dumps(found.to_dict(), allow_nan=False)


def test_the_pseudo_median_by_hand():
    # of 1 2 6 the means of pairs are 1 1.5 2 3.5 4 6
    found = wilcoxon([1, 2, 6], [0, 0, 0], level=0.5)
    assert found.difference == 2.75
    # sums of ranks 0 .. 6 have chances 1 1 1 2 1 1 1 of 8: one from either end is left out at 1/4
    assert found.interval == (1.5, 4)
    assert wilcoxon([1, 2, 6], [0, 0, 0], level=0.7).interval == (1, 6)
    assert wilcoxon([1, 2, 6], [0, 0, 0], level=0.8).interval is None


def test_the_interval_of_many_pairs_by_hand():
    d = [i**2 - 300.0 for i in range(60)]
    found = wilcoxon(d, [0.0] * 60, level=0.9)
    means = sorted((a + b) / 2 for i, a in enumerate(d) for b in d[i:])
    cut = math.floor(60 * 61 / 4 - 1.6448536 * math.sqrt(60 * 61 * 121 / 24))  # 691
    assert found.interval == (means[cut - 1], means[-cut])


@given(st.integers(0, 10_000), st.integers(4, 70), st.sampled_from([0.8, 0.95]))
def test_the_interval_holds_what_the_test_does_not_reject(seed, n, level):
    d = np.random.default_rng(seed).normal(0.4, 1, n)
    found = wilcoxon(d, np.zeros(n), level=level)
    if found.interval is None:
        assert n < 6
        assert found.p_value > 1 - level
        return
    low, high = found.interval
    assert low <= found.difference <= high
    width = high - low
    for shift, inside in ((low - 0.01 * width, False), (low + 0.01 * width, True),
                          (high - 0.01 * width, True), (high + 0.01 * width, False)):  # fmt: skip
        p = wilcoxon(d, np.full(n, shift)).p_value
        slack = 0 if n <= 50 else 0.01  # the normal approximation is cut at a whole number
        assert (p > 1 - level - slack) if inside else (p < 1 - level + slack)


@pytest.mark.slow
def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(7)
    found = [wilcoxon(d, np.zeros(12)).interval for d in rng.normal(0.3, 1, (3000, 12))]
    covered = np.mean([low <= 0.3 <= high for low, high in found])
    assert 0.95 <= covered < 0.965


@pytest.mark.parametrize("n", [51, 64, 90])
def test_the_normal_approximation_cuts_next_to_where_counting_does(n, monkeypatch):
    d = np.random.default_rng(n).normal(0.1, 1, n)
    means = np.sort([(a + b) / 2 for i, a in enumerate(d) for b in d[i:]])
    cuts = []
    for most in (50, 100):
        monkeypatch.setattr("tallymark.parts.results.wilcoxon.MOST_EXACT", most)
        low, high = wilcoxon(d, np.zeros(n)).interval
        cuts.append(np.searchsorted(means, low + 1e-12))
        assert means[-cuts[-1]] == pytest.approx(high)
    assert abs(int(cuts[0]) - int(cuts[1])) <= 2


def test_where_counting_all_signs_ends():
    d = np.arange(1.0, 52) * (-1.0) ** np.arange(51)
    assert "exact" in wilcoxon(d[:50], np.zeros(50)).method
    assert "normal approximation" in wilcoxon(d, np.zeros(51)).method


def test_many_differences_go_by_the_normal_approximation():
    rng = np.random.default_rng(0)
    a, b = np.round(rng.random((2, 80)), 1)
    found = wilcoxon(a, b)
    d = np.round(a - b, 10)
    expected = stats.wilcoxon(d, zero_method="zsplit", correction=False, method="asymptotic")
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.method.startswith("Wilcoxon signed rank, normal approximation; ")


# -- what cannot be ----------------------------------------------------------------------------


def test_wilcoxon_says_why_it_cannot_be():
    assert wilcoxon([0.5, 0.5], [0.5, 0.5]).reason == "every difference is zero"
    assert wilcoxon([], []).reason == "there is no difference"
    assert wilcoxon([0.5], [0.4]).p_value == 1.0
    everywhere = wilcoxon([0.5] * 6, [0.4] * 6)  # all sizes tie: no more than a sign test
    assert everywhere.p_value == 2 / 64


@pytest.mark.parametrize(("call", "said"), [
    (lambda: wilcoxon([1, 2e100], [1, 2]), "a holds 2e+100, and no metric is beyond 1e+100; correct it"),
])  # fmt: skip
def test_refusals(call, said):
    with pytest.raises(InputError) as refused:
        call()
    assert str(refused.value) == said


def test_any_scale_will_do():
    a, b = np.array([0.84, 0.82, 0.86, 0.80, 0.83]), np.array([0.8, 0.81, 0.8, 0.8, 0.82])
    for scale in (1e-90, 1e-20, 1e20, 1e90):
        for test in (lambda a, b: corrected_t(a, b, ratio=0.1), wilcoxon):
            assert test(a * scale, b * scale).p_value == pytest.approx(test(a, b).p_value)
    assert wilcoxon(a * 1e-200, b * 1e-200).reason == "every difference is zero"


TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 6).map(lambda i: i / 7), min_size=k, max_size=k),
        min_size=1, max_size=9,
    )
)  # fmt: skip


# -- Demsar's worked example -------------------------------------------------------------------


def test_demsars_mean_ranks_friedman_and_iman_davenport():
    found = friedman(TABLE, ties="plain")
    assert np.round(found.ranks, 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert round(found.statistic, 2) == 9.28
    assert round(found.f, 2) == 3.69
    assert (found.df, found.f_df) == (3, (3, 39))
    assert found.f_p_value < 0.05  # the critical value is 2.85
    assert found.f_p_value == pytest.approx(stats.f.sf(found.f, 3, 39))


def test_ties_corrected_is_scipys():
    found = friedman(TABLE)
    scipys = stats.friedmanchisquare(*np.transpose(TABLE))
    assert found.statistic == pytest.approx(scipys.statistic)
    assert found.p_value == pytest.approx(scipys.pvalue)
    assert found.statistic > friedman(TABLE, ties="plain").statistic


def test_demsars_critical_differences():
    """Table 5 has 2.343, 2.569, ... of 3, 4, ... classifiers, not always rounded to nearest."""
    for k, q in zip(range(2, 11), (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164), strict=True):  # fmt: skip
        assert critical_difference(k, 6) / math.sqrt(k * (k + 1) / 36) == pytest.approx(
            q, abs=1.2e-3
        )
    assert round(critical_difference(4, 14), 2) == 1.25
    assert critical_difference(4, 1) == pytest.approx(critical_difference(4, 16) * 4)
    assert round(critical_difference(4, 14, level=0.9), 2) == 1.12


def test_demsars_comparisons_with_a_control():
    """Table 7: z and p of the three others against C4.5, and two of three hypotheses fall."""
    ranks = friedman(TABLE).ranks
    z, p, _ = rank_tests(ranks, 14, [(0, 3), (0, 1), (0, 2)])
    assert np.round(z, 3).tolist() == [2.415, 2.342, 0.512]  # from rounded ranks 2.416 and 2.343
    assert np.round(p, 3).tolist() == [0.016, 0.019, 0.608]
    assert (holm(p) < 0.05).tolist() == [True, True, False]


def test_demsars_groups():
    ranks = friedman(TABLE).ranks
    assert groups(ranks, critical_difference(4, 14)) == ((3, 1, 2, 0),)
    assert groups(ranks, critical_difference(4, 14, level=0.9)) == ((3, 1, 2), (2, 0))
    *_, told = rank_tests(ranks, 14, list(combinations(range(4), 2)))
    assert (told[:3] < 0.1).tolist() == [True, False, True]
    assert (told > 0.05).all()


def test_the_table_is_whole():
    assert np.shape(TABLE) == (14, len(CLASSIFIERS))


# -- ranks -------------------------------------------------------------------------------------


@given(TABLES, st.sampled_from(["high", "low"]))
def test_ranks_of_a_data_set_are_scipys_and_sum_to_the_same(table, better):
    ranks = rank_table(table, better=better)
    sign = -1 if better == "high" else 1
    np.testing.assert_allclose(ranks, stats.rankdata(sign * np.array(table), axis=1))
    k = len(table[0])
    np.testing.assert_allclose(ranks.sum(1), k * (k + 1) / 2)


@given(TABLES)
def test_friedman_is_invariant_and_never_without_words(table):
    found = friedman(table)
    assert bool(found.reason) == math.isnan(found.f_p_value)
    json.dumps(found.to_dict(), allow_nan=False)
    x = np.array(table)
    # the order of classifiers, and any rising function of the values, change nothing
    other = friedman(np.exp(3 * x[:, ::-1]) - 7)
    assert other.statistic == pytest.approx(found.statistic, nan_ok=True, rel=1e-6, abs=1e-9)
    turned = friedman(-x, better="low")
    assert turned.f_p_value == pytest.approx(found.f_p_value, nan_ok=True)
    if not found.reason:
        assert 0 <= found.p_value <= 1
        assert 0 <= found.f_p_value <= 1
        plain = friedman(table, ties="plain")
        assert plain.statistic <= found.statistic + 1e-9
        if x.shape[1] > 2:
            assert found.statistic == pytest.approx(stats.friedmanchisquare(*x.T).statistic)


def test_perfect_agreement_has_the_chance_of_so_many_equal_orders():
    found = friedman([[3, 2, 1], [6, 5, 4], [9, 5, 1]])
    assert found.f == math.inf
    # two more data sets, each with the one order of six
    assert found.f_p_value == pytest.approx(1 / 36)
    assert found.to_dict()["f"] == "inf"
    assert friedman([range(200), range(200)]).f_p_value == pytest.approx(0)
    tied = friedman([[2, 2, 1], [6, 6, 4], [9, 9, 1]])  # of three orders with such a tie
    assert tied.f_p_value == pytest.approx(1 / 9)


def test_false_alarms_are_as_rare_as_they_say():
    """Of classifiers that do not differ, Iman and Davenport's F calls 5 in 100 tables different."""
    rng = np.random.default_rng(0)
    found = [friedman(table) for table in rng.random((3000, 14, 4))]
    assert np.mean([f.f_p_value < 0.05 for f in found]) == pytest.approx(0.05, abs=0.01)
    assert np.mean([f.p_value < 0.05 for f in found]) < 0.05
    cd = critical_difference(4, 14)
    told = [max(f.ranks) - min(f.ranks) >= cd for f in found]
    assert np.mean(told) == pytest.approx(0.05, abs=0.012)


@given(st.lists(st.integers(4, 20).map(lambda i: i / 4), min_size=2, max_size=9),
       st.integers(1, 10).map(lambda i: i / 3))  # fmt: skip
def test_groups_hold_exactly_the_pairs_not_told_apart(ranks, difference):
    found = groups(ranks, difference)
    together = {frozenset(p) for g in found for p in combinations(g, 2)}
    expected = {
        frozenset((i, j))
        for i, j in combinations(range(len(ranks)), 2)
        if abs(ranks[i] - ranks[j]) < difference
    }
    assert together == expected
    sets = [set(g) for g in found]
    assert not any(a < b for a in sets for b in sets)
    assert all(len(g) > 1 for g in found)


def test_two_classifiers_have_one_critical_difference_and_p_value():
    """With two, Nemenyi's and the normal test of mean ranks are the same."""
    _, (p,), (nemenyi,) = rank_tests([1.2, 1.8], 12, [(0, 1)])
    assert nemenyi == pytest.approx(p, rel=1e-6)


@given(
    st.lists(st.integers(4, 20).map(lambda i: i / 4), min_size=2, max_size=5), st.integers(3, 30)
)
def test_nemenyi_and_its_critical_difference_agree(ranks, datasets):
    pairs = list(combinations(range(len(ranks)), 2))
    *_, nemenyi = rank_tests(ranks, datasets, pairs)
    cd = critical_difference(len(ranks), datasets)
    for (i, j), p in zip(pairs, nemenyi, strict=True):
        gap = abs(ranks[i] - ranks[j])
        if abs(gap - cd) > 1e-6:
            assert (p < 0.05) == (gap > cd)
    turned = [(j, i) for i, j in pairs]
    assert (rank_tests(ranks, datasets, turned)[2] == nemenyi).all()
    assert rank_tests(ranks, datasets, [(0, 0)])[2].tolist() == [1]


# -- probabilities -----------------------------------------------------------------------------


RANK_PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=9)


@given(RANK_PAIRS, st.sampled_from([0, 0.05]))
def test_the_signed_rank_posterior_turns_around_with_the_two(pairs, rope):
    a, b = np.transpose(pairs) / 30
    p, q = (signed_rank(x, y, rope=rope, draws=500) for x, y in ((a, b), (b, a)))
    assert p.reason == q.reason
    assert (p.below, p.within, p.above) == pytest.approx((q.above, q.within, q.below), nan_ok=True)
    if not p.reason:
        assert p.below + p.within + p.above == pytest.approx(1)
        if not rope:
            assert p.within == 0


def test_the_signed_rank_posterior_by_hand():
    """One data set and the prior: w of it is Beta(1, 1/2), and it wins where w(2 - w) > 1/2.

    Pairs are (0, 0), which is zero, twice (0, z) and (z, z), which are above: a share of
    1 - (1 - w)² against (1 - w)².
    """
    p = signed_rank([0.9], [0.5], rope=0.01, draws=200_000)
    cut = 1 - math.sqrt(0.5)
    assert p.above == pytest.approx(1 - stats.beta.cdf(cut, 1, 0.5), abs=0.003)
    assert p.below == 0
    assert signed_rank([0.9], [0.5], rope=0, draws=100).above == 1


def test_the_rope_is_closed_to_the_last_bit():
    a, b = [0.91, 0.81, 0.71], [0.90, 0.80, 0.70]
    assert signed_rank(a, b, rope=0.01, draws=100).within == 1
    assert signed_rank(a, b, rope=0.0099, draws=100).within < 1


def test_no_difference_at_all_is_equivalence_over_data_sets():
    assert signed_rank([0.5] * 5, [0.5] * 5, draws=100).within == 1


def test_one_draw_will_do():
    assert signed_rank([1.0], [0.0], draws=1).draws == 1


def test_seeds_repeat():
    a, b = np.random.default_rng(0).random((2, 8))
    one, two, other = (signed_rank(a, b, draws=999, seed=s) for s in (3, 3, 4))
    assert one == two
    assert one != other


# -- what cannot be ----------------------------------------------------------------------------


def test_reasons():
    assert friedman([[1, 2]]).reason == "one data set gives one order; give two or more"
    assert friedman([[1, 1], [2, 2]]).reason == "all classifiers tie on every data set"
    assert signed_rank([], []).reason == "there is no difference"
    assert signed_rank([1, 2], [1, 2], rope=0).reason == "every difference is zero"


def test_numbers_without_reasons_are_refused():
    with pytest.raises(ValueError, match="or a reason why not"):
        Friedman(2, (1.0, 2.0), "plain", math.nan, 1, 0.5, 1.0, (1, 1), 0.5)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("k", [2, 3, 5, 12])
def test_the_quantile_is_that_of_the_range_of_normal_means(k, level):
    q = critical_difference(k, 7, level=level) / math.sqrt(k * (k + 1) / 42) * math.sqrt(2)

    def of_the_least(x):
        return k * stats.norm.pdf(x) * (stats.norm.cdf(x + q) - stats.norm.cdf(x)) ** (k - 1)

    assert quad(of_the_least, -12, 12, epsabs=1e-12)[0] == pytest.approx(level, abs=1e-8)
