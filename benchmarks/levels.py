"""Measure how often comparisons err: python -m benchmarks.levels [--runs N] [-o FILE].

Two models are noisy views of one signal, so that their scores go together and the truth is known:
the level of every test where nothing differs, the coverage of the intervals of differences, and
how often a verdict says "better" where it should, and where it should not.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal, norm

from benchmarks.simulation import CLASSIFIERS, Binormal, Count
from tallymark.data.models import Model
from tallymark.data.readers import from_arrays
from tallymark.infer import plan
from tallymark.infer.difference import Paired
from tallymark.infer.intervals import interval
from tallymark.infer.significance import (
    bowker,
    cochran_q,
    holm,
    mcnemar,
    stuart_maxwell,
)
from tallymark.infer.tallies import Single
from tallymark.metric import get
from tallymark.metric.measure import Statistic, Value
from tallymark.studies.model_tests import (
    corrected_t,
    critical_difference,
    friedman,
    paired_5x2_f,
    paired_5x2_t,
    wilcoxon,
)

METRICS = (
    "accuracy", "sensitivity", "specificity", "precision", "f1", "matthews_corrcoef",
    "balanced_accuracy", "roc_auc", "average_precision", "brier", "log_loss",
)  # fmt: skip
RESAMPLED = ("f1", "matthews_corrcoef", "average_precision", "brier")
PAIRS = (("weak", "fair"), ("fair", "fair"), ("near-perfect", "fair"))
ROWS = (20, 50, 200, 1000)
PREVALENCES = (0.5, 0.1)
SHARED = 0.5
"""How much of the scores' variance within a class all models share: their correlation."""

PATIENTS, EACH = 60, 8
OF_PATIENT = 0.4
"""How much of a score's variance is the patient's."""

RUNS = 150
DRAWS = 1000
GRID = np.linspace(-14, 22, 72_001)
MCNEMARS = ("exact", "mid-p", "chi-square", "corrected")


@dataclass(frozen=True)
class Two:
    """A population that two models judge, each as well as its name says, and one size of sample."""

    rows: int
    prevalence: float
    first: str
    second: str
    clusters: int = 0

    @property
    def cells(self) -> tuple[Binormal, Binormal]:
        """The population as each of the two models sees it."""
        a, b = (Binormal(self.rows, self.prevalence, name) for name in (self.first, self.second))
        return a, b

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return self.first == self.second

    def truth(self, name: str) -> float:
        """Return the true difference of a metric."""
        a, b = (_truth(c, name) for c in self.cells)
        return a - b

    def draw(
        self, rng: np.random.Generator, models: int = 2
    ) -> tuple[NDArray[np.int_], NDArray[np.float64], NDArray[np.int_] | None]:
        """Draw classes (n,), scores (models, n) and clusters; both classes have a row."""
        n = self.rows
        y = np.zeros(n, dtype=int)
        while not 0 < y.sum() < n:
            y = (rng.random(n) < self.prevalence) * 1
        shared, own = rng.normal(size=n), rng.normal(size=(models, n))
        groups = None
        if self.clusters:
            groups = np.arange(n) % self.clusters
            size = (models + 1, self.clusters)
            theirs = rng.normal(size=size)[:, groups]
            keep, give = math.sqrt(1 - OF_PATIENT), math.sqrt(OF_PATIENT)
            shared, own = keep * shared + give * theirs[0], keep * own + give * theirs[1:]
        lifts = [c.lift for c in self.cells] + [self.cells[1].lift] * (models - 2)
        noise = math.sqrt(SHARED) * shared + math.sqrt(1 - SHARED) * own
        return y, noise + np.outer(lifts, y), groups

    def paired(self, rng: np.random.Generator, models: int = 2) -> Paired:
        """Draw rows and count them side by side."""
        return self.counted(*self.draw(rng, models))

    def counted(
        self, y: NDArray[np.int_], x: NDArray[np.float64], groups: NDArray[np.int_] | None
    ) -> Paired:
        """Count what was drawn."""
        cells = [*self.cells, *[self.cells[1]] * (len(x) - 2)]
        said = {n: (s >= c.lift / 2) * 1 for n, s, c in zip("abc", x, cells, strict=False)}
        scores = {n: c.probability(s) for n, s, c in zip("abc", x, cells, strict=False)}
        counted = from_arrays(y, said, scores, clusters=groups, labels=(0, 1), positive=1)
        values = {m.name: _values(m, not self.clusters) for m in counted.models}
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


def _values(model: Model, bounded: bool) -> dict[str, Value]:
    """Return a model's numbers, with intervals where a difference is made from them."""
    statistics = {n: Statistic.of(get(n), (0, 1), 1) for n in METRICS}
    found = {}
    for name, s in statistics.items():
        decided = s.metric.needs in ("counts", "matrix")
        found[name] = s.point(model.labels if decided else model.scores)
    rankings = {n: s for n, s in statistics.items() if s.metric.needs == "ranking" and bounded}
    made = interval(rankings, Single(None, model.scores))
    return found | {name: e.value() for name, e in made.items()}


@dataclass
class Level:
    """How often a test finds what is not there."""

    made: int = 0
    below5: int = 0
    below1: int = 0

    def add(self, p: float) -> None:
        """Count a p-value; NaN, no test, finds nothing."""
        self.made += 1
        self.below5 += p < 0.05
        self.below1 += p < 0.01

    def __str__(self) -> str:
        if not self.made:
            return "-"
        return f"{100 * self.below5 / self.made:.1f} / {100 * self.below1 / self.made:.1f}"


Levels = dict[str, Level]


# -- tests on the same rows --------------------------------------------------------------------


def levels_of(two: Two, runs: int) -> Levels:
    """Return how often tests find a difference of models that are equally good."""
    rng = np.random.default_rng([7, two.rows, int(1000 * two.prevalence)])
    found: Levels = {}

    def add(name: str, p: float) -> None:
        found.setdefault(name, Level()).add(p)

    for run in range(5 * runs):
        y, x, _ = two.draw(rng, 3)
        right = (x >= two.cells[0].lift / 2) == y
        one, other = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
        for method in MCNEMARS:
            add(f"McNemar, {method}", mcnemar(one, other, method).p_value)
        add("Cochran's Q of 3", cochran_q(right).p_value)
        table = _three_classes(rng, two.rows)
        add("Bowker, 3 classes", bowker(table).p_value)
        add("Stuart-Maxwell, 3 classes", stuart_maxwell(table).p_value)
        paired = two.counted(y, x, None)
        area = get("roc_auc")
        each = [paired.difference(*pair, area).p_value for pair in combinations("abc", 2)]
        add("DeLong", each[0])
        add("DeLong, chi-square of 3", paired.auc_test().p_value)
        add("DeLong, any of 3 pairs by Holm", float(np.nanmin([1.0, *holm(np.array(each))])))
        if run < 2 * runs:
            mcc = paired.permutation("a", "b", get("matthews_corrcoef"), 400)
            add("permutation of decisions, MCC", mcc.p_value)
        if run < runs / 2:
            add("permutation of ranks, AUC", paired.permutation("a", "b", area, 300).p_value)
    return found


def _three_classes(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Return the cross table of two models that are equally good at three classes."""
    y = rng.integers(0, 3, n)
    own = np.eye(3)[y] * 1.5 + math.sqrt(SHARED) * rng.normal(size=(n, 3))
    a, b = ((own + math.sqrt(1 - SHARED) * rng.normal(size=(n, 3))).argmax(1) for _ in range(2))
    return np.bincount(3 * a + b, minlength=9).reshape(3, 3).astype(np.float64)


# -- tests over folds and data sets ------------------------------------------------------------


def _learn(x: NDArray[np.float64], y: NDArray[np.int_], folds: NDArray[np.int_]) -> Any:
    """Return a nearest-centroid learner's accuracy in every fold, trained on the others."""
    out = []
    for f in range(int(folds.max()) + 1):
        train, test = folds != f, folds == f
        m1, m0 = (x[train & (y == k)].mean(0) for k in (1, 0))
        said = (x[test] - (m1 + m0) / 2) @ (m1 - m0) > 0
        out.append(float((said == y[test]).mean()))
    return np.array(out)


def fold_levels(rows: int, runs: int) -> Levels:
    """Return the levels over folds: two learners that see equally good halves of the features."""
    rng = np.random.default_rng([11, rows])
    found: Levels = {}
    for run in range(4 * runs):
        y = np.arange(rows) % 2
        x = 0.35 * y[:, None] + rng.normal(size=(rows, 10)) + 0.5 * rng.normal(size=(rows, 1))
        halves = (x[:, :5], x[:, 5:])

        def folds(k: int) -> NDArray[np.int_]:
            return np.asarray(rng.permutation(np.arange(rows) % k))

        ten, twos = folds(10), [folds(2) for _ in range(5)]
        a, b = (_learn(h, y, ten) for h in halves)
        made = {
            "corrected resampled t, 10 folds": corrected_t(a, b, ratio=1 / 9),
            "Wilcoxon over 10 folds of one data set (not its use)": wilcoxon(a, b),
        }
        a, b = (np.stack([_learn(h, y, f) for f in twos]) for h in halves)
        made |= {"5x2cv t": paired_5x2_t(a, b), "5x2cv F": paired_5x2_f(a, b)}
        if run < runs:
            tens = [folds(10) for _ in range(10)]
            a, b = (np.concatenate([_learn(h, y, f) for f in tens]) for h in halves)
            made["corrected resampled t, 10 x 10 folds"] = corrected_t(a, b, ratio=1 / 9)
            made["plain paired t, 10 x 10 folds (not its use)"] = corrected_t(a, b, ratio=0)
        for name, test in made.items():
            found.setdefault(name, Level()).add(test.p_value)
    return found


def set_levels(datasets: int, runs: int) -> Levels:
    """Return the levels over data sets of accuracies of 100 rows each, with ties."""
    rng = np.random.default_rng([13, datasets])
    found: Levels = {}

    def add(name: str, p: float) -> None:
        found.setdefault(name, Level()).add(p)

    apart = [critical_difference(4, datasets, level=level) for level in (0.95, 0.99)]
    for _ in range(5 * runs):
        hard = rng.beta(4, 2, size=(datasets, 1))
        values = rng.binomial(100, np.broadcast_to(hard, (datasets, 4))) / 100
        add("Wilcoxon", wilcoxon(values[:, 0], values[:, 1]).p_value)
        f = friedman(values)
        add("Friedman, chi-square of 4", f.p_value)
        add("Iman and Davenport's F of 4", f.f_p_value)
        gap = max(f.ranks) - min(f.ranks)
        beyond = sum(gap >= difference for difference in apart)
        add("Nemenyi, any pair of 4", (1.0, 0.03, 0.001)[beyond])
    return found


# -- intervals of differences ------------------------------------------------------------------


@dataclass
class Covered:
    """What was found of the differences of one population."""

    coverage: dict[str, Count] = field(default_factory=dict)
    levels: Levels = field(default_factory=dict)
    cautioned: int = 0
    runs: int = 0


def differences(two: Two, runs: int, metrics: Sequence[str] = METRICS) -> Covered:
    """Return how often intervals of differences held the truth, and their p-values' levels."""
    rng = np.random.default_rng([3, two.rows, int(1000 * two.prevalence), PAIRS.index(
        (two.first, two.second)), two.clusters])  # fmt: skip
    truths = {m: two.truth(m) for m in metrics}
    out = Covered()
    for _ in range(runs):
        paired = two.paired(rng)
        out.runs += 1
        for m in metrics:
            d = paired.difference("a", "b", get(m))
            if d.reason:
                continue
            out.coverage.setdefault(m, Count()).add(d.low, d.high, truths[m])
            if two.same:
                out.levels.setdefault(m, Level()).add(d.p_value)
        out.cautioned += bool(d.warning)
    return out


# -- verdicts ----------------------------------------------------------------------------------


def says_better(paired: Paired, metric: str) -> bool:
    """Tell whether a comparison would say "better" of any pair, by the rule of its verdicts."""
    found = [paired.difference(*pair, get(metric)) for pair in combinations(paired.joint.names, 2)]
    corrected = holm(np.array([d.p_value for d in found]))
    return any(
        (d.low > 0 or d.high < 0) and not p >= 0.05
        for d, p in zip(found, corrected, strict=True)
    )  # fmt: skip


def verdicts(two: Two, runs: int, metric: str, models: int = 2) -> float:
    """Return how often "better" is said."""
    rng = np.random.default_rng([17, two.rows, int(1000 * two.prevalence), models])
    return sum(says_better(two.paired(rng, models), metric) for _ in range(runs)) / runs


def planned() -> list[tuple[str, str, int]]:
    """Return what is planned, its metric and the rows that are to show it four times of five."""
    weak, fair = (CLASSIFIERS[n] for n in ("weak", "fair"))
    areas = [float(norm.cdf(v / math.sqrt(2))) for v in (fair, weak)]
    of_area = plan.auc_difference(areas[0], areas[1], score_correlation=SHARED)
    both = multivariate_normal([0, 0], [[1, SHARED], [SHARED, 1]]).cdf([fair / 2, weak / 2])
    first, second = norm.cdf(fair / 2) - both, norm.cdf(weak / 2) - both
    of_right = plan.mcnemar(float(first), float(second), test="mid-p")
    return [("plan.auc_difference", "roc_auc", of_area.n), ("plan.mcnemar", "accuracy", of_right.n)]


# -- the page ----------------------------------------------------------------------------------


def sections(runs: int = RUNS, processes: int = 1, rows: Sequence[int] = ROWS) -> list[str]:
    """Return the page's lines: levels, verdicts, and coverage of differences."""
    some = [n for n in rows if n >= 50]
    nulls = [Two(n, p, "fair", "fair") for n in some for p in PREVALENCES]
    pairs = [Two(n, p, *pair) for n, p, pair in product(rows, PREVALENCES, PAIRS)]
    grouped = [Two(PATIENTS * EACH, p, *pair, PATIENTS) for p, pair in product(PREVALENCES, PAIRS)]

    with _Pool(processes) as pool:
        tested = pool.map(partial(levels_of, runs=runs), nulls)
        folded = pool.map(partial(fold_levels, runs=runs), [100, 300])
        ranked = pool.map(partial(set_levels, runs=runs), [10, 30])
        covered = partial(_covered, runs=runs)
        found = dict(zip(pairs, pool.map(covered, pairs), strict=True))
        both = partial(covered, metrics=("accuracy", "roc_auc"))
        of_groups = dict(zip(grouped, pool.map(both, grouped), strict=True))
        said = _said(pool, nulls, 2 * runs)
    for two, levels in zip(nulls, tested, strict=True):
        for m in RESAMPLED:
            levels[f"draws, {get(m).title}"] = found[two].levels.get(m, Level())
    return [
        *_head(runs),
        *_levels(nulls, tested), *_of_folds(folded, ranked), *said,
        *_coverage(found), *_clusters(of_groups),
    ]  # fmt: skip


class _Pool:
    """A map over processes, or in this one."""

    def __init__(self, processes: int) -> None:
        self.inner = ProcessPoolExecutor(processes) if processes > 1 else None

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        if self.inner is not None:
            self.inner.shutdown()

    def map(self, function: Callable[[Any], Any], over: Iterable[Any]) -> list[Any]:
        """Return the function of each."""
        return list((map if self.inner is None else self.inner.map)(function, over))


def _times(two: Two, runs: int) -> int:
    # Twice as many where levels are read as well, half where rows take longest.
    return max(2, int(runs * (2 if two.same else 1) / (2 if two.rows > 500 else 1)))


def _covered(two: Two, runs: int, metrics: Sequence[str] = METRICS) -> Covered:
    return differences(two, _times(two, runs), metrics)


def _head(runs: int) -> list[str]:
    def near(n: float) -> str:
        return f"±{196 * math.sqrt(0.05 * 0.95 / max(n, 1)):.1f}"

    return [
        "# How often comparisons err",
        "",
        "`python -m benchmarks.levels` measures this. Models see one signal: half of the variance",
        "of their scores within a class is shared. Where nothing differs all are \"fair\" (an area",
        f"of {norm.cdf(CLASSIFIERS['fair'] / math.sqrt(2)):.3f}), and a test should find a",
        f"difference in 5 % of samples at 0.05 and in 1 % at 0.01. At {runs} runs a level of 5 %",
        f"is known to {near(5 * runs)} points, of draws to {near(2 * runs)} (of 1,000 rows",
        f"{near(runs)}), of permutations of ranks to {near(runs / 2)}; a coverage to {near(runs)}.",
    ]  # fmt: skip


def _heads(cells: Iterable[Two]) -> list[str]:
    heads = [f"{c.rows:,} rows, {c.prevalence:.0%}" for c in cells]
    return [f"| | {' | '.join(heads)} |", "|---|" + "---|" * len(heads)]


def _levels(nulls: Sequence[Two], tested: Sequence[Levels]) -> list[str]:
    lines = ["", "## Tests where nothing differs", "", "Per cent with p < 0.05 / p < 0.01. Exact"]
    lines += ["tests are conservative where few rows are discordant: they cannot reach 5 %.", ""]
    lines += _heads(nulls)
    for name in tested[0]:
        lines.append(f"| {name} | " + " | ".join(str(t[name]) for t in tested) + " |")
    return lines


def _of_folds(folded: Sequence[Levels], ranked: Sequence[Levels]) -> list[str]:
    lines = ["", "## Over folds and data sets where nothing differs", ""]
    lines += ["| two learners on equally good halves of the features | 100 rows | 300 rows |"]
    lines += ["|---|---|---|"]
    lines += [f"| {n} | " + " | ".join(str(f[n]) for f in folded) + " |" for n in folded[0]]
    lines += ["", "| classifiers over data sets | 10 sets | 30 sets |", "|---|---|---|"]
    lines += [f"| {n} | " + " | ".join(str(f[n]) for f in ranked) + " |" for n in ranked[0]]
    return lines


def _said(pool: _Pool, nulls: Sequence[Two], runs: int) -> list[str]:
    lines = [
        "",
        "## Verdicts",
        "",
        'Per cent of comparisons that say "better", of any pair, where',
    ]
    lines += ["nothing differs:", "", *_heads(nulls)]
    for metric, models in (("roc_auc", 2), ("roc_auc", 3), ("matthews_corrcoef", 2),
                           ("matthews_corrcoef", 3), ("accuracy", 2)):  # fmt: skip
        # Draws of as many cells cost the same at any size.
        shares = pool.map(partial(verdicts, runs=runs, metric=metric, models=models), nulls)
        told = " | ".join(f"{100 * s:.1f}" for s in shares)
        lines.append(f"| {get(metric).title}, {models} models | {told} |")
    lines += [
        "",
        "And where a fair model is better than a weak one, with as many rows as a power of",
    ]
    lines += ["80 % is planned for:", "", '| plan | rows | "better" |', "|---|---|---|"]
    for name, metric, n in planned():
        share = verdicts(Two(n, 0.5, "weak", "fair"), 2 * runs, metric)
        lines.append(f"| `tm.{name}` | {n:,} | {100 * share:.0f} |")
    return lines


def _coverage(found: Mapping[Two, Covered]) -> list[str]:
    lines = [
        "",
        "## Intervals of differences",
        "",
        "Per cent that held the true difference at 95 %,",
    ]
    lines += [
        "in brackets the per cent of samples without an interval. The last line is how often a"
    ]
    lines += ["warning told of fewer than five rows of a class."]
    for first, second in PAIRS:
        cells = {t: c for t, c in found.items() if (t.first, t.second) == (first, second)}
        lines += ["", f"### {first} and {second}", "", *_heads(cells)]
        for m in METRICS:
            told = " | ".join(c.coverage.get(m, Count()).told for c in cells.values())
            lines.append(f"| {m} | {told} |")
        told = " | ".join(f"{100 * c.cautioned / c.runs:.0f}" for c in cells.values())
        lines.append(f"| cautioned | {told} |")
    return lines


def _clusters(found: Mapping[Two, Covered]) -> list[str]:
    lines = [
        "",
        "## Clusters",
        "",
        f"{PATIENTS} patients of {EACH} rows each, {OF_PATIENT:.0%} of",
    ]
    lines += [
        "the scores' variance the patient's: coverage, and the level where nothing differs.",
        "",
    ]
    lines += ["| | accuracy | level | area | level |", "|---|---|---|---|---|"]
    for two, c in found.items():
        told = []
        for m in ("accuracy", "roc_auc"):
            told += [c.coverage.get(m, Count()).told, str(c.levels.get(m, Level()))]
        head = f"{two.first} and {two.second}, {two.prevalence:.0%}"
        lines.append(f"| {head} | {' | '.join(told)} |")
    return lines


def main(given: Sequence[str] | None = None) -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args(given)
    text = "\n".join([*sections(options.runs, options.processes, options.rows), ""])
    if options.output:
        options.output.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
