"""The law of deletion: without the folders of all parts, and their tests, the rest passes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tallymark.part import OURS

ROOT = Path(__file__).parents[1]
OF_THE_CORE = [
    "tests/test_part.py", "tests/test_contract.py", "tests/test_surface.py",
    "tests/test_display.py", "tests/test_strings.py", "tests/test_tables.py", "tests/test_api.py",
    "tests/test_objects.py", "tests/metric/test_sources.py", "tests/metric/test_registry.py",
    "tests/reading/test_readers.py", "tests/reading/test_choose.py",
]  # fmt: skip
"""Tests that go over everything that is public, and those of what asks parts most.

The quick ones are enough: what a part leaves behind shows in the first test that goes over all.
"""


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the files are listed by git")
def test_the_rest_passes_without_any_part():
    done = subprocess.run(
        [sys.executable, "tools/without.py", *OURS, "--", "--quick", "-n", "0", *OF_THE_CORE], cwd=ROOT,
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
