"""The kernels compile without a warning, and ask the system in one place."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "src" / "tallymark" / "kernels"
FLAGS = re.search(
    r"if\(TALLYMARK_STRICT\).*?PRIVATE ([^)]+)\)",
    (ROOT / "CMakeLists.txt").read_text("utf-8"),
    re.S,
)[1].split()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="these are options of GCC and Clang")
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("file", sorted(p.name for p in KERNELS.glob("*.cpp")))
def test_the_kernels_compile_without_a_warning(compiler, file):
    program = shutil.which(compiler)
    if program is None:
        pytest.skip(f"{compiler} is not installed")
    include = pytest.importorskip("nanobind").include_dir()
    python = sysconfig.get_path("include")
    if not (Path(python) / "Python.h").is_file():
        pytest.skip("the headers of Python are not installed")
    command = [program, "-std=c++17", "-fsyntax-only", *FLAGS, "-isystem", python,
               "-isystem", include, KERNELS / file]  # fmt: skip
    if sys.version_info >= (3, 12):  # there the wheel is one of the stable ABI
        command.append("-DPy_LIMITED_API=0x030C0000")
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_calls_of_one_system_stand_in_one_file():
    system = re.compile(
        r"#include <(?!nanobind/)[\w/]+\.h>|\b(?:_WIN32|__linux__|__APPLE__|_MSC_VER|__unix__)\b"
    )
    asking = {p.name for p in KERNELS.iterdir() if system.search(p.read_text("utf-8"))}
    assert asking == {"cores.hpp"}
