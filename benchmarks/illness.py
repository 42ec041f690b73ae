"""Measure how often advice names a known illness of the data first, and keeps quiet else.

python -m benchmarks.illness -o docs/advice.md

Every data set is drawn anew for each seed. An alarm is a warning, or advice on what could mislead.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tallymark as tm

Rng = np.random.Generator
Case = tuple[tm.Evaluation, dict[str, Any]]
"""What is judged, and the answers that advice is given."""

Make = Callable[[Rng], Case]
SEEDS = 100

HEAD = """# Whether advice finds what is wrong

Made by `python -m benchmarks.illness -o docs/advice.md`: {seeds} samples a row. Data sets of a
known illness, and how often what is said first (a warning, or advice on what could mislead or
which model to choose) has one of the codes that name it; healthy data sets, and how often anything
is said at all. Each code can be muted: `tallymark advise FILE --mute CODE`.
"""


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def sample(rng: Rng, n: int = 2000, share: float = -1.0, signal: float = 1.5) -> tuple[Any, Any]:
    """Return log odds that are right, and classes drawn by them."""
    x = rng.normal(share, signal, n)
    return x, (rng.random(n) < logistic(x)).astype(int)


def healthy(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x)), {}


def balanced(rng: Rng) -> Case:
    x, y = sample(rng, share=0.0)
    return tm.evaluate(y, y_score=logistic(x)), {}


def strong(rng: Rng) -> Case:
    x, y = sample(rng, signal=3.0)
    return tm.evaluate(y, y_score=logistic(x)), {}


def large(rng: Rng) -> Case:
    x, y = sample(rng, n=20_000)
    return tm.evaluate(y, y_score=logistic(x)), {}


def three_classes(rng: Rng) -> Case:
    x = rng.normal(0, 1.5, (2000, 3))
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    y = (p.cumsum(1) < rng.random((2000, 1))).sum(1)
    return tm.evaluate(y, y_score=p), {}


def leak(rng: Rng) -> Case:
    _, y = sample(rng)
    return tm.evaluate(y, y_score=np.clip(0.05 + 0.9 * y + rng.normal(0, 0.01, 2000), 0, 1)), {}


def copies(rng: Rng) -> Case:
    x, y = sample(rng, n=500)
    return tm.evaluate(np.repeat(y, 4), y_score=np.repeat(logistic(x), 4)), {}


def reversed_score(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=1 - logistic(x)), {}


def wrong_positive(rng: Rng) -> Case:
    x, y = sample(rng)
    names = np.array(["no", "yes"])[y]
    return tm.evaluate(names, y_score=logistic(x), positive="no"), {}


def over_prediction(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x + 1.5)), {}


def under_prediction(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x - 1.5)), {}


def too_sure(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(2 * x + 0.45)), {}


def too_timid(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(0.5 * x - 0.36)), {}


def certain(rng: Rng) -> Case:
    x, y = sample(rng)
    p = logistic(x)
    p[np.flatnonzero(y)[0]] = 0.0
    return tm.evaluate(y, y_score=p), {}


def constant(rng: Rng) -> Case:
    _, y = sample(rng)
    return tm.evaluate(y, y_score=np.full(2000, y.mean())), {}


def rare(rng: Rng) -> Case:
    x, y = sample(rng, n=4000, share=-5.5, signal=1.5)
    return tm.evaluate(y, y_score=logistic(x)), {}


def tiny(rng: Rng) -> Case:
    x, y = sample(rng, n=24, share=0.0)
    y[:2] = 0, 1
    return tm.evaluate(y, y_score=logistic(x)), {}


def few_values(rng: Rng) -> Case:
    x, y = sample(rng)
    high = x > 0
    return tm.evaluate(y, y_score=np.where(high, y[high].mean(), y[~high].mean())), {}


def few_clusters(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x), cluster=rng.integers(0, 8, 2000)), {}


def never_called(rng: Rng) -> Case:
    x, y = sample(rng, share=-2.5, signal=0.7)
    return tm.evaluate(y, y_score=np.minimum(logistic(x), 0.49)), {}


def crossing(rng: Rng) -> Case:
    y = rng.integers(0, 2, 3000)
    a = np.where(y, rng.normal(1, 0.3, 3000), rng.normal(0, 1, 3000))
    b = np.where(y, rng.normal(1, 2.5, 3000), rng.normal(0, 0.6, 3000))
    return tm.evaluate(y, y_score={"a": logistic(a), "b": logistic(b)}, use="ranking"), {}


def near_ties(rng: Rng) -> Case:
    x, y = sample(rng)
    return tm.evaluate(
        y, y_score={n: logistic(x + rng.normal(0, 0.05, 2000)) for n in ("a", "b")}
    ), {}


def drifted(rng: Rng) -> Case:
    """The field has a fiftieth of the positives of a sample that was balanced on purpose."""
    x, y = sample(rng, share=0.0)
    return tm.evaluate(y, y_score=logistic(x)), {"prevalence": 0.01, "use": "decisions"}


def training_rows(rng: Rng) -> Case:
    x, y = sample(rng)
    split = rng.choice(["train", "test"], 2000)
    return tm.evaluate(pd.DataFrame({"y": y, "score": logistic(x), "split": split})), {}


def repeated_ids(rng: Rng) -> Case:
    x, y = sample(rng, n=500)
    frame = pd.DataFrame({"patient_id": np.repeat(np.arange(500), 4), "y": np.repeat(y, 4)})
    frame["score"] = logistic(np.repeat(x, 4) + rng.normal(0, 0.2, 2000))
    return tm.evaluate(frame), {}


def missing_as_a_number(rng: Rng) -> Case:
    x, y = sample(rng)
    p = logistic(x)
    p[rng.random(2000) < 0.05] = -9
    return tm.evaluate(y, y_score=p), {}


HEALTHY: tuple[Make, ...] = (
    healthy,
    balanced,
    strong,
    large,
    three_classes,
)
ILL: dict[Make, set[str]] = {
    leak: {"leak"}, copies: {"repeated-scores"}, reversed_score: {"reversed"},
    wrong_positive: {"reversed"}, over_prediction: {"probabilities-in-the-large"},
    under_prediction: {"probabilities-in-the-large"}, too_sure: {"probabilities-spread"},
    too_timid: {"probabilities-spread"}, certain: {"held-impossible"},
    constant: {"one-decision"}, rare: {"imbalance", "few-rows"}, tiny: {"few-rows"},
    few_values: {"ties-decide"}, few_clusters: {"few-clusters"}, never_called: {"one-decision"},
    drifted: {"precision-of-another-field"}, training_rows: {"training-rows"},
    repeated_ids: {"repeated-ids"}, missing_as_a_number: {"not-probabilities"},
    crossing: {"lead-within-the-noise"}, near_ties: {"lead-within-the-noise"},
}  # fmt: skip


def findings(case: Case) -> list[str]:
    """Return the codes of what a page warns of, then of what could mislead, in their order."""
    ev, answers = case
    return [n.code for n in ev.notes if n.kind == "warning"] + [
        s.rule for s in ev.advise(**answers).statements if s.section in ("misleads", "order")
    ]


def first(make: Make, seeds: int) -> Counter[str]:
    """Return how often each code is the first of a data set; an empty one where nothing is said."""
    found = (findings(make(np.random.default_rng(seed))) for seed in range(seeds))
    return Counter(codes[0] if codes else "" for codes in found)


def lines(seeds: int) -> Iterator[str]:
    """Yield the rows of both tables."""
    yield "| illness | codes that name it | named first | else |"
    yield "|---|---|---|---|"
    for make, wanted in ILL.items():
        found = first(make, seeds)
        named = sum(found[code] for code in wanted)
        others = ", ".join(
            f"{code or 'nothing'} {n}" for code, n in found.items() if code not in wanted
        )
        codes = ", ".join(f"`{code}`" for code in sorted(wanted))
        yield f"| {make.__name__.replace('_', ' ')} | {codes} | {named / seeds:.0%} | {others} |"
    yield ""
    yield "| healthy | an alarm | which |"
    yield "|---|---|---|"
    for make in HEALTHY:
        found = first(make, seeds)
        alarms = ", ".join(f"{code} {n}" for code, n in found.items() if code)
        yield f"| {make.__name__.replace('_', ' ')} | {1 - found[''] / seeds:.0%} | {alarms} |"


def main() -> int:
    """Measure, print, and write the page if one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="also write the page to this file")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="samples a data set")
    asked = parser.parse_args()
    text = HEAD.format(seeds=asked.seeds) + "\n"
    for line in lines(asked.seeds):
        print(line, flush=True)
        text += line + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
