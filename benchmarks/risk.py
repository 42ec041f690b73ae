"""Measure how often a chosen coverage breaks its risk, and how often intervals cover the truth.

python -m benchmarks.risk -o docs/refer-measured.md

The risk of the population is known at every confidence, so that the risk of the answers above a
threshold that was chosen on a sample is known too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tallymark as tm
from benchmarks.pages import write_page
from tallymark.infer.kept_limits import at_most
from tallymark.parts.risk.measures import MEASURES, Levels
from tallymark.parts.risk.refer import limit

RUNS = 1000
FEWER = 5
"""Intervals take longer, so they are of so many times fewer samples."""

GRID = 20_000
RISK = 0.05
ERROR = 0.1
TESTED = (300, 1000)
SIZES = (30, 100, 300)

HEAD = """# Risk and coverage, measured

Made by `make measure WHAT=risk`: {runs:,} samples a cell. A population is a function: the
probability of a wrong answer at each share u of the cases from the least confident one up.

## How often the risk is higher than stated

A coverage is chosen on each sample so that at most {risk:.0%} of the answers are wrong, with
{sure:.0%} confidence. The table says how often the risk of the population is higher, at the
threshold that was chosen. *Observed risk* takes the largest coverage whose observed risk is at most
{risk:.0%}. *Bound at every cut* takes the largest one whose upper bound by Clopper and Pearson is,
and so chooses among as many bounds as there are rows. *tallymark* tests 20 cuts in a fixed order.
It promises at most {error:.0%}. *Answered* is the mean share of cases that it answers, and
*possible* the largest share that keeps the risk in the population.

"""

INTERVALS = """
## How often 95 % intervals contain the value of the population

{runs:,} samples a cell. The standard error of a share here is {error:.1f} points where 95 % is
true. With fewer than 30 wrong answers tallymark warns that the interval of AURC may be too narrow.
*Warned* is the share of samples with that warning, and *no warning* how often the intervals of AURC
contain the value in the others, where these are at least {least}. Where the most confident answers
are wrong more often than others, a sample of few rows may show none of them: in AURC the most
confident row weighs about ln(n) times as much as the average one.

"""
LEAST = 30
"""Samples without a warning below which nothing is said of their intervals."""


@dataclass(frozen=True)
class Population:
    """The probability of a wrong answer by the quantile of the confidence.

    With ``levels`` the confidence has only so many values.
    """

    risk: Callable[[np.ndarray], np.ndarray]
    levels: int | None = None

    def confidence(self, u: np.ndarray) -> np.ndarray:
        """Return the confidence at the quantiles."""
        return u if self.levels is None else np.floor(u * self.levels) / self.levels

    def whole(self) -> Levels:
        """Return the population as very many rows."""
        u = (np.arange(GRID) + 0.5) / GRID
        return _counted(self.confidence(u), self.risk(u), 1e6)

    def sample(self, rng: np.random.Generator, n: int) -> Levels:
        """Return n rows."""
        u = rng.random(n)
        return _counted(self.confidence(u), (rng.random(n) < self.risk(u)) * 1.0, 1.0)


def _counted(confidence: np.ndarray, wrong: np.ndarray, rows: float) -> Levels:
    levels, place = np.unique(-confidence, return_inverse=True)
    errors, every = (
        np.bincount(place, weights).astype(np.float64)
        for weights in (wrong * rows, rows + 0 * wrong)
    )
    return Levels(-levels, every - errors, errors)


POPULATIONS = {
    "errors fall with confidence": Population(lambda u: 0.4 * (1 - u) ** 2),
    "the same in 6 levels": Population(lambda u: 0.4 * (1 - np.floor(u * 6) / 6) ** 2, 6),
    "all errors at low confidence": Population(lambda u: 0.9 * (u < 0.2)),
    "few errors": Population(lambda u: 0.09 * (1 - u) ** 2),
    "confidence says nothing": Population(lambda u: np.full(len(u), 0.055)),
    "sure and wrong": Population(lambda u: 0.03 + 0.12 * (u > 0.9)),
}
"""The populations by name."""


def observed(sample: Levels) -> int | None:
    """Return the last level down to which the observed risk is kept, None if there is none."""
    return _last(sample.risk() <= RISK)


def bounded(sample: Levels) -> int | None:
    """Return the last level down to which the bound of the risk is kept, None if there is none."""
    # The upper bound is at most the risk where so few errors are improbable at that risk.
    return _last(at_most(sample.errors, sample.answered, RISK) <= ERROR)


def ours(sample: Levels) -> int | None:
    """Return the level of the threshold that tallymark chooses, None if there is none."""
    threshold = limit(sample, RISK, ERROR).threshold
    return None if threshold is None else int(np.argmax(sample.confidence == threshold))


def _last(kept: np.ndarray) -> int | None:
    return int(np.flatnonzero(kept)[-1]) if kept.any() else None


RULES = (observed, bounded, ours)


def guarantees(runs: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the rows of the table of guarantees."""
    rules = "observed risk | bound at every cut | tallymark"
    yield f"| population | rows | {rules} | answered | possible |"
    yield "|---|---|---|---|---|---|---|"
    for name, population in POPULATIONS.items():
        whole = population.whole()
        risk, share = whole.risk(), whole.answered / whole.n
        possible = max([0.0, *share[risk <= RISK + 1e-12]])
        for n in sizes:
            broken, answered = np.zeros(len(RULES)), 0.0
            for run in range(runs):
                sample = population.sample(np.random.default_rng([run, n]), n)
                places = [rule(sample) for rule in RULES]
                at = [_risk_above(whole, sample, place) for place in places]
                broken += np.array(at) > RISK + 1e-12
                answered += 0 if places[-1] is None else sample.answered[places[-1]] / n
            shares = " | ".join(f"{b / runs:.1%}" for b in broken)
            yield f"| {name} | {n:,} | {shares} | {answered / runs:.0%} | {possible:.0%} |"


def _risk_above(whole: Levels, sample: Levels, place: int | None) -> float:
    """Return the risk of the population above the confidence of a level of a sample."""
    if place is None:
        return 0.0
    last = np.searchsorted(-whole.confidence, -sample.confidence[place], side="right") - 1
    return float(whole.risk()[max(last, 0)])


def intervals(runs: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the rows of the table of intervals."""
    yield "| population | rows | AURC | AUGRC | E-AURC | warned | no warning |"
    yield "|---|---|---|---|---|---|---|"
    for name, population in POPULATIONS.items():
        whole = population.whole()
        true = {m: getattr(whole.areas, m) for m in MEASURES}
        for n in sizes:
            held, quiet, rest = np.zeros(len(MEASURES)), 0, 0
            for run in range(runs):
                sample = population.sample(np.random.default_rng([run, n, 1]), n)
                found = tm.refer(_answers(sample))
                values = [getattr(found, m) for m in MEASURES]
                inside = [v.low <= true[m] <= v.high for m, v in zip(MEASURES, values, strict=True)]
                held += inside
                quiet += values[0].warning is None
                rest += values[0].warning is None and inside[0]
            shares = [f"{h / runs:.1%}" for h in held] + [f"{1 - quiet / runs:.0%}"]
            shares.append(f"{rest / quiet:.1%}" if quiet >= LEAST else "")
            yield f"| {name} | {n:,} | {' | '.join(shares)} |"


def _answers(sample: Levels) -> tm.AnswerTally:
    counts = np.stack([sample.right, sample.wrong], 1)
    return tm.AnswerTally(sample.confidence[::-1], counts[::-1])


def main() -> int:
    """Measure, print, and write the page if one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="also write the page to this file")
    parser.add_argument("--runs", type=int, default=RUNS, help="samples a cell")
    asked = parser.parse_args()
    runs = asked.runs
    text = HEAD.format(runs=runs, risk=RISK, error=ERROR, sure=1 - ERROR)
    fewer = max(runs // FEWER, 1)
    error = 100 * (0.95 * 0.05 / fewer) ** 0.5
    between = INTERVALS.format(runs=fewer, error=error, least=LEAST)
    for part in (guarantees(runs, TESTED), [between.rstrip("\n"), ""], intervals(fewer, SIZES)):
        for line in part:
            print(line, flush=True)
            text += line + "\n"
    if asked.output:
        write_page(asked.output, text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
