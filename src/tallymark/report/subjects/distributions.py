"""Score distributions of both classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallymark.curve import Histogram
from tallymark.errors import InputError
from tallymark.report.drawing import DECIDED, SIDES, Distributions, brief, distribution
from tallymark.report.evaluation import Evaluation
from tallymark.report.subjects.curves import MOST_LINES, line_name
from tallymark.report.words import enumerated


def distributions(what: Any) -> Distributions:
    """Return one row per model or class of an evaluation, or per histogram."""
    spread: Mapping[str, Histogram]
    cuts: dict[str, float | None] = {}
    sides = SIDES
    if isinstance(what, Evaluation):
        if not any(m.scores for m in what.models):
            names, have = enumerated(what.names), "has" if len(what.names) == 1 else "have"
            raise InputError(
                f"a score distribution needs scores, and {names} {have} none; give y_score"
            )
        spread = {line_name(what, key): h for key, h in what._histograms().items()}
        cuts = {m.name: m.threshold for m in what.models}
        if what.binary:
            others = next(c for c in what.classes if c != what.positive)
            sides = (brief(what.positive), brief(others))
    elif isinstance(what, Histogram):
        spread = {"": what}
    elif isinstance(what, Mapping) and all(isinstance(h, Histogram) for h in what.values()):
        spread = what
    else:
        raise InputError("scores takes an Evaluation, a Histogram or a dictionary of them by name")
    if not spread or len(spread) > MOST_LINES:
        raise InputError(f"there are {len(spread)} distributions; draw 1 to {MOST_LINES}")
    rows = [distribution(brief(name), h, cuts.get(name)) for name, h in spread.items()]
    return Distributions(rows, sides, DECIDED)
