"""Print how fast tallymark is beside its peers: python -m benchmarks [-o FILE] [--only SECTION].

Every row of the table is a ratio of medians of alternating runs in one process (or of whole
commands), so that a machine whose speed drifts slows both sides alike.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import sklearn

from benchmarks.pages import Times, machine, moment
from benchmarks.sections import measured, sections
from benchmarks.timing import Row


def main() -> int:
    """Measure everything, print it, and fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "-o", "--output", type=Path, help="put the figures into the column of this machine"
    )
    parser.add_argument(
        "--only", nargs="+", choices=sorted(sections()), help="these sections alone"
    )
    asked = parser.parse_args()
    versions = (
        f"Python {platform.python_version()}, numpy {np.__version__}, scikit-learn "
        f"{sklearn.__version__}, duckdb {duckdb.__version__}"
    )
    earlier = asked.output.read_text("utf-8") if asked.output and asked.output.exists() else ""
    rows: list[Row] = []
    for name in asked.only or sections():
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as alone:
            found = alone.submit(measured, name).result()
        for row in found:
            print(f"{name}: {row.work}: {row.figure} ({row.target})", flush=True)
        rows += found
        if asked.output:  # after every section: what was measured stays, whatever stops the rest
            times = Times.read(earlier)
            whole = not asked.only and name == [*sections()][-1]
            times.measured(machine(), f"{moment()}; {versions}", rows, whole=whole)
            asked.output.write_text(times.page(), encoding="utf-8")
    return 0 if all(r.holds for r in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
