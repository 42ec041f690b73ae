"""What the first chart marks: the recommended threshold, a budget, stated rates, single rows."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest

import tallymark as tm
from asymmetric import FIRST, ILL, SECOND, STEEP, cells, judged
from report import pages
from tallymark.findings.advice import CHECKED, advice_rules
from tallymark.infer.operating_points import budget_cut
from tallymark.report import page
from tallymark.report.drawing import Dots
from tallymark.report.pieces import figure
from tallymark.report.subjects.advice import TOPICS
from tallymark.report.subjects.curve_charts import first_chart, parted
from tallymark.report.subjects.decision import decision
from tallymark.report.subjects.steps import steps, steps_in_full
from tallymark.report.subjects.summary import brief, title_of


def top(ev):
    return parted(ev, decided(ev))[0]


def decided(ev):
    return ev.names[-1]


def costs_of(score, fp, fn, threshold):
    """Return the mean cost of the decisions at a threshold."""
    _, alarms, misses, _ = cells(score, threshold=threshold)
    return (fp * alarms + fn * misses) / 1000


def height(line, x):
    """Return the value of a drawn step function at a threshold."""
    above = [(a, b) for a, b in zip(line.x, line.y, strict=True) if a >= x]
    return min(above)[1]


def test_with_costs_the_first_chart_is_the_cost_of_each_threshold():
    ev = judged({"second": SECOND}).at(cost_fp=1, cost_fn=50)
    to = decision(ev).threshold
    here, now = (costs_of(SECOND, 1, 50, t) for t in (to, 0.5))
    for chart in (top(ev), first_chart(ev)):
        assert (chart.kind, chart.title) == ("expected_cost", "Expected cost by threshold")
        d, (line,) = chart.drawn, [s.curve for s in chart.drawn.series]
        assert (d.x.label, d.y.label) == ("threshold", "expected cost per row")
        assert d.now == (0.5, pytest.approx(now))
        assert d.dots == [(to, pytest.approx(here), 0)]
        assert line.step == "post"
        for t in (0.5, to):
            assert height(line, t) == pytest.approx(costs_of(SECOND, 1, 50, t)), "exact at marks"
        off = [abs(height(line, t) - costs_of(SECOND, 1, 50, t)) for t in np.arange(0, 1, 0.01)]
        assert max(off) <= line.error + 1e-9 < 0.05
        (level,) = d.guides
        assert (level.kind, [*level.x], [*level.y]) == ("chance", [0, 1], [0.9, 0.9])
        assert [k.meaning for k in chart.keys] == ["acting on every row: 0.900"]
        assert [(m.form, m.meaning) for m in chart.marks] == [
            ("open", "now, at 0.5, the default"),
            ("first", f"recommended: second at {to:.4g} ({here:.3f} on these rows)"),
        ]
        assert chart.description == (
            f"Expected cost per row by threshold. second at 0.5: {now:.3f}; "
            f"second at {to:.4g}: {here:.3f}; acting on every row: 0.900."
        )
    assert chart.words == (
        "What each threshold costs on these rows, where a false alarm costs 1 and a missed ill row "
        "50. The lowest point was chosen on these same rows, so expect slightly more on new ones."
    )
    drawn = figure(chart)
    assert '<circle class="dot s0"' in drawn
    x, y = 46 + 0.5 * 342, 268 - 258 * now / d.y.high
    assert f'<circle class="marker" r="6" cx="{x:.10g}" cy="{y:.1f}"/>' in drawn
    # Where acting on none is cheaper, it is the reference.
    (level,) = top(judged({"second": SECOND}).at(cost_fp=50, cost_fn=1)).drawn.guides
    assert [*level.y] == [0.1, 0.1]


def test_the_costs_of_other_models_are_grey_and_the_best_one_keeps_its_colour():
    ev = judged({"first": FIRST, "second": SECOND}).at(cost_fp=1, cost_fn=50)
    to, chart = decision(ev).threshold, top(ev)
    assert (chart.lead, chart.own) == (1, True)
    five = {f"m{i}": np.roll(FIRST, i) for i in range(4)} | {"second": SECOND}
    of_five = top(judged(five).at(cost_fp=1, cost_fn=50)).drawn
    (line,) = (s.curve for s in of_five.series if s.name == "second")
    for t in (0.5, to):
        assert height(line, t) == pytest.approx(costs_of(SECOND, 1, 50, t)), "exact at marks"
    assert [s.name for s in chart.drawn.series] == ["first", "second"]
    assert chart.drawn.dots == [(to, pytest.approx(costs_of(SECOND, 1, 50, to)), 1)]
    drawn = figure(chart)
    assert drawn.startswith('<figure class="led" style="--c0:var(--c1)">')
    assert '<g class="s0" data-name="first">' in drawn
    assert '<g class="s1 lead" data-name="second">' in drawn
    assert '<svg class="s1 lead" viewBox="0 0 10 10"' in drawn
    four = judged({"a": FIRST, "b": SECOND, "c": FIRST, "d": STEEP}).at(cost_fp=1, cost_fn=50)
    chart = top(four)
    assert (chart.lead, chart.own) == (1, False)
    assert [k.meaning for k in chart.keys][-1] == "3 other models"


def test_costs_leave_the_first_chart_of_a_campaign_and_of_given_decisions():
    models = {"second": SECOND}
    assert top(judged(models)).kind == "roc"
    assert top(judged(models, use="medicine").at(cost_fp=1, cost_fn=50)).kind == "expected_cost"
    assert top(judged(models, use="marketing").at(cost_fp=1, cost_fn=50)).kind == "gain"
    given = tm.evaluate(ILL.astype(int), (SECOND > 0.5).astype(int), y_score=SECOND)
    chart = top(given.at(cost_fp=1, cost_fn=50))
    assert (chart.kind, chart.drawn.now) == ("expected_cost", None)
    assert not [m for m in chart.marks if m.form == "open"]


def test_the_roc_curve_marks_the_threshold_of_the_headline():
    ev = judged({"second": SECOND}).at(cost_fp=1, cost_fn=50)
    to = decision(ev).threshold
    tp, fp, _, _ = cells(SECOND, threshold=to)
    chart = parted(ev, decided(ev))[2][0].curves[0]
    (dot,) = chart.drawn.dots
    assert dot == (pytest.approx(fp / 900), pytest.approx(tp / 100), 0)
    assert [(m.form, m.meaning) for m in chart.marks] == [
        ("open", "now, at 0.5, the default"), ("first", f"recommended: second at {to:.4g}"),
    ]  # fmt: skip
    assert '<circle class="dot s0"' in figure(chart)
    assert [*top(judged({"second": SECOND})).marks] == []


def test_a_gain_curve_marks_the_budget_of_the_numbers():
    ev = judged({"first": FIRST, "second": SECOND}, use="marketing")
    chart = top(ev)
    gains = [ev.values()[name]["gain_at"].value for name in ev.names]
    assert chart.drawn.dots == [(0.1, gain, i) for i, gain in enumerate(gains)]
    assert [m.meaning for m in chart.marks] == ["the best 10 %, as in the numbers"]
    assert [0.1, 0.1] in [list(g.x) for g in chart.drawn.guides]
    text = page.render(ev)
    overview = text[text.index('<section id="overview"') : text.index('<section id="advice"')]
    assert "<table class=matrix" not in overview
    assert "Decisions at 0.5" not in text[: text.index('<section id="advice"')]


def test_a_campaign_begins_with_the_threshold_of_its_budget():
    ev = judged({"first": FIRST, "second": SECOND}, use="marketing")
    scores = np.sort(np.asarray(SECOND))
    cut = budget_cut(ev.models[1].scores[0], 0.1)
    assert (scores >= cut).sum() <= 100 < (scores >= scores[scores < cut].max()).sum()
    text = page.render(ev)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    assert data["budget"] == "the best 10 %"
    at = [m["t"].split()[m["begin"]] for m in data["models"]]
    assert (scores >= float(at[1])).sum() == (scores >= cut).sum()
    assert f">second at {at[1]}, the best 10 %<" in text
    hits, alarms, _, _ = cells(SECOND, threshold=cut)
    assert (
        f", second misses {100 - hits:.0f} of 100 ill rows and raises a false alarm for {alarms:.0f} of"
        in text
    )
    # More rows than the budget have the highest score.
    y = np.arange(50) % 2
    tied = tm.evaluate(y, y_score=np.where(np.arange(50) < 20, 0.9, 0.1), use="marketing")
    assert budget_cut(tied.models[0].scores[0], 0.1) == 0.9
    other = json.loads(re.search(r'id="data">(.*?)</script>', page.render(judged()), re.S)[1])
    assert "budget" not in other
    assert not any("begin" in m for m in other["models"])


def test_the_threshold_of_a_budget_has_the_digits_that_it_takes():
    ev = pages.USED["marketing"]()
    (written,) = set(re.findall(r">a at ([0-9.]+), the best 10 %<", page.render(ev)))
    scores, cut = ev.models[0].scores[0].scores, ev.models[0].threshold
    assert ((scores >= float(written)) == (scores >= cut)).all()
    assert not ((scores >= float(written[:-1])) == (scores >= cut)).all()


@pytest.mark.parametrize(("budget", "depth", "amount"), [
    ("20%", 0.2, "20 %"), ("0.2", 0.2, "20 %"), (0.2, 0.2, "20 %"), ("250", 0.25, "250"),
    (250, 0.25, "250"), (1, 0.001, "1"), ("100%", 1.0, "100 %"),
])  # fmt: skip
def test_a_campaign_is_judged_at_a_stated_budget(budget, depth, amount, tmp_path):
    ev = judged({"second": SECOND}, use="marketing").at(budget=budget)
    n = round(1000 * depth)
    best = np.argsort(-np.asarray(SECOND), kind="stable")[:n]
    last = np.asarray(SECOND)[best[-1]]
    ill = np.asarray(ILL)
    above, tied = np.asarray(SECOND) > last, np.asarray(SECOND) == last
    hits = ill[above].sum() + ill[tied].mean() * (n - above.sum())
    expected = {"gain_at": hits / 100, "response_rate_at": hits / n, "lift_at": hits / n / 0.1}
    for name, value in expected.items():
        assert ev[name].value == pytest.approx(value)
        assert ev.values()["second"][name] == ev[name]
        assert title_of(ev, name).endswith(f" in the best {amount}")
    assert list(brief(ev)) == ["lift_at", "gain_at", "response_rate_at", "roc_auc"]
    assert ev["top_decile_lift"] == judged({"second": SECOND})["top_decile_lift"]
    chart = top(ev)
    assert chart.drawn.dots == [(pytest.approx(depth), pytest.approx(hits / 100), 0)]
    assert [m.meaning for m in chart.marks] == [f"the best {amount}, as in the numbers"]
    assert (
        ev.advise()
        .statements[0]
        .text.startswith(f"You use the ranking: report lift in the best {amount} (")
    )
    assert ev.to_dict()["verdict"].startswith(f"The best {amount} contain {hits:.0f} %")
    text = page.render(ev)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    assert data["budget"] == f"the best {amount}"
    assert f"Of the {amount} that second scores highest {100 * hits / n:.1f}" in text.replace(
        "100 % respond", "100.0 % respond"
    )
    assert f"Lift in the best {amount}" in text[text.index('<section id="all"') :]
    assert "the best 10 %" not in text
    ev.to_json(tmp_path / "saved.json")
    assert tm.read(tmp_path / "saved.json").budget == ev.budget


@pytest.mark.parametrize(("budget", "message"), [
    *((bad, f"budget is {bad!r}; give a share of the rows such as '20%' or 0.2, or a number of rows "
       "such as 500") for bad in ("abc", 0, -3, 1.5, "120%", True)),
    (1001, "budget is 1,001 rows, and there are 1,000; give a budget of at most 1,000"),
])  # fmt: skip
def test_a_budget_that_is_none_is_refused(budget, message):
    with pytest.raises(tm.InputError) as refused:
        judged({"second": SECOND}, use="marketing").at(budget=budget)
    assert str(refused.value) == message
    with pytest.raises(tm.InputError, match="^budget=... is for use='marketing'; give use="):
        judged({"second": SECOND}).at(budget=0.2)


def test_a_det_curve_marks_the_rates_of_the_numbers():
    ev = judged({"second": SECOND}, use="biometrics")
    values = ev.values()["second"]
    chart = top(ev)
    eer = values["equal_error_rate"].value
    expected = [(eer, eer), (0.01, values["fmr100"].value), (0.001, values["fmr1000"].value)]
    assert [(x, y) for x, y, _ in chart.drawn.dots] == [p for p in expected if max(p) <= 0.6]
    assert len(chart.drawn.dots) >= 2
    assert [m.meaning for m in chart.marks] == [
        "in the numbers: the EER, and the FNMR at each FMR on these axes"
    ]


FEW_Y = [1, 1, 1, 0, 0, 0, 0, 1]
FEW_P = [0.9, 0.4, 0.7, 0.6, 0.1, 0.1, 0.2, 0.7]


def test_few_rows_are_drawn_one_by_one():
    ev = tm.evaluate(FEW_Y, y_score=FEW_P)
    chart = first_chart(ev)
    assert isinstance(chart.drawn, Dots)
    assert chart.heading == "6 of 8 rows are right at 0.5"
    assert chart.drawn.cut == 0.5
    (positive, ones), (negative, zeros) = chart.drawn.lanes
    assert (positive, negative) == ("1", "0")
    assert sorted(ones) == [(0.4, False), (0.7, True), (0.7, True), (0.9, True)]
    assert sorted(zeros) == [(0.1, True), (0.1, True), (0.2, True), (0.6, False)]
    assert [m.meaning for m in chart.marks] == [
        "right", "wrong", "threshold 0.5: positive from here on",
    ]  # fmt: skip
    drawn = figure(chart)
    assert drawn.count('<g class="s0"><circle') == 6
    assert drawn.count('<g class="s1"><path') == 2
    places = re.findall(
        r'class="s\d"><\w+ class="dot" (?:cx="(\S+)" cy="(\S+)"|d="M(\S+) (\S+)m)', drawn
    )
    assert len({tuple(filter(None, p)) for p in places}) == 8, "no dot hides another"
    two = tm.evaluate(FEW_Y, y_score={"a": FEW_P, "b": [1 - p for p in FEW_P]})
    assert first_chart(two).heading == "a: 6 of 8 rows are right at 0.5"


def test_the_curve_is_drawn_for_more_rows_and_for_decisions_without_a_threshold():
    y, p = np.tile(FEW_Y, 7), np.tile(FEW_P, 7)
    assert isinstance(first_chart(tm.evaluate(y[:50], y_score=p[:50])).drawn, Dots)
    assert first_chart(tm.evaluate(y[:51], y_score=p[:51])).kind == "roc"
    assert first_chart(tm.evaluate(FEW_Y, FEW_Y, y_score=FEW_P)).kind == "roc"
    assert first_chart(tm.evaluate(FEW_Y, y_score=FEW_P, use="marketing")).kind == "gain"
    weighted = tm.evaluate(FEW_Y, y_score=FEW_P, weight=[1.0, 2.0] * 4)
    assert first_chart(weighted).kind == "roc"


def test_the_page_shows_the_same_steps_as_the_terminal_with_their_tags():
    ev = judged({"second": SECOND}).at(cost_fp=1, cost_fn=50)
    text = html.unescape(page.render(ev))
    start = text.index('<div class="steps"')
    shown = re.findall(
        r'<p class="(\w+)"><strong>([^<]+)</strong> ', text[start : text.index("</section>", start)]
    )
    full, others = steps_in_full(ev)
    brief = [s for s in steps(ev) if s.tag != "note" and ": --full" not in s.text]
    assert [s.tag for s in full] == [s.tag for s in brief] == [tag for tag, _ in shown]
    assert {*shown} <= {("do", "● Do"), ("check", "▲ Check first"), ("open", "? Open")}
    for whole, short in zip(full, brief, strict=True):
        assert whole.text.split()[:4] == short.text.split()[:4]
        assert f"</strong> {whole.text}</p>" in text
    assert not {w for w in others if any(w == s.text for s in full)}


def test_what_was_checked_is_in_words():
    rules = {code for code, rule in advice_rules().items() if rule.section in CHECKED}
    assert {*TOPICS} <= rules
    ev = judged({"second": SECOND})
    passed = ev.advise().passed
    text = html.unescape(page.render(ev))
    shown = re.search("<h3>Checked, nothing found</h3>\n?<p class=faint>([^<]+)</p>", text)[1]
    assert shown.lower().rstrip(".") == ", ".join(TOPICS[code] for code in passed).lower()
    assert ILL.sum() == 100


def test_a_stated_budget_decides_who_is_contacted(tmp_path):
    ev = judged({"first": FIRST, "second": SECOND}, use="marketing").at(budget=80)
    for model, scores in zip(ev.models, (FIRST, SECOND), strict=True):
        ranked = np.sort(scores)[::-1]
        cut = max(s for s in ranked if (ranked >= s).sum() > 80)
        hits, alarms, missed, cleared = cells(scores, threshold=np.nextafter(cut, 1))
        assert model.labels.counts.tolist() == [[hits, missed], [alarms, cleared]]
        assert 0 < hits + alarms <= 80
    text = page.render(ev)
    assert "Decisions at each model&#39;s threshold for the best 80." in text
    assert "0.5, the default" not in text
    ev.to_json(tmp_path / "saved.json")
    again = tm.read(tmp_path / "saved.json")
    assert [m.labels for m in again.models] == [m.labels for m in ev.models]
    one = ev.model("second").at(threshold=0.5)
    assert (one.budget, one.models[0].threshold) == (None, 0.5)
    with pytest.raises(tm.InputError) as refused:
        ev.at(threshold=0.5, budget=80)
    assert str(refused.value) == (
        "threshold=... and budget=... both say which rows are contacted; give one"
    )


def test_a_campaign_is_not_warned_of_accuracy():
    y = np.repeat([0, 1], [960, 40])
    score = np.concatenate([np.linspace(0, 0.8, 960), np.linspace(0.4, 0.9, 40)])

    def checks(**use):
        return [s.text for s in steps(tm.evaluate(y, y_score=score, **use)) if s.tag == "check"]

    assert any(text.startswith("96.0 % of the rows are 0: ") for text in checks())
    assert not any("accuracy" in text for text in checks(use="marketing"))
