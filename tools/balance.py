"""Write docs/class-balance.md and its figure: what every metric does as negatives multiply.

python tools/balance.py docs/class-balance.md
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from tallymark.metric import METRICS, get
from tallymark.metric.skew import CLASSIFIERS, FACTORS, KINDS, REFERENCE, Kind, balance
from tallymark.tally.labels import Counts

CLAIMED: dict[str, tuple[str, ...]] = {
    "insensitive": (
        "sensitivity", "specificity", "false_positive_rate", "false_negative_rate",
        "positive_likelihood_ratio", "negative_likelihood_ratio", "youden_j", "discriminant_power",
        "balanced_accuracy", "balanced_error_rate", "geometric_mean", "roc_auc",
    ),
    "sensitive": (
        "accuracy", "error_rate", "precision", "negative_predictive_value", "matthews_corrcoef",
        "f1", "f2", "f0_5", "markedness", "optimization_precision", "jaccard",
        "average_precision",
    ),
    "slightly sensitive": ("adjusted_geometric_mean",),
    "nothing": (
        "false_discovery_rate", "false_omission_rate", "diagnostic_odds_ratio", "adjusted_f",
        "cohen_kappa", "fowlkes_mallows", "balance", "equal_error_rate",
    ),
}  # fmt: skip
"""What Tharwat (2018), sections 2.1 to 2.9 and 3 to 5, says of each metric."""

SAID_TO_CHANGE = ("accuracy", "precision", "negative_predictive_value", "error_rate",
                  "optimization_precision", "f1", "jaccard")  # fmt: skip
"""Its closing example says that only these do, error rate and OP left out of the last sentence."""

DRAWN = ("precision", "negative_predictive_value", "accuracy", "f1", "matthews_corrcoef",
         "youden_j")  # fmt: skip


def text() -> str:
    """Return the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Class balance\n"
    yield "What does a metric do where positives are rarer than in the test set? Multiply the rows"
    yield "of the negative class, leave the classifier as it is, so that both its rates stay, and"
    yield "look. Nothing on this page is written down by hand:"
    yield "`make measure WHAT=balance` measures every metric"
    yield f"from its function, over factors from {FACTORS[0]:g} to {FACTORS[-1]:,.0f} and several"
    yield "classifiers. `tallymark metrics --balance invariant` lists by it, `tallymark explain"
    yield "METRIC` tells it of one, `ev.at(prevalence=0.01)` does it to your own numbers, with"
    yield 'intervals, and `ev.curve(METRIC, over="prevalence")` draws it.\n'
    yield "![Metrics against the share of positives](figures/class-balance.svg)\n"
    yield "The classifier of the figure has a true positive rate of 0.7 and a true negative rate of"
    yield "0.8. Bands are 95 % intervals for 100 rows of each class.\n"
    yield from _example()
    yield from _agm()
    yield from _all()


def _example() -> Iterator[str]:
    yield "## The example of the literature\n"
    yield "Tharwat (2018) compares TP 70, FN 30, TN 80, FP 20 with the same classifier on ten times"
    yield "as many negatives: TP 70, FN 30, TN 800, FP 200. What the paper says of each metric,"
    yield "and what its function does:\n"
    yield "| metric | said to be | 80 / 20 | 800 / 200 | measured | the claim |"
    yield "|---|---|---|---|---|---|"
    for claim, names in CLAIMED.items():
        for name in names:
            b = balance(get(name))
            moves = b.kind != "invariant"
            holds = {"insensitive": not moves, "nothing": None}.get(claim, moves)
            if claim == "slightly sensitive":
                holds = _most(name) < SLIGHT
            verdict = "none" if holds is None else "holds" if holds else "fails"
            ours = (b.before, b.after) if get(name)._needs in ("counts", "matrix") else None
            numbers = f"{ours[0]:.4f} | {ours[1]:.4f}" if ours else "– | –"
            yield f"| {name} | {claim} | {numbers} | {KINDS[b.kind]} | {verdict} |"
    changed = [m.name for m in METRICS.values() if m._needs in ("counts", "matrix")
               and balance(m).kind != "invariant" and m.name not in SAID_TO_CHANGE]  # fmt: skip
    yield ""
    yield "The paper closes its example with the words that only accuracy, precision, NPV, error"
    yield "rate, OP, F-measure and Jaccard change. They do, but that claim fails: so do"
    yield ", ".join(f"`{n}`" for n in changed) + ".\n"
    yield "The ROC curve, its area and the equal error rate stay; the precision-recall curve and"
    yield "its area move. Both claims hold.\n"


SLIGHT = 0.05
"""A move of less, with ten times more negatives, counts as slight."""


def _most(name: str) -> float:
    """Return the largest move that ten times more negatives make, over several classifiers."""
    metric, found = get(name), []
    for c in CLASSIFIERS:
        more = Counts(c.tp, 10 * c.fp, c.fn, 10 * c.tn)
        found.append(abs(float(metric.compute(more)) - float(metric.compute(c))))
    return max(found)


def _agm() -> Iterator[str]:
    agm = get("adjusted_geometric_mean")
    yield "### The adjusted geometric mean\n"
    yield "The paper prints AGM with the *number* of negatives as its weight. It is then no measure"
    yield "of the classifier alone: it depends on how many rows were counted, and tends to the true"
    yield "negative rate as they grow, whatever the true positive rate is. With the *share* of"
    yield "negatives, as Batuwita and Palade define it, it does not depend on the number of rows,"
    yield "but still moves with the class balance: little in the example, and by"
    yield f"{_most('adjusted_geometric_mean'):.3f} for another classifier. Neither form is"
    yield "insensitive:\n"
    yield "| negatives | by share (ours) | by count (as printed) |"
    yield "|---|---|---|"
    for factor in (1, 10, 100, 1000):
        c = Counts(REFERENCE.tp, REFERENCE.fp * factor, REFERENCE.fn, REFERENCE.tn * factor)
        share, count = (float(agm.compute(c, counts=n)) for n in (False, True))
        yield f"| × {factor:,} | {share:.5f} | {count:.5f} |"
    yield ""


def _all() -> Iterator[str]:
    yield "## Every metric\n"
    yield "At the reference classifier with ten times more negatives: rates 0.7 and 0.8 and as many"
    yield "negatives as positives for metrics of decisions, a fixed ranking for those of scores.\n"
    order: list[Kind] = list(KINDS)
    # Several labels a row have no one balance.
    measured = [balance(m) for m in METRICS.values() if m.family != "multi-label"]
    found = sorted(measured, key=lambda b: order.index(b.kind))
    for kind in order:
        members = [b for b in found if b.kind == kind]
        yield f"### {len(members)} metrics: {KINDS[kind]}\n"
        if kind == "invariant":
            yield ", ".join(f"`{b.metric}`" for b in members) + ".\n"
            continue
        yield "| metric | before | with ten times more negatives | change |"
        yield "|---|---|---|---|"
        for b in members:
            yield f"| {b.metric} | {b.before:.4g} | {b.after:.4g} | {b.change:+.4g} |"
        yield ""


def figure(path: Path) -> None:
    """Draw the figure: the reference classifier's metrics over the share of positives."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    import tallymark as tm

    c = REFERENCE
    y = [1] * int(c.positives) + [0] * int(c.negatives)
    called = [1] * int(c.tp) + [0] * int(c.fn) + [1] * int(c.fp) + [0] * int(c.tn)
    with mpl.rc_context({"svg.hashsalt": "tallymark", "svg.fonttype": "none"}):
        fig = Figure(figsize=(7.6, 4.2), layout="constrained")
        tm.plot.prevalence(tm.evaluate(y, called), list(DRAWN), ax=fig.subplots())
        path.parent.mkdir(parents=True, exist_ok=True)
        fig.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(text(), encoding="utf-8")
    figure(page.parent / "figures" / "class-balance.svg")
