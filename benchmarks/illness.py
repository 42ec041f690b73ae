"""Measure how often advice names a known fault first, and how often it alarms without one.

python -m benchmarks.illness -o docs/advice.md

Every data set is drawn from a seed. Finished data sets are kept in a folder: the same command goes
on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tallymark as tm
from benchmarks.pages import write_page
from benchmarks.simulation import share_bounds
from tallymark.findings.advice import advice_rules

SEEDS = 100

HEAD = """# How often advice is right

Made by `make measure WHAT=advice`: each data set is drawn {seeds} times.
Findings are read in the order of the
report: warnings, what could mislead, which model is better. A fault counts as found where its
code is the very first. A healthy data set has no finding at all, so that any code is a false alarm.
The goal is {found:.0%} of the draws for a fault and at most {alarms:.0%} for a healthy data set.
In brackets are 99.9 % intervals of the share (Clopper-Pearson).
"""

FOUND, ALARMS = 0.9, 0.05

Array = np.ndarray[Any, Any]
Make = Callable[[np.random.Generator], tm.Evaluation]


@dataclass(frozen=True)
class DataSet:
    """How a data set is drawn, what is wrong with it, and the codes that name it.

    ``answers`` are what the user says of the use. Without codes the data set is healthy.
    """

    what: str
    make: Make
    codes: tuple[str, ...] = ()
    answers: Mapping[str, Any] | None = None

    def findings(self, seed: int) -> list[str]:
        """Return the codes that are found in one draw, in the order of the report."""
        return findings(self.make(np.random.default_rng(seed)), **(self.answers or {}))


DATA_SETS: dict[str, DataSet] = {}


def drawn(what: str, *codes: str, **answers: Any) -> Callable[[Make], Make]:
    """Register a data set under the name of the function that draws it."""

    def register(make: Make) -> Make:
        DATA_SETS[make.__name__] = DataSet(what, make, codes, answers)
        return make

    return register


OTHERS = [code for code, rule in advice_rules().items() if rule.severity == "info"]
"""Rules that say what to report, and which threshold: no findings."""


def findings(ev: tm.Evaluation, **answers: Any) -> list[str]:
    """Return the codes of the warnings, then of what could mislead, as the report orders them."""
    warned = [n.rule for n in ev.notes if n.severity == "warning"]
    return warned + [s.rule for s in ev.advise(**answers, mute=OTHERS).statements]


def logistic(x: Array) -> Array:
    """Return probabilities of log odds."""
    return np.asarray(1 / (1 + np.exp(-x)))


def sample(
    rng: np.random.Generator, n: int = 2000, share: float = -1.0, signal: float = 1.5
) -> tuple[Array, Array]:
    """Return log odds that are right, and classes drawn by them."""
    x = rng.normal(share, signal, n)
    return x, (rng.random(n) < logistic(x)).astype(int)


def of_classes(rng: np.random.Generator, odds: Sequence[float], n: int = 2000) -> tm.Evaluation:
    """Evaluate probabilities that are right, of classes with these log odds."""
    p = np.exp(rng.normal(odds, 1.5, (n, len(odds))))
    p /= p.sum(1, keepdims=True)
    return tm.evaluate((p.cumsum(1) < rng.random((n, 1))).sum(1), y_score=p)


def of_file(y: Array, score: Array, **columns: Array) -> tm.Evaluation:
    """Evaluate a table that has other columns as well."""
    import pandas as pd

    table = pd.DataFrame({**columns, "label": y, "score": score})
    return tm.evaluate(table, truth="label", score="score")


# -- healthy -------------------------------------------------------------------------------------


@drawn("calibrated, 31 % positives")
def healthy(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("calibrated, 50 % positives")
def balanced(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, share=0.0)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("calibrated, scores that separate well")
def strong(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, signal=3.0)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("calibrated, 20,000 rows")
def large(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, n=20_000)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("calibrated, three classes")
def three_classes(rng: np.random.Generator) -> tm.Evaluation:
    return of_classes(rng, (0, 0, 0))


@drawn("the prevalence in the field is that of the rows", prevalence=0.31)
def same_field(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("a table with a unique id, an age, and a `split` of test rows only")
def tidy_file(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return of_file(
        y, logistic(x), patient_id=rng.permutation(2000), age=rng.integers(20, 90, 2000),
        split=np.repeat("test", 2000),
    )  # fmt: skip


@drawn("100 clusters, given as such")
def clustered(rng: np.random.Generator) -> tm.Evaluation:
    cluster = np.repeat(np.arange(100), 20)
    x = rng.normal(-1, 1.3, 2000) + rng.normal(0, 0.75, 100)[cluster]
    y = (rng.random(2000) < logistic(x)).astype(int)
    return tm.evaluate(y, y_score=logistic(x), cluster=cluster)


@drawn("two calibrated models, one of them clearly better")
def clear_lead(rng: np.random.Generator) -> tm.Evaluation:
    one, other = rng.normal(0, 2, 2000), rng.normal(0, 1, 2000)
    y = (rng.random(2000) < logistic(one + other)).astype(int)
    return tm.evaluate(y, y_score={"a": logistic(one + other), "b": logistic(0.85 * one)})


# -- ill -----------------------------------------------------------------------------------------


@drawn("the label leaks into the score", "leak")
def leak(rng: np.random.Generator) -> tm.Evaluation:
    _, y = sample(rng)
    return tm.evaluate(y, y_score=np.clip(0.05 + 0.9 * y + rng.normal(0, 0.01, 2000), 0, 1))


@drawn("every row occurs four times, without an id", "repeated-scores")
def copies(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, n=500)
    return tm.evaluate(np.repeat(y, 4), y_score=np.repeat(logistic(x), 4))


@drawn("100 of 2,100 rows are copies, id included", "duplicate-rows")
def duplicate_rows(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    rows = np.concatenate([np.arange(2000), rng.choice(2000, 100, replace=False)])
    return of_file(y[rows], logistic(x)[rows], patient_id=rows)


@drawn("four rows a patient, and no cluster given", "repeated-ids")
def repeated_ids(rng: np.random.Generator) -> tm.Evaluation:
    patient = np.repeat(np.arange(500), 4)
    x = rng.normal(-1, 0.9, 2000) + rng.normal(0, 1.2, 500)[patient]
    y = (rng.random(2000) < logistic(x)).astype(int)
    return of_file(y, logistic(x), patient_id=patient)


@drawn("half of the rows trained the model", "training-rows")
def training_rows(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    trained = rng.random(2000) < 0.5
    score = logistic(np.where(trained, 3 * x + 4 * y - 2, x))
    return of_file(y, score, split=np.where(trained, "train", "test"))


@drawn("the score is 1 less the probability", "reversed")
def reversed_score(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=1 - logistic(x))


@drawn("the other class is named as the positive one", "reversed")
def wrong_positive(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(np.array(["no", "yes"])[y], y_score=logistic(x), positive="no")


@drawn("log odds 1.5 too high", "probabilities-in-the-large")
def over_prediction(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x + 1.5))


@drawn("log odds 1.5 too low", "probabilities-in-the-large")
def under_prediction(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x - 1.5))


@drawn("log odds twice too large, mean right", "probabilities-spread")
def too_sure(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(2 * x + 0.45))


@drawn("log odds half as large, mean right", "probabilities-spread")
def too_timid(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(0.5 * x - 0.36))


@drawn("level and slope right, every probability wrong", "probabilities-off")
def bent(rng: np.random.Generator) -> tm.Evaluation:
    p = rng.choice([0.1, 0.4, 0.6, 0.9], 20_000)
    true = np.where(p < 0.5, 0.15, 0.85)
    return tm.evaluate((rng.random(20_000) < true).astype(int), y_score=p)


@drawn("probability 0 for what happened", "held-impossible")
def certain(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    p = logistic(x)
    p[np.flatnonzero(y)[0]] = 0.0
    return tm.evaluate(y, y_score=p)


@drawn("one score for all rows", "one-decision")
def constant(rng: np.random.Generator) -> tm.Evaluation:
    _, y = sample(rng)
    return tm.evaluate(y, y_score=np.full(2000, y.mean()))


@drawn("scores that never reach the threshold", "one-decision")
def never_called(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, share=-2.5, signal=0.7)
    return tm.evaluate(y, y_score=np.minimum(logistic(x), 0.49))


@drawn("1 % positives", "imbalance", "few-rows")
def rare(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, n=4000, share=-5.5)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("a third class of about 12 rows", "few-rows")
def rare_of_three(rng: np.random.Generator) -> tm.Evaluation:
    return of_classes(rng, (0, 0, -6))


@drawn("7 % positives, used as a ranking by its ROC area", "area-hides-false-alarms")
def rare_ranking(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, n=4000, share=-3.5, signal=1.4)
    return tm.evaluate(y, y_score=logistic(x), use="ranking")


@drawn("82 % of one class, which flatters accuracy", "accuracy-of-the-majority")
def frequent_class(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, share=-3.0, signal=3.0)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("1 % positives in the field, 31 % in the rows", "precision-of-another-field",
       prevalence=0.01)  # fmt: skip
def drifted_prevalence(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x))


@drawn("judged at a prevalence of 60 %, probabilities made for 31 %",
       "probabilities-in-the-large")  # fmt: skip
def not_recalibrated(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x)).at(prevalence=0.6)


@drawn("24 rows", "few-rows")
def tiny(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng, n=24, share=0.0)
    y[:2] = 0, 1
    return tm.evaluate(y, y_score=logistic(x))


@drawn("two distinct scores", "ties-decide")
def few_values(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    high = x > 0
    return tm.evaluate(y, y_score=np.where(high, y[high].mean(), y[~high].mean()))


@drawn("rows in 8 clusters", "few-clusters")
def few_clusters(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score=logistic(x), cluster=rng.integers(0, 8, 2000))


@drawn("two models whose ROC curves cross", "curves-cross")
def crossing(rng: np.random.Generator) -> tm.Evaluation:
    y = rng.integers(0, 2, 3000)
    a = np.where(y, rng.normal(1, 0.3, 3000), rng.normal(0, 1, 3000))
    b = np.where(y, rng.normal(1, 2.5, 3000), rng.normal(0, 0.6, 3000))
    return tm.evaluate(y, y_score={"a": logistic(a), "b": logistic(b)}, use="ranking")


@drawn("two models that differ by noise alone", "lead-within-the-noise")
def near_ties(rng: np.random.Generator) -> tm.Evaluation:
    x, y = sample(rng)
    return tm.evaluate(y, y_score={n: logistic(x + rng.normal(0, 0.05, 2000)) for n in ("a", "b")})


HEALTHY = {name: d for name, d in DATA_SETS.items() if not d.codes}
ILL = {name: d for name, d in DATA_SETS.items() if d.codes}


# -- the measurement -----------------------------------------------------------------------------


def measured(name: str, seeds: int, folder: Path) -> list[list[str]]:
    """Return the findings of each draw, from the folder where they are kept."""
    file = folder / f"{name}.json"
    kept: list[list[str]] = json.loads(file.read_text("utf-8")) if file.is_file() else []
    if len(kept) < seeds:
        kept = [DATA_SETS[name].findings(seed) for seed in range(seeds)]
        file.write_text(json.dumps(kept), encoding="utf-8")
    return kept[:seeds]


def share(hits: int, seeds: int, missed: bool) -> str:
    """Return a share with its interval, in bold where it misses the goal."""
    low, high = share_bounds(hits, seeds)
    text = f"{hits / seeds:.0%} ({100 * low:.0f}-{100 * high:.0f})"
    return f"**{text}**" if missed else text


def most(codes: Counter[str]) -> str:
    """Return the most frequent codes of those that should not be there."""
    return ", ".join(f"`{code}` {n}" for code, n in codes.most_common(3)) or "–"


def line(name: str, found: Sequence[Sequence[str]]) -> str:
    """Return the row of a data set."""
    d, title, seeds = DATA_SETS[name], name.replace("_", " "), len(found)
    first = Counter(codes[0] if codes else "nothing" for codes in found)
    if not d.codes:
        hits = seeds - first.pop("nothing", 0)
        shown = share(hits, seeds, hits > ALARMS * seeds)
        return f"| {title} | {d.what} | {shown} | {most(first)} |"
    hits = sum(first.pop(code, 0) for code in d.codes)
    codes = " or ".join(f"`{code}`" for code in d.codes)
    shown = share(hits, seeds, hits < FOUND * seeds)
    return f"| {title} | {d.what} | {codes} | {shown} | {most(first)} |"


def main() -> int:
    """Measure, print, and write the page if one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="also write the page to this file")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="draws of each data set")
    parser.add_argument("--only", nargs="+", choices=[*DATA_SETS], help="these data sets alone")
    parser.add_argument("--folder", type=Path, default=Path("out/illness"), help="finished ones")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    lines = [HEAD.format(seeds=asked.seeds, found=FOUND, alarms=ALARMS)]
    tables = {
        f"## {len(ILL)} faults": (ILL, "the fault | code | named first | else first"),
        f"## {len(HEALTHY)} healthy data sets": (HEALTHY, "what it is | any alarm | of which"),
    }
    for title, (data_sets, heads) in tables.items():
        lines += [title, "", f"| data set | {heads} |", "|---" * (heads.count("|") + 2) + "|"]
        for name in data_sets:
            if not asked.only or name in asked.only:
                lines.append(line(name, measured(name, asked.seeds, asked.folder)))
                print(lines[-1], flush=True)
        lines.append("")
    if asked.output:
        write_page(asked.output, "\n".join(lines[:-1]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
