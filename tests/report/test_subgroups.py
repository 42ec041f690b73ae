"""Parts of the rows on the page, in the JSON and in the summary."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.report.evaluation import subgroups_of_models
from tallymark.report.subjects.subgroups import worst_table

HOSTILE = "</script><b onclick=x>"


def shown(ev):
    return [worst_table(s) for s in subgroups_of_models(ev)]


def made(subgroups, n=1500, models=("m",), seed=0):
    rng = np.random.default_rng(seed)
    where = rng.integers(0, subgroups, n)
    y = rng.integers(0, 2, n)
    sharp = np.where(where == 1, 0.2, 2.0)
    scores = {m: 1 / (1 + np.exp(-rng.normal(sharp * (y - 0.5)))) for m in models}
    names = np.array([HOSTILE if k == 0 else f"part {k}" for k in range(subgroups)], dtype=object)
    column = names[where]
    column[:40] = None
    return tm.evaluate(y, y_score=scores, subgroup={"where": column})


@pytest.fixture(scope="module")
def few():
    return made(4)


def test_the_page_tells_the_worst_first(few):
    ((_, notes, table),) = shown(few)
    first, *_, last = table.cells()
    parts = few.by("where")
    assert first[0].text == "part 1"
    assert first[0].under == "differs from the rest"
    assert last[4].text == "not tested"
    assert last[1].mark == "*"
    worst = parts.worst_of_all("roc_auc")
    told = " ".join(notes)
    assert f"{worst.low:.3f} to {worst.high:.3f}, corrected for selection" in told
    assert "fewer than 30 rows: not ranked, not tested" in told
    assert table.heads[1] == "Area under the ROC curve"
    assert first[3].text.startswith("−0.")


@pytest.mark.slow
def test_the_page_holds_the_section_and_escapes_names(few, tmp_path):
    text = few.report(tmp_path / "p.html").read_text(encoding="utf-8")
    assert "Subgroups</h2>" in text
    assert "differs from the rest" in text
    assert HOSTILE not in text
    assert "&lt;/script&gt;&lt;b onclick=x&gt;" in text


def test_of_many_subgroups_fifty_are_shown_and_the_rest_is_told():
    ev = made(70, 4000, ("a", "b"))
    found = shown(ev)
    assert [model for model, _, _ in found] == ["a", "b"]
    for _, notes, table in found:
        assert len(table.rows) == 50
        assert any(
            "The 50 worst are shown; " in n and "of the 21 others differ" in n for n in notes
        )


def test_one_subgroup_has_nothing_to_be_held_against():
    ev = tm.evaluate([0, 1] * 40, [0, 1] * 40, subgroup={"at": ["x"] * 80})
    ((_, notes, table),) = shown(ev)
    assert notes == ["There is only one subgroup, so there is nothing to compare it with."]
    assert table.cells()[0][3].text == ""
    assert not counted_of(tm.evaluate([0, 1], [0, 1])).subgroup_counts
    assert shown(tm.evaluate([0, 1], [0, 1])) == []
    assert shown(ev.at(prevalence=0.1)) == []


@pytest.mark.slow
def test_the_json_fits_its_schema(few):
    schema = json.loads(
        (files("tallymark") / "schema/evaluation.schema.json").read_text(encoding="utf-8")
    )
    data = json.loads(few.to_json())
    jsonschema.validate(data, schema)
    (found,) = data["subgroups"]
    assert found["columns"] == ["where"]
    assert found["subgroups"][0]["subgroup"] == {"where": "part 1"}
    assert found["worst"]["roc_auc"]["subgroup"] == {"where": "part 1"}
    assert found["n_not_shown"] == 0
    plain = json.loads(tm.evaluate([0, 1] * 9, [0, 1] * 9).to_json())
    jsonschema.validate(plain, schema)
    assert plain["subgroups"] is None


@pytest.mark.slow
def test_the_report_takes_columns_to_subgroup_by(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["label,score,region"]
    for i in range(400):
        y = i % 2
        lines.append(
            f"{y},{np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2), 0, 1):.3f},{'ab'[i % 4 // 2]}"
        )
    (tmp_path / "p.csv").write_text("\n".join(lines), encoding="utf-8")
    asked = [str(tmp_path / "p.csv"), "--subgroup", "region", "-o", str(tmp_path / "p.html")]
    found = CliRunner().invoke(main, ["report", *asked])
    assert found.exit_code == 0, found.output
    assert "subgroups tested differ from the rest in area under the ROC curve" in found.output
    assert "of 2 (0." in found.output
    assert "Subgroups</h2>" in (tmp_path / "p.html").read_text(encoding="utf-8")
    wrong = CliRunner().invoke(main, ["report", str(tmp_path / "p.csv"), "--subgroup", "regoin"])
    assert wrong.exit_code == 2
    assert "there is no column 'regoin' for subgroup; did you mean 'region'?" in wrong.output


FALSE_FLAGS = (
    "P-values are corrected for the number of subgroups, not of {0}s: over the {1} {0}s shown, the "
    "chance of any false flag is up to {2} %."
)


def test_every_writer_names_the_subgroups_corrected_for_and_the_metrics_that_are_not(few):
    s = few.by("where")
    family = (
        "4 of {0} subgroups tested differ from the rest in {1} (level 0.95, Holm's correction for "
        "{0} subgroups)."
    )
    for text in (str(s), s.to_markdown()):
        flat = " ".join(text.split())
        assert family.format(5, "accuracy") in flat
        assert FALSE_FLAGS.format("metric", 4, 20) in flat
    ((_, notes, _),) = shown(few)  # the page judges by one metric
    assert notes[0] == family.format(4, "area under the ROC curve")


@pytest.mark.slow
def test_the_page_of_several_models_says_that_models_are_not_corrected_for(tmp_path):
    ev = replace(made(2, 300, ("a", "b")), level=0.9)
    text = " ".join(ev.report(tmp_path / "p.html").read_text(encoding="utf-8").split())
    assert FALSE_FLAGS.format("model", 2, 20) in text
    assert "metrics shown" not in text
