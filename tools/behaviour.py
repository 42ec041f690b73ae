"""Draw how every metric behaves: the pictures of docs/metrics.md, made when the site is built."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import norm

from tallymark.metric import METRICS, Metric
from tallymark.metric.skew import balance
from tallymark.metric.skew import in_words as balance_in_words
from tallymark.part import tally_of
from tallymark.report.artists import DASHES, PALETTE
from tallymark.report.subjects.evaluation import FAMILIES
from tallymark.tally.arrays import Floats
from tallymark.tally.labels import Counts
from tallymark.tally.role_tally import RoleTally
from tallymark.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS = 1000
"""How many rows a population has: some metrics depend on it, such as chi-square."""

PREVALENCES = np.linspace(0.01, 0.99, 99)
RATES = {
    "TPR 0.9, TNR 0.9": (0.9, 0.9),
    "TPR 0.7, TNR 0.8": (0.7, 0.8),
    "guessing: 0.5, 0.5": (0.5, 0.5),
}
"""The classifiers whose decisions are judged at every prevalence."""

SEPARATIONS = np.linspace(0, 4, 41)
GRID = np.linspace(-5, 9, 1401)
INNER = np.linspace(-4, 5.5, 381)
SHARES = {"50 % positive": 0.5, "10 % positive": 0.1, "1 % positive": 0.01}
NUMBERS = np.array([1.0, 10.0, 100.0])
"""Numbers of rows, such as their effort, whatever the class: a third of the rows each."""

FACTORS = np.logspace(-2, 2, 41, base=2.0)
DISTANCE = 1.5
"""How far apart the classes are whose probabilities are made too sharp or too flat."""

FEW_SEPARATIONS = np.linspace(0, 4, 17)
CLASSES = {"even": (1 / 3, 1 / 3, 1 / 3), "80, 15 and 5 %": (0.8, 0.15, 0.05)}
MOST_LINEAR = 1e4
"""Higher values of a metric without a bound stand on a logarithmic axis."""

LABELS_IN_A_ROW = 3
"""Names of lines side by side below a picture."""

LABELS = 5
"""Labels of a row that may have several."""


@dataclass(frozen=True)
class Behaviour:
    """The values of a metric (one array a line) along x."""

    x: np.ndarray[Any, Any]
    axis: str
    lines: Mapping[str, np.ndarray[Any, Any]]


@cache
def behaviour(metric: Metric) -> Behaviour:
    """Return how a metric behaves on populations that are known.

    >>> made = behaviour(METRICS["precision"])
    >>> made.axis, made.lines["TPR 0.7, TNR 0.8"][made.x == 0.5].round(3).tolist()
    ('prevalence', [0.778])
    """
    needs = metric._needs
    if needs in ("counts", "matrix"):
        return Behaviour(PREVALENCES, "prevalence", _of_decisions(metric))
    if needs == "ranking":
        return Behaviour(SEPARATIONS, "separation d′", _of_ranking(metric))
    if metric.family == "probability":
        of = _of_three_sharpened if needs == "rows" else _of_probabilities
        return Behaviour(FACTORS, "log odds times", of(metric))
    of = _of_label_sets if needs.startswith("label_") else _of_three_classes
    return Behaviour(FEW_SEPARATIONS, "separation d′", of(metric))


def _of_decisions(metric: Metric) -> dict[str, Any]:
    lines = {}
    for name, (tpr, tnr) in RATES.items():
        p, n = ROWS * PREVALENCES, ROWS * (1 - PREVALENCES)
        c = Counts(tp=tpr * p, fp=(1 - tnr) * n, fn=(1 - tpr) * p, tn=tnr * n)
        lines[name] = metric.compute(c if metric._needs == "counts" else c.matrix())
    return lines


def _of_ranking(metric: Metric) -> dict[str, Any]:
    if metric.name == "initial_false_alarms":  # counts rows, which a population does not have
        return _of_rows(metric)
    pos, neg = norm.pdf(GRID, SEPARATIONS[:, None]), norm.pdf(GRID)
    pos, neg = pos / pos.sum(1, keepdims=True), np.tile(neg / neg.sum(), (len(SEPARATIONS), 1))
    lines = {}
    for name, share in SHARES.items():
        p, n = ROWS * share * pos, ROWS * (1 - share) * neg
        if metric._role_needed:
            lines[name] = metric.compute(_with_role(metric._role, p, n))
        else:
            lines[name] = metric.compute(ScoreCounts(GRID, p, n))
    return lines


def _with_role(role: str, pos: Floats, neg: Floats) -> ScoreCounts:
    """Return the counts of each score with the numbers of a role, whose shares are equal."""
    cells = len(NUMBERS)
    counts = np.stack([np.repeat(v, cells, axis=1) / cells for v in (pos, neg)])
    tally: RoleTally = tally_of(role)(
        labels=(0, 1),
        positive=1,
        scores=np.repeat(GRID, cells),
        counts=counts,
        sum_squared_weights=None,
        rows=ROWS,
        **{role: np.tile(NUMBERS, len(GRID))},
    )
    return tally._score_counts


def _of_rows(metric: Metric) -> dict[str, Any]:
    """Return the values of rows whose scores are the quantiles of both classes."""
    lines = {}
    for name, share in SHARES.items():
        p = round(ROWS * share)
        truth = np.repeat([1, 0], [p, ROWS - p])
        scores = np.append(*(norm.ppf((np.arange(n) + 0.5) / n) for n in (p, ROWS - p)))
        lines[name] = np.array([metric(truth, scores + d * truth) for d in SEPARATIONS])
    return lines


def _of_probabilities(metric: Metric) -> dict[str, Any]:
    lines = {}
    for name, share in list(SHARES.items())[:2]:
        pos, neg = (norm.pdf(INNER, at) / norm.pdf(INNER, at).sum() for at in (DISTANCE, 0))
        log_odds = DISTANCE * INNER - DISTANCE**2 / 2 + math.log(share / (1 - share))
        values = []
        for factor in FACTORS:
            r = ScoreCounts(expit(factor * log_odds), ROWS * share * pos, ROWS * (1 - share) * neg)
            values.append(metric.compute((r,) if metric._needs == "probabilities" else r))
        lines[name] = np.array(values, dtype=float)
    return lines


def _three_classes(shares: tuple[float, ...]) -> tuple[Any, Any]:
    """Return the classes of rows, and the noise of their three scores."""
    truth = np.repeat(np.arange(3), np.rint(np.array(shares) * 600).astype(int))
    return truth, np.random.default_rng(1).normal(size=(len(truth), 3))


def _of_three_classes(metric: Metric) -> dict[str, Any]:
    lines = {}
    for name, shares in CLASSES.items():
        truth, noise = _three_classes(shares)
        scores = (softmax(noise + d * np.eye(3)[truth], axis=1) for d in FEW_SEPARATIONS)
        lines[name] = np.array([metric(truth, s) for s in scores])
    return lines


def _of_three_sharpened(metric: Metric) -> dict[str, Any]:
    lines = {}
    for name, shares in CLASSES.items():
        truth, noise = _three_classes(shares)
        log_odds = DISTANCE * (noise + DISTANCE * np.eye(3)[truth]) + np.log(shares)
        lines[name] = np.array([metric(truth, softmax(f * log_odds, axis=1)) for f in FACTORS])
    return lines


def _of_label_sets(metric: Metric) -> dict[str, Any]:
    lines = {}
    for name, share in list(SHARES.items())[:2]:
        rng = np.random.default_rng(2)
        truth, noise = rng.random((600, LABELS)) < share, rng.normal(size=(600, LABELS))
        values = []
        for d in FEW_SEPARATIONS:
            scores = noise + d * truth
            decided = scores >= d / 2 + math.log((1 - share) / share) / max(d, 1)
            values.append(metric(truth, decided if metric._needs == "label_sets" else scores))
        lines[name.replace("positive", "of the labels true")] = np.array(values)
    return lines


def draw(name: str) -> Axes:
    """Draw how a metric behaves in a new figure, and return its axes."""
    from matplotlib import pyplot as plt

    metric = METRICS[name]
    made = behaviour(metric)
    figure, ax = plt.subplots(figsize=(3.5, 2.7))
    # Fixed margins: the pictures stand side by side, and a layout engine draws each one twice.
    below = 0.16 + 0.055 * math.ceil(len(made.lines) / LABELS_IN_A_ROW)
    figure.subplots_adjust(left=0.17, right=0.97, top=0.91, bottom=below)
    for i, (label, values) in enumerate(made.lines.items()):
        shown = np.where(np.isfinite(values), values, np.nan)
        ax.plot(made.x, shown, DASHES[i], color=PALETTE[i], label=label)
    if made.x is FACTORS:
        ax.set_xscale("log", base=2)
        ax.set_xticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
    low, high = metric.range
    least, most = ax.get_ylim()
    if math.isfinite(high - low):
        ax.set_ylim(min(least, max(low, 0) - 0.02), max(most, min(high, 1) + 0.02))
    elif low == 0 and most > MOST_LINEAR:
        ax.set_yscale("symlog")
        ax.yaxis.set_major_formatter("{x:,.0f}")  # plain text, not that of formulas
    ax.set(title=name, xlabel=made.axis)
    ax.title.set_size(9)
    ax.tick_params(labelsize=7.5)
    ax.xaxis.label.set_size(8)
    ax.grid(alpha=0.3)
    figure.legend(
        loc="lower center", ncols=LABELS_IN_A_ROW, fontsize=6, columnspacing=1, frameon=False,
        borderaxespad=0.2,
    )  # fmt: skip
    return ax


SIDE_BY_SIDE = """```{raw} html
<style>
#how-metrics-behave > section { display: grid; column-gap: 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
#how-metrics-behave > section > :not(section) { grid-column: 1 / -1; }
#how-metrics-behave > section > section { min-width: 0; font-size: 0.9rem; }
#how-metrics-behave > section > section h4 { font-size: 1.1rem; overflow-wrap: anywhere; }
</style>
```
"""
"""Metrics stand side by side where there is room."""

ABOUT = {
    "threshold": "Decisions of three classifiers, each with the same true positive rate (TPR) and "
    "true negative rate (TNR) at every prevalence, on 1,000 rows. A flat line does not depend on "
    "the class balance.",
    "rank": "Scores of two normal distributions of the same width, d′ apart, on 1,000 rows. At 0 "
    "the scores are guesses; lines that coincide do not depend on the class balance. Where effort "
    "counts, a row takes 1, 10 or 100, whatever its class. Of three classes: 600 simulated rows, "
    "the scores of the true class d′ higher.",
    "probability": "Calibrated probabilities of two normal distributions, 1.5 apart, whose log "
    "odds are multiplied: below 1 the probabilities are under-confident, above 1 over-confident. "
    "The best value of a proper score is at 1.",
    "multi-label": "600 simulated rows of five labels, the scores of the true labels d′ higher.",
}


def text() -> str:
    """Return the sections of the page as Markdown: every metric once, with its picture."""
    return "\n".join([SIDE_BY_SIDE, *_sections()])


def _sections() -> Iterator[str]:
    for family, (title, _) in FAMILIES.items():
        yield f"## {title}\n\n{ABOUT[family]}\n"
        for m in METRICS.values():
            if m.family == family:
                yield from _entry(m)


def _entry(m: Metric) -> Iterator[str]:
    low, high = (f"{x:g}".replace("inf", "∞") for x in m.range)
    better = {"high": "higher is better", "low": "lower is better", "neither": "no direction"}
    moves = "" if m.family == "multi-label" else f" Class balance: {balance_in_words(balance(m))}."
    plain = m.words.formula.replace("*", "\\*").replace("_", "\\_").replace("|", "\\|")
    yield f"### {m.name}\n"
    names = [n for n in (m.title, m.name, *m.aliases) if not set(n) & set(",;:!")]
    # Main entries of the index are what the search of the site shows first.
    yield f"```{{index}} {', '.join('! ' + n for n in names)}\n```\n"
    yield f"{m.title}: {plain}. {low} to {high}, {better[m.better]}.{moves}\n"
    yield "```{eval-rst}"
    yield ".. plot::"
    yield f"   :alt: {m.name} against the {behaviour(m).axis}\n"
    yield f"   import behaviour; behaviour.draw({m.name!r})"
    yield "```\n"
