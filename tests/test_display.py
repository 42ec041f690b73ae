"""Laws of everything that a user can hold: how it shows itself."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from itertools import chain

import numpy as np
import pandas as pd

import tallymark as tm
from judged import counted_of
from of_parts import of_parts
from tallymark.display import Display, load, renderer, text
from tallymark.infer.corrected_t import corrected_t
from tallymark.reading.inspection import inspection_of

HOSTILE = "<script>alert(1)</script>|\x1b[31m"


def _evaluation() -> tm.Evaluation:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    scores = {n: np.clip(0.3 * y + rng.normal(0.4, w, 300), 0.01, 0.99)
              for n, w in (("good", 0.2), (HOSTILE, 0.4))}  # fmt: skip
    where = np.where(rng.random(300) < 0.5, HOSTILE, "south").astype(object)
    labels = np.where(y == 1, HOSTILE, "well")
    return tm.evaluate(labels, y_score=scores, positive=HOSTILE, classes=["well", HOSTILE],
                       subgroup={"where": where}, options={"name": HOSTILE})  # fmt: skip


@cache
def results() -> dict[str, Display]:
    """Return a result of every class by its name, with hostile words in it."""
    ev = _evaluation()
    one = ev.model("good")
    comparison = ev.compare(permutations=0)
    subgroups = one.by("where")
    curve = one.curve("roc")
    fold = [HOSTILE] * 6 + ["south"] * 6
    folds = tm.evaluate([0, 1] * 6, [0, 1, 1] * 4, fold=fold).folds()
    shown = [
        ev, one, one.per_class(["f1"]), one["mcc"], comparison, comparison.pairs[0], comparison.verdicts[0],
        comparison.pairs[0].differences["roc_auc"], comparison.pairs[0].tests[0],
        comparison.table_error, comparison.verdicts[0].answers[0],
        subgroups, subgroups.table(["recall"]), subgroups.differences("recall")[0],
        folds, folds["accuracy"], subgroups.worst_of_all("recall"), one.table(["recall", "mcc"]), one.passes(),
        one.confusion_matrix(),
        curve.table(), one.paper_table(), curve, one._histograms()["good"], one.optimal_threshold(),
        one.optimal_threshold().best, one.advise(), one.advise().statements[0], one.help(),
        one.no_information(), one._sweep()["good"], ev.models[0], counted_of(ev),
        ev.models[0].labels, ev.models[0].scores[0], ev.models[0].labels.binary(HOSTILE),
        corrected_t([0.9, 0.8, 0.85], [0.8, 0.75, 0.8], ratio=0.5),
        tm.plan.proportion(0.9, half_width=0.05),
        tm.Counts(70, 20, 30, 80),
        tm.evaluate([[1, 0], [0, 1], [1, 1]] * 9, [[1, 0], [1, 1], [0, 1]] * 9,
                    classes=["a", HOSTILE]),
    ]  # fmt: skip
    shown += chain(*of_parts("RESULTS"))
    sites = ["a", "b", HOSTILE] * 40
    at_sites = tm.evaluate([0, 0, 0, 1, 1] * 24, [0, 1, 0, 1, 1, 1] * 20, subgroup={"site": sites})
    shown.append(at_sites.by("site").heterogeneity("sensitivity"))
    tags = {"y": [0, 1, 1, 0], HOSTILE: [1, 1, 0, 0]}
    tagged = tm.evaluate(pd.DataFrame(tags), pd.DataFrame(tags) * 0.5 + 0.2)
    rows = pd.DataFrame({HOSTILE: ["yes", "no"], "score": [0.9, 0.1]})
    shown += [
        tagged,
        tagged.label("y"),
        tagged.label("y").reading,
        inspection_of(rows, None, "A report is refused.", {}),
    ]
    if comparison.pairs[0].crossing is not None:
        shown.append(comparison.pairs[0].crossing)
    return {f"{i}-{type(r).__name__}": r for i, r in enumerate(shown)}


def of_each_result(holds):
    """Hold a law for the name of every result; a failure names all that break it."""

    def test():
        broken = {}
        for name in results():
            try:
                holds(name)
            except Exception as error:
                broken[name] = error
        assert not broken

    return test


class Balanced(HTMLParser):
    """Refuses tags that are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.data: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert not {"src", "href", "onclick"} & {k for k, _ in attrs}
        self.tags.add(tag)
        if tag not in ("br", "meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.data.append(data)


def _classes(made):
    return {made}.union(*map(_classes, made.__subclasses__()))


def test_every_class_with_a_renderer_is_shown_here():
    shown = {type(r).__name__ for r in results().values()}
    rendered = {
        c.__name__
        for c in _classes(Display)
        if renderer(c) is not load("subjects.values:fields_of")
    }
    assert rendered > {
        "Evaluation",
        "OptimalThreshold",
        "SubgroupTable",
    }
    assert rendered - shown <= {"Crossing"}


@of_each_result
def test_repr_is_one_short_line_that_names_the_class(name):
    line = repr(results()[name])
    assert line.startswith(f"<{type(results()[name]).__name__}: ")
    assert line.endswith(">")
    first, *more = line.split("\n")
    assert len(more) == (2 if type(results()[name]) is tm.Evaluation else 0)
    assert all(len(part) <= 200 and part.isprintable() for part in (first, *more))


def test_repr_tells_the_main_number():
    one = _evaluation().model("good")
    assert repr(one["mcc"]) == f"<Value: matthews_corrcoef {one['mcc']}>"
    assert repr(one).split("\n")[1] == (
        f" accuracy of good {one['accuracy'].value:.3f} (ROC area {one['roc_auc'].value:.3f})"
    )
    assert repr(tm.Counts(70, 20, 30, 80)) == "<Counts: tp 70, fp 20, fn 30, tn 80>"
    assert repr(one.by("where")) == "<Subgroups: 2 subgroups of good by where, 300 rows>"


@of_each_result
def test_text_is_harmless_and_fits(name):
    shown = str(results()[name])
    assert shown
    assert "\x1b" not in shown
    many_lines = text(results()[name], 60).splitlines()
    if len(many_lines) > 1 and "Reconciliation" not in name and "Listing" not in name:
        assert max(map(len, many_lines)) <= 60


@of_each_result
def test_the_fragment_for_notebooks_is_balanced_escaped_and_self_contained(name):
    html = results()[name]._repr_html_()
    page = Balanced(html)
    assert "script" not in page.tags
    assert "\x1b" not in html
    assert html.startswith('<div class="tallymark">')
    assert "".join(page.data).strip()
    assert "http" not in html
    assert " id=" not in html
    assert len(html.encode()) < 60_000


@of_each_result
def test_tables_in_markdown_have_as_many_cells_in_every_row(name):
    markdown = results()[name].to_markdown()
    assert "\x1b" not in markdown
    assert "<script>" not in re.sub(r"\\.", "", markdown)
    lines = markdown.splitlines()
    rules = [i for i, line in enumerate(lines) if re.fullmatch(r"\|(:?-+:?\|)+", line)]
    for at in rules:
        columns = lines[at].count("|") - 1
        rows = lines[at - 1 : at + 1]
        for line in lines[at + 1 :]:
            if not line.startswith("|"):
                break
            rows.append(line)
        for row in rows:
            assert len(re.findall(r"(?<!\\)\|", row)) == columns + 1


@of_each_result
def test_latex_is_balanced_and_escaped(name):
    latex = results()[name].to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}")
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule")
    plain = re.sub(r"\\[{}]", "", latex)
    assert plain.count("{") == plain.count("}")
    assert "<script>" not in latex
    assert not re.search(r"(?<!\\)[%#]", latex)


def test_a_value_in_every_form():
    v = tm.evaluate([1, 1, 0, 0] * 5, [1, 0, 0, 0] * 5)["accuracy"]
    assert str(v) == "0.75 (95 % CI 0.53 to 0.89)"
    assert repr(v) == "<Value: accuracy 0.75 (95 % CI 0.53 to 0.89)>"
    assert v.to_markdown() == (
        "| metric | value | 95 % interval | standard error | method |\n"
        "|:---|---:|---:|---:|:---|\n"
        "| accuracy | 0.75 | 0.53 to 0.89 | 0.0968 | Wilson |\n"
    )
    assert v.to_latex() == (
        "\\begin{tabular}{lrrrl}\n\\toprule\n"
        "metric & value & 95 \\% interval & standard error & method \\\\\n\\midrule\n"
        "accuracy & 0.75 & 0.53 to 0.89 & 0.0968 & Wilson \\\\\n"
        "\\bottomrule\n\\end{tabular}\n"
    )
    assert "<td>0.75</td><td>0.53 to 0.89</td>" in v._repr_html_()


def test_an_undefined_value_says_why_in_every_form():
    v = tm.evaluate([1, 1, 0], [0, 0, 0])["precision"]
    for shown in (str(v), repr(v), v._repr_html_(), v.to_markdown(), v.to_latex()):
        assert v.reason in shown


def test_warnings_are_shown_in_every_form():
    ev = tm.evaluate([1, 1, 1], [1, 0, 1])
    (first, *_) = [n.text for n in ev.notes if n.severity == "warning"]
    assert f"warning: {first}" in " ".join(str(ev).split())
    assert f"<strong>▲ Check first</strong> {first}.<" in ev._repr_html_().replace("&#39;", "'")
    assert f"**warning: {first}" in ev.to_markdown().replace("\\", "")
