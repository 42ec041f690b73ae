"""Rows of several models side by side, and their tallies block by block."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

import tallymark as tm
from judged import counted_of
from tally.laws import assert_merges
from tallymark import _kernels
from tallymark.errors import InputError
from tallymark.tally.joint import (
    ModelColumn,
    PairedPredictions,
    WithoutEach,
    compact,
    hash_rows,
    places,
    scramble,
)


def made(n=500, seed=0, models=("a", "b"), **options):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    scores = {m: np.round(rng.normal(size=n) + y, 1) for m in models}
    return y, scores, tm.evaluate(y, y_score=scores, threshold=0.5, **options)


def test_agreement_counts_what_two_models_call_each_row():
    y, scores, ev = made()
    cells = counted_of(ev).joint.agreement("a", "b", (0.5, 0.5))
    for t in (0, 1):
        for i in (0, 1):
            for j in (0, 1):
                hit = (y == t) & ((scores["a"] >= 0.5) == i) & ((scores["b"] >= 0.5) == j)
                assert cells[t, i, j] == hit.sum()


def test_a_model_more_costs_8_bytes_a_row():
    sizes = [counted_of(made(models=names)[2]).joint.nbytes for names in ("ab", "abc", "abcd")]
    assert np.diff(sizes).tolist() == [8 * 500, 8 * 500]


@pytest.mark.parametrize("n", [300, 5000])
def test_the_blocks_add_up_to_the_tallies(n):
    _, _, ev = made(n)
    joint = counted_of(ev).joint
    blocks = joint.blocks([0.5, 0.5], [m.scores for m in ev.models], most=1000)
    assert len(blocks) == min(n, 1000)
    for i, m in enumerate(ev.models):
        assert np.array_equal(blocks.decided[i].sum(0), m.labels.counts)
        (whole,) = blocks.whole(i)
        coarse = m.scores[0]._coarse(200)._score_counts
        assert np.array_equal(whole.scores, coarse.scores)
        assert np.array_equal(whole.pos[0], coarse.pos)
        assert np.array_equal(whole.neg[0], coarse.neg)


def test_many_distinct_scores_are_counted_in_the_groups_of_the_coarse_tally():
    rng = np.random.default_rng(1)
    y = rng.random(4000) < 0.3
    scores = {"a": rng.normal(size=4000) + y, "b": rng.normal(size=4000)}
    ev = tm.evaluate(y, y_score=scores, threshold=0.0)
    blocks = counted_of(ev).joint.blocks([0.0, 0.0], [m.scores for m in ev.models])
    for i, m in enumerate(ev.models):
        (whole,) = blocks.whole(i)
        assert np.array_equal(whole.pos[0], m.scores[0]._coarse(200)._score_counts.pos)
        assert len(whole.scores) < 250


def test_blocks_hold_as_many_rows_each():
    _, _, ev = made(5000)
    sizes = counted_of(ev).joint.blocks([0.5, 0.5], [m.scores for m in ev.models], most=300)
    rows = sizes.decided[0].sum((1, 2))
    assert set(rows.tolist()) == {16.0, 17.0}


def test_a_draw_resamples_both_models_with_the_same_rows():
    _, scores, _ = made(200)
    y, _, _ = made(200)
    ev = tm.evaluate(y, y_score={"a": scores["a"], "b": scores["a"]}, threshold=0.5)
    blocks = counted_of(ev).joint.blocks([0.5, 0.5], [m.scores for m in ev.models])
    times = blocks.draw(50, np.random.default_rng(0))
    assert np.array_equal(blocks.matrices(0, times), blocks.matrices(1, times))
    assert (blocks.matrices(0, times).sum((1, 2)) == 200).all()


def test_classes_drawn_by_themselves_are_drawn_apart():
    _, _, ev = made(200)
    blocks = counted_of(ev).joint.blocks([0.5, 0.5], [m.scores for m in ev.models])
    times = blocks.draw(20, np.random.default_rng(0), stratified=True)
    assert not np.array_equal(times[:, 0], times[:, 1])


@pytest.mark.parametrize("stratified", [False, True])
def test_the_columns_of_many_classes_add_up_to_their_tallies(stratified):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 700)
    p = {m: rng.dirichlet(np.ones(4), 700) for m in "ab"}
    ev = tm.evaluate(y, y_score=p)
    tallies = [m.scores for m in ev.models]
    joint = counted_of(ev).joint
    blocks = joint.blocks([None, None], tallies, most=100, apart=stratified)
    assert {len(g.counts) for g in blocks.ranked[0]} == {4 if stratified else 2}
    times = np.repeat(rng.integers(0, 3, (5, 1, 100)), 4, axis=1).astype(float)
    apart = joint.blocks([None, None], tallies, most=100, apart=True).rankings(1, times)
    for i, (whole, drawn) in enumerate(
        zip(blocks.whole(1), blocks.rankings(1, times), strict=True)
    ):
        coarse = tallies[1][i]._coarse(64)._score_counts
        assert np.array_equal(whole.pos[0], coarse.pos)
        assert np.array_equal(whole.neg[0], coarse.neg)
        assert np.array_equal(drawn.pos, apart[i].pos)
        assert np.array_equal(drawn.neg, apart[i].neg)


def test_rows_of_a_cluster_stay_in_one_block():
    labels = (0, 1)
    clusters = np.repeat(np.arange(50), 4)
    true = np.tile([0, 1, 1, 0], 50).astype(np.int8)
    joint = PairedPredictions(
        labels, true, (ModelColumn("a", true), ModelColumn("b", 1 - true)), 1, None, clusters
    )
    blocks = joint.blocks([None, None], [(), ()], most=10)
    assert (blocks.decided[0].sum((1, 2)) == 20).all()
    alone = joint.blocks([None, None], [(), ()])
    assert len(alone) == 50
    assert (alone.decided[0].sum((1, 2)) == 4).all()


def test_chunks_are_put_together():
    true = np.array([0, 1, 1], dtype=np.int8)
    scores = np.array([0.1, 0.5, 0.9])
    part = PairedPredictions(
        (0, 1), true, (ModelColumn("a", None, (scores,)), ModelColumn("b", true)), 1
    )
    whole = PairedPredictions.of_parts([part, part])
    assert whole.rows == 6
    assert whole.model("a").scores[0].tolist() == [0.1, 0.5, 0.9] * 2
    assert whole.model("a").decided is None
    assert whole.model("b").decided.tolist() == [0, 1, 1, 0, 1, 1]
    assert whole.nbytes == 6 + 48 + 6
    assert PairedPredictions.of_parts([part]) is part


def test_counted_lines_become_rows():
    y = np.array([0, 1, 1])
    joint = PairedPredictions(
        (0, 1), y, (ModelColumn("a", y), ModelColumn("b", y)), 1, np.array([2.0, 0.0, 3.0])
    )
    rows = joint.repeated(np.array([2, 0, 3]))
    assert rows.true.tolist() == [0, 0, 1, 1, 1]
    assert rows.weights.tolist() == [2, 2, 3, 3, 3]


def test_weights_are_added_up():
    y, scores, _ = made(100)
    w = np.arange(100) / 7
    ev = tm.evaluate(y, y_score=scores, threshold=0.5, weight=w)
    joint = counted_of(ev).joint
    assert joint.agreement("a", "b", (0.5, 0.5)).sum() == pytest.approx(w.sum())
    blocks = joint.blocks([0.5, 0.5], [m.scores for m in ev.models])
    assert blocks.decided[0].sum(0) == pytest.approx(ev.models[0].labels.counts)


def test_which_model_is_right():
    y = np.array([0, 1, 1])
    joint = PairedPredictions((0, 1), y, (ModelColumn("a", y), ModelColumn("b", 1 - y)), 1)
    assert joint.right([None, None]).tolist() == [[True] * 3, [False] * 3]


def test_an_unknown_model_is_refused():
    _, _, ev = made(50)
    with pytest.raises(InputError, match="there is no model 'c'"):
        counted_of(ev).joint.model("c")


def test_a_side_without_decisions_is_refused():
    side = ModelColumn("a", None, (np.array([0.1]),))
    with pytest.raises(InputError, match="a has neither decisions nor a threshold"):
        side.decisions(None, 1)


def test_one_model_keeps_no_rows():
    y, scores, _ = made(50)
    assert counted_of(tm.evaluate(y, y_score=scores["a"], threshold=0.5)).joint is None


def test_too_many_rows_are_not_kept(monkeypatch):
    monkeypatch.setattr("tallymark.reading.ingest.MOST_KEPT", 100)
    _, _, ev = made(50)
    assert counted_of(ev).joint is None
    with pytest.raises(InputError, match="the rows of arrays were not kept side by side"):
        ev.compare()


def test_a_file_read_in_chunks_keeps_its_rows(tmp_path, monkeypatch):
    from tallymark.reading.files import FileTable

    y, scores, _ = made(300)
    path = tmp_path / "two.csv"
    lines = [f"{t},{a},{b}" for t, a, b in zip(y, scores["a"], scores["b"], strict=True)]
    path.write_text("\n".join(["truth,a,b", *lines]), encoding="utf-8")
    monkeypatch.setattr(FileTable.chunks, "__defaults__", (64,))
    read = tm.evaluate(path, truth="truth", score=["a", "b"], positive=1, threshold=0.5)
    assert counted_of(read).joint.true.tolist() == y.tolist()
    assert counted_of(read).joint.model("b").scores[0].tolist() == scores["b"].tolist()


@pytest.mark.parametrize("groups", [1, 2, 3, 64, 200, 513])
def test_places_are_those_of_a_binary_search(groups):
    rng = np.random.default_rng(groups)
    lows = np.unique(np.round(rng.normal(size=groups), 3))
    scores = np.concatenate([rng.normal(size=3000), lows, np.nextafter(lows, -9), [-0.0, 1e308]])
    expected = np.maximum(np.searchsorted(lows, scores, side="right") - 1, 0)
    assert np.array_equal(places(scores, lows), expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_cells_counted_in_stretches_are_those_counted_at_once(weighted, monkeypatch):
    _, _, ev = made(1000, weight=np.linspace(0, 3, 1000) if weighted else None)
    joint = counted_of(ev).joint
    key = np.arange(1000) % 7
    expected = np.zeros((2, 7))
    np.add.at(expected, (joint.true, key), 1.0 if joint.weights is None else joint.weights)
    for stretch in (300, 1000, 4096):
        monkeypatch.setattr("tallymark.tally.arrays._STRETCH", stretch)
        assert joint.cells((2, 7), joint.true, key) == pytest.approx(expected, rel=1e-13)


def ordinal(n, seed, clusters=False, weights=False):
    """Rows of two models with five levels of scores each: many rows are equal."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int8)
    columns = [np.clip(np.round(rng.normal(y, 1.5) + k / 4), -2, 2) / 4 for k in (0, 1)]
    return PairedPredictions(
        (0, 1), y, tuple(ModelColumn(m, None, (c,)) for m, c in zip("ab", columns, strict=True)), 1,
        rng.integers(1, 4, n) / 2 if weights else None,
        np.repeat(np.arange(n // 4), 4) if clusters else None,
    )  # fmt: skip


def shuffled(joint, seed=1):
    at = np.random.default_rng(seed).permutation(joint.rows)
    models = tuple(ModelColumn(m.name, m.decided, (m.scores[0][at],)) for m in joint.models)
    clusters = None
    if joint.clusters is not None:  # whose codes mean nothing either
        renamed = np.random.default_rng(seed + 1).permutation(joint.groups)
        clusters = renamed[joint.clusters[at]]
    weights = None if joint.weights is None else joint.weights[at]
    return PairedPredictions(joint.labels, joint.true[at], models, 1, weights, clusters)


def counted(joint, seed=0):
    tallies = [
        [tm.ScoreTally.from_arrays(joint.true, m.scores[0], sample_weight=joint.weights)]
        for m in joint.models
    ]
    blocks = joint.blocks([0.1, 0.1], tallies, seed=seed)
    columns = [c for model in blocks.ranked for c in model]
    return blocks.decided.tolist(), [(c.scores.tolist(), c.counts.tolist()) for c in columns]


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("n", [1200, 12_000])
def test_blocks_hold_the_same_rows_in_whatever_order_these_come(n, clusters, weights):
    joint = ordinal(n, 3, clusters, weights)
    again = shuffled(joint)
    assert joint == again
    assert counted(joint) == counted(again)
    assert counted(joint) != counted(joint, seed=1)


@pytest.mark.parametrize("seed", range(6))
def test_the_error_over_blocks_is_the_exact_one_where_many_rows_are_equal(seed):
    joint = ordinal(40_000, seed)
    hits = joint.right([0.1, 0.1]).astype(float)
    exact = float((hits[0] - hits[1]).std() / np.sqrt(joint.rows))
    decided = np.array(counted(joint, seed)[0])
    gaps = np.diff(np.trace(decided, axis1=2, axis2=3), axis=0)[0]
    error = np.sqrt(len(gaps) / (len(gaps) - 1) * ((gaps - gaps.mean()) ** 2).sum()) / joint.rows
    assert error == pytest.approx(exact, rel=4 / np.sqrt(2 * len(gaps)))


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.slow
def test_comparing_does_not_depend_on_the_order_of_the_rows(clusters):
    rng = np.random.default_rng(0)
    n = 6000
    y = (rng.random(n) < 0.3).astype(int)
    scores = {
        m: np.clip(np.round(rng.normal(y, s), 1) / 8 + 0.5, 0, 1) for m, s in (("a", 1), ("b", 1.1))
    }
    who = np.arange(n) // 4
    options = {"threshold": 0.55, "positive": 1}
    found = []
    for at in (np.arange(n), rng.permutation(n)):
        by = {"cluster": who[at]} if clusters else {}
        columns = {m: s[at] for m, s in scores.items()}
        pair = tm.evaluate(y[at], y_score=columns, **options, **by).compare().pairs[0]
        found.append([v for d in pair.differences.values() for v in (d.low, d.high, d.p_value)])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, equal_nan=True)


@pytest.mark.parametrize("kind", ["decisions", "scores", "equal matrices"])
def test_the_order_of_the_models_changes_no_draw(kind):
    rng = np.random.default_rng(4)
    y = np.sort(rng.integers(0, 2 if kind == "scores" else 3, 150))
    said = {m: np.where(rng.random(150) < 0.7, y, rng.integers(0, 2, 150)) for m in "ab"}
    if kind == "equal matrices":  # only the rows of the counts tell the models apart
        said["b"] = np.concatenate([np.roll(said["a"][y == k], 7 + 5 * k) for k in range(3)])
    scores = {m: np.clip(0.3 * v + 0.5 * rng.random(150), 0, 1) for m, v in said.items()}
    rows = {"y_score": scores} if kind == "scores" else {"y_pred": said}
    metrics = ["calibration_slope"] if kind == "scores" else ["f1", "cohen_kappa"]
    found = []
    for order in ("ab", "ba"):
        given = {name: {m: of[m] for m in order} for name, of in rows.items()}
        pair = tm.evaluate(y, **given).compare(metrics=metrics, permutations=0).pair("a", "b")
        found.append({n: (d.p_value, d.error) for n, d in pair.differences.items()})
        assert all(pair.differences[n].draws == 2000 for n in metrics)
    for name, numbers in found[0].items():
        assert numbers == pytest.approx(found[1][name], rel=1e-9)


def test_a_draw_of_blocks_is_one_of_equal_rows_apart():
    joint = ordinal(2001, 0)
    places = joint.canonical_places()
    assert sorted(places.tolist()) == list(range(2001))
    equal = places[
        (joint.true == 0) & (joint.models[0].scores[0] == 0) & (joint.models[1].scores[0] == 0.25)
    ]
    assert equal.std() > 400  # of 2,001 places, not side by side


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("cuts", [(0, 300), (7, 120), (100, 100)])
def test_rows_merge(cuts, weights):
    joint = ordinal(300, 0, weights=weights)

    def count(rows):
        models = tuple(ModelColumn(m.name, None, (m.scores[0][rows],)) for m in joint.models)
        w = None if joint.weights is None else joint.weights[rows]
        return PairedPredictions((0, 1), joint.true[rows], models, 1, w)

    assert_merges(count, cuts)


def test_clusters_of_two_tallies_are_put_together_by_their_names():
    y = np.array([0, 1], np.int8)
    models = (ModelColumn("a", y),)
    one = PairedPredictions((0, 1), y, models, 1, None, np.array([0, 1]), ("x", "y"))
    other = PairedPredictions((0, 1), y, models, 1, None, np.array([1, 0]), ("y", "z"))
    both = one + other
    assert both.cluster_names == ("x", "y", "z")
    assert both.clusters.tolist() == [0, 1, 2, 1]
    assert PairedPredictions.from_dict(json.loads(json.dumps(both.to_dict()))) == both
    nameless = PairedPredictions((0, 1), y, models, 1, None, np.array([0, 1]))
    with pytest.raises(InputError, match="clusters of two tallies are added by name"):
        one + nameless


def test_rows_of_other_models_do_not_add_up():
    y = np.array([0, 1], np.int8)
    one, other = (PairedPredictions((0, 1), y, (ModelColumn(m, y),), 1) for m in "ab")
    with pytest.raises(
        InputError, match=r"rows of \['a'\] with the positive class 1 and of \['b'\]"
    ):
        one + other
    data = one.to_dict()
    with pytest.raises(
        InputError, match="true holds values that are not codes of a class or cluster"
    ):
        PairedPredictions.from_dict({**data, "true": [0.5, 1]})
    with pytest.raises(InputError, match="true is not an array of numbers as to_dict"):
        PairedPredictions.from_dict({**data, "true": "x"})


def test_rows_are_the_same_in_any_order_and_others_where_one_of_them_differs():
    rng = np.random.default_rng(9)
    n = 60
    arrays = {
        "true": rng.integers(0, 2, n), "decided": rng.integers(0, 2, n), "scores": rng.random(n),
        "weights": rng.uniform(1, 2, n), "clusters": np.arange(n) // 3, "wait": rng.random(n),
    }  # fmt: skip

    def side_by_side(true, decided, scores, wait=None, **others):
        m = ModelColumn("m", decided.astype(np.int8), (scores,))
        numbers = {} if wait is None else {"wait": wait}
        return PairedPredictions((0, 1), true.astype(np.int8), (m,), 1, numbers=numbers, **others)

    rows = side_by_side(**arrays)
    order = rng.permutation(n)
    assert side_by_side(**{name: v[order] for name, v in arrays.items()}) == rows
    assert len(set(rows.unit_hashes().tolist())) == n // 3
    for name, values in arrays.items():
        other = values.copy()
        other[[0, 40]] = other[[40, 0]] if name == "clusters" else 1 - other[[0, 40]]
        assert side_by_side(**arrays | {name: other}) != rows, name
    for name in ("weights", "clusters", "wait"):
        assert side_by_side(**{k: v for k, v in arrays.items() if k != name}) != rows, name


def test_rows_are_hashed_by_splitmix64_in_any_number():
    def mixed(value):
        """Return what Steele, Lea and Flood (2014) make of 64 bits, in Python's integers."""
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31

    values = np.array([0, 1, 2**40 + 7, 2**64 - 1], np.uint64)
    assert scramble(values).tolist() == [mixed(v) for v in values.tolist()]
    first, second, step = np.array([3, 0, -1]), np.array([0.5, -0.0, 7.0]), 0x9E3779B97F4A7C15
    columns = [v % 2**64 for v in first.tolist()], (second + 0.0).view(np.uint64).tolist()
    wanted = [0, 0, 0]
    for column in columns:
        wanted = [mixed((w + step) % 2**64 ^ v) for w, v in zip(wanted, column, strict=True)]
    assert hash_rows([first, second]).tolist() == wanted
    many = np.arange(70_000)
    assert hash_rows([many])[65_000:].tolist() == hash_rows([many[65_000:]]).tolist()


def test_codes_are_kept_in_the_smallest_integers_that_hold_them():
    codes = np.array([0, 1, 126])
    for classes, kind in (
        (2, "int8"),
        (127, "int8"),
        (128, "int16"),
        (32767, "int16"),
        (32768, "int32"),
    ):
        assert (compact(codes, classes).dtype, compact(codes, classes).tolist()) == (
            kind,
            [0, 1, 126],
        )
    many = PairedPredictions(
        (0, 1), np.zeros(40_001, np.int8), (ModelColumn("m", np.arange(40_001) % 2),)
    )
    for most in (3, 32_767, 32_768, 40_000):
        block, size = many.dealt(0, most)
        assert (size, block.min(), block.max()) == (most, 0, most - 1)
        assert np.bincount(block).max() - np.bincount(block).min() <= 1


def test_a_score_decides_for_its_own_class_whichever_code_that_has():
    m = ModelColumn("m", np.array([1, 1, 0], np.int8), (np.array([0.2, 0.5, 0.9]),))
    assert m.decisions(0.5, 1).tolist() == [0, 1, 1]
    assert m.decisions(0.5, 0).tolist() == [1, 0, 0]
    assert m.decisions(None, 1).tolist() == [1, 1, 0]
    for column, asked in (
        (ModelColumn("m", None, m.scores), (None, 1)),
        (m, (0.5, None)),
        (ModelColumn("m", m.decided), (0.5, 1)),
    ):
        with pytest.raises(InputError) as caught:
            column.decisions(*asked)
        assert (
            str(caught.value) == "m has neither decisions nor a threshold for its scores; give one"
        )


def test_rows_of_other_models_or_classes_are_not_added():
    a, b = (
        PairedPredictions((0, 1), np.array([0, 1]), (ModelColumn(n, np.array([0, 1])),), positive=p)
        for n, p in (("a", 1), ("b", 0))
    )
    with pytest.raises(InputError) as caught:
        a + b
    assert str(caught.value) == (
        "rows of ['a'] with the positive class 1 and of ['b'] with the positive class 0 cannot be added"
    )


@pytest.mark.parametrize("draws", [0, 1, 7, 8, 21])
@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
def test_drawn_blocks_have_the_rows_of_each_block_as_often_as_it_is_drawn(draws, share):
    rng = np.random.default_rng(draws)
    times = rng.integers(0, 4, (draws, 30)).astype(float)
    counts = rng.integers(1, 9, (30, 11)) * (rng.random((30, 11)) < share).astype(float)
    found = np.full((draws, 11), np.nan)
    _kernels.draw_blocks(times, counts, found)
    wanted = np.zeros((draws, 11))
    for d in range(draws):
        for block in range(30):
            wanted[d] += times[d, block] * counts[block]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("n", [300, 60_000])
def test_resampled_rankings_of_few_and_of_many_rows_are_products_of_matrices(n):
    _, _, ev = made(n)
    joint, models = counted_of(ev).joint, counted_of(ev).models
    blocks = joint.blocks([0.5, 0.5], [m.scores for m in models])
    times = blocks.draw(40, np.random.default_rng(1))
    for i, of_model in enumerate(blocks.ranked):
        (r,), (of_scores,) = blocks.rankings(i, times), of_model
        np.testing.assert_array_equal(r.pos, times[:, 0] @ of_scores.counts[of_scores.positive])
        assert (r.pos.sum(1) + r.neg.sum(1)).min() > 0.9 * n


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_without_each_are_those_of_a_dense_product(weighted):
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 3, (40, 7)) * (rng.random((40, 7)) if weighted else 1.0)
    without, dense = WithoutEach(40, 2), 1 - np.eye(40)
    assert (len(without), without.shape) == (40, (40, 2, 40))
    for some in (slice(None), slice(10, 25), slice(30, 99)):
        assert without[some].shape == (len(dense[some]), 2, 40)
        for of in (counts, csr_array(counts), counts[:, 0]):
            assert without[some, 1] @ of == pytest.approx(dense[some] @ of)
    assert without[10:25][5:8, 0] @ counts == pytest.approx(dense[15:18] @ counts)
