"""Propose columns for the true class, predictions and scores; the rows check them later.

Names propose and rank. Row contents propose too: one column per class, or a column that a threshold
turns into the decisions. Nothing is rejected here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tallymark.reading.classes import fold
from tallymark.reading.evidence import MIN_Z, STRONG_Z, agreement_z, rank_z
from tallymark.reading.look import Contents, Look
from tallymark.reading.meaning import (
    FEWEST,
    adds_up,
    cut_class,
    fits,
    never_below_chance,
    of_predicted,
    order_by_decisions,
)
from tallymark.reading.names import (
    CONFIDENCE,
    Meaning,
    Named,
    bare,
    is_algorithm,
    is_decision,
    is_model,
    meaning,
)

BY_NAME = "its name"
BY_NAMES = "their names"
TWO_VALUES = "the only column of two values"
_NEVER_BELOW = "the score is never below chance beside it"
_SAS = re.compile(r"([FIP])_(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Output:
    """The outputs of a model: prediction and score columns, with the reasons.

    ``rank`` is lower the more names support it.
    """

    preds: tuple[Named, ...]
    scores: tuple[Named, ...]
    why: Mapping[str, str]
    rank: int = 0


class Proposals:
    """The columns without a named role, and the roles that names and rows suggest.

    ``assigned`` maps the columns that the user named to their roles. Without a ``look`` only names
    are used.
    """

    def __init__(
        self, columns: Sequence[str], assigned: Mapping[str, str], look: Look | None
    ) -> None:
        self.columns = [c for c in columns if c and c not in assigned]
        self.assigned, self.look = assigned, look
        self._contents = {} if look is None else look.contents
        self._unseen = Contents("", "", np.full(0 if look is None else look.rows, None), None)
        self._says = {c: self._meaning(c) for c in self.columns}
        self._sas = _of_sas(columns)

    def contents(self, column: str) -> Contents:
        """Return the sampled contents of a column: no values if it is not in the sample."""
        return self._contents.get(column, self._unseen)

    def classes(self, column: str) -> frozenset[str]:
        """Return the distinct values of a column as classes."""
        return self.contents(column).classes

    def _meaning(self, column: str) -> Meaning | None:
        """Return the meaning of a name; a column of fractions is a score, not a prediction."""
        says, facts = meaning(column), self.contents(column).facts
        if says is None or says.role != "pred" or facts.whole or not facts.numeric:
            return says
        if says.of is None:
            return Meaning("score")
        inner = meaning(says.of)
        return Meaning("score", inner.of if inner and inner.role == "score" else says.of)

    # -- by name -------------------------------------------------------------------------------

    def named_like(self, role: str, *, of: bool = False, weak: bool = False) -> list[str]:
        """Return the columns named like a role, with no or with some ``of`` part."""
        return [
            c
            for c, says in self._says.items()
            if says and says.role == role and (says.of is not None) == of and says.weak == weak
        ]

    @cached_property
    def named_truths(self) -> list[str]:
        """The columns named like the true class."""
        truths = [c for c in self._sas.get("F", ()) if c in self._says]
        return truths or self.named_like("truth") or self.named_like("truth", weak=True)

    @cached_property
    def named_preds(self) -> list[tuple[Named, ...]]:
        """The columns named like predictions: one, or one per model; alternatives."""
        into = [c for c in self._sas.get("I", ()) if c in self._says]
        beside = tuple(self._named(c) for c in self.named_like("pred", of=True))
        return [*map(_alone, into or self.named_like("pred")), *([beside] if beside else [])]

    def named_scores(self, truth: str) -> list[tuple[Named, ...]]:
        """Return the columns named like scores: one, or one per class or model."""
        if "P" in self._sas:
            levels = [c for c in self._sas["P"] if c in self._says]
            size = len(self._sas["of"][0]) + 2
            return [tuple((c, c[size:]) for c in levels)]
        alone, beside = self.named_like("score"), self.named_like("score", of=True)
        if len(alone) + len(beside) > 1:
            alone = [c for c in alone if not self._is_text(c)]
        weak = [] if alone or beside else self.named_like("score", of=True, weak=True)
        own = [c for c in weak if truth and fold(c).startswith(fold(truth))]
        weak = own or weak
        group = tuple(self._after(truth, [*beside, *weak]))
        return [*map(_alone, alone), *([group] if group else [])]

    def _after(self, truth: str, columns: Sequence[str]) -> list[Named]:
        """Return columns with what they are named after, without the name of the truth."""
        pairs = [self._named(c) for c in columns]
        after = [(target or "").casefold().startswith(truth.casefold()) for _, target in pairs]
        if truth and all(after) and all(target != truth for _, target in pairs):
            pairs = [(c, (target or "")[len(truth) :].lstrip("_.- ")) for c, target in pairs]
        return pairs

    def _named(self, column: str) -> Named:
        says = self._says[column]
        return column, says.of if says else None

    def _is_text(self, column: str) -> bool:
        contents = self.contents(column)
        return bool(contents.facts.present) and contents.numbers is None

    # -- by content ----------------------------------------------------------------------------

    def like_classes(self, but: Collection[str] = ()) -> list[str]:
        """Return the unnamed columns that hold classes: few values, not all distinct."""
        free = [c for c, says in self._says.items() if c not in but and (not says or says.weak)]
        return [c for c in free if len(self.classes(c)) > 1 and not self.contents(c).names_rows]

    def _near(self, truth: str, but: Collection[str]) -> list[str]:
        """Return the unnamed columns whose classes are a subset of those of a true class."""
        return [c for c in self.like_classes(but) if self.classes(c) <= self.classes(truth)]

    def numbers(self, but: Collection[str] = ()) -> list[str]:
        """Return the unnamed numeric columns with more than two values that are not ids."""
        free = {
            c: self.contents(c) for c, says in self._says.items() if c not in but and says is None
        }
        return [
            c
            for c, contents in free.items()
            if contents.numbers is not None
            and not contents.names_rows
            and contents.facts.distinct > 2
        ]

    def as_stated(self, truth: str, scores: tuple[Named, ...]) -> tuple[Named, ...]:
        """Return the scores that the user named, each with the class in its name."""
        names = [c for c, _ in scores]
        if len(names) == 1:
            return self._after_class(truth, scores)
        matches = [g for g in self.templates(truth, names) if len(g) == len(names)]
        class_of = dict(matches[0]) if matches else {}
        return tuple((c, class_of.get(c, name)) for c, name in scores)

    def templates(self, truth: str, among: Sequence[str] = ()) -> list[tuple[Named, ...]]:
        """Return numeric columns whose names are one template filled with all classes.

        Also numbered columns (from 0 or from 1) if they add up to 1 in each row.
        """
        numeric = [c for c in among or self._numeric() if c != truth]
        k = len(self.classes(truth))
        return self._named_after(truth, numeric) or self._counted(numeric, k)

    def _numeric(self) -> list[str]:
        """Return the numeric columns, whatever their names."""
        return [c for c in self.columns if self.contents(c).numbers is not None]

    def _spelled(self, truth: str) -> dict[str, str]:
        """Return the spelling of each class in a column."""
        return {fold(text): text for text in self.contents(truth).coded[1]}

    def _named_after(self, truth: str, numeric: Sequence[str]) -> list[tuple[Named, ...]]:
        """Return the columns whose names are one template filled with all classes.

        Templates that other numbers fill too are excluded: p_0, p_1 and p_2 with two classes.
        """
        classes = self._spelled(truth)
        templates: dict[tuple[str, str], dict[str, str]] = {}
        for column in numeric:
            for part, template in _fillings(column, classes):
                templates.setdefault(template, {}).setdefault(part, column)
        digits = all(part.isdecimal() for part in classes)
        return [
            tuple((column, classes[part]) for part, column in columns.items())
            for (before, behind), columns in templates.items()
            if len(classes) > 1
            and columns.keys() >= classes.keys()
            and not (digits and _others(before, behind, {*numeric} - {*columns.values()}))
        ]

    def _counted(self, numeric: Sequence[str], k: int) -> list[tuple[Named, ...]]:
        """Return k numbered columns of one template that belong to one model by their rows."""
        return [g for g in _numbered(numeric, k) if self._whole(g)]

    def _whole(self, group: Sequence[Named], totals: Sequence[float] = (1.0, 100.0)) -> bool:
        """Return whether columns add up to 1 or to 100 in each row, as those of one model do."""
        matrix = self.matrix(dict(group))
        return matrix is not None and any(adds_up(matrix, total) for total in totals)

    def matrix(self, columns: Collection[str]) -> np.ndarray | None:
        """Return numeric columns as a matrix, None if a column is not numeric."""
        numbers = [n for c in columns if (n := self.contents(c).numbers) is not None]
        return np.stack(numbers, 1) if len(numbers) == len(columns) > 0 else None

    def linked(self, scores: Sequence[Named], pred: str, truth: str) -> str | None:
        """Return in words how scores give the decisions of a column; empty if they do not."""
        matrix = self.matrix(dict(scores))
        if matrix is None:
            return None
        classes = sorted(self.classes(truth) | self.classes(pred))
        decided, k = self.contents(pred).codes_of(classes), len(classes)
        keep = (decided >= 0) & np.isfinite(matrix).all(1)
        matrix, decided = matrix[keep], decided[keep]
        if 1 < len(scores) == k and order_by_decisions(matrix, decided, k) is not None:
            return "the highest score"
        cut = all(cut_class(column, decided, k) is not None for column in matrix.T)
        return "a threshold on the score" if cut else None

    def _follows(self, pred: str, scores: Sequence[Named], truth: str) -> bool:
        """Return whether decisions follow from scores, except for a few rows."""
        matrix = self.matrix(dict(scores))
        classes = sorted(self.classes(truth) | self.classes(pred))
        decided, k = self.contents(pred).codes_of(classes), len(classes)
        if matrix is None or len(decided) < FEWEST or matrix.shape[1] not in (1, k):
            return True
        keep = (decided >= 0) & np.isfinite(matrix).all(1)
        matrix, decided = matrix[keep], decided[keep]
        if matrix.shape[1] == 1 and k == 2 and of_predicted(matrix[:, 0], decided):
            return True
        return fits(matrix, decided, k)

    def confident(self, score: str, pred: str) -> bool:
        """Return whether a column may be the probability of the class in another column."""
        facts, k = self.contents(score).facts, len(self.classes(pred))
        if k < 2 or facts.low is None or facts.high is None or facts.whole:
            return False
        if k > 2 and bare(score).startswith(CONFIDENCE):
            return facts.low >= 0 and facts.high <= 1
        return facts.rows >= FEWEST and never_below_chance(facts.low, facts.high, k) is not None

    # -- what models put out -------------------------------------------------------------------

    def outputs(self, truth: str) -> list[Output]:
        """Return the possible predictions and scores of models, for a true class."""
        scores = [self._after_class(truth, s) for s in self._scores_or_templates(truth)]
        if self.named_preds:
            return [out for p in self.named_preds for out in self._beside_preds(truth, p, scores)]
        if scores:
            scores += self._alternatives(truth, scores)
            return [out for s in scores for out in self._beside_scores(truth, s)]
        proposals = self._by_content(truth)
        return [replace(o, scores=self._after_class(truth, o.scores)) for o in proposals]

    def _alternatives(
        self, truth: str, scores: Sequence[tuple[Named, ...]]
    ) -> list[tuple[Named, ...]]:
        """Return columns of fractions as alternatives to a score that is named like a feature."""
        says = [self._says.get(c) for s in scores for c, _ in s]
        if len(scores) != 1 or len(says) != 1 or says[0] is None or not says[0].weak:
            return []
        near = (says[0].of or "").casefold()
        if near.startswith(truth.casefold()) or is_algorithm(near):
            return []
        return [_alone(c) for c in self.numbers({truth}) if self.contents(c).facts.fractions]

    def _after_class(self, truth: str, score: tuple[Named, ...]) -> tuple[Named, ...]:
        """Return a lone score with the class that occurs in the column's name."""
        if len(score) != 1 or score[0][1] is not None:
            return score
        classes, ((column, _),) = self._spelled(truth), score
        parts = {
            part
            for part, (before, behind) in _fillings(column, classes)
            if before + behind and not before[-1:].isalnum() and not behind[:1].isalnum()
        }
        rest = {part: fold(column).replace(part, "").strip("_.- ()[]") for part in parts}
        # model_1 and output_0 are numbered, P_BAD1 is of a class of BAD, risk_0 of the class 0.
        parts = {
            part
            for part, word in rest.items()
            if not part.isdecimal()
            or fold(truth) in word
            or ((says := meaning(word)) is not None and says.role == "score")
        }
        return ((column, classes[parts.pop()]),) if len(parts) == 1 else score

    def _scores_or_templates(self, truth: str) -> list[tuple[Named, ...]]:
        """Return columns named like scores; complete templates of all classes come first."""
        named = {frozenset(dict(s)): s for s in self.named_scores(truth)}
        candidates: dict[frozenset[str], tuple[Named, ...]] = {}
        for group in self.templates(truth):
            candidates.setdefault(frozenset(dict(group)), group)
        others = [names for names in candidates if names not in named]
        out = [
            candidates.get(names, s)
            for names, s in named.items()
            if names in candidates or not any(names < more for more in others)
        ]
        out += [candidates[o] for o in others if not named or any(names < o for names in named)]
        groups = [s for s in out if len(s) > 1]
        return [s for s in out if s in groups or not any(self._explained(s, g) for g in groups)]

    def _explained(self, score: tuple[Named, ...], group: tuple[Named, ...]) -> bool:
        """Return whether a score is the row maximum of a group, or one of its columns."""
        matrix, own = self.matrix(dict(group)), self.matrix(dict(score))
        if matrix is None or own is None:
            return False
        near = np.isclose(matrix, own, rtol=0, atol=1e-3, equal_nan=True)
        return bool(near.all(0).any() or np.isclose(matrix.max(1), own[:, 0], atol=1e-3).all())

    def _beside_preds(
        self, truth: str, preds: tuple[Named, ...], scores: list[tuple[Named, ...]]
    ) -> list[Output]:
        """Return named predictions with their scores: named ones, or those that give them."""
        alone = Output(preds, (), _why(preds, ()))
        named = [Output(preds, s, _why(preds, s)) for s in scores]
        if len(preds) != 1:
            return named or [alone]
        pred = preds[0][0]
        free = self.numbers({truth, pred})
        hows = {c: self.linked(_alone(c), pred, truth) for c in free}
        candidates = [(_alone(c), f"{how} gives `{pred}`") for c, how in hows.items() if how]
        if named and (not candidates or any(self.linked(s, pred, truth) for s in scores)):
            return named
        confident = [] if candidates else [c for c in free if self.confident(c, pred)]
        candidates = candidates or [
            (_alone(c), f"never below chance beside `{pred}`") for c in confident
        ]
        if len(candidates) == 2:
            (first, why), (second, _) = candidates
            both = (*first, *second)
            candidates = [(both, why)] if self._whole(both, (1.0,)) else candidates
        outputs = [Output(preds, s, {**alone.why, "score": why}) for s, why in candidates]
        says = [self._says.get(c) for s in scores for c, _ in s]
        beside = [] if all(s is not None and s.weak for s in says) else named
        if confident and not any(self._higher_if_right(c, pred, truth) for c in confident):
            beside = [alone]  # a feature may also be above chance
        return outputs + beside or [alone]

    def _higher_if_right(self, score: str, pred: str, truth: str) -> bool:
        """Return whether a score is higher in correctly predicted rows, as a confidence is."""
        numbers = self.contents(score).numbers
        if numbers is None:
            return False
        classes = sorted(self.classes(truth) | self.classes(pred))
        right = self.contents(pred).codes_of(classes) == self.contents(truth).codes_of(classes)
        return min(right.sum(), (~right).sum()) < FEWEST or rank_z(numbers, right) > MIN_Z

    def _beside_scores(self, truth: str, scores: tuple[Named, ...]) -> list[Output]:
        """Return named scores with the column of the decisions made from them."""
        alone = Output((), scores, _why((), scores))
        near = self._near(truth, {truth, *dict(scores)})
        named = [c for c in near if is_decision(c)]
        decisions = {c: BY_NAME for c in named if self._follows(c, scores, truth)}
        if named and not decisions:  # named like decisions, but the rows contradict
            return [alone, *(Output(_alone(c), scores, _why(_alone(c), scores)) for c in named)]
        if not decisions:
            links = {c: how for c in near if (how := self.linked(scores, c, truth))}
            decisions = {c: how for c, how in links.items() if not self._same(c, truth)}
            if not links and len(scores) == 1:
                decisions = {c: _NEVER_BELOW for c in near if self.confident(scores[0][0], c)}
            if len(decisions) > 1:  # features that are thresholds of the score
                return [alone]
        return [
            Output(_alone(c), scores, {**alone.why, "pred": how}) for c, how in decisions.items()
        ] or [alone]

    def decided_among(self, truth: str, others: Sequence[str]) -> list[Output]:
        """Return other columns named like the truth as predictions, if a score supports it.

        Hugging Face writes ``label`` and ``score`` beside the ``gold`` class, CatBoost ``Class``.
        """
        out = []
        scores = self.named_scores(truth) or [*map(_alone, self.numbers({truth, *others}))]
        for o in others:
            for s in scores:
                how = self.linked(s, o, truth)
                if how is None and len(s) == 1 and self.confident(s[0][0], o):
                    how = _NEVER_BELOW
                if how is not None and not self._same(o, truth):
                    out.append(Output(_alone(o), s, {"pred": how, "score": f"it goes with `{o}`"}))
        return out

    def agree(self, truth: str, pred: str) -> bool:
        """Return whether two class columns agree more often than by chance."""
        return self.goes_with(truth, _alone(pred), ()) > MIN_Z

    def goes_with(self, truth: str, preds: Sequence[Named], scores: Sequence[Named]) -> float:
        """Return the z statistic of the association between outputs and a class.

        Predictions agree with it; scores are higher or lower for one class than for the others. It
        is infinite if there are too few rows.
        """
        contents, classes = self.contents(truth), sorted(self.classes(truth))
        matrix = self.matrix(dict(scores)) if scores else None
        if len(contents.texts) < FEWEST or (scores and matrix is None and not preds):
            return math.inf
        z_values = [agreement_z(contents, self.contents(c)) for c, _ in preds]
        if matrix is not None:
            true = contents.codes_of(classes)
            z_values += [
                rank_z(column, true == k) for column in matrix.T for k in range(len(classes))
            ]
        return max(z_values, default=0.0)

    def better(self, truth: str, columns: Sequence[str]) -> list[str]:
        """Return numeric columns that are clearly associated with a class."""
        return [c for c in columns if STRONG_Z < self.goes_with(truth, (), _alone(c)) < math.inf]

    def about(self, output: Output, truth: str) -> str | None:
        """Return what a lone output is named after if that is no class, model or truth.

        The column churn_probability suggests that churn is the true class.
        """
        named = [*output.preds, *output.scores]
        targets = {targets for _, targets in named if targets is not None}
        if len(targets) != 1 or len(output.preds) > 1 or len(output.scores) > 1:
            return None
        word, own = fold(targets.copy().pop()), fold(truth)
        is_class_or_truth = word in own or own in word or word in map(fold, self.classes(truth))
        return None if is_class_or_truth or is_algorithm(word) or is_model(word) else targets.pop()

    def _same(self, column: str, truth: str) -> bool:
        return np.array_equal(self.contents(column).texts, self.contents(truth).texts)

    def _by_content(self, truth: str) -> list[Output]:
        """Return outputs that only the rows suggest: decisions with their score, or one of both."""
        if truth not in self._contents:
            return []
        near = self._near(truth, {truth})
        numbers = [c for c in self.numbers({truth}) if c not in near]
        near = [c for c in near if is_decision(c)] or near
        pairs = [(d, c) for d in near for c in numbers]
        links = {(d, c): how for d, c in pairs if (how := self.linked(_alone(c), d, truth))}
        if links:
            outputs = [
                Output(
                    _alone(d),
                    _alone(c),
                    {"pred": f"{how} gives it", "score": f"a threshold gives `{d}`"},
                )
                for (d, c), how in links.items()
                if not self._same(d, truth)
            ]
            return outputs or [  # a copy of the truth, or perfect predictions
                Output(preds, _alone(c), {"score": f"a threshold gives `{truth}`"}, 1)
                for d, c in links
                for preds in ((), _alone(d))
            ]
        same = f"the same values as `{truth}`"
        confident = [(d, c) for d, c in pairs if self.confident(c, d)]
        if len(confident) == 1:
            ((d, c),) = confident
            why = {"pred": same, "score": f"never below chance beside `{d}`"}
            return [Output(_alone(d), _alone(c), why, 1)]
        others = [c for c in numbers if not self.contents(c).facts.whole]
        fractions = [c for c in numbers if self.contents(c).facts.fractions]
        after = [c for c in fractions if self._after_class(truth, _alone(c))[0][1] is not None]
        after = [c for c in after if fold(truth) in fold(c)]
        fractions = after if len(after) == 1 else fractions
        group = tuple((c, None) for c in fractions)
        if len(group) > 1 and all(map(is_algorithm, fractions)):
            return [Output((), group, {"score": "named after models"}, 1)]
        if len(group) > 1 and self._whole(group):
            return [Output((), group, {"score": "they add up to 1 in each row"}, 1)]
        candidates, reason = fractions, "the only column of numbers from 0 to 1"
        by_chance = bool(near) and not any(self.agree(truth, c) for c in near)
        if (len(after) != 1 and len(others) > 1) if fractions else by_chance:
            candidates, reason = others, "numbers with fractions"
        if len(candidates) == 1 and self.goes_with(truth, (), _alone(candidates[0])) < MIN_Z:
            candidates = [*candidates, *self.better(truth, numbers)]
        out = [Output((), _alone(c), {"score": reason}, 1) for c in candidates]
        return out + [Output(_alone(c), (), {"pred": same}, 1) for c in near]

    def truths_by_content(self) -> list[tuple[str, str]]:
        """Return the unnamed columns that may be the true class, with the reason."""
        guesses = self._guesses(self.like_classes())
        return next(([(c, why) for c in columns] for columns, why in guesses if columns), [])

    def _guesses(self, free: Sequence[str]) -> Iterator[tuple[list[str], str]]:
        """Yield candidates for the true class by one reason after the other, with the reason."""
        for pred in (c for p in self.named_preds for c, _ in p):
            predicted = self.classes(pred)
            if len(predicted) > 1:
                near = [
                    c for c in free if self.classes(c) <= predicted or predicted <= self.classes(c)
                ]
                yield near, f"the same values as `{pred}`"
        groups = [s for s in self.named_scores("") if len(s) > 1]
        class_names = {fold(text) for s in groups for _, text in s if text is not None}
        # 0 and 1 also number columns, and are the values of any flag.
        class_names = {text for text in class_names if not _is_integer(text)}
        after = "the score columns are named after its values"
        yield [c for c in free if self.classes(c) <= class_names], after
        numeric = self._numeric()
        filled = [
            c
            for c in free
            if self._named_after(c, numeric) and not all(map(_is_integer, self.classes(c)))
        ]
        yield filled if len(filled) < len(free) else [], after
        sizes = {len(self.classes(c)) for c in free}
        vectors = {self.contents(c).width for c in self.columns}
        wide = max((k for k in sizes if k in vectors or self._counted(numeric, k)), default=0)
        sized = [c for c in free if len(self.classes(c)) == wide]
        how = "as many values as there are columns of scores"
        yield sized if len(sized) < len(free) else [], how
        times = Counter(map(self.classes, free))
        alike = [c for c in free if times[self.classes(c)] > 1]
        yield alike, "another column holds the same classes"
        two = [c for c in free if len(self.classes(c)) == 2]
        two = [c for c in two if not is_decision(c)] or two
        # If predictions have other classes, a two-valued column is not their truth.
        predicted_classes = [self.classes(c) for c in free if "predict" in bare(c)]
        two = [c for c in two if all(self.classes(c) & classes for classes in predicted_classes)]
        yield two, TWO_VALUES


def _alone(column: str) -> tuple[Named, ...]:
    return ((column, None),)


def _is_integer(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def _why(preds: Sequence[Named], scores: Sequence[Named]) -> dict[str, str]:
    named = {"pred": BY_NAME} if preds else {}
    return {**named, "score": BY_NAME if len(scores) == 1 else BY_NAMES} if scores else named


def _fillings(column: str, classes: Collection[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each class in a column's name, with the text before and after it.

    >>> list(_fillings("P_BAD1", ["0", "1"]))
    [('1', ('p_bad', ''))]
    """
    name = fold(column)
    for text in classes:
        plain = text.strip("-").isalnum()
        ways = [text] if plain else [text, bare(text), re.sub(r"\W+", ".", text)]
        for written in filter(None, dict.fromkeys(ways)):
            for match in re.finditer(re.escape(written), name):
                before, behind = name[: match.start()], name[match.end() :]
                word = before in _BEFORE  # "prob" and "tie" in probtie
                if (word or _apart(before[-1:], written[0])) and _apart(behind[:1], written[-1]):
                    yield text, (before, behind)


_BEFORE = ("p", "pr", "prob", "proba", "probability", "score", "y_prob", "y_proba", "pred_prob")


def _apart(beside: str, end: str) -> bool:
    """Return whether a class ends at the adjacent character: not digit by digit or letter."""
    if not beside:
        return True
    if end.isdigit():
        return not (beside.isdigit() or beside == ".") and beside != "-"
    return not beside.isalnum()


def _numbered(columns: Sequence[str], k: int) -> list[tuple[Named, ...]]:
    """Return the columns that one template numbers from 0 or 1 up, one for each of k.

    >>> _numbered(["m_1", "age", "m_2"], 2)
    [(('m_1', '1'), ('m_2', '2'))]
    """
    templates: dict[tuple[str, str], dict[int, str]] = {}
    for column in columns:
        if parts := re.fullmatch(r"(.*?)(\d+)(\D*)", column, re.DOTALL):
            templates.setdefault((parts[1], parts[3]), {})[int(parts[2])] = column
    out: list[tuple[Named, ...]] = []
    for numbered in templates.values():
        numbers = sorted(numbered)
        if len(numbered) == k > 1 and numbers[0] in (0, 1) and numbers[-1] - numbers[0] == k - 1:
            out.append(tuple((numbered[n], str(n)) for n in numbers))
    return out


def _others(before: str, behind: str, columns: Collection[str]) -> bool:
    """Return whether other columns fill a template with other numbers."""
    numbered = re.compile(rf"{re.escape(before)}\d+{re.escape(behind)}")
    return any(numbered.fullmatch(fold(c)) for c in columns)


def _of_sas(columns: Collection[str]) -> dict[str, list[str]]:
    """Return SAS's columns of the target: F_ (from), I_ (into), P_ (probability per level).

    PROC LOGISTIC names them _FROM_ and _INTO_.

    >>> _of_sas(["F_bad", "I_bad", "P_bad1", "P_bad0"])["P"]
    ['P_bad1', 'P_bad0']
    """
    if {"_FROM_", "_INTO_"} <= {*columns}:
        return {"F": ["_FROM_"], "I": ["_INTO_"]}
    parts: dict[str, list[str]] = {"F": [], "I": [], "P": []}
    for c in columns:
        if match := _SAS.fullmatch(c):
            parts[match[1].upper()].append(c)
    marks = [c[2:] for c in (*parts["I"], *parts["F"])]
    parts["F"] = parts["F"] or [c for c in columns if c in marks]
    levels = [c for c in parts["P"] if marks and c[2:].casefold().startswith(marks[0].casefold())]
    if len({m.casefold() for m in marks}) != 1 or not (levels or len(marks) == 2):
        return {}
    return {k: v for k, v in {**parts, "P": levels, "of": marks[:1]}.items() if v}
