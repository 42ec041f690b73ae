import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from rich.cells import cell_len
from scipy.stats import brunnermunzel

import tallymark as tm
from judged import counted, counted_of
from report import pages
from tallymark.display import text as summary
from tallymark.metric import get
from tallymark.report import words
from tallymark.report.subjects.comparison import verdict_line
from tallymark.report.subjects.decision import decision
from tallymark.report.subjects.evaluation import interval_methods
from tallymark.report.subjects.summary import (
    MOST_VERDICTS,
    STAR,
    headline,
    metric_title,
    verdict_sentence,
)
from tallymark.report.terminal import wants_color

ANSI = re.compile("\x1b\\[[0-9;]*m")
rng = np.random.default_rng(3)


def two(rows: int = 200, models: int = 1, names: list[str] | None = None, **options):
    y = np.where(rng.random(rows) < 0.3, "sick", "well")
    near = np.where(y == "sick", 0.65, 0.35)
    scores = [np.clip(near + rng.normal(0, 0.2, rows), 0.01, 0.99) for _ in range(models)]
    names = names or [f"model {k}" for k in range(models)]
    given = dict(zip(names, scores, strict=True)) if models > 1 else scores[0]
    return tm.evaluate(y, y_score=given, positive="sick", **options)


def many(classes: list[str], rows: int = 300, **options):
    y = rng.integers(0, len(classes), rows)
    wrong = rng.integers(0, len(classes), rows)
    said = np.where(rng.random(rows) < 0.8, y, wrong)
    array = np.array(classes, dtype=object)
    return tm.evaluate(array[y], array[said], classes=classes, **options)


def probabilities(rows: int = 120):
    y = rng.integers(0, 3, rows)
    p = rng.dirichlet(np.ones(3), rows) + 0.4 * np.eye(3)[y]
    return tm.evaluate(y, y_score=p / p.sum(1, keepdims=True))


EVALUATIONS = {
    "one model": two(),
    "three models": two(models=3),
    "fourteen models": two(models=14),
    "long model names": two(models=2, names=["a" * 60 + "1", "a" * 60 + "2"]),
    "decisions alone": tm.evaluate([1, 0, 1, 1, 0, 0], [1, 0, 0, 1, 0, 1]),
    "three classes": many(["setosa", "versicolor", "virginica"]),
    "three classes with probabilities": probabilities(),
    "thirty-five classes": many([f"class {k:02d}" for k in range(35)], 900),
    "long labels": many(["x" * 90 + str(k) for k in range(4)]),
    "wide letters": many(["山椒魚", "両生類の動物園で会いましょう", "zürich", "e\u0301a"]),
    "a word for each line": many(["word " * 40 + str(k) for k in range(3)]),
    "one class": tm.evaluate([1, 1, 1], y_score=[0.2, 0.7, 0.9]),
    "all wrong": tm.evaluate([1, 1, 0, 0], y_score=[0.1, 0.2, 0.8, 0.9]),
    "large counts": tm.evaluate([1, 0] * 4, [1, 0] * 4, weight=[1e9 + 0.5] * 8),
    "scores": tm.evaluate([1, 0, 1, 0], y_score=[120.0, 3.0, 800.5, 77.0]),
}


@pytest.mark.parametrize("width", [60, 61, 80, 120])
@pytest.mark.parametrize("name", EVALUATIONS)
def test_no_line_is_wider_than_asked(name, width):
    lines = summary(EVALUATIONS[name], width=width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("name", EVALUATIONS)
def test_colour_adds_marks_and_nothing_else(name):
    plain = summary(EVALUATIONS[name], width=80)
    colored = summary(EVALUATIONS[name], width=80, color=True)
    assert "\x1b" not in plain
    assert colored != plain
    assert [line.rstrip() for line in ANSI.sub("", colored).split("\n")] == plain.split("\n")


def test_a_matrix_of_two_classes_shows_the_positive_class_first(tmp_path):
    y, said = ["no"] * 5 + ["yes"] * 4, ["no", "no", "no", "yes", "yes", "no", "yes", "yes", "yes"]
    ev = tm.evaluate(y, said, positive="yes")
    lines = [line.split() for line in str(ev).splitlines()]
    assert lines[lines.index(["true", "yes", "no"]) + 1 :][:2] == [
        ["yes", "3", "1"],
        ["no", "2", "3"],
    ]
    card, page = ev._repr_html_(), ev.report(tmp_path / "page.html").read_text("utf-8")
    (of_page,) = re.findall(r"<table class=matrix>.*?tally\.counts\..*?</table>", page, re.S)
    for keys in (
        re.findall(r"tally\.counts\.(\d)\.(\d)", card),
        re.findall(r"=(\d)\.(\d)", of_page),
    ):
        assert keys == [("1", "1"), ("1", "0"), ("0", "1"), ("0", "0")]
    assert np.asarray(ev.confusion_matrix()).tolist() == [[3, 2], [1, 3]], "arrays keep the order"
    assert str(ev.confusion_matrix()).split() == [
        "true",
        "no",
        "yes",
        "no",
        "3",
        "2",
        "yes",
        "1",
        "3",
    ]
    other = str(tm.evaluate(y, said, positive="no"))
    assert "true  no  yes" in re.sub(r" {3,}", "  ", other)


def test_the_panel_of_thresholds_shows_the_positive_class_first(tmp_path):
    ev = tm.evaluate(["no", "yes", "no", "yes"], y_score=[0.1, 0.9, 0.4, 0.3], positive="yes")
    page = ev.report(tmp_path / "page.html").read_text("utf-8")
    assert re.findall(r'data-count="(\w+)"', page) == ["tp", "fn", "fp", "tn"]


def test_the_matrix_has_true_classes_as_rows():
    y_true = ["a"] * 5 + ["b"] * 7 + ["c"] * 11
    y_pred = ["a"] * 4 + ["b"] + ["b"] * 5 + ["c"] * 2 + ["c"] * 8 + ["a"] * 3
    lines = [line.split() for line in summary(tm.evaluate(y_true, y_pred), width=80).splitlines()]
    at = lines.index(["true", "a", "b", "c"])
    assert " ".join(lines[at - 1]) == "rows: true class, columns: predicted class"
    assert lines[at + 1 : at + 4] == [["a", "4", "1", "0"], ["b", "0", "5", "2"],
                                     ["c", "3", "0", "8"]]  # fmt: skip


@pytest.mark.parametrize("width", [60, 88, 120])
@pytest.mark.parametrize("name", ["one model", "three classes with probabilities"])
def test_each_number_has_its_interval_and_method(name, width):
    ev = EVALUATIONS[name]
    flat = " ".join(summary(ev, width=width).split())
    (values,) = ev.values().values()
    for metric in headline(ev):
        v = values[metric]
        title = metric_title(get(metric).title, v)
        told = f"{title} {words.value(v)} {words.interval(v)}"
        assert words.interval(v)
        assert told in flat
        by = next(line for line in interval_methods(ev) if line.endswith(title) or
                  f"{title}," in line)  # fmt: skip
        assert by.startswith(f"intervals by {v.method}: ")
        assert by in flat


def test_an_interval_is_drawn_from_0_to_1():
    ev = counted([[90, 10], [20, 80]])
    lines = summary(ev, width=88).splitlines()
    head = next(li for li in lines if li.startswith("metric"))
    bars = {li.split("  ")[1]: li[li.index("|") :] for li in lines if li.endswith("|")}
    # 0.8 (0.71 to 0.87) on 21 columns: from 14.2 to 17.3, the value at 16.
    assert bars["Sensitivity"] == "|" + " " * 14 + "--o-" + " " * 3 + "|"
    assert head.endswith("0" + " " * 21 + "1")
    assert "|" not in summary(ev, width=50)
    assert "--o" not in ev.to_markdown() + ev.to_latex() + counted([[9, 1], [2, 8]])._repr_html_()


def test_the_interval_says_its_level():
    text = summary(two(level=0.9), width=88)
    assert "90 % interval" in text
    assert "95 %" not in text


def test_the_no_information_rate_and_its_test():
    text = summary(tm.evaluate([1] * 8 + [0] * 2, [1] * 8 + [0] * 2), width=100)
    line = next(li for li in text.splitlines() if "no-information rate" in li)
    assert line.split()[2:6] == ["0.800", "(always", "saying", "'1');"]
    # Two rows are gained, none is lost: half of one half to the second.
    assert f"p = {0.5**2 / 2:.3g}, one-sided McNemar mid-p" in " ".join(text.split())


@pytest.mark.slow
def test_the_best_of_each_row_is_marked():
    y = [1, 1, 1, 0, 0, 0]
    good, bad = [0.9, 0.8, 0.7, 0.3, 0.2, 0.1], [0.9, 0.4, 0.7, 0.3, 0.6, 0.1]

    def told(times):
        scores = {"bad": bad * times, "good": good * times}
        text = summary(tm.evaluate(y * times, y_score=scores), width=88)
        lines = [li.split() for li in text.splitlines() if len(li.split()) > 2]
        return {" ".join(li[:-2]): li[-2:] for li in lines}

    assert told(1)["Accuracy"] == ["0.67", "1.00"]  # of six rows chance does as much
    cells = told(20)
    assert cells["Accuracy"] == ["0.67", "1.000*"]
    assert cells["Brier score"][1].endswith("*")  # low is good
    assert not cells["Brier score"][0].endswith("*")


def test_of_equally_good_models_none_is_marked():
    y, good, bad = [1, 1, 0, 0] * 40, [0.9, 0.8, 0.2, 0.1] * 40, [0.4, 0.8, 0.2, 0.1] * 40
    text = summary(tm.evaluate(y, y_score={"a": good, "b": good, "c": bad}), width=100)
    cells = {" ".join(li.split()[:-3]): li.split()[-3:] for li in text.splitlines()}
    assert cells["Accuracy"] == ["1.000", "1.000", "0.75"]
    assert cells["Specificity"] == ["1.000", "1.000", "1.000"]


def test_several_models_show_their_four_counts():
    y = [1, 1, 1, 0, 0]
    ev = tm.evaluate(y, {"a": [1, 1, 0, 1, 0], "b": [1, 0, 0, 0, 0]})
    lines = [line.split() for line in summary(ev, width=88).splitlines()]
    at = lines.index(["model", "TP", "FP", "FN", "TN", "decisions"])
    assert lines[at + 1][:5] == ["a", "2", "1", "1", "1"]
    assert lines[at + 2][:5] == ["b", "1", "0", "2", "2"]


@pytest.mark.slow
def test_several_models_have_their_verdicts_below_the_table():
    ev = pages.cancer()
    text = summary(ev, width=100)
    flat = " ".join(text.split())
    for v in ev._compared.verdicts:
        assert f"- {verdict_line(v)}" in flat
    at = text.splitlines().index("Verdicts by ROC area")
    assert text.splitlines()[at - 1] == ""
    assert text.index(STAR[:40]) < text.index("Verdicts by")
    assert "Verdicts by" not in summary(ev.model("forest"))
    apart = replace(ev, _counted=replace(counted_of(ev), joint=None))
    assert "Verdicts by" not in summary(apart)


@pytest.mark.slow
def test_of_many_models_the_best_has_its_verdicts_and_the_rest_are_counted():
    ev = pages.binary(300, tuple("abcdefghij"))
    lines = summary(ev, width=100).splitlines()
    told = [li for li in lines if li.startswith("- ")]
    assert len(told) == MOST_VERDICTS
    assert "39 more pairs: tallymark compare, or ev.compare(), lists all" in lines


def test_an_undefined_number_says_why():
    ev = tm.evaluate([1, 1, 0, 0], [0, 0, 0, 0])
    reason = ev["precision"].reason
    lines = summary(ev, width=100).splitlines()
    assert ["Precision", "undefined"] in [li.split() for li in lines]
    assert any(li.startswith("Precision") and li.endswith(f": {reason}") for li in lines)


def test_an_undefined_number_of_one_of_several_says_why():
    ev = tm.evaluate([1, 1, 0, 0], {"never": [0, 0, 0, 0], "some": [1, 0, 0, 0]})
    flat = " ".join(summary(ev, width=88).split())
    reason = ev.model("never")["precision"].reason
    assert f"Precision of never: {reason}" in flat


def test_a_certain_mistake_explains_the_infinite_log_loss():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.0, 0.2, 0.8, 0.3])
    lines = summary(ev, width=100).splitlines()
    assert ["Log", "loss", "∞"] in [li.split() for li in lines]
    assert "Log loss: a row's true class was given probability 0" in lines


def test_too_many_classes_list_the_commonest_confusions():
    classes = [f"k{i}" for i in range(20)]
    y_true = classes * 3 + ["k3"] * 5 + ["k7"] * 2
    y_pred = classes * 3 + ["k4"] * 5 + ["k1"] * 2
    text = summary(tm.evaluate(y_true, y_pred), width=80)
    assert "60 of 67 right" in text
    assert text.index("'k3' called 'k4': 5") < text.index("'k7' called 'k1': 2")
    assert text.count("' called '") == 2


def test_classes_that_do_not_fit_are_counted_and_columns_stand_below():
    text = " ".join(summary(EVALUATIONS["thirty-five classes"], width=60).split())
    assert "and 5 more classes: the page lists all" in text
    narrow = summary(EVALUATIONS["three classes with probabilities"], width=60)
    heads = [li.split() for li in narrow.splitlines() if li.startswith("  class ")]
    assert [h for head in heads for h in head[1:]] == [
        "rows", "sensitivity", "specificity", "precision", "F1", "ROC", "area", "avg", "precision",
    ]  # fmt: skip
    assert len(heads) == 2


def test_the_support_of_each_class():
    text = summary(tm.evaluate(["a"] * 5 + ["b"] * 7 + ["c"], ["a"] * 5 + ["b"] * 8), width=100)
    lines = [li.split() for li in text.splitlines()]
    at = next(i for i, li in enumerate(lines) if li[:2] == ["class", "rows"])
    assert [li[:2] for li in lines[at + 1 : at + 4]] == [["a", "5"], ["b", "7"], ["c", "1"]]


def test_long_names_keep_what_tells_them_apart():
    text = summary(EVALUATIONS["long model names"], width=80)
    assert re.search(r"…a+1\b", text)
    assert re.search(r"…a+2\b", text)


def test_labels_are_text_and_no_command():
    y = ["\x1b[31mred", "[bold]b[/bold]", "c\x07\n", "\u202ereversed"]
    text = summary(tm.evaluate(y, y), width=120, color=True)
    assert "\x1b[31m" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert r"\x1b[31mred" in text
    assert "[bold]b[/bold]" in text
    assert r"c\x07\n" in text
    assert r"\u202ereversed" in text


def test_the_verdict_and_the_warnings_come_first():
    ev = two(20)
    text = summary(ev, width=88)
    first = " ".join(text.split("\n\n")[0].split())
    assert first.startswith(
        f"{ev.source.name} {decision(ev).text} {verdict_sentence(ev)} warning: "
    )
    assert text.count("warning: ") == first.count("warning: ") > 0


def test_weights_are_shown_as_sums():
    ev = tm.evaluate([1, 1, 0], [1, 0, 0], weight=[0.5, 1.25, 3.0])
    assert ["1", "0.5", "1.2"] in [li.split() for li in summary(ev, width=88).splitlines()]


def test_the_terminal_gives_the_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert summary(EVALUATIONS["one model"]) == summary(EVALUATIONS["one model"], width=60)
    monkeypatch.setenv("COLUMNS", "400")
    assert summary(EVALUATIONS["one model"]) == summary(EVALUATIONS["one model"], width=120)


@pytest.mark.parametrize(("terminal", "environment", "wanted"), [
    (True, {}, True), (False, {}, False), (True, {"NO_COLOR": "1"}, False),
    (True, {"NO_COLOR": ""}, True), (True, {"TERM": "dumb"}, False),
])  # fmt: skip
def test_when_colour_is_wanted(monkeypatch, terminal, environment, wanted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert wants_color() is wanted


@pytest.mark.slow
def test_in_the_field_shares_are_told_as_assumed():
    told = re.sub(
        r"\s+", " ", summary(pages.binary(models=("net",)).at(prevalence=0.01), width=100)
    )
    assert "600 rows, positive class 'sick' (1.0 %, as assumed)" in told
    assert "At the assumed class balance it is right in" in told
    assert (
        "warning: at the assumed prevalence, 99.0 % of the rows are well: always predicting it"
        in told
    )
    # No test tells an accuracy on rows that count for more or less apart from another.
    assert "no-information rate" in told
    assert "accuracy above it" not in told
    assert "accuracy above it" in summary(pages.binary(models=("net",)), width=100)


def test_a_class_of_no_share_is_told():
    y = list("abc") * 20
    three = tm.evaluate(y, [*y[:40], *"abcab" * 4])
    told = re.sub(r"\s+", " ", str(three.at(prevalence={"a": 0.5, "b": 0.5, "c": 0})))
    assert "at the assumed prevalence, no row is of c: its rates are undefined" in told
    told = re.sub(r"\s+", " ", str(three.at(prevalence={"a": 1, "b": 0, "c": 0})))
    assert "a is the class of all rows at the assumed prevalence: metrics that" in told


def test_beside_a_brier_score_stands_that_of_always_giving_the_share():
    y = [1] * 10 + [0] * 90
    score = np.round(0.05 + 0.5 * np.arange(100)[::-1] / 100, 2)
    for models, columns in ((score, 1), ({"a": score, "b": score**2}, 2)):
        lines = summary(tm.evaluate(y, y_score=models), width=100).splitlines()
        (at,) = (i for i, line in enumerate(lines) if line.split()[:2] == ["Brier", "score"])
        after = next(line for line in lines[at:] if "always giving the share" in line)
        assert after.split()[4:] == ["0.090"] * columns


def test_a_model_without_a_signal_is_said_not_to_be_better_than_chance():
    score = (np.arange(200) * 77 % 200) / 200
    y = np.repeat([1, 0], [40, 160])
    p = brunnermunzel(score[y == 0], score[y == 1]).pvalue
    text = " ".join(summary(tm.evaluate(y, y_score=score), width=100).split())
    assert f"It is not shown to be better than chance (p = {p:.3g})." in text
    better = summary(tm.evaluate(y, y_score=score / 2 + y / 2), width=100)
    assert "better than chance" not in better


def test_thresholds_that_differ_look_different():
    rows = pages.cancer().model("bayes").thresholds()
    shown = [line.split()[0] for line in str(rows).splitlines()[1:]]
    assert len({*shown}) == len(shown) > 20
    assert shown[:2] == ["inf", "1"]
    assert float(shown[9]) == pytest.approx(rows.rows[9]["threshold"], rel=1e-3)
    plain = str(tm.evaluate([0, 1, 1], y_score=[0.123456, 0.9, 0.4]).thresholds())
    assert [line.split()[0] for line in plain.splitlines()[1:]] == ["inf", "0.9", "0.4", "0.1235"]
