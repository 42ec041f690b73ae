"""Measure how often intervals cover the truth: python -m benchmarks.coverage [-o docs/coverage.md].

A cell is a population, a number of rows and a prevalence. Its samples are subgroups of one
evaluation, so that all of them pass the core as one stack. Finished cells are kept in a folder:
the same command continues where it was stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np

import tallymark as tm
from benchmarks.pages import write_page
from benchmarks.populations import POPULATIONS, TAILS, Population, Rows
from benchmarks.simulation import LEVEL, Count, write_json
from tallymark.metric import get
from tallymark.metric.measure import Value

ROWS = (30, 100, 500, 2000)
PREVALENCES = (0.5, 0.1, 0.02)
ENOUGH = 10
"""Rows of the smaller class to be expected from which an interval is held to its level."""

LOW, HIGH, LEAST = 0.93, 0.97, 0.90
"""What coverage is held to with enough rows, and the least for rates of few rows."""

COMPARED = (
    "roc_auc", "partial_roc_auc", "average_precision", "brier", "log_loss", "sensitivity", "f1",
    "matthews_corrcoef", "balanced_accuracy",
)  # fmt: skip
OF_SIZE = (
    "chi_square", "hosmer_lemeshow", "spiegelhalter_z", "max_calibration_error",
    "precision_at_k", "recall_at_k",
)  # fmt: skip
"""Numbers that depend on how many rows there are, so that very many rows have another value."""

METHODS = ("delong", "delong-logit", "bca", "percentile")
"""Methods beside the one that is chosen, on the numbers above."""

EVERY = POPULATIONS | {name: tail.population for name, tail in TAILS.items()}

AS_ROWS = "rows"
"""Stands for intervals that take rows of clusters as independent."""


@dataclass(frozen=True)
class Cell:
    """One population, one size of sample and one prevalence."""

    population: str
    rows: int
    prevalence: float

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.population.replace(' ', '-')}-{self.rows}-{self.prevalence:g}"

    @property
    def rarest(self) -> float:
        """Rows of the smallest class to be expected."""
        if EVERY[self.population].classes > 2:
            return self.rows * (0.2 if self.prevalence == 0.5 else 0.05)
        return self.rows * min(self.prevalence, 1 - self.prevalence)


def cells() -> list[Cell]:
    """Return those cells in which a sample has a positive more often than not.

    Five classes are even or skewed, and have no third prevalence.
    """
    every = (Cell(*c) for c in product(POPULATIONS, ROWS, PREVALENCES))
    return [
        c for c in every
        if c.rarest >= 1 and not (c.prevalence < 0.1 and POPULATIONS[c.population].classes > 2)
    ]  # fmt: skip


def tails() -> list[Cell]:
    """Return the cells of clusters of unequal size, heavy tails and few rows of one kind."""
    return [Cell(name, n, tail.prevalence) for name, tail in TAILS.items() for n in tail.rows]


Found = dict[str, Count]
"""Counts by the number, and by the number and the method: ``roc_auc`` and ``roc_auc delong``."""


# -- simulating ----------------------------------------------------------------------------------


def simulate(cell: Cell, truth: Mapping[str, float], runs: int, by_methods: int) -> Found:
    """Return the counts of every metric over samples of one cell.

    What is chosen by itself is tried on ``runs`` samples, every method on the first ``by_methods``.
    """
    population = EVERY[cell.population]
    rng = np.random.default_rng([cell.rows, int(cell.prevalence * 1000), *cell.population.encode()])
    samples = [population.rows(rng, cell.rows, cell.prevalence) for _ in range(runs)]
    known = [name for name, value in truth.items() if not math.isnan(value)]
    asked = TAILS[cell.population].numbers if cell.population in TAILS else known
    found = {name: Count() for name in known if name in asked and name not in OF_SIZE}
    for values in _values(population, samples, cell.prevalence, list(found)):
        for name, count in found.items():
            v = values[name]
            count.add(v.low, v.high, truth[name], v.warning is not None)
    if population.classes == 2:
        for sample in samples[:by_methods]:
            for name, method, value in _by_methods(population, sample, cell.prevalence):
                count = found.setdefault(f"{name} {method}", Count())
                count.add(value.low, value.high, truth[name], value.warning is not None)
    return found


def _values(
    population: Population, samples: list[Rows], prevalence: float, names: list[str]
) -> Iterator[Mapping[str, Value]]:
    """Return the values of every sample that has rows of two classes."""
    whole = [s for s in samples if len(set(s["y_true"].tolist())) > 1]
    if population.clustered:
        for sample in whole:
            ev = population.evaluate(sample, prevalence, level=LEVEL)
            yield {name: ev.value(name) for name in names}
        return
    rows = {name: np.concatenate([s[name] for s in whole]) for name in whole[0]}
    index = np.repeat(np.arange(len(whole)), [len(s["y_true"]) for s in whole])
    ev = population.evaluate(rows, prevalence, level=LEVEL, subgroup={"sample": index})
    yield from ev.by("sample").values(names).values()


def _by_methods(
    population: Population, sample: Rows, prevalence: float
) -> Iterator[tuple[str, str, Value]]:
    if len(set(sample["y_true"].tolist())) < 2:
        return
    if population.clustered:
        alone = {name: column for name, column in sample.items() if name != "cluster"}
        values = population.evaluate(alone, prevalence, level=LEVEL).values()["model"]
        yield from ((name, AS_ROWS, values[name]) for name in COMPARED)
        return
    ev = population.evaluate(sample, prevalence, level=LEVEL)
    for name, method in product(COMPARED, METHODS):
        with contextlib.suppress(tm.InputError):  # that the method does not serve the number
            value = ev.value(name, method=method)
            if not value.reason:
                yield name, method, value


def run(folder: Path, chosen: Iterable[Cell], runs: int, by_methods: int) -> dict[Cell, Found]:
    """Simulate cells side by side, the largest first, but those that the folder holds."""
    folder.mkdir(parents=True, exist_ok=True)
    order = sorted(chosen, key=lambda c: -c.rows * EVERY[c.population].classes)
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        populations = {(c.population, c.prevalence) for c in order}
        list(pool.map(_truth, [folder] * len(populations), populations))
        n = len(order)
        found = pool.map(_kept, [folder] * n, order, [runs] * n, [by_methods] * n)
        return dict(zip(order, found, strict=True))


def _truth(folder: Path, of: tuple[str, float]) -> dict[str, float]:
    """Return the true values of a population at a prevalence, found once."""
    file = folder / f"truth-{of[0].replace(' ', '-')}-{of[1]:g}.json"
    if not file.exists():
        write_json(file, EVERY[of[0]].truth(of[1]))
    values: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return values


def _kept(folder: Path, cell: Cell, runs: int, by_methods: int) -> Found:
    """Return the counts of a cell, from the folder if it was finished by the same settings."""
    file = folder / f"{cell.name}.json"
    if file.exists():
        held = json.loads(file.read_text(encoding="utf-8"))
        if held["settings"] == [runs, by_methods]:
            return {name: Count(**count) for name, count in held["found"].items()}
    truth = _truth(folder, (cell.population, cell.prevalence))
    found = simulate(cell, truth, runs, by_methods)
    counts = {name: asdict(count) for name, count in found.items()}
    write_json(file, {"settings": [runs, by_methods], "found": counts})
    print(cell.name, flush=True)
    return found


# -- the page ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """The intervals of one number in one cell."""

    cell: Cell
    metric: str
    count: Count

    @property
    def enough(self) -> bool:
        """Whether the interval is held to its level."""
        return self.cell.rarest >= ENOUGH

    @property
    def rate(self) -> bool:
        """Whether it is a proportion of whole rows, whose coverage jumps from row to row."""
        return get(self.metric)._sampling.proportion is not None

    @property
    def verdict(self) -> str:
        """Return "below" or "above" where chance does not explain that it is, else ""."""
        low, high = self.count.bounds
        least = LEAST if self.rate else LOW
        return "below" if high < least else "above" if low > HIGH else ""

    @property
    def warned(self) -> float:
        """The share of samples where the number itself carries a warning."""
        return self.count.warned / max(self.count.made, 1)

    def row(self) -> str:
        """Return a line of a table."""
        c = self.count
        made = max(c.made, 1)
        missed = f"{100 * c.below / made:.0f} / {100 * c.above / made:.0f}"
        return (
            f"| {self.metric} | {self.cell.population} | {self.cell.rows:,} "
            f"| {self.cell.prevalence:.0%} | {c.told} | {missed} | {self.warned:.0%} |"
        )


HEADS = [
    "| number | population | rows | prevalence | coverage, % | truth above / below, % | warned |",
    "|---|---|---|---|---|---|---|",
]


def lines_of(found: Mapping[Cell, Found]) -> list[Line]:
    """Return the numbers of all cells that got intervals of what is chosen by itself."""
    return [
        Line(cell, name, count)
        for cell, counts in found.items()
        for name, count in counts.items()
        if " " not in name and count.made >= count.none
    ]


def page(
    found: Mapping[Cell, Found], of_tails: Mapping[Cell, Found], runs: int, by_methods: int
) -> list[str]:
    """Return the page's lines as Markdown."""
    every = lines_of(found)
    return [
        *_head(every, runs),
        *_populations(),
        *_outside(every),
        *_warnings(every),
        *_by_metric(every),
        *_beside(found, by_methods),
        *_in_clusters(found, by_methods),
        *_in_tails(of_tails),
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none"


HEAD = """With {enough} rows or more of the smaller class, such as patients with the disease, trust
a 95 % interval{exceptions}: of {held:,} numbers {inside} lay in theirs in {low:.0%} to
{high:.0%} of samples, {above} more often, and {below} numbers less often. Do not rely on a
number that carries a warning: {warned} of those {below} carry one in nine of ten samples.
With fewer rows a number is at least as uncertain as its interval says: {poor} of {few:,} lay in
theirs in less than {least:.0%} of samples, {told} of them with a warning."""

DESIGN = """`make measure WHAT=coverage` (`python -m benchmarks.coverage -o docs/coverage.md`)
writes this page,
and goes on where it was stopped. A cell is one of {populations} populations, {rows}
numbers of rows and {shares} shares of positives; these {cells} expect {rarest:g} or more
rows of the smaller class. Five classes are even (50%) or skewed (10%: the rarest has 5%).
Each cell has {runs:,} samples, less those with rows of one class alone. Intervals are of
the level 95 %, of every metric that has one but {of_size}, which depend on how many
rows there are. A coverage counts as more or less often where its 99.9 % interval (Clopper-Pearson)
lies beyond the limits; the per cent of samples without an interval is in brackets."""


ANYWHERE = 3
"""Populations in which a number is too low from which on they are not named one by one."""


def _exceptions(below: Iterable[Line]) -> str:
    """Return the numbers that are too low, by the populations in which they are."""
    where: dict[str, set[str]] = {}
    for line in below:
        where.setdefault(line.metric, set()).add(line.cell.population)
    metrics: dict[str, list[str]] = {"several populations": []}
    metrics |= {name: [] for name in EVERY}
    for metric, populations in sorted(where.items()):
        several = len(populations) >= ANYWHERE
        for population in ["several populations"] if several else populations:
            metrics[population].append(metric)
    parts = [f"in {place}: {', '.join(names)}" for place, names in metrics.items() if names]
    return f", except {'; '.join(parts)}" if parts else ""


def _head(every: list[Line], runs: int) -> list[str]:
    held, few = ([v for v in every if v.enough == e] for e in (True, False))
    below, above = ([v for v in held if v.verdict == w] for w in ("below", "above"))
    poor = [v for v in few if v.count.coverage < LEAST]
    head = HEAD.format(
        enough=ENOUGH, exceptions=_exceptions(below),
        held=len(held), low=LOW, high=HIGH, least=LEAST, below=len(below),
        inside=_share(len(held) - len(below) - len(above), len(held)), few=len(few),
        above=_share(len(above), len(held)), warned=sum(v.warned >= 0.9 for v in below),
        poor=len(poor), told=sum(v.warned >= 0.9 for v in poor),
    )  # fmt: skip
    cells = {v.cell for v in every}
    design = DESIGN.format(
        populations=len(POPULATIONS), rows=len(ROWS), shares=len(PREVALENCES), cells=len(cells),
        rarest=min((c.rarest for c in cells), default=0), runs=runs, of_size=", ".join(OF_SIZE),
    )  # fmt: skip
    title = "# How often intervals contain the true value"
    return [
        title,
        "",
        textwrap.fill(head, 98, break_on_hyphens=False),
        "",
        textwrap.fill(design, 98, break_on_hyphens=False),
    ]


def _populations() -> list[str]:
    titles = [f"| {name} | {p.title} |" for name, p in POPULATIONS.items()]
    return ["", "| population | scores |", "|---|---|", *titles]


def _table(title: str, rows: list[Line], most: int = 60) -> list[str]:
    if not rows:
        return ["", f"{title}: none."]
    worst = sorted(rows, key=lambda v: v.count.coverage)[:most]
    more = [f"and {len(rows) - most} more."] if len(rows) > most else []
    return ["", f"{title}:", "", *HEADS, *(v.row() for v in worst), *more]


def _outside(every: list[Line]) -> list[str]:
    held = [v for v in every if v.enough]
    rates = [v for v in held if v.rate]
    smooth = [v for v in held if not v.rate]
    lines = ["", f"## With {ENOUGH} rows of the smaller class or more"]
    for what, some in (("numbers that change smoothly", smooth), ("rates", rates)):
        mean = np.mean([v.count.coverage for v in some]) if some else math.nan
        least = min((v.count.coverage for v in some), default=math.nan)
        above = sum(v.verdict == "above" for v in some)
        lines += [
            "",
            f"Of {len(some):,} {what}: mean coverage {mean:.1%}, least {least:.1%}; "
            f"{sum(v.verdict == 'below' for v in some)} too low, {above} above {HIGH:.0%}.",
        ]
    lines += [
        "",
        f"Too low is less than {LOW:.0%}, of rates less than {LEAST:.0%}: their coverage jumps as",
        'one row more or less is a hit. `method="clopper-pearson"` never covers less than its',
        "level.",
    ]
    return lines + _table("Too low", [v for v in held if v.verdict == "below"])


def _warnings(every: list[Line]) -> list[str]:
    bad = [v for v in every if v.verdict == "below"]
    good = [v for v in every if not v.verdict]
    silent = [v for v in bad if v.warned < 0.9]
    loud = [v for v in good if v.warned > 0.1]
    return [
        "",
        "## Warnings",
        "",
        f"Of {len(bad)} numbers that are too low, whatever the rows, {len(bad) - len(silent)} "
        f"carry a warning in nine of ten samples; of {len(good):,} within the limits {len(loud)} "
        "carry one in more than one of ten.",
        *_table("Too low, without a warning in nine of ten samples", silent),
        *_table("Within the limits, with a warning in more than one of ten", loud),
    ]


def _by_metric(every: list[Line]) -> list[str]:
    lines = [
        "",
        "## Every number",
        "",
        f"Coverage in % over all cells with {ENOUGH} rows of the smaller class or more: mean,",
        "least and most; the share of cells above 99 %; and the mean with fewer rows.",
        "",
        "| number | mean | least | most | cells above 99 % | mean of few rows |",
        "|---|---|---|---|---|---|",
    ]
    for name in sorted({v.metric for v in every}):
        many, few = ([100 * v.count.coverage for v in every if v.metric == name and v.enough == e]
                     for e in (True, False))  # fmt: skip
        if many:
            wide = sum(c > 99 for c in many)
            of_few = f"{np.mean(few):.1f}" if few else "-"
            lines.append(
                f"| {name} | {np.mean(many):.1f} | {min(many):.0f} | {max(many):.0f} "
                f"| {wide} of {len(many)} | {of_few} |"
            )
    return lines


def _beside(found: Mapping[Cell, Found], by_methods: int) -> list[str]:
    lines = [
        "",
        "## Beside other methods",
        "",
        f"Coverage in % over the cells with {ENOUGH} rows of the smaller class or more, mean and",
        f"least, of {by_methods:,} samples each, and the mean width beside that of what is chosen.",
        "",
        "| number | method | mean | least | width |",
        "|---|---|---|---|---|",
    ]
    for name in COMPARED:
        for method in ("", *METHODS):
            key = f"{name} {method}".strip()
            many = [f for c, f in found.items() if c.rarest >= ENOUGH and key in f]
            pairs = [(f[key], f[name]) for f in many if f[key].made and f[name].width > 0]
            if pairs:
                covers = [100 * a.coverage for a, _ in pairs]
                widths = [a.width / a.made / (b.width / b.made) for a, b in pairs]
                lines.append(f"| {name} | {method or 'chosen'} | {np.mean(covers):.1f} "
                             f"| {min(covers):.0f} | {np.mean(widths):.2f} |")  # fmt: skip
    return lines


def _in_clusters(found: Mapping[Cell, Found], by_methods: int) -> list[str]:
    """Return the section that docs/clusters.md points to, under this very heading."""
    lines = [
        "",
        "## Rows in clusters",
        "",
        "Coverage in % of intervals that take clusters as independent, and, of "
        f"{by_methods:,} samples, of those that take their rows as independent.",
        "",
        "| number | rows | prevalence | clusters | as independent rows |",
        "|---|---|---|---|---|",
    ]
    for cell, counts in found.items():
        if POPULATIONS[cell.population].clustered:
            lines += [
                f"| {name} | {cell.rows:,} | {cell.prevalence:.0%} | {counts[name].told} "
                f"| {counts[f'{name} {AS_ROWS}'].told} |"
                for name in COMPARED
                if f"{name} {AS_ROWS}" in counts
            ]
    return lines


def _in_tails(found: Mapping[Cell, Found]) -> list[str]:
    lines = [
        Line(cell, name, counts[name])
        for cell, counts in found.items()
        for name in TAILS[cell.population].numbers
        if name in counts
    ]
    if not lines:
        return []
    titles = [f"| {name} | {EVERY[name].title} |" for name in {v.cell.population: 0 for v in lines}]
    return [
        "",
        "## Clusters of unequal size, heavy tails, unequal rates and few negatives",
        "",
        "| population | what it is |",
        "|---|---|",
        *titles,
        "",
        'In brackets the per cent of samples without an interval; "-" where none has one.',
        "",
        *HEADS,
        *(v.row() for v in lines),
    ]


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--runs", type=int, default=200, help="samples of what is chosen by itself")
    parser.add_argument("--by-methods", type=int, default=20, help="samples of every method")
    parser.add_argument("--only", nargs="*", default=EVERY, choices=list(EVERY))
    parser.add_argument("--rows", nargs="*", type=int, default=ROWS, help="of POPULATIONS")
    parser.add_argument("--folder", type=Path, default=Path("out/coverage"), help="finished cells")
    asked = parser.parse_args()
    chosen = [c for c in cells() if c.population in asked.only and c.rows in asked.rows]
    found = run(asked.folder, chosen, asked.runs, asked.by_methods)
    of_tails = run(asked.folder, [c for c in tails() if c.population in asked.only], asked.runs, 0)
    text = "\n".join([*page(found, of_tails, asked.runs, asked.by_methods), ""])
    if asked.output:
        write_page(asked.output, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
