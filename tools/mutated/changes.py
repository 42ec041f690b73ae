"""The changes that a real mistake makes to code: one operator, number, name or argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}  # fmt: skip
PAIRS = (
    ("tp", "fp"), ("fn", "tn"), ("pos", "neg"), ("positive", "negative"),
    ("positives", "negatives"), ("called_positive", "called_negative"), ("all", "any"),
    ("max", "min"), ("argmax", "argmin"), ("maximum", "minimum"), ("floor", "ceil"),
    ("low", "high"), ("lows", "highs"), ("lower", "upper"), ("least", "most"),
    ("first", "second"), ("better", "other"), ("before", "after"), ("cost_fp", "cost_fn"),
    ("sensitivity", "specificity"), ("precision", "negative_predictive_value"),
    ("truth", "pred"), ("y_true", "y_pred"), ("margin", "least"), ("left", "right"),
)  # fmt: skip
NAMES = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])} | {"log2": "log"}
"""Names that are easily taken for each other, as an attribute, a variable or a key."""

LEFT = {"dataclass", "overload", "checked", "trusted"}
"""Decorators and calls whose arguments change nothing that a user sees."""


ON_IMPORT = "<import>"
"""The function of what runs when a module is imported."""


DRAWINGS = {"artists", "diagram", "drawing", "pictures", "plot", "plots", "svg"}
"""Modules whose numbers are sizes and places in a drawing, which are for the eye to judge."""

SAFEGUARDS = {"strict", "repr", "encoding", "slots", "frozen", "flush", "check"}
"""Arguments that change no result."""


@dataclass(frozen=True)
class Change:
    """The n-th change of a module: where it stands, and what it is in words."""

    module: str
    n: int
    line: int
    function: str
    what: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.function}: {self.what}"


class _Changing(ast.NodeTransformer):
    """Makes the change of a number, or lists them all."""

    def __init__(self, module: str, wanted: int = -1) -> None:
        self.module = module
        self.wanted = wanted
        self.listed: list[Change] = []
        self.inside = [ON_IMPORT]
        self.alike: list[dict[str, str]] = [{}]

    def _now(self, node: Any, what: str) -> bool:
        """List a change, and tell whether it is to be made."""
        n = len(self.listed)
        function = ".".join(self.inside)
        self.listed.append(Change(self.module, n, node.lineno, function, what))
        return n == self.wanted

    # -- where nothing is changed --------------------------------------------------------------

    def _left(self, node: ast.AST) -> ast.AST:
        return node

    visit_Raise = visit_Assert = visit_Import = visit_ImportFrom = _left  # noqa: N815

    def visit_If(self, node: ast.If) -> ast.AST:
        """Leave what is only for type checkers."""
        of_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return node if of_types else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave the annotation."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Leave the annotation."""
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """Change what is shown in a text, not the form of its digits."""
        node.value = self.visit(node.value)
        return node

    # -- functions and classes -----------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Change decorators and defaults, which run with what is around, and the body."""
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args = self.visit(node.args)
        self.alike.append(_alike(node.args))
        node = self._inside(node, *self.inside_names(), node.name)
        self.alike.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Change decorators and the body, which runs when the module is imported."""
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return self._inside(node, *self.inside_names(), node.name, ON_IMPORT)

    def inside_names(self) -> list[str]:
        """Return the names of the classes and functions around."""
        return [name for name in self.inside if name != ON_IMPORT]

    def _inside(self, node: Any, *names: str) -> Any:
        around, self.inside = self.inside, list(names)
        node.body = [self.visit(statement) for statement in node.body]
        self.inside = around
        return node

    # -- changes -------------------------------------------------------------------------------

    def _operator(self, node: Any, operator: ast.AST) -> Any:
        new = SWAPS.get(type(operator))
        if new and self._now(node, f"{type(operator).__name__} -> {new.__name__}"):
            return new()
        return operator

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Exchange the operator."""
        self.generic_visit(node)
        node.op = self._operator(node, node.op)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Exchange the operator."""
        self.generic_visit(node)
        node.op = self._operator(node, node.op)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Exchange an operator."""
        self.generic_visit(node)
        node.ops = [self._operator(node, op) for op in node.ops]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Leave a sign or a "not" out."""
        self.generic_visit(node)
        plain = isinstance(node.op, ast.UAdd)
        if not plain and self._now(node, f"without {type(node.op).__name__}"):
            return node.operand
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Exchange the branches."""
        self.generic_visit(node)
        if self._now(node, "branches exchanged"):
            node.body, node.orelse = node.orelse, node.body
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Turn a truth value round, add 1 to a number, exchange a key for its like."""
        value, new = node.value, None
        if isinstance(value, bool):
            new = not value
        elif isinstance(value, int | float):
            drawn = self.module.rpartition(".")[2] in DRAWINGS
            new = None if drawn else value + 1
        elif isinstance(value, str) and value in NAMES:
            new = NAMES[value]
        if new is not None and self._now(node, f"{value!r} -> {new!r}"):
            return ast.copy_location(ast.Constant(new), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Exchange an attribute for its like."""
        self.generic_visit(node)
        new = NAMES.get(node.attr)
        if new and isinstance(node.ctx, ast.Load) and self._now(node, f".{node.attr} -> .{new}"):
            node.attr = new
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Exchange all for any, and a parameter for another of its kind."""
        if not isinstance(node.ctx, ast.Load):
            return node
        new = NAMES.get(node.id) if node.id in ("all", "any", "max", "min") else None
        new = new or self.alike[-1].get(node.id)
        if new and self._now(node, f"{node.id} -> {new}"):
            node.id = new
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Leave a named argument out, or exchange two neighbours."""
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in LEFT:
            return node
        node.func = self.visit(node.func)
        node.args = [self.visit(a) for a in node.args]
        changing = [k for k in node.keywords if k.arg not in SAFEGUARDS]
        for keyword in changing:
            keyword.value = self.visit(keyword.value)
        for keyword in changing:
            if keyword.arg and self._now(node, f"{name}() without {keyword.arg}="):
                node.keywords.remove(keyword)
        self._exchange(node, node.args, f"{name}()")
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        """Exchange two neighbours."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            self._exchange(node, node.elts, "a tuple")
        return node

    def _exchange(self, node: Any, items: list[ast.expr], where: str) -> None:
        """Exchange two neighbours of like kind: two attributes of one thing, or two names."""
        for i, (a, b) in enumerate(pairwise(items)):
            if not _like(a, b):
                continue
            what = f"{ast.unparse(a)} and {ast.unparse(b)} exchanged in {where}"
            if self._now(node, what):
                items[i : i + 2] = b, a


def _alike(arguments: ast.arguments) -> dict[str, str]:
    """Return for each parameter the next one of the same annotation."""
    kinds: dict[str, list[str]] = {}
    for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if a.annotation is not None and ast.unparse(a.annotation) != "Any":
            kinds.setdefault(ast.unparse(a.annotation), []).append(a.arg)
    pairs = (zip(names, [*names[1:], names[0]], strict=True) for names in kinds.values())
    return {a: b for of_kind in pairs for a, b in of_kind if a != b}


def _like(a: ast.expr, b: ast.expr) -> bool:
    if isinstance(a, ast.Attribute) and isinstance(b, ast.Attribute):
        return ast.dump(a.value) == ast.dump(b.value) and a.attr != b.attr
    names = isinstance(a, ast.Name) and isinstance(b, ast.Name)
    return names and a.id != b.id and (a.id + b.id).islower()  # neither a class nor a constant


def changes(module: str, source: str) -> Sequence[Change]:
    """Return every change that can be made to a module."""
    changing = _Changing(module)
    changing.visit(ast.parse(source))
    return changing.listed


def changed(change: Change, source: str) -> ast.Module:
    """Return a module with one change."""
    tree = _Changing(change.module, change.n).visit(ast.parse(source))
    return ast.fix_missing_locations(tree)


def drawn(every: Sequence[Change], n: int | None, random: Any) -> Iterator[Change]:
    """Yield all changes, or so many of them at random, one of a line."""
    order = list(every) if n is None else random.sample(every, len(every))
    lines: set[tuple[str, int]] = set()
    for change in order:
        if n is None:
            yield change
        elif (change.module, change.line) not in lines and len(lines) < n:
            lines.add((change.module, change.line))
            yield change
