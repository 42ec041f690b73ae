"""Addition, comparison and storage of tallies, derived from the declaration of their fields.

A tally is a frozen dataclass of a few fields: axes (labels, scores), arrays over these axes, and
numbers. Whatever is declared here, ``+``, ``==``, ``to_dict``, ``from_dict``, ``reorder`` and the
checks of shapes follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallymark import _kernels
from tallymark.contract import checked
from tallymark.display import Display
from tallymark.errors import InputError
from tallymark.tally.arrays import Coded, Floats, Label, join_labels
from tallymark.tally.io import Saved, alike, weights_agree
from tallymark.tally.occupied import OccupiedCells, OccupiedScores


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule to combine a field of two tallies.

    ``axes`` are those of an array, in their order. If one of the tallies lacks the field, its field
    ``lacking`` replaces it; if there is no such field, the sum lacks it too.
    """

    kind: str
    axes: tuple[str, ...] = ()
    lacking: str = ""
    signed: bool = False


def axis() -> dict[str, Rule]:
    """Declare an axis; addition takes the union of its names."""
    return {"rule": Rule("axis")}


def agrees(*, names: bool = False) -> dict[str, Rule]:
    """Declare a field that must be equal in both tallies, such as the names along an axis."""
    return {"rule": Rule("names" if names else "agrees")}


def adds(*axes: str, lacking: str = "", signed: bool = False) -> dict[str, Rule]:
    """Declare an array over axes, or a number, that is added; never negative unless ``signed``."""
    return {"rule": Rule("adds", axes, lacking, signed)}


def lines(*axes: str) -> dict[str, Rule]:
    """Declare an array whose first axis is unnamed lines; addition keeps all lines of both.

    Two tallies are equal whatever the order of their lines.
    """
    return {"rule": Rule("lines", axes)}


def of_bins(read: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Declare the highest scores or the position of bins, which exact tallies lack."""
    return {"rule": Rule("bins"), "optional": True, "part": read}


_RULES: dict[Any, Mapping[str, Rule]] = {}


def rules_of(kind: Any) -> Mapping[str, Rule]:
    """Return the rule of every field of a class of tallies."""
    if kind not in _RULES:
        _RULES[kind] = {f.name: f.metadata["rule"] for f in fields(kind)}
    return _RULES[kind]


@checked
class Tally(Saved, Display):
    """Base of all tallies: addition, comparison, storage."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def _unchecked(cls, **values: Any) -> Self:
        """Return a tally of kernel counts, without checks."""
        tally = object.__new__(cls)
        for name, value in values.items():
            object.__setattr__(tally, name, value)
        return tally

    def __add__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return merged(self, other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(_same(self, other, name) for name in rules_of(type(self)))

    __hash__ = None  # type: ignore[assignment]

    def reorder(self, labels: Sequence[Label]) -> Self:
        """Return the same counts with the classes in another order, new ones with zero rows."""
        known = set(labels)
        for label in self._labels:
            if label not in known:
                raise InputError(
                    f"the class {label!r} of the tally is not among {list(labels)}; name all "
                    "classes"
                )
        return with_classes(self, tuple(labels))

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield "labels", alike(self._labels)
        counts: Any = getattr(self, "counts", None)
        if counts is not None and "sum_squared_weights" in rules_of(type(self)):
            squares = getattr(self, "sum_squared_weights")  # noqa: B009
            yield "counts", weights_agree(getattr(self, "rows", None), counts, squares)

    @property
    def _labels(self) -> tuple[Label, ...]:
        return getattr(self, "labels", ())


T = TypeVar("T", bound=Tally)


def changed(tally: T, **values: Any) -> T:
    """Return a tally with some fields replaced."""
    copy: Any = tally
    return cast(T, replace(copy, **values))


def arrays_of(tally: Tally) -> dict[str, Any]:
    """Return the arrays that a tally has, by field name."""
    result = ((name, getattr(tally, name)) for name, r in rules_of(type(tally)).items() if r.axes)
    return {name: value for name, value in result if value is not None}


def check(tally: Any) -> None:
    """Check the arrays of a new tally and make them read-only."""
    put, rules = object.__setattr__, rules_of(type(tally))
    sizes: dict[str, int] = {}
    for name, rule in rules.items():
        if rule.kind in ("axis", "names"):
            values = getattr(tally, name)
            if not isinstance(values, np.ndarray):
                values = tuple(values)
                put(tally, name, values)
                if len(set(values)) < len(values):
                    raise InputError(f"{name} names a class twice: {list(values)}")
            sizes[name] = len(values)
    arrays = arrays_of(tally)
    for name, values in arrays.items():
        axes, shape = rules[name].axes, np.shape(values)
        for place, size in zip(axes, shape, strict=True) if len(axes) == len(shape) else ():
            sizes.setdefault(place, size)
    for name, values in arrays.items():
        shape = tuple(sizes.get(a, 0) for a in rules[name].axes)
        put(tally, name, read_only(values, shape, name, rules[name]))
    if "rows" in rules and tally.rows < 0:
        put(tally, "rows", int(tally.counts.sum()))


def read_only(values: ArrayLike, shape: tuple[int, ...], name: str, rule: Rule) -> Floats:
    """Return values as a read-only float64 array of the shape given by the axes."""
    if isinstance(values, OccupiedCells | OccupiedScores):
        if values.shape != shape:
            raise InputError(f"{name} has shape {values.shape}; {_needed(rule, shape)}")
        read_only(values.values, values.values.shape, name, rule)
        return values  # type: ignore[return-value]
    owner = getattr(values, "base", None)
    is_frozen = isinstance(owner, np.ndarray) and not owner.flags.writeable
    try:
        # A read-only view, as of the kernels' counts, needs no copy.
        array = np.array(values, dtype=np.float64, copy=None if is_frozen else True)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not a table of numbers; {_needed(rule, shape)}") from None
    if array.size == 0 and 0 in shape:
        array = array.reshape(shape)
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}; {_needed(rule, shape)}")
    if array.size and not rule.signed and not (array.min() >= 0 and np.isfinite(array.sum())):
        raise InputError(
            f"{name} holds a negative or undefined number; give counts of zero or more"
        )
    array.flags.writeable = False
    return array


def _needed(rule: Rule, shape: tuple[int, ...]) -> str:
    return f"these {' and '.join(dict.fromkeys(rule.axes))} need {shape}"


def merged(a: T, b: T) -> T:
    """Return the tally of all rows of both."""
    for left, right in ((a, b), (b, a)):
        if is_empty(left) and set(left._labels) <= set(right._labels):
            return right
    rules, out = rules_of(type(a)), dict[str, Any]()
    for name, rule in rules.items():
        x, y = getattr(a, name), getattr(b, name)
        if rule.kind in ("agrees", "names"):
            if not _equal(x, y) and x != () and y != ():
                raise InputError(
                    f"{name} is {x!r} in one tally and {y!r} in the other; they cannot be added"
                )
            out[name] = x if _equal(x, y) else ()  # optional, and missing in one of them
        elif rule.kind == "adds" and not rule.axes:
            out[name] = x + y
    if "labels" in rules:
        out["labels"] = merged_labels(a._labels, b._labels)
        a, b = a.reorder(out["labels"]), b.reorder(out["labels"])
    pairs = {name: _both(a, b, name, rule) for name, rule in rules.items() if rule.axes}
    both = {name: pair for name, pair in pairs.items() if pair is not None}
    out |= dict.fromkeys(pairs.keys() - both.keys())
    if "scores" in rules and rules["scores"].kind == "axis":
        return changed(a, **out, **_along_scores(a, b, both))
    for name, (x, y) in both.items():
        out[name] = np.concatenate([x, y]) if rules[name].kind == "lines" else _added(name, x, y)
    return changed(a, **out)


def is_empty(tally: Tally) -> bool:
    """Return whether a tally has no rows."""
    rows = getattr(tally, "rows", 0)
    return not rows and not any(v.any() for v in arrays_of(tally).values())


def _both(a: Tally, b: Tally, name: str, rule: Rule) -> tuple[Any, Any] | None:
    """Return the arrays of a field in two tallies; None if the sum lacks the field."""
    x, y = getattr(a, name), getattr(b, name)
    if x is None and y is None:
        return None
    if rule.lacking:
        x = getattr(a, rule.lacking) if x is None else x
        y = getattr(b, rule.lacking) if y is None else y
    return None if x is None or y is None else (x, y)


def _added(name: str, x: Any, y: Any) -> Any:
    if x.shape != y.shape:
        raise InputError(
            f"{name} has shape {x.shape} in one tally and {y.shape} in the other; they cannot be "
            "added"
        )
    return x + y


def _along_scores(a: Any, b: Any, both: Mapping[str, tuple[Any, Any]]) -> dict[str, Any]:
    """Return the scores of two tallies, and their arrays added where scores are equal."""
    if (a.bins is None) != (b.bins is None):
        raise InputError(
            "one tally holds every score and the other counts them in bins; put the first into the "
            "bins of the other with .binned(other.bins)"
        )
    if a.bins != b.bins:
        raise InputError(
            "the two tallies were counted in different bins; count both in the same ones"
        )
    x, y = (t.scores if t.bins is None else t.bins._place(t.scores).astype(float) for t in (a, b))
    first, second = (np.concatenate([_columns(pair[i]) for pair in both.values()]) for i in (0, 1))
    keys, added = _kernels.merge(x, first, y, second)
    added = added.reshape(len(first), len(keys))
    added.flags.writeable = False  # so that the tally keeps it without a copy
    out: dict[str, Any] = {"scores": keys}
    start = 0
    for name, (values, _) in both.items():
        end = start + math.prod(values.shape[1:])
        part = added[start:end].reshape(*values.shape[1:], len(keys))
        out[name], start = np.moveaxis(part, -1, 0), end
    if a.bins is not None:
        low, high = np.full(len(keys), np.inf), np.full(len(keys), -np.inf)
        for t, places in ((a, x), (b, y)):
            at = np.searchsorted(keys, places)
            low[at], high[at] = np.minimum(low[at], t.scores), np.maximum(high[at], t.highs)
        out |= {"scores": low, "highs": high}
    return out


def _columns(values: NDArray[Any]) -> Floats:
    """Return an array over scores as columns (cells, scores)."""
    cells = math.prod(values.shape[1:])
    return np.ascontiguousarray(np.moveaxis(values, 0, -1).reshape(cells, len(values)))


def with_classes(tally: T, labels: tuple[Label, ...]) -> T:
    """Return a tally with these classes: new ones have no rows, and other ones are removed."""
    if labels == tally._labels:
        return tally
    place_of = {label: i for i, label in enumerate(labels)}
    present = [i for i, label in enumerate(tally._labels) if label in place_of]
    place = [place_of[tally._labels[i]] for i in present]
    place_of_each = np.array([place_of.get(label, -1) for label in tally._labels], dtype=np.intp)
    out: dict[str, Any] = {"labels": labels}
    for name, values in arrays_of(tally).items():
        if isinstance(values, OccupiedCells | OccupiedScores):
            out[name] = values.among(place_of_each, len(labels))
            continue
        for i, a in enumerate(rules_of(type(tally))[name].axes):
            if a == "labels":
                full = np.zeros((len(labels), *np.delete(values.shape, i)))
                full[place] = np.moveaxis(values, i, 0)[present]
                values = np.moveaxis(full, 0, i)
        out[name] = values
    return changed(tally, **out)


def merged_labels(a: Sequence[Label], b: Sequence[Label]) -> tuple[Label, ...]:
    """Return the classes of both: in the order of ``a`` if it has them all, else sorted."""
    if set(b) <= set(a):
        return tuple(a)
    if set(a) <= set(b):
        return tuple(b)
    coded = {"the first": a, "the second": b}
    names, _ = join_labels(
        {n: Coded(np.empty(0, dtype=np.intp), tuple(v)) for n, v in coded.items()}
    )
    return names


def _same(a: Tally, b: Tally, name: str) -> bool:
    """Return whether a field of two tallies is equal, ignoring the order of lines."""
    x, y = getattr(a, name), getattr(b, name)
    if rules_of(type(a))[name].kind == "lines" and x.shape == y.shape:
        x, y = (v[np.lexsort(v.T)] for v in (x, y))
    return _equal(x, y)


def _equal(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        return np.array_equal(x, y, equal_nan=True)
    return bool(x == y)
