"""Results and arguments for the tests that hold for all that is public."""

import tallymark as tm
from parts.relations.simulated import simulated

FOLDS = {
    "dataset": ["a"] * 4, "algorithm": ["x"] * 4, "repeat": [0, 1, 2, 3], "fold": [0] * 4,
    "accuracy": [0.9, 0.8, 0.7, 0.6], "mae": [0.1, 0.2, 0.35, 0.3],
}  # fmt: skip
STUDY, SMALL = tm.study(simulated()), tm.study(FOLDS)

RESULTS = [
    STUDY, STUDY.relations(), STUDY.relations()._clustering, SMALL, SMALL.relations(),
]  # fmt: skip
ARGUMENTS = {"source": FOLDS, "reference": {"metrics": [], "pearson": []}}
COMMANDS = {"study": ["t.csv"]}
FILES = {"results.csv": lambda: simulated().to_csv(index=False)}
UNUSED = {"study.algorithms", "study.positive"}
CELL = "from parts.relations.simulated import simulated\ntm.study(simulated())"
