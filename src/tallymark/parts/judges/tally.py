"""The counts of rows by true class, judge and predictions, of which few have a true class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    ANY,
    Coded,
    Document,
    Floats,
    Label,
    checked,
    fields_of,
    join_labels,
    listed,
    shown,
)
from tallymark.parts.judges.strata import Codes, Pairs

NO_TRUTH = -1
"""The code of the true class of a row without one."""


def _added(place: Codes, values: Any, size: int) -> Floats:
    """Return the sums of values by their place."""
    return np.bincount(place.reshape(-1), values, size).astype(np.float64)


@checked(data=ANY)
@dataclass(frozen=True, repr=False, eq=False)
class JudgedTally(Document):
    """Counts of rows by true class, judge and the prediction of each model.

    ``labels`` are the classes, then other values of the judge; the first ``classes`` of them are
    classes. A line of ``cells`` holds the codes of the true class (-1 without one), the judge and
    each of the ``models``; ``rows``, ``weights`` and ``squares`` are the number of its rows and the
    sums of their weights and squared weights. Tallies add up, and JSON gives the same tally back.

    >>> import tallymark as tm
    >>> truth = ["yes", "no"] * 5 + [None] * 10
    >>> judged = tm.few_labels({"t": truth, "j": ["yes", "no"] * 9 + ["no"] * 2},
    ...                        truth="t", judge="j", positive="yes")
    >>> judged.tally.cells.tolist(), judged.tally.rows.tolist()
    ([[-1, 0], [-1, 1], [0, 0], [1, 1]], [6, 4, 5, 5])
    """

    labels: tuple[Label, ...]
    classes: int
    models: tuple[str, ...]
    cells: Codes
    rows: NDArray[np.int64]
    weights: Floats
    squares: Floats

    @classmethod
    def _of_codes(
        cls,
        labels: Sequence[Label],
        classes: int,
        models: Sequence[str],
        codes: Codes,
        weights: Floats | None = None,
        times: Sequence[Any] | None = None,
    ) -> Self:
        """Return the tally of rows: codes [row, column], with a weight for those with a truth.

        ``times`` are numbers of rows, and sums of weights and squared weights, of lines that are
        counted already.
        """
        codes = np.asarray(codes, dtype=np.intp).reshape(-1, 2 + len(models))
        cells, place = np.unique(codes, axis=0, return_inverse=True)
        if times is None:
            w = np.ones(len(codes)) if weights is None else weights
            w = np.where(codes[:, 0] == NO_TRUTH, 0.0, w)
            times = np.ones(len(codes)), w, w**2
        n, sums, squares = (_added(place, t, len(cells)) for t in times)
        names = tuple(labels), classes, tuple(models)
        return cls(*names, cells, n.astype(np.int64), sums, squares)

    def __add__(self, other: object) -> JudgedTally:
        """Return the tally of all rows of both, of the same models."""
        if not isinstance(other, JudgedTally):
            return NotImplemented
        if self.models != other.models:
            raise InputError(
                f"one tally has the models {listed(self.models)} and the other "
                f"{listed(other.models)}; add tallies of the same models"
            )
        both = (self, other)
        none = np.empty(0, dtype=np.intp)
        classes, _ = join_labels({str(i): Coded(none, t._classes) for i, t in enumerate(both)})
        labels = list(classes)
        labels += sorted({*self.labels, *other.labels} - {*classes}, key=str)
        codes = []
        for t in both:
            place = np.array([*map(labels.index, t.labels), NO_TRUTH], dtype=np.intp)
            codes.append(place[t.cells])
        times = [
            np.concatenate([getattr(t, name) for t in both])
            for name in ("rows", "weights", "squares")
        ]
        return self._of_codes(labels, len(classes), self.models, np.concatenate(codes), times=times)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JudgedTally):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def _classes(self) -> tuple[Label, ...]:
        return self.labels[: self.classes]

    @property
    def _has_truth(self) -> NDArray[np.bool_]:
        return np.asarray(self.cells[:, 0] != NO_TRUTH)

    @property
    def labelled(self) -> int:
        """The number of rows with a true class."""
        return int(self.rows[self._has_truth].sum())

    @property
    def _weighted(self) -> bool:
        """Whether labelled rows have weights that differ from 1."""
        known = self._has_truth
        return bool((self.weights[known] != self.rows[known]).any())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return {**self._heading("judged-tally"), **fields_of(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> JudgedTally:
        """Read what :meth:`to_dict` wrote.

        >>> import tallymark as tm
        >>> rows = {"t": [1, 0] * 6 + [None] * 8, "j": [1, 0, 0, 0] * 5}
        >>> tally = tm.few_labels(rows, truth="t", judge="j").tally
        >>> tm.JudgedTally.from_dict(tally.to_dict()) == tally
        True
        """
        try:
            tally = cls._of_codes(
                tuple(data["labels"]),
                int(data["classes"]),
                tuple(map(str, data["models"])),
                np.array(data["cells"], dtype=np.intp),
                times=[np.array(data[n], dtype=float) for n in ("rows", "weights", "squares")],
            )
            codes = tally.cells
            well = codes.min() >= NO_TRUTH and codes.max() < len(tally.labels)
            well = well and codes[:, 0].max() < tally.classes and codes[:, 1:].min() >= 0
            numbers = np.stack([tally.rows, tally.weights, tally.squares])
            well = well and bool(np.isfinite(numbers).all() and numbers.min() >= 0)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            well = False
        if not well:
            raise InputError(
                f"data is {shown(data)}, which is not a tally of judged rows; give what its "
                "to_dict() returned"
            )
        return tally

    def _pairs(
        self, models: Sequence[str], sampled_by: str | None = None, *, of_judge: bool = False
    ) -> Pairs:
        """Return the counts by the predictions of some models and the judge.

        Without a model, the judge's values are its predictions. With ``of_judge`` judge and model
        change places, to judge the judge with the help of the model.
        """
        judged = self.cells[:, 1]
        predicted = self.cells[:, [2 + self.models.index(m) for m in models] or [1]]
        if of_judge and models:
            predicted, judged = judged[:, None], predicted[:, 0]
            sampled_by = {"judge": "pred", "pred": "judge"}.get(str(sampled_by), sampled_by)
        keys = np.column_stack([predicted, judged])
        pairs, place = np.unique(keys, axis=0, return_inverse=True)
        place, size = place.reshape(-1), len(pairs)
        known = self._has_truth
        weights = np.zeros((self.classes, size))
        np.add.at(weights, (self.cells[known, 0], place[known]), self.weights[known])
        return Pairs(
            self.classes,
            pairs[:, :-1],
            pairs[:, -1],
            _added(place, self.rows, size),
            _added(place[known], self.rows[known], size),
            weights,
            _added(place[known], self.squares[known], size),
            sampled_by,
        )

    def _matrix(self, column: int) -> Floats:
        """Return the labelled rows by true class and the codes of a column of cells."""
        size = max(self.classes, int(self.cells[:, column].max(initial=0)) + 1)
        known = self._has_truth
        out = np.zeros((size, size))
        at = self.cells[known, 0], self.cells[known, column]
        np.add.at(out, at, self.rows[known].astype(float))
        return out
