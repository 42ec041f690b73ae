"""Repeat the study of Liu et al. (2014) and write docs/liu2014.md.

python tools/liu2014.py FOLDER [--repeats N] [--large N] [--results CSV] [-o PAGE]

FOLDER holds the 18 data sets as ARFF and their manifest.json. Finished folds are kept in the
results file: stopped and started again, the experiment goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.studies.algorithms import ALGORITHMS
from tallymark.studies.datasets import DataSet, read
from tallymark.studies.experiment import FIRST, run
from tallymark.studies.relations import Relations
from tallymark.studies.result_table import canonical, read_results
from tallymark.studies.study import LARGE_ROWS, Study, table5

ROOT = Path(__file__).parents[1]
LOW_DIGITS = {"0", "1", "2", "3", "4"}


def data_sets(folder: Path) -> dict[str, DataSet]:
    """Return the 18 data sets under the study's names; digits joined to 0-4 against 5-9."""
    found = {}
    for entry in json.loads((folder / "manifest.json").read_text("utf-8")):
        path = folder / entry["file"]
        if entry["name"] == "optdigits":
            found["optdigits"] = _digits(path, entry["class_attribute"])
            continue
        d = read(path, entry["class_attribute"])
        found[entry["name"]] = DataSet(entry["name"], d.x, d.nominal, d.y, d.classes)
    return found


def _digits(path: Path, target: str) -> DataSet:
    from tallymark.data.readers import open_table

    table = open_table(str(path))
    features = [c for c in table.columns if c != target]
    (chunk,) = table.chunks([target], features)
    coded = chunk.labels[target]
    low = np.array([str(v) in LOW_DIGITS for v in coded.labels])[coded.codes]
    x = np.stack([chunk.numbers[c] for c in features], 1)
    return DataSet("optdigits", x, np.zeros(len(features), dtype=bool), low, ("0-4", "5-9"))


def experiment(folder: Path, results: Path, small: int, large: int, jobs: int | None) -> Any:
    """Run what is not yet in the results file; return the whole table."""
    sets = data_sets(folder)
    groups = [
        ({k: d for k, d in sets.items() if (d.rows >= LARGE_ROWS) == is_large}, repeats)
        for is_large, repeats in ((False, small), (True, large))
    ]
    columns: dict[str, list[Any]] = {}
    for some, repeats in groups:
        if not repeats:
            continue
        made = run(some, repeats=repeats, jobs=jobs, results=results, metrics=FIRST,
                   progress=_progress(results.name))  # fmt: skip
        for name, values in made.items():
            columns.setdefault(name, []).extend(values)
    return columns


def _progress(name: str) -> Any:
    def told(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            print(f"{name}: {done:,} of {total:,} folds", file=sys.stderr, flush=True)

    return told


def main() -> None:
    """Run and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=10, help="of the small data sets")
    parser.add_argument("--large", type=int, default=8, help="repeats of the large ones")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "liu2014.csv")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "liu2014.md")
    given = parser.parse_args()
    columns = experiment(given.folder, given.results, given.repeats, given.large, given.jobs)
    given.output.write_text("\n".join(page(columns)) + "\n", encoding="utf-8")


SHORT = dict(zip(FIRST, ("ACC", "KAP", "FSC", "1-MAE", "1-RMSE", "AUC", "AUPRC"), strict=True))
KNN = ("house-voting", "ibk")
"""The one data set and algorithm of the paper's Table 4."""


def page(columns: dict[str, list[Any]]) -> Iterator[str]:
    """Yield the lines of the page."""
    found = Study(read_results(columns))
    by_unit = found.every()
    main_one = by_unit["repeat"]
    yield "# Which metrics are redundant: the study of Liu et al. (2014) repeated\n"
    yield "Liu, Zhou, Wen and Tang correlated seven metrics over 18 data sets and 8 algorithms, and"
    yield "found three groups: metrics of decisions, of probabilities, and of the ranking. This page"
    yield "repeats the study with models of scikit-learn, and three of its own after Weka's rules, in place"
    yield "of Weka's. `make liu2014` regenerates this page: it runs the experiment (or goes on with one"
    yield "that was stopped) and writes these lines;"
    yield "`tallymark study TABLE` makes the same analysis of any table of results.\n"
    yield from _material(columns, found)
    yield from _pairs(by_unit)
    yield from _units(found, by_unit)
    yield from _groups(by_unit)
    yield from _parts(found)
    yield from _algorithms()
    constant = int(main_one.cell_constant.any((1, 2)).sum())
    yield "## What was left out\n"
    yield f"Metrics that are the same in every repeat have no correlation: of {len(main_one.cells)} pairs of"
    yield f"data set and algorithm, {constant} have such metrics (a classifier that is always right, as on the"
    yield "mushrooms). They are skipped, and each average is over the others; Weka counts them as 1."


def _material(columns: dict[str, list[Any]], found: Study) -> Iterator[str]:
    yield "## Data\n"
    yield "| data set | rows | smaller class | repeats of 10 folds |"
    yield "|---|---|---|---|"
    facts = {}
    for name, rows, share, repeat in zip(
        columns["dataset"], columns["rows"], columns["minority"], columns["repeat"], strict=True
    ):
        facts[name] = (rows, share, max(repeat + 1, facts.get(name, (0, 0, 0))[2]))
    for name, (rows, share, repeats) in sorted(facts.items(), key=lambda kv: kv[1][0]):
        yield f"| {name} | {rows:,} | {100 * share:.1f} % | {repeats} |"
    results = sum(f is not None for f in columns["fold"])
    yield f"\n{results:,} folds in all. The first class of each ARFF header is the positive one, as in Weka.\n"


def _pairs(by_unit: dict[Any, Relations]) -> Iterator[str]:
    yield "## Correlations, and the paper's\n"
    yield "Within each data set and algorithm, then averaged. Errors are turned, so that high is"
    yield "good. One result is the mean over the folds of a repeat, one per repeat from its pooled"
    yield "predictions, or a single fold; the paper does not say which it took.\n"
    printed = table5()
    place = {canonical(m): i for i, m in enumerate(printed["metrics"])}
    heads = "".join(f" {unit} |" for unit in by_unit)
    for name, title in (("pearson", "Pearson"), ("spearman", "Spearman")):
        yield f"### {title}\n"
        yield f"| pair | paper |{heads} 95 % interval (repeat) |"
        yield "|---|---|" + "---|" * (len(by_unit) + 1)
        for row in by_unit["repeat"].pairs():
            a, b = row["a"], row["b"]
            theirs = printed[name][place[canonical(a)]][place[canonical(b)]]
            cells = [f"{theirs:.2f}"]
            for r in by_unit.values():
                i, j = r.metrics.index(a), r.metrics.index(b)
                cells.append(f"{getattr(r, name)[i, j]:.2f}")
            cells.append(f"{row[name + '_low']:.2f} to {row[name + '_high']:.2f}")
            yield f"| {SHORT[a]} – {SHORT[b]} | " + " | ".join(cells) + " |"
        yield ""


def _units(found: Study, by_unit: dict[Any, Relations]) -> Iterator[str]:
    yield "## The unit of analysis decides\n"
    yield "| one result is | mean distance from Table 5 | from Table 4 (house-voting, kNN) | mean within groups | mean across groups |"
    yield "|---|---|---|---|---|"
    names = {"repeat": "the mean over a repeat's folds", "pooled": "a repeat's pooled predictions",
             "fold": "a single fold"}  # fmt: skip
    distances = found.distances()
    means = {}
    for unit, r in by_unit.items():
        inside, across = _means(r)
        means[unit] = inside, across
        one = r.only(datasets=[KNN[0]], algorithms=[KNN[1]]) if KNN in r.cells else None
        four = "–" if one is None else f"{one.distance(table4()):.3f}"
        yield f"| {names[unit]} | {distances[unit]:.3f} | {four} | {inside:.2f} | {across:.2f} |"
    best = min(distances, key=lambda u: distances[u])
    yield ""
    yield "The means are over the pairs of the paper's three groups, Pearson's and Spearman's together."
    if "fold" in means and "repeat" in means:
        yield f"Over single folds metrics of different groups correlate at {means['fold'][1]:.2f} on average; over"
        yield f"means of repeats at {means['repeat'][1]:.2f}. All metrics of one fold are counted on the same few"
        yield "test rows: a fold with hard rows is bad by every metric, and that alone makes them move"
        yield "together. Every repeat tests every row once, so that its mean has no easy or hard rows, and"
        yield "what is left is how the metrics judge the model. The closest to the paper's Table 5 is:"
        yield f"{names[best]}.\n"
    yield "What that means for the paper's advice: its three groups are a finding about how metrics"
    yield "react to another shuffle of the training data, not about test sets. Whoever compares models on"
    yield "one test set sees the folds' correlations: there the groups stand for less, since a lucky or"
    yield "unlucky sample moves all metrics at once.\n"
    one = by_unit["repeat"]
    if KNN in one.cells:
        cell = one.only(datasets=[KNN[0]], algorithms=[KNN[1]])
        repeats = cell.results[0]
        yield "Table 4 is of one data set and one algorithm. The nearest neighbours here follow Weka's rules:"
        yield "all that are equally near vote, their votes are smoothed a little, and a missing value is as far"
        yield f"as it can be. The distance is that of {repeats} means of repeats; of so few results chance alone"
        yield f"moves the correlation of unrelated metrics by about {(repeats - 1) ** -0.5:.2f}.\n"


def _means(r: Relations) -> tuple[float, float]:
    """Return the mean correlation within and across the paper's groups."""
    group = {m: i for i, part in enumerate(GROUPS) for m in part}
    inside, across = [], []
    for row in r.pairs():
        values = [row["pearson"], row["spearman"]]
        (inside if group[row["a"]] == group[row["b"]] else across).extend(values)
    return float(np.nanmean(inside)), float(np.nanmean(across))


GROUPS = (FIRST[:3], FIRST[3:5], FIRST[5:])


def table4() -> dict[str, Any]:
    """Return the printed correlations of house-voting and kNN (Table 4)."""
    lower = ((1.0,), (1.0, 0.99), (0.65, 0.65, 0.63), (0.59, 0.61, 0.57, 0.91),
             (0.18, 0.18, 0.17, 0.49, 0.39), (0.19, 0.19, 0.19, 0.31, 0.31, 0.95))  # fmt: skip
    upper = ((1.0, 0.93, 0.65, 0.58, 0.32, 0.22), (0.92, 0.62, 0.57, 0.37, 0.27),
             (0.63, 0.42, 0.27, 0.22), (0.82, 0.50, 0.35), (0.55, 0.47), (0.92,))  # fmt: skip
    k = len(FIRST)
    pearson, spearman = np.eye(k), np.eye(k)
    for i in range(k):
        for j in range(i):
            pearson[i, j] = pearson[j, i] = lower[i - 1][j]
            spearman[i, j] = spearman[j, i] = upper[j][i - j - 1]
    return {"metrics": list(FIRST), "pearson": pearson.tolist(), "spearman": spearman.tolist()}


def _groups(by_unit: dict[Any, Relations]) -> Iterator[str]:
    yield "## Groups found\n"
    yield "Hierarchical clustering of the metrics, cut where the clusters are clearest.\n"
    yield "| one result is | groups | the same groups when data sets are drawn anew |"
    yield "|---|---|---|"
    for unit, r in by_unit.items():
        groups = "; ".join(", ".join(SHORT[m] for m in g) for g in r.groups)
        yield f"| {unit} | {groups} | {100 * r.stability():.0f} % |"
    yield ""


def _parts(found: Study) -> Iterator[str]:
    yield "## Large and small, balanced and imbalanced data sets\n"
    yield f"Large is from {found.large:,} rows on, balanced from {100 * found.balanced:.0f} % of the smaller class on; the paper"
    yield "states no limit for the second. Means over repeats.\n"
    yield "| data sets | how many | mean within groups | mean across groups | distance from Table 5 |"
    yield "|---|---|---|---|---|"
    for name, r in found.splits("repeat").items():
        inside, across = _means(r)
        yield f"| {name} | {len(r.datasets)} | {inside:.2f} | {across:.2f} | {r.distance(table5()):.3f} |"
    yield ""


def _algorithms() -> Iterator[str]:
    yield "## Algorithms\n"
    yield "| here | in Weka | differs in |"
    yield "|---|---|---|"
    for a in ALGORITHMS.values():
        yield f"| {a.name} | {a.weka} | {a.differs} |"
    yield ""


if __name__ == "__main__":
    main()
