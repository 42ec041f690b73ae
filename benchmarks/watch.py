"""Measure how often a gate that is run every day gives a false alarm, and how late it sees a drop.

python -m benchmarks.watch -o docs/false-alarms.md

Days are drawn from known shares. What is measured is the evidence of tallymark.Watch beside what is
usually done: a test of each day's rows, and the evidence of all rows so far.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import binom

from benchmarks.pages import write_page
from tallymark.parts.watch.e_values import (
    pair_evidence,
    share_capital,
    share_evidence,
    strength_for,
)

DAYS, ALPHA, LIMIT = 365, 0.05, 0.85
BEFORE, AFTER, DROP = 0.87, 0.80, 100
"""The accuracy until the day of the drop, and from then on."""

OLD_ONLY, NEW_ONLY, LATER = 0.02, 0.02, 0.07
"""Shares of rows that only the old or only the new model gets right, and the first after a drop."""

ROWS = (20, 100, 500)
RUNS, RUNS_OF_PAIRS = 500, 200

HEAD = """# How often a daily gate gives a false alarm

Made by `make measure WHAT=watch` (`python -m benchmarks.watch -o docs/false-alarms.md`):
{runs:,} years of 365 days a row, drawn from known shares. *False alarms* is the share of years
with an alarm although the model is exactly at its limit. *Delay* is the median number of days from
a drop on day 100 to the alarm, of years without an earlier one; *before* and *never* are the years
with an alarm before the drop, and with none. One standard error of a share of 5 % is {error:.1f}
points. [What the methods are](gate.md#watch-a-model-over-time).
"""

OF_SHARES = """
## A share against a limit

Accuracy of at least 0.85; it is 0.87, and 0.80 from day 100 on.
"""

OF_PAIRS = """
## A new model against the old one

{years:,} years a row. Each model alone is right on 2 % of rows; from day 100 on the old one is on
7 %, so that the new model is 5 points worse.
"""

OF_BOUNDS = """
## The interval

How often the interval of all rows so far leaves out the true share, 0.87, on one day of the year or
more.
"""

HEADS_OF_BOUNDS = "| rows a day | `tm.Watch`, % | 95 % interval of the normal distribution, % |"

Alarms = Callable[[np.ndarray, int], np.ndarray]
"""Returns on which days there would be an alarm [year, day], from all days and the rows a day."""


def _daily(alpha: float) -> Alarms:
    """Return the rule of a one-sided exact test of each day alone."""

    def alarms(right: np.ndarray, rows: int) -> np.ndarray:
        most = binom.ppf(alpha, rows, LIMIT)
        most -= binom.cdf(most, rows, LIMIT) > alpha
        return np.asarray(right <= most)

    return alarms


def _all_rows(right: np.ndarray, rows: int) -> np.ndarray:
    n = rows * np.arange(1, DAYS + 1)
    return share_evidence(right.cumsum(1), n, LIMIT, strength_for(rows)) >= -math.log(ALPHA)


def restarted(counts: np.ndarray, log_e: Callable[[np.ndarray, int], np.ndarray]) -> np.ndarray:
    """Return the log evidence of every look [year, day] of a process that restarts every day.

    ``counts`` are by year and day, of one number or several; ``log_e`` returns the log e-values of
    sums over a number of days. It is asked once for all windows of equal sums.
    """
    years, days = counts.shape[:2]
    sums = np.concatenate([np.zeros_like(counts[:, :1]), counts.cumsum(1)], axis=1)
    total = np.log(np.maximum(1 - np.arange(1, days + 1) / DAYS, 1e-300))
    total = np.tile(total, (years, 1))
    for length in range(1, days + 1):
        window = sums[:, length:] - sums[:, :-length]
        flat = window.reshape(years * (days - length + 1), -1)
        code = flat @ (int(flat.max()) + 1) ** np.arange(flat.shape[1])
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        found = log_e(flat[first], length)[place.ravel()].reshape(years, -1)
        total[:, length - 1 :] = np.logaddexp(total[:, length - 1 :], found - math.log(DAYS))
    return total


def _restarts(right: np.ndarray, rows: int) -> np.ndarray:
    strength = strength_for(rows)
    log_m = restarted(
        right, lambda sums, length: share_evidence(sums[:, 0], rows * length, LIMIT, strength)
    )
    return log_m >= -math.log(ALPHA)


RULES: dict[str, Alarms] = {
    "test of the day, 5 %": _daily(ALPHA),
    "test of the day, 5 % / 365": _daily(ALPHA / DAYS),
    "evidence of all rows": _all_rows,
    "**restarts** (`tm.Watch`)": _restarts,
}


def _paired(pairs: np.ndarray, rows: int) -> np.ndarray:
    log_m = restarted(pairs[..., :2], lambda sums, length: pair_evidence(sums[:, 0], sums[:, 1]))
    return log_m >= -math.log(ALPHA)


def first_alarms(alarms: np.ndarray) -> np.ndarray:
    """Return the day of the first alarm of each year, from 0; infinity if there is none."""
    return np.where(alarms.any(1), alarms.argmax(1), np.inf)


def line(name: str, rows: int, at_limit: np.ndarray, dropped: np.ndarray) -> str:
    """Return a row of a table."""
    late = dropped[dropped >= DROP] - DROP + 1
    median = float(np.median(late)) if len(late) else math.inf
    delay = f"{median:.0f}" if math.isfinite(median) else "–"
    shares = [np.isfinite(at_limit).mean(), (dropped < DROP).mean(), np.isinf(dropped).mean()]
    false, before, never = (f"{100 * float(v):.1f}" for v in shares)
    return f"| {rows} | {name} | {false} | {delay} | {before} | {never} |"


TABLE = """
| rows a day | rule | false alarms, % | delay, days | before, % | never, % |
|---|---|---|---|---|---|"""


def of_shares(runs: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the section on a share against a limit."""
    yield OF_SHARES + TABLE
    drop = np.where(np.arange(DAYS) < DROP, BEFORE, AFTER)
    for rows in sizes:
        rng = np.random.default_rng([rows, 1])
        at_limit = rng.binomial(rows, LIMIT, (runs, DAYS))
        dropped = rng.binomial(rows, drop, (runs, DAYS))
        for name, alarms in RULES.items():
            found = (first_alarms(alarms(days, rows)) for days in (at_limit, dropped))
            yield line(name, rows, *found)


def of_pairs(runs: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the section on a new model against the old one."""
    years = min(runs, RUNS_OF_PAIRS)
    yield OF_PAIRS.format(years=years) + TABLE
    for rows in sizes:
        rng = np.random.default_rng([rows, 2])
        equal = rng.multinomial(rows, [NEW_ONLY, OLD_ONLY, 1 - NEW_ONLY - OLD_ONLY], (years, DAYS))
        later = rng.multinomial(rows, [NEW_ONLY, LATER, 1 - NEW_ONLY - LATER], (years, DAYS))
        later[:, :DROP] = equal[::-1, :DROP]
        found = (first_alarms(_paired(days, rows)) for days in (equal, later))
        yield line("**restarts**, paired", rows, *found)


def of_bounds(runs: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the section on the interval: how often it misses the true share on any day."""
    yield OF_BOUNDS + "\n" + HEADS_OF_BOUNDS
    yield "|---|---|---|"
    for rows in sizes:
        right = np.random.default_rng([rows, 3]).binomial(rows, BEFORE, (runs, DAYS)).cumsum(1)
        n = rows * np.arange(1, DAYS + 1)
        share = right / n
        half = 1.96 * np.sqrt(share * (1 - share) / n)
        # The interval holds the shares against which the bets have not won 1/α.
        ours = (share_capital(right, n, BEFORE) >= -math.log(ALPHA)).any(1).mean()
        normal = (np.abs(share - BEFORE) > half).any(1).mean()
        yield f"| {rows} | {100 * ours:.1f} | {100 * normal:.1f} |"


def lines(runs: int, sizes: Sequence[int] = ROWS) -> Iterator[str]:
    """Yield the page after its head."""
    for section in (of_shares, of_pairs, of_bounds):
        yield from section(runs, sizes)


def main() -> int:
    """Measure, print, and write the page if one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="also write the page to this file")
    parser.add_argument("--runs", type=int, default=RUNS, help="years a row")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS, help="rows a day")
    asked = parser.parse_args()
    text = HEAD.format(runs=asked.runs, error=100 * (0.95 * 0.05 / asked.runs) ** 0.5)
    for shown in lines(asked.runs, tuple(asked.rows)):
        print(shown, flush=True)
        text += shown + "\n"
    if asked.output:
        write_page(asked.output, text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
