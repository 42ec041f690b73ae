"""Which columns could be the true class, a prediction or a score: by name, else by content.

A name that says what a column is settles it. Where none does, all rows are looked at; of several
columns that would do none is chosen, and the refusal lists the argument for each.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.errors import InputError, listed
from tallymark.reading.chunks import FrameTable
from tallymark.reading.names import (
    CONFIDENCE,
    TRIALS,
    Named,
    bare,
    is_decision,
    is_model,
    meaning,
    named_after,
)
from tallymark.reading.profile import Profile, Table, add_up, first_rows, profile_of
from tallymark.tally.arrays import Floats

BY_NAME = "its name"

TITLES = {
    "truth": "true class", "pred": "predicted class", "score": "score", "weight": "weight",
    "count": "count of rows",
}  # fmt: skip
"""What a role is called in a sentence."""
WANTED = {"truth": "the true class", "score": "a prediction or a score"}
_SAS = re.compile(r"([FIP])_(.+)", re.IGNORECASE | re.DOTALL)
_MOST_TOLD = 6

_FEWEST_DECIDED = 20
"""Of fewer rows, some feature of two values is one threshold's by chance."""

_FIRST = 1000
"""So many rows rule out most columns as decisions."""


Found = tuple[tuple[Named, ...], tuple[Named, ...], dict[str, str]]
"""Columns of predictions, columns of scores, and why they are that, by their role."""


class Candidates:
    """The columns without a named role, and what their names and their rows say they could be.

    ``given`` are the columns that somebody named, with their roles. Without a ``table`` names alone
    are looked at.
    """

    def __init__(
        self, columns: Sequence[str], given: Mapping[str, str], table: Table | None = None,
        *, percent: bool = False,
    ) -> None:  # fmt: skip
        self.columns = [c for c in columns if c not in given]
        self.given, self.table, self.percent = given, table, percent
        self._says = {c: meaning(c) for c in self.columns}
        self._sas = _of_sas(columns)

    @cached_property
    def profile(self) -> Profile | None:
        """What all columns hold; looked up once, and only where names do not tell."""
        held = None if self.table is None else profile_of(self.table, self.table.columns)
        return {n: c.in_percent() for n, c in held.items()} if held and self.percent else held

    # -- by name -------------------------------------------------------------------------------

    def called(self, role: str, *, of: bool = False, weak: bool = False) -> list[str]:
        """Return the columns that are called like a role, after nothing or ``of`` something."""
        return [
            c
            for c, says in self._says.items()
            if says and says.role == role and (says.of is not None) == of and says.weak == weak
        ]

    def truth(self, preds: Sequence[str], scores: Sequence[Named]) -> tuple[str, str]:
        """Return the column of the true class, and why it is that."""
        found = [c for c in self._sas.get("F", ()) if c in self._says]
        found = found or self.called("truth") or self.called("truth", weak=True)
        if len(found) > 1:
            raise several("truth", found)
        return (found[0], BY_NAME) if found else self._truth_by_content(preds, scores)

    def predictions(self, truth: str | None) -> Found:
        """Return the columns of predictions and scores by their names, and why they are that."""
        preds, scores = self.preds(), self.scores(truth or "".join(self.called("truth")[:1]))
        why = dict.fromkeys(["pred"] if preds else [], BY_NAME)
        observed = [truth] if truth else self.called("truth") or self.called("truth", weak=True)
        exported = {bare(c) for c in (*dict(preds), *observed)}
        if preds and not scores and len(observed) == 1 and exported & {"obs", "predict"}:
            # caret and H2O name the columns of probabilities by the classes alone.
            scores = self.of_classes(observed[0])
        if scores:
            why["score"] = BY_NAME if len(scores) == 1 else "their names"
        return tuple(preds), tuple(scores), why

    def preds(self) -> list[Named]:
        """Return the columns that are called predictions: one, or one of each model."""
        into = [c for c in self._sas.get("I", ()) if c in self._says]
        alone = into or self.called("pred")
        if len(alone) > 1 and (held := self.profile) is not None:
            # A prediction in fractions is a score, whatever its name.
            alone = [c for c in alone if not held[c].fractions] or alone
        beside = self.called("pred", of=True)
        if len(alone) > 1 or (alone and beside):
            raise several("pred", [*alone, *beside])
        return [(c, None) for c in alone] or [named_after(c) for c in beside]

    def scores(self, truth: str) -> list[Named]:
        """Return the columns that are called scores: one, or one of each class or model."""
        if "P" in self._sas:
            levels = [c for c in self._sas["P"] if c in self._says]
            size = len(self._sas["of"][0]) + 2
            return [(c, c[size:]) for c in levels]
        alone, beside = self.called("score"), self.called("score", of=True)
        if len(alone) + len(beside) > 1 and alone and (held := self.profile) is not None:
            texts = [c for c in alone if held[c].present and not held[c].numeric]
            self._says |= dict.fromkeys(texts)  # which are not scores, whatever their names
            alone = [c for c in alone if c not in texts]
        if len(alone) > 1 or (alone and beside):
            raise several("score", [*alone, *beside])
        found = [*alone, *beside] or self.called("score", of=True, weak=True)
        pairs = [named_after(c) for c in found]
        after = [of is not None and of.casefold().startswith(truth.casefold()) for _, of in pairs]
        if pairs and all(after) and all(of != truth for _, of in pairs):
            pairs = [(c, (of or "")[len(truth) :].lstrip("_.- ")) for c, of in pairs]
        return pairs

    def of_predicted(self, pred: str, score: str) -> bool:
        """Tell whether a score is the probability of the predicted class, whichever that is.

        It is called a confidence and more than one class is predicted: of two, no row has less than
        an even chance would give, and no threshold on it gives both.
        """
        if not any(bare(score).startswith(word) for word in CONFIDENCE) or self.profile is None:
            return False
        confidence, classes = self.profile[score], self.profile[pred].classes
        chance = classes == 2 and (confidence.low or 0.0) >= 0.5
        return confidence.fractions and (classes > 2 or chance)

    # -- by content ----------------------------------------------------------------------------

    def _truth_by_content(self, preds: Sequence[str], scores: Sequence[Named]) -> tuple[str, str]:
        held, free = self.profile, [c for c in self.columns if self._says[c] is None]
        if held is None:
            raise self._nothing("truth", "names such as y_true, label, target")
        classes = {c: set(held[c].texts) for c in free if c in held and held[c].classes}
        found, why = [], ""
        for pred in preds:
            texts = set(held[pred].texts) if pred in held else set()
            if len(texts) > 1:
                found = [c for c, t in classes.items() if t <= texts or texts <= t]
                why = f"the same values as `{pred}`"
        of = {text for _, text in scores if text is not None}
        if not found:
            found = [c for c, texts in classes.items() if texts <= of]
            why = "the score columns are named after its values"
        if not found:
            found = [c for c, texts in classes.items() if len(texts) == 2 and not is_model(c)]
            found = [c for c in found if not is_decision(c)] or found
            why = "the only column of two values"
        if len(found) > 1:
            self._refuse_taken("truth")
            raise several("truth", found, " by their values")
        if found:
            return found[0], why
        called = {bare(c) for c in self.columns}
        if any(called >= set(pair) for pair in TRIALS):
            raise InputError(
                "the columns hold genuine and impostor scores side by side; judge them with "
                "tallymark verify, or tm.verify"
            )
        wanted = "names such as y_true, label, target, or two values in all rows"
        raise self._nothing("truth", wanted, [c for c in classes if len(classes[c]) <= 20])

    def predictions_by_content(self, truth: str) -> Found:
        """Return the predictions and the scores by what columns hold, and why they are that."""
        held, wanted = self.profile, "names such as y_pred, score, p_yes"
        if held is None:
            raise self._nothing("score", wanted)
        if found := self.of_classes(truth):
            return (), tuple(found), {"score": "named after the classes"}
        free = [c for c in self.columns if c in held and c != truth and self._says[c] is None]
        scores = [c for c in free if held[c].fractions]
        if len(scores) == 1:
            return (), ((scores[0], None),), {"score": "the only column of numbers from 0 to 1"}
        if scores and self.table is not None:
            self.table.in_percent(scores if self.percent else ())
            chunks = self.table.chunks([], scores)
            if not all(add_up(chunk.numbers, scores) for chunk in chunks):
                raise several("score", scores, ", numbers from 0 to 1")
            return (), tuple((c, None) for c in scores), {"score": "they add up to 1 in each row"}
        texts = set(held[truth].texts) if truth in held else set()
        preds = [c for c in free if held[c].classes and set(held[c].texts) <= texts]
        preds = [c for c in preds if is_decision(c)] or preds
        if len(preds) > 1:
            raise several("pred", preds, f", with the values of {truth!r}")
        if preds:
            return ((preds[0], None),), (), {"pred": f"the same values as `{truth}`"}
        numbers = [c for c in free if held[c].numeric and held[c].kind != "identifier"]
        raise self._nothing("score", f"{wanted}, or numbers from 0 to 1", numbers)

    def of_classes(self, truth: str) -> list[Named]:
        """Return the columns of numbers that are called like the classes, as caret writes them."""
        held = self.profile
        if held is None or truth not in held:
            return []
        texts = {bare(text) or text: text for text in held[truth].texts}
        found = {c: texts.get(bare(c) or c) for c in self.columns if c != truth and c in held}
        pairs: list[Named] = [(c, t) for c, t in found.items() if t and held[c].numeric]
        return pairs if len(pairs) > 1 else []

    def decision(self, truth: str, scores: Sequence[Named]) -> tuple[str, str] | None:
        """Return the column of the decisions that were made with scores, and why it is that.

        It is called so and holds classes of the truth alone; or it holds both, and one threshold
        on each score tells them apart in all rows.
        """
        taken, table = {truth, *dict(scores)}, self.table
        free = [c for c in self.columns if self._says[c] is None and c not in taken]
        found, why = [c for c in free if is_decision(c)], BY_NAME
        if free and table is not None and not (isinstance(table, FrameTable) and table.in_engine):
            found = [c for c in found if _decided(table, truth, c, scores, by_name=True)]
            if not found:
                near = _perhaps_decided(table, free, list(dict(scores)))
                near = [c for c in near if _decided(table, truth, c, scores)]
                found, why = near if len(near) == 1 else [], "a threshold on the score"
        if len(found) > 1:
            raise several("pred", found)
        return (found[0], why) if found else None

    def _refuse_taken(self, role: str) -> None:
        """Refuse a column of another part that alone is called like what is wanted."""
        alike = ("truth",) if role == "truth" else ("pred", "score")
        for name, part in self.given.items():
            if part not in alike and (says := meaning(name)) and says.role in alike:
                raise InputError(
                    f"only {name!r} is named like {WANTED[role]}, and it was given as the {part}; "
                    f"name another column as the {part}, or say which is {WANTED[role]} with "
                    f"{role}=..."
                )

    def _nothing(self, role: str, wanted: str, near: Sequence[str] = ()) -> InputError:
        in_engine = isinstance(self.table, FrameTable) and self.table.in_engine
        if self.table is not None and not in_engine and not first_rows(self.table, 1):
            return InputError(f"{self.table.name} has a header and no rows; give at least one")
        self._refuse_taken(role)
        what = WANTED[role]
        say = " or ".join(f"{role}={c!r}" for c in near[:_MOST_TOLD]) or f"{role}=..."
        say += ", or add it" if role == "truth" else " or pred=..."
        return InputError(
            f"no column looks like {what} ({wanted}); the columns are {listed(self.columns)}; say "
            f"which with {say}"
        )


def several(role: str, found: Sequence[str], how: str = "") -> InputError:
    """Return the refusal of several columns of one role, with the argument for each.

    >>> print(several("score", ["a", "b"]))
    several columns could be the score: 'a', 'b'; say score='a' or score='b', or score=['a', 'b'] \
for one model each
    """
    say = " or ".join(f"{role}={c!r}" for c in found[:_MOST_TOLD])
    if role != "truth":
        say += f", or {role}={list(found[:_MOST_TOLD])!r} for one model each"
    return InputError(
        f"several columns could be the {TITLES[role]}{how}: {listed(found)}; say {say}"
    )


def _perhaps_decided(table: Table, columns: Sequence[str], scores: Sequence[str]) -> list[str]:
    """Return the columns that by a table's first rows could be decisions made with scores."""
    rows = dict(zip(table.columns, zip(*first_rows(table, _FIRST), strict=True), strict=False))
    near = [c for c in columns if 0 < len({str(v) for v in rows.get(c, ())}) <= 2]
    if not near:  # or no rows at all, which is said when they are counted
        return []
    with suppress(ValueError, TypeError):  # numbers that are written in another way
        values = np.array([[float(v) for v in rows[c]] for c in scores])
        codes = {c: np.unique([str(v) for v in rows[c]], return_inverse=True)[1] for c in near}
        near = [c for c in near if _told_apart(_ends(values, codes[c]))]
    return near


def _decided(
    table: Table, truth: str, column: str, scores: Sequence[Named], *, by_name: bool = False
) -> bool:
    """Tell whether a column holds classes of the truth that were decided with scores."""
    of = {bare(of) for _, of in scores if of is not None} if len(scores) > 1 else set()
    ends, rows, same = np.full((2, 2, len(scores)), -np.inf), 0, True
    with suppress(InputError):  # what is not a label, or not a score, is refused when it is counted
        for chunk in table.chunks([truth, column], list(dict(scores))):
            true, made = chunk.labels[truth], chunk.labels[column]
            if not ({*made.labels} <= {*true.labels} and of <= {bare(str(t)) for t in true.labels}):
                return False
            if by_name:
                return True
            ends = np.fmax(ends, _ends(np.array([*chunk.numbers.values()]), made.codes))
            if made.labels != true.labels or len(made.labels) != 2 or not _told_apart(ends):
                return False
            same &= bool((true.codes == made.codes)[true.codes >= 0].all())
            rows += int((made.codes >= 0).sum())
    return rows >= _FEWEST_DECIDED and not same  # a copy of the truth is not a decision


def _ends(values: Floats, codes: Any) -> Floats:
    """Return the highest and the negated lowest score of rows of each of two codes."""
    each = [values[:, codes == k] for k in range(2)]
    return np.array(
        [[np.fmax.reduce(sign * v, axis=1, initial=-np.inf) for sign in (1, -1)] for v in each]
    )


def _told_apart(ends: Floats) -> bool:
    """Tell whether for each score all of one code are above all of the other."""
    high, low = ends[:, 0], -ends[:, 1]
    return bool(((low[0] > high[1]) | (low[1] > high[0])).all())


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
