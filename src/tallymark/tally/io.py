"""Tallies as plain data: versioned, readable by anything, and read back to the bit."""

from __future__ import annotations

import base64
import json
import math
import operator
import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.contract import checked
from tallymark.errors import InputError

SCHEMA = 0
"""May change until the first release; 1 will always be readable."""

LONG = 256
"""Arrays of more numbers than this are written as compressed bytes, others as lists."""


@checked
class Saved:
    """What becomes JSON by its fields, and is read back."""

    __slots__ = ()
    _kind: ClassVar[str] = ""
    """What a file of it is called; a part of other files alone has no name, format or version."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with its format and version."""
        kind = {"format": f"tallymark/{self._kind}", "schema": SCHEMA}
        out: dict[str, Any] = kind if self._kind else {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            lacking = value is None or (isinstance(value, tuple) and not value)
            if not lacking or not field.metadata.get("optional"):
                out[field.name] = _plain(value)
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**_fields_in(data, cls))


def array(name: str, kind: Any = np.float64) -> dict[str, Any]:
    """Declare a field that is an array of numbers, or of flags or codes of classes."""
    return part(lambda data: floats(data, name).astype(kind))


def part(read: Callable[[Any], Any], *, many: bool = False) -> dict[str, Any]:
    """Declare a field that is read by a function, or a tuple of such."""
    return {"part": (lambda data: tuple(map(read, data))) if many else read}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
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
    """Return an array as lists, or as base64 of zlib of little-endian float64 where it is long.

    Infinite sums of losses are texts in lists, for which JSON has no number.
    """
    if array.size > LONG:
        raw = np.ascontiguousarray(array, dtype="<f8").tobytes()
        packed = base64.b64encode(zlib.compress(raw)).decode("ascii")
        return {"shape": list(array.shape), "float64": packed}
    if np.isfinite(array).all():
        return array.tolist()
    return np.where(np.isfinite(array), array.astype(object), array.astype(str)).tolist()


def floats(values: Any, name: str) -> NDArray[np.float64]:
    """Return numbers that JSON holds as :func:`numbers` wrote them."""
    try:
        if not isinstance(values, dict):
            return np.asarray(values, dtype=np.float64)
        shape = tuple(operator.index(n) for n in values["shape"])
        size = 8 * math.prod(shape)
        raw = zlib.decompressobj().decompress(base64.b64decode(values["float64"]), size + 1)
        if min(shape, default=0) < 0 or len(raw) != size:
            raise ValueError
    except (ValueError, TypeError, KeyError, zlib.error):
        raise InputError(
            f"{name} is not an array of numbers as to_dict() writes it; give it unchanged"
        ) from None
    return np.frombuffer(raw, dtype="<f8").astype(np.float64).reshape(shape)


def _fields_in(data: dict[str, Any], tally: type[Saved]) -> dict[str, Any]:
    """Check the format and schema of what was written and return the tally's fields."""
    expected = f"tallymark/{tally._kind}" if tally._kind else tally.__name__
    if not isinstance(data, dict) or (tally._kind and data.get("format") != expected):
        given = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise InputError(f"this is {given!r}, not {expected}; give what to_dict() wrote")
    if tally._kind and data.get("schema") != SCHEMA:
        raise InputError(
            f"{expected} schema {data.get('schema')!r} is not known to this release, which reads "
            f"schema {SCHEMA}; use the release that wrote it or a newer one"
        )
    known = {f.name: f for f in fields(tally)}  # type: ignore[arg-type]
    out = {k: v for k, v in data.items() if not tally._kind or k not in ("format", "schema")}
    lacking = {name for name, f in known.items() if f.default is MISSING and name not in out}
    for name in sorted(lacking | (set(out) - set(known))):
        fault = "lacks the field" if name in known else "has the unknown field"
        raise InputError(f"this {expected} {fault} {name!r}; give what to_dict() wrote, unchanged")
    return {name: _value(value, known[name]) for name, value in out.items()}


_PLAIN = {"int": int, "str": str, "bool": bool}


def _value(value: Any, field: Field[Any]) -> Any:
    """Return a field's value from what JSON has of it."""
    read = field.metadata.get("part")
    if not isinstance(value, _PLAIN.get(str(field.type), object)):
        raise InputError(
            f"{field.name} is not {field.type} as to_dict() writes it; give it unchanged"
        )
    if read is not None and value is not None:
        return read(value)
    if isinstance(value, dict) and "float64" in value:
        return floats(value, field.name)
    return (
        tuple(value) if isinstance(value, list) and str(field.type).startswith("tuple") else value
    )


MOST_READ = 4_000_000_000
"""Bytes that a file may have, and that its arrays may hold when they are unpacked."""


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
        "(bins=... of a Tallier, memory=...) before they are written"
    )


def _unpacked(data: Any) -> float:
    """Return how many bytes the arrays in plain data hold when they are unpacked."""
    values: Any = data
    if isinstance(data, dict):
        shape = data.get("shape")
        if "float64" in data and isinstance(shape, list):
            return 8.0 * math.prod(float(n) for n in shape if isinstance(n, int))
        values = data.values()
    return sum(_unpacked(v) for v in values if isinstance(v, dict | list))
