"""Count on two executors of Spark: python on_executors.py counts|killed|without FOLDER.

It prints "alike" where the tallies are those of arrays.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tallymark as tm
from tallymark.parts.engines import limits

CASE, FOLDER = sys.argv[1] if sys.argv[1:] else "", Path(sys.argv[-1])


def session(path: str) -> Any:
    """Return a session with two executors of one core each."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_WORKER_DIR"] = str(FOLDER / "work")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.executorEnv.PYTHONPATH": path,
        "spark.sql.files.openCostInBytes": str(1 << 27),  # each file is a partition
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def killing(folder: str):
    """Return a task that ends its executor when it reads the second partition for the second time.

    The first time is that of the look at some rows.
    """

    def task(batches):
        import os
        import signal
        from pathlib import Path

        from pyspark import TaskContext

        at = TaskContext.get().partitionId()
        for batch in batches:
            if at == 1:
                times = len(list(Path(folder).glob("read-*")))
                (Path(folder) / f"read-{times}").touch()
                if times == 1:
                    # Of this process the parent is the daemon of Python, whose parent is Java.
                    daemon = Path(f"/proc/{os.getppid()}/stat").read_text().split()
                    os.kill(int(daemon[3]), signal.SIGKILL)
            yield batch

    return task


def main() -> None:
    """Count, and hold the tallies to those of arrays."""
    rng = np.random.default_rng(1)
    n = 30_000
    y = (rng.random(n) < 0.3).astype(int)
    frame = pd.DataFrame({"y": y, "s": rng.random(n) * 0.8 + 0.2 * y})
    frame.loc[::17, "s"] = np.nan
    path = ""
    if CASE == "without":
        hidden = "import sys\nsys.modules['tallymark'] = None\n"
        (FOLDER / "sitecustomize.py").write_text(hidden)
        path = str(FOLDER)
    limits.MOST_LINES = limits.LINES_OF_A_TALLY = 5_000
    limits.BINS = 2_000
    spark = session(path)
    place = FOLDER / "rows"
    place.mkdir()
    for k, (first, last) in enumerate(pairwise([0, 28_000, 28_500, 29_900, n])):
        frame.iloc[first:last].to_parquet(place / f"part-{k}.parquet")
    table = spark.read.parquet(str(place))
    if CASE == "killed":
        table = table.mapInArrow(killing(str(FOLDER)), table.schema)
    ev = tm.evaluate(table, truth="y", score="s", missing="drop")
    if CASE == "killed":
        assert len(list(FOLDER.glob("read-*"))) >= 3, "the executor was not killed in mid-count"
    queries = [note for note in ev.notes if note.rule == "counted-by-queries"]
    assert len(queries) == (CASE == "without"), ev.notes
    whole = frame.dropna()
    exact = tm.ScoreTally.from_arrays(whole["y"], whole["s"])
    (tally,) = ev.models[0].scores
    assert tally.bins is not None
    assert tally == exact.binned(tally.bins)
    assert (ev.rows, ev.models[0].labels) == (len(whole), exact.at(0.5))
    print("alike")
    spark.stop()


if __name__ == "__main__":
    main()
