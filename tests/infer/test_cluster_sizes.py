"""Degrees of freedom of the sizes of clusters, against CR2's matrices and clubSandwich."""

import json
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.cluster_sizes import ClusterSizes
from tallymark.infer.samples import critical_value, scaled

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "statistics"


def golden(name):
    """Return the cases of a file of expected numbers; skip without it."""
    file = GOLDEN / f"{name}.json"
    if not file.exists():
        pytest.skip(f"{file} is missing: the expected numbers lie beside the repository")
    return json.loads(file.read_text(encoding="utf-8"))["cases"]


def slow_cr2(hits, rows):
    """Return the error and the degrees of freedom of a mean by CR2, from its matrices.

    The squared error is the sum over clusters of squared products of the residuals with a vector.
    Its expectation and variance under independent rows give Satterthwaite's degrees of freedom.
    """
    who, n = np.repeat(np.arange(len(rows)), rows), sum(rows)
    y = np.concatenate([[1.0] * h + [0.0] * (m - h) for h, m in zip(hits, rows, strict=True)])
    residuals, vectors, squares = np.eye(n) - 1 / n, [], 0.0
    for c in range(len(rows)):
        own = who == c
        values, columns = np.linalg.eigh(residuals[np.ix_(own, own)])
        root = columns @ np.diag(values**-0.5) @ columns.T
        squares += float(np.ones(own.sum()) / n @ root @ (residuals @ y)[own]) ** 2
        vectors.append(residuals[:, own] @ root @ np.ones(own.sum()) / n)
    products = np.array(vectors) @ np.array(vectors).T
    return squares**0.5, np.trace(products) ** 2 / np.trace(products @ products)


def test_degrees_of_freedom_are_those_of_club_sandwich():
    for case in golden("cr2"):
        _, error, freedom = case["clubSandwich"]
        assert ClusterSizes.of(case["rows"]).degrees_of_freedom == pytest.approx(freedom, abs=1e-9)
        assert slow_cr2(case["hits"], case["rows"]) == pytest.approx((error, freedom), abs=1e-9)


def test_the_error_and_the_degrees_of_freedom_that_club_sandwich_prints():
    rows, hits = [8, 14, 8, 2, 15, 9], [6, 14, 5, 1, 12, 6]
    printed = 0.0709648626, 3.9732464458
    assert slow_cr2(hits, rows) == pytest.approx(printed, abs=1e-9)
    assert ClusterSizes.of(rows).degrees_of_freedom == pytest.approx(printed[1], abs=1e-9)


@pytest.mark.parametrize("rows", [[3, 1, 9, 4], [30, 2, 2, 1, 1], [2, 2, 2], [40, 1]])
def test_degrees_of_freedom_are_those_of_the_matrices_of_cr2(rows):
    _, freedom = slow_cr2([0] * len(rows), rows)
    found = ClusterSizes.of(rows)
    assert found.degrees_of_freedom == pytest.approx(freedom)
    assert found.largest == max(rows) / sum(rows)


def test_clusters_of_equal_size_lack_one():
    assert ClusterSizes.of([7] * 11).degrees_of_freedom == pytest.approx(10)
    assert ClusterSizes.of([7]) == ClusterSizes.of([0, 7, 0]) == ClusterSizes(1.0, 1.0)
    assert ClusterSizes.of([0, 3, 1, 2]) == pytest.approx(ClusterSizes.of([2, 1, 3]))


def test_documents_are_judged_by_what_each_denominator_counts():
    names = {"f1": "f1", "precision": "precision", "recall": "sensitivity"}
    for case in golden("detection_clusters"):
        cells = np.array([case["tp"], case["fp"], case["fn"]])
        document = np.concatenate([np.repeat(np.arange(cells.shape[1]), c) for c in cells])
        y = np.repeat([1, 0, 1], cells.sum(1))
        ev = tm.evaluate(y, np.repeat([1, 1, 0], cells.sum(1)), positive=1, cluster=document)
        for name, expected in case["expected"].items():
            v = ev[names[name]]
            assert (v.value, v.se) == pytest.approx((expected["value"], expected["jackknife_se"]))
            assert (v.warning is not None) == (expected["df_sizes"] < 5)
            if expected["df_sizes"] < expected["df_changes"]:
                assert (v.low, v.high) == pytest.approx((expected["low"], expected["high"])), name
            else:  # Satterthwaite's, here of changes about their mean and there about the value
                reach = critical_value(0.95, expected["df_sizes"])
                low, high = scaled(v.value, v.se, reach, (0, 1))
                assert v.low < low
                assert high < v.high
