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


# -- ranges of rows, and rows grouped ----------------------------------------------------------

MANY = 300
ROW = np.arange(MANY)
FRAME = pl.DataFrame({
    "y": np.array(["no", "yes", "maybe"])[ROW * 7 % 11 % 3],
    "p": np.array(["no", "yes"])[ROW * 5 % 7 % 2],
    "s": ROW / 8, "percent": [f"{i} %" for i in ROW], "comma": [f"{i},5" for i in ROW],
    "who": [f"w{i}" for i in ROW // 4], "site": [f"s{i % 70}" for i in ROW],
})  # fmt: skip


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    made = tmp_path / f"t.{request.param}"
    FRAME.write_csv(made, separator=";") if request.param == "csv" else FRAME.write_parquet(made)
    return made


def test_ranges_of_rows_hold_every_row_once_with_the_labels_of_all(path):
    numbers = {"s": ROW / 8, "percent": ROW / 100, "comma": ROW + 0.5}
    scan = FileScan(open_file(path), ["y", "site"], list(numbers), ["who"], ["site"])
    assert scan.rows == MANY
    for size in (MANY, 299, 100, 7):
        chunks = list(scan.chunks(size))
        firsts = list(range(0, MANY, size))
        assert [c.first_row for c in chunks] == firsts
        assert [c.rows for c in chunks] == [min(size, MANY - first) for first in firsts]
        for c in chunks:
            rows = slice(c.first_row, c.first_row + c.rows)
            assert c.labels["y"].labels == ("maybe", "no", "yes")
            assert len(c.labels["site"].labels) == 70
            for name in ("y", "site"):
                texts = np.array(c.labels[name].labels)[c.labels[name].codes]
                assert texts.tolist() == FRAME[name][rows].to_list()
            for name, values in numbers.items():
                np.testing.assert_allclose(c.numbers[name], values[rows])
        who = np.concatenate([c.groups["who"] for c in chunks])
        assert len(set(who.tolist())) == 75
        assert (np.diff(who[::4]) != 0).all()
        assert (who[::4] == who[3::4]).all()


def test_rows_grouped_are_each_combination_with_its_number(path):
    scan = FileScan(open_file(path), ["y", "p"], [])
    lines = scan.grouped()
    assert (lines.first_row, lines.total, lines.numbers) == (0, MANY, {})
    found = {}
    for y, p, n in zip(lines.labels["y"].codes, lines.labels["p"].codes, lines.count, strict=True):
        found[lines.labels["y"].labels[y], lines.labels["p"].labels[p]] = n
    wanted = FRAME.group_by("y", "p").len().rows()
    assert found == {(y, p): n for y, p, n in wanted}
    assert lines.rows == len(wanted)


def test_a_label_that_is_missing_is_left_to_the_rows(tmp_path):
    frame = FRAME.with_columns(p=pl.when(pl.col("s") == 2).then(None).otherwise(pl.col("p")))
    frame.write_parquet(tmp_path / "t.parquet")
    scan = FileScan(open_file(tmp_path / "t.parquet"), ["y", "p"], [])
    assert scan.grouped() is None
    (chunk,) = scan.chunks(MANY)
    assert np.flatnonzero(chunk.labels["p"].codes < 0).tolist() == [16]
