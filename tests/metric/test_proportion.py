"""What weighted rows are worth, held to drawing them; Wilson's interval is in test_interval."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.metric.proportion import worth


def of_rows(hit, w):
    return worth(w[hit].sum(), w.sum(), (w[hit] ** 2).sum(), (w**2).sum())


@pytest.mark.parametrize("heavy", [1.0, 5.0])
def test_rows_are_worth_what_their_redrawn_proportion_varies(heavy):
    rng = np.random.default_rng(0)
    hit = rng.random(300) < 0.3
    w = rng.lognormal(0, 1, 300) * np.where(hit, heavy, 1)
    which = rng.integers(0, 300, (20_000, 300))
    drawn = (w * hit)[which].sum(1) / w[which].sum(1)
    p = w[hit].sum() / w.sum()
    assert p * (1 - p) / of_rows(hit, w) == pytest.approx(drawn.var(), rel=0.05)


def test_rows_of_one_weight_are_worth_their_number():
    hit = np.arange(40) < 13
    assert of_rows(hit, np.full(40, 7.0)) == pytest.approx(40)


@pytest.mark.parametrize("all_of_them", [False, True])
def test_at_the_ends_rows_are_worth_kishs_number(all_of_them):
    w = np.array([1.0, 2.0, 3.0])
    assert of_rows(np.full(3, all_of_them), w) == pytest.approx(36 / 14)


def test_no_rows_are_worth_nothing_that_is_known():
    assert np.isnan(worth(0.0, 0.0, 0.0, 0.0))
