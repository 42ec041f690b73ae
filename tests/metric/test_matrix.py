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


TWINS = {
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
    assert set(TWINS) == {n for n, m in METRICS.items() if m.needs == "matrix"}


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
        tm.InputError, match="weights is 'cubic'; say None, 'linear' or 'quadratic'"
    ):
        tm.metrics.kappa([0, 1], [0, 1], weights="cubic")


def test_mcc_keeps_its_precision_when_one_cell_is_tiny():
    m = np.array([[10**9, 3], [1, 10**9]], dtype=float)
    exact = Fraction(10**18 - 3)
    spread = math.sqrt((10**9 + 3) * (10**9 + 1)) * math.sqrt((10**9 + 1) * (10**9 + 3))
    value = float(METRICS["matthews_corrcoef"].compute(m))
    assert value == pytest.approx(float(exact) / spread, rel=1e-15)
    assert value < 1


def test_no_word_for_an_undefined_kappa():
    with pytest.raises(tm.InputError, match="kappa is NaN"):
        landis_koch(math.nan)
