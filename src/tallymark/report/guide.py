"""The guide of ``ev.help()``: every metric, curve, plot and method that an evaluation supports."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tallymark.curve import CURVES
from tallymark.display import Display, plain_data
from tallymark.part import names
from tallymark.report.blocks import GAP, Block, Folded, Grid, Headline, Paragraph
from tallymark.report.evaluation import Evaluation, score_tallies
from tallymark.report.plots import MAIN
from tallymark.report.subjects.evaluation import FAMILIES
from tallymark.report.subjects.summary import about

MOST_ARGUMENTS = 3
"""Arguments of a method that are listed."""


OF_ONE_MODEL = (
    "by",
    "confusion_matrix",
    "curve",
    "optimal_threshold",
    "passes",
    "thresholds",
    "value",
)
"""Methods that do not accept several models."""


OF_ONE_COLUMN = (
    "advise",
    "as_printed",
    "at",
    "confusion_matrix",
    "no_information",
)
"""Methods not available for rows with several labels, besides those of scores or two classes."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Names of one kind: how to access one of them, and a description of each."""

    title: str
    call: str
    leaves: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.title}: {self.call}" if self.call else self.title


@dataclass(frozen=True, slots=True, repr=False)
class Guide(Display):
    """The features of an evaluation, branch by branch; returned by ``ev.help()``.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
    >>> [branch["title"].split(":")[0] for branch in ev.help().to_dict()["branches"]]
    ['Decisions', 'Ranking', 'Probabilities', 'Curves', 'Plots', 'Questions']
    """

    _about: str
    _branches: tuple[Branch, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what can be asked as plain data for JSON."""
        return {"about": self._about, "branches": plain_data(self._branches)}


def guide_of(ev: Evaluation) -> Guide:
    """Return the guide of an evaluation."""
    one = "ev" if len(ev.names) == 1 else f"ev.model({ev.names[0]!r})"
    branches = []
    for family, (title, _) in FAMILIES.items():
        leaves = {m.name: m.words.meaning for m in ev.metrics() if m.family == family}
        branches.append(Branch(title, f'{one}["{next(iter(leaves), "")}"]', leaves))
    scored = {} if ev.labels else score_tallies(ev)
    curves = {name: CURVES[name].meaning for of in scored and ev.curves().values() for name in of}
    call = f'{one}.curve("{next(iter(curves), "")}")' if ev.binary else "ev.curves()"
    branches.append(Branch("Curves", call, curves))
    plots = {name: _first_line(getattr(ev.plot, name)) for name in dir(ev.plot)}
    main = next(name for name in MAIN if name in plots)
    branches.append(Branch("Plots", f"ev.plot(), or one: ev.plot.{main}()", plots))
    lacking = {
        **dict.fromkeys(OF_ONE_COLUMN, bool(ev.labels)),
        "by": not ev._counted.subgroup_counts,
        "folds": not ev.source._fold,
        "compare": len(ev.names) < 2 or not ev._counted.side_by_side,
        "model": len(ev.names) < 2,
        "label": not ev.labels,
        "design_effects": not ev.clusters,
        **{name: ev.labels or not getattr(ev, name)() for name in names("questions")},
        **dict.fromkeys(names("methods"), not ev.binary),
        "per_class": ev.binary,
        **dict.fromkeys(("curve", "curves", "histograms"), not scored),
        **dict.fromkeys(
            ("optimal_threshold", "optimal_thresholds", "sweep", "passes", "thresholds"),
            not scored or not ev.binary,
        ),
    }
    of_one = (*OF_ONE_MODEL, *names("methods"))
    questions = {
        f"{one if name in of_one else 'ev'}.{name}({_arguments(method)})": _first_line(method)
        for name, method in inspect.getmembers(type(ev), inspect.isfunction)
        if name[0] != "_" and not lacking.get(name)
    }
    branches.append(Branch("Questions", "", questions))
    return Guide(about(ev), tuple(b for b in branches if b.leaves))


def _first_line(function: Any) -> str:
    """Return the first line of a docstring without its verb and Sphinx roles."""
    line = (inspect.getdoc(function) or "").partition("\n")[0].removeprefix("Return ")
    return re.sub(r":\w+:`([^`]*)`", r"\1()", line[:1].upper() + line[1:])


def _arguments(method: Callable[..., Any]) -> str:
    """Return the first arguments of a method."""
    _, *given = inspect.signature(method).parameters.values()
    names = [f"{'*' * (p.kind is p.VAR_POSITIONAL)}{p.name}" for p in given]
    return ", ".join([*names[:MOST_ARGUMENTS], *(["..."] if names[MOST_ARGUMENTS:] else [])])


def guide(g: Guide) -> Iterator[Block]:
    """Yield the names of metrics, curves and plots, and one line per method."""
    title = f"{g._about}: what this evaluation can answer"
    yield Headline(title)
    yield Paragraph(title, "title")
    for b in g._branches:
        yield GAP
        yield Paragraph(str(b), "title")
        if not b.call:
            yield from (Paragraph(f"{k}: {v}", item=True) for k, v in b.leaves.items())
        else:
            yield Paragraph(", ".join(b.leaves), indent=2)


def guide_card(g: Guide) -> Iterator[Block]:
    """Yield the branches, folded: what is available, and what it is."""
    yield Paragraph(f"{g._about}: what this evaluation can answer", "title")
    for b in g._branches:
        yield Folded(str(b), [Grid(("", ""), list(b.leaves.items()), left=(0, 1))])
