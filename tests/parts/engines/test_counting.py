"""More distinct scores than are fetched: in bins, of subgroups, models and classes."""

from __future__ import annotations

import json
from functools import cache

import duckdb
import numpy as np
import polars as pl
import pytest

import tallymark as tm
from judged import counted_of
from tallymark.parts.engines import limits
from tallymark.reading.models import CountedRows

N = 6000


@cache
def rows() -> pl.DataFrame:
    """Return rows of two models, of three classes and of unequal subgroups, all scores distinct."""
    rng = np.random.default_rng(7)
    z = rng.normal(size=(4, N))
    y, k = (rng.random(N) < 0.3).astype(int), rng.choice(3, N, p=[0.5, 0.3, 0.2])
    odds = np.exp(z[1:] + 1.3 * (np.arange(3)[:, None] == k))
    p = odds / odds.sum(0)
    return pl.DataFrame({
        "y": y, "k": k, "group": rng.choice(["a", "b", "c"], N, p=[0.7, 0.2, 0.1]),
        "tree": 1 / (1 + np.exp(-(z[0] + 1.2 * y - 0.8))),
        "net": 1 / (1 + np.exp(-(0.9 * z[0] + 0.3 * z[1] + 0.9 * y - 0.6))),
        "w": rng.choice([0.5, 1.0, 2.0], N), "n": rng.choice([1, 2, 5], N),
        "heavy": rng.uniform(0.5, 2.0, N), **{f"p_{c}": p[c] for c in range(3)},
    })  # fmt: skip


@pytest.fixture(params=["duckdb", "polars"])
def table(request, monkeypatch):
    """The rows in an engine that sends few groups."""
    monkeypatch.setattr(limits, "MOST_LINES", 3000)
    monkeypatch.setattr(limits, "BINS", 1500)
    monkeypatch.setattr(limits, "COARSE", 64)
    if request.param == "polars":
        return rows().lazy()
    return duckdb.from_arrow(rows().to_arrow())


def read_back(counted):
    """Return counts as a file gives them, which checks that all parts agree."""
    return CountedRows.from_dict(json.loads(json.dumps(counted.to_dict())))


def near(found, wanted, share=0.1):
    """Hold a number to that of arrays: within its bounds, with nearly the same interval."""
    low, high = found.binning_bounds or (wanted.value, wanted.value)
    assert low - 1e-12 <= wanted.value <= high + 1e-12, wanted.metric
    assert found.method == wanted.method
    width = wanted.high - wanted.low
    for a, b in ((found.value, wanted.value), (found.low, wanted.low), (found.high, wanted.high)):
        assert abs(a - b) <= share * width, wanted.metric


def test_subgroups_share_the_groups_that_are_fetched(table):
    ev = tm.evaluate(table, truth="y", score="tree", subgroup=["group"])
    exact = tm.evaluate(rows(), truth="y", score="tree", subgroup=["group"])
    (tally,) = counted_of(ev).models[0].scores
    assert 100 < len(tally.bins) <= 3000 // 6
    (note,) = (n for n in counted_of(ev).notes if n.rule == "subgroups-in-bins")
    width = note.numbers["width"]
    assert f"the bounds on the area under a subgroup's ROC curve are up to {width:.2g}" in note.text
    names = ["roc_auc", "accuracy", "brier"]
    groups = [e.by("group").values(names) for e in (ev, exact)]
    areas = []
    for group in ("a", "b", "c"):
        found, wanted = (values[group] for values in groups)
        for name in names:
            near(found[name], wanted[name])
        areas.append(abs(found["roc_auc"].value - wanted["roc_auc"].value))
    assert 0 < max(areas) <= width / 2  # ties count half


def test_the_width_of_the_bounds_of_subgroups(table):
    ev = tm.evaluate(table, truth="y", score="tree", subgroup=["group"])
    (note,) = (n for n in counted_of(ev).notes if n.rule == "subgroups-in-bins")
    bins = counted_of(ev).models[0].scores[0].bins
    widths = []
    for group in ("a", "b", "c"):
        part = rows().filter(pl.col("group") == group)
        exact = tm.ScoreTally.from_arrays(part["y"].to_numpy(), part["tree"].to_numpy())
        low, high = (tm.metrics.roc_auc(end) for end in exact.binned(bins).ends())
        widths.append(high - low)
    # A bin that holds one score of a subgroup holds others of the rest.
    assert max(widths) == pytest.approx(note.numbers["width"], rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"weight": "w"}, {"count": "n"}, {"subgroup": ["group"]}])
@pytest.mark.slow
def test_models_in_bins_are_compared(table, options):
    options = {"truth": "y", "score": ["tree", "net"], **options}
    ev, exact = (tm.evaluate(data, **options) for data in (table, rows()))
    assert any(n.rule == "pairs-in-bins" for n in counted_of(ev).notes)
    metrics = ["roc_auc", "accuracy", "brier", "log_loss", "average_precision"]
    found, wanted = (e.compare(metrics=metrics).pairs[0].differences for e in (ev, exact))
    assert found.keys() == wanted.keys()
    for name, a in found.items():
        b = wanted[name]
        width = b.high - b.low
        assert a.method == b.method
        for x, y in ((a.value, b.value), (a.low, b.low), (a.high, b.high)):
            assert abs(x - y) <= 0.15 * width, name
    ours, theirs = (counted_of(e) for e in (ev, exact))
    assert ours.joint.rows == theirs.joint.rows
    cuts = (0.5, 0.5)
    np.testing.assert_array_equal(
        ours.joint.agreement("tree", "net", cuts), theirs.joint.agreement("tree", "net", cuts)
    )
    assert not ours.joint.same_ranking("tree", "tree")
    assert read_back(ours).joint == ours.joint


def test_decisions_of_subgroups_and_of_rows_side_by_side_agree(table):
    ev = tm.evaluate(table, truth="y", score=["tree", "net"], subgroup=["group"])
    counted = counted_of(ev)
    of_rows = counted.subgroup_counts.of_rows
    assert np.bincount(of_rows).tolist() == counted.subgroup_counts.rows.tolist()
    for name in ("tree", "net"):
        right = counted.joint.right((0.5, 0.5))[counted.joint.names.index(name)]
        hits = np.bincount(of_rows, right)
        matrices, _ = counted.subgroup_counts.matrices(name, 0.5, 1)
        assert hits.tolist() == np.trace(matrices, axis1=1, axis2=2).tolist()


def test_many_different_weights_are_not_kept_side_by_side(table):
    ev = tm.evaluate(table, truth="y", score=["tree", "net"], weight="heavy")
    with pytest.raises(tm.InputError, match="in a database compare fewer models, or round their s"):
        ev.compare()


EXACT = ("accuracy", "f1", "cohen_kappa", "top_k_accuracy", "spherical_score")
"""Metrics of three classes that need no bins: of decisions, and of sums over rows."""


@pytest.mark.parametrize("options", [{}, {"weight": "w"}, {"count": "n"}])
@pytest.mark.slow
def test_scores_of_three_classes_in_bins(table, options):
    options = {"truth": "k", "score": ["p_0", "p_1", "p_2"], **options}
    ev, exact = (tm.evaluate(data, **options) for data in (table, rows()))
    assert all(t.bins is not None for t in counted_of(ev).models[0].scores)
    sums, wanted = (counted_of(e).models[0]._sums for e in (ev, exact))
    assert (sums.names, sums.rows) == (wanted.names, wanted.rows)
    for part in ("totals", "squares", "cross", "weights", "sum_squared_weights"):
        np.testing.assert_allclose(getattr(sums, part), getattr(wanted, part), rtol=1e-12)
    for name in (*EXACT, "log_loss", "brier", "roc_auc", "hand_till_auc", "mean_absolute_error"):
        near(ev[name], exact[name])
        if name in EXACT:
            assert ev[name].value == pytest.approx(exact[name].value, rel=1e-12)
    assert read_back(counted_of(ev)).joint == counted_of(ev).joint


def test_a_probability_of_0_for_what_happened(table):
    if not isinstance(table, pl.LazyFrame):
        table = table.project(
            "k, p_0, if(p_1 < 0.05, 0, p_1) p_1, if(p_1 < 0.05, p_1 + p_2, p_2) p_2"
        )
    else:
        rare, moved = pl.col("p_1") < 0.05, pl.col("p_1") + pl.col("p_2")
        table = table.with_columns(
            p_1=pl.when(rare).then(0.0).otherwise("p_1"),
            p_2=pl.when(rare).then(moved).otherwise("p_2"),
        )
    ev = tm.evaluate(table, truth="k", score=["p_0", "p_1", "p_2"])
    assert ev["log_loss"].value == np.inf
    assert 0 < ev["spherical_score"].value < 1


def test_bins_as_narrow_as_a_tolerance(table, monkeypatch):
    columns = {"truth": "y", "score": "tree"}
    low, high = tm.evaluate(table, **columns)["roc_auc"].binning_bounds
    tolerance = (high - low) / 3
    low, high = tm.evaluate(table, **columns, options={"tolerance": tolerance})[
        "roc_auc"
    ].binning_bounds
    assert 0 < high - low <= tolerance
    exact = tm.evaluate(rows(), **columns)["roc_auc"].value
    assert low <= exact <= high
    monkeypatch.setattr(limits, "MOST_BINS", 2000)
    with pytest.raises(
        tm.InputError, match=r"needs about .* bins of tree, and an engine counts 2,0"
    ):
        tm.evaluate(table, **columns, options={"tolerance": tolerance / 9})
    with pytest.raises(tm.InputError, match="with these subgroups; give a tolerance of at least"):
        tm.evaluate(table, **columns, subgroup=["group"], options={"tolerance": tolerance / 9})


@pytest.mark.parametrize("kind", ["duckdb", "polars"])
@pytest.mark.slow
def test_more_scores_than_are_fetched_answer_as_arrays_do(kind):
    rng = np.random.default_rng(11)
    n = 2_100_000
    y, z = rng.random(n) < 0.3, rng.normal(size=(2, n))
    columns = {
        "y": y.astype(int),
        "group": rng.integers(0, 21, n),
        "tree": z[0] + y,
        "net": z[1] + 0.9 * y,
    }
    frame = pl.DataFrame(columns)
    data = frame.lazy() if kind == "polars" else duckdb.from_arrow(frame.to_arrow())
    ev = tm.evaluate(data, truth="y", score=["tree", "net"], subgroup=["group"])
    scores = {name: columns[name] for name in ("tree", "net")}
    exact = tm.evaluate(columns["y"], y_score=scores)
    for name in scores:
        for metric in ("roc_auc", "accuracy", "average_precision"):
            near(ev.model(name)[metric], exact.model(name)[metric])
    metrics = ["roc_auc", "accuracy"]
    found, wanted = (e.compare(metrics=metrics).pairs[0].differences for e in (ev, exact))
    for metric in metrics:
        a, b = found[metric], wanted[metric]
        assert (a.method, a.value) == (
            b.method,
            pytest.approx(b.value, abs=0.01 * (b.high - b.low)),
        )
        assert [a.low, a.high] == pytest.approx([b.low, b.high], abs=0.01 * (b.high - b.low))
