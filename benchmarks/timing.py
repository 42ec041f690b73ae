"""What every benchmark shares: timing in turns, whole commands, and the rows of the table."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

ROWS = 10**7


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    figure: str
    target: str
    holds: bool


def seconds(function: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def alternate(*functions: Callable[[], object], runs: int) -> list[float]:
    """Return each function's median time over runs in which they take turns."""
    for function in functions:
        function()
    times = [[seconds(f) for f in functions] for _ in range(runs)]
    return [median(column) for column in zip(*times, strict=True)]


def faster(work: str, ratio: float, than: str, target: float) -> Row:
    """Tell how many times as fast it is, and how many it should be."""
    return Row(work, f"{ratio:.0f} × {than}", f"at least {target:g} ×", ratio >= target)


def slower(work: str, ratio: float, than: str, target: float) -> Row:
    """Tell how many times as long it takes, and how many it may."""
    return Row(work, f"{ratio:.2f} × the time of {than}", f"at most {target:g} ×", ratio <= target)


def within(work: str, took: float, most: float) -> Row:
    """Tell how long it takes, and how long it may."""
    return Row(work, f"{took:.2f} s", f"under {most:g} s", took < most)


# As a user has it: after the first run, compiled modules are there.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def command(*words: str, runs: int) -> tuple[float, float]:
    """Return the median wall time in seconds and the peak memory in MB of a whole command."""
    times, peak = [], 0.0
    for _ in range(runs + 1):
        start = time.perf_counter()
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=ENVIRONMENT) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        times.append(time.perf_counter() - start)
        if process.returncode:
            raise SystemExit(f"{' '.join(words)} failed with exit code {process.returncode}")
        peak = max(peak, used.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2))
    return median(times[1:]), peak


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| work | measured | target | |", "|---|---|---|---|"]
    lines += [
        f"| {r.work} | {r.figure} | {r.target} | {'holds' if r.holds else 'MISSED'} |" for r in rows
    ]
    return "\n".join(lines)
