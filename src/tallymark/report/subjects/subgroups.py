"""Subgroups and studies: one row each, differences from the rest, and the mean over studies."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tallymark.findings.advice import capitalised
from tallymark.findings.finding import Cut, shown
from tallymark.infer.by_subgroup import Subgroups
from tallymark.infer.cautions import FEW
from tallymark.infer.heterogeneity import Heterogeneity
from tallymark.infer.verdict import is_significant
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.quantities import many, number, p_is, percent
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
from tallymark.report.subjects.summary import ranking, rows_of
from tallymark.report.subjects.values import (
    difference,
    difference_cells,
    ends_of,
    more,
    one_row,
    warning_of,
)
from tallymark.report.words import interval, sentence

if TYPE_CHECKING:
    from tallymark.infer.by_subgroup import SubgroupDifference, Worst


# -- in words ----------------------------------------------------------------------------------


def heterogeneity_sentence(h: Heterogeneity) -> str:
    """Return the mean of a metric over studies, and whether they differ significantly."""
    ci = f"{percent(h.level, 0)} CI {interval(h.mean)}"
    new = ""
    if not math.isnan(h.predicted[0]):
        new = f" A new study is expected between {' and '.join(map(number, h.predicted))}."
    significant = h.p_value < 1 - h.level
    differ = "Studies differ by more than chance"
    differ = differ if significant else "Differences between studies may be chance"
    mean = f"{get(h.metric).title}: mean over {h.studies:,} studies {number(h.mean.value)} ({ci})."
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
    line = f"{w.key}: {w.value.value:.4f} ({w.low:.4f} to {w.high:.4f}) as one of {w.of:,}"
    yield from one_row(
        line,
        {
            "subgroup": str(w.key),
            "value": words.number(w.value.value),
            words.interval_head(w.level): words.between(w.low, w.high),
            "could be the worst": f"{len(w.candidates):,} of {w.of:,}",
        },
        f"{w.metric} {line}",
    )


def subgroups(s: Subgroups, metrics: Sequence[str] | None = None) -> Iterator[Block]:
    """Yield one row per subgroup, and which of them differ from the others.

    ``metrics`` are shown, by default the headline metrics; the first of them decides.
    """
    by = ", ".join(s.columns)
    yield Headline(
        f"{len(s):,} subgroups of {s._chosen.name} by {by}, {sum(s.rows.values()):,} rows"
    )
    names = list(metrics or s.metrics()[:4])
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
    if metrics is None:
        yield from rates_verdict(s)
    yield from subgroup_verdict(s, names[0])
    if len(names) > 1 and len(s) > 1 and tests_any(s, names):
        yield Paragraph(false_flags(s.level, len(names), "metric"))


def name_of(s: Subgroups, key: Any) -> str:
    """Return a subgroup's name in a sentence."""
    return ", ".join(words.subgroup(p) for p in ((key,) if len(s.columns) == 1 else key))


def _subgroup_cell(v: Value, small: bool) -> Cell:
    if v.reason:
        return Cell("undefined")
    bounds = "" if math.isnan(v.low) else f" ({words.between(v.low, v.high)})"
    return Cell(words.number(v.value) + bounds, mark="*" if small else "")


def false_flags(level: float, shown: int, kind: str) -> str:
    """Return over what p-values are not corrected, and the chance of any false flag.

    >>> false_flags(0.95, 3, "model")
    'P-values are corrected for the number of subgroups, not of models: over the 3 models shown, the
    chance of any false flag is up to 15 %.'
    """
    chance = words.percent(min(shown * (1 - level), 1.0), 0)
    return (
        f"P-values are corrected for the number of subgroups, not of {kind}s: over the "
        f"{many(shown, kind)} shown, the chance of any false flag is up to {chance}."
    )


def subgroup_verdict(s: Subgroups, metric: str) -> Iterator[Paragraph]:
    """Yield which subgroups differ from the others in a metric, and the worst one."""
    if len(s) < 2:
        yield Paragraph("There is only one subgroup, so there is nothing to compare it with.")
        return
    gaps = s.differences(metric)
    tested = [d for d in gaps if not math.isnan(d.corrected)]
    flagged, small = s.flags(metric), s._small(metric)
    few = f"fewer than {FEW} {s._rests_on(metric, small)}"
    title = get(metric).in_a_sentence
    correction = f"Holm's correction for {many(len(tested), 'subgroup')}"
    if len(s) == 2 or len(tested) == 1:
        correction = "one comparison"
    how = f"in {title} (level {s.level:g}, {correction})."
    if flagged:
        differ = f"{len(flagged):,} of {len(tested):,} subgroups tested differ"
        yield Paragraph(f"{differ} from the rest {how}")
    elif tested:
        yield Paragraph(f"No subgroup is shown to differ from the rest {how}")
        yield Paragraph(_largest_gap(s, tested), indent=2)
    untested = len(s) - len(tested)
    all_small = untested == len(small) or (len(s) == 2 and len(small) > 0)
    why = few if all_small else f"{few}, or no interval"
    if not tested:
        one_of_two = len(s) == 2 and len(small) == 1
        who = name_of(s, small[0]) if one_of_two else "each"
        yield Paragraph(f"No subgroup was tested: {who} has {why}.")
    for d in flagged[:MOST_LISTED]:
        yield Paragraph(f"{name_of(s, d.key)}: {_gap(d)}", indent=2)
    if get(metric).better != "neither":
        yield Paragraph(worst_of(s, metric))
    if tested and untested:
        yield Paragraph(f"{untested:,} not tested: {why}.")


RATES = ("sensitivity", "specificity")


def rates_verdict(s: Subgroups) -> Iterator[Paragraph]:
    """Yield which subgroups differ from the rest in the two rates of decisions on two classes.

    An accuracy can be alike where they differ in opposite directions, or where one class is rare.
    """
    if len(s) < 2 or not set(RATES) <= set(s.metrics()):
        return
    n, tested = s._together(RATES)
    flagged = [d for d in tested if is_significant(d.corrected, s.level)]
    how = f"(level {s.level:g}, Holm's correction for {many(n, 'test')} of both rates)."
    if not tested:
        return
    if not flagged:
        yield Paragraph(
            f"No subgroup is shown to differ from the rest in sensitivity or specificity {how}"
        )
    for metric in RATES:
        of_metric = [d for d in flagged if d.difference.metric == metric]
        if not of_metric:
            continue
        names = [name_of(s, d.key) for d in of_metric]
        verb = "differs" if len(names) == 1 else "differ"
        who = words.enumerated(words.few(names))
        yield Paragraph(f"{who} {verb} from the rest in {metric} {how}")
        for d in of_metric[:MOST_LISTED]:
            yield Paragraph(f"{name_of(s, d.key)}: {_gap(d)}", indent=2)


def tests_any(s: Subgroups, metrics: Sequence[str]) -> bool:
    """Return whether any subgroup has enough rows to be tested by any of the metrics."""
    small = [len(s._small(m)) for m in metrics]
    return any(not n if len(s) == 2 else n < len(s) for n in small)


def _gap(d: SubgroupDifference) -> str:
    """Return the difference of a subgroup with its interval and corrected p-value."""
    return f"{d.difference}, {words.p_is(d.corrected, d.difference.p_at_most and d.corrected < 1)}"


def _largest_gap(s: Subgroups, tested: Sequence[SubgroupDifference]) -> str:
    """Return the largest difference; of two subgroups, that of the higher minus the lower one."""
    if len(s) == 2:
        lower, higher = sorted(tested, key=lambda d: d.difference.value)
        return f"{name_of(s, higher.key)} − {name_of(s, lower.key)}: {_gap(higher)}"
    d = max(tested, key=lambda d: abs(d.difference.value))
    return f"largest gap, {name_of(s, d.key)}: {_gap(d)}"


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

    bounds = words.between
    return Grid(
        ("", *(get(h.metric).title for h in results)),
        [
            row(
                "Mean over studies",
                ((words.number(h.mean.value), words.interval(h.mean)) for h in results),
            ),
            row("A new study", ((bounds(*h.predicted), "") for h in results)),
            row(
                "All rows together",
                ((words.number(h.pooled.value), words.interval(h.pooled)) for h in results),
            ),
            row(
                "I²",
                ((words.percent(h.i2, 0), words.between_percents(*h.i2_bounds)) for h in results),
            ),
            row(
                "τ², logit scale", ((words.number(h.tau2), bounds(*h.tau2_bounds)) for h in results)
            ),
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
        f"{name_of(s, w.key)} is {better} of {w.of:,} ({words.number(w.value.value)}; "
        f"{words.percent(w.level, 0)} CI {words.between(w.low, w.high)}, corrected for selection)"
    )
    n = len(w.candidates)
    if n > 1:
        which = "any of them" if n == w.of else f"any of {n:,}"
        which = "either" if w.of == 2 else which
        true = " and ".join(map(words.number, (w.least, w.most)))
        truly = f"the {get(metric).in_a_sentence} of the truly worst one lies between {true}"
        text += f", but {which} could be the worst; {truly}"
    return text + "."


# -- on a page ---------------------------------------------------------------------------------


def worst_table(
    s: Subgroups, most: int = MOST_SUBGROUPS, place: str = ""
) -> tuple[str, list[str], Grid]:
    """Return the model, sentences on its subgroups and the table of the worst of them.

    ``place`` is the path of the subgroups in an evaluation, which lists the worst of them.
    """
    metric = s._decisive()
    values, small = s.values(metric), set(s._small(metric))
    keys = s._order(metric)[:most]
    gaps = {d.key: d for d in s.differences(metric)} if len(s) > 1 else {}
    flagged = {k for k, d in gaps.items() if d.corrected < 1 - s.level}
    scale = ends_of([values[k][metric] for k in keys])
    rows: list[Row] = []
    listed = s._listed(s._headline(), MOST_SUBGROUPS) if place else s._listed()
    places = {key: f"{place}subgroups.{i}" for i, key in enumerate(listed)}
    for key in keys:
        here = places.get(key, "")  # the worst subgroups by another metric may not be listed
        v, gap = values[key][metric], gaps.get(key)
        change, p = "", "not tested"
        if gap is not None and not gap.difference.reason:
            *_, change, bounds, _ = difference_cells(gap.difference)
            change += f" ({bounds})" if bounds else ""
        if gap is not None and not gap.small:
            at_most = gap.difference.p_at_most and gap.corrected < 1
            p = "" if math.isnan(gap.corrected) else words.p_value(gap.corrected, at_most)
        rows.append(
            (
                Cell(name_of(s, key), "differs from the rest" if key in flagged else ""),
                Cell(
                    words.number(v.value),
                    words.interval(v) or v.reason or "no interval",
                    "*" if key in small and not v.reason else "",
                    interval=Interval(v.value, v.low, v.high, *scale) if scale else None,
                    key=here and f"{here}.values.{metric}",
                ),
                Cell(words.count(s.rows[key]), key=here and f"{here}.rows"),
                change.replace("-", "−"),
                p,
            )
        )
    notes = [p.text for p in subgroup_verdict(s, metric) if not p.indent]  # others are in the table
    others = set(s.keys) - set(keys)
    if others:
        notes.append(
            f"The {len(keys)} worst are shown; {len(flagged & others):,} of the {len(others):,} "
            "others differ from the rest."
        )
    if note := small_note(s, {metric: [k for k in keys if k in small]}):
        notes.append(f"{note}.")
    by, title = words.text(", ".join(s.columns)), get(metric).title
    bars = "; bars from {} to {}".format(*map(words.number, scale)) if scale else ""
    heads = (by, title, "Rows", "Difference from the rest", "p")
    caption = f"{title} by {by}, the worst first{bars}."
    return words.text(s._chosen.name), notes, Grid(heads, rows, caption)


ERROR_RATES = ("false_negative_rate", "false_positive_rate")


def errors_charts(ev: Evaluation, threshold: float | None) -> list[Chart]:
    """Return the error rates of the best model in each subgroup, now and at another threshold.

    A tick is the rate of all rows; an interval that does not contain it is flagged.
    """
    best = ranking(ev)[1][0]
    model = ev.model(best)
    if not ev.binary or not subgroups_of_models(model):
        return []
    cuts = [model] if threshold is None else [model, model.at(threshold=threshold)]
    each = [subgroups_of_models(cut)[0] for cut in cuts]
    keys = each[0]._order("specificity")[:MOST_LISTED]
    other = next(c for c in ev.classes if c != ev.positive)
    kinds = (rows_of(ev, ev.positive, "positive"), rows_of(ev, other, "negative"))
    named = rows_of(ev, ev.positive, "positive").removesuffix(f" {ev._noun.many}")
    charts = []
    for metric, kind, does in zip(ERROR_RATES, kinds, ("missed", f"called {named}"), strict=True):
        rates = [s.values([metric]) for s in each]
        every = [cut.values()[best][metric].value for cut in cuts]
        charts.append(
            Chart(
                f"{capitalised(kind)} {does}",
                _errors(each[0], metric, keys, rates, every, kind),
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

FLAGGED = (
    "Errors of {model} in each subgroup, the most false alarms first, with the number of {rows} "
    "that could be wrong. Amber: the interval does not contain the rate of all {rows}. Intervals "
    "are not corrected for the number of subgroups."
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
) -> Forest:
    """Return one row per subgroup and threshold, named with the number of rows of the class."""
    support, spans = s._support(metric), []
    for key in keys:
        name = f"{words.cut_off(name_of(s, key), 14)} ({support[key]:,.0f})"
        for form, of_cut, rate in zip(FORMS, rates, every, strict=False):
            v = of_cut[key][metric]
            out = v.low > rate or v.high < rate
            spans.append(
                Span(
                    name, v.value, v.low, v.high, form, None,
                    missing=v.reason or "", guess=rate, flagged=out,
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
                Cell(words.number(c[key].value), words.interval(c[key]) or c[key].reason or "")
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
    rows = [
        (name, words.number(v.value), words.interval(v), words.count(n)) for name, v, n in listed
    ]
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
