"""The headline of the page of a watch."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tallymark as tm


def headline(folder, rule, days, **options):
    """Return the headline after some days, each of so many positives found of 100."""
    watch = tm.Watch(rule, folder / "state.json", **options)
    for k, found in enumerate(days):
        y = np.repeat([1, 0], 100)
        pred = {name: np.repeat([1, 0], [n, 200 - n]) for name, n in found.items()}
        look = watch.add(tm.evaluate(y, pred), date=f"2026-10-{k + 1:02}")
    text = look.report(folder / "page.html").read_text("utf-8")
    return re.search("<h1>(.*?)</h1>", text)[1]


@pytest.mark.parametrize(
    ("found", "title"),
    [
        (99, "No alarm in 3 days: sensitivity is ≥ 0.8."),
        (81, "No alarm in 3 days: sensitivity is not settled."),
        (60, "Alarm on 2026-10-02: sensitivity is not ≥ 0.8."),
    ],
)
def test_it_says_whether_the_limit_is_kept(tmp_path, found, title):
    assert headline(tmp_path, "sensitivity >= 0.80", [{"model": found}] * 3) == title


def test_a_difference_is_named(tmp_path):
    days = [{"old": 90, "new": 50}] * 3
    title = headline(tmp_path, "sensitivity 0.01", days, baseline="old")
    assert title == "Alarm on 2026-10-01: sensitivity difference is not ≥ −0.010."
