"""Rules of a gate, read from a file."""

from __future__ import annotations

from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

import tallymark as tm
from tallymark import InputError
from tallymark.core import choices

SETTINGS = ("require", "no_worse", "forbid", "baseline", "subgroup", "strict", "level")
"""Keys of a file of rules."""


def settings_of(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the settings in a TOML file; in pyproject.toml the table tool.tallymark.check."""
    import tomllib

    path = Path(path)
    try:
        with path.open("rb") as file:
            settings: Any = tomllib.load(file)
    except OSError as error:
        raise InputError(f"the rules {str(path)!r} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} is not TOML: {error}; correct the file") from None
    if path.name == "pyproject.toml":
        for word in ("tool", "tallymark", "check"):
            settings = settings.get(word) if isinstance(settings, dict) else None
        if not isinstance(settings, dict):
            raise InputError(f"{str(path)!r} has no rules; write a table [tool.tallymark.check]")
    for name in settings:
        if name.replace("-", "_") not in SETTINGS:
            if (word := name.replace("-", "_")) in signature(tm.evaluate).parameters:
                raise InputError(
                    f"{str(path)!r} has the key {name!r}, which says how rows are read and is no "
                    f"rule; leave it out, and give {word}=... with the file that is judged"
                )
            keys = [key.replace("_", "-") for key in SETTINGS]
            raise InputError(f"{str(path)!r} has the key {name!r}; {choices(name, keys)}")
    return {name.replace("-", "_"): value for name, value in settings.items()}
