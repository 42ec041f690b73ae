"""Which model leads in which subgroup, and whether beyond chance."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.infer.intervals import Inference
from tallymark.infer.leaders import leaders
from tallymark.report import page


def judged(seed=0, n=1500, better=1.2, **options):
    """Return an evaluation in which a is better in the north, b in the south, none in the east."""
    rng = np.random.default_rng(seed)
    y, site = rng.integers(0, 2, n), rng.choice(["north", "south", "east"], n)
    a = y * np.where(site == "north", better, 0.6) + rng.normal(0, 1, n)
    b = y * np.where(site == "south", better, 0.6) + rng.normal(0, 1, n)
    scores = {"a": a, "b": b, "c": rng.normal(0, 1, n)}
    return tm.evaluate(y, y_score=scores, positive=1, subgroup={"site": site}, **options), y, site


def found(ev, metric="roc_auc"):
    return {
        x.subgroup: x for x in leaders(Inference(ev.counted, ev.level, ev.seed), ["site"], metric)
    }


def test_the_leader_of_each_subgroup_is_named_with_its_lead():
    ev, _, site = judged()
    by = found(ev)
    assert {k: (v.model, v.shown) for k, v in by.items() if k != "east"} == {
        "north": ("a", True), "south": ("b", True),
    }  # fmt: skip
    assert not by["east"].shown
    assert {k: v.rows for k, v in by.items()} == {k: (site == k).sum() for k in by}


def test_a_lead_is_that_of_the_rows_of_the_subgroup_alone():
    ev, *_ = judged()
    lead = found(ev)["north"]
    rng = np.random.default_rng(0)
    y, where = rng.integers(0, 2, 1500), rng.choice(["north", "south", "east"], 1500) == "north"
    a = y * np.where(where, 1.2, 0.6) + rng.normal(0, 1, 1500)
    rng.normal(0, 1, 1500), rng.normal(0, 1, 1500)
    assert lead.difference.first_value == pytest.approx(tm.metrics.roc_auc(y[where], a[where]))


def test_losses_lead_by_being_low_and_p_values_are_corrected():
    rng = np.random.default_rng(1)
    y, site = rng.integers(0, 2, 900), rng.choice(["north", "south"], 900)
    good = np.clip(0.5 + 0.3 * (2 * y - 1) + rng.normal(0, 0.1, 900), 0.01, 0.99)
    ev = tm.evaluate(
        y, y_score={"good": good, "bad": rng.uniform(0.3, 0.7, 900)}, subgroup={"site": site}
    )
    assert {v.model for v in found(ev, "brier").values()} == {"good"}
    for v in found(ev, "brier").values():
        assert v.shown
        assert v.difference.p_value <= v.p_value <= 2 * v.difference.p_value


def test_where_nothing_differs_no_leader_is_shown():
    shown = 0
    for seed in range(10):
        ev, *_ = judged(seed=seed, n=600, better=0.6)
        shown += any(v.shown for v in found(ev).values() if {v.model, v.second} == {"a", "b"})
    assert shown <= 2


def test_the_page_says_who_leads_in_which_subgroup():
    ev, *_ = judged()
    text = page.render(ev)
    assert "By site: a leads in north; b leads in south" in text
    assert "Elsewhere no model is shown to lead." in text
    same, *_ = judged(n=300, better=0.6)
    assert "By site: no model is shown to lead in any of 3 subgroups" in page.render(same)
