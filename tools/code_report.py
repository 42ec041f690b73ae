"""Report the size and structure of the code: python tools/code_report.py [ROOT].

One line for each fact: code lines and modules of each folder, C++ code lines, import cycles
between files, exempted imports and the most complex functions. It fails where more than four
modules import each other in a circle when they run. A code line is a line of a module that is no
blank line, no comment and no docstring.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

PACKAGE = "tallymark"
MOST_COMPLEX = 5
"""How many functions are named."""

LARGEST_CIRCLE = 4
"""So many modules may import each other in a circle."""

Graph = dict[str, set[str]]
"""The modules that each module imports."""


def code_lines(source: str) -> int:
    """Return the lines of a Python source without blank lines, comments and docstrings."""
    skipped = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and token.line.strip().startswith("#")
    }
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for part in body if isinstance(body, list) else ():
            if (
                isinstance(part, ast.Expr)
                and isinstance(part.value, ast.Constant)
                and isinstance(part.value.value, str)
            ):
                skipped.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    lines = enumerate(source.split("\n"), 1)
    return sum(1 for number, line in lines if line.strip() and number not in skipped)


def cpp_code_lines(source: str) -> int:
    """Return the lines of a C++ source without blank lines and comments."""
    comment = r"//[^\n]*|/\*.*?\*/"
    literal = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    bare = re.sub(
        f"({literal})|{comment}",
        lambda match: match[1] or "\n" * match[0].count("\n"),
        source,
        flags=re.DOTALL,
    )
    return sum(1 for line in bare.split("\n") if line.strip())


def module_name(path: Path, source: Path) -> str:
    """Return the dotted name of a file below the source folder."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graphs(files: Mapping[str, Path]) -> tuple[Graph, Graph]:
    """Return what each module imports when it runs, and with what only type checkers read."""
    runtime: Graph = {}
    typed: Graph = {}
    for name, path in files.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        for_types = {
            id(node)
            for branch in ast.walk(tree)
            if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.unparse(branch.test)
            for statement in branch.body
            for node in ast.walk(statement)
        }
        runtime[name], typed[name] = set(), set()
        for node in ast.walk(tree):
            imported = set(_imported(node, package, files)) - {name}
            typed[name] |= imported
            if id(node) not in for_types:
                runtime[name] |= imported
    return runtime, typed


def _imported(node: ast.AST, package: str, files: Mapping[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in files)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        name = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        if name in files:
            yield str(name)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *([base] if base else [])])
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            if inner in files:
                yield inner
            elif base in files:
                yield base


def cycles(graph: Graph) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or not; largest first."""
    reached = {name: _reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return sorted((list(group) for group in groups), key=lambda group: (-len(group), group))


def _reachable(graph: Graph, start: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += graph[name]
    return reached


def exempted(contracts: list[dict[str, object]], graph: Graph) -> Iterator[tuple[str, int, int]]:
    """Yield the title of each import contract, its lines of exemptions and the imports they free.

    Imports of other packages are not in the graph: there a line counts as one import.
    """
    for contract in contracts:
        lines = contract.get("ignore_imports", [])
        assert isinstance(lines, list)
        freed = 0
        for line in lines:
            importer, _, imported = (part.strip() for part in line.partition("->"))
            pairs = (
                (a, b)
                for a, names in graph.items()
                for b in names
                if fnmatchcase(a, importer) and fnmatchcase(b, imported)
            )
            freed += sum(1 for _ in pairs) if imported.startswith(PACKAGE) else 1
        yield str(contract["name"]), len(lines), freed


def most_complex(source: Path) -> list[str]:
    """Return the functions of the highest cyclomatic complexity, as ruff counts it."""
    done = subprocess.run(
        [
            sys.executable, "-m", "ruff", "check", "--isolated", "--select=C901", "--ignore-noqa",
            "--config=lint.mccabe.max-complexity=1", "--output-format=concise", "--quiet",
            str(source),
        ],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    pattern = r"^(.*?):(\d+):\d+: C901 `(.*)` is too complex \((\d+) >"
    rows = re.findall(pattern, done.stdout, re.MULTILINE)
    if not rows:
        return [f"not measured: {(done.stderr or 'no function').strip().splitlines()[-1]}"]
    rows.sort(key=lambda row: -int(row[3]))
    return [
        f"{function} {count} ({Path(path).resolve().relative_to(source.resolve())}:{line})"
        for path, line, function, count in rows[:MOST_COMPLEX]
    ]


def report(root: Path) -> list[tuple[str, str]]:
    """Return the facts of a checkout, each with its title."""
    source = root / "src"
    paths = sorted((source / PACKAGE).rglob("*.py"))
    files = {module_name(path, source): path for path in paths}
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path in paths:
        inner = path.relative_to(source / PACKAGE).parts
        folder = f"{inner[0]}/" if len(inner) > 1 else "(top)"
        lines[folder] += code_lines(path.read_text(encoding="utf-8"))
        modules[folder] += 1
    rows = [("Python", f"{lines.total():,} code lines in {modules.total()} modules")]
    rows += [(f"  {f}", f"{lines[f]:,} code lines in {modules[f]} modules") for f in sorted(lines)]
    cpp = sorted(path for path in source.rglob("*") if path.suffix in (".cpp", ".hpp", ".h"))
    n = sum(cpp_code_lines(path.read_text(encoding="utf-8")) for path in cpp)
    rows.append(("C++", f"{n:,} code lines in {len(cpp)} files"))
    graphs = import_graphs(files)
    for title, graph in zip(("at run time", "with types"), graphs, strict=True):
        groups = cycles(graph)
        sizes = "; ".join(f"{len(g)} files ({_shortened(g)})" for g in groups) or "none"
        rows.append((f"import cycles {title}", sizes))
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings.get("tool", {}).get("importlinter", {}).get("contracts", [])
    for name, exemptions, freed in exempted(contracts, graphs[1]):
        rows.append(("exempted imports", f"{freed} by {exemptions} lines: {name}"))
    return [*rows, ("most complex", ", ".join(most_complex(source / PACKAGE)))]


def _shortened(names: list[str]) -> str:
    """Return names without the package's own, at most eight of them."""
    short = [name.removeprefix(f"{PACKAGE}.") for name in names]
    return ", ".join(short[:8]) + (", ..." if len(short) > 8 else "")


def too_large(root: Path) -> list[list[str]]:
    """Return the circles of more modules than may import each other when they run."""
    source = root / "src"
    files = {module_name(p, source): p for p in (source / PACKAGE).rglob("*.py")}
    return [group for group in cycles(import_graphs(files)[0]) if len(group) > LARGEST_CIRCLE]


def main() -> None:
    """Print the report of this checkout, or of the one named."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    rows = report(root)
    width = max(len(title) for title, _ in rows)
    for title, fact in rows:
        print(f"{title:{width}}  {fact}")
    if circles := too_large(root):
        sys.exit(f"modules import each other in a circle: {', '.join(circles[0])}")


if __name__ == "__main__":
    main()
