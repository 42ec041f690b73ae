"""Which classes there are: how they are written, which column is whose score, which is positive."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unicodedata import normalize

import numpy as np

from tallymark.errors import InputError, listed
from tallymark.reading.candidates import several
from tallymark.reading.chunks import Chunk, read_texts
from tallymark.reading.columns import ModelRoles
from tallymark.reading.profile import add_up
from tallymark.tally.arrays import Coded, Floats, Label, find_positive, plain_label, unmistakable
from tallymark.tally.polarity import truth_value
from tallymark.tally.scores import with_opposite

Spelling = dict[Label, Label]
"""Labels that are written in another way, and how the class is written."""

_DECIMAL = re.compile(r"([+-]?\d+)\.0*")

_FORM = "in Unicode form"
_WAYS: dict[str, Callable[[str], str]] = {
    "in upper and lower case": str.casefold,
    _FORM: lambda text: normalize("NFC", text),
    "in surrounding blanks": str.strip,
    "in how a number is written": lambda text: (
        _DECIMAL.sub(r"\1", text) if _DECIMAL.fullmatch(text) else text
    ),
}
"""The ways in which two texts may differ that mean the same class."""

_MOST_PAIRS = 4

# -- how classes are written ---------------------------------------------------------------------


def fold(text: object, but: str = "") -> str:
    """Return what a label means, whatever its case, the blanks around it and its Unicode form.

    >>> fold(" Yes"), fold("1.0"), fold("007")
    ('yes', '1', '007')
    """
    out = str(text)
    for _ in range(2):  # folding case may leave another Unicode form
        for way, change in _WAYS.items():
            out = out if way == but else change(out)
    return out


def spelling(
    columns: Mapping[str, Coded], asked: Sequence[Label] | None, ignore_case: bool | None,
    remedy: str = "", named: Collection[str | None] = (),
) -> Spelling:  # fmt: skip
    """Return what other writings of a class stand for, of label columns with the truth first.

    Classes that columns of scores are ``named`` after are as many as there are names.

    Raises
    ------
    InputError
        Labels that only their writing tells apart, unless ``ignore_case`` says whether they are
        one class, or ``asked`` lists them; columns without one class in common.

    """
    present = {label for c in columns.values() for label in c.labels}
    by_column = [n for n in named if n is not None and n in present]
    each = [asked or (), by_column, *(c.labels for c in columns.values())]
    if ignore_case is False or (asked is not None and not ignore_case):
        return {}
    kept: dict[str, Label] = {}
    other: Spelling = {}
    for label in dict.fromkeys(label for labels in each for label in labels):
        if not isinstance(label, str):
            continue
        bare = label.strip() if ignore_case and label not in {*(asked or ()), *named} else label
        first = kept.setdefault(fold(label), bare)
        if first != label and not {first, label} <= {*named}:
            other[label] = first
    if other and not ignore_case:
        # Unicode forms look alike, so their characters are spelled out.
        told = ", ".join(
            " and ".join(map(repr if fold(a, _FORM) == fold(b, _FORM) else ascii, (a, b)))
            for b, a in list(other.items())[:_MOST_PAIRS]
        )
        told += f" and {len(other) - _MOST_PAIRS} more" if len(other) > _MOST_PAIRS else ""
        ways = [w for w in _WAYS if any(fold(a, w) != fold(b, w) for a, b in other.items())]
        alike = {*other, *other.values()}
        *names, last = (name for name, c in columns.items() if alike.intersection(c.labels))
        hold = f"{', '.join(names)} and {last} hold" if names else f"{last} holds"
        remedy = remedy or (
            "say ignore_case=True if they are one class, or ignore_case=False if they are several"
        )
        raise InputError(f"{hold} labels that differ only {' or '.join(ways)}: {told}; {remedy}")
    return other


def respelled(
    columns: Mapping[str, Coded], names: Sequence[str], other: Mapping[Label, Label]
) -> dict[str, Coded]:
    """Return label columns of which those named write each class in one way."""
    out = dict(columns)
    for name in out.keys() & names if other else ():
        coded = out[name]
        meant = [other.get(label, label) for label in coded.labels]
        kept = tuple(sorted(set(meant)))
        table = np.array([*(kept.index(label) for label in meant), -1], dtype=np.intp)
        out[name] = Coded(table[coded.codes], kept)
    return out


def refuse_strangers(columns: Mapping[str, Coded]) -> None:
    """Refuse predictions that have no class in common with the truth, or 1 and -1 for 1 and 0."""
    (truth, true), *others = ((name, set(c.labels)) for name, c in columns.items())
    for name, predicted in others:
        both = [true, predicted]
        signs = {0, 1} in both and {-1, 1} in both
        if signs or (min(map(len, both)) > 1 and not true & predicted):
            what = (
                "none of them the same; write the classes the same way, or list all with "
                "labels=[...]"
            )
            if all({truth_value(label) for label in labels} == {0, 1} for labels in both):
                what = "the same classes written differently; write them the same way"
            raise InputError(
                f"{truth} holds the classes {listed(sorted(true))} and {name} "
                f"{listed(sorted(predicted))}, {what}"
            )


def match_label(
    labels: Sequence[Label], asked: Label | None, *, ignore_case: bool | None = False
) -> Label | None:
    """Return the label asked for as it stands in the data: "1" finds 1, "true" finds True."""
    asked = None if asked is None else plain_label(asked)
    if asked is None or asked in labels or not isinstance(asked, str):
        return asked
    for label in labels:
        if fold(label) == fold(asked) and (ignore_case or not isinstance(label, str)):
            return label
    return asked


# -- which classes there are ---------------------------------------------------------------------


def typed(asked: Sequence[Label], like: Sequence[Label]) -> tuple[Label, ...]:
    """Return labels given as texts as the labels of the data are: "1" as 1 beside numbers.

    >>> typed(["0", "1"], [1]), typed(["0", "1"], ["1"])
    ((0, 1), ('0', '1'))
    """
    plain = tuple(plain_label(label) for label in asked)
    texts = [label for label in plain if isinstance(label, str)]
    if not like or isinstance(like[0], str) or len(texts) < len(plain):
        return plain
    return tuple(read_texts(texts))


def declared(models: Sequence[ModelRoles], found: tuple[Label, ...]) -> tuple[Label, ...]:
    """Return the classes of columns of scores, if each is named after one, and all found are there.

    >>> scores = ModelRoles("model", None, ("p_a", "p_b", "p_c"), ("a", "b", "c"))
    >>> declared([scores], ("a", "c"))
    ('a', 'b', 'c')
    """
    for m in models:
        names = [name for name in m.classes if name is not None]
        place = columns_by_class(names, found)
        if len(m.scores) != len(names) or len(place) < len(found) or len(names) <= len(found):
            continue
        rest = [name for i, name in enumerate(names) if i not in place.values()]
        more = typed(rest, found)
        if {isinstance(label, str) for label in more} == {isinstance(found[0], str)}:
            return tuple(sorted({*found, *more}))
    return found


def settle_classes(
    classes: tuple[Label, ...], asked: Label | None, *, ignore_case: bool | None = False
) -> tuple[tuple[Label, ...], Label | None]:
    """Return the classes, made two where fewer occur, and the positive one of two."""
    wanted = match_label(classes, asked, ignore_case=ignore_case)
    if len(classes) > 2:
        if wanted is not None:
            raise InputError(
                f"positive is {wanted!r} and there are {len(classes)} classes "
                f"({listed(classes, 8)}), not two; correct a label that is a mistake, or leave "
                "positive out to judge them all"
            )
        return classes, None
    positive = find_positive(classes, wanted)
    return with_opposite(classes, positive), positive


def positive_by_score(models: Sequence[ModelRoles], classes: Sequence[Label]) -> Label | None:
    """Return the class that the one score is named after, where no words tell which is positive.

    >>> positive_by_score([ModelRoles("m", None, ("p_cat",), ("cat",))], ("cat", "dog"))
    'cat'
    """
    if len(classes) != 2 or unmistakable(classes) is not None:
        return None
    each = [columns_by_class(m.classes, classes) for m in models if len(m.scores) == 1]
    found = {label for place in each for label in place}
    return found.pop() if len(found) == 1 and len(models) == len(each) else None


# -- which column is whose score -----------------------------------------------------------------


def columns_by_class(names: Sequence[str | None], classes: Sequence[Label]) -> dict[Label, int]:
    """Return the place of the column that is named after each class, of those that are.

    >>> columns_by_class(["No", "Yes"], ["no", "yes"]), columns_by_class(["1", "0"], [False, True])
    ({'no': 0, 'yes': 1}, {False: 1, True: 0})
    """
    best: dict[Label, int] = {}
    for key in (str, fold, lambda text: truth_value(fold(text))):
        means = [key(label) for label in classes]
        if None not in means and len(set(means)) == len(means):
            place = {key(t): i for i, t in reversed(list(enumerate(names))) if t is not None}
            found = {label: place[m] for label, m in zip(classes, means, strict=True) if m in place}
            best = max(best, found, key=len)
    return best


def assign_columns(
    models: Sequence[ModelRoles], classes: tuple[Label, ...], positive: Label | None,
    *, asked: bool = False, narrowed: bool = False, found: bool = False,
    numbers: Mapping[str, Floats] | None = None,
) -> tuple[ModelRoles, ...]:  # fmt: skip
    """Decide for each model which score column belongs to which class.

    ``asked`` says that somebody listed the classes, in whose order columns then are that bear no
    names of classes; ``narrowed`` that there may be columns of other classes, too; ``found`` that
    nobody named the columns. ``numbers`` are the scores of the first rows: columns that add up to
    1 are one model's, whatever they are called.
    """
    out: list[ModelRoles] = []
    for m in models:
        named = any(c is not None for c in m.classes)
        place = columns_by_class(m.classes, classes)
        scored = classes if positive is None else (positive,)
        whole = named and len(m.scores) == len(classes) > len(place) and _add_up(m, numbers)
        if whole and len(place) == len(classes) - 1:
            # p_yes and p_other: the one column left is of the one class left.
            left = set(range(len(classes))) - set(place.values())
            place |= dict.fromkeys(set(classes) - set(place), left.pop())
            m = replace(m, whole=m.scores)
        if m.of_predicted or not m.scores:
            out.append(m)
        elif len(m.scores) == 1 and positive is not None:
            out.append(_oriented(m, place, positive))
        elif len(place) == len(classes) and (narrowed or len(m.scores) == len(classes)):
            out.append(replace(m, scores=tuple(m.scores[place[label]] for label in scored)))
        elif not named and len(m.scores) == len(classes):
            out.append(replace(m, scores=tuple(m.scores[classes.index(c)] for c in scored)))
        elif len(m.scores) == len(classes) and (whole or _by_order(m, positive)):
            if not asked or any(classes[i] != label for label, i in place.items()):
                strange = [c for i, c in enumerate(m.scores) if i not in place.values()]
                raise InputError(
                    f"the columns {listed(strange)} are not named after any of the classes "
                    f"{listed(classes)}; list the classes in the order of the columns with "
                    "labels=[...], or name each column p_CLASS"
                )
            columns = tuple(m.scores[classes.index(c)] for c in scored)
            out.append(replace(m, scores=columns, whole=m.scores if whole else ()))
        elif positive is not None and named and found and 0 < len(place) < len(classes):
            raise several("score", m.scores)
        elif positive is not None and named and len(place) < len(classes):
            # p_forest, p_bayes: not the classes, so the models.
            for column, name in zip(m.scores, m.classes, strict=True):
                alone = ModelRoles(column, None, (column,), (name,))
                out.append(_oriented(alone, columns_by_class((name,), classes), positive))
            if m.pred:
                out.append(ModelRoles(m.pred, m.pred))
        else:
            one = len(m.scores) == 1
            raise InputError(
                f"there are {len(classes)} classes ({listed(classes, 8)}) and {len(m.scores)} "
                f"score column{'' if one else 's'} ({listed(m.scores, 8)}); "
                f"{'correct a label that is a mistake, or ' * one}give one score column per class, "
                "named p_CLASS"
            )
    return tuple(out)


def _add_up(m: ModelRoles, numbers: Mapping[str, Floats] | None) -> bool:
    return numbers is not None and {*m.scores} <= numbers.keys() and add_up(numbers, m.scores)


def refuse_parts(m: ModelRoles, numbers: Mapping[str, Floats], first_row: int) -> None:
    """Refuse rows whose scores do not add up to 1, where those before were read as doing so."""
    if m.whole and not add_up(numbers, m.whole):
        raise InputError(
            f"the columns {listed(m.whole)} add up to 1 in the first {first_row:,} rows but not in "
            f"later ones; say which is the score with score={m.whole[0]!r}, or "
            f"score={list(m.whole)!r} and labels=[...] if they are one model's"
        )


def _by_order(m: ModelRoles, positive: Label | None) -> bool:
    """Tell columns that can be of classes by their order alone: p_0 and p_1 are, not p_forest."""
    if positive is None:
        return True
    numbers = sorted(int(c) if c and c.isdecimal() else -1 for c in m.classes)
    return numbers[0] in (0, 1) and all(b == a + 1 for a, b in pairwise(numbers))


def _oriented(m: ModelRoles, place: Mapping[Label, int], positive: Label) -> ModelRoles:
    """Return a model of one column; of the class that is not positive, what it leaves to 1."""
    if not place or positive in place:
        return m
    (other,) = place
    (column,) = m.scores
    return replace(m, scores=(f"1 - {column}",), opposite=(column, other, positive))


def with_opposites(chunk: Chunk, models: Sequence[ModelRoles]) -> Chunk:
    """Add the probability of the positive class where a column holds that of the other one."""
    more: dict[str, Any] = {}
    for m in models:
        if m.opposite is not None and m.opposite[0] in chunk.numbers:
            scores = chunk.numbers[m.opposite[0]]
            if len(scores):
                refuse_improbable(m, float(scores.min()), float(scores.max()))
            more[m.scores[0]] = 1.0 - scores
    return replace(chunk, numbers={**chunk.numbers, **more}) if more else chunk


def refuse_improbable(m: ModelRoles, low: float, high: float) -> None:
    """Refuse scores of the class that is not positive, if they are not probabilities."""
    if m.opposite is not None and (low < 0 or high > 1):
        column, other, positive = m.opposite
        raise InputError(
            f"{column} is the score of {other!r} and holds {low if low < 0 else high:.6g}, outside "
            f"0 to 1, so 1 - {column} is not a score of {positive!r}; say positive={other!r}, or "
            f"give the score of {positive!r}"
        )
