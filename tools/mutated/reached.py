"""A plugin of pytest that writes which functions of tallymark each test calls, to the file REACHED.

What fixtures call while they are set up counts for all tests of a file, which may share them.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

SOURCE = f"{Path(__file__).parents[2]}/src/tallymark/"

_called: set[CodeType] = set()
_tests: dict[str, dict[str, Any]] = {}
_shared: dict[str, set[str]] = defaultdict(set)


def _profile(frame: FrameType, event: str, _: Any) -> None:
    if event == "call":
        _called.add(frame.f_code)


def function_of(code: CodeType) -> str:
    """Return the function that code belongs to, such as report.words:few."""
    module = code.co_filename[len(SOURCE) : -len(".py")].replace("/", ".")
    names = (n for n in code.co_qualname.split(".") if n[0] != "<")
    return f"{module}:{'.'.join(names)}"


@contextmanager
def _recorded() -> Iterator[set[str]]:
    """Yield the set of the functions that are called inside, which is filled at the end."""
    found: set[str] = set()
    _called.clear()
    threading.setprofile(_profile)
    sys.setprofile(_profile)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        found |= {function_of(c) for c in _called if c.co_filename.startswith(SOURCE)}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Record what fixtures call."""
    with _recorded() as found:
        result = yield
    _shared[item.nodeid.partition("::")[0]] |= found
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Record what a test calls, and how long it takes."""
    start = time.monotonic()
    with _recorded() as found:
        result = yield
    _tests[item.nodeid] = {"seconds": time.monotonic() - start, "calls": sorted(found)}
    return result


def pytest_sessionfinish() -> None:
    """Write the file."""
    shared = {file: sorted(of) for file, of in _shared.items()}
    Path(os.environ["REACHED"]).write_text(json.dumps({"tests": _tests, "shared": shared}))
