"""The command that judges parts of the rows."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from tallymark.cli import main


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 800)
    region = rng.choice(["north", "south"], 800)
    right = rng.random(800) < np.where(region == "south", 0.6, 0.9)
    frame = pd.DataFrame({"label": y, "pred": np.where(right, y, 1 - y), "region": region})
    path = tmp_path / "p.csv"
    frame.to_csv(path, index=False)
    return str(path)


def run(*args):
    return CliRunner().invoke(main, ["subgroups", *args])


def test_it_shows_the_subgroups_and_which_differ(file):
    found = run(file, "--subgroup", "region", "--metric", "recall")
    assert found.exit_code == 0
    assert "region  rows" in found.output
    assert "2 of 2 subgroups tested differ from the rest in sensitivity" in found.output
    assert "south: −0." in found.output
    assert "over the" not in found.output
    several = run(file, "--subgroup", "region", "--metric", "recall", "--metric", "accuracy")
    assert (
        "2 of 2 subgroups tested differ from the rest in sensitivity or accuracy (level 0.95, "
        "corrected for 2 tests)."
    ) in " ".join(several.output.split())


def test_a_report_of_several_models_says_that_models_are_not_corrected_for(file, tmp_path):
    frame = pd.read_csv(file)
    frame.rename(columns={"pred": "one"}).assign(two=frame["label"]).to_csv(file, index=False)
    args = ["report", file, "--truth", "label", "--pred", "one", "--pred", "two"]
    found = CliRunner().invoke(
        main, [*args, "--full", "--subgroup", "region", "-o", str(tmp_path / "p.html")]
    )
    assert found.exit_code == 0, found.output
    assert (
        "P-values are corrected for all tests of one model: over the 2 models shown, the chance of "
        "any false flag is up to 10 %."
    ) in " ".join(found.output.split())


def test_rows_in_clusters_are_compared_by_cluster(file):
    frame = pd.read_csv(file)
    frame["patient"] = np.arange(len(frame)) // 4
    frame.to_csv(file, index=False)
    found = run(
        file, "--cluster", "patient", "--subgroup", "region", "--metric", "recall", "--json"
    )
    assert found.exit_code == 0
    north = json.loads(found.output)["subgroups"][0]
    assert north["values"]["sensitivity"]["method"] == "jackknife of clusters, Student's t"
    against = north["against_the_rest"]["sensitivity"]
    assert against["method"] == "square-and-add of both intervals, paired by cluster"


def test_it_prints_json(file):
    found = run(file, "--subgroup", "region", "--metric", "recall", "--json")
    data = json.loads(found.output)
    assert [s["subgroup"] for s in data["subgroups"]] == [{"region": "north"}, {"region": "south"}]
    assert data["subgroups"][1]["against_the_rest"]["sensitivity"]["corrected"] < 0.001


def test_refusals(file):
    found = run(file, "--subgroup", "regoin")
    assert found.exit_code == 2
    assert "there is no column 'regoin' for subgroup; did you mean 'region'?" in found.output
    assert run(file, "--subgroup", "region", "--metric", "nonsense").exit_code == 2
    assert "Missing option '--subgroup'" in run(file).output
