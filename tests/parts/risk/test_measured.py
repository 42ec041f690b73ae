"""The page of what was measured: the promise is kept, and its cells are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tallymark.parts.risk.measures import MEASURES

risk = pytest.importorskip("benchmarks.risk")
PAGE = Path(__file__).parents[3] / "docs" / "refer-measured.md"


def shares(text):
    return [float(share) / 100 for share in re.findall(r"([\d.]+)%", text)]


def tables_of_page():
    """Return the rows of the table of guarantees, and of that of intervals."""
    _, *sections = PAGE.read_text(encoding="utf-8").split("\n## ")
    of_lines = [[r for r in s.splitlines() if r.startswith("| ") and "%" in r] for s in sections]
    tested, judged = ([line.split(" | ") for line in lines] for lines in of_lines)
    return tested, judged


def test_the_page_has_every_population_and_the_promise_is_kept():
    tested, judged = tables_of_page()
    names = list(risk.POPULATIONS)
    assert [r[0][2:] for r in tested] == [n for n in names for _ in risk.TESTED]
    assert [r[0][2:] for r in judged] == [n for n in names for _ in risk.SIZES]
    held = np.array([shares(" ".join(r[2:5])) for r in judged])
    assert held.min() > 0.85
    broken = np.array([shares(" ".join(r[2:5])) for r in tested])
    chance = 3 * np.sqrt(risk.ERROR * (1 - risk.ERROR) / risk.RUNS)
    assert (broken[:, 2] <= risk.ERROR + chance).all()
    assert broken[:, 0].max() > 0.9
    assert broken[:, 1].max() > risk.ERROR + chance  # why the order of the tests is fixed


@pytest.mark.slow
def test_few_samples_give_the_numbers_of_the_page_but_for_chance(monkeypatch):
    name, runs = "errors fall with confidence", 100
    monkeypatch.setattr(risk, "POPULATIONS", {name: risk.POPULATIONS[name]})
    made = risk.guarantees(runs, (300,)), risk.intervals(runs, (100,))
    for table, (*_, line) in zip(tables_of_page(), made, strict=True):
        found = line.split(" | ")
        (written,) = (shares(" ".join(r[2:])) for r in table if r[:2] == found[:2])
        assert shares(" ".join(found[2:])) == pytest.approx(written, abs=0.15)


def test_the_risk_of_a_population_is_known():
    flat = risk.POPULATIONS["confidence says nothing"].whole()
    assert flat.risk() == pytest.approx(0.055)
    assert all(0 <= getattr(flat.areas, name) < 0.06 for name in MEASURES)
    assert flat.areas.aurc == pytest.approx(0.055, rel=1e-6)
    assert flat.areas.augrc == pytest.approx(0.055 / 2, rel=1e-3)
    levels = risk.POPULATIONS["the same in 6 levels"].whole()
    assert len(levels.confidence) == 6
