"""What scores mean: the class of each column, their order, and probabilities or logits.

Names propose and the rows decide. Interpretations are checked against the decisions: one threshold
on the score of a class gives the decisions, the highest score of a row belongs to the predicted
class, and the probability of the predicted class is never below chance. Every source is interpreted
from its first chunk, of rows or of group counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, listed
from tallymark.metric import get
from tallymark.reading.chunks import Chunk
from tallymark.reading.classes import columns_by_class
from tallymark.reading.columns import ModelRoles
from tallymark.reading.derived import (
    DUST,
    ROW_SUM_TOLERANCE,
    TOLERANCE,
    Derived,
    difference,
    divided,
    negated,
    rest_of,
)
from tallymark.reading.names import CONFIDENCE, bare, natural_order
from tallymark.reading.question import Question, Say, and_all
from tallymark.tally.arrays import Coded, Codes, Floats, Label, join_labels, unmistakable
from tallymark.tally.scores import ScoreTally

FEWEST = 20
"""With fewer rows, a wrong interpretation may fit by chance; no conclusion is drawn."""

MOST_SEEN = 200_000
"""Approximate number of rows of the first chunk that are used."""

AGREED = 0.95
"""Least share of decisions that one threshold of the score must reproduce."""

RARELY = 0.01
"""In so few rows a probability of the predicted class may be below chance by mistake."""

PREDICTION = "prediction"
"""The word for the predicted class of a row."""

SCALES = ("probability", "percent", "logit", "log_probability", "score", "lower")
"""The scales that a user can state; "lower" means that low scores indicate the class."""

_REST = ("rest", "other", "others", "remaining", "else")


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """The user's statements on the scores.

    ``of`` is the class of a score, "prediction", or the classes of several columns in order;
    ``scale`` is one of :data:`SCALES`. ``listed`` says that the user listed the classes, in the
    order of the columns; ``narrowed`` that there may be columns of other classes; ``detected`` that
    the score columns were detected, ``arrays`` that they have no names, and ``guessed`` that only
    the names of the classes suggest which is positive. ``truth`` is the column of the true class.
    """

    of: str | Sequence[Label] | None = None
    scale: str | None = None
    listed: bool = False
    narrowed: bool = False
    detected: bool = False
    arrays: bool = False
    guessed: bool = False
    truth: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SampledRows:
    """The sampled rows for checks: scores, and decisions as codes of classes."""

    numbers: Mapping[str, Floats] = field(default_factory=dict)
    decided: Mapping[str, Codes] = field(default_factory=dict)

    @classmethod
    def of(
        cls, chunk: Chunk, columns: Mapping[str, Coded], classes: Sequence[Label]
    ) -> SampledRows:
        """Return rows spread evenly over a chunk, with labels unified as in ``columns``."""
        step = max(chunk.rows // MOST_SEEN, 1)
        some = {name: replace(c, codes=c.codes[::step]) for name, c in columns.items()}
        codes = join_labels(some, tuple(classes))[1]
        numbers = {name: values[::step] for name, values in chunk.numbers.items()}
        return cls(numbers, dict(zip(some, codes, strict=True)))

    def matrix(self, columns: Sequence[str]) -> Floats:
        """Return score columns as a matrix; without rows if a column was not read."""
        if not {*columns} <= self.numbers.keys():
            return np.empty((0, len(columns)))
        return np.stack([self.numbers[c] for c in columns], 1)

    def rows(self, columns: Sequence[str], pred: str | None) -> tuple[Floats, Codes]:
        """Return scores (rows, columns) and decisions of complete rows; empty if either lacks."""
        matrix, codes = self.matrix(columns), self.decided.get(pred or "")
        if codes is None or not len(matrix):
            return np.empty((0, len(columns))), np.empty(0, int)
        keep = np.isfinite(matrix).all(1) & (codes >= 0)
        return matrix[keep], codes[keep]

    def single(self, m: ModelRoles) -> tuple[Floats, Codes]:
        """Return the single score and the decision of complete rows."""
        matrix, codes = self.rows(m.scores, m.pred)
        return matrix[:, 0], codes

    def ends(self, columns: Sequence[str]) -> tuple[float, float, int] | None:
        """Return the lowest score, the highest score and the number of rows."""
        matrix = self.matrix(columns)
        if np.isnan(low := np.fmin.reduce(matrix, axis=None, initial=np.nan)):
            return None
        return float(low), float(np.fmax.reduce(matrix, axis=None)), len(matrix)

    def adds_up(self, columns: Sequence[str]) -> bool:
        """Return whether some columns were read and add up to 1 or to 100 in each row."""
        matrix = self.matrix(columns)
        return adds_up(matrix) or adds_up(matrix, 100.0)


# -- checks --------------------------------------------------------------------------------------


def cut_class(scores: Floats, decided: Codes, k: int = 2) -> int | None:
    """Return the class of two whose decisions all have higher scores, or None.

    >>> cut_class(np.repeat([0.2, 0.9], 20), np.repeat([1, 0], 20))
    0
    """
    if k != 2 or len(scores) < FEWEST:
        return None
    sides = [scores[decided == code] for code in range(2)]
    if not all(map(len, sides)):
        return None
    dust = TOLERANCE * max(1.0, float(np.abs(scores).max()))
    for code in range(2):
        above, below = sides[code], sides[1 - code]
        if above.min() >= below.max() - dust and above.max() > below.min() + dust:
            return code
    return None


def best_cut(scores: Floats, decided: Codes) -> float:
    """Return the share of decisions that the best threshold reproduces, in either direction.

    >>> best_cut(np.array([0.1, 0.4, 0.6, 0.9]), np.array([0, 1, 0, 1]))
    0.75
    """
    order = np.argsort(scores, kind="stable")
    ordered, ones = scores[order], np.cumsum(decided[order] == 1)
    n, last = len(scores), np.append(ordered[1:] > ordered[:-1], True)
    below = np.arange(1, n + 1)
    right = (below - ones) + (ones[-1] - ones)  # 0 up to the threshold, 1 above it
    best = np.append(right[last], ones[-1])
    return float(max(best.max(), n - best.min()) / n)


def fits(matrix: Floats, decided: Codes, k: int) -> bool:
    """Return whether scores give the decisions, except for a few rows and the largest class.

    A single column gives two classes by a threshold, k columns by the highest score in any order.
    """
    if matrix.shape[1] == 1 and k > 2:
        return True
    if matrix.shape[1] > 1:
        # Rows with ties for the highest score do not determine the order.
        highest = _highest(matrix)
        alone = highest.sum(1) == 1
        highest, decided = highest[alone], decided[alone]
    counts = np.bincount(decided, minlength=k)
    if not counts.any():
        return False
    largest = float(counts.max()) / len(decided)
    if matrix.shape[1] == 1:
        share = best_cut(matrix[:, 0], decided)
    else:
        both = np.zeros((k, k))
        np.add.at(both, (highest.argmax(1), decided), 1)
        share = float(both.max(1).sum()) / len(decided)
    return share >= AGREED and share - largest >= (1 - largest) / 2


def order_by_decisions(matrix: Floats, decided: Codes, k: int) -> list[int | None] | None:
    """Return for each class the column with the highest score whenever the class was decided.

    None if some decision has another highest score; a class that was never decided has column None.

    >>> order_by_decisions(np.tile([[0.9, 0.1], [0.2, 0.8]], (10, 1)), np.tile([1, 0], 10), 2)
    [1, 0]
    """
    if len(matrix) < FEWEST:
        return None
    highest = _highest(matrix)
    order: list[int | None] = []
    for code in range(k):
        own = highest[decided == code]
        always = np.flatnonzero(own.all(0)).tolist()
        if len(own) and len(always) != 1:
            return None
        order.append(always[0] if len(own) else None)
    places = [j for j in order if j is not None]
    return order if len(set(places)) == len(places) > 0 else None


def _highest(matrix: Floats) -> NDArray[np.bool_]:
    """Return which scores are the highest of their row, up to rounding."""
    dust = TOLERANCE * max(1.0, float(np.abs(matrix).max(initial=0)))
    highest: NDArray[np.bool_] = matrix >= matrix.max(1, keepdims=True) - dust
    return highest


def adds_up(matrix: Floats, total: float = 1.0) -> bool:
    """Return whether every row adds up to 1, as the probabilities of all classes do."""
    off = np.abs(matrix.sum(1) - total)
    off = off[~np.isnan(off)]
    return bool(len(off)) and bool(off.max() <= ROW_SUM_TOLERANCE * total)


def of_predicted(scores: Floats, decided: Codes) -> bool:
    """Return whether scores may be those of the predicted class of two, at any threshold.

    Above a threshold t the scores are at least t; for the other class at least 1 - t.

    >>> p = np.linspace(0.02, 0.98, 49)
    >>> above = p >= 0.3
    >>> of_predicted(np.where(above, p, 1 - p), above * 1), of_predicted(p, above * 1)
    (True, False)
    """
    sides = [scores[decided == code] for code in range(2)]
    if min(map(len, sides)) < FEWEST // 2 or not 0 <= scores.min() <= scores.max() <= 1 + DUST:
        return False
    return bool(sides[0].min() + sides[1].min() >= 1 - 1e-3)


def never_below_chance(low: float, high: float, k: int) -> float | None:
    """Return the scale (1 or 100) on which no score is below chance for k classes, or None.

    >>> never_below_chance(0.51, 0.99, 2), never_below_chance(34.0, 99.0, 3)
    (1.0, 100.0)
    """
    for scale in (1.0, 100.0):
        dust = scale * 1e-3  # tolerance for three digits
        in_scale = high <= scale * (1 + DUST) and high > scale / k
        if low >= scale / k - dust and in_scale and low < high:
            return scale
    return None


# -- of which class ------------------------------------------------------------------------------


def positive_class(
    models: Sequence[ModelRoles], classes: Sequence[Label], sample: SampledRows
) -> tuple[Label, str] | None:
    """Return the class of the single score and the reason, if no label is clearly positive.

    >>> positive_class([ModelRoles("m", None, ("p_cat",), ("cat",))], ("cat", "dog"), SampledRows())
    ('cat', 'the score is named after it')
    """
    if len(classes) != 2 or unmistakable(classes) is not None:
        return None
    if not models or any(len(m.scores) != 1 for m in models):
        return None
    named = {label for m in models for label in columns_by_class(m.classes, classes)}
    if len(named) == 1:
        return named.pop(), "the score is named after it"
    cuts = {cut_class(*sample.single(m)) for m in models}
    if named or len(cuts) > 1 or (code := cuts.pop()) is None:
        return None
    preds = {m.pred for m in models}
    pred = preds.pop() if len(preds) == 1 else None
    return classes[code], f"scores above one threshold are `{pred}` = {classes[code]}"


def meanings_of(models: Sequence[ModelRoles]) -> dict[str, Any]:
    """Return the detected properties that all models share, as words of ``reading=``."""
    scored = [m.meanings for m in models if m.scores]
    alike = scored and all(means == scored[0] for means in scored)
    return dict(scored[0]) if alike else {}


def assign_columns(
    models: Sequence[ModelRoles],
    classes: tuple[Label, ...],
    positive: Label | None,
    stated: Stated | None = None,
    sample: SampledRows | None = None,
) -> tuple[ModelRoles, ...]:
    """Return each model with its score columns assigned to classes and interpreted."""
    meaning = _Meaning(classes, positive, stated or Stated(arrays=True), sample or SampledRows())
    return tuple(assigned for m in models for assigned in meaning.of(m))


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Interprets the scores of one model after the other."""

    classes: tuple[Label, ...]
    positive: Label | None
    stated: Stated
    sample: SampledRows

    def of(self, m: ModelRoles) -> list[ModelRoles]:
        """Return a model with its columns in class order, or several models."""
        classes, positive = self.classes, self.positive
        if not m.scores or (m.of_predicted and self.stated.of is None):
            return [m]
        if len(m.scores) == 1 and (positive is not None or self._single_of_many(m)):
            return [self._single(m)]
        place = columns_by_class(m.classes, classes)
        named = any(c is not None for c in m.classes)
        pair = positive is not None and len(m.scores) == 2 and not _numbered(m.classes)
        if pair and len(place) == 1 and self.sample.adds_up(m.scores):
            # p_yes and p_other add up to 1: the column named after a class is enough.
            ((label, i),) = place.items()
            alone = replace(m, scores=(m.scores[i],), classes=(str(label),), whole=m.scores)
            return [self._single(alone)]
        order = self._order(m, place)
        if order is not None:
            if len(place) < len(classes) == len(m.scores):
                of_each = [classes[order.index(j)] for j in range(len(order))]
                m = replace(m, meanings={"score_of": of_each})
            return [self._scaled(m, tuple(m.scores[i] for i in order))]
        if positive is None or not named:
            raise self._unequal(m)
        if self.stated.detected and place:
            raise _several_scores(m.scores, [m.scores[i] for i in sorted(place.values())])
        if len(place) == len(classes):
            raise self._unequal(m)
        # p_forest and p_bayes are not named after classes, so they are models.
        each = [ModelRoles(c, None, (c,), (n,)) for c, n in zip(m.scores, m.classes, strict=True)]
        out = [self._single(single) for single in each]
        return [*out, ModelRoles(m.pred, m.pred)] if m.pred else out

    # -- one column ----------------------------------------------------------------------------

    def _single_of_many(self, m: ModelRoles) -> bool:
        """Return whether a column must be of the predicted class, with three classes or more."""
        if m.pred is None:
            return False
        if self.stated.of == PREDICTION:
            return True
        ends = self.sample.ends(m.scores)
        if ends is None or self.stated.of is not None:
            return False
        shares = 0 <= ends[0] < ends[1] <= 1 + DUST
        named_so = bare(m.scores[0]).startswith(CONFIDENCE)
        return (named_so and shares) or never_below_chance(*ends[:2], len(self.classes)) is not None

    def _single(self, m: ModelRoles) -> ModelRoles:
        """Return a model with one column: of the positive, the other or the predicted class."""
        if self.positive is None or self.stated.of == PREDICTION:
            if m.pred is None:
                raise InputError(
                    f"{m.scores[0]} is said to be of the predicted class, and no column says which "
                    "class that is; name it with pred=..."
                )
            return self._predicted(m)
        target, why = self._class_of(m)
        if target is None:
            return self._predicted(m)
        stated = self.stated
        certain = (
            (stated.arrays and not stated.guessed)
            or stated.of is not None
            or stated.scale is not None
            or str(self._named_class(m) or "0") != "0"  # prob_0 may be the first of several columns
            or cut_class(*self.sample.single(m)) is not None
        )
        guessed = stated.arrays and stated.guessed
        oriented = replace(self._oriented(m, target, why), certain=certain, guessed=guessed)
        return replace(oriented, doubt=self._doubt(m))

    def _named_class(self, m: ModelRoles) -> Label | None:
        """Return the class in the name of a lone column."""
        return next(iter(columns_by_class(m.classes, self.classes)), None)

    def _class_of(self, m: ModelRoles) -> tuple[Label | None, str]:
        """Return the class of a column (None for the predicted one) and the reason."""
        assert self.positive is not None
        (column,) = m.scores
        if self.stated.of is not None:
            target = next((c for c in self.classes if str(c) == str(self.stated.of)), None)
            if target is None:
                raise InputError(
                    f"score_of is {self.stated.of!r}, which is no class; say one of "
                    f"{listed(self.classes)}, or score_of='{PREDICTION}'"
                )
            return target, ""
        named = self._named_class(m)
        scores, decided = self.sample.single(m)
        code = cut_class(scores, decided)
        if code is not None:
            by_cut = self.classes[code]
            if named is not None and by_cut != named:
                raise Question(
                    f"{column} is named after {str(named)!r}, and its high values are where "
                    f"{m.pred} is {str(by_cut)!r}",
                    [{"score_of": str(by_cut)}, {"score_of": str(named)}],
                )
            if self.stated.scale == "lower":
                return self.positive, ""
            note = f"`{column}` is of {by_cut}: one threshold on it gives `{m.pred}`"
            return by_cut, "" if by_cut == self.positive else note
        if named is not None:
            return named, ""
        ends = self.sample.ends(m.scores)
        if ends is None or self.stated.scale is not None:
            return self.positive, ""
        nobody_told = self.stated.detected or self.stated.arrays
        both = len(np.unique(decided)) == 2
        could = never_below_chance(ends[0], ends[1], 2) is not None
        could = could or (both and of_predicted(scores, decided))
        confident = bare(column).startswith(CONFIDENCE)
        if could and both and (len(scores) >= FEWEST or (confident and ends[0] >= 0.5)):
            return None, ""
        share = ends[0] >= 0.5 and ends[1] <= 1 + DUST and ends[2] >= FEWEST
        if nobody_told and could and not both and share:
            raise Question(
                f"{column} never falls below {ends[0]:.3g}: it is the probability of whatever "
                "class was predicted, which no column names, or that of a class always held likely",
                [{"score_of": str(c)} for c in reversed(self.classes)],
                "if a column names the predicted class, say so with pred=...; a file without true "
                "classes needs those in a file of their own, truth=tm.file(...)",
            )
        return self.positive, ""

    def _doubt(self, m: ModelRoles) -> str:
        """Return evidence that the score does not fit the decisions; empty if they agree.

        If hardly any threshold gives the decisions, they were made with another score, or the score
        is of the predicted class except for a few rows.
        """
        scores, decided = self.sample.single(m)
        if self.stated.of is not None or len(scores) < FEWEST or len(np.unique(decided)) < 2:
            return ""
        if fits(scores[:, None], decided, 2):
            return ""
        share = best_cut(scores, decided)
        (column,) = m.scores
        below = float((scores < 0.5 - 1e-3).mean())
        if below <= RARELY and scores.min() >= 0 and 0.5 < scores.max() <= 1 + DUST:
            raise Question(
                f"{column} is below 0.5 in {below:.1%} of the rows only, and no threshold on it "
                f"gives {m.pred}, so it may be the probability of the predicted class",
                [{"score_of": PREDICTION}, {"score_of": str(self.positive)}],
            )
        return (
            f"no threshold on {column} gives {m.pred}: the best one agrees with {share:.0%} of the "
            "rows. They may be of different models; judge one of them, or say score_of=..."
        )

    def _predicted(self, m: ModelRoles) -> ModelRoles:
        """Return a model whose score is the probability of the predicted class."""
        (column,) = m.scores
        k, ends = len(self.classes), self.sample.ends(m.scores)
        percent = ends is not None and never_below_chance(*ends[:2], k) == 100
        percent = percent if self.stated.scale is None else self.stated.scale == "percent"
        means = {"score_of": PREDICTION, **({"percent": True} if percent else {})}
        m = replace(m, meanings=means)
        note = f"`{column}` is the probability of the predicted class"
        if self.stated.of is None and k == 2 and ends is not None and ends[0] < 0.5 - 1e-3:
            note += (
                f": no threshold on it gives `{m.pred}`, and its lowest values of both add up to 1"
            )
        elif self.stated.of is None and ends is not None and never_below_chance(*ends[:2], k):
            m = replace(m, above_chance=not percent)
            note += f": never below {max(ends[0], 100 / k if percent else 1 / k):.2g}"
            note += f", and no threshold on it gives `{m.pred}`" if k == 2 else ""
        if percent:
            share = divided(column, f"{note}; percent")
            return replace(m, scores=(share.name,), derived=(share,), of_predicted=True)
        return replace(m, of_predicted=True, notes=(note,))

    def _oriented(self, m: ModelRoles, target: Label, why: str) -> ModelRoles:
        """Return a model with its single column converted to a score of the positive class."""
        (column,) = m.scores
        lower, other = self.stated.scale == "lower", target != self.positive
        if why or other:
            m = replace(m, meanings={"score_of": target})
        if not other and not lower:
            return replace(m, notes=(why,) if why else ())
        if not other:
            derived = negated(column, f"low `{column}` speaks for {self.positive}")
        else:
            ends = self.sample.ends(m.scores)
            share = ends is None or (ends[0] >= -DUST and ends[1] <= 1 + DUST)
            derived = (rest_of if share and not lower else negated)(column, "")
            spelled = derived.name.replace(column, f"`{column}`", 1)
            note = f"score of {self.positive} = {spelled}"
            derived = replace(derived, note=f"{why}; {note}" if why else note)
        return replace(m, scores=(derived.name,), derived=(derived,))

    # -- a column a class ----------------------------------------------------------------------

    def _order(self, m: ModelRoles, place: Mapping[Label, int]) -> list[int] | None:
        """Return the column index of each class; None if the columns are not those of classes."""
        classes, stated, k = self.classes, self.stated, len(self.classes)
        if isinstance(stated.of, list | tuple):
            return self._order_stated(m, stated.of)
        if len(m.scores) == k and (_numbered(m.classes) or set(m.classes) == {None}):
            self._refuse_sorted(m)
        if len(place) == k and (stated.narrowed or len(m.scores) == k):
            return self._order_checked([place[c] for c in classes], m)
        if len(m.scores) != k:
            return None
        unnamed, numbered = all(c is None for c in m.classes), _numbered(m.classes)
        whole = self.positive is None or self.sample.adds_up(m.scores)
        if stated.listed and not numbered:
            agree = all(classes[i] == label for label, i in place.items())
            return [*range(k)] if (unnamed or whole) and agree else None
        if numbered or unnamed:
            return self._order_numbered(m, numbered)
        rest = [i for i in range(k) if i not in place.values()]
        others = [bare(str(m.classes[i])) for i in rest]
        if len(others) == 1 and others[0] in _REST and self.sample.adds_up(m.scores):
            return [place.get(c, rest[0]) for c in classes]
        if not whole:
            return None
        by_decisions = self._by_decisions(m)
        if by_decisions is not None and not place:
            return by_decisions
        raise self._unnamed([m.scores[i] for i in rest])

    def _unnamed(
        self, columns: Sequence[str], and_so: str = "", *candidates: list[str]
    ) -> Question:
        """Return the question for the classes of columns, with the possible assignments."""
        return Question(
            f"the columns {listed(columns)} are not named after any of the classes "
            f"{listed(self.classes)}{and_so}",
            [{"score_of": classes} for classes in candidates],
            _LIST,
        )

    def _order_stated(self, m: ModelRoles, stated: Sequence[Label]) -> list[int]:
        names = [str(c) for c in stated]
        if sorted(names) != sorted(map(str, self.classes)) or len(names) != len(m.scores):
            raise InputError(
                f"score_of names {listed(names)} for the columns {listed(m.scores)}; name each of "
                f"the classes {listed(self.classes)} once, in the order of the columns"
            )
        return [names.index(str(c)) for c in self.classes]

    def _order_numbered(self, m: ModelRoles, numbered: list[int] | None) -> list[int]:
        """Return the order of numbered or unnamed columns, as the decisions show it."""
        classes, k = self.classes, len(self.classes)
        by_number = [*range(k)] if numbered is None else np.argsort(numbered).tolist()
        by_decisions = self._by_decisions(m)
        if by_decisions is not None:
            return by_decisions
        matrix, decided = self.sample.rows(m.scores, m.pred)
        if len(matrix) >= FEWEST and not self.stated.listed:
            agree = _highest(matrix)[np.arange(len(matrix)), np.asarray(by_number)[decided]]
            if k > 2 and agree.mean() < 0.9:
                raise Question(
                    f"the columns {listed(m.scores)} fit the classes {listed(classes)} in no "
                    f"order: their highest score is not the class that {m.pred} names",
                    [],
                    _OF_EACH,
                )
        if numbered is None and self.stated.arrays:
            self._refuse_strange(m, by_number)
            return by_number
        numbers = not isinstance(classes[0], str) or all(
            str(c).lstrip("-").isdecimal() for c in classes
        )
        safe = k == 2 and unmistakable(classes) == classes[1]
        if not (numbers or safe or self.stated.listed):
            names = [str(c) for c in classes]
            natural = [str(c) for c in natural_order(classes) or names]
            orders = [names, names[::-1]] if k == 2 else [natural, names]
            orders = orders[: 1 + (orders[0] != orders[1])]
            raise self._unnamed(m.scores, ", and nothing tells their order", *orders)
        return by_number

    def _refuse_sorted(self, m: ModelRoles) -> None:
        """Refuse scores that are sorted within every row, as top-k outputs are."""
        matrix = self.sample.matrix(m.scores)
        if len(self.classes) < 3 or len(matrix) < FEWEST or self.stated.listed:
            return
        falls = np.diff(matrix, axis=1)
        if bool((falls <= TOLERANCE).all()) and float(falls.min()) < -TOLERANCE:
            raise Question(
                f"the scores {listed(m.scores)} fall from the first to the last in every row, so "
                "they are those of each row's likeliest classes, not of the classes in one order",
                [],
                "give one column of scores for each class, named p_CLASS",
            )

    def _refuse_strange(self, m: ModelRoles, order: Sequence[int]) -> None:
        """Ask for the column order if another order fits the decisions and this one never does."""
        from scipy.optimize import linear_sum_assignment

        matrix, true = self.sample.rows(m.scores, self.stated.truth)
        k, n = len(self.classes), len(true)
        if k < 3 or n < FEWEST or self.stated.listed:
            return
        highest = np.zeros((k, k))
        np.add.at(highest, (true, matrix.argmax(1)), 1)
        largest = highest.sum(1).max()
        as_they_are = float(highest[range(k), order].sum())
        best = linear_sum_assignment(-highest)[1].tolist()
        reordered = float(highest[range(k), best].sum())
        permuted = reordered >= max(n / 2, as_they_are + 0.3 * n)
        if reordered < largest + n / 4 or not (as_they_are <= largest or permuted):
            return
        rare = ", less than always saying the largest class"
        names = [
            [str(self.classes[candidate.index(j)]) for j in range(k)]
            for candidate in (best, [*order])
        ]
        raise Question(
            f"the columns of scores were taken for the classes in the order {listed(names[1])}, "
            f"and their highest score is the true class in {as_they_are / n:.0%} of the rows"
            f"{rare if as_they_are <= largest else f', in another order in {reordered / n:.0%}'}",
            [{"score_of": candidate} for candidate in names],
            _LIST,
        )

    def _by_decisions(self, m: ModelRoles) -> list[int] | None:
        """Return the order of columns that the decisions show, or None."""
        (matrix, decided), k = self.sample.rows(m.scores, m.pred), len(self.classes)
        order = order_by_decisions(matrix, decided, k)
        if order is None and k == 2:
            codes = [cut_class(column, decided) for column in matrix.T]
            if set(codes) == {0, 1}:
                return [codes.index(0), codes.index(1)]
        if order is None or order.count(None) > 1:
            return None
        missing = ({*range(k)} - {*order}).pop() if None in order else 0
        return [missing if j is None else j for j in order]

    def _order_checked(self, order: list[int], m: ModelRoles) -> list[int]:
        """Return an order by names, unless the decisions show another one."""
        by_decisions = order_by_decisions(*self.sample.rows(m.scores, m.pred), len(self.classes))
        if by_decisions is None or all(
            j in (None, i) for i, j in zip(order, by_decisions, strict=True)
        ):
            return order
        columns = [m.scores[i] for i in order]
        raise Question(
            f"the names of {listed(columns)} are those of the classes {listed(self.classes)}, and "
            f"their highest score is always another class than {m.pred} names",
            [],
            _OF_EACH,
        )

    def _unequal(self, m: ModelRoles) -> InputError:
        single, classes = len(m.scores) == 1, self.classes
        return InputError(
            f"there are {len(classes)} classes ({listed(classes, 8)}) and {len(m.scores)} "
            f"score column{'' if single else 's'} ({listed(m.scores, 8)}); "
            f"{'correct a label that is a mistake, or ' * single}give one score column per class, "
            "named p_CLASS"
        )

    # -- probabilities, logits -----------------------------------------------------------------

    def _scaled(self, m: ModelRoles, columns: tuple[str, ...]) -> ModelRoles:
        """Return a model whose columns are in class order, converted from their scale."""
        stated, positive = self.stated, self.positive
        m = replace(m, certain=stated.of is not None or stated.scale is not None)
        at = None if positive is None else self.classes.index(positive)
        plain = columns if at is None else (columns[at],)
        scale = stated.scale or self._scale(columns, m)
        if scale != "probability":
            means = {"percent": True} if scale == "percent" else {"score_is": scale}
            m = replace(m, meanings={**m.meanings, **means})
        if scale == "percent":
            scaled = [divided(c, f"`{c}` in percent") for c in plain]
        elif scale == "log_probability":
            scaled = [
                Derived(f"exp({c})", (c,), "exp", note=f"`{c}` is the logarithm of a probability")
                for c in plain
            ]
        elif scale == "logit" and at is not None:
            first, second = columns[at], columns[1 - at]
            note = f"score of {positive} = `{first}` - `{second}`, the difference of logits"
            scaled = [difference(first, second, note)]
        elif scale == "logit":
            note = f"softmax of {', '.join(f'`{c}`' for c in columns)}"
            scaled = [
                Derived(f"softmax of {c}", columns, "softmax", at=i, note=note)
                for i, c in enumerate(columns)
            ]
        else:
            return replace(m, scores=plain)
        return replace(m, scores=tuple(d.name for d in scaled), derived=tuple(scaled))

    def _scale(self, columns: tuple[str, ...], m: ModelRoles) -> str:
        """Return the scale of the scores of all classes, from their sums per row."""
        ends = self.sample.ends(columns)
        if ends is None:
            return "probability"
        low, high, _ = ends
        matrix = self.sample.matrix(columns)
        if low >= -DUST and high <= 1 + DUST:
            if self.positive is None or adds_up(matrix):
                return "probability"
            return self._two_sigmoids(columns, m)
        if low >= 0 and high <= 100 * (1 + TOLERANCE) and adds_up(matrix, 100.0):
            return "percent"
        with np.errstate(over="ignore"):
            if high <= TOLERANCE and adds_up(np.exp(matrix)):
                return "log_probability"
        # Non-negative scores of many classes are votes or distances, not logits.
        return "score" if low >= 0 and self.positive is None else "logit"

    def _two_sigmoids(self, columns: tuple[str, ...], m: ModelRoles) -> str:
        """Return how two scores from 0 to 1 that do not add up to 1 are read, or ask."""
        if order_by_decisions(*self.sample.rows(columns, m.pred), 2) is not None:
            return "logit"
        raise Question(
            f"{listed(columns)} do not add up to 1 in each row, so neither is what the other "
            f"leaves",
            [{"score_is": "logit"}, *({"score": c} for c in reversed(columns))],
            "score_is='logit' takes their difference as the score",
        )


_OF_EACH = "say which column is of which class with score_of=[...], or leave pred= out"
_LIST = (
    "list the classes in the order of the columns with classes=[...], or name each column p_CLASS"
)


def _numbered(names: Sequence[str | None]) -> list[int] | None:
    """Return the numbers in column names, if they count from 0 or 1; else None."""
    if not all(n is not None and n.isdecimal() for n in names):
        return None
    numbers = [int(n or 0) for n in names]
    ordered = sorted(numbers)
    whole = ordered[0] in (0, 1) and all(b == a + 1 for a, b in pairwise(ordered))
    return numbers if whole else None


def refuse_invented(
    models: Sequence[ModelRoles],
    occurring: Sequence[Label],
    classes: Sequence[Label],
    sample: SampledRows,
) -> None:
    """Ask about columns that would add a class and do not add up to 1: they may be models."""
    for m in models if len(classes) > len(occurring) else ():
        enough = len(sample.matrix(m.scores)) >= FEWEST
        if _numbered(m.classes) and enough and not sample.adds_up(m.scores):
            raise _several_scores(m.scores, m.scores)


def refuse_shifted(truth: str, preds: Sequence[str], columns: Mapping[str, Coded]) -> None:
    """Refuse predicted classes that are numbered with an offset to the true classes."""
    true = columns[truth]
    for name in preds:
        predicted = columns[name]
        numbers = [
            np.array([v if type(v) is int and v < 2**53 else -1 for v in c.labels], dtype=np.int64)
            for c in (true, predicted)
        ]
        if any(len(v) < 2 or (v < 0).any() for v in numbers):
            continue
        by = int(numbers[0].min() - numbers[1].min())
        if abs(by) != 1 or not np.array_equal(np.sort(numbers[0]), np.sort(numbers[1]) + by):
            continue
        keep = (true.codes >= 0) & (predicted.codes >= 0)
        a, b = (v[c.codes[keep]] for v, c in zip(numbers, (true, predicted), strict=True))
        moved, stays = float((a == b + by).mean()), float((a == b).mean())
        if len(a) >= FEWEST and moved > 2 * stays:
            raise InputError(
                f"{truth} is numbered from {numbers[0].min()} and {name} from {numbers[1].min()}, "
                f"and they agree in {stays:.0%} of the rows as they are, in {moved:.0%} if "
                f"{name} {'+' if by > 0 else '-'} 1 is meant; number both alike"
            )


def _several_scores(columns: Sequence[str], named: Sequence[str]) -> Question:
    say: list[dict[str, Any]] = [{"score": c} for c in columns]
    together = [*named] if len(named) > 1 else [*columns]
    return Question(
        f"several columns could be the score: {listed(columns)}", and_all(say, {"score": together})
    )


_FIRST = re.compile(r"(^|[^0-9.])0\W*$")


def refuse_backwards(
    tally: ScoreTally, m: ModelRoles, columns: Sequence[str] = (), *, alone: bool = True
) -> None:
    """Ask for the direction of a score that ranks positives low, if its class is not known.

    For two ``columns``, ask for their order. The direction is never chosen from the data,
    since that would select on the outcome.
    """
    (column,) = m.scores
    counts = tally._score_counts
    positives, negatives = float(counts.pos.sum()), float(counts.neg.sum())
    if tally.rows < FEWEST or not positives or not negatives:
        return
    area = get("roc_auc").compute(counts)
    rest = 1 - area
    spread = area * rest + (positives - 1) * (rest / (1 + area) - rest**2)
    spread += (negatives - 1) * (2 * rest**2 / (1 + rest) - rest**2)
    error = (max(spread, 0.0) / (positives * negatives)) ** 0.5
    low, high = float(tally.scores[0]), tally._highest
    # With both signs, or from 0 to 1, high scores indicate the class by convention, and only an
    # area clearly below 0.5 contradicts it; otherwise any such area does.
    other = next(c for c in tally.labels if c != tally.positive)
    directed = low < 0 < high or (low >= 0 and high <= 1)
    least = 0.5 - 2.5 * error if directed else 0.5
    if str(other) == "0" and _FIRST.search(m.derived[0].columns[0] if m.derived else column):
        least = 0.5 + 2.5 * error  # output_0 may be the class 0 or the first output
    if area >= least:
        return
    turned: dict[str, Any] = {"score_is": "lower"}
    stays: dict[str, Any] = {"score_is": "score"}
    if low >= 0 and high <= 1:
        turned = {"score_of": str(other)}
    if m.meanings.get("score_of") == other:  # already reversed, since its name has the other class
        turned, stays = {"score_of": str(tally.positive)}, {"score_of": str(other)}
    if len(columns) == 2:
        order = [str(other), str(tally.positive)]
        order = order[::-1] if column == columns[0] else order
        turned, stays = {"score_of": order[::-1]}, {"score_of": order}
    readings: list[Say] = [turned, stays]
    if m.guessed:  # an array is often that of the last class, as predict_proba(X)[:, 1] is
        readings = [{"positive": other}, *[turned] * alone, {"positive": tally.positive}]
    elif not alone:  # the words of reading= apply to all models
        readings[0] = {"score": column, **turned}
    raise Question(
        f"nothing says whether high or low values of {column} speak for {str(tally.positive)!r} "
        f"(as they stand, the ROC area is {area:.3f})",
        readings,
    )


# -- of every chunk ------------------------------------------------------------------------------


def refuse_parts(m: ModelRoles, numbers: Mapping[str, Floats], first_row: int) -> None:
    """Refuse rows whose scores do not add up to 1, if earlier rows did."""
    if m.whole and not adds_up(np.stack([numbers[c] for c in m.whole], 1)):
        raise InputError(
            f"the columns {listed(m.whole)} add up to 1 in the first {first_row:,} rows but not in "
            f"later ones; say which is the score with score={m.whole[0]!r}, or "
            f"score={list(m.whole)!r} and classes=[...] if they are one model's"
        )


def refuse_below_chance(m: ModelRoles, chunk: Chunk, k: int) -> None:
    """Refuse a row below chance for k classes, if a score was read as never below chance."""
    if not m.above_chance or not chunk.rows:
        return
    (column,) = m.scores
    scores = chunk.numbers[column]
    if np.fmin.reduce(scores) < 1 / k - 1e-3:
        row = chunk.first_row + int(np.argmax(scores < 1 / k - 1e-3)) + 1
        raise InputError(
            f"{column} was read as the probability of the predicted class, and is "
            f"{float(np.fmin.reduce(scores)):.3g} at row {row:,}, below an even chance of {k} "
            "classes; say whose probability it is with score_of=..."
        )


def refuse_unscaled(columns: Sequence[str], numbers: Mapping[str, Floats]) -> None:
    """Refuse a batch whose columns are not probabilities: their scale requires all rows."""
    if len(columns) < 2 or not len(numbers[columns[0]]):
        return
    matrix = np.stack([numbers[c] for c in columns], 1)
    low, high = float(matrix.min()), float(matrix.max())
    if low < -DUST or high > 1 + DUST:
        raise InputError(
            f"{columns[0]} and the columns beside it hold {low if low < 0 else high:.6g}, outside "
            "0 to 1; give probabilities, such as the softmax of logits"
        )
    if len(columns) == 2 and not adds_up(matrix):
        raise InputError(
            f"{listed(columns)} do not add up to 1 in each row; give the score of the positive "
            "class alone"
        )


def positive_score(predicted: Coded, probability: Floats, positive: Label) -> Floats:
    """Return the probability of the positive class from that of the predicted class of two."""
    at = predicted.labels.index(positive) if positive in predicted.labels else -2
    out: NDArray[np.float64] = np.where(predicted.codes == at, probability, 1 - probability)
    return out
