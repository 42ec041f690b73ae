"""scikit-learn's own tests, run with the drop-in in place of its functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

from parts.sklearn.rules import DIFFERENCES, FILES, FUNCTIONS, faults, is_of_others

TESTS = Path(__file__).parents[2]
THEIRS = Path(sklearn.__file__).parent


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Every test's outcome and which of our functions it called."""
    if sklearn.__version__.split(".")[:2] != ["1", "9"]:
        pytest.skip(f"the drop-in follows scikit-learn 1.9 and this is {sklearn.__version__}")
    folder = tmp_path_factory.mktemp("theirs")
    config, told = folder / "pytest.ini", folder / "outcomes.json"
    config.write_text("[pytest]\n", encoding="utf-8")
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-c", str(config), f"--rootdir={THEIRS}", "-q",
            "-p", "no:cacheprovider", "-p", "parts.sklearn.swap", f"--outcomes={told}",
            "--tb=short", "--disable-warnings", *(str(THEIRS / f) for f in FILES),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True, encoding="utf-8",
        timeout=600,
        check=False,
    )  # fmt: skip
    assert run.returncode in (0, 1), run.stdout[-4000:] + run.stderr[-4000:]
    return json.loads(told.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_all_pass_but_those_listed(outcomes):
    assert faults({test: o["outcome"] for test, o in outcomes.items()}, DIFFERENCES) == []


@pytest.mark.slow
def test_they_are_tests_of_the_drop_in(outcomes):
    calling = [o["calls"] for o in outcomes.values() if o["outcome"] == "passed" and o["calls"]]
    assert len(calling) > 1700
    called = {name for names in calling for name in names}
    assert called == set(FUNCTIONS)


def test_the_list_of_differences_is_strict():
    seen = {"a": "passed", "b": "failed", "c": "failed", "d": "skipped"}
    assert faults(seen, {"b": "on purpose", "c": "on purpose"}) == []
    assert faults(seen, {"b": "on purpose"}) == ["fails: c"]
    assert faults(seen, {"a": "once", "b": "so", "c": " ", "x": "gone"}) == [
        "is listed and passes: a",
        "is listed and does not exist: x",
        "is listed without a reason: c",
    ]


@pytest.mark.parametrize(
    ("test", "left_out"),
    [
        ("metrics/tests/test_common.py::test_single_sample[f1_score]", False),
        ("metrics/tests/test_common.py::test_single_sample[mean_squared_error]", True),
        ("metrics/tests/test_ranking.py::test_roc_curve", False),
        ("metrics/tests/test_ranking.py::test_dcg_ties", True),
        ("tests/test_calibration.py::test_calibration_curve", False),
        ("tests/test_calibration.py::test_calibration_zero_probability", True),
    ],
)
def test_which_tests_concern_it(test, left_out):
    assert is_of_others(test) is left_out
