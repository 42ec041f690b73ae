"""Error rates as blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tallymark import Value
from tallymark.core import (
    Block,
    Grid,
    Headline,
    Paragraph,
    count,
    interval,
    interval_head,
    words,
)
from tallymark.parts.verification.rates import Verification
from tallymark.parts.verification.words import AT_FMR, TITLES, few_errors


def verification(v: Verification) -> Iterator[Block]:
    """Yield the error rates of a system, and the uncertainty of few errors."""
    yield Headline(f"{v.system}: equal error rate (EER) {words.value(v.eer)}")
    yield rates_table(v, v.eer.level or 0.95)
    yield from (Paragraph(sentence, item=True) for sentence in few_errors(v))


def rates_table(v: Verification, level: float) -> Grid:
    """Return the table of a system: rates, intervals, thresholds and numbers of errors."""

    def row(title: str, value: Value, cut: float, errors: str = "") -> tuple[str, ...]:
        threshold = "above every score" if math.isinf(cut) else f"{cut:.5g}"
        return title, words.value(value), interval(value), threshold, errors

    rows = [row(TITLES["equal_error_rate"], v.eer, v.eer_threshold)]
    if v.stated is not None:
        s = v.stated
        for rate, errors, n in (
            (s.fmr, s.false_matches, v.non_mated),
            (s.fnmr, s.false_non_matches, v.mated),
        ):
            observed = f"{count(errors)} of {count(n)}"
            rows.append(row(TITLES[rate.metric], rate, s.threshold, observed))
    for r, name in zip(v.at_fmr, AT_FMR, strict=True):
        observed = f"{count(r.false_matches)} false match{'es' * (r.false_matches != 1)}"
        rows.append(row(TITLES[name], r.fnmr, r.threshold, observed))
    heads = ("error rate", "value", interval_head(level), "threshold", "errors seen")
    return Grid(heads, rows, left=(0, 2, 4), wrap=True)
