"""One suite of hostile rows for every engine: the same tallies as from arrays, to the bit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from judged import counted_of
from parts.engines.hostile import KINDS, columns, rows
from tallymark.infer.each_subgroup import each_subgroup
from tallymark.part import part_roles
from tallymark.tally.arrays import is_table

ROWS = rows()
ARRAYS = columns(ROWS)


@pytest.fixture(scope="module", params=KINDS)
def table(request):
    from parts.engines.hostile import Engines

    made = Engines(request)
    yield made(request.param, ROWS)
    made.close()


def alike(mine, arrays) -> None:
    """Hold every tally of an evaluation to that of arrays."""
    a, b = counted_of(mine), counted_of(arrays)
    assert (a.rows, a.dropped, a.classes, a.positive) == (b.rows, b.dropped, b.classes, b.positive)
    assert len(a.models) == len(b.models)
    for m, n in zip(a.models, b.models, strict=True):
        assert m.labels == n.labels
        assert m.scores == n.scores
        assert (m.threshold, m.rule, m.probabilities) == (n.threshold, n.rule, n.probabilities)
    if b.subgroup_counts is not None:
        assert a.subgroup_counts.keys == b.subgroup_counts.keys
        np.testing.assert_array_equal(a.subgroup_counts.rows, b.subgroup_counts.rows)
        for m, n in zip(a.subgroup_counts.models, b.subgroup_counts.models, strict=True):
            same(m.counts, n.counts)
            same(m.sum_squared_weights, n.sum_squared_weights)
            for s, t in zip(m.scores, n.scores, strict=True):
                s, t = s.lines(), t.lines()
                for name in ("subgroups", "scores", "counts", "sum_squared_weights"):
                    same(getattr(s, name), getattr(t, name))


def same(a, b) -> None:
    assert (a is None) == (b is None)
    if a is not None:
        np.testing.assert_array_equal(a, b)


def both(table, truth, *, pred=None, score=None, weight=None, subgroup=None, **options):
    """Evaluate the table, and the same columns as arrays."""
    mine = tm.evaluate(
        table, truth=truth, pred=pred, score=score, weight=weight,
        subgroup=subgroup, **options,
    )  # fmt: skip
    names = [score] if isinstance(score, str) else list(score or ())
    several = len(names) > 1
    given = {n: ARRAYS[n] for n in names} if several else ARRAYS[names[0]] if names else None
    arrays = tm.evaluate(
        ARRAYS[truth],
        None if pred is None else ARRAYS[pred],
        y_score=given,
        weight=None if weight is None else ARRAYS[weight],
        subgroup=None if subgroup is None else {c: ARRAYS[c] for c in subgroup},
        **options,
    )
    alike(mine, arrays)
    return mine, arrays


def test_it_is_a_table(table):
    assert is_table(table)


def test_only_counts_leave_the_engine(monkeypatch):
    heights, collect = [], pl.LazyFrame.collect

    def watched(self, *args, **options):
        found = collect(self, *args, **options)
        heights.append(found.height)
        return found

    monkeypatch.setattr(pl.LazyFrame, "collect", watched)
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"y": rng.integers(0, 2, 4000), "s": np.round(rng.random(4000), 1)})
    assert tm.evaluate(frame.lazy(), truth="y", score="s").rows == 4000
    assert heights == [2, 22]  # labels; labels times scores


def test_scores_of_every_kind(table):
    # As models side by side: every kind is cast on entry, and one reduction counts all.
    scores = ["s", "s_32", "s_dec", "s_int", "s_bool", 'odd "name.x`']
    both(table, "y", score=scores, reading={"score_is": "score"})


def test_labels_of_every_kind(table):
    both(table, "y_bool", score="s")
    both(table, "y_text", score="s_32", positive="yes", subgroup=["age"])


def test_texts_are_trimmed_and_folded_only_when_asked(table):
    for fold in (False, True):
        both(
            table, "many", pred="called", subgroup=["region"], missing="drop",
            reading={"ignore_case": fold},
        )  # fmt: skip


def test_what_is_missing_is_left_out_or_refused(table):
    mine, _ = both(table, "y_null", score="s_null", missing="drop")
    assert counted_of(mine).dropped == 36
    both(table, "y_null", score="s", missing="drop", subgroup=["age"])
    with pytest.raises(
        tm.InputError, match="y_null is missing in 12 rows; correct the data, or say"
    ):
        tm.evaluate(table, truth="y_null", score="s")
    with pytest.raises(
        tm.InputError, match="s_null is missing in 24 rows; correct the data, or say"
    ):
        tm.evaluate(table, truth="y", score="s_null")


def test_weights_and_subgroups(table):
    both(table, "y", score="s", weight="w", subgroup=["region", "age"])
    both(table, "y", pred="pred", weight="w", subgroup=["age"])


@pytest.mark.slow
def test_several_models_are_compared(table):
    mine, arrays = both(table, "y", score=["s", "s_b"], subgroup=["region"])
    mine_joint, joint = counted_of(mine).joint, counted_of(arrays).joint
    assert mine_joint.rows == joint.rows
    np.testing.assert_array_equal(
        mine_joint.agreement("s", "s_b", (0.5, 0.5)), joint.agreement("s", "s_b", (0.5, 0.5))
    )
    mine, arrays = both(table, "y", score=["s", "s_b"], weight="w")
    np.testing.assert_array_equal(
        counted_of(mine).joint.agreement("s", "s_b", (0.5, 0.5)),
        counted_of(arrays).joint.agreement("s", "s_b", (0.5, 0.5)),
    )
    assert mine.compare("s_b") is not None


def test_a_prediction_beside_a_score(table):
    both(table, "y", pred="pred", score="s")


def test_scores_of_three_classes(table):
    mine = tm.evaluate(table, truth="k", score=["p_0", "p_1", "p_2"], subgroup=["age"])
    matrix = np.stack([ARRAYS[c] for c in ("p_0", "p_1", "p_2")], 1)
    arrays = tm.evaluate(ARRAYS["k"], y_score=matrix, subgroup={"age": ARRAYS["age"]})
    alike(mine, arrays)
    for name in ("log_loss", "roc_auc", "top_k_accuracy"):
        assert mine[name].value == pytest.approx(arrays[name].value, rel=1e-14)


def test_clusters_need_the_rows(table):
    mine = tm.evaluate(table, truth="y", score="s", cluster="group")
    assert counted_of(mine).clusters == 9


def test_two_queries_bring_groups_and_no_rows(monkeypatch):
    collect, came = pl.LazyFrame.collect, []

    def recorded(self, *args, **options):
        came.append(collect(self, *args, **options))
        return came[-1]

    monkeypatch.setattr(pl.LazyFrame, "collect", recorded)
    rng = np.random.default_rng(0)
    lazy = pl.LazyFrame({
        "y": rng.integers(0, 2, 1000), "p": rng.integers(0, 8, 1000) / 8, "c": range(1000),
    })  # fmt: skip
    assert tm.evaluate(lazy.select("y", "p"), truth="y", score="p").rows == 1000
    assert [frame.height for frame in came] == [2, 16]
    for options in ({"cluster": "c"}, *({role: "c"} for role in part_roles())):
        came.clear()
        tm.evaluate(lazy, truth="y", score="p", **options)
        assert [(frame.height, frame.columns) for frame in came] == [(1000, ["y", "p", "c"])]


def of_roles(counted):
    """Return the scores with the numbers of each role as plain data."""
    return {role: t.to_dict() for role, t in counted.models[0]._role_tallies.items()}


def test_roles_of_rows(table):
    options = {"score": "many_scores", "subgroup": ["k"], **dict.fromkeys(part_roles(), "w")}
    mine = tm.evaluate(table, truth="y", **options)
    arrays = tm.evaluate(
        ARRAYS["y"], y_score=ARRAYS["many_scores"], subgroup={"k": ARRAYS["k"]},
        **dict.fromkeys(part_roles(), ARRAYS["w"]),
    )  # fmt: skip
    assert set(of_roles(counted_of(mine))) == set(part_roles())
    assert of_roles(counted_of(mine)) == of_roles(counted_of(arrays))
    of_each = (each_subgroup(counted_of(ev), ["k"]) for ev in (mine, arrays))
    found, wanted = ({key: of_roles(part) for key, part in of.items()} for of in of_each)
    assert len(found) > 1
    assert found == wanted


@pytest.mark.slow
def test_scores_in_bins(table, monkeypatch):
    monkeypatch.setattr("tallymark.parts.engines.limits.MOST_LINES", 30)
    monkeypatch.setattr("tallymark.parts.engines.limits.COARSE", 4)
    monkeypatch.setattr("tallymark.parts.engines.limits.BINS", 48)
    for options in ({}, {"weight": "w"}):
        mine = tm.evaluate(table, truth="y", score="many_scores", **options)
        (tally,) = counted_of(mine).models[0].scores
        assert tally.bins is not None
        exact = tm.ScoreTally.from_arrays(
            ARRAYS["y"], ARRAYS["many_scores"], sample_weight=ARRAYS["w"] if options else None
        )
        assert tally == exact.binned(tally.bins)
        assert counted_of(mine).models[0].labels == exact.at(counted_of(mine).models[0].threshold)


@pytest.mark.slow
def test_scores_of_the_other_class(table, monkeypatch):
    wanted = tm.evaluate(ARRAYS["y_text"], y_score=1 - ARRAYS["p_no"], positive="yes")
    options = {"truth": "y_text", "score": "p_no", "positive": "yes"}
    alike(tm.evaluate(table, **options), wanted)
    monkeypatch.setattr("tallymark.parts.engines.limits.MOST_LINES", 30)
    monkeypatch.setattr("tallymark.parts.engines.limits.COARSE", 4)
    monkeypatch.setattr("tallymark.parts.engines.limits.BINS", 48)
    mine = counted_of(tm.evaluate(table, **options)).models[0]
    assert mine.scores[0] == wanted.models[0].scores[0].binned(mine.scores[0].bins)
    assert mine.labels == wanted.models[0].labels


@pytest.fixture
def few_groups(monkeypatch):
    """An engine that sends so few groups that scores of the rows are in bins."""
    monkeypatch.setattr("tallymark.parts.engines.limits.MOST_LINES", 55)
    monkeypatch.setattr("tallymark.parts.engines.limits.COARSE", 4)
    monkeypatch.setattr("tallymark.parts.engines.limits.BINS", 48)


@pytest.mark.slow
def test_models_in_bins_side_by_side(table, few_groups):
    names = ["many_scores", "p_no"]
    reading = {"score_is": "score"}
    mine = counted_of(tm.evaluate(table, truth="y", score=names, subgroup=["age"], reading=reading))
    scores = {"many_scores": ARRAYS["many_scores"], "p_no": 1 - ARRAYS["p_no"]}  # of "no"
    wanted = counted_of(tm.evaluate(ARRAYS["y"], y_score=scores, reading=reading))
    for m, n in zip(mine.models, wanted.models, strict=True):
        assert m.scores == (n.scores[0].binned(m.scores[0].bins),)
    cuts = tuple(m.threshold for m in mine.models)
    theirs = wanted.joint.agreement(*names, cuts)
    np.testing.assert_array_equal(mine.joint.agreement(*names, cuts), theirs)


@pytest.mark.slow
def test_scores_of_three_classes_in_bins(table, few_groups, monkeypatch):
    for names, options in (
        (["many_scores", "p_no", "s"], {}),
        (["p_no", "s", "many_scores"], {"weight": "w"}),
    ):
        mine = counted_of(
            tm.evaluate(table, truth="k", score=names, reading={"classes": [0, 1, 2]}, **options)
        )
        weight = ARRAYS["w"] if options else None
        matrix = np.stack([ARRAYS[n] for n in names], 1)
        wanted = counted_of(tm.evaluate(ARRAYS["k"], y_score=matrix, weight=weight))
        (m,), (n,) = mine.models, wanted.models
        assert any(t.bins is not None for t in m.scores)
        assert m.labels == n.labels
        sums = [each._sums for each in (m, n)]
        for part in ("totals", "squares", "cross", "weights", "sum_squared_weights"):
            np.testing.assert_allclose(*(getattr(s, part) for s in sums), rtol=1e-12)
        decided = [j.models[0].decided for j in (mine.joint, wanted.joint)]
        assert np.bincount(decided[0]).tolist() == np.bincount(decided[1]).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_repeated_ids_are_found(engines, kind):
    patients = [f"p{i // 15}" if i else None for i in range(179)]
    given = {"y": [i % 2 for i in range(179)], "s": [i / 200 for i in range(179)]}
    arrow = pa.table({**given, "patient": patients, "row_id": list(range(179))})
    ev = tm.evaluate(engines(kind, arrow), truth="y", score="s")
    sizes = {"rows": 178, "values": 12, "fewest": 14, "most": 15}
    assert ev.source.checks["repeated_ids"] == {"patient": sizes}
    assert any("14.8 rows per `patient` on average (max 15)" in n.text for n in ev.notes)
