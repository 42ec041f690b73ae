"""Forecasts beside their outcomes, paired by name: two sides of an event, or its outcomes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from tallymark.reading.forecasts import find_pairs
from tallymark.reading.look import look_at
from tallymark.reading.readers import open_table

N = 90
RNG = np.random.default_rng(6)
SHARES = RNG.dirichlet([2, 1, 2], N)
CAME = np.array([RNG.choice(3, p=p) for p in SHARES])
THREE = pd.DataFrame(
    {f"prob{w}": SHARES[:, i] for i, w in enumerate(("1", "tie", "2"))}
    | {f"prob{w}_outcome": (i == CAME).astype(int) for i, w in enumerate(("1", "tie", "2"))}
)
P = RNG.random(N)
WON = (RNG.random(N) < P).astype(int)
TWO = pd.DataFrame({"p_a": P, "p_a_won": WON, "p_b": 1 - P, "p_b_won": 1 - WON})


def pairs_of(frame):
    return find_pairs(look_at(open_table(frame)))


def test_pairs_are_found_by_name_and_by_what_came_true():
    found = pairs_of(THREE)
    assert found.scores == ("prob1", "probtie", "prob2")
    assert found.outcomes == tuple(f"{c}_outcome" for c in found.scores)
    assert found.names == ("1", "tie", "2")
    assert pairs_of(THREE.rename(columns={"prob1_outcome": "first"})) is None
    assert pairs_of(THREE.assign(prob1_outcome=1)) is None  # several came true
    assert pairs_of(TWO.assign(p_b=P)) is None  # these do not add up to 1
    assert pairs_of(TWO[["p_a", "p_b"]]) is None


@pytest.mark.parametrize("kind", ["frame", "CSV"])
def test_three_outcomes_are_the_classes_of_one_model(kind, tmp_path):
    data = THREE
    if kind == "CSV":
        data = tmp_path / "a.csv"
        THREE.to_csv(data, index=False)
    ev = tm.evaluate(data)
    names = np.array(["1", "tie", "2"])
    wanted = tm.evaluate(names[CAME], y_score=SHARES, classes=[*names])
    assert set(ev.classes) == {*names}
    assert ev["accuracy"] == wanted["accuracy"]
    assert ev["log_loss"].value == pytest.approx(wanted["log_loss"].value)
    assert "`outcome` is which of `prob1_outcome`, `probtie_outcome`" in ev.source.sentence


def test_two_sides_of_an_event_are_one_model():
    ev = tm.evaluate(TWO)
    assert (ev.source._roles["truth"], ev.source._roles["score"]) == ("p_a_won", "p_a")
    assert ev["roc_auc"] == tm.evaluate(WON, y_score=P)["roc_auc"]


def test_a_row_of_several_outcomes_beyond_the_first_look_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tallymark.reading.look.MOST_CELLS", 1)
    many = pd.concat([THREE] * 20, ignore_index=True)
    many.loc[1500, ["prob1_outcome", "prob2_outcome", "probtie_outcome"]] = 1
    many.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(tm.InputError, match=r"some rows of a.csv have none or several of the outc"):
        tm.evaluate(tmp_path / "a.csv")
