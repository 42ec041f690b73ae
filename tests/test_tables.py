import csv
import io
import math
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
import yaml

import tallymark as tm
from judged import counted
from tallymark.errors import InputError
from tallymark.listing import Listing
from tallymark.reading.inspection import inspection_of

Y = [1, 1, 1, 0, 0, 0, 0, 1]
EV = tm.evaluate(
    Y,
    {"half": [1, 0, 1, 0, 1, 0, 0, 0], "never": [0] * 8},
    options={"name": "two models of eight rows"},
)


def test_rows_are_models_times_metrics():
    table = EV.table(["recall", "accuracy"])
    assert [(r["model"], r["metric"]) for r in table] == [
        ("half", "sensitivity"), ("half", "accuracy"),
        ("never", "sensitivity"), ("never", "accuracy"),
    ]  # fmt: skip
    assert [r["value"] for r in table] == [0.5, 0.625, 0.0, 0.5]
    assert {r["title"] for r in table} == {"Sensitivity", "Accuracy"}
    assert len(table) == 4


def test_all_metrics_unless_named():
    assert len(EV.table()) == 2 * len(EV.metrics())


def test_one_name_is_one_metric():
    assert [r["metric"] for r in EV.table("mcc")] == ["matthews_corrcoef"] * 2


def test_an_undefined_value_keeps_its_reason():
    _, never = EV.table(["precision"]).rows
    assert math.isnan(never["value"])
    assert never["reason"] == EV.model("never")["precision"].reason
    line = str(EV.table(["precision"])).splitlines()[2]
    assert line.split()[2] == "undefined"
    assert line.endswith(never["reason"])


def test_a_metric_that_needs_scores_is_refused_by_name():
    with pytest.raises(InputError, match="roc_auc cannot be computed from these predictions"):
        EV.table(["roc_auc"])
    with pytest.raises(InputError, match="there is no metric 'acurracy'; did you mean 'accuracy'"):
        EV.table(["acurracy"])


def test_a_model_without_scores_lacks_the_metrics_that_need_them():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"label": Y, "s": [0.9, 0.1, 0.8, 0.3, 0.2, 0.1, 0.4, 0.7]})
    frame["t"] = frame["s"] * 2
    ev = tm.evaluate(frame, score=["s", "t"])
    assert [r["model"] for r in ev.table(["brier"])] == ["s"]
    assert [r["model"] for r in ev.table(["roc_auc"])] == ["s", "t"]


def test_to_pandas():
    pandas = pytest.importorskip("pandas")
    frame = EV.table(["precision", "accuracy"]).to_pandas()
    assert list(frame.columns) == [
        "model", "metric", "title", "value", "low", "high", "level", "se", "method", "reason",
    ]  # fmt: skip
    assert frame["value"].dtype == "float64"
    accuracy = frame[frame["metric"] == "accuracy"].set_index("model")
    assert accuracy.loc["half", "value"] == 0.625
    assert accuracy.loc["half", "low"] == pytest.approx(EV.model("half")["accuracy"].low)
    assert pandas.isna(frame.loc[2, "value"])


def test_to_polars():
    polars = pytest.importorskip("polars")
    frame = EV.table(["precision", "accuracy"]).to_polars()
    assert frame["value"].dtype == polars.Float64
    assert frame["reason"].dtype == polars.String
    assert frame["value"].to_list()[1] == 0.625
    assert frame["reason"].to_list()[0] is None


def test_a_library_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(InputError, match=r"needs pandas; install it with: pip install"):
        EV.table().to_pandas()


def test_what_prints_is_harmless():
    y = ["a", "b"]
    ev = tm.evaluate(y, {"\x1b[31m<b>": y, "x": y}, positive="a")
    assert "\x1b" not in str(ev.table())
    html = ev.table(["accuracy"])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


HOSTILE = (
    'a "quoted", name',
    "=cmd|'/c calc'!A1",
    " blank ",
    "two\r\nlines",
    "",
    "+1",
    "émoji 😀",
    "NA",
)
"""Names that CSV, LaTeX or a spreadsheet could read as something else."""

SCORES = [0.9, 0.1, 0.8, 0.3, 0.2, 0.1, 0.4, 0.7]


def hostile():
    rows = [
        {"name": n, "n": i, "x": i / 3 if i else math.nan, "yes": i > 2}
        for i, n in enumerate(HOSTILE)
    ]
    return Listing(tuple(rows))


def test_csv_of_hostile_names_is_read_back_by_pandas_polars_and_csv(tmp_path):
    text = hostile().to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes().decode() == text
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(r["name"] for r in rows) == HOSTILE
    assert [r["x"] for r in rows] == ["", *(repr(i / 3) for i in range(1, len(HOSTILE)))]
    assert rows[0]["yes"] == "false"
    frame = pd.read_csv(tmp_path / "t.csv", keep_default_na=False, na_values={"x": [""]})
    assert tuple(frame["name"]) == HOSTILE
    assert frame["yes"].dtype == bool
    read = pl.read_csv(tmp_path / "t.csv", null_values=None)
    assert tuple(read["name"]) == HOSTILE
    assert read["x"].to_list() == [None, *(i / 3 for i in range(1, len(HOSTILE)))]


def test_csv_holds_numbers_in_full_and_undefined_ones_as_nothing():
    (line,) = list(csv.DictReader(io.StringIO(EV.model("never").table(["precision"]).to_csv())))
    assert (line["value"], line["low"]) == ("", "")
    assert line["reason"] == "no row was predicted positive"
    (line,) = csv.DictReader(io.StringIO(EV.model("half").table(["accuracy"]).to_csv()))
    assert float(line["low"]) == EV.model("half")["accuracy"].low
    assert Listing(()).to_csv() == ""
    assert Listing(({"x": math.inf, "big": 10**30},)).to_csv() == f"x,big\ninf,{10**30}\n"


@pytest.mark.parametrize("read", [
    pl.DataFrame, pyarrow.table, lambda rows: duckdb.sql("SELECT * FROM rows").to_arrow_table(),
    Listing.to_arrow, Listing.to_polars,
], ids=["polars", "pyarrow", "duckdb", "to_arrow", "to_polars"])  # fmt: skip
def test_arrow_streams_are_read_by_polars_pyarrow_and_duckdb(read):
    found = read(hostile())
    columns = found.to_dict(as_series=False) if hasattr(found, "height") else found.to_pydict()
    assert tuple(columns["name"]) == HOSTILE
    assert columns["n"] == list(range(len(HOSTILE)))
    assert math.isnan(columns["x"][0])
    assert columns["x"][1:] == [i / 3 for i in range(1, len(HOSTILE))]
    assert columns["yes"] == [i > 2 for i in range(len(HOSTILE))]


@pytest.mark.slow
def test_arrow_needs_no_pyarrow():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import polars, tallymark as tm\n"
        "print(polars.DataFrame(tm.evaluate(tm.LabelTally((0, 1), [[8, 1], [2, 7]])).table(['recall']))['value'][0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert float(done.stdout) == 7 / 9


def test_columns_of_arrow_have_one_type():
    rows = [{"a": 1, "b": 2**70, "c": None, "level": None, 'quo"te': 1}]
    rows += [{"a": "x", "b": 1, "c": None, "level": None, 'quo"te': 2.5}]
    frame = Listing(tuple(rows)).to_polars()
    types = [pl.String, pl.String, pl.String, pl.Float64, pl.Float64]
    assert frame.dtypes == types
    assert frame.columns == ["a", "b", "c", "level", 'quo"te']
    assert frame["b"].to_list() == [str(2**70), "1"]
    with pytest.raises(InputError, match="a table without rows has no columns"):
        Listing(()).to_arrow()


def test_latex_escapes_what_tex_would_read():
    rows = ({"a_b": "50% & #1 {x} ~^\\ $5", "n": 1},)
    text = Listing(rows).to_latex()
    assert r"a\_b & n \\" in text
    assert (
        r"50\% \& \#1 \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{} \$5 & 1 \\" in text
    )


def test_html_of_a_table_is_escaped():
    text = hostile().to_html()
    assert "<table>" in text
    assert "a &quot;quoted&quot;, name" in text
    assert "<td>0.50</td>" in EV.table(["recall"]).to_html()


def test_a_table_of_each_class():
    ev = tm.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "a"])
    table = ev.table(["recall", "precision"], per_class=True)
    assert [(r["class"], r["metric"], r["value"]) for r in table][:4] == [
        ("a", "sensitivity", 1.0), ("a", "precision", 1.0),
        ("b", "sensitivity", 1.0), ("b", "precision", 0.5),
    ]  # fmt: skip
    assert table[5]["reason"] == ev.per_class()["model"]["c"]["precision"].reason


def test_every_result_that_shows_a_table_gives_it():
    ev = tm.evaluate(Y * 5, y_score={"a": SCORES * 5, "b": SCORES[::-1] * 5}, fold=[*"vwxyz"] * 8)
    compared = ev.compare(permutations=0, metrics=["recall"])
    (row,) = (r for r in compared.table() if r["metric"] == "sensitivity")
    d = compared.pairs[0].differences["sensitivity"]
    assert (row["first"], row["second"]) == ("a", "b")
    assert (row["difference"], row["low"], row["p_value"]) == (d.value, d.low, d.p_value)
    one = ev.model("a")
    folds = one.folds(["recall"]).table()
    assert [r["fold"] for r in folds] == [*"vwxyz", "all rows", "mean of folds"]
    assert folds[5]["value"] == one["recall"].value
    best = one.optimal_threshold("f1", within={"fpr": 0.3})
    assert [(r["metric"], r["threshold"]) for r in best.table()] == [
        ("f1", best.threshold), ("false_positive_rate", best.threshold)
    ]  # fmt: skip
    assert best.table()[0]["value"] == best.best.corrected.value
    points = one.curve("roc").table()
    assert list(points[0]) == ["threshold", "false_positive_rate", "sensitivity"]
    assert len(points) == len(one.curve("roc"))
    planned = tm.plan.proportion(0.9, half_width=0.05)
    assert planned.table()[0]["n"] == planned.n
    assert {r["rule"] for r in one.advise().table()} == {s.rule for s in one.advise().statements}
    frame = pd.DataFrame({"truth": ["a", "b"], "score": [0.9, 0.1]})
    taken = inspection_of(frame, None, "A report is refused.", {}).table()
    assert [r["name"] for r in taken] == ["truth", "score"]


def test_listings_print_numbers_with_their_digits():
    rows = (
        {
            "threshold": 0.123456,
            "TP": 3.0,
            "level": 0.95,
            "p_value": 1e-9,
            "x": 0.5,
            "low": math.nan,
        },
    )
    assert str(Listing(rows)).splitlines()[1].split() == [
        "0.1235",
        "3",
        "0.95",
        "<",
        "0.0001",
        "0.500",
    ]


def test_a_confusion_matrix_prints_and_is_an_array_and_a_frame():
    found = EV.model("half").confusion_matrix()
    assert np.asarray(found).tolist() == [[3, 1], [2, 2]]
    assert np.asarray(found).dtype == np.int64
    assert np.asarray(found, dtype=float).dtype == float
    assert found.labels == (0, 1)
    assert [line.rstrip() for line in str(found).splitlines()] == [
        "true  0  1",
        "0     3  1",
        "1     2  2",
    ]
    frame = found.to_pandas()
    assert list(frame.columns) == ["true", "predicted 0", "predicted 1"]
    assert frame["predicted 1"].tolist() == [1, 2] == found.to_polars()["predicted 1"].to_list()
    with pytest.raises(InputError, match=r"holds 2 models .* choose one with .model\('half'\)"):
        EV.confusion_matrix()


def test_a_confusion_matrix_sums_weights_and_follows_the_threshold():
    weighted = tm.evaluate(["n", "y", "y"], ["n", "n", "y"], weight=[1, 0.5, 2])
    assert np.asarray(weighted.confusion_matrix()).tolist() == [[1, 0], [0.5, 2]]
    scored = tm.evaluate([0, 1, 1], y_score=[0.1, 0.4, 0.9])
    assert np.asarray(scored.confusion_matrix()).tolist() == [[1, 0], [1, 1]]
    assert np.asarray(scored.at(threshold=0.3).confusion_matrix()).tolist() == [[1, 0], [0, 2]]


def test_the_table_of_a_paper_rounds_to_the_width_of_its_intervals():
    ev = counted([[90, 10], [20, 80]])
    table = ev.paper_table(["recall", "precision"])
    v = ev["recall"]
    assert table.to_dicts() == [{
        "Model": "model", "Events / n": "100 / 200",
        "Sensitivity": f"{v.value:.2f} ({v.low:.2f} to {v.high:.2f})",
        "Precision": "0.89 (0.81 to 0.94)",
    }]  # fmt: skip
    assert "95 % confidence intervals" in table.caption
    assert "Wilson: Sensitivity, Precision" in table.caption
    assert "95 % confidence intervals" in table.to_html()
    many = counted([[90000, 10000], [20000, 80000]]).paper_table(["recall"])
    assert many[0]["Sensitivity"] == "0.8000 (0.7975 to 0.8025)"
    known = ev.at(prevalence=0.1).paper_table(["prevalence"])
    assert known[0]["Prevalence"] == "0.100"  # as it was given, without an interval
    assert counted([[9, 1], [10, 0]]).paper_table(["precision"])[0]["Precision"].startswith("0.")
    with pytest.raises(InputError, match="roc_auc cannot be computed from these predictions"):
        ev.paper_table(["roc_auc"])
    two = tm.evaluate(Y, y_score={"a": SCORES, "b": SCORES[::-1]}, threshold=0.3)
    assert [row["Model"] for row in two.paper_table(["recall"])] == ["a", "b"]
    assert "Decisions: a, b: scores at or above 0.3" in two.paper_table(["recall"]).caption


def test_a_model_index_is_yaml_whatever_names_are(tmp_path):
    name = 'a: "x" # {b}\u2028é'
    ev = tm.evaluate(Y, y_score={name: SCORES}, options={"name": "- d: 😀"})
    text = ev.to_model_index(tmp_path / "card.yaml", metrics=["roc_auc", "recall", "mcc"])
    assert (tmp_path / "card.yaml").read_text("utf-8") == text
    (model,) = yaml.safe_load(text)["model-index"]
    assert model["name"] == name.replace("\u2028", "\\u2028")
    (result,) = model["results"]
    assert result["task"] == {"type": "tabular-classification"}
    assert result["dataset"] == {"type": "- d: 😀", "name": "- d: 😀"}
    assert [m["type"] for m in result["metrics"]] == ["roc_auc", "recall", "matthews_correlation"]
    first, v = result["metrics"][0], ev["roc_auc"]
    assert (first["value"], first["args"]["low"], first["args"]["high"]) == (v.value, v.low, v.high)
    small = counted([[10**9, 1], [1, 10**9]]).to_model_index(metrics=["fpr"])
    (metric,) = yaml.safe_load(small)["model-index"][0]["results"][0]["metrics"]
    assert metric["value"] == pytest.approx(1e-9)


def test_heterogeneity_has_a_table():
    y, score = [0, 1] * 60, [(i * 7) % 10 / 10 + 0.3 * (i % 2) for i in range(120)]
    sites = tm.evaluate(y, y_score=score, subgroup={"site": ["a", "b", "c"] * 40})
    h = sites.by("site").heterogeneity("sensitivity")
    mean, pooled = h.table().to_dicts()
    assert (mean["value"], mean["predicted_low"]) == (h.mean.value, h.predicted[0])
    assert (pooled["of"], pooled["value"]) == ("pooled rows", h.pooled.value)
    assert math.isnan(pooled["tau2"])


def test_a_printed_table_has_one_line_of_80_columns_for_each_metric():
    y = ["a", "b", "c", "a"] * 9
    ev = tm.evaluate(y, ["a", "b", "b", "a"] * 9)
    head, *lines = str(ev.table()).split("\n")
    assert head.split()[:5] == ["model", "metric", "value", "low", "high"]
    assert [line.split()[1] for line in lines] == list(ev)
    assert max(map(len, lines)) <= 80
    named = str(ev.table(["accuracy", "f1", "lift"])).split("\n")
    assert named[1] == "model  accuracy       0.75  0.59  0.86  Wilson"
    assert len(named) == 4
    assert ["…" in line for line in lines if line.split()[1] == "lift"] == [True]
    assert "| Wilson |" in ev.table().to_markdown()
