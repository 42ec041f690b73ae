"""Subgroups of rows with several labels: each as its rows alone, and against the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallymark as tm

RNG = np.random.default_rng(12)
N, L = 360, 3
NAMES = ["cat", "dog", "sky"]
LATENT = RNG.normal(size=(N, L)) + RNG.normal(size=(N, 1))
Y = (LATENT + RNG.normal(size=(N, L)) > [0.1, 0.4, 0.7]).astype(int)
S = np.round(1 / (1 + np.exp(0.7 - LATENT)), 2)
S[:140] = np.round(RNG.random((140, L)), 2)
REGION = np.repeat(["north", "south", "west"], [140, 100, 120])
SEX = RNG.choice(["f", "m"], N)
W = RNG.random(N) + 0.3
PATIENT = RNG.integers(0, 60, N)
KINDS = {"rows": {}, "weights": {"weight": W}, "clusters": {"cluster": PATIENT}}
ASKED = ("f1", "subset_accuracy", "hamming_loss", "roc_auc", "ranking_loss", "coverage_error")


def judged(kind="rows", **options):
    at = {"region": REGION, "sex": SEX}
    return tm.evaluate(Y, y_score=S, classes=NAMES, subgroup=at, **KINDS[kind], **options)


@pytest.mark.parametrize("kind", KINDS)
def test_each_subgroup_is_judged_as_its_rows_alone(kind):
    found = judged(kind).by("region")
    assert found.keys == ("north", "south", "west")
    for key in found.keys:
        rows = key == REGION
        options = {name: of[rows] for name, of in KINDS[kind].items()}
        alone = tm.evaluate(Y[rows], y_score=S[rows], classes=NAMES, **options)
        for name in ASKED:
            value = found.values(ASKED)[key][name]
            ends = (alone[name].value, alone[name].low, alone[name].high)
            assert (value.value, value.low, value.high) == pytest.approx(ends, rel=1e-12)
            assert value.method == alone[name].method


@pytest.mark.parametrize("kind", KINDS)
def test_a_worse_subgroup_is_found_against_the_rest(kind):
    found = judged(kind).by("region")
    assert found.flags("subset_accuracy")[0].key == "north"
    d = {d.key: d.difference for d in found.differences("subset_accuracy")}
    rest = REGION != "north"
    options = {name: of[rest] for name, of in KINDS[kind].items()}
    other = tm.evaluate(Y[rest], y_score=S[rest], classes=NAMES, **options)["subset_accuracy"]
    here = found.values()["north"]["subset_accuracy"]
    assert d["north"].value == pytest.approx(here.value - other.value, abs=1e-12)
    assert d["north"].high < 0
    assert found.worst_of_all("subset_accuracy").key == "north"
    assert ("by cluster" in d["north"].method) == (kind == "clusters")


def test_a_cluster_on_both_sides_pairs_them():
    """Of clusters with rows on both sides the numbers rise and fall together."""
    patient, half = np.arange(N) % 40, np.where(np.arange(N) < N // 2, "a", "b")
    good = np.where(np.isin(patient, range(20))[:, None], Y, 1 - Y)
    shared = tm.evaluate(Y, good, cluster=patient, subgroup={"half": half}).by("half")
    apart = patient + 40 * (half == "b")
    other = tm.evaluate(Y, good, cluster=apart, subgroup={"half": half}).by("half")
    one, two = (s.differences("f1")[0].difference for s in (shared, other))
    assert one.value == two.value
    assert one.error < 0.7 * two.error


def test_rows_that_tell_a_number_are_those_of_its_rarest_label():
    found = judged().by("region")
    north = Y[REGION == "north"]
    rarest = min(north.sum(0).min(), (1 - north).sum(0).min())
    assert found._support("f1")["north"] == rarest
    assert found._support("hamming_loss")["north"] == 140


def test_one_label_keeps_the_subgroups():
    ev = judged()
    alone = tm.evaluate(Y[:, 1], y_score=S[:, 1], subgroup={"region": REGION, "sex": SEX})
    for columns in (["region"], ["region", "sex"]):
        values = ev.label("dog").by(*columns).values(["f1"])
        assert dict(values) == dict(alone.by(*columns).values(["f1"]))


@pytest.mark.slow
def test_files_pages_and_tables_hold_the_subgroups(tmp_path):
    frame = pd.DataFrame({f"true_{n}": Y[:, i] for i, n in enumerate(NAMES)})
    frame = frame.assign(**{f"score_{n}": S[:, i] for i, n in enumerate(NAMES)}, region=REGION)
    frame.loc[3, "region"] = None
    ev = tm.evaluate(frame, subgroup="region")
    assert ev.by("region").keys == ("north", "south", "west", None)
    assert ev.by("region").rows["north"] == 139
    ev.to_json(tmp_path / "run.json")
    again = tm.read(tmp_path / "run.json")
    assert str(again.by("region")) == str(ev.by("region"))
    assert again.to_dict() == ev.to_dict()
    assert "Subgroups" in ev.report(tmp_path / "page.html").read_text("utf-8")
    dropped = frame.assign(score_cat=np.where(np.arange(N) < 10, np.nan, frame.score_cat))
    assert tm.evaluate(dropped, subgroup="region", missing="drop").by("region").rows["north"] == 130
    with pytest.raises(tm.InputError, match="the rows were not counted by subgroup"):
        tm.evaluate(Y, y_score=S).by("region")
