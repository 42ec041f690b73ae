"""Measure how often intervals hold the truth: python -m benchmarks.coverage [-o docs/coverage.md].

The page tells of what is chosen by itself, cell by cell, of every method, and of comparisons.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks import clustered
from benchmarks.simulation import (
    BY_METHODS,
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
from tallymark.infer.methods import METHODS

ENOUGH = 10
"""Positives to be expected from which an interval is held to its level."""

LOW, HIGH, LEAST = 0.93, 0.97, 0.90
"""What coverage is held to: within the first two with enough positives, else above the last."""


def page(found: Mapping[Cell, Found], runs: int, by_methods: int, draws: int) -> list[str]:
    """Return the page's lines as Markdown."""
    lines = [*_head(runs), *_summary(found, runs), *_chosen(found)]
    return [*lines, *_methods(found, by_methods, draws)]


def _error(runs: float) -> float:
    """Return 1.96 Monte Carlo standard errors of a coverage of 95 %."""
    return 1.96 * math.sqrt(LEVEL * (1 - LEVEL) / max(runs, 1))


def _head(runs: int) -> list[str]:
    lifts = ", ".join(f"{name} {lift:g}" for name, lift in CLASSIFIERS.items())
    return [
        "# How often intervals hold the truth",
        "",
        "`python -m benchmarks.coverage -o docs/coverage.md` writes this page. Scores of negatives",
        "are standard normal, those of positives lie higher by so many standard deviations:",
        f"{lifts}. Decisions are made half-way, probabilities are the true ones.",
        f"Of each cell {runs:,} samples were drawn, at a level of {LEVEL:.0%}; coverage is known",
        f"to about ±{100 * _error(runs):.1f} points. Samples without a row of one class are left",
        "out, since nothing that compares classes can be told of them. "
        f"Python {platform.python_version()}.",
        "",
    ]


def _summary(found: Mapping[Cell, Found], runs: int) -> list[str]:
    slack = _error(runs)
    many = [(c, n, f[n, "auto"]) for c, f in found.items() for n in (*DECISIONS, *SCORES)
            if c.positives >= ENOUGH and (n, "auto") in f and f[n, "auto"].made]  # fmt: skip
    few = [(c, n, f[n, "auto"]) for c, f in found.items() for n in (*DECISIONS, *SCORES)
           if c.positives < ENOUGH and (n, "auto") in f and f[n, "auto"].made]  # fmt: skip
    inside = sum(LOW <= k.coverage <= HIGH for *_, k in many)
    above = sum(k.coverage > HIGH for *_, k in many)
    below = [(c, n, k) for c, n, k in many if k.coverage < LOW]
    beyond = [(c, n, k) for c, n, k in below if k.coverage < LOW - slack]
    poor = [(c, n, k) for c, n, k in few if k.coverage < LEAST]
    silent = [(c, n, k) for c, n, k in poor if k.warned < 0.9 * k.made]
    lines = [
        f"With {ENOUGH} positives or more to be expected there are {len(many)} numbers, "
        "a metric in a cell:",
        f"{inside} cover {LOW:.0%} to {HIGH:.0%}, {above} more, {len(below)} less, of which",
        f"{len(beyond)} by more than chance explains. With fewer positives, of {len(few)}:",
        f"{len(few) - len(poor)} cover {LEAST:.0%} or more, {len(poor)} less;",
        f"of those {len(silent)} without a warning in nine of ten samples.",
        "",
    ]
    for title, rows in (
        (f"Below {LOW:.0%} by more than chance, with {ENOUGH} positives or more", beyond),
        (f"Below {LEAST:.0%} with fewer", poor),
    ):
        if rows:
            lines += [f"{title}:", "", "| metric | classifier | rows | prevalence | coverage | "
                      "carry a warning |", "|---|---|---|---|---|---|"]  # fmt: skip
            lines += [
                f"| {n} | {c.classifier} | {c.rows:,} | {c.prevalence:.0%} | {k.told} "
                f"| {k.warned / k.made:.0%} |"
                for c, n, k in sorted(rows, key=lambda row: row[2].coverage)
            ]
            lines.append("")
    return lines


def _chosen(found: Mapping[Cell, Found]) -> list[str]:
    lines = [
        "## What is chosen by itself",
        "",
        "Per cent of the intervals that held the truth; in brackets the per cent of samples that",
        "got no interval, and said why. Counts are whole numbers: of few rows no interval of a",
        "share covers exactly 95 %, and those here rather cover more. A calibration error of",
        "calibrated probabilities is 0, at the end of its range, where an interval that takes off",
        "what chance adds holds it more often.",
    ]
    for lift in CLASSIFIERS:
        there = (Cell(n, p, lift) for n in ROWS for p in PREVALENCES)
        cells = [c for c in there if c in found]
        heads = " | ".join(f"{c.rows:,} rows, {c.prevalence:.0%}" for c in cells)
        lines += ["", f"### {lift}", "", f"| | {heads} |", "|---|" + "---|" * len(cells)]
        for name in (*DECISIONS, *SCORES):
            counts = [found[c].get((name, "auto"), Count()) for c in cells]
            lines.append(f"| {name} | " + " | ".join(c.told for c in counts) + " |")
    return lines


def _together(counts: Iterable[Count]) -> Count:
    total = Count()
    for c in counts:
        total.made += c.made
        total.held += c.held
        total.none += c.none
    return total


def _methods(found: Mapping[Cell, Found], by_methods: int, draws: int) -> list[str]:
    """Return every method's coverage over all cells, with many positives and with few."""
    lines = [
        "",
        "## Every method",
        "",
        f"Over all cells with {ENOUGH} positives or more to be expected, and those with fewer;",
        f"the lowest of a cell after the slash. {by_methods:,} samples of each cell, {draws:,}",
        "resamples each.",
    ]
    for title, names in (("Decisions", DECISIONS), ("Scores", BY_METHODS)):
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
                    sides.append(_together(counts).told + low if counts else "-")
                if sides != ["-", "-"]:
                    lines.append(f"| {name} | {method} | {sides[0]} | {sides[1]} |")
    return lines


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--runs", type=int, default=300, help="samples of what is chosen by itself")
    parser.add_argument("--by-methods", type=int, default=50, help="samples of every method")
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    asked = options.runs, options.by_methods, options.draws
    found = run(*asked, len(os.sched_getaffinity(0)))
    lines = [*page(found, *asked), *clustered.section(options.runs)]
    text = "\n".join([*lines, ""])
    if options.output:
        options.output.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
