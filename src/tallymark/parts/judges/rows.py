"""Read the columns of truth, judge, predictions and scores, and count them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError
from tallymark.core import (
    Coded,
    Floats,
    Label,
    find_positive,
    join_labels,
    listed,
    many,
    must_have,
    open_table,
    read_whole,
    typed,
)
from tallymark.parts.judges.planning import Rows
from tallymark.parts.judges.strata import Codes
from tallymark.parts.judges.tally import NO_TRUTH, JudgedTally

GROUPS = ("model", "system", "task", "dataset", "site")
"""Columns that often hold several populations; labels should come from each of them."""


@dataclass(frozen=True)
class Columns:
    """The names of the columns to read, by role."""

    truth: str
    judge: str
    pred: tuple[str, ...]
    score: tuple[str, ...]
    weight: str | None
    subgroup: str | None
    order: str | None
    length: str | None
    inputs: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models: the columns of their predictions, else of their scores."""
        return self.pred or self.score

    @property
    def used(self) -> tuple[str, ...]:
        """The columns of truth, judge, models, weights and lengths."""
        more = tuple(n for n in (self.weight, self.length) if n is not None)
        return (self.truth, self.judge, *self.pred, *self.score, *more, *self.inputs)

    def refuse(self) -> None:
        """Raise InputError where columns do not go together."""
        seen: dict[str, str] = {}
        roles = {"truth": [self.truth], "judge": [self.judge], "pred": self.pred}
        for role, names in {**roles, "score": self.score}.items():
            for name in names:
                if name in seen:
                    raise InputError(
                        f"the column {name!r} is {seen[name]} and {role}; name a column of its own "
                        "for each"
                    )
                seen[name] = role
        if self.pred and self.score and len(self.pred) != len(self.score):
            raise InputError(
                f"there are {many(len(self.pred), 'column')} of predictions and "
                f"{len(self.score)} of scores; give one of each for every model, in the same order"
            )
        if self.judge in self.inputs:
            raise InputError(
                f"the judge {self.judge!r} is among the inputs of the model, which then repeats "
                "its errors; give a judge whose values the model does not read"
            )


@dataclass(frozen=True)
class Read:
    """All rows with a judge and predictions: their codes, scores, weights and other columns."""

    columns: Columns
    source: str
    labels: tuple[Label, ...]
    classes: int
    codes: Codes
    scores: Floats
    weights: Floats | None
    numbers: Codes
    dropped: int
    positive: Label | None
    beside: Mapping[str, Coded]
    lengths: Floats | None

    def tally(self, mask: Any = slice(None)) -> JudgedTally:
        """Return the counts of all rows, or of some."""
        return JudgedTally._of_codes(
            self.labels,
            self.classes,
            self.columns.models,
            self.codes[mask],
            None if self.weights is None else self.weights[mask],
            scores=self.scores[mask],
        )

    @cached_property
    def rows(self) -> Rows:
        """The codes of each row, and its number."""
        return Rows(self.codes, self.numbers)

    def unlabelled(self, least: float) -> Iterator[tuple[str, list[str]]]:
        """Yield columns such as ``model`` with their values that have no labelled row.

        A value is listed if random labelling would miss it with a probability below ``least``.
        """
        known = self.codes[:, 0] != NO_TRUTH
        for column in (n for n in GROUPS if n in self.beside):
            without = [
                value
                for value, rows in self.groups(column)
                if not (rows & known).any() and (1 - rows.mean()) ** known.sum() < least
            ]
            if without:
                yield column, without

    def groups(self, column: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield each value of a column, and its rows."""
        codes = self.beside[column].codes
        for i, label in enumerate(self.beside[column].labels):
            yield str(label), codes == i
        if (codes < 0).any():
            yield "(missing)", codes < 0


def read(
    data: Any,
    columns: Columns,
    *,
    positive: Label | None,
    classes: Sequence[Label] | None,
    threshold: float | None,
    header: bool | None,
    sheet: str | None,
) -> Read:
    """Return the rows of a table with a judge and the outputs of every model."""
    columns.refuse()
    c = columns
    table = open_table(data, header=header, sheet=sheet, labels=classes)
    groups = [n for n in GROUPS if n in table.columns and n not in c.used]
    beside = list(dict.fromkeys([*(n for n in (c.subgroup, c.order) if n is not None), *groups]))
    numbers = list(dict.fromkeys([*(n for n in (c.weight, c.length) if n is not None), *c.score]))
    named = [c.truth, c.judge, *c.pred, *beside, *numbers, *c.inputs]
    must_have(table.columns, named, table.name)
    labelled = [c.truth, c.judge, *c.pred]
    chunk = read_whole(table, [*labelled, *beside], numbers, subgroups=beside)
    labels, size, codes = _codes(
        {name: chunk.labels[name] for name in labelled}, classes, judged=not c.models
    )
    if positive is not None:
        (positive,) = typed([positive], labels)
    scores = np.column_stack([chunk.numbers[n] for n in c.score] or [np.empty((len(codes), 0))])
    if c.score:
        if size > 2:
            raise InputError(
                f"score is for two classes, and there are {size}; leave it out, or name two classes"
            )
        positive = find_positive(labels[:size], positive)
    whole = (codes[:, 1:] >= 0).all(1) & ~np.isnan(scores).any(1)
    if c.score and not c.pred:
        places = [labels.index(positive), *(i for i in (0, 1) if labels[i] != positive)]
        cuts = [_cut(scores[whole, i], n, threshold) for i, n in enumerate(c.score)]
        decided = [np.where(_above(scores[:, i], t), *places) for i, t in enumerate(cuts)]
        codes = np.column_stack([codes, *decided])
    elif threshold is not None:
        raise InputError("threshold is for scores without predictions; leave it out")
    weights = None if c.weight is None else chunk.numbers[c.weight]
    _refuse_weights(weights, c.weight, codes[:, 0])
    return Read(
        columns,
        table.name,
        labels,
        size,
        codes[whole],
        scores[whole],
        None if weights is None else weights[whole],
        np.flatnonzero(whole) + 1,
        int((~whole).sum()),
        positive,
        {n: chunk.labels[n].kept(whole) for n in beside},
        None if c.length is None else chunk.numbers[c.length][whole],
    )


def _cut(scores: Floats, name: str, threshold: float | None) -> float:
    if threshold is not None:
        return threshold
    if len(scores) and not (scores.min() >= 0 and scores.max() <= 1):
        worst = scores.min() if scores.min() < 0 else scores.max()
        raise InputError(
            f"{name} holds {worst:.6g}, which is no probability; say from which score on a row is "
            "predicted positive with threshold=..., or name the predictions with pred=..."
        )
    return 0.5


def _above(scores: Floats, threshold: float) -> NDArray[np.bool_]:
    """Tell which scores are at or above a threshold, in single precision if scores are."""
    single = scores.astype(np.float32)
    if np.array_equal(single, scores, equal_nan=True):
        return np.asarray(single >= np.float32(threshold))
    return np.asarray(scores >= threshold)


def _codes(
    columns: Mapping[str, Coded], classes: Sequence[Label] | None, *, judged: bool
) -> tuple[tuple[Label, ...], int, Any]:
    """Return the labels, how many of them are classes, and the codes [row, column] of all rows.

    Values of the judge are classes if it alone is ``judged``.
    """
    names = list(columns)
    everything, joined = join_labels(dict(columns))
    codes = np.column_stack(joined)
    judge = names[1]
    occurring = {
        n: {everything[i] for i in np.unique(c) if i >= 0}
        for n, c in zip(names, joined, strict=True)
    }
    if classes is None:
        wanted = set().union(*(occurring[n] for n in names if n != judge))
        if judged or len(wanted) < 2:
            wanted |= occurring[judge]
        order = [label for label in everything if label in wanted]
    else:
        order = list(typed(classes, everything))
        for name in (n for n in names if n != judge):
            for label in sorted(occurring[name] - {*order}, key=str):
                raise InputError(
                    f"{name} holds the label {label!r}, which classes does not list; classes are "
                    f"{listed(order)}"
                )
    if len(order) < 2:
        raise InputError(
            f"there is only the class {listed(order)}; name all classes with classes=[...]"
        )
    beyond = sorted(occurring[judge] - {*order}, key=str)
    labels = (*order, *beyond)
    place = np.array(
        [labels.index(v) if v in labels else NO_TRUTH for v in everything] + [NO_TRUTH]
    )
    return labels, len(order), place[codes]


def _refuse_weights(weights: Floats | None, name: str | None, truth: Any) -> None:
    """Raise InputError unless every labelled row has a weight above 0."""
    if weights is None:
        return
    wrong = (truth != NO_TRUTH) & ~(weights > 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        what = "missing" if math.isnan(weights[at]) else f"{weights[at]:g}"
        raise InputError(
            f"{name} is {what} at row {at + 1}, which has a true class; give the inverse of the "
            "probability with which it was chosen"
        )
