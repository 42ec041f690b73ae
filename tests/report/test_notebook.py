"""The cards as a notebook shows them: it is executed, and looked at in a real Chromium."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import tallymark as tm
from of_parts import of_parts
from report.test_browser import SIZES, show

EXAMPLE = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
pytestmark = pytest.mark.slow

SHOTS = os.environ.get("CARD_SHOTS")
"""A folder for pictures of what the tests look at."""

CELLS = """\
import sys; sys.path.insert(0, {tests!r})
from report import pages
import tallymark as tm
ev = pages.cancer(); ev
---
pages.binary().model("forest")
---
pages.few_classes()
---
pages.hostile()
---
pages.labels_only()
---
ev.compare(permutations=0)
---
ev.model("forest").curve("roc", band="vertical")
---
ev.model("forest").curve("calibration")
---
ev.model("forest").advise()
---
ev.model("forest").optimal_threshold("f1")
---
tm.evaluate([0, 1] * 120, [0, 1, 1, 1] * 60, subgroup={{"ward": list("aabbcddd") * 30}}).by("ward")
---
ev.help()
---
ev.model("forest").table()
---
from IPython.core.completer import provisionalcompleter
def completed(text):
    with provisionalcompleter():
        return [c.text for c in get_ipython().Completer.completions(text, len(text))]
forest = ev.model("forest")
print(sorted(completed("forest.plot.c")), completed('forest["roc_auc_o'), len(repr(ev).splitlines()))
"""


class Kernel(NotebookClient):
    """Runs a notebook by this Python, with the same warnings as errors."""

    def __init__(self, notebook, folder):
        super().__init__(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
        self.create_kernel_manager()
        self.km.kernel_spec.argv[0] = sys.executable


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    sources = CELLS.format(tests=str(Path(__file__).parents[1])).split("---\n")
    sources[-1:-1] = of_parts("CELL")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    Kernel(book, tmp_path_factory.mktemp("notebook")).execute()
    return book


def shown(book):
    """Return the cards of a notebook."""
    found = [o.data["text/html"] for c in book.cells for o in c.get("outputs", [])
             if "text/html" in o.get("data", {})]  # fmt: skip
    assert all(html.startswith('<div class="tallymark">') for html in found)
    return found


def page_of(cards, folder, dark):
    """Return a page as a notebook makes it: a theme of its own, and cards that keep to it."""
    theme = "background:#111;color:#ddd" if dark else "background:#fff;color:#222"
    head = f'<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><body style="{theme}">'
    path = folder / f"{dark}.html"
    cells = "".join(f"<h2>Cell</h2><p>Around</p>{c}" for c in cards)
    path.write_text(head + cells, encoding="utf-8")
    return path


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [500, 1200])
def test_cards_fit_the_notebook(driver, executed, tmp_path, width, dark):
    cards = shown(executed)
    assert len(cards) == 13 + len(of_parts("CELL"))
    assert max(len(c.encode()) for c in cards) < 60_000
    # The notebook may be dark where the system is light, and the other way round.
    show(driver, page_of(cards, tmp_path, dark), width, dark=not dark)
    assert driver.get_log("browser") == []
    asked = [json.loads(e["message"])["message"] for e in driver.get_log("performance")]
    urls = [
        m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"
    ]
    assert [u for u in urls if not u.startswith(("file:", "data:,"))] == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert driver.execute_script(
        "return [...document.querySelectorAll('h2, body > p')].every(e => "
        "getComputedStyle(e).fontSize === (e.tagName === 'P' ? '16px' : '24px'))"
    )
    for colour, size in driver.execute_script(CONTRAST):
        assert colour >= (3 if size >= 18 else 4.5 if size else 3), (colour, size)
    if SHOTS:
        tall = driver.execute_script("return document.documentElement.scrollHeight")
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": tall, "deviceScaleFactor": 1, "mobile": False})  # fmt: skip
        driver.save_screenshot(f"{SHOTS}/{width}-{'dark' if dark else 'light'}.png")


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
def test_names_of_lines_on_a_card_can_be_read(driver, tmp_path, dark):
    y = np.tile([0, 1], 200)
    noise = np.random.default_rng(0).random((2, 400))
    ev = tm.evaluate(y, y_score={"good": 0.7 * y + 0.3 * noise[0], "poor": noise[1]})
    card = ev._repr_html_()
    assert card.count('<text class="name s') == 2
    show(driver, page_of([card], tmp_path, dark), 1200, dark=not dark)
    found = driver.execute_script(
        CONTRAST.replace('".tallymark *"', '".tallymark .name:not(p), .tallymark .line"')
    )
    assert len(found) == 3, "two lines, and names in the colour of the text"
    for colour, size in found:
        assert colour >= (4.5 if size else 3), (colour, size)
    sizes = driver.execute_script(SIZES, ".tallymark, .tallymark *")
    assert {*sizes} <= {"12px", "13px", "15px"}


CONTRAST = """
const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const back = getComputedStyle(document.body).backgroundColor;
function rgb(colour) {
  probe.fillStyle = back; probe.fillRect(0, 0, 1, 1);
  probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
function light(colour) {
  const [r, g, b] = rgb(colour).map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function ratio(colour) {
  const [a, b] = [light(colour), light(back)].sort((p, q) => q - p);
  return (a + 0.05) / (b + 0.05);
}
const out = new Map();
for (const e of document.querySelectorAll(".tallymark *")) {
  const style = getComputedStyle(e), size = parseFloat(style.fontSize);
  if (e.matches(".line, .dot")) out.set(style.color, [ratio(style.color), 0]);
  else if (e.matches("text")) out.set(style.fill, [ratio(style.fill), size]);
  else if (e.matches("p, td, th, li, small, summary, figcaption, caption, cite") && !e.closest(".star"))
    out.set(style.color, [ratio(style.color), size]);
}
return [...out.values()];
"""
"""Returns the contrast of every colour of text with the background, and of lines with size 0."""


def test_tab_completion_in_a_notebook(executed):
    (said,) = executed.cells[-1].outputs
    plots = ["calibration", "confusion", "cost", "curve"]
    assert said.text.split("\n")[0] == f"{plots} ['roc_auc_optimistic'] 3"


def test_the_example_runs_and_is_kept_without_outputs(tmp_path):
    pytest.importorskip("sklearn")
    book = nbformat.read(EXAMPLE, as_version=4)
    code = [c for c in book.cells if c.cell_type == "code"]
    assert not any(c.outputs or c.execution_count for c in code)
    Kernel(book, tmp_path).execute()
    assert (tmp_path / "breast-cancer.html").stat().st_size > 50_000
    cards = shown(book)
    assert len(cards) == 7
    assert "finds 9" in cards[0]
    plots = [o for c in code for o in c.outputs if "image/png" in o.get("data", {})]
    assert len(plots) == 1
    assert not [o for c in code for o in c.outputs if o.get("name") == "stderr"]
