"""Tables with a line for each model's prediction of a case."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.errors import InputError

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, 60)
WIDE = pd.DataFrame({"truth": TRUTH, "net": ((TRUTH + RNG.random(60)) / 2).round(4),
                     "tree": ((TRUTH + 2 * RNG.random(60)) / 3).round(4)})  # fmt: skip
LONG = pd.DataFrame({
    "case_id": [*range(60), *RNG.permutation(60)], "model": ["net"] * 60 + ["tree"] * 60,
})  # fmt: skip
LONG["truth"] = TRUTH[LONG["case_id"]]
LONG["prob"] = [WIDE[m][i] for i, m in zip(LONG["case_id"], LONG["model"], strict=True)]
LONG["region"] = np.where(LONG["case_id"] < 25, "north", "south")

ROUTES = ["frame", "polars lazy", "csv", "parquet", "json"]


def table(route, rows, folder):
    """Return rows as a frame, or as the path of a file."""
    if route in ("frame", "polars lazy"):
        return rows if route == "frame" else pl.from_pandas(rows).lazy()
    path = folder / f"rows.{route}"
    write = {"csv": lambda: rows.to_csv(path, index=False), "parquet": lambda: rows.to_parquet(path),
             "json": lambda: rows.to_json(path, orient="records", lines=True)}  # fmt: skip
    write[route]()
    return str(path)


def run(path, *options, command="report"):
    return CliRunner().invoke(main, [command, str(path), *options])


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.slow
def test_lines_of_models_are_judged_as_columns_of_models(route, tmp_path):
    ev = tm.evaluate(table(route, LONG, tmp_path), subgroup="region")
    wide = tm.evaluate(WIDE, score=["net", "tree"])
    assert (ev.rows, ev.names) == (60, ("net", "tree"))
    found, wanted = ev.compare(), wide.compare()
    assert found.pairs[0].differences == wanted.pairs[0].differences
    assert dict(ev.source._roles) == {
        "truth": "truth", "score": "prob", "model": "model", "case": "case_id",
        "subgroup": "region",
    }  # fmt: skip
    assert ev.source._ignored == ()
    assert "model = `model`, case = `case_id`" in ev.source.read_as


@pytest.mark.parametrize("word", ["Algorithm", "classifier", "method", "modèle", "Verfahren"])
def test_names_of_the_column_of_models(word):
    ev = tm.evaluate(LONG.rename(columns={"model": word}))
    assert ev.names == ("net", "tree")


def test_decisions_and_scores_of_several_classes_go_with_their_model():
    truth = list("abcabcabca") * 2
    rows = pd.DataFrame({"id": [*range(10)] * 2, "model": ["x"] * 10 + ["y"] * 10, "y_true": truth,
                         "y_pred": truth[:10] + list("aaaaaaaaaa")})  # fmt: skip
    for c in "abc":
        rows[f"p_{c}"] = np.where(rows["y_pred"] == c, 0.8, 0.1)
    ev = tm.evaluate(rows)
    assert [m.name for m in ev.models] == ["x", "y"]
    values = [ev.model(n)["accuracy"].value for n in "xy"]
    assert values == [1.0, 0.4]
    assert len(ev.models[0].scores) == 3


@pytest.mark.slow
def test_lines_without_an_id_are_matched_by_their_order():
    rows = pd.concat([WIDE[["truth"]].assign(model=m, prob=WIDE[m]) for m in ("net", "tree")])
    ev = tm.evaluate(rows)
    assert ev.compare().pairs[0].differences == (
        tm.evaluate(WIDE, score=["net", "tree"]).compare().pairs[0].differences
    )
    assert "case" not in ev.source._roles
    with pytest.raises(InputError, match="no column names the case, and the lines are sorted"):
        tm.evaluate(rows.sort_values(["model", "truth"]))


@pytest.mark.slow
def test_model_names_the_column_whatever_it_is_called(tmp_path):
    rows = LONG.rename(columns={"model": "variant"})
    assert tm.evaluate(rows, model="variant").names == ("net", "tree")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    done = run(tmp_path / "rows.csv", "--model", "variant", command="compare")
    assert "tree" in done.output
    assert done.exit_code == 0
    done = run(tmp_path / "rows.csv", "--model", "variant", "--no-model")
    assert "--model and --no-model contradict each other" in done.output


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (LONG[:-1], "'net' has 60 lines and 'tree' 59"),
        (LONG.assign(model=[None, *LONG["model"][1:]]), "'model' is missing in some lines"),
        (LONG.assign(case_id=[0, *LONG["case_id"][:-1]]), "'case_id' does not name each case once"),
        (LONG.assign(truth=[1 - TRUTH[0], *LONG["truth"][1:]]), "'truth' differs between the mod"),
    ],
)
@pytest.mark.slow
def test_lines_that_do_not_match_are_refused_with_remedies_that_work(rows, why, tmp_path):
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    done = run(path)
    assert done.exit_code == 2
    assert why in done.output
    for options in (["--subgroup", "model"], ["--no-model"]):
        assert " ".join(options) in done.output
        assert run(path, *options).exit_code == 0
    assert tm.evaluate(rows.rename(columns={"model": "method"})).names == ("prob",)


def test_counts_by_model_are_refused():
    rows = pd.DataFrame({"model": list("aabb"), "truth": [0, 1] * 2, "pred": [0, 1, 1, 0],
                         "n": [5, 6, 7, 8]})  # fmt: skip
    with pytest.raises(InputError, match="a line that counts rows does not identify their cases"):
        tm.evaluate(rows, count="n")
    assert tm.evaluate(rows, count="n", subgroup="model").rows == 26


def test_a_column_of_two_names_or_of_one_model():
    with pytest.raises(InputError, match="'classifier' may name models as well"):
        tm.evaluate(LONG.assign(classifier=LONG["model"]))
    assert tm.evaluate(LONG[:60]).names == ("prob",)
    with pytest.raises(InputError, match="'model' names 1 model; leave model= out"):
        tm.evaluate(LONG[:60], model="model")


def test_columns_of_the_case_must_agree():
    rows = LONG.assign(weight=[*range(1, 121)])
    with pytest.raises(InputError, match="'weight' differs between the models' lines of one case"):
        tm.evaluate(rows, weight="weight")


def test_a_file_of_label_model_and_score_alone(tmp_path):
    lines = "".join(f"{y},{m},{p}\n" for m in "ab" for y, p in zip("ynnyny", range(6), strict=True))
    path = tmp_path / "t.csv"
    path.write_text("label,model,p\n" + lines.replace("b,0", "b,9"), encoding="utf-8")
    ev = tm.evaluate(path, positive="y")
    assert (ev.rows, ev.names) == (6, ("a", "b"))
    assert ev.model("a")["roc_auc"].value != ev.model("b")["roc_auc"].value


def test_a_column_that_contradicts_a_few_lines_is_not_passed_over():
    rows = LONG.sort_values(["model", "case_id"], ignore_index=True)
    assert tm.evaluate(rows.drop(columns="case_id")).rows == 60  # by their places
    truth = rows["truth"][60:]
    first, other = truth.index[truth == 1][0], truth.index[truth == 0][0]
    exchanged = rows["case_id"].to_numpy().copy()
    exchanged[[first, other]] = exchanged[[other, first]]
    with pytest.raises(InputError, match="cannot be matched: .truth. differs between the models"):
        tm.evaluate(rows.assign(case_id=exchanged))


# -- every way to match lines, and every contradiction -----------------------------------------

CASE = np.arange(24)
LABEL = np.resize([0, 1, 1, 0, 1, 0, 0, 1], 24)
FIRST = np.where(CASE % 5 > 0, LABEL, 1 - LABEL)
SECOND = np.where(CASE % 3 > 0, LABEL, 1 - LABEL)
BACK = CASE[::-1]
LINES = {
    "model": ["a"] * 24 + ["b"] * 24,
    "case": [*CASE, *BACK],
    "label": [*LABEL, *LABEL[BACK]],
    "pred": [*FIRST, *SECOND[BACK]],
}
IN_ORDER = {"case": None, "label": [*LABEL, *LABEL], "pred": [*FIRST, *SECOND]}
THIRDS = CASE % 3 + 1


def changed(**columns):
    return pd.DataFrame({k: v for k, v in (LINES | columns).items() if v is not None})


MATCHED = [
    ({}, {}, {"model": "model", "case": "case"}, None),
    (IN_ORDER, {}, {"model": "model"}, None),
    ({"pred": None, "score": [*(FIRST / 2 + 0.2), *(SECOND[BACK] / 2 + 0.2)]}, {},
     {"model": "model", "case": "case"}, None),
    ({"model": None, "method": LINES["model"]}, {}, {"model": "method", "case": "case"}, None),
    ({"site": [*(CASE % 2), *(BACK % 2)]}, {"subgroup": "site"},
     {"subgroup": "site", "model": "model", "case": "case"}, None),
    ({"w": [*THIRDS, *THIRDS[BACK]]}, {"weight": "w"},
     {"weight": "w", "model": "model", "case": "case"}, THIRDS),
]  # fmt: skip


def test_lines_are_matched_by_their_case_or_their_order():
    for columns, say, roles, weights in MATCHED:
        ev = tm.evaluate(changed(**columns), **say)
        assert (ev.rows, ev.names) == (24, ("a", "b"))
        for name, said in (("a", FIRST), ("b", SECOND)):
            right = np.average(said == LABEL, weights=weights)
            assert ev.model(name)["accuracy"].value == pytest.approx(right)
        output = {"score": "score"} if "score" in columns else {"pred": "pred"}
        assert dict(ev.reading.roles) == {"truth": "label", **output, **roles}
        assert "model: its name, and every model has one line per case" in ev.reading.evidence


APART = [
    ({"model": ["a"] * 24 + ["b"] * 23 + [None]}, {}, "'model' is missing in some lines"),
    ({"model": ["a"] * 25 + ["b"] * 23}, {}, "'a' has 25 lines and 'b' 23"),
    ({"case": [*CASE, *BACK[:-1], 1]}, {}, "'case' does not name each case once per model"),
    ({"label": [*LABEL, *LABEL]}, {}, "'label' differs between the models' lines"),
    ({"case": None}, {}, "'label' differs between the models' lines in their order"),
    ({"case": None, "label": [0] * 12 + [1] * 12 + [0] * 12 + [1] * 12}, {},
     "no column names the case, and the lines are sorted by the truth"),
    ({"algorithm": ["x", "y"] * 24}, {}, "'algorithm' may name models as well"),
    ({"model": ["a"] * 48}, {"model": "model"}, "'model' names 1 model; leave model= out"),
    ({"n": [2] * 24 + [3] * 24}, {"count": "n"},
     "a line that counts rows does not identify their cases"),
]  # fmt: skip


def test_lines_that_contradict_each_other_are_refused_with_the_reason():
    for columns, say, why in APART:
        with pytest.raises(InputError) as caught:
            tm.evaluate(changed(**columns), **say)
        assert str(caught.value) == (
            "'model' says which model made each prediction, and the models' lines cannot be matched: "
            f"{why}; give one line per case and model, or say subgroup='model' to judge each model's "
            "rows as a subgroup, or model=False if 'model' names no models"
        )
    for columns, say in (
        ({"site": ["n"] * 24 + ["s"] * 24}, {"subgroup": "site"}),
        ({"site": [*THIRDS, *THIRDS]}, {"weight": "site"}),
    ):
        with pytest.raises(InputError) as caught:
            tm.evaluate(changed(**columns), **say)
        assert str(caught.value) == (
            "'site' differs between the models' lines of one case; leave it out, or give each case "
            "one value"
        )


def test_lines_are_rows_where_no_column_names_models():
    right = np.mean([*(FIRST == LABEL), *(SECOND == LABEL)])
    unmatched = changed(model=None, method=["a"] * 25 + ["b"] * 23)
    for frame, say in ((changed(), {"model": False}), (unmatched, {})):
        ev = tm.evaluate(frame, **say)
        assert (ev.rows, ev["accuracy"].value) == (48, pytest.approx(right))
