from html.parser import HTMLParser

import pytest

from report.test_browser import driver, show  # noqa: F401 (driver is a fixture)
from report.test_contest_report import random_table
from studies.test_model_comparison import demsar, table
from tallymark.report.contest_report import render
from tallymark.studies.model_comparison import compare_results

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


CONTESTS = {
    "nemenyi": lambda: compare_results(demsar()),
    "holm": lambda: compare_results(demsar(), control="C4.5"),
    "wilcoxon": lambda: compare_results(demsar(("C4.5", "C4.5+m"))),
    "folds": lambda: compare_results(table(datasets=1), "log_loss"),
    "5x2": lambda: compare_results(table(datasets=1, repeats=5, folds=2), "accuracy", test="5x2_t"),
    "signs": lambda: compare_results(table(datasets=1), "accuracy", test="wilcoxon"),
    "nothing": lambda: compare_results(demsar()).on("iris"),
}


@pytest.mark.parametrize("kind", CONTESTS)
def test_pages_are_whole(kind):
    c = CONTESTS[kind]()
    page = Balanced(render(c))
    assert len(set(page.ids)) == len(page.ids)
    assert c.verdict in page.text
    assert ("ranks-title" in page.ids) == (c.friedman is not None)
    for name in c.classifiers:
        assert name in page.text
    for d in c.datasets:
        assert d in page.text
    assert "Definitions in use" in page.text


def test_what_was_used_is_defined_and_cited():
    page = Balanced(render(compare_results(demsar()))).text
    assert "Of two classifiers: Wilcoxon signed rank, exact; 3 of 14 differences are zero" in page
    assert "50,000 draws from seed 0; differences of 0.01 or less count as equal." in page
    assert "J. Demsar (2006)" in page
    assert "Nadeau" not in page
    folds = Balanced(render(compare_results(table(datasets=1), "accuracy"))).text
    assert (
        "The correction takes 0.25 rows tested for each row trained on (as folds have it)." in folds
    )
    assert "Nadeau" in folds
    assert "Demsar" not in folds
    stated = render(compare_results(table(datasets=1), "accuracy", ratio=0.5))
    assert "0.5 rows tested for each row trained on (as stated)" in stated
    five = render(compare_results(table(datasets=1, repeats=5, folds=2), "accuracy"))
    assert "E. Alpaydin (1999)" in five
    assert "Nadeau" not in five


def test_the_best_of_each_data_set_is_marked():
    html = render(compare_results(demsar(("C4.5", "C4.5+m"))))
    assert html.count('class="best"') == 14 + 2  # two are equal
    low = render(compare_results(table(datasets=3), "log_loss"))
    assert low.count('class="best"') == 3


def test_names_are_escaped():
    names = ("<script>alert(1)</script>", "\x1b[2J", "c")
    c = compare_results(random_table(0, 4, names).replace("d1", "<b>d1</b>"), draws=10)
    html = render(c)
    assert "<script>" not in html
    assert "<b>" not in html
    assert "\x1b" not in html
    assert "&lt;script&gt;" in html


def test_it_is_written_whole(tmp_path):
    place = compare_results(demsar()).report(tmp_path / "page.html")
    assert place.read_text() == render(compare_results(demsar()))


@pytest.mark.browser
@pytest.mark.parametrize("kind", CONTESTS)
@pytest.mark.parametrize("width", [360, 1280])
def test_no_complaint_and_no_sideways_scroll(driver, tmp_path, kind, width):  # noqa: F811
    show(driver, CONTESTS[kind]().report(tmp_path / "page.html"), width)
    wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    assert driver.get_log("browser") == []
