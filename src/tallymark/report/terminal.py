"""The summary for a terminal: the matrix, then each number with its interval and its method."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
from rich.cells import cell_len, chop_cells, set_cell_size

from tallymark.data import Model
from tallymark.infer.choice import Choice
from tallymark.infer.compare import Comparison, Pair
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.metric.sources import authors
from tallymark.report import words
from tallymark.report.compared import verdicts
from tallymark.report.evaluation import Evaluation
from tallymark.report.like import Likeness
from tallymark.studies.advice import SECTIONS, Advice
from tallymark.studies.definitions import Definitions
from tallymark.tally.ratings import RatingTally

NARROWEST, PLAIN_WIDTH, WIDEST = 40, 88, 120
MOST_CLASSES = 12
"""Larger matrices are not printed: their commonest confusions are."""

MOST_LINES = 30
"""So many classes are listed one by one."""

MOST_CONFUSIONS = 8
MOST_VERDICTS = 6
LABEL_WIDTH = 20

Span = tuple[str, str]
"""A piece of text and its style, a key of :data:`STYLES`."""

Line = list[Span]

STYLES = {
    "title": "\x1b[1m",
    "best": "\x1b[1;32m",
    "right": "\x1b[1m",
    "dim": "\x1b[2m",
    "warning": "\x1b[33m",
}
_PLAIN = "\x1b[0m"


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
    width = width or min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST)
    return "\n".join(_render(line, color) for line in _lines(ev, max(width, NARROWEST)))


def wants_color() -> bool:
    """Tell whether standard output is a terminal that was not asked to stay plain."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _render(line: Line, color: bool) -> str:
    if not color:
        return "".join(text for text, _ in line).rstrip()
    return "".join(
        f"{STYLES[style]}{text}{_PLAIN}" if style and text.strip() else text for text, style in line
    ).rstrip()


def _lines(ev: Evaluation, width: int) -> Iterator[Line]:
    yield from _wrapped(ev.source, width, "title")
    yield from _wrapped(words.about(ev), width)
    for note in ev.notes:
        if note.kind == "assumed":
            yield from _wrapped(f"assumed: {note.text}", width)
    several = len(ev.models) > 1
    if several:
        yield []
        yield from _comparison(ev, width)
        yield from _verdicts(ev, width)
    if several and ev.binary:
        yield []
        yield from _counts(ev, width)
    for model in ev.models:
        if not (several and ev.binary):
            yield []
            yield from _matrix(model, width)
        if not several:
            yield []
            yield from _numbers(ev, model, width)
        if not ev.binary:
            yield []
            yield from _classes(ev, model, width)
    yield []
    yield from _wrapped(words.verdict(ev), width)
    for note in ev.notes:
        if note.kind == "warning":
            yield from _wrapped(f"warning: {note.text}", width, "warning")


# -- text that fits ----------------------------------------------------------------------------


def _wrapped(text: str, width: int, style: str = "", indent: int = 0) -> Iterator[Line]:
    for i, line in enumerate(_wrap(words.text(text), width - indent - 2)):
        yield [(" " * (indent + 2 if i else indent), ""), (line, style)]


def _wrap(text: str, width: int) -> list[str]:
    """Break text between words, by the columns it takes, and within words that are too long."""
    lines = [""]
    for word in text.replace(" %", "\0%").split(" "):
        word = word.replace("\0", " ")
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(joined) <= width:
            lines[-1] = joined
            continue
        pieces = chop_cells(word, width)
        lines[-1:] = [*filter(None, lines[-1:]), *pieces]
    return lines


def _left(text: str, width: int) -> str:
    """Fill up on the right; cut in the middle, since names often differ at their ends."""
    if cell_len(text) > width:
        tail = width // 3
        pieces = chop_cells(text[::-1], tail) if tail else [""]
        text = set_cell_size(text, width - tail - 1) + "…" + pieces[0][::-1]
    return set_cell_size(text, width)


def _right(text: str, width: int) -> str:
    cut = _left(text, min(width, cell_len(text)))
    return " " * (width - cell_len(cut)) + cut


def _widest(texts: Iterable[str], least: int = 0) -> int:
    return max(least, max((cell_len(t) for t in texts), default=0))


# -- one model ---------------------------------------------------------------------------------


def _matrix(model: Model, width: int) -> Iterator[Line]:
    yield from _wrapped(f"{model.name}: {model.rule}", width, "title")
    labels = [words.text(label) for label in model.labels.labels]
    counts = model.labels.counts
    cells = [[words.count(n) for n in row] for row in counts]
    side = min(_widest([*labels, "true"]), LABEL_WIDTH)
    size = max(_widest(c for row in cells for c in row), min(_widest(labels), 14), 5) + 2
    if len(labels) > MOST_CLASSES or 2 + side + size * len(labels) > width:
        yield from _confusions(model, labels, width)
        return
    yield [("  " + " " * side + "  predicted", "dim")]
    yield [("  " + _left("true", side), "dim"), ("".join(_right(v, size) for v in labels), "")]
    for i, (label, row) in enumerate(zip(labels, cells, strict=True)):
        spans = [(_right(c, size), "right" if i == j else "") for j, c in enumerate(row)]
        yield [("  " + _left(label, side), ""), *spans]


def _confusions(model: Model, labels: Sequence[str], width: int) -> Iterator[Line]:
    counts = model.labels.counts
    wrong = counts - np.diag(counts.diagonal())
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS]
    found = [(i // len(labels), i % len(labels)) for i in order.tolist() if wrong.flat[i] > 0]
    right, total = float(counts.diagonal().sum()), float(counts.sum())
    told = words.too_many_classes(len(labels), right, total, len(found))
    yield from _wrapped(told, width, indent=2)
    for true, predicted in found:
        told = words.confusion(labels[true], labels[predicted], float(wrong[true, predicted]))
        yield from _wrapped(told, width, indent=4)


def _numbers(ev: Evaluation, model: Model, width: int) -> Iterator[Line]:
    values = ev.values()[model.name]
    nothing = ev.no_information()
    named = [n for n in words.headline(ev) if n in values]
    rows: list[tuple[str, ...]] = []
    for family, names in groupby(named, key=lambda n: get(n).family):
        heading = words.FAMILY_TITLES[family].split(":")[0]
        rows.append((heading, "", words.interval_head(ev.level), "method"))
        for name in names:
            v = values[name]
            title = words.metric_title(get(name).title, v)
            rows.append((f"  {title}", words.number(v.value), words.interval(v), words.how(v)))
            if name == "accuracy":
                label, p = words.text(nothing.label), nothing.p_values[model.name]
                rows.append(("    " + words.NO_INFORMATION, words.number(nothing.rate), "",
                             words.always(label)))  # fmt: skip
                if p is not None:
                    rows.append(("    " + words.ABOVE_NO_INFORMATION, "", "", words.exact_p(p)))
    yield from _columns(rows, width)


def _columns(rows: Sequence[tuple[str, ...]], width: int) -> Iterator[Line]:
    first, second, third = (_widest(r[i] for r in rows) for i in range(3))
    left = first + second + third + 6
    for title, value, bounds, method in rows:
        style = "" if title.startswith(" ") else "title"
        quiet = "dim" if style else ""
        head: Line = [
            (_left(title, first), style),
            ("  " + _right(value, second), ""),
            ("  " + _left(bounds, third), quiet),
        ]
        if width - left >= 16:
            lines = _wrap(method, width - left)
            yield [*head, ("  " + lines[0], "dim")]
            yield from ([(" " * left + more, "dim")] for more in lines[1:])
        else:
            yield head
            if style:
                continue
            yield from ([("      " + more, "dim")] for more in _wrap(method, width - 6) if more)


# -- several models ----------------------------------------------------------------------------


def _comparison(ev: Evaluation, width: int) -> Iterator[Line]:
    names = [words.text(m.name) for m in ev.models]
    found = ev.values()
    table = []
    methods: dict[str, list[str]] = {}
    undefined: dict[str, list[str]] = {}
    for name in words.headline(ev):
        values = [found[m.name].get(name) for m in ev.models]
        known = [v for v in values if v is not None]
        best = words.best_of(known, get(name).better) if len(known) == len(values) else set()
        title = words.metric_title(get(name).title, known[0])
        numbers = ["-" if v is None else words.number(v.value) for v in values]
        bounds = ["" if v is None else words.interval(v) for v in values]
        table.append((title, numbers, bounds, best))
        for model, v in zip(names, values, strict=True):
            if v is not None and v.reason:
                undefined.setdefault(words.how(v), []).append(f"{title} of {model}")
            elif v is not None and words.interval(v) and title not in methods.get(words.how(v), []):
                methods.setdefault(words.how(v), []).append(title)
    first = _widest((row[0] for row in table), 6)
    size = _widest((c for row in table for c in (*row[1], *row[2])), 12)
    size = max(size, min(_widest(names), LABEL_WIDTH)) + 3
    across = max(1, (width - first - 2) // size)
    for start in range(0, len(names), across):
        part = slice(start, start + across)
        if start:
            yield []
        heads = "".join(_right(_left(n, min(cell_len(n), size - 3)) + " ", size)
                        for n in names[part])  # fmt: skip
        yield [("  " + _left("metric", first), "title"), (heads, "title")]
        for title, numbers, bounds, best in table:
            cells: Line = []
            for i in range(len(names))[part]:
                mark = "*" if i in best else " "
                cells.append((_right(numbers[i] + mark, size), "best" if i in best else ""))
            yield [("  " + _left(title, first), ""), *cells]
            if any(bounds[part]):
                under = "".join(_right(b + " ", size) for b in bounds[part])
                yield [(" " * (first + 2) + under, "dim")]
    yield from _wrapped(words.legend(ev.level), width)
    for reason, whose in undefined.items():
        yield from _wrapped(words.not_a_number(reason, whose), width)
    for method, titles in methods.items():
        yield from _wrapped(words.intervals_by(method, titles), width, "dim")
    yield from _wrapped(words.beyond_chance(ev), width)


def _verdicts(ev: Evaluation, width: int) -> Iterator[Line]:
    found = ev.compared
    if found is None:
        return
    yield []
    yield [(words.verdicts_title(found), "title")]
    told = verdicts(found)
    for line in told[:MOST_VERDICTS]:
        yield from _item(line, width)
    left = len(found.pairs) - len(told[:MOST_VERDICTS])
    if left:
        yield from _wrapped(words.verdicts_left(left), width, "dim")


def _item(told: str, width: int) -> Iterator[Line]:
    first, *rest = _wrapped(told, width - 2)
    yield [("- ", ""), *first]
    yield from rest


def _counts(ev: Evaluation, width: int) -> Iterator[Line]:
    """Show the matrices of two-class models, a line each."""
    names = [words.text(m.name) for m in ev.models]
    heads = ("TP", "FP", "FN", "TN")
    rows = []
    for m in ev.models:
        c = m.labels.binary(ev.positive)
        rows.append([words.count(float(n)) for n in (c.tp, c.fp, c.fn, c.tn)])
    first = min(_widest(names, 5), LABEL_WIDTH)
    size = _widest((c for row in rows for c in row), 2) + 2
    left = 2 + first + 4 * size + 2
    yield [("  " + _left("model", first) + "".join(_right(h, size) for h in heads), "title"),
           ("  decisions", "title")]  # fmt: skip
    for m, name, row in zip(ev.models, names, rows, strict=True):
        lines = _wrap(words.text(m.rule), max(width - left, 16))
        cells = "".join(_right(c, size) for c in row)
        yield [("  " + _left(name, first) + cells, ""), ("  " + lines[0], "dim")]
        yield from ([(" " * left + more, "dim")] for more in lines[1:])


# -- more than two classes ---------------------------------------------------------------------


def _classes(ev: Evaluation, model: Model, width: int) -> Iterator[Line]:
    found = ev.per_class()[model.name]
    support = dict(zip(model.labels.labels, model.labels.counts.sum(1).tolist(), strict=True))
    shown = list(found)[:MOST_LINES]
    names = [n for n in next(iter(found.values())) if n != "prevalence"]
    columns = [("rows", [words.count(support[c]) for c in shown])]
    columns += [
        (words.SHORT_TITLES.get(n, n), [words.number(found[c][n].value) for c in shown])
        for n in names
    ]
    labels = [words.text(c) for c in shown]
    first = min(_widest(labels, 5), LABEL_WIDTH)
    sizes = [_widest((head, *cells)) + 2 for head, cells in columns]
    fit = sum(np.cumsum(sizes) + first + 2 <= width)
    kept = list(zip(columns, sizes, strict=True))[:fit]
    heads = "".join(_right(head, size) for (head, _), size in kept)
    yield [("  " + _left("class", first) + heads, "title")]
    for i, label in enumerate(labels):
        cells = "".join(_right(c[i], size) for (_, c), size in kept)
        yield [("  " + _left(label, first) + cells, "")]
    rest = words.left_out(len(found) - len(shown), [head for head, _ in columns[fit:]])
    if rest:
        yield from _wrapped(rest, width, "dim", indent=2)


# -- other libraries, and raters ---------------------------------------------------------------


def likeness(found: Likeness, width: int | None = None) -> str:
    """Return a model's numbers under another library's definitions, beside ours."""
    width = width or min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST)
    lines: list[Line] = [*_wrapped(words.like_title(found), width, "title")]
    heads = (found.library, "theirs", "ours", "our name")
    cells = [
        (r.name, words.number(r.theirs, 4), words.number(r.ours, 4), r.metric) for r in found.rows
    ]  # fmt: skip
    sizes = [_widest([heads[i], *(c[i] for c in cells)]) for i in range(4)]

    def row(mark: str, texts: Sequence[str]) -> Line:
        a, b, c, d = texts
        told = [_left(a, sizes[0]), _right(b, sizes[1]), _right(c, sizes[2]), d]
        return [(f"{mark} " + "  ".join(told), "")]

    lines.append(row(" ", heads))
    for r, texts in zip(found.rows, cells, strict=True):
        lines.append(row(" " if r.same else "≠", texts))
        if not r.same and r.why:
            lines += _wrapped(r.why, width, indent=4)
    if found.left_out:
        lines += _wrapped(words.like_left_out(found.left_out), width)
    return "\n".join(_render(line, False) for line in lines)


def agreements(tally: RatingTally, found: Sequence[Value]) -> str:
    """Return coefficients of agreement with their errors and intervals."""
    lines = [words.ratings(tally)]
    size = _widest(v.metric for v in found)
    for v in found:
        error = v.definition.get("standard_error")
        told = words.interval(v)
        tail = f"  {told}, standard error {words.number(error)}" if told and error else ""
        lines.append(
            f"{_left(v.metric, size)}  {words.number(v.value)}{tail or '  ' + words.how(v)}"
        )
    kappa = next(v for v in found if v.metric == "fleiss_kappa")
    if not kappa.reason:
        lines.append(words.opinion(kappa.value))
    return "\n".join(lines)


def choice(model: str, found: Choice) -> str:
    """Return a chosen threshold with what it reaches here and on new rows."""
    if math.isnan(found.threshold):
        return f"{words.text(model)}: {words.NO_THRESHOLD}"
    told = [f"{words.text(model)}: {words.chosen(found)}"]
    for c in (found.best, *found.limits):
        told.append(f"  {get(c.metric).title}: {words.expected(c)}")
    return "\n".join(told)


def advice(found: Advice, *, width: int | None = None, color: bool = False) -> str:
    """Return advice section by section, each sentence with whose finding it rests on.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1] * 5 + [0] * 95, [1] * 4 + [0] * 90 + [1] * 6)
    >>> print(advice(ev.advise(), width=60).splitlines()[0])
    What to report
    """
    width = width or min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST)
    lines: list[Line] = []
    for name, title in SECTIONS.items():
        said = found.section(name)
        if not said:
            continue
        lines += [[], [(title, "title")]] if lines else [[(title, "title")]]
        for s in said:
            by = "; ".join(authors(k) for k in s.sources)
            lines += _item(f"{words.text(s.text)} ({by})", width)
    return "\n".join(_render(line, color) for line in lines) or words.NO_ADVICE


def comparison(found: Comparison, *, width: int | None = None, color: bool = False) -> str:
    """Return the verdicts, then each pair's differences and tests.

    >>> import tallymark as tm
    >>> right, wrong = [0, 0, 1, 1] * 9, [1, 1, 0, 1] * 9
    >>> ev = tm.evaluate([0, 0, 1, 1] * 9, {"a": right, "b": wrong})
    >>> print(comparison(ev.compare(metric="accuracy"), width=76).splitlines()[0])
    Verdicts by accuracy
    """
    width = width or min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST)
    lines: list[Line] = [[(words.verdicts_title(found), "title")]]
    for verdict in found.verdicts:
        lines += _item(words.verdict_line(verdict), width)
    for t in found.overall:
        lines += _wrapped(words.evidence(t), width, indent=2)
    for note in found.notes:
        lines += _wrapped(words.sentence(f"note: {note}"), width, indent=2)
    for pair in found.pairs:
        lines += [[], *_pair(pair, found.level, width)]
    lines += [[], *_wrapped(words.comparison_legend(found), width, "dim")]
    return "\n".join(_render(line, color) for line in lines)


def _pair(pair: Pair, level: float, width: int) -> Iterator[Line]:
    names = [words.text(pair.first), words.text(pair.second)]
    yield [(_left(f"{names[0]} less {names[1]}", width).rstrip(), "title")]
    rows = []
    for name, d in pair.differences.items():
        rows.append((words.text(get(name).title), *words.difference(d)))
    heads = ("metric", "first", "second", "difference", words.interval_head(level), "p")
    sizes = [_widest((h, *(r[i] for r in rows))) for i, h in enumerate(heads)]
    # A narrow terminal has no room for both models' own numbers.
    kept = list(range(6)) if sum(sizes) + 12 <= width else [0, 3, 4, 5]
    for row, style in ((heads, "title"), *((r, "") for r in rows)):
        cells = "".join("  " + _right(row[i], sizes[i]) for i in kept[1:])
        yield [("  " + _left(row[0], sizes[0]) + cells, style)]
    for t in pair.tests:
        yield from _wrapped(words.evidence(t), width, indent=2)
    if pair.crossing is not None:
        yield from _wrapped(words.sentence(str(pair.crossing)), width, indent=2)


def definitions(found: Definitions, *, width: int | None = None) -> str:
    """Return which definitions of a metric give a stated number, or come nearest."""
    width = width or min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, WIDEST)
    title = f"{found.model}: {found.metric} {found.stated}"
    lines: list[Line] = [*_wrapped(title, width, "title")]
    if not found.fitting:
        lines += _wrapped(words.NO_DEFINITION.format(found.tried), width)
    for c in found.fitting or found.nearest:
        lines += _wrapped(f"{words.number(c.value, 6)}  {c.words}", width, indent=2)
    return "\n".join(_render(line, False) for line in lines)
