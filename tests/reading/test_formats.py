"""Text in any encoding, packed files, pipes: read, or refused in one sentence."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
import zstandard
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.errors import InputError
from tallymark.reading.chunks import MISSING
from tallymark.reading.files import open_file
from tallymark.reading.kinds import kind_of, kinds
from tallymark.reading.unpacking import received

ROWS = "label,score\nyes,0.9\nno,0.1\nyes,0.4\nno,0.2\n"


def judged(path, **options) -> tuple:
    """Return how many rows there are, their ROC area and what was read in another way."""
    ev = tm.evaluate(path, positive="yes", **options)
    return ev.rows, ev["roc_auc"].value, ev.source.format


def refusal(path, **options) -> str:
    with pytest.raises(InputError) as caught:
        tm.evaluate(path, **options)
    return str(caught.value)


# -- encodings and line ends ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (ROWS.encode("utf-8-sig"), ()),
        (ROWS.encode("utf-16"), ("UTF-16",)),
        (ROWS.encode("utf-16-le"), ("UTF-16",)),
        (ROWS.encode("utf-16-be"), ("UTF-16",)),
        (ROWS.replace("no", "nö").encode("latin-1"), ("cp1252 (a guess)",)),
        (ROWS.replace("no", "5 €").encode("cp1252"), ("cp1252 (a guess)",)),
        (ROWS.replace("score", "score,größe").replace("\nn", "\nn").encode("latin-1"), None),
        (ROWS.replace("\n", "\r").encode(), ()),
        (ROWS.replace("\n", "\r\n").encode(), ()),
        (ROWS.replace("\n", "\r\n", 1).encode(), ()),
        (ROWS.replace("\n", "\r", 2).encode(), ()),
        (ROWS.replace(",", "\t").encode(), ()),
        (ROWS.replace(",", ";").encode(), ()),
        (ROWS.replace(",", "|").encode(), ()),
    ],
)
def test_text_of_any_encoding_and_line_end(write, data, said):
    if said is None:
        assert "t.csv has 2 fields on line 2 and 3 in its header" in refusal(write("t.csv", data))
    else:
        assert judged(write("t.csv", data)) == (4, 1.0, said)


@pytest.mark.slow
def test_the_names_of_other_encodings_are_read_too(write):
    path = write("t.csv", "Größe,score\nyes,0.9\nno,0.1\n".encode("latin-1"))
    assert open_file(path).columns == ("Größe", "score")
    assert tm.evaluate(path, truth="Größe", positive="yes").source.format == ("cp1252 (a guess)",)
    late = "label,score\n" + "yes,0.9\n" * 20_000 + "nö,0.2\n"
    assert judged(write("t.csv", late.encode("latin-1"))) == (20_001, 1.0, ("cp1252 (a guess)",))


def test_one_file_of_several_in_another_encoding(write, tmp_path):
    write("a.csv", ROWS)
    write("b.csv", ROWS.replace("no", "nö").encode("latin-1"))
    table = open_file(str(tmp_path / "*.csv"))
    (chunk,) = table.chunks(["label"], ["score"])
    assert chunk.labels["label"].labels == ("no", "nö", "yes")
    assert table.format == ["cp1252 (a guess)"]


def test_json_in_other_encodings(write):
    text = '[{"label": "né", "score": 0.1},\n {"label": "yes", "score": 0.9}]'
    for encoding, said in [
        ("latin-1", "cp1252 (a guess)"),
        ("utf-16", "UTF-16"),
        ("utf-8-sig", None),
    ]:
        ev = tm.evaluate(write("t.json", text.encode(encoding)), positive="yes")
        assert (ev.classes, ev.source.format) == (("né", "yes"), (said,) if said else ())
    cr = text.replace("\n", "\r")
    assert tm.evaluate(write("t.json", cr), positive="yes").rows == 2


def test_bytes_that_are_no_text(write):
    noise = bytes(range(256)) * 8
    assert "neither in UTF-8 nor in cp1252 (latin-1); save it as UTF-8" in refusal(
        write("t.csv", noise[1:])
    )
    assert "is not well-formed UTF-16" in refusal(write("t.csv", ROWS.encode("utf-16")[:-1]))
    assert "holds bytes that are not text" in refusal(write("t.csv", ROWS.encode() + b"\xe9\0,1\n"))


# -- lines ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_refusals_count_those_within_quotes(write, end):
    text = '"label",score,"a\nb"\nyes,0.9,1\nno,0.1,2\n'.replace("\n", end)
    assert judged(write("t.csv", text))[:2] == (2, 1.0)
    assert "2 fields on line 5 and 3" in refusal(write("t.csv", text + f"no,1{end}"))
    text = 'label,score,t\nyes,0.9,"x\ny\nz"\nno,0.1,2\n'.replace("\n", end)
    assert "2 fields on line 6 and 3" in refusal(write("t.csv", text + f"no,1{end}"))


@pytest.mark.slow
def test_fields_lines_and_columns_that_are_too_long(write):
    wide = ",".join(f"c{i}" for i in range(100_000))
    told = "has 100,000 columns, more than the limit of 10,000 columns; keep those of labels"
    assert told in refusal(write("t.csv", wide + "\n" + wide + "\n"))
    long = b"label,score\n0,1\n1," + b"x" * 3_000_000
    assert "t.csv has a line of more than 1 MB, line 3" in refusal(write("t.csv", long + b"\n"))
    assert "has a line of more than 1 MB, line 1" in refusal(write("t.csv", b"x" * 3_000_000))
    json = b'[{"label": 0, "score": "0.5"}, {"label": 1, "score": "%s"}]'
    assert "score holds 'xxx" in (told := refusal(write("t.json", json % (b"x" * 9_000))))
    assert len(told) < 200
    json %= b"x" * 34_000_000
    assert "has an object of more than 16 MB" in refusal(write("t.json", json))
    text = b'label,score\n1,"' + b"x\n" * 1_500_000 + b'"\n'
    assert "a row of more than 2 MB, perhaps from a quote" in refusal(write("t.csv", text))


def test_wide_tables_of_other_kinds(write, tmp_path, monkeypatch):
    monkeypatch.setattr("tallymark.reading.files.MOST_COLUMNS", 20)
    names = [f"c{i}" for i in range(30)]
    pq.write_table(pa.table({n: [1] for n in names}), tmp_path / "t.parquet")
    assert "has 30 columns, more than" in refusal(tmp_path / "t.parquet")
    json = "{" + ", ".join(f'"{n}": 1' for n in names) + "}"
    assert "t.json has more than the" in refusal(write("t.json", json))


# -- kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("t.dat", ROWS, "CSV"),
        ("preds", ROWS.replace(",", ";"), "CSV"),
        ("t.log", '\n [{"label": "yes", "score": 1}, {"label": "no", "score": 0}]', "JSON"),
    ],
)
def test_files_of_no_known_name_are_known_by_their_first_bytes(write, name, text, kind):
    assert open_file(write(name, text)).kind == kind


def test_first_bytes_tell_more_than_a_name(write, tmp_path):
    pq.write_table(pa.table({"label": ["yes", "no"], "score": [1.0, 0.0]}), tmp_path / "t.csv")
    assert judged(tmp_path / "t.csv")[:2] == (2, 1.0)
    assert judged(write("u.csv", gzip.compress(ROWS.encode())))[:2] == (4, 1.0)


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (b"%PDF-1.7", "is a PDF; give the table itself"),
        (b"RDX3\n", "is a file of R's save(); save the data frame with R's write.csv"),
        (b"\0" * 8 + b"DUCK", "name one of its tables as duckdb:///PATH?table=NAME"),
        (b"\x80\x04\x95", "is a pickle, which could run any code"),
        (b"\1\0\2\0\0\0", "is unknown: neither text nor one of .ar"),
    ],
)
def test_kinds_that_are_not_read(head, told):
    with pytest.raises(InputError) as caught:
        kind_of("t.data", head + b"x" * 20)
    assert told in str(caught.value)


# -- packed files --------------------------------------------------------------------------------


PACKERS = {
    "gz": ("gzip", gzip.compress),
    "bz2": ("bzip2", bz2.compress),
    "xz": ("xz", lzma.compress),
    "zst": ("zstd", zstandard.compress),
}


@pytest.mark.parametrize("end", PACKERS)
@pytest.mark.slow
def test_packed_files_of_any_kind(write, end, tmp_path):
    _, pack = PACKERS[end]
    assert judged(write(f"t.csv.{end}", pack(ROWS.encode()))) == (4, 1.0, ())
    both = pack(ROWS.encode()) + pack(b"yes,0.7\n")
    assert judged(write(f"t.csv.{end}", both))[0] == 5
    assert judged(write(f"t.csv.{end}", pack(ROWS.encode("utf-16")))) == (4, 1.0, ("UTF-16",))
    pq.write_table(pa.table({"label": ["yes", "no"], "score": [1.0, 0.0]}), tmp_path / "t.parquet")
    packed = pack((tmp_path / "t.parquet").read_bytes())
    assert judged(write(f"t.parquet.{end}", packed))[0] == 2
    for i in range(2):
        write(f"{i}.csv.{end}", pack(ROWS.encode()))
    assert judged(str(tmp_path / f"[01].csv.{end}"))[0] == 8


@pytest.mark.parametrize("end", PACKERS)
def test_broken_packed_files_are_one_sentence(write, end, tmp_path):
    (what, pack), name = PACKERS[end], f"t.csv.{end}"
    whole = pack(("label,score\n" + "".join(f"yes,{i}\nno,-{i}\n" for i in range(99))).encode())
    told = f"{name} is not a complete {what} file; compress or download it again"
    assert refusal(write(name, whole[:-9])) == told
    rng = random.Random(0)
    refusals = []
    for i in range(20):
        data = bytearray(whole)
        if rng.random() < 0.3:
            del data[rng.randrange(1, len(data)) :]
        else:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        try:
            received(str(write(name, bytes(data))), str(tmp_path), i, 10**9)
        except InputError as error:
            refusals.append(str(error))
    assert len(refusals) > 5
    assert set(refusals) <= {told, f"{name} is empty; give a file with a header and rows"}


@pytest.mark.parametrize("pack", [pack for _, pack in PACKERS.values()])
def test_what_unpacks_to_too_much_is_refused(write, pack):
    path = write("t.csv.gz", pack(b"label,score\n" + b"1,0.5\n" * 300_000))
    with pytest.raises(InputError) as caught:
        open_file(path, memory=1_000_000)
    told = (
        "t.csv.gz unpacks to more than 1 MB, over 100 times its size; if this is intended, unpack "
    )
    assert told in str(caught.value)
    assert open_file(path, memory=100_000_000).rows == 300_000


def test_zstd_without_its_library(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = write("t.csv.zst", zstandard.compress(ROWS.encode()))
    assert "install it with: pip install 'tallymark[zstd]'" in refusal(path)


# -- pipes ---------------------------------------------------------------------------------------


def test_a_pipe_with_a_name(tmp_path):
    for i, data in enumerate([ROWS.encode(), gzip.compress(ROWS.encode())]):
        path = tmp_path / f"pipe{i}"
        os.mkfifo(path)
        feeder = threading.Thread(target=path.write_bytes, args=(data,))
        feeder.start()
        assert judged(path)[:2] == (4, 1.0)
        feeder.join()
    assert "'/dev/null' is a device; name a file" in refusal("/dev/null")


@pytest.mark.parametrize(
    "data", [ROWS.encode(), gzip.compress(ROWS.encode()), b""], ids=["text", "packed", "empty"]
)
def test_standard_input(data):
    command = ["report", "-", "--positive", "yes"]
    done = CliRunner().invoke(main, command, input=data, catch_exceptions=False)
    if data:
        assert (done.exit_code, "standard input" in done.stdout) == (0, True), done.stderr
    else:
        assert "standard input is empty" in done.stderr
        assert done.exit_code == 2


# -- damaged files -------------------------------------------------------------------------------


@pytest.mark.slow
def test_files_changed_at_random_are_read_or_refused(tmp_path):
    """A process of its own, since a library that trusts a file may end it."""
    table = pa.table({"label": ["yes", "no"] * 99, "score": [i / 198 for i in range(198)]})
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.arrow", compression="uncompressed")
    script = f"""
import random
from pathlib import Path
from tallymark.reading.files import open_file
from tallymark.errors import InputError
rng = random.Random(1)
for path in Path({str(tmp_path)!r}).iterdir():
    whole = path.read_bytes()
    for i in range(15):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)):]
        path.write_bytes(data)
        try:
            list(open_file(path).chunks(["label"], ["score"]))
        except InputError as error:
            assert "\\n" not in str(error), str(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


# -- how numbers are written ---------------------------------------------------------------------


def scores(write, *texts: str, **options) -> tuple:
    """Return the distinct scores of a file whose scores are these texts, and what was said."""
    rows = "".join(f"{('yes', 'no')[i % 2]};{t}\n" for i, t in enumerate(texts))
    ev = tm.evaluate(write("t.csv", "label;score\n" + rows), positive="yes", **options)
    (tally,) = counted_of(ev).models[0].scores
    return tally.scores.tolist(), ev.dropped, ev.source.format


@pytest.mark.slow
def test_decimal_commas_and_percent_signs(write):
    assert scores(write, "0,93", "0,1", "1", "2,5e-1") == (
        [0.1, 0.25, 0.93, 1.0], 0, ("decimal comma",))  # fmt: skip
    assert scores(write, "93 %", "10%", "25\u00a0%") == ([0.1, 0.25, 0.93], 0, ("percent",))
    assert scores(write, "93 %", "7,5%") == ([0.075, 0.93], 0, ("decimal comma", "percent"))
    assert scores(write, "0,123", "2,345")[0] == [0.123, 2.345]
    assert scores(write, "0.5", "+.25", "1e-3") == ([0.001, 0.25, 0.5], 0, ())
    csv = write("q.csv", 'label,score,w\nyes,"0,9","1,5"\nno,"0,1","0,5"\n')
    ev = tm.evaluate(csv, positive="yes", weight="w")
    assert ev.source.format == ("decimal comma",)
    assert ev["accuracy"].value == 1
    many = ["0,25", "0,75"] * 15_000
    assert "score holds '0.5x' at row 30001, which is not a number" in refusal(
        write("m.csv", "label;score\n" + "".join(f"yes;{t}\n" for t in [*many, "0.5x"]))
    )


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (
            ["0.5", "0,93"],
            "'0,93' at row 2, among numbers with a decimal point; write all in the same",
        ),
        (
            ["0.5", "93%"],
            "'93%' at row 2, among numbers without a percent sign; write all in the same",
        ),
        (["12", "1,234"], "'1,234' at row 2, whose comma may be a decimal one or separate"),
        (["3", "1,234.5"], "'1,234.5' at row 2, which separates thousands; write numbers without"),
        (["3", "1.234,5"], "'1.234,5' at row 2, which separates thousands"),
        (["3", "1,234,567"], "'1,234,567' at row 2, which separates thousands"),
        (["3", "1'234.5"], '"1\'234.5" at row 2, which separates thousands'),
        (["0,5", "high"], "'high' at row 2, which is not a number; give numbers"),
        (["0.5", "1,2,3"], "'1,2,3' at row 2, which is not a number; give numbers"),
    ],
)
def test_numbers_written_in_ways_that_are_not_clear(write, texts, told):
    rows = "".join(f"{label};{t}\n" for label, t in zip(["yes", "no"], texts, strict=True))
    assert f"score holds {told}" in refusal(write("t.csv", "label;score\n" + rows), positive="yes")


@pytest.mark.slow
def test_points_that_may_separate_thousands(write):
    told = (
        "score holds '1.990' at row 2, whose point may be a decimal one or separate thousands; "
        "write all such numbers as 1990 if it separates thousands, as 1.9900 if not"
    )
    text = "label;score\nno;205\nyes;1.990\nyes;12.344\nno;\n"
    assert told in refusal(write("t.csv", text), positive="yes", missing="drop")
    assert scores(write, "205", "1990", "12344")[0] == [205, 1990, 12344]
    assert scores(write, "205", "1.9900", "12.344")[0] == [1.99, 12.344, 205]
    # Beside columns with a decimal comma they are as unclear.
    beside = 'label,score,w\nno,205,"1,5"\nyes,1.990,"0,5"\n'
    assert told in refusal(write("w.csv", beside), positive="yes", weight="w")


@pytest.mark.parametrize(
    "texts",
    [["205", "1.99"], ["0.205", "1.990"], ["1.205", "1.990"], ["1205", "1.990"], ["5", "0.125"]],
)
def test_points_that_are_decimal_ones(write, texts):
    assert scores(write, *texts)[0] == sorted(map(float, texts))


def test_words_for_missing_scores(write):
    words = ["NA", "N/A", "#N/A", "null", "NULL", "None", ".", "?", "n/a"]
    rows = "".join(f"no;{word}\n" for word in words)
    told = refusal(write("t.csv", f"label;score\nyes;0.9\n{rows}no;0.1\n"), positive="yes")
    assert "score is missing in 9 rows, first at row 2" in told
    found, dropped, said = scores(write, "0.9", *words, "0.1", missing="drop")
    assert (found, dropped) == ([0.1, 0.9], 9)
    assert sorted(said) == sorted(f"{word!r} as missing" for word in words)
    assert scores(write, "0.9", "nan", "0.1", missing="drop") == ([0.1, 0.9], 1, ())


def test_the_page_of_files_lists_every_ending_and_every_word_for_missing():
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
    for ending, kind in kinds().items():
        assert re.search(rf"^\| {kind} .*`{ending}`", page, re.M), ending
    (words,) = re.findall(r"In a text file the words (.+?) are read as missing", page, re.S)
    assert {"", *re.findall(r"`(.+?)`", words)} == set(MISSING)


@pytest.mark.parametrize(
    ("cells", "labels"), [("1 0 NA 1", (0, 1)), ("true false ? true", (False, True))]
)
def test_words_for_missing_labels_beside_numbers(write, cells, labels):
    rows = "".join(f"{c};0.{i}\n" for i, c in enumerate(cells.split()))
    path = write("t.csv", "label;score\n" + rows)
    assert "label is missing in 1 row, first at row 3" in refusal(path)
    ev = tm.evaluate(path, missing="drop")
    assert (ev.classes, ev.dropped) == (labels, 1)
    assert ev.source.format == (f"{cells.split()[2]!r} as missing",)


@pytest.mark.parametrize("word", ["NA", "?", "null", "None", "nan", "."])
@pytest.mark.slow
def test_a_word_among_texts_is_missing_unless_it_is_listed(write, word):
    path = write("t.csv", f"label,pred,who\n{word},EU,a\nEU,EU,NA\nUS,{word},b\nEU,US,c\n")
    told = (
        f"label is missing in 1 row, first at row 1, and pred in 1 row, first at row 3;.*; {word!r}"
    )
    with pytest.raises(
        InputError, match=rf"{told.replace('?', '[?]')} is not a class unless classes="
    ):
        tm.evaluate(path, positive="EU")
    ev = tm.evaluate(path, positive="EU", missing="drop")
    assert (ev.rows, ev.classes, ev.source.format) == (2, ("EU", "US"), (f"{word!r} as missing",))
    classes = ["EU", word, "US"]
    assert tm.evaluate(path, classes=classes).classes == tuple(classes)
    with pytest.raises(InputError, match="who is missing in 1 row, first at row 2"):
        tm.evaluate(path, classes=classes, cluster="who")


@pytest.mark.slow
def test_scores_up_to_100_may_be_percent(write):
    told = "; if it is in percent, say reading={'percent': True}"
    for texts, there in [(("93", "10"), True), (("1.5", "0.1"), False), (("930", "1"), False)]:
        rows = "".join(f"{y};{t}\n" for y, t in zip(["yes", "no"], texts, strict=True))
        ev = tm.evaluate(write("t.csv", "label;score\n" + rows), positive="yes")
        assert any(told in note.text for note in ev.notes) == there


def in_percent(source, tmp_path):
    """Return scores in percent as arrays, a frame or a file, and the arguments of them."""
    y, p = [0, 1, 1, 0, 1, 0], [12.5, 93.0, 40.0, 55.0, 77.0, 3.0]
    frame = pl.DataFrame({"label": y, "prob": p})
    path = tmp_path / f"t.{source}"
    if source == "arrays":
        return y, {"y_score": p}
    if source in ("pandas", "polars", "lazy"):
        return {"pandas": frame.to_pandas(), "polars": frame, "lazy": frame.lazy()}[source], {}
    if source == "csv":  # some with the sign
        path.write_text("label,prob\n" + "".join(
            f"{a},{b}{'%' * (a == 0)}\n" for a, b in zip(y, p, strict=True)), encoding="utf-8")  # fmt: skip
    else:
        getattr(frame, f"write_{source}")(path)
    return path, {}


SOURCES = ["arrays", "pandas", "polars", "lazy", "csv", "parquet", "json"]


@pytest.mark.parametrize("source", SOURCES)
def test_percent_divides_scores_by_100(source, tmp_path):
    data, scores = in_percent(source, tmp_path)
    ev = tm.evaluate(data, reading={"percent": True}, **scores)
    assert ev["brier_score"].value == pytest.approx(0.73682500 / 6, abs=1e-15)
    assert ev["accuracy"].value == 4 / 6
    assert ev.source.format == ("percent",)
    assert not [n for n in ev.notes if n.rule == "not-probabilities"]


def test_percent_tells_the_confidence_of_the_predicted_class(write):
    rows = "".join(f"{y},{p},{c}\n" for y, p, c in [("yes", "yes", 93), ("no", "no", 88.5),
                                                     ("yes", "no", 55), ("no", "no", 71)])  # fmt: skip
    ev = tm.evaluate(write("t.csv", "label,pred,confidence\n" + rows), reading={"percent": True})
    assert ev["roc_auc"].value == 1.0
    assert counted_of(ev).models[0].scores[0].scores == pytest.approx([0.115, 0.29, 0.45, 0.93])


@pytest.mark.parametrize(
    ("data", "options", "told"),
    [
        ([0, 1], {"y_score": [40, 186]}, "y_score holds 186, outside 0 to 100, and is not in perc"),
        ([0, 1], {"y_score": [-3, 40]}, "y_score holds -3, outside 0 to 100"),
        (
            [0, 1],
            {"y_pred": [0, 1]},
            "percent is for scores, and there are none; leave reading={'percent': True}",
        ),
        (tm.LabelTally([0, 1], [[1, 2], [3, 4]]), {}, "percent does not go with counts"),
        (
            [[0, 1], [1, 0]],
            {"y_score": [[4, 9], [2, 3]]},
            "percent is for one column of classes",
        ),
    ],
)
def test_what_is_not_in_percent_is_refused(data, options, told):
    with pytest.raises(InputError, match=told):
        tm.evaluate(data, reading={"percent": True}, **options)


# -- vectors ------------------------------------------------------------------------------------

VECTORS = [[0.2, 0.8], [0.7, 0.3], [0.4, 0.6], [0.1, 0.9]]


def of_vectors(kind, tmp_path):
    """Return four vectors beside the classes 0, 0, 1 and 1, as a frame or a file."""
    frame = pl.DataFrame({"label": [0, 0, 1, 1], "probability": VECTORS})
    path = tmp_path / kind
    if kind in ("lists", "pandas", "lazy"):
        return {"lists": frame, "pandas": frame.to_pandas(), "lazy": frame.lazy()}[kind]
    if kind in ("t.parquet", "t.json", "t.ndjson"):
        getattr(frame, f"write_{kind[2:]}")(path)
    elif kind == "numpy.csv":
        path.write_text("label,probability\n" + "".join(
            f"{y},[{a} {b}]\n" for y, (a, b) in zip([0, 0, 1, 1], VECTORS, strict=True)), encoding="utf-8")  # fmt: skip
    else:
        spark = "{'type': 1::TINYINT, 'size': NULL::INT, 'indices': NULL::INT[], 'values': v}"
        duckdb.sql(f"COPY (SELECT label::DOUBLE AS label, {spark} AS probability FROM "
                   f"(SELECT label, probability AS v FROM frame)) TO '{path}'")  # fmt: skip
    return path


KINDS = ["lists", "pandas", "lazy", "t.parquet", "t.json", "t.ndjson", "numpy.csv",
         "spark.parquet", "spark.json"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_one_score_a_class(kind, tmp_path):
    ev = tm.evaluate(of_vectors(kind, tmp_path))
    assert ev["roc_auc"].value == 0.75
    assert ev.source._roles["score"] == ("probability[0]", "probability[1]")
    assert ev["brier_score"].value == pytest.approx((0.64 + 0.09 + 0.16 + 0.01) / 4)
    assert tm.evaluate(of_vectors(kind, tmp_path), score="probability").rows == 4


def test_vectors_of_named_classes_are_in_the_order_of_the_labels(write):
    path = write("t.csv", 'y_true,proba\ncat,"[0.2, 0.8]"\ndog,"[0.3, 0.7]"\ndog,"[0.6, 0.4]"\n')
    assert "list the classes in the order of the columns with classes=" in refusal(
        path, positive="cat"
    )
    for labels, area in ((["dog", "cat"], 1), (["cat", "dog"], 0)):
        assert tm.evaluate(path, positive="cat", classes=labels)["roc_auc"].value == area


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (
            ['"[0.1,0.9]"', '"[0.2,0.3,0.5]"'],
            "score holds vectors of 2 to 3 numbers; give every row",
        ),
        (
            ['"[0.1,0.9]"', "0.5"],
            "score holds vectors of 0 to 2 numbers; give every row one number",
        ),
        (['"[0.1,0.9]"', '"[0.2,x]"'], "score.1. holds 'x' at row 2, which is not a number"),
        (['"[0.1,0.9]"', "NA"], "score.0. is missing in 1 row, first at row 2"),
        (["0.5", '"[0.1,0.9]"'], "score holds '.0.1,0.9.' at row 2, a list of numbers; give one"),
    ],
)
def test_vectors_that_differ_are_refused(write, cells, told):
    rows = "".join(f"{y},{cell}\n" for y, cell in enumerate(cells))
    with pytest.raises(InputError, match=told):
        tm.evaluate(write("t.csv", "label,score\n" + rows))


def test_vectors_of_a_frame_that_differ_are_refused():
    frame = pl.DataFrame({"label": [0, 1], "score": [[0.1, 0.9], [0.1]]})
    with pytest.raises(InputError, match="score holds vectors of 1 to 2 numbers; give every row"):
        tm.evaluate(frame)


def test_texts_of_other_files_are_read_alike(write, tmp_path):
    json = '[{"label": "yes", "score": "0,9"}, {"label": "no", "score": "0,1"}]'
    assert judged(write("t.json", json)) == (2, 1.0, ("decimal comma",))
    table = pa.table({"label": ["yes", "no", "no"], "score": ["90%", "10 %", "NA"]})
    pq.write_table(table, tmp_path / "t.parquet")
    found = judged(tmp_path / "t.parquet", missing="drop")
    assert found == (2, 1.0, ("'NA' as missing", "percent"))


# -- a safe door ---------------------------------------------------------------------------------


def test_duckdb_opens_the_files_of_the_user_alone(write, tmp_path):
    write("other.csv", ROWS)
    table = open_file(write("t.csv", ROWS))
    for query in (
        f"SELECT * FROM read_csv('{tmp_path / 'other.csv'}')",
        "SELECT * FROM read_text('/etc/hostname')",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        "SET memory_limit = '9GB'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "LOAD httpfs",
        f"ATTACH '{tmp_path / 'x.db'}'",
    ):
        with pytest.raises(table.errors()):
            table.run(query)
    assert table.rows == 4


# -- a CSV without header ------------------------------------------------------------------------

LOOKS = "which looks like a row, not like column names; give "


@pytest.mark.parametrize(
    "rows",
    [
        "1,0.93\n0,0.1\n1,0.4\n",
        "yes,0.93\nno,0.1\nyes,0.4\n",
        "yes;0,93\nno;0,1\nyes;0,4\n",
        "P1,yes,0.93\nP2,no,0.1\nP3,yes,NA\n",
        "17,1,0\n18,0,0.5\n19,1,0.7\n",
        "yes,no\nno,no\nyes,yes\n",
        "p,0.93\ne,0.1\np,0.4\n",
        "yes,93%\nno,10 %\nyes,40%\n",
        "0,1\n1,1\n",
        "2020,2021\n0.5,0.7\n",
    ],
)
def test_a_first_row_that_looks_like_data_is_refused(write, rows):
    path = write("t.csv", rows)
    assert LOOKS in refusal(path, positive="yes")
    table = open_file(path, header=False, named=())
    assert (table.rows, table.columns[0]) == (rows.count("\n"), "column0")
    assert open_file(path, header=True, named=()).rows == rows.count("\n") - 1


@pytest.mark.parametrize(
    "rows",
    [
        "label,0,1\nyes,0.1,0.9\nno,1,0\n",
        "Kunde,Klasse,0,1\n17,yes,0.1,0.9\n18,no,1,0\n",
        "region,2020,2021\nnorth,0.5,0.7\nsouth,0.1,0.2\n",
        "Abwanderung;Wahrscheinlichkeit\nja;0,93\nnein;0,1\n",
        "label,score\nlabel,0.5\nx,0.1\n",
    ],
)
def test_names_that_are_numbers_are_names(write, rows):
    assert open_file(write("t.csv", rows), named=()).rows == rows.count("\n") - 1


def test_two_names_of_one_number_are_no_names(write):
    path = write("t.csv", "1,1,0.5\n0,1,0.2\n")
    assert LOOKS in refusal(path)
    assert "two columns called '1'" in refusal(path, options={"header": True})


def test_a_class_that_is_predicted_right_is_no_name_of_two_columns(write):
    path = write("t.csv", "yes,yes\nno,no\nyes,no\nno,no\n")
    assert LOOKS in refusal(path)
    assert "two columns called 'yes'; rename" in refusal(path, options={"header": True})
    named = {"truth": "column0", "pred": "column1"}
    assert tm.evaluate(path, options={"header": False}, **named)["accuracy"].value == 0.75


def test_scores_are_read_without_a_header(write):
    path = write("t.csv", "1,0.9\n0,0.2\n1,0.4\n")
    assert LOOKS in refusal(path)
    named = {"truth": "column0", "score": "column1"}
    (model,) = tm.evaluate(path, options={"header": False}, **named).models
    assert model.scores[0].scores.tolist() == [0.2, 0.4, 0.9]


def test_a_column_that_is_named_shows_that_there_is_a_header(write):
    path = write("t.csv", "0,1\n1,0.9\n0,0.1\n")
    assert tm.evaluate(path, truth="0", score="1").rows == 2
    ev = tm.evaluate(write("t.csv", "1,0.9\n0,0.1\n"), options={"header": False}, truth="column0",
                     score="column1")  # fmt: skip
    assert (ev.rows, ev.source.format) == (2, ("no header",))
    assert ev["roc_auc"].value == 1
    assert "files, and t.json is JSON; leave it out" in refusal(
        write("t.json", "[]"), options={"header": False}
    )
    assert "header does not go with arrays" in refusal(
        [0, 1], y_score=[0, 1], options={"header": False}
    )
    with pytest.raises(InputError, match="header is for files; leave it out"):
        tm.evaluate(pa.table({"label": [0, 1], "score": [0, 1]}), options={"header": True})


def test_the_command_line_names_the_option(write):
    command = ["report", str(write("t.csv", "1,0.93\n0,0.1\n"))]
    told = CliRunner().invoke(main, command).stderr
    assert "give --no-header if it is one" in told
    assert "or --header if these are names" in told
    more = ["--no-header", "--truth", "column0", "--score", "column1"]
    assert CliRunner().invoke(main, [*command, *more]).exit_code == 0


def test_bytes_that_belie_the_mark_of_utf8_are_refused(tmp_path):
    path = tmp_path / "marked.csv"
    path.write_bytes(b"\xef\xbb\xbflabel,score\nn\xe9,0.9\nno,0.1\n")
    assert refusal(path) == "marked.csv is not well-formed UTF-8; save it as UTF-8"


# -- names of files ------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="names of bytes are Linux's")
@pytest.mark.parametrize("name", [b"t\xff.csv", b"f\xfe/t.csv", b"f\xfe/t.parquet"])
def test_a_name_that_is_not_utf8(tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(ROWS, encoding="utf-8")
    told = refusal(path)
    assert told.endswith("is not UTF-8; rename the file, or the folder that is not")
    assert "\\xf" in told
    told.encode()


def test_links_that_lead_nowhere_and_names_that_are_too_long(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    assert "a.csv' is a link that leads back to itself; give the path" in refusal(
        tmp_path / "a.csv"
    )
    (tmp_path / "c.csv").symlink_to(tmp_path / "gone.csv")
    assert "there is no file" in refusal(tmp_path / "c.csv")
    for path in ("x" * 5000 + ".csv", "x/" * 4000 + "t.csv", "[x]" * 2000):
        told = refusal(path)
        assert "is too long for the name of a file; check the path" in told or "no file" in told
        assert len(told) < 300


@pytest.mark.skipif(sys.platform != "linux", reason="names of bytes are Linux's")
def test_a_temporary_folder_that_does_not_serve(write, tmp_path, monkeypatch):
    path = write("t.csv", ROWS)
    folder = tmp_path / os.fsdecode(b"f\xff")
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    told = "the path of the temporary folder is not UTF-8; set TMPDIR to another folder"
    assert refusal(path) == told
    assert list(folder.iterdir()) == []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    assert "no temporary folder can be made: No such file or directory; set TMPDIR" in refusal(path)


def test_blanks_around_every_label_are_no_part_of_it(write):
    ev = tm.evaluate(write("t.csv", b"p, label\n.9, yes\n.2, no\n.7, yes\n.1, no\n"))
    assert (ev.classes, ev.positive, ev["roc_auc"].value) == (("no", "yes"), "yes", 1.0)


def test_a_header_among_the_rows_is_refused(write):
    once = b"label,p\n1,.9\n0,.2\n1,.7\n"
    assert "t.csv repeats its header after 3 rows; remove that line" in refusal(
        write("t.csv", once + once)
    )


@pytest.mark.parametrize("packed", [False, True])
def test_a_fault_in_json_is_named_by_the_users_file_and_line(tmp_path, packed):
    text = '{"y": 1, "score": 0.9}\n{"y": 0, "score": 0.3}\n{"y": 0, "score": }\n'
    path = tmp_path / ("faulty.jsonl.gz" if packed else "faulty.jsonl")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(path, truth="y")
    assert str(refused.value) == (
        f"{path.name} is not JSON at byte 19 of line 3: unexpected character; correct line 3"
    )
