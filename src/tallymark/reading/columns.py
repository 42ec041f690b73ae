"""Which column of a table is what, and which columns are one classifier's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tallymark.errors import InputError, choices
from tallymark.reading.candidates import BY_NAME, Candidates
from tallymark.reading.names import WEKA, Named, is_count, named_after
from tallymark.reading.profile import Table
from tallymark.tally.arrays import (
    MOST_SUBGROUPS,
    Coded,
    Label,
    code_labels,
)


@dataclass(frozen=True, slots=True)
class Roles:
    """The role of each column, and the reason where none was named.

    ``preds`` and ``scores`` are (column, class or model that it is named after, or None);
    ``counted`` is the column that says how many rows a line stands for; ``pos_neg`` the counts of a
    table of scores already counted. ``of_predicted`` says that the score is the probability of the
    predicted class, whichever that is.
    """

    truth: str
    preds: tuple[Named, ...]
    scores: tuple[Named, ...]
    weight: str | None = None
    counted: str | None = None
    pos_neg: tuple[str, str] | None = None
    weka: bool = False
    of_predicted: bool = False
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, list[str]]:
        """The columns of each role."""
        single = {"truth": self.truth, "weight": self.weight, "count": self.counted}
        out = {role: [name] for role, name in single.items() if name}
        out |= {"pred": [c for c, _ in self.preds], "score": [c for c, _ in self.scores]}
        return {**out, "count": list(self.pos_neg)} if self.pos_neg else out

    def with_score(self, column: str) -> Roles | None:
        """Return the roles with a prediction as a score, which its fractions tell that it is.

        None where somebody named it a prediction, or something else is the score.
        """
        found = [p for p in self.preds if p[0] == column]
        named = "pred" not in self.why or self.why.get("score", FRACTIONS) != FRACTIONS
        if not found or self.weka or named:
            return None
        preds = tuple(p for p in self.preds if p[0] != column)
        why = {role: text for role, text in self.why.items() if role != "pred" or preds}
        scores = (*self.scores, *found)
        return replace(self, preds=preds, scores=scores, why={**why, "score": FRACTIONS})


FRACTIONS = "its name, and it holds fractions"


def find_roles(
    columns: Sequence[str],
    table: Table | None = None,
    *,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weight: str | None = None,
    count: str | bool | None = None,
    model: str | bool | None = None,
    cluster: str | None = None,
    effort: str | None = None,
    fold: str | None = None,
    subgroups: Sequence[str] = (),
    percent: bool = False,
) -> Roles:
    """Find the columns that were not named by their usual names, else by what all rows hold.

    >>> find_roles(["id", "label", "p_yes"]).scores
    (('p_yes', 'yes'),)
    """
    lists = {
        role: [names] if isinstance(names, str) else list(names or ())
        for role, names in {"pred": pred, "score": score, "subgroup": subgroups}.items()
    }
    counted = count if isinstance(count, str) else None
    singles = {"truth": truth, "weight": weight, "count": counted, "cluster": cluster,
               "effort": effort, "fold": fold,
               "model": model if isinstance(model, str) else None}  # fmt: skip
    given = [(role, name) for role, name in singles.items() if name is not None]
    given += [(role, name) for role, names in lists.items() for name in names]
    _refuse_unknown(given, columns)
    preds, scores = (tuple(map(named_after, lists[role])) for role in ("pred", "score"))
    if _is_weka(columns, truth, lists):
        # Also when the columns are named: prediction is never the probability of one fixed class.
        asked = {"truth": truth, "pred": preds, "score": scores}
        why = {role: "Weka's -p output" for role, names in asked.items() if not names}
        return Roles(
            "actual", (("predicted", None),), (("prediction", None),), weight, weka=True, why=why
        )
    free = Candidates(columns, {name: role for role, name in given}, table, percent=percent)
    by_name = {c.lower(): c for c in free.columns}
    if not truth and not preds and {"pos", "neg"} <= set(by_name):
        pair = (by_name["pos"], by_name["neg"])
        if found := scores or tuple(free.scores("")):
            why = {} if scores else {"score": BY_NAME}
            return Roles("", (), found[:1], pos_neg=pair, why=why)
    why = {}
    if not (preds or scores):
        preds, scores, why = free.predictions(truth)
    if truth is None:
        truth, why["truth"] = free.truth([c for c, _ in preds], scores)
    if not (preds or scores):
        preds, scores, why_these = free.predictions_by_content(truth)
        why |= why_these
    if "score" in why and not preds and (made := free.decision(truth, scores)):
        preds, why["pred"] = ((made[0], None),), made[1]
    rest = [c for c in free.columns if c not in {truth, *dict(preds), *dict(scores)}]
    if weight is None and len(found_weights := free.called("weight")) == 1:
        (weight,), why["weight"] = found_weights, BY_NAME
    if weight is count is None and len(rest) == 1 and is_count(rest[0]):
        counted = rest[0]
        why["count"] = BY_NAME
    confidence = "score" in why and len(preds) == len(scores) == 1
    of_predicted = confidence and free.of_predicted(preds[0][0], scores[0][0])
    return Roles(truth, preds, scores, weight, counted, of_predicted=of_predicted, why=why)


def unused(columns: Sequence[str], roles: Roles, beside: Collection[str | None] = ()) -> list[str]:
    """Return the columns that have no part, neither as roles say nor ``beside`` them."""
    used = {*beside, *(c for names in roles.columns.values() for c in names)}
    return [c for c in columns if c not in used]


def _refuse_unknown(given: Sequence[tuple[str, str]], columns: Sequence[str]) -> None:
    """Refuse columns that are not there, and those named twice."""
    for option, name in given:
        if name not in columns:
            raise InputError(f"there is no column {name!r} for {option}; {choices(name, columns)}")
    names = [name for _, name in given]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the column {name!r} is named twice; give every column one role")


def _is_weka(columns: Sequence[str], truth: str | None, given: Mapping[str, list[str]]) -> bool:
    return (
        set(WEKA) <= set(columns)
        and truth in (None, "actual")
        and given["pred"] in ([], ["predicted"])
        and given["score"] in ([], ["prediction"])
    )


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
    score is the probability of the predicted class, whichever that is. ``opposite`` says that the
    one score is what the probability of the other class leaves to 1: its column, that class and
    the positive one. ``whole`` are columns that only adding up to 1 shows to be one model's.
    """

    name: str
    pred: str | None = None
    scores: tuple[str, ...] = ()
    classes: tuple[str | None, ...] = ()
    of_predicted: bool = False
    opposite: tuple[str, Label, Label] | None = None
    whole: tuple[str, ...] = ()


def models_of(roles: Roles) -> tuple[ModelRoles, ...]:
    """Bundle the columns into models; counting separates class columns from model columns.

    >>> roles = find_roles(["y", "rf_pred", "rf_prob", "nb_prob"])
    >>> [(m.name, m.pred, m.scores) for m in models_of(roles)]
    [('rf', 'rf_pred', ('rf_prob',)), ('nb', None, ('nb_prob',))]
    """
    preds, scores = roles.preds, roles.scores
    if roles.weka:
        (pred, _), (score, _) = *preds, *scores
        return (ModelRoles("weka", pred, (score,), of_predicted=True),)
    if roles.of_predicted:
        ((pred, _),), ((score, _),) = preds, scores
        return (ModelRoles(score, pred, (score,), of_predicted=True),)
    decided = {of: c for c, of in preds if of is not None}
    scored = {of: c for c, of in scores if of is not None}
    if set(decided) & set(scored) and len(decided) + len(scored) == len(preds) + len(scores):
        # rf_pred and rf_prob are one model's.
        return tuple(
            ModelRoles(of, decided.get(of), (scored[of],) if of in scored else (), (None,))
            for of in {**scored, **decided}
        )
    if len(scores) > 1:
        columns, names = zip(*((c, of or c) for c, of in scores), strict=True)
        bundled = (ModelRoles("model", preds[0][0] if len(preds) == 1 else None, columns, names),)
        return bundled if len(preds) < 2 else (*bundled, *(ModelRoles(c, c) for c, _ in preds))
    if len(scores) == 1 and len(preds) < 2:
        ((column, of),) = scores
        return (ModelRoles(column, preds[0][0] if preds else None, (column,), (of,)),)
    models = [ModelRoles(c, None, (c,), (of,)) for c, of in scores]
    return (*models, *(ModelRoles(c, c) for c, _ in preds))
