"""Results and arguments for the tests that hold for all that is public."""

import numpy as np

import tallymark as tm

HOSTILE = "<script>alert(1)</script>|\x1b[31m"
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
SCORES = {n: np.clip(0.3 * Y + RNG.normal(0.4, 0.2, 300), 0.01, 0.99) for n in ("good", HOSTILE)}
GATE = tm.check(np.where(Y == 1, HOSTILE, "well"), y_score=SCORES, positive=HOSTILE,
                require="roc_auc >= 0.8", baseline=HOSTILE, no_worse=0.01)  # fmt: skip

RESULTS = [GATE, GATE.findings[0]]
CALLS = {"check": {"y_score": [0.2, 0.7] * 40, "require": "f1 >= 0.1"}}
COMMANDS = {"check": ["f.csv", "--require", "f1 >= 0.1"]}
