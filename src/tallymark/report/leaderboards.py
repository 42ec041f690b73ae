"""The order of models: ranks, who beats whom, who cannot be distinguished, and a chart of means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tallymark.report import drawing, words
from tallymark.report.blocks import Chart

if TYPE_CHECKING:
    from tallymark.metric.measure import Value

LONGEST = 60
"""Characters of a headline."""

LONGEST_NAME = 20
"""Characters of a model's name in a headline."""

_MOST_DRAWN = 20
"""The maximum number of models in a chart."""

_MOST_NAMED = 6
"""The most models that a sentence names; it counts the others."""


def models_named(models: Sequence[str]) -> str:
    """Return the names of models as part of a sentence.

    >>> models_named(["a", "b", "c"]), models_named([f"m{i}" for i in range(9)])
    ('a, b and c', 'm0, m1, m2, m3, m4, m5 and 3 others')
    """
    shown = [words.text(m) for m in models[:_MOST_NAMED]]
    if more := len(models) - len(shown):
        shown.append(words.many(more, "other"))
    return words.enumerated(shown)


def rank_range(low: int, high: int) -> str:
    """Return the ranks that a model may have: "1", or "1 to 3"."""
    return f"{low}" if low == high else f"{low} to {high}"


def who_beats(models: Sequence[str], proved: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield which models beat which; models that beat the same ones share a sentence.

    ``models`` are from the best down, and ``proved`` the pairs of a better and a worse model.

    >>> list(who_beats(["a", "b", "c"], [("a", "c"), ("b", "c")]))
    ['a and b each beat c.']
    """
    beaten: dict[tuple[str, ...], list[str]] = {}
    of: dict[str, list[str]] = {m: [] for m in models}
    for better, worse in proved:
        of[better].append(worse)
    for m in models:
        if of[m]:
            beaten.setdefault(tuple(sorted(of[m], key=models.index)), []).append(m)
    for i, (losers, winners) in enumerate(beaten.items()):
        if i == _MOST_NAMED:
            yield "The table of pairs has the other differences."
            return
        beat = "beats" if len(winners) == 1 else "each beat"
        yield f"{models_named(winners)} {beat} {models_named(losers)}."


def not_told_apart(groups: Sequence[tuple[str, ...]], on: str) -> Iterator[str]:
    """Yield which models cannot be distinguished, ``on`` so many questions.

    >>> list(not_told_apart([("a", "b"), ("c",)], "on 20 questions"))
    ['a and b cannot be distinguished on 20 questions.']
    """
    together = [g for g in groups if len(g) > 1]
    if not together:
        return
    sets = [models_named(g) for g in together[:3]]
    if more := len(together) - len(sets):
        sets.append(words.many(more, "other group"))
    if len(sets) == 1:
        yield f"{sets[0]} cannot be distinguished {on}."
    else:
        yield f"These groups cannot be distinguished {on}: {'; '.join(sets)}."


def groups_of_models(groups: Sequence[tuple[str, ...]]) -> str:
    """Return the groups of two or more models without a proved difference.

    >>> groups_of_models([("a", "b"), ("b", "c")])
    'Groups without a proved difference (they may overlap): a, b; b, c.'
    """
    if len(groups) == 1:
        return "No difference of two models is proved."
    sets = "; ".join(", ".join(words.text(m) for m in g) for g in groups)
    return f"Groups without a proved difference (they may overlap): {sets}."


def choice(models: Sequence[str], proved: Iterable[tuple[str, str]]) -> str:
    """Return which model to use, or that this is not decided, in at most 60 characters.

    ``models`` are from the best down, and ``proved`` the pairs of a better and a worse model.

    >>> choice(["a", "b", "c"], [("a", "c"), ("b", "c")]), choice(["a", "b"], [("a", "b")])
    ('a or b: not decided.', 'Use a: it beats b.')
    """
    best, *others = models
    beaten = {worse for better, worse in proved if better == best}
    names = [words.cut_off(m, LONGEST_NAME) for m in models if m not in beaten]
    if len(names) == 1:
        losers = words.enumerated([words.cut_off(m, LONGEST_NAME) for m in others])
        return fitting(
            f"Use {names[0]}: it beats {losers}.",
            f"Use {names[0]}: it beats the other {len(others)} models.",
        )
    listed = f"{', '.join(names[:-1])} or {names[-1]}"
    return fitting(
        f"{listed}: not decided.", f"Not decided between {len(names)} of {len(models)} models."
    )


def fitting(*titles: str) -> str:
    """Return the first headline that is short enough, or the last one."""
    return next((t for t in titles if len(t) <= LONGEST), titles[-1])


def chart_of_means(
    title: str,
    models: Sequence[str],
    values: Sequence[Value],
    heading: str = "How good each model is",
) -> Chart:
    """Return the means of models from the best down with their intervals, on an axis from 0 to 1.

    The axis is longer where a value lies beyond.
    """
    spans = [
        drawing.Span(words.text(m), v.value, v.low, v.high, missing="undefined" if v.reason else "")
        for m, v in zip(models[:_MOST_DRAWN], values, strict=False)
    ]
    ends = [v for s in spans for v in (s.value, s.low, s.high) if math.isfinite(v)]
    axis = drawing.Axis(title, min(0.0, *ends, 0.0), max(1.0, *ends, 1.0))
    more = len(models) - len(spans)
    return Chart(
        title,
        drawing.Forest(axis, spans, kind="model"),
        heading=heading,
        words=f"The table lists {words.many(more, 'other model')}." if more else "",
    )
