"""Files of every kind, mutated: a page and its JSON, or one sentence, exit code 2 and no file."""

import csv
import gzip
import io
import json
import sqlite3
import zipfile
from functools import cache

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from fuzzing import cases, check_evaluation, pick, refusal
from tallymark.cli import main
from tallymark.reading.kinds import kind_by_name
from tallymark.reading.layouts import layout_of

N = 24
ARFF = "@relation r\n@attribute label {no,yes}\n@attribute score numeric\n@data\n"
WEKA = "inst#,actual,predicted,error,prediction\n"


@cache
def corpus():
    """Return small files of every kind that is read, by their names."""
    rng = np.random.default_rng(1)
    label = np.where(rng.random(N) < 0.5, "yes", "no")
    score = np.round(np.clip(0.4 * (label == "yes") + rng.random(N) * 0.6, 0, 1), 3)
    pred = np.where(score > 0.5, "yes", "no")
    frame = pd.DataFrame({"label": label, "score": score, "pred": pred, "site": list("abc") * 8})
    out = {}
    for name, separator in (("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("pipe", "|")):
        out[f"{name}.csv"] = frame.to_csv(index=False, sep=separator).encode()
    out["tab.tsv"] = out["tab.csv"]
    out["crlf.csv"] = out["comma.csv"].replace(b"\n", b"\r\n")
    out["quoted.csv"] = frame.to_csv(index=False, quoting=csv.QUOTE_ALL).encode()
    out["bom.csv"] = b"\xef\xbb\xbf" + out["comma.csv"]
    out["latin.csv"] = (
        frame.replace({"site": {"a": "Zürich"}}).to_csv(index=False).encode("latin-1")
    )
    out["utf16.csv"] = frame.to_csv(index=False).encode("utf-16")
    out["decimal.csv"] = frame.to_csv(index=False, sep=";", decimal=",").encode()
    out["packed.csv.gz"] = gzip.compress(out["comma.csv"], mtime=0)
    out["rows.json"] = frame.to_json(orient="records").encode()
    out["lines.jsonl"] = frame.to_json(orient="records", lines=True).encode()
    out["data.arff"] = (ARFF + frame[["label", "score"]].to_csv(index=False, header=False)).encode()
    rows = zip(range(1, N + 1), label, pred, np.maximum(score, 1 - score), strict=True)
    weka = (f"{i},{1 + (y == 'yes')}:{y},{1 + (p == 'yes')}:{p},,{s}" for i, y, p, s in rows)
    if layout_of(WEKA.strip().split(",")):
        out["weka.csv"] = (WEKA + "\n".join(weka) + "\n").encode()
    out["matrix.csv"] = b",no,yes\nno,10,3\nyes,2,9\n"
    out["counts.csv"] = b"score,pos,neg\n0.1,0,4\n0.5,2,2\n0.9,5,1\n"
    out["blanks.txt"] = frame.to_string().encode()
    out["row_names.txt"] = frame.to_csv(sep=" ", quoting=csv.QUOTE_NONNUMERIC).encode()[3:]
    for orient in ("split", "index", "columns", "table"):
        out[f"{orient}.json"] = frame.to_json(orient=orient).encode()
    out["nested.json"] = json.dumps({"run": 1, "out": frame.to_dict("list")}).encode()
    scores = [[{"label": "yes", "score": s}, {"label": "no", "score": 1 - s}] for s in score]
    out["scores.jsonl"] = frame.assign(score=scores).to_json(orient="records", lines=True).encode()
    np.savez(file := io.BytesIO(), label=label, score=score, pred=pred)
    out["arrays.npz"] = file.getvalue()
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("comma.csv", out["comma.csv"])
    out["comma.zip"] = file.getvalue()
    connection = sqlite3.connect(":memory:")
    frame.to_sql("predictions", connection, index=False)
    out["data.sqlite"] = connection.serialize()
    connection.close()
    for name, write in (
        ("data.parquet", frame.to_parquet),
        ("data.arrow", frame.to_feather),
        ("data.xlsx", lambda file: frame.to_excel(file, index=False)),
    ):
        try:
            write(file := io.BytesIO())
            out[name] = file.getvalue()
        except ImportError:  # the writer of that kind is not installed
            continue
    return {name: data for name, data in out.items() if kind_by_name(name)}


TOKENS = (
    b"nan", b"inf", b"-1", b"1e400", b"", b",", b";", b'"', b"'", b"\0", b"\n", b"\r\n", b"\xff",
    b"NA", b"?", b"0", b"1", b"no", b"YES", b"\t", b"\\", b"{", b"]", b"%", b"0,5", b"1e-320",
    b"99999999999999999999", b"\xef\xbb\xbf", "é\u202e".encode(), b"x" * 2000, b"@data", b"null",
)  # fmt: skip


def mutated(rng, data):
    """Return the bytes of a file with one fault or a few."""
    for _ in range(int(rng.integers(0, 4))):
        kind, at = rng.integers(11), int(rng.integers(len(data) + 1))
        lines = data.split(b"\n")
        if kind == 0 and data:
            at = min(at, len(data) - 1)
            data = data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at]
        elif kind == 2:
            data = data[:at] + pick(rng, TOKENS) + data[at:]
        elif kind == 3:
            data = data[:at] + bytes(rng.integers(0, 256, 5, dtype=np.uint8)) + data[at + 5 :]
        elif kind == 4:
            data = b"\n".join(lines[int(i)] for i in rng.permutation(len(lines)))
        elif kind == 5:
            data = b"\n".join([*lines, lines[int(rng.integers(len(lines)))]])
        elif kind == 6:
            del lines[int(rng.integers(len(lines)))]
            data = b"\n".join(lines)
        elif kind == 7:
            token = pick(rng, TOKENS[:12])
            data = data.replace(pick(rng, (b"0.", b"yes", b",", b"no", b"label", b"\n")), token, 3)
        elif kind == 8:
            place = int(rng.integers(len(lines)))
            cells = lines[place].split(b",")
            cells[int(rng.integers(len(cells)))] = pick(rng, TOKENS)
            lines[place] = b",".join(cells)
            data = b"\n".join(lines)
        elif kind == 9:
            data = data.decode("latin-1").encode(pick(rng, ("utf-16", "utf-32", "utf-8", "utf-7")))
        else:
            data = data[at:] + data[:at]
    return data


COMMANDS = (
    ["report", "FILE", "-o", "out.html", "--json", "out.json"],
    ["report", "FILE", "-o", "out.html", "--json", "out.json"],
    ["report", "FILE", "--missing", "drop", "--json", "out.json"],
    ["report", "FILE", "--subgroup", "site", "--json", "out.json"],
    ["curve", "FILE", "roc", "-o", "out.csv"],
    ["threshold", "FILE", "--json"],
    ["compare", "FILE", "--json"],
    ["advise", "FILE", "--json"],
    ["inspect", "FILE"],
)
NAMED = ["--truth", "label", "--score", "score", "--positive", "yes"]
WRITTEN = ("out.html", "out.json", "out.csv")


def judged(args):
    """Run a command and return whether it judged; it either wrote all that was asked, or nothing."""
    result = CliRunner().invoke(main, args, prog_name="tallymark")
    wanted = [name for name in WRITTEN if name in args]
    ended = result.exception is None or isinstance(result.exception, SystemExit)
    if not ended:
        raise result.exception
    assert result.exit_code in (0, 2), result.output
    assert "Traceback" not in result.output
    if result.exit_code == 0:
        for name in wanted:
            with open(name, encoding="utf-8") as file:  # noqa: PTH123
                assert file.read().strip()
        if "out.json" in args:
            with open("out.json", encoding="utf-8") as file:  # noqa: PTH123
                json.load(file)
        if "--json" in args and "out.json" not in args:
            json.loads(result.stdout)
        return True
    lines = result.stderr.strip().splitlines()
    assert lines[-1].startswith(("tallymark: ", "Error: ")), result.stderr
    assert len(lines) == 1 or lines[-1].startswith("Error: "), result.stderr
    assert result.stdout == ""
    return False


@pytest.mark.slow
def test_files_are_judged_or_refused_and_nothing_is_half_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = list(corpus())
    count = 0
    for case, rng in cases(70):
        name = pick(rng, names)
        file = tmp_path / name
        file.write_bytes(mutated(rng, corpus()[name]))
        try:
            if case % 4 == 3:
                ev, refused = refusal(tm.evaluate, file, positive=pick(rng, (None, "yes")))
                if refused is None:
                    check_evaluation(ev)
            else:
                args = [name if a == "FILE" else a for a in pick(rng, COMMANDS)]
                if args[0] != "inspect" and rng.random() < 0.7:
                    args += NAMED
                count += judged(args)
                present = sorted(p.name for p in tmp_path.iterdir())
                allowed = [name, *(w for w in WRITTEN if w in args)]
                assert set(present) <= set(allowed), present
        except Exception as error:
            raise AssertionError(f"case {case}: {name}") from error
        for path in tmp_path.iterdir():
            path.unlink()
    assert count or case < 50


@pytest.mark.parametrize("name", [n for n in corpus() if n != "decimal.csv"])
def test_the_corpus_is_read(name, tmp_path):
    file = tmp_path / name
    file.write_bytes(corpus()[name])
    options = {} if name in ("matrix.csv", "counts.csv") else {"truth": None, "positive": "yes"}
    if name == "matrix.csv":
        options["positive"] = "yes"
    ev, refused = refusal(tm.evaluate, file, **options)
    assert refused is None, refused
    assert ev.rows in (N, 24, 14)
