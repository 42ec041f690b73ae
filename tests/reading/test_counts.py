"""Tables of counts: which column says how many rows each line stands for."""

import itertools

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.errors import InputError

ROUTES = ["frame", "polars lazy", "csv", "parquet", "json"]


def table(route, rows, folder):
    """Return rows as a frame, in an engine or as the path of a file."""
    made = {"frame": lambda: rows, "polars lazy": lambda: pl.from_pandas(rows).lazy(),
            "duckdb": lambda: duckdb.from_df(rows)}  # fmt: skip
    if route in made:
        return made[route]()
    path = folder / f"rows.{route}"
    write = {"csv": lambda: rows.to_csv(path, index=False), "parquet": lambda: rows.to_parquet(path),
             "json": lambda: rows.to_json(path, orient="records", lines=True)}  # fmt: skip
    write[route]()
    return str(path)


def matrix(ev):
    return ev.models[0].labels.counts.tolist()


CELLS = pd.DataFrame({"y_true": [0, 0, 1, 1], "y_pred": [0, 1, 0, 1], "n": [50, 10, 5, 35]})


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    score, region = rng.integers(0, 21, 3000) / 20, rng.choice(["north", "south", None], 3000)
    return pd.DataFrame({
        "truth": (rng.random(3000) < score).astype(int), "score": score, "region": region,
    })  # fmt: skip


@pytest.fixture(scope="module")
def by_region(rows):
    return rows.groupby([*rows], dropna=False).size().reset_index(name="n")


# -- weights that are counts ---------------------------------------------------------------------


@pytest.mark.parametrize("route", [*ROUTES, "duckdb"])
def test_a_weight_that_counts_is_read_as_counts_and_said(route, tmp_path):
    ev = tm.evaluate(table(route, CELLS, tmp_path), weight="n")
    assert (ev.rows, matrix(ev)) == (100, [[50, 10], [5, 35]])
    wanted = tm.evaluate(CELLS, count="n")["matthews_corrcoef"]
    assert (ev["matthews_corrcoef"].low, ev["matthews_corrcoef"].high) == (wanted.low, wanted.high)
    assert ev.source.roles["count"] == "n"
    assert "count = `n`" in ev.source.sentence
    assert "count=..." in ev.source.sentence


def test_weights_of_another_name_or_with_fractions_are_weights():
    for rows, options in (
        (CELLS.rename(columns={"n": "survey_weight"}), {"weight": "survey_weight"}),
        (CELLS.assign(n=CELLS["n"] / 4), {"weight": "n"}),
        (CELLS, {"weight": "n", "count": False}),
        (CELLS.assign(n=1), {"weight": "n"}),
    ):
        assert tm.evaluate(rows, **options).rows == 4


def test_a_weight_that_could_be_either_is_asked_for(tmp_path):
    rows = pd.concat([CELLS, CELLS.head(2)]).assign(age=[30, 40, 40, 50, 30, 40])
    for data in (rows, table("csv", rows, tmp_path)):
        with pytest.raises(
            InputError,
            match="n holds whole numbers and could count the rows of each line; say count='n' if "
            "it does, or weight='n' with count=False if it weighs each row",
        ):
            tm.evaluate(data, weight="n")
        assert tm.evaluate(data, count="n").rows == 160
        assert tm.evaluate(data, weight="n", count=False).rows == 6


def test_tallies_of_tables_count_as_evaluations_do(by_region):
    for options in ({"weight": "n"}, {"count": "n"}, {}):
        assert tm.LabelTally.from_table(CELLS, **options).rows == 100
    assert tm.LabelTally.from_table(CELLS, count=False).rows == 4
    assert tm.ScoreTally.from_table(by_region).rows == 3000
    with pytest.raises(InputError, match="or count=False if each line is one row"):
        tm.ScoreTally.from_table(by_region.assign(id=range(len(by_region))))
    assert tm.ScoreTally.from_table(by_region, count=False).rows == len(by_region)


# -- counts beside other columns -----------------------------------------------------------------


@pytest.mark.parametrize("route", ROUTES)
def test_counts_by_group_are_counted_without_the_group(route, rows, by_region, tmp_path):
    data = table(route, by_region, tmp_path)
    wanted, ev = tm.evaluate(rows), tm.evaluate(data)
    assert ev.rows == 3000
    assert ev["roc_auc"] == wanted["roc_auc"]
    assert ev.source.ignored == ("region",)
    assert ev.source.roles["count"] == "n"
    grouped = tm.evaluate(data, subgroup="region")
    assert grouped.rows == 3000
    each = [
        e.by("region").to_dict(["roc_auc"]) for e in (grouped, tm.evaluate(rows, subgroup="region"))
    ]
    assert each[0]["subgroups"] == each[1]["subgroups"]


def test_an_engine_is_not_asked_for_every_column(by_region):
    data = duckdb.from_df(by_region)
    with pytest.raises(InputError, match="say count='n' if it does, or count=False if each line"):
        tm.evaluate(data)
    assert tm.evaluate(data, count="n").rows == 3000
    assert tm.evaluate(data, count=False).rows == len(by_region)
    assert tm.evaluate(duckdb.from_df(by_region.assign(n=0.5))).rows == len(by_region)


@pytest.mark.parametrize("route", ["frame", "csv"])
def test_a_feature_that_is_called_like_counts_is_asked_about(route, tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({
        "label": rng.integers(0, 2, 200), "score": rng.random(200), "sex": rng.choice(["m", "f"], 200),
        "count": rng.integers(0, 9, 200),
    })  # fmt: skip
    # Scores that all differ say nothing, and equal lines say that they are rows.
    for data in (rows, rows.assign(score=rows["score"].round(1))):
        data = table(route, data, tmp_path)
        with pytest.raises(
            InputError,
            match="count holds whole numbers and could count the rows of each line; say "
            "count='count' if it does, or count=False if each line is one row",
        ):
            tm.evaluate(data)
        assert tm.evaluate(data, count=False).rows == 200
        assert tm.evaluate(data, count="count").rows == rows["count"].sum()
    # What cannot be counts is no question.
    for values in (rows["count"] / 3, -rows["count"], np.ones(200, dtype=int), ["many"] * 200):
        assert tm.evaluate(table(route, rows.assign(count=values), tmp_path)).rows == 200


def test_two_columns_of_counts_are_named():
    with pytest.raises(InputError, match="several columns could count the rows of each line: 'n', "
                                         "'Freq'; say which with count="):  # fmt: skip
        tm.evaluate(CELLS.assign(Freq=CELLS["n"]))
    assert tm.evaluate(CELLS.assign(Freq=CELLS["n"] * 2), count="Freq").rows == 200


def test_all_combinations_of_a_small_table_are_counts():
    cells = list(itertools.product([0, 1], [0, 1], "ab"))
    rows = pd.DataFrame(cells, columns=["truth", "pred", "site"]).assign(Anzahl=range(3, 11))
    assert tm.evaluate(rows).rows == sum(range(3, 11))


def test_counts_are_whole_and_there():
    with pytest.raises(InputError, match="counts are whole numbers"):
        tm.evaluate(CELLS.assign(n=0.5), count="n")
    with pytest.raises(InputError, match="there is no column 'm' for count"):
        tm.evaluate(CELLS, count="m")
    with pytest.raises(InputError, match="count is True; give a text, or False where each line is"):
        tm.evaluate(CELLS, count=True)
    with pytest.raises(InputError, match="the column 'n' is named twice"):
        tm.evaluate(CELLS, count="n", weight="n")
    with pytest.raises(InputError, match="count does not go with arrays"):
        tm.evaluate([0, 1], [0, 1], count="n")


def test_the_command_line_counts(by_region, tmp_path):
    def run(*words):
        result = CliRunner().invoke(main, ["report", path, *words], prog_name="tallymark")
        return result.exit_code, result.stdout + result.stderr

    path = table("csv", by_region.assign(index=range(len(by_region))), tmp_path)
    code, told = run()
    assert code == 2
    assert "say --count n if it does, or --no-count if each line is one row" in told
    assert "3,000 rows" in run("--count", "n")[1]
    assert f"{len(by_region)} rows" in run("--no-count")[1]
    code, told = run("--weight", "n")
    assert code == 2
    assert "--weight n with --no-count if it weighs each row" in told
    assert run("--weight", "n", "--no-count")[0] == 0
    assert run("--count", "n", "--no-count")[0] == 2
