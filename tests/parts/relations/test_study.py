import json
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import pytest

from parts.relations.simulated import SEVEN, simulated
from tallymark.errors import InputError
from tallymark.parts.relations.relations import relations
from tallymark.parts.relations.representatives import representatives
from tallymark.parts.relations.study import study, table5
from tallymark.reading.result_table import read_results


def test_every_unit_is_the_relations_by_it():
    frame = simulated()
    s = study(frame)
    assert s.unit == "repeat"
    assert list(s._every()) == ["repeat", "pooled", "fold"]
    assert s._lacking() == {}
    for unit, found in s._every().items():
        np.testing.assert_array_equal(found.pearson, relations(frame, unit).pearson)
        assert found.unit == unit
    assert study(frame, "fold").relations().unit == "fold"
    assert s.table("pooled").to_dicts() == s.relations("pooled").pairs()
    assert len(pd.DataFrame(s.table())) == 21


def test_shared_folds_make_metrics_move_together():
    """The law that the unit of analysis matters for, in results made to have it."""
    every = study(simulated())._every()
    groups = every["repeat"]._clustering
    assert [len(g) for g in groups.groups] == [3, 2, 2]
    upper = np.triu_indices(7, 1)
    assert every["fold"].pearson[upper].mean() > every["repeat"].pearson[upper].mean() + 0.05


def test_what_there_is_decides_the_unit():
    frame = simulated()
    pooled = study(frame[frame.fold.isna()])
    assert pooled.unit == "pooled"
    assert set(pooled._lacking()) == {"repeat", "fold"}
    assert "no folds" in pooled._lacking()["fold"]
    few = study(frame[frame["repeat"] < 2], "fold")
    assert list(few._every()) == ["fold"]
    assert "fewer than 3 results" in few._lacking()["repeat"]
    without = study(frame[frame.fold.isna()].drop(columns="fold"))
    np.testing.assert_array_equal(without.relations().pearson, pooled.relations().pearson)


def test_parts_of_the_data_sets():
    frame = simulated()
    s = study(frame)
    assert s.parts() == {
        "large": ("set-1", "set-4"),
        "small": ("set-0", "set-2", "set-3"),
        "balanced": ("set-2", "set-3", "set-4"),
        "imbalanced": ("set-0", "set-1"),
    }
    for name, part in s.splits().items():
        alone = relations(frame[frame.dataset.isin(s.parts()[name])])
        np.testing.assert_allclose(part.pearson, alone.pearson)
        np.testing.assert_allclose(part.pearson_low, alone.pearson_low)
    other = study(frame, large=600, balanced=0.2).parts()
    assert other["large"] == ("set-1", "set-2", "set-4")
    assert other["imbalanced"] == ("set-1",)
    assert study(frame.drop(columns=["rows", "minority"])).splits() == {}
    some = frame.assign(rows=frame["rows"].where(frame.dataset != "set-1"))
    assert study(some).parts()["large"] == ("set-4",)


def test_distance_from_the_papers_table():
    s = study(simulated())
    upper = np.triu_indices(7, 1)
    for unit, found in s._every().items():
        gaps = [
            np.abs(getattr(found, c) - np.array(table5()[c]))[upper]
            for c in ("pearson", "spearman")
        ]
        assert s._distances()[unit] == pytest.approx(np.mean(gaps))
    assert study(simulated().drop(columns="f1"))._distances() == {}


def test_a_cut_holds_for_every_part():
    s = study(simulated(), cut=-1)
    assert all(len(r.groups) == 1 for r in (*s._every().values(), *s.splits().values()))


def test_every_metric_and_composite_is_a_candidate_to_represent_the_seven():
    frame = simulated().assign(brier=lambda f: f.root_mean_squared_error**2)
    s = study(frame, composites={"mine": ["f1", "auc"]})
    assert s.against == SEVEN
    assert list(s.composites) == ["mine", "accuracy + AUC", "SAR", "kappa + (1 - RMSE) + AUC"]
    rows = s.representatives().to_dicts()
    assert {row["name"] for row in rows} == {*SEVEN, "brier", *s.composites}
    wanted = representatives(read_results(frame), "repeat", SEVEN, s.composites)
    assert rows == wanted
    brier = next(row for row in rows if row["name"] == "brier")
    at = s.relations().metrics.index("brier")
    places = [s.relations().metrics.index(m) for m in SEVEN]
    assert brier["smallest"] == pytest.approx(s.relations().spearman[at, places].min())
    other = study(frame, against=["brier", "f1"]).representatives("algorithm")
    assert {row["smallest_with"] for row in other} <= {"brier", "f1"}
    assert study(frame[[*frame.columns[:6], "f1", "brier"]]).against == ("f1", "brier")
    assert study(frame.rename(columns={m: m.upper() + "!" for m in SEVEN})).against == (
        *(m.upper() + "!" for m in SEVEN), "brier")  # fmt: skip


def test_losses_of_a_composite_are_turned():
    row = {"dataset": ["a"] * 4, "algorithm": ["x"] * 4, "repeat": [0, 1, 2, 3]}
    values = {"accuracy": [0.9, 0.8, 0.7, 0.6], "mae": [0.1, 0.2, 0.3, 0.4]}
    s = study(row | values, composites={"both": ["accuracy", "mae"]})
    assert [r["smallest"] for r in s.representatives()] == pytest.approx([1, 1, 1])


def told_by_schema(told):
    schema = json.loads(
        (files("tallymark.parts.relations") / "study.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(told, schema)


@pytest.mark.slow
def test_what_cannot_be_compared_has_no_distance():
    some = simulated().assign(roc_auc=1.0)
    s = study(some)
    assert s._distances() == {}
    assert "nan" not in repr(s)
    told_by_schema(json.loads(s.to_json()))
    few = some[(some["repeat"] < 2) & (some.dataset == "set-1")].drop(columns=["rows", "minority"])
    told_by_schema(json.loads(study(few, "fold", cut=0.5).to_json()))


@pytest.mark.slow
def test_json(tmp_path):
    s = study(simulated())
    place = tmp_path / "study.json"
    text = s.to_json(place)
    assert place.read_text(encoding="utf-8") == text + "\n"
    told = json.loads(text)
    assert (told["format"], told["version"], told["unit"]) == ("tallymark/study", 1, "repeat")
    assert set(told["units"]) == {"repeat", "pooled", "fold"}
    assert set(told["splits"]) == {"large", "small", "balanced", "imbalanced"}
    assert told["datasets"][1] == {"name": "set-1", "rows": 5000, "minority": 0.06}
    assert told["distance_from_liu2014_table5"] == s._distances()
    assert told["stability_of_groups"]["fold"] == s.relations("fold").stability()
    assert told["between_algorithms"]["unit"] == "algorithm"
    assert told["represented"] == list(SEVEN)
    assert list(told["representatives"]) == ["repeat", "pooled", "fold", "algorithm"]
    best = told["representatives"]["fold"][0]
    assert best == s.representatives("fold")[0]
    assert best["components"]
    assert "NaN" not in text
    told_by_schema(told)
    two = study(simulated()[simulated().algorithm != "tree"]).to_dict()
    told_by_schema(two)
    assert list(two["representatives"]) == ["repeat", "pooled", "fold"]
    assert two["between_algorithms"].startswith("every data set has fewer than 3 algorithms")


def test_refusals(tmp_path):
    with pytest.raises(InputError, match="unit is 'folds'; did you mean"):
        study(tmp_path, "folds")
    with pytest.raises(InputError, match="there is no file"):
        study(str(tmp_path / "none.csv"))


@pytest.mark.parametrize("width", [40, 88])
def test_the_summary_fits_a_terminal(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    s = study(simulated())
    text = str(s)
    assert max(map(len, text.splitlines())) <= width
    assert "the data frame" in text
    assert "3 groups of metrics:" in " ".join(text.split())
