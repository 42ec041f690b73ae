from __future__ import annotations

import base64
import html
import html.parser
import itertools
import math
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest

import tallymark as tm
from judged import counted_of
from report import pages
from tallymark.infer.operating_points import sweep_of
from tallymark.metric import METRICS
from tallymark.metric.registry import twice_named
from tallymark.metric.sources import cite
from tallymark.report import page, words
from tallymark.report.subjects.curve_charts import chart_groups
from tallymark.report.subjects.steps import steps_in_full
from tallymark.report.subjects.summary import headline
from tallymark.report.subjects.thresholds import KEPT, PREVALENCES
from tallymark.report.subjects.values import difference_cells
from tallymark.report.svg import packed
from tallymark.tally.labels import Counts

EMBEDDED = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)
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
        if tag in ("p", "td") and self.open[-1] == "p":
            self.open.pop()
        if tag in ("td", "th", "tr"):
            self.end_cell()
        if tag == "tr" and self.open[-1] == "tr":
            self.open.pop()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def end_cell(self):
        """The next cell or the row's end closes a cell that has no end tag."""
        if self.open[-1] in ("td", "th"):
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in ("tr", "thead", "tbody"):
            self.end_cell()
        if tag in ("thead", "tbody") and self.open[-1] == "tr":
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def all(self, name):
        return [a for t, a in self.tags if t == name]


@pytest.fixture(scope="module", params=pages.EVERY)
def read(request):
    text = pages.written(request.param)
    return pages.EVERY[request.param](), text, Reader(text)


@pytest.mark.slow
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


@pytest.mark.slow
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
    tags = [t for t, _ in reader.tags]
    charts_at = [
        i for i, (t, a) in enumerate(reader.tags) if t == "svg" and a.get("class") == "chart"
    ]
    assert all(tags[i + 1 : i + 3] == ["title", "desc"] for i in charts_at)  # its name, its words
    ids = [a["id"] for _, a in reader.tags if a.get("id")]
    assert len(set(ids)) == len(ids)
    assert all("scope" in a for a in reader.all("th"))


def test_every_metric_is_there_with_its_meaning_or_its_reason(read):
    ev, _, reader = read
    text = " ".join(" ".join(reader.text).split())
    for values in ev.values().values():
        for name, v in values.items():
            if name in twice_named():
                continue  # its preset says the same
            assert METRICS[name].title in text
            assert METRICS[name].words.meaning in text
            assert METRICS[name].words.formula in text
            titles = (
                cite(k).split("). ", 1)[1].split(". ")[0] for k in METRICS[name].words.sources
            )
            assert all(title in text for title in titles)
            if v.reason:
                assert v.reason in text
    for note in ev.notes:
        assert note.text in text


@pytest.mark.slow
def test_hostile_labels_are_text():
    text = pages.written("hostile")
    reader = Reader(text)
    assert not reader.all("b")
    assert not reader.all("img")
    assert len(reader.all("script")) == 2
    words = "".join(reader.text)
    assert pages.HOSTILE in words
    assert "=1+1" in words
    assert "<img src=x>.csv" in words
    assert pages.embedded(text)["models"][0]["name"] == pages.HOSTILE
    assert "<" not in EMBEDDED.search(text).group(1)


@pytest.mark.slow
def test_six_models_of_many_rows_stay_under_300_kb():
    ev = pages.binary(20_000, tuple("abcdef"))
    assert len(page.render(ev).encode()) < 300_000


@pytest.mark.slow
def shown_bounds(v):
    """Return bounds in thousandths, rounded to the two or three decimals that are shown."""
    digits = 2 if v.high - v.low >= 0.1 else 3
    return [round(1000 * round(x, digits)) for x in (v.low, v.high)]


def test_what_the_panel_looks_up_is_the_sweep():
    ev = pages.binary()
    model = pages.embedded(pages.written("binary"))["models"][1]
    thresholds = [float(t) for t in model["t"]]
    assert thresholds == sorted(set(thresholds))
    sweep = sweep_of(ev.models[1].scores[0], np.array(thresholds))
    assert (model["tp"], model["fp"]) == (sweep.tp.tolist(), sweep.fp.tolist())
    for name, arrays in model["m"].items():
        for low, high, *ours in zip(*sweep.metrics[name][1:], *arrays, strict=True):
            digits = 2 if high - low >= 0.1 else 3
            exact = [None if math.isnan(x) else round(x, digits) * 1000 for x in (low, high)]
            assert ours == [x and pytest.approx(x, abs=0.5) for x in exact], name
    assert model["t"][model["start"]] == "0.5"
    f1 = ev.values()["forest"]["f1"]
    ends = words.interval(f1).replace(" to ", "\u00a0to\u00a0")
    assert model["given"]["m"]["f1"] == [words.value(f1), ends]


@pytest.mark.parametrize("prevalence", PREVALENCES[2::5])
@pytest.mark.slow
def test_intervals_at_another_prevalence_are_those_of_the_evaluation_there(prevalence):
    ev = pages.binary()
    data = pages.embedded(pages.written("binary"))
    place = data["p"].index(prevalence)
    of_models = ev.at(prevalence=prevalence).values()
    for k, model in enumerate(data["models"]):
        there = of_models[model["name"]]
        for name, bounds in model["given"]["f"].items():
            assert [a[place] for a in bounds] == shown_bounds(there[name])
        for name in KEPT:  # looked up where the rows are
            v = there[name]
            assert model["given"]["m"][name][1].split("\u00a0to\u00a0") == [
                *words.to_width(v.value, v.low, v.high)[1:]
            ]
        step = len(model["t"]) // 3
        moved = (
            ev.model(ev.names[k]).at(threshold=float(model["t"][step])).at(prevalence=prevalence)
        )
        (values,) = moved.values().values()
        for name, bounds in model["f"].items():
            v = values[name]
            found = [a[place][step] for a in bounds]
            assert found == pytest.approx(shown_bounds(v), abs=1), name


@pytest.mark.slow
def test_a_model_that_decides_by_itself_starts_with_its_decisions():
    ev = pages.decided()
    text = pages.written("decided")
    given = pages.embedded(text)["models"][0]["given"]
    assert given["t"] == "as given"
    assert given["tp"] == float(ev.models[0].labels.binary().tp)


@pytest.mark.parametrize("n", [600, 20_000])
@pytest.mark.slow
def test_a_shown_threshold_makes_the_shown_decisions(n):
    ev = pages.binary(n, ("only",))
    model = pages.embedded(page.render(ev))["models"][0]
    for j in range(0, len(model["t"]), 23):
        counts = ev.at(threshold=float(model["t"][j])).models[0].labels.binary("sick")
        assert [model["tp"][j], model["fp"][j]] == [float(counts.tp), float(counts.fp)]


@pytest.mark.parametrize("n", [600, 20_000])
@pytest.mark.slow
def test_the_slider_reaches_every_score_or_two_hundred_and_the_cheapest_at_any_costs(n):
    ev = pages.binary(n, ("only",))
    model = pages.embedded(page.render(ev))["models"][0]
    shown = [float(t) for t in model["t"]]
    every = ev.thresholds().rows
    assert len(shown) >= min(200, len(every))
    assert model["axis"] == [0, 1]
    assert model["t"][model["start"]] == model["given"]["t"] == "0.5"
    rng = np.random.default_rng(0)
    fn, fp = (np.array([row[k] for row in every]) for k in ("FN", "FP"))
    missed, alarms = model["positives"] - np.array(model["tp"]), np.array(model["fp"])
    for a, b in [(1, 1), (5, 1), (1, 9), *rng.uniform(0.01, 9, (40, 2))]:
        assert (a * missed + b * alarms).min() == pytest.approx((a * fn + b * fp).min(), rel=1e-9)
    steps = {*zip(model["tp"], model["fp"], strict=True)}
    advised = [s.numbers["threshold"] for s in ev.advise().statements if "threshold" in s.numbers]
    assert advised
    for t in (*advised, ev.optimal_threshold("f1").threshold):
        c = ev.at(threshold=float(t)).models[0].labels.binary("sick")
        assert (float(c.tp), float(c.fp)) in steps


def test_numbers_are_packed_and_unpacked():
    rng = np.random.default_rng(0)
    for scale in (1, 20, 40, 10**6):
        numbers = [int(n) for n in rng.normal(0, scale, 300)]
        numbers[::7] = [None] * len(numbers[::7])
        assert pages.unpacked(packed(numbers)) == numbers
    edges = [-26, -52, -79, -53, -27, -1, 25, 51, 77]
    assert pages.unpacked(packed(edges)) == edges


@pytest.mark.slow
def test_what_is_undefined_says_why():
    why = pages.embedded(pages.written("binary"))["why"]
    nothing = Counts(0, 0, 9, 9)
    assert why["precision"] == METRICS["precision"].reason(nothing)
    assert why["matthews_corrcoef"] == METRICS["matthews_corrcoef"].reason(nothing.matrix())
    assert set(why) == {"precision", "negative_predictive_value", "matthews_corrcoef"}


@pytest.mark.slow
def test_no_slider_without_scores_of_two_classes():
    for name in ("labels_only", "few_classes", "one_class"):
        assert 'id="slider"' not in pages.written(name)


def test_how_rows_were_read_and_how_intervals_were_made_is_on_the_page():
    ev = pages.decided()
    text = html.unescape(pages.written("decided"))
    method = text[text.index('<section id="method"') :]
    assert ev.source.read_as in method
    assert "Change with" not in method
    for name in headline(ev):
        assert ev.values()["model"][name].method in method


@pytest.mark.slow
def test_the_first_screen_says_how_good_how_sure_and_what_to_watch():
    ev = pages.cancer()
    text = pages.written("cancer")
    header = html.unescape(text[: text.index("</header>")])
    assert (
        "logistic finds 96 of 100 malignant rows, with 1 false alarm per 100 benign rows. "
        "logistic and forest cannot be distinguished; logistic beats bayes"
    ) in header
    overview = text[text.index('<section id="overview"') : text.index('<section id="advice"')]
    found = re.findall(r'data-key="([^"]+)">([^<]+)<', overview)
    plain = ev.to_dict()
    assert len(found) == 4 * len(ev.names)
    for key, shown in found:
        value = plain
        for part in key.split("."):
            value = value[int(part) if part.isdigit() else part]
        assert rounded(value) == shown
        assert words.between(value["low"], value["high"]) in overview
    for note in (n for n in ev.notes if n.severity == "warning"):
        assert html.escape(note.text) in overview


@pytest.mark.slow
def test_of_many_warnings_few_are_shown_at_once():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 24)
    certain = np.where(np.arange(24) == 3, 1 - y, y * 0.8 + 0.1)
    scores = {n: np.clip(certain + i / 50, 0, 1) for i, n in enumerate("abc")}
    ev = tm.evaluate(y, y_score=scores | {"d": rng.random(24)})
    warnings = words.notes(ev.notes, "warning")
    text = page.render(ev)
    start = text.index('id="steps"')
    shown = text[start : text.index("</section>", start)]
    first, _, rest = shown.partition("<details>")
    to_do, others = steps_in_full(ev)
    assert len(warnings) > 3
    assert [first.count(f'<p class="{t}">') for t in ("do", "check", "open", "note")] == [
        *(sum(step.tag == t for step in to_do) for t in ("do", "check", "open")), 0,
    ]  # fmt: skip
    assert all(w in html.unescape(shown) for w in warnings)
    assert rest.count("<li>") == len(others) > 0
    assert f"{words.many(len(others), 'more warning')}</summary>" in rest


@pytest.mark.parametrize("name", ["cancer", "few_classes", "labels_only"])
@pytest.mark.slow
def test_the_index_names_every_section(name):
    reader = Reader(pages.written(name))
    sections = [a["id"] for a in reader.all("section")]
    linked = [a["href"][1:] for a in reader.all("a")[1:]]
    assert [name for name in linked if name != "steps"] == sections


@pytest.mark.slow
def test_each_model_of_many_classes_has_charts_of_its_own():
    ev = pages.few_classes()
    groups = chart_groups(ev)
    assert [g.title for g in groups] == list(ev.names)
    for g in groups:
        assert [c.title for c in g.curves] == ["ROC curve", "Precision and recall", "Calibration"]
        assert sorted(s.name for s in g.curves[0].drawn.series) == [f"class {i}" for i in range(4)]
    series = {s.name: s.number for s in groups[1].curves[0].drawn.series}
    area = ev.per_class()["boosting"][2]["roc_auc"].value
    assert series["class 2"] == f"area {area:.3f}"


@pytest.mark.slow
def test_a_wide_matrix_keeps_every_count():
    ev = pages.many_classes()
    text = pages.written("many_classes")
    table = text[text.index('<table class="matrix wide">') :]
    body = table[table.index("<tbody") : table.index("</tbody>")]
    found = [int(n) for n in re.findall(r"<td[^>]*>(\d+)", body)]
    counts = ev.models[0].labels.counts
    assert found == np.column_stack([counts, counts.sum(1)]).ravel().astype(int).tolist()


@pytest.mark.slow
def test_six_models_of_thirty_classes_stay_under_400_kb():
    one = pages.many_classes()
    names = [f"model {i}" for i in range(6)]
    (model,) = one.models
    models = tuple(replace(model, name=n) for n in names)
    ev = replace(one, _counted=replace(counted_of(one), models=models, joint=None))
    page.render(one)
    # The same model six times: its numbers are known, and take ten seconds each to find anew.
    ev.__dict__["_kept"] = {
        asked: dict.fromkeys(names, found[model.name])
        for asked, found in one.__dict__["_kept"].items()
        if asked[0] in ("values", "_per_class")
    }
    text = page.render(ev)
    assert len(text.encode()) < 400_000
    assert "Not drawn, for want of room: model 1, model 2, model 3, model 4, model 5." in text


def test_titles_of_folded_curves_keep_their_capitals():
    text = pages.written("binary")
    (listed,) = re.findall(r"<summary>More curves: ([^<]+)</summary>", text)
    titles = [c.title for g in chart_groups(pages.binary()) for c in g.more]
    assert listed.split(", ") == titles
    assert "Kolmogorov-Smirnov" in titles


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    ev = pages.labels_only()
    path = ev.report(tmp_path / "r.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(tm.InputError, match="does not exist; create it first"):
        ev.report(tmp_path / "missing" / "r.html")
    with pytest.raises(tm.InputError, match="is a folder; name a file in it"):
        ev.report(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.slow
def test_the_same_input_gives_the_same_page():
    first, second = (pages.binary.__wrapped__() for _ in range(2))
    assert page.render(first) == page.render(second)


@pytest.mark.slow
def test_a_share_that_is_assumed_is_not_said_to_be_that_of_the_rows():
    there = pages.binary().at(prevalence=0.01)
    assert pages.embedded(pages.written("binary"))["own"] == pytest.approx(0.3067, abs=1e-4)
    field = page.render(there)
    assert pages.embedded(field)["own"] == pytest.approx(0.01)
    text = re.sub(r"\s+", " ", " ".join(Reader(field).text)).replace("\u00a0", " ")
    assert "positive class 'sick' (1.0 %, as assumed)" in text
    assert "Positives are 1 % in the field, as assumed" in text
    assert "at the assumed prevalence, 99.0 % of the rows are well" in text


@pytest.mark.slow
def test_in_the_field_the_panel_starts_at_the_numbers_of_the_page():
    ev = pages.binary().at(prevalence=0.02)
    for model in pages.embedded(page.render(ev))["models"]:
        values = ev.values()[model["name"]]
        i = model["start"]
        for name, arrays in model["m"].items():
            v = values[name]
            assert model["given"]["m"][name][1].split("\u00a0to\u00a0") == [
                *words.to_width(v.value, v.low, v.high)[1:]
            ]
            # The steps' own bounds, of fewer draws, are no others.
            near = 1000 * 0.2 * (v.high - v.low) + 1
            for found, exact in zip(arrays, (v.low, v.high), strict=True):
                assert found[i] == pytest.approx(1000 * exact, abs=near), name


class Numbers(html.parser.HTMLParser):
    """Reads of each section the cells of tables with the places of their numbers, and without."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.section, self.row, self.place, self.inside, self.shared = "", None, 0, False, ""
        self.found: list[tuple[str, str | None, list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        key = dict(attrs).get("data-key")
        if tag == "section":
            self.section = dict(attrs).get("id")
        elif tag == "tbody":
            self.shared = key or ""
        elif tag == "tr":
            self.row, self.place = key and self.shared + key, 0
        elif tag == "td":
            key = key and self.shared + key
            if self.row is not None:
                key, self.place = self.row.replace("*", str(self.place)), self.place + 1
            self.found.append((self.section, key, []))
        self.inside = tag == "td" or (self.inside and tag not in ("tr", "section", "p", "li"))

    def handle_data(self, data):
        if self.inside and data.strip():
            self.found[-1][2].append(data.strip())


@pytest.mark.parametrize("name", [*pages.EVERY, *pages.USED, "credit"])
@pytest.mark.slow
def test_every_number_of_a_table_is_the_one_at_its_key(name):
    ev = (pages.EVERY | pages.USED | {"credit": pages.credit})[name]()
    text = pages.written(name) if name in pages.EVERY else page.render(ev)
    told, held = ev.to_dict(), 0
    for section, key, texts in Numbers(text).found:
        if key is None:
            # Left are points of curves, the tables that the script fills, totals and thresholds.
            number = texts and re.fullmatch(r"[-\d.,]+", texts[0])
            assert not number or section not in ("all", "classes"), (section, texts)
            continue
        try:
            value = at(told, key)
        except IndexError:
            continue  # the column of methods, and that of totals
        except KeyError:
            assert texts == ["–", "not computed for this model"], key
            continue
        if isinstance(value, dict):
            held += 1
            assert texts[0].rstrip("\N{BLACK STAR} ") == rounded(value), key
            if value["low"] is not None:
                assert words.between(float(value["low"]), float(value["high"])) in texts, key
            elif value["reason"]:
                assert texts[-1] == value["reason"], key
        elif ".curves." in key:
            assert texts[0] == words.percent(value), key
        elif key.endswith(".lead"):
            led = ev.leaders()[int(key.split(".")[1])].difference
            assert led.value == value, key
            assert texts[0] == difference_cells(led)[2], key
        elif section == "compare":
            of = at(told, key.removesuffix(".value"))
            assert texts[0] == (rounded(of, "+") if isinstance(of, dict) else words.signed(of)), key
        else:
            assert texts[0] == words.count(value), key
    assert held >= 40


def rounded(value, sign=""):
    """Return a number of the JSON as it is shown: to two digits of its interval's width."""
    ends = ("value", "low", "high")
    number, *bounds = (math.nan if value[end] is None else float(value[end]) for end in ends)
    if math.isnan(bounds[0]) and sign:
        return words.signed(number)
    return words.to_width(number, *bounds, sign)[0]


def at(tree, key):
    for part in key.split("."):
        if isinstance(tree, dict) and "float64" in tree:  # a long array
            raw = zlib.decompress(base64.b64decode(tree["float64"]))
            tree = np.frombuffer(raw, "<f8").reshape(tree["shape"]).tolist()
        if part.isdigit():
            tree = (tree if isinstance(tree, list) else list(tree.values()))[int(part)]
        else:
            tree = tree[part]
    return tree


def visible(text):
    """Return what a reader sees of a face: no tags, scripts or styles."""
    text = re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]+>", " ", text)
    return " ".join(html.unescape(text).replace("\u00a0", " ").split())


def faces_of(ev, folder):
    page_of = ev.report(folder / "page.html").read_text("utf-8")
    texts = {"page": page_of, "card": ev._repr_html_()}
    texts |= {"terminal": str(ev), "Markdown": ev.to_markdown()}
    return {face: visible(text) for face, text in texts.items()}


def test_a_number_has_the_same_digits_on_every_face(tmp_path):
    ev = pages.binary()
    of_models, wide = ev.values(), 0
    for face, text in faces_of(ev, tmp_path).items():
        for model, name in itertools.product(ev.names, headline(ev)):
            v = of_models[model][name]
            digits = max(2, 1 - math.floor(math.log10(v.high - v.low)))
            shown = f"{v.low:.{digits}f} to {v.high:.{digits}f}"
            if face in ("page", "terminal"):
                assert shown in text, (face, model, name)
            others = {f"{v.low:.{n}f} to {v.high:.{n}f}" for n in (2, 3, 4)} - {shown}
            assert not [other for other in others if other in text], (face, model, name)
            wide += digits == 2
    assert wide


def test_a_reader_sees_a_minus_sign_and_a_machine_a_hyphen(tmp_path):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    s = np.clip(rng.normal(0.55 - 0.2 * y, 0.2), 0, 1)
    ev = tm.evaluate(y, y_score={"a": s, "b": np.clip(s + rng.normal(0, 0.05, 300), 0, 1)})
    for face, text in faces_of(ev, tmp_path).items():
        assert re.search(r"−0\.\d", text), face
        assert not re.search(r"(?<![\w.,])-\d", text), face
    table = ev.table(["mcc"])
    assert re.search(r",-0\.\d+", table.to_csv())
    assert "−" not in table.to_csv()
