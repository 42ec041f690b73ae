"""What a page shows in the words of a use: every number is the evaluation's own."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import tallymark as tm
from judged import counted
from report import pages
from tallymark.report import page, svg, words
from tallymark.report.drawing import Nomogram
from tallymark.report.subjects.curve_charts import CURVE_KEYS
from tallymark.report.subjects.in_use import ACCURACY, WORKED, in_use
from tallymark.report.subjects.summary import title_of


def judged(use, **options):
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1.4, 1.0)))
    return tm.evaluate(np.where(y, "sick", "well"), y_score=p, positive="sick", use=use, **options)


def counts(ev):
    return ev.models[0].labels.binary("sick")


def text_of(cell):
    return cell if isinstance(cell, str) else cell.text


def test_formulas_are_worked_out_with_the_counts_of_these_rows():
    ev = judged("teaching")
    c, values = counts(ev), ev.values()["model"]
    rows = in_use(ev).tables[0].rows
    assert len(rows) == len(WORKED)
    for title, formula, filled, value in rows:
        title, _, opinion = title.partition(" (")
        name = next(n for n in WORKED if title_of(ev, n) == title)
        assert opinion == (
            "substantial, as Landis and Koch call it)" if name == "cohen_kappa" else ""
        )
        assert re.search("[TF][PN]", formula)
        assert not re.search("[TF][PN]", filled)
        python = filled.replace("·", "*").replace("√", "math.sqrt")
        assert eval(python, {"math": math}) == pytest.approx(values[name].value, rel=1e-12)
        assert value.text == words.value(values[name])
        assert value.key == f"models.0.values.{name}"
    assert f"TP {c.tp:.0f}, FP {c.fp:.0f}, FN {c.fn:.0f}, TN {c.tn:.0f}" in in_use(ev).sentence


def test_the_table_of_thresholds_is_that_of_the_evaluation():
    ev = judged("teaching")
    every, shown = (
        ev.thresholds().to_dicts(),
        in_use(ev).folded["The counts and rates at each threshold"],
    )
    assert list(shown.heads) == list(every[0])
    assert 10 <= len(shown.rows) <= 21
    assert list(shown.rows[0][1:5]) == [f"{every[0][k]:.0f}" for k in ("TP", "FN", "TN", "FP")]


@pytest.mark.slow
def test_what_is_printed_wrongly_stands_beside_what_is_right():
    ev = judged("teaching")
    title = "Formulas that a source prints wrongly"
    assert title not in in_use(ev).folded
    shown = in_use(ev, as_printed=True).folded[title]
    for row, known in zip(shown.rows, ev.as_printed(), strict=True):
        title, printed, gives, right, wrong = row
        assert (title, printed.text, printed.under) == (
            known["metric"], known["printed"], known["source"]
        )  # fmt: skip
        assert (gives, right) == tuple(words.number(known[k]) for k in ("as_printed", "right"))
        assert wrong == known["wrong"]


def test_a_diagnostic_test_is_reported_as_stard_asks():
    ev = judged("medicine")
    c, values, shown = counts(ev), ev.values()["model"], in_use(ev)
    cross, accuracy = shown.tables
    assert [list(map(text_of, row)) for row in cross.rows] == [
        ["test positive", *(f"{n:.0f}" for n in (c.tp, c.fp, c.tp + c.fp))],
        ["test negative", *(f"{n:.0f}" for n in (c.fn, c.tn, c.fn + c.tn))],
        ["total", *(f"{n:.0f}" for n in (c.positives, c.negatives, c.total))],
    ]
    for name, row in zip(ACCURACY, accuracy.rows, strict=True):
        title, of, value = map(text_of, row)
        assert title == title_of(ev, name)
        assert value == words.value(values[name])
        assert row[-1].under == words.interval(values[name])
        if of:
            part, whole = map(float, of.split(" / "))
            assert part / whole == pytest.approx(values[name].value)


def test_post_test_probabilities_are_the_predictive_values():
    ev = judged("medicine")
    values, shown = ev.values()["model"], in_use(ev)
    after = words.share(values["precision"].value)
    missed = words.share(1 - values["negative_predictive_value"].value)
    assert (
        f"is {after} after a positive result and {missed} after a negative result" in shown.sentence
    )
    assert "Nomogram" not in shown.sentence
    assert [name for name, _ in shown.charts[0].drawn.results] == ["positive", "negative"]


def test_a_line_of_the_nomogram_passes_through_its_likelihood_ratio():
    drawn = svg.nomogram("t", "d", Nomogram(0.2, [("positive", 10.0)]))
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)">([\d.]+)</text>', drawn)
    axes = {}
    for x, y, value in texts:
        axes.setdefault(float(x), {})[float(value)] = float(y) - 4
    left, middle, right = (axes[x] for x in sorted(axes))
    (x0, y0, x1, y1) = map(
        float, re.search(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", drawn).groups()
    )
    assert y0 == pytest.approx(left[20.0], abs=0.2)
    assert (y0 + y1) / 2 == pytest.approx(middle[10.0], abs=0.2)
    odds = 0.25 * 10
    below, above = right[70.0], right[80.0]
    assert above < y1 < below
    assert odds / (1 + odds) == pytest.approx(0.714, abs=1e-3)
    assert (x0, x1) == (70, 330)


@pytest.mark.slow
def test_a_campaign_shows_the_response_of_each_tenth():
    ev = judged("marketing")
    d, shown = ev.curve("deciles"), in_use(ev)
    rows = [list(map(text_of, row)) for row in shown.tables[0].rows]
    assert [row[3] for row in rows] == [words.percent(y) for y in d.y]
    assert rows[-1][-1] == "100.0 %"
    assert rows[0][5] == words.number(ev["top_decile_lift"].value)
    assert rows[0][6] == words.percent(ev["gain_at"].value)


@pytest.mark.slow
def test_defects_show_the_distance_to_the_ideal_point():
    ev = judged("defects")
    values, shown = ev.values()["model"], in_use(ev)
    away = math.hypot(values["false_positive_rate"].value, 1 - values["sensitivity"].value)
    assert f"{words.number(away)} away from the ideal point" in shown.sentence
    assert values["balance"].value == pytest.approx(1 - away / math.sqrt(2))
    titles = [text_of(row[0]) for row in shown.tables[0].rows]
    assert titles[:3] == [
        "Probability of detection (pd)",
        "Probability of false alarm (pf)",
        "Balance",
    ]
    text = page.render(ev)
    assert CURVE_KEYS["roc ideal"] in text
    assert CURVE_KEYS["roc ideal"] not in page.render(judged("decisions"))


@pytest.mark.parametrize("use", ["medicine", "marketing", "defects", "teaching"])
@pytest.mark.slow
def test_the_section_is_shown_and_linked(use):
    ev = judged(use)
    text = page.render(ev)
    shown = in_use(ev)
    assert f'<h2 id="use-title">{shown.title}</h2>' in text
    assert f'<a href="#use">{shown.title}</a>' in text
    assert "\\x" not in text[text.index('id="use"') : text.index('id="threshold"')]


@pytest.mark.parametrize("use", ["medicine", "marketing", "defects", "teaching"])
def test_a_section_needs_rows_of_both_of_two_classes(use):
    one = tm.evaluate([0] * 9, y_score=np.linspace(0, 1, 9), positive=1, classes=[0, 1], use=use)
    assert in_use(one) is None
    assert 'id="use"' not in page.render(one)
    three = tm.evaluate([0, 1, 2] * 9, [0, 1, 1] * 9, use=use)
    assert in_use(three) is None


@pytest.mark.slow
def test_decisions_alone_are_worked_out_too():
    ev = counted([[70, 30], [20, 80]], use="teaching")
    assert in_use(ev).folded == {}
    plain = counted([[70, 30], [20, 80]])
    assert in_use(plain) is None
    assert list(in_use(plain, as_printed=True).folded) == ["Formulas that a source prints wrongly"]
    assert in_use(counted([[70, 30], [20, 80]], use="marketing")) is None
    assert in_use(pages.binary()) is None
    perfect = in_use(counted([[50, 0], [0, 50]], use="medicine"))
    assert perfect.charts == ()
    assert "is 100 % after a positive result and 0 % after a negative result" in perfect.sentence
