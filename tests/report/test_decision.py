"""The headline of an evaluation: what to do, the same on every face."""

from __future__ import annotations

import html
import json
import pickle
import re

import numpy as np
import pytest
from scipy.stats import norm

import tallymark as tm
from asymmetric import FIRST, SECOND, TRUTH, cells, judged, score_of_two
from tallymark.report import page, words
from tallymark.report.subjects.comparison import comparison_legend
from tallymark.report.subjects.decision import LONGEST, decision
from tallymark.report.subjects.outline import outline
from tallymark.report.subjects.steps import steps_in_full
from tallymark.report.subjects.summary import all_in_force

rng = np.random.default_rng(5)
NOISE = rng.uniform(size=len(TRUTH)).round(3)
SMALL_Y = [1] * 6 + [0] * 14
SMALL_P = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.65, 0.5, *np.linspace(0.05, 0.45, 12)]
ILL = np.asarray(TRUTH) == "ill"


def with_costs(models, fp, fn, **options):
    return judged(models, **options).at(cost_fp=fp, cost_fn=fn)


STATES = {
    "act": (
        lambda: with_costs({"second": SECOND}, 1, 50),
        "Lower the threshold: second at ",
    ),
    "keep": (
        lambda: tm.evaluate(TRUTH, y_score=SECOND, positive="ill", threshold=0.3).at(
            cost_fp=1, cost_fn=1
        ),
        None,
    ),
    "choose": (judged, "Use second: it beats first."),
    "open": (
        lambda: judged({"second": SECOND, "twin": np.clip(SECOND + (NOISE - 0.5) / 50, 0, 1)}),
        "twin or second: not decided.",
    ),
    "same": (
        lambda: judged({"second": SECOND, "square": np.asarray(SECOND) ** 2}),
        "second and square rank all rows the same.",
    ),
    "too few": (
        lambda: tm.evaluate(SMALL_Y, y_score=SMALL_P),
        "20 rows cannot tell: collect more.",
    ),
    "do not use": (lambda: judged({"noise": NOISE}), "Do not use noise: not shown to beat chance."),
    "reversed": (
        lambda: judged({"turned": 1 - np.asarray(SECOND)}),
        "Check turned: it ranks the classes in reverse.",
    ),
    "describe": (lambda: judged({"second": SECOND}), None),
}
KINDS = {"keep": "act", "same": "open", "reversed": "do not use"}


@pytest.mark.parametrize("name", STATES)
def test_the_headline_is_what_to_do(name):
    make, title = STATES[name]
    result = decision(make())
    assert result.state == KINDS.get(name, name)
    assert 0 < len(result.title) <= LONGEST
    if title is not None:
        assert result.title.startswith(title)
    assert result.lead


def test_one_model_is_described_by_what_it_finds():
    tp, fp, fn, tn = map(int, cells(SECOND))
    assert (tp + fn, fp + tn) == (100, 900)
    result = decision(judged({"second": SECOND}))
    assert result.title == f"second finds {tp} of 100 ill rows."
    assert result.lead.startswith(
        f"It raises {round(100 * fp / 900)} false alarms per 100 well rows."
    )


def test_the_costs_are_those_of_the_headline_and_of_the_advice():
    ev = with_costs({"second": SECOND}, 1, 50)
    _, fp, fn, _ = cells(SECOND)
    moved = next(s for s in ev.advise().statements if s.rule == "cheapest-threshold").numbers
    now, cost, to = ((50 * fn + fp) / 1000, moved["cost"], float(moved["threshold"]))
    title, lead = decision(ev).title, decision(ev).lead
    assert title == f"Lower the threshold: second at {to:.4g}, not 0.5."
    assert lead == (
        f"At 0.5 its errors cost {now:.2f} per row; acting on every row costs 0.900. At {to:.4g} "
        f"expect {cost.value:.2f} per row on new rows ({cost.low:.2f} to {cost.high:.2f}). A false "
        "alarm costs 1, a missed ill row 50."
    )
    below = np.asarray(SECOND) >= to
    assert 50 * (ILL & ~below).sum() + (~ILL & below).sum() < 1000 * now


def test_few_rows_that_leave_guessing_and_a_good_model_open_are_too_few():
    # The 20 samples of Tharwat (2018, table 1), whose ROC area is 0.68.
    ev = tm.evaluate(tm.example("tharwat"), positive="P")
    area, result = ev["roc_auc"], decision(ev)
    rows = next(f.numbers["rows"] for f in ev.advise().statements if f.rule == "interval-too-wide")
    assert area.low < 0.5 < 0.8 < area.high
    assert (result.state, result.title) == ("too few", "20 rows cannot tell: collect more.")
    assert result.lead == (
        f"The ROC area of score is {area.low:.2f} to {area.high:.2f}: from guessing to good. "
        f"Collect about {rows} rows like these, which would narrow the interval to ± 0.050."
    )


def test_one_class_of_few_rows_is_the_one_that_cannot_tell():
    y = np.repeat([1, 0], [10, 90])
    p = np.r_[np.linspace(0.2, 0.9, 10), np.linspace(0.05, 0.75, 90)]
    assert (
        decision(tm.evaluate(y, y_score=p)).title == "10 positive rows cannot tell: collect more."
    )


def test_an_assumed_prevalence_makes_no_rows_too_few():
    # 212 malignant rows, whose share is weighted down to 1 %: MCC is uncertain there, J is not.
    ev = tm.evaluate(tm.example("breast_cancer"), positive="malignant", use="medicine")
    there = ev.model("logistic").at(prevalence=0.01)
    mcc = there["mcc"]
    assert mcc.high - mcc.low > 0.4
    assert all(f.rule != "interval-too-wide" for f in there.advise().statements)
    assert decision(there).state != "too few"


def test_a_model_worse_than_no_model_is_not_to_be_used():
    decided = np.where(NOISE < 0.5, "ill", "well")
    ev = tm.evaluate(TRUTH, decided, positive="ill").at(cost_fp=9, cost_fn=1)
    result = decision(ev)
    assert (result.state, result.title) == (
        "do not use", "Do not use model: acting on none costs less.",
    )  # fmt: skip
    assert "does worse than acting on none" in result.lead


def test_every_face_says_the_same(tmp_path):
    ev = with_costs({"first": FIRST, "second": SECOND}, 1, 50)
    result = decision(ev)
    of_page = html.unescape(page.render(ev))
    assert f"<h1>{result.title}</h1>" in of_page
    assert f">{result.lead}</p>" in of_page
    text = " ".join(str(ev).split())
    assert text.startswith(f"arrays {result.title} {result.lead}")
    card = html.unescape(ev._repr_html_())
    assert f'<p class="name">{result.title}</p><p>{result.lead}</p>' in card
    markdown = ev.to_markdown().replace("\\", "")
    assert f"**{result.title}**\n\n{result.lead}\n" in markdown
    assert [*outline(ev)][2].text == result.title
    saved = tmp_path / "run.json"
    assert json.loads(ev.to_json(saved))["verdict"] == result.text
    again = tm.read(saved)
    assert again.costs == {"cost_fp": 1, "cost_fn": 50}
    assert decision(again) == result
    assert [s.text for s in again.advise().statements] == [s.text for s in ev.advise().statements]


def test_a_long_name_is_cut_in_the_headline():
    long = "a classifier of many words, seed 7, trained on a Tuesday"
    for models in ({long: SECOND}, {long: SECOND, "first": FIRST}, {long: NOISE}):
        for ev in (judged(models), with_costs(models, 1, 50)):
            assert len(decision(ev).title) <= LONGEST


def test_many_models_are_counted():
    several = {f"model {i}": np.clip(SECOND + (NOISE - 0.5) * i / 200, 0, 1) for i in range(6)}
    title = decision(judged(several)).title
    assert title.startswith("Not decided between ")
    assert title.endswith(" of 6 models.")


def test_costs_of_sites_that_differ_are_not_kept(tmp_path):
    paths = []
    for i, costs in enumerate(({"cost_fp": 1, "cost_fn": 5}, {"cost_fp": 1, "cost_fn": 9})):
        paths.append(tmp_path / f"{i}.json")
        judged({"second": SECOND}).at(**costs).to_json(paths[-1])
    assert tm.read(paths).costs is None
    assert tm.read(paths[:1]).costs == {"cost_fp": 1, "cost_fn": 5}


@pytest.mark.parametrize("costs", [{"cost_fp": 1}, [1, 2], {"cost_fp": 1, "cost_fn": -2}])
def test_damaged_costs_are_refused(tmp_path, costs):
    path = tmp_path / "run.json"
    data = json.loads(judged({"second": SECOND}).to_json())
    path.write_text(json.dumps({**data, "costs": costs}), "utf-8")
    with pytest.raises(tm.InputError, match=r"the costs in .* are damaged|cannot be read: cost_fn"):
        tm.read(path)


def test_the_users_word_for_the_rows_is_in_every_sentence(tmp_path):
    credit = tm.evaluate(tm.example("credit"))
    ev = credit.at(noun="loan")
    plain, named = decision(credit), decision(ev)
    assert named.lead == plain.lead.replace("rows", "loans")
    assert "finds 41 of 100 bad loans, with 8 false alarms per 100 good loans" in named.lead
    costs = decision(ev.at(cost_fp=1, cost_fn=5)).lead
    assert "per loan, more than acting on every loan" in costs
    assert "per loan on new loans" in costs
    assert str(ev).count("1,000 loans") >= 1
    assert ev.model("forest").noun == "loan"
    text = html.unescape(ev.report(tmp_path / "p.html").read_text("utf-8"))
    assert "1,000 loans, positive class" in text
    assert "judged on the same loans" in text
    assert not re.search(r"(bad|good|1,000) rows", text)
    advised = ev.at(cost_fp=1, cost_fn=5).advise()
    said = {s.rule: s.text for s in advised.statements}
    assert said["costs-known"].startswith("You know the costs: report expected cost per loan.")
    assert said["costs-known"].split("acting on every loan would cost ")[1].startswith("0.700 on")
    assert (
        said["no-better-than-the-majority"]
        .split("predicting good has ")[1]
        .startswith("on these loans (gained")
    )
    assert not re.search(r"\brows?\b", " ".join(said.values()))
    assert comparison_legend(ev.compare(permutations=0)).startswith(
        "Differences are first model − second model, on the same loans. Intervals: "
    )
    ev.to_json(tmp_path / "loans.json")
    assert json.loads((tmp_path / "loans.json").read_text("utf-8"))["noun"] == "loan"
    assert tm.read(tmp_path / "loans.json").noun == "loan"
    assert json.loads(credit.to_json())["noun"] == "row"
    child = tm.evaluate(SMALL_Y, y_score=SMALL_P).at(noun="child / children")
    assert decision(child).title == "20 children cannot tell: collect more."


@pytest.mark.parametrize("noun", ["", "loan/", "a/b/c", "<b>", "2nd", 3, "a" * 31])
def test_a_word_for_rows_that_is_none_is_refused_in_one_sentence(noun):
    ev = judged()
    message = f"noun is {noun!r}; give a word for a row, such as 'loan' or 'child/children'"
    with pytest.raises(tm.InputError, match=f"^{re.escape(message)}$"):
        ev.at(noun=noun)


def test_two_models_that_cannot_be_distinguished_have_their_difference():
    ev = STATES["open"][0]()
    areas = {name: area(ev, name) for name in ev.names}
    best, other = sorted(areas, key=areas.get, reverse=True)
    pair = ev.compare(permutations=0).pair(best, other)
    d, sign = pair.differences["roc_auc"], 1 if pair.first == best else -1
    assert sign * d.value == pytest.approx(areas[best] - areas[other])
    low, high = sorted((sign * d.low, sign * d.high))
    assert low < 0 < high
    assert decision(ev).lead.endswith(
        f"{best} and {other} cannot be distinguished (ROC area {{}}, {{}} to {{}}).".format(
            *words.to_width(sign * d.value, low, high, "+")
        )
    )


def area(ev, name):
    """Return the share of pairs of an ill and a healthy row in the right order; ties half."""
    scores = {"second": np.asarray(SECOND)}
    scores["twin"] = np.clip(scores["second"] + (NOISE - 0.5) / 50, 0, 1)
    ill, healthy = scores[name][ILL], scores[name][~ILL]
    gaps = ill[:, None] - healthy[None]
    return float((gaps > 0).mean() + (gaps == 0).mean() / 2)


SPREAD = {  # the rows of each site and class at the scores 0.1, 0.3, 0.6 and 0.9
    ("north", 1): (5, 20, 35, 40), ("north", 0): (200, 70, 20, 10),
    ("west", 1): (2, 40, 10, 8), ("west", 0): (70, 20, 6, 4),
    ("south", 1): (3, 10, 22, 25), ("south", 0): (20, 50, 6, 4),
}  # fmt: skip
HARMED = {
    threshold: f"{harm}, {100 * low:.1f} to {100 * high:.1f} points more (p < 0.0001, corrected for "
    "12 tests). Check whether that is acceptable before you use these decisions."
    for threshold, harm, (low, high, _) in [
        (
            0.3,
            "Of 80 negative rows where site is south, forest at 0.3 calls 60 positive: 75 %, "
            "against 32.5 % of all others",
            score_of_two(60, 80, 130, 400, norm.ppf(0.975)),
        ),
        (
            0.5,
            "Of 60 positive rows where site is west, forest at 0.5 misses 42: 70 %, against 23.8 % "
            "of all others",
            score_of_two(42, 60, 38, 160, norm.ppf(0.975)),
        ),
    ]
}


def test_the_worst_harm_is_that_at_the_recommended_threshold():
    rows = [
        (y, p, site)
        for (site, y), counts in SPREAD.items()
        for p, n in zip((0.1, 0.3, 0.6, 0.9), counts, strict=True)
        for _ in range(n)
    ]
    y, p, site = zip(*rows, strict=True)
    ev = tm.evaluate(y, y_score={"forest": p}, subgroup={"site": site}).at(cost_fp=1, cost_fn=5)
    assert decision(ev).title == "Lower the threshold: forest at 0.3, not 0.5."
    harm = [f.text for f in ev.advise().statements if f.rule == "errors-of-a-subgroup"]
    assert harm == [HARMED[0.3], HARMED[0.5]]
    checks = [step.text for step in steps_in_full(ev)[0] if step.tag == "check"]
    assert checks[0] == HARMED[0.3]
    assert HARMED[0.5] not in checks


IN_FORCE = {
    "default": ({"y_score": SECOND}, "at 0.5, the default"),
    "given": ({"y_score": SECOND, "threshold": 0.3}, "at 0.3, as given"),
    "chosen": ({"y_score": 10 * np.asarray(SECOND)}, "at 3.7, chosen on these rows"),
    "decided": ({"y_pred": np.where(np.asarray(SECOND) < 0.5, "well", "ill")}, "as given"),
    "of each": (
        {"y_score": {"a": SECOND, "b": 10 * np.asarray(SECOND)}},
        "at each model's threshold",
    ),
}


@pytest.mark.parametrize("name", IN_FORCE)
def test_words_say_where_decisions_come_from(name):
    options, expected = IN_FORCE[name]
    ev = tm.evaluate(TRUTH, positive="ill", **options)
    assert all_in_force(ev) == expected
    assert all_in_force(pickle.loads(pickle.dumps(ev))) == expected


def test_only_decisions_of_a_file_are_as_in_the_file(tmp_path):
    path = tmp_path / "d.csv"
    decided = ["ill" if p >= 0.5 else "well" for p in SECOND]
    path.write_text(
        "truth,pred\n" + "".join(f"{t},{d}\n" for t, d in zip(TRUTH, decided, strict=True))
    )
    assert (
        all_in_force(tm.evaluate(path, truth="truth", pred="pred", positive="ill"))
        == "as in the file"
    )


KEPT = {
    "already": (
        {"threshold": 0.37}, (1, 10),
        "Keep the threshold of model at 0.37.",
        "At these costs, 0.37 is already the cheapest threshold of model on these rows.",
    ),
    "chosen": (
        {}, (1, 6),
        "No threshold of model is shown to beat 3.7.",
        "At these costs, no threshold of model is shown to beat 3.7, chosen on these rows: the best "
        "one on these rows, 4.3, is not shown to cost less on new rows (0.016, −0.023 to 0.050 more "
        "per row).",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_a_threshold_is_not_compared_with_itself(name):
    options, (fp, fn), title, text = KEPT[name]
    scale = 1 if options else 10
    p = scale * np.asarray(SECOND)
    ev = tm.evaluate(TRUTH, y_score=p, positive="ill", **options).at(cost_fp=fp, cost_fn=fn)
    assert decision(ev).title == title
    (finding,) = (f for f in ev.advise().statements if f.rule == "cheapest-threshold")
    assert finding.text == text


def test_the_best_threshold_is_not_compared_with_itself():
    (finding,) = (
        f
        for f in tm.evaluate(TRUTH, y_score=SECOND, positive="ill", threshold=0.37)
        .advise()
        .statements
        if f.rule == "threshold-without-costs"
    )
    assert (
        finding.text == "By Youden's J, 0.37 is already the best threshold of model on these rows."
    )
