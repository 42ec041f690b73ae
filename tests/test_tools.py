"""The set-up on a machine that lacks something: one sentence, whatever it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"

if os.name == "nt":
    pytest.skip("the set-up of a checkout is a shell script", allow_module_level=True)


def bare(tmp_path, *programs):
    """Return an environment whose PATH holds only these programs."""
    for name in programs:
        found = sys.executable if name == "python3" else shutil.which(name)
        launcher = tmp_path / name
        launcher.write_text(f'#!/bin/sh\nexec "{found}" "$@"\n')
        launcher.chmod(0o755)
    return {"PATH": str(tmp_path)}


def need_toolchain(environment):
    script = ["/bin/sh", str(TOOLS / "need-toolchain.sh")]
    done = subprocess.run(script, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("script", ["need-r.sh", "need-browser.sh"])
@pytest.mark.parametrize("ci", ["", "1"])
def test_what_tests_need_is_said_and_ci_insists_on_it(tmp_path, script, ci):
    # no id, no apt-get: nothing may be installed
    run = ["/bin/sh", str(TOOLS / script)]
    environment = {"PATH": str(tmp_path), "CI": ci}
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == bool(ci)
    assert "install the packages" in done.stderr.splitlines()[-1]


def test_what_is_missing_is_said_in_a_sentence(tmp_path):
    no_python = bare(tmp_path, "id", "head")
    code, told = need_toolchain(no_python)
    assert code == 1
    assert told.startswith("tallymark needs Python 3.11 or newer, and 'python3' is not there")
    no_compiler = bare(tmp_path, "id", "head", "python3")
    code, told = need_toolchain(no_compiler)
    assert code == 1
    assert told.startswith("tallymark needs a C++17 compiler and finds none")
    code, told = need_toolchain({**no_compiler, "CXX": "nosuch++"})
    assert code == 1
    assert "CXX names 'nosuch++', which is not there" in told
    assert told.count("\n") == 1


def test_an_old_python_is_named(tmp_path):
    environment = bare(tmp_path, "id", "head")
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.1 && exit\nexit 1\n')
    old.chmod(0o755)
    code, told = need_toolchain(environment)
    assert code == 1
    assert "'python3' is Python 3.9.1: say make PYTHON=" in told
