"""Print what everything costs beside one number: python -m benchmarks.whole.

Everything is all metrics with their intervals, all curves, the histograms and the sweep over
thresholds, of one model's probabilities, counting included; single curves have all their points.
"""

from __future__ import annotations

import math
import resource
import sys
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from benchmarks.timing import ROWS, Row, alternate, slower, table

_SIZES = (10**5, 10**6, ROWS)


def _rows(n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return labels and distinct probabilities, which are somewhat off."""
    rng = np.random.default_rng(0)
    true = (rng.random(n) < 0.3).astype(np.int64)
    return true, 1 / (1 + np.exp(-(rng.normal(size=n) + 1.2 * true - 1)))


def everything(true: NDArray[np.int64], score: NDArray[np.float64]) -> None:
    """Count the rows and ask for all there is."""
    ev = tm.evaluate(true, y_score=score)
    ev.values()
    ev.curves()
    ev._histograms()
    ev._sweep()


def curves(true: NDArray[np.int64], score: NDArray[np.float64]) -> list[Row]:
    """Single curves of all points, counting included, beside the ROC area alone."""

    def of(name: str) -> None:
        tm.evaluate(true, y_score=score).curve(name)

    makers = [partial(of, name) for name in ("roc", "calibration")]
    *took, area = alternate(*makers, partial(tm.metrics.roc_auc, true, score), runs=5)
    return [
        slower(f"{name} curve of 10^7 probabilities", seconds / area, "roc_auc alone", 4)
        for name, seconds in zip(("ROC", "calibration"), took, strict=True)
    ]


def rows() -> list[Row]:
    """Everything of 10^7 rows beside their ROC area alone, and how it grows with the rows."""
    true, score = _rows(ROWS)
    whole, area = alternate(
        partial(everything, true, score), partial(tm.metrics.roc_auc, true, score), runs=9
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak_mb = peak / (1024 if sys.platform == "linux" else 1024**2)
    beyond = peak_mb - (true.nbytes + score.nbytes) / 1e6
    took = [alternate(partial(everything, true[:n], score[:n]), runs=3)[0] for n in _SIZES[:-1]] + [
        whole
    ]
    ends = zip(pairwise(_SIZES), pairwise(took), strict=True)
    growth = [math.log(t2 / t1) / math.log(n2 / n1) for (n1, n2), (t1, t2) in ends]
    ratio = whole / area
    told = ", ".join(f"{t:.2f} s of {n:.0e}" for n, t in zip(_SIZES, took, strict=True))
    return [
        Row("everything of 10^7 probabilities", f"{ratio:.1f} × roc_auc alone ({area:.2f} s)",
            "at most 4 ×", ratio <= 4),
        Row("the same, memory of the process beyond the rows", f"{beyond:.0f} MB",
            "under 1200 MB", beyond < 1200),
        Row(f"everything: {told}", f"exponents {', '.join(f'{g:.2f}' for g in growth)}",
            "at most 1.1", max(growth) <= 1.1),
        *curves(true, score),
    ]  # fmt: skip


if __name__ == "__main__":
    print(table(rows()))
