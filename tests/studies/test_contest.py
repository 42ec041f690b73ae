import json
import math
from importlib.resources import files

import jsonschema
import pytest

from studies.test_compare import demsar, table
from tallymark.errors import InputError
from tallymark.studies.compare import compare_results


def test_one_data_set_of_several():
    c = compare_results(table(), "accuracy")
    alone = c.on("d2")
    own = compare_results(table()[table().dataset == "d2"], "accuracy")
    assert [p.to_dict() for p in alone.pairs] == [p.to_dict() for p in own.pairs]
    assert alone.source == "the data frame, d2"
    with pytest.raises(InputError, match="there is no data set 'd9'; there are 'd0', 'd1'"):
        c.on("d9")


def test_pairs_are_found_either_way():
    c = compare_results(demsar())
    assert c.pair("C4.5", "C4.5+m") is c.pair("C4.5+m", "C4.5")
    with pytest.raises(InputError, match="there is no classifier 'C5'; did you mean 'C4.5'"):
        c.pair("C5", "C4.5")
    held = compare_results(demsar(), control="C4.5")
    with pytest.raises(
        InputError, match=r"'C4.5\+m' and 'C4.5\+cf' were not compared; every pair has the control"
    ):
        held.pair("C4.5+m", "C4.5+cf")


def test_everything_is_in_the_json(tmp_path):
    c = compare_results(demsar(), control="C4.5")
    told = json.loads(c.to_json(tmp_path / "c.json"))
    assert json.loads((tmp_path / "c.json").read_text()) == told
    assert (told["format"], told["version"]) == ("tallymark/contest", 1)
    assert told["verdict"] == c.verdict
    assert [x["name"] for x in told["classifiers"]] == list(c.mean_ranks)
    assert told["datasets"][5]["means"]["C4.5"] == 0.936
    first = told["pairs"][0]
    assert (first["first"], first["second"], first["winner"]) == ("C4.5", "C4.5+m+cf", "C4.5+m+cf")
    assert first["p_value"] == first["rank_p_holm"] < 0.05
    assert told["friedman"]["f_df"] == [3, 39]


def test_what_is_undefined_is_null_beside_its_reason():
    told = json.loads(compare_results(demsar()).on("iris").to_json())
    (reason,) = {p["test"]["reason"] for p in told["pairs"]}
    assert reason == "one difference has no spread to judge by; it takes two or more"
    assert {p["p_value"] for p in told["pairs"]} == {None}
    assert {p["first_better"] for p in told["pairs"]} == {None}
    assert told["friedman"] is None


def test_a_row_a_pair():
    rows = compare_results(demsar()).table()
    assert len(rows) == 6
    assert rows[0]["first"] == "C4.5+m+cf"
    assert rows[0]["method"].startswith("Wilcoxon signed rank, exact; 3 of 14")
    assert not any(isinstance(v, dict | list) for row in rows for v in row.values())


def test_arrays_are_read_only():
    c = compare_results(table(), "accuracy")
    for array in (c.values, c.fields[0].values):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_perfect_agreement_is_told_with_its_infinite_f():
    frame = demsar()
    frame["auc"] = [0.9 - 0.1 * (i % 4) for i in range(len(frame))]
    c = compare_results(frame)
    assert math.isinf(c.friedman.f)
    assert c.differ
    assert json.loads(c.to_json())["friedman"]["f"] == "inf"
    assert "F ∞ with" in c.verdict


def by_schema(c):
    """Hold what a contest writes to its schema."""
    schema = json.loads((files("tallymark") / "schema" / "contest.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    told = json.loads(c.to_json())
    jsonschema.validate(told, schema)
    return told, schema


@pytest.mark.parametrize("options", [{}, {"control": "C4.5"}, {"rope": 0}, {"ties": "plain"},
                                     {"test": "wilcoxon"}])  # fmt: skip
def test_the_json_follows_its_schema(options):
    by_schema(compare_results(demsar(), **options))


def test_the_json_of_folds_follows_its_schema():
    c = compare_results(table(), "accuracy")
    for one in (c, c.on("d1"), compare_results(demsar()).on("iris")):
        by_schema(one)


def few(values):
    """Return results of two classifiers on as many data sets as there are pairs of values."""
    n = len(values)
    a, b = zip(*values, strict=True)
    return {"dataset": [f"d{i}" for i in range(n)] * 2, "classifier": ["a"] * n + ["b"] * n,
            "accuracy": [*a, *b]}  # fmt: skip


@pytest.mark.parametrize(
    "values", [[(0.8, 0.7)], [(0.5, 0.5)] * 4, [(0.0, 1.0)] * 6, [(0.5, 0.25), (0.75, 0.5)]]
)
def test_the_json_of_little_follows_its_schema(values):
    by_schema(compare_results(few(values)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("rule",), "t test"),
        (("pairs", 0, "p_value"), 1.5),
        (("pairs", 0, "test", "p_value"), None),  # without a reason
        (("pairs", 0, "posterior", "reason"), "none"),  # beside its numbers
        (("friedman", "f"), "-inf"),
        (("more",), 1),
    ],
)
def test_the_schema_refuses_what_is_not_so(path, value):
    told, schema = by_schema(compare_results(demsar()))
    at = told
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told, schema)
