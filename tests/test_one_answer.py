"""One number, one answer: value, bounds, method and warnings are the same by every route."""

from __future__ import annotations

import json
import pickle

import duckdb
import numpy as np
import polars as pl
import pytest

import tallymark as tm
from judged import counted_of
from tallymark.metric import METRICS

N = 240


def rows(classes=2, weighted=False, seed=0):
    rng = np.random.default_rng(seed)
    if classes == 2:
        y = (rng.random(N) < 0.35).astype(int)
        s = np.round(1 / (1 + np.exp(-(rng.normal(size=N) + 1.4 * y - 0.8))), 3)
        columns = {"truth": y, "score": s}
    else:
        y = rng.choice(["a", "b", "c"], N, p=[0.5, 0.3, 0.2])
        p = np.where(rng.random(N) < 0.7, y, rng.choice(["a", "b", "c"], N))
        columns = {"truth": y, "pred": p}
    if weighted:
        columns["weight"] = rng.uniform(0.5, 2, N)
    return columns


def evaluate(columns, **options):
    return tm.evaluate(
        columns["truth"],
        columns.get("pred"),
        y_score=columns.get("score"),
        weight=columns.get("weight"),
        **({"positive": 1} if "score" in columns else {}),
        **options,
    )


def same(a, b, route):
    """Hold two values to each other: number, bounds, method, reason and warning."""
    for part in ("method", "reason", "warning", "level"):
        assert getattr(a, part) == getattr(b, part), (route, a.metric, part)
    assert (a.se is None) == (b.se is None), (route, a.metric, "se")
    x, y = ([v.value, v.low, v.high, v.se or 0.0] for v in (a, b))
    np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12, err_msg=f"{route}: {a.metric}")


def all_same(found, wanted, route):
    assert found.keys() == wanted.keys(), route
    for name, value in wanted.items():
        same(found[name], value, route)


def same_counts(found, wanted, route):
    """Hold two evaluations to the same counts, to the bit: all their numbers follow from them."""
    a, b = counted_of(found), counted_of(wanted)
    assert a.joint == b.joint, route
    for m, n in zip(a.models, b.models, strict=True):
        assert (m.labels, m.scores, m.threshold) == (n.labels, n.scores, n.threshold), route


CASES = [(2, False), (2, True), (3, False), (3, True)]


@pytest.fixture(params=CASES, ids=str, scope="module")
def case(request):
    columns = rows(*request.param)
    ev = evaluate(columns)
    (values,) = ev.values().values()
    return columns, ev, values


@pytest.mark.slow
def test_one_at_a_time_and_in_another_order(case):
    columns, _, values = case
    again = evaluate(columns)
    for name in sorted(values, reverse=True):
        same(again[name], values[name], "ev[m]")


def test_rows_in_another_order(case):
    columns, _, values = case
    order = np.random.default_rng(1).permutation(N)
    shuffled = evaluate({k: v[order] for k, v in columns.items()})
    (found,) = shuffled.values().values()
    all_same(found, values, "permuted rows")


def held_by(kind, frame, folder):
    """Return the rows of a Polars frame as another frame, a relation or a file."""
    if kind == "lazy":
        return frame.lazy()
    if kind == "pandas":
        return frame.to_pandas()
    if kind == "duckdb":
        return duckdb.sql("select * from frame")
    if kind == "shuffled":
        return frame.sample(fraction=1, shuffle=True, seed=1)
    if kind in ("csv", "parquet"):
        file = folder / f"rows.{kind}"
        getattr(frame, f"write_{kind}")(file)
        return file
    return frame


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "duckdb", "csv", "parquet"])
def test_every_source_of_rows(case, kind, tmp_path):
    columns, ev, values = case
    data = held_by(kind, pl.DataFrame(columns), tmp_path)
    named = {k: k for k in columns}
    found = tm.evaluate(data, **named, **({"positive": 1} if "score" in columns else {}))
    if "weight" not in columns:  # an engine adds up weights in any order
        same_counts(found, ev, kind)
    if "weight" in columns or kind in ("duckdb", "csv"):
        (others,) = found.values().values()
        all_same(others, values, kind)


def test_batches(case):
    columns, _, values = case
    tallier = tm.Tallier(**({"positive": 1} if "score" in columns else {}))
    for part in np.array_split(np.arange(N), 7):
        y = columns["truth"][part]
        options = {}
        if "weight" in columns:
            options["sample_weight"] = columns["weight"][part]
        if "score" in columns:
            options["y_score"] = columns["score"][part]
            tallier.update(y, **options)
        else:
            tallier.update(y, columns["pred"][part], **options)
    (found,) = tallier.result().values().values()
    all_same(found, values, "Tallier")


def side_by_side(kind):
    """Rows whose numbers need them side by side: of several models, or in clusters."""
    rng = np.random.default_rng(3)
    columns = {"y_true": (rng.random(N) < 0.4).astype(int)}
    scores = [
        np.round(1 / (1 + np.exp(-rng.normal(c * columns["y_true"] - 0.4))), 2) for c in (1, 2)
    ]
    columns["y_score"] = scores[0]
    if "models" in kind:
        columns["y_score"] = {"tree": scores[0], "net": scores[1]}
        columns["y_pred"] = {"tree": (scores[0] > 0.4).astype(int), "net": (scores[1] > 0.5) * 1}
    if "classes" in kind:
        del columns["y_score"]
        columns["y_true"] = rng.choice(["a", "b", "c"], N)
        columns["y_pred"] = {
            m: np.where(rng.random(N) < p, columns["y_true"], "b")
            for m, p in (("m", 0.6), ("n", 0.8))
        }
    if "clusters" in kind:
        columns["cluster"] = np.array([f"p{i}" for i in rng.integers(0, 40, N)])
    if "score columns" in kind:
        columns["y_true"] = rng.choice(["a", "b", "c"], N, p=[0.5, 0.3, 0.2])
        odds = np.exp(rng.normal(size=(N, 3)) + 1.5 * (columns["y_true"][:, None] == list("abc")))
        columns["y_score"] = np.round(odds / odds.sum(1, keepdims=True), 4)
    if "weighted" in kind:
        columns["sample_weight"] = rng.choice([0.5, 1.0, 2.0], N)
    return columns


def at_once(columns):
    """Return the arguments of a batch under the names that evaluate() has for them."""
    names = {"y_true": "data", "sample_weight": "weight"}
    return {names.get(k, k): v for k, v in columns.items()}


def batches(columns, order, count):
    """Return arrays, or mappings of them, cut into batches of rows in some order."""
    for part in np.array_split(order, count):
        yield {
            k: {m: x[part] for m, x in v.items()} if isinstance(v, dict) else v[part]
            for k, v in columns.items()
        }


@pytest.mark.parametrize(
    "kind", ["models", "clusters", "weighted models", "models, clusters", "models, classes",
             "weighted clusters", "score columns", "weighted score columns",
             "score columns, clusters"],
)  # fmt: skip
@pytest.mark.slow
def test_batches_that_keep_rows_side_by_side(kind):
    columns = side_by_side(kind)
    order = np.random.default_rng(4).permutation(N)
    ev = tm.evaluate(**at_once(columns))
    together, first, second = tm.Tallier(), tm.Tallier(), tm.Tallier()
    for i, batch in enumerate(batches(columns, order, 7)):
        together.update(**batch)
        (second if i > 3 else first).update(**batch)
        first = tm.Tallier.from_dict(json.loads(json.dumps(first.to_dict())))
    found = together.result()
    same_counts(found, ev, "Tallier")
    same_counts((first + second).result(), ev, "sum of Talliers")
    for model, values in ev.values().items():
        all_same(found.values()[model], values, f"Tallier: {model}")
    if len(ev.names) > 1:
        assert str(found.compare()) == str(ev.compare())


ROUTES = ["polars", "lazy", "pandas", "duckdb", "csv", "parquet", "shuffled", "one by one"]


@pytest.fixture(params=["score columns", "weighted score columns"], scope="module")
def of_each_class(request):
    columns = side_by_side(request.param)
    ev = tm.evaluate(**at_once(columns))
    return columns, ev, ev.values()["model"]


def test_scores_of_each_class_have_an_interval_of_whole_rows(of_each_class):
    for name in ("roc_auc", "hand_till_auc", "average_precision"):
        value = of_each_class[2][name]
        assert value.method.startswith("jackknife, Student's t")
        assert value.warning is None


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.slow
def test_scores_of_each_class_by_every_route(of_each_class, route, tmp_path):
    columns, ev, values = of_each_class
    frame = pl.DataFrame(columns["y_score"], ["p_a", "p_b", "p_c"], orient="row")
    frame = frame.with_columns(y=pl.Series(columns["y_true"]))
    if "sample_weight" in columns:
        frame = frame.with_columns(w=pl.Series(columns["sample_weight"]))
    data = held_by(route, frame, tmp_path)
    named = {"truth": "y", "score": ["p_a", "p_b", "p_c"]}
    found = tm.evaluate(data, **named, **({"weight": "w"} if "w" in frame.columns else {}))
    if route not in ("shuffled", "duckdb", "lazy"):  # an engine hands over rows in any order
        same_counts(found, ev, route)
    if route == "one by one":
        for name in reversed(values):
            same(found[name], values[name], route)
    elif route in ("shuffled", "duckdb", "lazy"):
        (model,) = found.values()
        all_same(found.values()[model], values, route)


@pytest.mark.slow
def test_scores_of_each_class_whose_rows_were_not_kept():
    columns = side_by_side("score columns")
    ev = tm.evaluate(columns["y_true"], y_score=columns["y_score"])
    tallier, half = tm.Tallier(bins=tm.Bins(np.linspace(0, 1, 1001), 10)), np.repeat([0, 1], N)
    tallier.update(columns["y_true"], y_score=columns["y_score"])
    twice = tm.evaluate(
        np.tile(columns["y_true"], 2), y_score=np.tile(columns["y_score"], (2, 1)),
        subgroup={"half": half},
    )  # fmt: skip
    names = ["roc_auc", "average_precision", "hand_till_auc"]
    of_half = twice.by("half").values(names)[0]
    for name in names:
        wide, binned, kept = of_half[name], tallier.result()[name], ev[name]
        assert binned.method == wide.method
        for v in (wide, binned):
            assert v.method.endswith("classes taken as fully correlated (conservative)")
            assert "the interval is wider than necessary" in v.warning
            assert kept.value == pytest.approx(v.value, abs=1e-4)
            assert v.high - v.low > kept.high - kept.low
    notes = {n.rule: n.text for n in tallier.result().notes}
    assert "the rows were not kept side by side" in notes["rows-apart"]


@pytest.mark.parametrize("groups", [1, 1000])
@pytest.mark.slow
def test_subgroups_however_many(case, groups):
    columns, _, values = case
    names = [n for n in values if METRICS[n].wanted == "decisions"]
    names = names[::12] if groups == 1000 else names
    scored = ["roc_auc", "brier", "log_loss"] if "score" in columns else []
    more = {k: np.concatenate([v, np.tile(v[:1], groups)]) for k, v in columns.items()}
    where = np.concatenate([np.zeros(N, int), np.arange(1, groups + 1)])
    ev = evaluate(more, subgroup={"group": where})
    found = ev.by("group").values([*names, *scored])[0]
    all_same(found, {n: values[n] for n in [*names, *scored]}, f"{groups} subgroups")


def test_other_scores_of_subgroups(case):
    columns, _, values = case
    if "score" not in columns:
        pytest.skip("these are decisions")
    names = [n for n in values if METRICS[n].wanted != "decisions"]
    half = {k: np.concatenate([v, v]) for k, v in columns.items()}
    found = evaluate(half, subgroup={"group": np.repeat([0, 1], N)}).by("group").values(names)
    for group in (0, 1):
        all_same(found[group], {n: values[n] for n in names}, "subgroups of scores")


def test_at_its_own_threshold_and_on_the_slider(case):
    columns, ev, values = case
    if "score" not in columns:
        pytest.skip("these are decisions")
    (found,) = ev.at(threshold=0.5).values().values()
    all_same(found, values, "at(threshold)")
    (sweep,) = ev._sweep().values()
    for i in range(0, len(sweep.threshold), 9):
        if np.isinf(sweep.threshold[i]):
            continue
        there = ev.at(threshold=float(sweep.threshold[i]))
        for name, bounds in sweep.metrics.items():
            v = there[name]
            np.testing.assert_allclose(
                [x[i] for x in bounds], [v.value, v.low, v.high], rtol=1e-12, atol=1e-12,
                err_msg=f"slider: {name}",
            )  # fmt: skip


@pytest.mark.slow
def test_each_class_alone(case):
    columns, ev, values = case
    (per_class,) = ev.per_class().values()
    if "score" in columns:
        for name in per_class[1]:
            if METRICS[name]._of_one_class:
                same(per_class[1][name], values[name], "per_class")
        return
    for label in ev.classes:
        against = {**columns, **{k: columns[k] == label for k in ("truth", "pred")}}
        alone = tm.evaluate(
            against["truth"], against["pred"], weight=columns.get("weight"),
            positive=True,
        )  # fmt: skip
        for name, value in per_class[label].items():
            same(ev.value(name, positive=label), value, "positive=")
            same(alone[name], value, f"{label} against the rest")


def test_json(case):
    _, ev, values = case
    (model,) = json.loads(ev.to_json())["models"]
    for name, value in values.items():
        read = model["values"][name]
        for part in ("value", "low", "high"):
            told = read[part]
            number = getattr(value, part)
            assert told is None or float(told) == number, name
            assert (told is None) == bool(np.isnan(number)), name
        assert read["method"] == value.method
        assert read["se"] == value.se


def test_every_mapping_of_metrics_is_indexed_by_alias():
    rng = np.random.default_rng(3)
    y = np.arange(N) % 2
    models = {name: np.clip(rng.normal(y, 1) / 4 + 0.4, 0, 1) for name in ("a", "b")}
    groups = {"subgroup": {"at": np.arange(N) % 3}, "fold": np.arange(N) % 4}
    ev = tm.evaluate(y, y_score=models, cluster=np.arange(N) // 6, **groups)
    one, compared = ev.model("a"), ev.compare()
    mappings = {
        "values": ev.values()["a"],
        "pair": compared.pair("a", "b").differences,
        "reversed pair": compared.pair("b", "a").differences,
        "subgroup": one.by("at")[0],
        "subgroups": one.by("at").values()[1],
        "class": ev.per_class()["a"][1],
        "folds": ev.folds(["recall"]).values["a"],
        "design effects": ev.design_effects()["a"].effects,
        "pickle": pickle.loads(pickle.dumps(compared)).pair("a", "b").differences,
    }
    for route, mapping in mappings.items():
        assert mapping["recall"] is mapping.get("TPR"), route
        assert str(mapping["recall"]) == str(dict(mapping)["sensitivity"]), route
        assert "True positive rate" in mapping, route
        assert "no such metric" not in mapping, route
        assert mapping.get("no such metric", 7) == 7, route
        assert "recall" not in list(mapping), route
        with pytest.raises(tm.InputError, match=r"^there is no metric 'recal'; did you mean 'reca"):
            mapping["recal"]
    with pytest.raises(tm.InputError, match=r"^there is no roc_auc here; there are 'sensitivity'$"):
        mappings["folds"]["auc"]
