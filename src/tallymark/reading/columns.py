"""The role of each column of a table, and the columns of each classifier."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
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
    """The role of each column, and the reason if the user did not name it.

    ``preds`` and ``scores`` are pairs (column, class or model it is named after, or None);
    ``counted`` is the column with the number of rows of each line; ``pos_neg`` the count columns of
    a table of scores; ``layout`` is set if the columns are those of a known program. ``notes`` are
    notes for the user.
    """

    truth: str
    preds: tuple[Named, ...]
    scores: tuple[Named, ...]
    weight: str | None = None
    counted: str | None = None
    pos_neg: tuple[str, str] | None = None
    layout: Layout | None = None
    why: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, list[str]]:
        """The columns of each role."""
        single = {"truth": self.truth, "weight": self.weight, "count": self.counted}
        out = {role: [name] for role, name in single.items() if name}
        out |= {"pred": [c for c, _ in self.preds], "score": [c for c, _ in self.scores]}
        return {**out, "count": list(self.pos_neg)} if self.pos_neg else out


def unused(columns: Sequence[str], roles: Roles, beside: Collection[str | None] = ()) -> list[str]:
    """Return the columns without a role and not in ``beside``."""
    used = {*beside, *(c for names in roles.columns.values() for c in names)}
    return [c for c in columns if c not in used]


# -- subgroup columns ----------------------------------------------------------------------------


def code_subgroups(columns: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Coded]:
    """Return subgroup arrays as codes, by the names used in messages.

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
    """Return the name of a subgroup array in messages."""
    return f"subgroup[{name!r}]"


def refuse_twice(fold: str, subgroups: Collection[str]) -> None:
    """Refuse a column that is named as the fold and as a subgroup."""
    if fold in subgroups:
        raise InputError(
            f"{fold!r} is named as fold and as subgroup; name it once, since .by({fold!r}) judges "
            "folds as subgroups"
        )


def refuse_other_index(arguments: Mapping[str, Any]) -> None:
    """Refuse pandas objects whose indexes hold the same values in different order."""
    of_pandas = {n: v for n, v in arguments.items() if type(v).__module__.split(".")[0] == "pandas"}
    indexes = {n: v.index for n, v in of_pandas.items() if hasattr(v, "loc")}
    for (first, index), (name, other) in pairwise(indexes.items()):
        apart = len(index) == len(other) and not index.equals(other)
        if apart and index.is_unique and not len(index.difference(other)):
            raise InputError(
                f"the indexes of {first} and {name} hold the same values in another order; put "
                "both into one order, or give .reset_index(drop=True) of both if they are in one"
            )


# -- the models ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelRoles:
    """The columns of one model.

    ``classes`` are those that the score columns are named after. ``of_predicted`` marks a score
    that is the probability of the predicted class. ``derived`` are scores computed from columns,
    ``whole`` the columns grouped into one model only because they add up to 1, and ``notes`` are
    notes on how its scores were read.
    """

    name: str
    pred: str | None = None
    scores: tuple[str, ...] = ()
    classes: tuple[str | None, ...] = ()
    of_predicted: bool = False
    derived: tuple[Derived, ...] = ()
    whole: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    above_chance: bool = False
    """Whether the score was read this way because it is never below chance."""
    doubt: str = ""
    """Evidence against this interpretation of the score, if no other fits better."""
    certain: bool = False
    """Whether the user, the column's name or the decisions show the class of the score."""
    guessed: bool = False
    """Whether the score is of arrays whose positive class only the names of the classes suggest."""
    meanings: Mapping[str, Any] = field(default_factory=dict)
    """Detected properties of the scores, as words of ``reading=``."""


def models_of(roles: Roles) -> tuple[ModelRoles, ...]:
    """Return the models; counting later separates class columns from model columns.

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
        # rf_pred and rf_prob belong to one model.
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
