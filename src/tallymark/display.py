"""How results display themselves and convert to plain data.

The renderer of a class is imported when a result is shown.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from tallymark.contract import checked
from tallymark.errors import InputError, choices
from tallymark.instead import missing, stands_for, use
from tallymark.output import write_text
from tallymark.part import part_of

PAGES: Mapping[str, str] = {
    "Guide": "guide",
}
"""Modules of tallymark.report that define a result and its blocks."""

SUBJECTS: Mapping[str, str] = {
    "advice": "Advice",
    "classes": "PerClass",
    "comparison": "Answer Comparison Crossing Pair TableError Verdict",
    "curves": "Curve",
    "evaluation": "Evaluation",
    "folds": "Folds",
    "inputs": "Inspection Reading",
    "grids": "Listing PaperTable SubgroupTable Table",
    "matrices": "ConfusionMatrix LabelTally",
    "plan": "Plan",
    "subgroups": "Heterogeneity SubgroupDifference Subgroups Worst",
    "thresholds": "Corrected OptimalThreshold",
    "values": "Difference Evidence Finding NoInformation Value",
}
"""Modules of tallymark.report.subjects, with the classes of results that they render."""

HOMES = {**PAGES, **{c: f"subjects.{name}" for name, of in SUBJECTS.items() for c in of.split()}}

WIDEST_REPR = 200

dialect: ContextVar[Callable[[str], str]] = ContextVar("dialect", default=str)
"""Translates Python arguments in a sentence, such as into options of the command line."""


def load(name: str) -> Any:
    """Return the function with a name such as "cards:card".

    The modules below :mod:`tallymark.report` call renderers only through this function, so that
    they do not import any.
    """
    module, _, attribute = name.partition(":")
    return getattr(import_module(f"tallymark.report.{module}"), attribute)


def json_number(x: float) -> float | str | None:
    """Return a number that JSON can store: NaN becomes None, infinities become texts."""
    if math.isnan(x):
        return None
    return float(x) if math.isfinite(x) else ("inf" if x > 0 else "-inf")


def plain_data(value: Any) -> Any:
    """Return a result as plain data for JSON; a dataclass becomes a dictionary of its fields.

    >>> plain_data({"p_value": math.nan, "interval": (0.1, 0.2)})
    {'p_value': None, 'interval': [0.1, 0.2]}
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return fields_of(value)
    if hasattr(value, "tolist"):  # a NumPy array or scalar
        return plain_data(value.tolist())
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, Mapping):
        return {str(k): plain_data(v) for k, v in value.items()}
    return [plain_data(v) for v in value] if isinstance(value, list | tuple) else value


def fields_of(value: Any, *without: str) -> dict[str, Any]:
    """Return the public fields of a dataclass as plain data, except those named."""
    names = (f.name for f in fields(value) if not f.name.startswith("_"))
    return {name: plain_data(getattr(value, name)) for name in names if name not in without}


class Display:
    """A result with text for the prompt, the terminal, notebooks and papers.

    Pickles and copies omit cached results, which are recomputed on demand.
    """

    __slots__ = ()
    _called: ClassVar[str] = "result"
    """The variable name used for such a result in messages."""

    def __getstate__(self) -> object:
        if is_dataclass(self) and hasattr(self, "__dict__"):
            return {f.name: getattr(self, f.name) for f in fields(self)}
        return object.__getstate__(self)

    if not TYPE_CHECKING:  # type checkers must report unknown names

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            if hasattr(kind, name):  # a property raised AttributeError: show that error
                return object.__getattribute__(self, name)
            raise missing(f"{kind.__name__!r} object", name, kind._advise_on)

    @classmethod
    def _advise_on(cls, name: str) -> str:
        """Return a suggestion for an attribute that results of this class do not have."""
        if replacement := cls._instead(name):
            return use(cls._called, replacement)
        return choices(name, (n for n in dir(cls) if not n.startswith("_")))

    @classmethod
    def _instead(cls, name: str) -> list[str]:
        """Return the equivalents of a name in results of this class; empty if there are none."""
        return stands_for(name, cls)

    def __repr__(self) -> str:
        headline = load("words:text")(" ".join(next(iter(blocks_of(self))).text.split()))
        line = f"<{type(self).__name__}: {headline}>"
        return line if len(line) <= WIDEST_REPR else line[: WIDEST_REPR - 2] + "…>"

    def __str__(self) -> str:
        return str(load("terminal:as_text")(blocks_of(self)))

    def _repr_html_(self) -> str:
        return str(load("cards:card")(self))

    def to_html(self) -> str:
        """Return what is shown as a fragment of HTML that needs no style sheet."""
        return str(load("pieces:as_html")(blocks_of(self)))

    def to_markdown(self) -> str:
        """Return what is shown as Markdown, with its tables."""
        return str(load("markup:as_markdown")(blocks_of(self)))

    def to_latex(self) -> str:
        """Return what is shown as LaTeX; tables need the package booktabs."""
        return str(load("markup:as_latex")(blocks_of(self)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: an undefined number is None, an infinite one a text."""
        return fields_of(self)


class Named(Display, ABC):
    """A result whose items are looked up by name: ``result[name]``.

    Iteration yields the listed names, ``len`` counts them, and ``name in result`` tests whether
    ``result[name]`` works, which it may for aliases that are not listed. Like every result it is
    true, even with no names.
    """

    __slots__ = ()

    @abstractmethod
    def __getitem__(self, name: Any) -> Any: ...

    @abstractmethod
    def _keys(self) -> Sequence[Any]:
        """Return the names to iterate over."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())

    def __contains__(self, name: object) -> bool:
        with suppress(InputError):
            self[name]
            return True
        return False

    def __bool__(self) -> bool:
        return True


@checked
class Document(Display, ABC):
    """A result that can be written to a JSON file with its format name and version."""

    __slots__ = ()

    def _heading(self, what: str) -> dict[str, Any]:
        """Return the keys at the beginning of every JSON file."""
        from importlib.metadata import version  # slow to import, and rarely needed

        return {"format": f"tallymark/{what}", "version": 1, "tallymark": version("tallymark")}

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return :meth:`to_dict` as JSON text, and write it to a file if one is named."""
        return self._written(self.to_dict(), path)

    def _written(self, data: dict[str, Any], path: str | PathLike[str] | None) -> str:
        text = json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False)
        if path is not None:
            write_text(path, text + "\n")
        return text


def text(result: Display, width: int | None = None, color: bool = False) -> str:
    """Return a result as the command line prints it."""
    return str(load("terminal:as_text")(blocks_of(result), width, color))


def renderer(result: type) -> Any:
    """Return the function that renders results of a class as blocks.

    It is named after the class, in the module of its subject or the ``blocks`` module of its
    part. A class without one shows its fields.
    """
    return shown_by(result, function_name(result)) or load("subjects.values:fields_of")


def shown_by(result: type, function: str) -> Any:
    """Return a function of the module that renders a class; None if the module has none."""
    part = part_of(result)
    if part and not part.blocks:
        return None
    home = HOMES.get(result.__name__, "subjects.values")
    module = part.load(part.blocks) if part else import_module(f"tallymark.report.{home}")
    return getattr(module, function, None)


def function_name(result: type) -> str:
    """Return the name of a class's renderer: the class name in snake case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", result.__name__).lower()


def blocks_of(result: Display) -> Any:
    """Return the blocks of a result."""
    return renderer(type(result))(result)
