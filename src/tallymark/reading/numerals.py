"""Number formats of text columns: decimal sign and percent."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tallymark.reading.chunks import MISSING

_SIGN, _POWER = r"[+-]?", r"([eE][+-]?[0-9]+)?"
_FORMS = {
    "short": rf"{_SIGN}[0-9]{{1,3}}",
    "whole": rf"{_SIGN}[0-9]+{_POWER}",
    "dotted": rf"{_SIGN}[1-9][0-9]{{0,2}}\.[0-9]{{3}}",
    "triple": rf"{_SIGN}[1-9][0-9]{{0,2}},[0-9]{{3}}",
    "comma": rf"{_SIGN}([0-9]+,[0-9]*|,[0-9]+){_POWER}",
    "thousands": (
        rf"{_SIGN}([0-9]{{1,3}}(,[0-9]{{3}}){{2,}}|[0-9]{{1,3}}(,[0-9]{{3}})+\.[0-9]*"
        r"|[0-9]{1,3}(\.[0-9]{3}){2,}|[0-9]{1,3}(\.[0-9]{3})+,[0-9]*"
        "|[0-9]{1,3}(['’ \u00a0\u202f][0-9]{3})+([.,][0-9]*)?)"
    ),
    "list": r"\[.*\]",
    "point": rf"{_SIGN}([0-9]+\.[0-9]*|\.[0-9]+){_POWER}",
}
_REFUSED = {
    "list": "a list of numbers; give one number per row",
    "other": "which is not a number; give numbers",
    "thousands": "which separates thousands; write numbers without separators",
}
"""Formats that no number column may have, with the reason."""

_PERCENT = "% \u00a0\u202f"
"""A percent sign with optional blanks before it."""


def quoted(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


ABSENT = ", ".join(map(quoted, MISSING))
"""The words for missing values, in SQL."""


def form(value: str) -> str:
    """Return SQL for the format of a number in text: a word of :data:`_FORMS` or other.

    "triple" and "dotted" may be thousands or three decimals, beside "short" whole numbers; a number
    that SQL reads has no other format.
    """
    bare = f"rtrim({value}, {quoted(_PERCENT)})"
    cases = " ".join(
        f"WHEN regexp_full_match({bare}, {quoted(pattern)}) THEN {quoted(name)}"
        for name, pattern in _FORMS.items()
    )
    return (
        f"CASE {cases} WHEN TRY_CAST({value} AS DOUBLE) IS NOT NULL THEN 'point' ELSE 'other' END"
    )


@dataclass(frozen=True, slots=True)
class Writing:
    """The number format of a column; plain by default."""

    comma: bool = False
    percent: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not read literally, in words."""
        words = {"decimal comma": self.comma, "percent": self.percent}
        return tuple(word for word, there in words.items() if there)

    def number(self, value: str) -> str:
        """Return SQL for the number in a text, NULL if there is none."""
        if self.percent:
            value = f"rtrim({value}, {quoted(_PERCENT)})"
        if self.comma:
            value = f"replace({value}, ',', '.')"
        number = f"TRY_CAST({value} AS DOUBLE)"
        return f"({number} / 100)" if self.percent else number


def likely(value: str) -> str:
    """Return SQL for the number in a text of any format."""
    plain, percent = Writing(comma=True).number(value), Writing(comma=True, percent=True)
    return f"CASE WHEN contains({value}, '%') THEN {percent.number(value)} ELSE {plain} END"


def elements(value: str, kind: str) -> tuple[str, str] | None:
    """Return SQL for the elements of a vector column and their type; None for other columns.

    Vectors are lists, texts such as ``[0.2, 0.8]`` or ``[0.2 0.8]``, and Spark's dense vectors
    (type 1), whose numbers are in ``values``.
    """
    if kind.endswith("]"):
        return value, kind[: kind.rindex("[")]
    if kind.startswith("STRUCT") and '"values"' in kind:
        return f'CASE WHEN {value}.type = 1 THEN {value}."values" END', "DOUBLE"
    if kind not in ("VARCHAR", "JSON"):
        return None
    if kind == "JSON":
        value = f"coalesce({value} ->> '$.values', {value} ->> '$')"
    between = f"regexp_split_to_array(trim({value}, '[] '), '[,\\s]+')"
    return f"CASE WHEN trim({value}) LIKE '[%]' THEN {between} END", "VARCHAR"


def size_of(text: str) -> float:
    """Return the number in a text of any format, for sorting.

    >>> size_of("0,25"), size_of("93 %"), size_of("none")
    (0.25, 93.0, inf)
    """
    try:
        return float("".join(text.split()).removesuffix("%").replace(",", "."))
    except ValueError:
        return float("inf")


def writing_of(formats: Collection[tuple[str, bool]]) -> Writing | tuple[str, str]:
    """Return the number format from the formats that occur, with and without percent signs.

    If it is ambiguous or some texts are not numbers, return SQL that finds the first of them (of a
    text ``v``) and the problem.

    >>> writing_of([("comma", False), ("whole", False)])
    Writing(comma=True, percent=False)
    >>> writing_of([("comma", False), ("point", False)])[1]
    'among numbers with a decimal point; write all in the same way'
    """
    forms = {name for name, _ in formats}
    comma = bool(forms & {"comma", "triple"})
    for name, why in _REFUSED.items():
        if name in forms:
            return f"{form('v')} = '{name}'", why
    if len({percent for _, percent in formats}) > 1:
        return "contains(v, '%')", (
            "among numbers without a percent sign; write all in the same way"
        )
    if comma and forms & {"point", "dotted"}:
        return "contains(v, ',')", "among numbers with a decimal point; write all in the same way"
    if "triple" in forms and "comma" not in forms:
        return (
            f"{form('v')} = 'triple'",
            "whose comma may be a decimal one or separate thousands; write a decimal point",
        )
    return Writing(comma, any(percent for _, percent in formats))
