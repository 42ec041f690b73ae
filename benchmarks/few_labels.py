"""Measure how often intervals from few labels and a judge contain the true number.

python -m benchmarks.few_labels -o docs/few-labels-coverage.md
python -m benchmarks.few_labels --pairs

Every sample is drawn from a seed. The page is written anew after each round of samples, and a run
that is stopped continues from what ``--kept`` holds.
"""

from __future__ import annotations

import argparse
import json
import math
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

import tallymark as tm
from benchmarks.pages import write_page

ROWS = 2000
LABELS = (30, 100, 300)
SAMPLES = 300
ROUND = 5
METRICS = ("accuracy", "f1", "matthews_corrcoef", "sensitivity")
OF_SCORES = ("roc_auc", "average_precision", "brier", "log_loss")
TITLES = {
    "accuracy": "accuracy",
    "f1": "F1",
    "matthews_corrcoef": "MCC",
    "sensitivity": "recall",
    "roc_auc": "ROC area",
    "average_precision": "average precision",
    "brier": "Brier score",
    "log_loss": "log loss",
    "share": "share of a class",
    "difference": "difference of two accuracies",
    "areas": "difference of two ROC areas",
}
ALONE = {*METRICS, *OF_SCORES, "share"}
"""Numbers that labels alone have an interval of."""

LOW = 90
"""A coverage below this many per cent is named at the top of the page."""

HEAD = """# Coverage with a judge and few labels

{summary}

Made by `make measure WHAT=few-labels`: {samples} samples of {rows:,} rows a line, of which *m* have
a true class. Each cell says how often the 95 % interval contains the true number of the population,
and its mean width. The first is that of `tm.few_labels`, the second that of the labels alone where
rows were labelled at random. The standard error of a coverage of 95 % is {error:.1f} points, so
that single cells far from 95 % are expected. It took {minutes:.0f} minutes of one processor.

The scenarios are named by what the judge does. *Share* is that of the second class. The
differences are those of two models that agree in more than half of the rows. With two classes each
model has a score, and the first one's is calibrated. Samples with fewer than two labelled rows of a
class have no metric of scores, and are left out there.
"""

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Scenario:
    """How classes, two models and a judge are drawn.

    The judge is right with the probability ``judge`` (in the second class with ``judge_second``, if
    given), and otherwise says any other class; with the probability ``copies`` it says what the
    model says. ``by_judge`` labels half of the rows where the judge says the second class.
    """

    shares: Sequence[float]
    model: float
    judge: float
    judge_second: float | None = None
    copies: float = 0.0
    by_judge: bool = False

    def draw(self, rng: np.random.Generator, n: int) -> dict[str, Any]:
        """Return the columns of n rows."""
        k = len(self.shares)
        true = rng.choice(k, n, p=self.shares)

        def noisy(right: Any) -> Codes:
            other = (true + rng.integers(1, k, n)) % k
            return np.where(rng.random(n) < right, true, other)

        same = rng.random(n) < 0.5
        out = {"true": true}
        if k > 2:
            first = noisy(self.model)
            out |= {"first": first, "second": np.where(same, first, noisy(self.model - 0.05))}
        else:
            far, less_far = norm.ppf([self.model, self.model - 0.05])
            odds = np.log(self.shares[1] / self.shares[0])
            x = rng.standard_normal(n) + far * (2 * true - 1)
            y = np.where(same, x, rng.standard_normal(n) + less_far * (2 * true - 1))
            for name, values in (("first", x), ("second", y)):
                out[name] = (values > 0).astype(np.intp)
                out[f"score of {name}"] = expit(2 * far * values + odds)
        in_second = self.judge if self.judge_second is None else self.judge_second
        judge = noisy(np.where(true == 1, in_second, self.judge))
        judge = np.where(rng.random(n) < self.copies, out["first"], judge)
        return {**out, "judge": judge}

    def labelled(self, rng: np.random.Generator, rows: Mapping[str, Any], m: int) -> Codes:
        """Return the rows that have a label."""
        n = len(rows["true"])
        if not self.by_judge:
            return rng.choice(n, m, replace=False)
        chosen = []
        for value, share in ((1, m // 2), (0, m - m // 2)):
            mine = np.flatnonzero(rows["judge"] == value)
            chosen.append(rng.choice(mine, min(share, len(mine)), replace=False))
        return np.concatenate(chosen)


SCENARIOS: dict[str, Scenario] = {
    "right in 92 %": Scenario((0.5, 0.5), 0.8, 0.92),
    "right in 65 %": Scenario((0.5, 0.5), 0.8, 0.65),
    "kind to the second class": Scenario((0.4, 0.6), 0.75, 0.65, 0.97),
    "repeats half of what the model says": Scenario((0.4, 0.6), 0.8, 0.85, copies=0.5),
    "right in 92 %, model in 97 %": Scenario((0.5, 0.5), 0.97, 0.92),
    "right in 92 %, second class in 10 % of rows": Scenario((0.9, 0.1), 0.9, 0.92),
    "the same, half of the labels where it says the second class": Scenario(
        (0.9, 0.1), 0.9, 0.92, by_judge=True
    ),
    "right in 85 %, five classes": Scenario((0.3, 0.25, 0.2, 0.15, 0.1), 0.75, 0.85),
}


def metrics_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the metrics of a scenario: recall and those of scores are of two classes."""
    return (*METRICS, *OF_SCORES) if len(scenario.shares) == 2 else METRICS[:3]


def truth_of(scenario: Scenario) -> dict[str, float]:
    """Return the true numbers, from two million rows."""
    rows = scenario.draw(np.random.default_rng(10**6), 2_000_000)
    two = len(scenario.shares) == 2
    out, right, areas = {"share": scenario.shares[1]}, [], []
    for model in ("first", "second"):
        right.append(float((rows["true"] == rows[model]).mean()))
        scores = {"y_score": rows[f"score of {model}"], "positive": 1} if two else {}
        ev = tm.evaluate(rows["true"], y_pred=rows[model], **scores)
        areas.append(ev["roc_auc"].value if two else math.nan)
        if model == "first":
            out |= {name: ev[name].value for name in metrics_of(scenario)}
    return {**out, "difference": right[0] - right[1], "areas": areas[0] - areas[1]}


def intervals(scenario: Scenario, m: int, seed: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the intervals of one sample, by number and what they come from."""
    place = [*SCENARIOS.values()].index(scenario)
    rng = np.random.default_rng([seed, m, place])
    rows = scenario.draw(rng, ROWS)
    known = scenario.labelled(rng, rows, m)
    truth = np.full(ROWS, np.nan)
    truth[known] = rows["true"][known]
    two = len(scenario.shares) == 2
    found = tm.few_labels(
        {**rows, "truth": truth},
        truth="truth",
        judge="judge",
        pred=["first", "second"],
        score=["score of first", "score of second"] if two else None,
        positive=1 if two else None,
        classes=range(len(scenario.shares)),
        sampled_by="judge" if scenario.by_judge else None,
        metrics=metrics_of(scenario),
        seed=seed,
    )
    out = {}
    for of in found.metrics[: len(metrics_of(scenario))]:
        out[of.value.metric, "judge"] = of.value.low, of.value.high
        if of.labels_only is not None:
            out[of.value.metric, "labels"] = of.labels_only.low, of.labels_only.high
    share = found.shares[1]
    out["share", "judge"] = share.value.low, share.value.high
    if share.labels_only is not None:
        out["share", "labels"] = share.labels_only.low, share.labels_only.high
    of_models = {d.value.metric: d.value for d in found.differences}
    for name, metric in (("difference", "accuracy"), ("areas", "roc_auc")):
        if metric in of_models:
            out[name, "judge"] = of_models[metric].low, of_models[metric].high
    return out


# -- two models on the same items ------------------------------------------------------------------

PAIR_ITEMS = 500


class Graded(NamedTuple):
    """Pass rates of two models, and how often the judge is right about passes and failures.

    ``kind`` is added to the second share of the second model's failures that the judge passes.
    """

    first: float
    second: float
    passes: float
    failures: float
    kind: float = 0.0
    clusters: int | None = None


PAIRS = {
    "right in 92 %": Graded(0.80, 0.75, 0.92, 0.92),
    "right in 65 %": Graded(0.80, 0.75, 0.65, 0.65),
    "kind to the second model, which is as good": Graded(0.70, 0.70, 0.95, 0.90, kind=0.25),
    "lenient, both models above 90 %": Graded(0.96, 0.93, 0.97, 0.80),
    "right in 92 %, 25 clusters": Graded(0.80, 0.75, 0.92, 0.92, clusters=25),
}


def graded_rows(scenario: Graded, rng: np.random.Generator, m: int) -> dict[str, Any]:
    """Return the answers of two models to the same items, m of which have a label.

    Items differ in difficulty, and the judge tends to be wrong on the same ones.
    """
    n, g = PAIR_ITEMS, scenario.clusters
    cluster = np.arange(n) if g is None else rng.integers(0, g, n)
    ease = math.sqrt(0.5) * rng.standard_normal(n)
    ease += math.sqrt(0.2) * rng.standard_normal(n if g is None else g)[cluster]
    hard = math.sqrt(0.5) * rng.standard_normal(n)
    true, judged = [], []
    for rate, kind in ((scenario.first, 0.0), (scenario.second, scenario.kind)):
        passed = ease + math.sqrt(0.3) * rng.standard_normal(n) < norm.ppf(rate)
        right = np.where(passed, scenario.passes, scenario.failures - kind)
        seen = hard + math.sqrt(0.5) * rng.standard_normal(n) < norm.ppf(right)
        true.append(passed)
        judged.append(np.where(seen, passed, ~passed))
    truth = np.concatenate(true).astype(float)
    known = rng.choice(2 * n, m, replace=False)
    labels = np.full(2 * n, np.nan)
    labels[known] = truth[known]
    out = {"item": np.tile(np.arange(n), 2), "model": np.repeat(["first", "second"], n)}
    return {**out, "cluster": np.tile(cluster, 2), "truth": labels,
            "judge": np.concatenate(judged).astype(int)}  # fmt: skip


def pairs(samples: int) -> str:
    """Return a table of how often the interval of a difference contains the true one."""
    out = ["| the judge is | m | coverage | width | judge as truth |", "|---|---|---|---|---|"]
    for place, (name, scenario) in enumerate(PAIRS.items()):
        true = scenario.first - scenario.second
        for m in LABELS:
            cell, naive = Cell(), 0.0
            for seed in range(samples):
                rows = graded_rows(scenario, np.random.default_rng([seed, m, place]), m)
                try:
                    board = tm.judged_evals(
                        rows,
                        truth="truth",
                        judge="judge",
                        cluster=None if scenario.clusters is None else "cluster",
                        classes=[0, 1],
                    )
                except tm.InputError:  # a judge that is right in all of 100 labels is refused
                    continue
                if len(board.models) < 2:
                    continue
                pair = board.pair("first", "second")
                hit = pair.low <= true <= pair.high
                cell = cell.plus(hit, pair.high - pair.low)
                naive += pair.judge_as_truth - true
            width, bias = cell.widths / cell.samples, 100 * naive / cell.samples
            out.append(
                f"| {name} | {m} | {cell.coverage:.0f} % | {width:.3f} | {bias:+.1f} points |"
            )
    return "\n".join(out) + "\n"


class Cell(NamedTuple):
    """How many intervals of a number were drawn, how many cover the truth, and their widths."""

    samples: int = 0
    hits: int = 0
    widths: float = 0.0

    def plus(self, hit: bool, width: float) -> Cell:
        """Return the cell with one more interval."""
        return Cell(self.samples + 1, self.hits + hit, self.widths + width)

    @property
    def coverage(self) -> float:
        """How many per cent of intervals contain the true value."""
        return 100 * self.hits / self.samples

    def __str__(self) -> str:
        if not self.samples:
            return "–"
        return f"{self.coverage:.0f} %, {self.widths / self.samples:.3f}"


Key = tuple[str, int, str, str]
"""The scenario, the labels, the number, and what its interval comes from."""


@dataclass
class Found:
    """What was measured: rounds of samples, the cells, and seconds of a processor."""

    samples: int = 0
    seconds: float = 0.0
    cells: dict[Key, Cell] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Found:
        """Return what a run before this one kept, or nothing."""
        if not path.exists():
            return cls()
        kept = json.loads(path.read_text(encoding="utf-8"))
        cells = {(s, m, number, who): Cell(*rest) for s, m, number, who, *rest in kept["cells"]}
        return cls(kept["samples"], kept["seconds"], cells)

    def keep(self, path: Path) -> None:
        """Write what was measured, to continue from."""
        cells = [[*key, *cell] for key, cell in self.cells.items()]
        kept = {"samples": self.samples, "seconds": self.seconds, "cells": cells}
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(kept), encoding="utf-8")

    def of(self, number: str) -> dict[tuple[str, int], tuple[Cell, Cell]]:
        """Return the cells of a number with the judge, and with labels alone."""
        return {
            (name, m): (
                self.cells[name, m, number, "judge"],
                self.cells.get((name, m, number, "labels"), Cell()),
            )
            for name in SCENARIOS
            for m in LABELS
            if (name, m, number, "judge") in self.cells
        }

    def measure(self, seeds: range, truths: Mapping[str, Mapping[str, float]]) -> None:
        """Add a round of samples."""
        start = time.process_time()
        for name, m in product(SCENARIOS, LABELS):
            for seed in seeds:
                for (number, who), (low, high) in intervals(SCENARIOS[name], m, seed).items():
                    if math.isnan(low):  # with one labelled row of a class, there is no number
                        continue
                    key = name, m, number, who
                    hit = bool(low <= truths[name][number] <= high)
                    self.cells[key] = self.cells.get(key, Cell()).plus(hit, high - low)
        self.samples = seeds.stop
        self.seconds += time.process_time() - start


def summary(found: Found) -> str:
    """Return in one paragraph where intervals contain the true value, and where they do not."""
    every = {
        (number, name, m): with_judge.coverage
        for number in TITLES
        for (name, m), (with_judge, _) in found.of(number).items()
    }
    least = min(LABELS)
    rest = [share for (_, _, m), share in every.items() if m > least]
    shares = [share for (_, _, m), share in every.items() if m == least]
    low = [
        f"{TITLES[number]} at m = {m}, judge “{name}” ({share:.0f} %)"
        for (number, name, m), share in sorted(every.items(), key=lambda cell: cell[1])
        if share < LOW
    ]
    said = (
        f"With {LABELS[1]} or more labels, 95 % intervals contain the true number in "
        f"{np.mean(rest):.1f} % of samples ({min(rest):.0f} to {max(rest):.0f} % by scenario); "
        f"with {least} in {np.mean(shares):.1f} % ({min(shares):.0f} to {max(shares):.0f} %)."
    )
    return f"{said} Below {LOW} %: {'; '.join(low)}." if low else said


def page(found: Found) -> str:
    """Return the page of what was measured."""
    error = 100 * (0.95 * 0.05 / found.samples) ** 0.5
    minutes, words = found.seconds / 60, textwrap.fill(summary(found), 100, break_on_hyphens=False)
    facts = {"samples": found.samples, "rows": ROWS, "error": error, "minutes": minutes}
    out = [HEAD.format(summary=words, **facts)]
    for number, title in TITLES.items():
        of_labels = number in ALONE
        out.append(f"\n## Of {title}\n\n| the judge is | m | judge and labels |")
        out[-1] += " labels alone |\n|---|---|---|---|" if of_labels else "\n|---|---|---|"
        every = []
        for (name, m), both in found.of(number).items():
            out.append(f"| {name} | {m} | {' | '.join(map(str, both[: 1 + of_labels]))} |")
            every.append(both[0].coverage)
        out.append(f"\nLowest {min(every):.0f} %, mean {np.mean(every):.1f} %.")
    return "\n".join(out) + "\n"


def main() -> None:
    """Measure, and write the page after each round."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--samples", type=int, default=SAMPLES)
    options.add_argument("--kept", type=Path, help="where a run continues from")
    options.add_argument("-o", dest="page", type=Path)
    options.add_argument("--pairs", action="store_true", help="two models on the same items alone")
    arguments = options.parse_args()
    if arguments.pairs:
        print(pairs(arguments.samples), end="")
        return
    found = Found.read(arguments.kept) if arguments.kept else Found()
    truths = {name: truth_of(scenario) for name, scenario in SCENARIOS.items()}
    for start in range(found.samples, arguments.samples, ROUND):
        found.measure(range(start, min(start + ROUND, arguments.samples)), truths)
        if arguments.kept:
            found.keep(arguments.kept)
        if arguments.page:
            write_page(arguments.page, page(found))
    if not arguments.page:
        print(page(found), end="")


if __name__ == "__main__":
    main()
