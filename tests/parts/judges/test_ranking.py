"""Models ranked by corrected pass rates, beside slow and obvious twins."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, t

import tallymark as tm
from tallymark import quantities


def answers(seed=0, n=120, labels=40, models=(("crow", 0.85), ("wren", 0.6)), right=0.9):
    """Return a row for each answer; the first items have labels, of every model."""
    rng = np.random.default_rng(seed)
    ease = rng.random(n)
    out = {"item": [], "model": [], "gpt": [], "human": []}
    for name, rate in models:
        truth = (0.5 * ease + 0.5 * rng.random(n)) < rate
        judged = np.where(rng.random(n) < right, truth, ~truth)
        out["item"] += [f"q{i}" for i in range(n)]
        out["model"] += [name] * n
        out["gpt"] += [("fail", "pass")[int(v)] for v in judged]
        out["human"] += [("fail", "pass")[int(v)] if i < labels else None
                         for i, v in enumerate(truth)]  # fmt: skip
    return out


OF = {"truth": "human", "judge": "gpt", "positive": "pass"}


def lines(rows):
    return [dict(zip(rows, line, strict=True)) for line in zip(*rows.values(), strict=True)]


def slow_rates(rows, weight=None, unit="item"):
    """Return rates, means, and the covariance of models, one row after the other.

    The strata are the judge's values of each model, all of which must have 5 labels.
    """
    every = lines(rows)
    models = sorted({r["model"] for r in every})
    value, mean, added = {}, {}, {}
    of_unit = defaultdict(lambda: dict.fromkeys(models, 0.0))
    for model in models:
        mine = [r for r in every if r["model"] == model]
        times = {i: sum(r["item"] == i for r in mine) for i in {r["item"] for r in mine}}
        n = len(times)
        value[model] = mean[model] = added[model] = 0.0
        means = {}
        for s in sorted({r["gpt"] for r in mine}):
            inside = [r for r in mine if r["gpt"] == s]
            known = [r for r in inside if r["human"] is not None]
            m = len(known)
            assert m >= 5
            share = sum(1 / times[r["item"]] for r in inside) / n
            v = [(r[weight] if weight else 1) / times[r["item"]] for r in known]
            y = [float(r["human"] == "pass") for r in known]
            total, extra = sum(v), sum(v) / m
            right = sum(a * b for a, b in zip(v, y, strict=True))
            mu = (right + extra / 2) / (total + extra)
            value[model] += share * right / total
            mean[model] += share * mu
            means[s] = mu
            for r, w, passed in zip(known, v, y, strict=True):
                part = share * math.sqrt((m + 1) / m) * w * (passed - mu) / (total + extra)
                of_unit[r[unit]][model] += part
            one_more = (extra * mu) ** 2 / 2 + (extra * (1 - mu)) ** 2 / 2
            added[model] += share**2 * (m + 1) / m * one_more / (total + extra) ** 2
        for r in mine:
            of_unit[r[unit]][model] += (means[r["gpt"]] - mean[model]) / times[r["item"]] / n
    g = len(of_unit)
    covariance = {}
    for a in models:
        for b in models:
            products = sum(u[a] * u[b] for u in of_unit.values()) * g / (g - 1)
            covariance[a, b] = products + (added[a] if a == b else 0)
    return value, mean, covariance, g


def assert_pairs_are_slow(board, rows, **how):
    value, mean, c, g = slow_rates(rows, **how)
    for p in board.pairs:
        a, b = p.first, p.second
        assert p.difference == pytest.approx(value[a] - value[b], abs=1e-12)
        variance = c[a, a] + c[b, b] - 2 * c[a, b]
        middle = mean[a] - mean[b]
        if board.clusters is None:
            centre = (middle + 1) / 2
            size = centre * (1 - centre) / (variance / 4) - 1
            found = beta(centre * size, (1 - centre) * size)
            low, high = (2 * x - 1 for x in found.ppf([0.025, 0.975]))
            p_value = 2 * min(found.cdf(0.5), found.sf(0.5))
        else:
            low, high = middle + math.sqrt(variance) * t(g - 1).ppf([0.025, 0.975])
            p_value = 2 * t(g - 1).sf(abs(middle) / math.sqrt(variance))
        assert (p.low, p.high) == pytest.approx((low, high), abs=1e-9)
        assert p.p_value == pytest.approx(p_value, abs=1e-9)


THREE = (("crow", 0.85), ("wren", 0.6), ("owl", 0.8))


def test_rates_and_differences_are_those_of_rows_one_after_the_other():
    rows = answers(models=THREE)
    board = tm.judged_evals(rows, **OF)
    value, *_ = slow_rates(rows)
    assert {m.model: m.value.value for m in board.models} == pytest.approx(value)
    assert [m.model for m in board.models] == sorted(value, key=value.get, reverse=True)
    assert_pairs_are_slow(board, rows)


def test_clusters_have_students_t():
    rows = answers(n=200, labels=80)
    rows["text"] = [f"t{int(i[1:]) % 20}" for i in rows["item"]]
    board = tm.judged_evals(rows, **OF, cluster="text")
    assert board.clusters == 20
    assert_pairs_are_slow(board, rows, unit="text")
    _, mean, c, g = slow_rates(rows, unit="text")
    for m in board.models:
        half = t(g - 1).ppf(0.975) * math.sqrt(c[m.model, m.model])
        low, high = mean[m.model] - half, mean[m.model] + half
        assert (m.value.low, m.value.high) == pytest.approx((low, high))
        assert m.labels_only is None


def test_several_answers_to_an_item_count_as_one_item():
    rows = answers(n=150, labels=60)
    extra = [i for i in range(300) if rows["item"][i] in ("q0", "q1", "q70", "q71", "q72")]
    rows = {name: column + [column[i] for i in extra] for name, column in rows.items()}
    rows["epoch"] = [1] * 300 + [2] * len(extra)
    board = tm.judged_evals(rows, **OF)
    assert board.items == 150
    assert_pairs_are_slow(board, rows)


def test_weights_are_those_of_labelled_rows():
    rows = answers(labels=60)
    plain = tm.judged_evals(rows, **OF)
    rows["w"] = [3.0] * 240
    same = tm.judged_evals(rows, **OF, weight="w")
    assert same.pairs[0].low == pytest.approx(plain.pairs[0].low)
    rows["w"] = [1.0 + (i % 3) for i in range(240)]
    board = tm.judged_evals(rows, **OF, weight="w")
    assert_pairs_are_slow(board, rows, weight="w")


def test_a_rate_is_that_of_few_labels_in_its_rows():
    rows = answers(models=THREE)
    board = tm.judged_evals(rows, **OF)
    parts = tm.few_labels(rows, **OF, subgroup="model").subgroups
    for m in board.models:
        share = next(s for s in parts[f"model = {m.model}"].shares if s.label == "pass")
        assert (m.value, m.labels_only, m.judge_as_truth) == (
            share.value, share.labels_only, share.judge_as_truth)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, "text"]))
def test_p_is_small_exactly_where_the_interval_excludes_0(seed, cluster):
    rng = np.random.default_rng(seed)
    rates = (("a", rng.random()), ("b", rng.random()))
    rows = answers(seed, n=60, labels=int(rng.integers(12, 60)), models=rates, right=0.8)
    rows["text"] = [int(i[1:]) % 12 for i in rows["item"]]
    level = float(rng.choice([0.5, 0.8, 0.95]))
    board = tm.judged_evals(rows, **OF, classes=["fail", "pass"], cluster=cluster, level=level)
    (pair,) = board.pairs
    assert (pair.p_value < 1 - level) == (pair.low > 0 or pair.high < 0)
    assert (pair.winner is None) == (pair.adjusted >= 1 - level)
    assert pair.low <= pair.difference <= pair.high
    assert [m.rank_low for m in board.models] == ([1, 2] if pair.winner else [1, 1])


def test_pairs_are_corrected_by_holm_and_the_order_is_said_in_the_words_of_leaderboards():
    rows = answers(n=400, labels=150, models=(*THREE, ("jay", 0.55)), right=0.95)
    board = tm.judged_evals(rows, **OF)
    raw = sorted(p.p_value for p in board.pairs)
    holm, least = {}, 0.0
    for i, p in enumerate(raw):
        least = max(least, min(1.0, p * (len(raw) - i)))
        holm[p] = least
    assert [p.adjusted for p in board.pairs] == pytest.approx(
        [holm[p.p_value] for p in board.pairs]
    )
    assert board.verdict == (
        "crow and owl each beat wren and jay. wren beats jay. crow and owl cannot be distinguished on "
        "400 items with 600 labels."
    )
    for a, b in combinations([m.model for m in board.models], 2):
        there, back = board.pair(a, b), board.pair(b, a)
        assert (back.difference, back.low, back.high) == (
            -there.difference,
            -there.high,
            -there.low,
        )
        assert back.winner == there.winner


def test_tables_files_and_columns_side_by_side_give_the_same(tmp_path):
    rows = answers()
    frame = pd.DataFrame(rows)
    board = tm.judged_evals(rows, **OF)
    of_frame = tm.judged_evals(frame.sample(frac=1, random_state=1), **OF)
    files = []
    for model in ("crow", "wren"):
        files.append(tmp_path / f"{model}.csv")
        frame[frame["model"] == model].drop(columns="model").to_csv(files[-1], index=False)
    of_files = tm.judged_evals(files, **OF)
    a, b = (frame[frame["model"] == model].reset_index() for model in ("crow", "wren"))
    wide = {"crow": a["gpt"], "wren": b["gpt"], "h1": a["human"], "h2": b["human"]}
    of_columns = tm.judged_evals(
        pd.DataFrame(wide), truth=["h1", "h2"], judge=["crow", "wren"], positive="pass"
    )
    for other in (of_frame, of_files, of_columns):
        assert other.models == board.models
        for one, same in zip(other.pairs, board.pairs, strict=True):
            assert one.p_value == pytest.approx(same.p_value)
            assert (one.low, one.high) == pytest.approx((same.low, same.high))
    assert of_files.source == "crow.csv, wren.csv"
    assert of_columns.judged_by == "judge"


def test_items_of_several_tasks_differ():
    rows = answers()
    rows["task"] = ["a" if int(i[1:]) < 60 else "b" for i in rows["item"]]
    board = tm.judged_evals(rows, **OF)
    rows["item"] = [f"q{int(i[1:]) % 60}" for i in rows["item"]]
    again = tm.judged_evals(rows, **OF)
    assert again.items == board.items == 120
    assert again.pairs == board.pairs


def test_sampled_by_the_judge_keeps_its_values_apart():
    rows = answers(n=300, labels=0)
    for i, (model, judged) in enumerate(zip(rows["model"], rows["gpt"], strict=True)):
        wanted = 3 if judged == "fail" and model == "crow" else 20
        done = sum(rows["human"][k] is not None for k in range(i)
                   if rows["model"][k] == model and rows["gpt"][k] == judged)  # fmt: skip
        if done < wanted:
            rows["human"][i] = judged
    rows["human"][0] = "fail" if rows["human"][0] == "pass" else "pass"
    merged = tm.judged_evals(rows, **OF)
    apart = tm.judged_evals(rows, **OF, sampled_by="judge")
    assert "merged-values" in {f.rule for f in merged.notes}
    assert "merged-values" not in {f.rule for f in apart.notes}
    crow = next(m for m in apart.models if m.model == "crow")
    of_crow = [(j, h) for x, j, h in zip(rows["model"], rows["gpt"], rows["human"], strict=True)
               if x == "crow"]  # fmt: skip
    expected = 0.0
    for value in ("fail", "pass"):
        known = [h == "pass" for j, h in of_crow if j == value and h is not None]
        expected += sum(j == value for j, _ in of_crow) / 300 * np.mean(known)
    assert crow.value.value == pytest.approx(expected)


def texts(board):
    return {f.rule: f.text for f in board.notes}


def test_notes_say_what_is_left_out():
    rows = answers(models=THREE, labels=20)
    rows["human"] = [h if m != "owl" or i < 5 else None
                     for i, (h, m) in enumerate(zip(rows["human"], rows["model"], strict=True))]  # fmt: skip
    rows["gpt"][3] = rows["gpt"][125] = None
    board = tm.judged_evals(rows, **OF)
    assert [m.model for m in board.models] == ["crow", "wren"]
    found = texts(board)
    assert found["model-without-labels"] == (
        "owl has 0 labelled rows, fewer than 10, and is left out. Label more of its rows"
    )
    assert found["rows-without-judge"] == (
        "2 rows without a prediction or a judge are left out. Let the judge answer for every row"
    )
    lacking = [f.text for f in board.notes if f.rule == "items-lacking"]
    assert lacking == [
        f"models are compared on the 118 items that the judge saw of all of them: {model} lacks 1. "
        "Let the judge answer for every item of each model"
        for model in ("crow", "wren")
    ]
    assert board.items == 118
    assert found["corrected-for"] == (
        "the labelled rows are taken for a random sample of the rows with the same model and "
        "judge's value"
    )
    few = tm.judged_evals(answers(labels=12), **OF)
    assert texts(few)["few-labels"].startswith("only 24 rows have a true class")


def test_labels_that_were_not_chosen_at_random_are_noted():
    rows = answers(n=300, labels=300, right=0.8)
    rows["human"] = [h if i % 300 < 20 or (j == "fail" and i % 300 < 250) else None
                     for i, (h, j) in enumerate(zip(rows["human"], rows["gpt"], strict=True))]  # fmt: skip
    noted = [f for f in tm.judged_evals(rows, **OF).notes
             if f.rule == "labels-of-model-not-random"]  # fmt: skip
    assert [f.model for f in noted] == ["crow", "wren"]
    assert noted[0].text == (
        "labelled rows of crow have other values of the judge than the rest (p < 0.0001), so rows "
        "seem not to be labelled at random. If they were chosen by the judge's value, say "
        "sampled_by='judge'; if by something else, give the weight of each row with weight=..."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"judge": None},
         "judge is not given; name its column with judge=..., or give logs of evaluations"),
        ({"truth": None},
         "truth is not given; name the column of labels with truth=..., or give a table of them "
         "with labels=..."),
        ({"scorer": "acc"},
         "scorer is for logs, and judge names a column; leave scorer=... out"),
        ({"judge": ["gpt", "human"], "truth": ["item"]},
         "there are 2 columns of the judge and 1 of labels; give one of each for every model, in "
         "the same order"),
        ({"judge": ["gpt", "human"], "truth": ["item", "model"], "model": "model"},
         "model is for rows of one answer each, and there are several columns of the judge, which "
         "are models; leave model=... out"),
        ({"truth": ["human", "item"]},
         "truth names 2 columns and judge one; give one of each for every model, in the same "
         "order"),
        ({"positive": None}, "positive"),
        ({"cluster": "model"},
         "the item 'q0' is in the clusters 'crow' and 'wren'; each item has one"),
        ({"model": "gpt", "item": "system"}, "no column 'system'"),
    ],
)  # fmt: skip
def test_refusals(changes, sentence):
    with pytest.raises(tm.InputError) as refused:
        tm.judged_evals(answers(), **{**OF, **changes})
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_refusals_of_rows():
    def refusal(rows, **how):
        with pytest.raises(tm.InputError) as refused:
            tm.judged_evals(rows, **{**OF, "classes": ["fail", "pass"], **how})
        return str(refused.value)

    assert refusal(answers(labels=3)) == "6 rows have a true class; label at least 10"
    assert refusal(answers(labels=7)) == (
        "no model has 10 labelled rows among the items of all models; label at least 10 of each: "
        "crow has 7, wren has 7"
    )
    rows = answers(labels=60)
    rows["human"] = [j if i % 120 < 60 else None for i, j in enumerate(rows["gpt"])]
    assert refusal(rows) == (
        "'gpt' equals the true class in all 120 labelled rows, so one is likely a copy of the "
        "other; give a judge that has not seen the true classes"
    )
    rows = answers()
    rows["text"] = ["t"] * 240
    assert refusal(rows, cluster="text") == (
        "all rows are of one cluster, so nothing shows how they vary; give rows of several"
    )
    nameless = {k: v for k, v in answers().items() if k != "item"}
    assert refusal(nameless) == (
        "the table has no column 'item'; name that of the item with item=..."
    )
    three = answers()
    three["human"][:3] = ["unclear"] * 3
    assert refusal(three, classes=None, positive=None) == (
        "there are 3 classes, 'fail', 'pass', 'unclear'; say which one the rate counts with "
        "positive=..."
    )
    board = tm.judged_evals(answers(), **OF)
    with pytest.raises(tm.InputError, match="there is no model 'robin'"):
        board.pair("crow", "robin")
    with pytest.raises(tm.InputError, match="first and second are both 'crow'; name two models"):
        board.pair("crow", "crow")


def test_one_model_has_a_rate_and_no_pairs():
    board = tm.judged_evals(answers(models=THREE[:1]), **OF)
    assert (board.pairs, board.groups) == ((), (("crow",),))
    v = board.models[0].value
    assert board.verdict == (
        f"crow: {v.value:.2f} (95 % CI {v.low:.2f} to {v.high:.2f}) on 120 items with 40 labels."
    )


def test_the_page_and_the_table_show_the_numbers(tmp_path):
    board = tm.judged_evals(answers(models=THREE), **OF)
    page = board.report(tmp_path / "board.html").read_text("utf-8")
    names = [m.model for m in board.models]
    beaten = {p.second for p in board.pairs if p.winner == p.first == names[0]}
    (other,) = {*names[1:]} - beaten
    headline = f"{names[0]} or {other}: not decided."
    assert f"<h1>{headline}</h1>" in page
    assert headline in str(board).splitlines()
    assert board.verdict in page
    assert f"{board.models[0].value.value:.2f}" in page
    assert f"{board.pairs[0].difference:+.2f}" in page
    rows = board.table()
    assert [r["model"] for r in rows] == [m.model for m in board.models]
    assert rows[0]["judge_as_truth"] == board.models[0].judge_as_truth
    assert board.table_of_pairs()[0]["adjusted"] == board.pairs[0].adjusted
    assert board.to_dict()["format"] == "tallymark/judged-board"
    labels = tm.few_labels(answers(), **OF)
    page = labels.report(tmp_path / "labels.html").read_text("utf-8")
    share = labels.shares[1].value
    bounds = f"{quantities.between(share.low, share.high)}"
    assert f"<h1>Share of pass is {share.value:.2f} ({bounds}).</h1>" in page
    assert "From 80 labels and a judge on 240 rows." in page
    assert "How frequent each class is" in page
    assert "How good the judge is" in page


def test_the_page_of_few_labels_opens_with_the_first_metric(tmp_path):
    rows = answers(models=THREE[:1])
    rng, other = np.random.default_rng(1), {"pass": "fail", "fail": "pass"}
    rows["pred"] = [v if rng.random() < 0.7 else other[v] for v in rows["gpt"]]
    result = tm.few_labels(rows, truth="human", pred="pred", judge="gpt", positive="pass")
    page = result.report(tmp_path / "page.html").read_text("utf-8")
    first = result.metrics[0]
    bounds = f"{quantities.between(first.value.low, first.value.high)}"
    assert f"<h1>Accuracy is {first.value.value:.2f} ({bounds}).</h1>" in page
    assert "How good the model is" in page
    lead = "From 40 labels and a judge on 120 rows"
    better = f": as narrow as from {first.worth:.0f} random labels without the judge."
    assert f'<p class="verdict">{lead}{better if round(first.worth) > 40 else "."}</p>' in page
    assert round(first.worth) > 40


def test_a_pair_prints_its_verdict_and_its_difference_with_interval_and_p():
    board = tm.judged_evals(answers(), **OF)
    table = [
        "first  second  difference   95 % interval  judge says         p  better",
        "crow   wren         +0.38  +0.22 to +0.49      +0.275  < 0.0001  crow",
    ]
    printed = str(board).split("\n")
    assert all(line in printed for line in table)
    for pair, first, second in (
        (board.pair("crow", "wren"), "crow", "wren"),
        (board.pair("wren", "crow"), "wren", "crow"),
    ):
        verdict, head, numbers = str(pair).split("\n")
        assert verdict == "crow beats wren."
        assert head == table[0]
        assert numbers.split()[:2] == [first, second]
    assert str(board.pair("crow", "wren")).split("\n")[1:] == table
    assert repr(board.pair("wren", "crow")) == (
        "<JudgedPair: crow beats wren: rate of wren − crow −0.38 "
        "(95 % CI −0.49 to −0.22), p < 0.0001>"
    )
    alike = tm.judged_evals(answers(models=(("crow", 0.7), ("wren", 0.69))), **OF).pairs[0]
    assert str(alike).split("\n")[0] == "No difference between crow and wren is proved."
    assert str(alike).split("\n")[2].split()[-3:] == [f"{alike.adjusted:.3g}", "not", "proved"]
