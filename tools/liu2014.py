"""Repeat the study of Liu et al. (2014): run it, keep a compact table, write docs/liu2014.md.

python tools/liu2014.py FOLDER [--repeats N] [--large N] [--results CSV]   trains, hours
python tools/liu2014.py                                                    the page alone

FOLDER holds the 18 data sets as ARFF and their manifest.json. Finished folds are kept in the
results file: stopped and started again, the experiment goes on. The page is made from the tables
in docs/data alone.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import lzma
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from doctest import DocTestParser
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, ttest_ind

from tallymark.metric.correlation import TIES, midranks
from tallymark.parts.experiments.algorithms import ALGORITHMS
from tallymark.parts.experiments.datasets import DataSet, read
from tallymark.parts.experiments.experiment import FIRST, run
from tallymark.parts.relations.relations import Relations
from tallymark.parts.relations.study import LARGE_ROWS, Study, table5
from tallymark.reading.result_table import read_results
from tallymark.report.words import title

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "liu2014.md"
ERRATA = ROOT / "tools" / "liu2014-errata.md"
TABLE = ROOT / "docs" / "data" / "liu2014.csv.xz"
FOLDS = ROOT / "docs" / "data" / "liu2014-folds.csv.xz"
LOW_DIGITS = {"0", "1", "2", "3", "4"}

METRICS = (
    *FIRST, "balanced_accuracy", "matthews_corrcoef", "sensitivity", "specificity", "precision",
    "geometric_mean", "brier", "log_loss", "h_measure", "pr_auc_trapezoid", "kolmogorov_smirnov",
    "auk", "expected_calibration_error",
)  # fmt: skip
"""What the experiment measures: the paper's seven, then others that might stand for them."""

OF_FOLDS = (*FIRST, "brier")
"""The metrics of the table of single folds."""

FOLDS_EACH = 10

LARGE_REPEATS = 8
"""Repeats of the large data sets unless stated otherwise."""

FOLD_REPEATS = 8
"""Repeats of which single folds are kept."""

EXACT = (0.0, 0.01)
"""Of the paper's seven metrics, within a data set and algorithm: how far rounding may shift a rank,
as a share of the results, and the largest step of the rounding, in standard deviations."""

ROUGH = (0.01, 0.1)
"""The same of all other metrics."""

MOST_DIGITS = 12
"""Decimals at most: differences below are of rounding."""


# -- the experiment ----------------------------------------------------------------------------


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
    from tallymark.reading.readers import open_table

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
        made = run(some, repeats=repeats, folds=FOLDS_EACH, jobs=jobs, results=results, metrics=METRICS,
                   progress=_progress(results.name))  # fmt: skip
        for name, values in made.items():
            columns.setdefault(name, []).extend(values)
    return columns


def _progress(name: str) -> Any:
    def report(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            print(f"{name}: {done:,} of {total:,} folds", file=sys.stderr, flush=True)

    return report


# -- the compact tables ------------------------------------------------------------------------

KEYS = ("dataset", "algorithm", "repeat", "fold", "rows", "minority")


def keep(columns: Mapping[str, Sequence[Any]], table: Path = TABLE, folds: Path = FOLDS) -> None:
    """Write the compact tables: repeats, each as the mean over its folds (fold 0) and pooled; folds.

    The bytes depend on the results alone.
    """
    facts = {
        d: (f"{n}", f"{m:.6f}")
        for d, n, m in zip(columns["dataset"], columns["rows"], columns["minority"], strict=True)
    }
    results = read_results({k: v for k, v in columns.items() if k in (*KEYS, *METRICS)}, METRICS)
    single = results.units_of("fold"), [results.metrics.index(m) for m in OF_FOLDS]
    repeats: list[list[str]] = []
    folds_of: list[list[str]] = []
    for c, (d, a) in enumerate(product(results.datasets, results.algorithms)):
        for fold, units in (("0", results.units_of("repeat")), ("", results.units_of("pooled"))):
            for r, row in enumerate(rounded(units.values[units.cell == c])):
                repeats.append([d, a, f"{r}", fold, *facts[d], *row])
        units, at = single
        first = units.values[units.cell == c][: FOLD_REPEATS * FOLDS_EACH, at]
        for i, row in enumerate(rounded(first)):
            r, f = divmod(i, FOLDS_EACH)
            folds_of.append([d, a, f"{r}", f"{f}", *facts[d], *row])
    for path, metrics, lines in ((table, METRICS, repeats), (folds, OF_FOLDS, folds_of)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([[*KEYS, *metrics], *lines])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(text.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME))


def rounded(values: Any) -> list[list[str]]:
    """Return numbers[n, K] as text, with the digits that their correlations need.

    >>> rounded(np.array([[0.91234, 1.0], [0.81234, 1.0], [0.71239, 1.0]]))
    [['.9123', '1'], ['.8123', '1'], ['.7124', '1']]
    """
    columns = []
    for i, x in enumerate(np.asarray(values).T):
        known, limits = x[~np.isnan(x)], EXACT if i < len(FIRST) else ROUGH
        digits = next(
            d for d in range(3, MOST_DIGITS + 1) if d == MOST_DIGITS or _enough(known, d, *limits)
        )
        columns.append([_shortest(v, digits) for v in x])
    return [list(row) for row in zip(*columns, strict=True)]


def _enough(x: Any, digits: int, shift: float, step: float) -> bool:
    """Tell whether so many digits leave each number near its place, and ties as they are."""
    if not len(x):
        return True
    exact, kept = (midranks(v, ties=TIES) for v in (x, np.round(x, digits)))
    constant = np.ptp(exact) == 0
    fine = constant or 10.0**-digits <= step * x.std()
    return bool(fine and np.abs(exact - kept).max() <= shift * len(x))


def _shortest(value: float, digits: int) -> str:
    if math.isnan(value):
        return ""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


# -- the page ----------------------------------------------------------------------------------

SHORT = dict(zip(FIRST, ("ACC", "KAP", "FSC", "1-MAE", "1-RMSE", "AUC", "AUPRC"), strict=True))
KNN = ("house-voting", "ibk")
"""The one data set and algorithm of the paper's Table 4."""

GROUPS = (FIRST[:3], FIRST[3:5], FIRST[5:])
"""The paper's groups: threshold, probability and rank metrics."""

TABLE3 = {
    "colic": (22, 22, 36.96, 63.04), "credit-rating": (15, 15, 44.50, 55.50),
    "heart-disease": (13, 13, 45.54, 54.46), "heart-statlog": (23, 13, 44.45, 55.55),
    "hepatitis": (19, 19, 20.65, 79.35), "house-voting": (16, 16, 38.62, 61.38),
    "ionosphere": (34, 34, 35.90, 64.10), "kr-vs-kp": (36, 36, 47.78, 52.22),
    "monks1": (6, 6, 50.00, 50.00), "monks2": (6, 6, 24.28, 75.72),
    "monks3": (6, 6, 48.01, 51.90), "mushroom": (22, 22, 48.20, 51.80),
    "optdigits": (64, 64, 49.79, 50.21), "sick": (29, 29, 6.12, 93.87),
    "sonar": (60, 60, 46.63, 53.37), "spambase": (57, 57, 39.40, 60.60),
    "spectf": (44, 44, 50.00, 50.00), "tic-tac-toe": (8, 9, 34.66, 65.34),
}  # fmt: skip
"""Table 3: features as printed and in the file, shares of both classes as printed."""

UNITS = {"repeat": "the mean over a repeat's folds", "pooled": "a repeat's pooled predictions",
         "fold": "a single fold"}  # fmt: skip


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


class Chapter:
    """Everything that the page says, from the compact tables."""

    def __init__(self) -> None:
        self.results, single = read_results(TABLE), read_results(FOLDS)
        self.seven = Study(read_results(self.results, FIRST), "repeat")
        self.candidates = Study(self.results, "repeat")
        self.of_folds = Study(single, "fold")
        fold = Study(read_results(single, FIRST), "fold").relations()
        self.units = {"repeat": self.seven.relations("repeat"),
                      "pooled": self.seven.relations("pooled"), "fold": fold}  # fmt: skip
        self.main = self.units["repeat"]
        self.names: dict[str, Any] = {}
        with chdir(ROOT):
            for example in DocTestParser().get_examples(NAMES):
                exec(example.source, self.names)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the page."""
        yield from _opening()
        yield from self._answer()
        yield from self._statements()
        yield from self._pairs()
        yield from self._table4()
        yield from self._units()
        yield from self._groups()
        yield from self._parts()
        yield from self._material()
        yield from _algorithms()
        yield from self._left_out()

    # -- the future work -----------------------------------------------------------------------

    def _answer(self) -> Iterator[str]:
        rows = self.candidates.representatives().to_dicts()
        other = {
            "pooled": _by_name(self.candidates.representatives("pooled")),
            "fold": _by_name(self.of_folds.representatives("fold")),
            "algorithm": _by_name(self.candidates.representatives("algorithm")),
        }
        bar = min(_values(self.main, True, "spearman"))
        single = next(r for r in rows if not r["components"])
        outside = next(r for r in rows if not r["components"] and r["name"] not in FIRST)
        best = next(r for r in rows if r["components"])
        yield "## Future work of the paper: one metric for all three groups\n"
        yield 'The paper ends: "an interesting and challenging direction is to investigate an all-in-one metric'
        yield 'that can perform the functions of all three groups of metrics". A metric does so if it correlates'
        yield "with every metric of every group, so the smallest of its Spearman correlations with the seven"
        yield "metrics decides. The bar is what two metrics of one group reach: the least similar correlate"
        yield f"{bar:.2f} here ({min(_printed(True, 'spearman')):.2f} in Table 5), over means of repeats; it is"
        of_unit = {u: min(_values(r, True, "spearman")) for u, r in self.units.items()}
        yield f"{of_unit['pooled']:.2f} for pooled predictions and {of_unit['fold']:.2f} for single folds.\n"
        yield f"- The best single metric, {_title(single)}, reaches {_number(single)}, with {_title(single, 'smallest_with')}{_against(single, bar)}."
        if outside is not single:
            yield f"- The best metric that is none of the seven, {_title(outside)}, reaches {_number(outside)}, with {_title(outside, 'smallest_with')}{_against(outside, bar)}."
        yield f"- The best of the built-in composites, {best['name']}, reaches {_number(best)}, with {_title(best, 'smallest_with')}{_against(best, bar)}."
        kappa, rmse, auc = (
            self._spread(m) for m in ("cohen_kappa", "root_mean_squared_error", "roc_auc")
        )
        pooled = max(
            (r for r in other["pooled"].values() if not r["components"]),
            key=lambda r: r["smallest"],
        )
        yield f"- Which single metric is best depends on the unit: of pooled predictions it is {_title(pooled)} with {pooled['smallest']:.2f}."
        yield "  Pooled, RMSE is the root of Brier (but for Weka's factor of declared classes), so both correlate alike;"
        yield "  over folds they differ as a mean of roots differs from a mean of squares."
        yield "- A plain mean follows the component that varies most. Within a data set and algorithm the standard"
        yield f"  deviation of kappa is {kappa:.1f} times that of accuracy, that of RMSE {rmse:.1f} times and that of AUC"
        yield f"  {auc:.1f} times (medians): a mean with kappa is mostly kappa.\n"
        if not any(r["smallest_high"] >= bar for r in rows):
            yield "**No number here does what the paper asks for.**"
        elif single["smallest_high"] < bar:
            yield "**No single metric does what the paper asks for; a mean of several may.**"
        yield "Report one metric of each group. If you need one number, take the best composite, and check it on"
        yield "results of your own: `tallymark study results.csv --composite mine=accuracy+roc_auc`.\n"
        yield "```{eval-rst}"
        yield ".. plot::"
        yield "   :alt: Smallest rank correlation of each metric and composite with the seven metrics"
        yield "   :include-source:"
        yield ""
        for line in PLOT.strip().split("\n"):
            yield f"   {line}".rstrip()
        yield "```\n"
        yield "| metric or composite | smallest correlation | with | mean correlation | smallest: pooled | smallest: folds | smallest: over algorithms |"
        yield "|---|---|---|---|---|---|---|"
        for row in rows:
            cells = [_number(row), _title(row, "smallest_with"), _number(row, "mean")]
            for of in other.values():
                there = of.get(row["name"])
                cells.append("–" if there is None else f"{there['smallest']:.2f}")
            name = f"**{row['name']}**" if row["components"] else _title(row)
            yield f"| {name} | " + " | ".join(cells) + " |"
        yield ""
        yield "Composites (bold) are plain means, a loss entering as 1 - loss; SAR is that of Caruana and"
        yield "Niculescu-Mizil (2004): accuracy, AUC and 1 - RMSE. The best was chosen among these rows, and its interval"
        yield "does not allow for that. A composite correlates with its own components by"
        yield "identity, so they are left out of its mean correlation; they are among the seven for the smallest"
        yield "one, which they can only make smaller. Brackets hold 95 % basic bootstrap intervals over data sets,"
        yield 'widened to Student\'s t. "Over algorithms" correlates the means of the'
        yield f"{len(self.main.algorithms)} algorithms within each data set: would the number choose the same algorithm as all seven metrics?"
        chosen = max(other["algorithm"].values(), key=lambda r: r["smallest"])
        near = sum(r["smallest_high"] >= chosen["smallest"] for r in other["algorithm"].values())
        yield f"There the best is {_title(chosen)} with {_number(chosen)}, but the intervals of {near - 1} others"
        yield f"of the {len(other['algorithm'])} include that: no number stands out.\n"
        yield from self._rows("a number for all seven", [
            ("smallest correlation of the best metric", f'one["{single["name"]}"]["smallest"]', 2, "future work"),
            ("its interval, from", f'one["{single["name"]}"]["smallest_low"]', 2, "–"),
            ("to", f'one["{single["name"]}"]["smallest_high"]', 2, "–"),
            ("smallest correlation of (ACC + AUC)/2", 'one["accuracy + AUC"]["smallest"]', 2, "–"),
            ("of SAR", 'one["SAR"]["smallest"]', 2, "–"),
            ("of (KAP + 1-RMSE + AUC)/3", 'one["kappa + (1 - RMSE) + AUC"]["smallest"]', 2, "–"),
            ("of (FSC + 1-Brier + AUC)/3, as one of your own", 'one["mine"]["smallest"]', 2, "–"),
            ("the least similar metrics of one group, here", "r.spearman[same].min()", 2, f"{min(_printed(True, 'spearman')):.2f}"),
        ])  # fmt: skip

    def _spread(self, metric: str) -> float:
        """Return the median ratio of a metric's standard deviation to that of accuracy."""
        of = self.results.units_of("repeat")
        at = [self.results.metrics.index(m) for m in (metric, "accuracy")]
        spreads = np.array([of.values[of.cell == c][:, at].std(0) for c in np.unique(of.cell)])
        varied = (spreads > 0).all(1)
        return float(np.median(spreads[varied, 0] / spreads[varied, 1]))

    # -- statement by statement ----------------------------------------------------------------

    def _rows(self, what: str, rows: Sequence[tuple[str, str, int | None, str]]) -> Iterator[str]:
        """Yield a table of statements, each with the number that its command gives."""
        yield f"| {what} | command | tallymark | the paper |"
        yield "|---|---|---|---|"
        for statement, command, digits, theirs in rows:
            value = eval(command, self.names)
            number = f"{value}" if digits is None else f"{value:.{digits}f}"
            yield f"| {statement} | `{command}` | {number} | {theirs} |"
        yield ""

    def _statements(self) -> Iterator[str]:
        four, parts = table4(), self.seven.splits("repeat")
        eigen = [np.linalg.eigvalsh(np.array(four[c]))[0] for c in ("pearson", "spearman")]
        gap = np.abs(np.array(four["pearson"]) - np.array(four["spearman"])).max()
        nine = self._equation9()
        large = _difference(parts["large"], parts["small"])
        uneven = _difference(parts["imbalanced"], parts["balanced"])
        yield "## Statement by statement\n"
        yield from self._rows("section 5: Table 5", [
            ("three groups of metrics", "len(r.groups)", None, "3, the same"),
            ("resamples of the data sets with the same groups", "r.stability()", 2, "–"),
            ("same group: smallest Pearson", "r.pearson[same].min()", 2, f"{min(_printed(True, 'pearson')):.2f}"),
            ("same group: smallest Spearman", "r.spearman[same].min()", 2, "\"greater than 0.77\", but 0.77 is printed (L05)"),
            ("different groups: largest Pearson", "r.pearson[other].max()", 2, "\"less than 0.67\", but 0.67 is printed (L05)"),
            ("different groups: largest Spearman", "r.spearman[other].max()", 2, f"{max(_printed(False, 'spearman')):.2f}"),
            ("mean distance from Table 5, means of repeats", "r.distance(table5())", 3, "the unit is not stated (L09)"),
            ("pooled predictions", "pooled.distance(table5())", 3, "–"),
            ("single folds", "fold.distance(table5())", 3, "–"),
            ("results of each algorithm", "18 * 100", None, "1,800: 10 repeats of 10 folds, or 100 repeats? The distances say repeats (L04)"),
            ("Table 5 is a correlation matrix: smallest eigenvalue", 'np.linalg.eigvalsh(table5()["pearson"])[0]', 3, f"Table 4 has {eigen[0]:.4f} (Pearson) and {eigen[1]:.4f}, below 0 through two-digit rounding alone (L12)"),
        ])  # fmt: skip
        yield from self._rows("section 5: Table 4, house-voting with kNN", [
            ("all coefficients are positive: the smallest", "min(knn.pearson.min(), knn.spearman.min())", 2, "0.17"),
            ("Pearson is \"extremely close\" to Spearman: largest gap", "np.abs(knn.pearson - knn.spearman).max()", 2, f"{gap:.2f} in its own table, KAP and AUC: 0.18 and 0.37 (L06)"),
            ("threshold metrics: smallest Spearman", "knn.spearman[:3, :3].min()", 2, "0.92"),
            ("probability metrics: Spearman", "knn.spearman[3, 4]", 2, "0.82"),
            ("rank metrics: Spearman", "knn.spearman[5, 6]", 2, "0.92"),
            ("different groups: smallest Spearman", "knn.spearman[other].min()", 2, "0.22"),
            ("different groups: largest Spearman", "knn.spearman[other].max()", 2, "0.65"),
            ("threshold metrics: smallest Pearson", "knn.pearson[:3, :3].min()", 2, "0.99"),
            ("probability metrics: Pearson", "knn.pearson[3, 4]", 2, "0.91"),
            ("rank metrics: Pearson", "knn.pearson[5, 6]", 2, "0.95"),
            ("different groups: smallest Pearson", "knn.pearson[other].min()", 2, "0.17"),
            ("different groups: largest Pearson", "knn.pearson[other].max()", 2, "0.65"),
            ("Spearman of ACC and AUC", "knn.spearman[0, 5]", 2, f"0.32; its equation 9 gives {nine:.2f} here: it needs results without ties, which accuracies have. Use Pearson of mid-ranks (L08)"),
        ])  # fmt: skip
        yield from self._rows("section 5: Figures 4 and 5", [
            ("different groups, all data sets: ACC and 1-MAE", "r.pearson[0, 3]", 2, "0.67 in Table 5, but at most 0.65 in every part: impossible if the parts average to the whole (L07)"),
            ("the largest of the four parts", "max(part.pearson[0, 3] for part in s.splits().values())", 2, "at most 0.65"),
            ("different groups: smallest of the parts", "min(part.pearson[other].min() for part in s.splits().values())", 2, "at least 0.05"),
            ("same group: smallest of the parts", "min(part.spearman[same].min() for part in s.splits().values())", 2, "at least 0.75"),
            ("same group: large less small data sets", "large.pearson[same].mean() - small.pearson[same].mean()", 2, f"\"slightly higher\"; {_verdict(large[0], 'higher')}"),
            ("different groups: large less small", "large.pearson[other].mean() - small.pearson[other].mean()", 2, f"\"opposite\", so lower; {_verdict(large[1], 'lower')}"),
            ("balanced against all: largest gap", "np.abs(balanced.pearson - r.pearson).max()", 2, "\"almost the same\"; no limit of balanced is stated, 40 % here (L09)"),
            ("same group: imbalanced less balanced", "imbalanced.pearson[same].mean() - balanced.pearson[same].mean()", 2, f"\"slightly fluctuates\"; 95 % interval {_bounds(uneven[0])}"),
            ("different groups: imbalanced less balanced", "imbalanced.pearson[other].mean() - balanced.pearson[other].mean()", 2, f"the same; {_bounds(uneven[1])}. Other advice for imbalanced data is the authors' opinion: Figure 5 shows no difference (L11)"),
        ])  # fmt: skip
        yield from self._rows("section 5: the advice, at least one metric of each group", [
            ("different groups, within an algorithm: mean Spearman", "r.spearman[other].mean()", 2, f"{np.mean(_printed(False, 'spearman')):.2f}"),
            ("over single folds", "fold.spearman[other].mean()", 2, "not measured: on one test set metrics agree more, because easy rows are easy for all"),
            ("over the algorithms of a data set", "s.between().spearman[other].mean()", 2, "not measured: this decides which algorithm is chosen"),
            ("the same for metrics of one group", "s.between().spearman[same].mean()", 2, "not measured: even metrics of one group would not always choose the same"),
        ])  # fmt: skip
        yield from self._rows("section 4: Table 3", [
            ("Monks2: smaller class, %", 'share["monks2"]', 2, "24.28 (L01)"),
            ("Monks3: larger class, %", '100 - share["monks3"]', 2, "51.90 (L01)"),
            ("Optdigits, 0 to 4 against 5 to 9: smaller class, %", 'share["optdigits"]', 2, "49.79, of ten classes; the split is not stated, and odd against even has another share (L02)"),
        ])  # fmt: skip
        yield f'Of the 18 rows of Table 3, {self._slips()} differ from the files; the table under "Data" has all.'
        yield 'Four errors have no number: "Weka 3.7.61" is 3.7.6 with the mark of an endnote (L03); kappa measures'
        yield "the agreement of a classifier with the truth, not of two classifiers, and equation 6 lacks its root sign"
        yield "(L10); Figure 1's caption begins with that of another paper (L13).\n"

    def _one(self, metric: str) -> Any:
        """Return a metric's means of repeats of the paper's Table 4."""
        r = self.results
        d, a = r.datasets.index(KNN[0]), r.algorithms.index(KNN[1])
        of = (r.dataset == d) & (r.algorithm == a) & (r.fold == 0)
        return r.values[of, r.metrics.index(metric)]

    def _equation9(self) -> float:
        """Return Spearman's rho of accuracy and AUC in Table 4's repeats, by equation 9."""
        accuracy, auc = (self._one(m) for m in ("accuracy", "roc_auc"))
        n, d = len(auc), rankdata(accuracy, "ordinal") - rankdata(auc, "ordinal")
        return 1 - 6 * float((d**2).sum()) / (n * (n**2 - 1))

    # -- tables --------------------------------------------------------------------------------

    def _pairs(self) -> Iterator[str]:
        yield "## Table 5: correlations of 18 data sets\n"
        yield "Correlations within each data set and algorithm, then averaged. Losses enter as 1 - loss. One result"
        yield "is the mean over the folds of a repeat, a repeat's pooled predictions, or a single fold; the paper"
        yield "does not say which.\n"
        printed = table5()
        heads = "".join(f" {unit} |" for unit in self.units)
        for name, what in (("pearson", "Pearson"), ("spearman", "Spearman")):
            yield f"### {what}\n"
            yield f"| pair | paper |{heads} 95 % interval (repeat) |"
            yield "|---|---|" + "---|" * (len(self.units) + 1)
            for row in self.main.pairs():
                i, j = FIRST.index(row["a"]), FIRST.index(row["b"])
                cells = [f"{printed[name][i][j]:.2f}"]
                cells += [f"{getattr(r, name)[i, j]:.2f}" for r in self.units.values()]
                cells.append(f"{row[name + '_low']:.2f} to {row[name + '_high']:.2f}")
                yield f"| {SHORT[row['a']]} – {SHORT[row['b']]} | " + " | ".join(cells) + " |"
            yield ""

    def _table4(self) -> Iterator[str]:
        printed = table4()
        cell = self.main.only(datasets=[KNN[0]], algorithms=[KNN[1]])
        held = 0
        rows = []
        for row in cell.pairs():
            i, j = FIRST.index(row["a"]), FIRST.index(row["b"])
            cells = []
            for name in ("pearson", "spearman"):
                theirs, low, high = printed[name][i][j], row[f"{name}_low"], row[f"{name}_high"]
                held += low - 0.005 <= theirs <= high + 0.005
                cells += [f"{theirs:.2f}", f"{row[name]:.2f} ({low:.2f} to {high:.2f})"]
            rows.append(f"| {SHORT[row['a']]} – {SHORT[row['b']]} | " + " | ".join(cells) + " |")
        yield "## Table 4: house-voting with the nearest neighbour\n"
        yield f"Means over the folds of {cell.results[0]} repeats, with Fisher's 95 % intervals over repeats. Of the 42"
        yield f"printed numbers {held} lie in them (within rounding). The nearest neighbour here follows Weka's rules:"
        yield "all equally near rows vote, their votes are smoothed a little, and a missing value is as far away as"
        yield "it can be.\n"
        yield "| pair | Pearson, paper | Pearson | Spearman, paper | Spearman |"
        yield "|---|---|---|---|---|"
        yield from rows
        yield ""

    def _units(self) -> Iterator[str]:
        yield "## The unit of analysis decides\n"
        yield "| one result is | mean distance from Table 5 | from Table 4 | mean within groups | mean across groups |"
        yield "|---|---|---|---|---|"
        distances = {}
        for unit, r in self.units.items():
            distances[unit] = r.distance(table5())
            four = r.only(datasets=[KNN[0]], algorithms=[KNN[1]]).distance(table4())
            yield f"| {UNITS[unit]} | {distances[unit]:.3f} | {four:.3f} | {_mean(r, True):.2f} | {_mean(r, False):.2f} |"
        best = min(distances, key=lambda u: distances[u])
        fold, repeat = (_mean(self.units[u], False) for u in ("fold", "repeat"))
        yield ""
        yield "The means are over the pairs of the paper's three groups, Pearson's and Spearman's together."
        yield f"Over single folds, metrics of different groups correlate {fold:.2f} on average; over means of"
        yield f"repeats, {repeat:.2f}. All metrics of one fold are counted on the same few test rows: a fold with"
        yield "hard rows is bad by every metric, and that alone makes metrics correlate. Every repeat tests every"
        yield "row once, so its mean has no easy or hard rows; what remains is how the metrics respond to other"
        yield f"training rows. The closest to Table 5 is {UNITS[best]}.\n"
        yield "So the three groups describe how metrics respond to another shuffle of the training data, not to"
        yield "other test rows. If you compare models on one test set, the correlations of folds apply: there the"
        yield "groups differ less, because an easy or a hard sample moves all metrics at once.\n"

    def _groups(self) -> Iterator[str]:
        yield "## Groups found\n"
        yield "Hierarchical clustering of the metrics, cut where the clusters are clearest.\n"
        yield "| one result is | groups | the same groups when data sets are resampled |"
        yield "|---|---|---|"
        for unit, r in self.units.items():
            yield f"| {UNITS[unit]} | {_listed(r)} | {100 * r.stability():.0f} % |"
        yield ""

    def _parts(self) -> Iterator[str]:
        s = self.seven
        yield "## Figures 4 and 5: large and small, balanced and imbalanced data sets\n"
        yield f"Large is from {s.large:,} rows on, as in the paper; balanced from {100 * s.balanced:.0f} % of the smaller class on:"
        yield f"the paper states no limit. Means over repeats, of which the large data sets have {LARGE_REPEATS} and the small ones 100: fewer"
        yield "repeats lower rank correlations, as the last row shows, and make up part of the difference. The intervals of differences above are Welch's, over data sets.\n"
        yield "| data sets | how many | mean within groups | mean across groups | distance from Table 5 |"
        yield "|---|---|---|---|---|"
        for name, r in {**s.splits("repeat"), **self._thinned()}.items():
            yield f"| {name} | {len(r.datasets)} | {_mean(r, True):.2f} | {_mean(r, False):.2f} | {r.distance(table5()):.3f} |"
        yield ""

    def _thinned(self) -> dict[str, Any]:
        """Return the relations of the small data sets over as many repeats as the large ones have."""
        with lzma.open(TABLE, "rt", encoding="utf-8") as table:
            rows = [line for line in csv.DictReader(table) if int(line["repeat"]) < LARGE_REPEATS]
        texts = {key: [line[key] for line in rows] for key in rows[0]}
        columns = {
            key: given
            if key in ("dataset", "algorithm")
            else [float(v) if v else None for v in given]
            for key, given in texts.items()
        }
        few = Study(read_results(columns, FIRST), "repeat").splits("repeat")["small"]
        return {f"small, {LARGE_REPEATS} repeats": few}

    def _material(self) -> Iterator[str]:
        r, fold = self.results, self.units["fold"]
        counts = dict(zip(self.main.cells, self.main.results, strict=True))
        yield "## Data\n"
        yield "Bold: a number that Table 3 prints differently (its number in brackets).\n"
        yield "| data set | rows | features | smaller class | larger class | repeats of 10 folds |"
        yield "|---|---|---|---|---|---|"
        for name in sorted(r.datasets, key=lambda d: r.rows[r.datasets.index(d)]):
            repeats = max(n for (of, _), n in counts.items() if of == name)
            rows = int(r.rows[r.datasets.index(name)])
            yield f"| {name} | {rows:,} | " + " | ".join(self._facts(name)) + f" | {repeats} |"
        yield ""
        yield "The first class of each ARFF header is the positive one, as in Weka. Two tables hold the results:"
        yield f"[{TABLE.name}](data/{TABLE.name}) has two lines per repeat, the mean over its folds (as `fold` 0) and its"
        yield f"pooled predictions (no `fold`); [{FOLDS.name}](data/{FOLDS.name}) has the single folds of the first"
        yield f"{FOLD_REPEATS} repeats, {sum(fold.results):,} in all, for the seven metrics and the Brier score. Every number for single folds"
        yield "comes from the second table, every other number from the first. Values are rounded: of the seven metrics"
        yield "no rank within a data set and algorithm changes, of the others by one in a hundred at most."
        yield "`make measure WHAT=liu2014-page` regenerates this page from the tables in seconds; `make measure WHAT=liu2014`"
        yield "trains the models first (hours) and resumes a stopped run.\n"

    def _facts(self, name: str) -> tuple[str, ...]:
        """Return features and shares of the classes, and what Table 3 prints otherwise."""
        share = 100 * self.results.minority[self.results.datasets.index(name)]
        printed, features, low, high = TABLE3[name]
        return (_printed_as(features, printed, "d"), _printed_as(share, low, ".2f"),
                _printed_as(100 - share, high, ".2f"))  # fmt: skip

    def _slips(self) -> int:
        return sum("**" in "".join(self._facts(name)) for name in self.results.datasets)

    def _left_out(self) -> Iterator[str]:
        r = self.main
        constant = int(r._cell_constant.any((1, 2)).sum())
        yield "## What was left out\n"
        yield f"Metrics that are the same in every repeat have no correlation: of {len(r.cells)} pairs of"
        yield f"data set and algorithm, {constant} have such metrics (a classifier that is always right, as on the"
        yield "mushrooms). They are skipped, and each average is over the others; Weka counts them as 1. The log loss"
        yield "of a fold is infinite if a certain prediction is wrong; the mean is then over the other folds."


NAMES = """
>>> import numpy as np
>>> import tallymark as tm
>>> from tallymark.parts.relations.study import table5
>>> every = tm.study("docs/data/liu2014.csv.xz", composites={"mine": ["f1", "brier", "roc_auc"]})
>>> one = {row["name"]: row for row in every.representatives()}
>>> seven = ["accuracy", "kappa", "f1", "mae", "rmse", "roc_auc", "average_precision"]
>>> s = tm.study("docs/data/liu2014.csv.xz", metrics=seven)
>>> r = s.relations()  # one result is the mean over the folds of a repeat
>>> pooled = s.relations("pooled")  # the pooled predictions of a repeat
>>> fold = tm.study("docs/data/liu2014-folds.csv.xz", "fold", metrics=seven).relations()
>>> knn = r.only(["house-voting"], ["ibk"])  # the paper's Table 4
>>> large, small, balanced, imbalanced = s.splits().values()
>>> group = np.array([0, 0, 0, 1, 1, 2, 2])  # the paper's
>>> same, other = np.equal.outer(group, group) & ~np.eye(7, dtype=bool), np.not_equal.outer(group, group)
>>> share = dict(zip(s.results.datasets, 100 * s.results.minority))
"""

PLOT = """
import matplotlib.pyplot as plt
import tallymark as tm

rows = list(tm.study("data/liu2014.csv.xz").representatives())[::-1]
fig, ax = plt.subplots(figsize=(7, 6.5))
for i, row in enumerate(rows):
    color = "C1" if row["components"] else "C0"
    ax.plot([row["smallest_low"], row["smallest_high"]], [i, i], color=color)
    ax.plot(row["smallest"], i, "o", color=color)
ax.set_yticks(range(len(rows)), [row["name"] for row in rows])
ax.set_xlabel("smallest rank correlation with the seven metrics (95 % interval)")
fig.tight_layout()
"""


def _opening() -> Iterator[str]:
    yield "# Liu, Zhou, Wen & Tang: is one metric enough?\n"
    yield "For readers of the study, and for choosing metrics that do not repeat each other."
    yield "Y. Liu, Y. Zhou, S. Wen and C. Tang (2014), *A Strategy on Selecting Performance Metrics for Classifier"
    yield "Evaluation*, correlate seven metrics over 18 data sets and 8 algorithms and find three groups: metrics of"
    yield "decisions (ACC, KAP, FSC), of probabilities (1-MAE, 1-RMSE) and of the ranking (AUC, AUPRC). This page"
    yield "repeats the study with models of scikit-learn, and three of its own after Weka's rules, in place of"
    yield "Weka's, and measures what the paper leaves as future work. (L01) and the like are the entries of the"
    yield "[errata](#errata). The commands run in the root of a clone and use these names:\n"
    yield "```python"
    yield from NAMES.strip().split("\n")
    yield ""
    yield "```\n"
    yield "`tallymark study TABLE` makes the same analysis of any table of results, as a page with `-o`:\n"
    yield "```"
    yield "tallymark study docs/data/liu2014.csv.xz --composite mine=f1+brier+roc_auc"
    yield "```\n"


def _algorithms() -> Iterator[str]:
    yield "## Algorithms\n"
    yield "| here | in Weka | differs in |"
    yield "|---|---|---|"
    for a in ALGORITHMS.values():
        yield f"| {a.name} | {a.weka} | {a.differs} |"
    yield ""


# -- numbers -----------------------------------------------------------------------------------


def _values(r: Relations, same: bool | None, coefficient: str) -> list[float]:
    """Return the correlations of pairs in the paper's groups, across them, or of all pairs."""
    group = {m: i for i, part in enumerate(GROUPS) for m in part}
    return [row[coefficient] for row in r.pairs()
            if same is None or (group[row["a"]] == group[row["b"]]) == same]  # fmt: skip


def _both(r: Relations, same: bool | None) -> list[float]:
    return [*_values(r, same, "pearson"), *_values(r, same, "spearman")]


def _mean(r: Relations, same: bool) -> float:
    return float(np.nanmean(_both(r, same)))


def _printed(same: bool, *coefficients: str) -> list[float]:
    """Return the correlations of Table 5 in or across the groups."""
    group = np.repeat([0, 1, 2], [len(g) for g in GROUPS])
    wanted = (np.equal.outer(group, group) == same)[np.triu_indices(7, 1)]
    return [v for c in coefficients or ("pearson", "spearman")
            for v in np.array(table5()[c])[np.triu_indices(7, 1)][wanted]]  # fmt: skip


def _difference(one: Relations, other: Relations) -> list[tuple[float, float, float]]:
    """Return how much higher the first correlate, in groups and across, with Welch's intervals."""
    out = []
    for same in (True, False):
        means = [
            [np.nanmean(_values(r.only(datasets=[d]), same, "pearson")) for d in r.datasets]
            for r in (one, other)
        ]
        test = ttest_ind(*means, equal_var=False)
        interval = test.confidence_interval()
        out.append((np.mean(means[0]) - np.mean(means[1]), interval.low, interval.high))
    return out


def _bounds(of: tuple[float, float, float]) -> str:
    return f"{of[1]:.2f} to {of[2]:.2f}"


def _verdict(of: tuple[float, float, float], claim: str) -> str:
    """Return whether a difference is as claimed, by its interval."""
    included = of[1] <= 0 <= of[2]
    confirmed = (of[0] > 0) == (claim == "higher")
    words = "not shown" if included else "confirmed" if confirmed else "refuted"
    return f"{words} here, 95 % interval {_bounds(of)}"


def _printed_as(value: float, printed: float, form: str) -> str:
    text = format(value, form)
    return text if text == format(printed, form) else f"**{text}** ({printed:{form}})"


def _listed(r: Relations) -> str:
    return "; ".join(", ".join(SHORT[m] for m in g) for g in r.groups)


def _by_name(rows: Any) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


def _title(row: Mapping[str, Any], key: str = "name") -> str:
    return SHORT.get(row[key], title(row[key]))


def _number(row: Mapping[str, Any], name: str = "smallest") -> str:
    return f"{row[name]:.2f} ({row[name + '_low']:.2f} to {row[name + '_high']:.2f})"


def _against(row: Mapping[str, Any], bar: float) -> str:
    """Return where an interval lies from the bar."""
    if row["smallest_high"] < bar:
        return ": below the bar"
    return ": above the bar" if row["smallest_low"] >= bar else ": the interval includes the bar"


@cache
def text() -> str:
    """Return the page, from the tables in docs/data, with the errata at its end."""
    return "\n".join(Chapter().lines()) + "\n\n" + ERRATA.read_text("utf-8")


def main() -> None:
    """Run what is asked for, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--repeats", type=int, default=100, help="of the small data sets")
    parser.add_argument(
        "--large", type=int, default=LARGE_REPEATS, help="repeats of the large ones"
    )
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "liu2014.csv")
    given = parser.parse_args()
    if given.folder is not None:
        keep(experiment(given.folder, given.results, given.repeats, given.large, given.jobs))
    PAGE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
