"""Temporary folders go with their process, however it ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

import tallymark as tm

KEPT = """
import sys, time
from tallymark.reading.readers import open_table
table = open_table(sys.argv[1])
print("open", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders are locked on POSIX systems only")
def test_a_killed_process_leaves_its_folder_until_the_next_run(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    file = tmp_path / "d.csv"
    file.write_text("label,score\n" + "1,0.9\n0,0.1\n" * 40, encoding="utf-8")
    command = [sys.executable, "-c", KEPT, str(file)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
    killed, running = processes
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    folders = set(tmp_path.glob("tallymark-rows-*"))
    assert len(folders) == 2
    tm.evaluate(file)
    assert set(tmp_path.glob("tallymark-rows-*")) == folders  # too young to be told apart
    for folder in folders:
        os.utime(folder, (time.time() - 3600,) * 2)
    tm.evaluate(file)
    (left,) = tmp_path.glob("tallymark-rows-*")
    assert left in folders
    running.terminate()
    running.communicate()
    tm.evaluate(file)
    assert not list(tmp_path.glob("tallymark-rows-*"))


def test_folders_of_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    other = tmp_path / "tallymark-notes"
    other.mkdir()
    os.utime(other, (0, 0))
    file = tmp_path / "d.csv"
    file.write_text("label,score\n" + "1,0.9\n0,0.1\n" * 40, encoding="utf-8")
    tm.evaluate(file)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d.csv", "tallymark-notes"]
