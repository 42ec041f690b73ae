"""Choose the role of each column: check proposals against the rows, and ask if several remain."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.errors import InputError, choices, listed
from tallymark.part import added, answer
from tallymark.quantities import many
from tallymark.reading.columns import Roles
from tallymark.reading.evidence import MIN_Z, STRONG_Z
from tallymark.reading.layouts import layout_of
from tallymark.reading.look import Look
from tallymark.reading.meaning import FEWEST
from tallymark.reading.names import (
    Named,
    bare,
    is_count,
    is_decision,
    is_gold,
    is_model,
    meaning,
    named_after,
    named_after_labels,
    names_of,
)
from tallymark.reading.propose import BY_NAME, TWO_VALUES, Output, Proposals
from tallymark.reading.question import NoTruth, Question, Say, and_all
from tallymark.tally.polarity import truth_value

TITLES = {
    "truth": "true class",
    "pred": "predicted class",
    "score": "score",
    "weight": "weight",
    "count": "count of rows",
}
"""The name of each role in a sentence."""

MOST_LINES = 50
"""Most lines (of readers or runs) that one case may have."""

HARDLY = 0.8
"""If at least this share of the scores is distinct, each line is one row, not a count of rows."""

ENOUGH = 3.0
"""If rows with these values would give this many equal pairs and no two lines are equal, the lines
are counted combinations: rows would have no equal pair with probability exp(-3) = 5 %."""


def find_roles(
    columns: Sequence[str],
    look: Look | None = None,
    *,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weight: str | None = None,
    count: str | bool | None = None,
    model: str | bool | None = None,
    cluster: str | None = None,
    fold: str | None = None,
    subgroups: Sequence[str] = (),
    because: Mapping[str, str] | None = None,
    **of_parts: str | None,
) -> Roles:
    """Return the role of each column: as the user names it, else by column names and contents.

    ``because`` gives the reason for roles that were detected earlier, and ``of_parts`` the columns
    of the roles of parts.

    >>> find_roles(["id", "label", "p_yes"]).scores
    (('p_yes', 'yes'),)
    """
    roles: dict[str, Any] = {
        "truth": truth,
        "weight": weight,
        "count": count,
        "cluster": cluster,
        "fold": fold,
        **of_parts,
        "model": model,
        "pred": pred,
        "score": score,
        "subgroup": subgroups,
    }
    requested = {role: names_of(value) for role, value in roles.items()}
    _refuse_unknown(requested, columns)
    preds, scores = (tuple(map(named_after, requested[role])) for role in ("pred", "score"))
    layout = layout_of(columns)
    if layout and layout.fits(requested):
        # Checked even if columns are named: the score is never the probability of one fixed class.
        why = {
            r: f"{layout.made_by} output" for r in ("truth", "pred", "score") if not requested[r]
        }
        outputs = ((layout.pred, None),), ((layout.score, None),)
        return Roles(layout.truth, *outputs, weight, layout=layout, why=why)
    free = Proposals(
        columns, {name: role for role, names in requested.items() for name in names}, look
    )
    by_name = {c.lower(): c for c in free.columns}
    counted = {"pos", "neg"} <= set(by_name) and not free.named_truths
    if not truth and not preds and counted:
        pair = (by_name["pos"], by_name["neg"])
        if candidates := [scores] if scores else free.named_scores(""):
            why = {} if scores else {"score": BY_NAME}
            return Roles("", (), candidates[0][:1], pos_neg=pair, why=why)
    weights = free.named_like("weight")
    reason = dict(because or {})
    if weight is None and len(weights) == 1:
        (weight,), reason["weight"] = weights, BY_NAME
    beside = [c for c in (cluster, *of_parts.values(), fold, *subgroups) if c]
    choice = _Choice(free, truth, preds, scores, weight, count, reason, beside)
    choice.settled = model is not None or cluster is not None
    return choice.of()


@dataclass
class _Choice:
    """Chooses among the readings of one table, some of whose columns the user may have named."""

    free: Proposals
    truth: str | None
    preds: tuple[Named, ...]
    scores: tuple[Named, ...]
    weight: str | None
    count: str | bool | None
    why: Mapping[str, str]
    beside: Sequence[str]
    settled: bool = False
    """Whether the user said which lines belong together."""
    refuted: list[str] = field(default_factory=list)
    followed: list[Roles] = field(default_factory=list)
    """Readings whose true class follows from a score: derived from it, or from a perfect model."""

    def of(self) -> Roles:
        """Return the only remaining reading, or raise a question."""
        look = self.free.look
        if look is not None and not look.rows:
            raise InputError(f"{look.name} has a header and no rows; give at least one")
        if look is not None:
            _refuse_headers(look)
        if look is not None and look.rows == 1 and self._nothing_named():
            raise InputError(
                f"{look.name} holds one row, and one sample judges nothing; give the rows of all "
                "samples"
            )
        ranked = self._readings()
        best = min((rank for rank, _ in ranked), default=0)
        readings = [r for rank, r in ranked if rank == best]
        if not readings:
            raise self._nothing()
        if len(readings) > 1:
            raise self._several(readings)
        self._refuse_other_names(readings[0])
        self._refuse_crossed(readings[0])
        return self._counted(readings[0])

    def _nothing_named(self) -> bool:
        """Return whether the user named no column and no column counts rows."""
        named = self.truth or self.preds or self.scores or self.count
        return not named and not any(map(is_count, self.free.columns))

    # -- readings ------------------------------------------------------------------------------

    def _readings(self) -> list[tuple[int, Roles]]:
        """Return the readings that the rows do not refute, each with its rank."""
        if self.truth is not None:
            return self._of_truth(self.truth, None)
        named = [(c, BY_NAME) for c in self.free.named_truths]
        possible = [t for t in named if self._may_be_truth(t[0])]
        readings = [r for t, why in possible for r in self._of_truth(t, why)]
        if len(possible) > 1 and not self.free.named_preds and (among := self._among(possible)):
            return among
        if len(possible) > 1 and len(readings) > 1:
            undetermined = [r for r in readings if not self._determined(r[1])]
            readings = undetermined or readings
        if readings or self.free.look is None:
            return [*readings, *self._rivals(possible, readings)]
        out = []
        for t, why in self.free.truths_by_content():
            if self._may_be_truth(t):
                out += [r for r in self._of_truth(t, why) if not self._determined(r[1])]
        if out and all(self._doubtful(r) for _, r in out):
            self.refuted += [
                f"nothing in the rows says that {t!r} is what was predicted"
                for t in dict.fromkeys(r.truth for _, r in out)
            ]
            self.followed += [r for _, r in out]
            return []
        linked = [
            (rank, r)
            for rank, r in out
            if len(r.preds) == 1 and self.free.linked(r.scores, r.preds[0][0], r.truth)
        ]
        # A column that follows from a score may be the truth of a model without errors.
        agreeing = [(rank, r) for rank, r in linked if self.free.agree(r.truth, r.preds[0][0])]
        return agreeing or [*(linked or out), *((0, r) for r in self.followed if out)]

    def _rivals(
        self, named: Sequence[tuple[str, str]], readings: Sequence[tuple[int, Roles]]
    ) -> list[tuple[int, Roles]]:
        """Return readings with another true class than the named one, if the rows support them.

        Either a score is associated with another column and not with the named one, or the named
        one follows from the score, like the label that a pipeline predicts.
        """
        free = self.free
        if len(named) != 1 or not readings or self.preds or self.scores:
            return []
        ((t, _),) = named
        rank = min(rank for rank, _ in readings)
        others = [c for c in free.like_classes() if not is_decision(c) and self._may_be_truth(c)]
        out: list[tuple[int, Roles]] = []
        if not is_gold(t) and not free.named_preds:
            alike = [c for c in others if c != t and free.classes(c) == free.classes(t)]
            for c in alike if len(free.classes(t)) > 1 else ():
                if STRONG_Z < free.goes_with(t, ((c, None),), ()) < math.inf:
                    out += [
                        (rank, Roles(c, o.preds, o.scores, self.weight, why={**self.why, **o.why}))
                        for o in free.decided_among(c, [t])
                    ]
        weak = MIN_Z if is_gold(t) else STRONG_Z
        if not out and all(self._weighed(r) < weak for _, r in readings):
            for c in others:
                rivals = self._of_truth(c, None) if c != t else []
                out += [(rank, r) for _, r in rivals if STRONG_Z < self._weighed(r) < math.inf]
        return out

    def _weighed(self, roles: Roles) -> float:
        """Return the z statistic of the association between a reading's outputs and its truth."""
        return self.free.goes_with(roles.truth, roles.preds, roles.scores)

    def _doubtful(self, roles: Roles) -> bool:
        """Return whether a true class detected by content alone may be an ordinary feature."""
        output = Output(roles.preds, roles.scores, {})
        if len(self.free.classes(roles.truth)) > 2 or (
            not self.free.named_preds and roles.why.get("truth") != TWO_VALUES
        ):
            return False
        about = self.free.about(output, roles.truth)
        return about is not None or self._weighed(roles) < MIN_Z

    def _among(self, named: Sequence[tuple[str, str]]) -> list[tuple[int, Roles]]:
        """Return readings in which one of several columns named like truths is the prediction."""
        return [
            (int(not is_gold(t)), self._reading(t, why, o))
            for t, why in named
            for o in self.free.decided_among(t, [c for c, _ in named if c != t])
        ]

    def _of_truth(self, truth: str, why: str | None) -> list[tuple[int, Roles]]:
        """Return all readings in which one given column is the true class."""
        if self.preds or self.scores:
            if truth in {*dict(self.preds), *dict(self.scores)}:
                return []
            scores = self.free.as_stated(truth, self.scores)
            return [(0, self._reading(truth, why, Output(self.preds, scores, {})))]
        candidates = [
            (o, self._reading(truth, why, o))
            for o in self.free.outputs(truth)
            if truth not in {*dict(o.preds), *dict(o.scores)}
        ]
        judging = [(o, r) for o, r in candidates if self._judges(truth, o)]
        sharing = [(o, r) for o, r in judging if self._shares(truth, o)]
        if not sharing and len(judging) < len(candidates):
            self.followed += [r for _, r in candidates]
            return []
        return [(o.rank, r) for o, r in sharing or candidates]

    def _reading(self, truth: str, why: str | None, output: Output) -> Roles:
        """Return a reading with its outputs and the reason for each role."""
        reasons = {**self.why, **({"truth": why} if why else {}), **output.why}
        return Roles(truth, output.preds, output.scores, self.weight, why=reasons)

    # -- checks --------------------------------------------------------------------------------

    def _may_be_truth(self, column: str) -> bool:
        """Return whether a column can be the true class: no id, fraction or correctness flag."""
        contents, reason = self.free.contents(column), ""
        if contents.names_rows and contents.facts.whole:
            reason = "differs in every row, as an id does"
        elif contents.facts.numeric and not contents.facts.whole:
            reason = "holds fractions"
        elif contents.facts.present and bare(column) == "correct":
            preds = [c for p in self.free.named_preds for c, _ in p]
            if not any(contents.classes & self.free.classes(c) for c in preds):
                reason = "says which rows are right, not their class"
        if reason:
            self.refuted.append(f"{column!r} {reason}")
        return not reason

    def _shares(self, truth: str, output: Output) -> bool:
        """Return whether every prediction shares a class with the truth."""
        own = self.free.classes(truth)
        predicted = [classes for c, _ in output.preds if (classes := self.free.classes(c))]
        return not own or all(
            own & classes or _values(own) & _values(classes) for classes in predicted
        )

    def _judges(self, truth: str, output: Output) -> bool:
        """Return whether the scores fit the classes: a single score ranks two, not three."""
        if len(output.scores) != 1 or output.preds:
            return True
        ((score, target),) = output.scores
        if self.free.contents(score).is_vector:
            return True
        if target is None and self.free.confident(score, truth):
            self.refuted.append(
                f"{score!r} is never below chance, as the probability of the predicted class is, "
                f"which {truth!r} may be"
            )
            return False
        return len(self.free.classes(truth)) <= 2

    def _determined(self, roles: Roles) -> bool:
        """Return whether a true class follows from a score or never agrees with the prediction.

        Then it was made with a threshold, or is another output of the same model.
        """
        contents = self.free.contents(roles.truth)
        reason = ""
        if not roles.preds and (how := self.free.linked(roles.scores, roles.truth, roles.truth)):
            reason = f"{how} gives {roles.truth!r} in every row"
        elif len(roles.scores) == 1:
            ((c, _),) = roles.scores
            numbers = self.free.contents(c).numbers
            if numbers is not None and _in_ranges(numbers, contents.coded[0]):
                reason = f"{roles.truth!r} follows from {c!r} by thresholds"
        if reason:
            self.refuted.append(reason)
            self.followed.append(roles)
            return True
        for c, _ in roles.preds if contents.facts.rows >= FEWEST else ():
            texts = zip(contents.texts, self.free.contents(c).texts, strict=True)
            same = [a == b for a, b in texts if a and b]
            if same and not any(same):
                self.refuted.append(f"{roles.truth!r} never agrees with {c!r}")
                return True
        return False

    # -- counts --------------------------------------------------------------------------------

    def _counted(self, roles: Roles) -> Roles:
        """Return the roles including the column that counts the rows of each line."""
        look = self.free.look
        if isinstance(self.count, str):
            return replace(roles, counted=self.count)
        if self.count is not None or look is None:
            return roles
        used = {c for names in roles.columns.values() for c in names}
        free = [c for c in look.columns if c not in {*used, *self.beside}]
        names = [c for c in (free if roles.weight is None else [roles.weight]) if is_count(c)]
        names = [c for c in names if _can_count(look, c)]
        if not names and roles.weight is None and self._table_of_counts(roles, free):
            (name,) = free
            raise Question(
                f"no two lines are equal but for {name}, which may count the rows of each line",
                [{"count": name}, {"count": False}],
            )
        if len(names) > 1:
            say: list[Say] = [*({"count": c} for c in names), {"count": False}]
            raise Question(
                f"several columns could count the rows of each line: {listed(names)}", say
            )
        for name in names:
            others = [c for c in look.columns if c != name]
            is_named = roles.weight == name and "weight" not in roles.why
            scores = [c for c, _ in roles.scores]
            if scores and not is_named and _hardly_repeat(look, scores):
                note = f"`{name}` is not read as a count of rows, since scores hardly repeat"
                return replace(roles, notes=(f"{note} (say count={name!r} if it is one)",))
            if not _are_combinations(look, others):
                why = f"{name} holds whole numbers and could count the rows of each line"
                if is_named:
                    other = f"give count={name!r} in place of weight={name!r} if it does"
                    raise Question(why, [{"weight": name, "count": False}], other)
                raise Question(why, [{"count": name}, {"count": False}])
            reasons = {**roles.why, "count": "its name, and every combination has one line"}
            return replace(roles, weight=None, counted=name, why=reasons)
        return roles

    def _refuse_crossed(self, roles: Roles) -> None:
        """Ask how lines belong together if each reader or run has one line per case."""
        look = self.free.look
        used = {c for names in roles.columns.values() for c in names}
        free = [c for c in self.free.columns if c not in used]
        if look is None or self.settled or any(map(is_model, free)):
            return
        codes = {c: look.contents[c].coded[0] for c in free if c in look.contents}
        sizes = {c: len(np.unique(v)) for c, v in codes.items() if v.min(initial=0) >= 0}
        true = look.contents[roles.truth].coded[0] if roles.truth in look.contents else None
        for case, m in sizes.items():
            for run, k in sizes.items():
                if true is None or not (1 < k <= MOST_LINES and k * m == look.rows and m >= FEWEST):
                    continue
                pairs, with_truth = (
                    codes[case] * k + codes[run],
                    codes[case] * (true.max() + 2) + true,
                )
                if len(np.unique(pairs)) == look.rows and len(np.unique(with_truth)) == m:
                    raise Question(
                        f"each value of {case} stands in {k} lines, one for each {run}, so they "
                        "are no independent rows",
                        [{"model": run}, {"cluster": case}],
                        f"model={run!r} judges each {run} by itself",
                    )

    def _table_of_counts(self, roles: Roles, free: Sequence[str]) -> bool:
        """Return whether the table is a cross-tabulation: one count per pair of classes."""
        look = self.free.look
        if look is None or len(free) != 1 or roles.scores or not _can_count(look, free[0]):
            return False
        cells = len(self.free.classes(roles.truth)) ** 2
        return 4 <= look.rows <= cells and _are_combinations(
            look, [c for c in look.columns if c not in free]
        )

    # -- questions -----------------------------------------------------------------------------

    def _refuse_other_names(self, roles: Roles) -> None:
        """Ask if the names of truth and predictions suggest what a part judges instead."""
        used = {c for names in roles.columns.values() for c in names}
        if self.free.look is None or not self._nothing_named():
            return
        for say, why in also_read(self.free.look):
            if why and used <= {c for value in say.values() for c in names_of(value)}:
                both = f"{why}, and may also be a true class and a prediction"
                raise Question(both, [column_arguments(roles)])

    def _several(self, readings: Sequence[Roles]) -> Question:
        """Return a question that lists the readings which the rows cannot distinguish."""
        roles = ("truth", "pred", "score")
        open_ = [o for o in roles if len({tuple(r.columns.get(o, ())) for r in readings}) > 1]
        role = open_[0]
        candidates = list(dict.fromkeys(c for r in readings for c in r.columns.get(role, ())))
        why = f"several columns could be the {TITLES[role]}: {listed(candidates)}"
        if role == "truth" and self._one_hot(candidates):
            return Question(
                f"{listed(candidates)} hold exactly one 1 in each row, so each row has one class "
                "(one-hot)",
                [],
                "give one column with the class of each row, or name all these columns with "
                "truth=[...] if rows may have several labels",
            )
        if role == "truth" and (of_labels := self._label_columns(candidates, readings)):
            outputs = listed(next(v for r, v in of_labels.items() if r != "truth"))
            return Question(
                f"{listed(candidates)} hold 0 and 1, not one 1 in each row, and {outputs} are "
                "named after them, so rows may have several labels",
                [of_labels],
            )
        if len(candidates) == 1:
            why = "the columns can be read in several ways"
        say = [column_arguments(r) for r in readings]
        single = [r.scores if role == "score" else r.preds for r in readings]
        if all(len(s) == 1 for s in single) and (
            role == "score" or (role == "pred" and not any(r.scores for r in readings))
        ):
            return Question(why, and_all(say, {**say[0], role: candidates}))
        return Question(why, say)

    def _label_columns(self, truths: Sequence[str], readings: Sequence[Roles]) -> Say:
        """Return columns of 0 and 1 as labels, each with its score or prediction; else nothing."""
        if not all(self.free.classes(c) <= {"0", "1"} for c in truths):
            return {}
        for role in ("score", "pred"):
            columns = dict.fromkeys(c for r in readings for c in r.columns.get(role, ()))
            if found := named_after_labels(truths, [c for c in columns if c not in truths]):
                return {"truth": [*truths], role: [*found]}
        return {}

    def _one_hot(self, columns: Sequence[str]) -> bool:
        """Return whether columns of 0 and 1 are one-hot: exactly one 1 in each row."""
        matrix = self.free.matrix(columns)
        flags = all(self.free.classes(c) <= {"0", "1"} for c in columns)
        return (
            matrix is not None and len(columns) > 2 and flags and bool((matrix.sum(1) == 1).all())
        )

    def _nothing(self) -> InputError:
        """Return the error for a table without a true class, or without predictions and scores."""
        truths = [self.truth] if self.truth is not None else self.free.named_truths
        truths = [c for c in truths if c == self.truth or self._may_be_truth(c)]
        return self._no_output(truths) if truths and not self.followed else self._no_truth()

    def _no_output(self, truths: Sequence[str]) -> Question:
        """Return the question for predictions or scores, given candidates for the true class."""
        self._refuse_taken("a prediction or a score", ("score", "pred"))
        readings = [
            Roles(truths[0], (), ((c, None),), self.weight, why=self.why)
            for c in self.free.numbers(truths)
        ]
        say: list[Say] = [column_arguments(r) for r in readings]
        names = [column for r in readings for column, _ in r.scores]
        if len(names) > 1 and len({re.sub(r"\d+$", "", str(name)) for name in names}) == 1:
            say = and_all(say, {**say[0], "score": names})  # model_1, model_2 and so on
        return Question(
            "no column looks like a prediction or a score (names such as y_pred, score, p_yes, or "
            f"numbers from 0 to 1); the columns are {listed(self.free.columns)}",
            say,
            "name it with score=... or pred=...",
        )

    def _no_truth(self) -> InputError:
        """Return the question for the true class, with the reasons against each candidate."""
        free = self.free
        self._refuse_taken("the true class", ("truth",))
        if (message := answer("judged_elsewhere", free.columns)) is not None:
            return NoTruth(message, ())
        near = [c for c in free.like_classes() if self._may_be_truth(c)]
        near = [c for c in near if len(free.classes(c)) <= 20]
        refuted = list(dict.fromkeys(self.refuted))
        reasons = f"; {'; '.join(refuted[:3])}" if refuted else ""
        readings = self.followed
        if not refuted:
            readings = [r for t in near for _, r in self._of_truth(t, None)]
            readings = readings or [
                Roles(t, (), ((c, None),)) for t in near for c in free.numbers({t})
            ]
        return NoTruth(
            "there is no true class here: no column looks like it (names such as y_true, label, "
            f"target, or two values in all rows); the columns are {listed(free.columns)}{reasons}",
            [say for r in readings for say in self._with_class(r)],
            "name its column with truth=..., or give the file that holds it with "
            "truth=tm.file(...)",
        )

    def _with_class(self, roles: Roles) -> list[dict[str, Any]]:
        """Return the arguments of a reading, one set per class if the score may be of either."""
        say, texts = column_arguments(roles), self.free.contents(roles.truth).coded[1]
        lone = len(roles.scores) == 1 and not roles.preds
        if not lone or not self.free.confident(roles.scores[0][0], roles.truth):
            return [say]
        return [{**say, "score_of": text} for text in sorted(texts, reverse=True)]

    def _refuse_taken(self, role: str, roles: Sequence[str]) -> None:
        """Refuse if the only column named like the wanted role was given another role."""
        for name, part in self.free.assigned.items():
            if part not in roles and (says := meaning(name)) and says.role in roles:
                raise InputError(
                    f"only {name!r} is named like {role}, and it was given as the {part}; name "
                    f"another column as the {part}, or say which is {role} with {roles[0]}=..."
                )


def also_read(look: Look) -> list[tuple[dict[str, Any], str]]:
    """Return the arguments with which parts judge a table, each with why names suggest it."""
    results = (offer(look) for offer in added("also_read"))
    return [result for result in results if result is not None]


def column_arguments(roles: Roles) -> dict[str, Any]:
    """Return the arguments that name the columns of a reading."""
    columns = {role: roles.columns.get(role, []) for role in ("truth", "pred", "score")}
    return {role: n[0] if len(n) == 1 else n for role, n in columns.items() if n}


def _values(classes: Collection[str]) -> set[int | None]:
    """Return which of 1 (true) and 0 (false) some class labels mean."""
    return {truth_value(c) for c in classes} - {None}


def _in_ranges(scores: Any, codes: Any) -> bool:
    """Return whether the score ranges of the classes do not overlap, in at least 20 rows.

    Equal scores in two classes count as overlap.

    >>> _in_ranges(np.arange(30) / 30, np.repeat([0, 1, 2], 10))
    True
    >>> _in_ranges(np.array([0] * 12 + [1] * 12), np.repeat([0, 1], [11, 13]))
    False
    """
    keep = np.isfinite(scores) & (codes >= 0)
    scores, codes = scores[keep], codes[keep]
    sides = [scores[codes == code] for code in np.unique(codes)]
    if len(scores) < FEWEST or len(sides) < 2:
        return False
    ends = sorted((side.min(), side.max()) for side in sides)
    return all(lower[1] < upper[0] for lower, upper in pairwise(ends))


def _can_count(look: Look, name: str) -> bool:
    """Return whether a column can count rows: whole numbers of 0 or more, some above 1."""
    facts = look.contents[name].facts
    if not facts.whole or facts.missing or facts.low is None or facts.high is None:
        return False
    return facts.low >= 0 and facts.high > 1


def _hardly_repeat(look: Look, scores: Sequence[str]) -> bool:
    """Return whether the scores are nearly all distinct."""
    contents = [look.contents[c] for c in scores if c in look.contents]
    return any(h.facts.distinct >= HARDLY * h.facts.present > 0 for h in contents)


def _are_combinations(look: Look, columns: Collection[str]) -> bool:
    """Return whether lines are counted combinations: no two are equal although rows would be."""
    contents, lines = [look.contents[c] for c in columns], look.rows
    pairs = lines * (lines - 1) / 2
    shares = math.prod(h.facts.equal_pairs / pairs for h in contents) if pairs else 0.0
    groups = math.prod(h.facts.distinct + bool(h.facts.missing) for h in contents)
    if pairs * shares < ENOUGH and (groups > lines or not pairs):
        return False
    rows = set(zip(*(h.coded[0].tolist() for h in contents), strict=True))
    return len(rows) == lines


def _refuse_headers(look: Look) -> None:
    """Refuse a header that is repeated among the rows, as in concatenated files."""
    again = np.ones(look.rows, dtype=bool)
    for name, contents in look.contents.items():
        again &= contents.texts == name
    if look.contents and again.any():
        before = many(int(np.argmax(again)), "row")
        raise InputError(f"{look.name} repeats its header after {before}; remove that line")


def _refuse_unknown(requested: Mapping[str, Sequence[str]], columns: Sequence[str]) -> None:
    """Refuse columns that do not exist, and columns named twice."""
    named = [(role, name) for role, names in requested.items() for name in names]
    for role, name in named:
        if name not in columns and role == "truth" and Path(name).is_file():
            raise InputError(
                f"{name!r} is a file, and truth= names a column; say truth=tm.file({name!r})"
            )
        if name not in columns:
            raise InputError(f"there is no column {name!r} for {role}; {choices(name, columns)}")
    for name, times in Counter(name for _, name in named).items():
        if times > 1:
            raise InputError(f"the column {name!r} is named twice; give every column one role")
