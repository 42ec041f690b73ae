"""Write the catalogue of metrics and curves: python tools/catalogue.py docs/metrics.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tallymark.curve import CURVES
from tallymark.metric import METRICS, Metric
from tallymark.metric.skew import balance
from tallymark.metric.sources import cite
from tallymark.report.subjects.evaluation import FAMILIES

HEAD = """# The metrics

{count} metrics, of {bases} formulas. Any name under "also called" works wherever a metric is
named. A metric's name leads to [a picture of how it behaves](behaviour.md), and `tallymark explain
NAME` says what it means, when it misleads, what guessing achieves where that is known, and which
metrics to read beside it. "Balance" says what the number does when negatives become more frequent
while the classifier keeps both rates: it is invariant, rises, falls, turns (rises and then falls,
or the reverse), or does either, depending on the classifier ([measured](class-balance.md)). `make
catalogue` writes this page.
"""


def text() -> str:
    """Return the catalogue as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    bases = sum(m._preset_of is None for m in METRICS.values())
    yield HEAD.format(count=len(METRICS), bases=bases)
    for family, (title, _) in FAMILIES.items():
        yield f"## {title}\n"
        yield "| metric | also called | formula | range, better | undefined when | balance |"
        yield "|---|---|---|---|---|---|"
        for m in METRICS.values():
            if m.family == family:
                yield _row(m)
        yield ""
    yield "## Curves\n"
    yield "`ev.curve(NAME)` or `tallymark curve FILE NAME`; any metric of decisions is one, too,"
    yield "against the threshold.\n"
    yield "| curve | is |"
    yield "|---|---|"
    for name, curve in CURVES.items():
        yield f"| [{name}](curves.md#{name}) | {curve.meaning} |"
    yield "\n## Sources\n"
    cited = dict.fromkeys(key for m in METRICS.values() for key in m.words.sources)
    for told in sorted(map(cite, cited)):
        yield f"- {told}"


def _row(m: Metric) -> str:
    low, high = (f"{x:g}".replace("inf", "∞") for x in m.range)
    formula = f"{m._preset_of} at {_params(m)}" if m._preset_of else m.words.formula
    cells = [
        f"[{m.name}](behaviour.md#{m.name})",
        ", ".join(m.aliases),
        formula,
        f"{low} to {high}, {m.better}",
        "; ".join(m.undefined),
        balance(m).kind,
    ]
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def _params(m: Metric) -> str:
    base = METRICS[m._preset_of or ""].params
    changed = {k: v for k, v in m.params.items() if base[k] != v} or m.params
    return ", ".join(f"{k}={v!r}" for k, v in changed.items())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
