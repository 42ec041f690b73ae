"""What the documentation shows is what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_page_on_class_balance_is_what_the_functions_do():
    spec = spec_from_file_location("balance", ROOT / "tools" / "balance.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    told = (ROOT / "docs" / "class-balance.md").read_text("utf-8")
    assert told == module.text(), "run: make balance"
    assert (ROOT / "docs" / "figures" / "class-balance.svg").is_file()
    assert "fails" not in told


def test_the_catalogue_is_what_the_registry_holds():
    spec = spec_from_file_location("catalogue", ROOT / "tools" / "catalogue.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    told = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert told == module.text(), "run: make catalogue"


def test_the_metric_that_is_shown_takes_few_lines_and_works(tmp_path):
    text = (ROOT / "docs" / "adding-a-metric.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(shown.splitlines()) < 15
    code = f"""
import math
from typing import Any
from tallymark.metric.registry import metric, ratio
from tallymark.tally.labels import Counts
import tallymark as tm
{shown}
y, p = [1, 1, 1, 0, 0], [0, 0, 1, 1, 0]
assert tm.metrics.error_odds(y, p) == 2
ev = tm.evaluate(y, p)
assert ev["error odds"].high >= 2
assert ev["error odds"].method
assert ev.model("model").report("page.html").read_text().count("Error odds")
assert tm.evaluate([0, 1], [0, 1])["error_odds"].reason == "no row is wrong, 0/0"
from tallymark.metric import find
assert find(text="error odds")[0].relatives
from tallymark.cli import main
main(["explain", "error odds"], standalone_mode=False)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "A. Author (2026). A book about errors." in done.stdout
