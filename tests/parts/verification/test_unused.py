"""People who recur in rows that are judged without the columns that name them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main

PEOPLE = [f"p{i:02d}" for i in range(12)]


def comparisons(other=None):
    """Return three samples of each of twelve people against one, and four of other people."""
    rng = np.random.default_rng(7)
    rows = [(a, a) for a in PEOPLE for _ in range(3)]
    rows += [(a, PEOPLE[(i + k) % 12]) for i, a in enumerate(PEOPLE) for k in (1, 2, 3, 5)]
    mated = np.array([a == b for a, b in rows])
    return pd.DataFrame(
        {
            "probe": [a for a, _ in rows],
            "reference": [b for _, b in rows] if other is None else other,
            "truth": np.where(mated, "genuine", "impostor"),
            "score": rng.normal(3.0 * mated).round(4),
        }
    )


READ = {"truth": "truth", "score": "score", "positive": "genuine"}
SAID = (
    "12 people recur in `probe` and `reference`; these intervals assume independent comparisons. "
    "Use tallymark verify"
)


def noted(frame, **options):
    ev = tm.evaluate(frame, **{**READ, **options})
    return [n.text for n in ev.notes if n.rule == "people-not-used"]


def test_people_who_recur_are_counted_and_their_columns_named(tmp_path):
    frame = comparisons()
    assert noted(frame) == [SAID]
    frame.to_csv(tmp_path / "c.csv", index=False)
    assert noted(str(tmp_path / "c.csv")) == [SAID]
    lower = {"positive": "impostor", "reading": {"score_is": "lower"}}
    assert noted(frame, **lower) == []  # equal where the class is negative
    tm.evaluate(frame, **READ).to_json(tmp_path / "c.json")
    saved = tm.read(tmp_path / "c.json")
    assert [n.text for n in saved.notes if n.rule == "people-not-used"] == [SAID]


def test_columns_that_are_not_the_people_of_both_sides_warn_of_nothing():
    frame = comparisons()
    shuffled = frame["reference"].to_numpy().copy()
    shuffled[0] = "p05"  # a genuine comparison of two people
    assert noted(comparisons(shuffled)) == []
    once = frame.iloc[[0, 4]].copy()  # each person in one row
    apart = pd.DataFrame({"probe": ["x1", "x3"], "reference": ["x2", "x4"]})
    apart[["truth", "score"]] = [["impostor", 0.1], ["impostor", 0.4]]
    assert noted(pd.concat([once, apart])) == []
    assert noted(frame.rename(columns={"probe": "left", "reference": "right"})) == []


def test_no_number_for_independent_comparisons_is_given():
    ev = tm.evaluate(comparisons(), **READ, use="biometrics", threshold=1.5)
    text = " ".join(str(ev).split())
    assert f"warning: {SAID}" in text
    assert "% confidence takes" not in text
    assert "rule of 3)" not in text
    assert "people recur in the comparisons" in text
    alone = tm.evaluate(
        comparisons().drop(columns="probe"), **READ, use="biometrics", threshold=1.5
    )
    assert "% confidence takes" in " ".join(str(alone).split())


def test_the_gate_and_the_choice_of_a_threshold_warn_as_well(tmp_path):
    file = str(tmp_path / "c.csv")
    comparisons().to_csv(file, index=False)
    found = tm.check(file, require="roc_auc >= 0.5", **READ)
    assert found.notes == (f"warning: {SAID}",)
    assert f"warning: {SAID}" in " ".join(str(found).split())
    options = ["--truth", "truth", "--score", "score", "--positive", "genuine"]
    for command in ("threshold", "thresholds"):
        told = CliRunner().invoke(main, [command, file, *options])
        assert told.exit_code == 0, told.output
        assert f"warning: {SAID}" in " ".join(told.stderr.split())


@pytest.mark.parametrize("named", ["patient_id", "customer"])
def test_repeated_ids_are_warned_of_by_the_gate(named):
    y = np.arange(60) % 2
    frame = pd.DataFrame({"label": y, "score": (y + 0.5) / 2, named: np.arange(60) // 3})
    found = tm.check(frame, require="roc_auc >= 0.5", truth="label", score="score")
    (note,) = found.notes
    assert note.startswith(f"warning: 3.0 rows per `{named}` on average (max 3); intervals assume")
    clustered = {"truth": "label", "score": "score", "cluster": named}
    assert tm.check(frame, require="roc_auc >= 0.5", **clustered).notes == ()
