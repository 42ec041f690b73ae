"""Results in which three groups of metrics share what they measure, and folds are easy or hard."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

SEVEN = ("accuracy", "cohen_kappa", "f1", "mean_absolute_error", "root_mean_squared_error",
         "roc_auc", "average_precision")  # fmt: skip
ROWS = (300, 5000, 690, 208, 3196)
MINORITY = (0.37, 0.06, 0.445, 0.466, 0.478)


@cache
def simulated(repeats=10, folds=4, seed=1):
    rng = np.random.default_rng(seed)
    rows = []

    def result(decided, probable, ranked):
        noise = rng.normal(size=7) * [0.1, 0.2, 0.3, 0.2, 0.4, 0.1, 0.4]
        signal = np.array([decided, decided, decided, -probable, -probable, ranked, ranked])
        return np.round(0.5 + 0.01 * (signal + noise), 4)

    for d in range(len(ROWS)):
        for algorithm in ("logistic", "tree", "bayes"):
            for r in range(repeats):
                three = rng.normal(size=3) * [1, 1, 1.2] + 0.6 * rng.normal() * np.array(
                    [1, 1, 0.2]
                )
                for f in range(folds):
                    easy = 2.5 * rng.normal()
                    values = result(*(three + easy + 0.3 * rng.normal(size=3)))
                    if d == 3 and algorithm == "tree":
                        values[:3] = 1.0
                    rows.append((f"set-{d}", algorithm, r, f, ROWS[d], MINORITY[d], *values))
                values = result(*three)
                if d == 3 and algorithm == "tree":
                    values[:3] = 1.0
                rows.append((f"set-{d}", algorithm, r, None, ROWS[d], MINORITY[d], *values))
    columns = ["dataset", "algorithm", "repeat", "fold", "rows", "minority", *SEVEN]
    return pd.DataFrame(rows, columns=columns)
