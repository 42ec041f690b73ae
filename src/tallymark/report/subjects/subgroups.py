"""Subgroups and studies: one row each, differences from the rest, and the mean over studies."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tallymark.display import plain_data
from tallymark.findings.advice import capitalised, harm_of, tests_corrected_for
from tallymark.findings.finding import Cut, filled, shown
from tallymark.infer.by_subgroup import RATES, Subgroups
from tallymark.infer.cautions import FEW
from tallymark.infer.heterogeneity import Heterogeneity
from tallymark.infer.verdict import is_significant
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.metric.registry import OF_DECISIONS
from tallymark.quantities import many, p_is, percent
from tallymark.reading.indicators import SetModel
from tallymark.report import words
from tallymark.report.blocks import (
    GAP,
    Block,
    Bullets,
    Cell,
    Chart,
    Grid,
    Headline,
    Interval,
    Mark,
    Paragraph,
    Row,
    paragraphs,
)
from tallymark.report.drawing import Axis, Forest, Span
from tallymark.report.evaluation import (
    MOST_SUBGROUPS,
    Evaluation,
    studies_of,
    subgroups_of_models,
)
from tallymark.report.subjects.summary import kinds_of, ranking, rows_of
from tallymark.report.subjects.values import (
    difference,
    ends_of,
    more,
    one_row,
    warning_of,
)
from tallymark.report.uses import use_called
from tallymark.report.words import interval, sentence

if TYPE_CHECKING:
    from tallymark.infer.by_subgroup import (
        SubgroupDifference,
        SubgroupTest,
        SubgroupTests,
        Worst,
    )


# -- in words ----------------------------------------------------------------------------------


def heterogeneity_sentence(h: Heterogeneity) -> str:
    """Return the mean of a metric over studies, and whether they differ significantly."""
    ci = f"{percent(h.level, 0)} CI {interval(h.mean)}"
    new = ""
    if not math.isnan(h.predicted[0]):
        _, low, high = words.to_width(h.mean.value, *h.predicted)
        new = f" A new study is expected between {low} and {high}."
    significant = h.p_value < 1 - h.level
    differ = "Studies differ by more than chance"
    differ = differ if significant else "Differences between studies may be chance"
    mean = f"{get(h.metric).title}: mean over {h.studies:,} studies {words.value(h.mean)} ({ci})."
    return f"{mean}{new} {differ} (I² {percent(h.i2, 0)}, {p_is(h.p_value)})."


def of_studies(results: Sequence[Heterogeneity]) -> list[str]:
    """Return the caveats of means over studies: the estimation method and omitted studies."""
    notes = dict.fromkeys(h.mean.method or "" for h in results)
    notes |= dict.fromkeys(
        sentence(f"warning: {h.mean.warning}") for h in results if h.mean.warning
    )
    for h in results:
        if h.corrected:
            which = f"{h.corrected} of {many(h.studies, 'study', 'studies')} with a 0"
            name = get(h.metric).in_a_sentence
            notes[f"Half a row was added to both counts of {which} ({name})."] = None
    if len(results) > 1:
        notes[ONE_BY_ONE] = None
    return [n[0].upper() + n[1:] for n in notes if n]


ONE_BY_ONE = (
    "Sensitivity and specificity are modelled one by one. Studies with another threshold move both "
    "in opposite directions: the standard for the pair is the bivariate model (Reitsma 2005)."
)

# -- as blocks ---------------------------------------------------------------------------------

MOST_LISTED = 40
"""Subgroups that are listed individually."""

MOST_COUNTS = 5
"""Small subgroups whose rows are listed individually."""


def small_note(s: Subgroups, small: Mapping[str, Collection[Any]]) -> str:
    """Return what the mark of small subgroups means; ``small`` are those marked, by metric."""
    parts = dict.fromkeys(_few(s, m, [k for k in s.keys if k in small[m]]) for m in small)
    few = " or ".join(filter(None, parts))
    return few and f"* rests on fewer than {FEW} {few}: not ranked, not tested"


def _few(s: Subgroups, metric: str, keys: Sequence[Any]) -> str:
    """Return what small subgroups have few of, and how many: "positives (27, 23)"."""
    if not keys:
        return ""
    support = s._support(metric)
    counts = [round(support[k], 1) for k in keys]
    shown = ", ".join(map(words.count, counts))
    if len(counts) > MOST_COUNTS:
        shown = f"{words.count(min(counts))} to {words.count(max(counts))}"
    return f"{s._rests_on(metric, keys)} ({shown})"


def subgroup_difference(d: SubgroupDifference) -> Iterator[Block]:
    """Yield the difference of a subgroup from the others."""
    headline, *rest = difference(d.difference)
    assert isinstance(headline, Headline)
    line = headline.alone or ""
    if d.small:
        line += " (few rows, not tested)"
    elif not math.isnan(d.corrected):
        line += f", p = {d.corrected:.3g}"
    yield Headline(f"{d.difference.metric} of {d.key}: {line}", line)
    yield from rest


def worst(w: Worst) -> Iterator[Block]:
    """Yield the worst subgroup."""
    value, low, high = words.to_width(w.value.value, w.low, w.high)
    line = f"{w.key}: {value} ({low} to {high}) as one of {w.of:,}"
    yield from one_row(
        line,
        {
            "subgroup": str(w.key),
            "value": value,
            words.interval_head(w.level): words.between(w.low, w.high),
            "could be the worst": f"{len(w.candidates):,} of {w.of:,}",
        },
        f"{w.metric} {line}",
    )


def subgroups(s: Subgroups, metrics: Sequence[str] | None = None) -> Iterator[Block]:
    """Yield one row per subgroup, and which of them differ from the others.

    ``metrics`` are shown and tested, by default the headline metrics and those of the use.
    """
    by = ", ".join(s.columns)
    yield Headline(
        f"{len(s):,} subgroups of {s._chosen.name} by {by}, {sum(s.rows.values()):,} rows"
    )
    names = list(metrics or dict.fromkeys([*s.metrics()[:4], *judged_by(s)]))
    values = s.values(names)
    small = {m: set(s._small(m)) for m in names}
    rows: list[Row] = []
    for key, parts, n in zip(s.keys, s._subgroup_counts.keys, s._subgroup_counts.rows, strict=True):
        if len(rows) == MOST_LISTED:
            break
        cells = [_subgroup_cell(values[key][m], key in small[m]) for m in names]
        rows.append([*map(words.subgroup, parts), words.count(int(n)), *cells])
    yield Grid((*s.columns, "rows", *names), rows, left=range(len(s.columns)))
    if len(s) > MOST_LISTED:
        yield Paragraph(
            f"and {many(len(s) - MOST_LISTED, 'more subgroup')}: .table() has all of them"
        )
    marked = {m: [k for k in s.keys if k in small[m] and not values[k][m].reason] for m in names}
    yield from paragraphs(filter(None, [small_note(s, marked)]))
    yield GAP
    yield from subgroup_verdict(s, metrics)


def name_of(s: Subgroups, key: Any) -> str:
    """Return a subgroup's name in a sentence."""
    return ", ".join(words.subgroup(p) for p in ((key,) if len(s.columns) == 1 else key))


def _subgroup_cell(v: Value, small: bool) -> Cell:
    if v.reason:
        return Cell("undefined")
    bounds = words.interval(v)
    text = f"{words.value(v)} ({bounds})" if bounds else words.value(v)
    return Cell(text, mark="*" if small else "")


def false_flags(level: float, models: int) -> str:
    """Return that p-values are not corrected for the models, and the chance of any false flag.

    >>> false_flags(0.95, 3)
    'P-values are corrected for all tests of one model: over the 3 models shown, the chance of any
    false flag is up to 15 %.'
    """
    chance = words.percent(min(models * (1 - level), 1.0), 0)
    return (
        f"P-values are corrected for all tests of one model: over the {many(models, 'model')} "
        f"shown, the chance of any false flag is up to {chance}."
    )


def judged_by(s: Subgroups) -> tuple[str, ...]:
    """Return the metrics by which subgroups are judged: the two rates of decisions, if it decides.

    An accuracy or a ROC area can be alike where the rates differ.
    """
    use = use_called(s._counted.source.use)
    decides = use.decisions and use.advice != "ranking"
    return RATES if decides and {*RATES} <= {*s.metrics()} else (s._decisive(),)


def subgroup_verdict(s: Subgroups, metrics: Sequence[str] | None = None) -> Iterator[Paragraph]:
    """Yield the verdict on subgroups: the worst harm, how many differ, and by how much.

    Every output takes the verdict from here. ``metrics`` are those of the use by default. Decisions
    are judged at the threshold in force and at the recommended one, and all p-values are corrected
    together.
    """
    if len(s) < 2:
        yield Paragraph("There is only one subgroup, so there is nothing to compare it with.")
        return
    tests = s._judged(metrics or judged_by(s))
    if harm := worst_harm(s, tests):
        yield Paragraph(harm)
    yield Paragraph(family_sentence(s, tests))
    by_evidence = sorted(tests.distinct, key=lambda t: (t.gap.corrected, -t.harm))
    for t in by_evidence[:MOST_LISTED]:
        yield Paragraph(f"{name_of(s, t.gap.key)}{_tested(s, tests, t)}", indent=2)
    if tests.tested and not tests.different:
        yield Paragraph(_largest_gap(s, tests), indent=2)
    if tests.metrics != RATES and get(tests.metrics[0]).better != "neither":
        yield Paragraph(worst_of(s, tests.metrics[0]))
    yield from paragraphs(_untested(s, tests) if tests.tested else [])


def verdict_data(s: Subgroups, metrics: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the verdict on subgroups as text, and the differences behind it, for JSON."""
    tests = s._judged(metrics or judged_by(s)) if len(s) > 1 else None

    def named(key: Any) -> dict[str, Any]:
        return dict(zip(s.columns, key if len(s.columns) > 1 else (key,), strict=True))

    differ = [
        {
            "subgroup": named(t.gap.key),
            "threshold": plain_data(t.threshold),
            **t.gap.to_dict(),
            "due_to": [named(key) for key in t.due_to],
        }
        for t in (tests.different if tests else ())
    ]
    text = " ".join(p.text for p in subgroup_verdict(s, metrics) if not p.indent)
    return {"verdict": text, "tests": tests.comparisons if tests else 0, "differ": differ}


def worst_harm(s: Subgroups, tests: SubgroupTests | None = None) -> str:
    """Return where the decisions harm a subgroup most, at the threshold to use; empty if nowhere.

    That is the recommended threshold, since its decisions will replace the present ones.
    """
    tests = tests or s._judged(judged_by(s))
    if tests.metrics != RATES:
        return ""
    for t in tests.harms(tests.thresholds[-1])[:1]:
        harm = harm_of(s, t)
        return filled(harm.sentence + harm.remedy, {"model": s._chosen.name, **harm.values})
    return ""


def family_sentence(s: Subgroups, tests: SubgroupTests) -> str:
    """Return how many subgroups differ from the others, in what, and what was tested."""
    tested = {t.gap.key for t in tests.tested}
    differ = {t.gap.key for t in tests.different}
    if not tested:
        return _untested(s, tests)[0]
    how = f"level {s.level:g}, {tests_corrected_for(tests.comparisons)}"
    if not differ:
        where = _in_metrics(s, tests.tests, "or")
        return f"No subgroup is shown to differ from the rest in {where} ({how})."
    found = tests.distinct
    distinct = {t.gap.key for t in found}
    verb = "differs" if len(distinct) == 1 else "differ"
    every = _in_metrics(s, tests.tests, "and")
    family = f" of {every}" if _in_metrics(s, found, "and") != every else ""
    of = many(len(tested), "subgroup")
    where = _in_metrics(s, found, "or")
    text = f"{len(distinct):,} of {of} tested {verb} from the rest in {where} ({how}{family})"
    if not (others := differ - distinct):
        return f"{text}."
    due_to = {key for t in tests.different for key in t.due_to}
    verb = "is" if len(others) == 1 else "are"
    return (
        f"{text}: {_names(s, distinct)}. {_names(s, others)} {verb} not shown to differ from a "
        f"rest without {_names(s, due_to)}."
    )


def _names(s: Subgroups, keys: Collection[Any]) -> str:
    """Return the names of the first few subgroups and the number of the others."""
    return words.enumerated(words.few([name_of(s, key) for key in s.keys if key in keys]))


def _in_metrics(s: Subgroups, tests: Sequence[SubgroupTest], joined: str) -> str:
    """Return what is tested, such as "sensitivity or specificity at 0.5 or 0.3"."""
    places: dict[str, list[str]] = {}
    for metric, t in dict.fromkeys((t.metric, t.threshold) for t in tests):
        places.setdefault(metric, []).append(_at_threshold(s, metric, t))
    of_place: dict[str, list[str]] = {}
    for metric, at in places.items():
        where = f" {joined}".join(at).replace(f"{joined} at", joined)
        of_place.setdefault(where, []).append(get(metric).in_a_sentence)
    words_of = (f" {joined} ".join(metrics) + where for where, metrics in of_place.items())
    return f" {joined} ".join(words_of)


def _at_threshold(s: Subgroups, metric: str, threshold: float | None) -> str:
    """Return the threshold of decisions, such as " at 0.5"; empty for other metrics.

    It has the fewest digits that decide every row the same.
    """
    model = s._chosen
    if threshold is None or get(metric)._needs not in OF_DECISIONS or isinstance(model, SetModel):
        return ""
    return f" at {shown(Cut.of(threshold, model.scores[0]))}" if model.scores else ""


def _untested(s: Subgroups, tests: SubgroupTests) -> list[str]:
    """Return how many subgroups are not tested in each metric, and why."""
    tested = {(t.metric, t.gap.key) for t in tests.tested}
    sentences, whys, one = list[str](), list[str](), len(s) == 2
    for m in tests.metrics:
        small = s._small(m)
        untested = sum((m, key) not in tested for key in s.keys)
        few = f"fewer than {FEW} {s._rests_on(m, small)}"
        all_small = untested == len(small) or (len(s) == 2 and len(small) > 0)
        whys.append(few if all_small else f"{few}, or no interval")
        one &= len(small) == 1
        if untested:
            of = f" in {get(m).in_a_sentence}" if len(tests.metrics) > 1 else ""
            sentences.append(f"{untested:,} not tested{of}: {whys[-1]}.")
    who = name_of(s, s._small(tests.metrics[0])[0]) if one else "each"
    has = " and ".join(dict.fromkeys(whys))
    return sentences if tested else [f"No subgroup was tested: {who} has {has}."]


def _tested(s: Subgroups, tests: SubgroupTests, t: SubgroupTest) -> str:
    """Describe a test: metric, threshold, difference with interval, and corrected p-value."""
    several = len(tests.metrics) * len(tests.thresholds) > 1
    of = (
        f", {get(t.metric).in_a_sentence}{_at_threshold(s, t.metric, t.threshold)}"
        if several
        else ""
    )
    return f"{of}: {_gap(t.gap)}"


def _gap(d: SubgroupDifference) -> str:
    """Return the difference of a subgroup with its interval and corrected p-value."""
    return f"{d.difference}, {words.p_is(d.corrected, d.difference.p_at_most and d.corrected < 1)}"


def _largest_gap(s: Subgroups, tests: SubgroupTests) -> str:
    """Return the largest difference; of two subgroups, that of the higher minus the lower one."""
    t = max(tests.tested, key=lambda t: (abs(t.gap.difference.value), t.gap.difference.value))
    said, name = _tested(s, tests, t), name_of(s, t.gap.key)
    if len(s) == 2:
        (other,) = (key for key in s.keys if key != t.gap.key)
        return f"{name} − {name_of(s, other)}{said}"
    return f"largest gap, {name}{said}"


def heterogeneity(h: Heterogeneity) -> Iterator[Block]:
    """Yield the mean over studies, the prediction for a new study, and the heterogeneity."""
    yield Headline(heterogeneity_sentence(h))
    yield Paragraph(heterogeneity_sentence(h))
    yield heterogeneity_table([h])
    yield Paragraph(h.mean.method or "", "dim")
    yield from warning_of(h.mean.warning)


def heterogeneity_table(results: Sequence[Heterogeneity]) -> Grid:
    """Return the results of a random-effects model, one column per metric."""

    def row(title: str, cells: Iterable[tuple[str, str]]) -> Row:
        return (title, *(Cell(value, under) for value, under in cells))

    def with_bounds(x: float, low: float, high: float) -> tuple[str, str]:
        return words.to_width(x, low, high)[0], words.between(low, high)

    return Grid(
        ("", *(get(h.metric).title for h in results)),
        [
            row(
                "Mean over studies",
                ((words.value(h.mean), words.interval(h.mean)) for h in results),
            ),
            row("A new study", ((words.between(*h.predicted), "") for h in results)),
            row(
                "All rows together",
                ((words.value(h.pooled), words.interval(h.pooled)) for h in results),
            ),
            row(
                "I²",
                ((words.percent(h.i2, 0), words.between_percents(*h.i2_bounds)) for h in results),
            ),
            row("τ², logit scale", (with_bounds(h.tau2, *h.tau2_bounds) for h in results)),
            row("Q", ((words.number(h.q), words.p_is(h.p_value)) for h in results)),
            row("Studies", ((words.count(h.studies), "") for h in results)),
        ],
    )


def studies(s: Subgroups, results: Sequence[Heterogeneity]) -> Iterator[Block]:
    """Yield the rates of each study, their means and the heterogeneity."""
    names = [h.metric for h in results]
    values, rows = s.values(names), s.rows
    yield Grid(
        (", ".join(s.columns), "rows", *names),
        [
            (
                name_of(s, key),
                words.count(rows[key]),
                *(_subgroup_cell(values[key][n], small=False) for n in names),
            )
            for key in s.keys[:MOST_LISTED]
        ],
    )
    yield from more(len(s) - MOST_LISTED, "studies: the JSON has 50, .table() all of them")
    yield GAP
    yield heterogeneity_table(results)
    for h in results:
        yield Paragraph(heterogeneity_sentence(h))
    yield from paragraphs(of_studies(results), "dim")


def worst_of(s: Subgroups, metric: str) -> str:
    """Return the worst subgroup, corrected for selection, and which others could be the worst."""
    w, enough = s.worst_of_all(metric), len(s) - len(s._small(metric))
    rows = f"{FEW} {s._rests_on(metric)}"
    better = "highest" if get(metric).better == "low" else "lowest"
    if w is None or w.of == 1:
        has = f"has {rows}{' and an interval' if enough > (w is not None) else ''}"
        if w is None:
            return f"No subgroup {has}, so none is called the worst."
        return f"Only {name_of(s, w.key)} {has}, so none is called {better}."
    text = (
        f"{name_of(s, w.key)} is {better} of {w.of:,} ({words.value(w.value)}; "
        f"{words.percent(w.level, 0)} CI {words.between(w.low, w.high)}, corrected for selection)"
    )
    n = len(w.candidates)
    if n > 1:
        which = "any of them" if n == w.of else f"any of {n:,}"
        which = "either" if w.of == 2 else which
        true = " and ".join(words.to_width(x, w.low, w.high)[0] for x in (w.least, w.most))
        truly = f"the {get(metric).in_a_sentence} of the truly worst one lies between {true}"
        text += f", but {which} could be the worst; {truly}"
    return text + "."


def subgroups_of(ev: Evaluation) -> Iterator[Block]:
    """Yield the verdict on the subgroups of every model."""
    every = subgroups_of_models(ev)
    for s in every:
        yield GAP
        if len(every) > 1:
            yield Paragraph(f"{words.text(s._chosen.name)}: subgroups", "title")
        yield from subgroup_verdict(s)
    if over := of_models(every):
        yield Paragraph(over)


def of_models(every: Sequence[Subgroups]) -> str:
    """Return that p-values are not corrected for several models; empty if nothing is tested."""
    tested = any(len(s) > 1 and s._judged(judged_by(s)).tested for s in every)
    return false_flags(every[0].level, len(every)) if tested and len(every) > 1 else ""


# -- on a page ---------------------------------------------------------------------------------


def worst_table(
    s: Subgroups, most: int = MOST_SUBGROUPS, place: str = ""
) -> tuple[str, list[str], Grid]:
    """Return a model's name, the verdict on its subgroups and a table of the worst ones.

    ``place`` is the path of the subgroups in an evaluation, which lists the worst of them.
    """
    judged, first = judged_by(s), s._decisive()
    tests = s._judged(judged).tests if len(s) > 1 else ()
    kinds = dict.fromkeys((t.metric, t.threshold) for t in tests)
    shown = [m for m in dict.fromkeys((first, *judged)) if m not in {m for m, _ in kinds}]
    values = s.values([*dict.fromkeys((first, *judged))])
    keys = s._order(first)
    if len(judged) > 1:
        harm = dict.fromkeys(keys, -math.inf)
        for t in tests:
            if not math.isnan(t.gap.corrected):
                harm[t.gap.key] = max(harm[t.gap.key], t.harm)
        keys = tuple(sorted(keys, key=lambda key: -harm[key]))
    listed = s._listed(s._headline(), MOST_SUBGROUPS) if place else s._listed()
    places = {key: f"{place}subgroups.{i}" for i, key in enumerate(listed)}
    keys, others = keys[:most], keys[most:]
    scale = ends_of([values[k][first] for k in keys]) if (first,) == judged else None
    small = {m: set(s._small(m)) for m in (first, *judged)}

    def cell(key: Any, v: Value, note: str = "", in_force: bool = True) -> Cell:
        here = places.get(key, "")  # the worst subgroups by another metric may not be listed
        return Cell(
            words.value(v),
            words.interval(v) or v.reason or "no interval",
            "*" if key in small[v.metric] and not v.reason else "",
            note=note,
            interval=Interval(v.value, v.low, v.high, *scale) if scale else None,
            key=f"{here}.values.{v.metric}" if here and in_force else "",
        )

    def tested(t: SubgroupTest) -> Cell:
        gap = t.gap
        p = words.p_is(gap.corrected, gap.difference.p_at_most and gap.corrected < 1)
        p = "not tested" if math.isnan(gap.corrected) else p
        note = f"differs, {p}" if is_significant(gap.corrected, s.level) else p
        if t.due_to:
            note = f"{p}; not shown without {_names(s, t.due_to)}"
        return cell(gap.key, t.value, note, t.threshold == s._chosen.threshold)

    of_key: dict[Any, list[Cell]] = {k: [cell(k, values[k][m]) for m in shown] for k in keys}
    for t in tests:
        if t.gap.key in of_key:
            of_key[t.gap.key].append(tested(t))
    rows: list[Row] = [
        (
            name_of(s, key),
            Cell(words.count(s.rows[key]), key=places[key] + ".rows" if key in places else ""),
            *of_key[key],
        )
        for key in keys
    ]
    notes = [p.text for p in subgroup_verdict(s) if not p.indent]  # others are in the table
    if others:
        differ = {t.gap.key for t in s._judged(judged).distinct}
        notes.append(
            f"The {len(keys)} worst are shown; {len(differ & {*others}):,} of the {len(others):,} "
            "others differ from the rest."
        )
    if note := small_note(s, {m: [k for k in keys if k in small[m]] for m in small}):
        notes.append(f"{note}.")
    bars = "; bars from {} to {}".format(*map(words.number, scale)) if scale else ""
    by = words.text(", ".join(s.columns))
    heads = (
        by,
        "Rows",
        *(get(m).title for m in shown),
        *(get(m).title + _at_threshold(s, m, t) for m, t in kinds),
    )
    caption = (
        f"By {by}, the worst first{bars}. Each p-value is that of the difference from the rest, "
        "corrected for all tests."
    )
    return words.text(s._chosen.name), notes, Grid(heads, rows, caption)


ERROR_RATES = ("false_negative_rate", "false_positive_rate")


def errors_charts(ev: Evaluation) -> list[Chart]:
    """Return the error rates of the best model in each subgroup, now and as recommended.

    A tick is the rate of all rows; what differs from the rest is flagged.
    """
    best = ranking(ev)[1][0]
    model = ev.model(best)
    of_best = subgroups_of_models(ev)[ev.names.index(best) :][:1]
    if not ev.binary or not of_best or judged_by(of_best[0]) != RATES:
        return []
    (s,) = of_best
    cuts = [model, *(model.at(threshold=t) for t in s._thresholds)]
    each = [s, *map(s._at, s._thresholds)]
    tests = s._judged(RATES).distinct if len(s) > 1 else []
    differ = {(t.metric, t.threshold, t.gap.key) for t in tests}
    keys = each[0]._order("specificity")[:MOST_LISTED]
    other = next(c for c in ev.classes if c != ev.positive)
    kinds = (rows_of(ev, ev.positive, "positive"), rows_of(ev, other, "negative"))
    named = rows_of(ev, ev.positive, "positive").removesuffix(f" {ev._noun.many}")
    charts = []
    wrong = ("missed", f"called {named}")
    for rate, metric, kind, does in zip(RATES, ERROR_RATES, kinds, wrong, strict=True):
        flagged = [
            {k for k in keys if (rate, cut.models[0].threshold, k) in differ} for cut in cuts
        ]
        rates = [cut.values([metric]) for cut in each]
        every = [cut.values()[best][metric].value for cut in cuts]
        charts.append(
            Chart(
                f"{capitalised(kind)} {does}",
                _errors(each[0], metric, keys, rates, every, kind, flagged),
                _numbers(each[0], keys, [{k: v[k][metric] for k in keys} for v in rates], cuts),
                description=f"Share of {kind} {does} in each subgroup.",
                marks=[
                    Mark(form, None, f"{said}{_at(cut)}")
                    for form, said, cut in zip(FORMS, ("now", "recommended"), cuts, strict=False)
                ]
                + [Mark("tick", None, f"all {ev._noun.many}")],
                key=metric,
            )
        )
    return charts


FORMS: tuple[Literal["first", "open"], ...] = ("first", "open")
"""The marks of the decisions as they are, and at another threshold."""


def errors_sentence(ev: Evaluation) -> str:
    """Return what the charts of errors show, and how they order subgroups."""
    rows, (_, negatives) = ev._noun.many, kinds_of(ev)
    return (
        f"Errors of {words.text(ranking(ev)[1][0])} in each subgroup, with the number of {rows} "
        "that could be wrong. Both charts have the highest rate of false alarms first, and "
        f"subgroups of fewer than {FEW} {negatives} last. Amber: differs from the rest."
    )


def _at(cut: Evaluation) -> str:
    model = cut.models[0]
    if model.threshold is None:
        return ""
    at = shown(Cut.of(model.threshold, model.scores[0])) if model.scores else model.threshold
    return f": threshold {at}"


def _errors(
    s: Subgroups,
    metric: str,
    keys: Sequence[Any],
    rates: Sequence[Any],
    every: Sequence[float],
    kind: str,
    flagged: Sequence[Collection[Any]],
) -> Forest:
    """Return one row per subgroup and threshold, named with the number of rows of the class."""
    support, spans = s._support(metric), []
    for key in keys:
        name = f"{name_of(s, key)} ({support[key]:,.0f})"
        for form, of_cut, rate, differ in zip(FORMS, rates, every, flagged, strict=False):
            v = of_cut[key][metric]
            spans.append(
                Span(
                    name, v.value, v.low, v.high, form, None,
                    missing=v.reason or "", guess=rate, flagged=key in differ,
                )
            )  # fmt: skip
    return Forest(Axis(f"share of {kind}"), spans, kind="subgroup", together=len(rates))


def _numbers(
    s: Subgroups,
    keys: Sequence[Any],
    columns: Sequence[Mapping[Any, Value]],
    cuts: Sequence[Evaluation],
) -> Grid:
    """Return the rates of each subgroup, now and at another threshold, as a table."""
    heads = [f"rate{_at(cut)}" for cut in cuts]
    rows: list[Row] = [
        (
            name_of(s, key),
            words.count(s.rows[key]),
            *(
                Cell(words.value(c[key]), words.interval(c[key]) or c[key].reason or "")
                for c in columns
            ),
        )
        for key in keys
    ]
    return Grid((words.text(", ".join(s.columns)), "Rows", *heads), rows)


STUDIES = (
    "A rate of each study with its interval, and their mean; the table below holds the numbers."
)


def studies_chart(s: Subgroups, h: Heterogeneity, key: str) -> Chart:
    """Return the forest plot of a rate: each study, the mean and the prediction for a new one."""
    m, values = get(h.metric), s.values([h.metric])
    names = [", ".join(map(words.subgroup, key)) for key in s._subgroup_counts.keys]
    every = [(n, values[k][h.metric], s.rows[k]) for n, k in zip(names, s.keys, strict=True)]
    listed = every[:MOST_SUBGROUPS]
    spans = [
        Span(name, v.value, v.low, v.high, "first", missing=v.reason or "") for name, v, _ in listed
    ]
    spans.append(Span("Mean", h.mean.value, h.mean.low, h.mean.high, "second", 1))
    if not math.isnan(h.predicted[0]):
        spans.append(Span("A new study", h.mean.value, *h.predicted, "open"))
    title = f"{m.title} of the studies"
    heads = ("Study", m.title, words.interval_head(h.level), "rows")
    rows = [(name, words.value(v), words.interval(v), words.count(n)) for name, v, n in listed]
    meaning = {"first": "a study", "second": "mean over studies", "open": "expected of a new study"}
    marks = {r.mark: r.style for r in spans}
    return Chart(
        title,
        Forest(Axis(m.title, 0.0, 1.0), spans, h.mean.value, "study"),
        Grid(heads, rows, left=(0,)),
        heterogeneity_sentence(h),
        STUDIES,
        marks=[Mark(mark, style, meaning[mark]) for mark, style in marks.items()],
        key=key,
    )


MOST_OF_CARD = 20
"""Subgroups on a card; a call shows the rest."""


def subgroups_card(s: Subgroups) -> Iterator[Block]:
    """Yield the worst subgroups first, and the verdict on them."""
    name, notes, grid = worst_table(s, MOST_OF_CARD)
    yield from (Paragraph(name, "title"), Bullets(notes), grid)


def studies_section(s: Subgroups) -> dict[str, Any]:
    """Return the parts of the section on studies: forest plots, model results, notes."""
    results = studies_of(s)
    return {
        "charts": [studies_chart(s, h, f"study{i}") for i, h in enumerate(results)],
        "table": heterogeneity_table(results),
        "notes": of_studies(results),
    }
