"""Which column of a table is what, and which columns are one classifier's."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tallymark.errors import InputError, choices, listed
from tallymark.tally.arrays import (
    MOST_SUBGROUPS,
    Coded,
    Label,
    code_labels,
)

TRUTH = ("y_true", "label", "target", "actual", "class", "truth")
PREDICTION = ("y_pred", "pred", "prediction", "predicted")
SCORE = ("score", "prob", "proba", "p", "y_score")
CLASS_SCORE = re.compile(r"^(?:p|prob|proba|score)_(.+)$", re.IGNORECASE)
COUNT = ("n", "count")
_COUNTS = {
    *COUNT, "counts", "cnt", "freq", "freqs", "frequency", "frequencies",
    "anzahl", "häufigkeit", "effectif", "effectifs", "recuento", "frecuencia",
}  # fmt: skip
WEKA = ("inst#", "actual", "predicted", "prediction")


@dataclass(frozen=True, slots=True)
class Roles:
    """Which column is what, and why, where nobody said.

    ``scores`` are (column, class it is named after or None); ``counted`` is the column that says
    how many rows a line stands for; ``pos_neg`` the counts of a table of scores already counted.
    """

    truth: str
    pred: str | None
    scores: tuple[tuple[str, str | None], ...]
    weight: str | None = None
    counted: str | None = None
    pos_neg: tuple[str, str] | None = None
    weka: bool = False
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, list[str]]:
        """The columns of each role."""
        single = {"truth": self.truth, "pred": self.pred, "weight": self.weight}
        out = {r: [n] for r, n in {**single, "count": self.counted}.items() if n}
        return out | {"score": [c for c, _ in self.scores]}


def find_roles(
    columns: Sequence[str],
    *,
    truth: str | None = None,
    pred: str | None = None,
    score: str | Sequence[str] | None = None,
    weight: str | None = None,
    count: str | bool | None = None,
    cluster: str | None = None,
    effort: str | None = None,
) -> Roles:
    """Find the columns that were not named by their usual names.

    >>> find_roles(["id", "label", "p_yes"]).scores
    (('p_yes', 'yes'),)
    """
    scores = [score] if isinstance(score, str) else list(score or ())
    counted = count if isinstance(count, str) else None
    options = [("truth", truth), ("pred", pred), ("weight", weight), ("count", counted),
               ("cluster", cluster), ("effort", effort)]  # fmt: skip
    given = [(o, n) for o, n in (*options, *(("score", name) for name in scores)) if n is not None]
    for option, name in given:
        if name not in columns:
            raise InputError(f"there is no column {name!r} for {option}; {choices(name, columns)}")
    for _, name in given:
        if [n for _, n in given].count(name) > 1:
            raise InputError(f"the column {name!r} is named twice; give every column one part")
    if (
        set(WEKA) <= set(columns)
        and truth in (None, "actual")
        and pred in (None, "predicted")
        and scores in ([], ["prediction"])
    ):
        # Also when the columns are named: prediction is never the probability of one fixed class.
        asked = {"truth": truth, "pred": pred, "score": score}
        why = {role: "Weka's -p output" for role, name in asked.items() if name is None}
        return Roles("actual", "predicted", (("prediction", None),), weight, weka=True, why=why)
    columns = [c for c in columns if c not in {cluster, effort, counted}]
    by_name = {c.lower(): c for c in columns}
    if not truth and not pred and {"pos", "neg"} <= set(by_name):
        column = scores[0] if scores else _one(columns, SCORE, "score")
        if column:
            pair = (by_name["pos"], by_name["neg"])
            why = {} if scores else {"score": "its name"}
            return Roles("", None, ((column, None),), pos_neg=pair, why=why)
    why = {}
    if truth is None:
        rest = [c for c in columns if c not in {pred, weight, *scores}]
        truth = _one(rest, TRUTH, "truth")
        if truth is None:
            raise InputError(
                "no column looks like the true class (names such as y_true, label, target); the "
                f"columns are {listed(columns)}; say which with truth=..."
            )
        why["truth"] = "its name"
    if pred is None and not scores:
        rest = [c for c in columns if c not in {truth, weight}]
        pred = _one(rest, PREDICTION, "pred")
        if pred:
            why["pred"] = "its name"
        rest = [c for c in rest if c != pred]
        scores = [c for c in rest if CLASS_SCORE.match(c) and c.lower() not in SCORE]
        single = None if scores else _one(rest, SCORE, "score")
        scores = scores or ([single] if single else [])
        if scores:
            why["score"] = "its name" if len(scores) == 1 else "their names"
    if not scores and pred is None:
        raise InputError(
            "no column looks like a prediction or a score (names such as y_pred, score, p_yes); "
            f"the columns are {listed(columns)}; say which with score=... or pred=..."
        )
    rest = [c for c in columns if c not in {truth, pred, *scores}]
    if weight is count is None and len(rest) == 1 and is_count(rest[0]):
        counted = rest[0]
        why["count"] = "its name"
    pairs = tuple((c, m.group(1) if (m := CLASS_SCORE.match(c)) else None) for c in scores)
    return Roles(truth, pred, pairs, weight, counted, why=why)


def is_count(name: str) -> bool:
    """Tell whether a column is called like one that says how many rows a line stands for."""
    return name.casefold().replace("_", "").replace(" ", "") in _COUNTS


def is_usual(name: str) -> bool:
    """Tell whether a column is called as columns of predictions usually are."""
    usual = {*TRUTH, *PREDICTION, *SCORE, *WEKA}
    return name.lower() in usual or is_count(name) or CLASS_SCORE.match(name) is not None


def _one(columns: Sequence[str], names: Sequence[str], option: str) -> str | None:
    found = [c for c in columns if c.lower() in names]
    if len(found) > 1:
        raise InputError(
            f"several columns could be {option}: {listed(found)}; say which with {option}=..."
        )
    return found[0] if found else None


def refuse_duplicates(names: Sequence[str], where: str, fold: bool = False) -> None:
    """Refuse two columns of one name; with ``fold`` also where only upper and lower case differ."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower() if fold else name, name)
        if other is not name and other != name:
            raise InputError(
                f"{where} has the columns {other!r} and {name!r}, which differ in upper and lower "
                "case only; rename one of them"
            )
        if names.count(name) > 1:
            raise InputError(f"{where} has two columns called {name!r}; rename one of them")


def must_have(columns: Sequence[str], wanted: Sequence[str], where: str) -> None:
    """Refuse a column that a table does not have."""
    for name in wanted:
        if name not in columns:
            raise InputError(f"{where} has no column {name!r}; {choices(name, columns)}")


# -- subgroup columns ----------------------------------------------------------------------------


def code_subgroups(columns: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Coded]:
    """Return subgroup arrays as codes, under what to call them in messages.

    >>> list(code_subgroups({"region": ["north", "south"]}))
    ["subgroup['region']"]
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping) or not columns:
        raise InputError(
            "subgroup beside arrays names each of them; give a mapping such as {'region': array}"
        )
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


def roles_beside(
    subgroups: Sequence[str], columns: Sequence[str], named: Mapping[str, Any], where: str
) -> Roles:
    """Find which column is what, of those that name no subgroup.

    Raises
    ------
    InputError
        Subgroup columns that are not there, named twice, or that have another part.

    """
    if not subgroups:
        return find_roles(columns, **named)
    for i, name in enumerate(subgroups):
        if not isinstance(name, str):
            raise InputError(f"subgroup names the column {name!r}; give names of columns as texts")
        if name in subgroups[:i]:
            raise InputError(f"subgroup names the column {name!r} twice; name it once")
    must_have(columns, subgroups, where)
    taken = _part_of(subgroups, named)
    if taken is None:
        try:
            return find_roles([c for c in columns if c not in subgroups], **named)
        except InputError:
            with contextlib.suppress(InputError):  # the first refusal tells more than its own
                usual = find_roles(columns, **named)
                scores = [c for c, _ in usual.scores]
                parts = {"truth": usual.truth, "pred": usual.pred, "score": scores}
                taken = _part_of(subgroups, parts)
            if taken is None:
                raise
    raise InputError(
        f"the column {taken[0]!r} is the {taken[1]} and cannot name subgroups or folds as well; "
        "give another column"
    )


def _part_of(subgroups: Sequence[str], parts: Mapping[str, Any]) -> tuple[str, str] | None:
    for name in subgroups:
        for part, given in parts.items():
            if name == given or (isinstance(given, list | tuple) and name in given):
                return name, part
    return None


# -- the models ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelRoles:
    """Which columns one model is made of.

    ``classes`` are those that the columns of scores are named after. ``opposite`` says that the one
    score is what the probability of the other class leaves to 1: its column, that class and the
    positive one.
    """

    name: str
    pred: str | None = None
    scores: tuple[str, ...] = ()
    classes: tuple[str | None, ...] = ()
    weka: bool = False
    opposite: tuple[str, Label, Label] | None = None


def models_of(roles: Roles) -> tuple[ModelRoles, ...]:
    """Bundle the columns into models; class columns are told from model columns when counting."""
    scores = roles.scores
    if roles.weka:
        assert roles.pred is not None
        return (ModelRoles("weka", roles.pred, tuple(c for c, _ in scores), weka=True),)
    if len(scores) > 1 and all(c is not None for _, c in scores):
        columns, classes = zip(*scores, strict=True)
        return (ModelRoles("model", roles.pred, columns, classes),)
    if not scores:
        assert roles.pred is not None
        return (ModelRoles(roles.pred, roles.pred),)
    if len(scores) == 1:
        return (ModelRoles(scores[0][0], roles.pred, (scores[0][0],), (scores[0][1],)),)
    models = [ModelRoles(c, None, (c,), (k,)) for c, k in scores]
    if roles.pred:
        models.append(ModelRoles(roles.pred, roles.pred))
    return tuple(models)
