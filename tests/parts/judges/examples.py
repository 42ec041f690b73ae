"""Results and arguments for the tests that hold for all that is public."""

import numpy as np

import tallymark as tm

HOSTILE = "<script>alert(1)</script>|\x1b[31m"
RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 2, 300)
LABELS = np.array(["well", HOSTILE])


def _noisy(right):
    return LABELS[np.where(RNG.random(300) < right, TRUE, 1 - TRUE)]


ROWS = {
    "truth": [LABELS[y] if i < 60 else None for i, y in enumerate(TRUE)],
    HOSTILE: _noisy(0.8),
    "other": _noisy(0.7),
    "judge": _noisy(0.9),
    "region": LABELS[RNG.integers(0, 2, 300)],
}
JUDGED = tm.few_labels(
    ROWS, truth="truth", judge="judge", pred=[HOSTILE, "other"], positive=HOSTILE,
    subgroup="region",
)  # fmt: skip

BOARD = tm.judged_evals(
    {
        "item": [*range(150)] * 2,
        "model": [HOSTILE] * 150 + ["other"] * 150,
        "truth": [LABELS[y] if i % 150 < 40 else None for i, y in enumerate(TRUE)],
        "judge": ROWS["judge"],
    },
    truth="truth",
    judge="judge",
    positive=HOSTILE,
)

RESULTS = [JUDGED, JUDGED.tally, BOARD, BOARD.pairs[0]]
CALLS = {
    "few_labels": {"truth": "truth", "judge": "judge"},
    "judged_evals": {"truth": "truth", "judge": "judge"},
}
PLACES = {
    "judged_evals.data": {
        "item": [*range(20)] * 2,
        "model": ["a"] * 20 + ["b"] * 20,
        "truth": [1, 0] * 10 + [None] * 20,
        "judge": [1, 0, 0, 0] * 10,
    },
    "judged_evals.judge": "judge",
    "judged_evals.truth": "truth",
    "judged_evals.labels": {"item": [1, 2], "human": [1, 0]},
    "few_labels.labels": {"item": [1, 2], "human": [1, 0]},
    "JudgedBoard.pair.first": HOSTILE,
    "JudgedBoard.pair.second": "other",
    "few_labels.data": {"truth": [1, 0] * 10 + [None] * 20, "judge": [1, 0, 0, 0] * 10},
    "few_labels.judge": "judge",
    "JudgedTally.from_dict.data": JUDGED.tally.to_dict(),
    "FewLabels.labels_needed.width": 0.5,
}
COMMANDS = {
    "judge": ["f.csv", "--truth", "t", "--judge", "j"],
    "label-next": ["f.csv", "--truth", "t", "--judge", "j", "-n", "3"],
}
