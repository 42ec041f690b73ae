"""Verdicts, crossings, leaders and charts of hand-made comparisons, each said in whole."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from report import pages
from tallymark.display import text as shown
from tallymark.infer.cheapest import Cheapest
from tallymark.infer.compare import Comparison, Pair, TableError
from tallymark.infer.contrasts import PairedShares
from tallymark.infer.crossing import Crossing, Region
from tallymark.infer.difference import Difference
from tallymark.infer.leaders import Leader
from tallymark.infer.significance import Evidence
from tallymark.infer.verdict import REMEDY, Answer, Verdict
from tallymark.report import page
from tallymark.report.blocks import Cell
from tallymark.report.subjects.comparison import (
    cheapest_line,
    comparison_legend,
    crossing_sentence,
    kinds_of,
    leaders_line,
    leads_chart,
    of_comparison,
    pair_verdict,
    pairs_by_rank,
    pairs_data,
    rank_line,
    ranking_table,
    table_error_sentence,
    together,
    verdict_line,
    verdicts,
    verdicts_title,
)

NAN, INF = math.nan, math.inf


def gap(first=0.9, second=0.8, low=0.05, high=0.15, metric="roc_auc", method="DeLong", **more):
    more.setdefault("p_value", 0.01)
    return Difference(metric, first, second, low, high, 0.95, method, **more)


def answer(question="superiority", p=0.0125, shown=True, at_most=False):
    return Answer(question, p, at_most, 0.05, shown)


ANSWERED = (answer(),)


def verdict(kind="better", difference=None, answers=ANSWERED, **more):
    d = gap() if difference is None else difference
    metric = more.pop("metric", d.metric)
    return Verdict(kind, metric, "a", "b", d, answers, **more)


CROSSED = Crossing(
    "a", "b", (0.125, 0.5), (0.25, 0.375), (0.0625, 0.75), "a",
    (Region("a", 0.01, 0.1, 0.25, 0.0625, (0.125, 0.375)), Region("b", 0.625, 0.625, 0.375, 0.75, (0.25, 0.5)),
     Region("b", 0.75, 0.875, 0.3, 0.8, (0.2, 0.4))),
    0.9,
)  # fmt: skip
WHERE = (
    "a leads at false positive rates of 0.01 to 0.1 (by up to 0.25 in sensitivity), b leads at "
    "0.625 and 0.75 to 0.875 (by up to 0.38 in sensitivity)"
)
FACT = "ROC area{} higher by 0.10 (0.05 to 0.15), p = 0.0125"
ASKED = (answer(), answer("non-inferiority", 0.002), answer("equivalence", 0.5, False))

SAID = [
    (verdict(), f"a is better than b: {FACT.format('')}"),
    (
        verdict(difference=gap(0.2, 0.3, -0.15, -0.05, "brier")),
        "a is better than b: Brier score lower by 0.10 (0.05 to 0.15), p = 0.0125",
    ),
    (
        verdict(answers=(answer(at_most=True),), difference=gap(warning="few clusters")),
        "a is better than b: ROC area higher by 0.10 (0.05 to 0.15), p ≤ 0.013 "
        "(with care: few clusters)",
    ),
    (
        verdict("undecided", gap(low=NAN, high=NAN), answers=(answer(p=NAN),)),
        "undecided between a and b: ROC area of a higher by 0.100, without an "
        "interval",
    ),
    (
        verdict("undecided", gap(low=-0.05, high=0.25)),
        "undecided between a and b: ROC area of a higher by 0.10 (−0.05 to 0.25), "
        "p = 0.0125; a is at most 0.25 better and at most 0.05 worse",
    ),
    (
        verdict("undecided", gap(low=0.0, high=0.25)),
        "undecided between a and b: ROC area of a higher by 0.10 (0.00 to 0.25), "
        "p = 0.0125; a is equal to b or at most 0.25 better",
    ),
    (
        verdict(
            "undecided",
            gap(0.855, 0.85, 0.0, 0.0117, "accuracy", _null_test=PairedShares(850, 5, 0, 145),
                p_value=0.0625),
            answers=(answer(p=0.0625, shown=False),),
        ),
        "undecided between a and b: all 5 rows that differ favour a (exact p = 0.0625); accuracy "
        "of a higher by 0.005 (0.000 to 0.012); a is equal to b or at most 0.012 better",
    ),
    (
        verdict(
            "undecided",
            gap(0.85, 0.851, -0.006, 0.0, "accuracy", _null_test=PairedShares(850, 0, 1, 149),
                p_value=1.0),
            answers=(answer(p=1.0, shown=False),),
            _pairs=3,
        ),
        "undecided between a and b: the only row that differs favours a (exact p = 1); accuracy of "
        "a higher by 0.0010 (0.0000 to 0.0060), corrected p = 1; the interval alone is not corrected for 3 pairs",
    ),
    (
        verdict("undecided", gap(0.5, INF, NAN, NAN, "log_loss", p_value=NAN), ()),
        "b has an infinite log loss: it gave probability 0 to a class that occurred. By log loss a "
        "is better on these rows, without an interval or test; clip the scores of b, or compare by "
        "Brier score",
    ),
    (
        verdict("undecided", gap(INF, 8.0, NAN, NAN, "positive_likelihood_ratio"), ()),
        "a has an infinite positive likelihood ratio. By positive likelihood ratio a is better on "
        "these rows, without an interval or test",
    ),
    (
        verdict(needed={"superiority": 4800}, least=0.1, rows=300, _clusters=40),
        f"a is better than b: {FACT.format('')}; about 640 clusters of this size show a true "
        "difference of 0.1 with 80 % power (here are 40)",
    ),
    (
        verdict(_repeats=("site", 1204)),
        f"a is better than b: {FACT.format('')}; this holds if rows are independent, but `site` "
        "repeats (up to 1,204 rows): use cluster='site'",
    ),
    (
        verdict("no worse", answers=ASKED, margin=0.02, probabilities=(0.75, 0.2, 0.05)),
        f"a is no worse than b by more than 0.02: {FACT.format(' of a')}; margin 0.02: "
        "non-inferiority shown (one-sided p = 0.002), equivalence not shown (one-sided p = 0.5); "
        "the lead exceeds 0.02 with probability 0.75",
    ),
    (
        verdict("equivalent", answers=ASKED, margin=0.02, _pairs=3),
        "a and b are equivalent within 0.02: ROC area of a higher by 0.10 (0.05 to 0.15), corrected "
        "p = 0.0125; margin 0.02: non-inferiority shown (one-sided corrected p = 0.002), "
        "equivalence not shown (one-sided corrected p = 0.5)",
    ),
    (
        verdict(
            "undecided",
            gap(low=-0.05, high=0.25),
            margin=0.02,
            answers=(answer(), answer("non-inferiority", NAN)),
            least=0.05,
            needed={"superiority": 1234, "non-inferiority": 567},
            rows=1200,
        ),
        "undecided between a and b: ROC area of a higher by 0.10 (−0.05 to 0.25), "
        "p = 0.0125; a is at most 0.25 better and at most 0.05 worse; about 1,300 rows like these "
        "show a true difference of 0.05 with 80 % power (here are 1,200); about 570 rows like "
        "these show non-inferiority within 0.02, if both are equally good, with 80 % power (here "
        "are 1,200)",
    ),
    (
        verdict(needed={"superiority": 50}, least=0.1, rows=70, _each=(30, 1040)),
        f"a is better than b: {FACT.format('')}; about 50 rows like these on each side show a true "
        "difference of 0.1 with 80 % power (here are 30 and 1,040)",
    ),
    (
        verdict("undefined", gap(NAN, NAN, NAN, NAN, reason="no row is positive")),
        "a and b cannot be compared by ROC area: no row is positive",
    ),
    (verdict("alike", metric="accuracy"), "a and b decide every row the same"),
    (verdict("alike", metric="brier"), "a and b predict the same for every row"),
    (
        verdict("same ranking", gap(0.9, 0.9, 0, 0, warning="few rows")),
        "a and b have the same ranking: they order and tie all rows the same, so ROC "
        "area and every other rank metric are equal; compare their probabilities or their "
        "decisions to choose one (with care: few rows)",
    ),
    (
        verdict("crossing", crossing=CROSSED),
        "no single winner between a and b: their ROC curves cross beyond chance (simultaneous 90 % "
        f"band); {WHERE}; choose a where false alarms are costly or positives rare, b where missed "
        f"positives are costly or positives frequent; {FACT.format(' of a')}",
    ),
]  # fmt: skip


def test_each_verdict_is_said_in_whole():
    for v, text in SAID:
        assert pair_verdict(v) == text
        capital = text.startswith(("undecided", "no single winner"))
        assert verdict_line(v) == (text[0].upper() + text[1:] if capital else text) + "."
        assert repr(v) == f"<Verdict: {text}>" if len(text) <= 189 else repr(v).endswith("…>")


def test_a_verdict_is_a_sentence_and_a_row():
    assert verdict().to_markdown().splitlines() == [
        rf"a is better than b: {FACT.format('')}.".replace("[", r"\[").replace("]", r"\]"), "",
        "| metric | first | second | difference | 95 % interval | p | method |",
        "|:---|---:|---:|---:|---:|---:|:---|",
        r"| roc\_auc | 0.900 | 0.800 | +0.10 | +0.05 to +0.15 | 0.01 | DeLong |",
    ]  # fmt: skip


def test_a_verdict_in_short():
    for v, text in (
        (verdict(), "That lead is significant (p = 0.0125)."),
        (verdict(answers=()), "That lead is significant."),
        (verdict("undecided"), "That lead may be chance (p = 0.0125)."),
        (verdict("undecided", answers=(answer(p=NAN),)), "That lead may be chance."),
        (verdict("alike", metric="accuracy"), "Both decide every row the same."),
        (verdict("alike", metric="brier"), "Both predict the same for every row."),
        (
            verdict("crossing", crossing=CROSSED),
            f"Their ROC curves cross beyond chance, so neither is better everywhere: {WHERE}.",
        ),
    ):
        assert together(v) == text
    equal = (answer(), answer("equivalence", 0.01))
    for v, text in (
        (verdict(), "better"), (verdict("alike"), "the same"), (verdict("undefined"), "not defined"),
        (verdict("crossing"), "no single winner"), (verdict("no worse"), "no worse"),
        (verdict(answers=equal, margin=0.2), "better, equivalence"), (verdict(answers=equal), "better"),
        (verdict("equivalent", answers=equal, margin=0.2), "equivalent"),
        (verdict(answers=ASKED, margin=0.02), "better"),
    ):  # fmt: skip
        assert kinds_of(v) == text


def test_an_answer_is_one_line_and_one_row():
    a = answer("equivalence", 0.5, False)
    assert repr(a) == "<Answer: equivalence not shown, p = 0.5 at 0.05>"
    assert repr(answer(at_most=True)) == "<Answer: superiority shown, p ≤ 0.013 at 0.05>"
    assert a.to_markdown().splitlines() == [
        "| question | p | below |", "|:---|---:|---:|", "| equivalence | 0.5 | 0.05 |",
    ]  # fmt: skip


def test_each_crossing_is_said_in_whole():
    start = "the ROC curves of a and b cross at "
    twice = "false positive rates of 0.12, 0.5, a ahead first; "
    assert crossing_sentence(CROSSED) == f"{start}{twice}beyond chance {WHERE}"
    one = replace(CROSSED, regions=CROSSED.regions[:1])
    led = "a leads at false positive rates of 0.01 to 0.1 (by up to 0.25 in sensitivity)"
    assert crossing_sentence(one) == f"{start}{twice}only the lead of a is beyond chance ({led})"
    none = replace(CROSSED, regions=(), _places=(0.125,), below="b")
    assert crossing_sentence(none) == (
        f"{start}a false positive rate of 0.12: b is ahead below it, a beyond; both leads may be "
        "chance"
    )
    assert crossing_sentence(replace(none, below="a")).split(": ")[1] == (
        "a is ahead below it, b beyond; both leads may be chance"
    )
    assert CROSSED.to_markdown().splitlines()[2:] == [
        "| model | greatest lead in sensitivity | at a false positive rate of |", "|:---|---:|---:|",
        "| a | 0.250 | 0.062 |", "| b | 0.375 | 0.750 |", "",
        "| leads beyond chance | from FPR | to | greatest lead | band |", "|:---|---:|---:|---:|---:|",
        "| a | 0.010 | 0.100 | 0.250 | 0.125 to 0.375 |", "| b | 0.625 | 0.625 | 0.375 | 0.250 to 0.500 |",
        "| b | 0.750 | 0.875 | 0.300 | 0.200 to 0.400 |",
    ]  # fmt: skip
    assert len(none.to_markdown().splitlines()) == 6
    back = (*CROSSED.regions, Region("a", 0.9, 0.95, 0.1, 0.92, (0.05, 0.15)))
    often = verdict("crossing", crossing=replace(CROSSED, regions=back))
    assert "; choose by the false positive rate that you will work at; ROC area" in pair_verdict(
        often
    )


def leader(subgroup, model, shown):
    return Leader(("site",), subgroup, 40, model, "b", gap(), 0.01, shown)


def test_leaders_are_said_in_whole():
    tail = "(ROC area, corrected for {} subgroups)."
    assert leaders_line([], "site") == ""
    assert leaders_line([leader("n", "a", False)], "site") == (
        f"By site: no model is shown to lead in any of 1 subgroup {tail.format(1)}"
    )
    assert leaders_line([leader("n", "a", False), leader("s", "a", False)], "site") == (
        f"By site: no model is shown to lead in any of 2 subgroups {tail.format(2)}"
    )
    some = [leader("n", "a", True), leader(("s", None), "b", True), leader("w", "a", True)]
    assert leaders_line(some, "site") == (
        f"By site: a leads in n and w; b leads in s, (missing) {tail.format(3)}"
    )
    assert leaders_line([*some, leader("e", "b", False)], "site") == (
        f"By site: a leads in n and w; b leads in s, (missing) {tail.format(4)} Elsewhere no model "
        "is shown to lead."
    )


# -- a whole comparison ------------------------------------------------------------------------


def pair(first="a", second="b", differences=None, tests=(), crossing=None, v=None):
    found = {d.metric: d for d in (differences or [gap()])}
    decides = next(iter(found.values()))
    v = v or Verdict("better", decides.metric, first, second, decides, (answer(),))
    return Pair(first, second, found, tests, crossing, v)


def comparison(*pairs, names=("a", "b"), **more):
    return Comparison(names, "roc_auc", pairs or (pair(),), (), 0.95, 1200, **more)


def test_what_a_comparison_says_of_all_its_pairs():
    c = comparison(ranks={"a": (0.25, 0.75), "b": (0.75, 0.25)})
    assert rank_line(c) == (
        "Probability of being best by ROC area: b 0.75, a 0.25 (flat prior, from the interval)."
    )
    seven = {n: (i / 20, 0.5) for i, n in enumerate("abcdefg")}
    assert rank_line(comparison(ranks=seven)) == (
        "Probability of being best by ROC area: g 0.30, f 0.25, e 0.20, d 0.15, "
        "c 0.10, b 0.05 (flat prior, from joint resamples)."
    )
    assert rank_line(comparison()) == ""
    assert verdicts_title(comparison()) == "Verdicts by ROC area"
    assert verdicts_title(comparison(margin=0.02)).endswith("area, margin 0.02")
    assert verdicts_title(comparison(margin=0.02, least=0.1)).endswith(
        "area, margin 0.02, least 0.1"
    )
    assert verdicts_title(comparison(least=0.0)).endswith("area, least 0")
    assert table_error_sentence(TableError(1, 0.2, 0.2, True)) == (
        "1 difference, each at 20 %: if nothing differs, a table like this marks at least one in "
        "at most 20 % of samples (an upper bound, Šidák's)."
    )


def test_costs_at_which_a_model_is_cheapest():
    start = (
        "Least expected cost, by how many times a missed positive costs what a false alarm does: "
    )
    end = (
        ". Elsewhere no model is shown to be the cheapest. Each has its best threshold on these "
        "rows."
    )
    for ratios, said in (
        ([("a", (None, 3.87)), ("b", (17.2, 55))], "a for at most 3.9; b for 17 to 55"),
        ([("a", (2, None))], "a for at least 2"),
        ([("a", (None, None))], "a for any number"),
        ([("a", (1, 2)), ("a", (3, 3)), ("a", (4, 5))], "a for 1 to 2 or 4 to 5"),
        ([("a", (3.01, 3.02))], ""),
    ):
        c = comparison(cheapest=tuple(Cheapest(m, 0.1, 0.2, r) for m, r in ratios))
        assert cheapest_line(c) == (start + said + end if said else "")


PAIRED = "Differences are a − b, on the same rows. "
SAMPLES = "Differences are first side − second side, of independent samples. "
LEGENDS = [
    ({}, ["DeLong"], PAIRED, "Intervals: Tango's score for proportions; DeLong for the ROC area and "
     "the influence of each row for average precision and means over rows (Student's t corrected "
     "for skewness); both models' intervals combined for other rankings, the joint posterior for "
     "other decisions, paired resamples for the rest."),
    ({"samples": (("x", 3), ("y", 4))}, ["normal, rows"], SAMPLES, "Intervals: the score for "
     "proportions and likelihood ratios, DeLong for the ROC area, both sides' intervals combined "
     "for the rest."),
    ({}, ["paired jackknife"], PAIRED, "Intervals: the jackknife that leaves each row out of both "
     "models; Tango's score for shares of rows, both models' intervals combined where no "
     "jackknife serves."),
    ({}, ["paired jackknife, clusters", "x"], PAIRED, "Intervals: the jackknife that leaves each "
     "cluster out of both models; Tango's score for shares of rows, both models' intervals "
     "combined where no jackknife serves."),
    ({}, ["resamples of clusters"], PAIRED, "Intervals come from resamples of whole clusters; for "
     "the ROC area, average precision and means over rows from the influence of each cluster "
     "(Student's t corrected for skewness). Tests that need independent rows are left out."),
]  # fmt: skip


def test_a_legend_names_the_methods_of_the_intervals():
    metrics = ("roc_auc", "f1")
    for options, methods, start, how in LEGENDS:
        each = [gap(metric=m, method=by) for m, by in zip(metrics, methods, strict=False)]
        assert comparison_legend(comparison(pair(differences=each), **options)) == start + how
    several = comparison(pair(), pair("a", "c"), names=("a", "b", "c"))
    assert comparison_legend(several).endswith(
        " P-values in the verdicts are corrected for the number of pairs, each question by itself. "
        "Intervals are not."
    )
    undecided = Verdict("undecided", "roc_auc", "a", "b", gap(low=-0.1), (answer(),))
    assert comparison_legend(comparison(pair(v=undecided))).endswith(f"rest. {REMEDY}")


def four(metric="roc_auc"):
    values = {"a": 0.6, "b": 0.9, "c": NAN, "d": 0.7}
    names = list(values)
    pairs = [
        pair(m, n, [gap(values[m], values[n], metric=metric)])
        for i, m in enumerate(names) for n in names[i + 1 :]
    ]  # fmt: skip
    return Comparison(tuple(names), metric, tuple(pairs), (), 0.95, 100)


def test_pairs_of_the_best_models_come_first():
    best, ordered = pairs_by_rank(four())
    assert best == "b"
    assert [(p.first, p.second) for p in ordered] == [
        ("b", "d"), ("a", "b"), ("b", "c"), ("a", "d"), ("c", "d"), ("a", "c"),
    ]  # fmt: skip
    best, ordered = pairs_by_rank(four("brier"))
    assert best == "a"
    assert [(p.first, p.second) for p in ordered][:3] == [("a", "d"), ("a", "b"), ("a", "c")]
    assert len(verdicts(four())) == 3
    three = comparison(pair(), pair("a", "c"), pair("b", "c"), names=("a", "b", "c"))
    assert len(verdicts(three)) == 3


def of_four(*proved, **more):
    """Return a comparison of four models in which only some pairs are proved, the better first."""
    values = {"a": 0.6, "b": 0.9, "c": 0.8, "d": 0.7}
    pairs = []
    for i, m in enumerate(values):
        for n in list(values)[i + 1 :]:
            d = gap(values[m], values[n], -0.25, 0.125)
            better, other = (m, n) if (m, n) in proved else (n, m)
            kind = "better" if (better, other) in proved else "undecided"
            pairs.append(pair(m, n, [d], v=Verdict(kind, "roc_auc", better, other, d, (answer(),))))
    return Comparison(tuple(values), "roc_auc", tuple(pairs), (), 0.95, 100, **more)


def test_four_models_are_ranked_in_groups_that_cannot_be_told_apart():
    chances = {"a": (0.0,), "b": (0.75,), "c": (0.25,), "d": (0.001,)}
    table = ranking_table(of_four(("b", "a"), ("b", "d"), ("c", "a"), ranks=chances))
    assert table.heads == ("Model", "ROC area", "Rank", "Group", "Best, probability")
    assert [*map(tuple, table.rows)] == [
        ("b", "0.900", "1 to 2", "a", "0.75"),
        ("c", "0.800", "1 to 3", "a b", "0.25"),
        ("d", "0.700", "2 to 4", "b c", "<0.01"),
        ("a", "0.600", "3 to 4", "c", "<0.01"),
    ]
    assert "corrected for 6 pairs" in table.caption
    assert "share a letter cannot be distinguished" in table.caption
    every = [("b", "c"), ("b", "d"), ("b", "a"), ("c", "d"), ("c", "a"), ("d", "a")]
    apart = ranking_table(of_four(*every))
    assert [row[2:] for row in apart.rows] == [("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")]
    lower = ranking_table(four("brier"))
    assert [row[0] for row in lower.rows] == ["a", "d", "b", "c"], "an undefined value comes last"


def test_there_is_no_ranking_of_few_models_or_of_some_pairs():
    three = comparison(pair(), pair("a", "c"), pair("b", "c"), names=("a", "b", "c"))
    c = of_four()
    against = replace(c, pairs=tuple(p for p in c.pairs if "a" in (p.first, p.second)))
    for unranked in (three, against):
        assert ranking_table(unranked) is None
        assert pairs_data(unranked) == {}


def test_the_page_has_the_numbers_of_every_pair():
    data = pairs_data(of_four())
    assert data["names"] == ["a", "b", "c", "d"]
    assert data["titles"] == ["ROC area"]
    assert data["values"] == [["0.600"], ["0.900"], ["0.800"], ["0.700"]]
    assert data["of"]["0 1"] == "-.30|-.25|.12|.01"
    assert sorted(data["of"]) == ["0 1", "0 2", "0 3", "1 2", "1 3", "2 3"]
    assert data["start"] == "1 2", "the two best"


def test_the_differences_of_a_pair_say_which_model_is_subtracted():
    ev = pages.binary(300, tuple("abcd"))
    first, second = pairs_data(ev.compare())["start"].split()
    text = page.render(ev)
    names = " − ".join("abcd"[int(i)] for i in (first, second))
    assert f'id="pair">\n<caption><span class="cap">{names}; p is not corrected.</span>' in text


def test_of_four_models_only_the_best_has_a_colour():
    every, *each = of_comparison(of_four(("b", "a"), ("c", "a")), ("a", "b", "c", "d"))["charts"]
    assert {chart.lead for chart in (every, *each)} == {0}
    ahead = {r.name: (r.mark, r.style) for r in every.drawn.rows if r.mark != "open"}
    assert ahead == {}
    four_apart = of_comparison(four(), ("a", "b", "c", "d"))["charts"][0]
    assert [r.style for r in four_apart.drawn.rows if r.mark != "open"][:2] == [0, 0]
    (alone,) = of_comparison(comparison(), ("a", "b"))["charts"]
    assert alone.lead is None


def test_the_chart_and_the_table_of_a_pair():
    each = [
        gap(),
        gap(0.2, 0.3, -0.15, -0.05, "brier"),
        gap(0.5, 0.6, -0.2, 0.0, "f1"),
        gap(0.5, 0.6, -0.2, -0.1, "accuracy", p_value=NAN),
        gap(INF, 1.0, NAN, NAN, "log_loss", "no interval: infinite"),
        gap(NAN, NAN, NAN, NAN, "precision", None, reason="no row is called positive", p_value=NAN),
    ]
    tests = (Evidence("McNemar, mid-p", 0.03), Evidence("Other", NAN, reason="none"))
    c = comparison(pair(differences=each, tests=tests), margin=0.2)
    parts = of_comparison(c, ("b", "a"), "here.")
    (chart,) = parts["charts"]
    rows = chart.drawn.rows
    assert [(r.name, r.mark, r.style, r.margin, r.missing) for r in rows] == [
        ("ROC area", "first", 1, 0.2, "undefined"), ("Brier score ↓", "first", 1, None, "undefined"),
        ("F1", "open", 0, None, "undefined"), ("Accuracy", "second", 0, None, "undefined"),
        ("Log loss ↓", "open", 0, None, "+∞"), ("Precision", "open", 0, None, "undefined"),
    ]  # fmt: skip
    assert [(r.low, r.high) for r in rows[:4]] == [
        (0.05, 0.15),
        (-0.15, -0.05),
        (-0.2, 0.0),
        (-0.2, -0.1),
    ]
    assert (chart.title, chart.drawn.kind, chart.drawn.line, chart.key) == (
        "a − b",
        "metric",
        0,
        "0",
    )
    low, high = chart.drawn.x.low, chart.drawn.x.high
    assert (low, high) == pytest.approx((-0.2 - 0.06 * 0.4, 0.2 + 0.06 * 0.4))
    assert [(m.form, m.style, m.meaning) for m in chart.marks] == [
        ("first", 1, "a is ahead"), ("second", 0, "b is ahead"), ("open", 0, "may be chance"),
    ]  # fmt: skip
    assert chart.numbers.heads == ("Metric", "Difference", "95 % interval", "p")
    assert chart.numbers.rows[0] == (
        "ROC area", Cell("+0.10", key="here.pairs.0.differences.roc_auc.value"),
        "+0.05 to +0.15", "0.01",
    )  # fmt: skip
    assert [r[0] for r in chart.numbers.rows[4:]] == [
        "Log loss: no interval: infinite", "Precision: no row is called positive",
    ]  # fmt: skip
    assert parts["pairs"].heads == (
        "First", "Second", "Difference", "95 % interval", "p", "Verdict", "p, McNemar, mid-p",
        "p, Other",
    )  # fmt: skip
    assert parts["pairs"].rows == [
        ("a", "b", Cell("+0.10", key="here.pairs.0.differences.roc_auc.value"), "+0.05 to +0.15",
         "0.0125", "better", "0.03", ""),
    ]  # fmt: skip
    assert (parts["summary"], parts["open"], parts["leads"]) == ("Tests", False, None)
    assert parts["pairs"].more == ""


def test_a_dot_is_filled_where_the_corrected_verdict_is_shown():
    lead = gap(0.93, 0.9177, 0.0017, 0.0263, p_value=0.0347)
    small = gap(0.2, 0.22, -0.03, -0.01, "brier", p_value=0.02)
    large = gap(0.2, 0.3, -0.12, -0.08, "log_loss", p_value=0.001)
    unsure = verdict("undecided", lead, answers=(answer(p=0.0694, shown=False),), _pairs=3)
    pairs = [
        pair("lr", "nb", [lead, small, large], v=replace(unsure, better="lr", other="nb")),
        pair("lr", "rf", [gap(), small, large]),
        pair("rf", "nb", [gap(), small, large]),
    ]
    parts = of_comparison(comparison(*pairs, names=("lr", "rf", "nb")), ("lr", "rf", "nb"))
    every, *each = parts["charts"]
    marks = {r.name: r.mark for r in every.drawn.rows}
    assert marks == {"lr − nb": "open", "lr − rf": "first", "rf − nb": "first"}
    chart = next(c for c in each if c.title == "lr − nb")
    assert [r.mark for r in chart.drawn.rows] == ["open", "open", "first"]
    assert [m.meaning for m in chart.marks] == [
        "lr is ahead, corrected for 3 pairs",
        "may be chance",
    ]
    assert parts["how"] == (
        "First model − second model with its 95 % interval. A filled dot is significant, each "
        "metric by itself, corrected for 3 pairs. ↓ lower is better. "
    )


def test_the_chart_of_all_pairs():
    parts = of_comparison(four(), ("a", "b", "c", "d"))
    every, *each = parts["charts"]
    assert (every.title, every.key, every.drawn.kind, every.drawn.line) == (
        "Every pair by ROC area", "pairs", "pair", 0.0,
    )  # fmt: skip
    assert [r.name for r in every.drawn.rows][:2] == ["b − d", "a − b"]
    assert [m.meaning for m in every.marks] == [
        "the first is ahead, corrected for 6 pairs", "the second is ahead, corrected for 6 pairs",
    ]  # fmt: skip
    assert [c.title for c in each] == ["b − d", "a − b", "b − c"]
    assert [c.key for c in each] == ["0", "1", "2"]
    assert (parts["summary"], parts["open"]) == ("Every pair and its tests", True)
    assert parts["pairs"].heads[4] == "p, corrected"
    still = gap(0.5, 0.5, 0.0, 0.0)
    (chart,) = of_comparison(comparison(pair(differences=[still])), ("a", "b"))["charts"]
    assert (chart.drawn.x.low, chart.drawn.x.high) == (-0.01, 0.01)


def test_leads_stand_on_axes_of_rates_and_of_costs():
    cheap = (Cheapest("b", 0.0, 0.25, (None, 3.0)), Cheapest("a", 0.5, 1.0, (5.0, None)))
    crossed = pair("a", "b", crossing=CROSSED)
    c = comparison(crossed, cheapest=cheap)
    chart = leads_chart(c, [crossed], ("b", "a"))
    assert chart.drawn.rows == [
        ("false positive rate, a and b", [(0.01, 0.1, 1), (0.625, 0.625, 0), (0.75, 0.875, 0)]),
        ("probability cost: prevalence and costs in one", [(0.0, 0.25, 0), (0.5, 1.0, 1)]),
    ]
    assert chart.legend == ((1, "a", ""), (0, "b", ""))
    assert chart.numbers.heads == ("On the axis of", "leads", "from and to")
    assert chart.numbers.rows[0] == ("false positive rate, a and b", "a", "0.010 to 0.100")
    assert chart.numbers.rows[-1] == (
        "probability cost: prevalence and costs in one", "a", "0.50 to 1.00",
    )  # fmt: skip
    assert leads_chart(comparison(), [pair()], ("a", "b")) is None
    (only,) = leads_chart(comparison(cheapest=cheap), [pair()], ("a", "b")).drawn.rows
    assert only[0].startswith("probability cost")
    noted = of_comparison(c, ("b", "a"))["notes"]
    assert noted[-1] == f"{crossing_sentence(CROSSED)}."


def test_a_comparison_prints_its_verdicts_pairs_and_notes():
    tests = (Evidence("McNemar, mid-p", 0.03),)
    c = Comparison(
        ("a", "b"), "roc_auc", (pair(tests=tests, crossing=replace(CROSSED, regions=())),),
        (Evidence("Cochran's Q", 0.25, 4.5, 2),), 0.8, 1200, notes=("the sides differ",),
        table_error=TableError(14, 0.2, 0.6, False),
    )  # fmt: skip
    assert shown(c, width=120).splitlines() == [
        "Verdicts by ROC area",
        f"- a is better than b: {FACT.format('')}.",
        "  Cochran's Q 4.500 with 2 degrees of freedom: p = 0.25",
        "  note: the sides differ.",
        "",
        "  metric        a      b  difference   80 % interval     p",
        "  ROC area  0.900  0.800       +0.10  +0.05 to +0.15  0.01",
        "  McNemar, mid-p: p = 0.03",
        "",
        "Differences are a − b. 14 differences, each at 20 %: if nothing differs, a table like this "
        "marks at least one in about",
        "  60 % of samples (estimated from the joint resamples).",
        "All metrics of all pairs: .table(). All tests of a pair: .pair('a', 'b').",
    ]
    assert repr(c).startswith("<Comparison: 2 models, 1,200 rows; a is better than b")
    assert shown(c.pairs[0], width=120).splitlines()[:8] == [
        f"a is better than b: {FACT.format('')}.",
        "",
        "  metric        a      b  difference   95 % interval     p",
        "  ROC area  0.900  0.800       +0.10  +0.05 to +0.15  0.01",
        "  McNemar, mid-p: p = 0.03",
        "  the ROC curves of a and b cross at false positive rates of 0.12, 0.5, a ahead first; both "
        "leads may be chance.",
        "",
        "Differences are a − b, on the same rows. Intervals: Tango's score for proportions; DeLong for "
        "the ROC area and the",
    ]
    assert repr(c.pairs[0]).startswith("<Pair: a and b; a is better than b: ")


def test_a_narrow_terminal_omits_the_values_of_both_models():
    c = comparison(pair())
    for width, heads in ((60, ["metric", "a", "b", "difference"]), (50, ["metric", "difference"])):
        head = shown(c, width=width).splitlines()[4].split()
        assert head[: len(heads)] == heads


@pytest.mark.parametrize(("models", "verdicts"), [(3, 3), (4, 3), (9, 5), (30, 5)])
def test_many_models_are_compared_in_thirty_lines(models, verdicts):
    names = [f"m{i}" for i in range(models)]
    values = {n: 0.9 - 0.01 * i for i, n in enumerate(names)}
    pairs = [
        pair(a, b, [gap(values[a], values[b])]) for i, a in enumerate(names) for b in names[i + 1 :]
    ]
    c = Comparison(tuple(names), "roc_auc", tuple(pairs), (), 0.95, 400)
    lines = shown(c, width=88).splitlines()
    assert len(lines) <= 30
    assert len([line for line in lines if line.startswith("- ")]) == verdicts
    more = [f"{models - 1 - verdicts} more verdicts: .table()"] * (models > 7)
    assert [line for line in lines if "more verdicts" in line] == more
    lower = ["  15 more models rank lower."] * (models == 30)
    assert [line for line in lines if "rank lower" in line] == lower
    assert (
        lines[-1] == "All metrics of all pairs: .table(). All tests of a pair: .pair('m0', 'm1')."
    )


def test_an_axis_of_a_pair_leaves_out_metrics_without_bounds_on_their_values():
    losses = gap(9.0, 2.0, 5.0, 9.0, "log_loss")
    (chart,) = of_comparison(comparison(pair(differences=[gap(), losses])), ("a", "b"))["charts"]
    assert (chart.drawn.x.low, chart.drawn.x.high) == pytest.approx((-0.009, 0.159))
    three = [pair("a", n, [losses], v=None) for n in "bc"]
    c = Comparison(("a", "b", "c"), "log_loss", tuple(three), (), 0.95, 100)
    every = of_comparison(c, ("a", "b", "c"))["charts"][0]
    assert (every.drawn.x.low, every.drawn.x.high) == pytest.approx((-0.54, 9.54))
