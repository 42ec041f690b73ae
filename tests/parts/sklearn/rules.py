"""Which of scikit-learn's tests concern the drop-in, and in which of them it differs on purpose."""

from __future__ import annotations

import re

import tallymark.sklearn
from tallymark.sklearn import delegated

FUNCTIONS = sorted(
    name for name in tallymark.sklearn.__all__
    if not name.endswith("Display") and name not in ("score", "scorers", *delegated.__all__)
)  # fmt: skip
"""The functions that scikit-learn has too."""

FILES = (
    "metrics/tests/test_classification.py",
    "metrics/tests/test_ranking.py",
    "metrics/tests/test_common.py",
    "tests/test_calibration.py",
)

# A test is left out when its name, or the metric it is parametrised with, is about ...
_OF_OTHERS = re.compile(
    "|".join(
        (
            # ... functions that are scikit-learn's own,
            "hinge_loss", "d2_(?!log_loss)", "dcg", "lrap", "label_ranking", "ranking_loss", "coverage",
            "ranking_appropriate_input_shape",
            # regression,
            "regression", "test_multioutput_", "mean_", "median_",
            "max_error", "explained_variance", "r2_score", "_deviance",
            # scikit-learn's own inner parts,
            "test__check_targets", "sort_inputs_and_compute",
            # or arrays of other libraries on other devices.
            "array_api",
        )
    )
)  # fmt: skip
_CALIBRATION = re.compile("test_calibration.py::(?!test_calibration_curve)")

DIFFERENCES: dict[str, str] = {}
"""The tests that the drop-in fails on purpose, each with its reason."""


def is_of_others(test: str) -> bool:
    """Tell whether a test is about something else than the functions of the drop-in."""
    return bool(_OF_OTHERS.search(test.split("::", 1)[1]) or _CALIBRATION.search(test))


def faults(outcomes: dict[str, str], differences: dict[str, str]) -> list[str]:
    """Say where the outcomes are not those declared: a failure unlisted, or a listed test passed."""
    failed = {test for test, outcome in outcomes.items() if outcome == "failed"}
    listed = set(differences)
    return [
        *(f"fails: {test}" for test in sorted(failed - listed)),
        *(f"is listed and passes: {test}" for test in sorted(listed & set(outcomes) - failed)),
        *(f"is listed and does not exist: {test}" for test in sorted(listed - set(outcomes))),
        *(f"is listed without a reason: {t}" for t, why in differences.items() if not why.strip()),
    ]
