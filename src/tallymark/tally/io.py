"""Store tallies as plain data: versioned, readable by other programs, and restored exactly."""

from __future__ import annotations

import base64
import json
import math
import operator
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import checked, shown
from tallymark.errors import InputError
from tallymark.part import Role, kept_roles

SCHEMA = 0
"""Version 0 may change until the first release; version 1 will always be readable."""

LONG = 256
"""Longer arrays are written as compressed bytes, shorter ones as lists."""


@checked
class Saved:
    """Base of objects that are written to JSON by their fields and read back.

    A field that only the package reads begins with an underscore, and its key in JSON does not.
    """

    __slots__ = ()
    _kind: ClassVar[str] = ""
    """Format name in files; an object without one is only a part of others."""

    _part: ClassVar[str] = ""
    """The name of the damaged part in messages; else the failed condition names it."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with its format and version."""
        kind = {"format": f"tallymark/{self._kind}", "schema": SCHEMA}
        out: dict[str, Any] = kind if self._kind else {}
        for key, (field, role) in _keys(type(self)).items():
            value = getattr(self, field.name)
            if role is not None:
                if role.name in value:
                    out[key] = _plain(value[role.name])
                continue
            is_empty = value is None or (isinstance(value, tuple | dict) and not value)
            if not is_empty or not field.metadata.get("optional"):
                out[key] = _plain(value)
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        try:
            values = _fields_in(data, cls)
            result = cls(**values)
            unchanged = (
                (n.removeprefix("_"), getattr(result, n) == v)
                for n, v in values.items()
                if type(v) is int
            )
            for what, right in chain(unchanged, _shapes(result), result._facts()):
                if not right:
                    raise DamagedError(cls._part or what, _format_of(cls))
        except InputError:
            raise
        except _OF_OTHER_TYPES:
            raise DamagedError("counts", _format_of(cls)) from None
        return result

    def _facts(self) -> Iterator[tuple[str, bool]]:
        """Yield conditions that every valid object meets, by the name of the damaged part.

        Conditions are checked in order and stop at the first failure, so later ones may rely on it.
        """
        return iter(())


_OF_OTHER_TYPES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of Python for values of wrong types or shapes."""

EVERY_ROW = "every row"
"""The axis of arrays that hold a number for each row."""


class DamagedError(InputError):
    """Inconsistent parts of a file; ``what`` names them."""

    def __init__(self, what: str, whose: str) -> None:
        super().__init__(
            f"the {what} of this {whose} are damaged or inconsistent; give what to_dict() wrote, "
            "unchanged"
        )
        self.what = what


def _format_of(kind: type[Saved]) -> str:
    return f"tallymark/{kind._kind}" if kind._kind else kind.__name__


def array(
    name: str,
    kind: Any = np.float64,
    axes: tuple[str | int, ...] | None = None,
    *,
    signed: bool = False,
) -> dict[str, Any]:
    """Declare a field that is an array of numbers, flags or class codes.

    Along each of its ``axes`` it is as long as all other arrays with that axis, and as the tuple in
    the field of that name. It contains finite numbers, none below 0 unless ``signed``.
    """
    declared = part(lambda data: _as_kind(floats(data, name), name, kind))
    return declared if axes is None else {**declared, "axes": axes, "signed": signed}


def _as_kind(values: NDArray[np.float64], name: str, kind: Any) -> NDArray[Any]:
    """Return numbers converted to another type, which must represent them all exactly."""
    least, most = (0, 1) if kind is np.bool_ else (-_WHOLE, _WHOLE)
    whole = ((values >= least) & (values <= most) & (np.trunc(values) == values)).all()
    if kind is not np.float64 and not whole:
        raise _not_as_written(name, "an array of whole numbers")
    return values.astype(kind)


_WHOLE = 1 << 53
"""Above this, not every integer is a float."""


def _shapes(saved: Any) -> Iterator[tuple[str, bool]]:
    """Yield whether every array has the shape and the signs that its field declares."""
    arrays = {f.name: getattr(saved, f.name) for f in fields(saved)}
    sizes: dict[Any, int] = {n: len(v) for n, v in arrays.items() if isinstance(v, tuple)}
    for field in fields(saved):
        values, axes = arrays[field.name], field.metadata.get("axes")
        if values is None or axes is None:
            continue
        what = "rows" if axes[0] == EVERY_ROW else _key(field).replace("_", " ")
        yield what, values.ndim == len(axes)
        for axis, size in zip(axes, values.shape, strict=True):
            expected = axis if isinstance(axis, int) else sizes.setdefault(axis, size)
            yield what, size == expected
        yield what, bool(np.isfinite(values).all())
        yield what, field.metadata["signed"] or not (values < 0).any()


def alike(labels: Sequence[object]) -> bool:
    """Return whether labels are distinct and of one type."""
    return len(set(labels)) == len(labels) and len(set(map(type, labels))) <= 1


def weights_agree(rows: float | None, counts: Any, squares: Any) -> bool:
    """Return whether sums of weights and of squared weights are possible for a number of rows.

    Without squares, each row has weight 1. ``rows`` is None if the number is unknown.

    >>> weights_agree(3, np.array([1.5, 1.5]), np.array([1.25, 2.25]))
    True
    >>> weights_agree(3, np.array([1.5, 900]), np.array([1.25, 2.25]))
    False
    """
    total = float(counts.sum())
    if squares is None:
        return rows is None or abs(total - rows) < 1 or math.isclose(total, rows, rel_tol=1e-15)
    if hasattr(counts, "cells"):  # the occupied cells of many classes
        if not all(map(np.array_equal, counts.cells, squares.cells)):
            return False
        counts, squares = counts.values, squares.values
    root = np.sqrt(squares)
    cells = ((counts > 0) == (squares > 0)).all() and (root <= counts * HAIR).all()
    most = math.inf if rows is None else math.sqrt(rows) * math.sqrt(float(squares.sum()))
    return bool(cells) and total <= most * HAIR


HAIR = 1 + 1e-6
"""Relative tolerance for rounding in compared sums."""


def part(read: Callable[[Any], Any], *, many: bool = False) -> dict[str, Any]:
    """Declare a field that is read by a function, or a tuple of such values."""
    return {"part": (lambda data: tuple(map(read, _listed(data)))) if many else read}


def by_role(
    read: Callable[[Role, Any], Any], key_of: Callable[[Role], str] = operator.attrgetter("name")
) -> dict[str, Any]:
    """Declare a field that maps roles of parts to values, each of which has a key of its own.

    A role without a value is not written; in what is read, it may be null.
    """
    return {"read_of_role": read, "key_of": key_of}


def _listed(data: Any) -> list[Any]:
    if not isinstance(data, list | tuple):
        raise TypeError
    return list(data)


def _plain(value: Any) -> Any:
    """Return a value as JSON stores it."""
    if isinstance(value, np.ndarray):
        return numbers(value)
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value.to_dict() if hasattr(value, "to_dict") else value


def numbers(array: np.ndarray[Any, Any]) -> Any:
    """Return an array as lists, or if it is long as base64 of compressed little-endian float64.

    In lists, infinite sums of losses are texts, because JSON has no such number.
    """
    if array.size > LONG:
        raw = np.ascontiguousarray(array, dtype="<f8").tobytes()
        packed = base64.b64encode(zlib.compress(raw)).decode("ascii")
        return {"shape": list(array.shape), "float64": packed}
    if np.isfinite(array).all():
        return array.tolist()
    return np.where(np.isfinite(array), array.astype(object), array.astype(str)).tolist()


def floats(values: Any, name: str) -> NDArray[np.float64]:
    """Return the numbers that :func:`numbers` wrote to JSON."""
    try:
        if not isinstance(values, dict):
            if any(v is None for v in np.asarray(values, dtype=object).flat):
                raise ValueError
            return np.asarray(values, dtype=np.float64)
        shape = tuple(operator.index(n) for n in values["shape"])
        size = 8 * math.prod(shape)
        raw = zlib.decompressobj().decompress(base64.b64decode(values["float64"]), size + 1)
        if min(shape, default=0) < 0 or len(raw) != size:
            raise ValueError
    except (ValueError, TypeError, KeyError, OverflowError, zlib.error):
        raise _not_as_written(name, "an array of numbers") from None
    return np.frombuffer(raw, dtype="<f8").astype(np.float64).reshape(shape)


def _not_as_written(name: str, kind: str) -> InputError:
    return InputError(f"{name} is not {kind} as to_dict() writes it; give it unchanged")


def _never_written(name: str, value: Any) -> InputError:
    return InputError(
        f"{name} is {shown(value)}, which to_dict() does not write; give it unchanged"
    )


def _fields_in(data: dict[str, Any], tally: type[Saved]) -> dict[str, Any]:
    """Check the format and schema of what was written and return the tally's fields."""
    expected = _format_of(tally)
    if not isinstance(data, dict) or (tally._kind and data.get("format") != expected):
        written_format = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise InputError(f"this is {written_format!r}, not {expected}; give what to_dict() wrote")
    if tally._kind and data.get("schema") != SCHEMA:
        raise InputError(
            f"{expected} schema {data.get('schema')!r} is not known to this release, which reads "
            f"schema {SCHEMA}; use the release that wrote it or a newer one"
        )
    declared = _keys(tally)
    out = {k: v for k, v in data.items() if not tally._kind or k not in ("format", "schema")}
    needed = {
        key
        for key, (f, role) in declared.items()
        if role is None and not f.metadata.get("optional")
    }
    missing = needed - set(out)
    for name in sorted(missing | (set(out) - set(declared))):
        fault = "lacks the field" if name in declared else "has the unknown field"
        raise InputError(f"this {expected} {fault} {name!r}; give what to_dict() wrote, unchanged")
    values: dict[str, Any] = {}
    for key, value in out.items():
        field, role = declared[key]
        if role is None:
            values[field.name] = _value(value, field)
        elif value is not None:
            values.setdefault(field.name, {})[role.name] = _of_role(value, field, role)
    return values


def _keys(saved: type[Saved]) -> dict[str, tuple[Field[Any], Role | None]]:
    """Return the keys of an object in JSON, each with its field and the role that it is of."""
    keys: dict[str, tuple[Field[Any], Role | None]] = {}
    for field in fields(saved):  # type: ignore[arg-type]
        if key_of := field.metadata.get("key_of"):
            keys |= {key_of(role): (field, role) for role in kept_roles().values()}
        else:
            keys[_key(field)] = field, None
    return keys


def _key(field: Field[Any]) -> str:
    """Return the key that a field has in JSON."""
    return field.name.removeprefix("_")


_NOT_FINITE = ("inf", "-inf", "nan")
"""The texts of numbers that JSON lacks."""

_LABELS = (str, int, bool, type(None))

_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    "None": lambda v: v is None,
    "int": lambda v: type(v) is int and 0 <= v < 1 << 63,
    "float": lambda v: type(v) in (int, float) or v in _NOT_FINITE,
    "bool": lambda v: type(v) is bool,
    "str": lambda v: type(v) is str,
    "Missing": lambda v: v in ("error", "drop"),
    "Label": lambda v: type(v) in (str, int, bool),
    "Key": lambda v: isinstance(v, list) and all(type(x) in _LABELS for x in v),
}
"""Whether a value from JSON may be in a field, by the words of its annotation."""


def _is_one_of(value: Any, types: str) -> bool:
    """Return whether a value from JSON has one of the types in a field's annotation.

    >>> _is_one_of([1, "a"], "tuple[Label, ...] | None"), _is_one_of(["a", 1.5], "tuple[str, ...]")
    (True, False)
    """
    for kind in types.split(" | "):
        if kind.startswith("tuple["):
            item = kind.removeprefix("tuple[").removesuffix(", ...]")
            if isinstance(value, list | tuple) and all(_is_one_of(v, item) for v in value):
                return True
        elif kind.startswith("Mapping["):
            if isinstance(value, dict):
                return True
        elif kind.startswith("Literal["):
            if type(value) is str and repr(value) in kind:
                return True
        elif _PLAIN.get(kind, lambda v: v is not None)(value):
            return True
    return False


def _value(value: Any, field: Field[Any]) -> Any:
    """Return the value of a field from JSON."""
    reader, types = field.metadata.get("part"), str(field.type)
    if value is None and "None" in types:
        return None
    if reader is None and types.startswith("Floats"):
        return floats(value, _key(field))
    if not (value is not None if reader else _is_one_of(value, types)):
        raise _never_written(_key(field), value)
    try:
        if reader is not None:
            return reader(value)
        return float(value) if types.startswith("float") else _frozen(value)
    except InputError:
        raise
    except _OF_OTHER_TYPES:
        raise _never_written(_key(field), value) from None


def _of_role(value: Any, field: Field[Any], role: Role) -> Any:
    """Return the value of a role in a field from what JSON has of it."""
    try:
        return field.metadata["read_of_role"](role, value)
    except InputError:
        raise
    except _OF_OTHER_TYPES:
        raise _never_written(field.metadata["key_of"](role), value) from None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


MOST_READ = 4_000_000_000
"""Largest size of a file in bytes, and of its unpacked arrays."""


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read plain data that was written as JSON."""
    place = Path(path)
    try:
        with place.open("rb") as file:
            raw = file.read(LONG)
            if raw.lstrip()[:1] != b"{":
                raise ValueError
            raw += file.read(MOST_READ)
        if len(raw) > MOST_READ:
            raise _too_large(place)
        result: dict[str, Any] = json.loads(raw.decode("utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file {str(place)!r}; check the path") from None
    except OSError as error:
        raise InputError(
            f"{str(place)!r} cannot be read: {error.strerror}; check the path"
        ) from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{str(place)!r} does not hold complete JSON; give a file as save() or to_json() wrote "
            "it"
        ) from None
    if _unpacked(result) > MOST_READ:
        raise _too_large(place)
    return result


def _too_large(place: Path) -> InputError:
    return InputError(
        f"{str(place)!r} holds more than {MOST_READ / 1e9:g} GB; count the scores in bins "
        "(bins=... of a Tallier, options={'memory': ...}) before they are written"
    )


def _unpacked(data: Any) -> float:
    """Return how many bytes the arrays in plain data need when unpacked."""
    values: Any = data
    if isinstance(data, dict):
        shape = data.get("shape")
        if "float64" in data and isinstance(shape, list):
            return 8.0 * math.prod(float(n) for n in shape if isinstance(n, int))
        values = data.values()
    return sum(_unpacked(v) for v in values if isinstance(v, dict | list))
