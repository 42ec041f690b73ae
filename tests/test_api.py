"""Curves and choices as an evaluation gives them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from judged import counted_of
from tallymark.part import part_roles


@pytest.fixture(scope="module")
def ev():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    return tm.evaluate(y, y_score=np.round(np.clip(rng.normal(0.3 + 0.3 * y, 0.2), 0, 1), 2))


def test_curves_by_name_and_metrics_against_the_threshold(ev):
    assert ev.curve("det").y_metric == "false_negative_rate"
    assert ev.curve("TPR").y_metric == "sensitivity"
    assert len(ev.curve("deciles", parts=4)) == 4
    assert ev.curve("f_beta", beta=2).y.max() >= 0
    with pytest.raises(tm.InputError, match="roc_auc is not computed at a single threshold"):
        ev.curve("roc_auc")
    with pytest.raises(tm.InputError, match="there is no curve 'nothing'"):
        ev.curve("nothing")
    logits = tm.evaluate([0, 1, 0, 1], y_score=[-2.0, 1.0, 0.5, 3.0])
    with pytest.raises(
        tm.InputError, match="a decision curve needs probabilities, and model holds scores"
    ):
        logits.curve("decision")
    assert "decision" not in logits.curves()["model"]


def test_choices_are_those_of_the_scores(ev):
    found = ev._optimal_thresholds()["model"]
    assert found["highest F1"].threshold == ev.optimal_threshold("f1").threshold
    moved = ev.at(threshold=found["highest F1"].threshold)
    assert moved["f1"].value == pytest.approx(found["highest F1"].best.value)
    many = tm.evaluate(["a", "b", "c"], ["a", "b", "c"])
    assert many._optimal_thresholds() == {}
    with pytest.raises(tm.InputError, match="a threshold needs scores and two classes"):
        many.optimal_threshold("f1")
    with pytest.raises(tm.InputError, match="a table of passes needs scores and two classes"):
        many.passes()


def test_passes_turn_into_frames(ev):
    found = ev.passes()
    frame = found.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(found) == found.to_polars().height
    assert list(frame.columns)[:3] == ["pass", "threshold", "dropped_pos"]
    assert frame["TPR"].iloc[0] == 1
    assert [r["pass"] for r in found] == list(range(1, len(found) + 1))
    assert '<th scope="col">threshold</th>' in found._repr_html_()
    assert found.to_csv().splitlines()[0].startswith("pass,threshold,dropped_pos")
    assert len(found.to_dicts()) == len(found)
    assert found.to_csv().splitlines()[-1].split(",")[1] == "inf"


def test_metrics_of_many_classes_have_values_and_intervals():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 150)
    p = rng.dirichlet(np.ones(3), 150) + 0.3 * np.eye(3)[y]
    p /= p.sum(1, keepdims=True)
    ev = tm.evaluate(y, y_score=p)
    for name in ("hand_till_auc", "provost_domingos_auc", "top_k_accuracy", "spherical_score"):
        value = ev[name]
        assert value.value == pytest.approx(getattr(tm.metrics, name)(y, p)), name
        assert value.low < value.value < value.high, name
    assert ev["hand_till_auc"].method == "jackknife, Student's t"
    assert ev["top_k_accuracy"].method == "mean over rows, beta posterior"
    assert ev.value("top_k_accuracy", k=1).value == pytest.approx(ev["accuracy"].value)
    chosen = ev.value("f1", average="macro", classes=[0, 2])
    per_class = tm.metrics.f1(y, p.argmax(1), average="per_class")
    assert chosen.value == pytest.approx(per_class[[0, 2]].mean())
    assert chosen.definition["classes"] == [0, 2]
    scores = tm.evaluate(y, y_score=5 * p)
    assert "top_k_accuracy" in scores.values()["model"]
    assert "spherical_score" not in scores.values()["model"]
    with pytest.raises(
        tm.InputError, match="top_k_accuracy is for more than two classes, and there are two"
    ):
        tm.evaluate([0, 1, 1], y_score=[0.2, 0.3, 0.9])["top_k_accuracy"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"average": "binary", "classes": ["a"]},
            "classes needs an average over classes, and average=",
        ),
        ({"average": "macro", "classes": ["z"]}, "classes names the class 'z'"),
        (
            {"average": "macro", "classes": ["a", "a"]},
            r"classes is \['a', 'a'\]; name each class once",
        ),
        (
            {"average": "macro", "classes": []},
            r"classes is \[\]; name each class once, and at least one",
        ),
    ],
)
def test_classes_of_an_average_are_checked(options, told):
    with pytest.raises(tm.InputError, match=told):
        tm.metrics.recall(["a", "b", "c"], ["a", "b", "a"], positive="a", **options)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "per_class"])
def test_averages_over_chosen_classes(average):
    y, p = ["a", "b", "c", "a", "b", "b"], ["a", "b", "a", "c", "b", "a"]
    whole = tm.metrics.recall(y, p, average="per_class")
    rows = np.array([2, 3, 1])
    found = tm.metrics.recall(y, p, average=average, classes=["b", "c"])
    wanted = {
        "macro": whole[1:].mean(),
        "micro": (whole * rows)[1:].sum() / rows[1:].sum(),
        "weighted": (whole * rows)[1:].sum() / rows[1:].sum(),
        "per_class": whole[1:],
    }[average]
    assert found == pytest.approx(wanted)
    assert tm.metrics.recall(y, p, classes=["b", "c"]) == pytest.approx(whole[1:].mean())


# -- rows in clusters --------------------------------------------------------------------------


def visits(n=300, seed=0):
    rng = np.random.default_rng(seed)
    who = rng.integers(0, 40, n)
    y = rng.integers(0, 2, n)
    p = np.round(0.5 * y + 0.4 * rng.random(n) + 0.1 * (who % 2), 3)
    return pd.DataFrame({"label": y, "p": p, "patient": [f"p{w}" for w in who]})


@pytest.mark.slow
def test_arrays_frames_and_files_have_the_same_clusters(tmp_path):
    frame = visits()
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_json(tmp_path / "t.json", orient="records")
    frame.to_parquet(tmp_path / "t.parquet")
    arrays = tm.evaluate(frame["label"], y_score=frame["p"], cluster=frame["patient"])
    others = [tm.evaluate(frame, cluster="patient")]
    others += [tm.evaluate(tmp_path / f"t.{e}", cluster="patient") for e in
               ("csv", "json", "parquet")]  # fmt: skip
    for ev in others:
        assert ev.clusters == arrays.clusters == 40
        assert ev["f1"] == arrays["f1"]
        assert ev["roc_auc"] == arrays["roc_auc"]
        told = next(n.text for n in ev.notes if n.rule == "clusters")
        assert told.endswith("by patient: intervals treat clusters, not rows, as independent")


def test_a_file_read_in_chunks_keeps_its_clusters(tmp_path, monkeypatch):
    from tallymark.reading.files import FileTable

    frame = visits()
    frame.to_csv(tmp_path / "t.csv", index=False)
    whole = tm.evaluate(tmp_path / "t.csv", cluster="patient")
    monkeypatch.setattr(FileTable.chunks, "__defaults__", (64,))
    parts = tm.evaluate(tmp_path / "t.csv", cluster="patient")
    assert np.array_equal(counted_of(parts).joint.clusters, counted_of(whole).joint.clusters)
    assert parts["f1"] == whole["f1"]


def test_rows_without_a_cluster_are_refused_or_left_out():
    frame = visits()
    frame.loc[frame["patient"] == "p3", "patient"] = None
    gone = int(frame["patient"].isna().sum())
    with pytest.raises(tm.InputError, match=f"patient is missing in {gone} rows, first at row"):
        tm.evaluate(frame, cluster="patient")
    ev = tm.evaluate(frame, cluster="patient", missing="drop")
    assert (ev.dropped, ev.clusters) == (gone, 39)


def test_a_cluster_that_loses_all_its_rows_is_none():
    frame = visits()
    frame.loc[frame["patient"] == "p3", "p"] = np.nan
    ev = tm.evaluate(frame, cluster="patient", missing="drop")
    assert ev.clusters == 39
    assert sorted(np.unique(counted_of(ev).joint.clusters)) == list(range(39))


def test_lines_that_count_rows_are_rows_of_their_cluster():
    frame = pd.DataFrame({
        "label": [1, 1, 0, 0] * 3, "pred": [1, 0, 1, 0] * 3, "who": list("aaaabbbbcccc"),
        "n": [8, 2, 1, 9, 5, 5, 3, 7, 9, 1, 0, 10],
    })  # fmt: skip
    counted = tm.evaluate(frame, cluster="who", count="n")
    rows = frame.loc[frame.index.repeat(frame["n"])].drop(columns="n")
    assert counted.rows == 60
    assert counted["f1"] == tm.evaluate(rows, cluster="who")["f1"]


def test_clusters_are_given_as_the_data_are():
    frame = visits()
    with pytest.raises(tm.InputError, match=r"cluster does not go with a frame or file; give its "
                       r"columns by name \(truth=, score=, weight=, cluster="):  # fmt: skip
        tm.evaluate(frame, cluster=frame["patient"])
    with pytest.raises(tm.InputError, match="cluster does not go with arrays; give y_pred=, y_sc"):
        tm.evaluate(frame["label"], y_score=frame["p"], cluster="patient")
    with pytest.raises(tm.InputError, match="the lengths differ: .* cluster has 2 rows"):
        tm.evaluate(frame["label"], y_score=frame["p"], cluster=["a", "b"])


def test_counts_of_scores_tell_no_clusters():
    frame = pd.DataFrame({"score": [0.1, 0.9], "pos": [1, 5], "neg": [4, 2], "who": ["a", "b"]})
    with pytest.raises(tm.InputError, match="the data frame holds counts per score, which do "
                       "not keep their who; give one line per row"):  # fmt: skip
        tm.evaluate(frame, cluster="who")


def test_rows_too_many_to_keep_have_no_clusters(monkeypatch):
    frame = visits()
    monkeypatch.setattr("tallymark.reading.ingest.MOST_KEPT", 1000)
    assert tm.evaluate(frame).rows == 300
    told = "to keep them, as patient requires .at most 1e-06 GB of labels and sc"
    with pytest.raises(tm.InputError, match=told):
        tm.evaluate(frame, cluster="patient")


def test_counted_rows_too_many_to_keep_have_no_clusters(monkeypatch):
    frame = pd.DataFrame({"label": [1, 0], "pred": [1, 0], "who": ["a", "b"], "n": [900, 900]})
    monkeypatch.setattr("tallymark.reading.ingest.MOST_KEPT", 1000)
    assert tm.evaluate(frame.drop(columns="who"), count="n").rows == 1800
    with pytest.raises(tm.InputError, match="as who requires"):
        tm.evaluate(frame, cluster="who", count="n")


ROWS = pd.DataFrame({"y": [0, 1, 1, 0] * 5, "p": [0.1, 0.8, 0.6, 0.3] * 5, "r": ["a", "b"] * 10})


@pytest.mark.parametrize(("subgroup", "told"), [
    (ROWS["r"], "subgroup names columns of a frame or file; give names"),
    (ROWS[["r"]], "subgroup names columns of a frame or file; give names"),
    (pl.Series(["a"] * 20), "subgroup names columns of a frame or file; give names"),
    ({"r": ROWS["r"]}, "subgroup names columns of a frame or file; give names"),
    ([ROWS["r"]], "subgroup holds 0 a 1 b.*; name columns, such as"),
    (ROWS["r"].to_numpy(), "there is no column 'a' for subgroup; there are 'y', 'p', 'r'"),
    (5, "subgroup is 5; name columns"),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("columns", [{}, {"truth": "y", "score": "p"}], ids=["found", "named"])
def test_subgroups_of_a_frame_are_named(subgroup, told, columns):
    with pytest.raises(tm.InputError, match=told):
        tm.evaluate(ROWS, subgroup=subgroup, **columns)


def _objects(values):
    made = np.empty(len(values), object)
    made[:] = values
    return made


@pytest.mark.parametrize("held", [
    lambda v: [np.array(x) for x in v], lambda v: _objects([np.array(x) for x in v]),
    lambda v: np.array(v, object), lambda v: np.ma.array(v), lambda v: [np.float64(x) for x in v],
    lambda v: pd.Series([np.array(x) for x in v]),
], ids=["list of 0-d", "objects of 0-d", "objects", "masked", "numbers", "series of 0-d"])  # fmt: skip
def test_numbers_in_other_wrappings_are_the_same_numbers(held):
    y, p = ROWS["y"].tolist(), ROWS["p"].tolist()
    plain = tm.evaluate(y, y_score=p).models[0]
    wrapped = tm.evaluate(held(y), y_score=held(p)).models[0]
    assert wrapped.scores == plain.scores
    assert tm.evaluate(held(y), held(y)).models[0].labels == tm.evaluate(y, y).models[0].labels
    frame = tm.evaluate(pd.DataFrame({"y": held(y), "p": held(p)}), truth="y", score="p")
    assert frame.models[0].scores == plain.scores
    half = [np.float16(x) for x in p]
    assert tm.evaluate(y, y_score=half).models[0].scores == tm.evaluate(y, y_score=np.array(half)).models[0].scores  # fmt: skip


@pytest.mark.parametrize("word", ["y_true", "y_score"])
def test_what_is_masked_is_missing(word):
    columns = {"y_true": ROWS["y"].tolist(), "y_score": ROWS["p"].tolist()}
    for masked in (
        np.ma.array(columns[word], mask=[1] + [0] * 19),
        [np.ma.masked, *columns[word][1:]],
    ):
        y, p = (columns | {word: masked}).values()
        with pytest.raises(tm.InputError, match=f"{word} is missing in 1 row, first at index 0"):
            tm.evaluate(y, y_score=p)
        assert tm.evaluate(y, y_score=p, missing="drop").rows == 19


# -- what does not go together, said in whole ----------------------------------------------------

ARRAYS = {"y_true": [0, 1, 1, 0] * 6, "y_score": [0.1, 0.9, 0.4, 0.3] * 6}
OF_COLUMNS = pd.DataFrame(
    {"label": ARRAYS["y_true"], "score": ARRAYS["y_score"], "at": list("ab") * 12}
)
TALLY = tm.ScoreTally.from_arrays(ARRAYS["y_true"], ARRAYS["y_score"], positive=1)
OF_ROWS = [f"{name}=" for name in ("weight", "cluster", *part_roles())]
BY_NAME = f"give its columns by name (truth=, score=, {', '.join(OF_ROWS)})"
AS_ARRAYS = f"give y_pred=, y_score=, {', '.join(OF_ROWS[:-1])} and {OF_ROWS[-1]} as arrays"

REFUSED = [
    ((), {"y_true": [0, 1], "y_pred": [0, 1]},
     "y_true is the first argument, without a name; say evaluate(y_true, y_pred=...)"),
    ((), {"y_true": [0, 1], "y_proba": [0, 1]},
     "y_true is the first argument, without a name; say evaluate(y_true, y_score=...)"),
    ((OF_COLUMNS,), {"y_true": "label", "y_score": "score"},
     "y_true is 'label', the name of a column; say truth='label', score='score'"),
    ((OF_COLUMNS, "label", "score"), {},
     "'label' is the name of a column; name the columns of a frame with truth= and score= or pred=, such as "
     "truth='y', score='p'"),
    ((ARRAYS["y_true"],), {"y_proba": ARRAYS["y_score"]}, "there is no argument y_proba; use y_score="),
    ((ARRAYS["y_true"],), {"y_prob": ARRAYS["y_score"]}, "there is no argument y_prob; use y_score="),
    ((ARRAYS["y_true"],), {"y_score": ARRAYS["y_score"], "pos_label": 1}, "there is no argument pos_label; use positive="),
    ((ARRAYS["y_true"], [0, 1] * 12), {"costs": (1, 5)},
     "there is no argument costs; use .at(cost_fp=..., cost_fn=...) of the result"),
    ((ARRAYS["y_true"], [0, 1] * 12), {"prevalence": 0.1},
     "there is no argument prevalence; use .at(prevalence=...) of the result"),
    ((ARRAYS["y_true"], [ARRAYS["y_score"]] * 2), {},
     "y_score has 2 rows of 24 numbers; for two models give {'first': a, 'second': b}"),
    ((ARRAYS["y_true"],), {"y_score": np.array([ARRAYS["y_score"]] * 2)},
     "y_score has 2 rows of 24 numbers; for two models give {'first': a, 'second': b}"),
    ((ARRAYS["y_true"],), {"y_score": np.array([ARRAYS["y_score"]] * 3)},
     "y_score has 3 rows of 24 numbers; for several models give {'first': a, 'second': b, ...}, for one column per "
     "class its transpose"),
    ((ARRAYS["y_true"],), {"y_score": np.array([ARRAYS["y_score"][:9]] * 3)},
     "the lengths differ: y_true has 24, y_score[:, 0] has 3, y_score[:, 1] has 3, y_score[:, 2] has 3, y_score[:, 3] "
     "has 3, y_score[:, 4] has 3, y_score[:, 5] has 3, y_score[:, 6] has 3 and 2 more; give every array the "
     "same rows"),
    ((ARRAYS["y_true"],), {"y_score": ARRAYS["y_score"], "weight": "w"}, f"weight does not go with arrays; {AS_ARRAYS}"),
    ((ARRAYS["y_true"],), {"y_score": ARRAYS["y_score"], "truth": "t"}, f"truth does not go with arrays; {AS_ARRAYS}"),
    ((ARRAYS["y_true"],), {"y_score": ARRAYS["y_score"], "count": "n"}, f"count does not go with arrays; {AS_ARRAYS}"),
    ((ARRAYS["y_true"],), {"y_score": ARRAYS["y_score"], "options": {"header": False}},
     "header does not go with arrays; give the path of a file"),
    ((ARRAYS["y_true"],), {"y_score": ARRAYS["y_score"], "options": {"memory": "1GB"}},
     "memory does not go with arrays, which are in memory and keep every score; give files"),
    ((OF_COLUMNS,), {"weight": [1.0] * 24}, f"weight does not go with a frame or file; {BY_NAME}"),
    ((OF_COLUMNS,), {"cluster": [1] * 24}, f"cluster does not go with a frame or file; {BY_NAME}"),
    ((TALLY,), {"y_pred": [1]}, "y_pred does not go with counts, whose rows are not known; give the rows themselves"),
    ((TALLY,), {"weight": "w"}, "weight does not go with counts, whose rows are not known; give the rows themselves"),
    ((TALLY,), {"subgroup": "at"}, "subgroup does not go with counts, whose rows are not known; give the rows themselves"),
    ((TALLY,), {"options": {"sheet": "a"}},
     "sheet does not go with counts, whose rows are not known; give the rows themselves"),
    ((TALLY,), {"reading": {"percent": True}},
     "percent does not go with counts, whose rows are not known; give the rows themselves"),
    ((OF_COLUMNS,), {"subgroup": 3}, "subgroup is 3; name columns, such as subgroup=['region']"),
    ((OF_COLUMNS,), {"subgroup": [0.5]}, "subgroup holds 0.5; name columns, such as subgroup=['region']"),
    ((OF_COLUMNS,), {"subgroup": OF_COLUMNS[["at"]]},
     "subgroup names columns of a frame or file; give names, such as subgroup=['region']"),
]  # fmt: skip


def test_what_does_not_go_together_is_said_in_whole():
    for args, options, message in REFUSED:
        with pytest.raises(tm.InputError) as refused:
            tm.evaluate(*args, **options)
        assert str(refused.value) == message, options


def test_options_and_counts_that_go_together_reach_the_evaluation():
    named = tm.evaluate(ARRAYS["y_true"], y_score=ARRAYS["y_score"], options={"name": "mine"})
    assert named.source.name == "mine"
    assert tm.evaluate(ARRAYS["y_true"], y_score=ARRAYS["y_score"]).source.name == "arrays"
    assert tm.evaluate(OF_COLUMNS, options={"name": "frame of mine"}).source.name == "frame of mine"
    of_tally = tm.evaluate(TALLY, level=0.8, seed=4, threshold=0.35, options={"name": "counts"})
    assert (of_tally.source.name, of_tally.level, of_tally.seed) == ("counts", 0.8, 4)
    assert of_tally["sensitivity"].value == 1
    assert tm.evaluate(TALLY).source.name == "tally"
    other = tm.evaluate(ARRAYS["y_true"], y_score=ARRAYS["y_score"], positive=0, threshold=0.35)
    assert (other.positive, other.models[0].threshold) == (0, 0.35)
    columns = {"label": ARRAYS["y_true"], "score": ARRAYS["y_score"]}
    assert tm.evaluate(columns)["roc_auc"] == tm.evaluate(OF_COLUMNS)["roc_auc"]


def test_a_saved_evaluation_takes_the_level_seed_and_name_that_are_given(tmp_path):
    path = tmp_path / "saved.json"
    tm.evaluate(OF_COLUMNS, level=0.8, seed=5, subgroup="at").to_json(path)
    kept = tm.evaluate(path)
    assert (kept.level, kept.seed) == (0.8, 5)
    given = tm.evaluate(path, level=0.9, seed=7, threshold=0.35, options={"name": "again"})
    assert (given.level, given.seed, given.source.name) == (0.9, 7, "again")
    assert given["sensitivity"].value == 1
    assert tm.evaluate(path, subgroup="at", truth="label", positive=1).rows == 24
    for options, name in (
        ({"truth": "other"}, "truth"),
        ({"weight": "w"}, "weight"),
        ({"positive": 0}, "positive"),
    ):
        with pytest.raises(tm.InputError) as refused:
            tm.evaluate(path, **options)
        assert str(refused.value) == (
            f"{name} says how rows are read, and {str(path)!r} holds rows that are counted; leave "
            f"{name}= out, or give the rows"
        )


def test_sites_are_named_by_their_files_or_their_paths(tmp_path):
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "site.json")
        tm.evaluate(OF_COLUMNS, level=0.8 if folder == "a" else 0.9, threshold=0.5).to_json(
            paths[-1]
        )
    both = tm.read(paths)
    assert both.rows == 48
    assert set(both.by("site").rows) == {str(p) for p in paths}
    (note,) = (n.text for n in both.notes if n.rule == "other-levels" or "0.9" in n.text)
    assert f"0.8 in {str(paths[0])!r}, 0.9 in {str(paths[1])!r}" in note
    assert both.level == 0.8
    for files, message in (
        ([], "path names no file; give each site's file once"),
        ([paths[0], paths[0]], "path names a file twice; give each site's file once"),
    ):
        with pytest.raises(tm.InputError) as refused:
            tm.read(files)
        assert str(refused.value) == message
    moved = tmp_path / "moved.json"
    tm.evaluate(OF_COLUMNS, threshold=0.5).at(prevalence=0.1).to_json(moved)
    with pytest.raises(tm.InputError) as refused:
        tm.read([paths[0], moved])
    assert str(refused.value) == (
        "'moved' holds rows with several labels, or at another class balance, which cannot be added "
        "up; read it alone"
    )
