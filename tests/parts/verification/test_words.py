"""What is said of a system's error rates, whole, with errors that are counted apart."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from asymmetric import wilson
from tallymark import quantities
from tallymark.parts.verification.words import about, few_errors, finding, of_system
from tallymark.report.subjects.decision import decision

Z = 1.959963984540054
RNG = np.random.default_rng(3)
GENUINE, IMPOSTOR = RNG.normal(2.4, 1, 80).round(3), RNG.normal(0, 1, 3200).round(3)
"""At a FMR of 0.01 thirty-two impostors are let in, at 0.001 three, at 0.0001 none."""


def found(threshold=None, genuine=GENUINE, impostor=IMPOSTOR, **options):
    ev = tm.verify(genuine, impostor, threshold=threshold, **options)
    (v,) = ev.verification().values()
    return ev, v


def shown(x):
    return f"{x:.3f}" if x >= 0.001 else f"{x:.2g}"


def percents(low, high):
    return f"{100 * low:.2f} to {100 * high:.2f} %"


def cut_at(fmr, impostor=IMPOSTOR, genuine=GENUINE):
    """Return the lowest threshold that lets in no more than this share of impostors."""
    return min(c for c in np.unique([*impostor, *genuine]) if (impostor >= c).mean() <= fmr)


def test_the_comparisons_and_the_equal_error_rate():
    ev, v = found(2.0)
    assert about(ev, v) == "80 genuine and 3,200 impostor comparisons; scores are similarities"
    distances, w = found(-2.0, -GENUINE, -IMPOSTOR, higher_is="impostor")
    assert about(distances, w) == (
        "80 genuine and 3,200 impostor comparisons; scores are distances, drawn with their sign "
        "changed"
    )
    gaps = pd.DataFrame({
        "kind": ["mated"] * 80 + ["non-mated"] * 3200,
        "score": [None, *GENUINE[1:], *IMPOSTOR],
    })  # fmt: skip
    ev = tm.verify(gaps, missing="drop")
    (u,) = ev.verification().values()
    assert about(ev, u) == (
        "79 genuine and 3,200 impostor comparisons; 1 without a score are left out, so that FMR and "
        "FNMR count no failure to acquire; scores are similarities"
    )
    rejected = (cut_at(0.01) > GENUINE).mean()
    at = v.at_fmr[0].fnmr
    assert at.value == rejected
    assert of_system(v, 0.95) == (
        f"The equal error rate (EER) of system is {100 * v.eer.value:.2f} % (95 % CI "
        f"{percents(v.eer.low, v.eer.high)}). At a false match rate (FMR) of 0.01 its false "
        f"non-match rate (FNMR) is {100 * rejected:.2f} % ({percents(at.low, at.high)})."
    )
    few = found(2.0, impostor=IMPOSTOR[:2999])[1]  # of 2,999, 30 errors are more than 1 %
    assert "At FMR" not in of_system(few, 0.95)
    assert "At a false match rate (FMR) of 0.01" in of_system(
        found(2.0, impostor=IMPOSTOR[:3000])[1], 0.95
    )


def test_what_few_errors_leave_open():
    _, v = found(2.0)
    false, missed = int((IMPOSTOR >= 2).sum()), int((GENUINE < 2).sum())
    assert false > 30
    assert missed > 1
    lines = few_errors(v)
    wanted = f"{math.ceil(30 * 80 / missed):,}"
    rests = (
        f"The FNMR at a threshold of 2 rests on {missed} false non-matches; ±30 % at 90 % "
        f"confidence takes 30 errors, about {wanted} genuine comparisons (rule of 30)."
    )
    assert (missed >= 30) != (lines[0] == rests)
    assert lines[-2:] == [
        "The thresholds of FMR = 0.001 and 0.0001 rest on fewer than 30 false matches; ±30 % at "
        "90 % confidence takes 30,000 and 300,000 independent impostor comparisons (rule of 30).",
        "No false match is left at FMR = 0.0001: of 3,200 impostor comparisons that only shows an "
        "FMR below 0.00094 with 95 % confidence (rule of 3).",
    ]
    assert len(lines) == 2 + (missed < 30)


@pytest.mark.parametrize("of", [(4, 3, 1), (30, 29, 30), (12, 0, 1), (7, 5, 0)])
def test_the_rules_of_3_and_of_30_at_their_limits(of):
    rows, missed, false = of
    genuine = np.repeat([0.2, 0.9], [missed, rows])
    impostor = np.repeat([0.8, 0.1], [false, 200])
    v = found(0.5, genuine, impostor)[1]
    n, m = missed + rows, false + 200
    lines = []
    for rate, error, kind, errors, total in (
        ("FMR", "false match", "impostor", false, m),
        ("FNMR", "false non-match", "genuine", missed, n),
    ):
        if not errors:
            lines.append(
                f"No {error} in {total} {kind} comparisons: the {rate} at a threshold of 0.5 is "
                f"below {shown(3 / total)} with 95 % confidence (rule of 3)."
            )
        elif errors < 30:
            lines.append(
                f"The {rate} at a threshold of 0.5 rests on {errors} {error}"
                f"{'es' * (errors > 1)}; ±30 % at 90 % confidence takes 30 errors, about "
                f"{math.ceil(30 / (errors / total)):,} {kind} comparisons (rule of 30)."
            )
    assert few_errors(v)[: len(lines)] == lines
    alone = few_errors(found(None, genuine, impostor)[1])
    assert not any("stated" in line for line in alone)


def test_the_table_of_a_system():
    _, v = found(2.0)
    false, missed = int((IMPOSTOR >= 2).sum()), int((GENUINE < 2).sum())
    text = [" ".join(line.split()) for line in str(v).splitlines()]
    assert text[0] == "error rate value 95 % interval threshold errors seen"

    def row(title, errors, n, cut, seen):
        low, high = wilson(errors, n, Z)
        value, *ends = quantities.to_width(errors / n, low, high)
        return f"{title} {value} {ends[0]} to {ends[1]} {cut:.5g} {seen}"

    assert text[2] == row("False match rate (FMR)", false, 3200, 2.0, f"{false} of 3,200")
    assert text[3] == row("False non-match rate (FNMR)", missed, 80, 2.0, f"{missed} of 80")
    for line, power, mark in zip(text[4:], (2, 3, 4), "²³⁴", strict=False):
        cut = cut_at(10.0**-power)
        errors = int((cut <= IMPOSTOR).sum())
        digits = 2 if " to " in line else 3  # without an interval, three decimals
        assert line.startswith(f"FNMR at FMR = 10⁻{mark} {(cut > GENUINE).mean():.{digits}f} ")
        assert line.endswith(f" {cut:.5g} {errors} false match{'es' * (errors != 1)}")


def test_one_comparison_of_a_kind_is_enough_to_say_something():
    for genuine, impostor in (([0.9], [0.1, 0.2, 0.3]), ([0.9, 0.8], [0.1])):
        v = found(0.5, np.array(genuine), np.array(impostor))[1]
        assert (v.mated, v.non_mated) == (len(genuine), len(impostor))
        assert (v.stated.false_matches, v.stated.false_non_matches) == (0, 0)


def test_the_finding_is_a_rate_or_the_system_with_the_lowest():
    ev, v = found()
    result = decision(ev)
    at = v.at_fmr[0].fnmr.value
    assert at == (cut_at(0.01) > GENUINE).mean()
    assert result.title == f"The equal error rate (EER) is {100 * v.eer.value:.2f} %."
    bounds = percents(v.eer.low, v.eer.high)
    assert result.lead == f"95 % CI {bounds}.{of_system(v, 0.95).partition(').')[2]}"
    assert f" its false non-match rate (FNMR) is {100 * at:.2f} % (" in result.lead
    few = decision(found(None, GENUINE, IMPOSTOR[:200])[0])
    assert few.title.startswith("The equal error rate (EER) is ")
    y = np.repeat([1, 0], [80, 3200])
    good = np.concatenate([GENUINE, IMPOSTOR])
    frame = pd.DataFrame({"kind": y, "a" * 40: good - 1.2 * y, "good": good})
    ev = tm.verify(frame, kind="kind", score=["a" * 40, "good"], cluster=False)
    both, systems = decision(ev), ev.verification()
    assert both.title == f"good has the lowest equal error rate: {100 * v.eer.value:.2f} %."
    assert both.lead.startswith(of_system(systems["good"], 0.95))
    worse = systems["a" * 40].eer
    assert both.lead.endswith(
        f"Next is {'a' * 40}, EER {100 * worse.value:.2f} % ({percents(worse.low, worse.high)})."
    )
    swapped = finding([systems["a" * 40]] * 2)
    assert len(swapped) <= 60
    assert swapped.startswith("a" * 17 + "… has")
