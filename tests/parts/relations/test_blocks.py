import json
import re

import numpy as np
import pandas as pd
import pytest

from parts.relations.simulated import SEVEN, simulated
from report.test_browser import show
from report.test_page import Reader
from tallymark.display import text
from tallymark.errors import InputError
from tallymark.parts.relations import blocks, pictures, sentences
from tallymark.parts.relations import page as pages
from tallymark.parts.relations.page import study_page
from tallymark.parts.relations.relations import relations
from tallymark.parts.relations.sentences import r
from tallymark.parts.relations.study import study
from tallymark.report import svg, words
from tallymark.report.terminal import as_text

HOSTILE = "</script><b onclick=x>\x1b[31m"


@pytest.fixture(scope="module")
def whole():
    return study(simulated())


@pytest.fixture(scope="module")
def page(whole):
    return study_page(whole)


def hostile():
    frame = simulated().rename(columns={"accuracy": HOSTILE, "f1": "a" * 60 + "<&"})
    return study(frame.assign(dataset=frame.dataset + HOSTILE))


def few():
    rng = np.random.default_rng(0)
    return study({"dataset": ["a"] * 5, "algorithm": ["x"] * 5, "repeat": list(range(5)),
                  "accuracy": rng.random(5), "f1": rng.random(5)})  # fmt: skip


def nothing_varies():
    return study({"dataset": ["a"] * 5, "algorithm": ["x"] * 5, "repeat": list(range(5)),
                  "fold": [0] * 5, "accuracy": [1] * 5, "f1": [1] * 5})  # fmt: skip


EVERY = {"whole": lambda: study(simulated()), "hostile": hostile, "few": few,
         "nothing_varies": nothing_varies,
         "ones": lambda: study(simulated(), "fold", constant="one"),
         "one group": lambda: study(simulated(), cut=-1)}  # fmt: skip


@pytest.mark.parametrize("case", EVERY)
@pytest.mark.slow
def test_every_study_has_a_whole_page_that_asks_nobody(case):
    s = EVERY[case]()
    page = study_page(s)
    read = Reader(page)
    tags = [t for t, _ in read.tags]
    assert tags.count("h1") == 1
    assert "script" not in tags
    for _, attributes in read.tags:
        assert not {"src", "onclick"} & set(attributes)
        assert attributes.get("href", "data:")[:5] in ("data:", "#main")
    idents = [a["id"] for _, a in read.tags if "id" in a]
    assert len(idents) == len(set(idents))
    assert "http" not in re.sub(r"https?://doi\S+|<meta[^>]*>", "", page)
    assert not re.search(r"\bnan\b", " ".join(read.text), re.I)
    assert "\x1b" not in page
    assert max(map(len, text(s, 40).splitlines())) <= 40
    assert "\x1b" not in str(s)


@pytest.mark.slow
def test_the_heat_map_holds_pearson_below_and_spearman_above(whole, page):
    found = whole.relations()
    heat = page[page.index('<table class="matrix wide heat">') :].split("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th>(.*?)</tr>", heat, re.S)
    order = [found.metrics.index(m) for m in found._clustering.order]
    assert [words.title(found.metrics[i]) for i in order] == [
        name.replace("&#39;", "'") for name, _ in rows
    ]
    for a, (_, cells) in enumerate(rows):
        told = re.findall(r"<td[^>]*>(.*?)</td>", cells)
        expected = [
            "" if a == b else r((found.pearson if a > b else found.spearman)[order[a], order[b]])
            for b in range(7)
        ]
        assert told == expected


def test_pairs_of_metrics_are_drawn_inside_groups_and_across():
    frame = simulated()
    frame = frame[(frame.dataset == "set-0") & (frame.algorithm == "logistic") & frame.fold.notna()]
    s = study(frame)
    of = s.relations()
    means = frame.groupby("repeat")[list(SEVEN)].mean()
    means[["mean_absolute_error", "root_mean_squared_error"]] *= -1
    pearson, spearman = means.corr(), means.rank().corr()
    inside, across = pictures.pairs_charts(
        [("Pearson", of, "pearson"), ("Spearman", of, "spearman")], of, "Both"
    )
    assert (inside.title, across.title) == (
        "Both, pairs inside one group", "Both, pairs across groups",
    )  # fmt: skip
    titles = {m: {"roc_auc": "ROC area", "f1": "F1", "average_precision": "avg precision",
                  "mean_absolute_error": "MAE", "root_mean_squared_error": "RMSE",
                  "accuracy": "Accuracy", "cohen_kappa": "Cohen's kappa"}[m] for m in SEVEN}  # fmt: skip
    group = {m: i for i, g in enumerate(of.groups) for m in g}
    for chart, same in ((inside, True), (across, False)):
        pairs = [(a, b) for i, a in enumerate(SEVEN) for b in SEVEN[i + 1 :]]
        pairs = [(a, b) for a, b in pairs if (group[a] == group[b]) == same]
        assert chart.drawn.together == 2
        assert [row.name for row in chart.drawn.rows] == [
            f"{titles[a]} – {titles[b]}" for a, b in pairs for _ in range(2)
        ]
        expected = [c.loc[a, b] for a, b in pairs for c in (pearson, spearman)]
        assert [row.value for row in chart.drawn.rows] == pytest.approx(expected)
        assert [row.mark for row in chart.drawn.rows] == ["first", "open"] * len(pairs)
        assert [(mark.form, mark.meaning) for mark in chart.marks] == [
            ("first", "Pearson"), ("open", "Spearman"),
        ]  # fmt: skip
    assert all(row.low < row.value < row.high for row in across.drawn.rows)
    assert -1 <= across.drawn.x.low <= min([0.0, *(row.low for row in across.drawn.rows)])


def test_parts_of_the_data_sets_are_drawn_beside_all(whole, page):
    splits = whole.splits()
    of = [("all data sets", whole.relations(), "pearson"), ("large", splits["large"], "pearson")]
    (*_, across) = pictures.pairs_charts(of, whole.relations(), "Large and small")
    place = {m: i for i, m in enumerate(SEVEN)}
    pairs = [(p["a"], p["b"]) for p in whole.relations().pairs() if not p["same_group"]]
    assert [row.value for row in across.drawn.rows[1::2]] == [
        splits["large"].pearson[place[a], place[b]] for a, b in pairs
    ]
    for heading in ("Both coefficients", "Large and small", "Balanced and imbalanced"):
        for where in ("inside one group", "across groups"):
            assert page.count(f">{heading}, pairs {where}<") == 2  # above it, and for a reader
    assert "coefficient is drawn; the heat maps have Spearman" in page
    assert "coefficient is drawn" not in study_page(study(simulated().drop(columns=["rows"])
                                                          .assign(minority=0.45)))  # fmt: skip


def test_very_many_pairs_are_left_to_the_heat_maps(monkeypatch):
    of = study(simulated()).relations()
    marks = [("Pearson", of, "pearson")]
    assert len(pictures.pairs_charts(marks, of, "all")) == 2
    monkeypatch.setattr(pictures, "MOST_PAIRS", 10)
    (inside,) = pictures.pairs_charts(marks, of, "all")
    assert inside.title == "all, pairs inside one group"


def test_every_unit_is_on_the_page_with_its_numbers(whole, page):
    for unit, found in whole._every().items():
        row = re.search(rf'<th scope="row">{re.escape(sentences.UNIT_TITLES[unit])}'
                        r".*?</tr>", page, re.S)[0]  # fmt: skip
        assert f"<td>{sum(found.results):,}</td>" in row
        assert ("used for the rest of this page" in row) == (unit == whole.unit)
        groups = whole.relations().groups
        of = {m: g for g in groups for m in g}
        for name in ("pearson", "spearman"):
            for same in (True, False):
                some = [p[name] for p in found.pairs() if (of[p["a"]] == of[p["b"]]) == same]
                assert f"<td>{r(np.mean(some))}</td>" in row
    assert page.count('<table class="matrix wide heat">') == 1 + 3 + 1 + 4
    assert pages.WHY_UNITS in page.replace("&#39;", "'")


def test_the_words_say_what_was_measured(whole):
    found = whole.relations()
    across = found._clustering.across["pearson"]
    pairs = [(p["a"], p["b"]) for p in found.pairs() if not p["same_group"]]
    place = {m: i for i, m in enumerate(SEVEN)}
    fold = whole.relations("fold")
    same = [fold.pearson[place[a], place[b]] for a, b in pairs]
    (first, *_) = sentences.units(whole)
    assert f"correlate {r(across.mean)} on average; by single folds the same pairs " in first
    assert f"correlate {r(np.mean(same))}, higher." in first
    advice = sentences.advice(whole)
    assert f"correlate {r(across.high)} and the least similar {r(across.low)}" in advice
    assert f"the same pairs correlate {r(min(same))} to {r(max(same))}" in advice
    assert "single folds the same" not in sentences.advice(study(simulated(), "fold"))
    one = sentences.advice(study(simulated(), cut=-1))
    assert "needs two groups or more" in one


@pytest.mark.slow
def test_the_best_number_for_all_metrics_is_on_the_page_with_its_interval(whole, page):
    rows = whole.representatives()
    best, single = rows[0], next(row for row in rows if not row["components"])
    for row in (best, single):
        said = f"{r(row['smallest'])} (bootstrap interval {r(row['smallest_low'])} to "
        assert f"{said}{r(row['smallest_high'])}), with " in sentences.one_number(whole)
    plain = page.replace("&#39;", "'")
    assert sentences.one_number(whole) in plain
    assert sentences.one_choice(whole) in plain
    table = page[page.index("Metric or composite") :]
    for row in rows:
        assert words.title(row["name"]) in table
    assert "components of a composite can only make" in plain
    assert "R. Caruana" in page
    assert "Metric or composite" in str(whole)
    assert "Metric or composite" not in str(few())
    assert "one number must" not in study_page(few())
    two = study(simulated()[simulated().algorithm != "tree"])
    assert sentences.one_choice(two) == ""
    steady = study(simulated().assign(roc_auc=1.0))
    assert sentences.one_number(steady) == "No metric has a rank correlation with every other."
    assert sentences.one_choice(steady) == ""


def test_the_terminal_lists_the_best_metrics_and_every_composite(whole):
    names = [row["name"] for row in whole.representatives()]
    listed = [cells[0].text for cells in blocks.representatives(whole, 4).cells()]
    first = [words.title(n) for i, n in enumerate(names) if i < 4 or n in whole.composites]
    assert listed == first


def test_algorithms_are_compared_where_there_are_three(whole, page):
    heading = "Over the algorithms of a data set"
    assert (heading in page, heading in study_page(few())) == (True, False)
    found = whole.between()
    pairs = [(p["a"], p["b"]) for p in whole.table() if not p["same_group"]]
    place = {m: i for i, m in enumerate(SEVEN)}
    mean = np.mean([found.pearson[place[a], place[b]] for a, b in pairs])
    assert f"metrics of two groups {r(mean)} (within an algorithm" in sentences.between(whole)
    assert "3 algorithms" in sentences.between(whole)
    two = simulated()[simulated().algorithm != "tree"]
    assert "is not known: every data set has fewer than 3" in sentences.between(study(two))
    assert "no two groups to compare" in sentences.between(study(simulated(), cut=-1))


@pytest.mark.slow
def test_how_sure_the_groups_are_is_said(whole, page):
    found = whole.relations()
    assert f"{100 * found.stability():.0f} % of the time" in sentences.stability(found)
    assert sentences.stability(found) in page
    assert f"3 groups {r(found._clustering.silhouettes[3])}" in sentences.silhouettes(found)
    assert sentences.silhouettes(study(simulated(), cut=0.7).relations()) == ""
    assert sentences.stability(few().relations()) == ""


def test_what_was_left_out_is_said(whole):
    told = " ".join(sentences.left_out(whole.relations()))
    assert "left out of the averages" in told
    assert "Accuracy in 1 of 15" in told
    ones = sentences.left_out(study(simulated(), constant="one").relations())
    assert "set to 1, as Weka does" in ones[0]
    frame = simulated()
    frame = frame[frame.dataset != "set-3"].copy()
    assert sentences.left_out(relations(frame))[0].startswith("No metric was constant")
    frame.loc[frame.index[0], "f1"] = np.nan
    frame = frame.drop(index=frame.index[[7, 13]])
    frame = frame[
        ~((frame.dataset == "set-0") & (frame.algorithm == "bayes") & (frame["repeat"] > 1))
    ]
    told = sentences.left_out(relations(frame))
    assert "1 value of a metric was undefined and left out." in told
    assert "2 repeats with fewer folds than the others were left out." in told
    assert any(t.startswith("1 pair of data set and algorithm has fewer than three") for t in told)


def test_the_page_names_intervals_and_parts(page, whole):
    (pair, *_) = whole.table()
    assert f"<small>{r(pair['pearson_low'])} to {r(pair['pearson_high'])}</small>" in page
    for name in ("Large", "Small", "Balanced", "Imbalanced"):
        assert f'<th scope="row">{name}<p' in page
    assert "data sets of 3,000 rows or more: set-1, set-4" in page
    assert "smaller class below 40 %: set-0, set-1" in page


def test_the_summary_tells_the_parts(whole):
    part = whole.splits()["large"]
    groups = whole.relations().groups
    inside = np.mean(sentences.values(part, groups, True))
    told = " ".join(text(whole, 100).split())
    assert f"Large (2 data sets, data sets of 3,000 rows or more): {r(inside)} inside" in told


def test_the_dendrogram_draws_every_merge(whole):
    c = whole.relations()._clustering
    (chart,) = pictures.tree(c)
    tree, _ = svg.picture(chart)
    assert tree.count('class="join"') == len(c.merges) == 6
    assert tree.count('class="leaf"') == 7
    assert tree.count('class="chance"') == 1
    inside = [m for m in c.merges if any({*m.left, *m.right} <= set(g) for g in c.groups)]
    assert tree.count('<g class="between">') == 6 - len(inside)
    # the highest merge stands furthest right
    rights = [float(x) for x in re.findall(r"H([\d.]+)V", tree)]
    assert rights == sorted(rights)


def test_the_scatter_has_a_dot_for_every_pair(whole):
    found = whole.relations()
    chart = pictures.scatter(found, "k", found, "Pearson against Spearman")
    styles = [style for *_, style in chart.drawn.dots]
    same = sum(p["same_group"] for p in found.pairs())
    assert 0 < same < 21
    assert styles.count(0) == same
    assert styles.count(1) == 21 - same


@pytest.mark.slow
def test_it_is_written_whole_or_not_at_all(whole, tmp_path):
    place = whole.report(tmp_path / "study.html")
    assert place.read_text(encoding="utf-8") == study_page(whole)
    with pytest.raises(InputError, match="does not exist; create it first"):
        whole.report(tmp_path / "no" / "study.html")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["study.html"]


def test_the_same_results_make_the_same_page(page):
    assert study_page(study(simulated().sample(frac=1, random_state=0))) == page


def test_wide_tables_of_metrics_are_printed_in_blocks():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"metric number {i}": rng.random(6) for i in range(30)})
    frame = frame.assign(dataset="a", algorithm="x", repeat=range(6), fold=0)
    lines = as_text([blocks.matrix(relations(frame))], 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert sum("metric number 29" in line for line in lines) == 5


@pytest.mark.browser
@pytest.mark.parametrize("case", ["whole", "hostile"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_complaint_no_request_no_sideways_scroll(driver, tmp_path, case, width):
    path = EVERY[case]().report(tmp_path / "study.html")
    show(driver, path, width)
    assert driver.get_log("browser") == []
    asked = [
        told["params"]["request"]["url"]
        for entry in driver.get_log("performance")
        if (told := json.loads(entry["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]
    assert [u for u in asked if not u.startswith("data:,")] == [path.as_uri()]
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
