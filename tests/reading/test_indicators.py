"""Rows with any number of labels, in every form in which people have them."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.reading.indicators import find_indicators

RNG = np.random.default_rng(7)
NAMES = ["cat", "dog", "sky"]
Y = (RNG.random((50, 3)) < [0.5, 0.4, 0.3]).astype(int)
S = np.round(np.clip(0.5 * Y + 0.7 * RNG.random((50, 3)), 0, 1), 3)
P = (S >= 0.5).astype(int)
FRAME = pd.DataFrame({
    "id": range(50),
    **{f"true_{n}": Y[:, i] for i, n in enumerate(NAMES)},
    **{f"score_{n}": S[:, i] for i, n in enumerate(NAMES)},
})  # fmt: skip


def sets(matrix, kind=set):
    return [kind(NAMES[j] for j in range(3) if row[j]) for row in matrix]


def counted(*args, **options):
    return counted_of(tm.evaluate(*args, **options))


PAIRS = {
    "arrays": (Y, S),
    "booleans": (Y.astype(bool), S),
    "lists": (Y.tolist(), S.tolist()),
    "sparse": (scipy.sparse.csr_matrix(Y), S),
    "all sparse": (scipy.sparse.csc_array(Y), scipy.sparse.csr_array(S)),
    "frames": (pd.DataFrame(Y, columns=NAMES), pd.DataFrame(S, columns=NAMES)),
    "frames of another order": (
        pd.DataFrame(Y, columns=NAMES),
        pl.DataFrame({n: S[:, i] for i, n in reversed(list(enumerate(NAMES)))}),
    ),
    "a frame and an array": (pl.DataFrame(Y, schema=NAMES), S),
    "sets and an array": (sets(Y), S),
    "scikit-learn's lists of a label's classes": (Y, [np.stack([1 - s, s], 1) for s in S.T]),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_true_labels_and_scores_in_any_form(kind):
    y, s = PAIRS[kind]
    named = {} if "frame" in kind else {"classes": NAMES}
    for found in (counted(y, y_score=s, **named), counted(y, s, **named)):
        assert found.labels == tuple(NAMES)
        assert (found.true == Y).all()
        assert (found.models[0].scores == S).all()
        assert (found.models[0].decided == P).all()


@pytest.mark.slow
def test_tensors_of_labels_are_read():
    torch = pytest.importorskip("torch")
    found = counted(torch.tensor(Y), torch.tensor(S, requires_grad=True))
    assert (found.true == Y).all()
    assert (found.models[0].scores == S).all()


@pytest.mark.parametrize("kind", [
    lambda m: m, lambda m: m.astype(float), sets, lambda m: sets(m, sorted),
    lambda m: pd.Series(sets(m, sorted)), lambda m: pl.Series(sets(m, sorted)),
    scipy.sparse.csr_matrix,
])  # fmt: skip
def test_predicted_labels_in_any_form(kind):
    found = counted(kind(Y), kind(P), classes=NAMES)
    assert (found.true == Y).all()
    assert (found.models[0].decided == P).all()
    assert found.models[0].scores is None


@pytest.mark.parametrize("predicted", [
    [[7], [3], [3, 7]], [[7], [3], [7, 3, 3]], [{7}, {3}, {3, 7}], pd.Series([[7], [3], [3, 7]]),
    [np.array([7]), np.array([3]), np.array([3, 7])], [[0, 1, 0], [1, 0, 0], [1, 1, 0]],
])  # fmt: skip
def test_lists_of_different_lengths_hold_the_numbers_of_labels(predicted):
    for kind in (list, pd.Series, pl.Series):
        found = counted(kind([[3, 7], [9], []]), predicted)
        assert found.labels == (3, 7, 9)
        assert found.true.tolist() == [[True, True, False], [False, False, True], [False] * 3]
        assert found.models[0].decided.tolist() == [
            [False, True, False], [True, False, False], [True, True, False]
        ]  # fmt: skip


def test_a_list_of_numbers_a_row_is_read_as_the_truth_is():
    one_each = counted([[0, 1], [2], [0]], [[1], [0], [0]])
    assert one_each.models[0].decided.tolist() == np.eye(3, dtype=bool)[[1, 0, 0]].tolist()
    assert counted(Y, [np.flatnonzero(row).tolist() for row in P]).models[0].decided.tolist() == (
        P.astype(bool).tolist()
    )
    with pytest.raises(tm.InputError, match="y_true holds 3.0 at index 0 of column 0.*as sets"):
        tm.evaluate([[3, 7], [7, 9]], [[3], [7]])
    as_sets = tm.evaluate([set(row) for row in [[3, 7], [7, 9]]], [[3], [7]])  # the remedy
    assert as_sets.value("sensitivity", average="samples").value == 0.5


def test_sets_name_their_labels_and_arrays_number_them():
    assert counted(sets(Y), sets(P)).labels == ("cat", "dog", "sky")
    assert counted(Y, P).labels == (0, 1, 2)
    assert tm.evaluate(Y, P).label(2).rows == 50
    assert tm.evaluate(sets(Y), sets(P)).label("sky").rows == 50


def test_a_cell_that_lists_labels_is_a_class_until_it_is_split():
    truth, pred = ["cat|sky", "sky", "cat"], ["cat", "sky", "cat"]
    assert tm.evaluate(truth, pred).classes == ("cat", "cat|sky", "sky")
    truth[1] = ""  # a missing label, and in a list a row without labels
    with pytest.raises(tm.InputError, match="y_true is missing in 1 row, first at index 1"):
        tm.evaluate(truth, pred)
    split = [[{t for t in cell.split("|") if t} for cell in column] for column in (truth, pred)]
    assert counted(*split).labels == ("cat", "sky")


def test_given_sets_stand_and_a_threshold_decides_anew():
    given = counted(Y, 1 - P, y_score=S)
    assert (given.models[0].decided == 1 - P).all()
    assert given.models[0].rule == "predictions as given"
    cut = counted(Y, 1 - P, y_score=S, threshold=0.7)
    assert (cut.models[0].decided == (S >= 0.7)).all()
    ml = tm.evaluate(Y, y_score=S, threshold=0.7)
    assert ml.label(1).models[0].threshold == 0.7
    assert (
        ml.label(1)["sensitivity"] == tm.evaluate(Y[:, 1], y_score=S[:, 1], threshold=0.7)["recall"]
    )


def test_scores_of_all_labels_decide_what_they_are():
    logits = S * 4 - 2
    logits[:, 0] = S[:, 0]  # one label's look like probabilities
    ml = tm.evaluate(Y, y_score=logits)
    assert [ml.label(k).models[0].threshold for k in range(3)] == [0, 0, 0]
    assert not any(ml.label(k).models[0].probabilities for k in range(3))
    with pytest.raises(tm.InputError, match="have no natural threshold; give threshold="):
        tm.evaluate(Y, y_score=S * 100)
    assert (counted(Y, y_score=S * 100, threshold=50).models[0].decided == P).all()


def test_several_models_and_one_of_them():
    ml = tm.evaluate(Y, {"a": S, "b": 1 - S, "c": P})
    assert ml.names == ("a", "b", "c")
    assert ml.model("b")["f1"] == ml.values()["b"]["f1"]
    assert ml.source.format == (
        "y_pred['a'] holds fractions and was read as scores",
        "y_pred['b'] holds fractions and was read as scores",
    )
    with pytest.raises(tm.InputError, match="holds 3 models"):
        ml.value("f1")


# -- frames and files ------------------------------------------------------------------------------


def test_columns_are_found_by_their_names(tmp_path):
    wanted = counted(Y, y_score=S, classes=NAMES)
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    FRAME.to_parquet(tmp_path / "rows.parquet")
    for data in (FRAME, pl.from_pandas(FRAME).lazy(), tmp_path / "rows.csv",
                 tmp_path / "rows.parquet"):  # fmt: skip
        ml = tm.evaluate(data)
        assert (counted_of(ml).true == wanted.true).all()
        assert (counted_of(ml).models[0].scores == S).all()
        assert ml.source.sentence == (
            "Read as: truth = `true_cat`, `true_dog`, `true_sky`, score = `score_cat`, "
            "`score_dog`, `score_sky`; ignored: `id`. Change with truth=..., score=..."
        )


def test_columns_are_named_in_one_order():
    frame = FRAME.rename(columns={"true_cat": "C", "score_cat": "katze"})
    truth, score = ["C", "true_sky"], ["katze", "score_sky"]
    ml = tm.evaluate(frame, truth=truth, score=score)
    assert ml.labels == ("C", "true_sky")
    assert (counted_of(ml).true == Y[:, [0, 2]]).all()
    assert (counted_of(ml).models[0].scores == S[:, [0, 2]]).all()
    assert tm.evaluate(FRAME, classes=NAMES[::-1]).labels == ("sky", "dog", "cat")
    one = tm.evaluate(FRAME, truth="true_cat", score="score_cat")
    assert one.positive == 1


def test_clusters_of_a_table_without_weights():
    columns = {f"{role}_{c}": np.arange(60) // n % 2 for role, c, n in
               (("true", "a", 1), ("true", "b", 2), ("pred", "a", 3), ("pred", "b", 4))}  # fmt: skip
    frame = pd.DataFrame({**columns, "patient": np.arange(60) // 5})
    found = tm.evaluate(
        frame, truth=["true_a", "true_b"], pred=["pred_a", "pred_b"], cluster="patient"
    )
    assert (found.clusters, found.weighted) == (12, False)


def test_weights_and_clusters_of_a_table():
    frame = FRAME.assign(w=RNG.random(50) + 0.1, patient=np.repeat(range(10), 5))
    found = tm.evaluate(frame, weight="w", cluster="patient")
    wanted = tm.evaluate(Y, y_score=S, weight=frame.w, cluster=frame.patient, classes=NAMES)
    assert (found.clusters, found.weighted) == (10, True)
    assert found.values()["model"] == wanted.values()["model"]


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (["label", "score"], {}),
        (["true_a", "score_a"], {}),
        (["true_a", "true_b", "score_a"], {}),
        (["true_a", "true_b", "score_a", "score_b"], {"truth": "true_a"}),
        (["p_a", "p_b", "label"], {}),
        (["true_a", "true_b", "score_a", "score_b", "p_a", "p_b"], {}),  # two scores of a label
    ],
)
def test_other_tables_have_one_column_of_classes(columns, named):
    assert find_indicators(columns, named) is None


def test_predicted_columns_are_found_beside_scores():
    names = [f"{role}_{k}" for role in ("y_true", "y_pred", "y_prob") for k in "ab"]
    assert find_indicators(names, {}) == (("a", "b"), {
        "truth": ("y_true_a", "y_true_b"), "pred": ("y_pred_a", "y_pred_b"),
        "score": ("y_prob_a", "y_prob_b"),
    })  # fmt: skip


@pytest.mark.parametrize("role", ["score", "prob", "p"])
def test_columns_of_scores_have_several_names(role):
    frame = FRAME.rename(columns={f"score_{n}": f"{role}_{n}" for n in NAMES})
    assert tm.evaluate(frame).values() == tm.evaluate(FRAME).values()


def test_the_label_may_stand_before_what_a_column_is():
    frame = FRAME.rename(columns={f"{role}_{n}": f"{n}_{word}" for n in NAMES
                                  for role, word in (("true", "actual"), ("score", "prob"))})  # fmt: skip
    assert "cat_actual" in frame
    found, wanted = tm.evaluate(frame), tm.evaluate(FRAME)
    assert found.labels == wanted.labels
    assert found.values() == wanted.values()


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "options", "words"),
    [
        ((Y + 1, S), {}, "of column 0; each of several columns stands for a label and holds 0 and 1"),
        ((Y, S[:, :2]), {}, "y_pred has 2 columns and there are 3 labels; give one column per label"),
        ((Y, S[:9]), {}, "the lengths differ: y_true has 50, y_score has 9 rows"),
        ((Y,), {}, "there is nothing to judge: give y_pred, y_score or both"),
        ((Y, S), {"positive": 1}, "positive is for one column of classes, and these rows have"),
        ((Y, S), {"subgroup": ["a"]}, "subgroup arrays need names; give a mapping such as"),
        ((Y, S), {"subgroup": {"a": Y[:9, 0]}}, "y_score has 50, subgroup['a'] has 9 rows"),
        ((Y, S), {"fold": Y[:, 0]}, "leave fold out, or judge one label separately"),
        ((Y, S), {"classes": ["a", "b"]},
         "y_true has 3 columns and there are 2 labels; give one column per label: 'a', 'b'"),
        ((Y, S), {"classes": ["a", "b", "a"]}, "classes are 'a', 'b', 'a'; name each label once"),
        ((Y, S), {"positive": False}, "leave positive out, or judge one label separately"),
        ((Y, S, ), {"y_score": S}, "y_pred holds 0."),
        ((Y, np.where(np.eye(50, 3), np.nan, S)), {}, "y_score is missing in 3 rows, first at index"),
        ((Y[:0], S[:0]), {}, "there is no row to count in arrays; give at least one"),
        ((Y, S), {"weight": np.zeros(50)}, "the weight is 0 in every row of arrays"),
        (([[0.5, 2], [3]], [[1], [2]]), {}, "y_true has rows of different lengths (2 at index 0"),
        (([["a"], "b"], [["a"], ["b"]]), {}, "a row of labels is 'b' at index 1; give a list or"),
        (
            ([["a"], ["b", math.nan]], [["a"], ["b"]]), {},
            "a row of labels holds a missing one at index 1; leave it out of the list",
        ),
        (
            ([["a"], ["b", 1]], [["a"], ["b"]]), {},
            "some labels are texts ('a', 'b') and some are numbers; write them all as texts or all",
        ),
        ((sets(Y), sets(P)), {"classes": ["cat", "dog"]}, "holds the label 'sky' at index"),
        (([{"a"}, set()], [{"a"}, {"a"}]), {}, "y_true holds sets of 1 labels; several labels"),
        ((np.array([["a", "b"]] * 4), P[:4, :2]), {}, "y_true has shape (4, 2) of <U1; rows of"),
        ((pd.DataFrame(Y, columns=NAMES), pd.DataFrame(S, columns=["cat", "dog", "sea"])), {},
         "y_pred has the columns 'cat', 'dog', 'sea' and the labels are 'cat', 'dog', 'sky'"),
        ((FRAME,), {"truth": ["true_cat", "true_dog"]}, "and no prediction; give pred=[...] or"),
        ((FRAME,), {"truth": ["true_cat", "true_dog"], "score": ["score_cat"]},
         "truth names 2 columns and score 1; name one per label, in the same order"),
        ((FRAME,), {"truth": ["true_cat", "nix"], "score": ["score_cat", "score_dog"]},
         "the data frame has no column 'nix'"),
        ((FRAME,), {"classes": ["a"]}, "classes are 'a' and the columns are of 'cat', 'dog', 'sky'"),
        ((FRAME,), {"subgroup": "nix"}, "has no column 'nix'"),
        ((FRAME.assign(true_dog=RNG.choice(["x", "y"], 50)),), {},
         "the data frame has the values 'x', 'y' in 'true_dog'; several true columns hold"),
    ],
)  # fmt: skip
def test_what_is_no_set_of_labels_is_refused(args, options, words):
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(*args, **options)
    assert words in str(caught.value)


def test_rows_where_something_is_missing_are_left_out_when_asked():
    y = Y.astype(float)
    y[3, 1] = np.nan
    ml = tm.evaluate(y, S, missing="drop")
    assert (ml.rows, ml.dropped) == (49, 1)
    assert ml.value("f1") == tm.evaluate(np.delete(Y, 3, 0), np.delete(S, 3, 0)).value("f1")


@pytest.mark.parametrize(("role", "prefix"), [("score", "p_"), ("pred", "pred_")])
def test_columns_named_after_labels_are_asked_about_as_labels(role, prefix):
    names = ["sport", "tech", "politics"]
    given = S if role == "score" else S >= 0.5
    labels = {name: Y[:, i].astype(int) for i, name in enumerate(names)}
    outputs = {f"{prefix}{n}": given[:, i] * 1 for i, n in reversed([*enumerate(names)])}
    frame = pd.DataFrame({"id": range(len(Y)), **labels, **outputs})
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(frame)
    columns = [prefix + name for name in names]
    assert str(asked.value) == (
        f"{', '.join(map(repr, names))} hold 0 and 1, not one 1 in each row, and "
        f"{', '.join(map(repr, columns))} are named after them, so rows may have several labels; "
        f"say tm.evaluate(..., truth={names!r}, {role}={columns!r})"
    )
    ev = tm.evaluate(frame, truth=names, **{role: columns})  # the answer, word for word
    assert ev.labels == tuple(names)
    assert ev["f1"] == tm.evaluate(Y, **{f"y_{role}": given})["f1"]


def test_classes_that_exclude_each_other_are_noticed():
    y = np.eye(3, dtype=int)[RNG.integers(0, 3, 40)]
    with pytest.raises(tm.InputError, match=r"every row has exactly one label.*\(one-hot\)"):
        tm.evaluate(y, y)
    ev = tm.evaluate(y, y, classes=["a", "b", "c"])
    note, few = [n for n in ev.notes if n.severity == "warning"]
    assert (note.rule, few.rule) == ("one-label-a-row", "few-rows-of-a-label")
    assert "give the true class of each row as one column (y_true.argmax(axis=1)" in note.text
    judged = tm.evaluate(y.argmax(axis=1), y.argmax(axis=1))  # the remedy, word for word
    assert len(judged.classes) == 3


@pytest.mark.slow
def test_the_command_line_judges_labels(tmp_path):
    path = tmp_path / "rows.csv"
    FRAME.to_csv(path, index=False)
    run = CliRunner().invoke
    found = run(main, ["report", str(path), "-o", str(tmp_path / "page.html")])
    assert found.exit_code == 0, found.output
    assert "50 rows, 3 labels" in found.output
    assert "Hamming loss" in (tmp_path / "page.html").read_text("utf-8")
    named = ["--truth", "true_cat", "--truth", "true_sky", "--score", "score_cat", "--score",
             "score_sky"]  # fmt: skip
    found = run(main, ["report", str(path), *named])
    assert "50 rows, 2 labels" in found.output
    found = run(main, ["threshold", str(path)])
    assert found.exit_code == 2
    assert "name the columns of one label with --truth and --score or --pred" in found.output
    found = run(main, ["threshold", str(path), "--truth", "true_cat", "--score", "score_cat"])
    assert found.exit_code == 0, found.output


# -- what is kept of the rows ------------------------------------------------------------------

LOSING = np.isin(np.arange(50), (3, 17, 40))
"""Rows where something is missing."""
SITES = np.array(["north", "south", "east"])[np.arange(50) % 3]


def test_incomplete_rows_take_their_weight_cluster_and_subgroup_along():
    true, scores = Y.astype(float), S.copy()
    true[3, 1], scores[17, 2] = np.nan, np.nan
    weight, who = 1 + np.arange(50) % 4, np.array([f"w{i // 4}" for i in range(50)], object)
    who[40] = None
    found = counted(
        true, P, y_score=scores, weight=weight, cluster=who, subgroup={"site": SITES},
        classes=NAMES, missing="drop",
    )  # fmt: skip
    kept = ~LOSING
    (m,) = found.models
    assert (found.rows, found.dropped, found.labels) == (47, 3, tuple(NAMES))
    assert np.array_equal(found.true, Y[kept] == 1)
    assert np.array_equal(m.decided, P[kept] == 1)
    assert np.array_equal(m.scores, S[kept])
    assert (m.threshold, m.rule, m.probabilities) == (None, "predictions as given", True)
    assert found.weights.tolist() == weight[kept].tolist()
    assert found.weighted
    codes = np.unique(np.arange(50)[kept] // 4, return_inverse=True)[1]
    assert found.cluster_codes.tolist() == codes.tolist()
    assert (found.clusters, found.codes_of_clusters is found.cluster_codes) == (13, True)
    assert found.subgroup_counts.keys == (("east",), ("north",), ("south",))
    assert found.subgroup_counts.rows.tolist() == [
        (SITES[kept] == s).sum() for s in ("east", "north", "south")
    ]
    assert found.support == dict(zip(NAMES, Y[kept].sum(0).tolist(), strict=True))
    assert "weight = `weight`, cluster = `cluster`, subgroup = `site`" in found.source.sentence
    some = found.take(np.arange(47) % 5 > 1)
    at = np.arange(47) % 5 > 1
    assert np.array_equal(some.true, found.true[at])
    assert np.array_equal(some.models[0].decided, m.decided[at])
    assert np.array_equal(some.models[0].scores, m.scores[at])
    assert some.weights.tolist() == found.weights[at].tolist()
    assert some.cluster_codes.tolist() == np.unique(codes[at], return_inverse=True)[1].tolist()
    assert some.subgroup_counts is None
    plain = counted(Y, P, classes=NAMES)
    assert (plain.weights, plain.clusters, plain.weighted) == (None, None, False)
    assert plain.take(LOSING).rows == 3
    assert plain.take(LOSING).models[0].scores is None
    with pytest.raises(tm.InputError) as caught:
        counted(true, P, y_score=scores, cluster=who)
    assert str(caught.value) == (
        "y_true is missing in 1 row, first at index 3, and y_score in 1 row, first at index 17, and "
        "cluster in 1 row, first at index 40; correct the data, or say missing='drop' to leave those "
        "rows out"
    )


def test_scores_of_labels_decide_at_a_half_at_zero_or_where_told():
    for scores, cut, given in (
        (S, 0.5, None),
        (S - 0.4, 0.0, None),
        (S, 0.3, 0.3),
        (9 * S, 4.0, 4),
    ):
        (m,) = counted(Y, y_score=scores, threshold=given).models
        assert (m.threshold, m.rule) == (cut, f"scores at or above {cut:g}")
        assert np.array_equal(m.decided, scores >= cut)
        assert m.probabilities is (scores is S)
    for scores, said in ((S - 0.4, (S - 0.4).min()), (9 * S, (9 * S).max())):
        (note,) = counted(Y, y_score=scores, threshold=0.2).notes
        assert f"{said:.4g}".replace("-", "−")[:4] in note.text
    (m,) = counted(Y, 1 - P, y_score=S, threshold=0.3).models
    assert np.array_equal(m.decided, S >= 0.3)
    one, two = counted(Y, {"a": P}, y_score={"a": S, "b": 1 - S}).models
    assert (one.name, one.rule, two.name, two.rule) == (
        "a", "predictions as given", "b", "scores at or above 0.5",
    )  # fmt: skip
    (m,) = counted(Y, S).models
    assert np.array_equal(m.scores, S)
    assert "y_pred holds fractions and was read as scores" in counted(Y, S).source.format
    named = counted(Y, {"a": S, "b": P})
    assert "y_pred['a'] holds fractions and was read as scores" in named.source.format


def test_twenty_rows_of_one_label_each_are_asked_about_and_nineteen_are_not():
    one_hot = np.eye(3, dtype=int)[np.arange(20) % 3]
    assert [n.rule for n in counted(one_hot[:19], one_hot[:19]).notes] == ["one-label-a-row"]
    with pytest.raises(tm.InputError, match="every row has exactly one label"):
        counted(one_hot, one_hot)
    one_hot[0, 1] = 1
    assert counted(one_hot, one_hot).notes == ()


def test_labels_go_by_their_text_and_averages_by_their_names():
    found = counted(Y, P)
    assert (found.label("1"), found.label(2)) == (1, 2)
    with pytest.raises(tm.InputError) as caught:
        found.label("5")
    assert str(caught.value) == "there is no label '5'; there are '0', '1', '2'"
    ev = tm.evaluate(Y, P, y_score=S)
    both = np.stack([Y, P])
    tp = (Y * P).sum(0)
    of_each = 2 * tp / both.sum((0, 1))
    rows = 2 * (Y * P).sum(1) / np.maximum(both.sum((0, 2)), 1)
    assert ev.value("f1").value == pytest.approx(of_each.mean())
    assert ev.value("f1", average="macro").value == pytest.approx(of_each.mean())
    assert ev.value("f1", average="micro").value == pytest.approx(2 * tp.sum() / both.sum())
    weighted = np.average(of_each, weights=Y.sum(0))
    assert ev.value("f1", average="weighted").value == pytest.approx(weighted)
    defined = both.sum((0, 2)) > 0
    samples = ev.value("f1", average="samples", skip_undefined=True).value
    assert samples == pytest.approx(rows[defined].mean())
    for metric, options, sentence in (
        ("hamming_loss", {"average": "macro"},
         "hamming_loss is a mean over rows already; leave average out"),
        ("best profit of all", {}, "there is no metric"),
        ("f1", {"average": "mean"}, "average is 'mean'; there are 'macro', 'micro', 'weighted', 'samples'"),
        ("roc_auc", {"average": "samples"},
         "average='samples' is for decisions, and roc_auc uses scores; use "
         "label_ranking_average_precision or ranking_loss"),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as caught:
            ev.value(metric, **options)
        assert str(caught.value).startswith(sentence), str(caught.value)


def test_rows_of_labels_are_saved_and_damaged_ones_refused():
    found = counted(
        Y, {"a": P, "b": 1 - P}, y_score={"a": S, "b": 1 - S}, weight=1 + np.arange(50) % 3,
        cluster=np.arange(50) // 4, subgroup={"site": SITES}, classes=NAMES,
    )  # fmt: skip
    data = json.loads(json.dumps(found.to_dict()))
    again = type(found).from_dict(data)
    assert again.to_dict() == found.to_dict()
    assert np.array_equal(again.true, found.true)
    assert (again.labels, again.clusters, again.support) == (found.labels, 13, found.support)

    def altered(change):
        other = json.loads(json.dumps(data))
        change(other)
        return other

    for change in (
        lambda d: d.update(labels=["cat", "cat", "sky"]),
        lambda d: d.update(labels=[]),
        lambda d: d.update(models=[]),
        lambda d: d.update(models=[d["models"][0]] * 2),
        lambda d: d.update(true=d["true"][:-1]),
        lambda d: d.update(true=[row[:2] for row in d["true"]]),
        lambda d: d.update(weights=d["weights"][:-1]),
        lambda d: d.update(cluster_codes=[2 * c for c in d["cluster_codes"]]),
        lambda d: d["models"][0].update(decided=d["models"][0]["decided"][:-1]),
        lambda d: d["models"][0].update(scores=d["models"][0]["scores"][:-1]),
        lambda d: d["models"][0].update(threshold=0.9),
        lambda d: d["models"][0]["scores"][0].__setitem__(0, 1.5),
        lambda d: d["subgroup_counts"].update(of_rows=None),
        lambda d: d["subgroup_counts"].update(of_rows=d["subgroup_counts"]["of_rows"][:-1]),
    ):
        with pytest.raises(tm.InputError):
            type(found).from_dict(altered(change))


def test_columns_named_in_another_order_than_the_labels_are_asked_about():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({c: rng.integers(0, 2, 50) for c in ("sport", "tech")})
    for c in ("p_tech", "p_sport"):
        frame[c] = rng.random(50)
    named = {"truth": ["sport", "tech"], "score": ["p_tech", "p_sport"]}
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(frame, **named)
    assert str(asked.value) == (
        "the columns of score are named in another order than the labels ('sport', 'tech'); say "
        "tm.evaluate(..., truth=['sport', 'tech'], score=['p_sport', 'p_tech'])"
    )
    ev = tm.evaluate(frame, **named | {"score": ["p_sport", "p_tech"]})
    assert (
        ev.label("sport")["roc_auc"] == tm.evaluate(frame.sport, y_score=frame.p_sport)["roc_auc"]
    )
    other = frame.rename(columns={"p_tech": "first", "p_sport": "second"})
    assert tm.evaluate(other, truth=["sport", "tech"], score=["first", "second"]).rows == 50
