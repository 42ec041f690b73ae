"""Methods that parts add to an evaluation; the stub lists them for type checkers."""

from __future__ import annotations

from types import MethodType
from typing import Any

from tallymark.part import Part, names


class Questions:
    """The methods of an evaluation that parts add."""

    def __init_subclass__(cls) -> None:
        for name, (part, place) in {**names("questions"), **names("methods")}.items():
            setattr(cls, name, _Question(part, place))


class _Question:
    """A method that is imported on first access."""

    def __init__(self, part: Part, place: str) -> None:
        self.part, self.place = part, place

    def __get__(self, ev: Any, owner: type) -> Any:
        answer = self.part.load(self.place)
        return answer if ev is None else MethodType(answer, ev)
