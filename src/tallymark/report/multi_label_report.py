"""An evaluation of rows with any number of labels: in words, as tables, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tallymark.infer.label_averages import AVERAGES
from tallymark.metric import get
from tallymark.report import pieces, words
from tallymark.report.blocks import GAP, Block, Cell, Grid, Headline, Paragraph, Row, paragraphs
from tallymark.report.subjects.summary import read_as, warnings
from tallymark.report.subjects.values import how, value_cell

if TYPE_CHECKING:
    from tallymark.report.multi_label import MultiLabelEvaluation

MOST_LABELS = 40
"""Most labels that a terminal lists one by one."""

AVERAGE_WORDS = (
    "macro: mean over labels. micro: all labels of all rows counted as one. weighted: mean over "
    "labels by how many rows have them. samples: mean over rows."
)
RULE = "Labels are predicted by: {}."
STYLE = "td{min-width:6.5rem}"


def multi_label_evaluation(ml: MultiLabelEvaluation) -> Iterator[Block]:
    """Yield what all labels of a row say together, the averages, each label, then the warnings."""
    yield Headline(about(ml))
    yield Paragraph(ml.source.name, "title")
    yield from read_as(ml, about(ml))
    for m in ml._counted.models:
        yield GAP
        yield Paragraph(f"{m.name}: {m.rule}", "title")
        yield of_rows(ml, m.name)
        yield GAP
        yield averages(ml, m.name)
        yield Paragraph(AVERAGE_WORDS, "dim", indent=2)
        yield GAP
        yield labels(ml, m.name, MOST_LABELS)
        left = len(ml.labels) - MOST_LABELS
        if left > 0:
            yield Paragraph(f"and {words.many(left, 'more label')}: the page lists all", "dim")
    yield GAP
    yield Paragraph(verdict(ml))
    yield from warnings(ml)


def about(ml: MultiLabelEvaluation) -> str:
    """Return what was judged, in one line."""
    left = f" ({ml.dropped:,} left out: something was missing)" if ml.dropped else ""
    each = float(ml._counted.true.sum(1).mean())
    return f"{ml.rows:,} rows{left}, {len(ml.labels)} labels, {words.number(each)} labels a row"


def verdict(ml: MultiLabelEvaluation) -> str:
    """Return the first thing to know of the best model."""
    of_models = {name: values["subset_accuracy"] for name, values in ml.values().items()}
    best = max(of_models, key=lambda name: of_models[name].value)
    values, level = ml.values()[best], words.percent(ml.level, 0)
    whole, wrong, f1 = (values[n] for n in ("subset_accuracy", "hamming_loss", "f1_macro"))
    lead = f"{words.text(best)} has" if len(of_models) > 1 else "It has"
    text = (
        f"{lead} every label right in {words.percent(whole.value)} of the rows ({level} CI "
        f"{words.percent(whole.low)} to {words.percent(whole.high)}); "
        f"{words.percent(wrong.value)} of all labels are wrong."
    )
    if f1.reason:
        return text
    return f"{text} The mean F1 of the labels is {words.number(f1.value)} ({words.interval(f1)})."


def of_rows(ml: MultiLabelEvaluation, model: str) -> Grid:
    """Return the means over rows."""
    values = {n: v for n, v in ml.values()[model].items() if over_rows(n)}
    rows = [
        (get(n).title, words.number(v.value), words.interval(v), Cell(how(v), style="dim"))
        for n, v in values.items()
    ]
    heads = ("Mean over rows", "value", words.interval_head(ml.level), "method")
    return Grid(heads, rows, left=(0, 2), wrap=True, indent=2)


def over_rows(name: str) -> bool:
    """Tell whether a value is a mean over rows of all their labels."""
    return not name.endswith(AVERAGES)


def averages(ml: MultiLabelEvaluation, model: str, *, brief: bool = True) -> Grid:
    """Return a row a metric and a column an average, with intervals."""
    values = ml.values()[model]
    names = dict.fromkeys(n.rpartition("_")[0] for n in values if not over_rows(n))
    rows: list[Row] = []
    for name in names:
        cells = [values.get(f"{name}_{average}") for average in AVERAGES]
        rows.append(
            (
                get(name).title,
                *(Cell("") if v is None else value_cell(v, brief=brief) for v in cells),
            )
        )
    caption = f"The number, its {words.percent(ml.level, 0)} interval below it. {AVERAGE_WORDS}"
    return Grid(("Average over labels", *AVERAGES), rows, "" if brief else caption, indent=2)


def labels(ml: MultiLabelEvaluation, model: str, most: int | None = None) -> Grid:
    """Return a row a label: how many rows have it, and its own numbers."""
    per_label = ml.per_label()[model]
    names = list(next(iter(per_label.values())))
    shown = list(per_label)[:most]
    rows: list[Row] = []
    for label in shown:
        numbers = [per_label[label][n] for n in names]
        cells = [
            value_cell(v, scale=(0.0, 1.0), brief=True) if most is None else words.number(v.value)
            for v in numbers
        ]
        rows.append((words.text(label), words.count(ml._counted.support[label]), *cells))
    heads = ("label", "rows", *(words.SHORT_TITLES.get(n, n) for n in names))
    if most is None:
        heads = ("Label", "Rows", *(get(n).title for n in names))
    caption = "Each label separately, with its interval; bars from 0 to 1."
    return Grid(heads, rows, "" if most else caption, indent=2)


# -- the page ----------------------------------------------------------------------------------


def render(ml: MultiLabelEvaluation) -> str:
    """Return the page as HTML text."""
    sections: list[tuple[str, str, Sequence[Grid | Paragraph]]] = []
    if found := [Paragraph(f"{text}.") for text in words.notes(ml.notes, "warning")]:
        sections.append(("warnings", "Before you trust these numbers", found))
    for i, m in enumerate(ml._counted.models):
        name = f"{words.text(m.name)}: " if len(ml.names) > 1 else ""
        sections += [
            (
                f"rows-{i}",
                f"{name}How often whole rows are right",
                [of_rows(ml, m.name), *paragraphs([RULE.format(words.text(m.rule))], "dim")],
            ),
            (f"averages-{i}", f"{name}Averages over labels", [averages(ml, m.name, brief=False)]),
            (f"labels-{i}", f"{name}Each label", [labels(ml, m.name)]),
        ]
    used = {v.metric for of in ml.values().values() for v in of.values()}
    methods = {v.method for of in ml.values().values() for v in of.values() if v.method}
    definitions = [f"{get(n).title}: {get(n).words.formula}." for n in sorted(used)]
    definitions += [f"Intervals: {method}." for method in sorted(methods)]
    independent = "clusters of rows" if ml.clusters else "rows"
    definitions.append(
        f"Intervals treat {independent} as independent, and the labels of a row as fixed."
    )
    return pieces.filled(
        "document.html.j2",
        kicker="Multi-label report",
        source=words.text(ml.source.name),
        verdict=verdict(ml),
        about=about(ml),
        notes=[
            words.text(ml.source.read_as).rstrip("."),
            *words.notes(ml.notes, "assumed"),
        ],
        more_style=STYLE,
        sections=sections,
        definitions=definitions,
        sources=sorted({k for n in used for k in get(n).words.sources}),
    )
