"""Measure how well the optimism of a chosen threshold is known.

python -m benchmarks.optimism -o docs/optimism.md

In each sample a threshold is chosen for F1, Youden's J and MCC. Its true value is that of the
population, whose rates are known at every threshold.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import tallymark as tm
from benchmarks.pages import write_page
from tallymark.infer.operating_points import report_thresholds
from tallymark.metric.measure import Value

SIZES = (100, 300, 1000)
SHARES = (0.5, 0.1)
RUNS = 500

GOALS = {
    "F1": ("highest F1", tm.metrics.f1),
    "J": ("highest Youden's J", tm.metrics.youden_j),
    "MCC": ("highest MCC", tm.metrics.matthews_corrcoef),
}

HEAD = """# The optimism of a chosen threshold

Made by `python -m benchmarks.optimism -o docs/optimism.md`: {runs} samples a row, in each of which
a threshold is chosen for one metric. *True optimism* is the mean of the value on the rows that
chose less the true value of that threshold; *measured* the mean of what is taken off; *holds* how
often the 95 % interval of the value to expect contains the true value. Standard errors of the
optimism are in brackets; those of *holds* are about {error:.1f} points.
"""


@dataclass(frozen=True)
class Scores:
    """How scores of each class are drawn, and the share of them at or above a threshold."""

    draw: Callable[[np.random.Generator, int, bool], Any]
    above: Callable[[float, bool], float]


def _of(negatives: Any, positives: Any) -> Scores:
    both = negatives, positives
    return Scores(
        lambda rng, n, c: both[c].rvs(n, random_state=rng), lambda t, c: float(both[c].sf(t))
    )


LEVELS = np.array([0.35, 0.3, 0.2, 0.1, 0.05])


def _levels() -> Scores:
    def above(t: float, c: bool) -> float:
        return float((LEVELS[::-1] if c else LEVELS)[np.arange(5) >= t].sum())

    return Scores(lambda rng, n, c: rng.choice(5, n, p=LEVELS[::-1] if c else LEVELS), above)


POPULATIONS = {
    "binormal, AUC 0.75": _of(stats.norm(), stats.norm(0.954)),
    "binormal, AUC 0.9": _of(stats.norm(), stats.norm(1.812)),
    "beta": _of(stats.beta(1.5, 3), stats.beta(3, 1.5)),
    "t₃": _of(stats.t(3), stats.t(3, 1.5)),
    "five levels": _levels(),
}


def samples(
    scores: Scores, n: int, share: float, runs: int
) -> Iterator[dict[str, tuple[float, float, Value]]]:
    """Yield the value on the rows, the true value and the one to expect, by metric."""
    for run in range(runs):
        rng = np.random.default_rng([run, n])
        positives = min(max(rng.binomial(n, share), 2), n - 2)
        y = np.repeat([0, 1], [n - positives, positives])
        s = np.concatenate([scores.draw(rng, k, c) for k, c in ((n - positives, False),
                                                               (positives, True))])  # fmt: skip
        chosen = report_thresholds(tm.ScoreTally.from_arrays(y, s))
        found = {}
        for name, (goal, metric) in GOALS.items():
            best, threshold = chosen[goal].best, chosen[goal].threshold
            tpr, fpr = (scores.above(threshold, c) for c in (True, False))
            matrix = [[(1 - share) * (1 - fpr), (1 - share) * fpr],
                      [share * (1 - tpr), share * tpr]]  # fmt: skip
            true = metric(tm.LabelTally((0, 1), 1e9 * np.array(matrix)))
            found[name] = best.value, true, best.corrected
        yield found


def lines(runs: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the rows of the table."""
    yield "| scores | rows | positives | metric | true optimism | measured | holds |"
    yield "|---|---|---|---|---|---|---|"
    for (name, scores), n, share in (
        (population, n, share)
        for population in POPULATIONS.items() for n in sizes for share in SHARES
    ):  # fmt: skip
        found = list(samples(scores, n, share, runs))
        for metric in GOALS:
            here, true, new = zip(*(f[metric] for f in found), strict=True)
            known = np.array([not np.isnan(v.value) for v in new])
            real = np.subtract(here, true)
            told = np.subtract(here, [v.value for v in new])[known]
            held = np.array([v.low <= t <= v.high for t, v in zip(true, new, strict=True)])
            yield (
                f"| {name} | {n:,} | {share:.0%} | {metric} | {real.mean():.4f} "
                f"({real.std() / runs**0.5:.4f}) | {told.mean():.4f} | {held[known].mean():.1%} |"
            )


def main() -> int:
    """Measure, print, and write the page if one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="also write the page to this file")
    parser.add_argument("--runs", type=int, default=RUNS, help="samples a row")
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES, help="rows of a sample")
    asked = parser.parse_args()
    text = HEAD.format(runs=asked.runs, error=100 * (0.95 * 0.05 / asked.runs) ** 0.5) + "\n"
    for line in lines(asked.runs, asked.rows):
        print(line, flush=True)
        text += line + "\n"
    if asked.output:
        write_page(asked.output, text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
