"""`tm.Watch`: what it counts of a day, what it finds, what it keeps, and what it refuses."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from tallymark.parts.watch import e_values as e
from test_display import Balanced


@pytest.fixture
def state(tmp_path):
    return tmp_path / "gate.json"


def rows(accuracy, n=100, seed=0):
    """Return true classes, and predictions of which a share is right."""
    rng = np.random.default_rng([seed, n])
    y = rng.integers(0, 2, n)
    return y, np.where(rng.random(n) < accuracy, y, 1 - y)


def scored(lift, n=100, seed=0):
    """Return true classes and their probabilities, which a larger lift separates better."""
    rng = np.random.default_rng([seed, n, 1])
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-rng.normal(size=n) - lift * (2 * y - 1)))


def day(number):
    return f"2026-10-{number:02}"


# -- shares --------------------------------------------------------------------------------------


def test_a_drop_gives_an_alarm_that_names_the_day_on_which_it_began(state):
    watch = tm.Watch("accuracy >= 0.85", state)
    for t in range(1, 21):
        look = watch.add(tm.evaluate(*rows(0.9 if t <= 12 else 0.7, seed=t)), date=day(t))
        assert look.alarm is (t >= 14)
    assert (look.alarmed, look.since) == (day(14), day(13))
    assert look.exit_code == 1
    assert look.interval[0] < look.value < look.interval[1]
    assert f"alarm on {day(14)}" in str(look)
    assert f"worse since {day(13)}" in str(look)


def test_an_alarm_stays_after_the_cause_is_mended(state):
    watch = tm.Watch("accuracy >= 0.85", state, horizon=400)
    for t, right in enumerate([60, *[100] * 8], 1):
        y = [0] * 100
        look = watch.add(tm.evaluate(y, [0] * right + [1] * (100 - right), classes=[0, 1]),
                         date=day(t))  # fmt: skip
    assert look.evidence < look.alarm_at
    assert (look.alarm, look.alarmed, look.since) == (True, day(1), day(1))


def test_a_steady_model_is_said_in_one_line(state):
    watch = tm.Watch("sensitivity >= 0.8", state)
    for t in range(1, 6):
        look = watch.add(tm.evaluate(*rows(0.85, 200, seed=t)), date=day(t))
    value, low, high = look.value, *look.interval
    assert 0.1 < high - low < 0.12  # two digits of the width
    line = str(look).splitlines()[0]
    assert line == (
        f"sensitivity {value:.2f} ({low:.2f} to {high:.2f}) at every look; no alarm "
        f"(evidence {look.evidence:.1f} of 20)"
    )
    assert (look.alarm, look.since, look.alarmed, look.exit_code) == (False, None, None, 0)


def test_a_rate_that_is_to_be_low_is_watched_from_the_other_side(tmp_path):
    for t in range(1, 5):
        ev = tm.evaluate(*rows(0.75, seed=t))
        high = tm.Watch("accuracy >= 0.85", tmp_path / "a.json").add(ev, date=day(t))
        low = tm.Watch("error_rate <= 15%", tmp_path / "b.json").add(ev, date=day(t))
    assert low.evidence == pytest.approx(high.evidence)
    assert low.value == pytest.approx(1 - high.value)
    assert low.interval == pytest.approx([1 - v for v in high.interval[::-1]])
    assert low.evidence > 1


@pytest.mark.parametrize(
    ("rule", "counted"),
    [
        ("accuracy >= 0.5", (70, 100)),
        ("recall >= 0.5", (30, 50)),
        ("specificity >= 0.5", (40, 50)),
        ("precision >= 0.5", (30, 40)),
        ("npv >= 0.5", (40, 60)),
        ("recall(positive=0) >= 0.5", (40, 50)),
    ],
)
def test_a_share_is_the_hits_of_the_rows_that_count(state, rule, counted):
    y, said = [1] * 50 + [0] * 50, [1] * 30 + [0] * 20 + [1] * 10 + [0] * 40
    look = tm.Watch(rule, state).add(tm.evaluate(y, said), date=day(1))
    saved = json.loads(state.read_text("utf-8"))["days"][0]
    assert (saved["right"], saved["n"]) == counted
    assert look.value == counted[0] / counted[1]


def test_a_threshold_of_the_rule_decides(state):
    y, score = scored(1.0, 300)
    look = tm.Watch("recall >= 0.5 at threshold=0.3", state).add(
        tm.evaluate(y, y_score=score), date=day(1)
    )
    assert look.value == pytest.approx((score[y == 1] >= 0.3).mean())
    assert look.subject == "recall at threshold=0.3"


def test_one_class_of_several(state):
    rng = np.random.default_rng(0)
    y = rng.choice(list("abc"), 300)
    said = np.where(rng.random(300) < 0.8, y, "a")
    look = tm.Watch("recall(positive=b) >= 0.9", state).add(tm.evaluate(y, said), date=day(1))
    assert look.value == pytest.approx((said == y)[y == "b"].mean())


def test_a_day_without_rows_that_count_is_a_look_without_evidence(state):
    watch = tm.Watch("recall >= 0.8", state)
    first = watch.add(tm.evaluate([0] * 9, [0] * 9, classes=[0, 1]), date=day(1))
    assert (first.exit_code, first.evidence) == (3, pytest.approx(1))
    assert math.isnan(first.value)
    assert "No row so far counts for this number" in str(first)
    second = watch.add(tm.evaluate(*rows(0.9)), date=day(2))
    assert second.exit_code == 0
    assert math.isnan(second.days[0].value)


# -- two models on the same rows -----------------------------------------------------------------


def test_a_worse_model_is_found_against_the_old_one_on_the_same_rows(tmp_path):
    for t in range(1, 16):
        y, old = rows(0.9, seed=t)
        flip = np.random.default_rng(t).random(100) < (0.0 if t <= 8 else 0.1)
        both = tm.evaluate(y, {"old": old, "new": np.where(flip, 1 - old, old)})
        strict = tm.Watch("accuracy 0", tmp_path / "0.json", baseline="old").add(both, date=day(t))
        loose = tm.Watch("accuracy 2%", tmp_path / "2.json", baseline="old").add(both, date=day(t))
    assert (strict.alarm, strict.since) == (True, day(9))
    assert loose.alarm
    assert day(9) <= strict.alarmed <= loose.alarmed
    assert strict.value == loose.value < 0
    assert str(strict).startswith("accuracy of new − old −0.0")


def test_pairs_are_counted_from_the_rows_of_the_share(state):
    y = np.array([1] * 6 + [0] * 6)
    old = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    new = np.array([1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1])
    watch = tm.Watch("sensitivity 0.05", state, baseline="old")
    look = watch.add(tm.evaluate(y, {"new": new, "old": old}), date=day(1))
    saved = json.loads(state.read_text("utf-8"))["days"][0]
    assert {key: saved[key] for key in "bcn"} == {"b": 2, "c": 2, "n": 6}
    assert look.value == 0
    x = (np.array([1, 0, 0, 1, 2, 2]) - np.array([1, 1, 1, 1, 1, 1]) + 1) / 2
    x = ((new - old)[y == 1] + 1) / 2
    slow = e.bet_evidence(e.day_of_bets(x, np.ones(6), (1 - 0.05) / 2)[None])
    assert look.evidence == pytest.approx(1 + (math.exp(slow[0]) - 1) / 365)


def test_the_interval_of_a_difference_holds_it_even_if_it_changed(state):
    watch = tm.Watch("accuracy 0", state, baseline="old")
    for t in range(1, 13):
        y, old = rows(0.9, seed=t)
        new = old if t <= 6 else np.where(np.arange(100) < 12, 1 - y, old)
        look = watch.add(tm.evaluate(y, {"old": old, "new": new}), date=day(t))
    assert all(d.low <= d.so_far <= d.high for d in look.days)


# -- means and areas -----------------------------------------------------------------------------


def test_a_mean_is_judged_by_bets_on_its_rows(state):
    alpha, up, down, before = 0.05, 0.0, 0.0, np.zeros(3)
    watch = tm.Watch("brier <= 0.12", state)
    won = []
    for t in range(1, 7):
        y, score = scored(1.5 if t < 4 else 0.6, 80, seed=t)
        look = watch.add(tm.evaluate(y, y_score=score), date=day(t))
        loss = (score - y) ** 2
        bets = e.hedged_day(loss, np.ones(80), before.tolist(), alpha)
        up, down = up + bets[0], down + bets[1]
        before += [80, loss.sum(), (loss**2).sum()]
        won.append(e.day_of_bets(1 - loss, np.ones(80), 1 - 0.12))
    low, high = e.mean_bounds(up, down, alpha)
    mean = before[1] / before[0]
    assert look.value == pytest.approx(mean)
    assert look.interval == pytest.approx((min(low, mean), max(high, mean)))
    log_m = e.restarted(e.bet_evidence(np.array(won)), 365)
    assert look.evidence == pytest.approx(math.exp(log_m))
    assert look.alarm
    assert look.since == day(4)


def test_the_area_of_all_days_is_that_of_their_rows_together(state):
    watch, parts = tm.Watch("roc_auc >= 0.8", state), []
    for t in range(1, 6):
        parts.append(scored(1.0, 90, seed=t))
        look = watch.add(tm.evaluate(parts[-1][0], y_score=parts[-1][1]), date=day(t))
    y, score = map(np.concatenate, zip(*parts, strict=True))
    every = tm.evaluate(y, y_score=score)["roc_auc"]
    assert look.value == pytest.approx(every.value, abs=1e-12)
    rarer = min(np.bincount(y))
    variance = tm.evaluate(y, y_score=score).value("roc_auc", method="delong").se ** 2
    centre, variance = e.area_with_one_more(every.value, variance, rarer)
    rho2 = e.tuned(30 * 90, 0.05)
    half = float(e.area_half_width(variance, 450, rho2, 0.05))
    assert look.interval == pytest.approx((centre - half, min(centre + half, 1)), abs=1e-9)


def test_an_area_that_drops_is_found_and_its_linear_function_alike(tmp_path):
    for t in range(1, 21):
        y, score = scored(1.5 if t <= 12 else 0.4, 100, seed=t)
        ev = tm.evaluate(y, y_score=score)
        area = tm.Watch("roc_auc >= 0.9", tmp_path / "a.json").add(ev, date=day(t))
        gini = tm.Watch("gini >= 0.8", tmp_path / "g.json").add(ev, date=day(t))
    assert area.alarm
    assert day(12) <= area.since <= day(14)
    assert day(13) <= area.alarmed
    assert gini.evidence == pytest.approx(area.evidence)
    assert gini.value == pytest.approx(2 * area.value - 1)


def test_few_rows_of_a_class_give_no_interval_of_an_area_yet(state):
    watch = tm.Watch("roc_auc >= 0.9", state)
    y, score = np.array([1] * 12 + [0] * 40), np.linspace(1, 0, 52)
    first = watch.add(tm.evaluate(y, y_score=score), date=day(1))
    assert math.isnan(first.interval[0])
    assert (first.value, first.evidence) == (1.0, pytest.approx(1))
    assert "The interval begins with 20 rows of the rarer class." in " ".join(str(first).split())
    second = watch.add(tm.evaluate(y, y_score=score - 0.001), date=day(2))
    assert second.interval[0] < second.value


# -- the state -----------------------------------------------------------------------------------

RULES = ["accuracy >= 0.8", "roc_auc >= 0.8", "brier <= 0.2"]


@pytest.mark.parametrize("rule", RULES)
def test_a_state_read_back_goes_on_as_if_it_had_stayed(rule, tmp_path):
    kept = tm.Watch(rule, tmp_path / "kept.json")
    for t in range(1, 5):
        y, score = scored(1.2, 60, seed=t)
        ev = tm.evaluate(y, y_score=score)
        one = kept.add(ev, date=day(t))
        two = tm.Watch(rule, tmp_path / "read.json").add(ev, date=date(2026, 10, t))
    assert one.to_dict() == two.to_dict()
    assert (tmp_path / "kept.json").read_bytes() == (tmp_path / "read.json").read_bytes()
    again = tm.Watch(rule, tmp_path / "read.json").look
    assert again.to_dict() == one.to_dict()


@pytest.mark.parametrize("rule", RULES)
def test_the_order_of_rows_does_not_matter(rule, tmp_path):
    y, score = scored(1.2, 60)
    mixed = np.random.default_rng(0).permutation(60)
    found = [
        tm.Watch(rule, tmp_path / f"{k}.json").add(tm.evaluate(y[p], y_score=score[p]), date=day(1))
        for k, p in enumerate((np.arange(60), mixed))
    ]
    assert found[0].to_dict() == found[1].to_dict()


@pytest.mark.parametrize("rule", RULES)
def test_the_state_holds_counts_and_no_bounds(rule, state):
    y, score = scored(1.2, 60)
    tm.Watch(rule, state).add(tm.evaluate(y, y_score=score), date=day(1))
    text = state.read_text("utf-8")
    assert json.loads(text)["format"] == "tallymark/watch-state"
    assert not re.search(r'"(low|high|interval|bounds?)"', text)


def test_a_refused_day_leaves_the_state_as_it_was(state):
    watch = tm.Watch("accuracy >= 0.8", state)
    watch.add(tm.evaluate(*rows(0.9)), date=day(1))
    before = state.read_bytes()
    with pytest.raises(tm.InputError):
        watch.add(tm.evaluate(*rows(0.9, seed=2)), date=day(1))
    assert state.read_bytes() == before
    assert [p.name for p in state.parent.iterdir()] == ["gate.json"]
    assert watch.add(tm.evaluate(*rows(0.9, seed=2)), date=day(2)).days[-1].date == day(2)


def test_today_is_the_day_unless_another_is_given(state):
    look = tm.Watch("accuracy >= 0.8", state).add(tm.evaluate(*rows(0.9)))
    assert abs((date.fromisoformat(look.date) - date.today()).days) <= 1
    late = datetime(2199, 1, 2, 13, 30)
    later = tm.Watch("accuracy >= 0.8", state).add(tm.evaluate(*rows(0.9, seed=2)), date=late)
    assert later.date == "2199-01-02"


# -- what is refused -----------------------------------------------------------------------------


def refusal(call):
    with pytest.raises(tm.InputError) as refused:
        call()
    return str(refused.value)


@pytest.mark.parametrize(
    ("rule", "more", "says"),
    [
        ("f1 >= 0.8", {}, "rule 'f1 >= 0.8': no method is valid at every look for f1; watch a share "
         "of rows (accuracy, sensitivity, specificity, precision), the ROC area or a bounded mean "
         "(brier)"),
        ("recall(average=macro) >= 0.8", {}, "rule 'recall(average=macro) >= 0.8': no method is "
         "valid at every look for the macro average; watch a share of rows (accuracy, sensitivity, "
         "specificity, precision), the ROC area or a bounded mean (brier)"),
        ("precision >= 0.8 at prevalence=1%", {}, "rule 'precision >= 0.8 at prevalence=1%': no "
         "method is valid at every look for a number at another prevalence; watch a share of rows "
         "(accuracy, sensitivity, specificity, precision), the ROC area or a bounded mean (brier)"),
        ("roc_auc 0.01", {"baseline": "old"}, "rule 'roc_auc 0.01': a daily comparison is of shares "
         "of the same rows, and roc_auc is none; watch accuracy, sensitivity or specificity, such "
         "as 'accuracy 0.01'"),
        ("0.01", {"baseline": "old"}, "rule '0.01': name the share to compare, such as "
         "'accuracy 0.01'"),
        ("accuracy >= 0.8", {"level": 2}, "level is 2; give a number between 0 and 1, such as 0.95"),
        ("accuracy >= 0.8", {"horizon": 0}, "horizon is 0; give a whole number, from 1 to 3,660"),
    ],
)  # fmt: skip
def test_a_rule_that_no_method_serves_is_refused(state, rule, more, says):
    assert refusal(lambda: tm.Watch(rule, state, **more)) == says
    assert not state.exists()


def test_what_was_fixed_before_the_first_look_stays(state):
    tm.Watch("accuracy >= 0.8", state).add(tm.evaluate(*rows(0.9)), date=day(1))
    name = str(state)
    fixed = (
        "; its error rate holds for what was fixed before the first look: keep it, or start a new "
        "state"
    )
    for rule, more, says in (
        ("accuracy >= 0.7", {}, f"was started with the limit 0.8, and now it is 0.7{fixed}"),
        ("accuracy >= 0.8", {"level": 0.9},
         f"was started with the level 0.95, and now it is 0.9{fixed}"),
        ("accuracy >= 0.8", {"horizon": 30},
         f"was started with the horizon 365, and now it is 30{fixed}"),
        ("recall >= 0.8", {}, "watches another number (accuracy >= 0.8) than 'recall >= 0.8'; give "
         "each rule a state of its own"),
        ("accuracy 0.8", {"baseline": "old"}, "watches another number (accuracy >= 0.8) than "
         "'accuracy 0.8'; give each rule a state of its own"),
    ):  # fmt: skip
        assert refusal(lambda: tm.Watch(rule, state, **more)) == f"{name!r} {says}"  # noqa: B023
    assert tm.Watch("accuracy >= 80%", state).horizon == 365


def test_days_come_once_and_in_their_order_within_the_horizon(state):
    watch, ev = tm.Watch("accuracy >= 0.8", state, horizon=2), tm.evaluate(*rows(0.9))
    watch.add(ev, date=day(5))
    name = str(state)
    assert refusal(lambda: watch.add(ev, date=day(5))) == (
        f"{day(5)} is in {name!r} already, and rows counted twice are no new evidence; add the "
        "rows of another day"
    )
    assert refusal(lambda: watch.add(ev, date=day(4))) == (
        f"{day(4)} is before {day(5)}, the last day in {name!r}; add days in their order"
    )
    assert refusal(lambda: watch.add(ev, date="tomorrow")) == (
        "date is 'tomorrow'; give a day such as '2026-11-26'"
    )
    missing = pd.to_datetime([None])[0]  # pandas' NaT, which is a datetime
    assert refusal(lambda: watch.add(ev, date=missing)) == (
        "date is NaT; give a day such as '2026-11-26'"
    )
    last = watch.add(ev, date=day(6))
    assert "This was the last look of the horizon" in str(last)
    assert refusal(lambda: watch.add(ev, date=day(7))) == (
        f"{name!r} has all of its 2 looks, and its error rate holds for no more; start a new "
        "state, in another file"
    )


def test_rows_that_were_counted_before_are_seen_by_their_scores(state):
    parts = [scored(1.2, 100, seed=t) for t in range(3)]
    watch = tm.Watch("accuracy >= 0.5", state)
    for t in range(2):
        watch.add(tm.evaluate(parts[t][0], y_score=parts[t][1]), date=day(t + 1))
    y, score = (np.concatenate([p[k] for p in parts]) for k in (0, 1))
    so_far = tm.evaluate(y, y_score=score)  # the file of all days, not that of the third
    assert re.fullmatch(
        f"most rows of {day(3)} have the scores and classes of rows that were counted before, such "
        rf"as on 2026-10-0[12]; give the rows of that day alone",
        refusal(lambda: watch.add(so_far, date=day(3))),
    )
    assert len(watch.add(tm.evaluate(parts[2][0], y_score=parts[2][1]), date=day(3)).days) == 3


def test_equal_scores_of_coarse_models_are_no_sign_of_the_same_rows(state):
    watch = tm.Watch("accuracy >= 0.5", state)
    for t in (1, 2):
        y, score = scored(1.2, 100, seed=t)
        look = watch.add(tm.evaluate(y, y_score=np.round(score, 1)), date=day(t))
    assert len(look.days) == 2


def test_rows_that_the_evidence_does_not_judge_are_refused(state):
    y, said = rows(0.9)
    watch = tm.Watch("accuracy >= 0.8", state)
    for ev, says in (
        (tm.evaluate(y, said, weight=np.arange(1, 101)),
         "a watch counts rows, and these have weights; leave them out"),
        (tm.evaluate(y, said, cluster=np.arange(100) // 4),
         "a watch is for independent rows, and these are in clusters; take one row of each"),
        (tm.evaluate(y, said).at(prevalence=0.2),
         "a watch is of the rows as they are; leave the prevalence out"),
        (tm.evaluate(y, {"a": said, "b": y}),
         "a watch is of one model, and here are 'a', 'b'; choose one with .model('a'), or compare "
         "two with baseline='a'"),
    ):  # fmt: skip
        assert refusal(lambda: watch.add(ev, date=day(1))) == says  # noqa: B023
    assert not state.exists()


def test_models_that_cannot_be_compared_are_refused(state, tmp_path):
    y, said = rows(0.9)
    watch = tm.Watch("accuracy 0", state, baseline="old")
    three = tm.evaluate(y, {"old": said, "a": said, "b": said})
    assert refusal(lambda: watch.add(three, date=day(1))) == (
        "a watch compares one model with 'old', and there are 2 others; give both models and no "
        "more"
    )
    wrong = refusal(lambda: watch.add(tm.evaluate(y, {"a": said, "b": said}), date=day(1)))
    assert wrong.startswith("there is no model 'old'")
    both = tm.evaluate(y, {"old": said, "new": y})
    precision = tm.Watch("precision 0", tmp_path / "p.json", baseline="old")
    assert refusal(lambda: precision.add(both, date=day(1))) == (
        "rule 'precision 0': precision is a share of other rows for each model; watch accuracy, "
        "sensitivity or specificity"
    )


def test_a_loss_without_a_largest_value_is_refused(state):
    y, score = scored(1.2)
    assert refusal(
        lambda: tm.Watch("log_loss <= 0.5", state).add(tm.evaluate(y, y_score=score), date=day(1))
    ) == (
        "rule 'log_loss <= 0.5': log_loss has no largest loss, so that a single row may decide; "
        "watch brier"
    )


def test_another_positive_class_is_refused(state):
    y, said = rows(0.9)
    watch = tm.Watch("recall >= 0.5", state)
    watch.add(tm.evaluate(y, said), date=day(1))
    other = tm.evaluate(y, said, positive=0)
    assert refusal(lambda: watch.add(other, date=day(2))) == (
        f"the positive class is '0', and in {str(state)!r} it is '1'; give positive='1', or start "
        "a new state"
    )


@pytest.mark.parametrize("text", ["", "[]", '{"format": "tallymark/gate"}', "right: 3"])
def test_a_file_that_is_no_state_is_refused(state, text):
    state.write_text(text, "utf-8")
    assert refusal(lambda: tm.Watch("accuracy >= 0.8", state)) == (
        f"{str(state)!r} is not the state of a watch; name another file"
    )
    assert state.read_text("utf-8") == text


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.pop("days"),
        lambda s: s.update(days=[]),
        lambda s: s.update(prior="x"),
        lambda s: s.update(kind="other"),
        lambda s: s["days"].reverse(),
        lambda s: s["days"][0].update(date="yesterday"),
        lambda s: s["days"][0].update(n=-1, scores=[1, 2]),
        lambda s: s["days"][1].update(right=10**6, sum=10**6, positives=[-1]),
        lambda s: s["days"][1].update(right="x", bets=[1], negatives=None),
    ],
)
def test_damaged_counts_are_refused(state, rule, change):
    for t in (1, 2):
        y, score = scored(1.2, 60, seed=t)
        tm.Watch(rule, state).add(tm.evaluate(y, y_score=score), date=day(t))
    saved = json.loads(state.read_text("utf-8"))
    change(saved)
    state.write_text(json.dumps(saved), "utf-8")
    assert refusal(lambda: tm.Watch(rule, state)) == (
        f"the counts in {str(state)!r} are damaged; restore the file from a copy, or start a new "
        "state"
    )


# -- how it is shown -----------------------------------------------------------------------------


def test_a_card_draws_the_days_the_limit_and_the_alarm(state):
    watch = tm.Watch("accuracy >= 0.85", state)
    assert "no day was added yet" in str(watch)
    assert watch.look is None
    for t in range(1, 15):
        look = watch.add(tm.evaluate(*rows(0.9 if t <= 7 else 0.6, seed=t)), date=day(t))
    html = look._repr_html_()
    Balanced(html)
    assert "days since 2026-10-01" in html
    assert "limit ≥ 0.85" in html
    assert f"alarm on {look.alarmed}" in html
    (shape,) = re.findall(r'<polygon class="band[^"]*" points="([^"]+)"', html)
    assert len(shape.split()) == 2 * len(look.days)
    assert "The last 10 of 14 days." in html
    Balanced(watch._repr_html_())
    assert repr(watch) == "<Watch: accuracy >= 0.85, 14 looks of 365>"
    assert "| 2026-10-14 |" in look.to_markdown()


def test_the_table_has_every_day(state):
    watch = tm.Watch("accuracy >= 0.85", state)
    for t in range(1, 4):
        look = watch.add(tm.evaluate(*rows(0.9, seed=t)), date=day(t))
    table = list(look.table())
    assert [row["date"] for row in table] == [day(t) for t in range(1, 4)]
    assert table[-1]["so_far"] == look.value
    data = json.loads(look.to_json())
    assert (data["format"], data["alarm"], len(data["days"])) == ("tallymark/watch", False, 3)
