from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.infer import cautions
from tallymark.reading.checks import MOST_CELLS
from tallymark.reading.chunks import FrameTable
from tallymark.reading.models import NOT_CHECKED

N = 600


def noticed(ev):
    return {n.rule: n.text for n in cautions.noticed(counted_of(ev))}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    return pd.DataFrame({"label": y, "score": 1 / (1 + np.exp(-rng.normal(2 * (y - 0.5))))})


def routes(frame, tmp_path):
    csv, parquet = tmp_path / "f.csv", tmp_path / "f.parquet"
    frame.to_csv(csv, index=False)
    frame.to_parquet(parquet)
    return {"frame": frame, "lazy": pl.from_pandas(frame).lazy(), "csv": csv, "parquet": parquet}


# -- what the tally tells ------------------------------------------------------------------------


def test_nothing_is_said_of_an_ordinary_file(frame, tmp_path):
    for data in routes(frame, tmp_path).values():
        ev = tm.evaluate(data)
        assert noticed(ev) == {}
        assert ev.source.checks["perfect"] == ev.source.checks["repeated_scores"] == {}


@pytest.mark.parametrize("route", ["frame", "csv", "arrays", "counts", "lazy", "parts"])
def test_rows_that_occur_three_times_are_told_by_every_route(frame, route, tmp_path):
    data = pd.concat([frame.iloc[:200]] * 3)
    if route == "arrays":
        ev = tm.evaluate(data["label"].to_numpy(), y_score=data["score"].to_numpy())
    elif route == "parts":
        tallier = tm.Tallier()
        for k in range(0, N, 150):
            part = data.iloc[k : k + 150]
            tallier.update(part["label"].to_numpy(), y_score=part["score"].to_numpy())
        ev = tallier.result()
    else:
        counts = data.groupby(["label", "score"]).size().reset_index(name="n")
        data.to_csv(tmp_path / "f.csv", index=False)
        lazy = pl.from_pandas(data).lazy()
        ev = tm.evaluate(
            {"frame": data, "csv": tmp_path / "f.csv", "counts": counts, "lazy": lazy}[route],
            count="n" if route == "counts" else None,
        )
    ((model, times),) = ev.source.checks["repeated_scores"].items()
    assert times == {"0": 3, "1": 3}
    assert noticed(ev) == {
        "repeated-scores": f"{model}: every distinct score occurs 3 times, or a multiple: possible "
        "duplicated rows, as in an upsampled test set, which make intervals up "
        "to 1.7 times too narrow. Use every row once"
    }


def test_an_upsampled_class_is_told(frame):
    positive = frame[frame["label"] == 1]
    ev = tm.evaluate(pd.concat([frame, *[positive] * 3]))
    assert ev.source.checks["repeated_scores"] == {"score": {"1": 4}}
    assert "occurs 4 times among rows of 1, or a multiple" in noticed(ev)["repeated-scores"]


def test_repeated_scores_say_nothing_where_clusters_are_named(frame):
    twice = pd.concat([frame, frame]).assign(person=np.tile(np.arange(N), 2))
    assert "repeated-scores" not in noticed(tm.evaluate(twice, cluster="person"))


@pytest.mark.parametrize("levels", [2, 5, 30, 101])
def test_discrete_scores_are_no_duplicates(levels):
    rng = np.random.default_rng(levels)
    for rows in (100, 1_000, 20_000):
        for _ in range(40):
            y = rng.integers(0, 2, rows)
            score = np.clip(np.rint(levels * rng.beta(2 + 3 * y, 5 - 3 * y)), 0, levels)
            ev = tm.evaluate(y, y_score=score)
            assert ev.source.checks["repeated_scores"] == {}


def test_ties_of_boosted_trees_are_no_duplicates():
    rng = np.random.default_rng(1)
    for _ in range(15):
        x = rng.integers(0, 4, (1_000, 4))
        margin = (rng.normal(size=(4, 4))[np.arange(4), x]).sum(1)  # 256 leaves, ties at random
        y = (rng.random(1_000) < 1 / (1 + np.exp(-margin))).astype(int)
        data = pd.DataFrame(x, columns=list("abcd")).assign(label=y, score=margin)
        assert noticed(tm.evaluate(data)) == {}


def test_a_score_that_separates_the_classes_is_told():
    y = np.repeat([0, 1], [40, 30])
    score = np.concatenate([np.linspace(0, 0.4, 40), np.linspace(0.6, 1, 30)])
    ev = tm.evaluate(y, y_score=score)
    assert ev.source.checks["perfect"] == {"model": {"rows": {"0": 40, "1": 30}, "cut": 0.6}}
    assert noticed(ev) == {
        "leak": "model separates all 40 rows of 0 and 30 rows of 1 at 0.6 (ROC area exactly 1): a "
        "possible leak or duplicated rows. Check that no feature holds the label, and that the "
        "model was trained on other rows"
    }
    assert noticed(tm.evaluate(y[1:-1], y_score=score[1:-1])) == {}  # 29 positives: may be luck
    tied = np.append(score[:-1], 0.4)
    assert noticed(tm.evaluate(y, y_score=tied)) == {}
    assert noticed(tm.evaluate(y, y_score=-score)).keys() == set()  # reversed, which is told


@pytest.mark.parametrize("part", [1_000, 200_000])
def test_the_only_cut_is_found_in_long_tallies(part):
    y = np.repeat([0, 1], part)
    score = np.arange(2 * part) / (2 * part)
    found = tm.evaluate(y, y_score=score).source.checks["perfect"]["model"]
    assert found["cut"] == score[part]
    for i, j in ((0, -1), (part - 1, part)):
        swapped = score.copy()
        swapped[[i, j]] = swapped[[j, i]]
        assert tm.evaluate(y, y_score=swapped).source.checks["perfect"] == {}


@pytest.mark.parametrize("as_score", [True, False])
def test_a_copy_of_the_label_is_told(as_score):
    y = np.repeat([0, 1], 50)
    ev = tm.evaluate(y, y_score=y.astype(float)) if as_score else tm.evaluate(y, y)
    assert noticed(ev)["leak"].endswith(
        " equals the true class in all 50 rows of 0 and 50 rows of 1: a possible leak. Check that "
        "it is not a copy of the label, and that the model was trained on other rows"
    )


def test_several_classes_and_models():
    y = np.repeat(["a", "b", "c"], 40)
    wrong = y.copy()
    wrong[0] = "b"
    ev = tm.evaluate(y, {"right": y, "nearly": wrong})
    assert list(ev.source.checks["perfect"]) == ["right"]
    assert [n.model for n in cautions.noticed(counted_of(ev)) if n.rule == "leak"] == ["right"]
    assert "leak" not in noticed(ev.model("nearly"))


def test_what_bins_hide_is_not_checked():
    rng = np.random.default_rng(0)
    tallier = tm.Tallier(bins=1024)
    tallier.update(rng.integers(0, 2, 60_000), y_score=rng.random(60_000))
    ev = tallier.result()
    assert ev.source.checks == {"perfect": {}, "repeated_scores": NOT_CHECKED}
    assert noticed(ev) == {}


# -- what columns without a part tell ------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["patient_id", "Patient", "KundenNr", "userId", "id", "SUBJECT NO"]
)
def test_repeated_ids_are_told_with_the_remedy_that_works(frame, name, tmp_path):
    data = frame.assign(**{name: np.arange(N) // 3})
    for route, table in routes(data, tmp_path).items():
        ev = tm.evaluate(table)
        sizes = {"rows": N, "values": 200, "fewest": 3, "most": 3}
        assert ev.source.checks["repeated_ids"] == {name: sizes}, route
        assert noticed(ev) == {
            "repeated-ids": f"3.0 rows per `{name}` on average (max 3); intervals assume independent "
            f"rows. Use cluster={name!r}"
        }
    assert noticed(tm.evaluate(data, cluster=name)) == {}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("patient_id", np.arange(N)),  # all differ
        ("user_age", np.arange(N) // 3),
        ("customer_segment", np.arange(N) % 4),
        ("site", np.arange(N) % 3),  # too few for clusters
        ("note", np.arange(N) // 3),
        ("fold_change", np.arange(N) % 5),
        ("fold", np.arange(N)),
        ("cv", np.minimum(np.arange(N), 3)),  # sizes differ
        ("weight_kg", np.full(N, 70)),
    ],
)
def test_other_columns_are_left_alone(frame, name, values, tmp_path):
    for table in routes(frame.assign(**{name: values}), tmp_path).values():
        assert noticed(tm.evaluate(table)) == {}


@pytest.mark.parametrize("name", ["fold", "cv_fold", "Fold ID"])
def test_folds_nobody_named_are_told(frame, name, tmp_path):
    data = frame.assign(**{name: np.arange(N) % 5 + 1})
    for table in routes(data, tmp_path).values():
        ev = tm.evaluate(table)
        assert noticed(ev) == {
            "unused-folds": f"`{name}` looks like the 5 folds of a cross-validation and is not used;"
            f" fold={name!r} judges each"
        }
    assert noticed(tm.evaluate(data, fold=name)) == {}


@pytest.mark.parametrize(("name", "values"), [("split", "train test"), ("Set", "Training HOLDOUT")])
def test_rows_of_training_are_told(frame, name, values, tmp_path):
    data = frame.assign(**{name: np.repeat(values.split(), [N - 40, 40])})
    for table in routes(data, tmp_path).values():
        ev = tm.evaluate(table)
        assert ev.source.checks["training_rows"] == {name: N - 40}
        assert noticed(ev) == {
            "training-rows": f"`{name}` marks {N - 40} of {N} rows as training rows, where a "
            "model looks better than on new ones. Leave them out, or judge each part with "
            f"subgroup={name!r}"
        }
    parts = tm.evaluate(data, subgroup=name)
    assert noticed(parts) == {}
    assert parts.by(name).values(["accuracy"]).keys() == {*values.split()}


def test_a_column_without_rows_of_training_is_none(frame):
    for values in ("test holdout", "test test"):
        assert noticed(tm.evaluate(frame.assign(split=np.repeat(values.split(), N // 2)))) == {}


def test_weights_nobody_named_are_told(frame):
    data = frame.assign(weights=np.linspace(1, 2, N), size=3)
    ev = tm.evaluate(data)
    assert ev.source.checks["unused_weights"] == ["weights"]
    assert noticed(ev) == {
        "unused-weights": "`weights` is not used; if it holds sampling weights, say "
        "weight='weights'"
    }
    assert noticed(tm.evaluate(data, weight="weights")) == {}


@pytest.mark.parametrize(
    ("key", "copies"), [("id", 1), ("id", 60), ("age_in_days", 60), ("comment", 60)]
)
def test_copies_of_whole_rows_are_told(frame, key, copies, tmp_path):
    values = [f"text {i}" for i in range(N)] if key == "comment" else np.arange(N) * 7 + 0.25
    data = frame.assign(**{key: values, "region": np.arange(N) % 4})
    data = pd.concat([data, data.iloc[:copies]])
    for route, table in routes(data, tmp_path).items():
        ev = tm.evaluate(table)
        found = {"copies": copies, "rows": N + copies, "key": key}
        assert ev.source.checks["duplicates"] == found, route
        many = "row is a copy" if copies == 1 else "rows are copies"
        assert noticed(ev) == {
            "duplicate-rows": f"{copies} of {N + copies} {many}"
            f" of another one in every column, including `{key}`; intervals treat them as "
            "independent. Remove them"
        }


def test_scores_that_all_differ_tell_that_no_row_is_a_copy(frame, monkeypatch):
    asked = []
    groups = FrameTable.groups
    monkeypatch.setattr(FrameTable, "groups", lambda t, c: asked.append(c) or groups(t, c))
    assert tm.evaluate(frame.assign(x=1)).source.checks["duplicates"] == {}
    tied = frame.assign(score=frame["score"].round(2))
    assert tm.evaluate(tied.assign(id=range(N))).source.checks["duplicates"] == {}
    assert asked == [["id"]]  # no look at whole rows


def test_copies_of_a_persons_rows_are_told_where_scores_hardly_repeat(frame):
    data = frame.assign(patient_id=np.arange(N) // 3)
    copied = pd.concat([data, data.iloc[:20]])
    checks = tm.evaluate(copied).source.checks
    assert checks["duplicates"] == {"copies": 20, "rows": 620, "key": "patient_id"}
    assert list(checks["repeated_ids"]) == ["patient_id"]
    assert list(noticed(tm.evaluate(copied))) == ["duplicate-rows", "repeated-ids"]
    coarse = copied.assign(score=copied["score"].round(1))
    assert tm.evaluate(coarse).source.checks["duplicates"] == {}


def test_rows_alike_by_chance_are_no_copies(frame):
    rounded = frame.assign(score=frame["score"].round(1), age=np.arange(N) % 40)
    assert rounded.duplicated().sum() > 20
    assert noticed(tm.evaluate(rounded)) == {}
    once = pd.concat([frame.assign(x=frame["score"].round(9))] * 1 + [frame.assign(x=0.5).iloc[:3]])
    assert noticed(tm.evaluate(once)) == {}


def test_the_bundled_example_is_unsuspicious():
    models = ["logistic", "forest", "bayes"]
    ev = tm.evaluate(
        tm.example("breast_cancer"), truth="diagnosis", positive="malignant", score=models
    )
    assert noticed(ev) == {}
    iris = ["p_setosa", "p_versicolor", "p_virginica"]
    assert noticed(tm.evaluate(tm.example("iris"), truth="species", score=iris)) == {}


@pytest.mark.slow
def test_large_tables_and_counts_are_not_checked(frame, monkeypatch):
    frame = frame.assign(score=frame["score"].round(2))
    zeros = pd.DataFrame(np.zeros((N, MOST_CELLS // N))).add_prefix("x")
    wide = pd.concat([frame.assign(id=np.arange(N) // 2), zeros], axis=1)
    checks = tm.evaluate(wide).source.checks
    assert checks["duplicates"] == NOT_CHECKED
    assert checks["repeated_ids"]["id"]["values"] == 300
    counts = frame.groupby(["label", "score"]).size().reset_index(name="n")
    assert tm.evaluate(counts).source.checks["repeated_ids"] == NOT_CHECKED
    objects = frame.assign(patient=[[1, 2]] * N)
    assert tm.evaluate(objects).source.checks["duplicates"] == NOT_CHECKED
    monkeypatch.setattr("tallymark.reading.checks.MOST_CELLS", N - 1)
    checks = tm.evaluate(frame.assign(weight=2)).source.checks
    assert {name for name, found in checks.items() if found == NOT_CHECKED} == {
        "duplicates", "repeated_ids", "training_rows", "unused_folds",
    }  # fmt: skip
    assert checks["unused_weights"] == ["weight"]


@pytest.mark.parametrize("name", ["^id$", "*", 0, ("a", "b"), "rows", "column 0"])
def test_columns_of_any_name_are_looked_at(frame, name):
    data = frame.iloc[:100].assign(score=0.5, id=range(100))
    data[name] = "x"
    tables = [data, pl.from_pandas(data), pl.from_pandas(data).lazy()]
    for table in tables if isinstance(name, str) else tables[:1]:
        checks = tm.evaluate(pd.concat([data, data]) if table is data else table).source.checks
        assert (checks["duplicates"] == {}) == (table is not data)


@pytest.mark.slow
def test_columns_of_any_type_are_looked_at(frame):
    data = frame.iloc[:100].assign(score=0.5)
    columns = {
        "categories": pd.Categorical(["a", "b"] * 50, categories=["a", "b", "never"]),
        "periods": pd.period_range("2020", periods=100, freq="D"),
        "times": pd.date_range("2020", periods=100, tz="UTC"),
        "mixed": [1, "a"] * 50, "nothing": [None] * 100, "lists": [[1]] * 100,
        "complex": np.arange(100) * 1j, "integers": pd.array([1, None] * 50, dtype="Int64"),
    }  # fmt: skip
    for values in columns.values():
        for name in ("patient", "fold", "other"):
            assert tm.evaluate(data.assign(**{name: values})).rows == 100


def test_missing_ids_do_not_count(frame, tmp_path):
    ids = (np.arange(N) // 3).astype(float)
    ids[:90] = np.nan
    for table in routes(frame.assign(id=ids), tmp_path).values():
        sizes = tm.evaluate(table).source.checks["repeated_ids"]["id"]
        assert (sizes["rows"], sizes["values"]) == (510, 170)


@pytest.mark.slow
def test_terminal_page_and_json_say_it(frame, tmp_path):
    path, page = tmp_path / "f.csv", tmp_path / "p.html"
    frame.iloc[:200].assign(patient=np.arange(200) // 4).to_csv(path, index=False)
    data = tmp_path / "p.json"
    shown = CliRunner().invoke(main, ["report", str(path), "-o", str(page), "--json", str(data)])
    told = "4.0 rows per `patient` on average (max 4); intervals assume independent rows. Use"
    assert f"{told} --cluster patient" in " ".join(shown.output.split())
    assert told in page.read_text(encoding="utf-8")
    source = json.loads(data.read_text(encoding="utf-8"))["source"]
    assert source["checks"]["repeated_ids"]["patient"]["most"] == 4


def test_a_copied_test_set_has_intervals_as_much_too_narrow_as_said(frame):
    widths = [
        v.high - v.low for v in (tm.evaluate(pd.concat([frame] * k))["roc_auc"] for k in (1, 4))
    ]
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(4), rel=0.05)


# -- the least evidence ------------------------------------------------------------------------


def checks(**columns):
    return tm.evaluate(pd.DataFrame(columns)).source.checks


def test_thirty_rows_of_each_class_without_an_error_are_too_many_for_chance():
    for few, found in ((30, True), (29, False)):
        y = np.repeat([0, 1], [40, few])
        score = np.where(y, 0.6, 0.1) + np.resize([0, 0.1, 0.2], len(y))
        rows = {"0": 40, "1": few}
        perfect = checks(label=y, score=score)["perfect"]
        assert perfect == ({"score": {"rows": rows, "cut": pytest.approx(0.6)}} if found else {})
        assert checks(label=y, pred=y)["perfect"] == (
            {"pred": {"rows": rows, "cut": None}} if found else {}
        )
        decided = checks(label=y, score=y.astype(float))["perfect"]
        assert decided == ({"score": {"rows": rows, "cut": None}} if found else {})
    touching = np.where(np.arange(80) < 40, 0.25, 0.5)
    touching[0] = 0.5  # a negative of the lowest positive score
    assert checks(label=np.repeat([0, 1], 40), score=touching)["perfect"] == {}
    below = np.repeat([0.75, 0.25], 40)
    assert tm.evaluate(np.repeat([0, 1], 40), y_score=below).source.checks["perfect"] == {}


def test_thirty_distinct_scores_that_all_occur_a_multiple_of_times_are_repeated():
    y = np.repeat([0, 1], 200)
    spread = np.linspace(0.01, 0.99, 100)
    for distinct, found in ((30, {"1": 2}), (29, {})):
        of_1 = np.append(np.repeat(spread[:distinct], 2), np.repeat(0.995, 200 - 2 * distinct))
        of_0 = np.random.default_rng(1).random(200)
        times = tm.evaluate(y, y_score=np.append(of_0, of_1)).source.checks["repeated_scores"]
        assert times == {}  # most rows have one score: a tie, not copies
        of_1 = np.repeat(spread[:distinct], 2)
        rows = np.append(of_0, of_1)
        times = tm.evaluate(np.append(np.zeros(200, int), np.ones(len(of_1), int)), y_score=rows)
        assert times.source.checks["repeated_scores"] == ({"model": found} if found else {})
    half = np.append(np.repeat(spread[:40], 3), np.repeat(spread[40:60], 6))
    times = tm.evaluate(
        np.append(np.zeros(200, int), np.ones(len(half), int)), y_score=np.append(of_0, half)
    )
    assert times.source.checks["repeated_scores"] == {"model": {"1": 3}}  # half of the rows at 3


def test_columns_are_folds_or_ids_by_the_sizes_of_their_groups():
    rng = np.random.default_rng(2)
    y, score = np.arange(120) % 2, rng.random(120).round(6)

    def unused(**columns):
        found = checks(label=y, score=score, **columns)
        return found["unused_folds"], found["repeated_ids"]

    sizes = {"values": 5, "rows": 120, "fewest": 24, "most": 24}
    assert unused(fold=np.arange(120) % 5) == ({"fold": sizes}, {})
    assert unused(fold=np.zeros(120, int)) == ({}, {})
    assert list(unused(fold=np.arange(120) % 50)[0]) == ["fold"]
    assert unused(fold=np.arange(120) % 51)[0] == {}
    # The largest fold may have a quarter more rows than the smallest, and one.
    for most, found in ((67, True), (68, False)):
        uneven = np.repeat([1, 2], [most, 120 - most])
        assert bool(unused(fold=uneven)[0]) is found, most
    assert list(unused(patient=np.arange(120) % 10)[1]) == ["patient"]
    assert unused(patient=np.arange(120) % 9)[1] == {}
    for repeated, found in ((6, True), (5, False)):  # 120 rows of 114 or 115
        ids = np.append(np.arange(120 - repeated), np.arange(repeated))
        assert bool(unused(patient_id=ids)[1]) is found, repeated


def test_five_copies_of_whole_rows_are_no_chance_and_four_only_of_an_id():
    rng = np.random.default_rng(3)
    base = pd.DataFrame(
        {
            "label": np.arange(100) % 2,
            "score": rng.random(100).round(1),
            "x": rng.random(100),
            "who": "a",
        }
    )

    def copies(n, **columns):
        frame = pd.concat([base.assign(**columns), base.assign(**columns).iloc[:n]])
        return tm.evaluate(frame).source.checks["duplicates"]

    assert copies(5) == {"copies": 5, "rows": 105, "key": "x"}
    assert copies(4) == {}
    assert copies(0) == {}
    assert copies(4, patient=np.arange(100)) == {"copies": 4, "rows": 104, "key": "patient"}
    few = base.iloc[:29]
    assert tm.evaluate(pd.concat([few, few])).source.checks["duplicates"] == {}
    some = base.iloc[:30]
    found = tm.evaluate(pd.concat([some, some])).source.checks["duplicates"]
    assert found == {"copies": 30, "rows": 60, "key": "x"}
