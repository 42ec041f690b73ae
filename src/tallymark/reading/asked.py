"""What ``evaluate`` was asked: its arguments, with ``reading=`` and ``options=`` unpacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_INSIDE = ("score_is", "ignore_case", "percent")
"""What ``reading=`` alone may say."""


@dataclass(frozen=True, slots=True)
class Asked:
    """All arguments of ``evaluate``.

    Attributes
    ----------
    data, y_pred, y_score
        As given.
    told : mapping
        The words of the reading that were said, by arguments or in ``reading=``.
    opened : mapping
        Every word of ``options=`` but the two below, and ``on``; None where one was not said.
    threshold : float, optional
        As given.
    sure : mapping
        ``level`` and ``seed``.
    name : str, optional
        What to call the data.
    progress : function, optional
        Called with the rows done and the rows in all.

    """

    data: Any
    y_pred: Any
    y_score: Any
    told: Mapping[str, Any]
    opened: Mapping[str, Any]
    threshold: float | None
    sure: Mapping[str, Any]
    name: str | None = None
    progress: Callable[[int, int], None] | None = None

    def words(self, *words: str) -> dict[str, Any]:
        """Return some words of the reading, None where one is not said."""
        return {word: self.told.get(word) for word in words}

    def arguments(self, *, name: str, **changes: Any) -> dict[str, Any]:
        """Return all arguments of ``evaluate`` but arrays, to ask again with changes.

        ``name`` is what the data are called unless the user said it.
        """
        told = {**self.told, **changes}
        inside = {word: told.pop(word) for word in _INSIDE if word in told}
        opened = {k: v for k, v in self.opened.items() if v is not None and k != "on"}
        options = {"name": self.name or name, **opened}
        return {
            **told, "reading": inside, "options": options, "on": self.opened.get("on"),
            "threshold": self.threshold, **self.sure,
        }  # fmt: skip

    @property
    def counting(self) -> dict[str, Any]:
        """What a Job takes beside columns."""
        classes, missing = self.told.get("classes"), self.told.get("missing")
        codes = () if missing is None or isinstance(missing, str) else tuple(missing)
        scale = self.told.get("score_is")
        return {
            "labels": None if classes is None else tuple(classes),
            "threshold": self.threshold,
            "missing": "drop" if codes else missing or "error",
            "codes": codes,
            "percent": bool(self.told.get("percent")) or scale == "percent",
            "score_is": None if scale == "percent" else scale,
        } | self.words("positive", "ignore_case", "score_of")
