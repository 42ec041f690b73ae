"""The effort of rows, from arrays, frames, files and engines: the same numbers by every route."""

from __future__ import annotations

import copy
import inspect
import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.infer.paired import Paired
from tallymark.metric import METRICS, get
from tallymark.parts.effort.tally import EffortCounts
from tallymark.report.blocks import Cell
from tallymark.report.subjects.in_use import in_use
from tallymark.report.subjects.summary import title_of
from tallymark.report.uses import use_of

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


@pytest.mark.slow
def test_every_route_has_the_same_numbers(frame, of_arrays, tmp_path):
    path = tmp_path / "modules.csv"
    frame.to_csv(path, index=False)
    expected = numbers(of_arrays)
    shuffled = frame.sample(frac=1, random_state=2)
    for data in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), path, shuffled):
        ev = tm.evaluate(data, **NAMED)
        assert numbers(ev) == expected
        assert ev.source._roles["effort"] == "LOC"
    # Counted lines: each group of equal rows once, with their number.
    counted = frame.value_counts().reset_index(name="n")
    assert len(counted) < len(frame)
    assert numbers(tm.evaluate(counted, **NAMED, count="n")) == expected


@pytest.mark.slow
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


@pytest.mark.slow
def test_weights_are_repeated_rows(frame):
    weight = np.where(frame.index % 3 == 0, 2, 1)
    weighted = tm.evaluate(frame.assign(w=weight), weight="w", **NAMED)
    repeated = tm.evaluate(frame.loc[frame.index.repeat(weight)], **NAMED)
    for name in LISTED:
        assert weighted[name].value == pytest.approx(repeated[name].value, rel=1e-12)


@pytest.mark.slow
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


def test_up_to_3200_pairs_of_score_and_effort_are_resampled_as_they_are():
    rng = np.random.default_rng(0)
    for n, alone in ((3200, True), (3201, False)):
        ev = tm.evaluate(np.arange(n) % 2, y_score=rng.random(n), effort=rng.random(n))
        tally = ev.models[0]._role_tallies["effort"]
        assert (tally._coarse() is tally) == alone
        grouped = tally._coarse()
        assert 2000 < len(grouped.scores) <= 3200
        assert (grouped.counts.sum(0) @ grouped.effort) == pytest.approx(tally.effort.sum())


def test_efforts_too_many_to_keep_are_refused(frame, monkeypatch):
    monkeypatch.setattr("tallymark.reading.ingest.MOST_KEPT", 1000)
    with pytest.raises(tm.InputError, match="to keep them, as LOC requires"):
        tm.evaluate(frame, **NAMED)


def test_the_command_line_draws_the_profit_by_depth(frame, tmp_path, of_arrays):
    frame.to_csv(tmp_path / "modules.csv", index=False)
    named = [w for role, name in NAMED.items() for w in (f"--{role}", name)]
    command = ["curve", str(tmp_path / "modules.csv"), "profit", *named]
    for params in ({"revenue": 150, "cost": 0.1}, {"effort_is": "revenue", "cost": 10}):
        asked = [w for key, value in params.items() for w in ("--param", key, str(value))]
        done = CliRunner().invoke(main, [*command, *asked])
        assert done.exit_code == 0, done.output
        found = pd.read_csv(io.StringIO(done.stdout))
        wanted = of_arrays.curve("profit", **params)
        assert found["profit_at_depth"].to_numpy() == pytest.approx(wanted.y)


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
    rows = at.models[0]._role_tallies["effort"]
    spent = rows.effort @ (rows.counts.sum(0) * (rows.scores >= c.threshold[7]))
    assert profit.y[7] == pytest.approx(50 * m[1, 1] - 0.1 * spent)
    density = of_arrays.curve("effort", by="density")
    assert density.threshold is None
    assert np.interp(0.2, density.x, density.y) == pytest.approx(
        of_arrays.value("recall_at_effort", by="density").value
    )


@pytest.mark.slow
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


def two_models(data, **options):
    """Return the scores of a model and of one that differs from it a little, and what is judged."""
    scores = {"a": data.p, "b": (data.p + data.index % 7 / 10).round(2)}
    return scores, tm.evaluate(data.defective, y_score=scores, effort=data.LOC, **options)


def gap(ev):
    (found,) = ev.compare(metrics=["p_opt"], permutations=0).pairs
    return found.differences["p_opt"]


@pytest.mark.parametrize("n", [400, 5_000])
@pytest.mark.slow
def test_a_difference_varies_as_rows_that_are_drawn_in_both_models(n):
    data = modules(n, 2)
    scores, ev = two_models(data)
    found = gap(ev)
    assert found.value == ev.model("a")["p_opt"].value - ev.model("b")["p_opt"].value
    assert found.method == "square-and-add of both intervals, correlated as in 2,000 resamples"
    times, drawn = np.random.default_rng(3).multinomial(n, np.full(n, 1 / n), 200), []
    for p in scores.values():
        order = np.lexsort((data.LOC, p))
        y, each, lines = data.defective.to_numpy()[order], times[:, order], data.LOC.to_numpy()
        rows = EffortCounts(p.to_numpy()[order], each * y, each * (1 - y), lines[order])
        drawn.append(METRICS["p_opt"].compute(rows))
    assert found.error == pytest.approx(np.std(drawn[0] - drawn[1]), rel=0.15)
    # Where the classes have other shares, both models have them.
    at_half = gap(ev.at(prevalence=0.5))
    assert at_half.low < at_half.value < at_half.high


@pytest.mark.slow
def test_differences_of_clusters_and_of_different_rows(frame):
    _, ev = two_models(frame)
    clusters = np.arange(len(frame))
    _, clustered = two_models(frame, cluster=clusters)
    assert gap(clustered).error == pytest.approx(gap(ev).error, rel=0.1)
    at_half = gap(clustered.at(prevalence=0.5))
    assert at_half.error == pytest.approx(gap(ev.at(prevalence=0.5)).error, rel=0.1)
    one, other = ev.model("a"), tm.evaluate(modules(900, 5), **NAMED)
    apart = tm.interval("p_opt", one, other)
    assert apart.error == pytest.approx(np.hypot(one["p_opt"].se, other["p_opt"].se), rel=0.1)


def test_an_order_by_density_is_not_of_the_ranking_alone(frame):
    mapped = {"a": frame.p, "b": frame.p**3}
    ev = tm.evaluate(frame.defective, y_score=mapped, effort=frame.LOC)
    a, b = ev.model("a"), ev.model("b")
    assert tm.interval("p_opt", a, b).method == "same ranking, ties included"
    found = tm.interval("p_opt", a, b, by="density")
    assert found.low < found.value < found.high
    assert (
        found.value == a.value("p_opt", by="density").value - b.value("p_opt", by="density").value
    )


@pytest.mark.parametrize("cluster", [{}, {"cluster": "file"}], ids=["rows", "clusters"])
def test_subgroups_and_folds_are_judged_as_their_rows_alone(frame, cluster):
    site = np.where(frame.index % 3, "north", "south")
    data = frame.assign(site=site, file=frame.index // 2)
    ev = tm.evaluate(data, subgroup="site", **NAMED, **cluster)
    by, names = ev.by("site"), ["p_opt", "recall_at_effort"]
    for site, found in by.values(names).items():
        alone = tm.evaluate(data[data.site == site], **NAMED, **cluster)
        assert [found[n] for n in names] == [alone[n] for n in names]
    first, second = by.differences("p_opt")  # each is the rest of the other
    assert first.difference.value == -second.difference.value
    assert first.difference.low < first.difference.value < first.difference.high
    folds = tm.evaluate(data, fold="site", **NAMED, **cluster).folds(["p_opt"])["p_opt"]
    assert folds.folds == {k: v["p_opt"] for k, v in by.values(["p_opt"]).items()}
    assert folds.pooled == ev["p_opt"]


@pytest.mark.parametrize(("arguments", "words"), [
    ({"effort": [1, 2]}, "y_true has 3 rows|effort has 2"),
    ({"effort": [1, -2, 3]}, "effort is -2 at index 1; the effort of a row"),
    ({"effort": [1, None, 3]}, "effort is missing in 1 row"),
    ({"effort": "LOC"}, "effort does not go with arrays"),
])  # fmt: skip
def test_efforts_are_checked(arguments, words):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate([0, 1, 1], y_score=[0.1, 0.8, 0.3], **arguments)


BATCH = {"y_true": [0, 1], "y_score": [0.2, 0.6]}


@pytest.mark.parametrize(("options", "first", "second", "words"), [
    ({}, BATCH, {**BATCH, "effort": [1, 2]}, "there is an effort and earlier batches had none"),
    ({}, {**BATCH, "effort": [1, 2]}, BATCH, "there is no effort and earlier batches had it"),
    ({}, None, {**BATCH, "effort": [1, -2]}, "effort is -2 at index 1"),
    ({}, None, {"y_true": [0, 1], "y_pred": [0, 1], "effort": [1, 2]},
     "effort is the effort of rows, which is read with their score for two classes"),
    ({"bins": 2048}, BATCH, {**BATCH, "effort": [1, 2]}, "efforts need the rows, which are not kept"),
])  # fmt: skip
def test_a_batch_whose_efforts_cannot_be_counted_changes_nothing(options, first, second, words):
    tally = tm.Tallier(**options)
    if first is not None:
        tally.update(**first)
    before = copy.copy(tally)
    with pytest.raises(tm.InputError, match=words):
        tally.update(**second)
    assert tally == before


@pytest.mark.parametrize("function", [tm.evaluate, tm.Tallier().update])
def test_the_effort_is_an_argument_like_others(function):
    assert "effort" in inspect.signature(function).parameters
    assert "roles" not in inspect.signature(function).parameters
    with pytest.raises(TypeError, match=r"\(\) got an unexpected keyword argument 'efort'"):
        function([0, 1], y_score=[0.1, 0.8], efort=[1, 2])


def test_the_effort_is_documented_with_the_arguments():
    words = tm.evaluate.__doc__
    assert "    effort : array of n numbers, or the name of a column, optional\n" in words
    assert "such as its lines of code" in words
    assert "**roles" not in words


def test_what_needs_an_effort_says_so(frame):
    ev = tm.evaluate(frame.defective, y_score=frame.p)
    with pytest.raises(tm.InputError, match=r"p_opt needs the effort of each row.*effort=\.\.\."):
        _ = ev["p_opt"]
    with pytest.raises(tm.InputError, match="the curve 'effort' needs the effort of each row"):
        ev.curve("effort")
    with pytest.raises(tm.InputError, match="their score for two classes"):
        tm.evaluate([0, 1, 1], [0, 1, 0], effort=[1, 2, 3])
    with pytest.raises(tm.InputError, match="their score for two classes"):
        tm.evaluate(["a", "b", "c"], y_score=np.array([[0.6, 0.3, 0.1]] * 3), effort=[1, 2, 3])
    left = tm.evaluate(frame.assign(LOC=[None, *frame.LOC[1:]]), missing="drop", **NAMED)
    assert (left.rows, left.dropped) == (len(frame) - 1, 1)


def test_what_does_not_know_efforts_refuses_their_numbers(of_arrays, frame):
    with pytest.raises(tm.InputError, match="p_opt depends on the effort of rows and has no curve"):
        of_arrays.curve("p_opt", over="prevalence")
    with pytest.raises(tm.InputError, match="effort has no band: its points depend on the effort"):
        of_arrays.curve("effort", band="pointwise")
    batches = tm.Tallier()
    batches.update(frame.defective, y_score=frame.p)
    with pytest.raises(tm.InputError, match=r"p_opt needs the effort of each.*batch effort=\.\.\."):
        batches.value("p_opt")
    assert batches.value("profit_at_depth", revenue=10) > 0  # a cost of each row alone
    counts = pd.DataFrame({"score": [0.9, 0.1], "pos": [3, 1], "neg": [1, 4], "LOC": [5, 6]})
    with pytest.raises(tm.InputError, match="do not keep their LOC"):
        tm.evaluate(counts, effort="LOC")


@pytest.mark.slow
def test_batches_give_what_all_rows_give(frame, of_arrays, tmp_path):
    talliers = [tm.Tallier(), tm.Tallier()]
    for at in range(0, len(frame), 90):
        part = frame.iloc[at : at + 90]
        talliers[at % 4 // 2].update(part.defective, y_score=part.p, effort=part.LOC)
    talliers[0].merge(talliers[1])
    talliers[0].save(tmp_path / "rows.json")
    found = tm.Tallier.load(tmp_path / "rows.json")
    assert numbers(found.result()) == numbers(of_arrays)
    for name, params in (("p_opt", {"by": "density"}), ("profit_at_depth", {"revenue": 9})):
        assert found.value(name, **params) == of_arrays.value(name, **params).value


def test_rows_saved_with_their_effort_add_up(frame):
    halves = [
        counted_of(tm.evaluate(part, **NAMED)).joint
        for part in (frame.iloc[:150], frame.iloc[150:])
    ]
    whole = counted_of(tm.evaluate(frame, **NAMED)).joint
    assert halves[0] + halves[1] == whole
    assert type(whole).from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    other = counted_of(tm.evaluate(frame.assign(LOC=frame.LOC[::-1].to_numpy()), **NAMED)).joint
    assert other != whole


@pytest.mark.slow
def test_profit_is_compared_and_judged_by_subgroup_without_efforts():
    columns = {"truth": "outcome", "positive": "bad", "subgroup": "age_group"}
    ev = tm.evaluate(tm.example("credit"), score=["forest", "bayes"], **columns)
    d = (
        ev.compare(metrics=["profit_at_depth"])
        .pair("forest", "bayes")
        .differences["profit_at_depth"]
    )
    values = [ev.model(name)["profit_at_depth"].value for name in ("forest", "bayes")]
    assert [d.first_value, d.second_value] == values
    assert d.low < d.value < d.high
    by = ev.model("forest").by("age_group").values("profit_at_depth")
    assert {of["profit_at_depth"].low < of["profit_at_depth"].high for of in by.values()} == {True}
    assert "profit_at_depth" not in {m.name for m in ev.metrics()}


def test_ranks_of_rows_of_unequal_effort_are_not_exchanged():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 100)
    p = {name: np.round(0.3 * y + rng.random(100), 2) for name in "ab"}
    ev, plain = (tm.evaluate(y, y_score=p, effort=e) for e in (np.arange(1, 101), None))

    def paired(ev):
        return Paired(counted_of(ev), {name: {} for name in ev.names})

    for name in ("p_opt", "profit_at_depth"):
        assert paired(ev).permutations([("a", "b")], get(name), 10)[0].reason == (
            f"{name} uses the effort of rows, which exchanging ranks ignores"
        )
    assert paired(ev).permutations([("a", "b")], get("roc_auc"), 10)[0].reason is None
    assert paired(plain).permutations([("a", "b")], get("profit_at_depth"), 10)[0].reason is None


def test_defects_are_shown_with_the_effort_of_finding_them():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    ev = tm.evaluate(
        y, y_score=0.3 * y + 0.7 * rng.random(400), effort=np.arange(1, 401), use="defects"
    )
    titles = [
        cell.text if isinstance(cell, Cell) else cell for cell, *_ in in_use(ev).tables[0].rows
    ]
    assert title_of(ev, "p_opt") in titles
    assert use_of(ev).first == ("roc", "effort", "calibration")
    assert "recall_at_20_percent_effort" in use_of(ev).brief


@pytest.mark.slow
def test_modules_sorted_by_density_are_found_with_less_effort():
    ev = tm.evaluate(tm.example("defects"), truth="defective", score="forest", effort="loc")
    assert ev.value("p_opt", by="density").value > ev["p_opt"].value + 0.1


def test_the_lab_has_no_effort():
    ev = tm.evaluate([0, 1] * 20, y_score=[0.2, 0.7, 0.4, 0.6] * 10)
    if hasattr(ev, "lab"):
        with pytest.raises(tm.InputError, match="p_opt reads the effort of rows"):
            ev.lab(metrics=["p_opt"])


@pytest.mark.parametrize(
    ("parameter", "told"),
    [
        (("cots", "1"), "the curve 'profit' has no parameter 'cots'; did you mean 'cost'"),
        (("effort_is", "gain"), "effort_is is 'gain'; there are 'cost', 'revenue'"),
        (("cost", "ten"), "cost is 'ten'; give a number"),
    ],
)
def test_parameters_of_the_curve_are_refused_on_the_command_line(tmp_path, parameter, told):
    modules().to_csv(tmp_path / "m.csv", index=False)
    words = ["--truth", "defective", "--score", "p", "--param", *parameter]
    done = CliRunner().invoke(main, ["curve", str(tmp_path / "m.csv"), "profit", *words])
    assert done.exit_code == 2
    assert told in done.stderr
