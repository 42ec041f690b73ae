"""The counts of rows by true class, judge and predictions, of which few have a true class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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


def _distinct(codes: Codes, scores: Floats) -> tuple[Codes, Floats, Codes]:
    """Return the distinct rows of codes and scores in their order, and which each row is."""
    if not scores.shape[1]:
        cells, place = np.unique(codes, axis=0, return_inverse=True)
        return cells, np.empty((len(cells), 0)), place.reshape(-1)
    columns = [*codes.T, *scores.T]
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(codes), dtype=bool)
    new[:1] = True
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    place = np.empty(len(codes), dtype=np.intp)
    place[order] = np.cumsum(new) - 1
    return codes[order[new]], scores[order[new]], place


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
    sums of their weights and squared weights, and ``scores`` its scores of the positive class by
    model, [line, model], or [line, 0] without scores. Tallies add up, and JSON gives the same tally
    back.

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
    scores: Floats

    @classmethod
    def _of_codes(
        cls,
        labels: Sequence[Label],
        classes: int,
        models: Sequence[str],
        codes: Codes,
        weights: Floats | None = None,
        *,
        scores: Floats | None = None,
        times: Sequence[Any] | None = None,
    ) -> Self:
        """Return the tally of rows: codes [row, column], with a weight for those with a truth.

        ``times`` are numbers of rows, and sums of weights and squared weights, of lines that are
        counted already.
        """
        codes = np.asarray(codes, dtype=np.intp).reshape(-1, 2 + len(models))
        given = np.empty((len(codes), 0)) if scores is None else scores
        cells, values, place = _distinct(codes, given)
        if times is None:
            w = np.ones(len(codes)) if weights is None else weights
            w = np.where(codes[:, 0] == NO_TRUTH, 0.0, w)
            times = np.ones(len(codes)), w, w**2
        n, sums, squares = (_added(place, t, len(cells)) for t in times)
        names = tuple(labels), classes, tuple(models)
        return cls(*names, cells, n.astype(np.int64), sums, squares, values)

    def __add__(self, other: object) -> JudgedTally:
        """Return the tally of all rows of both, of the same models."""
        if not isinstance(other, JudgedTally):
            return NotImplemented
        if self.models != other.models:
            raise InputError(
                f"one tally has the models {listed(self.models)} and the other "
                f"{listed(other.models)}; add tallies of the same models"
            )
        if self._has_scores != other._has_scores:
            raise InputError(
                "one tally has scores and the other has none; add tallies that both have scores"
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
        scores = np.concatenate([t.scores for t in both])
        return self._of_codes(
            labels, len(classes), self.models, np.concatenate(codes), scores=scores, times=times
        )

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
    def _has_scores(self) -> bool:
        return bool(self.scores.shape[1])

    @cached_property
    def _decisions(self) -> JudgedTally:
        """The same counts without scores."""
        if not self._has_scores:
            return self
        times = [self.rows, self.weights, self.squares]
        return self._of_codes(self.labels, self.classes, self.models, self.cells, times=times)

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
                scores=np.array(data["scores"], dtype=float),
                times=[np.array(data[n], dtype=float) for n in ("rows", "weights", "squares")],
            )
            codes = tally.cells
            well = codes.min() >= NO_TRUTH and codes.max() < len(tally.labels)
            well = well and codes[:, 0].max() < tally.classes and codes[:, 1:].min() >= 0
            well = well and tally.scores.shape[1] in (0, len(tally.models))
            well = well and bool(np.isfinite(tally.scores).all())
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
        t = self._decisions
        judged = t.cells[:, 1]
        predicted = t.cells[:, [2 + t.models.index(m) for m in models] or [1]]
        if of_judge and models:
            predicted, judged = judged[:, None], predicted[:, 0]
            sampled_by = {"judge": "pred", "pred": "judge"}.get(str(sampled_by), sampled_by)
        keys = np.column_stack([predicted, judged])
        pairs, place = np.unique(keys, axis=0, return_inverse=True)
        place, size = place.reshape(-1), len(pairs)
        known = t._has_truth
        weights = np.zeros((t.classes, size))
        np.add.at(weights, (t.cells[known, 0], place[known]), t.weights[known])
        return Pairs(
            t.classes,
            pairs[:, :-1],
            pairs[:, -1],
            _added(place, t.rows, size),
            _added(place[known], t.rows[known], size),
            weights,
            _added(place[known], t.squares[known], size),
            sampled_by,
        )

    def _matrix(self, column: int) -> Floats:
        """Return the labelled rows by true class and the codes of a column of cells."""
        t = self._decisions
        size = max(t.classes, int(t.cells[:, column].max(initial=0)) + 1)
        known = t._has_truth
        out = np.zeros((size, size))
        at = t.cells[known, 0], t.cells[known, column]
        np.add.at(out, at, t.rows[known].astype(float))
        return out
