"""A comparison of classifiers over data sets or folds: in words, as tables, and as a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tallymark.report import blocks, svg
from tallymark.report.blocks import GAP, Block, Cell, Grid, Headline, Paragraph, Row, paragraphs
from tallymark.report.drawing import rank_diagram
from tallymark.report.words import (
    chance_of,
    grouped,
    many,
    number,
    p_is,
    p_value,
    percent,
    said,
    text,
    title,
)
from tallymark.studies.model_comparison import ModelComparison, Pair

_MOST_PAIRS = 28
_MOST_NAMES = 6
_FEW = 6
"""Data sets below which tests of ranks have little power."""

MEAN_RANKS = (
    "Whether two mean ranks differ depends on the other classifiers too: without one of them the "
    "verdict on a pair may change. The p-value of the pair alone is Wilcoxon's, corrected by "
    "Holm's method."
)

FOLDS_ALONE = "This concerns retraining on this data set and says nothing about other data sets."

WILCOXON_OF_FOLDS = (
    "Wilcoxon's test takes folds for independent, but they share training rows, so it finds "
    "differences too easily."
)

RULES = {
    "folds": "the test over folds, p-values adjusted by Holm's method",
    "wilcoxon": "Wilcoxon's signed rank test over data sets",
    "nemenyi": "Nemenyi's test of mean ranks",
    "holm": "tests of mean ranks against the control by Holm's method",
}

BARS = {
    "wilcoxon": "A bar joins the two where they do not differ significantly.",
    "nemenyi": "A bar joins classifiers whose mean ranks lie within the critical difference.",
    "holm": "The bar joins {} and the classifiers that do not differ significantly.",
}
"""What the bars of the critical-difference diagram mean."""

STYLE = (
    ".ranks{width:100%;min-width:34rem;max-width:52rem;height:auto}td{white-space:nowrap}"
    "td,thead th+th{text-align:right;padding-left:1rem}.table td.best{color:var(--good)}"
)

_OF_RANKS = ("demsar2006", "friedman1937", "iman1980", "holm1979", "benavoli2016", "benavoli2014")
SOURCES = {
    "folds": ("holm1979", "corani2015"),
    "wilcoxon": ("wilcoxon1945", "hodges1963", "demsar2006", "benavoli2014"),
    "nemenyi": (*_OF_RANKS[:3], "nemenyi1963", "benavoli2016", "holm1979", "benavoli2014"),
    "holm": _OF_RANKS,
}
SOURCES_OF_TESTS = {
    "corrected_t": ("nadeau2003", "bouckaert2004"),
    "5x2_t": ("dietterich1998",),
    "5x2_f": ("alpaydin1999",),
    "wilcoxon": ("wilcoxon1945",),
}


def about(c: ModelComparison) -> str:
    """Return what was compared: the metric, which direction is better, and over what."""
    where = text(c.fields[0].dataset)
    over = f"on {where}" if c.friedman is None else f"over {many(len(c.fields), 'data set')}"
    better = "higher" if c.terms.better == "high" else "lower"
    of = many(len(c.classifiers), "classifier")
    return f"{title(c.metric)} ({better} is better) of {of} {over}: {_results(c)}"


def _results(c: ModelComparison) -> str:
    """Return how many results each value is the mean of."""
    counts = [len(f.values) for f in c.fields]
    if len({(f.repeats, f.folds, len(f.values)) for f in c.fields}) > 1:
        return f"{min(counts)} to {max(counts)} results of each classifier on each"
    field, n = c.fields[0], counts[0]
    if n == 1:
        return "one result of each"
    if field.folds and n == field.repeats * field.folds:
        return f"{many(field.repeats, 'repeat')} of {many(field.folds, 'fold')}"
    return f"{many(n, 'result')} of each"


# -- the verdict -------------------------------------------------------------------------------


def verdict(c: ModelComparison) -> str:
    """Return who is better, who is not known to be, and how probable that is."""
    over_folds = c.friedman is None
    where = f"On {text(c.fields[0].dataset)}"
    if not over_folds:
        where = f"Over {many(len(c.fields), 'data set')}"
    judged = _over_folds if over_folds else _of_two if c.rule == "wilcoxon" else _of_ranks
    return " ".join(filter(None, [*judged(c, where), probabilities(c)]))


def _one_pair(where: str, p: Pair, difference: str, result: str) -> str:
    """Return who of two is better, or that neither is shown to be."""
    if p.winner is None:
        return (
            f"{where} {text(p.first)} and {text(p.second)} do not differ significantly: the "
            f"{difference} is {_difference(p)} ({result}), which does not show them to be equal."
        )
    winner, loser = text(p.winner), text(_loser(p))
    return f"{where} {winner} is better than {loser} by {_difference(p)} ({result})."


def _loser(p: Pair) -> str:
    return p.second if p.winner == p.first else p.first


def _over_folds(c: ModelComparison, where: str) -> list[str]:
    reasons = dict.fromkeys(p.result.reason for p in c.pairs)
    if "" not in reasons:
        return [said(f"{where} the classifiers cannot be compared: {'; or '.join(reasons)}.")]
    if len(c.pairs) == 1:
        p = c.pairs[0]
        result = f"{p.result.method}, {p_is(p.p_value)}"
        return [_one_pair(where, p, "mean difference", result), FOLDS_ALONE if p.winner else ""]
    method = next(p.result.method for p in c.pairs if not p.result.reason).split(",")[0]
    by = f"y the {method} test and Holm's method over {many(len(c.pairs), 'pair')}"
    if c.terms.control is not None:
        return [f"{where}, b{by} {_of_one(c, c.terms.control)}", FOLDS_ALONE]
    best = _bests(c.means)
    message = f"{where} {_share(best)} the best mean, {number(c.means[best[0]], 4)}."
    return [message, f"B{by} {_of_one(c, best[0])}", FOLDS_ALONE]


def _of_two(c: ModelComparison, where: str) -> list[str]:
    (p,) = c.pairs
    r, first, second = p.result, text(p.first), text(p.second)
    if r.reason:
        return [f"{where} {first} and {second} cannot be compared: {r.reason}."]
    out = [
        _one_pair(
            where,
            p,
            "difference",
            f"Wilcoxon's signed rank test, T {r.statistic:g}, {p_is(p.p_value)}; {first} is "
            f"ahead on {p.wins}, {second} on {p.losses}, {p.equals} are equal",
        )
    ]
    least = 2.0 ** (1 - (r.n - r.zeros))
    if p.winner is None and least >= 1 - c.terms.level:
        out.append(
            f"With {many(r.n - r.zeros, 'nonzero difference')} no result can be significant: "
            f"the least possible p is {p_value(least)}."
        )
    return out


def _of_ranks(c: ModelComparison, where: str) -> list[str]:
    f = c.friedman
    assert f is not None
    if f.reason:
        return [f"{where} nothing can be compared: {f.reason}."]
    best = _bests(c.mean_ranks)
    if not c.differ:
        out = [
            f"{where} the mean ranks do not differ significantly ({iman(c)}): no classifier "
            "is shown to be better, which does not show them to be equal."
        ]
    else:
        out = [
            f"{where} the classifiers differ significantly ({iman(c)}). {_share(best)} the best "
            f"mean rank, {c.mean_ranks[best[0]]:.2f}."
        ]
        nemenyi = (
            f"Nemenyi's test (critical difference {_two(c.critical_difference or 0.0)} at "
            f"{percent(c.terms.level, 0)})"
        )
        if c.terms.control is not None:
            out.append(f"By tests of mean ranks and Holm's method {_of_one(c, c.terms.control)}")
        elif not any(p.winner for p in c.pairs):
            out.append(
                f"{nemenyi} finds no two of them different, though: it tests every pair, "
                "which costs power."
            )
        else:
            out.append(f"By {nemenyi} {_of_one(c, best[0])}")
    if len(c.fields) < _FEW:
        out.append("With so few data sets the tests have little power and rough p-values.")
    return out


def iman(c: ModelComparison) -> str:
    """Return Iman and Davenport's F in words, nothing where there is none."""
    f = c.friedman
    if f is None or f.reason:
        return ""
    degrees = f"{f.f_df[0]} and {f.f_df[1]} degrees of freedom"
    return f"Iman and Davenport's F {_two(f.f)} with {degrees}, {p_is(f.f_p_value)}"


def _bests(numbers: Mapping[str, float]) -> list[str]:
    """Return who has the best number, which is that of the first."""
    best = next(iter(numbers.values()))
    return [n for n, x in numbers.items() if math.isclose(x, best, rel_tol=1e-12)]


def _share(best: Sequence[str]) -> str:
    return f"{_names(best)} {'has' if len(best) == 1 else 'share'}"


def _of_one(c: ModelComparison, name: str) -> str:
    """Return whom a classifier differs from, and which pairs without it differ."""
    hows = ("better than", "worse than", "not significantly different from")
    against = grouped(
        (
            hows[2 if p.winner is None else p.winner != name],
            p.second if p.first == name else p.first,
        )
        for p in c.pairs
        if name in (p.first, p.second)
    )
    parts = [f"{how} {_names(against[how])}" for how in hows if how in against]
    message = f"{text(name)} is {', '.join(parts[:-1])}{', and ' if parts[1:] else ''}{parts[-1]}"
    others = [
        (p.winner, _loser(p)) for p in c.pairs if name not in (p.first, p.second) and p.winner
    ]
    if len(others) > _MOST_NAMES:
        message += f". Of the pairs without it, {len(others)} differ significantly; see the table"
    elif others:
        listed = [f"{text(w)} is better than {_names(o)}" for w, o in grouped(others).items()]
        message += f". Of the others, {'; '.join(listed)}"
    return message + "."


def probabilities(c: ModelComparison) -> str:
    """Return which differences are practically certain, and which are not."""
    first, rope, level = c.pairs[0].first, c.terms.rope, percent(c.terms.level, 0)
    known = [p for p in c.pairs if p.first == first and not p.posterior.reason]
    if not known:
        return ""
    hows = ("better than", "about equal to", "worse than")
    sure = {
        p.second: [
            how
            for how, probable in zip(hows, p.probabilities, strict=True)
            if probable >= c.terms.level
        ]
        for p in known
    }
    by_how = grouped((how[0] if how else "", name) for name, how in sure.items())
    unsure = by_how.pop("", [])
    lead = f"Taking differences up to {rope:g} for none, " if rope else ""
    who = lead + text(first)
    if by_how:
        parts = ", ".join(f"{how} {_names(by_how[how])}" for how in hows if how in by_how)
        rest = f"; of {_names(unsure)} that is open." if unsure else "."
        return f"{who} is {parts} with a probability of {level} or more{rest}"
    if len(unsure) == 1:
        (p,) = known
        better, equal, worse = map(chance_of, p.probabilities)
        same = f", about equal {equal}" if rope else ""
        second = text(p.second)
        return f"{who} is better than {second} with probability {better}{same}, worse {worse}."
    nothing = f"othing about {text(first)} and the others is {level} probable."
    return f"{lead}n{nothing}" if rope else f"N{nothing}"


def cautions(c: ModelComparison) -> list[str]:
    """Return what limits the verdict."""
    out = []
    if c.rule in ("nemenyi", "holm") and c.differ:
        out.append(MEAN_RANKS)
    if any(p.result.test == "wilcoxon" for p in c.pairs) and c.friedman is None:
        out.append(WILCOXON_OF_FOLDS)
    out += dict.fromkeys(p.result.warning for p in c.pairs if p.result.warning)
    for p in c.pairs:
        if p.result.test == "5x2_t" and p.result.statistic * p.result.difference < 0:
            out.append(
                f"{text(p.first)} and {text(p.second)}: the one fold that Dietterich's t starts "
                "from disagrees in sign with the mean of all ten, so neither is called better; "
                "Alpaydin's F does not depend on one fold."
            )
    reasons = grouped(
        (reason, f"{text(p.first)} and {text(p.second)}")
        for p in c.pairs
        for reason in (p.result.reason, p.posterior.reason)
        if reason
    )
    for reason, whose in reasons.items():
        if len(whose) < len(c.pairs):
            out.append(f"{_names(whose)}: {reason}")
        elif reason not in verdict(c):
            out.append(f"all pairs: {reason}")
    return out


def _difference(p: Pair) -> str:
    """Return the size of a difference, with its interval in the same direction."""
    r = p.result
    message = number(abs(r.difference), 4)
    if r.interval is None:
        return message
    low, high = sorted(math.copysign(1, r.difference) * x for x in r.interval)
    return f"{message}, {percent(r.level, 0)} CI {number(low, 4)} to {number(high, 4)}"


# -- tables ------------------------------------------------------------------------------------


def model_comparison(c: ModelComparison) -> Iterator[Block]:
    """Yield the classifiers, the pairs, the verdict and what limits it."""
    best, mean = next(iter(c.means.items()))
    over = many(len(c.fields), "data set")
    yield Headline(f"{many(len(c.means), 'classifier')} over {over}, {best} {c.metric} {mean:.4f}")
    yield Paragraph(c.source, "title")
    yield Paragraph(about(c))
    yield from paragraphs(c.notes, indent=2)
    yield GAP
    yield classifier_table(c)
    yield from paragraphs(tests(c), indent=2)
    if c.rule == "nemenyi" and c.critical_difference is not None:
        line = f"Critical difference of mean ranks {_two(c.critical_difference)} (Nemenyi, "
        yield Paragraph(f"{line}{percent(c.terms.level, 0)})", indent=2)
    shown = c.pairs
    if len(c.pairs) > _MOST_PAIRS:
        shown = tuple(p for p in c.pairs if p.first == c.pairs[0].first)
    yield GAP
    yield pair_table(c, shown)
    if len(shown) < len(c.pairs):
        left = many(len(c.pairs) - len(shown), "other pair")
        yield Paragraph(f"{left}: in the JSON and on the page")
    yield Paragraph(legend(c), "dim")
    yield GAP
    yield Paragraph(verdict(c))
    yield from paragraphs(cautions(c), indent=2)


def tests(c: ModelComparison) -> list[str]:
    """Return the tests of all classifiers at once."""
    f = c.friedman
    if f is None or f.reason or c.rule == "wilcoxon":
        return []
    return [
        f"Friedman's chi squared {_two(f.statistic)} with {many(f.df, 'degree')} of freedom, "
        f"{p_is(f.p_value)}, {'' if f.ties == 'corrected' else 'not '}corrected for ties",
        iman(c),
    ]


def classifier_table(c: ModelComparison) -> Grid:
    """Return a row a classifier, the best first."""
    ranks = c.mean_ranks
    heads = ("classifier", *(("mean rank",) if ranks else ()), f"mean {c.metric}")
    rows = [(n, *((f"{ranks[n]:.2f}",) if ranks else ()), number(m, 4)) for n, m in c.means.items()]
    return Grid(heads, rows, "Classifiers from the best down")


def pair_table(c: ModelComparison, pairs: Sequence[Pair]) -> Grid:
    """Return a row a pair: its test, and the probabilities that the first is better or worse."""
    interval = f"{percent(c.terms.level, 0)} interval"
    heads = {
        "folds": ("difference", interval, "p"),
        "wilcoxon": ("won, equal, lost", "difference", interval, "p"),
    }.get(c.rule, ("won, equal, lost", "p", "p alone"))
    rows: list[Row] = []
    for p in pairs:
        bounds = p.result.interval
        cells: dict[str, Cell | str] = {
            "won, equal, lost": f"{p.wins}, {p.equals}, {p.losses}",
            "difference": number(p.result.difference, 4),
            interval: "-" if bounds is None else " to ".join(number(b, 4) for b in bounds),
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


def legend(c: ModelComparison) -> str:
    """Return how to read the table of pairs."""
    message = f"* significant at {percent(c.terms.level, 0)}, by {RULES[c.rule]}"
    if not c.differ:
        message += ", which is not used where the F finds no difference"
    if c.rule == "folds" and any(p.result.interval for p in c.pairs) and len(c.pairs) > 1:
        message += "; intervals are not corrected for the number of pairs"
    if c.rule in ("nemenyi", "holm"):
        message += "; p alone: Wilcoxon's of the two, by Holm's method"
    method = next((p.posterior.method for p in c.pairs), "")
    return (
        f"{message}; better, equal, worse: how probable each is of the first ({method}, equal "
        f"within {c.terms.rope:g})"
    )


def _p(p: float | None) -> str:
    return "-" if p is None else p_value(p)


def _two(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:.2f}"


def _names(names: Sequence[str]) -> str:
    message = list(map(text, names))
    if len(message) > _MOST_NAMES:
        message = [*message[:_MOST_NAMES], f"{len(message) - _MOST_NAMES} more"]
    return message[0] if len(message) == 1 else f"{', '.join(message[:-1])} and {message[-1]}"


# -- the page ----------------------------------------------------------------------------------


def render(c: ModelComparison) -> str:
    """Return the page as HTML text."""
    drawn = blocks.figure(
        blocks.scrolled(svg.ranks(rank_diagram(c)), "critical-difference diagram")
        if c.mean_ranks
        else "",
        f"Mean ranks, 1 the best. {BARS.get(c.rule, '').format(text(c.terms.control or ''))}",
    )
    pairs = replace(pair_table(c, c.pairs), caption=legend(c) + ".")
    tested = paragraphs((f"{t}." for t in tests(c)), "dim")
    of_tests = [
        key
        for test in dict.fromkeys(p.result.test for p in c.pairs if c.rule == "folds")
        for key in SOURCES_OF_TESTS.get(test, ())
    ]
    return blocks.filled(
        "document.html.j2",
        kicker="Comparison of classifiers",
        source=text(c.source),
        verdict=verdict(c),
        about=about(c),
        notes=[text(n) for n in c.notes],
        more_style=STYLE,
        sections=[
            ("classifiers", "Which classifier is better", [drawn, classifier_table(c), *tested]),
            ("pairs", "Every pair", [pairs, *paragraphs(cautions(c), "dim")]),
            (
                "datasets",
                f"{title(c.metric)} on every data set",
                [blocks.table_html(_datasets(c), "table")],
            ),
        ],
        definitions=_definitions(c),
        sources=[*of_tests, *SOURCES[c.rule]],
    )


def _datasets(c: ModelComparison) -> Grid:
    """Return each data set with the means of all classifiers, the best of them marked."""
    best = max if c.terms.better == "high" else min
    rows: list[Row] = []
    for f, row in zip(c.fields, c.values.tolist(), strict=True):
        means = [
            Cell(number(row[i], 4), style="best" if row[i] == best(row) else "dim") for i in c.order
        ]
        rows.append((f.dataset, Cell(f"{len(f.values):,}", style="dim"), *means))
    caption = "Means over the results that every classifier has; the best in colour and bold."
    return Grid(("Data set", "Results", *c.means), rows, caption)


def _definitions(c: ModelComparison) -> list[str]:
    """Return how every number of the page was made."""
    t = c.terms
    out = list(dict.fromkeys(p.result.method for p in c.pairs if not p.result.reason))
    out = [f"Of two classifiers: {method}." for method in out[:3]]
    if c.friedman is None:
        (field,) = c.fields
        ratio = field.ratio(t.ratio)
        if ratio is not None and any(p.result.test == "corrected_t" for p in c.pairs):
            out.append(
                f"The correction takes {ratio:.4g} rows tested for each row trained on "
                f"({'as stated' if t.ratio is not None else 'as folds have it'})."
            )
        out.append(f"P-values are adjusted by Holm's method over {len(c.pairs)} pairs.")
    elif c.rule != "wilcoxon":
        out.append("Ranks: 1 the best on a data set, equal values share their mean rank.")
        out.append(
            "Pairs are compared only where Iman and Davenport's F finds that the classifiers "
            f"differ at {percent(t.level, 0)}."
        )
    posterior = c.pairs[0].posterior
    drawn = f", {posterior.draws:,} draws from seed {posterior.seed}" if posterior.draws else ""
    out.append(
        f"Probabilities: {posterior.method}{drawn}; differences of {t.rope:g} or less count as "
        "equal."
    )
    return out
