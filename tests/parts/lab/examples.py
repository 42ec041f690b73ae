"""Results and arguments for the tests that hold for all that is public."""

import numpy as np

import tallymark as tm

HOSTILE = "<script>alert(1)</script>|\x1b[31m"
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
SCORES = {HOSTILE: np.clip(0.3 * Y + RNG.normal(0.4, 0.2, 300), 0.01, 0.99)}
FOUND = tm.evaluate(np.where(Y == 1, HOSTILE, "well"), y_score=SCORES, positive=HOSTILE,
                    options={"name": HOSTILE}).lab(draws=100)  # fmt: skip

RESULTS = [FOUND, FOUND.reactions[0]]
PLACES = {"Lab.sentence.failure": "drift"}
