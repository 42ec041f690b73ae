"""Measure how often bands of curves cover the truth: python -m benchmarks.bands [--runs N -o PAGE].

Samples are those of :mod:`benchmarks.simulation`: the true curve of every population is known. The
tables are printed; what they come to is written into a page, in place of its section.
"""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import kstwo, norm

from benchmarks.pages import stamp
from benchmarks.simulation import CLASSIFIERS, LEVEL, Binormal, Count
from tallymark.curve import Curve
from tallymark.infer.bands import banded, highest, lowest
from tallymark.metric import get
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreTally

ROWS = (50, 200, 1000)
PREVALENCES = (0.5, 0.1)
DRAWS = 500
SAMPLES = 200
"""Simulated samples of a simultaneous band."""

AT_THRESHOLDS = (
    "sensitivity", "false_positive_rate", "precision", "lift", "cohen_kappa",
    "matthews_corrcoef", "f1", "net_benefit",
)  # fmt: skip
"""Metrics held against their truth at thresholds that call these shares of the rows positive."""

CALLED = (0.05, 0.2, 0.5, 0.8)

VERTICAL = {
    "roc": (0.01, 0.05, 0.1, 0.2, 0.5),
    "pr": (0.1, 0.3, 0.5, 0.8, 0.95),
    "gain": (0.05, 0.1, 0.2, 0.5),
}
"""Where vertical bands are held against the truth."""

WHOLE = ("roc", "pr", "gain", "cost", "decision")
"""The curves whose simultaneous bands are."""

EVERY = 3
"""Every how many samples have intervals of single points as well."""

KINDS_OF_ROC = ("simultaneous", "rectangles")

HEADING = "### How often they hold"
"""The section of the page that is written."""


@dataclass(frozen=True)
class Truth:
    """The curves of a population: both rates at cuts of the score, densely from the top down."""

    cell: Binormal

    @property
    def cuts(self) -> np.ndarray:
        """Cuts of the score that reach far beyond any sample."""
        return np.linspace(self.cell.lift + 6.5, -6.5, 4001)

    @property
    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """True and false positive rate at the cuts."""
        return norm.sf(self.cuts - self.cell.lift), norm.sf(self.cuts)

    def curve(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return x and y of a curve, densely."""
        (tpr, fpr), p = self.rates, self.cell.prevalence
        called = p * tpr + (1 - p) * fpr
        if name == "cost":
            x = np.linspace(0, 1, 501)
            costs = x[:, None] * (1 - tpr[::8]) + (1 - x)[:, None] * fpr[::8]
            return x, np.minimum(costs.min(1), np.minimum(x, 1 - x))
        if name == "decision":
            x = np.arange(100) / 100
            with np.errstate(divide="ignore"):
                odds = np.log(x / (1 - x)) - np.log(p / (1 - p))
            at = odds / self.cell.lift + self.cell.lift / 2
            hit, false = norm.sf(at - self.cell.lift), norm.sf(at)
            return x, p * hit - (1 - p) * false * x / (1 - x)
        return {
            "roc": (fpr, tpr),
            "det": (fpr, 1 - tpr),
            "pr": (tpr, p * tpr / called),
            "gain": (called, tpr),
            "lift": (called, tpr / called),
        }[name]

    def at_cut(self, cut: float) -> Counts:
        """Return the shares of the four counts at one cut of the score."""
        p, hit, false = self.cell.prevalence, norm.sf(cut - self.cell.lift), norm.sf(cut)
        return Counts(p * hit, (1 - p) * false, p * (1 - hit), (1 - p) * (1 - false))


Found = dict[tuple[str, str, float], Count]


def _holds(name: str, c: Curve, truth: tuple[np.ndarray, np.ndarray]) -> bool:
    """Tell whether the lines of a band enclose the whole true curve."""
    x, y = truth
    assert c.low is not None
    assert c.high is not None
    # A sample's precision at next to no row is not drawn before its first point.
    inside = (x >= c.x[0]) & (x <= c.x[-1])
    low, high = (np.interp(x[inside], c.x, v) for v in (c.low, c.high))
    return bool(((low - 1e-9 <= y[inside]) & (y[inside] <= high + 1e-9)).all())


def simulate(cell: Binormal, runs: int, draws: int) -> Found:
    """Return how often each band of each curve covered the truth over samples of one cell."""
    rng = np.random.default_rng([cell.rows, int(cell.prevalence * 1000), int(cell.lift * 10)])
    truth, found = Truth(cell), Found()
    called = np.interp(CALLED, truth.curve("gain")[0], np.arange(4001.0))
    cuts = np.interp(called, np.arange(4001.0), truth.cuts)
    whole = {name: truth.curve(name) for name in WHOLE}
    lines = {name: whole[name] for name in VERTICAL}
    for run in range(runs):
        sample = cell.sample(rng)
        if sample is None:
            continue
        tally = sample[1]
        if run % EVERY == 0:
            for key, low, high, value in (
                *_at_thresholds(cell, truth, tally, cuts, draws),
                *_vertical(lines, tally, draws),
            ):
                found.setdefault(key, Count()).add(low, high, value)
        bands = {
            ("simultaneous", name, 0.0): banded(
                tally, name, "simultaneous", level=LEVEL, draws=SAMPLES
            )
            for name in WHOLE
        }
        for key, c in (*bands.items(), (("rectangles", "roc", 0.0), rectangles(tally))):
            held = _holds(key[1], c, whole[key[1]])
            assert c.low is not None
            assert c.high is not None
            at = np.linspace(c.x[0], c.x[-1], 202)[1:-1]
            wide = float(np.mean(np.interp(at, c.x, c.high) - np.interp(at, c.x, c.low)))
            found.setdefault(key, Count()).add(0.0, wide, 0.0 if held else -1.0)
    return found


def rectangles(tally: ScoreTally) -> Curve:
    """Return the ROC band of fixed rectangles (Campbell 1994), the older one.

    The distribution of each class lies within the exact quantile of Kolmogorov's distance, at the
    root of the level.
    """
    tp, fp = tally._score_counts._cumulative_counts
    tpr, fpr = tp / tp[-1], fp / fp[-1]
    up, right = (kstwo.ppf(LEVEL**0.5, int(v[-1])) for v in (tp, fp))
    at = np.unique(np.clip(np.concatenate([fpr, fpr - right, fpr + right]), 0, 1))
    low = np.maximum(lowest(fpr, tpr, at - right - 1e-12) - up, 0)
    high = np.minimum(highest(fpr, tpr, at + right + 1e-12) + up, 1)
    return Curve("roc", "fpr", "tpr", at, np.interp(at, fpr, tpr), low=low, high=high)


Told = Iterator[tuple[tuple[str, str, float], float, float, float]]


def _at_thresholds(
    cell: Binormal, truth: Truth, tally: ScoreTally, cuts: np.ndarray, draws: int
) -> Told:
    """Yield the bounds of metrics at fixed thresholds.

    They depend on nothing but the counts there: rows between two thresholds are put together.
    """
    edges = cell.probability(cuts)[::-1]
    place = np.searchsorted(edges, tally.scores, side="right")
    neg, pos = (np.bincount(place, v, minlength=len(edges) + 1) for v in tally.counts.T)
    few = ScoreTally.from_counts(np.append(-1.0, edges), pos, neg)
    for name in AT_THRESHOLDS:
        c = banded(few, name, "pointwise", level=LEVEL, draws=draws)
        for share, cut in zip(CALLED, cuts, strict=True):
            assert c.threshold is not None
            at = int(np.count_nonzero(c.threshold >= cell.probability(cut))) - 1
            metric, counts = get(name), truth.at_cut(cut)
            value = float(metric.compute(counts if metric._needs == "counts" else counts.matrix()))
            assert c.low is not None
            assert c.high is not None
            # Where no row is called positive there is no lift.
            low, high = (float(v[at]) if at >= 0 else np.nan for v in (c.low, c.high))
            yield ("pointwise", name, share), low, high, value


def _vertical(
    lines: Mapping[str, tuple[np.ndarray, np.ndarray]], tally: ScoreTally, draws: int
) -> Told:
    """Yield the bounds at fixed x."""
    for name, places in VERTICAL.items():
        c = banded(tally, name, "vertical", level=LEVEL, draws=draws)
        assert c.low is not None
        assert c.high is not None
        for x in places:
            at = int(np.argmin(np.abs(c.x - x)))
            value = float(np.interp(x, *lines[name]))
            yield ("vertical", name, x), float(c.low[at]), float(c.high[at]), value


def run(runs: int, draws: int, processes: int) -> dict[Binormal, Found]:
    """Simulate all cells, side by side."""
    cells = [Binormal(*c) for c in product(ROWS, PREVALENCES, CLASSIFIERS)]
    order = sorted(cells, key=lambda c: -c.rows)
    with ProcessPoolExecutor(processes) as pool:
        found = pool.map(simulate, order, [runs] * len(order), [draws] * len(order))
        return dict(zip(order, found, strict=True))


def table(found: Mapping[Binormal, Found], told: Callable[[Count], str]) -> list[str]:
    """Return the lines of a Markdown table: a band, curve and place a line, a cell a column."""
    cells = sorted(found, key=lambda c: (list(CLASSIFIERS).index(c.classifier), c.rows,
                                         -c.prevalence))  # fmt: skip
    heads = " | ".join(f"{c.classifier}, {c.rows:,}, {c.prevalence:.0%}" for c in cells)
    lines = [f"| band | curve | at | {heads} |", "|---|---|---|" + "---|" * len(cells)]
    for kind, name, at in sorted(next(iter(found.values()))):
        cols = " | ".join(told(found[c].get((kind, name, at), Count())) for c in cells)
        place = f"{at:g}" if at else "whole"
        lines.append(f"| {kind} | {name} | {place} | {cols} |")
    return lines


def coverage(count: Count) -> str:
    """Say in how many of a hundred samples the truth was held; in brackets those without bounds."""
    return count.told


def width(count: Count) -> str:
    """Say how wide the bands were on average."""
    return f"{count.width / count.made:.2f}" if count.made else "-"


def page(found: Mapping[Binormal, Found], runs: int, draws: int) -> str:
    """Return the tables as Markdown."""
    near = 196 * (0.05 * 0.95 / runs) ** 0.5
    return "\n".join([
        "# How often bands of curves contain the true value",
        "",
        "`python -m benchmarks.bands` prints this page: per cent of the samples whose band, at a",
        f"level of {LEVEL:.0%}, contained the true value: of whole curves all of it, of others",
        "the true value at a threshold (that calls such a share of the rows positive) or at an x.",
        f"{runs} samples a cell, {draws} draws; known to ±{near:.1f} points. Columns: classifier,",
        "rows, share of positives.",
        "",
        *table(found, coverage),
        "",
        "Mean width:",
        "",
        *table(found, width),
        "",
    ])  # fmt: skip


def _coverages(
    found: Mapping[Binormal, Found], kind: str, wanted: Callable[[Binormal], bool] = lambda _: True
) -> np.ndarray:
    """Return the per cent of samples that each band of a kind covered the truth in."""
    kept = [counts for cell, counts in found.items() if wanted(cell)]
    return np.array(
        [
            100 * c.coverage
            for counts in kept
            for key, c in counts.items()
            if key[0] == kind and c.made
        ]
    )


def _from_to(shares: np.ndarray) -> str:
    return f"{shares.min():.0f} to {shares.max():.0f} %"


def section(found: Mapping[Binormal, Found], runs: int) -> str:
    """Return what the tables come to, as a section of Markdown."""
    enough = _coverages(found, "pointwise", lambda c: c.positives >= 10)
    upright = _coverages(found, "vertical")
    many = _coverages(found, "simultaneous", lambda c: c.positives >= 10)
    few = _coverages(found, "simultaneous", lambda c: c.positives < 10)
    roc, old = ([of[kind, "roc", 0.0] for of in found.values()] for kind in KINDS_OF_ROC)
    narrower = np.array([100 * (1 - a.width / b.width) for a, b in zip(roc, old, strict=True)])
    share = 100 * sum(c.held for c in roc) / sum(c.made for c in roc)
    before = 100 * sum(c.held for c in old) / sum(c.made for c in old)
    what = (
        f"`make measure WHAT=bands` draws {runs} samples each of 50, 200 and 1,000 rows, half or a "
        "tenth of them positive, of a weak, a fair and a nearly perfect classifier, and counts how "
        f"often each band at 95 % contains the truth; one in {EVERY} samples has bands of points."
    )
    found_it = (
        f"Pointwise, with ten or more positives to be expected: {enough.mean():.0f} % on "
        f"average, {_from_to(enough)} of single numbers.",
        f"Vertical: {upright.mean():.0f} % on average, {_from_to(upright)} at single x.",
        f"Simultaneous, with ten or more positives to be expected: {many.mean():.1f} % on average, "
        f"{_from_to(many)} of single curves and cells; with five: {_from_to(few)}.",
        f"Simultaneous, of ROC: {share:.1f} % of all samples. Rectangles of fixed size by "
        f"Kolmogorov's distance contain the curve in {before:.1f} %; the band is "
        f"{_from_to(narrower)} narrower.",
    )
    points = [textwrap.fill(f"- {line}", 100, subsequent_indent="  ") for line in found_it]
    return "\n".join([HEADING, "", textwrap.fill(what, 100), "", *points, "", stamp(), ""])


def main() -> None:
    """Simulate, print the tables and write the section."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("-o", type=Path)
    options = parser.parse_args()
    found = run(options.runs, options.draws, len(os.sched_getaffinity(0)))
    print(page(found, options.runs, options.draws))
    if options.o:
        text = options.o.read_text("utf-8")
        made = section(found, options.runs)
        options.o.write_text(
            re.sub(rf"{HEADING}\n.*?(?=\n###? |\Z)", lambda _: made, text, flags=re.S), "utf-8"
        )


if __name__ == "__main__":
    main()
