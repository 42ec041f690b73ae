"""Files of other programs, read by their libraries: rows and value labels as they were saved."""

from __future__ import annotations

import base64
import sys
import zipfile
import zlib

import fastavro
import numpy as np
import pandas as pd
import pyreadstat
import pytest

import tallymark as tm
from tallymark.errors import InputError
from tallymark.reading.files import open_file
from tallymark.reading.kinds import kind_of

ROWS = [("yes", 0.9), ("no", 0.1), ("yes", 0.4), ("no", 0.6)]
XLS = (
    "c-rk)O=uHA6#iy^(xfzLQd6N7N+?*h?M3w9B}N79$r8ONB52YqR1!9l6eM1()*J=Flj5b=i<hbwe^5bh9)yY>1VKpj"
    ";K7rq;Gxa>=Iw4xbPo;KU}e8$-psz4Z{F;@H?y<*YAIHmzc*ONZ`cbJ4J(8|lTJ_yxi?Wzy=BRwn+GXbJ~k9WL2_h3"
    "$K&wJF6l$*?>ZFR)t-|CK2SP|vzRQJMxui_z+=b=IfkUrDE1WGq!hsbkE@U66w6I4?{M2EEcdbI3d<z5t%(y@N==UL"
    "apL&6GR$=mk^&Ey^Nuw;(T^80jxSslc3U0$OJ_2Lf3spp>%juZa}$PXlrn`H;^e{we76$7H+QW*OZfWE>IF#uqgCJK"
    "p}(eRz$~oOLIz?LVSG|$jZO=0#wb^5zfJ14$J5K$&0DNoqU7;xB{7{bb5vW%WQ_vl<*8!Hp#IKH8z%KqG0GItX0cmt"
    "+q}%9Ez3O2!QVqNhh8qncnL(w%JS_muMcO_sZ*?(WxMtZV5=N4EL@ZfB1cwhY&pt|F_xFO*DYKgWErO?qkJUY?-UNr"
    "ahuCrJ3@ALG2W!MHI=thx%&CY!=dWO)D9{yPSnrG7vHAlF-#MbBfh-mFfPW$jq4JRQf@Ast>Qh)fj_p5pb~Y)ZaHtc"
    "UaX*-i!u9EsPy5!Y)ae8FLYv7+4E30@T{tyvnrq1zH?{CzEkK<b=bm#EtoB5>M7Y5%+3p`3ou*q6c3)lJl)~hJ{e=3"
    "vdU9EcxsD1m3g<&YESdvX)X3N=6!AAaYVr@qI~%9;lqayA3oL{f)6D2AyadXoX!UZ|JPZe)bM|k{I@uYB3(1|S$YsA"
    "<t0?wil5EUh1-`{Bgg$;C~=Iemyk!6$B}P4e(5+bnxALQ#OU8!Lhagbv@_0iw*M0k4gfy"
)
"""A workbook of Excel 97 with the sheets Notes (one cell) and P (label, score and when)."""

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"


def judged(path, **options):
    ev = tm.evaluate(path, positive="yes", **options)
    return ev.rows, ev["roc_auc"].value


def refusal(path, **options):
    with pytest.raises(InputError) as caught:
        tm.evaluate(path, **options)
    return str(caught.value)


def frame():
    label, score = zip(*ROWS, strict=True)
    return pd.DataFrame({"label": [int(y == "yes") for y in label], "score": score})


# -- sheets --------------------------------------------------------------------------------------


def cell(value, more=""):
    kind = "string" if isinstance(value, str) else "float"
    held = "" if kind == "string" else f'office:value="{value}"'
    return (
        f'<table:table-cell {more} office:value-type="{kind}" {held}><text:p>{value}</text:p>'
        "</table:table-cell>"
    )


def sheet(name, rows):
    cells = ("".join(map(cell, row)) for row in rows)
    rows = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    return f'<table:table table:name="{name}">{rows}</table:table>'


def document(path, *sheets):
    """Write an OpenDocument spreadsheet."""
    names = " ".join(f'xmlns:{n}="{OFFICE}{n}:1.0"' for n in ("office", "table", "text"))
    body = f"<office:body><office:spreadsheet>{''.join(sheets)}</office:spreadsheet></office:body>"
    content = f"<office:document-content {names}>{body}</office:document-content>"
    manifest = f'<m:manifest xmlns:m="{OFFICE}manifest:1.0"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


@pytest.mark.slow
def test_an_old_workbook(write):
    path = write("t.xls", zlib.decompress(base64.b85decode(XLS)))
    assert open_file(path).kind == "binary Excel"
    assert judged(path) == (4, 0.75)
    assert judged(path, options={"sheet": "P"}) == (4, 0.75)
    assert "t.xls has no sheet 'Q'; there are 'Notes', 'P'" in refusal(path, options={"sheet": "Q"})
    (chunk,) = open_file(path).chunks(["label"], ["when"])
    assert chunk.numbers["when"].tolist() == [1, 0, 1, 1]


@pytest.mark.slow
def test_an_open_document(tmp_path):
    table = [("label", "score"), *ROWS]
    path = document(tmp_path / "t.ods", sheet("P", table), sheet("Notes", [("by hand",)]))
    assert open_file(path).kind == "OpenDocument"
    assert judged(path) == (4, 0.75)
    path = document(tmp_path / "u.ods", sheet("Notes", [("by", "hand")]), sheet("P", table))
    told = refusal(path)
    assert (
        "u.ods has 2 sheets with data, 'P', 'Notes'; say which with options={'sheet': 'P'}" in told
    )
    assert judged(path, options={"sheet": "P"}) == (4, 0.75)
    path = document(tmp_path / "v.ods", sheet("P", [(), ("a title",), (), *table]))
    assert judged(path) == (4, 0.75)
    assert judged(document(tmp_path / "w.ods", sheet("P", ROWS)), options={"header": False}) == (
        4,
        0.75,
    )
    assert "no sheet with data" in refusal(document(tmp_path / "e.ods", sheet("P", [])))


def test_a_document_that_declares_too_many_cells_is_refused(tmp_path):
    one = cell(1, 'table:number-columns-repeated="16384"')
    rows = f'<table:table-row table:number-rows-repeated="1048576">{one}</table:table-row>'
    path = document(tmp_path / "t.ods", f'<table:table table:name="P">{rows}</table:table>')
    told = "t.ods is damaged or locked, or takes more than 1,000 MB to read; save the table as CSV"
    assert told in refusal(path)


def test_text_that_is_called_a_workbook(write):
    rows = "".join(f"{y}\t{s}\n" for y, s in ROWS)
    assert judged(write("t.xls", "label\tscore\n" + rows)) == (4, 0.75)
    assert "t.xls is a web page; save its table as CSV" in refusal(write("t.xls", "<html><table>"))


# -- statistics ----------------------------------------------------------------------------------


WRITERS = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}


@pytest.mark.parametrize("end", WRITERS)
@pytest.mark.slow
def test_value_labels_are_the_classes(tmp_path, end):
    path = tmp_path / f"t.{end}"
    labels = {"label": {0: "no", 1: "yes"}}
    WRITERS[end](frame(), path, variable_value_labels=labels)
    assert judged(path) == (4, 0.75)
    ev = tm.evaluate(path, positive="yes")
    assert ev.classes == ("no", "yes")
    assert ev.source.format == ("the value labels of 'label'",)
    WRITERS[end](frame(), path)
    ev = tm.evaluate(path)
    assert (ev.classes, ev.positive, ev.source.format) == ((0, 1), 1, ())


@pytest.mark.parametrize("end", WRITERS)
def test_a_scale_whose_ends_alone_have_labels_keeps_its_numbers(tmp_path, end):
    path = tmp_path / f"t.{end}"
    data = frame().assign(stars=[1, 2, 3, 5])
    WRITERS[end](data, path, variable_value_labels={"stars": {1: "bad", 5: "good"}})
    (chunk,) = open_file(path).chunks(["label"], ["stars"])
    assert chunk.numbers["stars"].tolist() == [1, 2, 3, 5]


@pytest.mark.slow
def test_a_scale_with_few_labels_in_a_file_of_several_parts(tmp_path):
    """Files are read 50,000 rows at a time."""
    rows = 60_000
    data = pd.DataFrame({"label": np.arange(rows) % 2, "stars": np.arange(rows) % 5 + 1.0})
    path = tmp_path / "t.sav"
    labels = {"label": {0: "no", 1: "yes"}, "stars": {1: "bad", 5: "good"}}
    pyreadstat.write_sav(data, path, variable_value_labels=labels)
    table = open_file(path)
    assert (table.rows, table.format) == (rows, ["the value labels of 'label'"])


@pytest.mark.slow
def test_missing_values_and_texts_of_statistics_files(tmp_path):
    data = frame().assign(site=["ä", "b", "", "b"])
    data.loc[1, "score"] = np.nan
    pyreadstat.write_sav(data, tmp_path / "t.sav", row_compress=True)
    (chunk,) = open_file(tmp_path / "t.sav").chunks(["site"], ["score"])
    assert {"b", "ä"} <= set(chunk.labels["site"].labels)
    assert np.isnan(chunk.numbers["score"]).tolist() == [False, True, False, False]
    assert "score is missing in 1 row" in refusal(tmp_path / "t.sav")
    unlabelled = frame().assign(label=[1.0, np.nan, 1.0, 0.0])
    pyreadstat.write_sav(unlabelled, tmp_path / "u.sav")
    assert refusal(tmp_path / "u.sav", truth="label").startswith("label is missing in 1 row")
    (chunk,) = open_file(tmp_path / "u.sav").chunks(["label"], [])
    assert chunk.labels["label"].labels == (0, 1)


@pytest.mark.slow
def test_a_transport_file_of_sas(tmp_path):
    pyreadstat.write_xport(frame(), tmp_path / "t.xpt")
    ev = tm.evaluate(tmp_path / "t.xpt")
    assert (open_file(tmp_path / "t.xpt").kind, ev.rows, ev["roc_auc"].value) == ("SAS", 4, 0.75)


@pytest.mark.slow
def test_kinds_are_known_by_their_first_bytes(tmp_path):
    sas = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
    assert kind_of("t.dat", sas) == "SAS"
    pyreadstat.write_dta(frame(), tmp_path / "t.csv")
    assert open_file(tmp_path / "t.csv").kind == "Stata"
    pyreadstat.write_sav(frame(), tmp_path / "u")
    assert open_file(tmp_path / "u").kind == "SPSS"


# -- Avro ----------------------------------------------------------------------------------------


def avro(path, rows, score="double"):
    kinds = {"label": ["null", "string"], "score": score}
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, rows)
    return path


@pytest.mark.slow
def test_avro(tmp_path):
    rows = [{"label": y, "score": s} for y, s in ROWS]
    assert judged(avro(tmp_path / "t.avro", rows)) == (4, 0.75)
    told = refusal(avro(tmp_path / "u.avro", [*rows, {"label": None, "score": 0.5}]))
    assert "label is missing in 1 row" in told
    vectors = [{"label": y, "score": [1 - s, s]} for y, s in ROWS]
    path = avro(tmp_path / "v.avro", vectors, {"type": "array", "items": "double"})
    assert judged(path, classes=["no", "yes"]) == (4, 0.75)


# -- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["sav", "dta", "xpt", "avro", "xls", "ods"])
def test_damaged_files_are_one_sentence(tmp_path, write, end):
    path = tmp_path / f"t.{end}"
    if end in WRITERS:
        WRITERS[end](frame(), path)
    elif end == "xpt":
        pyreadstat.write_xport(frame(), path)
    elif end == "avro":
        avro(path, [{"label": y, "score": s} for y, s in ROWS])
    elif end == "xls":
        path.write_bytes(zlib.decompress(base64.b85decode(XLS)))
    else:
        document(path, sheet("P", [("label", "score"), *ROWS]))
    data = path.read_bytes()
    assert "t." in refusal(write(path.name, data[: len(data) // 3]))


@pytest.mark.parametrize(
    ("end", "library", "extra"),
    [
        ("xls", "python_calamine", "sheets"),
        ("ods", "python_calamine", "sheets"),
        ("sav", "pyreadstat", "stats"),
        ("dta", "pyreadstat", "stats"),
        ("xpt", "pyreadstat", "stats"),
        ("avro", "fastavro", "avro"),
    ],
)
def test_a_library_that_is_not_installed(write, monkeypatch, end, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    name = library.replace("_", "-")
    assert refusal(write(f"t.{end}", b"\0" * 99)) == (
        f"reading t.{end} needs {name}; install it with: pip install 'tallymark[{extra}]'"
    )


ORDER = ["small", "huge", "mid"]


@pytest.fixture
def ordered():
    codes = np.random.default_rng(2).integers(0, 3, (120, 2))
    return pd.DataFrame(
        {
            n: pd.Categorical.from_codes(codes[:, i], ORDER, ordered=True)
            for i, n in enumerate(NAMED)
        }
    )


NAMED = ("truth", "pred")


@pytest.mark.parametrize("kind", ["parquet", "feather", "sav", "dta"])
def test_the_order_that_a_file_declares_is_kept(ordered, tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        ordered.to_parquet(path)
    elif kind == "feather":
        ordered.to_feather(path)
    else:
        names = dict(enumerate(ORDER, 1))
        write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[kind]
        codes = pd.DataFrame({n: ordered[n].cat.codes + 1 for n in NAMED})
        write(codes, path, variable_value_labels=dict.fromkeys(NAMED, names))
    ev = tm.evaluate(path)
    assert ev.classes == tuple(ORDER)
    rows = tm.evaluate(ordered).models[0].labels.counts
    assert ev.models[0].labels.counts.tolist() == rows.tolist()


def test_an_unordered_category_is_sorted(ordered, tmp_path):
    ordered.apply(lambda c: c.cat.as_unordered()).to_parquet(tmp_path / "t.parquet")
    assert tm.evaluate(tmp_path / "t.parquet").classes == tuple(sorted(ORDER))
