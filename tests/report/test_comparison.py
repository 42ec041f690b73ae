"""The comparison of models on the page: verdicts, differences drawn, tests."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest

import tallymark as tm
from report import pages
from report.test_page import Reader
from tallymark.metric import get
from tallymark.report import page, svg, words
from tallymark.report.drawing import Axis, Forest, Span
from tallymark.report.subjects.comparison import (
    LEADS_TITLE,
    MOST_DRAWN,
    MOST_PAIRS,
    crossing_sentence,
    of_comparison,
    rank_line,
    table_error_sentence,
    verdict_line,
)
from tallymark.report.subjects.curve_charts import CURVE_KEYS
from tallymark.report.subjects.summary import verdict_sentence
from tallymark.report.subjects.values import difference_cells, evidence_sentence


def section(ev):
    text = page.render(ev)
    start = text.index('<section id="compare"')
    return text[start : text.index("</section>", start)]


def two(n=400, lift=0.0, seed=0, **options):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    shared = rng.normal(size=n)
    p = {
        name: 1 / (1 + np.exp(-(shared + rng.normal(size=n) + (1 + more) * (2 * y - 1))))
        for name, more in (("good", lift), ("poor", 0.0))
    }
    return tm.evaluate(y, y_score=p, **options)


@pytest.mark.slow
def test_the_verdicts_come_first_and_every_number_of_the_pairs_is_there():
    ev = pages.cancer()
    told = html.unescape(section(ev))
    found = ev._compared
    for v in found.verdicts:
        assert f"<li>{verdict_line(v)}</li>" in told
    assert told.index(verdict_line(found.verdicts[-1])) < told.index("<svg")
    for test in found.overall:
        assert evidence_sentence(test) in told
    for p in found.pairs:
        assert f"<h3>{p.first} − {p.second}</h3>" in told
        for name, d in p.differences.items():
            _, _, gap, bounds, p_value = difference_cells(d)
            row = told[told.index(f"<h3>{p.first} − {p.second}<") :]
            row = row[row.index("<table>") :]
            row = row[row.index(f"<td>{get(name).title}") :].split("\n")[0]
            assert gap in row
            assert bounds in row
            assert p_value in row
            assert not d.reason or d.reason in row
        for test in p.tests:
            assert f"<th scope=col>p, {test.name}" in told
            assert words.p_value(test.p_value) in told


@pytest.mark.slow
def test_a_forest_is_a_picture_with_a_title_a_description_and_a_line_at_0():
    told = section(pages.binary())
    (drawn,) = re.findall(r"<svg class=chart.*?</svg>", told, re.S)
    assert "role=img" in drawn
    assert "<title>" in drawn
    assert "<desc>Differences with their intervals" in drawn
    assert drawn.count("class=zero ") == 1
    shown = pages.binary()._compared.pairs[0].differences
    assert drawn.count("class=dot ") + drawn.count("class=open ") == len(shown)
    assert told.count("<details") == 2


@pytest.mark.slow
def test_a_mark_says_who_is_ahead_and_whether_that_may_be_chance():
    ev = two(2000, lift=1.0)
    (pair,) = ev._compared.pairs
    (chart,) = of_comparison(ev._compared, ev.names)["charts"]
    assert pair.differences["brier"].value < 0
    assert {span.mark for span in chart.drawn.rows} == {"first"}
    assert [mark.meaning for mark in chart.marks] == ["good is ahead"]
    even = two(200)
    (chart,) = of_comparison(even._compared, even.names)["charts"]
    assert [mark.meaning for mark in chart.marks] == ["may be chance"]


@pytest.mark.slow
def test_a_margin_is_drawn_in_the_row_of_the_metric_that_decides():
    ev = two()
    for margin, times in ((None, 0), (0.05, 1)):
        found = ev.compare(margin=margin, permutations=0)
        (chart,) = of_comparison(found, ev.names)["charts"]
        assert svg.picture(chart)[0].count('class="chance"') == times
    assert of_comparison(found, ev.names)["title"].endswith(", margin 0.05")


@pytest.mark.slow
def test_of_many_models_the_best_are_drawn_and_all_pairs_are_in_one_chart():
    ev = pages.binary(3000, tuple("abcd"))
    told = of_comparison(ev._compared, ev.names)
    assert len(told["charts"]) == 1 + MOST_DRAWN
    assert len(told["pairs"].rows) == 6
    aucs = {n: v["roc_auc"].value for n, v in ev.values().items()}
    best, *others = sorted(aucs, key=lambda n: -aucs[n])
    assert [c.title for c in told["charts"][1:]] == [f"{best} − {n}" for n in others]
    assert len(told["verdicts"]) == 3
    assert all(f" {best} " in v or v.startswith(best) for v in told["verdicts"])
    assert svg.picture(told["charts"][0])[0].count("</g>") == 2 + 6
    heads = told["pairs"].heads
    assert heads[4] == "p, corrected"
    assert [h for h in heads if h.startswith("p, M")] == ["p, McNemar, mid-p"]


@pytest.mark.slow
def test_more_pairs_than_can_be_read_are_left_to_the_json():
    names = tuple("abcdefg")
    ev = pages.binary(300, names)
    told = of_comparison(ev._compared, ev.names)
    assert len(told["pairs"].rows) == MOST_PAIRS
    assert "tests of 6 more pairs" in told["pairs"].more
    assert len(told["charts"]) == 2
    assert "The JSON holds the differences and tests of 6 more pairs." in section(ev)


@pytest.mark.slow
def test_hostile_names_are_text():
    told = section(pages.hostile())
    reader = Reader(f"<html>{told}</section></html>")
    assert not reader.all("b")
    assert not reader.all("script")
    assert pages.HOSTILE in "".join(reader.text)


@pytest.mark.slow
def test_curves_that_cross_are_told():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    wide = np.where(rng.random(4000) < 0.5, 5 * y, rng.normal(size=4000))
    ev = tm.evaluate(y, y_score={"even": rng.normal(size=4000) + y, "sharp": wide})
    (pair,) = ev._compared.pairs
    assert pair.verdict.kind == "crossing"
    told = html.unescape(section(ev))
    assert verdict_line(pair.verdict) in told
    assert words.sentence(crossing_sentence(pair.crossing)) not in told
    assert "<td>no single winner<td>" in told
    assert "Their ROC curves cross beyond chance, so neither is better everywhere" in (
        verdict_sentence(ev)
    )
    assert pair.crossing.to_dict()["shown"]
    strip = next(c for c in re.findall(r"<svg.*?</svg>", told, re.S) if LEADS_TITLE in c)
    drawn = re.findall(r'class="s(\d) leads" x=([\d.]+) y=\d+ width=([\d.]+)', strip)
    x = svg.Scale(0, 1, svg.LEFT, svg.WIDTH - svg.RIGHT)
    assert 0 < len(pair.crossing.regions) <= len(drawn)
    for region, (style, start, size) in zip(pair.crossing.regions, drawn, strict=False):
        assert ev.names[int(style)] == region.leader
        assert float(start) == pytest.approx(x(region.low), abs=0.1)
        assert float(start) + float(size) == pytest.approx(x(region.high), abs=0.2)


@pytest.mark.parametrize("names", ["a", "ab", "abc", "abcd"])
@pytest.mark.slow
def test_the_roc_curves_of_one_to_three_models_lie_in_bands(names):
    ev = pages.binary(300, tuple(names))
    text = page.render(ev)
    (roc,) = re.findall(r"<svg class=chart[^>]*data-chart=roc .*?</svg>", text, re.S)
    bands = re.findall(r'<polygon class="band own s(\d)"', roc)
    assert bands == [str(i) for i in range(len(names))] * (len(names) < 4)
    for name in names:
        assert f"data-name={name}>" in roc
    one = CURVE_KEYS["roc band"].format(level="95 %", name="")
    told = one if len(names) == 1 else "95 % confidence bands"
    assert (f"</svg>{told}<" in html.unescape(text)) == bool(bands)


@pytest.mark.slow
def test_the_page_says_how_often_its_table_marks_any_by_chance_and_who_is_probably_best():
    ev = two(400)
    told = " ".join(html.unescape(section(ev)).split())
    t = ev._compared.table_error
    assert t.tests == sum(d.level is not None for d in ev._compared.pairs[0].differences.values())
    (pair,) = ev._compared.pairs
    assert (
        f"{pair.first} − {pair.second} with its 95 % interval. A filled dot is significant, each "
        f"metric by itself. ↓ lower is better. {table_error_sentence(t)}"
    ) in told
    assert rank_line(ev._compared) in told
    assert "Probability of being best by ROC area: " in told


@pytest.mark.slow
def test_no_section_for_one_model():
    assert 'id="compare"' not in page.render(pages.decided())


@pytest.mark.parametrize("make", [pages.few_classes, lambda: pages.binary().at(prevalence=0.02)])
@pytest.mark.slow
def test_many_classes_and_other_balances_are_compared(make):
    ev = make()
    told = html.unescape(section(ev))
    assert verdict_line(ev._compared.verdicts[0]) in told
    pairs = len(ev._compared.pairs)
    assert told.count("<svg class=chart ") == pairs + (pairs > 1)  # one of them all


@pytest.mark.slow
def test_the_first_sentence_agrees_with_the_comparison():
    sure, unsure = two(2000, lift=1.0), two(200)
    assert "That lead is significant (p < 0.0001)." in verdict_sentence(sure)
    assert "That lead may be chance (p = 0." in verdict_sentence(unsure)
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 60), rng.random(60)
    assert "Both predict the same for every row." in verdict_sentence(
        tm.evaluate(y, y_score={"a": p, "b": p})
    )


def test_what_lies_beyond_the_axis_ends_in_an_arrow_and_what_is_undefined_says_so():
    axis = Axis("difference", -0.1, 0.1)
    far = Span("far", 0.4, 0.3, 0.5, "first")
    reaching = Span("reaching", 0.0, -0.3, 0.3, "open")
    nothing = Span("none", float("nan"), float("nan"), float("nan"), "open", missing="undefined")
    drawn = [
        svg.forest("", "t", "d", Forest(axis, [s], 0.0, "metric")) for s in (far, reaching, nothing)
    ]
    assert "m-5 -4l5 4 -5 4" in drawn[0]
    assert 'class="dot"' not in drawn[0]
    assert "m5 -4l-5 4 5 4" in drawn[1]
    assert "m-5 -4l5 4 -5 4" in drawn[1]
    assert ">undefined</text>" in drawn[2]
    assert "<circle" not in drawn[2]


@pytest.mark.slow
def test_the_page_of_twenty_models_ranks_them_first_and_is_small():
    ev = pages.binary(300, tuple(f"model_{i:02d}" for i in range(20)))
    text = page.render(ev)
    assert len(text.encode()) <= 500_000
    told = text[text.index('<section id="compare"') :]
    assert told.index("Ranking by ROC area") < told.index("<svg")
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])["pairs"]
    found = ev._compared
    assert len(data["of"]) == len(found.pairs) == 190
    place = {n: i for i, n in enumerate(found.names)}
    for p in found.pairs:
        texts = data["of"][f"{place[p.first]} {place[p.second]}"].split(";")
        for shown, d in zip(texts, p.differences.values(), strict=True):
            difference, low, high, _ = shown.replace("−", "-").split("|")
            assert float(difference) == pytest.approx(d.value, abs=0.006)
            if low:
                assert float(low) <= float(difference) + 0.006 <= float(high) + 0.012
    best = max(ev.names, key=lambda n: ev.values()[n]["roc_auc"].value)
    (drawn, *_) = re.findall(r"<figure class=led>.*?</figure>", text, re.S)
    lines = re.findall(r'<g class="?s\d( lead)?"? data-name=(\w+)>', drawn)
    assert len(lines) == 8
    assert lines[-1] == (" lead", best), "on top of the others"
    assert [led for led, _ in lines[:-1]] == [""] * 7


def test_pages_of_few_models_choose_no_pair():
    text = page.render(pages.binary())
    assert 'id="pick"' not in text
    assert '"pairs":' not in text
    assert "class=led" not in text.split("</style>")[1]
