"""The site: it builds without a warning, documents every public name, and is found and searched."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import tallymark as tm
from report.test_browser import fit, show
from tallymark.cli import main

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.browser

PAGES = (
    "index", "start", "recipes", "api", "cli", "metrics", "curves", "gate", "intervals",
    "api-evaluation", "api-comparison", "api-tallies", "api-more", "from-scikit-learn", "from-r", "from-others",
    "tharwat", "shin", "liu2014", "lab", "gallery", "big-data", "thresholds", "calibration", "validation",
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("sphinx", reason="pip install --group docs")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-b", "html",
         "-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")],
        capture_output=True, text=True, encoding="utf-8", timeout=600, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return folder / "html"


class Ids(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found |= {value for name, value in attrs if name == "id"}


def test_every_public_name_is_documented_and_nothing_else(site):
    places = [
        i for page in site.glob("api*.html") for i in Ids(page.read_text("utf-8")).found
        if i.startswith("tallymark.")
    ]  # fmt: skip
    documented = set(places)
    assert len(places) == len(documented)  # each on one page
    wanted = set()
    for name in tm.__all__:
        what = getattr(tm, name)
        if inspect.ismodule(what):
            continue  # a page of its own
        wanted.add(f"tallymark.{name}")
        if inspect.isclass(what):
            wanted |= {
                f"tallymark.{name}.{m}" for m, v in vars(what).items()
                if not m.startswith("_") and (inspect.isfunction(v) or isinstance(v, property))
                and v.__doc__
            }  # fmt: skip
    assert wanted <= documented
    index = (site / "api.html").read_text("utf-8")
    for name in tm.__all__:
        assert re.search(rf'<a [^>]*href="[\w-]+\.html(#tallymark\.{name})?"[^>]*>', index), name
        assert f'title="tallymark.{name}"' in index or inspect.ismodule(getattr(tm, name)), name
    for i in documented:
        at = tm
        for part in i.split(".")[1:]:
            assert hasattr(at, part) or part in getattr(at, "__dataclass_fields__", {}), i
            at = getattr(at, part, None)


def test_every_command_and_option_is_documented(site):
    text = re.sub(r"<[^>]+>", "", (site / "cli.html").read_text("utf-8"))
    for name, command in main.commands.items():
        assert name in text
        for option in command.params:
            for flag in (*option.opts, *option.secondary_opts):
                assert flag.startswith("-") is False or flag in text, (name, flag)


WIDE = "return document.documentElement.scrollWidth"
ASKED = """
return performance.getEntriesByType('resource').map(e => e.name)
  .filter(n => !n.startsWith('file:') && !n.startsWith('data:'))
"""


def test_the_pages_fit_a_phone_and_a_screen_and_ask_nobody(driver, site):
    for page in PAGES:
        show(driver, site / f"{page}.html", 390)
        assert driver.execute_script(WIDE) <= 390, page
        fit(driver, 1280, dark=True)
        assert driver.execute_script(WIDE) <= 1280, page
        assert [e for e in driver.get_log("browser") if e["level"] == "SEVERE"] == []
        assert driver.execute_script(ASKED) == [], page


@pytest.mark.parametrize(
    ("word", "titles"),
    [
        ("prevalence", ("Which number", "How do I", "numbers mean")),
        ("confusionMatrix", ("Coming from R",)),
        ("torchmetrics", ("Coming from torchmetrics",)),
        ("EstimatorReport", ("Evidently and skore",)),
        ("per_class", ("tallymark.Evaluation.per_class",)),
        ("kolmogorov_smirnov", ("The metrics", "kolmogorov_smirnov")),
    ],
)
def test_search_works_from_the_file_system(driver, site, word, titles):
    driver.get((site / "search.html").as_uri() + f"?q={word}")

    def found(d):  # results come one by one
        texts = [a.text for a in d.find_elements(By.CSS_SELECTOR, "#search-results li a")]
        return any(title in text for text in texts for title in titles)

    assert WebDriverWait(driver, 20, ignored_exceptions=[WebDriverException]).until(found)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("SPSS", "files"), ("lower score is better", "files"), ("hugging face", "tables"),
        ("sensitivity and specificity only", "matrices"), ("threshold", "thresholds"),
        ("fairness", "subgroups"), ("scorer", "estimators"), ("sample size", "planning"),
        ("calibration", "calibration"), ("language models", "evals"), ("gallery", "gallery"),
    ],
)  # fmt: skip
def test_a_purpose_is_answered_first_by_the_page_about_it(driver, site, words, page):
    driver.get((site / "search.html").as_uri() + f"?q={words.replace(' ', '+')}")
    first = WebDriverWait(driver, 20).until(
        lambda d: d.find_elements(By.CSS_SELECTOR, "#search-results li a")
    )[0]
    assert Path(first.get_attribute("href").partition("#")[0]).stem == page


def test_every_report_of_the_gallery_is_there(site):
    reports = re.findall(
        r'href="(gallery/[\w-]+\.html)"', (site / "gallery.html").read_text("utf-8")
    )
    assert len(reports) == 8
    for report in reports:
        assert "<h1" in (site / report).read_text("utf-8"), report


@pytest.mark.parametrize("word", ["MCC", "AUC", "equal+error+rate", "recall"])
def test_a_metric_is_found_first_by_any_of_its_names(driver, site, word):
    driver.get((site / "search.html").as_uri() + f"?q={word}")
    first = WebDriverWait(driver, 20).until(
        lambda d: d.find_elements(By.CSS_SELECTOR, "#search-results li a")
    )[0]
    assert "metrics.html" in first.get_attribute("href")


def test_a_row_of_commands_is_a_list_on_a_phone_and_a_row_on_a_screen(driver, site):
    for width, display in ((390, "block"), (1280, "table-cell")):
        show(driver, site / "tharwat.html", width)
        cells = driver.find_elements(By.CSS_SELECTOR, ".commands td")
        assert len(cells) > 200
        assert cells[0].value_of_css_property("display") == display
    to_errata = driver.find_element(By.LINK_TEXT, "T07").get_attribute("href").split("#")[1]
    assert to_errata in Ids((site / "tharwat.html").read_text("utf-8")).found


def test_there_are_recipes_for_what_people_ask():
    text = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    asked = re.findall(r"^### (I .+|Another .+)$", text, re.M)
    assert len(asked) >= 25
    assert len(set(asked)) == len(asked)
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        assert "```" in part or "`" in part, part.splitlines()[0]
