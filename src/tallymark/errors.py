"""What went wrong, where, and what to do: every refusal is one clear sentence."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class TallymarkError(Exception):
    """Anything tallymark refuses to do; its text is one sentence for the person who asked."""


class InputError(TallymarkError, ValueError):
    """The data or an argument cannot be used as given."""


class UndefinedMetricError(TallymarkError, ArithmeticError):
    """A metric has no value on these counts, and ``undefined="raise"`` was asked for."""


def choices(asked: str, known: Iterable[str], limit: int = 8) -> str:
    """Name the known words nearest to one that was not found, for the end of a sentence.

    >>> choices("recal", ["precision", "recall"])
    "did you mean 'recall'?"
    >>> choices("xyz", ["precision", "recall"])
    "there are 'precision', 'recall'"
    """
    names = [str(k) for k in known]
    lowered = {n.lower(): n for n in names}
    near = [lowered[n] for n in get_close_matches(asked.lower(), lowered, n=3, cutoff=0.6)]
    if near:
        return "did you mean " + " or ".join(repr(n) for n in near) + "?"
    shown = ", ".join(repr(n) for n in names[:limit])
    return f"there are {shown}" + (f" and {len(names) - limit} more" if len(names) > limit else "")
