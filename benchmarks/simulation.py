"""Draw rows from two normal distributions of scores, and count intervals that cover the truth."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from tallymark.infer.methods import beta_interval
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreCounts, ScoreTally

CLASSIFIERS = {"weak": 0.5, "fair": 1.5, "near-perfect": 4.0}
"""How far the scores of positives lie above those of negatives, in standard deviations."""

LEVEL = 0.95
GRID = np.linspace(-9, 13, 20_001)


@dataclass(frozen=True)
class Binormal:
    """One population and one size of sample."""

    rows: int
    prevalence: float
    classifier: str
    """A name of :data:`CLASSIFIERS`, or a ROC area such as "0.97"."""

    @property
    def positives(self) -> float:
        """Positives to be expected."""
        return self.rows * self.prevalence

    @property
    def lift(self) -> float:
        """How far apart the two classes' scores are."""
        if self.classifier in CLASSIFIERS:
            return CLASSIFIERS[self.classifier]
        return math.sqrt(2) * float(norm.ppf(float(self.classifier)))

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Return the true probability of a positive at a score."""
        logit = math.log(self.prevalence / (1 - self.prevalence)) + self.lift * (x - self.lift / 2)
        return 1 / (1 + np.exp(-np.clip(logit, -700, 700)))

    def truth(self, name: str) -> float:
        """Return a metric's value in the population."""
        metric = get(name)
        if metric._needs in ("counts", "matrix"):
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


def share_bounds(hit: int, n: int) -> tuple[float, float]:
    """Return the 99.9 % interval of a share, by Clopper and Pearson."""
    low, high = beta_interval(hit, n, 0.999)
    return float(low), float(high)


@dataclass
class Count:
    """Intervals of one number, how many covered the truth, and on which side the others missed."""

    made: int = 0
    below: int = 0
    """Intervals that end below the truth."""
    above: int = 0
    none: int = 0
    warned: int = 0
    width: float = 0.0
    """The widths added up, of those that are finite."""

    def add(self, low: float, high: float, truth: float, warned: bool = False) -> None:
        """Count one interval; NaN bounds are none."""
        if math.isnan(low):
            self.none += 1
            return
        slack = 1e-12 * max(1.0, abs(truth))
        self.made += 1
        self.warned += warned
        self.below += high + slack < truth
        self.above += low - slack > truth
        self.width += high - low if math.isfinite(high - low) else 0.0

    @property
    def held(self) -> int:
        """How many contained the true value."""
        return self.made - self.below - self.above

    @property
    def coverage(self) -> float:
        """The share that contained the true value."""
        return self.held / self.made if self.made else math.nan

    @property
    def bounds(self) -> tuple[float, float]:
        """The 99.9 % interval of the coverage, by Clopper and Pearson."""
        return share_bounds(self.held, self.made)

    @property
    def told(self) -> str:
        """Per cent that covered the truth; in brackets those of samples without an interval."""
        if not self.made:
            return "-"
        missing = self.none / (self.made + self.none)
        text = f"{100 * self.coverage:.0f}"
        return text if missing < 0.005 else f"{text} ({100 * missing:.0f})"


def write_json(file: Path, data: Any) -> None:
    """Write a file whole or not at all."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(data), encoding="utf-8")
    part.replace(file)
