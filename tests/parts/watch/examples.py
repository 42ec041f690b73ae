"""Results and arguments for the tests that hold for all that is public."""

import tempfile
from pathlib import Path

import numpy as np

import tallymark as tm

HOSTILE = "<script>alert(1)</script>|\x1b[31m"
RNG = np.random.default_rng(0)
FOLDER = Path(tempfile.mkdtemp())
Y = RNG.integers(0, 2, 400)
GOOD = np.where(RNG.random(400) < 0.9, Y, 1 - Y)
POOR = np.where(RNG.random(400) < 0.6, Y, 1 - Y)
SCORES = np.round(np.clip(0.3 * Y + RNG.normal(0.4, 0.2, 400), 0.01, 0.99), 2)


def _watched(rule, name, **days):
    watch = tm.Watch(rule, FOLDER / f"{name}.json", baseline=days.pop("baseline", None))
    for k, part in enumerate(np.split(np.arange(400), 4)):
        given = {key: v[part] if not isinstance(v, dict) else {m: s[part] for m, s in v.items()}
                 for key, v in days.items()}  # fmt: skip
        watch.add(tm.evaluate(Y[part], **given), date=f"2026-10-0{k + 1}")
    return watch


DROPPED = _watched("accuracy >= 0.85", "dropped", y_pred=np.where(np.arange(400) < 200, GOOD, POOR))
PAIRED = _watched("accuracy 0.01", "paired", baseline=HOSTILE, y_pred={HOSTILE: GOOD, "new": POOR})
MEAN = _watched("brier <= 0.2", "mean", y_score=SCORES)

RESULTS = [DROPPED, DROPPED.look, PAIRED.look, MEAN.look]
ARGUMENTS = {"rule": "f1 >= 0.1", "date": "2026-10-09"}
PLACES = {"Watch.add.ev": lambda: tm.evaluate(Y, GOOD)}
CALLS = {"Watch.add": {}}
COMMANDS = {}
