"""The reference page of the gate has every key and option, and every place where a rule reads."""

import re
import runpy
from pathlib import Path

from tallymark.cli import main
from tallymark.cli.group import ADDED
from tallymark.core import requirement
from tallymark.parts.gate.rules import SETTINGS

ROOT = Path(__file__).parents[3]


def test_every_key_and_option_of_the_gate_is_in_its_page():
    page = (ROOT / "docs" / "gate.md").read_text("utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("| `--")
    ]
    keys = [cells[2].strip("`").replace("-", "_") for cells in rows if cells[2]]
    assert sorted(keys) == sorted(SETTINGS)
    flags = {re.match(r"`(--[\w-]+)", cells[0])[1] for cells in rows}
    of_rows = {o for p in main.commands["report"].params for o in p.opts}
    own = [p for p in main.commands["check"].params if p not in ADDED.get("check", ())]
    of_check = {o for p in own for o in p.opts if o.startswith("--")}
    assert flags - of_check == set()
    assert of_check - of_rows <= flags
    for name, rule in runpy.run_path(str(ROOT / "tools" / "reference.py"))["places"]().items():
        assert requirement(rule).metric == name
