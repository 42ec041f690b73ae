"""The repository template: its workflow passes on noise and fails on a worse model."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TEMPLATE = Path(__file__).parents[3] / "examples" / "gate"


@pytest.fixture
def runner(tmp_path):
    """Run the workflow's own command lines as GitHub does: in a copy of the template, by bash."""
    folder, tools = tmp_path / "repository", tmp_path / "tools"
    shutil.copytree(TEMPLATE, folder)
    tools.mkdir()
    for name, words in (("python", ""), ("tallymark", "-m tallymark")):
        (tools / name).write_text(
            f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8"
        )
        (tools / name).chmod(0o755)
    job = yaml.safe_load((folder / ".github/workflows/gate.yml").read_text("utf-8"))["jobs"]["gate"]
    steps = [step["run"] for step in job["steps"] if "run" in step]
    assert steps[0] == "pip install ./tallymark"

    def run(candidate):
        env = {
            **os.environ, **job["env"], "CANDIDATE": candidate, "COLUMNS": "88",
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        }  # fmt: skip
        for step in steps[1:]:
            done = subprocess.run(
                ["bash", "-e", "-c", step], cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8",
                check=False,
            )  # fmt: skip
            if done.returncode:
                break
        assert done.stderr == ""
        gate = json.loads((folder / "gate.json").read_text("utf-8"))
        assert done.returncode == gate["exit_code"]
        assert (folder / "gate.xml").is_file()
        assert "verdict" in (tmp_path / "summary.md").read_text("utf-8")
        return gate, done.stdout

    return run


def test_the_workflow_reads_only_and_pins_its_actions():
    workflow = yaml.safe_load((TEMPLATE / ".github/workflows/gate.yml").read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert "permissions" not in job
    uses = [step["uses"] for step in job["steps"] if "uses" in step]
    assert len(uses) == 3
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", name) for name in uses)


@pytest.mark.slow
def test_the_gate_passes_on_noise_and_fails_on_a_worse_model(runner):
    told = (TEMPLATE / "README.md").read_text("utf-8")
    gate, shown = runner("equal")
    assert gate["exit_code"] == 0
    assert shown.splitlines()[-3].startswith("Passed: ")
    against = [f for f in gate["findings"] if f["margin"] is not None]
    assert [f["subgroup"] for f in against] == [
        None, "region=east", "region=north", "region=south",
    ]  # fmt: skip
    # A gate on the numbers alone would stop it.
    assert f"{-against[0]['value']:.4f} lower" in told
    assert f"{-against[3]['value']:.3f} lower in the south" in told.replace("\n", " ")
    assert against[3]["value"] < against[3]["limit"]
    gate, shown = runner("worse")
    assert gate["exit_code"] == 1
    assert shown.splitlines()[-3].startswith("Failed: ")
    against = [f for f in gate["findings"] if f["margin"] is not None]
    assert {f["verdict"] for f in against} == {"fail"}
    assert f"{-against[0]['value']:.3f} lower" in told.replace("\n", " ")
