"""Measure what an installation weighs and write it into docs/dependencies.md.

python tools/sizes.py docs/dependencies.md [PACKAGE]

Installs the package (a wheel, or else this checkout) and mpmath into a new environment, adds up
the files of every distribution there, and times special functions of SciPy beside others'. The
tables take the place of what stands between the marks of the page.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # however this file is run

from benchmarks.pages import write_page  # noqa: E402

WHY = {
    "tallymark": "",
    "numpy": "arrays; everything counts and computes with it",
    "narwhals": "one expression for frames of pandas, Polars, PyArrow and others",
    "duckdb": "reads every kind of file under a memory cap",
    "scipy": "distributions, quantiles, tests of classifiers",
    "rich": "the tables and the progress bar of the terminal",
    "click": "the command line",
    "jinja2": "the pages",
}
"""What each distribution is for; others are there for one of these."""

MEASURE = """
import json
from importlib.metadata import distributions
out = {}
for d in distributions():
    files = [d.locate_file(f) for f in d.files or []]
    size = sum(f.stat().st_size for f in files if f.is_file())
    needs = [r.split(";")[0].strip() for r in d.requires or [] if "extra ==" not in r]
    out[d.metadata["Name"].lower()] = (d.version, size, needs)
print(json.dumps(out))
"""

TIME = """
import json
from statistics import NormalDist
from timeit import repeat
import mpmath as mp, numpy as np
from scipy import special as sp
p, many = 0.975, np.linspace(0.01, 0.99, 1000)
def inverse(a, b, y):
    return mp.findroot(lambda x: mp.betainc(a, b, 0, x, regularized=True) - y, (0.01, 0.99),
                       solver="anderson", tol=1e-20)
pairs = {
    "quantile of the normal distribution": (
        lambda: sp.ndtri(p), lambda: sp.ndtri(many), lambda: mp.sqrt(2) * mp.erfinv(2 * p - 1),
        lambda: NormalDist().inv_cdf(p)),
    "incomplete beta function": (
        lambda: sp.betainc(80.5, 20.5, p), lambda: sp.betainc(80.5, 20.5, many),
        lambda: mp.betainc(80.5, 20.5, 0, p, regularized=True), None),
    "quantile of the beta distribution": (
        lambda: sp.betaincinv(80.5, 20.5, p), lambda: sp.betaincinv(80.5, 20.5, many),
        lambda: inverse(80.5, 20.5, p), None),
    "upper tail of chi-squared": (
        lambda: sp.chdtrc(5, 9.2), lambda: sp.chdtrc(5, 20 * many),
        lambda: mp.gammainc(2.5, 4.6, regularized=True), None),
}
def best(f, scale):
    f()
    return min(repeat(f, number=20, repeat=7)) / 20 / scale
print(json.dumps({k: [best(a, 1), best(b, 1000), best(c, 1), d and best(d, 1)]
                  for k, (a, b, c, d) in pairs.items()}))
"""


def used_of_scipy() -> dict[str, set[str]]:
    """Return the names that the package imports from each module of SciPy."""
    out = defaultdict(set)
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scipy"):
                out[node.module or ""] |= {alias.name for alias in node.names}
    return dict(sorted(out.items()))


def table(head: str, rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    cells = [tuple(head.split("|")), ("---",) * (head.count("|") + 1), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def sizes(found: dict[str, tuple[str, int, list[str]]]) -> str:
    """Return the table of what was installed, each beside what is there for it."""
    rows = []
    for name, why in WHY.items():
        version, size, _ = found[name]
        rows.append((name, version, f"{size / 1e6:.1f}", why))
        for other, (its_version, its_size, _) in sorted(found.items()):
            if other not in WHY and other != "mpmath" and asks(found, name, other):
                rows.append((f"↳ {other}", its_version, f"{its_size / 1e6:.1f}", f"for {name}"))
    total = sum(float(row[2]) for row in rows)
    return table("package|version|MB|what for", [*rows, ("together", "", f"{total:.0f}", "")])


def bare(requirement: str) -> str:
    """Return the name of the distribution that a requirement asks for."""
    return re.match(r"[\w.-]+", requirement)[0].lower()


def asks(found: dict[str, tuple[str, int, list[str]]], name: str, other: str) -> bool:
    """Return whether a distribution needs another, directly or through one not in the table."""
    needs = [bare(need) for need in found[name][2]]
    return other in needs or any(
        asks(found, need, other) for need in needs if need in found and need not in WHY
    )


def microseconds(seconds: float | None) -> str:
    """Return a time in microseconds, of two digits."""
    return "" if seconds is None else f"{float(f'{seconds * 1e6:.2g}'):,.4g}"


def main() -> None:
    """Install, measure and write."""
    page = Path(sys.argv[1])
    package = sys.argv[2] if len(sys.argv) > 2 else str(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, package, "mpmath"], check=True)

        def told(code: str) -> dict:
            return json.loads(
                subprocess.check_output([python, "-I", "-c", code], text=True, encoding="utf-8")
            )

        found, times = told(MEASURE), told(TIME)
    names = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    if {bare(name) for name in names} != set(WHY) - {"tallymark"}:
        raise SystemExit("say in WHY what each dependency of pyproject.toml is for, and no other")
    parts = {
        "sizes": sizes(found),
        "scipy": table(
            "module|names",
            [(f"`{module}`", ", ".join(sorted(n))) for module, n in used_of_scipy().items()],
        ),
        "times": table(
            "µs|SciPy, one call|SciPy, each of 1,000|mpmath|Python's `statistics`",
            [(name, *map(microseconds, row)) for name, row in times.items()],
        ),
    }
    text = page.read_text("utf-8")
    for name, made in parts.items():
        text, n = re.subn(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)",
            lambda m, made=made: f"{m[1]}\n{made}\n\n{m[2]}",
            text,
            flags=re.S,
        )
        if n != 1:
            raise SystemExit(f"{page} needs one pair of marks <!-- {name} --> and <!-- end -->")
    write_page(page, text)


if __name__ == "__main__":
    main()
