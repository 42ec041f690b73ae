from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from tallymark.metric import METRICS
from tallymark.metric.matrix import landis_koch

THREE = [[50, 3, 7], [2, 30, 9], [11, 0, 21]]


def shares(m):
    n = sum(map(sum, m))
    rows = [Fraction(sum(r), n) for r in m]
    columns = [Fraction(sum(c), n) for c in zip(*m, strict=True)]
    return n, rows, columns, Fraction(sum(m[i][i] for i in range(len(m))), n)


def recalls(m):
    return [Fraction(r[i], sum(r)) for i, r in enumerate(m)]


def chi2(m):
    n, rows, columns, _ = shares(m)
    k = range(len(m))
    return sum((m[i][j] - n * rows[i] * columns[j]) ** 2 / (n * rows[i] * columns[j])
               for i in k for j in k)  # fmt: skip


def rk(m):
    """Gorodkin's R_K from its definition: the correlation of two indicator matrices."""
    true, called = [], []
    for i, row in enumerate(m):
        for j, n in enumerate(row):
            true += [i] * n
            called += [j] * n
    k = len(m)
    x, y = np.eye(k)[true], np.eye(k)[called]
    x, y = x - x.mean(0), y - y.mean(0)
    return float((x * y).sum() / math.sqrt((x * x).sum() * (y * y).sum()))


def kappa(m, pooled=False):
    _, rows, columns, agreed = shares(m)
    if pooled:
        expected = sum(((a + b) / 2) ** 2 for a, b in zip(rows, columns, strict=True))
    else:
        expected = sum(a * b for a, b in zip(rows, columns, strict=True))
    return (agreed - expected) / (1 - expected)


def gwet(m):
    _, rows, columns, agreed = shares(m)
    mean = [(a + b) / 2 for a, b in zip(rows, columns, strict=True)]
    chance = sum(p * (1 - p) for p in mean) / (len(m) - 1)
    return (agreed - chance) / (1 - chance)


def krippendorff(m):
    """Pair every label with every other one, within a row and among all rows."""
    pairs = [(i, j) for i, row in enumerate(m) for j, n in enumerate(row) for _ in range(n)]
    within = sum(a != b for a, b in pairs) / len(pairs)
    labels = [x for pair in pairs for x in pair]
    among = sum(x != y for i, x in enumerate(labels) for y in labels[:i])
    return 1 - within / (among / (len(labels) * (len(labels) - 1) / 2))


def information(m):
    n, rows, columns, _ = shares(m)
    return sum(
        x / n * math.log(x / n / (rows[i] * columns[j]))
        for i, row in enumerate(m)
        for j, x in enumerate(row)
        if x
    )


def entropy(ps):
    return -sum(float(p) * math.log(p) for p in ps if p)


def lambda_(m):
    n = sum(map(sum, m))
    without = n - max(map(sum, m))
    knowing = n - sum(max(column) for column in zip(*m, strict=True))
    return Fraction(without - knowing, without)


def confusion_entropy(m, modified=False):
    """Class by class, as it was defined: a class's errors among the rows around it."""
    k, n = len(m), sum(map(sum, m))
    hits = sum(m[i][i] for i in range(k))
    total = 0.0
    for j in range(k):
        around = sum(m[j][i] + m[i][j] for i in range(k)) - (m[j][j] if modified else 0)
        of_class = 0.0
        for i in range(k):
            for x in (m[j][i], m[i][j]) if i != j else ():
                if x:
                    of_class -= x / around * math.log(x / around, 2 * (k - 1))
        whole = 2 * n - (hits if modified and k > 2 else 0)
        total += around / whole * of_class
    return total


TWINS = {
    "bennett_s": lambda m: (len(m) * shares(m)[3] - 1) / (len(m) - 1),
    "gwet_ac1": gwet,
    "krippendorff_alpha": krippendorff,
    "adjusted_balanced_accuracy": lambda m: (
        (sum(recalls(m)) / len(m) - Fraction(1, len(m))) / (1 - Fraction(1, len(m)))
    ),
    "mutual_information": information,
    "normalized_mutual_information": lambda m: (
        2 * information(m) / (entropy(shares(m)[1]) + entropy(shares(m)[2]))
    ),
    "goodman_kruskal_lambda": lambda_,
    "confusion_entropy": confusion_entropy,
    "modified_confusion_entropy": lambda m: confusion_entropy(m, modified=True),
    "accuracy": lambda m: shares(m)[3],
    "error_rate": lambda m: 1 - shares(m)[3],
    "balanced_accuracy": lambda m: sum(recalls(m)) / len(m),
    "balanced_error_rate": lambda m: 1 - sum(recalls(m)) / len(m),
    "geometric_mean": lambda m: float(math.prod(recalls(m))) ** (1 / len(m)),
    "matthews_corrcoef": rk,
    "cohen_kappa": kappa,
    "scott_pi": lambda m: kappa(m, pooled=True),
    "chi_square": chi2,
    "cramers_v": lambda m: math.sqrt(chi2(m) / shares(m)[0] / (len(m) - 1)),
    "expected_agreement": lambda m: sum(a * b for a, b in zip(*shares(m)[1:3], strict=True)),
}


def test_every_matrix_metric_has_a_twin():
    assert set(TWINS) == {n for n, m in METRICS.items() if m._needs == "matrix"}


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("matrix", [THREE, [[41, 2], [17, 5]], [[3, 40], [1, 6]]])
def test_the_formula_is_its_twin(name, matrix):
    ours = float(METRICS[name].compute(np.array(matrix, dtype=float)))
    assert ours == pytest.approx(float(TWINS[name](matrix)), rel=1e-12)


@given(
    st.lists(st.integers(1, 60), min_size=9, max_size=9), st.sampled_from(["linear", "quadratic"])
)
def test_weighted_kappa_from_its_definition(cells, weights):
    m = np.array(cells, dtype=float).reshape(3, 3)
    n = m.sum()
    power = 1 if weights == "linear" else 2
    cost = [[abs(i - j) ** power for j in range(3)] for i in range(3)]
    seen = sum(cost[i][j] * m[i, j] / n for i in range(3) for j in range(3))
    chance = sum(cost[i][j] * m[i].sum() * m[:, j].sum() / n**2 for i in range(3) for j in range(3))
    t = tm.LabelTally((0, 1, 2), m)
    assert tm.metrics.kappa(t, weights=weights) == pytest.approx(1 - seen / chance, rel=1e-12)


def test_kappa_refuses_unknown_weights():
    with pytest.raises(
        tm.InputError, match="weights is 'cubic'; say None, 'linear', 'quadratic' or a table"
    ):
        tm.metrics.kappa([0, 1], [0, 1], weights="cubic")


def test_mcc_keeps_its_precision_when_one_cell_is_tiny():
    m = np.array([[10**9, 3], [1, 10**9]], dtype=float)
    exact = Fraction(10**18 - 3)
    spread = math.sqrt((10**9 + 3) * (10**9 + 1)) * math.sqrt((10**9 + 1) * (10**9 + 3))
    value = float(METRICS["matthews_corrcoef"].compute(m))
    assert value == pytest.approx(float(exact) / spread, rel=1e-15)
    assert value < 1


def test_a_rare_class_keeps_its_digits():
    cells = [[10**12, 3, 1], [2, 7, 0], [1, 1, 5]]
    for name in ("matthews_corrcoef", "scott_pi", "cohen_kappa"):
        ours = float(METRICS[name].compute(np.array(cells, dtype=float)))
        exact = exact_rk(cells) if name == "matthews_corrcoef" else float(TWINS[name](cells))
        assert ours == pytest.approx(exact, rel=1e-13), name


def exact_rk(m):
    """R_K in its usual form, in fractions until the root."""
    _, rows, columns, agreed = shares(m)
    covariance = agreed - sum(a * b for a, b in zip(rows, columns, strict=True))
    spread = (1 - sum(a * a for a in rows)) * (1 - sum(b * b for b in columns))
    return float(covariance) / math.sqrt(spread)


@pytest.mark.parametrize("name", ["matthews_corrcoef", "cohen_kappa", "scott_pi", "accuracy"])
@given(cells=st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=6))
def test_perfect_is_exactly_one(name, cells):
    assert float(METRICS[name].compute(np.diag(cells))) == 1.0
    assert float(METRICS["error_rate"].compute(np.diag(cells))) == 0.0


def test_the_geometric_mean_of_many_classes_does_not_vanish():
    k = 800
    matrix = np.full((k, k), 0.7 / (k - 1))
    np.fill_diagonal(matrix, 0.3)  # 0.3 to the power of 800 is 0 in floating point
    assert float(METRICS["geometric_mean"].compute(matrix)) == pytest.approx(0.3)
    matrix[5, 5] = 0
    assert float(METRICS["geometric_mean"].compute(matrix)) == 0


@pytest.mark.parametrize("name", TWINS)
def test_no_row_and_no_class_is_undefined_and_no_crash(name):
    for tally in (tm.LabelTally._empty(), tm.LabelTally._empty((0, 1, 2))):
        value = METRICS[name](tally)
        assert math.isnan(value)
        assert METRICS[name].reason(tally.counts)


@pytest.mark.parametrize(
    "name", ["accuracy", "matthews_corrcoef", "cohen_kappa", "scott_pi", "chi_square", "cramers_v"]
)
@given(cells=st.lists(st.integers(0, 9), min_size=9, max_size=9))
def test_truth_and_prediction_may_change_places(name, cells):
    matrix = np.array(cells, dtype=float).reshape(3, 3)
    np.testing.assert_allclose(
        METRICS[name].compute(matrix), METRICS[name].compute(matrix.T), rtol=1e-11, atol=1e-13
    )


def test_no_word_for_an_undefined_kappa():
    with pytest.raises(tm.InputError, match="kappa is NaN"):
        landis_koch(math.nan)


def test_kappa_with_own_weights():
    linear = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    kappa = METRICS["cohen_kappa"]
    m = np.array(THREE, dtype=float)
    assert float(kappa.compute(m, weights=linear)) == pytest.approx(
        float(kappa.compute(m, weights="linear")), rel=1e-14
    )
    # By hand: only calling class 0 class 2 counts, 7 rows of 133; 60 * 37 / 133 are expected.
    own = np.zeros((3, 3))
    own[0, 2] = 4
    assert float(kappa.compute(m, weights=own)) == pytest.approx(1 - 7 * 133 / (60 * 37))
    # No row is truly 0 here, so that these weights expect no error at all.
    gone = m.copy()
    gone[0] = 0
    assert np.isnan(kappa.compute(gone, weights=own))
    told = kappa.reason(gone, weights=own)
    assert told == "the weights of all confusions of the classes that occur are 0"


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_of_one_class_has_one_reason(weights):
    one = np.array([[5.0, 0], [0, 0]])
    told = METRICS["cohen_kappa"].reason(one, weights=weights)
    assert told == "all rows are truly of one class and were predicted as it"


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([[0, 1], [1, 0]], r"weights has shape \(2, 2\) and there are 3 classes"),
        (np.ones((3, 3)), "weights are disagreements: numbers, zero or more"),
        ([[0, -1, 0], [1, 0, 1], [1, 1, 0]], "weights are disagreements: numbers, zero or more"),
        ([[0, np.nan, 0], [1, 0, 1], [1, 1, 0]], "weights are disagreements: numbers"),
    ],
)
def test_own_weights_are_checked(weights, told):
    with pytest.raises(tm.InputError, match=told):
        tm.metrics.kappa(["a", "b", "c"], ["a", "c", "b"], weights=weights)


def test_means_of_the_entropies():
    m = np.array(THREE, dtype=float)
    nmi = METRICS["normalized_mutual_information"]
    _, rows, columns, _ = shares(THREE)
    a, b, mi = entropy(rows), entropy(columns), information(THREE)
    wanted = {
        "arithmetic": (a + b) / 2, "geometric": math.sqrt(a * b), "min": min(a, b),
        "max": max(a, b), "true": a, "predicted": b,
    }  # fmt: skip
    for mean, entropy_ in wanted.items():
        assert float(nmi.compute(m, mean=mean)) == pytest.approx(mi / entropy_), mean
        assert float(nmi.compute(m.T, mean="true")) == pytest.approx(mi / b)
    assert float(METRICS["mutual_information"].compute(m, base=2)) == pytest.approx(
        mi / math.log(2)
    )
    one_true = np.array([[3.0, 4], [0, 0]])
    for mean in wanted:
        defined = mean in ("arithmetic", "max", "predicted")
        assert np.isnan(nmi.compute(one_true, mean=mean)) != defined, mean
        assert (nmi.reason(one_true, mean=mean) is None) == defined


@pytest.mark.parametrize("q", [0.3, 1e-9, 1e-14, 1e-40])
@pytest.mark.parametrize("mean", ["arithmetic", "geometric", "min", "max", "true", "predicted"])
def test_information_of_a_rare_class_is_exact(q, mean):
    nmi, mi = METRICS["normalized_mutual_information"], METRICS["mutual_information"]
    whole = (-math.log1p(-q) * (1 - q)) - q * math.log(q)
    for m in ([[1 - q, 0], [0, q]], [[0, q], [1 - q, 0]], [[q, 0, 0], [0, 0, 1 - q], [0, 0, 0]]):
        assert float(nmi.compute(np.array(m), mean=mean)) == pytest.approx(1, rel=1e-14)
        assert float(mi.compute(np.array(m))) == pytest.approx(whole, rel=1e-14)
    step = np.array([[1 - q, 0], [0, q * (1 + 1e-30j)]])  # the complex step of the derivative by q
    slope = mi._function(step).imag / (q * 1e-30)
    assert slope == pytest.approx((1 - q) * math.log((1 - q) / q), rel=1e-12)


def test_information_of_weights_of_all_sizes_stays_within_the_entropy():
    rng = np.random.default_rng(4)
    nmi, mi = METRICS["normalized_mutual_information"], METRICS["mutual_information"]
    for k in (2, 3, 5):
        m = np.exp(rng.normal(0, 30, (500, k, k))) * (rng.random((500, k, k)) < 0.5)
        diagonal = np.exp(rng.normal(0, 30, (500, k, 1))) * np.eye(k)
        assert np.nanmax(nmi.compute(m)) <= 1 + 1e-14
        assert np.nanmin(mi.compute(m)) >= -1e-15
        assert nmi.compute(diagonal) == pytest.approx(1, rel=1e-14)


def test_information_refuses_unknown_words():
    with pytest.raises(
        tm.InputError, match="mean is 'median'; say one of 'arithmetic', 'geometric'"
    ):
        tm.metrics.nmi([0, 1], [0, 1], mean="median")
    with pytest.raises(tm.InputError, match="base is 1; give a base above 1"):
        tm.metrics.mutual_information([0, 1], [0, 1], base=1)


def test_a_single_class_has_no_confusion_entropy():
    for name in ("confusion_entropy", "modified_confusion_entropy", "bennett_s", "gwet_ac1"):
        assert METRICS[name].reason(np.array([[5.0]])) == "there are fewer than two classes"
        assert np.isnan(METRICS[name].compute(np.array([[5.0]])))


def test_alpha_of_few_rows():
    # Two labels that differ: chance cannot do worse, so that alpha is 0 and not below.
    assert tm.metrics.krippendorff_alpha([0], [1]) == 0
    assert tm.metrics.krippendorff_alpha(tm.LabelTally((0, 1), [[0.1, 0.1], [0, 0.1]])) == 1


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_small_matrix_is_undefined_exactly_where_the_formula_is(name, k):
    if k < 3:
        cells = np.meshgrid(*[[0.0, 1.0, 3.0]] * (k * k))
        grid = np.stack(cells, -1).reshape(-1, k, k)
    else:
        rng = np.random.default_rng(0)
        grid = rng.integers(1, 5, (3000, 3, 3)) * (rng.random((3000, 3, 3)) < 0.35)
    metric = METRICS[name]
    grid = grid.astype(float)
    with np.errstate(all="ignore"):
        raw = np.broadcast_to(metric._function(grid, **metric.params), len(grid))
    declared = np.any([np.broadcast_to(v, len(grid)) for v in metric._cases(grid).values()], axis=0)
    np.testing.assert_array_equal(np.isnan(metric.compute(grid)), declared)
    if k > 1:  # of one class some formulas have a value that means nothing
        np.testing.assert_array_equal(np.isnan(raw), declared)
    # a case that never holds, or always does, would say nothing
    if k == 2:
        assert 0 < declared.mean() < 0.8


OPTIONS = {
    "cohen_kappa": [{"weights": "linear"}, {"weights": [[0, 1, 3], [2, 0, 1], [1, 1, 0]]}],
    "expected_agreement": [{"pooled": True}],
    "mutual_information": [{"base": 2}],
    "normalized_mutual_information": [{"mean": "min"}, {"mean": "true"}],
}


@pytest.mark.parametrize("name", TWINS)
def test_any_number_of_leading_axes_is_a_loop(name):
    rng = np.random.default_rng(5)
    stack = rng.integers(0, 9, (4, 5, 3, 3)) * (rng.random((4, 5, 3, 3)) < 0.7)
    stack = stack.astype(float)
    metric = METRICS[name]
    for params in ({}, *OPTIONS.get(name, [])):
        whole = metric.compute(stack, **params)
        assert whole.shape == (4, 5)
        one_by_one = [[float(metric.compute(m, **params)) for m in row] for row in stack]
        np.testing.assert_allclose(whole, one_by_one, rtol=1e-12, atol=1e-14)
        for words, found in metric._cases(stack, **params).items():
            assert np.broadcast_shapes(found.shape, (4, 5)) == (4, 5), words


def test_expected_agreement_of_either_kind():
    # rows 60, 41, 32 and columns 63, 33, 37 of 133
    expected = METRICS["expected_agreement"]
    m = np.array(THREE, dtype=float)
    apart = (60 * 63 + 41 * 33 + 32 * 37) / 133**2
    pooled = (61.5**2 + 37**2 + 34.5**2) / 133**2
    assert float(expected.compute(m)) == pytest.approx(apart)
    assert float(expected.compute(m, pooled=True)) == pytest.approx(pooled)


def test_every_word_of_landis_and_koch():
    words = {
        -1.0: "poor", -1e-9: "poor", 0.0: "slight", 0.2: "slight", 0.2001: "fair", 0.4: "fair",
        0.4001: "moderate", 0.6: "moderate", 0.6001: "substantial", 0.8: "substantial",
        0.8001: "almost perfect", 1.0: "almost perfect",
    }  # fmt: skip
    assert {kappa: landis_koch(kappa) for kappa in words} == words


def test_weights_that_are_not_symmetric_take_kappa_below_minus_1():
    # One false alarm in 1,000 rows where margins expect 1/1000 of it: 1 - 1/0.001.
    kappa, table = METRICS["cohen_kappa"], [[0, 1], [0, 0]]
    assert kappa.compute(np.array([[0.0, 1.0], [999.0, 0.0]]), weights=table) == pytest.approx(-999)
    assert kappa.range_of(weights=table) == (-math.inf, 1)
    assert kappa.range_of(weights="linear") == kappa.range == (-1, 1)


def test_weights_far_apart_leave_lambda_within_its_range():
    weight = [5.04707174e05, 1.09607105e08, 2.15854823e-10, 2.58398763e-08, 2.51712597e-12]
    ev = tm.evaluate([1, 1, -1, -1, 1], [-1, -1, -1, 1, -1], weight=weight)
    assert 0 <= ev["goodman_kruskal_lambda"].value <= 1
