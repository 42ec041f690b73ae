"""The summary of the command line: few lines, the page's decision, numbers and findings."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from scipy.stats import norm

import tallymark as tm
from asymmetric import FIRST, ILL, SECOND, TRUTH, cells, wilson
from tallymark.cli import main
from tallymark.report.blocks import Figure, Interval, Step, Tile, Tiles
from tallymark.report.subjects.outline import outline
from tallymark.report.subjects.steps import shortened, steps, steps_in_full
from tallymark.report.terminal import as_text

LINES, COLUMNS = 28, 80
rng = np.random.default_rng(8)


def lines_of(columns):
    names, rows = ",".join(columns), zip(*columns.values(), strict=True)
    return "\n".join([names, *(",".join(map(str, row)) for row in rows), ""])


def two_classes(models, rows=80, **more):
    sick = np.arange(rows) % 3 == 0
    scores = {
        f"model_{i:02}": np.round(1 / (1 + np.exp(1.5 - 3 * sick - rng.normal(size=rows))), 3)
        for i in range(models)
    }
    return lines_of({"label": np.where(sick, "sick", "well"), **scores, **more})


def scores(models):
    return [word for i in range(models) for word in ("--score", f"model_{i:02}")]


WARD = np.array(["north", "south"])[np.arange(80) % 2]
THREE = np.array(list("abc"))[np.arange(90) % 3]
GUESSED = np.where(np.arange(90) % 4 == 0, np.roll(THREE, 1), THREE)
PARTS = {f"p_{c}": np.round(0.1 + 0.7 * (c == GUESSED), 3) for c in "abc"}
LABELS = np.array(["cat", "dog", "cat|dog", "sky|dog"])
SETS = {"truth": LABELS[np.arange(80) % 4], "pred": LABELS[(np.arange(80) * 3 // 2) % 4]}
EITHER = np.where(np.arange(80) % 3 == 0, "genuine", "impostor")
KINDS = {
    "one model": (two_classes(1), ["report", "f.csv"]),
    "two models": (two_classes(2), ["report", "f.csv", *scores(2)]),
    "three models": (two_classes(3), ["report", "f.csv", *scores(3)]),
    "seven models": (two_classes(7), ["report", "f.csv", *scores(7)]),
    "costs": (two_classes(2), ["report", "f.csv", *scores(2), "--costs", "1", "20"]),
    "prevalence": (
        two_classes(2),
        ["report", "f.csv", *scores(2), "--prevalence", "2%", "--costs", "1", "20"],
    ),
    "subgroups": (
        two_classes(2, ward=WARD),
        ["report", "f.csv", *scores(2), "--subgroup", "ward"],
    ),
    "decisions": (
        lines_of({"truth": THREE[:60] == "a", "pred": GUESSED[:60] == "a"}),
        ["report", "f.csv"],
    ),
    "three classes": (lines_of({"truth": THREE, **PARTS}), ["report", "f.csv"]),
    "decided classes": (lines_of({"truth": THREE, "pred": GUESSED}), ["report", "f.csv"]),
    "several labels": (
        lines_of(SETS),
        ["report", "f.csv", "--truth", "truth", "--pred", "pred"],
    ),
    "matrix": ("", ["matrix", "70", "30", "20", "80"]),
    "matrix of three": ("", ["matrix", "70", "3", "20", "8", "50", "4", "5", "6", "40"]),
    "few rows": (two_classes(1, 20), ["report", "f.csv"]),
    "biometrics": (two_classes(2), ["report", "f.csv", *scores(2), "--use", "biometrics"]),
    "verification": (
        lines_of(
            {"kind": EITHER, "score": np.round(rng.normal(size=80) + (EITHER == "genuine"), 3)}
        ),
        ["verify", "f.csv"],
    ),
    "no scores that separate": (
        lines_of({"label": THREE[:60] == "a", "score": np.arange(60) % 7 / 7}),
        ["report", "f.csv"],
    ),
}
USES = ("medicine", "marketing", "defects", "ranking", "decisions", "probabilities", "teaching")
KINDS |= {u: (two_classes(2), ["report", "f.csv", *scores(2), "--use", u]) for u in USES}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def ran(*arguments, **environment):
        done = CliRunner(env=environment).invoke(main, list(arguments))
        assert done.exception is None, done.output
        return done.stdout

    return ran


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_of_any_input_has_at_most_28_lines_of_80_columns(kind, run, tmp_path):
    rows, command = KINDS[kind]
    (tmp_path / "f.csv").write_text(rows)
    printed = run(*command, "-o", "page.html", "--json", "all.json")
    lines = printed.split("\njson: ")[0].rstrip("\n").split("\n")
    assert len(lines) <= LINES, printed
    assert max(map(cell_len, lines)) <= COLUMNS, printed
    assert lines[-1].startswith("page: page.html   all metrics: --full")
    verdict = json.loads((tmp_path / "all.json").read_text())["verdict"]
    page = html.unescape((tmp_path / "page.html").read_text())
    title = re.search("<h1>(.*?)</h1>", page)[1]
    if verdict.startswith(title):
        assert title in lines
    else:  # a verdict without a headline: the sentences that the page begins with
        assert shortened(verdict, 78) in " ".join(printed.split())
        assert verdict in page


@pytest.mark.slow
def test_a_summary_of_twenty_models_shows_three(run, tmp_path):
    (tmp_path / "f.csv").write_text(two_classes(20))
    lines = run("report", "f.csv", *scores(20)).splitlines()
    assert len(lines) <= LINES
    assert "17 more models of 20: --full" in lines
    three = r" +0 +\.25 +\.5 +\.75 +1  ● model_\d\d +■ model_\d\d +▲ model_\d\d"
    assert len([line for line in lines if re.fullmatch(three, line)]) == 1


def rate(hits, rows):
    """Return a rate with its bounds."""
    return hits / rows, *wilson(hits, rows, norm.ppf(0.975))


def test_the_whole_text_of_two_models():
    decided = {
        n: np.where(s >= 0.5, "ill", "well") for n, s in (("first", FIRST), ("second", SECOND))
    }
    ev = tm.evaluate(TRUTH, decided, positive="ill", use="medicine")
    numbers = {}
    for name, score in (("first", FIRST), ("second", SECOND)):
        tp, fp, fn, tn = cells(score)
        numbers[name] = [
            rate(tp, tp + fn),
            rate(tn, tn + fp),
            rate(tp, tp + fp),
            rate(tn, tn + fn),
        ]
    (a, b), titles = (
        (numbers["second"], numbers["first"]),
        (
            ("Sensitivity", "", "·    ·    ·●   ·■   ·"),
            ("Specificity", "", "·    ·    ·    ·   ●■"),
            ("Positive predictive value", "(PPV)", "· │  ·    ●    ·■   ·"),
            ("Negative predictive value", "(NPV)", "·    ·    ·    ·  │●■"),
        ),
    )
    expected = [
        "arrays  1,000 rows, 10.0 % ill, 2 models",
        "",
        "Use second: it beats first.",
        "second finds 82 of 100 ill rows, with 2 false alarms per 100 well rows. After",
        "  a positive result 80 of 100 are ill rows, after a negative one 2 of 100.",
        "",
        f"{'0   .25   .5  .75   1':>52}  ■ second      ● first",
    ]
    for (title, under, axis), second, first in zip(titles, a, b, strict=True):
        digits = [3 if high - low < 0.1 else 2 for _, low, high in (second, first)]
        bounds = [
            f"{low:.{n}f} to {high:.{n}f}".replace("0.", ".")
            for (_, low, high), n in zip((second, first), digits, strict=True)
        ]
        values = f"{second[0]:.{digits[0]}f}*", f"{first[0]:.{digits[1]}f}"
        expected.append(f"{title:<31}{axis}  {values[0]:<14}{values[1]}")
        expected.append(f"{under:<54}{bounds[0]:<14}{bounds[1]}")
    accuracy = {n: (s >= 0.5) == ILL for n, s in (("first", FIRST), ("second", SECOND))}
    gained, lost = (accuracy["first"] & ILL).sum(), (~accuracy["first"] & ~ILL).sum()
    expected += [
        "│ guessing   * beyond chance better than every other model   95 % intervals",
        "",
        f"check  Accuracy of first ({accuracy['first'].mean():.3f}) is not shown to be above 0.900, which always",
        f"       predicting well has on these rows (gained {gained}, lost {lost}; p = 0.35).",
    ]
    lines = as_text(outline(ev), COLUMNS).splitlines()
    assert lines[: len(expected)] == expected
    assert [line[:7] for line in lines[len(expected) :]] == ["check  ", " " * 7, "open   ", " " * 7]


@pytest.mark.slow
def test_the_demo_ends_with_what_to_do(run):
    lines = run("demo").splitlines()
    assert lines[0] == "credit.csv  1,000 rows, 30.0 % bad, 3 models, false alarm 1 : missed 5"
    assert lines[2] == "Lower the threshold: forest at 0.235, not 0.5."
    assert [line[:6].strip() for line in lines if line[:2] in ("do", "ch", "op")] == [
        "do", "check", "check", "open",
    ]  # fmt: skip
    assert lines[-1] == "page: demo.html   all metrics: --full   why: tallymark advise FILE ..."
    whole = run("demo", "--full")
    assert len(whole.splitlines()) > 100
    assert "You know the costs: report expected cost per row." in whole


@pytest.mark.slow
def test_colours_are_left_out_where_they_are_not_wanted(run, tmp_path):
    (tmp_path / "f.csv").write_text(two_classes(2))
    command = ["report", "f.csv", *scores(2), "--costs", "1", "20"]
    coloured = run(*command, FORCE_COLOR="1", NO_COLOR=None)
    plain = run(*command, FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b[38;5;12m●\x1b[0m" in coloured
    assert "\x1b[38;5;214m■\x1b[0m" in coloured
    assert "\x1b[38;5;221mcheck\x1b[0m" in coloured
    assert "\x1b" not in plain
    bare = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


@pytest.mark.slow
def test_a_narrow_terminal_has_lines_instead_of_an_axis(run, tmp_path):
    (tmp_path / "f.csv").write_text(two_classes(3))
    printed = run("report", "f.csv", *scores(3), COLUMNS="40")
    assert max(map(cell_len, printed.splitlines())) <= 40
    assert re.search(r"^- Sensitivity of model_\d\d: 0\.\d+ \(", printed, re.M)
    assert "all metrics: --full\n" in printed


def test_equal_values_are_marked_side_by_side():
    figures = [
        Figure(name, "k", "1.00", "0.9 to 1.0", Interval(1.0, 0.9, 1.0, 0, 1, 0.5))
        for name in ("a", "b", "c")
    ]
    lines = as_text([Tiles([Tile("Recall", figures, "")])], COLUMNS).splitlines()
    assert lines[0].split() == ["0", ".25", ".5", ".75", "1", "●", "a", "■", "b", "▲", "c"]
    assert re.search(r"│ +· +●■▲  1\.00", lines[1])


def test_a_guess_beyond_the_axis_is_not_marked():
    # Of three equally frequent classes, guessing has a log loss of ln 3.
    y = np.repeat(["a", "b", "c"], 30)
    right = np.tile([0.5, 0.8], 45)[:, None]
    p = np.where(y[:, None] == ["a", "b", "c"], right, (1 - right) / 2)
    lines = as_text(outline(tm.evaluate(y, y_score=p, classes=["a", "b", "c"])), COLUMNS)
    (loss,) = (line for line in lines.splitlines() if line.startswith("Log loss"))
    assert "●" in loss
    assert "│" not in loss


def test_what_was_detected_is_said_in_one_line(run, tmp_path):
    (tmp_path / "f.csv").write_text(two_classes(1, at=WARD))
    line = "Read as: truth = `label` (sick is positive), score = `model_00`, ignored: `at`."
    assert line in " ".join(run("report", "f.csv").split())
    named = ["--truth", "label", "--score", "model_00"]
    shown = run("report", "f.csv", *named)
    line = "Read as: sick is positive, ignored: `at`; given: truth = `label`, score = `model_00`. "
    assert line in " ".join(shown.split())
    assert "Read as" not in run("report", "f.csv", *named, "--positive", "sick")
    assert "given" not in as_text(outline(tm.evaluate([0, 1] * 40, y_score=[0.2, 0.8] * 40)))


def test_a_long_name_keeps_its_end(run, tmp_path):
    name = "predictions-of-the-credit-model-2026-10.csv"
    (tmp_path / name).write_text(two_classes(1))
    assert run("report", name).startswith("prediction…t-model-2026-10.csv  80 rows, ")


def test_warnings_that_change_the_decision_are_whole():
    truth = np.repeat([0, 1], 30)
    ev = tm.evaluate(truth, y_score=truth.astype(float))
    (leak,) = (n.text for n in ev.notes if n.rule == "leak")
    for most in (0, 1, 4):
        assert Step("check", f"{leak}.") in steps(ev, most)
    assert {step.tag for step in steps(ev)} <= {"do", "check", "open", "note"}
    others = [n for n in ev.notes if n.severity == "warning" and n.rule != "leak"]
    assert Step("check", f"{len(others)} more warning{'s' * (len(others) > 1)}: --full") in steps(
        ev, 1
    )


def test_a_warning_and_the_advice_that_repeats_it_are_one_step():
    truth = np.repeat([0, 1], [36, 4])
    score = np.where(truth == 1, 0.7, np.linspace(0.05, 0.6, 40))
    score[-1] = 0  # a positive
    others = {"b": score, "c": np.where(np.arange(40) == 38, 0, score)}
    for models in ({"a": score}, others):
        ev = tm.evaluate(truth, y_score=models)
        assert {"held-impossible"} <= {n.rule for n in ev.notes}
        assert {"certain-and-wrong"} <= {f.rule for f in ev.advise().statements}
        said = [step.text for step in steps_in_full(ev, 99)[0]]
        assert sum("gave probability 0" in text for text in said) == 1
        assert all(text.endswith((".", "?")) for text in said)


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("One. Two. Three.", 80, "One. Two. Three."),
        ("One is here. Two are not there. Three.", 12, "One is here. Three."),
        ("Its F1 is 0.51 (0.40 to 0.60) here.", 12, "Its F1 is 0.51 here."),
        ("It is far off (p = 0.03) today.", 12, "It is far off today."),
        ("It is off; we do not know how far it is.", 8, "It is off."),
        ("Nothing of this sentence fits.", 3, "Nothing of this sentence fits."),
        ("Here are more words than fit. Else go.", 9, "Here are more words than fit."),
    ],
)
def test_sentences_are_chosen_and_never_cut(text, width, short):
    assert shortened(text, width) == short
