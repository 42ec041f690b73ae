"""Files in a zip archive."""

from __future__ import annotations

import gzip
import zipfile

import pytest

from judged import judged, refusal
from tallymark.errors import InputError
from tallymark.reading.files import open_file

CSV = "label,score\nyes,0.9\nno,0.1\nyes,0.4\nno,0.6\n"


def archive(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name.replace("_", "."), data)
    return path


@pytest.mark.slow
def test_the_one_table_in_an_archive(tmp_path):
    path = archive(tmp_path / "t.zip", preds_csv=CSV, README_md="by hand")
    assert judged(path) == (4, 0.75, ("'preds.csv' in it",))
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("__MACOSX/._preds.csv", "x")
    assert judged(path)[:2] == (4, 0.75)
    assert judged(archive(tmp_path / "u.csv", preds_tsv=CSV.replace(",", "\t")))[0] == 4
    path = archive(tmp_path / "v.zip", preds_dat=CSV)
    assert judged(path)[0] == 4
    assert judged(archive(tmp_path / "w.zip", preds_csv_gz=gzip.compress(CSV.encode())))[0] == 4


def test_which_file_of_an_archive(tmp_path):
    path = archive(tmp_path / "t.zip", a_csv=CSV, b_csv=CSV + "no,0.1\n")
    told = refusal(path)
    assert (
        "t.zip has 2 files with data, 'a.csv', 'b.csv'; say which with options={'sheet': 'a.csv'}"
        in told
    )
    assert judged(path, options={"sheet": "b.csv"})[0] == 5
    assert "t.zip has no file 'c.csv'; did you mean" in refusal(path, options={"sheet": "c.csv"})


def test_archives_that_are_refused(tmp_path, write):
    path = archive(tmp_path / "t.zip", preds_csv=CSV * 99)
    nested = archive(tmp_path / "u.zip", t_zip=path.read_bytes())
    assert "u.zip holds a zip archive; unpack it, and give the file in it" in refusal(nested)
    data = path.read_bytes()
    told = "is not a complete zip file; compress or download it again"
    assert told in refusal(write("v.zip", data[:-40]))
    assert told in refusal(write("v.zip", data[:60] + b"xxxxxxxx" + data[68:]))
    assert told in refusal(archive(tmp_path / "w.zip"))
    assert "preds.csv in x.zip is empty" in refusal(archive(tmp_path / "x.zip", preds_csv=""))
    bomb = archive(tmp_path / "y.zip", preds_csv="label,score\n" + "1,0.5\n" * 500_000)
    with pytest.raises(
        InputError, match="y.zip unpacks to more than 1 MB, over 100 times its size"
    ):
        open_file(bomb, memory=1_000_000)
