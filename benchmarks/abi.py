"""What the stable ABI costs: one wheel for Python 3.12 and later beside a wheel of 3.12 alone.

python -m benchmarks --only abi. Both wheels are built from this folder, and each is installed in an
environment of its own; whole processes that do the same work take turns and tell their processor
time.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from runpy import run_path
from statistics import median

from benchmarks.timing import Row, slower

ROOT = Path(__file__).parents[1]
VERSION = "3.12"
TURNS = 9
MOST = 1.05
WORK = """
import json
from statistics import median
from time import process_time
import numpy as np
import tallymark as tm
from tallymark.sklearn import f1_score
rng = np.random.default_rng(0)
score = rng.random(10**6)
true = (rng.random(10**6) < score).astype(np.int64)
pred = (score > 0.5).astype(np.int64)
few = true[:100], pred[:100], score[:100]
def seconds(work, times):
    start = process_time()
    for _ in range(times):
        work()
    return process_time() - start
works = {
    "LabelTally of 10^6 int64 pairs": (lambda: tm.LabelTally.from_arrays(true, pred), 20),
    "roc_auc of 10^6 float64 scores": (lambda: tm.metrics.roc_auc(true, score), 5),
    "every number of 10^6 probabilities": (lambda: tm.evaluate(true, y_score=score).values(), 1),
    "roc_auc of 100 rows": (lambda: tm.metrics.roc_auc(few[0], few[2]), 1000),
    "tallymark.sklearn.f1_score of 100 rows": (lambda: f1_score(few[0], few[1]), 1000),
}
for work, _ in works.values():
    work()
print(json.dumps({k: median(seconds(*v) for _ in range(5)) for k, v in works.items()}))
"""


def rows() -> list[Row]:
    """Return how many times as long each work takes with the wheel of the stable ABI."""
    dist = run_path(str(ROOT / "tools" / "dist.py"))
    program = dist["pythons"]().get(VERSION)
    if program is None:
        raise ImportError(f"there is no Python {VERSION} here")
    times: dict[str, list[dict[str, float]]] = {"stable": [], "own": []}
    with tempfile.TemporaryDirectory() as name:
        for kind, settings in (("stable", []), ("own", ["-Cwheel.py-api="])):
            folder = Path(name) / kind
            dist["must"](program, "-m", "venv", folder)
            pip = [folder / "bin" / "pip", "--disable-pip-version-check", "--quiet", "install"]
            dist["must"](*pip, f"{ROOT}[sklearn]", *settings)
        for _ in range(TURNS):
            for kind, found in times.items():
                command = [f"{name}/{kind}/bin/python", "-I", "-c", WORK]
                done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=name)
                found.append(json.loads(done.stdout))
    ratios = {
        work: median(a[work] / b[work] for a, b in zip(times["stable"], times["own"], strict=True))
        for work in times["own"][0]
    }
    return [
        slower(f"{work}, wheel of the stable ABI", ratio, f"a wheel of {VERSION} alone", MOST)
        for work, ratio in ratios.items()
    ]
