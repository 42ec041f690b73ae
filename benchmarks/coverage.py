"""Measure how often intervals hold the truth: python -m benchmarks.coverage [-o docs/coverage.md].

The page tells of what is chosen by itself, cell by cell, and of every method.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.simulation import (
    CLASSIFIERS,
    DECISIONS,
    LEVEL,
    PREVALENCES,
    ROWS,
    SCORES,
    Cell,
    Count,
    Found,
    run,
)
from tallymark.judge.methods import METHODS

ENOUGH = 10
"""Positives to be expected from which an interval is held to its level."""


def page(found: Mapping[Cell, Found], runs: int, draws: int) -> str:
    """Return the page as Markdown."""
    return "\n".join([*_head(runs, draws), *_chosen(found), *_methods(found), ""])


def _head(runs: int, draws: int) -> list[str]:
    lifts = ", ".join(f"{name} {lift:g}" for name, lift in CLASSIFIERS.items())
    near = 196 * math.sqrt(0.05 * 0.95 / runs)
    return [
        "# How often intervals hold the truth",
        "",
        "`python -m benchmarks.coverage -o docs/coverage.md` writes this page. Scores of negatives",
        "are standard normal, those of positives lie higher by so many standard deviations:",
        f"{lifts}.",
        "Decisions are made half-way, probabilities are the true ones. Of each cell so many",
        f"samples were drawn: {runs}, with {draws:,} resamples each, at a level of {LEVEL:.0%};",
        f"coverage is known to about ±{near:.1f} points. Samples without a row of one class are",
        f"left out. Python {platform.python_version()}.",
        "",
    ]


def _percent(count: Count) -> str:
    if not count.made:
        return "-"
    told = f"{100 * count.coverage:.0f}"
    missing = count.none / (count.made + count.none)
    return told if missing < 0.005 else f"{told} ({100 * missing:.0f})"


def _chosen(found: Mapping[Cell, Found]) -> list[str]:
    lines = [
        "## What is chosen by itself",
        "",
        "Per cent of the intervals that held the truth; in brackets the per cent of samples that",
        "got no interval, and said why.",
    ]
    names = (*DECISIONS, *SCORES)
    for lift in CLASSIFIERS:
        there = (Cell(n, p, lift) for n in ROWS for p in PREVALENCES)
        cells = [c for c in there if c in found]
        heads = " | ".join(f"{c.rows:,} rows, {c.prevalence:.0%}" for c in cells)
        lines += ["", f"### {lift}", "", f"| | {heads} |", "|---|" + "---|" * len(cells)]
        for name in names:
            counts = [found[c].get((name, "auto"), Count()) for c in cells]
            lines.append(f"| {name} | " + " | ".join(map(_percent, counts)) + " |")
    return lines


def _together(counts: Iterable[Count]) -> Count:
    total = Count()
    for c in counts:
        total.made += c.made
        total.held += c.held
        total.none += c.none
    return total


def _methods(found: Mapping[Cell, Found]) -> list[str]:
    """Return every method's coverage over all cells, with many positives and with few."""
    lines = [
        "",
        "## Every method",
        "",
        f"Over all cells with {ENOUGH} positives or more to be expected, and those with fewer;",
        "the lowest of a cell after the slash.",
    ]
    for title, names in (("Decisions", DECISIONS), ("Scores", SCORES)):
        lines += ["", f"### {title}", "", "| metric | method | many | few |", "|---|---|---|---|"]
        for name in names:
            for method in ("auto", *METHODS):
                sides = []
                for many in (True, False):
                    counts = [
                        f[name, method] for c, f in found.items()
                        if (name, method) in f and (c.positives >= ENOUGH) == many
                    ]  # fmt: skip
                    least = min((c.coverage for c in counts if c.made >= 20), default=math.nan)
                    low = "" if math.isnan(least) else f" / {100 * least:.0f}"
                    sides.append(_percent(_together(counts)) + low if counts else "-")
                if sides != ["-", "-"]:
                    lines.append(f"| {name} | {method} | {sides[0]} | {sides[1]} |")
    return lines


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    found = run(options.runs, options.draws, True, len(os.sched_getaffinity(0)))
    text = page(found, options.runs, options.draws)
    if options.output:
        options.output.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
