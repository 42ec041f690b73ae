"""Number formats for readers: digits, percentages, p-values and plurals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


def number(x: float | None, digits: int = 3) -> str:
    """Return a number with fixed decimals, fewer for large and more for small numbers.

    >>> number(0.98765), number(1234.5678), number(0.00001234), number(float("inf"))
    ('0.988', '1,235', '1.23e-05', '∞')
    """
    if x is None or math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    size = abs(x)
    if size >= 1000:
        return written(x, ",.0f")
    if size >= 10:
        return written(x, f".{max(digits - 2, 1)}f")
    if 0 < size < 10 ** -(digits + 1):
        return written(x, f".{digits - 1}e")
    if 0 < size < 10 ** -(digits - 1):
        return written(x, f".{digits + 2}f")
    return written(x, f".{digits}f")


def written(x: float, form: str) -> str:
    """Return a number in a format of Python's with the sign "−"; what rounds to 0 has none.

    >>> written(-0.0091, ".3f"), written(0.0091, "+.3f"), written(-0.0001, ".2f")
    ('−0.009', '+0.009', '0.00')
    """
    text = format(x, form)
    return signed(text) if re.search("[1-9]", text) else text.lstrip("+-")


def signed(text: str) -> str:
    """Return a number's text with the sign "−" if it begins with a hyphen.

    >>> signed("-79"), signed("1e-05")
    ('−79', '1e-05')
    """
    return "−" + text[1:] if text.startswith("-") else text


def to_width(x: float, low: float, high: float, sign: str = "") -> tuple[str, str, str]:
    """Return a number and its bounds, to two digits of their distance, at least 2 decimals.

    >>> to_width(0.95123, 0.92311, 0.97432), to_width(0.95123, 0.81311, 0.98432)
    (('0.951', '0.923', '0.974'), ('0.95', '0.81', '0.98'))
    """
    width = high - low
    places = 3
    if 0 < width < math.inf:
        places = min(max(1 - math.floor(math.log10(width)), 2 if width < 2 else 0), 15)
    elif not sign:
        return number(x), number(low), number(high)
    a, b, c = (
        written(end, f"{sign},.{places}f") if math.isfinite(end) else number(end)
        for end in (x, low, high)
    )
    return a, b, c


def between(low: float, high: float, sign: str = "") -> str:
    """Return two bounds in words, to two digits of their distance; empty if there are none.

    >>> between(0.92311, 0.97432), between(0.81311, 0.98432), between(-0.021, 0.012, "+")
    ('0.923 to 0.974', '0.81 to 0.98', '−0.021 to +0.012')
    """
    _, start, end = to_width(low, low, high, sign)
    return "" if math.isnan(low) else f"{start} to {end}"


def short(x: float) -> str:
    """Return a number with up to four significant digits."""
    return written(x, ".4g") if math.isfinite(x) else number(x)


def in_samples(share: float) -> str:
    """Return in which share of samples something is expected.

    >>> in_samples(0.47), in_samples(0.226), in_samples(0.998)
    ('in about half of all samples', 'in about 23 % of all samples', 'in nearly all samples')
    """
    if abs(share - 0.5) < 0.05:
        return "in about half of all samples"
    if not 0.005 <= share < 0.995:
        return f"in {'nearly all' if share > 0.5 else 'hardly any'} samples"
    return f"in about {percent(share, 0)} of all samples"


def each(write: Callable[[float], str], values: Iterable[float]) -> list[str]:
    """Return numbers formatted by one of these functions.

    >>> each(short, [0.5, 0.123456])
    ['0.5', '0.1235']
    """
    return [write(float(x)) for x in values]


def count(n: float) -> str:
    """Return a number of rows: whole with separators, or a sum of weights with one decimal."""
    return f"{n:,.0f}" if float(n).is_integer() else f"{n:,.1f}"


def percent(x: float, digits: int = 1) -> str:
    """Return a share as a percentage."""
    return "undefined" if math.isnan(x) else f"{written(100 * x, f'.{digits}f')} %"


def share(p: float) -> str:
    """Return a share of positives as a percentage, with more digits near 0 and 100 %.

    >>> share(0.001), share(0.3726), share(0.9987), share(2.06e-5)
    ('0.1 %', '37.3 %', '99.87 %', '0.0021 %')
    """
    least = min(p, 1 - p)
    digits = 1 if least >= 0.01 else 2
    if 0 < least < 1e-4:
        digits = min(-math.floor(math.log10(least)) - 1, 14)
    return f"{100 * p:.{digits}f}".rstrip("0").rstrip(".") + " %"


def p_value(p: float | None, at_most: bool = False) -> str:
    """Return a p-value: never 0, and not below the smallest one its resamples can show.

    >>> p_value(0.0), p_value(0.0312), p_value(None), p_value(0.0009995, at_most=True)
    ('< 0.0001', '0.0312', 'not available', '≤ 0.001')
    """
    if p is None or math.isnan(p):
        return "not available"
    if at_most:
        from decimal import ROUND_CEILING, Context, Decimal

        return f"≤ {float(Context(prec=2, rounding=ROUND_CEILING).plus(Decimal(p))):g}"
    return "< 0.0001" if p < 0.0001 else f"{p:.3g}"


def p_is(p: float | None, at_most: bool = False) -> str:
    """Return a p-value after "p" and its sign.

    >>> p_is(0.0), p_is(0.0312), p_is(None), p_is(0.0036, at_most=True)
    ('p < 0.0001', 'p = 0.0312', 'p not available', 'p ≤ 0.0036')
    """
    message = p_value(p, at_most)
    return f"p {message}" if message[0] in "<≤n" else f"p = {message}"


def many(n: int, noun: str, plural: str = "") -> str:
    """Return a count and its noun, in the singular or the plural.

    >>> many(1, "pair"), many(1200, "pair")
    ('1 pair', '1,200 pairs')
    """
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


class Noun(NamedTuple):
    """A word for the rows of a table, in the singular and the plural."""

    one: str
    many: str

    @classmethod
    def of(cls, text: str) -> Noun:
        """Return the noun of a text, whose plural follows a slash unless it is regular.

        >>> Noun.of("loan").many, Noun.of("entry").many, Noun.of("child/children").many
        ('loans', 'entries', 'children')
        """
        one, _, many = (part.strip() for part in text.partition("/"))
        if re.search(r"[^aeiou]y$", one):
            return cls(one, many or f"{one[:-1]}ies")
        return cls(one, many or f"{one}{'es' if re.search(r'(s|x|z|ch|sh)$', one) else 's'}")

    def instead_of_rows(self, text: str) -> str:
        """Return a sentence about rows with this noun; places for numbers are kept.

        >>> Noun.of("loan").instead_of_rows("Of {rows:,} rows, every row-level check is a row's.")
        "Of {rows:,} loans, every row-level check is a loan's."
        """
        if self == ROW:
            return text
        said = re.sub(r"(?<![{\w])rows(?![-\w])", self.many, text)
        return re.sub(r"(?<![{\w])row(?![-\w])", self.one, said)


ROW = Noun("row", "rows")


def enumerated(parts: Sequence[str]) -> str:
    """Return the items of a list as part of a sentence.

    >>> enumerated(["a", "b", "c"]), enumerated(["a", "b"]), enumerated(["a"])
    ('a, b and c', 'a and b', 'a')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def is_name(label: object) -> bool:
    """Return whether a class is called by a name, not by a number.

    >>> is_name("cat"), is_name("8"), is_name(-1)
    (True, False, False)
    """
    return isinstance(label, str) and not label.lstrip("-").isdigit()


MOST_NAMED = 3
"""Names that a sentence lists; the others are counted."""


def few(names: Sequence[str]) -> list[str]:
    """Return the first names, and how many more there are.

    >>> enumerated(few(["a", "b", "c", "d", "e"]))
    'a, b, c and 2 more'
    """
    more = len(names) - MOST_NAMED
    return [*names[:MOST_NAMED], f"{more} more"] if more > 1 else list(names)


def with_article(noun: str) -> str:
    """Return a noun with "a" or "an", as it is pronounced.

    >>> with_article("SQLite file"), with_article("CSV file"), with_article("Excel file")
    ('an SQLite file', 'a CSV file', 'an Excel file')
    """
    return f"{'an' if re.match('[AEIOaeio]|[FHLMNRSX][A-Z]', noun) else 'a'} {noun}"


def cut(threshold: float, below: float) -> str:
    """Return a threshold with the fewest digits, at least two, that classify every row the same.

    ``below`` is the next lower score: any threshold above it, up to the given one, calls the same
    rows positive.

    >>> cut(0.73184, 0.72), cut(0.73184, 0.7317), cut(0.43, 0.42), cut(12345.6, 11000)
    ('0.73', '0.7318', '0.43', '12000')
    """
    from decimal import ROUND_FLOOR, Context, Decimal

    exact = float(threshold)
    if math.isinf(exact):
        return str(exact)
    written = Decimal(repr(exact))  # 0.43 itself: its binary value is slightly less than 0.43
    for digits in range(2, 16):
        rounded = float(Context(prec=digits, rounding=ROUND_FLOOR).plus(written))
        if below < rounded <= exact:
            return f"{rounded:.15g}"
    return repr(exact)


def cuts(pairs: Iterable[tuple[float, float]]) -> list[str]:
    """Return thresholds as :func:`cut` formats them, each given with the next lower score."""
    return [cut(threshold, below) for threshold, below in pairs]


def rounded_up(n: float) -> int:
    """Return a number of rows rounded up to two significant digits.

    >>> rounded_up(1234.0), rounded_up(99.1)
    (1300, 100)
    """
    scale = 10 ** max(0, math.floor(math.log10(n)) - 1)
    return int(math.ceil(n / scale) * scale)
