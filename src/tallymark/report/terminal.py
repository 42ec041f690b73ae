"""An evaluation and what is asked of it as blocks: a terminal, a notebook and a paper show them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tallymark.data import Model
from tallymark.infer.cautions import PER_CLASS
from tallymark.infer.choice import OptimalThreshold
from tallymark.infer.compare import Comparison, Pair
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.metric.sources import authors
from tallymark.report import words
from tallymark.report.blocks import GAP, Block, Cell, Grid, Headline, Paragraph, as_text
from tallymark.report.compared import verdicts
from tallymark.report.evaluation import Evaluation
from tallymark.report.facts import matrix
from tallymark.report.like import Likeness
from tallymark.studies.advice import SECTIONS, Advice
from tallymark.studies.claims import Definitions
from tallymark.tally.ratings import RatingTally

MOST_CLASSES = 12
"""Larger matrices are not printed: their most frequent confusions are."""

MOST_LINES = 30
"""So many classes are listed one by one."""

MOST_CONFUSIONS = 8
MOST_VERDICTS = 6


def summary(ev: Evaluation, *, width: int | None = None, color: bool = False) -> str:
    """Return the summary as text.

    Parameters
    ----------
    ev : Evaluation
        What to show.
    width : int, optional
        Columns to keep to, 40 or more; by default the terminal's, at most 120.
    color : bool
        Whether to mark titles, the best numbers and warnings by ANSI colours.

    Examples
    --------
    >>> import tallymark as tm
    >>> print(summary(tm.evaluate([1, 1, 0, 0], [1, 0, 0, 0]), width=72).split("model:")[0])
    arrays
    4 rows, positive class '1' (50.0 %)
    assumed: the positive class is 1
    <BLANKLINE>
    <BLANKLINE>

    """
    return as_text(evaluation(ev), width, color)


def evaluation(ev: Evaluation) -> Iterator[Block]:
    """Yield the matrix, then each number with its interval and its method, then the warnings."""
    yield Headline(_headline(ev))
    yield Paragraph(ev.source, "title")
    yield Paragraph(words.about(ev))
    yield from (Paragraph(f"assumed: {n.text}") for n in ev.notes if n.kind == "assumed")
    several = len(ev.models) > 1
    if several:
        yield GAP
        yield from _models(ev)
        yield from _verdicts(ev)
    if several and ev.binary:
        yield GAP
        yield _counts(ev)
    for model in ev.models:
        if not (several and ev.binary):
            yield GAP
            yield from _matrix(model)
        if not several:
            yield GAP
            yield _numbers(ev, model)
        if not ev.binary:
            yield GAP
            yield from _classes(ev, model)
    yield GAP
    yield Paragraph(words.verdict(ev))
    for note in ev.notes:
        if note.kind == "warning":
            yield Paragraph(f"warning: {note.text}", "warning")


def _headline(ev: Evaluation) -> str:
    """Return the rows and the accuracy of each model, which takes no resampling."""
    shares = [
        float(m.labels.counts.trace() / max(m.labels.counts.sum(), 1e-300)) for m in ev.models
    ]
    accuracy = ", ".join(f"{m.name} {a:.3f}" for m, a in zip(ev.models, shares, strict=True))
    of = f"positive {ev.positive!r}" if ev.binary else f"{len(ev.classes):,} classes"
    return f"{ev.rows:,} rows, {of}, accuracy of {accuracy}"


# -- one model ---------------------------------------------------------------------------------


def _matrix(model: Model) -> Iterator[Block]:
    yield Paragraph(f"{model.name}: {model.rule}", "title")
    labels = [str(label) for label in model.labels.labels]
    counts = model.labels.counts
    if len(labels) <= MOST_CLASSES:
        yield Paragraph("  rows: true class, columns: predicted class", "dim")
        yield matrix(labels, counts, indent=2)
        return
    wrong = counts - np.diag(counts.diagonal())
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS].tolist()
    cells = [(i // len(labels), i % len(labels)) for i in order if wrong.flat[i] > 0]
    right, total = float(counts.diagonal().sum()), float(counts.sum())
    yield Paragraph(words.too_many_classes(len(labels), right, total, len(cells)), indent=2)
    for true, predicted in cells:
        text = words.confusion(labels[true], labels[predicted], float(wrong[true, predicted]))
        yield Paragraph(text, indent=4)


def _numbers(ev: Evaluation, model: Model) -> Grid:
    values = ev.values()[model.name]
    nothing = ev.no_information()
    rows: list[tuple[Cell | str, ...]] = []
    family = ""
    for name in (n for n in words.headline(ev) if n in values):
        if get(name).family != family:
            family = get(name).family
            title = words.FAMILY_TITLES[family].split(":")[0]
            rows.append((Cell(title, style="title"), "", "", ""))
        v = values[name]
        title = words.metric_title(get(name).title, v)
        rows.append((f"  {title}", words.number(v.value), words.interval(v), words.how(v)))
        if name == "accuracy":
            label, p = str(nothing.label), nothing.p_values[model.name]
            rows.append((f"    {words.NO_INFORMATION}", words.number(nothing.rate), "",
                         words.always(label)))  # fmt: skip
            if p is not None:
                rows.append((f"    {words.ABOVE_NO_INFORMATION}", "", "", words.exact_p(p)))
    heads = ("metric", "value", words.interval_head(ev.level), "method")
    return Grid(heads, rows, left=(0, 2), wrap=True)


# -- several models ----------------------------------------------------------------------------


def _models(ev: Evaluation) -> Iterator[Block]:
    values = ev.values()
    rows: list[tuple[Cell | str, ...]] = []
    methods: dict[str, list[str]] = {}
    undefined: dict[str, list[str]] = {}
    for name in words.headline(ev):
        of_models = [values[m.name].get(name) for m in ev.models]
        known = [v for v in of_models if v is not None]
        best = words.best_of(known, get(name).better) if len(known) == len(of_models) else set()
        title = words.metric_title(get(name).title, known[0])
        cells = [_compared(v, i in best) for i, v in enumerate(of_models)]
        rows.append((title, *cells))
        for model, v in zip(ev.models, of_models, strict=True):
            if v is not None and v.reason:
                undefined.setdefault(words.how(v), []).append(f"{title} of {model.name}")
            elif v is not None and words.interval(v) and title not in methods.get(words.how(v), []):
                methods.setdefault(words.how(v), []).append(title)
    yield Grid(("metric", *(m.name for m in ev.models)), rows, indent=2)
    yield Paragraph(words.legend(ev.level))
    yield from (Paragraph(words.not_a_number(reason, of)) for reason, of in undefined.items())
    for method, titles in methods.items():
        yield Paragraph(words.intervals_by(method, titles), "dim")
    yield Paragraph(words.beyond_chance(ev))


def _compared(v: Value | None, best: bool) -> Cell:
    if v is None:
        return Cell("-")
    mark, style = ("*", "best") if best else ("", "")
    return Cell(words.number(v.value), words.interval(v), mark, style)  # type: ignore[arg-type]


def _verdicts(ev: Evaluation) -> Iterator[Block]:
    found = ev.compared
    if found is None:
        return
    yield GAP
    yield Paragraph(words.verdicts_title(found), "title")
    shown = verdicts(found)[:MOST_VERDICTS]
    yield from (Paragraph(line, item=True) for line in shown)
    if len(found.pairs) > len(shown):
        yield Paragraph(words.verdicts_left(len(found.pairs) - len(shown)), "dim")


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
        yield Paragraph(words.classes_left(len(of_classes) - len(shown)), "dim", indent=2)


# -- what is asked of an evaluation ------------------------------------------------------------


def comparison(found: Comparison) -> Iterator[Block]:
    """Yield the verdicts, then each pair's differences and tests."""
    yield Headline(f"{len(found.names)} models, {found.rows:,} rows; {found.verdicts[0]}")
    yield Paragraph(words.verdicts_title(found), "title")
    for v in found.verdicts:
        yield Paragraph(words.verdict_line(v), item=True)
    for t in found.overall:
        yield Paragraph(words.evidence(t), indent=2)
    for note in found.notes:
        yield Paragraph(words.sentence(f"note: {note}"), indent=2)
    for pair in found.pairs:
        yield GAP
        yield from _pair(pair, found.level)
    yield GAP
    yield Paragraph(words.comparison_legend(found), "dim")


def _pair(pair: Pair, level: float) -> Iterator[Block]:
    yield Paragraph(f"{pair.first} − {pair.second}", "title")
    rows = [(get(n).title, *words.difference(d)) for n, d in pair.differences.items()]
    heads = ("metric", "first", "second", "difference", words.interval_head(level), "p")
    # A narrow terminal has no room for both models' own numbers.
    yield Grid(heads, rows, optional=(1, 2), indent=2)
    for t in pair.tests:
        yield Paragraph(words.evidence(t), indent=2)
    if pair.crossing is not None:
        yield Paragraph(words.sentence(words.crossing(pair.crossing)), indent=2)


def advice(found: Advice) -> Iterator[Block]:
    """Yield advice section by section, each sentence with whose finding it rests on.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1] * 5 + [0] * 95, [1] * 4 + [0] * 90 + [1] * 6)
    >>> print(as_text(advice(ev.advise()), width=60).splitlines()[0])
    What to report
    """
    first = found.statements[0].text if found.statements else words.NO_ADVICE
    yield Headline(f"{len(found.statements)} statements; {first}")
    sections = [(title, found.section(name)) for name, title in SECTIONS.items()]
    for i, (title, said) in enumerate((t, s) for t, s in sections if s):
        if i:
            yield GAP
        yield Paragraph(title, "title")
        for s in said:
            by = "; ".join(authors(k) for k in s.sources)
            yield Paragraph(f"{s.text} ({by})", item=True)
    if not found.statements:
        yield Paragraph(words.NO_ADVICE)


def choice(found: OptimalThreshold, model: str = "") -> Iterator[Block]:
    """Yield a chosen threshold with what it reaches on these rows and on new ones."""
    yield Headline(f"{found.best.metric} {words.number(found.best.value)} at {found.threshold:.6g}")
    lead = f"{model}: " if model else ""
    if math.isnan(found.threshold):
        yield Paragraph(lead + words.NO_THRESHOLD)
        return
    yield Paragraph(lead + words.chosen(found))
    for c in (found.best, *found.limits):
        yield Paragraph(f"{get(c.metric).title}: {words.expected(c)}", indent=2)


def likeness(found: Likeness) -> Iterator[Block]:
    """Yield a model's numbers under another library's definitions, beside ours."""
    yield Headline(words.like_title(found))
    yield Paragraph(words.like_title(found), "title")
    rows = [
        ("" if r.same else "≠", r.name, words.number(r.theirs, 4), words.number(r.ours, 4),
         r.metric, "" if r.same else r.why)
        for r in found.rows
    ]  # fmt: skip
    heads = ("", found.library, "theirs", "ours", "our name", "why")
    yield Grid(heads, rows, left=(0, 1, 4), wrap=True)
    if found.left_out:
        yield Paragraph(words.like_left_out(found.left_out))


def definitions(found: Definitions) -> Iterator[Block]:
    """Yield which definitions of a metric give a stated number, or come nearest."""
    yield Headline(f"{found.metric} {found.stated}: {len(found.fitting)} of {found.tried} fit")
    yield Paragraph(f"{found.model}: {found.metric} {found.stated}", "title")
    if not found.fitting:
        yield Paragraph(words.NO_DEFINITION.format(found.tried))
    for c in found.fitting or found.nearest:
        yield Paragraph(f"{words.number(c.value, 6)}  {c.words}", indent=2)


def agreements(tally: RatingTally, found: Sequence[Value]) -> Iterator[Block]:
    """Yield coefficients of agreement with their errors and intervals."""
    yield Paragraph(words.ratings(tally))
    rows = []
    for v in found:
        error = v.definition.get("standard_error")
        bounds = words.interval(v)
        tail = f"standard error {words.number(error)}" if bounds and error else words.how(v)
        rows.append((v.metric, words.number(v.value), bounds, tail))
    yield Grid(("coefficient", "value", "interval", ""), rows, left=(0, 2), wrap=True)
    kappa = next(v for v in found if v.metric == "fleiss_kappa")
    if not kappa.reason:
        yield Paragraph(words.opinion(kappa.value))
