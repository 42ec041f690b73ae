"""Which columns could be the true class, a prediction or a score: by name, else by content.

A name that says what a column is settles it. Where none does, all rows are looked at; of several
columns that would do none is chosen, and the refusal lists the argument for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tallymark.data.names import CONFIDENCE, TRIALS, bare, meaning
from tallymark.errors import InputError, listed

if TYPE_CHECKING:
    from tallymark.data.profile import Profile

Look = Callable[[], "Profile | None"]
"""Looks at all rows of a table: what its columns hold, or None where that would cost."""

Named = tuple[str, str | None]
"""A column, and the class or the model that it is named after."""

BY_NAME = "its name"

TITLES = {
    "truth": "true class", "pred": "predicted class", "score": "score", "weight": "weight",
    "count": "count of rows",
}  # fmt: skip
"""What a role is called in a sentence."""
_SAS = re.compile(r"([FIP])_(.+)", re.IGNORECASE | re.DOTALL)
_MOST_TOLD = 6


def named_after(column: str) -> Named:
    """Return a column with the class or the model that its name tells of."""
    says = meaning(column)
    return column, says.of if says else None


@dataclass
class Candidates:
    """The columns that nobody named, and what their names and their rows say they could be."""

    columns: Sequence[str]
    look: Look | None = None

    def __post_init__(self) -> None:
        self._says = {c: meaning(c) for c in self.columns}
        self._sas = _of_sas(self.columns)

    @cached_property
    def profile(self) -> Profile | None:
        """What all columns hold; looked up once, and only where names do not tell."""
        return self.look() if self.look else None

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
        found = self._sas.get("F") or self.called("truth") or self.called("truth", weak=True)
        if len(found) > 1:
            raise several("truth", found)
        return (found[0], BY_NAME) if found else self._truth_by_content(preds, scores)

    def preds(self) -> list[Named]:
        """Return the columns that are called predictions: one, or one of each model."""
        alone = self._sas.get("I") or self.called("pred")
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
            self._says |= dict.fromkeys(texts)  # which are no scores, whatever their names
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

        It is called a confidence, no row has less than an even chance would give, and more than
        one class is predicted: with two, no threshold on it gives both.
        """
        if not any(bare(score).startswith(word) for word in CONFIDENCE) or self.profile is None:
            return False
        confidence, classes = self.profile[score], self.profile[pred].classes
        return classes > 1 and confidence.fractions and (confidence.low or 0.0) >= 1 / classes

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
                why = f"its values are those of `{pred}`"
        of = {text for _, text in scores if text is not None}
        if not found:
            found = [c for c, texts in classes.items() if texts <= of]
            why = "the columns of scores are named after its values"
        if not found:
            found = [c for c, texts in classes.items() if len(texts) == 2]
            why = "the only column of two values"
        if len(found) > 1:
            raise several("truth", found, " by their values")
        if found:
            return found[0], why
        called = {bare(c) for c in self.columns}
        if any(called >= set(pair) for pair in TRIALS):
            raise InputError(
                "the columns hold scores of genuine and of impostor comparisons, side by side; "
                "judge them with tallymark verify, or tm.verify"
            )
        wanted = "names such as y_true, label, target, or two values in all rows"
        raise self._nothing("truth", wanted, [c for c in classes if len(classes[c]) <= 20])

    def predictions(self, truth: str) -> tuple[list[Named], list[Named], str]:
        """Return the predictions and the scores by what columns hold, and why they are that."""
        held, wanted = self.profile, "names such as y_pred, score, p_yes"
        if held is None:
            raise self._nothing("score", wanted)
        if found := self.of_classes(truth):
            return [], found, "named after the classes"
        free = [c for c in self.columns if c in held and c != truth and self._says[c] is None]
        scores = [c for c in free if held[c].fractions]
        if len(scores) > 1:
            raise several("score", scores, ", numbers from 0 to 1")
        if scores:
            return [], [(scores[0], None)], "the only column of numbers from 0 to 1"
        texts = set(held[truth].texts) if truth in held else set()
        preds = [c for c in free if held[c].classes and set(held[c].texts) <= texts]
        if len(preds) > 1:
            raise several("pred", preds, f", with the values of {truth!r}")
        if preds:
            return [(preds[0], None)], [], f"its values are those of `{truth}`"
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

    def _nothing(self, role: str, wanted: str, near: Sequence[str] = ()) -> InputError:
        what = "the true class" if role == "truth" else "a prediction or a score"
        say = " or ".join(f"{role}={c!r}" for c in near[:_MOST_TOLD]) or f"{role}=..."
        say += "" if role == "truth" else " or pred=..."
        return InputError(
            f"no column looks like {what} ({wanted}); the columns are {listed(self.columns)}; say "
            f"which with {say}"
        )


def several(role: str, found: Sequence[str], how: str = "") -> InputError:
    """Return the refusal of several columns of one role, with the argument for each.

    >>> print(several("score", ["a", "b"]))
    several columns could be the score: 'a', 'b'; say score='a' or score='b', or score=['a', 'b'] \
for a model each
    """
    say = " or ".join(f"{role}={c!r}" for c in found[:_MOST_TOLD])
    if role != "truth":
        say += f", or {role}={list(found[:_MOST_TOLD])!r} for a model each"
    return InputError(
        f"several columns could be the {TITLES[role]}{how}: {listed(found)}; say {say}"
    )


def _of_sas(columns: Collection[str]) -> dict[str, list[str]]:
    """Return the columns that SAS names after the target: F_ from, I_ into, P_ of each level.

    >>> _of_sas(["F_bad", "I_bad", "P_bad1", "P_bad0"])["P"]
    ['P_bad1', 'P_bad0']
    """
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
