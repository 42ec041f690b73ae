"""Pages of measured numbers: where and when they were measured, and figures of several machines."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.timing import Row

ROOT = Path(__file__).parents[1]
VECTORS = {"avx512f": 512, "avx2": 256, "asimd": 128, "sse2": 128}
"""Bits of a vector by the flag of a processor that has them, the widest first."""

HEAD = """# Performance

For judging speed and memory. Made by `make bench`: ratios of medians of alternating runs, each in
a process of its own. A column is a machine; one that measures again replaces its own column.
"""

MISSED = "**missed:** "


def processor(facts: str | None = None) -> str:
    """Return the model of the processor and the width of its vectors.

    ``facts`` is what Linux says in /proc/cpuinfo.

    >>> processor("model name : Example 7\\nflags : sse2 avx2")
    'Example 7, 256-bit vectors'
    """
    path = Path("/proc/cpuinfo")
    if facts is None:
        facts = path.read_text("utf-8") if path.exists() else ""
    found = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", facts, re.M))
    name = found.get("model name") or platform.processor() or platform.machine()
    if "cpu family" in found:
        name += f" (family {found['cpu family']}, model {found['model']})"
    flags = (found.get("flags") or found.get("Features") or "").split()
    width = next((bits for flag, bits in VECTORS.items() if flag in flags), None)
    return name if width is None else f"{name}, {width}-bit vectors"


def machine() -> str:
    """Return the processor and how many of its cores there are."""
    return f"{processor()}, {os.cpu_count()} cores"


def moment() -> str:
    """Return the day and the commit."""
    command = ["git", "rev-parse", "--short=8", "HEAD"]
    try:
        found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return f"{datetime.date.today()}"
    return f"{datetime.date.today()}, commit {found.stdout.strip()}"


def stamp() -> str:
    """Return when and where the numbers of a page are measured."""
    return f"Measured on {moment()}; {machine()}."


def write_page(path: Path, text: str) -> None:
    """Write a page of measured numbers, which ends with when and where, once."""
    text = re.sub(r"\nMeasured on [^\n]+\s*\Z", "", text)
    path.write_text(f"{text.rstrip()}\n\n{stamp()}\n", encoding="utf-8")


@dataclass
class Times:
    """What several machines measured: columns by machine, each a cell by the work and its target.

    >>> old, cells = "Old, 2 cores", {("x", "at least 5 ×"): {"Old, 2 cores": "6 × peer"}}
    >>> times = Times({old: "2026-01-01"}, cells)
    >>> times.measured("New, 4 cores", "2026-02-01", [Row("x", "4 × peer", "at least 5 ×", False)])
    >>> print(times.page())
    # Performance
    ...
    - **A**: New, 4 cores; 2026-02-01
    - **B**: Old, 2 cores; 2026-01-01
    <BLANKLINE>
    | work | target | A | B |
    |---|---|---|---|
    | x | at least 5 × | **missed:** 4 × peer | 6 × peer |
    <BLANKLINE>
    >>> Times.read(times.page()) == times
    True
    """

    machines: dict[str, str] = field(default_factory=dict)
    cells: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, page: str) -> Times:
        """Return what a page says."""
        named = re.findall(r"^- \*\*\w\*\*: (.+?); (.+)$", page, re.M)
        lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:2] == "| "]
        cells = {
            (work, target): {m: c for (m, _), c in zip(named, found, strict=True) if c != "–"}
            for work, target, *found in lines[1:]
        }
        return cls(dict(named), cells)

    def measured(self, name: str, when: str, rows: Sequence[Row], *, whole: bool = False) -> None:
        """Put rows into the column of a machine; a ``whole`` run leaves no other row there."""
        self.machines = {name: when, **{k: v for k, v in self.machines.items() if k != name}}
        earlier = self.cells
        if whole:
            earlier = {k: {m: c for m, c in v.items() if m != name} for k, v in earlier.items()}
        now = {(r.work, r.target): ("" if r.holds else MISSED) + r.figure for r in rows}
        order = [*now, *earlier] if whole else [*earlier, *now]
        cells = {k: earlier.get(k, {}) | ({name: now[k]} if k in now else {}) for k in order}
        self.cells = {k: v for k, v in cells.items() if v}

    def page(self) -> str:
        """Return the page."""
        letters = [chr(ord("A") + i) for i in range(len(self.machines))]
        named = zip(letters, self.machines.items(), strict=True)
        lines = [HEAD, *(f"- **{c}**: {name}; {when}" for c, (name, when) in named), ""]
        lines += ["| " + " | ".join(["work", "target", *letters]) + " |"]
        lines += ["|" + "---|" * (2 + len(letters))]
        lines += [
            "| " + " | ".join([*key, *(found.get(name, "–") for name in self.machines)]) + " |"
            for key, found in self.cells.items()
        ]
        return "\n".join(lines) + "\n"
