"""Which column of a table is what, and which columns are one classifier's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tallymark.errors import InputError
from tallymark.reading.derived import Derived
from tallymark.reading.layouts import Layout
from tallymark.reading.names import Named
from tallymark.tally.arrays import (
    MOST_SUBGROUPS,
    Coded,
    code_labels,
)


@dataclass(frozen=True, slots=True)
class Roles:
    """The role of each column, and the reason where none was named.

    ``preds`` and ``scores`` are (column, class or model that it is named after, or None);
    ``counted`` is the column that says how many rows a line stands for; ``pos_neg`` the counts of a
    table of scores already counted; ``layout`` is what tells the roles, if one program's columns
    do. ``said`` is what was decided beside, in words.
    """

    truth: str
    preds: tuple[Named, ...]
    scores: tuple[Named, ...]
    weight: str | None = None
    counted: str | None = None
    pos_neg: tuple[str, str] | None = None
    layout: Layout | None = None
    why: Mapping[str, str] = field(default_factory=dict)
    said: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, list[str]]:
        """The columns of each role."""
        single = {"truth": self.truth, "weight": self.weight, "count": self.counted}
        out = {role: [name] for role, name in single.items() if name}
        out |= {"pred": [c for c, _ in self.preds], "score": [c for c, _ in self.scores]}
        return {**out, "count": list(self.pos_neg)} if self.pos_neg else out


def unused(columns: Sequence[str], roles: Roles, beside: Collection[str | None] = ()) -> list[str]:
    """Return the columns that have no part, neither as roles say nor ``beside`` them."""
    used = {*beside, *(c for names in roles.columns.values() for c in names)}
    return [c for c in columns if c not in used]


# -- subgroup columns ----------------------------------------------------------------------------


def code_subgroups(columns: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Coded]:
    """Return subgroup arrays as codes, under what to call them in messages.

    >>> list(code_subgroups({"region": ["north", "south"]}))
    ["subgroup['region']"]
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping) or not columns:
        raise InputError("subgroup arrays need names; give a mapping such as {'region': array}")
    return {
        subgroup_name(n): code_labels(values, subgroup_name(n), most=MOST_SUBGROUPS)
        for n, values in columns.items()
    }


def subgroup_name(name: str) -> str:
    """Return what a subgroup array is called in messages."""
    return f"subgroup[{name!r}]"


def refuse_twice(fold: str, subgroups: Collection[str]) -> None:
    """Refuse a column that is named as the fold and as a subgroup."""
    if fold in subgroups:
        raise InputError(
            f"{fold!r} is named as fold and as subgroup; name it once, since .by({fold!r}) judges "
            "folds as subgroups"
        )


# -- the models ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelRoles:
    """Which columns one model is made of.

    ``classes`` are those that the columns of scores are named after. ``of_predicted`` says that the
    score is the probability of the predicted class, whichever that is. ``derived`` are scores that
    are computed from columns, ``whole`` the columns that only adding up to 1 shows to be one
    model's, and ``said`` is how its scores were read, in words.
    """

    name: str
    pred: str | None = None
    scores: tuple[str, ...] = ()
    classes: tuple[str | None, ...] = ()
    of_predicted: bool = False
    derived: tuple[Derived, ...] = ()
    whole: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    above_chance: bool = False
    """Whether the score was read so because it is never below an even chance."""
    doubt: str = ""
    """What speaks against reading the score so, though nothing else fits better."""
    sure: bool = False
    """Whether the user, the column's name or the decisions tell which class the score is of."""
    meanings: Mapping[str, Any] = field(default_factory=dict)
    """What the rows show of the scores, in words that ``reading=`` takes."""


def models_of(roles: Roles) -> tuple[ModelRoles, ...]:
    """Bundle the columns into models; counting separates class columns from model columns.

    >>> scores = (("rf_prob", "rf"), ("nb_prob", "nb"))
    >>> roles = Roles("y", (("rf_pred", "rf"),), scores)
    >>> [(m.name, m.pred, m.scores) for m in models_of(roles)]
    [('rf', 'rf_pred', ('rf_prob',)), ('nb', None, ('nb_prob',))]
    """
    preds, scores = roles.preds, roles.scores
    if layout := roles.layout:
        return (ModelRoles(layout.model, layout.pred, (layout.score,), of_predicted=True),)
    decided = {target: c for c, target in preds if target is not None}
    scored = {target: c for c, target in scores if target is not None}
    if set(decided) & set(scored) and len(decided) + len(scored) == len(preds) + len(scores):
        # rf_pred and rf_prob are one model's.
        return tuple(
            ModelRoles(
                target, decided.get(target), (scored[target],) if target in scored else (), (None,)
            )
            for target in {**scored, **decided}
        )
    if len(scores) > 1:
        columns, names = zip(*((c, target or c) for c, target in scores), strict=True)
        bundled = (ModelRoles("model", preds[0][0] if len(preds) == 1 else None, columns, names),)
        return bundled if len(preds) < 2 else (*bundled, *(ModelRoles(c, c) for c, _ in preds))
    if len(scores) == 1 and len(preds) < 2:
        ((column, target),) = scores
        return (ModelRoles(column, preds[0][0] if preds else None, (column,), (target,)),)
    models = [ModelRoles(c, None, (c,), (target,)) for c, target in scores]
    return (*models, *(ModelRoles(c, c) for c, _ in preds))
