"""Which columns could be the true class, a prediction or a score: proposals, which rows then check.

Names propose and rank. What the rows show is proposed too: a column named after each class, a
column that one threshold turns into decisions. Nothing is refuted here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tallymark.reading.classes import fold
from tallymark.reading.look import Held, Look
from tallymark.reading.meaning import (
    FEWEST,
    adds_up,
    cut_class,
    never_below_chance,
    order_by_decisions,
)
from tallymark.reading.names import (
    CONFIDENCE,
    Meaning,
    Named,
    bare,
    is_algorithm,
    is_decision,
    meaning,
)

BY_NAME = "its name"
BY_NAMES = "their names"
_SAS = re.compile(r"([FIP])_(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Output:
    """What a model puts out: columns of predictions and of scores, and why they are that.

    ``rank`` is lower the more names say so.
    """

    preds: tuple[Named, ...]
    scores: tuple[Named, ...]
    why: tuple[tuple[str, str], ...]
    rank: int = 0


class Proposals:
    """The columns without a named role, and what their names and rows say that they could be.

    ``given`` are the columns that somebody named, with their roles. Without a ``look`` names alone
    propose.
    """

    def __init__(self, columns: Sequence[str], given: Mapping[str, str], look: Look | None) -> None:
        self.columns = [c for c in columns if c and c not in given]
        self.given, self.look = given, look
        self._says = {c: self._meaning(c) for c in self.columns}
        self._sas = _of_sas(columns)

    def held(self, column: str) -> Held | None:
        """Return what the rows looked at hold in a column."""
        return None if self.look is None else self.look.held.get(column)

    def _meaning(self, column: str) -> Meaning | None:
        """Return what a name says; of fractions it names no prediction, but a score."""
        says = meaning(column)
        if says is None or says.role != "pred" or not self._fractions(column):
            return says
        if says.of is None:
            return Meaning("score")
        inner = meaning(says.of)
        return Meaning("score", inner.of if inner and inner.role == "score" else says.of)

    # -- by name -------------------------------------------------------------------------------

    def called(self, role: str, *, of: bool = False, weak: bool = False) -> list[str]:
        """Return the columns that are called like a role, after nothing or ``of`` something."""
        return [
            c
            for c, says in self._says.items()
            if says and says.role == role and (says.of is not None) == of and says.weak == weak
        ]

    @cached_property
    def named_truths(self) -> list[str]:
        """The columns that are called like the true class."""
        found = [c for c in self._sas.get("F", ()) if c in self._says]
        return found or self.called("truth") or self.called("truth", weak=True)

    @cached_property
    def named_preds(self) -> list[tuple[Named, ...]]:
        """The columns that are called predictions: one, or one of each model; alternatives."""
        into = [c for c in self._sas.get("I", ()) if c in self._says]
        alone = into or self.called("pred")
        beside = tuple(self._named(c) for c in self.called("pred", of=True))
        return [((c, None),) for c in alone] + ([beside] if beside else [])

    def named_scores(self, truth: str) -> list[tuple[Named, ...]]:
        """Return the columns that are called scores: one, or one of each class or model."""
        if "P" in self._sas:
            levels = [c for c in self._sas["P"] if c in self._says]
            size = len(self._sas["of"][0]) + 2
            return [tuple((c, c[size:]) for c in levels)]
        alone, beside = self.called("score"), self.called("score", of=True)
        if len(alone) + len(beside) > 1:
            alone = [c for c in alone if not self._is_text(c)]
        weak = [] if alone or beside else self.called("score", of=True, weak=True)
        group = tuple(self._after(truth, [*beside, *weak]))
        return [((c, None),) for c in alone] + ([group] if group else [])

    def _after(self, truth: str, columns: Sequence[str]) -> list[Named]:
        """Return columns with what they are named after, without the name of the truth in it."""
        pairs = [self._named(c) for c in columns]
        after = [of is not None and of.casefold().startswith(truth.casefold()) for _, of in pairs]
        if truth and pairs and all(after) and all(of != truth for _, of in pairs):
            pairs = [(c, (of or "")[len(truth) :].lstrip("_.- ")) for c, of in pairs]
        return pairs

    def _named(self, column: str) -> Named:
        says = self._says[column]
        return column, says.of if says else None

    def _fractions(self, column: str) -> bool:
        held = self.held(column)
        return held is not None and held.facts.fractions

    def _is_text(self, column: str) -> bool:
        held = self.held(column)
        return held is not None and bool(held.facts.present) and held.numbers is None

    # -- by content ----------------------------------------------------------------------------

    def like_classes(self, but: Collection[str] = ()) -> list[str]:
        """Return the unnamed columns that hold classes: few values, which do not all differ."""
        found = []
        for c in self.columns:
            held = self.held(c)
            says = self._says[c]
            if c in but or held is None or held.names_rows or (says and not says.weak):
                continue
            if len(held.classes) > 1:
                found.append(c)
        return found

    def numbers(self, but: Collection[str] = ()) -> list[str]:
        """Return the unnamed columns of more than two numbers that are no ids."""
        held = {c: self.held(c) for c in self.columns if c not in but and self._says[c] is None}
        return [
            c
            for c, h in held.items()
            if h is not None and h.numbers is not None and not h.names_rows and h.facts.distinct > 2
        ]

    def as_told(self, truth: str, scores: tuple[Named, ...]) -> tuple[Named, ...]:
        """Return scores that somebody named, each after the class that its name holds."""
        names = [c for c, _ in scores]
        if len(names) == 1:
            return self._after_class(truth, scores)
        found = [g for g in self.templates(truth, among=names) if len(g) == len(names)]
        of = dict(found[0]) if found else {}
        return tuple((c, of.get(c, name)) for c, name in scores)

    def templates(
        self, truth: str, but: Collection[str] = (), among: Sequence[str] | None = None
    ) -> list[tuple[Named, ...]]:
        """Return columns of numbers whose names are one template filled with all classes.

        Or, where they add up to 1 in each row, with their numbers from 0 or from 1 on.
        """
        numeric = [c for c in among or self._numeric() if c not in but and c != truth]
        return self._named_after(truth, numeric) or self._counted(
            numeric, len(self._classes(truth))
        )

    def _numeric(self) -> list[str]:
        """Return the columns of numbers, whatever they are called."""
        return [
            c for c in self.columns if (h := self.held(c)) is not None and h.numbers is not None
        ]

    def _named_after(self, truth: str, numeric: Sequence[str]) -> list[tuple[Named, ...]]:
        """Return the columns whose names are one template filled with all classes.

        A template that other numbers fill, too, is not that of these classes: p_0, p_1 and p_2.
        """
        held = self.held(truth)
        classes = {} if held is None else {fold(t): t for t in held.coded[1]}
        found: dict[tuple[str, str], dict[str, str]] = {}
        for column in numeric:
            for part, template in _fillings(column, classes):
                found.setdefault(template, {}).setdefault(part, column)
        digits = all(part.isdecimal() for part in classes)
        return [
            tuple((column, classes[part]) for part, column in of.items())
            for (before, behind), of in found.items()
            if len(classes) > 1
            and of.keys() >= classes.keys()
            and not (digits and _others(before, behind, {*numeric} - {*of.values()}))
        ]

    def _counted(self, numeric: Sequence[str], k: int) -> list[tuple[Named, ...]]:
        """Return k columns that one template numbers, and that are one model's by their rows."""
        return [g for g in _numbered(numeric, k) if self._whole(g)]

    def _whole(self, group: Sequence[Named]) -> bool:
        """Tell whether columns are one model's by what they hold: shares of 1, or logits."""
        matrix = self.matrix([c for c, _ in group])
        return matrix is not None and (adds_up(matrix) or adds_up(matrix, 100.0))

    def matrix(self, columns: Sequence[str]) -> np.ndarray | None:
        """Return columns of numbers side by side, None where one is not of numbers."""
        held = [self.held(c) for c in columns]
        numbers = [h.numbers for h in held if h is not None and h.numbers is not None]
        return np.stack(numbers, 1) if len(numbers) == len(columns) > 0 else None

    def linked(self, scores: Sequence[Named], pred: str, truth: str) -> str | None:
        """Return in words how scores give the decisions of a column; None where they do not."""
        held, of_truth = self.held(pred), self.held(truth)
        matrix = self.matrix([c for c, _ in scores])
        if held is None or of_truth is None or matrix is None:
            return None
        classes = sorted(of_truth.classes | held.classes)
        decided = held.codes_of(classes)
        keep = (decided >= 0) & np.isfinite(matrix).all(1)
        matrix, decided, k = matrix[keep], decided[keep], len(classes)
        if len(scores) == 1:
            if cut_class(matrix[:, 0], decided, k) is not None:
                return "a threshold on the score"
            return None
        if len(scores) == k and order_by_decisions(matrix, decided, k) is not None:
            return "the highest score"
        pairs = k == 2 and all(cut_class(column, decided) is not None for column in matrix.T)
        return "a threshold on the score" if pairs else None

    def confident(self, score: str, pred: str) -> bool:
        """Tell whether a column could be the probability of the class that another names."""
        held, of = self.held(pred), self.held(score)
        if held is None or of is None or not of.facts.numeric or len(held.classes) < 2:
            return False
        low, high = of.facts.low or 0.0, of.facts.high or 0.0
        fractions = not of.facts.whole
        if len(held.classes) > 2 and any(bare(score).startswith(w) for w in CONFIDENCE):
            return fractions and low >= 0 and high <= 1
        enough = len(of.texts) >= FEWEST
        return fractions and enough and never_below_chance(low, high, len(held.classes)) is not None

    # -- what models put out -------------------------------------------------------------------

    def outputs(self, truth: str) -> list[Output]:
        """Return what could be the predictions and scores of models, beside a true class."""
        names = self.named_preds
        scores = self.named_scores(truth)
        if self.look is None:
            called = [c for c in self.columns if is_decision(c) and self._says[c] is None]
            names = names or [((c, None),) for c in called if scores]
            return [
                Output(p, s, _why(p, s)) for p in names or [()] for s in scores or [()] if p or s
            ]
        scores = self._with_templates(truth, scores)
        scores = [self._after_class(truth, s) for s in scores]
        if names:
            return [out for p in names for out in self._beside_preds(truth, p, scores)]
        if scores:
            return [out for s in scores for out in self._beside_scores(truth, s)]
        found = self._by_content(truth)
        return [replace(o, scores=self._after_class(truth, o.scores)) for o in found]

    def _after_class(self, truth: str, score: tuple[Named, ...]) -> tuple[Named, ...]:
        """Return a lone score with the class whose name is a part of the column's."""
        held = self.held(truth)
        if len(score) != 1 or score[0][1] is not None or held is None:
            return score
        classes = {fold(t): t for t in held.coded[1]}
        column = score[0][0]
        parts = {
            part
            for part, (before, behind) in _fillings(column, classes)
            if before + behind and not before[-1:].isalnum() and not behind[:1].isalnum()
        }
        return ((column, classes[parts.pop()]),) if len(parts) == 1 else score

    def _with_templates(
        self, truth: str, scores: list[tuple[Named, ...]]
    ) -> list[tuple[Named, ...]]:
        """Return columns of scores, those of all classes by a template before any others."""
        found = self.templates(truth)
        groups = [g for g in found if not any({*dict(g)} == {*dict(s)} for s in scores)]
        out = []
        for s in scores:
            names = {*dict(s)}
            whole = next((g for g in found if {*dict(g)} == names), None)
            if whole is not None:
                out.append(whole)
            elif not any(names < {*dict(g)} for g in groups):
                out.append(s)
        by_name = [g for g in groups if any({*dict(s)} < {*dict(g)} for s in scores)]
        rest = [] if scores else groups
        out += [*by_name, *rest]
        group = next((s for s in out if len(s) > 1), None)
        if group is not None and len(out) > 1:
            out = [s for s in out if len(s) > 1 or not self._explained(s, group)]
        return out

    def _explained(self, score: tuple[Named, ...], group: tuple[Named, ...]) -> bool:
        """Tell whether one score is the highest of a group in each row, or one of its columns."""
        matrix, own = self.matrix([c for c, _ in group]), self.matrix([c for c, _ in score])
        if matrix is None or own is None:
            return False
        near = np.isclose(matrix, own, rtol=0, atol=1e-3, equal_nan=True)
        return bool(near.all(0).any() or np.isclose(matrix.max(1), own[:, 0], atol=1e-3).all())

    def _beside_preds(
        self, truth: str, preds: tuple[Named, ...], scores: list[tuple[Named, ...]]
    ) -> Iterator[Output]:
        """Yield named predictions with their scores: named ones, or those that give them."""
        if scores:
            yield from (Output(preds, s, _why(preds, s)) for s in scores)
            return
        if len(preds) != 1:
            yield Output(preds, (), _why(preds, ()))
            return
        pred = preds[0][0]
        found: list[tuple[tuple[Named, ...], str]] = []
        free = self.numbers({truth, pred})
        for c in free:
            if (how := self.linked(((c, None),), pred, truth)) is not None:
                found.append((((c, None),), f"{how} gives `{pred}`"))
        if not found:
            sure = [c for c in free if self.confident(c, pred)]
            found = [(((c, None),), f"never below chance beside `{pred}`") for c in sure]
        if len(found) == 2 and (pair := self._complements(found)):
            found = [pair]
        for s, why in found:
            yield Output(preds, s, (*_why(preds, ()), ("score", why)))
        if not found:
            yield Output(preds, (), _why(preds, ()))

    def _complements(
        self, found: Sequence[tuple[tuple[Named, ...], str]]
    ) -> tuple[tuple[Named, ...], str] | None:
        """Return two columns that add up to 1 as those of one model."""
        (one, why), (other, _) = found
        both = (*one, *other)
        matrix = self.matrix([c for c, _ in both])
        return (both, why) if matrix is not None and adds_up(matrix) else None

    def _beside_scores(self, truth: str, scores: tuple[Named, ...]) -> list[Output]:
        """Return named scores, with the column of the decisions that were made with them."""
        why, taken = _why((), scores), {truth, *dict(scores)}
        of_truth = self.held(truth)
        near = []
        for c in self.like_classes(taken):
            held = self.held(c)
            if held is not None and of_truth is not None and held.classes <= of_truth.classes:
                near.append(c)
        called = [c for c in near if is_decision(c)]
        if called:
            made = [(c, BY_NAME) for c in called]
        else:
            by_link = [(c, how) for c in near if (how := self.linked(scores, c, truth))]
            made = [(c, how) for c, how in by_link if not self._same(c, truth)]
            if not made and len(scores) == 1 and not by_link:
                sure = [c for c in near if self.confident(scores[0][0], c)]
                made = [(c, "the score is never below chance beside it") for c in sure]
                if len(made) > 1:
                    made = []
        out = [Output(((c, None),), scores, (*why, ("pred", how))) for c, how in made]
        if len(made) > 1 and not called:
            return [Output((), scores, why)]  # features that two thresholds make
        return out or [Output((), scores, why)]

    def decided_among(self, truth: str, others: Sequence[str]) -> list[Output]:
        """Return other columns called like the truth as predictions, where a score shows that.

        Hugging Face writes ``label`` and ``score`` beside the ``gold`` class, CatBoost ``Class``.
        """
        out = []
        scores = self.named_scores(truth) or [((c, None),) for c in self.numbers({truth, *others})]
        for o in others:
            for s in scores:
                how = self.linked(s, o, truth)
                if how is None and len(s) == 1 and self.confident(s[0][0], o):
                    how = "the score is never below chance beside it"
                if how is not None and not self._same(o, truth):
                    why = (("pred", how), ("score", f"it goes with `{o}`"))
                    out.append(Output(((o, None),), s, why))
        return out

    def agree(self, truth: str, pred: str) -> bool:
        """Tell whether two columns of classes agree more often than chance lets them."""
        a, b = self.held(truth), self.held(pred)
        if a is None or b is None:
            return True
        classes = sorted(a.classes | b.classes)
        true, said = a.codes_of(classes), b.codes_of(classes)
        keep = (true >= 0) & (said >= 0)
        true, said, n = true[keep], said[keep], int(keep.sum())
        if n < FEWEST:
            return True
        shares = [np.bincount(codes, minlength=len(classes)) / n for codes in (true, said)]
        chance = float((shares[0] * shares[1]).sum())
        spread = (chance * (1 - chance) / n) ** 0.5
        return bool((true == said).mean() - chance > 2.5 * spread)

    def _same(self, column: str, truth: str) -> bool:
        a, b = self.held(column), self.held(truth)
        return a is not None and b is not None and a.texts.tolist() == b.texts.tolist()

    def _by_content(self, truth: str) -> list[Output]:
        """Return what nothing but the rows shows: decisions with their score, or one of both."""
        of_truth = self.held(truth)
        if of_truth is None:
            return []
        near = [
            c
            for c in self.like_classes({truth})
            if (held := self.held(c)) is not None and held.classes <= of_truth.classes
        ]
        numbers = [c for c in self.numbers({truth}) if c not in near]
        near = [c for c in near if is_decision(c)] or near
        out: list[Output] = []
        perfect: list[Output] = []
        for d in near:
            for c in numbers:
                if (how := self.linked(((c, None),), d, truth)) is None:
                    continue
                if self._same(d, truth):  # a copy of the truth, or predictions without an error
                    alone = (("score", f"a threshold gives `{truth}`"),)
                    perfect.append(Output((), ((c, None),), alone, 1))
                    perfect.append(Output(((d, None),), ((c, None),), alone, 1))
                else:
                    both = (("pred", f"{how} gives it"), ("score", f"a threshold gives `{d}`"))
                    out.append(Output(((d, None),), ((c, None),), both))
        if out or perfect:
            return out or perfect
        sure = [(d, c) for d in near for c in numbers if self.confident(c, d)]
        if len(sure) == 1:
            ((d, c),) = sure
            both = (
                ("pred", f"the same values as `{truth}`"),
                ("score", f"never below chance beside `{d}`"),
            )
            return [Output(((d, None),), ((c, None),), both, 1)]
        others = [c for c in numbers if (h := self.held(c)) and not h.facts.whole]
        fractions = [c for c in numbers if self._fractions(c)]
        after = [c for c in fractions if self._after_class(truth, ((c, None),))[0][1] is not None]
        fractions = after if len(after) == 1 else fractions
        if len(fractions) > 1 and all(map(is_algorithm, fractions)):
            models = tuple((c, None) for c in fractions)
            return [Output((), models, (("score", "named after models"),), 1)]
        if len(fractions) > 1 and self._whole([(c, None) for c in fractions]):
            group = tuple((c, None) for c in fractions)
            return [Output((), group, (("score", "they add up to 1 in each row"),), 1)]
        why = "the only column of numbers from 0 to 1"
        by_chance = bool(near) and not any(self.agree(truth, c) for c in near)
        if (len(after) != 1 and len(others) > 1) if fractions else by_chance:
            fractions, why = others, "numbers with fractions"
        out = [Output((), ((c, None),), (("score", why),), 1) for c in fractions]
        same = f"the same values as `{truth}`"
        return out + [Output(((c, None),), (), (("pred", same),), 1) for c in near]

    def truths_by_content(self) -> list[tuple[str, str]]:
        """Return the unnamed columns that could be the true class, and why."""
        free = self.like_classes()
        preds = [c for p in self.named_preds for c, _ in p]
        for pred in preds:
            held = self.held(pred)
            if held is not None and len(held.classes) > 1:
                near = [
                    c
                    for c in free
                    if (h := self.held(c)) is not None
                    and (h.classes <= held.classes or held.classes <= h.classes)
                ]
                if near:
                    return [(c, f"the same values as `{pred}`") for c in near]
        groups = [s for s in self.named_scores("") if len(s) > 1]
        of = {fold(text) for s in groups for _, text in s if text is not None}
        # 0 and 1 number columns, and are the values of any flag.
        of = {text for text in of if not text.lstrip("-").isdecimal()}
        near = [c for c in free if (h := self.held(c)) is not None and h.classes <= of]
        if near:
            return [(c, "the score columns are named after its values") for c in near]
        numeric = self._numeric()
        filled = [c for c in free if self._named_after(c, numeric) and not self._digits(c)]
        if filled and len(filled) < len(free):
            return [(c, "the score columns are named after its values") for c in filled]
        sizes = {c: len(self._classes(c)) for c in free}
        wide = max((k for k in {*sizes.values()} if self._counted(numeric, k)), default=0)
        sized = [c for c in free if sizes[c] == wide]
        if sized and len(sized) < len(free):
            return [(c, "as many values as there are columns of scores") for c in sized]
        pairs = self._alike(free)
        if pairs:
            return [(c, "another column holds the same classes") for c in pairs]
        two = [c for c in free if (h := self.held(c)) is not None and len(h.classes) == 2]
        two = [c for c in two if not is_decision(c)] or two
        # Beside predictions of other classes, a column of two values is about something else.
        called = [h.classes for c in free if "predict" in bare(c) and (h := self.held(c))]
        two = [c for c in two if all(self._classes(c) & classes for classes in called)]
        return [(c, "the only column of two values") for c in two]

    def _digits(self, column: str) -> bool:
        return all(text.lstrip("-").isdecimal() for text in self._classes(column))

    def _classes(self, column: str) -> frozenset[str]:
        held = self.held(column)
        return frozenset() if held is None else held.classes

    def _alike(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that hold the same classes as another one."""
        sets = {c: h.classes for c in columns if (h := self.held(c)) is not None}
        return [
            c for c in sets if any(o != c and sets[o] == sets[c] for o in sets) and len(sets[c]) > 1
        ]


def _why(preds: Sequence[Named], scores: Sequence[Named]) -> tuple[tuple[str, str], ...]:
    why = [("pred", BY_NAME)] if preds else []
    if scores:
        why.append(("score", BY_NAME if len(scores) == 1 else BY_NAMES))
    return tuple(why)


def _fillings(column: str, classes: Collection[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each class that a column's name holds, and what stands before and behind it.

    >>> list(_fillings("P_BAD1", ["0", "1"]))
    [('1', ('p_bad', ''))]
    """
    name = fold(column)
    for text in classes:
        others = (
            (bare(text), re.sub(r"\W+", ".", text)) if text.strip("-").isalnum() is False else ()
        )
        for written in dict.fromkeys((text, *others)):
            for found in re.finditer(re.escape(written), name) if written else ():
                before, behind = name[: found.start()], name[found.end() :]
                word = before in _BEFORE  # prob and tie of probtie
                if (word or _apart(before[-1:], written[0])) and _apart(behind[:1], written[-1]):
                    yield text, (before, behind)


_BEFORE = ("p", "pr", "prob", "proba", "probability", "score", "y_prob", "y_proba", "pred_prob")


def _apart(beside: str, end: str) -> bool:
    """Tell whether a class does not go on in the sign beside it: a digit in digits, a letter."""
    if not beside:
        return True
    if end.isdigit():
        return not (beside.isdigit() or beside == ".") and beside != "-"
    return not beside.isalnum()


def _numbered(columns: Sequence[str], k: int) -> list[tuple[Named, ...]]:
    """Return the columns that one template numbers from 0 or from 1 on, one for each of k.

    >>> _numbered(["m_1", "age", "m_2"], 2)
    [(('m_1', '1'), ('m_2', '2'))]
    """
    found: dict[tuple[str, str], dict[int, str]] = {}
    for column in columns:
        if parts := re.fullmatch(r"(.*?)(\d+)(\D*)", column, re.DOTALL):
            found.setdefault((parts[1], parts[3]), {})[int(parts[2])] = column
    out: list[tuple[Named, ...]] = []
    for of in found.values():
        numbers = sorted(of)
        if len(of) == k > 1 and numbers[0] in (0, 1) and numbers[-1] - numbers[0] == k - 1:
            out.append(tuple((of[n], str(n)) for n in numbers))
    return out


def _others(before: str, behind: str, columns: Collection[str]) -> bool:
    """Tell whether a template is filled by other columns with other numbers."""
    numbered = re.compile(rf"{re.escape(before)}\d+{re.escape(behind)}")
    return any(numbered.fullmatch(fold(c)) for c in columns)


def _of_sas(columns: Collection[str]) -> dict[str, list[str]]:
    """Return the columns that SAS names after the target: F_ from, I_ into, P_ of each level.

    PROC LOGISTIC calls them _FROM_ and _INTO_.

    >>> _of_sas(["F_bad", "I_bad", "P_bad1", "P_bad0"])["P"]
    ['P_bad1', 'P_bad0']
    """
    if {"_FROM_", "_INTO_"} <= {*columns}:
        return {"F": ["_FROM_"], "I": ["_INTO_"]}
    parts: dict[str, list[str]] = {"F": [], "I": [], "P": []}
    for c in columns:
        if found := _SAS.fullmatch(c):
            parts[found[1].upper()].append(c)
    marks = [c[2:] for c in (*parts["I"], *parts["F"])]
    parts["F"] = parts["F"] or [c for c in columns if c in marks]
    levels = [c for c in parts["P"] if marks and c[2:].casefold().startswith(marks[0].casefold())]
    if len({m.casefold() for m in marks}) != 1 or not (levels or len(marks) == 2):
        return {}
    return {k: v for k, v in {**parts, "P": levels, "of": marks[:1]}.items() if v}
