from __future__ import annotations

import json
import math

import numpy as np
import pytest

import tallymark as tm
from tallymark.tally.sums import (
    LOSSES,
    Sums,
    class_sums,
    class_tallies,
    clustered_errors,
    errors_by_cluster,
)


def rows(n=200, k=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k, n), rng.dirichlet(np.ones(k), n), rng.exponential(1, n)


def test_means_are_the_metrics():
    y, p, w = rows()
    for weights in (None, w):
        sums = Sums._of_rows(y, p, weights)
        tallies = class_tallies(y, p, sample_weight=weights)
        for name in LOSSES[:4]:
            mean, _ = sums.mean(name)
            value = getattr(tm.metrics, name)(tallies)
            assert (math.sqrt(mean) if "root" in name else mean) == pytest.approx(value)


def test_the_error_is_that_of_a_mean():
    y, p, _ = rows()
    loss = -np.log(p[np.arange(len(y)), y])
    assert Sums._of_rows(y, p).mean("log_loss") == pytest.approx(
        (loss.mean(), loss.std(ddof=1) / math.sqrt(len(y)))
    )


def test_many_rows_that_lose_alike_have_no_error():
    sums = Sums._of_rows(np.zeros(100_000, int), np.tile((0.61, 0.23, 0.16), (100_000, 1)))
    for name in sums.names:
        assert sums.mean(name) == (pytest.approx(sums.average(name)), 0.0), name


def test_adding_and_keeping():
    y, p, w = rows()
    a, b = (
        Sums._of_rows(y[:80], p[:80], w[:80]),
        Sums._of_rows(y[80:], p[80:], w[80:]),
    )
    whole, back = (
        Sums._of_rows(y, p, w),
        Sums.from_dict(json.loads(json.dumps(a.to_dict()))),
    )
    assert back == a
    assert (a + b).mean("brier") == pytest.approx(whole.mean("brier"))
    assert (a + Sums._empty()) == a
    assert all(math.isnan(x) for x in Sums._empty().mean("brier"))


def test_sums_of_different_things_do_not_add_up():
    y, p, _ = rows()
    with pytest.raises(tm.InputError, match="cannot be added"):
        Sums._of_rows(y, p) + Sums._of_rows(y, np.stack([*p.T, 0 * y], 1))
    many = np.ones((200, 30))
    with pytest.raises(
        tm.InputError,
        match=r"totals has shape .*30\) in one tally and .*31\) in the other; they cannot be added",
    ):
        Sums._of_rows(y, many) + Sums._of_rows(y, np.ones((200, 31)))
    with pytest.raises(tm.InputError, match="these rows have no sums of 'top_3'; there are"):
        Sums._of_rows(y, p).average("top_3")


def test_the_sums_of_two_classes_come_from_their_tally():
    rng = np.random.default_rng(2)
    y, s, w = rng.integers(0, 2, 90), np.round(rng.random(90), 1), rng.exponential(1, 90)
    both = np.stack([1 - s, s], 1)
    for weights in (None, w):
        ours = Sums._of_scores((tm.ScoreTally.from_arrays(y, s, sample_weight=weights),))
        theirs = Sums._of_rows(y, both, weights)
        assert ours.names == theirs.names
        np.testing.assert_allclose(ours.totals, theirs.totals)
        for name in ours.names:
            np.testing.assert_allclose(ours.mean(name), theirs.mean(name))
    assert ours._errors().average("brier") == ours.mean("brier")[1]


def test_places_among_the_scores_of_a_row():
    scores = np.array([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.3, 0.3, 0.4], [0.1, 0.2, 0.7]])
    sums = Sums._of_rows(np.array([0, 0, 0, 1]), scores)
    # first; tied for the first two places; tied for the second and third; second
    assert sums.average("top_1") == pytest.approx((1 + 1 / 2 + 0 + 0) / 4)
    assert sums.average("top_2") == pytest.approx((1 + 1 + 1 / 2 + 1) / 4)


def test_shapes_are_checked():
    one = np.zeros((1, 2))
    with pytest.raises(
        tm.InputError, match=r"totals has shape \(2,\); these names and classes need \(1, 2\)"
    ):
        Sums(("brier",), np.zeros(2), one, one, np.zeros(2), np.zeros(2), 0)
    with pytest.raises(
        tm.InputError, match=r"sum_squared_weights has shape \(1,\); .* need \(2,\)"
    ):
        Sums(("brier",), one, one, one, np.zeros(2), np.zeros(1), 0)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_each_class_has_its_own_sums(k):
    y, p, w = rows(k=k)
    for weights in (None, w):
        sums = Sums._of_rows(y, p, weights)
        for c in range(k):
            alone = Sums._of_rows(y[y == c], p[y == c], None if weights is None else w[y == c])
            for ours, theirs in ((sums.totals, alone.totals), (sums.squares, alone.squares),
                                 (sums.cross, alone.cross)):  # fmt: skip
                np.testing.assert_allclose(ours[:, c], theirs.sum(1))
            assert sums.weights[c] == pytest.approx(alone.weight)
        assert sums.weight == pytest.approx(len(y) if weights is None else w.sum())


def test_classes_weighed_are_rows_weighted_and_their_error_is_that_of_strata():
    y, p, w = rows(400)
    shares = np.array([0.9, 0.08, 0.02])
    for weights in (np.ones(400), w):
        plain = Sums._of_rows(y, p, weights)
        f = shares / plain.weights
        found = plain._weighed(f)
        assert found == found._weighed(np.ones(3))
        theirs = Sums._of_rows(y, p, weights * f[y])
        loss = -np.log(p[np.arange(400), y])
        for name in plain.names:
            assert found.mean(name) == pytest.approx(theirs.mean(name))
        variance = 0.0
        for c in range(3):
            v, x = weights[y == c], loss[y == c]
            n = v.sum() ** 2 / (v**2).sum()
            spread = (v**2 * (x - np.average(x, weights=v)) ** 2).sum() / v.sum() ** 2
            variance += shares[c] ** 2 * spread * n / (n - 1)
        assert found.mean("log_loss", stratified=True)[1] == pytest.approx(math.sqrt(variance))


def test_a_class_without_weight_counts_for_nothing():
    y = np.array([0, 0, 0, 1, 1, 2])
    p = np.array([[0.6, 0.3, 0.1]] * 3 + [[0.3, 0.5, 0.2]] * 2 + [[1.0, 0.0, 0.0]])
    sums = Sums._of_rows(y, p)
    found = sums._weighed([1, 1, 0])
    loss, error = found.mean("log_loss", stratified=True)
    assert loss == pytest.approx(-(3 * math.log(0.6) + 2 * math.log(0.5)) / 5)
    assert error == 0
    # A class of one row says nothing of how it varies.
    assert math.isnan(sums.mean("brier", stratified=True)[1])
    assert math.isinf(sums.mean("log_loss", stratified=True)[0])


def test_rows_of_tiny_scores_and_of_none():
    sums = Sums._of_rows(np.array([0, 1, 2]), np.array([[1e-200] * 3, [0.0] * 3, [0.0, 0.6, 0.8]]))
    assert sums.average("spherical_score") == pytest.approx((1 / math.sqrt(3) + 0 + 0.8) / 3)


def test_what_is_small_beside_a_certain_class():
    # The losses of the other classes are added up, not left over from 1.
    sums = Sums._of_rows(np.array([0]), np.array([[1.0, 1e-20, 2e-20]]))
    assert sums.average("brier") == pytest.approx(5e-40, rel=1e-12)
    assert sums.average("mean_absolute_error") == pytest.approx(1e-20, rel=1e-12)


def test_two_classes_are_a_case_of_many():
    p = np.array([0.0, 5e-324, 0.2, 0.5, 0.9, 1.0])
    both = np.stack([1 - p, p], 1)
    for code in (0, 1):
        for i in range(len(p)):
            rows = slice(i, i + 1)
            one, two = (Sums._of_rows(np.array([code]), x[rows]) for x in (p, both))
            assert one == two


def test_errors_of_means_over_clusters_are_those_of_each_clusters_deviations():
    y, p, w = rows(90, 3, 4)
    clusters = np.arange(90) * 7 % 31
    loss = -np.log(p[np.arange(90), y])
    shares = np.array([0.5, 0.2, 0.3])

    def error(weights, known=None):
        off = np.zeros(90)
        for share, at in (
            zip(known, (y == k for k in range(3)), strict=True)
            if known is not None
            else ((1, y >= 0),)
        ):
            mean = np.average(loss[at], weights=weights[at])
            off[at] = share * weights[at] * (loss[at] - mean) / weights[at].sum()
        of_each = [off[clusters == c].sum() for c in range(31)]
        return math.sqrt(31 / 30 * np.square(of_each).sum())

    ones = np.ones(90)
    for weights, known in ((None, None), (w, None), (None, shares), (w, shares)):
        found = clustered_errors(y, p, clusters, weights=weights, shares=known)
        wanted = error(ones if weights is None else weights, known)
        assert found.average("log_loss") == pytest.approx(wanted)
        assert found.rows == 90
    other = rows(90, 3, 5)[1]
    gap = loss + np.log(other[np.arange(90), y])
    assert math.isnan(errors_by_cluster({"gap": gap}, np.zeros(90, int)).average("gap"))
    endless, none = np.append(np.inf, loss), np.append(0.0, w)
    kept = errors_by_cluster({"x": endless}, np.append(0, clusters), none).average("x")
    assert kept == pytest.approx(error(w))


def test_the_error_of_a_weighted_mean_is_that_of_strata_where_shares_are_known():
    y, p, w = rows(90, 3, 6)
    loss = ((p - np.eye(3)[y]) ** 2).sum(1)
    names, sums = class_sums(y, p, sample_weight=w)

    def variance(at):
        x, v = loss[at], w[at]
        effective = v.sum() ** 2 / (v**2).sum()
        spread = (v**2 * (x - np.average(x, weights=v)) ** 2).sum()
        return spread / w.sum() ** 2 * effective / (effective - 1)

    mean = np.average(loss, weights=w)
    assert names == (0, 1, 2)
    assert sums.mean("brier") == pytest.approx((mean, variance(y >= 0) ** 0.5))
    strata = sum(variance(y == k) for k in range(3))
    assert sums.mean("brier", stratified=True) == pytest.approx((mean, strata**0.5))
    endless = np.vstack([[0.0, 0.5, 0.5], p])
    _, kept = class_sums(np.append(0, y), endless, sample_weight=np.append(0.0, w))
    assert kept.average("log_loss") == pytest.approx(sums.average("log_loss"))
    _, one = class_sums([0, 1, 2], p[:3])
    assert math.isnan(one.mean("brier", stratified=True)[1])  # one row a class has no spread


def test_sums_with_a_class_of_no_rows_are_kept():
    y, p, w = rows(30, 2, 7)
    matrix = np.column_stack([p, np.zeros(30)])
    for weights in (None, w):
        _, sums = class_sums(y, matrix, labels=[0, 1, 2], sample_weight=weights)
        assert Sums.from_dict(json.loads(json.dumps(sums.to_dict()))) == sums
        assert sums.weights[2] == 0
