"""Warnings begin exactly at the numbers that they name."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm


def codes(y, said, **options):
    return {n.code for n in tm.evaluate(y, said, **options).notes}


@pytest.mark.parametrize(("positives", "warned"), [(51, False), (50, False), (49, True)])
def test_a_class_rarer_than_one_row_in_twenty_is_imbalance(positives, warned):
    y = np.arange(1000) < positives
    said = np.arange(1000) < 100
    assert ("imbalance" in codes(y.astype(int), said.astype(int))) == warned
    assert ("imbalance" in codes(1 - y, 1 - said)) == warned  # whichever class is the rare one


@pytest.mark.parametrize(("positives", "warned"), [(30, False), (29, True)])
def test_fewer_than_thirty_rows_of_a_class_are_few(positives, warned):
    y = np.arange(200) < positives
    said = np.arange(200) % 2 == 0
    assert ("few-rows" in codes(y.astype(int), said.astype(int))) == warned


@pytest.mark.parametrize(("clusters", "warned"), [(20, False), (19, True)])
def test_fewer_than_twenty_clusters_are_few(clusters, warned):
    rng = np.random.default_rng(0)
    y, said = rng.integers(0, 2, (2, 400))
    found = codes(y, said, cluster=np.arange(400) % clusters)
    assert ("few-clusters" in found) == warned
