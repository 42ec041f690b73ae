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

RESULTS = [JUDGED, JUDGED.tally]
CALLS = {"few_labels": {"truth": "truth", "judge": "judge"}}
PLACES = {
    "few_labels.data": {"truth": [1, 0] * 10 + [None] * 20, "judge": [1, 0, 0, 0] * 10},
    "few_labels.judge": "judge",
    "JudgedTally.from_dict.data": JUDGED.tally.to_dict(),
    "FewLabels.labels_needed.width": 0.5,
}
COMMANDS = {
    "judge": ["f.csv", "--truth", "t", "--judge", "j"],
    "label-next": ["f.csv", "--truth", "t", "--judge", "j", "-n", "3"],
}
