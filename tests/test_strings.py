"""Every text that a user can see: in plain words, and right whatever the values are."""

from __future__ import annotations

import html
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from report import pages
from tallymark.report.subjects.decision import decision

TOOL = Path(__file__).parents[1] / "tools" / "strings.py"

DIALECT = (
    r"\banew\b", r"nothing to speak of", r"of those with", r"rows that share no score",
    r"what chance adds", r"\bis told\b", r"\btold (?:of|by|against)\b", r"p = below",
    r"\bis no (?:number|mean|average|proportion|area)\b", r"\bthe page tells\b", r"\bhitherto\b",
    r"\bof so many classes\b", r"\bhold less surely\b", r"[a-z]\(s\) ", r"\bgone on with\b",
    r"\bis no feat\b", r"\bflatters\b", r"\bmoves? with the prevalence\b", r"\bas soon as\b",
    r"data sets do not compare", r"\bspread to judge by\b", r"\bwhat happened\b", r"\btoo timid\b",
    r"\bmean what they say\b", r"\balone would bring\b", r"\bcome into question\b",
    r"\bt(?:old|ells?) apart\b", r"\bholds? the truth\b", r"\b(?:which|other) way round\b", r"\billness",
    r"\bwhat travels\b", r"\btwins?\b",
    r"\bno class label\b", r"\bis no (?:classifier|table of|second opinion)\b",
)  # fmt: skip
"""Phrases that a reader of English has to read twice."""


@pytest.fixture(scope="module")
def catalogue():
    spec = importlib.util.spec_from_file_location("strings", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["strings"] = module
    spec.loader.exec_module(module)
    return list(module.catalogue())


@pytest.mark.slow
def test_the_catalogue_holds_what_users_see(catalogue):
    texts = {text for _, _, text in catalogue}
    assert len(texts) > 2000
    places = {place for place, _, _ in catalogue}
    assert {"page.html.j2", "script.js", "report/words.py", "findings/notes.py", "metric f1",
            "rule ties-decide", "command report", "findings/advice.py"} <= places  # fmt: skip
    assert "Share of the rows called positive that truly are." in texts
    assert "Can act on" in texts
    assert "{declared.name} needs scores, and {model.name} has none; give y_score" in texts


@pytest.mark.parametrize("phrase", DIALECT)
@pytest.mark.slow
def test_no_text_is_in_dialect(catalogue, phrase):
    found = [f"{place}:{line}: {text}" for place, line, text in catalogue
             if re.search(phrase, re.sub(r"\{[^}]*\}", "…", text))]  # fmt: skip
    assert found == []


@pytest.mark.slow
def test_texts_have_no_slips_of_the_pen(catalogue):
    slips = re.compile(r"\b([a-z]{2,}) \1\b|,,| ,(?! )")
    found = [
        (place, line, text) for place, line, text in catalogue
        if slips.search(re.sub(r"\{[^}]*\}|\.\.\.", "x", text)) and not place.startswith("command")
    ]  # fmt: skip
    assert found == []


def visible(text):
    """Return what a page shows, in order, without its data, script and style."""
    text = re.sub(r"<(script|style|svg).*?</\1>", " ", text, flags=re.S)
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("name", pages.EVERY)
@pytest.mark.slow
def test_rendered_texts_hold_no_raw_values(name):
    ev = pages.EVERY[name]()
    advice = "" if ev.labels else str(ev.advise())
    for shown in (visible(pages.written(name)), ev.summary(), advice, decision(ev).text):
        own = [str(c) for c in (*ev.classes, *ev.names)]
        for label in sorted(own, key=len, reverse=True):
            shown = shown.replace(label, "name") if len(label) > 1 else shown
        assert not re.search(r"\b(nan|None|inf)\b", shown), name
        assert not re.search(r"\{\w*\}|<\w+ object|Decimal\(|array\(", shown)
        assert not re.search(r"\b1 (rows|models|metrics|subgroups|warnings|classes)\b", shown)
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", shown)
        assert not re.search(r"\d%(?! at)", shown), "a percentage has a blank before its sign"
        assert "``" not in shown
        assert not re.search(r"p = [<≤]|p = below", shown)
