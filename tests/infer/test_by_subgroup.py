"""Subgroups hold what an evaluation of their rows alone holds."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tallymark as tm
from tallymark.errors import InputError
from tallymark.infer.multiplicity import holm


def rows(n=1200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    region = rng.choice(["north", "south", "east"], n, p=[0.5, 0.3, 0.2]).astype(object)
    region[rng.random(n) < 0.1] = None
    band = rng.integers(1, 4, n)
    score = 1 / (
        1 + np.exp(-(rng.normal(size=n) + np.where(region == "south", 0.5, 2) * (y - 0.5)))
    )
    return y, score, region, band


def same(a, b):
    assert set(a) == set(b)
    for name, v in a.items():
        w = b[name]
        told = (v.method, v.reason, v.warning, v.definition)
        assert told == (w.method, w.reason, w.warning, w.definition), name
        np.testing.assert_allclose(
            [v.value, v.low, v.high], [w.value, w.low, w.high], rtol=1e-12, err_msg=name
        )


def whole(evaluation):
    return evaluation.values()[evaluation.names[0]]


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_a_subgroup_is_what_its_rows_alone_are(weighted):
    y, score, region, band = rows()
    weights = np.random.default_rng(5).uniform(0.5, 3, len(y)) if weighted else None
    ev = tm.evaluate(y, y_score=score, weight=weights, subgroup={"region": region, "band": band})
    names = [m.name for m in ev.metrics()]
    found = ev.by("region", "band").values(names)
    for key in [("south", 2), (None, 1), ("east", 3)]:
        at = np.array([r == key[0] for r in region]) & (band == key[1])
        w = None if weights is None else weights[at]
        alone = tm.evaluate(y[at], y_score=score[at], weight=w, classes=[0, 1])
        same(found[key], whole(alone))
    found = ev.by("band")
    assert found.keys == (1, 2, 3)
    assert found.rows[2] == int((band == 2).sum())
    w = None if weights is None else weights[band == 2]
    alone = tm.evaluate(y[band == 2], y_score=score[band == 2], weight=w)
    if weighted:  # sums of weights are added up in another order
        assert found.values(["recall"])[2]["sensitivity"].value == pytest.approx(
            alone["recall"].value
        )
    else:
        same(found.values(names)[2], whole(alone))


@pytest.mark.slow
def test_subgroups_of_labels_and_of_many_classes():
    rng = np.random.default_rng(1)
    n = 900
    y = rng.choice(["a", "b", "c"], n)
    raw = rng.dirichlet([2, 2, 2], n)
    said = np.array(["a", "b", "c"])[raw.argmax(1)]
    part = rng.choice(["x", "y"], n)
    for options in ({"y_pred": said}, {"y_score": raw}):
        ev = tm.evaluate(y, **options, subgroup={"part": part})
        at = part == "y"
        alone = tm.evaluate(y[at], **{k: v[at] for k, v in options.items()})
        found = ev.by("part").values([m.name for m in ev.metrics()])["y"]
        # Subgroups keep no rows side by side: averages over columns of scores say so.
        said_so = "not kept side by side", "columns of a row were counted separately"
        apart = {
            n for n, v in found.items() if any(s in f"{v.warning} {v.method}" for s in said_so)
        }
        without_skew = {n for n, v in found.items() if v.method == "mean over rows, Student's t"}
        assert without_skew == ({"log_loss"} if apart else set())  # which takes the rows
        apart |= without_skew
        assert ({"roc_auc", "average_precision"} <= apart) == ("y_score" in options) == bool(apart)
        wanted = whole(alone)
        same(*({n: v for n, v in made.items() if n not in apart} for made in (found, wanted)))
        for name in apart:
            assert found[name].value == pytest.approx(wanted[name].value, rel=1e-12)
        for name in apart & {"roc_auc"}:
            assert found[name].low < wanted[name].low < wanted[name].high < found[name].high


@pytest.mark.slow
def test_frames_files_and_counts_are_split_alike(tmp_path):
    y, score, region, band = rows()
    frame = pd.DataFrame({"label": y, "score": score, "region": region, "band": band})
    frame.to_csv(tmp_path / "p.csv", index=False)
    wanted = tm.evaluate(y, y_score=score, subgroup={"region": region}).by("region").to_dict()
    for data in (frame, tmp_path / "p.csv"):
        found = tm.evaluate(data, score="score", subgroup=["region"]).by("region").to_dict()
        for a, b in zip(found["subgroups"], wanted["subgroups"], strict=True):
            assert a["subgroup"] == b["subgroup"]
            assert a["values"]["roc_auc"] == b["values"]["roc_auc"]
            assert a["against_the_rest"] == b["against_the_rest"]
    said = (score >= 0.5).astype(int)
    frame = pd.DataFrame({"label": y, "pred": said, "region": region})
    counts = frame.groupby(["label", "pred", "region"], dropna=False).size().reset_index(name="n")
    one = tm.evaluate(frame, subgroup=["region"]).by("region")
    two = tm.evaluate(counts, subgroup=["region"]).by("region")
    assert one.rows == two.rows
    assert one.to_dict()["subgroups"] == two.to_dict()["subgroups"]


def test_the_threshold_of_the_evaluation_decides():
    y, score, region, _ = rows()
    ev = tm.evaluate(y, y_score=score, subgroup={"region": region})
    at = np.array([r == "east" for r in region])
    alone = tm.evaluate(y[at], y_score=score[at], threshold=0.7)
    found = ev.at(threshold=0.7).by("region").values(["recall", "precision"])["east"]
    assert str(found["sensitivity"]) == str(alone["recall"])
    assert str(found["precision"]) == str(alone["precision"])


def test_differences_are_from_the_rest_of_the_rows():
    y, score, region, _ = rows()
    found = tm.evaluate(y, y_score=score, subgroup={"region": region}).by("region")
    south = np.array([r == "south" for r in region])
    sides = [
        tm.evaluate(y[a], y_score=score[a], options={"name": s})
        for a, s in ((south, "s"), (~south, "r"))
    ]
    wanted = sides[0].compare_with(sides[1], metric="recall").pairs[0].differences["sensitivity"]
    (d,) = [d for d in found.differences("recall") if d.key == "south"]
    got = d.difference
    np.testing.assert_allclose(
        [got.value, got.low, got.high, got.p_value],
        [wanted.value, wanted.low, wanted.high, wanted.p_value],
        rtol=1e-10,
    )
    assert d.ratio == pytest.approx(got.first_value / got.second_value)
    assert d.ratio_low < d.ratio < d.ratio_high < 1
    area = next(d for d in found.differences("roc_auc") if d.key == "south").difference
    wanted = sides[0].compare_with(sides[1], metric="roc_auc").pairs[0].differences["roc_auc"]
    np.testing.assert_allclose(
        [area.low, area.high, area.p_value], [wanted.low, wanted.high, wanted.p_value], rtol=1e-10
    )
    assert (area.method, area.test) == (wanted.method, wanted.test)
    assert next(f.key for f in found.flags("roc_auc")) == "south"
    assert found.worst("roc_auc")[0][0] == "south"


@pytest.mark.parametrize("weighted", [False, True])
def test_the_rest_is_what_its_rows_alone_are(weighted):
    rng = np.random.default_rng(6)
    n = 600
    y, raw = rng.choice(["a", "b", "c"], n), rng.dirichlet([2, 2, 2], n)
    w = rng.uniform(0.5, 2, n) if weighted else None
    part = rng.choice(["x", "y", "z"], n)
    found = tm.evaluate(y, y_score=raw, weight=w, subgroup={"part": part}).by("part")
    left = part != "y"
    rest = tm.evaluate(y[left], y_score=raw[left], weight=None if w is None else w[left])
    for name in ("log_loss", "roc_auc", "f1", "mcc", "accuracy"):
        gaps = {d.key: d.difference for d in found.differences(name)}
        assert gaps["y"].second_value == pytest.approx(rest[name].value, rel=1e-12)


@pytest.mark.parametrize("metric", ["average_precision", "equal_error_rate", "gain_at"])
def test_the_rest_is_what_an_evaluation_of_the_other_rows_says(metric):
    y, score, region, _ = rows(300)
    at = region == "north"
    found = tm.evaluate(y, y_score=score, subgroup={"region": region}, seed=7).by("region")
    (d,) = [d.difference for d in found.differences(metric) if d.key == "north"]
    one, rest = (tm.evaluate(y[x], y_score=score[x], seed=7)[metric] for x in (at, ~at))
    assert d.low == pytest.approx(
        d.value - math.hypot(one.value - one.low, rest.high - rest.value), rel=1e-12
    )


def test_a_ratio_adds_the_distances_of_both_intervals_on_the_log_scale():
    y, score, region, _ = rows(300)
    at = region == "south"
    found = tm.evaluate(y, y_score=score, subgroup={"region": region}).by("region")
    (d,) = [d for d in found.differences("recall") if d.key == "south"]
    one, rest = (tm.evaluate(y[x], y_score=score[x])["recall"] for x in (at, ~at))
    ratio = one.value / rest.value
    down = math.hypot(math.log(one.value / one.low), math.log(rest.high / rest.value))
    up = math.hypot(math.log(one.high / one.value), math.log(rest.value / rest.low))
    assert (d.ratio, d.ratio_low, d.ratio_high) == pytest.approx(
        (ratio, ratio * math.exp(-down), ratio * math.exp(up)), rel=1e-12
    )


def test_a_p_value_agrees_with_the_bound_by_students_t():
    y, score, region, _ = rows(300)
    by = tm.evaluate(y, y_score=score, subgroup={"region": region}).by("region")
    (d,) = [d for d in by.differences("f1") if d.key == "south"]
    freedom, gap = by._support("f1")["south"] - 1, d.difference
    t = stats.t.ppf(0.975, freedom) * gap.value / (gap.high - gap.value)
    assert gap.value < 0
    assert gap.p_value == pytest.approx(2 * stats.t.cdf(t, freedom), rel=1e-9)


@pytest.mark.parametrize(("groups", "flagged"), [(25, [7]), (26, [])])
@pytest.mark.slow
def test_intervals_that_are_drawn_flag_none_of_more_than_25_subgroups(groups, flagged):
    rng = np.random.default_rng(0)
    group = np.arange(100 * groups) % groups
    y = rng.integers(0, 2, len(group))
    score = rng.normal(size=len(y)) + np.where(group == 7, -3, 2) * (y - 0.5)
    by = tm.evaluate(y, y_score=score, subgroup={"g": group}).by("g")
    (d,) = (d for d in by.differences("equal_error_rate") if d.key == 7)
    assert d.difference.p_value == 2 / 1001
    assert d.difference.p_at_most
    assert [d.key for d in by.flags("equal_error_rate")] == flagged


def test_a_higher_level_flags_less():
    y = np.r_[np.ones(400, int), np.zeros(400, int)]
    said, part = y.copy(), np.repeat(["a", "b"], 200).tolist() * 2
    said[:40], said[200:222] = 0, 0
    # 160 of 200 against 178 of 200.
    # Of equally many rows, the score has no skewness at 0.
    p = 2 * stats.norm.sf((0.2 - 0.11) / math.sqrt(0.155 * 0.845 / 100 * 400 / 399))
    for level, keys in ((0.95, ["a", "b"]), (0.99, [])):
        by = tm.evaluate(y, said, subgroup={"part": part}, level=level).by("part")
        found = by.differences("recall")[0]
        assert found.difference.p_value == pytest.approx(p)
        assert 0.01 < found.corrected < 0.05
        assert [d.key for d in by.flags("recall")] == keys


@pytest.mark.parametrize("weighted", [False, True])
def test_the_rows_a_metric_rests_on_are_counted_by_their_effective_number(weighted):
    y = np.r_[np.ones(50, int), np.zeros(200, int)]
    w = np.tile([1.0, 3.0], 125) if weighted else np.ones(250)
    by = tm.evaluate(y, y, weight=w, subgroup={"part": ["a"] * 250}).by("part")
    kish = w[:50].sum() ** 2 / (w[:50] ** 2).sum()
    for metric in ("recall", "mcc"):
        assert by._support(metric)["a"] == pytest.approx(kish)
    assert kish == pytest.approx(40 if weighted else 50)


def test_a_named_subgroup_is_held_against():
    y, score, region, _ = rows()
    found = tm.evaluate(y, y_score=score, subgroup={"region": region}).by("region")
    gaps = found.differences("recall", against="north")
    assert [d.key for d in gaps] == ["east", "south", None]
    values = found.values(["recall"])
    for d in gaps:
        assert d.difference.second_value == values["north"]["sensitivity"].value
    with pytest.raises(InputError, match="there is no subgroup 'nord'; did you mean 'north'"):
        found.differences("recall", against="nord")


def test_a_column_may_be_called_as_one_of_the_table():
    found = tm.evaluate([0, 1, 1, 0], [0, 1, 0, 0], subgroup={"rows": ["x", "y", "x", "y"]})
    table = found.by("rows").table("accuracy")
    assert [(r["rows (subgroup)"], r["rows"]) for r in table] == [("x", 2), ("y", 2)]


def test_small_subgroups_are_marked_and_neither_ranked_nor_tested():
    y = np.r_[np.ones(200, int), np.zeros(200, int)]
    said = y.copy()
    said[:40] = 0
    part = np.array(["big"] * 400, dtype=object)
    part[:10] = "tiny"
    part[200:300] = "other"
    part[50:130] = "other"
    found = tm.evaluate(y, said, subgroup={"part": part}).by("part")
    assert found._small("recall") == ("tiny",)
    assert [k for k, _ in found.worst("recall")] == ["big", "other"]
    (tiny,) = [d for d in found.differences("recall") if d.key == "tiny"]
    assert tiny.small
    assert math.isnan(tiny.corrected)
    assert "not tested" in str(tiny)
    assert "0.00 (0.00 to 0.28)*" in str(found)
    assert "rests on fewer than 30 rows" in str(found)


@pytest.mark.slow
def test_flags_hold_their_level_over_all_subgroups():
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(120):
        y = rng.integers(0, 2, 2000)
        said = np.where(rng.random(2000) < 0.8, y, 1 - y)
        found = tm.evaluate(y, said, subgroup={"part": rng.integers(0, 12, 2000)}).by("part")
        wrong += bool(found.flags("accuracy"))
    assert wrong <= 13  # 6 are expected at most


def test_plain_data_and_tables():
    y, score, region, band = rows()
    found = tm.evaluate(y, y_score=score, subgroup={"region": region, "band": band}).by(
        "band", "region"
    )
    data = json.loads(json.dumps(found.to_dict(["recall"]), allow_nan=False))
    assert data["columns"] == ["band", "region"]
    assert data["subgroups"][0]["subgroup"] == {"band": 1, "region": "east"}
    assert data["subgroups"][3]["subgroup"]["region"] is None
    table = found.table(["recall"])
    frame = table.to_pandas()
    assert len(frame) == len(table) == len(found) == 12
    assert table.to_polars().height == 12
    assert list(frame.columns[:4]) == ["band", "region", "rows", "metric"]
    assert "(missing)" in str(table)
    assert table._repr_html_().count("<table>") == 1
    assert [r["metric"] for r in table][:1] == [table.to_dicts()[0]["metric"]] == ["sensitivity"]


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda e: e.by(), "name the subgroup columns"),
        (lambda e: e.by("regoin"), "were not counted by 'regoin'; did you mean 'region'"),
        (lambda e: e.by("region", "region"), "named twice among"),
        (lambda e: e.by("region").worst("prevalence"), "neither high nor low"),
        (lambda e: e.by("region").values("hand_till_auc"), "cannot be computed from these"),
        (lambda e: e.at(prevalence=0.1).by("region"), "at the sample's own prevalence"),
    ],
)
def test_refusals_of_what_is_asked(ask, told):
    y, score, region, _ = rows(200)
    with pytest.raises(InputError, match=told):
        ask(tm.evaluate(y, y_score=score, subgroup={"region": region}))


def test_refusals_without_subgroups_and_of_one_subgroup():
    with pytest.raises(InputError, match="were not counted by subgroup; name their columns"):
        tm.evaluate([0, 1], [0, 1]).by("region")
    one = tm.evaluate([0, 1], [0, 1], subgroup={"at": ["x", "x"]}).by("at")
    with pytest.raises(InputError, match="only one subgroup; a difference needs two"):
        one.differences("recall")


def test_a_statistic_of_the_users_own_is_judged_like_any_metric():
    miss = tm.Statistic(
        lambda c: (5 * c.fn + c.fp) / c.total, name="dear_misses", range=(0, 5), better="low"
    )
    y, score, region, _ = rows()
    region = np.array(["none" if r is None else r for r in region])
    ev = tm.evaluate(y, y_score=score, subgroup={"region": region})
    found = ev.by("region")
    south = tm.evaluate(y[region == "south"], y_score=score[region == "south"])
    assert found.values(miss)["south"]["dear_misses"] == tm.interval(miss, south)
    others = tm.evaluate(y[region != "south"], y_score=score[region != "south"])
    (d,) = (d for d in found.differences(miss) if d.key == "south")
    alone = tm.interval(miss, south, others)
    assert (d.difference.value, d.difference.low, d.difference.high) == pytest.approx(
        (alone.value, alone.low, alone.high), rel=1e-12
    )
    assert found.worst_of_all(miss).key == found._order(miss)[0] == "south"
    assert found.table([miss]).rows[0]["metric"] == "dear_misses"


# -- how often subgroups are flagged where nothing differs -----------------------------------------


def test_corrected_is_the_largest_of_three_p_values_by_holm():
    y, score, region, _ = rows()
    ev = tm.evaluate(y, y_score=score, subgroup={"region": region})
    found = ev.by("region").differences("log_loss")
    support, whole = ev.by("region")._support("log_loss"), ev["log_loss"].se
    p_values = []
    for d in found:
        n, gap = support[d.key], d.difference
        error = whole * math.sqrt(len(y) / n + len(y) / (len(y) - n))
        of_all = math.erfc(abs(gap.value) / error / math.sqrt(2))
        p_values.append(max(gap.p_value, of_all))
    np.testing.assert_allclose([d.corrected for d in found], holm(np.array(p_values)), rtol=1e-9)
    assert any(p > d.difference.p_value for p, d in zip(p_values, found, strict=True))


def flagged(draw, metric, groups, each, runs=100):
    """Return the share of samples in which any subgroup is flagged, and by the plain p-values."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(runs):
        y, more = draw(rng, groups * each)
        by = tm.evaluate(y, **more, subgroup={"g": np.arange(len(y)) % groups}).by("g")
        plain = holm(np.array([d.difference.p_value for d in by.differences(metric)]))
        found.append((bool(by.flags(metric)), bool((plain < 0.05).any())))
    return np.mean(found, axis=0)


@pytest.mark.slow
def test_heavy_tails_flag_no_subgroup_too_often():
    def draw(rng, n):
        y = (rng.random(n) < 0.3) * 1
        odds = 1.5 * (rng.standard_t(3, n) + 1.5 * y - 0.75) + math.log(0.3 / 0.7)
        return y, {"y_score": 1 / (1 + np.exp(-odds))}

    share, plain = flagged(draw, "log_loss", 30, 40, runs=50)
    assert share <= 0.06
    assert plain > 0.15


@pytest.mark.slow
def test_rare_errors_flag_no_subgroup_too_often():
    def draw(rng, n):
        y = rng.integers(0, 2, n)
        return y, {"y_pred": np.where(rng.random(n) < 0.04, 1 - y, y)}

    share, plain = flagged(draw, "accuracy", 40, 35)
    assert max(share, plain) <= 0.06


def test_a_subgroup_that_is_worse_is_flagged_all_the_same():
    rng = np.random.default_rng(1)
    y, group = rng.integers(0, 2, 4000), np.arange(4000) % 20
    lift = np.where(group == 7, 0.5, 2.0)
    score = 1 / (1 + np.exp(-(rng.normal(size=4000) + lift * (2 * y - 1))))
    by = tm.evaluate(y, y_score=score, subgroup={"g": group}).by("g")
    for metric in ("log_loss", "brier", "roc_auc", "accuracy", "f1"):
        assert [d.key for d in by.flags(metric)] == [7], metric


# -- rows in clusters --------------------------------------------------------------------------


def in_clusters(seed=0, m=60, k=8, nested=False, own=1.0):
    """Return rows of patients, of which each has a part in three regions, or is in one."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(m), k)
    y = (rng.random(m * k) < 0.4).astype(int)
    score = 1.2 * y + own * rng.normal(size=m)[who] + rng.normal(size=m * k)
    at = who % 3 if nested else rng.integers(0, 3, m * k)
    return {"y": y, "score": score, "who": who, "at": np.array(["a", "b", "c"])[at]}


def of_clusters(r, keep=slice(None), **options):
    return tm.evaluate(
        r["y"][keep], y_score=r["score"][keep], threshold=0.6, cluster=r["who"][keep],
        subgroup={"at": r["at"][keep]}, **options,
    )  # fmt: skip


@pytest.mark.parametrize("nested", [False, True])
def test_a_subgroup_in_clusters_is_what_its_rows_alone_are(nested):
    r = in_clusters(nested=nested)
    values = of_clusters(r).by("at").values()
    for key in "abc":
        alone = of_clusters(r, r["at"] == key)
        for name, v in values[key].items():
            assert v == alone[name], name
    assert values["a"]["accuracy"].method == "jackknife of clusters, Student's t"
    assert values["a"]["roc_auc"].method.startswith("Obuchowski, clusters")


def test_differences_of_the_same_clusters_are_paired():
    """Leaving clusters out, of both sides at once, shows how far the difference varies."""
    r = in_clusters(3, own=2.0)
    by, metric = of_clusters(r).by("at"), lambda k: (r["score"][k] >= 0.6) == r["y"][k]
    (d,) = (d for d in by.differences("accuracy") if d.key == "b")
    inside, gaps = r["at"] == "b", []
    for c in range(60):
        left = r["who"] != c
        gaps.append(metric(left & inside).mean() - metric(left & ~inside).mean())
    error = np.sqrt(59 / 60 * ((np.array(gaps) - np.mean(gaps)) ** 2).sum())
    assert d.difference.method == "square-and-add of both intervals, paired by cluster"
    assert d.difference.high - d.difference.low == pytest.approx(2 * 2.0 * error, rel=0.06)
    ends = [by.values()["b"]["accuracy"], of_clusters(r, ~inside)["accuracy"]]
    apart = np.hypot(*(v.high - v.low for v in ends))
    assert d.difference.high - d.difference.low < 0.9 * apart
    gap = d.difference
    bound = gap.value - (gap.high if gap.value < 0 else gap.low)
    w = np.bincount(r["who"][inside]) / inside.sum()
    u = w**2 / (1 - w)
    freedom = 1 / ((w**2).sum() + np.outer(u, u).sum() - (u**2).sum())
    t = stats.t.ppf(0.975, freedom) * abs(gap.value / bound)
    assert gap.p_value == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9)
    (nested,) = of_clusters(in_clusters(3, nested=True)).by("at").differences("accuracy", "a")[:1]
    assert nested.difference.method == "square-and-add of both intervals, different clusters"


@pytest.mark.slow
def test_files_and_arrays_in_clusters_have_the_same_subgroups(tmp_path):
    r = in_clusters(5)
    path = tmp_path / "rows.csv"
    path.write_text("truth,score,patient,at,n\n" + "".join(
        f"{y},{s},{w},{a},1\n" for y, s, w, a in zip(*r.values(), strict=True)
    ), encoding="utf-8")  # fmt: skip
    file = tm.evaluate(
        path, truth="truth", score="score", cluster="patient", threshold=0.6, subgroup="at"
    )
    arrays = of_clusters(r)
    for name in ("accuracy", "roc_auc", "average_precision"):
        for a, b in zip(
            file.by("at").differences(name), arrays.by("at").differences(name), strict=True
        ):
            assert a.to_dict() == b.to_dict()
    assert file.to_dict()["subgroups"][0]["subgroups"][0]["against_the_rest"]


@pytest.mark.slow
@pytest.mark.parametrize("nested", [False, True])
def test_differences_in_clusters_cover(nested):
    hits = {"clusters": 0, "rows": 0} if nested else {"clusters": 0}
    for seed in range(150):
        r = in_clusters(1000 + seed, m=36, k=20, nested=nested, own=1.5)
        for how in hits:
            given = r if how == "clusters" else {**r, "who": np.arange(len(r["y"]))}
            d = of_clusters(given).by("at").differences("accuracy", "a")[0].difference
            hits[how] += d.low <= 0 <= d.high
    assert 0.91 <= hits["clusters"] / 150 <= 0.99
    if nested:
        assert hits["rows"] / 150 < 0.92
