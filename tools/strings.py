"""Print every text that a user can see, with where it stands: python tools/strings.py [WORD].

Texts stand beside what they describe; this is their catalogue. Places for values are {...}.
With WORD only the texts that hold it are printed.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "tallymark"

INTERNAL = ("ValueError", "TypeError", "AssertionError", "KeyError", "AttributeError")
"""Errors that a user of the public names never sees."""

CODE = re.compile(r"""^[<M#.]|class=|data-|SELECT |::|\\|^[\w.]+\($|^\W+$""", re.M)
"""What marks a string as HTML, a path of SVG, SQL or a pattern."""


def template(node: ast.expr) -> str | None:
    """Return the text of a string or f-string with its places, None of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (
            v.value if isinstance(v, ast.Constant) else "{" + ast.unparse(v.value) + "}"  # type: ignore[attr-defined]
            for v in node.values
        )
        return "".join(map(str, parts))
    return None


def of_module(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every sentence in a module, but for its docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):  # a string that stands alone documents what is above it
            skipped |= {id(n.value) for n in body if isinstance(n, ast.Expr)}
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            internal = getattr(node.exc.func, "id", "") in INTERNAL
            skipped |= {id(n) for n in ast.walk(node.exc)} if internal else set()
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(n) for n in ast.walk(node) if n is not node}
    for node in ast.walk(tree):
        text = (
            None if id(node) in skipped else template(node) if isinstance(node, ast.expr) else None
        )
        if text and re.search(r"[a-z]{2,} +\S*[a-z]{2,}", text) and not CODE.search(text):
            yield node.lineno, text


def of_page(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts between the tags of the page's template."""
    for i, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        for text in re.split(r"<[^>]*>|\{%.*?%\}", line):
            if re.search(r"[a-z]{2,} +[a-z]{2,}", re.sub(r"\{\{.*?\}\}", "", text)):
                yield i, text.strip()


def of_script(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of the page's script."""
    for i, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip().startswith("//"):
            for text in re.findall(r'"([^"]*[a-z]{2,} [^"]*)"', line):
                yield i, text


def declared() -> Iterator[tuple[str, int, str]]:
    """Yield what metrics, curves, rules and commands say of themselves in their docstrings."""
    from tallymark.cli import main
    from tallymark.findings.catalogue import every_rule
    from tallymark.metric import METRICS

    for name, m in METRICS.items():
        for text in (m.words.meaning, m.words.misleads, *getattr(m, "undefined", {})):
            if text:
                yield f"metric {name}", 0, text
    for name, rule in every_rule().items():
        yield f"rule {name}", 0, rule.when
    for name, command in main.commands.items():
        yield f"command {name}", 0, command.help or ""


def catalogue() -> Iterator[tuple[str, int, str]]:
    """Yield place, line and text of everything that a user can read."""
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if place == "reading/names.py":  # names of columns in many languages
            continue
        yield from ((place, line, text) for line, text in of_module(path))
    assets = SOURCE / "report" / "assets"
    yield from (("page.html.j2", *found) for found in of_page(assets / "page.html.j2"))
    for name in ("script.js", "profit.js"):
        yield from ((name, *found) for found in of_script(assets / name))
    yield from declared()


if __name__ == "__main__":
    for place, line, text in catalogue():
        if len(sys.argv) < 2 or sys.argv[1] in text:
            print(f"{place}:{line}: {text}")
