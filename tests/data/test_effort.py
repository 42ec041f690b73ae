"""The effort of rows, from arrays, frames, files and engines: the same numbers by every route."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm

LISTED = ("recall_at_effort", "recall_at_20_percent_effort", "p_opt", "initial_false_alarms")


def modules(n=400, seed=1):
    """Return modules of which the long ones are more often defective, as they are."""
    rng = np.random.default_rng(seed)
    lines = np.ceil(np.exp(rng.normal(4.5, 1.1, n)))
    y = (rng.random(n) < 1 / (1 + np.exp(3.5 - 0.5 * np.log(lines)))).astype(int)
    p = np.round(1 / (1 + np.exp(-(1.2 * y + 0.4 * np.log(lines) - 3 + rng.normal(0, 1, n)))), 2)
    return pd.DataFrame({"defective": y, "p": p, "LOC": lines.astype(int)})


NAMED = {"truth": "defective", "score": "p", "effort": "LOC"}


def numbers(ev, names=LISTED, **params):
    found = [ev.value(name, **params) for name in names]
    return [(v.value, v.low, v.high, v.method) for v in found]


@pytest.fixture(scope="module")
def frame():
    return modules()


@pytest.fixture(scope="module")
def of_arrays(frame):
    return tm.evaluate(frame.defective, y_score=frame.p, effort=frame.LOC)


def test_every_route_has_the_same_numbers(frame, of_arrays, tmp_path):
    path = tmp_path / "modules.csv"
    frame.to_csv(path, index=False)
    expected = numbers(of_arrays)
    shuffled = frame.sample(frac=1, random_state=2)
    for data in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), path, shuffled):
        ev = tm.evaluate(data, **NAMED)
        assert numbers(ev) == expected
        assert ev.source.roles["effort"] == "LOC"
    # Counted lines: each group of equal rows once, with their number.
    counted = frame.value_counts().reset_index(name="n")
    assert len(counted) < len(frame)
    assert numbers(tm.evaluate(counted, **NAMED)) == expected


def test_duckdb_counts_them_too(frame, of_arrays):
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("select * from frame")
    assert numbers(tm.evaluate(relation, **NAMED)) == numbers(of_arrays)


def test_intervals_are_those_of_the_methods_declared(of_arrays):
    methods = [v.method for v in map(of_arrays.value, LISTED)]
    assert [m.split(",")[0] for m in methods] == [
        "Dirichlet posterior", "Dirichlet posterior", "jackknife", "percentile bootstrap",
    ]  # fmt: skip
    by_density = of_arrays.value("p_opt", by="density")
    assert by_density.low < by_density.value < by_density.high
    assert by_density.definition["params"] == {"by": "density"}


def test_weights_are_repeated_rows(frame):
    weight = np.where(frame.index % 3 == 0, 2, 1)
    weighted = tm.evaluate(frame.assign(w=weight), weight="w", **NAMED)
    repeated = tm.evaluate(frame.loc[frame.index.repeat(weight)], **NAMED)
    for name in LISTED:
        assert weighted[name].value == pytest.approx(repeated[name].value, rel=1e-12)


def test_long_data_is_put_together_for_resampling():
    data = modules(20_000, 4)
    ev = tm.evaluate(data, **NAMED)
    rows = tm.evaluate(data.head(3000), **NAMED)
    for name in ("recall_at_effort", "p_opt"):
        long, short = ev[name], rows[name]
        assert long.low < long.value < long.high
        # Sampling errors fall with the root of the rows, whether cells hold one row or many.
        ratio = (long.high - long.low) / (short.high - short.low) * (20_000 / 3000) ** 0.5
        assert 0.85 < ratio < 1.15, name


def test_clusters_are_drawn_whole(frame):
    alone = tm.evaluate(frame.assign(file=np.arange(len(frame))), cluster="file", **NAMED)
    tripled = pd.concat([frame.assign(file=np.arange(len(frame)))] * 3)
    ev = tm.evaluate(tripled, cluster="file", **NAMED)
    for name in ("recall_at_effort", "p_opt"):
        a, b = alone[name], ev[name]
        assert b.value == pytest.approx(a.value, abs=1e-12)
        assert b.high - b.low == pytest.approx(a.high - a.low, rel=0.05)


def test_another_balance_multiplies_the_classes(of_arrays):
    found = of_arrays.at(prevalence=0.5)["p_opt"]
    assert found.value == pytest.approx(of_arrays["p_opt"].value, abs=0.1)
    assert found.low < found.value < found.high


def test_the_effort_curve_goes_where_the_numbers_are(of_arrays):
    c = of_arrays.curve("effort")
    assert np.interp(0.2, c.x, c.y) == pytest.approx(of_arrays["recall_at_effort"].value)
    best = of_arrays.curve("effort_best")
    a, top = (float(np.trapezoid(v.y, v.x)) for v in (c, best))
    assert 1 - (top - a) / (2 * top - 1) == pytest.approx(of_arrays["p_opt"].value)
    # At a threshold the curves say what the decisions do.
    at = of_arrays.at(threshold=float(c.threshold[7]))
    assert c.y[7] == at["recall"].value
    assert of_arrays.curve("alarm_effort").y[7] == at["fpr"].value
    profit = of_arrays.curve("profit", revenue=50, cost=0.1)
    m = at.models[0].labels.counts
    rows = at.models[0].efforts
    spent = rows.effort @ (rows.counts.sum(0) * (rows.scores >= c.threshold[7]))
    assert profit.y[7] == pytest.approx(50 * m[1, 1] - 0.1 * spent)
    density = of_arrays.curve("effort", by="density")
    assert density.threshold is None
    assert np.interp(0.2, density.x, density.y) == pytest.approx(
        of_arrays.value("recall_at_effort", by="density").value
    )


def test_it_is_shown_where_it_was_given(of_arrays, frame):
    plain = tm.evaluate(frame.defective, y_score=frame.p)
    assert not {*LISTED, "profit_at_depth"} & set(plain.values()["model"])
    assert {*LISTED} <= set(of_arrays.values()["model"])
    assert "profit_at_depth" not in of_arrays.values()["model"]  # asked for by name
    assert plain.value("profit_at_depth", revenue=10).value != 0
    text = str(of_arrays)
    for title in ("Recall at 20 % effort", "P_opt", "Initial false alarms"):
        assert title in text
    data = json.loads(of_arrays.to_json())["models"][0]
    assert data["values"]["p_opt"]["low"] < data["values"]["p_opt"]["value"]
    assert len(data["curves"]["effort"]["x"]) > 10


def test_models_side_by_side(frame):
    both = {"a": frame.p, "b": 1 - frame.p}
    ev = tm.evaluate(frame.defective, y_score=both, effort=frame.LOC)
    assert ev.model("a")["p_opt"].value > ev.model("b")["p_opt"].value
    (pair,) = ev.compare(metrics=["p_opt"], permutations=0).pairs
    difference = pair.differences["p_opt"]
    assert difference.method == "no interval: models are not drawn with the effort of rows"


@pytest.mark.parametrize(("arguments", "words"), [
    ({"effort": [1, 2]}, "y_true has 3 rows|effort has 2"),
    ({"effort": [1, -2, 3]}, "effort is -2 at index 1; the effort of a row"),
    ({"effort": [1, None, 3]}, "effort is missing in 1 row"),
    ({"effort": "LOC"}, "effort does not go with arrays"),
])  # fmt: skip
def test_efforts_are_checked(arguments, words):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate([0, 1, 1], y_score=[0.1, 0.8, 0.3], **arguments)


def test_what_needs_an_effort_says_so(frame):
    ev = tm.evaluate(frame.defective, y_score=frame.p)
    with pytest.raises(tm.InputError, match=r"p_opt needs the effort of each row.*effort=\.\.\."):
        _ = ev["p_opt"]
    with pytest.raises(tm.InputError, match="the curve 'effort' needs the effort of each row"):
        ev.curve("effort")
    with pytest.raises(tm.InputError, match="their score of one of two classes"):
        tm.evaluate([0, 1, 1], [0, 1, 0], effort=[1, 2, 3])
    with pytest.raises(tm.InputError, match="their score of one of two classes"):
        tm.evaluate(["a", "b", "c"], y_score=np.array([[0.6, 0.3, 0.1]] * 3), effort=[1, 2, 3])
    left = tm.evaluate(frame.assign(LOC=[None, *frame.LOC[1:]]), missing="drop", **NAMED)
    assert (left.rows, left.dropped) == (len(frame) - 1, 1)
    part = tm.evaluate(frame.assign(at="x"), subgroup="at", **NAMED).by("at")
    with pytest.raises(tm.InputError, match="p_opt cannot be computed"):
        part.values(["p_opt"])


def test_what_does_not_know_efforts_refuses_their_numbers(of_arrays, frame):
    with pytest.raises(tm.InputError, match="p_opt depends on the effort of rows and has no curve"):
        of_arrays.curve("p_opt", over="prevalence")
    with pytest.raises(tm.InputError, match="effort has no band: its points depend on the effort"):
        of_arrays.curve("effort", band="pointwise")
    batches = tm.Tallier()
    batches.update(frame.defective, y_score=frame.p)
    with pytest.raises(tm.InputError, match="p_opt needs the effort of each row, which batches do"):
        batches.value("p_opt")
    assert batches.value("profit_at_depth", revenue=10) > 0  # a cost of each row alone
    counts = pd.DataFrame({"score": [0.9, 0.1], "pos": [3, 1], "neg": [1, 4], "LOC": [5, 6]})
    with pytest.raises(tm.InputError, match="no longer tell their LOC"):
        tm.evaluate(counts, effort="LOC")


def test_rows_saved_with_their_effort_add_up(frame):
    halves = [
        tm.evaluate(part, **NAMED).counted.joint for part in (frame.iloc[:150], frame.iloc[150:])
    ]
    whole = tm.evaluate(frame, **NAMED).counted.joint
    assert halves[0] + halves[1] == whole
    assert type(whole).from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    other = tm.evaluate(frame.assign(LOC=frame.LOC[::-1].to_numpy()), **NAMED).counted.joint
    assert other != whole
