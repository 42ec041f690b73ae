"""Measure how often tests and verdicts err: python -m benchmarks.levels [-o docs/levels.md].

Two models are noisy views of one signal, so that their scores go together and the truth is known.
A cell is one situation: a test where nothing differs, flags of subgroups, a verdict, a plan, or the
intervals of differences. Finished cells are kept in a folder: the same command continues where it
was stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, multivariate_normal, norm

from benchmarks.pages import write_page
from benchmarks.populations import CENTRES, POPULATIONS, SHARES_OF_CENTRES, sizes_of
from benchmarks.simulation import CLASSIFIERS, Binormal, Count, share_bounds, write_json
from tallymark.infer import plan
from tallymark.infer.chance import accuracy_above_majority, area_above_half, brier_below_prevalence
from tallymark.infer.corrected_t import corrected_t
from tallymark.infer.difference import difference
from tallymark.infer.five_by_two import paired_5x2_f, paired_5x2_t
from tallymark.infer.influence import Influence
from tallymark.infer.intervals import interval
from tallymark.infer.multiplicity import holm
from tallymark.infer.operating_points import Splits
from tallymark.infer.paired import Paired
from tallymark.infer.ratio_differences import of_ratios
from tallymark.infer.sampler import Sampler
from tallymark.infer.samples import Matrices, Single
from tallymark.infer.significance import (
    bowker,
    cochran_q,
    mcnemar,
    stuart_maxwell,
)
from tallymark.infer.threshold_gain import moved_threshold
from tallymark.infer.verdict import judge
from tallymark.metric import get
from tallymark.metric.measure import Statistic, Value
from tallymark.parts.results.friedman import critical_difference, friedman
from tallymark.parts.results.wilcoxon import wilcoxon
from tallymark.reading.given_arrays import from_arrays
from tallymark.reading.models import Model
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally

METRICS = (
    "accuracy", "sensitivity", "specificity", "precision", "f1", "matthews_corrcoef",
    "balanced_accuracy", "roc_auc", "average_precision", "brier", "log_loss",
)  # fmt: skip
PAIRS = (("weak", "fair"), ("fair", "fair"), ("near-perfect", "fair"))
ROWS = (20, 50, 200, 1000)
PREVALENCES = (0.5, 0.1)
SHARED = 0.5
"""How much of the scores' variance within a class all models share: their correlation."""

PATIENTS, EACH = 60, 8
OF_PATIENT = 0.4
"""How much of a score's variance is the patient's."""

RUNS, COSTLY = 2000, 500
"""Samples of a cell: of tests by formula, and of what draws or takes long."""

MOST = 0.06
"""What a test at 5 % is held to."""

DRAWS = 1000
GRID = np.linspace(-14, 22, 72_001)
MCNEMARS = ("exact", "mid-p", "chi-square", "corrected")
LAYOUTS: dict[str, Sequence[int]] = {
    "5 of 200 rows": [200] * 5,
    "10 of 100": [100] * 10,
    "30 of 100": [100] * 30,
    "40 to 1,000": [40, 60, 80, 100, 150, 300, 600, 1000],
}
FLAGGED = (
    "accuracy", "sensitivity", "precision", "f1", "matthews_corrcoef", "roc_auc", "brier",
    "log_loss",
)  # fmt: skip
ANY = "any of these metrics"
OF_LAYOUTS = (
    *product(("t3",), LAYOUTS),
    *product(("normal", "t2", "mixture", "over-confident"), ("10 of 100", "30 of 100")),
    *product(("near-separable", "beta", "five levels", "weighted"), ("10 of 100",)),
)
SHARE = 0.4
"""Positives among the rows of subgroups."""

OF_SCORES = ("roc_auc", "average_precision", "brier", "log_loss")
OF_CHANGED = ("accuracy", "f1", "brier", "log_loss")
OF_CENTRES = ("accuracy", "roc_auc", "brier", "log_loss")
RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")
RATES = ((0.6, 0.75), (0.75, 0.9), (0.9, 0.6), (0.95, 0.99))
"""Sensitivity and specificity of decisions whose ratios are compared."""

FEW_ROWS = (30, 100, 300)
OF_RATIOS = 0.3
"""Positives among their rows."""

AREAS = (("0.75", "0.65"), ("0.97", "0.92"))
"""ROC areas of two models that are told apart with a power of 80 % by DeLong's test."""

LARGE = 1.5
"""The standard deviation of the logarithms of large losses, and of heavy weights."""

REFERENCE = "(not chosen)"
NOT_HELD = ("not its use", "(warns)", REFERENCE, "power", "conflict")
"""Words in the names of what is measured without being held to a level."""

# -- counting ----------------------------------------------------------------------------------


@dataclass
class Level:
    """How often a test finds something, at 0.05 and at 0.01."""

    made: int = 0
    below5: int = 0
    below1: int = 0

    def add(self, p: float) -> None:
        """Count a p-value; NaN, no test, finds nothing."""
        self.made += 1
        self.below5 += bool(p < 0.05)
        self.below1 += bool(p < 0.01)

    @property
    def share(self) -> float:
        """The share found at 0.05."""
        return self.below5 / self.made

    @property
    def bounds(self) -> tuple[float, float]:
        """The 99.9 % interval of the share found at 0.05, by Clopper and Pearson."""
        return share_bounds(self.below5, self.made)

    @property
    def too_often(self) -> bool:
        """Whether chance does not explain that it finds more than it may."""
        return self.bounds[0] > MOST

    def __str__(self) -> str:
        low, high = self.bounds
        told = f"{100 * self.share:.1f} ({100 * low:.1f}-{100 * high:.1f})"
        return f"**{told}**" if self.too_often else told


Found = dict[str, Level | Count]


def _as_p(said: bool) -> float:
    """Return a p-value that counts as found where something was said."""
    return 0.03 if said else 1.0


def levels(found: Iterable[Mapping[str, float]]) -> Found:
    """Count the p-values of every sample, by the name of the test."""
    out: dict[str, Level] = {}
    for p_values in found:
        for name, p in p_values.items():
            out.setdefault(name, Level()).add(p)
    return dict(out)


# -- two models on the same rows ---------------------------------------------------------------


@dataclass(frozen=True)
class Two:
    """A population that two models judge, each as well as its name says, and one size of sample.

    Noise is normal, or Student's t with so many ``freedoms``. ``shared`` is the correlation of the
    scores within a class. With ``changed``, the second model has the scores of the first, but for
    so many rows. ``centres`` names how the rows are divided among 20 clusters; ``weighted`` rows
    have log-normal weights.
    """

    rows: int
    prevalence: float
    first: str
    second: str
    clusters: int = 0
    freedoms: float = math.inf
    shared: float = SHARED
    changed: int = 0
    centres: str = ""
    weighted: bool = False

    def __str__(self) -> str:
        """Return what tells it from others."""
        name = f"{self.first} {self.second} {self.rows} {self.prevalence} {self.clusters}"
        special = (
            ("shared", self.shared, SHARED), ("changed", self.changed, 0),
            ("", self.centres, ""), ("weighted", self.weighted, False),
        )  # fmt: skip
        return " ".join([name, *(f"{word} {v}" for word, v, usual in special if v != usual)])

    @property
    def cells(self) -> tuple[Binormal, Binormal]:
        """The population as each of the two models sees it."""
        a, b = (Binormal(self.rows, self.prevalence, name) for name in (self.first, self.second))
        return a, b

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return self.first == self.second

    @property
    def title(self) -> str:
        """How it heads a column."""
        special = [
            "" if math.isinf(self.freedoms) else f"t{self.freedoms:g}",
            f"{self.clusters} clusters" if self.clusters else "",
            "" if self.shared == SHARED else f"correlation {self.shared:g}",
            f"{self.changed} changed" if self.changed else "",
            self.centres,
            "weighted" if self.weighted else "",
        ]
        return ", ".join([f"{self.rows:,} rows, {self.prevalence:.0%}", *filter(None, special)])

    @property
    def in_clusters(self) -> bool:
        """Whether rows are in clusters."""
        return bool(self.clusters or self.centres)

    def truth(self, name: str) -> float:
        """Return the true difference of a metric."""
        a, b = (_truth(c, name) for c in self.cells)
        return a - b

    def draw(
        self, rng: np.random.Generator, models: int = 2, positives: int | None = None
    ) -> tuple[NDArray[np.int_], NDArray[np.float64], NDArray[np.int_] | None]:
        """Draw classes (n,), scores (models, n) and clusters; both classes have a row."""
        n = self.rows
        y = np.zeros(n, dtype=int)
        if positives is not None:
            y[:positives] = 1
        while not 0 < y.sum() < n:
            y = (rng.random(n) < self.prevalence) * 1
        shared, own = self._noise(rng, n), self._noise(rng, (models, n))
        groups = None
        if self.in_clusters:
            clusters = self.clusters or CENTRES
            groups = np.arange(n) % clusters
            if self.centres:
                sizes = sizes_of(SHARES_OF_CENTRES[self.centres](rng), n)
                groups = np.repeat(np.arange(clusters), sizes)
            size = (models + 1, clusters)
            theirs = rng.normal(size=size)[:, groups]
            keep, give = math.sqrt(1 - OF_PATIENT), math.sqrt(OF_PATIENT)
            shared, own = keep * shared + give * theirs[0], keep * own + give * theirs[1:]
        lifts = [c.lift for c in self.cells] + [self.cells[1].lift] * (models - 2)
        noise = math.sqrt(self.shared) * shared + math.sqrt(1 - self.shared) * own
        x = noise + np.outer(lifts, y)
        if self.changed:
            kept = np.ones(n, dtype=bool)
            kept[rng.choice(n, self.changed, replace=False)] = False
            x[1] = np.where(kept, x[0], x[1])
        return y, x, groups

    def _noise(self, rng: np.random.Generator, size: Any) -> NDArray[np.float64]:
        normal = math.isinf(self.freedoms)
        return np.asarray(rng.normal(size=size) if normal else rng.standard_t(self.freedoms, size))

    def counted(
        self, y: NDArray[np.int_], x: NDArray[np.float64], groups: NDArray[np.int_] | None,
        metrics: Sequence[str] = METRICS, weight: NDArray[np.float64] | None = None,
    ) -> Paired:  # fmt: skip
        """Count what was drawn."""
        cells = [*self.cells, *[self.cells[1]] * (len(x) - 2)]
        said = {n: (s >= c.lift / 2) * 1 for n, s, c in zip("abcdef", x, cells, strict=False)}
        scores = {n: c.probability(s) for n, s, c in zip("abcdef", x, cells, strict=False)}
        counted = from_arrays(
            y, said, scores, cluster=groups, weight=weight, labels=(0, 1), positive=1
        )
        values = {m.name: _values(m, metrics, not self.in_clusters) for m in counted.models}
        return Paired(counted, values, draws=DRAWS)


@cache
def _truth(cell: Binormal, name: str) -> float:
    if name != "log_loss":
        return cell.truth(name)
    # Probabilities so near to 0 and 1 that only their logits can be told apart.
    p, lift = cell.prevalence, cell.lift
    logit = math.log(p / (1 - p)) + lift * (GRID - lift / 2)
    loss = p * norm.pdf(GRID, lift) * np.logaddexp(0, -logit)
    loss += (1 - p) * norm.pdf(GRID) * np.logaddexp(0, logit)
    return float(np.trapezoid(loss, GRID))


def _values(model: Model, metrics: Sequence[str], bounded: bool) -> dict[str, Value]:
    """Return a model's numbers, with intervals where a difference is made from them."""
    statistics = {n: Statistic.of(get(n), model.labels.labels, 1) for n in metrics}
    found = {}
    for name, s in statistics.items():
        decided = s.metric._needs in ("counts", "matrix")
        found[name] = s.point(model.labels if decided else model.scores)
    added = {
        n: s for n, s in statistics.items()
        if n in RATIOS or (bounded and s.metric._needs == "ranking" and not s.metric._roc_area)
    }  # fmt: skip
    made = interval(added, Single(model.labels, model.scores)) if added else {}
    return found | {name: e.value() for name, e in made.items()}


# -- cells ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """One situation: what is measured, of what, and of how many samples."""

    kind: str
    of: tuple[Any, ...]
    costly: bool = False

    @property
    def name(self) -> str:
        """What its file is called."""
        words = "-".join(map(str, (self.kind, *self.of)))
        return "".join(c if c.isalnum() or c in ".-" else "_" for c in words)

    def measure(self, runs: int) -> Found:
        """Simulate it."""
        rng = np.random.default_rng(list(self.name.encode()))
        return KINDS[self.kind](rng, runs, *self.of)


def same_rows(rng: np.random.Generator, runs: int, *of: Any) -> Found:
    """Return how often tests find a difference of three models that are equally good."""
    two = Two(of[0], of[1], "fair", "fair", freedoms=of[2])

    def sample() -> dict[str, float]:
        y, x, _ = two.draw(rng, 3)
        right = (x >= two.cells[0].lift / 2) == y
        one, other = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
        found = {f"McNemar, {m}": mcnemar(one, other, m).p_value for m in MCNEMARS}
        found["Cochran's Q of 3"] = cochran_q(right).p_value
        table = _three_classes(rng, two.rows)
        found["Bowker, 3 classes"] = bowker(table).p_value
        found["Stuart-Maxwell, 3 classes"] = stuart_maxwell(table).p_value
        paired = two.counted(y, x, None, ["roc_auc"])
        of_areas = difference(paired.statistic(get("roc_auc")), paired)
        each = [d.p_value for d in of_areas]
        found["DeLong, Student's t"] = each[0]
        found["DeLong, all 3 by Hotelling's T²"] = paired.auc_test().p_value
        found["DeLong, any of 3 pairs by Holm"] = float(np.nanmin([1.0, *holm(np.array(each))]))
        return found

    return levels(sample() for _ in range(runs))


def permutations(rng: np.random.Generator, runs: int, *of: Any) -> Found:
    """Return how often permutation tests find a difference of equally good models."""
    two = Two(of[0], of[1], "fair", "fair", freedoms=of[2])

    def sample() -> dict[str, float]:
        paired = two.counted(*two.draw(rng), ["roc_auc", "matthews_corrcoef"])
        return {
            f"permutation of {what}": paired.permutations([("a", "b")], get(m), 300)[0].p_value
            for what, m in (("decisions, MCC", "matthews_corrcoef"), ("ranks, AUC", "roc_auc"))
        }

    return levels(sample() for _ in range(runs))


def _three_classes(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Return the cross table of two models that are equally good at three classes."""
    y = rng.integers(0, 3, n)
    own = np.eye(3)[y] * 1.5 + math.sqrt(SHARED) * rng.normal(size=(n, 3))
    a, b = ((own + math.sqrt(1 - SHARED) * rng.normal(size=(n, 3))).argmax(1) for _ in range(2))
    return np.bincount(3 * a + b, minlength=9).reshape(3, 3).astype(np.float64)


def _learn(
    x: NDArray[np.float64], y: NDArray[np.int_], folds: NDArray[np.int_], by_area: bool
) -> Any:
    """Return a nearest-centroid learner's accuracy, or area, in every fold, trained on others."""
    out = []
    for f in range(int(folds.max()) + 1):
        train, test = folds != f, folds == f
        m1, m0 = (x[train & (y == k)].mean(0) for k in (1, 0))
        above = (x[test] - (m1 + m0) / 2) @ (m1 - m0)
        if by_area:
            pos, neg = above[y[test] == 1], above[y[test] == 0]
            out.append(float((pos[:, None] > neg).mean()))
        else:
            out.append(float(((above > 0) == y[test]).mean()))
    return np.array(out)


def folds(rng: np.random.Generator, runs: int, rows: int, metric: str, tens: bool) -> Found:
    """Return the levels over folds: two learners that see equally good halves of the features."""
    y = np.arange(rows) % 2

    def both(x: NDArray[np.float64], k: int, repeats: int) -> Any:
        """Return results [learner, fold] of repeated cross-validation, stratified by class."""
        made = []
        for _ in range(repeats):
            fold = np.empty(rows, dtype=int)
            for c in (0, 1):
                own = np.flatnonzero(y == c)
                fold[own] = rng.permutation(np.arange(len(own)) % k)
            made.append([_learn(h, y, fold, metric == "area") for h in (x[:, :5], x[:, 5:])])
        return np.concatenate(made, axis=1)

    def sample() -> dict[str, float]:
        x = 0.35 * y[:, None] + rng.normal(size=(rows, 10)) + 0.5 * rng.normal(size=(rows, 1))
        if tens:
            a, b = both(x, 10, 10)
            return {
                "corrected resampled t, 10 x 10 folds": corrected_t(a, b, ratio=1 / 9).p_value,
                "plain paired t, 10 x 10 folds (not its use)": corrected_t(a, b, ratio=0).p_value,
            }
        twos, ten = both(x, 2, 5), both(x, 10, 1)
        return {
            "corrected resampled t, 5 x 2 folds": corrected_t(*twos, ratio=1).p_value,
            "5x2cv t (warns)": paired_5x2_t(*twos).p_value,
            "5x2cv F (warns)": paired_5x2_f(*twos).p_value,
            "corrected resampled t, 10 folds": corrected_t(*ten, ratio=1 / 9).p_value,
            "Wilcoxon, 10 folds (not its use)": wilcoxon(*ten).p_value,
        }

    return levels(sample() for _ in range(runs))


def sets(rng: np.random.Generator, runs: int, datasets: int) -> Found:
    """Return the levels over data sets of accuracies of 100 rows each, with ties."""
    apart = [critical_difference(4, datasets, level=level) for level in (0.95, 0.99)]

    def sample() -> dict[str, float]:
        hard = rng.beta(4, 2, size=(datasets, 1))
        values = rng.binomial(100, np.broadcast_to(hard, (datasets, 4))) / 100
        f = friedman(values)
        gap = max(f.ranks) - min(f.ranks)
        return {
            "Wilcoxon": wilcoxon(values[:, 0], values[:, 1]).p_value,
            "Friedman, chi-square of 4": f.p_value,
            "Iman and Davenport's F of 4": f.f_p_value,
            "Nemenyi, any pair of 4": (1.0, 0.03, 0.001)[sum(gap >= d for d in apart)],
        }

    return levels(sample() for _ in range(runs))


def subgroups(rng: np.random.Generator, runs: int, of: str, layout: str) -> Found:
    """Return how often any subgroup is flagged by a metric where none differs."""
    population, sizes = POPULATIONS[of], LAYOUTS[layout]
    group = np.repeat(np.arange(len(sizes)), sizes)

    def sample() -> dict[str, float]:
        rows = population.rows(rng, len(group), SHARE)
        by = population.evaluate(rows, SHARE, subgroup={"group": group}).by("group")
        found = {m: min((d.corrected for d in by.flags(m)), default=1.0) for m in FLAGGED}
        return {**found, ANY: min(found.values())}

    return levels(sample() for _ in range(runs))


# -- verdicts and plans ----------------------------------------------------------------------------


def says_better(paired: Paired, metric: str) -> bool:
    """Tell whether a comparison says "better" of any pair."""
    found = difference(paired.statistic(get(metric)), paired)
    verdicts = judge(found, rows=(paired.joint.rows,))
    return any(v.kind == "better" for v in verdicts)


def better(
    rng: np.random.Generator, runs: int, rows: int, prevalence: float, metric: str, models: int
) -> Found:
    """Return how often "better" is said where nothing differs."""
    two = Two(rows, prevalence, "fair", "fair")
    name = f"{get(metric).title}, {models} models"

    def sample() -> dict[str, float]:
        paired = two.counted(*two.draw(rng, models), [metric])
        return {name: _as_p(says_better(paired, metric))}

    return levels(sample() for _ in range(runs))


def within_margin(
    rng: np.random.Generator, runs: int, rows: int, prevalence: float, metric: str, models: int
) -> Found:
    """Return how often a model that is worse by just the margin is called no worse, or equivalent.

    The first model is better than each of the others by the margin.
    """
    two = Two(rows, prevalence, "fair", "weak")
    margin = two.truth(metric)

    def sample() -> dict[str, float]:
        paired = two.counted(*two.draw(rng, models), [metric])
        found = difference(paired.statistic(get(metric)), paired)
        verdicts = judge(found, rows=(rows,), margin=margin)
        of_first = [v for v in verdicts if "a" in (v.better, v.other)]
        no_worse = any(v.shown("non-inferiority") and v.other == "a" for v in of_first)
        same = any(v.shown("equivalence") for v in of_first)
        return {f"{get(metric).title}, {models} models": _as_p(no_worse or same)}

    return levels(sample() for _ in range(runs))


def planned(prevalence: float) -> dict[str, tuple[str, plan.Plan]]:
    """Return plans for a power of 80 %, and by which metric they are to tell two models apart."""
    weak, fair = (CLASSIFIERS[n] for n in ("weak", "fair"))
    areas = [float(norm.cdf(v / math.sqrt(2))) for v in (fair, weak)]
    of_area = plan.auc_difference(*areas, score_correlation=SHARED, prevalence=prevalence)
    both = multivariate_normal([0, 0], [[1, SHARED], [SHARED, 1]]).cdf([fair / 2, weak / 2])
    first, second = norm.cdf(fair / 2) - both, norm.cdf(weak / 2) - both
    of_right = plan.mcnemar(float(first), float(second))
    return {"auc_difference": ("roc_auc", of_area), "mcnemar": ("accuracy", of_right)}


def power(rng: np.random.Generator, runs: int, name: str, prevalence: float) -> Found:
    """Return how often "better" is said of a fair and a weak model on as many rows as planned."""
    metric, asked = planned(prevalence)[name]
    two = Two(asked.n, prevalence, "weak", "fair")

    def sample() -> dict[str, float]:
        paired = two.counted(*two.draw(rng, positives=asked.positives), [metric])
        return {"better": _as_p(says_better(paired, metric))}

    return levels(sample() for _ in range(runs))


# -- intervals of differences ----------------------------------------------------------------------


def of_pairs(
    runs: int, sample: Callable[[], Paired], truths: Mapping[str, float], same: bool
) -> Found:
    """Return how often intervals of differences contained the true value, and what is said of them.

    ``level`` is the share of p-values below 5 %. A ``conflict`` is a sample in which the p-value,
    the interval and the verdict do not say the same.
    """
    out: Found = {m: Count() for m in truths}
    tested = []
    for _ in range(runs):
        paired = sample()
        p_values = {}
        for m, truth in truths.items():
            found = difference(paired.statistic(get(m)), paired, [("a", "b")])
            d, count = found.each[0], out[m]
            assert isinstance(count, Count)
            count.add(d.low, d.high, truth, d.warning is not None)
            if math.isnan(d.low):
                continue
            p_values[f"level of {m}"] = d.p_value
            (verdict,) = judge(found, rows=(paired.joint.rows,))
            said = {bool(d.p_value < 0.05), d.low > 0 or d.high < 0, verdict.kind == "better"}
            p_values[f"conflict of {m}"] = _as_p(len(said) > 1)
        tested.append(p_values)
    kept = levels(tested)
    return out | {name: v for name, v in kept.items() if same or "level" not in name}


def differences(
    rng: np.random.Generator, runs: int, two: Two, metrics: Sequence[str] = METRICS
) -> Found:
    """Return what intervals and p-values say of the difference of two models."""

    def sample() -> Paired:
        drawn = two.draw(rng)
        weight = np.exp(LARGE * rng.normal(size=two.rows)) if two.weighted else None
        return two.counted(*drawn, metrics, weight)

    return of_pairs(runs, sample, {m: two.truth(m) for m in metrics}, two.same)


def large_losses(rng: np.random.Generator, runs: int, rows: int) -> Found:
    """Return the same of two equal models of three classes, with log-normal losses."""

    def sample() -> Paired:
        y = rng.integers(0, 3, rows)
        shared, own = rng.normal(size=rows), rng.normal(size=(2, rows))
        loss = 0.1 * np.exp(LARGE * math.sqrt(SHARED) * (shared + own))
        scores = {}
        for name, of_row in zip("ab", np.exp(-loss), strict=True):
            p = np.repeat((1 - of_row)[:, None] / 2, 3, axis=1)
            p[np.arange(rows), y] = of_row
            scores[name] = p
        counted = from_arrays(y, None, scores, labels=(0, 1, 2))
        values = {m.name: _values(m, ["log_loss"], bounded=False) for m in counted.models}
        return Paired(counted, values, draws=DRAWS)

    return of_pairs(runs, sample, {"log_loss": 0.0}, same=True)


def areas(rng: np.random.Generator, runs: int, first: str, second: str, prevalence: float) -> Found:
    """Return power, level, coverage and width of the chosen method and of DeLong's test.

    Student's t with DeLong's variance lacks the correction for skewness of the chosen method. The
    rows are those that ``tm.plan.auc_difference`` wants for a power of 80 %.
    """
    asked = plan.auc_difference(
        float(first), float(second), score_correlation=SHARED, prevalence=prevalence
    )
    names = ("chosen", f"DeLong's t {REFERENCE}")
    cases = {
        "power": Two(asked.n, prevalence, first, second),
        "level": Two(asked.n, prevalence, first, first),
    }
    out: Found = {f"{name}, {what}": Count() for what in cases for name in names}
    tested = []
    for _ in range(runs):
        p_values = {}
        for what, two in cases.items():
            paired = two.counted(*two.draw(rng, positives=asked.positives), ["roc_auc"])
            (d,) = difference(paired.statistic(get("roc_auc")), paired)
            ends = [(d.low, d.high, d.p_value)] * 2
            if isinstance(d._null_test, Influence):
                plain = d._null_test._replace(skew=0.0)
                ends[1] = (*plain.bounds(d.value, 0.95), plain.p_value(d.value))
            for name, (low, high, p) in zip(names, ends, strict=True):
                count = out[f"{name}, {what}"]
                assert isinstance(count, Count)
                count.add(low, high, two.truth("roc_auc"))
                p_values[f"{what} of {name}"] = p
        tested.append(p_values)
    return out | levels(tested)


# -- likelihood ratios and odds ratios -------------------------------------------------------------


def _decided(
    rng: np.random.Generator, rows: int, rates: tuple[float, float]
) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return classes (n,) and decisions (2, n) of two models with these rates."""
    y = (np.arange(rows) < round(OF_RATIOS * rows)) * 1
    latent = math.sqrt(SHARED) * rng.normal(size=rows)
    latent = latent + math.sqrt(1 - SHARED) * rng.normal(size=(2, rows))
    right = latent < norm.ppf(np.where(y == 1, *rates))
    return y, np.where(right, y, 1 - y)


def ratios(
    rng: np.random.Generator, runs: int, rows: int, sensitivity: float, specificity: float
) -> Found:
    """Return what is said of ratios of two models on the same rows, with equal rates."""

    def sample() -> Paired:
        y, said = _decided(rng, rows, (sensitivity, specificity))
        counted = from_arrays(y, dict(zip("ab", said, strict=True)), labels=(0, 1), positive=1)
        values = {m.name: _values(m, RATIOS, bounded=False) for m in counted.models}
        return Paired(counted, values, draws=DRAWS)

    return of_pairs(runs, sample, dict.fromkeys(RATIOS, 0.0), same=True)


def ratios_apart(
    rng: np.random.Generator, runs: int, rows: int, sensitivity: float, specificity: float
) -> Found:
    """Return what is said of ratios of two subgroups with equal rates and ``rows`` each.

    All samples are compared as one stack.
    """
    positives = round(OF_RATIOS * rows)
    of_class = np.array([rows - positives, positives])
    right = rng.binomial(of_class, (specificity, sensitivity), size=(2, runs, 2))
    cells = np.empty((2, runs, 2, 2))
    for c in (0, 1):
        cells[..., c, c], cells[..., c, 1 - c] = right[..., c], of_class[c] - right[..., c]
    out: Found = {}
    for m in RATIOS:
        s = Statistic.of(get(m), (0, 1), 1)
        with np.errstate(all="ignore"):  # of zero cells
            a, b = (np.asarray(s.of_matrix(side, (0, 1))) for side in cells)
        first, second = (Matrices(v, None, (0, 1), Sampler()).two_shares(s) for v in cells)
        count = Count()
        tested = []
        for d in of_ratios(s, (a, b), (first, second), 0.95):
            if d is None:
                count.none += 1
                continue
            count.add(d.low, d.high, 0.0)
            conflict = (d.low > 0 or d.high < 0) != (d.p_value < 0.05)
            tested.append({f"level of {m}": d.p_value, f"conflict of {m}": _as_p(conflict)})
        out |= {m: count} | levels(tested)
    return out


# -- chance ----------------------------------------------------------------------------------------


def chance(rng: np.random.Generator, runs: int, rows: int, prevalence: float) -> Found:
    """Return how often a model is called better than chance that is not."""

    def sample() -> dict[str, float]:
        y = np.zeros(rows, dtype=int)
        while not 2 <= y.sum() <= rows - 2:
            y = (rng.random(rows) < prevalence) * 1
        area = area_above_half(ScoreTally.from_arrays(y, rng.normal(size=rows), positive=1))
        found = {"AUC against 1/2": math.nan if area is None else area.p_value}

        # Half of the rows that are called positive are: it is right as often as the majority.
        said = (rng.random(rows) < prevalence / 2) * 1
        share = np.where(said == 1, 0.5, 0.75 * prevalence / (1 - prevalence / 2))
        right = (rng.random(rows) < share) * 1
        if 0 < right.sum() < rows:
            tally = LabelTally.from_arrays(right, said, labels=(0, 1))
            p = accuracy_above_majority(tally)
            hits, most = int((right == said).sum()), max(right.mean(), 1 - right.mean())
            found |= {
                "accuracy against the majority rule": math.nan if p is None else p,
                f"accuracy by the binomial test {REFERENCE}": float(binom.sf(hits - 1, rows, most)),
            }
        # Twice as far from the prevalence as the truth is, scores are as good as the prevalence.
        away = 0.4 * min(prevalence, 1 - prevalence) * rng.choice([-1, 1], rows)
        of_truth = (rng.random(rows) < prevalence + away) * 1
        for name, of, scores in (
            ("Brier score, prevalence given", y, np.full(rows, prevalence)),
            ("Brier score, over-confident", of_truth, prevalence + 2 * away),
        ):
            if not 2 <= of.sum() <= rows - 2:
                continue
            gain = brier_below_prevalence(ScoreTally.from_arrays(of, scores, positive=1))
            found[name] = math.nan if gain is None else gain.p_value
        return found

    return levels(sample() for _ in range(runs))


def moved(rng: np.random.Generator, runs: int, rows: int, prevalence: float, lift: float) -> Found:
    """Return how often moving a threshold seems to gain where it gains nothing.

    Scores are pure noise, or the threshold in force is already the best for Youden's J.
    """

    def sample() -> dict[str, float]:
        y = np.zeros(rows, dtype=int)
        while not 2 <= y.sum() <= rows - 2:
            y = (rng.random(rows) < prevalence) * 1
        scores = {"m": rng.normal(size=rows) + lift * y}
        (model,) = from_arrays(y, None, scores, threshold=lift / 2, positive=1).models
        splits = Splits(model.scores[0], Sampler(), None, 0.95)
        metrics = ("youden_j", "matthews_corrcoef") if lift == 0 else ("youden_j",)
        gains = {m: moved_threshold(splits, model, get(m)).gain for m in metrics}
        return {f"gain of {m} > 0": _as_p(v.low > 0) for m, v in gains.items()}

    return levels(sample() for _ in range(runs))


KINDS: dict[str, Callable[..., Found]] = {
    f.__name__: f
    for f in (
        same_rows, permutations, folds, sets, subgroups, better, within_margin, power, differences,
        large_losses, areas, ratios, ratios_apart, chance, moved,
    )
}  # fmt: skip


def cells(rows: Sequence[int] = ROWS) -> list[Cell]:
    """Return every situation that is measured."""
    some = [n for n in rows if n >= 50]
    nulls = [(n, p, math.inf) for n, p in product(some, PREVALENCES)]
    heavy = [(n, p, 3) for n, p in product(some, PREVALENCES) if n == 200]
    pairs = [Two(n, p, *pair) for n, p, pair in product(rows, PREVALENCES, PAIRS)]
    grouped = [Two(PATIENTS * EACH, p, *pair, PATIENTS) for p, pair in product(PREVALENCES, PAIRS)]
    said = [("roc_auc", 2), ("roc_auc", 3), ("matthews_corrcoef", 3), ("accuracy", 2)]
    return [
        *(Cell("same_rows", n) for n in [*nulls, *heavy]),
        *(Cell("permutations", n, costly=True) for n in nulls),
        *(Cell("folds", (n, m, False)) for n, m in product((100, 300), ("accuracy", "area"))),
        *(Cell("folds", (n, "accuracy", True), costly=True) for n in (100, 300)),
        *(Cell("sets", (n,)) for n in (10, 30)),
        *(Cell("subgroups", of, costly=True) for of in OF_LAYOUTS),
        *(Cell("better", (n, p, *of), costly=True) for (n, p, _), of in product(nulls, said)),
        *(Cell("within_margin", (n, 0.5, m, 5), costly=True)
          for n, m in product(some, ("roc_auc", "accuracy"))),
        *(Cell("power", ("auc_difference", p)) for p in PREVALENCES),
        Cell("power", ("mcnemar", 0.5)),
        *(Cell("differences", of, costly=True) for of in hard()),
        *(Cell("differences", (two,), costly=True) for two in pairs),
        *(Cell("differences", (two, ("accuracy", "roc_auc")), costly=True) for two in grouped),
        *(Cell("large_losses", (n,)) for n in (100, 500)),
        *(Cell("areas", (*pair, p)) for pair, p in product(AREAS, PREVALENCES)),
        *(Cell("ratios_apart", (n, *rates)) for n, rates in product(FEW_ROWS, RATES)),
        *(Cell("ratios", (n, *rates), costly=True) for n, rates in product(FEW_ROWS, RATES)),
        *(Cell("chance", (n, p)) for n, p in product(some, (0.5, 0.2))),
        *(Cell("moved", (n, p, lift), costly=True)
          for n, p, lift in product(some, (0.5, 0.2), (0.0, 1.5))),
    ]  # fmt: skip


def hard() -> list[tuple[Two, Sequence[str]]]:
    """Return models that are nearly the same, unequal clusters and heavy weights, with metrics."""
    like = [
        Two(n, 0.2, "fair", other, shared=shared)
        for other, n, shared in product(("fair", "0.87"), (600, 100), (0.9, 0.99, 0.999))
    ]
    changed = [Two(1000, 0.2, "fair", "fair", changed=k) for k in (5, 15)]
    centres = [
        Two(n, 0.5, "fair", "fair", centres=sizes)
        for sizes, n in product(SHARES_OF_CENTRES, (200, 1000))
    ]
    heavy = [Two(n, 0.5, "fair", "fair", weighted=True) for n in (100, 500)]
    return [
        *((two, OF_SCORES) for two in like),
        *((two, OF_CHANGED) for two in changed),
        *((two, OF_CENTRES) for two in [*centres, *heavy]),
    ]


def run(folder: Path, chosen: Sequence[Cell], runs: int, costly: int) -> dict[Cell, Found]:
    """Simulate cells side by side, but those that the folder holds."""
    folder.mkdir(parents=True, exist_ok=True)
    n = len(chosen)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        samples = [costly if c.costly else runs for c in chosen]
        return dict(zip(chosen, pool.map(_kept, [folder] * n, chosen, samples), strict=True))


def _kept(folder: Path, cell: Cell, runs: int) -> Found:
    """Return what was found of a cell, from the folder if it was finished by as many samples."""
    file = folder / f"{cell.name}.json"
    if file.exists():
        held = json.loads(file.read_text(encoding="utf-8"))
        if held["runs"] == runs:
            kinds = {"Level": Level, "Count": Count}
            return {name: kinds[kind](**count) for name, (kind, count) in held["found"].items()}
    found = cell.measure(runs)
    plain = {name: (type(v).__name__, asdict(v)) for name, v in found.items()}
    write_json(file, {"runs": runs, "found": plain})
    print(cell.name, flush=True)
    return found


# -- the page --------------------------------------------------------------------------------------

Results = Mapping[Cell, Found]


def page(found: Results, runs: int, costly: int) -> list[str]:
    """Return the page's lines as Markdown."""
    return [
        *_head(found, runs, costly), *_tests(found), *_of_folds(found), *_subgroups(found),
        *_verdicts(found), *_coverage(found), *_like(found), *_ratios(found),
        *_beside_delong(found), *_clusters(found), *_tails(found), *_chance(found),
    ]  # fmt: skip


def of_kind(found: Results, kind: str) -> dict[tuple[Any, ...], Found]:
    """Return what was found of one kind of cell."""
    return {c.of: f for c, f in found.items() if c.kind == kind}


def nulls(found: Results) -> dict[str, Level]:
    """Return the levels of every test that is to hold one, by test and situation."""
    return {
        f"{name} ({_situation(c)})": v for c, f in found.items() for name, v in f.items()
        if c.kind not in ("within_margin", "power") and isinstance(v, Level) and name != ANY
        and not any(words in name for words in NOT_HELD)
    }  # fmt: skip


def _situation(cell: Cell) -> str:
    """Return what tells a cell from others of its kind."""
    if cell.kind == "differences":
        return str(cell.of[0].title)
    return " ".join(map(str, cell.of))


def _head(found: Results, runs: int, costly: int) -> list[str]:
    every = nulls(found)
    often = [name for name, v in every.items() if v.too_often]
    areas = [
        v for (two, *_), f in of_kind(found, "differences").items() for v in f.values()
        if isinstance(v, Count) and not two.in_clusters and two.rows * two.prevalence >= 10
    ]  # fmt: skip
    of_two = [
        v for f in found.values() for name, v in f.items()
        if isinstance(v, Level) and "conflict" in name
    ]  # fmt: skip
    held = sum(c.held for c in areas) / max(sum(c.made for c in areas), 1)
    several = [
        v.share for f in of_kind(found, "subgroups").values() for name, v in f.items()
        if name == ANY and isinstance(v, Level)
    ]  # fmt: skip
    worst = f"up to {100 * max(several):.0f} %" if several else "more"

    def near(n: int) -> str:
        level = Level(n, round(0.05 * n))
        low, high = (100 * v for v in level.bounds)
        return f"{low:.1f} and {high:.1f} %"

    return [
        "# How often comparisons err",
        "",
        "You may trust a test at 5 % that carries no warning: where nothing differed, "
        f"{len(every) - len(often):,} of {len(every):,} pairs of a test and a situation found a "
        "difference in no more than 6 % of samples, within simulation error.",
        "With ten rows of the smaller class or more, the interval of a difference contained the "
        f"true value in {100 * held:.0f} % of samples, where 95 % were promised.",
        f"Of {sum(v.made for v in of_two):,} differences in these samples, interval, p-value and "
        f"verdict contradicted each other in {sum(v.below5 for v in of_two):,}.",
        "Choose the metric before you look: each test holds its level by itself, and of eight "
        f"metrics any one flagged a subgroup falsely in {worst} of samples.",
        "",
        "`python -m benchmarks.levels -o docs/levels.md` writes this page, and continues where it "
        "was stopped.",
        "Shares are per cent with p < 0.05, in brackets their 99.9 % interval (Clopper-Pearson); "
        "**bold** where that lies above 6 %.",
        f"Tests by formula are tried on {runs:,} samples, where a true 5 % is found between "
        f"{near(runs)}, others on {costly:,} ({near(costly)}).",
        "Models see one signal: half of the variance of their scores within a class is shared. "
        'Where nothing differs all are "fair" (an area of '
        f"{norm.cdf(CLASSIFIERS['fair'] / math.sqrt(2)):.3f}).",
        *(["", "More often than in 6 %:", "", *(f"- {name}" for name in often)] if often else []),
    ]  # fmt: skip


def _table(heads: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return a table whose rows begin with their names."""
    lines = ["", f"| | {' | '.join(heads)} |", "|---|" + "---|" * len(heads)]
    return lines + [f"| {name} | {' | '.join(map(str, row))} |" for name, row in rows.items()]


def _by_name(columns: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return a row for each name of any column, "-" where a column lacks it."""
    every = list(columns)
    names = dict.fromkeys(name for column in every for name in column)
    return {name: [column.get(name, "-") for column in every] for name in names}


def _section(title: str, *lines: str) -> list[str]:
    return ["", f"## {title}", "", *lines]


def _tests(found: Results) -> list[str]:
    tested, drawn = of_kind(found, "same_rows"), of_kind(found, "permutations")
    heads = [Two(of[0], of[1], "fair", "fair", freedoms=of[2]).title for of in tested]
    return _section(
        "Tests where nothing differs",
        "Exact tests are conservative where few rows are discordant: they cannot reach 5 %.",
        *_table(heads, _by_name({**f, **drawn.get(of, {})} for of, f in tested.items())),
    )


def _of_folds(found: Results) -> list[str]:
    made = of_kind(found, "folds")
    heads = {(n, m): f"{m}, {n} rows" for n, m, _ in made}
    columns = [made[n, m, False] | made.get((n, m, True), {}) for n, m in heads]
    over = of_kind(found, "sets")
    return _section(
        "Over folds and data sets where nothing differs",
        "Two learners see equally good halves of the features:",
        *_table(list(heads.values()), _by_name(columns)),
        "",
        "Classifiers over data sets:",
        *_table([f"{n} sets" for (n,) in over], _by_name(over.values())),
    )


def _subgroups(found: Results) -> list[str]:
    made = of_kind(found, "subgroups")
    names = [*FLAGGED, ANY]
    rows = {f"{of}, {layout}": [f[n] for n in names] for (of, layout), f in made.items()}
    return _section(
        "Subgroups where none differs",
        "Per cent of samples in which any subgroup is flagged, by each metric and by any of them; "
        f"populations as in [coverage](coverage.md), {SHARE:.0%} positive.",
        *_table(names, rows),
    )


def _verdicts(found: Results) -> list[str]:
    def columns(kind: str) -> tuple[list[str], dict[str, list[Any]]]:
        made = of_kind(found, kind)
        heads = {of[:2]: f"{of[0]:,} rows, {of[1]:.0%}" for of in made}
        by_head: list[Found] = [{} for _ in heads]
        for of, f in made.items():
            by_head[list(heads).index(of[:2])] |= f
        return list(heads.values()), _by_name(by_head)

    plans = {}
    for (name, prevalence), f in of_kind(found, "power").items():
        asked = planned(prevalence)[name][1]
        share = f["better"]
        positives = "" if asked.positives is None else f" ({asked.positives} positive)"
        head = f"`tm.plan.{name}`" + (positives and f", {prevalence:.0%}")
        plans[head] = [f"{asked.n:,}{positives}", str(share).strip("*")]
    return _section(
        "Verdicts",
        'Per cent of comparisons that say "better", of any pair, where nothing differs:',
        *_table(*columns("better")),
        "",
        'Per cent that say "no worse" or "equivalent" of any of four models that are worse than '
        "a fifth by just the margin:",
        *_table(*columns("within_margin")),
        "",
        'And per cent that say "better" where a fair model is better than a weak one, with as many '
        "rows as a power of 80 % is planned for:",
        *_table(["rows", '"better"'], plans),
    )


def _coverage(found: Results) -> list[str]:
    made = _differences(
        found, lambda t: Two(t.rows, t.prevalence, t.first, t.second, freedoms=t.freedoms) == t
    )
    lines = _section(
        "Intervals of differences",
        "Per cent that contained the true difference at 95 %, in brackets the per cent of samples "
        'without an interval. The line "warned" is how often the number with most warnings carried '
        'one. Below it, of equal models, the per cent with p < 0.05: that of a false "better".',
    )
    for first, second in PAIRS:
        some = {t: f for t, f in made.items() if (t.first, t.second) == (first, second)}
        lines += ["", f"### {first} and {second}", *_held(some, METRICS)]
    return lines


def _differences(found: Results, which: Callable[[Two], bool]) -> dict[Two, Found]:
    """Return the differences of some pairs of models."""
    return {of[0]: f for of, f in of_kind(found, "differences").items() if which(of[0])}


def _held(some: Mapping[Two, Found], metrics: Sequence[str]) -> list[str]:
    """Return a table with a column for each pair of models: coverage, warnings and levels."""
    table: dict[str, Sequence[Any]] = {m: [_told(f[m]) for f in some.values()] for m in metrics}
    table["warned"] = [_warned(*(f[m] for m in metrics)) for f in some.values()]
    for name in (f"level of {m}" for m in metrics):
        if any(name in f for f in some.values()):
            table[name] = [f.get(name, "-") for f in some.values()]
    return _table([t.title for t in some], table)


def _like(found: Results) -> list[str]:
    """Return the section of models that are nearly the same."""
    like = _differences(found, lambda t: t.shared != SHARED)
    equal = {t: f for t, f in like.items() if t.same}
    better = {t: f for t, f in like.items() if not t.same}
    changed = _differences(found, lambda t: t.changed > 0)
    area = max((norm.cdf(t.cells[1].lift / math.sqrt(2)) for t in better), default=math.nan)
    return _section(
        "Models that are nearly the same",
        "The scores within a class correlate by more than a half. Models are equally good:",
        *_held(equal, OF_SCORES),
        "",
        f"The second model is slightly better, with an area of {area:.2f}:",
        *_held(better, OF_SCORES),
        "",
        "The second model has the scores of the first, except for a few rows that are drawn again:",
        *_held(changed, OF_CHANGED),
    )


def _ratios(found: Results) -> list[str]:
    lines = _section(
        "Likelihood ratios and odds ratios",
        f"Sensitivity and specificity are equal on both sides, {OF_RATIOS:.0%} of the rows "
        "positive: coverage of the difference, in brackets the per cent of samples without an "
        "interval, because a ratio is undefined or infinite, and the level of the others.",
    )
    for kind, what in (("ratios_apart", "Two subgroups, rows of each:"),
                       ("ratios", "Two models on the same rows:")):  # fmt: skip
        rows = {
            f"{n} rows, {sensitivity:.0%} and {specificity:.0%}": [
                told for m in RATIOS for told in (_told(f[m]), f.get(f"level of {m}", "-"))
            ]
            for (n, sensitivity, specificity), f in of_kind(found, kind).items()
        }
        heads = [head for m in RATIOS for head in (m, "level")]
        lines += ["", what, *_table(heads, rows)]
    return lines


def _beside_delong(found: Results) -> list[str]:
    rows = {}
    for (first, second, prevalence), f in of_kind(found, "areas").items():
        counts = {name: v for name, v in f.items() if isinstance(v, Count)}
        chosen, other = (name.removesuffix(", power") for name in counts if "power" in name)
        widths = [counts[f"{name}, level"].width for name in (other, chosen)]
        rows[f"{first} and {second}, {prevalence:.0%}"] = [
            *(str(f[f"power of {name}"]).strip("*") for name in (chosen, other)),
            *(f[f"level of {name}"] for name in (chosen, other)),
            *(f"{100 * counts[f'{name}, {what}'].coverage:.1f}"
              for what in ("power", "level") for name in (chosen, other)),
            f"{widths[0] / widths[1]:.2f}",
        ]  # fmt: skip
    return _section(
        "Beside DeLong's test",
        "The difference of two ROC areas by the chosen method, and by Student's t with DeLong's "
        "variance, which lacks its correction for skewness. The rows are those that "
        "`tm.plan.auc_difference` wants for a power of 80 %. Power where the areas differ, and "
        "level where both are the first; coverage of both; and DeLong's width beside the chosen.",
        *_table(
            ["power", "DeLong's", "level", "DeLong's", "coverage, areas differ", "DeLong's",
             "coverage, equal", "DeLong's", "width"], rows),
    )  # fmt: skip


def _told(count: Level | Count) -> str:
    assert isinstance(count, Count)
    return count.told


def _warned(*counts: Level | Count) -> str:
    found = [c.warned / c.made for c in counts if isinstance(c, Count) and c.made]
    return f"{100 * max(found, default=0.0):.0f}"


def _clusters(found: Results) -> list[str]:
    made = _differences(found, lambda t: t.clusters > 0)
    rows = {
        f"{two.first} and {two.second}, {two.prevalence:.0%}": [
            told
            for m in ("accuracy", "roc_auc")
            for told in (_told(f[m]), f.get(f"level of {m}", "-"))
        ]
        for two, f in made.items()
    }
    return _section(
        "Clusters",
        f"{PATIENTS} patients of {EACH} rows each, {OF_PATIENT:.0%} of the scores' variance the "
        "patient's: coverage, and the level where nothing differs.",
        *_table(["accuracy", "level", "area", "level"], rows),
        "",
        f"{CENTRES} clusters of unequal size, models equally good:",
        *_held(_differences(found, lambda t: bool(t.centres)), OF_CENTRES),
    )


def _tails(found: Results) -> list[str]:
    losses = {
        f"{n} rows": [_told(f["log_loss"]), f["level of log_loss"]]
        for (n,), f in of_kind(found, "large_losses").items()
    }
    return _section(
        "Heavy tails",
        f"Equal models of rows with log-normal weights, σ = {LARGE}:",
        *_held(_differences(found, lambda t: t.weighted), OF_CENTRES),
        "",
        f"Equal models of three classes whose log losses are log-normal, σ = {LARGE}:",
        *_table(["log_loss", "level"], losses),
    )


def _chance(found: Results) -> list[str]:
    tested, thresholds = of_kind(found, "chance"), of_kind(found, "moved")
    noise = {of[:2]: f for of, f in thresholds.items() if not of[2]}
    best = {of[:2]: f for of, f in thresholds.items() if of[2]}

    def table(some: Mapping[tuple[Any, ...], Found]) -> list[str]:
        heads = [f"{n:,} rows, {p:.0%}" for n, p in some]
        return _table(heads, _by_name(some.values()))

    return _section(
        "Chance",
        "Per cent in which a model is said to differ from chance, or to be right more often than "
        "the most frequent class (one-sided), that is not better:",
        *table(tested),
        "",
        "Per cent in which another threshold is said to gain (2.5 % are expected), of scores that "
        "are pure noise:",
        *table(noise),
        "",
        "And where the threshold in force is already the best:",
        *table(best),
    )


def main(given: Sequence[str] | None = None) -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS, help="samples of tests by formula")
    parser.add_argument("--costly", type=int, default=COSTLY, help="samples of all others")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--only", nargs="*", default=[], choices=list(KINDS))
    parser.add_argument("--folder", type=Path, default=Path("out/levels"), help="finished cells")
    asked = parser.parse_args(given)
    chosen = [c for c in cells(asked.rows) if not asked.only or c.kind in asked.only]
    found = run(asked.folder, chosen, asked.runs, asked.costly)
    text = "\n".join([*page(found, asked.runs, asked.costly), ""])
    if asked.output:
        write_page(asked.output, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
