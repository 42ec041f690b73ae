"""Use an installed tallymark as its users do, and stop at the first thing that is wrong.

python -I tools/smoke.py

With -I Python leaves out the folder of this script and the caller's, so that what is tried is what
was installed, not a checkout.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

import tallymark as tm


def check(holds: bool, what: str) -> None:
    """Stop with a sentence where something does not hold."""
    if not holds:
        raise SystemExit(f"tallymark {version('tallymark')} of {tm.__file__}: {what}")


def arrays() -> None:
    """Count arrays of numbers and texts, with an interval, a comparison and a page."""
    truth, score = [0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]
    check(tm.metrics.roc_auc(truth, score) == 0.75, "the ROC area of four rows is not 0.75")
    for kind in (object, str):
        words = np.array(["ja", "nein", "größer"], dtype=kind)[[0, 1, 2, 2]]
        counts = tm.LabelTally.from_arrays(words, words)
        check(counts.labels == ("größer", "ja", "nein"), f"labels of dtype {words.dtype} differ")
        check(np.diag(counts.counts).tolist() == [2, 1, 1], "texts are counted wrongly")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    models = {name: np.clip(truth * 0.3 + rng.random(500) * 0.7, 0, 1) for name in "ab"}
    ev = tm.evaluate(truth, models)
    found = ev.model("a").value("roc_auc")
    check(found.low < found.value < found.high, "the ROC area is outside its interval")


def command_line(folder: Path) -> None:
    """Judge a file of rows and show the demo, each on a page."""
    program = [sys.executable, "-I", "-m", "tallymark"]

    def run(*arguments: str | Path) -> str:
        done = subprocess.run(
            [*program, *arguments],
            cwd=folder,
            text=True,
            encoding="utf-8",
            errors="replace",
            capture_output=True,
        )
        check(done.returncode == 0, f"{arguments[0]} fails: {done.stderr.strip()}")
        return done.stdout

    run("demo", "-o", "demo.html")
    page = (folder / "demo.html").read_text(encoding="utf-8")
    check("</html>" in page, "the demo wrote no page")
    rows = "truth,score\n" + "".join(f"{i % 2},{(i * 37 % 100) / 100}\n" for i in range(200))
    (folder / "rows.csv").write_text(rows, encoding="utf-8")
    told = json.loads(run("report", "rows.csv", "--format", "json"))
    check(bool(told), "the report of a CSV file is empty")


def main() -> None:
    """Try everything."""
    check(tm.__version__ == version("tallymark"), "its __version__ is not that of its metadata")
    arrays()
    with tempfile.TemporaryDirectory() as folder:
        command_line(Path(folder))
    used = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "duckdb"))
    print(f"tallymark {tm.__version__} works on Python {sys.version.split()[0]}, {used}")


if __name__ == "__main__":
    main()
