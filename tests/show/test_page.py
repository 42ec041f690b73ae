from __future__ import annotations

import html.parser
import itertools
import json
import re

import numpy as np
import pytest

import tallymark as tm
from show import pages
from tallymark.metric import METRICS
from tallymark.show import page

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Reader(html.parser.HTMLParser):
    """Check that every element is closed where it should, and collect what is there."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.text = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def all(self, name):
        return [a for t, a in self.tags if t == name]


@pytest.fixture(scope="module", params=pages.EVERY)
def read(request):
    ev = pages.EVERY[request.param]()
    text = page.render(ev)
    return ev, text, Reader(text)


def test_the_page_is_small_whole_and_asks_nobody(read):
    _, text, reader = read
    assert len(text.encode()) < 300_000
    for tag, attributes in reader.tags:
        for name in ("src", "href", "action", "srcset", "data", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:,")), (tag, name, value)
    assert "url(" not in text
    assert "@import" not in text
    policy = next(a for a in reader.all("meta") if a.get("http-equiv"))
    assert policy["content"].startswith("default-src 'none'")


def test_the_page_can_be_read_by_everyone(read):
    _, text, reader = read
    assert reader.all("html")[0]["lang"] == "en"
    assert len(reader.all("h1")) == len(reader.all("main")) == 1
    assert reader.all("a")[0]["href"] == "#main"
    levels = [int(t[1]) for t, _ in reader.tags if re.fullmatch("h[1-6]", t)]
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert text.count("<caption") == len(reader.all("table"))
    for chart in [a for a in reader.all("svg") if a.get("class") == "chart"]:
        assert chart["role"] == "img"
        ids = [a.get("id") for _, a in reader.tags]
        assert all(name in ids for name in chart["aria-labelledby"].split())
    ids = [a["id"] for _, a in reader.tags if a.get("id")]
    assert len(set(ids)) == len(ids)
    assert all("scope" in a for a in reader.all("th"))


def test_every_metric_is_there_with_its_meaning_or_its_reason(read):
    ev, _, reader = read
    text = " ".join(" ".join(reader.text).split())
    for values in ev.values().values():
        for name, v in values.items():
            assert METRICS[name].title in text
            assert METRICS[name].meaning in text
            if v.reason:
                assert v.reason in text
    for note in ev.notes:
        assert note.text in text


def test_hostile_labels_are_text():
    text = page.render(pages.hostile())
    reader = Reader(text)
    assert not reader.all("b")
    assert not reader.all("img")
    assert len(reader.all("script")) == 2
    words = "".join(reader.text)
    assert pages.HOSTILE in words
    assert "=1+1" in words
    assert "<img src=x>.csv" in words
    embedded = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    data = json.loads(embedded.group(1))
    assert data["models"][0]["name"] == pages.HOSTILE
    assert "<" not in embedded.group(1)


def test_six_models_of_many_rows_stay_under_300_kb():
    ev = pages.binary(100_000, tuple("abcdef"))
    assert len(page.render(ev).encode()) < 300_000


def test_what_the_slider_shows_is_the_sweep():
    ev = pages.binary()
    text = page.render(ev)
    embedded = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    model = json.loads(embedded.group(1))["models"][1]
    sweep = ev.sweep()["forest"]
    thresholds = [float(t) for t in model["t"]]
    assert thresholds == sorted(thresholds)
    at = {float(f"{t:.4g}"): i for i, t in enumerate(sweep.threshold)}
    for j in range(0, len(thresholds), 17):
        i = at[thresholds[j]]
        assert model["tp"][j] == sweep.tp[i]
        for name, arrays in model["m"].items():
            for ours, theirs in zip(arrays, sweep.metrics[name], strict=True):
                value = float(theirs[i])
                assert (
                    ours[j] is None
                    if np.isnan(value)
                    else f"{ours[j] / 1000:.3f}" == f"{value:.3f}"
                )
    assert model["t"][model["start"]] == "0.5"
    assert model["given"]["m"]["f1"][1] == round(1000 * ev.values()["forest"]["f1"].low)


def test_a_model_that_decides_by_itself_starts_with_its_decisions():
    ev = pages.decided()
    text = page.render(ev)
    embedded = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    given = json.loads(embedded.group(1))["models"][0]["given"]
    assert given["t"] == "as given"
    assert given["tp"] == float(ev.models[0].labels.binary().tp)


def test_no_slider_without_scores_of_two_classes():
    for make in (pages.labels_only, pages.many_classes, pages.one_class):
        assert 'id="slider"' not in page.render(make())


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    ev = pages.labels_only()
    path = ev.report(tmp_path / "r.html")
    assert path.read_text().startswith("<!doctype html>")
    with pytest.raises(tm.InputError, match="is not there; make it first"):
        ev.report(tmp_path / "missing" / "r.html")
    with pytest.raises(tm.InputError, match="is a folder; name a file in it"):
        ev.report(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_the_same_input_gives_the_same_page():
    assert page.render(pages.binary()) == page.render(pages.binary())
