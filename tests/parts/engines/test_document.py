"""The lines of pages on engines that need a server, run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallymark as tm
from judged import counted_of

DOCS = Path(__file__).parents[3] / "docs"
ROWS = pa.table({"y": [0, 1, 1, 0], "p": [0.1, 0.9, 0.4, 0.3]})


def lines_of(engine: str, section: str = "Count in the engine") -> str:
    text = (DOCS / "big-data.md").read_text("utf-8").split(f"\n## {section}\n")[1]
    return re.search(rf"<!-- run: {engine} -->\n```python\n(.*?)```", text, re.DOTALL)[1]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_postgres(postgres):
    connection = postgres.connect()
    connection.create_table("predictions", ROWS)
    connection.disconnect()
    names = {"url": postgres.url, "tm": tm}
    exec(lines_of("postgres"), names)
    assert names["ev"]["roc_auc"].value == 1.0


# -- the same evaluation in every engine ---------------------------------------------------------


@pytest.fixture
def example(tmp_path):
    """A folder with the rows of the page in Parquet, and their evaluation on a laptop."""
    frame = pl.read_csv(tm.example("breast_cancer")).select(y="diagnosis", p="forest")
    for k in range(3):
        frame[k::3].write_parquet(tmp_path / f"part-{k}.parquet")
    return tmp_path, tm.evaluate(frame, truth="y", score="p", positive="malignant")


def alike(names, wanted, section="From a laptop to a cluster"):
    exec(lines_of(names.pop("engine"), section), names)
    found = counted_of(names["ev"])
    assert found.models == counted_of(wanted).models
    return [n.text for n in found.notes if n.rule == "counted-by-queries"]


def test_the_same_evaluation_in_spark(spark, example):
    folder, wanted = example
    # The Python that Spark finds first may have no tallymark: then queries count the same.
    notes = alike({"engine": "spark", "spark": spark, "folder": str(folder), "tm": tm}, wanted)
    assert len(notes) < 2


def test_the_same_evaluation_in_dask(example):
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    folder, wanted = example
    with dask.config.set(scheduler="synchronous"):
        assert not alike({"engine": "dask", "folder": str(folder), "tm": tm}, wanted)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_same_evaluation_in_postgres(postgres, example):
    folder, wanted = example
    connection = postgres.connect()
    rows = pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("*.parquet"))])
    connection.raw_sql("drop table if exists predictions")
    connection.create_table("predictions", rows)
    connection.disconnect()
    names = {"engine": "postgres", "url": postgres.url, "tm": tm}
    assert not alike(names, wanted, "Tables in databases")
