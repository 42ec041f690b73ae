"""Display formats of numbers, labels and names that all subjects share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tallymark.display import dialect
from tallymark.errors import harmless
from tallymark.metric import Metric, get
from tallymark.metric.measure import Value
from tallymark.quantities import between as between
from tallymark.quantities import count as count
from tallymark.quantities import cut as cut
from tallymark.quantities import enumerated as enumerated
from tallymark.quantities import few as few
from tallymark.quantities import in_samples as in_samples
from tallymark.quantities import is_name
from tallymark.quantities import many as many
from tallymark.quantities import number as number
from tallymark.quantities import p_is as p_is
from tallymark.quantities import p_value as p_value
from tallymark.quantities import percent as percent
from tallymark.quantities import rounded_up as rounded_up
from tallymark.quantities import share as share
from tallymark.quantities import to_width as to_width
from tallymark.quantities import written as written
from tallymark.tally.arrays import Label

if TYPE_CHECKING:
    from tallymark.findings.finding import Finding, Severity
    from tallymark.infer.difference import Difference


class Bounded(Protocol):
    """A number with its interval."""

    @property
    def value(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """The lower bound."""

    @property
    def high(self) -> float:
        """The upper bound."""


def value(v: Bounded, sign: str = "") -> str:
    """Return a value with as many decimals as its interval."""
    if math.isnan(v.low):
        return signed(v.value) if sign else number(v.value)
    return to_width(v.value, v.low, v.high, sign)[0]


def interval(v: Bounded, sign: str = "") -> str:
    """Return the bounds in words, to two digits of their distance; empty if there are none."""
    return between(v.low, v.high, sign)


def with_interval(v: Value | Difference, sign: str = "") -> str:
    """Return a number with its confidence interval, to two digits of the interval's width.

    >>> from tallymark.metric.measure import Value
    >>> with_interval(Value("f1", 0.95123, 0.92311, 0.97432, 0.95))
    '0.951 (95 % CI 0.923 to 0.974)'
    >>> with_interval(Value("f1", math.nan, reason="no row is positive"))
    'undefined (no row is positive)'
    """
    if v.reason:
        return f"undefined ({v.reason})"
    bounds = interval(v, sign)
    if not bounds or v.level is None:
        return value(v, sign)
    return f"{value(v, sign)} ({100 * v.level:g} % CI {bounds})"


def between_percents(low: float, high: float) -> str:
    """Return the bounds of a share as percentages, to two digits of their width; empty without.

    >>> between_percents(0.12, 0.34), between_percents(0.0071, 0.0093)
    ('12 % to 34 %', '0.71 % to 0.93 %')
    """
    if math.isnan(low):
        return ""
    digits = 0 if high - low >= 0.1 else 1 if high - low >= 0.01 else 2
    return f"{percent(low, digits)} to {percent(high, digits)}"


def chance_of(x: float) -> str:
    """Return a probability with two digits, never shown as 0 or 1.

    >>> chance_of(0.954), chance_of(0.0004), chance_of(0.9999), chance_of(float("nan"))
    ('0.95', '<0.01', '>0.99', '-')
    """
    if math.isnan(x):
        return "-"
    return "<0.01" if x < 0.005 else ">0.99" if x >= 0.995 else f"{x:.2f}"


def text(label: Label) -> str:
    r"""Return a label or name that is safe in a terminal: control characters are escaped.

    >>> text("a\x1b[31m"), text(3)
    ('a\\x1b[31m', '3')
    """
    return harmless(str(label))


def called(label: Label | None, kind: str = "class") -> str:
    """Return a class or label as a sentence calls it: a number follows its kind.

    >>> called("cat"), called(8), called("8", "Label")
    ('cat', 'class 8', 'Label 8')
    """
    name = text(label)  # type: ignore[arg-type]
    return name if is_name(label) else f"{kind} {name}"


def shown_order(labels: Sequence[Label], positive: Label | None) -> list[int]:
    """Return the display order of classes: the positive one of two first, as in papers.

    >>> shown_order(("no", "yes"), "yes"), shown_order((0, 1, 2), 1)
    ([1, 0], [0, 1, 2])
    """
    order = list(range(len(labels)))
    return order[::-1] if len(labels) == 2 and labels[1] == positive else order


def cut_off(label: Label, most: int) -> str:
    """Return a name that is safe in a terminal, cut to a number of letters.

    >>> cut_off("a" * 90, 5)
    'aaaa…'
    """
    name = text(label)
    return name if len(name) <= most else name[: most - 1] + "…"


def subgroup(value: Any) -> str:
    """Return a subgroup's value for display."""
    return "(missing)" if value is None else text(value)


def said(sentence: str) -> str:
    """Return a sentence in the terms of the interface: options on the command line."""
    return dialect.get()(text(sentence))


def notes(findings: Iterable[Finding], severity: Severity) -> list[str]:
    """Return the texts of the notes with a severity: assumptions, or warnings."""
    return [said(note.text) for note in findings if note.severity == severity]


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the second items of pairs by first item, without repetition, in order.

    >>> grouped([("even", "2"), ("odd", "3"), ("even", "4"), ("even", "2")])
    {'even': ['2', '4'], 'odd': ['3']}
    """
    out: dict[str, dict[str, None]] = {}
    for first, second in pairs:
        out.setdefault(first, {})[second] = None
    return {first: list(of) for first, of in out.items()}


def title(metric: str) -> str:
    """Return the title of a column of results: the metric's title, or the column's name."""
    try:
        return get(metric).title
    except ValueError:
        return text(metric)


def chance(value: Any) -> str:
    """Return the value that guessing achieves, in words."""
    return "" if value is None else (value if isinstance(value, str) else f"{value:g}")


def how_to_read(metrics: Iterable[Metric]) -> list[str]:
    """Return the formula of each metric, its better direction, and the value of guessing.

    >>> how_to_read([get("precision")])
    ['TP / (TP + FP) · higher is better · guessing: prevalence']
    """
    better = {"high": " · higher is better", "low": " · lower is better", "neither": ""}
    return [
        m.words.formula
        + better[m.better]
        + ("" if m.chance is None else f" · guessing: {chance(m.chance)}")
        for m in metrics
    ]


SHORT_TITLES: Mapping[str, str] = {
    "f1": "F1",
    "roc_auc": "ROC area",
    "average_precision": "avg precision",
    "mean_absolute_error": "MAE",
    "root_mean_squared_error": "RMSE",
    "expected_calibration_error": "ECE",
    "kolmogorov_smirnov": "KS distance",
}
"""Metrics whose names are too long or unclear for columns and rows."""


def interval_head(level: float) -> str:
    """Return the head of a column of intervals."""
    return f"{100 * level:g} % interval"


def signed(x: float) -> str:
    """Return a difference with its sign.

    >>> signed(0.0123), signed(-0.00238), signed(0.0)
    ('+0.012', '−0.0024', '0.000')
    """
    if math.isnan(x):
        return "undefined"
    small = 0 < abs(x) < 0.01
    return ("+" if x > 0 else "") + (written(x, ".2g") if small else number(x))


def sentence(message: str) -> str:
    """Return a message as a separate sentence, safe in a terminal."""
    return text(message) + ("" if message.endswith((".", "?")) else ".")


def subgroup_name(key: Any) -> str:
    """Return a subgroup's values for display."""
    return ", ".join(map(subgroup, key)) if isinstance(key, tuple) else subgroup(key)
