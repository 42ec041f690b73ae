"""Counting in Spark and PostgreSQL beside their own tools: python -m benchmarks.engines."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import tallymark as tm
from benchmarks.timing import Row, alternate, slower

ROWS = 10**7
DISTINCT = 2 * 10**6
ROWS_OF_WORKERS = 4 * 10**6

WINDOW = """
SELECT sum(p * (below + n / 2)) / (sum(p) * sum(n)) FROM (
  SELECT p, n, sum(n) OVER (ORDER BY score) - n AS below FROM (
    SELECT score, sum(label)::float8 AS p, sum(1 - label)::float8 AS n FROM preds GROUP BY score
  ) AS of_scores
) AS of_ranks
"""
"""The ROC area in SQL, where equal scores of both classes count half."""


def rows() -> list[Row]:
    """Everything that is measured of engines."""
    return [*postgres(), *spark(), *workers()]


def postgres() -> list[Row]:
    """Evaluate distinct scores of PostgreSQL beside psql: a GROUP BY, and the area by a window.

    Fewer distinct scores than are fetched, and more, which are counted in bins.
    """
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    server = import_module("parts.engines.conftest").Postgres()

    def psql(command: str) -> None:
        subprocess.run(["psql", server.url, "-qAt", "-o", os.devnull, "-c", command], check=True)

    rows = []
    try:
        for n in (DISTINCT // 2, DISTINCT, 2 * DISTINCT):
            psql("CREATE TABLE preds AS SELECT (random() < 0.3)::int AS label, random() AS score "
                 f"FROM generate_series(1, {n})")  # fmt: skip
            psql("VACUUM ANALYZE preds")
            took, groups, window = alternate(
                lambda: tm.evaluate(f"{server.url}?table=preds")["roc_auc"].value,
                lambda: psql("SELECT label, score, count(*) FROM preds GROUP BY 1, 2"),
                lambda: psql(WINDOW),
                runs=5,
            )
            work = f"ROC area of {n:,} distinct scores in PostgreSQL, counts of every metric"
            rows.append(slower(work, took / window, "its window query for the area alone", 2))
            if n == DISTINCT:
                rows.append(slower(work, took / groups, "psql fetching the same GROUP BY", 2))
            psql("DROP TABLE preds")
    finally:
        server.close()
    return rows


def spark_session() -> Any:
    """Return a session of Spark in two threads of this machine."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "4g",
        "spark.log.level": "OFF",
    }.items():
        builder = builder.config(name, value)
    return builder.master("local[2]").getOrCreate()


def workers(n: int = ROWS_OF_WORKERS) -> list[Row]:
    """Count n distinct scores by workers, beside one group-by of the engine on the same columns.

    The group-by's groups stay in the engine: only their number is fetched.
    """
    import dask
    import dask.dataframe as dd
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(1)
    p = rng.random(n)
    rows = pd.DataFrame({"y": (rng.random(n) < p).astype(np.int32), "p": p})
    with tempfile.TemporaryDirectory() as folder:
        for k in range(8):
            rows.iloc[k::8].to_parquet(f"{folder}/{k}.parquet", index=False)
        lazy = dd.read_parquet(folder)
        with dask.config.set(scheduler="threads", num_workers=2):
            of_dask = alternate(
                lambda: tm.evaluate(lazy, truth="y", score="p"),
                lambda: len(lazy.groupby(["y", "p"]).size().compute()),
                runs=3,
            )
        session = spark_session()
        try:
            table = session.read.parquet(folder)
            of_spark = alternate(
                lambda: tm.evaluate(table, truth="y", score="p"),
                lambda: table.groupBy("y", "p").count().count(),
                runs=3,
            )
        finally:
            session.stop()
    return [
        slower(f"evaluate() of {n:,} distinct scores by the workers of {engine}", ours / theirs,
               "one group-by of its own", 3)
        for engine, (ours, theirs) in {"Dask": of_dask, "Spark": of_spark}.items()
    ]  # fmt: skip


def spark(n: int = ROWS) -> list[Row]:
    """ROC area of n rows in Spark local[2], in bins, beside BinaryClassificationEvaluator."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import functions as f

    session = spark_session()
    try:
        drawn = session.range(n, numPartitions=2).select(f.rand(1).alias("p"), f.rand(2).alias("u"))
        table = drawn.select("p", (f.col("u") < f.col("p")).cast("int").alias("y")).cache()
        table.count()
        theirs = BinaryClassificationEvaluator(rawPredictionCol="p", labelCol="y")
        ours, spark = alternate(
            lambda: tm.evaluate(table, truth="y", score="p")["roc_auc"].value,
            lambda: theirs.evaluate(table),
            runs=3,
        )
        area = tm.evaluate(table, truth="y", score="p")["roc_auc"]
        said = theirs.evaluate(table)
        all_rows = table.toArrow()
    finally:
        session.stop()
    exact = tm.metrics.roc_auc(all_rows["y"].to_numpy(), all_rows["p"].to_numpy())
    low, high = area.binning_bounds or (area.value, area.value)
    ratio = ours / spark
    work = f"evaluate() of {n:.0e} rows in Spark local[2], in bins"
    return [
        Row(work, f"{ratio:.2f} × the time of BinaryClassificationEvaluator", "at most 2 ×",
            ratio <= 2),
        Row(f"{work}: the bounds of the ROC area",
            f"{high - low:.1g} wide, {abs(area.value - exact):.1g} off the exact area "
            f"(BinaryClassificationEvaluator {abs(said - exact):.1g})",
            "holds the exact area", low <= exact <= high),
    ]  # fmt: skip


if __name__ == "__main__":
    for row in rows():
        print(row)
