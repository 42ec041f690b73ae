"""Batches counted as they come give what all rows at once give."""

from __future__ import annotations

import copy
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from judged import counted_of
from stream_parts import count_part
from tallymark import tallier
from tallymark.tally.bins import Bins

POOLS = ([0, 1], [False, True], [-1, 1], ["no", "yes"], [0, 1, 2], ["a", "b", "c"])


def told(ev: tm.Evaluation) -> dict:
    """Everything an evaluation says, but for where the rows came from."""
    (model,) = ev.models
    return {
        "classes": ev.classes, "positive": ev.positive, "rows": ev.rows, "dropped": ev.dropped,
        "labels": model.labels.to_dict(), "scores": [t.to_dict() for t in model.scores],
        "rule": model.rule, "threshold": model.threshold, "probabilities": model.probabilities,
        "weighted": ev.weighted,
        # Whether a threshold gives the predicted classes is told by all rows, not by batches.
        "notes": [n.text for n in counted_of(ev).notes if n.rule != "no-cut"],
    }  # fmt: skip


@st.composite
def streams(draw):
    """Rows, options, and where the batches are cut."""
    pool = draw(st.sampled_from(POOLS))
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    true = [pool[i] for i in rng.integers(0, len(pool), n)]
    arrays = {"y_true": true}
    kind = draw(st.sampled_from(["predictions", "scores", "both", "columns"]))
    if kind in ("predictions", "both"):
        arrays["y_pred"] = [pool[i] for i in rng.integers(0, len(pool), n)]
    if kind != "predictions":
        shape = (n, len(pool)) if len(pool) > 2 or kind == "columns" else (n,)
        scores = rng.integers(0, 5, shape) / 4
        if len(shape) == 2 and draw(st.booleans()):
            scores = rng.dirichlet(np.ones(len(pool)), n)
        arrays["y_score"] = scores * draw(st.sampled_from([1, 1, 3])) + 0.0
    if draw(st.booleans()):
        arrays["sample_weight"] = rng.integers(0, 4, n) + 1.0
    options = {}
    if isinstance(pool[0], str) and len(pool) == 2:
        options["positive"] = pool[draw(st.integers(0, 1))]
    if kind == "columns" or len(pool) > 2 or draw(st.booleans()):
        options["classes"] = pool
    if draw(st.booleans()):
        options["threshold"] = 0.5
    if draw(st.booleans()):
        options["missing"] = "drop"
        if "y_score" in arrays:
            arrays["y_score"] = np.where(
                rng.random(arrays["y_score"].shape) < 0.1, np.nan, arrays["y_score"]
            )
        arrays["y_true"] = [None if rng.random() < 0.1 else v for v in true]
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=4)))
    return arrays, options, [0, *cuts, n]


def batches(arrays, cuts):
    for start, end in itertools.pairwise(cuts):
        yield {name: values[start:end] for name, values in arrays.items()}


def outcome(make):
    try:
        return told(make())
    except tm.InputError:
        return None


def unscaled(arrays):
    """Tell whether several columns of scores are no probabilities, in rows that are complete."""
    scores = np.asarray(arrays.get("y_score", 0.0))
    if scores.ndim < 2:
        return False
    scores = scores[[v is not None for v in arrays["y_true"]]]
    scores = scores[~np.isnan(scores).any(1)]
    sums = scores.shape[1] == 2 and (abs(scores.sum(1) - 1) > 0.01).any()
    return bool(sums or (scores > 1 + 1e-6).any())


@given(streams())
@pytest.mark.slow
def test_batches_give_what_all_rows_give(stream):
    arrays, options, cuts = stream
    whole = outcome(lambda: tm.evaluate(arrays["y_true"], **{
        "weight" if k == "sample_weight" else k: v for k, v in arrays.items() if k != "y_true"
    }, **options))  # fmt: skip

    def one_by_one() -> tm.Evaluation:
        tally = tm.Tallier(**options)
        for batch in batches(arrays, cuts):
            tally.update(**batch)
        return tally.result()

    def apart() -> tm.Evaluation:
        parts = []
        for batch in batches(arrays, cuts):
            parts.append(tm.Tallier(**options))
            parts[-1].update(**batch)
            parts[-1] = tm.Tallier.from_dict(json.loads(json.dumps(parts[-1].to_dict())))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total.result()

    if unscaled(arrays):  # logits or not: only all rows tell
        whole = None
    assert outcome(one_by_one) == whole
    assert outcome(apart) == whole


def test_numbers_and_intervals_are_those_of_all_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    s = np.round(np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1), 3)
    tally = tm.Tallier(threshold=0.45)
    for part in np.array_split(np.arange(3000), 17):
        tally.update(y[part], y_score=s[part])
    ev, whole = tally.result(), tm.evaluate(y, y_score=s, threshold=0.45)
    for name in ("roc_auc", "mcc", "log_loss", "average_precision", "brier"):
        assert str(ev[name]) == str(whole[name]), name
        assert tally.value(name) == whole[name].value
    assert tally.value("f_beta", beta=2) == whole.value("f_beta", beta=2).value
    assert (tally.rows, tally.batches) == (3000, 17)
    assert repr(tally) == "<Tallier of 3,000 rows in 17 batches>"


def test_losses_of_many_classes_are_those_of_all_rows():
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 3, 900), rng.dirichlet(np.ones(3), 900)
    tally = tm.Tallier()
    for part in np.array_split(np.arange(900), 7):
        tally.update(y[part], y_score=p[part])
    ev, whole = tally.result(), tm.evaluate(y, y_score=p)
    for name in ("log_loss", "brier_multiclass", "top_2_accuracy", "hand_till_auc"):
        if name not in dir(tm.metrics):
            continue
        assert ev[name].value == pytest.approx(whole[name].value, rel=1e-12)
        assert ev[name].low == pytest.approx(whole[name].low, rel=1e-9)
        assert tally.value(name) == ev[name].value
    assert tally.value("accuracy") == whole["accuracy"].value
    assert tally.value("roc_auc", average="macro") == pytest.approx(
        whole.value("roc_auc", average="macro").value
    )


def test_many_small_batches_are_merged_as_few():
    rng = np.random.default_rng(2)
    y, s = rng.integers(0, 2, 6000), rng.random(6000)
    tally = tm.Tallier()
    least, tallier = 500, sys.modules["tallymark.tallier"]
    kept, tallier.MOST_WAITING = tallier.MOST_WAITING, least
    try:
        for i in range(0, 6000, 10):
            tally.update(y[i : i + 10], y_score=s[i : i + 10])
            counted = tally._state.counted and tally._state.counted.models[0].scores[0].scores
            assert tally._waiting.rows < max(least, 0 if counted is None else len(counted))
    finally:
        tallier.MOST_WAITING = kept
    assert told(tally.result()) == told(tm.evaluate(y, y_score=s))


def test_the_callers_arrays_may_be_used_again():
    y, s = np.array([0, 1]), np.array([0.2, 0.9])
    tally = tm.Tallier()
    tally.update(y, y_score=s)
    y[:], s[:] = 0, 0.0
    assert tally.value("roc_auc") == 1.0


@pytest.mark.parametrize(("first", "second", "classes", "positive"), [
    ([1, 1], [-1, 1], (-1, 1), 1),
    ([0, 0], [0, 1], (0, 1), 1),
    ([1], [0, 0], (0, 1), 1),
    ([0], [0], (0, 1), 1),
    ([True], [False], (False, True), True),
])  # fmt: skip
def test_the_classes_are_settled_late(first, second, classes, positive):
    tally = tm.Tallier()
    for y in (first, second):
        tally.update(y, y_score=[0.3] * len(y))
        tally.result()
    ev = tally.result()
    assert (ev.classes, ev.positive) == (classes, positive)


def test_classes_grow_with_predictions():
    tally = tm.Tallier()
    tally.update(["b", "b"], ["b", "b"])
    with pytest.raises(tm.InputError, match="which class is positive"):
        tally.result()
    tally.update(["a", "c"], ["a", "b"])
    assert tally.result().classes == ("a", "b", "c")
    assert tally.value("accuracy") == 0.75


def test_columns_stand_for_integers_from_0_where_nothing_else_is_said():
    tally = tm.Tallier()
    tally.update([1, 1], y_score=[[0.1, 0.8, 0.1], [0.3, 0.6, 0.1]])
    ev = tally.result()
    assert ev.classes == (0, 1, 2)
    assert ev.source.format == ("the columns of y_score are 0, 1, 2",)
    assert tally.value("accuracy") == 1.0


def test_columns_of_a_frame_go_by_their_names():
    tally = tm.Tallier()
    frame = pd.DataFrame({"c": [0.7, 0.1], "a": [0.2, 0.8], "b": [0.1, 0.1]})
    tally.update(["c", "a"], y_score=frame)
    tally.update(["b"], y_score=np.array([[0.1, 0.8, 0.1]]))
    assert tally.result().classes == ("a", "b", "c")
    assert tally.value("accuracy") == 1.0


ONE = {"y_true": [0, 1], "y_score": [0.2, 0.6]}


@pytest.mark.parametrize(("options", "first", "second", "words"), [
    ({}, ONE, {"y_true": [0, 1], "y_pred": [0, 1]},
     "there is a y_pred and earlier batches had none; give every batch the same"),
    ({}, {**ONE, "y_pred": [0, 1]}, ONE, "there is no y_pred and earlier batches had it"),
    ({}, {"y_true": [0, 1], "y_pred": [0, 1]}, {**ONE, "y_pred": [0, 1]},
     "there is a y_score and earlier batches had none"),
    ({}, ONE, {**ONE, "sample_weight": [1, 2]}, "there is a sample_weight and earlier batches"),
    ({}, {"y_true": [0, 2], "y_score": np.eye(3)[:2]}, {"y_true": [0], "y_score": np.eye(4)[:1]},
     "y_score has 4 columns and 3 columns in earlier batches"),
    ({}, ONE, {"y_true": [0, 1], "y_score": np.eye(2)},
     "y_score has 2 columns and 1 column in earlier batches"),
    ({}, ONE, {"y_true": ["a", "b"], "y_score": [0.1, 0.2]},
     "y_true holds strings such as 'a' and an earlier batch holds numbers such as 0"),
    ({}, ONE, {"y_true": [2, 1], "y_score": [0.1, 0.2]},
     r"there are 3 classes \(0, 1, 2\) and 1 score column \('y_score'\); correct a label that"),
    ({}, None, {"y_true": ["a", "b"], "y_score": [0.1, 0.2]}, "which class is positive"),
    ({"positive": "yes"}, None, {"y_true": ["a", "b"], "y_score": [0.1, 0.2]},
     "the positive class 'yes' does not occur"),
    ({"positive": 1}, {"y_true": [0, 1], "y_pred": [0, 1]}, {"y_true": [2], "y_pred": [2]},
     "positive is 1 and there are 3 classes"),
    ({"classes": [0, 1]}, ONE, {"y_true": [0, 7], "y_score": [0.1, 0.2]},
     "y_true holds the label 7, which is none of the classes named: 0, 1; name it too, or leave"),
    ({"classes": [0, 1, 2]}, None, {"y_true": [0, 1], "y_score": np.eye(2)},
     "classes lists 3 classes and y_score has 2 columns"),
    ({}, {"y_true": [0, 1], "y_score": np.eye(3)[:2]}, {"y_true": [3], "y_score": np.eye(3)[:1]},
     "y_true holds the class 3, and the 3 columns of y_score stand for 0, 1, 2; say classes="),
    ({}, None, {"y_true": ["a", "b"], "y_score": np.eye(3)[:2]},
     "y_score has 3 columns and the classes seen so far are 'a', 'b'; say classes="),
    ({}, None, {"y_true": [0, 1], "y_score": pd.DataFrame({"forest": [0.1, 0.2], "bayes": 0.3})},
     "'forest', 'bayes' do not add up to 1 in each row; give the score of the positive class alone"),
    ({}, ONE, {"y_true": [0, 1], "y_score": [0.2, np.nan]}, "y_score is missing in 1 row"),
    ({}, ONE, {"y_true": [0, 1], "y_score": [0.2, np.inf]}, "y_score is inf at index 1"),
    ({}, ONE, {"y_true": [0, 1], "y_score": [0.2]}, "the lengths differ"),
    ({}, {**ONE, "sample_weight": [1, 1]}, {**ONE, "sample_weight": [1, -1]},
     "sample_weight is -1 at index 1"),
    ({}, None, {"y_true": [0, 1]}, "there is nothing to judge"),
    ({}, ONE, {"y_true": [0, 1], "y_score": {"a": [0.1, 0.2]}},
     "this batch has the models 'a' and earlier ones had 'model'; give every batch the same"),
    ({}, ONE, {**ONE, "cluster": [1, 2]}, "there is a cluster and earlier batches had none"),
    ({}, {**ONE, "cluster": [1, 2]}, {**ONE, "cluster": ["a", "b"]},
     "cluster holds strings such as 'a' and an earlier batch holds numbers such as 1"),
    ({}, None, {**ONE, "cluster": [1, None]}, "cluster is missing in 1 row"),
    ({"bins": 2048}, ONE, {**ONE, "cluster": [1, 2]}, "clusters need the rows, which are not kept"),
])  # fmt: skip
def test_a_batch_that_cannot_be_counted_changes_nothing(options, first, second, words):
    tally = tm.Tallier(**options)
    if first is not None:
        tally.update(**first)
    before = copy.copy(tally)
    with pytest.raises(tm.InputError, match=words):
        tally.update(**second)
    assert tally == before
    assert tally.rows == before.rows
    if first is not None:
        assert told(tally.result()) == told(before.result())
        tally.update(**first)


def test_more_labels_than_classes_can_be_are_refused():
    tally = tm.Tallier()
    for first in range(0, 25_000, 5000):
        batch = np.arange(first, first + 5000).repeat(2)
        tally.update(batch, batch)
    with pytest.raises(tm.InputError, match="y_true brings the distinct labels to 25,001"):
        tally.update([25_000], [0])


@pytest.mark.parametrize(("options", "words"), [
    ({"threshold": float("nan")}, "threshold is nan; give the number at or above"),
    ({"missing": "ignore"}, "missing is 'ignore'; give one of 'error', 'drop', or codes"),
    ({"classes": [0, 0]}, "a class is listed twice"),
    ({"level": 1.5}, "level"),
])  # fmt: skip
def test_options_are_checked_at_once(options, words):
    with pytest.raises(tm.InputError, match=words):
        tm.Tallier(**options)


def test_nothing_counted_has_no_result():
    tally = tm.Tallier(missing="drop")
    with pytest.raises(tm.InputError, match="nothing is counted yet; update"):
        tally.result()
    tally.update([None, 1], y_score=[0.3, None])
    with pytest.raises(tm.InputError, match=r"nothing is counted yet \(2 rows left out\)"):
        tally.value("roc_auc")
    tally.update([1, 0], y_score=[0.4, 0.2])
    assert tally.value("roc_auc") == 1.0
    tally.reset()
    assert tally.rows == tally.batches == 0
    tally.update(["a", "b"], ["a", "b"])  # nothing is left of what the batches were

    weightless = tm.Tallier()
    weightless.update([0, 1], [0, 1], sample_weight=[0, 0])
    with pytest.raises(tm.InputError, match="sample_weight is 0 in every row"):
        weightless.result()


def test_a_metric_that_the_batches_do_not_hold_is_refused():
    tally = tm.Tallier()
    tally.update([0, 1], [0, 1])
    with pytest.raises(tm.InputError, match="roc_auc needs scores, and model has none"):
        tally.value("roc_auc")
    with pytest.raises(tm.InputError, match="per_class"):
        tally.value("f1", average="per_class")


def test_talliers_that_do_not_go_together_are_refused():
    tally = tm.Tallier()
    tally.update(**ONE)
    with pytest.raises(tm.InputError, match="threshold is None in one Tallier and 0.3 in the othe"):
        tally.merge(tm.Tallier(threshold=0.3))
    with pytest.raises(tm.InputError, match="other is {}; give another Tallier"):
        tally.merge({})
    other = tm.Tallier()
    other.update(["a"], ["b"])
    with pytest.raises(tm.InputError, match="there is a y_pred"):
        tally.merge(other)
    with pytest.raises(TypeError):
        tally + 1
    here, there = tm.Tallier(), tm.Tallier()
    here.update([0, 1, 2], y_score=np.eye(3))
    there.update([1, 2, 3], y_score=np.eye(3))
    with pytest.raises(tm.InputError, match="stand for 0, 1, 2 in one Tallier and for 1, 2, 3 in"):
        here.merge(there)
    assert here.rows == there.rows == 3
    texts, numbers = tm.Tallier(), tm.Tallier()
    texts.update(["a"], ["b"])
    numbers.update([1], [2])
    with pytest.raises(tm.InputError, match="the other Tallier holds numbers such as 1"):
        texts.merge(numbers)


def test_a_copy_and_a_pickle_go_their_own_way():
    tally = tm.Tallier(positive="yes")
    tally.update(["yes", "no"], y_score=[0.9, 0.1])
    for other in (copy.copy(tally), copy.deepcopy(tally), pickle.loads(pickle.dumps(tally))):
        assert other == tally
        other.update(["yes"], y_score=[0.0])
        assert other != tally
        assert (tally.rows, other.rows) == (2, 3)
    tally.merge(tally)
    assert tally.rows == 4
    assert tally != 4


def test_threads_update_one_tallier():
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 8000), np.round(rng.random(8000), 3)
    tally, failed = tm.Tallier(), []
    other = tm.Tallier()

    def work(k: int) -> None:
        try:
            for i in range(k, 8000, 80 * 8):
                part = slice(i, i + 640, 8)
                (other if k == 7 else tally).update(y[part], y_score=s[part])
                tally.merge(tm.Tallier())
                if i % 3 == 0:
                    copy.copy(tally)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
    assert not any(thread.is_alive() for thread in threads)
    tally.merge(other)
    assert told(tally.result()) == told(tm.evaluate(y, y_score=s))


def test_two_talliers_merged_into_each_other_do_not_wait_for_ever():
    a, b = tm.Tallier(), tm.Tallier()
    a.update([0, 1], [0, 1])
    b.update([0, 1], [0, 1])
    threads = [
        threading.Thread(target=lambda one=one, two=two: [one.merge(two) for _ in range(5)])
        for one, two in ((a, b), (b, a))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.slow
def test_processes_send_theirs_back():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        total = sum(pool.map(count_part, range(3)), tm.Tallier())
    assert total == sum(map(count_part, range(3)), tm.Tallier())
    assert (total.rows, total.batches) == (1500, 3)


# -- files -----------------------------------------------------------------------------------------


def test_a_saved_tallier_goes_on(tmp_path):
    path = tmp_path / "auc.json"
    tally = tm.Tallier.resume(path, classes=["a", "b", "c"], threshold=None)
    tally.update(["a"], y_score=np.array([[0.0, 1.0, 0.0]]))  # an infinite loss
    tally.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["auc.json"]
    back = tm.Tallier.resume(path, classes=["a", "b", "c"])
    assert back == tally == tm.Tallier.load(str(path))
    assert back.batches == 1
    assert back.value("log_loss") == np.inf
    back.update(["b"], y_score=np.array([[0.1, 0.8, 0.1]]))
    back.save(path)
    assert tm.Tallier.load(path).rows == 2
    json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    empty = tm.Tallier()
    empty.save(path)
    assert tm.Tallier.load(path) == empty


def test_a_saved_tallier_holds_the_names_of_clusters(tmp_path):
    tally = tm.Tallier()
    tally.update(**ONE, cluster=["Ann Example", "Bo Example"])
    tally.save(tmp_path / "kept.json")
    data = json.loads((tmp_path / "kept.json").read_text(encoding="utf-8"))
    assert "Ann Example" in json.dumps(data)
    assert (data["format"], data["schema"]) == ("tallymark/tallier", 0)


def test_more_clusters_than_a_code_of_16_bits_stay_apart():
    clusters = np.arange(1 << 16)
    y, scores = clusters % 2, (clusters % 1000) / 1000
    tally = tm.Tallier()
    for rows in np.array_split(clusters, 5):
        tally.update(y[rows], y_score=scores[rows], cluster=clusters[rows])
    tally.update(y, y_score=1 - scores, cluster=clusters)
    twice = np.concatenate([clusters, clusters])
    assert counted_of(tally.result()).joint.clusters.tolist() == twice.tolist()


def test_files_that_cannot_be_gone_on_with_are_refused(tmp_path):
    path = tmp_path / "kept.json"
    tally = tm.Tallier(positive=1)
    tally.update(**ONE)
    tally.save(path)
    with pytest.raises(
        tm.InputError, match="was counted with positive=1 and now has positive=None"
    ):
        tm.Tallier.resume(path)
    with pytest.raises(tm.InputError, match="there is no file '.*none.json'"):
        tm.Tallier.load(tmp_path / "none.json")
    with pytest.raises(tm.InputError, match="the folder '.*nowhere' for kept.json does not exist"):
        tally.save(tmp_path / "nowhere" / "kept.json")
    with pytest.raises(tm.InputError, match="is a folder; name a file in it"):
        tally.save(tmp_path)
    with pytest.raises(tm.InputError, match="cannot be read"):
        tm.Tallier.load(tmp_path)
    data = json.loads(path.read_text(encoding="utf-8"))
    for changed, words in (
        ("{", "does not hold complete JSON; give a file as save"),
        (json.dumps({**data, "schema": 9}), "schema 9 is not known to this release"),
        (
            json.dumps(tally.result().models[0].labels.to_dict()),
            "this is 'tallymark/label-tally', not tallymark/tallier",
        ),
        (json.dumps({**data, "colour": 1}), "unknown field 'colour'"),
        (json.dumps({**data, "classes": 5}), "classes is 5, which to_dict"),
        (json.dumps({**data, "layout": {**data["layout"], "rows": None, "colour": 2}}), "colour"),
        (json.dumps({**data, "counted": {}}), "tallymark/counted"),
    ):
        path.write_text(changed, encoding="utf-8")
        with pytest.raises(tm.InputError, match=words):
            tm.Tallier.load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "kept.json"
    tally = tm.Tallier()
    tally.update(**ONE)
    tally.save(path)
    old = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    tally.update(**ONE)
    with pytest.raises(tm.InputError, match="cannot be written: No space left on device"):
        tally.save(path)
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["kept.json"]


KILLED = """
import sys, numpy as np, tallymark as tm
path = sys.argv[1]
tally = tm.Tallier.resume(path)
for batch in range(tally.batches, 10_000):
    rng = np.random.default_rng(batch)
    y = rng.integers(0, 2, 50)
    tally.update(y, y_score=np.round(rng.random(50), 2))
    tally.save(path)
    print(batch, flush=True)
"""


@pytest.mark.slow
def test_a_killed_stream_loses_at_most_the_batch_at_work(tmp_path):
    path = tmp_path / "kept.json"
    done = -1
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        ) as process:
            first = int(process.stdout.readline())
            assert first in (done + 1, done + 2)  # saved, and killed before it was said
            time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            done = int(([str(first), *process.stdout.read().split()])[-1])
    kept = tm.Tallier.load(path)
    assert kept.batches in (done + 1, done + 2)
    expected = tm.Tallier()
    for batch in range(kept.batches):
        rng = np.random.default_rng(batch)
        y = rng.integers(0, 2, 50)
        expected.update(y, y_score=np.round(rng.random(50), 2))
    assert kept == expected


# -- training loops --------------------------------------------------------------------------------


@pytest.mark.slow
def test_tensors_are_counted_as_they_are():
    torch = pytest.importorskip("torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for kind, exact in ((torch.float64, 1e-12), (torch.float32, 1e-6), (torch.float16, 1e-3),
                        (torch.bfloat16, 1e-2)):  # fmt: skip
        logits = torch.tensor([[0.5], [-1.0], [2.0]], dtype=kind, requires_grad=True, device=device)
        tally = tm.Tallier(threshold=0.6)
        tally.update(torch.tensor([1, 0, 1]), y_score=torch.sigmoid(logits))
        assert tally.value("recall") == 1.0
        assert tally.value("brier") == pytest.approx(2 * 0.0768, abs=0.2)
        wide = torch.softmax(torch.eye(3, dtype=kind, requires_grad=True), 1)
        columns = tm.Tallier()
        columns.update(torch.arange(3), y_score=wide)
        columns.update(torch.tensor([0, 1], dtype=torch.int32), y_score=wide[:2])
        assert columns.value("log_loss") == pytest.approx(np.log(1 + 2 / np.e), rel=exact)
    assert tm.metrics.accuracy(torch.tensor([True, False]), torch.tensor([True, True])) == 0.5
    with pytest.raises(tm.InputError, match="y_true has shape"):
        tm.Tallier().update(torch.tensor(1), torch.tensor(1))


class Elsewhere:
    """An array of another library: it knows how to become NumPy's, and has its own bfloat16."""

    __module__ = "tensorflow.python"

    def __init__(self, values, kind):
        self.values, self.dtype, self.shape = np.asarray(values), kind, np.shape(values)
        self.ndim = len(self.shape)

    def __len__(self):
        return len(self.values)

    def numpy(self):
        if self.dtype != "bfloat16":
            return self.values
        ml_dtypes = pytest.importorskip("ml_dtypes")
        return self.values.astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_arrays_of_other_libraries_are_counted_as_they_are(kind):
    tally = tm.Tallier()
    tally.update(Elsewhere([0, 1, 1], "int64"), y_score=Elsewhere([0.25, 0.125, 0.5], kind))
    assert tally.value("roc_auc") == 0.5


@pytest.mark.slow
def test_a_training_loop_of_pytorch():
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(600, 4, generator=generator)
    y = (x[:, 0] + 0.5 * torch.randn(600, generator=generator) > 0).long()
    model = torch.nn.Linear(4, 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loss_of = torch.nn.BCEWithLogitsLoss()
    tally, areas = tm.Tallier(), []
    for _ in range(3):
        tally.reset()
        seen = []
        for i in range(0, 600, 64):
            logits = model(x[i : i + 64]).squeeze(1)
            loss = loss_of(logits, y[i : i + 64].float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            tally.update(y[i : i + 64], y_score=torch.sigmoid(logits))
            seen.append(torch.sigmoid(logits).detach())
        areas.append(tally.value("roc_auc"))
    assert areas[0] < areas[-1]
    assert areas[-1] == tm.metrics.roc_auc(y.numpy(), torch.cat(seen).double().numpy())


def shown_of(name):
    """Return the code of docs/batches.md that holds a name."""
    page = (Path(__file__).parents[1] / "docs" / "batches.md").read_text(encoding="utf-8")
    blocks = page.split("```python\n")[1:]
    return next(code for code in (b.split("```", 1)[0] for b in blocks) if name in code)


@pytest.mark.slow
def test_lightning_logs_what_a_tallier_counts(tmp_path):
    if find_spec("lightning") is None:
        pytest.skip("Lightning is not installed")
    code = f"""
import lightning, torch
import tallymark as tm
{shown_of("LightningModule")}

class Trained(Classifier):
    def training_step(self, batch, _):
        x, target = batch
        loss = torch.nn.functional.binary_cross_entropy_with_logits
        return loss(self.layer(x).squeeze(1), target.float())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1.0)


torch.manual_seed(0)
x = torch.randn(400, 3)
target = (x[:, 0] > 0).long()
rows = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, target), batch_size=64)
trainer = lightning.Trainer(
    max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
)
model = Trained()
trainer.fit(model, rows, rows)
with torch.no_grad():
    p = torch.sigmoid(model.layer(x).squeeze(1))
expected = tm.metrics.roc_auc(target.numpy(), p.double().numpy())
assert expected > 0.9
assert abs(float(trainer.callback_metrics["roc_auc"]) - expected) < 1e-6
assert model.tally.rows == 0
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, encoding="utf-8",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_keras_calls_a_metric(tmp_path):
    code = f"""
import os
os.environ.update(KERAS_BACKEND="torch", CUDA_VISIBLE_DEVICES="")
import keras, numpy as np, tallymark as tm

rng = np.random.default_rng(0)
x = rng.normal(size=(300, 3)).astype("float32")
y = (x[:, 0] > 0).astype("int64")
keras.utils.set_random_seed(0)
model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
{shown_of("keras.metrics.Metric")}
told = model.fit(x, y, epochs=2, batch_size=64, verbose=0)
found = model.evaluate(x, y, batch_size=64, verbose=0, return_dict=True)
p = np.asarray(model.predict(x, verbose=0), dtype=np.float64)[:, 0]
assert abs(found["roc_auc"] - tm.metrics.roc_auc(y, p)) < 1e-4, found
assert len(told.history["roc_auc"]) == 2
"""
    if find_spec("keras") is None:
        pytest.skip("Keras is not installed")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "KERAS_HOME": str(tmp_path)}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_metric_with_keras_three_methods():
    found = tm.Tallier().metric("f_beta", beta=2)
    assert np.isnan(found.result())
    found.update_state(np.array([[1.0], [0.0], [1.0]]), np.array([[0.9], [0.8], [0.2]]))
    found.update_state([1], [0.7], sample_weight=None)
    assert found.result() == tm.metrics.f_beta([1, 0, 1, 1], [1, 1, 0, 1], beta=2)
    found.reset_state()
    assert found.tallier.rows == 0
    with pytest.raises(tm.InputError, match="there is no metric 'recal'"):
        tm.Tallier().metric("recal")


@pytest.mark.slow
def test_neither_library_is_imported():
    code = "import tallymark as tm, sys; t = tm.Tallier(); t.update([0, 1], [0, 1]); t.value('mcc')"
    code += "; print({'torch', 'keras', 'duckdb', 'narwhals', 'scipy'} & set(sys.modules))"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert told.stdout.strip() == "set()", told


# -- bins ------------------------------------------------------------------------------------------


def in_batches(tally, y, s, size=500):
    for i in range(0, len(y), size):
        tally.update(y[i : i + size], y_score=s[i : i + size])
    return tally


def test_an_endless_stream_takes_bounded_memory_and_tells_the_bracket(monkeypatch):
    monkeypatch.setattr(sys.modules["tallymark.tallier"], "MOST_WAITING", 2000)
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 40_000)
    s = rng.normal(y, 1.0)
    tally = in_batches(tm.Tallier(bins=4096, threshold=0.7), y, s)
    (scores,) = tally.result().models[0].scores
    assert scores.bins is not None
    assert len(scores.scores) <= 1.2 * 4096
    exact = tm.evaluate(y, y_score=s, threshold=0.7)
    ev = tally.result()
    assert ev["mcc"].value == exact["mcc"].value  # decisions at the threshold are exact
    low, high = (t._score_counts for t in scores.ends())
    areas = [tm.metrics.roc_auc(t) for t in scores.ends()]
    assert areas[0] <= exact["roc_auc"].value <= areas[1]
    assert areas[1] - areas[0] < 1e-3
    assert low.total == high.total == 40_000
    assert tally.value("roc_auc") == ev["roc_auc"].value
    again = tm.Tallier.from_dict(json.loads(json.dumps(tally.to_dict())))
    assert again == tally
    few = in_batches(tm.Tallier(bins=4096), y, np.round(s, 2))
    assert few.result().models[0].scores[0].bins is None  # few enough stay exact


def test_a_column_of_each_of_two_classes_is_kept_as_one_and_read_back():
    p = np.array([0.25, 0.5, 0.875])
    tally = tm.Tallier(positive=1)
    tally.update([0, 1, 1], y_score=np.stack([1 - p, p], 1))
    again = tm.Tallier.from_dict(json.loads(json.dumps(tally.to_dict())))
    assert again == tally
    again.update([0], y_score=np.array([[0.5, 0.5]]))
    assert again.result()["roc_auc"].value == pytest.approx(3.5 / 4)


def test_talliers_in_the_same_bins_add_up():
    rng = np.random.default_rng(6)
    y, s = rng.integers(0, 2, 4000), rng.random(4000)
    bins = Bins([0.0, 0.5, 1.0], per=512)
    parts = [in_batches(tm.Tallier(bins=bins), y[k::2], s[k::2]) for k in (0, 1)]
    total = parts[0] + parts[1]
    whole = in_batches(tm.Tallier(bins=bins), y, s)
    assert total.result().models[0].scores == whole.result().models[0].scores
    assert tm.Tallier.from_dict(json.loads(json.dumps(total.to_dict()))) == total
    own = [in_batches(tm.Tallier(bins=1024), y[k::2], s[k::2]) for k in (0, 1)]
    for part in own:
        part.result()
    with pytest.raises(tm.InputError, match="the Talliers chose different bins"):
        own[0].merge(own[1])
    small = in_batches(tm.Tallier(bins=1024), y[:300], s[:300])
    own[0].merge(small)  # an exact one goes into the bins of the other
    small.merge(own[1])
    assert own[0].rows == small.rows == 2300
    for wrong in (10, 0.5, True, "many"):
        with pytest.raises(tm.InputError, match="bins is .*; give a whole number, at least 1,024"):
            tm.Tallier(bins=wrong)


def test_models_in_bins_are_not_compared_and_the_option_is_named():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    tally = tm.Tallier(bins=1024)
    tally.update(y, y_score={"a": y + rng.normal(size=4000), "b": y + rng.normal(size=4000)})
    with pytest.raises(
        tm.errors.InputError, match="counted in bins, .*leave bins= out, give more opt"
    ):
        tally.result().compare()
    with pytest.raises(tm.errors.InputError, match="leave bins or cluster out"):
        tm.Tallier(bins=1024).update(y, y_score=y / 2, cluster=y)


# -- files that were changed, and numbers of what was counted -----------------------------------


def changed(data, path, value):
    """Return saved data with one value exchanged."""
    copied = copy.deepcopy(data)
    *way, last = path.split(".")
    place = copied
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    place[int(last) if last.isdigit() else last] = value
    return copied


CHANGES = [
    ("batches", 0, "batches"),
    ("layout", None, "batches"),
    ("counted", None, "batches"),
    ("level", 0.0, "options"),
    ("level", 1.0, "options"),
    ("positive", 7, "options"),
    ("layout.models.1.0", "a", "models"),
    ("layout.models", [], "models"),
    ("layout.models", [["a", True, 1, None]], "models"),
    ("layout.models.0.2", 3, "models"),
    ("layout.models.0.2", -1, ""),
    ("layout.models.0.3", 5, ""),
    ("layout.models.1.1", 1, ""),
    ("layout.weighted", False, "weights"),
    ("layout.clustered", False, "clusters"),
    ("layout.efforts", False, "efforts"),
    ("layout.seen", [0, 0, 1], "classes"),
    ("layout.seen", [0, 1, 2], "classes"),
    ("layout.columns", [0, 1], "classes"),
]


def test_a_file_whose_facts_do_not_fit_is_refused():
    tally = tm.Tallier(classes=[0, 1], positive=1)
    rows = {"sample_weight": [1, 2, 1, 1], "cluster": list("xyxz"), "effort": [1, 2, 3, 4]}
    said = {"a": [0, 1, 0, 0], "b": [1, 1, 1, 0]}
    tally.update([0, 1, 1, 0], said, y_score={"a": [0.2, 0.9, 0.4, 0.3]}, **rows)
    data = tally.to_dict()
    assert tm.Tallier.from_dict(data) == tally
    for path, value, fact in CHANGES:
        with pytest.raises(tm.InputError) as refused:
            tm.Tallier.from_dict(changed(data, path, value))
        said = str(refused.value)
        assert said.startswith(f"the {fact} of this tallymark/") if fact else "not write" in said


def test_columns_of_a_saved_layout_are_one_a_class():
    tally = tm.Tallier()
    tally.update([0, 1, 2], y_score=np.eye(3))
    data = tally.to_dict()
    assert tm.Tallier.from_dict(data) == tally
    for columns in ([0, 1], [0, 1, 1], [0, 1, 2, 3]):
        with pytest.raises(tm.InputError):
            tm.Tallier.from_dict(changed(data, "layout.columns", columns))


def test_one_metric_is_that_of_all_rows_for_every_kind_of_count():
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 2, 60), rng.random(60).round(2)
    weight, lines = rng.integers(1, 4, 60).astype(float), rng.integers(1, 50, 60)
    tally = tm.Tallier()
    tally.update(y, y_score={"m": s, "n": 1 - s}, sample_weight=weight, effort=lines)
    ev = tm.evaluate(y, y_score={"m": s, "n": 1 - s}, weight=weight, effort=lines)
    for metric in ("accuracy", "roc_auc", "brier", "p_opt", "matthews_corrcoef"):
        for name in ("m", "n"):
            assert tally.value(metric, model=name) == pytest.approx(ev.model(name)[metric].value)
    assert tally.value("fbeta", model="m", beta=2) == pytest.approx(
        ev.model("m").value("fbeta", beta=2).value
    )
    with pytest.raises(tm.InputError, match="hold the models 'm', 'n'; say model=..."):
        tally.value("accuracy")
    bare = tm.Tallier()
    bare.update(y, y_score=s)
    with pytest.raises(tm.InputError) as refused:
        bare.value("p_opt")
    assert str(refused.value) == (
        "p_opt needs the effort of each row, such as its lines of code; give every batch effort=..."
    )
    three = rng.integers(0, 3, 60)
    p = rng.dirichlet(np.ones(3), 60)
    many = tm.Tallier()
    many.update(three, y_score=p)
    whole = tm.evaluate(three, y_score=p)
    for metric, average in (("precision", "macro"), ("precision", "weighted"), ("roc_auc", None)):
        assert many.value(metric, average=average) == pytest.approx(
            whole.value(metric, average=average).value if average else whole[metric].value
        )
    assert many.value("log_loss") == pytest.approx(whole["log_loss"].value)


def test_a_tallier_says_its_rows_and_batches_and_a_metric_starts_undefined():
    tally = tm.Tallier()
    metric = tally.metric("accuracy")
    assert np.isnan(metric.result())
    for _ in range(3):
        metric.update_state([0, 1], [0.2, 0.7], [1.0, 3.0])
    assert repr(tally) == "<Tallier of 6 rows in 3 batches>"
    assert (tally.rows, tally.batches) == (6, 3)
    metric.update_state([1], [0.2], [12.0])
    assert metric.result() == 12 / 24
    both = tally + tally.copy()
    assert (both.rows, both.batches) == (14, 8)
    assert (tally.rows, tally.batches) == (7, 4)
    metric.reset_state()
    assert (tally.rows, tally.batches) == (0, 0)
    assert tally != 3


@pytest.mark.parametrize("bins", [1023, True, 2048.0, "many"])
def test_bins_are_a_whole_number_of_at_least_1024(bins):
    with pytest.raises(tm.InputError) as refused:
        tm.Tallier(bins=bins)
    assert str(refused.value) == f"bins is {bins!r}; give a whole number, at least 1,024, or Bins"
    tm.Tallier(bins=1024)


def test_rows_are_kept_up_to_their_limit_and_not_beyond(monkeypatch):
    """A row of one score, a class and a cluster takes 8 + 2 + 4 bytes; its weight takes 8 more."""
    for more, wide in (({}, 14), ({"sample_weight": [1.0, 2.0]}, 22)):
        monkeypatch.setattr(tallier, "MOST_KEPT", 2 * wide)
        tally = tm.Tallier()
        tally.update([0, 1], y_score=[0.2, 0.6], cluster=[1, 2], **more)
        monkeypatch.setattr(tallier, "MOST_KEPT", 2 * wide - 1)
        with pytest.raises(
            tm.InputError, match="there are too many rows in a stream to keep them, as clu"
        ):
            tm.Tallier().update([0, 1], y_score=[0.2, 0.6], cluster=[1, 2], **more)
        monkeypatch.setattr(tallier, "MOST_KEPT", 4 * wide - 1)
        with pytest.raises(tm.InputError, match="there are too many rows in "):
            tally.update([0, 1], y_score=[0.2, 0.6], cluster=[1, 2], **more)
        assert tally.rows == 2
