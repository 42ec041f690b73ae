import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len

from parts.results.test_comparison import demsar, table
from report.test_browser import show
from tallymark.display import text as summary
from tallymark.parts.results.judge import compare_results
from tallymark.parts.results.page import hero, render
from tallymark.parts.results.words import finding, reasons


def plain(text):
    return " ".join(text.split())


def random_table(seed, datasets, names, gap=0.0):
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", n, rng.random() - gap * i) for d in range(datasets) for i, n in enumerate(names)
    ]
    return pd.DataFrame(rows, columns=["dataset", "classifier", "f1"])


# -- the verdict says what was found -----------------------------------------------------------


def test_an_f_that_tells_apart_and_a_test_of_pairs_that_does_not():
    assert compare_results(demsar(), ties="plain").verdict == (
        "Over 14 data sets the classifiers differ significantly (Iman and Davenport's F 3.69 with 3 and 39 "
        "degrees of freedom, p = 0.0198). C4.5+m+cf has the best mean rank, 1.96. Nemenyi's test "
        "(critical difference 1.25 at 95 %) finds no two of them different: it tests every pair, "
        "which costs power. So no classifier is shown to be better than another. Wilcoxon's test "
        "of each pair alone (Holm) does not agree: it finds a difference between C4.5+m and C4.5 "
        "(p = 0.0469), because it also weighs how large the differences are. The Bayesian signed "
        "rank test does not agree on C4.5+m+cf and C4.5, because it takes each pair alone, without "
        "a correction for the number of pairs: C4.5+m+cf is better than C4.5 with a probability of "
        "95 % or more; of C4.5+m and C4.5+cf that is open. Differences up to 0.01 count as "
        "practically equivalent. Nemenyi's test decides here."
    )


def test_a_headline_is_followed_by_what_it_takes_to_differ():
    c = compare_results(demsar(), level=0.9)
    assert reasons(c) == (
        "C4.5+m+cf has the best mean rank, 1.96; next is C4.5+m with 2.00. Mean ranks must differ "
        "by at least 1.12 (Nemenyi, 10 %)."
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"level": 0.9},
            "Wilcoxon's test of each pair alone (Holm) agrees. The Bayesian signed rank test "
            "agrees: C4.5+m+cf is better than C4.5 with a probability of 90 % or more; of C4.5+m "
            "and C4.5+cf that is open. Differences up to 0.01 count as practically equivalent.",
        ),
        (
            {"control": "C4.5"},
            "Wilcoxon's test of each pair alone (Holm) agrees. The Bayesian signed rank test does "
            "not agree on C4.5 and C4.5+m, because it counts a difference only beyond 0.01: C4.5 "
            "is worse than C4.5+m+cf with a probability of 95 % or more; of C4.5+m and C4.5+cf "
            "that is open. Differences up to 0.01 count as practically equivalent. The test of "
            "mean ranks decides here.",
        ),
    ],
)
def test_other_tests_agree_or_not_with_the_reason(options, said):
    assert compare_results(demsar(), **options).verdict.endswith(said)


def test_other_tests_agree_wherever_none_is_said_to_differ():
    """One decision: a test that contradicts it on any pair of the first is said not to agree."""
    seen = set()
    for seed in range(30):
        c = compare_results(
            random_table(seed, 6 + seed % 9, "abcd"[: 2 + seed % 3], gap=0.12 * (seed % 4)),
            draws=200, rope=0.0 if seed % 2 else 0.05,
        )  # fmt: skip
        first, level = c.pairs[0].first, 0.95
        apart = any(
            (max(p.probabilities[0], p.probabilities[2]) >= level) != (p.winner is not None)
            for p in c.pairs
            if first == p.first
        )
        assert ("The Bayesian signed rank test does not agree" in c.verdict) == apart
        assert ("decides here." in c.verdict) == ("does not agree" in c.verdict)
        seen.add(apart)
    assert seen == {True, False}


def test_pairs_told_apart():
    told = compare_results(demsar(), level=0.9).verdict
    assert (
        "By Nemenyi's test (critical difference 1.12 at 90 %) C4.5+m+cf is better than C4.5, and "
        "not significantly different from C4.5+m and C4.5+cf. Of the others, C4.5+m is better than C4.5."
    ) in told


def test_a_control():
    told = compare_results(demsar(), control="C4.5").verdict
    assert (
        "By tests of mean ranks and Holm's method C4.5 is worse than C4.5+m+cf and C4.5+m, and "
        "not significantly different from C4.5+cf."
    ) in told
    worse = compare_results(demsar(), control="C4.5+m+cf").verdict
    assert (
        "C4.5+m+cf is better than C4.5, and not significantly different from C4.5+m and C4.5+cf."
    ) in worse


def test_no_difference_is_no_equality():
    c = compare_results(random_table(0, 9, "abc"))
    assert not c._differ
    assert "no classifier is shown to be better, which does not show them to be equal" in c.verdict
    assert " is better than" not in c.verdict.split("The Bayesian")[0]


def test_few_data_sets():
    c = compare_results(random_table(0, 3, "abc"))
    assert "With so few data sets the tests have little power" in c.verdict
    two = compare_results(random_table(1, 4, "ab"))
    assert (
        "With 4 nonzero differences no result can be significant: the least possible p is 0.125."
        in two.verdict
    )


def test_two_classifiers():
    told = compare_results(demsar(("C4.5", "C4.5+m"))).verdict
    assert told == (
        "Over 14 data sets C4.5+m is better than C4.5 by 0.013, 95 % CI 0.003 to "
        "0.027 (Wilcoxon's signed rank test, T 12, p = 0.00781; C4.5+m is ahead on 10, C4.5 on 2, 2 are equal). The Bayesian signed "
        "rank test does not agree, because it counts a difference only beyond 0.01: C4.5+m is "
        "better than C4.5 with probability 0.67, about equal 0.33, worse <0.01. Differences up to "
        "0.01 count as practically equivalent. Wilcoxon's test decides here."
    )
    assert "do not differ significantly: the difference is 0.13, 95 % CI −0.22 to 0.46" in (
        compare_results(random_table(1, 9, "ab")).verdict
    )


def test_ties_everywhere():
    frame = demsar().assign(auc=0.5)
    assert compare_results(frame).verdict.startswith(
        "Over 14 data sets nothing can be compared: all classifiers tie on every data set."
    )
    two = compare_results(frame[frame.classifier.isin(["C4.5", "C4.5+m"])])
    assert two.verdict.startswith(
        "Over 14 data sets C4.5 and C4.5+m cannot be compared: every difference is zero."
    )
    assert "C4.5 is about equal to C4.5+m with a probability of 95 % or more" in two.verdict


def test_the_best_may_be_two():
    rows = [(f"d{i}", n, v) for i in range(12)
            for n, v in zip("abc", (0.9, 0.8, 0.1) if i % 2 else (0.8, 0.9, 0.1), strict=True)]  # fmt: skip
    c = compare_results(pd.DataFrame(rows, columns=["dataset", "model", "auc"]))
    assert "a and b share the best mean rank, 1.50." in c.verdict


def test_one_data_set():
    c = compare_results(table(datasets=1, repeats=4, gap=0.05), "accuracy")
    told = c.verdict
    assert told.startswith("On d0 net has the best mean, 0.")
    assert (
        "By the corrected resampled t test and Holm's method over 3 pairs net is better than"
        in told
    )
    assert "says nothing about other data sets" in told
    two = compare_results(table(datasets=1, repeats=4, names=("net", "tree"), gap=0.05), "log_loss")
    found = re.match(
        r"On d0 net is better than tree by (.+), 95 % CI (.+) to (.+) \(corrected resampled t, p",
        two.verdict,
    )
    middle, low, high = map(float, found.groups())
    assert 0 < low < middle < high  # told as a gain, though the difference of losses is below 0
    same = compare_results(table(datasets=1, repeats=1, gap=0.0, names=("net", "tree")), "accuracy")
    assert "do not differ significantly: the mean difference is" in same.verdict


def test_a_control_on_one_data_set():
    told = compare_results(
        table(datasets=1, repeats=4, gap=0.05), "accuracy", control="tree"
    ).verdict
    assert told.startswith(
        "On d0, by the corrected resampled t test and Holm's method over 2 pairs tree "
        "is better than bayes, and worse than net."
    )


@pytest.mark.parametrize(("test", "told"), [
    ("wilcoxon", "By the Wilcoxon signed rank test and Holm's method over 3 pairs"),
    ("5x2_f", "By the combined 5x2cv F test and Holm's method over 3 pairs"),
    ("5x2_t", "By the 5x2cv paired t test and Holm's method over 3 pairs"),
])  # fmt: skip
def test_the_test_is_named(test, told):
    c = compare_results(table(datasets=1, repeats=5, folds=2), "accuracy", test=test)
    assert told in c.verdict


def test_nothing_to_judge_by():
    c = compare_results(demsar()).on("iris")
    assert c.verdict == (
        "On iris the classifiers cannot be compared: one difference has no variance; "
        "give two or more."
    )


def test_nothing_to_judge_by_for_several_reasons():
    rows = [("d", n, f, v) for n, v in (("a", 0.5), ("b", 0.5), ("c", 0.75)) for f in range(3)]
    told = str(compare_results(pd.DataFrame(rows, columns=["dataset", "model", "fold", "auc"])))
    assert (
        "On d the classifiers cannot be compared: every difference is the same, so they have no "
        "variance; or every difference is zero."
    ) in plain(told)
    assert "a and b: every difference is zero" in plain(told)


def test_every_better_than_has_its_evidence():
    """Whatever the table, the tests' sentences name exactly the pairs that differ significantly."""
    said = 0
    for seed in range(30):
        names = ("k0", "k1", "k2", "k3")[: 2 + seed % 3]
        c = compare_results(
            random_table(seed, 6 + seed % 9, names, gap=0.12 * (seed % 4)), draws=200
        )
        tests, _, _ = c.verdict.partition("The Bayesian")
        told = set()
        for winner, losers in re.findall(r"(k\d) is better than ((?:k\d(?:, | and )?)+)", tests):
            told |= {(winner, loser) for loser in re.findall(r"k\d", losers)}
        assert told == {
            (p.winner, p.second if p.winner == p.first else p.first) for p in c.pairs if p.winner
        }
        said += len(told)
    assert said > 15


# -- the terminal ------------------------------------------------------------------------------


def test_the_summary_of_demsars_example():
    told = summary(compare_results(demsar(), ties="plain"), width=88)
    assert "C4.5+m+cf        1.96    0.8272" in told
    assert (
        "Friedman's chi squared 9.28 with 3 degrees of freedom, p = 0.0258, not corrected for ties"
        in plain(told)
    )
    assert "Critical difference of mean ranks 1.25 (Nemenyi, 95 %)" in told
    assert "C4.5+m+cf C4.5 11, 1, 2 0.0742 0.0562 0.96 0.04 <0.01" in plain(told)
    assert "* significant at 95 %, by Nemenyi's test of mean ranks" in told
    assert "without one of them the verdict on a pair may change" in plain(told)


@pytest.mark.parametrize("width", [40, 60, 88, 120])
def test_it_fits_the_terminal(width):
    long = {n: f"a very long name indeed, of classifier {n}" for n in ("net", "tree", "bayes")}
    for frame in (table(), table(datasets=1), table(names=("net", "tree"))):
        c = compare_results(frame.replace({"algorithm": long}), "accuracy", draws=50)
        lines = summary(c, width).splitlines()
        (head,) = (line for line in lines if re.search(r" p +(p alone +)?better", line))
        assert max(map(cell_len, lines)) <= width
        if width != 88:
            assert ("equal" in head) == (width > 80)
        assert "of classifier tree" in " ".join(" ".join(lines).split())


def test_many_pairs_are_those_of_the_best():
    c = compare_results(random_table(0, 12, "abcdefghij", gap=0.12), draws=50)
    assert len(c.pairs) == 45
    told = summary(c)
    assert "36 other pairs: in the JSON and on the page" in told
    lines = told.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("first  second"))
    assert [line.split()[0] for line in lines[at + 1 : at + 10]] == [c.pairs[0].first] * 9
    assert "other pairs" in lines[at + 10]
    assert re.search(r"Of the pairs without it, \d+ differ significantly; see", c.verdict)


def test_cautions():
    assert "takes folds for independent" in plain(
        str(compare_results(table(datasets=1), "accuracy", test="wilcoxon"))
    )
    frame = table(datasets=1)
    tree = frame[frame.algorithm == "tree"].assign(algorithm="twin")
    told = plain(str(compare_results(pd.concat([frame, tree]), "accuracy")))
    assert "tree and twin: every difference is zero" in told


def test_names_are_harmless():
    names = ("\x1b[31mred", "b", "c")
    told = str(compare_results(random_table(0, 4, names), draws=10))
    assert "\x1b" not in told
    assert "\\x1b[31mred" in told


def test_several_results_are_counted():
    assert "2 repeats of 5 folds" in str(compare_results(table(), "accuracy"))
    frame = table()
    uneven = frame[~((frame.dataset == "d1") & (frame["repeat"] == 1))]
    assert "5 to 10 results of each classifier on each" in plain(
        str(compare_results(uneven, "accuracy"))
    )
    hole = frame[~((frame["repeat"] == 1) & (frame.fold == 4))]
    assert "9 results of each" in str(compare_results(hole, "accuracy"))


# -- the page ----------------------------------------------------------------------------------

VOID = {"meta", "link", "br"}


class Balanced(HTMLParser):
    """Refuses tags that are not closed in order; keeps texts and identifiers."""

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.texts = [], [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.ids += [v for k, v in attrs if k == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [v for k, v in attrs if k == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


COMPARED = {
    "nemenyi": lambda: compare_results(demsar()),
    "holm": lambda: compare_results(demsar(), control="C4.5"),
    "wilcoxon": lambda: compare_results(demsar(("C4.5", "C4.5+m"))),
    "folds": lambda: compare_results(table(datasets=1), "log_loss"),
    "5x2": lambda: compare_results(table(datasets=1, repeats=5, folds=2), "accuracy", test="5x2_t"),
    "signs": lambda: compare_results(table(datasets=1), "accuracy", test="wilcoxon"),
    "nothing": lambda: compare_results(demsar()).on("iris"),
}


@pytest.mark.parametrize("kind", COMPARED)
def test_pages_are_whole(kind):
    c = COMPARED[kind]()
    page = Balanced(render(c))
    assert len(set(page.ids)) == len(page.ids)
    assert c.verdict in page.text
    assert ('class="chart ranks"' in render(c)) == (c.friedman is not None)
    for name in c.classifiers:
        assert name in page.text
    for d in c.datasets:
        assert d in page.text
    assert "Definitions in use" in page.text


FOUND = {
    "nemenyi": "C4.5+m+cf is not shown to beat any other.",
    "holm": "2 of 3 classifiers beat C4.5.",
    "wilcoxon": "Use C4.5+m: it beats C4.5.",
    "folds": "net beats 1 of 2 others; the rest is open.",
    "5x2": "net is not shown to beat any other.",
    "signs": "Use net: it beats tree and bayes.",
    "nothing": "The classifiers cannot be compared.",
}


@pytest.mark.parametrize("kind", COMPARED)
def test_a_page_begins_with_a_finding_its_numbers_and_one_chart(kind):
    c = COMPARED[kind]()
    html = render(c)
    assert finding(c) == FOUND[kind]
    assert f"<h1>{FOUND[kind]}</h1>" in html
    assert len(reasons(c)) <= 200
    assert html.index('<div class="first">') < html.index("Classifiers from the best down")
    assert html.index('data-chart="forest"') < html.index("Which classifier is better</h2>")
    best = next(iter(c.mean_ranks or c.means))
    assert reasons(c).startswith(f"{best} has the best mean ")


def test_names_of_any_length_leave_the_finding_short():
    names = ("a" * 70, "b" * 70, "c" * 70)
    for better in ("high", "low"):
        c = compare_results(random_table(3, 12, names), better=better, draws=10)
        assert len(finding(c)) <= 60


def test_mean_ranks_stand_between_half_the_critical_difference():
    c = compare_results(demsar())
    rows = hero(c).drawn.rows
    assert {s.name: s.value for s in rows} == c.mean_ranks
    # Demšar (2006): 2.569 √(4 · 5 / (6 · 14)) = 1.25
    half = 2.569 * (4 * 5 / (6 * 14)) ** 0.5 / 2
    for s in rows:
        assert (s.low, s.high) == pytest.approx((s.value - half, s.value + half), abs=0.001)


def test_differences_are_turned_so_that_right_is_better_for_the_first():
    c = compare_results(table(datasets=1), "log_loss")
    rows = hero(c).drawn.rows
    means = {n: float(v) for n, v in c.means.items()}
    best = next(iter(means))
    for s in rows:
        assert s.value == pytest.approx(means[s.name] - means[best])
        assert s.low < s.value < s.high
        p = next(p for p in c.pairs if {p.first, p.second} == {best, s.name})
        assert s.mark == ("first" if p.winner else "open")
    assert hero(c).drawn.line == 0


def test_what_was_used_is_defined_and_cited():
    page = Balanced(render(compare_results(demsar()))).text
    assert "Of two classifiers: Wilcoxon signed rank, exact; 3 of 14 differences are zero" in page
    assert "50,000 draws from seed 0; differences of 0.01 or less count as equal." in page
    assert "J. Demšar (2006)" in page
    assert "Nadeau" not in page
    folds = Balanced(render(compare_results(table(datasets=1), "accuracy"))).text
    assert (
        "The correction takes 0.25 rows tested for each row trained on (as folds have it)." in folds
    )
    assert "Nadeau" in folds
    assert "Demšar" not in folds
    stated = render(compare_results(table(datasets=1), "accuracy", ratio=0.5))
    assert "0.5 rows tested for each row trained on (as stated)" in stated
    frame = table(datasets=1, repeats=5, folds=2)
    five = render(compare_results(frame, "accuracy", test="5x2_f"))
    assert "E. Alpaydin (1999)" in five
    assert "Nadeau" not in five


def test_the_best_of_each_data_set_is_marked():
    html = render(compare_results(demsar(("C4.5", "C4.5+m"))))
    assert html.count('class="best"') == 14 + 2  # two are equal
    low = render(compare_results(table(datasets=3), "log_loss"))
    assert low.count('class="best"') == 3


def test_names_are_escaped_on_the_page():
    names = ("<script>alert(1)</script>", "\x1b[2J", "c")
    c = compare_results(random_table(0, 4, names).replace("d1", "<b>d1</b>"), draws=10)
    html = render(c)
    assert "<script>" not in html
    assert "<b>" not in html
    assert "\x1b" not in html
    assert "&lt;script&gt;" in html


def test_it_is_written_whole(tmp_path):
    place = compare_results(demsar()).report(tmp_path / "page.html")
    assert place.read_text(encoding="utf-8") == render(compare_results(demsar()))


@pytest.mark.browser
@pytest.mark.parametrize("kind", COMPARED)
@pytest.mark.parametrize("width", [360, 1280])
def test_no_complaint_and_no_sideways_scroll(driver, tmp_path, kind, width):
    show(driver, COMPARED[kind]().report(tmp_path / "page.html"), width)
    wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    assert driver.get_log("browser") == []
