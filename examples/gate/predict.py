"""Write the predictions that the gate judges: of the current model, and of a candidate.

    python predict.py equal predictions.csv

The models are simulated: each sees the same signal under noise of its own, "equal" under as much as
the current model and "worse" under more. In a repository of yours this script loads both models and
scores the rows of the test set.
"""

import sys
from pathlib import Path

import numpy as np

ROWS, SEED = 1500, 8
NOISE = {"main": 0.5, "equal": 0.5, "worse": 1.5}
REGIONS = ("east", "north", "south")


def main(candidate: str, path: str) -> None:
    """Write a line a row of the test set: its label, its region, and both models' scores."""
    rng = np.random.default_rng(SEED)
    label = (rng.random(ROWS) < 0.3).astype(int)
    region = rng.choice(REGIONS, ROWS)
    signal = rng.normal(size=ROWS) + 1.6 * label

    def score(model: str) -> np.ndarray:
        return 1 / (1 + np.exp(1.2 - signal - rng.normal(0, NOISE[model], ROWS)))

    lines = zip(label, region, score("main"), score(candidate), strict=True)
    with Path(path).open("w", encoding="utf-8") as file:
        file.write("label,region,main,candidate\n")
        file.writelines(f"{y},{r},{a:.6f},{b:.6f}\n" for y, r, a, b in lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
