"""Results and arguments for the tests that hold for all that is public."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import tallymark as tm

from .written import ITEMS, lines

HOSTILE = "<script>alert(1)</script>|\x1b[31m"


def log_text():
    """Return the text of a small log, which commands in the docs read."""
    return ITEMS["toy_samples.jsonl_results.jsonl"][1]


def _read(**texts):
    with TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, f"{name}.jsonl").write_text(text, "utf-8")
        return tm.read_log(folder)


LOG = _read(
    scores=lines(
        *({"question_id": i, "model": HOSTILE, "judge": [], "score": i % 2} for i in range(9))
    ),
    numbers=json.dumps({"accuracy": 0.5, "num_prompts": 30, "model": HOSTILE}),
)

RESULTS = [LOG]
PLACES = {"read_log.path": "log.jsonl"}
COMMANDS = {"log": ["f.csv"]}
