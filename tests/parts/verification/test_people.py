"""Intervals where people recur in many comparisons, against sums over all pairs of comparisons."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.special import expit, logit
from scipy.stats import t as student

import tallymark as tm
from asymmetric import wilson
from tallymark.cli import main
from tallymark.parts.verification.words import about, few_errors

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "statistics" / "dyadic.json"


def compared(people=14, seed=0, each=3, every=1):
    """Return a table of comparisons with two columns of people, shuffled."""
    rng = np.random.default_rng(seed)
    lenient = rng.exponential(size=people) - 0.8
    a, b = (v[::every] for v in np.triu_indices(people, 1))
    swapped = rng.random(len(a)) < 0.4
    a, b = np.where(swapped, b, a), np.where(swapped, a, b)
    own = np.repeat(np.arange(people), each)
    scores = np.concatenate((
        2.2 + lenient[own] + rng.normal(size=len(own)),
        0.5 * (lenient[a] + lenient[b]) + rng.normal(size=len(a)),
    ))  # fmt: skip
    rows = pd.DataFrame({
        "subject_a": [f"p{i}" for i in (*own, *a)],
        "subject_b": [f"p{i}" for i in (*own, *b)],
        "kind": ["genuine"] * len(own) + ["impostor"] * len(a),
        "score": scores.round(3),
    })  # fmt: skip
    return rows.sample(frac=1, random_state=seed)


# -- a slow twin: every pair of comparisons that share a person ----------------------------------


def slow(rows, influences):
    """Return the variance and degrees of freedom of a sum of influences, one for each comparison.

    The products of all pairs of comparisons that share a person are added up, with each
    comparison paired with itself; P/(P - 1) corrects for the mean.
    """
    sides = [{a, b} for a, b in zip(rows["subject_a"], rows["subject_b"], strict=True)]
    people = sorted(set().union(*(s for s, e in zip(sides, influences, strict=True) if e == e)))
    e = np.nan_to_num(influences)
    shared = least = 0.0
    for i, one in enumerate(sides):
        for j, other in enumerate(sides):
            shared += e[i] * e[j] * bool(one & other)
            least += e[i] * e[j] * (one == other)
    p = len(people)
    sums = [sum(e[i] for i, s in enumerate(sides) if who in s) for who in people]
    second, fourth = sum(s**2 for s in sums), sum(s**4 for s in sums)
    freedom = min(2 * second**2 / (fourth - second**2 / p), p - 1)
    return max(p / (p - 1) * shared, least), freedom


def bounds(value, variance, freedom, level):
    half = student.ppf((1 + level) / 2, freedom) * math.sqrt(variance) / (value * (1 - value))
    return expit(logit(value) - half), expit(logit(value) + half)


def influences_at(rows, cut):
    """Return each comparison's share of the error in FMR and in FNMR; NaN in the other one."""
    mated, high = (rows["kind"] == "genuine").to_numpy(), (rows["score"] >= cut).to_numpy()
    n, m = (~mated).sum(), mated.sum()
    fmr, fnmr = high[~mated].mean(), (~high)[mated].mean()
    return np.where(mated, np.nan, (high - fmr) / n), np.where(mated, (~high - fnmr) / m, np.nan)


def slope_about(rows, cut):
    """Return the fall of FNMR over FMR ± 1.5 standard errors, along straight pieces of the ROC."""
    mated = (rows["kind"] == "genuine").to_numpy()
    s = rows["score"].to_numpy()
    cuts = [math.inf, *sorted(set(s), reverse=True)]
    fmr = [(s[~mated] >= c).mean() for c in cuts]
    fnmr = [(s[mated] < c).mean() for c in cuts]
    here = (s[~mated] >= cut).mean()
    error = math.sqrt(slow(rows, influences_at(rows, cut)[0])[0]) or 1 / (~mated).sum()
    low, high = max(here - 1.5 * error, 0), here + 1.5 * error
    left, right = np.interp([low, high], fmr, fnmr)
    return (left - right) / (high - low)


@pytest.mark.parametrize(("seed", "level"), [(0, 0.95), (1, 0.8), (2, 0.95)])
def test_rates_at_a_threshold_are_the_sum_over_all_pairs_that_share_a_person(seed, level):
    rows = compared(seed=seed)
    ev = tm.verify(rows, threshold=1.4, level=level)
    for name, influences in zip(("FMR", "FNMR"), influences_at(rows, 1.4), strict=True):
        v = ev[{"FMR": "FAR", "FNMR": "FRR"}[name]]
        variance, freedom = slow(rows, influences)
        assert v.se == pytest.approx(math.sqrt(variance))
        assert (v.low, v.high) == pytest.approx(bounds(v.value, variance, freedom, level))
        assert v.method == "dyadic, by people, Student's t, logit scale"
        few = f"it depends mostly on few people ({freedom:.1f} degrees of freedom)"
        assert v.warning == (few if freedom < 10 else None)
        other = ev[{"FMR": "specificity", "FNMR": "sensitivity"}[name]]
        assert (other.low, other.high) == pytest.approx((1 - v.high, 1 - v.low))


@pytest.mark.parametrize("seed", [0, 3])
def test_rates_along_the_curve_weigh_both_errors_by_its_slope(seed):
    rows = compared(seed=seed)
    ev = tm.verify(rows)
    (found,) = ev.verification().values()
    kept = found.at_fmr[0]  # FMR = 0.01
    assert kept.fnmr.method.startswith("no interval: 91 negatives are too few")
    v = ev.value("false_negative_rate_at_fpr", fpr=0.08)
    impostors = rows["score"][rows["kind"] == "impostor"]
    cut = min(c for c in rows["score"] if (impostors >= c).mean() <= 0.08)
    f, g = map(np.nan_to_num, influences_at(rows, cut))
    variance, freedom = slow(rows, g + slope_about(rows, cut) * f)
    assert v.se == pytest.approx(math.sqrt(variance))
    assert (v.low, v.high) == pytest.approx(bounds(v.value, variance, freedom, 0.95))
    errors = int((impostors >= cut).sum())
    assert v.warning.endswith(f"it rests on only {errors} false matches")
    f, g = map(np.nan_to_num, influences_at(rows, found.eer_threshold))
    falls = slope_about(rows, found.eer_threshold)
    variance, freedom = slow(rows, falls / (1 + falls) * f + g / (1 + falls))
    assert found.eer.se == pytest.approx(math.sqrt(variance))
    wanted = bounds(found.eer.value, variance, freedom, 0.95)
    assert (found.eer.low, found.eer.high) == pytest.approx(wanted)


def test_the_roc_area_weighs_placements_by_people():
    rows = compared(seed=4)
    mated, s = (rows["kind"] == "genuine").to_numpy(), rows["score"].to_numpy()
    below = np.sign(s[mated][:, None] - s[~mated]) / 2 + 0.5
    influences = np.empty(len(s))
    influences[mated] = (below.mean(1) - below.mean()) / mated.sum()
    influences[~mated] = (below.mean(0) - below.mean()) / (~mated).sum()
    v = tm.verify(rows)["roc_auc"]
    variance, freedom = slow(rows, influences)
    assert v.se == pytest.approx(math.sqrt(variance))
    assert (v.low, v.high) == pytest.approx(bounds(v.value, variance, freedom, 0.95))
    assert tm.verify(rows)["decidability"].method == (
        "no interval: people recur, and this metric has no interval that allows for it"
    )


@pytest.mark.skipif(not GOLDEN.exists(), reason="../shared is missing")
def test_golden_cases():
    for case in json.loads(GOLDEN.read_text("utf-8"))["cases"]:
        mated = np.array(case["mated"]) == 1
        rows = pd.DataFrame({
            "probe": case["probe"], "reference": case["reference"], "score": case["score"],
            "kind": np.where(mated, "mated", "non-mated"),
        })  # fmt: skip
        ev = tm.verify(rows, threshold=case["threshold"])
        for name, rate in (("fmr", "FAR"), ("fnmr", "FRR")):
            wanted, v = case["expected"][name], ev[rate]
            assert v.value == pytest.approx(wanted["value"])
            assert v.se**2 == pytest.approx(wanted["variance"])
            assert (v.low, v.high) == pytest.approx((wanted["low"], wanted["high"]))
        people = next(iter(ev.verification().values())).people
        assert (people.mated, people.non_mated) == (
            case["expected"]["fnmr"]["people"],
            case["expected"]["fmr"]["people"],
        )


# -- which columns hold people -------------------------------------------------------------------

NAMES = [("subject_a", "subject_b"), ("id1", "id2"), ("probe", "gallery"), ("Probe", "template"),
         ("enrol_spk", "test_spk"), ("reference_id", "query_id")]  # fmt: skip


@pytest.mark.parametrize("names", NAMES)
def test_people_are_found_by_name_and_values(names, tmp_path):
    rows = compared()
    named = rows.rename(columns=dict(zip(("subject_a", "subject_b"), names, strict=True)))
    named.to_csv(tmp_path / "scores.csv", index=False)
    wanted = tm.verify(rows)["EER"]
    for data in (named, tmp_path / "scores.csv"):
        ev = tm.verify(data)
        assert ev.source.read_as == (
            "Read as: truth = `kind` (genuine is positive), score = `score`, people = "
            f"`{names[0]}`, `{names[1]}`."
        )
        assert (ev["EER"].low, ev["EER"].high) == pytest.approx((wanted.low, wanted.high))


def test_people_are_named_by_the_user():
    rows = compared().rename(columns={"subject_a": "x", "subject_b": "y"})
    found, wanted = tm.verify(rows, probe="x", reference="y"), tm.verify(compared())
    assert found["EER"].high == wanted["EER"].high
    assert found.source.sentence.endswith("people = `x`, `y`. Change with kind=..., score=...")
    turned = tm.verify(rows, probe="y", reference="x")
    assert turned["FAR"].high == tm.verify(compared())["FAR"].high
    (note,) = (n for n in wanted.notes if n.rule == "people")
    mated = 14
    of_pairs = pd.concat([compared()["subject_a"], compared()["subject_b"]])
    of_pairs = of_pairs[(compared()["kind"] == "impostor").to_numpy().tolist() * 2]
    n = of_pairs.value_counts().to_numpy()
    assert note.text == (
        f"14 people recur in the comparisons: genuine ones are worth {mated} people, impostor ones "
        f"{n.sum() ** 2 / (n**2).sum():.0f} (effective numbers). Intervals treat people, not "
        "comparisons, as independent; bands of curves and differences between systems allow for "
        "one of the two people only"
    )


def changed(rows, kind, how):
    """Return rows of which one of a kind has other people."""
    at = rows.index[rows["kind"] == kind][0]
    rows = rows.copy()
    rows.loc[at, "subject_b"] = how if how else rows.loc[at, "subject_a"]
    return rows


@pytest.mark.parametrize("rows", [
    changed(compared(), "genuine", "p99"),
    changed(compared(), "impostor", ""),
    compared().assign(subject_b=lambda f: f["subject_b"].where(f.index != 7)),
    compared().drop(columns="subject_b"),
    compared().assign(subject_b="p1"),
])  # fmt: skip
def test_columns_that_cannot_say_who_is_compared_leave_no_interval(rows):
    ev = tm.verify(rows, threshold=1.4)
    for name in ("FAR", "FRR", "EER", "fmr100", "roc_auc", "decidability"):
        assert ev[name].method == "no interval: people recur, and who is compared is not known"
        assert math.isnan(ev[name].low)
    of_class = ev.per_class()["score"]["genuine"]["sensitivity"]
    assert math.isnan(of_class.low)
    columns = [c for c in ("subject_a", "subject_b") if c in rows and rows[c].nunique() > 1]
    (note,) = (n for n in ev.notes if n.rule == "people-not-known")
    assert note.text == (
        f"values of {' and '.join(f'`{c}`' for c in columns)} repeat, so people recur in the "
        "comparisons, and who is compared is not known: there are no intervals, and bands of "
        "curves and differences between systems are too narrow. Name the columns with the person "
        "of either side with probe=... and reference=..., or say how many people there are with "
        "people=..."
    )


def test_a_number_of_people_counts_half_of_them():
    rows = compared(40).drop(columns="subject_b")
    ev = tm.verify(rows, threshold=1.4, people=40, level=0.8)
    z = 1.2815515655446004
    for name in ("FAR", "FRR", "EER"):
        v = ev[name]
        assert (v.low, v.high) == pytest.approx(wilson(v.value * 20, 20, z))
        assert (v.method, v.warning) == ("Wilson, 20 comparisons taken as independent", None)
    assert ev["fmr100"].warning == (
        "it rests on only 7 false matches; it takes the threshold of this FMR as known"
    )
    assert [n.text for n in ev.notes if n.rule == "number-of-people"] == [
        "40 people recur in the comparisons, and who is compared is not known: intervals count half "
        "of them as independent comparisons. Bands of curves and differences between systems are "
        "too narrow"
    ]
    alone = tm.verify([0.9, 0.8, 0.4], [0.1, 0.5], threshold=0.45, people=500)["FRR"]
    assert alone.high == pytest.approx(wilson(1, 3, 1.959963984540054)[1])
    with pytest.raises(tm.InputError) as refused:
        tm.verify(compared(), people=40)
    assert str(refused.value) == (
        "people says how many there are where nothing tells who is compared, and 'subject_a', "
        "'subject_b' tells it; leave people out"
    )
    with pytest.raises(tm.InputError, match="probe does not go with arrays; give one table"):
        tm.verify([0.9], [0.1], probe="a", reference="b")


def test_where_nothing_says_that_people_recur_the_condition_is_told():
    rows = compared().drop(columns=["subject_a", "subject_b"])
    ev = tm.verify(rows)
    assert ev["EER"].method == "Dirichlet posterior, 1,000 draws"
    assert [n.text for n in ev.notes if n.rule == "people-of-their-own"] == [
        "intervals hold only if each comparison has people of its own. If people recur, name their "
        "columns with probe=... and reference=..., or say how many there are with people=..."
    ]
    told = {n.rule for n in tm.verify(compared(), cluster=False).notes}
    assert not told & {"people", "people-of-their-own", "people-not-known"}


# -- few errors, saving, the command -------------------------------------------------------------


def test_no_error_is_worth_the_comparisons_that_share_nobody():
    rows = compared(12)
    ev = tm.verify(rows, threshold=99.0)
    (v,) = ev.verification().values()
    z = 1.959963984540054
    assert v.stated.fmr.high == pytest.approx(wilson(0, 6, z)[1])
    assert v.stated.fmr.method == "Wilson, 6 comparisons taken as independent"
    assert v.stated.fnmr.low == pytest.approx(wilson(12, 12, z)[0])
    assert about(ev, v).startswith("36 genuine and 66 impostor comparisons of 12 people;")
    lines = few_errors(v)
    assert (
        "No false match in 66 impostor comparisons, of which 6 can be independent: the FMR at a "
        "threshold of 99 is below 0.500 with 95 % confidence (rule of 3)."
    ) in lines
    assert (
        "The thresholds of FMR = 0.01, 0.001 and 0.0001 rest on fewer than 30 false matches, and "
        "people recur in the comparisons, which leaves them uncertain (rule of 30)."
    ) in lines
    assert lines[-1] == (
        "No false match is left at FMR = 0.01, 0.001 and 0.0001: of 6 comparisons that can be "
        "independent that only shows an FMR below 0.500 with 95 % confidence (rule of 3)."
    )
    (v,) = tm.verify(rows.drop(columns="subject_a"), threshold=99.0).verification().values()
    assert few_errors(v)[0] == (
        "No false match in 66 impostor comparisons, and people recur in them: how low the FMR is "
        "remains open."
    )


def test_few_people_are_told():
    rows = compared(6)
    (v,) = tm.verify(rows, threshold=1.4).verification().values()
    assert v.eer.warning.startswith("it depends mostly on few people (")
    assert few_errors(v)[0] == f"Equal error rate (EER): {v.eer.warning}."


def test_people_are_saved_and_pooled(tmp_path):
    rows = compared().assign(other=lambda f: f["score"].round(1))
    ev = tm.verify(rows, score=["score", "other"], threshold=1.4)
    ev.to_json(tmp_path / "a.json")
    again = tm.read(tmp_path / "a.json")
    for name in ("FAR", "FRR", "EER", "roc_auc"):
        assert again.model("other")[name] == ev.model("other")[name]
    assert [v.to_dict() for v in again.verification().values()] == [
        v.to_dict() for v in ev.verification().values()
    ]
    second = tm.verify(rows, score=["score", "other"], threshold=1.4)
    second.to_json(tmp_path / "b.json")
    both = tm.read([tmp_path / "a.json", tmp_path / "b.json"]).model("score")
    assert both["FAR"].value == ev.model("score")["FAR"].value
    assert both["FAR"].se == pytest.approx(ev.model("score")["FAR"].se)  # the same people twice


def test_comparisons_without_a_score_leave_the_people_of_the_others():
    rows = compared()
    gap = rows.assign(score=lambda f: f["score"].where(np.arange(len(f)) % 9 != 0))
    ev = tm.verify(gap, missing="drop", threshold=1.4)
    wanted = tm.verify(gap.dropna(), threshold=1.4)
    assert (ev["FAR"].low, ev["FRR"].high) == (wanted["FAR"].low, wanted["FRR"].high)


def test_the_command(tmp_path):
    file = tmp_path / "s.csv"
    compared().rename(columns={"subject_a": "x", "subject_b": "y"}).to_csv(file, index=False)

    def run(*args):
        result = CliRunner().invoke(main, ["verify", str(file), "--full", *args])
        return result.exit_code, " ".join(result.output.split())

    code, text = run("--probe", "x", "--reference", "y")
    assert (code, "14 people recur in the comparisons" in text) == (0, True)
    code, text = run("--people", "14")
    assert (code, "intervals count half of them" in text) == (0, True)
    code, text = run()
    assert "name their columns with --probe and --reference" in text
    code, text = run("--probe", "x")
    assert (code, "probe and reference say together who is compared" in text) == (2, True)


def test_another_threshold_has_the_interval_of_its_own_errors():
    rows = compared()
    ev, wanted = tm.verify(rows, threshold=0.2).at(threshold=1.4), tm.verify(rows, threshold=1.4)
    assert (ev["FAR"].low, ev["FRR"].high) == (wanted["FAR"].low, wanted["FRR"].high)
    turned = tm.verify(rows.assign(score=-rows["score"]), threshold=-1.4, higher_is="impostor")
    assert (turned["FAR"].low, turned["FRR"].high) == (wanted["FAR"].low, wanted["FRR"].high)


def test_people_who_err_equally_often_count_as_one_comparison_each():
    rows = compared(20, each=4)
    own = rows["kind"] == "genuine"
    place = rows[own].groupby("subject_a").cumcount()
    rows.loc[own, "score"] = place.map({0: 0.0, 1: 5.0, 2: 6.0, 3: 7.0})
    v = tm.verify(rows, threshold=3.0)["FRR"]
    assert (v.low, v.high) == pytest.approx(wilson(5, 20, 1.959963984540054))
    assert v.method == "Wilson, 20 comparisons taken as independent"
