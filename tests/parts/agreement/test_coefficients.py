"""Agreement of many raters: published examples, slow twins, and errors checked by resampling."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

import tallymark as tm
from tallymark.parts.agreement import coefficients as module
from tallymark.parts.agreement.coefficients import agree
from tallymark.parts.agreement.tally import RatingTally


def krippendorff_alpha(tally, weights="nominal"):
    return agree(tally, "krippendorff_alpha", weights=weights).value


def fleiss_kappa(counts):
    """Fleiss' own formula, which needs as many ratings of each subject."""
    r = counts.sum(1)[0]
    observed = (((counts**2).sum(1) - r) / (r * (r - 1))).mean()
    expected = np.square(counts.sum(0) / counts.sum()).sum()
    return (observed - expected) / (1 - expected)


_ = None
# Four observers and twelve units, as Krippendorff (2011) gives them.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]


def units():
    return RatingTally.from_arrays(UNITS, missing="skip")


@pytest.mark.parametrize(
    ("weights", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorffs_own_example(weights, published):
    assert krippendorff_alpha(units(), weights) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize(
    ("coefficient", "value", "error", "low"),
    [
        ("percent_agreement", 0.81818, 0.12561, 0.542),
        ("fleiss_kappa", 0.76117, 0.15302, 0.424),
        ("gwet_ac1", 0.77544, 0.14295, 0.461),
    ],
)
def test_gwets_numbers_of_the_same_ratings(coefficient, value, error, low):
    found = agree(units(), coefficient)
    assert found.value == pytest.approx(value, abs=1e-5)
    assert found.se == pytest.approx(error, abs=1e-5)
    assert (found.low, found.high) == pytest.approx((low, 1.0), abs=5e-4)
    assert found.definition["subjects"] == 12
    assert found.definition["ratings"] == 41


def distances(values, weights):
    if weights == "nominal":
        return lambda a, b: float(a != b)
    if weights == "linear":
        return lambda a, b: abs(a - b)
    if weights == "interval":
        return lambda a, b: (a - b) ** 2
    if weights == "ratio":
        return lambda a, b: ((a - b) / (a + b)) ** 2
    counts = {v: values.count(v) for v in set(values)}

    def between(a, b):
        low, high = min(a, b), max(a, b)
        whole = sum(n for v, n in counts.items() if low <= v <= high)
        return (whole - (counts[a] + counts[b]) / 2) ** 2 if a != b else 0.0

    return between


def slow_alpha(ratings, weights):
    """Disagreement of pairs within units over that of pairs of all values, one pair at a time."""
    units = [[v for v in row if v is not None] for row in ratings]
    units = [row for row in units if len(row) > 1]
    values = [v for row in units for v in row]
    distance = distances(values, weights)
    seen = sum(
        sum(distance(a, b) for a, b in itertools.permutations(row, 2)) / (len(row) - 1)
        for row in units
    ) / len(values)
    expected = sum(distance(a, b) for a, b in itertools.permutations(values, 2))
    expected /= len(values) * (len(values) - 1)
    return 1 - seen / expected if expected else math.nan


RATED = st.lists(
    st.lists(st.sampled_from([1, 2, 4, None]), min_size=3, max_size=3), min_size=2, max_size=9
).filter(
    lambda rows: len({v for r in rows for v in r if v and sum(x is not None for x in r) > 1}) > 1
)


@given(RATED, st.sampled_from(["nominal", "ordinal", "linear", "interval", "ratio"]))
def test_alpha_pair_by_pair(ratings, weights):
    tally = RatingTally.from_arrays(ratings, labels=[1, 2, 4], missing="skip")
    ours = krippendorff_alpha(tally, weights)
    assert ours == pytest.approx(slow_alpha(ratings, weights), abs=1e-9)


def slow_parts(ratings):
    """Return observed agreement and the mean shares of the categories, in fractions."""
    units = [[v for v in row if v is not None] for row in ratings]
    pairs = [
        Fraction(sum(a == b for a, b in itertools.permutations(u, 2)), len(u) * (len(u) - 1))
        for u in units
        if len(u) > 1
    ]
    rated = [u for u in units if u]
    shares = [sum(Fraction(u.count(k), len(u)) for u in rated) / len(rated) for k in (1, 2, 4)]
    return sum(pairs) / len(pairs), shares


@given(RATED)
@pytest.mark.slow
def test_kappa_and_ac1_pair_by_pair(ratings):
    tally = RatingTally.from_arrays(ratings, labels=[1, 2, 4], missing="skip")
    pa, shares = slow_parts(ratings)
    for coefficient, pe in (
        ("percent_agreement", 0),
        ("fleiss_kappa", sum(p * p for p in shares)),
        ("gwet_ac1", sum(p * (1 - p) for p in shares) / 2),
    ):
        value = agree(tally, coefficient).value
        assert value == pytest.approx(float((pa - pe) / (1 - pe)), abs=1e-12)


def test_equal_numbers_of_ratings_are_fleiss_own():
    table = RatingTally((0, 1, 2), [[3, 1, 0], [0, 4, 0], [2, 1, 1], [0, 1, 3], [4, 0, 0]])
    assert agree(table, "fleiss_kappa").value == pytest.approx(fleiss_kappa(table.counts))


@pytest.mark.parametrize("coefficient", module.COEFFICIENTS)
@pytest.mark.parametrize("weights", ["nominal", "linear"])
def test_the_error_is_that_of_leaving_subjects_out(coefficient, weights):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 150)
    ratings = np.where(rng.random((150, 4)) < 0.7, truth[:, None], rng.integers(0, 3, (150, 4)))
    counts = np.stack([(ratings == k).sum(1) for k in range(3)], 1)
    counts[::7, 0] = np.maximum(counts[::7, 0] - 1, 0)  # some raters are missing
    tally = RatingTally((0, 1, 2), counts)
    value = agree(tally, coefficient, weights=weights)
    left_out = np.array([
        agree(RatingTally((0, 1, 2), np.delete(counts, i, 0)), coefficient, weights=weights).value
        for i in range(150)
    ])  # fmt: skip
    jackknife = math.sqrt(149 / 150 * ((left_out - left_out.mean()) ** 2).sum())
    error = value.se
    assert error == pytest.approx(jackknife, rel=0.02)
    half = student.ppf(0.975, 149) * error
    assert (value.low, value.high) == pytest.approx((value.value - half, value.value + half))


def test_own_weights_and_other_levels():
    tally = units()
    linear = 1 - np.abs(np.subtract.outer(np.arange(5), np.arange(5))) / 4
    assert krippendorff_alpha(tally, linear) == pytest.approx(krippendorff_alpha(tally, "linear"))
    narrow, wide = (agree(tally, "gwet_ac1", level=level) for level in (0.5, 0.9))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    # Names are taken by their places: 0, 1 and 2.
    named = RatingTally(("low", "middle", "high"), [[2, 1, 0], [0, 2, 1], [1, 0, 2], [3, 0, 0]])
    placed = RatingTally((0, 1, 2), named.counts)
    assert krippendorff_alpha(named, "interval") == krippendorff_alpha(placed, "interval")


def test_what_has_no_value_says_why():
    same = RatingTally.from_arrays([["a", "a"], ["a", "a"]])
    for coefficient in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        value = agree(same, coefficient)
        assert math.isnan(value.value)
        assert value.reason == "all ratings are of one category"
    assert agree(same, "percent_agreement").value == 1
    for tally in (RatingTally._empty(), RatingTally.from_arrays([["a"], ["b"]])):
        assert agree(tally).reason == "no subject has two ratings"
        assert math.isnan(krippendorff_alpha(tally))
    alone = RatingTally.from_arrays([["a", "b"], ["a", None]], missing="skip")
    assert agree(alone, "krippendorff_alpha").method == "no interval: one subject"
    # Two categories that fully agree by these weights leave chance nothing to beat.
    all_one = agree(RatingTally.from_arrays([["a", "b"], ["b", "a"]]), weights=np.ones((2, 2)))
    assert all_one.reason == "the agreement expected by chance is 1"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"coefficient": "gwet"}, "coefficient is 'gwet'"),
        ({"weights": "squared"}, "weights is 'squared'; there are 'nominal', 'ordinal'"),
        ({"weights": np.eye(2)}, r"weights has shape \(2, 2\) and there are 5 categories"),
        ({"weights": np.ones((5, 5)) * 2}, "weights are agreements: finite, 1 on the diagonal"),
    ],
)
def test_unusable_arguments_are_refused(options, told):
    with pytest.raises(tm.InputError, match=told):
        agree(units(), **options)


def test_ratios_need_numbers_from_zero_on():
    tally = RatingTally((-1, 1), [[1, 1], [2, 0]])
    with pytest.raises(tm.InputError, match="weights='ratio' needs categories that are numbers"):
        agree(tally, weights="ratio")


def test_the_error_of_alpha_is_that_of_its_derivatives():
    rng = np.random.default_rng(9)
    counts = np.stack([rng.multinomial(n, [0.5, 0.3, 0.2]) for n in rng.integers(2, 9, 40)])
    counts = counts.astype(float)
    w = 1 - np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2
    per_subject = counts.sum(1)
    pairs = np.einsum("ij,jk,ik->i", counts, w, counts) - per_subject
    share = pairs / (per_subject * (per_subject - 1))
    small = 1 / per_subject.sum()

    def alpha(weights):
        total = (weights * per_subject).sum()
        shares = (weights[:, None] * counts).sum(0) / total
        agreed = (weights * share * per_subject).sum() / total
        chance = shares @ w @ shares
        return ((1 - small) * agreed + small - chance) / (1 - chance)

    n, h = len(counts), 1e-5
    found = agree(RatingTally((0, 1, 2), counts), "krippendorff_alpha", weights="linear")
    assert found.value == pytest.approx(alpha(np.ones(n)))
    slopes = [(alpha(np.ones(n) + h * e) - alpha(np.ones(n) - h * e)) / (2 * h) for e in np.eye(n)]
    error = math.sqrt((np.square(n * np.array(slopes))).sum() / (n * (n - 1)))
    assert found.se == pytest.approx(error, rel=1e-6)


def test_two_subjects_have_an_interval_and_none_leaves_the_range():
    two = RatingTally((0, 1), [[3, 1], [1, 3]])
    found = agree(two, "percent_agreement")
    assert found.method != "no interval: one subject"
    assert found.value == pytest.approx(0.5)
    uneven = RatingTally((0, 1), [[4, 0], [2, 2]])
    assert agree(uneven, "percent_agreement").low == 0.0
    assert agree(uneven, "fleiss_kappa").low == -1.0
    high = agree(RatingTally((0, 1), [[4, 0], [0, 4], [3, 1]]), "percent_agreement")
    assert high.high == 1.0


def test_a_category_that_nobody_used_is_no_second_one():
    same = RatingTally(("a", "b"), [[2, 0], [3, 0]])
    for coefficient in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        assert agree(same, coefficient).reason == "all ratings are of one category"


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        # Distances (1/3)², (2/4)² and (1/5)² of 1, 2 and 3, over the largest.
        ("ratio", [1 - (1 / 9) / (1 / 4), 0.0, 1 - (1 / 25) / (1 / 4)]),
        ("interval", [1 - 1 / 4, 0.0, 1 - 1 / 4]),
        ("linear", [0.5, 0.0, 0.5]),
    ],
)
def test_weights_are_one_less_distances_over_the_largest(weights, expected):
    for pair, agreed in zip([(1, 2), (1, 3), (2, 3)], expected, strict=True):
        tally = RatingTally((1, 2, 3), [[int(k in pair) for k in (1, 2, 3)], [2, 0, 0]])
        found = agree(tally, "percent_agreement", weights=weights).value
        assert found == pytest.approx((agreed + 1) / 2)
