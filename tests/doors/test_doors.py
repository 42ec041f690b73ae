"""Files as analysts hand them over: read right with nothing said, or refused with what helps."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from tallymark.cli import main
from tallymark.part import parts

HERE = Path(__file__).parent
PARTS = {None, *(p.package.rpartition(".")[2] for p in parts())}
ALL = tomllib.loads((HERE / "doors.toml").read_text(encoding="utf-8"))["door"]
DOORS = [d for d in ALL if d.get("part") in PARTS]
READ = [d for d in DOORS if "refused" not in d]
REFUSED = [d for d in DOORS if "refused" in d]


def judge(door, options=(), file=None):
    """Report a door's file; return the exit code, the JSON and standard error."""
    file = str(file or HERE / "files" / door["file"])
    result = CliRunner().invoke(main, ["report", file, *options, "--json", "-"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def numbers_are_right(door, out):
    """Hold what was judged to what scikit-learn says of the same rows."""
    found = json.loads(out)
    assert found["rows"] == door["rows"]
    if "positive" in door:
        assert found["positive"] == door["positive"]
        assert type(found["positive"]) is type(door["positive"])
    models = {m["name"]: m for m in found["models"]}
    assert len(models) == len(door["models"])
    for (wanted, values), name in zip(door["models"].items(), models, strict=True):
        if not door.get("name_free"):
            assert name == wanted
        elif len(models) > 1:
            assert wanted in name
        for metric, value in values.items():
            assert models[name]["values"][metric]["value"] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("door", READ, ids=lambda d: d["file"])
def test_read_right(door):
    code, out, err = judge(door, door.get("say", ()))
    assert code == 0, err
    numbers_are_right(door, out)
    if "warns" in door:
        assert any(door["warns"] in note["text"] for note in json.loads(out)["notes"])


@pytest.mark.parametrize("door", REFUSED, ids=lambda d: d["file"])
def test_refused_with_a_remedy_that_works(door, tmp_path):
    code, out, err = judge(door)
    assert code == 2
    assert not out
    assert err.count("\n") == 1
    assert door["refused"] in err
    options = door.get("remedy", [])
    assert shlex.join(options) in err
    code, out, err = judge(door, options, mended(door, tmp_path))
    assert code == 0, err
    numbers_are_right(door, out)


def mended(door, folder):
    """Return the file with that done to it which the refusal asks for."""
    text = (HERE / "files" / door["file"]).read_text(encoding="utf-8")
    for pattern, replacement in door.get("mend", []):
        text, times = re.subn(pattern, replacement, text)
        assert times
    (folder / door["file"]).write_text(text, encoding="utf-8")
    return folder / door["file"]


def test_most_are_read_with_nothing_said():
    assert len(DOORS) >= 30
    assert sum("say" not in d for d in READ) >= 24
