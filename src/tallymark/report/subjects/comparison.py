"""Comparisons of models: verdicts, differences with their tests, and leaders by range."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from tallymark.infer.compare import Comparison, Pair
from tallymark.infer.contrasts import PairedShares
from tallymark.infer.crossing import leads
from tallymark.infer.difference import Difference, Differences
from tallymark.infer.power import FEW_DISCORDANT
from tallymark.infer.standings import maximal_sets, rank_ranges
from tallymark.infer.verdict import REMEDY, lead_of, shows_lead
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.quantities import many, p_is, percent
from tallymark.report import words
from tallymark.report.blocks import (
    GAP,
    Block,
    Bullets,
    Cell,
    Chart,
    Folded,
    Grid,
    Group,
    Headline,
    Mark,
    Paragraph,
    Row,
)
from tallymark.report.drawing import Axis, Forest, Span, Strips
from tallymark.report.subjects.values import (
    difference,
    difference_cells,
    evidence_sentence,
    one_row,
)
from tallymark.report.words import (
    chance_of,
    enumerated,
    few,
    grouped,
    sentence,
    subgroup_name,
    text,
)

if TYPE_CHECKING:
    from tallymark.infer.compare import TableError
    from tallymark.infer.crossing import Crossing
    from tallymark.infer.leaders import Leader
    from tallymark.infer.verdict import Answer, Verdict
    from tallymark.report.evaluation import Evaluation

# -- in words ----------------------------------------------------------------------------------

LEADS_TITLE = "Who wins where"

LEADS_WORDS = (
    "A model leads beyond chance where its colour stands; elsewhere none is shown to lead. "
    "Probability cost is π·cFN / (π·cFN + (1 − π)·cFP): near 0 false alarms matter most, near 1 "
    "missed positives."
)


def verdicts_title(comparison: Comparison) -> str:
    """Return the title of a comparison's verdicts, with the deciding metric."""
    stated = {"margin": comparison.margin, "least": comparison.least}
    more = "".join(f", {name} {x:g}" for name, x in stated.items() if x is not None)
    if comparison.costs:
        more += f", {at_costs(comparison.costs)}"
    return f"Verdicts by {get(comparison.metric).in_a_sentence}{more}"


def at_costs(costs: Mapping[str, float]) -> str:
    """Return what each error costs, in the order of --costs."""
    return f"false alarm {costs['cost_fp']:g} : missed {costs['cost_fn']:g}"


UNCORRECTED = "p, uncorrected"
"""The head of p-values that are not corrected for the number of pairs."""

CORRECTED = (
    "P-values in the verdicts are corrected for the number of pairs, each question by itself. "
    "Intervals are not."
)

MOST_RANKED = 6


def comparison_legend(comparison: Comparison) -> str:
    """Return how to read a comparison: the direction of differences, and the interval methods."""
    methods = methods_of(comparison.pairs, independent=bool(comparison.samples))
    more = [comparison._noun.instead_of_rows(methods)]
    if len(comparison.pairs) > 1:
        more.append(CORRECTED)
    if any(v._remedy for v in comparison.verdicts):
        more.append(REMEDY)
    return " ".join(more)


def methods_of(pairs: Sequence[Pair], *, independent: bool) -> str:
    """Return which model is subtracted from which, and the interval methods of the differences."""
    methods = {d.method or "" for p in pairs for d in p.differences.values()}
    named = _subtracted(pairs)
    subtracted = f"{named[0].lower() + named[1:] if len(pairs) > 1 else named}, on the same rows"
    if independent:
        subtracted = "first side − second side, of independent samples"
        how = (
            "Intervals: the score for proportions and likelihood ratios, DeLong for the ROC area, "
            "both sides' intervals combined for the rest."
        )
    elif any(m.startswith("paired jackknife") for m in methods):
        unit = "cluster" if any("cluster" in m for m in methods) else "row"
        how = (
            f"Intervals: the jackknife that leaves each {unit} out of both models; Tango's score "
            "for shares of rows, both models' intervals combined where no jackknife serves."
        )
    elif any("cluster" in m for m in methods):
        how = (
            "Intervals come from resamples of whole clusters; for the ROC area, average "
            "precision and means over rows from the influence of each cluster (Student's t "
            "corrected for skewness). Tests that need independent rows are left out."
        )
    else:
        how = (
            "Intervals: Tango's score for proportions; DeLong for the ROC area and the influence "
            "of each row for average precision and means over rows (Student's t corrected for "
            "skewness); both models' intervals combined for other rankings, the joint posterior "
            "for other decisions, paired resamples for the rest."
        )
    return f"Differences are {subtracted}. {how}"


def _subtracted(pairs: Sequence[Pair]) -> str:
    """Return which model is subtracted from which, by their names if there is one pair."""
    if len(pairs) > 1:
        return "First model − second model"
    return f"{text(pairs[0].first)} − {text(pairs[0].second)}"


def table_error_sentence(t: TableError) -> str:
    """Return how often a table of differences marks at least one by chance.

    >>> from tallymark.infer.compare import TableError
    >>> table_error_sentence(TableError(8, 0.05, 0.2312, False))
    '8 differences, each at 5 %: if nothing differs, a table like this marks at least one in about
    23 % of samples (estimated from the joint resamples).'
    """
    about, by = "about", "estimated from the joint resamples"
    if t.bound:
        about, by = "at most", "an upper bound, Šidák's"
    return (
        f"{many(t.tests, 'difference')}, each at {100 * t.each:g} %: if nothing differs, a table "
        f"like this marks at least one in {about} {percent(t.any, 0)} of samples ({by})."
    )


def rank_line(c: Comparison) -> str:
    """Return the probability that each model is the best; empty if unknown."""
    ranked = sorted(c.ranks.items(), key=lambda item: -item[1][0])[:MOST_RANKED]
    best = ", ".join(f"{text(name)} {chance_of(p[0])}" for name, p in ranked)
    if not best:
        return ""
    how = "from the interval" if len(c.ranks) == 2 else "from joint resamples"
    title = get(c.metric).in_a_sentence
    return f"Probability of being best by {title}: {best} (flat prior, {how})."


def leaders_line(leaders: Sequence[Leader], by: str) -> str:
    """Return in which subgroups a model leads significantly; empty without subgroups."""
    if not leaders:
        return ""
    significant = grouped((text(f.model), subgroup_name(f.subgroup)) for f in leaders if f.shown)
    title = get(leaders[0].difference.metric).in_a_sentence
    if not significant:
        return (
            f"By {text(by)}: no model is shown to lead in any of {many(len(leaders), 'subgroup')} "
            f"({title}, corrected for {len(leaders)} subgroups)."
        )
    clauses = "; ".join(
        f"{model} leads in {enumerated(few(of))}" for model, of in significant.items()
    )
    rest = "" if all(f.shown for f in leaders) else " Elsewhere no model is shown to lead."
    return f"By {text(by)}: {clauses} ({title}, corrected for {len(leaders)} subgroups).{rest}"


def cheapest_line(c: Comparison) -> str:
    """Return the costs of errors at which a model is the cheapest; empty without evidence."""
    parts: dict[str, list[str]] = {}
    for region in c.cheapest:
        low, high = ("" if r is None else f"{r:.2g}" for r in region.ratios)
        if low and low == high:
            continue  # a point, not a range
        where = f"{low} to {high}" if low and high else "any number"
        if bool(low) != bool(high):
            where = f"at least {low}" if low else f"at most {high}"
        parts.setdefault(region.model, []).append(where)
    if not parts:
        return ""
    clauses = "; ".join(f"{text(name)} for {' or '.join(of)}" for name, of in parts.items())
    return (
        "Least expected cost, by how many times a missed positive costs what a false alarm does: "
        f"{clauses}. Elsewhere no model is shown to be the cheapest. Each has its best threshold "
        "on these rows."
    )


FOREST_WORDS = (
    "{pair} with its {level} interval. A filled dot is significant, {corrected}. "
    "↓ lower is better. {table}"
)

KINDS: Mapping[str, str] = {
    "alike": "the same",
    "crossing": "no single winner",
    "undefined": "not defined",
}
"""Kinds of verdicts that tables word differently."""


def kinds_of(v: Verdict) -> str:
    """Return a verdict in a few words: every conclusion that the data support."""
    conclusions = [KINDS.get(v.kind, v.kind)]
    if v.kind == "better" and v.margin is not None:
        conclusions += [a.question for a in v.answers if a.shown and a.question == "equivalence"]
    return ", ".join(conclusions)


_ALIKE = {True: "decide every row the same", False: "predict the same for every row"}


def pair_verdict(v: Verdict) -> str:
    """Return a verdict on two models as a sentence that matches the evidence."""
    d, title = v.difference, get(v.metric).in_a_sentence
    both = f"{v.better} and {v.other}"
    if v.kind == "undefined":
        return f"{both} cannot be compared by {title}: {d.reason}"
    if v.kind == "alike":
        return f"{both} {_ALIKE[get(v.metric).wanted == 'decisions']}"
    if v.kind == "same ranking":
        return (
            f"{both} have the same ranking: they order and tie all rows the same, so {title} and "
            "every other rank metric are equal; compare their probabilities or their decisions to "
            f"choose one{_care(d)}"
        )
    if math.isinf(d.value):
        return _infinite(v)
    claims = {
        "better": f"{v.better} is better than {v.other}",
        "equivalent": f"{both} are equivalent within {v.margin or 0:g}",
        "no worse": f"{v.better} is no worse than {v.other} by more than {v.margin or 0:g}",
        "undecided": f"undecided between {both}",
    }
    dependent = [v._caveat] if v._caveat else []
    if v.crossing is not None:
        band = f"simultaneous {100 * v.crossing.level:.3g} % band"
        claim = f"no single winner between {both}: their ROC curves cross beyond chance ({band})"
        return "; ".join([claim, leads(v.crossing), advice_on(v.crossing), _lead(v), *dependent])
    few = _of_few(v)
    numbers = [*few, _lead(v, tested=not few or v._pairs > 1), *_of_margin(v), *_open(v)]
    numbers += dependent
    return f"{claims[v.kind]}: {'; '.join(numbers)}"


def _infinite(v: Verdict) -> str:
    """Return which model has an infinite value, and so is the worse or the better one."""
    m, d = get(v.metric), v.difference
    names = (v.better, v.other) if lead_of(d, m)[0] else (v.other, v.better)
    infinite = names[0] if math.isinf(d.first_value) else names[1]
    title = m.in_a_sentence
    on_these_rows = f"By {title} {v.better} is better on these rows, without an interval or test"
    if m._sampling.row_loss is None:
        return f"{infinite} has an infinite {title}. {on_these_rows}"
    return (
        f"{infinite} has an infinite {title}: it gave probability 0 to a class that occurred. "
        f"{on_these_rows}; clip the scores of {infinite}, or compare by Brier score"
    )


def _of_few(v: Verdict) -> list[str]:
    """Return that all rows that differ favour one model, where the exact test leaves it open."""
    shares = v._judged._null_test
    if v.kind != "undecided" or not isinstance(shares, PairedShares):
        return []
    differ = shares.one + shares.other
    if not 0 < differ < FEW_DISCORDANT or min(shares.one, shares.other) > 0:
        return []
    rows = f"all {differ:,.0f} rows that differ favour"
    if differ == 1:
        rows = "the only row that differs favours"
    return [f"{rows} {v.better} (exact {p_is(v.difference.p_value)})"]


def _lead(v: Verdict, *, tested: bool = True) -> str:
    """Return which model leads by how much, with the interval and, if ``tested``, the test."""
    m, d = get(v.metric), v.difference
    _, low, _ = v.lead
    whose = "" if v.kind == "better" else f" of {v.better}"
    size, *ends = words.to_width(*v.lead)
    numbers = size + ("" if math.isnan(low) else f" ({ends[0]} to {ends[1]})")
    fact = f"{m.in_a_sentence}{whose} {'lower' if m.better == 'low' else 'higher'} by {numbers}"
    answer = v._answer("superiority")
    if tested and answer is not None and not math.isnan(answer.p_value):
        fact += f", {_p_of(v, answer)}"
    fact += _care(d)
    return fact if not math.isnan(low) else f"{fact}, without an interval"


def _p_of(v: Verdict, a: Answer) -> str:
    """Return the p-value of an answer; a corrected one says so."""
    return f"{'corrected ' if v._pairs > 1 else ''}{p_is(a.p_value, a.p_at_most)}"


def _care(d: Difference) -> str:
    return f" (with care: {d.warning})" if d.warning else ""


def _of_margin(v: Verdict) -> Iterator[str]:
    """Yield the conclusions about a stated margin: both one-sided questions."""
    of_margin = [a for a in v.answers if a.question != "superiority"]
    if v.margin is None or not of_margin or math.isnan(of_margin[0].p_value):
        return
    answers = [
        f"{a.question} {'' if a.shown else 'not '}shown (one-sided {_p_of(v, a)})"
        for a in of_margin
    ]
    yield f"margin {v.margin:g}: {', '.join(answers)}"
    if v.probabilities is not None:
        exceeds = chance_of(v.probabilities[0])
        yield f"the lead exceeds {v.margin:g} with probability {exceeds}"


def _open(v: Verdict) -> Iterator[str]:
    """Yield the possible range of the difference, and what would settle an undecided comparison."""
    size, low, high = v.lead
    if v.kind == "undecided" and not math.isnan(low):
        _, least, most = words.to_width(size, low, high)
        if low < 0:
            yield f"{v.better} is at most {most} better and at most {least.lstrip('−')} worse"
        elif v._pairs > 1:
            yield f"the interval alone is not corrected for {v._pairs} pairs"
        else:
            yield f"{v.better} is equal to {v.other} or at most {most} better"
    units, side, here = "rows like these", "", f"{v.rows:,}"
    each_holds = 1.0
    if v._clusters is not None:
        units, here = "clusters of this size", f"{v._clusters:,}"
        each_holds = v.rows / v._clusters
    if v._each is not None:
        side, here = " on each side", " and ".join(f"{n:,}" for n in v._each)
    shows = {
        "superiority": f"a true difference of {v.least or 0:g}",
        "non-inferiority": f"non-inferiority within {v.margin or 0:g}, if both are equally good,",
    }
    for question, n in v.needed.items():
        yield (
            f"about {words.rounded_up(n / each_holds):,} {units}{side} show {shows[question]} with "
            f"80 % power (here are {here})"
        )


def crossing_sentence(c: Crossing) -> str:
    """Return where two ROC curves cross, who leads on each side, and what that means."""
    where = ", ".join(f"{p:.2g}" for p in c._places)
    above = c.second if c.below == c.first else c.first
    message = f"the ROC curves of {c.first} and {c.second} cross at "
    if len(c._places) > 1:
        message += f"false positive rates of {where}, {c.below} ahead first"
    else:
        message += f"a false positive rate of {where}: {c.below} is ahead below it, {above} beyond"
    if c.shown:
        return f"{message}; beyond chance {leads(c)}"
    if c.regions:
        led = c.regions[0].leader
        return f"{message}; only the lead of {led} is beyond chance ({leads(c)})"
    return f"{message}; both leads may be chance"


def advice_on(c: Crossing) -> str:
    """Return when to choose which of two models; by prevalence and costs if they switch once."""
    leaders = [r.leader for r in c.regions]
    first, last = leaders[0], leaders[-1]
    if sum(a != b for a, b in pairwise(leaders)) > 1:
        return "choose by the false positive rate that you will work at"
    return (
        f"choose {first} where false alarms are costly or positives rare, {last} where missed "
        "positives are costly or positives frequent"
    )


def verdict_line(v: Verdict) -> str:
    """Return a verdict as a separate sentence."""
    message = words.said(sentence(pair_verdict(v)))
    # Do not capitalise the name of a model.
    named = v.kind not in ("undecided", "crossing") or math.isinf(v.difference.value)
    return message if named else message[0].upper() + message[1:]


def lines_of(c: Comparison, pair: Pair) -> Iterator[str]:
    """Yield the verdict on a pair, and of equal rankings whose probabilities are shown better."""
    yield _of_noun(c, verdict_line(pair.verdict))
    losses = [n for n in pair.differences if get(n)._sampling.row_loss is not None]
    if pair.verdict.kind != "same ranking" or not losses:
        return
    v = c.verdict(pair.first, pair.second, losses[0])
    if v.kind == "better":
        yield _of_noun(c, verdict_line(v))


def _of_noun(c: Comparison, line: str) -> str:
    """Return a verdict with the noun for rows, in phrases that no name can hold."""
    for phrase in ("rows like these", "every row the same", "all rows the same"):
        line = line.replace(phrase, c._noun.instead_of_rows(phrase))
    return line


def together(v: Verdict) -> str:
    """Return one sentence on whether the lead of one model is significant."""
    answer = v._answer("superiority")
    tested = answer is not None and not math.isnan(answer.p_value)
    p = f" ({_p_of(v, answer)})" if answer is not None and tested else ""
    if v.kind == "alike":
        return f"Both {_ALIKE[get(v.metric).wanted == 'decisions']}."
    if v.crossing is not None:
        where = text(leads(v.crossing))
        return f"Their ROC curves cross beyond chance, so neither is better everywhere: {where}."
    if v.kind == "better":
        return f"That lead is significant{p}."
    return f"That lead may be chance{p}."


# -- as blocks ---------------------------------------------------------------------------------

MANY_PAIRS = 3
"""With more pairs, a summary shows only the verdicts on the best model."""


def verdict(v: Verdict) -> Iterator[Block]:
    """Yield the verdict on two models, and the difference behind it."""
    line = pair_verdict(v)
    yield Headline(line, line)
    yield Paragraph(verdict_line(v))
    yield from list(difference(v.difference))[1:]


def answer(a: Answer) -> Iterator[Block]:
    """Yield the result for one question about two models."""
    p = words.p_value(a.p_value, a.p_at_most)
    outcome = f"{a.question} {'' if a.shown else 'not '}shown"
    line = f"{outcome}, {words.p_is(a.p_value, a.p_at_most)} at {a.alpha:.3g}"
    yield from one_row(line, {"question": a.question, "p": p, "below": f"{a.alpha:.3g}"})


def table_error(t: TableError) -> Iterator[Block]:
    """Yield how often a table marks at least one difference by chance."""
    line = table_error_sentence(t)
    yield Headline(line, line)
    yield Paragraph(line)


def crossing(c: Crossing) -> Iterator[Block]:
    """Yield where two ROC curves cross."""
    line = crossing_sentence(c)
    yield Headline(line, line)
    yield Paragraph(words.sentence(line))
    heads = ("model", "greatest lead in sensitivity", "at a false positive rate of")
    names, leads = (c.first, c.second), zip(c._leads, c.at, strict=True)
    rows = zip(names, leads, strict=True)
    yield Grid(heads, [(n, words.number(lead), words.number(at)) for n, (lead, at) in rows])
    if c.regions:
        of_regions = ("leads beyond chance", "from FPR", "to", "greatest lead", "band")
        regions = [
            (
                r.leader,
                *map(words.number, (r.low, r.high, r.lead)),
                " to ".join(map(words.number, r.bounds)),
            )
            for r in c.regions
        ]
        yield Grid(of_regions, regions)


def leaders_table(ev: Evaluation) -> tuple[str, Grid]:
    """Return the leader in each subgroup: a sentence, and a table of leads and evidence."""
    leaders = ev.leaders()
    by = ", ".join(leaders[0].columns)
    rows: list[Row] = []
    for i, f in enumerate(leaders):
        *_, gap, bounds, _ = difference_cells(f.difference)
        lead, second = words.text(f.model), words.text(f.second)
        if f.difference.value == 0:
            lead, second = "tie", enumerated([lead, second])
        rows.append(
            (
                subgroup_name(f.subgroup),
                Cell(words.count(f.rows), key=f"leaders.{i}.rows"),
                Cell(lead, style="best" if f.shown else "", mark="*" if f.shown else ""),
                second,
                Cell(gap, key=f"leaders.{i}.lead"),
                bounds,
                words.p_value(f.p_value),
            )
        )
    heads = (
        words.text(by),
        "Rows",
        "Leads",
        "Next",
        "Lead",
        words.interval_head(ev.level),
        "p, corrected",
    )
    title = get(leaders[0].difference.metric).in_a_sentence
    caption = f"Lead in {title}; ★ leads every other model beyond chance."
    return leaders_line(leaders, by), Grid(heads, rows, caption, left=(0, 2, 3))


def pairs_by_rank(c: Comparison) -> tuple[str, list[Pair]]:
    """Return the best model, and all pairs, those of the best models first."""
    sign = -1 if get(c.metric).better == "low" else 1
    values: dict[str, float] = {}
    for p in c.pairs:
        d = p.differences[c.metric]
        values |= {p.first: sign * d.first_value, p.second: sign * d.second_value}
    ranked = sorted(values, key=lambda n: math.inf if math.isnan(values[n]) else -values[n])
    place = {n: i for i, n in enumerate(ranked)}
    return ranked[0], sorted(c.pairs, key=lambda p: sorted((place[p.first], place[p.second])))


def verdicts(c: Comparison) -> list[str]:
    """Return the verdicts as sentences; only those on the best model if there are many pairs."""
    best, ordered = pairs_by_rank(c)
    if len(ordered) > MANY_PAIRS:
        ordered = [p for p in ordered if best in (p.first, p.second)]
    return [line for p in ordered for line in lines_of(c, p)]


MOST_LINES = 6
"""Verdicts that a comparison prints."""

MORE = "All metrics of all pairs: .table(). All tests of a pair: .pair({first!r}, {second!r})."
"""Where the numbers are that a comparison does not print."""


def comparison(result: Comparison) -> Iterator[Block]:
    """Yield the verdicts, and every metric if there is one pair."""
    yield Headline(f"{len(result.names)} models, {result.rows:,} rows; {result.verdicts[0]}")
    yield Paragraph(verdicts_title(result), "title")
    best, ordered = pairs_by_rank(result)
    lines = [line for pair in ordered for line in lines_of(result, pair)]
    ranks = ranking_table(result)
    if ranks is not None:
        yield replace(ranks, title="", rows=ranks.rows[:MOST_PAIRS], caption="")
        if len(ranks.rows) > MOST_PAIRS:
            yield Paragraph(f"{len(ranks.rows) - MOST_PAIRS} more models rank lower.", "dim", 2)
        yield Paragraph(ranks.caption, "dim", 2)
        lines = [
            line for p in ordered if best in (p.first, p.second) for line in lines_of(result, p)
        ]
    shown = lines if len(lines) <= MOST_LINES else lines[: MOST_LINES - 1]
    yield from (Paragraph(line, item=True) for line in shown)
    if len(lines) > len(shown):
        yield Paragraph(f"{len(lines) - len(shown)} more verdicts: .table()")
    for line in filter(None, ("" if ranks else rank_line(result), cheapest_line(result))):
        yield Paragraph(line, indent=2)
    for t in result.overall:
        yield Paragraph(evidence_sentence(t), indent=2)
    for note in result.notes:
        yield Paragraph(words.sentence(f"note: {words.said(note)}"), indent=2)
    if result.samples:
        sides = [f"{text(name)} ({many(rows, *result._noun)})" for name, rows in result.samples]
        yield Paragraph(f"Independent samples: {' and '.join(sides)}.", indent=2)
    yield GAP
    if len(result.pairs) == 1:
        sides = [name for name, _ in result.samples]
        yield from _metrics_of(result.pairs[0], result.level, sides)
        kinds = {t.name.split(",")[0]: t for t in reversed(result.pairs[0].tests)}
        first_of_kind = [t for t in result.pairs[0].tests if t in kinds.values()]
        yield from (Paragraph(evidence_sentence(t), indent=2) for t in first_of_kind)
        yield GAP
        of = f"Differences are {text(result.pairs[0].first)} − {text(result.pairs[0].second)}."
        error = result.table_error
        yield Paragraph(of if error is None else f"{of} {table_error_sentence(error)}", "dim")
    if any(v._remedy for v in result.verdicts):
        yield Paragraph(REMEDY, "dim")
    where = MORE.format(first=ordered[0].first, second=ordered[0].second)
    yield Paragraph(words.said(where), "dim")


def pair(result: Pair) -> Iterator[Block]:
    """Yield the verdict on two models, their differences, tests and interval methods."""
    line = pair_verdict(result.verdict)
    yield Headline(f"{result.first} and {result.second}; {line}")
    yield Paragraph(verdict_line(result.verdict))
    yield GAP
    yield from _metrics_of(result, 1 - result.verdict.answers[0].alpha)
    for t in result.tests:
        yield Paragraph(evidence_sentence(t), indent=2)
    if result.crossing is not None and result.verdict.crossing is None:
        yield Paragraph(words.sentence(crossing_sentence(result.crossing)), indent=2)
    yield GAP
    yield Paragraph(methods_of([result], independent=result.verdict._each is not None), "dim")


def _metrics_of(pair: Pair, level: float, sides: Sequence[str] = ()) -> Iterator[Block]:
    """Yield both models' values of every metric, by the names of their sides or their own."""
    rows = [(get(n).title, *difference_cells(d)) for n, d in pair.differences.items()]
    p = "p" if pair.verdict._pairs == 1 else UNCORRECTED
    names = [words.cut_off(n, SHORTEST) for n in sides or (pair.first, pair.second)]
    if names[0] == names[1]:
        names = ["first", "second"]
    heads = ("metric", *names, "difference", words.interval_head(level), p)
    # A narrow terminal omits both models' values.
    yield Grid(heads, rows, optional=((1, 2),), indent=2)


# -- on a page ---------------------------------------------------------------------------------

MOST_PAIRS = 15
"""Pairs that are listed individually."""


Judged = Mapping[str, Mapping[str, Value]]
"""The values of each model by metric: a comparison rounds them to the same digits."""


def drawn_comparison(
    c: Comparison, names: Sequence[str], place: str = "", values: Judged | None = None
) -> list[Block]:
    """Return the verdicts, the charts of differences and the tests of every pair.

    The positions of models in ``names`` set their colours; ``place`` is the path of the comparison
    in an evaluation.
    """
    p = of_comparison(c, names, place, values)
    statements: list[Block] = [Paragraph(p["title"], "title"), Bullets(p["verdicts"])]
    if p["ranking"] is not None:
        said = f"The verdicts on {words.text(pairs_by_rank(c)[0])} in words"
        statements = [p["ranking"], Folded(said, statements)]
    statements.append(Bullets(p["notes"], "notes"))
    how = Paragraph(p["how"], "dim")
    charts = [f for f in (*p["charts"][:1], p["leads"]) if f is not None]
    every = p["charts"][1:]
    summary = f"Every metric of {'a' if len(every) == 1 else 'each'} pair"
    return [
        Group([statements, [Group(charts)]], "two even"),
        Folded(summary, [how, Group(every, "charts")]) if every else how,
        Folded(p["summary"], [p["pairs"]], is_open=p["open"]),
    ]


def of_comparison(
    c: Comparison, names: Sequence[str], place: str = "", values: Judged | None = None
) -> dict[str, Any]:
    """Return the parts of a comparison; the positions of models in ``names`` set their colours."""
    _, ordered = pairs_by_rank(c)
    pairs, ranks = ordered[:MOST_PAIRS], ranking_table(c, values)
    crossings = [
        p.crossing
        for p in pairs
        if p.crossing is not None and p.crossing.regions and not p.verdict.crossing
    ]
    return {
        "ranking": ranks,
        "verdicts": verdicts(c)[:MOST_PAIRS],
        "title": verdicts_title(c),
        "notes": [*filter(None, [rank_line(c) if ranks is None else "", cheapest_line(c)])]
        + [words.text(evidence_sentence(t)) for t in c.overall]
        + [words.sentence(str(crossing)) for crossing in crossings],
        "charts": difference_charts(c, pairs, names, place),
        "leads": leads_chart(c, ordered, names),
        "how": FOREST_WORDS.format(
            pair=_subtracted(c.pairs),
            corrected="each metric by itself"
            + (f", corrected for {len(c.pairs)} pairs" if len(c.pairs) > 1 else ""),
            level=words.percent(c.level, 0),
            table="" if c.table_error is None else table_error_sentence(c.table_error),
        ),
        "open": MANY_PAIRS < len(c.pairs) <= MOST_PAIRS,
        "summary": "Every pair and its tests" if len(c.pairs) > 1 else "Tests",
        "pairs": _pairs(c, pairs, len(ordered) - len(pairs), place),
    }


FEWEST_RANKED, MOST_LETTERS = 4, 26
"""Models from which on a table ranks them, and the most groups that it can name."""


def ranking_table(c: Comparison, judged: Judged | None = None) -> Grid | None:
    """Return the models in order, with the groups that cannot be distinguished.

    None of fewer than four models, or where not every pair was compared.
    """
    n = len(c.names)
    if n < FEWEST_RANKED or 2 * len(c.pairs) != n * (n - 1):
        return None
    values = {p.first: p.differences[c.metric].first_value for p in c.pairs}
    values |= {p.second: p.differences[c.metric].second_value for p in c.pairs}
    sign = -1 if get(c.metric).better == "low" else 1
    ranked = sorted(c.names, key=lambda n: math.inf if math.isnan(values[n]) else -sign * values[n])
    proved = {(v.better, v.other) for v in c.verdicts if v.kind == "better"}
    groups = list(maximal_sets(ranked, proved))
    letters = {n: _letters(n, groups) for n in ranked} if len(groups) <= MOST_LETTERS else {}
    ranges = rank_ranges(ranked, proved)
    heads = (
        "Model",
        words.SHORT_TITLES.get(c.metric, get(c.metric).title),
        "Rank",
        *(["Group"] if letters else []),
        *(["Best, probability"] if c.ranks else []),
    )
    rows: list[Row] = [
        (
            words.text(n),
            _again(judged, n, c.metric, words.number(values[n])),
            " to ".join(map(str, dict.fromkeys(ranges[n]))),
            *([letters[n]] if letters else []),
            *([chance_of(c.ranks[n][0])] if c.ranks else []),
        )
        for n in ranked
    ]
    corrected = f"corrected for {len(c.pairs)} pairs"
    caption = f"The ranks that the tests leave open ({corrected})."
    if letters:
        caption += " Models that share a letter cannot be distinguished."
    if c.ranks:
        caption += " Probabilities come from joint resamples, with a flat prior."
    title = f"Ranking by {get(c.metric).in_a_sentence}"
    return Grid(heads, rows, caption, left=(0, 3) if letters else (0,), title=title, look="tight")


def _again(judged: Judged | None, model: str, metric: str, text: str) -> str:
    """Return a model's value as its evaluation writes it; ``text`` where it has none."""
    v = (judged or {}).get(model, {}).get(metric)
    return text if v is None else words.value(v)


def _letters(name: str, groups: Sequence[Sequence[str]]) -> str:
    """Return the letters of the groups that contain a model."""
    return " ".join(chr(ord("a") + i) for i, group in enumerate(groups) if name in group)


def pairs_data(c: Comparison, judged: Judged | None = None) -> dict[str, Any]:
    """Return what the page's script shows of any two models: the texts of all differences.

    ``of`` has one text per pair, by the places of its models in ``names``. It has the difference,
    both bounds and the p-value of each metric in ``titles``, as :func:`_terse` writes them. Empty
    without a ranking.
    """
    if ranking_table(c) is None:
        return {}
    place = {n: i for i, n in enumerate(c.names)}
    of, values = {}, [[""] * len(c.pairs[0].differences) for _ in c.names]
    for p in c.pairs:
        first, second = place[p.first], place[p.second]
        texts = []
        for k, (metric, d) in enumerate(p.differences.items()):
            a, b, gap, bounds, p_text = difference_cells(d)
            values[first][k] = _again(judged, p.first, metric, a)
            values[second][k] = _again(judged, p.second, metric, b)
            ends = bounds.split(" to ") if bounds else ["", ""]
            texts.append("|".join(map(_terse, [gap, *ends, p_text])))
        of[f"{first} {second}"] = ";".join(texts)
    titles = [get(m).title for m in c.pairs[0].differences]
    names = [words.text(n) for n in c.names]
    best = pairs_by_rank(c)[1][0]
    start = f"{place[best.first]} {place[best.second]}"
    return {"names": names, "titles": titles, "values": values, "of": of, "start": start}


def _terse(number: str) -> str:
    """Return a number in few bytes: without the 0 before its point and the plus before that.

    >>> _terse("+0.012"), _terse("−0.012"), _terse("+1.5"), _terse("< 0.0001")
    ('.012', '-.012', '+1.5', '< 0.0001')
    """
    return re.sub(r"^\+?(-?)0\.", r"\1.", number.replace("−", "-"))


def _pairs(c: Comparison, pairs: Sequence[Pair], omitted: int, place: str) -> Grid:
    """Return the table of pairs: the deciding difference, its verdict and its tests."""
    names = list(dict.fromkeys(t.name for p in pairs for t in p.tests))
    if len(pairs) > MANY_PAIRS:  # keep the first test of each kind, which controls its level best
        kinds = {n.split(",")[0]: n for n in reversed(names)}
        names = [n for n in names if n in kinds.values()]
    p_head = "p, corrected" if len(c.pairs) > 1 else "p"
    heads = (
        "First",
        "Second",
        "Difference",
        words.interval_head(c.level),
        p_head,
        "Verdict",
        *(f"p, {n}" for n in names),
    )
    rows: list[Row] = []
    for p in pairs:
        *_, gap, bounds, _ = difference_cells(p.differences[c.metric])
        v = p.verdict
        superiority = v._answer("superiority")
        corrected = ""
        if superiority is not None and not math.isnan(superiority.p_value):
            corrected = words.p_value(superiority.p_value, superiority.p_at_most)
        tests = {t.name: "" if t.reason else words.p_value(t.p_value, t.p_at_most) for t in p.tests}
        rows.append(
            (
                words.text(p.first),
                words.text(p.second),
                Cell(gap, key=key_of(c, p, c.metric, place)),
                bounds,
                corrected,
                kinds_of(v),
                *(tests.get(n, "") for n in names),
            )
        )
    more = f"The JSON holds the differences and tests of {words.many(omitted, 'more pair')}."
    return Grid(heads, rows, comparison_legend(c), left=(), more=more if omitted else "")


# -- charts ------------------------------------------------------------------------------------

MOST_DRAWN, CROWDED = 3, 6
"""Pairs with a chart of all metrics, and the number of models from which only one pair has it."""

SHORTEST = 12
"""Letters of each name in the row of a pair."""

FOREST = "Differences with their intervals around a line at 0; the table below holds the numbers."


def difference_charts(
    c: Comparison, pairs: Sequence[Pair], names: Sequence[str], place: str = ""
) -> list[Chart]:
    """Return charts of differences: one of the deciding metric for all pairs, and one per pair.

    The positions of models in ``names`` set their colours.
    """
    charted = pairs[: MOST_DRAWN if len(c.names) < CROWDED else 1]
    ends = _range([d for p in charted for d in p.differences.values()], c.margin)
    charts = [_of_pair(c, p, str(i), ends, names, place) for i, p in enumerate(charted)]
    if len(c.pairs) == 1:
        return charts
    gaps, styles = [p.differences[c.metric] for p in pairs], _styles(c, names)
    spans = [
        _span(
            " − ".join(words.cut_off(n, SHORTEST) for n in (p.first, p.second)),
            d,
            p,
            styles,
            c.margin,
            beyond_chance(c, p, c.metric),
        )
        for p, d in zip(pairs, gaps, strict=True)
    ]
    title = f"Every pair by {get(c.metric).in_a_sentence}"
    if len(pairs) < len(c.pairs):
        title = f"The first {len(pairs)} pairs by {get(c.metric).in_a_sentence}"
    axis = Axis("difference", *_range(gaps, c.margin, every=True))
    every = Chart(
        title,
        Forest(axis, spans, 0.0, "pair"),
        description=FOREST,
        marks=_marks(spans, "the first", "the second", len(c.pairs)),
        key="pairs",
        lead=_leading(names),
    )
    return [every, *charts]


def leads_chart(c: Comparison, pairs: Sequence[Pair], names: Sequence[str]) -> Chart | None:
    """Return the chart of leaders: by false positive rate, and by costs and prevalence.

    It shows the first of ``pairs`` whose ROC curves cross with a significant lead somewhere; None
    if there is no such pair.
    """
    rows: list[tuple[str, list[tuple[float, float, int]]]] = []
    crossed = next((p.crossing for p in pairs if p.crossing and p.crossing.regions), None)
    if crossed is not None:
        regions = [(r.low, r.high, names.index(r.leader)) for r in crossed.regions]
        pair = " and ".join(words.cut_off(n, SHORTEST) for n in (crossed.first, crossed.second))
        rows.append((f"false positive rate, {pair}", regions))
    cheap = [(r.low, r.high, names.index(r.model)) for r in c.cheapest]
    if cheap:
        rows.append(("probability cost: prevalence and costs in one", cheap))
    if not rows:
        return None
    styles = dict.fromkeys(style for _, stretches in rows for *_, style in stretches)
    listed = [
        (name, words.text(names[style]), words.between(low, high))
        for name, stretches in rows
        for low, high, style in stretches
    ]
    return Chart(
        LEADS_TITLE,
        Strips(rows),
        Grid(("On the axis of", "leads", "from and to"), listed, left=(0, 1)),
        LEADS_WORDS,
        LEADS_WORDS,
        legend=tuple((style, words.text(names[style]), "") for style in styles),
    )


def _of_pair(
    c: Comparison,
    pair: Pair,
    key: str,
    ends: tuple[float, float],
    names: Sequence[str],
    place: str,
) -> Chart:
    """Return the chart of a pair: the differences in every metric."""
    first, second = words.text(pair.first), words.text(pair.second)
    title = f"{first} − {second}"
    spans, rows, styles = [], [], _styles(c, names)
    for name, d in pair.differences.items():
        m = get(name)
        label = words.SHORT_TITLES.get(name, m.title) + (" ↓" if m.better == "low" else "")
        margin = c.margin if name == c.metric else None
        spans.append(_span(label, d, pair, styles, margin, beyond_chance(c, pair, name)))
        *_, gap, bounds, p = difference_cells(d)
        why = "" if bounds else f": {words.text(d.reason or d.method or '')}"
        rows.append((m.title + why, Cell(gap, key=key_of(c, pair, name, place)), bounds, p))
    p_head = "p" if len(c.pairs) == 1 else UNCORRECTED
    heads = ("Metric", "Difference", words.interval_head(c.level), p_head)
    return Chart(
        title,
        Forest(Axis("difference", *ends), spans, 0.0, "metric"),
        Grid(heads, rows, left=()),
        description=FOREST,
        marks=_marks(spans, first, second, len(c.pairs)),
        key=key,
        lead=_leading(names),
    )


def key_of(c: Comparison, pair: Pair, metric: str, place: str = "") -> str:
    """Return the path of a difference in ``to_dict()``, of an evaluation or the comparison."""
    i = next(i for i, p in enumerate(c.pairs) if p is pair)
    return f"{place}pairs.{i}.differences.{metric}.value"


def _leading(names: Sequence[str]) -> int | None:
    """Return the style of the only model with a colour; None if each of a few has one."""
    return None if len(names) < FEWEST_RANKED else 0


def _styles(c: Comparison, names: Sequence[str]) -> Mapping[str, int]:
    """Return each model's style number; with many models, 0 for the best and 1 for the others."""
    if _leading(names) is None:
        return {name: i for i, name in enumerate(names)}
    best, _ = pairs_by_rank(c)
    return {name: int(name != best) for name in names}


def beyond_chance(c: Comparison, pair: Pair, metric: str) -> bool:
    """Return whether a lead is significant, corrected for the number of pairs, as in verdicts."""
    answer = pair.verdict._answer("superiority")
    if metric == c.metric and answer is not None:
        d = pair.differences[metric]
        return answer.shown and (d.low > 0 or d.high < 0)
    pairs = [(p.first, p.second) for p in c.pairs]
    every = Differences(get(metric), pairs, [p.differences[metric] for p in c.pairs], c.level)
    p_value = float(every.corrected()[pairs.index((pair.first, pair.second))])
    return shows_lead(pair.differences[metric], get(metric), p_value, c.level)


def _span(
    name: str,
    d: Difference,
    pair: Pair,
    styles: Mapping[str, int],
    margin: float | None,
    shown: bool,
) -> Span:
    """Return the row of a difference, with the mark of the model that is significantly better."""
    mark: Literal["first", "second", "open"] = "open"
    style = 0
    if shown:
        mark = "first" if (d.value > 0) != (get(d.metric).better == "low") else "second"
        style = styles[getattr(pair, mark)]
    why = words.signed(d.value) if math.isinf(d.value) else "undefined"
    return Span(name, d.value, d.low, d.high, mark, style, margin, why)


def _range(
    gaps: Sequence[Difference], margin: float | None = None, *, every: bool = False
) -> tuple[float, float]:
    """Return the ends of an axis that includes 0 and all differences of bounded metrics."""
    ends = [0.0, *([] if margin is None else [-margin, margin])]
    for d in gaps:
        if every or math.isfinite(sum(get(d.metric).range)):
            ends += [v for v in (d.value, d.low, d.high) if math.isfinite(v)]
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low)
    return (-0.01, 0.01) if high - low < 1e-9 else (low - room, high + room)


def _marks(spans: Sequence[Span], first: str, second: str, pairs: int) -> list[Mark]:
    """Return the marks in a chart with their meanings."""
    corrected = f", corrected for {pairs} pairs" if pairs > 1 else ""
    styles = {s.mark: s.style for s in spans if math.isfinite(s.value)}
    meaning: dict[Literal["first", "second", "open"], str] = {
        "first": f"{first} is ahead{corrected}",
        "second": f"{second} is ahead{corrected}",
        "open": "may be chance",
    }
    return [Mark(m, styles[m], text) for m, text in meaning.items() if m in styles]


# -- in a notebook -----------------------------------------------------------------------------


def comparison_card(c: Comparison) -> Iterator[Block]:
    """Yield the verdicts and the charts of differences."""
    yield Group([Group([drawn_comparison(c, c.names)])], "comparison")
