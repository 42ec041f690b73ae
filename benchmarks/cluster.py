"""Measure what counting on a cluster reads, sends and keeps: python -m benchmarks.cluster.

With --write the table of docs/big-data.md is replaced. The sizes are those of files and tallies
made here; the rest is arithmetic for a number of rows and of cores.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.pages import stamp
from tallymark.parts.engines import limits
from tallymark.parts.engines.partial_tallies import Grouping, PartialTally, Sent, packed
from tallymark.tally.bins import Bins

PAGE = Path(__file__).parents[1] / "docs" / "big-data.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end -->\n"
MERGES = 32


def batches(n: int, digits: int | None, size: int = 100_000) -> Iterator[pa.Table]:
    """Return rows of a label and a score, in batches."""
    rng = np.random.default_rng(1)
    for first in range(0, n, size):
        score = rng.random(min(size, n - first))
        label = (rng.random(len(score)) < score).astype(np.int32)
        if digits is not None:
            score = np.round(score, digits)
        yield pa.table({"label_0": label, "score_0": score})


def measured(n: int, digits: int | None) -> dict[str, float]:
    """Return bytes per row of a Parquet file, bytes of a tally, and seconds of counting."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        with pq.ParquetWriter(file, next(batches(1, digits)).schema, compression="zstd") as writer:
            for batch in batches(n, digits):
                writer.write_table(batch)
        read = file.stat().st_size / n
    first = next(batches(n, digits))
    scores, label = first["score_0"].to_numpy(), first["label_0"].to_numpy()
    bins = Bins._of_sample(scores, label == 1, limits.BINS, (0.0, 0.5))
    exact = Grouping(("label_0", "score_0", "whole"), most=limits.MOST_LINES, instead=(2,))
    binned = Grouping(("label_0", "whole"), {"score_0": bins}, ends=True)
    tally = PartialTally([Grouping(("label_0",)), exact, binned], limits.LINES_OF_A_TALLY)
    sent = Sent({"label_0": "integer"}, ("score_0",), ("label_0", "score_0"), "label_0")
    start = time.process_time()
    for batch in batches(n, digits):
        tally.add_rows(batch, sent)
    parts = list(packed(tally))
    took = time.process_time() - start
    start = time.process_time()
    for _ in batches(n, digits):
        pass
    took -= time.process_time() - start
    lines = dict(tally.tables())
    return {
        "read": read,
        "sent": sum(len(content) for _, content in parts),
        "kept": sum(table.nbytes for table in lines.values()),
        "lines": sum(table.num_rows for i, table in lines.items() if i),
        "seconds": took / n,
    }


def size(number: float) -> str:
    """Return a number of bytes with its unit.

    >>> size(999), size(1.25e7), size(8.3e11)
    ('999 B', '12 MB', '830 GB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.2g} {unit}" if number < 100 else f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.2g} TB" if number < 100 else f"{number:.0f} TB"


def table(n: int, rows: int, cores: int) -> str:
    """Return the measured sizes and what follows for many rows, as a table in Markdown."""
    tallies = max(limits.TALLIES, 4 * cores)
    kinds = {"rounded to 4 digits": 4, "all distinct": None}
    found = [measured(n, digits) for digits in kinds.values()]
    merged = min(MERGES, cores)
    shuffled = [(tallies + merged) * f["sent"] for f in found]
    held = [4 * f["sent"] + 2 * f["kept"] for f in found]
    lines = [
        ("", *(f"scores {kind}" for kind in kinds)),
        ("---", *("---" for _ in kinds)),
        ("a row in Parquet (label, score), measured", *(f"{f['read']:.1f} B" for f in found)),
        ("lines of a tally, measured", *(f"{f['lines']:,.0f}" for f in found)),
        ("a tally as it is sent, measured", *(size(f["sent"]) for f in found)),
        ("counting a row in Python, measured",
         *(f"{f['seconds'] * 1e9:.0f} ns of one core" for f in found)),
        (f"**{rows:,} rows on {cores:,} cores: read**", *(size(rows * f["read"]) for f in found)),
        (f"shuffled, {tallies:,} tallies and {merged} merged ones", *map(size, shuffled)),
        ("share of what is read", *(f"{100 * s / (rows * f['read']):.1g} %"
                                    for s, f in zip(shuffled, found, strict=True))),
        ("held by the driver, at most", *map(size, held)),
        ("counting in Python, all cores", *(f"{rows * f['seconds'] / cores / 60:.0f} min"
                                            for f in found)),
    ]  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=4_000_000, help="rows that are measured")
    parser.add_argument("--rows", type=float, default=1e11)
    parser.add_argument("--cores", type=int, default=256)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = table(options.count, int(options.rows), options.cores)
    if not options.write:
        print(text)
        return
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    made = f"{BEGIN}\n{text}\n{stamp()}\n\n{END}"
    PAGE.write_text(before + made + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    main()
