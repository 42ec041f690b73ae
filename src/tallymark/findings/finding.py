"""A finding: a rule's sentence about an evaluation, with the numbers that it cites."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tallymark.display import Display, plain_data
from tallymark.metric.measure import Value
from tallymark.quantities import cut, number, signed, to_width, written
from tallymark.tally.bins import next_lower
from tallymark.tally.io import Saved
from tallymark.tally.scores import ScoreTally

Severity = Literal["assumed", "info", "warning"]
"""An assumption about the data, information, or a warning that calls for action."""


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Display):
    """A rule's statement on an evaluation: an assumption, a warning or a piece of advice.

    ``rule`` is the code of the rule, ``text`` the whole sentence and ``remedy`` its end, which says
    what to do, or None. ``numbers`` are those in the sentence. Notes read from a file have only a
    text. Advice has a ``section`` and the ``metrics`` it is about, and may hold for ``others``
    besides its ``model``.
    """

    rule: str
    severity: Severity
    text: str
    model: str | None = None
    remedy: str | None = field(default=None, compare=False)
    numbers: Mapping[str, Number] = field(default_factory=dict, compare=False)
    sources: tuple[str, ...] = ()
    section: str | None = None
    metrics: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: advice with its numbers, other findings as notes."""
        if self.section is None:
            return Note(self.rule, self.severity, self.text, self.model).to_dict()
        return {name: plain_data(getattr(self, name)) for name in _KEYS_OF_ADVICE}


_KEYS_OF_ADVICE = (
    "rule",
    "section",
    "text",
    "numbers",
    "metrics",
    "sources",
    "model",
    "others",
)


@dataclass(frozen=True, slots=True)
class Note(Saved):
    """The fields of a finding that files store, unless it is advice."""

    code: str
    kind: Severity
    text: str
    model: str | None = None


def read_note(data: dict[str, Any]) -> Finding:
    """Return the finding saved as a note: its text, without the numbers."""
    note = Note.from_dict(data)
    return Finding(note.code, note.kind, note.text, note.model)


# -- numbers in sentences ------------------------------------------------------------------------


class Share(float):
    """A share, shown as a percentage."""


class Points(float):
    """A difference of two shares, shown in percentage points."""


class Times(float):
    """A factor, shown with two digits."""


class Rounded(float):
    """A value or bound, shown with as many decimals as the width of its interval warrants."""

    text: str

    @classmethod
    def to_width(cls, value: float, low: float, high: float) -> tuple[Rounded, Rounded, Rounded]:
        """Return a value and its bounds, rounded alike."""
        rounded = cls(value), cls(low), cls(high)
        for one, text in zip(rounded, to_width(value, low, high), strict=True):
            one.text = text
        return rounded


class Cut(float):
    """A threshold, shown with the fewest digits that classify every row the same."""

    below: float

    @classmethod
    def of(cls, threshold: float, tally: ScoreTally) -> Cut:
        """Return a threshold of the scores in a tally."""
        at = cls(threshold)
        at.below = float(next_lower(tally, threshold))
        return at


Number = Value | float | int | Mapping[str, Value]
"""Numbers in a sentence: a value, a number, a share, or a metric's value for each model."""


def places_in(template: str) -> list[str]:
    """Return the placeholders {like this} of a template, without repetition.

    >>> places_in("{few} of {rows:,} rows; {few} are enough")
    ['few', 'rows']
    """
    return list(dict.fromkeys(name for _, name, _, _ in string.Formatter().parse(template) if name))


def filled(template: str, values: Mapping[str, Number | str]) -> str:
    """Return a template with its placeholders replaced by words and numbers.

    A number is formatted as the placeholder specifies, as in ``{rows:,}``, else by :func:`shown`.

    Raises
    ------
    ValueError
        A placeholder without a value, or a value without a placeholder.

    >>> filled("{model} is right in {rows:,} rows ({share})", {
    ...     "model": "forest", "rows": 1200, "share": Share(0.5)})
    'forest is right in 1,200 rows (50 %)'

    """
    if set(places_in(template)) != set(values):
        raise ValueError(f"{template!r} does not cite {sorted(values)}")
    return _WRITER.vformat(template, (), values)


_INSIDE = "inside"


class _Writer(string.Formatter):
    def parse(self, template: str) -> Iterator[tuple[str, str | None, str | None, str | None]]:
        depth = 0
        for literal, name, format_spec, conversion in super().parse(template):
            depth += literal.count("(") - literal.count(")")
            yield literal, name, format_spec or (_INSIDE if depth else format_spec), conversion

    def format_field(self, value: Any, format_spec: str) -> str:
        inside = format_spec == _INSIDE
        if isinstance(value, str) or not (inside or not format_spec):
            form = "" if inside else format_spec
            return format(value, form) if isinstance(value, str) else written(value, form)
        return shown(value, inside)


_WRITER = _Writer()


def shown(number: Number, inside: bool = False) -> str:
    """Return a number with its interval as text, to stand ``inside`` parentheses or alone.

    >>> shown(Value("f1", 0.5, 0.4, 0.6)), shown(Value("f1", 0.5, 0.4, 0.6), inside=True)
    ('0.50 (0.40 to 0.60)', '0.50, 0.40 to 0.60')
    """
    if isinstance(number, Value):
        if math.isnan(number.low):
            return short(number.value)
        text, start, end = to_width(number.value, number.low, number.high)
        return f"{text}, {start} to {end}" if inside else f"{text} ({start} to {end})"
    if isinstance(number, Mapping):
        values = list(number.items())
        if len(values) == 1:
            return shown(values[0][1], inside)
        if len(values) <= 3:
            bounded = inside and not all(math.isnan(v.low) for _, v in values)
            texts = (f"{name} {shown(v, inside)}" for name, v in values)
            return ("; " if bounded else ", ").join(texts)
        low, high = (f(values, key=lambda kv: kv[1].value) for f in (min, max))
        if inside:
            return (
                f"lowest {low[0]} {shown(low[1], True)}; highest {high[0]} {shown(high[1], True)}"
            )
        return f"from {shown(low[1])} of {low[0]} to {shown(high[1])} of {high[0]}"
    if isinstance(number, Share):
        return f"{written(100 * number, '.3g')} %"
    if isinstance(number, Points):
        return written(100 * number, ".1f")
    if isinstance(number, Rounded):
        return number.text
    if isinstance(number, Cut):
        return signed(cut(number, number.below))
    if isinstance(number, Times):
        return written(number, ".2g")
    return short(number)


def short(x: float) -> str:
    """Return a number with three significant digits, and counts in full."""
    if math.isinf(x):
        return number(x)
    if isinstance(x, int) or (float(x).is_integer() and abs(x) >= 1):
        return written(int(x), ",")
    return written(x, ".3f" if 0.001 <= abs(x) < 100 else ".3g")
