"""Formulas that sources print wrongly give what the sources' own examples show."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted
from tallymark.cli import main
from tallymark.metric import get
from tallymark.metric.errata import ERRATA
from tallymark.tally.labels import Counts

BALANCED = Counts(tp=70.0, fp=20.0, fn=30.0, tn=80.0)
IMBALANCED = Counts(tp=70.0, fp=200.0, fn=30.0, tn=800.0)


def of(metric, source):
    return next(e for e in ERRATA if e.metric == metric and source in e.source)


@pytest.mark.parametrize(("metric", "source", "counts", "value"), [
    ("matthews_corrcoef", "Tharwat", BALANCED, -1.0206),
    ("precision", "Shin", BALANCED, 0.7),
    ("f1", "Shin", BALANCED, 0.7),
    ("cohen_kappa", "Shin", IMBALANCED, 0.7486),
    ("f1", "blog", BALANCED, 1 / 600),
    ("balance", "defect", BALANCED, 0.5152),
])  # fmt: skip
def test_what_is_printed_gives_what_the_documents_errors_are_known_to_give(
    metric, source, counts, value
):
    assert of(metric, source).of(counts) == pytest.approx(value, abs=5e-5)


def test_a_printed_formula_may_give_no_number():
    # pd 0.9 and pf 0.8: the root of a negative number.
    assert math.isnan(of("balance", "defect").of(Counts(tp=9.0, fp=8.0, fn=1.0, tn=2.0)))
    assert math.isnan(of("f1", "blog").of(Counts(tp=9.0, fp=0.0, fn=1.0, tn=2.0)))


def evaluated(text, counts):
    """Work out a printed formula with what it says of its letters."""
    code = re.sub(r"√(\d)", r"√(\1)", text)
    for sign, word in (("·", "*"), ("√", "math.sqrt"), ("²", "**2")):
        code = code.replace(sign, word)
    formula, *letters = code.split(", ")
    known = {"math": math} | {
        n.upper(): float(getattr(counts, n)) for n in ("tp", "fp", "fn", "tn")
    }
    known["M"] = float(counts.total)
    known["TPR"] = counts.tp / (counts.tp + counts.fn)
    known["PPV"] = counts.tp / (counts.tp + counts.fp)
    for letter in reversed(letters):
        name, meaning = letter.split(" = ")
        known[name] = eval(meaning, known)
    return eval(formula, known)


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda e: f"{e.metric} {e.source}")
@pytest.mark.parametrize("counts", [BALANCED, IMBALANCED], ids=["balanced", "imbalanced"])
def test_the_text_of_a_formula_and_its_value_agree(erratum, counts):
    value = erratum.of(counts)
    if math.isnan(value):
        with pytest.raises(ValueError, match="math domain error"):
            evaluated(erratum.printed, counts)
        return
    assert evaluated(erratum.printed, counts) == pytest.approx(value, rel=1e-12)
    cells = np.array([[counts.tn, counts.fp], [counts.fn, counts.tp]])
    metric = get(erratum.metric)
    right = float(metric.compute(counts if metric._needs == "counts" else cells))
    assert abs(value - right) > 0.001


@pytest.mark.slow
def test_both_values_are_in_the_table_on_the_terminal_and_on_the_page(tmp_path):
    ev = counted([[70, 30], [20, 80]], ("sick", "well"), positive="sick")
    rows = {r["metric"]: r for r in ev.as_printed()}
    assert rows["Balance"]["as_printed"] == of("balance", "defect").of(BALANCED)
    assert rows["Balance"]["right"] == ev.values()[ev.names[0]]["balance"].value
    path, page = tmp_path / "c.csv", tmp_path / "page.html"
    path.write_text("truth,pred,n\nsick,sick,70\nsick,well,30\nwell,sick,20\nwell,well,80\n")
    asked = ["report", str(path), "--positive", "sick"]
    done = CliRunner().invoke(main, [*asked, "--as-printed"])
    told = " ".join(done.stdout.split())
    assert "Balance is 0.745; as printed 0.515 course chapter on defect prediction: 1 - √(" in told
    assert "Matthews correlation is 0.503; as printed −1.021 Tharwat 2018, equation 11" in told
    assert "as printed" not in CliRunner().invoke(main, asked).stdout
    CliRunner().invoke(main, [*asked, "--as-printed", "-o", str(page)])
    assert "False negatives are counted twice" in page.read_text("utf-8")
    CliRunner().invoke(main, [*asked, "-o", str(page)])
    assert "False negatives are counted twice" not in page.read_text("utf-8")


def test_each_of_the_six_formulas_names_its_document():
    ev = counted([[70, 30], [20, 80]], ("sick", "well"), positive="sick")
    named = [(r["source"].split()[0], r["metric"]) for r in ev.as_printed()]
    assert named == [
        ("Tharwat", "Matthews correlation"), ("Shin,", "Precision"), ("Shin,", "F1"),
        ("Shin,", "Cohen's kappa"), ("blog", "F1"), ("course", "Balance"),
    ]  # fmt: skip


def test_printed_formulas_are_of_two_classes(tmp_path):
    rows = tmp_path / "three.csv"
    rows.write_text("truth,pred\na,a\nb,b\nc,c\na,b\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["report", str(rows), "--as-printed"])
    assert done.exit_code == 2
    assert "printed formulas need two classes; leave --as-printed out" in done.stderr
    assert done.stdout == ""
    page = tmp_path / "page.html"
    with pytest.raises(tm.InputError, match="formulas need two classes; leave as_printed=... out"):
        tm.evaluate(str(rows)).report(page, as_printed=True)
    assert not page.exists()
