"""A contest of classifiers in words, and its summary for a terminal."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from tallymark.report.study_text import title
from tallymark.report.words import number, p_value, percent, text
from tallymark.studies.model_comparison import Contest, Pair

_NARROWEST, _WIDEST = 40, 120
_MOST_PAIRS = 28
_LEAST = 7
"""Letters of a name that are always shown."""

_MOST_NAMES = 6
_FEW = 6
"""Data sets below which tests of ranks find next to nothing."""

MEAN_RANKS = (
    "Whether two mean ranks differ hangs on the other classifiers too: leave one out and the "
    "verdict on a pair may change. The p-value of the pair alone is Wilcoxon's, by Holm's method "
    "over the pairs."
)

FOLDS_ALONE = "This is about training on this data set again, and says nothing of other data sets."

WILCOXON_OF_FOLDS = (
    "Wilcoxon's test takes folds for independent, though they share training rows, and so finds "
    "differences too easily."
)

RULES = {
    "folds": "the test over folds, p-values adjusted by Holm's method",
    "wilcoxon": "Wilcoxon's signed rank test over data sets",
    "nemenyi": "Nemenyi's test of mean ranks",
    "holm": "tests of mean ranks against the control by Holm's method",
}


def about(c: Contest) -> str:
    """Say what was compared: the metric, which way is good, and over what."""
    good = "higher is better" if c.terms.better == "high" else "lower is better"
    told = f"{title(c.metric)} ({good}) of {_many(len(c.classifiers), 'classifier')} "
    if c.friedman is None:
        return told + f"on {text(c.fields[0].dataset)}: {_made(c)}"
    return told + f"over {_many(len(c.fields), 'data set')}: {_made(c)}"


def _made(c: Contest) -> str:
    """Say how many results stand behind each value."""
    ways = {(f.repeats, f.folds, len(f.values)) for f in c.fields}
    if len(ways) > 1:
        counts = [len(f.values) for f in c.fields]
        return f"{min(counts)} to {max(counts)} results of each classifier on each"
    ((repeats, folds, n),) = ways
    if n == 1:
        return "one result of each"
    if folds and n == repeats * folds:
        return f"{_many(repeats, 'repeat')} of {_many(folds, 'fold')}"
    return f"{_many(n, 'result')} of each"


# -- the verdict -------------------------------------------------------------------------------


def verdict(c: Contest) -> str:
    """Return what the evidence says: who is better, of whom it is not known, how probable it is."""
    if c.friedman is None:
        told = _over_folds(c)
    elif c.rule == "wilcoxon":
        told = _of_two(c)
    else:
        told = _of_ranks(c)
    return " ".join(filter(None, [*told, probabilities(c)]))


def _over_folds(c: Contest) -> list[str]:
    where = f"On {text(c.fields[0].dataset)}"
    reasons = dict.fromkeys(p.result.reason for p in c.pairs)
    if "" not in reasons:
        return [f"{where} the classifiers cannot be told apart: {'; or '.join(reasons)}."]
    if len(c.pairs) == 1:
        p = c.pairs[0]
        found = f"{p.result.method}, p {p_value(p.p_value)}"
        if p.winner is None:
            return [
                f"{where} {text(p.first)} and {text(p.second)} are not told apart: the mean "
                f"difference is {_difference(p)} ({found}), which does not show them to be equal."
            ]
        return [f"{where} {_beats(p)} by {_difference(p)} ({found}).", FOLDS_ALONE]
    method = next(p.result.method for p in c.pairs if not p.result.reason).split(",")[0]
    lead = f"By the {method} test and Holm's method over {_many(len(c.pairs), 'pair')}"
    if c.terms.control is not None:
        return [f"{where}, {_against(c, lead[0].lower() + lead[1:])}", FOLDS_ALONE]
    best = _bests(c, list(c.means.values()))
    told = f"{where} {_share(best)} the best mean, {number(c.means[best[0]], 4)}."
    return [told, f"{lead} {_of_best(c, best[0])}", FOLDS_ALONE]


def _of_two(c: Contest) -> list[str]:
    (p,) = c.pairs
    r = p.result
    over = f"Over {_many(len(c.fields), 'data set')}"
    if r.reason:
        return [f"{over} {text(p.first)} and {text(p.second)} are not told apart: {r.reason}."]
    found = (
        f"Wilcoxon's signed rank test, T {r.statistic:g}, p {p_value(p.p_value)}; "
        f"{text(p.first)} is ahead on {p.wins}, {text(p.second)} on {p.losses}, {p.equals} are "
        "equal"
    )
    if p.winner is None:
        out = [
            f"{over} {text(p.first)} and {text(p.second)} are not told apart: the difference is "
            f"{_difference(p)} ({found}), which does not show them to be equal."
        ]
        if 2.0 ** (1 - (r.n - r.zeros)) >= 1 - c.terms.level:
            out.append(
                f"With {_many(r.n - r.zeros, 'difference')} other than zero, none could have been: "
                f"the least possible p is {p_value(2.0 ** (1 - (r.n - r.zeros)))}."
            )
        return out
    return [f"{over} {_beats(p)} by {_difference(p)} ({found})."]


def _of_ranks(c: Contest) -> list[str]:
    f = c.friedman
    assert f is not None
    over = f"Over {_many(len(c.fields), 'data set')}"
    if f.reason:
        return [f"{over} nothing can be told apart: {f.reason}."]
    if not c.differ:
        out = [
            f"{over} the mean ranks differ no more than chance would make them ({iman(c)}): no "
            "classifier is shown to be better, which does not show them to be equal."
        ]
    else:
        best = _bests(c, list(c.mean_ranks.values()))
        out = [
            f"{over} the classifiers differ ({iman(c)}). {_share(best)} the best mean rank, "
            f"{f.ranks[c.order[0]]:.2f}."
        ]
        if c.terms.control is not None:
            told = _against(c, "by tests of mean ranks and Holm's method")
            out.append(told[0].upper() + told[1:])
        elif not any(p.winner for p in c.pairs):
            out.append(
                f"{_nemenyi(c)} tells no two of them apart, though: it asks about every pair and "
                "is the weaker for it."
            )
        else:
            out.append(f"By {_nemenyi(c)} {_of_best(c, best[0])}")
    if len(c.fields) < _FEW:
        out.append("So few data sets seldom tell anything apart, and their p-values are rough.")
    return out


def iman(c: Contest) -> str:
    """Return Iman and Davenport's F in words, nothing where there is none."""
    f = c.friedman
    if f is None or f.reason:
        return ""
    return (
        f"Iman and Davenport's F {_two(f.f)} with {f.f_df[0]} and {f.f_df[1]} degrees of "
        f"freedom, p {p_value(f.f_p_value)}"
    )


def chi_squared(c: Contest) -> str:
    """Return Friedman's chi squared in words."""
    f = c.friedman
    if f is None or f.reason:
        return ""
    ties = "corrected for ties" if f.ties == "corrected" else "not corrected for ties"
    return (
        f"Friedman's chi squared {_two(f.statistic)} with {_many(f.df, 'degree')} of freedom, "
        f"p {p_value(f.p_value)}, {ties}"
    )


def _nemenyi(c: Contest) -> str:
    return (
        f"Nemenyi's test (critical difference {_two(c.critical_difference or 0.0)} at "
        f"{percent(c.terms.level, 0)})"
    )


def _bests(c: Contest, falling: Sequence[float]) -> list[str]:
    """Return who has the best number, of numbers in the order of the contest."""
    return [
        c.classifiers[i]
        for i, x in zip(c.order, falling, strict=True)
        if math.isclose(x, falling[0], rel_tol=1e-12)
    ]


def _share(best: Sequence[str]) -> str:
    return f"{_names(best)} {'has' if len(best) == 1 else 'share'}"


def _of_best(c: Contest, best: str) -> str:
    """Say of the best who it is told apart from, and which other pairs are."""
    own = [p for p in c.pairs if p.first == best]
    better = [p.second for p in own if p.winner == best]
    worse = [p.second for p in own if p.winner == p.second]
    same = [p.second for p in own if p.winner is None]
    parts = [
        f"{how} {_names(names)}"
        for how, names in (
            ("better than", better), ("worse than", worse), ("not told apart from", same),
        )
        if names
    ]  # fmt: skip
    told = f"{text(best)} is {', '.join(parts[:-1])}{', and ' if parts[1:] else ''}{parts[-1]}"
    others: dict[str, list[str]] = {}
    for p in c.pairs:
        if p.first != best and p.winner:
            others.setdefault(p.winner, []).append(p.second if p.winner == p.first else p.first)
    apart = sum(map(len, others.values()))
    if apart > _MOST_NAMES:
        told += f". Of the pairs without it, {apart} are told apart; see the table"
    elif others:
        listed = [f"{text(w)} is better than {_names(o)}" for w, o in others.items()]
        told += f". Of the others, {'; '.join(listed)}"
    return told + "."


def _against(c: Contest, lead: str) -> str:
    control = c.terms.control
    better = [p.second for p in c.pairs if p.winner == p.second]
    worse = [p.second for p in c.pairs if p.winner == control]
    same = [p.second for p in c.pairs if p.winner is None]
    parts = [
        f"{how} {'is' if len(names) == 1 else 'are'} {_names(names)}"
        for how, names in (("better", better), ("worse", worse), ("not told apart", same))
        if names
    ]
    return f"{lead}, held against {text(control or '')}: {'; '.join(parts)}."


def probabilities(c: Contest) -> str:
    """Say which differences are practically certain, and which are not."""
    first = c.pairs[0].first
    own = [p for p in c.pairs if p.first == first]
    known = [p for p in own if not p.posterior.reason]
    if not known:
        return ""
    sure: dict[str, list[str]] = {"better than": [], "about equal to": [], "worse than": []}
    open_: list[str] = []
    for p in known:
        for how, probable in zip(sure, p.probabilities, strict=True):
            if probable >= c.terms.level:
                sure[how].append(p.second)
                break
        else:
            open_.append(p.second)
    rope = f"differences up to {c.terms.rope:g} for none" if c.terms.rope else "any difference"
    parts = [f"{how} {_names(names)}" for how, names in sure.items() if names]
    lead = f"Taking {rope}, " if c.terms.rope else ""
    level = percent(c.terms.level, 0)
    told = ""
    if parts:
        told = (
            f"{lead}{text(first)} is {', '.join(parts)} with a probability of {level} or more"
            + (f"; of {_names(open_)} that is open." if open_ else ".")
        )
    elif len(open_) == 1:
        (p,) = known
        better, equal, worse = map(chance, p.probabilities)
        same = f", about equal {equal}" if c.terms.rope else ""
        told = (
            f"{lead}{text(first)} is better than {text(p.second)} with probability {better}{same}, "
            f"worse {worse}."
        )
    else:
        told = f"{lead}nothing about {text(first)} and the others is {level} probable."
    return told[0].upper() + told[1:]


def cautions(c: Contest) -> list[str]:
    """Say what to keep in mind about how it was decided."""
    out = []
    if c.rule in ("nemenyi", "holm") and c.differ:
        out.append(MEAN_RANKS)
    if any(p.result.test == "wilcoxon" for p in c.pairs) and c.friedman is None:
        out.append(WILCOXON_OF_FOLDS)
    for p in c.pairs:
        if p.result.test == "5x2_t" and p.result.statistic * p.result.difference < 0:
            out.append(
                f"{text(p.first)} and {text(p.second)}: the one fold that Dietterich's t starts "
                "from points the other way than the mean of all ten, so neither is called better; "
                "Alpaydin's F does not hang on one fold."
            )
    reasons: dict[str, list[str]] = {}
    for p in c.pairs:
        for reason in dict.fromkeys((p.result.reason, p.posterior.reason)):
            if reason:
                reasons.setdefault(reason, []).append(f"{text(p.first)} and {text(p.second)}")
    for reason, whose in reasons.items():
        if len(whose) < len(c.pairs):
            out.append(f"{_names(whose, done=True)}: {reason}")
        elif reason not in verdict(c):
            out.append(f"all pairs: {reason}")
    return out


def _beats(p: Pair) -> str:
    other = p.second if p.winner == p.first else p.first
    return f"{text(p.winner or '')} is better than {text(other)}"


def _difference(p: Pair) -> str:
    """Return the size of a difference, with its interval in the same direction."""
    r = p.result
    told = number(abs(r.difference), 4)
    if r.interval is None:
        return told
    low, high = r.interval if r.difference >= 0 else (-r.interval[1], -r.interval[0])
    return f"{told}, {percent(r.level, 0)} interval {number(low, 4)} to {number(high, 4)}"


# -- the terminal ------------------------------------------------------------------------------


def summary(c: Contest, width: int | None = None) -> str:
    """Return the summary as text that fits a terminal: classifiers, pairs, and the verdict."""
    width = width or min(shutil.get_terminal_size((88, 24)).columns, _WIDEST)
    width = max(width, _NARROWEST)

    def wrapped(told: str, indent: str = "") -> list[str]:
        whole = told.replace(" %", "\0%")  # a number and its sign stay together
        lines = textwrap.wrap(whole, width, subsequent_indent=indent) or [""]
        return [line.replace("\0", " ") for line in lines]

    out = [*wrapped(text(c.source)), *wrapped(about(c))]
    for note in c.notes:
        out += wrapped(text(note), "  ")
    out += ["", *_aligned(classifier_table(c), width)]
    for told in (chi_squared(c), iman(c)) if c.rule != "wilcoxon" else ():
        out += wrapped(told, "  ") if told else []
    if c.rule == "nemenyi" and c.critical_difference is not None:
        told = f"Critical difference of mean ranks {_two(c.critical_difference)} (Nemenyi, "
        out += wrapped(f"{told}{percent(c.terms.level, 0)})", "  ")
    shown = shown_pairs(c)
    table = pair_table(c, shown, width)
    out += ["", *_aligned(table, width)]
    lacking = [h for h in pair_table(c, shown)[0][1:] if h not in table[0]]
    if lacking:
        out += wrapped(f"wider terminals have: {'; '.join(lacking)}")
    if len(shown) < len(c.pairs):
        left = _many(len(c.pairs) - len(shown), "other pair")
        out += wrapped(f"{left}: in the JSON and on the page")
    out += wrapped(legend(c))
    out += ["", *wrapped(verdict(c))]
    for told in cautions(c):
        out += wrapped(told, "  ")
    return "\n".join(line.rstrip() for line in out)


def shown_pairs(c: Contest) -> tuple[Pair, ...]:
    """Return the pairs that a terminal has room for: all, or those of the best."""
    if len(c.pairs) <= _MOST_PAIRS:
        return c.pairs
    return tuple(p for p in c.pairs if p.first == c.pairs[0].first)


def classifier_table(c: Contest) -> list[tuple[str, ...]]:
    """Return a head and a row a classifier, the best first."""
    ranks = c.mean_ranks
    head = ("classifier", *(("mean rank",) if ranks else ()), f"mean {text(c.metric)}")
    rows = [
        (text(n), *((f"{ranks[n]:.2f}",) if ranks else ()), number(m, 4))
        for n, m in c.means.items()
    ]
    return [head, *rows]


def pair_table(
    c: Contest, pairs: Sequence[Pair], width: int | None = None
) -> list[tuple[str, ...]]:
    """Return a head and a row a pair: its test, and the three probabilities.

    Where a width does not hold it, columns are left out and names cut in the middle.
    """
    ends = ("better", "equal", "worse")
    alone = {p.first for p in pairs} if len(pairs) > 1 else set()
    against = len(alone) == 1
    between = f"{percent(c.terms.level, 0)} interval"
    heads: tuple[str, ...] = ("won, equal, lost", "p", "p alone")
    if c.friedman is None:
        heads = ("difference", between, "p")
    elif c.rule == "wilcoxon":
        heads = (heads[0], "difference", between, "p")
    found = []
    for p in pairs:
        own = _p(p.p_value) + ("*" if p.winner else " ")
        counts = f"{p.wins}, {p.equals}, {p.losses}"
        cells: tuple[str, ...] = (counts, own, _p(p.adjusted) + " ")
        if c.rule in ("folds", "wilcoxon"):
            bounds = p.result.interval
            told = "-" if bounds is None else " to ".join(number(b, 4) for b in bounds)
            cells = (number(p.result.difference, 4), told, own)
            cells = cells if c.rule == "folds" else (counts, *cells)
        found.append((*cells, *map(chance, p.probabilities)))
    heads = (*heads, *ends)
    sizes = [max(len(row[i]) for row in (heads, *found)) for i in range(len(heads))]
    kept = list(range(len(heads)))
    for name in ("won, equal, lost", "p alone", between, "difference", "equal", "worse"):
        fits = not width or width - sum(sizes[i] + 2 for i in kept) >= 2 * _LEAST + 3
        kept = [i for i in kept if fits or heads[i] != name]
    heads, found = tuple(heads[i] for i in kept), [tuple(row[i] for i in kept) for row in found]
    room = width - sum(sizes[i] + 2 for i in kept) if width else 10**6
    two = [(text(p.first), text(p.second)) for p in pairs]
    most = max(cell_len(name) for names in two for name in names)
    names = _named(two, most, against)
    while most > _LEAST and max(map(cell_len, names)) > room:
        most -= 1
        names = _named(two, most, against)
    head = _cut(text(pairs[0].first), room) if against else "pair"
    return [(head, *heads), *((n, *row) for n, row in zip(names, found, strict=True))]


def _named(pairs: Sequence[tuple[str, str]], most: int, against: bool) -> list[str]:
    if against:
        return [f"- {_cut(b, most)}" for _, b in pairs]
    return [f"{_cut(a, most)} - {_cut(b, most)}" for a, b in pairs]


def legend(c: Contest) -> str:
    """Say how to read the table of pairs."""
    told = f"* told apart at {percent(c.terms.level, 0)}, by {RULES[c.rule]}"
    if not c.differ:
        told += ", which has nothing to say where the F finds no difference"
    if c.rule == "folds" and any(p.result.interval for p in c.pairs) and len(c.pairs) > 1:
        told += "; each interval is of its pair alone"
    if c.rule in ("nemenyi", "holm"):
        told += "; p alone: Wilcoxon's of the two, by Holm's method"
    method = next((p.posterior.method for p in c.pairs), "")
    return (
        f"{told}; better, equal, worse: how probable each is of the first ({method}, equal within "
        f"{c.terms.rope:g})"
    )


def _p(p: float | None) -> str:
    return "-" if p is None else p_value(p)


def _two(x: float) -> str:
    return "∞" if math.isinf(x) else f"{x:.2f}"


def chance(x: float) -> str:
    """Return a probability: two digits, and never 0 or 1, which none of these are.

    >>> chance(0.954), chance(0.0004), chance(0.9999), chance(float("nan"))
    ('0.95', '<0.01', '>0.99', '-')
    """
    if math.isnan(x):
        return "-"
    return "<0.01" if x < 0.005 else ">0.99" if x >= 0.995 else f"{x:.2f}"


def _cut(name: str, most: int) -> str:
    """Return a name that takes no more columns: names often differ at their ends."""
    if cell_len(name) <= most:
        return name
    tail = most // 2
    return set_cell_size(name, most - tail - 1) + "…" + set_cell_size(name[-tail:], tail)


def _aligned(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return rows as lines, all but the first column to the right; narrower where it must be."""
    sizes = [max(cell_len(row[i]) for row in rows) for i in range(len(rows[0]))]
    gap = 2 if sum(sizes) + 2 * len(sizes) <= width else 1
    sizes[0] = max(min(sizes[0], width - sum(sizes[1:]) - gap * (len(sizes) - 1)), 8)
    out = []
    for first, *others in rows:
        cells = [set_cell_size(_cut(first, sizes[0]), sizes[0])]
        cells += [" " * (n - cell_len(t)) + t for t, n in zip(others, sizes[1:], strict=True)]
        out.append((" " * gap).join(cells))
    return out


def _names(names: Sequence[str], done: bool = False) -> str:
    told = [n if done else text(n) for n in names]
    if len(told) > _MOST_NAMES:
        told = [*told[:_MOST_NAMES], f"{len(told) - _MOST_NAMES} more"]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def _many(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
