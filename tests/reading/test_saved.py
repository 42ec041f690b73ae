"""Counts of several sites as those of all their rows, and sites that do not go together."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tallymark as tm
from asymmetric import FIRST, ILL, SECOND, SITE, WEIGHT
from judged import counted_of
from tallymark.part import part_roles
from tallymark.reading.saved import pooled

SOME = slice(None, None, 5)
Y, A, B, AT, W = (v[SOME] for v in (ILL.astype(int), FIRST, SECOND, SITE, WEIGHT))
N = len(Y)
WHO = np.arange(N) // 3
SITES = ("north", "south")


def counted(keep=slice(None), models=("a", "b"), **columns):
    scores = {"a": A[keep], "b": B[keep]}
    return counted_of(
        tm.evaluate(
            Y[keep], y_score={m: scores[m] for m in models},
            **{name: v[keep] if isinstance(v, np.ndarray) else v for name, v in columns.items()},
        )
    )  # fmt: skip


ROLES = "".join(f" or with {role.plural}" for role in part_roles().values())


def sites(**columns):
    return {name: counted(name == AT, **columns) for name in SITES}


def test_sites_are_counted_as_all_their_rows_with_the_site_as_a_subgroup():
    order = np.concatenate([np.flatnonzero(name == AT) for name in SITES])
    for columns in (
        {},
        {"weight": W},
        {"cluster": WHO},
        *({role: np.arange(N) + 1.0} for role in part_roles()),
        {"threshold": 0.3},
    ):
        found = pooled(sites(**columns))
        whole = counted(order, **columns)
        assert (found.rows, found.dropped, found.weighted) == (N, 0, whole.weighted)
        assert (found.classes, found.positive) == (whole.classes, whole.positive)
        for mine, its in zip(found.models, whole.models, strict=True):
            assert (mine.name, mine.threshold, mine.rule) == (its.name, its.threshold, its.rule)
            assert (mine.labels, mine.scores, mine.probabilities) == (its.labels, its.scores, True)
        by_site = found.subgroup_counts
        assert (by_site.columns, by_site.keys) == (("site",), (("north",), ("south",)))
        assert by_site.rows.tolist() == [(name == AT).sum() for name in SITES]
        assert by_site.of_rows.tolist() == sorted(by_site.of_rows.tolist())
        assert found.joint.rows == N
        assert found.joint.cluster_names is None
        assert found.source.checks["studies"] == 2
        assert str(found.source) == "north, south"
        assert "subgroup = `site`" in found.source.sentence
        if "cluster" in columns:  # the same number names other people at each site
            assert found.clusters == sum(len(np.unique(WHO[name == AT])) for name in SITES)
        for role in columns.keys() & part_roles().keys():
            assert found.joint.numbers[role].tolist() == (order + 1.0).tolist()
    alone = pooled(sites(models=("a",)))
    assert (alone.joint, alone.subgroup_counts.of_rows) == (None, None)


def test_notes_of_one_site_name_it():
    few = {"north": counted(AT == "north"), "south": counted(np.flatnonzero(AT == "south")[:60])}
    texts = [n.text for n in pooled(few).notes]
    for name, c in few.items():
        for note in c.notes:
            shared = all(note in other.notes for other in few.values())
            assert (note.text if shared else f"{name}: {note.text}") in texts
    assert len(set(texts)) == len(texts)


SAME_WAY = "evaluate the rows of every site in the same way"


def test_sites_that_were_evaluated_in_other_ways_are_refused():
    def other(**changes):
        return pooled({"x": counted(AT == "north"), "y": counted(AT == "south", **changes)})

    multi = counted_of(
        tm.evaluate(
            np.arange(9) % 3,
            y_score={"a": np.eye(3)[np.arange(9) % 3], "b": np.eye(3)[np.arange(9) % 3]},
        )
    )
    for ask, sentence in (
        (lambda: other(models=("a",)),
         "'x' and 'y' differ in the models: ('a', 'b') and ('a',)"),
        (lambda: other(weight=W), "'x' and 'y' differ in the weights of rows: 'none' and 'given'"),
        (lambda: other(threshold=0.25),
         "'x' and 'y' differ in the thresholds: (0.5, 0.5) and (0.25, 0.25)"),
        (lambda: other(positive=0), "'x' and 'y' differ in the positive class: 1 and 0"),
        (lambda: pooled({"x": counted(), "y": multi}),
         "'x' and 'y' differ in the classes: (0, 1) and (0, 1, 2)"),
        (lambda: other(cluster=WHO), f"some sites have rows in clusters{ROLES} and others do not"),
        *(
            (partial(other, **{role: np.arange(N) + 1.0}),
             f"some sites have rows in clusters{ROLES} and others do not")
            for role in part_roles()
        ),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as caught:
            ask()
        assert str(caught.value) == f"{sentence}; {SAME_WAY}"
