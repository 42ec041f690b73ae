"""A comparison of classifiers as blocks, and as the card of a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tallymark.core import (
    GAP,
    Block,
    Cell,
    Folded,
    Grid,
    Headline,
    Paragraph,
    Row,
    chance_of,
    many,
    number,
    p_value,
    paragraphs,
    percent,
)
from tallymark.parts.results.diagram import chart
from tallymark.parts.results.words import (
    RULES,
    about,
    cautions,
    decimal,
    difference_of,
    one_pair,
    tests,
    verdict,
)

if TYPE_CHECKING:
    from tallymark.parts.results.comparison import ModelComparison, Pair

_MOST_PAIRS = 28
_MOST_SHOWN = 60
"""Pairs that a terminal shows, and that the card of a notebook shows."""


def model_comparison(c: ModelComparison) -> Iterator[Block]:
    """Yield the classifiers, the pairs, the verdict and its limits."""
    best, mean = next(iter(c.means.items()))
    over = many(len(c._fields), "data set")
    yield Headline(f"{many(len(c.means), 'classifier')} over {over}, {best} {c.metric} {mean:.4f}")
    yield Paragraph(c.source, "title")
    yield Paragraph(about(c))
    yield from paragraphs(c.notes, indent=2)
    yield GAP
    yield classifier_table(c)
    yield from paragraphs(tests(c), indent=2)
    if c.rule == "nemenyi" and c.critical_difference is not None:
        line = f"Critical difference of mean ranks {decimal(c.critical_difference)} (Nemenyi, "
        yield Paragraph(f"{line}{percent(c._terms.level, 0)})", indent=2)
    listed = c.pairs
    if len(c.pairs) > _MOST_PAIRS:
        listed = tuple(p for p in c.pairs if p.first == c.pairs[0].first)
    yield GAP
    yield pair_table(c, listed)
    if len(listed) < len(c.pairs):
        others = many(len(c.pairs) - len(listed), "other pair")
        yield Paragraph(f"{others}: in the JSON and on the page")
    yield Paragraph(legend(c), "dim")
    yield GAP
    yield Paragraph(verdict(c))
    yield from paragraphs(cautions(c), indent=2)


def classifier_table(c: ModelComparison) -> Grid:
    """Return a row a classifier, the best first."""
    ranks = c.mean_ranks
    heads = ("classifier", *(("mean rank",) if ranks else ()), f"mean {c.metric}")
    rows = [(n, *((f"{ranks[n]:.2f}",) if ranks else ()), number(m, 4)) for n, m in c.means.items()]
    return Grid(heads, rows, "Classifiers from the best down")


def pair_table(c: ModelComparison, pairs: Sequence[Pair]) -> Grid:
    """Return a row a pair: its test, and the probabilities that the first is better or worse."""
    interval = f"{percent(c._terms.level, 0)} interval"
    heads = {
        "folds": ("difference", interval, "p"),
        "wilcoxon": ("won, equal, lost", "difference", interval, "p"),
    }.get(c.rule, ("won, equal, lost", "p", "p alone"))
    rows: list[Row] = []
    for p in pairs:
        cells: dict[str, Cell | str] = {
            "won, equal, lost": f"{p.wins}, {p.equals}, {p.losses}",
            "difference": difference_of(p)[0],
            interval: difference_of(p)[1] or "-",
            "p": Cell(_p(p.p_value), mark="*" if p.winner else ""),
            "p alone": _p(p.adjusted),
        }
        rows.append(
            (p.first, p.second, *(cells[h] for h in heads), *map(chance_of, p.probabilities))
        )
    heads = ("first", "second", *heads, "better", "equal", "worse")
    first_dropped = ("won, equal, lost", "p alone", interval, "difference", "equal", "worse")
    optional = [heads.index(h) for h in first_dropped if h in heads]
    return Grid(heads, rows, "Every pair of classifiers", left=(0, 1), optional=optional)


def pair(p: Pair) -> Iterator[Block]:
    """Yield a sentence on the better of two classifiers and one on the size of the difference."""
    result, size = one_pair(p)
    yield Headline(result)
    yield Paragraph(result)
    yield Paragraph(size)


def legend(c: ModelComparison) -> str:
    """Return how to read the table of pairs."""
    message = f"* significant at {percent(c._terms.level, 0)}, by {RULES[c.rule]}"
    if not c._differ:
        message += ", which is not used where the F finds no difference"
    if c.rule == "folds" and any(p.result.interval for p in c.pairs) and len(c.pairs) > 1:
        message += "; intervals are not corrected for the number of pairs"
    if c.rule in ("nemenyi", "holm"):
        message += "; p alone: Wilcoxon's of the two, by Holm's method"
    method = next((p._posterior.method for p in c.pairs), "")
    return (
        f"{message}; better, equal, worse: how probable each is of the first ({method}, equal "
        f"within {c._terms.rope:g})"
    )


def _p(p: float | None) -> str:
    return "-" if p is None else p_value(p)


def model_comparison_card(c: ModelComparison) -> Iterator[Block]:
    """Yield the verdict, the critical-difference diagram, and the classifiers."""
    yield Paragraph(c.source, "title")
    yield Paragraph(about(c), "dim")
    yield Paragraph(verdict(c))
    if c.mean_ranks:
        yield chart(c, look='style="width:100%;min-width:30rem;max-width:46rem"')
    yield classifier_table(c)
    yield Folded("Every pair", [pair_table(c, c.pairs[:_MOST_SHOWN])])
