"""How often intervals of graded answers contain the true value: python -m benchmarks.evals -o FILE.

Rows are questions with an ease of their own, independent or in clusters (texts) whose ease varies,
answered once or several times. Beside the intervals of tallymark stand those of the central limit
theorem (CLT): Wald's, and the clustered standard error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.pages import write_page
from benchmarks.simulation import share_bounds
from tallymark.metric.proportion import wilson
from tallymark.parts.evals.units import Bounds, Units, beta_plus_one, difference_of_shares

QUESTIONS = (10, 50, 300)
MEANS = (0.5, 0.8, 0.95)
RUNS = 1000
CLUSTERS = (5, 10, 20, 50)
EACH = 8
"""Questions of a cluster, on average."""

EPOCHS = 4
SPREAD = 3.0
"""Sum of both parameters of the beta distribution of ease, of questions and of clusters."""

TASKS = 10
DIFFERENCES = (0.0, 0.1)
LEVEL, Z = 0.95, 1.959963984540054
Array = NDArray[np.float64]


def ease(rng: np.random.Generator, mean: float, n: int) -> Array:
    """Return the probability that each of n questions, or clusters, is answered correctly."""
    return rng.beta(SPREAD * mean, SPREAD * (1 - mean), n)


def clt(units: Units, values: Array) -> tuple[float, float]:
    """Return Wald's interval, with the clustered standard error if there are clusters."""
    s, m = units.sums(values)
    value = s.sum() / m.sum()
    half = Z * np.sqrt(((s - value * m) ** 2).sum()) / m.sum()
    return value - half, value + half


def independent(rng: np.random.Generator, mean: float, n: int) -> dict[str, tuple[float, float]]:
    """Return intervals of the accuracy on n questions, answered once."""
    return of_shares(int((rng.random(n) < ease(rng, mean, n)).sum()), n)


@cache
def of_shares(right: int, n: int) -> dict[str, tuple[float, float]]:
    """Return intervals of an accuracy."""
    grades = (np.arange(n) < right).astype(float)
    low, high = wilson(right, n, Z)
    return {
        "Wilson": (float(low), float(high)),
        "B1": beta_plus_one(grades, np.ones(n)).bounds(LEVEL),
        "CLT": clt(Units(n), grades),
    }


def partial(rng: np.random.Generator, mean: float, n: int) -> dict[str, tuple[float, float]]:
    """Return intervals of the mean of grades between 0 and 1."""
    grades, units = ease(rng, mean, n), Units(n)
    return {"B1": units.posterior(grades).bounds(LEVEL), "CLT": clt(units, grades)}


def epochs(rng: np.random.Generator, mean: float, n: int) -> dict[str, tuple[float, float]]:
    """Return intervals of the accuracy on n questions, answered several times."""
    right, units = rng.binomial(EPOCHS, ease(rng, mean, n)), Units(n)
    low, high = wilson(right.sum(), n * EPOCHS, Z)
    return {
        "B1": units.posterior(right / EPOCHS).bounds(LEVEL),
        "CLT": clt(units, right / EPOCHS),
        "Wilson, answers as independent": (float(low), float(high)),
    }


def clustered(rng: np.random.Generator, mean: float, n: int) -> dict[str, tuple[float, float]]:
    """Return intervals of the accuracy on n clusters of questions."""
    sizes = 1 + rng.poisson(EACH - 1, n)
    cluster = np.repeat(np.arange(n), sizes)
    right = (rng.random(len(cluster)) < ease(rng, mean, n)[cluster]).astype(float)
    units = Units(len(cluster), cluster=cluster)
    low, high = wilson(right.sum(), len(cluster), Z)
    return {
        "B1": units.posterior(right).bounds(LEVEL),
        "CLT, clustered": clt(units, right),
        "Wilson, questions as independent": (float(low), float(high)),
    }


def weighed(rng: np.random.Generator, mean: float, n: int) -> dict[str, tuple[float, float]]:
    """Return intervals of the mean over tasks of about n questions, which all weigh the same."""
    sizes = np.linspace(n / 2, 3 * n / 2, TASKS).astype(int)
    task = np.repeat(np.arange(TASKS), sizes)
    truth = mean + np.linspace(-1, 1, TASKS) * (1 - mean) * 0.8
    right = (rng.random(len(task)) < truth[task]).astype(float)
    weights = len(task) / (TASKS * sizes[task])
    units = Units(len(task), weights, strata=task)
    return {
        "B1 within tasks": units.posterior(right).bounds(LEVEL),
        "B1 over tasks": beta_plus_one(*units.sums(right)).bounds(LEVEL),
        "CLT": clt(units, right),
    }


TABLES: tuple[tuple[str, str, Callable[..., dict[str, tuple[float, float]]], tuple[int, ...]], ...]
TABLES = (
    ("Questions answered once", "questions", independent, QUESTIONS),
    ("Partial credit", "questions", partial, QUESTIONS),
    (f"Questions answered {EPOCHS} times", "questions", epochs, QUESTIONS),
    (f"{TASKS} tasks that weigh the same", "questions a task", weighed, QUESTIONS),
    (f"Clusters of about {EACH} questions", "clusters", clustered, CLUSTERS),
)


def held(
    draw: Callable[..., dict[str, tuple[float, float]]], mean: float, n: int, runs: int, seed: int
) -> dict[str, int]:
    """Return how often each interval contains the true mean."""
    rng, out = np.random.default_rng(seed), dict[str, int]()
    for _ in range(runs):
        for name, (low, high) in draw(rng, mean, n).items():
            out[name] = out.get(name, 0) + (low <= mean <= high)
    return out


def pairs(
    rng: np.random.Generator, gap: float, n: int, cluster: NDArray[np.intp] | None
) -> tuple[Bounds, tuple[float, float]]:
    """Return the difference of two models on the same questions: ours, and the CLT's interval."""
    groups = n if cluster is None else int(cluster[-1]) + 1
    shared = ease(rng, 0.7, groups)
    shared = shared if cluster is None else shared[cluster]
    easy = shared * (1 - gap / 0.7)
    a, b = ((rng.random(n) < p).astype(float) for p in (shared, easy))
    if cluster is None:
        return of_pairs(int((a > b).sum()), int((a < b).sum()), n)
    units = Units(n, cluster=cluster)
    return units.difference(a, b, LEVEL, shares=True), clt(units, a - b)


@cache
def of_pairs(only_a: int, only_b: int, n: int) -> tuple[Bounds, tuple[float, float]]:
    """Return the difference of two accuracies on the same questions."""
    d = np.repeat([1.0, -1.0, 0.0], [only_a, only_b, n - only_a - only_b])
    return difference_of_shares(only_a, only_b, n, LEVEL), clt(Units(n), d)


def paired_rows(runs: int) -> Iterator[str]:
    """Yield rows of a table: coverage and false alarms of differences."""
    cases: list[tuple[str, int, int | None]] = [(f"{n} questions", n, None) for n in QUESTIONS]
    cases += [(f"{g} clusters", g * EACH, g) for g in CLUSTERS]
    for title, n, groups in cases:
        cluster = None if groups is None else np.repeat(np.arange(groups), EACH)
        for gap in DIFFERENCES:
            rng = np.random.default_rng(n + int(100 * gap))
            covers, alarms, theirs, wrong = 0, 0, 0, 0
            for _ in range(runs):
                ours, (low, high) = pairs(rng, gap, n, cluster)
                covers += ours.low <= gap <= ours.high
                alarms += ours.p_value < 1 - LEVEL
                theirs += low <= gap <= high
                wrong += not low <= 0 <= high
            found = [f"{share(k, runs)}" for k in (covers, theirs, alarms, wrong)]
            yield f"| {title} | {gap:g} | {' | '.join(found)} |"


def share(hits: int, runs: int) -> str:
    """Return a share in per cent with its 99.9 % interval."""
    low, high = share_bounds(hits, runs)
    return f"{100 * hits / runs:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def page(runs: int) -> str:
    """Return the page."""
    lines = [
        "# Coverage of evaluations",
        "",
        "How often 95 % intervals of graded answers contain the true mean. "
        "`make measure WHAT=evals` writes this page.",
        f"Each share is of {runs:,} samples, in per cent with its 99.9 % interval. The ease of "
        f"questions, and of clusters, is beta distributed (parameters add up to {SPREAD:g}). B1 is "
        "the beta posterior with one more unit placed by chance.",
    ]
    for title, units, draw, sizes in TABLES:
        results = {
            (n, mean): held(draw, mean, n, runs, int(1000 * mean) + n)
            for n in sizes
            for mean in MEANS
        }
        names = list(next(iter(results.values())))
        lines += ["", f"## {title}", "", f"| {units} | mean | {' | '.join(names)} |"]
        lines.append("|---" * (2 + len(names)) + "|")
        for (n, mean), hits in results.items():
            shares = " | ".join(share(hits[name], runs) for name in names)
            lines.append(f"| {n} | {mean:g} | {shares} |")
    lines += [
        "",
        "## Differences of two models on the same questions",
        "",
        f"Clusters have {EACH} questions. Rejected: p below 0.05 (ours), 0 outside the interval "
        "(CLT); with a difference of 0 these are false alarms.",
        "",
        "| | difference | ours covers | CLT covers | ours rejects | CLT rejects |",
        "|---|---|---|---|---|---|",
        *paired_rows(runs),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS)
    asked = parser.parse_args()
    text = page(asked.runs)
    if asked.output:
        write_page(asked.output, text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
