"""Questions that parts add to an evaluation, as its methods; the stub lists those there are."""

from __future__ import annotations

from types import MethodType
from typing import Any

from tallymark.part import Part, names


class Questions:
    """What an evaluation can be asked because a part answers it."""

    def __init_subclass__(cls) -> None:
        for name, (part, place) in {**names("questions"), **names("methods")}.items():
            setattr(cls, name, _Question(part, place))


class _Question:
    """A method that is loaded when it is first asked."""

    def __init__(self, part: Part, place: str) -> None:
        self.part, self.place = part, place

    def __get__(self, ev: Any, owner: type) -> Any:
        answer = self.part.load(self.place)
        return answer if ev is None else MethodType(answer, ev)
