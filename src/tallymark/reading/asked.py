"""The arguments of one ``evaluate`` call, with ``reading=`` and ``options=`` unpacked."""

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
"""The words that only ``reading=`` accepts."""


@dataclass(frozen=True)
class Asked:
    """All arguments of ``evaluate``.

    Attributes
    ----------
    data, y_pred, y_score
        As given.
    told : mapping
        The words of ``reading=`` that the user gave, there or as arguments.
    opened : mapping
        Every word of ``options=`` except ``level`` and ``seed``, and ``on``; None if not given.
    threshold : float, optional
        As given.
    sure : mapping
        ``level`` and ``seed``.
    name : str, optional
        What to call the data.
    progress : function, optional
        Called with the number of rows done and the total number of rows.
    counts : bool
        Whether the data are known to be counts instead of rows.

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
        """Whether the data are a NumPy array of labels, with predictions or scores beside it.

        Such input needs no interpretation, unless ``fold`` is a splitter.
        """
        alone = self.y_pred is None and self.y_score is None
        labels = isinstance(self.data, np.ndarray) and self.data.ndim == 1
        plain = labels and self.data.dtype.kind in "biuU"
        return plain and not alone and self.told.get("fold") is None

    def judged(self, after: Any = None) -> Any:
        """Return the evaluation by the first part that accepts this input, or None.

        A part that delegates passes its own function as ``after``: only later parts are tried.
        """
        inputs = added("inputs")
        inputs = inputs[inputs.index(after) + 1 if after else 0 :]
        return next((ev for judged in inputs if (ev := judged(self)) is not None), None)

    @cached_property
    def small_file(self) -> SmallFile | None:
        """The data as a small file, or None if it is not one or the user described its rows."""
        about_rows = [value for value in self.words(*ROLES).values() if value is not False]
        about_rows += [self.opened.get(word) for word in ("header", "sheet", "on")]
        about_rows += [self.y_pred, self.y_score]
        is_path = isinstance(self.data, str | os.PathLike)
        if not is_path or any(value is not None for value in about_rows):
            return None
        return small_file(self.data, piped=self.counts)

    def words(self, *words: str) -> dict[str, Any]:
        """Return some words of the reading, None for those that were not given."""
        return {word: self.told.get(word) for word in words}

    def arguments(self, *, name: str, **changes: Any) -> dict[str, Any]:
        """Return all arguments of ``evaluate`` except arrays, to call it again with changes.

        ``name`` is the name of the data unless the user gave one.
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
        """The keyword arguments of a ``Job`` that do not name columns."""
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
