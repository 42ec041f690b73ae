"""The lines of docs/engines.md that need a server, run as they stand there."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pyarrow as pa
import pytest

import tallymark as tm

TEXT = (Path(__file__).parents[3] / "docs" / "engines.md").read_text("utf-8")
ROWS = pa.table({"y": [0, 1, 1, 0], "p": [0.1, 0.9, 0.4, 0.3]})


def lines_of(engine: str) -> str:
    return re.search(rf"<!-- run: {engine} -->\n```python\n(.*?)```", TEXT, re.DOTALL)[1]


def test_spark(spark):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spark.createDataFrame(ROWS).createOrReplaceTempView("predictions")
    names = {"spark": spark, "tm": tm}
    exec(lines_of("spark"), names)
    assert names["ev"]["roc_auc"].value == 1.0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_postgres(postgres):
    connection = postgres.connect()
    connection.create_table("predictions", ROWS)
    connection.disconnect()
    names = {"url": postgres.url, "tm": tm}
    exec(lines_of("postgres"), names)
    assert names["ev"]["roc_auc"].value == 1.0
