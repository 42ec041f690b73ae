"""The classes: their spellings, the column of each class's score, and the positive class."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from unicodedata import normalize

import numpy as np

from tallymark.errors import InputError, listed
from tallymark.reading.chunks import read_texts
from tallymark.reading.columns import ModelRoles
from tallymark.reading.names import bare
from tallymark.tally.arrays import Coded, Label, find_positive, plain_label
from tallymark.tally.polarity import truth_value
from tallymark.tally.scores import with_opposite

Spelling = dict[Label, Label]
"""Variant spellings of labels, mapped to the label used for the class."""

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
"""Differences in spelling that do not change the class."""

_MOST_PAIRS = 4

# -- how classes are written ---------------------------------------------------------------------


def fold(text: object, but: str = "") -> str:
    """Return a normalized label: case, surrounding blanks and Unicode form removed.

    >>> fold(" Yes"), fold("1.0"), fold("007")
    ('yes', '1', '007')
    """
    out = str(text)
    for _ in range(2):  # case folding may produce another Unicode form
        for way, change in _WAYS.items():
            out = out if way == but else change(out)
    return out


def spelling(
    columns: Mapping[str, Coded],
    requested: Sequence[Label] | None,
    ignore_case: bool | None,
    remedy: str = "",
    named: Collection[str | None] = (),
) -> Spelling:
    """Return the variant spellings in label columns, the truth first, with the class of each.

    Labels that name score columns (``named``) stay distinct classes.

    Raises
    ------
    InputError
        Labels that differ only in spelling, unless ``ignore_case`` says whether they are one class
        or ``requested`` lists them.

    """
    present = {label for c in columns.values() for label in c.labels}
    by_column = [n for n in named if n is not None and n in present]
    each = [requested or (), by_column, *(c.labels for c in columns.values())]
    if ignore_case is False or (requested is not None and not ignore_case):
        return {}
    first_spelling: dict[str, Label] = {}
    other: Spelling = {}
    for label in dict.fromkeys(label for labels in each for label in labels):
        if not isinstance(label, str):
            continue
        bare = label.strip() if ignore_case and label not in {*(requested or ()), *named} else label
        first = first_spelling.setdefault(fold(label), bare)
        if first != label and not {first, label} <= {*named}:
            other[label] = first
    if other and not ignore_case:
        # Different Unicode forms look the same, so they are shown as escapes.
        examples = ", ".join(
            " and ".join(map(repr if fold(a, _FORM) == fold(b, _FORM) else ascii, (a, b)))
            for b, a in list(other.items())[:_MOST_PAIRS]
        )
        examples += f" and {len(other) - _MOST_PAIRS} more" if len(other) > _MOST_PAIRS else ""
        ways = [w for w in _WAYS if any(fold(a, w) != fold(b, w) for a, b in other.items())]
        alike = {*other, *other.values()}
        *names, last = (name for name, c in columns.items() if alike.intersection(c.labels))
        hold = f"{', '.join(names)} and {last} hold" if names else f"{last} holds"
        remedy = remedy or (
            "say ignore_case=True if they are one class, or ignore_case=False if they are several"
        )
        raise InputError(
            f"{hold} labels that differ only {' or '.join(ways)}: {examples}; {remedy}"
        )
    return other


_NUMBERED = re.compile(r"(?:label|class)[ _-]?(\d+)", re.IGNORECASE)


def numbered(columns: Mapping[str, Coded]) -> Spelling:
    """Return the numbers for texts such as LABEL_1, if other columns hold these numbers.

    Hugging Face writes classes without names this way.
    """
    numbers = {c for coded in columns.values() for c in coded.labels if type(c) is int}
    texts = {c for coded in columns.values() for c in coded.labels if isinstance(c, str)}
    number_of: Spelling = {c: int(m[1]) for c in texts if (m := _NUMBERED.fullmatch(c))}
    if not numbers or len(number_of) < len(texts) or not {*number_of.values()} & numbers:
        return {}
    return number_of


def respelled(
    columns: Mapping[str, Coded], names: Sequence[str], other: Mapping[Label, Label]
) -> dict[str, Coded]:
    """Return label columns with variant spellings replaced in the named ones."""
    out = dict(columns)
    for name in out.keys() & names if other else ():
        coded = out[name]
        targets = [other.get(label, label) for label in coded.labels]
        classes = tuple(sorted(set(targets)))
        table = np.array([*(classes.index(label) for label in targets), -1], dtype=np.intp)
        out[name] = Coded(table[coded.codes], classes)
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
                "classes=[...]"
            )
            if all({truth_value(label) for label in labels} == {0, 1} for labels in both):
                what = "the same classes written differently; write them the same way"
            raise InputError(
                f"{truth} holds the classes {listed(sorted(true))} and {name} "
                f"{listed(sorted(predicted))}, {what}"
            )


def match_label(
    labels: Sequence[Label], requested: Label | None, *, ignore_case: bool | None = False
) -> Label | None:
    """Return the requested label as the data spell it: "1" finds 1, "true" finds True."""
    requested = None if requested is None else plain_label(requested)
    if requested is None or requested in labels or not isinstance(requested, str):
        return requested
    for label in labels:
        if fold(label) == fold(requested) and (ignore_case or not isinstance(label, str)):
            return label
    return requested


# -- which classes there are ---------------------------------------------------------------------


def typed(labels: Sequence[Label], like: Sequence[Label]) -> tuple[Label, ...]:
    """Return labels converted to the type of the data: "1" becomes 1 if labels are numbers.

    >>> typed(["0", "1"], [1]), typed(["0", "1"], ["1"])
    ((0, 1), ('0', '1'))
    """
    plain = tuple(plain_label(label) for label in labels)
    texts = [label for label in plain if isinstance(label, str)]
    if not like or isinstance(like[0], str) or len(texts) < len(plain):
        return plain
    return tuple(read_texts(texts))


def columns_by_class(names: Sequence[str | None], classes: Sequence[Label]) -> dict[Label, int]:
    """Map each class to the index of the column named after it; classes without one are absent.

    >>> columns_by_class(["No", "Yes"], ["no", "yes"]), columns_by_class(["1", "0"], [False, True])
    ({'no': 0, 'yes': 1}, {False: 1, True: 0})
    """
    best: dict[Label, int] = {}
    for key in (str, fold, lambda text: truth_value(fold(text)), lambda text: bare(str(text))):
        means = [key(label) for label in classes]
        if None not in means and "" not in means and len(set(means)) == len(means):
            place = {key(t): i for i, t in reversed(list(enumerate(names))) if t is not None}
            matches = {
                label: place[m] for label, m in zip(classes, means, strict=True) if m in place
            }
            best = max(best, matches, key=len)
    return best


def declared(models: Sequence[ModelRoles], present: tuple[Label, ...]) -> tuple[Label, ...]:
    """Return the classes, with those that only name score columns added.

    >>> scores = ModelRoles("model", None, ("p_a", "p_b", "p_c"), ("a", "b", "c"))
    >>> declared([scores], ("a", "c"))
    ('a', 'b', 'c')
    """
    for m in models:
        names = [name for name in m.classes if name is not None]
        place = columns_by_class(names, present)
        if len(m.scores) != len(names) or len(place) < len(present) or len(names) <= len(present):
            continue
        rest = [name for i, name in enumerate(names) if i not in place.values()]
        more = typed(rest, present)
        if {isinstance(label, str) for label in more} == {isinstance(present[0], str)}:
            return tuple(sorted({*present, *more}))
    return present


def settle_classes(
    classes: tuple[Label, ...], requested: Label | None, *, ignore_case: bool | None = False
) -> tuple[tuple[Label, ...], Label | None]:
    """Return the classes, completed to two, and the positive one if there are two."""
    positive_label = match_label(classes, requested, ignore_case=ignore_case)
    if len(classes) > 2:
        if positive_label is not None:
            raise InputError(
                f"positive is {positive_label!r} and there are {len(classes)} classes "
                f"({listed(classes, 8)}), not two; correct a label that is a mistake, or leave "
                "positive out to judge them all"
            )
        return classes, None
    positive = find_positive(classes, positive_label)
    return with_opposite(classes, positive), positive
