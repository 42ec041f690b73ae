"""Tallies of answers: how many are right and wrong at each level of confidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tallymark import Evaluation, InputError, ScoreTally
from tallymark.core import (
    ANY,
    TEXT,
    Coded,
    CountedRows,
    Floats,
    Model,
    Tally,
    adds,
    as_scores,
    axis,
    checked,
    code_labels,
    join_labels,
    listed,
    meaning,
    must_have,
    one_of,
    only,
    open_table,
    read_whole,
    released,
    tabulate,
    trusted,
    whole_rows,
)
from tallymark.parts.risk.folding import folded

_MISSING = one_of("error", "drop")


@checked(confidence=ANY, missing=_MISSING, y_pred=ANY)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnswerTally(Tally):
    """Counts ``[level of confidence, right or wrong]`` of the answers of a classifier.

    ``confidence`` (G,) are ascending and distinct, and ``counts`` (G, 2) are the right and the
    wrong answers at each level. Tallies are added without loss, so that days and files can be
    counted one by one.

    >>> a = AnswerTally.from_arrays(["a", "b", "c"], ["a", "b", "b"], [0.9, 0.9, 0.4])
    >>> a.confidence, a.counts
    (array([0.4, 0.9]), array([[0., 1.],
           [2., 0.]]))
    >>> (a + a).rows
    6
    """

    _kind: ClassVar[str] = "answer-tally"
    confidence: Floats = field(metadata=axis())
    counts: Floats = field(metadata=adds("confidence", "answers"))
    rows: int = field(default=-1, metadata=adds())

    def __post_init__(self) -> None:
        levels = np.array(self.confidence, dtype=np.float64) + 0.0
        if levels.ndim != 1 or not (np.isfinite(levels).all() and (np.diff(levels) > 0).all()):
            raise InputError("confidence of a tally must be finite, distinct and ascending")
        levels.flags.writeable = False
        object.__setattr__(self, "confidence", levels)
        Tally.__post_init__(self)
        if self.counts.shape[1:] != (2,):
            raise InputError(
                f"counts has {self.counts.shape[1]} columns; give the right and the wrong answers"
            )
        if (self.counts != np.trunc(self.counts)).any():
            raise InputError("counts holds a fraction; give whole numbers")

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield "counts", int(self.counts.sum()) == self.rows
        yield "counts", bool((self.counts.sum(1) > 0).all())

    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._of_levels(
            np.concatenate([self.confidence, other.confidence]),
            np.concatenate([self.counts, other.counts]),
        )

    @classmethod
    @trusted
    def _of_levels(cls, confidence: Floats, counts: Floats) -> Self:
        """Return the tally of lines of counts in any order, several of which may share a level."""
        levels, place = np.unique(confidence[counts.sum(1) > 0] + 0.0, return_inverse=True)
        total = np.zeros((len(levels), 2))
        np.add.at(total, place, counts[counts.sum(1) > 0])
        return cls(levels, total)

    @classmethod
    @trusted
    def _of_rows(cls, right: Any, confidence: Floats) -> Self:
        """Return the tally of rows: whether each answer is right, and its confidence."""
        levels, place = np.unique(confidence + 0.0, return_inverse=True)
        return cls(levels, tabulate((len(levels), 2), (place, (~right).astype(np.intp))))

    def _as_scores(self) -> ScoreTally:
        """Return the confidences as scores, of which the positive class is the right answers."""
        return ScoreTally.from_counts(self.confidence, *self.counts.T)

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        y_pred: Any,
        confidence: Any,
        *,
        missing: Literal["error", "drop"] = "error",
    ) -> Self:
        """Count the rows of true classes, predicted classes and the confidence of each prediction.

        A confidence is any number that is higher where the prediction is more likely right. Rows
        with a missing value are refused, or left out with ``missing="drop"``.
        """
        coded: dict[str, Coded | Floats] = {
            "y_true": code_labels(y_true, "y_true"),
            "y_pred": code_labels(y_pred, "y_pred"),
            "confidence": as_scores(confidence, "confidence"),
        }
        rows, _ = whole_rows(coded, None, missing)
        _, (true, predicted) = join_labels({n: rows[n] for n in ("y_true", "y_pred")})
        return cls._of_rows(true == predicted, rows["confidence"])

    @classmethod
    @checked(confidence=TEXT, pred=TEXT, missing=_MISSING)
    def from_table(
        cls,
        data: Any,
        *,
        confidence: str,
        truth: str | None = None,
        pred: str | None = None,
        missing: Literal["error", "drop"] = "error",
        header: bool | None = None,
        sheet: str | None = None,
    ) -> Self:
        """Count the rows of a frame or of a file.

        ``confidence``, ``truth`` and ``pred`` name columns; the last two are found by their names
        if these are usual. ``header`` and ``sheet`` are as in :func:`tallymark.evaluate`.

        >>> frame = {"label": ["a", "b"], "prediction": ["a", "a"], "p": [0.9, 0.6]}
        >>> AnswerTally.from_table(frame, confidence="p").counts.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        table = open_table(data, header=header, sheet=sheet)
        with released(table):
            must_have(table.columns, [confidence], table.name)
            others = [c for c in table.columns if c != confidence]
            true, predicted = (
                column_of(others, table.name, role, column)
                for role, column in (("truth", truth), ("pred", pred))
            )
            rows = read_whole(table, [true, predicted], [confidence])
        return cls.from_arrays(
            rows.labels[true], rows.labels[predicted], rows.numbers[confidence], missing=missing
        )

    @classmethod
    def from_evaluation(cls, ev: Evaluation) -> Self:
        """Return the answers of the one model of an evaluation: the most probable classes.

        With two classes the confidence is max(p, 1 - p), and p = 0.5 is the positive class. With
        more it is the highest score of the row.

        >>> import tallymark as tm
        >>> ev = tm.evaluate([1, 0, 1], y_score=[0.9, 0.1, 0.4])
        >>> AnswerTally.from_evaluation(ev).counts.tolist()
        [[0.0, 1.0], [2.0, 0.0]]
        """
        model, counted = only(ev.models), ev._one_column
        if counted.weighted or ev.stratified:
            what = "rows have weights" if counted.weighted else "the class shares were changed"
            raise InputError(
                f"{what}, and a guarantee counts rows as they are; evaluate them without that, or "
                "take ev['aurc'] for the area alone"
            )
        if len(counted.classes) == 2:
            return cls._of_two(model)
        return cls._of_several(counted, model)

    @classmethod
    def _of_two(cls, model: Model) -> Self:
        """Return the answers of probabilities of two classes."""
        if not model.scores or not model.probabilities:
            have = "has scores that are not" if model.scores else "has no"
            raise InputError(
                f"{model.name} {have} probabilities, so that its confidence is not known; give "
                "probabilities, or name a column with confidence=..."
            )
        tally = model.scores[0]
        if tally.bins is not None:
            raise InputError(
                f"the scores of {model.name} were counted in bins, which mixes answers of both "
                "classes; read them with more memory, or name a column with confidence=..."
            )
        confidence, right, wrong = folded(tally.scores, *_both(tally))
        return cls._of_levels(confidence, np.stack([right, wrong], 1))

    @classmethod
    def _of_several(cls, counted: CountedRows, model: Model) -> Self:
        """Return the answers of a score for each of several classes."""
        if not model.scores or counted.joint is None:
            why = "were not kept side by side" if model.scores else "are missing"
            raise InputError(
                f"the confidence of {model.name} needs the scores of all classes of each row, and "
                f"these {why}; name a column with confidence=..."
            )
        return cls._of_rows(*counted.joint.answers(model.name))


def _both(tally: Any) -> tuple[Floats, Floats]:
    """Return the rows of the positive class and of the other one at each score."""
    counts = tally._score_counts
    return counts.pos, counts.neg


def column_of(columns: list[str], where: str, role: str, name: str | None) -> str:
    """Return the column of a role: as named, else the only one whose name says so."""
    if name is not None:
        must_have(columns, [name], where)
        return name
    usual = [c for c in columns if (says := meaning(c)) and says.role == role]
    if len(usual) != 1:
        what = "the true class" if role == "truth" else "the predicted class"
        found = f"could be any of {listed(usual)}" if usual else "has no usual column name"
        raise InputError(f"{what} of {where} {found}; name its column with {role}=...")
    return usual[0]
