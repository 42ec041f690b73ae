"""The page on false alarms: made by its benchmark, whose shortcuts give what the part computes."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tallymark.parts.watch import e_values as e

benchmark = pytest.importorskip("benchmarks.watch")
PAGE = (Path(__file__).parents[3] / "docs" / "false-alarms.md").read_text("utf-8")


def test_the_page_begins_as_its_benchmark_writes_it_and_has_every_row():
    error = 100 * (0.95 * 0.05 / benchmark.RUNS) ** 0.5
    assert PAGE.startswith(benchmark.HEAD.format(runs=benchmark.RUNS, error=error))
    for section in (benchmark.OF_SHARES, benchmark.OF_BOUNDS,
                    benchmark.OF_PAIRS.format(years=benchmark.RUNS_OF_PAIRS)):  # fmt: skip
        assert section in PAGE
    rows = re.findall(r"(?m)^\| (\d+) \|", PAGE)
    assert len(rows) == len(benchmark.ROWS) * (len(benchmark.RULES) + 2)


def test_the_watch_keeps_its_error_rate_and_is_early():
    found = {}
    for rows, rule, false, delay in re.findall(
        r"(?m)^\| (\d+) \| ([^|]+) \| ([\d.]+) \| (\d+|–) \| [\d.]+ \| [\d.]+ \|$", PAGE
    ):
        found[int(rows), rule.strip()] = float(false), math.inf if delay == "–" else int(delay)
    most = 5 + 300 * (0.95 * 0.05 / benchmark.RUNS) ** 0.5
    for rows in benchmark.ROWS:
        daily, divided, every, restarts = (found[rows, name] for name in benchmark.RULES)
        assert daily[0] > 99
        assert max(divided[0], every[0], restarts[0]) <= most
        assert restarts[1] <= divided[1]
        assert 3 * restarts[1] < every[1]
        assert found[rows, "**restarts**, paired"][0] <= 10


def test_restarts_of_all_years_are_those_of_each():
    right = np.random.default_rng(0).binomial(30, 0.8, (3, 12))
    fast = benchmark.restarted(
        right, lambda sums, length: e.share_evidence(sums[:, 0], 30 * length, 0.85)
    )
    for year in range(3):
        for t in range(1, 13):
            n = 30 * np.arange(t, 0, -1)
            slow = e.restarted(e.share_evidence(e.of_starts(right[year, :t]), n, 0.85), 365)
            assert fast[year, t - 1] == pytest.approx(slow, abs=1e-9)


def test_the_first_alarm_of_a_year_is_its_earliest_day():
    alarms = np.array([[False, True, True], [False, False, False]])
    assert benchmark.first_alarms(alarms).tolist() == [1, math.inf]


@pytest.mark.slow
def test_it_runs_and_writes_the_page(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    monkeypatch.setattr("sys.argv", ["watch", "--runs=2", "--rows", "20", "-o", str(page)])
    assert benchmark.main() == 0
    assert capsys.readouterr().out.rstrip() in page.read_text("utf-8")
    assert page.read_text("utf-8").count("\n| 20 |") == len(benchmark.RULES) + 2
