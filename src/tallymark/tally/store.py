"""Tallies as plain data: versioned, readable by anything, and read back to the bit."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tallymark.errors import InputError

VERSION = 1

OPTIONAL = {"optional": True}
"""Metadata of a field that is written only where it says something."""


def pack(kind: str, tally: Any) -> dict[str, Any]:
    """Return a tally's fields as JSON values beside its format and version."""
    out: dict[str, Any] = {"format": f"tallymark/{kind}", "version": VERSION}
    for field in fields(tally):
        value = getattr(tally, field.name)
        if value is None and field.metadata == OPTIONAL:
            continue
        value = value.to_dict() if hasattr(value, "to_dict") else value
        out[field.name] = _numbers(value) if isinstance(value, np.ndarray) else value
        if isinstance(value, tuple):
            out[field.name] = list(value)
    return out


def _numbers(array: np.ndarray[Any, Any]) -> Any:
    """Return an array as lists; infinite sums of losses are texts, for which JSON has no number."""
    if np.isfinite(array).all():
        return array.tolist()
    return np.where(np.isfinite(array), array.astype(object), array.astype(str)).tolist()


def unpack(kind: str, data: dict[str, Any], tally: type[Any]) -> dict[str, Any]:
    """Check the format and version of what :func:`pack` wrote and return the tally's fields."""
    expected = f"tallymark/{kind}"
    if not isinstance(data, dict) or data.get("format") != expected:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise InputError(f"this is no {expected} but {found!r}; give what to_dict() wrote")
    if data.get("version") != VERSION:
        raise InputError(
            f"{expected} version {data.get('version')!r} is not known to this release, which reads "
            f"version {VERSION}; use the release that wrote it or a newer one"
        )
    out = {k: v for k, v in data.items() if k not in ("format", "version")}
    known = {f.name: f.default is MISSING for f in fields(tally)}
    lacking = {name for name, required in known.items() if required and name not in out}
    for name in sorted(lacking | (set(out) - set(known))):
        fault = "lacks the field" if name in known else "has the unknown field"
        raise InputError(f"this {expected} {fault} {name!r}; give what to_dict() wrote, unchanged")
    return {k: tuple(v) if k in ("labels", "names") else v for k, v in out.items()}


def write(path: str | os.PathLike[str], data: dict[str, Any]) -> None:
    """Write plain data as JSON, whole or not at all, and see it through to the disk."""
    place = Path(path)
    if not place.parent.is_dir():
        raise InputError(
            f"the folder {str(place.parent)!r} for {place.name} is not there; make it first"
        )
    if place.is_dir():
        raise InputError(f"{str(place)!r} is a folder; name a file in it")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent)
    except OSError as error:
        raise _unwritable(place, error) from None
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            json.dump(data, file, allow_nan=False, ensure_ascii=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
        _sync_folder(place.parent)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise _unwritable(place, error) from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{str(path)!r} cannot be written: {error.strerror}; choose a place where you may write"
    )


def _sync_folder(folder: Path) -> None:
    """See the new name through to the disk as well, where folders can be opened for that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what :func:`write` wrote."""
    place = Path(path)
    try:
        found: dict[str, Any] = json.loads(place.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file {str(place)!r}; look at the path") from None
    except OSError as error:
        raise InputError(
            f"{str(place)!r} cannot be read: {error.strerror}; look at the path"
        ) from None
    except ValueError:
        raise InputError(
            f"{str(place)!r} holds no whole JSON; give a file as save() wrote it"
        ) from None
    return found


def counts_array(values: ArrayLike, shape: tuple[int, ...], name: str) -> np.ndarray[Any, Any]:
    """Return counts as a read-only float64 array of the shape wanted, finite and not negative."""
    owner = getattr(values, "base", None)
    kept = isinstance(owner, np.ndarray) and not owner.flags.writeable
    try:
        # A view of an array that nobody writes to, as the kernels' counts are, is no copy.
        array = np.array(values, dtype=np.float64, copy=None if kept else True)
    except (TypeError, ValueError):
        raise InputError(f"{name} is no table of numbers; these labels need {shape}") from None
    if array.size == 0 and 0 in shape:
        array = array.reshape(shape)
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}; these labels need {shape}")
    if array.size and not (array.min() >= 0 and np.isfinite(array.sum())):
        raise InputError(f"{name} holds a negative or undefined number; counts are zero or more")
    array.flags.writeable = False
    return array


def same(a: Any, b: Any) -> bool:
    """Tell whether two arrays, or two absences of one, are equal."""
    if a is None or b is None:
        return a is b
    return bool(np.array_equal(a, b))
