"""Gates: rules as they are written, verdicts by intervals, and how often chance fails a model."""

import json
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tallymark as tm
from judged import counted
from tallymark.findings.catalogue import every_rule


def counts(tp, fn, fp=10, tn=190):
    return [1] * (tp + fn) + [0] * (fp + tn), [1] * tp + [0] * fn + [1] * fp + [0] * tn


def simulated(n, seed, noise=0.5, shift=1.6):
    """Return labels, regions and probabilities of two models that see the same signal blurred."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    signal = rng.normal(size=n) + shift * y
    blurred = {"main": 0.5, "candidate": noise}
    scores = {
        name: 1 / (1 + np.exp(1.2 - signal - rng.normal(0, sd, n))) for name, sd in blurred.items()
    }
    return y, rng.choice(["east", "north", "south"], n), scores


def verdicts(gate):
    return [f.verdict for f in gate.findings]


# -- verdicts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tp", "fn", "rule", "verdict"),
    [
        # Wilson's interval of 90/100 is 0.8256 to 0.9448 (Newcombe 1998, method 3).
        (90, 10, "recall >= 0.825", "pass"),
        (90, 10, "recall >= 0.826", "undecided"),
        (90, 10, "recall >= 0.944", "undecided"),
        (90, 10, "recall >= 0.945", "fail"),
        (90, 10, "recall ≥ 94.5%", "fail"),
        (90, 10, "fnr <= 0.175", "pass"),
        (90, 10, "fnr <= 0.1", "undecided"),
        (90, 10, "fnr ≤ 5.5%", "fail"),
    ],
)  # fmt: skip
def test_a_rule_is_judged_by_the_whole_interval(tp, fn, rule, verdict):
    y, said = counts(tp, fn)
    found = tm.check(y, y_pred=said, require=rule)
    assert verdicts(found) == [verdict]
    assert found.passed is bool(found) is (verdict != "fail")
    assert found.exit_code == (1 if verdict == "fail" else 0)
    strict = tm.check(y, y_pred=said, require=rule, strict=True)
    assert strict.exit_code == (0 if verdict == "pass" else 1)


def test_the_finding_holds_the_number_that_the_evaluation_has():
    y, said = counts(90, 10)
    ev = tm.evaluate(y, said)
    (f,) = tm.check(ev, require="recall >= 0.8").findings
    v = ev["recall"]
    assert (f.value, f.low, f.high, f.method) == (v.value, v.low, v.high, v.method)
    assert f.to_dict()["sentence"] == f.text == str(f)
    assert "recall of model is 0.90 (" in f.text
    assert "0.83 to 0.94" in f.text


def test_a_lower_level_decides_sooner():
    y, said = counts(90, 10)
    assert verdicts(tm.check(y, y_pred=said, require="recall >= 0.94")) == ["undecided"]
    assert verdicts(tm.check(y, y_pred=said, require="recall >= 0.94", level=0.8)) == ["fail"]


def test_an_undefined_number_cannot_be_judged():
    found = tm.check([0, 0, 1], y_pred=[0, 0, 0], require=["precision >= 0.5", "recall >= 0.001"])
    assert found.findings[0].verdict == "cannot judge"
    assert found.exit_code == 3
    assert not found
    assert math.isnan(found.findings[0].value)
    assert "predicted" in found.findings[0].text


def test_an_infinite_loss_is_beyond_every_limit():
    y, p = [0, 1] * 40, [0.2, 0.8] * 39 + [0.2, 0.0]
    found = tm.check(y, y_score=p, require="log_loss <= 2")
    assert verdicts(found) == ["fail"]
    assert found.findings[0].remedy == "clip the scores, or limit the Brier score"
    assert found.findings[0].text == (
        "log_loss of model is ∞ (≤ 2 wanted): probability 0 was given to a class that occurred; "
        "clip the scores, or limit the Brier score."
    )


def test_a_gate_says_that_an_unused_id_repeats():
    rows = {"truth": [0, 1] * 40, "score": [0.2, 0.8] * 40, "patient": [i // 4 for i in range(80)]}
    found = tm.check(pd.DataFrame(rows), require="roc_auc >= 0.5")
    assert found.notes == (
        "warning: 4.0 rows per `patient` on average (max 4); intervals assume independent rows. Use "
        "cluster='patient'",
    )


def test_a_failure_comes_before_what_cannot_be_judged():
    y, said = [1] * 50 + [0] * 50, [0] * 100
    found = tm.check(y, y_pred=said, require=["precision >= 0.5", "recall >= 0.5"])
    assert verdicts(found) == ["cannot judge", "fail"]
    assert found.exit_code == 1


# -- rules as they are written -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "metric", "params"),
    [
        ("recall >= 0.3 at fpr=0.05", "sensitivity_at_fpr", {"fpr": 0.05}),
        ("TPR>=30% at FPR=5%", "sensitivity_at_fpr", {"fpr": 0.05}),
        ("specificity >= 0.3 at sensitivity=0.9", "specificity_at_sensitivity", {"sensitivity": 0.9}),
        ("precision >= 0.3 at recall=0.5", "precision_at_recall", {"recall": 0.5}),
        ("precision >= 0.3 at k=10", "precision_at_k", {"k": 10}),
        ("f_beta(beta=2) >= .5", "f_beta", {"beta": 2}),
        ("sensitivity_at_fpr(fpr=0.05) >= 0.3", "sensitivity_at_fpr", {"fpr": 0.05}),
    ],
)  # fmt: skip
def test_rules_name_metrics_and_their_parameters(rule, metric, params):
    y, _, scores = simulated(400, 1)
    ev = tm.evaluate(y, y_score=scores["main"])
    (f,) = tm.check(ev, require=rule).findings
    v = ev.value(metric, **params)
    assert (f.value, f.low, f.high) == (v.value, v.low, v.high)


@pytest.mark.parametrize("number", ["0.9", ".9", "9e-1", "90%", " 90 %"])
def test_a_limit_may_be_written_in_several_ways(number):
    y, said = counts(90, 10)
    (f,) = tm.check(y, y_pred=said, require=f"recall >= {number}").findings
    assert f.limit == 0.9


def test_defaults_are_those_of_the_page():
    y, said = counts(90, 10)
    found = tm.check(y, y_pred=said, require="recall >= 0.9")
    assert (found.strict, found.level, found.findings[0].level) == (False, 0.95, 0.95)
    _, _, scores = simulated(300, 2)
    given = {"y_score": scores["main"], "require": "recall >= 0.9 at fpr=0.05"}
    first, zero, one = (
        tm.check(simulated(300, 2)[0], **given, **seed).findings[0]
        for seed in ({}, {"seed": 0}, {"seed": 1})
    )
    assert (first.low, first.high) == (zero.low, zero.high) != (one.low, one.high)


def test_a_rule_is_judged_at_a_threshold_and_another_prevalence():
    y, _, scores = simulated(400, 1)
    ev = tm.evaluate(y, y_score=scores["main"])
    (f,) = tm.check(ev, require="precision >= 0.1 at threshold=0.4, prevalence=1%").findings
    v = ev.at(threshold=0.4, prevalence=0.01)["precision"]
    assert (f.value, f.low, f.high) == (v.value, v.low, v.high)


def test_a_class_and_an_average_may_be_named():
    y, said = ["a", "b", "c"] * 40, ["a", "b", "b"] * 40
    ev = tm.evaluate(y, said)
    averages = ("macro", "micro", "weighted")
    rules = [f"f1(average={average}) >= 0.2" for average in averages]
    found = tm.check(ev, require=["recall(positive=c) <= 0.5", *rules])
    wanted = [ev.value("f1", average=average).value for average in averages]
    assert [f.value for f in found.findings] == [0.0, *wanted]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"require": "roc_auc > 0.8"}, "write METRIC >= NUMBER or METRIC <= NUMBER"),
        ({"require": "roc_auc"}, "is not understood"),
        ({"require": "roc_auc >= high"}, "is not understood"),
        ({"require": "roc_acu >= 0.8"}, "did you mean 'roc_auc'"),
        ({"require": "roc_auc >= 80"}, "lies between 0 and 1; give a limit inside"),
        ({"require": "recall >= 1"}, "give a limit inside"),
        ({"require": "f_beta(betta=2) >= 0.5"}, "no parameter 'betta'; did you mean 'beta'?"),
        ({"require": "f_beta(2) >= 0.5"}, "'2' is not understood; write NAME=VALUE"),
        ({"require": "recall >= 0.5 at fbr=0.05"}, "cannot be judged at a given 'fbr'; did you mean 'fpr'?"),
        ({"require": "roc_auc >= 0.5 at fpr=0.05"}, "cannot be judged at a given 'fpr'; there are 'threshold'"),
        ({"require": "recall >= 0.5 at prevalence=2"}, "prevalence is 2"),
        ({"require": "log_loss >= 0.5", "y_score": None, "y_pred": [0, 1] * 40}, "needs probabilities"),
        ({}, "nothing to check; give require='roc_auc >= 0.8'"),
        ({"no_worse": 0.01}, "no_worse=... needs a model to compare with; give baseline=..."),
        ({"require": "f1 >= 0.1", "baseline": "x"}, "needs a margin; give no_worse=0.01"),
        ({"no_worse": "roc_auc", "baseline": "x"}, "no_worse is 'roc_auc'; give a margin"),
        ({"no_worse": -0.1, "baseline": "x"}, "no_worse is -0.1; give a margin"),
        ({"no_worse": "prevalence 0.1", "baseline": "x"}, "has no better direction; name a metric"),
        ({"no_worse": 0.1, "baseline": "yy"}, "there is no model 'yy'"),
        ({"no_worse": 0.1, "baseline": "model"}, "baseline='model' is the only model"),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_one_sentence(given, says):
    given = {"y_score": np.linspace(0, 1, 80), **given}
    with pytest.raises(tm.InputError, match="[;:,]") as refused:
        tm.check([0, 1] * 40, **given)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_was_counted_takes_no_columns_and_one_label_a_row():
    ev = tm.evaluate([0, 1], y_score=[0.1, 0.9])
    with pytest.raises(tm.InputError, match="truth is for rows, and these are counted"):
        tm.check(ev, require="f1 >= 0.1", truth="y")
    several = tm.evaluate(np.eye(2, dtype=int), np.eye(2, dtype=int))
    with pytest.raises(tm.InputError, match="check each label separately"):
        tm.check(several, require="f1 >= 0.1")


# -- a baseline ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_is_held_against_another_on_the_same_rows():
    y, _, scores = simulated(1500, 2, noise=1.5)
    ev = tm.evaluate(y, y_score=scores)
    rules = [0.01, "log_loss 0.01", "roc_auc 0.5"]
    found = tm.check(ev, baseline="main", no_worse=rules)
    assert [f.model for f in found.findings] == ["candidate"] * 3
    a, b = ev.model("candidate"), ev.model("main")
    for f, metric in zip(found.findings, ("roc_auc", "log_loss", "roc_auc"), strict=True):
        d = tm.interval(metric, a, b)
        assert (f.value, f.low, f.high) == (d.value, d.low, d.high)
    assert [(f.side, f.limit) for f in found.findings] == [
        (">=", -0.01),
        ("<=", 0.01),
        (">=", -0.5),
    ]
    assert verdicts(found) == ["fail", "fail", "pass"]


def test_a_margin_alone_is_of_mcc_where_there_are_no_scores():
    y, _, scores = simulated(300, 2)
    said = {name: s > 0.5 for name, s in scores.items()}
    (f,) = tm.check(y, y_pred=said, baseline="main", no_worse=0.01).findings
    assert f.subject == "matthews_corrcoef"


def test_a_margin_may_be_of_a_parameter_and_at_a_place():
    y, _, scores = simulated(300, 2)
    ev = tm.evaluate(y, y_score=scores)
    a, b = ev.model("candidate"), ev.model("main")
    rules = ["f_beta(beta=2) 0.02", "recall 0.1 at fpr=0.2", "f1 0.02 at threshold=0.3"]
    found = tm.check(ev, baseline="main", no_worse=rules).findings
    one, two = (m.value("f_beta", beta=2).value for m in (a, b))
    assert found[0].value == pytest.approx(one - two)
    one, two = (m.value("sensitivity_at_fpr", fpr=0.2).value for m in (a, b))
    assert found[1].value == pytest.approx(one - two)
    one, two = (m.at(threshold=0.3)["f1"].value for m in (a, b))
    assert found[2].value == pytest.approx(one - two)


def test_a_margin_keeps_its_digits_and_may_be_a_number_of_numpy():
    y, _, scores = simulated(300, 2)
    found = tm.check(y, y_score=scores, baseline="main", no_worse=np.float64(1.234567890123e-5))
    assert found.findings[0].margin == 1.234567890123e-5


def test_the_verdict_of_a_margin_is_that_of_non_inferiority():
    y, _, scores = simulated(400, 3)
    ev = tm.evaluate(y, y_score=scores)
    a, b = ev.model("candidate"), ev.model("main")
    for margin in (0.001, 0.005, 0.01, 0.02, 0.04):
        (f,) = tm.check(ev, baseline="main", no_worse=f"roc_auc {margin}").findings
        shown = tm.test("roc_auc", a, b, margin=margin).p_value < 0.025
        assert (f.verdict == "pass") == shown


def test_rows_are_told_for_an_open_margin_alone():
    y, _, scores = simulated(300, 11)
    ev = tm.evaluate(y, y_score=scores)
    rules = {"require": "roc_auc >= 0.87", "no_worse": ["roc_auc 0.002", "roc_auc 0"]}
    found = tm.check(ev, baseline="main", **rules)
    needed = [f.needed for f in found.findings if f.model == "candidate"]
    assert verdicts(found) == ["undecided"] * 3
    d = tm.interval("roc_auc", ev.model("candidate"), ev.model("main"))
    # n = rows ((1.95996 + 0.84162) se / margin)², both one-sided (Julious 2004, formula 21).
    assert needed[1] == pytest.approx(300 * (2.80158 * d.error / 0.002) ** 2, rel=1e-3)
    assert needed[0] is needed[2] is None
    assert "rows would show it" in found.findings[1].text


def test_a_baseline_of_other_rows_is_wider_and_said_to_be():
    y, _, scores = simulated(800, 5)
    old = tm.evaluate(y, y_score=scores["main"], options={"name": "main.csv"})
    new = tm.evaluate(y.copy(), y_score=scores["candidate"])
    (apart,) = tm.check(new, baseline=old, no_worse=0.01).findings
    both = tm.evaluate(y, y_score=scores)
    (paired,) = tm.check(both, baseline="main", no_worse=0.01).findings
    assert apart.value == pytest.approx(paired.value)
    assert apart.high - apart.low > 1.5 * (paired.high - paired.low)
    shown = str(tm.check(new, baseline=old, no_worse=0.01))
    assert "main.csv is compared as another sample" in shown
    assert "another sample" not in str(tm.check(both, baseline="main", no_worse=0.01))


@pytest.mark.slow
def test_of_several_models_of_a_baseline_the_one_of_the_same_name_is_compared():
    y, said = counts(90, 10)
    better, worse = counts(95, 5)[1], counts(60, 40)[1]
    baseline = tm.evaluate(y, {"candidate": better, "other": worse})
    (f,) = tm.check(
        tm.evaluate(y, {"candidate": said}), baseline=baseline, no_worse="recall 0.1"
    ).findings
    assert f.value == pytest.approx(0.90 - 0.95)
    with pytest.raises(tm.InputError, match="there is no model 'new'; there are 'candidate', 'oth"):
        tm.check(tm.evaluate(y, {"new": said}), baseline=baseline, no_worse="recall 0.1")


def test_a_baseline_comes_from_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, region, scores = simulated(800, 5)
    at = {"region": region}
    old = tm.evaluate(y, y_score=scores["main"], subgroup=at, options={"name": "main.csv"})
    new = tm.evaluate(y.copy(), y_score=scores["candidate"], subgroup=at)
    old.to_json("main.json")
    given = {"no_worse": [0.01, "brier 0.02"], "subgroup": "region"}
    wanted = tm.check(new, baseline=old, **given)
    found = tm.check(new, baseline="main.json", **given)
    assert [f.baseline for f in found.findings] == ["main.json"] * 8
    for f, g in zip(found.findings, wanted.findings, strict=True):
        assert (f.value, f.low, f.high, f.verdict) == (g.value, g.low, g.high, g.verdict)
    assert "main.json is compared as another sample" in str(found)
    assert tm.check(new, baseline=tmp_path / "main.json", **given).passed


def test_a_baseline_that_is_not_there_cannot_be_judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, region, scores = simulated(900, 5)
    ev = tm.evaluate(y, y_score=scores["main"], subgroup={"region": region})
    given = {"require": "roc_auc >= 0.6", "no_worse": 0.01, "subgroup": "region"}
    found = tm.check(ev, baseline="main.json", **given)
    assert verdicts(found) == ["pass"] * 4 + ["cannot judge"]
    assert found.exit_code == 3
    assert "there is no file 'main.json'" in found.findings[4].text
    (tmp_path / "main.json").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(tm.InputError, match=r"main\.json"):
        tm.check(ev, baseline="main.json", **given)


# -- subgroups -----------------------------------------------------------------------------------


def test_a_subgroup_is_judged_as_its_rows_alone():
    y, region, scores = simulated(900, 6)
    ev = tm.evaluate(y, y_score=scores, subgroup={"region": region})
    rules = {"require": ["roc_auc >= 0.8", "recall >= 0.4 at fpr=0.1"], "no_worse": "roc_auc 0.01"}
    found = tm.check(ev, baseline="main", subgroup="region", **rules)
    assert len(found.findings) == 3 * (1 + 3)
    for name in ("east", "north", "south"):
        here = region == name
        alone = tm.evaluate(y[here], y_score={m: s[here] for m, s in scores.items()})
        wanted = [
            (f.value, f.low, f.high) for f in tm.check(alone, baseline="main", **rules).findings
        ]
        told = [(f.value, f.low, f.high) for f in found.findings if f.subgroup == f"region={name}"]
        np.testing.assert_allclose(told, wanted, rtol=1e-9)


def test_subgroups_in_clusters_are_judged_by_clusters():
    y, region, scores = simulated(900, 7)
    patient = np.arange(900) // 3
    given = {"y_score": scores, "subgroup": {"region": region}, "cluster": patient}
    found = tm.check(y, baseline="main", no_worse="accuracy 0.02", **given)
    here = region == "north"
    alone = tm.evaluate(
        y[here], y_score={m: s[here] for m, s in scores.items()}, cluster=patient[here]
    )
    (wanted,) = tm.check(alone, baseline="main", no_worse="accuracy 0.02").findings
    (told,) = [f for f in found.findings if f.subgroup == "region=north"]
    assert (told.low, told.high) == pytest.approx((wanted.low, wanted.high))


def test_failures_of_subgroups_are_corrected_for_their_number():
    y, said, where = [], [], []
    for i in range(8):  # 70 of 100 in one region, 80 in the others: 0.8 of a rule is p = 0.006
        hits = 70 if i == 0 else 80
        y += [1] * 100
        said += [1] * hits + [0] * (100 - hits)
        where += [f"r{i}"] * 100
    z = (0.7 - 0.8) / math.sqrt(0.8 * 0.2 / 100)
    p = 0.5 * math.erfc(-z / math.sqrt(2))
    for regions, verdict in ((2, "fail"), (8, "undecided")):
        n = 100 * regions
        given = {"y_pred": said[:n], "subgroup": {"region": where[:n]}, "classes": [0, 1]}
        found = tm.check(y[:n], require="recall >= 0.8", **given)
        worst = found.findings[1]
        assert worst.p_value == pytest.approx(regions * p)
        assert worst.verdict == verdict
    assert "not after correction for the number of subgroups" in worst.text


@pytest.mark.slow
def test_draws_do_not_keep_one_of_many_subgroups_from_failing():
    y, _, scores = simulated(9000, 12)
    region = np.arange(9000) % 30  # one in 1,000 draws, corrected for 30, is above 0.025
    given = {"y_score": scores["main"], "subgroup": {"region": region}}
    found = tm.check(y, require="recall >= 0.9 at fpr=0.02", **given)
    assert verdicts(found) == ["fail"] * 31


def test_what_many_findings_have_in_common_is_said_once():
    y, _, scores = simulated(1500, 12)
    given = {"y_score": scores["main"], "subgroup": {"region": np.arange(1500) % 120}}
    shown = str(tm.check(y, require="roc_auc >= 0.5", **given))
    assert shown.count("to judge this subgroup") == 1
    assert "and 117 more" in " ".join(shown.split())


def test_a_subgroup_of_few_rows_is_undecided():
    y, said = counts(40, 0)
    region = ["north"] * 10 + ["south"] * 230
    found = tm.check(y, y_pred=said, require="recall >= 0.5", subgroup={"region": region})
    assert verdicts(found) == ["pass", "undecided", "pass"]
    assert found.findings[1].text.endswith("): too few positives to judge this subgroup (10).")


def test_a_baseline_without_a_subgroup_cannot_be_judged_there():
    y, region, scores = simulated(900, 8)
    here = region != "south"
    old = tm.evaluate(y[here], y_score=scores["main"][here], subgroup={"region": region[here]})
    new = tm.evaluate(y, y_score=scores["candidate"], subgroup={"region": region})
    found = tm.check(new, baseline=old, no_worse=0.5, subgroup="region")
    assert verdicts(found) == ["pass", "pass", "pass", "cannot judge"]
    assert "the baseline was not counted there" in found.findings[3].text
    assert found.exit_code == 3
    whole = tm.evaluate(y, y_score=scores["main"].copy())
    found = tm.check(new, baseline=whole, no_worse=0.5, subgroup="region")
    assert verdicts(found) == ["pass", *["cannot judge"] * 3]


# -- files of rules, and what is written -----------------------------------------------------------


def test_rules_come_from_a_file_and_from_the_call(tmp_path):
    y, region, scores = simulated(400, 9)
    ev = tm.evaluate(y, y_score=scores, subgroup={"region": region})
    text = (
        'require = "roc_auc >= 0.7"\nno-worse = ["roc_auc 0.01"]\nbaseline = "main"\n'
        'subgroup = ["region"]\nstrict = true\nlevel = 0.9\n'
    )
    (tmp_path / "gate.toml").write_text(text, encoding="utf-8")
    whole = "[tool.tallymark.check]\n" + text + "[tool.other]\nx = 1\n"
    (tmp_path / "pyproject.toml").write_text(whole, encoding="utf-8")
    found = tm.check(ev, rules=tmp_path / "gate.toml", require="recall >= 0.1")
    assert [f.rule for f in found.findings[::4]] == [
        "roc_auc >= 0.7",
        "recall >= 0.1",
        "roc_auc 0.01",
    ]
    assert (found.strict, found.level, found.findings[1].subgroup) == (True, 0.9, "region=east")
    project = tm.check(ev, rules=tmp_path / "pyproject.toml")
    assert [f.rule for f in project.findings[::4]] == ["roc_auc >= 0.7", "roc_auc 0.01"]
    assert tm.check(ev, rules=tmp_path / "gate.toml", level=0.99).level == 0.99


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("gate.toml", "require =", "is not TOML"),
        ("gate.toml", "requires = 'f1 >= 0.5'", "has the key 'requires'; did you mean 'require'?"),
        ("gate.toml", "zzz = 5", "has the key 'zzz'; there are 'require', 'no-worse', 'forbid'"),
        ("gate.toml", "threshold = 0.3", "gate.toml' has the key 'threshold', which says how rows "
         "are read and is no rule; leave it out, and give threshold=... with the file that is judged"),
        ("gate.toml", "require = 5", "require is 5; give rules such as"),
        ("gate.toml", "strict = 'yes'", "strict is 'yes'; give True or False"),
        ("pyproject.toml", "x = 1", "has no rules; write a table [tool.tallymark.check]"),
        ("nowhere.toml", None, "cannot be read"),
    ],
)  # fmt: skip
def test_a_wrong_file_of_rules_is_one_sentence(tmp_path, name, text, says):
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(tm.InputError) as refused:
        tm.check([0, 1] * 20, y_pred=[0, 1] * 20, rules=tmp_path / name)
    assert says in str(refused.value)


def shown():
    y, region, scores = simulated(900, 10, noise=1.5)
    ev = tm.evaluate(y, y_score=scores, subgroup={"<&>\x1b": region})
    return tm.check(
        ev, baseline="main", subgroup="<&>\x1b", no_worse="roc_auc 0.01",
        require=["roc_auc >= 0.78", "precision >= 0.01 at threshold=7"],
    )  # fmt: skip


def test_junit_has_a_case_a_finding():
    found = shown()
    suite = ET.fromstring(found.to_junit())
    of = {"pass": "system-out", "fail": "failure", "undecided": "skipped", "cannot judge": "error"}
    assert [case[0].tag for case in suite] == [of[f.verdict] for f in found.findings]
    assert {"failure", "error", "skipped"} <= {case[0].tag for case in suite}
    for kind in ("failure", "error"):
        assert suite.get(f"{kind}s") == str(len(suite.findall(f"testcase/{kind}")))
    assert suite.get("tests") == "12"
    assert suite[1].get("name") == r"roc_auc >= 0.78 [<&>\x1b=east]"


def test_json_has_what_is_shown(tmp_path):
    found = shown()
    data = json.loads(found.to_json(tmp_path / "gate.json"))
    assert data == json.loads((tmp_path / "gate.json").read_text("utf-8"))
    assert (data["passed"], data["exit_code"]) == (False, 1)
    assert [f["verdict"] for f in data["findings"]] == verdicts(found)
    assert data["findings"][4]["value"] is None


def test_the_table_shows_number_interval_limit_and_verdict():
    y, said = counts(90, 10)
    found = tm.check(y, y_pred=said, require=["recall >= 0.95", "accuracy <= 0.99"])
    first, second = str(found).splitlines()[3:5]
    assert re.split("  +", first) == ["recall", "0.90", "0.83 to 0.94", "≥ 0.95", "fail"]
    assert second.endswith("≤ 0.99  pass")
    assert str(found).splitlines()[-1] == "Failed: 1 fail, 1 pass."
    assert "any of 2 in up to 5.0 %" in " ".join(str(found).split())


def test_a_test_can_assert_that_a_gate_passes():
    y, said = counts(90, 10)
    tm.check(y, y_pred=said, require="recall >= 0.5").assert_passed()
    with pytest.raises(AssertionError, match=r"0\.83 to 0\.94  ≥ 0\.95  fail"):
        tm.check(y, y_pred=said, require="recall >= 0.95").assert_passed()


# -- chance --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_equal_model_seldom_fails_and_a_worse_one_mostly():
    def failed(noise, runs):
        gates = 0
        for seed in range(runs):
            y, region, scores = simulated(400, seed, noise=noise)
            ev = tm.evaluate(y, y_score=scores, subgroup={"region": region})
            # The nominal chance is 2.5 % of all rows and 2.5 % of the three regions together.
            gates += not tm.check(ev, baseline="main", no_worse="roc_auc 0", subgroup="region")
        return gates / runs

    assert failed(0.5, runs=80) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 80)
    assert failed(2.0, runs=40) >= 0.9


@pytest.mark.parametrize(("share", "limit"), [(0.5, 0.5), (0.7, 0.7)])
def test_a_model_at_its_limit_fails_and_passes_as_often_as_is_said(share, limit):
    """Counted out over all numbers of hits of 500 rows."""
    n, told = 500, {"pass": 0.0, "fail": 0.0, "undecided": 0.0}
    for hits in range(n + 1):
        chance = stats.binom.pmf(hits, n, share)
        if chance < 1e-6:
            continue
        ev = counted([[10, 10], [n - hits, hits]])
        (verdict,) = verdicts(tm.check(ev, require=f"recall >= {limit}"))
        told[verdict] += chance
    assert told["fail"] == pytest.approx(0.025, abs=0.005)
    assert told["pass"] == pytest.approx(0.025, abs=0.005)


# -- what must not be said -----------------------------------------------------------------------


def leaking():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    fair = np.clip(0.5 + 0.2 * (2 * y - 1) + rng.normal(0, 0.2, 400), 0.01, 0.99)
    return tm.evaluate(
        y, y_score={"leaky": 0.05 + 0.9 * y + rng.uniform(0, 0.04, 400), "fair": fair}
    )


@pytest.mark.slow
def test_a_forbidden_warning_fails_the_model_that_it_is_of():
    found = tm.check(leaking(), forbid="leak")
    assert [(f.model, f.verdict) for f in found.findings] == [("leaky", "fail"), ("fair", "pass")]
    assert found.exit_code == 1
    assert "ROC area exactly 1" in found.findings[0].text
    assert found.findings[1].text == "leak of fair: checked, nothing found."
    text = str(found)
    assert re.search(r"leak +leaky +found +none +fail", text)
    assert re.search(r"leak +fair +none +none +pass", text)
    junit = found.to_junit()
    assert 'name="forbid leak"' in junit
    assert 'failures="1"' in junit


@pytest.mark.slow
def test_forbidden_advice_fails_passes_or_cannot_be_judged():
    rng = np.random.default_rng(1)
    x = rng.normal(-1, 1.5, 2000)
    y = (rng.random(2000) < 1 / (1 + np.exp(-x))).astype(int)
    code = "probabilities-in-the-large"
    off = tm.check(y, y_score=1 / (1 + np.exp(-x - 1.5)), forbid=[code])
    assert [f.verdict for f in off.findings] == ["fail"]
    assert "the positives that occurred" in off.findings[0].text
    assert tm.check(y, y_score=1 / (1 + np.exp(-x)), forbid=[code]).passed
    scores = {"off": 1 / (1 + np.exp(-x - 1.5)), "right": 1 / (1 + np.exp(-x))}
    both = tm.check(y, y_score=scores, forbid=code)
    assert [f.verdict for f in both.findings] == ["fail", "pass"]
    unknown = tm.check(y, y_pred=(x > 0).astype(int), forbid=[code])
    assert [f.verdict for f in unknown.findings] == ["cannot judge"]
    assert unknown.exit_code == 3
    assert "this is not checked for such data" in str(unknown)


def test_what_no_route_has_checked_cannot_be_judged():
    ev = counted([[70, 30], [20, 80]])
    found = tm.check(ev, forbid=["training-rows", "imbalance"])
    assert [f.verdict for f in found.findings] == ["cannot judge", "pass"]


def test_advice_that_is_no_warning_cannot_be_forbidden():
    with pytest.raises(tm.InputError, match="one-of-each-family"):
        tm.check(leaking(), forbid="one-of-each-family")


def test_a_code_that_there_is_not_is_refused():
    with pytest.raises(tm.InputError, match="leek.*leak"):
        tm.check(leaking(), forbid="leek")


@pytest.mark.slow
def test_a_file_of_rules_may_forbid_codes(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text('forbid = ["leak"]\n', "utf-8")
    found = tm.check(leaking(), rules=file, forbid="few-rows", require="roc_auc >= 0.5")
    assert [f.rule for f in found.findings if f.model == "leaky"] == [
        "roc_auc >= 0.5", "forbid leak", "forbid few-rows",
    ]  # fmt: skip


def test_every_code_of_a_warning_may_be_forbidden():
    warned = {
        rule.code
        for rule in every_rule().values()
        if rule.severity == "warning" and not rule.several_labels
    }
    assert {"leak", "few-rows", "area-below-half", "curves-cross"} <= warned
    ev = tm.evaluate(*counts(15, 5))
    found = tm.check(ev, forbid=sorted(warned))
    said = {f.rule: f for f in [*ev.notes, *ev.advise().statements]}
    failed = [f for f in found.findings if f.verdict == "fail"]
    assert {"few-rows", "too-few-rows"} <= {f.subject for f in failed}
    for f in failed:
        # The majority rule is as accurate: that is said instead of what it would flatter.
        instead = {"accuracy-of-the-majority": "no-better-than-the-majority"}
        warning = said[instead.get(f.subject, f.subject)]
        assert (f.severity, f.model, f.reason) == ("warning", "model", warning.text)
        assert (f.numbers, f.remedy, f.sources) == (
            warning.numbers, warning.remedy, warning.sources
        )  # fmt: skip
    assert [f.rule for f in found.findings] == [f"forbid {code}" for code in sorted(warned)]
    for other in ("clusters", "use-decisions", "absent-label"):
        with pytest.raises(tm.InputError, match=f"no code '{other}'"):
            tm.check(ev, forbid=other)


def test_a_gate_has_a_table():
    y, score = [0, 1] * 60, [(i * 7) % 10 / 10 + 0.3 * (i % 2) for i in range(120)]
    gate = tm.check(y, y_score=score, require="roc_auc >= 0.99")
    (row,) = gate.table().to_dicts()
    assert (row["rule"], row["verdict"], row["limit"]) == ("roc_auc >= 0.99", "fail", 0.99)
    assert row["value"] == tm.evaluate(y, y_score=score)["roc_auc"].value


def test_what_a_subgroup_has_too_few_of_is_named_and_counted():
    y, rest = np.repeat([1, 0], [60, 940]), np.repeat([1, 0], [200, 800])
    score = np.random.default_rng(1).normal(size=2000) + 3 * np.r_[y, rest]
    place = np.r_[np.tile(["a", "b", "a", "a", "b"], 200), np.repeat("c", 1000)]
    found = tm.check(
        np.r_[y, rest], y_score=score, require="roc_auc >= 0.8", subgroup={"at": place}
    )
    assert verdicts(found) == ["pass", "pass", "undecided", "pass"]
    small = found.findings[2]
    assert small.low > 0.8  # the whole interval keeps the limit
    assert small.text.endswith("): too few positives to judge this subgroup (24).")
    shown = " ".join(str(found).split())
    assert (
        "- undecided, too few positives to judge this subgroup: roc_auc of model in at=b (24)."
    ) in shown


def test_a_pass_that_rests_on_few_clusters_needs_care():
    who = np.r_[np.zeros(150, int), np.arange(1, 51)]
    y = np.arange(200) % 2
    right = np.arange(200) % 10 > 1
    said = np.where(right, y, 1 - y)
    found = tm.check(y, y_pred=said, cluster=who, require="accuracy >= 0.2")
    assert (verdicts(found), found.exit_code) == (["pass"], 0)
    care = "with care: few clusters carry it, the largest 75 % of the rows"
    assert found.findings[0].text.endswith(f"the whole interval keeps the limit, {care}.")
    assert f"- pass, {care}: accuracy of model." in " ".join(str(found).split())
    alone = tm.check(y, y_pred=said, require="accuracy >= 0.2")
    assert alone.findings[0].reason is None


def test_a_model_that_is_worse_within_the_margin_is_said_to_be_worse():
    """Of 1,000 rows 20 are right in the baseline alone and 5 in the model alone."""
    y = np.arange(1000) % 2
    base, model = y.copy(), y.copy()
    base[:105] = 1 - y[:105]
    model[5:125] = 1 - y[5:125]
    p = 2 * stats.norm.sf((20 - 5) / math.sqrt(20 + 5))  # McNemar's score
    found = tm.check(
        y, y_pred={"new": model, "old": base}, baseline="old", no_worse="accuracy 0.02"
    )
    (one,) = found.findings
    assert (one.verdict, found.exit_code) == ("undecided", 0)
    assert one.low < -0.02 < one.high < 0
    said = (
        "Undecided for the margin, but new is shown to be worse than old by accuracy (p = "
        f"{p:.3g})."
    )
    assert " ".join(str(found).split()).split("Passed: ")[1] == (
        f"1 undecided. Undecided rules pass; strict=True fails them. {said}"
    )
    assert "would show it" not in one.text
    assert one.needed is None
    wider = tm.check(y, y_pred={"new": model, "old": base}, baseline="old", no_worse="accuracy 0.1")
    assert "shown to be worse" not in str(wider)


# -- the positive class and the threshold ----------------------------------------------------------


def test_a_threshold_above_every_score_is_warned_of():
    y, score = ["good", "bad"] * 40, [0.2, 0.9, 0.6, 0.7] * 20
    how = {"positive": "bad", "require": "recall >= 0.1"}
    found = tm.check(y, y_score=score, threshold=7, **how)
    assert found.notes[0] == (
        "warning: the threshold 7 of model lies above every score (0.2 to 0.9), so every row is "
        "predicted good; did you mean 0.07?"
    )
    assert found.notes[0][:60] in str(found)
    assert not any("threshold" in note for note in tm.check(y, y_score=score, **how).notes)


def test_the_positive_class_and_the_threshold_are_named():
    y = ["good", "bad"] * 40
    score = {"a": [0.2, 0.9, 0.6, 0.7] * 20, "b": [0.3, 0.8, 0.4, 0.45] * 20}
    how = {"positive": "bad", "require": "recall >= 0.1"}
    default = tm.check(y, y_score=score, **how)
    said = "bad is the positive class; decisions at 0.5, the default."
    assert str(default).split("\n")[1] == said
    assert default.to_markdown().split("\n\n")[1] == said
    found = default.to_dict()
    assert (found["positive"], found["thresholds"]) == ("bad", {"a": 0.5, "b": 0.5})
    assert found["decisions"] == {"a": "at 0.5, the default", "b": "at 0.5, the default"}
    given = tm.check(y, y_score=score["a"], threshold=0.65, **how)
    assert "bad is the positive class; decisions at 0.65, as given." in str(given)
    how |= {"require": ["recall >= 0.1", "precision >= 0.1 at threshold=0.3"]}
    assert str(tm.check(y, y_score=score, **how)).split("\n")[1] == (
        "bad is the positive class; decisions at 0.5, the default, unless a rule names its own"
    )
    for rule in ("recall >= 0.1 at threshold=0.3", "recall >= 0.1 at fpr=0.5"):
        own = tm.check(y, y_score=score, positive="bad", require=rule)
        assert str(own).split("\n")[1] == (
            "bad is the positive class; every rule names its own threshold."
        )
    elsewhere = tm.check(y, y_score=score, positive="bad", require="ppv >= 0.1 at prevalence=0.3")
    assert str(elsewhere).split("\n")[1] == said
    decided = tm.check(y, y_pred=y, **{**how, "require": "recall >= 0.1"})
    assert "bad is the positive class; decisions as given." in str(decided)
    assert decided.to_dict()["thresholds"] == {"model": None}
    many = tm.check(["x", "y", "z"] * 9, y_pred=["x", "y", "z"] * 9, require="accuracy >= 0.1")
    assert "positive class" not in str(many)
    assert many.to_dict()["positive"] is None
