"""The page on watching a model: its workflow is safe to copy, and its commands work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from tallymark.cli import main

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "gate.md").read_text("utf-8").partition("\n## Watch a model over time\n")[2]


def workflow():
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    return yaml.safe_load(text)


def test_the_workflow_reads_only_and_pins_what_it_uses():
    said = workflow()
    assert said["permissions"] == {"contents": "read"}
    assert said["concurrency"] == "watch"
    (job,) = said["jobs"].values()
    assert "permissions" not in job
    uses = [step["uses"] for step in job["steps"] if "uses" in step]
    assert len(uses) == 4
    assert all(re.fullmatch(r"actions/[\w/-]+@[0-9a-f]{40}", name) for name in uses)
    # Expressions in a shell command could run what an input says: they go through env.
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert not any("${{" in command for command in commands)
    assert [c for c in commands if "pip install" in c] == ["pip install ./tallymark"]


def test_the_cache_is_restored_and_saved_under_a_key_of_the_run():
    (job,) = workflow()["jobs"].values()
    restore, save = (s for s in job["steps"] if "cache" in s.get("uses", ""))
    assert restore["with"]["key"] == save["with"]["key"] == "watch-${{ github.run_id }}"
    assert "!cancelled()" in save["if"]  # an alarm fails the step before


@pytest.mark.skipif("check" not in main.commands, reason="the part with check is not installed")
def test_the_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    y = np.random.default_rng(0).integers(0, 2, 200)
    pd.DataFrame({"label": y, "pred": np.where(np.arange(200) < 190, y, 1 - y)}).to_csv("today.csv")
    lines = re.findall(r"(?m)^ *(?:run: )?tallymark (check .+)$", PAGE)
    assert len(lines) == 2
    for line in lines:
        Path("state.json").unlink(missing_ok=True)
        done = CliRunner().invoke(main, shlex.split(line))
        assert done.exit_code == 0, done.output
        assert " at every look; no alarm (evidence " in done.output
