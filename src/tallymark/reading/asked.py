"""What ``evaluate`` was asked: its arguments, with ``reading=`` and ``options=`` unpacked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.part import added
from tallymark.reading.small import SmallFile, small_file
from tallymark.reading.source import ROLES

_INSIDE = ("score_is", "ignore_case", "percent")
"""What ``reading=`` alone may say."""


@dataclass(frozen=True)
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
    counts : bool
        Whether the data are known to be counts, and no rows.

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
    counts: bool = False

    @cached_property
    def of_plain_arrays(self) -> bool:
        """Whether the data are NumPy's labels, a row each, beside predictions or scores.

        Nothing else can be meant by them, unless a splitter stands in place of folds.
        """
        alone = self.y_pred is None and self.y_score is None
        labels = isinstance(self.data, np.ndarray) and self.data.ndim == 1
        plain = labels and self.data.dtype.kind in "biuU"
        return plain and not alone and self.told.get("fold") is None

    def judged(self, after: Any = None) -> Any:
        """Return the evaluation by the first part that knows this input; None if no part does.

        A part that is asked may ask on: then only the parts ``after`` its own function are.
        """
        inputs = added("inputs")
        inputs = inputs[inputs.index(after) + 1 if after else 0 :]
        return next((ev for judged in inputs if (ev := judged(self)) is not None), None)

    @cached_property
    def small_file(self) -> SmallFile | None:
        """The small file that the data are; None if words say how it holds rows, or where."""
        about_rows = [value for value in self.words(*ROLES).values() if value is not False]
        about_rows += [self.opened.get(word) for word in ("header", "sheet", "on")]
        about_rows += [self.y_pred, self.y_score]
        is_path = isinstance(self.data, str | os.PathLike)
        if not is_path or any(value is not None for value in about_rows):
            return None
        return small_file(self.data, piped=self.counts)

    def words(self, *words: str) -> dict[str, Any]:
        """Return some words of the reading, None where one is not said."""
        return {word: self.told.get(word) for word in words}

    def arguments(self, *, name: str, **changes: Any) -> dict[str, Any]:
        """Return all arguments of ``evaluate`` but arrays, to ask again with changes.

        ``name`` is what the data are called unless the user said it.
        """
        reading = {**self.told, **changes}
        inside = {word: reading.pop(word) for word in _INSIDE if word in reading}
        opened = {k: v for k, v in self.opened.items() if v is not None and k != "on"}
        options = {"name": self.name or name, **opened}
        return {
            **reading,
            "reading": inside,
            "options": options,
            "on": self.opened.get("on"),
            "threshold": self.threshold,
            **self.sure,
        }

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
