"""Write the catalogue of metrics and curves: python tools/catalogue.py docs/metrics.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tallymark as tm
from tallymark.curve import CURVES
from tallymark.metric import METRICS, Metric
from tallymark.metric.skew import balance
from tallymark.metric.sources import authors, cite
from tallymark.report.subjects.evaluation import FAMILIES

HEAD = """# The metrics

For looking up a metric: {count} metrics, of {bases} formulas. Any name under "also called" works
wherever a metric is named. A metric's name leads to
[a picture of how it behaves](#how-metrics-behave), and `tallymark explain NAME` says
what it means, when it misleads, what guessing achieves where that is known, and which
metrics to read beside it. "Balance" says what the number does when negatives become more frequent
while the classifier keeps both rates: it is invariant, rises, falls, turns (rises and then falls,
or the reverse), or does either, depending on the classifier ([measured](class-balance.md)).
"Default interval" is the method for a typical evaluation without weights and clusters. `make
measure WHAT=catalogue` writes this page.
"""

BEHAVIOUR = """
## How metrics behave

Every metric with its formula, its range and a picture of its values on classifiers that are known.
The pictures are drawn from the metrics' own functions when the site is built
(`tools/behaviour.py`).

EVERY METRIC"""


def text() -> str:
    """Return the catalogue as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    bases, intervals = sum(m._preset_of is None for m in METRICS.values()), _intervals()
    yield HEAD.format(count=len(METRICS), bases=bases)
    for family, (title, _) in FAMILIES.items():
        yield f"## {title}\n"
        yield "| metric | also called | formula | range, better | undefined when | balance "
        yield "| default interval | read beside | sources |"
        yield "|---|---|---|---|---|---|---|---|---|"
        for m in METRICS.values():
            if m.family == family:
                yield _row(m, intervals.get(m.name, ""))
        yield ""
    yield "## Curves\n"
    yield "`ev.curve(NAME)` or `tallymark curve FILE NAME`; any metric of decisions is one, too,"
    yield "against the threshold.\n"
    yield "| curve | is | axes, x and y | drawn | read with | bands |"
    yield "|---|---|---|---|---|---|"
    for name, curve in CURVES.items():
        cells = [
            f"[{name}](curves.md#{name})",
            curve.meaning,
            "; ".join(
                f"{a.title}{' (probit)' * (a.scale == 'probit')}" for a in (curve.x, curve.y)
            ),
            ", ".join([curve.draw, *(line.label for line in curve.references)]),
            curve.beside[0] if curve.beside else "",
            ", ".join(curve.bands) or curve.no_band,
        ]
        yield "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"
    yield BEHAVIOUR
    yield "\n## Sources\n"
    cited = dict.fromkeys(key for m in METRICS.values() for key in m.words.sources)
    for told in sorted(map(cite, cited)):
        yield f"- {told}"


def _intervals() -> dict[str, str]:
    """Return the default interval method of every metric, of two classes where it has one."""
    rng = np.random.default_rng(7)
    y = (np.arange(15_000) < 4_500).astype(int)
    scores = 1 / (1 + np.exp(-rng.normal(1.5 * y - 0.8)))
    three = np.arange(300) % 3
    probabilities = rng.dirichlet(np.ones(3), 300) + 0.6 * np.eye(3)[three]
    labels = rng.random((300, 3)) < 0.4
    judged = [
        tm.evaluate(y, y_score=scores, effort=rng.integers(1, 50, 15_000)),
        tm.evaluate(three, y_score=probabilities / probabilities.sum(1, keepdims=True)),
        tm.evaluate(labels, y_score=np.clip(0.6 * labels + rng.random((300, 3)) / 2, 0, 1)),
    ]
    found: dict[str, str] = {}
    for ev in judged:
        for name in (m.name for m in METRICS.values() if m.name in ev and m.name not in found):
            found[name] = (ev[name].method or "").partition(", 1,000 draws")[0]
    return found


def _row(m: Metric, interval: str) -> str:
    low, high = (f"{x:g}".replace("inf", "∞") for x in m.range)
    formula = f"{m._preset_of} at {_params(m)}" if m._preset_of else m.words.formula
    cells = [
        f"[{m.name}](#{m.name})",
        ", ".join(m.aliases),
        formula,
        f"{low} to {high}, {m.better}",
        "; ".join(m.undefined),
        balance(m).kind,
        interval,
        ", ".join(m.words._relatives),
        ", ".join(map(authors, m.words.sources)),
    ]
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _params(m: Metric) -> str:
    base = METRICS[m._preset_of or ""].params
    changed = {k: v for k, v in m.params.items() if base[k] != v} or m.params
    return ", ".join(f"{k}={v!r}" for k, v in changed.items())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
