"""What a gate prints, whole, with its intervals computed apart."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pytest
from scipy.stats import norm

import tallymark as tm
from asymmetric import tango, wilson
from tallymark import quantities

Y = [1] * 100 + [0] * 100
A, B = [1] * 90 + [0] * 105 + [1] * 5, [1] * 88 + [0] * 107 + [1] * 5
WHERE = ["north"] * 60 + ["south"] * 40 + ["north"] * 45 + ["south"] * 35 + ["east"] * 20
Z = norm.ppf(0.975)


def lines(gate):
    """Return what is printed, a line of text that was broken put together."""
    text = str(gate).replace("\n  ", " ")
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def share(hits, n):
    low, high = wilson(hits, n, Z)
    return f"{quantities.to_width(hits / n, low, high)[0]} {quantities.between(low, high)}"


def test_rules_of_one_model():
    rules = ["recall >= 0.8", "precision >= 0.99", "accuracy <= 0.9", "precision >= 90%"]
    found = tm.check(Y, y_pred=A, require=rules, strict=True)
    assert lines(found) == [
        "arrays, 200 rows; judged: model",
        "1 is the positive class; decisions as given.",
        "rule value 95 % interval limit verdict",
        f"recall {share(90, 100)} ≥ 0.8 pass",
        f"precision {share(90, 95)} ≥ 0.99 fail",
        f"accuracy {share(185, 200)} ≤ 0.9 undecided",
        f"precision {share(90, 95)} ≥ 0.9 undecided",
        "Where a number is at its limit, chance fails the rule in about 2.5 % of runs; any of 4 in "
        "up to 10.0 %.",
        "Failed: 1 fail, 2 undecided, 1 pass (strict: undecided fails).",
    ]
    low, high = wilson(90, 95, Z)
    bounds = f"95 % CI {low:.3f} to {high:.3f}"
    assert [f.text for f in found.findings][1::2] == [
        f"precision of model is 0.947 (≥ 0.99 wanted, {bounds}): the whole interval is beyond the "
        "limit.",
        f"precision of model is 0.947 (≥ 0.9 wanted, {bounds}): the limit lies in the interval.",
    ]
    assert [f.severity for f in found.findings] == ["info", "warning", "warning", "warning"]
    assert found.findings[1].numbers == {
        "value": 90 / 95, "low": pytest.approx(low), "high": pytest.approx(high), "limit": 0.99,
    }  # fmt: skip
    wide = tm.check(Y, y_pred=A, require="recall >= 0.8", level=0.9)
    assert lines(wide)[1:] == [
        "1 is the positive class; decisions as given.",
        "rule value 90 % interval limit verdict",
        "recall 0.900 {:.3f} to {:.3f} ≥ 0.8 pass".format(*wilson(90, 100, norm.ppf(0.95))),
        "Where a number is at its limit, chance fails the rule in about 5.0 % of runs.",
        "Passed: 1 pass.",
    ]


def test_several_models_and_what_is_forbidden():
    found = tm.check(Y, y_pred={"a": A, "b": B}, require="recall >= 0.8", forbid="few-rows")
    assert lines(found) == [
        "arrays, 200 rows; judged: a and b",
        "1 is the positive class; decisions as given.",
        "rule model value 95 % interval limit verdict",
        f"recall a {share(90, 100)} ≥ 0.8 pass",
        "few-rows a none none pass",
        f"recall b {share(88, 100)} ≥ 0.8 pass",
        "few-rows b none none pass",
        "Where a number is at its limit, chance fails the rule in about 2.5 % of runs; any of 2 in "
        "up to 5.0 %.",
        "Passed: 4 pass.",
    ]
    assert found.findings[1].text == "few-rows of a: checked, nothing found."
    few = tm.check(Y[90:130], y_pred=A[90:130], forbid="few-rows")
    said = tm.evaluate(Y[90:130], A[90:130]).notes
    (warning,) = (n for n in said if n.rule == "few-rows")
    assert lines(few)[1:] == [
        "1 is the positive class; decisions as given.",
        "rule value 95 % interval limit verdict",
        "few-rows found none fail",
        f"- fail, {warning.text}: few-rows of model.",
        "Failed: 1 fail.",
    ]
    assert (few.findings[0].remedy, few.exit_code) == (warning.remedy, 1)


def test_a_margin_on_all_rows_and_in_subgroups():
    found = tm.check(
        Y, y_pred={"a": A, "b": B}, no_worse="accuracy 0.03", baseline="a",
        subgroup={"where": WHERE},
    )  # fmt: skip
    assert lines(found)[0] == "arrays, 200 rows; judged: b, baseline: a"
    rights = [[int(said == y) for said, y in zip(column, Y, strict=True)] for column in (B, A)]
    places = {
        "all rows": None,
        "where=east": "east",
        "where=north": "north",
        "where=south": "south",
    }
    rows = []
    for name, where in places.items():
        at = [i for i in range(200) if where in (None, WHERE[i])]
        four = [
            sum((rights[0][i], rights[1][i]) == kind for i in at)
            for kind in ((1, 1), (1, 0), (0, 1), (0, 0))
        ]
        low, high = tango(*four, Z)
        gap = (four[1] - four[2]) / len(at)
        number, *ends = quantities.to_width(gap, low, high, "+")
        verdict = "pass" if low >= -0.03 else "undecided"
        rows.append((name, f"{number} {ends[0]} to {ends[1]} ≥ −0.030 {verdict}"))
    assert lines(found)[2:7] == [
        "rule subgroup value 95 % interval limit verdict",
        *(f"accuracy − a {name} {numbers}" for name, numbers in rows),
    ]
    assert lines(found)[7] == (
        "- undecided, too few rows to judge this subgroup: accuracy of b − a in where=east "
        f"({WHERE.count('east')})."
    )
    assert lines(found)[-2] == (
        "Where a number is at its limit, chance fails the rule in about 2.5 % of runs, over all "
        "subgroups together too (Holm); any of 2 in up to 5.0 %."
    )
    open_ones = {f.subgroup: f for f in found.findings if f.needed}
    for f in open_ones.values():
        width = (f.high - f.low) / 2 / Z
        n = {None: 200, "where=north": 105, "where=south": 75}[f.subgroup]
        wanted = n * ((Z + norm.ppf(0.8)) * width / 0.03) ** 2
        assert f.needed == pytest.approx(wanted, rel=0.05)
        assert f.text.endswith(
            "the limit lies in the interval. If both models are equal, about "
            f"{rounded_up(f.needed):,} rows would show it with a power of 80 %."
        )
    told = [line for line in lines(found) if "to show that it is no worse" in line]
    whole = [f.needed for f in open_ones.values() if not f.subgroup]
    parts = [f.needed for f in open_ones.values() if f.subgroup]
    takes = [f"{rounded_up(n):,} rows" for n in whole]
    takes += [f"up to {rounded_up(max(parts)):,} of a subgroup"] if parts else []
    assert told == [
        "accuracy of b − a: to show that it is no worse by the margin takes "
        f"{' and '.join(takes)}, if both models are equal (power 80 %)."
    ]


def rounded_up(n):
    """Return two leading digits, rounded up."""
    step = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return math.ceil(n / step) * step


def test_what_cannot_be_judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = tm.check(Y, y_pred=A, require="recall >= 0.8", no_worse=0.01, baseline="missing.json")
    assert lines(found)[3:] == [
        f"recall {share(90, 100)} ≥ 0.8 pass",
        "matthews_corrcoef − missing.json – ≥ −0.010 cannot judge",
        "- cannot judge, there is no file 'missing.json', and no model of that name: "
        "matthews_corrcoef of model − missing.json.",
        "Where a number is at its limit, chance fails the rule in about 2.5 % of runs; any of 2 in "
        "up to 5.0 %.",
        "Not judged: 1 cannot judge, 1 pass.",
    ]
    assert (found.exit_code, found.passed) == (3, False)
    assert found.findings[1].text == (
        "matthews_corrcoef of model − missing.json: there is no file 'missing.json', and no model "
        "of that name."
    )


def test_many_subgroups_are_counted_and_few_places_named():
    where = [f"w{i // 2:03d}" for i in range(240)]
    y = [0, 1] * 120
    found = tm.check(y, y_pred=y, require="accuracy >= 0.9", subgroup={"at": where})
    shown = lines(found)
    assert len(found.findings) == 121
    (reason,) = (line for line in shown if line.startswith("- "))
    assert reason == (
        "- undecided, too few rows to judge this subgroup: accuracy of model in at=w000 (2), "
        "accuracy of model in at=w001 (2), accuracy of model in at=w002 (2) and 117 more."
    )
    assert (
        shown[-1] == "Passed: 120 undecided, 1 pass. Undecided rules pass; strict=True fails them."
    )


def test_a_baseline_of_other_rows_is_called_so():
    here = tm.evaluate(Y, A, options={"name": "today"})
    there = tm.evaluate([1] * 40 + [0] * 160, [1] * 30 + [0] * 170, options={"name": "last year"})
    found = tm.check(here, no_worse="precision 0.02", baseline=there)
    assert found.notes[0] == (
        "last year is compared as another sample, since its rows are not paired with these: the "
        "intervals of the differences are wider than for two models in one file."
    )
    assert found.notes[1:] == (
        "1 makes up 0.5 of the rows in today and 0.2 in the baseline: precision differs for that "
        "reason alone; set the same prevalence with at(prevalence=...), or use other metrics",
    )
    assert found.findings[0].baseline == "last year"


def crossing(looks, runs=4000, rows=400, limit=0.7):
    """Return how often Wilson's interval of all rows so far is below its limit at any look."""
    rng, hits, below = np.random.default_rng(5), np.zeros(runs), np.zeros(runs, bool)
    for look in range(1, looks + 1):
        hits += rng.binomial(rows, limit, runs)
        n = rows * look
        below |= hits / n < limit - Z * np.sqrt(limit * (1 - limit) / n)
    return below.mean()


LOOKS = (
    "If a rule is judged after each of the {} {}, a model exactly at its limit fails it at least "
    "once in about {} % of runs."
)


@pytest.mark.parametrize(("batches", "percent"), [(2, 4), (10, 10), (60, 17)])
def test_rows_counted_in_batches_may_be_judged_after_each(batches, percent):
    tally = tm.Tallier()
    for y, said in zip(np.array_split(Y, batches), np.array_split(A, batches), strict=True):
        tally.update(y, said)
    expected = LOOKS.format(batches, "batches", percent)
    found = tm.check(tally.result(), require="recall >= 0.8")
    assert found.notes == (expected,)
    assert expected in " ".join(str(found).split())
    assert abs(percent / 100 - crossing(batches)) < 0.015


def test_rows_in_one_batch_and_codes_have_one_look(tmp_path):
    once, twice = tm.Tallier(), tm.Tallier()
    once.update(Y, A)
    assert tm.check(once.result(), require="recall >= 0.8").notes == ()
    for _ in range(2):
        twice.update(Y, A)
    assert tm.check(twice.result(), forbid="few-rows").notes == ()
    twice.result().to_json(tmp_path / "kept.json")
    again = tm.read(tmp_path / "kept.json")
    assert tm.check(again, require="recall >= 0.8").notes == (LOOKS.format(2, "batches", 4),)


def test_a_column_of_dates_shows_several_looks():
    days = [date(2026, 1, 1 + i % 20) for i in range(len(Y))]
    where = {"day": days, "date": list(map(str, days)), "desk": ["a-1-b", "b-1-c"] * (len(Y) // 2)}
    both = {name: tm.check(Y, y_pred=A, require="recall >= 0.8", subgroup={name: column})
            for name, column in where.items()}  # fmt: skip
    assert both["day"].notes == (LOOKS.format(20, "values of day", 13),)
    assert both["date"].notes == (LOOKS.format(20, "values of date", 13),)
    assert both["desk"].notes == ()
