import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import silhouette_score

from tallymark.studies.relations import cluster
from tallymark.studies.study import LIU, table5

GOLDEN = Path(__file__).parents[2] / ".." / "shared" / "golden" / "liu_tables.json"

golden = pytest.mark.skipif(not GOLDEN.exists(), reason="the tables of the paper are not here")


def of(matrix, names="abcdefgh", **options):
    matrix = np.asarray(matrix, dtype=float)
    return cluster(list(names[: len(matrix)]), matrix, matrix, **options)


BLOCKS = [
    [1.0, 0.9, 0.2, 0.1],
    [0.9, 1.0, 0.3, 0.0],
    [0.2, 0.3, 1.0, 0.7],
    [0.1, 0.0, 0.7, 1.0],
]


def test_by_hand():
    found = of(BLOCKS)
    assert found.groups == (("a", "b"), ("c", "d"))
    heights = [m.height for m in found.merges]
    # the last: 1 less the mean of .2 .1 .3 .0
    assert heights == pytest.approx([0.1, 0.3, 0.85])
    assert (found.merges[0].left, found.merges[0].right) == (("a",), ("b",))
    assert set(found.order) == set("abcd")
    inside, across = found.inside["pearson"], found.across["spearman"]
    assert (inside.pairs, inside.mean, inside.low, inside.high) == (2, pytest.approx(0.8), 0.7, 0.9)
    assert (across.pairs, across.mean, across.low, across.high) == (4, pytest.approx(0.15), 0, 0.3)
    assert [(a, b, pytest.approx(p)) for a, b, p, _ in found.between] == [
        (0, 0, 0.9), (0, 1, 0.15), (1, 1, 0.7),
    ]  # fmt: skip


def test_a_strong_negative_correlation_is_no_likeness():
    found = of([[1, -0.99, 0.5], [-0.99, 1, -0.5], [0.5, -0.5, 1]])
    assert found.groups == (("a", "c"), ("b",))


def test_a_cut_that_is_given():
    assert of(BLOCKS, cut=0.8).groups == (("a", "b"), ("c",), ("d",))
    assert of(BLOCKS, cut=0.1).groups == (("a", "b", "c", "d"),)
    assert of(BLOCKS, cut=0.95).groups == (("a",), ("b",), ("c",), ("d",))
    assert of(BLOCKS, cut=0.8).rule == "joined where the mean correlation is 0.8 or higher"
    whole = of(BLOCKS, cut=0.1)
    assert whole.across["pearson"].pairs == 0
    assert math.isnan(whole.across["pearson"].mean)
    assert whole.to_dict()["across"]["pearson"]["mean"] is None


def test_the_number_of_groups_is_the_one_of_the_largest_silhouette():
    rng = np.random.default_rng(0)
    for _ in range(20):
        points = rng.normal(size=(7, 2)) + 4 * rng.integers(0, 2, (7, 1))
        distance = np.linalg.norm(points[:, None] - points, axis=-1)
        distance /= distance.max()
        found = of(1 - distance)
        tree = linkage(squareform(distance), "average")
        for k in range(2, 7):
            labels = fcluster(tree, k, "maxclust")
            theirs = silhouette_score(distance, labels, metric="precomputed")
            assert found.silhouettes[k] == pytest.approx(theirs)
        best = max(found.silhouettes.values())
        assert found.silhouettes[len(found.groups)] == best
        assert sorted(found.silhouettes) == [2, 3, 4, 5, 6]


def test_what_cannot_be_grouped():
    two = of([[1, 0.9], [0.9, 1]])
    assert two.groups == (("a",), ("b",))
    assert two.rule == "two metrics are not grouped; name a cut to group them"
    assert of([[1, 0.9], [0.9, 1]], cut=0.5).groups == (("a", "b"),)
    nan = np.nan
    none = of([[1, nan], [nan, 1]])
    assert none.groups == ()
    some = of([[1, 0.9, nan, 0.1], [0.9, 1, nan, 0.2], [nan, nan, 1, nan], [0.1, 0.2, nan, 1]])
    assert some.left_out == ("c",)
    assert some.groups == (("a", "b"), ("d",))
    json.dumps(some.to_dict(), allow_nan=False)


@golden
def test_the_printed_table_is_copied_well():
    printed = json.loads(GOLDEN.read_text())["table5"]
    assert table5()["pearson"] == printed["pearson"]
    assert table5()["spearman"] == printed["spearman"]


def test_the_paper_finds_three_groups():
    t = table5()
    found = cluster(LIU, np.array(t["pearson"]), np.array(t["spearman"]))
    assert found.groups == (
        ("accuracy", "kappa", "f1"), ("mae", "rmse"), ("roc_auc", "average_precision"),
    )  # fmt: skip
    assert (found.inside["pearson"].low, found.inside["spearman"].low) == (0.79, 0.77)
    assert (found.across["pearson"].high, found.across["spearman"].high) == (0.67, 0.63)
    assert cluster(LIU, *(np.array(t[c]) for c in ("pearson", "spearman")),
                   cut=0.7).groups == found.groups  # fmt: skip


@golden
def test_the_papers_one_example_has_the_same_groups():
    t = json.loads(GOLDEN.read_text())["table4"]
    found = cluster(LIU, np.array(t["pearson"]), np.array(t["spearman"]))
    assert [len(g) for g in found.groups] == [3, 2, 2]
