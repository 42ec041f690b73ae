"""Data sets to learn from in ARFF files, where both parts are there."""

import json
from pathlib import Path

import numpy as np
import pytest

from tallymark.errors import InputError

pytest.importorskip("tallymark.parts.formats")
data_sets = pytest.importorskip("tallymark.parts.experiments.datasets")

DATASETS = Path(__file__).parents[3] / "shared" / "datasets"

SMALL = """@relation small
@attribute size numeric
@attribute colour {red, green, blue}
@attribute 'kind of' {no, yes, never}
@data
1.5, red, yes
?, green, no
2.5, ?, yes
0.5, red, no
% a comment in between
3.5, blue, yes
0.1, green, no
"""


def test_which_files_are_data_sets(tmp_path):
    with pytest.raises(InputError, match=r"put files of the kinds \.arff, \.csv, \.tsv"):
        data_sets.files_of(tmp_path)
    for name in ("b.csv", "a.arff", "c.arff.gz", "notes.txt"):
        (tmp_path / name).write_text("")
    assert [p.name for p in data_sets.files_of(tmp_path)] == ["a.arff", "b.csv", "c.arff.gz"]


@pytest.mark.parametrize(
    ("declared", "classes", "first"),
    [
        ("{0, 1}", ("0", "1"), [True, False, True]),
        ("{true, false}", ("True", "False"), [False, True, False]),
        ("{1.0, 0.0}", ("1", "0"), [False, True, False]),
        ("{never, b, a}", ("never", "b", "a"), [False, True, False]),
    ],
)
def test_an_arff_header_says_which_class_is_first(tmp_path, declared, classes, first):
    a, b = {"{0, 1}": "01", "{true, false}": ("false", "true"), "{1.0, 0.0}": ("0.0", "1.0")}.get(
        declared, "ab"
    )
    (tmp_path / "d.arff").write_text(
        f"@relation d\n@attribute size numeric\n@attribute kind {declared}\n@data\n"
        f"1,{a}\n2,{b}\n3,{a}\n"
    )
    d = data_sets.read(tmp_path / "d.arff")
    assert d.classes == classes
    assert d.y.tolist() == first
    other = data_sets.read(tmp_path / "d.arff", positive=a if first[1] else b)
    assert other.y.tolist() == [not v for v in first]
    assert len(other.classes) == len(classes)


def test_a_positive_class_that_does_not_occur(write):
    text = "@relation d\n@attribute size numeric\n@attribute kind {no, a, b}\n@data\n1,a\n2,b\n"
    with pytest.raises(
        InputError, match="d.arff has no class 'no' to take as positive; there are 'a'"
    ):
        data_sets.read(write("d.arff", text), positive="no")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_arff_keeps_the_headers_order_and_absent_classes(tmp_path, ends):
    (tmp_path / "small.arff").write_bytes(SMALL.replace("\n", ends).encode())
    d = data_sets.read(tmp_path / "small.arff")
    assert d.name == "small"
    assert d.classes == ("no", "yes", "never")
    assert d.y.tolist() == [False, True, False, True, False, True]
    assert d.nominal.tolist() == [False, True]
    np.testing.assert_array_equal(d.x[:, 0], [1.5, np.nan, 2.5, 0.5, 3.5, 0.1])
    red = d.x[0, 1]
    assert (d.x[:, 1] == red).tolist() == [True, False, False, True, False, False]
    assert np.isnan(d.x[2, 1])
    assert d.minority == 0.5


@pytest.mark.skipif(not DATASETS.is_dir(), reason="the data sets are not here")
@pytest.mark.slow
def test_every_data_set_of_the_study_is_read():
    manifest = json.loads((DATASETS / "manifest.json").read_text("utf-8"))
    for entry in manifest:
        if entry["name"] == "optdigits":
            continue
        d = data_sets.read(DATASETS / entry["file"], entry["class_attribute"])
        assert d.rows == entry["instances"]
        assert d.x.shape[1] == entry["features"]
        counts = {d.classes[0]: int(d.y.sum())}
        assert entry["classes"][d.classes[0]] == counts[d.classes[0]]
