"""Rows of several models side by side, and their tallies block by block."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.errors import InputError
from tallymark.tally.joint import Joint, Side, places


def made(n=500, seed=0, models=("a", "b"), **options):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    scores = {m: np.round(rng.normal(size=n) + y, 1) for m in models}
    return y, scores, tm.evaluate(y, y_score=scores, threshold=0.5, **options)


def test_agreement_counts_what_two_models_call_each_row():
    y, scores, ev = made()
    cells = ev.counted.joint.agreement("a", "b", (0.5, 0.5))
    for t in (0, 1):
        for i in (0, 1):
            for j in (0, 1):
                hit = (y == t) & ((scores["a"] >= 0.5) == i) & ((scores["b"] >= 0.5) == j)
                assert cells[t, i, j] == hit.sum()


@pytest.mark.parametrize("n", [300, 5000])
def test_the_blocks_add_up_to_the_tallies(n):
    _, _, ev = made(n)
    joint = ev.counted.joint
    blocks = joint.blocks([0.5, 0.5], [m.scores for m in ev.models], most=1000)
    assert len(blocks) == min(n, 1000)
    for i, m in enumerate(ev.models):
        assert np.array_equal(blocks.decided[i].sum(0), m.labels.counts)
        (whole,) = blocks.whole(i)
        coarse = m.scores[0].coarse(200).score_counts
        assert np.array_equal(whole.scores, coarse.scores)
        assert np.array_equal(whole.pos[0], coarse.pos)
        assert np.array_equal(whole.neg[0], coarse.neg)


def test_many_distinct_scores_are_counted_in_the_groups_of_the_coarse_tally():
    rng = np.random.default_rng(1)
    y = rng.random(4000) < 0.3
    scores = {"a": rng.normal(size=4000) + y, "b": rng.normal(size=4000)}
    ev = tm.evaluate(y, y_score=scores, threshold=0.0)
    blocks = ev.counted.joint.blocks([0.0, 0.0], [m.scores for m in ev.models])
    for i, m in enumerate(ev.models):
        (whole,) = blocks.whole(i)
        assert np.array_equal(whole.pos[0], m.scores[0].coarse(200).score_counts.pos)
        assert len(whole.scores) < 250


def test_blocks_hold_as_many_rows_each():
    _, _, ev = made(5000)
    sizes = ev.counted.joint.blocks([0.5, 0.5], [m.scores for m in ev.models], most=300)
    rows = sizes.decided[0].sum((1, 2))
    assert set(rows.tolist()) == {16.0, 17.0}


def test_a_draw_resamples_both_models_with_the_same_rows():
    _, scores, _ = made(200)
    y, _, _ = made(200)
    ev = tm.evaluate(y, y_score={"a": scores["a"], "b": scores["a"]}, threshold=0.5)
    blocks = ev.counted.joint.blocks([0.5, 0.5], [m.scores for m in ev.models])
    times = blocks.draw(50, np.random.default_rng(0))
    assert np.array_equal(blocks.matrices(0, times), blocks.matrices(1, times))
    assert (blocks.matrices(0, times).sum((1, 2)) == 200).all()


def test_classes_drawn_by_themselves_are_drawn_apart():
    _, _, ev = made(200)
    blocks = ev.counted.joint.blocks([0.5, 0.5], [m.scores for m in ev.models])
    times = blocks.draw(20, np.random.default_rng(0), by_class=True)
    assert not np.array_equal(times[:, 0], times[:, 1])


@pytest.mark.parametrize("by_class", [False, True])
def test_the_columns_of_many_classes_add_up_to_their_tallies(by_class):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 700)
    p = {m: rng.dirichlet(np.ones(4), 700) for m in "ab"}
    ev = tm.evaluate(y, y_score=p)
    tallies = [m.scores for m in ev.models]
    joint = ev.counted.joint
    blocks = joint.blocks([None, None], tallies, most=100, by_class=by_class)
    assert {len(g.counts) for g in blocks.ranked[0]} == {4 if by_class else 2}
    times = np.repeat(rng.integers(0, 3, (5, 1, 100)), 4, axis=1).astype(float)
    apart = joint.blocks([None, None], tallies, most=100, by_class=True).rankings(1, times)
    for i, (whole, drawn) in enumerate(
        zip(blocks.whole(1), blocks.rankings(1, times), strict=True)
    ):
        coarse = tallies[1][i].coarse(64).score_counts
        assert np.array_equal(whole.pos[0], coarse.pos)
        assert np.array_equal(whole.neg[0], coarse.neg)
        assert np.array_equal(drawn.pos, apart[i].pos)
        assert np.array_equal(drawn.neg, apart[i].neg)


def test_rows_of_a_cluster_stay_in_one_block():
    labels = (0, 1)
    clusters = np.repeat(np.arange(50), 4)
    true = np.tile([0, 1, 1, 0], 50).astype(np.int8)
    joint = Joint(labels, true, (Side("a", true), Side("b", 1 - true)), 1, None, clusters)
    blocks = joint.blocks([None, None], [(), ()], most=10)
    assert (blocks.decided[0].sum((1, 2)) == 20).all()
    alone = joint.blocks([None, None], [(), ()])
    assert len(alone) == 50
    assert (alone.decided[0].sum((1, 2)) == 4).all()


def test_chunks_are_put_together():
    true = np.array([0, 1, 1], dtype=np.int8)
    scores = np.array([0.1, 0.5, 0.9])
    part = Joint((0, 1), true, (Side("a", None, (scores,)), Side("b", true)), 1)
    whole = Joint.of_parts([part, part])
    assert whole.rows == 6
    assert whole.side("a").scores[0].tolist() == [0.1, 0.5, 0.9] * 2
    assert whole.side("a").decided is None
    assert whole.side("b").decided.tolist() == [0, 1, 1, 0, 1, 1]
    assert whole.nbytes == 6 + 48 + 6
    assert Joint.of_parts([part]) is part


def test_counted_lines_become_rows():
    y = np.array([0, 1, 1])
    joint = Joint((0, 1), y, (Side("a", y), Side("b", y)), 1, np.array([2.0, 0.0, 3.0]))
    rows = joint.repeated(np.array([2, 0, 3]))
    assert rows.true.tolist() == [0, 0, 1, 1, 1]
    assert rows.weights is None


def test_weights_are_added_up():
    y, scores, _ = made(100)
    w = np.arange(100) / 7
    ev = tm.evaluate(y, y_score=scores, threshold=0.5, sample_weight=w)
    joint = ev.counted.joint
    assert joint.agreement("a", "b", (0.5, 0.5)).sum() == pytest.approx(w.sum())
    blocks = joint.blocks([0.5, 0.5], [m.scores for m in ev.models])
    assert blocks.decided[0].sum(0) == pytest.approx(ev.models[0].labels.counts)


def test_which_model_is_right():
    y = np.array([0, 1, 1])
    joint = Joint((0, 1), y, (Side("a", y), Side("b", 1 - y)), 1)
    assert joint.right([None, None]).tolist() == [[True] * 3, [False] * 3]


def test_an_unknown_model_is_refused():
    _, _, ev = made(50)
    with pytest.raises(InputError, match="there is no model 'c'"):
        ev.counted.joint.side("c")


def test_a_side_without_decisions_is_refused():
    side = Side("a", None, (np.array([0.1]),))
    with pytest.raises(InputError, match="a has neither decisions nor a threshold"):
        side.decisions(None, 1)


def test_one_model_keeps_no_rows():
    y, scores, _ = made(50)
    assert tm.evaluate(y, y_score=scores["a"], threshold=0.5).counted.joint is None


def test_too_many_rows_are_not_kept(monkeypatch):
    monkeypatch.setattr("tallymark.data.ingest.MOST_KEPT", 100)
    _, _, ev = made(50)
    assert ev.counted.joint is None
    with pytest.raises(InputError, match="the rows of arrays were not kept side by side"):
        ev.compare()


def test_a_file_read_in_chunks_keeps_its_rows(tmp_path, monkeypatch):
    from tallymark.data.files import FileTable

    y, scores, _ = made(300)
    path = tmp_path / "two.csv"
    lines = [f"{t},{a},{b}" for t, a, b in zip(y, scores["a"], scores["b"], strict=True)]
    path.write_text("\n".join(["truth,a,b", *lines]))
    monkeypatch.setattr(FileTable.chunks, "__defaults__", (64,))
    read = tm.evaluate(path, truth="truth", score=["a", "b"], positive=1, threshold=0.5)
    assert read.counted.joint.true.tolist() == y.tolist()
    assert read.counted.joint.side("b").scores[0].tolist() == scores["b"].tolist()


@pytest.mark.parametrize("groups", [1, 2, 3, 64, 200, 513])
def test_places_are_those_of_a_binary_search(groups):
    rng = np.random.default_rng(groups)
    lows = np.unique(np.round(rng.normal(size=groups), 3))
    scores = np.concatenate([rng.normal(size=3000), lows, np.nextafter(lows, -9), [-0.0, 1e308]])
    expected = np.maximum(np.searchsorted(lows, scores, side="right") - 1, 0)
    assert np.array_equal(places(scores, lows), expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_cells_counted_in_stretches_are_those_counted_at_once(weighted, monkeypatch):
    _, _, ev = made(1000, sample_weight=np.linspace(0, 3, 1000) if weighted else None)
    joint = ev.counted.joint
    key = np.arange(1000) % 7
    expected = np.zeros((2, 7))
    np.add.at(expected, (joint.true, key), 1.0 if joint.weights is None else joint.weights)
    for stretch in (300, 1000, 4096):
        monkeypatch.setattr("tallymark.tally.joint._STRETCH", stretch)
        assert joint.cells((2, 7), joint.true, key) == pytest.approx(expected, rel=1e-13)
