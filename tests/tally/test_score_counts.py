"""Sums and places along score counts are those of slow and obvious twins."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from tallymark import ScoreTally
from tallymark.metric import METRICS, get
from tallymark.metric.measure import Statistic
from tallymark.tally import score_counts
from tallymark.tally.score_counts import (
    AnswerSums,
    RankSums,
    ScoreCounts,
    answer_sums,
    area_between,
    clipped,
    condensed,
    ends,
    first_threshold,
    fitted,
    fitted_to,
    greatest,
    placement_sums,
    rank_sums,
    search,
)
from tallymark.tally.sums import Sums

OF_RANKINGS = [
    m for m in METRICS.values() if m._needs in ("ranking", "probability", "probabilities")
]


@st.composite
def rankings(draw, least=6, most=60):
    """Scores inside 0..1 and whole or broken rows of both classes, some groups without any."""
    size = draw(st.integers(least, most))
    inner = draw(
        st.lists(st.integers(1, 999), min_size=size, max_size=size, unique=True).map(sorted)
    )
    whole = draw(st.booleans())
    rows = st.integers(0, 3).map(float) if whole else st.floats(0, 3).map(lambda x: round(x, 3))
    pos, neg = (draw(st.lists(rows, min_size=size, max_size=size)) for _ in range(2))
    pos[0] += 1.0
    neg[-1] += 1.0
    return np.array(inner) / 1000, np.array(pos), np.array(neg)


def drawn(seed):
    """Return scores and rows of both classes, of odd seeds broken ones, some groups without any."""
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.choice(np.arange(1, 1000), 60, replace=False)) / 1000
    pos, neg = rng.integers(0, 4, (2, 60)) * (rng.random((2, 60)).round(3) if seed % 2 else 1.0)
    return scores, pos, neg


@pytest.mark.parametrize("seed", range(6))
def test_a_stack_of_replicates_is_each_of_them(seed):
    """One is left out of a cell at a time, as of the jackknife; the last ones are drawn anew."""
    scores, pos, neg = drawn(seed)
    rng = np.random.default_rng(seed)
    stacks = [np.repeat(v[None], 12, 0) for v in (pos, neg)]
    cells = np.flatnonzero(pos > 0)[:6]
    stacks[0][np.arange(6), cells] = np.maximum(stacks[0][np.arange(6), cells] - 1, 0)
    for v in stacks:
        v[8:] = v[8:] * rng.integers(0, 3, v[8:].shape)
    for m in METRICS.values():
        if m._needs not in ("ranking", "probability", "probabilities"):
            continue
        s = Statistic.of(m, (0, 1), 1)
        found = s.of_score_counts([ScoreCounts(scores, *stacks)])
        each = [
            float(s.of_score_counts([ScoreCounts(scores, *rows)]))
            for rows in zip(*stacks, strict=True)
        ]
        np.testing.assert_allclose(found, each, rtol=1e-10, atol=1e-12, err_msg=m.name)


ORDERS = {
    "level": lambda rng, n: rng.random(n) < 0.3,
    "rising": lambda rng, n: rng.random(n) < np.linspace(0, 1, n) ** 3,
    "falling": lambda rng, n: rng.random(n) < np.linspace(1, 0, n),
    "parted": lambda rng, n: np.arange(n) >= 0.7 * n,
    "parted the wrong way": lambda rng, n: np.arange(n) < 0.2 * n,
    "in turn": lambda rng, n: np.arange(n) % 2 == 0,
    "few positives": lambda rng, n: np.arange(n) % (n // 3 + 1) == n // 5,
    "few others": lambda rng, n: np.arange(n) % (n // 3 + 1) != n // 5,
}
"""Which rows are positive, from the lowest score up."""


SPREADS = {
    "even": lambda rng, n: rng.random(n),
    "bent": lambda rng, n: 1 / (1 + np.exp(-2 * rng.normal(size=n) - 1)),
    "certain": lambda rng, n: 1 / (1 + np.exp(-30 * rng.normal(size=n))),
    "tiny": lambda rng, n: 10.0 ** -(320 * rng.random(n)),
    "high": lambda rng, n: 1 - 10.0 ** -(14 * rng.random(n)),
    "narrow": lambda rng, n: 0.5 + 1e-2 * rng.normal(size=n),
    "of one half": lambda rng, n: 0.5 + 1e-7 * rng.normal(size=n),
    "at the ends": lambda rng, n: np.append(rng.random(n), [0.0, 1.0, 0.5]),
}
SMOOTH = {
    "log p": lambda p, q: np.where(p < 0.5, np.log(p), np.log1p(-q)),
    "log q": lambda p, q: np.where(p < 0.5, np.log1p(-p), np.log(q)),
    "square": lambda p, q: p * p,
    "spread": lambda p, q: p * q * (q - p) ** 2,
    "spherical": lambda p, q: p / np.sqrt(p * p + q * q),
    "from the middle": lambda p, q: np.abs(q - p),
    "above the middle": lambda p, q: (p > 0.5) + 0.5 * (p == 0.5),
}


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("weighted", [False, True])
def test_condensed_probabilities_have_the_sums_of_all(spread, weighted):
    rng = np.random.default_rng(7)
    p = np.unique(SPREADS[spread](rng, 60_000))
    rows = rng.integers(0, 3, (2, len(p))) * (rng.random((2, len(p))) if weighted else 1.0)
    rows[:, (p == 0) | (p == 1)] = 0.0  # an infinite loss is no smooth one
    few, rest, *columns = condensed(p, rows, clip=0.01)
    assert len(few) <= (len(p) if spread in ("tiny", "of one half") else len(p) / 2)
    assert (np.diff(few) >= 0).all()
    for name, function in SMOOTH.items():
        for found, own in zip(columns, rows, strict=True):
            with np.errstate(all="ignore"):
                each = np.where(own == 0, 0.0, own * function(p, 1 - p))
                sum_ = np.where(found == 0, 0.0, found * function(few, rest)).sum()
            slack = 1e-13 * math.fsum(np.abs(each))
            assert sum_ == pytest.approx(math.fsum(each), rel=0, abs=slack), name
    # No node stands for probabilities on both sides of what a loss may turn at.
    for cut in (0.01, 0.5, 0.99):
        for found, own in zip(columns, rows, strict=True):
            assert found[few < cut].sum() == pytest.approx(own[p < cut].sum(), rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_from_the_top_are_running_sums(weighted):
    rng = np.random.default_rng(8)
    n = 9 << 17  # several workers
    rows = rng.integers(0, 3, (2, n)) * (rng.random((2, n)) if weighted else 1.0)
    for found, own in zip(ScoreCounts(np.arange(n), *rows)._cumulative_counts, rows, strict=True):
        twin = np.append(0.0, np.cumsum(own[::-1]))
        assert (np.diff(found) >= 0).all()
        if weighted:
            np.testing.assert_allclose(found, twin, rtol=1e-12)
        else:
            np.testing.assert_array_equal(found, twin)


@pytest.mark.parametrize("slope", [-0.5, 0.8, 4.0, 25.0])
@pytest.mark.parametrize("clip", [0.0, 0.1])
def test_a_line_of_condensed_probabilities(slope, clip):
    """Steep lines bend within a stretch of what is condensed; they are fitted to all."""
    rng = np.random.default_rng(2)
    scores = np.unique(1 / (1 + np.exp(-rng.normal(size=80_000) / max(abs(slope), 1) - 0.3)))
    x = np.log(scores) - np.log1p(-scores)
    pos = (rng.random(len(x)) < 1 / (1 + np.exp(0.2 - slope * x))).astype(float)
    r = ScoreCounts(scores, pos, 1 - pos)
    for sloped in (False, True):
        twin = fitted_to(pos, 1 - pos, clipped(x, clip), sloped)
        assert fitted(r, clip, sloped).tolist() == pytest.approx(twin.tolist(), rel=1e-11)


@settings(max_examples=40, deadline=None)
@given(rankings(), st.booleans())
@pytest.mark.slow
def test_losses_of_a_tally_are_those_of_its_rows(given, weighted):
    scores, pos, neg = given
    codes = np.repeat([1, 0], len(scores))
    rows, weights = np.concatenate([scores, scores]), np.concatenate([pos, neg])
    if not weighted:
        times = weights.astype(int)
        codes, rows, weights = np.repeat(codes, times), np.repeat(rows, times), None
    tally = ScoreTally.from_arrays(codes, rows, labels=(0, 1), sample_weight=weights)
    found, twin = Sums._of_scores([tally]), Sums._of_rows(codes, rows, weights)
    for name in ("totals", "squares", "cross", "weights", "sum_squared_weights"):
        assert getattr(found, name) == pytest.approx(getattr(twin, name), rel=1e-12), name


def test_an_impossible_truth_costs_infinitely_much():
    found = Sums._of_scores([ScoreTally.from_arrays([0, 1, 1], [0.2, 0.0, 1.0])])
    assert found.average("log_loss") == math.inf
    assert found.average("top_1") == pytest.approx(2 / 3)


SHAPES = {
    "level": lambda rng, n: rng.random(n) < 0.3,
    "rising": lambda rng, n: rng.random(n) < np.linspace(0, 1, n),
    "falling": lambda rng, n: rng.random(n) < np.linspace(1, 0, n),
    "waves": lambda rng, n: rng.random(n) < 0.5 + 0.4 * np.sin(np.arange(n) / 700),
    "all": lambda rng, n: np.arange(n) > 3,
}


def _stack(lines, groups, seed, whole):
    rng = np.random.default_rng(seed)
    pos, neg = (rng.poisson(1.5, (lines, groups)).astype(float) for _ in range(2))
    if not whole:
        pos, neg = (v * rng.random(v.shape) for v in (pos, neg))
    pos[0], neg[-1] = 0, 0  # of one class alone
    pos[1] = neg[1] = 0  # no row at all
    return ScoreCounts(np.sort(rng.random(groups)), pos, neg)


def test_the_hull_of_a_stack_keeps_its_leading_axes():
    r = _stack(12, 20, 0, True)
    deep = ScoreCounts(r.scores, r.pos.reshape(3, 4, 20), r.neg.reshape(3, 4, 20)).roc_convex_hull
    assert np.array_equal(deep.pos.reshape(12, -1), r.roc_convex_hull.pos)


def untied(order, n):
    """Return one whole row at each score, of both classes."""
    pos = ORDERS[order](np.random.default_rng(n), n).astype(float)
    pos[[0, -1]] = (1.0, 0.0) if pos.sum() in (0, n) else pos[[0, -1]]
    return ScoreCounts(np.arange(1, n + 1) / (n + 1), pos, 1 - pos)


def numpys_rank_sums(r):
    """Return the sums over the order of the scores by their formulas, group by group."""
    tp, fp = r._cumulative_counts
    tp0, fp0, tp1, fp1 = tp[:-1], fp[:-1], tp[1:], fp[1:]
    hit, miss, p, n = np.diff(tp), np.diff(fp), tp[-1], fp[-1]
    with np.errstate(all="ignore"):
        after, before = tp1 / (tp1 + fp1), tp0 / (tp0 + fp0)
        before = np.where(tp0 + fp0 == 0, after, before)
        slope = 1 + miss / hit
        lag = fp0 - (slope - 1) * tp0
        bend = np.where(lag == 0, 0, lag / slope**2 * np.log1p((hit + miss) / (tp0 + fp0)))
        least = p * p / (p + n)
        start = np.maximum(tp0, least)
        cut = fp0 + (fp1 - fp0) * (start - tp0) / (tp1 - tp0)
        beyond = np.where(tp0 > least, hit, (tp1 * n - p * (p - tp1)) / (p + n))
        gain = p / n * p * beyond / (start * tp1) * (1 - p / n * (cut / start + fp1 / tp1) / 2)
        share_p, share_n = p / (p + n), n / (p + n)
        above = 2 * share_p * share_n * (tp / p - fp / n)
        left = share_p * (p - tp) / p + share_n * (n - fp) / n
        chance = share_p * left + share_n * (share_p * tp / p + share_n * fp / n)
        x = np.diff(chance) / chance[:-1]
        series = sum((-x) ** k / (k + 2) for k in range(18))  # second of ln(1 + x) / x
        second = np.where(np.abs(x) < 0.1, series, (x - np.log1p(x)) / x**2)
        area = (above[:-1] * (1 - x * second) + np.diff(above) * second) / chance[:-1]
        kappa = np.where(miss > 0, np.diff(fp / n) * area, 0.0)
    terms = (
        miss * tp0, miss * hit, np.where(hit > 0, hit * after, 0),
        np.where(hit > 0, hit * (before + after) / 2, 0),
        np.where(hit > 0, hit / slope - bend, 0), np.where(tp1 > start, gain, 0), kappa,
    )  # fmt: skip
    return RankSums(*(math.fsum(term) for term in terms))


@pytest.mark.parametrize(
    ("order", "n"),
    [
        *product(ORDERS, [2, 65, 1000, 30_011]),
        *product(["level", "rising", "few positives"], [3 << 17]),
    ],
)
def test_rank_sums_of_untied_rows(order, n):
    r = untied(order, n)
    assert rank_sums(r) == pytest.approx(numpys_rank_sums(r), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [3, 60, 5000, 3 << 17])
def test_rank_sums_of_tied_rows(weighted, n):
    rng = np.random.default_rng(n)
    pos, neg = rng.integers(0, 4, (2, n)) * (rng.random((2, n)) if weighted else 1.0)
    pos[0] = neg[-1] = 1.0
    pos *= rng.random(n) < np.linspace(0.1, 1, n)
    r = ScoreCounts(np.arange(n) / n, pos, neg)
    if r.positives:
        wanted = numpys_rank_sums(r)
        assert rank_sums(r) == pytest.approx(wanted, rel=1e-11, abs=1e-13, nan_ok=True)
    stack = ScoreCounts(r.scores, np.stack([pos, pos + 1]), np.stack([neg, neg]))
    for one, each in zip(rank_sums(r), rank_sums(stack), strict=True):
        assert float(one) == pytest.approx(float(each[0]), rel=1e-14, nan_ok=True)


@pytest.mark.parametrize("groups", [1, 60, 3 << 18])
def test_totals_of_replicates_are_the_last_cumulative_counts(groups):
    rng = np.random.default_rng(groups)
    pos, neg = rng.random((2, 3, groups))
    stack = ScoreCounts(np.arange(groups) / groups, pos, neg)
    tp, fp = ScoreCounts(stack.scores, pos, neg)._cumulative_counts
    assert np.array_equal(stack.positives, tp[..., -1])
    assert np.array_equal(stack.negatives, fp[..., -1])
    for i in range(3):
        alone = ScoreCounts(stack.scores, pos[i], neg[i])
        assert (alone.positives, alone.negatives) == (stack.positives[i], stack.negatives[i])


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.999])
def test_areas_between_two_places_of_many_points(cut):
    rng = np.random.default_rng(3)
    x, y = np.sort(rng.random((2, 200_000)))
    grid = np.append(x[(x > 0.05) & (x < cut)], [0.05, cut])
    grid.sort()
    wanted = math.fsum(np.diff(grid) * (np.interp(grid, x, y)[1:] + np.interp(grid, x, y)[:-1]) / 2)
    assert area_between(x, y, 0.05, cut) == pytest.approx(wanted, rel=1e-12)


# -- answers by their confidence ---------------------------------------------------------------


def numpys_harmonic_difference(above, rows):
    """Return H(N + m) - H(N): differences of digamma functions, their series from 64 rows on."""

    def tail(x):
        return 1 / 24 / x**2 - 7 / 960 / x**4 + 31 / 8064 / x**6

    start, end = above + 0.5, above + rows + 0.5
    series = np.log1p(rows / start) + tail(end) - tail(start)
    return np.where(above < 64, digamma(above + rows + 1) - digamma(above + 1), series)


def numpys_answer_sums(scores, pos, neg, probabilities):
    """Return the sums over answers by their formulas, with the confidences sorted."""
    upper = (scores >= 0.5) | (not probabilities)
    confidence = np.where(upper, scores, 1 - scores)
    order = np.argsort(-confidence, kind="stable")
    alike = -np.diff(confidence[order]) <= (2.0**-52 if probabilities else -1)
    starts = np.flatnonzero(np.append(True, ~alike))
    answers = (np.where(upper, *v)[order] for v in ((pos, neg), (neg, pos)))
    right, wrong = (np.add.reduceat(v, starts) for v in answers)
    rows = right + wrong
    above, wrong_above = rows.cumsum() - rows, wrong.cumsum() - wrong
    share = wrong / np.where(rows == 0, 1, rows)
    steps = numpys_harmonic_difference(above, rows)
    terms = (
        rows,
        wrong,
        wrong + (wrong_above - above * share) * steps,
        rows * (wrong_above + wrong / 2),
    )
    return AnswerSums(*map(math.fsum, terms))


@pytest.mark.parametrize("probabilities", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7, 60, 1000, 5000])
def test_sums_over_answers_are_those_of_sorted_ones(n, weighted, probabilities):
    rng = np.random.default_rng(n)
    for power in (0.2, 1.0, 5.0):  # answers mostly yes, as often no, mostly no
        scores = np.unique(rng.random(n) ** power)
        if n > 2:  # pairs whose confidences are equal, or differ by rounding
            scores = np.unique(np.append(scores, 1 - scores[: n // 2]))
        pos, neg = rng.integers(0, 3, (2, len(scores))) * 1.0
        pos[0] += 1
        if weighted:
            pos, neg = pos * rng.exponential(size=len(pos)), neg * rng.random(len(pos))
        found = answer_sums(ScoreCounts(scores, pos, neg), probabilities=probabilities)
        wanted = numpys_answer_sums(scores, pos, neg, probabilities)
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "map_",
    [
        lambda u: u,
        lambda u: u**4,  # mostly no
        lambda u: u**0.1,  # mostly yes
        lambda u: np.append(0.1, 0.5 + u[1:] / 2),  # one no
        lambda u: np.append(u[::2] / 4, 0.5 + np.arange(len(u[1::2])) * 2.0**-53),  # one level
        lambda u: np.round(u, 2),
    ],
    ids=["evenly", "mostly no", "mostly yes", "one no", "half in one level", "few scores"],
)
def test_sums_over_many_answers_do_not_depend_on_how_they_are_cut(map_):
    rng = np.random.default_rng(5)
    rows = map_(np.sort(rng.random(3 << 18)))
    scores, place = np.unique(rows, return_inverse=True)
    truth = rng.random(len(rows)) < np.clip(rows, 0.05, 0.95)
    pos, neg = (np.bincount(place, v, len(scores)) for v in (truth, ~truth))
    found = answer_sums(ScoreCounts(scores, pos, neg), probabilities=True)
    wanted = numpys_answer_sums(scores, pos, neg, True)
    assert found == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("rows", [1, 2, 7, 90, 1e6])
@pytest.mark.parametrize("above", [1, 2, 63, 64, 65, 1000, 1e9, 1e12])
def test_harmonic_numbers_of_many_rows_do_not_cancel(above, rows):
    """Right answers below N wrong ones add N (H(N + m) - H(N)) to the risks."""
    counts = ScoreCounts(np.array([0.1, 0.9]), np.array([rows, 0.0]), np.array([0.0, above]))
    ours = (float(answer_sums(counts, probabilities=False).risks) - above) / above
    wanted = math.log1p(rows / (above + 0.5))  # with an error of 1/(24 N²)
    if rows < 1e5:
        wanted = float(sum(1 / Fraction(int(above) + k) for k in range(1, int(rows) + 1)))
    elif above < 1e4:
        wanted = digamma(above + rows + 1) - digamma(above + 1)
    assert ours == pytest.approx(wanted, rel=1e-13, abs=4e-16)


@pytest.mark.slow
def test_rows_among_tied_ones_are_summed_as_they_are():
    """Where as many rows as scores do not mean one row a score."""
    rng = np.random.default_rng(0)
    n = 200_000
    pos = (rng.random(n) < 0.4).astype(float)
    neg = 1 - pos
    neg[150_000] += 1.0
    neg[np.flatnonzero(neg[:60_000])[-1]] -= 1.0
    r = ScoreCounts(np.arange(n) / n, pos, neg)
    assert r.total == n
    assert rank_sums(r) == pytest.approx(numpys_rank_sums(r), rel=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [2, 1000, 70_001])
def test_placements_are_those_of_every_row(order, n):
    r = untied(order, n)
    of_pos, of_neg = np.cumsum(r.neg) / r.negatives, 1 - np.cumsum(r.pos) / r.positives
    auc = float((r.pos * of_pos).sum() / r.positives)
    twin = [
        float((w * (place - auc) ** 2).sum()) for w, place in ((r.pos, of_pos), (r.neg, of_neg))
    ]
    found, *spreads = placement_sums(r)
    assert found == pytest.approx(auc, rel=1e-12)
    assert spreads == pytest.approx(twin, rel=1e-9, abs=1e-20 * n)
    squares = ScoreCounts(r.scores, 4 * r.pos, 9 * r.neg)
    assert placement_sums(r, squares)[1:] == pytest.approx([4 * spreads[0], 9 * spreads[1]])
    if order == "parted" and n > 2:
        assert (found, *spreads) == (1.0, 0.0, 0.0)


def test_score_counts_are_pickled_without_what_was_computed_of_them():
    r = untied(next(iter(ORDERS)), 300)
    assert r.positives
    again = pickle.loads(pickle.dumps(r))
    assert set(vars(again)) == {"scores", "pos", "neg"}
    assert (again._cumulative_counts[0] == r._cumulative_counts[0]).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_every_metric_of_a_long_row_of_scores_is_that_of_plain_sums(weighted, monkeypatch):
    """Condensed, searched and looked at block by block, or all at once."""
    rng = np.random.default_rng(1)
    n = 90_000
    scores = np.unique(rng.beta(0.8, 1.3, n))
    pos = (rng.random(len(scores)) < scores) * (rng.random(len(scores)) if weighted else 1.0)
    neg = (rng.random(len(scores)) > scores) * (rng.random(len(scores)) if weighted else 1.0)
    of_all = [m for m in OF_RANKINGS if m.name != "h_measure"]
    found = [
        float(Statistic.of(m, (0, 1), 1).of_score_counts([ScoreCounts(scores, pos, neg)]))
        for m in of_all
    ]
    for name in ("LONG", "_CONDENSED", "_BLOCK"):
        monkeypatch.setattr(score_counts, name, 1 << 40)
    for m, value in zip(of_all, found, strict=True):
        s = Statistic.of(m, (0, 1), 1)
        twin = float(s.of_score_counts([ScoreCounts(scores, pos, neg)]))
        assert value == pytest.approx(twin, rel=1e-9, abs=1e-12), m.name


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_areas_between_are_those_of_every_group(weighted, axis):
    rng = np.random.default_rng(5)
    n = 5 << 14
    pos, neg = rng.integers(0, 3, (2, n)) * (rng.random((2, n)) if weighted else 1.0)
    pos *= rng.random(n) < np.linspace(0.1, 1, n)
    asked = [(0, 1), (0, 0.1), (0.8, 1), (0.25, 0.75), (0.5, 0.5 + 1e-7), (1 - 1e-9, 1)]
    tp, fp = (v / v[-1] for v in ScoreCounts(np.arange(n) / n, pos, neg)._cumulative_counts)
    points = (fp, tp) if axis == "fpr" else (tp, 1 - fp)
    stack = [v[None] for v in points]
    with np.errstate(all="ignore"):
        found = [float(area_between(*points, *bounds)) for bounds in asked]
        stacked = [float(area_between(*stack, *bounds)[0]) for bounds in asked]
    assert found == pytest.approx(stacked, rel=1e-11, abs=1e-17)


def pooled_slowly(pos, neg):
    """Return the last group of each pooled block, and its rows."""
    blocks = []
    for g, (hit, miss) in enumerate(zip(pos, neg, strict=True)):
        if hit == miss == 0:
            continue
        blocks.append([g, hit, miss])
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][2] >= blocks[-1][1] * blocks[-2][2]:
            last, hits, misses = blocks.pop()
            blocks[-1] = [last, blocks[-1][1] + hits, blocks[-1][2] + misses]
    return [np.array(column) for column in zip(*blocks, strict=True)]


@pytest.mark.parametrize("shape", ["bent", "flat", "falling", "parted"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_long_hull_is_what_pooling_leaves(shape, weighted):
    rng = np.random.default_rng(9)
    n = 200_000
    x = np.linspace(-3, 3, n)
    share = {"bent": 1 / (1 + np.exp(-x)), "flat": 0.3, "falling": 0.5 - x / 9, "parted": x > 0}
    pos = (rng.random(n) < share[shape]) * (rng.random(n) if weighted else 1.0)
    neg = np.where(pos > 0, 0.0, 1.0) * rng.integers(1, 3, n)
    r = ScoreCounts(np.arange(float(n)), pos, neg)
    last, hits, misses = pooled_slowly(pos, neg)
    hull = r.roc_convex_hull
    np.testing.assert_array_equal(hull.scores, r.scores[last])
    np.testing.assert_allclose(hull.pos, hits, rtol=1e-9)
    np.testing.assert_allclose(hull.neg, misses, rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(rankings(least=1, most=40))
@pytest.mark.slow
def test_the_hull_is_what_pooling_leaves(given):
    scores, pos, neg = given
    last, hits, misses = pooled_slowly(pos, neg)
    hull = ScoreCounts(scores, pos, neg).roc_convex_hull
    twin = ScoreCounts(scores[last], hits, misses)
    for found, wanted in zip(hull._cumulative_counts, twin._cumulative_counts, strict=True):
        corners = np.interp(np.linspace(0, 1, 9), np.linspace(0, 1, len(found)), found)
        if len(found) == len(wanted):  # of broken rows blocks of one share may stay apart
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert corners[-1] == pytest.approx(wanted[-1])
    areas = [float(get("roc_auc").compute(counts)) for counts in (hull, twin)]
    assert areas[0] == pytest.approx(areas[1], rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("groups", [1, 7, 300])
@pytest.mark.parametrize("whole", [True, False])
def test_hulls_of_a_stack_are_those_of_each_line(groups, whole):
    r = _stack(12, groups, groups, whole)
    hull = r.roc_convex_hull
    for line, (pos, neg) in enumerate(zip(r.pos, r.neg, strict=True)):
        if not (pos + neg).any():
            continue
        _, hits, misses = pooled_slowly(pos, neg)
        size = len(hits)
        assert hull.pos[line, :size] == pytest.approx(hits, rel=1e-14)
        assert hull.neg[line, :size] == pytest.approx(misses, rel=1e-14)
        assert not hull.pos[line, size:].any()
        assert not hull.neg[line, size:].any()
    assert hull.pos.shape == (12, len(hull.scores))
    assert (hull.pos + hull.neg > 0).any(0).all()  # no wider than needed


@pytest.mark.parametrize("clip", [0.0, 0.01])
def test_a_line_through_many_log_odds(clip):
    rng = np.random.default_rng(1)
    x = np.sort(rng.normal(size=80_000) * 1.5 - 1)
    scores = 1 / (1 + np.exp(-x))
    pos = (rng.random(len(x)) < 1 / (1 + np.exp(-0.3 - 0.8 * x))).astype(float)
    r = ScoreCounts(scores, pos, 1 - pos)
    stack = ScoreCounts(scores, pos[None], 1 - pos[None])
    for sloped in (True, False):
        one, many = fitted(r, clip, sloped), fitted(stack, clip, sloped)
        assert one == pytest.approx(many[0], rel=1e-11)


def test_a_line_that_parts_the_classes_is_infinitely_steep():
    scores = np.linspace(0.1, 0.9, 40)
    pos = (scores > 0.5).astype(float)
    s = Statistic.of(get("calibration_slope"), (0, 1), 1)
    assert float(s.of_score_counts([ScoreCounts(scores, pos, 1 - pos)])) == math.inf


@given(st.lists(st.integers(0, 50), max_size=30).map(sorted), st.lists(st.integers(-2, 52)))
def test_search_is_searchsorted(rising, wanted):
    values, asked = np.array(rising, dtype=float), np.array(wanted, dtype=float)
    if not len(values):
        return
    found = search(len(values), lambda i: values[i], asked)
    assert found.tolist() == np.searchsorted(values, asked).tolist()


@given(st.lists(st.integers(0, 1), max_size=30))
def test_ends_of_what_has_rows(rows):
    values = np.array(rows, dtype=float)
    present = np.flatnonzero(values)
    wanted = (present[0], present[-1]) if len(present) else (-1, -1)
    scores = np.arange(float(len(values)))
    one = ends(ScoreCounts(scores, values, values[::-1]))
    assert tuple(map(int, one[0])) == wanted
    if len(values):
        stack = ends(ScoreCounts(scores, values[None], values[None, ::-1]))
        assert [[int(v[0]) for v in pair] for pair in stack] == [list(map(int, p)) for p in one]


@given(rankings(), st.integers(0, 40))
@pytest.mark.slow
def test_the_first_threshold_is_the_first_of_all(given, wanted):
    r = ScoreCounts(*given)
    stack = ScoreCounts(given[0], given[1][None], given[2][None])
    hits = np.flatnonzero(r._cumulative_counts[0] >= wanted)
    first = hits[0] if len(hits) else len(given[0]) + 1
    for counts in (r, stack):
        place = first_threshold(counts, lambda tp, _: tp >= wanted)
        assert np.ravel(place).tolist() == [first]


SHAPES = {
    "level": lambda rng, n: rng.random(n) < 0.3,
    "rising": lambda rng, n: rng.random(n) < np.linspace(0, 1, n),
    "falling": lambda rng, n: rng.random(n) < np.linspace(1, 0, n),
    "waves": lambda rng, n: rng.random(n) < 0.5 + 0.4 * np.sin(np.arange(n) / 700),
    "all": lambda rng, n: np.arange(n) > 3,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 5, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_are_only_passed_over_where_nothing_is_greater(shape, n, weighted, monkeypatch):
    monkeypatch.setattr(score_counts, "LONG", 4)
    monkeypatch.setattr(score_counts, "_BLOCK", 64)
    rng = np.random.default_rng(n)
    pos = SHAPES[shape](rng, n).astype(float)
    neg = 1 - pos + (rng.random(n) < 0.1)
    if weighted:
        pos, neg = pos * rng.random(n), neg * rng.random(n)
    r = ScoreCounts(np.arange(n), pos, neg)
    if not (r.positives and r.negatives):
        return
    tp, fp = r._cumulative_counts
    gap = tp / tp[-1] - fp / fp[-1]
    up = greatest(tp, fp, lambda a, b: a / tp[-1] - b / fp[-1])
    down = greatest(fp, tp, lambda a, b: a / fp[-1] - b / tp[-1])
    assert (gap[up], gap[down]) == (gap.max(), gap.min())
    with np.errstate(invalid="ignore"):
        precision = np.nan_to_num(tp / (tp + fp))
    for least in (0.05, 0.3, 0.5, 0.9, 1.0, float(precision[n // 2])):
        reached = np.flatnonzero(precision >= least) if least > 0 else []
        if len(reached):
            found = get("recall_at_precision").compute(r, precision=least)
            assert float(found) == tp[reached[-1]] / tp[-1]
    for recall in (0.1, 0.5, 1.0):
        wanted = precision[tp / tp[-1] >= recall].max()
        assert float(get("precision_at_recall").compute(r, recall=recall)) == wanted
