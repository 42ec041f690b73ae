"""Cards of results in a notebook, and the pieces that they and the page are made of."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import tallymark as tm
from report import pages
from tallymark.report import words
from tallymark.report.pieces import section
from tallymark.report.subjects.advice import folded_advice
from tallymark.report.subjects.comparison import drawn_comparison
from tallymark.report.subjects.decision import decision
from tallymark.report.subjects.evaluation import tiles
from tallymark.report.subjects.steps import steps_in_full
from tallymark.report.subjects.thresholds import thresholds


class Cells(HTMLParser):
    """Reads the text of every table cell and list item, with its key."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str | None, list[str]]] = []
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("td", "li", "p"):
            self.inside = True
            self.found.append((dict(attrs).get("data-key"), []))

    def handle_endtag(self, tag):
        if tag in ("td", "li", "p"):
            self.inside = False

    def handle_data(self, data):
        if self.inside and data.strip():
            self.found[-1][1].append(data.strip())


def at(tree, key):
    for part in key.split("."):
        tree = tree[int(part) if isinstance(tree, list) else part]
    return tree


@pytest.mark.parametrize("name", ["binary", "few_classes", "labels_only", "one_class", "cancer"])
@pytest.mark.slow
def test_every_number_of_the_card_is_the_one_at_its_key(name):
    ev = pages.EVERY[name]()
    told = ev.to_dict()
    read = Cells(ev._repr_html_()).found
    numbers = counts = 0
    for key, texts in read:
        if key is None:
            continue
        there = at(told, key)
        if isinstance(there, dict):
            ends = ("value", "low", "high")
            ends = [np.nan if there[end] is None else there[end] for end in ends]
            assert texts[0] == words.to_width(*ends)[0]
            under = texts[-1].replace("\N{BLACK STAR}", "")
            if there["low"] is not None:
                assert under == words.between(there["low"], there["high"])
            elif there["reason"]:
                assert under == there["reason"]
            numbers += 1
        elif isinstance(there, float):
            assert texts[0] == words.count(there)
            counts += 1
        else:
            assert texts == [there]
    assert " ".join(" ".join(texts) for _, texts in read[:2]) == told["verdict"]
    assert numbers == 4 * len(ev.models)
    assert counts == len(ev.models) * len(ev.classes) ** 2
    assert not re.findall(r"<td(?! data-key)[^>]*>[-\d.]", ev._repr_html_())


def test_the_card_says_what_was_read_and_counts_other_warnings():
    ev = tm.evaluate(["a"] * 30 + ["b"] * 2, y_score=[0.0] * 31 + [1.0], positive="b",
                     subgroup={"at": ["x", "y"] * 16}, cluster=[0, 1] * 16)  # fmt: skip
    html = ev._repr_html_()
    warned = [n for n in ev.notes if n.severity == "warning"]
    assert len(warned) > 3
    assert html.count('<p class="check"><strong>▲ Check first</strong> ') == 3
    assert f"{words.many(len(warned) - 2, 'more warning')}: print(ev) shows all" in html
    assert "Read as: truth = `y_true` (b is positive)" in html
    for part in (decision(ev).title, decision(ev).lead):
        assert part in html.replace("&#39;", "'")


@pytest.mark.slow
def test_a_card_leaves_the_notebook_around_it_alone():
    html = pages.binary()._repr_html_()
    style = re.search("<style>(.*)</style>", html, re.S)[1]
    selectors = [s for rule in re.findall(r"([^{}]+)\{", style) for s in rule.split(",")]
    assert len(selectors) > 50
    assert all(re.match(r"\.tallymark\b", s.strip()) for s in selectors)
    assert not re.search(r"<h\d|\bid=|url\(|@import|<script", html)
    assert re.search(r"\.tallymark\{[^}]*background:transparent", style)


@pytest.mark.slow
def test_names_as_long_as_texts_are_cut():
    name = "<b>" * 2000
    scores = {name + str(i): np.random.default_rng(i).random(100) for i in range(3)}
    ev = tm.evaluate([name, "b"] * 50, y_score=scores, positive=name)
    html = ev._repr_html_()
    assert len(html.encode()) < 60_000
    assert "<b>" not in html
    assert max(map(len, repr(ev).splitlines())) <= 200
    drawn = re.findall(r' d="([^"]*)', pages.logits()._repr_html_())
    assert max(map(len, drawn)) > 1600
    assert not any("…" in path for path in drawn)


@pytest.mark.slow
def test_of_several_models_of_many_classes_the_chart_says_whose_it_is():
    html = pages.few_classes()._repr_html_()
    assert "No class has an error by forest" in html
    wide = pages.many_classes(22, 300)._repr_html_()
    assert "The worst 20 of 22 classes, by F1." in wide
    assert "true ↓" not in wide


@pytest.mark.parametrize(
    ("name", "options", "shown"),
    [
        ("roc", {"band": "vertical"}, "ROC curve"),
        ("roc", {}, "sensitivity (recall) against false positive rate"),
        ("calibration", {}, "Calibration"),
        ("f1", {}, "F1 by threshold"),
        ("far", {}, "false positive rate by threshold"),
        ("precision", {"over": "prevalence"}, "precision against prevalence"),
    ],
)
def test_a_curve_is_drawn(name, options, shown):
    html = pages.binary().model("forest").curve(name, **options)._repr_html_()
    assert shown in html
    assert ("band own" in html) == bool(options)
    assert html.count("<svg") == 1


def test_the_worst_subgroups_come_first_and_twenty_are_shown():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    where = rng.integers(0, 30, 3000)
    ev = tm.evaluate(y, np.where(where == 7, 1 - y, y), subgroup={"where": where})
    parts = ev.by("where")
    html = parts._repr_html_()
    told = parts.to_dict()
    keyed = [(at(told, key), texts) for key, texts in Cells(html).found if key]
    assert len(keyed) == 4 * 20  # rows, MCC and the two rates
    for there, texts in keyed:
        if isinstance(there, int):
            assert texts[0] == words.count(there)
        else:
            assert texts[0] == words.to_width(there["value"], there["low"], there["high"])[0]
    rows = re.findall('<th scope="row">([^<]*)', html)
    assert rows[0] == "7"
    assert len(rows) == 20
    assert "The 20 worst are shown" in html


def test_a_threshold_is_told_on_these_rows_and_on_new_ones():
    one = pages.binary().model("forest")
    found = one.optimal_threshold("f1", within={"fpr": 0.1})
    html = found._repr_html_()
    assert html.count("<tr>") == 1 + 2
    assert words.interval(found.best.corrected) in html
    none = one.optimal_threshold(within={"fpr": 0.0001, "tpr": 0.9999})._repr_html_()
    assert "no threshold keeps these limits" in none
    assert "<table" not in none


def test_a_threshold_on_the_page_decides_as_the_one_that_was_chosen():
    ev = tm.evaluate(tm.example("credit"), truth="outcome", positive="bad", score="forest")
    choices = ev._optimal_thresholds()["forest"].values()
    chosen = iter(choices)
    rows = [row for row in thresholds(ev).rows if row[1]]
    leads = [row for row in rows if row[1] != "the same with 95 % confidence"]
    (sure,) = (row for row in rows if row not in leads)
    (confident,) = (c.confident for c in choices if c.confident is not None)
    ours, theirs = (ev.at(threshold=t)["fpr"].value for t in (float(sure[2]), confident))
    assert ours == theirs < 0.05
    assert len(leads) > 3
    for _, _, threshold, *_ in leads:
        best = next(chosen).best
        assert ev.at(threshold=float(threshold))[best.metric].value == best.value


def test_every_difference_of_a_comparison_is_the_one_at_its_key():
    found = pages.cancer()._compared
    told = found.to_dict()
    keyed = [(at(told, key), texts[0]) for key, texts in Cells(found._repr_html_()).found if key]
    per_pair = len(found.pairs[0].differences)
    assert len(keyed) == 3 * per_pair + 3
    known = [(value, text) for value, text in keyed if value is not None]
    for value, text in known:
        if math.isinf(float(value)):
            assert text == ("∞" if float(value) > 0 else "−∞")
            continue
        digits = len(text.partition(".")[2])
        assert text == f"{float(value):+.{digits}f}".replace("-", "−")
        assert digits >= 2
    assert len(keyed) - len(known) == 1  # of two infinite log losses


def test_long_tables_are_cut():
    table = pages.cancer().table()
    html = table._repr_html_()
    assert html.count("<tr>") == 1 + 60
    assert f"and {len(table) - 60} more rows" in html


def test_help_lists_what_there_is_and_nothing_else():
    ev = pages.cancer()
    branches = {b.title.split(":")[0]: b for b in ev.help()._branches}
    assert set(branches["Ranking"].leaves) <= set(ev.values()["bayes"])
    assert branches["Curves"].call == "ev.model('logistic').curve(\"roc\")"
    for call in (
        "ev.compare(*models, against, metric, ...)",
        "ev.report(path, as_printed)",
        "ev.model(name)",
    ):
        assert call in branches["Questions"].leaves
    assert not [q for q in branches["Questions"].leaves if q.startswith(("ev.by(", "ev.folds("))]
    told = {b.title.split(":")[0]: b for b in pages.labels_only().help()._branches}
    assert list(told) == ["Decisions", "Plots", "Questions"]
    assert not [q for q in told["Questions"].leaves if "threshold" in q.split("(")[0]]
    parts = tm.evaluate([0, 1] * 9, [0, 1] * 9, subgroup={"at": ["x"] * 18}, fold=[0, 1, 2] * 6)
    asked = parts.help()._branches[-1].leaves
    assert {"ev.by(*columns)", "ev.folds(metrics, ratio)"} <= set(asked)
    assert asked["ev.folds(metrics, ratio)"].startswith("The numbers of cross-validation")


def test_what_help_names_can_be_called():
    ev = pages.binary().model("forest")
    for b in ev.help()._branches[:3]:
        assert eval(b.call, {"ev": ev}).value == ev[next(iter(b.leaves))].value
    curves = ev.help()._branches[3]
    assert all(len(ev.curve(name)) for name in curves.leaves)


def test_completion_offers_names_and_aliases_of_metrics_that_there_are():
    offered = pages.labels_only()._ipython_key_completions_()
    assert {"f1", "recall", "matthews_corrcoef"} <= set(offered)
    assert not {"roc_auc", "brier"} & set(offered)
    assert pages.labels_only()["recall"].value == 18 / 27


def test_the_prompt_shows_an_evaluation_in_three_lines():
    assert repr(pages.cancer()).splitlines() == [
        "<Evaluation: breast_cancer.csv, 569 rows, positive class 'malignant' (37.3 %)",
        " accuracy of logistic 0.977 (ROC area 0.995), forest 0.963 (ROC area 0.990), bayes 0.938"
        " (ROC area 0.983)",
        " ev.help() lists what it can answer>",
    ]
    many = pages.binary(200, tuple("abcdefgh"))
    assert repr(many).splitlines()[1].endswith(" and 2 more models")


@pytest.mark.slow
def test_the_page_is_made_of_the_same_pieces(tmp_path):
    ev = pages.binary()
    text = ev.report(tmp_path / "p.html").read_text(encoding="utf-8")
    assert section([tiles(ev)]) in text
    verdict = section(drawn_comparison(ev._compared, ev.names))
    rest = text.split('class="comparison"', 1)[1]
    said = re.findall("<li>.*?</li>", rest.split("</section>")[0])
    assert [li.replace('"', "") for li in said] == [
        li.replace('"', "") for li in re.findall("<li>.*?</li>", verdict)
    ]
    above = {step.text for step in steps_in_full(ev)[0]}
    stated = [f for f in ev.advise().statements if f.text in above]
    assert section(folded_advice(ev.advise(), (), stated)).splitlines()[1] in text
    assert len(stated) > 1
    for f in stated:
        assert text.index(f.text) < text.index('id="advice"')
        assert text.count(f.text) == 1
