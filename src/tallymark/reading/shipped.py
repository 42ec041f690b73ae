"""Example data in the package: location, origin, licence, and the command to evaluate it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tallymark.contract import TEXT, checked
from tallymark.errors import InputError, choices

FOLDER = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True, slots=True)
class Example:
    """An example file: path, contents, licence, and the command that evaluates it."""

    name: str
    path: Path
    title: str
    authors: str
    year: int  # 0 if unknown
    source: str
    licence: str
    made: str
    command: str


@cache
def shipped() -> dict[str, Example]:
    """Return every example in ``manifest.toml`` by name."""
    import tomllib

    listed: dict[str, Any] = tomllib.loads((FOLDER / "manifest.toml").read_text("utf-8"))
    fields = {k for k in Example.__slots__ if k not in ("name", "path")}
    return {
        name: Example(name, FOLDER / f"{name}.csv", **{k: facts[k] for k in fields})
        for name, facts in listed.items()
    }


@checked(name=TEXT)
def example(name: str) -> Path:
    """Return the place of a data set that is installed with the package.

    Parameters
    ----------
    name : str
        "credit" (1,000 loans, three models), "breast_cancer" (569 tumours, three models), "iris"
        (three species), "defects" (2,109 modules with their size), "tharwat" (the 20 samples of
        Table 1 of a tutorial), "blog" (ten instances with ties), "demsar2006" (results of four
        classifiers on 14 data sets) or "answers" (right and wrong answers of three language models
        to 200 questions).

    Returns
    -------
    Path
        A CSV file, for :func:`tallymark.evaluate` or any reader.

    Examples
    --------
    >>> import tallymark as tm
    >>> print(tm.evaluate(tm.example("tharwat"), positive="P")["roc_auc"].value)
    0.68
    >>> tm.example("iriss")
    Traceback (most recent call last):
    tallymark.errors.InputError: there is no example 'iriss'; did you mean 'iris'?

    """
    entry = shipped().get(name)
    if entry is None:
        raise InputError(f"there is no example {name!r}; {choices(name, shipped())}")
    return entry.path
