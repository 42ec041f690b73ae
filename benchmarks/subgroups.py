"""Subgroups: how fast, how often flags err, how often intervals hold.

python -m benchmarks.subgroups             what 10,000 subgroups of 10^7 rows take, beside a peer
python -m benchmarks.subgroups --levels    how often subgroups are flagged that do not differ
python -m benchmarks.subgroups --coverage  how often intervals made without draws cover the truth
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from benchmarks.timing import ROWS, Row, alternate, table

TEN = (
    "accuracy", "balanced_accuracy", "sensitivity", "specificity", "precision", "f1",
    "matthews_corrcoef", "cohen_kappa", "roc_auc", "brier",
)  # fmt: skip
SUBGROUPS = 10_000

LEVELS = ("accuracy", "sensitivity", "f1", "matthews_corrcoef", "cohen_kappa", "roc_auc", "brier")
"""Metrics whose flags are tried where no subgroup differs."""

COVERED = ("f1", "matthews_corrcoef", "balanced_accuracy", "cohen_kappa", "youden_j", "markedness")
RATES = ((0.1, 0.7, 0.2), (0.4, 0.7, 0.2), (0.4, 0.9, 0.05))
"""Shares of positives, true positive rates and false positive rates."""


def made(n: int, subgroups: int, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Return the subgroup, the truth and the probability of n rows."""
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    return rng.integers(0, subgroups, n), (rng.random(n) < score).astype(np.int64), score


def judged(where: NDArray[Any], true: NDArray[Any], score: NDArray[Any]) -> object:
    """Count arrays and judge every subgroups by the ten metrics, with intervals."""
    return tm.evaluate(true, y_score=score, subgroup={"part": where}).by("part").values(TEN)


def rows() -> list[Row]:
    """The target, and ratios to what is used elsewhere."""
    arrays = made(ROWS, SUBGROUPS)
    (took,) = alternate(lambda: judged(*arrays), runs=5)
    work = "10,000 subgroups of 10^7 rows, ten metrics with intervals, counting included"
    out = [Row(work, f"{took:.2f} s", "at most 2 s", took <= 2)]
    return out + beside()


def beside(n: int = 200_000, subgroups: int = 1000) -> list[Row]:
    """The same ten numbers without intervals by other packages."""
    import pandas as pd
    from sklearn import metrics as sk

    arrays = made(n, subgroups)
    where, true, score = arrays
    said = (score >= 0.5).astype(np.int64)
    of_decisions = {
        "accuracy": sk.accuracy_score, "balanced_accuracy": sk.balanced_accuracy_score,
        "sensitivity": sk.recall_score, "specificity": _specificity,
        "precision": sk.precision_score, "f1": sk.f1_score,
        "matthews_corrcoef": sk.matthews_corrcoef, "cohen_kappa": sk.cohen_kappa_score,
    }  # fmt: skip
    of_scores = {"roc_auc": sk.roc_auc_score, "brier": sk.brier_score_loss}
    frame = pd.DataFrame({"part": where, "true": true, "said": said, "score": score})

    def grouped() -> object:
        return {
            key: [f(g["true"], g["said"]) for f in of_decisions.values()]
            + [f(g["true"], g["score"]) for f in of_scores.values()]
            for key, g in frame.groupby("part")
        }

    peers = {"scikit-learn in a loop over pandas' groups": grouped}
    try:
        from fairlearn.metrics import MetricFrame

        def fair() -> object:
            options: dict[str, Any] = {"y_true": true, "sensitive_features": where}
            return (
                MetricFrame(metrics=of_decisions, y_pred=said, **options).by_group,
                MetricFrame(metrics=of_scores, y_pred=score, **options).by_group,
            )

        peers["fairlearn's MetricFrame"] = fair
    except ImportError:
        pass
    work = (
        f"{subgroups:,} subgroups of {n:,} rows, ten metrics (with intervals here, without there)"
    )
    out = []
    for name, peer in peers.items():
        ours, theirs = alternate(lambda: judged(*arrays), peer, runs=3)
        out.append(Row(work, f"{theirs / ours:.0f} × {name}", "at least 20 ×", theirs / ours >= 20))
    return out


def _specificity(true: Any, said: Any) -> float:
    from sklearn.metrics import recall_score

    return float(recall_score(true, said, pos_label=0))


def levels(runs: int, subgroups: int, n: int, metrics: tuple[str, ...] = LEVELS) -> str:
    """Return how often an equal subgroup has p < 0.05, and how often any is flagged."""
    said = [
        f"| metric | {subgroups} subgroups of {n} rows: p < 0.05 | any flagged |",
        "|---|---|---|",
    ]
    hits = {m: np.zeros(3) for m in metrics}
    for run in range(runs):
        rng = np.random.default_rng(run)
        where = np.repeat(np.arange(subgroups), n)
        true = (rng.random(len(where)) < 0.3).astype(np.int64)
        score = 1 / (1 + np.exp(-(rng.normal(size=len(where)) + 2 * true - 1.5)))
        found = tm.evaluate(true, y_score=score, subgroup={"part": where}).by("part")
        for m in metrics:
            gaps = [d for d in found.differences(m) if not d.small]
            hits[m] += (
                sum(d.difference.p_value < 0.05 for d in gaps), len(gaps),
                any(d.corrected < 0.05 for d in gaps),
            )  # fmt: skip
    for m, (low, tests, flagged) in hits.items():
        said.append(f"| {m} | {low / max(tests, 1):.1%} of {tests:,.0f} | {flagged / runs:.1%} |")
    return "\n".join(said)


def coverage(n: int, tables: int = 4000) -> str:
    """Return how often the interval without draws, and that of draws, contain the true value."""
    from tallymark.infer.intervals import interval
    from tallymark.infer.sampler import Sampler, percentile_bounds
    from tallymark.infer.samples import Tallies
    from tallymark.metric import get
    from tallymark.metric.measure import Statistic

    said = [f"| {n} rows: prevalence, TPR, FPR | metric | without draws | of draws |"]
    said.append("|---|---|---|---|")
    statistics = {m: Statistic.of(get(m), (0, 1), 1) for m in COVERED}
    for share, tpr, fpr in RATES:
        cells = np.array(
            [[(1 - share) * (1 - fpr), (1 - share) * fpr], [share * (1 - tpr), share * tpr]]
        )
        rng = np.random.default_rng(1)
        counts = rng.multinomial(n, cells.ravel(), tables).reshape(-1, 2, 2).astype(float)
        counts = counts[(counts > 0).all((1, 2))]
        found = interval(statistics, Tallies((0, 1), (counts, None)))
        drawn = np.concatenate(list(Sampler().matrices(counts, None, "bootstrap")))
        for m, s in statistics.items():
            truth, column = float(s.of_matrix(cells * 1e9, (0, 1))), found[m]
            without = np.array([str(t).startswith("jackknife") for t in column.methods])
            held = (column.lows <= truth) & (truth <= column.highs)
            low, high = percentile_bounds(s.of_matrix(drawn, (0, 1)), 0.95)
            held2 = (low <= truth) & (truth <= high)
            said.append(
                f"| {share}, {tpr}, {fpr} | {m} | {held[without].mean():.1%} of "
                f"{without.sum():,} | {held2[without].mean():.1%} |"
            )
    return "\n".join(said)


def main() -> int:
    """Measure what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    asked = parser.parse_args()
    if asked.levels:
        for subgroups, n, runs in ((60, 60, 40), (60, 200, 40), (60, 1000, 20)):
            print(levels(runs, subgroups, n), flush=True)
            print()
        print(levels(8, 20, 200, LEVELS[:4]))  # judged one by one
        return 0
    if asked.coverage:
        for n in (40, 100, 400):
            print(coverage(n))
            print()
        return 0
    found = rows()
    print(table(found))
    return 0 if all(r.holds for r in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
