"""Data sets of a known illness: it is the first thing that is said, and healthy ones are quiet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tallymark.metric.headlines import HEADLINE

illness = pytest.importorskip("benchmarks.illness")


def test_there_are_twenty_illnesses_and_five_healthy_data_sets():
    assert len(illness.ILL) >= 20
    assert len(illness.HEALTHY) >= 5


def test_the_measurement_takes_as_many_seeds_as_contributing_says():
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
    assert f"alarms on healthy data, over {illness.SEEDS} seeds" in page


@pytest.mark.slow
@pytest.mark.parametrize("name", illness.ILL)
def test_a_known_illness_is_named_first(name):
    """Other seeds, as `make measure WHAT=advice` draws them, say the same: docs/advice.md."""
    data_set = illness.ILL[name]
    (code,) = data_set.findings(0)[:1]
    assert code in data_set.codes


@pytest.mark.slow
@pytest.mark.parametrize("name", illness.HEALTHY)
def test_a_healthy_set_raises_no_alarm(name):
    assert illness.HEALTHY[name].findings(0) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 10])
def test_a_lead_by_one_of_many_metrics_is_corrected_for_their_number(seed):
    ev = illness.near_ties(np.random.default_rng(seed))
    p = [d.p_value for m, d in ev._compared.pairs[0].differences.items() if m in HEADLINE]
    assert min(p) < 0.05
    assert "order-of-the-models" not in illness.findings(ev)
