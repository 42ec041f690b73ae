"""Rules that hold over all tests: they speak to names that users can reach."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "tallymark"

MOST = 56
"""How often tests may still reach behind public names: lower it when you mend one."""

MOST_SHARED = 529
"""How often tests may read members that modules of the package share: the number only falls."""

PROTOCOL = re.compile(r"_repr_\w+_|_replace|_fields|__\w+__")
LIMIT = re.compile(r"[A-Z][A-Z0-9_]*")


def reaches(source: str) -> list[tuple[int, str]]:
    """Return where a test reaches behind public names of the package, with the line's number.

    That is a name with an underscore (but not the compiled kernels, whose twins are in the tests),
    and a part of the package that a test exchanges. Limits in capitals may be set.
    """
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    own = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    own |= {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    ours, others = set(), {"self", "cls"}
    out = []
    for n in nodes:
        if isinstance(n, ast.Import):
            for a in n.names:
                names = ours if a.name.split(".")[0] == "tallymark" else others
                names.add(a.asname or a.name.split(".")[0])
        elif isinstance(n, ast.ImportFrom):
            inside = (n.module or "").split(".")[0] == "tallymark"
            (ours if inside else others).update(a.asname or a.name for a in n.names)
            private = [a.name for a in n.names if a.name[0] == "_" and a.name != "_kernels"]
            out += [(n.lineno, f"imports {name}") for name in private if inside]
    for n in nodes:
        if isinstance(n, ast.Attribute) and n.attr[0] == "_" and not PROTOCOL.fullmatch(n.attr):
            if n.attr not in own and _root(n) not in others:
                out.append((n.lineno, f"reads {ast.unparse(n)}"))
        elif isinstance(n, ast.Call) and ast.unparse(n.func).endswith("setattr") and n.args:
            target, *names = n.args
            text = target.value if isinstance(target, ast.Constant) else ast.unparse(target)
            if isinstance(target, ast.JoinedStr):
                text = ast.unparse(target).strip("f'\"")
            inside = str(text).startswith("tallymark.") or _root(target) in ours
            named = names[0] if len(n.args) > 2 else target
            name = str(named.value if isinstance(named, ast.Constant) else "?").rpartition(".")[2]
            if inside and not LIMIT.fullmatch(name):
                out.append((n.lineno, f"exchanges {text} {name}"))
    return sorted(out)


def _root(node: ast.AST) -> str | None:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def shared() -> set[str]:
    """Return the private members that a module of the package reads on another's objects."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py"))
    read = (n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    return {
        n.attr for n in read if n.attr[0] == "_" and ast.unparse(n.value) not in ("self", "cls")
    }


@pytest.mark.slow
def test_tests_speak_to_public_names():
    of_package, behind, within = shared(), [], []
    for path in sorted(TESTS.rglob("*.py")):
        for line, reach in reaches(path.read_text(encoding="utf-8")):
            is_shared = reach.startswith("reads ") and reach.rpartition(".")[2] in of_package
            name = f"{path.relative_to(TESTS.parent)}:{line} {reach}"
            (within if is_shared else behind).append(name)
    for found, most in ((behind, MOST), (within, MOST_SHARED)):
        assert len(found) <= most, "\n".join(["one of these is new; use a public name:", *found])


def test_a_reach_behind_public_names_is_found():
    source = """
import os
import tallymark as tm
from tallymark import _kernels
from tallymark.tally import _rows
from tallymark.infer import plan

def test(monkeypatch):
    ev = tm.evaluate([0, 1], [0, 1])
    assert ev._repr_html_() and ev._judge
    os._exit(_kernels.count())
    monkeypatch.setattr(plan, "MOST", 3)
    monkeypatch.setattr(plan, "solve", None)
    monkeypatch.setattr("tallymark.infer.plan.solve", None)
    monkeypatch.setattr(os, "fsync", None)
"""
    assert reaches(source) == [
        (5, "imports _rows"),
        (10, "reads ev._judge"),
        (13, "exchanges plan solve"),
        (14, "exchanges tallymark.infer.plan.solve solve"),
    ]
