"""The stub of tallymark.sklearn, from the signatures and the rules for arguments of scikit-learn."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import sklearn.calibration
import sklearn.metrics
from sklearn.utils import _param_validation as validation

import tallymark.sklearn as ours
from tallymark.sklearn import drawn

sys.path.append(str(Path(__file__).parents[3] / "tools"))
from stubs import HEAD, code_of, docstring, filled, literal

FILE = "sklearn/__init__.pyi"

IMPORTS = """
from collections.abc import Callable
from typing import Any, Literal, overload

import sklearn.calibration
import sklearn.metrics

from tallymark.metrics import _Column
from tallymark.sklearn.plain import Array
from tallymark.sklearn.ranking import Curve
from tallymark.sklearn.scoring import score as score
from tallymark.sklearn.scoring import scorers as scorers
"""

OTHERWISE = {
    "average": ("None", "Array", "float"),
    "output_dict": ("Literal[True]", "dict[str, Any]", "str"),
}
"""Arguments that decide what a function returns: the type that does, what then and what else."""


def stub() -> str:
    """Return the stub of tallymark.sklearn."""
    parts = [
        HEAD.format(about="scikit-learn's metrics of classification and ranking, counted."),
        IMPORTS,
    ]
    parts.append(f"\n__all__ = {sorted(ours.__all__)!r}\n")
    for name in ours.__all__:
        made = getattr(ours, name)
        if name in drawn.__all__:
            home = made.__mro__[1].__module__.split(".")[1]
            parts.append(f"\nclass {name}(sklearn.{home}.{name}):  # type: ignore[misc]\n")
            parts.append(f"{docstring(made.__doc__, 4)}\n")
        elif name not in ("score", "scorers"):
            parts += _function(name, made)
    return "".join(parts)


def _function(name: str, made: Any) -> Iterator[str]:
    theirs = getattr(sklearn.metrics, name, None) or getattr(sklearn.calibration, name)
    rules = theirs._skl_parameter_constraints
    parameters = list(inspect.signature(made).parameters.values())
    returned = made.__wrapped__.__annotations__["return"]
    decisive = [p for p in parameters if p.name in OTHERWISE] if returned == "Any" else []
    if not decisive:
        yield _definition(made, parameters, rules, returned)
        return
    given, then, otherwise = OTHERWISE[decisive[0].name]
    usual = {decisive[0].name: (given, False)}
    yield "\n@overload" + _definition(made, parameters, rules, otherwise, usual)
    usual = {decisive[0].name: (given, True)}
    yield "@overload" + _definition(made, parameters, rules, then, usual)


def _definition(
    made: Any,
    parameters: list[inspect.Parameter],
    rules: dict[str, Any],
    returned: str,
    narrowed: dict[str, tuple[str, bool]] | None = None,
) -> str:
    given, starred = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            given.append("*")
            starred = True
        kinds = list(dict.fromkeys(k for rule in rules[p.name] for k in _types(rule)))
        default = "" if p.default is p.empty else f" = {code_of(p.default)}"
        if p.default is None:
            kinds = [*(k for k in kinds if k != "None"), "None"]
        if narrowed and p.name in narrowed:
            decisive, chosen = narrowed[p.name]
            if chosen:
                kinds, default = [decisive], ""
            else:
                kinds = [k for k in kinds if k != decisive]
                kinds = ["Literal[False]" if k == "bool" else k for k in kinds]
        given.append(f"{p.name}: {' | '.join(kinds)}{default}")
    lines = filled(given, 4)
    return f"\ndef {made.__name__}(\n{lines}\n) -> {returned}:\n{docstring(made.__doc__, 4)}\n"


def _types(rule: Any) -> Iterator[str]:
    """Yield the types that one of scikit-learn's rules for an argument lets through."""
    named = {"array-like": "_Column", "sparse matrix": "_Column", "boolean": "bool", "nan": "float"}
    if isinstance(rule, validation.Hidden):
        return
    if rule is None:
        yield "None"
    elif isinstance(rule, validation.StrOptions):
        yield literal(sorted(rule.options))
    elif isinstance(rule, validation.Interval | validation.Options):
        yield "int" if rule.type is Integral else "float"
    elif isinstance(rule, str):
        yield named[rule]
    elif rule is callable:
        yield "Callable[..., Any]"
    elif rule is Real or isinstance(rule, float):
        yield "float"
    else:
        inside = {dict: "[Any, Any]", tuple: "[Any, ...]", list: "[Any]", set: "[Any]"}
        yield rule.__name__ + inside.get(rule, "")
