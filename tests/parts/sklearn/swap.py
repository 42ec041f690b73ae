"""A pytest plugin: run scikit-learn's own tests with tallymark's functions in place of theirs.

Swaps before any test module is imported (and not when this one is), keeps which tests called
which of ours, and writes every outcome to the file of ``--outcomes``.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from pathlib import Path

import pytest
import sklearn.calibration
import sklearn.metrics

import tallymark.sklearn as ours
from parts.sklearn.rules import FUNCTIONS, is_of_others

running: str | None = None
calls: dict[str, set[str]] = defaultdict(set)
outcomes: dict[str, str] = {}


def kept_in_mind(name):
    function = getattr(ours, name)

    @functools.wraps(function)
    def wrapper(*args, **options):
        if running is not None:
            calls[running].add(name)
        return function(*args, **options)

    return wrapper


def pytest_addoption(parser):
    parser.addoption("--outcomes", required=True)


def pytest_configure():
    for name in FUNCTIONS:
        home = sklearn.calibration if name == "calibration_curve" else sklearn.metrics
        assert hasattr(home, name), f"scikit-learn has no {name}"
        setattr(home, name, kept_in_mind(name))


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if is_of_others(item.nodeid)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not is_of_others(item.nodeid)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    global running
    running = item.nodeid
    try:
        return (yield)
    finally:
        running = None


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish(session):
    told = {
        test: {"outcome": outcome, "calls": sorted(calls.get(test, ()))}
        for test, outcome in outcomes.items()
    }
    Path(session.config.getoption("--outcomes")).write_text(json.dumps(told), encoding="utf-8")
