"""A comparison of classifiers over data sets or folds in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tallymark.core import (
    chance_of,
    enumerated,
    grouped,
    harmless,
    many,
    number,
    p_is,
    p_value,
    percent,
    said,
    title,
    words,
)

if TYPE_CHECKING:
    from tallymark.parts.results.comparison import ModelComparison, Pair

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


def about(c: ModelComparison) -> str:
    """Return what was compared: the metric, which direction is better, and over what."""
    where = harmless(c._fields[0].dataset)
    over = f"on {where}" if c.friedman is None else f"over {many(len(c._fields), 'data set')}"
    better = "higher" if c._terms.better == "high" else "lower"
    of = many(len(c.classifiers), "classifier")
    return f"{title(c.metric)} ({better} is better) of {of} {over}: {_results(c)}"


def _results(c: ModelComparison) -> str:
    """Return how many results each value is the mean of."""
    counts = [len(f.values) for f in c._fields]
    if len({(f.repeats, f.folds, len(f.values)) for f in c._fields}) > 1:
        return f"{min(counts)} to {max(counts)} results of each classifier on each"
    field, n = c._fields[0], counts[0]
    if n == 1:
        return "one result of each"
    if field.folds and n == field.repeats * field.folds:
        return f"{many(field.repeats, 'repeat')} of {many(field.folds, 'fold')}"
    return f"{many(n, 'result')} of each"


# -- the verdict -------------------------------------------------------------------------------

_LONGEST = 60
"""Characters of a finding, the headline of a page."""

_LONGEST_NAME = 20


def finding(c: ModelComparison) -> str:
    """Return what the comparison shows, in at most 60 characters."""
    first = next(iter(c.mean_ranks or c.means))
    if c._terms.control is not None:
        first = c._terms.control
    pairs = [p for p in c.pairs if first in (p.first, p.second)]
    if all(p.p_value is None for p in pairs):
        return "The classifiers cannot be compared."
    name, others = words.cut_off(first, _LONGEST_NAME), len(pairs)
    beaten = [_loser(p) for p in pairs if p.winner == first]
    beaten_by = [p for p in pairs if p.winner not in (None, first)]
    if beaten_by:
        verb = "beats" if len(beaten_by) == 1 else "beat"
        return f"{len(beaten_by)} of {others} classifiers {verb} {name}."
    if not beaten and others == 1:
        (p,) = pairs
        second = words.cut_off(p.second if p.first == first else p.first, _LONGEST_NAME)
        return f"{name} or {second}: not decided."
    if not beaten:
        return f"{name} is not shown to beat any other."
    if len(beaten) < others:
        return f"{name} beats {len(beaten)} of {others} others; the rest is open."
    listed = (
        f"Use {name}: it beats {enumerated([words.cut_off(n, _LONGEST_NAME) for n in beaten])}."
    )
    return listed if len(listed) <= _LONGEST else f"Use {name}: it beats the other {others}."


def reasons(c: ModelComparison) -> str:
    """Return the numbers behind the finding, in two lines."""
    numbers = c.mean_ranks or c.means
    (best, value), *rest = numbers.items()
    of = "mean rank" if c.mean_ranks else f"mean {c.metric}"
    form = decimal if c.mean_ranks else lambda x: number(x, 4)
    text = f"{harmless(best)} has the best {of}, {form(value)}"
    if rest:
        text += f"; next is {harmless(rest[0][0])} with {form(rest[0][1])}"
    if c.rule == "nemenyi" and c.critical_difference is not None:
        chance = percent(1 - c._terms.level, 0)
        text += f". Mean ranks must differ by at least {decimal(c.critical_difference)}"
        text += f" (Nemenyi, {chance})"
    p = c.pairs[0]
    if len(c.pairs) == 1 and p.p_value is not None:
        text += f" ({p_is(p.p_value)})"
    return f"{text}."


def verdict(c: ModelComparison) -> str:
    """Return which classifier is better, which differences are open, and their probabilities."""
    over_folds = c.friedman is None
    where = f"On {harmless(c._fields[0].dataset)}"
    if not over_folds:
        where = f"Over {many(len(c._fields), 'data set')}"
    sentences_of = _over_folds if over_folds else _of_two if c.rule == "wilcoxon" else _of_ranks
    others = [alone(c), probabilities(c)]
    if any("does not agree" in said for said in others):
        test = _DECIDES[c.rule] if c._differ else "Iman and Davenport's F"
        others.append(f"{test[0].upper()}{test[1:]} decides here.")
    return " ".join(filter(None, [*sentences_of(c, where), *others]))


def _one_pair(where: str, p: Pair, difference: str, result: str) -> str:
    """Return which of two is better, or that neither is shown to be."""
    if p.winner is None:
        return (
            f"{where} {_names((p.first, p.second))} do not differ significantly: the "
            f"{difference} is {_difference(p)} ({result}), which does not show them to be equal."
        )
    winner, loser = harmless(p.winner), harmless(_loser(p))
    return f"{where} {winner} is better than {loser} by {_difference(p)} ({result})."


def one_pair(p: Pair) -> tuple[str, str]:
    """Return which of two classifiers is better by which tests, and the size of the difference."""
    first, second, r = harmless(p.first), harmless(p.second), p.result
    names = f"{first} and {second}"
    if p.p_value is None:
        result = said(f"{names} cannot be compared: {r.reason or 'no test has a p-value'}.")
    else:
        evidence = "; ".join(_evidence(p))
        result = f"{names} are not distinguished ({evidence})."
        if p.winner is not None:
            result = f"{harmless(p.winner)} is better than {harmless(_loser(p))} ({evidence})."
    metric = harmless(p._metric) + ("" if p.better == "high" else " (lower is better)")
    difference, bounds = difference_of(p)
    size = f"{first} − {second}: {metric} {difference}"
    if bounds:
        size += f" ({percent(r.level, 0)} CI {bounds})"
    size += f"; {p.wins} won, {p.equals} equal, {p.losses} lost"
    if not p._posterior.reason:
        better, equal, worse = map(chance_of, p.probabilities)
        size += f"; probability better {better}, equal {equal}, worse {worse}"
    return result, f"{size}."


def _evidence(p: Pair) -> Iterator[str]:
    """Yield the tests of a pair, the one that decides first."""
    r, of_ranks = p.result, p._rule in ("nemenyi", "holm")
    if not p._differ:
        yield "Iman and Davenport's F does not show that the classifiers differ"
    names = {"nemenyi": "Nemenyi's test", "holm": "the test of mean ranks, Holm"}
    alone = "Wilcoxon's test of the pair alone" if of_ranks else r.method
    if of_ranks:
        yield f"{names[p._rule]}, {p_is(p.p_value)}"
    if p.adjusted is not None:
        holm = ", Holm" if p.adjusted != r.p_value or of_ranks else ""
        yield f"{alone}{holm}, {p_is(p.adjusted)}"
    if r.test == "5x2_t" and r.statistic * r.difference < 0:
        yield "its one fold disagrees in sign with the mean of all ten"


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
    if c._terms.control is not None:
        return [f"{where}, b{by} {_of_one(c, c._terms.control)}", FOLDS_ALONE]
    best = _bests(c.means)
    message = f"{where} {_share(best)} the best mean, {number(c.means[best[0]], 4)}."
    return [message, f"B{by} {_of_one(c, best[0])}", FOLDS_ALONE]


def _of_two(c: ModelComparison, where: str) -> list[str]:
    (p,) = c.pairs
    r, first, second = p.result, harmless(p.first), harmless(p.second)
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
    if p.winner is None and least >= 1 - c._terms.level:
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
    if not c._differ:
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
            f"Nemenyi's test (critical difference {decimal(c.critical_difference or 0.0)} at "
            f"{percent(c._terms.level, 0)})"
        )
        if c._terms.control is not None:
            out.append(f"By tests of mean ranks and Holm's method {_of_one(c, c._terms.control)}")
        elif not any(p.winner for p in c.pairs):
            out.append(
                f"{nemenyi} finds no two of them different: it tests every pair, which costs "
                "power. So no classifier is shown to be better than another."
            )
        else:
            out.append(f"By {nemenyi} {_of_one(c, best[0])}")
    if len(c._fields) < _FEW:
        out.append("With so few data sets the tests have little power and rough p-values.")
    return out


def iman(c: ModelComparison) -> str:
    """Return Iman and Davenport's F in words, nothing where there is none."""
    f = c.friedman
    if f is None or f.reason:
        return ""
    degrees = f"{f.f_df[0]} and {f.f_df[1]} degrees of freedom"
    return f"Iman and Davenport's F {decimal(f.f)} with {degrees}, {p_is(f.f_p_value)}"


def _bests(numbers: Mapping[str, float]) -> list[str]:
    """Return the names that share the best number, which comes first."""
    best = next(iter(numbers.values()))
    return [n for n, x in numbers.items() if math.isclose(x, best, rel_tol=1e-12)]


def _share(best: Sequence[str]) -> str:
    return f"{_names(best)} {'has' if len(best) == 1 else 'share'}"


def _of_one(c: ModelComparison, name: str) -> str:
    """Return which classifiers differ from one, and which pairs without it differ."""
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
    message = (
        f"{harmless(name)} is {', '.join(parts[:-1])}{', and ' if parts[1:] else ''}{parts[-1]}"
    )
    others = [
        (p.winner, _loser(p)) for p in c.pairs if name not in (p.first, p.second) and p.winner
    ]
    if len(others) > _MOST_NAMES:
        message += f". Of the pairs without it, {len(others)} differ significantly; see the table"
    elif others:
        listed = [f"{harmless(w)} is better than {_names(o)}" for w, o in grouped(others).items()]
        message += f". Of the others, {'; '.join(listed)}"
    return message + "."


_HOWS = ("better than", "about equal to", "worse than")

_DECIDES = {
    "folds": "the test over the folds",
    "wilcoxon": "Wilcoxon's test",
    "nemenyi": "Nemenyi's test",
    "holm": "the test of mean ranks",
}
"""The test that decides, by the rule."""


def alone(c: ModelComparison) -> str:
    """Return whether Wilcoxon's test of the pairs alone agrees with the tests of mean ranks."""
    if c.rule not in ("nemenyi", "holm"):
        return ""
    alpha = 1 - c._terms.level
    tested = [(p, p.adjusted < alpha) for p in c.pairs if p.adjusted is not None]
    apart = [(p, found) for p, found in tested if found != (p.winner is not None)]
    if not tested:
        return ""
    test = "Wilcoxon's test of each pair alone (Holm)"
    if not apart:
        return f"{test} agrees."
    p, found = apart[0]
    pair = _names((p.first, p.second))
    more = f" and in {many(len(apart) - 1, 'more pair')}" if apart[1:] else ""
    whether = "finds a difference" if found else "finds none"
    return (
        f"{test} does not agree: it {whether} between {pair} ({p_is(p.adjusted)}){more}, because "
        "it also weighs how large the differences are."
    )


def probabilities(c: ModelComparison) -> str:
    """Return the high posterior probabilities, and whether they agree with the decision."""
    first, rope, level = c.pairs[0].first, c._terms.rope, percent(c._terms.level, 0)
    with_posterior = [p for p in c.pairs if p.first == first and not p._posterior.reason]
    if not with_posterior:
        return ""
    highs = {p.second: _high(c, p) for p in with_posterior}
    apart = [p for p in with_posterior if not _agree(p, highs[p.second])]
    by_how = grouped((how, name) for name, how in highs.items())
    unsure = by_how.pop("", [])
    who = harmless(first)
    if by_how:
        parts = ", ".join(f"{how} {_names(by_how[how])}" for how in _HOWS if how in by_how)
        rest = f"; of {_names(unsure)} that is open" if unsure else ""
        found = f"{who} is {parts} with a probability of {level} or more{rest}."
    elif len(unsure) == 1:
        (p,) = with_posterior
        better, equal, worse = map(chance_of, p.probabilities)
        same = f", about equal {equal}" if rope else ""
        second = harmless(p.second)
        found = f"{who} is better than {second} with probability {better}{same}, worse {worse}."
    else:
        found = f"nothing about {who} and the others is {level} probable."
    test = f"The {with_posterior[0]._posterior.method} test"
    if not apart:
        agrees = f"{test} agrees: {found}"
    else:
        of = ""
        if len(apart) < len(with_posterior):
            of = f" on {who} and {_names([p.second for p in apart])}"
        why = _why_apart(c, apart, highs)
        agrees = f"{test} does not agree{of}, because it {why}: {found}"
    ignored = f"Differences up to {rope:g} count as practically equivalent." if rope else ""
    return f"{agrees} {ignored}".strip()


def _high(c: ModelComparison, p: Pair) -> str:
    """Return how the first compares with the second with a high probability; empty if open."""
    return next((h for h, x in zip(_HOWS, p.probabilities, strict=True) if x >= c._terms.level), "")


def _agree(p: Pair, high: str) -> bool:
    """Return whether a posterior does not contradict the decision on a pair."""
    if p.winner is None:  # not significant, which may be because both are about equal
        return high in ("", "about equal to")
    return high == ("better than" if p.winner == p.first else "worse than")


def _why_apart(c: ModelComparison, apart: Sequence[Pair], highs: Mapping[str, str]) -> str:
    """Return why posterior probabilities and the deciding test differ."""
    why = []
    if any(p.winner is None for p in apart):
        several = "takes each pair alone, without a correction for the number of pairs"
        why.append(several if len(c.pairs) > 1 else "asks for the direction alone, which is easier")
    if any(p.winner is not None for p in apart):
        rope = c._terms.rope
        more = "asks for a high probability of being better"
        why.append(f"counts a difference only beyond {rope:g}" if rope else more)
    return " and ".join(why)


def cautions(c: ModelComparison) -> list[str]:
    """Return what limits the verdict."""
    out = []
    if c.rule in ("nemenyi", "holm") and c._differ:
        out.append(MEAN_RANKS)
    if any(p.result.test == "wilcoxon" for p in c.pairs) and c.friedman is None:
        out.append(WILCOXON_OF_FOLDS)
    out += dict.fromkeys(p.result.warning for p in c.pairs if p.result.warning)
    for p in c.pairs:
        if p.result.test == "5x2_t" and p.result.statistic * p.result.difference < 0:
            out.append(
                f"{_names((p.first, p.second))}: the one fold that Dietterich's t starts "
                "from disagrees in sign with the mean of all ten, so neither is called better; "
                "Alpaydin's F does not depend on one fold."
            )
    reasons = grouped(
        (reason, f"{harmless(p.first)} and {harmless(p.second)}")
        for p in c.pairs
        for reason in (p.result.reason, p._posterior.reason)
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
    size, bounds = difference_of(p, -1.0 if p.result.difference < 0 else 1.0)
    return f"{size}, {percent(p.result.level, 0)} CI {bounds}" if bounds else size


def difference_of(p: Pair, sign: float = 1.0) -> tuple[str, str]:
    """Return a difference times ``sign`` and its bounds, to two digits of their distance."""
    low, high = sorted(sign * x for x in p.result.interval or (math.nan, math.nan))
    if math.isnan(low):
        return number(sign * p.result.difference, 4), ""
    size, *_ = words.to_width(sign * p.result.difference, low, high)
    return size, words.between(low, high)


def tests(c: ModelComparison) -> list[str]:
    """Return the tests of all classifiers at once."""
    f = c.friedman
    if f is None or f.reason or c.rule == "wilcoxon":
        return []
    return [
        f"Friedman's chi squared {decimal(f.statistic)} with {many(f.df, 'degree')} of freedom, "
        f"{p_is(f.p_value)}, {'' if f.ties == 'corrected' else 'not '}corrected for ties",
        iman(c),
    ]


def decimal(x: float) -> str:
    """Return a number of two decimals."""
    return "∞" if math.isinf(x) else f"{x:.2f}"


def _names(names: Sequence[str]) -> str:
    message = list(map(harmless, names))
    if len(message) > _MOST_NAMES:
        message = [*message[:_MOST_NAMES], f"{len(message) - _MOST_NAMES} more"]
    return message[0] if len(message) == 1 else f"{', '.join(message[:-1])} and {message[-1]}"
