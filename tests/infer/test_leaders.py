"""Which model leads in which subgroup, and whether beyond chance."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.infer.intervals import Inference
from tallymark.infer.leaders import leaders
from tallymark.report import page
from tallymark.report.subjects.values import difference_cells


@cache
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
        x.subgroup: x
        for x in leaders(Inference(counted_of(ev), ev.level, ev.seed), ["site"], metric)
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_json_terminal_and_page_say_the_same(tmp_path):
    ev, y, site = judged()
    data = json.loads(ev.to_json())
    schema = json.loads(
        (files("tallymark") / "schema/evaluation.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.validate(data, schema)
    assert [f["subgroup"]["site"] for f in data["leaders"]] == [f.subgroup for f in ev.leaders()]
    for f, plain in zip(ev.leaders(), data["leaders"], strict=True):
        d = f.difference
        assert (plain["model"], plain["second"], plain["rows"]) == (f.model, f.second, f.rows)
        assert (plain["metric"], plain["lead"]) == ("roc_auc", d.value)
        assert (plain["low"], plain["high"], plain["p_value"]) == (d.low, d.high, f.p_value)
        assert plain["shown"] == f.shown
    saved = tm.read(ev.to_json(tmp_path / "run.json") and tmp_path / "run.json")
    assert saved.leaders() == ev.leaders()
    lines = ["y,site,a,b,c"]
    scores = {m.name: m for m in ev.models}
    assert list(scores) == ["a", "b", "c"]
    rng = np.random.default_rng(0)
    rng.integers(0, 2, 1500), rng.choice(["north", "south", "east"], 1500)
    a = y * np.where(site == "north", 1.2, 0.6) + rng.normal(0, 1, 1500)
    b = y * np.where(site == "south", 1.2, 0.6) + rng.normal(0, 1, 1500)
    c = rng.normal(0, 1, 1500)
    lines += [f"{r},{s},{i!r},{j!r},{k!r}" for r, s, i, j, k in
              zip(y.tolist(), site, a.tolist(), b.tolist(), c.tolist(), strict=True)]  # fmt: skip
    rows = tmp_path / "rows.csv"
    rows.write_text("\n".join(lines), encoding="utf-8")
    done = CliRunner().invoke(main, [
        "report", str(rows), "--truth", "y", "--positive", "1", "--score", "a", "--score", "b",
        "--score", "c", "--subgroup", "site", "--full",
    ])  # fmt: skip
    told = " ".join(done.stdout.split())
    assert "By site: a leads in north; b leads in south" in told
    for f in ev.leaders():
        *_, gap, bounds, _ = difference_cells(f.difference)
        assert f"{f.subgroup} {f.rows} {f.model}{'*' * f.shown} {f.second} {gap} {bounds}" in told


@pytest.mark.parametrize("make", [
    lambda: tm.evaluate([0, 1] * 9, y_score=[0.1, 0.8] * 9, subgroup={"s": ["a", "b"] * 9}),
    lambda: tm.evaluate([0, 1] * 9, y_score={"a": [0.1, 0.8] * 9, "b": [0.3, 0.2] * 9}),
    lambda: judged()[0].at(prevalence=0.1),
    lambda: tm.evaluate(
        [0, 1] * 26, y_score={"a": [0.1, 0.8] * 26, "b": [0.3, 0.2] * 26},
        subgroup={"s": [k for k in range(13) for _ in range(4)]},
    ),
], ids=["one model", "no subgroups", "another prevalence", "more than 12"])  # fmt: skip
@pytest.mark.slow
def test_there_is_no_leader_of(make):
    ev = make()
    assert ev.leaders() == ()
    assert json.loads(ev.to_json())["leaders"] is None


@pytest.mark.slow
def test_the_page_says_who_leads_in_which_subgroup():
    ev, *_ = judged()
    text = page.render(ev)
    assert "By site: a leads in north; b leads in south" in text
    assert "Elsewhere no model is shown to lead." in text
    same, *_ = judged(n=300, better=0.6)
    assert "By site: no model is shown to lead in any of 3 subgroups" in page.render(same)
