"""One set of rows gives the same tallies by every route, whatever the order of its rows."""

from __future__ import annotations

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm

N = 600


def two_classes(rng):
    score = rng.random(N).round(2)
    truth = np.where(rng.random(N) < score, "yes", "no")
    columns = {"label": truth, "pred": np.where(score > 0.4, "yes", "no"), "score": score}
    return pd.DataFrame(columns), {"score": "score", "pred": "pred", "positive": "yes"}


def weighted(rng):
    rows, options = two_classes(rng)
    return rows.assign(w=rng.random(N)), options | {"weight": "w"}


def of_the_other_class(rng):
    """The one column is the probability of the class that is not positive."""
    rows, _ = two_classes(rng)
    rows = rows.assign(p_NO=1 - rows["score"]).drop(columns="score")
    return rows, {"score": ["p_NO"], "pred": "pred", "positive": "yes"}


def three_classes(rng):
    names = ["p_a", "p_b", "p_c"]
    rows = pd.DataFrame(rng.dirichlet(np.ones(3), N).round(3), columns=names)
    rows.insert(0, "label", rng.choice(list("abc"), N))
    return rows.assign(w=rng.random(N)), {"score": names, "weight": "w"}


def in_batches(rows, options):
    tally = tm.Tallier(positive=options.get("positive"))
    for _, batch in rows.groupby(np.arange(N) // 37, sort=False):
        tally.update(*arrays(batch, options)[:2], **arrays(batch, options)[2])
    return tally.result()


def arrays(rows, options):
    wanted = options["score"]
    columns = {"y_score": rows[wanted]}
    columns["sample_weight"] = rows["w"].to_numpy() if "weight" in options else None
    pred = rows["pred"].to_numpy() if "pred" in options else None
    return rows["label"].to_numpy(), pred, columns


def counted(route, rows, options, folder):
    if route == "batches":
        return in_batches(rows, options)
    if route == "arrays":
        truth, pred, columns = arrays(rows, options)
        return tm.evaluate(
            truth,
            pred,
            y_score=columns["y_score"],
            weight=columns["sample_weight"],
            positive=options.get("positive"),
        )
    data = {
        "other order": lambda: rows.sample(frac=1, random_state=1),
        "polars": lambda: pl.from_pandas(rows),
        "polars lazy": lambda: pl.from_pandas(rows).lazy(),
        "duckdb": lambda: duckdb.from_df(rows),
        "file": lambda: folder / "rows.csv",
    }[route]()
    rows.to_csv(folder / "rows.csv", index=False)
    return tm.evaluate(data, truth="label", **options)


ROUTES = ["arrays", "batches", "other order", "polars", "polars lazy", "duckdb", "file"]


@pytest.mark.parametrize("make", [two_classes, of_the_other_class, weighted, three_classes])
@pytest.mark.parametrize("route", ROUTES)
def test_every_route_hands_over_the_same_tallies(make, route, tmp_path):
    rows, options = make(np.random.default_rng(7))
    (wanted,) = tm.evaluate(rows, truth="label", **options).models
    (found,) = counted(route, rows, options, tmp_path).models
    assert (found.rule, found.threshold) == (wanted.rule, wanted.threshold)
    pairs = [(found.labels, wanted.labels), *zip(found.scores, wanted.scores, strict=True)]
    for tally, other in pairs:
        assert (tally.labels, tally.rows) == (other.labels, other.rows)
        close(tally.counts, other.counts)
        close(tally.sum_squared_weights, other.sum_squared_weights)
    for tally, other in pairs[1:]:
        assert tally.positive == other.positive
        np.testing.assert_array_equal(tally.scores, other.scores)
    assert (found._sums is None) == (wanted._sums is None)
    if wanted._sums is not None:
        for name in ("log_loss", "top_2"):
            assert found._sums.average(name) == pytest.approx(wanted._sums.average(name), rel=1e-12)


def close(values, others):
    assert (values is None) == (others is None)
    if others is not None:
        np.testing.assert_allclose(values, others, rtol=1e-12, atol=0)


def test_dates_name_subgroups_by_every_route(tmp_path):
    days = [datetime.date(2026, 1, 1 + i // 4) for i in range(12)]
    rows = pl.DataFrame({"label": [0, 1, 1] * 4, "score": [0.1, 0.9, 0.4] * 4, "day": days})
    rows.write_parquet(tmp_path / "rows.parquet")
    rows.write_csv(tmp_path / "rows.csv")
    files = [str(tmp_path / "rows.parquet"), str(tmp_path / "rows.csv")]
    tables = [rows, rows.lazy(), rows.to_pandas(), *files]
    found = [tm.evaluate(table, subgroup="day").by("day") for table in tables]
    for given in (days, np.array(days, "M8[D]")):
        found.append(
            tm.evaluate(rows["label"], y_score=rows["score"], subgroup={"day": given}).by("day")
        )
    for by in found:
        assert by.keys == ("2026-01-01", "2026-01-02", "2026-01-03")
        assert by.rows == dict.fromkeys(by.keys, 4)
        whole = sum(by._subgroup_counts.matrices(by._chosen.name, 0.5, 1)[0])
        assert whole.tolist() == [[4, 0], [4, 4]]


def test_times_of_day_name_no_subgroups():
    times = np.array(["2026-01-01T00:00", "2026-01-01T10:30"], "M8[m]")
    with pytest.raises(
        tm.InputError, match="holds the time 2026-01-01T10:30 at index 1; give dates"
    ):
        tm.evaluate([0, 1], [0, 1], subgroup={"day": times})
    with pytest.raises(tm.InputError, match="y_true holds values of type datetime64"):
        tm.evaluate(times, [0, 1])
