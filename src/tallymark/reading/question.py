"""An error that asks a question: the reason, and each choice as a complete call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from tallymark.errors import InputError

Say = Mapping[str, Any]
"""The arguments that can answer a question."""

IN_READING = ("ignore_case", "percent", "score_is")
"""The words of ``reading=`` that are not arguments of ``evaluate``."""

IN_OPTIONS = ("header",)
"""The words of ``options=``."""

MOST = 6
"""Most choices that a question lists."""

LONG = 1200
"""Fewer are listed if they exceed this many characters, as with long names."""


class Question(InputError):  # noqa: N818 (it asks, and is no error of ours)
    """Several readings that the rows cannot distinguish, with the arguments for each.

    >>> print(Question("which class is positive?", [{"positive": "a"}, {"positive": "b"}]))
    which class is positive?; say tm.evaluate(..., positive='a') or tm.evaluate(..., positive='b')
    """

    def __init__(self, why: str, choices: Sequence[Say], remedy: str = "") -> None:
        self.why, self.choices, self.remedy = why, tuple(choices), remedy
        calls = [call(say) for say in self.choices[:MOST]]
        short = [
            c for i, c in enumerate(calls) if not i or len(" or ".join(calls[: i + 1])) <= LONG
        ]
        say = " or ".join(short)
        parts = [why, f"say {say}" if say else "", remedy]
        super().__init__("; ".join(filter(None, parts)))

    def with_choices(self, choices: Sequence[Say]) -> Self:
        """Return the same question with other choices."""
        return type(self)(self.why, choices, self.remedy)


class NoTruth(Question):
    """No column of a table is the true class."""


def and_all(choices: Sequence[Say], together: Say) -> list[Say]:
    """Return choices of one column each and that of all, first where a list would be cut.

    >>> [say["score"] for say in and_all([{"score": "a"}, {"score": "b"}], {"score": ["a", "b"]})]
    ['a', 'b', ['a', 'b']]
    """
    return [together, *choices] if len(choices) >= MOST else [*choices, together]


def call(say: Say) -> str:
    """Return a choice as a Python call; the command line writes it as a command.

    >>> call({"truth": "y", "score": ["a", "b"]})
    "tm.evaluate(..., truth='y', score=['a', 'b'])"
    >>> call({"score": "a", "score_is": "logit"})
    "tm.evaluate(..., score='a', reading={'score_is': 'logit'})"
    """
    arguments = {name: value for name, value in say.items() if name not in IN_READING + IN_OPTIONS}
    for word, names in (("reading", IN_READING), ("options", IN_OPTIONS)):
        inside = {name: value for name, value in say.items() if name in names}
        arguments |= {word: inside} if inside else {}
    return (
        f"tm.evaluate(..., {', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
    )
