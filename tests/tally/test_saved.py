"""Files that a version saved are read by this one.

Before version 1.0 the schema may change: then ``python tests/tally/test_saved.py`` saves them anew.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from judged import counted_of

FOLDER = Path(__file__).parent / "saved"


def two_models():
    """Return two models on the same 60 rows, with weights and subgroups."""
    at = np.arange(60)
    return tm.evaluate(
        np.where(at % 3 == 0, "yes", "no"), positive="yes", weight=1 + at % 2,
        y_score={"a": at * 7 % 60 / 60, "b": (at % 3 == 0) * 0.4 + at % 10 / 20},
        subgroup={"site": np.where(at % 4 < 2, "north", "south")},
    )  # fmt: skip


def clusters():
    """Return one model on 60 rows of 12 patients."""
    at = np.arange(60)
    return tm.evaluate(at % 3 == 0, y_score=at * 11 % 60 / 60, cluster=at // 5)


def classes():
    """Return the predicted labels of three classes, and what they scored."""
    at = np.arange(60)
    scores = np.stack([1 + at % 3, 1 + at // 3 % 4, 1 + at % 5], 1).astype(float)
    return tm.evaluate(at % 3, y_score=scores / scores.sum(1, keepdims=True))


SAVED = {"two-models": two_models, "clusters": clusters, "classes": classes}


def file_of(name):
    return FOLDER / f"{name}.json.gz"


def values(text):
    """Return the value of every metric of every model of a saved file."""
    return {
        (model["name"], metric): number["value"]
        for model in json.loads(text)["models"]
        for metric, number in model["values"].items()
        if isinstance(number["value"], float | int)
    }


@pytest.fixture(scope="module", params=SAVED)
def saved(request, tmp_path_factory):
    """Return the text of a file, the evaluation that is read from it, and that of its rows."""
    path = tmp_path_factory.mktemp("saved") / "saved.json"
    path.write_bytes(gzip.decompress(file_of(request.param).read_bytes()))
    return path.read_text("utf-8"), tm.read(path), SAVED[request.param]()


@pytest.mark.slow
def test_a_file_that_was_saved_has_the_numbers_of_its_rows(saved):
    text, again, rows = saved
    told = values(text)
    assert len(told) > 40
    assert again.rows == rows.rows == 60
    assert again.names == rows.names
    found = values(again.to_json())  # and metrics that are newer than the file
    assert {k: found[k] for k in told} == pytest.approx(told, rel=1e-12, abs=1e-12)


def test_what_was_saved_beside_the_counts_is_read(saved):
    _, again, rows = saved
    name = again.names[0]
    if counted_of(rows).subgroup_counts is not None:
        assert str(again.model(name).by("site")) == str(rows.model(name).by("site"))
    if len(rows.names) > 1:
        assert str(again.compare()) == str(rows.compare())
    assert str(again.model(name)["accuracy"]) == str(rows.model(name)["accuracy"])


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for saved_as, evaluated in SAVED.items():
        text = evaluated().to_json()
        file_of(saved_as).write_bytes(gzip.compress(text.encode(), 9, mtime=0))
