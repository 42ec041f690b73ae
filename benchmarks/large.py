"""A file of very many rows within little memory: python -m benchmarks.large [ROWS] [FOLDER].

The file is made for the run and removed after it: about 9 bytes a row. 10^9 rows where the disk has
room for twice as much, else 10^8, unless it is said.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

from benchmarks.timing import Row, table

MANY = 10**9
BYTES = 9
MEMORY = "1GB"

PROGRAM = """
import json, resource, sys, time
import tallymark as tm
pattern, options = sys.argv[1], json.loads(sys.argv[2])
start = time.perf_counter()
ev = tm.evaluate(pattern, truth="label", options={"memory": "1GB"}, **options)
took = time.perf_counter() - start
wide = 0.0
if "score" in options:
    low, high = ev["roc_auc"].binning_bounds or (0.0, 0.0)
    wide = high - low
ev.values()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([ev.rows, took, wide, peak / (1024 if sys.platform == "linux" else 1024**2)]))
"""


def rows(many: int | None = None, folder: str | None = None) -> list[Row]:
    """Decisions, and then scores, of a file with labels, decisions and scores all distinct."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        if many is None:
            many = MANY if shutil.disk_usage(home).free > 2 * BYTES * MANY else MANY // 10
        with duckdb.connect() as connection:
            connection.execute("SET enable_progress_bar = false; SELECT setseed(0.5)")
            for i in range(10):
                connection.execute(
                    "COPY (SELECT (random() < p)::INT AS label, (p > 0.5)::INT AS pred, p AS score "
                    f"FROM (SELECT random() * random() AS p FROM range({many // 10}))) "
                    f"TO '{home}/part{i}.parquet' (FORMAT parquet)"
                )
        pattern = str(Path(home) / "*.parquet")
        decisions = _alone(pattern, {"pred": "pred"})
        scores = _alone(pattern, {"score": "score", "tolerance": 1e-6})
    work = f"{many:.0e} rows of Parquet, memory=1GB"
    pace = decisions[0] / decisions[1] / 1e6
    return [
        Row(f"{work}: decisions", f"{pace:.0f} million rows/s", "at least 20", pace >= 20),
        Row(f"{work}: scores", f"{scores[0] / scores[1] / 1e6:.0f} million rows/s", "no target",
            True),
        Row(f"{work}: width of the bounds of the ROC area", f"{scores[2]:.2g}", "at most 1e-6",
            scores[2] <= 1e-6),
        Row(f"{work}: peak of the process, all metrics included",
            f"{max(decisions[3], scores[3]):.0f} MB", "under 1000 MB",
            max(decisions[3], scores[3]) < 1000),
    ]  # fmt: skip


def _alone(pattern: str, options: dict[str, object]) -> list[float]:
    """Evaluate in a process of its own, whose peak of memory is then this work's alone."""
    words = [sys.executable, "-c", PROGRAM, pattern, json.dumps(options)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    asked = [int(float(sys.argv[1])), *sys.argv[2:]] if len(sys.argv) > 1 else []
    print(table(rows(*asked)))  # type: ignore[arg-type]
