"""Counting by workers: the same tallies as of arrays, however the rows are split and merged."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallymark as tm
from judged import counted_of
from tallymark.parts.engines import limits, partial_tallies, workers
from tallymark.parts.engines.partial_tallies import (
    Grouping,
    PartialTally,
    Sent,
    counted,
    merged,
    packed,
)
from tallymark.tally.bins import Bins

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
HERE = Path(__file__).parent


@pytest.fixture
def few_lines(monkeypatch):
    """Limits so low that scores of some hundred rows are in bins."""
    monkeypatch.setattr(limits, "MOST_LINES", 100)
    monkeypatch.setattr(limits, "LINES_OF_A_TALLY", 100)
    monkeypatch.setattr(limits, "BINS", 64)
    monkeypatch.setattr(partial_tallies, "BUFFER", 16)


@pytest.fixture
def scans(monkeypatch):
    """Every run of tasks on the rows: True for a first look."""
    import dask

    runs, by_dask = [], workers.CREWS["dask"]

    def recorded(frame, count, merge):
        runs.append(merge is None)
        return by_dask(frame, count, merge)

    monkeypatch.setitem(workers.CREWS, "dask", recorded)
    with dask.config.set(scheduler="synchronous"):
        yield runs


def in_partitions(frame: pd.DataFrame, sizes):
    """Return a frame of Dask with partitions of given sizes."""
    ends = np.cumsum([0, *sizes])
    parts = [frame.iloc[a:b] for a, b in pairwise(ends)]
    return dd.concat([dd.from_pandas(p, npartitions=1, sort=False) for p in parts])


def binary(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return pd.DataFrame({"y": y, "s": rng.random(n) * 0.7 + 0.3 * y, "g": rng.integers(0, 3, n)})


# -- the tally of a worker -----------------------------------------------------------------------


def bin_in_two_ranges(s):
    """Return the bin of a score from 0 to 1: five below 0.3, five above."""
    start, width, first = (0.0, 0.3, 0) if s < 0.3 else (0.3, 1.0 - 0.3, 5)
    return first + min(int((s - start) * (5 / width)), 4)


def slow(rows, bins=None):
    """Count lines in a dictionary, one row at a time; of bins with their ends."""
    lines, ends = Counter(), {}
    for y, s in rows:
        whole = y is not None and s is not None
        s = s if whole else 0.0
        key = (y, s if bins is None else bins(s), int(whole))
        lines[key] += 1
        low, high = ends.get(key, (s, s))
        ends[key] = (min(low, s), max(high, s))
    return {k: (n, *(ends[k] if bins is not None else ())) for k, n in lines.items()}


@pytest.mark.parametrize("seed", range(12))
def test_a_tally_does_not_depend_on_how_rows_are_split(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(partial_tallies, "BUFFER", int(rng.integers(1, 40)))
    n, digits = int(rng.integers(1, 200)), int(rng.integers(1, 4))
    scores = np.round(rng.random(n), digits).tolist()
    rows = [
        (None if rng.random() < 0.1 else int(rng.integers(2)), None if rng.random() < 0.1 else s)
        for s in scores
    ]
    laid = Bins(np.array([0.0, 0.3, 1.0]), 5)
    groupings = [
        Grouping(("y",)),
        Grouping(("y", "s", "whole"), most=60, instead=(2, 3)),
        Grouping(("y", "whole")),
        Grouping(("y", "whole"), {"s": laid}, ends=True),
    ]
    sent = Sent({"y": "integer"}, ("s",), ("y", "s"), "y")
    parts = []
    for group in np.split(np.arange(n), np.sort(rng.integers(0, n + 1, 5))):
        batches = [
            pa.table({"y": pa.array([rows[i][0] for i in some], pa.int64()),
                      "s": pa.array([rows[i][1] for i in some], pa.float64())})
            for some in np.array_split(group, 3)
        ]  # fmt: skip
        parts.append(list(counted(batches, sent, PartialTally(groupings, most=30))))
    rng.shuffle(parts)
    while len(parts) > 1:
        two = [p for some in parts[:2] for p in some]
        parts = [*parts[2:], list(packed(merged(two, PartialTally(groupings))))]
    tables = dict(merged(parts[0], PartialTally(groupings)).tables())
    exact, binned = slow(rows), slow(rows, bin_in_two_ranges)
    # Exact where all the lines fit, and where no worker had too many of its own.
    if 1 in tables:
        assert len(exact) <= 60
        found = tables[1].select(["y", "s", "whole", "rows"]).to_pylist()
        assert {(r["y"], r["s"], r["whole"]): (r["rows"],) for r in found} == exact
    else:
        assert len(exact) > 30
        found = tables[3].to_pylist()
        keys = [(r["y"], r["bin_s"], r["whole"]) for r in found]
        values = [(r["rows"], r["low"], r["high"]) for r in found]
        assert dict(zip(keys, values, strict=True)) == binned
        assert sum(tables[2].column("rows").to_pylist()) == n
    first = {r["y"]: r for r in tables[0].to_pylist()}
    assert sum(r["rows"] for r in first.values()) == n
    assert sum(r["sum_s_gone"] for r in first.values()) == sum(s is None for _, s in rows)
    for y, line in first.items():
        there = [s for t, s in rows if t == y and s is not None]
        assert line["low_s"] == min(there, default=None)
        assert line["high_s"] == max(there, default=None)


def test_too_many_lines_without_coarser_ones_are_cut_off():
    tally = PartialTally([Grouping(("y",)), Grouping(("y", "s"), most=2)])
    tally.add(1, pa.table({"y": [0] * 5, "s": [0.1, 0.2, 0.3, 0.4, 0.5], "rows": [1] * 5}))
    ((_, table),) = tally.tables()
    assert table.num_rows == 3


# -- Dask ----------------------------------------------------------------------------------------


def test_one_scan_after_a_look(scans):
    frame = binary(500).round({"s": 2})
    found = tm.evaluate(in_partitions(frame, [100, 0, 395, 5]), truth="y", score="s", subgroup="g")
    assert scans == [True, False]
    wanted = tm.evaluate(frame, truth="y", score="s", subgroup="g")
    a, b = counted_of(found), counted_of(wanted)
    assert a.models == b.models
    assert a.subgroup_counts.keys == b.subgroup_counts.keys
    assert not any(n.rule == "counted-by-queries" for n in a.notes)


def test_one_scan_in_bins(scans, few_lines):
    frame = binary(600)
    found = tm.evaluate(in_partitions(frame, [580, 20, 0]), truth="y", score="s")
    assert scans == [True, False]
    (tally,) = counted_of(found).models[0].scores
    exact = tm.ScoreTally.from_arrays(frame["y"], frame["s"])
    assert tally.bins is not None
    assert tally == exact.binned(tally.bins)
    assert counted_of(found).models[0].labels == exact.at(0.5)
    low, high = found["roc_auc"].binning_bounds
    assert low <= tm.metrics.roc_auc(exact) <= high


def test_rows_in_the_order_of_scores_mislead_the_look(scans, few_lines, monkeypatch):
    # The first rows, of which the look knows, have the lowest scores: their bins do not fit.
    monkeypatch.setattr(limits, "SAMPLED", 20)
    frame = binary(600).sort_values("s")
    found = tm.evaluate(in_partitions(frame, [300, 300]), truth="y", score="s")
    assert scans[:2] == [True, False]
    assert len(scans) > 2
    exact = tm.ScoreTally.from_arrays(frame["y"], frame["s"])
    (tally,) = counted_of(found).models[0].scores
    assert tally == exact.binned(tally.bins)
    low, high = found["roc_auc"].binning_bounds
    assert high - low < 0.05


def test_few_distinct_scores_that_one_tally_does_not_hold_are_exact(scans, monkeypatch):
    monkeypatch.setattr(limits, "LINES_OF_A_TALLY", 10)
    monkeypatch.setattr(partial_tallies, "BUFFER", 16)
    frame = binary(600).round({"s": 2})
    found = tm.evaluate(in_partitions(frame, [300, 300]), truth="y", score="s")
    wanted = tm.evaluate(frame, truth="y", score="s")
    assert counted_of(found).models == counted_of(wanted).models
    assert scans == [True, False, False]


def test_missing_values_of_partitions(scans, few_lines):
    frame = binary(400)
    frame.loc[frame.index[::7], "s"] = np.nan
    frame.loc[frame.index[-50:], "s"] = np.nan  # a partition without any score
    frame["y"] = frame["y"].astype("Int64")
    frame.loc[frame.index[::11], "y"] = pd.NA
    columns = {"truth": "y", "score": "s"}
    table = in_partitions(frame, [350, 50])
    with pytest.raises(tm.InputError, match="y is missing in 37 rows, and s in 100 rows; correct"):
        tm.evaluate(table, **columns)
    found = counted_of(tm.evaluate(table, **columns, missing="drop"))
    whole = frame.dropna()
    assert (found.rows, found.dropped) == (len(whole), 400 - len(whole))
    exact = tm.ScoreTally.from_arrays(whole["y"].to_numpy(int), whole["s"].to_numpy())
    assert found.models[0].scores == (exact.binned(found.models[0].scores[0].bins),)


def test_a_table_without_rows(scans):
    with pytest.raises(tm.InputError, match="y has no labels; give the true class of each row"):
        tm.evaluate(in_partitions(binary(0), [0]), truth="y", score="s")


def lines_of(ev):
    return [n.text for n in counted_of(ev).notes if n.rule == "counted-by-queries"]


def test_workers_without_the_package(scans, monkeypatch):
    from tallymark.parts import engines

    monkeypatch.delattr(engines, "partial_tallies", raising=False)
    monkeypatch.setitem(sys.modules, "tallymark.parts.engines.partial_tallies", None)
    frame = binary(100)
    found = tm.evaluate(in_partitions(frame, [60, 40]), truth="y", score="s")
    assert scans == [True]
    (text,) = lines_of(found)
    assert f"they have no tallymark, and this is {tm.__version__}; the counts are the same" in text
    wanted = tm.evaluate(frame, truth="y", score="s")
    assert counted_of(found).models == counted_of(wanted).models


def test_workers_on_which_no_task_runs(scans, monkeypatch):
    def fails(frame, count, merge):
        raise OSError("no python3 on the workers")

    monkeypatch.setitem(workers.CREWS, "dask", fails)
    (text,) = lines_of(tm.evaluate(in_partitions(binary(50), [50]), truth="y", score="s"))
    assert "a task in Python failed there (OSError: no python3 on the workers)" in text


# -- Spark with executors ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.engines
@pytest.mark.parametrize("case", ["counts", "killed", "without"])
def test_separate_executors(case, spark, tmp_path):
    """Executors are processes with memory and Python of their own; ``spark`` asks for Java."""
    script = HERE / "on_executors.py"
    words = [sys.executable, "-W", "ignore", str(script), case, str(tmp_path)]
    run = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.splitlines()[-1] == "alike"
