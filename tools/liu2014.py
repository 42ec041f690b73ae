"""Repeat the study of Liu et al. (2014) and write docs/liu2014.md.

python tools/liu2014.py FOLDER [--repeats N] [--large N] [--results CSV] [-o PAGE]

FOLDER holds the 18 data sets as ARFF and their manifest.json. Finished folds are kept in the
results file: stopped and started again, the experiment goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.studies.datasets import DataSet, read
from tallymark.studies.experiment import FIRST, run
from tallymark.studies.liu import LARGE_ROWS

ROOT = Path(__file__).parents[1]
LOW_DIGITS = {"0", "1", "2", "3", "4"}


def data_sets(folder: Path) -> dict[str, DataSet]:
    """Return the 18 data sets under the study's names; digits joined to 0-4 against 5-9."""
    found = {}
    for entry in json.loads((folder / "manifest.json").read_text("utf-8")):
        path = folder / entry["file"]
        if entry["name"] == "optdigits":
            found["optdigits"] = _digits(path, entry["class_attribute"])
            continue
        d = read(path, entry["class_attribute"])
        found[entry["name"]] = DataSet(entry["name"], d.x, d.nominal, d.y, d.classes)
    return found


def _digits(path: Path, target: str) -> DataSet:
    from tallymark.tally.tables import open_table

    table = open_table(str(path))
    features = [c for c in table.columns if c != target]
    (chunk,) = table.chunks([target], features)
    coded = chunk.labels[target]
    low = np.array([str(v) in LOW_DIGITS for v in coded.labels])[coded.codes]
    x = np.stack([chunk.numbers[c] for c in features], 1)
    return DataSet("optdigits", x, np.zeros(len(features), dtype=bool), low, ("0-4", "5-9"))


def experiment(folder: Path, results: Path, small: int, large: int, jobs: int | None) -> Any:
    """Run what is not yet in the results file; return the whole table."""
    sets = data_sets(folder)
    groups = [
        ({k: d for k, d in sets.items() if (d.rows >= LARGE_ROWS) == is_large}, repeats)
        for is_large, repeats in ((False, small), (True, large))
    ]
    columns: dict[str, list[Any]] = {}
    for some, repeats in groups:
        if not repeats:
            continue
        made = run(some, repeats=repeats, jobs=jobs, results=results, metrics=FIRST,
                   progress=_progress(results.name))  # fmt: skip
        for name, values in made.items():
            columns.setdefault(name, []).extend(values)
    return columns


def _progress(name: str) -> Any:
    def told(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            print(f"{name}: {done:,} of {total:,} folds", file=sys.stderr, flush=True)

    return told


def main() -> None:
    """Run and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=10, help="of the small data sets")
    parser.add_argument("--large", type=int, default=10, help="repeats of the large ones")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "liu2014.csv")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "liu2014.md")
    given = parser.parse_args()
    columns = experiment(given.folder, given.results, given.repeats, given.large, given.jobs)
    given.output.write_text("\n".join(page(columns)) + "\n", encoding="utf-8")


def page(columns: dict[str, list[Any]]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# The study of Liu et al. (2014)"


if __name__ == "__main__":
    main()
