"""Blocks: every writer writes each kind, and charts hold what any of them can draw."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from report import pages
from tallymark.report import artists
from tallymark.report.blocks import (
    GAP,
    Bullet,
    Bullets,
    Calls,
    Cell,
    Chart,
    Folded,
    Grid,
    Group,
    Headline,
    Interval,
    Key,
    Mark,
    Paragraph,
    Step,
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
    Step("check", "the labels first"),
    Calls("said", [("ev.help()", "lists more")]),
    Folded("to open", [Grid(("head",), [("cell",)])]),
    Group([[Paragraph("left")], CHART], "charts"),
]
SAID = (
    "a sentence", "a point", "a finding", "Cohen 1960", "few-rows", "0.75", "0.7 to 0.8",
    "and so on", "check", "the labels first", "ev.help()", "lists more", "to open", "head", "cell", "left", "differences",
    "a picture in words", "forest", "of F1",
)  # fmt: skip


@pytest.mark.parametrize("write", [as_text, as_html, section, as_markdown, as_latex])
def test_every_writer_writes_every_block(write):
    text = write(EVERY)
    assert [said for said in SAID if said not in text] == []


@pytest.mark.slow
def test_matplotlib_draws_the_charts_of_the_page():
    ev = pages.binary()
    (group,) = chart_groups(ev)
    for chart in (*group.curves, *group.more):
        ax = artists.lines(Figure().subplots(), chart.drawn)
        labels = [line.get_label() for line in ax.get_lines()]
        assert all(any(t.startswith(name) for t in labels) for _, name, _ in chart.legend)
    (pair,) = of_comparison(ev._compared, ev.names)["charts"]
    assert len(artists.forest(Figure().subplots(), pair.drawn).get_yticklabels()) > 3


# -- whole texts of each writer ----------------------------------------------------------------

TABLE = Grid(
    ("metric", "value", "note", "why", "drawn"),
    [
        (
            Cell("F_1 <b>", "harmonic", note="2 TP / …"),
            Cell("0.75", "0.7 to 0.8", "*", "best", interval=Interval(0.75, 0.7, 0.8, 0, 1), key="m.f1"),
            Cell("12", shade=40, style="bad", key="k"),
            Cell("a", "x", note="so"),
            "--o",
        ),
        (
            Cell("AUC", style="bold"),
            Cell("undefined", style="dim"),
            Cell("3", mark="‡", style="warning"),
            Cell("7", style="best"),
            "o--",
        ),
        ("", "5", "6", "8", ""),
    ],
    "The caption & more", (0, 3), optional=(2,), indent=2, title="Title", drawn=True,
    look="matrix", more="and 3 more rows",
)  # fmt: skip
SENTENCES = Grid(
    ("model", "rows", "sentence"),
    [
        ("forest", "1,200", "It finds 82 of 100 ill rows, p < 0.0001, with 2 % false alarms."),
        ("net", "7", ""),
    ],
    wrap=True,
)
TEXTS = [
    Headline("in one line"),
    Paragraph("Title", "title"),
    Paragraph("a warning", "warning"),
    Paragraph("dim", "dim", key="k"),
    Paragraph("item", item=True, indent=2),
    GAP,
    Bullets(["a < b", Bullet("40 % of it", "Cohen 1960", "few-rows", "notes.0")], "notes"),
    Bullets([]),
    Tiles(
        [
            Tile("Accuracy", [NUMBER, Number("net", "models.1", "0.5", "unknown", best=True)], "of rows", lower=True),
            Tile("F1", [Number("", "m", "0.5", "0.4 to 0.6")], "harmonic", alone=True),
        ],
        "and so on",
    ),
    Calls("said", [("ev.help()", "lists more"), ("ev.by()", "subgroups")]),
    Folded("to open", [Paragraph("inside")], "the model", is_open=True),
    Folded("closed", [Paragraph("hidden")]),
    Group([[Paragraph("left"), Paragraph("below")], Paragraph("right")], "charts"),
    Group([[Paragraph("alone")]]),
]  # fmt: skip
WHOLE = Chart(
    "differences",
    CHART.drawn,
    Grid(("what", "gap"), [("of F1", "0.2")]),
    "in words",
    "for readers",
    0.0125,
    [(0, "forest", "0.9"), (9, "net", "")],
    [
        Key("band", "own", 11),
        Key("band", "grey"),
        Key("second", "2nd"),
        Key("chance", "luck"),
        Key("line", "1st"),
        Key("fine", "thin"),
    ],
    [Mark("first", 9, "ahead"), Mark("open", 1, "not")],
    reads=True,
    heading="Which leads",
)


def test_a_terminal_shows_texts_in_lines():
    assert as_text(TEXTS).splitlines() == [
        "Title",
        "a warning",
        "dim",
        "  - item",
        "",
        "- a < b",
        "- 40 % of it (Cohen 1960) [few-rows]",
        f"{'0   .25   .5  .75   1':>39}  ● tree    ■ net",
        f"{'Accuracy':18}·    ·    ·    ●    ·  0.75      0.5*",
        f"{'lower is better':41}.7 to .8",
        f"{'F1':41}0.5  0.4 to 0.6",
        "and so on",
        "said",
        "ev.help() lists more",
        "ev.by() subgroups",
        "to open",
        "inside",
        "closed",
        "hidden",
        "left",
        "below",
        "right",
        "alone",
    ]
    assert as_text([Headline("short", "x\ny\x1b"), Paragraph("more")]) == "x\ny\\x1b"
    assert as_text([WHOLE]).splitlines() == [
        "Which leads", "in words", "- forest 0.9", "- net", "what   gap", "of F1  0.2",
    ]  # fmt: skip


def test_a_terminal_aligns_tables_and_drops_what_has_no_room():
    assert as_text([TABLE, SENTENCES], width=80).splitlines() == [
        "  metric         value   note   why  drawn",
        "  F_1 <b>         0.75*    12   a      --o",
        "  harmonic  0.7 to 0.8          x",
        "  AUC        undefined      3‡  7      o--",
        "                     5      6   8",
        "model    rows  sentence",
        "forest  1,200  It finds 82 of 100 ill rows, p < 0.0001, with 2 % false alarms.",
        "net         7",
    ]
    narrow = as_text([TABLE, SENTENCES], width=40).splitlines()
    assert narrow[:2] == [
        "  metric         value   why  drawn",
        "  F_1 <b>         0.75*  a      --o",
    ]
    assert narrow[5:] == [
        "model    rows  sentence",
        "forest  1,200  It finds 82 of 100 ill",
        "               rows, p < 0.0001, with",
        "               2 % false alarms.",
        "net         7",
    ]
    for letters, beside in ((19, True), (20, False)):
        head, name = "a" * letters, "m" * letters
        grid = Grid((head, "b", "sentence"), [(name, "1", "two words and more of them")], wrap=True)
        assert as_text([grid], width=40).splitlines() == (
            [f"{head}  b  sentence", f"{name}  1  two words and", f"{'more of them':>36}"]
            if beside
            else [f"{head}  b", f"{name}  1", "      two words and more of them"]
        )
    # Names become as short as the table needs, or keep 20 letters where it fits in no case.
    for digits, name in ((26, "mmmm…nn"), (27, f"{'m' * 13}…{'n' * 6}")):
        number = "1" * digits
        grid = Grid(("a", "model", "x"), [("bbb", "m" * 15 + "n" * 15, number)], left=(0, 1))
        assert as_text([grid], width=40).splitlines()[1] == f"bbb  {name}  {number}"
    no_heads = Grid(("", ""), [("a", "1"), ("bb", "12")])
    assert as_text([no_heads]).splitlines() == ["a    1", "bb  12"]


def lines_of(heads, *rows, width=40, **options):
    return as_text([Grid(heads, rows, **options)], width=width).splitlines()


def test_a_table_of_many_numbers_is_split_and_keeps_twenty_letters_of_names():
    heads = ("name", *(f"number {i}" for i in range(5)))
    row = ("n" * 30, *(str(i) * 9 for i in range(5)))
    name, empty = "n" * 13 + "…" + "n" * 6, "name" + " " * 16

    def parts(*each):
        out = []
        for numbers in each:
            out.append(empty + "".join(f"   number {i}" for i in numbers))
            out += [name + "".join(f"  {i * 9}" for i in numbers), ""]
        return out[:-1]

    assert lines_of(heads, row, width=42) == parts("01", "23", "4")
    assert lines_of(heads, row, width=41) == parts("0", "1", "2", "3", "4")
    assert lines_of(heads, row, width=53) == parts("012", "34")
    two = ("name", "number", "more")
    assert lines_of(two, ("n" * 40, "1" * 15, "2" * 15)) == [
        f"{empty}           number", f"{name}  {'1' * 15}", "",
        f"{empty}             more", f"{name}  {'2' * 15}",
    ]  # fmt: skip


def test_names_beside_few_numbers_shrink_to_seven_letters():
    assert lines_of(("name", "number"), ("n" * 40, "1" * 30)) == [
        f"name{' ' * 30}number", f"nnnnn…nn  {'1' * 30}",
    ]  # fmt: skip
    two = ("name", "number", "more")
    assert lines_of(two, ("n" * 40, "1" * 14, "2" * 15)) == [
        f"name{' ' * 13}number{' ' * 13}more", f"nnnn…nn  {'1' * 14}  {'2' * 15}",
    ]  # fmt: skip
    assert lines_of(("a", "b", "n"), ("a" * 30, "b" * 25, "1" * 15), left=(0, 1)) == [
        f"a           b{' ' * 26}n", f"aaaaaa…aaa  bbbbbbb…bbb  {'1' * 15}",
    ]  # fmt: skip
    assert lines_of(("name", "a number of words that is long"), ("n", "1")) == [
        "name  a number of w…s long", f"n{' ' * 24}1",
    ]  # fmt: skip


def test_a_terminal_in_colour_marks_each_style():
    start = {"title": "1", "best": "1;32", "bold": "1", "dim": "2", "warning": "33", "bad": "1;31"}
    for style, code in start.items():
        assert as_text([Paragraph("a", style)], color=True) == f"\x1b[{code}ma\x1b[0m"
    assert as_text([Paragraph("a")], color=True) == "a"
    assert as_text([GAP, Paragraph("b", "dim")], color=True) == "\n\x1b[2mb\x1b[0m"
    lines = as_text([TABLE], color=True).splitlines()
    assert "\x1b[1;32m      0.75*\x1b[0m" in lines[1]
    assert "\x1b[1;31m  12 \x1b[0m" in lines[1]
    assert lines[2].startswith("  \x1b[2mharmonic\x1b[0m  \x1b[2m0.7 to 0.8 \x1b[0m")
    assert "\x1b[1mmetric  \x1b[0m" in lines[0]


def test_markdown_escapes_and_joins_lists():
    assert as_markdown(TEXTS) == (
        "**Title**\n\n**a warning**\n\ndim\n- item\n- a \\< b\n"
        "- 40 % of it (Cohen 1960) \\[few-rows\\]\n- Accuracy of tree: 0.75 (0.7 to 0.8)\n"
        "- Accuracy of net: 0.5 (unknown)\n- F1: 0.5 (0.4 to 0.6)\n\nand so on\n\nsaid\n\n"
        "ev.help() lists more\n\nev.by() subgroups\n\n**to open**\n\ninside\n\n**closed**\n\n"
        "hidden\n\nleft\n\nbelow\n\nright\n\nalone\n"
    )
    assert as_markdown([TABLE]).splitlines() == [
        "The caption & more",
        "",
        "| metric | value | note | why |",
        "|:---|---:|---:|:---|",
        r"| F\_1 \<b\> (harmonic) | 0.75\* (0.7 to 0.8) | 12 | a (x) |",
        "| AUC | undefined | 3‡ | 7 |",
        "|  | 5 | 6 | 8 |",
    ]
    assert as_markdown([SENTENCES]).splitlines()[1] == "|:---|---:|:---|"
    assert as_markdown([Grid(("a", "b"), [("1", "2")], left=())]).splitlines()[1] == "|---:|---:|"


def test_latex_has_a_line_a_row():
    assert as_latex([Paragraph("50 % & _", "title"), Paragraph("≥ {a}", "warning")]) == (
        "\\textbf{50 \\% \\& \\_}\n\n$\\geq$ \\{a\\}\n"
    )
    assert as_latex([TABLE]).splitlines() == [
        r"The caption \& more",
        "",
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"metric & value & note & why \\",
        r"\midrule",
        r"F\_1 \textless{}b\textgreater{} (harmonic) & 0.75* (0.7 to 0.8) & 12 & a (x) \\",
        r"AUC & undefined & 3‡ & 7 \\",
        r" & 5 & 6 & 8 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert r"\begin{tabular}{lrl}" in as_latex([SENTENCES])


BAR = (
    '<svg class="bar" viewBox="0 0 100 10" aria-hidden="true"><path class="span" '
    'd="M69.6 2V8M69.6 5H79.4M79.4 2V8"/><circle cx="74.5" cy="5" r="2.4"/></svg>'
)

OF_TILE = (
    '<svg class="bar" viewBox="0 0 170 10" aria-hidden="true"><path class="span" '
    'd="M118.6 2V8M118.6 5H135.4M135.4 2V8"/><circle cx="127" cy="5" r="2.4"/></svg>'
)


def test_a_page_has_each_text_in_its_element():
    assert section(TEXTS).split("\n") == [
        "<h3>Title</h3>",
        "<p>a warning</p>",
        '<p class="faint" data-key="k">dim</p>',
        "<p>item</p>",
        '<ul class="notes"><li>a &lt; b</li><li data-key="notes.0">40 % of it '
        "<cite>Cohen 1960</cite> <code>few-rows</code></li></ul>",
        '<div class="tile"><h3>Accuracy <small>lower is better</small></h3><ul><li>'
        '<span>tree</span><strong data-key="models.0">0.75</strong><small>0.7 to 0.8</small>'
        f'{OF_TILE}</li><li class="lead"><span>net</span><strong data-key="models.1">0.5</strong>'
        '<small>unknown</small></li></ul><p class="meaning">of rows</p></div>'
        '<div class="tile one"><h3>F1</h3><ul><li><strong data-key="m">0.5</strong>'
        '<small>0.4 to 0.6</small></li></ul><p class="meaning">harmonic</p></div>'
        '<p class="faint">and so on</p>',
        '<p class="faint">said<br><code>ev.help()</code> lists more, <code>ev.by()</code> '
        "subgroups.</p>",
        '<details open><summary>to open<span class="hide"> of the model</span></summary>',
        "<p>inside</p></details>",
        "<details><summary>closed</summary>",
        "<p>hidden</p></details>",
        '<div class="charts"><div><p>left</p>',
        "<p>below</p></div><p>right</p></div>",
        "<p>alone</p>",
    ]


HEADS = "".join(f'<th scope="col">{h}</th>' for h in TABLE.heads)
STAR = '<span class="star" role="img" aria-label="significantly best of the row"> ★</span>'


def test_a_page_has_each_cell_with_its_style_key_and_interval():
    assert section([TABLE]).split("\n") == [
        '<div class="scroll" tabindex="0" role="group" aria-label="Title"><table class="matrix">'
        '<caption><span class="cap"><strong>Title</strong>: The caption &amp; more</span></caption>'
        f'<thead><tr>{HEADS}</tr></thead><tbody><tr><th scope="row">F_1 &lt;b&gt;'
        '<p>harmonic</p><p class="formula">2 TP / …</p></th>'
        f'<td data-key="m.f1" class="best">0.75{STAR}<br><small>0.7 to 0.8</small>{BAR}</td>'
        '<td data-key="k" style="--v:40%">12</td><td style="text-align:left">a<br>'
        '<small>x</small><br><small class="why">so</small></td><td>--o</td></tr>',
        '<tr><th scope="row">AUC</th><td class="faint">undefined</td><td>3‡</td>'
        '<td class="best" style="text-align:left">7</td><td>o--</td></tr>',
        '<tr><td></td><td>5</td><td>6</td><td style="text-align:left">8</td><td></td></tr>',
        '</tbody></table></div><p class="faint">and 3 more rows</p>',
    ]
    told = section([SENTENCES])
    assert told.startswith('<div class="scroll" tabindex="0"><table><thead>')
    assert told.count('<td style="text-align:left">') == 2
    bare = section([Grid(("", ""), [("a\nb", "1")], left=())])
    assert bare == (
        '<div class="scroll" tabindex="0"><table><tbody><tr><td>a\\nb</td><td>1</td></tr>\n'
        "</tbody></table></div>"
    )
    assert '<th scope="col">true ↓ <br>predicted →</th>' in section(
        [Grid(("true ↓ \npredicted →",), [])]
    )


def test_a_fragment_needs_no_style_sheet_and_omits_drawn_columns():
    assert as_html(TEXTS) == (
        '<div class="tallymark"><p><strong>Title</strong></p><p><strong>a warning</strong></p>'
        "<p>dim</p><ul><li>item</li><li>a &lt; b</li><li>40 % of it (Cohen 1960) [few-rows]</li>"
        "<li>Accuracy of tree: 0.75 (0.7 to 0.8)</li><li>Accuracy of net: 0.5 (unknown)</li>"
        "<li>F1: 0.5 (0.4 to 0.6)</li></ul><p>and so on</p><p>said</p><p>ev.help() lists more</p>"
        "<p>ev.by() subgroups</p><p><strong>to open</strong></p><p>inside</p>"
        "<p><strong>closed</strong></p><p>hidden</p><p>left</p><p>below</p><p>right</p>"
        "<p>alone</p></div>"
    )
    table = as_html([TABLE])
    assert table.startswith('<div class="tallymark"><div class="scroll" tabindex="0"')
    assert "--o" not in table
    assert "<table><caption>" in table


BAND = '<rect class="band{}" x="1" width="32" height="10"/>'


def swatch(drawn, style=""):
    css = f' class="{style}"' if style else ""
    return f'<svg{css} viewBox="0 0 34 10" aria-hidden="true">{drawn}</svg>'


def swatch_of(css):
    return swatch(f'<path class="{css}" d="M1 5H33"/>')


def test_a_page_has_the_legends_words_and_numbers_of_a_chart():
    start, picture, *rest = section([WHOLE]).split("\n")[:1] + section([WHOLE]).split("\n")[2:]
    assert start == "<figure>"
    assert picture.startswith('<svg class="chart"')
    assert "<title>differences</title><desc>for readers</desc>" in picture
    dot = '<circle class="{}" cx="5" cy="5" r="{}"/></svg>'
    box = 'viewBox="0 0 10 10" aria-hidden="true">'
    line = '<path class="line" d="M1 5H33"/>'
    assert rest == [
        '<p class="readout" aria-hidden="true">&nbsp;</p>',
        f'<ul class="legend"><li>{swatch(line, "s0")}forest <span class="faint">0.9</span></li>'
        f"<li>{swatch(line, 's1')}net</li></ul>",
        f'<ul class="legend marks"><li><svg class="s1" {box}{dot.format("dot", "4")}ahead</li>'
        f'<li><svg class="faint" {box}{dot.format("open", "3.4")}not</li></ul>',
        '<ul class="legend keys">'
        f"<li>{swatch(BAND.format(' own s3'))}own</li>"
        f"<li>{swatch(BAND.format(''))}grey</li>"
        f"<li>{swatch_of('line second')}2nd</li><li>{swatch_of('chance')}luck</li>"
        f"<li>{swatch_of('line')}1st</li><li>{swatch_of('faint')}thin</li></ul>",
        "<figcaption>in words Drawn from fewer points, none off by more than 0.013.</figcaption>",
        '<details><summary>Numbers<span class="hide"> of Which leads</span></summary>',
        '<div class="scroll" tabindex="0" role="group" aria-label="Which leads"><table>'
        '<caption class="hide">Which leads</caption><thead><tr><th scope="col">what'
        '</th><th scope="col">gap</th></tr></thead><tbody><tr><th scope="row">of F1'
        "</th><td>0.2</td></tr>",
        "</tbody></table></div></details>",
        "</figure>",
    ]
    assert "<h3>Which leads</h3>" in section([WHOLE])
