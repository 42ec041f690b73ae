"""Print how fast tallymark is beside its peers: python -m benchmarks [-o FILE] [--only SECTION].

Every row of the table is a ratio of medians of alternating runs in one process (or of whole
commands), so that a machine whose speed drifts slows both sides alike.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import sklearn

from benchmarks.sections import measured, sections
from benchmarks.timing import Row, table


def main() -> int:
    """Measure everything, print it, and fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="also write the report to this file")
    parser.add_argument(
        "--only", nargs="+", choices=sorted(sections()), help="these sections alone"
    )
    asked = parser.parse_args()
    machine = (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scikit-learn {sklearn.__version__}, duckdb {duckdb.__version__}"
    )
    rows: list[Row] = []
    for name in asked.only or sections():
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as alone:
            found = alone.submit(measured, name).result()
        for row in found:
            print(f"{name}: {row.work}: {row.figure} ({row.target})", flush=True)
        rows += found
        if asked.output:  # after every section: what was measured stays, whatever stops the rest
            asked.output.write_text(
                "# Performance\n\nMade by `make bench`; ratios of medians of alternating runs, "
                "each kind of work in a process of its own.\n"
                f"Machine: {machine}.\n\n{table(rows)}\n",
                encoding="utf-8",
            )
    return 0 if all(r.holds for r in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
