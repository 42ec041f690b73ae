"""Samples of a file's rows: from all over it, and without reading all of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tallymark.reading.files import FileTable, open_file
from tallymark.reading.scan import FileScan

ROWS = 5000


def write(folder, sizes, row_groups=512):
    """Write files of so many rows, numbered on through all of them."""
    start = 0
    for i, size in enumerate(sizes):
        rows = np.arange(start, start + size)
        frame = pl.DataFrame({"y": rows % 2, "s": rows / 7})
        frame.write_parquet(folder / f"{i:04}.parquet", row_group_size=row_groups)
        start += size


def sampled(path, wanted, pieces):
    stored = FileScan(open_file(path), ["y"], ["s"])
    return [(c.first_row, c.labels["y"].codes, c.numbers["s"]) for c in
            stored.sample(wanted, pieces)]  # fmt: skip


@pytest.mark.parametrize(
    "sizes",
    [[ROWS], [1000] * 5, [7] * 714 + [2], [1, 4000, 3, 996], [0, 2000, 0, 0, 3000, 0]],
    ids=lambda sizes: f"{len(sizes)} files",
)
def test_pieces_of_a_sample_are_the_rows_where_they_are(tmp_path, sizes):
    write(tmp_path, sizes)
    found = sampled(str(tmp_path / "*.parquet"), 200, 20)
    firsts = np.linspace(0, ROWS - 10, 20).astype(int)
    assert sorted(first for first, _, _ in found) == firsts.tolist()
    for first, codes, scores in found:
        rows = np.arange(first, first + 10)
        assert codes.tolist() == (rows % 2).tolist()
        assert scores.tolist() == (rows / 7).tolist()


def test_a_sample_of_many_files_reads_those_alone_that_hold_its_rows(tmp_path, monkeypatch):
    write(tmp_path, [100] * 50)
    read = []
    parquet = FileTable.parquet
    monkeypatch.setattr(
        FileTable, "parquet", lambda self, files: read.append(len(files)) or parquet(self, files)
    )
    assert len(sampled(str(tmp_path / "*.parquet"), 40, 4)) == 4
    assert read[-4:] == [1] * 4
    assert read.count(50) == len(read) - 4  # the table itself


def test_a_sample_of_a_copied_file_is_of_all_of_it(tmp_path):
    rows = np.arange(ROWS)
    pl.DataFrame({"y": rows % 2, "s": rows / 7}).write_csv(tmp_path / "t.csv")
    found = sampled(tmp_path / "t.csv", 200, 20)
    assert np.concatenate([s for _, _, s in found]).tolist() == [
        x / 7 for first in np.linspace(0, ROWS - 10, 20).astype(int) for x in range(first, first + 10)
    ]  # fmt: skip
