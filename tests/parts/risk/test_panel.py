"""The section of the report page on what to answer and what to refer."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import tallymark as tm
from tallymark.report import page

RNG = np.random.default_rng(4)
P = RNG.beta(0.3, 0.3, 2000)
Y = (RNG.random(2000) < P).astype(int)


def section(ev):
    """Return the text of the section on a page, "" if it shows none."""
    found = re.search(r"<section id=\"refer\".*?</section>", page.render(ev), re.DOTALL)
    return html.unescape(found[0]) if found else ""


@pytest.fixture(scope="module")
def binary():
    ev = tm.evaluate(Y, y_score=P)
    return ev, page.render(ev)


def test_the_section_states_what_the_guarantee_of_four_risks_is(binary):
    ev, text = binary
    (shown,) = re.findall(r"<section id=\"refer\".*?</section>", html.unescape(text), re.DOTALL)
    limits = [x for x in ev.refer([0.01, 0.02, 0.05, 0.1]).limits if x.coverage]
    first, more = shown.split("</summary>", 1)
    share = f"{limits[0].coverage:.0%}".replace("%", " %")
    assert f"<summary>Answer or refer: Answer {share}, refer " in first
    assert first.endswith(" % of the answers wrong, with 90 % confidence.")
    for x in limits:
        assert (
            f"<p>Answer {x.coverage:.0%}".replace("%", " %")
            + f", refer {1 - x.coverage:.0%} to a human: ".replace("%", " %")
            + f"at most {100 * x.risk:g} % of the answers wrong. Answer a case if its confidence "
            f"is at least {x.threshold:.4g} ({x.wrong:,} of {x.answered:,} such answers here are "
            "wrong).</p>"
        ) in more
    assert len(limits) == more.count("<p>Answer ") > 1
    assert "All of these hold together with 90 % confidence." in shown
    assert shown.count("<svg class=chart") == 1
    assert '<a href="#refer">Answer or refer</a>' in text
    assert "Multiple testing in clinical trials" in text


def test_the_section_and_the_page_of_the_command_show_the_same_blocks(binary, tmp_path):
    ev, text = binary
    own = ev.refer([0.02, 0.05, 0.1]).report(tmp_path / "r.html").read_text("utf-8")
    kept = [x for x in ev.refer([0.01, 0.02, 0.05, 0.1]).limits if x.coverage]
    assert kept
    for words in ("Risk and coverage", "Each point is a least confidence", "chosen beforehand"):
        assert words in own
        assert words in text
    for x in kept:
        label = f"risk {100 * x.risk:g} %: answer"
        assert label in text


def test_the_headline_of_a_page_is_what_to_answer(binary, tmp_path):
    ev, _ = binary

    def headline(*risks, of=ev):
        path = of.refer(*[list(risks)] * bool(risks)).report(tmp_path / "r.html")
        return re.search("<h1>(.*?)</h1>.*?<main", path.read_text("utf-8"), re.DOTALL)

    (limit,) = ev.refer([0.1]).limits
    share, rest = (f"{100 * x:.0f} %" for x in (limit.coverage, 1 - limit.coverage))
    first = headline(0.1)
    assert first[1] == f"Answer {share} of the cases and refer {rest}."
    assert f"at least {limit.threshold:.4g}" in first[0]
    poor = tm.evaluate([0, 1] * 30, y_score=[0.4, 0.6, 0.6, 0.4] * 15)
    assert headline(0.02, of=poor)[1] == "No share is shown to have at most 2 % wrong."
    wrong = int(((P >= 0.5) != Y).sum())
    assert headline()[1] == f"{wrong:,} of 2,000 answers are wrong."


def test_a_risk_that_lets_every_case_be_answered_is_the_last_one():
    ev = tm.evaluate([0, 1] * 400, y_score=[0.02, 0.98] * 400)
    shown = section(ev)
    assert "Answer 100 %, refer none: at most 1 % of the answers wrong, with 90 % confi" in shown
    assert "at most 2 %" not in shown


def test_where_no_risk_can_be_kept_the_section_says_why():
    y, p = [0, 1] * 30, [0.4, 0.6, 0.6, 0.4] * 15
    assert (
        "No share of cases is shown to have at most 10 % of the answers wrong, with 90 % "
        "confidence: " in section(tm.evaluate(y, y_score=p))
    )


def test_the_best_of_several_models_is_named():
    shown = section(tm.evaluate(Y, y_score={"noise": P[::-1], "good": P}))
    assert "<summary>Answer or refer: good: Answer " in shown
    assert "<h3>good, 2,000 answers</h3>" in shown
    assert "noise" not in shown


def test_several_classes_have_the_section():
    scores = RNG.dirichlet([0.2] * 3, 500)
    y = np.array([RNG.choice(3, p=row) for row in scores])
    shown = section(tm.evaluate(y, y_score=scores))
    assert "AURC, area under the risk-coverage curve" in shown  # no metric of the page lists it
    assert "at most 10 % of the answers wrong" in shown


def test_clustered_rows_have_the_curve_without_a_guarantee():
    shown = section(tm.evaluate(Y, y_score=P, cluster=np.arange(2000) // 4))
    assert "Rows are in clusters" in shown
    assert "answers are wrong: error rate" in shown.split("</summary>")[0]
    assert "at most" not in shown.split("<figure>")[0]


@pytest.mark.parametrize("use", ["ranking", "marketing", "teaching"])
def test_uses_that_rank_cases_or_teach_do_not_show_it(use):
    assert not section(tm.evaluate(Y[:200], y_score=P[:200], use=use))


@pytest.mark.parametrize(
    "ev",
    [
        tm.evaluate(Y[:200], (P[:200] > 0.5).astype(int)),
        tm.evaluate(Y[:200], y_score=P[:200] * 7 - 3),
        tm.evaluate(Y[:200], y_score=P[:200], weight=P[:200] + 1),
        tm.evaluate(Y[:200], y_score=P[:200]).at(prevalence=0.1),
        tm.evaluate([{"a"}, {"a", "b"}, set()] * 9, [{"a"}, {"a"}, {"b"}] * 9),
    ],
    ids=["decisions", "scores", "weights", "another prevalence", "several labels"],
)
def test_without_probabilities_of_rows_there_is_none(ev):
    assert not section(ev)
