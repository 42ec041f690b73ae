"""Simulate how often intervals of rows in clusters hold the truth.

Patients have eight rows each and a level of their scores of their own, so that their rows are
alike; the true values are those of very many patients.
"""

from __future__ import annotations

import numpy as np

import tallymark as tm
from benchmarks.simulation import LEVEL, Count
from tallymark import metrics

PATIENTS = (12, 30, 60)
EACH = 8
CUT = 0.6
MANY = 200_000
NAMES = (
    "accuracy", "sensitivity", "f1", "matthews_corrcoef", "roc_auc", "average_precision",
)  # fmt: skip

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def sample(patients: int, rng: np.random.Generator) -> Rows:
    """Return classes, scores and patients of the rows."""
    y = rng.random((patients, EACH)) < 0.4
    x = rng.normal(size=(patients, EACH)) + 1.2 * y + 0.9 * rng.normal(size=(patients, 1))
    return y.ravel().astype(int), x.ravel(), np.repeat(np.arange(patients), EACH)


def truths() -> dict[str, float]:
    """Return the values of very many patients."""
    y, x, _ = sample(MANY, np.random.default_rng(1))
    decided = (x >= CUT).astype(int)
    scored = ("roc_auc", "average_precision")
    return {n: float(getattr(metrics, n)(y, x if n in scored else decided)) for n in NAMES}


def simulate(patients: int, runs: int) -> dict[tuple[str, str], Count]:
    """Return the coverage of every metric, with and without being told of the patients."""
    rng = np.random.default_rng([patients, 2])
    true = truths()
    found = {(n, how): Count() for n in NAMES for how in ("clusters", "rows")}
    for _ in range(runs):
        y, x, who = sample(patients, rng)
        for how, clusters in (("clusters", who), ("rows", None)):
            ev = tm.evaluate(y, y_score=x, threshold=CUT, cluster=clusters, level=LEVEL)
            for n in NAMES:
                v = ev.value(n)
                found[n, how].add(v.low, v.high, true[n])
    return found


def section(runs: int) -> list[str]:
    """Return the section of a page."""
    columns = [simulate(p, runs) for p in PATIENTS]
    heads = " | ".join(f"{p} patients | taken for rows" for p in PATIENTS)
    lines = [
        "",
        "## Rows in clusters",
        "",
        f"Patients with {EACH} rows each, alike by a level of the scores their own;",
        f"{runs:,} samples. Beside it what intervals cover that take rows for independent.",
        "",
        f"| | {heads} |",
        "|---|" + "---|" * (2 * len(PATIENTS)),
    ]
    for n in NAMES:
        told = " | ".join(
            f"{100 * c[n, how].coverage:.0f}" for c in columns for how in ("clusters", "rows")
        )
        lines.append(f"| {n} | {told} |")
    return lines
