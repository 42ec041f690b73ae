"""Where results are written: files, links, pipes, devices, standard output, and what stops it."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main

ROWS = "label,score\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.1\n1,0.7\n" * 4
EV = tm.evaluate([1, 0, 1, 0, 1], [0.9, 0.2, 0.4, 0.1, 0.7], positive=1)
RUN = [sys.executable, "-m", "tallymark"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(ROWS, encoding="utf-8")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def shell(line):
    command = " ".join(RUN)
    return subprocess.run(
        ["bash", "-c", line.replace("tallymark", command, 1)],
        capture_output=True, text=True, encoding="utf-8", timeout=60,
    )  # fmt: skip


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("write", [EV.report, EV.to_json])
def test_the_mode_and_the_link_stay(tmp_path, write):
    old, link, new = tmp_path / "old", tmp_path / "link", tmp_path / "new"
    old.write_text("old", encoding="utf-8")
    old.chmod(0o600)
    link.symlink_to("old")
    write(link)
    write(new)
    assert link.is_symlink()
    assert mode(old) == 0o600
    assert old.read_text(encoding="utf-8") == new.read_text(encoding="utf-8") != "old"
    mask = os.umask(0o22)
    os.umask(mask)
    assert mode(new) == 0o666 & ~mask
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "new", "old"]


def test_a_link_to_a_new_file_makes_that_file(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "new")
    EV.to_json(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_text(encoding="utf-8").startswith("{")


def test_a_link_into_a_missing_folder_names_the_folder(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "none" / "new")
    with pytest.raises(tm.InputError, match="none' for new does not exist; create it first"):
        EV.to_json(tmp_path / "link")


def test_a_missing_folder_is_named_as_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tm.InputError) as refused:
        EV.to_json("none/new.json")
    assert str(refused.value) == ("the folder 'none' for new.json does not exist; create it first")


def test_a_pipe_stays_a_pipe(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    text = EV.to_json(pipe)
    reader.join(30)
    assert got == [text + "\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_a_device_and_a_full_one_is_refused():
    EV.to_json("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(tm.InputError, match="'/dev/full' cannot be written: No space left"):
        EV.to_json("/dev/full")


def test_a_dash_is_standard_output(capsys):
    text = EV.to_json("-")
    assert capsys.readouterr().out == text + "\n"


@pytest.mark.slow
def test_the_page_is_printed_in_place_of_the_summary(data):
    done = shell("tallymark report d.csv -o - --json out.json")
    assert done.returncode == 0
    assert done.stdout.lower().startswith("<!doctype html>")
    assert done.stdout.rstrip().endswith("</html>")
    assert done.stderr.endswith("json: out.json\n")
    both = shell("tallymark report d.csv -o - --json -")
    assert both.returncode == 2
    assert "the page and the JSON cannot both be standard output" in both.stderr


@pytest.mark.slow
def test_an_open_file_is_written_on_not_replaced(data):
    done = shell("tallymark report d.csv --json /dev/stdout > all.txt")
    assert done.returncode == 0
    written = (data / "all.txt").read_text(encoding="utf-8")
    assert written.startswith("{")
    assert written.endswith("json: /dev/stdout\n")


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("tallymark report d.csv > /dev/full", 2, "system error: No space left on device"),
        ("tallymark report d.csv >&-", 0, ""),
        ("tallymark report d.csv 2>&-", 0, ""),
        ("tallymark report d.csv | head -1; exit ${PIPESTATUS[0]}", 0, ""),
        ("ulimit -f 1; tallymark report d.csv -o old.html", 2, "File too large; choose a place"),
    ],
)
@pytest.mark.slow
def test_output_that_fails_leaves_a_sentence_and_the_old_file(data, line, code, sentence):
    (data / "old.html").write_text("old", encoding="utf-8")
    done = shell(line)
    assert done.returncode == code, done.stderr
    assert sentence in done.stderr
    assert done.stderr.count("\n") == bool(sentence)
    assert (data / "old.html").read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in data.iterdir()) == ["d.csv", "old.html"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.slow
def test_signals_end_it_with_a_sentence_and_nothing_left(data, number, code):
    os.mkfifo(data / "pipe")
    (data / "old.html").write_text("old", encoding="utf-8")
    process = subprocess.Popen(
        [*RUN, "report", "d.csv", "-o", "old.html", "--json", "pipe"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        # A caller such as nohup ignores the signal, and its children inherit that.
        preexec_fn=partial(signal.signal, number, signal.SIG_DFL),
    )  # fmt: skip
    until = time.monotonic() + 30
    # It waits for a reader of the pipe once its temporary folder has come.
    while not list(data.glob("tallymark-*")) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code
    assert errors == "tallymark: interrupted; no partial file is left\n"
    assert (data / "old.html").read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in data.iterdir()) == ["d.csv", "old.html", "pipe"]


@pytest.mark.parametrize(
    ("variables", "colored"),
    [("", False), ("FORCE_COLOR=1", True), ("CLICOLOR_FORCE=1", True),
     ("NO_COLOR=1 FORCE_COLOR=1", False)],
)  # fmt: skip
@pytest.mark.slow
def test_color_is_forced_and_forbidden(data, variables, colored):
    (data / "d.csv").write_text("label,score\n" + "1,0.9\n0,0.1\n" * 40, encoding="utf-8")
    done = shell(f"{variables} tallymark report d.csv")
    assert done.returncode == 0
    assert ("\x1b[" in done.stdout) == colored


ODD = "\u202e\x1b[31m\u200b\x85\u2066\u2028\x00"
"""What turns the reading direction, colors a terminal, has no width or breaks a line."""

WRITTEN = (
    "می‌خواهم",
    "👨‍👩‍👧",
    "☺️",
    "e\u0301",
    "क्‍ष",
    "Ünï",
    "日本語",
    "\U0001f3f4\U000e0067\U000e0062\U000e007f",
)


def _named(names):
    """Return an evaluation whose classes, models, subgroups and source are called so."""
    no, yes, first, second, place = names
    y = [no, yes] * 20
    p = [0.1, 0.7, 0.6, 0.4] * 10
    return tm.evaluate(
        y, y_score={first: p, second: p[::-1]}, positive=yes, options={"name": f"{place}.csv"},
        subgroup={place: [no, no, yes, yes] * 10},
    )  # fmt: skip


def _texts(ev, tmp_path):
    """Yield all that is shown of an evaluation as text, by the way it is shown."""
    one = ev.model(ev.names[0])
    for result in (ev, one, one["f1"], one.confusion_matrix(), ev.table(), ev.compare(), counted_of(ev),
                   one.by(*counted_of(ev).subgroup_counts.columns), one.curve("roc")):  # fmt: skip
        for way in ("__repr__", "__str__", "to_html", "_repr_html_", "to_markdown", "to_latex"):
            yield f"{type(result).__name__}.{way}", getattr(result, way)()
    yield "page", ev.report(tmp_path / "page.html").read_text("utf-8")


@pytest.mark.slow
def test_what_nobody_sees_is_spelled_out_in_every_text(tmp_path):
    ev = _named([name + ODD for name in ("no", "yes", "a", "b", "place")])
    for way, text in _texts(ev, tmp_path):
        assert not set(ODD) - set("[31m") & set(text), way
    assert "\\u202e\\x1b[31m\\u200b\\x85\\u2066\\u2028\\x00" in str(ev)
    for kept in (json.loads(ev.to_json())["classes"][0], json.loads(ev.to_json())["models"][0]):
        assert ODD in str(kept) or ODD in kept["name"]
    assert ODD in ev.table().to_csv()
    with pytest.raises(tm.InputError) as refused:
        ev.model("a" + ODD + "c")
    assert not set(ODD) - set("[31m") & set(str(refused.value))
    assert str(tm.InputError("a\u202e\x1b\nb")) == "a\\u202e\\x1b\nb"


@pytest.mark.parametrize("name", ["".join(WRITTEN[:4]), "".join(WRITTEN[4:])])
@pytest.mark.slow
def test_letters_of_every_language_stay(name, tmp_path):
    ev = _named([name + letter for letter in "abcde"])
    for way, text in _texts(ev, tmp_path):
        if way.startswith(("Evaluation.to_", "ConfusionMatrix.to_")) or way == "page":
            assert name + "b" in text, way
    assert name + "b" in str(ev)


@pytest.mark.skipif(
    sys.getfilesystemencoding() != "utf-8", reason="no file has such a name in this locale"
)
@pytest.mark.slow
def test_a_file_of_an_odd_name_is_told_harmlessly(data):
    place = data / "x\u202e\x1b[31m.html"
    done = CliRunner().invoke(main, ["report", "d.csv", "-o", str(place)])
    assert done.exit_code == 0
    assert place.exists()
    assert "x\\u202e\\x1b[31m.html" in done.output
    assert "\u202e" not in done.output
