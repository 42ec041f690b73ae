"""Blocks: every writer writes each kind, and charts hold what any of them can draw."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from report import pages
from tallymark.report import artists
from tallymark.report.blocks import (
    Bullet,
    Bullets,
    Calls,
    Chart,
    Folded,
    Grid,
    Group,
    Interval,
    Key,
    Mark,
    Paragraph,
    Tile,
    Tiles,
)
from tallymark.report.blocks import (
    Figure as Number,
)
from tallymark.report.drawing import Axis, Forest, Span
from tallymark.report.markup import as_latex, as_markdown
from tallymark.report.pieces import as_html, section
from tallymark.report.subjects.comparison import of_comparison
from tallymark.report.subjects.curve_charts import chart_groups
from tallymark.report.terminal import as_text

CHART = Chart(
    "differences",
    Forest(Axis("gap"), [Span("F1", 0.2, 0.1, 0.3)], 0.0),
    Grid(("what", "gap"), [("of F1", "0.2")]),
    "a picture in words",
    legend=[(0, "forest", "0.9")],
    keys=[Key("band", "a band")],
    marks=[Mark("first", 0, "ahead")],
)
NUMBER = Number("tree", "models.0", "0.75", "0.7 to 0.8", Interval(0.75, 0.7, 0.8, 0, 1))
EVERY = [
    Paragraph("a sentence"),
    Bullets(["a point", Bullet("a finding", "Cohen 1960", "few-rows")]),
    Tiles([Tile("Accuracy", [NUMBER], "share of rows")], "and so on"),
    Calls("said", [("ev.help()", "lists more")]),
    Folded("to open", [Grid(("head",), [("cell",)])]),
    Group([[Paragraph("left")], CHART], "charts"),
]
SAID = (
    "a sentence", "a point", "a finding", "Cohen 1960", "few-rows", "0.75", "0.7 to 0.8",
    "and so on", "ev.help()", "lists more", "to open", "head", "cell", "left", "differences",
    "a picture in words", "forest", "of F1",
)  # fmt: skip


@pytest.mark.parametrize("write", [as_text, as_html, section, as_markdown, as_latex])
def test_every_writer_writes_every_block(write):
    text = write(EVERY)
    assert [said for said in SAID if said not in text] == []


def test_matplotlib_draws_the_charts_of_the_page():
    ev = pages.binary()
    (group,) = chart_groups(ev)
    for chart in (*group.curves, *group.more):
        ax = artists.lines(Figure().subplots(), chart.drawn)
        labels = [line.get_label() for line in ax.get_lines()]
        assert all(any(t.startswith(name) for t in labels) for _, name, _ in chart.legend)
    (pair,) = of_comparison(ev._compared, ev.names)["charts"]
    assert len(artists.forest(Figure().subplots(), pair.drawn).get_yticklabels()) > 3
