"""Simulate how often intervals hold the truth.

Rows are drawn from two normal distributions of scores, so that the true value of every metric is
known; the share of intervals that hold it is the coverage. Every method is tried on every metric
that it serves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import norm

from tallymark.errors import InputError
from tallymark.infer.cautions import FEW
from tallymark.infer.intervals import interval, interval_of
from tallymark.infer.methods import METHODS
from tallymark.infer.tallies import Single
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreCounts, ScoreTally

DECISIONS = (
    "accuracy", "sensitivity", "specificity", "precision", "negative_predictive_value", "f1",
    "jaccard", "matthews_corrcoef", "cohen_kappa", "balanced_accuracy", "youden_j",
    "markedness", "geometric_mean", "positive_likelihood_ratio", "diagnostic_odds_ratio",
)  # fmt: skip
SCORES = (
    "roc_auc", "average_precision", "brier", "log_loss", "calibration_slope", "top_decile_lift",
    "equal_error_rate", "sensitivity_at_fpr", "kolmogorov_smirnov", "h_measure",
    "expected_calibration_error",
)  # fmt: skip
BY_METHODS = SCORES[:4]
"""Numbers of scores that every method is tried on."""
ROWS = (20, 50, 200, 1000)
PREVALENCES = (0.5, 0.1, 0.01)
CLASSIFIERS = {"weak": 0.5, "fair": 1.5, "near-perfect": 4.0}
"""How far the scores of positives lie above those of negatives, in standard deviations."""

LEVEL = 0.95
GRID = np.linspace(-9, 13, 20_001)


@dataclass(frozen=True)
class Cell:
    """One population and one size of sample."""

    rows: int
    prevalence: float
    classifier: str

    @property
    def positives(self) -> float:
        """Positives to be expected."""
        return self.rows * self.prevalence

    @property
    def lift(self) -> float:
        """How far apart the two classes' scores are."""
        return CLASSIFIERS[self.classifier]

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Return the true probability of a positive at a score."""
        logit = math.log(self.prevalence / (1 - self.prevalence)) + self.lift * (x - self.lift / 2)
        return 1 / (1 + np.exp(-np.clip(logit, -700, 700)))

    def truth(self, name: str) -> float:
        """Return a metric's value in the population."""
        metric = get(name)
        if name in DECISIONS:
            hit, p = norm.cdf(self.lift / 2), self.prevalence
            shares = np.array([[(1 - p) * hit, (1 - p) * (1 - hit)], [p * (1 - hit), p * hit]])
            return float(Statistic.of(metric, (0, 1), 1).of_matrix(shares * 1e9, (0, 1)))
        scores = self.probability(GRID)
        inside = (scores > 0) & (scores < 1)  # beyond, probabilities are rounded and nobody is
        pos = self.prevalence * norm.pdf(GRID, self.lift)
        neg = (1 - self.prevalence) * norm.pdf(GRID)
        ranking = ScoreCounts(scores[inside], pos[inside] * 1e9, neg[inside] * 1e9)
        return float(Statistic.of(metric, (0, 1), 1).of_score_counts([ranking]))

    def sample(self, rng: np.random.Generator) -> tuple[LabelTally, ScoreTally] | None:
        """Draw rows and count them; None where a class has no row."""
        y = rng.random(self.rows) < self.prevalence
        if y.all() or not y.any():
            return None
        x = rng.normal(size=self.rows) + self.lift * y
        labels = LabelTally.from_arrays(y * 1, (x >= self.lift / 2) * 1, labels=(0, 1))
        return labels, ScoreTally.from_arrays(y * 1, self.probability(x), positive=1)


@dataclass
class Count:
    """Intervals made of one kind, and how many of them held the truth."""

    made: int = 0
    held: int = 0
    none: int = 0
    warned: int = 0
    wide: float = 0.0
    """The widths added up."""

    def add(self, low: float, high: float, truth: float, warned: bool = False) -> None:
        """Count one interval; NaN bounds are none."""
        if math.isnan(low):
            self.none += 1
            return
        self.made += 1
        self.warned += warned
        self.wide += high - low
        slack = 1e-12 * max(1.0, abs(truth))
        self.held += low - slack <= truth <= high + slack

    @property
    def coverage(self) -> float:
        """The share that held the truth."""
        return self.held / self.made if self.made else math.nan

    @property
    def told(self) -> str:
        """Per cent that held the truth; in brackets the per cent of samples without an interval."""
        if not self.made:
            return "-"
        missing = self.none / (self.made + self.none)
        text = f"{100 * self.coverage:.0f}"
        return text if missing < 0.005 else f"{text} ({100 * missing:.0f})"


Found = dict[tuple[str, str], Count]


def simulate(cell: Cell, runs: int, by_methods: int, draws: int) -> Found:
    """Return the counts of every metric and method over samples of one cell.

    What is chosen by itself is tried on ``runs`` samples, every method on the first ``by_methods``.
    """
    rng = np.random.default_rng([cell.rows, int(cell.prevalence * 1000), int(cell.lift * 10)])
    truths = {name: cell.truth(name) for name in (*DECISIONS, *SCORES)}
    found: Found = {}
    chosen: dict[bytes, list[Made]] = {}
    tried: dict[bytes, list[Made]] = {}
    for run in range(runs):
        sample = cell.sample(rng)
        if sample is None:
            continue
        labels, scores = sample
        few = bool(labels.counts.sum(1).min() < FEW)
        key = labels.counts.tobytes()
        if key not in chosen:  # few rows have few matrices
            chosen[key] = list(_chosen(labels, DECISIONS))
        made = [*chosen[key], *_chosen((scores,), SCORES)]
        if run < by_methods:
            if key not in tried:
                tried[key] = list(_methods(labels, DECISIONS, draws))
            made += tried[key]
            made += _methods((scores,), BY_METHODS, draws)
        for name, method, low, high, warned in made:
            count = found.setdefault((name, method), Count())
            count.add(low, high, truths[name], warned or few)
    return found


Made = tuple[str, str, float, float, bool]
"""Metric, method, bounds, and whether the number itself carries a warning."""


def _chosen(tally: LabelTally | tuple[ScoreTally, ...], names: tuple[str, ...]) -> Iterator[Made]:
    statistics = {n: Statistic.of(get(n), (0, 1), 1) for n in names}
    one = Single(tally) if isinstance(tally, LabelTally) else Single(None, tally)
    for name, made in interval(statistics, one, level=LEVEL).items():
        value = made.value()
        if not value.reason:
            yield name, "auto", value.low, value.high, value.warning is not None


def _methods(
    tally: LabelTally | tuple[ScoreTally, ...], names: tuple[str, ...], draws: int
) -> Iterator[Made]:
    for name in names:
        s = Statistic.of(get(name), (0, 1), 1)
        for method in METHODS:
            try:
                value = interval_of(s, tally, method=method, draws=draws, level=LEVEL)
            except InputError:  # it does not serve this one
                continue
            if value.reason or math.isinf(value.value):
                break
            yield name, method, value.low, value.high, False


def run(runs: int, by_methods: int, draws: int, processes: int) -> dict[Cell, Found]:
    """Simulate all cells, side by side, the largest first."""
    cells = [Cell(*c) for c in product(ROWS, PREVALENCES, CLASSIFIERS)]
    order = sorted((c for c in cells if c.positives >= 1), key=lambda c: -c.rows)
    with ProcessPoolExecutor(processes) as pool:
        n = len(order)
        found = pool.map(simulate, order, [runs] * n, [by_methods] * n, [draws] * n)
        return dict(zip(order, found, strict=True))
