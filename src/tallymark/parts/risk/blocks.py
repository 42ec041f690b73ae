"""Referrals as blocks: how many cases to answer, the areas, and the risk at each coverage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tallymark import Value
from tallymark.core import (
    CURVES,
    GAP,
    Block,
    Chart,
    Grid,
    Headline,
    Mark,
    Paragraph,
    count,
    drawing,
    interval,
    interval_head,
    many,
    p_is,
    percent,
    words,
)

if TYPE_CHECKING:
    from tallymark.parts.risk.refer import Limit, Referral
    from tallymark.parts.risk.sets import PredictionSets

COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""The coverages at which the risk is listed."""

TITLES = {
    "error_rate": "error rate, every case answered",
    "aurc": "AURC, area under the risk-coverage curve",
    "augrc": "AUGRC, the same of wrong answers over all cases",
    "e_aurc": "E-AURC, AURC less that of the best order",
}


def limit(x: Limit) -> Iterator[Block]:
    """Yield how many cases can be answered at a risk."""
    yield Headline(_found(x))
    yield Paragraph(_found(x))


def referral(r: Referral) -> Iterator[Block]:
    """Yield what to answer at each stated risk, the areas, and the risk at each coverage."""
    yield Headline(f"{words.text(r.name)}: {sentence(r)}")
    yield from answers(r)
    yield GAP
    yield areas(r)
    yield GAP
    yield risks(r)
    yield from notes(r)


def referral_card(r: Referral) -> Iterator[Block]:
    """Yield what to answer, the curve, and the areas."""
    yield from answers(r)
    yield chart(r)
    yield areas(r)
    yield from notes(r)


def chart(r: Referral, points: int = 400) -> Chart:
    """Return the risk against the coverage, with a dot where each stated risk is kept."""
    of = CURVES["risk_coverage"]
    line = drawing.Line(words.text(r.name), (r.curve(),), number=f"AURC {words.value(r.aurc)}")
    kept = [x for x in r.limits if x.coverage is not None]
    picture = replace(
        drawing.drawing(of, [line], points),
        dots=[(x.coverage or 0.0, x.wrong / x.answered, 0) for x in kept],
    )
    return Chart(
        of.title,
        picture,
        risks(r),
        of.words,
        f"{of.y.title} against {of.x.title}",
        marks=[Mark("first", 0, _found(x)) for x in kept],
        kind="risk_coverage",
    )


def sentence(r: Referral) -> str:
    """Return what to answer at the first stated risk; without one, how many answers are wrong."""
    return _sentence(r.limits[0], r) if r.limits else _errors(r)


def answers(r: Referral) -> Iterator[Paragraph]:
    """Yield the rows and errors, and a sentence for each stated risk."""
    yield Paragraph(f"{words.text(r.name)}, {count(r.rows)} answers", "title")
    yield Paragraph(f"{_errors(r)}.")
    yield from (Paragraph(f"{_sentence(x, r)}.", item=True) for x in r.limits)
    if len(r.limits) > 1:
        yield Paragraph(
            f"All of these hold together with {percent(r.assurance, 0)} confidence.", "dim"
        )


def _errors(r: Referral) -> str:
    """Return how many answers are wrong."""
    rate = words.with_interval(r.error_rate)
    return f"{count(r.wrong)} of {count(r.rows)} answers are wrong: error rate {rate}"


def _sentence(x: Limit, r: Referral) -> str:
    """Return what to answer so that a risk is kept, from which confidence, or why none is."""
    if x.coverage is None or x.threshold is None:
        return f"{claim(x, r)}: {_why(x, r)}"
    return (
        f"{claim(x, r)}. Answer a case if its confidence is at least {x.threshold:.4g} "
        f"({count(x.wrong)} of {count(x.answered)} such answers here are wrong)"
    )


def finding(r: Referral) -> str:
    """Return in at most 60 characters what to answer, or how many answers are wrong."""
    if not r.limits:
        return f"{count(r.wrong)} of {count(r.rows)} answers are wrong."
    first = r.limits[0]
    if first.coverage is None:
        return f"No share is shown to have at most {_share(first.risk)} wrong."
    refer = percent(1 - first.coverage, 0)
    return f"Answer {percent(first.coverage, 0)} of the cases and refer {refer}."


def claim(x: Limit, r: Referral) -> str:
    """Return the share to answer and to refer so that a risk is kept, or that none is shown."""
    sure = f", with {percent(r.assurance, 0)} confidence" if len(r.limits) == 1 else ""
    most = f"at most {_share(x.risk)} of the answers wrong{sure}"
    if x.coverage is None:
        return f"No share of cases is shown to have {most}"
    referred = 1 - x.coverage
    refer = f"refer {percent(referred, 0)} to a human" if referred else "refer none"
    return f"Answer {percent(x.coverage, 0)}, {refer}: {most}"


def _found(x: Limit) -> str:
    """Return the coverage of a limit in a few words."""
    if x.coverage is None or x.threshold is None:
        return f"risk {_share(x.risk)}: none"
    return f"risk {_share(x.risk)}: answer {percent(x.coverage, 0)}, from {x.threshold:.4g} up"


def _why(x: Limit, r: Referral) -> str:
    """Return why no coverage is shown to keep a risk, and the rows that are needed."""
    needed = f"at least {many(x.fewest_rows, 'answer')}, all right, of highest confidence"
    if not x.answered:
        return f"that takes {needed}, and there are {count(r.rows)}"
    wrong = "is wrong" if x.wrong == 1 else "are wrong"
    return (
        f"of the {count(x.answered)} most confident answers {count(x.wrong)} {wrong}, and at most "
        f"{count(x.allowed)} may be. It takes {needed}"
    )


def _share(risk: float) -> str:
    """Return a stated risk as a percentage, with the digits it was stated with."""
    return f"{100 * risk:.6g} %"


def areas(r: Referral) -> Grid:
    """Return the error rate and the areas with their intervals."""
    rows = [_row(TITLES[n], getattr(r, n)) for n in TITLES]
    return Grid(("lower is better", "value", interval_head(r.level)), rows, left=(0, 2), wrap=True)


def risks(r: Referral) -> Grid:
    """Return the risk at some coverages."""
    confidence = r.answers.confidence[::-1]
    answered = r.answers.counts[::-1].sum(1).cumsum()
    rows = []
    for coverage in COVERAGES:
        value = r.risk_at(coverage)
        place = int(np.searchsorted(answered, coverage * r.rows - 1e-9))
        bounds = interval(value)
        rows.append((percent(coverage, 0), f"{confidence[place]:.4g}", words.value(value), bounds))
    heads = ("cases answered", "from confidence", "risk", interval_head(r.level))
    return Grid(heads, rows, left=(3,))


def _row(title: str, value: Value) -> tuple[str, str, str]:
    return title, words.value(value), interval(value)


def notes(r: Referral) -> Iterator[Paragraph]:
    """Yield the warnings on the areas, how to read the intervals, and those on the rows."""
    warnings = dict.fromkeys(w for n in TITLES if (w := getattr(r, n).warning))
    few = [f"There is {w}: the intervals of the areas may be too narrow." for w in warnings]
    if any(w.endswith("answers") for w in warnings):
        few = [f"There are {w}: the intervals of the areas may be too narrow." for w in warnings]
    each = (
        "The interval of a risk is for a coverage that was chosen beforehand. To choose one by "
        "its risk, state the risk: risk=0.02."
    )
    yield from (Paragraph(note, "dim") for note in (*few, each, *r.notes))


def prediction_sets(p: PredictionSets) -> Iterator[Block]:
    """Yield the coverage and the mean size of prediction sets, and the coverage of their parts."""
    covered = words.with_interval(p.coverage)
    yield Headline(f"{many(p.rows, 'prediction set')}: coverage {covered}")
    yield Paragraph(f"{many(p.rows, 'prediction set')} of {len(p.classes)} classes", "title")
    size = words.with_interval(p.mean_size)
    yield Paragraph(f"Coverage {covered}, mean size {size}.")
    are, hold = ("is" if p.empty == 1 else "are"), ("holds" if p.single == 1 else "hold")
    yield Paragraph(f"{count(p.empty)} {are} empty, and {count(p.single)} {hold} one class.")
    if p.p_this_low is not None and p.alpha is not None:
        wanted = f"{100 * (1 - p.alpha):.6g} %"
        yield Paragraph(
            f"Wanted: {wanted}. Valid sets cover so few of {count(p.rows)} rows, or fewer, with "
            f"{p_is(p.p_this_low)}."
        )
    if p.warning:
        yield Paragraph(f"Warning: {p.warning}. Calibrate on rows such as these.", "warning")
    yield GAP
    parts = [(f"true class {words.text(k)}", v) for k, v in p.by_class.items()]
    parts += [(f"sets of size {k}", v) for k, v in p.by_size.items()]
    rows = [(part, count(v.definition["rows"]), words.value(v), interval(v)) for part, v in parts]
    yield Grid(("", "sets", "coverage", interval_head(p.level)), rows, left=(0, 3))
