"""Whole sentences of an evaluation at no symmetric point, their numbers computed apart.

A bound that only tallymark's own method gives is written out; all else follows from NumPy and SciPy.
"""

from __future__ import annotations

import html
import re
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

import tallymark as tm
from asymmetric import (
    FIRST,
    ILL,
    LEVEL,
    MODELS,
    SECOND,
    SITE,
    STEEP,
    TRUTH,
    WEIGHT,
    area,
    average_precision,
    brier,
    cells,
    flat,
    judged,
    kappa,
    lead_of_area,
    log_loss,
    matthews,
    mid_p,
    roc,
    score_of_two,
    tango,
    wilson,
)
from report import pages
from tallymark import quantities

TP, FP, FN, TN = cells(SECOND)
LEAD = area(SECOND) - area(FIRST)
BEST = "second beats first (ROC area, 1,000 rows)."
FINDS = "second finds 82 of 100 ill rows, with 2 false alarms per 100 well rows."


@pytest.fixture(scope="module")
def ev():
    return judged(subgroup={"site": SITE})


@pytest.fixture(scope="module")
def html_of_page(ev, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    ev.at(cost_fp=3, cost_fn=20).report(path)
    return path.read_text("utf-8")


@cache
def of_use(use):
    """Return the evaluation of the rows for a use."""
    return judged(use=use)


def paragraphs(ev) -> list[str]:
    """Return the sentences that an evaluation's summary begins with."""
    return ev.summary(width=10_000).split("\n\n")[0].splitlines()[1:]


def page(ev, path) -> list[str]:
    """Return the texts of a page, one by one."""
    ev.report(path)
    return texts_of(path.read_text("utf-8"))


def texts_of(page: str) -> list[str]:
    """Return the texts of a page, one by one."""
    bare = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", "", page)
    bare = re.sub(r"</?(b|i|em|strong|cite|code)\b[^>]*>", "", bare)
    texts = (" ".join(html.unescape(t).split()) for t in re.split(r"<[^>]+>", bare))
    return [t for t in texts if t]


# -- the summary -------------------------------------------------------------------------------


def test_a_summary_says_what_the_better_model_finds_and_by_how_much_it_leads(ev):
    assert (TP, FP, FN, TN) == (82, 21, 18, 879)
    assert paragraphs(ev) == [
        "Use second: it beats first.",
        f"{FINDS} {BEST}",
        f"second has the highest ROC area, {area(SECOND):.3f} "
        f"(80 % CI 0.966 to 0.985); next is first with {area(FIRST):.3f}. "
        "That lead is significant (p < 0.0001).",
    ]
    assert lead_of_area(SECOND, FIRST)[2] < 0.0001


OF_USES = {
    "medicine": f"{FINDS} After a positive result {100 * TP / (TP + FP):.0f} of 100 are ill rows, "
    f"after a negative one {100 * FN / (FN + TN):.0f} of 100; before the test 10 of 100.",
    "marketing": f"The best 10 % by second hold {10 * 0.80667:.2f} times as many ill rows as a "
    "random 10 %: 81 % of all.",
    "defects": f"{FINDS} pd is 0.820, pf {FP / 900:.3f}, their balance "
    f"{1 - ((FN / 100) ** 2 / 2 + (FP / 900) ** 2 / 2) ** 0.5:.3f} (ideal: 1).",
    "ranking": f"second puts {100 * area(SECOND):.0f} of 100 pairs of ill rows and well rows in "
    "the right order; a tie counts half.",
    "probabilities": f"second predicts {100 * SECOND.mean():.1f} % ill rows, and 10.0 % are. Its "
    f"Brier score is {brier(SECOND):.4f}, {100 - 100 * brier(SECOND) / 0.09:.0f} % less than the "
    "0.090 of always giving the share of the class.",
    "teaching": f"{FINDS} recall = TP / (TP + FN) = 82 / (82 + 18) = 0.820.",
}


def test_each_use_says_in_its_words_what_the_better_model_does():
    for use, sentence in OF_USES.items():
        title, reasons, *_ = paragraphs(of_use(use))
        assert (title, reasons) == ("Use second: it beats first.", f"{sentence} {BEST}")


def test_the_best_tenth_counts_a_tie_at_its_end_by_share():
    order = np.unique(SECOND)[::-1]
    rows = np.cumsum([np.equal(SECOND, s).sum() for s in order])
    last = order[np.searchsorted(rows, 100)]
    above, tied = np.greater(SECOND, last), np.equal(SECOND, last)
    found = (above & ILL).sum() + (100 - above.sum()) * (tied & ILL).sum() / tied.sum()
    assert found == pytest.approx(80.667, abs=1e-3)


def test_probabilities_worse_than_the_share_of_the_class_are_said_to_cost_more():
    raised = np.round(FIRST**0.5, 3)
    worse = 100 * brier(raised) / 0.09 - 100
    assert worse > 1
    said = " ".join(paragraphs(judged({"raised": raised}, use="probabilities"))[:2])
    assert said == (
        f"raised predicts {100 * raised.mean():.1f} % ill rows, and 10.0 % are. Its Brier score is "
        f"{brier(raised):.3f}, {worse:.0f} % more than the 0.090 of always giving the share of "
        "the class."
    )


def test_one_model_is_held_against_always_saying_the_frequent_class():
    tp, fp, _, tn = cells(FIRST)
    ev = judged({"first": FIRST})
    assert paragraphs(ev) == [
        "first finds 55 of 100 ill rows.",
        "It raises 6 false alarms per 100 well rows.",
        f"The ROC area of first is {area(FIRST):.3f} (80 % CI 0.859 to 0.904). It "
        f"is right in {(tp + tn) / 10:.1f} % of the rows; always saying 'well' would be right in "
        "90.0 %.",
    ]
    by_luck = mid_p(tp, fp)
    guess = ev.no_information()
    assert guess.rate == 0.9
    assert guess.label == "well"
    assert guess.p_values["first"] == pytest.approx(by_luck)
    assert (
        "no-information rate 0.900 (always saying 'well'); accuracy above it: "
        f"p = {by_luck:.3g}, one-sided McNemar mid-p" in flat(ev)
    )


def test_another_prevalence_moves_accuracy_and_what_guessing_achieves():
    tp, _, _, tn = cells(FIRST)
    right = 100 * (0.3 * tp / 100 + 0.7 * tn / 900)
    assert paragraphs(judged({"first": FIRST}).at(prevalence=0.3))[2] == (
        f"The ROC area of first is {area(FIRST):.3f} (80 % CI 0.859 to 0.904). At "
        f"the assumed class balance it is right in {right:.1f} % of the rows; always saying 'well' "
        "would be right in 70.0 %."
    )


def test_weights_move_every_count_of_a_summary():
    weighed = judged(weight=WEIGHT)
    tp, fp, fn, tn = cells(SECOND, weight=WEIGHT)
    assert paragraphs(weighed) == [
        "Use second: it beats first.",
        f"second finds {100 * tp / (tp + fn):.0f} of 100 ill rows, with "
        f"{100 * fp / (fp + tn):.0f} false alarms per 100 well rows. {BEST}",
        "second has the highest ROC area, 0.974 (80 % CI 0.952 to 0.981); next is "
        "first with 0.886. That lead is significant (p < 0.0001).",
        "warning: rows have weights: intervals treat rows as drawn independently, and are less "
        "reliable where few rows carry most weight",
    ]
    pairs = (SECOND[ILL][:, None] > SECOND[~ILL]) + 0.5 * (SECOND[ILL][:, None] == SECOND[~ILL])
    of_pairs = np.outer(WEIGHT[ILL], WEIGHT[~ILL])
    assert weighed.values()["second"]["roc_auc"] == pytest.approx(
        np.average(pairs, weights=of_pairs)
    )
    share = WEIGHT[ILL].sum() / WEIGHT.sum()
    assert f"1,000 rows, positive class 'ill' ({100 * share:.1f} %)" in flat(weighed)
    assert weighed.values()["second"]["brier"] == pytest.approx(brier(SECOND, WEIGHT))


def test_the_prompt_shows_rows_accuracy_and_area(ev):
    assert repr(ev) == (
        "<Evaluation: arrays, 1,000 rows, positive class 'ill' (10.0 %)\n"
        f" accuracy of first 0.904 (ROC area {area(FIRST):.3f}), second {(TP + TN) / 1000:.3f} "
        f"(ROC area {area(SECOND):.3f})\n"
        " ev.help() lists what it can answer>"
    )


# -- the numbers -------------------------------------------------------------------------------


def test_values_and_their_bounds_at_level_80_are_those_of_numpy(ev):
    shares = {
        "accuracy": (TP + TN, 1000),
        "sensitivity": (TP, TP + FN),
        "specificity": (TN, TN + FP),
        "precision": (TP, TP + FP),
        "negative_predictive_value": (TN, TN + FN),
        "false_positive_rate": (FP, TN + FP),
        "prevalence": (100, 1000),
    }
    values = ev.values()["second"]
    for name, (hits, rows) in shares.items():
        v = values[name]
        assert (v.value, v.low, v.high) == pytest.approx((hits / rows, *wilson(hits, rows))), name
        assert v.level == LEVEL
    others = {
        "roc_auc": area(SECOND),
        "average_precision": average_precision(SECOND),
        "brier": brier(SECOND),
        "log_loss": log_loss(SECOND),
        "matthews_corrcoef": matthews(TP, FP, FN, TN),
        "cohen_kappa": kappa(TP, FP, FN, TN),
        "f1": 2 * TP / (2 * TP + FP + FN),
        "youden_j": TP / 100 - FP / 900,
        "observed_expected_ratio": 100 / SECOND.sum(),
    }
    for name, value in others.items():
        assert values[name].value == pytest.approx(value), name
        assert values[name].low < value < values[name].high, name


def test_a_table_of_both_models_marks_the_second_where_it_is_shown_to_be_better(ev):
    text = ev.summary(width=10_000)
    of = cells(FIRST)
    for said in (
        f"Precision +{of[0] / (of[0] + of[1]):.2f} +{TP / (TP + FP):.2f}\\*",
        f"Negative predictive value +{of[3] / (of[3] + of[2]):.3f} +{TN / (TN + FN):.3f}\\*",
        f"Brier score +{brier(FIRST):.3f} +{brier(SECOND):.4f}\\*",
        f"Log loss +{log_loss(FIRST):.3f} +{log_loss(SECOND):.3f}\\*",
        f"Matthews correlation +{matthews(*of):.2f} +{matthews(TP, FP, FN, TN):.3f}\\*",
        "\\* significantly better than every other model and better than guessing, each metric by "
        "itself; 80 % interval below",
        "first +55 +51 +45 +849 +scores at or above 0.5",
        "second +82 +21 +18 +879 +scores at or above 0.5",
    ):
        assert re.search(said, text), said


# -- a page ------------------------------------------------------------------------------------


def test_a_page_says_the_same_of_the_better_model(html_of_page):
    texts = texts_of(html_of_page)
    p = mid_p(*cells(FIRST)[:2])
    for sentence in (
        "Keep the threshold of second at 0.5.",
        "1,000 rows, positive class 'ill' (10.0 %). All intervals are at the 80 % level. "
        f"Decisions at 0.5, the default. Right in {(TP + TN) / 10:.1f} % of the rows; always saying “well”: 90.0 %.",
        f"accuracy above guessing: first, p = {p:.3g}; accuracy above guessing: second, p < 0.0001.",
        "At threshold 0.5, second misses 18 of 100 ill rows and raises a false alarm for 21 of 900 "
        "well rows.",
        "Move a control: the numbers and the matrix below, the matrices of the models and the marks "
        "on the curves follow.",
        f"The mean probability that second gives is {100 * SECOND.mean():.1f} %, and 10.0 % are "
        f"ill rows (observed to expected {100 / SECOND.sum():.3f}, 80 % CI 0.438 to 0.529). Where "
        "the points lie on the diagonal, rows with a score of 0.3 are positive 30 % of the time.",
        "By site: second leads in north and south (ROC area, corrected for 2 subgroups).",
        "No subgroup is shown to differ from the rest in sensitivity or specificity at 0.5 (level "
        "0.8, corrected for 2 tests).",
        "By site, the worst first. Each p-value is that of the difference from the rest, corrected "
        "for all tests.",
        "second: scores at or above 0.5 are positive; equal scores are decided alike.",
    ):
        assert sentence in texts, sentence


def test_the_panel_starts_at_the_better_model_and_knows_each_step(html_of_page):
    text = html_of_page
    data = pages.embedded(text)
    assert [m["name"] for m in data["models"]] == ["first", "second"]
    assert data["first"] == 1
    assert data["own"] == 0.1
    assert '<input id="cost-fn" value="20">' in text
    assert '<input id="cost-fp" value="3">' in text
    for m, score in zip(data["models"], MODELS.values(), strict=True):
        assert (m["positives"], m["negatives"]) == (100, 900)
        assert tuple(m["given"][k] for k in ("tp", "fp", "fn", "tn")) == cells(score)
        assert m["t"][m["start"]] == m["given"]["t"] == "0.5"
        for i, t in enumerate(m["t"]):
            if t == "inf":
                continue
            tp, fp, _, tn = cells(score, threshold=float(t))
            assert (m["tp"][i], m["fp"][i]) == (tp, fp)
            of = {"accuracy": (tp + tn, 1000), "precision": (tp, tp + fp)}
            of |= {"sensitivity": (tp, 100), "specificity": (tn, 900)}
            for name, (hits, rows) in of.items():
                bounds = [1000 * b for b in wilson(hits, rows)]
                off = 0.51 if bounds[1] - bounds[0] < 100 else 5.01  # two digits of the width
                assert [b[i] for b in m["m"][name]] == pytest.approx(bounds, abs=off), (name, t)
        rare = data["p"].index(0.03)
        low, high = (bound[rare] / 1000 for bound in m["given"]["f"]["precision"])
        tp, fp, _, _ = cells(score)
        assert low < 3 * tp / (3 * tp + 97 * fp / 9) < high


def test_right_rows_are_shaded_apart_from_wrong_ones(html_of_page):
    found = re.findall(r"<td class=(\w+)>([\d,]+)<small>([\d.]+ %)", html_of_page)
    shades = {(count, share): shade for shade, count, share in found}
    for score in MODELS.values():
        tp, fp, fn, tn = cells(score)
        for kind, n, rows in (("g", tp, 100), ("b", fn, 100), ("b", fp, 900), ("g", tn, 900)):
            depth = int(np.ceil(5 * n / rows))
            assert shades[f"{n:.0f}", f"{100 * n / rows:.1f} %"] == f"{kind}{depth}"


def test_a_page_of_medicine_gives_both_results_their_post_test_probability(tmp_path):
    texts = page(of_use("medicine"), tmp_path / "page.html")
    after, cleared = TP / (TP + FP), FN / (FN + TN)
    up, down = (TP / 100) / (FP / 900), (FN / 100) / (TN / 900)
    for sentence in (
        f"At a prevalence of 10 %, the probability of ill is {100 * after:.1f} % after a positive "
        f"result and {100 * cleared:.0f} % after a negative result.",
        "A line through the likelihood ratio leads to the post-test probability: positive result: "
        f"likelihood ratio {up:.1f}, from 10 % to {100 * after:.1f} %; negative result: "
        f"likelihood ratio {down:.3f}, from 10 % to {100 * cleared:.0f} %.",
    ):
        assert sentence in texts, sentence
    start = texts.index("Index test by reference standard")
    assert texts[start + 1 : start + 16] == [
        *("ill", "well", "total"),
        *("test positive", "82", "21", "103"),
        *("test negative", "18", "879", "897"),
        *("total", "100", "900", "1,000"),
    ]
    start = texts.index("Diagnostic accuracy, as STARD asks for it")
    assert [t for t in texts[start : start + 60] if " / " in t][:5] == [
        *("82 / 100", "879 / 900", "82 / 103", "879 / 897", "100 / 1,000"),
    ]


def test_a_page_of_medicine_at_an_assumed_prevalence_has_the_counts_of_the_study(tmp_path):
    texts = page(of_use("medicine").at(prevalence=0.02), tmp_path / "page.html")
    after = 0.02 * TP / 100 / (0.02 * TP / 100 + 0.98 * FP / 900)
    assert any(
        t.startswith(f"At a prevalence of 2 %, the probability of ill is {100 * after:.1f} % after")
        for t in texts
    )
    start = texts.index("Index test by reference standard, as counted")
    assert texts[start + 1 : start + 16] == [
        *("ill", "well", "total"),
        *("test positive", "82", "21", "103"),
        *("test negative", "18", "879", "897"),
        *("total", "100", "900", "1,000"),
    ]
    start = texts.index("Diagnostic accuracy, as STARD asks for it")
    told = texts[start : start + 60]
    assert [t for t in told if " / " in t] == ["82 / 100", "879 / 900"]
    assert told.count("prevalence assumed") == 3


def test_a_page_of_marketing_counts_the_responses_of_each_tenth(tmp_path):
    texts = page(of_use("marketing").at(noun="customer"), tmp_path / "page.html")
    assert (
        "Of the 10 % that second scores highest 80.7 % respond, of all customers 10.0 %. "
        "Contacting them pays where a response earns more than 1.24 contacts cost; set both under "
        "“Threshold and cost”." in texts
    )
    caption = (
        "Response by tenth of the customers, from the highest scores down; equal scores at the "
        "edge of a tenth are split in proportion"
    )
    start = texts.index(caption) + 8
    assert texts[start - 6] == "customers"
    assert [texts[start + i] for i in (0, 1, 2, 3, 5, 6)] == [
        *("1", "100", "80.7", "80.7 %", "8.067", "80.7 %"),
    ]


def test_a_page_of_defects_measures_the_distance_from_the_ideal_point(tmp_path):
    away = ((FN / 100) ** 2 + (FP / 900) ** 2) ** 0.5
    assert (
        f"second is {away:.3f} away from the ideal point (pf 0, pd 1). Its balance is 1 less that "
        f"distance over √2: {1 - away / 2**0.5:.3f}."
        in page(of_use("defects"), tmp_path / "page.html")
    )


def test_a_page_of_teaching_works_each_number_out(tmp_path):
    texts = page(of_use("teaching"), tmp_path / "page.html")
    assert "Every number of second follows from four counts: TP 82, FP 21, FN 18, TN 879." in texts
    assert "(82·879 - 21·18) / √((82 + 21)·(82 + 18)·(879 + 21)·(879 + 18))" in texts
    assert "82 / (82 + 18) - 21 / (21 + 879)" in texts


# -- a comparison ------------------------------------------------------------------------------


def test_a_comparison_names_the_second_model_as_the_better_one(ev):
    text = flat(ev.compare(margin=0.05, least=0.02, permutations=0))
    low, high, _ = lead_of_area(SECOND, FIRST)
    for sentence in (
        "Verdicts by ROC area, margin 0.05, least 0.02",
        f"second is better than first: ROC area higher by {LEAD:.3f} "
        f"({quantities.between(low, high)}), p < 0.0001; margin 0.05: non-inferiority shown (one-sided p < 0.0001), "
        "equivalence not shown (one-sided p = 0.996); the lead exceeds 0.05 with probability "
        ">0.99.",
        "Probability of being best by ROC area: second >0.99, first <0.01 (flat "
        "prior, from the interval).",
        f"Accuracy {(TP + TN) / 1000:.3f} 0.904 +0.057",
        f"Brier score {brier(SECOND):.3f} {brier(FIRST):.3f} −{brier(FIRST) - brier(SECOND):.3f}",
        "Differences are second − first. 14 differences, each at 20 %: if nothing differs, a table "
        "like this marks at least one in about 59 % of samples (estimated from the joint resamples).",
    ):
        assert sentence in text, sentence


NUDGED = np.where(np.arange(1000) % 7 == 0, np.round(SECOND * 0.8, 2), SECOND)


def rows_of_power(effect: float, error: float, two_sided: bool) -> int:
    """Return how many rows show an effect with 80 % power, of an error that 1,000 rows have."""
    n = np.arange(1, 400_000)
    shift = effect / (error * (1000 / n) ** 0.5)
    z = norm.ppf(0.5 + LEVEL / 2)
    power = norm.sf(z - shift) + (norm.cdf(-z - shift) if two_sided else 0)
    return int(n[power >= 0.8][0])


def test_an_open_comparison_says_how_far_and_how_many_rows_at_its_level():
    c = judged({"nudged": NUDGED, "second": SECOND}).compare(
        metric="accuracy", margin=0.001, least=0.005, permutations=0
    )
    right = {n: (s >= 0.5) == ILL for n, s in (("nudged", NUDGED), ("second", SECOND))}
    lead = right["second"].mean() - right["nudged"].mean()
    (v,) = c.verdicts
    error = v.difference.error
    superior, no_worse = (rows_of_power(0.005, error, True), rows_of_power(0.001, error, False))
    assert dict(v.needed) == {"superiority": superior, "non-inferiority": no_worse}
    assert lead == pytest.approx(-0.001)
    hits = [(right["nudged"] == a) & (right["second"] == b) for a in (1, 0) for b in (1, 0)]
    both, one, other, none = (int(h.sum()) for h in hits)
    assert (one, other) == (3, 2)  # so few that the exact test decides: p = 1
    down, up = tango(both, one, other, none)
    assert flat(c).count(
        f"- Undecided between nudged and second: accuracy of nudged higher by 0.0010 (−{-down:.4f} to "
        f"{up:.4f}), p = 1; margin 0.001: non-inferiority not shown (one-sided p = 0.194), "
        "equivalence not shown (one-sided p = 0.5); the lead exceeds 0.001 with probability 0.50; "
        f"nudged is at most {up:.4f} better and at most {-down:.4f} worse; about 1,200 rows like "
        "these show a true difference of 0.005 with 80 % power (here are 1,000); about 30,000 rows "
        "like these show non-inferiority within 0.001, if both are equally good, with 80 % power "
        "(here are 1,000)."
    )


def assert_of_both_sides(d, first, second):
    """Hold a difference to the intervals of both evaluations, their distances added as squares."""
    a, b = (next(iter(e.values().values()))[d.metric] for e in (first, second))
    below = ((a.value - a.low) ** 2 + (b.high - b.value) ** 2) ** 0.5
    above = ((a.high - a.value) ** 2 + (b.value - b.low) ** 2) ** 0.5
    lead = a.value - b.value
    assert (d.value, d.low, d.high) == pytest.approx((lead, lead - below, lead + above))


def test_two_samples_are_each_judged_at_their_own_class_shares():
    half = np.arange(1000) % 2 == 0
    here, there = (
        tm.evaluate(TRUTH[rows], y_score={name: score[rows]}, positive="ill", level=LEVEL)
        for rows, name, score in ((half, "first", FIRST), (~half, "second", SECOND))
    )
    asked = {"metrics": ["accuracy", "balanced_accuracy"], "called": ("here", "there")}
    for first, second, shares in (
        (here, there, None),
        (here, there.at(prevalence=0.4), (0.1, 0.4)),
        (here.at(prevalence=0.4), there, (0.4, 0.1)),
    ):
        c = first.compare_with(second, **asked)
        d = c.pairs[0].differences["accuracy"]
        if shares is None:
            sides = [(round(e["accuracy"].value * 500), 500) for e in (first, second)]
            low, high, _ = score_of_two(*sides[0], *sides[1])
            assert (d.low, d.high) == pytest.approx((low, high), abs=1e-6)
        else:
            assert_of_both_sides(d, first, second)
        text = flat(c)
        assert (
            "second (there) is better than first (here): ROC area higher by 0.100 "
            "(0.070 to 0.138), p < 0.0001." in text
        )
        note = "note: ill makes up {} of the rows in here and {} in there: accuracy differs for"
        assert ("note:" in text) == (shares is not None)
        assert shares is None or note.format(*shares) in text, text


WHERE = (
    "steep leads at false positive rates of 0.001 to 0.024 (by up to 0.54 in sensitivity), even "
    "leads at 0.18 to 0.875 (by up to 0.3 in sensitivity)"
)


def test_curves_that_cross_leave_no_single_winner():
    ev = judged({"even": FIRST, "steep": STEEP})
    rates = np.arange(1, 1000) / 1000
    ahead = roc(FIRST, rates) - roc(STEEP, rates)
    assert (ahead.max(), -ahead.min()) == pytest.approx((0.3, 0.54), abs=0.005)
    assert (ahead[rates < 0.07] < 0).all()
    assert (ahead[(rates > 0.08) & (rates < 0.99)] > 0).all()
    lead = area(FIRST) - area(STEEP)
    c = ev.compare(permutations=0)
    text = flat(c)
    low, high, _ = lead_of_area(FIRST, STEEP)
    for sentence in (
        "- No single winner between even and steep: their ROC curves cross beyond chance "
        f"(simultaneous 80 % band); {WHERE}; choose steep where false alarms are costly or "
        "positives rare, even where missed positives are costly or positives frequent; ROC "
        f"area of even higher by {quantities.to_width(lead, low, high)[0]} ({quantities.between(low, high)}), p < 0.0001.",
        "Least expected cost, by how many times a missed positive costs what a false alarm does: "
        "steep for at most 3.9; even for 17 to 55. Elsewhere no model is shown to be the cheapest. "
        "Each has its best threshold on these rows.",
    ):
        assert sentence in text, sentence
    assert flat(c.pairs[0].crossing) == (
        "the ROC curves of even and steep cross at a false positive rate of 0.075: steep is ahead "
        f"below it, even beyond; beyond chance {WHERE}"
    )
    title, first, second = paragraphs(ev)
    assert title == "No single best model: the ROC curves cross."
    assert first.endswith(
        "No single winner between even and steep, whose ROC curves cross (ROC area, 1,000 rows)."
    )
    assert second == (
        f"even has the highest ROC area, {area(FIRST):.3f} (80 % CI 0.859 to "
        f"0.904); next is steep with {area(STEEP):.3f}. Their ROC curves cross beyond chance, so "
        f"neither is better everywhere: {WHERE}."
    )
    (order,) = ev.advise().section("order")
    assert order.text == (
        f"By ROC area, even leads steep by {lead:.3f}, but their ROC curves cross beyond chance: "
        f"{WHERE}. Choose by the false positive rate of your operating point."
    )


def test_a_crossing_within_the_noise_is_said_to_be_one():
    c = judged({"nudged": NUDGED, "second": SECOND}).compare(metric="accuracy", permutations=0)
    assert (
        "the ROC curves of nudged and second cross at false positive rates of 0.007, 0.017, second "
        "ahead first; both leads may be chance." in flat(c.pairs[0])
    )


def test_a_summary_of_five_models_says_how_the_best_stands_to_each():
    models = {"first": FIRST, "steep": STEEP, "second": SECOND, "copy": np.round(SECOND / 2, 3)}
    ev = judged({**models, "nudged": NUDGED})
    assert paragraphs(ev)[1:3] == [
        f"{FINDS} second and copy rank all rows the same; second and nudged cannot be distinguished; "
        "second beats first and steep (ROC area, 1,000 rows).",
        "second and copy have the same ranking of all rows: ROC area "
        f"{area(SECOND):.3f} (80 % CI 0.966 to 0.985).",
    ]
    c = ev.compare(permutations=0)
    text, close = flat(c), area(SECOND) - area(NUDGED)
    low, high, _ = lead_of_area(SECOND, STEEP)
    down, up, p = lead_of_area(SECOND, NUDGED)
    for sentence in (
        f"- second is better than steep: ROC area higher by "
        f"{area(SECOND) - area(STEEP):.3f} ({quantities.between(low, high)}), corrected p < 0.0001.",
        "- second and copy have the same ranking: they order and tie all rows the same, so ROC "
        "area and every other rank metric are equal; compare their probabilities or "
        "their decisions to choose one.",
        f"- Undecided between second and nudged: ROC area of second higher by "
        f"{close:.4f} (−{-down:.4f} to {up:.4f}), corrected p = {3 * p:.3g}; second is at most {up:.4f} "
        f"better and at most {-down:.4f} worse.",
        "second 0.980 1 to 3 a 0.43 copy 0.980 1 to 3 a 0.43 nudged ",
    ):
        assert sentence in text, sentence
    (order,) = ev.advise().section("order")
    assert order.text == (
        f"second is first by ROC area ({area(SECOND):.3f}, 0.966 to 0.985), but copy is better by "
        "specificity. Choose the metric that fits your use before you compare."
    )
