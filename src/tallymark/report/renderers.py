"""Results as blocks: a terminal, a notebook and a paper show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curve import CURVES
from tallymark.display import Display
from tallymark.infer.cautions import FEW, PER_CLASS
from tallymark.metric import get
from tallymark.metric.measure import Statistic, Value
from tallymark.metric.sources import authors
from tallymark.quantities import with_bounds
from tallymark.reading.models import Model
from tallymark.report import svg, words
from tallymark.report.blocks import (
    GAP,
    Block,
    Cell,
    Grid,
    Headline,
    Paragraph,
    Row,
    paragraphs,
)
from tallymark.report.uses import account_of
from tallymark.studies.advice import MOST_FINDINGS, SECTIONS

if TYPE_CHECKING:
    from tallymark.curve import Curve
    from tallymark.infer.by_subgroup import SubgroupDifference, Subgroups, Worst
    from tallymark.infer.cautions import NoInformation
    from tallymark.infer.compare import Comparison, Pair, TableError
    from tallymark.infer.crossing import Crossing
    from tallymark.infer.difference import Difference
    from tallymark.infer.folds import Folds
    from tallymark.infer.heterogeneity import Heterogeneity
    from tallymark.infer.operating_points import Corrected, OptimalThreshold
    from tallymark.infer.plan import Plan
    from tallymark.infer.significance import Evidence
    from tallymark.infer.verdict import Answer, Verdict
    from tallymark.listing import Listing
    from tallymark.reading.believed import Reading
    from tallymark.reading.inspection import Inspection
    from tallymark.report.evaluation import Evaluation
    from tallymark.report.guide import Guide
    from tallymark.report.multi_label import MultiLabelEvaluation
    from tallymark.studies.advice import Advice
    from tallymark.tables import ConfusionMatrix, PaperTable, SubgroupTable, Table
    from tallymark.tally.arrays import Label
    from tallymark.tally.labels import LabelTally

MOST_ROWS = 400
"""Rows of a listing that are printed."""

COUNTED = frozenset(("dropped_pos", "dropped_neg", "TP", "FP", "FN", "TN", "counts"))
"""Columns of listings that hold counts, or sums of weights."""

MOST_POINTS = 12
"""Points of a curve that are printed."""

MOST_CLASSES = 12
"""Larger matrices are not printed: their most frequent confusions are."""

MOST_LINES, MOST_SUBGROUPS = 30, 40
"""So many classes, and subgroups, are listed one by one."""

MOST_FOLD_METRICS = 5
"""So many metrics are listed fold by fold."""

MOST_CONFUSIONS = 8
MOST_VERDICTS = 6
MANY_PAIRS = 3
"""Of more pairs only those of the best model have their verdicts in a summary."""

NO_ADVICE = "nothing to advise on these rows"
SMALL = f"* rests on fewer than {FEW} rows: not ranked, not tested"


def value_cell(
    v: Value | None,
    best: bool = False,
    scale: tuple[float, float] | None = None,
    brief: bool = False,
) -> Cell:
    """Return a number over its interval, with a star on the best of several.

    A page also says why something is missing, ``brief`` or in full, and draws the interval on a
    ``scale``.
    """
    if v is None:
        return Cell("–", note="not computed for this model")
    method = v.method or ""
    missing = "" if not method.startswith("no interval") else "no interval" if brief else method
    return Cell(
        *with_bounds(v.value, v.low, v.high),
        "*" if best else "",
        "best" if best else "",
        v.reason or missing,
        "" if scale is None else svg.bar(v.value, v.low, v.high, *scale),
    )


def best_of_row(ev: Evaluation, name: str) -> tuple[list[Value | None], list[Value], set[int]]:
    """Return a metric of every model, the values that are known, and which model is best.

    The best one is significantly better than each other one; there is none without that evidence.
    """
    values = [of_model.get(name) for of_model in ev.values().values()]
    known = [v for v in values if v is not None]
    best = words.best_of(known, get(name).better) if len(known) == len(values) else set()
    return values, known, {i for i in best if _beats_all(ev, name, ev.names[i])}


def _beats_all(ev: Evaluation, name: str, model: str) -> bool:
    """Tell whether a model's lead over each other one is significant, each metric by itself."""
    c = ev.compared
    pairs = () if c is None else [p for p in c.pairs if model in (p.first, p.second)]
    of_pairs = [p.differences.get(name) for p in pairs]
    return bool(of_pairs) and all(
        d is not None and (d.low > 0 or d.high < 0) and d.p_value < 1 - ev.level for d in of_pairs
    )


# -- numbers -----------------------------------------------------------------------------------


def _one_row(
    line: str, columns: Mapping[str, str], headline: str = "", wrap: bool = False
) -> Iterator[Block]:
    """Yield a result in one line, and its numbers as a table of one row."""
    yield Headline(headline or line, line)
    yield Grid(tuple(columns), [tuple(columns.values())], wrap=wrap)


def _bounded(v: Value | Difference, columns: Mapping[str, str], sign: str = "") -> Iterator[Block]:
    """Yield a number with its interval, in a line and as a table, and its warning."""
    line = words.with_interval(v, sign)
    if isinstance(v, Value) and words.published_error(v):
        line += f", SE {v.se:.2g}"
    head = words.interval_head(v.level) if v.level else "interval"
    named = {head if k == "interval" else k: text for k, text in columns.items()}
    yield from _one_row(line, named, f"{v.metric} {line}", wrap=True)
    yield from _warning(v.warning)


def value(v: Value) -> Iterator[Block]:
    """Yield a value with its interval, its method and its warning."""
    bounds = words.interval(v, 4)
    columns = {"metric": v.metric, "value": words.number(v.value, 4), "interval": bounds}
    if v.se is not None:
        columns["standard error"] = words.number(v.se, 4)
    return _bounded(v, {**columns, "method": words.how(v)})


def difference(d: Difference) -> Iterator[Block]:
    """Yield a difference with both numbers, its interval and its p-value."""
    heads = ("metric", "first", "second", "difference", "interval", "p", "method")
    cells = (d.metric, *words.difference(d), d.reason or d.method or "")
    return _bounded(d, dict(zip(heads, cells, strict=True)), "+")


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
    line = f"{w.key}: {w.value.value:.4f} [{w.low:.4f}, {w.high:.4f}] as one of {w.of:,}"
    yield from _one_row(
        line,
        {
            "subgroup": str(w.key),
            "value": words.number(w.value.value),
            words.interval_head(w.level): words.between(w.low, w.high),
            "could be the worst": f"{len(w.candidates):,} of {w.of:,}",
        },
        f"{w.metric} {line}",
    )


def corrected(c: Corrected) -> Iterator[Block]:
    """Yield a number on the rows that chose a threshold, and what to expect on new ones."""
    yield from _one_row(
        f"{c.metric} {_expected(c)}",
        {
            "metric": c.metric,
            "these rows": words.number(c.value, 4),
            "new rows": words.number(c.corrected.value, 4),
            words.interval_head(c.corrected.level or 0.95): words.interval(c.corrected, 4),
        },
    )


def _expected(c: Corrected) -> str:
    here, new = words.number(c.value, 4), c.corrected
    text = f"{here} on these rows, {words.number(new.value, 4)} expected on new rows"
    bounds = words.interval(new, 4)
    return f"{text} ({100 * (new.level or 0):g} % CI {bounds})" if bounds else text


def evidence(e: Evidence) -> Iterator[Block]:
    """Yield a test with its statistic and its p-value."""
    yield from _one_row(
        words.evidence(e),
        {
            "test": e.name,
            "statistic": _plain(e.statistic),
            "degrees of freedom": _plain(e.degrees),
            "of the denominator": _plain(e.denominator_degrees),
            "p": words.p_value(e.p_value, e.p_at_most),
        },
    )
    yield from _warning(e.reason)


def verdict(v: Verdict) -> Iterator[Block]:
    """Yield what may be said of two models, and the difference that it rests on."""
    line = words.pair_verdict(v)
    yield Headline(line, line)
    yield Paragraph(words.verdict_line(v))
    yield from list(difference(v.difference))[1:]


def answer(a: Answer) -> Iterator[Block]:
    """Yield what the data answer to one question about two models."""
    p = words.p_value(a.p_value, a.p_at_most)
    shown = f"{a.question} {'' if a.shown else 'not '}shown"
    line = f"{shown}, {words.p_is(a.p_value, a.p_at_most)} at {a.alpha:.3g}"
    yield from _one_row(line, {"question": a.question, "p": p, "below": f"{a.alpha:.3g}"})


def table_error(t: TableError) -> Iterator[Block]:
    """Yield how often a table marks any difference by chance."""
    line = words.table_error(t)
    yield Headline(line, line)
    yield Paragraph(line)


def crossing(c: Crossing) -> Iterator[Block]:
    """Yield where two ROC curves cross."""
    line = words.crossing(c)
    yield Headline(line, line)
    yield Paragraph(words.sentence(line))
    heads = ("model", "greatest lead in sensitivity", "at a false positive rate of")
    names, leads = (c.first, c.second), zip(c.leads, c.at, strict=True)
    rows = zip(names, leads, strict=True)
    yield Grid(heads, [(n, words.number(lead), words.number(at)) for n, (lead, at) in rows])
    if c.regions:
        of_regions = ("leads beyond chance", "from FPR", "to", "greatest lead", "band")
        shown = [
            (
                r.leader,
                *map(words.number, (r.low, r.high, r.lead)),
                " to ".join(map(words.number, r.bounds)),
            )
            for r in c.regions
        ]
        yield Grid(of_regions, shown)


def no_information(n: NoInformation) -> Iterator[Block]:
    """Yield what always naming the most frequent class achieves."""
    line = f"accuracy {words.number(n.rate)} by {words.always(str(n.label))}"
    yield Headline(line)
    yield Paragraph(f"{words.NO_INFORMATION} {words.number(n.rate)} ({words.always(str(n.label))})")
    tests = [(model, words.p_value(p)) for model, p in n.p_values.items() if p is not None]
    if tests:
        yield Grid(("model", f"p, {words.ABOVE_NO_INFORMATION}"), tests)


def plan(p: Plan) -> Iterator[Block]:
    """Yield how many rows to judge, and what was taken for granted."""
    line = words.plan(p)
    yield Headline(line, line)
    yield Paragraph(line)
    facts = [(k.replace("_", " "), _plain(v)) for k, v in p.assumed.items()]
    yield Grid(("assumed", ""), [*facts, ("method", p.method)], left=(0, 1))


# -- tables, curves and tallies ----------------------------------------------------------------


def table(t: Table | SubgroupTable) -> Iterator[Block]:
    """Yield a row a model and metric, or a subgroup and metric."""
    columns = getattr(t, "columns", ())
    of_models = ("model", "class") if t.rows and "class" in t.rows[0] else ("model",)
    names = (*columns, "rows") if columns else of_models
    first = f": {t.rows[0]['metric']} {words.number(t.rows[0]['value'])}" if t.rows else ""
    whose = ", ".join(columns or dict.fromkeys(r["model"] for r in t))
    yield Headline(f"{len(t):,} rows {'by' if columns else 'of'} {whose}{first}")
    body = []
    for r in t.rows:
        few = " (few rows)" if r.get("small") else ""
        bounds = ["" if math.isnan(r[k]) else words.number(r[k]) for k in ("low", "high")]
        lead = [words.count(r[n]) if n == "rows" else words.subgroup(r[n]) for n in names]
        method = (r["reason"] or r["method"] or "") + few
        body.append((*lead, r["metric"], words.number(r["value"]), *bounds, method))
    heads = (*names, "metric", "value", "low", "high", "method")
    left = [i for i, n in enumerate(heads) if i <= len(names) and n != "rows"]
    yield Grid(heads, body, left=left, wrap=True)


subgroup_table = table


def leaders_table(ev: Evaluation) -> tuple[str, Grid]:
    """Return which model leads where: a sentence, and a table with the leads and the evidence."""
    found = ev.leaders()
    by = ", ".join(found[0].columns)
    rows: list[Row] = []
    for i, f in enumerate(found):
        *_, gap, bounds, _ = words.difference(f.difference)
        lead = words.text(f.model)
        rows.append(
            (
                words.subgroup_name(f.subgroup),
                Cell(words.count(f.rows), key=f"leaders.{i}.rows"),
                Cell(lead, style="best" if f.shown else "", mark="*" if f.shown else ""),
                words.text(f.second),
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
    title = get(found[0].difference.metric).in_a_sentence
    caption = f"Lead in {title}; ★ leads every other model beyond chance."
    return words.leaders_line(found, by), Grid(heads, rows, caption, left=(0, 2, 3))


def listing(rows: Listing) -> Iterator[Block]:
    """Yield rows of numbers."""
    heads = list(dict.fromkeys(h for row in rows for h, v in row.items() if v is not None))
    yield Headline(f"{len(rows):,} rows of {', '.join(heads)}")
    left = [i for i, h in enumerate(heads) if any(isinstance(row.get(h), str) for row in rows)]
    body = [[_listed(h, row.get(h)) for h in heads] for row in rows.rows[:MOST_ROWS]]
    yield Grid(heads, body, left=left or (0,), wrap=len(heads) - 1 in left)
    yield from _more(len(rows) - MOST_ROWS, "rows: .to_csv() has all of them")


def errata(rows: Listing) -> Iterator[Block]:
    """Yield formulas that a source prints wrongly, with what is right."""
    yield Paragraph("Formulas that a source prints wrongly", "title")
    for r in rows:
        gives, right = words.number(r["as_printed"]), words.number(r["right"])
        yield Paragraph(f"{r['metric']} is {right}; as printed {gives}")
        yield Paragraph(f"{r['source']}: {r['printed']}", indent=2)
        yield Paragraph(r["wrong"], "dim", indent=2)


def paper_table(t: PaperTable) -> Iterator[Block]:
    """Yield a table as a paper prints it."""
    yield Headline(f"{len(t):,} models: {', '.join(r['Model'] for r in t)}")
    heads = tuple(t.rows[0])
    yield Grid(heads, [tuple(r.values()) for r in t])
    yield Paragraph(t.caption)


def _listed(head: str, value: Any) -> str:
    """Return a cell of a listing: counts whole, thresholds in four digits, numbers in three."""
    if isinstance(value, bool) or not isinstance(value, float | int):
        return "" if value is None else str(value)
    if math.isnan(value):
        return "" if head in ("low", "high") else "undefined"
    if head in ("threshold", "level"):
        return f"{value:.4g}"
    if head.startswith("p_"):
        return words.p_value(value)
    return (
        words.number(value)
        if isinstance(value, float) and head not in COUNTED
        else (words.count(value))
    )


def curve(c: Curve) -> Iterator[Block]:
    """Yield a curve: its points, some of them where there are many."""
    titles = {a.name: a.title for d in CURVES.values() for a in (d.x, d.y)}
    x, y = (titles.get(m, m.replace("_", " ")) for m in (c.x_metric, c.y_metric))
    axes = f"{y} against {x}"
    end = f", last point ({c.x[-1]:.4g}, {c.y[-1]:.4g})" if len(c) else ""
    yield Headline(f"{c.name}, {len(c):,} points, {axes}{end}")
    yield Paragraph(f"{c.name}: {axes}", "title")
    points = points_of(c)
    yield points
    yield from _more(len(c) - len(points.rows), "points")
    if c.method:
        yield Paragraph(f"bounds: {c.method}", "dim")


def points_of(c: Curve) -> Grid:
    """Return some of the points of a curve."""
    columns = {"threshold": c.threshold, c.x_metric: c.x, c.y_metric: c.y}
    columns |= {"low": c.low, "high": c.high}
    present = {k: v for k, v in columns.items() if v is not None and not np.isnan(v).all()}
    places = np.unique(np.linspace(0, len(c) - 1, min(len(c), MOST_POINTS)).round().astype(int))
    rows = [[f"{v[i]:.4g}" for v in present.values()] for i in places]
    return Grid(tuple(present), rows, left=())


def label_tally(t: LabelTally) -> Iterator[Block]:
    """Yield the confusion matrix."""
    labels = [str(label) for label in t.labels]
    yield Headline(f"{t.rows:,} rows, {len(labels)} classes, {_right(t)}")
    yield Paragraph(f"{t.rows:,} rows; rows of the matrix are the true classes", "title")
    yield matrix(labels, t.counts)


def confusion_matrix(m: ConfusionMatrix) -> Iterator[Block]:
    """Yield the counts with the true classes as rows."""
    counts, labels = np.asarray(m), [str(label) for label in m.labels]
    right, total = words.count(counts.trace()), words.count(counts.sum())
    yield Headline(f"{len(labels)} classes, {right} of {total} right")
    yield matrix(labels, counts)


def _right(t: LabelTally) -> str:
    right, total = float(t.counts.trace()), float(t.counts.sum())
    return f"{words.count(right)} of {words.count(total)} right"


def matrix(labels: Sequence[str], counts: Any, indent: int = 0) -> Grid:
    """Return a confusion matrix with the true classes as rows."""
    return Grid(
        ("true", *labels),
        [
            (
                label,
                *(
                    Cell(words.count(float(n)), style="bold" if i == j else "")
                    for j, n in enumerate(row)
                ),
            )
            for i, (label, row) in enumerate(zip(labels, counts, strict=True))
        ],
        indent=indent,
    )


def reading(r: Reading) -> Iterator[Block]:
    """Yield what was believed of the input: columns, meanings and what speaks for them."""
    roles = {role: ", ".join([c] if isinstance(c, str) else c) for role, c in r.roles.items()}
    said = {**roles, **{word: str(value) for word, value in r.meanings.items()}}
    said |= {} if r.positive is None else {"positive": str(r.positive)}
    said["classes"] = ", ".join(map(str, r.classes))
    yield Headline(", ".join(f"{word} = {value}" for word, value in said.items()))
    yield Grid(("", "read as"), list(said.items()), left=(0, 1), wrap=True)
    if r.evidence:
        yield Grid(("evidence",), [(text,) for text in r.evidence], left=(0,), wrap=True)


def fields_of(result: Display) -> Iterator[Block]:
    """Yield the fields of a result that has no words of its own."""
    names = [f.name for f in fields(result)] if is_dataclass(result) else list(vars(result))
    facts = {n: _plain(getattr(result, n)) for n in names if not n.startswith("_")}
    yield Headline(", ".join(f"{k} {v}" for k, v in facts.items()))
    yield Grid(("", type(result).__name__), list(facts.items()), left=(0, 1), wrap=True)


def _plain(value: Any) -> str:
    """Return a field in few words: numbers as they are, arrays and mappings by their size."""
    if isinstance(value, np.ndarray) and value.size > 1:
        return f"{'×'.join(map(str, value.shape))} numbers"
    if isinstance(value, float | np.ndarray):
        number = np.asarray(value, np.float64).item() if np.size(value) == 1 else math.nan
        return "-" if math.isnan(number) else f"{number:.6g}"
    if isinstance(value, Display):
        return type(value).__name__
    if isinstance(value, Mapping):
        return f"{len(value):,} entries"
    if isinstance(value, tuple | list):
        short = ", ".join(map(_plain, value[:6]))
        return short if len(value) <= 6 else f"{short} and {len(value) - 6:,} more"
    return f"{value:,}" if type(value) is int else str(value)


def _warning(text: str | None) -> Iterator[Block]:
    if text:
        yield Paragraph(f"warning: {text}", "warning")


def _more(n: int, what: str) -> Iterator[Block]:
    if n > 0:
        yield Paragraph(f"and {n:,} more {what}", "dim")


def inspection(i: Inspection) -> Iterator[Block]:
    """Yield how a table would be read: roles, first rows, what columns hold, what a run does."""
    yield Headline(i.run)
    yield Paragraph(i.name, "title")
    if i.source is not None:
        yield Paragraph(words.said(i.source.sentence))
    yield GAP
    yield Paragraph("First rows", "title")
    shown = i.names[:MOST_CLASSES]
    rows = [tuple("" if v is None else words.cut_off(v, 24) for v in row) for row in i.first_rows]
    yield Grid(shown, [row[: len(shown)] for row in rows], left=range(len(shown)))
    yield from _more(len(i.names) - len(shown), "columns")
    yield GAP
    heads = ("column", "type", "distinct", "missing", "taken for", "why")
    facts = []
    for name in i.names:
        held = i.columns.get(name)
        counts = (
            ("", "", "") if held is None else (held.type, f"{held.distinct:,}", f"{held.missing:,}")
        )
        facts.append((name, *counts, *i.taken[name]))
    yield Grid(heads, facts, left=(0, 1, 4, 5), wrap=True)
    yield GAP
    yield Paragraph(words.said(i.run), "" if i.source is not None else "warning")


# -- an evaluation -----------------------------------------------------------------------------


def evaluation(ev: Evaluation) -> Iterator[Block]:
    """Yield the verdict and the warnings, how rows were read, the matrix, then the numbers."""
    yield Headline(_headline(ev))
    yield Paragraph(ev.source.name, "title")
    summary, verdict = words.summary(ev), words.verdict(ev)
    yield Paragraph(summary, "bold")
    yield from [Paragraph(verdict)] if verdict != summary else []
    yield from warnings(ev)
    yield GAP
    yield from read_as(ev, words.about(ev))
    account, several = account_of(ev), len(ev.models) > 1
    for section in account.sections if account else ():
        yield GAP
        yield from [Paragraph(section.title, "title")] if several else []
        yield section.table
        yield from (Paragraph(said, item=True) for said in section.sentences)
    if several and ev.binary and not account:
        yield GAP
        yield _counts(ev)
    for model in () if account or (several and ev.binary) else ev.models:
        yield GAP
        yield from _matrix(model, ev.positive)
    if not account:
        yield GAP
        yield _models(ev) if several else _numbers(ev, ev.models[0])
        yield from _about_numbers(ev)
    for model in () if account or ev.binary else ev.models:
        yield GAP
        yield from [Paragraph(model.name, "title")] if several else []
        yield from _classes(ev, model)
    if several:
        yield from _verdicts(ev)


def in_three_lines(ev: Evaluation) -> str:
    """Return an evaluation as Python's prompt shows it, from numbers that take no resampling."""
    one = Statistic.of(get("roc_auc"), ev.classes, ev.positive) if ev.binary else None
    numbers = []
    for m in ev.models[:MOST_VERDICTS]:
        c = m.labels.counts
        line = f"{words.cut_off(m.name, 24)} {c.trace() / max(c.sum(), 1e-300):.3f}"
        if one is not None and m.scores:
            line += f" (ROC AUC {words.number(float(one.measure(m.scores)))})"
        numbers.append(line)
    left = len(ev.models) - len(numbers)
    more = f" and {words.many(left, 'more model')}" if left else ""
    return "\n".join(
        [
            f"<Evaluation: {words.cut_off(ev.source.name, 60)}, "
            f"{words.cut_off(words.about(ev), 120)}",
            f" accuracy of {', '.join(numbers)}{more}",
            " ev.help() lists what it can answer>",
        ]
    )


def guide(g: Guide) -> Iterator[Block]:
    """Yield what can be asked: names of metrics, curves and plots, and a line on each question."""
    title = f"{g.about}: what this evaluation can answer"
    yield Headline(title)
    yield Paragraph(title, "title")
    for b in g.branches:
        yield GAP
        yield Paragraph(str(b), "title")
        if not b.call:
            yield from (Paragraph(f"{k}: {v}", item=True) for k, v in b.leaves.items())
        else:
            yield Paragraph(", ".join(b.leaves), indent=2)


def read_as(ev: Evaluation | MultiLabelEvaluation, about: str) -> Iterator[Block]:
    """Yield what was judged, how it was read and what was assumed."""
    yield Paragraph(about)
    yield Paragraph(words.said(ev.source.sentence))
    yield from (Paragraph(f"assumed: {text}") for text in words.notes(ev.notes, "assumed"))


def warnings(ev: Evaluation | MultiLabelEvaluation) -> Iterator[Block]:
    """Yield the warnings of an evaluation."""
    for text in words.notes(ev.notes, "warning"):
        yield from _warning(text)


def _headline(ev: Evaluation) -> str:
    """Return the rows and the accuracy of each model, which takes no resampling."""
    if (account := account_of(ev)) is not None:
        return f"{account.about}; {account.headline}"
    of_models = ((m.name, m.labels.counts) for m in ev.models)
    accuracy = ", ".join(f"{n} {c.trace() / max(c.sum(), 1e-300):.3f}" for n, c in of_models)
    of = f"positive {ev.positive!r}" if ev.binary else f"{len(ev.classes):,} classes"
    return f"{ev.rows:,} rows, {of}, accuracy of {accuracy}"


def _matrix(model: Model, positive: Label | None) -> Iterator[Block]:
    yield Paragraph(f"{model.name}: {model.rule}", "title")
    order = words.shown_order(model.labels.labels, positive)
    labels = [str(model.labels.labels[i]) for i in order]
    counts = model.labels.counts[np.ix_(order, order)]
    if len(labels) <= MOST_CLASSES:
        yield Paragraph("  rows: true class, columns: predicted class", "dim")
        yield matrix(labels, counts, indent=2)
        return
    wrong = counts - np.diag(counts.diagonal())
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS].tolist()
    cells = [(i // len(labels), i % len(labels)) for i in worst if wrong.flat[i] > 0]
    text = f"{len(labels)} classes are too many to print here; {_right(model.labels)}"
    yield Paragraph(text + (", and most often confused are:" if cells else ""), indent=2)
    for true, predicted in cells:
        n = words.count(float(wrong[true, predicted]))
        yield Paragraph(f"'{labels[true]}' called '{labels[predicted]}': {n}", indent=4)


def _numbers(ev: Evaluation, model: Model) -> Grid:
    """Return the numbers of one model with their intervals, drawn where they lie from 0 to 1."""
    values = ev.values()[model.name]
    rows: list[tuple[Cell | str, ...]] = []
    family = ""
    for name in (n for n in words.headline(ev) if n in values):
        if get(name).family != family:
            family = get(name).family
            title = words.FAMILIES[family][0].split(":")[0]
            rows.append((Cell(title, style="title"), "", "", ""))
        v = values[name]
        title = words.metric_title(words.title_of(ev, name), v)
        rows.append((f"  {title}", words.number(v.value), words.interval(v), _bar(v)))
        if words.published_error(v):
            rows.append(("    its standard error", words.number(v.se), "", ""))
        if (opinion := get(name).words.opinion) and not v.reason:
            rows.append((f"    {opinion[0]} call it", opinion[1](v.value), "", ""))
    heads = ("metric", "value", words.interval_head(ev.level), "0" + "1".rjust(_BAR + 1))
    return Grid(heads, rows, left=(0, 2, 3), optional=(3,), drawn=True)


_BAR = 21
"""Columns of the axis from 0 to 1."""


def _bar(v: Value) -> str:
    """Return an interval drawn on the axis from 0 to 1, nothing where it leaves that."""
    ends = [v.low, v.value, v.high]
    if not all(0 <= x <= 1 for x in ends):
        return ""
    low, at, high = (round(x * (_BAR - 1)) for x in ends)
    line = (" " * low + "-" * (high - low + 1)).ljust(_BAR)
    return f"|{line[:at]}o{line[at + 1 :]}|"


def _models(ev: Evaluation) -> Grid:
    """Return the numbers of several models, the intervals below them."""
    rows: list[tuple[Cell | str, ...]] = []
    for name in words.headline(ev):
        of_models, known, best = best_of_row(ev, name)
        title = words.metric_title(words.title_of(ev, name), known[0])
        rows.append((title, *(value_cell(v, i in best) for i, v in enumerate(of_models))))
    return Grid(("metric", *ev.names), rows)


def _about_numbers(ev: Evaluation) -> Iterator[Block]:
    """Yield what stars mean, why a number is undefined, the methods, and the rate of guessing."""
    several, undefined = len(ev.names) > 1, []
    for name in words.headline(ev):
        for model, of_model in ev.values().items():
            v = of_model.get(name)
            if v is not None and (v.reason or math.isinf(v.value)):
                title = words.metric_title(words.title_of(ev, name), v)
                undefined.append((words.how(v), f"{title} of {model}" if several else title))
    if several:
        star = f"{words.STAR}; " if ev.compared is not None else ""
        yield Paragraph(f"{star}{words.interval_head(ev.level)} below each number", "dim")
    for reason, of in words.grouped(undefined).items():
        yield Paragraph(f"{', '.join(of)}: {reason}")
    yield from paragraphs(interval_methods(ev), "dim")
    nothing = ev.no_information()
    always = words.always(words.text(nothing.label))
    line = f"{words.NO_INFORMATION} {words.number(nothing.rate)} ({always})"
    tests = [
        f"{words.text(m) + ' ' if several else ''}{words.p_is(p)}"
        for m, p in nothing.p_values.items()
        if p is not None
    ]
    above = f"; {words.ABOVE_NO_INFORMATION}: {', '.join(tests)}, one-sided exact binomial"
    yield Paragraph(line + above if tests else line, "dim")


def interval_methods(ev: Evaluation) -> list[str]:
    """Return by which method the intervals of the headline metrics were made."""
    by_method = words.grouped(
        (words.how(v), words.metric_title(words.title_of(ev, name), v))
        for name in words.headline(ev)
        for v in (of_model.get(name) for of_model in ev.values().values())
        if v is not None and words.interval(v)
    )
    return [f"intervals by {method}: {', '.join(titles)}" for method, titles in by_method.items()]


def _verdicts(ev: Evaluation) -> Iterator[Block]:
    result = ev.compared
    if result is None:
        return
    yield GAP
    yield Paragraph(words.verdicts_title(result), "title")
    shown = verdicts(result)[:MOST_VERDICTS]
    yield from (Paragraph(line, item=True) for line in shown)
    if len(result.pairs) > len(shown):
        left = words.many(len(result.pairs) - len(shown), "more pair")
        yield Paragraph(f"{left}: tallymark compare, or ev.compare(), lists all", "dim")


def _counts(ev: Evaluation) -> Grid:
    """Return the four counts of two-class models, a row each."""
    rows = []
    for m in ev.models:
        c = m.labels.binary(ev.positive)
        rows.append((m.name, *(words.count(float(n)) for n in (c.tp, c.fp, c.fn, c.tn)), m.rule))
    return Grid(("model", "TP", "FP", "FN", "TN", "decisions"), rows, wrap=True, indent=2)


def _classes(ev: Evaluation, model: Model) -> Iterator[Block]:
    of_classes = ev.per_class(PER_CLASS)[model.name]
    support = dict(zip(model.labels.labels, model.labels.counts.sum(1).tolist(), strict=True))
    names = [n for n in next(iter(of_classes.values())) if n != "prevalence"]
    shown = list(of_classes)[:MOST_LINES]
    rows = [
        (str(c), words.count(support[c]), *(words.number(of_classes[c][n].value) for n in names))
        for c in shown
    ]
    heads = ("class", "rows", *(words.SHORT_TITLES.get(n, n) for n in names))
    yield Grid(heads, rows, indent=2)
    if len(of_classes) > len(shown):
        left = len(of_classes) - len(shown)
        text = f"and {left:,} more class{'es' * (left > 1)}: the page lists all"
        yield Paragraph(text, "dim", indent=2)


# -- what is asked of an evaluation ------------------------------------------------------------


def pairs_by_rank(c: Comparison) -> tuple[str, list[Pair]]:
    """Return the best model, and the pairs with those of the best models first."""
    sign = -1 if get(c.metric).better == "low" else 1
    values: dict[str, float] = {}
    for p in c.pairs:
        d = p.differences[c.metric]
        values |= {p.first: sign * d.first_value, p.second: sign * d.second_value}
    ranked = sorted(values, key=lambda n: math.inf if math.isnan(values[n]) else -values[n])
    place = {n: i for i, n in enumerate(ranked)}
    return ranked[0], sorted(c.pairs, key=lambda p: sorted((place[p.first], place[p.second])))


def verdicts(c: Comparison) -> list[str]:
    """Return the verdicts in words: of many pairs those of the best model."""
    best, ordered = pairs_by_rank(c)
    if len(ordered) > MANY_PAIRS:
        ordered = [p for p in ordered if best in (p.first, p.second)]
    return [words.verdict_line(p.verdict) for p in ordered]


def comparison(result: Comparison) -> Iterator[Block]:
    """Yield the verdicts, then each pair's differences and tests."""
    yield Headline(f"{len(result.names)} models, {result.rows:,} rows; {result.verdicts[0]}")
    yield Paragraph(words.verdicts_title(result), "title")
    for v in result.verdicts:
        yield Paragraph(words.verdict_line(v), item=True)
    for line in filter(None, (words.rank_line(result), words.cheapest_line(result))):
        yield Paragraph(line, indent=2)
    for t in result.overall:
        yield Paragraph(words.evidence(t), indent=2)
    for note in result.notes:
        yield Paragraph(words.sentence(f"note: {words.said(note)}"), indent=2)
    for pair in result.pairs:
        yield GAP
        yield from _pair(pair, result.level)
    yield GAP
    if result.table_error is not None:
        yield Paragraph(words.table_error(result.table_error), "dim")
    yield Paragraph(words.comparison_legend(result), "dim")


def _pair(pair: Pair, level: float) -> Iterator[Block]:
    yield Paragraph(f"{pair.first} − {pair.second}", "title")
    rows = [(get(n).title, *words.difference(d)) for n, d in pair.differences.items()]
    heads = ("metric", "first", "second", "difference", words.interval_head(level), "p")
    # A narrow terminal has no room for both models' own numbers.
    yield Grid(heads, rows, optional=(1, 2), indent=2)
    for t in pair.tests:
        yield Paragraph(words.evidence(t), indent=2)
    if pair.crossing is not None and pair.verdict.crossing is None:
        yield Paragraph(words.sentence(words.crossing(pair.crossing)), indent=2)


def advice(result: Advice) -> Iterator[Block]:
    """Yield advice section by section, each sentence with whose finding it rests on.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1] * 5 + [0] * 95, [1] * 4 + [0] * 90 + [1] * 6)
    >>> print(str(ev.advise()).splitlines()[0])
    What to report
    """
    first = result.statements[0].text if result.statements else NO_ADVICE
    yield Headline(f"{len(result.statements)} statements; {first}")
    sections = [(title, result.section(name)) for name, title in SECTIONS.items()]
    for i, (title, said) in enumerate((t, s) for t, s in sections if s):
        if i:
            yield GAP
        yield Paragraph(title, "title")
        few = said[0].section == "misleads"
        for s in said[: MOST_FINDINGS if few else None]:
            by = "; ".join(authors(k) for k in s.sources)
            yield Paragraph(f"{s.text} ({by}) [{s.rule}]", item=True)
        yield from _more(len(said) - MOST_FINDINGS if few else 0, "findings: --json has all")
    if not result.statements:
        yield Paragraph(NO_ADVICE)
    if result.passed:
        yield GAP
        yield Paragraph(f"Checked, nothing found: {', '.join(result.passed)}", "dim")


def optimal_threshold(result: OptimalThreshold, model: str = "") -> Iterator[Block]:
    """Yield a chosen threshold with what it reaches on these rows and on new ones."""
    yield Headline(
        f"{result.best.metric} {words.number(result.best.value)} at {result.threshold:.6g}"
    )
    lead = f"{model}: " if model else ""
    if math.isnan(result.threshold):
        yield Paragraph(lead + "no threshold keeps these limits")
        return
    others = len(result.thresholds) - 1
    more = f", and {others} other{'s' * (others > 1)} as good" if others else ""
    yield Paragraph(f"{lead}scores at or above {result.threshold:.6g}{more}")
    for c in (result.best, *result.limits):
        yield Paragraph(f"{get(c.metric).title}: {_expected(c)}", indent=2)
        yield from _warning(c.corrected.reason or c.corrected.warning)


# -- subgroups ---------------------------------------------------------------------------------


def subgroups(s: Subgroups, metrics: Sequence[str] | None = None) -> Iterator[Block]:
    """Yield a row a subgroup, and which of them differ from the others.

    ``metrics`` are shown, by default those that are looked at first; the first of them decides.
    """
    by = ", ".join(s.columns)
    yield Headline(
        f"{len(s):,} subgroups of {s.chosen.name} by {by}, {sum(s.rows.values()):,} rows"
    )
    names = list(metrics or s.metrics()[:4])
    values = s.values(names)
    small = {m: set(s.small(m)) for m in names}
    rows: list[Row] = []
    for key, parts, n in zip(s.keys, s.subgroup_counts.keys, s.subgroup_counts.rows, strict=True):
        if len(rows) == MOST_SUBGROUPS:
            break
        cells = [_subgroup_cell(values[key][m], key in small[m]) for m in names]
        rows.append([*map(words.subgroup, parts), words.count(int(n)), *cells])
    yield Grid((*s.columns, "rows", *names), rows, left=range(len(s.columns)))
    if len(s) > MOST_SUBGROUPS:
        yield Paragraph(f"and {len(s) - MOST_SUBGROUPS:,} more subgroups: .table() has all of them")
    if any(isinstance(c, Cell) and c.mark for row in rows for c in row):
        yield Paragraph(SMALL)
    yield GAP
    yield from subgroup_verdict(s, names[0], len(names))


def name_of(s: Subgroups, key: Any) -> str:
    """Return a subgroup's name in a sentence."""
    return ", ".join(words.subgroup(p) for p in ((key,) if len(s.columns) == 1 else key))


def _subgroup_cell(v: Value, small: bool) -> Cell:
    if v.reason:
        return Cell("undefined")
    bounds = "" if math.isnan(v.low) else f" [{words.number(v.low)}, {words.number(v.high)}]"
    return Cell(words.number(v.value) + bounds, mark="*" if small else "")


def subgroup_verdict(s: Subgroups, metric: str, shown: int = 1) -> Iterator[Paragraph]:
    """Yield which subgroups differ from the others in a metric of those shown, and the worst."""
    if len(s) < 2:
        yield Paragraph("There is only one subgroup, so there is nothing to compare it with.")
        return
    tested = [d for d in s.differences(metric) if not math.isnan(d.corrected)]
    flagged = s.flags(metric)
    yield Paragraph(
        f"{len(flagged):,} of {len(tested):,} subgroups tested differ from the rest in "
        f"{get(metric).in_a_sentence} (level {s.level:g}, p-values corrected by Holm's method)."
    )
    for d in flagged[:MOST_SUBGROUPS]:
        p = words.p_is(d.corrected, d.difference.p_at_most and d.corrected < 1)
        text = f"{name_of(s, d.key)}: {d.difference}, {p}"
        yield Paragraph(text, indent=2)
    if shown > 1:
        yield Paragraph(
            "P-values are corrected for the number of subgroups, not of metrics: over the "
            f"{shown} metrics shown, the chance of any false flag is up to "
            f"{words.percent(min(shown * (1 - s.level), 1.0), 0)}."
        )
    if get(metric).better != "neither":
        yield Paragraph(worst_of(s, metric))
    left = len(s) - len(tested)
    if left:
        yield Paragraph(f"{left:,} not tested: fewer than {FEW} rows, or no interval.")


def heterogeneity(h: Heterogeneity) -> Iterator[Block]:
    """Yield the mean over studies, what to expect of a new one, and how far they differ."""
    yield Headline(words.heterogeneity(h))
    yield Paragraph(words.heterogeneity(h))
    yield heterogeneity_table([h])
    yield Paragraph(h.mean.method or "", "dim")
    yield from _warning(h.mean.warning)


def heterogeneity_table(found: Sequence[Heterogeneity]) -> Grid:
    """Return the numbers of a random-effects model, a column a metric."""

    def row(title: str, cells: Iterable[tuple[str, str]]) -> Row:
        return (title, *(Cell(value, under) for value, under in cells))

    bounds = words.between
    return Grid(
        ("", *(get(h.metric).title for h in found)),
        [
            row(
                "Mean over studies",
                ((words.number(h.mean.value), words.interval(h.mean)) for h in found),
            ),
            row("A new study", ((bounds(*h.predicted), "") for h in found)),
            row(
                "All rows together",
                ((words.number(h.pooled.value), words.interval(h.pooled)) for h in found),
            ),
            row(
                "I²",
                ((words.percent(h.i2, 0), words.between_percents(*h.i2_bounds)) for h in found),
            ),
            row("τ², logit scale", ((words.number(h.tau2), bounds(*h.tau2_bounds)) for h in found)),
            row("Q", ((words.number(h.q), words.p_is(h.p_value)) for h in found)),
            row("Studies", ((words.count(h.studies), "") for h in found)),
        ],
    )


def studies(s: Subgroups, found: Sequence[Heterogeneity]) -> Iterator[Block]:
    """Yield the rates of each study, their means and how far they differ."""
    names = [h.metric for h in found]
    values, rows = s.values(names), s.rows
    yield Grid(
        (", ".join(s.columns), "rows", *names),
        [
            (
                name_of(s, key),
                words.count(rows[key]),
                *(_subgroup_cell(values[key][n], small=False) for n in names),
            )
            for key in s.keys[:MOST_SUBGROUPS]
        ],
    )
    yield from _more(len(s) - MOST_SUBGROUPS, "studies: the JSON has 50, .table() all of them")
    yield GAP
    yield heterogeneity_table(found)
    for h in found:
        yield Paragraph(words.heterogeneity(h))
    yield from paragraphs(words.of_studies(found), "dim")


def worst_of(s: Subgroups, metric: str) -> str:
    """Return which subgroup is worst, corrected for its selection, and which others could be."""
    w = s.worst_of_all(metric)
    if w is None:
        return f"No subgroup has {FEW} rows, so none is called the worst."
    better = "highest" if get(metric).better == "low" else "lowest"
    text = (
        f"{name_of(s, w.key)} is {better} of {w.of:,} ({words.number(w.value.value)}; "
        f"{words.percent(w.level, 0)} CI {words.between(w.low, w.high)}, corrected for selection)"
    )
    n = len(w.candidates)
    if n > 1:
        which = "any of them" if n == w.of else f"any of {n:,}"
        true = " and ".join(map(words.number, (w.least, w.most)))
        text += f", but {which} could be the worst (true value between {true})"
    return text + "."


# -- folds -------------------------------------------------------------------------------------


def folds(f: Folds) -> Iterator[Block]:
    """Yield a row a fold, all rows and the mean of folds, model by model; and their differences."""
    yield Headline(f"{len(f.rows):,} folds by {f.column} of {', '.join(f.values)}")
    for i, model in enumerate(f.values):
        if i:
            yield GAP
        yield Paragraph(f"{words.text(model)} by {words.text(f.column)}", "title")
        yield fold_grid(f, model)
    yield from paragraphs(fold_notes(f))


def fold_grid(f: Folds, model: str) -> Grid:
    """Return the table of one model's folds, by the metrics that are looked at first."""
    shown = dict(list(f.values[model].items())[:MOST_FOLD_METRICS])
    rows: list[Row] = [
        (
            words.subgroup(key),
            words.count(n),
            *(
                Cell(words.number(v.folds[key].value), note=v.folds[key].reason or "")
                for v in shown.values()
            ),
        )
        for key, n in list(f.rows.items())[:MOST_SUBGROUPS]
    ]
    total = words.count(sum(f.rows.values()))
    rows.append(("all rows", total, *(value_cell(v.pooled) for v in shown.values())))
    mean = (Cell(words.number(v.mean.value), words.interval(v.mean)) for v in shown.values())
    rows.append(("mean of folds", "", *mean))
    titles = [words.SHORT_TITLES.get(n, n.replace("_", " ")) for n in shown]
    heads = (words.text(f.column), "rows", *titles)
    caption = f"{words.interval_head(f.level)}s are below the numbers of all rows and the mean."
    return Grid(heads, rows, caption, optional=(4,))


def fold_notes(f: Folds) -> list[str]:
    """Return in words how the means are known, and which model is better over the folds."""
    notes, left = [], len(f.rows) - MOST_SUBGROUPS
    if left > 0:
        notes.append(
            f"{left:,} more folds are not listed; the numbers of all rows and the mean hold them."
        )
    notes.append(
        "Mean of folds: corrected resampled t (Nadeau and Bengio 2003) with test rows / training "
        f"rows = {f.ratio:.3g}, which allows for other training sets. All rows: the predictions of "
        "all folds as if of one model."
    )
    for model, of_model in f.values.items():
        why = words.grouped(
            (v.mean.reason, words.SHORT_TITLES.get(n, n.replace("_", " ")))
            for n, v in of_model.items()
            if v.mean.reason
        )
        notes += [
            words.sentence(f"{model}: no mean of {', '.join(names)}: {reason}")
            for reason, names in why.items()
        ]
    if (metric := f.decisive()) is not None:
        title = get(metric).title
        notes += [words.fold_difference(*told, title) for told in f.differences(metric).items()]
    return notes
